/* Layout: every buffer of a plan gets an offset in one block of memory. Buffers that are never in
 * use at the same time may share bytes. */
#ifndef SOFTLAB_NN_PLAN_BUFFER_LAYOUT_H
#define SOFTLAB_NN_PLAN_BUFFER_LAYOUT_H

#include <stddef.h>

enum { SL_NN_ALIGNMENT = 64 };

static inline size_t sl_nn_aligned(size_t bytes)
{
    return (bytes + SL_NN_ALIGNMENT - 1) / SL_NN_ALIGNMENT * SL_NN_ALIGNMENT;
}

struct sl_nn_buffer {
    size_t bytes;
    size_t first, last; /* first moment it is written, last moment it is used */
    size_t offset;      /* written by sl_nn_place */
};

/* Place all buffers; returns the size of the block. The result is deterministic: larger buffers
 * come first, and each gets the lowest offset that is free during its lifetime. */
size_t sl_nn_place(struct sl_nn_buffer *buffers, size_t count);

#endif
