#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind_internal.h"
#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"

enum { MOST_ARRAYS = 12, MOST_TEXTS = 4 };

struct array {
    const char *name, *type;
    const void *data; /* borrowed from the result */
    size_t n_dimensions;
    size_t shape[SL_RESULT_DIMENSIONS];
};
struct texts {
    const char *name;
    struct sl_buffer text; /* owned */
};

struct sl_desk_result {
    char *json;                  /* owned, or NULL */
    struct sl_exchange exchange; /* owned; nothing is lent */
    struct sl_dataset *dataset;  /* owned, or NULL */
    struct sl_votes_figures figures;
    struct array arrays[MOST_ARRAYS];
    size_t n_arrays;
    struct texts texts[MOST_TEXTS];
    size_t n_texts;
};

/* ---- Filling ---- */

static void add_array(struct sl_desk_result *result, struct array array)
{
    if (array.data && result->n_arrays < MOST_ARRAYS) result->arrays[result->n_arrays++] = array;
}

static struct sl_buffer *add_texts(struct sl_desk_result *result, const char *name)
{
    struct texts *texts = &result->texts[result->n_texts++];
    texts->name = name;
    sl_buffer_init(&texts->text, SIZE_MAX);
    return &texts->text;
}

static void add_strings(struct sl_desk_result *result, const char *name, char *const *strings,
                        size_t count)
{
    if (!strings) return;
    struct sl_buffer *text = add_texts(result, name);
    for (size_t i = 0; i < count; i++)
        sl_buffer_append(text, strings[i], strlen(strings[i]) + 1);
}

static void add_rows(struct sl_desk_result *result, const struct sl_rows *rows)
{
    if (!rows) return;
    add_array(result,
              (struct array){"rows", "<f4", rows->values, 2, {rows->n_rows, rows->n_classes}});
    add_strings(result, "items", rows->items, rows->n_rows);
    add_strings(result, "classes", rows->classes, rows->n_classes);
    add_strings(result, "annotators", rows->annotators, rows->n_rows);
}

static void add_state(struct sl_desk_result *result, const struct sl_exchange *exchange)
{
    const struct sl_crowd_state *state = &exchange->state;
    const size_t n = state->n_annotators, k = state->n_classes;
    const struct array arrays[] = {
        {"prior", "<f8", state->class_prior, 1, {k}},
        {"confusion", "<f4", state->confusion, 3, {n, k, k}},
        {"skill", "<f8", state->skill, 1, {n}},
        {"weight", "<f8", state->weight, 1, {n}},
        {"ability", "<f8", state->ability, 1, {n}},
        {"easiness", "<f8", state->easiness, 1, {state->n_items}},
        {"strategy", "<f8", state->strategy, 2, {n, k}},
        {"trace", "<f8", state->trace, 1, {state->n_iterations}},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        add_array(result, arrays[i]);
    if (!exchange->annotators) return;
    const struct sl_name_pool pool = sl_name_table_pool(exchange->annotators);
    sl_buffer_append(add_texts(result, "annotators"), pool.text, pool.length);
}

struct sl_desk_result *sl_desk_result_of_task(json_t *json, struct sl_exchange *exchange)
{
    struct sl_desk_result *result = sl_alloc(1, sizeof *result);
    if (json) result->json = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(json);
    result->exchange = *exchange;
    result->exchange.lent = NULL;
    result->exchange.n_lent = 0;
    exchange->rows = NULL;
    exchange->state = (struct sl_crowd_state){0};
    exchange->annotators = NULL;
    add_rows(result, result->exchange.rows);
    add_state(result, &result->exchange);
    return result;
}

struct sl_desk_result *sl_desk_result_of_figures(struct sl_votes_figures *figures, double all)
{
    struct sl_desk_result *result = sl_alloc(1, sizeof *result);
    const double value = isnan(all) ? figures->mean : all;
    json_t *json = json_pack("{s:o}", "all", isnan(value) ? json_null() : json_real(value));
    result->json = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    result->figures = *figures;
    *figures = (struct sl_votes_figures){0};
    add_array(result,
              (struct array){"figures", "<f8", result->figures.values, 1, {result->figures.count}});
    return result;
}

struct sl_desk_result *sl_desk_result_of_dataset(struct sl_dataset *dataset)
{
    const size_t n = dataset->count;
    const struct array arrays[] = {
        {"pixels",
         "|u1",
         dataset->pixels,
         4,
         {n, dataset->height, dataset->width, dataset->channels}},
        {"features", "<f4", dataset->features, 2, {n, dataset->n_features}},
        {"labels", "<i4", dataset->labels, 1, {n}},
        {"truth", "<f4", dataset->truth, 2, {n, dataset->n_classes}},
    };
    struct sl_desk_result *result = sl_alloc(1, sizeof *result);
    result->dataset = dataset;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        add_array(result, arrays[i]);
    add_strings(result, "items", dataset->items, n);
    add_strings(result, "classes", dataset->classes, dataset->n_classes);
    add_strings(result, "texts", dataset->texts, n);
    return result;
}

void sl_desk_result_destroy(struct sl_desk_result *result)
{
    if (!result) return;
    for (size_t i = 0; i < result->n_texts; i++)
        sl_buffer_release(&result->texts[i].text);
    sl_exchange_release(&result->exchange);
    sl_dataset_destroy(result->dataset);
    sl_votes_figures_release(&result->figures);
    free(result->json);
    free(result);
}

/* ---- Reading ---- */

const char *sl_desk_result_json(const struct sl_desk_result *result)
{
    return result->json;
}

const void *sl_desk_result_array(const struct sl_desk_result *result, const char *name,
                                 const char **type, size_t *n_dimensions,
                                 size_t shape[SL_RESULT_DIMENSIONS])
{
    for (size_t i = 0; i < result->n_arrays; i++) {
        const struct array *array = &result->arrays[i];
        if (strcmp(array->name, name) != 0) continue;
        *type = array->type;
        *n_dimensions = array->n_dimensions;
        memcpy(shape, array->shape, sizeof array->shape);
        return array->data;
    }
    return NULL;
}

const char *sl_desk_result_texts(const struct sl_desk_result *result, const char *name,
                                 size_t *bytes)
{
    for (size_t i = 0; i < result->n_texts; i++) {
        if (strcmp(result->texts[i].name, name) != 0) continue;
        *bytes = result->texts[i].text.length;
        return result->texts[i].text.data;
    }
    return NULL;
}
