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

/* What is left of a class's units after rounding down; *whole gets those. */
static double rest_of(double units, uint64_t *whole)
{
    *whole = (uint64_t)units;
    return units - (double)*whole;
}

/* The class of the largest rest behind class `last`: in the order of rests, descending, then of
 * classes. K as `last` begins. */
static size_t next_rest(const float *row, size_t n_classes, double weight, size_t last)
{
    uint64_t whole;
    size_t best = n_classes;
    double most = -1;
    const double limit = last < n_classes ? rest_of(weight * (double)row[last], &whole) : 2;
    for (size_t c = 0; c < n_classes; c++) {
        const double rest = rest_of(weight * (double)row[c], &whole);
        const bool behind = rest < limit || (rest == limit && c > last);
        if (!behind || !(rest > most)) continue;
        most = rest;
        best = c;
    }
    return best;
}

/* Classes are rounded down, and the units that this leaves go to those with the largest rests: if
 * each were rounded to the nearest, many small shares would all become nothing, or a unit each. */
static void add_row(const float *row, size_t n_classes, double weight, uint64_t *units)
{
    double share = 0;
    uint64_t used = 0, whole;
    for (size_t c = 0; c < n_classes; c++) {
        rest_of(weight * (double)row[c], &whole);
        units[c] += whole;
        used += whole;
        share += (double)row[c];
    }
    const uint64_t all = (uint64_t)llrint(weight * share);
    for (size_t c = n_classes; used < all; used++) {
        c = next_rest(row, n_classes, weight, c);
        if (c == n_classes) break; /* shares beyond 1 by rounding */
        units[c]++;
    }
}

void sl_tally_add(const struct sl_tally_source *source, size_t answer, uint64_t *units)
{
    const double weight = sl_tally_weight(source, answer) * SL_TALLY_UNITS;
    if (source->rows)
        add_row(source->rows + answer * source->n_classes, source->n_classes, weight, units);
    else
        units[source->label[answer]] += (uint64_t)llrint(weight);
}

/* Write the counts of an item in units into `units` (K). */
static void count_item(const struct sl_tally_source *source, size_t item, uint64_t *units)
{
    memset(units, 0, source->n_classes * sizeof *units);
    for (size_t i = source->begin[item]; i < source->begin[item + 1]; i++)
        sl_tally_add(source, i, units);
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
