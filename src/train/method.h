/* Method: what happens to a batch before the forward pass and what its logits cost. The loop in
 * loop.c knows nothing else about mixup, entropies or crowds. */
#ifndef SOFTLAB_TRAIN_METHOD_H
#define SOFTLAB_TRAIN_METHOD_H

#include "softlab/train.h"

/* A batch on its way. Rows [0, count) hold the items; a method with two copies fills rows
 * [count, 2 count) of pixels and targets in `prepare`. */
struct sl_method_batch {
    size_t count;            /* items */
    const size_t *positions; /* (count) in the target set */
    float *pixels;           /* (copies * count, pixels_per_item); NULL for text */
    size_t pixels_per_item;
    float *targets; /* (copies * count, n_classes) */
    size_t n_classes;
    uint64_t epoch, step; /* what draws are named by: (seed, purpose, epoch, step) */
};

/* Memory that a method asks for. */
struct sl_method_sizes {
    size_t values; /* own parameters */
    size_t floats, indices;
};

/* What a method may read and what it keeps. Everything is made before the first step. */
struct sl_method {
    const struct sl_train_method *row;
    const struct sl_recipe *recipe;           /* borrowed */
    const struct sl_targets *targets;         /* borrowed */
    const struct sl_mixing_functions *mixing; /* borrowed; or NULL */
    uint64_t seed;
    size_t batch; /* largest count */
    /* Own parameters, trained beside the model's with the same optimiser; n_values may be 0. */
    float *values, *gradients; /* owned */
    size_t n_values;
    float *scratch;  /* owned; sizes.floats */
    size_t *indices; /* owned; sizes.indices */
};

struct sl_method_steps {
    size_t copies;     /* rows of the plan per item: 1, or 2 */
    bool takes_mixing; /* class-pair mixing functions; where they have no use, they are refused */
    /* SL_ERR_INPUT for what the method cannot work with (no annotators, text where pixels are
     * mixed, ...). May be NULL. */
    enum sl_status (*check)(const struct sl_method *method, const struct sl_feed *feed,
                            struct sl_error *err);
    /* NULL: none. */
    struct sl_method_sizes (*sizes)(const struct sl_method *method);
    void (*begin)(struct sl_method *method); /* first own values; may be NULL */
    /* Before the forward pass; may be NULL. */
    void (*prepare)(struct sl_method *method, struct sl_method_batch *batch);
    /* The gradient of the loss as reduced by the logits (copies * count, n_classes) and by the own
     * values (method->gradients, all of them). The sum over items, unreduced, goes to *total for
     * the log; NaN among the logits always makes it NaN. An item's loss is the mean over its
     * copies, so that *total is the loss reduced by sum. Comes after `prepare` of the same batch.
     */
    void (*loss)(struct sl_method *method, const struct sl_method_batch *batch, const float *logits,
                 float *gradient, double *total);
};

/* The method that the recipe names, with its first own values. SL_ERR_USAGE for a name that is no
 * row of sl_train_methods; SL_ERR_INPUT from its check, or if the targets have another number of
 * classes. Borrows what the options point to. */
enum sl_status sl_method_create(const struct sl_train_options *options, size_t n_classes,
                                struct sl_method **out, struct sl_error *err) SL_MUST_USE;
void sl_method_destroy(struct sl_method *method);

extern const struct sl_method_steps sl_method_plain, sl_method_mixup, sl_method_regmixup,
    sl_method_mix_maxent, sl_method_ent_wc, sl_method_crowd_layer;

#endif
