#include "support.h"

#include "softlab/dataset.h"

enum { SIDE = 8, AREA = SIDE * SIDE, DRAWS = 2000 };

/* Every pixel has its own value, so that where it went can be read off. */
static void fill(uint8_t *pixels)
{
    for (size_t i = 0; i < AREA; i++)
        pixels[i] = (uint8_t)(i + 1);
}

/* True if `out` shows the image moved by (down, right), zero where nothing came from. */
static bool is_shift(const uint8_t *image, const uint8_t *out, int down, int right)
{
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int from_y = y + down, from_x = x + right;
            bool inside = from_y >= 0 && from_y < SIDE && from_x >= 0 && from_x < SIDE;
            if (out[y * SIDE + x] != (inside ? image[from_y * SIDE + from_x] : 0)) return false;
        }
    }
    return true;
}

static void test_nothing_asked_for_changes_nothing(void **state)
{
    (void)state;
    uint8_t image[AREA], out[AREA];
    fill(image);
    const struct sl_augment augment = {.seed = 3};
    sl_augment_apply(&augment, 1, 2, &(struct sl_image){SIDE, SIDE, 1, image}, out);
    assert_memory_equal(out, image, AREA);
}

static void test_a_crop_is_a_shift_and_every_shift_comes_up(void **state)
{
    (void)state;
    uint8_t image[AREA], out[AREA];
    fill(image);
    const struct sl_augment augment = {.crop_padding = 2, .seed = 5};
    int seen[5][5] = {{0}};
    for (uint64_t item = 0; item < DRAWS; item++) {
        sl_augment_apply(&augment, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, out);
        int found = 0;
        for (int place = 0; place < 25; place++) {
            if (!is_shift(image, out, place / 5 - 2, place % 5 - 2)) continue;
            seen[place / 5][place % 5]++;
            found++;
        }
        assert_int_equal(found, 1);
    }
    for (int place = 0; place < 25; place++) /* 80 expected, standard deviation 8.8 */
        assert_in_range(seen[place / 5][place % 5], 40, 120);
}

static void test_padding_beyond_the_image_leaves_zeros_at_worst(void **state)
{
    (void)state;
    uint8_t image[AREA], out[AREA];
    fill(image);
    const struct sl_augment augment = {.crop_padding = (size_t)3 * SIDE, .seed = 5};
    for (uint64_t item = 0; item < 200; item++) {
        sl_augment_apply(&augment, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, out);
        for (size_t i = 0; i < AREA; i++)
            assert_in_range(out[i], 0, AREA);
    }
}

static void test_half_of_the_images_are_mirrored_with_channels_in_order(void **state)
{
    (void)state;
    uint8_t image[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint8_t mirrored[] = {7, 8, 9, 4, 5, 6, 1, 2, 3};
    const struct sl_augment augment = {.flip = true, .seed = 7};
    int flips = 0;
    for (uint64_t item = 0; item < DRAWS; item++) {
        uint8_t out[9];
        sl_augment_apply(&augment, 0, item, &(struct sl_image){1, 3, 3, image}, out);
        bool flipped = memcmp(out, mirrored, 9) == 0;
        assert_true(flipped || memcmp(out, image, 9) == 0);
        flips += flipped;
    }
    assert_in_range(flips, 900, 1100);
}

/* How many columns (or rows) hold a pixel of the cut. */
static size_t cut_lines(const uint8_t *out, bool columns)
{
    size_t lines = 0;
    for (size_t i = 0; i < SIDE; i++) {
        bool cut = false;
        for (size_t j = 0; j < SIDE; j++)
            cut |= out[columns ? j * SIDE + i : i * SIDE + j] == 200;
        lines += cut;
    }
    return lines;
}

static void test_cutout_is_a_square_that_may_lie_partly_outside(void **state)
{
    (void)state;
    uint8_t image[AREA], out[AREA];
    fill(image);
    const struct sl_augment augment = {.cutout = 4, .fill = {200}, .seed = 9};
    size_t whole = 0, corners = 0;
    for (uint64_t item = 0; item < DRAWS; item++) {
        sl_augment_apply(&augment, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, out);
        const size_t width = cut_lines(out, true), height = cut_lines(out, false);
        size_t changed = 0;
        for (size_t i = 0; i < AREA; i++) {
            assert_true(out[i] == image[i] || out[i] == 200);
            changed += out[i] == 200;
        }
        assert_int_equal(changed, width * height);
        assert_in_range(width, 2, 4);
        assert_in_range(height, 2, 4);
        whole += changed == 16;
        corners += changed == 4;
    }
    /* Of 8 centres per axis 5 keep all four columns and one (the first) keeps two. */
    assert_in_range(whole, 700, 860); /* 25/64 of 2000 = 781 */
    assert_in_range(corners, 12, 55); /* 1/64 = 31 */
}

static void test_cutout_fills_each_channel_with_its_colour(void **state)
{
    (void)state;
    uint8_t image[3] = {1, 2, 3};
    uint8_t out[3];
    const struct sl_augment augment = {.cutout = 1, .fill = {10, 20, 30}};
    sl_augment_apply(&augment, 0, 0, &(struct sl_image){1, 1, 3, image}, out);
    assert_memory_equal(out, augment.fill, 3);
}

static void test_draws_belong_to_seed_epoch_and_item(void **state)
{
    (void)state;
    uint8_t image[AREA], first[AREA], again[AREA];
    fill(image);
    const struct sl_augment augment = {.crop_padding = 4, .flip = true, .cutout = 3, .seed = 1};
    struct sl_augment other = augment;
    other.seed = 2;
    int by_epoch = 0, by_item = 0, by_seed = 0;
    for (uint64_t item = 0; item < 50; item++) {
        sl_augment_apply(&augment, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, first);
        sl_augment_apply(&augment, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, again);
        assert_memory_equal(first, again, AREA);
        sl_augment_apply(&augment, 1, item, &(struct sl_image){SIDE, SIDE, 1, image}, again);
        by_epoch += memcmp(first, again, AREA) != 0;
        sl_augment_apply(&augment, 0, item + 50, &(struct sl_image){SIDE, SIDE, 1, image}, again);
        by_item += memcmp(first, again, AREA) != 0;
        sl_augment_apply(&other, 0, item, &(struct sl_image){SIDE, SIDE, 1, image}, again);
        by_seed += memcmp(first, again, AREA) != 0;
    }
    assert_in_range(by_epoch, 45, 50);
    assert_in_range(by_item, 45, 50);
    assert_in_range(by_seed, 45, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_asked_for_changes_nothing),
        cmocka_unit_test(test_a_crop_is_a_shift_and_every_shift_comes_up),
        cmocka_unit_test(test_padding_beyond_the_image_leaves_zeros_at_worst),
        cmocka_unit_test(test_half_of_the_images_are_mirrored_with_channels_in_order),
        cmocka_unit_test(test_cutout_is_a_square_that_may_lie_partly_outside),
        cmocka_unit_test(test_cutout_fills_each_channel_with_its_colour),
        cmocka_unit_test(test_draws_belong_to_seed_epoch_and_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
