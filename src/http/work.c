#include "http_internal.h"

#include <signal.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

static void jobs_init(struct sl_http_jobs *jobs)
{
    jobs->first = NULL;
    jobs->end = &jobs->first;
}

static void jobs_add(struct sl_http_jobs *jobs, struct sl_http_job *job)
{
    job->next = NULL;
    *jobs->end = job;
    jobs->end = &job->next;
}

static struct sl_http_job *jobs_take(struct sl_http_jobs *jobs)
{
    struct sl_http_job *job = jobs->first;
    if (!job) return NULL;
    jobs->first = job->next;
    if (!jobs->first) jobs->end = &jobs->first;
    return job;
}

void sl_http_worker_init(struct sl_http_worker *worker, struct sl_http_loop *loop)
{
    worker->loop = loop;
    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->changed, NULL);
    jobs_init(&worker->waiting);
    jobs_init(&worker->finished);
}

static void *run_jobs(void *context)
{
    struct sl_http_worker *worker = context;
    pthread_mutex_lock(&worker->lock);
    for (;;) {
        while (!worker->waiting.first && !worker->quit)
            pthread_cond_wait(&worker->changed, &worker->lock);
        if (worker->quit) break;
        struct sl_http_job *job = jobs_take(&worker->waiting);
        pthread_mutex_unlock(&worker->lock);
        /* A loop that is to end leaves out what waits, here or in sl_http_worker_skip. */
        if (!sl_http_loop_stopping(worker->loop)) job->work(job->context);
        pthread_mutex_lock(&worker->lock);
        jobs_add(&worker->finished, job);
        sl_http_loop_wake(worker->loop);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

/* Signals belong to the program's own threads. */
static bool start_thread(struct sl_http_worker *worker)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&worker->thread, NULL, run_jobs, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void sl_http_work(struct sl_http_loop *loop, unsigned lane, void (*work)(void *context),
                  void (*done)(void *context), void *context)
{
    struct sl_http_worker *worker = &loop->workers[lane];
    struct sl_http_job *job = sl_alloc(1, sizeof *job);
    *job = (struct sl_http_job){.work = work, .done = done, .context = context};
    const bool begun = !sl_http_loop_stopping(loop);
    if (begun && !worker->started) worker->started = start_thread(worker);
    /* If no thread can be started, the work is done here: slow but correct. */
    if (begun && !worker->started) work(context);
    pthread_mutex_lock(&worker->lock);
    jobs_add(begun && worker->started ? &worker->waiting : &worker->finished, job);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    if (!begun || !worker->started) sl_http_loop_wake(loop);
}

void sl_http_worker_skip(struct sl_http_worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    for (struct sl_http_job *job; (job = jobs_take(&worker->waiting));)
        jobs_add(&worker->finished, job);
    pthread_mutex_unlock(&worker->lock);
}

void sl_http_worker_collect(struct sl_http_worker *worker)
{
    for (;;) {
        pthread_mutex_lock(&worker->lock);
        struct sl_http_job *job = jobs_take(&worker->finished);
        pthread_mutex_unlock(&worker->lock);
        if (!job) return;
        job->done(job->context);
        free(job);
    }
}

void sl_http_worker_finish(struct sl_http_worker *worker)
{
    sl_http_worker_skip(worker);
    if (!worker->started) return;
    pthread_mutex_lock(&worker->lock);
    worker->quit = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
}

void sl_http_worker_release(struct sl_http_worker *worker)
{
    pthread_mutex_destroy(&worker->lock);
    pthread_cond_destroy(&worker->changed);
}
