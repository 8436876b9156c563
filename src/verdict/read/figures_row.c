/* The specification and the run that the figures of a row belong to. */
#include "verdict/read/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/describe.h"

const char *const sl_figures_roles[] = {"spec", "scale", "variant", "part",  "set", "network",
                                        "seed", "fold",  "metric",  "value", NULL};

enum sl_status sl_figures_fail_name(const struct sl_figures_table *table, size_t line,
                                    const char *what, const char *word, const char *const *names,
                                    struct sl_error *err)
{
    enum { SHOWN = 8 };
    char shown[SL_DESCRIBE_SIZE], ending[SL_SUGGESTION_TEXT];
    const char *meant = sl_text_suggestion(word, names, NULL, ending);
    sl_describe_text(word, strlen(word), shown);
    if (meant) return sl_csv_fail(table->csv, line, err, "%s %s%s", what, shown, meant);
    struct sl_buffer list;
    sl_buffer_init(&list, 1 << 16);
    for (size_t i = 0; i <= SHOWN && names[i]; i++)
        sl_buffer_printf(&list, "%s%s",
                         i ? ", " : "; it is one of: ", i < SHOWN ? names[i] : "...");
    const enum sl_status status =
        sl_csv_fail(table->csv, line, err, "%s %s%s", what, shown, list.length ? list.data : "");
    sl_buffer_release(&list);
    return status;
}

/* ---- The specification that a row is for ---- */

static enum sl_status read_known(struct sl_figures_table *table, const char *name,
                                 const char *called, const char *scale, size_t line,
                                 const struct sl_spec **out, struct sl_error *err)
{
    static const char *const scales[] = {"quick", "small", "paper", NULL};
    const json_t *record = json_object_get(table->results->specs, name);
    struct sl_spec *spec = NULL;
    enum sl_status status = record ? sl_spec_from_record(record, scale, &spec, err)
                                   : sl_spec_read(called ? called : name, scale, &spec, err);
    /* Without training all scales are equal, so a reader would not notice a misspelt one. */
    if (status == SL_OK && strcmp(scale, "paper") != 0 && !sl_spec_is_small(spec)) {
        sl_spec_destroy(spec);
        status = SL_ERR_USAGE;
    }
    if (status == SL_ERR_USAGE) {
        char *what = sl_string_printf("%s has no scale", name);
        const enum sl_status failed = sl_figures_fail_name(table, line, what, scale, scales, err);
        free(what);
        return failed;
    }
    if (status != SL_OK) return status;
    table->known = sl_resize(table->known, table->n_known + 1, sizeof *table->known);
    table->known[table->n_known++] =
        (struct sl_figures_spec){.called = called, .scale = sl_string_copy(scale), .spec = spec};
    *out = spec;
    return SL_OK;
}

enum sl_status sl_figures_open_specs(struct sl_figures_table *table, struct sl_error *err)
{
    for (size_t i = 0; i < table->purpose->n_specs; i++) {
        const char *called = table->purpose->specs[i];
        const struct sl_spec *spec;
        SL_TRY(read_known(table, called, called, "paper", 1, &spec, err));
    }
    return SL_OK;
}

/* The names that the column "spec" may have, NULL-ended; the caller frees the list. */
static const char **list_specs(const struct sl_figures_table *table)
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

static enum sl_status check_spec_name(const struct sl_figures_table *table,
                                      const struct sl_figures_row *row, struct sl_error *err)
{
    const char **names = list_specs(table), *name = row->texts[SL_ROLE_SPEC];
    enum sl_status status = SL_OK;
    size_t at = 0;
    while (names[at] && strcmp(names[at], name) != 0)
        at++;
    if (!names[at])
        status =
            sl_figures_fail_name(table, row->line, "no specification is called", name, names, err);
    free(names);
    return status;
}

/* Find the specification of a row, from its column or --spec, at the row's scale. */
static enum sl_status find_spec(struct sl_figures_table *table, struct sl_figures_row *row,
                                struct sl_error *err)
{
    const char *scale = row->texts[SL_ROLE_SCALE] ? row->texts[SL_ROLE_SCALE] : "paper";
    const char *called = NULL;
    if (!row->texts[SL_ROLE_SPEC] && table->purpose->n_specs == 1)
        row->texts[SL_ROLE_SPEC] = sl_string_copy(table->known[0].spec->name);
    if (!row->texts[SL_ROLE_SPEC])
        return sl_csv_fail(table->csv, row->line, err,
                           "the specification of the figures is not given: add a column \"spec\", "
                           "or name one for all rows with --spec");
    SL_TRY(check_spec_name(table, row, err));
    for (size_t i = 0; i < table->n_known; i++) {
        const struct sl_figures_spec *known = &table->known[i];
        if (strcmp(known->spec->name, row->texts[SL_ROLE_SPEC]) != 0) continue;
        if (strcmp(known->scale, scale) == 0) {
            row->spec = known->spec;
            return SL_OK;
        }
        called = known->called;
    }
    return read_known(table, row->texts[SL_ROLE_SPEC], called, scale, row->line, &row->spec, err);
}

/* ---- Coordinates ---- */

static enum sl_status check_part(const struct sl_figures_table *table,
                                 const struct sl_figures_row *row, const char *const *parts,
                                 struct sl_error *err)
{
    const char *part = row->texts[SL_ROLE_PART];
    size_t at = 0;
    if (!parts[0] && part)
        return sl_csv_fail(table->csv, row->line, err, "%s has no parts: leave \"part\" empty",
                           row->spec->name);
    if (parts[0] && !part)
        return sl_csv_fail(table->csv, row->line, err,
                           "\"part\" is missing: %s has parts, name one", row->spec->name);
    while (part && parts[at] && strcmp(parts[at], part) != 0)
        at++;
    if (!part || parts[at]) return SL_OK;
    char *what = sl_string_printf("%s has no part", row->spec->name);
    const enum sl_status status = sl_figures_fail_name(table, row->line, what, part, parts, err);
    free(what);
    return status;
}

/* Check a label set or network against the specification; one without networks accepts any. */
static enum sl_status check_listed(const struct sl_figures_table *table,
                                   const struct sl_figures_row *row, enum sl_figures_role role,
                                   const struct sl_name_list *list, struct sl_error *err)
{
    const char *name = row->texts[role];
    const char *const none[] = {NULL};
    if (!name || sl_name_list_has(list, name)) return SL_OK;
    if (role == SL_ROLE_NETWORK && list->count == 0) return SL_OK;
    char *what = sl_string_printf("%s has no %s", row->spec->name, sl_figures_roles[role]);
    const enum sl_status status =
        sl_figures_fail_name(table, row->line, what, name, list->count ? list->names : none, err);
    free(what);
    return status;
}

static bool has_rows_by(const struct sl_brief *brief, enum sl_coordinate coordinate)
{
    for (size_t i = 0; i < brief->n_rows; i++)
        if (brief->rows[i] == coordinate) return true;
    return false;
}

static enum sl_status check_place(const struct sl_figures_table *table,
                                  const struct sl_figures_row *row, struct sl_error *err)
{
    const struct sl_brief *brief = row->spec->brief;
    const struct sl_brief_design *whole = &brief->designs[0];
    const char **parts = sl_alloc(brief->n_designs, sizeof *parts);
    enum sl_status status = SL_OK;
    for (size_t i = 1; i < brief->n_designs; i++)
        parts[i - 1] = brief->designs[i].name;
    SL_TRY_OUT(check_part(table, row, parts, err));
    const struct sl_brief_design *own = sl_brief_design_find(brief, row->texts[SL_ROLE_PART]);
    SL_TRY_OUT(
        check_listed(table, row, SL_ROLE_SET, own->sets.count ? &own->sets : &whole->sets, err));
    SL_TRY_OUT(check_listed(table, row, SL_ROLE_NETWORK,
                            own->networks.count ? &own->networks : &whole->networks, err));
    if (!row->texts[SL_ROLE_SET])
        status = sl_csv_fail(table->csv, row->line, err, "\"set\" is empty: name the label set");
    else if (!row->texts[SL_ROLE_NETWORK] && has_rows_by(brief, SL_COORDINATE_NETWORK))
        status = sl_csv_fail(table->csv, row->line, err,
                             "\"network\" is missing: %s has a row per network", row->spec->name);
out:
    free(parts);
    return status;
}

static enum sl_status check_variant(const struct sl_figures_table *table,
                                    struct sl_figures_row *row, struct sl_error *err)
{
    static const char *const variants[] = {"as-run", "as-published", NULL};
    const char *variant = row->texts[SL_ROLE_VARIANT];
    if (!variant)
        row->texts[SL_ROLE_VARIANT] = sl_string_copy(variants[0]);
    else if (strcmp(variant, variants[0]) != 0 && strcmp(variant, variants[1]) != 0)
        return sl_figures_fail_name(table, row->line, "no variant is called", variant, variants,
                                    err);
    return SL_OK;
}

static enum sl_status read_index(const struct sl_figures_table *table,
                                 const struct sl_csv_record *record, enum sl_figures_role role,
                                 int64_t *out, struct sl_error *err)
{
    const size_t column = table->columns[role];
    *out = -1;
    if (column == SIZE_MAX || record->fields[column].length == 0) return SL_OK;
    return sl_csv_integer(table->csv, record, column, 0, INT64_MAX, out, err);
}

void sl_figures_row_release(struct sl_figures_row *row)
{
    for (size_t i = 0; i < SL_ROLE_TEXTS; i++)
        free(row->texts[i]);
}

enum sl_status sl_figures_row_read(struct sl_figures_table *table,
                                   const struct sl_csv_record *record, struct sl_figures_row *row,
                                   struct sl_error *err)
{
    *row = (struct sl_figures_row){.line = record->line};
    for (size_t i = 0; i < SL_ROLE_TEXTS; i++) {
        if (table->columns[i] == SIZE_MAX) continue;
        const struct sl_field field = sl_csv_class(record->fields[table->columns[i]]);
        if (sl_utf8_valid(field.text, field.length) != field.length)
            return sl_csv_fail(table->csv, record->line, err, "\"%s\" is not UTF-8",
                               sl_figures_roles[i]);
        if (field.length) row->texts[i] = sl_string_copy_n(field.text, field.length);
    }
    SL_TRY(read_index(table, record, SL_ROLE_SEED, &row->seed, err));
    SL_TRY(read_index(table, record, SL_ROLE_FOLD, &row->fold, err));
    SL_TRY(find_spec(table, row, err));
    SL_TRY(check_variant(table, row, err));
    return check_place(table, row, err);
}
