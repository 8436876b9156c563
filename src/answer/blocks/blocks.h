/* Private to answer/: a text file in blocks of whole records, parsed by all threads and taken in
 * the order of the file.
 *
 * The file passes through two windows. While the calling thread takes the blocks of one, the others
 * parse those of the next. A window is cut into pieces of a fixed size; a block begins behind the
 * first line break of a piece that ends a record. What is made of a block depends on its bytes
 * alone and blocks are taken in order, so neither the number of threads nor the size of blocks
 * changes a result.
 *
 * The number of a block's first line is known only when the blocks before it were parsed. Parsers
 * count lines from the block's beginning; a block with an error is parsed a second time, with the
 * right number, for the message. */
#ifndef SOFTLAB_ANSWER_BLOCKS_BLOCKS_H
#define SOFTLAB_ANSWER_BLOCKS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/error.h"
#include "softlab/pool.h"

struct sl_line_block {
    const char *bytes; /* whole records; followed by '\n' and 64 readable bytes if the file ends
                          without a line break */
    size_t length;
    size_t before; /* lines of the file before it; 0 if they are not known yet */
    bool first;    /* of the file */
    /* Filled by the parser: */
    size_t n_lines; /* line breaks in it, if it did not fail */
    bool failed;
};

/* How a format treats blocks. A slot numbers what is made of a block; it is reused when the block
 * was taken. */
struct sl_block_work {
    bool quoting; /* a line break within double quotes ends no record */
    size_t limit; /* bytes of the longest record that the parser accepts */
    /* Look at the first block before any is parsed; it is empty if the file is. */
    enum sl_status (*begin)(void *context, const struct sl_line_block *first, struct sl_error *err);
    /* On any thread; must not call sl_alloc. A block of more than `limit` bytes may end within a
     * record, which is longer than that. */
    void (*parse)(void *context, struct sl_line_block *block, size_t slot, size_t worker);
    /* On the calling thread, in order; fails if the block did. */
    enum sl_status (*take)(void *context, const struct sl_line_block *block, size_t slot,
                           struct sl_error *err);
    void *context;
};

struct sl_block_plan {
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
    size_t size;          /* of a piece in bytes */
    size_t per_window;    /* pieces */
};
struct sl_block_plan sl_block_plan_default(struct sl_pool *pool);
size_t sl_block_slots(const struct sl_block_plan *plan);

/* How many of the bytes are this one. */
size_t sl_count_bytes(const char *bytes, size_t length, char byte);

/* Slots are below sl_block_slots, workers below sl_pool_threads. */
enum sl_status sl_blocks_run(const char *path, const struct sl_block_plan *plan,
                             const struct sl_block_work *work, struct sl_error *err) SL_MUST_USE;

#endif
