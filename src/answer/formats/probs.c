/* Distributions in CSV: probs-long (a line per class of an answer) and probs-wide (a line per
 * answer, a column p_<class> each).
 *
 * A class that a long table does not list for an answer has probability 0. Item and worker tell
 * which lines are one answer; the lines may be anywhere, so answers are held until the end of the
 * file. A class that appears twice or a line without a worker stops the import. A distribution that
 * is off 1 by rounding is scaled and counted; one that is off by more stops the import. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/classes.h"
#include "answer/formats/format.h"
#include "answer/formats/table_columns.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"

static enum sl_status read_probability(struct sl_field text, const char *column, double *out,
                                       struct sl_error *err)
{
    if (sl_text_to_real(text.text, text.length, out) && *out >= 0 && *out <= 1) return SL_OK;
    const bool percent = sl_text_to_real(text.text, text.length, out) && *out > 1 && *out <= 100;
    return sl_fail(err, SL_ERR_INPUT, "%s \"%.*s\" is not a probability from 0 to 1%s", column,
                   sl_field_shown(text), text.text, percent ? "; write 90 % as 0.9" : "");
}

/* Scale a distribution that is off by rounding; SL_ERR_INPUT if it is off by more. */
static enum sl_status settle(struct sl_import *import, float *row, size_t n_classes,
                             struct sl_error *err)
{
    double sum = 0;
    const enum sl_settled settled = sl_distribution_settle(row, n_classes, &sum);
    if (settled == SL_SETTLED_NOT)
        return sl_fail(err, SL_ERR_INPUT,
                       "the probabilities of the answer sum to %.6g; they must sum to 1", sum);
    if (settled == SL_SETTLED_SCALED && import->options && import->options->notes)
        import->options->notes->n_rescaled++;
    return SL_OK;
}

static enum sl_status find_truth(const struct sl_import *import, struct sl_field truth,
                                 int32_t *out, struct sl_error *err)
{
    uint32_t class_index = 0;
    if (truth.length == 0) return SL_OK;
    SL_TRY(sl_import_class(import, truth.text, truth.length, &class_index, err));
    *out = (int32_t)class_index;
    return SL_OK;
}

static enum sl_status open_table(const char *path, const struct sl_import *import,
                                 enum sl_table_kind kind, struct sl_csv **csv,
                                 struct sl_long_columns *columns, struct sl_csv_record *record,
                                 struct sl_error *err)
{
    const struct sl_csv_options options = sl_long_csv_options(path);
    const char *named = import->options ? import->options->columns : NULL;
    SL_TRY(sl_csv_open(path, &options, csv, err));
    SL_TRY(sl_csv_next(*csv, record, err));
    if (record->count == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: empty file, expected a line per answer", path);
    SL_TRY(sl_long_columns_find(*csv, record, named, kind, columns, err));
    if (!import->quiet && import->options)
        sl_long_columns_warn(columns, 0, path, import->options->notes);
    return SL_OK;
}

/* ---- probs-long ---- */

/* An answer whose lines are being gathered. */
struct gathered {
    uint32_t item, worker;
    size_t line, truth_line; /* its first line; the first line that states its true class */
    double ms;
    float confidence;
    int32_t truth;
};

struct gathering {
    struct sl_import import;
    struct sl_name_table *found;                  /* owned; the classes, in a first pass */
    struct sl_name_table *items, *workers, *keys; /* owned; a key is an item and a worker */
    struct gathered *answers;                     /* owned; one for each key */
    float *values;                                /* owned; (keys, classes); NaN = not listed */
    size_t capacity;
    struct sl_buffer key;
};

static void gathering_release(struct gathering *gathering)
{
    sl_name_table_destroy(gathering->found);
    sl_name_table_destroy(gathering->items);
    sl_name_table_destroy(gathering->workers);
    sl_name_table_destroy(gathering->keys);
    free(gathering->answers);
    free(gathering->values);
    sl_buffer_release(&gathering->key);
    sl_import_release(&gathering->import);
}

static enum sl_status collect_class(struct gathering *gathering, struct sl_field name,
                                    struct sl_error *err)
{
    uint32_t index = 0;
    SL_TRY(sl_name_table_add(gathering->found, name.text, name.length, &index, err));
    if (index >= SL_MOST_CLASSES)
        return sl_fail(err, SL_ERR_INPUT,
                       "more than %d classes; is the right column read as labels?",
                       SL_MOST_CLASSES);
    return SL_OK;
}

static enum sl_status make_room(struct gathering *gathering, size_t count, struct sl_error *err)
{
    if (count < gathering->capacity) return SL_OK;
    const size_t capacity = gathering->capacity * 2 + 64;
    const size_t row = sl_import_class_count(&gathering->import) * sizeof(float);
    struct gathered *answers = realloc(gathering->answers, capacity * sizeof *answers);
    if (answers) gathering->answers = answers;
    float *values = capacity < SIZE_MAX / row ? realloc(gathering->values, capacity * row) : NULL;
    if (values) gathering->values = values;
    if (!answers || !values)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu answers", capacity);
    gathering->capacity = capacity;
    return SL_OK;
}

/* The index of this worker's answer to this item, added if it is new. */
static enum sl_status find_answer(struct gathering *gathering, struct sl_field item,
                                  struct sl_field worker, size_t line, uint32_t *out,
                                  struct sl_error *err)
{
    const size_t n_classes = sl_import_class_count(&gathering->import);
    struct gathered answer = {.line = line, .ms = (double)NAN, .confidence = NAN, .truth = -1};
    SL_TRY(sl_name_table_add(gathering->items, item.text, item.length, &answer.item, err));
    SL_TRY(sl_name_table_add(gathering->workers, worker.text, worker.length, &answer.worker, err));
    sl_buffer_clear(&gathering->key);
    sl_buffer_append(&gathering->key, &answer.item, sizeof answer.item);
    sl_buffer_append(&gathering->key, &answer.worker, sizeof answer.worker);
    const size_t before = sl_name_table_count(gathering->keys);
    SL_TRY(make_room(gathering, before, err));
    SL_TRY(
        sl_name_table_add(gathering->keys, gathering->key.data, gathering->key.length, out, err));
    if (*out < before) return SL_OK;
    gathering->answers[*out] = answer;
    for (size_t k = 0; k < n_classes; k++)
        gathering->values[*out * n_classes + k] = NAN;
    return SL_OK;
}

static enum sl_status gather_line(struct gathering *gathering,
                                  const struct sl_long_columns *columns,
                                  const struct sl_csv_record *record, struct sl_error *err)
{
    struct sl_import *import = &gathering->import;
    const struct sl_field item = sl_long_field(columns, record, SL_LONG_ITEM);
    const struct sl_field worker = sl_long_field(columns, record, SL_LONG_WORKER);
    const struct sl_field label = sl_long_field(columns, record, SL_LONG_LABEL);
    const struct sl_field truth = sl_long_field(columns, record, SL_LONG_TRUTH);
    double p = 0;
    uint32_t class_index = 0, at = 0;
    if (item.length == 0) return sl_fail(err, SL_ERR_INPUT, "the probability has no item");
    if (worker.length == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "the probability has no worker; item and worker tell which lines are one "
                       "answer");
    if (label.length == 0) return sl_fail(err, SL_ERR_INPUT, "the probability has no class");
    if (gathering->found) {
        SL_TRY(collect_class(gathering, label, err));
        return truth.length ? collect_class(gathering, truth, err) : SL_OK;
    }
    SL_TRY(read_probability(sl_long_field(columns, record, SL_LONG_P), "p", &p, err));
    SL_TRY(sl_import_class(import, label.text, label.length, &class_index, err));
    SL_TRY(find_answer(gathering, item, worker, record->line, &at, err));
    float *cell = gathering->values + at * sl_import_class_count(import) + class_index;
    if (!isnan(*cell))
        return sl_fail(err, SL_ERR_INPUT,
                       "class \"%.*s\" appears twice in the answer to item %.*s by %.*s",
                       sl_field_shown(label), label.text, sl_field_shown(item), item.text,
                       sl_field_shown(worker), worker.text);
    *cell = (float)p;
    struct sl_answer measured = sl_answer_empty();
    SL_TRY(sl_answer_measures(sl_long_field(columns, record, SL_LONG_MS),
                              sl_long_field(columns, record, SL_LONG_CONFIDENCE), &measured, err));
    struct gathered *answer = &gathering->answers[at];
    if (isnan(answer->ms)) answer->ms = measured.ms;
    if (isnan(answer->confidence)) answer->confidence = measured.mix.confidence;
    int32_t stated = answer->truth;
    SL_TRY(find_truth(import, truth, &stated, err));
    if (answer->truth >= 0 && stated != answer->truth)
        return sl_import_fail_truth(import, item, (uint32_t)answer->truth, answer->truth_line, NULL,
                                    (uint32_t)stated, err);
    if (answer->truth < 0) answer->truth_line = record->line;
    answer->truth = stated;
    return SL_OK;
}

static enum sl_status gather_lines(struct gathering *gathering, const char *path,
                                   struct sl_error *err)
{
    struct sl_long_columns columns;
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        open_table(path, &gathering->import, SL_TABLE_PROBS_LONG, &csv, &columns, &record, err));
    if (columns.header) SL_TRY_OUT(sl_csv_next(csv, &record, err));
    while (record.count > 0) {
        SL_TRY_OUT(
            sl_at_line(gather_line(gathering, &columns, &record, err), path, record.line, err));
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

static enum sl_status put_gathered(struct gathering *gathering, const char *path,
                                   struct sl_error *err)
{
    const size_t n_classes = sl_import_class_count(&gathering->import);
    for (size_t i = 0; i < sl_name_table_count(gathering->keys); i++) {
        const struct gathered *from = &gathering->answers[i];
        float *row = gathering->values + i * n_classes;
        for (size_t k = 0; k < n_classes; k++)
            if (isnan(row[k])) row[k] = 0;
        SL_TRY(sl_at_line(settle(&gathering->import, row, n_classes, err), path, from->line, err));
        struct sl_answer answer = sl_answer_empty();
        answer.kind = SL_ANSWER_DIST;
        answer.item.text = sl_name_table_get(gathering->items, from->item, &answer.item.length);
        answer.annotator.text =
            sl_name_table_get(gathering->workers, from->worker, &answer.annotator.length);
        answer.distribution = row;
        answer.ms = from->ms;
        answer.mix.confidence = from->confidence;
        answer.truth = from->truth;
        sl_import_at(&gathering->import, path, from->truth >= 0 ? from->truth_line : from->line);
        SL_TRY(sl_at_line(sl_import_put(&gathering->import, &answer, err), path, from->line, err));
    }
    return SL_OK;
}

SL_IMPORTER(sl_import_probs_long)
{
    enum sl_status status = SL_OK;
    struct gathering gathering = {0};
    char **classes = NULL;
    sl_buffer_init(&gathering.key, 64);
    sl_import_init(&gathering.import, options, sink);
    SL_TRY_OUT(sl_import_one_path("probs-long", n_paths, err));
    if (!options || !options->classes) {
        gathering.found = sl_name_table_create();
        gathering.import.quiet = true;
        SL_TRY_OUT(gather_lines(&gathering, paths[0], err));
        gathering.import.quiet = false;
        if (sl_name_table_count(gathering.found) == 0)
            SL_TRY_OUT(sl_import_finish(&gathering.import, paths[0], err));
        classes = sl_classes_of(gathering.found, true);
        sl_name_table_destroy(gathering.found);
        gathering.found = NULL;
    }
    gathering.items = sl_name_table_create();
    gathering.workers = sl_name_table_create();
    gathering.keys = sl_name_table_create();
    SL_TRY_OUT(sl_import_begin_found(&gathering.import, paths, 1, classes, err));
    SL_TRY_OUT(gather_lines(&gathering, paths[0], err));
    SL_TRY_OUT(put_gathered(&gathering, paths[0], err));
    SL_TRY_OUT(sl_import_finish(&gathering.import, paths[0], err));
out:
    sl_names_destroy(classes);
    gathering_release(&gathering);
    return status;
}

/* ---- probs-wide ---- */

struct wide {
    struct sl_import import;
    struct sl_long_columns columns;
    size_t *places;    /* owned; the column of each class of the file */
    uint32_t *classes; /* owned; the class each of them is */
    char **names;      /* owned; NULL-ended */
    size_t n_places;
    float *row; /* owned; as many as classes */
};

static bool has_role(const struct sl_long_columns *columns, size_t place)
{
    for (unsigned role = 0; role < SL_LONG_ROLES; role++)
        if (columns->place[role] == place) return true;
    return false;
}

static void find_classes(struct wide *wide, const struct sl_csv_record *header)
{
    wide->places = sl_alloc(header->count, sizeof *wide->places);
    wide->classes = sl_alloc(header->count, sizeof *wide->classes);
    wide->names = sl_alloc(header->count + 1, sizeof *wide->names);
    for (size_t i = 0; i < header->count; i++) {
        struct sl_field name = sl_long_column_class(header->fields[i]);
        if (wide->columns.bare && !has_role(&wide->columns, i))
            name = sl_csv_class(header->fields[i]);
        if (name.length == 0) continue;
        wide->places[wide->n_places] = i;
        wide->names[wide->n_places++] = sl_string_copy_n(name.text, name.length);
    }
}

static enum sl_status begin_wide(struct wide *wide, const char *path,
                                 const struct sl_csv_record *header, struct sl_error *err)
{
    find_classes(wide, header);
    if (wide->n_places == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s:%zu: no probability columns; expected p_<class> for each class", path,
                       header->line);
    SL_TRY(sl_at_line(sl_import_begin(&wide->import, (const char *const *)wide->names, err), path,
                      header->line, err));
    for (size_t i = 0; i < wide->n_places; i++)
        SL_TRY(sl_at_line(sl_import_class(&wide->import, wide->names[i], strlen(wide->names[i]),
                                          &wide->classes[i], err),
                          path, header->line, err));
    wide->row = sl_alloc(sl_import_class_count(&wide->import), sizeof *wide->row);
    return SL_OK;
}

/* *any is false if every cell is empty. */
static enum sl_status read_cells(struct wide *wide, const struct sl_csv_record *record, bool *any,
                                 struct sl_error *err)
{
    *any = false;
    for (size_t i = 0; i < wide->n_places; i++)
        *any = *any || record->fields[wide->places[i]].length > 0;
    if (!*any) return SL_OK;
    memset(wide->row, 0, sl_import_class_count(&wide->import) * sizeof *wide->row);
    for (size_t i = 0; i < wide->n_places; i++) {
        double p = 0;
        SL_TRY(read_probability(record->fields[wide->places[i]], wide->names[i], &p, err));
        wide->row[wide->classes[i]] = (float)p;
    }
    return SL_OK;
}

static enum sl_status put_wide(struct wide *wide, const char *path,
                               const struct sl_csv_record *record, struct sl_error *err)
{
    const struct sl_long_columns *columns = &wide->columns;
    struct sl_answer answer = sl_answer_empty();
    bool any = false;
    answer.kind = SL_ANSWER_DIST;
    answer.item = sl_long_field(columns, record, SL_LONG_ITEM);
    answer.annotator = sl_long_field(columns, record, SL_LONG_WORKER);
    answer.distribution = wide->row;
    if (answer.item.length == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no item");
    SL_TRY(read_cells(wide, record, &any, err));
    if (!any) {
        sl_import_skip(&wide->import, "%s:%zu: the answer has no probabilities", path,
                       record->line);
        return SL_OK;
    }
    SL_TRY(settle(&wide->import, wide->row, sl_import_class_count(&wide->import), err));
    SL_TRY(sl_answer_measures(sl_long_field(columns, record, SL_LONG_MS),
                              sl_long_field(columns, record, SL_LONG_CONFIDENCE), &answer, err));
    SL_TRY(find_truth(&wide->import, sl_long_field(columns, record, SL_LONG_TRUTH), &answer.truth,
                      err));
    sl_import_at(&wide->import, path, record->line);
    return sl_import_put(&wide->import, &answer, err);
}

SL_IMPORTER(sl_import_probs_wide)
{
    enum sl_status status = SL_OK;
    struct wide wide = {0};
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    sl_import_init(&wide.import, options, sink);
    SL_TRY_OUT(sl_import_one_path("probs-wide", n_paths, err));
    SL_TRY_OUT(
        open_table(paths[0], &wide.import, SL_TABLE_PROBS_WIDE, &csv, &wide.columns, &record, err));
    SL_TRY_OUT(begin_wide(&wide, paths[0], &record, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        SL_TRY_OUT(sl_at_line(put_wide(&wide, paths[0], &record, err), paths[0], record.line, err));
    }
    SL_TRY_OUT(sl_import_finish(&wide.import, paths[0], err));
out:
    sl_csv_close(csv);
    free(wide.places);
    free(wide.classes);
    sl_names_destroy(wide.names);
    free(wide.row);
    sl_import_release(&wide.import);
    return status;
}
