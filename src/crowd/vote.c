/* Majority vote, shares of votes, and votes weighted by agreement with the majority or with gold.
 * One serial pass each: reading the answers costs more than counting them. */
#include "crowd/vote.h"

#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

double sl_vote_tally(const struct sl_votes *votes, size_t item, const double *weight,
                     double *counts)
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

double sl_vote_tally_any(const struct sl_votes *votes, size_t item, const double *weight,
                         double *counts)
{
    const double total = sl_vote_tally(votes, item, weight, counts);
    return total > 0 ? total : sl_vote_tally(votes, item, NULL, counts);
}

/* Which of `n_tied` classes wins, counted from the first of them. */
static size_t draw_winner(const struct sl_crowd_options *options, size_t item, size_t n_tied)
{
    struct sl_rng rng;
    if (options->tie == SL_TIE_FIRST) return 0;
    sl_rng_init(&rng, options->seed, "crowd.tie", 0, item);
    return (size_t)sl_rng_below(&rng, n_tied);
}

void sl_vote_majority(const double *counts, size_t n_classes, size_t item,
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
        sl_vote_tally(votes, i, options->weights, counts);
        sl_vote_majority(counts, votes->n_classes, i, options, posterior + i * votes->n_classes);
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

enum sl_status sl_vote_shares(const struct sl_votes *votes, const double *weight, float *posterior,
                              struct sl_error *err)
{
    const size_t n_classes = votes->n_classes;
    double *counts = sl_data_alloc(n_classes, sizeof *counts, err);
    if (!counts) return SL_ERR_NOMEM;
    for (size_t i = 0; i < votes->n_items; i++) {
        const double total = sl_vote_tally_any(votes, i, weight, counts);
        for (size_t k = 0; k < n_classes && total > 0; k++)
            posterior[i * n_classes + k] = (float)(counts[k] / total);
    }
    free(counts);
    return SL_OK;
}

/* The majority with gold pinned, and how often each annotator agrees with it. */
static enum sl_status agree_with_majority(const struct sl_votes *votes,
                                          const struct sl_crowd_options *options, unsigned parts,
                                          struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(sl_crowd_state_alloc(out, size, parts | SL_STATE_SKILL, 0, err));
    SL_TRY(fill_majority(votes, options, out->posterior, err));
    sl_em_finish_votes(out, votes->begin, options);
    return sl_named_skill(votes, out, err);
}

/* The last step of all weighted votes. */
static enum sl_status finish_shares(const struct sl_votes *votes, const double *weight,
                                    const struct sl_crowd_options *options,
                                    struct sl_crowd_state *out, struct sl_error *err)
{
    SL_TRY(sl_vote_shares(votes, weight, out->posterior, err));
    sl_em_finish_votes(out, votes->begin, options);
    return SL_OK;
}

enum sl_status sl_crowd_mv_shares(const struct sl_votes *votes,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    SL_TRY(agree_with_majority(votes, options, 0, out, err));
    return finish_shares(votes, options->weights, options, out, err);
}

enum sl_status sl_crowd_wawa(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    SL_TRY(agree_with_majority(votes, options, SL_STATE_WEIGHT, out, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->weight[a] = options->weights ? options->weights[a] : out->skill[a];
    return finish_shares(votes, out->weight, options, out, err);
}

/* The share of each annotator's answers to gold items that are right; who answered none gets the
 * share of all such answers. SL_ERR_INPUT if there are none. */
static enum sl_status measure_on_gold(const struct sl_votes *votes, const int32_t *gold,
                                      double *skill, struct sl_error *err)
{
    size_t *counts = sl_data_zeroed(votes->n_annotators, 2 * sizeof *counts, err);
    if (!counts) return SL_ERR_NOMEM;
    size_t all[2] = {0, 0}; /* answers, and right ones */
    for (size_t i = 0; i < votes->n_items; i++)
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1] && gold[i] >= 0; v++) {
            const bool right = votes->label[v] == (size_t)gold[i];
            counts[2 * (size_t)votes->annotator[v]]++;
            counts[2 * (size_t)votes->annotator[v] + 1] += right;
            all[0]++;
            all[1] += right;
        }
    for (size_t a = 0; a < votes->n_annotators && all[0] > 0; a++) {
        const size_t *own = counts[2 * a] > 0 ? counts + 2 * a : all;
        skill[a] = (double)own[1] / (double)own[0];
    }
    free(counts);
    if (all[0] > 0 || votes->count == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "nobody answered a gold item, so no annotator can be weighted; give gold of "
                   "items that were answered");
}

enum sl_status sl_crowd_gold_mv(const struct sl_votes *votes,
                                const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->skill[a] = 0;
    SL_TRY(measure_on_gold(votes, options->gold, out->skill, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->weight[a] = out->skill[a];
    return finish_shares(votes, out->weight, options, out, err);
}
