/* Reports by programs of others: what does not fit is refused in one sentence, never drawn wrong.
 */
#include "html_check.h"

#include "softlab/report.h"

/* Every format refuses the report with this sentence, and appends nothing. Destroys it. */
static void assert_refused(struct sl_report *report, enum sl_status code, const char *sentence)
{
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++) {
        struct sl_error err;
        struct sl_buffer out;
        sl_buffer_init(&out, 1 << 24);
        assert_fails(sl_report_render(report, format, &out, &err), code, err, sentence);
        assert_int_equal(out.length, 0);
        sl_buffer_release(&out);
    }
    sl_report_destroy(report);
}

static char *render(const struct sl_report *report, const struct sl_report_format *format)
{
    struct sl_error err;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 24);
    assert_ok(sl_report_render(report, format, &out, &err), err);
    return out.data;
}

/* Every format renders the report. Returns it as HTML; destroys it. */
static char *assert_rendered(struct sl_report *report)
{
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++)
        free(render(report, format));
    char *html = render(report, sl_report_format_find("html"));
    assert_well_formed(html);
    sl_report_destroy(report);
    return html;
}

static const char *const columns[] = {"who", "how much"};
static const struct sl_table_head small_table = {
    .id = "small", .caption = "Small", .columns = columns, .n_columns = 2};

static const char *const classes[] = {"cat", "dog"}, *const series[] = {"people"};
static const struct sl_gallery_head small_gallery = {
    .title = "Items", .series = series, .n_series = 1, .classes = classes, .n_classes = 2};

static void test_a_cell_needs_a_table(void **state)
{
    (void)state;
    static const char sentence[] = "a cell belongs to a table; call sl_report_table before it";
    struct sl_report *report = sl_report_create("nothing before");
    sl_report_cell(report, sl_cell_text("lost"));
    assert_refused(report, SL_ERR_USAGE, sentence);

    report = sl_report_create("a text between");
    sl_report_table(report, &small_table);
    sl_report_cell(report, sl_cell_text("ann"));
    sl_report_text(report, SL_STYLE_PLAIN, "By the way,");
    for (int i = 0; i < 20; i++)
        sl_report_cell(report, sl_cell_number(i, NAN, 0));
    assert_refused(report, SL_ERR_USAGE, sentence);
}

static void test_a_picture_needs_a_gallery_and_shares(void **state)
{
    (void)state;
    static const double good[] = {.5, .5};
    struct sl_gallery_item item = {.name = "i7", .values = good};
    struct sl_report *report = sl_report_create("nothing before");
    sl_report_picture(report, &item);
    assert_refused(report, SL_ERR_USAGE,
                   "a picture belongs to a gallery; call sl_report_gallery before it");

    report = sl_report_create("no values");
    item.values = NULL;
    sl_report_gallery(report, &small_gallery);
    sl_report_picture(report, &item);
    assert_refused(report, SL_ERR_USAGE, "item i7 has no values");

    static const struct {
        double values[2];
        const char *sentence;
    } bad[] = {{{NAN, .5}, "item i7: people gives cat a share of nan, expected 0 to 1"},
               {{.5, INFINITY}, "item i7: people gives dog a share of inf, expected 0 to 1"},
               {{-.25, 1}, "item i7: people gives cat a share of -0.25, expected 0 to 1"},
               {{60, 40}, "item i7: people gives cat a share of 60, expected 0 to 1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        report = sl_report_create("odd shares");
        item.values = bad[i].values;
        sl_report_gallery(report, &small_gallery);
        sl_report_picture(report, &item);
        assert_refused(report, SL_ERR_INPUT, bad[i].sentence);
    }
}

static void test_shares_that_are_off_by_rounding_are_shares(void **state)
{
    (void)state;
    static const double values[] = {1 + 1e-7, -1e-9};
    const struct sl_gallery_item item = {.name = "i7", .values = values};
    struct sl_report *report = sl_report_create("rounding");
    sl_report_gallery(report, &small_gallery);
    sl_report_picture(report, &item);
    char *html = assert_rendered(report);
    assert_non_null(strstr(html, "<span class=\"share\">1.00</span>"));
    free(html);
}

static void test_what_has_no_rows_is_drawn_and_what_has_no_columns_is_refused(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("no rows, no items");
    sl_report_table(report, &small_table);
    sl_report_gallery(report, &small_gallery);
    free(assert_rendered(report));

    struct sl_table_head table = small_table;
    table.n_columns = 0;
    report = sl_report_create("no columns");
    sl_report_table(report, &table);
    sl_report_cell(report, sl_cell_text("nowhere"));
    assert_refused(report, SL_ERR_USAGE, "table \"Small\" has no columns");

    struct sl_gallery_head galleries[] = {small_gallery, small_gallery};
    galleries[0].n_classes = 0;
    galleries[1].n_series = 0;
    for (size_t i = 0; i < 2; i++) {
        report = sl_report_create("no classes, or no series");
        sl_report_gallery(report, &galleries[i]);
        assert_refused(report, SL_ERR_USAGE, "a gallery needs classes and one to 4 series");
    }
}

static void test_a_missing_text_is_named(void **state)
{
    (void)state;
    assert_refused(sl_report_create(NULL), SL_ERR_USAGE, "the title of the report is NULL");

    struct sl_table_head head = small_table;
    head.caption = NULL;
    struct sl_report *report = sl_report_create("table");
    sl_report_table(report, &head);
    assert_refused(report, SL_ERR_USAGE, "the caption of a table is NULL");

    static const char *const holes[] = {"who", NULL};
    head = small_table;
    head.columns = holes;
    report = sl_report_create("columns");
    sl_report_table(report, &head);
    assert_refused(report, SL_ERR_USAGE, "the title of a column is NULL");

    report = sl_report_create("pair");
    sl_report_pair(report, "version", NULL);
    assert_refused(report, SL_ERR_USAGE, "the value of a pair is NULL");

    report = sl_report_create("heading");
    sl_report_section(report, 2, "there", NULL);
    assert_refused(report, SL_ERR_USAGE, "the title of a section is NULL");
}

static void test_an_id_that_is_not_given_is_made_of_the_title(void **state)
{
    (void)state;
    struct sl_table_head head = small_table;
    head.id = NULL;
    struct sl_report *report = sl_report_create("ids");
    sl_report_section(report, 2, NULL, "What we found");
    sl_report_table(report, &head);
    char *html = assert_rendered(report);
    assert_non_null(strstr(html, "<h2 id=\"What-we-found\">"));
    assert_non_null(strstr(html, "<table id=\"Small\""));
    free(html);
}

static void test_a_chart_takes_no_id_that_is_there(void **state)
{
    (void)state;
    struct sl_error err;
    const double y[] = {1, 2};
    const struct sl_plot_series values = {.count = 2, .y = y};
    const struct sl_plot plot = {
        .kind = SL_PLOT_LINES, .title = "Up", .series = &values, .n_series = 1};
    struct sl_report *report = sl_report_create("ids");
    sl_report_section(report, 2, "chart-1", "A section with the id of a chart");
    assert_ok(sl_report_chart(report, &plot, NULL, &err), err);
    char *html = assert_rendered(report);
    assert_int_equal(count_text(html, "id=\"chart-1\"") + count_text(html, "id='chart-1'"), 1);
    free(html);
}

static void test_a_number_that_is_none_is_an_empty_cell(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("numbers");
    sl_report_table(report, &small_table);
    sl_report_cell(report, sl_cell_text(NULL));
    sl_report_cell(report, sl_cell_number(NAN, .1, 2));
    sl_report_cell(report, sl_cell_text("bob"));
    sl_report_cell(report, sl_cell_number(INFINITY, NAN, 2));
    char *html = assert_rendered(report);
    assert_int_equal(count_text(html, "<span class=\"soft\">\u2013</span>"), 3);
    assert_null(strstr(html, "nan"));
    assert_null(strstr(html, "inf"));
    free(html);

    report = sl_report_create("numbers");
    sl_report_table(report, &small_table);
    sl_report_cell(report, sl_cell_number(.5, -.1, 2));
    assert_refused(report, SL_ERR_INPUT, "0.5 has a spread of -0.1, expected 0 or more, or NaN");
}

static void test_folds_are_closed(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("open");
    sl_report_fold(report, "More");
    assert_refused(report, SL_ERR_USAGE, "a fold was opened and not closed");
    report = sl_report_create("closed twice");
    sl_report_fold(report, "More");
    sl_report_fold_end(report);
    sl_report_fold_end(report);
    assert_refused(report, SL_ERR_USAGE, "a fold was closed that was not open");
}

static void test_the_first_mistake_is_told_and_a_format_is_needed(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_buffer out;
    struct sl_report *report = sl_report_create("two mistakes");
    sl_report_cell(report, sl_cell_text("lost"));
    sl_report_fold(report, "More");
    assert_refused(report, SL_ERR_USAGE, "a cell belongs to a table");
    report = sl_report_create("fine");
    sl_buffer_init(&out, 1000);
    assert_fails(sl_report_render(report, sl_report_format_find("pdf"), &out, &err), SL_ERR_USAGE,
                 err, "the format is NULL");
    sl_buffer_release(&out);
    sl_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cell_needs_a_table),
        cmocka_unit_test(test_a_picture_needs_a_gallery_and_shares),
        cmocka_unit_test(test_shares_that_are_off_by_rounding_are_shares),
        cmocka_unit_test(test_what_has_no_rows_is_drawn_and_what_has_no_columns_is_refused),
        cmocka_unit_test(test_a_missing_text_is_named),
        cmocka_unit_test(test_an_id_that_is_not_given_is_made_of_the_title),
        cmocka_unit_test(test_a_chart_takes_no_id_that_is_there),
        cmocka_unit_test(test_a_number_that_is_none_is_an_empty_cell),
        cmocka_unit_test(test_folds_are_closed),
        cmocka_unit_test(test_the_first_mistake_is_told_and_a_format_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
