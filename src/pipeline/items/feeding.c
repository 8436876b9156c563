#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/feed/text.h"
#include "softlab/pipeline/items.h"

const char *sl_feeding_unit(const struct sl_feeding *feeding)
{
    return sl_dataset_unit(feeding->dataset);
}

/* Adjust the split's indices after items were left out. */
static enum sl_status follow(struct sl_feeding *feeding, const struct sl_skipped *skipped,
                             struct sl_error *err)
{
    size_t n_left = 0;
    for (size_t i = 0; i < feeding->n_only; i++) {
        size_t before = 0;
        while (before < skipped->count && skipped->items[before] < feeding->only[i])
            before++;
        if (before < skipped->count && skipped->items[before] == feeding->only[i]) continue;
        feeding->only[n_left++] = feeding->only[i] - before;
    }
    feeding->n_only = n_left;
    if (n_left > 0 || !feeding->only) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: none of the images of the split can be read",
                   feeding->dataset->name);
}

static enum sl_status make_feed(const struct sl_workplace *workplace, struct sl_feeding *feeding,
                                const struct sl_load_options *images, struct sl_error *err)
{
    struct sl_dataset *dataset = feeding->dataset;
    SL_TRY(sl_load_options_check(images, dataset, err));
    if (dataset->texts) return SL_OK;
    if (dataset->features)
        return sl_feed_features(dataset->features, dataset->count, dataset->n_features,
                                &feeding->feed, err);
    struct sl_skipped skipped = {0};
    SL_TRY(sl_workplace_load_images(workplace, images, dataset, &skipped, err));
    const enum sl_status status = follow(feeding, &skipped, err);
    sl_skipped_release(&skipped);
    return status == SL_OK ? sl_feed_images(dataset, &feeding->feed, err) : status;
}

enum sl_status sl_dataset_check_part(const struct sl_dataset *dataset, struct sl_error *err)
{
    if (!dataset->parts) return SL_OK;
    const char *last = strrchr(dataset->parts, ' ');
    return sl_fail(err, SL_ERR_USAGE, "%s: has the parts %s; name one, as %s:%s", dataset->name,
                   dataset->parts, dataset->name, last ? last + 1 : dataset->parts);
}

static enum sl_status open_items(const struct sl_workplace *workplace, const char *data,
                                 const char *split, bool part, struct sl_feeding *out,
                                 struct sl_error *err)
{
    struct sl_feeding feeding = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dataset_open(data, &workplace->roots, &feeding.dataset, err));
    if (part) SL_TRY_OUT(sl_dataset_check_part(feeding.dataset, err));
    sl_dataset_tell(feeding.dataset, workplace->log);
    if (split) {
        SL_TRY_OUT(
            sl_split_read(split, feeding.dataset->count, &feeding.only, &feeding.n_only, err));
        if (feeding.n_only == 0) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: an empty split", split);
            goto out;
        }
    }
    *out = feeding;
    return SL_OK;
out:
    sl_feeding_release(&feeding);
    return status;
}

enum sl_status sl_feeding_open(const struct sl_workplace *workplace, const char *data,
                               const char *split, const struct sl_load_options *images, bool part,
                               struct sl_feeding *out, struct sl_error *err)
{
    struct sl_feeding feeding = {0};
    SL_TRY(open_items(workplace, data, split, part, &feeding, err));
    const enum sl_status status = make_feed(workplace, &feeding, images, err);
    if (status == SL_OK)
        *out = feeding;
    else
        sl_feeding_release(&feeding);
    return status;
}

enum sl_status sl_feeding_read(const struct sl_workplace *workplace,
                               const struct sl_vocabulary *vocabulary, struct sl_feeding *feeding,
                               struct sl_error *err)
{
    if (!feeding->dataset || feeding->feed) return SL_OK;
    SL_TRY(sl_feed_text(feeding->dataset, vocabulary, &feeding->feed, err));
    const struct sl_text_notes notes = sl_feed_text_notes(feeding->feed);
    const double all = (double)(notes.n_items ? notes.n_items : 1);
    sl_log(workplace->log, SL_LOG_INFO,
           "%s: words without a vector: %.1f %%, with a letter outside the alphabet: %zu, cut: %zu",
           feeding->dataset->name, 100 * (double)notes.unknown_words / all, notes.unknown_letters,
           notes.cut);
    return SL_OK;
}

/* The kind of items that a network reads, named as in sl_feeding_unit. */
static const char *reads(const struct sl_input_shape *shape)
{
    if (shape->tokens > 0) return "texts";
    return shape->height * shape->width == 1 ? "rows" : "images";
}

static enum sl_status check_shape(const struct sl_feeding *feeding, const struct sl_model *model,
                                  struct sl_error *err)
{
    const struct sl_input_shape want = sl_model_input(model), have = sl_feed_shape(feeding->feed);
    const char *name = feeding->dataset->name;
    if (sl_feeding_count(feeding) == 0) return sl_fail(err, SL_ERR_INPUT, "%s: has no items", name);
    if (want.channels == have.channels && want.height == have.height && want.width == have.width)
        return SL_OK;
    const bool colour = feeding->dataset->pixels && have.channels == 3 && want.channels == 1;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: %s of %zux%zux%zu for a network that reads %zux%zux%zu%s", name,
                   sl_feeding_unit(feeding), have.channels, have.height, have.width, want.channels,
                   want.height, want.width, colour ? "; --channels 1 makes them grey" : "");
}

/* Make the feed of a model with the model's classes. Images get the model's size unless one is
 * typed, and grey images get three channels if the model has three, which loses nothing. Texts are
 * read with the model's vocabulary. */
static enum sl_status fit(const struct sl_workplace *workplace, const struct sl_model *model,
                          const struct sl_load_options *typed, struct sl_feeding *feeding,
                          struct sl_error *err)
{
    const struct sl_input_shape want = sl_model_input(model);
    const struct sl_dataset *dataset = feeding->dataset;
    if (strcmp(sl_feeding_unit(feeding), reads(&want)) != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: %s for a network that reads %s", dataset->name,
                       sl_feeding_unit(feeding), reads(&want));
    SL_TRY(sl_feeding_match_model(workplace, model, feeding, err));
    struct sl_load_options images = *typed;
    SL_TRY(sl_load_options_check(typed, dataset, err));
    if ((dataset->pixels || dataset->files) && want.height * want.width > 1) {
        if (images.height == 0) images.height = want.height, images.width = want.width;
        if (images.channels == 0 && want.channels == 3) images.channels = 3;
    }
    SL_TRY(make_feed(workplace, feeding, &images, err));
    if (want.tokens > 0) {
        struct sl_vocabulary *vocabulary = NULL;
        SL_TRY(sl_vocabulary_of_model(model, &vocabulary, err));
        const enum sl_status status = sl_feeding_read(workplace, vocabulary, feeding, err);
        sl_vocabulary_destroy(vocabulary);
        if (status != SL_OK) return status;
    }
    return check_shape(feeding, model, err);
}

enum sl_status sl_feeding_for(const struct sl_workplace *workplace, const struct sl_model *model,
                              const char *data, const char *split,
                              const struct sl_load_options *images, struct sl_feeding *out,
                              struct sl_error *err)
{
    struct sl_feeding feeding = {0};
    SL_TRY(open_items(workplace, data, split, true, &feeding, err));
    const enum sl_status status = fit(workplace, model, images, &feeding, err);
    if (status == SL_OK)
        *out = feeding;
    else
        sl_feeding_release(&feeding);
    return status;
}

void sl_feeding_release(struct sl_feeding *feeding)
{
    sl_feed_destroy(feeding->feed);
    sl_dataset_destroy(feeding->dataset);
    free(feeding->only);
    free(feeding->columns);
    *feeding = (struct sl_feeding){0};
}

size_t sl_feeding_count(const struct sl_feeding *feeding)
{
    return feeding->only ? feeding->n_only : feeding->dataset->count;
}

size_t sl_feeding_item(const struct sl_feeding *feeding, size_t index)
{
    return feeding->only ? feeding->only[index] : index;
}
