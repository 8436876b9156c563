/* What the sparse form of confusion matrices says: scores of items, and the estimates at the end.
 */
#include "crowd/confusion_sparse_parts.h"

/* ---- Scores of an item ---- */

/* scores += numerators - totals, rounded as the dense form stores it. */
static void add_row(double *restrict scores, const double *restrict numerators,
                    const double *restrict totals, size_t n_classes)
{
    for (size_t k = 0; k < n_classes; k++)
        scores[k] += (double)(float)(numerators[k] - totals[k]);
}

static void add_empty(double *restrict scores, double empty, const double *restrict totals,
                      size_t n_classes)
{
    for (size_t k = 0; k < n_classes; k++)
        scores[k] += (double)(float)(empty - totals[k]);
}

static void add_values(double *restrict scores, const float *restrict values, size_t n_classes)
{
    for (size_t k = 0; k < n_classes; k++)
        scores[k] += (double)values[k];
}

/* The item's own counts as numerators. Returns what `n_alone` entries with these counts gain, if
 * none of their cells is on the diagonal. */
static double raise_numerators(const struct sl_sparse *sparse, size_t item, double n_alone,
                               double *numerators)
{
    const struct sl_sparse_support *support = &sparse->support[item];
    const uint32_t *mass = sparse->mass + item * sparse->n_classes;
    const bool listed = support->count != SL_SPARSE_UNLISTED;
    const size_t count = listed ? support->count : sparse->n_classes;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t k = listed ? support->classes[i] : i;
        if (mass[k] == 0) continue;
        const double cell = sl_sparse_pseudo(sparse, false) + sl_em_count(mass[k]);
        numerators[k] = sparse->prior->model->score(cell);
        sum += sl_sparse_gain(sparse, cell, numerators[k], false);
    }
    return n_alone * sum;
}

static void lower_numerators(const struct sl_sparse *sparse, size_t item, double *numerators)
{
    const struct sl_sparse_support *support = &sparse->support[item];
    if (support->count == SL_SPARSE_UNLISTED)
        for (size_t k = 0; k < sparse->n_classes; k++)
            numerators[k] = sparse->empty;
    else
        for (size_t i = 0; i < support->count; i++)
            numerators[support->classes[i]] = sparse->empty;
}

/* An entry with the counts of this item alone. Returns what its cell on the diagonal gains more
 * than one beside it. */
static double add_alone(const struct sl_sparse *sparse, size_t item, uint16_t said,
                        const double *totals, const struct sl_sparse_scratch *scratch,
                        double *scores)
{
    const uint32_t units = sparse->mass[item * sparse->n_classes + said];
    const double beside = scratch->numerators[said];
    const double count = sl_sparse_pseudo(sparse, true) + sl_em_count(units);
    const double numerator = sparse->prior->model->score(count);
    scratch->numerators[said] = numerator;
    add_row(scores, scratch->numerators, totals, sparse->n_classes);
    scratch->numerators[said] = beside;
    if (units == 0) return 0;
    return sl_sparse_gain(sparse, count, numerator, true) -
           sl_sparse_gain(sparse, sl_sparse_pseudo(sparse, false) + sl_em_count(units), beside,
                          false);
}

static void add_pairs(const struct sl_sparse *sparse, const struct sl_sparse_cell *cells,
                      size_t n_cells, const double *totals, const struct sl_sparse_scratch *scratch,
                      double *scores)
{
    for (size_t i = 0; i < n_cells; i++)
        scratch->later[i] = scores[cells[i].class_index] + (double)cells[i].score;
    add_empty(scores, sparse->empty, totals, sparse->n_classes);
    for (size_t i = 0; i < n_cells; i++)
        scores[cells[i].class_index] = scratch->later[i];
}

double sl_sparse_score(struct sl_sparse *sparse, size_t item, size_t worker, double *scores)
{
    const struct sl_votes *votes = sparse->votes;
    const size_t n_classes = sparse->n_classes, end = votes->begin[item + 1];
    const struct sl_sparse_scratch scratch = sl_sparse_scratch_of(sparse, worker);
    size_t n_alone = 0;
    double penalty = 0;
    for (size_t v = votes->begin[item]; v < end; v++)
        n_alone += sl_sparse_n_answers(&sparse->entries[sparse->entry_of[v]]) == 1;
    if (n_alone > 0) penalty = raise_numerators(sparse, item, (double)n_alone, scratch.numerators);
    for (size_t v = votes->begin[item]; v < end; v++) {
        const struct sl_sparse_entry *entry = &sparse->entries[sparse->entry_of[v]];
        const size_t annotator = votes->annotator[v];
        const double *totals = sparse->totals + annotator * n_classes;
        if (sl_sparse_n_answers(entry) == 1) { /* has no values; perhaps no entry has */
            penalty += add_alone(sparse, item, entry->said, totals, &scratch, scores);
            continue;
        }
        const float *values = sparse->values + sparse->start[annotator] + entry->at;
        if (entry->n_cells == n_classes)
            add_values(scores, values, n_classes);
        else
            add_pairs(sparse, (const struct sl_sparse_cell *)(const void *)values, entry->n_cells,
                      totals, &scratch, scores);
    }
    if (n_alone > 0) lower_numerators(sparse, item, scratch.numerators);
    return penalty;
}

/* ---- Report ---- */

/* The sums of an annotator's rows, with the prior. */
static void sum_rows(const struct sl_sparse *sparse, size_t annotator, double *sums,
                     const struct sl_sparse_scratch *scratch)
{
    const double pseudo =
        sparse->prior->smoothing * (double)sparse->n_classes + sparse->prior->diagonal;
    const size_t begin = sparse->entries[sparse->begin[annotator]].first;
    const size_t end = sparse->entries[sparse->begin[annotator + 1]].first;
    const size_t n_touched = sl_sparse_gather(sparse, begin, end, scratch);
    for (size_t k = 0; k < sparse->n_classes; k++)
        sums[k] = pseudo + sl_em_count(scratch->units[k]);
    sl_sparse_clear(scratch, n_touched);
}

static float share(const struct sl_sparse *sparse, int64_t units, bool right, double sum)
{
    return (float)((sl_em_count(units) + sl_sparse_pseudo(sparse, right)) / sum);
}

static void fill_matrix(const struct sl_sparse *sparse, size_t annotator, const double *sums,
                        const struct sl_sparse_scratch *scratch, float *matrix)
{
    const size_t n_classes = sparse->n_classes;
    for (size_t k = 0; k < n_classes; k++) {
        const float empty = share(sparse, 0, false, sums[k]);
        for (size_t said = 0; said < n_classes; said++)
            matrix[k * n_classes + said] = empty;
        matrix[k * n_classes + k] = share(sparse, 0, true, sums[k]);
    }
    for (size_t e = sparse->begin[annotator]; e < sparse->begin[annotator + 1]; e++) {
        const struct sl_sparse_entry *entry = &sparse->entries[e];
        const size_t n_touched = sl_sparse_gather(sparse, entry->first, entry[1].first, scratch);
        for (size_t i = 0; i < n_touched; i++) {
            const uint32_t k = scratch->touched[i];
            matrix[k * n_classes + entry->said] =
                share(sparse, scratch->units[k], k == entry->said, sums[k]);
        }
        sl_sparse_clear(scratch, n_touched);
    }
}

/* The probability of saying the true class. */
static double skill_of(const struct sl_sparse *sparse, size_t annotator, const double *sums,
                       const struct sl_sparse_scratch *scratch)
{
    double skill = 0;
    for (size_t e = sparse->begin[annotator]; e < sparse->begin[annotator + 1]; e++) {
        const struct sl_sparse_entry *entry = &sparse->entries[e];
        for (size_t i = entry->first; i < entry[1].first; i++)
            scratch->units[entry->said] +=
                sparse->mass[sparse->items[i] * sparse->n_classes + entry->said];
    }
    for (size_t k = 0; k < sparse->n_classes; k++) {
        skill += sparse->class_prior[k] * (double)share(sparse, scratch->units[k], true, sums[k]);
        scratch->units[k] = 0;
    }
    return skill;
}

static void report_chunk(void *context, const struct sl_em_range *range)
{
    struct sl_sparse *sparse = context;
    const struct sl_sparse_scratch scratch = sl_sparse_scratch_of(sparse, range->worker);
    const size_t cells = sparse->n_classes * sparse->n_classes;
    for (size_t a = range->begin; a < range->end; a++) {
        sum_rows(sparse, a, scratch.later, &scratch);
        sparse->skill[a] = skill_of(sparse, a, scratch.later, &scratch);
        if (sparse->confusion)
            fill_matrix(sparse, a, scratch.later, &scratch, sparse->confusion + a * cells);
    }
}

void sl_sparse_report(struct sl_sparse *sparse, const double *class_prior, double *skill,
                      float *confusion)
{
    sparse->class_prior = class_prior;
    sparse->skill = skill;
    sparse->confusion = confusion;
    sl_em_run(sparse->votes->n_annotators, sparse->pool, report_chunk, sparse);
}
