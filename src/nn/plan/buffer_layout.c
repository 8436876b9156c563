#include "nn/plan/buffer_layout.h"

#include <stdbool.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

static bool overlap(const struct sl_nn_buffer *a, const struct sl_nn_buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static int by_size(const void *left, const void *right)
{
    const struct sl_nn_buffer *a = *(struct sl_nn_buffer *const *)left;
    const struct sl_nn_buffer *b = *(struct sl_nn_buffer *const *)right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return (a > b) - (a < b); /* equal sizes keep the given order: qsort is not stable */
}

/* The lowest offset where `buffer` fits between the buffers in `placed`, which are sorted by
 * offset. */
static size_t lowest_gap(const struct sl_nn_buffer *buffer, struct sl_nn_buffer *const *placed,
                         size_t count)
{
    size_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        if (!overlap(buffer, placed[i])) continue;
        if (offset + sl_nn_aligned(buffer->bytes) <= placed[i]->offset) break;
        const size_t end = placed[i]->offset + sl_nn_aligned(placed[i]->bytes);
        if (end > offset) offset = end;
    }
    return offset;
}

size_t sl_nn_place(struct sl_nn_buffer *buffers, size_t count)
{
    struct sl_nn_buffer **order = sl_alloc(count + 1, sizeof(struct sl_nn_buffer *));
    struct sl_nn_buffer **placed = sl_alloc(count + 1, sizeof(struct sl_nn_buffer *));
    for (size_t i = 0; i < count; i++)
        order[i] = &buffers[i];
    qsort(order, count, sizeof(struct sl_nn_buffer *), by_size);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        order[i]->offset = lowest_gap(order[i], placed, i);
        const size_t end = order[i]->offset + sl_nn_aligned(order[i]->bytes);
        if (end > size) size = end;
        size_t slot = i; /* keep `placed` sorted by offset */
        for (; slot > 0 && placed[slot - 1]->offset > order[i]->offset; slot--)
            placed[slot] = placed[slot - 1];
        placed[slot] = order[i];
    }
    free(order);
    free(placed);
    return size;
}
