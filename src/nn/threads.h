/* How the layers of a network share the threads of a plan's pool. By the rule of softlab/pool.h the
 * number of threads changes no bit: passes over maps are divided by image or by block of channels,
 * products by what they write. Small layers run on the calling thread alone: to wake the other
 * threads would take longer than the work. */
#ifndef SOFTLAB_NN_THREADS_H
#define SOFTLAB_NN_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/tensor.h"
#include "softlab/pool.h"

/* True if a product of so many multiplications, or a pass over so many floats, is worth sharing. */
bool sl_nn_shares_product(double multiply_adds);
bool sl_nn_shares_pass(size_t floats);

/* The number of parts for a pass over the images of a tensor; 1 if it is not worth sharing. */
size_t sl_nn_image_parts(struct sl_pool *pool, const struct sl_nn_tensor *tensor);

#endif
