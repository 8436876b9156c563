/* A convolution in all directions as the sum it is defined by, in doubles, on the real layouts:
 * what every kernel is compared with. */
#ifndef SOFTLAB_TESTS_NN_CONV_REFERENCE_H
#define SOFTLAB_TESTS_NN_CONV_REFERENCE_H

#include "nn/conv/conv.h"

void reference_conv(const struct sl_nn_conv_task *task, const struct sl_nn_conv_args *args);

/* Floats of the input, output and weights of a task, tail lanes included. */
size_t reference_input_floats(const struct sl_nn_conv_task *task);
size_t reference_output_floats(const struct sl_nn_conv_task *task);
size_t reference_weight_floats(const struct sl_nn_conv_task *task);

#endif
