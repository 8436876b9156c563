#include "verdict/read/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"
#include "verdict/read/result_line.h"

/* ---- Runs and figures ---- */

static struct sl_result make_run(const struct sl_figures_row *row)
{
    json_t *json =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:s?, s:s, s:s?, s:{}}", "softlab", "result",
                  "version", 1, "spec", row->texts[SL_ROLE_SPEC], "scale", row->spec->scale,
                  "variant", row->texts[SL_ROLE_VARIANT], "part", row->texts[SL_ROLE_PART], "set",
                  row->texts[SL_ROLE_SET], "network", row->texts[SL_ROLE_NETWORK], "metrics");
    struct sl_result run = {.json = json,
                            .spec = json_string_value(json_object_get(json, "spec")),
                            .scale = json_string_value(json_object_get(json, "scale")),
                            .variant = json_string_value(json_object_get(json, "variant")),
                            .part = json_string_value(json_object_get(json, "part")),
                            .set = json_string_value(json_object_get(json, "set")),
                            .network = json_string_value(json_object_get(json, "network")),
                            .seed = row->seed,
                            .fold = row->fold};
    sl_result_name(&run);
    return run;
}

/* Find the run of a row: a new one, or, with a row per figure, perhaps one of earlier rows. */
static enum sl_status find_run(struct sl_figures_table *table, const struct sl_figures_row *row,
                               size_t *out, struct sl_error *err)
{
    struct sl_result run = make_run(row);
    const size_t before = sl_name_table_count(table->names);
    uint32_t index = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_name_table_add(table->names, run.key, strlen(run.key), &index, err));
    if (index < before && !table->is_long) {
        status = sl_csv_fail(table->csv, row->line, err,
                             "same run as in line %zu; give runs of one cell different \"seed\" or "
                             "\"fold\" values",
                             table->lines[index]);
        goto out;
    }
    if (index == before) {
        table->runs = sl_resize(table->runs, before + 1, sizeof *table->runs);
        table->lines = sl_resize(table->lines, before + 1, sizeof *table->lines);
        table->lines[before] = row->line;
        table->runs[before] = run;
        table->n_runs++;
        run = (struct sl_result){.json = NULL};
    }
    *out = index;
out:
    sl_result_release(&run);
    return status;
}

static enum sl_status read_value(const struct sl_figures_table *table,
                                 const struct sl_csv_record *record, size_t column,
                                 const char *figure, double *out, struct sl_error *err)
{
    const struct sl_field field = sl_csv_class(record->fields[column]);
    const char *empty = table->is_long ? "leave the row out" : "leave the field empty";
    char shown[SL_DESCRIBE_SIZE];
    if (!sl_text_to_real(field.text, field.length, out) || !isfinite(*out))
        return sl_csv_fail(table->csv, record->line, err,
                           "%s: %s is not a number; %s if the run has no such figure", figure,
                           sl_describe_text(field.text, field.length, shown), empty);
    if (!sl_figure_is_plausible(figure, *out))
        return sl_csv_fail(table->csv, record->line, err,
                           "%s: %g is not a share; give 0 to 1, not per cent", figure, *out);
    return SL_OK;
}

static enum sl_status add_figure(struct sl_figures_table *table, const struct sl_figures_row *row,
                                 const struct sl_csv_record *record, size_t column,
                                 const char *figure, size_t run, struct sl_error *err)
{
    const struct sl_name_list *columns = &row->spec->brief->columns;
    json_t *metrics = json_object_get(table->runs[run].json, "metrics");
    double value = NAN;
    if (!sl_name_list_has(columns, figure)) {
        char *what = sl_string_printf("%s has no figure", row->spec->name);
        const char *const none[] = {NULL};
        const enum sl_status status =
            sl_figures_fail_name(table, table->is_long ? row->line : 1, what, figure,
                                 columns->count ? columns->names : none, err);
        free(what);
        return status;
    }
    SL_TRY(read_value(table, record, column, figure, &value, err));
    if (json_object_get(metrics, figure))
        return sl_csv_fail(table->csv, row->line, err,
                           "an earlier line has %s of the same run; give runs of one cell "
                           "different \"seed\" or \"fold\" values",
                           figure);
    json_object_set_new(metrics, figure, json_real(value));
    return SL_OK;
}

/* The role of a column; SL_ROLES if it is a figure. */
static enum sl_figures_role role_of(const struct sl_csv *csv, size_t column)
{
    size_t role = 0;
    while (role < SL_ROLES && !sl_csv_column_is(csv, column, sl_figures_roles[role]))
        role++;
    return (enum sl_figures_role)role;
}

static enum sl_status add_figures(struct sl_figures_table *table, const struct sl_figures_row *row,
                                  const struct sl_csv_record *record, struct sl_error *err)
{
    size_t run = 0;
    SL_TRY(find_run(table, row, &run, err));
    if (table->is_long) {
        const struct sl_field field = sl_csv_class(record->fields[table->columns[SL_ROLE_METRIC]]);
        char *figure = sl_string_copy_n(field.text, field.length);
        const enum sl_status status =
            add_figure(table, row, record, table->columns[SL_ROLE_VALUE], figure, run, err);
        free(figure);
        return status;
    }
    for (size_t i = 0; i < record->count; i++) {
        if (role_of(table->csv, i) != SL_ROLES || record->fields[i].length == 0) continue;
        SL_TRY(add_figure(table, row, record, i, sl_csv_column_name(table->csv, i), run, err));
    }
    return SL_OK;
}

/* ---- The file ---- */

static enum sl_status fail_column(const struct sl_figures_table *table, const char *name,
                                  struct sl_error *err)
{
    char shown[SL_DESCRIBE_SIZE], ending[SL_SUGGESTION_TEXT];
    return sl_csv_fail(table->csv, 1, err,
                       "column %s is neither one of spec, scale, variant, part, set, network, "
                       "seed, fold, metric, value nor a figure named test/metric%s",
                       sl_describe_text(name, strlen(name), shown),
                       sl_text_suggestion(name, sl_figures_roles, "", ending));
}

static enum sl_status read_header(struct sl_figures_table *table, struct sl_error *err)
{
    size_t n_figures = 0;
    for (size_t i = 0; i < SL_ROLES; i++)
        table->columns[i] = SIZE_MAX;
    for (size_t i = 0; i < sl_csv_column_count(table->csv); i++) {
        const char *name = sl_csv_column_name(table->csv, i);
        const enum sl_figures_role role = role_of(table->csv, i);
        if (role < SL_ROLES)
            table->columns[role] = i;
        else if (!strchr(name, '/'))
            return fail_column(table, name, err);
        else
            n_figures++;
    }
    const bool has_metric = table->columns[SL_ROLE_METRIC] != SIZE_MAX;
    table->is_long = table->columns[SL_ROLE_VALUE] != SIZE_MAX;
    if (has_metric != table->is_long)
        return sl_csv_fail(table->csv, 1, err,
                           "one row per figure needs both columns \"metric\" and \"value\"");
    if (table->is_long && n_figures)
        return sl_csv_fail(table->csv, 1, err,
                           "columns \"metric\" and \"value\" (one row per figure) exclude columns "
                           "named test/metric (one row per run); keep one kind");
    if (!table->is_long && n_figures == 0)
        return sl_csv_fail(table->csv, 1, err,
                           "no column has figures: name columns test/metric (one row per run), or "
                           "\"metric\" and \"value\" (one row per figure)");
    return sl_csv_column(table->csv, sl_figures_roles[SL_ROLE_SET], &table->columns[SL_ROLE_SET],
                         err);
}

static enum sl_status read_rows(struct sl_figures_table *table, struct sl_error *err)
{
    for (;;) {
        struct sl_csv_record record;
        struct sl_figures_row row;
        SL_TRY(sl_csv_next(table->csv, &record, err));
        if (record.count == 0) return SL_OK;
        enum sl_status status = sl_figures_row_read(table, &record, &row, err);
        if (status == SL_OK) status = add_figures(table, &row, &record, err);
        sl_figures_row_release(&row);
        if (status != SL_OK) return status;
    }
}

static void table_release(struct sl_figures_table *table)
{
    for (size_t i = 0; i < table->n_runs; i++)
        sl_result_release(&table->runs[i]);
    for (size_t i = 0; i < table->n_known; i++) {
        free(table->known[i].scale);
        sl_spec_destroy(table->known[i].spec);
    }
    free(table->runs);
    free(table->lines);
    free(table->known);
    sl_name_table_destroy(table->names);
    sl_csv_close(table->csv);
}

enum sl_status sl_results_read_csv(struct sl_results *results, const char *path,
                                   const struct sl_figures_for *purpose, struct sl_error *err)
{
    const struct sl_csv_options options = sl_csv_options_default();
    struct sl_figures_table table = {
        .results = results, .purpose = purpose, .names = sl_name_table_create()};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &table.csv, err));
    SL_TRY_OUT(read_header(&table, err));
    SL_TRY_OUT(sl_figures_open_specs(&table, err));
    SL_TRY_OUT(read_rows(&table, err));
    for (size_t i = 0; i < table.n_runs; i++) {
        status = sl_results_add_run(results, &table.runs[i], err);
        if (status != SL_OK) {
            status = sl_fail_within(err, status, "%s:%zu", path, table.lines[i]);
            goto out;
        }
    }
out:
    table_release(&table);
    return status;
}
