/* What the readers of array files share. Private to base/array/. */
#ifndef SOFTLAB_BASE_ARRAY_INTERNAL_H
#define SOFTLAB_BASE_ARRAY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/array.h"

/* The number of bytes that a shape takes; false if they cannot be addressed. Other sizes count even
 * if one is 0, so that strides never overflow. */
bool sl_shape_bytes(size_t item_size, size_t n_dimensions, const size_t *shape, size_t *out);

/* SL_ERR_INPUT naming the first element of an SL_BOOL array that is neither 0 nor 1. */
enum sl_status sl_array_check_bool(const struct sl_array *array, const char *what,
                                   struct sl_error *err) SL_MUST_USE;

#endif
