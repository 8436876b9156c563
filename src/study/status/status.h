/* The parts of a status. Private to study/. */
#ifndef SOFTLAB_STUDY_STATUS_STATUS_H
#define SOFTLAB_STUDY_STATUS_STATUS_H

#include "softlab/answer/quality.h"
#include "softlab/answer/suspicion.h"
#include "softlab/study.h"
#include "study/stored_answers.h"

enum { SL_STATUS_HOURS = 24 };

/* Numbers under a name, for medians. */
struct sl_status_series {
    double *values; /* owned */
    size_t count, capacity;
};
void sl_status_series_add(struct sl_status_series *series, double value);
void sl_status_series_release(struct sl_status_series *series);

/* One session with a summary of its answers. */
struct sl_status_session {
    struct sl_store_session session;
    size_t answers, checks, checks_right;
    struct sl_status_series seconds; /* of its trials */
};

struct sl_status_gathering {
    const struct sl_study *study;
    struct sl_store *store;
    int64_t now;
    struct sl_study_items items;
    struct sl_status_session *sessions; /* owned; ascending by id */
    size_t n_sessions, session_capacity;
    struct sl_answers *answers;        /* owned; the answers that count */
    size_t per_hour[SL_STATUS_HOURS];  /* oldest first */
    struct sl_name_table *input_names; /* owned; "screen\tinput" */
    struct sl_status_series *inputs;   /* owned; one per name */
    size_t n_inputs;
    struct sl_quality quality;
    struct sl_suspicions suspicions;
    struct sl_status_tests {
        struct sl_answers *answers; /* owned; NULL: there are no test sessions */
        struct sl_suspicions suspicions;
    } tests;
    struct sl_error *err;
};

/* Walk once over sessions and once over answers; the caller has set study, store and now, and
 * releases `to` also after an error. */
enum sl_status sl_status_gather(struct sl_status_gathering *to, struct sl_error *err) SL_MUST_USE;
void sl_status_release(struct sl_status_gathering *gathered);

/* A number rounded to `decimals`, or null if it is NaN or infinite. */
json_t *sl_status_real(double value, int decimals);

/* people.c: the reason to exclude an annotator, borrowed, or NULL. */
const char *sl_status_exclusion(const struct sl_annotator_quality *quality);
json_t *sl_status_annotators(const struct sl_status_gathering *from);
json_t *sl_status_exclusions(const struct sl_status_gathering *from);
json_t *sl_status_leases(const struct sl_status_gathering *from);
json_t *sl_status_sessions(const struct sl_status_gathering *from);
json_t *sl_status_annotator(const struct sl_status_gathering *from,
                            const struct sl_status_session *one);
bool sl_status_is_live(const struct sl_store_session *session, int64_t now);

/* suspicion.c: for the answers that count, and separately for test sessions, so that a study can be
 * rehearsed. Needs the sessions, the answers and their quality. */
enum sl_status sl_status_measure_suspicion(struct sl_status_gathering *gathered,
                                           struct sl_error *err) SL_MUST_USE;
/* {"score": .99, "flagged": true, "reasons": [...]}, or null for a person without answers. */
json_t *sl_status_suspicion(const struct sl_status_gathering *from, const char *annotator,
                            bool test);
void sl_status_suspicion_release(struct sl_status_gathering *gathered);

/* asking.c: how sure the labels are. NULL for a study of mixtures or of more than
 * SL_STUDY_ASKING_CLASSES classes; all functions take NULL and give null then. */
struct sl_status_asking;
enum sl_status sl_status_asking_create(const struct sl_status_gathering *from,
                                       struct sl_status_asking **out,
                                       struct sl_error *err) SL_MUST_USE;
void sl_status_asking_destroy(struct sl_status_asking *asking);
json_t *sl_status_asking_item(struct sl_status_asking *asking, const char *id);
/* Call it last: it spends the board on what may come. */
enum sl_status sl_status_asking_study(const struct sl_status_gathering *from,
                                      struct sl_status_asking *asking, json_t **out,
                                      struct sl_error *err) SL_MUST_USE;

/* items.c: every item that is neither a check nor an exercise, with its mean label. */
enum sl_status sl_status_items(const struct sl_status_gathering *from,
                               struct sl_status_asking *asking, json_t **out,
                               struct sl_error *err) SL_MUST_USE;
/* The same for item `number` of the store, checks included. */
enum sl_status sl_status_one_item(const struct sl_status_gathering *from, size_t number,
                                  json_t **out, struct sl_error *err) SL_MUST_USE;
/* Sets its picture's address or its text in `to`. */
void sl_status_show_item(const struct sl_study_item *item, size_t number, json_t *to);

/* answer.c: one answer as a researcher reads it. */
/* "Deer 70 %, Horse 20 %; impossible: Ship": heap string. */
char *sl_status_said(const struct sl_study *study, const struct sl_answer *answer);
/* The largest shares of a distribution, as [[class, share], ...]. */
json_t *sl_status_shares(const struct sl_study *study, const double *shares);
/* The label of this answer alone, likewise; null if no method can use it. */
json_t *sl_status_label(const struct sl_study *study, const struct sl_answer *answer);

/* item.c, person.c: the researcher's view of one item, of one annotator (named as in exports), and
 * of the debrief comments. SL_ERR_NOT_FOUND if there is no such item or annotator. */
enum sl_status sl_status_of_item(const struct sl_study *study, struct sl_store *store, int64_t now,
                                 size_t number, json_t **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_status_of_person(const struct sl_study *study, struct sl_store *store,
                                   int64_t now, const char *annotator, json_t **out,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_status_comments(const struct sl_study *study, struct sl_store *store,
                                  json_t **out, struct sl_error *err) SL_MUST_USE;

#endif
