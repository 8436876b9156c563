#include "train/targets_match.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

#define ELSEWHERE SIZE_MAX

enum sl_status sl_target_names(const struct sl_target_items *items, struct sl_name_table **out,
                               struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < items->n_items && status == SL_OK; i++) {
        const char *name = items->items[i];
        uint32_t number = 0;
        status = sl_name_table_add(names, name, strlen(name), &number, err);
        if (status == SL_OK && number != i)
            status =
                sl_fail(err, SL_ERR_INPUT, "items %u and %zu of the data set are both \"%.60s\"",
                        (unsigned)number, i, name);
    }
    if (status == SL_OK)
        *out = names;
    else
        sl_name_table_destroy(names);
    return status;
}

/* The column of each class of the data set. */
static enum sl_status match_classes(const struct sl_target_items *items, const struct sl_rows *set,
                                    const char *what, size_t *columns, struct sl_error *err)
{
    const struct sl_class_list own = {what, set->classes, set->n_classes};
    const struct sl_class_list data = {"the data set", items->classes, items->n_classes};
    size_t *places = sl_alloc(own.count + 1, sizeof *places);
    const enum sl_status status = sl_classes_pair(&own, &data, places, err);
    for (size_t k = 0; status == SL_OK && k < own.count; k++)
        columns[places[k]] = k;
    free(places);
    return status;
}

/* Items outside the data set that rows may name. */
static enum sl_status siblings_of(const struct sl_target_options *options,
                                  struct sl_name_table **out, struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < options->n_siblings && status == SL_OK; i++) {
        uint32_t number = 0;
        status = sl_name_table_add(names, options->siblings[i], strlen(options->siblings[i]),
                                   &number, err);
    }
    if (status == SL_OK)
        *out = names;
    else
        sl_name_table_destroy(names);
    return status;
}

/* The item of every row, by name; ELSEWHERE if it is a sibling's. */
static enum sl_status match_names(const struct sl_name_table *names,
                                  const struct sl_name_table *siblings, const struct sl_rows *set,
                                  const char *what, size_t *item_of, struct sl_error *err)
{
    for (size_t r = 0; r < set->n_rows; r++) {
        const size_t length = strlen(set->items[r]);
        const uint32_t number = sl_name_table_find(names, set->items[r], length);
        if (number == SL_NO_NAME &&
            sl_name_table_find(siblings, set->items[r], length) != SL_NO_NAME) {
            item_of[r] = ELSEWHERE;
            continue;
        }
        if (number == SL_NO_NAME)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: row %zu is for item \"%.60s\", which the data set does not have; "
                           "its items have names like \"%.60s\"",
                           what, r, set->items[r], sl_name_table_get(names, 0, NULL));
        item_of[r] = number;
    }
    return SL_OK;
}

/* The item of every row, by order: of all items, or of those to train on. */
static enum sl_status match_order(const struct sl_target_items *items,
                                  const struct sl_target_options *options,
                                  const struct sl_rows *set, const char *what, size_t *item_of,
                                  struct sl_error *err)
{
    const bool is_all = set->n_rows == items->n_items;
    if (!is_all && options->only && set->n_rows != options->n_only)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: %zu row%s without item names, but the data set has %zu item%s, %zu of "
                       "them to train on",
                       what, set->n_rows, sl_text_plural(set->n_rows, "", "s"), items->n_items,
                       sl_text_plural(items->n_items, "", "s"), options->n_only);
    if (!is_all && !options->only)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: %zu row%s without item names, but the data set has %zu item%s", what,
                       set->n_rows, sl_text_plural(set->n_rows, "", "s"), items->n_items,
                       sl_text_plural(items->n_items, "", "s"));
    for (size_t r = 0; r < set->n_rows; r++)
        item_of[r] = is_all ? r : options->only[r];
    return SL_OK;
}

/* Sort rows by item (counting sort). */
static void group_rows(const size_t *item_of, size_t n_rows, size_t n_items, size_t *begin,
                       size_t *rows)
{
    memset(begin, 0, (n_items + 1) * sizeof *begin);
    for (size_t r = 0; r < n_rows; r++)
        if (item_of[r] != ELSEWHERE) begin[item_of[r] + 1]++;
    for (size_t i = 0; i < n_items; i++)
        begin[i + 1] += begin[i];
    for (size_t r = 0; r < n_rows; r++)
        if (item_of[r] != ELSEWHERE) rows[begin[item_of[r]]++] = r;
    for (size_t i = n_items; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

enum sl_status sl_target_match(const struct sl_target_items *items,
                               const struct sl_name_table *names,
                               const struct sl_target_options *options, const struct sl_rows *set,
                               const char *what, struct sl_target_match *out, struct sl_error *err)
{
    struct sl_target_match match = {.set = set};
    struct sl_name_table *siblings = NULL;
    enum sl_status status = SL_ERR_NOMEM;
    size_t *item_of = sl_data_alloc(set->n_rows, sizeof *item_of, err);
    match.columns = sl_alloc(items->n_classes, sizeof *match.columns);
    match.begin = sl_data_alloc(items->n_items + 1, sizeof *match.begin, err);
    match.rows = sl_data_alloc(set->n_rows, sizeof *match.rows, err);
    if (!item_of || !match.begin || !match.rows) goto out;
    SL_TRY_OUT(match_classes(items, set, what, match.columns, err));
    SL_TRY_OUT(sl_rows_check_distributions(set, what, err));
    SL_TRY_OUT(siblings_of(options, &siblings, err));
    if (set->items)
        SL_TRY_OUT(match_names(names, siblings, set, what, item_of, err));
    else
        SL_TRY_OUT(match_order(items, options, set, what, item_of, err));
    group_rows(item_of, set->n_rows, items->n_items, match.begin, match.rows);
    *out = match;
    match = (struct sl_target_match){0};
out:
    sl_target_match_release(&match);
    sl_name_table_destroy(siblings);
    free(item_of);
    return status;
}

void sl_target_match_release(struct sl_target_match *match)
{
    free(match->columns);
    free(match->begin);
    free(match->rows);
    *match = (struct sl_target_match){0};
}
