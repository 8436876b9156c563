/* What a server replies, read piece by piece as it comes. */
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
    bool has_head, bodiless; /* bodiless: as the request or the status say */
    int status;
    bool close;
    enum sl_http_framing framing;
    size_t missing;  /* bytes of the body or of the chunk at hand */
    bool last_chunk; /* only the empty line behind it is missing */
    char *cookie;    /* owned */
    unsigned retry_after;
    struct evbuffer *body; /* owned by whoever made it */
};

/* What there is so far is whole, or more must come, or it is not HTTP as we speak it. */
enum sl_http_reading { SL_HTTP_UNFINISHED, SL_HTTP_FINISHED, SL_HTTP_NONSENSE };
enum sl_http_reading sl_http_answer_read(struct sl_http_answer *answer, struct evbuffer *input);
/* For the next one. */
void sl_http_answer_clear(struct sl_http_answer *answer);

#endif
