/* Rows to .npz, .npy and .csv while they are made. */
#include <stdlib.h>
#include <string.h>

#include "base/array/npy.h"
#include "base/rows/internal.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { HEADER_BYTES = 1024 };

struct format {
    const char *suffix;
    bool names; /* apart from the rows */
    enum sl_status (*open)(struct sl_rows_stream *stream, const char *path, const char *array,
                           struct sl_error *err);
    enum sl_status (*add)(struct sl_rows_stream *stream, const char *item, const float *row,
                          struct sl_error *err);
    enum sl_status (*commit)(struct sl_rows_stream *stream, struct sl_error *err);
};

struct sl_rows_stream {
    const struct format *format;
    const struct sl_rows *like; /* borrowed */
    struct sl_npz_writer *npz;  /* owned; of an .npz */
    struct sl_writer writer;    /* of others */
    struct sl_buffer line;      /* of a CSV */
    uint32_t *element;          /* owned; a name of `width` characters */
    size_t width;
};

static struct sl_array matrix_of(const struct sl_rows *like)
{
    return (struct sl_array){.dtype = SL_F4,
                             .item_size = sizeof(float),
                             .n_dimensions = 2,
                             .shape = {like->n_rows, like->n_classes}};
}

static size_t row_bytes(const struct sl_rows_stream *stream)
{
    return stream->like->n_classes * sizeof(float);
}

/* ---- .npz ---- */

static enum sl_status open_npz(struct sl_rows_stream *stream, const char *path, const char *array,
                               struct sl_error *err)
{
    const struct sl_array matrix = matrix_of(stream->like);
    SL_TRY(sl_npz_writer_create(path, SL_NPZ_STORED, &stream->npz, err));
    return sl_npz_writer_begin(stream->npz, array, &matrix, err);
}

static enum sl_status add_npz(struct sl_rows_stream *stream, const char *item, const float *row,
                              struct sl_error *err)
{
    (void)item;
    return sl_npz_writer_append(stream->npz, row, row_bytes(stream), err);
}

static enum sl_status commit_npz(struct sl_rows_stream *stream, struct sl_error *err)
{
    SL_TRY(sl_npz_writer_end(stream->npz, err));
    SL_TRY(sl_rows_add_rest_to_npz(stream->like, stream->npz, err));
    return sl_npz_writer_commit(stream->npz, err);
}

/* ---- .npy ---- */

static enum sl_status open_npy(struct sl_rows_stream *stream, const char *path, const char *array,
                               struct sl_error *err)
{
    (void)array;
    const struct sl_array matrix = matrix_of(stream->like);
    struct sl_buffer header;
    SL_TRY(sl_writer_open(&stream->writer, path, err));
    sl_buffer_init(&header, HEADER_BYTES);
    sl_npy_header_format(&matrix, SL_ORDER_C, &header);
    const enum sl_status status = sl_writer_write(&stream->writer, header.data, header.length, err);
    sl_buffer_release(&header);
    return status;
}

static enum sl_status add_npy(struct sl_rows_stream *stream, const char *item, const float *row,
                              struct sl_error *err)
{
    (void)item;
    return sl_writer_write(&stream->writer, row, row_bytes(stream), err);
}

static enum sl_status commit_file(struct sl_rows_stream *stream, struct sl_error *err)
{
    return sl_writer_commit(&stream->writer, err);
}

/* ---- .csv ---- */

static enum sl_status open_csv(struct sl_rows_stream *stream, const char *path, const char *array,
                               struct sl_error *err)
{
    (void)array;
    SL_TRY(sl_writer_open(&stream->writer, path, err));
    sl_rows_append_csv_header(stream->like, &stream->line);
    return sl_writer_write(&stream->writer, stream->line.data, stream->line.length, err);
}

static enum sl_status add_csv(struct sl_rows_stream *stream, const char *item, const float *row,
                              struct sl_error *err)
{
    sl_buffer_clear(&stream->line);
    sl_rows_append_csv_row(item, NULL, row, stream->like->n_classes, &stream->line);
    return sl_writer_write(&stream->writer, stream->line.data, stream->line.length, err);
}

static const struct format formats[] = {
    {".npz", true, open_npz, add_npz, commit_npz},
    {".npy", false, open_npy, add_npy, commit_file},
    {".csv", false, open_csv, add_csv, commit_file},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct format *format_of(const char *path)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (sl_path_has_suffix(path, formats[i].suffix)) return &formats[i];
    return NULL;
}

enum sl_status sl_rows_stream_check(const char *path, struct sl_error *err)
{
    if (format_of(path)) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE,
                   "%s: rows are written as they are made only to .npz, .npy and .csv; choose one "
                   "of them",
                   path);
}

enum sl_status sl_rows_stream_create(const char *path, const char *array,
                                     const struct sl_rows *like, size_t widest,
                                     struct sl_rows_stream **out, struct sl_error *err)
{
    SL_TRY(sl_rows_stream_check(path, err));
    struct sl_rows_stream *stream = sl_alloc(1, sizeof *stream);
    stream->format = format_of(path);
    stream->like = like;
    stream->writer.descriptor = -1;
    stream->width = widest > 1 ? widest : 1; /* numpy's minimum */
    stream->element = sl_alloc(stream->width, sizeof *stream->element);
    sl_buffer_init(&stream->line, SIZE_MAX);
    const enum sl_status status = stream->format->open(stream, path, array, err);
    if (status == SL_OK)
        *out = stream;
    else
        sl_rows_stream_destroy(stream);
    return status;
}

void sl_rows_stream_destroy(struct sl_rows_stream *stream)
{
    if (!stream) return;
    sl_npz_writer_destroy(stream->npz);
    sl_writer_discard(&stream->writer);
    sl_buffer_release(&stream->line);
    free(stream->element);
    free(stream);
}

enum sl_status sl_rows_stream_add(struct sl_rows_stream *stream, const char *item, const float *row,
                                  struct sl_error *err)
{
    return stream->format->add(stream, item, row, err);
}

bool sl_rows_stream_wants_names(const struct sl_rows_stream *stream)
{
    return stream->format->names;
}

enum sl_status sl_rows_stream_begin_names(struct sl_rows_stream *stream, struct sl_error *err)
{
    const struct sl_array names = {.dtype = SL_TEXT,
                                   .item_size = stream->width * sizeof *stream->element,
                                   .n_dimensions = 1,
                                   .shape = {stream->like->n_rows}};
    SL_TRY(sl_npz_writer_end(stream->npz, err));
    return sl_npz_writer_begin(stream->npz, "item", &names, err);
}

enum sl_status sl_rows_stream_name(struct sl_rows_stream *stream, const char *item,
                                   struct sl_error *err)
{
    sl_array_text_put(item, stream->width, stream->element);
    return sl_npz_writer_append(stream->npz, stream->element,
                                stream->width * sizeof *stream->element, err);
}

enum sl_status sl_rows_stream_commit(struct sl_rows_stream *stream, struct sl_error *err)
{
    return stream->format->commit(stream, err);
}
