#include "support.h"

#include "softlab/dataset.h"

static struct sl_error err;

/* The set's files with 3 rows of 2 features and these classes in each split. */
static struct sl_data_roots make_set(const char *classes)
{
    static const char *const splits[] = {"train", "valid", "test"};
    const size_t shape[] = {3, 2};
    struct sl_array rows;
    assert_ok(sl_array_create(SL_F4, 0, 2, shape, &rows, &err), err);
    for (size_t i = 0; i < 6; i++)
        ((float *)rows.data)[i] = (float)i;
    mkdir(test_path("labelme"), 0700);
    test_write(test_path("labelme/answers.txt"), "-1 0\n", 5);
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "labelme/LabelMe_VGG_avg_%s.npy", splits[i]);
        assert_ok(sl_npy_write(&rows, SL_ORDER_C, test_path(name), &err), err);
        snprintf(name, sizeof name, "labelme/LabelMe_Z_%s.txt", splits[i]);
        test_write(test_path(name), classes, strlen(classes));
    }
    sl_array_release(&rows);
    return (struct sl_data_roots){.given = test_path("")};
}

static void test_features_come_with_the_classes_of_their_split(void **state)
{
    (void)state;
    const struct sl_data_roots roots = make_set("6\n0\n7\n");
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("labelme:train", &roots, &dataset, &err), err);
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->n_features, 2);
    assert_int_equal(dataset->n_classes, 8);
    assert_int_equal(dataset->labels[0], 6);
    assert_int_equal(dataset->labels[2], 7);
    assert_string_equal(dataset->classes[7], "7");
    assert_string_equal(dataset->items[2], "2");
    assert_near(dataset->features[5], 5, 0);
    sl_dataset_destroy(dataset);
}

static void test_answers_about_train_do_not_fit_the_other_splits(void **state)
{
    (void)state;
    const struct sl_data_roots roots = make_set("6\n0\n7\n");
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_dataset_open("labelme", &roots, &dataset, &err), err);
    assert_string_equal(dataset->items[2], "test/2");
    sl_dataset_destroy(dataset);
    assert_ok(sl_dataset_open("labelme:valid", &roots, &dataset, &err), err);
    assert_string_equal(dataset->items[0], "valid/0");
    sl_dataset_destroy(dataset);
}

static void test_classes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *classes, *part;
    } wrong[] = {{"1\n8\n2\n", "LabelMe_Z_train.txt:2"},
                 {"1\n2\n", "LabelMe_Z_train.txt: has fewer lines than the 3 rows of features"},
                 {"1\n2\n3\n4\n", "more lines than the 3 rows"},
                 {"1\nx\n3\n", "LabelMe_Z_train.txt:2"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct sl_data_roots roots = make_set(wrong[i].classes);
        struct sl_dataset *dataset = NULL;
        assert_fails(sl_dataset_open("labelme:train", &roots, &dataset, &err), SL_ERR_INPUT, err,
                     wrong[i].part);
        assert_null(dataset);
    }
}

static void test_the_published_files_open(void **state)
{
    (void)state;
    if (!test_data("labelme/LabelMe_Z_test.txt")) skip();
    const struct sl_data_roots roots = {.given = getenv("SOFTLAB_DATA")};
    static const struct {
        const char *name;
        size_t count;
        int32_t first;
    } sets[] = {{"labelme:train", 1000, 3}, {"labelme:valid", 500, 6}, {"labelme:test", 1188, 2}};
    for (size_t i = 0; i < 3; i++) {
        struct sl_dataset *dataset = NULL;
        assert_ok(sl_dataset_open(sets[i].name, &roots, &dataset, &err), err);
        assert_int_equal(dataset->count, sets[i].count);
        assert_int_equal(dataset->n_features, 512);
        assert_int_equal(dataset->labels[0], sets[i].first);
        sl_dataset_destroy(dataset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_come_with_the_classes_of_their_split),
        cmocka_unit_test(test_answers_about_train_do_not_fit_the_other_splits),
        cmocka_unit_test(test_classes_that_do_not_fit_are_refused),
        cmocka_unit_test(test_the_published_files_open),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
