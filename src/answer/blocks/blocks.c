#include "answer/blocks/blocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answer/blocks/file.h"
#include "softlab/base/memory.h"

enum { PIECE = 1 << 18, PIECES_PER_THREAD = 4, PADDING = 64, N_WINDOWS = 2 };

struct window {
    char *bytes; /* owned; PADDING + 1 bytes longer than its capacity */
    size_t capacity, length;
    size_t used; /* bytes of whole records; the rest is carried to the next window */
    struct sl_line_block *blocks; /* owned; one for each piece at most */
    size_t n_blocks;
    size_t slot; /* of its first block */
};

struct run {
    const struct sl_block_plan *plan; /* borrowed */
    const struct sl_block_work *work; /* borrowed */
    struct sl_block_file file;
    struct sl_piece *pieces; /* owned */
    struct window windows[N_WINDOWS];
    size_t lead;    /* bytes before the first record of the first window, 0 in others */
    size_t n_lines; /* that were taken */
};

struct sl_block_plan sl_block_plan_default(struct sl_pool *pool)
{
    return (struct sl_block_plan){
        .pool = pool, .size = PIECE, .per_window = sl_pool_threads(pool) * PIECES_PER_THREAD};
}

size_t sl_block_slots(const struct sl_block_plan *plan)
{
    return N_WINDOWS * plan->per_window;
}

/* ---- Borders of records ---- */

/* The first byte behind a line break that ends a record; `end` if there is none. `quoted`: the
 * first byte is within quotes. */
static const char *first_border(const char *at, const char *end, bool quoting, bool quoted)
{
    if (!quoting) {
        const char *found = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        return found ? found + 1 : end;
    }
    for (; at < end; at++) {
        if (*at == '"') quoted = !quoted;
        if (*at == '\n' && !quoted) return at + 1;
    }
    return end;
}

/* The same for the last one before `end`, which is within quotes or not; NULL if there is none. */
static const char *last_border(const char *begin, const char *end, bool quoting, bool quoted)
{
    for (; end > begin; end--) {
        if (quoting && end[-1] == '"') quoted = !quoted;
        if (end[-1] == '\n' && !quoted) return end;
    }
    return NULL;
}

/* A byte order mark and empty lines at the beginning of the file belong to its first record. */
static size_t lead_of(const struct window *window)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t lead = 0;
    if (window->length >= sizeof mark - 1 && memcmp(window->bytes, mark, sizeof mark - 1) == 0)
        lead = sizeof mark - 1;
    while (lead < window->length && (window->bytes[lead] == '\n' || window->bytes[lead] == '\r'))
        lead++;
    return lead;
}

static void add_block(struct window *window, const char *begin, const char *end)
{
    if (begin < end)
        window->blocks[window->n_blocks++] =
            (struct sl_line_block){.bytes = begin, .length = (size_t)(end - begin)};
}

/* Cut the window at pieces of `size` bytes behind the first `carried` ones, which are the beginning
 * of a record. `quoted`: they end within quotes. */
static void cut(struct run *run, struct window *window, size_t carried, size_t size, bool quoted)
{
    const char *begin = window->bytes, *piece = begin + carried;
    const char *const end = window->bytes + window->used;
    window->n_blocks = 0;
    for (size_t i = 0; i < run->plan->per_window && piece < end; i++) {
        const char *limit = (size_t)(end - piece) < size ? end : piece + size;
        const char *border = i > 0 ? first_border(piece, limit, run->work->quoting, quoted) : limit;
        if (border < limit && border > window->bytes + run->lead) {
            add_block(window, begin, border);
            begin = border;
        }
        if (run->pieces[i].n_quotes % 2) quoted = !quoted;
        piece += size;
    }
    add_block(window, begin, end);
}

/* How many bytes of the window are whole records; `quoted` is about the carried ones. */
static size_t whole_records(const struct run *run, const struct window *window, bool quoted)
{
    const bool quoting = run->work->quoting;
    for (size_t i = 0; i < run->plan->per_window; i++)
        if (run->pieces[i].n_quotes % 2) quoted = !quoted;
    const char *border =
        last_border(window->bytes, window->bytes + window->length, quoting, quoted);
    return border && border > window->bytes + run->lead ? (size_t)(border - window->bytes) : 0;
}

/* ---- Windows ---- */

static enum sl_status make_room(struct window *window, size_t capacity, struct sl_error *err)
{
    if (window->bytes && capacity <= window->capacity) return SL_OK;
    char *bytes = sl_data_alloc(capacity + 1 + PADDING, 1, err);
    if (!bytes) return SL_ERR_NOMEM;
    if (window->bytes && window->length > 0) memcpy(bytes, window->bytes, window->length);
    free(window->bytes);
    window->bytes = bytes;
    window->capacity = capacity;
    return SL_OK;
}

/* Fill a window, which begins with what the previous one left over. */
static enum sl_status load(struct run *run, struct window *window, const struct window *before,
                           struct sl_error *err)
{
    const struct sl_block_plan *plan = run->plan;
    size_t carried = before ? before->length - before->used : 0;
    window->length = window->n_blocks = 0;
    SL_TRY(make_room(window, carried + plan->size * plan->per_window, err));
    if (carried > 0) memcpy(window->bytes, before->bytes + before->used, carried);
    for (;;) {
        /* Twice the bytes each time, so that a long record is not searched too often. */
        const size_t least = carried / plan->per_window + 1;
        const size_t size = plan->size > least ? plan->size : least;
        window->length = carried;
        SL_TRY(make_room(window, carried + size * plan->per_window, err));
        const struct sl_piece_reading reading = {.bytes = window->bytes + carried,
                                                 .size = size,
                                                 .count = plan->per_window,
                                                 .quotes = run->work->quoting,
                                                 .pieces = run->pieces};
        sl_block_file_read(&run->file, plan->pool, &reading);
        for (size_t i = 0; i < plan->per_window; i++)
            window->length += run->pieces[i].length;
        run->lead = before ? 0 : lead_of(window);
        const bool ended = run->file.ended && run->file.failure.code == SL_OK;
        const bool quoted = run->work->quoting && sl_count_bytes(window->bytes, carried, '"') % 2;
        window->used = ended ? window->length : whole_records(run, window, quoted);
        if (window->used == 0 && window->length - run->lead > run->work->limit + 2)
            window->used = window->length;
        if (window->used > 0 || run->file.ended) {
            memset(window->bytes + window->length, 0, 1 + PADDING);
            window->bytes[window->length] = '\n';
            cut(run, window, carried, size, quoted);
            return SL_OK;
        }
        carried = window->length;
    }
}

/* ---- Parsing and taking ---- */

struct parsing {
    const struct sl_block_work *work;
    struct window *window;
};

static void parse_block(void *context, size_t part, size_t worker)
{
    const struct parsing *parsing = context;
    struct window *window = parsing->window;
    parsing->work->parse(parsing->work->context, &window->blocks[part], window->slot + part,
                         worker);
}

static enum sl_status take_blocks(struct run *run, struct window *window, struct sl_error *err)
{
    const struct sl_block_work *work = run->work;
    for (size_t i = 0; i < window->n_blocks; i++) {
        struct sl_line_block *block = &window->blocks[i];
        block->before = run->n_lines;
        if (block->failed) work->parse(work->context, block, window->slot + i, 0);
        SL_TRY(work->take(work->context, block, window->slot + i, err));
        run->n_lines += block->n_lines;
    }
    return SL_OK;
}

static enum sl_status see_first(struct run *run, struct window *window, struct sl_error *err)
{
    const struct sl_line_block empty = {.bytes = "", .first = true};
    if (window->n_blocks > 0) window->blocks[0].first = true;
    if (window->n_blocks == 0 && run->file.failure.code != SL_OK) return SL_OK;
    return run->work->begin(run->work->context, window->n_blocks ? &window->blocks[0] : &empty,
                            err);
}

/* Take `now` while `next` is loaded and parsed. A failure of `now` comes first in the file. */
static enum sl_status advance(struct run *run, struct window *now, struct window *next,
                              struct sl_error *err)
{
    struct sl_pool *pool = run->plan->pool;
    struct sl_error later = {0};
    struct parsing parsing = {run->work, next};
    next->n_blocks = 0;
    const enum sl_status loaded = run->file.ended ? SL_OK : load(run, next, now, &later);
    const size_t count = loaded == SL_OK ? next->n_blocks : 0;
    if (pool && count > 0) sl_pool_begin(pool, count, parse_block, &parsing);
    const enum sl_status status = take_blocks(run, now, err);
    if (pool && count > 0) sl_pool_finish(pool);
    if (!pool && status == SL_OK) sl_pool_run(NULL, count, parse_block, &parsing);
    if (status == SL_OK && loaded != SL_OK && err) *err = later;
    return status == SL_OK ? loaded : status;
}

static enum sl_status run_windows(struct run *run, struct sl_error *err)
{
    struct window *now = &run->windows[0], *next = &run->windows[1];
    struct parsing parsing = {run->work, now};
    SL_TRY(load(run, now, NULL, err));
    SL_TRY(see_first(run, now, err));
    sl_pool_run(run->plan->pool, now->n_blocks, parse_block, &parsing);
    while (now->n_blocks > 0) {
        SL_TRY(sl_pool_check(run->plan->pool, err));
        SL_TRY(advance(run, now, next, err));
        struct window *swapped = now;
        now = next;
        next = swapped;
    }
    if (run->file.failure.code != SL_OK && err) *err = run->file.failure;
    return run->file.failure.code;
}

enum sl_status sl_blocks_run(const char *path, const struct sl_block_plan *plan,
                             const struct sl_block_work *work, struct sl_error *err)
{
    struct run run = {.plan = plan, .work = work};
    assert(plan->size > 0 && plan->per_window > 0);
    enum sl_status status = sl_block_file_open(&run.file, path, err);
    run.pieces = sl_alloc(plan->per_window, sizeof *run.pieces);
    for (size_t i = 0; i < N_WINDOWS; i++) {
        run.windows[i].blocks = sl_alloc(plan->per_window, sizeof *run.windows[i].blocks);
        run.windows[i].slot = i * plan->per_window;
    }
    if (status == SL_OK) status = run_windows(&run, err);
    for (size_t i = 0; i < N_WINDOWS; i++) {
        free(run.windows[i].bytes);
        free(run.windows[i].blocks);
    }
    free(run.pieces);
    sl_block_file_close(&run.file);
    return status;
}
