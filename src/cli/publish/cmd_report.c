#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/verdict.h"

struct report_values {
    const char *output;
    const char *format;
    const char *spec;
    bool charts;
};

static const char *format_names(size_t index)
{
    return sl_report_formats[index].name;
}

#define AT(field) .offset = offsetof(struct report_values, field)
static const struct sl_field_row report_options[] = {
    {"output", SL_FIELD_OUTPUT, AT(output), "the report (default: standard output)", .letter = 'o'},
    {"format", SL_FIELD_CHOICE, AT(format),
     "format of the report (default: by the ending of FILE, otherwise html)", .value = "FORMAT",
     .names = format_names},
    {"spec", SL_FIELD_WORD, AT(spec),
     "report only these specifications, by name or folder, separated by commas, also if they have "
     "no results. A CSV without a column \"spec\" needs exactly one",
     .value = "NAMES"},
    {"charts", SL_FIELD_BOOLEAN, AT(charts),
     "Markdown: show charts from SVG files, in a folder beside FILE that is called after it"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument report_arguments[] = {
    {.name = "RESULTS",
     .help = "results.jsonl, a folder that holds it, or a CSV of figures; several are taken "
             "together",
     .kind = SL_FIELD_PATH,
     .repeated = true},
    {.name = NULL},
};

static const struct sl_report_format *choose_format(const struct report_values *options)
{
    if (options->format) return sl_report_format_find(options->format);
    const struct sl_report_format *of_file =
        options->output ? sl_report_format_of(options->output) : NULL;
    return of_file ? of_file : sl_report_formats;
}

/* The command as it was typed, for the report's last lines. */
static void put_command(const struct cli *cli, const struct report_values *options,
                        struct sl_buffer *out)
{
    sl_buffer_text(out, "softlab report");
    for (size_t i = 0; i < cli->n_arguments; i++)
        sl_buffer_printf(out, " %s", cli_typed(cli, cli->arguments[i]));
    if (options->spec) sl_buffer_printf(out, " --spec %s", options->spec);
    if (options->format) sl_buffer_printf(out, " --format %s", options->format);
    if (options->charts) sl_buffer_text(out, " --charts");
    if (options->output) sl_buffer_printf(out, " -o %s", cli_typed(cli, options->output));
}

static enum sl_status check_charts(const struct cli *cli, const struct report_values *options,
                                   const struct sl_report_format *format, struct sl_error *err)
{
    const bool to_file = options->output && strcmp(cli_typed(cli, options->output), "-") != 0;
    if (!options->charts || (to_file && strcmp(format->name, "md") == 0)) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "--charts goes with Markdown in a file: -o report.md");
}

/* "out/report-charts" for "out/report.md". */
static enum sl_status write_charts(const struct report_values *options,
                                   const struct sl_report_format *format, struct sl_report *report,
                                   struct sl_error *err)
{
    const bool suffixed = sl_path_has_suffix(options->output, format->suffix);
    const size_t length = strlen(options->output) - (suffixed ? strlen(format->suffix) : 0);
    char *folder = sl_string_printf("%.*s-charts", (int)length, options->output);
    const enum sl_status status = sl_report_write_charts(report, folder, sl_path_name(folder), err);
    free(folder);
    return status;
}

static enum sl_status write_out(const struct report_values *options, const struct sl_buffer *text,
                                struct sl_error *err)
{
    if (options->output) return sl_file_write(options->output, text->data, text->length, err);
    if (fwrite(text->data, 1, text->length, stdout) != text->length)
        return sl_fail_errno(err, "stdout");
    return SL_OK;
}

static void tell(struct cli *cli, const struct sl_results *results)
{
    if (results->n_torn)
        sl_log(&cli->log, SL_LOG_WARNING, "%zu last %s not whole and left out", results->n_torn,
               sl_text_plural(results->n_torn, "line was", "lines were"));
    if (results->n_repeated)
        sl_log(&cli->log, SL_LOG_INFO, "%zu %s there before; the last counts", results->n_repeated,
               sl_text_plural(results->n_repeated, "result was", "results were"));
}

static enum sl_status run_report(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct report_values *options = values;
    const struct sl_report_format *format = choose_format(options);
    if (options->output)
        SL_TRY(sl_path_check_suffix("output", options->output, format->suffix, err));
    SL_TRY(check_charts(cli, options, format, err));
    struct sl_results *results = sl_results_create();
    struct sl_report *report = NULL;
    struct sl_buffer text, command;
    char **specs = options->spec ? sl_text_split(options->spec) : NULL;
    enum sl_status status = SL_OK;
    sl_buffer_init_data(&text, (size_t)1 << 31);
    sl_buffer_init(&command, 1 << 20);
    put_command(cli, options, &command);
    struct sl_report_options wanted = {.specs = (const char *const *)specs,
                                       .command = command.data};
    while (specs && specs[wanted.n_specs])
        wanted.n_specs++;
    const struct sl_figures_for purpose = {wanted.specs, wanted.n_specs};
    SL_TRY_OUT(sl_results_read_all(results, cli->arguments, cli->n_arguments, &purpose, err));
    tell(cli, results);
    SL_TRY_OUT(sl_verdict_report(results, &wanted, &report, err));
    if (options->charts) SL_TRY_OUT(write_charts(options, format, report, err));
    SL_TRY_OUT(sl_report_render(report, format, &text, err));
    SL_TRY_OUT(write_out(options, &text, err));
out:
    sl_names_destroy(specs);
    sl_report_destroy(report);
    sl_results_destroy(results);
    sl_buffer_release(&text);
    sl_buffer_release(&command);
    return status;
}

static const struct cli_example report_examples[] = {
    {"softlab report results/ -o report.html", "everything that was run, beside the papers"},
    {"softlab report a/results.jsonl b/results.jsonl --spec collins2022/table2 --format latex",
     "one table, from the results of two machines"},
    {"softlab report figures.csv --spec collins2022/table2 -o report.html",
     "figures of another program, judged as ours are"},
    {NULL, NULL},
};

const struct cli_command cmd_report = {
    .name = "report",
    .also = "summary summarise summarize plot plots table",
    .group = "learn",
    .summary = "write results beside the papers' figures, with charts, as one page",
    .description =
        "The report shows every cell of a paper's table with our mean, its interval and the number "
        "of runs beside the published figure; every comparison that the paper draws, and whether "
        "it holds here, fails or is undecided; charts, pictures and the provenance of the numbers. "
        "The HTML page loads nothing from the network. Results of any program can be reported: as "
        "lines of results.jsonl, or as a CSV with a row per run and the columns set, network, "
        "seed, fold and one per figure, called test/metric (or a row per figure, with the columns "
        "metric and value). docs/formats.md has examples of both.",
    .arguments = report_arguments,
    .options = report_options,
    .examples = report_examples,
    .values_size = sizeof(struct report_values),
    .run = run_report,
};
