#include "eval_support.h"

/* Confidences .75 and .625 of right items, .5 and .5 of wrong ones. */
static const float predicted[] = {0.75F, 0.125F, 0.125F, 0.25F,  0.625F, 0.125F,
                                  0.5F,  0.375F, 0.125F, 0.125F, 0.375F, 0.5F};
static const float human[] = {1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0};

static void test_adaptive_bins_as_published_leave_the_last_out(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(predicted, human, 4, 3);
    struct sl_metric_options options = sl_metric_options_default();
    options.bin_size = 1;
    /* Gaps .5 .5 .375 .25 in ascending confidence, the last one in no sum. */
    assert_near(test_value("rms_calibration", scored, &options), sqrt(0.640625 / 4), 1e-15);
    assert_near(test_value("mad_calibration", scored, &options), 1.375 / 4, 1e-15);
    assert_near(test_value("max_calibration", scored, &options), 0.5, 1e-15);
    assert_near(test_value("rms_calibration_corrected", scored, &options), sqrt(0.703125 / 4),
                1e-15);
    assert_near(test_value("mad_calibration_corrected", scored, &options), 1.625 / 4, 1e-15);
    assert_near(test_value("max_calibration_corrected", scored, &options), 0.5, 1e-15);
    options.bin_size = 2;
    assert_near(test_value("rms_calibration", scored, &options), sqrt(0.125), 1e-15);
    assert_near(test_value("rms_calibration_corrected", scored, &options),
                sqrt(0.125 + 0.3125 * 0.3125 / 2), 1e-15);
    sl_scored_destroy(scored);
}

static void test_few_items_make_the_published_error_nothing(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(predicted, human, 4, 3);
    struct sl_metric_options options = sl_metric_options_default();
    /* One bin of three, stretched to all four: the published loop has none to sum. */
    options.bin_size = 3;
    assert_near(test_value("rms_calibration", scored, &options), 0, 0);
    assert_near(test_value("rms_calibration_corrected", scored, &options), 0.09375, 1e-15);
    options.bin_size = 5;
    assert_true(isnan(test_value("rms_calibration", scored, &options)));
    assert_true(isnan(test_value("mad_calibration", scored, &options)));
    assert_true(isnan(test_value("max_calibration", scored, &options)));
    assert_near(test_value("rms_calibration_corrected", scored, &options), 0.09375, 1e-15);
    sl_scored_destroy(scored);
}

static void test_bins_of_equal_width_end_at_their_upper_edge(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(predicted, human, 4, 3);
    struct sl_metric_options options = sl_metric_options_default();
    options.n_bins = 4;
    assert_near(test_value("ece", scored, &options), 0.5 * 0.5 + 0.5 * 0.3125, 1e-15);
    assert_near(test_value("mce", scored, &options), 0.5, 1e-15);
    struct sl_reliability_bin bins[4];
    sl_reliability(scored, 4, bins);
    static const size_t counts[] = {0, 2, 2, 0};
    for (size_t b = 0; b < 4; b++)
        assert_int_equal(bins[b].count, counts[b]);
    assert_near(bins[1].low, 0.25, 0);
    assert_near(bins[1].high, 0.5, 0);
    assert_near(bins[1].confidence, 0.5, 0);
    assert_near(bins[1].accuracy, 0, 0);
    assert_near(bins[2].confidence, 0.6875, 0);
    assert_near(bins[2].accuracy, 1, 0);
    assert_true(isnan(bins[0].accuracy));
    sl_scored_destroy(scored);
}

static void test_bins_of_equal_mass_as_published_lose_the_least_confident(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(predicted, human, 4, 3);
    struct sl_metric_options options = sl_metric_options_default();
    options.n_bins = 2;
    /* Edges .5, .625 and .75: both items at .5 are lost. */
    assert_near(test_value("adaptive_ece", scored, &options), (0.375 + 0.25) / 4, 1e-15);
    assert_near(test_value("adaptive_ece_corrected", scored, &options), (0.625 + 0.25) / 4, 1e-15);
    /* Edges at positions 0, 4/3, 8/3, 4: .5, .5 + .125/3, .625 + .125 2/3, .75. */
    options.n_bins = 3;
    assert_near(test_value("adaptive_ece", scored, &options), (0.375 + 0.25) / 4, 1e-15);
    assert_near(test_value("adaptive_ece_corrected", scored, &options), (1 + 0.375 + 0.25) / 4,
                1e-15);
    sl_scored_destroy(scored);
}

static void test_the_order_of_confidence_by_hand(void **state)
{
    (void)state;
    struct sl_scored *scored = test_score(predicted, human, 4, 3);
    assert_near(test_value("aurra", scored, NULL), (1 + 1 + 2.0 / 3 + 0.5) / 4, 1e-15);
    assert_near(test_value("soft_f1", scored, NULL), 2 * 1.0 / (1.625 + 2), 1e-15);
    static const double risk[] = {0, 0, 1.0 / 3, 0.5};
    double out[4];
    sl_risk_coverage(scored, out);
    for (size_t i = 0; i < 4; i++)
        assert_near(out[i], risk[i], 1e-15);
    sl_scored_destroy(scored);
}

/* Four items with the logits (difference, 0), of which the first `n_right` are of class 0. */
static double temperature_of(float difference, size_t n_right)
{
    float logits[8] = {0}, truth[8] = {0};
    for (size_t i = 0; i < 4; i++) {
        logits[2 * i] = difference;
        truth[2 * i + (i >= n_right)] = 1;
    }
    struct sl_rows *predictions = test_rows(logits, 4, 2, NULL, NULL);
    struct sl_rows *labels = test_rows(truth, 4, 2, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.logits = true});
    double temperature = test_value("temperature", scored, NULL);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
    return temperature;
}

static void test_temperature_makes_confidence_the_share_of_right_items(void **state)
{
    (void)state;
    const float log_3 = logf(3);
    /* Three of four right: log 3 is the calibrated difference. */
    assert_near(temperature_of(2 * log_3, 3), 2, 1e-4);
    assert_near(temperature_of(log_3 / 2, 3), 0.5, 1e-4);
    assert_near(temperature_of(log_3, 4), 0.2, 1e-4);
    assert_near(temperature_of(log_3, 1), 5, 1e-4);
    static const float sure[] = {1, 0}, otherwise[] = {0, 1};
    struct sl_scored *scored = test_score(sure, otherwise, 1, 2);
    assert_true(isnan(test_value("temperature", scored, NULL)));
    sl_scored_destroy(scored);
    /* A probability of 0 does no harm where it is not the truth's. */
    static const float mixed[] = {0.75F, 0.25F, 0, 0.75F, 0.25F, 0,
                                  0.75F, 0.25F, 0, 0.75F, 0.25F, 0};
    static const float truths[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0};
    scored = test_score(mixed, truths, 4, 3);
    assert_near(test_value("temperature", scored, NULL), 1, 1e-4);
    sl_scored_destroy(scored);
}

/* Rows that begin alike, and the same rows with their classes reversed, which do not. */
static void test_rows_that_begin_alike_are_not_the_same(void **state)
{
    (void)state;
    static const float rows[] = {.25F, .5F, .25F, .25F, .625F, .125F,
                                 .25F, .5F, .25F, .25F, .75F,  0};
    static const float truths[] = {0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0};
    float reversed[12], reversed_truths[12];
    for (size_t i = 0; i < 12; i++) {
        reversed[i] = rows[i / 3 * 3 + 2 - i % 3];
        reversed_truths[i] = truths[i / 3 * 3 + 2 - i % 3];
    }
    struct sl_scored *scored = test_score(rows, truths, 4, 3);
    struct sl_scored *other = test_score(reversed, reversed_truths, 4, 3);
    const double temperature = test_value("temperature", scored, NULL);
    assert_true(temperature > 0.2 && temperature < 5);
    assert_near(temperature, test_value("temperature", other, NULL), 1e-9);
    sl_scored_destroy(scored);
    sl_scored_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaptive_bins_as_published_leave_the_last_out),
        cmocka_unit_test(test_few_items_make_the_published_error_nothing),
        cmocka_unit_test(test_bins_of_equal_width_end_at_their_upper_edge),
        cmocka_unit_test(test_bins_of_equal_mass_as_published_lose_the_least_confident),
        cmocka_unit_test(test_the_order_of_confidence_by_hand),
        cmocka_unit_test(test_temperature_makes_confidence_the_share_of_right_items),
        cmocka_unit_test(test_rows_that_begin_alike_are_not_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
