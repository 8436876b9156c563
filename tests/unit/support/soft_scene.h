/* Distributions of annotators for the tests of crowd/, written out or generated. */
#ifndef SOFTLAB_TESTS_SOFT_SCENE_H
#define SOFTLAB_TESTS_SOFT_SCENE_H

#include "softlab/crowd.h"
#include "support.h"

struct soft_scene {
    struct sl_soft_votes votes;
    size_t *begin;
    uint32_t *annotator;
    float *rows;
};

/* Every annotator answers every item; rows are zero. */
static inline void soft_scene_alloc(struct soft_scene *scene, size_t n_items, size_t n_annotators,
                                    size_t n_classes)
{
    const size_t count = n_items * n_annotators;
    scene->begin = sl_alloc(n_items + 1, sizeof *scene->begin);
    scene->annotator = sl_alloc(count, sizeof *scene->annotator);
    scene->rows = sl_alloc(count * n_classes, sizeof *scene->rows);
    for (size_t i = 0; i <= n_items; i++)
        scene->begin[i] = i * n_annotators;
    for (size_t j = 0; j < count; j++)
        scene->annotator[j] = (uint32_t)(j % n_annotators);
    scene->votes = (struct sl_soft_votes){n_items,      n_annotators,     n_classes,  count,
                                          scene->begin, scene->annotator, scene->rows};
}

static inline void soft_scene_release(struct soft_scene *scene)
{
    free(scene->begin);
    free(scene->annotator);
    free(scene->rows);
}

/* `rows` as written: all annotators of item 0, then of item 1 and so on. */
static inline void soft_scene_write(struct soft_scene *scene, size_t n_items, size_t n_annotators,
                                    size_t n_classes, const float *rows)
{
    soft_scene_alloc(scene, n_items, n_annotators, n_classes);
    memcpy(scene->rows, rows, n_items * n_annotators * n_classes * sizeof *rows);
}

static inline void soft_scene_scale(float *row, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += (double)row[k];
    for (size_t k = 0; k < n_classes; k++)
        row[k] = (float)((double)row[k] / sum);
}

/* A class per item; everybody states a noisy distribution about it, but the last `n_random`
 * annotators state anything. Some probabilities are 0. */
static inline void soft_scene_make(struct soft_scene *scene, size_t n_items, size_t n_annotators,
                                   size_t n_classes, size_t n_random, uint64_t seed)
{
    soft_scene_alloc(scene, n_items, n_annotators, n_classes);
    for (size_t j = 0; j < scene->votes.count; j++) {
        struct sl_rng rng;
        float *row = scene->rows + j * n_classes;
        const size_t item = j / n_annotators, annotator = j % n_annotators;
        sl_rng_init(&rng, seed, "test.soft", 0, j);
        for (size_t k = 0; k < n_classes; k++) {
            double mass = sl_rng_gamma(&rng, .5);
            row[k] = sl_rng_uniform(&rng) < .3 ? 0 : (float)mass;
        }
        size_t top = item * 7 % n_classes;
        if (annotator + n_random >= n_annotators) top = sl_rng_below(&rng, n_classes);
        row[top] += 2;
        soft_scene_scale(row, n_classes);
    }
}

static inline void soft_scene_run(const char *name, const struct soft_scene *scene,
                                  struct sl_crowd_options options, struct sl_crowd_state *out)
{
    struct sl_error err;
    assert_ok(sl_aggregate_soft(sl_aggregator_find(name), &scene->votes, &options, out, &err), err);
}

#endif
