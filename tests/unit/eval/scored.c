#include "eval_support.h"
#include "softlab/base/classes.h"
#include "softlab/label/compare.h"

static const char *const classes[] = {"cat", "cow", "dog"}, *const turned[] = {"dog", "Cat", "cow"};
static const char *const items[] = {"x", "y"}, *const swapped[] = {"y", "x"};

static void test_what_is_worked_out_of_a_row(void **state)
{
    (void)state;
    static const float predicted[] = {0.5F, 0.25F, 0.25F, 0.125F, 0.125F, 0.75F};
    static const float human[] = {0, 1, 0, 0.25F, 0.5F, 0.25F};
    struct sl_scored *scored = test_score(predicted, human, 2, 3);
    assert_int_equal(scored->n, 2);
    assert_int_equal(scored->n_classes, 3);
    assert_null(scored->hard);
    assert_null(scored->classes);
    /* Of equal values the later class ranks higher, as numpy's stable argsort has it. */
    assert_int_equal(scored->top[0], 0);
    assert_int_equal(scored->second[0], 2);
    assert_int_equal(scored->top[1], 2);
    assert_int_equal(scored->second[1], 1);
    assert_int_equal(scored->human_top[0], 1);
    assert_int_equal(scored->human_second[0], 2);
    assert_int_equal(scored->human_top[1], 1);
    assert_int_equal(scored->human_second[1], 2);
    assert_false(scored->unique_second[0]);
    assert_false(scored->unique_second[1]);
    assert_near(scored->confidence[0], 0.5, 0);
    assert_near(scored->log_predicted[1], log(0.25), 1e-15);
    assert_near(scored->entropy[0], 1.5 * log(2), 1e-15);
    assert_near(scored->human_entropy[0], 0, 0);
    assert_near(scored->human_entropy[1], 1.5 * log(2), 1e-15);
    assert_int_equal(scored->by_confidence[0], 0);
    assert_int_equal(scored->by_confidence[1], 1);
    sl_scored_destroy(scored);
}

/* Every order of four values, ties among them, against the definition: the last two by (value,
 * index), and whether the second outweighs the third. */
static void test_ranks_are_those_of_a_stable_sort(void **state)
{
    (void)state;
    for (unsigned code = 1; code < 256; code++) {
        float values[4], sum = 0, row[4];
        for (size_t k = 0; k < 4; k++)
            sum += values[k] = (float)((code >> (2 * k)) & 3);
        for (size_t k = 0; k < 4; k++)
            row[k] = values[k] / sum;
        size_t order[4] = {0, 1, 2, 3};
        for (size_t i = 1; i < 4; i++)
            for (size_t j = i; j > 0 && values[order[j]] < values[order[j - 1]]; j--) {
                size_t swap = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swap;
            }
        struct sl_scored *scored = test_score(row, row, 1, 4);
        assert_int_equal(scored->top[0], order[3]);
        assert_int_equal(scored->second[0], order[2]);
        assert_int_equal(scored->human_top[0], order[3]);
        assert_int_equal(scored->human_second[0], order[2]);
        assert_int_equal(scored->unique_second[0], values[order[2]] > values[order[1]]);
        sl_scored_destroy(scored);
    }
}

static void test_logits_stay_finite_where_probabilities_vanish(void **state)
{
    (void)state;
    static const float logits[] = {1000, 0, -1000, 0, 0.6931472F, 0};
    static const float human[] = {1, 0, 0, 0, 1, 0};
    struct sl_rows *predictions = test_rows(logits, 2, 3, NULL, NULL);
    struct sl_rows *labels = test_rows(human, 2, 3, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.logits = true});
    assert_near(scored->predicted[0], 1, 0);
    assert_near(scored->predicted[1], 0, 0);
    assert_near(scored->log_predicted[1], -1000, 0);
    assert_near(scored->log_predicted[2], -2000, 0);
    assert_int_equal(scored->second[0], 1);
    assert_near(scored->entropy[0], 0, 0);
    assert_near(scored->predicted[4], 0.5, 1e-7);
    assert_near(scored->predicted[5], 0.25, 1e-7);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

static void test_rows_are_matched_by_item_and_columns_by_class(void **state)
{
    (void)state;
    /* y is surely a cow and x half dog, half cat, in both sets. */
    static const float predicted[] = {0, 0, 1, 0.5F, 0.5F, 0}, human[] = {0.5F, 0, 0.5F, 0, 1, 0};
    static const int32_t hard[] = {1, 2};
    struct sl_rows *predictions = test_rows(predicted, 2, 3, swapped, turned);
    struct sl_rows *labels = test_rows(human, 2, 3, items, classes);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.hard = hard});
    for (size_t i = 0; i < 6; i++)
        assert_near(scored->predicted[i], scored->human[i], 0);
    /* In the order of the labels: x first. */
    assert_near(scored->human[0], 0.5, 0);
    assert_int_equal(scored->hard[0], 2);
    assert_int_equal(scored->hard[1], 1);
    assert_string_equal(scored->classes[2], "dog");
    sl_scored_destroy(scored);
    scored = test_score_rows(predictions, labels, (struct sl_scored_options){.labels_hard = hard});
    assert_int_equal(scored->hard[0], 1);
    assert_int_equal(scored->hard[1], 2);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

static void test_names_that_are_row_numbers_point_at_rows(void **state)
{
    (void)state;
    static const char *const numbers[] = {"2", "0"}, *const words[] = {"2", "00"};
    static const float predicted[] = {0, 1, 1, 0}, human[] = {1, 0, 0.5F, 0.5F, 0, 1};
    struct sl_rows *predictions = test_rows(predicted, 2, 2, numbers, NULL);
    struct sl_rows *labels = test_rows(human, 3, 2, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.subset = true});
    assert_int_equal(scored->n, 2);
    assert_near(test_value("accuracy", scored, NULL), 1, 0);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    /* Other names are no numbers, so rows would correspond in order, which they cannot. */
    predictions = test_rows(predicted, 2, 2, words, NULL);
    struct sl_error err;
    struct sl_scored_options none = {0};
    assert_fails(sl_scored_create(predictions, labels, &none, &scored, &err), SL_ERR_INPUT, err,
                 "2 predictions and 3 labels");
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

static void test_an_order_says_which_item_a_row_is(void **state)
{
    (void)state;
    static const size_t order[] = {2, 0};
    static const float predicted[] = {0, 1, 1, 0}, human[] = {1, 0, 0.5F, 0.5F, 0, 1};
    struct sl_rows *predictions = test_rows(predicted, 2, 2, NULL, NULL);
    struct sl_rows *labels = test_rows(human, 3, 2, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.order = order});
    assert_int_equal(scored->n, 2);
    assert_near(scored->predicted[0], 1, 0);
    assert_near(scored->human[0], 1, 0);
    assert_near(scored->human[3], 1, 0);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

static void test_softmax_of_counts_is_another_reference(void **state)
{
    (void)state;
    static const float predicted[] = {0.5F, 0.5F}, counts[] = {3, 1};
    struct sl_rows *predictions = test_rows(predicted, 1, 2, NULL, NULL);
    struct sl_rows *labels = test_rows(counts, 1, 2, NULL, NULL);
    struct sl_scored *scored =
        test_score_rows(predictions, labels, (struct sl_scored_options){.softmax_counts = true});
    assert_near(scored->human[0], 1 / (1 + exp(-2)), 1e-15);
    assert_near(scored->human[1], 1 / (1 + exp(2)), 1e-15);
    sl_scored_destroy(scored);
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
}

/* Scoring these must fail with `part` in the message and leave the result alone. */
static void expect_refusal(const struct sl_rows *predictions, const struct sl_rows *labels,
                           struct sl_scored_options options, const char *part)
{
    struct sl_scored *scored = NULL;
    struct sl_error err;
    assert_fails(sl_scored_create(predictions, labels, &options, &scored, &err), SL_ERR_INPUT, err,
                 part);
    assert_null(scored);
}

static void test_bad_predictions_are_refused(void **state)
{
    (void)state;
    static const float values[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const char *const strange[] = {"cat", "cow", "pig"}, *const twice[] = {"cat", "CAT",
                                                                                  "cow"};
    static const char *const three[] = {"x", "y", "z"}, *const others[] = {"x", "y", "w"};
    const struct sl_scored_options none = {0};
    struct sl_rows *labels = test_rows(values, 3, 3, three, classes);
    struct {
        struct sl_rows *rows;
        const char *part;
    } cases[] = {
        {test_rows(values, 3, 3, three, strange),
         "class \"pig\" is unknown to the labels (cat, cow, dog)"},
        {test_rows(values, 3, 3, three, twice), "\"cat\" and \"CAT\""},
        {test_rows(values, 3, 3, others, classes), "item w of the predictions has no label"},
        {test_rows(values, 2, 3, three, classes), "1 of 3 labelled items has no prediction; the "
                                                  "first is item z"},
        {test_rows(values, 2, 3, NULL, NULL), "2 predictions and 3 labels"},
        {test_rows(values, 0, 3, NULL, NULL), "the predictions have no rows"},
        {test_rows(values, 3, 2, NULL, NULL),
         "the predictions: has 2 classes without names; expected the 3 of "
         "the labels (cat, cow, dog)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_refusal(cases[i].rows, labels, none, cases[i].part);
        sl_rows_destroy(cases[i].rows);
    }
    struct sl_rows *bad = test_rows(values, 3, 3, three, NULL);
    bad->values[4] = 0.9F;
    expect_refusal(bad, labels, none, "predictions: row 1 (item y) sums to 0.9");
    bad->values[4] = NAN;
    expect_refusal(bad, labels, (struct sl_scored_options){.logits = true},
                   "row 1 of the predictions: value 1 is nan");
    bad->values[4] = 1;
    free(bad->items[1]);
    bad->items[1] = sl_string_copy("x");
    expect_refusal(bad, labels, none, "rows 0 and 1 of the predictions are both of item x");
    expect_refusal(labels, bad, none, "rows 0 and 1 of the labels are both of item x");
    sl_rows_destroy(bad);
    sl_rows_destroy(labels);
}

static void test_bad_orders_and_hard_labels_are_refused(void **state)
{
    (void)state;
    static const float values[] = {1, 0, 0, 1};
    static const size_t twice[] = {1, 1}, beyond[] = {0, 2};
    static const int32_t unknown[] = {0, -1}, large[] = {2, 0};
    struct sl_rows *rows = test_rows(values, 2, 2, NULL, NULL);
    expect_refusal(rows, rows, (struct sl_scored_options){.order = twice},
                   "rows 0 and 1 of the predictions are both of item 1");
    expect_refusal(rows, rows, (struct sl_scored_options){.order = beyond},
                   "row 1 is item 2, but the labels have 2 items");
    expect_refusal(rows, rows, (struct sl_scored_options){.hard = unknown},
                   "1 of 2 items has no hard label; the first is item 1");
    expect_refusal(rows, rows, (struct sl_scored_options){.hard = large},
                   "the hard label of item 0 is 2; it must be 0 to 1");
    expect_refusal(rows, rows, (struct sl_scored_options){.labels_hard = unknown},
                   "1 of 2 items has no hard label; the first is item 1");
    rows->annotators = sl_alloc(2, sizeof *rows->annotators);
    expect_refusal(rows, rows, (struct sl_scored_options){0}, "a row per annotator");
    sl_rows_destroy(rows);
}

enum { TIED_ROWS = 200, TIED_CLASSES = 4 };

static double agreement_of(const struct sl_rows *a, const struct sl_rows *b)
{
    struct sl_comparison comparison;
    struct sl_error err;
    assert_ok(sl_labels_compare(a, b, NULL, &comparison, &err), err);
    const double agreement = comparison.top1_agreement;
    sl_comparison_release(&comparison);
    return agreement;
}

/* One rule for ties: what softlab compare calls top-1 agreement is the accuracy, whichever set
 * comes first and in whatever order a set has its classes. */
static void test_accuracy_is_the_agreement_of_compare(void **state)
{
    (void)state;
    enum { ROWS = TIED_ROWS, CLASSES = TIED_CLASSES };
    static const float shares[][CLASSES] = {{.5F, .5F, 0, 0},         {0, .5F, .5F, 0},
                                            {.25F, .25F, .25F, .25F}, {1, 0, 0, 0},
                                            {0, 0, .5F, .5F},         {.4F, .2F, .4F, 0}};
    const size_t n_shares = sizeof shares / sizeof *shares;
    float values[2][ROWS * CLASSES];
    struct sl_rng rng;
    struct sl_error err;
    struct sl_scored *scored = NULL;
    sl_rng_init(&rng, 1, "test.ties", 0, 0);
    for (size_t i = 0; i < 2 * ROWS; i++)
        memcpy(values[i / ROWS] + i % ROWS * CLASSES, shares[sl_rng_below(&rng, n_shares)],
               sizeof shares[0]);
    static const char *const orders[][CLASSES] = {{"cat", "deer", "dog", "ship"},
                                                  {"ship", "cat", "dog", "deer"},
                                                  {"dog", "ship", "deer", "cat"}};
    char *turned_names[3][CLASSES];
    memcpy(turned_names, orders, sizeof turned_names);
    const struct sl_scored_options options = {0};
    const struct sl_metric_options settings = sl_metric_options_default();
    struct sl_rows *plain[2];
    for (size_t s = 0; s < 2; s++)
        plain[s] = test_rows(values[s], ROWS, CLASSES, NULL, NULL);
    const double agreement = agreement_of(plain[0], plain[1]);
    assert_true(agreement > 0 && agreement < 1);
    for (size_t i = 0; i < 10; i++) {
        struct sl_rows *a = plain[0], *b = plain[1];
        /* The alphabet is the order of the columns above; the other orders only turn the files. */
        if (i < 9) {
            const struct sl_class_list of_a = {"a", turned_names[i / 3], CLASSES};
            const struct sl_class_list of_b = {"b", turned_names[i % 3], CLASSES};
            a = test_rows(values[0], ROWS, CLASSES, NULL, orders[0]);
            b = test_rows(values[1], ROWS, CLASSES, NULL, orders[0]);
            assert_ok(sl_rows_reorder(a, "a", &of_a, &err), err);
            assert_ok(sl_rows_reorder(b, "b", &of_b, &err), err);
        }
        assert_ok(sl_scored_create(a, b, &options, &scored, &err), err);
        assert_near(sl_metric_find("accuracy")->value(scored, &settings), agreement, 1e-12);
        assert_near(agreement_of(a, b), agreement, 1e-12);
        assert_near(agreement_of(b, a), agreement, 1e-12);
        assert_true(scored->n_tied > 0 && scored->n_human_tied > 0);
        sl_scored_destroy(scored);
        if (i == 9) continue;
        sl_rows_destroy(a);
        sl_rows_destroy(b);
    }
    sl_rows_destroy(plain[0]);
    sl_rows_destroy(plain[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy_is_the_agreement_of_compare),
        cmocka_unit_test(test_what_is_worked_out_of_a_row),
        cmocka_unit_test(test_ranks_are_those_of_a_stable_sort),
        cmocka_unit_test(test_logits_stay_finite_where_probabilities_vanish),
        cmocka_unit_test(test_rows_are_matched_by_item_and_columns_by_class),
        cmocka_unit_test(test_names_that_are_row_numbers_point_at_rows),
        cmocka_unit_test(test_an_order_says_which_item_a_row_is),
        cmocka_unit_test(test_softmax_of_counts_is_another_reference),
        cmocka_unit_test(test_bad_predictions_are_refused),
        cmocka_unit_test(test_bad_orders_and_hard_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
