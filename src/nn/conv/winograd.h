/* Winograd's F(2x2, 3x3): Y = A' ((G w G') . (B' x B)) A for a 4x4 tile x of the input, of which 2
 * rows and columns overlap the next tile's, a 3x3 kernel w and a 2x2 tile Y of the output; 16
 * multiplications instead of 36 (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
 * CVPR 2016). The 16 elements of a transformed tile are called frequencies here, and for each of
 * them tiles x input channels times input channels x output channels is a matrix product.
 *
 *          1  0 -1  0          1  0  0
 *     B' = 0  1  1  0     G = .5 .5 .5     A' = 1  1  1  0
 *          0 -1  1  0         .5-.5 .5          0  1 -1  1
 *          0 -1  0  1          0  0  1
 *
 * The gradient by w is the derivative of the same formula: G' ((A dY A') . (B' x B)) G. (Signs of
 * the last row and column differ from the paper's, in B and A alike.)
 *
 * Everything here needs AVX2 and FMA. */
#ifndef SOFTLAB_NN_CONV_WINOGRAD_H
#define SOFTLAB_NN_CONV_WINOGRAD_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_NN_FREQUENCIES = 16 };

/* A tensor nChw8c, and how it falls into tiles: those of an image row by row, then the next
 * image's. Odd heights and widths leave tiles at the end that are half outside. */
struct sl_nn_map {
    size_t blocks, height, width;
    size_t tiles_high, tiles_wide;
};

/* Transformed tiles of a strip: element (frequency, channel, tile) lies at tile / group *
 * group_stride + frequency * frequency_stride + channel / 8 * block_stride + tile % group * 8 +
 * channel % 8. */
struct sl_nn_tiles {
    float *data;
    size_t group; /* tiles that lie together */
    size_t block_stride, frequency_stride, group_stride;
};

/* A run of tiles. */
struct sl_nn_strip {
    size_t first, count;
};

/* The memory of a strip's pixels, to be fetched before they are wanted. Of inputs the rows that the
 * tiles above do not have in common with it. Writes at most sl_nn_winograd_max_runs and returns how
 * many. */
struct sl_nn_run;
size_t sl_nn_winograd_max_runs(const struct sl_nn_map *map, size_t strip_tiles);
size_t sl_nn_winograd_runs(const struct sl_nn_map *map, const float *data, bool input,
                           struct sl_nn_strip strip, struct sl_nn_run *runs);

/* B' x B of the strip's tiles. `zeros` has width * 8 zeros. */
void sl_nn_winograd_input(const struct sl_nn_map *map, const float *x, const float *zeros,
                          struct sl_nn_strip strip, const struct sl_nn_tiles *out);

/* A dY A' of the strip's tiles. */
void sl_nn_winograd_upstream(const struct sl_nn_map *map, const float *dy, const float *zeros,
                             struct sl_nn_strip strip, const struct sl_nn_tiles *out);

/* What A' M A is to become. */
struct sl_nn_winograd_output {
    const float *bias; /* (8 * blocks of the map) */
    const float *add;  /* laid out as the result, or NULL */
    bool relu;
    float *result;
};
void sl_nn_winograd_output(const struct sl_nn_map *map, const struct sl_nn_tiles *tiles,
                           struct sl_nn_strip strip, const struct sl_nn_winograd_output *out);

/* Transformed weights are panels (gemm_micro.h): [frequency][panel of 16 outputs][input][16],
 * inputs padded to a multiple of 8 and outputs to one of 16, with zeros. */
struct sl_nn_winograd_weights {
    size_t out_channels, in_channels; /* of the weights (out, in, 3, 3) */
    /* Panels of the convolution that takes the gradient by the output to the gradient by the input:
     * outputs are in_channels, and kernels are turned by half a turn. */
    bool backward;
};
size_t sl_nn_winograd_frequency_stride(const struct sl_nn_winograd_weights *shape);
/* G w G' */
void sl_nn_winograd_prepare(const struct sl_nn_winograd_weights *shape, const float *weights,
                            float *panels);
/* G' M G: from panels (not backward) to a gradient (out, in, 3, 3). */
void sl_nn_winograd_gradient(const struct sl_nn_winograd_weights *shape, const float *panels,
                             float *gradient);

#endif
