#include <math.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/filter.h"
#include "answer/formats/table_columns.h"
#include "answer/votes/votes.h"
#include "softlab/base/text.h"

static enum sl_status read_slb(const char *path, const struct sl_import_options *options,
                               struct sl_votes **out, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    SL_TRY(sl_slb_read(path, options->stream, &votes, err));
    enum sl_status status = SL_OK;
    if (options->classes) {
        struct sl_name_table *names = sl_name_table_create();
        status = sl_votes_add_classes(votes, names, err);
        const struct sl_vote_labels labels = {.names = names, .sorted = true};
        char **before = votes->classes;
        if (status == SL_OK)
            status = sl_votes_set_classes(votes, &labels, options->classes, path, err);
        if (status == SL_OK) sl_names_destroy(before);
        sl_name_table_destroy(names);
    }
    if (status == SL_OK && options->notes) {
        options->notes->n_read += votes->count;
        status = sl_votes_note_duplicates(votes, path, options->notes, err);
    }
    if (status == SL_OK)
        *out = votes;
    else
        sl_votes_destroy(votes);
    return status;
}

static void warn_of_confidence(const char *path, const struct sl_import_notes *notes)
{
    if (notes && notes->n_confident)
        sl_log(notes->log, SL_LOG_WARNING,
               "%s: the confidence of %zu answer%s is not read: votes have none", path,
               notes->n_confident, sl_text_plural(notes->n_confident, "", "s"));
}

void sl_votes_note(const struct sl_answer *answer, struct sl_import_notes *notes)
{
    if (!isnan(answer->mix.confidence)) notes->n_confident++;
    if (answer->flags || isnan(answer->ms)) return;
    notes->n_timed++;
    notes->ms_timed += answer->ms;
}

/* Votes from answers that are distributions, or that lose a class. */
static enum sl_status read_choices(const char *path, const struct sl_import_options *options,
                                   struct sl_votes **out, struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    SL_TRY(sl_answers_load(path, options, &answers, err));
    enum sl_status status = sl_votes_from_answers(answers, 0, out, err);
    for (size_t i = 0; options->notes && i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        sl_votes_note(&answer, options->notes);
    }
    warn_of_confidence(path, options->notes);
    sl_answers_destroy(answers);
    return status;
}

/* *done: classes are already removed. */
static enum sl_status read_table(const char *path, const struct sl_import_options *options,
                                 const struct sl_block_plan *plan, struct sl_votes **out,
                                 bool *done, struct sl_error *err)
{
    struct sl_long_columns columns;
    SL_TRY(sl_answer_format_hint(
        sl_long_columns_look(path, options->columns, SL_TABLE_ANY, &columns, err), path, NULL,
        err));
    *done = columns.kind != SL_TABLE_VOTES;
    if (*done) return read_choices(path, options, out, err);
    /* A vote has neither time nor confidence, and true classes only add to the classes. */
    const unsigned unused = 1u << SL_LONG_MS | 1u << SL_LONG_CONFIDENCE | 1u << SL_LONG_TRUTH;
    sl_long_columns_warn(&columns, options->columns ? 0 : unused, path, options->notes);
    return sl_votes_build(path, &sl_votes_csv, options, plan, out, err);
}

static enum sl_status check_stream(const char *path, enum sl_answer_file file,
                                   const struct sl_import_options *options, struct sl_error *err)
{
    if (file != SL_FILE_SLB)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: only answers.slb can be streamed; make one with softlab import", path);
    if (options->classes || sl_class_filter_is_asked(options))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: classes cannot be changed while answers are streamed; softlab import "
                       "writes answers with other classes",
                       path);
    return SL_OK;
}

enum sl_status sl_votes_read_blocks(const char *path, const struct sl_import_options *options,
                                    const struct sl_block_plan *plan, struct sl_votes **out,
                                    struct sl_error *err)
{
    const struct sl_import_options none = {0};
    enum sl_answer_file file;
    struct sl_votes *votes = NULL;
    if (!options) options = &none;
    const bool filtered = sl_class_filter_is_asked(options);
    struct sl_import_options whole = *options;
    bool done = false;
    whole.parts = NULL;
    if (filtered) options = &whole;
    SL_TRY(sl_answer_file_look(path, &file, err));
    SL_TRY(sl_answer_file_check(path, file, options, err));
    if (options->stream) SL_TRY(check_stream(path, file, options, err));
    if (file == SL_FILE_PIPE)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: votes are read twice, which a pipe does not allow; give a file", path);
    if (file == SL_FILE_JSONL && filtered && options->classes)
        return sl_fail(err, SL_ERR_USAGE,
                       "%s: the file states its classes; leave some out in one step, reorder the "
                       "rest in another",
                       path);
    if (file == SL_FILE_EXPORT || (file == SL_FILE_JSONL && filtered))
        return read_choices(path, options, out, err);
    if (file == SL_FILE_SLB) {
        SL_TRY(read_slb(path, options, &votes, err));
    } else if (file == SL_FILE_JSONL) {
        SL_TRY(sl_votes_build(path, &sl_votes_jsonl, options, plan, &votes, err));
        warn_of_confidence(path, options->notes);
    } else {
        SL_TRY(read_table(path, options, plan, &votes, &done, err));
    }
    if (filtered && !done) {
        const enum sl_status status = sl_votes_filter(&votes, options, err);
        if (status != SL_OK) {
            sl_votes_destroy(votes);
            return sl_fail_within(err, status, "%s", path);
        }
    }
    *out = votes;
    return SL_OK;
}

enum sl_status sl_votes_read(const char *path, const struct sl_import_options *options,
                             struct sl_votes **out, struct sl_error *err)
{
    const struct sl_block_plan plan = sl_block_plan_default(options ? options->pool : NULL);
    return sl_votes_read_blocks(path, options, &plan, out, err);
}
