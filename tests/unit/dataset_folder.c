#include "support.h"

#include "dataset/reader.h"

static struct sl_error err;

/* An image whose every byte is `value`. */
static void write_image(const char *name, size_t height, size_t width, size_t channels,
                        uint8_t value)
{
    struct sl_image image;
    assert_ok(sl_image_create(height, width, channels, &image, &err), err);
    memset(image.pixels, value, height * width * channels);
    assert_ok(sl_image_write_png(&image, NULL, test_path(name), &err), err);
    sl_image_release(&image);
}

static void make_folder(const char *name)
{
    assert_ok(sl_folder_create(test_path(name), &err), err);
}

static struct sl_dataset *open_folder(const char *name)
{
    struct sl_dataset *dataset = NULL;
    assert_ok(sl_reader_folder.open(test_path(name), NULL, &dataset, &err), err);
    return dataset;
}

static void assert_refused(const char *name, const char *part)
{
    struct sl_dataset *dataset = NULL;
    assert_fails(sl_reader_folder.open(test_path(name), NULL, &dataset, &err), SL_ERR_INPUT, err,
                 part);
    assert_null(dataset);
}

static void test_a_flat_folder_has_items_without_labels(void **state)
{
    (void)state;
    make_folder("flat");
    write_image("flat/b.png", 2, 2, 3, 7);
    write_image("flat/a.PNG", 3, 2, 1, 8);
    write_image("flat/.hidden.png", 1, 1, 1, 9);
    test_write(test_path("flat/notes.txt"), "x", 1);
    test_write(test_path("flat/.png"), "x", 1);
    struct sl_dataset *dataset = open_folder("flat");
    assert_int_equal(dataset->count, 2);
    assert_string_equal(dataset->items[0], "a");
    assert_string_equal(dataset->items[1], "b");
    assert_int_equal(dataset->labels[0], SL_NO_LABEL);
    assert_int_equal(dataset->n_classes, 0);
    assert_null(dataset->pixels);
    struct sl_image image;
    assert_ok(sl_dataset_image(dataset, 0, &image, &err), err);
    assert_int_equal(image.height, 3);
    assert_int_equal(image.channels, 1);
    assert_int_equal(image.pixels[5], 8);
    sl_image_release(&image);
    assert_fails(sl_dataset_image(dataset, 2, &image, &err), SL_ERR_USAGE, err, "2 items");
    sl_dataset_destroy(dataset);
}

static void make_classes(const char *name)
{
    char path[100];
    const char *files[] = {"dog/1.png", "cat/2.png", "cat/1.png"};
    make_folder(name);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%.3s", name, files[i]);
        make_folder(path);
        snprintf(path, sizeof path, "%s/%s", name, files[i]);
        write_image(path, 2, 2, 3, (uint8_t)(10 * i));
    }
}

static void test_a_sub_folder_is_a_class(void **state)
{
    (void)state;
    make_classes("classes");
    make_folder("classes/empty");
    make_folder("classes/.git");
    test_write(test_path("classes/README"), "x", 1);
    struct sl_dataset *dataset = open_folder("classes");
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->n_classes, 2);
    assert_string_equal(dataset->classes[0], "cat");
    assert_string_equal(dataset->classes[1], "dog");
    assert_string_equal(dataset->items[0], "cat/1");
    assert_string_equal(dataset->items[2], "dog/1");
    assert_int_equal(dataset->labels[1], 0);
    assert_int_equal(dataset->labels[2], 1);
    sl_dataset_destroy(dataset);
}

static void test_a_suffix_stays_where_ids_would_meet(void **state)
{
    (void)state;
    make_folder("twins");
    write_image("twins/a.png", 1, 1, 1, 0);
    write_image("twins/a.jpg", 1, 1, 1, 0);
    write_image("twins/a.png.jpg", 1, 1, 1, 0);
    write_image("twins/b.png", 1, 1, 1, 0);
    struct sl_dataset *dataset = open_folder("twins");
    assert_int_equal(dataset->count, 4);
    assert_string_equal(dataset->items[0], "a.jpg");
    assert_string_equal(dataset->items[1], "a.png");
    assert_string_equal(dataset->items[2], "a.png.jpg");
    assert_string_equal(dataset->items[3], "b");
    sl_dataset_destroy(dataset);
}

static void test_a_folder_without_images_is_an_error_with_a_count(void **state)
{
    (void)state;
    make_folder("nothing");
    test_write(test_path("nothing/a.gif"), "x", 1);
    test_write(test_path("nothing/b.txt"), "x", 1);
    assert_refused("nothing", "no PNG or JPEG files in it or in its sub-folders (2 other entries)");
}

static void test_images_beside_class_folders_are_an_error(void **state)
{
    (void)state;
    make_classes("mixed");
    write_image("mixed/stray.png", 1, 1, 1, 0);
    assert_refused("mixed", "holds images itself (stray.png) and in sub-folders (cat)");
}

static void test_names_that_are_not_utf8_are_an_error(void **state)
{
    (void)state;
    make_folder("latin1");
    write_image("latin1/gr\xfcn.png", 1, 1, 1, 0);
    assert_refused("latin1", "byte 3 of the name of gr... is not UTF-8");
}

static void test_loading_brings_images_of_one_size_into_memory(void **state)
{
    (void)state;
    make_classes("same");
    struct sl_dataset *dataset = open_folder("same");
    assert_ok(sl_dataset_load(dataset, 0, 0, 0, &err), err);
    assert_null(dataset->files);
    assert_int_equal(dataset->height, 2);
    assert_int_equal(dataset->channels, 3);
    const uint8_t expected[] = {20, 10, 0}; /* cat/1, cat/2, dog/1 */
    for (size_t i = 0; i < 36; i++)
        assert_int_equal(dataset->pixels[i], expected[i / 12]);
    assert_ok(sl_dataset_load(dataset, 2, 2, 3, &err), err);
    assert_fails(sl_dataset_load(dataset, 2, 2, 2, &err), SL_ERR_USAGE, err, "channels");
    assert_ok(sl_dataset_load(dataset, 4, 3, 1, &err), err);
    assert_int_equal(dataset->height, 4);
    assert_int_equal(dataset->width, 3);
    assert_int_equal(dataset->channels, 1);
    for (size_t i = 0; i < 36; i++)
        assert_int_equal(dataset->pixels[i], expected[i / 12]);
    sl_dataset_destroy(dataset);
}

static void test_loading_different_sizes_needs_a_size(void **state)
{
    (void)state;
    make_folder("sizes");
    write_image("sizes/a.png", 2, 2, 3, 50);
    write_image("sizes/b.png", 4, 6, 1, 60);
    struct sl_dataset *dataset = open_folder("sizes");
    assert_fails(sl_dataset_load(dataset, 0, 0, 0, &err), SL_ERR_INPUT, err,
                 "sizes/b.png is 6 x 4: give a size");
    assert_non_null(dataset->files);
    assert_fails(sl_dataset_load(dataset, 3, 3, 0, &err), SL_ERR_INPUT, err, "channels but");
    assert_ok(sl_dataset_load(dataset, 3, 5, 3, &err), err);
    assert_int_equal(dataset->pixels[0], 50);
    assert_int_equal(dataset->pixels[2 * 45 - 1], 60);
    sl_dataset_destroy(dataset);
}

static void test_colours_become_grey_by_luma(void **state)
{
    (void)state;
    make_folder("luma");
    struct sl_image image;
    assert_ok(sl_image_create(1, 4, 3, &image, &err), err);
    const uint8_t colours[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9};
    memcpy(image.pixels, colours, sizeof colours);
    assert_ok(sl_image_write_png(&image, NULL, test_path("luma/a.png"), &err), err);
    sl_image_release(&image);
    struct sl_dataset *dataset = open_folder("luma");
    assert_ok(sl_dataset_load(dataset, 0, 0, 1, &err), err);
    /* .299, .587 and .114 of 255 */
    const uint8_t grey[] = {76, 150, 29, 9};
    assert_memory_equal(dataset->pixels, grey, sizeof grey);
    sl_dataset_destroy(dataset);
}

static void test_a_broken_image_leaves_the_set_as_it_was(void **state)
{
    (void)state;
    make_folder("broken");
    write_image("broken/a.png", 2, 2, 3, 1);
    test_write(test_path("broken/b.png"), "\x89PNG\r\n\x1a\nrubbish", 15);
    struct sl_dataset *dataset = open_folder("broken");
    assert_fails(sl_dataset_load(dataset, 0, 0, 0, &err), SL_ERR_INPUT, err, "broken/b.png: ");
    assert_non_null(dataset->files);
    assert_null(dataset->pixels);
    sl_dataset_destroy(dataset);
}

static void test_a_selection_keeps_order_and_repeats(void **state)
{
    (void)state;
    make_classes("select");
    struct sl_dataset *dataset = open_folder("select");
    const size_t wrong[] = {0, 3};
    assert_fails(sl_dataset_select(dataset, wrong, 2, &err), SL_ERR_USAGE, err,
                 "3 items, there is no item number 3");
    const size_t files[] = {2, 0};
    assert_ok(sl_dataset_select(dataset, files, 2, &err), err);
    assert_int_equal(dataset->count, 2);
    assert_string_equal(dataset->items[0], "dog/1");
    assert_true(sl_path_has_suffix(dataset->files[1], "cat/1.png"));
    assert_ok(sl_dataset_load(dataset, 0, 0, 0, &err), err);
    dataset->truth = sl_alloc(4, sizeof *dataset->truth);
    for (size_t i = 0; i < 4; i++)
        dataset->truth[i] = (float)i;
    const size_t pixels[] = {1, 1, 0};
    assert_ok(sl_dataset_select(dataset, pixels, 3, &err), err);
    assert_int_equal(dataset->count, 3);
    assert_int_equal(dataset->pixels[0], 20);
    assert_int_equal(dataset->pixels[12], 20);
    assert_int_equal(dataset->pixels[35], 0);
    assert_int_equal(dataset->labels[2], 1);
    assert_near(dataset->truth[3], 3, 0);
    assert_near(dataset->truth[4], 0, 0);
    assert_string_equal(dataset->classes[1], "dog");
    assert_ok(sl_dataset_select(dataset, NULL, 0, &err), err);
    assert_int_equal(dataset->count, 0);
    sl_dataset_destroy(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_flat_folder_has_items_without_labels),
        cmocka_unit_test(test_a_sub_folder_is_a_class),
        cmocka_unit_test(test_a_suffix_stays_where_ids_would_meet),
        cmocka_unit_test(test_a_folder_without_images_is_an_error_with_a_count),
        cmocka_unit_test(test_images_beside_class_folders_are_an_error),
        cmocka_unit_test(test_names_that_are_not_utf8_are_an_error),
        cmocka_unit_test(test_loading_brings_images_of_one_size_into_memory),
        cmocka_unit_test(test_loading_different_sizes_needs_a_size),
        cmocka_unit_test(test_colours_become_grey_by_luma),
        cmocka_unit_test(test_a_broken_image_leaves_the_set_as_it_was),
        cmocka_unit_test(test_a_selection_keeps_order_and_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
