/* Tests of the methods that estimate one number per annotator; properties.c walks the table of all
 * methods. */
#include "crowd_answers.h"

static const char *const methods[] = {"glad", "mace", "zencrowd", "kos", "catd", "crowdlab"};
enum { METHODS = sizeof methods / sizeof *methods, ITEMS = 300, CLASSES = 2 };

static void assert_distributions(const struct sl_crowd_state *state)
{
    for (size_t i = 0; i < state->n_items; i++) {
        double sum = 0;
        for (size_t k = 0; k < state->n_classes; k++) {
            double p = (double)state->posterior[i * state->n_classes + k];
            assert_true(p >= 0);
            sum += p;
        }
        assert_near(sum, 1, 1e-5);
    }
    for (size_t a = 0; a < state->n_annotators; a++)
        assert_true(state->skill[a] >= 0 && state->skill[a] <= 1);
}

static void test_nothing_at_all_is_no_trouble(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{0, 0}, {0, 3}, {2, 0}, {2, 3}}; /* items, annotators */
    static const float predictions[] = {0.25f, 0.75f, 1, 0};
    for (size_t m = 0; m < METHODS; m++)
        for (size_t s = 0; s < 4; s++) {
            struct sl_votes votes = votes_of(NULL, 0, sizes[s][0], sizes[s][1], 2);
            struct sl_crowd_options options = sl_crowd_options_default();
            options.predictions = predictions;
            struct sl_crowd_state out = run_method(methods[m], &votes, &options);
            assert_distributions(&out);
            sl_crowd_state_release(&out);
            votes_free(&votes);
        }
}

/* One class, and the one annotator names it. */
static void test_a_single_class_is_certain(void **state)
{
    (void)state;
    static const struct answer one[] = {{0, 0, 0}};
    static const float prediction = 1;
    for (size_t m = 0; m < METHODS; m++) {
        const struct sl_aggregator *method = sl_aggregator_find(methods[m]);
        if (method->needs & SL_CROWD_BINARY) continue;
        struct sl_votes votes = VOTES(one, 1, 1, 1);
        struct sl_crowd_options options = sl_crowd_options_default();
        options.predictions = &prediction;
        struct sl_crowd_state out = run_method(methods[m], &votes, &options);
        assert_near(out.posterior[0], 1, 0);
        sl_crowd_state_release(&out);
        votes_free(&votes);
    }
}

static void test_gold_is_pinned_by_all(void **state)
{
    (void)state;
    static int32_t truth[ITEMS], gold[ITEMS];
    static float predictions[ITEMS * CLASSES];
    struct sl_votes votes = votes_random(ITEMS, 37, CLASSES, 5, truth);
    for (size_t i = 0; i < ITEMS; i++) {
        gold[i] = i % 3 == 0 ? 1 - truth[i] : -1;
        predictions[CLASSES * i] = 1;
    }
    for (size_t m = 0; m < METHODS; m++) {
        struct sl_crowd_options options = sl_crowd_options_default();
        options.predictions = predictions;
        options.gold = gold;
        struct sl_crowd_state out = run_method(methods[m], &votes, &options);
        for (size_t i = 0; i < ITEMS; i += 3)
            assert_near(out.posterior[CLASSES * i + (size_t)gold[i]], 1, 0);
        sl_crowd_state_release(&out);
    }
    votes_free(&votes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_at_all_is_no_trouble),
        cmocka_unit_test(test_a_single_class_is_certain),
        cmocka_unit_test(test_gold_is_pinned_by_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
