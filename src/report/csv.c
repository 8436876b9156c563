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

/* A line like a table cell, with words instead of a number. */
static void put_words(struct sl_buffer *out, const struct sl_block *block, size_t row,
                      const char *head, const char *column, const char *text)
{
    char number[32];
    snprintf(number, sizeof number, "%zu", row + 1);
    sl_report_csv_text(out, block->title);
    sl_csv_append_field(out, number, strlen(number));
    sl_report_csv_text(out, head);
    sl_report_csv_text(out, column);
    put_number(out, (double)NAN);
    put_number(out, (double)NAN);
    sl_report_csv_text(out, text);
    sl_report_csv_text(out, block->badge ? block->badge : "");
    sl_csv_end_line(out);
}

static void put_gallery(struct sl_buffer *out, const struct sl_block *gallery)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    for (size_t i = 0; i < gallery->count; i++)
        for (size_t s = 0; s < gallery->n_series; s++) {
            const struct sl_gallery_item *item = &gallery->pictures[i];
            sl_buffer_clear(&text);
            sl_report_put_distribution(&text, gallery, item, s);
            put_words(out, gallery, i, item->name, gallery->series[s],
                      text.length ? text.data : "");
        }
    sl_buffer_release(&text);
}

static void put_table(struct sl_buffer *out, const struct sl_block *table)
{
    for (size_t row = 0; row < sl_report_rows(table); row++)
        for (size_t column = 1; column < table->n_columns; column++)
            put_cell(out, table, row, column);
}

/* Long form: one line per cell, so that one file can hold every table. Numbers have full precision.
 * Charts and galleries are written as their text alternative. */
void sl_report_csv(const struct sl_report *report, struct sl_buffer *out)
{
    sl_buffer_text(out, "table,row,head,column,value,plus_or_minus,text,warning\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_block *block = &report->blocks[i];
        if (block->kind == SL_BLOCK_TABLE) put_table(out, block);
        if (block->kind == SL_BLOCK_GALLERY) put_gallery(out, block);
        if (block->kind == SL_BLOCK_CHART) put_words(out, block, 0, "", "chart", block->spoken);
    }
}
