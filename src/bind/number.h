#ifndef SOFTLAB_BIND_NUMBER_H
#define SOFTLAB_BIND_NUMBER_H

#include <stdint.h>

#include "softlab/pool.h"

/* As sl_desk_number. */
enum sl_status sl_bind_number(struct sl_pool *pool, const uint64_t *values, size_t count,
                              uint32_t *codes, uint64_t *firsts, size_t *n_different,
                              struct sl_error *err) SL_MUST_USE;

#endif
