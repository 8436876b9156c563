/* LSTM cell: the part of a step between the matrix products, in one pass over a block of rows.
 * There is one table per instruction set, with the same results up to rounding. Gates are in
 * PyTorch's order, (rows, 4 hidden): input, forget, candidate, output. Private to nn/layers/. */
#ifndef SOFTLAB_NN_LAYERS_LSTM_CELL_H
#define SOFTLAB_NN_LAYERS_LSTM_CELL_H

#include <stddef.h>

struct sl_nn_lstm_forward {
    size_t rows, hidden;
    float *gates;             /* in: sum of the matrix products; out: activated gates */
    const float *bias;        /* (4 hidden), added before activation */
    const float *cell_before; /* (rows, hidden), or NULL: zeros */
    float *cell, *output;     /* (rows, hidden), written */
};

struct sl_nn_lstm_backward {
    size_t rows, hidden;
    const float *gates, *cell; /* as forward wrote them */
    const float *cell_before;
    const float *output_gradient; /* (rows, hidden) */
    float *cell_gradient; /* (rows, hidden); in: gradient of `cell`; out: of `cell_before` */
    float *gate_gradient; /* (rows, 4 hidden), written: gradient of the sum of products */
};

struct sl_nn_lstm_kernels {
    const char *name; /* "plain", "avx2" */
    void (*forward)(const struct sl_nn_lstm_forward *step);
    void (*backward)(const struct sl_nn_lstm_backward *step);
    /* Add the sum of column j of `rows` (n_rows, width) to sum[j]. The column is summed first, in
     * `partial` (width), which is overwritten. */
    void (*add_rows)(const float *rows, size_t n_rows, size_t width, float *partial, float *sum);
    /* The activation functions of the gates. Their relative error is below 2e-7 wherever the true
     * value is a normal float (AVX2: 1.7e-7 over every 97th float). Below -87 the AVX2 sigmoid
     * stays at 1.6e-38. NaN stays NaN. */
    void (*sigmoid)(const float *x, size_t count, float *out);
    void (*tanh)(const float *x, size_t count, float *out);
};

/* All tables that this processor can run, the fastest first; ends with NULL. */
const struct sl_nn_lstm_kernels *const *sl_nn_lstm_kernels_here(void);

#endif
