/* Mix-MaxEnt (Pinto et al. 2021): the cross-entropy of the clean items minus eta times the mean
 * entropy of the predictions for mixtures of each item with one of another class.
 *
 * The partner is drawn uniformly from the items of the batch with another largest target class, so
 * every item has a partner if the batch has two classes. A batch of one class has no mixtures: its
 * copies are the items themselves and do not enter the loss. */
#include <string.h>

#include "softlab/base/random.h"
#include "softlab/base/stats.h"
#include "softlab/nn/loss.h"
#include "train/method_parts.h"

/* The items of a batch by class: class k has items[begin[k]] to items[begin[k + 1] - 1]. */
struct by_class {
    size_t *begin; /* n_classes + 2; the last is used for counting */
    size_t *items; /* count */
};

static size_t class_of(const struct sl_method_batch *batch, size_t i)
{
    return sl_largest(batch->targets + i * batch->n_classes, batch->n_classes);
}

static void sort(const struct sl_method_batch *batch, struct by_class sorted)
{
    memset(sorted.begin, 0, (batch->n_classes + 2) * sizeof *sorted.begin);
    for (size_t i = 0; i < batch->count; i++)
        sorted.begin[class_of(batch, i) + 2]++;
    for (size_t k = 2; k < batch->n_classes + 2; k++)
        sorted.begin[k] += sorted.begin[k - 1];
    /* begin[k + 1] is where class k begins until its items have moved it to its end. */
    for (size_t i = 0; i < batch->count; i++)
        sorted.items[sorted.begin[class_of(batch, i) + 1]++] = i;
}

/* The item itself if there is no item of another class. */
static size_t draw_partner(const struct sl_method_batch *batch, struct by_class sorted, size_t i,
                           struct sl_rng *rng)
{
    const size_t own = class_of(batch, i);
    const size_t begin = sorted.begin[own], own_count = sorted.begin[own + 1] - begin;
    if (own_count == batch->count) return i;
    const size_t place = (size_t)sl_rng_below(rng, batch->count - own_count);
    return sorted.items[place < begin ? place : place + own_count];
}

static void prepare(struct sl_method *method, struct sl_method_batch *batch)
{
    size_t *partners = method->indices;
    float *shares = method->scratch;
    const struct by_class sorted = {.begin = partners + 2 * method->batch,
                                    .items = partners + method->batch};
    struct sl_rng rng;
    const double share = sl_method_draw_share(method, batch, &rng);
    sort(batch, sorted);
    for (size_t i = 0; i < batch->count; i++) {
        partners[i] = draw_partner(batch, sorted, i, &rng);
        shares[i] = (float)share;
    }
    sl_method_mix_copies(partners, shares, batch->count, batch->pixels_per_item, batch->pixels);
    sl_method_mix_copies(partners, shares, batch->count, batch->n_classes, batch->targets);
}

static void loss(struct sl_method *method, const struct sl_method_batch *batch, const float *logits,
                 float *gradient, double *total)
{
    const double scale = sl_method_scale(method, batch);
    const size_t n_classes = batch->n_classes, clean = batch->count * n_classes;
    const struct sl_soft_targets targets = {
        .rows = batch->targets, .n = batch->count, .classes = n_classes};
    *total = sl_soft_cross_entropy(logits, &targets, (float)scale, NULL, gradient);
    memset(gradient + clean, 0, clean * sizeof *gradient);
    for (size_t i = 0; i < batch->count; i++) {
        const double weight = method->indices[i] == i ? 0 : method->recipe->eta;
        const size_t row = clean + i * n_classes;
        *total -=
            weight * sl_softmax_entropy(logits + row, n_classes, -scale * weight, gradient + row);
    }
}

static struct sl_method_sizes sizes(const struct sl_method *method)
{
    return (struct sl_method_sizes){.floats = method->batch,
                                    .indices = 2 * method->batch + method->targets->n_classes + 2};
}

const struct sl_method_steps sl_method_mix_maxent = {
    .copies = 2, .check = sl_method_copies_check, .sizes = sizes, .prepare = prepare, .loss = loss};
