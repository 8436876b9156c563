/* Every thread has a queue of consecutive parts of its own, so that from one run to the next it
 * meets the same items, which are in its cache. A thread whose queue is empty takes from the
 * others. A run therefore never waits for a thread that the system has not scheduled, only for
 * parts that have begun. */
#include "softlab/pool.h"

#include <assert.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"

/* How long a thread spins before it sleeps: several times what it takes to wake a sleeping thread,
 * and more than the gap between two layers of a network. */
static const double patience_seconds = 100e-6;
enum { PAUSES = 32, CACHE_LINE = 64 };

/* The parts of a thread's queue that are left, in the low 32 bits, and above them the number of the
 * task. A late thread with the number of an earlier task cannot take a part of this one. */
struct queue {
    _Alignas(CACHE_LINE) _Atomic uint64_t left;
};

/* Work in parts. The fields change only while no part is left, but a late thread may read them
 * then; it takes no part after that. */
struct task {
    _Atomic uint32_t number;
    _Atomic(sl_pool_part *) part;
    _Atomic(void *) context;
    _Atomic size_t count;
    fenv_t settings; /* written before `number`; read only by threads that hold a part */
    struct queue *queues;
    _Alignas(CACHE_LINE) _Atomic size_t done;
};

struct thread {
    struct sl_pool *pool;
    size_t worker;
    pthread_t handle;
};

struct sl_pool {
    size_t threads;        /* as asked for; if some could not start, the others do their parts */
    struct thread *others; /* owned; all but the calling thread */
    size_t n_others;       /* that have started */
    bool patient;          /* threads spin before they sleep */
    struct task now, meanwhile;
    struct sl_pool_use *use;           /* borrowed, or NULL */
    bool (*is_stopped)(void *context); /* the caller's; NULL: never */
    void *stop_context;                /* borrowed */
    _Atomic bool stop;
    /* Sleeping threads wait for `changed` with `lock`; `sleeping` counts them. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Atomic size_t sleeping;
};

/* ---- Parts ---- */

static bool take(struct task *task, uint32_t number, size_t queue, size_t threads, size_t count,
                 size_t *part)
{
    _Atomic uint64_t *left = &task->queues[queue].left;
    uint64_t value = atomic_load_explicit(left, memory_order_acquire);
    while (value >> 32 == number && (uint32_t)value > 0)
        if (atomic_compare_exchange_weak_explicit(left, &value, value - 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *part = sl_pool_range_of(count, threads, queue).end - (uint32_t)value;
            return true;
        }
    return false;
}

static void wake_all(struct sl_pool *pool)
{
    if (atomic_load(&pool->sleeping) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

/* Do parts of a task, at most `most`. Returns how many. */
static size_t work(struct sl_pool *pool, struct task *task, size_t worker, size_t most)
{
    const uint32_t number = atomic_load(&task->number);
    sl_pool_part *part = atomic_load_explicit(&task->part, memory_order_relaxed);
    void *context = atomic_load_explicit(&task->context, memory_order_relaxed);
    const size_t count = atomic_load_explicit(&task->count, memory_order_relaxed);
    const size_t threads = pool->threads;
    size_t n_done = 0, index = 0;
    for (size_t i = 0; i < threads && n_done < most; i++) {
        const size_t queue = (worker + i) % threads;
        while (n_done < most && take(task, number, queue, threads, count, &index)) {
            if (n_done++ == 0 && worker > 0) fesetenv(&task->settings);
            part(context, index, worker);
        }
    }
    if (n_done > 0 && atomic_fetch_add(&task->done, n_done) + n_done == count) wake_all(pool);
    return n_done;
}

static void publish(struct sl_pool *pool, struct task *task, size_t count, sl_pool_part *part,
                    void *context)
{
    assert(count <= UINT32_MAX);
    const uint32_t number = atomic_load_explicit(&task->number, memory_order_relaxed) + 1;
    atomic_store_explicit(&task->part, part, memory_order_relaxed);
    atomic_store_explicit(&task->context, context, memory_order_relaxed);
    atomic_store_explicit(&task->count, count, memory_order_relaxed);
    atomic_store_explicit(&task->done, 0, memory_order_relaxed);
    fegetenv(&task->settings);
    for (size_t i = 0; i < pool->threads; i++) {
        const struct sl_pool_range range = sl_pool_range_of(count, pool->threads, i);
        atomic_store_explicit(&task->queues[i].left,
                              (uint64_t)number << 32 | (range.end - range.begin),
                              memory_order_release);
    }
    atomic_store(&task->number, number);
    wake_all(pool);
}

/* ---- Waiting ---- */

static bool is_done(const struct task *task)
{
    return atomic_load(&task->done) == atomic_load_explicit(&task->count, memory_order_relaxed);
}

static bool has_parts(const struct sl_pool *pool, const struct task *task)
{
    for (size_t i = 0; i < pool->threads && !is_done(task); i++)
        if ((uint32_t)atomic_load(&task->queues[i].left) > 0) return true;
    return false;
}

/* Why a thread waits: for the end of a task (the caller), or for another task than the last one it
 * worked on. */
struct reason {
    const struct task *awaited; /* NULL: for another task */
    uint32_t seen;              /* the number of that last one */
};

static bool is_over(const struct sl_pool *pool, const struct reason *reason)
{
    if (reason->awaited) return is_done(reason->awaited);
    return atomic_load(&pool->stop) || atomic_load(&pool->now.number) != reason->seen ||
           has_parts(pool, &pool->meanwhile);
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    for (int i = 0; i < PAUSES; i++)
        __builtin_ia32_pause();
#endif
}

static void wait(struct sl_pool *pool, const struct reason *reason)
{
    if (is_over(pool, reason)) return;
    if (pool->patient) {
        const double end = sl_clock_seconds() + patience_seconds;
        do {
            pause_briefly();
            if (is_over(pool, reason)) return;
        } while (sl_clock_seconds() < end);
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1);
    while (!is_over(pool, reason))
        pthread_cond_wait(&pool->changed, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *run_thread(void *argument)
{
    const struct thread *thread = argument;
    struct sl_pool *pool = thread->pool;
    struct reason reason = {NULL, 0};
    while (!atomic_load(&pool->stop)) {
        const uint32_t number = atomic_load(&pool->now.number);
        const bool fresh = number != reason.seen;
        reason.seen = number;
        const bool busy = (fresh && work(pool, &pool->now, thread->worker, SIZE_MAX) > 0) ||
                          work(pool, &pool->meanwhile, thread->worker, 1) > 0;
        if (!busy) wait(pool, &reason);
    }
    return NULL;
}

static void complete(struct sl_pool *pool, struct task *task)
{
    work(pool, task, 0, SIZE_MAX);
    wait(pool, &(struct reason){.awaited = task});
}

/* ---- The pool ---- */

/* Signals go to the threads of the program, never to these. */
static bool start(struct thread *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread->handle, NULL, run_thread, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static struct queue *make_queues(size_t threads, struct sl_error *err)
{
    struct queue *queues = sl_data_alloc(threads, sizeof *queues, err);
    for (size_t i = 0; queues && i < threads; i++)
        atomic_init(&queues[i].left, 0);
    return queues;
}

enum sl_status sl_pool_create(size_t threads, struct sl_pool **out, struct sl_error *err)
{
    const size_t cores = sl_cpu_count();
    if (threads == 0) threads = cores < SL_POOL_MOST_THREADS ? cores : SL_POOL_MOST_THREADS;
    if (threads > SL_POOL_MOST_THREADS)
        return sl_fail(err, SL_ERR_USAGE, "%zu threads are too many; the most is %d", threads,
                       SL_POOL_MOST_THREADS);
    struct sl_pool *pool = sl_data_alloc(1, sizeof *pool, err);
    if (!pool) return SL_ERR_NOMEM;
    *pool = (struct sl_pool){.threads = threads,
                             .patient = threads <= cores,
                             .others = sl_alloc(threads, sizeof *pool->others)};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pool->now.queues = make_queues(threads, err);
    pool->meanwhile.queues = make_queues(threads, err);
    if (!pool->now.queues || !pool->meanwhile.queues) {
        sl_pool_destroy(pool);
        return SL_ERR_NOMEM;
    }
    for (; pool->n_others + 1 < threads; pool->n_others++) {
        struct thread *thread = &pool->others[pool->n_others];
        *thread = (struct thread){.pool = pool, .worker = pool->n_others + 1};
        if (!start(thread)) break;
    }
    *out = pool;
    return SL_OK;
}

void sl_pool_destroy(struct sl_pool *pool)
{
    if (!pool) return;
    atomic_store(&pool->stop, true);
    wake_all(pool);
    for (size_t i = 0; i < pool->n_others; i++)
        pthread_join(pool->others[i].handle, NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool->now.queues);
    free(pool->meanwhile.queues);
    free(pool->others);
    free(pool);
}

size_t sl_pool_threads(const struct sl_pool *pool)
{
    return pool ? pool->threads : 1;
}

void sl_pool_run(struct sl_pool *pool, size_t count, sl_pool_part *part, void *context)
{
    if (!pool || pool->threads == 1 || count == 1) {
        for (size_t i = 0; i < count; i++)
            part(context, i, 0);
        return;
    }
    const double start = pool->use ? sl_clock_seconds() : 0;
    publish(pool, &pool->now, count, part, context);
    complete(pool, &pool->now);
    if (!pool->use) return;
    pool->use->runs++;
    pool->use->seconds += sl_clock_seconds() - start;
}

void sl_pool_set_stop(struct sl_pool *pool, bool (*stop)(void *context), void *context)
{
    pool->is_stopped = stop;
    pool->stop_context = context;
}

bool sl_pool_is_stopped(const struct sl_pool *pool)
{
    return pool && pool->is_stopped && pool->is_stopped(pool->stop_context);
}

enum sl_status sl_pool_check(const struct sl_pool *pool, struct sl_error *err)
{
    return sl_pool_is_stopped(pool) ? sl_fail(err, SL_ERR_STOPPED, "stopped before the end")
                                    : SL_OK;
}

void sl_pool_watch(struct sl_pool *pool, struct sl_pool_use *use)
{
    pool->use = use;
}

void sl_pool_begin(struct sl_pool *pool, size_t count, sl_pool_part *part, void *context)
{
    assert(is_done(&pool->meanwhile));
    publish(pool, &pool->meanwhile, count, part, context);
}

void sl_pool_finish(struct sl_pool *pool)
{
    complete(pool, &pool->meanwhile);
}
