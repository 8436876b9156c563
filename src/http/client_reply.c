#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MAX_LINE = 64 << 10, MAX_REPLY = 64 << 20 };

void sl_http_answer_clear(struct sl_http_answer *answer)
{
    struct evbuffer *body = answer->body;
    evbuffer_drain(body, evbuffer_get_length(body));
    free(answer->cookie);
    *answer = (struct sl_http_answer){.body = body};
}

/* The next line, owned by the caller, or NULL; `*nonsense` if none can follow. */
static char *next_line(struct evbuffer *input, bool *nonsense)
{
    char *line = evbuffer_readln(input, NULL, EVBUFFER_EOL_CRLF_STRICT);
    *nonsense = !line && evbuffer_get_length(input) > MAX_LINE;
    return line;
}

static bool read_status(struct sl_http_answer *answer, const char *line)
{
    bool is_http = strncmp(line, "HTTP/1.", 7) == 0 && strlen(line) >= 12 && line[8] == ' ';
    answer->status = is_http ? (int)strtol(line + 9, NULL, 10) : 0;
    answer->close = is_http && line[7] == '0';
    answer->framing = SL_HTTP_UNTIL_CLOSE;
    return answer->status >= 200 && answer->status <= 599;
}

static bool read_number(const char *text, int base, size_t *out)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, base);
    *out = (size_t)value;
    return end != text && (*end == '\0' || *end == ';') && value <= MAX_REPLY;
}

static bool read_field(struct sl_http_answer *answer, char *line)
{
    char *value = strchr(line, ':');
    if (!value) return false;
    *value++ = '\0';
    value += strspn(value, " \t");
    if (strcasecmp(line, "Content-Length") == 0) {
        answer->framing = SL_HTTP_BY_LENGTH;
        return read_number(value, 10, &answer->missing);
    }
    if (strcasecmp(line, "Transfer-Encoding") == 0) {
        answer->framing = SL_HTTP_IN_CHUNKS;
        return strcasecmp(value, "chunked") == 0;
    }
    if (strcasecmp(line, "Connection") == 0 && strcasecmp(value, "close") == 0)
        answer->close = true;
    if (strcasecmp(line, "Retry-After") == 0)
        answer->retry_after = (unsigned)strtoul(value, NULL, 10);
    if (strcasecmp(line, "Set-Cookie") == 0 && !answer->cookie)
        answer->cookie = sl_string_copy(value);
    return true;
}

static enum sl_http_reading read_head(struct sl_http_answer *answer, struct evbuffer *input)
{
    bool nonsense = false;
    for (char *line; (line = next_line(input, &nonsense));) {
        bool is_end = answer->status != 0 && *line == '\0', fine = true;
        if (answer->status == 0)
            fine = read_status(answer, line);
        else if (!is_end)
            fine = read_field(answer, line);
        free(line);
        if (!fine) return SL_HTTP_NONSENSE;
        if (!is_end) continue;
        answer->has_head = true;
        answer->bodiless = answer->status == 204 || answer->status == 304;
        if (answer->framing == SL_HTTP_UNTIL_CLOSE) answer->close = true;
        return SL_HTTP_FINISHED;
    }
    return nonsense ? SL_HTTP_NONSENSE : SL_HTTP_UNFINISHED;
}

static void take(struct sl_http_answer *answer, struct evbuffer *input)
{
    int taken = evbuffer_remove_buffer(input, answer->body, answer->missing);
    if (taken > 0) answer->missing -= (size_t)taken;
}

static enum sl_http_reading read_chunks(struct sl_http_answer *answer, struct evbuffer *input)
{
    bool nonsense = false;
    for (;;) {
        take(answer, input);
        if (answer->missing > 0) return SL_HTTP_UNFINISHED;
        if (evbuffer_get_length(answer->body) > MAX_REPLY) return SL_HTTP_NONSENSE;
        char *line = next_line(input, &nonsense);
        if (!line) return nonsense ? SL_HTTP_NONSENSE : SL_HTTP_UNFINISHED;
        bool is_empty = *line == '\0', fine = is_empty;
        if (!is_empty) fine = read_number(line, 16, &answer->missing);
        free(line);
        if (is_empty && answer->last_chunk) return SL_HTTP_FINISHED;
        if (!fine) return SL_HTTP_NONSENSE;
        /* An empty line follows the data of a chunk; the last chunk has no data. */
        if (!is_empty && answer->missing == 0) answer->last_chunk = true;
    }
}

enum sl_http_reading sl_http_answer_read(struct sl_http_answer *answer, struct evbuffer *input)
{
    if (!answer->has_head) {
        enum sl_http_reading reading = read_head(answer, input);
        if (reading != SL_HTTP_FINISHED) return reading;
    }
    if (answer->bodiless) return SL_HTTP_FINISHED;
    switch (answer->framing) {
    case SL_HTTP_BY_LENGTH:
        take(answer, input);
        return answer->missing > 0 ? SL_HTTP_UNFINISHED : SL_HTTP_FINISHED;
    case SL_HTTP_IN_CHUNKS: return read_chunks(answer, input);
    case SL_HTTP_UNTIL_CLOSE:
        evbuffer_add_buffer(answer->body, input);
        return evbuffer_get_length(answer->body) > MAX_REPLY ? SL_HTTP_NONSENSE
                                                             : SL_HTTP_UNFINISHED;
    }
    return SL_HTTP_NONSENSE;
}
