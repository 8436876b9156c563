#include "answer/votes/block.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_vote_block_init(struct sl_vote_block *block)
{
    *block = (struct sl_vote_block){.annotators = sl_name_table_create(),
                                    .labels = sl_name_table_create()};
    sl_buffer_init_data(&block->items, SIZE_MAX);
}

void sl_vote_block_release(struct sl_vote_block *block)
{
    free(block->annotator);
    free(block->label);
    free(block->runs);
    sl_buffer_release(&block->items);
    sl_name_table_destroy(block->annotators);
    sl_name_table_destroy(block->labels);
    free(block->label_lines);
    free(block->ms);
}

void sl_vote_block_clear(struct sl_vote_block *block)
{
    block->count = block->n_runs = block->n_timed = 0;
    block->n_read = block->n_confident = block->n_skipped = block->n_left_out = 0;
    sl_buffer_clear(&block->items);
    sl_name_table_clear(block->annotators);
    sl_name_table_clear(block->labels);
    block->failure = (struct sl_error){0};
}

static bool is_last_item(const struct sl_vote_block *block, struct sl_field name)
{
    if (block->n_runs == 0) return false;
    const size_t length = block->runs[block->n_runs - 1].length;
    return length == name.length &&
           memcmp(block->items.data + block->items.length - length, name.text, length) == 0;
}

enum sl_status sl_vote_block_add_item(struct sl_vote_block *block, struct sl_field name,
                                      struct sl_error *err)
{
    if (is_last_item(block, name)) return SL_OK;
    SL_TRY(sl_data_reserve(&block->runs, block->n_runs + 1, &block->run_capacity,
                           sizeof *block->runs, err));
    sl_buffer_append(&block->items, name.text, name.length);
    SL_TRY(sl_buffer_check(&block->items, "the names of some items", err));
    block->runs[block->n_runs++] = (struct sl_vote_run){.length = (uint32_t)name.length};
    return SL_OK;
}

enum sl_status sl_vote_block_add_vote(struct sl_vote_block *block, struct sl_field annotator,
                                      uint32_t label, struct sl_error *err)
{
    uint32_t number = SL_NO_NAME;
    if (block->count == block->capacity) {
        size_t capacity = block->capacity;
        SL_TRY(sl_data_reserve(&block->annotator, block->count + 1, &capacity, sizeof number, err));
        SL_TRY(sl_data_reserve(&block->label, block->count + 1, &block->capacity,
                               sizeof *block->label, err));
    }
    if (annotator.length > 0)
        SL_TRY(
            sl_name_table_add(block->annotators, annotator.text, annotator.length, &number, err));
    block->annotator[block->count] = number;
    block->label[block->count++] = (uint16_t)label;
    block->runs[block->n_runs - 1].n_votes++;
    return SL_OK;
}

enum sl_status sl_vote_block_add_label(struct sl_vote_block *block, struct sl_field name,
                                       size_t line, uint32_t *out, struct sl_error *err)
{
    const size_t before = sl_name_table_count(block->labels);
    SL_TRY(sl_name_table_add(block->labels, name.text, name.length, out, err));
    if (*out < before) return SL_OK;
    SL_TRY(
        sl_data_reserve(&block->label_lines, before + 1, &block->label_capacity, sizeof line, err));
    block->label_lines[before] = line;
    return SL_OK;
}

enum sl_status sl_vote_block_add_time(struct sl_vote_block *block, double ms, struct sl_error *err)
{
    SL_TRY(sl_data_reserve(&block->ms, block->n_timed + 1, &block->ms_capacity, sizeof ms, err));
    block->ms[block->n_timed++] = ms;
    return SL_OK;
}

void sl_vote_block_skip(struct sl_vote_block *block, size_t line)
{
    if (block->n_skipped < SL_NOTES_SHOWN) block->skipped[block->n_skipped] = line;
    block->n_skipped++;
}
