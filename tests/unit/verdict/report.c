#include "html_check.h"
#include "outcome_scene.h"

static char *make_report(const struct sl_results *results, const char *spec, const char *format)
{
    struct sl_error err;
    struct sl_report *report;
    struct sl_buffer out;
    struct sl_report_options options = {
        .specs = spec ? &spec : NULL, .n_specs = spec != NULL, .command = "softlab report <x>"};
    sl_buffer_init(&out, 1 << 27);
    assert_ok(sl_verdict_report(results, &options, &report, &err), err);
    assert_ok(sl_report_render(report, sl_report_format_find(format), &out, &err), err);
    sl_report_destroy(report);
    return out.data;
}

/* The row that begins with this head has these parts. */
static void assert_row(const char *html, const char *head, const char *part)
{
    const char *row = strstr(html, head), *end = row ? strstr(row, "</tr>") : NULL;
    if (!end) HTML_FAIL("no row %s", head);
    const char *found = strstr(row, part);
    if (!found || found > end) fail_msg("\"%s\" is not in %.*s", part, (int)(end - row), row);
}

static void test_every_cell_stands_beside_the_papers(void **state)
{
    (void)state;
    sl_spec_destroy(scene_read());
    struct sl_results *results = scene_results();
    char *html = make_report(results, test_path("spec"), "html");
    assert_well_formed(html);
    const char *list = strstr(html, "id=\"x-figures\"");
    assert_non_null(list);
    assert_row(list, "<tr><th scope=\"row\">Row A</th><td>cross-entropy, t</td>",
               "data-k=\"1.2\">1.200 <span class=\"pm\">\u00b1</span> 0.497</td>"
               "<td class=\"number\" data-k=\"3\">3</td>"
               "<td class=\"number\" data-k=\"1.29\">1.29 <span class=\"pm\">\u00b1</span> 0.08"
               "</td><td class=\"number\" data-k=\"15\">15</td>");
    assert_row(list, "<th scope=\"row\">Row A</th><td>cross-entropy, t</td>", ">\u22120.090</td>");
    assert_row(list, "<th scope=\"row\">Row A</th><td>accuracy, t</td>",
               ">82.00 <span class=\"pm\">\u00b1</span> 4.97</td>");
    assert_row(list, "<th scope=\"row\">Row A</th><td>accuracy, t</td>",
               ">81.5 <span class=\"soft\">in the text</span></td>");
    assert_row(list, "<th scope=\"row\">Gone</th>", "<span class=\"soft\">nobody kept it</span>");
    assert_row(list, "<th scope=\"row\">Gone</th>", "<span class=\"soft\">illegible</span>");
    assert_row(list, "<th scope=\"row\">Made</th><td>annotator time (s)</td>",
               ">12.50 <span class=\"soft\">computed</span></td>");
    free(html);
    sl_results_destroy(results);
}

static void test_every_claim_has_its_verdict_and_interval(void **state)
{
    (void)state;
    struct sl_results *results = scene_results();
    char *html = make_report(results, test_path("spec"), "html");
    const char *claims = strstr(html, "id=\"x-claims\"");
    assert_non_null(claims);
    assert_row(claims, "A is better\u201d (1)</th>",
               "<td data-title=\"What is compared\">a better than b: cross-entropy, t</td>");
    assert_row(claims, "A is better\u201d (1)</th>",
               "<td data-title=\"Our figures\">1.200 and 1.700</td>");
    assert_row(claims, "A is better\u201d (1)</th>",
               "0.500 <span class=\"pm\">\u00b1</span> 0.248</td>");
    assert_row(claims, "A is better\u201d (1)</th>", "</span> holds</span>");
    assert_row(claims, "A is better\u201d (1)</th>",
               "<td data-title=\"Why\">paired t-test, 3 pairs; the interval lies above 0; "
               "paper&#39;s network, fewer runs (3 of 15 runs)</td>");
    assert_row(claims, "B is better\u201d (1)</th>", "</span> fails</span>");
    assert_row(claims, "A is better than C\u201d", "</span> undecided</span>");
    assert_row(claims, "A is better than C\u201d", "Welch");
    assert_row(claims, "A is better than C\u201d", "</span> not printed</span>");
    assert_row(claims, "A and C are alike\u201d",
               "alike means a difference of at most 5 % of the larger mean, 0.065");
    assert_row(claims, "not to be had\u201d", "</span> not run</span>");
    assert_row(claims, "the limit is less\u201d", "counts from a file");
    assert_non_null(strstr(html, "<p>Of 11 claims, <strong>3 hold</strong>, <strong>2 "
                                 "fail</strong> and 5 are undecided; 1 was not run.</p>"));
    assert_non_null(strstr(html,
                           "Of the papers&#39; 11 claims, 8 were tested with the paper&#39;s own "
                           "network: <strong>2 hold</strong>, <strong>1 fails</strong> and 5 are "
                           "undecided. From the authors&#39; files, without training: <strong>1 "
                           "holds</strong>, <strong>1 fails</strong> and 0 are undecided.</p>\n<p "
                           "class=\"basis\">What this rests on: 9 runs (paper&#39;s network, "
                           "fewer runs), 1 figure from the authors&#39; files; 3 runs per figure. "
                           "4 of 5 published figures in 1 table have a value here."));
    free(html);
    sl_results_destroy(results);
}

static void test_all_formats_say_the_same(void **state)
{
    (void)state;
    struct sl_results *results = scene_results();
    char *markdown = make_report(results, test_path("spec"), "md");
    char *latex = make_report(results, test_path("spec"), "latex");
    char *csv = make_report(results, test_path("spec"), "csv");
    assert_non_null(strstr(markdown, "| Row A | cross-entropy, t | 1.200 \u00b1 0.497 | 3 | "
                                     "1.29 \u00b1 0.08 | 15 | -0.090 |"));
    assert_non_null(strstr(latex, "Row A & cross-entropy, t & $1.200 \\pm 0.497$ & $3$ & "
                                  "$1.29 \\pm 0.08$ & $15$ & $-0.090$ \\\\"));
    assert_non_null(strstr(csv, "\nx-figures,1,Row A,Paper,1.29,0.08,,\n"));
    assert_non_null(strstr(csv, "\nx-claims,1,\u201cA is better\u201d (1),Verdict,,,holds,\n"));
    assert_null(strstr(markdown, "quick"));
    free(markdown);
    free(latex);
    free(csv);
    sl_results_destroy(results);
}

#define HOSTILE "<script>x</script>"

/* A result line in which every text is hostile. */
static const char hostile[] =
    "{\"softlab\":\"result\",\"key\":\"h1\",\"spec\":\"collins2022/table2\",\"scale\":\"quick\","
    "\"variant\":\"" HOSTILE "\",\"set\":\"" HOSTILE "\",\"network\":\"" HOSTILE "\",\"seed\":1,"
    "\"metrics\":{\"cifar10h/cross_entropy\":1.5},\"curve\":[[1,2,0.5,null],[2,1,0.75,null]],"
    "\"attacks\":{\"" HOSTILE "\":[1,2,3]},"
    "\"reliability\":{\"cifar10h\":[[0,1,10,0.5,0.4]]},"
    "\"gallery\":[{\"item\":\"" HOSTILE "\",\"truth\":\"" HOSTILE "\",\"human\":[0.5,0.5],"
    "\"model\":[1,0],\"png\":\"" HOSTILE "\"},{\"item\":7,\"human\":[1],\"model\":null}],"
    "\"classes\":[\"" HOSTILE "\",\"=1+1\"],\"commands\":[[\"train\",\"" HOSTILE "\",\"it's\"]],"
    "\"provenance\":{\"version\":\"" HOSTILE "\",\"build\":\"" HOSTILE "\"},"
    "\"time\":{\"started\":\"" HOSTILE "\",\"seconds\":1,\"machine\":\"" HOSTILE "\"}}\n"
    "{\"softlab\":\"failure\",\"key\":\"h2\",\"spec\":\"" HOSTILE "\",\"set\":\"" HOSTILE "\","
    "\"network\":\"" HOSTILE "\",\"log\":\"" HOSTILE "\"}\n"
    "{\"softlab\":\"result\",\"key\":\"h3\",\"spec\":\"" HOSTILE
    "\",\"set\":\"a\",\"metrics\":{}}\n";

static void test_small_numbers_say_what_they_are(void **state)
{
    (void)state;
    static const char lines[] =
        "{\"softlab\":\"result\",\"key\":\"s1\",\"spec\":\"collins2022/"
        "table2\",\"scale\":\"small\","
        "\"variant\":\"as-run\",\"set\":\"t2-clamp\",\"network\":\"resnet20\",\"seed\":1,"
        "\"metrics\":{\"cifar10h/cross_entropy\":1.5}}\n"
        "{\"softlab\":\"result\",\"key\":\"s2\",\"spec\":\"thesis2022/"
        "figure3.6\",\"scale\":\"small\","
        "\"variant\":\"as-run\",\"set\":\"t2-clamp-n250\",\"network\":\"resnet34a\",\"seed\":1,"
        "\"metrics\":{\"cifar10h/cross_entropy\":1.5}}\n";
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    test_write(test_path("small.jsonl"), lines, sizeof lines - 1);
    assert_ok(sl_results_read(results, test_path("small.jsonl"), &err), err);
    sl_results_settle(results);
    char *markdown = make_report(results, "collins2022/table2", "md");
    assert_non_null(strstr(markdown, "**small scale, not a reproduction**. collins2022/table2"));
    assert_non_null(strstr(markdown, "Figures at **small scale** come from ResNet-20"));
    assert_null(strstr(markdown, "quick"));
    free(markdown);
    /* The paper's own network with fewer runs. */
    markdown = make_report(results, "thesis2022/figure3.6", "md");
    assert_null(strstr(markdown, "not a reproduction"));
    free(markdown);
    markdown = make_report(results, NULL, "md");
    assert_non_null(strstr(markdown, "1 run (small network)"));
    assert_non_null(strstr(markdown, "1 run (paper's network, fewer runs)"));
    free(markdown);
    sl_results_destroy(results);
}

static struct sl_results *read_hostile(void)
{
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    test_write(test_path("hostile.jsonl"), hostile, sizeof hostile - 1);
    assert_ok(sl_results_read(results, test_path("hostile.jsonl"), &err), err);
    sl_results_settle(results);
    return results;
}

static void test_no_text_of_a_result_becomes_markup(void **state)
{
    (void)state;
    struct sl_results *results = read_hostile();
    char *html = make_report(results, NULL, "html");
    assert_well_formed(html);
    assert_int_equal(count_text(html, "<script"), 1);
    assert_true(count_text(html, "&lt;script&gt;x&lt;/script&gt;") >= 20);
    assert_null(strstr(html, "<img "));
    /* Commands are quoted for a shell. */
    assert_non_null(strstr(html, "softlab train &#39;&lt;script&gt;x&lt;/script&gt;&#39; "
                                 "&#39;it&#39;\\&#39;&#39;s&#39;"));
    free(html);
    sl_results_destroy(results);
}

static void test_quick_numbers_say_so_in_bold_wherever_they_appear(void **state)
{
    (void)state;
    struct sl_results *results = read_hostile();
    char *html = make_report(results, "collins2022/table2", "html");
    char *markdown = make_report(results, "collins2022/table2", "md");
    char *latex = make_report(results, "collins2022/table2", "latex");
    const char *badge = "<strong class=\"badge\">quick scale, not a reproduction</strong>";
    size_t n_charts = count_text(html, "<figure class=\"chart\">");
    size_t n_tables = count_text(html, "class=\"sortable");
    assert_true(n_charts >= 4 && n_tables >= 3);
    /* A badge at every chart, at the gallery, and at every table except the overview's and that of
     * failures. */
    assert_int_equal(count_text(html, badge), n_charts + n_tables - 2 + 1);
    assert_non_null(strstr(html, "<td><strong>quick scale</strong></td>"));
    assert_non_null(strstr(html, "<strong>quick scale</strong>, not a reproduction"));
    assert_non_null(strstr(markdown, "**quick scale**, not a reproduction"));
    assert_true(count_text(latex, "\\textbf{quick scale") >= n_tables);
    free(html);
    free(markdown);
    free(latex);
    sl_results_destroy(results);
}

static void test_what_is_not_here_is_listed_with_its_reason(void **state)
{
    (void)state;
    struct sl_results *results = read_hostile();
    char *html = make_report(results, NULL, "html");
    const char *list = strstr(html, "id=\"not-here-2\"");
    assert_non_null(list);
    assert_row(list, "<th scope=\"row\">uma2020/table2</th>", "not run; data differ");
    assert_row(list, "<th scope=\"row\">peterson2019/figure2</th>", "not run");
    assert_null(strstr(list, "<th scope=\"row\">collins2022/table2</th>"));
    size_t n_specs = 0;
    while (sl_builtin_specs[n_specs])
        n_specs++;
    assert_int_equal(count_text(list, "<th scope=\"row\">"), n_specs - 1);
    assert_non_null(strstr(html, "id=\"failed-runs\""));
    assert_non_null(strstr(html, "Results of <code>&lt;script&gt;x&lt;/script&gt;</code> are not"));
    free(html);
    sl_results_destroy(results);
}

static void test_a_table_without_results_can_be_asked_for(void **state)
{
    (void)state;
    struct sl_results *none = sl_results_create();
    char *html = make_report(none, "peterson2019/table1", "html");
    assert_well_formed(html);
    assert_non_null(strstr(html, "<p class=\"answer\"><strong>No claim is decided with a "
                                 "paper&#39;s own network.</strong> None of the "));
    assert_non_null(strstr(html, "What this rests on: no run and no figure. 0 of 193 published "
                                 "figures in 1 table have a value here."));
    assert_non_null(strstr(html, "<span class=\"soft\">not run</span>"));
    assert_null(strstr(html, "id=\"not-here"));
    free(html);
    sl_results_destroy(none);
}

static void test_a_table_that_shares_runs_is_shown_with_them(void **state)
{
    (void)state;
    /* One run counts for the tables of two papers. */
    struct sl_error err;
    struct sl_spec *spec;
    struct sl_planned *planned;
    assert_ok(sl_spec_read("collins2022/table2", "quick", &spec, &err), err);
    assert_ok(sl_planned_create(spec, false, &planned, &err), err);
    const struct sl_planned_run *run = &planned->runs[0];
    struct sl_buffer line;
    sl_buffer_init(&line, 1 << 16);
    sl_buffer_printf(&line,
                     "{\"softlab\":\"result\",\"key\":\"%s\",\"spec\":\"collins2022/table2\","
                     "\"scale\":\"quick\",\"variant\":\"as-run\",\"set\":\"%s\",\"network\":"
                     "\"%s\",\"seed\":1,\"metrics\":{\"cifar10h/cross_entropy\":1.375}}\n",
                     run->key, run->set, run->network);
    test_write(test_path("shared.jsonl"), line.data, line.length);
    struct sl_results *results = sl_results_create();
    assert_ok(sl_results_read(results, test_path("shared.jsonl"), &err), err);
    char *html = make_report(results, NULL, "html");
    assert_row(html,
               "<th scope=\"row\"><a href=\"#thesis2022-table3-2\">thesis2022/table3.2</a></th>",
               ">1</td><td class=\"number\" data-k=\"1\">1</td><td class=\"number\" "
               "data-k=\"12\">12</td>");
    assert_true(count_text(html, "data-k=\"1.375\"") >= 4);
    assert_null(strstr(html, "<h2 id=\"peterson2019"));
    free(html);
    sl_results_destroy(results);
    sl_buffer_release(&line);
    sl_planned_destroy(planned);
    sl_spec_destroy(spec);
}

static void test_ones_own_table_stands_before_the_papers(void **state)
{
    (void)state;
    static const char lines[] =
        "{\"softlab\":\"result\",\"key\":\"p\",\"spec\":\"collins2022/table2\",\"scale\":\"quick\","
        "\"variant\":\"as-run\",\"set\":\"hard\",\"network\":\"resnet8\",\"seed\":1,"
        "\"metrics\":{\"cifar10h/cross_entropy\":1.5}}\n"
        "{\"softlab\":\"spec\",\"version\":1,\"key\":\"s\",\"spec\":\"mine\",\"document\":"
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"mine\",\"title\":\"Mine\","
        "\"sets\":{\"hard\":{\"labels\":null}},\"networks\":[\"resnet8\"],\"recipe\":\"quick\","
        "\"data\":\"shapes\",\"seeds\":[1],\"tests\":{\"new\":{\"data\":\"shapes\","
        "\"labels\":\"hard\",\"metrics\":[\"accuracy\"]}}}}\n"
        "{\"softlab\":\"result\",\"key\":\"o\",\"spec\":\"mine\",\"scale\":\"quick\","
        "\"variant\":\"as-run\",\"set\":\"hard\",\"network\":\"resnet8\",\"seed\":1,"
        "\"metrics\":{\"new/accuracy\":0.5}}\n";
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    const char *path = test_path("results.jsonl");
    test_write(path, lines, sizeof lines - 1);
    assert_ok(sl_results_read(results, path, &err), err);
    sl_results_settle(results);
    char *html = make_report(results, NULL, "html");
    assert_well_formed(html);
    const char *own = strstr(html, "<h2 id=\"mine\">"), *papers = strstr(html, "id=\"overview\"");
    assert_non_null(own);
    assert_non_null(papers);
    assert_true(own < papers);
    assert_int_equal(count_text(html, "<h2 id=\"mine\">"), 1);
    free(html);
    sl_results_destroy(results);
}

static void test_claims_without_a_paper_do_not_speak_of_one(void **state)
{
    (void)state;
    static const char spec[] =
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"own\",\"title\":\"Own\","
        "\"sets\":{\"a\":{},\"b\":{}},\"table\":{\"rows\":[\"set\"],\"columns\":[\"t/accuracy\"],"
        "\"pool\":[\"seed\"],\"interval\":\"t95\",\"cells\":{}}}\n";
    static const char claims[] = "claim,better,worse,metric,test_set,section,words\n"
                                 "better:a-b,a,b,accuracy,t,,A is better\n";
    static const char figures[] = "set,seed,t/accuracy\na,1,0.8\na,2,0.9\nb,1,0.5\nb,2,0.61\n";
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    assert_ok(sl_folder_create(test_path("own"), &err), err);
    test_write(test_path("own/spec.json"), spec, sizeof spec - 1);
    test_write(test_path("own/claims.csv"), claims, sizeof claims - 1);
    test_write(test_path("own.csv"), figures, sizeof figures - 1);
    const char *folder = test_path("own");
    const struct sl_figures_for purpose = {.specs = &folder, .n_specs = 1};
    assert_ok(sl_results_read_csv(results, test_path("own.csv"), &purpose, &err), err);
    char *markdown = make_report(results, test_path("own"), "md");
    const char *table = strstr(markdown, "| Claim | What is compared |"),
               *end = table ? strstr(table, "\n\n") : NULL;
    assert_non_null(end);
    char *words = sl_string_copy_n(table, (size_t)(end - table));
    assert_null(strstr(words, "paper"));
    assert_non_null(strstr(words, "| Why |\n"));
    assert_non_null(strstr(words, "paired t-test, 2 pairs; the interval lies above 0; "));
    free(words);
    free(markdown);
    sl_results_destroy(results);
}

static void test_an_unknown_specification_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_report *report;
    struct sl_results *none = sl_results_create();
    const char *name = "collins2022/table99";
    struct sl_report_options options = {.specs = &name, .n_specs = 1};
    assert_fails(sl_verdict_report(none, &options, &report, &err), SL_ERR_NOT_FOUND, err,
                 "collins2022/table");
    sl_results_destroy(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cell_stands_beside_the_papers),
        cmocka_unit_test(test_every_claim_has_its_verdict_and_interval),
        cmocka_unit_test(test_all_formats_say_the_same),
        cmocka_unit_test(test_no_text_of_a_result_becomes_markup),
        cmocka_unit_test(test_quick_numbers_say_so_in_bold_wherever_they_appear),
        cmocka_unit_test(test_small_numbers_say_what_they_are),
        cmocka_unit_test(test_what_is_not_here_is_listed_with_its_reason),
        cmocka_unit_test(test_a_table_without_results_can_be_asked_for),
        cmocka_unit_test(test_a_table_that_shares_runs_is_shown_with_them),
        cmocka_unit_test(test_ones_own_table_stands_before_the_papers),
        cmocka_unit_test(test_claims_without_a_paper_do_not_speak_of_one),
        cmocka_unit_test(test_an_unknown_specification_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
