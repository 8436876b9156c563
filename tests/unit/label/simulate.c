#include "softlab/label/simulate.h"
#include "label_support.h"
#include "pools.h"

static const char *const pets[] = {"cat", "cow", "dog", "elk"};

/* cat is near dog, then cow, then elk. */
static const float similarity[] = {1,    0.3F, 0.8F, 0.1F, 0.3F, 1,    0.2F, 0.6F,
                                   0.8F, 0.2F, 1,    0.4F, 0.1F, 0.6F, 0.4F, 1};

/* Item 0 is certain, item 1 is not. */
static struct sl_rows *make_reference(void)
{
    static const float values[] = {1, 0, 0, 0, 0.5F, 0, 0.5F, 0};
    return test_rows(values, 2, 4, NULL, pets);
}

/* Low: 100 and 80 % with nothing or one else possible. High: 60/20 and 40/30, two else possible. */
static struct sl_answers *make_answers(void)
{
    static const struct test_soft low[] = {{0, 100, -1, NAN, {1, 2, 3, -1}},
                                           {0, 80, 2, 10, {1, 3, -1}},
                                           {0, 90, 2, 20, {1, 3, -1}},
                                           {0, 95, -1, NAN, {1, 2, 3, -1}}};
    static const struct test_soft high[] = {{0, 60, 2, 20, {3, -1}}, {2, 40, 0, 30, {3, -1}}};
    struct sl_answers *answers = test_answers(pets, 4);
    struct test_answer soft;
    for (size_t i = 0; i < 4; i++) {
        test_fill_soft(&low[i], &soft);
        test_add(answers, soft.answer, "0", "ann");
    }
    for (size_t i = 0; i < 2; i++) {
        test_fill_soft(&high[i], &soft);
        test_add(answers, soft.answer, "1", "ann");
    }
    soft.answer.flags = SL_ANSWER_REPEAT;
    test_add(answers, soft.answer, "1", "ann");
    return answers;
}

static struct sl_simulator *fit(void)
{
    struct sl_answers *answers = make_answers();
    struct sl_rows *reference = make_reference();
    struct sl_simulator *simulator;
    struct sl_error err;
    assert_ok(sl_simulator_fit(answers, reference, 0.25, 0, &simulator, &err), err);
    sl_answers_destroy(answers);
    sl_rows_destroy(reference);
    return simulator;
}

static void test_a_fit_counts_and_matches_moments_by_hand(void **state)
{
    (void)state;
    struct sl_simulator *simulator = fit();
    const struct sl_simulator_part *low = &simulator->part[SL_SIMULATOR_LOW];
    const struct sl_simulator_part *high = &simulator->part[SL_SIMULATOR_HIGH];
    assert_int_equal(low->n_answers, 4);
    assert_int_equal(low->n_second, 2);
    assert_near(low->possible[0], 0.5, 0);
    assert_near(low->possible[1], 0.5, 0);
    assert_int_equal(high->n_answers, 2);
    assert_near(high->possible[2], 1, 0);
    /* .6 and .4: mean 1/2, variance .02, a + b = .25 / .02 - 1. */
    assert_near(high->top1.a, 5.75, 1e-4);
    assert_near(high->top1.b, 5.75, 1e-4);
    /* 100 % counts as .995. */
    double mean = (0.995 + 0.8 + 0.9 + 0.95) / 4;
    assert_near(low->top1.a / (low->top1.a + low->top1.b), mean, 1e-6);
    sl_simulator_destroy(simulator);
}

static void test_simulated_labels_follow_the_model(void **state)
{
    (void)state;
    struct sl_simulator *simulator = fit();
    struct sl_rows *reference = make_reference(), *rows, *again;
    struct sl_error err;
    for (uint64_t seed = 0; seed < 50; seed++) {
        assert_ok(sl_simulate(simulator, reference, similarity,
                              &(struct sl_simulate_options){1, seed, NULL}, &rows, &err),
                  err);
        assert_ok(sl_rows_check_distributions(rows, "simulated", &err), err);
        /* Item 0: only cat, or cat and the class nearest to it. */
        assert_near(rows->values[1], 0, 0);
        assert_near(rows->values[3], 0, 0);
        /* Item 1: cat or dog first, two others possible. */
        size_t with_mass = 0;
        for (size_t k = 0; k < 4; k++)
            with_mass += rows->values[4 + k] > 0;
        assert_true(with_mass == 2 || with_mass == 3);
        assert_ok(sl_simulate(simulator, reference, similarity,
                              &(struct sl_simulate_options){1, seed, NULL}, &again, &err),
                  err);
        assert_memory_equal(rows->values, again->values, 8 * sizeof(float));
        sl_rows_destroy(rows);
        sl_rows_destroy(again);
    }
    sl_simulator_destroy(simulator);
    sl_rows_destroy(reference);
}

/* Many annotators: half of item 0's answers are whole, the others have mean(p1 / (p1 + p2)). */
static void test_many_annotators_average_to_the_expectation(void **state)
{
    (void)state;
    struct sl_simulator *simulator = fit();
    struct sl_rows *reference = make_reference(), *rows;
    struct sl_error err;
    assert_ok(sl_simulate(simulator, reference, similarity,
                          &(struct sl_simulate_options){4000, 1, NULL}, &rows, &err),
              err);
    const struct sl_simulator_part *low = &simulator->part[SL_SIMULATOR_LOW];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "expectation", 0, 0);
    double sum = 0;
    for (size_t i = 0; i < 20000; i++) {
        double first = sl_rng_beta(&rng, low->top1.a, low->top1.b);
        sum += first / (first + sl_rng_beta(&rng, low->top2.a, low->top2.b));
    }
    assert_near(rows->values[0], 0.5 + 0.5 * sum / 20000, 0.01);
    /* Item 1: first cat or dog, the other one nearest, cow (or elk) third. */
    assert_near(rows->values[4], rows->values[6], 0.03);
    struct sl_simulation_fit fits[SL_SIMULATOR_PARTS];
    assert_ok(sl_simulation_measure(rows, rows, reference, 0.25, fits, &err), err);
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        assert_int_equal(fits[p].n_real, 1);
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++) {
            assert_near(fits[p].wasserstein[s], 0, 0);
            assert_near(fits[p].real_mean[s], fits[p].simulated_mean[s], 0);
        }
    }
    assert_near(fits[SL_SIMULATOR_LOW].real_mean[SL_SIMULATION_TOP], rows->values[0], 1e-7);
    assert_near(fits[SL_SIMULATOR_LOW].real_mean[SL_SIMULATION_POSSIBLE], 2, 0);
    sl_simulator_destroy(simulator);
    sl_rows_destroy(reference);
    sl_rows_destroy(rows);
}

static void test_a_saved_simulator_draws_the_same(void **state)
{
    (void)state;
    struct sl_simulator *simulator = fit(), *again;
    struct sl_rows *reference = make_reference(), *a, *b;
    struct sl_error err;
    json_t *value = sl_simulator_to_json(simulator);
    char *text = json_dumps(value, 0);
    struct sl_json json;
    assert_ok(sl_json_parse(text, strlen(text), "s.json", 1, &json, &err), err);
    assert_ok(sl_simulator_from_json(&json, &again, &err), err);
    assert_int_equal(again->part[SL_SIMULATOR_HIGH].n_second, 2);
    assert_ok(sl_simulate(simulator, reference, similarity,
                          &(struct sl_simulate_options){3, 7, NULL}, &a, &err),
              err);
    assert_ok(sl_simulate(again, reference, similarity, &(struct sl_simulate_options){3, 7, NULL},
                          &b, &err),
              err);
    assert_memory_equal(a->values, b->values, 8 * sizeof(float));
    sl_json_release(&json);
    free(text);
    json_decref(value);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
    sl_rows_destroy(reference);
    sl_simulator_destroy(simulator);
    sl_simulator_destroy(again);
}

static void assert_unreadable(const char *text, const char *part)
{
    struct sl_json json;
    struct sl_simulator *simulator = NULL;
    struct sl_error err;
    assert_ok(sl_json_parse(text, strlen(text), "s.json", 1, &json, &err), err);
    assert_fails(sl_simulator_from_json(&json, &simulator, &err), SL_ERR_INPUT, err, part);
    assert_null(simulator);
    sl_json_release(&json);
}

static void test_wrong_json_is_named(void **state)
{
    (void)state;
    assert_unreadable("{\"softlab\":\"mixing\"}", "expected \"simulator\", got \"mixing\"");
    assert_unreadable("{\"softlab\":\"simulator\",\"classes\":1}", "$.classes");
    assert_unreadable("{\"softlab\":\"simulator\",\"classes\":2,\"threshold\":0.25,\"low\":{"
                      "\"top1\":[1,-2]}}",
                      "$.low.top1[1]");
    assert_unreadable("{\"softlab\":\"simulator\",\"classes\":2,\"threshold\":0.25,\"low\":{"
                      "\"top1\":[1,2],\"top2\":[1,2],\"answers\":1,\"second\":1,"
                      "\"possible\":[0.5,0.4]}}",
                      "expected a sum of 1, got 0.9");
}

static void test_what_cannot_be_fitted_or_simulated_says_why(void **state)
{
    (void)state;
    struct sl_answers *answers = make_answers();
    struct sl_rows *reference = make_reference(), *rows;
    struct sl_simulator *simulator = NULL;
    struct sl_error err;
    assert_fails(sl_simulator_fit(answers, reference, 2, 0, &simulator, &err), SL_ERR_INPUT, err,
                 "items of high entropy: a Beta fit needs 2 values, got 0");
    reference->n_rows = 1;
    assert_fails(sl_simulator_fit(answers, reference, 0.25, 0, &simulator, &err), SL_ERR_INPUT, err,
                 "the reference labels have no item 1");
    assert_null(simulator);
    simulator = fit();
    assert_fails(sl_simulate(simulator, reference, NULL, &(struct sl_simulate_options){1, 1, NULL},
                             &rows, &err),
                 SL_ERR_USAGE, err, "word vectors");
    assert_fails(sl_simulate(simulator, reference, similarity,
                             &(struct sl_simulate_options){0, 1, NULL}, &rows, &err),
                 SL_ERR_USAGE, err, "at least one simulated annotator");
    reference->values[0] = 2;
    assert_fails(sl_simulate(simulator, reference, similarity,
                             &(struct sl_simulate_options){1, 1, NULL}, &rows, &err),
                 SL_ERR_INPUT, err, "reference labels");
    sl_simulator_destroy(simulator);
    sl_rows_destroy(reference);
    sl_answers_destroy(answers);
}

/* Enough rows that every thread gets some. */
static void test_threads_simulate_the_same_labels(void **state)
{
    (void)state;
    enum { ROWS = 1000, ANNOTATORS = 50 };
    struct sl_simulator *simulator = fit();
    struct sl_rows *few = make_reference(), *reference, *alone, *shared;
    struct sl_error err;
    assert_ok(sl_rows_create(ROWS, 4, &reference, &err), err);
    for (size_t i = 0; i < ROWS * 4; i++)
        reference->values[i] = few->values[i % 8];
    struct sl_simulate_options options = {.annotators = ANNOTATORS, .seed = 5};
    assert_ok(sl_simulate(simulator, reference, similarity, &options, &alone, &err), err);
    for (size_t i = 0; i < N_POOLS; i++) {
        options.pool = test_pool(i);
        assert_ok(sl_simulate(simulator, reference, similarity, &options, &shared, &err), err);
        assert_memory_equal(alone->values, shared->values, sizeof(float[ROWS * 4]));
        sl_rows_destroy(shared);
        sl_pool_destroy(options.pool);
    }
    sl_rows_destroy(alone);
    sl_rows_destroy(reference);
    sl_rows_destroy(few);
    sl_simulator_destroy(simulator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_fit_counts_and_matches_moments_by_hand),
        cmocka_unit_test(test_simulated_labels_follow_the_model),
        cmocka_unit_test(test_many_annotators_average_to_the_expectation),
        cmocka_unit_test(test_a_saved_simulator_draws_the_same),
        cmocka_unit_test(test_wrong_json_is_named),
        cmocka_unit_test(test_what_cannot_be_fitted_or_simulated_says_why),
        cmocka_unit_test(test_threads_simulate_the_same_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
