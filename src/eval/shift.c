#include "softlab/eval/shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/feed.h"
#include "softlab/nn/loss.h"

enum { DEFAULT_BATCH = 100 };

struct sl_shift_options sl_shift_options_default(void)
{
    return (struct sl_shift_options){
        .severities = {3}, .n_severities = 1, .seed = 1, .batch = DEFAULT_BATCH};
}

/* The state of one evaluation. */
struct shift {
    struct sl_model *model;
    const struct sl_shift_items *items;
    const struct sl_shift_options *options;
    struct sl_dataset corrupted; /* a view: the chosen images, in `pixels` */
    struct sl_feed *feed;
    struct sl_predictor *predictor;
    uint8_t *pixels;
    float *logits, *hard_rows;
    size_t image; /* bytes */
};

static size_t item_at(const struct sl_shift_items *items, size_t row)
{
    return items->items ? items->items[row] : row;
}

/* Corrupt the chosen images. */
static enum sl_status make_images(struct shift *shift, const struct sl_corruption *corruption,
                                  int severity, struct sl_error *err)
{
    const struct sl_shift_items *items = shift->items;
    const struct sl_corrupt_options options = {.severities = {severity},
                                               .n_severities = 1,
                                               .seed = shift->options->seed,
                                               .pool = shift->options->pool};
    return sl_corrupt_items(corruption, items->dataset, items->items, items->count, &options,
                            shift->pixels, err);
}

/* Read the chosen images from a file in the published layout. */
static enum sl_status read_images(struct shift *shift, const struct sl_corruption *corruption,
                                  int severity, struct sl_error *err)
{
    const struct sl_dataset *set = shift->items->dataset;
    char *name = sl_string_printf("%s.npy", corruption->name);
    char *path = sl_path_join(shift->options->folder, name);
    struct sl_array array = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npy_read(path, &array, err));
    SL_TRY_OUT(sl_array_expect(
        &array, path, 4,
        (size_t[]){SL_SEVERITIES * set->count, set->height, set->width, set->channels}, err));
    if (array.dtype != SL_U1) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: pixels have type %s; they must be bytes (uint8)",
                         path, sl_dtype_name(array.dtype));
        goto out;
    }
    const uint8_t *first =
        (const uint8_t *)array.data + (size_t)(severity - 1) * set->count * shift->image;
    for (size_t i = 0; i < shift->items->count; i++)
        memcpy(shift->pixels + i * shift->image, first + item_at(shift->items, i) * shift->image,
               shift->image);
out:
    sl_array_release(&array);
    free(path);
    free(name);
    return status;
}

static double mean_loss(const struct shift *shift, const float *rows)
{
    const size_t n = shift->items->count;
    const struct sl_soft_targets targets = {rows, NULL, n, sl_model_classes(shift->model)};
    return sl_soft_cross_entropy(shift->logits, &targets, 1, NULL, NULL) / (double)n;
}

static double accuracy(const struct shift *shift)
{
    const struct sl_shift_items *items = shift->items;
    return (double)sl_eval_n_right(shift->model, shift->logits, items->hard, items->count) /
           (double)items->count;
}

static enum sl_status score(struct shift *shift, const struct sl_corruption *corruption,
                            int severity, struct sl_shift_score *out, struct sl_error *err)
{
    if (shift->options->folder)
        SL_TRY(read_images(shift, corruption, severity, err));
    else
        SL_TRY(make_images(shift, corruption, severity, err));
    SL_TRY(sl_predict(shift->predictor, shift->feed, NULL, shift->items->count, NULL, shift->logits,
                      err));
    *out = (struct sl_shift_score){
        .corruption = corruption,
        .severity = severity,
        .cross_entropy = mean_loss(shift, shift->items->targets),
        .cross_entropy_hard = mean_loss(shift, shift->hard_rows),
        .accuracy = accuracy(shift),
    };
    return SL_OK;
}

static enum sl_status make_buffers(struct shift *shift, struct sl_error *err)
{
    const struct sl_shift_items *items = shift->items;
    const size_t n = items->count, n_classes = sl_model_classes(shift->model);
    const size_t row = n_classes * sizeof(float);
    shift->pixels = sl_data_alloc(n, shift->image, err);
    shift->logits = sl_data_alloc(n, row, err);
    shift->hard_rows = sl_data_alloc(n, row, err);
    if (!shift->pixels || !shift->logits || !shift->hard_rows) return SL_ERR_NOMEM;
    memset(shift->hard_rows, 0, n * row);
    for (size_t i = 0; i < n; i++)
        shift->hard_rows[i * n_classes + (size_t)items->hard[i]] = 1;
    shift->corrupted = (struct sl_dataset){
        .name = items->dataset->name,
        .count = n,
        .height = items->dataset->height,
        .width = items->dataset->width,
        .channels = items->dataset->channels,
        .pixels = shift->pixels,
    };
    SL_TRY(sl_feed_images(&shift->corrupted, &shift->feed, err));
    const size_t batch = shift->options->batch > 0 ? shift->options->batch : DEFAULT_BATCH;
    return sl_predictor_create(shift->model, shift->feed, n < batch ? n : batch, NULL,
                               shift->options->pool, &shift->predictor, err);
}

static void release(struct shift *shift)
{
    sl_predictor_destroy(shift->predictor);
    sl_feed_destroy(shift->feed);
    free(shift->pixels);
    free(shift->logits);
    free(shift->hard_rows);
}

static enum sl_status check_items(const struct sl_model *model, const struct sl_shift_items *items,
                                  const struct sl_shift_options *options, struct sl_error *err)
{
    if (!items->dataset->pixels)
        return sl_fail(err, SL_ERR_INPUT, "%s: not images; only images can be corrupted",
                       items->dataset->name);
    if (items->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "no items to corrupt: the choice of items is empty");
    for (size_t i = 0; i < items->count; i++)
        if (items->hard[i] < 0 || (size_t)items->hard[i] >= sl_model_classes(model))
            return sl_fail(err, SL_ERR_INPUT, "item %zu has no class that the network knows",
                           item_at(items, i));
    for (size_t i = 0; i < options->n_severities; i++)
        if (options->severities[i] < 1 || options->severities[i] > SL_SEVERITIES)
            return sl_fail(err, SL_ERR_USAGE, "severity %d is out of range; give 1 to %d",
                           options->severities[i], SL_SEVERITIES);
    return SL_OK;
}

/* Write a file for every requested corruption unless the folder has it. */
static enum sl_status fill_folder(const struct shift *shift, struct sl_progress *progress,
                                  struct sl_error *err)
{
    const struct sl_corruption *missing[SL_CORRUPTIONS + 1] = {NULL};
    size_t n_missing = 0;
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        if (c->extra && !shift->options->extra) continue;
        char *name = sl_string_printf("%s.npy", c->name);
        char *path = sl_path_join(shift->options->folder, name);
        if (!sl_file_exists(path)) missing[n_missing++] = c;
        free(path);
        free(name);
    }
    if (n_missing == 0) return SL_OK;
    struct sl_corrupt_options options = sl_corrupt_options_default();
    options.seed = shift->options->seed;
    options.progress = progress;
    options.pool = shift->options->pool;
    return sl_corrupt_write(shift->items->dataset, missing, &options, shift->options->folder, NULL,
                            err);
}

static void average(struct sl_shift_result *result)
{
    size_t n_main = 0;
    for (size_t i = 0; i < result->count; i++) {
        const struct sl_shift_score *score = &result->scores[i];
        result->cross_entropy_all += score->cross_entropy / (double)result->count;
        result->accuracy_all += score->accuracy / (double)result->count;
        if (score->corruption->extra) continue;
        n_main++;
        result->cross_entropy += score->cross_entropy;
        result->cross_entropy_hard += score->cross_entropy_hard;
        result->accuracy += score->accuracy;
    }
    result->cross_entropy /= (double)n_main;
    result->cross_entropy_hard /= (double)n_main;
    result->accuracy /= (double)n_main;
}

enum sl_status sl_shift(struct sl_model *model, const struct sl_shift_items *items,
                        const struct sl_shift_options *options, struct sl_progress *progress,
                        struct sl_shift_result *out, struct sl_error *err)
{
    SL_TRY(check_items(model, items, options, err));
    const struct sl_dataset *set = items->dataset;
    struct shift shift = {.model = model,
                          .items = items,
                          .options = options,
                          .image = set->height * set->width * set->channels};
    struct sl_shift_result result = {0};
    enum sl_status status = SL_OK;
    result.scores = sl_alloc((size_t)SL_CORRUPTIONS * SL_SEVERITIES, sizeof *result.scores);
    SL_TRY_OUT(make_buffers(&shift, err));
    if (options->folder) SL_TRY_OUT(fill_folder(&shift, progress, err));
    size_t n_kinds = 0;
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
        n_kinds += !c->extra || options->extra;
    sl_progress_start(progress, "corrupting", n_kinds * options->n_severities, "sets");
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        if (c->extra && !options->extra) continue;
        for (size_t s = 0; s < options->n_severities; s++) {
            SL_TRY_OUT(score(&shift, c, options->severities[s], &result.scores[result.count], err));
            sl_progress_set(progress, ++result.count);
        }
    }
    sl_progress_finish(progress);
    average(&result);
    *out = result;
    result.scores = NULL;
out:
    sl_shift_result_release(&result);
    release(&shift);
    return status;
}

void sl_shift_result_release(struct sl_shift_result *result)
{
    free(result->scores);
    *result = (struct sl_shift_result){0};
}
