#include "outcome_scene.h"

#include "verdict/judge/judge.h"

/* The scene with other claims and published figures. */
static struct sl_outcome *judge_others(struct scene *scene, const char *claims,
                                       const char *expected)
{
    struct sl_error err;
    struct sl_outcome *outcome;
    free(scene->spec->claims);
    scene->spec->claims =
        sl_string_printf("claim,better,worse,metric,test_set,section,words\n%s", claims);
    if (expected) {
        free(scene->spec->expected);
        scene->spec->expected =
            sl_string_printf("cell,row,column,metric,test_set,value,uncertainty,"
                             "uncertainty_kind,n_runs,status,note\n%s",
                             expected);
    }
    struct sl_outcome_source source = {
        .spec = scene->spec, .variant = "as-run", .results = scene->results};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    return outcome;
}

static void test_mixed_results_are_shown_and_not_judged(void **state)
{
    struct scene *scene = *state;
    struct sl_outcome *outcome =
        judge_others(scene, "no-claim:a-b,a,b,cross_entropy,t,1,mixed results\n", NULL);
    const struct sl_judgement *here = &outcome->claims[0].here;
    assert_int_equal(here->verdict, SL_VERDICT_NO_CLAIM);
    assert_int_equal(outcome->claims[0].paper.verdict, SL_VERDICT_NO_CLAIM);
    /* The judgement has the difference and its interval. */
    assert_near(here->difference.estimate, .5, 1e-9);
    assert_near(here->difference.low, .5 - .2484137, 1e-6);
    sl_outcome_destroy(outcome);
}

static void test_does_not_outperform_is_no_claim_of_the_opposite(void **state)
{
    struct scene *scene = *state;
    /* b is certainly .5 worse than a; a against c is undecided. */
    struct sl_outcome *outcome =
        judge_others(scene,
                     "not-better:b-a,b,a,cross_entropy,t,1,does not outperform\n"
                     "not-better:a-b,a,b,cross_entropy,t,1,does not outperform\n"
                     "not-better:a-c,a,c,cross_entropy,t,1,does not outperform\n",
                     NULL);
    assert_int_equal(outcome->claims[0].here.verdict, SL_VERDICT_HOLDS);
    assert_int_equal(outcome->claims[1].here.verdict, SL_VERDICT_FAILS);
    assert_int_equal(outcome->claims[2].here.verdict, SL_VERDICT_UNDECIDED);
    assert_near(outcome->claims[2].here.margin.value, .05 * 1.3, 1e-12);
    sl_outcome_destroy(outcome);
}

static void test_an_unknown_relation_is_refused(void **state)
{
    struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    struct sl_outcome_source source = {.spec = scene->spec, .results = scene->results};
    free(scene->spec->claims);
    scene->spec->claims = sl_string_copy("claim,better,worse,metric,test_set,section,words\n"
                                         "best:a,a,b,cross_entropy,t,1,words\n");
    assert_fails(sl_outcome_create(&source, &outcome, &err), SL_ERR_INPUT, err,
                 "x: claims.csv:2: claim \"best:a\" does not begin with a relation; begin it with "
                 "better:, not-better:, similar:, more:, less:, gain: or no-claim:");
}

static void test_a_plus_or_minus_of_unknown_kind_is_read_with_caution(void **state)
{
    struct scene *scene = *state;
    /* Two standard errors of .05 give .0707 with 8 degrees of freedom; 2.306 times that is .163,
     * more than .11. Read as a 95 % interval, or ignored, the claim would hold. */
    struct sl_outcome *outcome =
        judge_others(scene, "better:a-b,a,b,cross_entropy,t,1,words\n",
                     "a/ce-t,A,CE,cross_entropy,t,1.29,0.05,,5,published,\n"
                     "b/ce-t,B,CE,cross_entropy,t,1.40,0.05,,5,published,\n");
    const struct sl_judgement *paper = &outcome->claims[0].paper;
    assert_int_equal(paper->verdict, SL_VERDICT_UNDECIDED);
    assert_near(paper->difference.high - .11, 2.3060041 * .05 * sqrt(2), 1e-6);
    sl_outcome_destroy(outcome);
    /* Without a printed number of runs, two are assumed, the fewest possible. */
    outcome = judge_others(scene, "better:a-b,a,b,cross_entropy,t,1,words\n",
                           "a/ce-t,A,CE,cross_entropy,t,1.29,0.05,,,published,\n"
                           "b/ce-t,B,CE,cross_entropy,t,1.40,0.05,,,published,\n");
    assert_near(outcome->claims[0].paper.difference.high - .11, 4.3026527 * .05 * sqrt(2), 1e-6);
    sl_outcome_destroy(outcome);
}

static void test_evidence_says_how_many_of_the_papers_runs_there_are(void **state)
{
    struct scene *scene = *state;
    const struct sl_outcome *outcome = scene->outcome;
    /* Three of fifteen runs; and a figure without training. */
    const struct sl_judgement *here = &find_claim(outcome, "better:a-b")->here;
    assert_int_equal(here->evidence, SL_EVIDENCE_FEWER);
    assert_int_equal(here->n_runs, 3);
    assert_int_equal(here->n_wanted, 15);
    assert_int_equal(find_claim(outcome, "less:limit")->here.evidence, SL_EVIDENCE_FILES);
    struct sl_outcome *whole = judge_others(scene, "better:a-b,a,b,cross_entropy,t,1,words\n",
                                            "a/ce-t,A,CE,cross_entropy,t,1.29,,,3,published,\n"
                                            "b/ce-t,B,CE,cross_entropy,t,1.40,,,3,published,\n");
    assert_int_equal(whole->claims[0].here.evidence, SL_EVIDENCE_PAPER);
    sl_outcome_destroy(whole);
}

static void test_a_scale_with_fewer_seeds_is_not_a_small_network(void **state)
{
    (void)state;
    static const char scales[] = "{\"scales\":{\"few\":{\"seeds\":[1]},"
                                 "\"other\":{\"networks\":[\"n2\"]},"
                                 "\"short\":{\"settings\":{\"epochs\":3}}}}";
    static const struct {
        const char *scale;
        enum sl_scale_kind kind;
    } cases[] = {{"paper", SL_RUNS_ALL},
                 {"few", SL_RUNS_FEWER},
                 {"other", SL_RUNS_OTHER},
                 {"short", SL_RUNS_OTHER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_spec *spec = scene_read_with(scales, cases[i].scale);
        assert_int_equal(sl_spec_scale_kind(spec, NULL), cases[i].kind);
        sl_spec_destroy(spec);
    }
}

static void test_human_answers_are_a_sample(void **state)
{
    (void)state;
    static const char line[] =
        "{\"softlab\":\"result\",\"key\":\"k\",\"spec\":\"x\",\"set\":null,\"computed\":{"
        "\"high/confidence\":0.5,\"low/confidence\":0.6,\"bare/confidence\":0.9,"
        "\"high/answers\":3,\"low/answers\":2,\"p/ce\":1.0,\"q/ce\":1.5},\"errors\":{"
        "\"high/confidence\":0.03,\"low/confidence\":0.04},\"samples\":{"
        "\"p/ce\":[0.9,1.0,1.1],\"q/ce\":[1.4,1.5,1.6]}}\n";
    struct sl_error err;
    struct scene scene = {.spec = scene_read(), .results = sl_results_create()};
    test_write(test_path("answers.jsonl"), line, sizeof line - 1);
    assert_ok(sl_results_read(scene.results, test_path("answers.jsonl"), &err), err);
    struct sl_outcome *outcome = judge_others(&scene,
                                              "less:high-low,high,low,confidence,,1,words\n"
                                              "less:high-bare,high,bare,confidence,,1,words\n"
                                              "more:answers,high,low,answers,,1,words\n"
                                              "better:p-q,p,q,cross_entropy,,1,words\n",
                                              NULL);
    /* .1 with a standard error of .05: 1.96 times that is .098. */
    const struct sl_judgement *here = &outcome->claims[0].here;
    assert_int_equal(here->test, SL_TEST_WELCH);
    assert_int_equal(here->verdict, SL_VERDICT_HOLDS);
    assert_near(here->difference.low, .1 - 1.9599640 * .05, 1e-6);
    assert_near(find_cell(outcome, "high/confidence")->here.spread, 1.9599640 * .03, 1e-6);
    /* A sample of unknown error decides nothing; counts of a file are exact. */
    assert_int_equal(outcome->claims[1].here.verdict, SL_VERDICT_UNDECIDED);
    assert_int_equal(outcome->claims[2].here.test, SL_TEST_EXACT);
    assert_int_equal(outcome->claims[2].here.verdict, SL_VERDICT_HOLDS);
    /* Published folds are paired and share training items: three folds, n_test / n_train = 1/2;
     * their mean has sd .1. */
    here = &outcome->claims[3].here;
    assert_int_equal(here->test, SL_TEST_PAIRED);
    assert_int_equal(here->n_pairs, 3);
    assert_near(here->overlap, .5, 1e-12);
    assert_int_equal(here->evidence, SL_EVIDENCE_FILES);
    assert_near(find_cell(outcome, "p/ce")->here.spread, 4.3026527 * .1 * sqrt(1. / 3 + .5), 1e-6);
    sl_outcome_destroy(outcome);
    sl_results_destroy(scene.results);
    sl_spec_destroy(scene.spec);
}

static void test_folds_and_drawn_splits_share_training_items(void **state)
{
    (void)state;
    struct sl_spec *spec =
        scene_read_with("{\"folds\":10,\"parts\":{\"pos\":{\"folds\":null,\"split\":\"share:0.8\"},"
                        "\"fixed\":{\"folds\":null,\"split\":\"x:train\"}}}",
                        "paper");
    assert_near(sl_outcome_overlap(spec, NULL, 3), 1. / 9, 1e-12);
    assert_near(sl_outcome_overlap(spec, NULL, -1), 0, 0);
    assert_near(sl_outcome_overlap(spec, "pos", -1), .25, 1e-12);
    assert_near(sl_outcome_overlap(spec, "fixed", -1), 0, 0);
    sl_spec_destroy(spec);
}

static void test_claims_of_the_same_runs_have_one_identity(void **state)
{
    struct scene *scene = *state;
    struct sl_outcome *outcome = judge_others(scene,
                                              "better:one,a,b,cross_entropy,t,1,words\n"
                                              "better:two,a,b,cross_entropy,t,2,other words\n"
                                              "similar:three,a,b,cross_entropy,t,2,words\n"
                                              "better:four,b,a,cross_entropy,t,2,words\n"
                                              "better:five,a,b,cross_entropy,u,2,words\n",
                                              NULL);
    assert_string_equal(outcome->claims[0].identity, outcome->claims[1].identity);
    for (size_t i = 2; i < 5; i++)
        assert_string_not_equal(outcome->claims[0].identity, outcome->claims[i].identity);
    sl_outcome_destroy(outcome);
}

/* The identity of a claim in a built-in table. */
static char *identity_of(const char *name, const char *claim)
{
    struct sl_error err;
    struct sl_spec *spec;
    struct sl_planned *planned;
    struct sl_outcome *outcome;
    struct sl_results *none = sl_results_create();
    assert_ok(sl_spec_read(name, "paper", &spec, &err), err);
    assert_ok(sl_planned_create(spec, false, &planned, &err), err);
    struct sl_outcome_source source = {
        .spec = spec, .results = none, .plan = planned->runs, .n_plan = planned->n_runs};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    char *identity = sl_string_copy(find_claim(outcome, claim)->identity);
    sl_outcome_destroy(outcome);
    sl_planned_destroy(planned);
    sl_spec_destroy(spec);
    sl_results_destroy(none);
    return identity;
}

static void test_a_table_that_is_printed_twice_has_the_same_claims(void **state)
{
    (void)state;
    static const char ours[] = "better:ours-cifar10h-ce-cifar10h";
    static const char median[] = "similar:median-0.5";
    char *paper = identity_of("collins2022/table2", ours);
    char *thesis = identity_of("thesis2022/table3.2", ours);
    char *figure = identity_of("thesis2022/figure4.2", median);
    char *section = identity_of("thesis2022/section4.2.2", median);
    assert_string_equal(paper, thesis);
    assert_string_equal(figure, section);
    assert_string_not_equal(paper, figure);
    free(paper);
    free(thesis);
    free(figure);
    free(section);
}

int main(void)
{
#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SCENE_TEST(test_mixed_results_are_shown_and_not_judged),
        SCENE_TEST(test_does_not_outperform_is_no_claim_of_the_opposite),
        SCENE_TEST(test_an_unknown_relation_is_refused),
        SCENE_TEST(test_a_plus_or_minus_of_unknown_kind_is_read_with_caution),
        SCENE_TEST(test_evidence_says_how_many_of_the_papers_runs_there_are),
        SCENE_TEST(test_a_scale_with_fewer_seeds_is_not_a_small_network),
        cmocka_unit_test_teardown(test_human_answers_are_a_sample, test_folder_clear),
        cmocka_unit_test(test_folds_and_drawn_splits_share_training_items),
        SCENE_TEST(test_claims_of_the_same_runs_have_one_identity),
        cmocka_unit_test(test_a_table_that_is_printed_twice_has_the_same_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
