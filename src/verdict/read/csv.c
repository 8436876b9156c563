/* Figures from a CSV, whatever program made them: a row per run with a column per figure, or a row
 * per figure. Every name is looked up in the specification that the figures are for, so that a slip
 * is an error and never an empty cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/describe.h"
#include "softlab/base.h"
#include "softlab/experiment/contract.h"
#include "verdict/read/result_line.h"

/* What a column may be besides a figure. */
enum role {
    ROLE_SPEC,
    ROLE_SCALE,
    ROLE_VARIANT,
    ROLE_PART,
    ROLE_SET,
    ROLE_NETWORK,
    N_TEXTS,
    ROLE_SEED = N_TEXTS,
    ROLE_FOLD,
    ROLE_METRIC,
    ROLE_VALUE,
    N_ROLES
};
static const char *const role_names[] = {"spec", "scale", "variant", "part",  "set", "network",
                                         "seed", "fold",  "metric",  "value", NULL};

/* A specification at a scale, read once. */
struct known {
    const char *called; /* borrowed; how --spec names it; NULL: by its name */
    char *scale;        /* owned */
    struct sl_spec *spec;
};

struct table {
    struct sl_csv *csv;
    const struct sl_results *results;
    const struct sl_figures_for *purpose;
    size_t columns[N_ROLES]; /* SIZE_MAX: there is none */
    bool is_long;            /* a row per figure */
    struct known *known;     /* owned */
    size_t n_known;
    struct sl_name_table *names; /* of the runs found, by their coordinates */
    struct sl_result *runs;      /* owned */
    size_t *lines;               /* owned; where each run was first seen */
    size_t n_runs;
};

/* Where a row's figures belong. */
struct row {
    char *texts[N_TEXTS]; /* owned; NULL: empty or no such column */
    int64_t seed, fold;   /* -1: none */
    size_t line;
    const struct sl_spec *spec;
};

/* `<what> "word"`, with the nearest of what there is, or else the first few. */
static enum sl_status fail_name(const struct table *table, size_t line, const char *what,
                                const char *word, const char *const *names, struct sl_error *err)
{
    enum { SHOWN = 8 };
    const char *near = sl_text_nearest(word, names);
    char shown[SL_DESCRIBE_SIZE];
    sl_describe_text(word, strlen(word), shown);
    if (near)
        return sl_csv_fail(table->csv, line, err, "%s %s, did you mean \"%s\"?", what, shown, near);
    struct sl_buffer list;
    sl_buffer_init(&list, 1 << 16);
    for (size_t i = 0; i <= SHOWN && names[i]; i++)
        sl_buffer_printf(&list, "%s%s", i ? ", " : "; there is ", i < SHOWN ? names[i] : "...");
    const enum sl_status status =
        sl_csv_fail(table->csv, line, err, "%s %s%s", what, shown, list.length ? list.data : "");
    sl_buffer_release(&list);
    return status;
}

/* ---- The specification that a row is for ---- */

static enum sl_status read_known(struct table *table, const char *name, const char *called,
                                 const char *scale, size_t line, const struct sl_spec **out,
                                 struct sl_error *err)
{
    static const char *const scales[] = {"quick", "small", "paper", NULL};
    const json_t *record = json_object_get(table->results->specs, name);
    struct sl_spec *spec = NULL;
    const enum sl_status status = record ? sl_spec_from_record(record, scale, &spec, err)
                                         : sl_spec_read(called ? called : name, scale, &spec, err);
    if (status == SL_ERR_USAGE) {
        char *what = sl_string_printf("%s has no scale", name);
        const enum sl_status failed = fail_name(table, line, what, scale, scales, err);
        free(what);
        return failed;
    }
    if (status != SL_OK) return status;
    table->known = sl_resize(table->known, table->n_known + 1, sizeof *table->known);
    table->known[table->n_known++] =
        (struct known){.called = called, .scale = sl_string_copy(scale), .spec = spec};
    *out = spec;
    return SL_OK;
}

/* The specifications that --spec names, at the scale of the paper, for their names. */
static enum sl_status open_named(struct table *table, struct sl_error *err)
{
    for (size_t i = 0; i < table->purpose->n_specs; i++) {
        const char *called = table->purpose->specs[i];
        const struct sl_spec *spec;
        SL_TRY(read_known(table, called, called, "paper", 1, &spec, err));
    }
    return SL_OK;
}

/* What a text may say in the column "spec", NULL-ended, which the caller frees. */
static const char **list_specs(const struct table *table)
{
    size_t count = 0, n_builtin = 0;
    while (sl_builtin_specs[n_builtin])
        n_builtin++;
    const size_t n_own = json_object_size(table->results->specs);
    const char **names = sl_alloc(table->n_known + n_own + n_builtin + 1, sizeof *names);
    const char *own;
    json_t *record;
    for (size_t i = 0; i < table->n_known; i++)
        names[count++] = table->known[i].spec->name;
    json_object_foreach(table->results->specs, own, record)
    {
        names[count++] = own;
    }
    for (size_t i = 0; i < n_builtin; i++)
        names[count++] = sl_builtin_specs[i];
    return names;
}

static enum sl_status check_spec_name(const struct table *table, const struct row *row,
                                      struct sl_error *err)
{
    const char **names = list_specs(table), *name = row->texts[ROLE_SPEC];
    enum sl_status status = SL_OK;
    size_t at = 0;
    while (names[at] && strcmp(names[at], name) != 0)
        at++;
    if (!names[at])
        status = fail_name(table, row->line, "no specification is called", name, names, err);
    free(names);
    return status;
}

/* The specification of a row, by its column or by --spec, at the row's scale. */
static enum sl_status find_spec(struct table *table, struct row *row, struct sl_error *err)
{
    const char *scale = row->texts[ROLE_SCALE] ? row->texts[ROLE_SCALE] : "paper";
    const char *called = NULL;
    if (!row->texts[ROLE_SPEC] && table->purpose->n_specs == 1)
        row->texts[ROLE_SPEC] = sl_string_copy(table->known[0].spec->name);
    if (!row->texts[ROLE_SPEC])
        return sl_csv_fail(table->csv, row->line, err,
                           "nothing says which table the figures are for: name it in a column "
                           "\"spec\", or one for all rows with --spec");
    SL_TRY(check_spec_name(table, row, err));
    for (size_t i = 0; i < table->n_known; i++) {
        const struct known *known = &table->known[i];
        if (strcmp(known->spec->name, row->texts[ROLE_SPEC]) != 0) continue;
        if (strcmp(known->scale, scale) == 0) {
            row->spec = known->spec;
            return SL_OK;
        }
        called = known->called;
    }
    return read_known(table, row->texts[ROLE_SPEC], called, scale, row->line, &row->spec, err);
}

/* ---- Coordinates ---- */

static enum sl_status check_part(const struct table *table, const struct row *row,
                                 const char *const *parts, struct sl_error *err)
{
    const char *part = row->texts[ROLE_PART];
    size_t at = 0;
    if (!parts[0] && part)
        return sl_csv_fail(table->csv, row->line, err, "%s has no parts: leave \"part\" empty",
                           row->spec->name);
    if (parts[0] && !part)
        return sl_csv_fail(table->csv, row->line, err, "\"part\" is missing: %s has parts",
                           row->spec->name);
    while (part && parts[at] && strcmp(parts[at], part) != 0)
        at++;
    if (!part || parts[at]) return SL_OK;
    char *what = sl_string_printf("%s has no part", row->spec->name);
    const enum sl_status status = fail_name(table, row->line, what, part, parts, err);
    free(what);
    return status;
}

/* Whether the specification has this label set or network; one without networks takes any. */
static enum sl_status check_listed(const struct table *table, const struct row *row, enum role role,
                                   const struct sl_name_list *list, struct sl_error *err)
{
    const char *name = row->texts[role];
    const char *const none[] = {NULL};
    if (!name || sl_name_list_has(list, name)) return SL_OK;
    if (role == ROLE_NETWORK && list->count == 0) return SL_OK;
    char *what = sl_string_printf("%s has no %s", row->spec->name, role_names[role]);
    const enum sl_status status =
        fail_name(table, row->line, what, name, list->count ? list->names : none, err);
    free(what);
    return status;
}

static bool has_rows_by(const struct sl_brief *brief, enum sl_coordinate coordinate)
{
    for (size_t i = 0; i < brief->n_rows; i++)
        if (brief->rows[i] == coordinate) return true;
    return false;
}

static enum sl_status check_place(const struct table *table, const struct row *row,
                                  struct sl_error *err)
{
    const struct sl_brief *brief = row->spec->brief;
    const struct sl_brief_design *whole = &brief->designs[0];
    const char **parts = sl_alloc(brief->n_designs, sizeof *parts);
    enum sl_status status = SL_OK;
    for (size_t i = 1; i < brief->n_designs; i++)
        parts[i - 1] = brief->designs[i].name;
    SL_TRY_OUT(check_part(table, row, parts, err));
    const struct sl_brief_design *own = sl_brief_design_find(brief, row->texts[ROLE_PART]);
    SL_TRY_OUT(
        check_listed(table, row, ROLE_SET, own->sets.count ? &own->sets : &whole->sets, err));
    SL_TRY_OUT(check_listed(table, row, ROLE_NETWORK,
                            own->networks.count ? &own->networks : &whole->networks, err));
    if (!row->texts[ROLE_SET])
        status = sl_csv_fail(table->csv, row->line, err, "\"set\" is empty: name the label set");
    else if (!row->texts[ROLE_NETWORK] && has_rows_by(brief, SL_COORDINATE_NETWORK))
        status =
            sl_csv_fail(table->csv, row->line, err,
                        "\"network\" is missing: the rows of %s are by network", row->spec->name);
out:
    free(parts);
    return status;
}

static enum sl_status check_variant(const struct table *table, struct row *row,
                                    struct sl_error *err)
{
    static const char *const variants[] = {"as-run", "as-published", NULL};
    const char *variant = row->texts[ROLE_VARIANT];
    if (!variant)
        row->texts[ROLE_VARIANT] = sl_string_copy(variants[0]);
    else if (strcmp(variant, variants[0]) != 0 && strcmp(variant, variants[1]) != 0)
        return fail_name(table, row->line, "no variant is called", variant, variants, err);
    return SL_OK;
}

static enum sl_status read_index(const struct table *table, const struct sl_csv_record *record,
                                 enum role role, int64_t *out, struct sl_error *err)
{
    const size_t column = table->columns[role];
    *out = -1;
    if (column == SIZE_MAX || record->fields[column].length == 0) return SL_OK;
    return sl_csv_integer(table->csv, record, column, 0, INT64_MAX, out, err);
}

static void row_release(struct row *row)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        free(row->texts[i]);
}

/* Fills `row`, which the caller releases also after a failure. */
static enum sl_status read_coordinates(struct table *table, const struct sl_csv_record *record,
                                       struct row *row, struct sl_error *err)
{
    *row = (struct row){.line = record->line};
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (table->columns[i] == SIZE_MAX) continue;
        const struct sl_field field = sl_csv_class(record->fields[table->columns[i]]);
        if (sl_utf8_valid(field.text, field.length) != field.length)
            return sl_csv_fail(table->csv, record->line, err, "\"%s\" is not UTF-8", role_names[i]);
        if (field.length) row->texts[i] = sl_string_copy_n(field.text, field.length);
    }
    SL_TRY(read_index(table, record, ROLE_SEED, &row->seed, err));
    SL_TRY(read_index(table, record, ROLE_FOLD, &row->fold, err));
    SL_TRY(find_spec(table, row, err));
    SL_TRY(check_variant(table, row, err));
    return check_place(table, row, err);
}

/* ---- Runs and figures ---- */

static struct sl_result make_run(const struct row *row)
{
    json_t *json =
        json_pack("{s:s, s:i, s:s, s:s, s:s, s:s?, s:s, s:s?, s:{}}", "softlab", "result",
                  "version", 1, "spec", row->texts[ROLE_SPEC], "scale", row->spec->scale, "variant",
                  row->texts[ROLE_VARIANT], "part", row->texts[ROLE_PART], "set",
                  row->texts[ROLE_SET], "network", row->texts[ROLE_NETWORK], "metrics");
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

/* The number of a row's run: a new one, or, where a row is a figure, one that earlier rows began.
 */
static enum sl_status find_run(struct table *table, const struct row *row, size_t *out,
                               struct sl_error *err)
{
    struct sl_result run = make_run(row);
    const size_t before = sl_name_table_count(table->names);
    uint32_t index = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_name_table_add(table->names, run.key, strlen(run.key), &index, err));
    if (index < before && !table->is_long) {
        status = sl_csv_fail(table->csv, row->line, err,
                             "the same run as in line %zu: tell runs of a cell apart by \"seed\" "
                             "or \"fold\"",
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

static enum sl_status read_value(const struct table *table, const struct sl_csv_record *record,
                                 size_t column, const char *figure, double *out,
                                 struct sl_error *err)
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
                           "%s: %g is no share; give it from 0 to 1, not in per cent", figure,
                           *out);
    return SL_OK;
}

static enum sl_status add_figure(struct table *table, const struct row *row,
                                 const struct sl_csv_record *record, size_t column,
                                 const char *figure, size_t run, struct sl_error *err)
{
    const struct sl_name_list *columns = &row->spec->brief->columns;
    json_t *metrics = json_object_get(table->runs[run].json, "metrics");
    double value = NAN;
    if (!sl_name_list_has(columns, figure)) {
        char *what = sl_string_printf("%s has no figure", row->spec->name);
        const char *const none[] = {NULL};
        const enum sl_status status = fail_name(table, table->is_long ? row->line : 1, what, figure,
                                                columns->count ? columns->names : none, err);
        free(what);
        return status;
    }
    SL_TRY(read_value(table, record, column, figure, &value, err));
    if (json_object_get(metrics, figure))
        return sl_csv_fail(table->csv, row->line, err,
                           "%s of the same run stands in an earlier line too: tell runs of a "
                           "cell apart by \"seed\" or \"fold\"",
                           figure);
    json_object_set_new(metrics, figure, json_real(value));
    return SL_OK;
}

/* The role of a column, N_ROLES for one that is none. */
static enum role role_of(const struct sl_csv *csv, size_t column)
{
    size_t role = 0;
    while (role < N_ROLES && !sl_csv_column_is(csv, column, role_names[role]))
        role++;
    return (enum role)role;
}

static enum sl_status add_figures(struct table *table, const struct row *row,
                                  const struct sl_csv_record *record, struct sl_error *err)
{
    size_t run = 0;
    SL_TRY(find_run(table, row, &run, err));
    if (table->is_long) {
        const struct sl_field field = sl_csv_class(record->fields[table->columns[ROLE_METRIC]]);
        char *figure = sl_string_copy_n(field.text, field.length);
        const enum sl_status status =
            add_figure(table, row, record, table->columns[ROLE_VALUE], figure, run, err);
        free(figure);
        return status;
    }
    for (size_t i = 0; i < record->count; i++) {
        if (role_of(table->csv, i) != N_ROLES || record->fields[i].length == 0) continue;
        SL_TRY(add_figure(table, row, record, i, sl_csv_column_name(table->csv, i), run, err));
    }
    return SL_OK;
}

/* ---- The file ---- */

static enum sl_status fail_column(const struct table *table, const char *name, struct sl_error *err)
{
    const char *near = sl_text_nearest(name, role_names);
    char shown[SL_DESCRIBE_SIZE];
    return sl_csv_fail(table->csv, 1, err,
                       "column %s is neither a coordinate nor a figure called "
                       "test/metric%s%s%s",
                       sl_describe_text(name, strlen(name), shown), near ? ", did you mean \"" : "",
                       near ? near : "", near ? "\"?" : "");
}

static enum sl_status read_header(struct table *table, struct sl_error *err)
{
    size_t n_figures = 0;
    for (size_t i = 0; i < N_ROLES; i++)
        table->columns[i] = SIZE_MAX;
    for (size_t i = 0; i < sl_csv_column_count(table->csv); i++) {
        const char *name = sl_csv_column_name(table->csv, i);
        const enum role role = role_of(table->csv, i);
        if (role < N_ROLES)
            table->columns[role] = i;
        else if (!strchr(name, '/'))
            return fail_column(table, name, err);
        else
            n_figures++;
    }
    const bool has_metric = table->columns[ROLE_METRIC] != SIZE_MAX;
    table->is_long = table->columns[ROLE_VALUE] != SIZE_MAX;
    if (has_metric != table->is_long)
        return sl_csv_fail(table->csv, 1, err,
                           "a row per figure has both columns \"metric\" and \"value\"");
    if (table->is_long && n_figures)
        return sl_csv_fail(table->csv, 1, err,
                           "a row per figure (\"metric\", \"value\") has no columns of figures");
    if (!table->is_long && n_figures == 0)
        return sl_csv_fail(table->csv, 1, err,
                           "no column is a figure like test/metric, and there is no \"metric\" "
                           "with its \"value\"");
    return sl_csv_column(table->csv, role_names[ROLE_SET], &table->columns[ROLE_SET], err);
}

static enum sl_status read_rows(struct table *table, struct sl_error *err)
{
    for (;;) {
        struct sl_csv_record record;
        struct row row;
        SL_TRY(sl_csv_next(table->csv, &record, err));
        if (record.count == 0) return SL_OK;
        enum sl_status status = read_coordinates(table, &record, &row, err);
        if (status == SL_OK) status = add_figures(table, &row, &record, err);
        row_release(&row);
        if (status != SL_OK) return status;
    }
}

static void table_release(struct table *table)
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
    struct table table = {.results = results, .purpose = purpose, .names = sl_name_table_create()};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &table.csv, err));
    SL_TRY_OUT(read_header(&table, err));
    SL_TRY_OUT(open_named(&table, err));
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
