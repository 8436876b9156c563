/* mixup (Zhang et al. 2018) and RegMixup (Pinto et al. 2022) as in their public programs: one share
 * and one permutation per batch. lambda CE(a) + (1 - lambda) CE(b) is computed as the equal
 * cross-entropy to the mixed target. */
#include <math.h>
#include <string.h>

#include "softlab/base/random.h"
#include "softlab/base/stats.h"
#include "train/method_parts.h"

enum { TILE = 1024 };

double sl_method_draw_share(const struct sl_method *method, const struct sl_method_batch *batch,
                            struct sl_rng *rng)
{
    sl_rng_init(rng, method->seed, "mixup", batch->epoch, batch->step);
    return sl_rng_beta(rng, method->recipe->alpha, method->recipe->alpha);
}

static void blend(float *restrict mine, const float *restrict theirs, float share, size_t count)
{
    const float rest = 1 - share;
    for (size_t k = 0; k < count; k++)
        mine[k] = share * mine[k] + rest * theirs[k];
}

static bool leads_its_cycle(const size_t *partners, size_t i)
{
    size_t j = partners[i];
    while (j > i)
        j = partners[j];
    return j == i;
}

/* Mix `count` columns of the rows of a cycle. Each row is read by the row before it and then
 * changed; the first is changed at once, so the last reads a saved copy of it. */
static void mix_cycle(const size_t *partners, const float *shares, size_t first, size_t width,
                      float *columns, size_t count)
{
    float kept[TILE];
    memcpy(kept, columns + first * width, count * sizeof *kept);
    size_t j = first;
    for (; partners[j] != first; j = partners[j])
        blend(columns + j * width, columns + partners[j] * width, shares[j], count);
    blend(columns + j * width, kept, shares[j], count);
}

/* Row i becomes shares[i] of itself plus the rest of the old row partners[i]. Works on a tile of
 * columns at a time, so that no copy of the batch is needed. */
static void mix_in_place(const size_t *partners, const float *shares, size_t count, size_t width,
                         float *rows)
{
    for (size_t begin = 0; begin < width; begin += TILE) {
        const size_t columns = width - begin < TILE ? width - begin : TILE;
        for (size_t i = 0; i < count; i++)
            if (partners[i] != i && leads_its_cycle(partners, i))
                mix_cycle(partners, shares, i, width, rows + begin, columns);
    }
}

void sl_method_mix_copies(const size_t *partners, const float *shares, size_t count, size_t width,
                          float *rows)
{
    float *copies = rows + count * width;
    memcpy(copies, rows, count * width * sizeof *copies);
    for (size_t i = 0; i < count; i++)
        if (partners[i] != i)
            blend(copies + i * width, rows + partners[i] * width, shares[i], width);
}

static void draw(struct sl_method *method, const struct sl_method_batch *batch)
{
    struct sl_rng rng;
    const double share = sl_method_draw_share(method, batch, &rng);
    sl_rng_permutation(&rng, method->indices, batch->count);
    for (size_t i = 0; i < batch->count; i++)
        method->scratch[i] = (float)share;
}

/* Replace the shares of the targets by those that people see for the class pair. */
static void transform_shares(struct sl_method *method, const struct sl_method_batch *batch)
{
    if (!method->mixing) return;
    const size_t n_classes = batch->n_classes;
    for (size_t i = 0; i < batch->count; i++) {
        const float *theirs = batch->targets + method->indices[i] * n_classes;
        method->scratch[i] = (float)sl_mixing_value(
            method->mixing, sl_largest(batch->targets + i * n_classes, n_classes),
            sl_largest(theirs, n_classes), (double)method->scratch[i]);
    }
}

typedef void mix_rows(const size_t *partners, const float *shares, size_t count, size_t width,
                      float *rows);

static void mix_batch(struct sl_method *method, struct sl_method_batch *batch, mix_rows *mix)
{
    draw(method, batch);
    mix(method->indices, method->scratch, batch->count, batch->pixels_per_item, batch->pixels);
    transform_shares(method, batch);
    mix(method->indices, method->scratch, batch->count, batch->n_classes, batch->targets);
}

void sl_method_mixup_prepare(struct sl_method *method, struct sl_method_batch *batch)
{
    if (method->recipe->alpha > 0) mix_batch(method, batch, mix_in_place);
}

static void regmixup_prepare(struct sl_method *method, struct sl_method_batch *batch)
{
    mix_batch(method, batch, sl_method_mix_copies);
}

static enum sl_status check_pixels(const struct sl_method *method, const struct sl_feed *feed,
                                   struct sl_error *err)
{
    if (sl_feed_shape(feed).tokens > 0)
        return sl_fail(err, SL_ERR_INPUT, "method %s mixes images or features, not text",
                       method->row->name);
    return SL_OK;
}

enum sl_status sl_method_mixup_check(const struct sl_method *method, const struct sl_feed *feed,
                                     struct sl_error *err)
{
    const double alpha = method->recipe->alpha;
    if (!(alpha >= 0 && isfinite(alpha)))
        return sl_fail(err, SL_ERR_INPUT, "method %s: alpha = %g, expected 0 or more",
                       method->row->name, alpha);
    if (alpha > 0) SL_TRY(check_pixels(method, feed, err));
    return SL_OK;
}

enum sl_status sl_method_copies_check(const struct sl_method *method, const struct sl_feed *feed,
                                      struct sl_error *err)
{
    const double alpha = method->recipe->alpha;
    if (!(alpha > 0 && isfinite(alpha)))
        return sl_fail(err, SL_ERR_INPUT, "method %s: alpha = %g, expected more than 0",
                       method->row->name, alpha);
    return check_pixels(method, feed, err);
}

struct sl_method_sizes sl_method_mixup_sizes(const struct sl_method *method)
{
    return (struct sl_method_sizes){.floats = method->batch, .indices = method->batch};
}

const struct sl_method_steps sl_method_mixup = {.copies = 1,
                                                .takes_mixing = true,
                                                .check = sl_method_mixup_check,
                                                .sizes = sl_method_mixup_sizes,
                                                .prepare = sl_method_mixup_prepare,
                                                .loss = sl_method_cross_entropy};

const struct sl_method_steps sl_method_regmixup = {.copies = 2,
                                                   .takes_mixing = true,
                                                   .check = sl_method_copies_check,
                                                   .sizes = sl_method_mixup_sizes,
                                                   .prepare = regmixup_prepare,
                                                   .loss = sl_method_cross_entropy};
