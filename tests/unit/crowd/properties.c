/* Properties of every aggregator: each test walks the table, so a new row is tested
 * automatically. */
#include <stdatomic.h>

#include "crowd_scene.h"

/* Methods that iterate stop a little apart when sums are taken in another order. */
static const double same = 2e-3;

static void assert_distributions(const struct sl_aggregator *method,
                                 const struct sl_crowd_state *state)
{
    for (size_t i = 0; i < state->n_items; i++) {
        double sum = 0;
        for (size_t k = 0; k < state->n_classes; k++) {
            float value = state->posterior[i * state->n_classes + k];
            if (!(value >= 0)) fail_msg("%s: item %zu has %g", method->name, i, (double)value);
            sum += (double)value;
        }
        if (!(fabs(sum - 1) < 1e-4)) fail_msg("%s: item %zu sums to %g", method->name, i, sum);
    }
    for (size_t k = 0; state->class_prior && k < state->n_classes; k++)
        if (!(state->class_prior[k] >= 0)) fail_msg("%s: class prior", method->name);
    for (size_t a = 0; state->skill && a < state->n_annotators; a++)
        if (!isfinite(state->skill[a])) fail_msg("%s: skill %zu", method->name, a);
    for (size_t i = 0; state->trace && i < state->n_iterations; i++)
        if (!isfinite(state->trace[i])) fail_msg("%s: trace %zu", method->name, i);
    const size_t n_cells = state->n_annotators * state->n_classes * state->n_classes;
    for (size_t i = 0; state->confusion && i < n_cells; i++)
        if (!(state->confusion[i] >= 0)) fail_msg("%s: confusion %zu", method->name, i);
}

typedef void check_method(const struct sl_aggregator *method, const struct scene *scene);

static void for_every_method(const struct scene *scene, check_method *check)
{
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (scene_fits(method, scene)) check(method, scene);
}

static void check_distributions(const struct sl_aggregator *method, const struct scene *scene)
{
    struct sl_crowd_state state = {0};
    scene_run(method, scene, sl_crowd_options_default(), &state);
    assert_int_equal(state.n_items, scene->votes.n_items);
    assert_int_equal(state.n_classes, scene->votes.n_classes);
    assert_distributions(method, &state);
    /* Estimates that the table lists exist and are consistent. */
    assert_int_equal(state.confusion != NULL, (method->learns & SL_LEARNS_CONFUSION) != 0);
    assert_int_equal(state.weight != NULL, (method->learns & SL_LEARNS_WEIGHT) != 0);
    if (method->learns & SL_LEARNS_SKILL) assert_non_null(state.skill);
    assert_int_equal(state.strategy != NULL, (method->learns & SL_LEARNS_STRATEGY) != 0);
    assert_int_equal(state.ability != NULL, (method->learns & SL_LEARNS_ABILITY) != 0);
    assert_int_equal(state.easiness != NULL, (method->learns & SL_LEARNS_ABILITY) != 0);
    for (size_t a = 0; state.weight && a < state.n_annotators; a++)
        assert_true(isfinite(state.weight[a]) &&
                    (state.weight[a] >= 0 || method->learns & SL_LEARNS_SIGNED));
    sl_crowd_state_release(&state);
}

static void test_every_row_is_a_distribution(void **state)
{
    static const size_t shapes[][4] = {{60, 9, 2, 5}, {60, 9, 3, 5}, {60, 30, 10, 5}, {1, 5, 2, 5},
                                       {60, 1, 2, 1}, {60, 1, 3, 1}, {1, 1, 2, 1},    {0, 3, 2, 0},
                                       {4, 0, 2, 0},  {0, 0, 2, 0},  {12, 3, 1, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct scene scene;
        scene_make(&scene, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], 0.5, 0.9);
        for_every_method(&scene, check_distributions);
        scene_release(&scene);
    }
}

static void test_a_thousand_classes_work(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 30, 3, 1000, 3, 0.8, 0.95);
    for_every_method(&scene, check_distributions);
    scene_release(&scene);
}

static void check_extremes(const struct sl_aggregator *method, const struct scene *scene)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    options.smoothing = options.diagonal = 0;
    scene_run(method, scene, options, &state);
    assert_distributions(method, &state);
    sl_crowd_state_release(&state);
}

/* Everybody always wrong or right, thousands of answers to one item, no smoothing. */
static void test_extreme_answers_give_no_nan(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 40, 20, 2, 15, 1, 1);
    for_every_method(&scene, check_extremes);
    for (size_t v = 0; v < scene.votes.count; v++)
        scene.votes.label[v] = (uint16_t)(scene.votes.annotator[v] % 2);
    for_every_method(&scene, check_extremes);
    for (size_t i = 1; i <= scene.votes.n_items; i++)
        scene.votes.begin[i] = scene.votes.count;
    for_every_method(&scene, check_extremes);
    scene_release(&scene);
}

/* Whether the largest of a row stands out, so that its place is not a matter of ties. */
static bool is_clear(const struct sl_crowd_state *state, size_t item)
{
    const float *row = state->posterior + item * state->n_classes;
    size_t best = scene_best(state, item);
    for (size_t k = 0; k < state->n_classes; k++)
        if (k != best && row[k] > row[best] - 1e-3f) return false;
    return true;
}

/* A second scene that says the same with other numbers, and how to find items and classes. */
struct renamed {
    struct scene scene;
    size_t *item, *annotator, *class_index; /* old -> new */
};

static size_t *permutation(const char *purpose, size_t count, bool wanted)
{
    struct sl_rng rng;
    size_t *order = sl_alloc(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    sl_rng_init(&rng, 3, purpose, 0, 0);
    if (wanted) sl_rng_shuffle(&rng, order, count);
    return order;
}

enum { ITEMS = 1, ANNOTATORS = 2, CLASSES = 4, ANSWERS = 8 };

static void rename_scene(const struct scene *from, unsigned what, struct renamed *to)
{
    const struct sl_votes *votes = &from->votes;
    const size_t n_items = votes->n_items;
    scene_alloc(&to->scene, n_items, votes->n_annotators, votes->n_classes, votes->count);
    to->item = permutation("items", n_items, what & ITEMS);
    to->annotator = permutation("annotators", votes->n_annotators, what & ANNOTATORS);
    to->class_index = permutation("classes", votes->n_classes, what & CLASSES);
    size_t *old = sl_alloc(n_items, sizeof *old);
    for (size_t i = 0; i < n_items; i++)
        old[to->item[i]] = i;
    for (size_t i = 0, place = 0; i < n_items; i++) {
        const size_t begin = votes->begin[old[i]], end = votes->begin[old[i] + 1];
        for (size_t v = begin; v < end; v++, place++) {
            size_t source = what & ANSWERS ? end - 1 - (v - begin) : v;
            to->scene.votes.annotator[place] = (uint32_t)to->annotator[votes->annotator[source]];
            to->scene.votes.label[place] = (uint16_t)to->class_index[votes->label[source]];
        }
        to->scene.votes.begin[i + 1] = place;
        to->scene.truth[i] = (int32_t)to->class_index[from->truth[old[i]]];
    }
    scene_predict(&to->scene);
    for (size_t i = 0; i < n_items; i++)
        to->scene.gold[i] = from->gold[old[i]] < 0 ? -1 : to->scene.truth[i];
    free(old);
}

static void renamed_release(struct renamed *renamed)
{
    scene_release(&renamed->scene);
    free(renamed->item);
    free(renamed->annotator);
    free(renamed->class_index);
}

static void compare_renamed(const char *method, const struct sl_crowd_state *state,
                            const struct sl_crowd_state *other, const struct renamed *renamed)
{
    const size_t n_classes = state->n_classes;
    for (size_t i = 0; i < state->n_items; i++) {
        if (!is_clear(state, i)) continue;
        const float *row = state->posterior + i * n_classes;
        const float *there = other->posterior + renamed->item[i] * n_classes;
        for (size_t k = 0; k < n_classes; k++) {
            double before = (double)row[k], after = (double)there[renamed->class_index[k]];
            if (!(fabs(before - after) < same))
                fail_msg("%s: item %zu, class %zu: %g became %g", method, i, k, before, after);
        }
    }
}

static void check_renaming(const struct sl_aggregator *method, const struct scene *scene)
{
    static const unsigned renamings[] = {ITEMS, ANNOTATORS, CLASSES, ANSWERS};
    const struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    scene_run(method, scene, options, &state);
    for (size_t r = 0; r < sizeof renamings / sizeof *renamings; r++) {
        struct renamed renamed;
        struct sl_crowd_state other = {0};
        rename_scene(scene, renamings[r], &renamed);
        scene_run(method, &renamed.scene, options, &other);
        compare_renamed(method->name, &state, &other, &renamed);
        sl_crowd_state_release(&other);
        renamed_release(&renamed);
    }
    sl_crowd_state_release(&state);
}

static void test_the_order_of_items_annotators_classes_and_answers_is_nothing(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 200, 12, 2, 7, 0.6, 0.9);
    for_every_method(&scene, check_renaming);
    scene_release(&scene);
    scene_make(&scene, 200, 12, 3, 7, 0.6, 0.9);
    for_every_method(&scene, check_renaming);
    scene_release(&scene);
}

static void check_truth(const struct sl_aggregator *method, const struct scene *scene)
{
    struct sl_crowd_state state = {0};
    scene_run(method, scene, sl_crowd_options_default(), &state);
    for (size_t i = 0; i < state.n_items; i++)
        if (scene_best(&state, i) != (size_t)scene->truth[i])
            fail_msg("%s: item %zu is %d, not %zu", method->name, i, scene->truth[i],
                     scene_best(&state, i));
    sl_crowd_state_release(&state);
}

static void test_unanimous_answers_return_their_class(void **state)
{
    static const size_t shapes[][4] = {{50, 10, 2, 5}, {50, 10, 4, 5}, {20, 4, 1000, 3},
                                       {30, 1, 2, 1},  {30, 1, 4, 1},  {1, 4, 2, 4},
                                       {1, 1, 3, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct scene scene;
        scene_make(&scene, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], 1, 1);
        for_every_method(&scene, check_truth);
        scene_release(&scene);
    }
}

static void check_gold(const struct sl_aggregator *method, const struct scene *scene)
{
    const struct sl_votes *votes = &scene->votes;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    int32_t *gold = sl_alloc(votes->n_items, sizeof *gold);
    for (size_t i = 0; i < votes->n_items; i++)
        gold[i] = i % 3 ? -1 : (int32_t)((size_t)(scene->truth[i] + 1) % votes->n_classes);
    options.gold = gold;
    scene_run(method, scene, options, &state);
    assert_distributions(method, &state);
    for (size_t i = 0; i < votes->n_items; i += 3)
        if (state.posterior[i * votes->n_classes + (size_t)gold[i]] != 1.0f)
            fail_msg("%s: gold of item %zu was moved", method->name, i);
    sl_crowd_state_release(&state);
    free(gold);
}

static void test_gold_items_stay_pinned(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 60, 9, 2, 5, 0.6, 0.9);
    for_every_method(&scene, check_gold);
    scene_release(&scene);
    scene_make(&scene, 60, 9, 4, 5, 0.6, 0.9);
    for_every_method(&scene, check_gold);
    scene_release(&scene);
}

/* A classifier's prediction is more than the class prior: methods that have one may use it. */
static void check_unanswered(const struct sl_aggregator *method, const struct scene *scene)
{
    const size_t n_classes = scene->votes.n_classes, last = scene->votes.n_items - 1;
    struct sl_crowd_state state = {0};
    scene_run(method, scene, sl_crowd_options_default(), &state);
    assert_distributions(method, &state);
    for (size_t k = 0; k < n_classes && !(method->needs & SL_CROWD_PREDICTIONS); k++)
        if (!(fabs((double)state.posterior[last * n_classes + k] - state.class_prior[k]) < 1e-6))
            fail_msg("%s: class %zu of an item without answers: %g, prior %g", method->name, k,
                     (double)state.posterior[last * n_classes + k], state.class_prior[k]);
    sl_crowd_state_release(&state);
}

static void test_an_item_without_answers_gets_the_class_prior(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 61, 9, 2, 5, 0.6, 0.9);
    scene.votes.count = scene.votes.begin[60];
    scene.votes.begin[61] = scene.votes.count;
    for_every_method(&scene, check_unanswered);
    scene_release(&scene);
}

static void assert_same_bytes(const struct sl_aggregator *method, const void *a, const void *b,
                              size_t size, const char *what)
{
    if (!a != !b || (a && memcmp(a, b, size) != 0)) fail_msg("%s: %s differs", method->name, what);
}

static void assert_same_state(const struct sl_aggregator *method, const struct sl_crowd_state *one,
                              const struct sl_crowd_state *more)
{
    const size_t k = one->n_classes, n = one->n_annotators;
    assert_int_equal(one->n_iterations, more->n_iterations);
    assert_int_equal(one->converged, more->converged);
    assert_same_bytes(method, one->posterior, more->posterior,
                      one->n_items * k * sizeof *one->posterior, "the posterior");
    assert_same_bytes(method, one->class_prior, more->class_prior, k * sizeof *one->class_prior,
                      "the class prior");
    assert_same_bytes(method, one->confusion, more->confusion, n * k * k * sizeof *one->confusion,
                      "the confusion");
    assert_same_bytes(method, one->skill, more->skill, n * sizeof *one->skill, "the skill");
    assert_same_bytes(method, one->weight, more->weight, n * sizeof *one->weight, "the weight");
    assert_same_bytes(method, one->ability, more->ability, n * sizeof *one->ability, "the ability");
    assert_same_bytes(method, one->easiness, more->easiness, one->n_items * sizeof *one->easiness,
                      "the easiness");
    assert_same_bytes(method, one->strategy, more->strategy, n * k * sizeof *one->strategy,
                      "the strategy");
    assert_same_bytes(method, one->trace, more->trace, one->n_iterations * sizeof *one->trace,
                      "the trace");
}

static void check_threads_with(const struct sl_aggregator *method, const struct scene *scene,
                               struct sl_crowd_options options)
{
    static const size_t threads[] = {1, 2, 3, 7};
    struct sl_crowd_state alone = {0};
    scene_run(method, scene, options, &alone);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct sl_crowd_state more = {0};
        options.pool = scene_pool(threads[i]);
        scene_run(method, scene, options, &more);
        assert_same_state(method, &alone, &more);
        sl_crowd_state_release(&more);
        sl_pool_destroy(options.pool);
    }
    sl_crowd_state_release(&alone);
}

/* Every second item with a reference, every seventh with gold. */
static void check_threads(const struct sl_aggregator *method, const struct scene *scene)
{
    const struct sl_votes *votes = &scene->votes;
    struct sl_crowd_options options = sl_crowd_options_default();
    int32_t *gold = sl_alloc(votes->n_items, sizeof *gold);
    float *reference = sl_alloc(votes->n_items * votes->n_classes, sizeof *reference);
    for (size_t i = 0; i < votes->n_items; i++) {
        gold[i] = i % 7 ? -1 : scene->truth[i];
        if (i % 2) reference[i * votes->n_classes + (size_t)scene->truth[i]] = 1;
    }
    check_threads_with(method, scene, options);
    options.gold = gold;
    options.calibrate = true;
    check_threads_with(method, scene, options);
    options.reference = reference;
    check_threads_with(method, scene, options);
    const size_t n_cells = votes->n_annotators * votes->n_classes * votes->n_classes;
    double *counts = sl_alloc(n_cells, sizeof *counts);
    for (size_t i = 0; i < n_cells; i++)
        counts[i] = (double)(i * 7 % 5);
    options.glad.steps = 3;
    options.zbs.rate = .3;
    if (method->reads & SL_CROWD_READS_START && method->learns & SL_LEARNS_CONFUSION) {
        options.start = SL_START_ADDED;
        options.start_counts = counts;
    }
    check_threads_with(method, scene, options);
    free(counts);
    free(gold);
    free(reference);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    static const size_t shapes[][4] = {
        {700, 25, 2, 6}, {300, 25, 5, 6}, {3, 25, 3, 6}, {30, 6, 40, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct scene scene;
        scene_make(&scene, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], 0.55, 0.9);
        for_every_method(&scene, check_threads);
        scene_release(&scene);
    }
}

/* A method that is not asked for confusions may leave them out, and changes nothing else. */
static void check_without_confusions(const struct sl_aggregator *method, const struct scene *scene)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state with = {0}, without = {0};
    scene_run(method, scene, options, &with);
    options.confusions = false;
    scene_run(method, scene, options, &without);
    if (!without.confusion) {
        free(with.confusion);
        with.confusion = NULL;
    }
    assert_same_state(method, &with, &without);
    sl_crowd_state_release(&with);
    sl_crowd_state_release(&without);
}

static void test_unwanted_confusions_change_nothing(void **state)
{
    struct scene scene;
    (void)state;
    scene_make(&scene, 60, 9, 4, 5, 0.6, 0.9);
    for_every_method(&scene, check_without_confusions);
    scene_release(&scene);
}

/* Every annotator twice, under two numbers. */
static void double_scene(const struct scene *from, struct scene *to)
{
    const struct sl_votes *votes = &from->votes;
    scene_alloc(to, votes->n_items, 2 * votes->n_annotators, votes->n_classes, 2 * votes->count);
    for (size_t v = 0; v < 2 * votes->count; v++) {
        to->votes.annotator[v] =
            votes->annotator[v / 2] + (uint32_t)(v % 2 ? votes->n_annotators : 0);
        to->votes.label[v] = votes->label[v / 2];
    }
    for (size_t i = 0; i < votes->n_items; i++) {
        to->votes.begin[i + 1] = 2 * votes->begin[i + 1];
        to->truth[i] = from->truth[i];
    }
    scene_predict(to);
}

/* The other methods may weigh a doubled crowd otherwise. */
static void test_doubling_the_annotators_sharpens_mv_ds_and_ibcc(void **state)
{
    static const char *const names[] = {"mv", "ds", "ibcc"};
    struct scene scene, twice;
    (void)state;
    scene_make(&scene, 300, 12, 3, 5, 0.6, 0.85);
    double_scene(&scene, &twice);
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        const struct sl_aggregator *method = sl_aggregator_find(names[m]);
        struct sl_crowd_state once = {0}, doubled = {0};
        double before = 0, after = 0;
        scene_run(method, &scene, sl_crowd_options_default(), &once);
        scene_run(method, &twice, sl_crowd_options_default(), &doubled);
        for (size_t i = 0; i < once.n_items; i++) {
            before += (double)once.posterior[i * 3 + scene_best(&once, i)];
            after += (double)doubled.posterior[i * 3 + scene_best(&doubled, i)];
        }
        if (!(after >= before)) fail_msg("%s: %g became %g", names[m], before, after);
        sl_crowd_state_release(&once);
        sl_crowd_state_release(&doubled);
    }
    scene_release(&scene);
    scene_release(&twice);
}

/* Weights are taken or refused by name. */
static void check_weights(const struct sl_aggregator *method)
{
    static const double weights[] = {1, 2};
    static size_t begin[] = {0, 2};
    static uint32_t annotator[] = {0, 1};
    static uint16_t label[] = {0, 1};
    static const float rows[] = {1, 0, 0, 1}, predictions[] = {.5f, .5f};
    const struct sl_votes votes = {.n_items = 1,
                                   .n_annotators = 2,
                                   .n_classes = 2,
                                   .count = 2,
                                   .begin = begin,
                                   .annotator = annotator,
                                   .label = label};
    const struct sl_soft_votes soft = {.n_items = 1,
                                       .n_annotators = 2,
                                       .n_classes = 2,
                                       .count = 2,
                                       .begin = begin,
                                       .annotator = annotator,
                                       .rows = rows};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    struct sl_error err;
    options.weights = weights;
    options.predictions = predictions;
    const enum sl_status status = method->run_soft
                                      ? sl_aggregate_soft(method, &soft, &options, &state, &err)
                                      : sl_aggregate(method, &votes, &options, &state, &err);
    if (method->needs & SL_CROWD_WEIGHTS)
        assert_ok(status, err);
    else
        assert_fails(status, SL_ERR_USAGE, err, "takes no annotator weights");
    sl_crowd_state_release(&state);
}

/* The caller wants to end when it is asked for the third time. */
static bool is_asked_often(void *context)
{
    _Atomic size_t *n_asked = context;
    return atomic_fetch_add(n_asked, 1) >= 2;
}

static void check_stops(const struct sl_aggregator *method, const struct scene *scene)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    struct sl_error err = {0};
    struct sl_pool *pool = NULL;
    _Atomic size_t n_asked = 0;
    options.tolerance = 0; /* no other reason to end */
    if (!(method->reads & SL_CROWD_READS_ROUNDS) || method->needs & SL_CROWD_SOFT) return;
    assert_ok(sl_pool_create(2, &pool, &err), err);
    sl_pool_set_stop(pool, is_asked_often, &n_asked);
    options.pool = pool;
    assert_fails(sl_aggregate(method, &scene->votes, &options, &state, &err), SL_ERR_STOPPED, err,
                 "stopped before the end");
    assert_true(n_asked < 30); /* not after all its rounds */
    assert_null(state.posterior);
    sl_pool_destroy(pool);
}

static void test_methods_with_rounds_can_be_stopped(void **state)
{
    (void)state;
    struct scene scene;
    scene_make(&scene, 40, 6, 2, 4, 0.6, 0.9);
    for_every_method(&scene, check_stops);
    scene_release(&scene);
}

static void test_every_row_of_the_table_is_complete(void **state)
{
    (void)state;
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++) {
        assert_non_null(method->summary);
        assert_non_null(method->source);
        assert_true(!method->run != !method->run_soft);
        assert_int_equal(!method->run_soft, !(method->needs & SL_CROWD_SOFT));
        assert_ptr_equal(sl_aggregator_find(method->name), method);
        check_weights(method);
    }
    assert_null(sl_aggregator_find("no such method"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_a_distribution),
        cmocka_unit_test(test_a_thousand_classes_work),
        cmocka_unit_test(test_extreme_answers_give_no_nan),
        cmocka_unit_test(test_the_order_of_items_annotators_classes_and_answers_is_nothing),
        cmocka_unit_test(test_unanimous_answers_return_their_class),
        cmocka_unit_test(test_gold_items_stay_pinned),
        cmocka_unit_test(test_an_item_without_answers_gets_the_class_prior),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(test_unwanted_confusions_change_nothing),
        cmocka_unit_test(test_methods_with_rounds_can_be_stopped),
        cmocka_unit_test(test_doubling_the_annotators_sharpens_mv_ds_and_ibcc),
        cmocka_unit_test(test_every_row_of_the_table_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
