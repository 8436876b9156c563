/* Changes of the input that must not change a measure, for every row of the table. */
#include "eval_support.h"

enum { N = 230, K = 5, MOST = 64 };

static void all_of(const struct test_study *study, size_t bin_size, double *out)
{
    struct sl_scored *scored = test_study_score(study);
    struct sl_metric_options options = sl_metric_options_default();
    options.bin_size = bin_size;
    sl_metrics_all(scored, &options, out);
    sl_scored_destroy(scored);
}

static bool is_listed(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static void expect_same(const double *before, const double *after, const char *const *except)
{
    for (size_t m = 0; m < sl_metric_count(); m++) {
        if (fabs(before[m] - after[m]) <= 1e-12 || is_listed(sl_metrics[m].name, except)) continue;
        print_error("%s: %.17g, then %.17g\n", sl_metrics[m].name, before[m], after[m]);
        fail();
    }
}

static void test_the_order_of_items_does_not_matter(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 1), shuffled = test_study_create(N, K, 1);
    size_t order[N];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "test.order", 0, 0);
    sl_rng_permutation(&rng, order, N);
    for (size_t i = 0; i < N; i++) {
        memcpy(shuffled.predicted + i * K, study.predicted + order[i] * K, K * sizeof(float));
        memcpy(shuffled.human + i * K, study.human + order[i] * K, K * sizeof(float));
    }
    double before[MOST], after[MOST];
    all_of(&study, 10, before);
    all_of(&shuffled, 10, after);
    expect_same(before, after, (const char *const[]){NULL});
    test_study_release(&study);
    test_study_release(&shuffled);
}

static void test_the_order_of_classes_matters_to_one_measure(void **state)
{
    (void)state;
    static const size_t order[K] = {3, 0, 4, 2, 1};
    struct test_study study = test_study_create(N, K, 2), turned = test_study_create(N, K, 2);
    for (size_t i = 0; i < (size_t)N * K; i++) {
        size_t from = i / K * K + order[i % K];
        turned.predicted[i] = study.predicted[from];
        turned.human[i] = study.human[from];
    }
    double before[MOST], after[MOST];
    all_of(&study, 10, before);
    all_of(&turned, 10, after);
    expect_same(before, after, (const char *const[]){"wasserstein_classes", NULL});
    const size_t over_classes = (size_t)(sl_metric_find("wasserstein_classes") - sl_metrics);
    assert_true(fabs(before[over_classes] - after[over_classes]) > 1e-6);
    test_study_release(&study);
    test_study_release(&turned);
}

/* With twice the items in bins of twice the size. AURRA and bins of equal mass depend on how many
 * items there are. */
static void test_every_item_twice_is_the_same_set(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 3), twice = test_study_create(2 * N, K, 3);
    for (size_t i = 0; i < 2 * (size_t)N * K; i++) {
        twice.predicted[i] = study.predicted[i % ((size_t)N * K)];
        twice.human[i] = study.human[i % ((size_t)N * K)];
    }
    double before[MOST], after[MOST];
    all_of(&study, 10, before);
    all_of(&twice, 20, after);
    expect_same(before, after,
                (const char *const[]){"aurra", "adaptive_ece", "adaptive_ece_corrected", NULL});
    test_study_release(&study);
    test_study_release(&twice);
}

static void test_people_predict_themselves_perfectly(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 4);
    struct sl_scored *scored = test_score(study.human, study.human, N, K);
    const struct {
        const char *name;
        double value;
    } expected[] = {
        {"accuracy", 1},
        {"second_best_accuracy", 1},
        {"second_best_unique", 1},
        {"top2_accuracy", 1},
        {"weighted_f1", 1},
        {"best_sba", 1},
        {"brier", 0},
        {"kl", 0},
        {"l1", 0},
        {"jensen_shannon", 0},
        {"wasserstein", 0},
        {"wasserstein_classes", 0},
        {"aurra", 1},
        {"entropy_correlation", 1},
        {"entropy_similarity", 1},
        {"confidence_correct", test_value("confidence", scored, NULL)},
        {"cross_entropy", test_value("human_entropy", scored, NULL)},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_near(test_value(expected[i].name, scored, NULL), expected[i].value, 1e-7);
    sl_scored_destroy(scored);
    test_study_release(&study);
}

static void test_a_model_that_knows_nothing(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 5);
    for (size_t i = 0; i < (size_t)N * K; i++)
        study.predicted[i] = 1.0F / K;
    struct sl_scored *scored = test_study_score(&study);
    assert_near(test_value("cross_entropy", scored, NULL), log(K), 1e-6);
    assert_near(test_value("cross_entropy_hard", scored, NULL), log(K), 1e-6);
    assert_near(test_value("mean_entropy", scored, NULL), log(K), 1e-6);
    assert_near(test_value("confidence", scored, NULL), 1.0 / K, 1e-7);
    assert_near(test_value("brier_hard", scored, NULL), 1 - 1.0 / K, 1e-6);
    assert_true(isnan(test_value("entropy_correlation", scored, NULL)));
    double accuracy = test_value("accuracy", scored, NULL);
    assert_near(test_value("ece", scored, NULL), fabs(accuracy - 1.0 / K), 1e-7);
    assert_near(test_value("mce", scored, NULL), fabs(accuracy - 1.0 / K), 1e-7);
    sl_scored_destroy(scored);
    test_study_release(&study);
}

/* Published variants are never above the corrected ones by more than what they leave out. */
static void test_left_out_bins_only_lower_sums(void **state)
{
    (void)state;
    struct sl_metric_options options = sl_metric_options_default();
    for (uint64_t seed = 10; seed < 20; seed++) {
        struct test_study study = test_study_create(N, K, seed);
        struct sl_scored *scored = test_study_score(&study);
        for (options.bin_size = 1; options.bin_size <= N; options.bin_size += 7) {
            assert_true(test_value("rms_calibration", scored, &options) <=
                        test_value("rms_calibration_corrected", scored, &options));
            assert_true(test_value("mad_calibration", scored, &options) <=
                        test_value("mad_calibration_corrected", scored, &options));
            assert_true(test_value("max_calibration", scored, &options) <=
                        test_value("max_calibration_corrected", scored, &options));
        }
        sl_scored_destroy(scored);
        test_study_release(&study);
    }
}

/* softlab eval refuses the other options by what rows say. */
static void test_a_row_says_which_options_change_its_value(void **state)
{
    (void)state;
    struct test_study study = test_study_create(N, K, 9);
    struct sl_scored *scored = test_study_score(&study);
    struct sl_metric_options usual = sl_metric_options_default();
    usual.bin_size = 20;
    for (unsigned bit = 1; bit <= SL_METRIC_READS_CLIP; bit *= 2) {
        struct sl_metric_options other = usual;
        if (bit == SL_METRIC_READS_BIN_SIZE) other.bin_size = 70;
        if (bit == SL_METRIC_READS_BINS) other.n_bins = 4;
        if (bit == SL_METRIC_READS_CLIP) other.clip = 0.3;
        for (const struct sl_metric *m = sl_metrics; m->name; m++) {
            const bool changes = m->value(scored, &usual) != m->value(scored, &other);
            if (changes != ((m->reads & bit) != 0))
                fail_msg("%s %s option %u", m->name, changes ? "reads" : "does not read", bit);
        }
    }
    sl_scored_destroy(scored);
    test_study_release(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_order_of_items_does_not_matter),
        cmocka_unit_test(test_the_order_of_classes_matters_to_one_measure),
        cmocka_unit_test(test_every_item_twice_is_the_same_set),
        cmocka_unit_test(test_people_predict_themselves_perfectly),
        cmocka_unit_test(test_a_model_that_knows_nothing),
        cmocka_unit_test(test_left_out_bins_only_lower_sums),
        cmocka_unit_test(test_a_row_says_which_options_change_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
