/* Ask: which items to ask about next, which have enough answers, and what more answers would buy.
 * Pure functions over arrays: no files, no clock, no hidden randomness.
 *
 *     sl_ask_fit_create(&votes, NULL, NULL, NULL, &fit, &err);  what the answers so far say
 *     sl_ask_board_create(fit, &votes, NULL, &rule, NULL, &board, &err);
 *     n = sl_ask_choose(board, seen, 25, items);                25 items for one person
 *     for (i = 0; i < n; i++) sl_ask_expect(board, items[i], 1); they were asked for
 *
 * An item's risk and gain are those of softlab/crowd/dirichlet.h: the expected divergence of its
 * label from how a whole crowd would answer, and by how much one more answer is expected to lower
 * it. A fit is made now and then; a board is cheap and made whenever answers have come. */
#ifndef SOFTLAB_ASK_H
#define SOFTLAB_ASK_H

#include "softlab/base/log.h"
#include "softlab/base/stats.h"
#include "softlab/crowd/dirichlet.h"

SL_BEGIN_DECLS

/* ---- The rule ---- */

enum sl_ask_way {
    SL_ASK_AUTO,  /* by gain where that is known to pay, else equally */
    SL_ASK_GAIN,  /* the items whose risk one more answer lowers most */
    SL_ASK_EQUAL, /* the items with the fewest answers */
    SL_ASK_WAYS
};
extern const char *const sl_ask_way_names[SL_ASK_WAYS]; /* "auto", "gain", "equal" */

struct sl_ask_rule {
    enum sl_ask_way way; /* SL_ASK_AUTO */
    size_t first;        /* every item gets this many answers before items are compared, 2 */
    size_t least;        /* no item is closed with fewer answers, 4 */
    size_t most;         /* an item with this many answers is closed; 0: no limit, 0 */
    double stop;         /* an item is closed if one more answer lowers its risk by less, in nats,
                            1e-3; 0: never */
    double pays;         /* AUTO: the least variation of difficulty for choosing by gain, .2 */
    size_t pilot; /* AUTO: the least number of items with `first` answers that shows it, 50 */
};
struct sl_ask_rule sl_ask_rule_default(void);
/* SL_ERR_USAGE naming what is out of range. */
enum sl_status sl_ask_rule_check(const struct sl_ask_rule *rule, struct sl_error *err) SL_MUST_USE;

/* ---- What the answers so far say ---- */

struct sl_ask_fit {
    struct sl_dirichlet *model; /* owned */
    size_t n_annotators, n_answers;
    double *trust; /* owned; n_annotators: the weight of their answers, 0 to 1 */
    /* V = 1 - (E sqrt v)^2 / E v over items, with v = 1 - sum of theta^2: 0 if people disagree
     * about every item alike, towards 1 if a few items have all the disagreement. By optimal
     * allocation (Neyman 1934) it is the share of answers that choosing items can save at best. */
    double variation;
};
/* `predictions` (n_items, K) are a classifier's, or NULL. `before` is an earlier fit of the same
 * classes to start from, or NULL; without it the result depends on the answers alone. SL_ERR_INPUT
 * if there are no answers or more than 100 classes. */
enum sl_status sl_ask_fit_create(const struct sl_votes *votes, const float *predictions,
                                 const struct sl_ask_fit *before, struct sl_pool *pool,
                                 struct sl_ask_fit **out, struct sl_error *err) SL_MUST_USE;
/* V of a fitted model, from 4,096 items that are drawn from it. */
double sl_ask_variation(const struct sl_dirichlet *model);
void sl_ask_fit_destroy(struct sl_ask_fit *fit);

/* ---- The board: every item with its answers, and those that were asked for ---- */

struct sl_ask_board {
    const struct sl_ask_fit *fit; /* borrowed */
    struct sl_ask_rule rule;
    const float *predictions; /* borrowed; or NULL */
    size_t n_items, n_classes;
    float *counts;       /* owned; (n_items, K): answers by class, weighted by trust */
    uint32_t *answers;   /* owned; n_items: people who answered */
    uint32_t *pending;   /* owned; n_items: people who were asked and have not answered yet */
    double *risk;        /* owned; n_items */
    double *gain;        /* owned; n_items: of an answer beyond the pending ones */
    bool by_gain;        /* items are chosen by gain, else by the fewest answers */
    const char *because; /* static; why, as a clause */
    struct sl_dirichlet_view view; /* private */
};
/* The votes may have more answers, annotators and items than the fit has seen, and the same
 * classes; answers of new annotators count fully. */
enum sl_status sl_ask_board_create(const struct sl_ask_fit *fit, const struct sl_votes *votes,
                                   const float *predictions, const struct sl_ask_rule *rule,
                                   struct sl_pool *pool, struct sl_ask_board **out,
                                   struct sl_error *err) SL_MUST_USE;
/* The same for stated distributions: each counts as fit->model->rich_weight answers. */
enum sl_status sl_ask_board_create_soft(const struct sl_ask_fit *fit,
                                        const struct sl_soft_votes *votes,
                                        const struct sl_ask_rule *rule, struct sl_pool *pool,
                                        struct sl_ask_board **out,
                                        struct sl_error *err) SL_MUST_USE;
void sl_ask_board_destroy(struct sl_ask_board *board);
/* `more` people were asked about the item: its gain becomes that of a further answer. A negative
 * number takes pending answers back, no more than there are. */
void sl_ask_expect(struct sl_ask_board *board, size_t item, int more);
/* The item's label and all that softlab/crowd/dirichlet.h says about it, without pending answers;
 * valid until the next call that takes the board. */
const struct sl_dirichlet_view *sl_ask_look(struct sl_ask_board *board, size_t item);

/* ---- Choosing ---- */

enum sl_ask_state {
    SL_ASK_OPEN,
    SL_ASK_SETTLED, /* one more answer would change little */
    SL_ASK_FULL,    /* it has the most answers that the rule allows */
};
/* With pending answers counted as given. */
enum sl_ask_state sl_ask_state_of(const struct sl_ask_board *board, size_t item);

/* Different open items for one person, at most `count`, those to ask about first in front: below
 * `rule.first` answers those with the fewest, then the greatest gains (or the fewest answers);
 * equal ones in the order of items. `seen` (n_items) marks what the person must not get, or is
 * NULL. Returns their number. Takes no memory and changes nothing. */
size_t sl_ask_choose(const struct sl_ask_board *board, const bool *seen, size_t count,
                     uint32_t *out);
/* All open items in the same order. out has room for n_items. Returns their number. */
size_t sl_ask_order(const struct sl_ask_board *board, uint32_t *out);
/* Ask for `n_answers` one by one, each about the item that comes first then, and count them as
 * pending. times[n_items] is how often each item was asked for, at most `per_item` times (0: no
 * limit). Returns the number of answers, fewer than asked for if all items are closed. */
size_t sl_ask_wave(struct sl_ask_board *board, size_t n_answers, size_t per_item, uint32_t *times);
/* Take all pending answers back: plans that were tried and not carried out. */
void sl_ask_withdraw(struct sl_ask_board *board);

/* ---- What it would buy ---- */

/* The expected drop of the item's risk by `times` more answers, beside the pending ones: the mean
 * of `n_draws` futures drawn from the model, by streams (seed, item). */
double sl_ask_expected_drop(struct sl_ask_board *board, size_t item, size_t times, size_t n_draws,
                            uint64_t seed);
/* The expected drop of the mean risk of all items if item i gets times[i] more answers. Small waves
 * average 64 futures of each item; of large ones, every n-th item that was asked about stands for n
 * and has one future, so that the work is bounded. */
double sl_ask_expected_mean_drop(struct sl_ask_board *board, const uint32_t *times, uint64_t seed);
/* A future of all items: waves of answers, each drawn from the item's label at that time, with the
 * fit as it is. */
struct sl_ask_course {
    size_t n_answers; /* at most */
    size_t wave;      /* answers that are asked for at once */
    double target;    /* it ends when the mean risk is as low; NaN: never */
    uint64_t seed;
};
struct sl_ask_outcome {
    size_t n_answers;
    double mean_risk; /* after them */
};
/* Play it: the answers stay on the board. By streams (seed, answer, item). */
struct sl_ask_outcome sl_ask_play(struct sl_ask_board *board, const struct sl_ask_course *course);
/* How many more answers the item needs, by the rule, if they come as expected; `limit` if more. */
size_t sl_ask_needed(struct sl_ask_board *board, size_t item, size_t limit);

struct sl_ask_summary {
    size_t n_items, n_open, n_settled, n_full;
    size_t n_unanswered; /* items */
    size_t answers, pending;
    double mean_risk; /* over all items */
};
void sl_ask_summarise(const struct sl_ask_board *board, struct sl_ask_summary *out);

/* ---- A whole campaign ---- */

/* Those who answer in a campaign that is tried out, and whoever looks at the labels. */
struct sl_ask_people {
    size_t n_items;
    void *context; /* borrowed */
    /* The class that the next person says about the item, which was asked about `before` times.
     * K or more: an answer that cannot be used; it is paid for all the same. */
    size_t (*answer)(void *context, size_t item, size_t before);
    /* Each item's answers by class and its label, (K) each, when budget number `budget` is spent.
     * Items come in their order. */
    void (*look)(void *context, size_t budget, size_t item, const uint32_t *counts,
                 const double *label);
};
struct sl_ask_campaign {
    const struct sl_ask_fit *pilot; /* borrowed; used until the campaign's own answers are fitted */
    struct sl_ask_rule rule;
    double wave;           /* answers that are asked for at once, as a share of the items, .3 */
    const size_t *budgets; /* borrowed; n_budgets, ascending: answers asked for so far */
    size_t n_budgets;
};
/* Ask in waves about items that nobody has answered, fit the model again whenever there are a fifth
 * more answers, and make labels when a budget is spent. */
enum sl_status sl_ask_campaign_run(const struct sl_ask_campaign *campaign,
                                   const struct sl_ask_people *people, struct sl_pool *pool,
                                   struct sl_error *err) SL_MUST_USE;

/* How far labels are from how a whole crowd would answer. */
struct sl_ask_quality {
    double risk;   /* the mean expected divergence, in nats */
    double square; /* the mean squared distance */
};
enum { SL_ASK_BY_EQUAL, SL_ASK_BY_GAIN, SL_ASK_ALLOCATIONS };
struct sl_ask_forecast_options {
    const double *budgets; /* borrowed; n_budgets, ascending: answers per item */
    size_t n_budgets;
    double wave;          /* .3 */
    size_t n_simulated;   /* items of the campaign that is simulated, 2000 */
    size_t n_resimulated; /* the same for each resample, 500 */
    size_t n_resamples;   /* of the pilot's items, for intervals, 20 */
    size_t least_pilot;   /* items with two answers that a pilot must have, 30 */
    uint64_t seed;
    struct sl_progress *progress; /* borrowed, or NULL */
};
struct sl_ask_forecast_options sl_ask_forecast_options_default(void);
struct sl_ask_forecast {
    size_t n_pilot;               /* items of the pilot that have two answers or more */
    double useful;                /* the share of its answers that were not given by chance */
    struct sl_interval variation; /* V of struct sl_ask_fit */
    size_t n_budgets;
    double *budgets; /* owned; answers per item */
    /* Owned; per allocation and budget, with 95 % intervals for the uncertainty of the pilot. */
    struct sl_interval *risk[SL_ASK_ALLOCATIONS], *square[SL_ASK_ALLOCATIONS];
    /* Owned; per budget: the risk by gain as a share of the risk by equal allocation. Each resample
     * gives a pair, so that the interval is narrower than those of the two. */
    struct sl_interval *ratio;
};
/* Fit the pilot, draw items and people from the fit, run campaigns of both allocations on them, and
 * do the same for resamples of the pilot's items. SL_ERR_INPUT for a pilot that is too small, or
 * whose answers all name one class. */
enum sl_status sl_ask_forecast_create(const struct sl_votes *pilot,
                                      const struct sl_ask_forecast_options *options,
                                      struct sl_pool *pool, struct sl_ask_forecast **out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_ask_forecast_destroy(struct sl_ask_forecast *forecast);

SL_END_DECLS

#endif
