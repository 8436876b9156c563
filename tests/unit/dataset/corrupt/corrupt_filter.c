#include "corrupt_scene.h"

static struct sl_error err;

static void test_borders_continue_the_line(void **state)
{
    (void)state;
    const size_t nearest[] = {0, 0, 0, 0, 1, 2, 3, 3, 3, 3};
    const size_t reflect[] = {2, 1, 0, 0, 1, 2, 3, 3, 2, 1};
    const size_t reflect_101[] = {3, 2, 1, 0, 1, 2, 3, 2, 1, 0};
    for (size_t i = 0; i < 10; i++) {
        const ptrdiff_t at = (ptrdiff_t)i - 3;
        assert_int_equal(sl_border_place(SL_BORDER_NEAREST, at, 4), nearest[i]);
        assert_int_equal(sl_border_place(SL_BORDER_REFLECT, at, 4), reflect[i]);
        assert_int_equal(sl_border_place(SL_BORDER_REFLECT_101, at, 4), reflect_101[i]);
    }
    /* More than once around. */
    assert_int_equal(sl_border_place(SL_BORDER_REFLECT, -9, 4), 0);
    assert_int_equal(sl_border_place(SL_BORDER_REFLECT_101, 13, 4), 1);
    for (int border = SL_BORDER_NEAREST; border <= SL_BORDER_REFLECT_101; border++)
        for (ptrdiff_t at = -3; at < 4; at++)
            assert_int_equal(sl_border_place((enum sl_border)border, at, 1), 0);
}

static void test_bytes_are_clipped_and_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(sl_corrupt_byte(-1), 0);
    assert_int_equal(sl_corrupt_byte((double)NAN), 0);
    assert_int_equal(sl_corrupt_byte(.9999 / 255), 0);
    assert_int_equal(sl_corrupt_byte(1.0001 / 255), 1);
    assert_int_equal(sl_corrupt_byte(.99999), 254);
    assert_int_equal(sl_corrupt_byte(1), 255);
    assert_int_equal(sl_corrupt_byte((double)INFINITY), 255);
    for (int value = 0; value < 256; value++) /* there and back without loss */
        assert_int_equal(sl_corrupt_byte(value / 255.0), value);
}

static void test_smoothing_spreads_a_point_as_a_gaussian(void **state)
{
    (void)state;
    double values[11] = {0};
    values[5] = 1;
    const struct sl_extent line = {1, 11, 1}, column = {11, 1, 1};
    assert_ok(sl_corrupt_smooth(values, line, 1, 4, SL_BORDER_NEAREST, &err), err);
    /* 1 / (1 + 2 (e^-.5 + e^-2 + e^-4.5 + e^-8)) */
    assert_near(values[5], .3989435, 1e-6);
    assert_near(values[6], .3989435 * exp(-.5), 1e-6);
    assert_near(values[1], .3989435 * exp(-8), 1e-8);
    assert_near(values[0], 0, 0); /* beyond four standard deviations */
    double turned[11] = {0};
    turned[5] = 1;
    assert_ok(sl_corrupt_smooth(turned, column, 1, 4, SL_BORDER_NEAREST, &err), err);
    for (size_t i = 0; i < 11; i++)
        assert_near(turned[i], values[i], 1e-15);
}

static void test_smoothing_keeps_channels_apart_and_borders_in_mind(void **state)
{
    (void)state;
    double values[6] = {1, 0, 0, 0, 0, .5}; /* two pixels of three channels */
    const struct sl_extent extent = {1, 2, 3};
    assert_ok(sl_corrupt_smooth(values, extent, .4, 4, SL_BORDER_REFLECT, &err), err);
    assert_near(values[1], 0, 0);
    assert_near(values[4], 0, 0);
    assert_near(values[0] + values[3], 1, 1e-12); /* reflection loses nothing */
    assert_near(values[2] + values[5], .5, 1e-12);
    double still[2] = {.25, .75};
    assert_ok(
        sl_corrupt_smooth(still, (struct sl_extent){1, 2, 1}, .05, 4, SL_BORDER_NEAREST, &err),
        err);
    assert_near(still[0], .25, 0); /* too narrow to reach a neighbour */
}

static void test_a_streak_trails_along_its_angle(void **state)
{
    (void)state;
    const uint8_t in[5] = {0, 0, 100, 0, 0};
    const uint8_t trailing[5] = {8, 35, 57, 0, 0}; /* 7.77, 34.82, 57.41: weights 1, e^-.5, e^-2 */
    uint8_t out[5];
    const struct sl_streak right = {1, 1, 0}, down = {1, 1, 90}, left = {1, 1, 180};
    assert_ok(sl_corrupt_streak(in, (struct sl_extent){1, 5, 1}, &right, out, &err), err);
    assert_memory_equal(out, trailing, 5);
    assert_ok(sl_corrupt_streak(in, (struct sl_extent){5, 1, 1}, &down, out, &err), err);
    assert_memory_equal(out, trailing, 5);
    assert_ok(sl_corrupt_streak(in, (struct sl_extent){1, 5, 1}, &left, out, &err), err);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(out[i], trailing[4 - i]);
}

static void test_a_streak_repeats_the_last_pixel_beyond_the_border(void **state)
{
    (void)state;
    const uint8_t in[6] = {10, 20, 30, 200, 100, 50}; /* two pixels of three channels */
    uint8_t out[6];
    const struct sl_streak far = {9, 50, 0};
    assert_ok(sl_corrupt_streak(in, (struct sl_extent){1, 2, 3}, &far, out, &err), err);
    assert_memory_equal(out + 3, in + 3, 3);
    const struct sl_streak back = {9, 50, 180};
    assert_ok(sl_corrupt_streak(in, (struct sl_extent){1, 2, 3}, &back, out, &err), err);
    assert_memory_equal(out, in, 3);
}

static void test_a_zoom_shows_the_middle_and_adds_it(void **state)
{
    (void)state;
    const double in[4] = {9, 3, 6, 9};
    double sum[4] = {1, 1, 1, 1};
    const struct sl_extent line = {1, 4, 1};
    assert_ok(sl_corrupt_add_zoomed(in, line, 1, sum, &err), err);
    for (size_t i = 0; i < 4; i++)
        assert_near(sum[i], 1 + in[i], 1e-12);
    const double zoomed[4] = {3, 4, 5, 6}; /* the middle two, stretched over four */
    memset(sum, 0, sizeof sum);
    assert_ok(sl_corrupt_add_zoomed(in, line, 2, sum, &err), err);
    for (size_t i = 0; i < 4; i++)
        assert_near(sum[i], zoomed[i], 1e-12);
    memset(sum, 0, sizeof sum);
    assert_ok(sl_corrupt_add_zoomed(in, (struct sl_extent){4, 1, 1}, 2, sum, &err), err);
    for (size_t i = 0; i < 4; i++)
        assert_near(sum[i], zoomed[i], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders_continue_the_line),
        cmocka_unit_test(test_bytes_are_clipped_and_rounded_down),
        cmocka_unit_test(test_smoothing_spreads_a_point_as_a_gaussian),
        cmocka_unit_test(test_smoothing_keeps_channels_apart_and_borders_in_mind),
        cmocka_unit_test(test_a_streak_trails_along_its_angle),
        cmocka_unit_test(test_a_streak_repeats_the_last_pixel_beyond_the_border),
        cmocka_unit_test(test_a_zoom_shows_the_middle_and_adds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
