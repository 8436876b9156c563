/* Shared by the files of the researcher's port. Private to study/admin/. */
#ifndef SOFTLAB_STUDY_ADMIN_INTERNAL_H
#define SOFTLAB_STUDY_ADMIN_INTERNAL_H

#include "study/admin/admin.h"
#include "study/serve/caller.h"
#include "study/stored_answers.h"

/* Passwords compared at once, at most; one comparison takes a tenth of a second. */
enum { SL_ADMIN_ATTEMPTS = 32 };

/* Cached views: of the study, of people, of items. Used on the status thread only. */
enum { SL_ADMIN_KEPT = 16, SL_ADMIN_TAG = 20 };
struct sl_admin_kept {
    char *name, *text; /* owned; NULL: free */
    char tag[SL_ADMIN_TAG];
    int64_t version; /* of the store */
    int64_t made;    /* ms since 1970 */
    int64_t cost_ms;
};
struct sl_admin_views {
    struct sl_store *store; /* owned; read-only; NULL until the first request */
    struct sl_admin_kept kept[SL_ADMIN_KEPT];
};

struct sl_study_admin {
    struct sl_study_admin_options options;
    struct sl_admin_views views;
    struct sl_study_items items; /* owned; as they were when the server started */
    struct sl_admin_access access;
    /* Networks whose password is being compared: one at a time for each. */
    char trying[SL_ADMIN_ATTEMPTS][SL_HTTP_NETWORK];
};

int64_t sl_admin_now(const struct sl_study_admin *admin);
/* The cookie's secret if its session is live; otherwise NULL, after a 401 reply. */
const char *sl_admin_require(struct sl_study_admin *admin, struct sl_http_exchange *exchange);
/* For a request that changes something: whether it came from our own page with the session's token;
 * false after a refusal. */
bool sl_admin_require_form(struct sl_study_admin *admin, struct sl_http_exchange *exchange);
/* Reply with `value` (taken); `cookie` is to be set, or NULL. */
void sl_admin_send_json(struct sl_http_exchange *exchange, json_t *value, const char *cookie);
/* Add an event to the study's log: who looked at what, from which network. If it cannot be written,
 * the server's log says so and the request continues. */
void sl_admin_note(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   const char *kind, const char *what);

/* A new read-only connection, whose walks end when the server stops. */
enum sl_status sl_admin_open_store(const struct sl_study_admin *admin, struct sl_store **out,
                                   struct sl_error *err) SL_MUST_USE;
/* Reply with the error's message, and log it. */
void sl_admin_fail(const struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   enum sl_status status, const struct sl_error *err);

/* data.c: files and pictures, made on other threads from read-only connections, so that annotators
 * never wait for them. */
void sl_admin_get_export(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_image(struct sl_http_exchange *exchange, void *context);

/* A file that is being prepared. */
struct sl_admin_download {
    /* Write the file and set `descriptor`; the file needs no name afterwards. */
    enum sl_status (*fill)(struct sl_admin_download *download, struct sl_store *store,
                           struct sl_error *err);
    const void *source; /* borrowed; for `fill` */
    char *file, *what;  /* owned; its name for the browser, and in the log */
    const char *type;
    int descriptor; /* owned; -1: none yet */
    struct sl_study_admin *admin;
    struct sl_http_exchange *exchange;
    enum sl_status status;
    struct sl_error err;
};
struct sl_admin_download *sl_admin_download_create(const char *file, const char *what,
                                                   const void *source);
/* Prepare the file and send it; takes `download`. */
void sl_admin_send(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   struct sl_admin_download *download);
/* An unused path in the study's folder: heap string. */
char *sl_admin_hidden_path(const struct sl_study_admin *admin, const char *suffix);

/* preview.c: the annotators' pages on this port; no answer is kept. */
void sl_admin_get_previews(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_preview(struct sl_http_exchange *exchange, void *context);
void sl_admin_post_preview(struct sl_http_exchange *exchange, void *context);

/* words.c: the texts of those pages. */
void sl_admin_get_words(struct sl_http_exchange *exchange, void *context);
void sl_admin_post_words(struct sl_http_exchange *exchange, void *context);

/* labels.c */
void sl_admin_get_labels(struct sl_http_exchange *exchange, void *context);
/* [{"name": "t2-clamp", "summary": ...}, ...]: the methods that can use the study's answers. */
json_t *sl_admin_label_methods(const struct sl_study *study);

/* views.c: the data of the pages, computed at most once per commit. */
void sl_admin_get_status(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_person(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_item(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_comments(struct sl_http_exchange *exchange, void *context);
void sl_admin_views_release(struct sl_admin_views *views);

#endif
