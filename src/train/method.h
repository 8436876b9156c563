/* Method: changes a batch before the forward pass and computes the loss of its logits. loop.c knows
 * nothing else about mixup, entropies or crowds. */
#ifndef SOFTLAB_TRAIN_METHOD_H
#define SOFTLAB_TRAIN_METHOD_H

#include "softlab/train.h"

/* The current batch. Rows [0, count) are the items; a method with two copies fills rows
 * [count, 2 count) of pixels and targets in `prepare`. */
struct sl_method_batch {
    size_t count;            /* items */
    const size_t *positions; /* (count) in the target set */
    float *pixels;           /* (copies * count, pixels_per_item); NULL for text */
    size_t pixels_per_item;
    float *targets; /* (copies * count, n_classes) */
    size_t n_classes;
    uint64_t epoch, step; /* draws are named by (seed, purpose, epoch, step) */
};

/* The memory that a method needs. */
struct sl_method_sizes {
    size_t values; /* own parameters */
    size_t floats, indices;
};

/* A method's inputs and its own memory, all allocated before the first step. */
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
    bool takes_mixing; /* uses class-pair mixing functions; otherwise they are refused */
    /* SL_ERR_INPUT for data that the method cannot use (labels without annotators, text if it
     * mixes pixels, ...). May be NULL. */
    enum sl_status (*check)(const struct sl_method *method, const struct sl_feed *feed,
                            struct sl_error *err);
    /* NULL: none. */
    struct sl_method_sizes (*sizes)(const struct sl_method *method);
    void (*begin)(struct sl_method *method); /* initialise own values; may be NULL */
    /* Before the forward pass; may be NULL. */
    void (*prepare)(struct sl_method *method, struct sl_method_batch *batch);
    /* Write the gradient of the reduced loss with respect to the logits (copies * count, n_classes)
     * and to all own values (method->gradients). *total is the unreduced sum over items, for the
     * log; NaN logits make it NaN. An item's loss is the mean over its copies. Called after
     * `prepare` of the same batch. */
    void (*loss)(struct sl_method *method, const struct sl_method_batch *batch, const float *logits,
                 float *gradient, double *total);
};

/* Create the recipe's method with initial own values. SL_ERR_USAGE if sl_train_methods lacks it;
 * SL_ERR_INPUT from its check, or if the number of classes differs from the targets'. Borrows what
 * the options point to. */
enum sl_status sl_method_create(const struct sl_train_options *options, size_t n_classes,
                                struct sl_method **out, struct sl_error *err) SL_MUST_USE;
void sl_method_destroy(struct sl_method *method);

extern const struct sl_method_steps sl_method_plain, sl_method_mixup, sl_method_regmixup,
    sl_method_mix_maxent, sl_method_ent_wc, sl_method_crowd_layer;

#endif
