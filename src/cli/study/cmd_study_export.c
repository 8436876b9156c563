#include <string.h>

#include "cmd.h"
#include "softlab/study.h"

struct export_values {
    const char *format;
    const char *output;
    const char *screen;
    bool list;
};

static const char *export_names(size_t index)
{
    return sl_study_exports[index].name;
}

enum { ANSWERS = 1, OTHERS = 2, LISTS = 4 };

static void export_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct export_values *options = values;
    const bool answers = strcmp(options->format, "answers") == 0;
    *out = (struct sl_option_mode){.does = answers ? ANSWERS : OTHERS};
    snprintf(out->text, sizeof out->text, "--format %s", options->format);
    out->name = out->text;
    if (options->list) *out = (struct sl_option_mode){LISTS, .name = "--list", .alone = true};
}

static const char *const export_samples[] = {"--list", "study -o x --format *", NULL};

#define AT(field) .offset = offsetof(struct export_values, field)
static const struct sl_field_row export_options[] = {
    {"format", SL_FIELD_CHOICE, AT(format), "what to write, see --list", .letter = 'f',
     .value = "NAME", .fallback = "answers", .names = export_names, .modes = ANSWERS | OTHERS},
    {"output", SL_FIELD_OUTPUT, AT(output), "where to write it; - is the standard output",
     .letter = 'o', .modes = ANSWERS | OTHERS},
    {"screen", SL_FIELD_CHOICE, AT(screen),
     "only the answers to this screen, where a study has several", .letter = 's', .value = "NAME",
     .names = cli_screen_names, .modes = ANSWERS},
    {"list", SL_FIELD_BOOLEAN, AT(list), "print the formats", .letter = 'l'},
    {.name = NULL},
};
#undef AT

static const struct cli_argument export_arguments[] = {
    {.name = "FOLDER",
     .help = "a folder that softlab study init made",
     .kind = SL_FIELD_FOLDER,
     .optional = true},
    {.name = NULL},
};

static void list_exports(void)
{
    struct cli_table table;
    cli_table_begin(&table, "lll", "format", "file", "what");
    for (const struct sl_study_export *export = sl_study_exports; export->name; export ++)
        cli_table_add(&table, export->name, export->file, export->summary);
    cli_table_end(&table);
}

static enum sl_status run_export(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct export_values *options = values;
    if (options->list) {
        list_exports();
        return SL_OK;
    }
    if (cli->n_arguments == 0) return sl_fail(err, SL_ERR_USAGE, "which study? Give its FOLDER");
    if (!options->output)
        return sl_fail(err, SL_ERR_USAGE, "where to? Say -o FILE, or -o - for the standard output");
    const struct sl_study_export *what = sl_study_export_find(options->format);
    const char *suffix = strrchr(what->file, '.');
    if (suffix) SL_TRY(sl_path_check_suffix("output", options->output, suffix, err));
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_study_read(cli->arguments[0], &study, err));
    SL_TRY_OUT(sl_study_check_output(study->folder, options->output, err));
    SL_TRY_OUT(sl_study_store(study, true, &store, err));
    SL_TRY_OUT(sl_study_check_pictures(study, store, err));
    status = sl_study_export_write(study, store, what, options->screen, options->output, err);
out:
    sl_store_close(store);
    sl_study_destroy(study);
    return status;
}

static const struct cli_example export_examples[] = {
    {"softlab study export birds -o answers.jsonl", "for softlab labels and softlab quality"},
    {"softlab study export birds --screen bars -o bars.jsonl",
     "one of several ways to ask, to compare them"},
    {"softlab study export birds -f trials -o trials.csv", "every trial with its time stamps"},
    {"softlab study export birds -f bonus -o -", "what Prolific is told; softlab never pays"},
    {NULL, NULL},
};

const struct cli_command cmd_study_export = {
    .name = "study export",
    .group = "studies",
    .summary = "write what people said: answers.jsonl, published layouts, trials, payments",
    .description = "Writes one file, also while the study is served. The answers that count are "
                   "the last revisions of everybody who did not return their place; test runs and "
                   "practice trials are only in the format changes. Participants appear as short "
                   "hashes. Addresses, telephone numbers and ids are removed from free text, and "
                   "cells that a spreadsheet would run as a formula begin with an apostrophe. The "
                   "formats payments and bonus name submissions as the recruiter does.",
    .arguments = export_arguments,
    .options = export_options,
    .examples = export_examples,
    .values_size = sizeof(struct export_values),
    .mode = export_mode,
    .samples = export_samples,
    .run = run_export,
};
