#include "eval_support.h"
#include "pools.h"

enum { N = 60, K = 4 };

static const struct sl_bootstrap_options few = {.n_resamples = 200, .level = 0.95, .seed = 3};

struct rebuilding {
    const struct test_study *study;
    const char *metric;
};

/* The measure of a resample that is scored from its rows. */
static double value_of_rows(const size_t *indices, size_t count, void *context)
{
    const struct rebuilding *rebuilding = context;
    struct test_study drawn = {count, K, sl_alloc(count * K, sizeof(float)),
                               sl_alloc(count * K, sizeof(float))};
    for (size_t i = 0; i < count * K; i++) {
        drawn.predicted[i] = rebuilding->study->predicted[indices[i / K] * K + i % K];
        drawn.human[i] = rebuilding->study->human[indices[i / K] * K + i % K];
    }
    struct sl_scored *scored = test_study_score(&drawn);
    struct sl_metric_options options = sl_metric_options_default();
    options.bin_size = 7;
    double value = test_value(rebuilding->metric, scored, &options);
    sl_scored_destroy(scored);
    test_study_release(&drawn);
    return value;
}

static void test_every_interval_is_that_of_scoring_each_resample(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 1);
    struct sl_scored *scored = test_study_score(&study);
    struct sl_metric_options options = sl_metric_options_default();
    struct sl_bootstrap_options fewer = few;
    struct sl_error err;
    const struct sl_metric *metrics[64];
    struct sl_interval together[64];
    size_t count = sl_metric_count();
    options.bin_size = 7;
    fewer.n_resamples = 20;
    for (size_t m = 0; m < count; m++)
        metrics[m] = &sl_metrics[m];
    assert_ok(sl_metrics_intervals(metrics, count, scored, &options, &fewer, together, &err), err);
    for (size_t m = 0; m < count; m++) {
        struct rebuilding rebuilding = {&study, metrics[m]->name};
        struct sl_interval alone, rebuilt;
        assert_ok(sl_metric_interval(metrics[m], scored, &options, &fewer, &alone, &err), err);
        assert_ok(sl_bootstrap(value_of_rows, &rebuilding, N, &fewer, &rebuilt, &err), err);
        assert_near(together[m].estimate, rebuilt.estimate, 1e-12);
        assert_near(together[m].low, rebuilt.low, 1e-12);
        assert_near(together[m].high, rebuilt.high, 1e-12);
        assert_near(together[m].low, alone.low, 0);
        assert_near(together[m].high, alone.high, 0);
    }
    sl_scored_destroy(scored);
    test_study_release(&study);
}

/* Two classes; people say what `truth` says, models what `answers` say with this confidence. */
static struct sl_scored *voter(const int *answers, const int *truth, size_t n, float confidence)
{
    float predicted[64] = {0}, human[64] = {0};
    for (size_t i = 0; i < n; i++) {
        predicted[2 * i + (size_t)answers[i]] = confidence;
        predicted[2 * i + 1 - (size_t)answers[i]] = 1 - confidence;
        human[2 * i + (size_t)truth[i]] = 1;
    }
    return test_score(predicted, human, n, 2);
}

static struct sl_paired compare(const char *metric, const struct sl_scored *a,
                                const struct sl_scored *b)
{
    const struct sl_metric_options options = sl_metric_options_default();
    struct sl_paired paired;
    struct sl_error err;
    assert_ok(sl_metric_compare(sl_metric_find(metric), a, b, &options, &few, &paired, &err), err);
    return paired;
}

static void test_right_and_wrong_are_compared_by_mcnemar(void **state)
{
    (void)state;
    static const int truth[10] = {0}, a[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
                     b[] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 1};
    struct sl_scored *first = voter(a, truth, 10, 0.75F), *second = voter(b, truth, 10, 0.75F);
    struct sl_paired paired = compare("accuracy", first, second);
    assert_near(paired.a, 0.8, 1e-15);
    assert_near(paired.b, 0.4, 1e-15);
    assert_near(paired.difference.estimate, 0.4, 1e-15);
    assert_string_equal(paired.test, "McNemar");
    /* 5 against 1 of 6: twice (1 + 6) / 64. */
    assert_near(paired.p, 14.0 / 64, 1e-12);
    assert_near(compare("accuracy", second, first).p, 14.0 / 64, 1e-12);
    assert_near(compare("accuracy", first, first).p, 1, 0);
    sl_scored_destroy(first);
    sl_scored_destroy(second);
}

/* Differences .25 .25 0 .5: t = sqrt(6) with three degrees of freedom; figures from SciPy. */
static void test_means_over_items_are_compared_by_t(void **state)
{
    (void)state;
    static const float sure[] = {0.75F, 0.25F, 1, 0, 0.75F, 0.25F, 1, 0};
    static const float less[] = {0.5F, 0.5F, 0.75F, 0.25F, 0.75F, 0.25F, 0.5F, 0.5F};
    static const float human[] = {1, 0, 1, 0, 1, 0, 1, 0};
    struct sl_scored *first = test_score(sure, human, 4, 2),
                     *second = test_score(less, human, 4, 2);
    struct sl_paired paired = compare("confidence", first, second);
    const double margin = 3.182446305284263 * sqrt(0.125 / 3 / 4);
    assert_string_equal(paired.test, "paired t");
    assert_near(paired.difference.estimate, 0.25, 1e-15);
    assert_near(paired.difference.low, 0.25 - margin, 1e-9);
    assert_near(paired.difference.high, 0.25 + margin, 1e-9);
    assert_near(paired.p, 0.09172, 1e-5);
    /* No spread: the same is the same, and another value is another. */
    assert_near(compare("confidence", first, first).p, 1, 0);
    assert_near(compare("human_entropy", first, second).p, 1, 0);
    sl_scored_destroy(first);
    sl_scored_destroy(second);
}

static void test_other_measures_are_compared_by_bootstrap(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 5), worse = test_study_create(N, K, 5);
    for (size_t i = 0; i < N; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 5, "test.noise", 0, i);
        test_distribution(&rng, 2, K, worse.predicted + i * K);
    }
    struct sl_scored *good = test_study_score(&study), *bad = test_study_score(&worse);
    struct sl_paired paired = compare("entropy_correlation", good, bad);
    assert_string_equal(paired.test, "paired bootstrap");
    assert_near(paired.difference.estimate, paired.a - paired.b, 0);
    assert_true(paired.difference.low > 0 && paired.difference.high > paired.difference.low);
    assert_near(paired.p, 2.0 / 201, 1e-12);
    struct sl_paired other = compare("entropy_correlation", bad, good);
    assert_near(other.difference.low, -paired.difference.high, 1e-12);
    assert_near(other.p, paired.p, 0);
    paired = compare("temperature", good, good);
    assert_near(paired.difference.low, 0, 0);
    assert_near(paired.difference.high, 0, 0);
    assert_near(paired.p, 1, 0);
    sl_scored_destroy(good);
    sl_scored_destroy(bad);
    test_study_release(&study);
    test_study_release(&worse);
}

/* About half of the resamples of two items hold no wrong one, and no confidence when wrong. */
static void test_resamples_without_meaning_are_left_out(void **state)
{
    (void)state;
    static const int truth[] = {0, 0}, answers[] = {0, 1};
    struct sl_scored *scored = voter(answers, truth, 2, 0.75F);
    const struct sl_metric_options options = sl_metric_options_default();
    struct sl_interval interval;
    struct sl_error err;
    assert_ok(sl_metric_interval(sl_metric_find("confidence_incorrect"), scored, &options, &few,
                                 &interval, &err),
              err);
    assert_near(interval.low, 0.75, 0);
    assert_near(interval.high, 0.75, 0);
    sl_scored_destroy(scored);
}

static void test_models_on_other_items_are_refused(void **state)
{
    (void)state;
    static const int truth[] = {0, 1, 0}, other[] = {0, 0, 0};
    struct sl_scored *first = voter(truth, truth, 3, 0.75F),
                     *second = voter(truth, other, 3, 0.75F);
    struct sl_scored *third = voter(truth, truth, 2, 0.75F);
    const struct sl_metric *metric = sl_metric_find("accuracy");
    const struct sl_metric_options options = sl_metric_options_default();
    struct sl_paired paired;
    struct sl_error err;
    assert_fails(sl_metric_compare(metric, first, second, &options, &few, &paired, &err),
                 SL_ERR_INPUT, err, "different labels in row 1");
    assert_fails(sl_metric_compare(metric, first, third, &options, &few, &paired, &err),
                 SL_ERR_INPUT, err, "(3, 2) labels, the other on (2, 2)");
    struct sl_bootstrap_options none = few;
    none.n_resamples = 0;
    struct sl_interval interval;
    assert_fails(sl_metric_interval(metric, first, &options, &none, &interval, &err), SL_ERR_USAGE,
                 err, "at least 1 resample");
    sl_scored_destroy(first);
    sl_scored_destroy(second);
    sl_scored_destroy(third);
}

/* All intervals and all comparisons. */
struct figures {
    struct sl_interval intervals[64];
    struct sl_paired paired[64];
};

static void find_figures(const struct sl_scored *const models[2], struct sl_pool *pool,
                         struct figures *out)
{
    const struct sl_metric *metrics[64];
    struct sl_metric_options options = sl_metric_options_default();
    struct sl_error err;
    const size_t count = sl_metric_count();
    for (size_t m = 0; m < count; m++)
        metrics[m] = &sl_metrics[m];
    memset(out, 0, sizeof *out);
    options.bin_size = 7;
    options.pool = pool;
    assert_ok(sl_metrics_intervals(metrics, count, models[0], &options, &few, out->intervals, &err),
              err);
    assert_ok(sl_metrics_compare(metrics, count, models, &options, &few, out->paired, &err), err);
}

static void test_threads_find_the_same_figures(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 1), other = test_study_create(N, K, 1);
    for (size_t i = 0; i < N; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 7, "test.noise", 0, i);
        test_distribution(&rng, 2, K, other.predicted + i * K);
    }
    struct sl_scored *first = test_study_score(&study), *second = test_study_score(&other);
    const struct sl_scored *const models[] = {first, second};
    struct figures alone, shared;
    find_figures(models, NULL, &alone);
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_pool *pool = test_pool(i);
        find_figures(models, pool, &shared);
        assert_memory_equal(alone.intervals, shared.intervals, sizeof alone.intervals);
        assert_memory_equal(alone.paired, shared.paired, sizeof alone.paired);
        sl_pool_destroy(pool);
    }
    sl_scored_destroy(first);
    sl_scored_destroy(second);
    test_study_release(&study);
    test_study_release(&other);
}

static double run_out_of_memory(const struct sl_scored *scored,
                                const struct sl_metric_options *options)
{
    (void)options;
    if (scored->top[0] == scored->top[1]) sl_memory_exhausted(8);
    return 1;
}

/* A measure may allocate on any thread. */
static void test_memory_may_run_out_on_any_thread(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 1);
    struct sl_scored *scored = test_study_score(&study);
    struct sl_metric_options options = sl_metric_options_default();
    const struct sl_metric metric = {.name = "large", .value = run_out_of_memory};
    struct sl_interval interval;
    struct sl_error err;
    for (size_t i = 0; i <= N_POOLS; i++) {
        options.pool = i < N_POOLS ? test_pool(i) : NULL;
        assert_fails(sl_metric_interval(&metric, scored, &options, &few, &interval, &err),
                     SL_ERR_NOMEM, err, "not enough memory for the measures of a resample");
        sl_pool_destroy(options.pool);
    }
    sl_scored_destroy(scored);
    test_study_release(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_interval_is_that_of_scoring_each_resample),
        cmocka_unit_test(test_right_and_wrong_are_compared_by_mcnemar),
        cmocka_unit_test(test_means_over_items_are_compared_by_t),
        cmocka_unit_test(test_other_measures_are_compared_by_bootstrap),
        cmocka_unit_test(test_resamples_without_meaning_are_left_out),
        cmocka_unit_test(test_models_on_other_items_are_refused),
        cmocka_unit_test(test_threads_find_the_same_figures),
        cmocka_unit_test(test_memory_may_run_out_on_any_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
