#include "outcome_scene.h"

static void test_a_cell_is_the_mean_of_its_runs_with_its_interval(void **state)
{
    const struct scene *scene = *state;
    /* 1.0 1.2 1.4: sd .2; t(.975, 2) = 4.30265 times .2 / sqrt 3 = .496827. */
    const struct sl_outcome_cell *cell = find_cell(scene->outcome, "a/ce-t");
    assert_near(cell->here.mean, 1.2, 1e-12);
    assert_near(cell->here.spread, .4968275, 1e-6);
    assert_int_equal(cell->here.n_runs, 3);
    assert_near(cell->paper, 1.29, 0);
    assert_near(cell->uncertainty, .08, 0);
    assert_int_equal(cell->paper_runs, 15);
    assert_int_equal(cell->decimals, 3);
    assert_string_equal(cell->row, "Row A");
}

static void test_figures_come_in_the_papers_unit(void **state)
{
    const struct scene *scene = *state;
    const struct sl_outcome_cell *cell = find_cell(scene->outcome, "a/accuracy");
    assert_near(cell->here.mean, 82, 1e-9);
    assert_near(cell->here.spread, 4.968275, 1e-5);
    assert_near(cell->paper, 81.5, 0);
    assert_true(isnan(cell->uncertainty));
    assert_int_equal(cell->decimals, 2);
}

static void test_what_is_not_published_is_shown_too(void **state)
{
    const struct scene *scene = *state;
    const struct sl_outcome_cell *cell = find_cell(scene->outcome, "c/t/cross_entropy");
    assert_null(cell->status);
    assert_near(cell->here.mean, 1.3, 1e-12);
    assert_true(isnan(cell->paper));
    assert_near(find_cell(scene->outcome, "other/entropy")->here.mean, .25, 0);
    /* not published: u of a; u and accuracy of b; all three of c; the computed figure. Published:
     * five. */
    assert_int_equal(scene->outcome->n_cells, 5 + 1 + 2 + 3 + 1);
}

static void test_what_is_missing_says_why(void **state)
{
    const struct scene *scene = *state;
    const struct sl_outcome_cell *cell = find_cell(scene->outcome, "gone/ce-t");
    assert_true(isnan(cell->here.mean) && isnan(cell->paper));
    assert_string_equal(cell->reason, "nobody kept it");
    assert_string_equal(cell->status, "illegible");
}

static void test_computed_figures_fill_cells_without_runs(void **state)
{
    const struct scene *scene = *state;
    const struct sl_outcome_cell *cell = find_cell(scene->outcome, "made/seconds");
    assert_near(cell->here.mean, 12.5, 0);
    assert_true(cell->here.is_computed && isnan(cell->here.spread));
    assert_int_equal(cell->here.n_runs, 0);
}

static void test_claims_are_judged_by_pairs(void **state)
{
    const struct scene *scene = *state;
    /* b - a is .5 .4 .6, and lower is better. */
    const struct sl_judgement *here = &find_claim(scene->outcome, "better:a-b")->here;
    assert_int_equal(here->verdict, SL_VERDICT_HOLDS);
    assert_int_equal(here->test, SL_TEST_PAIRED);
    assert_int_equal(here->n_pairs, 3);
    assert_near(here->difference.estimate, .5, 1e-9);
    assert_near(here->difference.low, .5 - .2484137, 1e-6);
    here = &find_claim(scene->outcome, "better:b-a")->here;
    assert_int_equal(here->verdict, SL_VERDICT_FAILS);
    assert_near(here->difference.high, -.5 + .2484137, 1e-6);
}

static void test_claims_between_other_seeds_are_judged_by_welch(void **state)
{
    const struct scene *scene = *state;
    const struct sl_judgement *here = &find_claim(scene->outcome, "better:a-c")->here;
    assert_int_equal(here->verdict, SL_VERDICT_UNDECIDED);
    assert_int_equal(here->test, SL_TEST_WELCH);
    assert_near(here->difference.estimate, .1, 1e-9);
    assert_near(here->difference.high, .1 + 2.7764451 * sqrt(.08 / 3), 1e-6);
    here = &find_claim(scene->outcome, "better:c-a")->here;
    assert_near(here->difference.estimate, -.1, 1e-9);
    assert_int_equal(here->verdict, SL_VERDICT_UNDECIDED);
    here = &find_claim(scene->outcome, "more:a-c")->here;
    assert_near(here->difference.estimate, .1, 1e-9);
    assert_int_equal(here->verdict, SL_VERDICT_UNDECIDED);
}

static void test_alike_means_within_a_twentieth(void **state)
{
    const struct scene *scene = *state;
    const struct sl_judgement *here = &find_claim(scene->outcome, "similar:a-c")->here;
    assert_near(here->margin.value, .05 * 1.3, 1e-12);
    assert_false(here->margin.is_absolute);
    assert_int_equal(here->verdict, SL_VERDICT_UNDECIDED);
    /* 12.5 and .5 are exact and far apart. */
    here = &find_claim(scene->outcome, "similar:limit")->here;
    assert_int_equal(here->test, SL_TEST_EXACT);
    assert_int_equal(here->verdict, SL_VERDICT_FAILS);
}

static void test_gains_and_two_test_sets_of_one_row(void **state)
{
    const struct scene *scene = *state;
    const struct sl_judgement *gain = &find_claim(scene->outcome, "gain:a-b")->here;
    assert_near(gain->difference.estimate, .35, 1e-9);
    assert_near(gain->difference.low, .35 - 4.3026527 * .08660254 / sqrt(3), 1e-6);
    assert_int_equal(gain->verdict, SL_VERDICT_HOLDS);
    /* On u always 1; on t 1.0 1.2 1.4. */
    const struct sl_judgement *own = &find_claim(scene->outcome, "better:own")->here;
    assert_near(own->difference.estimate, .2, 1e-9);
    assert_int_equal(own->n_pairs, 3);
    assert_int_equal(own->verdict, SL_VERDICT_UNDECIDED);
}

static void test_a_row_may_be_a_number_by_definition(void **state)
{
    const struct scene *scene = *state;
    const struct sl_judgement *here = &find_claim(scene->outcome, "less:limit")->here;
    assert_int_equal(here->verdict, SL_VERDICT_HOLDS);
    assert_near(here->difference.estimate, 12, 1e-12);
}

static void test_claims_are_also_held_against_the_papers_own_figures(void **state)
{
    const struct scene *scene = *state;
    /* .11 apart; both .08 / t(.975, 14) = .0373, 28 degrees: half is .10805. */
    const struct sl_judgement *paper = &find_claim(scene->outcome, "better:a-b")->paper;
    assert_int_equal(paper->verdict, SL_VERDICT_HOLDS);
    assert_near(paper->difference.estimate, .11, 1e-9);
    assert_near(paper->difference.low, .11 - 2.0484071 * .08 / 2.1447867 * sqrt(2), 1e-6);
    assert_int_equal(find_claim(scene->outcome, "better:b-a")->paper.verdict, SL_VERDICT_FAILS);
    assert_int_equal(find_claim(scene->outcome, "better:a-c")->paper.verdict, SL_VERDICT_NOT_RUN);
    const struct sl_outcome_claim *gone = find_claim(scene->outcome, "better:gone");
    assert_int_equal(gone->here.verdict, SL_VERDICT_NOT_RUN);
    assert_int_equal(gone->paper.verdict, SL_VERDICT_NOT_RUN);
}

static void test_a_run_of_another_specification_counts_by_its_key(void **state)
{
    const struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    /* Here the run of b with seed 1 is a with seed 9, and its accuracy has another name; nothing
     * else changes. */
    char set[] = "a", network[] = "n1";
    json_t *renamed = json_pack("{s:s}", "u/cross_entropy", "t/accuracy");
    const struct sl_planned_run plan = {
        .key = "b-1", .set = set, .network = network, .seed = 9, .fold = -1, .renamed = renamed};
    struct sl_outcome_source source = {.spec = scene->spec,
                                       .variant = "as-run",
                                       .results = scene->results,
                                       .plan = &plan,
                                       .n_plan = 1};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_int_equal(find_cell(outcome, "a/ce-t")->here.n_runs, 4);
    assert_near(find_cell(outcome, "a/ce-t")->here.mean, (1.0 + 1.2 + 1.4 + 1.5) / 4, 1e-12);
    assert_int_equal(find_cell(outcome, "b/ce-t")->here.n_runs, 2);
    assert_near(find_cell(outcome, "a/u/cross_entropy")->here.mean, (1 + 1 + 1 + .7) / 4, 1e-12);
    sl_outcome_destroy(outcome);
    json_decref(renamed);
}

static void test_a_run_of_the_right_key_stands_before_one_of_the_name(void **state)
{
    const struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    /* Two results for a with seed 1: the one with the planned key counts. */
    char set[] = "a", network[] = "n1";
    const struct sl_planned_run plan = {
        .key = "b-3", .set = set, .network = network, .seed = 1, .fold = -1};
    struct sl_outcome_source source = {.spec = scene->spec,
                                       .variant = "as-run",
                                       .results = scene->results,
                                       .plan = &plan,
                                       .n_plan = 1};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_int_equal(find_cell(outcome, "a/ce-t")->here.n_runs, 3);
    assert_near(find_cell(outcome, "a/ce-t")->here.mean, (2.0 + 1.2 + 1.4) / 3, 1e-12);
    sl_outcome_destroy(outcome);
}

static void test_other_scales_and_variants_stay_out(void **state)
{
    const struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    char set[] = "b", missing[] = "no such network";
    const struct sl_planned_run plan = {.key = "z", .set = set, .missing = missing};
    struct sl_outcome_source source = {.spec = scene->spec,
                                       .variant = "as-published",
                                       .results = scene->results,
                                       .plan = &plan,
                                       .n_plan = 1};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_int_equal(outcome->n_runs, 0);
    assert_true(isnan(find_cell(outcome, "a/ce-t")->here.mean));
    assert_null(find_cell(outcome, "a/ce-t")->reason);
    /* The plan says why there is no figure. */
    assert_string_equal(find_cell(outcome, "b/ce-t")->reason, "no such network");
    assert_int_equal(find_claim(outcome, "better:a-b")->here.verdict, SL_VERDICT_NOT_RUN);
    sl_outcome_destroy(outcome);
}

static void test_a_small_network_stands_for_a_papers_own(void **state)
{
    const struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
#define LARGE                                                                                      \
    "\"networks\":[\"n1\",\"large\"],\"table\":{\"rows\":[\"network\",\"set\"],\"columns\":["      \
    "\"t/cross_entropy\"],\"pool\":[\"seed\"],\"interval\":\"t95\",\"cells\":{"                    \
    "\"large|a|t/cross_entropy\":\"a/ce-t\"}}"
    static const struct {
        const char *changes;
        double mean;
    } cases[] = {
        {"{" LARGE "}", NAN},
        {"{" LARGE ",\"scales\":{\"paper\":{\"stands_for\":{\"n1\":\"large\"}}}}", 1.2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sl_spec *spec = scene_read_with(cases[i].changes, "paper");
        const struct sl_outcome_source source = {
            .spec = spec, .variant = "as-run", .results = scene->results};
        assert_ok(sl_outcome_create(&source, &outcome, &err), err);
        const double mean = find_cell(outcome, "a/ce-t")->here.mean;
        assert_true(isnan(cases[i].mean) ? isnan(mean) : fabs(mean - cases[i].mean) < 1e-12);
        sl_outcome_destroy(outcome);
        sl_spec_destroy(spec);
    }
}

static void test_small_networks_are_not_held_against_figures_of_large_ones(void **state)
{
    struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    char set[] = "a", network[] = "n1";
    const struct sl_planned_run plan[] = {
        {.key = "a-1", .set = set, .network = network, .seed = 1, .fold = -1},
        {.key = "a-2", .set = set, .network = network, .seed = 2, .fold = -1}};
    struct sl_outcome_source source = {
        .spec = scene->spec, .results = scene->results, .plan = plan, .n_plan = 2};
    free(scene->spec->claims);
    scene->spec->claims = sl_string_copy("claim,better,worse,metric,test_set,section,words\n"
                                         "less:a-limit,a,limit,cross_entropy,t,1,words\n");
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_int_equal(find_claim(outcome, "less:a-limit")->here.verdict, SL_VERDICT_FAILS);
    sl_outcome_destroy(outcome);
    struct sl_spec *small =
        scene_read_with("{\"scales\":{\"quick\":{\"settings\":{\"epochs\":1}}}}", "quick");
    free(small->claims);
    small->claims = sl_string_copy(scene->spec->claims);
    source.spec = small;
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_int_equal(find_cell(outcome, "a/ce-t")->here.n_runs, 2);
    assert_int_equal(find_claim(outcome, "less:a-limit")->here.verdict, SL_VERDICT_NOT_RUN);
    sl_outcome_destroy(outcome);
    sl_spec_destroy(small);
}

static void test_a_star_pools_every_coordinate(void **state)
{
    const struct scene *scene = *state;
    struct sl_sample sample;
    sl_outcome_collect(scene->outcome, "*", "t/cross_entropy", &sample);
    assert_int_equal(sample.count, 9);
    sl_sample_release(&sample);
    sl_outcome_collect(scene->outcome, "*|a", "t/cross_entropy", &sample);
    assert_int_equal(sample.count, 0);
    sl_sample_release(&sample);
    sl_outcome_collect(scene->outcome, "a", "nothing/accuracy", &sample);
    assert_int_equal(sample.count, 0);
    sl_sample_release(&sample);
}

static void test_a_table_may_print_standard_deviations(void **state)
{
    struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    struct sl_spec *spec = scene_read_with(
        "{\"table\":{\"rows\":[\"set\"],\"columns\":[\"t/cross_entropy\"],\"pool\":[\"seed\"],"
        "\"interval\":\"sd\",\"cells\":{\"a|t/cross_entropy\":\"a/ce-t\"}}}",
        "paper");
    const struct sl_outcome_source source = {
        .spec = spec, .variant = "as-run", .results = scene->results};
    assert_ok(sl_outcome_create(&source, &outcome, &err), err);
    assert_near(find_cell(outcome, "a/ce-t")->here.spread, .2, 1e-12);
    sl_outcome_destroy(outcome);
    sl_spec_destroy(spec);
}

static void test_every_metric_of_the_specifications_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; sl_builtin_specs[i]; i++) {
        struct sl_error err;
        struct sl_spec *spec;
        struct sl_outcome *outcome;
        struct sl_results *none = sl_results_create();
        assert_ok(sl_spec_read(sl_builtin_specs[i], "paper", &spec, &err), err);
        struct sl_outcome_source source = {.spec = spec, .results = none};
        assert_ok(sl_outcome_create(&source, &outcome, &err), err);
        for (size_t c = 0; c < outcome->n_cells; c++) {
            const char *name = outcome->cells[c].metric;
            assert_non_null(sl_measure_find(name, strlen(name)));
        }
        for (size_t c = 0; c < outcome->n_claims; c++) {
            const char *name = outcome->claims[c].metric;
            const struct sl_measure *metric = sl_measure_find(name, strlen(name));
            assert_non_null(metric);
            /* A claim of "better" needs a measure with a direction. */
            const bool is_judged = strncmp(outcome->claims[c].claim, "no-claim:", 9) != 0;
            if (strstr(outcome->claims[c].claim, "better:"))
                assert_int_not_equal(metric->better, 0);
            assert_int_equal(outcome->claims[c].here.verdict,
                             is_judged ? SL_VERDICT_NOT_RUN : SL_VERDICT_NO_CLAIM);
        }
        sl_outcome_destroy(outcome);
        sl_results_destroy(none);
        sl_spec_destroy(spec);
    }
}

static void test_broken_tables_are_named(void **state)
{
    const struct scene *scene = *state;
    struct sl_error err;
    struct sl_outcome *outcome;
    struct sl_outcome_source source = {.spec = scene->spec, .results = scene->results};
    free(scene->spec->expected);
    scene->spec->expected = sl_string_copy("cell,row\na,b\n");
    assert_fails(sl_outcome_create(&source, &outcome, &err), SL_ERR_INPUT, err,
                 "x: expected.csv:1: column 3 must be called \"column\"");
    free(scene->spec->expected);
    scene->spec->expected =
        sl_string_copy("cell,row,column,metric,test_set,value,uncertainty,uncertainty_kind,n_runs,"
                       "status,note,more\na/b,c,d,accuracy,t,1,,,,text,,x\n");
    assert_fails(sl_outcome_create(&source, &outcome, &err), SL_ERR_INPUT, err,
                 "x: expected.csv:1: too many columns; remove those after \"note\"");
    free(scene->spec->expected);
    scene->spec->expected = NULL;
    free(scene->spec->claims);
    scene->spec->claims = sl_string_copy("claim,better\n");
    assert_fails(sl_outcome_create(&source, &outcome, &err), SL_ERR_INPUT, err,
                 "x: claims.csv:1: expected the 7 columns claim, better, worse, metric, test_set, "
                 "section, words");
}

int main(void)
{
#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        SCENE_TEST(test_a_cell_is_the_mean_of_its_runs_with_its_interval),
        SCENE_TEST(test_figures_come_in_the_papers_unit),
        SCENE_TEST(test_what_is_not_published_is_shown_too),
        SCENE_TEST(test_what_is_missing_says_why),
        SCENE_TEST(test_computed_figures_fill_cells_without_runs),
        SCENE_TEST(test_claims_are_judged_by_pairs),
        SCENE_TEST(test_claims_between_other_seeds_are_judged_by_welch),
        SCENE_TEST(test_alike_means_within_a_twentieth),
        SCENE_TEST(test_gains_and_two_test_sets_of_one_row),
        SCENE_TEST(test_a_row_may_be_a_number_by_definition),
        SCENE_TEST(test_claims_are_also_held_against_the_papers_own_figures),
        SCENE_TEST(test_a_run_of_another_specification_counts_by_its_key),
        SCENE_TEST(test_a_run_of_the_right_key_stands_before_one_of_the_name),
        SCENE_TEST(test_other_scales_and_variants_stay_out),
        SCENE_TEST(test_a_small_network_stands_for_a_papers_own),
        SCENE_TEST(test_small_networks_are_not_held_against_figures_of_large_ones),
        SCENE_TEST(test_a_star_pools_every_coordinate),
        SCENE_TEST(test_a_table_may_print_standard_deviations),
        SCENE_TEST(test_broken_tables_are_named),
        cmocka_unit_test(test_every_metric_of_the_specifications_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
