/* Answers and sessions of a study, read from its store for status and exports. Private to
 * study/. */
#ifndef SOFTLAB_STUDY_STORED_ANSWERS_H
#define SOFTLAB_STUDY_STORED_ANSWERS_H

#include "softlab/study.h"

/* ---- Items ---- */

struct sl_study_item {
    char *id;        /* owned */
    json_t *content; /* owned; an object */
    int32_t truth;   /* class, or -1 */
    double entropy;  /* of the reference; NaN if unknown */
    bool check;
};
struct sl_study_items {
    struct sl_study_item *items; /* owned; in the store's order */
    size_t count, capacity;
    struct sl_name_table *names; /* owned; numbered like the items */
};
enum sl_status sl_study_items_read(const struct sl_study *study, struct sl_store *store,
                                   struct sl_study_items *out, struct sl_error *err) SL_MUST_USE;
void sl_study_items_release(struct sl_study_items *items);
/* Borrowed, or NULL. */
const struct sl_study_item *sl_study_item_find(const struct sl_study_items *items, const char *id);

/* ---- Answers ---- */

/* A participant's name in exports: the first digits of the keyed hash. */
enum { SL_STUDY_ANNOTATOR_TEXT = 13 };
void sl_study_annotator(const uint8_t person[SL_STORE_PERSON_BYTES],
                        char out[SL_STUDY_ANNOTATOR_TEXT]);
/* "active", "done", "returned", "expired", "refused". */
const char *sl_session_state_name(enum sl_session_state state);

/* One stored answer, parsed. All borrowed for the call. */
struct sl_study_given {
    const struct sl_store_session *session;
    const struct sl_store_answer *answer;
    const struct sl_study_item *item;
    const struct sl_screen *screen;
    json_t *answered; /* the "answer" that was sent */
    json_t *times;    /* an object of [first touch, last change] in ms, or NULL */
    const char *annotator;
};
typedef enum sl_status (*sl_study_take)(const struct sl_study_given *given, void *context,
                                        struct sl_error *err);

enum sl_study_extent {
    SL_STUDY_COUNTING, /* last revisions; no practice, tests or sessions that gave the place back */
    SL_STUDY_TESTS,    /* the same for test sessions */
    SL_STUDY_EVERY,    /* everything that was stored */
};
enum sl_status sl_study_each_given(const struct sl_study *study, struct sl_store *store,
                                   const struct sl_study_items *items, enum sl_study_extent extent,
                                   sl_study_take take, void *context,
                                   struct sl_error *err) SL_MUST_USE;

/* Everything stored for one annotator, named as in exports. */
enum sl_status sl_study_each_given_by(const struct sl_study *study, struct sl_store *store,
                                      const struct sl_study_items *items, const char *annotator,
                                      sl_study_take take, void *context,
                                      struct sl_error *err) SL_MUST_USE;

/* A stored answer as a record of answer/, with everything that the store knows about it. */
struct sl_study_record {
    struct sl_answer answer; /* lists are owned, texts are borrowed from here and from the answer */
    char *inputs;            /* owned */
    char batch[24];
};
enum sl_status sl_study_record_make(const struct sl_study *study,
                                    const struct sl_study_given *given, struct sl_study_record *out,
                                    struct sl_error *err) SL_MUST_USE;
void sl_study_record_release(struct sl_study_record *record);

/* The class that an answer names first, or -1. */
int64_t sl_study_top_class(const struct sl_study *study, const struct sl_answer *answer);

/* The answers to collect. */
struct sl_study_choice {
    enum sl_study_extent extent;
    unsigned kinds; /* a bit set of 1u << enum sl_answer_kind */
    int64_t after;  /* only sessions with a higher id than this */
};
enum sl_status sl_study_answers(const struct sl_study *study, struct sl_store *store,
                                const struct sl_study_items *items,
                                const struct sl_study_choice *choice, struct sl_answers **out,
                                struct sl_error *err) SL_MUST_USE;
/* The label of one answer alone, by the method for its screen; `row` has n_classes values. False
 * for repeats, second runs, checks and answers that the method cannot use. */
bool sl_study_label(const struct sl_answers *answers, size_t index, double *row);
/* The same for any answer, repeats and checks included. */
bool sl_study_label_of(const struct sl_answer *answer, size_t n_classes, double *row);

#endif
