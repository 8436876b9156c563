#include "study/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

const char *const sl_place_names[SL_PLACE_COUNT] = {
    "consent", "instructions", "check", "training", "practice",
    "trials",  "debrief",      "done",  "refused",  "failed",
};

enum sl_status sl_session_place(const struct sl_store_session *session, enum sl_place *out,
                                struct sl_error *err)
{
    for (int place = 0; place < SL_PLACE_COUNT; place++) {
        if (strcmp(session->place, sl_place_names[place]) != 0) continue;
        *out = (enum sl_place)place;
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_BACKEND, "the store names a place \"%s\" that does not exist",
                   session->place);
}

static void set_place(struct sl_store_session *session, enum sl_place place)
{
    snprintf(session->place, sizeof session->place, "%s", sl_place_names[place]);
}

static void end_session(struct sl_store_session *session, enum sl_place place,
                        enum sl_session_state state, int64_t now)
{
    set_place(session, place);
    session->state = state;
    session->finished = now;
}

enum sl_status sl_session_settle(struct sl_store_session *session, const struct sl_flow *flow,
                                 int64_t now, struct sl_error *err)
{
    enum sl_place place = SL_PLACE_CONSENT;
    SL_TRY(sl_session_place(session, &place, err));
    if (session->state != SL_SESSION_ACTIVE) return SL_OK;
    while (place < SL_PLACE_DONE && place != SL_PLACE_TRIALS && !flow->has[place])
        place++;
    if (place == SL_PLACE_DONE)
        end_session(session, place, SL_SESSION_DONE, now);
    else
        set_place(session, place);
    return SL_OK;
}

enum sl_status sl_session_reach(const struct sl_store_session *session, enum sl_place place,
                                bool *behind, struct sl_error *err)
{
    enum sl_place here = SL_PLACE_CONSENT;
    SL_TRY(sl_session_place(session, &here, err));
    if (here < place)
        return sl_fail(err, SL_ERR_USAGE, "the session is at %s; %s comes later",
                       sl_place_names[here], sl_place_names[place]);
    *behind = here > place || session->state != SL_SESSION_ACTIVE;
    return SL_OK;
}

/* Moves on to the next place that the study has. */
static enum sl_status go_on(struct sl_store_session *session, const struct sl_flow *flow,
                            enum sl_place from, int64_t now, struct sl_error *err)
{
    set_place(session, from + 1);
    return sl_session_settle(session, flow, now, err);
}

enum sl_status sl_session_consent(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, bool agreed, const char *version,
                                  int64_t now, struct sl_error *err)
{
    if (strcmp(version, study->consent_version) != 0)
        return sl_fail(err, SL_ERR_USAGE, "the consent text is now version %s: load it again",
                       study->consent_version);
    if (!agreed) {
        end_session(session, SL_PLACE_REFUSED, SL_SESSION_REFUSED, now);
        return SL_OK;
    }
    snprintf(session->consent, sizeof session->consent, "%s", version);
    return go_on(session, flow, SL_PLACE_CONSENT, now, err);
}

enum sl_status sl_session_leave(struct sl_store_session *session, const struct sl_flow *flow,
                                enum sl_place place, int64_t now, struct sl_error *err)
{
    return go_on(session, flow, place, now, err);
}

void sl_session_options(const struct sl_study *study, uint64_t seed, size_t attempt,
                        size_t question, size_t order[SL_STUDY_MAX_OPTIONS])
{
    const size_t count = study->comprehension[question].n_options;
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "study.options", attempt, question);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    if (study->shuffle_options) sl_rng_shuffle(&rng, order, count);
}

enum sl_status sl_session_check(struct sl_store_session *session, const struct sl_study *study,
                                const struct sl_flow *flow, struct sl_comprehension *checking,
                                int64_t now, struct sl_error *err)
{
    checking->n_wrong = 0;
    for (size_t i = 0; i < study->n_comprehension; i++) {
        size_t answer = checking->answers[i];
        if (answer >= study->comprehension[i].n_options)
            return sl_fail(err, SL_ERR_INPUT, "question %zu has no option %zu", i, answer);
        checking->wrong[i] = answer != study->comprehension[i].answer;
        checking->n_wrong += checking->wrong[i];
    }
    checking->passed = checking->n_wrong == 0;
    session->attempts++;
    if (checking->passed) return go_on(session, flow, SL_PLACE_CHECK, now, err);
    if (session->attempts >= study->attempts)
        end_session(session, SL_PLACE_FAILED, SL_SESSION_REFUSED, now);
    return SL_OK;
}

size_t sl_session_attempts_left(const struct sl_store_session *session,
                                const struct sl_study *study)
{
    if (session->attempts < study->attempts) return study->attempts - session->attempts;
    return strcmp(session->place, sl_place_names[SL_PLACE_CHECK]) == 0;
}

enum sl_status sl_session_may_answer(const struct sl_store_session *session,
                                     const struct sl_study *study, size_t trial, size_t n_trials,
                                     bool practice, struct sl_error *err)
{
    enum sl_place here = SL_PLACE_CONSENT;
    const bool exercise = practice && trial > 0;
    enum sl_place wanted = exercise   ? SL_PLACE_TRAINING
                           : practice ? SL_PLACE_PRACTICE
                                      : SL_PLACE_TRIALS;
    SL_TRY(sl_session_place(session, &here, err));
    if (here != wanted || session->state != SL_SESSION_ACTIVE)
        return sl_fail(err, SL_ERR_USAGE, "the session is at %s, but this answer belongs to %s",
                       sl_place_names[here], sl_place_names[wanted]);
    if (exercise && trial != session->trial + 1)
        return sl_fail(err, SL_ERR_USAGE, "exercise %zu is next, not %zu", session->trial + 1,
                       trial);
    if (practice) return SL_OK;
    if (trial > session->trial || trial >= n_trials)
        return sl_fail(err, SL_ERR_USAGE, "trial %zu cannot be answered before trial %zu", trial,
                       session->trial);
    if (trial < session->trial && !study->back)
        return sl_fail(err, SL_ERR_USAGE,
                       "trial %zu is answered, and this study does not allow changes", trial);
    return SL_OK;
}

enum sl_status sl_session_answered(struct sl_store_session *session, const struct sl_flow *flow,
                                   size_t trial, size_t n_trials, bool practice, int64_t now,
                                   struct sl_error *err)
{
    if (practice) return go_on(session, flow, SL_PLACE_PRACTICE, now, err);
    if (trial == session->trial) session->trial++;
    return session->trial < n_trials ? SL_OK : go_on(session, flow, SL_PLACE_TRIALS, now, err);
}

bool sl_session_training_passed(const struct sl_study *study, size_t right)
{
    return (double)right >= study->training_pass * (double)study->training_trials;
}

enum sl_status sl_session_trained(struct sl_store_session *session, const struct sl_study *study,
                                  const struct sl_flow *flow, size_t right, int64_t now,
                                  struct sl_error *err)
{
    session->trial++;
    if (session->trial % study->training_trials != 0) return SL_OK;
    if (sl_session_training_passed(study, right)) {
        session->trial = 0;
        return go_on(session, flow, SL_PLACE_TRAINING, now, err);
    }
    if (session->trial / study->training_trials >= study->training_attempts)
        end_session(session, SL_PLACE_FAILED, SL_SESSION_REFUSED, now);
    return SL_OK;
}

enum sl_status sl_session_return(struct sl_store_session *session, int64_t now,
                                 struct sl_error *err)
{
    if (session->state == SL_SESSION_RETURNED) return SL_OK;
    if (session->state != SL_SESSION_ACTIVE)
        return sl_fail(err, SL_ERR_USAGE, "the session is over");
    end_session(session, SL_PLACE_REFUSED, SL_SESSION_RETURNED, now);
    return SL_OK;
}

/* A clock that was set back does not shorten the lease. */
void sl_session_renew(struct sl_store_session *session, const struct sl_study *study, int64_t now)
{
    int64_t until = now + (int64_t)study->lease_minutes * 60000;
    if (session->state != SL_SESSION_ACTIVE) return;
    if (now > session->seen) session->seen = now;
    if (until > session->lease_until) session->lease_until = until;
}

static const char code_mark[] = "{code}";

json_t *sl_completion_of(const struct sl_study *study, const char *code)
{
    const char *at = strstr(study->complete, code_mark);
    /* An address that needs a code is useless without one. */
    if (!*study->complete || (at && !*code)) return json_pack("{s:s, s:n}", "code", code, "url");
    struct sl_buffer url;
    sl_buffer_init(&url, 4096);
    const char *rest = study->complete;
    for (; at; at = strstr(rest, code_mark)) {
        sl_buffer_append(&url, rest, (size_t)(at - rest));
        sl_url_escape(&url, code, "");
        rest = at + strlen(code_mark);
    }
    sl_buffer_text(&url, rest);
    json_t *completion = json_pack("{s:s, s:s}", "code", code, "url", url.data);
    sl_buffer_release(&url);
    return completion;
}

static const char *code_of(const struct sl_study *study, enum sl_place place)
{
    switch (place) {
    case SL_PLACE_DONE: return study->code_done;
    case SL_PLACE_REFUSED: return study->code_refused;
    case SL_PLACE_FAILED: return study->code_failed;
    default: return NULL;
    }
}

json_t *sl_session_completion(const struct sl_study *study, enum sl_place place, bool test)
{
    const char *code = code_of(study, place);
    if (!code) return json_null();
    if (!test) return sl_completion_of(study, code);
    char *marked = sl_string_printf(SL_TEST_CODE "%s", code);
    json_t *completion = strstr(study->complete, code_mark)
                             ? sl_completion_of(study, marked)
                             : json_pack("{s:s, s:n}", "code", marked, "url");
    free(marked);
    return completion;
}
