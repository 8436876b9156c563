/* Small generated sets of votes for the tests of crowd/. */
#ifndef SOFTLAB_TESTS_CROWD_SCENE_H
#define SOFTLAB_TESTS_CROWD_SCENE_H

#include "softlab/crowd.h"
#include "support.h"

struct scene {
    struct sl_votes votes;
    int32_t *truth;
    float *predictions; /* a classifier that gives the truth .6 */
    int32_t *gold;      /* the truth of every seventh item, else -1: for methods that need gold */
};

static inline void scene_alloc(struct scene *scene, size_t n_items, size_t n_annotators,
                               size_t n_classes, size_t count)
{
    scene->votes = (struct sl_votes){
        .n_items = n_items, .n_annotators = n_annotators, .n_classes = n_classes, .count = count};
    scene->votes.begin = sl_alloc(n_items + 1, sizeof *scene->votes.begin);
    scene->votes.annotator = sl_alloc(count, sizeof *scene->votes.annotator);
    scene->votes.label = sl_alloc(count, sizeof *scene->votes.label);
    scene->truth = sl_alloc(n_items, sizeof *scene->truth);
    scene->predictions = sl_alloc(n_items * n_classes, sizeof *scene->predictions);
    scene->gold = sl_alloc(n_items, sizeof *scene->gold);
}

static inline void scene_predict(struct scene *scene)
{
    const size_t n_classes = scene->votes.n_classes;
    for (size_t i = 0; i < scene->votes.n_items; i++)
        scene->gold[i] = i % 7 ? -1 : scene->truth[i];
    for (size_t i = 0; i < scene->votes.n_items; i++)
        for (size_t k = 0; k < n_classes; k++)
            scene->predictions[i * n_classes + k] =
                (float)(0.4 / (double)n_classes + (k == (size_t)scene->truth[i] ? 0.6 : 0));
}

/* `per_item` different annotators answer each item; annotator a is right with probability
 * `worst` to `best`, falling with a. */
static inline void scene_make(struct scene *scene, size_t n_items, size_t n_annotators,
                              size_t n_classes, size_t per_item, double worst, double best)
{
    struct sl_rng rng;
    size_t chosen[64];
    sl_rng_init(&rng, 7, "test.scene", 0, 0);
    scene_alloc(scene, n_items, n_annotators, n_classes, n_items * per_item);
    for (size_t i = 0, v = 0; i < n_items; i++) {
        scene->truth[i] = (int32_t)sl_rng_below(&rng, n_classes);
        sl_rng_sample(&rng, n_annotators, per_item, chosen);
        for (size_t a = 0; a < per_item; a++, v++) {
            double skill = best - (best - worst) * (double)chosen[a] / (double)n_annotators;
            bool right = n_classes < 2 || sl_rng_uniform(&rng) < skill;
            uint64_t shift = right ? 0 : 1 + sl_rng_below(&rng, n_classes - 1);
            scene->votes.annotator[v] = (uint32_t)chosen[a];
            scene->votes.label[v] = (uint16_t)(((uint64_t)scene->truth[i] + shift) % n_classes);
        }
        scene->votes.begin[i + 1] = v;
    }
    scene_predict(scene);
}

static inline void scene_release(struct scene *scene)
{
    free(scene->votes.begin);
    free(scene->votes.annotator);
    free(scene->votes.label);
    free(scene->truth);
    free(scene->predictions);
    free(scene->gold);
}

static inline bool scene_fits(const struct sl_aggregator *method, const struct scene *scene)
{
    const size_t k = scene->votes.n_classes;
    if (method->most_classes && k > method->most_classes) return false;
    return !(method->needs & SL_CROWD_BINARY) || k == 2;
}

/* Run any method: one that reads distributions gets the votes as one-hot rows. */
static inline enum sl_status scene_try(const struct sl_aggregator *method,
                                       const struct scene *scene, struct sl_crowd_options options,
                                       struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_votes *votes = &scene->votes;
    if (method->needs & SL_CROWD_PREDICTIONS) options.predictions = scene->predictions;
    if (method->needs & SL_CROWD_GOLD && !options.gold) options.gold = scene->gold;
    if (method->run) return sl_aggregate(method, votes, &options, out, err);
    float *rows = sl_alloc(votes->count * votes->n_classes, sizeof *rows);
    for (size_t v = 0; v < votes->count; v++)
        rows[v * votes->n_classes + votes->label[v]] = 1;
    const struct sl_soft_votes soft = {votes->n_items,
                                       votes->n_annotators,
                                       votes->n_classes,
                                       votes->count,
                                       votes->begin,
                                       votes->annotator,
                                       rows};
    enum sl_status status = sl_aggregate_soft(method, &soft, &options, out, err);
    free(rows);
    return status;
}

static inline void scene_run(const struct sl_aggregator *method, const struct scene *scene,
                             struct sl_crowd_options options, struct sl_crowd_state *out)
{
    struct sl_error err;
    enum sl_status status = scene_try(method, scene, options, out, &err);
    if (status != SL_OK) fail_msg("%s", err.message);
}

static inline struct sl_pool *scene_pool(size_t threads)
{
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_ok(sl_pool_create(threads, &pool, &err), err);
    return pool;
}

static inline size_t scene_best(const struct sl_crowd_state *state, size_t item)
{
    const float *row = state->posterior + item * state->n_classes;
    size_t best = 0;
    for (size_t k = 1; k < state->n_classes; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

#endif
