#include "http_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"

enum { MAX_HEADERS = 100, MAX_HOST = 255 };

struct span {
    const char *text;
    size_t length;
};

static const struct sl_http_refusal accepted = {0};

static struct sl_http_refusal refuse(int status, const char *message)
{
    return (struct sl_http_refusal){.status = status, .message = message};
}

enum sl_http_scan sl_http_head_scan(const char *bytes, size_t length, size_t *at)
{
    for (;;) {
        const char *end = memchr(bytes + *at, '\n', length - *at);
        if (!end) {
            *at = length;
            return SL_HTTP_MORE;
        }
        size_t line_end = (size_t)(end - bytes);
        *at = line_end + 1;
        /* An empty first line is an error too. */
        if (line_end < 2 || bytes[line_end - 1] != '\r') return SL_HTTP_BARE;
        if (bytes[line_end - 2] == '\n') return SL_HTTP_HEAD;
    }
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_alphanumeric(char byte)
{
    return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* RFC 9110, section 5.6.2. */
static bool is_token(struct span span)
{
    for (size_t i = 0; i < span.length; i++) {
        char byte = span.text[i];
        if (!is_alphanumeric(byte) && (!byte || !strchr("!#$%&'*+-.^_`|~", byte))) return false;
    }
    return span.length > 0;
}

static bool is_field_value(struct span span)
{
    for (size_t i = 0; i < span.length; i++) {
        unsigned char byte = (unsigned char)span.text[i];
        if ((byte < 0x20 && byte != '\t') || byte == 0x7F) return false;
    }
    return true;
}

static bool equals(struct span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.text, text, span.length) == 0;
}

static bool is_named(struct span span, const char *name)
{
    return span.length == strlen(name) && strncasecmp(span.text, name, span.length) == 0;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static struct span trimmed(struct span span)
{
    while (span.length > 0 && is_blank(span.text[0])) {
        span.text++;
        span.length--;
    }
    while (span.length > 0 && is_blank(span.text[span.length - 1]))
        span.length--;
    return span;
}

/* The part of `*rest` before the first `separator`; `*rest` moves behind it. */
static struct span cut(struct span *rest, char separator)
{
    const char *end = rest->length ? memchr(rest->text, separator, rest->length) : NULL;
    struct span part = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
    size_t taken = end ? part.length + 1 : part.length;
    rest->text += taken;
    rest->length -= taken;
    return part;
}

/* The next line, without its CR LF. */
static struct span cut_line(struct span *rest)
{
    struct span line = cut(rest, '\n');
    line.length--;
    return line;
}

/* ---- The request line ---- */

/* Visible ASCII, except characters that must be escaped or only confuse. */
static bool is_target(struct span span)
{
    for (size_t i = 0; i < span.length; i++) {
        unsigned char byte = (unsigned char)span.text[i];
        if (byte <= 0x20 || byte >= 0x7F || strchr("\\#\"<>", byte)) return false;
    }
    return span.length > 0 && span.text[0] == '/';
}

static struct sl_http_refusal read_target(struct span target, struct sl_http_head *out)
{
    if (!is_target(target)) return refuse(400, "the request target is not plain");
    struct span query = target;
    struct span path = cut(&query, '?');
    if (path.length >= sizeof out->path) return refuse(414, "the path is too long");
    if (!sl_http_path_decode(path.text, path.length, out->path))
        return refuse(400, "the path is not plain");
    if (!sl_http_query_parse(query.text, query.length, &out->query))
        return refuse(400, "the query is not well-formed");
    return accepted;
}

/* The copy of the head has a NUL where a space followed the target. */
static void keep_query(struct span target, size_t offset, struct sl_http_head *out)
{
    char *copy = out->headers.text + offset;
    copy[target.length] = '\0';
    out->query_text = copy + strcspn(copy, "?");
    if (*out->query_text) out->query_text++;
}

static struct sl_http_refusal read_request_line(struct span line, struct sl_http_head *out)
{
    const char *begin = line.text;
    struct span method = cut(&line, ' ');
    struct span target = cut(&line, ' ');
    struct span version = line;
    if (!is_token(method)) return refuse(400, "the request line is not well-formed");
    if (equals(version, "HTTP/1.0"))
        out->old = true;
    else if (version.length == 8 && strncmp(version.text, "HTTP/", 5) == 0 &&
             !equals(version, "HTTP/1.1"))
        return refuse(505, "only HTTP/1.1 is supported");
    else if (!equals(version, "HTTP/1.1"))
        return refuse(400, "the request line is not well-formed");
    if (equals(method, "POST"))
        out->method = SL_HTTP_POST;
    else if (equals(method, "HEAD"))
        out->bodiless = true;
    else if (!equals(method, "GET"))
        return refuse(405, "only GET, HEAD and POST are allowed");
    struct sl_http_refusal refusal = read_target(target, out);
    if (!refusal.status) keep_query(target, (size_t)(target.text - begin), out);
    return refusal;
}

/* ---- The header fields ---- */

static bool is_host(struct span value)
{
    for (size_t i = 0; i < value.length; i++) {
        char byte = value.text[i];
        if (!is_alphanumeric(byte) && (!byte || !strchr("-._:[]", byte))) return false;
    }
    return value.length > 0 && value.length <= MAX_HOST;
}

/* Digits only: no sign, no list, no space inside. */
static bool read_length(struct span value, size_t *out)
{
    size_t length = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (!is_digit(value.text[i])) return false;
        if (length > SIZE_MAX / 10 - 1) return false;
        length = length * 10 + (size_t)(value.text[i] - '0');
    }
    *out = length;
    return value.length > 0;
}

static bool has_member(struct span list, const char *name)
{
    while (list.length > 0)
        if (is_named(trimmed(cut(&list, ',')), name)) return true;
    return false;
}

/* If one of these came twice, a proxy might use another of the two than we do. */
enum { HOST, LENGTH };
static const char *const once[] = {
    [HOST] = "Host",  [LENGTH] = "Content-Length", "Content-Type", "Cookie", "Origin",
    "Sec-Fetch-Site", "X-Forwarded-Proto",
};

struct fields {
    const struct sl_http_options *options;
    const char *bytes; /* the head; out->headers.text is a copy of it */
    bool seen[sizeof once / sizeof *once];
};

/* Whether the name without its port is one of the listener's. */
static bool is_ours(struct span host, const char *const *hosts)
{
    const char *bracket = memchr(host.text, ']', host.length);
    const char *from = bracket ? bracket : host.text;
    const char *colon = memchr(from, ':', host.length - (size_t)(from - host.text));
    if (colon) host.length = (size_t)(colon - host.text);
    for (; hosts && *hosts; hosts++)
        if (is_named(host, *hosts)) return true;
    return false;
}

static struct sl_http_refusal check_single(size_t which, struct span value, struct fields *fields,
                                           struct sl_http_head *out)
{
    if (fields->seen[which]) return refuse(400, "a header that may occur only once is repeated");
    fields->seen[which] = true;
    if (which == LENGTH && !read_length(value, &out->body))
        return refuse(400, "Content-Length is not a number");
    if (which != HOST) return accepted;
    if (!is_host(value)) return refuse(400, "Host is not well-formed");
    if (fields->options->hosts && !is_ours(value, fields->options->hosts))
        return refuse(421, "this server does not have that name");
    return accepted;
}

/* In the copy of the head, names and values end in NUL in place of the colon and the CR. */
static void keep_field(const struct fields *fields, struct span name, struct span value,
                       struct sl_http_pairs *headers)
{
    char *name_copy = headers->text + (name.text - fields->bytes);
    char *value_copy = headers->text + (value.text - fields->bytes);
    name_copy[name.length] = '\0';
    value_copy[value.length] = '\0';
    headers->items[headers->count++] = (struct sl_http_pair){name_copy, value_copy};
}

static struct sl_http_refusal read_field(struct span line, struct fields *fields,
                                         struct sl_http_head *out)
{
    if (!line.length || !memchr(line.text, ':', line.length))
        return refuse(400, "a header line has no colon");
    struct span value = line;
    struct span name = cut(&value, ':');
    value = trimmed(value);
    /* A folded line begins with a space, which is not a token either. */
    if (!is_token(name) || !is_field_value(value))
        return refuse(400, "a header line is not well-formed");
    if (out->headers.count == MAX_HEADERS) return refuse(431, "there are too many header lines");
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (!is_named(name, once[i])) continue;
        struct sl_http_refusal refusal = check_single(i, value, fields, out);
        if (refusal.status) return refusal;
    }
    if (is_named(name, "Transfer-Encoding"))
        return refuse(411, "bodies must come with Content-Length");
    if (is_named(name, "Expect")) return refuse(417, "the Expect header is not supported");
    if (is_named(name, "Connection") && has_member(value, "close")) out->close = true;
    keep_field(fields, name, value, &out->headers);
    if (is_named(name, "Cookie"))
        sl_http_cookies_parse(out->headers.items[out->headers.count - 1].value, &out->cookies);
    return accepted;
}

static struct sl_http_refusal check_body(const struct sl_http_head *head,
                                         const struct fields *fields)
{
    if (!fields->seen[HOST]) return refuse(400, "Host is missing");
    if (head->method == SL_HTTP_POST && !fields->seen[LENGTH])
        return refuse(411, "a POST needs Content-Length");
    if (head->method == SL_HTTP_GET && head->body > 0) return refuse(400, "a GET has no body");
    if (head->body > fields->options->max_body) return refuse(413, "the body is too large");
    return accepted;
}

struct sl_http_refusal sl_http_head_parse(const char *bytes, size_t length,
                                          const struct sl_http_options *options,
                                          struct sl_http_head *out)
{
    struct span rest = {bytes, length};
    struct fields fields = {.options = options, .bytes = bytes};
    *out = (struct sl_http_head){.method = SL_HTTP_GET};
    out->headers.text = sl_alloc(length, 1);
    memcpy(out->headers.text, bytes, length);
    out->headers.items = sl_alloc(MAX_HEADERS, sizeof *out->headers.items);
    struct sl_http_refusal refusal = read_request_line(cut_line(&rest), out);
    /* The last two bytes are the empty line. */
    while (!refusal.status && rest.length > 2)
        refusal = read_field(cut_line(&rest), &fields, out);
    if (!refusal.status) refusal = check_body(out, &fields);
    if (refusal.status) sl_http_head_release(out);
    if (out->old) out->close = true;
    return refusal;
}

void sl_http_head_release(struct sl_http_head *head)
{
    sl_http_pairs_release(&head->query);
    sl_http_pairs_release(&head->headers);
    sl_http_pairs_release(&head->cookies);
    *head = (struct sl_http_head){0};
}
