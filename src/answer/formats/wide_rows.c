#include <stdlib.h>
#include <string.h>

#include "answer/formats/wide.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Each record is one field, the line; cells are split here. No text contains 0x01. */
static struct sl_csv_options line_options(void)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = '\x01';
    options.header = options.quoting = options.fixed_width = false;
    return options;
}

/* Commas or blanks, by the first line that has either; a single column is read as CSV. */
static enum sl_status uses_commas(const char *path, bool *out, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_csv_options options = line_options();
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {0};
    bool commas = false, blanks = false;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    do {
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
        if (record.count == 0) break;
        const struct sl_field line = record.fields[0];
        commas = memchr(line.text, ',', line.length);
        blanks = memchr(line.text, ' ', line.length) || memchr(line.text, '\t', line.length);
        if (!commas && memchr(line.text, ';', line.length))
            SL_TRY_OUT(
                sl_csv_fail(csv, record.line, err,
                            "the columns are separated by semicolons; save the file with commas"));
    } while (record.fields[0].length == 0);
    *out = commas || !blanks;
out:
    sl_csv_close(csv);
    return status;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static size_t split_at_blanks(struct sl_wide_rows *rows, struct sl_field line)
{
    size_t count = 0;
    for (size_t at = 0; at < line.length;) {
        size_t begin = at;
        while (at < line.length && !is_blank(line.text[at]))
            at++;
        if (at > begin) {
            if (count == rows->capacity) {
                rows->capacity = rows->capacity ? rows->capacity * 2 : 64;
                rows->cells = sl_resize(rows->cells, rows->capacity, sizeof *rows->cells);
            }
            rows->cells[count++] = (struct sl_field){line.text + begin, at - begin};
        }
        while (at < line.length && is_blank(line.text[at]))
            at++;
    }
    return count;
}

enum sl_status sl_wide_open(struct sl_wide_rows *rows, const char *path, bool blanks_only,
                            struct sl_error *err)
{
    struct sl_csv_options options = line_options();
    bool commas = false;
    if (!blanks_only) SL_TRY(uses_commas(path, &commas, err));
    if (commas) {
        options.delimiter = ',';
        options.quoting = true;
    }
    *rows = (struct sl_wide_rows){.commas = commas};
    return sl_csv_open(path, &options, &rows->csv, err);
}

void sl_wide_close(struct sl_wide_rows *rows)
{
    sl_csv_close(rows->csv);
    free(rows->cells);
    *rows = (struct sl_wide_rows){0};
}

enum sl_status sl_wide_next(struct sl_wide_rows *rows, struct sl_error *err)
{
    struct sl_csv_record record = {0};
    do {
        SL_TRY(sl_csv_next(rows->csv, &record, err));
        rows->line = record.line;
        rows->fields = record.fields;
        rows->count = record.count;
        if (record.count == 0) return SL_OK;
        if (!rows->commas) {
            rows->count = split_at_blanks(rows, record.fields[0]);
            rows->fields = rows->cells;
        }
    } while (rows->count == 0); /* blank lines between rows are skipped */
    if (rows->width == 0) rows->width = rows->count;
    if (rows->count == rows->width) return SL_OK;
    return sl_csv_fail(rows->csv, rows->line, err, "expected %zu column%s, got %zu", rows->width,
                       sl_text_plural(rows->width, "", "s"), rows->count);
}

bool sl_wide_is_answer(struct sl_field cell)
{
    return cell.length > 0 && !(cell.length == 2 && memcmp(cell.text, "-1", 2) == 0);
}
