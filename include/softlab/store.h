/* Store: the data that a study must never lose: sessions, leases, answers and the log of changes. A
 * table of functions hides SQLite and PostgreSQL; both pass the same conformance suite. A file of
 * SQLite has one server, a database of PostgreSQL may have several.
 *
 * Writes happen between sl_store_begin and sl_store_commit (elsewhere they are SL_ERR_USAGE); when
 * commit returns SL_OK they survive a power cut. A write that fails because of its input
 * (SL_ERR_INPUT, _NOT_FOUND, _USAGE) changes nothing and leaves the transaction usable; after any
 * other failure the transaction can only be rolled back, and commit fails. A failed commit has
 * rolled back, and the store stays usable; if the connection was lost during a commit, the data may
 * have been stored nevertheless, and sending them again is harmless. The caller passes the time
 * (milliseconds since 1970), so that tests can make the clock jump. Not thread-safe. */
#ifndef SOFTLAB_STORE_H
#define SOFTLAB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_store;
struct sl_store_backend;

/* Longest text that is stored; a longer one is SL_ERR_INPUT. */
enum { SL_STORE_TEXT_BYTES = 1 << 20 };

struct sl_store_options {
    const char *vfs; /* SQLite's, for fault tests; NULL: the default one */
    bool create;     /* create a missing database; else SL_ERR_NOT_FOUND */
    bool read_only;  /* for status and export beside a running server */
    bool serve;      /* for a server; of a file: SL_ERR_BACKEND while another one serves it */
    bool alone;      /* for moving a study: SL_ERR_BACKEND while anybody has it open */
    bool moved;      /* also a database that the study has left, for moving and restoring */
    bool any_layout; /* with read_only, for copying: do not upgrade an older layout */
    bool durable;    /* synchronous=FULL (default); false only to prove that tests can fail */
};
struct sl_store_options sl_store_options_default(void);

/* Whether the name is a URL of PostgreSQL, whose databases several servers share, and not a file.
 */
bool sl_store_is_shared(const char *name);
/* SL_ERR_USAGE if the value of an option is no URL of PostgreSQL in one line, or if it contains a
 * password, which everybody on the machine could read in the list of processes; no message repeats
 * it. */
enum sl_status sl_store_check_url(const char *option, const char *url,
                                  struct sl_error *err) SL_MUST_USE;

/* Open a database: a file of SQLite, or postgresql://... An older layout is upgraded in one
 * transaction. New files are readable by their owner alone (0600). While the database is open it
 * cannot be restored: "<path>-lock" holds the claim, which ends with the process. A database that
 * fails its integrity check is SL_ERR_INPUT, and the message says what to do. */
enum sl_status sl_store_open(const char *path, const struct sl_store_options *options,
                             struct sl_store **out, struct sl_error *err) SL_MUST_USE;
void sl_store_close(struct sl_store *store);

enum sl_status sl_store_begin(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
/* SL_ERR_BUSY if another program writes a file, or if the database is away; sl_store_begin would
 * wait for seconds. */
enum sl_status sl_store_begin_now(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_store_commit(struct sl_store *store, struct sl_error *err) SL_MUST_USE;
void sl_store_rollback(struct sl_store *store); /* harmless outside a transaction */
bool sl_store_in_transaction(const struct sl_store *store);
/* False after a failure that left the transaction good for a rollback only. */
bool sl_store_usable(const struct sl_store *store);

/* End walks and queries with SL_ERR_STOPPED soon after `stop` returns true. `stop` is called often
 * and must be quick. NULL: never stop. */
void sl_store_stop_when(struct sl_store *store, bool (*stop)(void *context), void *context);
/* Whether `stop` says so, for long work between two walks. */
bool sl_store_stopping(const struct sl_store *store);

/* A consistent copy while others write; atomic (temporary, fsync, rename). Not inside a
 * transaction, and never onto a database that is in use. */
enum sl_status sl_store_backup(struct sl_store *store, const char *path,
                               struct sl_error *err) SL_MUST_USE;
/* Replace the database at `path` by a checked and upgraded copy of `backup`. SL_ERR_BACKEND while
 * anybody has `path` open. The old database is kept under the unused name
 * "<path>.before-restore-<UTC>"; *set_aside is that name, owned by the caller, or NULL if there was
 * no database. */
struct sl_store_restoration {
    int64_t now; /* ms since 1970 */
    /* Called with the copy before it replaces anything; may change it, and an error stops the
     * restore. Or NULL. */
    enum sl_status (*prepare)(struct sl_store *copy, void *context, struct sl_error *err);
    void *context;
};
enum sl_status sl_store_restore(const char *backup, const char *path,
                                const struct sl_store_restoration *how, char **set_aside,
                                struct sl_error *err) SL_MUST_USE;

/* Copy everything from one store, of any kind, into another that is empty (SL_ERR_INPUT), in one
 * transaction: exports of both are equal byte by byte. */
enum sl_status sl_store_copy(struct sl_store *from, struct sl_store *to,
                             struct sl_error *err) SL_MUST_USE;

/* Move everything from one store into another, both open with `alone` and `moved`: afterwards
 * whoever opens `from`, or connects to it again, is refused with a sentence that says where the
 * study is and since when. The target is empty, or holds what an earlier move of the same study
 * left, which is replaced. A move that was killed leaves one of the two that can be opened, and
 * ends when it is repeated. */
enum { SL_STORE_MOVE_TEXT = 33 };
struct sl_store_move {
    const char *identity; /* the key of a text that two studies never have in common */
    const char *move;     /* a new random word of this move: at most 32 letters and digits */
    const char *where;    /* what messages call the target; NULL: its URL without a password */
    int64_t now;          /* ms since 1970 */
};
enum sl_status sl_store_move(struct sl_store *from, struct sl_store *to,
                             const struct sl_store_move *how, struct sl_error *err) SL_MUST_USE;
/* Give the file of a store that is open alone the unused name "<path>.<what>-<UTC>", owned by the
 * caller. Nobody can open `path` until the store is closed, and nothing else may be done with it.
 * *name is NULL if the store is no file, which stays as it is. */
enum sl_status sl_store_set_aside(struct sl_store *store, const char *what, int64_t now,
                                  char **name, struct sl_error *err) SL_MUST_USE;

/* ---- The study: small named texts (configuration, keys, versions of consent) ---- */

enum sl_status sl_store_put_text(struct sl_store *store, const char *key, const char *value,
                                 struct sl_error *err) SL_MUST_USE;
/* *value is owned by the caller; SL_ERR_NOT_FOUND if the key is unknown. */
enum sl_status sl_store_get_text(struct sl_store *store, const char *key, char **value,
                                 struct sl_error *err) SL_MUST_USE;

/* ---- Items and batches ---- */

struct sl_store_item {
    const char *id;      /* the name in answers */
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
/* A batch has items in order; `target` is the number of annotators wanted for it. 0: it was made
 * for one session and is for nobody else. */
enum sl_status sl_store_add_batch(struct sl_store *store, size_t batch, size_t target,
                                  const char *const *items, size_t n_items,
                                  struct sl_error *err) SL_MUST_USE;
/* Set the number of annotators wanted for every batch, except those made for one session. */
enum sl_status sl_store_set_target(struct sl_store *store, size_t target,
                                   struct sl_error *err) SL_MUST_USE;
/* A visitor returns SL_OK to continue; any other status ends the walk and is returned unchanged,
 * and *err is not touched. Pointers are borrowed for the call. A visitor must not start the same
 * walk. */
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
    SL_SESSION_RETURNED, /* the annotator gave the place back */
    SL_SESSION_EXPIRED,  /* the lease ran out */
    SL_SESSION_REFUSED,  /* no consent, or failed the comprehension check */
};
enum { SL_STORE_TOKEN_BYTES = 32, SL_STORE_PERSON_BYTES = 32, SL_STORE_CLIENT_BYTES = 16 };

struct sl_store_session {
    int64_t id;
    uint8_t token_hash[SL_STORE_TOKEN_BYTES]; /* hash of the cookie's secret, which is not stored */
    uint8_t person[SL_STORE_PERSON_BYTES];    /* the participant, hashed with the study's key */
    char screen[24];                          /* a row of the screens' table */
    size_t batch;
    uint64_t seed; /* of the orders of items and classes */
    enum sl_session_state state;
    char place[24]; /* "consent", "instructions", "check", "practice", "trials", ... */
    size_t trial;   /* the next one to be answered */
    int64_t started, seen, finished; /* ms; finished is 0 while the session runs */
    int64_t lease_until;
    bool test;        /* a test session: never counts */
    bool second_run;  /* the person had finished a session before */
    size_t attempts;  /* used at the comprehension check */
    char consent[24]; /* the version agreed to, or "" */
};

/* Find or create the person's session, in a transaction of its own: the first of these that exists.
 *   1. the live session: its lease is renewed, never shortened, and its token replaced;
 *   2. with `once`, the finished session: only its token is replaced;
 *   3. the refused session: only its token is replaced;
 *   4. a new session at place "consent", on the batch below its target with the fewest finished and
 *      live sessions; `tie` (a random number) breaks ties. With a chooser: on a batch of its own,
 *      with the items that the chooser names. It inherits the attempts of the person's earlier
 *      unfinished sessions.
 *
 * Expired leases are freed first; a lease still holds at lease_until itself. SL_ERR_NOT_FOUND if
 * every batch is full, SL_ERR_USAGE if the network has too many sessions. A test session gets a
 * batch even if it is full, does not count, and is found again only by test arrivals. */
struct sl_store_choice {
    const char *const *items; /* ids, borrowed until the next call of the chooser */
    size_t n_items;
    /* Stored in the same transaction: an event of the study itself (NULL: none), and one of the new
     * session. Kinds and JSON texts, borrowed likewise. */
    const char *study_kind, *study_body, *kind, *body;
};
struct sl_store_chooser {
    /* Called within the arrival's transaction, only if a new session is needed. `seen` are the ids
     * of the items of the person's earlier sessions that reached their trials. Nothing that it
     * does may depend on being called once: the transaction may still fail. SL_ERR_NOT_FOUND if
     * there is nothing to ask this person. It must not use the store. */
    enum sl_status (*choose)(void *context, const char *const *seen, size_t n_seen,
                             struct sl_store_choice *out, struct sl_error *err);
    void *context;
};
struct sl_store_arrival {
    const uint8_t *person;     /* SL_STORE_PERSON_BYTES */
    const uint8_t *token_hash; /* SL_STORE_TOKEN_BYTES */
    const char *screen;        /* for a new session */
    const char *parameters;    /* JSON of the recruiter's URL parameters */
    uint64_t seed, tie;
    int64_t now, lease_ms;
    bool test;
    bool once; /* a person who finished gets no second session */
    /* `network` occurs in the `parameters` of everybody from the same network; at most
     * `per_network` of their sessions may be live or finished. NULL: no limit. */
    const char *network;
    size_t per_network;
    const struct sl_store_chooser *chooser; /* NULL: batches are filled */
};
enum sl_status sl_store_arrive(struct sl_store *store, const struct sl_store_arrival *arrival,
                               struct sl_store_session *out, bool *returning,
                               struct sl_error *err) SL_MUST_USE;
/* SL_ERR_NOT_FOUND if the token is unknown; the session may be in any state. Inside a transaction
 * the session is this store's until the end of it; SL_ERR_BUSY, which leaves the transaction
 * usable, while another server has it. */
enum sl_status sl_store_find_session(struct sl_store *store, const uint8_t *token_hash,
                                     struct sl_store_session *out,
                                     struct sl_error *err) SL_MUST_USE;
/* Call this at the beginning of a transaction that will look for the sessions of these tokens
 * (count x SL_STORE_TOKEN_BYTES): a database that is asked over a connection then answers once for
 * all of them. It changes no result. */
enum sl_status sl_store_expect_sessions(struct sl_store *store, const uint8_t *token_hashes,
                                        size_t count, struct sl_error *err) SL_MUST_USE;
/* Whether sl_store_expect_sessions saves time. */
bool sl_store_expects(const struct sl_store *store);
/* Writes back state, place, trial, seen, finished, lease_until, attempts and consent. */
enum sl_status sl_store_save_session(struct sl_store *store, const struct sl_store_session *session,
                                     struct sl_error *err) SL_MUST_USE;
/* Free the leases that have run out; *freed is their number. */
enum sl_status sl_store_expire(struct sl_store *store, int64_t now, size_t *freed,
                               struct sl_error *err) SL_MUST_USE;

/* ---- Answers: appended, never overwritten ---- */

enum sl_put_outcome {
    SL_PUT_STORED,
    SL_PUT_REPLAYED, /* the same client id with the same body: stored before */
    SL_PUT_CONFLICT, /* the same client id with a different body, session, trial, item or practice:
                        nothing was written */
};
struct sl_store_answer {
    int64_t id; /* set by walks: the larger, the later it was written */
    uint8_t client_id[SL_STORE_CLIENT_BYTES]; /* made by the page, so that resending is harmless */
    int64_t session;
    size_t trial, revision; /* the store sets revision: 0, 1, ...; practice has its own count */
    const char *item;
    const char *body; /* JSON as sent, after validation */
    int64_t received; /* ms */
    int64_t elapsed;  /* ms, by the page's clock */
    bool repeat, practice;
};
enum sl_status sl_store_put_answer(struct sl_store *store, struct sl_store_answer *answer,
                                   enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
/* The outcome of sl_store_put_answer without writing: SL_PUT_STORED if the answer is new. */
enum sl_status sl_store_peek_answer(struct sl_store *store, const struct sl_store_answer *answer,
                                    enum sl_put_outcome *outcome, struct sl_error *err) SL_MUST_USE;
/* Whether sessions that are no tests have answers, practice included: to this screen (NULL: any),
 * or about this item if it is not NULL. */
enum sl_status sl_store_has_answers(struct sl_store *store, const char *screen, const char *item,
                                    bool *found, struct sl_error *err) SL_MUST_USE;
/* A number that changes with every commit of any other connection, in this process or another: data
 * read under the same number need not be read again. Numbers of different connections cannot be
 * compared. */
enum sl_status sl_store_version(struct sl_store *store, int64_t *out,
                                struct sl_error *err) SL_MUST_USE;
/* Anything else worth keeping about a session: consent, checks, debrief, focus, refusals. Session 0
 * stands for the study itself (the researcher's log). */
enum sl_status sl_store_put_event(struct sl_store *store, int64_t session, int64_t now,
                                  const char *kind, const char *body,
                                  struct sl_error *err) SL_MUST_USE;
/* The bytes that the events of this kind of a session take. */
enum sl_status sl_store_event_bytes(struct sl_store *store, int64_t session, const char *kind,
                                    size_t *bytes, struct sl_error *err) SL_MUST_USE;

/* ---- Reading for status and export: in the order written ---- */

struct sl_store_row {
    const struct sl_store_session *session; /* NULL for events of the study itself */
    const struct sl_store_answer *answer;   /* NULL for events and sessions */
    const char *parameters;                 /* each_session: the recruiter's, JSON; else NULL */
    const char *kind, *body;                /* each_event */
    int64_t at;                             /* each_event */
};
typedef enum sl_status (*sl_store_visit)(const struct sl_store_row *row, void *context);
enum sl_status sl_store_each_session(struct sl_store *store, sl_store_visit visit, void *context,
                                     struct sl_error *err) SL_MUST_USE;
/* Every revision, ordered by session, trial, practice first, revision. */
enum sl_status sl_store_each_answer(struct sl_store *store, sl_store_visit visit, void *context,
                                    struct sl_error *err) SL_MUST_USE;
/* Every revision with an id above `after`, in the order of ids. Servers that share a database may
 * commit a lower id later; sl_store_count_answers then counts more answers than were read. */
enum sl_status sl_store_each_answer_after(struct sl_store *store, int64_t after,
                                          sl_store_visit visit, void *context,
                                          struct sl_error *err) SL_MUST_USE;
/* The number of batches, which are numbered from 0 without gaps. */
enum sl_status sl_store_count_batches(struct sl_store *store, size_t *out,
                                      struct sl_error *err) SL_MUST_USE;
/* The number of stored answers, with all revisions, practice and tests. */
enum sl_status sl_store_count_answers(struct sl_store *store, size_t *out,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_store_each_event(struct sl_store *store, sl_store_visit visit, void *context,
                                   struct sl_error *err) SL_MUST_USE;
/* The events of one session. */
enum sl_status sl_store_each_event_of(struct sl_store *store, int64_t session, sl_store_visit visit,
                                      void *context, struct sl_error *err) SL_MUST_USE;

/* The batches that annotators are wanted for; those made for one session are left out. */
struct sl_store_batch_row {
    size_t batch, target, finished, live;
};
enum sl_status sl_store_each_batch(struct sl_store *store,
                                   enum sl_status (*visit)(const struct sl_store_batch_row *row,
                                                           void *context),
                                   void *context, struct sl_error *err) SL_MUST_USE;

/* What was removed; sessions is 0 if the person is unknown. */
struct sl_store_purged {
    size_t sessions, answers, events;
    bool log_in_use; /* a reader holds the log: its bytes stay on disk until sl_store_empty_log */
};
/* Remove one person's sessions that began up to `until` (INT64_MAX: all) with all their data, in a
 * transaction of its own, so that the bytes are gone from the disk. The store records an event
 * "purge" of the study itself, which says when, but not whom. */
enum sl_status sl_store_purge(struct sl_store *store, const uint8_t *person, int64_t until,
                              int64_t now, struct sl_store_purged *out,
                              struct sl_error *err) SL_MUST_USE;
/* Write the write-ahead log into the database and truncate it; *emptied is false while a reader
 * holds it. */
enum sl_status sl_store_empty_log(struct sl_store *store, bool *emptied,
                                  struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
