/* Small files that unpack to much more than they should, and how much memory reading one takes. */
#ifndef SOFTLAB_TESTS_BOMB_H
#define SOFTLAB_TESTS_BOMB_H

#include <sys/resource.h>
#include <sys/wait.h>
#include <zlib.h>

#include "support.h"

/* The unpacked size: too large to be mistaken for anything else, and quick to make. */
enum { BOMB_BYTES = 128 << 20, BOMB_KILOBYTES = BOMB_BYTES >> 10 };

/* `head` and then `zeros` zeros, packed with zlib's `window_bits`; their CRC. */
static inline uint32_t put_packed_zeros(struct sl_buffer *out, int window_bits, const void *head,
                                        size_t length, size_t zeros)
{
    static unsigned char chunk[1 << 20];
    z_stream stream = {0};
    unsigned char first[1024];
    assert_true(length <= sizeof first);
    memcpy(first, head, length);
    uLong crc = crc32(0, first, (uInt)length);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_in = first;
    stream.avail_in = (uInt)length;
    for (bool last = false; !last;) {
        last = zeros == 0;
        do {
            stream.next_out = (Bytef *)sl_buffer_reserve(out, 1 << 16);
            assert_non_null(stream.next_out);
            stream.avail_out = 1 << 16;
            deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
            out->length += (1 << 16) - stream.avail_out;
        } while (stream.avail_out == 0);
        if (last) break;
        const size_t n = zeros < sizeof chunk ? zeros : sizeof chunk;
        stream.next_in = chunk;
        stream.avail_in = (uInt)n;
        crc = crc32(crc, chunk, (uInt)n);
        zeros -= n;
    }
    deflateEnd(&stream);
    return (uint32_t)crc;
}

static inline void put_number(struct sl_buffer *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        sl_buffer_byte(out, (char)(value >> 8 * i));
}

/* The header of an .npy, "'|u1'" and "(3, 2)". */
static inline size_t npy_head(char out[128], const char *dtype, const char *shape)
{
    memset(out, ' ', 128);
    memcpy(out, "\x93NUMPY\1\0\x76\0", 10);
    const int used = snprintf(out + 10, 118, "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
                              dtype, shape);
    out[10 + used] = ' ';
    out[127] = '\n';
    return 128;
}

/* An .npz with one array that states this type and shape, and `zeros` bytes of data of which the
 * directory says that there are `stated`. */
static inline void write_npz_bomb(const char *path, const char *name, const char *dtype,
                                  const char *shape, size_t stated, size_t zeros)
{
    char head[128];
    struct sl_buffer packed, file;
    sl_buffer_init(&packed, 1 << 24);
    sl_buffer_init(&file, 1 << 24);
    const size_t length = npy_head(head, dtype, shape);
    const uint32_t crc = put_packed_zeros(&packed, -MAX_WBITS, head, length, zeros);
    /* A zip's local header, its directory of one record and its end share these fields. */
    struct sl_buffer fields;
    sl_buffer_init(&fields, 1 << 10);
    put_number(&fields, 20, 2);
    put_number(&fields, 0, 2);
    put_number(&fields, 8, 2);
    put_number(&fields, 0, 4);
    put_number(&fields, crc, 4);
    put_number(&fields, packed.length, 4);
    put_number(&fields, length + stated, 4);
    put_number(&fields, strlen(name) + 4, 2);
    put_number(&fields, 0, 2);
    sl_buffer_text(&file, "PK\3\4");
    sl_buffer_append(&file, fields.data, fields.length);
    sl_buffer_printf(&file, "%s.npy", name);
    sl_buffer_append(&file, packed.data, packed.length);
    const size_t directory = file.length;
    sl_buffer_text(&file, "PK\1\2");
    put_number(&file, 20, 2);
    sl_buffer_append(&file, fields.data, fields.length);
    put_number(&file, 0, 8); /* comment, disk, attributes */
    put_number(&file, 0, 6); /* attributes, place */
    sl_buffer_printf(&file, "%s.npy", name);
    const size_t end = file.length;
    sl_buffer_text(&file, "PK\5\6");
    put_number(&file, 0, 4);
    put_number(&file, 1, 2);
    put_number(&file, 1, 2);
    put_number(&file, end - directory, 4);
    put_number(&file, directory, 4);
    put_number(&file, 0, 2);
    test_write(path, file.data, file.length);
    sl_buffer_release(&fields);
    sl_buffer_release(&packed);
    sl_buffer_release(&file);
}

static inline void write_gzip_bomb(const char *path, const void *head, size_t length, size_t zeros)
{
    struct sl_buffer packed;
    sl_buffer_init(&packed, 1 << 24);
    put_packed_zeros(&packed, 16 + MAX_WBITS, head, length, zeros);
    test_write(path, packed.data, packed.length);
    sl_buffer_release(&packed);
}

/* Run `read`, which is to refuse `path` with `part` in its message, in a process of its own; the
 * kilobytes by which that process grew. */
static inline long kilobytes_to_refuse(enum sl_status (*read)(const char *path,
                                                              struct sl_error *err),
                                       const char *path, const char *part)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rusage before, after;
        struct sl_error err = {0};
        getrusage(RUSAGE_SELF, &before);
        const enum sl_status status = read(path, &err);
        getrusage(RUSAGE_SELF, &after);
        if (status == SL_OK || !strstr(err.message, part)) {
            print_error("expected \"%s\", got \"%s\"\n", part, status == SL_OK ? "" : err.message);
            _exit(255);
        }
        /* In steps of 4 MB, as far as an exit code reaches. */
        const long grown = (after.ru_maxrss - before.ru_maxrss) / 4096;
        _exit(grown > 254 ? 254 : (int)grown);
    }
    int state = 0;
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state) && WEXITSTATUS(state) != 255);
    return 4096L * WEXITSTATUS(state);
}

/* Memory that reading may take independent of the file's content. */
enum { BOMB_OVERHEAD = 24 << 10 };
_Static_assert(4 * BOMB_OVERHEAD < BOMB_KILOBYTES, "a bomb that goes off is noticed");

#endif
