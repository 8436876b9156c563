/* Reads a server's reply piece by piece as it arrives. */
#ifndef SOFTLAB_HTTP_CLIENT_INTERNAL_H
#define SOFTLAB_HTTP_CLIENT_INTERNAL_H

#include <event2/buffer.h>

#include "softlab/http/client.h"

enum sl_http_framing {
    SL_HTTP_BY_LENGTH,
    SL_HTTP_IN_CHUNKS,
    SL_HTTP_UNTIL_CLOSE,
};

struct sl_http_answer {
    bool has_head, bodiless; /* bodiless: the request or the status says that no body follows */
    int status;
    bool close;
    enum sl_http_framing framing;
    size_t missing;  /* bytes left of the body or of the current chunk */
    bool last_chunk; /* only the empty line after it is missing */
    char *cookie;    /* owned */
    unsigned retry_after;
    struct evbuffer *body; /* owned by its creator */
};

/* Whether the reply is complete, needs more bytes, or is not HTTP that we understand. */
enum sl_http_reading { SL_HTTP_UNFINISHED, SL_HTTP_FINISHED, SL_HTTP_NONSENSE };
enum sl_http_reading sl_http_answer_read(struct sl_http_answer *answer, struct evbuffer *input);
/* Prepare for the next reply. */
void sl_http_answer_clear(struct sl_http_answer *answer);

#endif
