/* numpy's legacy shuffle. Private to dataset/. */
#ifndef SOFTLAB_DATASET_SPLIT_NUMPY_H
#define SOFTLAB_DATASET_SPLIT_NUMPY_H

#include <stddef.h>
#include <stdint.h>

/* 0..count-1 in the order of numpy.random.seed(seed); shuffle(arange(count)). Both are below
 * 2^32. */
void sl_split_shuffle_numpy(uint64_t seed, size_t *order, size_t count);

#endif
