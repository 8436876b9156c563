#include "softlab/crowd.h"

#include <string.h>

#include "crowd_scene.h"
#include "pools.h"

/* What a stream handed over, and when it fails. */
struct taken {
    float *rows;
    size_t n_classes, next; /* item that comes next */
    size_t most;            /* items of a window */
    size_t fails_at;
};

static enum sl_status take(void *context, size_t first, size_t count, const float *rows,
                           struct sl_error *err)
{
    struct taken *taken = context;
    assert_int_equal(first, taken->next);
    assert_true(count <= taken->most);
    if (first + count > taken->fails_at) return sl_fail(err, SL_ERR_IO, "labels.npz: disk full");
    memcpy(taken->rows + first * taken->n_classes, rows, count * taken->n_classes * sizeof *rows);
    taken->next = first + count;
    return SL_OK;
}

/* Items 5 and 11 have no answers; item 11 has gold if anything has. */
static void make_scene(struct scene *scene, size_t n_classes)
{
    scene_make(scene, 333, 20, n_classes, 3, .5, .95);
    scene->votes.begin[5] = scene->votes.begin[6];
    scene->votes.begin[11] = scene->votes.begin[12];
    scene->gold[11] = 1;
}

static void assert_same_rows(const struct scene *scene, const struct sl_crowd_options *options,
                             const float *expected, const float *found)
{
    const size_t n_classes = scene->votes.n_classes;
    for (size_t i = 0; i < scene->votes.n_items; i++) {
        const bool empty = scene->votes.begin[i] == scene->votes.begin[i + 1];
        const bool known = !empty || (options->gold && options->gold[i] >= 0);
        for (size_t k = 0; k < n_classes; k++) {
            const float value = known ? expected[i * n_classes + k] : 0;
            assert_memory_equal(&found[i * n_classes + k], &value, sizeof value);
        }
    }
}

static void assert_same_state(const struct sl_crowd_state *expected,
                              const struct sl_crowd_state *found)
{
    assert_null(found->posterior);
    assert_int_equal(found->n_iterations, expected->n_iterations);
    if (expected->n_iterations)
        assert_memory_equal(found->trace, expected->trace,
                            expected->n_iterations * sizeof *found->trace);
    if (expected->skill)
        assert_memory_equal(found->skill, expected->skill,
                            expected->n_annotators * sizeof *found->skill);
}

static void check_method(const struct sl_aggregator *method, const struct scene *scene,
                         struct sl_crowd_options options, struct sl_pool **pools)
{
    static const size_t windows[] = {1, 7, 64, 1000};
    const size_t n_classes = scene->votes.n_classes;
    struct sl_crowd_state expected = {0};
    struct sl_error err;
    assert_ok(sl_aggregate(method, &scene->votes, &options, &expected, &err), err);
    for (size_t i = 0; i < N_POOLS; i++) {
        struct taken taken = {.rows = sl_alloc(scene->votes.n_items * n_classes, sizeof(float)),
                              .n_classes = n_classes,
                              .most = windows[i],
                              .fails_at = SIZE_MAX};
        const struct sl_crowd_stream stream = {
            .window = windows[i], .take = take, .context = &taken};
        struct sl_crowd_state found = {0};
        options.stream = &stream;
        options.pool = pools[i];
        assert_ok(sl_aggregate(method, &scene->votes, &options, &found, &err), err);
        assert_int_equal(taken.next, scene->votes.n_items);
        assert_same_rows(scene, &options, expected.posterior, taken.rows);
        assert_same_state(&expected, &found);
        sl_crowd_state_release(&found);
        free(taken.rows);
    }
    sl_crowd_state_release(&expected);
}

static void test_streamed_rows_have_the_bits_of_those_in_memory(void **state)
{
    for (size_t n_classes = 2; n_classes <= 5; n_classes += 3) {
        struct scene scene;
        make_scene(&scene, n_classes);
        struct sl_crowd_options options = sl_crowd_options_default();
        for (const struct sl_aggregator *m = sl_aggregators; m->name; m++) {
            if (!(m->needs & SL_CROWD_STREAMS)) continue;
            options.gold = NULL;
            check_method(m, &scene, options, *state);
            options.gold = scene.gold;
            check_method(m, &scene, options, *state);
        }
        scene_release(&scene);
    }
}

static void test_a_failing_taker_ends_the_work_with_its_error(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_error err;
    make_scene(&scene, 2);
    struct taken taken = {.rows = sl_alloc(scene.votes.n_items * 2, sizeof(float)),
                          .n_classes = 2,
                          .most = 10,
                          .fails_at = 100};
    const struct sl_crowd_stream stream = {.window = 10, .take = take, .context = &taken};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.stream = &stream;
    assert_int_equal(sl_aggregate(sl_aggregator_find("ds"), &scene.votes, &options, &out, &err),
                     SL_ERR_IO);
    assert_string_equal(err.message, "ds: labels.npz: disk full");
    assert_int_equal(taken.next, 100);
    free(taken.rows);
    scene_release(&scene);
}

static void test_what_cannot_be_streamed_is_refused(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_error err;
    make_scene(&scene, 2);
    double *weights = sl_alloc(20, sizeof *weights);
    weights[0] = 1;
    const struct sl_crowd_stream stream = {.take = take};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.stream = &stream;
    assert_int_equal(sl_aggregate(sl_aggregator_find("glad"), &scene.votes, &options, &out, &err),
                     SL_ERR_USAGE);
    assert_non_null(strstr(err.message, "use mv, mv-shares, wawa, ds, ds-fast, ds-hybrid, ibcc"));
    options.weights = weights;
    assert_int_equal(sl_aggregate(sl_aggregator_find("mv"), &scene.votes, &options, &out, &err),
                     SL_ERR_USAGE);
    free(weights);
    scene_release(&scene);
}

/* A window is checked before the windows after it, in which the mistake lies. */
static void test_answers_that_are_not_there_are_not_read(void **state)
{
    (void)state;
    struct scene scene;
    struct sl_crowd_state out = {0};
    struct sl_error err;
    make_scene(&scene, 2);
    scene.votes.begin[3] = 1000000;
    const struct sl_crowd_stream stream = {.take = take, .window = 1};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.stream = &stream;
    assert_fails(sl_aggregate(sl_aggregator_find("ds"), &scene.votes, &options, &out, &err),
                 SL_ERR_INPUT, err, "item 2 has answers up to 1000000");
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streamed_rows_have_the_bits_of_those_in_memory),
        cmocka_unit_test(test_a_failing_taker_ends_the_work_with_its_error),
        cmocka_unit_test(test_what_cannot_be_streamed_is_refused),
        cmocka_unit_test(test_answers_that_are_not_there_are_not_read),
    };
    return cmocka_run_group_tests(tests, make_pools, free_pools);
}
