#include "corrupt_scene.h"

#include "pictures.h"

enum { COUNT = 4, SIDE = 6 };

static struct sl_error err;

static const struct sl_data_roots *roots(void)
{
    static char folder[512];
    static struct sl_data_roots roots = {.folder = folder};
    snprintf(folder, sizeof folder, "%s", test_path("data"));
    return &roots;
}

/* Files of a set of test_pictures; how many were made. */
static size_t write_some(const struct sl_corrupt_options *options, const char *folder)
{
    const struct sl_corruption *const chosen[] = {sl_corruption_find("fog"),
                                                  sl_corruption_find("gaussian_noise"), NULL};
    struct sl_dataset *set = test_pictures(COUNT, 3, SIDE, SIDE);
    size_t made = 99;
    assert_ok(sl_corrupt_write(set, chosen, options, folder, &made, &err), err);
    sl_dataset_destroy(set);
    return made;
}

static enum sl_status try_to_write(const struct sl_corrupt_options *options, const char *folder)
{
    const struct sl_corruption *const chosen[] = {sl_corruption_find("fog"), NULL};
    struct sl_dataset *set = test_pictures(COUNT, 3, SIDE, SIDE);
    enum sl_status status = sl_corrupt_write(set, chosen, options, folder, NULL, &err);
    sl_dataset_destroy(set);
    return status;
}

static void test_files_are_laid_out_as_published_and_read_by_name(void **state)
{
    (void)state;
    const struct sl_corrupt_options options = sl_corrupt_options_default();
    assert_int_equal(write_some(&options, test_path("data/cifar10-c")), 2);
    struct sl_array array;
    assert_ok(sl_npy_read(test_path("data/cifar10-c/fog.npy"), &array, &err), err);
    const size_t shape[4] = {5 * COUNT, SIDE, SIDE, 3}, n_labels = 5 * COUNT;
    assert_int_equal(array.dtype, SL_U1);
    assert_ok(sl_array_expect(&array, "fog", 4, shape, &err), err);
    struct sl_dataset *set = test_pictures(COUNT, 3, SIDE, SIDE), *opened = NULL;
    const size_t bytes = SIDE * SIDE * 3;
    for (size_t row = 0; row < 5 * COUNT; row++) {
        const struct sl_image image = {SIDE, SIDE, 3, set->pixels + row % COUNT * bytes};
        uint8_t *one = test_corrupt("fog", 1 + (int)(row / COUNT), 1, row % COUNT, &image);
        assert_memory_equal((uint8_t *)array.data + row * bytes, one, bytes);
        free(one);
    }
    assert_ok(sl_dataset_open("cifar10-c:fog-3", roots(), &opened, &err), err);
    assert_int_equal(opened->count, COUNT);
    assert_memory_equal(opened->pixels, (uint8_t *)array.data + 2 * COUNT * bytes, COUNT * bytes);
    assert_string_equal(opened->items[1], "1");
    assert_int_equal(opened->labels[2], 2);
    sl_dataset_destroy(opened);
    sl_array_release(&array);
    assert_ok(sl_npy_read(test_path("data/cifar10-c/labels.npy"), &array, &err), err);
    assert_ok(sl_array_expect(&array, "labels", 1, &n_labels, &err), err);
    for (size_t i = 0; i < 5 * COUNT; i++)
        assert_int_equal(((uint8_t *)array.data)[i], i % COUNT % 3);
    sl_array_release(&array);
    sl_dataset_destroy(set);
}

static void test_whole_files_of_the_same_making_are_kept(void **state)
{
    (void)state;
    const struct sl_corrupt_options options = sl_corrupt_options_default();
    assert_int_equal(write_some(&options, test_path("kept")), 2);
    assert_int_equal(write_some(&options, test_path("kept")), 0);
    assert_int_equal(truncate(test_path("kept/fog.npy"), 500), 0);
    assert_int_equal(write_some(&options, test_path("kept")), 1);
    assert_int_equal(unlink(test_path("kept/gaussian_noise.npy")), 0);
    assert_int_equal(write_some(&options, test_path("kept")), 1);
    assert_int_equal(write_some(&options, test_path("kept")), 0);
}

static void test_a_folder_of_another_making_is_refused(void **state)
{
    (void)state;
    struct sl_corrupt_options options = sl_corrupt_options_default();
    assert_ok(try_to_write(&options, test_path("first")), err);
    options.seed = 2;
    assert_fails(try_to_write(&options, test_path("first")), SL_ERR_USAGE, err,
                 "made with seed 1, not 2");
    options.seed = 1;
    options.n_severities = 2;
    assert_fails(try_to_write(&options, test_path("first")), SL_ERR_USAGE, err,
                 "made with severities [1,2,3,4,5], not [1,2]");
    struct sl_dataset *other = test_pictures(COUNT, 3, SIDE, SIDE);
    const struct sl_corruption *const chosen[] = {sl_corruption_find("fog"), NULL};
    other->pixels[0] ^= 1;
    options = sl_corrupt_options_default();
    assert_fails(sl_corrupt_write(other, chosen, &options, test_path("first"), NULL, &err),
                 SL_ERR_USAGE, err, "made with sha256");
    sl_dataset_destroy(other);
}

static void test_published_files_are_not_written_over(void **state)
{
    (void)state;
    const struct sl_corrupt_options options = sl_corrupt_options_default();
    assert_ok(sl_folder_create(test_path("published"), &err), err);
    test_write(test_path("published/fog.npy"), "theirs", 6);
    assert_fails(try_to_write(&options, test_path("published")), SL_ERR_USAGE, err,
                 "softlab did not make it");
    assert_false(sl_file_exists(test_path("published/corruptions.json")));
    test_write(test_path("published/corruptions.json"), "{\"files\": 3}", 12);
    assert_fails(try_to_write(&options, test_path("published")), SL_ERR_INPUT, err, "made_from");
}

static void test_fewer_severities_are_read_as_what_they_are(void **state)
{
    (void)state;
    const struct sl_corrupt_options options = {.severities = {2, 4}, .n_severities = 2, .seed = 7};
    struct sl_dataset *opened = NULL;
    assert_int_equal(write_some(&options, test_path("data/cifar10-c")), 2);
    assert_ok(sl_dataset_open("cifar10-c:fog", roots(), &opened, &err), err);
    assert_int_equal(opened->count, 2 * COUNT);
    assert_string_equal(opened->items[0], "2/0");
    assert_string_equal(opened->items[COUNT + 3], "4/3");
    uint8_t *second = sl_alloc(COUNT, SIDE * SIDE * 3);
    memcpy(second, opened->pixels + COUNT * SIDE * SIDE * 3, COUNT * SIDE * SIDE * 3);
    sl_dataset_destroy(opened);
    assert_ok(sl_dataset_open("cifar10-c:fog-4", roots(), &opened, &err), err);
    assert_memory_equal(opened->pixels, second, COUNT * SIDE * SIDE * 3);
    free(second);
    sl_dataset_destroy(opened);
    assert_fails(sl_dataset_open("cifar10-c:fog-3", roots(), &opened, &err), SL_ERR_NOT_FOUND, err,
                 "no severity 3");
}

static void test_a_set_without_labels_has_no_labels_file(void **state)
{
    (void)state;
    struct sl_dataset *set = test_pictures(COUNT, 3, SIDE, SIDE);
    const struct sl_corrupt_options options = sl_corrupt_options_default();
    const struct sl_corruption *const chosen[] = {sl_corruption_find("contrast"), NULL};
    set->labels[1] = SL_NO_LABEL;
    assert_ok(sl_corrupt_write(set, chosen, &options, test_path("bare"), NULL, &err), err);
    assert_false(sl_file_exists(test_path("bare/labels.npy")));
    assert_true(sl_file_exists(test_path("bare/contrast.npy")));
    sl_dataset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_files_are_laid_out_as_published_and_read_by_name,
                                  test_folder_clear),
        cmocka_unit_test(test_whole_files_of_the_same_making_are_kept),
        cmocka_unit_test(test_a_folder_of_another_making_is_refused),
        cmocka_unit_test(test_published_files_are_not_written_over),
        cmocka_unit_test(test_fewer_severities_are_read_as_what_they_are),
        cmocka_unit_test(test_a_set_without_labels_has_no_labels_file),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
