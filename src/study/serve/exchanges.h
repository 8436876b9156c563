/* A list of requests that are handled again later. Private to study/serve/. */
#ifndef SOFTLAB_STUDY_SERVE_EXCHANGES_H
#define SOFTLAB_STUDY_SERVE_EXCHANGES_H

#include "softlab/http.h"

struct sl_exchanges {
    struct sl_http_exchange **all; /* owned; the exchanges are borrowed */
    size_t count, capacity;
};

void sl_exchanges_add(struct sl_exchanges *list, struct sl_http_exchange *exchange);
/* The list as it is, which is empty afterwards; the caller releases what it gets. */
struct sl_exchanges sl_exchanges_take(struct sl_exchanges *list);
/* Handle all of them again, from the beginning, and release the list. */
void sl_exchanges_again(struct sl_exchanges *list);
void sl_exchanges_release(struct sl_exchanges *list);

#endif
