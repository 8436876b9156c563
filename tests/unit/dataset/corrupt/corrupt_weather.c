#include "corrupt_scene.h"

enum { SIDE = 32, PIXELS = SIDE * SIDE, BYTES = PIXELS * 3 };

static void test_snow_whitens_and_never_darkens(void **state)
{
    (void)state;
    struct sl_image image = test_photo(SIDE, SIDE, 3, 0), black = test_plain(SIDE, 3, 0);
    const double keep[] = {.95, .9, .9, .85, .8};
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("snow", severity, 1, 0, &image);
        for (size_t i = 0; i < BYTES; i++)
            assert_true(out[i] + 1 >= image.pixels[i]);
        free(out);
        /* Black has (1 - keep) / 2 of white where no flake falls. */
        out = test_corrupt("snow", severity, 1, 0, &black);
        uint8_t least = 255;
        for (size_t i = 0; i < BYTES; i++)
            if (out[i] < least) least = out[i];
        assert_true(least >= (uint8_t)((1 - keep[severity - 1]) * .5 * 255 - 1e-9));
        if (severity == 1) assert_int_equal(least, 6);
        free(out);
    }
    sl_image_release(&image);
    sl_image_release(&black);
}

static void test_snow_falls_alike_from_both_sides(void **state)
{
    (void)state;
    struct sl_image image = test_plain(SIDE, 3, 40);
    uint8_t *out = test_corrupt("snow", 2, 1, 3, &image);
    size_t flakes = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        assert_int_equal(out[3 * i], out[3 * (PIXELS - 1 - i)]); /* with its half turn */
        flakes += out[3 * i] > 120;
    }
    assert_in_range(flakes, 1, PIXELS / 2);
    free(out);
    sl_image_release(&image);
}

/* On a plain white image fog runs from 1 / (1 + c) to 1. */
static void test_fog_spans_what_its_strength_says(void **state)
{
    (void)state;
    const double strength[] = {.2, .5, .75, 1, 1.5};
    struct sl_image image = test_plain(SIDE, 3, 255);
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("fog", severity, 1, 0, &image);
        uint8_t least = 255, most = 0;
        for (size_t i = 0; i < BYTES; i++) {
            if (out[i] < least) least = out[i];
            if (out[i] > most) most = out[i];
            assert_int_equal(out[i], out[i / 3 * 3]); /* grey as fog is */
        }
        assert_in_range(most, 254, 255);
        assert_near(least, 255 / (1 + strength[severity - 1]), 1);
        free(out);
    }
    sl_image_release(&image);
}

/* Slower decay makes rougher fog. */
static void test_fog_is_smooth_when_its_noise_decays_fast(void **state)
{
    (void)state;
    struct sl_image image = test_plain(SIDE, 1, 255);
    double rough[2] = {0};
    for (uint64_t item = 0; item < 10; item++) {
        for (int k = 0; k < 2; k++) {
            uint8_t *out = test_corrupt("fog", k ? 5 : 2, 1, item, &image);
            double range = 255 - 255 / (k ? 2.5 : 1.5);
            for (size_t i = 1; i < PIXELS; i++)
                rough[k] += i % SIDE ? abs(out[i] - out[i - 1]) / range : 0;
            free(out);
        }
    }
    /* By the published definition 208 and 291 on average over ten. */
    assert_near(rough[0], 208, 42);
    assert_near(rough[1], 291, 45);

    sl_image_release(&image);
}

static void test_frost_adds_its_share_of_ice(void **state)
{
    (void)state;
    const double shares[5][2] = {{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}};
    struct sl_image black = test_plain(SIDE, 3, 0), grey = test_plain(SIDE, 3, 100);
    for (int severity = 1; severity <= 5; severity++) {
        const double *share = shares[severity - 1];
        uint8_t *ice = test_corrupt("frost", severity, 1, 4, &black);
        uint8_t *iced = test_corrupt("frost", severity, 1, 4, &grey);
        for (size_t i = 0; i < BYTES; i++) {
            assert_true(ice[i] <= share[1] * 255 && ice[i] > share[1] * 15);
            assert_near(iced[i] - ice[i], 100 * share[0], 1);
        }
        free(ice);
        free(iced);
    }
    sl_image_release(&black);
    sl_image_release(&grey);
}

static void test_every_texture_of_ice_has_light_and_dark_and_a_cold_tint(void **state)
{
    (void)state;
    for (size_t texture = 0; texture < SL_FROST_TEXTURES; texture++) {
        double sum[3] = {0}, squares = 0;
        for (size_t i = 0; i < 96 * 96; i++) {
            double ice[3];
            const size_t row = i / 96;
            sl_frost_ice(texture, (double)row, (double)(i % 96), ice);
            for (size_t c = 0; c < 3; c++) {
                assert_true(ice[c] >= 0 && ice[c] <= 255);
                sum[c] += ice[c] / (96 * 96);
            }
            squares += ice[0] * ice[0] / (96 * 96);
        }
        assert_true(sum[2] > sum[0]);
        assert_in_range((size_t)sum[1], 70, 200);
        assert_true(sqrt(squares - sum[0] * sum[0]) > 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snow_whitens_and_never_darkens),
        cmocka_unit_test(test_snow_falls_alike_from_both_sides),
        cmocka_unit_test(test_fog_spans_what_its_strength_says),
        cmocka_unit_test(test_fog_is_smooth_when_its_noise_decays_fast),
        cmocka_unit_test(test_frost_adds_its_share_of_ice),
        cmocka_unit_test(test_every_texture_of_ice_has_light_and_dark_and_a_cold_tint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
