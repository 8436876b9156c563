#include "softlab/study.h"
#include "support.h"

static char cat[] = "Cat", deer[] = "Deer", dog[] = "Dog", horse[] = "Horse";
static char *classes[] = {cat, deer, dog, horse};
static struct sl_study study = {.classes = classes, .n_classes = 4};

static json_t *json(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &error);
    if (!value) fail_msg("%s: %s", text, error.text);
    return value;
}

/* What the screen says about an answer: "" if it takes it. */
static const char *refusal(const char *screen, const char *answer)
{
    static struct sl_error err;
    json_t *value = json(answer);
    err.message[0] = '\0';
    enum sl_status status = sl_screen_find(screen)->check(value, &study, &err);
    if (status != SL_OK) assert_int_equal(status, SL_ERR_INPUT);
    json_decref(value);
    return err.message;
}

static void test_every_screen_has_what_the_table_promises(void **state)
{
    (void)state;
    for (const struct sl_screen *screen = sl_screens; screen->name; screen++) {
        assert_ptr_equal(sl_screen_find(screen->name), screen);
        assert_true(strlen(screen->name) < sizeof((struct sl_store_session *)0)->screen);
        assert_non_null(screen->check);
        assert_non_null(screen->convert);
        static const char *const never[] = {"{}",      "[]",         "null", "3",
                                            "\"Cat\"", "{\"x\": 1}", "true", "{\"top\": 3}"};
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            assert_string_not_equal(refusal(screen->name, never[i]), "");
    }
    assert_null(sl_screen_find("nothing"));
}

/* Answers that the paper's screen let through, and what the checked one says about them. */
static void test_collins_takes_slips_that_its_strict_kin_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *strict;
    } cases[] = {
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 150, \"raw\": \"150\"}, \"second\": null, "
         "\"impossible\": []}",
         "top.percent"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": null, \"raw\": \"8p\"}, \"second\": null, "
         "\"impossible\": []}",
         "top.percent"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": null, \"raw\": \"\"}, \"second\": null, "
         "\"impossible\": []}",
         "top.percent"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 0, \"raw\": \"0\"}, \"second\": null, "
         "\"impossible\": []}",
         "top.percent"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 80}, \"second\": {\"class\": null, "
         "\"percent\": 100, \"raw\": \"100\"}, \"impossible\": []}",
         "second: has a percentage, but no class"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 50}, \"second\": {\"class\": \"Deer\", "
         "\"percent\": 20}, \"impossible\": []}",
         "a class other than the first"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 30}, \"second\": {\"class\": \"Dog\", "
         "\"percent\": 40}, \"impossible\": []}",
         "higher than that of the first"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 70}, \"second\": {\"class\": \"Dog\", "
         "\"percent\": 40}, \"impossible\": []}",
         "more than 100"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 70}, \"second\": {\"class\": \"Dog\", "
         "\"percent\": null}, \"impossible\": []}",
         "second.percent"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 70}, \"second\": null, \"impossible\": "
         "[\"Deer\"]}",
         "contains the most probable"},
        {"{\"top\": {\"class\": \"Deer\", \"percent\": 60}, \"second\": {\"class\": \"Dog\", "
         "\"percent\": 40}, \"impossible\": [\"Dog\"]}",
         "contains the second"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(refusal("collins", cases[i].answer), "");
        assert_string_equal(refusal("mixsoft", cases[i].answer), "");
        assert_non_null(strstr(refusal("collins+", cases[i].answer), cases[i].strict));
        assert_non_null(strstr(refusal("fast", cases[i].answer), cases[i].strict));
    }
}

static void test_wrong_structure_is_refused_even_by_collins(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *message;
    } cases[] = {
        {"{\"second\": null, \"impossible\": []}", "top"},
        {"{\"top\": {\"class\": null}}", "choose the most probable class"},
        {"{\"top\": {\"class\": \"Bear\"}}", "not a class of this study"},
        {"{\"top\": {\"class\": \"Cat\", \"percent\": \"70\"}}", "top.percent"},
        {"{\"top\": {\"class\": \"Cat\", \"raw\": 3}}", "top.raw"},
        {"{\"top\": {\"class\": \"Cat\", \"procent\": 3}}", "did you mean \"percent\""},
        {"{\"top\": {\"class\": \"Cat\"}, \"secnd\": null}", "did you mean \"second\""},
        {"{\"top\": {\"class\": \"Cat\"}, \"impossible\": [\"Dog\", \"Dog\"]}", "occurs twice"},
        {"{\"top\": {\"class\": \"Cat\"}, \"impossible\": \"Dog\"}", "impossible"},
        {"{\"top\": {\"class\": \"Cat\"}, \"second\": [], \"impossible\": []}", "second"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(refusal("collins", cases[i].answer), cases[i].message));
}

static void convert(const char *screen, const char *answer, struct sl_answer *out, json_t **keep)
{
    struct sl_error err;
    *keep = json(answer);
    assert_ok(sl_screen_find(screen)->check(*keep, &study, &err), err);
    assert_ok(sl_screen_find(screen)->convert(*keep, &study, out, &err), err);
}

static void test_soft_answers_keep_numbers_and_typed_texts(void **state)
{
    (void)state;
    struct sl_answer answer;
    json_t *keep = NULL;
    convert("collins",
            "{\"top\": {\"class\": \"Deer\", \"percent\": 70, \"raw\": \"70\"}, \"second\": "
            "{\"class\": \"Horse\", \"percent\": null, \"raw\": \"8p\"}, \"impossible\": "
            "[\"Cat\", \"Dog\"]}",
            &answer, &keep);
    assert_int_equal(answer.kind, SL_ANSWER_SOFT);
    assert_int_equal(answer.n_top, 2);
    assert_int_equal(answer.top[0].class_index, 1);
    assert_near(answer.top[0].probability, 0.7, 1e-6);
    assert_int_equal(answer.top[1].class_index, 3);
    assert_true(isnan(answer.top[1].probability));
    assert_int_equal(answer.n_impossible, 2);
    assert_int_equal(answer.impossible[1], 2);
    assert_memory_equal(answer.raw[1].text, "8p", 2);
    sl_screen_answer_release(&answer);
    json_decref(keep);
}

static void test_possible_and_certain_say_that_the_rest_cannot_be(void **state)
{
    (void)state;
    struct sl_answer answer;
    json_t *keep = NULL;
    convert("possible",
            "{\"top\": {\"class\": \"Deer\", \"percent\": 70}, \"second\": null, \"possible\": "
            "[\"Horse\"]}",
            &answer, &keep);
    assert_int_equal(answer.n_top, 1);
    assert_int_equal(answer.n_impossible, 2);
    assert_int_equal(answer.impossible[0], 0);
    assert_int_equal(answer.impossible[1], 2);
    sl_screen_answer_release(&answer);
    json_decref(keep);
    convert("fast", "{\"certain\": \"Horse\"}", &answer, &keep);
    assert_int_equal(answer.top[0].class_index, 3);
    assert_near(answer.top[0].probability, 1, 0);
    assert_int_equal(answer.n_impossible, 3);
    sl_screen_answer_release(&answer);
    json_decref(keep);
}

static void test_bars_sum_to_a_hundred(void **state)
{
    (void)state;
    struct sl_answer answer;
    json_t *keep = NULL;
    convert("bars", "{\"percents\": [10, 70, 0, 20]}", &answer, &keep);
    assert_int_equal(answer.kind, SL_ANSWER_DIST);
    assert_near(answer.distribution[1], 0.7, 1e-6);
    sl_screen_answer_release(&answer);
    json_decref(keep);
    assert_non_null(strstr(refusal("bars", "{\"percents\": [10, 70, 0, 10]}"), "sum to 90"));
    assert_non_null(strstr(refusal("bars", "{\"percents\": [10, 70, 20]}"), "list of 4"));
    assert_non_null(strstr(refusal("bars", "{\"percents\": [-10, 90, 0, 20]}"), "0 to 100"));
    assert_non_null(strstr(refusal("bars", "{\"percents\": [null, 80, 0, 20]}"), "0 to 100"));
    assert_string_equal(refusal("bars", "{\"percents\": [33.3, 33.3, 33.4, 0]}"), "");
}

static void test_classes_without_numbers(void **state)
{
    (void)state;
    struct sl_answer answer;
    json_t *keep = NULL;
    convert("hard", "{\"class\": \"Dog\"}", &answer, &keep);
    assert_int_equal(answer.kind, SL_ANSWER_HARD);
    assert_int_equal(answer.top[0].class_index, 2);
    sl_screen_answer_release(&answer);
    json_decref(keep);
    convert("select2", "{\"classes\": [\"Dog\", \"Cat\"]}", &answer, &keep);
    assert_int_equal(answer.kind, SL_ANSWER_SELECT);
    assert_int_equal(answer.n_top, 2);
    assert_int_equal(answer.top[1].class_index, 0);
    sl_screen_answer_release(&answer);
    json_decref(keep);
    assert_non_null(strstr(refusal("select2", "{\"classes\": [\"Dog\"]}"), "choose two"));
    assert_non_null(strstr(refusal("select2", "{\"classes\": [\"Dog\", \"Dog\"]}"), "twice"));
}

static void test_sliders_must_be_touched_where_the_screen_says_so(void **state)
{
    (void)state;
    static const char untouched[] =
        "{\"mixing\": 50, \"confidence\": 50, \"touched\": [true, false]}";
    struct sl_answer answer;
    json_t *keep = NULL;
    convert("mix", "{\"mixing\": 25, \"confidence\": 60, \"touched\": [false, false]}", &answer,
            &keep);
    assert_int_equal(answer.kind, SL_ANSWER_MIX);
    assert_near(answer.mix.lambda, 0.75, 1e-6);
    assert_near(answer.mix.confidence, 0.6, 1e-6);
    sl_screen_answer_release(&answer);
    json_decref(keep);
    assert_string_equal(refusal("mix", untouched), "");
    assert_string_equal(refusal("mix+", untouched), "confidence: move the slider");
    assert_non_null(
        strstr(refusal("mix", "{\"mixing\": 101, \"confidence\": 5, \"touched\": [true, true]}"),
               "mixing: expected a number from 0 to 100"));
    assert_non_null(strstr(
        refusal("mix", "{\"mixing\": 1, \"confidence\": 5, \"touched\": [true]}"), "touched"));
}

/* What convert makes must be a record that answer/ takes. */
static void test_converted_answers_can_be_kept(void **state)
{
    (void)state;
    static const struct {
        const char *screen, *answer;
    } cases[] = {
        {"collins", "{\"top\": {\"class\": \"Deer\", \"percent\": 150, \"raw\": \"150\"}}"},
        {"possible", "{\"top\": {\"class\": \"Deer\", \"percent\": 15}, \"possible\": []}"},
        {"bars", "{\"percents\": [25, 25, 25, 25]}"},
        {"fast", "{\"certain\": \"Cat\"}"},
        {"hard", "{\"class\": \"Cat\"}"},
        {"select2", "{\"classes\": [\"Cat\", \"Dog\"]}"},
        {"mix+", "{\"mixing\": 1, \"confidence\": 5, \"touched\": [true, true]}"},
    };
    struct sl_answers *answers = NULL;
    struct sl_error err;
    assert_ok(sl_answers_create((const char *const *)classes, 4, &answers, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_answer answer;
        json_t *keep = NULL;
        convert(cases[i].screen, cases[i].answer, &answer, &keep);
        answer.item = (struct sl_field){"a", 1};
        answer.mix.b = 1;
        assert_ok(sl_answers_add(answers, &answer, &err), err);
        sl_screen_answer_release(&answer);
        json_decref(keep);
    }
    sl_answers_destroy(answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_screen_has_what_the_table_promises),
        cmocka_unit_test(test_collins_takes_slips_that_its_strict_kin_refuse),
        cmocka_unit_test(test_wrong_structure_is_refused_even_by_collins),
        cmocka_unit_test(test_soft_answers_keep_numbers_and_typed_texts),
        cmocka_unit_test(test_possible_and_certain_say_that_the_rest_cannot_be),
        cmocka_unit_test(test_bars_sum_to_a_hundred),
        cmocka_unit_test(test_classes_without_numbers),
        cmocka_unit_test(test_sliders_must_be_touched_where_the_screen_says_so),
        cmocka_unit_test(test_converted_answers_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
