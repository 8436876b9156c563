/* Predictions and labels for the tests of eval/. */
#ifndef SOFTLAB_TESTS_EVAL_SUPPORT_H
#define SOFTLAB_TESTS_EVAL_SUPPORT_H

#include "label_support.h"
#include "softlab/eval.h"

static inline struct sl_scored *test_score_rows(const struct sl_rows *predictions,
                                                const struct sl_rows *labels,
                                                struct sl_scored_options options)
{
    struct sl_scored *scored;
    struct sl_error err;
    assert_ok(sl_scored_create(predictions, labels, &options, &scored, &err), err);
    return scored;
}

/* Probabilities against distributions, both (n, n_classes), without names. */
static inline struct sl_scored *test_score(const float *predicted, const float *human, size_t n,
                                           size_t n_classes)
{
    struct sl_rows *predictions = test_rows(predicted, n, n_classes, NULL, NULL);
    struct sl_rows *labels = test_rows(human, n, n_classes, NULL, NULL);
    struct sl_scored *scored = test_score_rows(predictions, labels, (struct sl_scored_options){0});
    sl_rows_destroy(predictions);
    sl_rows_destroy(labels);
    return scored;
}

static inline double test_value(const char *name, const struct sl_scored *scored,
                                const struct sl_metric_options *options)
{
    const struct sl_metric *metric = sl_metric_find(name);
    const struct sl_metric_options usual = sl_metric_options_default();
    assert_non_null(metric);
    return metric->value(scored, options ? options : &usual);
}

/* A random distribution, further from uniform the larger `sharpness`; no two values are equal. */
static inline void test_distribution(struct sl_rng *rng, double sharpness, size_t n_classes,
                                     float *out)
{
    double sum = 0, values[16];
    for (size_t k = 0; k < n_classes; k++)
        sum += values[k] = exp(sharpness * sl_rng_normal(rng));
    for (size_t k = 0; k < n_classes; k++)
        out[k] = (float)(values[k] / sum);
}

/* `n` predictions and labels of `n_classes` classes that have something to do with each other. */
struct test_study {
    size_t n, n_classes;
    float *predicted, *human; /* owned */
};

static inline struct test_study test_study_create(size_t n, size_t n_classes, uint64_t seed)
{
    struct test_study study = {.n = n,
                               .n_classes = n_classes,
                               .predicted = sl_alloc(n * n_classes, sizeof(float)),
                               .human = sl_alloc(n * n_classes, sizeof(float))};
    for (size_t i = 0; i < n; i++) {
        struct sl_rng rng;
        float noise[16], *p = study.predicted + i * n_classes, *human = study.human + i * n_classes;
        sl_rng_init(&rng, seed, "test.study", 0, i);
        test_distribution(&rng, 2, n_classes, human);
        test_distribution(&rng, 2, n_classes, noise);
        for (size_t k = 0; k < n_classes; k++)
            p[k] = 0.7F * human[k] + 0.3F * noise[k];
    }
    return study;
}

static inline void test_study_release(struct test_study *study)
{
    free(study->predicted);
    free(study->human);
}

static inline struct sl_scored *test_study_score(const struct test_study *study)
{
    return test_score(study->predicted, study->human, study->n, study->n_classes);
}

#endif
