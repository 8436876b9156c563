/* toloka and mturk: the tables of assignments that the two platforms export, a line per answer.
 *
 * A column of answers begins with OUTPUT: or Answer., a column of what was shown with INPUT: or
 * Input. The item is what was shown, if that is one column, otherwise the task's id. If there are
 * several columns of answers, --columns label=NAME chooses one; item, worker and truth may be named
 * too. Rejected, skipped and expired assignments are skipped and counted, as are empty answers. An
 * unknown status and an empty item or worker stop the import. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/formats/exports.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MS_PER_SECOND = 1000, LISTED = 240 };

/* How a platform calls its columns. */
struct platform {
    const char *name;
    const char *shown, *answer;    /* beginnings of columns */
    const char *truth;             /* beginning of the columns of known answers; NULL: none */
    const char *task, *worker;     /* columns */
    const char *status, *seconds;  /* optional columns; seconds may be NULL */
    const char *kept[4], *left[5]; /* values of status; NULL-ended */
};

static const struct platform toloka = {
    .name = "toloka",
    .shown = "INPUT:",
    .answer = "OUTPUT:",
    .truth = "GOLDEN:",
    .task = "ASSIGNMENT:task_id",
    .worker = "ASSIGNMENT:worker_id",
    .status = "ASSIGNMENT:status",
    .kept = {"APPROVED", "ACCEPTED", "SUBMITTED"},
    .left = {"REJECTED", "SKIPPED", "EXPIRED", "ACTIVE"},
};
static const struct platform mturk = {
    .name = "mturk",
    .shown = "Input.",
    .answer = "Answer.",
    .task = "HITId",
    .worker = "WorkerId",
    .status = "AssignmentStatus",
    .seconds = "WorkTimeInSeconds",
    .kept = {"Submitted", "Approved"},
    .left = {"Rejected"},
};

struct platform_columns {
    size_t item, worker, label;
    size_t truth, status, seconds; /* SIZE_MAX: none */
};

struct platform_settings {
    const struct platform *platform;
    struct sl_field named[SL_LONG_ROLES]; /* by --columns */
};

static bool begins(const char *name, const char *beginning)
{
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

/* ---- Columns ---- */

/* The columns that begin like this: how many, the last of them, and a list for errors. */
static size_t count_columns(const struct sl_csv *csv, const char *beginning, size_t *last,
                            char list[LISTED])
{
    size_t count = 0;
    list[0] = '\0';
    for (size_t i = 0; i < sl_csv_column_count(csv); i++) {
        const char *name = sl_csv_column_name(csv, i);
        const size_t used = strlen(list);
        if (!begins(name, beginning)) continue;
        snprintf(list + used, LISTED - used, "%s%.60s", count ? ", " : "", name);
        *last = i;
        count++;
    }
    return count;
}

static enum sl_status find_named(const struct sl_csv *csv, struct sl_field name, size_t *out,
                                 struct sl_error *err)
{
    char *text = sl_string_copy_n(name.text, name.length);
    const enum sl_status status = sl_csv_column(csv, text, out, err);
    free(text);
    return status;
}

static enum sl_status find_label(const struct sl_csv *csv, const struct platform *platform,
                                 size_t *out, struct sl_error *err)
{
    char list[LISTED];
    const size_t count = count_columns(csv, platform->answer, out, list);
    if (count == 1) return SL_OK;
    if (count == 0)
        return sl_csv_fail(csv, 1, err,
                           "no column of answers begins with %s; is this a table of %s?",
                           platform->answer, platform->name);
    return sl_csv_fail(csv, 1, err,
                       "%zu columns of answers: %s; choose one with --columns label=NAME", count,
                       list);
}

static enum sl_status find_item(const struct sl_csv *csv, const struct platform *platform,
                                size_t *out, struct sl_error *err)
{
    char list[LISTED];
    const size_t count = count_columns(csv, platform->shown, out, list);
    if (count == 1) return SL_OK;
    *out = sl_optional_column(csv, platform->task);
    if (*out != SIZE_MAX) return SL_OK;
    return sl_csv_fail(
        csv, 1, err,
        "the item is unclear: no column %s, and %zu columns begin with %s%s%s; choose "
        "one with --columns item=NAME",
        platform->task, count, platform->shown, count ? ": " : "", list);
}

/* The column with the known answer to the question that is read. */
static size_t find_truth(const struct sl_csv *csv, const struct platform *platform, size_t label)
{
    const char *name = sl_csv_column_name(csv, label);
    if (!platform->truth || !begins(name, platform->answer)) return SIZE_MAX;
    const char *field = name + strlen(platform->answer);
    for (size_t i = 0; i < sl_csv_column_count(csv); i++) {
        const char *other = sl_csv_column_name(csv, i);
        if (begins(other, platform->truth) && strcmp(other + strlen(platform->truth), field) == 0)
            return i;
    }
    return SIZE_MAX;
}

static enum sl_status find_columns(const struct sl_csv *csv,
                                   const struct platform_settings *settings,
                                   struct platform_columns *out, struct sl_error *err)
{
    const struct platform *platform = settings->platform;
    const struct sl_field *named = settings->named;
    SL_TRY(named[SL_LONG_LABEL].length ? find_named(csv, named[SL_LONG_LABEL], &out->label, err)
                                       : find_label(csv, platform, &out->label, err));
    SL_TRY(named[SL_LONG_ITEM].length ? find_named(csv, named[SL_LONG_ITEM], &out->item, err)
                                      : find_item(csv, platform, &out->item, err));
    SL_TRY(named[SL_LONG_WORKER].length ? find_named(csv, named[SL_LONG_WORKER], &out->worker, err)
                                        : sl_csv_column(csv, platform->worker, &out->worker, err));
    out->truth = find_truth(csv, platform, out->label);
    if (named[SL_LONG_TRUTH].length)
        SL_TRY(find_named(csv, named[SL_LONG_TRUTH], &out->truth, err));
    out->status = sl_optional_column(csv, platform->status);
    out->seconds = platform->seconds ? sl_optional_column(csv, platform->seconds) : SIZE_MAX;
    return SL_OK;
}

/* ---- Lines ---- */

static bool is_one_of(struct sl_field word, const char *const *list)
{
    for (; *list; list++)
        if (word.length == strlen(*list) && memcmp(word.text, *list, word.length) == 0) return true;
    return false;
}

static enum sl_status check_status(const struct platform *platform, struct sl_field word,
                                   bool *keep, struct sl_error *err)
{
    *keep = word.length == 0 || is_one_of(word, platform->kept);
    if (*keep || is_one_of(word, platform->left)) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s \"%.*s\" is not a status of an assignment",
                   platform->status, sl_field_shown(word), word.text);
}

static enum sl_status read_seconds(struct sl_field text, char out[SL_NUMBER_TEXT],
                                   struct sl_field *ms, struct sl_error *err)
{
    double seconds = 0;
    if (text.length == 0) return SL_OK;
    if (!sl_text_to_real(text.text, text.length, &seconds) ||
        !(seconds >= 0 && seconds <= SL_LONGEST_MS / MS_PER_SECOND))
        return sl_fail(err, SL_ERR_INPUT, "the time \"%.*s\" is not a number of seconds",
                       sl_field_shown(text), text.text);
    *ms = (struct sl_field){out, sl_text_from_double(seconds * MS_PER_SECOND, out)};
    return SL_OK;
}

static enum sl_status put_assignment(const struct platform *platform,
                                     const struct platform_columns *columns,
                                     const struct sl_csv_record *record, const char *path,
                                     struct sl_hard_pass *pass, struct sl_error *err)
{
    struct sl_import *import = sl_hard_pass_import(pass);
    const struct sl_field status = sl_column_text(record, columns->status);
    struct sl_hard_row row = {.item = sl_csv_plain(sl_column_text(record, columns->item)),
                              .annotator = sl_csv_plain(sl_column_text(record, columns->worker)),
                              .label = sl_csv_class(sl_column_text(record, columns->label)),
                              .truth = sl_csv_class(sl_column_text(record, columns->truth))};
    char number[SL_NUMBER_TEXT];
    bool keep = false;
    SL_TRY(check_status(platform, status, &keep, err));
    if (row.item.length == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no item");
    if (!keep || row.label.length == 0) {
        sl_import_skip(import,
                       keep ? "%s:%zu: the answer names no class%.*s"
                            : "%s:%zu: the assignment is %.*s",
                       path, record->line, keep ? 0 : (int)status.length, status.text);
        return SL_OK;
    }
    if (row.annotator.length == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no worker");
    SL_TRY(read_seconds(sl_column_text(record, columns->seconds), number, &row.ms, err));
    sl_import_at(import, path, record->line);
    return sl_hard_row_put(pass, &row, err);
}

static enum sl_status read_assignments(const char *path, const void *raw, struct sl_hard_pass *pass,
                                       struct sl_error *err)
{
    const struct platform_settings *settings = raw;
    struct sl_csv_options options = sl_csv_options_default();
    struct platform_columns columns;
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    enum sl_status status = SL_OK;
    if (sl_path_has_suffix(path, ".tsv") || sl_path_has_suffix(path, ".tsv.gz")) {
        options.delimiter = '\t';
        options.inner_quotes = true;
    }
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(find_columns(csv, settings, &columns, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(
            sl_at_line(put_assignment(settings->platform, &columns, &record, path, pass, err), path,
                       record.line, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

static enum sl_status import_from(const struct platform *platform, const char *const *paths,
                                  size_t n_paths, const struct sl_import_options *options,
                                  const struct sl_answer_sink *sink, struct sl_error *err)
{
    const unsigned roles =
        1u << SL_LONG_ITEM | 1u << SL_LONG_WORKER | 1u << SL_LONG_LABEL | 1u << SL_LONG_TRUTH;
    struct platform_settings settings = {.platform = platform};
    SL_TRY(sl_columns_pairs(options ? options->columns : NULL, roles, settings.named, err));
    const struct sl_hard_reader reader = {read_assignments, &settings};
    return sl_import_hard(&reader, paths, n_paths, options, sink, err);
}

SL_IMPORTER(sl_import_toloka)
{
    return import_from(&toloka, paths, n_paths, options, sink, err);
}

SL_IMPORTER(sl_import_mturk)
{
    return import_from(&mturk, paths, n_paths, options, sink, err);
}
