/* Scores of left-out answers: an example worked by hand, what a good method must win, and that
 * nothing depends on threads. */
#include "softlab/crowd/held_out.h"

#include "crowd_scene.h"

static void measure(const struct sl_votes *votes, const char *const *names, size_t count,
                    struct sl_pool *pool, struct sl_held_out *out)
{
    const struct sl_crowd_answers crowd = {.votes = votes};
    const struct sl_aggregator *methods[4];
    struct sl_held_out_options options = sl_held_out_options_default();
    struct sl_error err;
    for (size_t m = 0; m < count; m++)
        methods[m] = names[m] ? sl_aggregator_find(names[m]) : NULL;
    options.pool = pool;
    assert_ok(sl_held_out_measure(&crowd, methods, count, &options, out, &err), err);
}

/* Two items of two equal answers and one of a single answer. Whichever answer is left out, the
 * other one is the label, so an answer has the probability 1 - s + s share. The shares: an item's
 * class has 1 of 4 answers, the other one 2, the lone answer is class 0, and one more is spread:
 * classes 0 and 1. */
static void test_two_items_by_hand(void **state)
{
    (void)state;
    size_t begin[] = {0, 2, 4, 5};
    uint32_t annotator[] = {0, 1, 0, 1, 0};
    uint16_t label[] = {0, 0, 1, 1, 0};
    const struct sl_votes votes = {.n_items = 3,
                                   .n_annotators = 2,
                                   .n_classes = 2,
                                   .count = 5,
                                   .begin = begin,
                                   .annotator = annotator,
                                   .label = label};
    const char *const share[] = {NULL};
    struct sl_held_out held_out;
    measure(&votes, share, 1, NULL, &held_out);
    assert_int_equal(held_out.n_scored, 2);
    assert_int_equal(held_out.n_left_out, 4);
    assert_int_equal(held_out.left_out[2], 0);
    assert_near(held_out.methods[0].sum[2], 0, 0);
    assert_near(held_out.methods[0].hits, 1, 1e-12);
    /* Each item's two answers are in different folds, so both are predicted by the other: at the
     * least smoothing .001 the loss is between .001 and nothing. */
    assert_true(held_out.methods[0].mean < 0 && held_out.methods[0].mean > -.0011);
    struct sl_interval difference;
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 50, .level = .95, .seed = 1};
    struct sl_error err;
    assert_ok(sl_held_out_difference(&held_out, 0, 0, &bootstrap, &difference, &err), err);
    assert_near(difference.estimate, 0, 0);
    assert_near(difference.high, 0, 0);
    sl_held_out_release(&held_out);
}

/* Annotators whose quality differs much: a method that learns it predicts better. */
static void test_the_method_that_knows_annotators_wins_where_they_differ(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_held_out held_out;
    struct sl_interval difference;
    struct sl_error err;
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 300, .level = .95, .seed = 1};
    const char *const methods[] = {NULL, "dirichlet"};
    scene_make(&scene, 600, 20, 4, 5, .1, 1);
    measure(&scene.votes, methods, 2, NULL, &held_out);
    assert_ok(sl_held_out_difference(&held_out, 1, 0, &bootstrap, &difference, &err), err);
    assert_true(difference.low > 0);
    assert_true(difference.low <= difference.estimate && difference.estimate <= difference.high);
    assert_near(difference.estimate, held_out.methods[1].mean - held_out.methods[0].mean, 1e-9);
    assert_int_equal(held_out.n_left_out, 3000); /* every answer once */
    sl_held_out_release(&held_out);
    scene_release(&scene);
}

/* Labels of chance predict no better than the shares of the classes: the smoothing says so. */
static void test_chance_is_smoothed_away(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_held_out held_out;
    const char *const methods[] = {NULL};
    scene_make(&scene, 2000, 20, 4, 5, .25, .25);
    measure(&scene.votes, methods, 1, NULL, &held_out);
    assert_near(held_out.methods[0].mean, -log(4), .01);
    assert_true(held_out.methods[0].smoothing[0] >= .7);
    assert_true(held_out.methods[0].smoothing[1] >= .7);
    sl_held_out_release(&held_out);
    scene_release(&scene);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_held_out one, three;
    struct sl_pool *pool = scene_pool(3);
    const char *const methods[] = {NULL, "dirichlet", "ds", "ibcc"};
    scene_make(&scene, 150, 10, 3, 4, .4, .9);
    measure(&scene.votes, methods, 4, NULL, &one);
    measure(&scene.votes, methods, 4, pool, &three);
    for (size_t m = 0; m < 4; m++)
        assert_memory_equal(one.methods[m].sum, three.methods[m].sum, 150 * sizeof(double));
    sl_held_out_release(&one);
    sl_held_out_release(&three);
    sl_pool_destroy(pool);
    scene_release(&scene);
}

/* Few answers are left out of a large crowd, and a distribution of one class is a vote. */
static void test_fewer_folds_and_distributions(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_held_out some, soft;
    struct sl_error err;
    scene_make(&scene, 200, 10, 3, 5, .6, .9);
    const struct sl_votes *votes = &scene.votes;
    float *rows = sl_alloc(votes->count * 3, sizeof *rows);
    for (size_t v = 0; v < votes->count; v++)
        rows[v * 3 + votes->label[v]] = 1;
    const struct sl_soft_votes stated = {200, 10, 3, votes->count, votes->begin, votes->annotator,
                                         rows};
    const struct sl_crowd_answers as_votes = {.votes = votes}, as_rows = {.soft = &stated};
    struct sl_held_out_options options = sl_held_out_options_default();
    const struct sl_aggregator *share[] = {NULL};
    options.most_answers = 100;
    assert_ok(sl_held_out_measure(&as_votes, share, 1, &options, &some, &err), err);
    assert_ok(sl_held_out_measure(&as_rows, share, 1, &options, &soft, &err), err);
    assert_int_equal(some.n_left_out, 200); /* one fold of five */
    assert_near(some.methods[0].mean, soft.methods[0].mean, 1e-6);
    assert_near(some.methods[0].hits, soft.methods[0].hits, 1e-6);
    options.n_folds = 1;
    struct sl_held_out none;
    assert_fails(sl_held_out_measure(&as_votes, share, 1, &options, &none, &err), SL_ERR_USAGE, err,
                 "1 folds, expected 2 to 254");
    sl_held_out_release(&some);
    sl_held_out_release(&soft);
    free(rows);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_items_by_hand),
        cmocka_unit_test(test_the_method_that_knows_annotators_wins_where_they_differ),
        cmocka_unit_test(test_chance_is_smoothed_away),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_fewer_folds_and_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
