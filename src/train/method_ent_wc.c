/* The clamped entropy-weighted loss (Collins 2022, thesis section 5.2.2): mixup whose cross-entropy
 * counts less if the network is undecided between more than two classes. */
#include <math.h>

#include "softlab/nn/loss.h"
#include "train/method_parts.h"

static const double log_two = 0.69314718055994530942;

struct weight {
    double value, slope; /* slope: derivative with respect to the entropy */
};

/* clamp(log 2 / H, kappa, 1); NaN stays. */
static struct weight weight_of(const struct sl_recipe *recipe, double entropy)
{
    const double ratio = log_two / entropy;
    if (ratio >= 1) return (struct weight){.value = 1};
    if (ratio <= recipe->kappa) return (struct weight){.value = recipe->kappa};
    return (struct weight){.value = ratio, .slope = recipe->detach ? 0 : -ratio / entropy};
}

static void loss(struct sl_method *method, const struct sl_method_batch *batch, const float *logits,
                 float *gradient, double *total)
{
    const double scale = sl_method_scale(method, batch);
    const size_t n_classes = batch->n_classes;
    *total = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const float *row = logits + i * n_classes;
        const struct sl_soft_targets target = {
            .rows = batch->targets + i * n_classes, .n = 1, .classes = n_classes};
        const struct weight weight =
            weight_of(method->recipe, sl_softmax_entropy(row, n_classes, 0, NULL));
        const double surprise = sl_soft_cross_entropy(row, &target, (float)(scale * weight.value),
                                                      NULL, gradient + i * n_classes);
        /* A clamped weight has slope 0, which must not meet an infinite loss. */
        if (weight.slope != 0)
            sl_softmax_entropy(row, n_classes, scale * weight.slope * surprise,
                               gradient + i * n_classes);
        *total += weight.value * surprise;
    }
}

static enum sl_status check(const struct sl_method *method, const struct sl_feed *feed,
                            struct sl_error *err)
{
    const double kappa = method->recipe->kappa;
    if (!(kappa >= 0 && kappa <= 1))
        return sl_fail(err, SL_ERR_INPUT, "method %s: kappa = %g, expected 0 to 1",
                       method->row->name, kappa);
    return sl_method_mixup_check(method, feed, err);
}

const struct sl_method_steps sl_method_ent_wc = {.copies = 1,
                                                 .takes_mixing = true,
                                                 .check = check,
                                                 .sizes = sl_method_mixup_sizes,
                                                 .prepare = sl_method_mixup_prepare,
                                                 .loss = loss};
