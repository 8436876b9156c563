#include "corrupt_scene.h"
#include "pools.h"

static struct sl_error err;

static void test_the_table_holds_the_published_names_in_their_order(void **state)
{
    (void)state;
    const char *const published[SL_CORRUPTIONS] = {"gaussian_noise",
                                                   "shot_noise",
                                                   "impulse_noise",
                                                   "defocus_blur",
                                                   "glass_blur",
                                                   "motion_blur",
                                                   "zoom_blur",
                                                   "snow",
                                                   "frost",
                                                   "fog",
                                                   "brightness",
                                                   "contrast",
                                                   "elastic_transform",
                                                   "pixelate",
                                                   "jpeg_compression",
                                                   "speckle_noise",
                                                   "gaussian_blur",
                                                   "spatter",
                                                   "saturate"};
    for (size_t i = 0; i < SL_CORRUPTIONS; i++) {
        assert_string_equal(sl_corruptions[i].name, published[i]);
        assert_int_equal(sl_corruptions[i].extra, i >= 15);
        assert_ptr_equal(sl_corruption_find(published[i]), &sl_corruptions[i]);
    }
    assert_null(sl_corruptions[SL_CORRUPTIONS].name);
    assert_null(sl_corruption_find("fogg"));
}

/* Mean distance over a few images. */
static double distance(const char *name, int severity)
{
    double sum = 0;
    for (size_t which = 0; which < 4; which++) {
        struct sl_image image = test_photo(32, 32, 3, which);
        uint8_t *out = test_corrupt(name, severity, 1, which, &image);
        for (size_t i = 0; i < 32 * 32 * 3; i++)
            sum += abs(out[i] - image.pixels[i]) / (4.0 * 32 * 32 * 3);
        free(out);
        sl_image_release(&image);
    }
    return sum;
}

static void test_every_corruption_changes_the_image_and_not_beyond_telling(void **state)
{
    (void)state;
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        for (int severity = 1; severity <= SL_SEVERITIES; severity++) {
            const double apart = distance(c->name, severity);
            if (!(apart > .3 && apart < 90)) print_error("%s %d: %g\n", c->name, severity, apart);
            assert_true(apart > .3 && apart < 90);
        }
    }
}

static void test_distance_grows_with_severity_where_the_constants_say_so(void **state)
{
    (void)state;
    const char *const growing[] = {"gaussian_noise", "shot_noise",      "impulse_noise",
                                   "speckle_noise",  "defocus_blur",    "zoom_blur",
                                   "gaussian_blur",  "brightness",      "contrast",
                                   "pixelate",       "jpeg_compression"};
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++) {
        double last = 0;
        for (int severity = 1; severity <= SL_SEVERITIES; severity++) {
            const double apart = distance(growing[i], severity);
            if (!(apart > last)) print_error("%s %d: %g\n", growing[i], severity, apart);
            assert_true(apart > last);
            last = apart;
        }
    }
}

static void test_draws_belong_to_seed_severity_and_item(void **state)
{
    (void)state;
    struct sl_image image = test_photo(32, 32, 3, 0);
    const size_t bytes = 32 * 32 * 3;
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        uint8_t *first = test_corrupt(c->name, 3, 1, 7, &image);
        uint8_t *again = test_corrupt(c->name, 3, 1, 7, &image);
        uint8_t *seed = test_corrupt(c->name, 3, 2, 7, &image);
        uint8_t *item = test_corrupt(c->name, 3, 1, 8, &image);
        assert_memory_equal(first, again, bytes);
        assert_int_equal(memcmp(first, seed, bytes) != 0, c->random);
        assert_int_equal(memcmp(first, item, bytes) != 0, c->random);
        free(first);
        free(again);
        free(seed);
        free(item);
    }
    sl_image_release(&image);
}

/* Noise of equal images at two severities would be the same grain scaled, were they of one
 * stream: correlated, as independent grain is not. */
static void test_severities_have_streams_of_their_own(void **state)
{
    (void)state;
    struct sl_image image = test_plain(32, 3, 128);
    uint8_t *weak = test_corrupt("gaussian_noise", 1, 1, 0, &image);
    uint8_t *strong = test_corrupt("gaussian_noise", 5, 1, 0, &image);
    double product = 0, first = 0, second = 0;
    for (size_t i = 0; i < 32 * 32 * 3; i++) {
        const double a = weak[i] - 127.5, b = strong[i] - 127.5;
        product += a * b;
        first += a * a;
        second += b * b;
    }
    assert_near(product / sqrt(first * second), 0, .08); /* standard deviation .018 */
    free(weak);
    free(strong);
    sl_image_release(&image);
}

static void test_any_size_and_both_kinds_of_image_will_do(void **state)
{
    (void)state;
    const size_t sizes[][2] = {{1, 1}, {2, 3}, {1, 9}, {7, 5}, {33, 40}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t channels = 1; channels <= 3; channels += 2) {
            struct sl_image image = test_photo(sizes[s][0], sizes[s][1], channels, s);
            const size_t bytes = sizes[s][0] * sizes[s][1] * channels;
            uint8_t *out = sl_alloc(bytes + 1, 1);
            for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
                out[bytes] = 77;
                assert_ok(sl_corrupt(c, 1 + (int)(s % 5), 1, s, &image, out, &err), err);
                assert_int_equal(out[bytes], 77);
            }
            free(out);
            sl_image_release(&image);
        }
    }
}

static void test_black_and_white_stay_in_range(void **state)
{
    (void)state;
    struct sl_image black = test_plain(16, 3, 0), white = test_plain(16, 3, 255);
    const char *const never_darken_white[] = {"snow", "brightness", "jpeg_compression", "zoom_blur",
                                              "motion_blur"};
    for (size_t i = 0; i < sizeof never_darken_white / sizeof *never_darken_white; i++) {
        uint8_t *out = test_corrupt(never_darken_white[i], 5, 1, 0, &white);
        for (size_t k = 0; k < 16 * 16 * 3; k++)
            assert_in_range(out[k], 254, 255); /* rounded down at worst */
        free(out);
    }
    const char *const keep_black[] = {"shot_noise", "speckle_noise", "fog",
                                      "contrast",   "saturate",      "motion_blur"};
    for (size_t i = 0; i < sizeof keep_black / sizeof *keep_black; i++) {
        uint8_t *out = test_corrupt(keep_black[i], 5, 1, 0, &black);
        for (size_t k = 0; k < 16 * 16 * 3; k++)
            assert_int_equal(out[k], 0);
        free(out);
    }
    sl_image_release(&black);
    sl_image_release(&white);
}

static void test_a_grey_image_is_treated_as_its_colour_twin(void **state)
{
    (void)state;
    struct sl_image grey = test_photo(20, 24, 1, 2), twin = test_photo(20, 24, 3, 2);
    for (size_t i = 0; i < (size_t)20 * 24 * 3; i++)
        twin.pixels[i] = grey.pixels[i / 3];
    const char *const names[] = {
        "defocus_blur",     "zoom_blur", "brightness", "contrast",    "pixelate",
        "gaussian_blur",    "snow",      "fog",        "motion_blur", "glass_blur",
        "elastic_transform"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        uint8_t *one = test_corrupt(names[n], 4, 1, 5, &grey);
        uint8_t *three = test_corrupt(names[n], 4, 1, 5, &twin);
        for (size_t i = 0; i < (size_t)20 * 24 * 3; i++)
            assert_int_equal(three[i], one[i / 3]);
        free(one);
        free(three);
    }
    /* Saturation tints greys red: 100, 90, 90 becomes 93 again. */
    struct sl_image plain = test_plain(4, 1, 100);
    uint8_t *out = test_corrupt("saturate", 4, 1, 0, &plain);
    assert_in_range(out[5], 92, 93);
    free(out);
    sl_image_release(&plain);
    sl_image_release(&grey);
    sl_image_release(&twin);
}

static void test_a_set_is_severity_by_severity_and_item_by_item(void **state)
{
    (void)state;
    enum { COUNT = 3, BYTES = 12 * 10 * 3 };
    struct sl_dataset set = {.count = COUNT, .height = 12, .width = 10, .channels = 3};
    set.pixels = sl_alloc(COUNT, BYTES);
    for (size_t i = 0; i < COUNT; i++) {
        struct sl_image image = test_photo(12, 10, 3, i);
        memcpy(set.pixels + i * BYTES, image.pixels, BYTES);
        sl_image_release(&image);
    }
    struct sl_corrupt_options options = {.severities = {2, 5}, .n_severities = 2, .seed = 9};
    uint8_t *out = sl_alloc(2 * COUNT, BYTES);
    assert_ok(sl_corrupt_dataset(sl_corruption_find("snow"), &set, &options, out, &err), err);
    for (size_t row = 0; row < 2 * COUNT; row++) {
        const struct sl_image image = {12, 10, 3, set.pixels + row % COUNT * BYTES};
        uint8_t *one = test_corrupt("snow", row < COUNT ? 2 : 5, 9, row % COUNT, &image);
        assert_memory_equal(out + row * BYTES, one, BYTES);
        free(one);
    }
    options.severities[1] = 2;
    assert_fails(sl_corrupt_dataset(sl_corruptions, &set, &options, out, &err), SL_ERR_USAGE, err,
                 "ascending");
    options.n_severities = 0;
    assert_fails(sl_corrupt_dataset(sl_corruptions, &set, &options, out, &err), SL_ERR_USAGE, err,
                 "severities from 1 to 5");
    free(out);
    free(set.pixels);
    set.pixels = NULL;
    set.name = sl_string_copy("photos");
    assert_fails(sl_corrupt_dataset(sl_corruptions, &set, &options, NULL, &err), SL_ERR_INPUT, err,
                 "photos");
    free(set.name);
}

/* Every corruption, with one thread and with several. */
static void test_threads_make_the_same_images(void **state)
{
    (void)state;
    enum { COUNT = 11, SIDE = 16, BYTES = SIDE * SIDE * 3, CHOSEN = 5 };
    static uint8_t pixels[COUNT * BYTES], alone[2 * COUNT * BYTES], shared[2 * COUNT * BYTES];
    static const size_t chosen[CHOSEN] = {4, 0, 10, 10, 7};
    const struct sl_dataset set = {.name = (char[]){"photos"},
                                   .count = COUNT,
                                   .height = SIDE,
                                   .width = SIDE,
                                   .channels = 3,
                                   .pixels = pixels};
    for (size_t i = 0; i < COUNT; i++) {
        struct sl_image image = test_photo(SIDE, SIDE, 3, i);
        memcpy(pixels + i * BYTES, image.pixels, BYTES);
        sl_image_release(&image);
    }
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_corrupt_options options = {.severities = {2, 5}, .n_severities = 2, .seed = 3};
        struct sl_pool *pool = test_pool(i);
        for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
            options.pool = NULL;
            assert_ok(sl_corrupt_dataset(c, &set, &options, alone, &err), err);
            options.pool = pool;
            assert_ok(sl_corrupt_dataset(c, &set, &options, shared, &err), err);
            assert_memory_equal(alone, shared, sizeof alone);
            assert_ok(sl_corrupt_items(c, &set, chosen, CHOSEN, &options, shared, &err), err);
            for (size_t row = 0; row < 2 * (size_t)CHOSEN; row++) {
                const size_t place = row / CHOSEN * COUNT + chosen[row % CHOSEN];
                assert_memory_equal(shared + row * BYTES, alone + place * BYTES, BYTES);
            }
        }
        sl_pool_destroy(pool);
    }
}

static void test_what_cannot_be_corrupted_is_refused(void **state)
{
    (void)state;
    struct sl_image image = test_plain(4, 3, 9);
    uint8_t out[48];
    const struct sl_corruption *fog = sl_corruption_find("fog");
    assert_fails(sl_corrupt(fog, 0, 1, 0, &image, out, &err), SL_ERR_USAGE, err, "severity is 0");
    assert_fails(sl_corrupt(fog, 6, 1, 0, &image, out, &err), SL_ERR_USAGE, err, "severity is 6");
    image.height = 0;
    assert_fails(sl_corrupt(fog, 1, 1, 0, &image, out, &err), SL_ERR_USAGE, err, "4x0x3");
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_holds_the_published_names_in_their_order),
        cmocka_unit_test(test_every_corruption_changes_the_image_and_not_beyond_telling),
        cmocka_unit_test(test_distance_grows_with_severity_where_the_constants_say_so),
        cmocka_unit_test(test_draws_belong_to_seed_severity_and_item),
        cmocka_unit_test(test_severities_have_streams_of_their_own),
        cmocka_unit_test(test_any_size_and_both_kinds_of_image_will_do),
        cmocka_unit_test(test_black_and_white_stay_in_range),
        cmocka_unit_test(test_a_grey_image_is_treated_as_its_colour_twin),
        cmocka_unit_test(test_a_set_is_severity_by_severity_and_item_by_item),
        cmocka_unit_test(test_threads_make_the_same_images),
        cmocka_unit_test(test_what_cannot_be_corrupted_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
