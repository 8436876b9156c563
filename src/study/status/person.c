/* One annotator: sessions, trials in order, events between them, and a comparison with other
 * people's answers. Also everybody's debrief comments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/status/status.h"

/* The store limits a session's events by bytes; nobody reads more lines than this. */
enum { MOST_EVENTS = 300 };

struct person {
    const struct sl_status_gathering *from;
    const char *annotator;
    uint32_t number; /* in the answers that count; SL_NO_NAME: none counts */
    struct sl_item_index index;
    json_t *sessions;
};

static json_t *session_of(const struct person *person, int64_t id)
{
    size_t place = 0;
    json_t *session = NULL;
    json_array_foreach(person->sessions, place, session)
    {
        if (json_integer_value(json_object_get(session, "session")) == id) return session;
    }
    return NULL;
}

/* ---- Trials ---- */

/* The share of other people's first answers that name the same class; NaN if there are none. */
static double agreement(const struct person *person, const struct sl_answer *mine,
                        const char *item_id, size_t *n_others)
{
    const struct sl_answers *answers = person->from->answers;
    const int64_t choice = sl_study_top_class(person->from->study, mine);
    const uint32_t item = sl_name_table_find(answers->items, item_id, strlen(item_id));
    size_t others = 0, same = 0;
    for (size_t at = item == SL_NO_NAME ? 0 : person->index.begin[item];
         item != SL_NO_NAME && at < person->index.begin[item + 1]; at++) {
        const size_t index = person->index.order[at];
        struct sl_answer other;
        sl_answers_get(answers, index, &other);
        if (answers->annotator[index] == person->number || other.flags) continue;
        others++;
        same += sl_study_top_class(person->from->study, &other) == choice;
    }
    *n_others = others;
    return others > 0 && choice >= 0 ? (double)same / (double)others : (double)NAN;
}

static void add_picture(json_t *trial, const struct person *person,
                        const struct sl_study_item *item)
{
    const size_t number = (size_t)(item - person->from->items.items);
    json_object_set_new(trial, "number", json_integer((json_int_t)number));
    sl_status_show_item(item, number, trial);
}

static json_t *trial_json(const struct person *person, const struct sl_study_given *given,
                          const struct sl_answer *answer)
{
    const struct sl_study *study = person->from->study;
    const struct sl_study_item *item = given->item;
    size_t others = 0;
    char *said = sl_status_said(study, answer);
    json_t *trial = json_pack("{s:I, s:b, s:I, s:s, s:b, s:b, s:I, s:s}", "trial",
                              (json_int_t)given->answer->trial, "practice", given->answer->practice,
                              "revisions", (json_int_t)given->answer->revision + 1, "item",
                              item->id, "check", item->check, "repeat", given->answer->repeat, "at",
                              (json_int_t)given->answer->received, "answer", said);
    add_picture(trial, person, item);
    json_object_set_new(trial, "exercise",
                        json_boolean(json_is_true(json_object_get(item->content, "training"))));
    json_object_set_new(trial, "seconds", sl_status_real((double)given->answer->elapsed / 1000, 1));
    json_object_set_new(trial, "label", sl_status_label(study, answer));
    json_object_set_new(trial, "right",
                        item->check && item->truth >= 0
                            ? json_boolean(sl_study_top_class(study, answer) == item->truth)
                            : json_null());
    const double share = agreement(person, answer, item->id, &others);
    json_object_set_new(trial, "agreement", sl_status_real(share, 4));
    json_object_set_new(trial, "others", json_integer((json_int_t)others));
    free(said);
    return trial;
}

/* Revisions of a trial are adjacent: the last one counts. */
static enum sl_status add_trial(const struct sl_study_given *given, void *context,
                                struct sl_error *err)
{
    const struct person *person = context;
    json_t *session = session_of(person, given->session->id);
    struct sl_study_record record;
    if (!session) return SL_OK; /* began during the walk */
    SL_TRY(sl_study_record_make(person->from->study, given, &record, err));
    json_t *trials = json_object_get(session, "trials");
    const size_t count = json_array_size(trials);
    if (count > 0 && given->answer->revision > 0) json_array_remove(trials, count - 1);
    json_array_append_new(trials, trial_json(person, given, &record.answer));
    sl_study_record_release(&record);
    return SL_OK;
}

/* ---- Events ---- */

static void add_event(json_t *session, const char *kind, json_int_t at, const char *note)
{
    json_t *events = json_object_get(session, "events");
    json_t *counts = json_object_get(session, "event_counts");
    char *safe = sl_study_scrub(kind);
    const json_int_t before = json_integer_value(json_object_get(counts, safe));
    json_object_set_new(counts, safe, json_integer(before + 1));
    if (json_array_size(events) < MOST_EVENTS)
        json_array_append_new(events,
                              json_pack("{s:s, s:I, s:s}", "kind", safe, "at", at, "note", note));
    free(safe);
}

/* Pages send their events in bundles. */
static void add_page_events(json_t *session, const json_t *body)
{
    size_t place = 0;
    json_t *event = NULL;
    json_array_foreach(json_object_get(body, "events"), place, event)
    {
        const char *kind = json_string_value(json_object_get(event, "kind"));
        const json_t *at = json_object_get(event, "at");
        if (kind && json_is_number(at))
            add_event(session, kind, (json_int_t)json_number_value(at), "");
    }
}

/* The debrief answers, with free text scrubbed. */
static json_t *debrief_answers(const json_t *body)
{
    json_t *answers = json_array(), *answer = NULL;
    size_t place = 0;
    json_array_foreach(json_object_get(body, "answers"), place, answer)
    {
        if (!json_is_string(answer)) {
            json_array_append(answers, answer);
            continue;
        }
        char *safe = sl_study_scrub(json_string_value(answer));
        json_array_append_new(answers, json_string(safe));
        free(safe);
    }
    return answers;
}

static enum sl_status visit_event(const struct sl_store_row *row, void *context)
{
    json_t *session = context;
    json_t *body = json_loads(row->body, JSON_DECODE_ANY, NULL);
    const json_t *passed = json_object_get(body, "passed");
    const char *note = !passed ? "" : json_is_true(passed) ? "passed" : "not passed";
    if (strcmp(row->kind, "page") == 0)
        add_page_events(session, body);
    else
        add_event(session, row->kind, (json_int_t)row->at, note);
    if (strcmp(row->kind, "debrief") == 0)
        json_object_set_new(session, "debrief", debrief_answers(body));
    json_decref(body);
    return SL_OK;
}

/* ---- The person ---- */

static enum sl_status add_sessions(const struct person *person, struct sl_error *err)
{
    const struct sl_status_gathering *from = person->from;
    for (size_t i = 0; i < from->n_sessions; i++) {
        const struct sl_store_session *session = &from->sessions[i].session;
        char annotator[SL_STUDY_ANNOTATOR_TEXT];
        sl_study_annotator(session->person, annotator);
        if (strcmp(annotator, person->annotator) != 0) continue;
        json_t *one = sl_status_annotator(from, &from->sessions[i]);
        json_object_set_new(one, "consent", json_string(session->consent));
        json_object_set_new(one, "attempts", json_integer((json_int_t)session->attempts));
        json_object_set_new(one, "trials", json_array());
        json_object_set_new(one, "events", json_array());
        json_object_set_new(one, "event_counts", json_object());
        json_array_append_new(person->sessions, one);
        SL_TRY(sl_store_each_event_of(from->store, session->id, visit_event, one, err));
    }
    if (json_array_size(person->sessions) > 0) return SL_OK;
    return sl_fail(err, SL_ERR_NOT_FOUND, "there is no annotator \"%s\"", person->annotator);
}

/* Every published rule and its verdict, and the slips by name. */
static json_t *quality_json(const struct sl_annotator_quality *quality)
{
    json_t *rules = json_array(), *slips = json_object();
    for (const struct sl_exclusion_preset *preset = sl_exclusion_presets; preset->name; preset++) {
        const char *reason = sl_exclusion_reason(preset, quality);
        if (preset->rules && preset->rules->reason)
            json_array_append_new(rules, json_pack("{s:s, s:s, s:s?}", "rule", preset->name,
                                                   "summary", preset->summary, "reason", reason));
    }
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        if (quality->slips[s])
            json_object_set_new(slips, sl_slip_names[s],
                                json_integer((json_int_t)quality->slips[s]));
    json_t *result = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "answers", (json_int_t)quality->n_answers,
        "compared", (json_int_t)quality->n_compared, "repeats", (json_int_t)quality->n_repeats,
        "checks", (json_int_t)quality->n_checks, "checks_right",
        (json_int_t)quality->n_checks_right, "rules", rules, "slips", slips);
    json_object_set_new(result, "agreement", sl_status_real(quality->agreement, 4));
    json_object_set_new(result, "changed_class", sl_status_real(quality->changed_class, 4));
    json_object_set_new(result, "mean_change", sl_status_real(quality->mean_change, 2));
    json_object_set_new(result, "accuracy", sl_status_real(quality->top1, 4));
    json_object_set_new(result, "seconds", sl_status_real(quality->median_ms / 1000, 1));
    return result;
}

static json_t *debrief_questions(const struct sl_study *study)
{
    json_t *questions = json_array();
    for (size_t i = 0; i < study->n_debrief; i++)
        json_array_append_new(questions, json_string(study->debrief[i].question));
    return questions;
}

static enum sl_status describe_person(struct sl_status_gathering *from, const char *annotator,
                                      json_t **out, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct person person = {.from = from, .annotator = annotator, .sessions = json_array()};
    SL_TRY_OUT(sl_status_gather(from, err));
    person.number = sl_name_table_find(from->answers->annotators, annotator, strlen(annotator));
    SL_TRY_OUT(sl_item_index_create(from->answers, &person.index, err));
    SL_TRY_OUT(add_sessions(&person, err));
    SL_TRY_OUT(sl_study_each_given_by(from->study, from->store, &from->items, annotator, add_trial,
                                      &person, err));
    const struct sl_annotator_quality *quality =
        person.number == SL_NO_NAME ? NULL : &from->quality.annotators[person.number];
    *out = json_pack("{s:s, s:I, s:O, s:o, s:o}", "annotator", annotator, "now",
                     (json_int_t)from->now, "sessions", person.sessions, "quality",
                     quality ? quality_json(quality) : json_null(), "questions",
                     debrief_questions(from->study));
out:
    sl_item_index_release(&person.index);
    json_decref(person.sessions);
    return status;
}

enum sl_status sl_status_of_person(const struct sl_study *study, struct sl_store *store,
                                   int64_t now, const char *annotator, json_t **out,
                                   struct sl_error *err)
{
    struct sl_status_gathering from = {.study = study, .store = store, .now = now};
    const enum sl_status status = describe_person(&from, annotator, out, err);
    sl_status_release(&from);
    return status;
}

/* ---- Comments ---- */

static bool says_something(const json_t *answers)
{
    size_t place = 0;
    json_t *answer = NULL;
    json_array_foreach(answers, place, answer)
    {
        if (*(json_string_value(answer) ? json_string_value(answer) : "")) return true;
    }
    return false;
}

static enum sl_status visit_comment(const struct sl_store_row *row, void *context)
{
    json_t *list = context;
    char annotator[SL_STUDY_ANNOTATOR_TEXT];
    if (!row->session || strcmp(row->kind, "debrief") != 0) return SL_OK;
    json_t *body = json_loads(row->body, JSON_DECODE_ANY, NULL);
    json_t *answers = debrief_answers(body);
    json_decref(body);
    sl_study_annotator(row->session->person, annotator);
    if (says_something(answers))
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:b, s:O}", "annotator", annotator,
                                              "session", (json_int_t)row->session->id, "at",
                                              (json_int_t)row->at, "test", row->session->test,
                                              "answers", answers));
    json_decref(answers);
    return SL_OK;
}

enum sl_status sl_status_comments(const struct sl_study *study, struct sl_store *store,
                                  json_t **out, struct sl_error *err)
{
    json_t *list = json_array();
    json_t *result =
        json_pack("{s:o, s:o}", "questions", debrief_questions(study), "comments", list);
    const enum sl_status status = sl_store_each_event(store, visit_comment, list, err);
    if (status == SL_OK)
        *out = result;
    else
        json_decref(result);
    return status;
}
