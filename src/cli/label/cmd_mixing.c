#include <math.h>

#include "cmd.h"

enum { FITTED = 1, GIVEN = 2 };

static void mixing_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    (void)cli;
    const struct sl_mixing_job *job = values;
    *out = isnan(job->k) ? (struct cli_mode){FITTED, .name = "fitted curves"}
                         : (struct cli_mode){GIVEN, .name = "--k"};
}

static const char *const mixing_samples[] = {"a.jsonl", "a.jsonl --k 1 --x0 1", NULL};

#define FIELD(name) .offset = offsetof(struct sl_mixing_job, name)

static const struct sl_field_row mixing_options[] = {
    {"output", SL_FIELD_OUTPUT, FIELD(output), "the fitted functions; - is standard output",
     .letter = 'o', .value = "FILE.json", .suffixes = ".json"},
    {"only", SL_FIELD_PATH, FIELD(only),
     "use only answers about the items that this text file lists, one per line", .modes = FITTED},
    {"k", SL_FIELD_NUMBER, FIELD(k),
     "with --x0: write this curve for every pair, as a control without people", .value = "K",
     .fallback = "nan", .minimum = -1e6, .maximum = 1e6, .needs = "x0"},
    {"x0", SL_FIELD_NUMBER, FIELD(x0), "with --k: the share at which the curve is one half",
     .fallback = "nan", .minimum = -1e6, .maximum = 1e6, .needs = "k"},
    {.name = NULL},
};

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
    .options = mixing_options,
    .examples = mixing_examples,
    .values_size = sizeof(struct sl_mixing_job),
    .mode = mixing_mode,
    .samples = mixing_samples,
    .run = run_mixing,
};
