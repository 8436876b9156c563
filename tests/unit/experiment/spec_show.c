#include "softlab/experiment.h"

#include "support.h"

#define HEAD                                                                                       \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":[],\n"     \
    "\"files\":{\"a.npz\":[\"labels\"]},\"further\":{\"n1/hard/ce\":{\"command\":[\"eval\"],"      \
    "\"path\":\"$.x\"}},\"show\":["
#define GALLERY(rest)                                                                              \
    "{\"title\":\"t\",\"gallery\":{\"series\":{\"A\":\"a.npz\",\"B\":\"{data}/b.npy\"}" rest "}}"
#define CHART(kind, series)                                                                        \
    "{\"title\":\"c\",\"chart\":{\"kind\":\"" kind "\",\"series\":{" series "}}}"

static enum sl_status read_text(const char *text, struct sl_error *err)
{
    struct sl_spec *spec = NULL;
    test_write(test_path("spec.json"), text, strlen(text));
    const enum sl_status status = sl_spec_read(test_path("spec.json"), "paper", &spec, err);
    sl_spec_destroy(spec);
    return status;
}

static void test_galleries_and_charts_of_every_form_are_read(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD GALLERY(",\"items\":[\"1\"],\"class\":\"cat\",\"count\":3,\"row\":1") "]}",
        HEAD GALLERY(
            ",\"images\":\"shapes\",\"items\":{\"command\":[\"compare\"],\"path\":\"$.x\"},"
            "\"class\":[\"cat\",\"dog\"],\"here\":[\"1\"]") "]}",
        HEAD GALLERY(",\"images\":[\"mixed_0.5_a_1_b_2.png\"],\"data\":\"shapes\"") "]}",
        HEAD CHART("lines", "\"a\":{\"x\":[0,1],\"y\":[0,1],\"reference\":true}") "]}",
        HEAD CHART("bars", "\"a\":{\"y\":{\"cells\":[\"*/hard/ce\"],\"times\":100}}") "]}",
        HEAD CHART("forest", "\"a\":{\"x\":{\"file\":\"a.npz\",\"path\":\"$.x\"}}") "]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sl_error err = {0};
        assert_ok(read_text(texts[i], &err), err);
    }
}

static void test_mistakes_in_what_is_shown_are_named_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } rows[] = {
        {HEAD "{\"gallery\":{}}]}", "$.show[0]: \"title\" is missing"},
        {HEAD "{\"title\":\"t\"}]}", "$.show[0]: expected either \"gallery\" or \"chart\""},
        {HEAD GALLERY("") "]}", "$.show[0].gallery: \"items\" is missing"},
        {HEAD GALLERY(",\"items\":[1]") "]}",
         "$.show[0].gallery.items: expected a list of texts or an object"},
        {HEAD GALLERY(",\"items\":{\"command\":[\"x\"]}") "]}",
         "$.show[0].gallery.items: \"path\" is missing"},
        {HEAD GALLERY(",\"itmes\":[]") "]}", "items"},
        {HEAD GALLERY(",\"items\":[\"1\"],\"count\":0") "]}", "$.show[0].gallery.count: "},
        {HEAD GALLERY(",\"items\":[\"1\"],\"row\":0.5") "]}", "$.show[0].gallery.row: "},
        {HEAD GALLERY(",\"images\":[\"m\"]") "]}",
         "\"data\" is missing: name the data set whose images are mixed"},
        {HEAD GALLERY(",\"images\":[\"m\"],\"data\":\"d\",\"class\":\"cat\"") "]}",
         "mixed images have no true class"},
        {HEAD GALLERY(",\"items\":[\"1\"],\"data\":\"d\"") "]}",
         "$.show[0].gallery.data: has no effect unless \"images\" lists mixed images"},
        {HEAD "{\"title\":\"t\",\"gallery\":{\"series\":{},\"items\":[\"1\"]}}]}",
         "$.show[0].gallery.series: 0 series, expected 1 to 4"},
        {HEAD "{\"title\":\"t\",\"gallery\":{\"series\":{\"A\":\"b.npz\"},\"items\":[\"1\"]}}]}",
         "$.show[0].gallery.series.A: no file of \"files\" is called \"b.npz\""},
        {HEAD GALLERY(",\"items\":[\"1\"]") "," GALLERY(",\"items\":[\"1\"]") "]}",
         "$.show[1]: an earlier exhibit has the same title"},
        {HEAD CHART("heat", "\"a\":{\"y\":[1]}") "]}",
         "$.show[0].chart.kind: expected bars, scatter, lines, histogram or forest"},
        {HEAD CHART("lines", "") "]}", "$.show[0].chart.series: 0 series, expected 1 to 8"},
        {HEAD CHART("lines", "\"a\":{\"x\":[1]}") "]}",
         "$.show[0].chart.series.a: \"y\" is missing"},
        {HEAD CHART("lines", "\"a\":{\"y\":[\"1\"]}") "]}",
         "$.show[0].chart.series.a.y: expected a list of numbers or an object"},
        {HEAD CHART("lines", "\"a\":{\"y\":[1],\"y_low\":[0]}") "]}",
         "$.show[0].chart.series.a: an interval needs a low and a high end"},
        {HEAD CHART("lines", "\"a\":{\"y\":{\"cells\":[\"*/soft/ce\"]}}") "]}",
         "$.show[0].chart.series.a.y.cells[0]: neither \"compute\" nor \"further\" has this cell"},
        {HEAD CHART("lines", "\"a\":{\"y\":{\"command\":[\"x\"]}}") "]}",
         "$.show[0].chart.series.a.y: \"path\" is missing"},
        {HEAD CHART("lines", "\"a\":{\"y\":{\"path\":\"$.x\"}}") "]}",
         "give exactly one of \"cells\", \"command\" and \"file\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err = {0};
        assert_fails(read_text(rows[i].text, &err), SL_ERR_INPUT, err, rows[i].part);
    }
}

static void test_a_figure_says_in_one_way_where_it_comes_from(void **state)
{
    (void)state;
#define FIGURES(text)                                                                              \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"n\",\"title\":\"t\",\"compute\":{" text  \
    "},\"further\":{\"b/x\":{\"command\":[\"version\"],\"path\":\"$.x\"}}}"
#define A "\"a/x\":{\"command\":[\"version\"],\"path\":\"$.x\"},"
    static const struct {
        const char *text, *part;
    } rows[] = {
        {FIGURES("\"a/x\":{\"path\":\"$.x\"}"),
         "$.compute[\"a/x\"]: give exactly one of \"command\""},
        {FIGURES("\"a/x\":{\"command\":[\"v\"],\"file\":\"f\",\"path\":\"$.x\"}"),
         "give exactly one of \"command\", \"file\", \"mean_of\" and \"cells\""},
        {FIGURES("\"a/x\":{\"command\":[\"v\"]}"), "\"path\" is missing"},
        {FIGURES(A "\"c/x\":{\"cells\":[\"a/x\",\"b/x\"]}"), "\"as\" is missing"},
        {FIGURES(A "\"c/x\":{\"cells\":[\"a/x\",\"b/x\"],\"as\":\"sum\"}"),
         "expected difference or reduction"},
        {FIGURES(A "\"c/x\":{\"cells\":[\"a/x\"],\"as\":\"difference\"}"), "1 cell, expected 2"},
        {FIGURES(A "\"c/x\":{\"cells\":[\"a/x\",\"d/x\"],\"as\":\"difference\"}"),
         "neither \"compute\" nor \"further\" has this cell"},
        {FIGURES(A "\"c/x\":{\"cells\":[\"a/x\",\"c/x\"],\"as\":\"difference\"}"),
         "is itself made of cells"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sl_error err = {0};
        assert_fails(read_text(rows[i].text, &err), SL_ERR_INPUT, err, rows[i].part);
    }
    struct sl_error err = {0};
    assert_ok(
        read_text(FIGURES(A "\"c/x\":{\"cells\":[\"a/x\",\"b/x\"],\"as\":\"reduction\"}"), &err),
        err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_galleries_and_charts_of_every_form_are_read),
        cmocka_unit_test(test_a_figure_says_in_one_way_where_it_comes_from),
        cmocka_unit_test(test_mistakes_in_what_is_shown_are_named_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
