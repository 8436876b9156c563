/* Labels of a crowd larger than memory: answers.slb is read in windows, and rows are written as
 * they are made. Every rank opens the file and works on some of its chunks; rank 0 writes.
 *
 * Ranks agree after every step in which one of them alone can fail, so that all end with the same
 * sentence. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/array.h"
#include "softlab/base/fields.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/exchange.h"

enum { WINDOW = 1 << 20 }; /* items of a survey that stay in memory */

struct streamed {
    const struct sl_workplace *workplace;
    const struct sl_labels_job *job;
    const struct sl_aggregator *method;
    struct sl_comm *comm;   /* or NULL */
    struct sl_votes *votes; /* owned */
    struct sl_crowd_options options;
    struct sl_labels_held held;
    struct sl_rows like;         /* the number of rows, their classes and provenance */
    size_t widest;               /* characters of the longest name */
    bool learnable;              /* an item has two answers */
    struct sl_rows_stream *rows; /* owned; on rank 0 */
};

static enum sl_status read_votes(struct streamed *streamed, struct sl_label_notes *notes,
                                 struct sl_error *err)
{
    struct sl_import_notes imported = {0};
    struct sl_answer_reader reader;
    const struct sl_workplace *workplace = streamed->workplace;
    sl_answer_reader_init(&reader, &streamed->job->reading, workplace, &imported);
    reader.options.stream = true;
    enum sl_status status =
        sl_votes_read(streamed->job->paths[0], &reader.options, &streamed->votes, err);
    status = sl_comm_agree(streamed->comm, status, err);
    sl_answer_reader_release(&reader);
    if (status != SL_OK) return status;
    sl_say_imported(workplace, &imported);
    *notes = (struct sl_label_notes){.n_used = streamed->votes->count};
    sl_labels_say_what_became(workplace, notes, streamed->votes->n_items);
    return sl_comm_same(streamed->comm, sl_votes_checksum(streamed->votes), streamed->job->paths[0],
                        err);
}

/* ---- Ranks that were started for different work ---- */

static void add_option(struct sl_hasher *hasher, const struct sl_field_row *row,
                       const struct sl_labels_job *job)
{
    const char *field = (const char *)job + row->offset, *text = NULL;
    sl_hasher_text(hasher, row->name);
    if (row->kind == SL_FIELD_WORDS) {
        const struct sl_word_list *words = (const void *)field;
        for (size_t i = 0; i < words->count; i++)
            sl_hasher_text(hasher, words->values[i]);
    } else if (row->kind < SL_FIELD_WORD) {
        json_t *value = sl_field_json(row, job);
        char *written = json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
        sl_hasher_text(hasher, written);
        free(written);
        json_decref(value);
    } else {
        memcpy(&text, field, sizeof text);
        /* The same file may have another name on another machine. */
        sl_hasher_text(hasher, text && sl_field_is_path(row->kind) ? "given" : text);
    }
}

static enum sl_status compare_hash(struct sl_comm *comm, struct sl_hasher *hasher, const char *what,
                                   struct sl_error *err)
{
    char hash[SL_SHA256_TEXT];
    uint64_t number = 0;
    sl_hasher_finish(hasher, hash);
    for (size_t i = 0; i < 2 * sizeof number; i++)
        number = number << 4 | (uint64_t)(hash[i] <= '9' ? hash[i] - '0' : hash[i] - 'a' + 10);
    return sl_comm_same(comm, number, what, err);
}

static enum sl_status compare_options(struct sl_comm *comm, const struct sl_labels_job *job,
                                      struct sl_error *err)
{
    struct sl_hasher *hasher = sl_hasher_create();
    for (const struct sl_field_row *row = sl_labels_job_options; row->name; row++)
        add_option(hasher, row, job);
    return compare_hash(comm, hasher, "the list of options", err);
}

/* What the files of options hold. */
static enum sl_status compare_held(const struct streamed *streamed, struct sl_error *err)
{
    const struct sl_labels_held *held = &streamed->held;
    const struct sl_votes *votes = streamed->votes;
    const size_t n_cells = (size_t)votes->n_classes * votes->n_classes * votes->n_annotators;
    const struct {
        const void *values;
        size_t bytes;
        const char *what;
    } files[] = {
        {held->gold, votes->n_items * sizeof *held->gold, "the content of the gold file"},
        {held->prior, n_cells * sizeof *held->prior, "the prior"},
        {held->start_counts, n_cells * sizeof *held->start_counts, "the start"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i].values) continue;
        struct sl_hasher *hasher = sl_hasher_create();
        sl_hasher_add(hasher, files[i].values, files[i].bytes);
        SL_TRY(compare_hash(streamed->comm, hasher, files[i].what, err));
    }
    return SL_OK;
}

/* ---- The job ---- */

static struct sl_known_names names_of(const struct sl_votes *votes)
{
    return (struct sl_known_names){votes->items,     votes->annotators, votes->classes,
                                   votes->n_classes, "the answers",     false};
}

/* An item with answers or gold has a row. */
static bool has_row(const struct streamed *streamed, size_t item)
{
    const size_t *begin = streamed->votes->begin;
    const int32_t *gold = streamed->options.gold;
    return begin[item] < begin[item + 1] || (gold && gold[item] >= 0);
}

static const char *name_of(const struct streamed *streamed, size_t item)
{
    return sl_name_table_get(streamed->votes->items, (uint32_t)item, NULL);
}

/* Call `visit` for every item with a row, in order, and keep a window in memory. */
static enum sl_status each_row(struct streamed *streamed,
                               enum sl_status (*visit)(struct streamed *streamed, size_t item,
                                                       struct sl_error *err),
                               struct sl_error *err)
{
    const struct sl_votes *votes = streamed->votes;
    for (size_t i = 0; i < votes->n_items; i++) {
        if (has_row(streamed, i)) SL_TRY(visit(streamed, i, err));
        if ((i + 1) % WINDOW == 0) sl_votes_pass(votes, i + 1 - WINDOW, i + 1);
    }
    sl_votes_pass(votes, votes->n_items / WINDOW * WINDOW, votes->n_items);
    return SL_OK;
}

static enum sl_status survey_item(struct streamed *streamed, size_t item, struct sl_error *err)
{
    const size_t *begin = streamed->votes->begin;
    size_t width = 0;
    SL_TRY(sl_array_text_width(name_of(streamed, item), item, &width, err));
    streamed->widest = width > streamed->widest ? width : streamed->widest;
    streamed->learnable |= begin[item + 1] - begin[item] > 1;
    streamed->like.n_rows++;
    return SL_OK;
}

/* On rank 0: what the head of the output states, and the output itself. */
static enum sl_status open_output(struct streamed *streamed, struct sl_error *err)
{
    const struct sl_labels_job *job = streamed->job;
    char *provenance = NULL;
    if (job->provenance) provenance = sl_string_copy(job->provenance);
    streamed->like = (struct sl_rows){.n_classes = streamed->votes->n_classes,
                                      .classes = streamed->votes->classes,
                                      .provenance = provenance};
    SL_TRY(each_row(streamed, survey_item, err));
    if (!streamed->learnable && streamed->method->needs & SL_CROWD_ANNOTATORS)
        sl_labels_say_unlearnable(streamed->workplace, streamed->method);
    return sl_rows_stream_create(job->output, "labels", &streamed->like, streamed->widest,
                                 &streamed->rows, err);
}

static enum sl_status take_window(void *context, size_t first, size_t count, const float *rows,
                                  struct sl_error *err)
{
    const struct streamed *streamed = context;
    const size_t n_classes = streamed->votes->n_classes;
    for (size_t i = 0; i < count; i++)
        if (has_row(streamed, first + i))
            SL_TRY(sl_rows_stream_add(streamed->rows, name_of(streamed, first + i),
                                      rows + i * n_classes, err));
    sl_votes_pass(streamed->votes, first, first + count);
    return SL_OK;
}

static enum sl_status add_name(struct streamed *streamed, size_t item, struct sl_error *err)
{
    return sl_rows_stream_name(streamed->rows, name_of(streamed, item), err);
}

/* On rank 0: the names, and what the method learned about annotators. */
static enum sl_status close_output(struct streamed *streamed, const struct sl_crowd_state *state,
                                   struct sl_error *err)
{
    const struct sl_votes *votes = streamed->votes;
    const struct sl_known_names names = names_of(votes);
    const struct sl_labels_asked asked = {&names, votes->annotator, votes->count, votes->begin,
                                          votes};
    if (streamed->job->annotators_out)
        SL_TRY(sl_labels_annotators_write(streamed->job->annotators_out, streamed->method, state,
                                          &asked, err));
    if (sl_rows_stream_wants_names(streamed->rows)) {
        SL_TRY(sl_rows_stream_begin_names(streamed->rows, err));
        SL_TRY(each_row(streamed, add_name, err));
    }
    SL_TRY(sl_rows_stream_commit(streamed->rows, err));
    sl_labels_say_iterations(streamed->workplace, streamed->method, state);
    sl_labels_say_unanswered(streamed->workplace, votes->n_items - streamed->like.n_rows);
    return SL_OK;
}

static enum sl_status aggregate(struct streamed *streamed, struct sl_error *err)
{
    struct sl_comm *comm = streamed->comm;
    const bool writes = sl_comm_rank(comm) == 0;
    const struct sl_known_names names = names_of(streamed->votes);
    const struct sl_crowd_stream stream = {.comm = comm, .take = take_window, .context = streamed};
    struct sl_crowd_state state = {0};
    enum sl_status status = sl_labels_held_read(streamed->workplace, streamed->job, &names,
                                                &streamed->held, &streamed->options, err);
    SL_TRY(sl_comm_agree(comm, status, err));
    SL_TRY(compare_held(streamed, err));
    SL_TRY(sl_comm_agree(comm, writes ? open_output(streamed, err) : SL_OK, err));
    streamed->options.stream = &stream;
    status = sl_aggregate(streamed->method, streamed->votes, &streamed->options, &state, err);
    status = sl_comm_agree(comm, status, err);
    streamed->options.stream = NULL;
    if (status == SL_OK)
        status = sl_comm_agree(comm, writes ? close_output(streamed, &state, err) : SL_OK, err);
    sl_crowd_state_release(&state);
    return status;
}

enum sl_status sl_labels_aggregate_streamed(const struct sl_workplace *workplace,
                                            const struct sl_labels_job *job,
                                            const struct sl_aggregator *method,
                                            struct sl_rows **out, struct sl_label_notes *notes,
                                            struct sl_error *err)
{
    struct streamed streamed = {.workplace = workplace,
                                .job = job,
                                .method = method,
                                .comm = workplace->comm,
                                .options = sl_labels_crowd_options(workplace, job)};
    SL_TRY(compare_options(workplace->comm, job, err));
    SL_TRY(
        sl_comm_agree(workplace->comm, sl_labels_check_stream(workplace, job, method, err), err));
    enum sl_status status = read_votes(&streamed, notes, err);
    if (status == SL_OK) status = aggregate(&streamed, err);
    if (status == SL_OK) {
        *out = sl_alloc(1, sizeof **out);
        (*out)->n_rows = streamed.like.n_rows;
    }
    sl_rows_stream_destroy(streamed.rows);
    sl_labels_held_release(&streamed.held);
    free(streamed.like.provenance);
    sl_votes_destroy(streamed.votes);
    return status;
}
