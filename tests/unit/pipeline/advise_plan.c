/* The answers that are planned, against what can be counted and what one answer is worth. */
#include "crowd_scene.h"
#include "pipeline/advice/advice.h"

struct fitted {
    struct scene scene;
    struct sl_advice_input input;
    struct sl_crowd_state state;
};

static void fit(struct fitted *fitted)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_error err;
    *fitted = (struct fitted){0};
    scene_make(&fitted->scene, 120, 15, 4, 4, .5, .95);
    fitted->input.crowd.votes = &fitted->scene.votes;
    assert_ok(sl_aggregate(sl_aggregator_find("dirichlet"), &fitted->scene.votes, &options,
                           &fitted->state, &err),
              err);
}

static void fitted_release(struct fitted *fitted)
{
    sl_crowd_state_release(&fitted->state);
    scene_release(&fitted->scene);
}

static struct sl_advice_plan plan_of(const struct fitted *fitted, size_t n_answers)
{
    struct sl_advice_plan plan;
    struct sl_error err;
    assert_ok(sl_advice_plan_init(&plan, &fitted->input, &fitted->state, n_answers, &err), err);
    return plan;
}

static size_t greatest_gain(const struct sl_crowd_state *state)
{
    size_t best = 0;
    for (size_t i = 1; i < state->n_items; i++)
        if (state->gain[i] > state->gain[best]) best = i;
    return best;
}

static void test_one_answer_goes_where_it_gains_most(void **state)
{
    (void)state;
    struct fitted fitted;
    fit(&fitted);
    struct sl_advice_plan plan = plan_of(&fitted, 1);
    const size_t best = greatest_gain(&fitted.state);
    assert_int_equal(plan.answers[best], 1);
    assert_near(plan.drop, fitted.state.gain[best], 1e-6);
    assert_near(plan.equal_drop, fitted.state.gain[0], 1e-6);
    sl_advice_plan_release(&plan);
    fitted_release(&fitted);
}

/* More answers buy more, each less than the one before; choosing is at least as good as spreading.
 */
static void test_answers_are_all_planned_and_gains_fall(void **state)
{
    (void)state;
    static const size_t budgets[] = {10, 20, 60, 120, 240, 500};
    struct fitted fitted;
    double last = 0, slope = INFINITY;
    size_t answers_before = 0;
    fit(&fitted);
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        struct sl_advice_plan plan = plan_of(&fitted, budgets[b]);
        size_t sum = 0, most = 0;
        for (size_t i = 0; i < 120; i++) {
            sum += plan.answers[i];
            if (plan.answers[i] > most) most = plan.answers[i];
        }
        assert_int_equal(sum, budgets[b]);
        assert_true(most <= 5 * ((budgets[b] + 119) / 120)); /* then the plan is made anew */
        assert_true(plan.drop >= plan.equal_drop - 1e-9);
        const double now = (plan.drop - last) / (double)(budgets[b] - answers_before);
        assert_true(now > 0 && now < slope * 1.05);
        slope = now;
        last = plan.drop;
        answers_before = budgets[b];
        sl_advice_plan_release(&plan);
    }
    double risk = 0;
    for (size_t i = 0; i < 120; i++)
        risk += fitted.state.risk[i];
    assert_true(last < risk); /* no more can be gained than is at risk */
    fitted_release(&fitted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_answer_goes_where_it_gains_most),
        cmocka_unit_test(test_answers_are_all_planned_and_gains_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
