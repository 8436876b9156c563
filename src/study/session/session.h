/* A session's way through its places: what is allowed where, and what comes next. No store, no
 * HTTP: everything acts on a struct sl_store_session that the caller saves. Private to study/.
 *
 * A refusal is SL_ERR_INPUT if the request makes no sense and SL_ERR_USAGE if it comes at the wrong
 * time. A request for an earlier place is not refused, since a page that missed a reply asks again:
 * `behind` is then true, and nothing changes. */
#ifndef SOFTLAB_STUDY_SESSION_SESSION_H
#define SOFTLAB_STUDY_SESSION_SESSION_H

#include "softlab/study.h"

enum sl_place {
    SL_PLACE_CONSENT,
    SL_PLACE_INSTRUCTIONS,
    SL_PLACE_CHECK,
    SL_PLACE_TRAINING,
    SL_PLACE_PRACTICE,
    SL_PLACE_TRIALS,
    SL_PLACE_DEBRIEF,
    SL_PLACE_DONE,
    SL_PLACE_REFUSED,
    SL_PLACE_FAILED,
    SL_PLACE_COUNT
};
extern const char *const sl_place_names[SL_PLACE_COUNT];

/* The places that the study has. It always has trials and the end. */
struct sl_flow {
    bool has[SL_PLACE_COUNT];
};

/* The session's place. SL_ERR_BACKEND if the store names a place that does not exist. */
enum sl_status sl_session_place(const struct sl_store_session *session, enum sl_place *out,
                                struct sl_error *err) SL_MUST_USE;
/* Move on to the first place from here that the study has; at the end the session is done. */
enum sl_status sl_session_settle(struct sl_store_session *session, const struct sl_flow *flow,
                                 int64_t now, struct sl_error *err) SL_MUST_USE;
/* Whether the session is at `place` (*behind false) or past it (true); SL_ERR_USAGE if it has not
 * reached it. */
enum sl_status sl_session_reach(const struct sl_store_session *session, enum sl_place place,
                                bool *behind, struct sl_error *err) SL_MUST_USE;

enum sl_status sl_session_consent(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, bool agreed, const char *version,
                                  int64_t now, struct sl_error *err) SL_MUST_USE;
/* Leave `place` (instructions, debrief) for the next one. */
enum sl_status sl_session_leave(struct sl_store_session *session, const struct sl_flow *flow,
                                enum sl_place place, int64_t now, struct sl_error *err) SL_MUST_USE;
/* The order in which a session sees the options of a question at attempt number `attempt`: a new
 * one each time, so that nobody finds the right option by its position. */
void sl_session_options(const struct sl_study *study, uint64_t seed, size_t attempt,
                        size_t question, size_t order[SL_STUDY_MAX_OPTIONS]);
/* The comprehension check. A session that has used up its attempts has failed. */
struct sl_comprehension {
    size_t *answers; /* n_comprehension, given */
    bool *wrong;     /* n_comprehension, filled */
    size_t n_wrong;  /* filled */
    bool passed;     /* filled */
};
enum sl_status sl_session_check(struct sl_store_session *session, const struct sl_study *study,
                                const struct sl_flow *flow, struct sl_comprehension *checking,
                                int64_t now, struct sl_error *err) SL_MUST_USE;
/* A session at the comprehension check always has at least one attempt left, even if earlier
 * sessions expired. */
size_t sl_session_attempts_left(const struct sl_store_session *session,
                                const struct sl_study *study);
/* Whether trial `trial` may be answered now; SL_ERR_USAGE says why not. */
enum sl_status sl_session_may_answer(const struct sl_store_session *session,
                                     const struct sl_study *study, size_t trial, size_t n_trials,
                                     bool practice, struct sl_error *err) SL_MUST_USE;
/* The trial was answered: move on to the next trial or place. */
enum sl_status sl_session_answered(struct sl_store_session *session, const struct sl_flow *flow,
                                   size_t trial, size_t n_trials, bool practice, int64_t now,
                                   struct sl_error *err) SL_MUST_USE;
/* An exercise was answered. Exercises are practice trials from 1 on, and `session->trial` counts
 * them. At the end of a round with `right` right answers the session moves on, gets another round,
 * or has failed. */
enum sl_status sl_session_trained(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, size_t right, int64_t now,
                                  struct sl_error *err) SL_MUST_USE;
bool sl_session_training_passed(const struct sl_study *study, size_t right);
/* Return the place. */
enum sl_status sl_session_return(struct sl_store_session *session, int64_t now,
                                 struct sl_error *err) SL_MUST_USE;
/* The annotator was seen now: the lease starts again. */
void sl_session_renew(struct sl_store_session *session, const struct sl_study *study, int64_t now);

/* The prefix of a test run's code: no such code is paid. */
#define SL_TEST_CODE "TEST-"
/* {"code": ..., "url": ... or null} for a place that ends the session; null for others. A test's
 * code is marked, and its url is null if the address has no place for the code. */
json_t *sl_session_completion(const struct sl_study *study, enum sl_place place, bool test);
/* The same for a code: `{code}` in the study's address replaced, escaped. */
json_t *sl_completion_of(const struct sl_study *study, const char *code);

#endif
