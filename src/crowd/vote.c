/* Majority vote and votes weighted by agreement with it. One serial pass each: reading the
 * answers costs more than counting them. */
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* The votes for each class of an item, weighted by annotator unless `weight` is NULL; returns
 * their sum. */
static double tally(const struct sl_votes *votes, size_t item, const double *weight, double *counts)
{
    double total = 0;
    for (size_t k = 0; k < votes->n_classes; k++)
        counts[k] = 0;
    for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
        double share = weight ? weight[votes->annotator[i]] : 1;
        counts[votes->label[i]] += share;
        total += share;
    }
    return total;
}

/* Which of `n_tied` classes wins, counted from the first of them. */
static size_t draw_winner(const struct sl_crowd_options *options, size_t item, size_t n_tied)
{
    struct sl_rng rng;
    if (options->tie == SL_TIE_FIRST) return 0;
    sl_rng_init(&rng, options->seed, "crowd.tie", 0, item);
    return (size_t)sl_rng_below(&rng, n_tied);
}

static void write_majority(const double *counts, size_t n_classes, size_t item,
                           const struct sl_crowd_options *options, float *row)
{
    double most = counts[0];
    size_t n_tied = 0;
    for (size_t k = 1; k < n_classes; k++)
        most = counts[k] > most ? counts[k] : most;
    for (size_t k = 0; k < n_classes; k++) {
        row[k] = 0;
        n_tied += counts[k] == most;
    }
    bool shared = options->tie == SL_TIE_SHARE || n_tied == 1;
    size_t winner = shared ? 0 : draw_winner(options, item, n_tied);
    for (size_t k = 0, tied = 0; k < n_classes; k++) {
        if (counts[k] != most) continue;
        if (shared || tied == winner) row[k] = shared ? 1.0f / (float)n_tied : 1.0f;
        tied++;
    }
}

static enum sl_status fill_majority(const struct sl_votes *votes,
                                    const struct sl_crowd_options *options, float *posterior,
                                    struct sl_error *err)
{
    double *counts = sl_data_alloc(votes->n_classes, sizeof *counts, err);
    if (!counts) return SL_ERR_NOMEM;
    for (size_t i = 0; i < votes->n_items; i++) {
        tally(votes, i, options->weights, counts);
        write_majority(counts, votes->n_classes, i, options, posterior + i * votes->n_classes);
    }
    free(counts);
    return SL_OK;
}

enum sl_status sl_crowd_mv(const struct sl_votes *votes, const struct sl_crowd_options *options,
                           struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(sl_crowd_state_alloc(out, size, 0, 0, err));
    SL_TRY(fill_majority(votes, options, out->posterior, err));
    sl_em_finish_votes(out, votes->begin, options);
    return SL_OK;
}

/* The share of each annotator's answers that the posterior supports; an annotator without answers
 * gets the crowd's share. */
static void measure_agreement(const struct sl_votes *votes, const float *posterior, double *skill,
                              size_t *n_answers)
{
    double total = 0;
    for (size_t a = 0; a < votes->n_annotators; a++) {
        skill[a] = 0;
        n_answers[a] = 0;
    }
    for (size_t i = 0; i < votes->n_items; i++) {
        const float *row = posterior + i * votes->n_classes;
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++) {
            skill[votes->annotator[v]] += (double)row[votes->label[v]];
            n_answers[votes->annotator[v]]++;
        }
    }
    for (size_t a = 0; a < votes->n_annotators; a++)
        total += skill[a];
    for (size_t a = 0; a < votes->n_annotators; a++)
        skill[a] = n_answers[a] ? skill[a] / (double)n_answers[a]
                                : total / (double)(votes->count ? votes->count : 1);
}

enum sl_status sl_crowd_wawa(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    const size_t n_classes = votes->n_classes;
    size_t *n_answers = NULL;
    double *counts = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    SL_TRY_OUT(fill_majority(votes, options, out->posterior, err));
    sl_em_finish_votes(out, votes->begin, options);
    n_answers = sl_data_alloc(votes->n_annotators, sizeof *n_answers, err);
    counts = sl_data_alloc(n_classes, sizeof *counts, err);
    if (!n_answers || !counts) SL_TRY_OUT(SL_ERR_NOMEM);
    measure_agreement(votes, out->posterior, out->skill, n_answers);
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->weight[a] = options->weights ? options->weights[a] : out->skill[a];
    for (size_t i = 0; i < votes->n_items; i++) {
        double total = tally(votes, i, out->weight, counts);
        /* Gold items may leave everybody here without weight: then the votes count equally. */
        if (!(total > 0)) total = tally(votes, i, NULL, counts);
        for (size_t k = 0; k < n_classes && total > 0; k++)
            out->posterior[i * n_classes + k] = (float)(counts[k] / total);
    }
    sl_em_finish_votes(out, votes->begin, options);
out:
    free(n_answers);
    free(counts);
    return status;
}
