/* Values and filters that several corruptions use. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

struct sl_extent sl_corrupt_extent(const struct sl_corrupt_job *job)
{
    return (struct sl_extent){job->image->height, job->image->width, job->image->channels};
}

size_t sl_extent_count(struct sl_extent extent)
{
    return extent.height * extent.width * extent.channels;
}

double *sl_corrupt_values(const struct sl_corrupt_job *job, struct sl_error *err)
{
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    double *values = sl_data_alloc(count, sizeof *values, err);
    for (size_t i = 0; values && i < count; i++)
        values[i] = job->image->pixels[i] / 255.0;
    return values;
}

uint8_t sl_corrupt_byte(double value)
{
    if (!(value > 0)) return 0;
    return value >= 1 ? 255 : (uint8_t)(value * 255);
}

void sl_corrupt_store(const struct sl_corrupt_job *job, const double *values)
{
    const size_t count = sl_extent_count(sl_corrupt_extent(job));
    for (size_t i = 0; i < count; i++)
        job->out[i] = sl_corrupt_byte(values[i]);
}

size_t sl_border_place(enum sl_border border, ptrdiff_t at, size_t size)
{
    const ptrdiff_t length = (ptrdiff_t)size;
    if (at >= 0 && at < length) return (size_t)at;
    if (border == SL_BORDER_NEAREST || length == 1) return at < 0 ? 0 : size - 1;
    const ptrdiff_t shared = border == SL_BORDER_REFLECT_101 ? 1 : 0;
    const ptrdiff_t period = 2 * (length - shared);
    ptrdiff_t place = at % period;
    if (place < 0) place += period;
    return (size_t)(place < length ? place : period - 1 - place + shared);
}

struct kernel {
    size_t radius;
    double *weights; /* owned; 2 radius + 1 */
};

static enum sl_status kernel_create(double sigma, double truncate, struct kernel *out,
                                    struct sl_error *err)
{
    const size_t radius = (size_t)(truncate * sigma + 0.5);
    double *weights = sl_data_alloc(2 * radius + 1, sizeof *weights, err);
    if (!weights) return SL_ERR_NOMEM;
    double sum = 0;
    for (size_t i = 0; i <= 2 * radius; i++) {
        const double at = (double)i - (double)radius;
        weights[i] = exp(-0.5 / (sigma * sigma) * at * at);
        sum += weights[i];
    }
    for (size_t i = 0; i <= 2 * radius; i++)
        weights[i] /= sum;
    *out = (struct kernel){radius, weights};
    return SL_OK;
}

/* Whole rows are added at a time, so that memory is read in order. */
static void smooth_down(const double *in, struct sl_extent extent, const struct kernel *kernel,
                        enum sl_border border, double *out)
{
    const size_t length = extent.width * extent.channels;
    for (size_t y = 0; y < extent.height; y++) {
        double *row = out + y * length;
        memset(row, 0, length * sizeof *row);
        for (size_t k = 0; k <= 2 * kernel->radius; k++) {
            const ptrdiff_t at = (ptrdiff_t)(y + k) - (ptrdiff_t)kernel->radius;
            const double *from = in + sl_border_place(border, at, extent.height) * length;
            const double weight = kernel->weights[k];
            for (size_t x = 0; x < length; x++)
                row[x] += weight * from[x];
        }
    }
}

/* `line` has room for a row with its borders. */
static void smooth_across(const double *in, struct sl_extent extent, const struct kernel *kernel,
                          enum sl_border border, double *line, double *out)
{
    const size_t channels = extent.channels, length = extent.width * channels;
    for (size_t y = 0; y < extent.height; y++) {
        for (size_t x = 0; x < extent.width + 2 * kernel->radius; x++) {
            const ptrdiff_t at = (ptrdiff_t)x - (ptrdiff_t)kernel->radius;
            const size_t place = sl_border_place(border, at, extent.width);
            for (size_t c = 0; c < channels; c++)
                line[x * channels + c] = in[y * length + place * channels + c];
        }
        double *row = out + y * length;
        memset(row, 0, length * sizeof *row);
        for (size_t k = 0; k <= 2 * kernel->radius; k++)
            for (size_t x = 0; x < length; x++)
                row[x] += kernel->weights[k] * line[x + k * channels];
    }
}

enum sl_status sl_corrupt_smooth(double *values, struct sl_extent extent, double sigma,
                                 double truncate, enum sl_border border, struct sl_error *err)
{
    if (truncate * sigma + 0.5 < 1) return SL_OK; /* the kernel is one weight of 1 */
    struct kernel kernel = {0};
    SL_TRY(kernel_create(sigma, truncate, &kernel, err));
    const size_t line = (extent.width + 2 * kernel.radius) * extent.channels;
    double *room = sl_data_alloc(sl_extent_count(extent) + line, sizeof *room, err);
    if (room) {
        smooth_down(values, extent, &kernel, border, room + line);
        smooth_across(room + line, extent, &kernel, border, room, values);
    }
    free(kernel.weights);
    free(room);
    return room ? SL_OK : SL_ERR_NOMEM;
}

/* ImageMagick's arithmetic of 16 bits per channel. */
static uint8_t from_quantum(double sum)
{
    const unsigned quantum = (unsigned)(sum * 257 + 0.5) + 128;
    return (uint8_t)((quantum - (quantum >> 8)) >> 8);
}

/* The weights of a motion blur and the pixel offset of each. */
struct trail {
    size_t count;
    ptrdiff_t down[2 * SL_STREAK_RADIUS_MAX + 1], right[2 * SL_STREAK_RADIUS_MAX + 1];
    double weights[2 * SL_STREAK_RADIUS_MAX + 1];
};

static void trail_init(struct trail *trail, const struct sl_streak *streak)
{
    assert(streak->radius <= SL_STREAK_RADIUS_MAX);
    const double turn = streak->angle * 3.14159265358979323846 / 180;
    trail->count = 2 * (size_t)ceil(streak->radius) + 1;
    double total = 0;
    for (size_t i = 0; i < trail->count; i++) {
        const double at = (double)i;
        trail->weights[i] = exp(-at * at / (2 * streak->sigma * streak->sigma));
        trail->right[i] = (ptrdiff_t)ceil(at * cos(turn) - 0.5);
        trail->down[i] = (ptrdiff_t)ceil(at * sin(turn) - 0.5);
        total += trail->weights[i];
    }
    for (size_t i = 0; i < trail->count; i++)
        trail->weights[i] /= total;
}

/* Add `weight` times the row shifted by `right` pixels; beyond the border its last pixel is
 * repeated. */
static void add_shifted(const uint8_t *row, struct sl_extent extent, ptrdiff_t right, double weight,
                        double *sums)
{
    const size_t channels = extent.channels, width = extent.width;
    const size_t shift = (size_t)(right < 0 ? -right : right);
    const size_t beyond =
        shift < width ? shift : width; /* pixels whose source is beyond the border */
    const size_t inside = (width - beyond) * channels;
    const size_t first = right < 0 ? beyond * channels : 0;
    const uint8_t *from = right < 0 ? row : row + beyond * channels;
    for (size_t i = 0; i < inside; i++)
        sums[first + i] += weight * from[i];
    const uint8_t *last = right < 0 ? row : row + (width - 1) * channels;
    double *rest = right < 0 ? sums : sums + inside;
    for (size_t i = 0; i < beyond; i++)
        for (size_t c = 0; c < channels; c++)
            rest[i * channels + c] += weight * last[c];
}

enum sl_status sl_corrupt_streak(const uint8_t *in, struct sl_extent extent,
                                 const struct sl_streak *streak, uint8_t *out, struct sl_error *err)
{
    const size_t length = extent.width * extent.channels;
    double *sums = sl_data_alloc(length, sizeof *sums, err);
    if (!sums) return SL_ERR_NOMEM;
    struct trail trail;
    trail_init(&trail, streak);
    for (size_t y = 0; y < extent.height; y++) {
        memset(sums, 0, length * sizeof *sums);
        for (size_t i = 0; i < trail.count; i++) {
            const ptrdiff_t at = (ptrdiff_t)y + trail.down[i];
            const size_t place = sl_border_place(SL_BORDER_NEAREST, at, extent.height);
            add_shifted(in + place * length, extent, trail.right[i], trail.weights[i], sums);
        }
        for (size_t i = 0; i < length; i++)
            out[y * length + i] = from_quantum(sums[i]);
    }
    free(sums);
    return SL_OK;
}

/* One axis of a zoom: output position o lies between two input positions. */
struct between {
    size_t first, second;
    double share; /* of the second */
};

static void place_zoom(size_t size, double factor, struct between *out)
{
    const size_t crop = (size_t)ceil((double)size / factor);
    const size_t top = (size - crop) / 2;
    const size_t zoomed = (size_t)rint((double)crop * factor);
    const size_t trim = (zoomed - size) / 2;
    const double stride = zoomed > 1 ? (double)(crop - 1) / (double)(zoomed - 1) : 1;
    for (size_t i = 0; i < size; i++) {
        const double at = fmin((double)(i + trim) * stride, (double)(crop - 1));
        const size_t first = (size_t)at;
        const size_t second = first + 1 < crop ? first + 1 : first;
        out[i] = (struct between){top + first, top + second, at - (double)first};
    }
}

enum sl_status sl_corrupt_add_zoomed(const double *in, struct sl_extent extent, double factor,
                                     double *sum, struct sl_error *err)
{
    const size_t channels = extent.channels, length = extent.width * channels;
    struct between *places = sl_data_alloc(extent.height + extent.width, sizeof *places, err);
    double *row = places ? sl_data_alloc(length, sizeof *row, err) : NULL;
    if (!row) {
        free(places);
        return SL_ERR_NOMEM;
    }
    const struct between *down = places, *across = places + extent.height;
    place_zoom(extent.height, factor, places);
    place_zoom(extent.width, factor, places + extent.height);
    for (size_t y = 0; y < extent.height; y++) {
        const double *above = in + down[y].first * length, *below = in + down[y].second * length;
        for (size_t i = 0; i < length; i++)
            row[i] = above[i] + down[y].share * (below[i] - above[i]);
        double *target = sum + y * length;
        for (size_t x = 0; x < extent.width; x++, target += channels) {
            const double *left = row + across[x].first * channels;
            const double *right = row + across[x].second * channels;
            for (size_t c = 0; c < channels; c++)
                target[c] += left[c] + across[x].share * (right[c] - left[c]);
        }
    }
    free(row);
    free(places);
    return SL_OK;
}
