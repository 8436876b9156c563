/* Rows to CSV by all threads. Each writes some of the lines, which go to the file in order. */
#include <stdlib.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

enum { ROWS_OF_PART = 4096, PARTS_PER_THREAD = 4 };

struct writing {
    const struct sl_rows *rows;
    size_t first; /* row of the first part */
    struct sl_buffer *parts;
};

static size_t bounded(size_t row, const struct sl_rows *rows)
{
    return row < rows->n_rows ? row : rows->n_rows;
}

static void write_part(void *context, size_t part, size_t worker)
{
    const struct writing *writing = context;
    const size_t begin = writing->first + part * ROWS_OF_PART;
    struct sl_buffer *out = &writing->parts[part];
    (void)worker;
    sl_buffer_clear(out);
    if (begin < writing->rows->n_rows)
        sl_rows_append_csv(writing->rows, begin, bounded(begin + ROWS_OF_PART, writing->rows), out);
}

static enum sl_status write_rows(struct sl_pool *pool, struct writing *writing, size_t n_parts,
                                 struct sl_writer *writer, struct sl_error *err)
{
    for (; writing->first < writing->rows->n_rows; writing->first += n_parts * ROWS_OF_PART) {
        sl_pool_run(pool, n_parts, write_part, writing);
        for (size_t i = 0; i < n_parts; i++) {
            const struct sl_buffer *part = &writing->parts[i];
            SL_TRY(sl_buffer_check(part, "a part of the rows", err));
            if (part->length > 0) SL_TRY(sl_writer_write(writer, part->data, part->length, err));
        }
    }
    return sl_writer_commit(writer, err);
}

static enum sl_status write_csv(struct sl_pool *pool, const struct sl_rows *rows, const char *path,
                                struct sl_error *err)
{
    const size_t n_parts = sl_pool_threads(pool) * PARTS_PER_THREAD;
    struct writing writing = {.rows = rows, .parts = sl_alloc(n_parts, sizeof *writing.parts)};
    struct sl_writer writer = {.descriptor = -1};
    for (size_t i = 0; i < n_parts; i++)
        sl_buffer_init_data(&writing.parts[i], SIZE_MAX);
    enum sl_status status = sl_writer_open(&writer, path, err);
    if (status == SL_OK) status = write_rows(pool, &writing, n_parts, &writer, err);
    sl_writer_discard(&writer);
    for (size_t i = 0; i < n_parts; i++)
        sl_buffer_release(&writing.parts[i]);
    free(writing.parts);
    return status;
}

enum sl_status sl_rows_write_by(struct sl_pool *pool, const struct sl_rows *rows, const char *array,
                                const char *path, struct sl_error *err)
{
    const bool shared = sl_pool_threads(pool) > 1 && rows->n_rows > ROWS_OF_PART &&
                        sl_path_has_suffix(path, ".csv");
    return shared ? write_csv(pool, rows, path, err) : sl_rows_write(rows, array, path, err);
}
