#include "study/texts/markdown.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/texts/markdown_inline.h"

enum { PAGE_BYTES = 4 << 20, MAX_PAGES = 200 };

/* The kind of the open block. */
enum block_kind { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_BULLETS, BLOCK_NUMBERS };
struct writer {
    struct sl_buffer *out; /* borrowed */
    struct sl_buffer text; /* of the open paragraph or list item */
    enum block_kind kind;
};

struct line {
    const char *text; /* without leading blanks, and at most two blanks at its end */
    size_t length;
    size_t indent;
};

static const char *tag_of(enum block_kind kind)
{
    return kind == BLOCK_PARAGRAPH ? "p" : "li";
}

static void end_text(struct writer *writer)
{
    if (writer->text.length == 0) return;
    sl_buffer_printf(writer->out, "<%s>", tag_of(writer->kind));
    sl_markdown_inline(writer->text.data, writer->text.length, writer->out);
    sl_buffer_printf(writer->out, "</%s>\n", tag_of(writer->kind));
    sl_buffer_clear(&writer->text);
}

static void end_block(struct writer *writer)
{
    end_text(writer);
    if (writer->kind == BLOCK_BULLETS) sl_buffer_text(writer->out, "</ul>\n");
    if (writer->kind == BLOCK_NUMBERS) sl_buffer_text(writer->out, "</ol>\n");
    writer->kind = BLOCK_NONE;
}

static void begin_block(struct writer *writer, enum block_kind kind)
{
    if (writer->kind == kind && kind != BLOCK_PARAGRAPH) {
        end_text(writer);
        return;
    }
    end_block(writer);
    writer->kind = kind;
    if (kind == BLOCK_BULLETS) sl_buffer_text(writer->out, "<ul>\n");
    if (kind == BLOCK_NUMBERS) sl_buffer_text(writer->out, "<ol>\n");
}

static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    return length;
}

static void add_text(struct writer *writer, const char *text, size_t length)
{
    /* Two blanks at the end of a line matter only if another line follows. */
    if (writer->text.length > 0) sl_buffer_byte(&writer->text, '\n');
    size_t kept = trimmed(text, length);
    sl_buffer_append(&writer->text, text, kept);
    if (length >= kept + 2) sl_buffer_text(&writer->text, "  ");
}

/* "## Title": the number of '#', or 0. */
static size_t heading_level(const struct line *line)
{
    size_t level = 0;
    while (level < line->length && line->text[level] == '#')
        level++;
    return level >= 1 && level <= 5 && level < line->length && line->text[level] == ' ' ? level : 0;
}

/* The length of "- ", "* " or "12. ", or 0; *kind says which list it is. */
static size_t list_marker(const struct line *line, enum block_kind *kind)
{
    if (line->length >= 2 && (line->text[0] == '-' || line->text[0] == '*') &&
        line->text[1] == ' ') {
        *kind = BLOCK_BULLETS;
        return 2;
    }
    size_t digits = 0;
    while (digits < line->length && digits < 4 && line->text[digits] >= '0' &&
           line->text[digits] <= '9')
        digits++;
    *kind = BLOCK_NUMBERS;
    bool marked = digits > 0 && digits + 1 < line->length && line->text[digits] == '.' &&
                  line->text[digits + 1] == ' ';
    return marked ? digits + 2 : 0;
}

static void write_heading(struct writer *writer, const struct line *line, size_t level)
{
    const char *text = line->text + level + 1;
    size_t length = trimmed(text, line->length - level - 1);
    end_block(writer);
    sl_buffer_printf(writer->out, "<h%zu>", level + 1);
    sl_markdown_inline(text, length, writer->out);
    sl_buffer_printf(writer->out, "</h%zu>\n", level + 1);
}

static void take_line(struct writer *writer, const struct line *line)
{
    enum block_kind kind = BLOCK_NONE;
    size_t level = heading_level(line), marker = list_marker(line, &kind);
    if (trimmed(line->text, line->length) == 0) {
        end_block(writer);
    } else if (level > 0) {
        write_heading(writer, line, level);
    } else if (marker > 0) {
        begin_block(writer, kind);
        add_text(writer, line->text + marker, line->length - marker);
    } else {
        bool goes_on =
            writer->kind == BLOCK_PARAGRAPH || (writer->kind != BLOCK_NONE && line->indent > 0);
        if (!goes_on) begin_block(writer, BLOCK_PARAGRAPH);
        add_text(writer, line->text, line->length);
    }
}

static struct line next_line(const char *text, size_t length, size_t *at)
{
    struct line line = {.text = text + *at};
    const char *end = memchr(line.text, '\n', length - *at);
    size_t whole = end ? (size_t)(end - line.text) : length - *at;
    *at += whole + (end ? 1 : 0);
    if (whole > 0 && line.text[whole - 1] == '\r') whole--;
    while (line.indent < whole && (line.text[line.indent] == ' ' || line.text[line.indent] == '\t'))
        line.indent++;
    line.text += line.indent;
    line.length = whole - line.indent;
    return line;
}

static enum sl_status check_utf8(const char *text, size_t length, struct sl_error *err)
{
    size_t valid = sl_utf8_valid(text, length);
    if (valid == length) return SL_OK;
    size_t line = 1;
    for (size_t i = 0; i < valid; i++)
        line += text[i] == '\n';
    return sl_fail(err, SL_ERR_INPUT, "line %zu is not UTF-8", line);
}

enum sl_status sl_markdown_html(const char *text, size_t length, struct sl_buffer *out,
                                struct sl_error *err)
{
    SL_TRY(check_utf8(text, length, err));
    struct writer writer = {.out = out};
    sl_buffer_init(&writer.text, length * 2 + 16);
    for (size_t at = 0; at < length;) {
        struct line line = next_line(text, length, &at);
        take_line(&writer, &line);
    }
    end_block(&writer);
    sl_buffer_release(&writer.text);
    return sl_buffer_check(out, "the text", err);
}

static bool is_divider(const struct line *line)
{
    size_t length = trimmed(line->text, line->length), dashes = 0;
    while (dashes < length && line->text[dashes] == '-')
        dashes++;
    return length >= 3 && dashes == length;
}

static enum sl_status add_page(char ***pages, size_t *count, const char *text, size_t length,
                               struct sl_error *err)
{
    struct sl_buffer html;
    sl_buffer_init(&html, PAGE_BYTES);
    enum sl_status status = sl_markdown_html(text, length, &html, err);
    if (status == SL_OK && html.length > 0 && *count == MAX_PAGES)
        status = sl_fail(err, SL_ERR_INPUT, "more than %d pages", MAX_PAGES);
    if (status == SL_OK && html.length > 0) {
        *pages = sl_resize(*pages, *count + 2, sizeof **pages);
        (*pages)[(*count)++] = sl_string_copy_n(html.data, html.length);
        (*pages)[*count] = NULL;
    }
    sl_buffer_release(&html);
    return status;
}

enum sl_status sl_markdown_pages(const char *text, size_t length, char ***pages, size_t *count,
                                 struct sl_error *err)
{
    SL_TRY(check_utf8(text, length, err));
    char **found = sl_alloc(1, sizeof *found);
    size_t n_found = 0, begin = 0;
    enum sl_status status = SL_OK;
    for (size_t at = 0; at < length;) {
        size_t line_begin = at;
        struct line line = next_line(text, length, &at);
        if (!is_divider(&line)) continue;
        SL_TRY_OUT(add_page(&found, &n_found, text + begin, line_begin - begin, err));
        begin = at;
    }
    SL_TRY_OUT(add_page(&found, &n_found, text + begin, length - begin, err));
    *pages = found;
    *count = n_found;
    return SL_OK;
out:
    sl_names_destroy(found);
    return status;
}
