#include "html_check.h"

#include "softlab/verdict.h"

#define PNG "iVBORw0KGgoAAAA="
#define SPEC                                                                                       \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":"          \
    "[\"labels\"],\"further\":{\"row/entropy\":{\"command\":[\"compare\"],\"path\":\"$.x\"}},"     \
    "\"show\":[{\"title\":\"t\",\"chart\":{\"kind\":\"bars\",\"series\":{\"a\":{\"y\":[1]}}}}]}"
#define LINE(rest)                                                                                 \
    "{\"softlab\":\"result\",\"key\":\"k\",\"spec\":\"x\",\"scale\":\"paper\",\"set\":null,"       \
    "\"computed\":{\"row/entropy\":0.5},\"commands\":[[\"compare\",\"a\"],[\"#\",\"b\",\"c\"]]"    \
    ",\"provenance\":{\"version\":\"1.2\"}" rest "}\n"
#define CHART                                                                                      \
    "{\"title\":\"A chart\",\"note\":\"Its note.\",\"kind\":\"bars\",\"x\":{\"categories\":"       \
    "[\"p\",\"q\"]},\"y\":{\"label\":\"Share\",\"unit\":\"%\"},\"series\":[{\"name\":\"s1\","      \
    "\"y\":[1,2]},{\"name\":\"s2\",\"y\":[3,null],\"reference\":true}]}"
#define GALLERY                                                                                    \
    "{\"title\":\"A gallery\",\"note\":\"Chosen so.\",\"lacks\":\"no images\",\"series\":"         \
    "[\"A\",\"B\",\"C\",\"D\"],\"classes\":[\"cat\",\"dog\"],\"items\":[{\"item\":\"7\","          \
    "\"truth\":\"dog\",\"png\":\"" PNG "\",\"values\":[[1,0],[0.75,0.25],[0.5,0.5],[0,1]]}]}"

static char *make_report(const char *lines, const char *format)
{
    struct sl_error err;
    struct sl_report *report;
    struct sl_buffer out;
    struct sl_results *results = sl_results_create();
    assert_ok(sl_folder_create(test_path("spec"), &err), err);
    test_write(test_path("spec/spec.json"), SPEC, sizeof SPEC - 1);
    test_write(test_path("r.jsonl"), lines, strlen(lines));
    assert_ok(sl_results_read(results, test_path("r.jsonl"), &err), err);
    const char *spec = test_path("spec");
    const struct sl_report_options options = {.specs = &spec, .n_specs = 1};
    sl_buffer_init(&out, 1 << 24);
    assert_ok(sl_verdict_report(results, &options, &report, &err), err);
    assert_ok(sl_report_render(report, sl_report_format_find(format), &out, &err), err);
    sl_report_destroy(report);
    sl_results_destroy(results);
    return out.data;
}

static void test_pictures_come_before_the_table(void **state)
{
    (void)state;
    char *html = make_report(LINE(",\"charts\":[" CHART "],\"galleries\":[" GALLERY "]"), "html");
    assert_well_formed(html);
    const char *chart = strstr(html, "<svg "),
               *gallery = strstr(html, "<ul class=\"gallery many\">");
    const char *table = strstr(html, "class=\"sortable");
    assert_non_null(chart);
    assert_true(chart < gallery && gallery < table);
    assert_int_equal(count_text(html, "<svg "), 1);
    /* Three bars, since one of four values is missing. */
    assert_int_equal(count_text(html, "<rect fill='url("), 3);
    assert_non_null(strstr(html, "Its note."));
    free(html);
}

static void test_a_gallery_has_a_column_per_series(void **state)
{
    (void)state;
    char *html = make_report(LINE(",\"galleries\":[" GALLERY "]"), "html");
    assert_well_formed(html);
    assert_non_null(strstr(html, "alt=\"item 7\" src=\"data:image/png;base64," PNG "\""));
    assert_non_null(strstr(html, "true class <strong>dog</strong>"));
    assert_non_null(strstr(html, "Chosen so. The pictures are missing: no images."));
    assert_non_null(strstr(html, "<th scope=\"col\">A</th><th scope=\"col\">B</th>"
                                 "<th scope=\"col\">C</th><th scope=\"col\">D</th>"));
    static const char *const colours[] = {"one", "two", "three", "four"};
    for (size_t i = 0; i < 4; i++) {
        char *bar = sl_string_printf("<span class=\"bar %s\"", colours[i]);
        assert_int_equal(count_text(html, bar), 2);
        free(bar);
    }
    free(html);
}

static void test_other_formats_say_it_in_words(void **state)
{
    (void)state;
    static const char line[] = LINE(",\"charts\":[" CHART "],\"galleries\":[" GALLERY "]");
    char *markdown = make_report(line, "md"), *latex = make_report(line, "latex");
    char *csv = make_report(line, "csv");
    assert_non_null(strstr(markdown, "| item | true class | A | B | C | D |\n"));
    assert_non_null(strstr(markdown, "| 7 | dog | cat 1.00 | cat 0.75, dog 0.25 | "
                                     "cat 0.50, dog 0.50 | dog 1.00 |\n"));
    assert_non_null(strstr(markdown, "Chart: **A chart**. "));
    assert_non_null(strstr(latex, "A: cat 1.00; B: cat 0.75, dog 0.25; C: "));
    assert_non_null(strstr(csv, "\nA gallery,1,7,B,,,\"cat 0.75, dog 0.25\",\n"));
    assert_non_null(strstr(csv, "\nA chart,1,,chart,,,"));
    free(markdown);
    free(latex);
    free(csv);
}

static void test_commands_behind_pictures_are_shown(void **state)
{
    (void)state;
    char *html = make_report(LINE(",\"charts\":[" CHART "]"), "html");
    assert_non_null(strstr(html, "# figures that need no training\nsoftlab compare a\n# b c\n"));
    free(html);
}

/* Result lines may come from any program. */
static void test_exhibits_that_are_not_whole_do_no_harm(void **state)
{
    (void)state;
    static const char *const rests[] = {
        ",\"charts\":[null,{},{\"kind\":\"bars\"},{\"kind\":\"pie\",\"title\":\"<b>\"}]",
        ",\"charts\":[{\"title\":\"<b>\",\"kind\":\"bars\",\"series\":[{\"y\":[1]},{\"y\":3}]}]",
        ",\"charts\":[{\"title\":\"<b>\",\"kind\":\"lines\",\"series\":[{\"x\":[1],\"y\":[1,2]}]}]",
        ",\"charts\":[{\"title\":\"<b>\",\"kind\":\"lines\",\"x\":{\"log\":true},\"series\":["
        "{\"x\":[-1],\"y\":[1]}]}]",
        ",\"galleries\":[null,7,{},{\"title\":\"<b>\",\"series\":[\"<b>\",2,3,4,5,6],"
        "\"classes\":[\"<b>\"],\"items\":[{\"values\":[[1],[1],[1],[1]]},{\"values\":[[1]]},3]}]",
    };
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        char *line = sl_string_printf(LINE("%s"), rests[i]);
        char *html = make_report(line, "html");
        assert_well_formed(html);
        assert_null(strstr(html, "<b>"));
        if (i < 4) assert_non_null(strstr(html, " cannot be drawn: "));
        free(html);
        free(line);
    }
}

static void test_a_picture_without_shares_is_left_out(void **state)
{
    (void)state;
    static const char items[] =
        ",\"galleries\":[{\"title\":\"G\",\"series\":[\"A\"],\"classes\":[\"cat\",\"dog\"],"
        "\"items\":[{\"item\":\"null\",\"values\":[[null,1]]},"
        "{\"item\":\"percent\",\"values\":[[60,40]]},"
        "{\"item\":\"negative\",\"values\":[[-0.5,1]]},"
        "{\"item\":\"rounded\",\"values\":[[1.0000001,0]]},"
        "{\"item\":\"whole\",\"values\":[[0.25,0.75]]}]}]";
    char *line = sl_string_printf(LINE("%s"), items), *markdown = make_report(line, "md");
    assert_non_null(strstr(markdown, "| whole |  | dog 0.75, cat 0.25 |"));
    assert_non_null(strstr(markdown, "| rounded |  | cat 1.00 |"));
    assert_null(strstr(markdown, "| null |"));
    assert_null(strstr(markdown, "| percent |"));
    assert_null(strstr(markdown, "| negative |"));
    free(markdown);
    free(line);
}

static void test_a_gallery_without_classes_keeps_its_note(void **state)
{
    (void)state;
    char *html = make_report(
        LINE(",\"galleries\":[{\"title\":\"G\",\"lacks\":\"no images\",\"series\":[\"A\"]}]"),
        "html");
    assert_well_formed(html);
    assert_non_null(strstr(html, "<strong>G</strong>. The pictures are missing: no images.</p>"));
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures_come_before_the_table),
        cmocka_unit_test(test_a_gallery_has_a_column_per_series),
        cmocka_unit_test(test_other_formats_say_it_in_words),
        cmocka_unit_test(test_commands_behind_pictures_are_shown),
        cmocka_unit_test(test_exhibits_that_are_not_whole_do_no_harm),
        cmocka_unit_test(test_a_picture_without_shares_is_left_out),
        cmocka_unit_test(test_a_gallery_without_classes_keeps_its_note),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
