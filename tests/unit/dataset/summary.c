#include "softlab/dataset/summary.h"

#include "pictures.h"

static void test_labels_are_counted_by_class(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(7, 3, 4, 6);
    struct sl_dataset_summary summary;
    struct sl_error err;
    set->labels[0] = SL_NO_LABEL;
    assert_ok(sl_dataset_summarise(set, &summary, &err), err);
    assert_int_equal(summary.n_labelled, 6);
    assert_int_equal(summary.per_class[0], 2);
    assert_int_equal(summary.per_class[1], 2);
    assert_int_equal(summary.per_class[2], 2);
    assert_true(isnan(summary.mean_entropy));
    assert_int_equal(summary.n_sizes_seen, 1);
    assert_int_equal(summary.smallest[0], 4);
    assert_int_equal(summary.largest[1], 6);
    sl_dataset_summary_release(&summary);
    assert_null(summary.per_class);
    sl_dataset_destroy(set);
}

static void test_entropy_is_the_mean_over_items(void **state)
{
    (void)state;
    static const float truth[] = {1, 0, .5f, .5f};
    struct sl_dataset *set = test_pictures(2, 2, 4, 4);
    struct sl_dataset_summary summary;
    struct sl_error err;
    set->truth = sl_alloc(4, sizeof *set->truth);
    memcpy(set->truth, truth, sizeof truth);
    assert_ok(sl_dataset_summarise(set, &summary, &err), err);
    assert_near(summary.mean_entropy, log(2) / 2, 1e-7);
    sl_dataset_summary_release(&summary);
    sl_dataset_destroy(set);
}

static void write_image(const char *path, size_t height, size_t width)
{
    struct sl_dataset *set = test_pictures(1, 1, height, width);
    struct sl_image image;
    struct sl_error err;
    assert_ok(sl_dataset_image(set, 0, &image, &err), err);
    assert_ok(sl_image_write_png(&image, NULL, path, &err), err);
    sl_image_release(&image);
    sl_dataset_destroy(set);
}

static void test_sizes_of_files_are_looked_at(void **state)
{
    (void)state;
    const struct sl_data_roots roots = {.folder = "."};
    struct sl_dataset *set = NULL;
    struct sl_dataset_summary summary;
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("photos"), &err), err);
    write_image(test_path("photos/a.png"), 8, 30);
    write_image(test_path("photos/b.png"), 20, 10);
    write_image(test_path("photos/c.png"), 12, 20);
    assert_ok(sl_dataset_open(test_path("photos"), &roots, &set, &err), err);
    assert_ok(sl_dataset_summarise(set, &summary, &err), err);
    assert_int_equal(summary.n_sizes_seen, 3);
    assert_int_equal(summary.smallest[0], 8);
    assert_int_equal(summary.smallest[1], 10);
    assert_int_equal(summary.largest[0], 20);
    assert_int_equal(summary.largest[1], 30);
    sl_dataset_summary_release(&summary);
    test_write(test_path("photos/b.png"), "no picture", 10);
    summary.n_labelled = 77;
    assert_fails(sl_dataset_summarise(set, &summary, &err), SL_ERR_INPUT, err, "b.png");
    assert_int_equal(summary.n_labelled, 77);
    sl_dataset_destroy(set);
}

static void test_json_has_what_the_set_has(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(5, 2, 4, 6);
    struct sl_dataset_summary summary;
    struct sl_error err;
    assert_ok(sl_dataset_summarise(set, &summary, &err), err);
    json_t *json = sl_dataset_summary_json(set, &summary);
    json_t *expected = json_pack("{s:s, s:i, s:s, s:i, s:[{s:s, s:i}, {s:s, s:i}], s:[i, i], s:[i, "
                                 "i]}",
                                 "name", "pictures", "items", 5, "kind", "image", "labelled", 5,
                                 "classes", "name", "class0", "items", 3, "name", "class1", "items",
                                 2, "smallest", 4, 6, "largest", 4, 6);
    assert_true(json_equal(json, expected));
    json_decref(json);
    json_decref(expected);
    sl_dataset_summary_release(&summary);
    sl_dataset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_are_counted_by_class),
        cmocka_unit_test(test_entropy_is_the_mean_over_items),
        cmocka_unit_test(test_sizes_of_files_are_looked_at),
        cmocka_unit_test(test_json_has_what_the_set_has),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
