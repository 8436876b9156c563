#include <stdlib.h>
#include <string.h>

#include "eval.h"

enum { LISTS = 16 };

static void eval_mode(const struct cli *cli, const void *raw, struct sl_option_mode *out)
{
    const struct eval_values *values = raw;
    if (values->list) {
        *out = (struct sl_option_mode){LISTS, .name = "--list", .alone = true};
        return;
    }
    sl_eval_task.mode(&values->job, cli->arguments, cli->n_arguments, out);
}

static const char *const eval_samples[] = {"--list",
                                           "a.npz -l b.npz",
                                           "a.npz -l b.npz --metrics accuracy,brier",
                                           "a.npz -l b.npz --metrics ece",
                                           "a.npz -l b.npz --defer 3",
                                           "a.npz b.npz -l b.npz",
                                           "w.safetensors -d shapes",
                                           "w.safetensors -d shapes -m cross_entropy",
                                           "w.safetensors --tests t.json",
                                           "w.safetensors -d shapes --dry-run",
                                           "w.safetensors --tests t.json --dry-run",
                                           NULL};

#define AT(field) .offset = offsetof(struct eval_values, field)
static const struct sl_field_row eval_options[] = {
    {"list", SL_FIELD_BOOLEAN, AT(list),
     "list the measures, where they are defined, and the attacks"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print everything as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument eval_arguments[] = {
    {.name = "PREDICTIONS",
     .help = "logits or probabilities (.npz, .npy, .csv); several files are runs of one model with "
             "other seeds",
     .kind = SL_FIELD_PATH,
     .optional = true,
     .repeated = true},
    {.name = NULL},
};

static enum sl_status show(struct cli *cli, const struct eval_values *values,
                           const struct sl_evaluation *run, struct sl_error *err)
{
    if (!values->json) {
        eval_print(run);
        return SL_OK;
    }
    json_t *value = sl_evaluation_json(run);
    json_object_set_new(value, "provenance", cli_provenance(cli));
    return cli_print_json(value, err);
}

static enum sl_status run_eval(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct eval_values *values = raw;
    struct sl_evaluation run;
    if (values->list) return eval_list(values->json, err);
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "PREDICTIONS is missing: a file");
    if (sl_eval_is_weights(cli->arguments[0])) return eval_weights(cli, values, err);
    SL_TRY(sl_evaluate_predictions(&values->job, cli->arguments, cli->n_arguments, &cli->workplace,
                                   &run, err));
    const enum sl_status status = show(cli, values, &run, err);
    sl_evaluation_release(&run);
    return status;
}

static const struct cli_example eval_examples[] = {
    {"softlab eval preds.npz --labels labels.npz", "every measure of one model"},
    {"softlab eval runs/*/preds.npz --labels labels.npz --each", "mean and interval over seeds"},
    {"softlab eval soft.npz --against hard.npz --labels labels.npz -m cross_entropy,accuracy",
     "whether one model is better than another"},
    {"softlab eval preds.npz --hard cifar10:test --bootstrap 1000 --json",
     "labels within the file, true classes from the data set"},
    {"softlab eval labels.npz --hard truth.csv", "the accuracy of an aggregation"},
    {"softlab eval runs/x --data shapes:n=500 --bootstrap 1000 --per-class",
     "a network on items, with intervals and a line per class"},
    {"softlab eval preds.npz --labels counts.npy --hard cifar10:test --defer 1,3,5 --plots figures",
     "what is gained if 1, 3 or 5 people decide the least certain items, and what it costs"},
    {"softlab eval preds.npz --labels labels.npz --plots figures",
     "reliability, confidence when right and wrong, risk against coverage"},
    {NULL, NULL},
};

const struct cli_command cmd_eval = {
    .name = "eval",
    .also = "evaluate score test metrics calibration",
    .group = "learn",
    .summary = "score predictions against people: agreement, likelihood, calibration",
    .description =
        "Scores predictions from any framework against what people said. Rows are matched by item "
        "where both files name items, otherwise in order; classes by name where both have names. "
        "Of classes that are equally probable the last by name is the first choice (the last "
        "column, where no file names its classes). "
        "Where a published definition has a quirk it keeps its name and the corrected one stands "
        "beside it; docs/internals/eval.md states each.",
    .arguments = eval_arguments,
    .task = &sl_eval_task,
    .options = eval_options,
    .examples = eval_examples,
    .threads = true,
    .values_size = sizeof(struct eval_values),
    .mode = eval_mode,
    .samples = eval_samples,
    .run = run_eval,
};
