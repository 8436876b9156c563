#include "crowd/em.h"

#include <math.h>
#include <pthread.h>

#include "softlab/base/memory.h"

enum { MAX_THREADS = SL_CROWD_CHUNKS };

struct worker {
    size_t n_items;
    unsigned index, n_workers;
    sl_em_work *work;
    void *context;
};

static void *run_worker(void *argument)
{
    const struct worker *worker = argument;
    for (size_t chunk = worker->index; chunk < SL_CROWD_CHUNKS; chunk += worker->n_workers) {
        size_t share = worker->n_items / SL_CROWD_CHUNKS, rest = worker->n_items % SL_CROWD_CHUNKS;
        struct sl_em_range range = {.chunk = chunk, .worker = worker->index};
        range.begin = share * chunk + (chunk < rest ? chunk : rest);
        range.end = range.begin + share + (chunk < rest);
        worker->work(worker->context, &range);
    }
    return NULL;
}

void sl_em_run(size_t n_items, unsigned threads, sl_em_work *work, void *context)
{
    struct worker workers[MAX_THREADS];
    pthread_t handles[MAX_THREADS];
    bool started[MAX_THREADS] = {false};
    unsigned n_workers = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    for (unsigned i = 0; i < n_workers; i++) {
        workers[i] = (struct worker){n_items, i, n_workers, work, context};
        if (i > 0) started[i] = pthread_create(&handles[i], NULL, run_worker, &workers[i]) == 0;
    }
    for (unsigned i = 0; i < n_workers; i++)
        if (!started[i]) run_worker(&workers[i]);
    for (unsigned i = 1; i < n_workers; i++)
        if (started[i]) pthread_join(handles[i], NULL);
}

double sl_em_sum(const double chunk_values[SL_CROWD_CHUNKS])
{
    double sum = 0;
    for (size_t chunk = 0; chunk < SL_CROWD_CHUNKS; chunk++)
        sum += chunk_values[chunk];
    return sum;
}

bool sl_em_step(struct sl_crowd_state *state, double value, double tolerance, bool fresh)
{
    size_t step = state->n_iterations++;
    state->trace[step] = value;
    if (step == 0 || fresh || tolerance == 0) return false;
    state->converged = value - state->trace[step - 1] <= tolerance * fabs(value);
    return state->converged;
}

double sl_em_normalise(double *scores, size_t count, size_t n_classes)
{
    return sl_em_normalise_rows(scores, count, n_classes);
}

void sl_em_finish_votes(struct sl_crowd_state *state, const size_t *begin,
                        const struct sl_crowd_options *options)
{
    const size_t n_classes = state->n_classes;
    size_t n_known = 0;
    for (size_t k = 0; k < n_classes; k++)
        state->class_prior[k] = 0;
    for (size_t i = 0; i < state->n_items; i++) {
        float *row = state->posterior + i * n_classes;
        int32_t gold = sl_em_gold(options, i);
        if (gold < 0 && begin[i] == begin[i + 1]) continue;
        for (size_t k = 0; k < n_classes; k++) {
            if (gold >= 0) row[k] = (size_t)gold == k;
            state->class_prior[k] += (double)row[k];
        }
        n_known++;
    }
    for (size_t k = 0; k < n_classes; k++)
        state->class_prior[k] =
            n_known ? state->class_prior[k] / (double)n_known : 1 / (double)n_classes;
    for (size_t i = 0; i < state->n_items; i++)
        if (sl_em_gold(options, i) < 0 && begin[i] == begin[i + 1])
            for (size_t k = 0; k < n_classes; k++)
                state->posterior[i * n_classes + k] = (float)state->class_prior[k];
}
