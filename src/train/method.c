#include "train/method.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* A new method declares its steps in method.h. */
const struct sl_train_method sl_train_methods[] = {
    {.name = "plain",
     .summary = "cross-entropy to the targets",
     .keys = "reduction",
     .steps = &sl_method_plain},
    {.name = "mixup",
     .summary = "mix pairs of images and their targets; the share is drawn from Beta(alpha, alpha)",
     .keys = "reduction,alpha",
     .steps = &sl_method_mixup},
    {.name = "regmixup",
     .summary = "train on the clean batch and on its mixup together",
     .keys = "reduction,alpha",
     .steps = &sl_method_regmixup},
    {.name = "mix-maxent",
     .summary = "train on the clean batch; reward high entropy on mixtures of different classes",
     .keys = "reduction,alpha,eta",
     .steps = &sl_method_mix_maxent},
    {.name = "ent-wc",
     .summary = "mixup with losses weighted by log 2 / entropy, clamped to kappa..1",
     .keys = "reduction,alpha,kappa,detach",
     .steps = &sl_method_ent_wc},
    {.name = "crowd-layer",
     .summary = "Deep Learning from Crowds: one layer per annotator on top of the network",
     .keys = "reduction,crowd,crowd_on_logits,crowd_masked_mean",
     .steps = &sl_method_crowd_layer},
    {0},
};

size_t sl_train_copies(const struct sl_train_method *method)
{
    return method->steps->copies;
}

const struct sl_train_method *sl_train_method_find(const char *name)
{
    for (const struct sl_train_method *row = sl_train_methods; row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

static enum sl_status check_method(const struct sl_method *method,
                                   const struct sl_train_options *options, size_t n_classes,
                                   struct sl_error *err)
{
    const struct sl_method_steps *steps = method->row->steps;
    if (options->targets->n_classes != n_classes)
        return sl_fail(err, SL_ERR_INPUT, "the targets have %zu class%s, but the network has %zu",
                       options->targets->n_classes,
                       sl_text_plural(options->targets->n_classes, "", "es"), n_classes);
    if (method->mixing && !steps->takes_mixing)
        return sl_fail(err, SL_ERR_INPUT,
                       "method %s does not mix targets, so it cannot use mixing functions",
                       method->row->name);
    if (method->mixing && method->mixing->n_classes != n_classes)
        return sl_fail(err, SL_ERR_INPUT,
                       "the mixing functions have %zu class%s, but the network has %zu",
                       method->mixing->n_classes,
                       sl_text_plural(method->mixing->n_classes, "", "es"), n_classes);
    return steps->check ? steps->check(method, options->feed, err) : SL_OK;
}

static enum sl_status take_memory(struct sl_method *method, struct sl_error *err)
{
    struct sl_method_sizes sizes = {0};
    if (method->row->steps->sizes) sizes = method->row->steps->sizes(method);
    method->n_values = sizes.values;
    if (sizes.values) {
        method->values = sl_data_alloc(sizes.values, sizeof *method->values, err);
        if (!method->values) return SL_ERR_NOMEM;
        method->gradients = sl_data_alloc(sizes.values, sizeof *method->gradients, err);
        if (!method->gradients) return SL_ERR_NOMEM;
    }
    if (sizes.floats) {
        method->scratch = sl_data_alloc(sizes.floats, sizeof *method->scratch, err);
        if (!method->scratch) return SL_ERR_NOMEM;
    }
    if (sizes.indices) {
        method->indices = sl_data_alloc(sizes.indices, sizeof *method->indices, err);
        if (!method->indices) return SL_ERR_NOMEM;
    }
    return SL_OK;
}

enum sl_status sl_method_create(const struct sl_train_options *options, size_t n_classes,
                                struct sl_method **out, struct sl_error *err)
{
    const struct sl_recipe *recipe = options->recipe;
    struct sl_method made = {.row = sl_train_method_find(recipe->method),
                             .recipe = recipe,
                             .targets = options->targets,
                             .mixing = options->mixing,
                             .seed = options->seed,
                             .batch = options->targets->n_items};
    if (!made.row)
        return sl_fail(err, SL_ERR_USAGE, "no training method is called \"%s\"", recipe->method);
    if (recipe->batch > 0 && (uint64_t)recipe->batch < made.batch)
        made.batch = (size_t)recipe->batch;
    SL_TRY(check_method(&made, options, n_classes, err));
    struct sl_method *method = sl_alloc(1, sizeof *method);
    *method = made;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(take_memory(method, err));
    if (method->n_values) memset(method->gradients, 0, method->n_values * sizeof(float));
    if (made.row->steps->begin) made.row->steps->begin(method);
    *out = method;
    method = NULL;
out:
    sl_method_destroy(method);
    return status;
}

void sl_method_destroy(struct sl_method *method)
{
    if (!method) return;
    free(method->values);
    free(method->gradients);
    free(method->scratch);
    free(method->indices);
    free(method);
}
