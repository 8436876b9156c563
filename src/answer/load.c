/* Answers from any file that holds them. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer/answer_internal.h"
#include "answer/filter.h"
#include "answer/formats/format.h"
#include "answer/formats/table_columns.h"
#include "answer/jsonl/jsonl.h"
#include "answer/votes/votes.h"
#include "base/file/stream.h"
#include "softlab/base/memory.h"

/* Enough to see past a byte order mark and some white space. */
enum { BEGINNING = 64 };

static enum sl_status read_beginning(const char *path, char *out, size_t *length,
                                     struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    SL_TRY(sl_file_stream_open(path, &stream, err));
    const enum sl_status status = sl_stream_read(stream, out, BEGINNING, length, err);
    sl_file_stream_close(stream);
    return status;
}

/* Text: an export of a tool, answers.jsonl or a table. */
static enum sl_status look_at_text(const char *path, char first, enum sl_answer_file *out,
                                   struct sl_error *err)
{
    struct sl_format_guess guess;
    SL_TRY(sl_answer_format_guess(path, &guess, err));
    if (guess.format && !guess.missing)
        *out = SL_FILE_EXPORT;
    else if (guess.format && (first == '[' || first == '{'))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s:1: this looks like %s, but its first object has no \"%s\"", path,
                       guess.format->name, guess.missing);
    else if (first == '[')
        return sl_fail(err, SL_ERR_INPUT,
                       "%s:1: a JSON list whose objects are of no known format; softlab import "
                       "--list shows the formats",
                       path);
    else if (first == '{' || sl_path_has_suffix(path, ".jsonl") ||
             sl_path_has_suffix(path, ".jsonl.gz"))
        *out = SL_FILE_JSONL;
    else
        *out = SL_FILE_TABLE;
    return SL_OK;
}

enum sl_status sl_answer_file_look(const char *path, enum sl_answer_file *out, struct sl_error *err)
{
    char beginning[BEGINNING];
    size_t length = 0, first = 0;
    struct stat info;
    /* Bytes read from a pipe here could not be read again. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (S_ISDIR(info.st_mode))
            return sl_fail(err, SL_ERR_INPUT, "%s is a folder, not a file", path);
        *out = SL_FILE_PIPE;
        return SL_OK;
    }
    SL_TRY(read_beginning(path, beginning, &length, err));
    while (first < length && strchr(" \t\r\n", beginning[first]) && beginning[first])
        first++;
    if (length >= sizeof sl_slb_magic && memcmp(beginning, sl_slb_magic, sizeof sl_slb_magic) == 0)
        *out = SL_FILE_SLB;
    else
        return look_at_text(path, first < length ? beginning[first] : '\0', out, err);
    return SL_OK;
}

enum sl_status sl_answer_file_check(const char *path, enum sl_answer_file file,
                                    const struct sl_import_options *options, struct sl_error *err)
{
    if (file == SL_FILE_TABLE || file == SL_FILE_EXPORT || !options->columns) return SL_OK;
    return sl_fail(
        err, SL_ERR_USAGE,
        "%s: the file is answers.jsonl or .slb, which have no columns; leave out --columns", path);
}

static enum sl_status begin_set(void *context, const char *const *classes, size_t n_classes,
                                struct sl_error *err)
{
    return sl_answers_create(classes, n_classes, context, err);
}

static enum sl_status put_in_set(void *context, const struct sl_answer *answer,
                                 struct sl_error *err)
{
    struct sl_answers **answers = context;
    return sl_answers_add(*answers, answer, err);
}

static enum sl_status create_part(void *context, void **out, struct sl_error *err)
{
    const struct sl_answers *answers = *(struct sl_answers **)context;
    struct sl_answers *part = NULL;
    SL_TRY(
        sl_answers_create((const char *const *)answers->classes, answers->n_classes, &part, err));
    *out = part;
    return SL_OK;
}

static enum sl_status put_in_part(void *context, const struct sl_answer *answer,
                                  struct sl_error *err)
{
    return sl_answers_add(context, answer, err);
}

static enum sl_status take_part(void *context, const void *from, struct sl_error *err)
{
    struct sl_answers *answers = *(struct sl_answers **)context;
    struct sl_numbering numbers = {0};
    const enum sl_status status = sl_answers_append(answers, from, &numbers, err);
    free(numbers.values);
    return status;
}

static void clear_part(void *context)
{
    sl_answers_clear(context);
}

static void destroy_part(void *context)
{
    sl_answers_destroy(context);
}

struct sl_answer_sink sl_answers_sink(struct sl_answers **out)
{
    static const struct sl_answer_parts parts = {create_part, put_in_part, take_part, clear_part,
                                                 destroy_part};
    return (struct sl_answer_sink){
        .begin = begin_set, .put = put_in_set, .context = out, .parts = &parts};
}

static enum sl_status add_votes(const struct sl_votes *votes, struct sl_answers *answers,
                                struct sl_error *err)
{
    struct sl_answer answer = sl_answer_empty();
    struct sl_belief belief = {.probability = NAN};
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = &belief;
    for (size_t item = 0; item < votes->n_items; item++) {
        answer.item.text = sl_name_table_get(votes->items, (uint32_t)item, &answer.item.length);
        for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
            answer.annotator = sl_field_of("");
            if (votes->annotator[i] != SL_NO_NAME)
                answer.annotator.text = sl_name_table_get(votes->annotators, votes->annotator[i],
                                                          &answer.annotator.length);
            belief.class_index = votes->label[i];
            SL_TRY(sl_answers_add(answers, &answer, err));
        }
    }
    return SL_OK;
}

static enum sl_status load_slb(const char *path, const struct sl_import_options *options,
                               struct sl_answers **out, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    SL_TRY(sl_votes_read(path, options, &votes, err));
    enum sl_status status =
        sl_answers_create((const char *const *)votes->classes, votes->n_classes, out, err);
    if (status == SL_OK) status = add_votes(votes, *out, err);
    sl_votes_destroy(votes);
    return status;
}

static enum sl_status load_jsonl(const char *path, const struct sl_import_options *options,
                                 const struct sl_block_plan *plan, struct sl_answers **out,
                                 struct sl_error *err)
{
    SL_TRY(sl_jsonl_read_set(path, plan, out, options->notes, err));
    if (!sl_class_filter_is_asked(options)) return SL_OK;
    const enum sl_status status = sl_answers_filter(out, options, err);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s", path);
}

static enum sl_status load_table(const char *path, const struct sl_import_options *options,
                                 const struct sl_block_plan *plan, struct sl_answers **out,
                                 struct sl_error *err)
{
    static enum sl_status (*const importers[])(const char *const *, size_t,
                                               const struct sl_import_options *,
                                               const struct sl_answer_sink *, struct sl_error *) = {
        [SL_TABLE_PROBS_LONG] = sl_import_probs_long,
        [SL_TABLE_PROBS_WIDE] = sl_import_probs_wide,
    };
    struct sl_long_columns columns;
    SL_TRY(sl_answer_format_hint(
        sl_long_columns_look(path, options->columns, SL_TABLE_ANY, &columns, err), path, NULL,
        err));
    const struct sl_answer_sink sink = sl_answers_sink(out);
    if (columns.kind == SL_TABLE_VOTES)
        SL_TRY(sl_import_long_csv_blocks(&path, 1, options, plan, &sink, err));
    else
        SL_TRY(importers[columns.kind](&path, 1, options, &sink, err));
    return options->notes ? sl_answers_note_duplicates(*out, path, options->notes, err) : SL_OK;
}

static enum sl_status load_export(const char *path, const struct sl_import_options *options,
                                  struct sl_answers **out, struct sl_error *err)
{
    struct sl_format_guess guess;
    const struct sl_answer_sink sink = sl_answers_sink(out);
    SL_TRY(sl_answer_format_guess(path, &guess, err));
    assert(guess.format);
    SL_TRY(guess.format->import(&path, 1, options, &sink, err));
    return options->notes ? sl_answers_note_duplicates(*out, path, options->notes, err) : SL_OK;
}

enum sl_status sl_answers_load_blocks(const char *path, const struct sl_import_options *options,
                                      const struct sl_block_plan *plan, struct sl_answers **out,
                                      struct sl_error *err)
{
    static const struct sl_import_options none;
    struct sl_answers *answers = NULL;
    enum sl_answer_file file;
    if (!options) options = &none;
    SL_TRY(sl_answer_file_look(path, &file, err));
    SL_TRY(sl_answer_file_check(path, file, options, err));
    enum sl_status status = file == SL_FILE_SLB      ? load_slb(path, options, &answers, err)
                            : file == SL_FILE_EXPORT ? load_export(path, options, &answers, err)
                            : file == SL_FILE_TABLE
                                ? load_table(path, options, plan, &answers, err)
                                : load_jsonl(path, options, plan, &answers, err);
    if (status == SL_OK)
        *out = answers;
    else
        sl_answers_destroy(answers);
    return status;
}

enum sl_status sl_answers_load(const char *path, const struct sl_import_options *options,
                               struct sl_answers **out, struct sl_error *err)
{
    const struct sl_block_plan plan = sl_block_plan_default(options ? options->pool : NULL);
    return sl_answers_load_blocks(path, options, &plan, out, err);
}
