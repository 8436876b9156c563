/* A session's walk through its places: what may be done where, and what comes next. No store, no
 * HTTP: everything acts on a struct sl_store_session that the caller saves. Private to study/.
 *
 * Refusals are SL_ERR_INPUT where the request makes no sense and SL_ERR_USAGE where it comes at
 * the wrong time. A request for a place that is behind the session is not refused, since a page
 * that missed a reply asks again: `behind` says so, and nothing changes. */
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

/* Which places the study has. Trials and the end are always there. */
struct sl_flow {
    bool has[SL_PLACE_COUNT];
};

/* Where the session is. SL_ERR_INPUT if the store holds a place that does not exist. */
enum sl_status sl_session_place(const struct sl_store_session *session, enum sl_place *out,
                                struct sl_error *err) SL_MUST_USE;
/* Go on to the first place from here that the study has; at the end the session is done. */
enum sl_status sl_session_settle(struct sl_store_session *session, const struct sl_flow *flow,
                                 int64_t now, struct sl_error *err) SL_MUST_USE;
/* Whether the session stands at `place` (*behind false) or is past it (true); SL_ERR_USAGE if it
 * has not come there. */
enum sl_status sl_session_reach(const struct sl_store_session *session, enum sl_place place,
                                bool *behind, struct sl_error *err) SL_MUST_USE;

enum sl_status sl_session_consent(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, bool agreed, const char *version,
                                  int64_t now, struct sl_error *err) SL_MUST_USE;
/* Leave `place` (instructions, debrief) for what follows it. */
enum sl_status sl_session_leave(struct sl_store_session *session, const struct sl_flow *flow,
                                enum sl_place place, int64_t now, struct sl_error *err) SL_MUST_USE;
/* The order in which a session sees the options of a question at its attempt number `attempt`:
 * another one each time, so that nobody finds the right option by its place. */
void sl_session_options(const struct sl_study *study, uint64_t seed, size_t attempt,
                        size_t question, size_t order[SL_STUDY_MAX_OPTIONS]);
/* The comprehension check. When the attempts are used up the session has failed. */
struct sl_comprehension {
    size_t *answers; /* n_comprehension, given */
    bool *wrong;     /* n_comprehension, filled */
    size_t n_wrong;  /* filled */
    bool passed;     /* filled */
};
enum sl_status sl_session_check(struct sl_store_session *session, const struct sl_study *study,
                                const struct sl_flow *flow, struct sl_comprehension *checking,
                                int64_t now, struct sl_error *err) SL_MUST_USE;
/* Who stands at the check has an attempt, however many went with places that ran out. */
size_t sl_session_attempts_left(const struct sl_store_session *session,
                                const struct sl_study *study);
/* May trial `trial` be answered now? SL_ERR_USAGE says why not. */
enum sl_status sl_session_may_answer(const struct sl_store_session *session,
                                     const struct sl_study *study, size_t trial, size_t n_trials,
                                     bool practice, struct sl_error *err) SL_MUST_USE;
/* It was: the next one, or the next place. */
enum sl_status sl_session_answered(struct sl_store_session *session, const struct sl_flow *flow,
                                   size_t trial, size_t n_trials, bool practice, int64_t now,
                                   struct sl_error *err) SL_MUST_USE;
/* An exercise was answered. Exercises are practice trials from 1 on, and `session->trial` counts
 * them; at the end of a round, `right` of which were right, the session goes on, has another round,
 * or has failed. */
enum sl_status sl_session_trained(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, size_t right, int64_t now,
                                  struct sl_error *err) SL_MUST_USE;
bool sl_session_training_passed(const struct sl_study *study, size_t right);
/* Give the place back. */
enum sl_status sl_session_return(struct sl_store_session *session, int64_t now,
                                 struct sl_error *err) SL_MUST_USE;
/* Seen now: the lease runs from here. */
void sl_session_renew(struct sl_store_session *session, const struct sl_study *study, int64_t now);

/* What stands before the code of a test run: no payment is made for such a code. */
#define SL_TEST_CODE "TEST-"
/* {"code": ..., "url": ... or null} for a place that ends the session; null for others. A test's
 * code is marked, and an address that has no place for it is not told. */
json_t *sl_session_completion(const struct sl_study *study, enum sl_place place, bool test);
/* The same for a code: `{code}` in the study's address replaced, escaped. */
json_t *sl_completion_of(const struct sl_study *study, const char *code);

#endif
