/* The study server from inside: what its handlers share. Private to study/.
 *
 * One loop, one thread, one connection to the store. Writes of several requests share a
 * transaction: a handler writes and leaves its reply with sl_server_reply; when the events at hand
 * have been handled the transaction is committed, and only then do the replies go out. If anything
 * in it fails, all of it is undone and everybody who waits hears 503: nothing was acknowledged, and
 * pages ask again. */
#ifndef SOFTLAB_STUDY_SERVER_H
#define SOFTLAB_STUDY_SERVER_H

#include "softlab/http.h"
#include "softlab/study.h"
#include "study/admin.h"
#include "study/images.h"
#include "study/limits.h"
#include "study/links.h"
#include "study/session.h"
#include "study/stimuli.h"
#include "study/texts.h"

struct sl_waiting;     /* a reply that waits for the commit */
struct sl_picture_job; /* a picture in the making */

struct sl_study_server {
    struct sl_study *study;       /* owned */
    struct sl_store *store;       /* owned */
    struct sl_http_loop *loop;    /* owned */
    struct sl_study_admin *admin; /* owned */
    struct sl_http_listener *annotators, *researcher;
    struct sl_study_serve options;
    struct sl_flow flow;
    struct sl_texts texts;
    struct sl_stimuli stimuli;
    struct sl_images images;
    struct sl_limits *limits; /* owned */
    struct sl_links links;
    struct sl_waiting *first, **last;
    struct sl_picture_job *pictures;
};

int64_t sl_server_now(const struct sl_study_server *server);

/* ---- commit.c ---- */

/* Inside a transaction from here on. */
enum sl_status sl_server_begin(struct sl_study_server *server, struct sl_error *err) SL_MUST_USE;
/* Reply with `body` (taken) and 200 when what was written is safe. */
void sl_server_reply(struct sl_study_server *server, struct sl_http_exchange *exchange,
                     json_t *body);
/* Commit now what waits. */
void sl_server_flush(struct sl_study_server *server);
/* Undo what waits; this exchange and all that wait get 503. */
void sl_server_abort(struct sl_study_server *server, struct sl_http_exchange *exchange,
                     const struct sl_error *err);

/* ---- request.c: what every request of an annotator goes through ---- */

struct sl_request {
    struct sl_study_server *server;
    struct sl_http_exchange *exchange;
    int64_t now;
    struct sl_store_session session;
    struct sl_json body; /* of a POST */
};

/* Who asks: the peer, or what the proxy says. */
const char *sl_request_address(const struct sl_study_server *server,
                               const struct sl_http_exchange *exchange, char *out, size_t size);
bool sl_request_secure(const struct sl_study_server *server,
                       const struct sl_http_exchange *exchange);
/* Counts against the address; false after a 429. */
bool sl_request_admit(struct sl_study_server *server, struct sl_http_exchange *exchange,
                      const struct sl_limit *limit);
/* The session of the cookie, live or over; for a POST from our own page also its body. False after
 * a reply that says what is wrong. The session's lease is renewed in memory. */
bool sl_request_open(struct sl_request *request, struct sl_study_server *server,
                     struct sl_http_exchange *exchange, enum sl_http_method method);
void sl_request_close(struct sl_request *request);
/* Refuse: 400 for SL_ERR_INPUT, 409 for SL_ERR_USAGE, 404, else 503 for all that wait. */
void sl_request_fail(struct sl_request *request, const struct sl_error *err);
/* Save the session and reply with `body` (taken) after the commit. */
void sl_request_finish(struct sl_request *request, json_t *body);
/* Words of the page's own, which need no cleaning in exports: letters, digits, '_' and '-'. */
enum { SL_WORD_MAX = 19 }; /* shorter than an id of a person */
bool sl_request_is_word(const char *text, size_t length);
/* Note something about the session, within the transaction. `body` is taken. */
enum sl_status sl_request_note(struct sl_request *request, const char *kind, json_t *body,
                               struct sl_error *err) SL_MUST_USE;

/* ---- Handlers; the context is the server ---- */

extern const struct sl_http_route sl_study_routes[];
void sl_handle_arrival(struct sl_http_exchange *exchange, void *context);
void sl_handle_session(struct sl_http_exchange *exchange, void *context);
void sl_handle_answer(struct sl_http_exchange *exchange, void *context);
void sl_handle_page(struct sl_http_exchange *exchange, void *context);
void sl_handle_file(struct sl_http_exchange *exchange, void *context);
void sl_handle_image(struct sl_http_exchange *exchange, void *context);

/* An item as pages get it; a new object. `name_endpoints`: whether a mixture says of what. */
json_t *sl_stimulus_json(const struct sl_stimulus *stimulus, bool name_endpoints);

#endif
