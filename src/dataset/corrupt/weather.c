#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

/* Snow, from its noise to bytes. */
struct flakes {
    double mean, scale, zoom, threshold; /* of the noise that becomes flakes */
    double radius, sigma;                /* of their streaks */
    double keep;                         /* share of the unchanged image */
};

/* The layer of falling snow into `out`, which has a byte per pixel. */
static enum sl_status draw_flakes(struct sl_corrupt_job *job, const struct flakes *flakes,
                                  uint8_t *out, struct sl_error *err)
{
    const struct sl_extent extent = {job->image->height, job->image->width, 1};
    const size_t n_pixels = sl_extent_count(extent);
    double *noise = sl_data_alloc(2 * n_pixels, sizeof *noise, err);
    uint8_t *still = noise ? sl_data_alloc(n_pixels, 1, err) : NULL;
    if (!still) {
        free(noise);
        return SL_ERR_NOMEM;
    }
    double *zoomed = noise + n_pixels;
    for (size_t i = 0; i < n_pixels; i++)
        noise[i] = flakes->mean + flakes->scale * sl_rng_normal(&job->rng);
    memset(zoomed, 0, n_pixels * sizeof *zoomed);
    enum sl_status status;
    SL_TRY_OUT(sl_corrupt_add_zoomed(noise, extent, flakes->zoom, zoomed, err));
    for (size_t i = 0; i < n_pixels; i++)
        still[i] = zoomed[i] < flakes->threshold ? 0 : sl_corrupt_byte(zoomed[i]);
    const struct sl_streak streak = {
        .radius = flakes->radius,
        .sigma = flakes->sigma,
        .angle = -135 + 90 * sl_rng_uniform(&job->rng),
    };
    SL_TRY_OUT(sl_corrupt_streak(still, extent, &streak, out, err));
out:
    free(noise);
    free(still);
    return status;
}

enum sl_status sl_corrupt_snow(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const struct flakes constants[SL_SEVERITIES] = {
        {.1, .2, 1, .6, 8, 3, .95},      {.1, .2, 1, .5, 10, 4, .9},
        {.15, .3, 1.75, .55, 10, 4, .9}, {.25, .3, 2.25, .6, 12, 6, .85},
        {.3, .3, 1.25, .65, 14, 12, .8},
    };
    const struct flakes *flakes = &constants[job->step];
    const size_t n_pixels = job->image->height * job->image->width;
    uint8_t *layer = sl_data_alloc(n_pixels, 1, err);
    if (!layer) return SL_ERR_NOMEM;
    enum sl_status status = draw_flakes(job, flakes, layer, err);
    for (size_t i = 0; status == SL_OK && i < n_pixels; i++) {
        const uint8_t *pixel = job->image->pixels + 3 * i;
        const double grey = (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255;
        /* The layer and its half turn together make the snow twice as thick. */
        const double snow = (layer[i] + layer[n_pixels - 1 - i]) / 255.0;
        for (size_t c = 0; c < 3; c++) {
            const double value = pixel[c] / 255.0;
            const double whitened = fmax(value, grey * 1.5 + 0.5);
            job->out[3 * i + c] =
                sl_corrupt_byte(flakes->keep * value + (1 - flakes->keep) * whitened + snow);
        }
    }
    free(layer);
    return status;
}

enum sl_status sl_corrupt_frost(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double constants[SL_SEVERITIES][2] = {/* share of the image, of the ice */
                                                       {1, .2},
                                                       {1, .3},
                                                       {.9, .4},
                                                       {.85, .4},
                                                       {.75, .45}};
    enum { PLACES = 1 << 12 }; /* per axis: possible offsets of a crop of the texture */
    (void)err;
    const size_t texture = (size_t)sl_rng_below(&job->rng, SL_FROST_TEXTURES);
    const size_t top = (size_t)sl_rng_below(&job->rng, PLACES);
    const size_t left = (size_t)sl_rng_below(&job->rng, PLACES);
    const double *shares = constants[job->step];
    for (size_t y = 0; y < job->image->height; y++) {
        for (size_t x = 0; x < job->image->width; x++) {
            double ice[3];
            sl_frost_ice(texture, (double)(top + y), (double)(left + x), ice);
            const size_t at = (y * job->image->width + x) * 3;
            for (size_t c = 0; c < 3; c++) {
                /* Ice is rounded to bytes, as a photograph's pixels are. */
                const double value =
                    shares[0] * job->image->pixels[at + c] + shares[1] * floor(ice[c]);
                job->out[at + c] = (uint8_t)fmin(value, 255);
            }
        }
    }
    return SL_OK;
}

/* A growing plasma fractal on a torus: points `stride` apart are known. */
struct plasma {
    size_t side; /* a power of two */
    double *map; /* borrowed; (side, side) */
    struct sl_rng *rng;
    double strength; /* of the draws added to means */
};

static double *point(const struct plasma *plasma, size_t y, size_t x)
{
    const size_t mask = plasma->side - 1;
    return &plasma->map[(y & mask) * plasma->side + (x & mask)];
}

/* The mean of four points, and a draw. */
static double grow(struct plasma *plasma, const double *const neighbours[4])
{
    const double mean = (*neighbours[0] + *neighbours[1] + *neighbours[2] + *neighbours[3]) / 4;
    return mean + plasma->strength * (2 * sl_rng_uniform(plasma->rng) - 1);
}

static void grow_middles(struct plasma *plasma, size_t stride)
{
    const size_t half = stride / 2;
    for (size_t y = half; y < plasma->side; y += stride)
        for (size_t x = half; x < plasma->side; x += stride)
            *point(plasma, y, x) =
                grow(plasma, (const double *const[]){point(plasma, y - half, x - half),
                                                     point(plasma, y - half, x + half),
                                                     point(plasma, y + half, x - half),
                                                     point(plasma, y + half, x + half)});
}

/* Points half way between two corners, whose other neighbours are midpoints. */
static void grow_sides(struct plasma *plasma, size_t stride)
{
    const size_t half = stride / 2;
    for (size_t y = 0; y < plasma->side; y += half)
        for (size_t x = y % stride ? 0 : half; x < plasma->side; x += stride)
            *point(plasma, y, x) = grow(
                plasma,
                (const double *const[]){point(plasma, y - half, x), point(plasma, y + half, x),
                                        point(plasma, y, x - half), point(plasma, y, x + half)});
}

/* Diamond-square, then stretched to [0, 1]. The published program multiplies its amplitude by a
 * draw of the same amplitude, hence the square. */
static void draw_plasma(struct plasma *plasma, double decay)
{
    const size_t count = plasma->side * plasma->side;
    double amplitude = 100;
    plasma->map[0] = 0;
    for (size_t stride = plasma->side; stride >= 2; stride /= 2) {
        plasma->strength = amplitude * amplitude;
        grow_middles(plasma, stride);
        grow_sides(plasma, stride);
        amplitude = amplitude / decay;
    }
    double least = plasma->map[0], most = plasma->map[0];
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, plasma->map[i]);
        most = fmax(most, plasma->map[i]);
    }
    const double range = most > least ? most - least : 1;
    for (size_t i = 0; i < count; i++)
        plasma->map[i] = (plasma->map[i] - least) / range;
}

enum sl_status sl_corrupt_fog(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double constants[SL_SEVERITIES][2] = {/* strength, decay of the fractal */
                                                       {.2, 3},
                                                       {.5, 3},
                                                       {.75, 2.5},
                                                       {1, 2},
                                                       {1.5, 1.75}};
    const double strength = constants[job->step][0];
    const struct sl_extent extent = sl_corrupt_extent(job);
    const size_t count = sl_extent_count(extent);
    size_t side = 2;
    while (side < extent.height || side < extent.width)
        side *= 2;
    double *map = sl_data_alloc(side * side, sizeof *map, err);
    if (!map) return SL_ERR_NOMEM;
    draw_plasma(&(struct plasma){.side = side, .map = map, .rng = &job->rng},
                constants[job->step][1]);
    uint8_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (job->image->pixels[i] > most) most = job->image->pixels[i];
    const double brightest = most / 255.0;
    for (size_t i = 0; i < count; i++) {
        const size_t pixel = i / extent.channels;
        const double fog = map[pixel / extent.width * side + pixel % extent.width];
        const double value = job->image->pixels[i] / 255.0 + strength * fog;
        job->out[i] = sl_corrupt_byte(value * brightest / (brightest + strength));
    }
    free(map);
    return SL_OK;
}
