/* Streamed aggregation: which chunks a rank works on, and how rows leave. Without options->stream
 * all functions do what one process with everything in memory needs. */
#ifndef SOFTLAB_CROWD_STREAM_H
#define SOFTLAB_CROWD_STREAM_H

#include "crowd/crowd_internal.h"
#include "crowd/em.h"

/* Fill the rows (count, K) of a range of items; any thread. Rows of items without answers and of
 * gold items need not be right. */
typedef void sl_stream_fill(void *context, const struct sl_em_range *range, float *rows);

static inline struct sl_comm *sl_stream_comm(const struct sl_crowd_options *options)
{
    return options->stream ? options->stream->comm : NULL;
}

/* The parts of a state that a method allocates: the posterior or not. */
static inline unsigned sl_stream_parts(const struct sl_crowd_options *options)
{
    return options->stream ? SL_STATE_STREAMED : 0;
}

/* The items of a window. */
size_t sl_stream_window(const struct sl_crowd_stream *stream, size_t n_classes);
/* The chunks of this rank, and their items. */
struct sl_pool_range sl_stream_chunks(const struct sl_crowd_options *options);
struct sl_pool_range sl_stream_items(const struct sl_crowd_options *options, size_t n_items);

/* Collective. One value per chunk: every rank has its own, and gets those of the others. */
enum sl_status sl_stream_collect(struct sl_comm *comm, double values[SL_CROWD_CHUNKS],
                                 struct sl_error *err) SL_MUST_USE;
/* Collective. True on every rank if it is true on one. */
enum sl_status sl_stream_any(const struct sl_crowd_options *options, bool *value,
                             struct sl_error *err) SL_MUST_USE;
/* sl_comm_agree. */
enum sl_status sl_stream_agree(const struct sl_crowd_options *options, enum sl_status status,
                               struct sl_error *err) SL_MUST_USE;

/* Collective. Hand the rows of all items to options->stream->take, in order. `pool` has the workers
 * that `fill` has buffers for. */
enum sl_status sl_stream_rows(const struct sl_votes *votes, const struct sl_crowd_options *options,
                              struct sl_pool *pool, sl_stream_fill *fill, void *context,
                              struct sl_error *err) SL_MUST_USE;

#endif
