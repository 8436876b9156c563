/* Whether a matrix has names in its first row and in one of its columns.
 *
 * 1. The name of an annotator is not a class. If every cell of the first row also appears below
 * among the answers, the row holds answers; if none does and the classes below repeat, it holds
 * names. Numbered names (0, 1, 2, as pandas writes them) may be classes too, so they decide
 * nothing.
 *
 * 2. The name of an item is in one row only. A column with a different value in every row, most of
 * them nowhere else, holds names; a column whose values all appear in other columns holds answers.
 *
 * 3. In all other cases the user is asked. */
#include <stdlib.h>
#include <string.h>

#include "answer/formats/format.h"
#include "answer/formats/wide.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

#define SEVERAL UINT32_MAX
enum { LEAST_CAPACITY = 256 };

/* A column below the first row. */
struct column {
    struct sl_name_table *values; /* owned; NULL once a value was repeated */
    size_t count;                 /* answers */
    size_t n_own;                 /* distinct values that no other column has */
    size_t repeated_at;           /* line of the first repeated value; 0: none */
    bool numbers;                 /* every value is a number */
};

struct scan {
    const char *path;            /* borrowed */
    size_t width, n_rows;        /* rows below the first */
    char **first;                /* owned; NULL-ended; the first row */
    struct column *columns;      /* owned; width */
    struct sl_name_table *cells; /* owned; every value below the first row */
    uint32_t *only;              /* owned; by value: the one column that has it, or SEVERAL */
    size_t capacity;
};

static void scan_release(struct scan *scan)
{
    for (size_t c = 0; c < scan->width; c++)
        sl_name_table_destroy(scan->columns[c].values);
    free(scan->columns);
    sl_names_destroy(scan->first);
    sl_name_table_destroy(scan->cells);
    free(scan->only);
}

static enum sl_status add_cell(struct scan *scan, size_t c, struct sl_field cell, size_t line,
                               struct sl_error *err)
{
    struct column *column = &scan->columns[c];
    const size_t n_known = sl_name_table_count(scan->cells);
    uint32_t value = 0, own = 0;
    double number = 0;
    SL_TRY(sl_name_table_add(scan->cells, cell.text, cell.length, &value, err));
    if (value >= scan->capacity) {
        scan->capacity *= 2;
        scan->only = sl_resize(scan->only, scan->capacity, sizeof *scan->only);
    }
    if (value == n_known) {
        scan->only[value] = (uint32_t)c;
    } else if (scan->only[value] != c) {
        scan->only[value] = SEVERAL;
    }
    column->numbers = column->numbers && sl_text_to_real(cell.text, cell.length, &number);
    if (column->values) {
        SL_TRY(sl_name_table_add(column->values, cell.text, cell.length, &own, err));
        if (own < column->count) {
            column->repeated_at = line;
            sl_name_table_destroy(column->values);
            column->values = NULL;
        }
    }
    column->count++;
    return SL_OK;
}

static void start(struct scan *scan, const struct sl_wide_rows *rows)
{
    scan->width = rows->count;
    scan->columns = sl_alloc(rows->count, sizeof *scan->columns);
    scan->first = sl_alloc(rows->count + 1, sizeof *scan->first);
    scan->cells = sl_name_table_create();
    scan->capacity = LEAST_CAPACITY;
    scan->only = sl_alloc(scan->capacity, sizeof *scan->only);
    for (size_t c = 0; c < rows->count; c++) {
        const struct sl_field name = sl_csv_plain(rows->fields[c]);
        scan->first[c] = sl_string_copy_n(name.text, name.length);
        scan->columns[c].values = sl_name_table_create();
        scan->columns[c].numbers = true;
    }
}

static enum sl_status scan_file(struct scan *scan, struct sl_error *err)
{
    struct sl_wide_rows rows = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_wide_open(&rows, scan->path, false, err));
    SL_TRY_OUT(sl_wide_next(&rows, err));
    if (rows.count == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: empty, expected a row per item", scan->path));
    start(scan, &rows);
    for (;;) {
        SL_TRY_OUT(sl_wide_next(&rows, err));
        if (rows.count == 0) break;
        scan->n_rows++;
        for (size_t c = 0; c < rows.count; c++) {
            const struct sl_field cell = sl_csv_class(rows.fields[c]);
            if (sl_wide_is_answer(cell)) SL_TRY_OUT(add_cell(scan, c, cell, rows.line, err));
        }
    }
    for (size_t i = 0; i < sl_name_table_count(scan->cells); i++)
        if (scan->only[i] != SEVERAL) scan->columns[scan->only[i]].n_own++;
out:
    sl_wide_close(&rows);
    return status;
}

static struct sl_field first_cell(const struct scan *scan, size_t c)
{
    return sl_field_of(scan->first[c]);
}

static bool is_number(struct sl_field cell)
{
    double number = 0;
    return sl_text_to_real(cell.text, cell.length, &number);
}

/* Whether every value below the first row is a number; the first column may name items. */
static bool has_numbers(const struct scan *scan)
{
    for (size_t c = scan->width > 1; c < scan->width; c++)
        if (!scan->columns[c].numbers) return false;
    return true;
}

/* Whether a cell of the first row is a value below it, column `except` (or SIZE_MAX) left out. */
static bool comes_again(const struct scan *scan, size_t c, size_t except)
{
    const struct sl_field cell = first_cell(scan, c);
    const uint32_t value = sl_name_table_find(scan->cells, cell.text, cell.length);
    return value != SL_NO_NAME && scan->only[value] != except;
}

/* 0, 1, 2 ... or 1, 2, 3 ... from column `from` on. */
static bool is_counting(const struct scan *scan, size_t from)
{
    int64_t number = 0, first = 0;
    for (size_t c = from; c < scan->width; c++) {
        const char *cell = scan->first[c];
        if (!sl_text_to_integer(cell, strlen(cell), &number)) return false;
        if (c == from) first = number;
        if (number != first + (int64_t)(c - from)) return false;
    }
    return scan->width - from > 1 && (first == 0 || first == 1);
}

/* Numbered names, in every column or after a corner cell that is not one of them. */
static bool is_counted(const struct scan *scan)
{
    return is_counting(scan, 0) ||
           (scan->width > 1 && is_counting(scan, 1) && !is_number(first_cell(scan, 0)));
}

static bool is_word(const char *name, const char *const *words)
{
    char small[32] = "";
    for (size_t i = 0; name[i] && i + 1 < sizeof small; i++)
        small[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i];
    for (; *words; words++)
        if (strcmp(small, *words) == 0) return true;
    return false;
}

static const char *const id_words[] = {"id",       "item",       "item_id", "task",  "task_id",
                                       "question", "example",    "image",   "index", "instance",
                                       "object",   "filename",   "file",    "name",  "",
                                       "image_id", "unnamed: 0", NULL};
static const char *const truth_words[] = {"truth",      "gold",         "true_label",
                                          "gold_label", "ground_truth", NULL};

static bool first_row_differs(const struct scan *scan)
{
    for (size_t a = 0; a < scan->width; a++)
        for (size_t b = 0; b < a; b++)
            if (strcmp(scan->first[a], scan->first[b]) == 0) return false;
    return true;
}

/* Whether a column has a different value in every row, including the first if it is an item's. */
static bool is_different(const struct scan *scan, size_t c, bool header)
{
    const struct column *column = &scan->columns[c];
    if (!column->values || column->count != scan->n_rows) return false;
    const char *cell = scan->first[c];
    return header || (sl_wide_is_answer((struct sl_field){cell, strlen(cell)}) &&
                      sl_name_table_find(column->values, cell, strlen(cell)) == SL_NO_NAME);
}

/* Whether the first row has a heading for item names above a column with a different value in every
 * row. */
static bool names_items(const struct scan *scan)
{
    for (size_t c = 0; c < scan->width; c++)
        if (scan->n_rows > 0 && scan->first[c][0] && is_word(scan->first[c], id_words) &&
            is_different(scan, c, true) && !comes_again(scan, c, SIZE_MAX))
            return true;
    return false;
}

/* Whether the columns hold classes that repeat, or numbers where the first row has none. */
static bool is_above_classes(const struct scan *scan)
{
    size_t count = 0, n_classes = 0;
    bool numbers = false;
    for (size_t c = 0; c < scan->width; c++) {
        if (is_different(scan, c, true)) continue;
        count += scan->columns[c].count;
        numbers = numbers || is_number(first_cell(scan, c));
    }
    for (size_t i = 0; i < sl_name_table_count(scan->cells); i++)
        n_classes += scan->only[i] == SEVERAL || !is_different(scan, scan->only[i], true);
    if (scan->n_rows < 2 || count == 0) return false;
    return (has_numbers(scan) && !numbers) || count >= 2 * n_classes;
}

static enum sl_status ask_header(const struct scan *scan, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: the first row may hold annotator names or answers; give --header yes or "
                   "--header no",
                   scan->path);
}

/* The cells of the first row, without those of a column that may hold item names. */
struct first_row {
    size_t n_said, n_again; /* not empty; and of these, also among the answers below */
    bool gaps;              /* an empty cell that is not the corner */
    bool answers; /* certainly answers: a -1, an empty row, or numbers and gaps above numbers */
};

static struct first_row look_at_first(const struct scan *scan)
{
    struct first_row row = {.n_said = 0};
    const size_t names = scan->width > 1 && is_different(scan, 0, false) ? 0 : SIZE_MAX;
    bool numbers = has_numbers(scan), missing = false;
    for (size_t c = 0; c < scan->width; c++) {
        const struct sl_field cell = first_cell(scan, c);
        missing = missing || (cell.length > 0 && !sl_wide_is_answer(cell));
        numbers = numbers && (cell.length == 0 || c == names || is_number(cell));
        row.gaps = row.gaps || (cell.length == 0 && c > 0);
        if (cell.length == 0 || c == names) continue;
        row.n_said++;
        row.n_again += comes_again(scan, c, names);
    }
    const bool empty = row.n_said == 0 && names == SIZE_MAX;
    row.answers = missing || empty || (numbers && row.gaps && row.n_said > 0);
    return row;
}

static enum sl_status find_header(const struct scan *scan, enum sl_presence said, bool *out,
                                  struct sl_error *err)
{
    *out = said == SL_PRESENT;
    if (said != SL_DETECT) return SL_OK;
    const struct first_row row = look_at_first(scan);
    const bool all_again = row.n_said > 0 && row.n_again == row.n_said;
    const bool named = names_items(scan);
    if (row.answers) return SL_OK;
    if (row.n_again > 0 && is_counted(scan)) return ask_header(scan, err);
    if (all_again && !named) return SL_OK;
    *out = !all_again && (named || (row.n_again == 0 && !row.gaps && first_row_differs(scan) &&
                                    is_above_classes(scan)));
    return *out ? SL_OK : ask_header(scan, err);
}

/* The column that the user named by its name or its number from 1. */
static enum sl_status said_id(const struct scan *scan, const char *said, bool header, size_t *out,
                              struct sl_error *err)
{
    int64_t number = 0;
    *out = SIZE_MAX;
    if (strcmp(said, "none") == 0) return SL_OK;
    /* A number is an index even if a column has that name, since names may be numbers too. */
    if (sl_text_to_integer(said, strlen(said), &number)) {
        if (number >= 1 && (uint64_t)number <= scan->width) *out = (size_t)number - 1;
    } else {
        for (size_t c = 0; header && c < scan->width; c++)
            if (strcmp(scan->first[c], said) == 0) *out = c;
    }
    if (*out != SIZE_MAX) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: no column \"%.60s\"; name the column of item names with --id-column",
                   scan->path, said);
}

/* Distinct values below the first row that no other column has, in any row that holds answers. */
static size_t count_own(const struct scan *scan, size_t c, bool header)
{
    size_t count = scan->columns[c].n_own;
    for (size_t d = 0; d < scan->width && !header; d++) {
        const char *cell = scan->first[d];
        const uint32_t value = sl_name_table_find(scan->cells, cell, strlen(cell));
        bool counted = d == c || value == SL_NO_NAME || scan->only[value] != c;
        for (size_t before = 0; before < d && !counted; before++)
            counted = before != c && strcmp(scan->first[before], cell) == 0;
        count -= !counted;
    }
    return count;
}

static bool is_surely_id(const struct scan *scan, size_t c, bool header)
{
    return scan->n_rows + !header >= 3 && is_different(scan, c, header) &&
           2 * count_own(scan, c, header) >= scan->columns[c].count;
}

static enum sl_status ask_id(const struct scan *scan, size_t c, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: column %zu may hold item names or answers; give --id-column %zu or "
                   "--id-column none",
                   scan->path, c + 1, c + 1);
}

/* Whether each value of the first column is also in another column, or is a number while some rows
 * have none: item names have no gaps. */
static bool is_answers(const struct scan *scan, bool header)
{
    const struct column *column = &scan->columns[0];
    const bool answered = !header && sl_wide_is_answer(first_cell(scan, 0));
    bool again = !answered || comes_again(scan, 0, 0);
    if (column->numbers && column->count + answered < scan->n_rows + !header &&
        (!answered || is_number(first_cell(scan, 0))))
        return true;
    for (size_t c = 1; c < scan->width && !again; c++)
        again = strcmp(scan->first[c], scan->first[0]) == 0;
    return again && count_own(scan, 0, header) == 0;
}

static enum sl_status find_id(const struct scan *scan, bool header, size_t *out,
                              struct sl_error *err)
{
    *out = SIZE_MAX;
    /* Without a heading, only the first column can hold item names. */
    for (size_t c = 0; header && c < scan->width && *out == SIZE_MAX; c++)
        if ((c == 0 || scan->first[c][0]) && is_word(scan->first[c], id_words)) *out = c;
    if (*out != SIZE_MAX || scan->width == 1) return SL_OK;
    if (is_surely_id(scan, 0, header)) {
        *out = 0;
        return SL_OK;
    }
    const bool few = scan->n_rows + !header < 3;
    if (!is_answers(scan, header) || (is_different(scan, 0, header) && (!few || scan->n_rows == 0)))
        return ask_id(scan, 0, err);
    return SL_OK;
}

/* Refuse any other column with a unique value in every row: it cannot hold an annotator's
 * answers. */
static enum sl_status check_others(const struct scan *scan, const struct sl_wide_layout *layout,
                                   struct sl_error *err)
{
    for (size_t c = 0; c < scan->width; c++)
        if (c != layout->id && c != layout->truth && is_surely_id(scan, c, layout->header) &&
            count_own(scan, c, layout->header) == scan->columns[c].count)
            return sl_fail(
                err, SL_ERR_INPUT,
                "%s: column %zu%s%.60s has a different value in every row, so it holds no "
                "answers; remove it from the file, or give --id-column %zu",
                scan->path, c + 1, layout->header ? " " : "", layout->header ? scan->first[c] : "",
                c + 1);
    return SL_OK;
}

/* Check that every column except that of the item names has a name, and that names differ. */
static enum sl_status check_header(const struct scan *scan, size_t id, struct sl_error *err)
{
    for (size_t c = 0; c < scan->width; c++) {
        if (!scan->first[c][0] && c != id)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: column %zu has no name; name its annotator, or give --header no if "
                           "the first row holds answers",
                           scan->path, c + 1);
        for (size_t b = 0; b < c; b++)
            if (strcmp(scan->first[b], scan->first[c]) == 0)
                return sl_fail(err, SL_ERR_INPUT,
                               "%s: columns %zu and %zu are both called %.60s; rename one of "
                               "them, or give --header no if the first row holds answers",
                               scan->path, b + 1, c + 1, scan->first[c]);
    }
    return SL_OK;
}

static enum sl_status check_names(const struct scan *scan, const struct sl_wide_layout *layout,
                                  struct sl_error *err)
{
    if (layout->header) SL_TRY(check_header(scan, layout->id, err));
    if (layout->id == SIZE_MAX) return SL_OK;
    const struct column *column = &scan->columns[layout->id];
    const char *cell = scan->first[layout->id];
    if (column->repeated_at)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s:%zu: column %zu names an item twice; give --id-column none if it holds "
                       "answers",
                       scan->path, column->repeated_at, layout->id + 1);
    if (!is_different(scan, layout->id, layout->header))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: column %zu does not name every item once%s%.60s; give --id-column none "
                       "if it holds answers",
                       scan->path, layout->id + 1, layout->header ? "" : "; first ", cell);
    return SL_OK;
}

static enum sl_status settle(const struct scan *scan, const struct sl_import_options *options,
                             struct sl_wide_layout *out, struct sl_error *err)
{
    const char *said = options ? options->id_column : NULL;
    SL_TRY(find_header(scan, options ? options->header : SL_DETECT, &out->header, err));
    SL_TRY(said ? said_id(scan, said, out->header, &out->id, err)
                : find_id(scan, out->header, &out->id, err));
    for (size_t c = 0; out->header && c < scan->width; c++)
        if (c != out->id && out->truth == SIZE_MAX && is_word(scan->first[c], truth_words))
            out->truth = c;
    SL_TRY(check_names(scan, out, err));
    return said ? SL_OK : check_others(scan, out, err);
}

enum sl_status sl_wide_layout_find(const char *path, const struct sl_import_options *options,
                                   struct sl_wide_layout *out, struct sl_error *err)
{
    struct scan scan = {.path = path};
    struct sl_wide_layout layout = {.id = SIZE_MAX, .truth = SIZE_MAX};
    enum sl_status status = scan_file(&scan, err);
    if (status == SL_OK) status = settle(&scan, options, &layout, err);
    if (status == SL_OK) {
        if (layout.header) {
            layout.names = scan.first;
            scan.first = NULL;
        }
        *out = layout;
    }
    scan_release(&scan);
    return status;
}

void sl_wide_layout_release(struct sl_wide_layout *layout)
{
    sl_names_destroy(layout->names);
    layout->names = NULL;
}
