#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

enum { ARENA_MAXIMUM = 1 << 30, MARKUP_MAXIMUM = 1 << 24 };
#define DOCUMENT_MAXIMUM ((size_t)1 << 31)

const struct sl_report_format sl_report_formats[] = {
    {"html", ".html", "one page that opens from disk and can be printed", sl_report_html},
    {"md", ".md", "Markdown", sl_report_markdown},
    {"csv", ".csv", "one line per cell of every table; charts and pictures in words",
     sl_report_csv},
    {"latex", ".tex", "a LaTeX document with booktabs tables", sl_report_latex},
    {NULL, NULL, NULL, NULL},
};

const struct sl_report_format *sl_report_format_find(const char *name)
{
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

const struct sl_report_format *sl_report_format_of(const char *path)
{
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++)
        if (sl_path_has_suffix(path, format->suffix)) return format;
    return NULL;
}

static enum sl_status fail_ending(const char *path, struct sl_error *err)
{
    char endings[64] = "";
    size_t used = 0;
    for (const struct sl_report_format *format = sl_report_formats; format->name; format++)
        used += (size_t)snprintf(endings + used, sizeof endings - used, "%s%s", used ? ", " : "",
                                 format->suffix);
    return sl_fail(err, SL_ERR_USAGE, "%s: end the name of a report in one of %s", path, endings);
}

enum sl_status sl_report_write(const struct sl_report *report, const char *path,
                               struct sl_error *err)
{
    const struct sl_report_format *format = sl_report_format_of(path);
    if (!format) return fail_ending(path, err);
    struct sl_buffer text;
    sl_buffer_init_data(&text, DOCUMENT_MAXIMUM);
    enum sl_status status = sl_report_render(report, format, &text, err);
    if (status == SL_OK) status = sl_file_write(path, text.data, text.length, err);
    sl_buffer_release(&text);
    return status;
}

enum sl_status sl_report_render(const struct sl_report *report,
                                const struct sl_report_format *format, struct sl_buffer *out,
                                struct sl_error *err)
{
    if (!format)
        return sl_fail(err, SL_ERR_USAGE, "the format is NULL; sl_report_formats lists them");
    if (report->mistake.code != SL_OK)
        return sl_fail(err, report->mistake.code, "%s", report->mistake.message);
    if (report->open_folds) return sl_fail(err, SL_ERR_USAGE, "a fold was opened and not closed");
    if (report->overflowed)
        return sl_fail(err, SL_ERR_INPUT, "the report holds more than %d bytes of text",
                       ARENA_MAXIMUM);
    format->write(report, out);
    return sl_buffer_check(out, "the report", err);
}

/* A copy of the text that the report owns. */
static const char *keep_n(struct sl_report *report, const char *text, size_t length)
{
    char *copy = sl_arena_copy(&report->arena, text, length);
    if (!copy) report->overflowed = true;
    return copy ? copy : "";
}

static const char *keep(struct sl_report *report, const char *text)
{
    return text ? keep_n(report, text, strlen(text)) : NULL;
}

/* Remember the first call that does not fit, for sl_report_render. */
#define REMEMBER(report, ...)                                                                      \
    do {                                                                                           \
        if ((report)->mistake.code == SL_OK) sl_fail(&(report)->mistake, __VA_ARGS__);             \
    } while (0)

/* A copy of a text that no format can do without. */
static const char *keep_needed(struct sl_report *report, const char *text, const char *what)
{
    if (!text) REMEMBER(report, SL_ERR_USAGE, "%s is NULL; give it a text", what);
    return text ? keep(report, text) : "";
}

struct sl_report *sl_report_create(const char *title)
{
    struct sl_report *report = sl_alloc(1, sizeof *report);
    sl_arena_init(&report->arena, ARENA_MAXIMUM);
    report->title = keep_needed(report, title, "the title of the report");
    return report;
}

void sl_report_destroy(struct sl_report *report)
{
    if (!report) return;
    for (size_t i = 0; i < report->count; i++) {
        free(report->blocks[i].elements);
        free(report->blocks[i].columns);
    }
    free(report->blocks);
    sl_arena_release(&report->arena);
    free(report);
}

static struct sl_block *add_block(struct sl_report *report, enum sl_block_kind kind)
{
    if (report->count == report->capacity) {
        report->capacity = report->capacity ? 2 * report->capacity : 64;
        report->blocks = sl_resize(report->blocks, report->capacity, sizeof *report->blocks);
    }
    assert(report->blocks);
    struct sl_block *block = &report->blocks[report->count++];
    memset(block, 0, sizeof *block);
    block->kind = kind;
    return block;
}

static struct sl_block *last_block(struct sl_report *report)
{
    return report->count ? &report->blocks[report->count - 1] : NULL;
}

/* Room for one more element of `size` bytes at the end of the last block. */
static void *add_element(struct sl_report *report, size_t size)
{
    struct sl_block *block = last_block(report);
    if (block->count == block->capacity) {
        block->capacity = block->capacity ? 2 * block->capacity : 8;
        block->elements = sl_resize(block->elements, block->capacity, size);
    }
    return (char *)block->elements + size * block->count++;
}

static bool id_is_taken(const struct sl_report *report, const char *id)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->blocks[i].id && strcmp(report->blocks[i].id, id) == 0) return true;
    return false;
}

/* Turn "collins2022/table2" into "collins2022-table2"; returns its length. */
enum { ID_SIZE = 160, LONGEST_WISH = 120 };
static size_t clean_id(const char *wish, char id[ID_SIZE])
{
    size_t length = 0;
    if (!isalpha((unsigned char)*wish)) id[length++] = 'x';
    for (const char *at = wish; *at && length < LONGEST_WISH; at++) {
        bool is_kept = isalnum((unsigned char)*at) || *at == '-' || *at == '_';
        id[length++] = is_kept ? *at : '-';
    }
    id[length] = '\0';
    return length;
}

/* A unique id: the wish, or else the title, with a number if it is taken ("collins2022-table2-2").
 */
static const char *make_id(struct sl_report *report, const char *wish, const char *title)
{
    char id[ID_SIZE];
    size_t length = clean_id(wish ? wish : title ? title : "", id);
    for (unsigned number = 2; id_is_taken(report, id); number++)
        snprintf(id + length, sizeof id - length, "-%u", number);
    return keep(report, id);
}

void sl_report_section(struct sl_report *report, unsigned level, const char *id, const char *title)
{
    const char *made = make_id(report, id, title);
    struct sl_block *block = add_block(report, SL_BLOCK_HEADING);
    block->level = level < 2 ? 2 : level > 4 ? 4 : level;
    block->id = made;
    block->title = keep_needed(report, title, "the title of a section");
}

void sl_report_paragraph(struct sl_report *report)
{
    add_block(report, SL_BLOCK_PARAGRAPH);
}

void sl_report_note(struct sl_report *report, enum sl_tone tone)
{
    add_block(report, SL_BLOCK_NOTE)->tone = tone;
}

void sl_report_text(struct sl_report *report, enum sl_style style, const char *format, ...)
{
    struct sl_buffer text;
    sl_buffer_init(&text, MARKUP_MAXIMUM);
    va_list arguments;
    va_start(arguments, format);
    sl_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    struct sl_block *block = last_block(report);
    if (!block || (block->kind != SL_BLOCK_PARAGRAPH && block->kind != SL_BLOCK_NOTE))
        sl_report_paragraph(report);
    struct sl_styled *span = add_element(report, sizeof *span);
    span->style = style;
    span->text = keep_n(report, text.length ? text.data : "", text.length);
    sl_buffer_release(&text);
}

void sl_report_code(struct sl_report *report, const char *lines)
{
    add_block(report, SL_BLOCK_CODE)->content = keep_needed(report, lines, "the text of code");
}

void sl_report_fold(struct sl_report *report, const char *title)
{
    add_block(report, SL_BLOCK_FOLD)->title = keep_needed(report, title, "the title of a fold");
    report->open_folds++;
}

void sl_report_fold_end(struct sl_report *report)
{
    if (report->open_folds == 0) {
        REMEMBER(report, SL_ERR_USAGE, "a fold was closed that was not open");
        return;
    }
    report->open_folds--;
    add_block(report, SL_BLOCK_FOLD_END);
}

static void keep_columns(struct sl_report *report, const char *const *columns, size_t count,
                         const char *what)
{
    struct sl_block *block = last_block(report);
    block->columns = sl_alloc(count, sizeof *block->columns);
    block->n_columns = count;
    for (size_t i = 0; i < count; i++)
        block->columns[i] = keep_needed(report, columns[i], what);
}

void sl_report_table(struct sl_report *report, const struct sl_table_head *head)
{
    const char *made = make_id(report, head->id, head->caption);
    struct sl_block *block = add_block(report, SL_BLOCK_TABLE);
    block->id = made;
    block->title = keep_needed(report, head->caption, "the caption of a table");
    block->badge = keep(report, head->badge);
    block->as_cards = head->as_cards;
    keep_columns(report, head->columns, head->n_columns, "the title of a column");
    if (head->n_columns == 0)
        REMEMBER(report, SL_ERR_USAGE, "table \"%s\" has no columns", block->title);
}

/* Whether elements of the last block are those of this kind; if not, say what goes before them. */
static bool belongs(struct sl_report *report, enum sl_block_kind kind, const char *what,
                    const char *before)
{
    const struct sl_block *block = last_block(report);
    if (block && block->kind == kind) return true;
    REMEMBER(report, SL_ERR_USAGE, "%s; call %s before it", what, before);
    return false;
}

void sl_report_cell(struct sl_report *report, struct sl_cell cell)
{
    char id[ID_SIZE];
    if (!belongs(report, SL_BLOCK_TABLE, "a cell belongs to a table", "sl_report_table")) return;
    const bool is_number = cell.kind == SL_CELL_NUMBER;
    if (is_number && cell.spread < 0)
        REMEMBER(report, SL_ERR_INPUT, "%g has a spread of %g, expected 0 or more, or NaN",
                 cell.value, cell.spread);
    if (cell.kind == SL_CELL_MARK && (size_t)cell.mark >= SL_MARK_COUNT) {
        REMEMBER(report, SL_ERR_USAGE, "there is no mark %d", (int)cell.mark);
        return;
    }
    const bool is_text = cell.kind == SL_CELL_TEXT || cell.kind == SL_CELL_CODE;
    if (!cell.text && (is_text || (is_number && !isfinite(cell.value)))) cell.kind = SL_CELL_EMPTY;
    cell.text = keep(report, cell.text);
    if (cell.link) {
        clean_id(cell.link, id);
        cell.link = keep(report, id);
    }
    struct sl_cell *place = add_element(report, sizeof *place);
    *place = cell;
}

struct sl_cell sl_cell_text(const char *text)
{
    return (struct sl_cell){.kind = SL_CELL_TEXT, .text = text, .value = NAN, .spread = NAN};
}

struct sl_cell sl_cell_number(double value, double spread, unsigned decimals)
{
    return (struct sl_cell){
        .kind = SL_CELL_NUMBER, .value = value, .spread = spread, .decimals = decimals};
}

struct sl_cell sl_cell_mark(enum sl_mark mark, const char *words)
{
    return (struct sl_cell){
        .kind = SL_CELL_MARK, .mark = mark, .text = words, .value = NAN, .spread = NAN};
}

struct sl_cell sl_cell_empty(const char *why)
{
    return (struct sl_cell){.kind = SL_CELL_EMPTY, .text = why, .value = NAN, .spread = NAN};
}

/* The chart's text alternative without escapes, for formats without charts. */
static const char *keep_description(struct sl_report *report, const char *svg,
                                    struct sl_plot_span span)
{
    static const struct {
        const char *escape;
        char byte;
    } escapes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
    struct sl_buffer text;
    sl_buffer_init(&text, MARKUP_MAXIMUM);
    for (const char *at = svg + span.begin; at < svg + span.end;) {
        size_t which = 0, count = sizeof escapes / sizeof *escapes;
        while (which < count &&
               strncmp(at, escapes[which].escape, strlen(escapes[which].escape)) != 0)
            which++;
        sl_buffer_byte(&text, which < count ? escapes[which].byte : *at);
        at += which < count ? strlen(escapes[which].escape) : 1;
    }
    const char *kept = keep_n(report, text.length ? text.data : "", text.length);
    sl_buffer_release(&text);
    return kept;
}

enum sl_status sl_report_chart(struct sl_report *report, const struct sl_plot *plot,
                               const char *badge, struct sl_error *err)
{
    char wish[32];
    snprintf(wish, sizeof wish, "chart-%zu", report->count);
    struct sl_plot named = *plot;
    named.id = make_id(report, wish, NULL);
    struct sl_buffer svg;
    sl_buffer_init(&svg, MARKUP_MAXIMUM);
    struct sl_plot_parts parts;
    enum sl_status status = sl_plot_svg_parts(&named, &svg, &parts, err);
    if (status == SL_OK) status = sl_buffer_check(&svg, "a chart", err);
    if (status == SL_OK) {
        struct sl_block *block = add_block(report, SL_BLOCK_CHART);
        block->id = named.id;
        block->title = keep(report, plot->title ? plot->title : "Chart");
        block->badge = keep(report, badge);
        block->content = keep_n(report, svg.data, svg.length);
        block->spoken = keep_description(report, svg.data, parts.description);
        block->style = parts.style;
    }
    sl_buffer_release(&svg);
    return status;
}

enum sl_status sl_report_write_charts(struct sl_report *report, const char *folder,
                                      const char *link, struct sl_error *err)
{
    SL_TRY(sl_folder_create(folder, err));
    for (size_t i = 0; i < report->count; i++) {
        const struct sl_block *block = &report->blocks[i];
        if (block->kind != SL_BLOCK_CHART) continue;
        char *path = sl_string_printf("%s/%s.svg", folder, block->id);
        const enum sl_status status =
            sl_file_write(path, block->content, strlen(block->content), err);
        free(path);
        if (status != SL_OK) return status;
    }
    report->charts = keep(report, link);
    return SL_OK;
}

void sl_report_gallery(struct sl_report *report, const struct sl_gallery_head *head)
{
    struct sl_block *block = add_block(report, SL_BLOCK_GALLERY);
    block->title = keep_needed(report, head->title, "the title of a gallery");
    block->badge = keep(report, head->badge);
    block->note = keep(report, head->note);
    for (size_t s = 0; s < head->n_series && s < SL_GALLERY_MAX_SERIES; s++)
        block->series[block->n_series++] =
            keep_needed(report, head->series[s], "the name of a series");
    keep_columns(report, head->classes, head->n_classes, "the name of a class");
    if (head->n_classes == 0 || head->n_series == 0)
        REMEMBER(report, SL_ERR_USAGE, "a gallery needs classes and one to %d series",
                 SL_GALLERY_MAX_SERIES);
}

/* True if the text is the base64 of a PNG and nothing else: it is written into an attribute
 * unescaped. */
static bool is_png_base64(const char *text)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!text || strncmp(text, "iVBORw0KGgo", 11) != 0) return false;
    size_t body = strspn(text, alphabet), padding = strspn(text + body, "=");
    return padding <= 2 && (body + padding) % 4 == 0 && text[body + padding] == '\0';
}

/* Whether an item has the shares of its gallery; more than rounding off 0 to 1 is no share. */
static bool has_shares(struct sl_report *report, const struct sl_gallery_item *item)
{
    const struct sl_block *gallery = last_block(report);
    const char *name = item->name ? item->name : "?";
    if (!item->values) {
        REMEMBER(report, SL_ERR_USAGE, "item %s has no values", name);
        return false;
    }
    for (size_t i = 0; i < gallery->n_series * gallery->n_columns; i++) {
        const double share = item->values[i];
        if (share >= -SL_SHARE_ROUNDING && share <= 1 + SL_SHARE_ROUNDING) continue;
        REMEMBER(report, SL_ERR_INPUT, "item %s: %s gives %s a share of %g, expected 0 to 1", name,
                 gallery->series[i / gallery->n_columns], gallery->columns[i % gallery->n_columns],
                 share);
        return false;
    }
    return true;
}

static const double *keep_values(struct sl_report *report, const double *values, size_t count)
{
    double *copy = sl_arena_alloc(&report->arena, count * sizeof *copy);
    if (!copy) {
        report->overflowed = true;
        return NULL;
    }
    memcpy(copy, values, count * sizeof *copy);
    return copy;
}

void sl_report_picture(struct sl_report *report, const struct sl_gallery_item *item)
{
    if (!belongs(report, SL_BLOCK_GALLERY, "a picture belongs to a gallery", "sl_report_gallery") ||
        !has_shares(report, item))
        return;
    const struct sl_block *gallery = last_block(report);
    struct sl_gallery_item kept = {
        .name = keep_needed(report, item->name, "the name of a picture"),
        .truth = keep(report, item->truth),
        .png = is_png_base64(item->png) ? keep(report, item->png) : NULL,
        .values = keep_values(report, item->values, gallery->n_series * gallery->n_columns),
    };
    if (!kept.values) return;
    struct sl_gallery_item *place = add_element(report, sizeof *place);
    *place = kept;
}

void sl_report_pair(struct sl_report *report, const char *name, const char *value)
{
    struct sl_block *block = last_block(report);
    if (!block || block->kind != SL_BLOCK_PAIRS) add_block(report, SL_BLOCK_PAIRS);
    struct sl_pair *pair = add_element(report, sizeof *pair);
    pair->name = keep_needed(report, name, "the name of a pair");
    pair->value = keep_needed(report, value, "the value of a pair");
}
