/* Pools of 1, 2, 3 and 7 threads: results must be the same to the bit with all of them. */
#ifndef SOFTLAB_TESTS_POOLS_H
#define SOFTLAB_TESTS_POOLS_H

#include "softlab/pool.h"
#include "support.h"

enum { N_POOLS = 4 };

/* A group setup and teardown of cmocka; *state is the array of pools. */
static inline int make_pools(void **state)
{
    static const size_t threads[N_POOLS] = {1, 2, 3, 7};
    struct sl_pool **pools = sl_alloc(N_POOLS, sizeof(struct sl_pool *));
    struct sl_error err;
    for (size_t i = 0; i < N_POOLS; i++)
        if (sl_pool_create(threads[i], &pools[i], &err) != SL_OK) return 1;
    *state = pools;
    return 0;
}

static inline int free_pools(void **state)
{
    struct sl_pool **pools = *state;
    for (size_t i = 0; i < N_POOLS; i++)
        sl_pool_destroy(pools[i]);
    free(pools);
    return 0;
}

#endif
