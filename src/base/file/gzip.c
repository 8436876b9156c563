#include "base/file/gzip.h"

#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"

enum { CHUNK = 1 << 16, GZIP_WINDOW = MAX_WBITS + 16, MEMORY_LEVEL = 8, UNKNOWN_SYSTEM = 255 };

/* Compress the packer's pending input, at the end everything that is left. */
static enum sl_status pack(z_stream *packer, int flush, struct sl_writer *writer,
                           struct sl_error *err)
{
    unsigned char packed[CHUNK];
    do {
        packer->next_out = packed;
        packer->avail_out = CHUNK;
        (void)deflate(packer, flush); /* cannot fail while there is room for output */
        SL_TRY(sl_writer_write(writer, packed, CHUNK - packer->avail_out, err));
    } while (packer->avail_out == 0);
    return SL_OK;
}

static enum sl_status pack_all(z_stream *packer, const void *bytes, size_t length,
                               struct sl_writer *writer, struct sl_error *err)
{
    const unsigned char *at = bytes;
    while (length > 0) {
        const size_t part = length < UINT_MAX ? length : UINT_MAX;
        packer->next_in = at;
        packer->avail_in = (uInt)part;
        SL_TRY(pack(packer, Z_NO_FLUSH, writer, err));
        at += part;
        length -= part;
    }
    return pack(packer, Z_FINISH, writer, err);
}

enum sl_status sl_gzip_write(const char *path, const char *name, const void *bytes, size_t length,
                             struct sl_error *err)
{
    char *stored = sl_string_copy(name);
    gz_header header = {.os = UNKNOWN_SYSTEM, .name = (Bytef *)stored};
    struct sl_writer writer = {0};
    z_stream packer = {0};
    enum sl_status status = SL_OK;
    if (deflateInit2(&packer, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        status = sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory to compress", path);
        goto out;
    }
    (void)deflateSetHeader(&packer, &header);
    SL_TRY_OUT(sl_writer_open(&writer, path, err));
    SL_TRY_OUT(pack_all(&packer, bytes, length, &writer, err));
    SL_TRY_OUT(sl_writer_commit(&writer, err));
out:
    sl_writer_discard(&writer);
    deflateEnd(&packer);
    free(stored);
    return status;
}
