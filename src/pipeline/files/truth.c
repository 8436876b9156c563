/* Reads the true class of each item from a table, lines of text, rows of labels or a data set. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/files/columns.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/files.h"

/* The true classes read so far. */
struct truths {
    const struct sl_workplace *workplace;
    const char *path;
    const struct sl_known_names *names;
    struct sl_strangers *strangers; /* may be NULL */
    int32_t *classes;               /* owned; per item; SL_NO_LABEL: not given yet */
    size_t *lines;                  /* owned; per item, the line that gives its class */
    enum sl_row_matching matching;  /* for lines and rows without names */
};

enum sl_status sl_csv_find_column(const struct sl_csv *csv, const char *const *names,
                                  const char *usual, size_t *out, struct sl_error *err)
{
    for (; *names; names++)
        if (sl_csv_column(csv, *names, out, NULL) == SL_OK) return SL_OK;
    return sl_csv_column(csv, usual, out, err);
}

static const char *const truth_names[] = {"label", "gold", "class", "truth", NULL};

/* Whether a CSV has a column of true classes, rather than a column per class. */
static bool has_truth_column(const char *path)
{
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    size_t column;
    bool found = sl_csv_open(path, &options, &csv, NULL) == SL_OK &&
                 sl_csv_find_column(csv, truth_names, "truth", &column, NULL) == SL_OK;
    sl_csv_close(csv);
    return found;
}

static void note_stranger(struct sl_strangers *strangers, const char *name, size_t length)
{
    if (strangers && strangers->count++ == 0)
        snprintf(strangers->first, sizeof strangers->first, "%.*s",
                 (int)(length < 60 ? length : 60), name);
}

/* A file may repeat an item's class, but not contradict it. */
static enum sl_status say_truth(struct truths *truths, uint32_t item, int32_t class_index,
                                size_t line, struct sl_error *err)
{
    const int32_t before = truths->classes[item];
    if (before != SL_NO_LABEL && before != class_index)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s:%zu: item %.60s is %.60s on line %zu and %.60s here; keep one of them",
                       truths->path, line, sl_name_table_get(truths->names->items, item, NULL),
                       truths->names->classes[before], truths->lines[item],
                       truths->names->classes[class_index]);
    truths->classes[item] = class_index;
    truths->lines[item] = line;
    return SL_OK;
}

static enum sl_status read_class(const struct truths *truths, const struct sl_field *name,
                                 size_t line, int32_t *out, struct sl_error *err)
{
    const struct sl_known_names *names = truths->names;
    const size_t found = sl_class_find(names->classes, names->n_classes, name->text, name->length);
    char known[200];
    if (found == SIZE_MAX)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: there is no class \"%.*s\" among %s",
                       truths->path, line, (int)(name->length < 60 ? name->length : 60), name->text,
                       sl_classes_text(names->classes, names->n_classes, known, sizeof known));
    *out = (int32_t)found;
    return SL_OK;
}

/* Read a CSV with the name or number of each item's class. */
static enum sl_status read_table(struct truths *truths, struct sl_error *err)
{
    static const char *const item_names[] = {"task", "question", "item", NULL};
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv *csv = NULL;
    SL_TRY(sl_csv_open(truths->path, &options, &csv, err));
    size_t item_column = 0, truth_column = 0;
    struct sl_csv_record record;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_find_column(csv, item_names, "item", &item_column, err));
    SL_TRY_OUT(sl_csv_find_column(csv, truth_names, "truth", &truth_column, err));
    for (;;) {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_field item = sl_csv_plain(record.fields[item_column]);
        const struct sl_field name = sl_csv_class(record.fields[truth_column]);
        int32_t class_index = SL_NO_LABEL;
        SL_TRY_OUT(read_class(truths, &name, record.line, &class_index, err));
        uint32_t index = sl_name_table_find(truths->names->items, item.text, item.length);
        if (index == SL_NO_NAME)
            note_stranger(truths->strangers, item.text, item.length);
        else
            SL_TRY_OUT(say_truth(truths, index, class_index, record.line, err));
    }
out:
    sl_csv_close(csv);
    return status;
}

enum sl_status sl_match_rows(const char *path, const char *what, size_t n_rows,
                             const struct sl_name_table *items, enum sl_row_matching *out,
                             struct sl_error *err)
{
    *out = sl_name_table_match_rows(items, n_rows);
    if (*out != SL_ROWS_UNCLEAR) return SL_OK;
    const size_t n_items = sl_name_table_count(items);
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: %zu %s%s without names for %zu item%s; give one for each item in their "
                   "order, or a file that names its items",
                   path, n_rows, what, sl_text_plural(n_rows, "", "s"), n_items,
                   sl_text_plural(n_items, "", "s"));
}

uint32_t sl_row_place(const struct sl_name_table *items, enum sl_row_matching matching, size_t row)
{
    char number[32];
    if (matching == SL_ROWS_BY_ORDER) return (uint32_t)row;
    const int length = snprintf(number, sizeof number, "%zu", row);
    return sl_name_table_find(items, number, (size_t)length);
}

/* Store the class on line or row number `row` of a file without item names. */
static enum sl_status say_row(struct truths *truths, size_t row, int32_t class_index,
                              struct sl_error *err)
{
    char number[32];
    const uint32_t item = sl_row_place(truths->names->items, truths->matching, row);
    if (item != SL_NO_NAME) return say_truth(truths, item, class_index, row + 1, err);
    const int length = snprintf(number, sizeof number, "%zu", row);
    note_stranger(truths->strangers, number, (size_t)length);
    return SL_OK;
}

/* The line at *at; moves *at past its end. */
static struct sl_field next_line(const char **at)
{
    const struct sl_field line = {*at, strcspn(*at, "\r\n")};
    *at += line.length;
    *at += **at == '\r';
    *at += **at == '\n';
    return line;
}

/* Read a text file with a class on each line. */
static enum sl_status read_lines(struct truths *truths, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 30);
    SL_TRY(sl_file_read(truths->path, &text, err));
    enum sl_status status = SL_OK;
    const char *at = text.length ? text.data : "", *end = at + text.length;
    size_t n_lines = 0;
    for (; at < end; n_lines++)
        next_line(&at);
    SL_TRY_OUT(
        sl_match_rows(truths->path, "line", n_lines, truths->names->items, &truths->matching, err));
    at = text.data;
    for (size_t row = 0; row < n_lines; row++) {
        const struct sl_field name = sl_csv_class(next_line(&at));
        int32_t class_index = SL_NO_LABEL;
        SL_TRY_OUT(read_class(truths, &name, row + 1, &class_index, err));
        SL_TRY_OUT(say_row(truths, row, class_index, err));
    }
out:
    sl_buffer_release(&text);
    return status;
}

/* Take the most probable class of each row. */
static enum sl_status take_rows(struct truths *truths, const struct sl_rows *rows,
                                const size_t *order, struct sl_error *err)
{
    const struct sl_name_table *items = truths->names->items;
    if (!rows->items)
        SL_TRY(sl_match_rows(truths->path, "row", rows->n_rows, items, &truths->matching, err));
    for (size_t row = 0; row < rows->n_rows; row++) {
        const float *values = rows->values + row * rows->n_classes;
        const int32_t largest = (int32_t)sl_first_choice(values, rows->n_classes, order);
        if (!rows->items) {
            SL_TRY(say_row(truths, row, largest, err));
            continue;
        }
        const char *name = rows->items[row];
        const uint32_t item = sl_name_table_find(items, name, strlen(name));
        if (item == SL_NO_NAME)
            note_stranger(truths->strangers, name, strlen(name));
        else if (truths->classes[item] != SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: rows %zu and %zu are both of item %.60s; keep one of them",
                           truths->path, truths->lines[item] - 1, row, name);
        else
            SL_TRY(say_truth(truths, item, largest, row + 1, err));
    }
    return SL_OK;
}

static enum sl_status read_labels(struct truths *truths, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read_like(truths->workplace, truths->path, "labels", truths->names, &rows, err));
    size_t *order = sl_alloc(rows->n_classes, sizeof *order);
    sl_classes_order(truths->names->classes, rows->n_classes, order);
    enum sl_status status = take_rows(truths, rows, order, err);
    free(order);
    sl_rows_destroy(rows);
    return status;
}

/* ---- Data sets ---- */

/* Whether the text is a data set such as "cifar10:test" and not the name of a file. */
static bool names_dataset(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (const struct sl_named_dataset *set = sl_named_datasets; set->name; set++)
        if (strlen(set->name) == length && strncmp(set->name, text, length) == 0)
            return !sl_file_exists(text);
    return false;
}

static enum sl_status take_dataset(struct truths *truths, const struct sl_dataset *set,
                                   const size_t *columns, struct sl_error *err)
{
    for (size_t i = 0; i < set->count; i++) {
        const char *name = set->items[i];
        const uint32_t item = sl_name_table_find(truths->names->items, name, strlen(name));
        if (item == SL_NO_NAME)
            note_stranger(truths->strangers, name, strlen(name));
        else if (set->labels[i] != SL_NO_LABEL)
            SL_TRY(say_truth(truths, item, (int32_t)columns[set->labels[i]], i + 1, err));
    }
    return SL_OK;
}

static enum sl_status read_dataset(struct truths *truths, struct sl_error *err)
{
    const struct sl_known_names *names = truths->names;
    const struct sl_class_list like = {names->owner, names->numbered ? NULL : names->classes,
                                       names->n_classes};
    struct sl_dataset *set = NULL;
    SL_TRY(sl_dataset_open(truths->path, &truths->workplace->roots, &set, err));
    const struct sl_class_list own = {set->name, set->classes, set->n_classes};
    size_t *columns = sl_alloc(set->n_classes + 1, sizeof *columns);
    enum sl_status status = SL_OK;
    if (like.names)
        SL_TRY_OUT(sl_classes_match(&own, &like, columns, NULL, err));
    else
        SL_TRY_OUT(sl_classes_pair(&own, &like, columns, err));
    SL_TRY_OUT(take_dataset(truths, set, columns, err));
out:
    free(columns);
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status read_truths(struct truths *truths, struct sl_error *err)
{
    const char *path = truths->path;
    if (names_dataset(path)) return read_dataset(truths, err);
    const bool table = sl_path_has_suffix(path, ".csv") || sl_path_has_suffix(path, ".csv.gz");
    if (table && has_truth_column(path)) return read_table(truths, err);
    if (sl_path_has_suffix(path, ".txt")) return read_lines(truths, err);
    return read_labels(truths, err);
}

enum sl_status sl_truth_read(const struct sl_workplace *workplace, const char *path,
                             const struct sl_known_names *names, struct sl_strangers *strangers,
                             int32_t **out, struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(names->items);
    struct truths truths = {
        .workplace = workplace, .path = path, .names = names, .strangers = strangers};
    enum sl_status status = SL_OK;
    size_t n_known = 0;
    truths.classes = sl_data_alloc(n_items, sizeof *truths.classes, err);
    truths.lines = sl_data_alloc(n_items, sizeof *truths.lines, err);
    if (!truths.classes || !truths.lines) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < n_items; i++)
        truths.classes[i] = SL_NO_LABEL;
    SL_TRY_OUT(read_truths(&truths, err));
    for (size_t i = 0; i < n_items; i++)
        n_known += truths.classes[i] != SL_NO_LABEL;
    if (n_known == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: has a class for none of the items; check that it names them alike",
                           path));
    *out = truths.classes;
    truths.classes = NULL;
out:
    free(truths.classes);
    free(truths.lines);
    return status;
}

enum sl_status sl_truth_read_and_tell(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_known_names *names, int32_t **out,
                                      struct sl_error *err)
{
    SL_TRY(sl_truth_read(workplace, path, names, NULL, out, err));
    const size_t n_items = sl_name_table_count(names->items);
    size_t n_known = 0;
    for (size_t i = 0; i < n_items; i++)
        n_known += (*out)[i] != SL_NO_LABEL;
    if (n_known < n_items)
        sl_log(workplace->log, SL_LOG_INFO, "%s has a class for %zu of %zu item%s",
               sl_workplace_shown(workplace, path), n_known, n_items,
               sl_text_plural(n_items, "", "s"));
    return SL_OK;
}
