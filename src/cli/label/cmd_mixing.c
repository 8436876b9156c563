#include "cmd.h"

static const char *const mixing_samples[] = {"a.jsonl", "a.jsonl --k 1 --x0 1", NULL};

static const struct cli_argument mixing_arguments[] = {
    {.name = "ANSWERS",
     .help = "mixing answers, as softlab import --from hmix writes them",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

static enum sl_status run_mixing(struct cli *cli, const void *values, struct sl_error *err)
{
    struct sl_mixing_job job = *(const struct sl_mixing_job *)values;
    job.answers = cli->arguments[0];
    return sl_mixing_job_run(&job, &cli->workplace, err);
}

static const struct cli_example mixing_examples[] = {
    {"softlab mixing hmix.jsonl -o mixing.json", "a curve for every pair of classes"},
    {"softlab mixing hmix.jsonl --only @hmix/thesis_810_filenames.txt -o mixing.json",
     "the same from the thesis's own 1,908 answers"},
    {NULL, NULL},
};

const struct cli_command cmd_mixing = {
    .name = "mixing",
    .group = "label",
    .summary = "fit how people see mixtures of two classes, as logistic curves",
    .description =
        "Fits tau(l) = 1 / (1 + exp(-k (l - x0))) to the shares that people inferred, for each "
        "pair of classes (thesis, appendix C). Where a fit fails, the identity is written.",
    .arguments = mixing_arguments,
    .task = &sl_mixing_task,
    .examples = mixing_examples,
    .values_size = sizeof(struct sl_mixing_job),
    .samples = mixing_samples,
    .run = run_mixing,
};
