#include <stdlib.h>
#include <string.h>

#include "crowd/confusion_sparse_parts.h"
#include "softlab/base/memory.h"

void sl_sparse_destroy(struct sl_sparse *sparse)
{
    if (!sparse) return;
    free(sparse->begin);
    free(sparse->entries);
    free(sparse->items);
    free(sparse->entry_of);
    free(sparse->mass);
    free(sparse->support);
    free(sparse->totals);
    free(sparse->start);
    free(sparse->values);
    free(sparse->numbers);
    free(sparse->units);
    free(sparse->touched);
    free(sparse);
}

/* ---- Answers by annotator and class ---- */

/* Order the answers by what was said, then by annotator; `order` and `other` have room for all. The
 * result is in `order`. */
static void sort_answers(const struct sl_votes *votes, size_t *begin, uint32_t *order,
                         uint32_t *other)
{
    const size_t n_keys =
        votes->n_classes > votes->n_annotators ? votes->n_classes : votes->n_annotators;
    memset(begin, 0, (n_keys + 1) * sizeof *begin);
    for (size_t v = 0; v < votes->count; v++)
        begin[votes->label[v] + 1]++;
    for (size_t k = 0; k < votes->n_classes; k++)
        begin[k + 1] += begin[k];
    for (size_t v = 0; v < votes->count; v++)
        other[begin[votes->label[v]]++] = (uint32_t)v;
    memset(begin, 0, (n_keys + 1) * sizeof *begin);
    for (size_t v = 0; v < votes->count; v++)
        begin[votes->annotator[v] + 1]++;
    for (size_t a = 0; a < votes->n_annotators; a++)
        begin[a + 1] += begin[a];
    for (size_t i = 0; i < votes->count; i++)
        order[begin[votes->annotator[other[i]]]++] = other[i];
}

/* Divide sorted answers into entries; with `entries` NULL only count them. */
static size_t divide(struct sl_sparse *sparse, const uint32_t *order,
                     struct sl_sparse_entry *entries)
{
    const struct sl_votes *votes = sparse->votes;
    size_t n_entries = 0, annotator = 0;
    for (size_t i = 0; i < votes->count; i++) {
        const size_t answer = order[i], before = i ? order[i - 1] : answer;
        const bool fresh = i == 0 || votes->annotator[answer] != votes->annotator[before] ||
                           votes->label[answer] != votes->label[before];
        if (fresh && entries) {
            for (; annotator <= votes->annotator[answer]; annotator++)
                sparse->begin[annotator] = n_entries;
            entries[n_entries] = (struct sl_sparse_entry){.first = i, .said = votes->label[answer]};
        }
        n_entries += fresh;
        if (entries) sparse->entry_of[answer] = (uint32_t)(n_entries - 1);
    }
    if (!entries) return n_entries;
    entries[n_entries].first = votes->count;
    for (; annotator <= votes->n_annotators; annotator++)
        sparse->begin[annotator] = n_entries;
    return n_entries;
}

static enum sl_status index_answers(struct sl_sparse *sparse, struct sl_error *err)
{
    const struct sl_votes *votes = sparse->votes;
    const size_t n_keys =
        votes->n_classes > votes->n_annotators ? votes->n_classes : votes->n_annotators;
    uint32_t *item_of = NULL;
    size_t *begin = sl_data_alloc(n_keys + 1, sizeof *begin, err);
    uint32_t *order = sl_data_alloc(votes->count, sizeof *order, err);
    sparse->items = sl_data_alloc(votes->count, sizeof *sparse->items, err);
    sparse->entry_of = sl_data_alloc(votes->count, sizeof *sparse->entry_of, err);
    sparse->begin = sl_data_alloc(votes->n_annotators + 1, sizeof *sparse->begin, err);
    enum sl_status status = SL_ERR_NOMEM;
    if (!begin || !order || !sparse->items || !sparse->entry_of || !sparse->begin) goto out;
    sort_answers(votes, begin, order, sparse->items);
    sparse->n_entries = divide(sparse, order, NULL);
    sparse->entries = sl_data_alloc(sparse->n_entries + 1, sizeof *sparse->entries, err);
    item_of = sl_data_alloc(votes->count, sizeof *item_of, err);
    if (!sparse->entries || !item_of) goto out;
    divide(sparse, order, sparse->entries);
    for (size_t i = 0; i < votes->n_items; i++)
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++)
            item_of[v] = (uint32_t)i;
    for (size_t i = 0; i < votes->count; i++)
        sparse->items[i] = item_of[order[i]];
    status = SL_OK;
out:
    free(item_of);
    free(order);
    free(begin);
    return status;
}

/* Measured by forced forms over 16 sizes: with 4 answers per row of a matrix both take the same
 * time, with 1 the sparse form takes half, with 60 it takes 1.6 times as long. Small matrices stay
 * dense, and large ones are sparse whatever the answers, for the memory. */
bool sl_sparse_pays(const struct sl_votes *votes)
{
    const double rows = (double)votes->n_annotators * (double)votes->n_classes;
    const double cells = rows * (double)votes->n_classes;
    if (votes->count >= UINT32_MAX || votes->n_items >= UINT32_MAX) return false;
    if (votes->n_classes < 16 || cells < 0x1p20) return false;
    return (double)votes->count < 4 * rows || cells > 0x1p25;
}

enum sl_status sl_sparse_create(const struct sl_confusion_prior *prior,
                                const struct sl_votes *votes, struct sl_pool *pool,
                                struct sl_sparse **out, struct sl_error *err)
{
    const size_t n_classes = votes->n_classes, n_workers = sl_pool_threads(pool);
    const size_t apart = sl_em_apart(n_classes, sizeof(double));
    struct sl_sparse *sparse = sl_alloc(1, sizeof *sparse);
    sparse->prior = prior;
    sparse->votes = votes;
    sparse->pool = pool;
    sparse->n_classes = n_classes;
    sparse->mass = sl_data_alloc(votes->n_items * n_classes, sizeof *sparse->mass, err);
    sparse->support = sl_data_alloc(votes->n_items, sizeof *sparse->support, err);
    sparse->totals = sl_data_alloc(votes->n_annotators * n_classes, sizeof *sparse->totals, err);
    sparse->start = sl_data_alloc(votes->n_annotators + 1, sizeof *sparse->start, err);
    sparse->numbers = sl_data_alloc(n_workers * 2 * apart, sizeof *sparse->numbers, err);
    sparse->units = sl_data_zeroed(n_workers * apart, sizeof *sparse->units, err);
    sparse->touched = sl_data_alloc(n_workers * 2 * apart, sizeof *sparse->touched, err);
    const bool whole = sparse->mass && sparse->support && sparse->totals && sparse->start &&
                       sparse->numbers && sparse->units && sparse->touched;
    const enum sl_status status = whole ? index_answers(sparse, err) : SL_ERR_NOMEM;
    if (status == SL_OK) {
        *out = sparse;
        return SL_OK;
    }
    sl_sparse_destroy(sparse);
    return sl_fail(err, status, "not enough memory for %zu items and %zu annotators x %zu classes",
                   votes->n_items, votes->n_annotators, n_classes);
}

/* ---- Counts ---- */

void sl_sparse_keep(struct sl_sparse *sparse, size_t item, const int64_t *mass)
{
    const size_t n_classes = sparse->n_classes;
    struct sl_sparse_support *support = &sparse->support[item];
    uint32_t *kept = sparse->mass + item * n_classes;
    size_t count = 0;
    for (size_t k = 0; k < n_classes; k++) {
        kept[k] = (uint32_t)mass[k];
        if (mass[k] == 0) continue;
        if (count < SL_SPARSE_LISTED) support->classes[count] = (uint16_t)k;
        count++;
    }
    support->count = (uint16_t)(count <= SL_SPARSE_LISTED ? count : SL_SPARSE_UNLISTED);
}

size_t sl_sparse_gather(const struct sl_sparse *sparse, size_t first, size_t end,
                        const struct sl_sparse_scratch *scratch)
{
    const size_t n_classes = sparse->n_classes;
    size_t n_touched = 0;
    bool listed = true;
    for (size_t i = first; i < end; i++) {
        const struct sl_sparse_support *support = &sparse->support[sparse->items[i]];
        const uint32_t *mass = sparse->mass + sparse->items[i] * n_classes;
        if (support->count == SL_SPARSE_UNLISTED) {
            listed = false;
            for (size_t k = 0; k < n_classes; k++)
                scratch->units[k] += mass[k];
            continue;
        }
        for (size_t j = 0; j < support->count; j++) {
            const uint32_t k = support->classes[j];
            if (scratch->units[k] == 0) scratch->touched[n_touched++] = k;
            scratch->units[k] += mass[k];
        }
    }
    if (listed) return n_touched;
    n_touched = 0;
    for (size_t k = 0; k < n_classes; k++)
        if (scratch->units[k]) scratch->touched[n_touched++] = (uint32_t)k;
    return n_touched;
}

void sl_sparse_clear(const struct sl_sparse_scratch *scratch, size_t n_touched)
{
    for (size_t i = 0; i < n_touched; i++)
        scratch->units[scratch->touched[i]] = 0;
}

/* ---- Update ---- */

/* The scores of an annotator's row sums; returns their part of the objective, as if all cells were
 * without counts. */
static double update_totals(struct sl_sparse *sparse, size_t annotator,
                            const struct sl_sparse_scratch *scratch)
{
    const struct sl_confusion_model *model = sparse->prior->model;
    const size_t n_classes = sparse->n_classes;
    const double pseudo = sparse->prior->smoothing * (double)n_classes + sparse->prior->diagonal;
    const double cell = sl_sparse_pseudo(sparse, false), right = sl_sparse_pseudo(sparse, true);
    double *totals = sparse->totals + annotator * n_classes;
    const size_t begin = sparse->entries[sparse->begin[annotator]].first;
    const size_t end = sparse->entries[sparse->begin[annotator + 1]].first;
    const size_t n_touched = sl_sparse_gather(sparse, begin, end, scratch);
    for (size_t k = 0; k < n_classes; k++)
        totals[k] = sparse->empty_total;
    double penalty =
        (double)(n_classes - n_touched) *
        (model->penalty_total(pseudo, pseudo) - model->slope(pseudo, pseudo) * sparse->empty_total);
    for (size_t i = 0; i < n_touched; i++) {
        const uint32_t k = scratch->touched[i];
        const double total = pseudo + sl_em_count(scratch->units[k]);
        totals[k] = model->score(total);
        penalty += model->penalty_total(total, pseudo) - model->slope(total, pseudo) * totals[k];
    }
    sl_sparse_clear(scratch, n_touched);
    const double n_wrong = (double)n_classes * (double)(n_classes - 1);
    return penalty + n_wrong * model->slope(cell, cell) * sparse->empty +
           (double)n_classes * model->slope(right, right) * model->score(right);
}

/* Room for the scores of an annotator's entries with several answers: a row, or pairs where these
 * are shorter. Returns the number of values. */
static size_t lay_out(struct sl_sparse *sparse, size_t annotator)
{
    const size_t n_classes = sparse->n_classes;
    size_t n_values = 0;
    for (size_t e = sparse->begin[annotator]; e < sparse->begin[annotator + 1]; e++) {
        struct sl_sparse_entry *entry = &sparse->entries[e];
        if (sl_sparse_n_answers(entry) < 2) continue;
        size_t most = 1; /* what was said is always among the pairs */
        for (size_t i = entry->first; i < entry[1].first && 2 * most < n_classes; i++) {
            const uint16_t count = sparse->support[sparse->items[i]].count;
            most += count == SL_SPARSE_UNLISTED ? n_classes : count;
        }
        const bool pairs = 2 * most < n_classes;
        entry->at = n_values;
        entry->n_cells = (uint32_t)(pairs ? most : n_classes);
        n_values += pairs ? 2 * most : n_classes;
    }
    return n_values;
}

static void measure_chunk(void *context, const struct sl_em_range *range)
{
    struct sl_sparse *sparse = context;
    const struct sl_sparse_scratch scratch = sl_sparse_scratch_of(sparse, range->worker);
    double penalty = 0;
    for (size_t a = range->begin; a < range->end; a++) {
        penalty += update_totals(sparse, a, &scratch);
        sparse->start[a + 1] = lay_out(sparse, a);
    }
    sparse->penalty[range->chunk] = penalty;
}

/* The score of a touched cell; adds its gain. */
static float score_cell(const struct sl_sparse *sparse, const double *totals, uint32_t k,
                        int64_t units, uint16_t said, double *penalty)
{
    const double count = sl_sparse_pseudo(sparse, k == said) + sl_em_count(units);
    const double numerator = sparse->prior->model->score(count);
    if (units) *penalty += sl_sparse_gain(sparse, count, numerator, k == said);
    return (float)(numerator - totals[k]);
}

/* The scores of an entry with several answers; returns its gain. */
static double fill_entry(struct sl_sparse *sparse, size_t annotator, struct sl_sparse_entry *entry,
                         const struct sl_sparse_scratch *scratch)
{
    const size_t n_classes = sparse->n_classes;
    const double *totals = sparse->totals + annotator * n_classes;
    float *values = sparse->values + sparse->start[annotator] + entry->at;
    double penalty = 0;
    const bool pairs = entry->n_cells < n_classes;
    const size_t n_touched = sl_sparse_gather(sparse, entry->first, entry[1].first, scratch);
    if (!pairs) {
        for (size_t k = 0; k < n_classes; k++)
            values[k] = (float)(sparse->empty - totals[k]);
        values[entry->said] = score_cell(sparse, totals, entry->said, 0, entry->said, &penalty);
    }
    struct sl_sparse_cell *cells = (struct sl_sparse_cell *)(void *)values;
    size_t n_cells = 0;
    bool right = false;
    for (size_t i = 0; i < n_touched; i++) {
        const uint32_t k = scratch->touched[i];
        const float score = score_cell(sparse, totals, k, scratch->units[k], entry->said, &penalty);
        right = right || k == entry->said;
        if (pairs)
            cells[n_cells++] = (struct sl_sparse_cell){k, score};
        else
            values[k] = score;
    }
    if (pairs && !right)
        cells[n_cells++] = (struct sl_sparse_cell){
            entry->said, score_cell(sparse, totals, entry->said, 0, entry->said, &penalty)};
    if (pairs) entry->n_cells = (uint32_t)n_cells;
    sl_sparse_clear(scratch, n_touched);
    return penalty;
}

static void fill_chunk(void *context, const struct sl_em_range *range)
{
    struct sl_sparse *sparse = context;
    const struct sl_sparse_scratch scratch = sl_sparse_scratch_of(sparse, range->worker);
    double penalty = 0;
    for (size_t a = range->begin; a < range->end; a++)
        for (size_t e = sparse->begin[a]; e < sparse->begin[a + 1]; e++)
            if (sl_sparse_n_answers(&sparse->entries[e]) > 1)
                penalty += fill_entry(sparse, a, &sparse->entries[e], &scratch);
    sparse->penalty[range->chunk] = penalty;
}

static enum sl_status make_room(struct sl_sparse *sparse, struct sl_error *err)
{
    const size_t n_annotators = sparse->votes->n_annotators;
    sparse->start[0] = 0;
    for (size_t a = 0; a < n_annotators; a++)
        sparse->start[a + 1] += sparse->start[a];
    if (sparse->start[n_annotators] <= sparse->room) return SL_OK;
    free(sparse->values);
    sparse->room = sparse->start[n_annotators];
    sparse->values = sl_data_alloc(sparse->room, sizeof *sparse->values, err);
    return sparse->values ? SL_OK : SL_ERR_NOMEM;
}

enum sl_status sl_sparse_update(struct sl_sparse *sparse, double *penalty, struct sl_error *err)
{
    const struct sl_confusion_prior *prior = sparse->prior;
    const size_t n_annotators = sparse->votes->n_annotators;
    const double sum = prior->smoothing * (double)sparse->n_classes + prior->diagonal;
    sparse->empty = prior->model->score(prior->smoothing);
    sparse->empty_total = prior->model->score(sum);
    for (size_t i = 0; i < sl_pool_threads(sparse->pool); i++)
        for (size_t k = 0; k < sparse->n_classes; k++)
            sl_sparse_scratch_of(sparse, i).numerators[k] = sparse->empty;
    sl_em_run(n_annotators, sparse->pool, measure_chunk, sparse);
    *penalty = sl_em_sum(sparse->penalty);
    SL_TRY(make_room(sparse, err));
    sl_em_run(n_annotators, sparse->pool, fill_chunk, sparse);
    *penalty += sl_em_sum(sparse->penalty);
    return SL_OK;
}
