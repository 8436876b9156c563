/* Noise, independent for each value. */
#include <math.h>
#include <stdlib.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/stats.h"

enum sl_status sl_corrupt_gaussian_noise(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double scale[SL_SEVERITIES] = {.04, .06, .08, .09, .10};
    (void)err;
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    for (size_t i = 0; i < count; i++)
        job->out[i] = sl_corrupt_byte(job->image->pixels[i] / 255.0 +
                                      scale[job->step] * sl_rng_normal(&job->rng));
    return SL_OK;
}

enum sl_status sl_corrupt_speckle_noise(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double scale[SL_SEVERITIES] = {.06, .1, .12, .16, .2};
    (void)err;
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    for (size_t i = 0; i < count; i++) {
        const double value = job->image->pixels[i] / 255.0;
        job->out[i] = sl_corrupt_byte(value + value * scale[job->step] * sl_rng_normal(&job->rng));
    }
    return SL_OK;
}

/* Counts arrivals: multiplies uniforms until the product falls below exp(-mean). */
static double poisson_by_arrivals(struct sl_rng *rng, double mean)
{
    const double end = exp(-mean);
    double count = 0, product = sl_rng_uniform(rng);
    while (product > end) {
        count++;
        product *= sl_rng_uniform(rng);
    }
    return count;
}

/* Transformed rejection with a squeeze (Hörmann 1993, PTRS), for means of 10 and more. */
static double poisson_by_rejection(struct sl_rng *rng, double mean)
{
    const double b = 0.931 + 2.53 * sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double squeeze = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = sl_rng_uniform(rng) - 0.5, v = sl_rng_uniform(rng);
        const double edge = 0.5 - fabs(u);
        if (edge < 0.013 && v > edge) continue; /* also keeps edge from 0 */
        const double count = floor((2 * a / edge + b) * u + mean + 0.43);
        if (edge >= 0.07 && v <= squeeze) return count;
        if (count < 0) continue;
        const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        if (log(v * inverse_alpha / (a / (edge * edge) + b)) <=
            count * log(mean) - mean - sl_log_gamma(count + 1))
            return count;
    }
}

enum sl_status sl_corrupt_shot_noise(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double photons[SL_SEVERITIES] = {500, 250, 100, 75, 50};
    (void)err;
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    for (size_t i = 0; i < count; i++) {
        const double mean = job->image->pixels[i] / 255.0 * photons[job->step];
        const double drawn = mean < 10 ? poisson_by_arrivals(&job->rng, mean)
                                       : poisson_by_rejection(&job->rng, mean);
        job->out[i] = sl_corrupt_byte(drawn / photons[job->step]);
    }
    return SL_OK;
}

enum sl_status sl_corrupt_impulse_noise(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double amount[SL_SEVERITIES] = {.01, .02, .03, .05, .07};
    (void)err;
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    for (size_t i = 0; i < count; i++) {
        job->out[i] = job->image->pixels[i];
        if (sl_rng_uniform(&job->rng) < amount[job->step])
            job->out[i] = sl_rng_below(&job->rng, 2) ? 255 : 0;
    }
    return SL_OK;
}
