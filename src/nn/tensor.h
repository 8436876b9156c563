/* Tensor: shape and memory of a value while a plan runs. A blocked tensor may be the first channels
 * of a larger buffer (a dense block), so images are `image_stride` floats apart. */
#ifndef SOFTLAB_NN_TENSOR_H
#define SOFTLAB_NN_TENSOR_H

#include <stddef.h>

#include "nn/graph/graph.h"

enum { SL_NN_LANES = 8 };

struct sl_nn_tensor {
    float *data;
    enum sl_nn_layout layout;
    size_t images, channels, height, width;
    size_t image_stride; /* floats between images (SL_NN_SEQUENCE: unused) */
};

static inline size_t sl_nn_blocks(size_t channels)
{
    return (channels + SL_NN_LANES - 1) / SL_NN_LANES;
}

/* A tensor of images [first, first + count) of another, in the same memory. */
static inline struct sl_nn_tensor sl_nn_image_view(const struct sl_nn_tensor *tensor, size_t first,
                                                   size_t count)
{
    struct sl_nn_tensor view = *tensor;
    if (view.data) view.data += first * tensor->image_stride;
    view.images = count;
    return view;
}

/* A tensor of the channels of blocks [first, end) of another, in the same memory. */
static inline struct sl_nn_tensor sl_nn_block_view(const struct sl_nn_tensor *tensor, size_t first,
                                                   size_t end)
{
    struct sl_nn_tensor view = *tensor;
    const size_t channels = end * SL_NN_LANES;
    view.data += first * tensor->height * tensor->width * SL_NN_LANES;
    view.channels =
        (channels < tensor->channels ? channels : tensor->channels) - first * SL_NN_LANES;
    return view;
}

#endif
