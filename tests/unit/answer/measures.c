#include "softlab/answer/measures.h"

#include "votes_support.h"

/* X: A and B say yes. Y: both say no. Z: A says yes, B says no. */
static size_t begins[] = {0, 2, 4, 6};
static uint32_t annotators[] = {0, 1, 0, 1, 0, 1};
static uint16_t labels[] = {1, 1, 0, 0, 1, 0};
static const struct sl_votes three = {.n_items = 3,
                                      .n_annotators = 2,
                                      .n_classes = 2,
                                      .count = 6,
                                      .begin = begins,
                                      .annotator = annotators,
                                      .label = labels};

/* Of 6 votes 3 are yes: 18 of the ordered pairs differ. Within items 2 differ, those of Z, which
 * has 2 votes: alpha = 1 - 5 x 2 / 18. */
static void test_alpha_of_three_items_by_hand(void **state)
{
    (void)state;
    struct sl_error err;
    double alpha = 0;
    assert_ok(sl_votes_alpha(&three, &alpha, &err), err);
    assert_near(alpha, 4. / 9, 1e-12);
}

/* Votes aab, aa, b: the lone b does not count. Of the other 5, 4 are a: 8 ordered pairs differ.
 * Within the first item 4 ordered pairs differ, divided by its 3 votes - 1: 1 - 4 x 2 / 8. */
static void test_alpha_leaves_lone_votes_out(void **state)
{
    (void)state;
    size_t begin[] = {0, 3, 5, 6};
    uint32_t unknown[] = {SL_NO_NAME, SL_NO_NAME, SL_NO_NAME, SL_NO_NAME, SL_NO_NAME, SL_NO_NAME};
    uint16_t label[] = {0, 0, 1, 0, 0, 1};
    struct sl_votes votes = {.n_items = 3,
                             .n_classes = 2,
                             .count = 6,
                             .begin = begin,
                             .annotator = unknown,
                             .label = label};
    struct sl_error err;
    double alpha = 9;
    assert_ok(sl_votes_alpha(&votes, &alpha, &err), err);
    assert_near(alpha, 0, 1e-12);
    label[2] = 0; /* all comparable votes name one class */
    assert_ok(sl_votes_alpha(&votes, &alpha, &err), err);
    assert_true(isnan(alpha));
    label[5] = 2;
    assert_fails(sl_votes_alpha(&votes, &alpha, &err), SL_ERR_INPUT, err,
                 "answer 5: class 2 does not exist");
}

/* The estimate is alpha; without B nobody can be compared; without nobody it is as before. */
static void test_alpha_has_an_interval_and_leaves_annotators_out(void **state)
{
    (void)state;
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 500, .level = .95, .seed = 1};
    const bool nobody[] = {false, false}, second[] = {false, true};
    struct sl_interval all, same, none;
    struct sl_error err;
    enum { ITEMS = 3000 };
    static size_t begin[ITEMS + 1];
    static uint32_t who[2 * ITEMS];
    static uint16_t said[2 * ITEMS];
    for (size_t i = 0; i < ITEMS; i++) { /* a third of the items as X, as Y, as Z */
        begin[i + 1] = 2 * i + 2;
        for (size_t v = 0; v < 2; v++) {
            who[2 * i + v] = (uint32_t)v;
            said[2 * i + v] = labels[2 * (i % 3) + v];
        }
    }
    const struct sl_votes votes = {.n_items = ITEMS,
                                   .n_annotators = 2,
                                   .n_classes = 2,
                                   .count = 2 * (size_t)ITEMS,
                                   .begin = begin,
                                   .annotator = who,
                                   .label = said};
    double alpha;
    assert_ok(sl_votes_alpha(&votes, &alpha, &err), err);
    assert_ok(sl_votes_alpha_interval(&votes, NULL, &bootstrap, &all, &err), err);
    assert_ok(sl_votes_alpha_interval(&votes, nobody, &bootstrap, &same, &err), err);
    assert_ok(sl_votes_alpha_interval(&votes, second, &bootstrap, &none, &err), err);
    assert_near(all.estimate, alpha, 1e-9);
    assert_near(same.low, all.low, 0);
    assert_true(isnan(none.estimate) && isnan(none.low));
    /* Disagreement of a third: its standard error over items is sqrt(2 / 9 / 3000), twice that as
     * alpha, since half of all pairs would differ by chance. */
    const double wide = 2 * 1.96 * sqrt(2. / 9 / ITEMS) * 2;
    assert_near(all.high - all.low, wide, .2 * wide);
}

static void measure_uncertainty(const double *skill, enum sl_votes_of of,
                                struct sl_votes_figures *out)
{
    struct sl_error err;
    assert_ok(sl_votes_uncertainty(&three, skill, of, out, &err), err);
}

static double entropy(double p)
{
    return -p * log(p) - (1 - p) * log(1 - p);
}

static void test_uncertainty_is_the_entropy_of_the_votes(void **state)
{
    (void)state;
    struct sl_votes_figures figures;
    measure_uncertainty(NULL, SL_OF_ITEMS, &figures);
    assert_int_equal(figures.count, 3);
    assert_near(figures.values[0], 0, 0);
    assert_near(figures.values[2], log(2), 1e-12);
    assert_near(figures.mean, log(2) / 3, 1e-12);
    sl_votes_figures_release(&figures);
    measure_uncertainty(NULL, SL_OF_ANNOTATORS, &figures);
    assert_near(figures.values[0], entropy(2. / 3), 1e-12);
    assert_near(figures.mean, entropy(2. / 3), 1e-12);
    sl_votes_figures_release(&figures);
}

/* A is right with .9, B with .6. X: yes has 1.5 of 2. Z: yes has .9 + .4. A: yes twice, no once. */
static void test_uncertainty_follows_the_skills(void **state)
{
    (void)state;
    static const double skill[] = {.9, .6};
    struct sl_votes_figures figures;
    measure_uncertainty(skill, SL_OF_ITEMS, &figures);
    assert_near(figures.values[0], entropy(.75), 1e-12);
    assert_near(figures.values[2], entropy(.65), 1e-12);
    sl_votes_figures_release(&figures);
    measure_uncertainty(skill, SL_OF_ANNOTATORS, &figures);
    assert_near(figures.values[0], entropy(1.9 / 3), 1e-12);
    sl_votes_figures_release(&figures);
}

/* X: yes .9 x .6 against no .1 x .4. Z: yes .9 x .4 against no .1 x .6. */
static void test_consistency_is_the_posterior_of_the_chosen_class(void **state)
{
    (void)state;
    static const double skill[] = {.9, .6}, sure[] = {1, 1};
    static const uint32_t chosen[] = {1, 0, 0};
    struct sl_votes_figures figures;
    struct sl_error err;
    assert_ok(sl_votes_consistency(&three, skill, chosen, &figures, &err), err);
    assert_near(figures.values[0], .54 / .58, 1e-12);
    assert_near(figures.values[2], .06 / .42, 1e-12);
    assert_near(figures.mean, (2 * .54 / .58 + .06 / .42) / 3, 1e-12);
    sl_votes_figures_release(&figures);
    assert_ok(sl_votes_consistency(&three, sure, chosen, &figures, &err), err);
    assert_near(figures.values[0], 1, 0);
    assert_near(figures.values[2], 0, 0); /* two people who are never wrong disagree */
    sl_votes_figures_release(&figures);
}

static void test_accuracy_is_the_share_of_the_chosen_class(void **state)
{
    (void)state;
    static const uint32_t chosen[] = {1, SL_NO_NAME, 1};
    struct sl_votes_figures figures;
    struct sl_error err;
    double all = 0;
    assert_ok(sl_votes_accuracy(&three, chosen, SL_OF_ANNOTATORS, &figures, &all, &err), err);
    assert_near(figures.values[0], 1, 0);
    assert_near(figures.values[1], .5, 0);
    assert_near(figures.mean, .75, 0);
    assert_near(all, .75, 0);
    sl_votes_figures_release(&figures);
    assert_ok(sl_votes_accuracy(&three, chosen, SL_OF_ITEMS, &figures, NULL, &err), err);
    assert_near(figures.values[0], 1, 0);
    assert_true(isnan(figures.values[1]));
    assert_near(figures.values[2], .5, 0);
    assert_near(figures.mean, .75, 0);
    sl_votes_figures_release(&figures);
}

static void test_bad_skills_choices_and_unknown_annotators_are_refused(void **state)
{
    (void)state;
    static const double skill[] = {.9, 1.5}, nan_skill[] = {(double)NAN, 1};
    static const uint32_t chosen[] = {1, 2, SL_NO_NAME};
    uint32_t unknown[] = {0, 1, 0, SL_NO_NAME, 0, 1};
    struct sl_votes votes = three;
    struct sl_votes_figures figures = {0};
    struct sl_error err;
    assert_fails(sl_votes_uncertainty(&three, skill, SL_OF_ITEMS, &figures, &err), SL_ERR_INPUT,
                 err, "skill 1.5 of annotator 1");
    assert_fails(sl_votes_consistency(&three, nan_skill, chosen, &figures, &err), SL_ERR_INPUT, err,
                 "skill nan of annotator 0");
    assert_fails(sl_votes_consistency(&three, NULL, chosen, &figures, &err), SL_ERR_INPUT, err,
                 "item 1: class 2 does not exist");
    assert_fails(sl_votes_accuracy(&three, chosen, SL_OF_ITEMS, &figures, NULL, &err), SL_ERR_INPUT,
                 err, "item 1: class 2 does not exist");
    votes.annotator = unknown;
    assert_fails(sl_votes_uncertainty(&votes, NULL, SL_OF_ANNOTATORS, &figures, &err), SL_ERR_INPUT,
                 err, "answer 3 has no annotator");
    assert_null(figures.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alpha_of_three_items_by_hand),
        cmocka_unit_test(test_alpha_leaves_lone_votes_out),
        cmocka_unit_test(test_alpha_has_an_interval_and_leaves_annotators_out),
        cmocka_unit_test(test_uncertainty_is_the_entropy_of_the_votes),
        cmocka_unit_test(test_uncertainty_follows_the_skills),
        cmocka_unit_test(test_consistency_is_the_posterior_of_the_chosen_class),
        cmocka_unit_test(test_accuracy_is_the_share_of_the_chosen_class),
        cmocka_unit_test(test_bad_skills_choices_and_unknown_annotators_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
