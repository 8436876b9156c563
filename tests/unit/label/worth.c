#include "softlab/label/worth.h"
#include "label_support.h"

enum { CROSS_ENTROPY, SQUARED };

static double score(int measure, const float *label, const double *mean, double noise, double floor)
{
    const struct sl_worth_reference reference = {mean, noise};
    return sl_worth_measures[measure].score(label, &reference, 2, floor);
}

static void test_scores_by_hand(void **state)
{
    (void)state;
    static const float label[] = {0.75F, 0.25F}, sure[] = {1, 0};
    static const double mean[] = {0.5, 0.5}, one[] = {1, 0};
    assert_near(score(CROSS_ENTROPY, label, mean, 0, 0), -(log(.75) + log(.25)) / 2, 1e-12);
    /* A tenth of the uniform distribution: .95 and .05. */
    assert_near(score(CROSS_ENTROPY, sure, mean, 0, .1), -(log(.95) + log(.05)) / 2, 1e-12);
    assert_true(isinf(score(CROSS_ENTROPY, sure, mean, 0, 0)));
    assert_near(score(CROSS_ENTROPY, sure, one, 0, 0), 0, 0);
    assert_near(score(SQUARED, label, mean, .02, .5), .0625 + .0625 - .02, 1e-12);
}

static void test_a_reference_by_hand(void **state)
{
    (void)state;
    static const float rows[] = {1, 0, 1, 0, 1, 0, 0, 1};
    double mean[2];
    /* Shares of clicks: (1 - .75^2 - .25^2) / (4 - 1). */
    assert_near(sl_worth_reference_fill(rows, 4, 2, mean), .375 / 3, 1e-12);
    assert_near(mean[0], .75, 1e-12);
    assert_near(mean[1], .25, 1e-12);
}

/* Over all ways in which three people click, the mean score is that of endless people: exactly for
 * the squared distance, and for the cross-entropy too. */
static void test_scores_are_unbiased(void **state)
{
    (void)state;
    static const float label[] = {0.6F, 0.4F};
    static const double theta[] = {.8, .2};
    double mean_squared = 0, mean_entropy = 0;
    for (unsigned people = 0; people < 8; people++) {
        float rows[6];
        double probability = 1, mean[2];
        for (unsigned i = 0; i < 3; i++) {
            const unsigned said = people >> i & 1;
            rows[2 * i] = said == 0;
            rows[2 * i + 1] = said == 1;
            probability *= theta[said];
        }
        const double noise = sl_worth_reference_fill(rows, 3, 2, mean);
        mean_squared += probability * score(SQUARED, label, mean, noise, 0);
        mean_entropy += probability * score(CROSS_ENTROPY, label, mean, noise, 0);
    }
    assert_near(mean_squared, score(SQUARED, label, theta, 0, 0), 1e-7);
    assert_near(mean_entropy, score(CROSS_ENTROPY, label, theta, 0, 0), 1e-7);
}

static double at(const double *scores, double wanted, int *beyond)
{
    static const double numbers[] = {1, 2, 8};
    const struct sl_worth_curve curve = {numbers, scores, 3};
    return sl_worth_at(&curve, wanted, beyond);
}

static void test_equal_quality_by_hand(void **state)
{
    (void)state;
    static const double falling[] = {1, .5, .25}, bumpy[] = {1, .2, .5};
    static const double unknown[] = {1, NAN, .25};
    int beyond = 7;
    assert_near(at(falling, .5, &beyond), 2, 1e-12);
    assert_int_equal(beyond, 0);
    assert_near(at(falling, 1, &beyond), 1, 1e-12);
    assert_int_equal(beyond, 0);
    /* Half-way from 1 to 2, and from 2 to 8, on the logarithm. */
    assert_near(at(falling, .75, &beyond), sqrt(2), 1e-12);
    assert_near(at(falling, .375, &beyond), 4, 1e-12);
    assert_near(at(falling, 1.1, &beyond), 1, 1e-12);
    assert_int_equal(beyond, -1);
    assert_near(at(falling, .2, &beyond), 8, 1e-12);
    assert_int_equal(beyond, 1);
    /* The first crossing counts. */
    assert_near(at(bumpy, .5, &beyond), pow(2, .5 / .8), 1e-12);
    assert_true(isnan(at(unknown, .3, &beyond)));
    assert_true(isnan(at(falling, (double)NAN, &beyond)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_a_reference_by_hand),
        cmocka_unit_test(test_scores_are_unbiased),
        cmocka_unit_test(test_equal_quality_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
