/* Store: what a study must never lose. Sessions, leases, answers and the log of changes, behind a
 * table of functions so that SQLite can be joined by PostgreSQL; every backend passes the same
 * conformance suite.
 *
 * Writes happen inside sl_store_begin .. sl_store_commit (outside they are SL_ERR_USAGE); when
 * commit returns SL_OK they survive a power cut. A write that fails because of what it was asked to
 * write (SL_ERR_INPUT, _NOT_FOUND, _USAGE) changes nothing and leaves the transaction as it was;
 * after any other failure the transaction can only be rolled back, and commit says so. A commit
 * that fails has rolled back; the store can be used on. Time comes from the caller (milliseconds
 * since 1970), never from the clock, so that a clock that jumps can be tested. Not for several
 * threads at once. */
#ifndef SOFTLAB_STORE_H
#define SOFTLAB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_store;
struct sl_store_backend;

/* Longest text that is kept; a longer one is SL_ERR_INPUT. */
enum { SL_STORE_TEXT_BYTES = 1 << 20 };

struct sl_store_options {
    const char *vfs; /* SQLite's, for fault tests; NULL: the usual */
    bool create;     /* make what is not there; else SL_ERR_NOT_FOUND */
    bool read_only;  /* status and export beside a running server */
    bool serve;      /* the one server of a study: SL_ERR_BACKEND while there is another */
    bool any_layout; /* with read_only, to be copied: an older layout is left as it is */
    bool durable;    /* synchronous=FULL (default); false only to prove that tests can fail */
};
struct sl_store_options sl_store_options_default(void);

/* Files are made for their owner alone (0600). As long as a database is open nobody can restore
 * over it: "<path>-lock" holds the claim, which ends with the process.
 * Opens and, if the layout is an older one, brings it up to date in one transaction. A database
 * that fails its check is refused with what to do (SL_ERR_INPUT). */
enum sl_status sl_store_open(const char *path, const struct sl_store_options *options,
                             struct sl_store **out, struct sl_error *err) SL_MUST_USE;
void sl_store_close(struct sl_store *store);

enum sl_status sl_store_begin(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
/* As sl_store_begin, which waits for seconds while another program writes; here SL_ERR_BUSY. */
enum sl_status sl_store_begin_now(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_store_commit(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
void sl_store_rollback(struct sl_store *store); /* harmless outside a transaction */
bool sl_store_in_transaction(const struct sl_store *store);

/* From now on walks and queries end with SL_ERR_STOPPED soon after `stop` says so, which is asked
 * often and must be quick. NULL: never. */
void sl_store_stop_when(struct sl_store *store, bool (*stop)(void *context), void *context);

/* A consistent copy while others write; atomic (temporary, fsync, rename). Not inside a
 * transaction, and never onto a database that is in use. */
enum sl_status sl_store_backup(struct sl_store *store, const char *path,
                               struct sl_error *err) SL_MUST_USE;
/* Put a checked copy of `backup`, brought up to date, in the place of `path`: SL_ERR_BACKEND while
 * anybody has that open. What was there is kept as "<path>.before-restore-<UTC>", a name that
 * nothing had; *set_aside is that name, owned by the caller, or NULL if nothing was there. */
struct sl_store_restoration {
    int64_t now; /* ms since 1970 */
    /* Called with the copy before it takes the place of anything; may change it, and what it
     * refuses is not restored. Or NULL. */
    enum sl_status (*prepare)(struct sl_store *copy, void *context, struct sl_error *err);
    void *context;
};
enum sl_status sl_store_restore(const char *backup, const char *path,
                                const struct sl_store_restoration *how, char **set_aside,
                                struct sl_error *err) SL_MUST_USE;

/* ---- The study: small named texts (configuration, keys, versions of consent) ---- */

enum sl_status sl_store_put_text(struct sl_store *store, const char *key, const char *value,
                                 struct sl_error *err) SL_MUST_USE;
/* *value is owned by the caller; SL_ERR_NOT_FOUND without one. */
enum sl_status sl_store_get_text(struct sl_store *store, const char *key, char **value,
                                 struct sl_error *err) SL_MUST_USE;

/* ---- Items and batches ---- */

struct sl_store_item {
    const char *id;      /* what answers call it */
    const char *content; /* JSON: image file, or text and span, or a mixture's endpoints */
    const char *truth;   /* class name, or NULL */
    double entropy;      /* of the reference, NaN if unknown */
    bool check;          /* obvious: an attention check */
    const char *hash;    /* of the picture's file, or NULL */
};
enum sl_status sl_store_add_item(struct sl_store *store, const struct sl_store_item *item,
                                 struct sl_error *err) SL_MUST_USE;
enum sl_status sl_store_set_item_hash(struct sl_store *store, const char *id, const char *hash,
                                      struct sl_error *err) SL_MUST_USE;
/* Items of a batch in their order; `target` annotators are wanted for it. */
enum sl_status sl_store_add_batch(struct sl_store *store, size_t batch, size_t target,
                                  const char *const *items, size_t n_items,
                                  struct sl_error *err) SL_MUST_USE;
/* So many annotators are wanted for every batch from now on. */
enum sl_status sl_store_set_target(struct sl_store *store, size_t target,
                                   struct sl_error *err) SL_MUST_USE;
/* Visitors return SL_OK to go on; another status ends the walk and is returned as it is, with *err
 * left alone. Their pointers are borrowed for the call. A visitor must not start the same walk. */
enum sl_status sl_store_each_item(struct sl_store *store,
                                  enum sl_status (*visit)(const struct sl_store_item *item,
                                                          void *context),
                                  void *context, struct sl_error *err) SL_MUST_USE;
/* The ids of a batch's items, owned by the caller (sl_strings_destroy). */
enum sl_status sl_store_batch_items(struct sl_store *store, size_t batch, char ***items,
                                    size_t *count, struct sl_error *err) SL_MUST_USE;

/* ---- Sessions and leases ---- */

enum sl_session_state {
    SL_SESSION_ACTIVE,   /* holds a lease until lease_until */
    SL_SESSION_DONE,     /* finished: counts for its batch */
    SL_SESSION_RETURNED, /* gave the place back */
    SL_SESSION_EXPIRED,  /* the lease ran out */
    SL_SESSION_REFUSED,  /* no consent, or failed the comprehension check */
};
enum { SL_STORE_TOKEN_BYTES = 32, SL_STORE_PERSON_BYTES = 32, SL_STORE_CLIENT_BYTES = 16 };

struct sl_store_session {
    int64_t id;
    uint8_t token_hash[SL_STORE_TOKEN_BYTES]; /* of the cookie's secret; the secret is not kept */
    uint8_t person[SL_STORE_PERSON_BYTES];    /* the participant, hashed with the study's key */
    char screen[24];                          /* a row of the screens' table */
    size_t batch;
    uint64_t seed; /* of the orders shown */
    enum sl_session_state state;
    char place[24]; /* "consent", "instructions", "check", "practice", "trials", ... */
    size_t trial;   /* the next one to be answered */
    int64_t started, seen, finished; /* ms; finished 0 = not */
    int64_t lease_until;
    bool test;        /* never counts */
    bool second_run;  /* the person had finished before */
    size_t attempts;  /* at the comprehension check */
    char consent[24]; /* version agreed to, or "" */
};

/* In one transaction of its own: the person's live session if there is one (its lease renewed,
 * never shortened, and its token replaced), else with `once` the one they finished, else the one in
 * which they were refused (of these two the token is replaced, nothing else), else a new one, at
 * place "consent", on the batch with the fewest finished and live sessions below its target, ties
 * broken by `tie` (a random number). A new session goes on counting the attempts of the person's
 * earlier ones that were not finished. Leases that ran out before `now` are freed first: at
 * lease_until itself one still holds. SL_ERR_NOT_FOUND when every batch is full, SL_ERR_USAGE when
 * a new session would be one too many of its network. Test sessions get a batch, full or not,
 * without counting, and are found again only by test arrivals. */
struct sl_store_arrival {
    const uint8_t *person;     /* SL_STORE_PERSON_BYTES */
    const uint8_t *token_hash; /* SL_STORE_TOKEN_BYTES */
    const char *screen;        /* for a new session */
    const char *parameters;    /* JSON of the recruiter's URL parameters */
    uint64_t seed, tie;
    int64_t now, lease_ms;
    bool test;
    bool once; /* nobody who finished gets a second session */
    /* What `parameters` of everybody from the same network hold, and how many of their sessions may
     * be live or finished. NULL: nobody counts. */
    const char *network;
    size_t per_network;
};
enum sl_status sl_store_arrive(struct sl_store *store, const struct sl_store_arrival *arrival,
                               struct sl_store_session *out, bool *returning,
                               struct sl_error *err) SL_MUST_USE;
/* SL_ERR_NOT_FOUND for an unknown token; the session may be in any state. */
enum sl_status sl_store_find_session(struct sl_store *store, const uint8_t *token_hash,
                                     struct sl_store_session *out,
                                     struct sl_error *err) SL_MUST_USE;
/* Write back state, place, trial, seen, finished, lease_until, attempts, consent. */
enum sl_status sl_store_save_session(struct sl_store *store, const struct sl_store_session *session,
                                     struct sl_error *err) SL_MUST_USE;
/* Free leases that ran out; *freed says how many. */
enum sl_status sl_store_expire(struct sl_store *store, int64_t now, size_t *freed,
                               struct sl_error *err) SL_MUST_USE;

/* ---- Answers: appended, never overwritten ---- */

enum sl_put_outcome {
    SL_PUT_STORED,
    SL_PUT_REPLAYED, /* the same client id with the same body: already there */
    SL_PUT_CONFLICT, /* the same client id with another body (or session, trial, item, practice):
                        nothing was written */
};
struct sl_store_answer {
    uint8_t client_id[SL_STORE_CLIENT_BYTES]; /* made by the page: submission is idempotent */
    int64_t session;
    size_t trial, revision; /* revision is set by the store: 0, 1, ...; practice counts apart */
    const char *item;
    const char *body; /* JSON as sent, after validation */
    int64_t received; /* ms */
    int64_t elapsed;  /* ms, by the page's clock */
    bool repeat, practice;
};
enum sl_status sl_store_put_answer(struct sl_store *store, struct sl_store_answer *answer,
                                   enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
/* What sl_store_put_answer would say, without writing: SL_PUT_STORED if the answer is not there. */
enum sl_status sl_store_peek_answer(struct sl_store *store, const struct sl_store_answer *answer,
                                    enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
/* Whether there are answers, practice among them, of sessions that are no tests: to this screen
 * (NULL: to any), or about this item if it is not NULL. */
enum sl_status sl_store_has_answers(struct sl_store *store, const char *screen, const char *item,
                                    bool *found, struct sl_error *err) SL_MUST_USE;
/* A number that is another one after every commit of any other connection, also of another process:
 * what was read under the same number need not be read again. It means nothing to another
 * connection. */
enum sl_status sl_store_version(struct sl_store *store, int64_t *out,
                                struct sl_error *err) SL_MUST_USE;
/* Anything else worth keeping about a session: consent, checks, debrief, focus, refusals. Session
 * 0: about the study itself (the researcher's log). */
enum sl_status sl_store_put_event(struct sl_store *store, int64_t session, int64_t now,
                                  const char *kind, const char *body,
                                  struct sl_error *err) SL_MUST_USE;
/* How much the events of this kind take that a session has left. */
enum sl_status sl_store_event_bytes(struct sl_store *store, int64_t session, const char *kind,
                                    size_t *bytes, struct sl_error *err) SL_MUST_USE;

/* ---- Reading for status and export: in the order written ---- */

struct sl_store_row {
    const struct sl_store_session *session; /* its session; NULL for events of the study itself */
    const struct sl_store_answer *answer;   /* NULL for events and sessions */
    const char *parameters;                 /* each_session: the recruiter's, JSON; else NULL */
    const char *kind, *body;                /* each_event */
    int64_t at;                             /* each_event */
};
typedef enum sl_status (*sl_store_visit)(const struct sl_store_row *row, void *context);
enum sl_status sl_store_each_session(struct sl_store *store, sl_store_visit visit, void *context,
                                     struct sl_error *err) SL_MUST_USE;
/* Every revision; by session, trial, practice before the rest, revision. */
enum sl_status sl_store_each_answer(struct sl_store *store, sl_store_visit visit, void *context,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_store_each_event(struct sl_store *store, sl_store_visit visit, void *context,
                                   struct sl_error *err) SL_MUST_USE;
/* Those of one session. */
enum sl_status sl_store_each_event_of(struct sl_store *store, int64_t session, sl_store_visit visit,
                                      void *context, struct sl_error *err) SL_MUST_USE;

struct sl_store_batch_row {
    size_t batch, target, finished, live;
};
enum sl_status sl_store_each_batch(struct sl_store *store,
                                   enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                           void *context),
                                   void *context, struct sl_error *err) SL_MUST_USE;

/* What was removed; no sessions: nobody of that name. */
struct sl_store_purged {
    size_t sessions, answers, events;
    bool log_in_use; /* somebody reads: the bytes stay in the log until sl_store_empty_log */
};
/* Remove the sessions of one person that began until then (INT64_MAX: all), with all that belongs
 * to them, in a transaction of its own, so that the bytes are gone from the disk. That it was done,
 * not to whom, is written down with it: an event "purge" of the study itself. */
enum sl_status sl_store_purge(struct sl_store *store, const uint8_t *person, int64_t until,
                              int64_t now, struct sl_store_purged *out,
                              struct sl_error *err) SL_MUST_USE;
/* Write the log into the database and cut it off; not *emptied while somebody reads. */
enum sl_status sl_store_empty_log(struct sl_store *store, bool *emptied,
                                  struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
