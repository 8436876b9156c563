/* A study that is served, and what its handlers share. Private to study/.
 *
 * One process serves one study at "/" or several, each below its own name, on one loop and two
 * ports (server.c). A study has its own store and everything that depends on it.
 *
 * One loop, one thread, one connection to the store. Writes of several requests share a
 * transaction: a handler writes and queues its reply with sl_site_reply; after the events at hand
 * the transaction is committed, and only then are the replies sent. If a write fails, the whole
 * transaction is rolled back and all waiting requests get 503: nothing was acknowledged, and the
 * pages send again. Slow work (pictures, statuses, exports, passwords) has its own threads. */
#ifndef SOFTLAB_STUDY_SERVE_SITE_H
#define SOFTLAB_STUDY_SERVE_SITE_H

#include "softlab/http.h"
#include "softlab/study.h"
#include "study/admin/admin.h"
#include "study/serve/asker.h"
#include "study/serve/caller.h"
#include "study/serve/lanes.h"
#include "study/serve/limits.h"
#include "study/serve/links.h"
#include "study/serve/monitor.h"
#include "study/session/images.h"
#include "study/session/session.h"
#include "study/session/stimuli.h"
#include "study/texts/media.h"
#include "study/texts/texts.h"
#include "study/texts/words.h"

struct sl_waiting;     /* a reply that waits for the commit */
struct sl_parked;      /* requests that wait for another program's lock */
struct sl_gathered;    /* requests that came together */
struct sl_picture_job; /* a picture that is being made */

/* Shared by the studies of one process. */
struct sl_host {
    struct sl_http_loop *loop; /* owned by the server */
    struct sl_study_serve options;
    uint16_t port; /* of the annotators; 0 until it is open */
    struct sl_monitor monitor;
};

struct sl_site {
    struct sl_host *host;         /* borrowed */
    char *prefix;                 /* owned; "" or "/birds" */
    struct sl_study *study;       /* owned */
    struct sl_store *store;       /* owned */
    struct sl_study_admin *admin; /* owned */
    struct sl_asker *asker;       /* owned; NULL: batches are fixed */
    struct sl_flow flow;
    struct sl_texts texts;
    struct sl_words words;
    struct sl_stimuli stimuli;
    struct sl_images images;
    struct sl_media media;
    struct sl_limits *limits; /* owned */
    struct sl_links links;
    struct sl_waiting *first, **last;
    struct sl_picture_job *pictures;
    struct sl_parked *parked;     /* owned */
    struct sl_gathered *gathered; /* owned */
    bool failing;                 /* the last transaction with content was rolled back */
    double logged; /* when a failure was last written to the log (sl_clock_seconds) */
};

/* Read the study and open its store. `prefix` is copied. */
enum sl_status sl_site_open(struct sl_host *host, const char *folder, const char *prefix,
                            struct sl_site **out, struct sl_error *err) SL_MUST_USE;
/* A study of the server; NULL past the last. */
struct sl_site *sl_server_site(const struct sl_study_server *server, size_t index);
/* Call this after the loop is destroyed: waiting requests still write and reply. */
void sl_site_close(struct sl_site *site);

int64_t sl_site_now(const struct sl_site *site);
/* The annotators' address of the study, "https://study.example/birds": heap string; NULL if only
 * the proxy knows it. */
char *sl_site_address(const struct sl_site *site);

/* ---- shared_commit.c ---- */

/* Open a transaction that is committed after the events at hand. False while another program has
 * locked the database: the request waits and is handled again from the beginning, or gets 503 after
 * ten seconds. Nobody else waits for it. */
bool sl_site_ready(struct sl_site *site, struct sl_http_exchange *exchange);
/* Handle the request again a moment later, since another server works on its session. */
void sl_site_park(struct sl_site *site, struct sl_http_exchange *exchange);
size_t sl_site_parked(const struct sl_site *site); /* number of requests that wait for the lock */
struct sl_parked *sl_parked_create(struct sl_site *site);
void sl_parked_destroy(struct sl_parked *parked);
/* Reply with `body` (taken) and 200 once the writes are committed. */
void sl_site_reply(struct sl_site *site, struct sl_http_exchange *exchange, json_t *body);
/* Commit the waiting writes now. */
void sl_site_flush(struct sl_site *site);
/* Roll back the waiting writes; this exchange and all that wait get 503. */
void sl_site_abort(struct sl_site *site, struct sl_http_exchange *exchange,
                   const struct sl_error *err);

/* ---- gathered.c ---- */

/* False if the request is handled again, from the beginning, with the others that have come: a
 * database behind a connection is then asked once for the sessions of all of them. */
bool sl_site_gather(struct sl_site *site, struct sl_http_exchange *exchange);
struct sl_gathered *sl_gathered_create(struct sl_site *site);
void sl_gathered_destroy(struct sl_gathered *gathered);

/* ---- request.c: steps common to all requests of annotators ---- */

struct sl_request {
    struct sl_site *site;
    struct sl_http_exchange *exchange;
    int64_t now;
    struct sl_store_session session;
    struct sl_flow flow; /* the study's places that this session has */
    struct sl_json body; /* of a POST */
};

/* Count the request against its address; false after a 429. */
bool sl_request_admit(struct sl_site *site, struct sl_http_exchange *exchange,
                      const struct sl_limit *limit);
/* Find the session of the cookie, live or over; for a POST from our own page also read its body.
 * False after a reply that says what is wrong. The session's lease is renewed in memory. */
bool sl_request_open(struct sl_request *request, struct sl_site *site,
                     struct sl_http_exchange *exchange, enum sl_http_method method);
void sl_request_close(struct sl_request *request);
/* The places that the request's session has: it has no practice if its own trials show every item
 * of the study. */
enum sl_status sl_request_find_flow(struct sl_request *request, struct sl_error *err) SL_MUST_USE;
/* Refuse: 400 for SL_ERR_INPUT, 409 for SL_ERR_USAGE, 404, else 503 for all that wait. */
void sl_request_fail(struct sl_request *request, const struct sl_error *err);
/* Save the session and reply with `body` (taken) after the commit. */
void sl_request_finish(struct sl_request *request, json_t *body);
/* Words from the page itself, which exports need not scrub: letters, digits, '_' and '-'. */
enum { SL_WORD_MAX = 19 }; /* shorter than a person's id */
bool sl_request_is_word(const char *text, size_t length);
/* Store an event about the session, in the open transaction. `body` is taken. */
enum sl_status sl_request_note(struct sl_request *request, const char *kind, json_t *body,
                               struct sl_error *err) SL_MUST_USE;

/* ---- Handlers; the context is the study ---- */

extern const struct sl_http_route sl_study_routes[];
void sl_handle_arrival(struct sl_http_exchange *exchange, void *context);
void sl_handle_session(struct sl_http_exchange *exchange, void *context);
void sl_handle_check(struct sl_http_exchange *exchange, void *context);
void sl_handle_answer(struct sl_http_exchange *exchange, void *context);
void sl_handle_page(struct sl_http_exchange *exchange, void *context);
void sl_handle_file(struct sl_http_exchange *exchange, void *context);
void sl_handle_image(struct sl_http_exchange *exchange, void *context);
void sl_handle_media(struct sl_http_exchange *exchange, void *context);
/* Send bytes that browsers revalidate and seldom need again. The function sets the reply's status
 * and the headers for the tag. */
void sl_send_tagged(struct sl_http_exchange *exchange, const struct sl_http_reply *reply,
                    const char *tag);
/* A text that changes with the bytes, for ETag. */
void sl_reply_tag(const void *bytes, size_t length, char out[SL_REPLY_TAG]);
/* The `done` of a body that outlives every reply: nothing to free. */
void sl_reply_lasts(void *context);

/* The page with the study's words, one of its files, or a picture by its opaque name. `headers` are
 * added, or NULL. */
void sl_site_send_page(struct sl_site *site, struct sl_http_exchange *exchange,
                       const struct sl_http_header *headers);
void sl_site_send_file(struct sl_http_exchange *exchange, const char *name);
void sl_site_send_image(struct sl_site *site, struct sl_http_exchange *exchange,
                        const char *opaque);
/* A picture of the instructions. */
void sl_site_send_media(const struct sl_site *site, struct sl_http_exchange *exchange,
                        const char *name);
/* {"right": true, "class": "Cat"}: the feedback on an answer to the session's current exercise. The
 * answer's bars are put into the study's order of classes. */
enum sl_status sl_exercise_feedback(struct sl_request *request, json_t *answer, json_t **out,
                                    struct sl_error *err) SL_MUST_USE;
/* The reply of /api/session; moves the session on to a place that the study has. */
enum sl_status sl_session_describe(struct sl_request *request, json_t **out,
                                   struct sl_error *err) SL_MUST_USE;

/* An item as pages get it; a new object. `name_endpoints`: name the classes of a mixture. */
json_t *sl_stimulus_json(const struct sl_stimulus *stimulus, bool name_endpoints);

#endif
