#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/prepare/prepare.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"

/* ---- Rows ---- */

/* A row of a label set, to be gathered into another set. */
struct source {
    const struct sl_rows *rows;
    size_t row;
};

static char **copy_texts(char *const *texts, size_t count)
{
    if (!texts) return NULL;
    char **copy = sl_alloc(count, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        copy[i] = sl_string_copy(texts[i]);
    return copy;
}

/* A label set of these rows, with the classes of the first source. */
static enum sl_status gather(const struct source *sources, size_t count, const struct sl_rows *like,
                             struct sl_rows **out, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_create(count, like->n_classes, &rows, err));
    rows->classes = copy_texts(like->classes, like->n_classes);
    rows->items = sl_alloc(count + 1, sizeof *rows->items);
    if (like->annotators) rows->annotators = sl_alloc(count + 1, sizeof *rows->annotators);
    for (size_t i = 0; i < count; i++) {
        const struct sl_rows *from = sources[i].rows;
        memcpy(rows->values + i * like->n_classes, from->values + sources[i].row * like->n_classes,
               like->n_classes * sizeof *rows->values);
        rows->items[i] = sl_string_copy(from->items[sources[i].row]);
        if (rows->annotators)
            rows->annotators[i] =
                sl_string_copy(from->annotators ? from->annotators[sources[i].row] : "");
    }
    *out = rows;
    return SL_OK;
}

/* Lower-case class names, since some studies write "Airplane". */
static void lower_classes(struct sl_rows *rows)
{
    for (size_t k = 0; rows->classes && k < rows->n_classes; k++)
        for (char *at = rows->classes[k]; *at; at++)
            *at = (char)tolower((unsigned char)*at);
}

/* Read rows with item names; rows without names get their numbers, as items of data sets do. */
static enum sl_status read_named(const char *path, const char *array, struct sl_rows **out,
                                 struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read(path, array, &rows, err));
    if (!rows->items) {
        rows->items = sl_alloc(rows->n_rows + 1, sizeof *rows->items);
        for (size_t i = 0; i < rows->n_rows; i++)
            rows->items[i] = sl_string_printf("%zu", i);
    }
    *out = rows;
    return SL_OK;
}

/* ---- Label sets ---- */

/* The distinct items of the rows, in order. */
static enum sl_status item_names(const struct sl_rows *rows, struct sl_name_table **out,
                                 struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    for (size_t i = 0; i < rows->n_rows; i++) {
        uint32_t number;
        const enum sl_status status =
            sl_name_table_add(names, rows->items[i], strlen(rows->items[i]), &number, err);
        if (status != SL_OK) {
            sl_name_table_destroy(names);
            return status;
        }
    }
    *out = names;
    return SL_OK;
}

static void drop_rows(struct sl_rows *rows, const struct sl_name_table *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const bool in = sl_prepare_has(kept, rows->items[i]);
        if (!in) {
            free(rows->items[i]);
            if (rows->annotators) free(rows->annotators[i]);
            continue;
        }
        memmove(rows->values + count * rows->n_classes, rows->values + i * rows->n_classes,
                rows->n_classes * sizeof *rows->values);
        rows->items[count] = rows->items[i];
        if (rows->annotators) rows->annotators[count] = rows->annotators[i];
        count++;
    }
    rows->n_rows = count;
}

static enum sl_status draw_items(const struct sl_prepare_step *step, struct sl_rows *rows,
                                 struct sl_error *err)
{
    if (step->count == 0) return SL_OK;
    struct sl_name_table *all = NULL, *drawn = sl_name_table_create();
    size_t *chosen = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(item_names(rows, &all, err));
    const size_t n = sl_name_table_count(all), wanted = (size_t)step->count;
    if (wanted > n) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: %zu %s asked for, and it has %zu", step->input,
                         wanted, sl_text_plural(wanted, "item is", "items are"), n);
        goto out;
    }
    struct sl_rng rng;
    sl_rng_init(&rng, (uint64_t)step->seed, "experiment.count", 0, 0);
    chosen = sl_alloc(wanted, sizeof *chosen);
    sl_rng_sample(&rng, n, wanted, chosen);
    for (size_t i = 0; i < wanted; i++) {
        uint32_t number;
        size_t length;
        const char *name = sl_name_table_get(all, (uint32_t)chosen[i], &length);
        SL_TRY_OUT(sl_name_table_add(drawn, name, length, &number, err));
    }
    drop_rows(rows, drawn);
out:
    sl_name_table_destroy(all);
    sl_name_table_destroy(drawn);
    free(chosen);
    return status;
}

/* Add the rows of another file for items that have none. */
static enum sl_status fill_rest(const char *path, struct sl_rows **rows, struct sl_error *err)
{
    struct sl_rows *rest = NULL, *both = NULL;
    struct sl_name_table *names = NULL;
    struct source *sources = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_named(path, "labels", &rest, err));
    const struct sl_class_list classes = {"the labels", (*rows)->classes, (*rows)->n_classes};
    SL_TRY_OUT(sl_rows_reorder(rest, path, &classes, err));
    SL_TRY_OUT(item_names(*rows, &names, err));
    sources = sl_alloc((*rows)->n_rows + rest->n_rows, sizeof *sources);
    size_t count = 0;
    for (size_t i = 0; i < (*rows)->n_rows; i++)
        sources[count++] = (struct source){*rows, i};
    for (size_t i = 0; i < rest->n_rows; i++)
        if (!sl_prepare_has(names, rest->items[i])) sources[count++] = (struct source){rest, i};
    SL_TRY_OUT(gather(sources, count, *rows, &both, err));
    sl_rows_destroy(*rows);
    *rows = both;
out:
    sl_rows_destroy(rest);
    sl_name_table_destroy(names);
    free(sources);
    return status;
}

static void harden(struct sl_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        float *row = rows->values + i * rows->n_classes;
        size_t largest = 0;
        for (size_t k = 1; k < rows->n_classes; k++)
            if (row[k] > row[largest]) largest = k;
        for (size_t k = 0; k < rows->n_classes; k++)
            row[k] = k == largest ? 1.0F : 0.0F;
    }
}

enum sl_status sl_prepare_labels(const struct sl_preparation *preparation, struct sl_error *err)
{
    const struct sl_prepare_step *step = preparation->step;
    struct sl_rows *rows = NULL;
    struct sl_name_table *names = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_named(step->input, "labels", &rows, err));
    lower_classes(rows);
    if (step->only) {
        SL_TRY_OUT(sl_prepare_names(preparation, step->only, &names, err));
        drop_rows(rows, names);
    }
    SL_TRY_OUT(draw_items(step, rows, err));
    if (step->rest) SL_TRY_OUT(fill_rest(step->rest, &rows, err));
    if (step->harden) harden(rows);
    SL_TRY_OUT(sl_rows_write(rows, "labels", preparation->output, err));
out:
    sl_rows_destroy(rows);
    sl_name_table_destroy(names);
    return status;
}
