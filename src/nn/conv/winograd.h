/* Winograd's F(2x2, 3x3): Y = A' ((G w G') . (B' x B)) A, where x is a 4x4 tile of the input, w a
 * 3x3 kernel and Y a 2x2 tile of the output. Neighbouring input tiles overlap by 2 rows or columns.
 * A tile takes 16 multiplications instead of 36 (Lavin and Gray, Fast Algorithms for Convolutional
 * Neural Networks, CVPR 2016). The 16 elements of a transformed tile are called frequencies here.
 * For each frequency, (tiles, input channels) times (input channels, output channels) is a matrix
 * product.
 *
 *          1  0 -1  0          1  0  0
 *     B' = 0  1  1  0     G = .5 .5 .5     A' = 1  1  1  0
 *          0 -1  1  0         .5-.5 .5          0  1 -1  1
 *          0 -1  0  1          0  0  1
 *
 * The gradient of w is the derivative of the same formula: G' ((A dY A') . (B' x B)) G. (The signs
 * of the last row and column differ from the paper's, in both B and A.)
 *
 * All functions here need AVX2 and FMA. */
#ifndef SOFTLAB_NN_CONV_WINOGRAD_H
#define SOFTLAB_NN_CONV_WINOGRAD_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_NN_FREQUENCIES = 16 };

/* An nChw8c tensor and its tiles. Tiles are numbered row by row, image by image. With an odd height
 * or width, half of the last tiles lies outside the map. */
struct sl_nn_map {
    size_t blocks, height, width;
    size_t tiles_high, tiles_wide;
};

/* Transformed tiles of a strip: element (frequency, channel, tile) lies at tile / group *
 * group_stride + frequency * frequency_stride + channel / 8 * block_stride + tile % group * 8 +
 * channel % 8. */
struct sl_nn_tiles {
    float *data;
    size_t group; /* tiles per group */
    size_t block_stride, frequency_stride, group_stride;
};

/* A range of consecutive tiles. */
struct sl_nn_strip {
    size_t first, count;
};

/* List the memory of a strip's pixels, to prefetch it. For inputs these are only the rows that the
 * tiles above do not share. Writes at most sl_nn_winograd_max_runs runs; returns their number. */
struct sl_nn_run;
size_t sl_nn_winograd_max_runs(const struct sl_nn_map *map, size_t strip_tiles);
size_t sl_nn_winograd_runs(const struct sl_nn_map *map, const float *data, bool input,
                           struct sl_nn_strip strip, struct sl_nn_run *runs);

/* The part of the transformed tiles to compute: frequencies 4 row to 4 (row + rows) - 1, of blocks
 * [block, end). Rows are all four, the first or last two, or one. */
struct sl_nn_band {
    size_t row, rows;
    size_t block, end;
};

/* Compute B' x B for the tiles of a strip. `zeros` has width * 8 zeros. */
void sl_nn_winograd_input(const struct sl_nn_map *map, const float *x, const float *zeros,
                          struct sl_nn_strip strip, const struct sl_nn_band *band,
                          const struct sl_nn_tiles *out);

/* Compute A dY A' for the tiles of a strip. */
void sl_nn_winograd_upstream(const struct sl_nn_map *map, const float *dy, const float *zeros,
                             struct sl_nn_strip strip, const struct sl_nn_band *band,
                             const struct sl_nn_tiles *out);

/* What to do with A' M A: add the bias and `add`, apply the ReLU, write the result. */
struct sl_nn_winograd_output {
    const float *bias; /* (8 * blocks of the map) */
    const float *add;  /* layout of the result; or NULL */
    bool relu;
    float *result;
};
void sl_nn_winograd_output(const struct sl_nn_map *map, const struct sl_nn_tiles *tiles,
                           struct sl_nn_strip strip, const struct sl_nn_winograd_output *out);

/* Transformed weights are in panels (gemm_micro.h): [frequency][panel of 16 outputs][input][16].
 * Inputs are padded with zeros to a multiple of 8, outputs to a multiple of 16. */
struct sl_nn_winograd_weights {
    size_t out_channels, in_channels; /* of the weights (out, in, 3, 3) */
    /* The panels are those of backward-data, which takes the gradient of the output to that of the
     * input: in_channels are its outputs, and kernels are rotated by 180 degrees. */
    bool backward;
};
size_t sl_nn_winograd_frequency_stride(const struct sl_nn_winograd_weights *shape);
size_t sl_nn_winograd_panels(const struct sl_nn_winograd_weights *shape); /* of a frequency */
/* Compute G w G' of one panel. */
void sl_nn_winograd_prepare(const struct sl_nn_winograd_weights *shape, const float *weights,
                            size_t panel, float *panels);
/* Compute G' M G of one panel: from panels (not backward) to a gradient (out, in, 3, 3). */
void sl_nn_winograd_gradient(const struct sl_nn_winograd_weights *shape, const float *panels,
                             size_t panel, float *gradient);

#endif
