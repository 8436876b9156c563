#include "support.h"

#include "softlab/verdict/results.h"

#define LINE(key, rest)                                                                            \
    "{\"softlab\":\"result\",\"version\":1,\"key\":\"" key                                         \
    "\",\"spec\":\"s\",\"scale\":\"quick\",\"variant\":\"as-run\",\"part\":null,\"set\":\"a\","    \
    "\"network\":\"n\",\"seed\":3,\"fold\":null" rest "}\n"

/* A result line without figures. */
#define NONE ",\"metrics\":{}"

static const char *write_lines(const char *name, const char *text)
{
    const char *path = test_path(name);
    test_write(path, text, strlen(text));
    return path;
}

static void test_a_line_gives_its_coordinates_and_numbers(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    const char *path = write_lines(
        "one.jsonl", LINE("k1", ",\"metrics\":{\"t/accuracy\":0.5},"
                                "\"curve\":[[1,2.5,0.25,null],[2,2.0,0.5,0.75]],"
                                "\"attacks\":{\"t/pgd\":[0.5,1,1.5]},"
                                "\"reliability\":{\"t\":[[0,0.5,10,0.25,0.125]],\"u\":[]},"
                                "\"gallery\":[{\"item\":\"]}\\\"\"}],\"galleries\":[[1]],"
                                "\"charts\":[{}],\"commands\":[[\"train\"]]"));
    assert_ok(sl_results_read(results, path, &err), err);
    assert_int_equal(results->n_runs, 1);
    const struct sl_result *run = &results->runs[0];
    assert_string_equal(run->key, "k1");
    assert_string_equal(run->spec, "s");
    assert_null(run->part);
    assert_string_equal(run->set, "a");
    assert_int_equal(run->seed, 3);
    assert_int_equal(run->fold, -1);
    const struct sl_numbers *curve = sl_numbers_find(&run->curve, NULL);
    assert_int_equal(curve->count, 2);
    assert_int_equal(curve->width, 4);
    assert_near(curve->values[1], 2.5, 0);
    assert_true(isnan(curve->values[3]));
    assert_near(curve->values[7], .75, 0);
    const struct sl_numbers *attack = sl_numbers_find(&run->attacks, "t/pgd");
    assert_int_equal(attack->count, 3);
    assert_int_equal(attack->width, 1);
    assert_near(attack->values[2], 1.5, 0);
    assert_null(sl_numbers_find(&run->attacks, "t/fgsm"));
    assert_int_equal(sl_numbers_find(&run->reliability, "t")->width, 5);
    assert_int_equal(sl_numbers_find(&run->reliability, "u")->count, 0);
    assert_string_equal(run->gallery, "[{\"item\":\"]}\\\"\"}]");
    assert_string_equal(run->galleries, "[[1]]");
    assert_int_equal(json_array_size(json_object_get(run->json, "charts")), 1);
    assert_string_equal(run->commands, "[[\"train\"]]");
    sl_results_destroy(results);
}

static void test_of_repeated_keys_the_last_counts(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    const char *first =
        write_lines("a.jsonl", LINE("k1", ",\"metrics\":{\"t/m\":1}") LINE("k2", NONE));
    assert_ok(sl_results_read(results, first, &err), err);
    const char *second =
        write_lines("b.jsonl", LINE("k1", ",\"metrics\":{\"t/m\":2}") "\n" LINE("k3", NONE));
    assert_ok(sl_results_read(results, second, &err), err);
    assert_int_equal(results->n_runs, 3);
    assert_int_equal(results->n_repeated, 1);
    const json_t *metrics = json_object_get(results->runs[0].json, "metrics");
    assert_string_equal(results->runs[0].key, "k1");
    assert_int_equal(json_integer_value(json_object_get(metrics, "t/m")), 2);
    sl_results_destroy(results);
}

static void test_a_specification_among_the_lines_is_kept_and_is_no_run(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    const char *path = write_lines(
        "own.jsonl",
        "{\"softlab\":\"spec\",\"key\":\"s1\",\"spec\":\"s\",\"document\":{\"a\":1}}\n"
        "{\"softlab\":\"spec\",\"key\":\"s1\",\"spec\":\"s\",\"document\":{\"a\":2}}\n" LINE("k1",
                                                                                             NONE));
    assert_ok(sl_results_read(results, path, &err), err);
    assert_int_equal(results->n_runs, 1);
    assert_int_equal(results->n_repeated, 0);
    const json_t *document = json_object_get(json_object_get(results->specs, "s"), "document");
    assert_int_equal(json_integer_value(json_object_get(document, "a")), 2);
    sl_results_destroy(results);
}

static void test_a_torn_last_line_is_left_out_and_counted(void **state)
{
    (void)state;
    static const char whole[] = LINE("k1", NONE) LINE("k2", NONE ",\"curve\":[[1,2],[3,4]]");
    size_t first = strlen(LINE("k1", NONE));
    struct sl_error err;
    for (size_t length = first + 1; length < sizeof whole - 1; length++) {
        struct sl_results *results = sl_results_create();
        const char *path = test_path("torn.jsonl");
        test_write(path, whole, length);
        assert_ok(sl_results_read(results, path, &err), err);
        /* Without its line break the line is still complete. */
        bool is_whole = length == sizeof whole - 2;
        assert_int_equal(results->n_runs, is_whole ? 2 : 1);
        assert_int_equal(results->n_torn, is_whole ? 0 : 1);
        sl_results_destroy(results);
    }
}

static void test_a_broken_line_elsewhere_is_an_error_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {LINE("k1", NONE) "{\"softlab\":\n" LINE("k2", NONE), "x.jsonl:2: "},
        {LINE("k1", NONE ",\"curve\":[[1,2],[3]]"), "x.jsonl:1: column"},
        {LINE("k1", NONE ",\"curve\":[1,[2,3,4]]"), "rows differ in length"},
        {LINE("k1", NONE ",\"curve\":[[1,\"2\"]]"), "x.jsonl:1: column"},
        {LINE("k1", NONE ",\"curve\":[1],\"curve\":[1]"), "duplicate object key"},
        {LINE("k1", NONE ",\"commands\":[],\"commands\":[]"), "duplicate object key"},
        {LINE("k1", NONE ",\"seed\":4"), "duplicate object key"},
        {LINE("k1", ",\"metrics\":[1]"), "$.metrics: expected an object"},
        {LINE("k1", NONE ",\"gallery\":{}"), "expected a list"},
        {"{\"softlab\":\"result\"}\n", "x.jsonl:1: "},
        {"[1]\n", "expected an object"},
        {"{\"softlab\":\"result\",\"key\":7}\n", "$.key"},
        {"{\"softlab\":\"failure\"}\n", "\"key\" is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_results *results = sl_results_create();
        const char *path = write_lines("x.jsonl", cases[i].text);
        assert_fails(sl_results_read(results, path, &err), SL_ERR_INPUT, err, cases[i].part);
        sl_results_destroy(results);
    }
}

#define RUN(rest) "{\"softlab\":\"result\"" rest "}\n"

static void test_what_breaks_the_contract_is_refused_with_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {RUN(",\"set\":\"a\",\"metrics\":{}"), "y.jsonl:1: $: \"spec\" is missing"},
        {RUN(",\"spec\":\"s\",\"metrics\":{}"), "\"set\" is missing"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metric\":{}"), "no figures: give \"metrics\""},
        {RUN(",\"version\":2,\"spec\":\"s\",\"computed\":{}"), "$.version"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metrics\":{\"accuracy\":1}"),
         "y.jsonl:1: $.metrics.accuracy: the name of a figure must be test/metric"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metrics\":{\"t/\":1}"), "must be test/metric"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metrics\":{\"t/kl\":\"1\"}"),
         "expected a number or null"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metrics\":{\"t/kl\":NaN}"),
         "y.jsonl:1: column 60: NaN and Infinity are not JSON; write null"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"metrics\":{\"t/accuracy\":81.5}"),
         "81.5 is not a share; give 0 to 1, not per cent"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"seed\":1.5,\"metrics\":{}"), "$.seed"},
        {RUN(",\"spec\":\"s\",\"set\":\"a\",\"seed\":1,\"metrics\":{}")
             RUN(",\"spec\":\"s\",\"set\":\"a\",\"seed\":1,\"metrics\":{}"),
         "y.jsonl:2: second result of the same run"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_error err;
        struct sl_results *results = sl_results_create();
        const char *path = write_lines("y.jsonl", cases[i].text);
        assert_fails(sl_results_read(results, path, &err), SL_ERR_INPUT, err, cases[i].part);
        sl_results_destroy(results);
    }
}

static void test_a_line_need_not_say_more_than_its_run_and_figures(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    const char *path = write_lines(
        "short.jsonl",
        RUN(",\"spec\":\"s\",\"set\":\"a\",\"seed\":1,\"metrics\":{\"t/accuracy\":1}")
            RUN(",\"spec\":\"s\",\"set\":\"a\",\"seed\":2,\"metrics\":{\"t/accuracy\":null}"));
    assert_ok(sl_results_read(results, path, &err), err);
    assert_int_equal(results->n_runs, 2);
    assert_string_equal(results->runs[0].scale, "paper");
    assert_string_equal(results->runs[0].variant, "as-run");
    assert_string_not_equal(results->runs[0].key, results->runs[1].key);
    sl_results_destroy(results);
}

static void test_failures_are_forgotten_once_the_run_is_there(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    assert_ok(sl_folder_create(test_path("folder"), &err), err);
    write_lines("folder/results.jsonl", LINE("k1", NONE) "{\"softlab\":\"tuned\",\"key\":\"z\"}\n");
    write_lines("folder/failures.jsonl",
                "{\"softlab\":\"failure\",\"key\":\"k1\",\"log\":\"crashed\"}\n"
                "{\"softlab\":\"failure\",\"key\":\"k9\",\"set\":\"b\",\"log\":\"crashed\"}\n"
                "{\"softlab\":\"failure\",\"key\":\"k9\",\"set\":\"b\",\"log\":\"again\"}\n");
    assert_ok(sl_results_read(results, test_path("folder"), &err), err);
    assert_int_equal(results->n_failures, 3);
    sl_results_settle(results);
    assert_int_equal(results->n_runs, 1);
    assert_int_equal(results->n_failures, 1);
    assert_string_equal(results->failures[0].key, "k9");
    assert_string_equal(results->failures[0].set, "b");
    sl_results_destroy(results);
}

static void test_a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_results *results = sl_results_create();
    assert_fails(sl_results_read(results, test_path("none.jsonl"), &err), SL_ERR_NOT_FOUND, err,
                 "none.jsonl");
    sl_results_destroy(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_gives_its_coordinates_and_numbers),
        cmocka_unit_test(test_of_repeated_keys_the_last_counts),
        cmocka_unit_test(test_a_specification_among_the_lines_is_kept_and_is_no_run),
        cmocka_unit_test(test_a_torn_last_line_is_left_out_and_counted),
        cmocka_unit_test(test_a_broken_line_elsewhere_is_an_error_with_its_place),
        cmocka_unit_test(test_what_breaks_the_contract_is_refused_with_a_sentence),
        cmocka_unit_test(test_a_line_need_not_say_more_than_its_run_and_figures),
        cmocka_unit_test(test_failures_are_forgotten_once_the_run_is_there),
        cmocka_unit_test(test_a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
