/* Tar and gzip byte by byte, for tests of what reads them. */
#ifndef SOFTLAB_TESTS_MAKE_ARCHIVE_H
#define SOFTLAB_TESTS_MAKE_ARCHIVE_H

#include <zlib.h>

#include "support.h"

/* One tar entry of kind '0' (file), '5' (folder), ... */
static inline void put_tar_entry(struct sl_buffer *out, const char *name, char kind,
                                 const void *bytes, size_t length)
{
    char header[512] = {0};
    snprintf(header, 100, "%s", name);
    snprintf(header + 100, 8, "0000644");
    snprintf(header + 124, 12, "%011o", (unsigned)length);
    snprintf(header + 136, 12, "%011o", 0u);
    memset(header + 148, ' ', 8);
    header[156] = kind;
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof header; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
    sl_buffer_append(out, header, sizeof header);
    sl_buffer_append(out, bytes, length);
    while (out->length % 512)
        sl_buffer_byte(out, '\0');
}

static inline void put_tar_end(struct sl_buffer *out)
{
    static const char zeros[1024];
    sl_buffer_append(out, zeros, sizeof zeros);
}

/* `bytes` as one gzip member. */
static inline void put_gzip(struct sl_buffer *out, const void *bytes, size_t length)
{
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    uLong bound = deflateBound(&stream, length);
    char *room = sl_buffer_reserve(out, bound);
    assert_non_null(room);
    unsigned char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    if (length) memcpy(copy, bytes, length);
    stream.next_in = copy;
    stream.avail_in = (uInt)length;
    stream.next_out = (Bytef *)room;
    stream.avail_out = (uInt)bound;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out->length += bound - stream.avail_out;
    deflateEnd(&stream);
    free(copy);
}

#endif
