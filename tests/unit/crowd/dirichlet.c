/* The model of softlab/crowd/dirichlet.h against what can be computed another way: gains by the
 * definition, intervals by drawing, fits to answers that were drawn from a known model. */
#include "softlab/crowd/dirichlet.h"

#include <math.h>

#include "crowd_scene.h"
#include "softlab/base/random.h"
#include "softlab/base/stats.h"

struct looked {
    struct sl_dirichlet *model;
    struct sl_dirichlet_view view;
};

/* An item of a model of three classes, with these answers. */
static struct looked look_at(double a, double b, double c)
{
    struct looked looked;
    struct sl_error err;
    assert_ok(sl_dirichlet_create(3, &looked.model, &err), err);
    assert_ok(sl_dirichlet_view_init(&looked.view, looked.model, &err), err);
    const double counts[] = {a, b, c};
    memcpy(looked.view.count, counts, sizeof counts);
    sl_dirichlet_look(&looked.view, -1);
    return looked;
}

static void looked_release(struct looked *looked)
{
    sl_dirichlet_view_release(&looked->view);
    sl_dirichlet_destroy(looked->model);
}

static double risk_after(struct looked *looked, size_t said)
{
    looked->view.count[said] += 1;
    sl_dirichlet_look(&looked->view, -1);
    const double risk = sl_dirichlet_risk(&looked->view);
    looked->view.count[said] -= 1;
    sl_dirichlet_look(&looked->view, -1);
    return risk;
}

static void test_a_gain_is_the_expected_drop_of_the_risk(void **state)
{
    (void)state;
    static const double counts[][3] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {5, 5, 5}, {1.5, .25, 0}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct looked looked = look_at(counts[i][0], counts[i][1], counts[i][2]);
        double drop = sl_dirichlet_risk(&looked.view);
        double label[3];
        memcpy(label, looked.view.label, sizeof label);
        for (size_t said = 0; said < 3; said++)
            drop -= label[said] * risk_after(&looked, said);
        assert_near(sl_dirichlet_gain(&looked.view), drop, 1e-7);
        assert_true(drop > 0);
        looked_release(&looked);
    }
}

static void test_agreement_leaves_less_to_gain_than_disagreement(void **state)
{
    (void)state;
    struct looked agreed = look_at(4, 0, 0), split = look_at(2, 2, 0);
    assert_true(sl_dirichlet_gain(&agreed.view) < sl_dirichlet_gain(&split.view) / 3);
    assert_true(sl_dirichlet_risk(&agreed.view) < sl_dirichlet_risk(&split.view));
    assert_true(sl_dirichlet_disagreement(&agreed.view) < .2);
    assert_true(sl_dirichlet_disagreement(&split.view) > .4);
    looked_release(&agreed);
    looked_release(&split);
}

static void test_an_interval_holds_its_share_of_the_posterior(void **state)
{
    (void)state;
    struct looked looked = look_at(3, 1, 0);
    const struct sl_dirichlet *model = looked.model;
    for (size_t k = 0; k < 3; k++) {
        const struct sl_interval interval = sl_dirichlet_interval(&looked.view, k, .9);
        double below = 0, within = 0;
        for (size_t j = 0; j < model->n_components; j++) {
            const double a = model->alpha[k * model->n_components + j] + looked.view.count[k];
            const double b = model->alpha[3 * model->n_components + j] + 4 - a;
            const double low = sl_incomplete_beta(a, b, interval.low);
            below += looked.view.weight[j] * low;
            within += looked.view.weight[j] * (sl_incomplete_beta(a, b, interval.high) - low);
        }
        assert_true(interval.low <= interval.estimate && interval.estimate <= interval.high);
        if (interval.low < 1e-3) continue; /* the density has no bound at 0 */
        assert_near(below, .05, .002);
        assert_near(within, .9, .004);
    }
    looked_release(&looked);
}

static void test_a_known_class_is_certain(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 60, 9, 3, 4, .6, .9);
    options.gold = scene.gold;
    options.intervals = true;
    scene_run(sl_aggregator_find("dirichlet"), &scene, options, &out);
    for (size_t i = 0; i < 60; i += 7) {
        assert_true(out.posterior[i * 3 + (size_t)scene.truth[i]] == 1);
        assert_true(out.risk[i] == 0 && out.gain[i] == 0);
        assert_true(out.low[i * 3 + (size_t)scene.truth[i]] == 1);
    }
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

/* Annotators below `n_spammers` answer by chance. */
static void spam(struct scene *scene, uint32_t n_spammers)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "test.spam", 0, 0);
    for (size_t v = 0; v < scene->votes.count; v++)
        if (scene->votes.annotator[v] < n_spammers)
            scene->votes.label[v] = (uint16_t)sl_rng_below(&rng, scene->votes.n_classes);
}

static void test_spammers_lose_their_weight_and_nobody_else(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    scene_make(&scene, 400, 20, 5, 5, .9, .95);
    spam(&scene, 4);
    scene_run(sl_aggregator_find("dirichlet"), &scene, sl_crowd_options_default(), &out);
    for (size_t a = 0; a < 20; a++)
        assert_true(a < 4 ? out.weight[a] == 0 : out.weight[a] == 1);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

/* Answer number v of the scene, about the item that is being filled. */
static void say(struct scene *scene, size_t v, uint32_t annotator, size_t label)
{
    scene->votes.annotator[v] = annotator;
    scene->votes.label[v] = (uint16_t)label;
}

/* Two of nine people agree about every item; the tenth alone was asked about the last ones, which
 * have a class that nobody else has seen. */
static void test_an_answer_that_nobody_confirms_is_no_evidence_against_its_annotator(void **state)
{
    (void)state;
    enum { SHARED = 900, ALONE = 12, CLASSES = 10, RARE = 7 };
    struct scene scene;
    struct sl_crowd_state out = {0};
    scene_alloc(&scene, SHARED + ALONE, 10, CLASSES, 2 * SHARED + ALONE);
    for (size_t i = 0; i < SHARED; i++) {
        say(&scene, 2 * i, (uint32_t)(i % 9), i % RARE);
        say(&scene, 2 * i + 1, (uint32_t)((i + 1) % 9), i % RARE);
        scene.votes.begin[i + 1] = 2 * i + 2;
    }
    for (size_t i = 0; i < ALONE; i++) {
        say(&scene, 2 * SHARED + i, 9, RARE);
        scene.votes.begin[SHARED + i + 1] = 2 * SHARED + i + 1;
    }
    scene_run(sl_aggregator_find("dirichlet"), &scene, sl_crowd_options_default(), &out);
    for (size_t a = 0; a < 10; a++)
        assert_true(out.weight[a] == 1);
    for (size_t i = SHARED; i < SHARED + ALONE; i++)
        assert_true(out.posterior[i * CLASSES + RARE] > .9F);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

/* Three people are right; the fourth answers every item by chance, three times the same. */
static void test_nobody_confirms_himself(void **state)
{
    (void)state;
    enum { ITEMS = 200, CLASSES = 4, EACH = 6 };
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "test.repeats", 0, 0);
    scene_alloc(&scene, ITEMS, 4, CLASSES, ITEMS * EACH);
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t chance = sl_rng_below(&rng, CLASSES);
        for (uint32_t n = 0; n < EACH; n++) {
            const bool own = n % 2 == 1;
            say(&scene, i * EACH + n, own ? 3 : n / 2, own ? chance : i % CLASSES);
        }
        scene.votes.begin[i + 1] = (i + 1) * EACH;
    }
    scene_run(sl_aggregator_find("dirichlet"), &scene, sl_crowd_options_default(), &out);
    for (size_t a = 0; a < 4; a++)
        assert_true(out.weight[a] == (a < 3 ? 1 : 0));
    for (size_t i = 0; i < ITEMS; i++)
        assert_true(out.posterior[i * CLASSES + i % CLASSES] > .9F);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_a_classifier_decides_where_nobody_answered(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 300, 12, 4, 3, .8, .9);
    scene.votes.begin[300] = scene.votes.count = scene.votes.begin[299]; /* the last has none */
    options.predictions = scene.predictions;
    scene_run(sl_aggregator_find("dirichlet"), &scene, options, &out);
    assert_int_equal(scene_best(&out, 299), scene.truth[299]);
    assert_true(out.dirichlet->sharpness > 1); /* it is right more often than it says */
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_a_classifier_that_contradicts_the_answers_is_not_believed(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 300, 12, 4, 5, .85, .95);
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < 4; k++)
            scene.predictions[i * 4 + k] = k == (i * 7 + 1) % 4 ? .97f : .01f;
    options.predictions = scene.predictions;
    scene_run(sl_aggregator_find("dirichlet"), &scene, options, &out);
    assert_true(out.dirichlet->sharpness < .1);
    size_t right = 0;
    for (size_t i = 0; i < 300; i++)
        right += scene_best(&out, i) == (size_t)scene.truth[i];
    assert_true(right > 290);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

static void test_a_second_fit_starts_where_the_first_ended(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state first = {0}, second = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    scene_make(&scene, 500, 30, 3, 4, .7, .95);
    scene_run(sl_aggregator_find("dirichlet"), &scene, options, &first);
    options.resume = &first;
    scene_run(sl_aggregator_find("dirichlet"), &scene, options, &second);
    assert_true(second.n_iterations < first.n_iterations / 2);
    for (size_t i = 0; i < 500 * 3; i++)
        assert_near(second.posterior[i], first.posterior[i], 2e-3);
    sl_crowd_state_release(&first);
    sl_crowd_state_release(&second);
    scene_release(&scene);
}

static void test_one_class_and_no_answers_are_no_trouble(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    scene_make(&scene, 3, 2, 1, 1, 1, 1);
    scene_run(sl_aggregator_find("dirichlet"), &scene, sl_crowd_options_default(), &out);
    assert_near(out.posterior[0], 1, 1e-12);
    assert_near(out.risk[0], 0, 1e-12);
    sl_crowd_state_release(&out);
    scene_release(&scene);
    scene_alloc(&scene, 2, 1, 3, 0);
    scene_run(sl_aggregator_find("dirichlet"), &scene, sl_crowd_options_default(), &out);
    assert_near(out.posterior[4], 1. / 3, 1e-6);
    sl_crowd_state_release(&out);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_gain_is_the_expected_drop_of_the_risk),
        cmocka_unit_test(test_agreement_leaves_less_to_gain_than_disagreement),
        cmocka_unit_test(test_an_interval_holds_its_share_of_the_posterior),
        cmocka_unit_test(test_a_known_class_is_certain),
        cmocka_unit_test(test_spammers_lose_their_weight_and_nobody_else),
        cmocka_unit_test(test_an_answer_that_nobody_confirms_is_no_evidence_against_its_annotator),
        cmocka_unit_test(test_nobody_confirms_himself),
        cmocka_unit_test(test_a_classifier_decides_where_nobody_answered),
        cmocka_unit_test(test_a_classifier_that_contradicts_the_answers_is_not_believed),
        cmocka_unit_test(test_a_second_fit_starts_where_the_first_ended),
        cmocka_unit_test(test_one_class_and_no_answers_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
