/* cifar10h-raw: every click of CIFAR-10H. Items are identified by their index in CIFAR-10's test
 * set; attention checks, which are not part of it, by their file name, and are marked.
 *
 * A label out of range, or a category whose name does not match its label (another class order),
 * stops the import; an empty choice is an answer without a class, which is skipped and counted. */
#include <math.h>
#include <string.h>

#include "answer/formats/format.h"
#include "softlab/base/memory.h"

struct click_columns {
    size_t annotator, trial, check, truth, chosen, index;
    size_t file, time, true_name, chosen_name; /* may be missing */
};

static enum sl_status find_columns(const struct sl_csv *csv, struct click_columns *out,
                                   struct sl_error *err)
{
    struct click_columns columns;
    SL_TRY(sl_csv_column(csv, "annotator_id", &columns.annotator, err));
    SL_TRY(sl_csv_column(csv, "trial_index", &columns.trial, err));
    SL_TRY(sl_csv_column(csv, "is_attn_check", &columns.check, err));
    SL_TRY(sl_csv_column(csv, "true_label", &columns.truth, err));
    SL_TRY(sl_csv_column(csv, "chosen_label", &columns.chosen, err));
    /* The file and its description spell this column differently. */
    columns.index = sl_optional_column(csv, "cifar10_test_test_idx");
    if (columns.index == SIZE_MAX)
        SL_TRY(sl_csv_column(csv, "cifar10_test_set_idx", &columns.index, err));
    columns.file = sl_optional_column(csv, "image_filename");
    columns.time = sl_optional_column(csv, "reaction_time");
    columns.true_name = sl_optional_column(csv, "true_category");
    columns.chosen_name = sl_optional_column(csv, "chosen_category");
    *out = columns;
    return SL_OK;
}

/* The current file and record. */
struct clicks {
    struct sl_import *import;
    struct sl_csv *csv;
    const char *path;
    struct click_columns columns;
    struct sl_csv_record record;
};

static enum sl_status read_label(const struct clicks *clicks, size_t label, size_t name,
                                 uint32_t *out, struct sl_error *err)
{
    const int64_t most = (int64_t)sl_import_class_count(clicks->import) - 1;
    int64_t index = 0;
    SL_TRY(sl_csv_integer(clicks->csv, &clicks->record, label, 0, most, &index, err));
    struct sl_field text = sl_column_text(&clicks->record, name);
    uint32_t named = (uint32_t)index;
    if (text.length > 0)
        SL_TRY(sl_at_line(sl_import_class(clicks->import, text.text, text.length, &named, err),
                          clicks->path, clicks->record.line, err));
    if (named != (uint32_t)index)
        return sl_csv_fail(clicks->csv, clicks->record.line, err,
                           "label %lld is called \"%.*s\", which is class %u; give the classes in "
                           "the file's order",
                           (long long)index, sl_field_shown(text), text.text, (unsigned)named);
    *out = (uint32_t)index;
    return SL_OK;
}

static bool is_true(struct sl_field text)
{
    static const char *const words[] = {"1", "1.0", "True", "true", "TRUE", NULL};
    for (const char *const *word = words; *word; word++)
        if (text.length == strlen(*word) && memcmp(text.text, *word, text.length) == 0) return true;
    return false;
}

static enum sl_status read_item(const struct clicks *clicks, struct sl_answer *answer,
                                struct sl_error *err)
{
    const struct click_columns *columns = &clicks->columns;
    int64_t index = 0;
    if (is_true(clicks->record.fields[columns->check])) {
        answer->flags |= SL_ANSWER_CHECK;
        answer->item = sl_column_text(&clicks->record, columns->file);
        if (answer->item.length == 0) answer->item = sl_field_of("check");
        return SL_OK;
    }
    SL_TRY(sl_csv_integer(clicks->csv, &clicks->record, columns->index, 0, INT32_MAX, &index, err));
    answer->item = clicks->record.fields[columns->index];
    return SL_OK;
}

static enum sl_status put_click(const struct clicks *clicks, struct sl_error *err)
{
    const struct click_columns *columns = &clicks->columns;
    const struct sl_csv_record *record = &clicks->record;
    struct sl_answer answer = sl_answer_empty();
    struct sl_belief belief = {.probability = NAN};
    uint32_t truth = 0;
    if (record->fields[columns->chosen].length == 0) {
        sl_import_skip(clicks->import, "%s:%zu: the answer names no class", clicks->path,
                       record->line);
        return SL_OK;
    }
    SL_TRY(read_item(clicks, &answer, err));
    SL_TRY(read_label(clicks, columns->chosen, columns->chosen_name, &belief.class_index, err));
    if (record->fields[columns->truth].length > 0) {
        SL_TRY(read_label(clicks, columns->truth, columns->true_name, &truth, err));
        answer.truth = (int32_t)truth;
    }
    if (record->fields[columns->trial].length > 0)
        SL_TRY(
            sl_csv_integer(clicks->csv, record, columns->trial, 0, INT32_MAX, &answer.trial, err));
    if (sl_column_text(record, columns->time).length > 0)
        SL_TRY(sl_csv_real(clicks->csv, record, columns->time, 0, SL_LONGEST_MS, &answer.ms, err));
    answer.annotator = record->fields[columns->annotator];
    answer.kind = SL_ANSWER_HARD;
    answer.n_top = 1;
    answer.top = &belief;
    sl_import_at(clicks->import, clicks->path, record->line);
    return sl_at_line(sl_import_put(clicks->import, &answer, err), clicks->path, record->line, err);
}

static enum sl_status put_file(struct sl_import *import, const char *path, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    const struct sl_csv_options options = sl_csv_options_default();
    struct clicks clicks = {.import = import, .path = path};
    SL_TRY_OUT(sl_csv_open(path, &options, &clicks.csv, err));
    SL_TRY_OUT(find_columns(clicks.csv, &clicks.columns, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(clicks.csv, &clicks.record, err));
        if (clicks.record.count == 0) break;
        SL_TRY_OUT(put_click(&clicks, err));
    }
out:
    sl_csv_close(clicks.csv);
    return status;
}

SL_IMPORTER(sl_import_cifar10h_raw)
{
    enum sl_status status = SL_OK;
    struct sl_import import;
    sl_import_init(&import, options, sink);
    SL_TRY_OUT(sl_import_begin(&import, sl_cifar10_classes, err));
    for (size_t i = 0; i < n_paths; i++)
        SL_TRY_OUT(put_file(&import, paths[i], err));
    status = sl_import_finish(&import, paths[0], err);
out:
    sl_import_release(&import);
    return status;
}
