/* Resampling as Pillow's Image.resize does it (8 bits per channel): LANCZOS, so that images
 * shown to people here look like those of the published studies, and BOX, which the corruption
 * "pixelate" is made with. Weights are fixed-point with 22 fractional bits, as there: equal
 * rounding, not only equal formulas.
 *
 * A 32-bit sum is wide enough. The absolute weights of one output pixel add up to less
 * than 1.6, at the borders too, and 1.6 * 255 * 2^22 is below 2^31. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "dataset/images/resample.h"
#include "softlab/base/memory.h"

enum { LOBES = 3, FRACTION_BITS = 22 };

/* One axis: for every output position the first input position, the number of input positions, and
 * their weights. */
struct window {
    size_t first, count;
};
struct filter {
    size_t reach;           /* weights kept per output position */
    struct window *windows; /* owned; (size) */
    int32_t *weights;       /* owned; (size, reach) */
};

static void filter_release(struct filter *filter)
{
    free(filter->windows);
    free(filter->weights);
    *filter = (struct filter){0};
}

static double lanczos(double x)
{
    const double pi = 3.14159265358979323846;
    if (x == 0) return 1;
    if (fabs(x) >= LOBES) return 0;
    double a = pi * x, b = a / LOBES;
    return sin(a) / a * (sin(b) / b);
}

static double box(double x)
{
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

static const struct kernel {
    double support; /* zero further from the centre than this */
    double (*weight)(double x);
} kernels[] = {
    [SL_RESAMPLE_LANCZOS] = {LOBES, lanczos},
    [SL_RESAMPLE_BOX] = {0.5, box},
};

/* The nearest integer to a non-negative position, bounded: positions beyond the image
 * mean its last column. */
static size_t clip_position(double position, size_t maximum)
{
    double rounded = floor(position + 0.5);
    if (!(rounded > 0)) return 0;
    return rounded >= (double)maximum ? maximum : (size_t)rounded;
}

/* `values` is room for the window's weights before they are made to sum to 1. */
static void fill_weights(const struct kernel *kernel, struct window window, double center,
                         double stretch, double *values, int32_t *out)
{
    const double shrink = 1 / stretch; /* as Pillow: a box's edge depends on the rounding */
    double sum = 0;
    for (size_t i = 0; i < window.count; i++) {
        values[i] = kernel->weight(((double)(window.first + i) - center + 0.5) * shrink);
        sum += values[i];
    }
    for (size_t i = 0; i < window.count; i++)
        out[i] = (int32_t)lround(values[i] / sum * (1 << FRACTION_BITS));
}

static enum sl_status filter_create(const struct kernel *kernel, size_t from, size_t to,
                                    struct filter *out, struct sl_error *err)
{
    double scale = (double)from / (double)to;
    double stretch = scale > 1 ? scale : 1; /* shrinking widens the window */
    double support = kernel->support * stretch;
    struct filter filter = {.reach = (size_t)ceil(support) * 2 + 1};
    filter.windows = sl_data_alloc(to, sizeof *filter.windows, err);
    filter.weights = sl_data_alloc(to, filter.reach * sizeof *filter.weights, err);
    double *values = sl_data_alloc(filter.reach, sizeof *values, err);
    if (!filter.windows || !filter.weights || !values) {
        free(values);
        filter_release(&filter);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < to; i++) {
        double center = ((double)i + 0.5) * scale;
        size_t first = clip_position(center - support, from - 1);
        size_t end = clip_position(center + support, from);
        filter.windows[i] = (struct window){.first = first, .count = end - first};
        fill_weights(kernel, filter.windows[i], center, stretch, values,
                     filter.weights + i * filter.reach);
    }
    free(values);
    *out = filter;
    return SL_OK;
}

static uint8_t to_byte(int32_t sum)
{
    if (sum < 0) return 0;
    return sum >= 256 << FRACTION_BITS ? 255 : (uint8_t)(sum >> FRACTION_BITS);
}

/* (rows, from, channels) -> (rows, to, channels) */
static void resize_rows(const struct filter *filter, const uint8_t *in, size_t rows, size_t from,
                        size_t to, size_t channels, uint8_t *out)
{
    for (size_t y = 0; y < rows; y++, in += from * channels) {
        for (size_t x = 0; x < to; x++) {
            const int32_t *weights = filter->weights + x * filter->reach;
            const uint8_t *pixel = in + filter->windows[x].first * channels;
            for (size_t c = 0; c < channels; c++, pixel++) {
                int32_t sum = 1 << (FRACTION_BITS - 1);
                for (size_t i = 0; i < filter->windows[x].count; i++)
                    sum += weights[i] * pixel[i * channels];
                *out++ = to_byte(sum);
            }
        }
    }
}

/* (from, length) -> (to, length); `sums` has room for one row. Whole rows are added at a
 * time, so that memory is read in order. */
static void resize_columns(const struct filter *filter, const uint8_t *in, size_t to, size_t length,
                           int32_t *sums, uint8_t *out)
{
    for (size_t y = 0; y < to; y++, out += length) {
        const int32_t *weights = filter->weights + y * filter->reach;
        const uint8_t *row = in + filter->windows[y].first * length;
        for (size_t x = 0; x < length; x++)
            sums[x] = 1 << (FRACTION_BITS - 1);
        for (size_t i = 0; i < filter->windows[y].count; i++, row += length)
            for (size_t x = 0; x < length; x++)
                sums[x] += weights[i] * row[x];
        for (size_t x = 0; x < length; x++)
            out[x] = to_byte(sums[x]);
    }
}

enum sl_status sl_image_resize(const struct sl_image *image, size_t height, size_t width,
                               struct sl_image *out, struct sl_error *err)
{
    return sl_image_resample(image, SL_RESAMPLE_LANCZOS, height, width, out, err);
}

enum sl_status sl_image_resample(const struct sl_image *image, enum sl_resampling kernel,
                                 size_t height, size_t width, struct sl_image *out,
                                 struct sl_error *err)
{
    if (height == 0 || width == 0 || image->height == 0 || image->width == 0)
        return sl_fail(err, SL_ERR_USAGE, "cannot resize an image of %zux%zu pixels to %zux%zu",
                       image->width, image->height, width, height);
    struct sl_image result = {0};
    struct filter across = {0}, down = {0};
    uint8_t *narrowed = NULL;
    int32_t *sums = NULL;
    enum sl_status status = sl_image_create(height, width, image->channels, &result, err);
    if (status != SL_OK) return status;
    const size_t length = width * image->channels;
    SL_TRY_OUT(filter_create(&kernels[kernel], image->width, width, &across, err));
    SL_TRY_OUT(filter_create(&kernels[kernel], image->height, height, &down, err));
    narrowed = sl_data_alloc(image->height, length, err);
    sums = narrowed ? sl_data_alloc(length, sizeof *sums, err) : NULL;
    if (!sums) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    resize_rows(&across, image->pixels, image->height, image->width, width, image->channels,
                narrowed);
    resize_columns(&down, narrowed, height, length, sums, result.pixels);
    *out = result;
    result = (struct sl_image){0};
out:
    sl_image_release(&result);
    filter_release(&across);
    filter_release(&down);
    free(narrowed);
    free(sums);
    return status;
}
