/* The people: sessions, live leases, annotators, and proposals for exclusion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "study/status/status.h"

bool sl_status_is_live(const struct sl_store_session *session, int64_t now)
{
    return session->state == SL_SESSION_ACTIVE && !session->test && session->lease_until >= now;
}

/* The published rules in this order: errors in answers, then attention checks. A rule has no effect
 * on a study without such answers or checks. */
const char *sl_status_exclusion(const struct sl_annotator_quality *quality)
{
    static const char *const rules[] = {"collins2022-as-published", "peterson2019"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (const struct sl_exclusion_preset *preset = sl_exclusion_presets; preset->name;
             preset++) {
            if (strcmp(preset->name, rules[i]) != 0) continue;
            const char *reason = sl_exclusion_reason(preset, quality);
            if (reason) return reason;
        }
    return NULL;
}

static const struct sl_annotator_quality *quality_of(const struct sl_status_gathering *from,
                                                     const char *annotator)
{
    uint32_t index = sl_name_table_find(from->answers->annotators, annotator, strlen(annotator));
    return index == SL_NO_NAME ? NULL : &from->quality.annotators[index];
}

json_t *sl_status_exclusions(const struct sl_status_gathering *from)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < from->quality.n_annotators; i++) {
        const char *reason = sl_status_exclusion(&from->quality.annotators[i]);
        if (!reason) continue;
        json_array_append_new(list, json_pack("{s:s, s:s}", "annotator",
                                              sl_name_table_get(from->answers->annotators, i, NULL),
                                              "reason", reason));
    }
    return list;
}

/* A lease that ran out is expired even if the store does not say so yet. */
static const char *state_of(const struct sl_store_session *session, int64_t now)
{
    enum sl_session_state state = session->state;
    if (state == SL_SESSION_ACTIVE && session->lease_until < now) state = SL_SESSION_EXPIRED;
    return sl_session_state_name(state);
}

json_t *sl_status_sessions(const struct sl_status_gathering *from)
{
    json_t *counts = json_object();
    size_t tests = 0, second_runs = 0;
    for (int state = SL_SESSION_ACTIVE; state <= SL_SESSION_REFUSED; state++)
        json_object_set_new(counts, sl_session_state_name((enum sl_session_state)state),
                            json_integer(0));
    for (size_t i = 0; i < from->n_sessions; i++) {
        const struct sl_store_session *session = &from->sessions[i].session;
        const char *state = state_of(session, from->now);
        tests += session->test;
        second_runs += session->second_run && !session->test;
        if (session->test) continue;
        const json_int_t before = json_integer_value(json_object_get(counts, state));
        json_object_set_new(counts, state, json_integer(before + 1));
    }
    json_object_set_new(counts, "test", json_integer((json_int_t)tests));
    json_object_set_new(counts, "second_run", json_integer((json_int_t)second_runs));
    return counts;
}

json_t *sl_status_leases(const struct sl_status_gathering *from)
{
    json_t *leases = json_array();
    for (size_t i = 0; i < from->n_sessions; i++) {
        const struct sl_store_session *session = &from->sessions[i].session;
        char annotator[SL_STUDY_ANNOTATOR_TEXT];
        if (!sl_status_is_live(session, from->now)) continue;
        sl_study_annotator(session->person, annotator);
        json_array_append_new(
            leases,
            json_pack("{s:s, s:I, s:s, s:s, s:I, s:I, s:I}", "annotator", annotator, "batch",
                      (json_int_t)session->batch, "screen", session->screen, "place",
                      session->place, "trial", (json_int_t)session->trial, "seen_seconds",
                      (json_int_t)((from->now - session->seen) / 1000), "left_seconds",
                      (json_int_t)((session->lease_until - from->now) / 1000)));
    }
    return leases;
}

json_t *sl_status_annotator(const struct sl_status_gathering *from,
                            const struct sl_status_session *one)
{
    const struct sl_store_session *session = &one->session;
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    sl_study_annotator(session->person, annotator);
    const struct sl_annotator_quality *quality = quality_of(from, annotator);
    const char *reason = quality && one->answers > 0 ? sl_status_exclusion(quality) : NULL;
    size_t slips = 0;
    for (size_t s = 0; quality && one->answers > 0 && s < SL_SLIP_COUNT; s++)
        slips += quality->slips[s];
    json_t *result =
        json_pack("{s:s, s:I, s:s, s:I, s:s, s:s, s:b, s:b}", "annotator", annotator, "session",
                  (json_int_t)session->id, "screen", session->screen, "batch",
                  (json_int_t)session->batch, "state", state_of(session, from->now), "place",
                  session->place, "test", session->test, "second_run", session->second_run);
    json_object_set_new(result, "answers", json_integer((json_int_t)one->answers));
    json_object_set_new(result, "seconds",
                        sl_status_real(sl_median(one->seconds.values, one->seconds.count), 1));
    json_object_set_new(result, "checks", json_integer((json_int_t)one->checks));
    json_object_set_new(result, "checks_right", json_integer((json_int_t)one->checks_right));
    json_object_set_new(result, "slips", json_integer((json_int_t)slips));
    json_object_set_new(
        result, "agreement",
        sl_status_real(quality && one->answers > 0 ? quality->agreement : (double)NAN, 4));
    json_object_set_new(result, "started", json_integer(session->started));
    json_object_set_new(result, "finished", json_integer(session->finished));
    json_object_set_new(result, "excluded", reason ? json_string(reason) : json_null());
    json_object_set_new(result, "suspicion", sl_status_suspicion(from, annotator, session->test));
    return result;
}

json_t *sl_status_annotators(const struct sl_status_gathering *from)
{
    json_t *list = json_array();
    for (size_t i = 0; i < from->n_sessions; i++)
        json_array_append_new(list, sl_status_annotator(from, &from->sessions[i]));
    return list;
}
