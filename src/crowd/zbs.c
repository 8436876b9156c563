/* Zero-based skill: votes weighted by skills, which move towards each annotator's agreement with
 * the weighted majority by a rate that falls in steps. docs/internals/crowd-methods.md has the
 * equations. */
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "crowd/vote.h"
#include "softlab/base/memory.h"

struct zbs {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    double *tallies;   /* owned; (threads, apart): one item's */
    int64_t *agreeing; /* owned; (threads, agreeing_apart): answers that the majority supports */
    size_t *answers;   /* owned; n_annotators */
    size_t threads, apart, agreeing_apart;
};

static void release(struct zbs *model)
{
    free(model->tallies);
    free(model->agreeing);
    free(model->answers);
}

static enum sl_status init_model(struct zbs *model, struct sl_error *err)
{
    const struct sl_votes *votes = model->votes;
    model->threads = sl_pool_threads(model->options->pool);
    model->apart = sl_em_apart(votes->n_classes, sizeof *model->tallies);
    model->agreeing_apart = sl_em_apart(votes->n_annotators, sizeof *model->agreeing);
    model->tallies = sl_data_alloc(model->threads * model->apart, sizeof *model->tallies, err);
    model->agreeing =
        sl_data_alloc(model->threads * model->agreeing_apart, sizeof *model->agreeing, err);
    if (!model->tallies || !model->agreeing) return SL_ERR_NOMEM;
    const double first = 1 / (double)votes->n_classes + model->options->zbs.margin;
    for (size_t a = 0; a < votes->n_annotators; a++)
        model->state->weight[a] = first;
    return sl_named_counts(votes, &model->answers, err);
}

/* The weighted majority of every item, in the posterior, and everyone's agreement with it. */
static void vote(void *context, const struct sl_em_range *range)
{
    struct zbs *model = context;
    const struct sl_votes *votes = model->votes;
    const size_t n_classes = votes->n_classes;
    double *tallies = model->tallies + range->worker * model->apart;
    int64_t *agreeing = model->agreeing + range->worker * model->agreeing_apart;
    for (size_t i = range->begin; i < range->end; i++) {
        float *row = model->state->posterior + i * n_classes;
        const int32_t gold = sl_em_gold(model->options, i);
        sl_vote_tally_any(votes, i, model->state->weight, tallies);
        sl_vote_majority(tallies, n_classes, i, model->options, row);
        for (size_t k = 0; gold >= 0 && k < n_classes; k++)
            row[k] = k == (size_t)gold;
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++)
            agreeing[votes->annotator[v]] += sl_em_units((double)row[votes->label[v]]);
    }
}

/* Move every skill towards the agreement; returns whether any moved. Annotators without answers
 * follow the agreement of all answers. */
static bool move_skills(struct zbs *model, double rate)
{
    const size_t n_annotators = model->votes->n_annotators;
    int64_t all = 0;
    bool moved = false;
    for (size_t a = 0; a < n_annotators; a++) {
        for (size_t t = 1; t < model->threads; t++)
            model->agreeing[a] += model->agreeing[t * model->agreeing_apart + a];
        all += model->agreeing[a];
    }
    const double crowd =
        model->votes->count > 0 ? sl_em_count(all) / (double)model->votes->count : 1;
    for (size_t a = 0; a < n_annotators; a++) {
        const double own = model->answers[a] > 0
                               ? sl_em_count(model->agreeing[a]) / (double)model->answers[a]
                               : crowd;
        const double skill = model->state->weight[a];
        model->state->weight[a] = skill + rate * (own - skill);
        moved |= model->state->weight[a] != skill;
    }
    return moved;
}

enum sl_status sl_crowd_zbs(const struct sl_votes *votes, const struct sl_crowd_options *options,
                            struct sl_crowd_state *out, struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct zbs model = {.votes = votes, .options = options, .state = out};
    double rate = options->zbs.rate;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    SL_TRY_OUT(init_model(&model, err));
    while (out->n_iterations < options->max_iterations && !out->converged &&
           !sl_pool_is_stopped(options->pool)) {
        out->n_iterations++;
        if (out->n_iterations % options->zbs.period == 0) rate *= options->zbs.factor;
        memset(model.agreeing, 0, model.threads * model.agreeing_apart * sizeof *model.agreeing);
        sl_em_run(votes->n_items, options->pool, vote, &model);
        out->converged = !move_skills(&model, rate);
    }
    for (size_t a = 0; a < votes->n_annotators; a++)
        out->skill[a] = out->weight[a];
    SL_TRY_OUT(sl_vote_shares(votes, out->weight, out->posterior, err));
    sl_em_finish_votes(out, votes->begin, options);
out:
    release(&model);
    return status;
}
