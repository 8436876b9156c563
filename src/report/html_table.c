#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

void sl_report_html_text(struct sl_buffer *out, const char *text)
{
    if (text) sl_html_escape(out, text, strlen(text));
}

void sl_report_html_badge(struct sl_buffer *out, const char *badge)
{
    if (!badge) return;
    sl_buffer_text(out, "<strong class=\"badge\">");
    sl_report_html_text(out, badge);
    sl_buffer_text(out, "</strong> ");
}

static void put_number(struct sl_buffer *out, const struct sl_cell *cell)
{
    static const struct sl_number_signs signs = {"\u2212", " <span class=\"pm\">\u00b1</span> "};
    sl_report_put_estimate(out, cell, &signs);
    if (cell->text) {
        sl_buffer_text(out,
                       isfinite(cell->value) ? " <span class=\"soft\">" : "<span class=\"soft\">");
        sl_report_html_text(out, cell->text);
        sl_buffer_text(out, "</span>");
    }
}

static void put_content(struct sl_buffer *out, const struct sl_cell *cell)
{
    switch (cell->kind) {
    case SL_CELL_EMPTY:
        sl_buffer_text(out, "<span class=\"soft\">");
        sl_report_html_text(out, cell->text ? cell->text : "\u2013");
        sl_buffer_text(out, "</span>");
        break;
    case SL_CELL_TEXT: sl_report_html_text(out, cell->text); break;
    case SL_CELL_CODE:
        sl_buffer_text(out, "<code>");
        sl_report_html_text(out, cell->text);
        sl_buffer_text(out, "</code>");
        break;
    case SL_CELL_NUMBER: put_number(out, cell); break;
    case SL_CELL_MARK:
        sl_buffer_printf(out, "<span class=\"mark %s\"><span aria-hidden=\"true\">%s</span> ",
                         sl_mark_words[cell->mark].css, sl_mark_words[cell->mark].symbol);
        sl_report_html_text(out, cell->text);
        sl_buffer_text(out, "</span>");
        break;
    }
}

/* data-k is the sort key if the text is not. `title`: the column's, if rows can become cards; or
 * NULL. */
static void put_cell(struct sl_buffer *out, const struct sl_cell *cell, const char *class,
                     const char *title, bool is_head)
{
    sl_buffer_text(out, is_head ? "<th scope=\"row\"" : "<td");
    sl_buffer_text(out, class);
    if (title && !is_head) {
        sl_buffer_text(out, " data-title=\"");
        sl_report_html_text(out, title);
        sl_buffer_byte(out, '"');
    }
    if (cell->kind == SL_CELL_NUMBER && isfinite(cell->value)) {
        char key[SL_NUMBER_TEXT];
        sl_text_from_double(cell->value, key);
        sl_buffer_printf(out, " data-k=\"%s\"", key);
    }
    sl_buffer_byte(out, '>');
    if (cell->strong) sl_buffer_text(out, "<strong>");
    if (cell->link) sl_buffer_printf(out, "<a href=\"#%s\">", cell->link);
    put_content(out, cell);
    if (cell->link) sl_buffer_text(out, "</a>");
    if (cell->strong) sl_buffer_text(out, "</strong>");
    sl_buffer_text(out, is_head ? "</th>" : "</td>");
}

/* A download link, which needs the script; without it a reader can copy the table. */
static void put_download(struct sl_buffer *out, const struct sl_block *table, const char *title,
                         const char *suffix,
                         void (*write)(const struct sl_block *, struct sl_buffer *))
{
    struct sl_buffer text;
    sl_buffer_init_data(&text, 1 << 28);
    write(table, &text);
    sl_buffer_blame(out, &text);
    sl_buffer_printf(out,
                     " <a href=\"#%s\" download=\"%s%s\" aria-label=\"%s of the table: ", table->id,
                     table->id, suffix, title);
    sl_report_html_text(out, table->title);
    sl_buffer_text(out, "\" data-text=\"");
    sl_report_html_text(out, text.length ? text.data : "");
    sl_buffer_printf(out, "\">%s</a>", title);
    sl_buffer_release(&text);
}

/* Columns of numbers are right-aligned. */
static const char *class_of(const struct sl_block *table, size_t column)
{
    return sl_report_is_numeric(table, column) ? " class=\"number\"" : "";
}

static void put_heading(struct sl_buffer *out, const struct sl_block *table)
{
    sl_buffer_text(out, "<thead><tr>");
    for (size_t column = 0; column < table->n_columns; column++) {
        sl_buffer_printf(out, "<th scope=\"col\"%s>", class_of(table, column));
        sl_report_html_text(out, table->columns[column]);
        sl_buffer_text(out, "</th>");
    }
    sl_buffer_text(out, "</tr></thead>\n");
}

static void put_rows(struct sl_buffer *out, const struct sl_block *table)
{
    const char **classes = sl_alloc(table->n_columns, sizeof *classes);
    for (size_t column = 0; column < table->n_columns; column++)
        classes[column] = class_of(table, column);
    sl_buffer_text(out, "<tbody>\n");
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        sl_buffer_text(out, "<tr>");
        for (size_t column = 0; column < table->n_columns; column++) {
            struct sl_cell cell = sl_report_cell_at(table, row, column);
            put_cell(out, &cell, classes[column], table->as_cards ? table->columns[column] : NULL,
                     column == 0);
        }
        sl_buffer_text(out, "</tr>\n");
    }
    sl_buffer_text(out, "</tbody>\n");
    free(classes);
}

/* True if the row names fit on one line each. */
static bool is_brief(const struct sl_block *table)
{
    enum { MOST_COLUMNS = 7, LONGEST_NAME = 28 };
    if (table->n_columns > MOST_COLUMNS) return false;
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        const struct sl_cell cell = sl_report_cell_at(table, row, 0);
        if (cell.text && strlen(cell.text) > LONGEST_NAME) return false;
    }
    return true;
}

void sl_report_html_table(struct sl_buffer *out, const struct sl_block *table)
{
    /* The caption does not scroll with the table; a scrolling region must be reachable by keyboard.
     */
    sl_buffer_printf(out, "<figure class=\"table\"><figcaption id=\"%s-caption\">", table->id);
    sl_report_html_badge(out, table->badge);
    sl_report_html_text(out, table->title);
    sl_buffer_printf(out,
                     "</figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
                     "aria-labelledby=\"%s-caption\">\n<table id=\"%s\" class=\"sortable%s%s\" "
                     "aria-labelledby=\"%s-caption\">\n",
                     table->id, table->id, is_brief(table) ? " brief" : "",
                     table->as_cards ? " cards" : "", table->id);
    put_heading(out, table);
    put_rows(out, table);
    sl_buffer_text(out, "</table></div>\n<p class=\"downloads\" hidden>Download as");
    put_download(out, table, "CSV", ".csv", sl_report_csv_table);
    put_download(out, table, "LaTeX", ".tex", sl_report_latex_file);
    sl_buffer_text(out, "</p></figure>\n");
}
