#include "crowd/em.h"

#include <math.h>

#include "softlab/base/memory.h"

struct run {
    size_t n_items, first; /* chunk */
    sl_em_work *work;
    void *context;
};

static void run_chunk(void *context, size_t part, size_t worker)
{
    const struct run *run = context;
    const size_t chunk = run->first + part;
    const struct sl_pool_range items = sl_pool_range_of(run->n_items, SL_CROWD_CHUNKS, chunk);
    run->work(run->context, &(struct sl_em_range){chunk, items.begin, items.end, worker});
}

void sl_em_run_chunks(size_t n_items, struct sl_pool_range chunks, struct sl_pool *pool,
                      sl_em_work *work, void *context)
{
    struct run run = {n_items, chunks.begin, work, context};
    sl_pool_run(pool, chunks.end - chunks.begin, run_chunk, &run);
}

void sl_em_run(size_t n_items, struct sl_pool *pool, sl_em_work *work, void *context)
{
    sl_em_run_chunks(n_items, (struct sl_pool_range){0, SL_CROWD_CHUNKS}, pool, work, context);
}

double sl_em_sum(const double chunk_values[SL_CROWD_CHUNKS])
{
    double sum = 0;
    for (size_t chunk = 0; chunk < SL_CROWD_CHUNKS; chunk++)
        sum += chunk_values[chunk];
    return sum;
}

bool sl_em_step(struct sl_crowd_state *state, double value, struct sl_em_stop stop, bool fresh)
{
    size_t step = state->n_iterations++;
    state->trace[step] = value;
    if (sl_pool_is_stopped(stop.pool)) return true;
    if (step == 0 || fresh || stop.tolerance == 0) return false;
    const double scale = stop.scale > 0 ? stop.scale : fabs(value);
    state->converged = value - state->trace[step - 1] <= stop.tolerance * scale;
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
