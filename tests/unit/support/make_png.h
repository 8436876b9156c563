/* PNG files byte by byte, so that what is read was not written by the same library: any
 * header, rows as they stand in the file (filter byte first), optional chunks in between. */
#ifndef SOFTLAB_TESTS_MAKE_PNG_H
#define SOFTLAB_TESTS_MAKE_PNG_H

#include <zlib.h>

#include "support.h"

struct png_header {
    uint32_t width, height;
    uint8_t depth, colour, interlace;
};

enum { PNG_GREY = 0, PNG_RGB = 2, PNG_PALETTE = 3, PNG_GREY_ALPHA = 4, PNG_RGB_ALPHA = 6 };

static inline void put_big_endian(struct sl_buffer *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        sl_buffer_byte(out, (char)(value >> shift));
}

static inline void put_chunk(struct sl_buffer *out, const char *type, const void *bytes,
                             size_t length)
{
    put_big_endian(out, (uint32_t)length);
    size_t begin = out->length;
    sl_buffer_text(out, type);
    sl_buffer_append(out, bytes, length);
    uLong crc = crc32(0, (const Bytef *)out->data + begin, (uInt)(length + 4));
    put_big_endian(out, (uint32_t)crc);
}

static inline void put_png_header(struct sl_buffer *out, struct png_header header)
{
    struct sl_buffer fields;
    sl_buffer_init(&fields, 64);
    put_big_endian(&fields, header.width);
    put_big_endian(&fields, header.height);
    sl_buffer_byte(&fields, (char)header.depth);
    sl_buffer_byte(&fields, (char)header.colour);
    sl_buffer_append(&fields, "\0", 2); /* the only compression and filter methods */
    sl_buffer_byte(&fields, (char)header.interlace);
    sl_buffer_append(out, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(out, "IHDR", fields.data, fields.length);
    sl_buffer_release(&fields);
}

/* The rest of the file: the rows, packed, and the end. */
static inline void put_png_rows(struct sl_buffer *out, const void *rows, size_t length)
{
    uLongf packed = compressBound(length);
    Bytef *bytes = malloc(packed);
    assert_non_null(bytes);
    assert_int_equal(compress(bytes, &packed, rows, length), Z_OK);
    put_chunk(out, "IDAT", bytes, packed);
    put_chunk(out, "IEND", "", 0);
    free(bytes);
}

#endif
