#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

size_t sl_report_rows(const struct sl_block *table)
{
    return table->n_columns ? (table->count + table->n_columns - 1) / table->n_columns : 0;
}

struct sl_cell sl_report_cell_at(const struct sl_block *table, size_t row, size_t column)
{
    size_t index = row * table->n_columns + column;
    return index < table->count ? table->cells[index] : sl_cell_empty(NULL);
}

void sl_report_csv_text(struct sl_buffer *out, const char *text)
{
    sl_csv_append_text(out, text, strlen(text));
}

/* True if a cell of the column has an interval, which then gets a column of its own. */
static bool has_spread(const struct sl_block *table, size_t column)
{
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        struct sl_cell cell = sl_report_cell_at(table, row, column);
        if (cell.kind == SL_CELL_NUMBER && isfinite(cell.spread)) return true;
    }
    return false;
}

static void csv_number(struct sl_buffer *out, double value, unsigned decimals)
{
    struct sl_buffer number;
    sl_buffer_init(&number, 128);
    sl_report_put_number(&number, value, decimals, "-");
    sl_csv_append_field(out, number.length ? number.data : "", number.length);
    sl_buffer_release(&number);
}

static void csv_cell(struct sl_buffer *out, const struct sl_cell *cell, bool with_spread)
{
    bool is_number = cell->kind == SL_CELL_NUMBER;
    if (is_number)
        csv_number(out, cell->value, cell->decimals);
    else
        sl_report_csv_text(out, cell->text ? cell->text : "");
    if (with_spread) csv_number(out, is_number ? cell->spread : (double)NAN, cell->decimals);
}

static void csv_heading(struct sl_buffer *out, const struct sl_block *table, const bool *spreads)
{
    for (size_t column = 0; column < table->n_columns; column++) {
        sl_report_csv_text(out, table->columns[column]);
        if (!spreads[column]) continue;
        char *title = sl_string_printf("%s, plus or minus", table->columns[column]);
        sl_report_csv_text(out, title);
        free(title);
    }
    if (table->badge) sl_csv_append_field(out, "warning", 7);
    sl_csv_end_line(out);
}

void sl_report_csv_table(const struct sl_block *table, struct sl_buffer *out)
{
    bool *spreads = sl_alloc(table->n_columns, sizeof *spreads);
    for (size_t column = 0; column < table->n_columns; column++)
        spreads[column] = has_spread(table, column);
    csv_heading(out, table, spreads);
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        for (size_t column = 0; column < table->n_columns; column++) {
            struct sl_cell cell = sl_report_cell_at(table, row, column);
            csv_cell(out, &cell, spreads[column]);
        }
        if (table->badge) sl_report_csv_text(out, table->badge);
        sl_csv_end_line(out);
    }
    free(spreads);
}

bool sl_report_is_numeric(const struct sl_block *table, size_t column)
{
    for (size_t row = 0; row < sl_report_rows(table); row++)
        if (sl_report_cell_at(table, row, column).kind == SL_CELL_NUMBER) return true;
    return false;
}
