/* Pools of 1, 2, 3 and 7 threads: results must be the same to the bit with all of them. */
#ifndef SOFTLAB_TESTS_POOLS_H
#define SOFTLAB_TESTS_POOLS_H

#include "softlab/pool.h"
#include "support.h"

enum { N_POOLS = 4 };

static inline enum sl_status create_pool(size_t index, struct sl_pool **out, struct sl_error *err)
{
    static const size_t threads[N_POOLS] = {1, 2, 3, 7};
    return sl_pool_create(threads[index], out, err);
}

/* A group setup and teardown of cmocka; *state is the array of pools. */
static inline int make_pools(void **state)
{
    struct sl_pool **pools = sl_alloc(N_POOLS, sizeof(struct sl_pool *));
    struct sl_error err;
    for (size_t i = 0; i < N_POOLS; i++)
        if (create_pool(i, &pools[i], &err) != SL_OK) return 1;
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

/* One of the pools; the caller destroys it. */
static inline struct sl_pool *test_pool(size_t index)
{
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_ok(create_pool(index, &pool, &err), err);
    return pool;
}

#endif
