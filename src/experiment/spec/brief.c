/* Collects what reports need from a specification at its scale. Texts are borrowed from the
 * specification. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/spec/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* ---- Names ---- */

static struct sl_name_list list_names(char *const *names, size_t count)
{
    struct sl_name_list list = {.count = names ? count : 0};
    if (list.count == 0) return list;
    list.names = sl_alloc(count + 1, sizeof *list.names);
    for (size_t i = 0; i < count; i++)
        list.names[i] = names[i];
    return list;
}

bool sl_name_list_has(const struct sl_name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (sl_text_same(list->names[i], name)) return true;
    return false;
}

static struct sl_brief_number *list_numbers(const struct sl_spec_numbers *from, size_t *count)
{
    struct sl_brief_number *list = sl_alloc(from->count + 1, sizeof *list);
    for (*count = 0; *count < from->count; ++*count)
        list[*count] = (struct sl_brief_number){from->names[*count], from->items[*count].value};
    return list;
}

/* NaN if there is no such name. */
static double find_number(const struct sl_spec_numbers *numbers, const char *name)
{
    const size_t place = sl_names_place(numbers->names, numbers->count, name);
    return place < numbers->count ? numbers->items[place].value : (double)NAN;
}

static struct sl_brief_pair *list_words(const struct sl_spec_words *from, size_t *count)
{
    struct sl_brief_pair *list = sl_alloc(from->count + 1, sizeof *list);
    for (*count = 0; *count < from->count; ++*count)
        list[*count] = (struct sl_brief_pair){from->names[*count], from->items[*count].text};
    return list;
}

/* ---- The table ---- */

static void add_rows(const struct sl_spec_table *table, struct sl_brief *out)
{
    static const char *const words[SL_COORDINATES] = {"part", "set", "network"};
    for (size_t i = 0; i < table->rows.count && out->n_rows < SL_COORDINATES; i++)
        for (size_t c = 0; c < SL_COORDINATES; c++)
            if (strcmp(table->rows.items[i], words[c]) == 0)
                out->rows[out->n_rows++] = (enum sl_coordinate)c;
}

/* Split "<coordinates>|<column>" and keep the cell of expected.csv that it fills. */
static void add_cells(const struct sl_spec_words *cells, struct sl_brief *out)
{
    out->cells = sl_alloc(cells->count + 1, sizeof *out->cells);
    for (size_t i = 0; i < cells->count; i++) {
        const char *entry = cells->names[i], *bar = strrchr(entry, '|');
        out->cells[out->n_cells++] =
            (struct sl_brief_cell){.pattern = sl_string_copy_n(entry, (size_t)(bar - entry)),
                                   .column = bar + 1,
                                   .cell = cells->items[i].text};
    }
}

static void add_table(const struct sl_spec_body *body, struct sl_brief *out)
{
    const struct sl_spec_table none = {0}, *table = body->table ? body->table : &none;
    add_rows(table, out);
    add_cells(&table->cells, out);
    out->columns = list_names(table->columns.items, table->columns.count);
    out->has_sd = sl_text_same(table->interval, "sd");
    out->factors = list_numbers(&table->scale, &out->n_factors);
    out->defined = list_numbers(&body->names, &out->n_defined);
}

/* ---- Designs: the whole and its parts ---- */

/* n_test / n_train if every seed draws its own share of the items; otherwise 0. */
static double drawn_overlap(const char *split)
{
    static const char drawn[] = "share:";
    double share;
    if (!split || strncmp(split, drawn, sizeof drawn - 1) != 0) return 0;
    split += sizeof drawn - 1;
    if (!sl_text_to_real(split, strlen(split), &share) || !(share > 0 && share < 1)) return 0;
    return (1 - share) / share;
}

static void add_design(const struct sl_spec *spec, const char *part,
                       const struct sl_spec_design *design, struct sl_brief *out)
{
    /* A part inherits the reason of the whole, which the report states once. */
    const char *whole = part ? spec->body->design.missing : NULL;
    const bool is_own = !whole || !sl_text_same(design->missing, whole);
    out->designs[out->n_designs++] = (struct sl_brief_design){
        .name = part,
        .missing = is_own ? design->missing : NULL,
        .sets = list_names(design->sets.names, design->sets.count),
        .networks = list_names(design->networks.items, design->networks.count),
        .tests = list_names(design->tests.names, design->tests.count),
        .fold_overlap = design->folds >= 2 ? 1 / ((double)design->folds - 1) : 0,
        .seed_overlap = drawn_overlap(design->split),
        .scale_kind = sl_scale_kind_of(spec, part)};
}

static void add_designs(const struct sl_spec *spec, struct sl_brief *out)
{
    const struct sl_spec_parts *parts = &spec->body->parts;
    out->designs = sl_alloc(parts->count + 1, sizeof *out->designs);
    add_design(spec, NULL, &spec->body->design, out);
    for (size_t i = 0; i < parts->count; i++)
        add_design(spec, parts->names[i], &parts->items[i], out);
}

/* ---- Figures without runs ---- */

static void add_figures(const struct sl_spec_body *body, struct sl_brief *out)
{
    const struct sl_spec_figures *const blocks[] = {&body->compute, &body->further};
    out->figures = sl_alloc(body->compute.count + body->further.count + 1, sizeof *out->figures);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (size_t i = 0; i < blocks[b]->count; i++)
            out->figures[out->n_figures++] = (struct sl_brief_figure){
                .cell = blocks[b]->names[i],
                .definition = sl_fields_write(&sl_spec_figure_fields, &blocks[b]->items[i]),
                .missing = blocks[b]->items[i].missing};
    out->absent = list_words(&body->absent, &out->n_absent);
}

/* ---- Plot, sets and question ---- */

static void add_plot(const struct sl_spec_plot *plot, struct sl_brief *out)
{
    if (!plot) return;
    out->plot_x = plot->x;
    out->series = sl_alloc(plot->series.count + 1, sizeof *out->series);
    for (size_t i = 0; i < plot->series.count; i++) {
        const char *name = plot->series.names[i];
        const struct sl_text_list *sets = &plot->series.items[i].sets;
        out->series[out->n_series++] =
            (struct sl_brief_series){.name = name,
                                     .sets = list_names(sets->items, sets->count),
                                     .all = find_number(&plot->all, name),
                                     .seconds = find_number(&plot->seconds_per_answer, name)};
    }
}

static void add_sets(const struct sl_spec_sets *sets, struct sl_brief *out)
{
    out->sets = sl_alloc(sets->count + 1, sizeof *out->sets);
    for (size_t i = 0; i < sets->count; i++) {
        const struct sl_spec_set *set = &sets->items[i];
        const json_t *annotators = json_object_get(set->options, "annotators");
        out->sets[out->n_sets++] = (struct sl_brief_set){
            .name = sets->names[i],
            .count = set->count > 0 ? (double)set->count : (double)NAN,
            .annotators = annotators ? json_number_value(annotators) : (double)NAN};
    }
}

static void add_words(const struct sl_spec *spec, struct sl_brief *out)
{
    const struct sl_spec_body *body = spec->body;
    const struct sl_spec_scale *scale = sl_spec_scale_find(spec->written, spec->scale);
    const struct sl_spec_words none = {0};
    out->title = body->title;
    out->source = body->source;
    out->people = body->people;
    out->notes = list_names(body->notes.items, body->notes.count);
    if (body->answer)
        out->question = (struct sl_brief_question){.against = body->answer->against,
                                                   .distance = body->answer->distance,
                                                   .model = body->answer->model};
    out->stands_for = list_words(scale ? &scale->stands_for : &none, &out->n_stands_for);
}

struct sl_brief *sl_brief_create(const struct sl_spec *spec)
{
    struct sl_brief *brief = sl_alloc(1, sizeof *brief);
    add_words(spec, brief);
    add_table(spec->body, brief);
    add_designs(spec, brief);
    add_figures(spec->body, brief);
    add_plot(spec->body->plot, brief);
    add_sets(&spec->body->design.sets, brief);
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
    for (size_t i = 0; i < brief->n_figures; i++)
        json_decref(brief->figures[i].definition);
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
