/* What a specification says to those who judge and present its results, read from its JSON once, at
 * the scale that was applied. Whatever kind of value a key must have, spec_check.c saw to it; where
 * it lets any value stand, what is of another kind is left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/spec/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* ---- Names ---- */

static void add_name(struct sl_name_list *list, const char *name)
{
    list->names = sl_resize(list->names, list->count + 2, sizeof *list->names);
    list->names[list->count++] = name;
    list->names[list->count] = NULL;
}

/* The texts of a list, or the keys of an object. */
static struct sl_name_list names_in(json_t *from)
{
    struct sl_name_list list = {0};
    const char *key;
    json_t *value;
    for (size_t i = 0; i < json_array_size(from); i++) {
        const char *name = json_string_value(json_array_get(from, i));
        if (name) add_name(&list, name);
    }
    json_object_foreach(from, key, value)
    {
        add_name(&list, key);
    }
    return list;
}

bool sl_name_list_has(const struct sl_name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (sl_text_same(list->names[i], name)) return true;
    return false;
}

/* ---- The table ---- */

static void read_rows(const json_t *table, struct sl_brief *out)
{
    static const char *const words[SL_COORDINATES] = {"part", "set", "network"};
    const json_t *rows = json_object_get(table, "rows");
    for (size_t i = 0; i < json_array_size(rows) && out->n_rows < SL_COORDINATES; i++)
        for (size_t c = 0; c < SL_COORDINATES; c++)
            if (sl_text_same(json_string_value(json_array_get(rows, i)), words[c]))
                out->rows[out->n_rows++] = (enum sl_coordinate)c;
}

/* "<coordinates>|<column>" to the cell that is printed there. */
static void read_cells(const json_t *table, struct sl_brief *out)
{
    json_t *cells = json_object_get(table, "cells"), *value;
    const char *entry;
    out->cells = sl_alloc(json_object_size(cells) + 1, sizeof *out->cells);
    json_object_foreach(cells, entry, value)
    {
        const char *bar = strrchr(entry, '|'), *cell = json_string_value(value);
        if (bar && cell)
            out->cells[out->n_cells++] =
                (struct sl_brief_cell){.pattern = sl_string_copy_n(entry, (size_t)(bar - entry)),
                                       .column = bar + 1,
                                       .cell = cell};
    }
}

/* The numbers of an object, by key. */
static struct sl_brief_number *read_numbers(json_t *from, size_t *count)
{
    struct sl_brief_number *list = sl_alloc(json_object_size(from) + 1, sizeof *list);
    const char *key;
    json_t *value;
    json_object_foreach(from, key, value)
    {
        if (json_is_number(value))
            list[(*count)++] = (struct sl_brief_number){key, json_number_value(value)};
    }
    return list;
}

static void read_table(const struct sl_spec *spec, struct sl_brief *out)
{
    json_t *table = json_object_get(spec->json, "table");
    read_rows(table, out);
    read_cells(table, out);
    out->columns = names_in(json_object_get(table, "columns"));
    out->has_sd = sl_text_same(text_of(table, "interval"), "sd");
    out->factors = read_numbers(json_object_get(table, "scale"), &out->n_factors);
    out->defined = read_numbers(json_object_get(spec->json, "names"), &out->n_defined);
}

/* ---- Designs: the whole and its parts ---- */

/* A key of the design, of the part if that has it. */
static json_t *design_of(const json_t *spec, const json_t *part, const char *key)
{
    json_t *value = json_object_get(part, key);
    return value ? value : json_object_get(spec, key);
}

/* n_test / n_train where a share of the items is drawn anew for every seed; 0: it is not. */
static double drawn_overlap(const char *split)
{
    static const char drawn[] = "share:";
    double share;
    if (!split || strncmp(split, drawn, sizeof drawn - 1) != 0) return 0;
    split += sizeof drawn - 1;
    if (!sl_text_to_real(split, strlen(split), &share) || !(share > 0 && share < 1)) return 0;
    return (1 - share) / share;
}

static struct sl_brief_design read_design(const json_t *spec, json_t *part, const char *name)
{
    const json_t *own = part ? part : spec;
    const double folds = json_number_value(design_of(spec, part, "folds"));
    return (struct sl_brief_design){
        .name = name,
        .missing = text_of(own, "missing"),
        .sets = names_in(json_object_get(own, "sets")),
        .networks = names_in(json_object_get(own, "networks")),
        .tests = names_in(json_object_get(own, "tests")),
        .fold_overlap = folds >= 2 ? 1 / (folds - 1) : 0,
        .seed_overlap = drawn_overlap(json_string_value(design_of(spec, part, "split")))};
}

static enum sl_scale_kind worse(enum sl_scale_kind a, enum sl_scale_kind b)
{
    return a > b ? a : b;
}

/* Of what a scale changes, its parts left aside: some keys only say how many runs are made. */
static enum sl_scale_kind kind_of(json_t *changes, json_t *networks)
{
    static const char *const counts[] = {"networks", "seeds", "sets", "run_folds", NULL};
    struct sl_name_list known = names_in(networks);
    enum sl_scale_kind kind = SL_RUNS_ALL;
    const char *key;
    json_t *value;
    json_object_foreach(changes, key, value)
    {
        size_t at = 0;
        if (strcmp(key, "parts") == 0) continue;
        while (counts[at] && strcmp(counts[at], key) != 0)
            at++;
        kind = worse(kind, counts[at] ? SL_RUNS_FEWER : SL_RUNS_OTHER);
        for (size_t i = 0; at == 0 && i < json_array_size(value); i++)
            if (!sl_name_list_has(&known, json_string_value(json_array_get(value, i))))
                kind = SL_RUNS_OTHER;
    }
    free(known.names);
    return kind;
}

/* What the scale makes of a design; the whole is as its worst part. */
static enum sl_scale_kind scale_kind_of(const struct sl_spec *spec, const char *part)
{
    const json_t *paper = spec->document.root, *parts = json_object_get(paper, "parts");
    json_t *scale = json_object_get(json_object_get(paper, "scales"), spec->scale), *own;
    const char *name;
    if (!sl_spec_is_small(spec)) return SL_RUNS_ALL;
    if (!scale) return SL_RUNS_OTHER;
    enum sl_scale_kind kind =
        kind_of(scale, design_of(paper, part ? json_object_get(parts, part) : NULL, "networks"));
    json_object_foreach(json_object_get(scale, "parts"), name, own)
    {
        if (!part || strcmp(part, name) == 0)
            kind = worse(kind,
                         kind_of(own, design_of(paper, json_object_get(parts, name), "networks")));
    }
    return kind;
}

static void read_designs(const struct sl_spec *spec, struct sl_brief *out)
{
    json_t *parts = json_object_get(spec->json, "parts"), *part;
    const char *name;
    out->designs = sl_alloc(json_object_size(parts) + 1, sizeof *out->designs);
    out->designs[out->n_designs++] = read_design(spec->json, NULL, NULL);
    json_object_foreach(parts, name, part)
    {
        out->designs[out->n_designs++] = read_design(spec->json, part, name);
    }
    for (size_t i = 0; i < out->n_designs; i++)
        out->designs[i].scale_kind = scale_kind_of(spec, out->designs[i].name);
}

/* ---- Figures without runs ---- */

static void read_figures(const struct sl_spec *spec, struct sl_brief *out)
{
    static const char *const blocks[] = {"compute", "further"};
    const char *cell;
    json_t *value, *absent = json_object_get(spec->json, "absent");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        json_object_foreach(json_object_get(spec->json, blocks[i]), cell, value)
        {
            out->figures = sl_resize(out->figures, out->n_figures + 1, sizeof *out->figures);
            out->figures[out->n_figures++] = (struct sl_brief_figure){
                .cell = cell, .definition = value, .missing = text_of(value, "missing")};
        }
    out->absent = sl_alloc(json_object_size(absent) + 1, sizeof *out->absent);
    json_object_foreach(absent, cell, value)
    {
        if (json_is_string(value))
            out->absent[out->n_absent++] = (struct sl_brief_pair){cell, json_string_value(value)};
    }
}

/* ---- What is drawn, and what is asked ---- */

static void read_plot(const struct sl_spec *spec, struct sl_brief *out)
{
    json_t *plot = json_object_get(spec->json, "plot"), *series = json_object_get(plot, "series");
    const char *name;
    json_t *sets;
    out->has_plot = plot != NULL;
    out->plot_x = text_of(plot, "x");
    out->series = sl_alloc(json_object_size(series) + 1, sizeof *out->series);
    json_object_foreach(series, name, sets)
    {
        out->series[out->n_series++] = (struct sl_brief_series){
            .name = name,
            .sets = names_in(sets),
            .all = number_of(json_object_get(plot, "all"), name),
            .seconds = number_of(json_object_get(plot, "seconds_per_answer"), name)};
    }
}

static void read_sets(const struct sl_spec *spec, struct sl_brief *out)
{
    json_t *sets = json_object_get(spec->json, "sets"), *set;
    const char *name;
    out->sets = sl_alloc(json_object_size(sets) + 1, sizeof *out->sets);
    json_object_foreach(sets, name, set)
    {
        out->sets[out->n_sets++] = (struct sl_brief_set){
            .name = name,
            .count = number_of(set, "count"),
            .annotators = number_of(json_object_get(set, "options"), "annotators")};
    }
}

static void read_words(const struct sl_spec *spec, struct sl_brief *out)
{
    const json_t *answer = json_object_get(spec->json, "answer");
    json_t *roles = json_object_get(spec->json, "stands_for"), *role;
    const char *network;
    out->title = text_of(spec->json, "title");
    out->source = text_of(spec->json, "source");
    out->people = text_of(spec->json, "people");
    out->notes = names_in(json_object_get(spec->json, "notes"));
    out->question = (struct sl_brief_question){.against = text_of(answer, "against"),
                                               .distance = text_of(answer, "distance"),
                                               .model = text_of(answer, "model")};
    out->stands_for = sl_alloc(json_object_size(roles) + 1, sizeof *out->stands_for);
    json_object_foreach(roles, network, role)
    {
        if (json_is_string(role))
            out->stands_for[out->n_stands_for++] =
                (struct sl_brief_pair){network, json_string_value(role)};
    }
}

struct sl_brief *sl_brief_create(const struct sl_spec *spec)
{
    struct sl_brief *brief = sl_alloc(1, sizeof *brief);
    read_words(spec, brief);
    read_table(spec, brief);
    read_designs(spec, brief);
    read_figures(spec, brief);
    read_plot(spec, brief);
    read_sets(spec, brief);
    return brief;
}

void sl_brief_destroy(struct sl_brief *brief)
{
    if (!brief) return;
    for (size_t i = 0; i < brief->n_cells; i++)
        free(brief->cells[i].pattern);
    for (size_t i = 0; i < brief->n_designs; i++) {
        free(brief->designs[i].sets.names);
        free(brief->designs[i].networks.names);
        free(brief->designs[i].tests.names);
    }
    for (size_t i = 0; i < brief->n_series; i++)
        free(brief->series[i].sets.names);
    free(brief->columns.names);
    free(brief->notes.names);
    free(brief->cells);
    free(brief->factors);
    free(brief->defined);
    free(brief->designs);
    free(brief->figures);
    free(brief->absent);
    free(brief->series);
    free(brief->sets);
    free(brief->stands_for);
    free(brief);
}

/* ---- Lookups ---- */

double sl_brief_factor(const struct sl_brief *brief, const char *metric)
{
    for (size_t i = 0; i < brief->n_factors; i++)
        if (strcmp(brief->factors[i].name, metric) == 0) return brief->factors[i].value;
    return 1;
}

const struct sl_brief_design *sl_brief_design_find(const struct sl_brief *brief, const char *part)
{
    for (size_t i = 1; part && i < brief->n_designs; i++)
        if (strcmp(brief->designs[i].name, part) == 0) return &brief->designs[i];
    return &brief->designs[0];
}
