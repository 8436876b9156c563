/* Fills in what a specification may leave out: title, `needs`, the words that make labels from
 * answers, recipe, seeds, measures, and a table with a row per set and a column per measure. */
#include <stdlib.h>
#include <string.h>

#include "experiment/spec/spec_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/crowd.h"
#include "softlab/label.h"

/* ---- Labels ---- */

bool sl_spec_knows_method(const char *name, struct sl_error *err)
{
    const char *names[128] = {NULL};
    size_t count = 0;
    for (const struct sl_label_method *m = sl_label_methods; m->name && count < 64; m++)
        names[count++] = m->name;
    for (const struct sl_aggregator *a = sl_aggregators; a->name && count < 127; a++)
        names[count++] = a->name;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    const struct sl_aggregator *aggregator = sl_aggregator_known_as(name);
    const struct sl_label_method *method = sl_label_method_known_as(name);
    if (aggregator || method) {
        (void)sl_fail(err, SL_ERR_NOT_FOUND, "\"%s\" is called \"%s\" here", name,
                      aggregator ? aggregator->name : method->name);
        return false;
    }
    char ending[SL_SUGGESTION_TEXT];
    (void)sl_fail(err, SL_ERR_NOT_FOUND, "no label method is called \"%s\"%s", name,
                  sl_text_suggestion(name, names, "", ending));
    return false;
}

static void add_option(struct sl_text_list *words, const char *name, const json_t *value)
{
    char number[SL_NUMBER_TEXT];
    if (json_is_false(value) || json_is_null(value)) return;
    char *option = sl_string_printf("--%s", name);
    sl_text_list_add(words, option);
    free(option);
    if (json_is_string(value)) {
        sl_text_list_add(words, json_string_value(value));
    } else if (json_is_number(value)) {
        sl_text_from_double(json_number_value(value), number);
        sl_text_list_add(words, number);
    }
}

struct sl_text_list sl_spec_label_words(const struct sl_spec_set *set)
{
    struct sl_text_list words = {0};
    const char *name;
    json_t *value;
    if (!set->answers) return words;
    sl_text_list_add(&words, "labels");
    sl_text_list_add(&words, set->answers);
    sl_text_list_add(&words, "--method");
    sl_text_list_add(&words, set->method);
    json_object_foreach(set->options, name, value)
    {
        add_option(&words, name, value);
    }
    return words;
}

static void complete_sets(struct sl_spec_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++) {
        struct sl_spec_set *const made[] = {&sets->items[i], sets->items[i].extra};
        for (size_t j = 0; j < 2; j++)
            if (made[j] && !made[j]->labels.items && !made[j]->hard)
                made[j]->labels = sl_spec_label_words(made[j]);
    }
}

/* ---- Trainings ---- */

static void complete_training(struct sl_spec_design *design)
{
    static const int64_t seeds[] = {1, 2, 3};
    if (!design->recipe) design->recipe = sl_string_copy("quick");
    if (!design->seeds.items) {
        design->seeds.items = sl_alloc(sizeof seeds / sizeof *seeds, sizeof *seeds);
        design->seeds.count = sizeof seeds / sizeof *seeds;
        memcpy(design->seeds.items, seeds, sizeof seeds);
    }
    for (size_t i = 0; i < design->tests.count; i++) {
        struct sl_text_list *asked = &design->tests.items[i].metrics;
        if (asked->items) continue;
        sl_text_list_add(asked, "accuracy");
        sl_text_list_add(asked, "cross_entropy");
    }
}

/* ---- Needs and table ---- */

/* The design of the whole for 0, then those of the parts. */
static struct sl_spec_design *design_at(struct sl_spec_body *body, size_t place)
{
    if (place == 0) return &body->design;
    return &body->parts.items[place - 1];
}

static void complete_needs(struct sl_spec_body *body)
{
    const bool labels = body->compute.names || body->further.names || body->show.items;
    bool train = false;
    for (size_t i = 0; i <= body->parts.count; i++)
        train = train || design_at(body, i)->sets.names;
    if (train) sl_text_list_add(&body->needs, "train");
    if (labels) sl_text_list_add(&body->needs, "labels");
}

/* A column for every measure of every test, without repeats. */
static void add_columns(struct sl_text_list *columns, const struct sl_spec_tests *tests)
{
    for (size_t i = 0; tests->names && i < tests->count; i++) {
        const struct sl_text_list *metrics = &tests->items[i].metrics;
        for (size_t j = 0; j < metrics->count; j++) {
            char *column = sl_string_printf("%s/%s", tests->names[i], metrics->items[j]);
            if (!sl_text_list_has(columns, column)) sl_text_list_add(columns, column);
            free(column);
        }
    }
}

static void complete_table(struct sl_spec_body *body)
{
    struct sl_spec_table *table = sl_alloc(1, sizeof *table);
    bool several = false;
    for (size_t i = 0; i <= body->parts.count; i++) {
        several = several || design_at(body, i)->networks.count > 1;
        add_columns(&table->columns, &design_at(body, i)->tests);
    }
    if (body->parts.names) sl_text_list_add(&table->rows, "part");
    sl_text_list_add(&table->rows, "set");
    sl_text_list_add(&table->pool, "seed");
    sl_text_list_add(&table->pool, "fold");
    sl_text_list_add(several ? &table->rows : &table->pool, "network");
    table->interval = sl_string_copy("t95");
    table->cells.names = sl_alloc(1, sizeof *table->cells.names); /* empty: no published cells */
    body->table = table;
}

void sl_spec_complete(struct sl_spec_body *body)
{
    bool tests = false;
    for (size_t i = 0; i <= body->parts.count; i++) {
        struct sl_spec_design *design = design_at(body, i);
        complete_sets(&design->sets);
        complete_sets(&design->references);
        if (design->sets.names) complete_training(design);
        tests = tests || design->tests.names;
    }
    if (!body->title) body->title = sl_string_copy(body->name);
    if (!body->needs.items) complete_needs(body);
    if (!body->table && tests) complete_table(body);
}
