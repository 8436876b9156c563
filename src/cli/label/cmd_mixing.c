#include <math.h>
#include <stdlib.h>

#include "cmd.h"
#include "softlab/label/mixing.h"

struct mixing_values {
    const char *output;
    const char *only;
    double k;
    double x0;
};

enum { FITTED = 1, GIVEN = 2 };

static void mixing_mode(const struct cli *cli, const void *values, struct cli_mode *out)
{
    (void)cli;
    const struct mixing_values *options = values;
    *out = isnan(options->k) ? (struct cli_mode){FITTED, .name = "fitted curves"}
                             : (struct cli_mode){GIVEN, .name = "--k"};
}

static const char *const mixing_samples[] = {"a.jsonl", "a.jsonl --k 1 --x0 1", NULL};

#define FIELD(name) .offset = offsetof(struct mixing_values, name)

static const struct sl_field_row mixing_options[] = {
    {"output", SL_FIELD_OUTPUT, FIELD(output), "where the functions go; - is the standard output",
     .letter = 'o', .value = "FILE.json", .suffixes = ".json"},
    {"only", SL_FIELD_PATH, FIELD(only),
     "fit the answers about the items that this text file lists, one per line; without it all",
     .modes = FITTED},
    {"k", SL_FIELD_NUMBER, FIELD(k),
     "with --x0: this curve for every pair, the control without people", .value = "K",
     .fallback = "nan", .minimum = -1e6, .maximum = 1e6, .needs = "x0"},
    {"x0", SL_FIELD_NUMBER, FIELD(x0), "with --k: where that curve is one half", .fallback = "nan",
     .minimum = -1e6, .maximum = 1e6, .needs = "k"},
    {.name = NULL},
};

static const struct cli_argument mixing_arguments[] = {
    {.name = "ANSWERS",
     .help = "mixing answers, as softlab import --from hmix writes them",
     .kind = SL_FIELD_PATH},
    {.name = NULL},
};

/* Where nothing could be fitted the identity stands, which must not go unsaid. */
static void say_fitted(const struct cli *cli, const struct sl_mixing_functions *functions)
{
    const size_t n_classes = functions->n_classes;
    size_t n_fitted = 0, n_answers = 0;
    for (size_t i = 0; i < n_classes * n_classes; i++) {
        n_fitted += functions->pairs[i].fitted;
        n_answers += functions->pairs[i].n_answers;
    }
    const size_t n_pairs = n_classes * (n_classes - 1) / 2;
    const bool all = n_fitted == n_pairs;
    sl_log(&cli->log, all ? SL_LOG_INFO : SL_LOG_WARNING,
           "fitted curves: %zu of %zu class pairs, answers: %zu%s", n_fitted, n_pairs, n_answers,
           all ? "" : "; the identity stands for the other pairs");
}

static enum sl_status run_mixing(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct mixing_values *options = values;
    if (!options->output) return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE.json");
    struct sl_import_notes notes = {.log = &cli->log};
    struct sl_mix_options mix = sl_mix_options_default();
    struct sl_answers *answers = NULL;
    struct sl_mixing_functions *functions = NULL;
    struct sl_name_table *only = NULL;
    json_t *json = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read(cli->arguments[0], &answers, &notes, err));
    SL_TRY_OUT(sl_listed_items_read(&cli->workplace, options->only, answers, &only, err));
    mix.only = only;
    if (!isnan(options->k))
        SL_TRY_OUT(sl_mixing_constant((const char *const *)answers->classes, answers->n_classes,
                                      (struct sl_logistic){options->k, options->x0}, &functions,
                                      err));
    else
        SL_TRY_OUT(sl_mixing_fit(answers, &mix, &functions, err));
    json = sl_mixing_to_json(functions);
    SL_TRY_OUT(sl_json_write(json, options->output, err));
    if (isnan(options->k)) say_fitted(cli, functions);
out:
    json_decref(json);
    sl_mixing_functions_destroy(functions);
    sl_answers_destroy(answers);
    sl_name_table_destroy(only);
    return status;
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
    .values_size = sizeof(struct mixing_values),
    .mode = mixing_mode,
    .samples = mixing_samples,
    .run = run_mixing,
};
