#include "dataset/corrupt/corrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/each.h"
#include "softlab/base/memory.h"
#include "softlab/dataset.h"

const struct sl_corruption sl_corruptions[] = {
    {"gaussian_noise", "noise of equal strength everywhere, as in poor light", false, true, false,
     sl_corrupt_gaussian_noise},
    {"shot_noise", "noise of counting few photons (Poisson)", false, true, false,
     sl_corrupt_shot_noise},
    {"impulse_noise", "single values replaced by black or white", false, true, false,
     sl_corrupt_impulse_noise},
    {"defocus_blur", "blur by a disk, as of a lens out of focus", false, false, false,
     sl_corrupt_defocus_blur},
    {"glass_blur", "pixels replaced by a neighbour, as behind frosted glass", false, true, false,
     sl_corrupt_glass_blur},
    {"motion_blur", "blur along a line in a random direction", false, true, false,
     sl_corrupt_motion_blur},
    {"zoom_blur", "the mean of magnified images, as if the camera moved closer", false, false,
     false, sl_corrupt_zoom_blur},
    {"snow", "a whitened image under falling snow", false, true, true, sl_corrupt_snow},
    {"frost", "ice over the image; drawn by a formula, not the published photographs", false, true,
     true, sl_corrupt_frost},
    {"fog", "a plasma fractal over the image", false, true, false, sl_corrupt_fog},
    {"brightness", "a larger value in HSV", false, false, true, sl_corrupt_brightness},
    {"contrast", "values moved towards the mean of their channel", false, false, false,
     sl_corrupt_contrast},
    {"elastic_transform", "a random affine map, then small random displacements", false, true,
     false, sl_corrupt_elastic_transform},
    {"pixelate", "shrunk to fewer pixels, then enlarged", false, false, false, sl_corrupt_pixelate},
    {"jpeg_compression", "saved as a JPEG of low quality", false, false, false,
     sl_corrupt_jpeg_compression},
    {"speckle_noise", "noise in proportion to the value", true, true, false,
     sl_corrupt_speckle_noise},
    {"gaussian_blur", "a Gaussian filter", true, false, false, sl_corrupt_gaussian_blur},
    {"spatter", "drops of water; from severity 4, of mud", true, true, true, sl_corrupt_spatter},
    {"saturate", "lower saturation in HSV at first, higher at greater severities", true, false,
     true, sl_corrupt_saturate},
    {NULL, NULL, false, false, false, NULL},
};
_Static_assert(sizeof sl_corruptions / sizeof *sl_corruptions == SL_CORRUPTIONS + 1,
               "a row per corruption");

const struct sl_corruption *sl_corruption_find(const char *name)
{
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

/* Pillow's weights for grey: equal channels keep their value. */
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16);
}

static enum sl_status apply_in_colour(const struct sl_corruption *corruption,
                                      struct sl_corrupt_job *job, struct sl_error *err)
{
    const struct sl_image *grey = job->image;
    uint8_t *target = job->out;
    const size_t n_pixels = grey->height * grey->width;
    uint8_t *coloured = sl_data_alloc(6, n_pixels, err);
    if (!coloured) return SL_ERR_NOMEM;
    const struct sl_image image = {grey->height, grey->width, 3, coloured};
    for (size_t i = 0; i < n_pixels; i++)
        memset(coloured + 3 * i, grey->pixels[i], 3);
    job->image = &image;
    job->out = coloured + 3 * n_pixels;
    enum sl_status status = corruption->apply(job, err);
    for (size_t i = 0; status == SL_OK && i < n_pixels; i++)
        target[i] = grey_of(job->out + 3 * i);
    free(coloured);
    return status;
}

enum sl_status sl_corrupt(const struct sl_corruption *corruption, int severity, uint64_t seed,
                          uint64_t item, const struct sl_image *image, uint8_t *out,
                          struct sl_error *err)
{
    if (severity < 1 || severity > SL_SEVERITIES)
        return sl_fail(err, SL_ERR_USAGE, "%s: severity is %d, expected 1 to %d", corruption->name,
                       severity, SL_SEVERITIES);
    if (image->height == 0 || image->width == 0 || (image->channels != 1 && image->channels != 3))
        return sl_fail(err, SL_ERR_USAGE, "%s: cannot corrupt an image of %zux%zux%zu",
                       corruption->name, image->width, image->height, image->channels);
    struct sl_corrupt_job job = {.image = image, .out = out, .step = (size_t)severity - 1};
    char purpose[64];
    snprintf(purpose, sizeof purpose, "corrupt.%s", corruption->name);
    sl_rng_init(&job.rng, seed, purpose, (uint64_t)severity, item);
    if (corruption->colours && image->channels == 1) return apply_in_colour(corruption, &job, err);
    return corruption->apply(&job, err);
}

struct sl_corrupt_options sl_corrupt_options_default(void)
{
    return (struct sl_corrupt_options){
        .severities = {1, 2, 3, 4, 5}, .n_severities = SL_SEVERITIES, .seed = 1};
}

enum sl_status sl_corrupt_check(const struct sl_dataset *dataset,
                                const struct sl_corrupt_options *options, struct sl_error *err)
{
    if (!dataset->pixels)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: only images that are loaded at one size can be corrupted",
                       dataset->name);
    bool good = options->n_severities >= 1 && options->n_severities <= SL_SEVERITIES;
    for (size_t i = 0; good && i < options->n_severities; i++) {
        int least = i ? options->severities[i - 1] + 1 : 1;
        good = options->severities[i] >= least && options->severities[i] <= SL_SEVERITIES;
    }
    if (good) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "expected severities from 1 to %d, ascending, each once",
                   SL_SEVERITIES);
}

struct corrupting {
    const struct sl_corruption *corruption;
    const struct sl_dataset *dataset;
    const size_t *items; /* NULL: the first `count` */
    size_t count, bytes; /* images at each severity, and the size of one */
    const struct sl_corrupt_options *options;
    uint8_t *out;
};

/* Draws are named by item and severity, so that it does not matter which thread does an image. */
static enum sl_status corrupt_one(void *context, size_t index, struct sl_error *err)
{
    const struct corrupting *all = context;
    const struct sl_dataset *set = all->dataset;
    const size_t row = index % all->count, item = all->items ? all->items[row] : row;
    const struct sl_image image = {set->height, set->width, set->channels,
                                   set->pixels + item * all->bytes};
    return sl_corrupt(all->corruption, all->options->severities[index / all->count],
                      all->options->seed, item, &image, all->out + index * all->bytes, err);
}

enum sl_status sl_corrupt_items(const struct sl_corruption *corruption,
                                const struct sl_dataset *dataset, const size_t *items, size_t count,
                                const struct sl_corrupt_options *options, uint8_t *out,
                                struct sl_error *err)
{
    SL_TRY(sl_corrupt_check(dataset, options, err));
    struct corrupting all = {.corruption = corruption,
                             .dataset = dataset,
                             .items = items,
                             .count = count,
                             .bytes = dataset->height * dataset->width * dataset->channels,
                             .options = options,
                             .out = out};
    const size_t n_images = options->n_severities * count;
    sl_progress_start(options->progress, corruption->name, n_images, "images");
    SL_TRY(sl_each(options->pool, n_images, corrupt_one, &all, options->progress, err));
    sl_progress_set(options->progress, n_images);
    sl_progress_finish(options->progress);
    return SL_OK;
}

enum sl_status sl_corrupt_dataset(const struct sl_corruption *corruption,
                                  const struct sl_dataset *dataset,
                                  const struct sl_corrupt_options *options, uint8_t *out,
                                  struct sl_error *err)
{
    return sl_corrupt_items(corruption, dataset, NULL, dataset->count, options, out, err);
}
