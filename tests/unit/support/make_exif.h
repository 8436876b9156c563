/* Pictures that state in EXIF which way up they are to be shown. */
#ifndef SOFTLAB_TESTS_MAKE_EXIF_H
#define SOFTLAB_TESTS_MAKE_EXIF_H

#include <zlib.h>

#include "dataset/images/codec.h"
#include "support.h"

static inline size_t put_ordered(unsigned char *out, uint64_t value, size_t bytes, int big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * (big_endian ? bytes - 1 - i : i));
    return bytes;
}

/* A TIFF header with a directory of one entry, the orientation; 26 bytes. */
static inline size_t put_tiff(unsigned char *out, unsigned orientation, int big_endian)
{
    static const struct {
        unsigned value;
        size_t bytes;
    } fields[] = {{8, 4}, {1, 2}, {0x0112, 2}, {3, 2}, {1, 4}};
    size_t length = 4;
    memcpy(out, big_endian ? "MM\0*" : "II*\0", 4);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        length += put_ordered(out + length, fields[i].value, fields[i].bytes, big_endian);
    length += put_ordered(out + length, orientation, 2, big_endian);
    memset(out + length, 0, 6); /* the rest of the value, and no further directory */
    return length + 6;
}

static inline void put_jpeg_with_exif(struct sl_buffer *out, const struct sl_image *image,
                                      unsigned orientation, int big_endian)
{
    struct sl_error err;
    unsigned char *jpeg = NULL, segment[64] = "\xff\xe1\0\0Exif\0";
    size_t length = 0, size = 10;
    assert_ok(sl_jpeg_encode(image, 95, &jpeg, &length, &err), err);
    size += put_tiff(segment + 10, orientation, big_endian);
    put_ordered(segment + 2, size - 2, 2, 1);
    sl_buffer_append(out, jpeg, 2);
    sl_buffer_append(out, segment, size);
    sl_buffer_append(out, jpeg + 2, length - 2);
    free(jpeg);
}

/* Behind the pixels, where it may be too. */
static inline void put_png_with_exif(struct sl_buffer *out, const struct sl_image *image,
                                     unsigned orientation)
{
    enum { END_CHUNK = 12 };
    struct sl_error err;
    unsigned char chunk[64] = "\0\0\0\0eXIf";
    assert_ok(sl_image_encode_png(image, out, &err), err);
    const size_t length = put_tiff(chunk + 8, orientation, 1);
    put_ordered(chunk, length, 4, 1);
    put_ordered(chunk + 8 + length, crc32(0, chunk + 4, (uInt)length + 4), 4, 1);
    char end[END_CHUNK];
    memcpy(end, out->data + out->length - END_CHUNK, END_CHUNK);
    out->length -= END_CHUNK;
    sl_buffer_append(out, chunk, length + 12);
    sl_buffer_append(out, end, END_CHUNK);
}

#endif
