/* Futures in which answers come wave by wave, as the model expects them. */
#include <stdlib.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* Draw an answer to the item, count it, and return the drop of its risk that was expected. The
 * item's n-th answer is the same in all futures of a seed. */
static double play_answer(struct sl_ask_board *board, size_t item, uint64_t seed)
{
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "ask.play", board->answers[item], item);
    const double expected = board->gain[item];
    sl_ask_look(board, item);
    const size_t said = sl_rng_categorical(&rng, board->view.label, board->n_classes);
    board->counts[item * board->n_classes + said] += 1;
    board->answers[item]++;
    sl_ask_look(board, item);
    board->gain[item] = sl_dirichlet_gain(&board->view);
    board->risk[item] = sl_dirichlet_risk(&board->view);
    return expected;
}

static double mean_risk(const struct sl_ask_board *board)
{
    struct sl_ask_summary summary;
    sl_ask_summarise(board, &summary);
    return summary.mean_risk;
}

struct sl_ask_outcome sl_ask_play(struct sl_ask_board *board, const struct sl_ask_course *course)
{
    const size_t n = board->n_items;
    struct sl_ask_outcome outcome = {.mean_risk = mean_risk(board)};
    uint32_t *times = sl_alloc(n + 1, sizeof *times);
    while (outcome.n_answers < course->n_answers && !(outcome.mean_risk <= course->target)) {
        const size_t left = course->n_answers - outcome.n_answers;
        const size_t given =
            sl_ask_wave(board, left < course->wave ? left : course->wave, 0, times);
        double drop = 0;
        if (given == 0) break;
        sl_ask_withdraw(board);
        /* The expected drops add up to that of the future, by the law of total expectation, and
         * vary less than the risk at its end. */
        for (size_t i = 0; i < n; i++)
            for (uint32_t t = 0; t < times[i]; t++)
                drop += play_answer(board, i, course->seed) / (double)n;
        const double above = outcome.mean_risk - course->target;
        const double part = above < drop ? above / drop : 1; /* of the wave that was needed */
        outcome.n_answers += (size_t)(part * (double)given + 0.5);
        outcome.mean_risk -= part * drop;
    }
    free(times);
    return outcome;
}
