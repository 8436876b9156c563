/* Pools of several sizes, for tests that the number of threads changes nothing. */
#ifndef SOFTLAB_TESTS_POOLS_H
#define SOFTLAB_TESTS_POOLS_H

#include "support.h"

#include "softlab/pool.h"

static const size_t test_thread_counts[] = {1, 2, 3, 7};
enum { TEST_POOLS = sizeof test_thread_counts / sizeof *test_thread_counts };

/* The pool of the size with this index; the caller destroys it. */
static inline struct sl_pool *test_pool(size_t index)
{
    struct sl_pool *pool = NULL;
    struct sl_error err;
    assert_ok(sl_pool_create(test_thread_counts[index], &pool, &err), err);
    return pool;
}

#endif
