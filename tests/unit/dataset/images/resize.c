#include "support.h"

#include "softlab/dataset/image.h"

static struct sl_image new_image(size_t height, size_t width, size_t channels)
{
    struct sl_error err;
    struct sl_image image;
    assert_ok(sl_image_create(height, width, channels, &image, &err), err);
    return image;
}

static struct sl_image resized(struct sl_image *image, size_t height, size_t width)
{
    struct sl_error err;
    struct sl_image out;
    assert_ok(sl_image_resize(image, height, width, &out, &err), err);
    assert_int_equal(out.height, height);
    assert_int_equal(out.width, width);
    assert_int_equal(out.channels, image->channels);
    return out;
}

static void test_one_colour_stays_that_colour_at_every_size(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{1, 1}, {3, 50}, {20, 20}, {7, 5}, {161, 43}};
    struct sl_image image = new_image(9, 14, 3);
    for (size_t i = 0; i < (size_t)9 * 14 * 3; i++)
        image.pixels[i] = (uint8_t)(i % 3 == 0 ? 255 : i % 3 == 1 ? 0 : 77);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct sl_image out = resized(&image, sizes[s][0], sizes[s][1]);
        for (size_t i = 0; i < out.height * out.width * 3; i++)
            assert_int_equal(out.pixels[i], image.pixels[i % 3]);
        sl_image_release(&out);
    }
    sl_image_release(&image);
}

static void test_the_same_size_is_the_same_image(void **state)
{
    (void)state;
    struct sl_image image = new_image(11, 6, 3);
    for (size_t i = 0; i < (size_t)11 * 6 * 3; i++)
        image.pixels[i] = (uint8_t)(i * 97);
    struct sl_image out = resized(&image, 11, 6);
    assert_memory_equal(out.pixels, image.pixels, (size_t)11 * 6 * 3);
    sl_image_release(&out);
    sl_image_release(&image);
}

/* Doubling 0 200: output centres lie at .25, .75, 1.25, 1.75 and the inputs at .5 and 1.5.
 * With L(x) = sinc(x) sinc(x/3): L(.25) = .890067, L(1.25) = -.132871, L(.75) = .270190,
 * so the left pixel weighs L(.25) / (L(.25) + L(1.25)) = 1.175478 at the first place and
 * L(.25) / (L(.25) + L(.75)) = .767131 at the second. */
static void test_a_step_of_two_pixels_is_doubled_as_worked_by_hand(void **state)
{
    (void)state;
    struct sl_image image = new_image(1, 2, 1);
    image.pixels[0] = 0;
    image.pixels[1] = 200;
    struct sl_image out = resized(&image, 1, 4);
    assert_int_equal(out.pixels[0], 0); /* 200 * -.175 */
    assert_int_equal(out.pixels[1], 47);
    assert_int_equal(out.pixels[2], 153);
    assert_int_equal(out.pixels[3], 235);
    sl_image_release(&out);
    sl_image_release(&image);
}

/* Half of the size: the window widens to six input pixels on either side, so a single
 * bright pixel is spread instead of skipped or kept. It lies 1/4 and 3/4 of an output pixel
 * from the nearest two centres: 255 L(.25) / 2 = 113.5 and 255 L(.75) / 2 = 34.4, before the
 * weights of a window are made to sum to 1. */
static void test_shrinking_looks_at_all_pixels(void **state)
{
    (void)state;
    struct sl_image image = new_image(1, 16, 1);
    image.pixels[6] = 255;
    struct sl_image out = resized(&image, 1, 8);
    const uint8_t expected[8] = {1, 0, 35, 114, 0, 4, 0, 0};
    assert_memory_equal(out.pixels, expected, 8);
    sl_image_release(&out);
    sl_image_release(&image);
}

static void test_rows_and_columns_are_treated_alike(void **state)
{
    (void)state;
    struct sl_image image = new_image(5, 8, 1), turned = new_image(8, 5, 1);
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 8; x++)
            image.pixels[y * 8 + x] = turned.pixels[x * 5 + y] = x < 3 ? 20 : 90;
    struct sl_image out = resized(&image, 5, 19), back = resized(&turned, 19, 5);
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 19; x++)
            assert_int_equal(out.pixels[y * 19 + x], back.pixels[x * 5 + y]);
    sl_image_release(&out);
    sl_image_release(&back);
    sl_image_release(&image);
    sl_image_release(&turned);
}

static void test_a_size_of_nothing_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_image image = new_image(4, 4, 1), out = {.height = 7};
    assert_fails(sl_image_resize(&image, 0, 4, &out, &err), SL_ERR_USAGE, err, "to 4x0");
    assert_int_equal(out.height, 7);
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_colour_stays_that_colour_at_every_size),
        cmocka_unit_test(test_the_same_size_is_the_same_image),
        cmocka_unit_test(test_a_step_of_two_pixels_is_doubled_as_worked_by_hand),
        cmocka_unit_test(test_shrinking_looks_at_all_pixels),
        cmocka_unit_test(test_rows_and_columns_are_treated_alike),
        cmocka_unit_test(test_a_size_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
