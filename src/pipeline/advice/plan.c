/* Which items to ask about next (softlab/ask.h), and what that is expected to buy beside asking
 * about all items alike. */
#include <stdlib.h>

#include "pipeline/advice/advice.h"
#include "softlab/ask.h"
#include "softlab/base/memory.h"

/* An item gets at most this many times its equal share at once: after that the plan is made anew.
 */
enum { MOST_TIMES_EQUAL = 5 };

static enum sl_status make_board(const struct sl_advice_input *input, const struct sl_ask_fit *fit,
                                 enum sl_ask_way way, struct sl_ask_board **out,
                                 struct sl_error *err)
{
    const struct sl_crowd_answers *crowd = &input->crowd;
    struct sl_ask_rule rule = sl_ask_rule_default();
    rule.way = way;
    rule.first = 0;
    rule.stop = 0;
    if (crowd->soft)
        return sl_ask_board_create_soft(fit, crowd->soft, &rule, input->pool, out, err);
    return sl_ask_board_create(fit, crowd->votes, NULL, &rule, input->pool, out, err);
}

/* The drop of the sum of all risks that `n_answers` bring in one way of choosing. */
static enum sl_status try_way(const struct sl_advice_input *input, const struct sl_ask_fit *fit,
                              enum sl_ask_way way, size_t n_answers, uint32_t *times, double *drop,
                              struct sl_error *err)
{
    struct sl_ask_board *board = NULL;
    SL_TRY(make_board(input, fit, way, &board, err));
    const size_t share = (n_answers + board->n_items - 1) / board->n_items;
    sl_ask_wave(board, n_answers, share * MOST_TIMES_EQUAL, times);
    sl_ask_withdraw(board);
    *drop = (double)board->n_items * sl_ask_expected_mean_drop(board, times, 1);
    sl_ask_board_destroy(board);
    return SL_OK;
}

enum sl_status sl_advice_plan_init(struct sl_advice_plan *plan, const struct sl_advice_input *input,
                                   const struct sl_crowd_state *state, size_t n_answers,
                                   struct sl_error *err)
{
    const struct sl_ask_fit fit = {
        .model = state->dirichlet, .n_annotators = state->n_annotators, .trust = state->weight};
    enum sl_status status = SL_OK;
    *plan = (struct sl_advice_plan){0};
    plan->answers = sl_data_zeroed(state->n_items, sizeof *plan->answers, err);
    if (!plan->answers) return SL_ERR_NOMEM;
    SL_TRY_OUT(
        try_way(input, &fit, SL_ASK_EQUAL, n_answers, plan->answers, &plan->equal_drop, err));
    SL_TRY_OUT(try_way(input, &fit, SL_ASK_GAIN, n_answers, plan->answers, &plan->drop, err));
out:
    if (status != SL_OK) sl_advice_plan_release(plan);
    return status;
}

void sl_advice_plan_release(struct sl_advice_plan *plan)
{
    free(plan->answers);
    *plan = (struct sl_advice_plan){0};
}
