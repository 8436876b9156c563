/* Packing: which rows of a batch an LSTM runs at each step, in one direction. Step s of a row is
 * the s-th id that the direction reads, counted from the row's first id or backward from its last.
 * Private to nn/layers/.
 *
 * 1. A row runs only the steps that an output depends on: all of its ids, or, if only one position
 *    is read, the ids up to it.
 * 2. Rows are ranked by that number, longest first, so that step s runs the first active[s] ranks
 *    and is one matrix product. Its rows are packed rows start[s] ... start[s + 1] - 1.
 * 3. Rows with the same ids are run once: they share a rank and form a chain. */
#ifndef SOFTLAB_NN_LAYERS_LSTM_PACK_H
#define SOFTLAB_NN_LAYERS_LSTM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NN_CHAIN_END ((size_t)-1)

struct sl_nn_lstm_pack {
    bool reverse;
    size_t items, steps; /* of the batch */
    size_t n_steps;      /* steps of the row that runs most */
    size_t total;        /* packed rows */
    size_t *active;      /* (steps + 1), the last is 0 */
    size_t *start;       /* (steps + 1) */
    size_t *first;       /* (items): by rank, first item of the chain */
    size_t *next;        /* (items): by item, next item of its chain or SL_NN_CHAIN_END */
    size_t *length;      /* (items): by item, number of ids */
    size_t *run;    /* (items): by item, steps to run; 0 if another item of its chain runs for it */
    size_t *table;  /* (n_slots): items by the hash of their ids, plus 1 */
    size_t n_slots; /* a power of 2 */
};
void sl_nn_lstm_pack_init(struct sl_nn_lstm_pack *pack, size_t items, size_t steps, bool reverse);
void sl_nn_lstm_pack_release(struct sl_nn_lstm_pack *pack);

struct sl_nn_lstm_request {
    const int32_t *ids;       /* (items, steps): equal rows run once; NULL: every row runs */
    const int32_t *counts;    /* (items), 0 ... steps; NULL: all full */
    bool everywhere;          /* all outputs are read; otherwise only those at: */
    const int32_t *positions; /* (items): a position per item; or NULL: */
    size_t step;              /* the same step for all items */
};
void sl_nn_lstm_pack_fill(struct sl_nn_lstm_pack *pack, const struct sl_nn_lstm_request *request);

/* The position in the sequence that an item reads at a step. */
static inline size_t sl_nn_lstm_place(const struct sl_nn_lstm_pack *pack, size_t item, size_t step)
{
    return pack->reverse ? pack->length[item] - 1 - step : step;
}

#endif
