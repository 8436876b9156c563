#include "softlab/nn/loss.h"

#include "support.h"

enum { ROWS = 4, CLASSES = 5 };

static const float logits[ROWS * CLASSES] = {.2f,  -1.5f, 3,    .7f,  -.1f, 90, 88, -80, 0, 1,
                                             -300, -301,  -302, -303, -304, 0,  0,  0,   0, 0};
static const float targets[ROWS * CLASSES] = {.1f, .2f, .3f,  .4f,  0, .5f, .5f, 0,   0, 0,
                                              0,   0,   .25f, .25f, 0, 1,   2,   .5f, 0, 1};
static const float weights[ROWS] = {1, .5f, 3, 2};

/* The formula in long double; no logit here overflows it. */
static double true_loss(const float *logit, const float *target)
{
    long double sum = 0, loss = 0;
    for (size_t k = 0; k < CLASSES; k++)
        sum += expl((long double)logit[k]);
    for (size_t k = 0; k < CLASSES; k++)
        loss += (long double)target[k] * (logl(sum) - (long double)logit[k]);
    return (double)loss;
}

static void test_softmax_sums_to_one_whatever_the_size_of_logits(void **state)
{
    static const float large[] = {1000, 1000, 999, -1000, 3e38f, -3e38f, 0, 0};
    float out[8];
    (void)state;
    sl_softmax(large, 2, 4, out);
    assert_near(out[0], 1 / (2 + exp(-1)), 1e-7);
    assert_near(out[2], exp(-1) / (2 + exp(-1)), 1e-7);
    assert_near(out[3], 0, 0);
    assert_near(out[4], 1, 0);
    assert_near(out[5], 0, 0);
    float same[ROWS * CLASSES];
    memcpy(same, logits, sizeof same);
    sl_softmax(same, ROWS, CLASSES, same);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t k = 0; k < CLASSES; k++)
            sum += (double)same[i * CLASSES + k];
        assert_near(sum, 1, 1e-6);
    }
    assert_near(same[3 * CLASSES], .2, 1e-7);
}

static void test_the_loss_is_the_weighted_sum_of_cross_entropies(void **state)
{
    float losses[ROWS];
    double expected = 0, plain = 0;
    (void)state;
    const double sum = sl_soft_cross_entropy(
        logits, &(struct sl_soft_targets){targets, weights, ROWS, CLASSES}, 1, losses, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        const double loss = true_loss(logits + i * CLASSES, targets + i * CLASSES);
        assert_near(losses[i], loss, 1e-6 * loss);
        expected += (double)weights[i] * loss;
        plain += loss;
    }
    assert_near(sum, expected, 1e-12 * expected);
    /* The scale affects only the gradient. */
    assert_near(sl_soft_cross_entropy(
                    logits, &(struct sl_soft_targets){targets, NULL, ROWS, CLASSES}, 7, NULL, NULL),
                plain, 1e-12 * plain);
}

static void test_the_gradient_is_the_slope_of_the_loss(void **state)
{
    const float scale = .25f, step = 1e-2f;
    float gradient[ROWS * CLASSES], moved[ROWS * CLASSES];
    (void)state;
    sl_soft_cross_entropy(logits, &(struct sl_soft_targets){targets, weights, ROWS, CLASSES}, scale,
                          NULL, gradient);
    for (size_t i = 0; i < ROWS * CLASSES; i++) {
        memcpy(moved, logits, sizeof moved);
        moved[i] = logits[i] + step;
        const double above = (double)moved[i];
        const double more = sl_soft_cross_entropy(
            moved, &(struct sl_soft_targets){targets, weights, ROWS, CLASSES}, 1, NULL, NULL);
        moved[i] = logits[i] - step;
        const double less = sl_soft_cross_entropy(
            moved, &(struct sl_soft_targets){targets, weights, ROWS, CLASSES}, 1, NULL, NULL);
        assert_near(gradient[i], (double)scale * (more - less) / (above - (double)moved[i]), 1e-4);
    }
    memcpy(moved, logits, sizeof moved);
    sl_soft_cross_entropy(moved, &(struct sl_soft_targets){targets, weights, ROWS, CLASSES}, scale,
                          NULL, moved);
    assert_memory_equal(moved, gradient, sizeof moved);
}

static void test_a_row_without_weight_adds_nothing_even_if_infinite(void **state)
{
    static const float far[] = {0, -INFINITY, 1, 2};
    static const float wrong[] = {0, 1, .5f, .5f};
    static const float second[] = {0, 1};
    float losses[2], gradient[4] = {9, 9, 9, 9};
    (void)state;
    const double sum = sl_soft_cross_entropy(far, &(struct sl_soft_targets){wrong, second, 2, 2}, 1,
                                             losses, gradient);
    assert_true(isinf(losses[0]) && losses[0] > 0);
    assert_near(sum, (double)losses[1], 1e-7);
    assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] != 0);
    /* A class with probability 0 and target 0 adds nothing. */
    static const float right[] = {1, 0, .5f, .5f};
    sl_soft_cross_entropy(far, &(struct sl_soft_targets){right, NULL, 2, 2}, 1, losses, NULL);
    assert_near(losses[0], 0, 0);
}

static void test_nan_is_never_hidden(void **state)
{
    static const float one_hot[] = {1, 0, 0}, none[] = {0, 0, 0}, no_weight[] = {0};
    (void)state;
    for (size_t bad = 0; bad < 3; bad++) {
        float broken[] = {1, 2, 3}, loss, gradient[3], out[3];
        broken[bad] = NAN;
        assert_true(isnan(sl_soft_cross_entropy(
            broken, &(struct sl_soft_targets){one_hot, NULL, 1, 3}, 1, &loss, gradient)));
        assert_true(isnan(loss) && isnan(gradient[0]) && isnan(gradient[1]) && isnan(gradient[2]));
        assert_true(isnan(sl_soft_cross_entropy(broken, &(struct sl_soft_targets){none, NULL, 1, 3},
                                                1, NULL, NULL)));
        assert_true(isnan(sl_soft_cross_entropy(
            broken, &(struct sl_soft_targets){one_hot, no_weight, 1, 3}, 1, NULL, gradient)));
        assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
        sl_softmax(broken, 1, 3, out);
        assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]));
    }
    const float bad_target[] = {NAN, 0, 0}, fine[] = {1, 2, 3}, infinite[] = {1, INFINITY, 0};
    assert_true(isnan(sl_soft_cross_entropy(fine, &(struct sl_soft_targets){bad_target, NULL, 1, 3},
                                            1, NULL, NULL)));
    assert_true(isnan(sl_soft_cross_entropy(
        infinite, &(struct sl_soft_targets){one_hot, NULL, 1, 3}, 1, NULL, NULL)));
}

static void test_the_entropy_of_a_softmax_by_hand(void **state)
{
    static const float certain[] = {0, -INFINITY, -2000}, even[] = {7, 7, 7, 7};
    float eighths[4];
    static const double p[] = {.5, .25, .125, .125};
    (void)state;
    for (size_t k = 0; k < 4; k++)
        eighths[k] = (float)log(p[k]);
    assert_near(sl_softmax_entropy(certain, 3, 0, NULL), 0, 0);
    assert_near(sl_softmax_entropy(even, 4, 0, NULL), log(4), 1e-15);
    assert_near(sl_softmax_entropy(eighths, 4, 0, NULL), 1.75 * log(2), 1e-7);
    for (size_t bad = 0; bad < 3; bad++) {
        float broken[] = {1, 2, 3}, gradient[3] = {0};
        broken[bad] = bad ? NAN : INFINITY;
        assert_true(isnan(sl_softmax_entropy(broken, 3, 1, gradient)));
        assert_true(isnan(gradient[0]) && isnan(gradient[1]) && isnan(gradient[2]));
    }
}

static void test_the_gradient_of_the_entropy_is_its_slope_and_is_added(void **state)
{
    const float step = 1e-2f;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        float row[CLASSES], gradient[CLASSES] = {1, 1, 1, 1, 1}, untouched[CLASSES] = {2};
        memcpy(row, logits + i * CLASSES, sizeof row);
        sl_softmax_entropy(row, CLASSES, -.5, gradient);
        for (size_t k = 0; k < CLASSES; k++) {
            row[k] = logits[i * CLASSES + k] + step;
            const double above = (double)row[k], more = sl_softmax_entropy(row, CLASSES, 1, NULL);
            row[k] = logits[i * CLASSES + k] - step;
            const double less = sl_softmax_entropy(row, CLASSES, 1, NULL);
            const double slope = (more - less) / (above - (double)row[k]);
            assert_near(gradient[k], 1 - .5 * slope, 1e-4);
            row[k] = logits[i * CLASSES + k];
        }
        sl_softmax_entropy(row, CLASSES, 0, untouched);
        assert_true(untouched[0] == 2 && untouched[1] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_sums_to_one_whatever_the_size_of_logits),
        cmocka_unit_test(test_the_loss_is_the_weighted_sum_of_cross_entropies),
        cmocka_unit_test(test_the_gradient_is_the_slope_of_the_loss),
        cmocka_unit_test(test_a_row_without_weight_adds_nothing_even_if_infinite),
        cmocka_unit_test(test_nan_is_never_hidden),
        cmocka_unit_test(test_the_entropy_of_a_softmax_by_hand),
        cmocka_unit_test(test_the_gradient_of_the_entropy_is_its_slope_and_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
