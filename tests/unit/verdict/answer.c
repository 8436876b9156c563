#include "verdict/present/present.h"

#include "support.h"

#define SPEC                                                                                       \
    "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":[],\n"     \
    "\"sets\":{\"votes\":{\"labels\":null},\"few\":{\"labels\":null},\"many\":{\"labels\":null},"  \
    "\"idle\":{\"labels\":null}},\"references\":{\"truth\":{\"labels\":[\"dataset\"]}},\n"         \
    "\"table\":{\"rows\":[\"network\",\"set\"],\"columns\":[\"labels/js\",\"labels/"               \
    "seconds\",\"new/cross_entropy\"],\"pool\":[\"seed\"],"                                        \
    "\"interval\":\"t95\",\"cells\":{}},\n"                                                        \
    "\"answer\":{\"reference\":\"truth\",\"against\":\"votes\",\"distance\":\"labels/js\","        \
    "\"model\":\"new/cross_entropy\"}}\n"

/* A run of a set: distance, seconds, cross-entropy. */
struct figures {
    const char *set;
    int seed;
    double distance, seconds, model;
};
/* Gains by hand: few (.4 - .2) / 10 = .02 and (.5 - .1) / 20 = .02 and (.3 - .15) / 10 = .015;
 * many (.4 - .1) / 100, (.5 - .1) / 100 and (.3 - .1) / 100. */
static const struct figures common[] = {
    {"votes", 1, .4, 5, .9}, {"votes", 2, .5, 5, .8},   {"votes", 3, .3, 5, 1},
    {"few", 1, .2, 10, .6},  {"few", 2, .1, 20, .5},    {"few", 3, .15, 10, .7},
    {"many", 1, .1, 100, 1}, {"many", 2, .1, 100, .85}, {"many", 3, .1, 100, .7},
};
enum { N_COMMON = sizeof common / sizeof *common };

struct fixture {
    struct sl_spec *spec;
    struct sl_results *results;
    struct sl_outcome *outcome;
};

/* `model` is the column by which models are judged. */
static void open_judged_by(struct fixture *fixture, const char *model,
                           const struct figures *figures, size_t count)
{
    struct sl_error err;
    struct sl_buffer lines;
    char *text = sl_text_replace(SPEC, "cross_entropy", model);
    sl_buffer_init(&lines, 1 << 20);
    for (size_t i = 0; i < count; i++)
        sl_buffer_printf(&lines,
                         "{\"softlab\":\"result\",\"version\":1,\"key\":\"%zu\",\"spec\":\"x\","
                         "\"scale\":\"paper\",\"variant\":\"as-run\",\"set\":\"%s\","
                         "\"network\":\"n\",\"seed\":%d,\"metrics\":{\"labels/js\":%.17g,"
                         "\"labels/seconds\":%.17g,\"new/%s\":%.17g}}\n",
                         i, figures[i].set, figures[i].seed, figures[i].distance,
                         figures[i].seconds, model, figures[i].model);
    const char *path = test_path("results.jsonl"), *spec = test_path("spec.json");
    assert_ok(sl_file_write(path, lines.data, lines.length, &err), err);
    assert_ok(sl_file_write(spec, text, strlen(text), &err), err);
    free(text);
    sl_buffer_release(&lines);
    fixture->results = sl_results_create();
    assert_ok(sl_results_read(fixture->results, path, &err), err);
    assert_ok(sl_spec_read(spec, "paper", &fixture->spec, &err), err);
    const struct sl_outcome_source source = {
        .spec = fixture->spec, .variant = "as-run", .results = fixture->results};
    assert_ok(sl_outcome_create(&source, &fixture->outcome, &err), err);
}

static void open_fixture(struct fixture *fixture, const struct figures *figures, size_t count)
{
    open_judged_by(fixture, "cross_entropy", figures, count);
}

static void close_fixture(struct fixture *fixture)
{
    sl_outcome_destroy(fixture->outcome);
    sl_spec_destroy(fixture->spec);
    sl_results_destroy(fixture->results);
}

/* All but the title as Markdown; the caller frees it. */
static char *lines_of(const struct fixture *fixture)
{
    struct sl_error err;
    struct sl_buffer text;
    struct sl_verdict_answer answer;
    struct sl_report *report = sl_report_create("x");
    const struct sl_presentation show = {.report = report, .outcome = fixture->outcome};
    assert_true(sl_verdict_answer_find(fixture->outcome, &answer));
    sl_present_answer(&show, &answer);
    assert_ok(sl_present_answer_details(&show, &answer, &err), err);
    sl_buffer_init(&text, 1 << 20);
    assert_ok(sl_report_render(report, sl_report_format_find("md"), &text, &err), err);
    char *lines = sl_string_copy(strchr(text.data, '\n') + 2);
    sl_buffer_release(&text);
    sl_report_destroy(report);
    sl_verdict_answer_release(&answer);
    return lines;
}

static void assert_begins(const char *text, const char *part)
{
    if (strncmp(text, part, strlen(part)) == 0) return;
    print_error("\"%s\" does not begin: %s\n", part, text);
    fail();
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part)) return;
    print_error("\"%s\" is not in: %s\n", part, text);
    fail();
}

static void test_gains_are_paired_by_run_and_divided_by_the_sets_own_time(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sl_verdict_answer answer;
    open_fixture(&fixture, common, N_COMMON);
    assert_true(sl_verdict_answer_find(fixture.outcome, &answer));
    assert_int_equal(answer.n_sets, 3); /* idle was not run */
    assert_string_equal(answer.sets[answer.against].name, "votes");
    assert_false(answer.sets[answer.against].has_gain);
    assert_string_equal(answer.sets[answer.best].name, "few");
    assert_near(answer.sets[answer.best].gain.mean, (.02 + .02 + .015) / 3, 1e-15);
    assert_string_equal(answer.sets[answer.next].name, "many");
    assert_near(answer.sets[answer.next].gain.mean, .003, 1e-15);
    assert_string_equal(answer.sets[answer.nearest].name, "many");
    assert_near(answer.sets[answer.best].distance.mean, .15, 1e-15);
    assert_near(answer.sets[answer.best].seconds.mean, 40. / 3, 1e-12);
    sl_verdict_answer_release(&answer);
    close_fixture(&fixture);
}

static void test_the_model_is_judged_by_pairs_with_lower_cross_entropy_better(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sl_verdict_answer answer;
    open_fixture(&fixture, common, N_COMMON);
    assert_true(sl_verdict_answer_find(fixture.outcome, &answer));
    assert_int_equal(answer.model_better.verdict, SL_VERDICT_HOLDS);
    assert_int_equal(answer.model_better.test, SL_TEST_PAIRED);
    assert_int_equal(answer.model_better.n_pairs, 3);
    assert_near(answer.model_better.difference.estimate, .3, 1e-12);
    sl_verdict_answer_release(&answer);
    close_fixture(&fixture);
}

/* No paper prints a Brier score, but a user's own specification may. */
static void test_the_model_is_judged_by_any_measure_in_its_direction(void **state)
{
    (void)state;
    static const struct {
        const char *measure;
        enum sl_verdict verdict;
    } cases[] = {{"brier", SL_VERDICT_HOLDS}, {"accuracy_hard", SL_VERDICT_FAILS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        struct sl_verdict_answer answer;
        open_judged_by(&fixture, cases[i].measure, common, N_COMMON);
        assert_true(sl_verdict_answer_find(fixture.outcome, &answer));
        assert_int_equal(answer.model_better.verdict, cases[i].verdict);
        sl_verdict_answer_release(&answer);
        close_fixture(&fixture);
    }
}

static void test_the_front_holds_what_nothing_beats_in_both(void **state)
{
    (void)state;
    static const struct figures figures[] = {
        {"votes", 1, .4, 5, .9},
        {"few", 1, .2, 10, .6},
        {"many", 1, .2, 100, 1},
    };
    struct fixture fixture;
    struct sl_verdict_answer answer;
    open_fixture(&fixture, figures, 3);
    assert_true(sl_verdict_answer_find(fixture.outcome, &answer));
    assert_true(answer.sets[0].is_front);
    assert_true(answer.sets[1].is_front);
    assert_false(answer.sets[2].is_front); /* as near as "few", but slower */
    sl_verdict_answer_release(&answer);
    close_fixture(&fixture);
}

static void test_the_first_line_says_what_won_by_how_much_and_that_it_is_decided(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, common, N_COMMON);
    char *words = lines_of(&fixture);
    assert_begins(words,
                  "**few** gives better labels for the annotators' time than **votes**: "
                  "62\u00a0% closer to the true distributions in 2.7 times the annotator "
                  "time. This is decided, and so is its lead over the next best set, "
                  "**many**. The network trained on **few** is significantly better than the "
                  "one trained on **votes**: its cross-entropy on new is 0.300 lower.\n\n"
                  "What this rests on: ");
    assert_has(words, "9 runs of 3 label sets (3 per set)");
    assert_has(words, "- baseline: votes: Jensen-Shannon divergence 0.40\u00a0±\u00a00.25, 5.0");
    assert_has(words, "- best for its time: few: Jensen-Shannon divergence 0.15\u00a0±\u00a00.12");
    assert_has(words, "gain 1.8\u00a0±\u00a00.7 per 100\u00a0s");
    assert_has(words, "- second best for its time: many: ");
    assert_has(words, "- closest, regardless of time: many: ");
    free(words);
    close_fixture(&fixture);
}

/* With shuffled truth every set is equally far from it, and soft labels only cost more time. */
static void test_other_distances_make_another_first_line(void **state)
{
    (void)state;
    struct figures figures[N_COMMON];
    struct fixture fixture;
    memcpy(figures, common, sizeof figures);
    for (size_t i = 0; i < N_COMMON; i++) {
        figures[i].distance = strcmp(figures[i].set, "votes") == 0 ? .5 : .55;
        figures[i].model = 2 + .1 * (double)(i % 5);
    }
    open_fixture(&fixture, figures, N_COMMON);
    char *words = lines_of(&fixture);
    assert_begins(words, "No label set came closer to the true distributions than **votes**; the "
                         "best of the others is **many**, 10\u00a0% further from the true "
                         "distributions. This is decided.");
    free(words);
    close_fixture(&fixture);
}

static void test_what_runs_do_not_decide_is_said_first(void **state)
{
    (void)state;
    static const struct figures open[] = {
        {"votes", 1, .4, 5, .9}, {"votes", 2, .4, 5, .8},  {"few", 1, .2, 10, .6},
        {"few", 2, .3, 10, .9},  {"many", 1, .25, 10, .5}, {"many", 2, .28, 10, .8},
    };
    /* Both are certainly nearer; which of them is first is open. */
    static const struct figures near[] = {
        {"votes", 1, .4, 5, .9}, {"votes", 2, .4, 5, .8},  {"few", 1, .20, 10, .6},
        {"few", 2, .21, 10, .9}, {"many", 1, .21, 10, .5}, {"many", 2, .201, 10, .8},
    };
    struct fixture fixture;
    open_fixture(&fixture, open, 6);
    char *words = lines_of(&fixture);
    assert_begins(words, "**Nothing is decided.** In these runs, **few** gave better labels for "
                         "the annotators' time than **votes**: 38\u00a0% closer");
    assert_has(words, "Whether the network trained on **few** is better than the one trained on "
                      "**votes** is not decided: its cross-entropy on new is 0.1");
    free(words);
    close_fixture(&fixture);
    open_fixture(&fixture, near, 6);
    words = lines_of(&fixture);
    assert_has(words, "This is decided; whether it or **many** is the best of the 3 label sets is "
                      "not.");
    free(words);
    close_fixture(&fixture);
}

static void test_one_run_each_decides_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    open_fixture(&fixture, (const struct figures[]){common[0], common[3]}, 2);
    char *words = lines_of(&fixture);
    assert_begins(words, "**One run per label set decides nothing.** In these runs, **few** gave "
                         "better labels");
    assert_has(words, "2 runs of 2 label sets (1 per set)");
    assert_has(words, "few: Jensen-Shannon divergence 0.2000, 10.0\u00a0s of annotator time");
    assert_null(strstr(words, "nan"));
    assert_null(strstr(words, "This is decided"));
    free(words);
    close_fixture(&fixture);
}

/* The report says next to the answer whether people or a simulation answered, or that this is
 * unknown. */
static void test_who_answered_stands_beside_the_answer(void **state)
{
    (void)state;
    static const struct {
        const char *people, *words;
    } cases[] = {
        {NULL, "What this rests on: the specification does not say whether people or a simulation "
               "answered; 9 runs"},
        {"simulated",
         "What this rests on: **simulated people**, so this says nothing yet about real "
         "ones; 9 runs"},
        {"real", "What this rests on: **real people**; 9 runs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        open_fixture(&fixture, common, N_COMMON);
        fixture.spec->brief->people = cases[i].people;
        char *words = lines_of(&fixture);
        assert_has(words, cases[i].words);
        free(words);
        close_fixture(&fixture);
    }
}

static void test_without_runs_of_what_is_measured_against_there_is_no_answer(void **state)
{
    (void)state;
    struct fixture fixture;
    struct sl_verdict_answer answer;
    open_fixture(&fixture, &common[3], 3);
    assert_false(sl_verdict_answer_find(fixture.outcome, &answer));
    close_fixture(&fixture);
}

static void test_a_question_about_a_set_that_is_not_there_is_refused(void **state)
{
    (void)state;
    static const char wrong[] =
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":[],\n"
        "\"sets\":{\"a\":{\"labels\":null}},\"references\":{\"truth\":{\"labels\":[\"x\"]}},\n"
        "\"answer\":{\"reference\":\"truth\",\"against\":\"b\",\"distance\":\"labels/js\","
        "\"model\":\"new/accuracy\"}}";
    struct sl_error err;
    struct sl_spec *spec = NULL;
    const char *path = test_path("wrong.json");
    assert_ok(sl_file_write(path, wrong, strlen(wrong), &err), err);
    assert_fails(sl_spec_read(path, "paper", &spec, &err), SL_ERR_INPUT, err, "sets has no \"b\"");
    static const char untold[] =
        "{\"softlab\":\"experiment\",\"version\":1,\"name\":\"x\",\"title\":\"X\",\"needs\":[],\n"
        "\"sets\":{\"a\":{\"labels\":null}},\"references\":{\"truth\":{\"labels\":[\"x\"]}},\n"
        "\"table\":{\"rows\":[\"set\"],\"columns\":[\"labels/js\",\"new/accuracy\"],"
        "\"pool\":[\"seed\"],\"interval\":\"t95\",\"cells\":{}},\n"
        "\"answer\":{\"reference\":\"truth\",\"against\":\"a\",\"distance\":\"labels/js\","
        "\"model\":\"new/accuracy\"}}";
    assert_ok(sl_file_write(path, untold, strlen(untold), &err), err);
    assert_fails(sl_spec_read(path, "paper", &spec, &err), SL_ERR_INPUT, err,
                 "the table has no column \"labels/seconds\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gains_are_paired_by_run_and_divided_by_the_sets_own_time),
        cmocka_unit_test(test_the_model_is_judged_by_pairs_with_lower_cross_entropy_better),
        cmocka_unit_test(test_the_model_is_judged_by_any_measure_in_its_direction),
        cmocka_unit_test(test_the_front_holds_what_nothing_beats_in_both),
        cmocka_unit_test(test_the_first_line_says_what_won_by_how_much_and_that_it_is_decided),
        cmocka_unit_test(test_other_distances_make_another_first_line),
        cmocka_unit_test(test_what_runs_do_not_decide_is_said_first),
        cmocka_unit_test(test_one_run_each_decides_nothing),
        cmocka_unit_test(test_who_answered_stands_beside_the_answer),
        cmocka_unit_test(test_without_runs_of_what_is_measured_against_there_is_no_answer),
        cmocka_unit_test(test_a_question_about_a_set_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
