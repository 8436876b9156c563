/* What the files of the researcher's port share. */
#ifndef SOFTLAB_STUDY_ADMIN_INTERNAL_H
#define SOFTLAB_STUDY_ADMIN_INTERNAL_H

#include "study/admin.h"
#include "study/caller.h"
#include "study/collect.h"

/* Passwords that are being compared, at most; comparing one takes a tenth of a second. */
enum { SL_ADMIN_ATTEMPTS = 32 };

struct sl_study_admin {
    struct sl_study_admin_options options;
    struct sl_study_items items; /* owned; as they were when the server started */
    struct sl_admin_access access;
    /* Whose passwords are being compared: one at a time of each. */
    char trying[SL_ADMIN_ATTEMPTS][SL_HTTP_NETWORK];
};

int64_t sl_admin_now(const struct sl_study_admin *admin);
/* The cookie's secret if it is that of a live session; otherwise NULL, after a 401. */
const char *sl_admin_require(struct sl_study_admin *admin, struct sl_http_exchange *exchange);
/* A line in the study's own log of events: who looked, and from where. A log that cannot be
 * written is said in the server's log and stops nobody. */
void sl_admin_note(struct sl_study_admin *admin, struct sl_http_exchange *exchange,
                   const char *kind, const char *what);

/* admin_data.c: status, exports and pictures, made on the other thread from a second, read-only
 * connection, so that annotators wait for none of it. */
void sl_admin_get_status(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_export(struct sl_http_exchange *exchange, void *context);
void sl_admin_get_image(struct sl_http_exchange *exchange, void *context);

#endif
