#include "dataset/each.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct round {
    const struct sl_pool *pool; /* borrowed */
    sl_each_work *work;
    void *context;
    struct sl_progress *progress; /* borrowed, or NULL */
    _Atomic size_t n_done;
    _Atomic size_t failed; /* the first item that failed so far; SIZE_MAX: none */
    pthread_mutex_t lock;  /* of `failed`, when it changes, and of what follows */
    enum sl_status status;
    struct sl_error err;
};

static void note_failure(struct round *round, size_t item, enum sl_status status,
                         const struct sl_error *err)
{
    pthread_mutex_lock(&round->lock);
    if (item < atomic_load(&round->failed)) {
        atomic_store(&round->failed, item);
        round->status = status;
        round->err = *err;
    }
    pthread_mutex_unlock(&round->lock);
}

/* An item is left out only if one before it has failed. So the first item that fails is always
 * worked on, and its error is the one that stays. */
static void do_item(void *context, size_t item, size_t worker)
{
    struct round *round = context;
    if (item > atomic_load(&round->failed) || sl_pool_is_stopped(round->pool)) return;
    struct sl_error err = {0};
    const enum sl_status status = round->work(round->context, item, &err);
    if (status != SL_OK) note_failure(round, item, status, &err);
    const size_t n_done = atomic_fetch_add(&round->n_done, 1) + 1;
    if (worker == 0) sl_progress_set(round->progress, n_done);
}

enum sl_status sl_each(struct sl_pool *pool, size_t count, sl_each_work *work, void *context,
                       struct sl_progress *progress, struct sl_error *err)
{
    struct round round = {
        .pool = pool, .work = work, .context = context, .progress = progress, .failed = SIZE_MAX};
    pthread_mutex_init(&round.lock, NULL);
    sl_pool_run(pool, count, do_item, &round);
    pthread_mutex_destroy(&round.lock);
    if (round.status != SL_OK && err) *err = round.err;
    return round.status == SL_OK ? sl_pool_check(pool, err) : round.status;
}
