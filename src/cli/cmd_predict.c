#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/feed/text.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/weights.h"

struct predict_values {
    const char *output, *data, *split, *array, *vectors;
    struct cli_images images;
    int64_t batch;
};

static const char *array_names(size_t index)
{
    static const char *const names[] = {"logits", "probs", NULL};
    return names[index];
}

static const struct cli_option predict_options[] = {
    {.name = "data",
     .letter = 'd',
     .kind = CLI_SOURCE,
     .value = "DATA",
     .help = "the items: a data set's name or path, as in softlab dataset",
     .offset = offsetof(struct predict_values, data),
     .choices = cli_dataset_names},
    {.name = "split",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "these items only: an index file",
     .offset = offsetof(struct predict_values, split)},
    {.name = "size",
     .kind = CLI_TEXT,
     .value = "HxW",
     .help = "bring images to this size first (default: the network's)",
     .offset = offsetof(struct predict_values, images.size)},
    CLI_CHANNELS(struct predict_values, 0),
    CLI_SKIP_BROKEN(struct predict_values, 0),
    {.name = "vectors",
     .kind = CLI_PATH,
     .value = "FILE",
     .help = "vectors (GloVe) of words that the network was not trained with",
     .offset = offsetof(struct predict_values, vectors)},
    {.name = "array",
     .kind = CLI_CHOICE,
     .value = "WHAT",
     .help = "what to write",
     .offset = offsetof(struct predict_values, array),
     .fallback = "logits",
     .choices = array_names},
    {.name = "batch",
     .letter = 'b',
     .kind = CLI_INTEGER,
     .value = "N",
     .help = "items per run of the network",
     .offset = offsetof(struct predict_values, batch),
     .fallback = "100",
     .minimum = 1,
     .maximum = 65536},
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value = "FILE",
     .help = "predictions: .npz, .npy, .csv or .json; - is CSV on the standard output",
     .offset = offsetof(struct predict_values, output),
     .suffixes = ".csv .npz .npy .json"},
    {.name = NULL},
};

static const struct cli_argument predict_arguments[] = {
    {.name = "WEIGHTS", .help = "weights that softlab wrote, or a run's folder", .kind = CLI_PATH},
    {.name = NULL},
};

static const char weights_name[] = "weights.safetensors";

enum sl_status cli_check_weights(const char *weights, const json_t *record, struct sl_error *err)
{
    const json_t *kept = json_object_get(json_object_get(record, "result"), "weights_sha256");
    char hash[SL_SHA256_TEXT];
    if (!json_is_string(kept)) return SL_OK;
    if (!sl_file_exists(weights))
        return sl_fail(err, SL_ERR_NOT_FOUND,
                       "%s is gone, though the run was finished; train again with --restart",
                       weights);
    SL_TRY(sl_sha256_file(weights, hash, err));
    if (strcmp(hash, json_string_value(kept)) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s is not what the run wrote, its checksum differs; train again with --restart",
                   weights);
}

enum sl_status cli_find_weights(const char *path, char **out, struct sl_error *err)
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
        SL_TRY_OUT(cli_check_weights(weights, record.root, err));
    }
    if (folder && !sl_file_exists(weights))
        SL_TRY_OUT(trained
                       ? sl_fail(err, SL_ERR_NOT_FOUND,
                                 "%s: the run is not finished and has no weights; train to its end",
                                 path)
                       : sl_fail(err, SL_ERR_NOT_FOUND,
                                 "%s: no run's folder, since it has neither run.json nor %s; name "
                                 "what softlab train --output wrote, or a file of weights",
                                 path, weights_name));
    *out = weights;
    weights = NULL;
out:
    sl_json_release(&record);
    free(weights);
    free(run);
    return status;
}

enum sl_status cli_open_weights(const char *path, struct sl_model **out, struct sl_error *err)
{
    char *file = NULL;
    SL_TRY(cli_find_weights(path, &file, err));
    const enum sl_status status = sl_weights_open(file, out, err);
    free(file);
    return status;
}

static void name_rows(const struct cli_feeding *feeding, struct sl_rows *rows)
{
    const struct sl_dataset *dataset = feeding->dataset;
    rows->items = sl_alloc(rows->n_rows, sizeof *rows->items);
    for (size_t i = 0; i < rows->n_rows; i++)
        rows->items[i] = sl_string_copy(dataset->items[cli_feeding_item(feeding, i)]);
    /* Nobody named the classes: neither the weights nor a set of as many. */
    if (dataset->n_classes != rows->n_classes) return;
    rows->classes = sl_alloc(rows->n_classes, sizeof *rows->classes);
    for (size_t k = 0; k < rows->n_classes; k++)
        rows->classes[k] = sl_string_copy(dataset->classes[k]);
}

enum sl_status cli_predict(struct cli *cli, struct sl_model *model,
                           const struct cli_feeding *feeding, size_t batch, struct sl_rows **out,
                           struct sl_error *err)
{
    const size_t n = cli_feeding_count(feeding);
    struct sl_rows *rows = NULL;
    struct sl_predictor *predictor = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_rows_create(n, sl_model_classes(model), &rows, err));
    name_rows(feeding, rows);
    SL_TRY_OUT(
        sl_predictor_create(model, feeding->feed, n < batch ? n : batch, NULL, &predictor, err));
    sl_predict(predictor, feeding->feed, feeding->only, n, &cli->progress, rows->values);
    *out = rows;
    rows = NULL;
out:
    sl_predictor_destroy(predictor);
    sl_rows_destroy(rows);
    return status;
}

/* The model with the words of the texts that it does not know and a file has. */
static enum sl_status learn_words(const struct cli *cli, const struct predict_values *values,
                                  struct sl_model **model, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct sl_model *wider = NULL;
    SL_TRY(sl_dataset_open(values->data, &cli->roots, &dataset, err));
    const enum sl_status status =
        sl_vocabulary_extend(*model, values->vectors, dataset, &wider, err);
    sl_dataset_destroy(dataset);
    if (status != SL_OK) return status;
    sl_model_destroy(*model);
    *model = wider;
    return SL_OK;
}

static enum sl_status predict_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct predict_values *values = raw;
    if (!values->data) return sl_fail(err, SL_ERR_USAGE, "say what to predict with --data");
    if (!values->output) return sl_fail(err, SL_ERR_USAGE, "say what to write with -o FILE");
    struct sl_model *model = NULL;
    struct cli_feeding feeding = {0};
    struct sl_rows *rows = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(cli_open_weights(cli->arguments[0], &model, err));
    if (values->vectors) SL_TRY_OUT(learn_words(cli, values, &model, err));
    SL_TRY_OUT(
        cli_feeding_for(cli, model, values->data, values->split, &values->images, &feeding, err));
    SL_TRY_OUT(cli_predict(cli, model, &feeding, (size_t)values->batch, &rows, err));
    if (strcmp(values->array, "probs") == 0)
        sl_softmax(rows->values, rows->n_rows, rows->n_classes, rows->values);
    SL_TRY_OUT(sl_rows_write(rows, values->array, values->output, err));
    char count[32];
    sl_log(&cli->log, SL_LOG_INFO, "%s: %s rows of %zu classes", cli_shown(cli, values->output),
           sl_text_count(rows->n_rows, count, sizeof count), rows->n_classes);
out:
    sl_rows_destroy(rows);
    cli_feeding_release(&feeding);
    sl_model_destroy(model);
    return status;
}

static const struct cli_example predict_examples[] = {
    {"softlab predict runs/x --data cifar10:test --split test_indices.npy -o predictions.npz",
     "logits of the items that were not trained on"},
    {"softlab predict weights.safetensors --data photos/ --array probs -o photos.csv",
     "probabilities of your own pictures, for a spreadsheet"},
    {NULL, NULL},
};

const struct cli_command cmd_predict = {
    .name = "predict",
    .also = "infer inference apply classify",
    .group = "learn",
    .summary = "weights and items to predictions",
    .description =
        "Runs a trained network over items and writes a row for each. Columns are the network's "
        "classes, named as in its weights and in their order, whatever the items are sorted into; "
        "a class of the items that the network does not know is refused.",
    .arguments = predict_arguments,
    .options = predict_options,
    .examples = predict_examples,
    .values_size = sizeof(struct predict_values),
    .run = predict_run,
};
