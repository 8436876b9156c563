#include "eval_support.h"
#include "softlab/verdict/outcome.h"

/* Four items, three classes, in numbers that are exact. First and second choices of the model:
 * 0 2, 1 0, 0 1, 2 1; of people: 0 2 (tied), 1 0, 1 2 (tied), 0 2. */
static const float predicted[] = {0.75F, 0.125F, 0.125F, 0.25F,  0.625F, 0.125F,
                                  0.5F,  0.375F, 0.125F, 0.125F, 0.375F, 0.5F};
static const float human[] = {1, 0, 0, 0.25F, 0.75F, 0, 0.25F, 0.5F, 0.25F, 0.625F, 0.125F, 0.25F};
static const int32_t hard[] = {0, 1, 0, 0};

static struct sl_scored *four_items(const int32_t *truth)
{
    struct sl_rows *predictions = test_rows(predicted, 4, 3, NULL, NULL);
    struct sl_rows *labels = test_rows(human, 4, 3, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.hard = truth});
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
    return scored;
}

static void expect(const struct sl_scored *scored, const char *name, double value)
{
    if (fabs(test_value(name, scored, NULL) - value) <= 1e-14) return;
    print_error("%s is %.17g, expected %.17g\n", name, test_value(name, scored, NULL), value);
    fail();
}

static void test_agreement_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(hard);
    expect(scored, "accuracy", 0.5);
    expect(scored, "accuracy_hard", 0.75);
    expect(scored, "top2_accuracy", 0.75);
    expect(scored, "top2_human", 0.75);
    expect(scored, "second_best_accuracy", 0.5);
    /* Items 1 and 3 have one second choice; the model shares that of item 1. */
    expect(scored, "second_best_unique", 0.5);
    expect(scored, "correct_sba", 1);
    expect(scored, "incorrect_sba", 0.5);
    expect(scored, "best_sba", 0.75);
    /* Class 0: 3 items, 2 predicted, both rightly. Class 1: 1, 1. Class 2: none, 1. */
    expect(scored, "weighted_precision", 1);
    expect(scored, "weighted_recall", 0.75);
    expect(scored, "weighted_f1", (3 * 0.8 + 1) / 4);
    sl_scored_destroy(scored);
}

static void test_people_stand_in_for_hard_labels(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(NULL);
    expect(scored, "accuracy_hard", 0.5);
    /* True 0 1 1 0, predicted 0 1 0 2. */
    expect(scored, "weighted_precision", 0.75);
    expect(scored, "weighted_recall", 0.5);
    expect(scored, "weighted_f1", (2 * 0.5 + 2 * 2.0 / 3) / 4);
    expect(scored, "cross_entropy_hard", -(log(0.75) + log(0.625) + log(0.375) + log(0.125)) / 4);
    sl_scored_destroy(scored);
}

/* True 0 1 1 0, predicted 0 1 0 2. Of item 0 people say class 0 only; the others' rows have these
 * lengths. */
static void test_crowdtruth_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(NULL);
    const double hit = 0.75 / sqrt(0.625), missed = 0.5 / sqrt(0.375), chosen = 0.25 / sqrt(0.375),
                 other_missed = 0.625 / sqrt(0.46875);
    /* Class 0: item 0 is a hit, item 2 a false positive, item 3 a false negative. Class 1: item 1
     * is a hit, item 2 a false negative. Class 2 has no items. */
    expect(scored, "crowdtruth_precision", (2 / (1 + 1 - missed) + 2) / 4);
    expect(scored, "crowdtruth_recall", (2 / (1 + other_missed) + 2 * hit / (hit + missed)) / 4);
    const double f1_of_1 = 2 * hit / (2 * hit + missed);
    expect(scored, "crowdtruth_f1", (2 * 2 / (2 + 1 - missed + other_missed) + 2 * f1_of_1) / 4);
    expect(scored, "crowdtruth_f1_corrected",
           (2 * 2 / (2 + 1 - chosen + other_missed) + 2 * f1_of_1) / 4);
    sl_scored_destroy(scored);
    /* True 0 1 0 0: item 2 is a hit on which people were unclear. */
    scored = four_items(hard);
    expect(scored, "crowdtruth_precision", 1);
    expect(scored, "crowdtruth_recall", (3 * (1 + chosen) / (1 + chosen + other_missed) + 1) / 4);
    sl_scored_destroy(scored);
}

static void test_crowdtruth_reads_counts_before_their_softmax(void **state)
{
    (void)state;
    static const float counts[] = {4, 0, 0, 1, 3, 0, 1, 2, 1, 5, 1, 2};
    struct sl_rows *predictions = test_rows(predicted, 4, 3, NULL, NULL);
    struct sl_rows *labels = test_rows(counts, 4, 3, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.softmax_counts = true});
    struct sl_scored *shares = four_items(NULL);
    expect(scored, "crowdtruth_f1", test_value("crowdtruth_f1", shares, NULL));
    expect(scored, "crowdtruth_f1_corrected", test_value("crowdtruth_f1_corrected", shares, NULL));
    sl_scored_destroy(scored);
    sl_scored_destroy(shares);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

static void test_likelihood_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(hard);
    double sum = -log(0.75) - 0.25 * log(0.25) - 0.75 * log(0.625) - 0.25 * log(0.5) -
                 0.5 * log(0.375) - 0.25 * log(0.125) - 0.625 * log(0.125) - 0.125 * log(0.375) -
                 0.25 * log(0.5);
    expect(scored, "cross_entropy", sum / 4);
    expect(scored, "cross_entropy_unclipped", sum / 4);
    expect(scored, "cross_entropy_hard", -(log(0.75) + log(0.625) + log(0.5) + log(0.125)) / 4);
    expect(scored, "brier", (0.09375 + 0.03125 + 0.09375 + 0.375) / 4);
    expect(scored, "brier_hard", (0.09375 + 0.21875 + 0.40625 + 1.15625) / 4);
    expect(scored, "confidence", 0.59375);
    expect(scored, "confidence_correct", 0.6875);
    expect(scored, "confidence_incorrect", 0.5);
    sl_scored_destroy(scored);
}

static void test_clipping_bounds_what_a_zero_costs(void **state)
{
    (void)state;
    static const float sure[] = {1, 0}, unsure[] = {0.5F, 0.5F};
    struct sl_scored *scored = test_score(sure, unsure, 1, 2);
    struct sl_metric_options options = sl_metric_options_default();
    assert_near(options.clip, 1e-12, 0);
    assert_near(test_value("cross_entropy", scored, &options), 6 * log(10), 1e-11);
    options.clip = 0.25;
    assert_near(test_value("cross_entropy", scored, &options), -(log(0.25) + log(0.75)) / 2, 1e-15);
    assert_near(test_value("cross_entropy_hard", scored, &options), log(4), 1e-15);
    assert_true(isinf(test_value("cross_entropy_unclipped", scored, &options)));
    assert_true(isinf(test_value("kl", scored, &options)));
    sl_scored_destroy(scored);
}

/* Entropies 0, 1 and 2 of the model against 0, 1 and 1, in bits. */
static const float spread[] = {1, 0, 0, 0, 0.5F, 0.5F, 0, 0, 0.25F, 0.25F, 0.25F, 0.25F};
static const float people[] = {1, 0, 0, 0, 0.5F, 0.5F, 0, 0, 0.5F, 0.5F, 0, 0};

static void test_uncertainty_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(spread, people, 3, 4);
    expect(scored, "entropy_correlation", 1 / (sqrt(2) * sqrt(2.0 / 3)));
    expect(scored, "entropy_similarity", 3 / sqrt(10));
    expect(scored, "mean_entropy", log(2));
    expect(scored, "human_entropy", 2 * log(2) / 3);
    sl_scored_destroy(scored);
}

static void test_distances_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(spread, people, 3, 4);
    const double js = log(4.0 / 3) / 2 + (log(2.0 / 3) + log(2)) / 4;
    expect(scored, "kl", log(2) / 3);
    expect(scored, "jensen_shannon", js / 3);
    expect(scored, "jensen_shannon_distance", sqrt(js) / 3);
    expect(scored, "l1", 1.0 / 3);
    expect(scored, "wasserstein", 0.25 / 3);
    expect(scored, "wasserstein_classes", 1.0 / 3);
    sl_scored_destroy(scored);
}

static void test_scores_of_classes_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(hard);
    struct sl_class_score scores[3];
    struct sl_metric_options options = sl_metric_options_default();
    sl_class_scores(scored, &options, scores);
    assert_int_equal(scores[0].support, 3);
    assert_int_equal(scores[0].predicted, 2);
    assert_int_equal(scores[0].correct, 2);
    assert_near(scores[0].precision, 1, 0);
    assert_near(scores[0].recall, 2.0 / 3, 1e-15);
    assert_near(scores[0].f1, 0.8, 1e-15);
    assert_near(scores[1].cross_entropy, -0.25 * log(0.25) - 0.75 * log(0.625), 1e-15);
    assert_int_equal(scores[2].support, 0);
    assert_near(scores[2].precision + scores[2].recall + scores[2].f1, 0, 0);
    assert_true(isnan(scores[2].cross_entropy));
    options.clip = 0.4;
    sl_class_scores(scored, &options, scores);
    assert_near(scores[1].cross_entropy, -0.25 * log(0.4) - 0.75 * log(0.6), 1e-15);
    sl_scored_destroy(scored);
}

static void test_measures_without_their_items_are_not_numbers(void **state)
{
    (void)state;
    static const float sure[] = {1, 0, 0, 1, 0, 0};
    struct sl_scored *scored = test_score(sure, sure, 2, 3);
    static const char *const meaningless[] = {
        "second_best_unique",   "incorrect_sba", "rms_calibration",
        "confidence_incorrect", "soft_f1",       "entropy_correlation",
        "entropy_similarity"};
    for (size_t i = 0; i < sizeof meaningless / sizeof *meaningless; i++)
        assert_true(isnan(test_value(meaningless[i], scored, NULL)));
    sl_scored_destroy(scored);
}

static void test_the_table_is_whole(void **state)
{
    (void)state;
    struct sl_scored *scored = four_items(hard);
    const struct sl_metric_options options = sl_metric_options_default();
    double values[64];
    assert_true(sl_metric_count() <= 64);
    sl_metrics_all(scored, &options, values);
    for (size_t m = 0; m < sl_metric_count(); m++) {
        const struct sl_metric *metric = &sl_metrics[m];
        assert_ptr_equal(sl_metric_find(metric->name), metric);
        assert_true(metric->summary[0] && metric->source[0] && metric->group[0]);
        double value = metric->value(scored, &options);
        assert_true(value == values[m] || (isnan(value) && isnan(values[m])));
        if (!metric->per_item) continue;
        double sum = 0;
        for (size_t i = 0; i < 4; i++)
            sum += metric->per_item(scored, i, &options);
        assert_near(value, sum / 4, 1e-14);
    }
    assert_null(sl_metrics[sl_metric_count()].name);
    assert_null(sl_metric_find("acuracy"));
    sl_scored_destroy(scored);
}

/* A measure without a row would have no direction, and reports could not say which value is
 * better. A second row of a name would never be found. */
static void test_every_measure_has_one_row(void **state)
{
    (void)state;
    for (const struct sl_metric *metric = sl_metrics; metric->name; metric++)
        if (!sl_measure_find(metric->name, strlen(metric->name))) fail_msg("%s", metric->name);
    for (const struct sl_measure *measure = sl_measures; measure->name; measure++) {
        assert_ptr_equal(sl_measure_find(measure->name, strlen(measure->name)), measure);
        assert_true(measure->better >= -1 && measure->better <= 1);
    }
    assert_int_equal(sl_measure_direction("brier"), -1);
    assert_int_equal(sl_measure_direction("accuracy_hard"), 1);
    assert_int_equal(sl_measure_direction("temperature"), 0);
    assert_int_equal(sl_measure_direction("acuracy"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement_by_hand),
        cmocka_unit_test(test_people_stand_in_for_hard_labels),
        cmocka_unit_test(test_crowdtruth_by_hand),
        cmocka_unit_test(test_crowdtruth_reads_counts_before_their_softmax),
        cmocka_unit_test(test_likelihood_by_hand),
        cmocka_unit_test(test_clipping_bounds_what_a_zero_costs),
        cmocka_unit_test(test_uncertainty_by_hand),
        cmocka_unit_test(test_distances_by_hand),
        cmocka_unit_test(test_scores_of_classes_by_hand),
        cmocka_unit_test(test_measures_without_their_items_are_not_numbers),
        cmocka_unit_test(test_the_table_is_whole),
        cmocka_unit_test(test_every_measure_has_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
