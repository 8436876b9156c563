#include <math.h>
#include <stdlib.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

struct liquid {
    double mean, scale, sigma, threshold; /* of the noise that becomes drops */
    double amount; /* water: brightness; mud: standard deviation of the softening of outlines */
    bool mud;
};

/* The share of each pixel covered by mud: drops with soft outlines, cut below .8. */
static enum sl_status cover_with_mud(const struct liquid *liquid, struct sl_extent extent,
                                     double *layer, struct sl_error *err)
{
    const size_t count = sl_extent_count(extent);
    for (size_t i = 0; i < count; i++)
        layer[i] = layer[i] > liquid->threshold ? 1 : 0;
    SL_TRY(sl_corrupt_smooth(layer, extent, liquid->amount, 4, SL_BORDER_NEAREST, err));
    for (size_t i = 0; i < count; i++)
        if (layer[i] < 0.8) layer[i] = 0;
    return SL_OK;
}

static enum sl_status shine_through_water(const struct liquid *liquid, struct sl_extent extent,
                                          double *layer, struct sl_error *err)
{
    const size_t count = sl_extent_count(extent);
    uint8_t *thickness = sl_data_alloc(count, 1, err);
    if (!thickness) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        thickness[i] = layer[i] < liquid->threshold ? 0 : sl_corrupt_byte(layer[i]);
    enum sl_status status = sl_corrupt_drops(thickness, extent.height, extent.width, layer, err);
    for (size_t i = 0; status == SL_OK && i < count; i++)
        layer[i] *= liquid->amount;
    free(thickness);
    return status;
}

enum sl_status sl_corrupt_spatter(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const struct liquid constants[SL_SEVERITIES] = {
        {.62, .1, .7, .7, .5, false}, {.65, .1, .8, .7, .5, false}, {.65, .3, 1, .69, .5, false},
        {.65, .1, .7, .69, .6, true}, {.65, .1, .5, .68, .6, true},
    };
    static const double water[3] = {175 / 255.0, 238 / 255.0, 238 / 255.0}; /* pale turquoise */
    static const double mud[3] = {63 / 255.0, 42 / 255.0, 20 / 255.0};
    const struct liquid *liquid = &constants[job->step];
    const struct sl_extent extent = {job->image->height, job->image->width, 1};
    const size_t count = sl_extent_count(extent);
    double *layer = sl_data_alloc(count, sizeof *layer, err);
    if (!layer) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        layer[i] = liquid->mean + liquid->scale * sl_rng_normal(&job->rng);
    enum sl_status status;
    SL_TRY_OUT(sl_corrupt_smooth(layer, extent, liquid->sigma, 4, SL_BORDER_NEAREST, err));
    SL_TRY_OUT((liquid->mud ? cover_with_mud : shine_through_water)(liquid, extent, layer, err));
    for (size_t i = 0; i < 3 * count; i++) {
        const double value = job->image->pixels[i] / 255.0, share = layer[i / 3];
        job->out[i] = sl_corrupt_byte(liquid->mud ? value * (1 - share) + mud[i % 3] * share
                                                  : value + water[i % 3] * share);
    }
out:
    free(layer);
    return status;
}
