#include "html_check.h"

#include "softlab/report.h"

/* Everything that could end a text early in one of the formats. */
static const char nasty[] = "<script>alert('1')</script>&\"|`*_]]>\\end{document}%$#{}~^";

static char *render(const struct sl_report *report, const char *format)
{
    struct sl_error err;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 26);
    assert_ok(sl_report_render(report, sl_report_format_find(format), &out, &err), err);
    return out.data;
}

static void add_chart(struct sl_report *report, const char *text)
{
    const double x[] = {1, 2, 3}, y[] = {3, 1, 2};
    const struct sl_plot_series series = {.name = text, .count = 3, .x = x, .y = y};
    const struct sl_plot plot = {.kind = SL_PLOT_LINES,
                                 .title = text,
                                 .subtitle = text,
                                 .note = text,
                                 .x = {.label = text},
                                 .series = &series,
                                 .n_series = 1};
    struct sl_error err;
    assert_ok(sl_report_chart(report, &plot, text, &err), err);
}

static void add_table(struct sl_report *report, const char *text)
{
    const char *columns[] = {text, text, text, text, text};
    const struct sl_table_head head = {
        .id = text, .caption = text, .badge = text, .columns = columns, .n_columns = 5};
    struct sl_cell code = sl_cell_text(text), number = sl_cell_number(-1.5, .25, 2);
    code.kind = SL_CELL_CODE;
    number.text = text;
    number.strong = true;
    sl_report_table(report, &head);
    sl_report_cell(report, sl_cell_text(text));
    sl_report_cell(report, code);
    sl_report_cell(report, number);
    sl_report_cell(report, sl_cell_mark(SL_MARK_GOOD, text));
    sl_report_cell(report, sl_cell_empty(text));
}

static void add_gallery(struct sl_report *report, const char *text, const char *png)
{
    const char *classes[] = {text, "dog"};
    const char *series[] = {text, text};
    const double values[] = {.75, .25, .5, .5};
    const struct sl_gallery_head head = {.title = text,
                                         .badge = text,
                                         .note = text,
                                         .series = series,
                                         .n_series = 2,
                                         .classes = classes,
                                         .n_classes = 2};
    const struct sl_gallery_item item = {.name = text, .truth = text, .png = png, .values = values};
    sl_report_gallery(report, &head);
    sl_report_picture(report, &item);
}

/* A document with one text in every place that takes one. */
static struct sl_report *make_document(const char *text)
{
    struct sl_report *report = sl_report_create(text);
    sl_report_section(report, 2, text, text);
    sl_report_text(report, SL_STYLE_PLAIN, "%s", text);
    sl_report_text(report, SL_STYLE_STRONG, "%s", text);
    sl_report_text(report, SL_STYLE_CODE, "%s", text);
    sl_report_note(report, SL_TONE_WARNING);
    sl_report_text(report, SL_STYLE_PLAIN, "%s", text);
    sl_report_section(report, 2, text, text);
    sl_report_code(report, text);
    sl_report_fold(report, text);
    add_table(report, text);
    sl_report_fold_end(report);
    add_chart(report, text);
    add_gallery(report, text, text);
    sl_report_pair(report, text, text);
    return report;
}

static void test_every_text_is_escaped_in_html(void **state)
{
    (void)state;
    struct sl_report *report = make_document(nasty);
    char *html = render(report, "html");
    assert_true(assert_well_formed(html) > 60);
    /* The page's own script and no other. */
    assert_int_equal(count_text(html, "<script>"), 1);
    assert_int_equal(count_text(html, "<script"), 1);
    assert_int_equal(count_text(html, "</script>"), 1);
    /* Title twice, contents twice, headings twice, and so on: all are there. */
    assert_true(count_text(html, "&lt;script&gt;alert(") >= 30);
    free(html);
    sl_report_destroy(report);
}

static void test_no_format_lets_a_text_out_of_its_place(void **state)
{
    (void)state;
    struct sl_report *report = make_document(nasty);
    char *markdown = render(report, "md"), *latex = render(report, "latex");
    assert_null(strstr(latex, "}\\end{document}%$"));
    assert_int_equal(count_text(latex, "\\end{document}"), 1);
    assert_true(count_text(latex, "\\textbackslash{}\\allowbreak{}end\\{document\\allowbreak{}"
                                  "\\}\\%\\$\\#\\{\\}") >= 20);
    for (const char *at = strstr(markdown, "<script>"); at; at = strstr(at + 1, "<script>")) {
        /* Only in the indented lines of code, where nothing is markup. */
        const char *line = at;
        while (line > markdown && line[-1] != '\n')
            line--;
        assert_memory_equal(line, "    ", 4);
    }
    free(markdown);
    free(latex);
    sl_report_destroy(report);
}

static void test_code_below_pairs_is_no_part_of_their_list_in_markdown(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("title");
    sl_report_pair(report, "runs", "2");
    sl_report_code(report, "# first\nsoftlab train\n");
    sl_report_code(report, "# second\n");
    char *markdown = render(report, "md");
    assert_string_equal(markdown, "# title\n\n- runs: 2\n\n<!-- code -->\n\n    # first\n"
                                  "    softlab train\n\n    # second\n\n");
    free(markdown);
    sl_report_destroy(report);
}

static void test_the_same_document_gives_the_same_bytes(void **state)
{
    (void)state;
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++) {
        struct sl_report *a = make_document("plain words"), *b = make_document("plain words");
        char *first = render(a, format->name), *second = render(b, format->name);
        assert_string_equal(first, second);
        assert_true(strlen(first) > 100);
        assert_true(format->summary && format->suffix[0] == '.');
        free(first);
        free(second);
        sl_report_destroy(a);
        sl_report_destroy(b);
    }
    assert_null(sl_report_format_find("pdf"));
}

static void test_ids_are_safe_and_unique(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("ids");
    sl_report_section(report, 2, "a/b", "one");
    sl_report_section(report, 2, "a/b", "two");
    sl_report_section(report, 2, "1\" onclick=\"x", "three");
    char *html = render(report, "html");
    assert_non_null(strstr(html, "<h2 id=\"a-b\"><a href=\"#a-b\">one</a></h2>"));
    assert_non_null(strstr(html, "<h2 id=\"a-b-2\"><a href=\"#a-b-2\">two</a></h2>"));
    assert_non_null(
        strstr(html, "<h2 id=\"x1--onclick--x\"><a href=\"#x1--onclick--x\">three</a>"));
    assert_non_null(strstr(html, "<li><a href=\"#a-b-2\">two</a></li>"));
    free(html);
    sl_report_destroy(report);
}

static struct sl_report *make_numbers(void)
{
    static const char *const columns[] = {"row", "figure", "claim"};
    const struct sl_table_head head = {
        .id = "numbers", .caption = "Numbers", .columns = columns, .n_columns = 3};
    struct sl_report *report = sl_report_create("numbers");
    sl_report_table(report, &head);
    sl_report_cell(report, sl_cell_text("=SUM(A1)"));
    sl_report_cell(report, sl_cell_number(-1.2345, .055, 2));
    sl_report_cell(report, sl_cell_mark(SL_MARK_BAD, "fails"));
    sl_report_cell(report, sl_cell_text("@cmd"));
    sl_report_cell(report, sl_cell_number(-.001, NAN, 2));
    sl_report_cell(report, sl_cell_mark(SL_MARK_OPEN, "-undecided"));
    sl_report_cell(report, sl_cell_text("short row"));
    sl_report_cell(report, sl_cell_number(NAN, NAN, 2));
    return report;
}

static void test_numbers_have_signs_intervals_and_keys_to_sort_by(void **state)
{
    (void)state;
    struct sl_report *report = make_numbers();
    char *html = render(report, "html");
    assert_well_formed(html);
    assert_non_null(strstr(html, "<td class=\"number\" data-k=\"-1.2345\">\u22121.23 <span "
                                 "class=\"pm\">\u00b1</span> 0.06</td>"));
    /* What rounds to nothing has no sign. */
    assert_non_null(strstr(html, "data-k=\"-0.001\">0.00</td>"));
    assert_non_null(strstr(html, "<td class=\"number\"><span class=\"soft\">\u2013</span></td>"));
    assert_non_null(strstr(html, "class=\"mark bad\"><span aria-hidden=\"true\">\u2717</span> "
                                 "fails</span>"));
    /* The row that was not whole has all its cells. */
    assert_int_equal(count_text(html, "<td"), 6);
    assert_int_equal(count_text(html, "<th scope=\"row\""), 3);
    free(html);
    sl_report_destroy(report);
}

static void test_csv_holds_every_cell_and_no_formula(void **state)
{
    (void)state;
    struct sl_report *report = make_numbers();
    char *csv = render(report, "csv"), *html = render(report, "html");
    assert_string_equal(csv, "table,row,head,column,value,plus_or_minus,text,warning\n"
                             "numbers,1,'=SUM(A1),figure,-1.2345,0.055,,\n"
                             "numbers,1,'=SUM(A1),claim,,,fails,\n"
                             "numbers,2,'@cmd,figure,-0.001,,,\n"
                             "numbers,2,'@cmd,claim,,,'-undecided,\n"
                             "numbers,3,short row,figure,,,,\n"
                             "numbers,3,short row,claim,,,,\n");
    /* What the page offers for download. */
    assert_non_null(strstr(html, "data-text=\"row,figure,&quot;figure, plus or minus&quot;,claim\n"
                                 "&#39;=SUM(A1),-1.23,0.06,fails\n"
                                 "&#39;@cmd,0.00,,&#39;-undecided\n"
                                 "short row,,,\n\">CSV</a>"));
    free(csv);
    free(html);
    sl_report_destroy(report);
}

static void test_latex_and_markdown_tables_hold_the_same(void **state)
{
    (void)state;
    struct sl_report *report = make_numbers();
    char *latex = render(report, "latex"), *markdown = render(report, "md");
    assert_non_null(strstr(latex, "\\begin{longtable}{lrl}\n\\caption{Numbers}\\label{numbers}"));
    assert_non_null(strstr(latex, "=SUM(A1) & $-1.23 \\pm 0.06$ & $\\times$ fails \\\\\n"));
    assert_non_null(strstr(markdown, "| row | figure | claim |\n| --- | ---: | --- |\n"
                                     "| =SUM(A1) | -1.23 \u00b1 0.06 | \u2717 fails |\n"));
    free(latex);
    free(markdown);
    sl_report_destroy(report);
}

static void test_a_badge_stands_wherever_its_table_goes(void **state)
{
    (void)state;
    static const char *const columns[] = {"row", "figure"};
    const struct sl_table_head head = {
        .id = "t", .caption = "c", .badge = "quick scale", .columns = columns, .n_columns = 2};
    struct sl_report *report = sl_report_create("badge");
    sl_report_table(report, &head);
    sl_report_cell(report, sl_cell_text("a"));
    sl_report_cell(report, sl_cell_number(1, NAN, 0));
    char *html = render(report, "html"), *markdown = render(report, "md");
    char *latex = render(report, "latex"), *csv = render(report, "csv");
    assert_non_null(strstr(html, "<strong class=\"badge\">quick scale</strong> c</figcaption>"));
    assert_non_null(strstr(html, "data-text=\"row,figure,warning\na,1,quick scale\n\">CSV"));
    assert_non_null(strstr(markdown, "**quick scale**. c"));
    assert_non_null(strstr(latex, "\\textbf{quick scale.} c"));
    assert_non_null(strstr(csv, ",1,,,quick scale\n"));
    free(html);
    free(markdown);
    free(latex);
    free(csv);
    sl_report_destroy(report);
}

static void test_a_gallery_takes_pngs_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        const char *png;
        bool is_shown;
    } cases[] = {{"iVBORw0KGgoAAAA=", true},
                 {"iVBORw0KGgoAAAA", false},          /* not whole */
                 {"iVBORw0KGgo\" onload=\"x", false}, /* leaves the attribute */
                 {"R0lGODlhAQABAAAAACw=", false},     /* a GIF */
                 {"", false},
                 {NULL, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_report *report = sl_report_create("gallery");
        add_gallery(report, "cat", cases[i].png);
        char *html = render(report, "html");
        assert_well_formed(html);
        assert_int_equal(strstr(html, "<img ") != NULL, cases[i].is_shown);
        assert_int_equal(strstr(html, "onload") != NULL, false);
        free(html);
        sl_report_destroy(report);
    }
}

static void test_a_gallery_says_its_distributions_in_words(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("gallery");
    add_gallery(report, "cat", NULL);
    char *html = render(report, "html"), *markdown = render(report, "md");
    assert_non_null(strstr(html, "<th scope=\"row\">dog</th><td><span class=\"bar one\" "
                                 "style=\"width:11.0%\"></span><span class=\"share\">0.25</span>"));
    assert_non_null(strstr(markdown, "| cat 0.75, dog 0.25 | cat 0.50, dog 0.50 |"));
    free(html);
    free(markdown);
    sl_report_destroy(report);
}

static void test_charts_that_follow_each_other_share_a_frame(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("charts");
    add_chart(report, "one");
    add_chart(report, "two");
    sl_report_paragraph(report);
    add_chart(report, "three");
    char *html = render(report, "html"), *markdown = render(report, "md");
    assert_well_formed(html);
    assert_int_equal(count_text(html, "<div class=\"charts\">"), 2);
    assert_int_equal(count_text(html, "<svg "), 3);
    assert_int_equal(count_text(html, "id='chart-0'") + count_text(html, "id=\"chart-0\""), 1);
    /* The rules of all charts stand in the page's head, once. */
    assert_int_equal(count_text(html, "<style>"), 1);
    assert_non_null(strstr(html, "\n.sl-plot .h{font-size:"));
    assert_non_null(strstr(html, ":where(.sl-plot){--sl-paper:"));
    assert_null(strstr(html, "#chart-0 "));
    /* Without pictures the text alternative stands for the chart. */
    assert_non_null(strstr(markdown, "Chart: **two**. "));
    assert_true(strlen(strstr(markdown, "Chart: **two**. ")) > 60);
    free(html);
    free(markdown);
    sl_report_destroy(report);
}

static void test_a_chart_that_cannot_be_drawn_adds_nothing(void **state)
{
    (void)state;
    struct sl_report *report = sl_report_create("charts");
    const double x[] = {0, 1};
    const struct sl_plot_series series = {.count = 2, .x = x, .y = x};
    const struct sl_plot plot = {.kind = SL_PLOT_LINES,
                                 .title = "log of nothing",
                                 .x = {.scale = SL_SCALE_LOG},
                                 .series = &series,
                                 .n_series = 1};
    struct sl_error err;
    assert_true(sl_report_chart(report, &plot, NULL, &err) != SL_OK);
    char *html = render(report, "html");
    assert_null(strstr(html, "<svg"));
    free(html);
    sl_report_destroy(report);
}

static void test_a_document_beyond_the_buffer_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_report *report = make_document("words");
    struct sl_buffer out;
    sl_buffer_init(&out, 1000);
    assert_fails(sl_report_render(report, sl_report_formats, &out, &err), SL_ERR_INPUT, err,
                 "the report is longer than 1000 bytes");
    sl_buffer_release(&out);
    sl_report_destroy(report);
}

static void test_a_file_has_the_format_of_its_ending(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_report *report = make_document("words");
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++) {
        char *path = sl_string_printf("%s%s", test_path("report"), format->suffix);
        char *expected = render(report, format->name);
        struct sl_buffer written;
        sl_buffer_init(&written, 1 << 26);
        assert_ok(sl_report_write(report, path, &err), err);
        assert_ok(sl_file_read(path, &written, &err), err);
        assert_string_equal(written.data, expected);
        sl_buffer_release(&written);
        free(expected);
        free(path);
    }
    assert_fails(sl_report_write(report, test_path("report.pdf"), &err), SL_ERR_USAGE, err,
                 "end the name of a report in one of .html, .md, .csv, .tex");
    assert_false(sl_file_exists(test_path("report.pdf")));
    assert_fails(sl_report_write(report, test_path("no/such.html"), &err), SL_ERR_IO, err,
                 "such.html: No such file or directory");
    sl_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_text_is_escaped_in_html),
        cmocka_unit_test(test_no_format_lets_a_text_out_of_its_place),
        cmocka_unit_test(test_code_below_pairs_is_no_part_of_their_list_in_markdown),
        cmocka_unit_test(test_the_same_document_gives_the_same_bytes),
        cmocka_unit_test(test_ids_are_safe_and_unique),
        cmocka_unit_test(test_numbers_have_signs_intervals_and_keys_to_sort_by),
        cmocka_unit_test(test_csv_holds_every_cell_and_no_formula),
        cmocka_unit_test(test_latex_and_markdown_tables_hold_the_same),
        cmocka_unit_test(test_a_badge_stands_wherever_its_table_goes),
        cmocka_unit_test(test_a_gallery_takes_pngs_and_nothing_else),
        cmocka_unit_test(test_a_gallery_says_its_distributions_in_words),
        cmocka_unit_test(test_charts_that_follow_each_other_share_a_frame),
        cmocka_unit_test(test_a_chart_that_cannot_be_drawn_adds_nothing),
        cmocka_unit_test(test_a_document_beyond_the_buffer_is_refused),
        cmocka_unit_test(test_a_file_has_the_format_of_its_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
