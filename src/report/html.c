#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

static void put_spans(struct sl_buffer *out, const struct sl_block *block)
{
    static const char *const tags[] = {NULL, "strong", "code"};
    for (size_t i = 0; i < block->count; i++) {
        const char *tag = tags[block->spans[i].style];
        if (tag) sl_buffer_printf(out, "<%s>", tag);
        sl_report_html_text(out, block->spans[i].text);
        if (tag) sl_buffer_printf(out, "</%s>", tag);
    }
}

static void put_pairs(struct sl_buffer *out, const struct sl_block *block)
{
    sl_buffer_text(out, "<dl>\n");
    for (size_t i = 0; i < block->count; i++) {
        sl_buffer_text(out, "<div><dt>");
        sl_report_html_text(out, block->pairs[i].name);
        sl_buffer_text(out, "</dt><dd>");
        sl_report_html_text(out, block->pairs[i].value);
        sl_buffer_text(out, "</dd></div>\n");
    }
    sl_buffer_text(out, "</dl>\n");
}

/* A chart without its style rules, which the page has once for all charts; repeated, they would be
 * an eighth of the page. */
static void put_chart(struct sl_buffer *out, const struct sl_block *chart)
{
    sl_buffer_text(out, "<figure class=\"chart\">");
    sl_buffer_append(out, chart->content, chart->style.begin);
    sl_buffer_text(out, chart->content + chart->style.end);
    if (chart->badge) {
        sl_buffer_text(out, "<figcaption>");
        sl_report_html_badge(out, chart->badge);
        sl_buffer_text(out, "</figcaption>");
    }
    sl_buffer_text(out, "</figure>\n");
}

static void put_heading(struct sl_buffer *out, const struct sl_block *block)
{
    sl_buffer_printf(out, "<h%u id=\"%s\"><a href=\"#%s\">", block->level, block->id, block->id);
    sl_report_html_text(out, block->title);
    sl_buffer_printf(out, "</a></h%u>\n", block->level);
}

static void put_block(struct sl_buffer *out, const struct sl_block *block)
{
    static const char *const tones[SL_TONE_COUNT] = {[SL_TONE_PLAIN] = "note",
                                                     [SL_TONE_WARNING] = "note warning",
                                                     [SL_TONE_ANSWER] = "answer",
                                                     [SL_TONE_BASIS] = "basis"};
    switch (block->kind) {
    case SL_BLOCK_HEADING: put_heading(out, block); break;
    case SL_BLOCK_PARAGRAPH:
        sl_buffer_text(out, "<p>");
        put_spans(out, block);
        sl_buffer_text(out, "</p>\n");
        break;
    case SL_BLOCK_NOTE:
        sl_buffer_printf(out, "<p class=\"%s\">", tones[block->tone]);
        put_spans(out, block);
        sl_buffer_text(out, "</p>\n");
        break;
    case SL_BLOCK_CODE:
        sl_buffer_text(out, "<pre tabindex=\"0\"><code>");
        sl_report_html_text(out, block->content);
        sl_buffer_text(out, "</code></pre>\n");
        break;
    case SL_BLOCK_FOLD:
        sl_buffer_text(out, "<details><summary>");
        sl_report_html_text(out, block->title);
        sl_buffer_text(out, "</summary>\n");
        break;
    case SL_BLOCK_FOLD_END: sl_buffer_text(out, "</details>\n"); break;
    case SL_BLOCK_TABLE: sl_report_html_table(out, block); break;
    case SL_BLOCK_CHART: put_chart(out, block); break;
    case SL_BLOCK_GALLERY: sl_report_html_gallery(out, block); break;
    case SL_BLOCK_PAIRS: put_pairs(out, block); break;
    }
}

static bool is_section(const struct sl_block *block)
{
    return block->kind == SL_BLOCK_HEADING && block->level == 2;
}

/* Links to the sections. They are open without the script; on narrow screens the script folds them,
 * so that the answer is in view. */
static void put_contents(struct sl_buffer *out, const struct sl_report *report)
{
    size_t n_sections = 0;
    for (size_t i = 0; i < report->count; i++)
        n_sections += is_section(&report->blocks[i]);
    if (n_sections < 2) return;
    sl_buffer_printf(out,
                     "<nav aria-label=\"Contents\"><details open><summary>Contents: %zu "
                     "sections</summary>\n<ul>\n",
                     n_sections);
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_block *block = &report->blocks[i];
        if (!is_section(block)) continue;
        sl_buffer_printf(out, "<li><a href=\"#%s\">", block->id);
        sl_report_html_text(out, block->title);
        sl_buffer_text(out, "</a></li>\n");
    }
    sl_buffer_text(out, "</ul></details></nav>\n");
}

static void put_lines(struct sl_buffer *out, const char *const *lines)
{
    for (; *lines; lines++)
        sl_buffer_text(out, *lines);
}

static bool has_chart(const struct sl_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->blocks[i].kind == SL_BLOCK_CHART) return true;
    return false;
}

static void put_rules(struct sl_buffer *out)
{
    sl_buffer_byte(out, '\n');
    sl_plot_rules(out);
}

void sl_report_html(const struct sl_report *report, struct sl_buffer *out)
{
    sl_buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    sl_report_html_text(out, report->title);
    sl_buffer_text(out, "</title>\n<style>\n");
    if (has_chart(report)) put_rules(out);
    put_lines(out, sl_report_style);
    sl_buffer_text(out, "</style>\n</head>\n<body>\n<header><h1>");
    sl_report_html_text(out, report->title);
    sl_buffer_text(out, "</h1></header>\n<main>\n");
    bool has_contents = false;
    for (size_t i = 0; i < report->count; i++) {
        if (!has_contents && is_section(&report->blocks[i])) {
            put_contents(out, report);
            has_contents = true;
        }
        bool is_chart = report->blocks[i].kind == SL_BLOCK_CHART;
        bool is_first = i == 0 || report->blocks[i - 1].kind != SL_BLOCK_CHART;
        bool is_last = i + 1 == report->count || report->blocks[i + 1].kind != SL_BLOCK_CHART;
        if (is_chart && is_first) sl_buffer_text(out, "<div class=\"charts\">\n");
        put_block(out, &report->blocks[i]);
        if (is_chart && is_last) sl_buffer_text(out, "</div>\n");
    }
    sl_buffer_text(out, "</main>\n<script>\n");
    put_lines(out, sl_report_script);
    sl_buffer_text(out, "</script>\n</body>\n</html>\n");
}
