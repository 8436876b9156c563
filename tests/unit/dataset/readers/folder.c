#include "support.h"

#include "dataset/readers/reader.h"

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
    test_write(test_path("nothing/a.txt"), "x", 1);
    test_write(test_path("nothing/b.txt"), "x", 1);
    assert_refused("nothing", "no PNG or JPEG files in it or in its sub-folders (2 other entries)");
}

static void test_images_beside_class_folders_are_an_error(void **state)
{
    (void)state;
    make_classes("mixed");
    write_image("mixed/stray.png", 1, 1, 1, 0);
    assert_refused("mixed", "has images both in itself (stray.png) and in sub-folders (cat)");
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
                 "sizes/b.png is 6 x 4; give one --size for all");
    assert_non_null(dataset->files);
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
                 "3 items and no item number 3");
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

/* The notes of a set, a line each, until the next call. */
static const char *notes_of(const struct sl_dataset *dataset)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < dataset->n_notes && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d %s\n",
                                 (int)dataset->notes[i].level, dataset->notes[i].text);
    return text;
}

static void assert_noted(const struct sl_dataset *dataset, const char *part)
{
    if (!strstr(notes_of(dataset), part)) fail_msg("no \"%s\" in: %s", part, notes_of(dataset));
}

/* Grey before and after colour, so that it is not the first image that decides. */
static void test_grey_among_colour_is_read_as_colour(void **state)
{
    (void)state;
    make_folder("greys");
    write_image("greys/a.png", 2, 2, 1, 10);
    write_image("greys/b.png", 2, 2, 1, 20);
    write_image("greys/c.png", 2, 2, 3, 30);
    write_image("greys/d.png", 2, 2, 1, 40);
    struct sl_dataset *dataset = open_folder("greys");
    assert_ok(sl_dataset_load(dataset, 0, 0, 0, &err), err);
    assert_int_equal(dataset->channels, 3);
    for (size_t i = 0; i < 48; i++)
        assert_int_equal(dataset->pixels[i], 10 * (i / 12 + 1));
    assert_noted(dataset, "3 of 4 images are grey, such as a, and were read as colour");
    sl_dataset_destroy(dataset);
    for (size_t channels = 1; channels <= 3; channels += 2) {
        dataset = open_folder("greys");
        assert_ok(sl_dataset_load(dataset, 0, 0, channels, &err), err);
        assert_int_equal(dataset->channels, channels);
        assert_int_equal(dataset->pixels[4 * 4 * channels - 1], 40);
        assert_string_equal(notes_of(dataset), "");
        sl_dataset_destroy(dataset);
    }
}

static void make_broken(const char *folder)
{
    char name[64];
    make_folder(folder);
    for (const char *letter = "abcdef"; *letter; letter++) {
        snprintf(name, sizeof name, "%s/%c.png", folder, *letter);
        if (*letter == 'a' || *letter == 'd')
            test_write(test_path(name), "rubbish", 7);
        else
            write_image(name, 2, 2, 3, (uint8_t)*letter);
    }
    snprintf(name, sizeof name, "%s/e.png", folder);
    test_write(test_path(name), "", 0);
}

static void test_broken_images_can_be_left_out(void **state)
{
    (void)state;
    make_broken("skip");
    const struct sl_load_options options = {.skip_broken = true};
    struct sl_dataset *dataset = open_folder("skip");
    assert_fails(sl_dataset_load(dataset, 0, 0, 0, &err), SL_ERR_INPUT, err,
                 "--skip-broken leaves it out");
    struct sl_skipped skipped = {0};
    assert_ok(sl_dataset_load_with(dataset, &options, &skipped, &err), err);
    static const size_t expected[] = {0, 3, 4};
    assert_int_equal(skipped.count, 3);
    assert_memory_equal(skipped.items, expected, sizeof expected);
    sl_skipped_release(&skipped);
    assert_int_equal(dataset->count, 3);
    assert_string_equal(dataset->items[0], "b");
    assert_string_equal(dataset->items[1], "c");
    assert_string_equal(dataset->items[2], "f");
    for (size_t i = 0; i < 36; i++)
        assert_int_equal(dataset->pixels[i], "bcf"[i / 12]);
    /* Labels of what was left out are no mistake. */
    assert_int_equal(dataset->n_siblings, 3);
    assert_string_equal(dataset->siblings[2], "e");
    assert_noted(dataset, "skip/a.png: neither PNG nor JPEG");
    assert_noted(dataset, "skip/e.png: empty, expected PNG or JPEG; the image was left out");
    assert_noted(dataset, "3 of 6 images cannot be read and were left out");
    sl_dataset_destroy(dataset);
    dataset = open_folder("skip");
    assert_ok(sl_dataset_skip_broken(dataset, &err), err);
    assert_int_equal(dataset->count, 3);
    assert_non_null(dataset->files);
    assert_string_equal(dataset->items[2], "f");
    assert_noted(dataset, "3 of 6 images cannot be read and were left out");
    sl_dataset_destroy(dataset);
}

static void test_many_broken_images_are_counted_not_all_named(void **state)
{
    (void)state;
    const struct sl_load_options options = {.skip_broken = true};
    make_folder("many");
    for (int i = 0; i < 30; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/%02d.png", i);
        test_write(test_path(name), "x", 1);
    }
    struct sl_dataset *dataset = open_folder("many");
    assert_fails(sl_dataset_load_with(dataset, &options, NULL, &err), SL_ERR_INPUT, err,
                 "of its 30 images, none can be read; the first is 00");
    assert_int_equal(dataset->count, 30);
    write_image("many/30.png", 1, 1, 1, 5);
    sl_dataset_destroy(dataset);
    dataset = open_folder("many");
    assert_ok(sl_dataset_load_with(dataset, &options, NULL, &err), err);
    assert_int_equal(dataset->n_notes, 11);
    assert_noted(dataset, "30 of 31 images cannot be read");
    sl_dataset_destroy(dataset);
}

static void test_other_pictures_and_deeper_folders_are_named(void **state)
{
    (void)state;
    static const char *const others[] = {"a.webp", "cat/b.GIF", "cat/c.bmp", "d.tiff",
                                         "e.heic", "f.avif",    "notes.txt", ".g.webp"};
    make_folder("others");
    make_folder("others/cat");
    make_folder("others/cat/raw");
    write_image("others/cat/1.png", 2, 2, 3, 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[64];
        snprintf(name, sizeof name, "others/%s", others[i]);
        test_write(test_path(name), "x", 1);
    }
    struct sl_dataset *dataset = open_folder("others");
    assert_int_equal(dataset->count, 1);
    assert_int_equal(dataset->n_notes, 2);
    assert_noted(dataset, "6 files are not PNG or JPEG and were left out: a.webp, cat/b.GIF, "
                          "cat/c.bmp, d.tiff, e.heic ...");
    assert_noted(dataset, "1 folder lies inside the class folders and was left out: cat/raw");
    sl_dataset_destroy(dataset);
    make_folder("webp");
    test_write(test_path("webp/a.webp"), "x", 1);
    assert_refused("webp", "no PNG or JPEG files in it or in its sub-folders; convert these: "
                           "a.webp");
}

static void make_parts(const char *folder, const char *const *names)
{
    char name[64];
    make_folder(folder);
    for (; *names; names++) {
        snprintf(name, sizeof name, "%s/%s", folder, *names);
        for (char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            make_folder(name);
            *slash = '/';
        }
        write_image(name, 2, 2, 3, 1);
    }
}

static void test_a_folder_of_parts_is_one(void **state)
{
    (void)state;
    make_parts("parts", (const char *const[]){"train/cat/1.png", "train/dog/2.png", "val/cat/3.png",
                                              "val/dog/4.png", NULL});
    struct sl_dataset *dataset = open_folder("parts");
    assert_int_equal(dataset->count, 2);
    assert_int_equal(dataset->n_classes, 2);
    assert_string_equal(dataset->items[0], "cat/1");
    assert_string_equal(dataset->parts, "train, val");
    assert_noted(dataset, "has the parts train, val; reading train because none was named");
    sl_dataset_destroy(dataset);
    char name[600];
    snprintf(name, sizeof name, "%s:val", test_path("parts"));
    assert_ok(sl_dataset_open(name, NULL, &dataset, &err), err);
    assert_string_equal(dataset->items[1], "dog/4");
    assert_null(dataset->parts);
    assert_int_equal(dataset->n_notes, 0);
    sl_dataset_destroy(dataset);
    snprintf(name, sizeof name, "%s:valid", test_path("parts"));
    assert_fails(sl_dataset_open(name, NULL, &dataset, &err), SL_ERR_USAGE, err,
                 "has no valid, did you mean \"val\"?");
    /* Without a part to train on, one must be named. */
    make_parts("late", (const char *const[]){"test/1.png", "val/2.png", NULL});
    dataset = NULL;
    assert_fails(sl_reader_folder.open(test_path("late"), NULL, &dataset, &err), SL_ERR_USAGE, err,
                 "has the parts val, test; name one, for example ");
    assert_ok(sl_reader_folder.open(test_path("late"), "test", &dataset, &err), err);
    assert_int_equal(dataset->n_classes, 0);
    sl_dataset_destroy(dataset);
    /* One part alone, with classes, leaves nothing to choose. */
    make_parts("alone", (const char *const[]){"test/cat/1.png", NULL});
    dataset = open_folder("alone");
    assert_string_equal(dataset->classes[0], "cat");
    assert_null(dataset->parts);
    assert_noted(dataset, "reading its only part, test");
    sl_dataset_destroy(dataset);
}

static void test_a_class_may_be_called_as_a_part(void **state)
{
    (void)state;
    make_parts("vehicles", (const char *const[]){"bus/1.png", "train/1.png", "test/1.png", NULL});
    struct sl_dataset *dataset = open_folder("vehicles");
    assert_int_equal(dataset->n_classes, 3);
    assert_null(dataset->parts);
    sl_dataset_destroy(dataset);
    make_parts("single", (const char *const[]){"train/1.png", NULL});
    dataset = open_folder("single");
    assert_string_equal(dataset->classes[0], "train");
    sl_dataset_destroy(dataset);
    char name[600];
    snprintf(name, sizeof name, "%s:train", test_path("vehicles"));
    assert_fails(sl_dataset_open(name, NULL, &dataset, &err), SL_ERR_USAGE, err,
                 "has no splits; leave out \":train\"");
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
        cmocka_unit_test(test_grey_among_colour_is_read_as_colour),
        cmocka_unit_test(test_broken_images_can_be_left_out),
        cmocka_unit_test(test_many_broken_images_are_counted_not_all_named),
        cmocka_unit_test(test_other_pictures_and_deeper_folders_are_named),
        cmocka_unit_test(test_a_folder_of_parts_is_one),
        cmocka_unit_test(test_a_class_may_be_called_as_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
