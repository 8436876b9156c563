/* Item-major votes from a file in any order.
 *
 * 1. While every item's answers stand together, votes are appended as they come and the file is
 *    read once.
 * 2. When an item comes back, the order is lost: from there on only the item of each vote is kept
 *    (the stream, 4 bytes a vote), and what was appended is forgotten. At the end of the file the
 *    number of votes of every item is known; the file is read again and each vote goes to its
 *    place, without looking its item up a second time. A hundred million votes on ten million
 *    items take 0.4 GB for the stream and 0.7 GB for the result.
 * 3. Where items or places are far apart in memory, a batch of them is asked for before the
 *    first is used. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { BATCH = 64, LEAST_CAPACITY = 1024, AHEAD = 32, PROGRESS_STEP = 1 << 18 };
enum { TEXT_LIMIT = BATCH * (16 << 20) };

struct builder {
    const char *path; /* borrowed */
    const struct sl_vote_format *format;
    const struct sl_import_options *options;
    void *source;
    struct sl_votes *votes;
    size_t capacity, item_capacity; /* of the votes' arrays */
    size_t n_left_out;
    bool scattered;
    uint32_t *stream; /* owned; the item of every vote, in file order */
    size_t stream_capacity;

    /* Votes of a scattered file that are looked up or placed together. */
    size_t n_pending;
    struct sl_buffer texts;
    size_t lengths[BATCH];
    uint32_t items[BATCH], annotators[BATCH];
    uint32_t labels[BATCH];
};

/* Room for one element more than `count` in an array that its pointer `block` points to. */
static enum sl_status grow(void *block, size_t count, size_t *capacity, size_t size,
                           struct sl_error *err)
{
    if (count < *capacity) return SL_OK;
    size_t more = *capacity + *capacity / 2 + LEAST_CAPACITY;
    void *old = NULL;
    memcpy(&old, block, sizeof old);
    void *grown = more < SIZE_MAX / size ? realloc(old, more * size) : NULL;
    if (!grown) return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu answers", more);
    memcpy(block, &grown, sizeof grown);
    *capacity = more;
    return SL_OK;
}

static enum sl_status add_annotator(struct builder *builder, struct sl_field name, uint32_t *out,
                                    struct sl_error *err)
{
    *out = SL_NO_NAME;
    if (name.length == 0) return SL_OK;
    return sl_name_table_add(builder->votes->annotators, name.text, name.length, out, err);
}

static enum sl_status push_stream(struct builder *builder, uint32_t item, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    SL_TRY(grow(&builder->stream, votes->count, &builder->stream_capacity, sizeof item, err));
    builder->stream[votes->count++] = item;
    return SL_OK;
}

/* An item came back: keep only the item of each vote that was appended. */
static enum sl_status scatter(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const size_t count = votes->count;
    builder->stream_capacity = count + LEAST_CAPACITY;
    builder->stream = malloc(builder->stream_capacity * sizeof *builder->stream);
    if (!builder->stream)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu answers", count);
    size_t item = 0;
    for (size_t i = 0; i < count; i++) {
        while (item + 1 < votes->n_items && votes->begin[item + 1] <= i)
            item++;
        builder->stream[i] = (uint32_t)item;
    }
    free(votes->begin);
    free(votes->annotator);
    free(votes->label);
    votes->begin = NULL;
    votes->annotator = NULL;
    votes->label = NULL;
    builder->scattered = true;
    return SL_OK;
}

static bool is_item(const struct sl_votes *votes, size_t item, struct sl_field text)
{
    size_t length = 0;
    const char *name = sl_name_table_get(votes->items, (uint32_t)item, &length);
    return length == text.length && memcmp(name, text.text, length) == 0;
}

static enum sl_status append(struct builder *builder, const struct sl_vote *vote,
                             struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    if (votes->count == builder->capacity) {
        size_t capacity = builder->capacity;
        SL_TRY(grow(&votes->annotator, votes->count, &capacity, sizeof *votes->annotator, err));
        SL_TRY(grow(&votes->label, votes->count, &builder->capacity, sizeof *votes->label, err));
    }
    SL_TRY(add_annotator(builder, vote->annotator, &votes->annotator[votes->count], err));
    votes->label[votes->count++] = (uint16_t)vote->label;
    return SL_OK;
}

/* Look up the items of the pending votes all at once. */
static enum sl_status flush_items(struct builder *builder, struct sl_error *err)
{
    struct sl_field fields[BATCH];
    const char *text = builder->texts.data;
    const size_t count = builder->n_pending;
    SL_TRY(sl_buffer_check(&builder->texts, "the names of some items", err));
    for (size_t i = 0; i < count; i++) {
        fields[i] = (struct sl_field){text, builder->lengths[i]};
        text += builder->lengths[i];
    }
    SL_TRY(sl_name_table_add_many(builder->votes->items, fields, count, builder->items, err));
    for (size_t i = 0; i < count; i++)
        if (builder->labels[i] != SL_NO_NAME) SL_TRY(push_stream(builder, builder->items[i], err));
    builder->n_pending = 0;
    sl_buffer_clear(&builder->texts);
    return SL_OK;
}

static enum sl_status take_scattered(struct builder *builder, const struct sl_vote *vote,
                                     struct sl_error *err)
{
    const size_t at = builder->n_pending++;
    sl_buffer_append(&builder->texts, vote->item.text, vote->item.length);
    builder->lengths[at] = vote->item.length;
    builder->labels[at] = vote->label;
    return builder->n_pending == BATCH ? flush_items(builder, err) : SL_OK;
}

static enum sl_status take_grouped(struct builder *builder, const struct sl_vote *vote,
                                   struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    if (votes->n_items == 0 || !is_item(votes, votes->n_items - 1, vote->item)) {
        uint32_t item = 0;
        SL_TRY(sl_name_table_add(votes->items, vote->item.text, vote->item.length, &item, err));
        if (item < votes->n_items) {
            SL_TRY(scatter(builder, err));
            return take_scattered(builder, vote, err);
        }
        SL_TRY(grow(&votes->begin, votes->n_items, &builder->item_capacity, sizeof *votes->begin,
                    err));
        votes->begin[votes->n_items++] = votes->count;
    }
    return vote->label == SL_NO_NAME ? SL_OK : append(builder, vote, err);
}

static enum sl_status read_once(struct builder *builder, struct sl_error *err)
{
    struct sl_import_notes *notes = builder->options->notes;
    struct sl_progress *progress = builder->options->progress;
    struct sl_vote vote;
    bool more = false;
    for (uint64_t n_read = 1;; n_read++) {
        SL_TRY(builder->format->next(builder->source, notes, &vote, &more, err));
        if (!more) break;
        builder->n_left_out += vote.label == SL_NO_NAME;
        if (builder->scattered)
            SL_TRY(take_scattered(builder, &vote, err));
        else
            SL_TRY(take_grouped(builder, &vote, err));
        if (progress && n_read % PROGRESS_STEP == 0) sl_progress_set(progress, n_read);
    }
    if (builder->scattered) SL_TRY(flush_items(builder, err));
    builder->votes->n_items = sl_name_table_count(builder->votes->items);
    return SL_OK;
}

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
    SL_TRY(grow(&votes->begin, votes->n_items, &builder->item_capacity, sizeof *votes->begin, err));
    votes->begin[votes->n_items] = votes->count;
    votes->begin = shrink(votes->begin, votes->n_items + 1, sizeof *votes->begin);
    votes->annotator = shrink(votes->annotator, votes->count, sizeof *votes->annotator);
    votes->label = shrink(votes->label, votes->count, sizeof *votes->label);
    return SL_OK;
}

static enum sl_status count_items(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const uint32_t *stream = builder->stream;
    votes->begin = sl_data_alloc(votes->n_items + 1, sizeof *votes->begin, err);
    votes->annotator = sl_data_alloc(votes->count, sizeof *votes->annotator, err);
    votes->label = sl_data_alloc(votes->count, sizeof *votes->label, err);
    if (!votes->begin || !votes->annotator || !votes->label) return SL_ERR_NOMEM;
    memset(votes->begin, 0, (votes->n_items + 1) * sizeof *votes->begin);
    for (size_t i = 0; i < votes->count; i++) {
        if (i + AHEAD < votes->count) __builtin_prefetch(&votes->begin[stream[i + AHEAD] + 1], 1);
        votes->begin[stream[i] + 1]++;
    }
    for (size_t i = 0; i < votes->n_items; i++)
        votes->begin[i + 1] += votes->begin[i];
    return SL_OK;
}

/* Put the pending votes where they belong; begin[i] is the next free place of item i. */
static void flush_votes(struct builder *builder)
{
    struct sl_votes *votes = builder->votes;
    size_t places[BATCH];
    for (size_t i = 0; i < builder->n_pending; i++)
        __builtin_prefetch(&votes->begin[builder->items[i]], 1);
    for (size_t i = 0; i < builder->n_pending; i++) {
        places[i] = votes->begin[builder->items[i]]++;
        __builtin_prefetch(&votes->annotator[places[i]], 1);
        __builtin_prefetch(&votes->label[places[i]], 1);
    }
    for (size_t i = 0; i < builder->n_pending; i++) {
        votes->annotator[places[i]] = builder->annotators[i];
        votes->label[places[i]] = (uint16_t)builder->labels[i];
    }
    builder->n_pending = 0;
}

static enum sl_status place_votes(struct builder *builder, size_t n_labels, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    struct sl_vote vote;
    bool more = false, changed = false;
    size_t count = 0;
    for (;;) {
        SL_TRY(builder->format->next(builder->source, NULL, &vote, &more, err));
        if (!more) break;
        if (vote.label == SL_NO_NAME) continue;
        changed = count == votes->count || vote.label >= n_labels;
        if (changed) break;
        const size_t at = builder->n_pending++;
        builder->items[at] = builder->stream[count++];
        builder->labels[at] = vote.label;
        SL_TRY(add_annotator(builder, vote.annotator, &builder->annotators[at], err));
        if (builder->n_pending == BATCH) flush_votes(builder);
    }
    flush_votes(builder);
    if (changed || count != votes->count)
        return sl_fail(err, SL_ERR_INPUT, "%s: the file changed while it was read", builder->path);
    /* Filling moved every begin to its end, which is the begin of the next: shift back. */
    memmove(votes->begin + 1, votes->begin, votes->n_items * sizeof *votes->begin);
    votes->begin[0] = 0;
    return SL_OK;
}

/* The second reading. Labels get the same numbers, since the order is the same. */
static enum sl_status read_again(struct builder *builder, struct sl_error *err)
{
    const size_t n_labels = sl_name_table_count(builder->format->labels(builder->source).names);
    builder->format->close(builder->source);
    builder->source = NULL;
    sl_name_table_compact(builder->votes->items);
    SL_TRY(count_items(builder, err));
    SL_TRY(builder->format->open(builder->path, builder->options, &builder->source, err));
    SL_TRY(place_votes(builder, n_labels, err));
    free(builder->stream);
    builder->stream = NULL;
    return SL_OK;
}

static enum sl_status build(struct builder *builder, struct sl_error *err)
{
    struct sl_votes *votes = builder->votes;
    const struct sl_import_options *options = builder->options;
    SL_TRY(builder->format->open(builder->path, options, &builder->source, err));
    sl_progress_start(options->progress, "reading answers", 0, "answers");
    SL_TRY(read_once(builder, err));
    SL_TRY(builder->scattered ? read_again(builder, err) : close_groups(builder, err));
    sl_progress_finish(options->progress);
    if (votes->count == 0) return sl_fail(err, SL_ERR_INPUT, "%s: no answers", builder->path);
    votes->n_annotators = sl_name_table_count(votes->annotators);
    sl_name_table_compact(votes->items);
    sl_name_table_compact(votes->annotators);
    if (builder->n_left_out > 0 && options->notes)
        sl_log(options->notes->log, SL_LOG_INFO, "%s: left out %zu %s", builder->path,
               builder->n_left_out,
               sl_text_plural(builder->n_left_out,
                              "answer that is a check, a repeat or a second run",
                              "answers that are checks, repeats or second runs"));
    const struct sl_vote_labels labels = builder->format->labels(builder->source);
    SL_TRY(sl_votes_set_classes(votes, &labels, options->classes, builder->path, err));
    return sl_votes_note_duplicates(votes, builder->path, options->notes, err);
}

enum sl_status sl_votes_build(const char *path, const struct sl_vote_format *format,
                              const struct sl_import_options *options, struct sl_votes **out,
                              struct sl_error *err)
{
    struct builder *builder = sl_alloc(1, sizeof *builder);
    builder->path = path;
    builder->format = format;
    builder->options = options;
    builder->votes = sl_votes_create();
    sl_buffer_init_data(&builder->texts, TEXT_LIMIT);
    enum sl_status status = build(builder, err);
    if (status == SL_OK) {
        *out = builder->votes;
        builder->votes = NULL;
    }
    if (builder->source) format->close(builder->source);
    sl_votes_destroy(builder->votes);
    sl_buffer_release(&builder->texts);
    free(builder->stream);
    free(builder);
    return status;
}
