#include <math.h>
#include <string.h>

#include "report/report_internal.h"

static void put_number(struct sl_buffer *out, double value)
{
    if (isfinite(value))
        sl_csv_append_real(out, value);
    else
        sl_csv_append_field(out, "", 0);
}

static void put_cell(struct sl_buffer *out, const struct sl_block *table, size_t row, size_t column)
{
    char number[32];
    struct sl_cell head = sl_report_cell_at(table, row, 0);
    struct sl_cell cell = sl_report_cell_at(table, row, column);
    bool is_number = cell.kind == SL_CELL_NUMBER;
    snprintf(number, sizeof number, "%zu", row + 1);
    sl_report_csv_text(out, table->id);
    sl_csv_append_field(out, number, strlen(number));
    sl_report_csv_text(out, head.text ? head.text : "");
    sl_report_csv_text(out, table->columns[column]);
    put_number(out, is_number ? cell.value : (double)NAN);
    put_number(out, is_number ? cell.spread : (double)NAN);
    sl_report_csv_text(out, cell.text ? cell.text : "");
    sl_report_csv_text(out, table->badge ? table->badge : "");
    sl_csv_end_line(out);
}

/* Long form: a line per cell, so that one file can hold every table. Numbers are whole, not rounded
 * as elsewhere. */
void sl_report_csv(const struct sl_report *report, struct sl_buffer *out)
{
    sl_buffer_text(out, "table,row,head,column,value,plus_or_minus,text,warning\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_block *table = &report->blocks[i];
        if (table->kind != SL_BLOCK_TABLE) continue;
        for (size_t row = 0; row < sl_report_rows(table); row++)
            for (size_t column = 1; column < table->n_columns; column++)
                put_cell(out, table, row, column);
    }
}
