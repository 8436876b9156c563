#include <math.h>
#include <stdlib.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/memory.h"

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The plane that has these heights at three points: one row of an affine map. */
static void solve_row(const double points[3][2], const double heights[3], double area,
                      double out[3])
{
    const double b = heights[1] - heights[0], c = heights[2] - heights[0];
    out[0] = (b * (points[2][1] - points[0][1]) - c * (points[1][1] - points[0][1])) / area;
    out[1] = (c * (points[1][0] - points[0][0]) - b * (points[2][0] - points[0][0])) / area;
    out[2] = heights[0] - out[0] * points[0][0] - out[1] * points[0][1];
}

bool sl_affine_solve(const double from[3][2], const double to[3][2], struct sl_affine *out)
{
    const double area = cross(from[0], from[1], from[2]);
    if (!(fabs(area) > 1e-9)) return false;
    solve_row(from, (const double[]){to[0][0], to[1][0], to[2][0]}, area, out->x);
    solve_row(from, (const double[]){to[0][1], to[1][1], to[2][1]}, area, out->y);
    return true;
}

/* A position between four pixels: whole coordinates (y, x) and fractions. */
struct spot {
    ptrdiff_t y, x;
    double down, right;
};

static void read_spot(const double *in, struct sl_extent extent, struct spot spot,
                      enum sl_border border, double *out)
{
    const size_t top = sl_border_place(border, spot.y, extent.height) * extent.width;
    const size_t bottom = sl_border_place(border, spot.y + 1, extent.height) * extent.width;
    const size_t left = sl_border_place(border, spot.x, extent.width);
    const size_t right = sl_border_place(border, spot.x + 1, extent.width);
    const size_t n = extent.channels;
    for (size_t c = 0; c < n; c++) {
        const double above =
            (1 - spot.right) * in[(top + left) * n + c] + spot.right * in[(top + right) * n + c];
        const double below = (1 - spot.right) * in[(bottom + left) * n + c] +
                             spot.right * in[(bottom + right) * n + c];
        out[c] = (1 - spot.down) * above + spot.down * below;
    }
}

/* OpenCV's fixed point: 10 fractional bits while adding, 5 for the shares of pixels. */
enum { ADD_BITS = 10, SHARE_BITS = 5, SHARES = 1 << SHARE_BITS };

static long long fixed(double value)
{
    return llrint(value * (1 << ADD_BITS));
}

/* Whole pixels, and the fraction in *share. By division, since shifting negative numbers is not
 * defined in C. */
static ptrdiff_t split_fixed(long long sum, double *share)
{
    const double steps =
        floor((double)(sum + (1 << (ADD_BITS - SHARE_BITS - 1))) / (1 << (ADD_BITS - SHARE_BITS)));
    const double whole = floor(steps / SHARES);
    *share = (steps - whole * SHARES) / SHARES;
    return (ptrdiff_t)whole;
}

void sl_affine_warp(const double *in, struct sl_extent extent, const struct sl_affine *map,
                    double *out)
{
    for (size_t y = 0; y < extent.height; y++) {
        const long long row_x = fixed(map->x[1] * (double)y + map->x[2]);
        const long long row_y = fixed(map->y[1] * (double)y + map->y[2]);
        for (size_t x = 0; x < extent.width; x++, out += extent.channels) {
            struct spot spot;
            spot.x = split_fixed(row_x + fixed(map->x[0] * (double)x), &spot.right);
            spot.y = split_fixed(row_y + fixed(map->y[0] * (double)x), &spot.down);
            read_spot(in, extent, spot, SL_BORDER_REFLECT_101, out);
        }
    }
}

struct elastic {
    double strength, sigma, jitter; /* pixels */
};

/* Move three points around the centre by up to `jitter` each, and warp the image accordingly. */
static void warp_at_random(struct sl_corrupt_job *job, double jitter, const double *in, double *out)
{
    const struct sl_extent extent = sl_corrupt_extent(job);
    const size_t side = extent.height < extent.width ? extent.height : extent.width;
    const size_t third = side / 3, center_x = extent.width / 2, center_y = extent.height / 2;
    const double reach = (double)third;
    const double middle[2] = {(double)center_x, (double)center_y};
    const double still[3][2] = {{middle[0] + reach, middle[1] + reach},
                                {middle[0] + reach, middle[1] - reach},
                                {middle[0] - reach, middle[1] - reach}};
    double moved[3][2];
    for (size_t i = 0; i < 6; i++)
        moved[i / 2][i % 2] = still[i / 2][i % 2] + jitter * (2 * sl_rng_uniform(&job->rng) - 1);
    struct sl_affine map;
    if (reach == 0 || !sl_affine_solve((const double(*)[2])moved, still, &map))
        map =
            (struct sl_affine){{1, 0, 0}, {0, 1, 0}}; /* the image is too small for three points */
    sl_affine_warp(in, extent, &map, out);
}

/* A smooth field of displacements, in pixels. */
static enum sl_status draw_field(struct sl_corrupt_job *job, const struct elastic *elastic,
                                 double *out, struct sl_error *err)
{
    const struct sl_extent extent = {job->image->height, job->image->width, 1};
    for (size_t i = 0; i < sl_extent_count(extent); i++)
        out[i] = 2 * sl_rng_uniform(&job->rng) - 1;
    SL_TRY(sl_corrupt_smooth(out, extent, elastic->sigma, 3, SL_BORDER_REFLECT, err));
    for (size_t i = 0; i < sl_extent_count(extent); i++)
        out[i] *= elastic->strength;
    return SL_OK;
}

static void displace(const struct sl_corrupt_job *job, const double *in, const double *down,
                     const double *right)
{
    const struct sl_extent extent = sl_corrupt_extent(job);
    for (size_t y = 0; y < extent.height; y++) {
        for (size_t x = 0; x < extent.width; x++) {
            const size_t i = y * extent.width + x;
            const double at_y = (double)y + down[i], at_x = (double)x + right[i];
            const struct spot spot = {(ptrdiff_t)floor(at_y), (ptrdiff_t)floor(at_x),
                                      at_y - floor(at_y), at_x - floor(at_x)};
            double values[3];
            read_spot(in, extent, spot, SL_BORDER_REFLECT, values);
            for (size_t c = 0; c < extent.channels; c++)
                job->out[i * extent.channels + c] = sl_corrupt_byte(values[c]);
        }
    }
}

enum sl_status sl_corrupt_elastic_transform(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const struct elastic shares[SL_SEVERITIES] = {/* of the smaller side */
                                                         {0, 0, .08},
                                                         {.05, .2, .07},
                                                         {.08, .06, .06},
                                                         {.1, .04, .05},
                                                         {.1, .03, .03}};
    const struct sl_extent extent = sl_corrupt_extent(job);
    const double side = (double)(extent.height < extent.width ? extent.height : extent.width);
    const struct elastic share = shares[job->step];
    const struct elastic elastic = {share.strength * side, share.sigma * side, share.jitter * side};
    const size_t n_pixels = extent.height * extent.width, count = sl_extent_count(extent);
    double *values = sl_corrupt_values(job, err);
    double *room = values ? sl_data_alloc(count + 2 * n_pixels, sizeof *room, err) : NULL;
    if (!room) {
        free(values);
        return SL_ERR_NOMEM;
    }
    double *right = room + count, *down = right + n_pixels;
    warp_at_random(job, elastic.jitter, values, room);
    enum sl_status status = draw_field(job, &elastic, right, err);
    if (status == SL_OK) status = draw_field(job, &elastic, down, err);
    if (status == SL_OK) displace(job, room, down, right);
    free(room);
    free(values);
    return status;
}
