/* What each kind draws, and where. */
#include "plot_sample.h"

#include <float.h>

static const double near = 0.1; /* pixels */

struct area {
    double left, top, right, bottom;
};

/* The clip path is the area between the axes and six pixels more. */
static struct area find_area(const struct svg *svg)
{
    const struct svg_element *clip = svg_find(svg, "clipPath", NULL, 0) + 1;
    double x = svg_number(clip, "x"), y = svg_number(clip, "y");
    return (struct area){x + 6, y + 6, x + svg_number(clip, "width") - 6,
                         y + svg_number(clip, "height") - 6};
}

/* The tooltip of an element is its first child. */
static const char *tooltip(const struct svg_element *element)
{
    assert_int_equal(element[1].depth, element->depth + 1);
    return element[1].text;
}

static const char *desc(const struct svg *svg)
{
    return svg_find(svg, "desc", NULL, 0)->text;
}

/* The middle of a circle: path data begin at its left end. */
static void assert_circle(const struct svg_element *path, double x, double y)
{
    double left, middle;
    assert_non_null(path);
    assert_true(svg_pair(path, 0, &left, &middle));
    assert_true(fabs(left + 3.5 - x) <= near || fabs(left + 4 - x) <= near);
    assert_near(middle, y, near);
}

static struct sl_plot make(enum sl_plot_kind kind, const struct sl_plot_series *series, size_t n)
{
    return (struct sl_plot){.kind = kind, .id = "c", .title = "T", .series = series, .n_series = n};
}

static void test_points_at_the_ends_of_the_axes_are_at_the_edges(void **state)
{
    (void)state;
    static const double x[] = {-2, 3, 0.5}, y[] = {10, 20, 15};
    const struct sl_plot_series series = {.count = 3, .x = x, .y = y};
    struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    plot.x.low = -2, plot.x.high = 3;
    plot.y.low = 10, plot.y.high = 20;
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    assert_int_equal(svg_count(&svg, "path", "f"), 3);
    assert_circle(svg_find(&svg, "path", "f", 0), area.left, area.bottom);
    assert_circle(svg_find(&svg, "path", "f", 1), area.right, area.top);
    assert_circle(svg_find(&svg, "path", "f", 2), (area.left + area.right) / 2,
                  (area.top + area.bottom) / 2);
    /* The last tick's number stands below the edge. */
    assert_near(svg_number(svg_with_text(&svg, "text", "3"), "x"), area.right, near);
    assert_near(svg_number(svg_with_text(&svg, "text", "20"), "y"), area.top + 4, near);
    assert_string_equal(tooltip(svg_find(&svg, "path", "f", 2)), "0.5: 15");
    svg_release(&svg);
}

static void test_a_log_axis_places_decades_evenly(void **state)
{
    (void)state;
    static const double x[] = {1, 10, 100}, y[] = {1, 2, 3};
    const struct sl_plot_series series = {.count = 3, .x = x, .y = y};
    struct sl_plot plot = make(SL_PLOT_LINES, &series, 1);
    plot.x = (struct sl_plot_axis){.scale = SL_SCALE_LOG, .low = 1, .high = 100};
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    const struct svg_element *line = svg_find(&svg, "path", "o", 0);
    double at[3], height;
    for (size_t i = 0; i < 3; i++)
        assert_true(svg_pair(line, i, &at[i], &height));
    assert_near(at[0], area.left, near);
    assert_near(at[1], (area.left + area.right) / 2, near);
    assert_near(at[2], area.right, near);
    assert_non_null(svg_with_text(&svg, "text", "100"));
    svg_release(&svg);
}

static void test_a_missing_value_is_a_gap_in_line_and_band(void **state)
{
    (void)state;
    static const double y[] = {1, 2, (double)NAN, 3, 4}, low[] = {0, 1, 0, 2, 3},
                        high[] = {2, 3, 0, 4, 5};
    const struct sl_plot_series series = {
        .count = 5, .y = y, .y_low = low, .y_high = high, .band = true};
    const struct sl_plot plot = make(SL_PLOT_LINES, &series, 1);
    struct svg svg;
    svg_draw(&plot, &svg);
    assert_int_equal(svg_moves(svg_find(&svg, "path", "o", 0)), 2);
    assert_int_equal(svg_moves(svg_find(&svg, "path", "d", 0)), 2);
    assert_int_equal(svg_count(&svg, "path", "f"), 4);
    assert_int_equal(svg_count(&svg, "path", "i"), 0);
    svg_release(&svg);
}

static void test_lines_differ_by_dashes_and_are_named_once(void **state)
{
    (void)state;
    static const double y[] = {1, 2, 3}, other[] = {1, 2, 3.01};
    struct sl_plot_series series[] = {{.name = "hard", .count = 3, .y = y},
                                      {.name = "soft", .count = 3, .y = other}};
    const struct sl_plot plot = make(SL_PLOT_LINES, series, 2);
    struct svg svg;
    svg_draw(&plot, &svg);
    assert_string_equal(svg_attribute(svg_find(&svg, "path", "o", 0), "stroke-dasharray"), "");
    assert_string_not_equal(svg_attribute(svg_find(&svg, "path", "o", 1), "stroke-dasharray"), "");
    /* At the lines' ends, which nearly meet, names keep their distance. */
    double hard = svg_number(svg_with_text(&svg, "text", "hard"), "y");
    double soft = svg_number(svg_with_text(&svg, "text", "soft"), "y");
    assert_true(fabs(hard - soft) >= 13.9);
    svg_release(&svg);
    series[0].name = "a name that would leave the lines no room at all";
    svg_draw(&plot, &svg);
    assert_null(svg_attribute(svg_with_text(&svg, "text", "soft"), "x")); /* in the legend */
    svg_release(&svg);
}

static void test_whiskers_reach_from_end_to_end(void **state)
{
    (void)state;
    static const double x[] = {5, 8}, y[] = {5, 8}, low[] = {0, (double)NAN}, high[] = {10, 9};
    const struct sl_plot_series series = {
        .count = 2, .x = x, .y = y, .x_low = low, .x_high = high, .y_low = low, .y_high = high};
    struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    plot.x.high = plot.y.high = 10;
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    assert_int_equal(svg_count(&svg, "path", "i"), 1);
    const struct svg_element *whisker = svg_find(&svg, "path", "i", 0);
    double left, bottom;
    assert_true(svg_pair(whisker, 0, &left, &bottom)); /* the lower cap */
    assert_near(bottom, area.bottom, near);
    assert_true(svg_pair(whisker, 2, &left, &bottom)); /* the upper one */
    assert_near(bottom, area.top, near);
    assert_true(svg_pair(whisker, 3, &left, &bottom));
    assert_near(left, area.left, near);
    svg_release(&svg);
}

static void test_ten_thousand_points_are_all_there_and_short(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    double *x = sl_alloc(COUNT, sizeof *x), *y = sl_alloc(COUNT, sizeof *y);
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (double)i;
        y[i] = (double)(i * 7919 % COUNT);
    }
    y[17] = (double)NAN;
    const struct sl_plot_series series = {.count = COUNT, .x = x, .y = y};
    struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    struct svg svg;
    size_t points = 0;
    svg_draw(&plot, &svg);
    for (size_t i = 0; i < svg_count(&svg, "path", "r"); i++)
        points += svg_moves(svg_find(&svg, "path", "r", i));
    assert_int_equal(points, COUNT - 1);
    assert_true(svg.source.length < COUNT * 20);
    assert_non_null(strstr(desc(&svg), "9999 values; lowest: 0 at 0; highest: 9,999 at"));
    assert_non_null(strstr(desc(&svg), "1 of 10000 values is missing."));
    svg_release(&svg);
    free(x);
    free(y);
}

static void test_points_outside_a_given_range_are_counted_not_drawn(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 40}, y[] = {1, 2, 30, 1};
    const struct sl_plot_series series = {.count = 4, .x = x, .y = y};
    struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    plot.x.high = plot.y.high = 10;
    struct svg svg;
    svg_draw(&plot, &svg);
    assert_int_equal(svg_count(&svg, "path", "f"), 2);
    assert_non_null(strstr(desc(&svg), "2 of 4 values lie outside the axes."));
    svg_release(&svg);
}

static void test_every_point_is_named_and_no_name_covers_another(void **state)
{
    (void)state;
    static const char *const names[] = {"resnet", "vgg", "wide resnet", "densenet", "all", "same"};
    static const double x[] = {1, 1.02, 1.04, 3, 3, 3}, y[] = {1, 1, 1.02, 2, 2, 2};
    const struct sl_plot_series series = {.count = 6, .x = x, .y = y, .texts = names};
    const struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    struct svg svg;
    svg_draw(&plot, &svg);
    const struct svg_element *shown[6];
    size_t count = 0;
    for (size_t i = 0; i < 6; i++) {
        const struct svg_element *text = svg_with_text(&svg, "text", names[i]);
        if (text) shown[count++] = text;
    }
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double apart = svg_number(shown[i], "x") - svg_number(shown[j], "x");
            double rows = svg_number(shown[i], "y") - svg_number(shown[j], "y");
            size_t letters = strlen(shown[apart > 0 ? j : i]->text);
            assert_true(fabs(rows) >= 12 || fabs(apart) >= 3.0 * (double)letters);
        }
    svg_release(&svg);
}

/* As many label sets as a report may have, most of them in one place. */
static void test_forty_points_are_all_named(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    static char names[COUNT][32];
    const char *texts[COUNT];
    double x[COUNT], y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "set number %zu", i);
        texts[i] = names[i];
        x[i] = i < 30 ? 10 + .01 * (double)i : (double)i;
        y[i] = i < 30 ? .5 : 1 / (double)i;
    }
    const struct sl_plot_series series = {.count = COUNT, .x = x, .y = y, .texts = texts};
    const struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    struct svg svg;
    svg_draw(&plot, &svg);
    for (size_t i = 0; i < COUNT; i++)
        if (!svg_with_text(&svg, "text", names[i])) fail_msg("%s has no name", names[i]);
    svg_release(&svg);
}

static void test_a_log_axis_says_so_in_its_title(void **state)
{
    (void)state;
    static const double x[] = {1, 10, 100}, y[] = {1, 2, 3};
    const struct sl_plot_series series = {.count = 3, .x = x, .y = y};
    struct sl_plot plot = make(SL_PLOT_SCATTER, &series, 1);
    plot.x = (struct sl_plot_axis){.label = "Time", .unit = "s", .scale = SL_SCALE_LOG};
    plot.y = (struct sl_plot_axis){.label = "Error", .scale = SL_SCALE_LOG};
    struct svg svg;
    svg_draw(&plot, &svg);
    assert_non_null(svg_with_text(&svg, "text", "Time (s, log scale)"));
    assert_non_null(svg_with_text(&svg, "text", "Error (log scale)"));
    assert_non_null(strstr(desc(&svg), "log scale"));
    svg_release(&svg);
    plot.x = (struct sl_plot_axis){.scale = SL_SCALE_LOG};
    svg_draw(&plot, &svg);
    assert_non_null(svg_with_text(&svg, "text", "log scale"));
    svg_release(&svg);
}

static void test_bars_begin_at_zero_and_end_at_their_values(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    static const double up[] = {10, -5, (double)NAN};
    const struct sl_plot_series series[] = {{.name = "s", .count = 3, .y = up},
                                            {.name = "t", .count = 3, .y = up}};
    struct sl_plot plot = make(SL_PLOT_BARS, series, 2);
    plot.x =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 3};
    plot.y = (struct sl_plot_axis){.low = -10, .high = 10};
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    double zero = (area.top + area.bottom) / 2, seen = 0;
    for (size_t i = 0; i < svg_count(&svg, "rect", NULL); i++) {
        const struct svg_element *bar = svg_find(&svg, "rect", NULL, i);
        if (bar + 1 >= svg.elements + svg.count || bar[1].depth != bar->depth + 1) continue;
        bool first = strstr(tooltip(bar), ": 10") != NULL;
        assert_near(svg_number(bar, "y"), first ? area.top : zero, near);
        assert_near(svg_number(bar, "height"), first ? zero - area.top : (area.bottom - zero) / 2,
                    near);
        seen++;
    }
    assert_near(seen, 4, 0);
    assert_non_null(strstr(desc(&svg), "s: a 10; b −5. 1 of 3 values is missing."));
    svg_release(&svg);
}

static void test_bars_lie_where_the_categories_are_on_the_y_axis(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const double values[] = {10, 5};
    const struct sl_plot_series series = {.count = 2, .x = values};
    struct sl_plot plot = make(SL_PLOT_BARS, &series, 1);
    plot.y =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 2};
    plot.x = (struct sl_plot_axis){.low = 0, .high = 10};
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    double widths[2] = {0}, tops[2] = {0};
    for (size_t i = 0, seen = 0; i < svg_count(&svg, "rect", NULL); i++) {
        const struct svg_element *bar = svg_find(&svg, "rect", NULL, i);
        if (bar[1].depth != bar->depth + 1) continue;
        assert_near(svg_number(bar, "x"), area.left, near);
        tops[seen] = svg_number(bar, "y");
        widths[seen++] = svg_number(bar, "width");
    }
    assert_near(widths[0], area.right - area.left, near);
    assert_near(widths[1], (area.right - area.left) / 2, near);
    assert_true(tops[0] < tops[1]); /* the first category is at the top */
    svg_release(&svg);
}

static void test_long_category_names_stand_on_end_and_dense_ones_are_thinned(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    const char *names[COUNT];
    double values[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = "pyramidnet";
        values[i] = (double)i;
    }
    const struct sl_plot_series series = {.count = COUNT, .y = values};
    struct sl_plot plot = make(SL_PLOT_BARS, &series, 1);
    plot.x = (struct sl_plot_axis){
        .scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = COUNT};
    struct svg svg;
    svg_draw(&plot, &svg);
    double last = -100;
    size_t shown = 0;
    for (size_t i = 0; i < svg_count(&svg, "g", NULL); i++) {
        const char *place = svg_attribute(svg_find(&svg, "g", NULL, i), "transform");
        if (!place || !strstr(place, "rotate(-90)")) continue;
        double x = strtod(place + strlen("translate("), NULL);
        assert_true(x - last >= 13);
        last = x;
        shown++;
    }
    assert_in_range(shown, 15, 30);
    svg_release(&svg);
    /* Where there is room on end, every category has its name; with more room they tilt. */
    static const struct {
        size_t count;
        const char *turn;
    } cases[] = {{22, "rotate(-90)"}, {10, "rotate(-35)"}};
    for (size_t c = 0; c < 2; c++) {
        plot.x.n_categories = cases[c].count;
        const struct sl_plot_series fewer = {.count = cases[c].count, .y = values};
        plot.series = &fewer;
        svg_draw(&plot, &svg);
        shown = 0;
        for (size_t i = 0; i < svg_count(&svg, "g", NULL); i++) {
            const char *place = svg_attribute(svg_find(&svg, "g", NULL, i), "transform");
            shown += place && strstr(place, cases[c].turn) != NULL;
        }
        assert_int_equal(shown, cases[c].count);
        svg_release(&svg);
    }
}

static void test_heat_cells_are_as_strong_as_their_values(void **state)
{
    (void)state;
    static const char *const rows[] = {"r0", "r1"}, *const columns[] = {"k0", "k1", "k2"};
    static const double cells[] = {0, 0.5, 1, (double)NAN, 0.25, 0.004};
    const struct sl_plot_series series = {.count = 6, .z = cells};
    struct sl_plot plot = make(SL_PLOT_HEAT, &series, 1);
    plot.x =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = columns, .n_categories = 3};
    plot.y =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = rows, .n_categories = 2};
    struct svg svg;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    assert_int_equal(svg_count(&svg, "rect", "y"), 5);
    assert_near(svg_number(svg_find(&svg, "rect", "y", 2), "fill-opacity"), 1, 1e-9);
    assert_near(svg_number(svg_find(&svg, "rect", "y", 1), "fill-opacity"), 0.52, 1e-9);
    assert_near(svg_number(svg_find(&svg, "rect", "y", 0), "x"), area.left + 0.5, near);
    assert_near(svg_number(svg_find(&svg, "rect", "y", 3), "y"), (area.top + area.bottom) / 2 + 0.5,
                near);
    assert_string_equal(tooltip(svg_find(&svg, "rect", "y", 3)), "r1, k1: 0.25");
    assert_non_null(svg_with_text(&svg, "text", "0.25"));
    assert_non_null(svg_with_text(&svg, "text", "1.00"));
    assert_null(svg_with_text(&svg, "text", "0.00"));
    assert_non_null(strstr(desc(&svg), "highest 1 in row r0, column k2; lowest 0 in row r0, column "
                                       "k0. 1 of 6 values is missing."));
    svg_release(&svg);
    plot.hide_values = true;
    svg_draw(&plot, &svg);
    assert_null(svg_with_text(&svg, "text", "0.25"));
    svg_release(&svg);
}

static void test_a_missing_heat_cell_is_neither_highest_nor_lowest(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const double cells[][4] = {
        {(double)INFINITY, 1, 3, 2}, {(double)-INFINITY, 1, 3, 2}, {(double)NAN, 1, 3, 2}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const struct sl_plot_series series = {.count = 4, .z = cells[i]};
        struct sl_plot plot = make(SL_PLOT_HEAT, &series, 1);
        plot.x = plot.y = (struct sl_plot_axis){
            .scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 2};
        struct svg svg;
        svg_draw(&plot, &svg);
        assert_non_null(strstr(desc(&svg), "highest 3 in row b, column a; lowest 1 in row a, "
                                           "column b. 1 of 4 values is missing."));
        svg_release(&svg);
    }
}

static void test_heat_below_zero_has_a_hue_of_its_own(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const double cells[] = {-2, 1, 0, -1};
    const struct sl_plot_series series = {.count = 4, .z = cells};
    struct sl_plot plot = make(SL_PLOT_HEAT, &series, 1);
    plot.x = plot.y =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 2};
    struct svg svg;
    svg_draw(&plot, &svg);
    assert_int_equal(svg_count(&svg, "rect", "x"), 2);
    assert_near(svg_number(svg_find(&svg, "rect", "x", 0), "fill-opacity"), 1, 1e-9);
    assert_near(svg_number(svg_find(&svg, "rect", "x", 1), "fill-opacity"), 0.52, 1e-9);
    assert_near(svg_number(svg_find(&svg, "rect", "y", 0), "fill-opacity"), 0.52, 1e-9);
    svg_release(&svg);
}

static void test_a_histogram_counts_into_common_bins(void **state)
{
    (void)state;
    static const double first[] = {0, 0.1, 0.24, 0.25, 0.3, 1, (double)NAN}, second[] = {0.8};
    const struct sl_plot_series series[] = {{.name = "right", .count = 7, .x = first},
                                            {.name = "wrong", .count = 1, .x = second}};
    struct sl_plot plot = make(SL_PLOT_HISTOGRAM, series, 2);
    plot.x = (struct sl_plot_axis){.low = 0, .high = 1};
    plot.y = (struct sl_plot_axis){.low = 0, .high = 4};
    plot.n_bins = 4;
    struct svg svg;
    char wanted[128];
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    double height = area.bottom - area.top, width = area.right - area.left, at;
    /* Three values in the first bin, two in the second, none in the third, one in the fourth. */
    const struct svg_element *steps = svg_find(&svg, "path", "s", 0);
    const char *data = svg_attribute(steps, "d");
    static const double counts[] = {3, 2, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        data = strchr(data, 'V');
        assert_non_null(data);
        at = strtod(++data, NULL);
        assert_near(at, area.bottom - height * counts[i] / 4, near);
        at = strtod(strchr(data, 'H') + 1, NULL);
        assert_near(at, area.left + width * (double)(i + 1) / 4, near);
    }
    assert_non_null(strstr(desc(&svg), "right: 6 values, median 0.245"));
    snprintf(wanted, sizeof wanted, "wrong: 1 value, median 0.8");
    assert_non_null(strstr(desc(&svg), wanted));
    svg_release(&svg);
    plot.share = true;
    plot.y.high = 100;
    svg_draw(&plot, &svg);
    data = svg_attribute(svg_find(&svg, "path", "s", 0), "d");
    assert_near(strtod(strchr(data, 'V') + 1, NULL), area.bottom - height / 2, 1);
    svg_release(&svg);
}

static void test_a_reliability_diagram_has_bars_gaps_diagonal_and_counts(void **state)
{
    (void)state;
    static const double low[] = {0, 0.5, 0.75}, high[] = {0.5, 0.75, 1};
    static const double confidence[] = {(double)NAN, 0.6, 0.9}, accuracy[] = {(double)NAN, 0.5, 1};
    static const double items[] = {0, 10, 40};
    const struct sl_plot_series series = {
        .count = 3, .x = confidence, .y = accuracy, .x_low = low, .x_high = high, .weight = items};
    const struct sl_plot plot = make(SL_PLOT_RELIABILITY, &series, 1);
    struct svg svg;
    double x, y;
    svg_draw(&plot, &svg);
    struct area area = find_area(&svg);
    double height = area.bottom - area.top;
    const struct svg_element *gap = svg_find(&svg, "rect", "c6", 0), *bar = gap - 2;
    assert_int_equal(svg_count(&svg, "rect", "c6"), 2);
    assert_near(svg_number(bar, "height"), height / 2, near);
    assert_near(svg_number(bar, "x"), (area.left + area.right) / 2 + 0.5, near);
    assert_near(svg_number(gap, "height"), height * 0.1, near);
    assert_near(svg_number(gap, "y"), area.bottom - height * 0.6, near);
    gap = svg_find(&svg, "rect", "c6", 1); /* too modest: the gap hangs from the bar's top */
    assert_near(svg_number(gap, "y"), area.top, near);
    assert_string_equal(tooltip(gap),
                        "confidence 0.75 to 1: accuracy 1, mean confidence 0.9, 40 items");
    const struct svg_element *diagonal = svg_find(&svg, "path", "u", 1);
    assert_true(svg_pair(diagonal, 0, &x, &y));
    assert_near(x, area.left, near);
    assert_near(y, area.bottom, near);
    assert_true(svg_pair(diagonal, 1, &x, &y));
    assert_near(x, area.right, near);
    assert_near(y, area.top, near);
    assert_non_null(svg_with_text(&svg, "text", "items per bin, at most 40"));
    assert_non_null(strstr(desc(&svg), "2 of 3 bins hold 50 items. The mean gap between accuracy "
                                       "and confidence is 0.1"));
    svg_release(&svg);
}

static void test_a_forest_row_has_a_mark_per_series_and_a_dumbbell_joins_them(void **state)
{
    (void)state;
    static const char *const rows[] = {"a", "b"};
    static const double paper[] = {1, 2}, ours[] = {1.5, (double)NAN}, low[] = {0.5, 1.5},
                        high[] = {1.5, 2.5};
    struct sl_plot_series series[] = {
        {.name = "paper", .count = 2, .x = paper, .x_low = low, .x_high = high, .reference = true},
        {.name = "here", .count = 2, .x = ours}};
    struct sl_plot plot = make(SL_PLOT_FOREST, series, 2);
    plot.y =
        (struct sl_plot_axis){.scale = SL_SCALE_CATEGORY, .categories = rows, .n_categories = 2};
    struct svg svg;
    double x, above, below;
    svg_draw(&plot, &svg);
    assert_int_equal(svg_count(&svg, "path", "k"), 3); /* two and the legend's */
    assert_int_equal(svg_count(&svg, "path", "f"), 2);
    assert_true(svg_pair(svg_find(&svg, "path", "k", 1), 0, &x, &above));
    assert_true(svg_pair(svg_find(&svg, "path", "f", 1), 0, &x, &below));
    assert_near(below - above, 11, near);
    assert_string_equal(tooltip(svg_find(&svg, "path", "k", 2)), "paper, b: 2 (1.5 to 2.5)");
    assert_non_null(strstr(desc(&svg), "here: a 1.5. 1 of 2 values is missing."));
    svg_release(&svg);
    series[0].x_low = series[0].x_high = NULL;
    svg_draw(&plot, &svg);
    assert_int_equal(svg_moves(svg_find(&svg, "path", "a", 0)), 1); /* row b has one value */
    svg_release(&svg);
}

/* Whatever the values, a chart comes out, and nothing in it is not a number. */
static void test_odd_values_make_charts_too(void **state)
{
    (void)state;
    static const double sets[][3] = {{0, 0, 0},
                                     {5, 5, 5},
                                     {-3, -3, -3},
                                     {1e300, -1e300, 0},
                                     {DBL_MAX, 0, 1},
                                     {-DBL_MAX, DBL_MAX, 0},
                                     {1e-310, 2e-310, 0},
                                     {1e15, 1e15 + 1, 1e15 + 2},
                                     {(double)NAN, 7, (double)NAN}};
    static const char *const names[] = {"a", "b", "c"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
            struct sl_plot_series series = {.count = 3, .x = sets[i], .y = sets[i], .z = sets[i]};
            struct sl_plot plot = make((enum sl_plot_kind)kind, &series, 1);
            const struct sl_plot_axis category = {
                .scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 3};
            if (kind == SL_PLOT_RELIABILITY) continue;
            if (kind == SL_PLOT_BARS || kind == SL_PLOT_HEAT) plot.x = category, series.x = NULL;
            if (kind == SL_PLOT_FOREST || kind == SL_PLOT_HEAT) plot.y = category, series.y = NULL;
            if (kind == SL_PLOT_HEAT) plot.y.n_categories = 1;
            struct svg svg;
            svg_draw(&plot, &svg);
            assert_null(strstr(svg.source.data, "nan"));
            assert_null(svg_with_text(&svg, "text", "No data"));
            svg_release(&svg);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_at_the_ends_of_the_axes_are_at_the_edges),
        cmocka_unit_test(test_a_log_axis_places_decades_evenly),
        cmocka_unit_test(test_a_missing_value_is_a_gap_in_line_and_band),
        cmocka_unit_test(test_lines_differ_by_dashes_and_are_named_once),
        cmocka_unit_test(test_whiskers_reach_from_end_to_end),
        cmocka_unit_test(test_ten_thousand_points_are_all_there_and_short),
        cmocka_unit_test(test_points_outside_a_given_range_are_counted_not_drawn),
        cmocka_unit_test(test_every_point_is_named_and_no_name_covers_another),
        cmocka_unit_test(test_forty_points_are_all_named),
        cmocka_unit_test(test_a_log_axis_says_so_in_its_title),
        cmocka_unit_test(test_bars_begin_at_zero_and_end_at_their_values),
        cmocka_unit_test(test_bars_lie_where_the_categories_are_on_the_y_axis),
        cmocka_unit_test(test_long_category_names_stand_on_end_and_dense_ones_are_thinned),
        cmocka_unit_test(test_heat_cells_are_as_strong_as_their_values),
        cmocka_unit_test(test_a_missing_heat_cell_is_neither_highest_nor_lowest),
        cmocka_unit_test(test_heat_below_zero_has_a_hue_of_its_own),
        cmocka_unit_test(test_a_histogram_counts_into_common_bins),
        cmocka_unit_test(test_a_reliability_diagram_has_bars_gaps_diagonal_and_counts),
        cmocka_unit_test(test_a_forest_row_has_a_mark_per_series_and_a_dumbbell_joins_them),
        cmocka_unit_test(test_odd_values_make_charts_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
