/* Load every image of a data set into memory at one size, and leave out those that cannot be
 * read. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/each.h"
#include "dataset/readers/reader.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* ITU-R BT.601 luma in 16-bit fixed point, as Pillow's convert("L"). */
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

static enum sl_status change_channels(struct sl_image *image, size_t channels, struct sl_error *err)
{
    if (image->channels == channels) return SL_OK;
    struct sl_image changed;
    SL_TRY(sl_image_create(image->height, image->width, channels, &changed, err));
    size_t n_pixels = image->height * image->width;
    for (size_t i = 0; i < n_pixels; i++) {
        if (channels == 1)
            changed.pixels[i] = grey_of(image->pixels + 3 * i);
        else
            memset(changed.pixels + 3 * i, image->pixels[i], 3);
    }
    sl_image_release(image);
    *image = changed;
    return SL_OK;
}

static enum sl_status change_size(struct sl_image *image, size_t height, size_t width,
                                  struct sl_error *err)
{
    if (image->height == height && image->width == width) return SL_OK;
    struct sl_image resized;
    SL_TRY(sl_image_resize(image, height, width, &resized, err));
    sl_image_release(image);
    *image = resized;
    return SL_OK;
}

/* ---- Images that cannot be read ---- */

void sl_skipped_release(struct sl_skipped *skipped)
{
    free(skipped->items);
    *skipped = (struct sl_skipped){0};
}

/* Whether the error is due to the image file. */
static bool is_broken(enum sl_status status)
{
    return status == SL_ERR_INPUT || status == SL_ERR_NOT_FOUND || status == SL_ERR_IO;
}

/* The first few are named; in the end all are counted. */
static void note_broken(struct sl_dataset *dataset, size_t index, const char *problem,
                        struct sl_skipped *skipped)
{
    enum { MOST_NAMED = 10 };
    skipped->items = sl_resize(skipped->items, skipped->count + 1, sizeof *skipped->items);
    skipped->items[skipped->count++] = index;
    if (skipped->count <= MOST_NAMED)
        sl_dataset_note(dataset, SL_LOG_WARNING, "%s; the image was left out", problem);
}

/* Keep the items that were not skipped. The others become siblings, so that labels about them are
 * not an error. */
static enum sl_status drop_skipped(struct sl_dataset *dataset, const struct sl_skipped *skipped,
                                   struct sl_error *err)
{
    const size_t before = dataset->count;
    if (skipped->count == 0) return SL_OK;
    if (skipped->count == before)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: of its %zu image%s, none can be read; the first is %s", dataset->name,
                       before, sl_text_plural(before, "", "s"), dataset->items[0]);
    size_t *kept = sl_data_alloc(before - skipped->count, sizeof *kept, err), n_kept = 0;
    if (!kept) return SL_ERR_NOMEM;
    const size_t n_siblings = dataset->n_siblings + skipped->count;
    dataset->siblings = sl_resize(dataset->siblings, n_siblings, sizeof *dataset->siblings);
    for (size_t i = 0, next = 0; i < before; i++) {
        const bool skip = next < skipped->count && skipped->items[next] == i;
        if (!skip) kept[n_kept++] = i;
        next += skip;
    }
    for (size_t i = 0; i < skipped->count; i++)
        dataset->siblings[dataset->n_siblings++] =
            sl_string_copy(dataset->items[skipped->items[i]]);
    const enum sl_status status = sl_dataset_select(dataset, kept, n_kept, err);
    free(kept);
    if (status == SL_OK)
        sl_dataset_note(dataset, SL_LOG_WARNING,
                        "%s: %zu of %zu image%s cannot be read and %s left out", dataset->name,
                        skipped->count, before, sl_text_plural(before, "", "s"),
                        sl_text_plural(skipped->count, "was", "were"));
    return status;
}

enum sl_status sl_dataset_skip_broken(struct sl_dataset *dataset, struct sl_error *err)
{
    struct sl_skipped skipped = {0};
    struct sl_error problem = {0};
    enum sl_status status = SL_OK;
    for (size_t i = 0; dataset->files && i < dataset->count && status == SL_OK; i++) {
        struct sl_image image = {0};
        status = sl_image_read(dataset->files[i], &image, &problem);
        sl_image_release(&image);
        if (!is_broken(status)) continue;
        note_broken(dataset, i, problem.message, &skipped);
        status = SL_OK;
    }
    if (status == SL_OK)
        status = drop_skipped(dataset, &skipped, err);
    else
        sl_fail(err, status, "%s", problem.message);
    sl_skipped_release(&skipped);
    return status;
}

/* ---- Loading ---- */

/* What became of an image; neither: it has not been loaded yet. */
struct outcome {
    char *problem;    /* owned; why it was left out, or NULL */
    uint8_t channels; /* of the image as it was read; 0 until it is loaded */
};

/* Images are loaded by several threads, each into the place of its own number. */
struct loading {
    struct sl_dataset *dataset; /* borrowed */
    struct sl_load_options options;
    size_t height, width, channels; /* size of the loaded images; 0 until the first was read */
    uint8_t *pixels;                /* owned; a place for every item */
    struct outcome *outcomes;       /* owned; one for every item */
    size_t count;                   /* of items, before any is left out */
    size_t first;                   /* the image that gave the size */
    _Atomic bool widening;          /* a colour image was met while places are grey */
    size_t n_loaded, n_grey, first_grey;
    struct sl_skipped skipped; /* owned */
};

static const char *label_of(const struct sl_dataset *dataset, size_t index)
{
    return dataset->files ? dataset->files[index] : dataset->items[index];
}

/* Take unset options from the first image. */
static enum sl_status choose_form(struct loading *loading, size_t index,
                                  const struct sl_image *image, struct sl_error *err)
{
    const struct sl_load_options *options = &loading->options;
    const size_t height = options->height ? options->height : image->height;
    const size_t width = options->width ? options->width : image->width;
    const size_t channels = options->channels ? options->channels : image->channels;
    if (width > SL_IMAGE_MAX_PIXELS / height)
        return sl_fail(err, SL_ERR_USAGE, "%zu x %zu pixels are too many for one image", width,
                       height);
    loading->pixels = sl_data_alloc(loading->count, height * width * channels, err);
    if (!loading->pixels) return SL_ERR_NOMEM;
    loading->height = height;
    loading->width = width;
    loading->channels = channels;
    loading->first = index;
    return SL_OK;
}

/* A colour image among grey ones: give the grey images three equal channels. */
static enum sl_status widen(struct loading *loading, struct sl_error *err)
{
    const size_t plane = loading->height * loading->width, count = loading->count;
    uint8_t *wide = sl_data_alloc(count, 3 * plane, err);
    if (!wide) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        for (size_t p = i * plane; loading->outcomes[i].channels && p < (i + 1) * plane; p++)
            memset(wide + 3 * p, loading->pixels[p], 3);
    free(loading->pixels);
    loading->pixels = wide;
    loading->channels = 3;
    return SL_OK;
}

static enum sl_status check_size(const struct loading *loading, size_t index,
                                 const struct sl_image *image, struct sl_error *err)
{
    const struct sl_dataset *dataset = loading->dataset;
    const struct sl_load_options *options = &loading->options;
    if ((options->height || image->height == loading->height) &&
        (options->width || image->width == loading->width))
        return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s is %zu x %zu pixels but %s is %zu x %zu; give one --size for all",
                   label_of(dataset, loading->first), loading->width, loading->height,
                   label_of(dataset, index), image->width, image->height);
}

/* Convert one image to the common form. Converting to grey before resampling and to RGB after it is
 * cheapest. */
static enum sl_status take_image(struct loading *loading, size_t index, struct sl_image *image,
                                 struct sl_error *err)
{
    const uint8_t own_channels = (uint8_t)image->channels;
    if (!loading->pixels) SL_TRY(choose_form(loading, index, image, err));
    SL_TRY(check_size(loading, index, image, err));
    if (!loading->options.channels && image->channels > loading->channels) {
        atomic_store(&loading->widening, true);
        return SL_OK;
    }
    const size_t bytes = loading->height * loading->width * loading->channels;
    if (loading->channels == 1) SL_TRY(change_channels(image, 1, err));
    SL_TRY(change_size(image, loading->height, loading->width, err));
    SL_TRY(change_channels(image, loading->channels, err));
    memcpy(loading->pixels + index * bytes, image->pixels, bytes);
    loading->outcomes[index].channels = own_channels;
    return SL_OK;
}

/* Read an image; *problem is set if it is broken and to be left out. */
static enum sl_status read_image(const struct loading *loading, size_t index,
                                 struct sl_image *image, char **problem, struct sl_error *err)
{
    const struct sl_dataset *dataset = loading->dataset;
    if (!dataset->files || !loading->options.skip_broken)
        return sl_dataset_image(dataset, index, image, err);
    struct sl_error found = {0};
    const enum sl_status status = sl_image_read(dataset->files[index], image, &found);
    if (status == SL_OK) return SL_OK;
    if (!is_broken(status)) return sl_fail(err, status, "%s", found.message);
    *problem = sl_data_string(found.message, strlen(found.message), err);
    return *problem ? SL_OK : SL_ERR_NOMEM;
}

/* Load one image, unless it is loaded or all must wait for wider places. */
static enum sl_status load_one(void *context, size_t index, struct sl_error *err)
{
    struct loading *loading = context;
    struct outcome *outcome = &loading->outcomes[index];
    if (outcome->channels || outcome->problem || atomic_load(&loading->widening)) return SL_OK;
    struct sl_image image = {0};
    SL_TRY(read_image(loading, index, &image, &outcome->problem, err));
    const enum sl_status status =
        outcome->problem ? SL_OK : take_image(loading, index, &image, err);
    sl_image_release(&image);
    return status;
}

static enum sl_status load_all(struct loading *loading, struct sl_error *err)
{
    const size_t count = loading->count;
    loading->outcomes = sl_data_zeroed(count, sizeof *loading->outcomes, err);
    if (!loading->outcomes) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count && !loading->pixels; i++)
        SL_TRY(load_one(loading, i, err));
    enum sl_status status = sl_each(loading->options.pool, count, load_one, loading, NULL, err);
    if (!atomic_load(&loading->widening)) return status;
    /* Images before the one that failed may have waited, so that its error is not yet the first. */
    SL_TRY(widen(loading, err));
    atomic_store(&loading->widening, false);
    return sl_each(loading->options.pool, count, load_one, loading, NULL, err);
}

/* Close the gaps of images that were left out, and note these. */
static void close_gaps(struct loading *loading)
{
    const size_t bytes = loading->height * loading->width * loading->channels;
    for (size_t i = 0; i < loading->count; i++) {
        const struct outcome *outcome = &loading->outcomes[i];
        if (outcome->problem) {
            note_broken(loading->dataset, i, outcome->problem, &loading->skipped);
            continue;
        }
        if (outcome->channels == 1 && loading->n_grey++ == 0) loading->first_grey = i;
        if (loading->n_loaded < i)
            memcpy(loading->pixels + loading->n_loaded * bytes, loading->pixels + i * bytes, bytes);
        loading->n_loaded++;
    }
}

static void release(struct loading *loading)
{
    for (size_t i = 0; loading->outcomes && i < loading->count; i++)
        free(loading->outcomes[i].problem);
    free(loading->outcomes);
    free(loading->pixels);
    sl_skipped_release(&loading->skipped);
}

static void note_grey(const struct loading *loading)
{
    if (loading->options.channels || loading->channels != 3 || loading->n_grey == 0) return;
    const bool one = loading->n_grey == 1;
    sl_dataset_note(
        loading->dataset, SL_LOG_INFO,
        "%s: %zu of %zu images %s grey, %s%s, and %s read as colour; --channels 1 reads "
        "all as grey",
        loading->dataset->name, loading->n_grey, loading->n_loaded, one ? "is" : "are",
        one ? "" : "such as ", loading->dataset->items[loading->first_grey], one ? "was" : "were");
}

static void replace_content(struct loading *loading)
{
    struct sl_dataset *dataset = loading->dataset;
    free(dataset->pixels);
    sl_strings_destroy(dataset->files, dataset->count);
    dataset->files = NULL;
    dataset->pixels = loading->pixels;
    dataset->height = loading->height;
    dataset->width = loading->width;
    dataset->channels = loading->channels;
    loading->pixels = NULL;
}

/* Whether the images in memory already have the requested form. */
static bool fits(const struct sl_dataset *dataset, const struct sl_load_options *wanted)
{
    return dataset->pixels && (!wanted->height || wanted->height == dataset->height) &&
           (!wanted->width || wanted->width == dataset->width) &&
           (!wanted->channels || wanted->channels == dataset->channels);
}

enum sl_status sl_dataset_load_with(struct sl_dataset *dataset,
                                    const struct sl_load_options *options,
                                    struct sl_skipped *skipped, struct sl_error *err)
{
    if (options->channels > 3 || options->channels == 2)
        return sl_fail(err, SL_ERR_USAGE, "an image has 1 or 3 channels, not %zu",
                       options->channels);
    if (fits(dataset, options)) return SL_OK;
    if (dataset->count == 0) return sl_fail(err, SL_ERR_USAGE, "%s has no items", dataset->name);
    struct loading loading = {.dataset = dataset, .options = *options, .count = dataset->count};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(load_all(&loading, err));
    close_gaps(&loading);
    note_grey(&loading);
    SL_TRY_OUT(drop_skipped(dataset, &loading.skipped, err));
    replace_content(&loading);
    if (skipped) {
        *skipped = loading.skipped;
        loading.skipped = (struct sl_skipped){0};
    }
out:
    release(&loading);
    return status;
}

enum sl_status sl_dataset_load(struct sl_dataset *dataset, size_t height, size_t width,
                               size_t channels, struct sl_error *err)
{
    const struct sl_load_options options = {.height = height, .width = width, .channels = channels};
    return sl_dataset_load_with(dataset, &options, NULL, err);
}
