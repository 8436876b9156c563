/* Campaigns that are tried out, and forecasts from a pilot. */
#include <math.h>

#include "crowd_scene.h"
#include "softlab/ask.h"
#include "softlab/base/random.h"

enum { K = 4, MOST_BUDGETS = 4 };

/* A world in which every fifth item is ambiguous and the others are clear. */
static void theta_of(size_t item, double theta[K])
{
    struct sl_rng rng;
    sl_rng_init(&rng, 8, "test.theta", 0, item);
    const double right = item % 5 == 0 ? 0.35 + 0.5 * sl_rng_uniform(&rng) : 0.99;
    for (size_t k = 0; k < K; k++)
        theta[k] = (1 - right) / (K - 1);
    theta[item % K] = right;
}

struct world {
    size_t first; /* number of the first item */
    size_t n_items;
    size_t lost; /* every so many answers cannot be used; 0: none */
    size_t n_lost;
    double square[MOST_BUDGETS];
    uint32_t answers[MOST_BUDGETS][2]; /* to clear and to ambiguous items */
    uint32_t least, most;              /* answers of an item at the last budget */
};

static size_t world_answer(void *context, size_t item, size_t before)
{
    struct world *world = context;
    struct sl_rng rng;
    double theta[K];
    if (world->lost > 0 && (item + before) % world->lost == 0) {
        world->n_lost++;
        return SIZE_MAX;
    }
    theta_of(world->first + item, theta);
    sl_rng_init(&rng, 9, "test.said", before, world->first + item);
    return sl_rng_categorical(&rng, theta, K);
}

static void world_look(void *context, size_t budget, size_t item, const uint32_t *counts,
                       const double *label)
{
    struct world *world = context;
    double theta[K];
    uint32_t total = 0;
    theta_of(world->first + item, theta);
    for (size_t k = 0; k < K; k++) {
        total += counts[k];
        world->square[budget] +=
            (label[k] - theta[k]) * (label[k] - theta[k]) / (double)world->n_items;
    }
    world->answers[budget][(world->first + item) % 5 == 0] += total;
    if (item == 0) {
        world->least = UINT32_MAX;
        world->most = 0;
    }
    if (total < world->least) world->least = total;
    if (total > world->most) world->most = total;
}

/* A pilot of `n_items` with three answers each, and its fit. */
static void make_pilot(struct scene *scene, size_t n_items)
{
    struct world world = {.n_items = n_items};
    scene_alloc(scene, n_items, 30, K, 3 * n_items);
    for (size_t i = 0, v = 0; i < n_items; i++) {
        for (size_t a = 0; a < 3; a++, v++) {
            scene->votes.annotator[v] = (uint32_t)((i + 11 * a) % 30);
            scene->votes.label[v] = (uint16_t)world_answer(&world, i, a);
        }
        scene->votes.begin[i + 1] = v;
    }
}

static void run(struct world *world, const struct sl_ask_fit *pilot, enum sl_ask_way way,
                const size_t *budgets, size_t n_budgets)
{
    struct sl_error err;
    const struct sl_ask_people people = {
        .n_items = world->n_items, .context = world, .answer = world_answer, .look = world_look};
    struct sl_ask_campaign campaign = {.pilot = pilot,
                                       .rule = sl_ask_rule_default(),
                                       .wave = 0.3,
                                       .budgets = budgets,
                                       .n_budgets = n_budgets};
    campaign.rule.way = way;
    campaign.rule.stop = 0;
    assert_ok(sl_ask_campaign_run(&campaign, &people, NULL, &err), err);
}

static void test_campaigns_spend_their_budgets(void **state)
{
    (void)state;
    static const size_t budgets[] = {800, 1600, 3200};
    struct scene scene;
    struct sl_ask_fit *fit = NULL;
    struct sl_error err;
    struct world equal = {.first = 5000, .n_items = 400}, chosen = equal;
    make_pilot(&scene, 300);
    assert_ok(sl_ask_fit_create(&scene.votes, NULL, NULL, NULL, &fit, &err), err);
    run(&equal, fit, SL_ASK_EQUAL, budgets, 3);
    run(&chosen, fit, SL_ASK_GAIN, budgets, 3);
    for (size_t b = 0; b < 3; b++) {
        assert_int_equal(equal.answers[b][0] + equal.answers[b][1], budgets[b]);
        assert_int_equal(chosen.answers[b][0] + chosen.answers[b][1], budgets[b]);
        assert_int_equal(equal.answers[b][1], budgets[b] / 5);
    }
    assert_true(equal.least == 8 && equal.most == 8);
    /* Two answers each first, and then most of them where people disagree. */
    assert_true(chosen.answers[0][1] == 160 && chosen.least >= 2);
    assert_true(2 * chosen.answers[2][1] > 3 * equal.answers[2][1]);
    assert_true(chosen.square[1] < equal.square[1]);
    assert_true(equal.square[2] < equal.square[1] && equal.square[1] < equal.square[0]);
    sl_ask_fit_destroy(fit);
    scene_release(&scene);
}

/* Answers that cannot be used are paid for and not counted. */
static void test_lost_answers_are_paid_for(void **state)
{
    (void)state;
    static const size_t budgets[] = {1200};
    struct scene scene;
    struct sl_ask_fit *fit = NULL;
    struct sl_error err;
    struct world world = {.n_items = 300, .lost = 3};
    make_pilot(&scene, 200);
    assert_ok(sl_ask_fit_create(&scene.votes, NULL, NULL, NULL, &fit, &err), err);
    run(&world, fit, SL_ASK_GAIN, budgets, 1);
    assert_true(world.n_lost > 300);
    assert_int_equal(world.answers[0][0] + world.answers[0][1] + world.n_lost, 1200);
    sl_ask_fit_destroy(fit);
    scene_release(&scene);
}

static struct sl_ask_forecast *forecast_of(const struct sl_votes *votes, struct sl_pool *pool)
{
    static const double per_item[] = {2, 4, 8};
    struct sl_ask_forecast_options options = sl_ask_forecast_options_default();
    struct sl_ask_forecast *forecast = NULL;
    struct sl_error err;
    options.budgets = per_item;
    options.n_budgets = 3;
    options.n_simulated = 1000;
    options.n_resimulated = 200;
    options.n_resamples = 10;
    assert_ok(sl_ask_forecast_create(votes, &options, pool, &forecast, &err), err);
    return forecast;
}

/* A forecast from some items of the world is what a campaign on its other items gives. */
static void test_forecasts_come_true(void **state)
{
    (void)state;
    static const size_t budgets[] = {2000, 4000, 8000};
    struct scene scene;
    struct sl_ask_fit *fit = NULL;
    struct sl_error err;
    make_pilot(&scene, 400);
    struct sl_ask_forecast *forecast = forecast_of(&scene.votes, NULL);
    assert_int_equal(forecast->n_pilot, 400);
    assert_true(forecast->useful > 0.9 && forecast->useful <= 1);
    assert_true(forecast->variation.low > 0.2 && forecast->variation.high < 1);
    assert_ok(sl_ask_fit_create(&scene.votes, NULL, NULL, NULL, &fit, &err), err);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
        struct world world = {.first = 5000, .n_items = 1000};
        run(&world, fit, a == SL_ASK_BY_GAIN ? SL_ASK_GAIN : SL_ASK_EQUAL, budgets, 3);
        for (size_t b = 0; b < 3; b++) {
            const struct sl_interval *square = &forecast->square[a][b];
            const struct sl_interval *risk = &forecast->risk[a][b];
            assert_true(square->low < square->estimate && square->estimate < square->high);
            assert_true(risk->low < risk->estimate && risk->estimate < risk->high);
            assert_near(square->estimate / world.square[b], 1, 0.35);
            if (b > 0) assert_true(risk->estimate < forecast->risk[a][b - 1].estimate);
        }
    }
    for (size_t b = 0; b < 3; b++) {
        const struct sl_interval *ratio = &forecast->ratio[b];
        const struct sl_interval *chosen = &forecast->risk[SL_ASK_BY_GAIN][b];
        const struct sl_interval *alike = &forecast->risk[SL_ASK_BY_EQUAL][b];
        assert_near(ratio->estimate, chosen->estimate / alike->estimate, 1e-12);
        assert_true(ratio->low < ratio->estimate && ratio->estimate < ratio->high);
        /* Pairs of the same resample: less uncertain than the risks themselves. */
        assert_true(ratio->high / ratio->low < chosen->high / chosen->low);
    }
    const struct sl_interval *equal = forecast->square[SL_ASK_BY_EQUAL];
    assert_true(forecast->square[SL_ASK_BY_GAIN][1].estimate < equal[1].estimate);
    sl_ask_fit_destroy(fit);
    sl_ask_forecast_destroy(forecast);
    scene_release(&scene);
}

static void test_any_number_of_threads_gives_the_same_forecast(void **state)
{
    (void)state;
    struct scene scene;
    make_pilot(&scene, 60);
    struct sl_ask_forecast *alone = forecast_of(&scene.votes, NULL);
    struct sl_pool *pool = scene_pool(3);
    struct sl_ask_forecast *together = forecast_of(&scene.votes, pool);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++)
        assert_memory_equal(alone->risk[a], together->risk[a], 3 * sizeof *alone->risk[a]);
    sl_ask_forecast_destroy(alone);
    sl_ask_forecast_destroy(together);
    sl_pool_destroy(pool);
    scene_release(&scene);
}

/* Nothing tells how people disagree if they never had to choose. */
static void test_pilots_of_one_class_are_refused(void **state)
{
    (void)state;
    static const double per_item[] = {2, 4};
    struct sl_ask_forecast_options options = sl_ask_forecast_options_default();
    struct sl_ask_forecast *forecast = NULL;
    struct scene scene;
    struct sl_error err;
    options.budgets = per_item;
    options.n_budgets = 2;
    make_pilot(&scene, 40);
    for (size_t v = 0; v < scene.votes.count; v++)
        scene.votes.label[v] = 1;
    assert_int_equal(sl_ask_forecast_create(&scene.votes, &options, NULL, &forecast, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message,
                        "all 120 answers name one class, so that nobody can say how people "
                        "disagree; give a pilot with items of other classes");
    assert_null(forecast);
    scene_release(&scene);
}

static void test_small_pilots_are_refused(void **state)
{
    (void)state;
    static const double ascending[] = {2, 4}, wrong[] = {4, 2};
    struct sl_ask_forecast_options options = sl_ask_forecast_options_default();
    struct sl_ask_forecast *forecast = NULL;
    struct scene scene;
    struct sl_error err;
    options.budgets = ascending;
    options.n_budgets = 2;
    make_pilot(&scene, 29);
    assert_int_equal(sl_ask_forecast_create(&scene.votes, &options, NULL, &forecast, &err),
                     SL_ERR_INPUT);
    assert_string_equal(err.message, "29 items have two answers or more; a forecast needs at least "
                                     "30, and 200 for a narrow interval");
    options.least_pilot = 10;
    options.budgets = wrong;
    assert_int_equal(sl_ask_forecast_create(&scene.votes, &options, NULL, &forecast, &err),
                     SL_ERR_USAGE);
    assert_string_equal(err.message, "budgets must be positive and ascend, got 2");
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_campaigns_spend_their_budgets),
        cmocka_unit_test(test_lost_answers_are_paid_for),
        cmocka_unit_test(test_forecasts_come_true),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_forecast),
        cmocka_unit_test(test_pilots_of_one_class_are_refused),
        cmocka_unit_test(test_small_pilots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
