/* Markdown: whatever is written, the HTML has only our tags, each of them closed in its turn, and
 * no attribute but those of links and of pictures in the study's own folder. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/base.h"
#include "study/texts/markdown.h"

enum { DEPTH_LIMIT = 16 };

static const char *const tags[] = {"p",  "h2", "h3", "h4", "h5", "h6",     "ul",
                                   "ol", "li", "em", "a",  "br", "strong", "img"};
static const char link_begins[] = " href=\"";
static const char link_ends[] = "\" target=\"_blank\" rel=\"noopener noreferrer\"";

static size_t known_tag(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (strlen(tags[i]) == length && memcmp(tags[i], name, length) == 0) return i;
    abort();
}

static void check_link(const char *inside, size_t length)
{
    size_t begins = strlen(link_begins), ends = strlen(link_ends);
    if (length < begins + ends || memcmp(inside, link_begins, begins) != 0) abort();
    if (memcmp(inside + length - ends, link_ends, ends) != 0) abort();
    const char *address = inside + begins;
    if (strncmp(address, "http", 4) != 0 && strncmp(address, "mailto:", 7) != 0) abort();
    if (memchr(address, '"', length - begins - ends)) abort();
}

/* src="media/NAME" alt="TEXT", and nothing else. */
static void check_picture(const char *inside, size_t length)
{
    static const char begins[] = " src=\"media/", between[] = "\" alt=\"";
    const char *end = inside + length - 1, *quote;
    if (length <= strlen(begins) || memcmp(inside, begins, strlen(begins)) != 0) abort();
    inside += strlen(begins);
    quote = memchr(inside, '"', (size_t)(end - inside));
    if (!quote || memchr(inside, '/', (size_t)(quote - inside)) || *inside == '.') abort();
    if (strncmp(quote, between, strlen(between)) != 0) abort();
    quote += strlen(between);
    if (memchr(quote, '"', (size_t)(end - quote)) || *end != '"') abort();
}

static bool stands_alone(const char *tag)
{
    return strcmp(tag, "br") == 0 || strcmp(tag, "img") == 0;
}

static void check_attributes(const char *tag, const char *inside, size_t length)
{
    if (strcmp(tag, "a") == 0)
        check_link(inside, length);
    else if (strcmp(tag, "img") == 0)
        check_picture(inside, length);
    else if (length > 0)
        abort();
}

static void check_html(const char *html)
{
    size_t open[DEPTH_LIMIT], depth = 0;
    for (const char *at = strchr(html, '<'); at; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        if (!end) abort();
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = strcspn(name, " >"), tag = known_tag(name, length);
        if (closes && name + length != end) abort();
        if (!closes) check_attributes(tags[tag], name + length, (size_t)(end - name) - length);
        if (closes && (depth == 0 || open[--depth] != tag)) abort();
        if (!closes && !stands_alone(tags[tag])) {
            if (depth == DEPTH_LIMIT) abort();
            open[depth++] = tag;
        }
        at = end;
    }
    if (depth != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char **pages = NULL;
    size_t count = 0;
    struct sl_error err;
    if (length > 1 << 16) return 0;
    if (sl_markdown_pages((const char *)bytes, length, &pages, &count, &err) != SL_OK) {
        if (strchr(err.message, '\n')) abort();
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        check_html(pages[i]);
    sl_names_destroy(pages);
    return 0;
}
