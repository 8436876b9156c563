/* Loading by several threads; what loading itself does is tested in readers/folder.c. */
#include "corrupt_scene.h"
#include "dataset/images/codec.h"
#include "dataset/readers/reader.h"
#include "pools.h"

static struct sl_error err;

enum { IMAGES = 40, FIRST_COLOUR = 23, SIDE = 12 };

/* A PNG, or for every third number a JPEG. */
static void write_photo(const char *folder, size_t number, size_t side, size_t channels)
{
    char name[64];
    snprintf(name, sizeof name, "%s/%02zu.%s", folder, number, number % 3 ? "png" : "jpg");
    struct sl_image image = test_photo(side, side + 1, channels, number);
    if (number % 3) {
        assert_ok(sl_image_write_png(&image, NULL, test_path(name), &err), err);
    } else {
        unsigned char *bytes = NULL;
        size_t length = 0;
        assert_ok(sl_jpeg_encode(&image, 90, &bytes, &length, &err), err);
        test_write(test_path(name), bytes, length);
        free(bytes);
    }
    sl_image_release(&image);
}

/* Grey images of several sizes with colour images among the last, and four broken ones. */
static void make_mixture(const char *folder)
{
    assert_ok(sl_folder_create(test_path(folder), &err), err);
    for (size_t i = 0; i < IMAGES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%02zu.png", folder, i);
        if (i == 0 || i == 7 || i == 31 || i == 32)
            test_write(test_path(name), "rubbish", i % 7);
        else
            write_photo(folder, i, SIDE + i % 5, i >= FIRST_COLOUR && i % 2 ? 3 : 1);
    }
}

static struct sl_dataset *open_folder(const char *name)
{
    struct sl_dataset *set = NULL;
    assert_ok(sl_reader_folder.open(test_path(name), NULL, &set, &err), err);
    return set;
}

static void assert_same_sets(const struct sl_dataset *a, const struct sl_dataset *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->channels, b->channels);
    assert_memory_equal(a->pixels, b->pixels, a->count * a->height * a->width * a->channels);
    for (size_t i = 0; i < a->count; i++)
        assert_string_equal(a->items[i], b->items[i]);
    assert_int_equal(a->n_notes, b->n_notes);
    for (size_t i = 0; i < a->n_notes; i++)
        assert_string_equal(a->notes[i].text, b->notes[i].text);
}

/* Load the mixture with every pool and compare with what one thread loads. */
static void check_mixture(size_t channels)
{
    struct sl_load_options options = {
        .height = SIDE, .width = SIDE, .channels = channels, .skip_broken = true};
    struct sl_dataset *alone = open_folder("mixture");
    struct sl_skipped skipped_alone = {0};
    assert_ok(sl_dataset_load_with(alone, &options, &skipped_alone, &err), err);
    assert_int_equal(alone->count, IMAGES - 4);
    assert_int_equal(skipped_alone.count, 4);
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_dataset *shared = open_folder("mixture");
        struct sl_skipped skipped = {0};
        options.pool = test_pool(i);
        assert_ok(sl_dataset_load_with(shared, &options, &skipped, &err), err);
        assert_same_sets(shared, alone);
        assert_int_equal(skipped.count, skipped_alone.count);
        assert_memory_equal(skipped.items, skipped_alone.items,
                            skipped.count * sizeof *skipped.items);
        sl_skipped_release(&skipped);
        sl_dataset_destroy(shared);
        sl_pool_destroy(options.pool);
        options.pool = NULL;
    }
    sl_skipped_release(&skipped_alone);
    sl_dataset_destroy(alone);
}

static void test_threads_load_the_same_images(void **state)
{
    (void)state;
    make_mixture("mixture");
    for (size_t channels = 0; channels <= 3; channels++)
        if (channels != 2) check_mixture(channels);
}

/* The images of a loaded set are those of its files, whoever was left out before them. */
static void test_images_close_up_in_their_order(void **state)
{
    (void)state;
    make_mixture("order");
    const struct sl_load_options options = {
        .height = SIDE, .width = SIDE, .channels = 3, .skip_broken = true, .pool = test_pool(2)};
    struct sl_dataset *set = open_folder("order");
    assert_ok(sl_dataset_load_with(set, &options, NULL, &err), err);
    const size_t bytes = (size_t)SIDE * SIDE * 3;
    for (size_t i = 0; i < set->count; i++) {
        struct sl_dataset *one = open_folder("order");
        size_t index = 0;
        while (strcmp(one->items[index], set->items[i]) != 0)
            index++;
        assert_ok(sl_dataset_select(one, &index, 1, &err), err);
        assert_ok(sl_dataset_load(one, SIDE, SIDE, 3, &err), err);
        assert_memory_equal(one->pixels, set->pixels + i * bytes, bytes);
        sl_dataset_destroy(one);
    }
    sl_dataset_destroy(set);
    sl_pool_destroy(options.pool);
}

/* Load with every pool; each must end with the error of the first image that has one. */
static void check_error(const char *folder, size_t side, const char *part)
{
    for (size_t i = 0; i <= N_POOLS; i++) {
        const struct sl_load_options options = {
            .height = side, .width = side, .pool = i < N_POOLS ? test_pool(i) : NULL};
        struct sl_dataset *set = open_folder(folder);
        assert_fails(sl_dataset_load_with(set, &options, NULL, &err), SL_ERR_INPUT, err, part);
        assert_null(set->pixels);
        sl_dataset_destroy(set);
        sl_pool_destroy(options.pool);
    }
}

static void test_the_first_of_two_broken_images_is_named(void **state)
{
    (void)state;
    assert_ok(sl_folder_create(test_path("broken"), &err), err);
    for (size_t i = 0; i < IMAGES; i++)
        write_photo("broken", i, SIDE, 3);
    test_write(test_path("broken/17.png"), "rubbish", 7);
    test_write(test_path("broken/38.png"), "x", 1);
    check_error("broken", 0, "broken/17.png: neither PNG nor JPEG");
}

static void test_the_first_of_two_sizes_is_named(void **state)
{
    (void)state;
    assert_ok(sl_folder_create(test_path("sizes"), &err), err);
    for (size_t i = 0; i < IMAGES; i++)
        write_photo("sizes", i, i == 19 || i == 37 ? SIDE + 1 : SIDE, i == 30 ? 3 : 1);
    check_error("sizes", 0, "sizes/19.png is 14 x 13; give one --size for all");
}

/* A colour image makes the images after it wait for wider places. With three threads the error of
 * image 27 comes before that, and the one of image 5, which follows large images, after it. */
static void test_the_first_error_is_named_if_images_wait_for_colour(void **state)
{
    (void)state;
    assert_ok(sl_folder_create(test_path("late"), &err), err);
    for (size_t i = 0; i < IMAGES; i++)
        write_photo("late", i, i < 4 ? 400 : i == 14 ? 100 : SIDE, i == 14 ? 3 : 1);
    test_write(test_path("late/05.png"), "rubbish", 7);
    test_write(test_path("late/27.jpg"), "rubbish", 7);
    check_error("late", SIDE, "late/05.png: neither PNG nor JPEG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_load_the_same_images),
        cmocka_unit_test(test_images_close_up_in_their_order),
        cmocka_unit_test(test_the_first_of_two_broken_images_is_named),
        cmocka_unit_test(test_the_first_of_two_sizes_is_named),
        cmocka_unit_test(test_the_first_error_is_named_if_images_wait_for_colour),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
