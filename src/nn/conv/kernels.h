/* The kernels of the table sl_nn_conv_kernels, one file each. Private to nn/conv/. */
#ifndef SOFTLAB_NN_CONV_KERNELS_H
#define SOFTLAB_NN_CONV_KERNELS_H

#include "nn/conv/conv.h"

extern const struct sl_nn_conv_kernel sl_nn_conv_onednn, sl_nn_conv_gemm, sl_nn_conv_winograd,
    sl_nn_conv_direct;
extern const struct sl_nn_conv_kernel sl_nn_conv_onednn_alone; /* on one thread; not in the table */

#endif
