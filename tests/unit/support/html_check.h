/* Reading HTML back as strictly as XML: every element closed in order, every attribute quoted, no
 * bare '<' or '&' in texts. Style and script are raw text. */
#ifndef SOFTLAB_TESTS_HTML_CHECK_H
#define SOFTLAB_TESTS_HTML_CHECK_H

#include "support.h"

enum { HTML_DEPTH = 64 };

struct html_check {
    const char *open[HTML_DEPTH]; /* names of open elements, not NUL-ended */
    size_t lengths[HTML_DEPTH];
    size_t depth, n_elements;
};

static inline bool html_is(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncmp(name, wanted, length) == 0;
}

static inline bool html_is_void(const char *name, size_t length)
{
    static const char *const names[] = {"meta", "img", "br", "link", "hr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (html_is(name, length, names[i])) return true;
    return false;
}

/* Ends the test; the analyser is told so. */
#define HTML_FAIL(...)                                                                             \
    do {                                                                                           \
        fail_msg(__VA_ARGS__);                                                                     \
        abort();                                                                                   \
    } while (0)

/* Behind an entity such as "&amp;". */
static inline const char *html_entity(const char *at)
{
    const char *end = strchr(at, ';');
    if (!end || end - at > 10) HTML_FAIL("a bare '&' at \"%.40s\"", at);
    return end + 1;
}

/* Behind the closing quote of a value. */
static inline const char *html_value(const char *at)
{
    char quote = *at;
    if (quote != '"' && quote != '\'') HTML_FAIL("no quote at \"%.40s\"", at);
    at++;
    while (*at != quote) {
        if (*at == '\0' || *at == '<') HTML_FAIL("an attribute runs into \"%.40s\"", at);
        at = *at == '&' ? html_entity(at) : at + 1;
    }
    return at + 1;
}

/* Behind the '>' of a start tag; *closed if it was "/>". */
static inline const char *html_attributes(const char *at, bool *closed)
{
    for (;;) {
        at += strspn(at, " \n\t");
        *closed = at[0] == '/' && at[1] == '>';
        if (*closed || *at == '>') return strchr(at, '>') + 1;
        size_t length = strcspn(at, " \n=>/\"'<");
        if (length == 0) HTML_FAIL("no attribute at \"%.40s\"", at);
        at += length;
        if (*at == '=') at = html_value(at + 1);
    }
}

static inline const char *html_end_tag(struct html_check *check, const char *at)
{
    size_t length = strcspn(at, ">");
    if (check->depth == 0) HTML_FAIL("nothing is open at \"%.40s\"", at);
    check->depth--;
    if (check->lengths[check->depth] != length ||
        strncmp(check->open[check->depth], at, length) != 0)
        fail_msg("</%.*s> closes <%.*s>", (int)length, at, (int)check->lengths[check->depth],
                 check->open[check->depth]);
    return at + length + 1;
}

static inline const char *html_start_tag(struct html_check *check, const char *at)
{
    const char *name = at;
    size_t length = strcspn(at, " \n>/");
    bool closed;
    at = html_attributes(at + length, &closed);
    check->n_elements++;
    if (closed || html_is_void(name, length)) return at;
    if (html_is(name, length, "script") || html_is(name, length, "style")) {
        char end[16];
        snprintf(end, sizeof end, "</%.*s>", (int)length, name);
        at = strstr(at, end);
        if (!at) HTML_FAIL("no %s", end);
        return at + strlen(end);
    }
    if (check->depth == HTML_DEPTH) HTML_FAIL("too deep at \"%.40s\"", name);
    check->open[check->depth] = name;
    check->lengths[check->depth++] = length;
    return at;
}

/* The number of elements. */
static inline size_t assert_well_formed(const char *text)
{
    struct html_check check = {.depth = 0};
    const char *at = text;
    if (strncmp(at, "<!DOCTYPE html>", 15) == 0) at += 15;
    while (*at) {
        if (*at == '&')
            at = html_entity(at);
        else if (*at != '<')
            at++;
        else if (at[1] == '/')
            at = html_end_tag(&check, at + 2);
        else
            at = html_start_tag(&check, at + 1);
    }
    assert_int_equal(check.depth, 0);
    return check.n_elements;
}

static inline size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

#endif
