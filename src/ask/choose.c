/* Which items come first. */
#include <math.h>
#include <stdlib.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"

static size_t asked(const struct sl_ask_board *board, size_t item)
{
    return (size_t)board->answers[item] + board->pending[item];
}

enum sl_ask_state sl_ask_state_of(const struct sl_ask_board *board, size_t item)
{
    const struct sl_ask_rule *rule = &board->rule;
    const size_t count = asked(board, item);
    if (rule->most > 0 && count >= rule->most) return SL_ASK_FULL;
    if (count >= rule->least && count >= rule->first && board->gain[item] < rule->stop)
        return SL_ASK_SETTLED;
    return SL_ASK_OPEN;
}

static const double CLOSED = -(double)INFINITY;

/* The larger, the sooner the item is asked about. */
static double urgency(const struct sl_ask_board *board, size_t item)
{
    const double above_any_gain = 0x1p40;
    const size_t count = asked(board, item);
    if (sl_ask_state_of(board, item) != SL_ASK_OPEN) return CLOSED;
    if (!board->by_gain || count < board->rule.first) return above_any_gain - (double)count;
    return board->gain[item];
}

/* ---- A heap of items, the one that comes last (or first) at its top ---- */

struct entry {
    double urgency;
    uint32_t item;
};

static bool comes_before(struct entry a, struct entry b)
{
    return a.urgency != b.urgency ? a.urgency > b.urgency : a.item < b.item;
}

/* Move the entry at `place` down to where it belongs. `first` says which end is at the top. */
static void sift_down(struct entry *heap, size_t count, size_t place, bool first)
{
    const struct entry moved = heap[place];
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= count) break;
        if (child + 1 < count && comes_before(heap[child + 1], heap[child]) == first) child++;
        if (comes_before(moved, heap[child]) == first) break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
}

static void make_heap(struct entry *heap, size_t count, bool first)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(heap, count, i, first);
}

/* ---- For one person ---- */

/* Entries of a person's list, kept on the stack; longer lists are made in several passes, each with
 * the items behind the last one. */
enum { LIST = 256 };

/* The first `room` items that come behind `behind`, unordered. */
static size_t first_items(const struct sl_ask_board *board, const bool *seen, struct entry behind,
                          struct entry *heap, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < board->n_items; i++) {
        const struct entry entry = {urgency(board, i), (uint32_t)i};
        if (entry.urgency == CLOSED || (seen && seen[i]) || !comes_before(behind, entry)) continue;
        if (count < room) {
            heap[count++] = entry;
            if (count == room) make_heap(heap, count, false);
        } else if (comes_before(entry, heap[0])) {
            heap[0] = entry;
            sift_down(heap, count, 0, false);
        }
    }
    return count;
}

static int in_order(const void *a, const void *b)
{
    const struct entry x = *(const struct entry *)a, y = *(const struct entry *)b;
    return comes_before(y, x) - comes_before(x, y);
}

size_t sl_ask_choose(const struct sl_ask_board *board, const bool *seen, size_t count,
                     uint32_t *out)
{
    struct entry heap[LIST], behind = {(double)INFINITY, 0};
    size_t chosen = 0;
    while (chosen < count) {
        const size_t room = count - chosen < LIST ? count - chosen : LIST;
        const size_t found = first_items(board, seen, behind, heap, room);
        qsort(heap, found, sizeof *heap, in_order);
        for (size_t i = 0; i < found; i++)
            out[chosen++] = heap[i].item;
        if (found < room) break;
        behind = heap[found - 1];
    }
    return chosen;
}

/* All open items, unordered; entries has room for one more than there are items. */
static size_t open_items(const struct sl_ask_board *board, struct entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < board->n_items; i++) {
        entries[count] = (struct entry){urgency(board, i), (uint32_t)i};
        if (entries[count].urgency > CLOSED) count++;
    }
    return count;
}

size_t sl_ask_order(const struct sl_ask_board *board, uint32_t *out)
{
    struct entry *entries = sl_alloc(board->n_items + 1, sizeof *entries);
    const size_t count = open_items(board, entries);
    qsort(entries, count, sizeof *entries, in_order);
    for (size_t i = 0; i < count; i++)
        out[i] = entries[i].item;
    free(entries);
    return count;
}

/* ---- Many answers at once ---- */

void sl_ask_withdraw(struct sl_ask_board *board)
{
    for (size_t i = 0; i < board->n_items; i++)
        if (board->pending[i] > 0) sl_ask_expect(board, i, -(int)board->pending[i]);
}

size_t sl_ask_wave(struct sl_ask_board *board, size_t n_answers, size_t per_item, uint32_t *times)
{
    struct entry *heap = sl_alloc(board->n_items + 1, sizeof *heap);
    size_t count = open_items(board, heap), given = 0;
    for (size_t i = 0; i < board->n_items; i++)
        times[i] = 0;
    make_heap(heap, count, true);
    while (given < n_answers && count > 0) {
        const uint32_t item = heap[0].item;
        sl_ask_expect(board, item, 1);
        times[item]++;
        given++;
        heap[0].urgency = per_item > 0 && times[item] >= per_item ? CLOSED : urgency(board, item);
        if (heap[0].urgency == CLOSED) heap[0] = heap[--count];
        if (count > 0) sift_down(heap, count, 0, true);
    }
    free(heap);
    return given;
}
