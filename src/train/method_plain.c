#include "softlab/nn/loss.h"
#include "train/method_parts.h"

double sl_method_scale(const struct sl_method *method, const struct sl_method_batch *batch)
{
    return method->recipe->reduction == SL_REDUCE_SUM ? 1 : 1 / (double)batch->count;
}

void sl_method_cross_entropy(struct sl_method *method, const struct sl_method_batch *batch,
                             const float *logits, float *gradient, double *total)
{
    const size_t copies = method->row->steps->copies;
    const double scale = sl_method_scale(method, batch) / (double)copies;
    const struct sl_soft_targets targets = {
        .rows = batch->targets, .n = copies * batch->count, .classes = batch->n_classes};
    *total = sl_soft_cross_entropy(logits, &targets, (float)scale, NULL, gradient) / (double)copies;
}

const struct sl_method_steps sl_method_plain = {.copies = 1, .loss = sl_method_cross_entropy};
