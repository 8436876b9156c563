#include <stdlib.h>

#include "cmd.h"
#include "softlab/label/mixing.h"

struct mixing_values {
    const char *output;
    double k;
    double x0;
};

#define FIELD(name) .offset = offsetof(struct mixing_values, name)

static const struct cli_option mixing_options[] = {
    {"output", 'o', CLI_OUTPUT, "FILE.json", "where the functions go; - is the standard output",
     FIELD(output), .suffixes = ".json"},
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
    const struct mixing_values *options = values;
    const bool given_k = options->k == options->k;
    if (!options->output) return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE.json");
    struct sl_import_notes notes = {.log = &cli->log};
    const struct sl_mix_options mix = sl_mix_options_default();
    struct sl_answers *answers = NULL;
    struct sl_mixing_functions *functions = NULL;
    json_t *json = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read(cli->arguments[0], &answers, &notes, err));
    if (given_k)
        SL_TRY_OUT(sl_mixing_constant((const char *const *)answers->classes, answers->n_classes,
                                      (struct sl_logistic){options->k, options->x0}, &functions,
                                      err));
    else
        SL_TRY_OUT(sl_mixing_fit(answers, &mix, &functions, err));
    json = sl_mixing_to_json(functions);
    SL_TRY_OUT(sl_json_write(json, options->output, err));
out:
    json_decref(json);
    sl_mixing_functions_destroy(functions);
    sl_answers_destroy(answers);
    return status;
}

static const struct cli_example mixing_examples[] = {
    {"softlab mixing hmix.jsonl -o mixing.json", "a curve for every pair of classes"},
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
    .values_size = sizeof(struct mixing_values),
    .run = run_mixing,
};
