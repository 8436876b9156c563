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

static const struct cli_option mixing_options[] = {
    {"output", 'o', CLI_OUTPUT, "FILE.json", "where the functions go; - is the standard output",
     FIELD(output), .suffixes = ".json"},
    {"only", 0, CLI_PATH, "FILE",
     "fit the answers about the items that this text file lists, one per line; without it all",
     FIELD(only), .modes = FITTED},
    {"k", 0, CLI_REAL, "K", "with --x0: this curve for every pair, the control without people",
     FIELD(k), NULL, -1e6, 1e6, .needs = "x0"},
    {"x0", 0, CLI_REAL, "X", "with --k: where that curve is one half", FIELD(x0), NULL, -1e6, 1e6,
     .needs = "k"},
    {.name = NULL},
};

static const struct cli_argument mixing_arguments[] = {
    {.name = "ANSWERS",
     .help = "mixing answers, as softlab import --from hmix writes them",
     .kind = CLI_PATH},
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
    .summary = "how people see mixtures of two classes, as logistic curves",
    .description =
        "Fits tau(l) = 1 / (1 + exp(-k (l - x0))) to the shares people inferred, for each pair of "
        "classes (thesis, appendix C). Where a fit fails the identity stands.",
    .arguments = mixing_arguments,
    .options = mixing_options,
    .examples = mixing_examples,
    .values_size = sizeof(struct sl_mixing_job),
    .mode = mixing_mode,
    .samples = mixing_samples,
    .run = run_mixing,
};
