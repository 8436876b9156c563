/* Private to answer/blocks/: the bytes of a file, by all threads where it can be read at any
 * place, otherwise (gzip, a pipe) as they come. */
#ifndef SOFTLAB_ANSWER_BLOCKS_FILE_H
#define SOFTLAB_ANSWER_BLOCKS_FILE_H

#include <stdint.h>

#include "answer/blocks/blocks.h"
#include "base/file/stream.h"

/* A piece of a window. */
struct sl_piece {
    size_t length;   /* less than was asked for at the end of the file */
    size_t n_quotes; /* counted if the plan asks for it */
    struct sl_error failure;
};

struct sl_block_file {
    const char *path; /* borrowed */
    int descriptor;   /* -1 where there is a stream */
    struct sl_stream *stream;
    bool anywhere; /* can be read at any offset */
    uint64_t offset;
    bool ended;
    struct sl_error failure; /* why it ended, if that was not its end */
};

enum sl_status sl_block_file_open(struct sl_block_file *file, const char *path,
                                  struct sl_error *err) SL_MUST_USE;
void sl_block_file_close(struct sl_block_file *file);

/* Read the next `count` pieces of `size` bytes to `bytes`, one after another. At the end of the
 * file, and where reading fails, later pieces are empty and file->ended is set. */
struct sl_piece_reading {
    char *bytes;
    size_t size, count;
    bool quotes; /* count them */
    struct sl_piece *pieces;
};
void sl_block_file_read(struct sl_block_file *file, struct sl_pool *pool,
                        const struct sl_piece_reading *reading);

#endif
