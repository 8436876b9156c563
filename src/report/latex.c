#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

static void put_styled(struct sl_buffer *out, const char *command, const char *text)
{
    sl_buffer_printf(out, "\\%s{", command);
    sl_report_latex_text(out, text);
    sl_buffer_byte(out, '}');
}

static void put_code(struct sl_buffer *out, const char *text)
{
    sl_buffer_text(out, "\\texttt{");
    sl_report_latex_code(out, text);
    sl_buffer_byte(out, '}');
}

static void put_badge(struct sl_buffer *out, const char *badge)
{
    if (!badge) return;
    put_styled(out, "textbf", badge);
    sl_buffer_text(out, ". ");
}

static void put_spans(struct sl_buffer *out, const struct sl_block *block)
{
    static const struct {
        const char *begin, *end;
    } tones[SL_TONE_COUNT] = {
        [SL_TONE_PLAIN] = {"\\begin{quote}\n", "\n\\end{quote}\n\n"},
        [SL_TONE_WARNING] = {"\\begin{quote}\n", "\n\\end{quote}\n\n"},
        [SL_TONE_ANSWER] = {"{\\large\\noindent ", "\\par}\n\n"},
        [SL_TONE_BASIS] = {"{\\small\\noindent ", "\\par}\n\n"},
    };
    const bool is_note = block->kind == SL_BLOCK_NOTE;
    if (is_note) sl_buffer_text(out, tones[block->tone].begin);
    for (size_t i = 0; i < block->count; i++) {
        const struct sl_styled *span = &block->spans[i];
        if (span->style == SL_STYLE_STRONG)
            put_styled(out, "textbf", span->text);
        else if (span->style == SL_STYLE_CODE)
            put_code(out, span->text);
        else
            sl_report_latex_text(out, span->text);
    }
    sl_buffer_text(out, is_note ? tones[block->tone].end : "\n\n");
}

/* One paragraph per line: the text could end a verbatim environment. */
static void put_lines(struct sl_buffer *out, const char *lines)
{
    sl_buffer_text(out, "\\begingroup\\footnotesize\\ttfamily\\raggedright"
                        "\\setlength{\\parindent}{0pt}\n");
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        char *line = sl_string_copy_n(lines, length);
        sl_buffer_text(out, "\\hangindent=2em ");
        sl_report_latex_code(out, line);
        sl_buffer_text(out, "\\par\n");
        free(line);
        lines += length + (lines[length] != '\0');
    }
    sl_buffer_text(out, "\\endgroup\n\n");
}

static void put_gallery(struct sl_buffer *out, const struct sl_block *gallery)
{
    put_badge(out, gallery->badge);
    sl_report_latex_text(out, gallery->title);
    if (gallery->note) {
        sl_buffer_text(out, ". ");
        sl_report_latex_text(out, gallery->note);
    }
    sl_buffer_text(out, "\n\\begin{itemize}\n");
    for (size_t i = 0; i < gallery->count; i++) {
        const struct sl_gallery_item *item = &gallery->pictures[i];
        struct sl_buffer text;
        sl_buffer_init(&text, 1 << 20);
        for (size_t s = 0; s < gallery->n_series; s++) {
            sl_buffer_printf(&text, "%s %s: ", s ? ";" : "", gallery->series[s]);
            sl_report_put_distribution(&text, gallery, item, s);
        }
        sl_buffer_text(out, "\\item \\textbf{");
        sl_report_latex_text(out, item->name);
        if (item->truth) {
            sl_buffer_text(out, " (");
            sl_report_latex_text(out, item->truth);
            sl_buffer_byte(out, ')');
        }
        sl_buffer_byte(out, '}');
        sl_report_latex_text(out, text.length ? text.data : "");
        sl_buffer_byte(out, '\n');
        sl_buffer_release(&text);
    }
    /* A list without an item does not compile. */
    if (gallery->count == 0) sl_buffer_text(out, "\\item none\n");
    sl_buffer_text(out, "\\end{itemize}\n\n");
}

static void put_pairs(struct sl_buffer *out, const struct sl_block *block)
{
    sl_buffer_text(out, "\\begin{description}\\raggedright\n");
    for (size_t i = 0; i < block->count; i++) {
        sl_buffer_text(out, "\\item[{");
        sl_report_latex_text(out, block->pairs[i].name);
        sl_buffer_text(out, "}] ");
        sl_report_latex_text(out, block->pairs[i].value);
        sl_buffer_byte(out, '\n');
    }
    sl_buffer_text(out, "\\end{description}\n\n");
}

static void put_block(struct sl_buffer *out, const struct sl_block *block)
{
    static const char *const headings[] = {"section", "subsection", "subsubsection"};
    switch (block->kind) {
    case SL_BLOCK_HEADING:
        put_styled(out, headings[block->level - 2], block->title);
        sl_buffer_text(out, "\n\n");
        break;
    case SL_BLOCK_PARAGRAPH:
    case SL_BLOCK_NOTE: put_spans(out, block); break;
    case SL_BLOCK_CODE: put_lines(out, block->content); break;
    case SL_BLOCK_FOLD:
        put_styled(out, "paragraph", block->title);
        sl_buffer_text(out, "\n\n");
        break;
    case SL_BLOCK_FOLD_END: break;
    case SL_BLOCK_TABLE:
        sl_report_latex_table(block, out);
        sl_buffer_byte(out, '\n');
        break;
    case SL_BLOCK_CHART:
        put_badge(out, block->badge);
        put_styled(out, "textbf", block->title);
        sl_buffer_text(out, ". ");
        sl_report_latex_text(out, block->spoken);
        sl_buffer_text(out, "\n\n");
        break;
    case SL_BLOCK_GALLERY: put_gallery(out, block); break;
    case SL_BLOCK_PAIRS: put_pairs(out, block); break;
    }
}

void sl_report_latex(const struct sl_report *report, struct sl_buffer *out)
{
    /* Latin Modern has scalable outlines; use it if it is installed. */
    sl_buffer_text(out, "\\documentclass[a4paper]{article}\n\\usepackage[T1]{fontenc}\n"
                        "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
                        "\\usepackage{" SL_REPORT_LATEX_PACKAGES "}\n"
                        "\\usepackage[margin=2cm]{geometry}\n\\emergencystretch=3em\n\\title{");
    sl_report_latex_text(out, report->title);
    sl_buffer_text(out, "}\n\\author{}\n\\date{}\n\\begin{document}\n\\maketitle\n\n");
    for (size_t i = 0; i < report->count; i++)
        put_block(out, &report->blocks[i]);
    sl_buffer_text(out, "\\end{document}\n");
}
