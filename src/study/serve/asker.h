/* Asker: chooses the items of new sessions in an adaptive study. A thread of its own makes boards
 * from the stored answers, never the loop; decisions are made on the loop, on the latest board.
 * Private to study/serve/. */
#ifndef SOFTLAB_STUDY_SERVE_ASKER_H
#define SOFTLAB_STUDY_SERVE_ASKER_H

#include "softlab/http.h"
#include "study/asking/board.h"

struct sl_asker;
struct sl_asker_options {
    const struct sl_study *study;  /* borrowed */
    struct sl_http_loop *loop;     /* borrowed */
    int64_t (*now)(void *context); /* ms since 1970; from any thread */
    void *clock_context;
    const struct sl_log *log;
};
/* Make the first board, and from then on another one soon after something was stored. */
enum sl_status sl_asker_create(const struct sl_asker_options *options, struct sl_asker **out,
                               struct sl_error *err) SL_MUST_USE;
/* Call this after the loop is destroyed. */
void sl_asker_destroy(struct sl_asker *asker);

/* sl_store_arrive with items that are chosen for this person. */
enum sl_status sl_asker_arrive(struct sl_asker *asker, struct sl_store *store,
                               const struct sl_store_arrival *arrival, struct sl_store_session *out,
                               bool *returning, struct sl_error *err) SL_MUST_USE;

#endif
