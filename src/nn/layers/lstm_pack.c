#include "nn/layers/lstm_pack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_nn_lstm_pack_init(struct sl_nn_lstm_pack *pack, size_t items, size_t steps, bool reverse)
{
    size_t n_slots = 1;
    while (n_slots < 2 * items)
        n_slots *= 2;
    *pack = (struct sl_nn_lstm_pack){
        .reverse = reverse,
        .items = items,
        .steps = steps,
        .active = sl_alloc(steps + 1, sizeof *pack->active),
        .start = sl_alloc(steps + 1, sizeof *pack->start),
        .first = sl_alloc(items, sizeof *pack->first),
        .next = sl_alloc(items, sizeof *pack->next),
        .length = sl_alloc(items, sizeof *pack->length),
        .run = sl_alloc(items, sizeof *pack->run),
        .table = sl_alloc(n_slots, sizeof *pack->table),
        .n_slots = n_slots,
    };
}

void sl_nn_lstm_pack_release(struct sl_nn_lstm_pack *pack)
{
    free(pack->active);
    free(pack->start);
    free(pack->first);
    free(pack->next);
    free(pack->length);
    free(pack->run);
    free(pack->table);
    *pack = (struct sl_nn_lstm_pack){0};
}

static size_t steps_to_run(const struct sl_nn_lstm_pack *pack,
                           const struct sl_nn_lstm_request *request, size_t item)
{
    const size_t length = pack->length[item];
    if (request->everywhere) return length;
    assert(!request->positions || request->positions[item] >= 0);
    const size_t place = request->positions ? (size_t)request->positions[item] : request->step;
    if (place >= length) return 0; /* the output there is zero */
    return pack->reverse ? length - place : place + 1;
}

/* FNV-1a hash, over whole ids instead of bytes. */
static size_t hash_ids(const int32_t *ids, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uint32_t)ids[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of an item with the same ids, or the empty slot where this item belongs. */
static size_t *find_slot(const struct sl_nn_lstm_pack *pack, const int32_t *ids, size_t item)
{
    const size_t length = pack->length[item];
    const int32_t *own = ids + item * pack->steps;
    size_t at = hash_ids(own, length) & (pack->n_slots - 1);
    for (; pack->table[at]; at = (at + 1) & (pack->n_slots - 1)) {
        const size_t other = pack->table[at] - 1;
        if (pack->length[other] == length &&
            memcmp(ids + other * pack->steps, own, length * sizeof *own) == 0)
            break;
    }
    return &pack->table[at];
}

/* Walks from the last item to the first, so that chains are in the order of items and the first
 * item of each chain stands for it. */
static void chain_equal_items(struct sl_nn_lstm_pack *pack, const int32_t *ids)
{
    memset(pack->table, 0, pack->n_slots * sizeof *pack->table);
    for (size_t item = pack->items; item-- > 0;) {
        size_t *slot = find_slot(pack, ids, item);
        if (*slot) {
            const size_t other = *slot - 1;
            pack->next[item] = other;
            if (pack->run[item] < pack->run[other]) pack->run[item] = pack->run[other];
            pack->run[other] = 0;
        }
        *slot = item + 1;
    }
}

static void rank_items(struct sl_nn_lstm_pack *pack)
{
    size_t *const active = pack->active, *const start = pack->start;
    memset(active, 0, (pack->steps + 1) * sizeof *active);
    for (size_t item = 0; item < pack->items; item++)
        if (pack->run[item]) active[pack->run[item] - 1]++;
    for (size_t s = pack->steps; s-- > 0;)
        active[s] += active[s + 1];
    /* Rows that run exactly s + 1 steps rank after the active[s + 1] rows that run more. */
    for (size_t s = 0; s < pack->steps; s++)
        start[s] = active[s + 1];
    for (size_t item = 0; item < pack->items; item++)
        if (pack->run[item]) pack->first[start[pack->run[item] - 1]++] = item;
    start[0] = 0;
    for (size_t s = 0; s < pack->steps; s++)
        start[s + 1] = start[s] + active[s];
    pack->total = start[pack->steps];
    pack->n_steps = 0;
    while (active[pack->n_steps])
        pack->n_steps++;
}

void sl_nn_lstm_pack_fill(struct sl_nn_lstm_pack *pack, const struct sl_nn_lstm_request *request)
{
    for (size_t item = 0; item < pack->items; item++) {
        assert(!request->counts ||
               (request->counts[item] >= 0 && (size_t)request->counts[item] <= pack->steps));
        pack->length[item] = request->counts ? (size_t)request->counts[item] : pack->steps;
        pack->next[item] = SL_NN_CHAIN_END;
        pack->run[item] = steps_to_run(pack, request, item);
    }
    if (request->ids) chain_equal_items(pack, request->ids);
    rank_items(pack);
}
