/* The shipped table: tasks for which measurements on AVX2 disagree with the order of
 * sl_nn_conv_kernels. Rows are sorted by shape and direction, which a test checks. */
#include "nn/conv/kernels.h"
#include "nn/conv/tuning.h"

const struct sl_nn_tuning_row sl_nn_tuning_shipped[] = {
    /* in, out, height, width, kernel, stride, pad, groups, batch */
    {{256, 512, 8, 8, 3, 2, 1, 1, 32}, SL_NN_FORWARD, &sl_nn_conv_gemm},
    {{256, 512, 8, 8, 3, 2, 1, 1, 32}, SL_NN_BACKWARD_DATA, &sl_nn_conv_gemm},
    {{256, 512, 8, 8, 3, 2, 1, 1, 32}, SL_NN_BACKWARD_WEIGHTS, &sl_nn_conv_gemm},
    {{512, 512, 2, 2, 3, 1, 1, 1, 32}, SL_NN_BACKWARD_DATA, &sl_nn_conv_gemm},
};
const size_t sl_nn_tuning_shipped_count =
    sizeof sl_nn_tuning_shipped / sizeof *sl_nn_tuning_shipped;
