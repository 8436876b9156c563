#include "cmd.h"

static const struct cli_argument predict_arguments[] = {
    {.name = "WEIGHTS",
     .help = "weights that softlab wrote, or a run's folder",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

static enum sl_status predict_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    struct sl_predict_job job = *(const struct sl_predict_job *)raw;
    job.weights = cli->arguments[0];
    return sl_predict_job_run(&job, &cli->workplace, err);
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
    .task = &sl_predict_task,
    .examples = predict_examples,
    .threads = true,
    .values_size = sizeof(struct sl_predict_job),
    .run = predict_run,
};
