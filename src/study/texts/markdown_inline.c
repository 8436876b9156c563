#include "study/texts/markdown_inline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "study/texts/media.h"

/* Emphasis nested deeper than this is left as typed. */
enum { MAX_OPEN = 8, MAX_LINK_TEXT = 500, MAX_LINK_ADDRESS = 1000 };

/* A run of '*' or '_' that may open or close emphasis. */
enum role { ROLE_NONE, ROLE_OPEN, ROLE_CLOSE };
struct mark {
    size_t at, length; /* 1 or 2 */
    enum role role;
};
struct marks {
    struct mark *items; /* owned */
    size_t count, capacity;
    size_t open[MAX_OPEN]; /* marks without their counterpart so far */
    size_t n_open;
};

struct link {
    size_t text, text_length, address, address_length, end;
};

static bool has_scheme(const char *address, size_t length)
{
    static const char *const schemes[] = {"https://", "http://", "mailto:"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t prefix = strlen(schemes[i]);
        if (length > prefix && memcmp(address, schemes[i], prefix) == 0) return true;
    }
    return false;
}

static bool is_escape(const char *text, size_t length, size_t at)
{
    return text[at] == '\\' && at + 1 < length && strchr("\\*_[]()#-`<>&.!", text[at + 1]) &&
           text[at + 1] != '\0';
}

/* "[text](address)" at `at`; searches no further than the two limits, so the time stays linear. */
static bool find_bracket(const char *text, size_t length, size_t at, struct link *out)
{
    size_t close = at + 1;
    while (close < length && close - at < MAX_LINK_TEXT && text[close] != ']')
        close++;
    if (close + 1 >= length || text[close] != ']' || text[close + 1] != '(') return false;
    size_t begin = close + 2, end = begin;
    while (end < length && end - begin < MAX_LINK_ADDRESS && text[end] != ')') {
        if ((unsigned char)text[end] <= ' ' || text[end] == 0x7f) return false;
        end++;
    }
    if (end >= length || text[end] != ')') return false;
    *out = (struct link){at + 1, close - at - 1, begin, end - begin, end + 1};
    return true;
}

static bool find_link(const char *text, size_t length, size_t at, struct link *out)
{
    return text[at] == '[' && find_bracket(text, length, at, out) &&
           has_scheme(text + out->address, out->address_length);
}

/* "![text](address)" with an address in the folder media/; anything else is left as typed. */
static bool find_picture(const char *text, size_t length, size_t at, struct link *out)
{
    size_t name_length = 0;
    return text[at] == '!' && at + 1 < length && text[at + 1] == '[' &&
           find_bracket(text, length, at + 1, out) &&
           sl_media_name(text + out->address, out->address_length, &name_length);
}

bool sl_markdown_picture(const char *text, size_t length, size_t from,
                         struct sl_markdown_picture *out)
{
    struct link link;
    for (size_t at = from; at + 1 < length; at++) {
        if (is_escape(text, length, at)) {
            at++;
            continue;
        }
        if (text[at] != '!' || text[at + 1] != '[' || !find_bracket(text, length, at + 1, &link))
            continue;
        *out = (struct sl_markdown_picture){at, link.end, text + link.address, link.address_length};
        return true;
    }
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

static void add_mark(struct marks *marks, struct mark mark)
{
    if (marks->count == marks->capacity) {
        marks->capacity = marks->capacity ? marks->capacity * 2 : 16;
        marks->items = sl_resize(marks->items, marks->capacity, sizeof *marks->items);
    }
    marks->items[marks->count++] = mark;
}

/* Pairs the run at `at` with an open one of its kind, or leaves it open. */
static void place_mark(const char *text, size_t length, size_t at, size_t run, struct marks *marks)
{
    bool after_text = at > 0 && !is_space(text[at - 1]);
    bool before_text = at + run < length && !is_space(text[at + run]);
    /* An underscore inside a word is part of it: file_name_1. */
    bool within = text[at] == '_' && at > 0 && is_word(text[at - 1]) && before_text &&
                  is_word(text[at + run]);
    add_mark(marks, (struct mark){at, run, ROLE_NONE});
    struct mark *mark = &marks->items[marks->count - 1];
    for (size_t i = marks->n_open; after_text && !within && i-- > 0;) {
        struct mark *other = &marks->items[marks->open[i]];
        if (other->length != run || text[other->at] != text[at] || other->at + run == at) continue;
        other->role = ROLE_OPEN;
        mark->role = ROLE_CLOSE;
        marks->n_open = i;
        return;
    }
    if (before_text && !within && marks->n_open < MAX_OPEN)
        marks->open[marks->n_open++] = marks->count - 1;
}

static void find_marks(const char *text, size_t length, struct marks *marks)
{
    struct link link;
    for (size_t at = 0; at < length;) {
        if (is_escape(text, length, at)) {
            at += 2;
        } else if (find_link(text, length, at, &link) || find_picture(text, length, at, &link)) {
            at = link.end;
        } else if (text[at] == '*' || text[at] == '_') {
            size_t run = at + 1 < length && text[at + 1] == text[at] ? 2 : 1;
            place_mark(text, length, at, run, marks);
            at += run;
        } else {
            at++;
        }
    }
}

static void write_mark(const char *text, const struct mark *mark, struct sl_buffer *out)
{
    if (mark->role == ROLE_NONE) {
        sl_html_escape(out, text + mark->at, mark->length);
        return;
    }
    sl_buffer_printf(out, "<%s%s>", mark->role == ROLE_CLOSE ? "/" : "",
                     mark->length == 2 ? "strong" : "em");
}

static void write_link(const char *text, const struct link *link, struct sl_buffer *out)
{
    sl_buffer_text(out, "<a href=\"");
    sl_html_escape(out, text + link->address, link->address_length);
    sl_buffer_text(out, "\" target=\"_blank\" rel=\"noopener noreferrer\">");
    sl_html_escape(out, text + link->text, link->text_length);
    sl_buffer_text(out, "</a>");
}

static void write_picture(const char *text, const struct link *link, struct sl_buffer *out)
{
    size_t length = 0;
    const char *name = sl_media_name(text + link->address, link->address_length, &length);
    sl_buffer_printf(out, "<img src=\"" SL_MEDIA_FOLDER "/%.*s\" alt=\"", (int)length, name);
    sl_html_escape(out, text + link->text, link->text_length);
    sl_buffer_text(out, "\">");
}

/* Whether a line ends at `at` with two spaces or a backslash before its end. */
static size_t break_length(const char *text, size_t length, size_t at)
{
    if (at + 1 < length && text[at] == '\\' && text[at + 1] == '\n') return 2;
    size_t spaces = 0;
    while (at + spaces < length && text[at + spaces] == ' ')
        spaces++;
    return spaces >= 2 && at + spaces < length && text[at + spaces] == '\n' ? spaces + 1 : 0;
}

void sl_markdown_inline(const char *text, size_t length, struct sl_buffer *out)
{
    struct marks marks = {0};
    struct link link;
    find_marks(text, length, &marks);
    size_t next = 0, line_break = 0;
    for (size_t at = 0; at < length;) {
        bool spaces = text[at] == ' ' && (at == 0 || text[at - 1] != ' ');
        if (next < marks.count && marks.items[next].at == at) {
            write_mark(text, &marks.items[next], out);
            at += marks.items[next++].length;
        } else if ((spaces || text[at] == '\\') &&
                   (line_break = break_length(text, length, at)) > 0) {
            sl_buffer_text(out, "<br>\n");
            at += line_break;
        } else if (is_escape(text, length, at)) {
            sl_html_escape(out, text + at + 1, 1);
            at += 2;
        } else if (find_picture(text, length, at, &link)) {
            write_picture(text, &link, out);
            at = link.end;
        } else if (find_link(text, length, at, &link)) {
            write_link(text, &link, out);
            at = link.end;
        } else {
            sl_html_escape(out, text + at++, 1);
        }
    }
    free(marks.items);
}
