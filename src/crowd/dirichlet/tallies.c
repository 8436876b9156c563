#include "crowd/dirichlet/tallies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"

double sl_tally_weight(const struct sl_tally_source *source, size_t answer)
{
    const uint32_t annotator = source->annotator[answer];
    const double trust = source->trust && annotator != SL_NO_NAME ? source->trust[annotator] : 1;
    return source->rows ? trust * source->row_weight : trust;
}

uint64_t sl_tally_part(const struct sl_tally_source *source, size_t answer, size_t c)
{
    const double weight = sl_tally_weight(source, answer) * SL_TALLY_UNITS;
    if (!source->rows) return source->label[answer] == c ? (uint64_t)llrint(weight) : 0;
    return (uint64_t)llrint(weight * (double)source->rows[answer * source->n_classes + c]);
}

/* Write the counts of an item in units into `units` (K). */
static void count_item(const struct sl_tally_source *source, size_t item, uint64_t *units)
{
    memset(units, 0, source->n_classes * sizeof *units);
    for (size_t i = source->begin[item]; i < source->begin[item + 1]; i++) {
        const size_t first = source->rows ? 0 : source->label[i];
        const size_t end = source->rows ? source->n_classes : first + 1;
        for (size_t c = first; c < end; c++)
            units[c] += sl_tally_part(source, i, c);
    }
}

static enum sl_status name_item(struct sl_crowd_tallies *tallies, const uint64_t *units,
                                struct sl_tally_cell *cells, uint32_t *out, struct sl_error *err)
{
    size_t used = 0;
    uint64_t total = 0;
    for (size_t k = 0; k < tallies->n_classes; k++) {
        if (!units[k]) continue;
        cells[used++] = (struct sl_tally_cell){k, units[k]};
        total += units[k];
        if (units[k] % SL_TALLY_UNITS) tallies->whole = false;
    }
    if (total / SL_TALLY_UNITS > tallies->most) tallies->most = total / SL_TALLY_UNITS;
    return sl_name_table_add(tallies->cells, (const char *)cells, used * sizeof *cells, out, err);
}

static void order_items(struct sl_crowd_tallies *tallies)
{
    for (size_t i = 0; i < tallies->n_items; i++)
        tallies->begin[tallies->of_item[i] + 1]++;
    for (size_t t = 0; t < tallies->count; t++)
        tallies->begin[t + 1] += tallies->begin[t];
    /* begin[t] moves from the first item of a tally to the one past its last. */
    for (size_t i = 0; i < tallies->n_items; i++)
        tallies->items[tallies->begin[tallies->of_item[i]]++] = (uint32_t)i;
    memmove(tallies->begin + 1, tallies->begin, tallies->count * sizeof *tallies->begin);
    tallies->begin[0] = 0;
}

enum sl_status sl_tallies_create(const struct sl_tally_source *source, struct sl_crowd_tallies *out,
                                 struct sl_error *err)
{
    struct sl_crowd_tallies tallies = {
        .n_items = source->n_items, .n_classes = source->n_classes, .whole = true};
    uint64_t *units = sl_alloc(source->n_classes, sizeof *units);
    struct sl_tally_cell *cells = sl_alloc(source->n_classes, sizeof *cells);
    enum sl_status status = SL_OK;
    tallies.cells = sl_name_table_create();
    tallies.of_item = sl_data_alloc(source->n_items, sizeof *tallies.of_item, err);
    tallies.items = sl_data_alloc(source->n_items, sizeof *tallies.items, err);
    if (!tallies.of_item || !tallies.items) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < source->n_items; i++) {
        count_item(source, i, units);
        SL_TRY_OUT(name_item(&tallies, units, cells, &tallies.of_item[i], err));
    }
    tallies.count = sl_name_table_count(tallies.cells);
    tallies.begin = sl_data_alloc(tallies.count + 2, sizeof *tallies.begin, err);
    if (!tallies.begin) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    memset(tallies.begin, 0, (tallies.count + 2) * sizeof *tallies.begin);
    order_items(&tallies);
    *out = tallies;
    tallies = (struct sl_crowd_tallies){0};
out:
    sl_tallies_release(&tallies);
    free(units);
    free(cells);
    return status;
}

void sl_tallies_release(struct sl_crowd_tallies *tallies)
{
    sl_name_table_destroy(tallies->cells);
    free(tallies->of_item);
    free(tallies->items);
    free(tallies->begin);
    *tallies = (struct sl_crowd_tallies){0};
}

size_t sl_tally_read(const struct sl_crowd_tallies *tallies, size_t tally,
                     struct sl_tally_cell *out)
{
    size_t length = 0;
    const char *name = sl_name_table_get(tallies->cells, (uint32_t)tally, &length);
    memcpy(out, name, length); /* names are not aligned */
    return length / sizeof *out;
}

void sl_tally_counts(const struct sl_crowd_tallies *tallies, size_t tally,
                     struct sl_tally_cell *cells, double *out)
{
    const size_t n_cells = sl_tally_read(tallies, tally, cells);
    memset(out, 0, tallies->n_classes * sizeof *out);
    for (size_t i = 0; i < n_cells; i++)
        out[cells[i].class_index] = (double)cells[i].units / SL_TALLY_UNITS;
}
