#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/jsonl/jsonl.h"
#include "softlab/base/memory.h"

enum { CHUNK = 256 * 1024 };

enum sl_status sl_lines_open(struct sl_lines *lines, const char *path, struct sl_error *err)
{
    int descriptor = -1;
    struct sl_stream *stream = NULL;
    SL_TRY(sl_file_open(path, &descriptor, NULL, err));
    if (sl_descriptor_is_gzip(descriptor)) {
        close(descriptor);
        descriptor = -1;
        SL_TRY(sl_file_stream_open(path, &stream, err));
    }
    *lines = (struct sl_lines){
        .path = path, .descriptor = descriptor, .stream = stream, .capacity = CHUNK};
    lines->window = sl_alloc(lines->capacity + SL_SCAN_PADDING, 1);
    return SL_OK;
}

void sl_lines_close(struct sl_lines *lines)
{
    if (!lines->window) return;
    sl_file_stream_close(lines->stream);
    if (lines->descriptor >= 0) close(lines->descriptor);
    free(lines->window);
    *lines = (struct sl_lines){.descriptor = -1};
}

/* Make room after the current line, which has not ended yet. */
static enum sl_status make_room(struct sl_lines *lines, struct sl_error *err)
{
    const size_t kept = lines->end - lines->begin;
    if (kept > SL_LINE_LIMIT)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: line is longer than %d bytes", lines->path,
                       lines->number + 1, SL_LINE_LIMIT);
    memmove(lines->window, lines->window + lines->begin, kept);
    lines->begin = 0;
    lines->end = kept;
    if (kept < lines->capacity / 2) return SL_OK;
    lines->capacity *= 2;
    lines->window = sl_resize(lines->window, lines->capacity + SL_SCAN_PADDING, 1);
    return SL_OK;
}

static enum sl_status read_bytes(struct sl_lines *lines, size_t *out, struct sl_error *err)
{
    char *to = lines->window + lines->end;
    const size_t room = lines->capacity - lines->end;
    if (lines->stream) return sl_stream_read(lines->stream, to, room, out, err);
    ssize_t got = 0;
    do {
        got = read(lines->descriptor, to, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return sl_fail_errno(err, "%s", lines->path);
    *out = (size_t)got;
    return SL_OK;
}

static enum sl_status read_more(struct sl_lines *lines, struct sl_error *err)
{
    size_t got = 0;
    SL_TRY(make_room(lines, err));
    SL_TRY(read_bytes(lines, &got, err));
    lines->end += got;
    lines->at_end = got == 0;
    memset(lines->window + lines->end, 0, SL_SCAN_PADDING);
    return SL_OK;
}

enum sl_status sl_lines_next(struct sl_lines *lines, struct sl_field *out, struct sl_error *err)
{
    size_t searched = 0; /* bytes of the line that hold no '\n' */
    for (;;) {
        char *begin = lines->window + lines->begin;
        const size_t there = lines->end - lines->begin;
        const char *found =
            there > searched ? memchr(begin + searched, '\n', there - searched) : NULL;
        if (!found && !lines->at_end) {
            searched = there;
            SL_TRY(read_more(lines, err));
            continue;
        }
        if (!found && there == 0) {
            *out = (struct sl_field){NULL, 0};
            return SL_OK;
        }
        if (!found) begin[there] = '\n'; /* the last line has none of its own */
        size_t length = found ? (size_t)(found - begin) : there;
        if (length > SL_LINE_LIMIT)
            return sl_fail(err, SL_ERR_INPUT, "%s:%zu: line is longer than %d bytes", lines->path,
                           lines->number + 1, SL_LINE_LIMIT);
        lines->begin += found ? length + 1 : length;
        lines->number++;
        *out = (struct sl_field){begin, length};
        return SL_OK;
    }
}
