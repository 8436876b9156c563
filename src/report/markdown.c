#include <math.h>
#include <string.h>

#include "report/report_internal.h"

/* Escape characters that mean something in Markdown or HTML; line breaks become spaces, because a
 * table row is one line. */
static void put_text(struct sl_buffer *out, const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '<')
            sl_buffer_text(out, "&lt;");
        else if (*at == '&')
            sl_buffer_text(out, "&amp;");
        else if (*at == '\n' || *at == '\r')
            sl_buffer_byte(out, ' ');
        else if (strchr("\\`*_[]|#~>$", *at))
            sl_buffer_printf(out, "\\%c", *at);
        else
            sl_buffer_byte(out, *at);
    }
}

/* Code between enough backquotes; '|' is escaped, because it would end a table cell. */
static void put_code(struct sl_buffer *out, const char *text)
{
    if (strpbrk(text, "`|\n")) {
        put_text(out, text);
        return;
    }
    sl_buffer_printf(out, "`%s`", text);
}

static void put_strong(struct sl_buffer *out, const char *text)
{
    sl_buffer_text(out, "**");
    put_text(out, text);
    sl_buffer_text(out, "**");
}

static void put_badge(struct sl_buffer *out, const char *badge)
{
    if (!badge) return;
    put_strong(out, badge);
    sl_buffer_text(out, ". ");
}

static void put_spans(struct sl_buffer *out, const struct sl_block *block)
{
    if (block->kind == SL_BLOCK_NOTE && block->tone <= SL_TONE_WARNING) sl_buffer_text(out, "> ");
    for (size_t i = 0; i < block->count; i++) {
        const struct sl_styled *span = &block->spans[i];
        if (span->style == SL_STYLE_STRONG)
            put_strong(out, span->text);
        else if (span->style == SL_STYLE_CODE)
            put_code(out, span->text);
        else
            put_text(out, span->text);
    }
    sl_buffer_text(out, "\n\n");
}

/* A heading's anchor as renderers make it: lower-case letters, digits, dashes for spaces. */
static void put_anchor(struct sl_buffer *out, const char *title)
{
    static const char kept[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const char *at = title; *at; at++) {
        const char small = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
        if (small == ' ')
            sl_buffer_byte(out, '-');
        else if (strchr(kept, small) || (unsigned char)small >= 0x80)
            sl_buffer_byte(out, small);
    }
}

static const char *title_of(const struct sl_report *report, const char *id)
{
    for (size_t i = 0; id && i < report->count; i++) {
        const struct sl_block *block = &report->blocks[i];
        if (block->kind == SL_BLOCK_HEADING && strcmp(block->id, id) == 0) return block->title;
    }
    return NULL;
}

static void put_cell(struct sl_buffer *out, const struct sl_report *report,
                     const struct sl_cell *cell)
{
    static const struct sl_number_signs signs = {"-", " \u00b1 "};
    const char *title = title_of(report, cell->link);
    if (title) sl_buffer_byte(out, '[');
    if (cell->strong) sl_buffer_text(out, "**");
    if (cell->kind == SL_CELL_NUMBER) sl_report_put_estimate(out, cell, &signs);
    if (cell->kind == SL_CELL_NUMBER && cell->text) sl_buffer_byte(out, ' ');
    if (cell->kind == SL_CELL_MARK) sl_buffer_printf(out, "%s ", sl_mark_words[cell->mark].symbol);
    if (cell->kind == SL_CELL_CODE)
        put_code(out, cell->text);
    else if (cell->text)
        put_text(out, cell->text);
    if (cell->strong) sl_buffer_text(out, "**");
    if (!title) return;
    sl_buffer_text(out, "](#");
    put_anchor(out, title);
    sl_buffer_byte(out, ')');
}

static void put_table(struct sl_buffer *out, const struct sl_report *report,
                      const struct sl_block *table)
{
    put_badge(out, table->badge);
    put_text(out, table->title);
    sl_buffer_text(out, "\n\n");
    for (size_t column = 0; column < table->n_columns; column++) {
        sl_buffer_text(out, "| ");
        put_text(out, table->columns[column]);
        sl_buffer_byte(out, ' ');
    }
    sl_buffer_text(out, "|\n");
    for (size_t column = 0; column < table->n_columns; column++)
        sl_buffer_text(out, sl_report_is_numeric(table, column) ? "| ---: " : "| --- ");
    sl_buffer_text(out, "|\n");
    for (size_t row = 0; row < sl_report_rows(table); row++) {
        for (size_t column = 0; column < table->n_columns; column++) {
            struct sl_cell cell = sl_report_cell_at(table, row, column);
            sl_buffer_text(out, "| ");
            put_cell(out, report, &cell);
            sl_buffer_byte(out, ' ');
        }
        sl_buffer_text(out, "|\n");
    }
    sl_buffer_byte(out, '\n');
}

static void put_shares(struct sl_buffer *out, const struct sl_block *gallery,
                       const struct sl_gallery_item *item, size_t series)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 1 << 20);
    sl_report_put_distribution(&text, gallery, item, series);
    put_text(out, text.length ? text.data : "");
    sl_buffer_release(&text);
}

static void put_gallery(struct sl_buffer *out, const struct sl_block *gallery)
{
    put_badge(out, gallery->badge);
    put_text(out, gallery->title);
    if (gallery->note) {
        sl_buffer_text(out, "\n\n");
        put_text(out, gallery->note);
    }
    sl_buffer_text(out, "\n\n| item | true class |");
    for (size_t s = 0; s < gallery->n_series; s++) {
        sl_buffer_byte(out, ' ');
        put_text(out, gallery->series[s]);
        sl_buffer_text(out, " |");
    }
    sl_buffer_text(out, "\n| --- | --- |");
    for (size_t s = 0; s < gallery->n_series; s++)
        sl_buffer_text(out, " --- |");
    sl_buffer_byte(out, '\n');
    for (size_t i = 0; i < gallery->count; i++) {
        const struct sl_gallery_item *item = &gallery->pictures[i];
        sl_buffer_text(out, "| ");
        put_text(out, item->name);
        sl_buffer_text(out, " | ");
        put_text(out, item->truth ? item->truth : "");
        sl_buffer_text(out, " |");
        for (size_t s = 0; s < gallery->n_series; s++) {
            sl_buffer_byte(out, ' ');
            put_shares(out, gallery, item, s);
            sl_buffer_text(out, " |");
        }
        sl_buffer_byte(out, '\n');
    }
    sl_buffer_byte(out, '\n');
}

/* Indented by four spaces: no line can end such a block. */
static void put_lines(struct sl_buffer *out, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        sl_buffer_text(out, "    ");
        sl_buffer_append(out, lines, length);
        sl_buffer_byte(out, '\n');
        lines += length + (lines[length] != '\0');
    }
    sl_buffer_byte(out, '\n');
}

static void put_chart(struct sl_buffer *out, const struct sl_report *report,
                      const struct sl_block *chart)
{
    if (report->charts) {
        sl_buffer_text(out, "![");
        put_text(out, chart->title);
        sl_buffer_text(out, "](");
        sl_url_escape(out, report->charts, "/");
        sl_buffer_printf(out, "/%s.svg)\n\n", chart->id);
    }
    put_badge(out, chart->badge);
    sl_buffer_text(out, "Chart: ");
    put_strong(out, chart->title);
    sl_buffer_text(out, ". ");
    put_text(out, chart->spoken);
    sl_buffer_text(out, "\n\n");
}

static void put_pairs(struct sl_buffer *out, const struct sl_block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        sl_buffer_text(out, "- ");
        put_text(out, block->pairs[i].name);
        sl_buffer_text(out, ": ");
        put_text(out, block->pairs[i].value);
        sl_buffer_byte(out, '\n');
    }
    sl_buffer_byte(out, '\n');
}

static void put_block(struct sl_buffer *out, const struct sl_report *report,
                      const struct sl_block *block)
{
    switch (block->kind) {
    case SL_BLOCK_HEADING:
        sl_buffer_append(out, "####", block->level);
        sl_buffer_byte(out, ' ');
        put_text(out, block->title);
        sl_buffer_text(out, "\n\n");
        break;
    case SL_BLOCK_PARAGRAPH:
    case SL_BLOCK_NOTE: put_spans(out, block); break;
    case SL_BLOCK_CODE: put_lines(out, block->content); break;
    case SL_BLOCK_FOLD:
        put_strong(out, block->title);
        sl_buffer_text(out, "\n\n");
        break;
    case SL_BLOCK_FOLD_END: break;
    case SL_BLOCK_TABLE: put_table(out, report, block); break;
    case SL_BLOCK_CHART: put_chart(out, report, block); break;
    case SL_BLOCK_GALLERY: put_gallery(out, block); break;
    case SL_BLOCK_PAIRS: put_pairs(out, block); break;
    }
}

void sl_report_markdown(const struct sl_report *report, struct sl_buffer *out)
{
    sl_buffer_text(out, "# ");
    put_text(out, report->title);
    sl_buffer_text(out, "\n\n");
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_block *block = &report->blocks[i];
        /* Indented lines below a list would belong to its last entry, and be no code. */
        if (block->kind == SL_BLOCK_CODE && i > 0 && block[-1].kind == SL_BLOCK_PAIRS)
            sl_buffer_text(out, "<!-- code -->\n\n");
        put_block(out, report, block);
    }
}
