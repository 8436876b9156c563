/* How the kernels of every table walk through blocked tensors. Private to nn/kernels/. */
#ifndef SOFTLAB_NN_KERNELS_WALK_H
#define SOFTLAB_NN_KERNELS_WALK_H

#include <stddef.h>

#include "nn/tensor.h"

/* Floats of one block of one image. */
static inline size_t sl_nn_block_floats(const struct sl_nn_tensor *tensor)
{
    return tensor->height * tensor->width * SL_NN_LANES;
}

/* The first float of a block. */
static inline float *sl_nn_block_data(const struct sl_nn_tensor *tensor, size_t image, size_t block)
{
    return tensor->data + image * tensor->image_stride + block * sl_nn_block_floats(tensor);
}

/* The same; NULL if there is no tensor or the block is past its channels. */
static inline float *sl_nn_block_or_null(const struct sl_nn_tensor *tensor, size_t image,
                                         size_t block)
{
    if (!tensor || block >= sl_nn_blocks(tensor->channels)) return NULL;
    return sl_nn_block_data(tensor, image, block);
}

/* The number of lanes of a block that are channels of the tensor: 8, fewer in its last block, 0
 * past it or without a tensor. The other lanes may belong to a larger buffer. */
static inline size_t sl_nn_block_lanes(const struct sl_nn_tensor *tensor, size_t block)
{
    const size_t before = block * SL_NN_LANES;
    if (!tensor || before >= tensor->channels) return 0;
    return tensor->channels - before < SL_NN_LANES ? tensor->channels - before : SL_NN_LANES;
}

/* The k-th of SL_NN_SAMPLES vectors, spread over the images and the map of a block. Their mean is a
 * rough estimate of the mean of all. */
enum { SL_NN_SAMPLES = 16 };
static inline const float *sl_nn_sample(const struct sl_nn_tensor *tensor, size_t block, size_t k)
{
    const size_t image = k * tensor->images / SL_NN_SAMPLES;
    const size_t pixel = k * tensor->height * tensor->width / SL_NN_SAMPLES;
    return sl_nn_block_data(tensor, image, block) + pixel * SL_NN_LANES;
}

/* Sums over `count` values of each lane of a block: of (x - shift) and of its square. The shift
 * changes the moments only by rounding; with a shift near the mean nothing cancels. */
struct sl_nn_moments {
    float shift[SL_NN_LANES];
    double sum[SL_NN_LANES], square[SL_NN_LANES];
    size_t count;
};

/* Start with zero sums and the mean of the samples as shift. The mean of 16 equal values is exactly
 * that value, so a constant channel gets variance 0. */
static inline void sl_nn_moments_begin(struct sl_nn_moments *moments,
                                       const struct sl_nn_tensor *tensor, size_t block)
{
    *moments = (struct sl_nn_moments){.count = tensor->images * tensor->height * tensor->width};
    double sum[SL_NN_LANES] = {0};
    for (size_t k = 0; k < SL_NN_SAMPLES; k++) {
        const float *sample = sl_nn_sample(tensor, block, k);
        for (size_t lane = 0; lane < SL_NN_LANES; lane++)
            sum[lane] += (double)sample[lane];
    }
    for (size_t lane = 0; lane < SL_NN_LANES; lane++)
        moments->shift[lane] = (float)(sum[lane] / SL_NN_SAMPLES);
}

/* Mean and biased variance of the lanes that are channels [first, first + n). */
static inline void sl_nn_moments_end(const struct sl_nn_moments *moments, size_t block,
                                     size_t first, size_t n, float *mean, float *variance)
{
    for (size_t lane = 0; lane < SL_NN_LANES; lane++) {
        const size_t channel = block * SL_NN_LANES + lane;
        if (channel < first || channel >= first + n) continue;
        const double offset = moments->sum[lane] / (double)moments->count;
        const double spread = moments->square[lane] / (double)moments->count - offset * offset;
        mean[channel] = (float)((double)moments->shift[lane] + offset);
        variance[channel] = spread < 0 ? 0 : (float)spread; /* NaN stays NaN */
    }
}

#endif
