/* Stream: bytes read once from front to back, from memory, a file, a gzip file or an entry of a
 * tar, so that one parser works on all of them. */
#ifndef SOFTLAB_BASE_FILE_STREAM_H
#define SOFTLAB_BASE_FILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

struct sl_stream {
    const char *name; /* borrowed; shown in errors */
    uint64_t offset;  /* of the next byte, after decompression */
    uint64_t at_most; /* upper bound of the bytes to come; ask before allocating */
    enum sl_status (*read)(struct sl_stream *stream, void *out, size_t length, size_t *got,
                           struct sl_error *err);
    /* Skip bytes that are known to be there; NULL if they must be read. */
    enum sl_status (*skip)(struct sl_stream *stream, uint64_t length, struct sl_error *err);
};

/* Up to `length` bytes; fewer only at the end. */
enum sl_status sl_stream_read(struct sl_stream *stream, void *out, size_t length, size_t *got,
                              struct sl_error *err) SL_MUST_USE;

/* Exactly `length` bytes, or SL_ERR_INPUT naming the offset at which the stream ends. */
enum sl_status sl_stream_need(struct sl_stream *stream, void *out, size_t length,
                              struct sl_error *err) SL_MUST_USE;
/* The same into *bytes on the heap (NULL at first), after the `have` bytes that are already there,
 * `length` in total. Memory grows as bytes arrive, since a header may state more than there is. */
enum sl_status sl_stream_take(struct sl_stream *stream, uint8_t **bytes, size_t have, size_t length,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_stream_skip(struct sl_stream *stream, uint64_t length,
                              struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the offset if anything is left. */
enum sl_status sl_stream_end(struct sl_stream *stream, struct sl_error *err) SL_MUST_USE;

struct sl_memory_stream {
    struct sl_stream stream;
    const unsigned char *bytes; /* borrowed */
    size_t length;
};
void sl_memory_stream_init(struct sl_memory_stream *memory, const void *bytes, size_t length,
                           const char *name);

/* A file; gzip is recognised by its first bytes and unpacked on the way. */
enum sl_status sl_file_stream_open(const char *path, struct sl_stream **out,
                                   struct sl_error *err) SL_MUST_USE;
/* Whether a file begins with the gzip magic. A pipe cannot be inspected and is read as it is. */
bool sl_descriptor_is_gzip(int descriptor);
void sl_file_stream_close(struct sl_stream *stream);

#endif
