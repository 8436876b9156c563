/* Small matrix products over channels in blocks of 8, for AVX2 and FMA. A register block holds 6
 * rows (or channels) by 16 columns of the product. Strides are in floats; every pointer and stride
 * to blocks of 8 floats is a multiple of 32 bytes. The order of sums is fixed. Private to nn/conv/.
 *
 * "Blocked" below means: element (row, channel) lies at
 * data[channel / 8 * block + row * 8 + channel % 8], as in nChw8c, where rows are pixels and
 * `block` is 8 * height * width. A matrix in panels of 16 columns has element (channel, column) at
 * data[column / 16 * panel + channel * 16 + column % 16]; if the last panel has 8 columns only, the
 * other 8 are neither read nor written. */
#ifndef SOFTLAB_NN_CONV_GEMM_MICRO_H
#define SOFTLAB_NN_CONV_GEMM_MICRO_H

#include <stdbool.h>
#include <stddef.h>

enum {
    SL_NN_GEMM_ROWS = 6,    /* rows of a register block */
    SL_NN_GEMM_COLUMNS = 16 /* columns of a panel */
};

/* Memory that will be read soon. A product prefetches it into the cache, a few lines at a time,
 * while it multiplies. */
struct sl_nn_run {
    const char *first;
    size_t lines; /* of 64 bytes; not 0 */
};
struct sl_nn_ahead {
    const struct sl_nn_run *runs;
    size_t n_runs;
    size_t at_once; /* lines to prefetch per 6 rows (or channels) of each panel of each product */
};

/* A batch of products D[row][column] = sum over channels of A[row][channel] U[channel][column],
 * added to D if `accumulate`. A and D are blocked and divided into groups of 6 rows; the last group
 * may have fewer. U is in panels. */
struct sl_nn_gemm_rows {
    const float *a;
    size_t a_block, a_group, a_next; /* strides of blocks, groups of 6 rows, products */
    const float *u;
    size_t u_panel, u_next;
    float *d;
    size_t d_block, d_group, d_next;
    size_t rows;
    size_t channels, columns; /* multiples of 8 */
    size_t batch;
    bool accumulate;
    struct sl_nn_ahead ahead;
};
void sl_nn_gemm_rows(const struct sl_nn_gemm_rows *gemm);

/* A batch of products D[channel][column] = sum over rows of A[row][channel] B[row][column], added
 * to D if `accumulate`. A and B are blocked, D is in panels. */
struct sl_nn_gemm_outer {
    const float *a;
    size_t a_block, a_next;
    const float *b;
    size_t b_block, b_next;
    float *d;
    size_t d_panel, d_next;
    size_t rows;
    size_t channels, columns; /* multiples of 8 */
    size_t batch;
    bool accumulate;
    struct sl_nn_ahead ahead;
};
void sl_nn_gemm_outer(const struct sl_nn_gemm_outer *gemm);

#endif
