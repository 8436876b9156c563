#include "label_support.h"

static struct sl_rows *ensemble(const struct sl_rows *const *sets, size_t n_sets,
                                enum sl_prediction_kind kind, double temperature)
{
    struct sl_rows *rows;
    struct sl_error err;
    assert_ok(sl_rows_ensemble(sets, n_sets, kind, temperature, &rows, &err), err);
    return rows;
}

/* softmax(log 3, 0) = (.75, .25); softmax(0, 0) = halves; mean (.625, .375). */
static void test_an_ensemble_is_the_mean_of_softmaxes(void **state)
{
    (void)state;
    const float left[] = {(float)log(3), 0}, right[] = {500, 500};
    static const char *const items[] = {"x"}, *const classes[] = {"cat", "dog"};
    struct sl_rows *a = test_rows(left, 1, 2, items, classes);
    struct sl_rows *b = test_rows(right, 1, 2, NULL, NULL);
    const struct sl_rows *sets[] = {a, b};
    struct sl_rows *mean = ensemble(sets, 2, SL_PREDICTION_LOGITS, 1);
    assert_near(mean->values[0], 0.625, 1e-6);
    assert_near(mean->values[1], 0.375, 1e-6);
    assert_string_equal(mean->items[0], "x");
    assert_string_equal(mean->classes[1], "dog");
    sl_rows_destroy(mean);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

/* Logits (2 log 3, 0) at T = 2 and probabilities (.9, .1) at T = 2: both (.75, .25). */
static void test_temperature_softens_logits_and_probabilities_alike(void **state)
{
    (void)state;
    const float logits[] = {(float)(2 * log(3)), 0}, probabilities[] = {0.9F, 0.1F, 1, 0};
    struct sl_rows *a = test_rows(logits, 1, 2, NULL, NULL);
    struct sl_rows *b = test_rows(probabilities, 2, 2, NULL, NULL);
    const struct sl_rows *one[] = {a}, *other[] = {b};
    struct sl_rows *soft = ensemble(one, 1, SL_PREDICTION_LOGITS, 2);
    assert_near(soft->values[0], 0.75, 1e-6);
    sl_rows_destroy(soft);
    soft = ensemble(other, 1, SL_PREDICTION_PROBABILITIES, 2);
    assert_near(soft->values[0], 0.75, 1e-6);
    assert_near(soft->values[2], 1, 0);
    assert_near(soft->values[3], 0, 0);
    sl_rows_destroy(soft);
    soft = ensemble(other, 1, SL_PREDICTION_PROBABILITIES, 1);
    assert_near(soft->values[0], 0.9, 1e-6);
    sl_rows_destroy(soft);
    sl_rows_destroy(a);
    sl_rows_destroy(b);
}

static void assert_refused(const struct sl_rows *a, const struct sl_rows *b,
                           enum sl_prediction_kind kind, const char *part)
{
    const struct sl_rows *sets[] = {a, b};
    struct sl_rows *rows = NULL;
    struct sl_error err;
    assert_fails(sl_rows_ensemble(sets, 2, kind, 1, &rows, &err), SL_ERR_INPUT, err, part);
    assert_null(rows);
}

static void test_sets_that_differ_or_hold_no_predictions_are_named(void **state)
{
    (void)state;
    static const float values[] = {0.5F, 0.5F, 0, 0}, wrong[] = {1, NAN};
    static const char *const first[] = {"x", "y"}, *const second[] = {"y", "x"};
    struct sl_rows *a = test_rows(values, 2, 2, first, NULL);
    struct sl_rows *b = test_rows(values, 2, 2, second, NULL);
    struct sl_rows *c = test_rows(wrong, 1, 2, NULL, NULL);
    assert_refused(a, b, SL_PREDICTION_LOGITS,
                   "item of row 0 is \"y\", but \"x\" in the first set");
    assert_refused(a, c, SL_PREDICTION_LOGITS, "set 1 has the shape (1, 2), the first set (2, 2)");
    assert_refused(a, a, SL_PREDICTION_PROBABILITIES, "set 0, row 1: all probabilities are 0");
    assert_refused(c, c, SL_PREDICTION_LOGITS, "set 0, row 0: class 1: expected a logit, got nan");
    const struct sl_rows *sets[] = {a};
    struct sl_rows *rows;
    struct sl_error err;
    assert_fails(sl_rows_ensemble(sets, 1, SL_PREDICTION_LOGITS, 0, &rows, &err), SL_ERR_USAGE, err,
                 "temperature is 0");
    assert_fails(sl_rows_ensemble(sets, 0, SL_PREDICTION_LOGITS, 1, &rows, &err), SL_ERR_USAGE, err,
                 "at least one set");
    sl_rows_destroy(a);
    sl_rows_destroy(b);
    sl_rows_destroy(c);
}

/* (3, 4) and (4, 3) over 25, (3, 4) and (0, -1). */
static void test_cosines_of_word_vectors(void **state)
{
    (void)state;
    static const float vectors[] = {3, 4, 4, 3, 0, -1};
    float cosines[9];
    struct sl_error err;
    assert_ok(sl_similarity_cosines(vectors, 3, 2, cosines, &err), err);
    assert_near(cosines[1], 0.96, 1e-7);
    assert_near(cosines[3], 0.96, 1e-7);
    assert_near(cosines[2], -0.8, 1e-7);
    assert_near(cosines[8], 1, 0);
    static const float nothing[] = {1, 2, 0, 0};
    assert_fails(sl_similarity_cosines(nothing, 2, 2, cosines, &err), SL_ERR_INPUT, err,
                 "word vector 1 is zero or not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_ensemble_is_the_mean_of_softmaxes),
        cmocka_unit_test(test_temperature_softens_logits_and_probabilities_alike),
        cmocka_unit_test(test_sets_that_differ_or_hold_no_predictions_are_named),
        cmocka_unit_test(test_cosines_of_word_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
