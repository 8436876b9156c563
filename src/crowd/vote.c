/* Majority vote, shares of votes, and votes weighted by agreement with the majority or with gold.
 * One serial pass each: reading the answers costs more than counting them. */
#include "crowd/vote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/stream.h"
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

/* How rows are made of votes. */
struct filling {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    const double *weight; /* of annotators, or NULL: all the same */
    double *counts;       /* owned; K per worker, apart */
};

static enum sl_status filling_init(struct filling *filling, const struct sl_votes *votes,
                                   const struct sl_crowd_options *options, const double *weight,
                                   struct sl_error *err)
{
    const size_t n_workers = sl_pool_threads(options->pool);
    *filling = (struct filling){.votes = votes, .options = options, .weight = weight};
    filling->counts =
        sl_data_alloc(n_workers * sl_em_apart(votes->n_classes, sizeof *filling->counts),
                      sizeof *filling->counts, err);
    return filling->counts ? SL_OK : SL_ERR_NOMEM;
}

static void filling_release(struct filling *filling)
{
    free(filling->counts);
}

static double *counts_of(const struct filling *filling, size_t worker)
{
    return filling->counts +
           worker * sl_em_apart(filling->votes->n_classes, sizeof *filling->counts);
}

/* The majority of each item, for sl_stream_rows. */
static void fill_majority(void *context, const struct sl_em_range *range, float *rows)
{
    const struct filling *filling = context;
    const size_t n_classes = filling->votes->n_classes;
    double *counts = counts_of(filling, range->worker);
    for (size_t i = range->begin; i < range->end; i++, rows += n_classes) {
        sl_vote_tally(filling->votes, i, filling->weight, counts);
        sl_vote_majority(counts, n_classes, i, filling->options, rows);
    }
}

/* Each class's share of the weight, for the items that have votes. */
static void fill_shares(void *context, const struct sl_em_range *range, float *rows)
{
    const struct filling *filling = context;
    const size_t n_classes = filling->votes->n_classes;
    double *counts = counts_of(filling, range->worker);
    for (size_t i = range->begin; i < range->end; i++, rows += n_classes) {
        const double total = sl_vote_tally_any(filling->votes, i, filling->weight, counts);
        for (size_t k = 0; k < n_classes && total > 0; k++)
            rows[k] = (float)(counts[k] / total);
    }
}

/* The last step of all votes: the rows of `fill`, streamed or kept in the state. */
static enum sl_status finish(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             const double *weight, sl_stream_fill *fill, struct sl_crowd_state *out,
                             struct sl_error *err)
{
    struct filling filling;
    enum sl_status status =
        sl_stream_agree(options, filling_init(&filling, votes, options, weight, err), err);
    if (status == SL_OK && options->stream) {
        status = sl_stream_rows(votes, options, options->pool, fill, &filling, err);
    } else if (status == SL_OK) {
        fill(&filling, &(struct sl_em_range){.end = votes->n_items}, out->posterior);
        sl_em_finish_votes(out, votes->begin, options);
    }
    filling_release(&filling);
    return status;
}

enum sl_status sl_crowd_mv(const struct sl_votes *votes, const struct sl_crowd_options *options,
                           struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY(sl_stream_agree(options,
                           sl_crowd_state_alloc(out, size, sl_stream_parts(options), 0, err), err));
    return finish(votes, options, options->weights, fill_majority, out, err);
}

enum sl_status sl_vote_shares(const struct sl_votes *votes, const double *weight, float *posterior,
                              struct sl_error *err)
{
    const struct sl_crowd_options alone = {.pool = NULL};
    struct filling filling;
    SL_TRY(filling_init(&filling, votes, &alone, weight, err));
    fill_shares(&filling, &(struct sl_em_range){.end = votes->n_items}, posterior);
    filling_release(&filling);
    return SL_OK;
}

/* Answers, and units of the majority's rows at the classes that they name. */
struct agreement {
    int64_t *answers, *units; /* owned; n_annotators */
};

/* Add the answers of a range of items. Units of 2^-30 make the sums exact, so that neither windows
 * nor ranks change them. */
static void add_agreement(struct filling *filling, struct sl_pool_range items, float *row,
                          struct agreement *agreement)
{
    const struct sl_votes *votes = filling->votes;
    for (size_t i = items.begin; i < items.end; i++) {
        const int32_t gold = sl_em_gold(filling->options, i);
        fill_majority(filling, &(struct sl_em_range){.begin = i, .end = i + 1}, row);
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++) {
            const uint16_t label = votes->label[v];
            const double agreed = gold >= 0 ? label == (size_t)gold : (double)row[label];
            agreement->answers[votes->annotator[v]]++;
            agreement->units[votes->annotator[v]] += sl_em_units(agreed);
        }
    }
}

/* All answers of this rank, window by window, then those of the other ranks. */
static enum sl_status measure_agreement(struct filling *filling, float *row,
                                        struct agreement *agreement, struct sl_error *err)
{
    const struct sl_votes *votes = filling->votes;
    const struct sl_crowd_options *options = filling->options;
    const struct sl_pool_range items = sl_stream_items(options, votes->n_items);
    const size_t window =
        options->stream ? sl_stream_window(options->stream, votes->n_classes) : votes->n_items;
    for (size_t first = items.begin; first < items.end;) {
        const size_t end = items.end - first < window ? items.end : first + window;
        add_agreement(filling, (struct sl_pool_range){first, end}, row, agreement);
        sl_votes_pass(votes, first, end);
        first = end;
    }
    struct sl_comm *comm = sl_stream_comm(options);
    SL_TRY(sl_comm_sum(comm, agreement->answers, votes->n_annotators, err));
    return sl_comm_sum(comm, agreement->units, votes->n_annotators, err);
}

/* Skill is the mean agreement of an annotator's answers; without answers, the crowd's. */
static void fill_skills(const struct agreement *agreement, size_t n_annotators, double *skill)
{
    int64_t all_answers = 0, all_units = 0;
    for (size_t a = 0; a < n_annotators; a++) {
        all_answers += agreement->answers[a];
        all_units += agreement->units[a];
    }
    const double crowd = sl_em_count(all_units) / (double)(all_answers ? all_answers : 1);
    for (size_t a = 0; a < n_annotators; a++)
        skill[a] = agreement->answers[a]
                       ? sl_em_count(agreement->units[a]) / (double)agreement->answers[a]
                       : crowd;
}

/* How often each annotator agrees with the majority, gold pinned. */
static enum sl_status agree_with_majority(const struct sl_votes *votes,
                                          const struct sl_crowd_options *options, unsigned parts,
                                          struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct filling filling = {0};
    struct agreement agreement = {0};
    float *row = NULL;
    enum sl_status status = SL_OK;
    parts |= SL_STATE_SKILL | sl_stream_parts(options);
    status = sl_crowd_state_alloc(out, size, parts, 0, err);
    if (status == SL_OK) status = filling_init(&filling, votes, options, options->weights, err);
    row = sl_data_alloc(votes->n_classes, sizeof *row, err);
    agreement.answers = sl_data_zeroed(votes->n_annotators, sizeof(int64_t), err);
    agreement.units = sl_data_zeroed(votes->n_annotators, sizeof(int64_t), err);
    if (!row || !agreement.answers || !agreement.units) status = SL_ERR_NOMEM;
    SL_TRY_OUT(sl_stream_agree(options, status, err));
    assert(row && filling.votes); /* ranks that agree on success include this one */
    SL_TRY_OUT(measure_agreement(&filling, row, &agreement, err));
    fill_skills(&agreement, votes->n_annotators, out->skill);
out:
    filling_release(&filling);
    free(row);
    free(agreement.answers);
    free(agreement.units);
    return status;
}

enum sl_status sl_crowd_mv_shares(const struct sl_votes *votes,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    SL_TRY(agree_with_majority(votes, options, 0, out, err));
    return finish(votes, options, options->weights, fill_shares, out, err);
}

enum sl_status sl_crowd_wawa(const struct sl_votes *votes, const struct sl_crowd_options *options,
                             struct sl_crowd_state *out, struct sl_error *err)
{
    SL_TRY(agree_with_majority(votes, options, SL_STATE_WEIGHT, out, err));
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->weight[a] = options->weights ? options->weights[a] : out->skill[a];
    return finish(votes, options, out->weight, fill_shares, out, err);
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
    return finish(votes, options, out->weight, fill_shares, out, err);
}
