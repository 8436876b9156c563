#include "crowd/confusion_pass.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/stream.h"
#include "softlab/base/memory.h"

/* Scores of a block stay in the first-level cache beside the tables of a thousand annotators. */
enum { BLOCK_SCORES = 512 };

/* Each worker counts in cells of its own. If these take more than this, one thread does the pass.
 */
static const double most_bytes_of_workers = 0x1p28;

static enum sl_status init_dense(struct sl_confusion_pass *pass, struct sl_error *err)
{
    const size_t n_annotators = pass->votes->n_annotators, n_classes = pass->votes->n_classes;
    const double bytes = (double)n_annotators * (double)n_classes * (double)n_classes *
                         sizeof *pass->counts * (double)(sl_pool_threads(pass->pool) - 1);
    if (bytes > most_bytes_of_workers) pass->pool = NULL;
    pass->table = sl_crowd_confusion_alloc(n_annotators, n_classes, sizeof *pass->table, err);
    if (!pass->table) return SL_ERR_NOMEM;
    pass->counts = sl_crowd_confusion_alloc(n_annotators * sl_pool_threads(pass->pool), n_classes,
                                            sizeof *pass->counts, err);
    if (!pass->counts) return SL_ERR_NOMEM;
    pass->n_cells = n_annotators * n_classes * n_classes;
    return SL_OK;
}

enum sl_status sl_confusion_pass_init(struct sl_confusion_pass *pass,
                                      const struct sl_confusion_prior *prior,
                                      const struct sl_votes *votes,
                                      const struct sl_crowd_options *options, struct sl_error *err)
{
    const size_t n_classes = votes->n_classes;
    *pass = (struct sl_confusion_pass){.votes = votes, .options = options, .pool = options->pool};
    if (options->stream) pass->window = sl_stream_window(options->stream, n_classes);
    pass->block = n_classes < BLOCK_SCORES ? BLOCK_SCORES / n_classes : 1;
    const enum sl_confusion_form form = prior->model->form;
    const bool sparse =
        !options->stream && !options->prior && !options->start_counts &&
        (form == SL_CONFUSION_SPARSE || (form == SL_CONFUSION_ANY && sl_sparse_pays(votes)));
    if (sparse)
        SL_TRY(sl_sparse_create(prior, votes, options->pool, &pass->sparse, err));
    else
        SL_TRY(init_dense(pass, err));
    const size_t n_workers = pass->n_workers = sl_pool_threads(pass->pool);
    pass->class_score = sl_alloc(n_classes, sizeof *pass->class_score);
    pass->apart = sl_em_apart(n_classes, sizeof *pass->class_counts);
    pass->class_counts = sl_alloc(n_workers * pass->apart, sizeof *pass->class_counts);
    pass->scores = sl_alloc(n_workers * pass->block * pass->apart, sizeof *pass->scores);
    pass->mass = sl_alloc(n_workers * pass->block * pass->apart, sizeof *pass->mass);
    pass->support = sl_alloc(n_workers * 2 * pass->apart, sizeof *pass->support);
    pass->row = sl_alloc(n_workers * 2 * pass->apart, sizeof *pass->row);
    return SL_OK;
}

void sl_confusion_pass_release(struct sl_confusion_pass *pass)
{
    sl_sparse_destroy(pass->sparse);
    free(pass->table);
    free(pass->counts);
    free(pass->class_score);
    free(pass->class_counts);
    free(pass->scores);
    free(pass->mass);
    free(pass->support);
    free(pass->row);
    *pass = (struct sl_confusion_pass){0};
}

/* A worker's part of the buffers. */
struct workspace {
    double *scores;        /* (block, K) */
    int64_t *mass;         /* (block, K) */
    uint32_t *support;     /* K */
    float *row;            /* K */
    int64_t *counts;       /* (n_annotators, K, K); NULL in the sparse form */
    int64_t *class_counts; /* K */
};

static struct workspace workspace_of(const struct sl_confusion_pass *pass, size_t worker)
{
    return (struct workspace){
        .scores = pass->scores + worker * pass->block * pass->apart,
        .mass = pass->mass + worker * pass->block * pass->apart,
        .support = pass->support + worker * 2 * pass->apart,
        .row = pass->row + worker * 2 * pass->apart,
        .counts = pass->counts ? pass->counts + worker * pass->n_cells : NULL,
        .class_counts = pass->class_counts + worker * pass->apart,
    };
}

/* The following functions are inlined with a constant number of classes, so that the inner loops
 * unroll. First the two loops over answers. */
SL_EM_INLINED void score_items(const struct sl_confusion_pass *pass, size_t first, size_t count,
                               size_t n_classes, double *restrict scores)
{
    const size_t *begin = pass->votes->begin;
    const uint32_t *annotator = pass->votes->annotator;
    const uint16_t *label = pass->votes->label;
    const float *restrict table = pass->table;
    for (size_t i = 0; i < count; i++) {
        double *restrict score = scores + i * n_classes;
        const size_t end = begin[first + i + 1];
        for (size_t k = 0; k < n_classes; k++)
            score[k] = pass->class_score[k];
        for (size_t v = begin[first + i]; v < end; v++) {
            const float *row = table + (annotator[v] * n_classes + label[v]) * n_classes;
            for (size_t k = 0; k < n_classes; k++)
                score[k] += (double)row[k];
        }
    }
}

/* The same in the sparse form; returns the prior's part of the objective. */
static double score_sparsely(const struct sl_confusion_pass *pass, size_t first, size_t count,
                             size_t worker, const struct workspace *space)
{
    const struct sl_votes *votes = pass->votes;
    const size_t n_classes = votes->n_classes;
    double penalty = 0;
    for (size_t i = 0; i < count; i++) {
        double *score = space->scores + i * n_classes;
        memcpy(score, pass->class_score, n_classes * sizeof *score);
        if (pass->source == SL_PASS_SCORES) {
            penalty += sl_sparse_score(pass->sparse, first + i, worker, score);
            continue;
        }
        for (size_t v = votes->begin[first + i]; v < votes->begin[first + i + 1]; v++) {
            sl_confusion_start_row(pass->start, votes->annotator[v], votes->label[v], space->row);
            for (size_t k = 0; k < n_classes; k++)
                score[k] += (double)space->row[k];
        }
    }
    return penalty;
}

/* Add an item's mass to the counts of its annotators; with two classes both have mass. */
SL_EM_INLINED void count_both(const struct sl_votes *votes, size_t item, const int64_t *added,
                              int64_t *restrict counts)
{
    const int64_t zero = added[0], one = added[1];
    const size_t end = votes->begin[item + 1];
    assert(counts);
    for (size_t v = votes->begin[item]; v < end; v++) {
        int64_t *row = counts + ((size_t)votes->annotator[v] * 2 + votes->label[v]) * 2;
        row[0] += zero;
        row[1] += one;
    }
}

/* With more classes most of the mass is exactly 0, and the rows of many annotators do not fit the
 * cache: only classes with mass are touched. */
SL_EM_INLINED void count_some(const struct sl_votes *votes, size_t item, size_t n_classes,
                              const int64_t *restrict added, uint32_t *restrict support,
                              int64_t *restrict counts)
{
    const size_t end = votes->begin[item + 1];
    size_t n_support = 0;
    for (size_t k = 0; k < n_classes; k++) {
        support[n_support] = (uint32_t)k;
        n_support += added[k] != 0;
    }
    for (size_t v = votes->begin[item]; v < end; v++) {
        int64_t *row = counts + (votes->annotator[v] * n_classes + votes->label[v]) * n_classes;
        for (size_t i = 0; i < n_support; i++)
            row[support[i]] += added[support[i]];
    }
}

SL_EM_INLINED void count_items(const struct sl_confusion_pass *pass, size_t first, size_t count,
                               size_t n_classes, const struct workspace *space)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t *added = space->mass + i * n_classes;
        if (n_classes == 2)
            count_both(pass->votes, first + i, added, space->counts);
        else
            count_some(pass->votes, first + i, n_classes, added, space->support, space->counts);
    }
}

/* Take vote shares as the posterior; uniform where nobody answered. */
static void fill_shares(const struct sl_confusion_pass *pass, size_t first, size_t count,
                        double *posterior)
{
    const struct sl_votes *votes = pass->votes;
    const size_t n_classes = votes->n_classes;
    for (size_t i = 0; i < count; i++) {
        double *row = posterior + i * n_classes;
        const size_t begin = votes->begin[first + i], end = votes->begin[first + i + 1];
        for (size_t k = 0; k < n_classes; k++)
            row[k] = begin == end ? 1 / (double)n_classes : 0;
        for (size_t v = begin; v < end; v++)
            row[votes->label[v]] += 1 / (double)(end - begin);
    }
}

/* Pin gold items before their scores become probabilities: all other classes are excluded, and the
 * log-likelihood is that of the gold class. */
static void pin_scores(const struct sl_confusion_pass *pass, size_t first, size_t count,
                       double *scores)
{
    const size_t n_classes = pass->votes->n_classes;
    for (size_t i = 0; pass->options->gold && i < count; i++) {
        int32_t gold = pass->options->gold[first + i];
        for (size_t k = 0; gold >= 0 && k < n_classes; k++)
            if (k != (size_t)gold) scores[i * n_classes + k] = -HUGE_VAL;
    }
}

/* Pin in place, for blocks of shares or of exponentials that are never exactly 0. */
static void pin_probabilities(const struct sl_confusion_pass *pass, size_t first, size_t count,
                              double *posterior)
{
    const size_t n_classes = pass->votes->n_classes;
    for (size_t i = 0; pass->options->gold && i < count; i++) {
        int32_t gold = pass->options->gold[first + i];
        for (size_t k = 0; gold >= 0 && k < n_classes; k++)
            posterior[i * n_classes + k] = k == (size_t)gold;
    }
}

static size_t most_probable(const double *row, size_t n_classes)
{
    size_t best = 0;
    for (size_t k = 1; k < n_classes; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

/* Turn the items' mass into whole units, all for one class if hard. Returns the sum of the
 * logarithms of the largest probabilities if hard, else 0. */
SL_EM_INLINED double weigh_items(const struct sl_confusion_pass *pass, size_t count,
                                 size_t n_classes, const double *posterior, int64_t *mass)
{
    double log_best = 0;
    if (!pass->hard) {
        for (size_t i = 0; i < count * n_classes; i++)
            mass[i] = sl_em_units(posterior[i]);
        return 0;
    }
    memset(mass, 0, count * n_classes * sizeof *mass);
    for (size_t i = 0; i < count; i++) {
        size_t best = most_probable(posterior + i * n_classes, n_classes);
        mass[i * n_classes + best] = sl_em_units(1);
        log_best += log(posterior[i * n_classes + best]);
    }
    return log_best;
}

/* Items with neither answers nor gold say nothing about the class shares. */
SL_EM_INLINED void count_classes(const struct sl_confusion_pass *pass, size_t first, size_t count,
                                 size_t n_classes, const int64_t *mass, int64_t *class_counts)
{
    const size_t *begin = pass->votes->begin;
    for (size_t i = 0; i < count; i++) {
        if (begin[first + i] == begin[first + i + 1] && sl_em_gold(pass->options, first + i) < 0)
            continue;
        for (size_t k = 0; k < n_classes; k++)
            class_counts[k] += mass[i * n_classes + k];
    }
}

/* The posterior of a block of items into `scores`. Adds its parts of the objective to `value`, one
 * by one, and returns the sum. */
SL_EM_INLINED double judge_items(const struct sl_confusion_pass *pass, size_t first, size_t count,
                                 size_t n_classes, const struct workspace *space, double value)
{
    score_items(pass, first, count, n_classes, space->scores);
    pin_scores(pass, first, count, space->scores);
    return value + sl_em_normalise_rows(space->scores, count, n_classes);
}

SL_EM_INLINED void keep_rows(const double *scores, size_t n_cells, float *rows)
{
    for (size_t i = 0; i < n_cells; i++)
        rows[i] = (float)scores[i];
}

SL_EM_INLINED double pass_items(struct sl_confusion_pass *pass, const struct sl_em_range *range,
                                size_t n_classes, bool sparse)
{
    const struct workspace space = workspace_of(pass, range->worker);
    double *scores = space.scores;
    double value = 0;
    size_t passed = range->begin;
    for (size_t first = range->begin; first < range->end; first += pass->block) {
        size_t left = range->end - first;
        size_t count = left < pass->block ? left : pass->block;
        if (pass->source == SL_PASS_SHARES) {
            fill_shares(pass, first, count, scores);
        } else if (sparse) {
            value += score_sparsely(pass, first, count, range->worker, &space);
            pin_scores(pass, first, count, scores);
            value += sl_em_normalise_rows(scores, count, n_classes);
        } else {
            value = judge_items(pass, first, count, n_classes, &space, value);
        }
        pin_probabilities(pass, first, count, scores);
        value += weigh_items(pass, count, n_classes, scores, space.mass);
        for (size_t i = 0; sparse && i < count; i++)
            sl_sparse_keep(pass->sparse, first + i, space.mass + i * n_classes);
        if (!sparse) count_items(pass, first, count, n_classes, &space);
        count_classes(pass, first, count, n_classes, space.mass, space.class_counts);
        if (pass->posterior)
            keep_rows(scores, count * n_classes, pass->posterior + first * n_classes);
        if (pass->window && (count == left || first + count - passed >= pass->window)) {
            sl_votes_pass(pass->votes, passed, first + count);
            passed = first + count;
        }
    }
    return value;
}

void sl_confusion_pass_rows(void *context, const struct sl_em_range *range, float *rows)
{
    const struct sl_confusion_pass *pass = context;
    const struct workspace space = workspace_of(pass, range->worker);
    const size_t n_classes = pass->votes->n_classes;
    assert(!pass->sparse);
    for (size_t first = range->begin; first < range->end; first += pass->block) {
        const size_t left = range->end - first;
        const size_t count = left < pass->block ? left : pass->block;
        judge_items(pass, first, count, n_classes, &space, 0);
        keep_rows(space.scores, count * n_classes, rows + (first - range->begin) * n_classes);
    }
}

static void pass_chunk(void *context, const struct sl_em_range *range)
{
    struct sl_confusion_pass *pass = context;
    double *value = &pass->chunk_value[range->chunk];
    const size_t n_classes = pass->votes->n_classes;
    if (pass->sparse) {
        *value = pass_items(pass, range, n_classes, true);
        return;
    }
    switch (n_classes) {
    case 2: *value = pass_items(pass, range, 2, false); break;
    case 3: *value = pass_items(pass, range, 3, false); break;
    case 4: *value = pass_items(pass, range, 4, false); break;
    case 10: *value = pass_items(pass, range, 10, false); break;
    default: *value = pass_items(pass, range, n_classes, false); break;
    }
}

static void clear_cells(void *context, const struct sl_em_range *range)
{
    struct sl_confusion_pass *pass = context;
    for (size_t worker = 0; worker < pass->n_workers; worker++)
        memset(pass->counts + worker * pass->n_cells + range->begin, 0,
               (range->end - range->begin) * sizeof *pass->counts);
}

static void add_workers(void *context, const struct sl_em_range *range)
{
    struct sl_confusion_pass *pass = context;
    for (size_t worker = 1; worker < pass->n_workers; worker++) {
        const int64_t *counts = pass->counts + worker * pass->n_cells;
        for (size_t i = range->begin; i < range->end; i++)
            pass->counts[i] += counts[i];
    }
}

/* Add what the other ranks counted, and collect their chunks' parts of the objective. */
static enum sl_status add_ranks(struct sl_confusion_pass *pass, struct sl_error *err)
{
    struct sl_comm *comm = sl_stream_comm(pass->options);
    if (sl_comm_size(comm) == 1) return SL_OK;
    SL_TRY(sl_comm_sum(comm, pass->counts, pass->n_cells, err));
    SL_TRY(sl_comm_sum(comm, pass->class_counts, pass->votes->n_classes, err));
    return sl_stream_collect(comm, pass->chunk_value, err);
}

enum sl_status sl_confusion_pass_run(struct sl_confusion_pass *pass, double *value,
                                     struct sl_error *err)
{
    const size_t n_classes = pass->votes->n_classes;
    if (!pass->sparse) sl_em_run(pass->n_cells, pass->pool, clear_cells, pass);
    memset(pass->class_counts, 0, pass->n_workers * pass->apart * sizeof *pass->class_counts);
    sl_em_run_chunks(pass->votes->n_items, sl_stream_chunks(pass->options), pass->pool, pass_chunk,
                     pass);
    if (!pass->sparse && pass->n_workers > 1)
        sl_em_run(pass->n_cells, pass->pool, add_workers, pass);
    for (size_t worker = 1; worker < pass->n_workers; worker++)
        for (size_t k = 0; k < n_classes; k++)
            pass->class_counts[k] += pass->class_counts[worker * pass->apart + k];
    SL_TRY(add_ranks(pass, err));
    *value = sl_em_sum(pass->chunk_value);
    return SL_OK;
}
