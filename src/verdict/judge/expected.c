#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

enum { N_COLUMNS = 11 };
static const char *const columns[N_COLUMNS] = {
    "cell",   "row",    "column", "metric", "test_set", "value", "uncertainty", "uncertainty_kind",
    "n_runs", "status", "note"};

char *sl_verdict_copy_record(const struct sl_csv_record *record, size_t count, const char **fields)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += record->fields[i].length + 1;
    char *storage = sl_alloc(total, 1), *at = storage;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, record->fields[i].text, record->fields[i].length);
        fields[i] = at;
        at += record->fields[i].length + 1;
    }
    return storage;
}

/* Digits after the decimal point. */
static unsigned count_decimals(const char *printed)
{
    const char *point = strchr(printed, '.');
    return point ? (unsigned)strlen(point + 1) : 0;
}

static enum sl_status read_number(const struct sl_csv *csv, const struct sl_csv_record *record,
                                  size_t column, double *out, struct sl_error *err)
{
    *out = NAN;
    if (record->fields[column].length == 0) return SL_OK;
    return sl_csv_real(csv, record, column, -1e12, 1e12, out, err);
}

static enum sl_status read_row(const struct sl_csv *csv, const struct sl_csv_record *record,
                               struct sl_expected *expected, struct sl_error *err)
{
    const char *fields[N_COLUMNS];
    struct sl_expected_row row = {0};
    int64_t n_runs = 0;
    SL_TRY(read_number(csv, record, 5, &row.value, err));
    SL_TRY(read_number(csv, record, 6, &row.uncertainty, err));
    if (record->fields[8].length) SL_TRY(sl_csv_integer(csv, record, 8, 0, 1000000, &n_runs, err));
    char *storage = sl_verdict_copy_record(record, N_COLUMNS, fields);
    row.cell = fields[0];
    row.row = fields[1];
    row.column = fields[2];
    row.metric = fields[3];
    row.test_set = fields[4];
    row.kind = fields[7];
    row.status = fields[9];
    row.note = fields[10];
    row.n_runs = (size_t)n_runs;
    unsigned value = count_decimals(fields[5]), uncertainty = count_decimals(fields[6]);
    row.decimals = value > uncertainty ? value : uncertainty;
    size_t count = expected->count++;
    expected->rows = sl_resize(expected->rows, count + 1, sizeof *expected->rows);
    expected->storage = sl_resize(expected->storage, count + 1, sizeof *expected->storage);
    expected->rows[count] = row;
    expected->storage[count] = storage;
    return SL_OK;
}

enum sl_status sl_expected_read(const char *text, const char *name, struct sl_expected **out,
                                struct sl_error *err)
{
    struct sl_expected *expected = sl_alloc(1, sizeof *expected);
    struct sl_csv *csv = NULL;
    struct sl_csv_record record = {.count = 0};
    enum sl_status status = SL_OK;
    if (text) {
        struct sl_csv_options options = sl_csv_options_default();
        SL_TRY_OUT(sl_csv_open_memory(text, strlen(text), name, &options, &csv, err));
        for (size_t i = 0; i < N_COLUMNS; i++) {
            const char *found = i < sl_csv_column_count(csv) ? sl_csv_column_name(csv, i) : "";
            if (strcmp(found, columns[i]) != 0) {
                status =
                    sl_csv_fail(csv, 1, err, "column %zu must be called \"%s\"", i + 1, columns[i]);
                goto out;
            }
        }
        if (sl_csv_column_count(csv) != N_COLUMNS) {
            status = sl_csv_fail(csv, 1, err, "too many columns; remove those after \"%s\"",
                                 columns[N_COLUMNS - 1]);
            goto out;
        }
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
    }
    while (record.count) {
        SL_TRY_OUT(read_row(csv, &record, expected, err));
        SL_TRY_OUT(sl_csv_next(csv, &record, err));
    }
    *out = expected;
    expected = NULL;
out:
    sl_expected_destroy(expected);
    sl_csv_close(csv);
    return status;
}

void sl_expected_destroy(struct sl_expected *expected)
{
    if (!expected) return;
    for (size_t i = 0; i < expected->count; i++)
        free(expected->storage[i]);
    free(expected->storage);
    free(expected->rows);
    free(expected);
}

const struct sl_expected_row *sl_expected_find(const struct sl_expected *expected, const char *cell)
{
    for (size_t i = 0; i < expected->count; i++)
        if (strcmp(expected->rows[i].cell, cell) == 0) return &expected->rows[i];
    return NULL;
}
