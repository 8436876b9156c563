#include "base/csv/blocks.h"

#include <string.h>

#include "base/csv/reader.h"

/* A block is read in chunks that fit the cache beside what is made of them. */
enum { CHUNK = 64 * 1024 };

static const char byte_order_mark[] = "\xEF\xBB\xBF";

enum sl_status sl_csv_blocks_create(const char *name, const struct sl_csv_options *options,
                                    size_t width, struct sl_csv **out, struct sl_error *err)
{
    const struct sl_csv_source source = {
        .name = name, .descriptor = -1, .scanner = sl_csv_best_scanner(), .chunk = CHUNK};
    SL_TRY(sl_csv_create(&source, options, out, err));
    (*out)->table_width = width;
    return SL_OK;
}

void sl_csv_blocks_begin(struct sl_csv *csv, const struct sl_csv_block *block)
{
    const size_t mark = sizeof byte_order_mark - 1;
    const bool marked =
        block->first && block->length >= mark && memcmp(block->bytes, byte_order_mark, mark) == 0;
    csv->source.bytes = block->bytes + (marked ? mark : 0);
    csv->source.length = block->length - (marked ? mark : 0);
    csv->failure = (struct sl_error){0};
    csv->line = block->line;
    csv->width = block->first ? 0 : csv->table_width;
    csv->at_end = false;
    csv->record = csv->end = csv->mask_base = 0;
    csv->n_blocks = csv->block = 0;
    csv->mask = 0;
}
