#include <string.h>

#include "cmd.h"

struct predict_values {
    struct sl_predict_job job; /* first, so that its offsets are those of the values */
    const char *array;
};
_Static_assert(offsetof(struct predict_values, job) == 0, "options name fields of the job");

static const char *array_names(size_t index)
{
    static const char *const names[] = {"logits", "probs", NULL};
    return names[index];
}

#define OF_JOB(field) .offset = offsetof(struct sl_predict_job, field)
#define AT(field)     .offset = offsetof(struct predict_values, field)
static const struct sl_field_row predict_options[] = {
    {"data", SL_FIELD_SOURCE, OF_JOB(data),
     "the items: a data set's name or path, as in softlab dataset", .letter = 'd', .value = "DATA",
     .names = sl_dataset_names},
    {"split", SL_FIELD_PATH, OF_JOB(split), "these items only: an index file"},
    SL_OPTION_IMAGE_SIZE(struct sl_predict_job,
                         "resize images to this size (default: the network's)", 0),
    SL_OPTION_CHANNELS(struct sl_predict_job, 0),
    SL_OPTION_SKIP_BROKEN(struct sl_predict_job, 0),
    {"vectors", SL_FIELD_PATH, OF_JOB(vectors),
     "word vectors (GloVe) for words that were not in the training data"},
    {"array", SL_FIELD_CHOICE, AT(array), "what to write", .value = "WHAT", .fallback = "logits",
     .names = array_names},
    {"batch", SL_FIELD_COUNT, OF_JOB(batch), "items per forward pass", .letter = 'b',
     .fallback = "100", .minimum = 1, .maximum = 65536},
    {"output", SL_FIELD_OUTPUT, OF_JOB(output),
     "predictions: .npz, .npy, .csv or .json; - is CSV on the standard output", .letter = 'o',
     .suffixes = ".csv .npz .npy .json"},
    {.name = NULL},
};
#undef OF_JOB
#undef AT

static const struct cli_argument predict_arguments[] = {
    {.name = "WEIGHTS",
     .help = "weights that softlab wrote, or a run's folder",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

static enum sl_status predict_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    struct predict_values values = *(const struct predict_values *)raw;
    values.job.weights = cli->arguments[0];
    values.job.probabilities = strcmp(values.array, "probs") == 0;
    return sl_predict_job_run(&values.job, &cli->workplace, err);
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
    .summary = "run a trained network over items",
    .description = "Runs a trained network over items and writes a row for each. The columns are "
                   "the network's classes, in its order. An item of a class that the network does "
                   "not know is an error.",
    .arguments = predict_arguments,
    .options = predict_options,
    .examples = predict_examples,
    .values_size = sizeof(struct predict_values),
    .run = predict_run,
};
