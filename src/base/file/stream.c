#include "base/file/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* Deflate cannot make more than 1032 bytes out of one (zlib's technical notes). */
enum { INPUT_BYTES = 256 * 1024, SKIP_BYTES = 64 * 1024, MOST_EXPANSION = 1032 };
enum { FIRST_TAKEN = 1 << 20 };

enum sl_status sl_stream_read(struct sl_stream *stream, void *out, size_t length, size_t *got,
                              struct sl_error *err)
{
    size_t arrived = 0;
    SL_TRY(stream->read(stream, out, length, &arrived, err));
    stream->offset += arrived;
    *got = arrived;
    return SL_OK;
}

static enum sl_status fail_short(const struct sl_stream *stream, uint64_t missing,
                                 struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s: ends at byte %llu, expected %llu more", stream->name,
                   (unsigned long long)stream->offset, (unsigned long long)missing);
}

enum sl_status sl_stream_need(struct sl_stream *stream, void *out, size_t length,
                              struct sl_error *err)
{
    size_t got = 0;
    SL_TRY(sl_stream_read(stream, out, length, &got, err));
    return got == length ? SL_OK : fail_short(stream, length - got, err);
}

enum sl_status sl_stream_take(struct sl_stream *stream, uint8_t **bytes, size_t have, size_t length,
                              struct sl_error *err)
{
    size_t room = have > FIRST_TAKEN ? have : FIRST_TAKEN;
    while (have < length) {
        room = room < length / 2 ? 2 * room : length;
        uint8_t *grown = realloc(*bytes, room);
        if (!grown)
            return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory for %zu bytes", stream->name,
                           length);
        *bytes = grown;
        SL_TRY(sl_stream_need(stream, *bytes + have, room - have, err));
        have = room;
    }
    return SL_OK;
}

enum sl_status sl_stream_skip(struct sl_stream *stream, uint64_t length, struct sl_error *err)
{
    if (length == 0) return SL_OK;
    if (stream->skip && stream->offset <= stream->at_most &&
        length <= stream->at_most - stream->offset) {
        SL_TRY(stream->skip(stream, length, err));
        stream->offset += length;
        return SL_OK;
    }
    char *scratch = sl_alloc(SKIP_BYTES, 1);
    enum sl_status status = SL_OK;
    while (status == SL_OK && length > 0) {
        size_t got = 0, wanted = length < SKIP_BYTES ? (size_t)length : SKIP_BYTES;
        status = sl_stream_read(stream, scratch, wanted, &got, err);
        length -= got;
        if (status == SL_OK && got < wanted) status = fail_short(stream, length, err);
    }
    free(scratch);
    return status;
}

enum sl_status sl_stream_end(struct sl_stream *stream, struct sl_error *err)
{
    char byte;
    size_t got = 0;
    uint64_t expected = stream->offset;
    SL_TRY(sl_stream_read(stream, &byte, 1, &got, err));
    if (got == 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: expected to end at byte %llu, found more", stream->name,
                   (unsigned long long)expected);
}

static enum sl_status read_memory(struct sl_stream *stream, void *out, size_t length, size_t *got,
                                  struct sl_error *err)
{
    (void)err;
    struct sl_memory_stream *memory = (struct sl_memory_stream *)stream;
    size_t left = memory->length - (size_t)stream->offset;
    *got = length < left ? length : left;
    if (*got) memcpy(out, memory->bytes + stream->offset, *got);
    return SL_OK;
}

void sl_memory_stream_init(struct sl_memory_stream *memory, const void *bytes, size_t length,
                           const char *name)
{
    *memory = (struct sl_memory_stream){
        .stream = {.name = name, .at_most = length, .read = read_memory},
        .bytes = bytes,
        .length = length,
    };
}

struct file_stream {
    struct sl_stream stream;
    char *path; /* owned */
    int descriptor;
    bool inflating;
    bool ended;        /* nothing more will come out */
    z_stream inflater; /* next_in and avail_in serve plain files too */
    uint64_t in_file;  /* bytes taken from the file */
    unsigned char input[INPUT_BYTES];
};

/* Read on into the empty input buffer; avail_in stays 0 at the end of the file. */
static enum sl_status fill_input(struct file_stream *file, struct sl_error *err)
{
    ssize_t got;
    do
        got = read(file->descriptor, file->input, sizeof file->input);
    while (got < 0 && errno == EINTR);
    if (got < 0) return sl_fail_errno(err, "%s", file->path);
    file->inflater.next_in = file->input;
    file->inflater.avail_in = (uInt)got;
    file->in_file += (uint64_t)got;
    return SL_OK;
}

static enum sl_status read_plain(struct sl_stream *stream, void *out, size_t length, size_t *got,
                                 struct sl_error *err)
{
    struct file_stream *file = (struct file_stream *)stream;
    size_t done = 0;
    while (done < length) {
        if (file->inflater.avail_in == 0) SL_TRY(fill_input(file, err));
        size_t part = file->inflater.avail_in;
        if (part == 0) break;
        if (part > length - done) part = length - done;
        memcpy((char *)out + done, file->inflater.next_in, part);
        file->inflater.next_in += part;
        file->inflater.avail_in -= (uInt)part;
        done += part;
    }
    *got = done;
    return SL_OK;
}

/* Bytes beyond the input buffer are skipped without reading: an archive may have gigabytes. */
static enum sl_status skip_plain(struct sl_stream *stream, uint64_t length, struct sl_error *err)
{
    struct file_stream *file = (struct file_stream *)stream;
    uint64_t buffered = file->inflater.avail_in < length ? file->inflater.avail_in : length;
    file->inflater.next_in += buffered;
    file->inflater.avail_in -= (uInt)buffered;
    if (length > buffered && lseek(file->descriptor, (off_t)(length - buffered), SEEK_CUR) < 0)
        return sl_fail_errno(err, "%s", file->path);
    return SL_OK;
}

/* A gzip file is one or more members, perhaps followed by zeros from a tape's last block. */
static enum sl_status end_member(struct file_stream *file, struct sl_error *err)
{
    if (file->inflater.avail_in == 0) SL_TRY(fill_input(file, err));
    if (file->inflater.avail_in == 0 || *file->inflater.next_in == 0) {
        file->ended = true;
        return SL_OK;
    }
    if (*file->inflater.next_in != 0x1f || inflateReset(&file->inflater) != Z_OK)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: other bytes follow the gzip stream",
                       file->path, (unsigned long long)(file->in_file - file->inflater.avail_in));
    return SL_OK;
}

static enum sl_status read_gzip(struct sl_stream *stream, void *out, size_t length, size_t *got,
                                struct sl_error *err)
{
    struct file_stream *file = (struct file_stream *)stream;
    z_stream *inflater = &file->inflater;
    size_t done = 0;
    while (done < length && !file->ended) {
        if (inflater->avail_in == 0) SL_TRY(fill_input(file, err));
        bool at_end = inflater->avail_in == 0;
        uInt room = length - done < UINT_MAX ? (uInt)(length - done) : UINT_MAX;
        inflater->next_out = (unsigned char *)out + done;
        inflater->avail_out = room;
        int result = inflate(inflater, Z_NO_FLUSH);
        done += room - inflater->avail_out;
        if (result == Z_STREAM_END)
            SL_TRY(end_member(file, err));
        else if (result == Z_MEM_ERROR)
            return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory to unpack", file->path);
        else if (at_end && inflater->avail_out == room)
            return sl_fail(err, SL_ERR_INPUT, "%s: the gzip stream is cut off at byte %llu",
                           file->path, (unsigned long long)file->in_file);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return sl_fail(err, SL_ERR_INPUT, "%s: the gzip stream is broken before byte %llu: %s",
                           file->path, (unsigned long long)(file->in_file - inflater->avail_in),
                           inflater->msg ? inflater->msg : "unknown error");
    }
    *got = done;
    return SL_OK;
}

/* Unpack from here on if the first bytes are gzip's. */
static enum sl_status begin_gzip(struct file_stream *file, struct sl_error *err)
{
    if (file->inflater.avail_in < 2 || file->input[0] != 0x1f || file->input[1] != 0x8b)
        return SL_OK;
    if (inflateInit2(&file->inflater, 16 + MAX_WBITS) != Z_OK)
        return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory to unpack", file->path);
    file->inflating = true;
    file->stream.read = read_gzip;
    file->stream.skip = NULL;
    uint64_t size = file->stream.at_most;
    file->stream.at_most = size < UINT64_MAX / MOST_EXPANSION ? size * MOST_EXPANSION : UINT64_MAX;
    return SL_OK;
}

bool sl_descriptor_is_gzip(int descriptor)
{
    unsigned char magic[2];
    return pread(descriptor, magic, sizeof magic, 0) == (ssize_t)sizeof magic && magic[0] == 0x1f &&
           magic[1] == 0x8b;
}

enum sl_status sl_file_stream_open(const char *path, struct sl_stream **out, struct sl_error *err)
{
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    struct file_stream *file = sl_alloc(1, sizeof *file);
    file->descriptor = descriptor;
    file->path = sl_string_copy(path);
    file->stream = (struct sl_stream){
        .name = file->path, .at_most = size, .read = read_plain, .skip = skip_plain};
    enum sl_status status = fill_input(file, err);
    if (status == SL_OK) status = begin_gzip(file, err);
    if (status != SL_OK) {
        sl_file_stream_close(&file->stream);
        return status;
    }
    *out = &file->stream;
    return SL_OK;
}

void sl_file_stream_close(struct sl_stream *stream)
{
    struct file_stream *file = (struct file_stream *)stream;
    if (!file) return;
    if (file->inflating) inflateEnd(&file->inflater);
    close(file->descriptor);
    free(file->path);
    free(file);
}
