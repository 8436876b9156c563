/* The answers of a study in memory, in the order in which they were written: what boards are made
 * from, now and as they were at any earlier moment. Private to study/. */
#ifndef SOFTLAB_STUDY_ASKING_LEDGER_H
#define SOFTLAB_STUDY_ASKING_LEDGER_H

#include "study/stored_answers.h"

/* An answer about an item, practice, checks, repeats, tests and second runs left out. */
struct sl_asking_log_answer {
    int64_t id, session;
    int64_t until;      /* the id of the revision that replaced it; INT64_MAX: none */
    size_t trial;       /* of the session */
    uint32_t item;      /* number among the ledger's items */
    uint32_t annotator; /* in the order of their first answers */
    uint32_t label;     /* the most probable class; SL_NO_NAME: it names none */
    double seconds;
};

struct sl_asking_log_session {
    int64_t id;
    uint8_t person[SL_STORE_PERSON_BYTES];
    size_t batch;
    enum sl_session_state state;
    int64_t lease_until;
    bool test, second_run;
    bool shown; /* its place is not before the trials: its items count as seen */
};

/* Items of a batch, by their numbers among the ledger's items. */
struct sl_asking_log_batch {
    uint32_t *items; /* owned; NULL: not read yet */
    size_t count;
};

struct sl_asking_log {
    const struct sl_study *study;         /* borrowed */
    struct sl_study_items stored;         /* owned; all items of the store */
    uint32_t *number;                     /* owned; of each stored item here, or SL_NO_NAME */
    uint32_t *place;                      /* owned; of each item here among those stored */
    size_t n_items;                       /* those that people are asked about */
    struct sl_asking_log_answer *answers; /* owned; ascending by id */
    size_t n_answers, answer_capacity;
    struct sl_name_table *annotators;       /* owned; persons as bytes */
    size_t n_rows;                          /* stored answers that were read, of any kind */
    int64_t last;                           /* the highest id among them; 0: none */
    struct sl_asking_log_session *sessions; /* owned; ascending by id */
    size_t n_sessions, session_capacity;
    struct sl_asking_log_batch *batches; /* owned; by the batch's number */
    size_t n_batches;
};

/* Read the items. */
enum sl_status sl_asking_log_create(const struct sl_study *study, struct sl_store *store,
                                    struct sl_asking_log **out, struct sl_error *err) SL_MUST_USE;
void sl_asking_log_destroy(struct sl_asking_log *ledger);
/* Read the answers that have come since, all sessions, and the batches of those that are live or
 * were shown to somebody. */
enum sl_status sl_asking_log_update(struct sl_asking_log *ledger, struct sl_store *store,
                                    struct sl_error *err) SL_MUST_USE;

const char *sl_asking_log_item_id(const struct sl_asking_log *ledger, uint32_t item);
/* The number of the item of this id, or SL_NO_NAME. */
uint32_t sl_asking_log_item(const struct sl_asking_log *ledger, const char *id);
/* Borrowed, or NULL. */
const struct sl_asking_log_session *sl_asking_log_session(const struct sl_asking_log *ledger,
                                                          int64_t id);
/* The items of a session's batch, as sl_asking_log_update read them. */
const struct sl_asking_log_batch *
sl_asking_log_batch_of(const struct sl_asking_log *ledger,
                       const struct sl_asking_log_session *session);

#endif
