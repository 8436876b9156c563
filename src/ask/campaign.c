/* A whole campaign in waves, with refits, over people who answer through a function. */
#include <stdlib.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"

/* The answers so far as votes without names, which is what fits read. */
struct tally {
    size_t n_items, n_classes;
    uint32_t *counts; /* (n_items, K) */
    uint32_t *asked;  /* n_items */
    size_t n_answers, n_asked;
    uint32_t *times;        /* n_items: how often the wave asks about each */
    struct sl_ask_fit *fit; /* the last one; NULL: none yet */
    struct sl_votes votes;  /* room for all answers that the campaign may have */
};

static void tally_release(struct tally *tally)
{
    free(tally->counts);
    free(tally->asked);
    free(tally->times);
    sl_ask_fit_destroy(tally->fit);
    free(tally->votes.begin);
    free(tally->votes.annotator);
    free(tally->votes.label);
}

static enum sl_status tally_init(struct tally *tally, size_t n_items, size_t n_classes,
                                 size_t most_answers, struct sl_error *err)
{
    *tally = (struct tally){.n_items = n_items, .n_classes = n_classes};
    tally->counts = sl_data_zeroed(n_items * n_classes + 1, sizeof *tally->counts, err);
    tally->asked = sl_data_zeroed(n_items + 1, sizeof *tally->asked, err);
    tally->times = sl_data_zeroed(n_items + 1, sizeof *tally->times, err);
    tally->votes = (struct sl_votes){.n_items = n_items, .n_classes = n_classes};
    tally->votes.begin = sl_data_zeroed(n_items + 1, sizeof *tally->votes.begin, err);
    tally->votes.annotator = sl_data_alloc(most_answers + 1, sizeof *tally->votes.annotator, err);
    tally->votes.label = sl_data_alloc(most_answers + 1, sizeof *tally->votes.label, err);
    const struct sl_votes *votes = &tally->votes;
    const bool all = tally->counts && tally->asked && tally->times && votes->begin &&
                     votes->annotator && votes->label;
    return all ? SL_OK : SL_ERR_NOMEM;
}

static const struct sl_votes *as_votes(struct tally *tally)
{
    struct sl_votes *votes = &tally->votes;
    size_t v = 0;
    for (size_t i = 0; i < tally->n_items; i++) {
        votes->begin[i] = v;
        for (size_t k = 0; k < tally->n_classes; k++)
            for (uint32_t c = 0; c < tally->counts[i * tally->n_classes + k]; c++, v++) {
                votes->annotator[v] = SL_NO_NAME;
                votes->label[v] = (uint16_t)k;
            }
    }
    votes->begin[tally->n_items] = v;
    votes->count = v;
    return votes;
}

static void ask_people(struct tally *tally, const struct sl_ask_people *people)
{
    for (size_t i = 0; i < tally->n_items; i++)
        for (uint32_t t = 0; t < tally->times[i]; t++) {
            const size_t said = people->answer(people->context, i, tally->asked[i]++);
            tally->n_asked++;
            if (said >= tally->n_classes) continue;
            tally->counts[i * tally->n_classes + said]++;
            tally->n_answers++;
        }
}

/* Fit again if there are enough new answers, or `now`. Before items have two answers each, the
 * answers say nothing about how people disagree, and the pilot's fit is better. */
static enum sl_status refit(struct tally *tally, bool now, const struct sl_ask_fit *pilot,
                            struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_ask_fit *before = tally->fit;
    const double growth = 1.2, n_answers = (double)tally->n_answers;
    const double needed = before ? growth * (double)before->n_answers : 2 * (double)tally->n_items;
    struct sl_ask_fit *next = NULL;
    if (tally->n_answers == 0 || !(now || n_answers >= needed)) return SL_OK;
    SL_TRY(sl_ask_fit_create(as_votes(tally), NULL, before ? before : pilot, pool, &next, err));
    sl_ask_fit_destroy(tally->fit);
    tally->fit = next;
    return SL_OK;
}

/* Spend the budget up to `until` answers. */
static enum sl_status spend(const struct sl_ask_campaign *campaign,
                            const struct sl_ask_people *people, struct tally *tally, size_t until,
                            struct sl_pool *pool, struct sl_error *err)
{
    const double share = campaign->wave * (double)tally->n_items;
    const size_t wave = campaign->rule.way == SL_ASK_EQUAL ? until : share < 1 ? 1 : (size_t)share;
    while (tally->n_asked < until) {
        const size_t left = until - tally->n_asked;
        struct sl_ask_board *board = NULL;
        SL_TRY(refit(tally, false, campaign->pilot, pool, err));
        SL_TRY(sl_ask_board_create(tally->fit ? tally->fit : campaign->pilot, as_votes(tally), NULL,
                                   &campaign->rule, pool, &board, err));
        const size_t given = sl_ask_wave(board, left < wave ? left : wave, 0, tally->times);
        sl_ask_board_destroy(board);
        if (given == 0) break; /* all items are closed */
        ask_people(tally, people);
    }
    return SL_OK;
}

static enum sl_status show_labels(const struct sl_ask_people *people, size_t place,
                                  const struct tally *tally, const struct sl_ask_fit *fit,
                                  struct sl_error *err)
{
    struct sl_dirichlet_view view = {0};
    SL_TRY(sl_dirichlet_view_init(&view, fit->model, err));
    sl_dirichlet_expect(&view, NULL);
    for (size_t i = 0; i < tally->n_items; i++) {
        const uint32_t *counts = tally->counts + i * tally->n_classes;
        for (size_t k = 0; k < tally->n_classes; k++)
            view.count[k] = counts[k];
        sl_dirichlet_look(&view, -1);
        people->look(people->context, place, i, counts, view.label);
    }
    sl_dirichlet_view_release(&view);
    return SL_OK;
}

enum sl_status sl_ask_campaign_run(const struct sl_ask_campaign *campaign,
                                   const struct sl_ask_people *people, struct sl_pool *pool,
                                   struct sl_error *err)
{
    const size_t n_items = people->n_items, last = campaign->n_budgets;
    struct tally tally = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(tally_init(&tally, n_items, campaign->pilot->model->n_classes,
                          last > 0 ? campaign->budgets[last - 1] : 0, err));
    for (size_t b = 0; b < last; b++) {
        SL_TRY_OUT(spend(campaign, people, &tally, campaign->budgets[b], pool, err));
        SL_TRY_OUT(refit(&tally, true, campaign->pilot, pool, err));
        SL_TRY_OUT(show_labels(people, b, &tally, tally.fit ? tally.fit : campaign->pilot, err));
    }
out:
    tally_release(&tally);
    return status;
}
