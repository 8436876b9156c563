/* Properties of every chart: it is well-formed, escaped and reproducible, names missing values, and
 * an invalid chart is refused with one line. */
#include "plot_sample.h"

static const char *const names[] = {"one", "two", "three"};
static const double values[] = {1, 2, 3}, lows[] = {0.5, 1.5, 2.5}, highs[] = {1.5, 2.5, 3.5};
static const double confidences[] = {0.2, 0.5, 0.9}, accuracies[] = {0.1, 0.5, 0.7};
static const double edges_low[] = {0, 0.4, 0.7}, edges_high[] = {0.4, 0.7, 1};
static const double cells[] = {0, 0.5, 1, 0.25, -1, 0.3, 0.2, 0.1, 0.9};

struct sample {
    struct sl_plot plot;
    struct sl_plot_series series[2];
};

/* A small plot of every kind; `series` holds two unless the kind takes one. */
static void make_sample(enum sl_plot_kind kind, struct sample *out)
{
    const struct sl_plot_axis category = {
        .label = "Name", .scale = SL_SCALE_CATEGORY, .categories = names, .n_categories = 3};
    const struct sl_plot_axis linear = {.label = "Value", .unit = "s"};
    *out = (struct sample){.plot = {.kind = kind,
                                    .id = "chart",
                                    .title = "A title",
                                    .subtitle = "A subtitle",
                                    .note = "A note",
                                    .x = linear,
                                    .y = linear,
                                    .n_series = 2}};
    struct sl_plot_series series = {.name = "first", .count = 3, .x = values, .y = values};
    if (kind == SL_PLOT_BARS) out->plot.x = category;
    if (kind == SL_PLOT_BARS || kind == SL_PLOT_LINES || kind == SL_PLOT_SCATTER)
        series.y_low = lows, series.y_high = highs;
    if (kind == SL_PLOT_FOREST) series.x_low = lows, series.x_high = highs;
    if (kind == SL_PLOT_FOREST || kind == SL_PLOT_HEAT) out->plot.y = category;
    if (kind == SL_PLOT_BARS) series.x = NULL;
    if (kind == SL_PLOT_FOREST) series.y = NULL;
    if (kind == SL_PLOT_HEAT) {
        out->plot.x = category;
        series.z = cells;
        series.count = 9;
    }
    if (kind == SL_PLOT_RELIABILITY)
        series = (struct sl_plot_series){.name = "first",
                                         .count = 3,
                                         .x = confidences,
                                         .y = accuracies,
                                         .x_low = edges_low,
                                         .x_high = edges_high,
                                         .weight = values};
    if (kind == SL_PLOT_HEAT || kind == SL_PLOT_RELIABILITY) out->plot.n_series = 1;
    out->series[0] = out->series[1] = series;
    out->series[1].name = "second";
}

static enum sl_status draw(struct sample *sample, struct sl_buffer *out, struct sl_error *err)
{
    sample->plot.series = sample->series;
    return sl_plot_svg(&sample->plot, out, err);
}

static void draw_sample(struct sample *sample, struct svg *out)
{
    sample->plot.series = sample->series;
    svg_draw(&sample->plot, out);
}

static void test_every_kind_has_a_name_and_is_well_formed_svg(void **state)
{
    (void)state;
    size_t count = 0;
    for (; sl_plot_kinds[count].name; count++) {
        struct sample sample;
        struct svg svg;
        assert_non_null(sl_plot_kinds[count].summary);
        make_sample((enum sl_plot_kind)count, &sample);
        draw_sample(&sample, &svg);
        const struct svg_element *root = svg_find(&svg, "svg", "sl-plot", 0);
        assert_non_null(root);
        assert_string_equal(svg_attribute(root, "xmlns"), "http://www.w3.org/2000/svg");
        assert_string_equal(svg_attribute(root, "role"), "img");
        assert_string_equal(svg_attribute(root, "id"), "chart");
        assert_non_null(svg_attribute(root, "viewBox"));
        assert_string_equal(svg_find(&svg, "title", NULL, 0)->text, "A title");
        assert_true(strlen(svg_find(&svg, "desc", NULL, 0)->text) > 40);
        assert_non_null(svg_with_text(&svg, "text", "A title"));
        assert_non_null(svg_with_text(&svg, "text", "A subtitle"));
        assert_non_null(svg_with_text(&svg, "text", "A note"));
        assert_int_equal(svg_count(&svg, "script", NULL), 0);
        assert_int_equal(svg_count(&svg, "style", NULL), 1);
        svg_release(&svg);
    }
    assert_int_equal(count, SL_PLOT_KINDS);
}

/* Every number that a chart places lies on its paper. */
static void test_every_text_stands_on_the_paper(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++)
        for (double width = 240; width <= 1000; width += 190) {
            struct sample sample;
            struct svg svg;
            make_sample((enum sl_plot_kind)kind, &sample);
            sample.plot.width = width;
            draw_sample(&sample, &svg);
            const struct svg_element *root = svg_find(&svg, "svg", NULL, 0);
            double height = svg_number(root, "height");
            assert_near(svg_number(root, "width"), width, 0);
            for (size_t i = 0; i < svg_count(&svg, "text", NULL); i++) {
                const struct svg_element *text = svg_find(&svg, "text", NULL, i);
                if (!svg_attribute(text, "x")) continue;
                assert_true(svg_number(text, "x") >= 0 && svg_number(text, "x") <= width);
                assert_true(svg_number(text, "y") >= 0 && svg_number(text, "y") <= height);
            }
            svg_release(&svg);
        }
}

static void test_every_text_is_escaped(void **state)
{
    (void)state;
    static const char evil[] = "<script>\"'&\x02</script>\xff";
    static const char shown[] = "<script>\"'&</script>\xef\xbf\xbd";
    static const char *const evils[] = {evil, evil, evil};
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
        struct sample sample;
        struct svg svg;
        make_sample((enum sl_plot_kind)kind, &sample);
        sample.plot.title = sample.plot.subtitle = sample.plot.note = sample.plot.summary = evil;
        sample.plot.x.label = sample.plot.y.label = sample.plot.z.label = evil;
        sample.plot.x.unit = sample.plot.y.unit = sample.plot.z.unit = evil;
        if (sample.plot.x.categories) sample.plot.x.categories = evils;
        if (sample.plot.y.categories) sample.plot.y.categories = evils;
        sample.series[0].name = sample.series[1].name = evil;
        if (kind != SL_PLOT_HEAT) sample.series[0].texts = evils;
        draw_sample(&sample, &svg);
        assert_int_equal(svg_count(&svg, "script", NULL), 0);
        assert_string_equal(svg_find(&svg, "title", NULL, 0)->text, shown);
        assert_null(strstr(svg.source.data, "<script"));
        svg_release(&svg);
    }
}

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Two charts in one page must not share ids or styles. */
static void test_every_id_and_every_rule_begins_with_the_charts_id(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
        struct sample sample;
        struct svg svg;
        make_sample((enum sl_plot_kind)kind, &sample);
        sample.plot.id = "Fig-7_b";
        draw_sample(&sample, &svg);
        for (size_t i = 0; i < svg.count; i++) {
            const char *id = svg_attribute(&svg.elements[i], "id");
            if (!id) continue;
            char copy[100];
            snprintf(copy, sizeof copy, "%s", id);
            assert_true(strncmp(copy, "Fig-7_b", 7) == 0);
            for (size_t j = 0; j < i; j++) {
                const char *other = svg_attribute(&svg.elements[j], "id");
                assert_true(!other || strcmp(other, copy) != 0);
            }
        }
        const char *rule = svg_find(&svg, "style", NULL, 0)->text + 1;
        for (; *rule; rule += strcspn(rule, "\n") + 1)
            assert_true(begins(rule, "#Fig-7_b") || begins(rule, ":where(#Fig-7_b)") ||
                        begins(rule, "@media screen and (prefers-color-scheme:dark){"
                                     ":where(#Fig-7_b)"));
        for (const char *at = svg.source.data; (at = strstr(at, "url(#")); at++)
            assert_true(strncmp(at + 5, "Fig-7_b-", 8) == 0);
        svg_release(&svg);
    }
}

static void test_what_is_referred_to_is_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
        struct sample sample;
        struct svg svg;
        make_sample((enum sl_plot_kind)kind, &sample);
        sample.series[1].reference = true;
        draw_sample(&sample, &svg);
        for (const char *at = svg.source.data; (at = strstr(at, "url(#")); at++) {
            char wanted[100];
            snprintf(wanted, sizeof wanted, "id='%.*s'", (int)strcspn(at + 5, ")"), at + 5);
            assert_non_null(strstr(svg.source.data, wanted));
        }
        svg_release(&svg);
    }
}

static void test_the_same_plot_gives_the_same_bytes_behind_what_was_there(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
        struct sample sample;
        struct sl_error err;
        struct sl_buffer out;
        make_sample((enum sl_plot_kind)kind, &sample);
        sl_buffer_init(&out, 1 << 20);
        sl_buffer_text(&out, "before");
        assert_ok(draw(&sample, &out, &err), err);
        size_t length = out.length - 6;
        assert_ok(draw(&sample, &out, &err), err);
        assert_int_equal(out.length, 6 + 2 * length);
        assert_memory_equal(out.data, "before<svg", 10);
        assert_memory_equal(out.data + 6, out.data + 6 + length, length);
        sl_buffer_release(&out);
    }
}

static void test_a_chart_that_does_not_fit_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    struct sample sample;
    struct sl_error err;
    struct sl_buffer out;
    make_sample(SL_PLOT_BARS, &sample);
    sl_buffer_init(&out, 1000);
    sl_buffer_text(&out, "before");
    assert_fails(draw(&sample, &out, &err), SL_ERR_INPUT, err, "a chart is longer than 1000 bytes");
    assert_string_equal(out.data, "before");
    assert_int_equal(out.length, 6);
    sl_buffer_release(&out);
}

static void test_missing_values_are_counted_and_never_drawn(void **state)
{
    (void)state;
    static const double holes[] = {1, (double)NAN, (double)INFINITY};
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++) {
        struct sample sample;
        struct svg svg;
        if (kind == SL_PLOT_RELIABILITY || kind == SL_PLOT_HEAT) continue;
        make_sample((enum sl_plot_kind)kind, &sample);
        if (sample.series[0].x) sample.series[0].x = holes;
        if (sample.series[0].y) sample.series[0].y = holes;
        draw_sample(&sample, &svg);
        assert_non_null(
            strstr(svg_find(&svg, "desc", NULL, 0)->text, "2 of 3 values are missing."));
        assert_null(strstr(svg.source.data, "nan"));
        assert_null(strstr(svg.source.data, "inf"));
        svg_release(&svg);
    }
}

/* All values missing, or none given at all. */
static void make_empty(struct sample *sample, bool none_given)
{
    static const double none[] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN,
                                  (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (size_t i = 0; i < 2; i++) {
        struct sl_plot_series *series = &sample->series[i];
        if (series->x) series->x = none;
        if (series->y) series->y = none;
        if (series->z) series->z = none;
        if (none_given) *series = (struct sl_plot_series){.name = "empty"};
    }
}

static void test_a_chart_without_data_says_so(void **state)
{
    (void)state;
    for (int kind = 0; kind < SL_PLOT_KINDS; kind++)
        for (int none_given = 0; none_given < 2; none_given++) {
            struct sample sample;
            struct svg svg;
            if (none_given && kind == SL_PLOT_HEAT) continue;
            make_sample((enum sl_plot_kind)kind, &sample);
            make_empty(&sample, none_given);
            draw_sample(&sample, &svg);
            assert_non_null(svg_with_text(&svg, "text", "No data"));
            assert_non_null(strstr(svg_find(&svg, "desc", NULL, 0)->text, "No data."));
            svg_release(&svg);
        }
}

static void expect(struct sample *sample, enum sl_status code, const char *message)
{
    struct sl_error err;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 20);
    assert_fails(draw(sample, &out, &err), code, err, message);
    assert_int_equal(out.length, 0);
    sl_buffer_release(&out);
}

static void test_a_log_axis_refuses_what_is_not_positive(void **state)
{
    (void)state;
    static const double zero[] = {1, 0, 3};
    struct sample sample;
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.x.scale = SL_SCALE_LOG;
    sample.series[1].x = zero;
    expect(&sample, SL_ERR_INPUT, "second: a logarithmic x axis cannot show 0 (value 2)");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.y.scale = SL_SCALE_LOG;
    sample.series[0].y_low = zero;
    expect(&sample, SL_ERR_INPUT, "first: a logarithmic y axis cannot show 0 (value 2)");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.x = (struct sl_plot_axis){.scale = SL_SCALE_LOG, .low = 0, .high = 10};
    expect(&sample, SL_ERR_USAGE, "a logarithmic x axis cannot begin at 0");
    make_sample(SL_PLOT_BARS, &sample);
    sample.plot.y.scale = SL_SCALE_LOG;
    expect(&sample, SL_ERR_USAGE, "bars begin at zero");
}

static void test_plots_that_cannot_be_drawn_are_refused_in_one_sentence(void **state)
{
    (void)state;
    static const double other[] = {0, 1, 7}, half[] = {0, 0.5, 1};
    static const char *const ids[] = {"", "1a", "a b", "a'b", NULL};
    struct sample sample;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        make_sample(SL_PLOT_LINES, &sample);
        sample.plot.id = ids[i];
        expect(&sample, SL_ERR_USAGE, "a chart's id must be a letter");
    }
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.title = "";
    expect(&sample, SL_ERR_USAGE, "chart chart has no title");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.n_series = 0;
    expect(&sample, SL_ERR_USAGE, "has 0 series; it can have 1 to 8");
    make_sample(SL_PLOT_LINES, &sample);
    sample.series[1].name = NULL;
    expect(&sample, SL_ERR_USAGE, "series 2 of chart chart has no name");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.x.low = 3, sample.plot.x.high = 1;
    expect(&sample, SL_ERR_USAGE, "the x axis ends (1) before it begins (3)");
    make_sample(SL_PLOT_LINES, &sample);
    sample.series[0].y_high = NULL;
    expect(&sample, SL_ERR_USAGE, "first: intervals on the y axis need both ends");
    make_sample(SL_PLOT_LINES, &sample);
    sample.series[0].y_low = highs, sample.series[0].y_high = lows;
    expect(&sample, SL_ERR_INPUT, "the interval of value 1 ends (0.5) before it begins (1.5)");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.width = 10;
    expect(&sample, SL_ERR_USAGE, "cannot be 10 wide");
    make_sample(SL_PLOT_BARS, &sample);
    sample.series[0].x = other;
    expect(&sample, SL_ERR_INPUT, "first: 7 is not one of the 3 categories of the x axis");
    sample.series[0].x = half;
    expect(&sample, SL_ERR_INPUT, "first: 0.5 is not one of the 3 categories");
    make_sample(SL_PLOT_BARS, &sample);
    sample.plot.x.n_categories = 2;
    expect(&sample, SL_ERR_INPUT, "first: 3 values for 2 categories of the x axis");
    make_sample(SL_PLOT_LINES, &sample);
    sample.plot.kind = SL_PLOT_KINDS;
    expect(&sample, SL_ERR_USAGE, "there is no chart kind 7");
}

static void test_kinds_refuse_what_is_not_theirs(void **state)
{
    (void)state;
    struct sample sample;
    make_sample(SL_PLOT_HEAT, &sample);
    sample.plot.n_series = 2;
    expect(&sample, SL_ERR_USAGE, "a chart of kind heat takes one series, not 2");
    make_sample(SL_PLOT_HEAT, &sample);
    sample.series[0].count = 8;
    expect(&sample, SL_ERR_USAGE, "a heat map of 3 by 3 cells cannot have 8 values");
    make_sample(SL_PLOT_RELIABILITY, &sample);
    sample.series[0].weight = NULL;
    expect(&sample, SL_ERR_USAGE, "needs confidence, accuracy, edges and items");
    make_sample(SL_PLOT_HISTOGRAM, &sample);
    sample.series[1].x = NULL;
    expect(&sample, SL_ERR_USAGE, "series 2 of a histogram has no x values");
    make_sample(SL_PLOT_FOREST, &sample);
    sample.plot.y = sample.plot.x;
    expect(&sample, SL_ERR_USAGE, "a forest plot needs categories");
    make_sample(SL_PLOT_BARS, &sample);
    sample.plot.x = sample.plot.y;
    expect(&sample, SL_ERR_USAGE, "bars need categories on one axis");
}

/* Places 0, 1, 2, ... are made up where none are given; values never are. */
static void test_a_bin_of_items_has_shares(void **state)
{
    (void)state;
    static const double low[] = {0, 0.5}, high[] = {0.5, 1}, items[] = {0, 3};
    static const double good[] = {(double)NAN, 0.9}, percent[] = {(double)NAN, 90};
    static const double below[] = {(double)NAN, -0.1};
    const double *const wrong[] = {percent, below};
    struct sample sample;
    for (size_t i = 0; i < 4; i++) {
        make_sample(SL_PLOT_RELIABILITY, &sample);
        sample.plot.n_series = 1;
        sample.series[0] = (struct sl_plot_series){.name = "bins",
                                                   .count = 2,
                                                   .x = i < 2 ? wrong[i] : good,
                                                   .y = i < 2 ? good : wrong[i - 2],
                                                   .x_low = low,
                                                   .x_high = high,
                                                   .weight = items};
        expect(&sample, SL_ERR_INPUT, "both are shares from 0 to 1");
    }
}

static void test_values_in_the_wrong_array_are_not_made_up(void **state)
{
    (void)state;
    struct sample sample;
    struct sl_error err;
    struct svg svg;
    make_sample(SL_PLOT_LINES, &sample);
    assert_fails(sl_plot_write(&sample.plot, test_path("none.svg"), &err), SL_ERR_USAGE, err,
                 "chart chart has no series: the pointer is NULL");
    static const enum sl_plot_kind kinds[] = {SL_PLOT_LINES, SL_PLOT_SCATTER};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make_sample(kinds[i], &sample);
        sample.series[0] = (struct sl_plot_series){.name = "first", .count = 3, .z = highs};
        expect(&sample, SL_ERR_USAGE, "first has neither x nor y values");
        sample.series[0].count = 0;
        draw_sample(&sample, &svg);
        svg_release(&svg);
    }
    make_sample(SL_PLOT_BARS, &sample);
    sample.series[0].y = sample.series[0].y_low = sample.series[0].y_high = NULL;
    expect(&sample, SL_ERR_USAGE, "first has no y values; bars need them");
    make_sample(SL_PLOT_FOREST, &sample);
    sample.series[0].x = sample.series[0].x_low = sample.series[0].x_high = NULL;
    expect(&sample, SL_ERR_USAGE, "first has no x values; a forest plot needs them");
}

static void test_a_chart_is_written_as_a_file_of_its_own(void **state)
{
    (void)state;
    struct sample sample;
    struct sl_error err;
    struct svg svg = {0};
    make_sample(SL_PLOT_SCATTER, &sample);
    sample.plot.series = sample.series;
    assert_ok(sl_plot_write(&sample.plot, test_path("chart.svg"), &err), err);
    sl_buffer_init(&svg.source, 1 << 20);
    assert_ok(sl_file_read(test_path("chart.svg"), &svg.source, &err), err);
    svg_parse(&svg);
    assert_int_equal(svg_count(&svg, "svg", NULL), 1);
    svg_release(&svg);
    sample.plot.title = NULL;
    assert_fails(sl_plot_write(&sample.plot, test_path("none.svg"), &err), SL_ERR_USAGE, err,
                 "no title");
    assert_false(sl_file_exists(test_path("none.svg")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_has_a_name_and_is_well_formed_svg),
        cmocka_unit_test(test_every_text_stands_on_the_paper),
        cmocka_unit_test(test_every_text_is_escaped),
        cmocka_unit_test(test_every_id_and_every_rule_begins_with_the_charts_id),
        cmocka_unit_test(test_what_is_referred_to_is_there),
        cmocka_unit_test(test_the_same_plot_gives_the_same_bytes_behind_what_was_there),
        cmocka_unit_test(test_a_chart_that_does_not_fit_leaves_the_buffer_as_it_was),
        cmocka_unit_test(test_missing_values_are_counted_and_never_drawn),
        cmocka_unit_test(test_a_chart_without_data_says_so),
        cmocka_unit_test(test_a_log_axis_refuses_what_is_not_positive),
        cmocka_unit_test(test_plots_that_cannot_be_drawn_are_refused_in_one_sentence),
        cmocka_unit_test(test_kinds_refuse_what_is_not_theirs),
        cmocka_unit_test(test_a_bin_of_items_has_shares),
        cmocka_unit_test(test_values_in_the_wrong_array_are_not_made_up),
        cmocka_unit_test(test_a_chart_is_written_as_a_file_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
