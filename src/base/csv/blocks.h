/* Reading a table in blocks, each by any thread, as if one reader read all of it.
 *
 * A block is some consecutive records of the table, each whole. The first record of the table is
 * in the first block; whoever cuts the blocks reads it beforehand for its width. */
#ifndef SOFTLAB_BASE_CSV_BLOCKS_H
#define SOFTLAB_BASE_CSV_BLOCKS_H

#include "softlab/base/csv.h"

/* A reader of blocks of the table `name`, whose first record has `width` fields. options->header
 * must be false. */
enum sl_status sl_csv_blocks_create(const char *name, const struct sl_csv_options *options,
                                    size_t width, struct sl_csv **out,
                                    struct sl_error *err) SL_MUST_USE;

struct sl_csv_block {
    const char *bytes; /* borrowed until the next block; not changed */
    size_t length;
    size_t line; /* of its first byte, from 1 */
    bool first;  /* of the table: a byte order mark is skipped */
};
/* Read this block next, with sl_csv_next. Neither calls sl_alloc. The record that marks the end has
 * the line on which the next block begins. */
void sl_csv_blocks_begin(struct sl_csv *csv, const struct sl_csv_block *block);

#endif
