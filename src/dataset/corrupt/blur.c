#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

/* As in SciPy, filters end at four standard deviations. */
static const double usual_truncation = 4;

enum sl_status sl_corrupt_gaussian_blur(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double sigma[SL_SEVERITIES] = {.4, .6, .7, .8, 1};
    double *values = sl_corrupt_values(job, err);
    if (!values) return SL_ERR_NOMEM;
    enum sl_status status = sl_corrupt_smooth(values, sl_corrupt_extent(job), sigma[job->step],
                                              usual_truncation, SL_BORDER_NEAREST, err);
    if (status == SL_OK) sl_corrupt_store(job, values);
    free(values);
    return status;
}

enum { DISK_REACH = 3, DISK_SIDE = 2 * DISK_REACH + 1 };

/* A disk softened by a Gaussian of three weights. The published kernel is 17 wide, but no disk of
 * its table reaches further than 2 from the centre, 3 after softening. */
static void draw_disk(double radius, double soften, double kernel[DISK_SIDE][DISK_SIDE])
{
    const double side = exp(-1 / (2 * soften * soften));
    const double weights[3] = {side / (1 + 2 * side), 1 / (1 + 2 * side), side / (1 + 2 * side)};
    double area = 0;
    memset(kernel, 0, sizeof(double[DISK_SIDE][DISK_SIDE]));
    for (int y = -DISK_REACH + 1; y < DISK_REACH; y++) {
        for (int x = -DISK_REACH + 1; x < DISK_REACH; x++) {
            if (y * y + x * x > radius * radius) continue;
            area++;
            for (int k = 0; k < 9; k++)
                kernel[y + DISK_REACH + k / 3 - 1][x + DISK_REACH + k % 3 - 1] +=
                    weights[k / 3] * weights[k % 3];
        }
    }
    for (int k = 0; k < DISK_SIDE * DISK_SIDE; k++)
        kernel[k / DISK_SIDE][k % DISK_SIDE] /= area;
}

/* `padded` is the picture with DISK_REACH pixels of border. */
static void filter_padded(const double *padded, struct sl_extent extent,
                          double kernel[DISK_SIDE][DISK_SIDE], double *out)
{
    const size_t channels = extent.channels, length = extent.width * channels;
    const size_t stride = (extent.width + DISK_SIDE - 1) * channels;
    for (size_t y = 0; y < extent.height; y++) {
        double *row = out + y * length;
        memset(row, 0, length * sizeof *row);
        for (size_t k = 0; k < (size_t)DISK_SIDE * DISK_SIDE; k++) {
            const double weight = kernel[k / DISK_SIDE][k % DISK_SIDE];
            if (weight == 0) continue;
            const double *from = padded + (y + k / DISK_SIDE) * stride + k % DISK_SIDE * channels;
            for (size_t i = 0; i < length; i++)
                row[i] += weight * from[i];
        }
    }
}

enum sl_status sl_corrupt_defocus_blur(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double constants[SL_SEVERITIES][2] = {/* radius, softening */
                                                       {.3, .4},
                                                       {.4, .5},
                                                       {.5, .6},
                                                       {1, .2},
                                                       {1.5, .1}};
    const struct sl_extent extent = sl_corrupt_extent(job);
    const size_t channels = extent.channels, width = extent.width + DISK_SIDE - 1;
    const size_t height = extent.height + DISK_SIDE - 1;
    double *values = sl_corrupt_values(job, err);
    double *padded = values ? sl_data_alloc(height * width * channels, sizeof *padded, err) : NULL;
    if (!padded) {
        free(values);
        return SL_ERR_NOMEM;
    }
    for (size_t y = 0; y < height; y++) {
        const size_t from_y =
            sl_border_place(SL_BORDER_REFLECT_101, (ptrdiff_t)y - DISK_REACH, extent.height);
        for (size_t x = 0; x < width; x++) {
            const size_t from_x =
                sl_border_place(SL_BORDER_REFLECT_101, (ptrdiff_t)x - DISK_REACH, extent.width);
            memcpy(padded + (y * width + x) * channels,
                   values + (from_y * extent.width + from_x) * channels, channels * sizeof *values);
        }
    }
    double kernel[DISK_SIDE][DISK_SIDE];
    draw_disk(constants[job->step][0], constants[job->step][1], kernel);
    filter_padded(padded, extent, kernel, values);
    sl_corrupt_store(job, values);
    free(padded);
    free(values);
    return SL_OK;
}

/* Every pixel except those of the first two rows and columns keeps its value or takes that of a
 * neighbour above or to the left. The published program means to swap the two, but its arrays are
 * views of the same memory, so both end with the neighbour's value. */
static void shuffle_pixels(struct sl_corrupt_job *job)
{
    const size_t height = job->image->height, width = job->image->width;
    const size_t channels = job->image->channels;
    uint8_t *pixels = job->out;
    for (size_t y = height - 1; y > 1 && y < height; y--) {
        for (size_t x = width - 1; x > 1 && x < width; x--) {
            const uint64_t drawn = sl_rng_below(&job->rng, 4);
            const size_t from_y = y - (size_t)(drawn & 1), from_x = x - (size_t)(drawn >> 1);
            memmove(pixels + (y * width + x) * channels,
                    pixels + (from_y * width + from_x) * channels, channels);
        }
    }
}

enum sl_status sl_corrupt_glass_blur(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const struct {
        double sigma;
        int rounds;
    } constants[SL_SEVERITIES] = {{.05, 1}, {.25, 1}, {.4, 1}, {.25, 2}, {.4, 2}};
    const double sigma = constants[job->step].sigma;
    const struct sl_extent extent = sl_corrupt_extent(job);
    double *values = sl_corrupt_values(job, err);
    if (!values) return SL_ERR_NOMEM;
    enum sl_status status;
    SL_TRY_OUT(sl_corrupt_smooth(values, extent, sigma, usual_truncation, SL_BORDER_NEAREST, err));
    sl_corrupt_store(job, values);
    for (int round = 0; round < constants[job->step].rounds; round++)
        shuffle_pixels(job);
    for (size_t i = 0; i < sl_extent_count(extent); i++)
        values[i] = job->out[i] / 255.0;
    SL_TRY_OUT(sl_corrupt_smooth(values, extent, sigma, usual_truncation, SL_BORDER_NEAREST, err));
    sl_corrupt_store(job, values);
out:
    free(values);
    return status;
}

enum sl_status sl_corrupt_motion_blur(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double constants[SL_SEVERITIES][2] = {/* radius, sigma */
                                                       {6, 1},
                                                       {6, 1.5},
                                                       {6, 2},
                                                       {8, 2},
                                                       {9, 2.5}};
    const struct sl_streak streak = {
        .radius = constants[job->step][0],
        .sigma = constants[job->step][1],
        .angle = -45 + 90 * sl_rng_uniform(&job->rng),
    };
    return sl_corrupt_streak(job->image->pixels, sl_corrupt_extent(job), &streak, job->out, err);
}

enum sl_status sl_corrupt_zoom_blur(struct sl_corrupt_job *job, struct sl_error *err)
{
    /* numpy.arange(1, stop, .01): rounding decides whether the last factor is included. */
    static const double stop[SL_SEVERITIES] = {1.06, 1.11, 1.16, 1.21, 1.26};
    const size_t n_factors = (size_t)ceil((stop[job->step] - 1) / 0.01);
    const double stride = (1 + 0.01) - 1;
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    double *sum = NULL, *values = sl_corrupt_values(job, err);
    enum sl_status status = values ? SL_OK : SL_ERR_NOMEM;
    if (status == SL_OK)
        sum = sl_corrupt_values(job, err); /* the image counts once more, besides factor 1 */
    if (!sum) status = SL_ERR_NOMEM;
    for (size_t i = 0; status == SL_OK && i < n_factors; i++)
        status =
            sl_corrupt_add_zoomed(values, sl_corrupt_extent(job), 1 + (double)i * stride, sum, err);
    for (size_t i = 0; status == SL_OK && i < count; i++)
        sum[i] /= (double)n_factors + 1;
    if (status == SL_OK) sl_corrupt_store(job, sum);
    free(sum);
    free(values);
    return status;
}
