#include "corrupt_scene.h"

#include "dataset/images/codec.h"
#include "dataset/images/resample.h"

static struct sl_error err;

/* Severity 4 keeps three of four pixels: the middle two become one, and that one two. */
static void test_pixels_are_joined_and_doubled(void **state)
{
    (void)state;
    uint8_t pixels[16];
    const uint8_t row[4] = {10, 20, 40, 90}, joined[4] = {10, 30, 30, 90};
    for (size_t i = 0; i < 16; i++)
        pixels[i] = row[i % 4];
    const struct sl_image image = {4, 4, 1, pixels};
    uint8_t *out = test_corrupt("pixelate", 4, 1, 0, &image);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(out[i], joined[i % 4]);
    free(out);
}

static void test_a_box_is_the_mean_of_what_it_covers(void **state)
{
    (void)state;
    uint8_t pixels[4] = {10, 20, 30, 61};
    struct sl_image out;
    const struct sl_image image = {2, 2, 1, pixels};
    assert_ok(sl_image_resample(&image, SL_RESAMPLE_BOX, 1, 1, &out, &err), err);
    assert_int_equal(out.pixels[0], 31); /* 15 and 46 (45.5), then 30.5 up */
    sl_image_release(&out);
    assert_ok(sl_image_resample(&image, SL_RESAMPLE_BOX, 4, 4, &out, &err), err);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(out.pixels[i], pixels[i / 8 * 2 + i % 4 / 2]);
    sl_image_release(&out);
}

static void test_jpeg_loses_colour_detail_before_brightness(void **state)
{
    (void)state;
    /* Stripes one pixel wide: of brightness they survive, of colour 4:2:0 takes the half. */
    struct sl_image bright = test_plain(16, 3, 0), colour = test_plain(16, 3, 0);
    for (size_t i = 0; i < 256; i++) {
        const uint8_t on = i % 2 ? 160 : 96;
        memset(bright.pixels + 3 * i, on, 3);
        colour.pixels[3 * i] = on;
        colour.pixels[3 * i + 1] = 128;
        colour.pixels[3 * i + 2] = (uint8_t)(255 - on);
    }
    uint8_t *one = test_corrupt("jpeg_compression", 1, 1, 0, &bright);
    uint8_t *two = test_corrupt("jpeg_compression", 1, 1, 0, &colour);
    double kept = 0, lost = 0;
    for (size_t i = 0; i < 256; i += 2) {
        kept += (one[3 * (i + 1)] - one[3 * i]) / 128.0;
        lost += (two[3 * (i + 1)] - two[3 * i]) / 128.0;
    }
    assert_near(kept, 64, 10);
    assert_true(lost < 32);
    free(one);
    free(two);
    sl_image_release(&bright);
    sl_image_release(&colour);
}

static void test_jpeg_in_memory_shrinks_with_its_quality(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        struct sl_image image = test_photo(32, 32, channels, 3), decoded;
        size_t last = SIZE_MAX;
        for (int quality = 95; quality >= 5; quality -= 30) {
            unsigned char *bytes = NULL;
            size_t length = 0;
            assert_ok(sl_jpeg_encode(&image, quality, &bytes, &length, &err), err);
            assert_true(length < last);
            last = length;
            assert_ok(sl_jpeg_decode(bytes, length, "made", &decoded, &err), err);
            assert_int_equal(decoded.channels, channels);
            sl_image_release(&decoded);
            free(bytes);
        }
        sl_image_release(&image);
    }
    unsigned char *bytes = NULL;
    size_t length = 0;
    const struct sl_image huge = {1, 70000, 1, (uint8_t[]){0}};
    assert_fails(sl_jpeg_encode(&huge, 50, &bytes, &length, &err), SL_ERR_BACKEND, err,
                 "cannot write JPEG");
    assert_null(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels_are_joined_and_doubled),
        cmocka_unit_test(test_a_box_is_the_mean_of_what_it_covers),
        cmocka_unit_test(test_jpeg_loses_colour_detail_before_brightness),
        cmocka_unit_test(test_jpeg_in_memory_shrinks_with_its_quality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
