#include "plot/plot_internal.h"

#include <float.h>

#include "support.h"

static struct sl_plot_range between(double low, double high, enum sl_plot_scale scale)
{
    struct sl_plot_axis axis = {.low = low, .high = high, .scale = scale};
    struct sl_plot_range range;
    sl_plot_range_empty(&range);
    sl_plot_range_settle(&range, &axis, false);
    range.from = 100;
    range.to = 500;
    return range;
}

static struct sl_plot_range of_values(const double *values, size_t count, bool zero,
                                      enum sl_plot_scale scale)
{
    struct sl_plot_axis axis = {.scale = scale};
    struct sl_plot_range range;
    sl_plot_range_empty(&range);
    for (size_t i = 0; i < count; i++)
        sl_plot_range_widen(&range, values[i]);
    sl_plot_range_settle(&range, &axis, zero);
    range.from = 0;
    range.to = 1;
    return range;
}

/* The ticks' texts, joined by spaces. */
static const char *ticks(double low, double high, size_t target, enum sl_plot_scale scale)
{
    static char joined[2048];
    struct sl_plot_axis axis = {.scale = scale};
    struct sl_plot_range range = between(low, high, scale);
    struct sl_plot_ticks found;
    sl_plot_ticks_find(&range, &axis, target, &found);
    joined[0] = '\0';
    for (size_t i = 0; i < found.count; i++) {
        size_t length = strlen(joined);
        snprintf(joined + length, sizeof joined - length, "%s%s", i ? " " : "", found.texts[i]);
    }
    return joined;
}

static void test_a_value_at_the_end_of_an_axis_is_at_its_last_pixel(void **state)
{
    (void)state;
    struct sl_plot_range range = between(-2, 6, SL_SCALE_LINEAR);
    assert_near(sl_plot_range_at(&range, -2), 100, 1e-9);
    assert_near(sl_plot_range_at(&range, 6), 500, 1e-9);
    assert_near(sl_plot_range_at(&range, 0), 200, 1e-9);
    range = between(1, 1000, SL_SCALE_LOG);
    assert_near(sl_plot_range_at(&range, 1), 100, 1e-9);
    assert_near(sl_plot_range_at(&range, 1000), 500, 1e-9);
    assert_near(sl_plot_range_at(&range, 10), 100 + 400 / 3.0, 1e-9);
    assert_true(sl_plot_range_holds(&range, 1000));
    assert_false(sl_plot_range_holds(&range, 1001));
    assert_false(sl_plot_range_holds(&range, (double)NAN));
}

static void test_ticks_are_round_numbers_of_one_form(void **state)
{
    (void)state;
    assert_string_equal(ticks(0, 1, 5, SL_SCALE_LINEAR), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_string_equal(ticks(0, 100, 4, SL_SCALE_LINEAR), "0 20 40 60 80 100");
    assert_string_equal(ticks(-0.3, 0.3, 4, SL_SCALE_LINEAR), "−0.2 0.0 0.2");
    assert_string_equal(ticks(0.31, 0.42, 5, SL_SCALE_LINEAR), "0.32 0.34 0.36 0.38 0.40 0.42");
    assert_string_equal(ticks(0, 9000, 4, SL_SCALE_LINEAR), "0 2,000 4,000 6,000 8,000");
    assert_string_equal(ticks(1.2e9, 2e9, 3, SL_SCALE_LINEAR),
                        "1.2×10⁹ 1.4×10⁹ 1.6×10⁹ 1.8×10⁹ 2.0×10⁹");
    assert_string_equal(ticks(0, 4e-9, 3, SL_SCALE_LINEAR), "0 10⁻⁹ 2×10⁻⁹ 3×10⁻⁹ 4×10⁻⁹");
}

static void test_ticks_of_a_log_axis_are_decades_or_parts_of_them(void **state)
{
    (void)state;
    assert_string_equal(ticks(1, 51, 8, SL_SCALE_LOG), "1 2 5 10 20 50");
    assert_string_equal(ticks(1, 1e6, 8, SL_SCALE_LOG), "1 10 100 1,000 10,000 100,000 1,000,000");
    assert_string_equal(ticks(0.01, 100, 9, SL_SCALE_LOG), "0.01 0.03 0.1 0.3 1 3 10 30 100");
    assert_string_equal(ticks(2.1, 2.6, 5, SL_SCALE_LOG), "2.1 2.2 2.3 2.4 2.5 2.6");
    assert_string_equal(ticks(14, 80, 5, SL_SCALE_LOG), "20 30 40 50 60 70 80");
    assert_string_equal(ticks(1e-300, 1e300, 4, SL_SCALE_LOG), "10⁻²⁰⁰ 1 10²⁰⁰");
}

/* 1-2-5 steps, few enough, whatever the range. */
static void test_every_range_has_a_few_ticks_within_it(void **state)
{
    (void)state;
    static const double lows[] = {0, -1, 1e-9, -1e300, 5, 1e15, -DBL_MAX, 0.999999, -7e-12};
    static const double spans[] = {1e-6, 0.7, 3, 1e6, 1e300, 17, 1.3e308};
    for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
        for (size_t j = 0; j < sizeof spans / sizeof *spans; j++) {
            double high = fmin(DBL_MAX, lows[i] + spans[j]);
            if (!(high > lows[i]) || spans[j] < fabs(lows[i]) * 1e-12) continue;
            struct sl_plot_axis axis = {0};
            struct sl_plot_range range = between(lows[i], high, SL_SCALE_LINEAR);
            struct sl_plot_ticks found;
            sl_plot_ticks_find(&range, &axis, 5, &found);
            assert_in_range(found.count, 2, 9);
            for (size_t t = 0; t < found.count; t++) {
                assert_true(sl_plot_range_holds(&range, found.values[t]));
                if (t > 0) assert_true(found.values[t] > found.values[t - 1]);
                if (t > 0) assert_string_not_equal(found.texts[t], found.texts[t - 1]);
            }
        }
}

static void test_counts_have_no_ticks_between_them(void **state)
{
    (void)state;
    struct sl_plot_axis axis = {0};
    struct sl_plot_range range = between(0.9, 3.1, SL_SCALE_LINEAR);
    struct sl_plot_ticks found;
    range.whole = true;
    sl_plot_ticks_find(&range, &axis, 6, &found);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.texts[0], "1");
}

static void test_ticks_side_by_side_never_touch(void **state)
{
    (void)state;
    static const double highs[] = {1, 99999, 1e6, 5e-7, 1e12};
    for (size_t i = 0; i < sizeof highs / sizeof *highs; i++)
        for (double width = 40; width < 900; width += 37) {
            struct sl_plot_axis axis = {0};
            struct sl_plot_range range = between(0, highs[i], SL_SCALE_LINEAR);
            range.from = 0;
            range.to = width;
            struct sl_plot_ticks found;
            sl_plot_ticks_find_across(&range, &axis, width, &found);
            for (size_t t = 1; t < found.count; t++) {
                double room = sl_plot_range_at(&range, found.values[t]) -
                              sl_plot_range_at(&range, found.values[t - 1]);
                assert_true(room > sl_plot_text_width(found.texts[t], SL_SIZE_TEXT) / 2 +
                                       sl_plot_text_width(found.texts[t - 1], SL_SIZE_TEXT) / 2);
            }
        }
}

static void test_a_per_cent_axis_says_so_at_every_tick(void **state)
{
    (void)state;
    struct sl_plot_axis axis = {.unit = "%"};
    struct sl_plot_range range = between(0, 100, SL_SCALE_LINEAR);
    struct sl_plot_ticks found;
    sl_plot_ticks_find(&range, &axis, 2, &found);
    assert_string_equal(found.texts[1], "50%");
}

static void test_ranges_from_values_hold_them_with_room_that_stops_at_zero(void **state)
{
    (void)state;
    const double some[] = {0.02, 1}, far[] = {80, 90}, negative[] = {-4, -1}, both[] = {-4, 10};
    struct sl_plot_range range = of_values(some, 2, false, SL_SCALE_LINEAR);
    assert_true(range.low == 0 && range.high > 1 && range.high < 1.1);
    range = of_values(far, 2, false, SL_SCALE_LINEAR);
    assert_true(range.low < 80 && range.low > 79);
    range = of_values(far, 2, true, SL_SCALE_LINEAR);
    assert_true(range.low == 0);
    range = of_values(negative, 2, true, SL_SCALE_LINEAR);
    assert_true(range.low < -4 && range.high == 0);
    range = of_values(both, 2, true, SL_SCALE_LINEAR);
    assert_true(range.low < -4 && range.high > 10);
}

static void test_one_value_has_its_place_in_the_middle(void **state)
{
    (void)state;
    static const double values[] = {0, 5, -3, 1e300, -1e-300, DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct sl_plot_range range = of_values(&values[i], 1, false, SL_SCALE_LINEAR);
        assert_true(isfinite(range.low) && isfinite(range.high) && range.low < range.high);
        double at = sl_plot_range_at(&range, values[i]);
        assert_true(at >= 0 && at <= 1);
        if (fabs(values[i]) < 1e300 && fabs(values[i]) > 1e-200) assert_near(at, 0.5, 0.05);
    }
    const double positive[] = {7, DBL_MAX, DBL_TRUE_MIN, 1e-5};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
        struct sl_plot_range range = of_values(&positive[i], 1, false, SL_SCALE_LOG);
        assert_true(range.low > 0 && isfinite(range.high) && range.low < range.high);
        assert_true(sl_plot_range_holds(&range, positive[i]));
    }
}

static void test_ranges_wider_than_a_double_still_have_places(void **state)
{
    (void)state;
    const double values[] = {-DBL_MAX, DBL_MAX, 0};
    struct sl_plot_range range = of_values(values, 3, false, SL_SCALE_LINEAR);
    assert_near(sl_plot_range_at(&range, 0), 0.5, 1e-6);
    assert_near(sl_plot_range_at(&range, DBL_MAX), 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_value_at_the_end_of_an_axis_is_at_its_last_pixel),
        cmocka_unit_test(test_ticks_are_round_numbers_of_one_form),
        cmocka_unit_test(test_ticks_of_a_log_axis_are_decades_or_parts_of_them),
        cmocka_unit_test(test_every_range_has_a_few_ticks_within_it),
        cmocka_unit_test(test_counts_have_no_ticks_between_them),
        cmocka_unit_test(test_ticks_side_by_side_never_touch),
        cmocka_unit_test(test_a_per_cent_axis_says_so_at_every_tick),
        cmocka_unit_test(test_ranges_from_values_hold_them_with_room_that_stops_at_zero),
        cmocka_unit_test(test_one_value_has_its_place_in_the_middle),
        cmocka_unit_test(test_ranges_wider_than_a_double_still_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
