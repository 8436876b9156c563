#include "plot_sample.h"

__attribute__((noreturn)) static void refuse(const struct svg *svg, const char *at, const char *why)
{
    print_error("not well-formed: %s at \"%.60s\"\n", why, at);
    (void)svg;
    fail();
    abort(); /* fail does not return, but is not declared so */
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == ':';
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_name(at[length]))
        length++;
    return length;
}

/* Decode text up to `end`; '<' inside it, a bare '&' and control characters are refused. */
static char *decode(const struct svg *svg, const char *at, const char *end)
{
    static const struct {
        const char *entity;
        char character;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    char *out = sl_alloc((size_t)(end - at) + 1, 1);
    size_t used = 0;
    while (at < end) {
        if (*at == '<' || ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t'))
            refuse(svg, at, "a character that must be escaped");
        size_t i = 0, n = sizeof entities / sizeof *entities;
        if (*at == '&') {
            while (i < n && strncmp(at, entities[i].entity, strlen(entities[i].entity)) != 0)
                i++;
            if (i == n) refuse(svg, at, "an unknown entity");
            out[used++] = entities[i].character;
            at += strlen(entities[i].entity);
        } else {
            out[used++] = *at++;
        }
    }
    return out;
}

/* Past the attributes of a tag: name='value', each name once. */
static const char *skip_attributes(const struct svg *svg, const char *at)
{
    for (;;) {
        if (*at == '>' || (*at == '/' && at[1] == '>')) return at;
        if (*at != ' ') refuse(svg, at, "no space before an attribute");
        at++;
        size_t length = name_length(at);
        if (length == 0 || at[length] != '=' || at[length + 1] != '\'')
            refuse(svg, at, "a malformed attribute");
        const char *value = at + length + 2, *end = strchr(value, '\'');
        if (!end) refuse(svg, at, "an attribute without an end");
        free(decode(svg, value, end));
        at = end + 1;
    }
}

static const char *open_element(struct svg *svg, const char *at, size_t *stack, size_t *depth)
{
    struct svg_element *element = &svg->elements[svg->count];
    assert_true(svg->count < SVG_MOST && *depth < SVG_DEPTH);
    size_t length = name_length(at + 1);
    if (length == 0) refuse(svg, at, "a tag without a name");
    const char *attributes = at + 1 + length, *end = skip_attributes(svg, attributes);
    *element = (struct svg_element){.name = at + 1,
                                    .name_length = length,
                                    .attributes = attributes,
                                    .attributes_length = (size_t)(end - attributes),
                                    .depth = *depth,
                                    .parent = *depth > 0 ? stack[*depth - 1] : 0};
    const char *content = *end == '/' ? end : end + 1;
    const char *stop = *end == '/' ? end : content + strcspn(content, "<");
    element->text = decode(svg, content, stop);
    if (*end != '/') stack[(*depth)++] = svg->count;
    svg->count++;
    return *end == '/' ? end + 2 : end + 1;
}

static const char *close_element(struct svg *svg, const char *at, const size_t *stack,
                                 size_t *depth)
{
    if (*depth == 0) refuse(svg, at, "an end without a beginning");
    const struct svg_element *element = &svg->elements[stack[--*depth]];
    if (strncmp(at + 2, element->name, element->name_length) != 0 ||
        at[2 + element->name_length] != '>')
        refuse(svg, at, "the end of another element");
    return at + 3 + element->name_length;
}

void svg_parse(struct svg *svg)
{
    size_t stack[SVG_DEPTH] = {0}, depth = 0;
    const char *at = svg->source.data;
    svg->elements = sl_alloc(SVG_MOST, sizeof *svg->elements);
    svg->count = 0;
    if (sl_utf8_valid(at, svg->source.length) != svg->source.length)
        refuse(svg, at, "bytes that are not UTF-8");
    assert_int_equal(strlen(at), svg->source.length);
    while (*at) {
        if (*at == '<' && at[1] == '/') {
            at = close_element(svg, at, stack, &depth);
        } else if (*at == '<') {
            if (depth == 0 && svg->count > 0) refuse(svg, at, "a second root");
            at = open_element(svg, at, stack, &depth);
        } else {
            const char *end = at + strcspn(at, "<");
            if (depth == 0 && strcmp(at, "\n") != 0) refuse(svg, at, "text outside the root");
            free(decode(svg, at, end));
            at = end;
        }
    }
    if (depth != 0) refuse(svg, at, "an element without an end");
}

void svg_draw(const struct sl_plot *plot, struct svg *out)
{
    struct sl_error err;
    *out = (struct svg){0};
    sl_buffer_init(&out->source, 32 << 20);
    assert_ok(sl_plot_svg(plot, &out->source, &err), err);
    svg_parse(out);
}

void svg_release(struct svg *svg)
{
    for (size_t i = 0; i < svg->count; i++)
        free(svg->elements[i].text);
    free(svg->elements);
    sl_buffer_release(&svg->source);
}

const char *svg_attribute(const struct svg_element *element, const char *name)
{
    static char value[8192];
    const char *at = element->attributes, *end = at + element->attributes_length;
    while (at < end) {
        size_t length = name_length(++at);
        const char *begin = at + length + 2, *stop = strchr(begin, '\'');
        if (length == strlen(name) && memcmp(at, name, length) == 0) {
            assert_true((size_t)(stop - begin) < sizeof value);
            memcpy(value, begin, (size_t)(stop - begin));
            value[stop - begin] = '\0';
            return value;
        }
        at = stop + 1;
    }
    return NULL;
}

double svg_number(const struct svg_element *element, const char *name)
{
    double number = (double)NAN;
    const char *text = svg_attribute(element, name);
    assert_non_null(text);
    assert_true(sl_text_to_real(text, strlen(text), &number));
    return number;
}

static bool has_class(const struct svg_element *element, const char *class_name)
{
    const char *classes = svg_attribute(element, "class");
    size_t length = strlen(class_name);
    for (const char *at = classes; at && *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, class_name, length) == 0) return true;
    return false;
}

static bool matches(const struct svg_element *element, const char *name, const char *class_name)
{
    return element->name_length == strlen(name) &&
           memcmp(element->name, name, element->name_length) == 0 &&
           (!class_name || has_class(element, class_name));
}

const struct svg_element *svg_find(const struct svg *svg, const char *name, const char *class_name,
                                   size_t i)
{
    for (size_t e = 0; e < svg->count; e++)
        if (matches(&svg->elements[e], name, class_name) && i-- == 0) return &svg->elements[e];
    return NULL;
}

size_t svg_count(const struct svg *svg, const char *name, const char *class_name)
{
    size_t count = 0;
    for (size_t e = 0; e < svg->count; e++)
        count += matches(&svg->elements[e], name, class_name);
    return count;
}

const struct svg_element *svg_with_text(const struct svg *svg, const char *name, const char *text)
{
    for (size_t e = 0; e < svg->count; e++)
        if (matches(&svg->elements[e], name, NULL) && strcmp(svg->elements[e].text, text) == 0)
            return &svg->elements[e];
    return NULL;
}

bool svg_pair(const struct svg_element *path, size_t i, double *x, double *y)
{
    const char *data = svg_attribute(path, "d");
    for (const char *at = data; at && *at; at++) {
        if (*at != 'M' && *at != 'L') continue;
        if (i-- > 0) continue;
        char *comma;
        *x = strtod(at + 1, &comma);
        *y = strtod(comma + 1, NULL);
        return *comma == ',';
    }
    return false;
}

size_t svg_moves(const struct svg_element *path)
{
    size_t moves = 0;
    const char *at = path->attributes;
    for (size_t i = 0; i < path->attributes_length; i++)
        moves += at[i] == 'M';
    return moves;
}
