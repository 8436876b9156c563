/* Shared by the corruptions. Values are doubles in [0, 1], channels interleaved, as in the
 * published program, so that rounding down to bytes agrees with it. */
#ifndef SOFTLAB_DATASET_CORRUPT_CORRUPT_H
#define SOFTLAB_DATASET_CORRUPT_CORRUPT_H

#include "softlab/base/random.h"
#include "softlab/dataset/corruption.h"

struct sl_corrupt_job {
    const struct sl_image *image; /* borrowed */
    uint8_t *out;                 /* borrowed; of the image's size */
    size_t step;                  /* severity - 1: the index into constants */
    struct sl_rng rng;            /* the only source of randomness */
};

/* The rows of sl_corruptions. */
enum sl_status sl_corrupt_gaussian_noise(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_shot_noise(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_impulse_noise(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_speckle_noise(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_defocus_blur(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_glass_blur(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_motion_blur(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_zoom_blur(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_gaussian_blur(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_snow(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_frost(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_fog(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_brightness(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_contrast(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_saturate(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_elastic_transform(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_pixelate(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_jpeg_compression(struct sl_corrupt_job *job, struct sl_error *err);
enum sl_status sl_corrupt_spatter(struct sl_corrupt_job *job, struct sl_error *err);

/* SL_ERR_USAGE or SL_ERR_INPUT unless the set is loaded and the severities are in order. */
enum sl_status sl_corrupt_check(const struct sl_dataset *dataset,
                                const struct sl_corrupt_options *options,
                                struct sl_error *err) SL_MUST_USE;

/* The file beside corrupted images that records how they were made; reads its severities,
 * ascending, at most SL_SEVERITIES. */
#define SL_CORRUPTION_RECORD "corruptions.json"
enum sl_status sl_corruption_severities(const char *record, size_t *severities, size_t *count,
                                        struct sl_error *err) SL_MUST_USE;

/* The size of a picture's values. */
struct sl_extent {
    size_t height, width, channels;
};
struct sl_extent sl_corrupt_extent(const struct sl_corrupt_job *job);
size_t sl_extent_count(struct sl_extent extent);

/* Bytes over 255 as the job's values, the caller's to free; NULL with SL_ERR_NOMEM. */
double *sl_corrupt_values(const struct sl_corrupt_job *job, struct sl_error *err) SL_MUST_USE;
/* Clip to [0, 1], times 255, rounded down; NaN becomes 0. */
uint8_t sl_corrupt_byte(double value);
void sl_corrupt_store(const struct sl_corrupt_job *job, const double *values);

/* Values beyond the border of the line 1 2 3 4. */
enum sl_border {
    SL_BORDER_NEAREST,    /* 1 1 | 1 2 3 4 | 4 4 */
    SL_BORDER_REFLECT,    /* 2 1 | 1 2 3 4 | 4 3 */
    SL_BORDER_REFLECT_101 /* 3 2 | 1 2 3 4 | 3 2 */
};
/* The index in [0, size) that stands for `at`. */
size_t sl_border_place(enum sl_border border, ptrdiff_t at, size_t size);

/* SciPy's Gaussian filter in place; it ends at `truncate` standard deviations. */
enum sl_status sl_corrupt_smooth(double *values, struct sl_extent extent, double sigma,
                                 double truncate, enum sl_border border,
                                 struct sl_error *err) SL_MUST_USE;

/* ImageMagick's motion blur: half a Gaussian, trailing away at `angle` degrees. */
struct sl_streak {
    double radius, sigma, angle;
};
enum { SL_STREAK_RADIUS_MAX = 16 };
enum sl_status sl_corrupt_streak(const uint8_t *in, struct sl_extent extent,
                                 const struct sl_streak *streak, uint8_t *out,
                                 struct sl_error *err) SL_MUST_USE;

/* Add to `sum` the centre of the picture, magnified `factor` >= 1 times by SciPy's linear zoom. */
enum sl_status sl_corrupt_add_zoomed(const double *in, struct sl_extent extent, double factor,
                                     double *sum, struct sl_error *err) SL_MUST_USE;

/* The ice over pixel (y, x) of texture 0 to SL_FROST_TEXTURES - 1: red, green, blue in 0 .. 255. */
enum { SL_FROST_TEXTURES = 5 };
void sl_frost_ice(size_t texture, double y, double x, double out[3]);

/* The brightness of drops of liquid, 0 to 1, from their thickness: the chain of OpenCV filters in
 * the published program. */
enum sl_status sl_corrupt_drops(const uint8_t *liquid, size_t height, size_t width, double *out,
                                struct sl_error *err) SL_MUST_USE;

/* The affine map that takes three points (x, y) to three others, and OpenCV's warp by the map from
 * places of `out` to places of `in`: steps of 1/32 pixel, reflect-101. */
struct sl_affine {
    double x[3], y[3]; /* x' = x[0] x + x[1] y + x[2] */
};
bool sl_affine_solve(const double from[3][2], const double to[3][2], struct sl_affine *out);
void sl_affine_warp(const double *in, struct sl_extent extent, const struct sl_affine *map,
                    double *out);

#endif
