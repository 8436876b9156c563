#include "support.h"

#include "report/report_internal.h"

static char *render(const struct sl_report *report, const char *format)
{
    struct sl_error err;
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 24);
    assert_ok(sl_report_render(report, sl_report_format_find(format), &out, &err), err);
    return out.data;
}

static void assert_text(const char *text, bool is_code, const char *expected)
{
    struct sl_buffer out;
    sl_buffer_init(&out, 1 << 16);
    if (is_code)
        sl_report_latex_code(&out, text);
    else
        sl_report_latex_text(&out, text);
    assert_string_equal(out.length ? out.data : "", expected);
    sl_buffer_release(&out);
}

static void test_signs_of_tex_are_printed_and_not_obeyed(void **state)
{
    (void)state;
    assert_text("a_b 5% $ & # {x} ~ ^", false,
                "a\\_b 5\\% \\$ \\& \\# \\{x\\} \\textasciitilde{} \\textasciicircum{}");
    assert_text("\\ < > | \" `", false,
                "\\textbackslash{} \\textless{} \\textgreater{} \\textbar{} \\char34{} "
                "\\textasciigrave{}");
    /* At the start of a row these would be arguments of the row before. */
    assert_text("[3] *", false, "{[}3] {*}");
    assert_text("a\nb\tc", false, "a b c");
}

static void test_dashes_and_quotes_do_not_melt_together(void **state)
{
    (void)state;
    assert_text("--seed ''x'' it's", false, "-{}-seed '{}'x'{}' it's");
    assert_text("--seed 'x'", true, "-{}-seed \\textquotesingle{}x\\textquotesingle{}");
}

static void test_characters_beyond_ascii_are_printed_or_named(void **state)
{
    (void)state;
    assert_text("±−×≤→…✓μ", false,
                "$\\pm$$-$$\\times$$\\leq$$\\rightarrow$\\ldots{}$\\checkmark$$\\mu$");
    assert_text("“é” – Łódź ‘ß’ €", false, "“é” – Łódź ‘ß’ €");
    assert_text("猫 \U0001f408 ħ", false,
                "{\\scriptsize U+732B} {\\scriptsize U+1F408} {\\scriptsize U+0127}");
    assert_text("a\xff\xc3", false, "a{\\scriptsize U+FFFD}{\\scriptsize U+FFFD}");
    assert_text("\x01", false, "{\\scriptsize U+0001}");
}

static void test_long_words_can_be_broken(void **state)
{
    (void)state;
    assert_text("collins2022/table2", false, "collins2022/\\allowbreak{}table2");
    assert_text("e.g. a/b", false, "e.g. a/b");
    assert_text("0123456789abcdef0123456789", false,
                "0123456789ab\\allowbreak{}cdef01234567\\allowbreak{}89");
    assert_text("misclassifications", false, "misclassifications");
    /* LaTeX does this by itself, except in typewriter letters. */
    assert_text("cross-entropy-of-all", false, "cross-entropy-of-all");
    assert_text("cross-entropy-of", true, "cross-\\allowbreak{}entropy-\\allowbreak{}of");
}

/* What \settowidth says of these words in ten-point Latin Modern, in points over ten. */
static void test_widths_are_those_that_letters_have(void **state)
{
    (void)state;
    double longest = 0;
    assert_near(sl_report_latex_width("end{document}", false, &longest), 6.8333, 2e-3);
    assert_near(longest, 6.8333, 2e-3);
    longest = 0;
    assert_near(sl_report_latex_width("mmmmmmmmmmmm", false, &longest), 9.9996, 5e-3);
    longest = 0;
    assert_near(sl_report_latex_width("a cross-entropy, ±1", false, &longest), 8.544, 2e-3);
    assert_near(longest, 3.643, 2e-3); /* "entropy," */
    longest = 0;
    assert_near(sl_report_latex_width("0123456789abcdef", true, &longest), 8.4, 2e-3);
    assert_near(sl_report_latex_width("猫", false, &longest), 3.53, 2e-3); /* U+732B */
}

static struct sl_report *make_table(size_t n_columns, size_t n_rows, const char *title,
                                    const char *text)
{
    const char *columns[20];
    for (size_t i = 0; i < n_columns; i++)
        columns[i] = title;
    const struct sl_table_head head = {
        .id = "t", .caption = "c", .badge = "quick", .columns = columns, .n_columns = n_columns};
    struct sl_report *report = sl_report_create("tables");
    sl_report_table(report, &head);
    for (size_t i = 0; i < n_columns * n_rows; i++)
        sl_report_cell(report, i % n_columns ? sl_cell_number(-1.25, .5, 3) : sl_cell_text(text));
    return report;
}

/* The sum of the columns' shares of the line; 0 if they are not shares. */
static double add_shares(const char *latex)
{
    double sum = 0;
    for (const char *at = strstr(latex, "\\dimexpr"); at; at = strstr(at + 1, "\\dimexpr"))
        sum += strtod(at + strlen("\\dimexpr"), NULL);
    return sum;
}

static void test_a_table_takes_the_largest_size_that_fits(void **state)
{
    (void)state;
    static const struct {
        size_t n_columns;
        const char *title, *size;
        bool wraps, is_turned;
    } cases[] = {
        {3, "figure", "\\normalsize", false, false},
        {7, "fig", "\\small", false, false},
        {7, "figures here", "\\footnotesize", false, false},
        {7, "a longer title of figures", "\\footnotesize", true, false},
        {8, "figure", "\\scriptsize", true, false},
        {9, "figure", "\\footnotesize", true, true},
        {20, "figure", "\\scriptsize", true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_report *report = make_table(cases[i].n_columns, 2, cases[i].title, "row");
        char *latex = render(report, "latex");
        char *begin = sl_string_printf("\\begingroup%s\\setlength", cases[i].size);
        if (!strstr(latex, begin)) fail_msg("case %zu has no %s", i, begin);
        assert_int_equal(strstr(latex, "\\begin{landscape}") != NULL, cases[i].is_turned);
        assert_int_equal(strstr(latex, "\\end{landscape}") != NULL, cases[i].is_turned);
        double sum = add_shares(latex);
        assert_int_equal(sum > 0, cases[i].wraps);
        assert_true(sum <= 1);
        free(begin);
        free(latex);
        sl_report_destroy(report);
    }
}

static void test_one_long_text_does_not_press_the_others(void **state)
{
    (void)state;
    char words[541];
    for (size_t i = 0; i < 90; i++)
        memcpy(words + 6 * i, "words ", 7);
    struct sl_report *report = make_table(4, 1, "figure", words);
    char *latex = render(report, "latex");
    const char *first = strstr(latex, "\\dimexpr");
    assert_non_null(first);
    const char *second = strstr(first + 1, "\\dimexpr");
    assert_true(strtod(first + 8, NULL) > .4);
    /* A number with its ± on one line: 14 characters of 4.2 points. */
    assert_true(strtod(second + 8, NULL) * 483 > 14 * 4.2);
    free(latex);
    sl_report_destroy(report);
}

static void test_the_warning_stands_on_every_page_of_a_table(void **state)
{
    (void)state;
    struct sl_report *report = make_table(2, 3, "figure", "row");
    char *latex = render(report, "latex"), *html = render(report, "html");
    const char *first = strstr(latex, "\\caption{\\textbf{quick.} c}\\label{t}\\\\\n\\toprule");
    assert_non_null(first);
    const char *next = strstr(first, "\\endfirsthead\n\\multicolumn{2}{l}{\\textbf{quick.} "
                                     "Table \\thetable, continued} \\\\\n\\toprule");
    assert_non_null(next);
    assert_non_null(strstr(next, "\\endhead\n\\bottomrule\n\\endfoot\nrow & $-1.250 \\pm 0.500$"));
    /* The same for the file that the page offers, which says what it needs. */
    const char *file = strstr(html, "data-text=\"% \\usepackage[T1]{fontenc}\n% \\usepackage{");
    assert_non_null(file);
    assert_non_null(strstr(file, "\\caption{\\textbf{quick.} c}\\label{t}"));
    free(latex);
    free(html);
    sl_report_destroy(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_of_tex_are_printed_and_not_obeyed),
        cmocka_unit_test(test_dashes_and_quotes_do_not_melt_together),
        cmocka_unit_test(test_characters_beyond_ascii_are_printed_or_named),
        cmocka_unit_test(test_long_words_can_be_broken),
        cmocka_unit_test(test_widths_are_those_that_letters_have),
        cmocka_unit_test(test_a_table_takes_the_largest_size_that_fits),
        cmocka_unit_test(test_one_long_text_does_not_press_the_others),
        cmocka_unit_test(test_the_warning_stands_on_every_page_of_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
