/* Votes from a long CSV. An empty item stops the reading, an empty label is skipped and counted, an
 * empty annotator is unknown. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_internal.h"
#include "answer/formats/table_columns.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct csv_source {
    char *path; /* owned */
    struct sl_csv *csv;
    struct sl_long_columns columns;
    size_t width; /* fields a record must have */
    size_t truth; /* the column of true classes, which count as classes; SIZE_MAX = none */
    struct sl_name_table *labels;
    uint32_t short_labels[256]; /* 1 + the label that is this one byte; 0 = not met */
    bool pending;               /* the first record is an answer and was already read */
    struct sl_csv_record record;
};

static void close_csv(void *source)
{
    struct csv_source *csv = source;
    if (!csv) return;
    sl_csv_close(csv->csv);
    sl_name_table_destroy(csv->labels);
    free(csv->path);
    free(csv);
}

static enum sl_status start(struct csv_source *csv, const struct sl_import_options *options,
                            struct sl_error *err)
{
    SL_TRY(sl_csv_next(csv->csv, &csv->record, err));
    if (csv->record.count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: empty, expected a header line", csv->path);
    SL_TRY(sl_long_columns_find(csv->csv, &csv->record, options->columns, SL_TABLE_VOTES,
                                &csv->columns, err));
    csv->pending = !csv->columns.header;
    for (size_t i = 0; i < SL_LONG_ROLES; i++) {
        const size_t place = csv->columns.place[i];
        if (place != SIZE_MAX && place >= csv->width) csv->width = place + 1;
    }
    csv->truth = csv->columns.place[SL_LONG_TRUTH];
    return SL_OK;
}

static enum sl_status open_csv(const char *path, const struct sl_import_options *options,
                               void **source, struct sl_error *err)
{
    const struct sl_csv_options csv_options = sl_long_csv_options(path);
    struct csv_source *csv = sl_alloc(1, sizeof *csv);
    enum sl_status status = SL_OK;
    csv->path = sl_string_copy(path);
    csv->labels = sl_name_table_create();
    SL_TRY_OUT(sl_csv_open(path, &csv_options, &csv->csv, err));
    SL_TRY_OUT(start(csv, options, err));
    *source = csv;
    csv = NULL;
out:
    close_csv(csv);
    return status;
}

static enum sl_status add_label(struct csv_source *csv, struct sl_field text, uint32_t *out,
                                struct sl_error *err)
{
    uint32_t *known = text.length == 1 ? &csv->short_labels[(unsigned char)text.text[0]] : NULL;
    if (known && *known > 0) {
        *out = *known - 1;
        return SL_OK;
    }
    SL_TRY(sl_name_table_add(csv->labels, text.text, text.length, out, err));
    if (*out >= SL_VOTES_CLASSES)
        return sl_csv_fail(csv->csv, csv->record.line, err,
                           "more than %d classes; is the right column read as labels?",
                           SL_VOTES_CLASSES);
    if (known) *known = *out + 1;
    return SL_OK;
}

/* As in answers.jsonl, a true class that no answer names is a class. The true class on a line
 * without a label is ignored. */
static enum sl_status add_truth(struct csv_source *csv, struct sl_error *err)
{
    const struct sl_field truth = sl_csv_class(csv->record.fields[csv->truth]);
    const struct sl_field label =
        sl_csv_class(csv->record.fields[csv->columns.place[SL_LONG_LABEL]]);
    uint32_t number = 0;
    return truth.length && label.length ? add_label(csv, truth, &number, err) : SL_OK;
}

static enum sl_status next_csv(void *source, struct sl_import_notes *notes, struct sl_vote *out,
                               bool *more, struct sl_error *err)
{
    struct csv_source *csv = source;
    for (;;) {
        if (!csv->pending) SL_TRY(sl_csv_next(csv->csv, &csv->record, err));
        csv->pending = false;
        *more = csv->record.count > 0;
        if (!*more) return SL_OK;
        if (csv->record.count < csv->width)
            return sl_csv_fail(csv->csv, csv->record.line, err, "expected %zu field%s, got %zu",
                               csv->width, sl_text_plural(csv->width, "", "s"), csv->record.count);
        const struct sl_field *fields = csv->record.fields;
        const struct sl_field label = sl_csv_class(fields[csv->columns.place[SL_LONG_LABEL]]);
        out->item = sl_csv_plain(fields[csv->columns.place[SL_LONG_ITEM]]);
        out->annotator = sl_csv_plain(fields[csv->columns.place[SL_LONG_WORKER]]);
        if (out->item.length == 0)
            return sl_csv_fail(csv->csv, csv->record.line, err, "the answer names no item");
        if (notes) notes->n_read++;
        if (csv->truth != SIZE_MAX) SL_TRY(add_truth(csv, err));
        if (label.length > 0) return add_label(csv, label, &out->label, err);
        sl_notes_skip(notes, csv->path, csv->record.line, "the answer names no class");
    }
}

static struct sl_vote_labels csv_labels(const void *source)
{
    const struct csv_source *csv = source;
    return (struct sl_vote_labels){.names = csv->labels};
}

const struct sl_vote_format sl_votes_csv = {open_csv, next_csv, csv_labels, close_csv};
