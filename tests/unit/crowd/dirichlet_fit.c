/* What fitting dirichlet promises: the same bits for any number of threads, intervals that hold the
 * truth as often as they say, and no trouble with what real crowds leave out. */
#include "crowd/dirichlet/tallies.h"
#include "crowd_scene.h"
#include "soft_scene.h"
#include "softlab/base/random.h"
#include "softlab/crowd/dirichlet.h"

static const struct sl_aggregator *dirichlet(void)
{
    return sl_aggregator_find("dirichlet");
}

/* ---- Threads ---- */

static void assert_same(const void *a, const void *b, size_t size)
{
    assert_true(a && b);
    assert_memory_equal(a, b, size);
}

static void assert_same_outlook(const struct sl_crowd_state *one, const struct sl_crowd_state *more)
{
    const size_t n = one->n_items, cells = n * one->n_classes;
    assert_int_equal(one->n_iterations, more->n_iterations);
    assert_same(one->posterior, more->posterior, cells * sizeof *one->posterior);
    assert_same(one->low, more->low, cells * sizeof *one->low);
    assert_same(one->high, more->high, cells * sizeof *one->high);
    assert_same(one->risk, more->risk, n * sizeof *one->risk);
    assert_same(one->gain, more->gain, n * sizeof *one->gain);
    assert_same(one->weight, more->weight, one->n_annotators * sizeof *one->weight);
    assert_same(one->dirichlet->share, more->dirichlet->share,
                one->dirichlet->n_components * sizeof *one->dirichlet->share);
    assert_true(one->dirichlet->sharpness == more->dirichlet->sharpness);
}

static void check_threads(const struct scene *scene, struct sl_crowd_options options)
{
    static const size_t threads[] = {2, 3, 7};
    struct sl_crowd_state alone = {0};
    options.intervals = true;
    scene_run(dirichlet(), scene, options, &alone);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct sl_crowd_state more = {0};
        options.pool = scene_pool(threads[i]);
        scene_run(dirichlet(), scene, options, &more);
        assert_same_outlook(&alone, &more);
        sl_crowd_state_release(&more);
        sl_pool_destroy(options.pool);
    }
    sl_crowd_state_release(&alone);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 100, 12, 4, 5, .3, .9);
    check_threads(&scene, options);
    options.gold = scene.gold;
    check_threads(&scene, options);
    options.predictions = scene.predictions;
    check_threads(&scene, options);
    scene_release(&scene);
}

/* ---- Answers drawn from the model ---- */

enum { DRAWN_ITEMS = 1500, DRAWN_CLASSES = 4, DRAWN_ANSWERS = 6 };

/* Distributions of items, drawn from a model with uneven shares, and answers drawn from those. */
static void draw_scene(struct scene *scene, double (*theta)[DRAWN_CLASSES])
{
    struct sl_dirichlet *model = NULL;
    struct sl_error err;
    struct sl_rng rng;
    assert_ok(sl_dirichlet_create(DRAWN_CLASSES, &model, &err), err);
    for (size_t j = 0; j < model->n_components; j++)
        model->share[j] = (double)(j % SL_DIRICHLET_LEVELS == 2 ? 1 + j : 1);
    scene_alloc(scene, DRAWN_ITEMS, 40, DRAWN_CLASSES, (size_t)DRAWN_ITEMS * DRAWN_ANSWERS);
    sl_rng_init(&rng, 5, "test.theta", 0, 0);
    for (size_t i = 0; i < DRAWN_ITEMS; i++) {
        const size_t j = sl_rng_categorical(&rng, model->share, model->n_components);
        double sum = 0;
        for (size_t c = 0; c < DRAWN_CLASSES; c++)
            sum += theta[i][c] = sl_rng_gamma(&rng, model->alpha[c * model->n_components + j]);
        for (size_t c = 0; c < DRAWN_CLASSES; c++)
            theta[i][c] /= sum;
        scene->votes.begin[i + 1] = (i + 1) * DRAWN_ANSWERS;
        for (size_t v = scene->votes.begin[i]; v < scene->votes.begin[i + 1]; v++) {
            scene->votes.annotator[v] = (uint32_t)((i * DRAWN_ANSWERS + v) % 40);
            scene->votes.label[v] = (uint16_t)sl_rng_categorical(&rng, theta[i], DRAWN_CLASSES);
        }
    }
    sl_dirichlet_destroy(model);
}

static double distance(const float *label, const double *theta)
{
    double sum = 0;
    for (size_t c = 0; c < DRAWN_CLASSES; c++)
        sum += ((double)label[c] - theta[c]) * ((double)label[c] - theta[c]);
    return sum;
}

static void test_intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    static double theta[DRAWN_ITEMS][DRAWN_CLASSES];
    struct scene scene;
    struct sl_crowd_state out = {0}, shares = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    double held = 0, above = 0, near = 0, far = 0, risk = 0, divergence = 0;
    draw_scene(&scene, theta);
    options.intervals = true;
    scene_run(dirichlet(), &scene, options, &out);
    scene_run(sl_aggregator_find("mv-shares"), &scene, options, &shares);
    for (size_t i = 0; i < DRAWN_ITEMS; i++) {
        for (size_t c = 0; c < DRAWN_CLASSES; c++) {
            const size_t cell = i * DRAWN_CLASSES + c;
            held += theta[i][c] >= (double)out.low[cell] && theta[i][c] <= (double)out.high[cell];
            above += theta[i][c] > (double)out.high[cell];
            if (theta[i][c] > 0)
                divergence += theta[i][c] * log(theta[i][c] / (double)out.posterior[cell]);
        }
        near += distance(out.posterior + i * DRAWN_CLASSES, theta[i]);
        far += distance(shares.posterior + i * DRAWN_CLASSES, theta[i]);
        risk += out.risk[i];
    }
    /* 6,000 intervals: a standard error of .003, and the model is fitted, not known. */
    assert_near(held / (DRAWN_ITEMS * DRAWN_CLASSES), .95, .015);
    assert_near(above / (DRAWN_ITEMS * DRAWN_CLASSES), .025, .012);
    assert_near(risk / divergence, 1, .1);
    assert_true(near < .8 * far);
    sl_crowd_state_release(&out);
    sl_crowd_state_release(&shares);
    scene_release(&scene);
}

/* ---- A second fit ---- */

static void test_a_warm_fit_reaches_the_optimum_of_a_cold_one_sooner(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state before = {0}, cold = {0}, warm = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 600, 30, 3, 5, .7, .95);
    const struct sl_votes all = scene.votes;
    scene.votes.n_items = 500; /* then a fifth more */
    scene.votes.count = scene.votes.begin[500];
    scene_run(dirichlet(), &scene, options, &before);
    scene.votes = all;
    scene_run(dirichlet(), &scene, options, &cold);
    options.resume = &before;
    scene_run(dirichlet(), &scene, options, &warm);
    assert_true(warm.n_iterations < cold.n_iterations);
    const double end = cold.trace[cold.n_iterations - 1];
    assert_true(warm.trace[warm.n_iterations - 1] > end - 1e-3 * fabs(end));
    for (size_t i = 0; i < (size_t)600 * 3; i++)
        assert_near(warm.posterior[i], cold.posterior[i], 5e-3);
    sl_crowd_state_release(&before);
    sl_crowd_state_release(&cold);
    sl_crowd_state_release(&warm);
    scene_release(&scene);
}

/* ---- What crowds leave out ---- */

/* The first items of a scene and as many more that nobody has answered. */
static void test_items_without_answers_change_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state few = {0}, many = {0};
    scene_make(&scene, 4000, 10, 3, 4, .7, .95);
    for (size_t i = 101; i <= 4000; i++)
        scene.votes.begin[i] = scene.votes.begin[100];
    scene.votes.count = scene.votes.begin[100];
    scene_run(dirichlet(), &scene, sl_crowd_options_default(), &many);
    scene.votes.n_items = 100;
    scene_run(dirichlet(), &scene, sl_crowd_options_default(), &few);
    for (size_t i = 0; i < 100 * 3; i++)
        assert_near(many.posterior[i], few.posterior[i], 1e-6);
    for (size_t k = 0; k < 3; k++)
        assert_near(many.posterior[3999 * 3 + k], many.class_prior[k], 1e-6);
    assert_true(many.gain[3999] > many.gain[0]);
    sl_crowd_state_release(&few);
    sl_crowd_state_release(&many);
    scene_release(&scene);
}

static void test_classes_that_nobody_used_get_little(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    scene_make(&scene, 200, 10, 3, 4, .8, .95);
    scene.votes.n_classes = 6;
    scene_run(dirichlet(), &scene, sl_crowd_options_default(), &out);
    for (size_t i = 0; i < 200; i++) {
        const float *row = out.posterior + i * 6;
        assert_true(row[3] > 0 && row[3] < .01F);
        assert_near(row[3], row[4], 1e-5);
        assert_near(row[3], row[5], 1e-5);
        assert_true(out.risk[i] >= 0 && isfinite(out.gain[i]));
    }
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_one_annotator_of_everything_is_believed(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    scene_make(&scene, 300, 1, 4, 1, .9, .9);
    scene_run(dirichlet(), &scene, sl_crowd_options_default(), &out);
    assert_true(out.weight[0] > .5); /* nobody contradicts */
    for (size_t i = 0; i < 300; i++) {
        assert_int_equal(scene_best(&out, i), scene.votes.label[i]);
        assert_true(out.posterior[i * 4 + scene.votes.label[i]] < 1);
    }
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_a_single_item_has_a_label_and_a_risk(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 1, 3, 2, 3, 1, 1);
    options.intervals = true;
    scene_run(dirichlet(), &scene, options, &out);
    const size_t best = (size_t)scene.truth[0];
    assert_int_equal(scene_best(&out, 0), best);
    assert_true(out.risk[0] > 0 && out.gain[0] > 0 && out.gain[0] < out.risk[0]);
    assert_true(out.low[best] < out.posterior[best] && out.posterior[best] < out.high[best]);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_unwanted_risks_change_no_label(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state with = {0}, without = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 60, 9, 3, 4, .6, .9);
    scene_run(dirichlet(), &scene, options, &with);
    options.risks = false;
    scene_run(dirichlet(), &scene, options, &without);
    assert_non_null(with.risk);
    assert_null(without.risk);
    assert_null(without.gain);
    assert_same(with.posterior, without.posterior, 60 * 3 * sizeof *with.posterior);
    sl_crowd_state_release(&with);
    sl_crowd_state_release(&without);
    scene_release(&scene);
}

/* ---- Annotators ---- */

static void test_an_annotator_may_be_unknown_and_not_out_of_range(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_error err;
    scene_make(&scene, 60, 9, 3, 4, .6, .9);
    scene.votes.annotator[17] = SL_NO_NAME;
    scene_run(dirichlet(), &scene, sl_crowd_options_default(), &out);
    sl_crowd_state_release(&out);
    scene.votes.annotator[17] = 9;
    assert_fails(scene_try(dirichlet(), &scene, sl_crowd_options_default(), &out, &err),
                 SL_ERR_INPUT, err, "item 4: annotator 9 does not exist, expected one below 9");
    scene_release(&scene);
}

/* Parameters may be smaller than a unit of the counts, so leaving out all answers of an item must
 * leave exactly nothing. */
static void test_answers_take_away_from_a_tally_what_they_added(void **state)
{
    (void)state;
    enum { ITEMS = 40, CLASSES = 5, PEOPLE = 3 };
    struct soft_scene scene;
    struct sl_crowd_tallies tallies;
    struct sl_tally_cell cells[CLASSES];
    struct sl_error err;
    const double trust[PEOPLE] = {1, 5. / 16, 0};
    double counts[CLASSES];
    uint64_t units[CLASSES];
    soft_scene_make(&scene, ITEMS, PEOPLE, CLASSES, 1, 11);
    const struct sl_tally_source source = {.begin = scene.begin,
                                           .n_items = ITEMS,
                                           .n_classes = CLASSES,
                                           .annotator = scene.annotator,
                                           .rows = scene.rows,
                                           .row_weight = 1.4,
                                           .trust = trust};
    assert_ok(sl_tallies_create(&source, &tallies, &err), err);
    assert_false(tallies.whole);
    for (size_t i = 0; i < ITEMS; i++) {
        sl_tally_counts(&tallies, tallies.of_item[i], cells, counts);
        for (size_t answer = i * PEOPLE; answer < (i + 1) * PEOPLE; answer++) {
            double all = 0;
            memset(units, 0, sizeof units);
            sl_tally_add(&source, answer, units);
            for (size_t c = 0; c < CLASSES; c++) {
                const double said = (double)scene.rows[answer * CLASSES + c];
                const double part = (double)units[c] / SL_TALLY_UNITS;
                assert_near(part, said * 1.4 * trust[answer % PEOPLE], 1. / SL_TALLY_UNITS);
                counts[c] -= part;
                all += part;
            }
            assert_near(all, 1.4 * trust[answer % PEOPLE], .5 / SL_TALLY_UNITS);
        }
        for (size_t c = 0; c < CLASSES; c++)
            assert_true(counts[c] == 0);
    }
    sl_tallies_release(&tallies);
    soft_scene_release(&scene);
}

/* Rounded one by one, shares of one in a hundred would each become nothing or a whole unit. */
static void test_many_small_shares_are_not_rounded_away(void **state)
{
    (void)state;
    enum { ITEMS = 40, CLASSES = 40, PEOPLE = 3 };
    struct soft_scene scene;
    struct sl_crowd_state out = {0};
    struct sl_error err;
    struct sl_crowd_options options = sl_crowd_options_default();
    double top = 0;
    soft_scene_make(&scene, ITEMS, PEOPLE, CLASSES, 1, 11);
    for (size_t answer = 0; answer < ITEMS * PEOPLE; answer++)
        for (size_t c = 0; c < CLASSES; c++)
            scene.rows[answer * CLASSES + c] =
                c == answer / PEOPLE % CLASSES ? .6F : .4F / (CLASSES - 1);
    assert_ok(
        sl_aggregate_soft(sl_aggregator_find("dirichlet-soft"), &scene.votes, &options, &out, &err),
        err);
    for (size_t i = 0; i < ITEMS; i++)
        top += (double)out.posterior[i * CLASSES + i % CLASSES] / ITEMS;
    assert_near(top, .56, .04);
    sl_crowd_state_release(&out);
    soft_scene_release(&scene);
}

/* `people` state one distribution per item each, all with .7 for the item's class. */
static void run_agreeing(size_t people, struct sl_crowd_state *out)
{
    enum { ITEMS = 200, CLASSES = 5 };
    struct soft_scene scene;
    struct sl_error err;
    struct sl_crowd_options options = sl_crowd_options_default();
    soft_scene_make(&scene, ITEMS, people, CLASSES, 1, 11);
    for (size_t answer = 0; answer < ITEMS * people; answer++)
        for (size_t c = 0; c < CLASSES; c++)
            scene.rows[answer * CLASSES + c] = c == answer / people % CLASSES ? .7F : .075F;
    assert_ok(
        sl_aggregate_soft(sl_aggregator_find("dirichlet-soft"), &scene.votes, &options, out, &err),
        err);
    soft_scene_release(&scene);
}

/* With nobody to compare with, no weight predicts better than another, and nobody disagrees. */
static void test_answers_that_stand_alone_are_believed(void **state)
{
    (void)state;
    struct sl_crowd_state one = {0}, three = {0};
    run_agreeing(1, &one);
    run_agreeing(3, &three);
    assert_true(one.dirichlet->rich_weight == 2);
    for (size_t i = 0; i < one.n_items; i++) {
        const size_t top = i * one.n_classes + i % one.n_classes;
        assert_near(one.posterior[top], .65, .1);
        assert_near(three.posterior[top], .7, .02);
    }
    sl_crowd_state_release(&one);
    sl_crowd_state_release(&three);
}

static void test_more_rounds_may_be_asked_for(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.max_iterations = 2000;
    options.tolerance = 1e-12;
    scene_make(&scene, 300, 20, 4, 4, .7, .95);
    scene_run(dirichlet(), &scene, options, &out);
    assert_true(out.n_iterations > 1000);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_many_small_shares_are_not_rounded_away),
        cmocka_unit_test(test_answers_that_stand_alone_are_believed),
        cmocka_unit_test(test_more_rounds_may_be_asked_for),
        cmocka_unit_test(test_intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(test_a_warm_fit_reaches_the_optimum_of_a_cold_one_sooner),
        cmocka_unit_test(test_items_without_answers_change_nothing),
        cmocka_unit_test(test_classes_that_nobody_used_get_little),
        cmocka_unit_test(test_one_annotator_of_everything_is_believed),
        cmocka_unit_test(test_a_single_item_has_a_label_and_a_risk),
        cmocka_unit_test(test_unwanted_risks_change_no_label),
        cmocka_unit_test(test_an_annotator_may_be_unknown_and_not_out_of_range),
        cmocka_unit_test(test_answers_take_away_from_a_tally_what_they_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
