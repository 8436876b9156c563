/* Corruption: the 19 corruptions of CIFAR-10-C (Hendrycks and Dietterich 2019) at five severities,
 * computed from clean images with the constants and conventions of the published program.
 *
 * Frost differs from the publication: the published program overlays photographs that we may not
 * redistribute, so the ice is drawn by a formula. Results for frost cannot be compared with
 * published tables.
 *
 * Images may have any size. Constants that the publication gives in pixels stay in pixels (blurs,
 * streaks of snow, the distance that glass moves a pixel); constants that it gives as shares of the
 * image's side (elastic_transform, pixelate, zoom_blur) scale with the image, and the map of fog is
 * as large as the image needs. A grey image stays grey: where colours matter it is converted to RGB
 * and back. */
#ifndef SOFTLAB_DATASET_CORRUPTION_H
#define SOFTLAB_DATASET_CORRUPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/dataset/image.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

enum { SL_SEVERITIES = 5, SL_CORRUPTIONS = 19 };

struct sl_dataset;
struct sl_corrupt_job; /* private: one image being corrupted */

struct sl_corruption {
    const char *name; /* as the published files are called */
    const char *summary;
    bool extra;   /* not among the 15 of the benchmark */
    bool random;  /* the result depends on the seed */
    bool colours; /* a grey image is converted to RGB and back */
    enum sl_status (*apply)(struct sl_corrupt_job *job, struct sl_error *err);
};
/* In the published order; ends with a NULL name. Help, manual and tests walk it. */
extern const struct sl_corruption sl_corruptions[];

/* The row of that name, or NULL. */
const struct sl_corruption *sl_corruption_find(const char *name);
/* The rows of "fog,snow", or of NULL all, in the table's order, NULL-ended into `out`, which holds
 * SL_CORRUPTIONS + 1. SL_ERR_USAGE names one that is unknown. */
enum sl_status sl_corruptions_choose(const char *names, const struct sl_corruption **out,
                                     struct sl_error *err) SL_MUST_USE;

/* Corrupt one image, RGB or grey, at severity 1 to 5 into `out`, which has the image's size and
 * must not be its pixels. Draws come only from the stream (seed, "corrupt.<name>", severity,
 * item). */
enum sl_status sl_corrupt(const struct sl_corruption *corruption, int severity, uint64_t seed,
                          uint64_t item, const struct sl_image *image, uint8_t *out,
                          struct sl_error *err) SL_MUST_USE;

struct sl_corrupt_options {
    int severities[SL_SEVERITIES]; /* ascending, each 1 to 5 */
    size_t n_severities;
    uint64_t seed;
    struct sl_progress *progress; /* borrowed; NULL = silent */
    struct sl_pool *pool;         /* borrowed; NULL: the calling thread alone */
};
/* All severities, seed 1, silent, the calling thread alone. */
struct sl_corrupt_options sl_corrupt_options_default(void);
/* Set severities from whole numbers of 1 to 5 in any order, repeats allowed; SL_ERR_USAGE for other
 * values. */
enum sl_status sl_corrupt_set_severities(struct sl_corrupt_options *options, const double *values,
                                         size_t count, struct sl_error *err) SL_MUST_USE;

/* Corrupt a loaded set of images at several severities into `out`, severity-major as published:
 * (n_severities * count, height, width, channels). The item of a stream is the image's index in the
 * set. */
enum sl_status sl_corrupt_dataset(const struct sl_corruption *corruption,
                                  const struct sl_dataset *dataset,
                                  const struct sl_corrupt_options *options, uint8_t *out,
                                  struct sl_error *err) SL_MUST_USE;
/* The same for `count` of its images; `items` are their indices, NULL: the first. */
enum sl_status sl_corrupt_items(const struct sl_corruption *corruption,
                                const struct sl_dataset *dataset, const size_t *items, size_t count,
                                const struct sl_corrupt_options *options, uint8_t *out,
                                struct sl_error *err) SL_MUST_USE;

/* Write <name>.npy for every corruption of the NULL-ended list, labels.npy if every image has a
 * label, and corruptions.json, which records how they were made. Files are complete or absent; a
 * file that exists for the same images, severities and seed is kept. A folder with other files is
 * refused. *n_made (may be NULL) counts the new files. */
enum sl_status sl_corrupt_write(const struct sl_dataset *dataset,
                                const struct sl_corruption *const *corruptions,
                                const struct sl_corrupt_options *options, const char *folder,
                                size_t *n_made, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
