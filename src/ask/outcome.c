/* What more answers are expected to buy. */
#include <math.h>

#include "ask/ask_internal.h"
#include "softlab/base/random.h"

double sl_ask_expected_drop(struct sl_ask_board *board, size_t item, size_t times, size_t n_draws,
                            uint64_t seed)
{
    struct sl_dirichlet_view *view = &board->view;
    double sum = 0;
    for (size_t draw = 0; draw < n_draws && times > 0; draw++) {
        struct sl_rng rng;
        sl_rng_init(&rng, seed, "ask.future", draw, item);
        sl_ask_look_ahead(board, view, item, board->pending[item]);
        /* The gains along a future add up to its drop, by the law of total expectation; the last
         * one is exact, so that one answer needs no draws. */
        for (size_t i = 0; i < times; i++) {
            sum += sl_dirichlet_gain(view);
            if (i + 1 == times) break;
            view->count[sl_rng_categorical(&rng, view->label, board->n_classes)] += 1;
            sl_dirichlet_look(view, -1);
        }
    }
    return n_draws > 0 ? sum / (double)n_draws : 0;
}

double sl_ask_expected_mean_drop(struct sl_ask_board *board, const uint32_t *times, uint64_t seed)
{
    enum { ANSWERS_TO_DRAW = 1 << 17, MOST_DRAWS = 64 };
    size_t n_answers = 0, n_asked = 0;
    double drop = 0;
    for (size_t i = 0; i < board->n_items; i++)
        n_answers += times[i];
    if (n_answers == 0) return 0;
    const size_t affordable = ANSWERS_TO_DRAW / n_answers;
    const size_t draws = affordable < 1 ? 1 : affordable > MOST_DRAWS ? MOST_DRAWS : affordable;
    const size_t step = (n_answers + ANSWERS_TO_DRAW - 1) / ANSWERS_TO_DRAW;
    for (size_t i = 0; i < board->n_items; i++) {
        if (times[i] == 0 || n_asked++ % step != 0) continue;
        /* One answer needs no draws. */
        drop += sl_ask_expected_drop(board, i, times[i], times[i] == 1 ? 1 : draws, seed);
    }
    const size_t looked_at = (n_asked + step - 1) / step;
    return drop * (double)n_asked / (double)looked_at / (double)board->n_items;
}

size_t sl_ask_needed(struct sl_ask_board *board, size_t item, size_t limit)
{
    const uint32_t pending = board->pending[item];
    size_t more = 0;
    while (more < limit && sl_ask_state_of(board, item) == SL_ASK_OPEN) {
        sl_ask_expect(board, item, 1);
        more++;
    }
    if (more > 0) sl_ask_expect(board, item, (int)pending - (int)board->pending[item]);
    return more;
}

void sl_ask_summarise(const struct sl_ask_board *board, struct sl_ask_summary *out)
{
    *out = (struct sl_ask_summary){.n_items = board->n_items};
    for (size_t i = 0; i < board->n_items; i++) {
        const enum sl_ask_state state = sl_ask_state_of(board, i);
        out->n_open += state == SL_ASK_OPEN;
        out->n_settled += state == SL_ASK_SETTLED;
        out->n_full += state == SL_ASK_FULL;
        out->n_unanswered += board->answers[i] == 0;
        out->answers += board->answers[i];
        out->pending += board->pending[i];
        out->mean_risk += board->risk[i];
    }
    out->mean_risk /= board->n_items > 0 ? (double)board->n_items : 1;
}
