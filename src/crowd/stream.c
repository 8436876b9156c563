/* Rows that leave window by window. Each rank makes those of its own chunks, which are neighbours;
 * rank 0 takes its own first and then those of the other ranks in turn. It asks for every window,
 * so that it can also tell a rank to stop after a failure, and needs no folder that ranks share. */
#include "crowd/stream.h"

#include <stdlib.h>

#include "softlab/base/memory.h"

/* A window of rows takes 16 MB. */
enum { WINDOW_CELLS = 1 << 22 };

/* What rank 0 asks of another. */
enum { STOP = 0, SEND = 1 };

size_t sl_stream_window(const struct sl_crowd_stream *stream, size_t n_classes)
{
    return stream->window ? stream->window : WINDOW_CELLS / n_classes + 1;
}

static struct sl_pool_range chunks_of(const struct sl_comm *comm, size_t rank)
{
    return sl_pool_range_of(SL_CROWD_CHUNKS, sl_comm_size(comm), rank);
}

struct sl_pool_range sl_stream_chunks(const struct sl_crowd_options *options)
{
    const struct sl_comm *comm = sl_stream_comm(options);
    return chunks_of(comm, sl_comm_rank(comm));
}

static struct sl_pool_range items_of(const struct sl_comm *comm, size_t n_items, size_t rank)
{
    const struct sl_pool_range chunks = chunks_of(comm, rank);
    if (chunks.begin == chunks.end) return (struct sl_pool_range){n_items, n_items};
    return (struct sl_pool_range){
        sl_pool_range_of(n_items, SL_CROWD_CHUNKS, chunks.begin).begin,
        sl_pool_range_of(n_items, SL_CROWD_CHUNKS, chunks.end - 1).end,
    };
}

struct sl_pool_range sl_stream_items(const struct sl_crowd_options *options, size_t n_items)
{
    const struct sl_comm *comm = sl_stream_comm(options);
    return items_of(comm, n_items, sl_comm_rank(comm));
}

enum sl_status sl_stream_collect(struct sl_comm *comm, double values[SL_CROWD_CHUNKS],
                                 struct sl_error *err)
{
    const size_t size = sl_comm_size(comm);
    size_t *begin = sl_alloc(size + 1, sizeof *begin);
    for (size_t rank = 0; rank < size; rank++)
        begin[rank + 1] = chunks_of(comm, rank).end;
    const enum sl_status status = sl_comm_collect(comm, values, begin, err);
    free(begin);
    return status;
}

enum sl_status sl_stream_any(const struct sl_crowd_options *options, bool *value,
                             struct sl_error *err)
{
    int64_t count = *value;
    SL_TRY(sl_comm_sum(sl_stream_comm(options), &count, 1, err));
    *value = count > 0;
    return SL_OK;
}

enum sl_status sl_stream_agree(const struct sl_crowd_options *options, enum sl_status status,
                               struct sl_error *err)
{
    return sl_comm_agree(sl_stream_comm(options), status, err);
}

/* ---- Rows ---- */

struct streaming {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_comm *comm;
    struct sl_pool *pool;
    sl_stream_fill *fill;
    void *context;
    size_t window;
    size_t first; /* item of the window at hand */
    float *rows;  /* owned; (window, K) */
};

/* Gold rows are pinned, and those of which nothing is known are zeros. */
static void settle_rows(const struct streaming *streaming, struct sl_pool_range items, float *rows)
{
    const struct sl_votes *votes = streaming->votes;
    const size_t n_classes = votes->n_classes;
    for (size_t i = items.begin; i < items.end; i++) {
        const int32_t gold = sl_em_gold(streaming->options, i);
        if (gold < 0 && votes->begin[i] < votes->begin[i + 1]) continue;
        float *row = rows + (i - items.begin) * n_classes;
        for (size_t k = 0; k < n_classes; k++)
            row[k] = gold >= 0 && (size_t)gold == k;
    }
}

static void fill_part(void *context, const struct sl_em_range *part)
{
    const struct streaming *streaming = context;
    const size_t first = streaming->first;
    const struct sl_em_range items = {part->chunk, first + part->begin, first + part->end,
                                      part->worker};
    float *rows = streaming->rows + part->begin * streaming->votes->n_classes;
    streaming->fill(streaming->context, &items, rows);
    settle_rows(streaming, (struct sl_pool_range){items.begin, items.end}, rows);
}

static void fill_window(struct streaming *streaming, size_t first, size_t count)
{
    streaming->first = first;
    sl_em_run(count, streaming->pool, fill_part, streaming);
    sl_votes_pass(streaming->votes, first, first + count);
}

static size_t window_from(const struct streaming *streaming, size_t first, size_t end)
{
    return end - first < streaming->window ? end - first : streaming->window;
}

static size_t window_bytes(const struct streaming *streaming, size_t count)
{
    return count * streaming->votes->n_classes * sizeof *streaming->rows;
}

static enum sl_status ask(const struct streaming *streaming, size_t rank, int64_t what,
                          struct sl_error *err)
{
    return sl_comm_send(streaming->comm, rank, &what, sizeof what, err);
}

/* On rank 0: the windows of one rank. Another rank waits to be asked once more after a failure. */
static enum sl_status take_from(struct streaming *streaming, size_t rank, struct sl_error *err)
{
    const struct sl_crowd_stream *stream = streaming->options->stream;
    const struct sl_pool_range items = items_of(streaming->comm, streaming->votes->n_items, rank);
    for (size_t first = items.begin; first < items.end;) {
        const size_t count = window_from(streaming, first, items.end);
        if (rank == 0) {
            fill_window(streaming, first, count);
        } else {
            SL_TRY(ask(streaming, rank, SEND, err));
            SL_TRY(sl_comm_receive(streaming->comm, rank, streaming->rows,
                                   window_bytes(streaming, count), err));
        }
        const enum sl_status status =
            stream->take(stream->context, first, count, streaming->rows, err);
        first += count;
        if (status == SL_OK) continue;
        if (rank > 0 && first < items.end) SL_TRY(ask(streaming, rank, STOP, err));
        return status;
    }
    return SL_OK;
}

/* On rank 0, after a failure: the ranks from `rank` on have not been asked for anything yet. */
static enum sl_status stop_from(struct streaming *streaming, size_t rank, struct sl_error *err)
{
    for (; rank < sl_comm_size(streaming->comm); rank++) {
        const struct sl_pool_range items =
            items_of(streaming->comm, streaming->votes->n_items, rank);
        if (items.begin < items.end) SL_TRY(ask(streaming, rank, STOP, err));
    }
    return SL_OK;
}

static enum sl_status take_all(struct streaming *streaming, struct sl_error *err)
{
    for (size_t rank = 0; rank < sl_comm_size(streaming->comm); rank++) {
        const enum sl_status status = take_from(streaming, rank, err);
        if (status == SL_OK) continue;
        SL_TRY(stop_from(streaming, rank + 1, NULL));
        return status;
    }
    return SL_OK;
}

/* On the other ranks. A window is ready before it is asked for. */
static enum sl_status give_all(struct streaming *streaming, struct sl_error *err)
{
    const struct sl_pool_range items =
        sl_stream_items(streaming->options, streaming->votes->n_items);
    for (size_t first = items.begin; first < items.end;) {
        const size_t count = window_from(streaming, first, items.end);
        int64_t asked = STOP;
        fill_window(streaming, first, count);
        SL_TRY(sl_comm_receive(streaming->comm, 0, &asked, sizeof asked, err));
        if (asked == STOP) return SL_OK; /* rank 0 says why */
        SL_TRY(
            sl_comm_send(streaming->comm, 0, streaming->rows, window_bytes(streaming, count), err));
        first += count;
    }
    return SL_OK;
}

enum sl_status sl_stream_rows(const struct sl_votes *votes, const struct sl_crowd_options *options,
                              struct sl_pool *pool, sl_stream_fill *fill, void *context,
                              struct sl_error *err)
{
    const size_t most = sl_stream_window(options->stream, votes->n_classes);
    struct streaming streaming = {.votes = votes,
                                  .options = options,
                                  .comm = sl_stream_comm(options),
                                  .pool = pool,
                                  .fill = fill,
                                  .context = context,
                                  .window = most < votes->n_items ? most : votes->n_items};
    streaming.rows =
        sl_data_alloc(streaming.window, votes->n_classes * sizeof *streaming.rows, err);
    enum sl_status status =
        sl_comm_agree(streaming.comm, streaming.rows ? SL_OK : SL_ERR_NOMEM, err);
    if (status == SL_OK) {
        status = sl_comm_rank(streaming.comm) == 0 ? take_all(&streaming, err)
                                                   : give_all(&streaming, err);
        status = sl_comm_agree(streaming.comm, status, err);
    }
    free(streaming.rows);
    return status;
}
