/* Item-major votes from a file in any order.
 *
 * 1. Threads read blocks of lines (block.h); the blocks are taken in order. Their names get the
 *    numbers that one reader of the whole file would give: by first appearance.
 * 2. Annotators and labels are appended as they come. While every item's answers stand together,
 *    so do its votes, and the end of the file is the end of the work.
 * 3. When an item comes back, the item of each vote is kept too (the stream, 4 bytes a vote), and
 *    at the end of the file the votes are sorted by item (sort.c). A hundred million votes take 1.0
 *    GB before they are sorted and 2.0 GB meanwhile.
 * 4. Where the caller takes parts, votes that have become large are handed over, and the builder
 *    begins anew with the next block. */
#include <stdlib.h>
#include <string.h>

#include "answer/votes/block.h"
#include "answer/votes/sort.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { BATCH = 64 };

struct builder {
    const char *path; /* borrowed */
    const struct sl_vote_format *format;
    const struct sl_import_options *options;
    const struct sl_block_plan *plan;
    void *source;
    struct sl_vote_block *blocks; /* owned; one for each slot */
    struct sl_votes *votes;
    struct sl_name_table *labels;                             /* owned; those of the blocks */
    size_t annotator_capacity, label_capacity, item_capacity; /* of the votes' arrays */
    size_t n_read, n_left_out, n_parts;
    bool scattered;
    uint32_t *stream; /* owned; the item of every vote, in file order */
    size_t stream_capacity;
    struct sl_numbering annotators, classes; /* owned; the numbers of a block's names */
};

/* ---- The numbers of names ---- */

static enum sl_status number_labels(struct builder *builder, const struct sl_vote_block *block,
                                    size_t before, struct sl_error *err)
{
    SL_TRY(sl_numbering_of(&builder->classes, block->labels, builder->labels, err));
    for (size_t i = 0; i < sl_name_table_count(block->labels); i++)
        if (builder->classes.values[i] >= SL_VOTES_CLASSES)
            return sl_fail(err, SL_ERR_INPUT, "%s:%zu: " SL_VOTES_MANY_LABELS, builder->path,
                           before + block->label_lines[i], SL_VOTES_CLASSES);
    return SL_OK;
}

/* ---- Items ---- */

/* An item came back: from here on the item of each vote is kept. */
static enum sl_status scatter(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    SL_TRY(sl_data_reserve(&builder->stream, votes->count, &builder->stream_capacity,
                           sizeof *builder->stream, err));
    for (size_t item = 0; item < votes->n_items; item++) {
        const size_t end = item + 1 < votes->n_items ? votes->begin[item + 1] : votes->count;
        for (size_t i = votes->begin[item]; i < end; i++)
            builder->stream[i] = (uint32_t)item;
    }
    free(votes->begin);
    votes->begin = NULL;
    builder->scattered = true;
    return SL_OK;
}

/* `n_votes` votes about an item come next. */
static enum sl_status take_run(struct builder *builder, uint32_t item, size_t n_votes,
                               struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    if (!builder->scattered && item + 1 < votes->n_items) SL_TRY(scatter(builder, err));
    if (!builder->scattered && item == votes->n_items) {
        SL_TRY(sl_data_reserve(&votes->begin, votes->n_items + 1, &builder->item_capacity,
                               sizeof *votes->begin, err));
        votes->begin[votes->n_items++] = votes->count;
    }
    if (builder->scattered) {
        SL_TRY(sl_data_reserve(&builder->stream, votes->count + n_votes, &builder->stream_capacity,
                               sizeof *builder->stream, err));
        for (size_t i = 0; i < n_votes; i++)
            builder->stream[votes->count + i] = item;
    }
    votes->count += n_votes;
    return SL_OK;
}

static enum sl_status take_items(struct builder *builder, const struct sl_vote_block *block,
                                 struct sl_error *err)
{
    struct sl_field names[BATCH];
    uint32_t items[BATCH];
    const char *text = block->items.data;
    for (size_t begin = 0; begin < block->n_runs; begin += BATCH) {
        const struct sl_vote_run *runs = block->runs + begin;
        const size_t n = block->n_runs - begin < BATCH ? block->n_runs - begin : BATCH;
        for (size_t i = 0; i < n; i++) {
            names[i] = (struct sl_field){text, runs[i].length};
            text += runs[i].length;
        }
        SL_TRY(sl_name_table_add_many(builder->votes->items, names, n, items, err));
        for (size_t i = 0; i < n; i++)
            SL_TRY(take_run(builder, items[i], runs[i].n_votes, err));
    }
    return SL_OK;
}

/* ---- Blocks ---- */

static enum sl_status take_votes(struct builder *builder, const struct sl_vote_block *block,
                                 struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const size_t first = votes->count, count = first + block->count;
    const bool own = sl_name_table_count(block->labels) > 0;
    SL_TRY(sl_data_reserve(&votes->annotator, count, &builder->annotator_capacity,
                           sizeof *votes->annotator, err));
    SL_TRY(
        sl_data_reserve(&votes->label, count, &builder->label_capacity, sizeof *votes->label, err));
    SL_TRY(take_items(builder, block, err));
    for (size_t i = 0; i < block->count; i++) {
        const uint32_t annotator = block->annotator[i], label = block->label[i];
        votes->annotator[first + i] =
            annotator == SL_NO_NAME ? SL_NO_NAME : builder->annotators.values[annotator];
        votes->label[first + i] = (uint16_t)(own ? builder->classes.values[label] : label);
    }
    return SL_OK;
}

static void take_notes(struct builder *builder, const struct sl_vote_block *block, size_t before)
{
    struct sl_import_notes *notes = builder->options->notes;
    builder->n_read += block->n_read;
    builder->n_left_out += block->n_left_out;
    sl_progress_set(builder->options->progress, builder->n_read);
    if (!notes) return;
    notes->n_read += block->n_read;
    notes->n_confident += block->n_confident;
    notes->n_timed += block->n_timed;
    for (size_t i = 0; i < block->n_timed; i++)
        notes->ms_timed += block->ms[i];
    for (size_t i = 0; i < block->n_skipped && i < SL_NOTES_SHOWN; i++)
        sl_notes_skip(notes, builder->path, before + block->skipped[i],
                      "the answer names no class");
    if (block->n_skipped > SL_NOTES_SHOWN) notes->n_skipped += block->n_skipped - SL_NOTES_SHOWN;
}

static enum sl_status begin_blocks(void *context, const struct sl_line_block *first,
                                   struct sl_error *err)
{
    struct builder *builder = context;
    SL_TRY(builder->format->open(builder->path, builder->options, first,
                                 sl_pool_threads(builder->plan->pool), &builder->source, err));
    sl_progress_start(builder->options->progress, "reading answers", 0, "answers");
    return SL_OK;
}

static void parse_block(void *context, struct sl_line_block *block, size_t slot, size_t worker)
{
    const struct builder *builder = context;
    struct sl_vote_block *out = &builder->blocks[slot];
    sl_vote_block_clear(out);
    builder->format->parse(builder->source, block, worker, out);
}

/* ---- The votes of the file, or of a part of it ---- */

/* If shrinking fails, the block stays as it is. */
static void *shrink(void *block, size_t count, size_t size)
{
    void *smaller = sl_data_resize(block, count, size, NULL);
    return smaller ? smaller : block;
}

/* The begins of a grouped file end with the number of votes. */
static enum sl_status close_groups(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    SL_TRY(sl_data_reserve(&votes->begin, votes->n_items + 1, &builder->item_capacity,
                           sizeof *votes->begin, err));
    votes->begin[votes->n_items] = votes->count;
    votes->begin = shrink(votes->begin, votes->n_items + 1, sizeof *votes->begin);
    votes->annotator = shrink(votes->annotator, votes->count, sizeof *votes->annotator);
    votes->label = shrink(votes->label, votes->count, sizeof *votes->label);
    return SL_OK;
}

static enum sl_status finish(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const struct sl_import_options *options = builder->options;
    votes->n_items = sl_name_table_count(votes->items);
    votes->n_annotators = sl_name_table_count(votes->annotators);
    sl_name_table_compact(votes->items);
    sl_name_table_compact(votes->annotators);
    SL_TRY(builder->scattered ? sl_votes_sort_own(votes, builder->stream, builder->plan->pool, err)
                              : close_groups(builder, err));
    const bool sorted = builder->format->classes != NULL;
    const struct sl_vote_labels labels = {
        .names = sorted ? builder->format->classes(builder->source) : builder->labels,
        .sorted = sorted};
    SL_TRY(sl_votes_set_classes(votes, &labels, options->classes, builder->path, err));
    return sl_votes_note_duplicates(votes, builder->path, options->notes, err);
}

/* What the arrays of the votes and their names take. */
static size_t bytes_of(const struct builder *builder)
{
    enum { NAME_BYTES = 16 }; /* beside its text */
    const struct sl_votes *votes = builder->votes;
    const struct sl_name_pool items = sl_name_table_pool(votes->items);
    return builder->annotator_capacity * sizeof *votes->annotator +
           builder->label_capacity * sizeof *votes->label +
           builder->item_capacity * sizeof *votes->begin +
           builder->stream_capacity * sizeof *builder->stream + items.length +
           items.count * NAME_BYTES;
}

static void begin_votes(struct builder *builder)
{
    builder->votes = sl_votes_create();
    builder->annotator_capacity = builder->label_capacity = builder->item_capacity = 0;
    free(builder->stream);
    builder->stream = NULL;
    builder->stream_capacity = 0;
    builder->scattered = false;
    sl_name_table_clear(builder->labels);
}

static enum sl_status hand_over(struct builder *builder, struct sl_error *err)
{
    const struct sl_vote_parts *parts = builder->options->parts;
    SL_TRY(finish(builder, err));
    struct sl_votes *votes = builder->votes;
    begin_votes(builder);
    builder->n_parts++;
    return parts->take(parts->context, votes, err);
}

static enum sl_status take_block(void *context, const struct sl_line_block *block, size_t slot,
                                 struct sl_error *err)
{
    struct builder *builder = context;
    const struct sl_vote_block *votes = &builder->blocks[slot];
    take_notes(builder, votes, block->before);
    SL_TRY(number_labels(builder, votes, block->before, err));
    SL_TRY(
        sl_numbering_of(&builder->annotators, votes->annotators, builder->votes->annotators, err));
    SL_TRY(take_votes(builder, votes, err));
    if (block->failed && err) *err = votes->failure;
    const struct sl_vote_parts *parts = builder->options->parts;
    if (!block->failed && parts && bytes_of(builder) > parts->bytes) return hand_over(builder, err);
    return votes->failure.code;
}

/* ---- The whole file ---- */

static enum sl_status end_file(struct builder *builder, struct sl_error *err)
{
    const struct sl_import_options *options = builder->options;
    const struct sl_votes *votes = builder->votes;
    SL_TRY(finish(builder, err));
    sl_progress_finish(options->progress);
    if (votes->count == 0 && builder->n_parts == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: no answers", builder->path);
    if (builder->n_left_out > 0 && options->notes)
        sl_log(options->notes->log, SL_LOG_INFO, "%s: left out %zu %s", builder->path,
               builder->n_left_out,
               sl_text_plural(builder->n_left_out,
                              "answer that is a check, a repeat or a second run",
                              "answers that are checks, repeats or second runs"));
    return SL_OK;
}

static enum sl_status build(struct builder *builder, struct sl_error *err)
{
    const struct sl_vote_records records = builder->format->records(builder->path);
    const struct sl_block_work work = {.quoting = records.quoting,
                                       .limit = records.limit,
                                       .begin = begin_blocks,
                                       .parse = parse_block,
                                       .take = take_block,
                                       .context = builder};
    SL_TRY(sl_blocks_run(builder->path, builder->plan, &work, err));
    return end_file(builder, err);
}

enum sl_status sl_votes_build(const char *path, const struct sl_vote_format *format,
                              const struct sl_import_options *options,
                              const struct sl_block_plan *plan, struct sl_votes **out,
                              struct sl_error *err)
{
    struct builder builder = {.path = path,
                              .format = format,
                              .options = options,
                              .plan = plan,
                              .labels = sl_name_table_create()};
    const size_t n_slots = sl_block_slots(plan);
    begin_votes(&builder);
    builder.blocks = sl_alloc(n_slots, sizeof *builder.blocks);
    for (size_t i = 0; i < n_slots; i++)
        sl_vote_block_init(&builder.blocks[i]);
    const enum sl_status status = build(&builder, err);
    if (status == SL_OK) {
        *out = builder.votes;
        builder.votes = NULL;
    }
    if (builder.source) format->close(builder.source);
    for (size_t i = 0; i < n_slots; i++)
        sl_vote_block_release(&builder.blocks[i]);
    free(builder.blocks);
    sl_votes_destroy(builder.votes);
    sl_name_table_destroy(builder.labels);
    free(builder.stream);
    free(builder.annotators.values);
    free(builder.classes.values);
    return status;
}
