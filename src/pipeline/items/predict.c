#include "softlab/base/memory.h"
#include "softlab/pipeline/options.h"
#include "softlab/pipeline/weights.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/text.h"
#include "softlab/feed/text.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/weights.h"
#include "softlab/pipeline/exchange.h"

static const char weights_name[] = "weights.safetensors";

enum sl_status sl_run_check_weights(const char *weights, const json_t *record, struct sl_error *err)
{
    const json_t *kept = json_object_get(json_object_get(record, "result"), "weights_sha256");
    char hash[SL_SHA256_TEXT];
    if (!json_is_string(kept)) return SL_OK;
    if (!sl_file_exists(weights))
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s is missing although the run is finished; train again with --restart",
                       weights);
    SL_TRY(sl_sha256_file(weights, hash, err));
    if (strcmp(hash, json_string_value(kept)) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: the checksum differs from that in run.json; train again with --restart",
                   weights);
}

enum sl_status sl_run_find_weights(const char *path, char **out, struct sl_error *err)
{
    enum { RECORD_LIMIT = 1 << 24 };
    const char *name = sl_path_name(path);
    const bool folder = sl_folder_exists(path);
    if (!folder && strcmp(name, weights_name) != 0) {
        *out = sl_string_copy(path);
        return SL_OK;
    }
    char *weights = folder ? sl_path_join(path, weights_name) : sl_string_copy(path);
    char *run = folder ? sl_path_join(path, "run.json")
                       : sl_string_printf("%.*srun.json", (int)(name - path), path);
    struct sl_json record = {0};
    enum sl_status status = SL_OK;
    const bool trained = sl_file_exists(run);
    if (trained) {
        SL_TRY_OUT(sl_json_read(run, RECORD_LIMIT, &record, err));
        SL_TRY_OUT(sl_run_check_weights(weights, record.root, err));
    }
    if (folder && !sl_file_exists(weights))
        SL_TRY_OUT(trained
                       ? sl_fail(err, SL_ERR_NOT_FOUND,
                                 "%s: the run is not finished and has no weights; train to its end",
                                 path)
                       : sl_fail(err, SL_ERR_NOT_FOUND,
                                 "%s: is not a run's folder, it has neither run.json nor %s; give "
                                 "the folder that softlab train --output wrote, or a weights file",
                                 path, weights_name));
    *out = weights;
    weights = NULL;
out:
    sl_json_release(&record);
    free(weights);
    free(run);
    return status;
}

enum sl_status sl_run_open_weights(const char *path, struct sl_model **out, struct sl_error *err)
{
    char *file = NULL;
    SL_TRY(sl_run_find_weights(path, &file, err));
    const enum sl_status status = sl_weights_open(file, out, err);
    free(file);
    return status;
}

static void name_rows(const struct sl_feeding *feeding, struct sl_rows *rows)
{
    const struct sl_dataset *dataset = feeding->dataset;
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(dataset->items[sl_feeding_item(feeding, i)]);
    /* Classes stay unnamed if neither the weights nor a data set with as many classes names
     * them. */
    if (dataset->n_classes != rows->n_classes) return;
    rows->classes = sl_alloc(rows->n_classes, sizeof *rows->classes);
    for (size_t k = 0; k < rows->n_classes; k++)
        rows->classes[k] = sl_string_copy(dataset->classes[k]);
}

enum sl_status sl_predict_items(const struct sl_workplace *workplace, struct sl_model *model,
                                const struct sl_feeding *feeding, size_t batch,
                                struct sl_rows **out, struct sl_error *err)
{
    const size_t n = sl_feeding_count(feeding);
    struct sl_rows *rows = NULL;
    struct sl_predictor *predictor = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_rows_create(n, sl_model_classes(model), &rows, err));
    name_rows(feeding, rows);
    SL_TRY_OUT(sl_predictor_create(model, feeding->feed, n < batch ? n : batch, NULL,
                                   workplace->pool, &predictor, err));
    SL_TRY_OUT(sl_predict(predictor, feeding->feed, feeding->only, n, workplace->progress,
                          rows->values, err));
    *out = rows;
    rows = NULL;
out:
    sl_predictor_destroy(predictor);
    sl_rows_destroy(rows);
    return status;
}

/* Give the model vectors for words that it does not know and the file has. */
static enum sl_status learn_words(const struct sl_workplace *workplace,
                                  const struct sl_predict_job *job, struct sl_model **model,
                                  struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct sl_model *wider = NULL;
    SL_TRY(sl_dataset_open(job->data, &workplace->roots, &dataset, err));
    const enum sl_status status = sl_vocabulary_extend(*model, job->vectors, dataset, &wider, err);
    sl_dataset_destroy(dataset);
    if (status != SL_OK) return status;
    sl_model_destroy(*model);
    *model = wider;
    return SL_OK;
}

static const char *array_names(size_t index)
{
    static const char *const names[] = {"logits", "probs", NULL}; /* enum sl_predicted_array */
    return names[index];
}

#define FIELD(name) .offset = offsetof(struct sl_predict_job, name)
const struct sl_field_row sl_predict_job_options[] = {
    {"data", SL_FIELD_SOURCE, FIELD(data),
     "the items: a data set's name or path, as in softlab dataset", .letter = 'd', .value = "DATA",
     .names = sl_dataset_names},
    {"split", SL_FIELD_PATH, FIELD(split), "these items only: an index file"},
    SL_OPTION_IMAGE_SIZE(struct sl_predict_job,
                         "resize images to this size (default: the network's)", 0),
    SL_OPTION_CHANNELS(struct sl_predict_job, 0),
    SL_OPTION_SKIP_BROKEN(struct sl_predict_job, 0),
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors (GloVe) for words that were not in the training data"},
    {"array", SL_FIELD_ENUM, FIELD(array), "what to write", .value = "WHAT", .fallback = "logits",
     .names = array_names},
    {"batch", SL_FIELD_COUNT, FIELD(batch), "items per forward pass", .letter = 'b',
     .fallback = "100", .minimum = 1, .maximum = 65536},
    {"output", SL_FIELD_OUTPUT, FIELD(output),
     "predictions: .npz, .npy, .csv or .json; - is CSV on the standard output", .letter = 'o',
     .suffixes = ".csv .npz .npy .json"},
    {.name = NULL},
};
#undef FIELD

struct sl_predict_job sl_predict_job_default(void)
{
    struct sl_predict_job job = {0};
    sl_fields_set_defaults(sl_predict_job_options, &job);
    return job;
}

static enum sl_status write_predictions(const struct sl_workplace *workplace,
                                        const struct sl_predict_job *job,
                                        const struct sl_rows *rows, struct sl_error *err)
{
    const char *array = job->array == SL_PREDICTED_PROBABILITIES ? "probs" : "logits";
    char count[32];
    SL_TRY(sl_rows_write(rows, array, job->output, err));
    sl_log(workplace->log, SL_LOG_INFO, "%s: %s row%s of %zu class%s",
           sl_workplace_shown(workplace, job->output),
           sl_text_count(rows->n_rows, count, sizeof count), sl_text_plural(rows->n_rows, "", "s"),
           rows->n_classes, sl_text_plural(rows->n_classes, "", "es"));
    return SL_OK;
}

enum sl_status sl_predict_job_run(const struct sl_predict_job *job,
                                  const struct sl_workplace *workplace, struct sl_error *err)
{
    if (!job->weights) return sl_fail(err, SL_ERR_USAGE, "WEIGHTS is missing");
    if (!job->data) return sl_fail(err, SL_ERR_USAGE, "say what to predict with --data");
    struct sl_exchange *exchange = workplace->exchange;
    if (!job->output && !exchange)
        return sl_fail(err, SL_ERR_USAGE, "say what to write with -o FILE");
    struct sl_model *model = NULL;
    struct sl_feeding feeding = {0};
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_run_open_weights(job->weights, &model, err));
    if (job->vectors) SL_TRY_OUT(learn_words(workplace, job, &model, err));
    SL_TRY_OUT(
        sl_feeding_for(workplace, model, job->data, job->split, &job->images, &feeding, err));
    SL_TRY_OUT(sl_predict_items(workplace, model, &feeding, job->batch, &rows, err));
    if (job->array == SL_PREDICTED_PROBABILITIES)
        sl_softmax(rows->values, rows->n_rows, rows->n_classes, rows->values);
    if (job->output) SL_TRY_OUT(write_predictions(workplace, job, rows, err));
    if (exchange) {
        exchange->rows = rows;
        rows = NULL;
    }
out:
    sl_rows_destroy(rows);
    sl_feeding_release(&feeding);
    sl_model_destroy(model);
    return status;
}

static enum sl_status run_prediction(const void *raw, const struct sl_task_call *call,
                                     json_t **result, struct sl_error *err)
{
    (void)result;
    struct sl_predict_job job = *(const struct sl_predict_job *)raw;
    job.weights = call->n_arguments > 0 ? call->arguments[0] : NULL;
    return sl_predict_job_run(&job, call->workplace, err);
}

const struct sl_task sl_predict_task = {
    .name = "predict",
    .options = sl_predict_job_options,
    .size = sizeof(struct sl_predict_job),
    .most_arguments = 1,
    .run = run_prediction,
};
