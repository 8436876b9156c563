/* Pool: threads that share the work of one caller.
 *
 * The rule of every function that takes a pool: the number of threads changes no bit of a result.
 * Work is divided by outputs. A part writes what no other part writes, and computes each of its
 * values in an order that depends on sizes only. If a sum must be split, the number of pieces and
 * their borders depend on sizes only, and the pieces are added in their order, also by one thread.
 * Which thread runs a part, and when, is left to chance.
 *
 * A pool is used by one thread at a time. NULL stands for the calling thread alone. */
#ifndef SOFTLAB_POOL_H
#define SOFTLAB_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

enum { SL_POOL_MOST_THREADS = 1024 };

struct sl_pool;
/* `threads` counts the calling thread; 0: one for each core that this process may use
 * (sl_cpu_count). If the system refuses to start a thread, the others do its parts. */
enum sl_status sl_pool_create(size_t threads, struct sl_pool **out,
                              struct sl_error *err) SL_MUST_USE;
void sl_pool_destroy(struct sl_pool *pool);
size_t sl_pool_threads(const struct sl_pool *pool); /* 1 for NULL */

/* A part of some work. `worker` is below sl_pool_threads, and calls with the same worker never
 * overlap: it chooses scratch memory. A part must not call sl_alloc (threads are not guarded,
 * softlab/base/memory.h) or run the pool again. It has the caller's floating-point settings. */
typedef void sl_pool_part(void *context, size_t part, size_t worker);

/* Call `part` once for each number below `count` (at most UINT32_MAX) and return when all have
 * returned. Worker 0 is the calling thread. */
void sl_pool_run(struct sl_pool *pool, size_t count, sl_pool_part *part, void *context);

/* The same, but return at once: threads that wait for other work do the parts meanwhile.
 * sl_pool_finish does what is left and returns when all have returned. At most one such work at a
 * time; sl_pool_run may be called in between. Keep parts short: work that arrives waits for them.
 * The pool must not be NULL. */
void sl_pool_begin(struct sl_pool *pool, size_t count, sl_pool_part *part, void *context);
void sl_pool_finish(struct sl_pool *pool);

/* A way to end long work early. `stop` (NULL: never) may be called from any thread of the pool,
 * often; once it has returned true it must not return false again. A function with a pool asks
 * between parts of its work, throws away what it has and returns SL_ERR_STOPPED. */
void sl_pool_set_stop(struct sl_pool *pool, bool (*stop)(void *context), void *context);
bool sl_pool_is_stopped(const struct sl_pool *pool); /* false for NULL */
/* SL_ERR_STOPPED if the work should end. */
enum sl_status sl_pool_check(const struct sl_pool *pool, struct sl_error *err) SL_MUST_USE;

/* What a pool did for its caller, for benchmarks. */
struct sl_pool_use {
    uint64_t runs;  /* of sl_pool_run that more than one thread could share */
    double seconds; /* the caller spent in them */
};
/* Add to *use (borrowed) from now on; NULL: stop. */
void sl_pool_watch(struct sl_pool *pool, struct sl_pool_use *use);

/* The range [begin, end) of item numbers of one part, when `count` items are cut into `parts`
 * nearly equal ranges. */
struct sl_pool_range {
    size_t begin, end;
};
static inline struct sl_pool_range sl_pool_range_of(size_t count, size_t parts, size_t part)
{
    const size_t share = count / parts, more = count % parts;
    const size_t begin = part * share + (part < more ? part : more);
    const struct sl_pool_range range = {begin, begin + share + (part < more ? 1 : 0)};
    return range;
}

SL_END_DECLS

#endif
