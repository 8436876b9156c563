#include "answer/blocks/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "softlab/base/file.h"

/* What is read at once from a stream: if it breaks, the bytes before still count. */
enum { CHUNK = 64 * 1024 };

enum sl_status sl_block_file_open(struct sl_block_file *file, const char *path,
                                  struct sl_error *err)
{
    struct stat info;
    *file = (struct sl_block_file){.path = path, .descriptor = -1};
    SL_TRY(sl_file_open(path, &file->descriptor, NULL, err));
    if (sl_descriptor_is_gzip(file->descriptor)) {
        close(file->descriptor);
        file->descriptor = -1;
        return sl_file_stream_open(path, &file->stream, err);
    }
    file->anywhere = fstat(file->descriptor, &info) == 0 && S_ISREG(info.st_mode);
    return SL_OK;
}

void sl_block_file_close(struct sl_block_file *file)
{
    sl_file_stream_close(file->stream);
    if (file->descriptor >= 0) close(file->descriptor);
    *file = (struct sl_block_file){.descriptor = -1};
}

/* Bytes are summed in groups of 255, so that the sums fit bytes and the loop runs on vectors. */
size_t sl_count_bytes(const char *bytes, size_t length, char byte)
{
    enum { LANES = 32, ROUNDS = 255 };
    size_t count = 0;
    while (length >= LANES) {
        uint8_t sums[LANES] = {0};
        size_t rounds = length / LANES < ROUNDS ? length / LANES : ROUNDS;
        length -= rounds * LANES;
        for (; rounds > 0; rounds--, bytes += LANES)
            for (size_t i = 0; i < LANES; i++)
                sums[i] = (uint8_t)(sums[i] + (bytes[i] == byte));
        for (size_t i = 0; i < LANES; i++)
            count += sums[i];
    }
    for (size_t i = 0; i < length; i++)
        count += bytes[i] == byte;
    return count;
}

struct part_context {
    const struct sl_block_file *file;
    const struct sl_piece_reading *reading;
    bool read; /* otherwise the bytes are there */
};

static void read_at(const struct sl_block_file *file, uint64_t offset, char *to, size_t size,
                    struct sl_piece *piece)
{
    while (piece->length < size) {
        const ssize_t got = pread(file->descriptor, to + piece->length, size - piece->length,
                                  (off_t)(offset + piece->length));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) sl_fail_errno(&piece->failure, "%s", file->path);
        if (got <= 0) return;
        piece->length += (size_t)got;
    }
}

static void do_piece(void *context, size_t part, size_t worker)
{
    const struct part_context *job = context;
    const struct sl_piece_reading *reading = job->reading;
    struct sl_piece *piece = &reading->pieces[part];
    char *bytes = reading->bytes + part * reading->size;
    (void)worker;
    if (job->read)
        read_at(job->file, job->file->offset + part * reading->size, bytes, reading->size, piece);
    piece->n_quotes = reading->quotes ? sl_count_bytes(bytes, piece->length, '"') : 0;
}

static enum sl_status read_chunk(struct sl_block_file *file, char *to, size_t length, size_t *got,
                                 struct sl_error *err)
{
    ssize_t result = 0;
    if (file->stream) return sl_stream_read(file->stream, to, length, got, err);
    do
        result = read(file->descriptor, to, length);
    while (result < 0 && errno == EINTR);
    if (result < 0) return sl_fail_errno(err, "%s", file->path);
    *got = (size_t)result;
    return SL_OK;
}

static void read_in_order(struct sl_block_file *file, const struct sl_piece_reading *reading)
{
    const size_t most = reading->size * reading->count;
    size_t length = 0;
    while (length < most && !file->ended) {
        size_t got = 0;
        const size_t wanted = most - length < CHUNK ? most - length : CHUNK;
        if (read_chunk(file, reading->bytes + length, wanted, &got, &file->failure) != SL_OK)
            got = 0;
        file->ended = got == 0;
        length += got;
    }
    for (size_t i = 0; i < reading->count; i++) {
        const size_t left = length - (i * reading->size < length ? i * reading->size : length);
        reading->pieces[i].length = left < reading->size ? left : reading->size;
    }
}

/* Nothing counts behind the first piece that is not full. */
static void find_end(struct sl_block_file *file, const struct sl_piece_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        struct sl_piece *piece = &reading->pieces[i];
        if (file->ended) {
            *piece = (struct sl_piece){0};
        } else if (piece->length < reading->size) {
            file->ended = true;
            file->failure = piece->failure;
        }
    }
    file->offset += reading->size * reading->count;
}

void sl_block_file_read(struct sl_block_file *file, struct sl_pool *pool,
                        const struct sl_piece_reading *reading)
{
    struct part_context context = {file, reading, file->anywhere};
    memset(reading->pieces, 0, reading->count * sizeof *reading->pieces);
    if (!file->anywhere) read_in_order(file, reading);
    if (file->anywhere || reading->quotes) sl_pool_run(pool, reading->count, do_piece, &context);
    if (file->anywhere) find_end(file, reading);
}
