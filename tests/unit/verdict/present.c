#include "html_check.h"

#include "softlab/verdict.h"

enum { N_ROWS = 9 };

/* A report on `spec`, and on uma2020/table1 if `with_other`; all tables would take seconds under
 * sanitizers. */
static char *make_report(const struct sl_buffer *lines, const char *spec, bool with_other,
                         const char *format)
{
    const char *specs[] = {spec, "uma2020/table1"};
    struct sl_error err;
    struct sl_report *report;
    struct sl_buffer out;
    struct sl_results *results = sl_results_create();
    struct sl_report_options options = {.specs = specs, .n_specs = with_other ? 2 : 1};
    test_write(test_path("results.jsonl"), lines->data, lines->length);
    assert_ok(sl_results_read(results, test_path("results.jsonl"), &err), err);
    sl_buffer_init(&out, 1 << 27);
    assert_ok(sl_verdict_report(results, &options, &report, &err), err);
    assert_ok(sl_report_render(report, sl_report_format_find(format), &out, &err), err);
    sl_report_destroy(report);
    sl_results_destroy(results);
    return out.data;
}

static void add_run(struct sl_buffer *out, const char *spec, const char *set, const char *network,
                    size_t seed, const char *metrics)
{
    sl_buffer_printf(out,
                     "{\"softlab\":\"result\",\"key\":\"%s-%s-%s-%zu\",\"spec\":\"%s\",\"scale\":"
                     "\"quick\",\"variant\":\"as-run\",\"set\":\"%s\",\"network\":\"%s\",\"seed\":"
                     "%zu,\"metrics\":{%s}",
                     spec, set, network, seed, spec, set, network, seed, metrics);
}

/* Rows whose calibration gap and last loss grow with their number. */
static void add_row(struct sl_buffer *out, size_t row, size_t seed, size_t n_tests)
{
    char set[32];
    snprintf(set, sizeof set, "row-%zu", row);
    add_run(out, "collins2022/table2", set, "resnet8", seed, "\"cifar10h/cross_entropy\":1.5");
    sl_buffer_printf(out, ",\"curve\":[[1,%g,0.5,null],[2,%g,0.5,null]],\"reliability\":{", 2.0,
                     1 + .1 * (double)row + .01 * (double)seed);
    for (size_t test = 0; test < n_tests; test++)
        sl_buffer_printf(out, "%s\"%s\":[[0.5,0.6,10,0.55,%g]]", test ? "," : "",
                         test ? "cifar10s" : "cifar10h", .55 - .05 * (double)row);
    sl_buffer_text(out, "},\"classes\":[\"cat\",\"dog\"],\"gallery\":[{\"item\":\"7\",\"human\":"
                        "[0.5,0.5],\"model\":[1,0]}]}\n");
}

static char *report_of_rows(size_t n_rows, size_t n_tests, const char *format)
{
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 20);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t seed = 1; seed <= 2; seed++)
            add_row(&lines, row, seed, n_tests);
    char *text = make_report(&lines, "collins2022/table2", false, format);
    sl_buffer_release(&lines);
    return text;
}

static void test_what_is_left_out_is_said_in_every_format(void **state)
{
    (void)state;
    static const char *const said[] = {
        ("6 of 9 reliability diagrams are shown: the rows nearest to the diagonal and those "
         "farthest from it"),
        "8 of 9 rows: the 4 that end lowest and the 4 that end highest.",
        "Pictures of the first 3 of 9 rows"};
    static const char *const formats[] = {"html", "md", "latex"};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char *text = report_of_rows(N_ROWS, 1, formats[f]);
        for (size_t i = 0; i < sizeof said / sizeof *said; i++)
            if (!strstr(text, said[i])) fail_msg("%s does not say: %s", formats[f], said[i]);
        free(text);
    }
    char *few = report_of_rows(3, 1, "md");
    assert_null(strstr(few, "Reliability: "));
    assert_null(strstr(few, " of 3 rows"));
    assert_int_equal(count_text(few, "on cifar10h**"), 3);
    free(few);
}

static void test_extremes_are_what_is_shown(void **state)
{
    (void)state;
    char *text = report_of_rows(N_ROWS, 1, "md");
    for (size_t row = 0; row < N_ROWS; row++) {
        char *title = sl_string_printf("**Reliability of row-%zu on cifar10h**", row);
        assert_int_equal(count_text(text, title), row < 3 || row >= N_ROWS - 3);
        free(title);
    }
    /* the chart shows rows 0 to 3 and 5 to 8 */
    const char *loss = strstr(text, "Chart: **Loss on the training items, by epoch**");
    assert_non_null(loss);
    const char *end = strchr(loss, '\n');
    const char *middle = strstr(loss, "row-4:");
    assert_true(!middle || middle > end);
    const char *next = strstr(loss, "row-5:");
    assert_true(next && next < end);
    free(text);
}

static void test_every_test_set_gets_its_extremes(void **state)
{
    (void)state;
    char *text = report_of_rows(N_ROWS, 2, "md");
    assert_non_null(strstr(text, "4 of 18 reliability diagrams are shown: on every test set the "
                                 "row nearest to the diagonal and the one farthest from it"));
    assert_int_equal(count_text(text, " on cifar10h**"), 2);
    assert_int_equal(count_text(text, " on cifar10s**"), 2);
    assert_int_equal(count_text(text, "**Reliability of row-0 on cifar10s**"), 1);
    assert_int_equal(count_text(text, "**Reliability of row-8 on cifar10s**"), 1);
    free(text);
    char *html = report_of_rows(N_ROWS, 2, "html");
    assert_int_equal(count_text(html, "2 runs; accuracy and confidence differ by 0.400 on average"),
                     2);
    free(html);
}

static void test_curves_have_intervals_where_there_is_room(void **state)
{
    (void)state;
    char *few = report_of_rows(3, 1, "html"), *many = report_of_rows(N_ROWS, 1, "html");
    assert_non_null(strstr(few, "Mean over runs; bands are 95 % intervals."));
    assert_non_null(strstr(many, "Mean over runs; whiskers are 95 % intervals. 8 of 9 rows"));
    free(few);
    free(many);
}

static void test_points_of_the_paper_stand_beside_ours(void **state)
{
    (void)state;
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 16);
    for (size_t seed = 1; seed <= 2; seed++) {
        add_run(&lines, "collins2022/figure10", "cifar10h-m2", "resnet8", seed,
                "\"cifar10h/cross_entropy\":1.5");
        sl_buffer_text(&lines, "}\n");
    }
    char *text = make_report(&lines, "collins2022/figure10", false, "md");
    assert_non_null(strstr(text, "Chart: **Cross-entropy on cifar10h, by annotator time**"));
    const char *chart = strstr(text, "Line chart of cross-entropy (lower is better) against "
                                     "Annotator time per item (s, log scale)");
    assert_non_null(chart);
    const char *end = strchr(chart, '\n');
    const char *ours = strstr(chart, "CIFAR-10H: 1.5"), *paper = strstr(chart, "CIFAR-10H, paper:");
    assert_true(ours && ours < end);
    assert_true(paper && paper < end);
    sl_buffer_release(&lines);
    free(text);
}

/* Figures from the authors' notebook are marked, and a note explains the mark. */
static void test_where_a_published_figure_was_found_is_said(void **state)
{
    (void)state;
    static const char *const formats[] = {"md", "html", "latex", "csv"};
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 16);
    add_run(&lines, "peterson2019/table1", "soft", "resnet8", 1, "\"c10h/cross_entropy\":0.5");
    sl_buffer_text(&lines, "}\n");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = make_report(&lines, "peterson2019/table1", false, formats[i]);
        const char *found = strstr(text, "0.346412");
        assert_non_null(found);
        const char *word = strstr(found, "notebook");
        assert_true(word && word - found < 64);
        if (i == 0) {
            assert_non_null(
                strstr(text, "**notebook** (38 figures): our copy of the paper is illegible"));
            assert_non_null(strstr(text, "**illegible** (25 figures): "));
            assert_null(strstr(text, "**in the text**"));
        }
        if (i < 3) assert_non_null(strstr(text, "scored best, so it has no"));
        free(text);
    }
    sl_buffer_release(&lines);
    /* A table without such figures has no such note. */
    char *text = report_of_rows(2, 1, "md");
    assert_null(strstr(text, "notebook"));
    free(text);
}

/* The paper prints "0 %" for each network. One of our networks is not in the paper; another stands
 * in for one that is. */
static void test_a_claim_about_one_network_is_not_judged_by_another(void **state)
{
    static const struct {
        const char *network, *counts;
    } rows[] = {{"resnet20", "Of 16 claims, **0 hold**, **0 fail** and 0 are undecided; 16 were"},
                {"resnet8", "Of 16 claims, **1 holds**, **0 fail** and 0 are undecided; 15 were"}};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct sl_buffer lines;
        sl_buffer_init(&lines, 1 << 16);
        for (size_t i = 0; i < 4; i++) {
            add_run(&lines, "peterson2019/figure4", i % 2 ? "soft" : "hard", rows[row].network,
                    1 + i / 2, i % 2 ? "\"c10/pgd_accuracy\":0.5" : "\"c10/pgd_accuracy\":0.25");
            sl_buffer_text(&lines, "}\n");
        }
        char *text = make_report(&lines, "peterson2019/figure4", false, "md");
        assert_non_null(strstr(text, rows[row].counts));
        assert_non_null(strstr(text, "resnet8 stands in for resnet\\_basic\\_110."));
        /* Their runs still fill the row over all networks. */
        assert_non_null(strstr(text, "| human labels | PGD accuracy, c10 | 50"));
        sl_buffer_release(&lines);
        free(text);
    }
}

static void test_many_figures_that_are_not_printed_do_not_bury_those_that_are(void **state)
{
    (void)state;
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 20);
    sl_buffer_text(&lines,
                   "{\"softlab\":\"result\",\"key\":\"f\",\"spec\":\"peterson2019/figure2\","
                   "\"computed\":{\"hard/ce-cifar10\":0.7");
    for (size_t i = 0; i < 13; i++)
        sl_buffer_printf(&lines, ",\"net%zu/hard/ce-v6\":1.%zu", i, i);
    sl_buffer_text(&lines, "}}\n");
    char *text = make_report(&lines, "peterson2019/figure2", false, "md");
    const char *printed = strstr(text, "| control | cross-entropy, cifar10 | 0.7");
    const char *fold = strstr(text, "**13 figures that the paper does not print**");
    assert_non_null(printed);
    assert_non_null(fold);
    assert_true(printed < fold);
    assert_non_null(strstr(fold, "| net12/hard |"));
    free(text);
    sl_buffer_release(&lines);
}

static void test_the_overview_counts_what_was_judged_by_what(void **state)
{
    (void)state;
    struct sl_buffer lines;
    sl_buffer_init(&lines, 1 << 16);
    for (size_t i = 0; i < 4; i++) {
        char metrics[64];
        snprintf(metrics, sizeof metrics, "\"cifar10h/cross_entropy\":%g",
                 (i % 2 ? 1.2 : 1.5) + (i < 2 ? 0 : .01));
        add_run(&lines, "collins2022/table2", i % 2 ? "t2-clamp" : "cifar10h", "resnet8", 1 + i / 2,
                metrics);
        sl_buffer_text(&lines, "}\n");
    }
    sl_buffer_text(&lines,
                   "{\"softlab\":\"result\",\"key\":\"c\",\"spec\":\"uma2020/table1\","
                   "\"scale\":\"quick\",\"set\":null,\"computed\":{\"pos/items\":14439}}\n");
    char *csv = make_report(&lines, "collins2022/table2", true, "csv");
    assert_non_null(strstr(csv, "overview-sources,2,small network,Runs,4,,,\n"));
    assert_non_null(strstr(csv, "overview-sources,1,from the authors' files,Runs,,,,"));
    assert_non_null(strstr(csv, "overview-tables,1,collins2022/table2,Scale,,,quick scale,\n"));
    assert_non_null(strstr(csv, "overview-tables,2,uma2020/table1,Scale,,,computed,\n"));
    char *md = make_report(&lines, "collins2022/table2", true, "md");
    /* The headline leaves out small networks; the next line says what it rests on. */
    assert_non_null(strstr(md,
                           "**No claim is decided with a paper's own network.** None of the "
                           "papers' 24 claims could be tested with it. With small networks (not a "
                           "reproduction): **1 holds**, **0 fail** and 0 are undecided.\n\nWhat "
                           "this rests on: 4 runs (small network); 2 runs per figure. 2 of "));
    assert_non_null(strstr(md, "| [collins2022/table2](#collins2022table2-one-annotators-label-at-"
                               "each-presentation) | **quick scale** |"));
    char *html = make_report(&lines, "collins2022/table2", true, "html");
    assert_non_null(strstr(html, "<a href=\"#collins2022-table2\">collins2022/table2</a>"));
    assert_non_null(strstr(html, "<h2 id=\"collins2022-table2\">"));
    free(html);
    free(csv);
    free(md);
    sl_buffer_release(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_left_out_is_said_in_every_format),
        cmocka_unit_test(test_extremes_are_what_is_shown),
        cmocka_unit_test(test_every_test_set_gets_its_extremes),
        cmocka_unit_test(test_curves_have_intervals_where_there_is_room),
        cmocka_unit_test(test_points_of_the_paper_stand_beside_ours),
        cmocka_unit_test(test_where_a_published_figure_was_found_is_said),
        cmocka_unit_test(test_a_claim_about_one_network_is_not_judged_by_another),
        cmocka_unit_test(test_many_figures_that_are_not_printed_do_not_bury_those_that_are),
        cmocka_unit_test(test_the_overview_counts_what_was_judged_by_what),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
