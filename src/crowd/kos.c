/* KOS (Karger, Oh and Shah 2011, 2014): message passing between items and annotators for two
 * classes, from random messages of mean 1. docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

struct kos {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state;
    double *message; /* owned; count: y of annotator to item, or x of item to annotator */
    double *total;   /* owned; n_annotators */
    double scale;    /* the largest message of the last round */
    double largest[SL_CROWD_CHUNKS];
};

/* The answer as the paper's A: +1 or -1. */
static double sign_of(const struct sl_votes *votes, size_t answer)
{
    return votes->label[answer] == 0 ? 1 : -1;
}

/* Messages keyed by annotator and item, so that the order of answers does not matter. */
static void draw_messages(void *context, const struct sl_em_range *range)
{
    struct kos *model = context;
    const struct sl_votes *votes = model->votes;
    for (size_t i = range->begin; i < range->end; i++)
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            struct sl_rng rng;
            sl_rng_init(&rng, model->options->seed, "crowd.kos", votes->annotator[j], i);
            model->message[j] = 1 + sl_rng_normal(&rng);
        }
}

/* The sum of an item's answers, weighted by their messages; a gold class has the weight of all of
 * them. */
static double item_total(const struct kos *model, size_t item)
{
    const struct sl_votes *votes = model->votes;
    int32_t gold = sl_em_gold(model->options, item);
    double total = 0, loudness = 0;
    for (size_t j = votes->begin[item]; j < votes->begin[item + 1]; j++) {
        total += sign_of(votes, j) * model->message[j];
        loudness += fabs(model->message[j]);
    }
    if (gold < 0) return total;
    return gold == 0 ? loudness : -loudness;
}

/* x of item i to annotator j = sum over the item's other annotators of A y, in place of y. */
static void send_to_annotators(void *context, const struct sl_em_range *range)
{
    struct kos *model = context;
    const struct sl_votes *votes = model->votes;
    for (size_t i = range->begin; i < range->end; i++) {
        bool pinned = sl_em_gold(model->options, i) >= 0;
        double total = item_total(model, i);
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            model->message[j] = pinned ? total : total - sign_of(votes, j) * model->message[j];
    }
}

/* y of annotator j to item i = sum over j's other items of A x, in place of x. */
static void send_to_items(void *context, const struct sl_em_range *range)
{
    struct kos *model = context;
    const struct sl_votes *votes = model->votes;
    double largest = 0;
    for (size_t i = range->begin; i < range->end; i++)
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            double own = sign_of(votes, j) * model->message[j];
            model->message[j] = (model->total[votes->annotator[j]] - own) / model->scale;
            double size = fabs(model->message[j]);
            if (size > largest) largest = size;
        }
    model->largest[range->chunk] = largest;
}

static void play_round(struct kos *model, struct sl_pool *pool)
{
    const struct sl_votes *votes = model->votes;
    sl_em_run(votes->n_items, pool, send_to_annotators, model);
    for (size_t a = 0; a < votes->n_annotators; a++)
        model->total[a] = 0;
    for (size_t j = 0; j < votes->count; j++) /* one thread, since the order changes a sum */
        model->total[votes->annotator[j]] += sign_of(votes, j) * model->message[j];
    sl_em_run(votes->n_items, pool, send_to_items, model);
    double largest = 0;
    for (size_t c = 0; c < SL_CROWD_CHUNKS; c++)
        if (model->largest[c] > largest) largest = model->largest[c];
    /* Only proportions matter: the growth of this round is divided out in the next. */
    model->scale = largest > 0 ? largest : 1;
}

/* The posterior is each class's share of the weight; an annotator of negative weight counts for the
 * class that was not named. Where no message arrives, because no annotator of the item answered
 * another one, the answers count equally. */
static void decide(void *context, const struct sl_em_range *range)
{
    struct kos *model = context;
    const struct sl_votes *votes = model->votes;
    for (size_t i = range->begin; i < range->end; i++) {
        if (votes->begin[i] == votes->begin[i + 1]) continue;
        double weights[2] = {0, 0}, equal[2] = {0, 0};
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            size_t said = votes->label[j];
            equal[said] += 1;
            weights[model->message[j] < 0 ? 1 - said : said] += fabs(model->message[j]);
        }
        double *chosen = weights[0] + weights[1] > 0 ? weights : equal;
        sl_named_shares(chosen, 2, -1);
        model->state->posterior[2 * i] = (float)chosen[0];
        model->state->posterior[2 * i + 1] = (float)chosen[1];
    }
}

enum sl_status sl_crowd_kos(const struct sl_votes *votes, const struct sl_crowd_options *options,
                            struct sl_crowd_state *out, struct sl_error *err)
{
    struct kos model = {.votes = votes, .options = options, .state = out, .scale = 1};
    enum sl_status status = SL_ERR_NOMEM;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    model.message = sl_data_alloc(votes->count, sizeof *model.message, err);
    model.total = sl_data_alloc(votes->n_annotators, sizeof *model.total, err);
    if (!model.message || !model.total) goto out;
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL, 0, err));
    sl_em_run(votes->n_items, options->pool, draw_messages, &model);
    for (; out->n_iterations < options->max_iterations && !sl_pool_is_stopped(options->pool);
         out->n_iterations++)
        play_round(&model, options->pool);
    sl_em_run(votes->n_items, options->pool, decide, &model);
    out->converged = true;
    sl_em_finish_votes(out, votes->begin, options);
    SL_TRY_OUT(sl_named_skill(votes, out, err));
out:
    free(model.message);
    free(model.total);
    return status;
}
