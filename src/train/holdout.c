/* The items that a recipe holds out: a list, or a draw. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"
#include "softlab/train/targets.h"

static char **copy_list(const char *const *items)
{
    size_t count = 0;
    while (items[count])
        count++;
    char **copies = sl_alloc(count + 1, sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = sl_string_copy(items[i]);
    return copies;
}

/* The distinct items of a set, in order of first appearance. */
static enum sl_status number_items(const struct sl_rows *rows, struct sl_name_table *names,
                                   struct sl_error *err)
{
    for (size_t r = 0; r < rows->n_rows; r++) {
        uint32_t number = 0;
        SL_TRY(sl_name_table_add(names, rows->items[r], strlen(rows->items[r]), &number, err));
    }
    return SL_OK;
}

static enum sl_status draw_items(const struct sl_name_table *names, size_t n_draws, uint64_t seed,
                                 char ***out, struct sl_error *err)
{
    const size_t count = sl_name_table_count(names);
    if (n_draws > count)
        return sl_fail(err, SL_ERR_INPUT, "hold-out: cannot draw %zu item%s: the label set has %zu",
                       n_draws, sl_text_plural(n_draws, "", "s"), count);
    size_t *drawn = sl_data_alloc(n_draws, sizeof *drawn, err);
    char **items = sl_data_zeroed(n_draws + 1, sizeof *items, err);
    enum sl_status status;
    SL_TRY_OUT(drawn && items ? SL_OK : SL_ERR_NOMEM);
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "holdout", 0, 0);
    sl_rng_sample(&rng, count, n_draws, drawn);
    for (size_t i = 0; i < n_draws; i++) {
        size_t length = 0;
        const char *name = sl_name_table_get(names, (uint32_t)drawn[i], &length);
        items[i] = sl_data_string(name, length, err);
        SL_TRY_OUT(items[i] ? SL_OK : SL_ERR_NOMEM);
    }
    *out = items;
    items = NULL;
out:
    free(drawn);
    sl_names_destroy(items);
    return status;
}

enum sl_status sl_holdout_create(const struct sl_recipe *recipe, const struct sl_rows *labels,
                                 uint64_t seed, char ***out, struct sl_error *err)
{
    if (*recipe->holdout) {
        const char *const *list = sl_recipe_holdout(recipe->holdout);
        if (!list)
            return sl_fail(err, SL_ERR_NOT_FOUND, "no hold-out list is called \"%s\"",
                           recipe->holdout);
        *out = copy_list(list);
        return SL_OK;
    }
    if (recipe->holdout_draw == 0) {
        *out = NULL;
        return SL_OK;
    }
    if (!labels || !labels->items)
        return sl_fail(err, SL_ERR_INPUT,
                       "hold-out: drawing %lld item%s needs a label set with item names",
                       (long long)recipe->holdout_draw,
                       sl_text_plural((uint64_t)recipe->holdout_draw, "", "s"));
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = number_items(labels, names, err);
    if (status == SL_OK) status = draw_items(names, (size_t)recipe->holdout_draw, seed, out, err);
    sl_name_table_destroy(names);
    return status;
}
