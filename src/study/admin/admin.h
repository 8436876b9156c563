/* The researcher's port: logged-in sessions, and limits on password attempts. Private to study/. */
#ifndef SOFTLAB_STUDY_ADMIN_ADMIN_H
#define SOFTLAB_STUDY_ADMIN_ADMIN_H

#include "softlab/http.h"
#include "softlab/study.h"

struct sl_site;

struct sl_study_admin_options {
    struct sl_site *site;         /* the annotators' site, for previews; NULL: no previews */
    const struct sl_study *study; /* borrowed, as all of these */
    struct sl_store *store;       /* for the password and the log; used on the loop's thread only */
    const char *prefix;           /* the path before /admin: "" or "/birds" */
    struct sl_http_loop *loop;
    bool behind_proxy;
    int64_t (*now)(void *context); /* ms since 1970 */
    void *clock_context;
    const struct sl_log *log;
};

/* The context of the routes. */
struct sl_study_admin;
enum sl_status sl_study_admin_create(const struct sl_study_admin_options *options,
                                     struct sl_study_admin **out, struct sl_error *err) SL_MUST_USE;
/* Call this after the loop is destroyed: running work refers to it. */
void sl_study_admin_destroy(struct sl_study_admin *admin);

extern const struct sl_http_route sl_study_admin_routes[];

/* ---- access.c: sessions and attempts, in memory, by the caller's clock ---- */

enum {
    SL_ADMIN_TOKEN_BYTES = 32,
    SL_ADMIN_TOKEN_TEXT = 2 * SL_ADMIN_TOKEN_BYTES + 1,
    SL_ADMIN_SESSIONS = 16,   /* at once; the oldest is dropped */
    SL_ADMIN_ADDRESSES = 256, /* networks whose failures are remembered; the oldest is dropped */
    SL_ADMIN_HOURS = 8,
};

struct sl_admin_session {
    uint8_t hash[SL_ADMIN_TOKEN_BYTES]; /* of the cookie's secret */
    int64_t expires;                    /* ms; 0: free */
};
struct sl_admin_attempts {
    char network[SL_HTTP_NETWORK];
    unsigned failures;
    int64_t until, last; /* ms: no attempt is allowed before `until` */
};
struct sl_admin_access {
    struct sl_admin_session sessions[SL_ADMIN_SESSIONS];
    struct sl_admin_attempts addresses[SL_ADMIN_ADDRESSES];
};

/* Open a session; `token` is the cookie's secret as text. */
void sl_admin_session_open(struct sl_admin_access *access, int64_t now,
                           char token[SL_ADMIN_TOKEN_TEXT]);
/* Whether the secret (or NULL) is that of a live session. */
bool sl_admin_session_check(struct sl_admin_access *access, const char *token, int64_t now);
void sl_admin_session_close(struct sl_admin_access *access, const char *token);
/* The token that a POST of this session must carry beside the cookie. */
void sl_admin_csrf(const char *token, char out[SL_ADMIN_TOKEN_TEXT]);
bool sl_admin_csrf_matches(const char *token, const char *given);

/* Milliseconds until this network may try a password again; 0: now. A network waits only for its
 * own failures, so that nobody can lock the researcher out. */
int64_t sl_admin_wait(struct sl_admin_access *access, const char *network, int64_t now);
void sl_admin_failed(struct sl_admin_access *access, const char *network, int64_t now);
void sl_admin_succeeded(struct sl_admin_access *access, const char *network);

#endif
