/* Statistics of rows that are drawn with replacement, by all threads. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "eval/eval_internal.h"
#include "softlab/base/memory.h"

/* Memory for the resamples of one thread. */
struct room {
    struct drawing *drawing; /* borrowed */
    size_t worker, resample; /* the resample in work */
    size_t *indices;         /* owned; the rows that were drawn */
    uint32_t *times;         /* owned; how often each row was drawn */
    double *values;          /* owned; the statistics of the resample */
};

struct drawing {
    const struct sl_eval_resamples *resamples;
    double *values;     /* owned; (n_values, n_resamples) */
    struct room *rooms; /* owned; one per thread */
    size_t n_rooms;
    _Atomic bool exhausted; /* a thread ran out of memory */
};

/* Store the statistics of one resample. For sl_guard. */
static enum sl_status draw(void *context, struct sl_error *err)
{
    (void)err;
    struct room *room = context;
    const struct sl_eval_resamples *resamples = room->drawing->resamples;
    const size_t n = resamples->n_rows, n_resamples = resamples->bootstrap->n_resamples;
    sl_bootstrap_draw(resamples->bootstrap, room->resample, room->indices, n);
    memset(room->times, 0, n * sizeof *room->times);
    for (size_t i = 0; i < n; i++)
        room->times[room->indices[i]]++;
    resamples->statistics(resamples->context, room->worker, room->times, room->values);
    for (size_t v = 0; v < resamples->n_values; v++)
        room->drawing->values[v * n_resamples + room->resample] = room->values[v];
    return SL_OK;
}

/* An sl_pool_part. Statistics call sl_alloc, and a guard holds for its own thread only. */
static void run_resample(void *context, size_t resample, size_t worker)
{
    struct drawing *drawing = context;
    struct room *room = &drawing->rooms[worker];
    if (atomic_load(&drawing->exhausted)) return;
    if (sl_pool_is_stopped(drawing->resamples->pool)) return;
    room->resample = resample;
    if (sl_guard(draw, room, NULL) != SL_OK) atomic_store(&drawing->exhausted, true);
}

static enum sl_status make_rooms(struct drawing *drawing, struct sl_error *err)
{
    const struct sl_eval_resamples *resamples = drawing->resamples;
    const size_t n = resamples->n_rows, n_values = resamples->n_values;
    drawing->values =
        sl_data_alloc(resamples->bootstrap->n_resamples, n_values * sizeof *drawing->values, err);
    if (!drawing->values) return SL_ERR_NOMEM;
    drawing->n_rooms = sl_pool_threads(resamples->pool);
    drawing->rooms = sl_alloc(drawing->n_rooms, sizeof *drawing->rooms);
    for (size_t i = 0; i < drawing->n_rooms; i++) {
        struct room *room = &drawing->rooms[i];
        *room = (struct room){.drawing = drawing,
                              .worker = i,
                              .indices = sl_data_alloc(n, sizeof *room->indices, err),
                              .times = sl_data_alloc(n, sizeof *room->times, err),
                              .values = sl_data_alloc(n_values, sizeof *room->values, err)};
        if (!room->indices || !room->times || !room->values) return SL_ERR_NOMEM;
    }
    return SL_OK;
}

enum sl_status sl_eval_resample(const struct sl_eval_resamples *resamples, double **out,
                                struct sl_error *err)
{
    const struct sl_bootstrap_options *bootstrap = resamples->bootstrap;
    struct drawing drawing = {.resamples = resamples};
    enum sl_status status = SL_OK;
    SL_TRY(sl_bootstrap_check(resamples->n_rows, bootstrap, err));
    if (bootstrap->n_resamples > UINT32_MAX) /* the most parts of sl_pool_run */
        return sl_fail(err, SL_ERR_USAGE, "%zu resamples are too many", bootstrap->n_resamples);
    SL_TRY_OUT(make_rooms(&drawing, err));
    sl_pool_run(resamples->pool, bootstrap->n_resamples, run_resample, &drawing);
    SL_TRY_OUT(sl_pool_check(resamples->pool, err));
    if (atomic_load(&drawing.exhausted))
        SL_TRY_OUT(sl_fail(err, SL_ERR_NOMEM, "not enough memory for the measures of a resample"));
    *out = drawing.values;
    drawing.values = NULL;
out:
    for (size_t i = 0; drawing.rooms && i < drawing.n_rooms; i++) {
        free(drawing.rooms[i].indices);
        free(drawing.rooms[i].times);
        free(drawing.rooms[i].values);
    }
    free(drawing.rooms);
    free(drawing.values);
    return status;
}

size_t sl_eval_drop_nan(double *values, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) values[kept++] = values[i];
    return kept;
}

struct sl_interval sl_eval_quantiles(const double *values, size_t count, double level,
                                     double estimate)
{
    const double tail = (1 - level) / 2;
    return (struct sl_interval){estimate, sl_quantile(values, count, tail),
                                sl_quantile(values, count, 1 - tail)};
}
