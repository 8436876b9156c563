/* GET /api/session: everything that a page needs to show the session's place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/serve/site.h"

json_t *sl_stimulus_json(const struct sl_stimulus *stimulus, bool name_endpoints)
{
    const json_t *content = stimulus->content;
    json_t *text = json_object_get(content, "text");
    json_t *span = json_object_get(content, "span");
    json_t *endpoints = json_object_get(content, "endpoints");
    json_t *instructed = json_object_get(content, "instructed");
    json_t *item = json_object();
    if (instructed) {
        json_object_set(item, "instructed", instructed);
        return item;
    }
    if (text) {
        json_object_set(item, "text", text);
        if (span) json_object_set(item, "span", span);
        return item;
    }
    char address[64];
    snprintf(address, sizeof address, "image/%s", stimulus->opaque);
    json_object_set_new(item, "image", json_string(address));
    if (endpoints && name_endpoints) json_object_set(item, "endpoints", endpoints);
    return item;
}

/* Of the screens about mixtures only those with sliders name the mixed classes. */
static bool names_endpoints(const struct sl_store_session *session)
{
    return strcmp(session->screen, "mix") == 0 || strcmp(session->screen, "mix+") == 0;
}

static json_t *items_json(const struct sl_request *request, const struct sl_trials *trials)
{
    json_t *list = json_array();
    for (size_t t = 0; t < trials->count; t++) {
        const struct sl_stimulus *stimulus =
            sl_stimulus_find(&request->site->stimuli, trials->trials[t].item);
        json_t *item = sl_stimulus_json(stimulus, names_endpoints(&request->session));
        json_object_set_new(item, "trial", json_integer((json_int_t)t));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *practice_json(const struct sl_request *request, const struct sl_trials *trials)
{
    const struct sl_site *site = request->site;
    const struct sl_store_session *session = &request->session;
    const bool training = strcmp(session->place, sl_place_names[SL_PLACE_TRAINING]) == 0;
    const struct sl_stimulus *stimulus =
        training ? sl_stimuli_exercise(&site->stimuli, site->study, session->seed, session->trial)
                 : sl_stimuli_practice(&site->stimuli, trials, session->seed);
    json_t *item = sl_stimulus_json(stimulus, names_endpoints(session));
    json_object_set_new(item, "item", json_string(stimulus->opaque));
    json_object_set_new(item, "trial", json_integer(training ? (json_int_t)session->trial + 1 : 0));
    return item;
}

/* The session's position in its exercises. */
static json_t *training_json(const struct sl_request *request)
{
    const struct sl_study *study = request->site->study;
    const size_t done = request->session.trial, total = study->training_trials;
    return json_pack("{s:I, s:I, s:I, s:I}", "number", (json_int_t)(done % total), "total",
                     (json_int_t)total, "needed",
                     (json_int_t)ceil(study->training_pass * (double)total), "attempts_left",
                     (json_int_t)(study->training_attempts - done / total));
}

static json_t *questions_json(const struct sl_request *request)
{
    const struct sl_study *study = request->site->study;
    const struct sl_store_session *session = &request->session;
    json_t *list = json_array();
    for (size_t i = 0; i < study->n_comprehension; i++) {
        const struct sl_study_question *question = &study->comprehension[i];
        size_t order[SL_STUDY_MAX_OPTIONS];
        json_t *options = json_array();
        sl_session_options(study, session->seed, session->attempts, i, order);
        for (size_t o = 0; o < question->n_options; o++)
            json_array_append_new(options, json_string(question->options[order[o]]));
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "question", question->question, "options", options));
    }
    return list;
}

static json_t *debrief_json(const struct sl_study *study)
{
    json_t *list = json_array();
    for (size_t i = 0; i < study->n_debrief; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "question", study->debrief[i].question, "kind",
                            study->debrief[i].kind == SL_DEBRIEF_SCALE ? "scale" : "text"));
    return list;
}

/* The texts of the current place, null for all others. */
static void add_texts(json_t *reply, const struct sl_request *request, enum sl_place place)
{
    const struct sl_site *site = request->site;
    const struct sl_study *study = site->study;
    json_t *consent = NULL, *pages = NULL, *questions = NULL, *debrief = NULL, *html = NULL;
    if (place == SL_PLACE_CONSENT)
        consent =
            json_pack("{s:s, s:s}", "version", study->consent_version, "html", site->texts.consent);
    if (place == SL_PLACE_INSTRUCTIONS) pages = json_array();
    for (size_t i = 0; pages && i < site->texts.n_instructions; i++)
        json_array_append_new(pages, json_string(site->texts.instructions[i]));
    if (place == SL_PLACE_CHECK) questions = questions_json(request);
    if (place == SL_PLACE_DEBRIEF) debrief = debrief_json(study);
    if (place == SL_PLACE_DEBRIEF) html = json_string(site->texts.debrief);
    json_object_set_new(reply, "consent", consent ? consent : json_null());
    json_object_set_new(reply, "instructions", pages ? pages : json_null());
    json_object_set_new(reply, "questions", questions ? questions : json_null());
    json_object_set_new(reply, "debrief", debrief ? debrief : json_null());
    json_object_set_new(reply, "debrief_html", html ? html : json_null());
}

static void add_trials(json_t *reply, const struct sl_request *request,
                       const struct sl_trials *trials, enum sl_place place)
{
    const struct sl_study *study = request->site->study;
    const struct sl_store_session *session = &request->session;
    bool shown = place == SL_PLACE_PRACTICE || place == SL_PLACE_TRIALS;
    json_t *classes = json_array(), *answered = json_array();
    for (size_t k = 0; k < study->n_classes; k++)
        json_array_append_new(classes, json_string(study->classes[trials->class_order[k]]));
    /* Exercises have their own count. */
    const size_t trial = place == SL_PLACE_TRAINING ? 0 : session->trial;
    for (size_t t = 0; t < trial; t++)
        json_array_append_new(answered, json_integer((json_int_t)t));
    json_object_set_new(reply, "trial", json_integer((json_int_t)trial));
    json_object_set_new(reply, "trials", json_integer((json_int_t)trials->count));
    json_object_set_new(reply, "classes", classes);
    json_object_set_new(reply, "answered", answered);
    json_object_set_new(reply, "items", shown ? items_json(request, trials) : json_null());
    const bool training = place == SL_PLACE_TRAINING;
    json_object_set_new(reply, "practice",
                        training || place == SL_PLACE_PRACTICE ? practice_json(request, trials)
                                                               : json_null());
    json_object_set_new(reply, "training", training ? training_json(request) : json_null());
}

static json_t *session_json(const struct sl_request *request, const struct sl_trials *trials,
                            enum sl_place place)
{
    const struct sl_site *site = request->site;
    const struct sl_study *study = site->study;
    const struct sl_store_session *session = &request->session;
    char name[32], opaque[SL_OPAQUE_TEXT];
    snprintf(name, sizeof name, "session %lld", (long long)session->id);
    sl_secret_opaque(site->stimuli.key, name, opaque);
    size_t left = sl_session_attempts_left(session, study);
    json_t *reply = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:I, s:b, s:I, s:I, s:f}", "session", opaque, "title",
        study->title, "place", session->place, "screen", session->screen, "framing",
        study->framing == SL_FRAMING_FIRST ? "first" : "third", "size", (json_int_t)study->size,
        "back", study->back, "break_after", (json_int_t)study->break_after, "test", session->test,
        "attempts_left", (json_int_t)left, "attempt", (json_int_t)session->attempts, "min_seconds",
        study->min_seconds);
    add_texts(reply, request, place);
    add_trials(reply, request, trials, place);
    json_object_set_new(reply, "completion", sl_session_completion(study, place, session->test));
    return reply;
}

enum sl_status sl_session_describe(struct sl_request *request, json_t **out, struct sl_error *err)
{
    struct sl_site *site = request->site;
    struct sl_trials trials = {0};
    enum sl_place place = SL_PLACE_CONSENT;
    SL_TRY(sl_session_settle(&request->session, &request->flow, request->now, err));
    SL_TRY(sl_session_place(&request->session, &place, err));
    SL_TRY(sl_stimuli_trials(&site->stimuli, site->study, site->store, &request->session, &trials,
                             err));
    *out = session_json(request, &trials, place);
    sl_trials_release(&trials);
    return SL_OK;
}

/* The cookie of a person who got no place: it says so and nothing else. */
static bool send_full(struct sl_site *site, struct sl_http_exchange *exchange)
{
    const char *cookie = sl_http_cookie(exchange, "softlab");
    if (!cookie || strcmp(cookie, "full") != 0) return false;
    if (!sl_request_admit(site, exchange, NULL)) return true;
    json_t *reply =
        json_pack("{s:s, s:s, s:s, s:o}", "session", "full", "title", site->study->title, "place",
                  "full", "completion", sl_completion_of(site->study, site->study->code_full));
    sl_site_reply(site, exchange, reply);
    return true;
}

void sl_handle_session(struct sl_http_exchange *exchange, void *context)
{
    struct sl_request request;
    struct sl_error err;
    json_t *reply = NULL;
    if (send_full(context, exchange)) return;
    if (!sl_request_open(&request, context, exchange, SL_HTTP_GET)) return;
    /* The lease is renewed, and the reply shows what is stored. */
    if (sl_session_describe(&request, &reply, &err) == SL_OK)
        sl_request_finish(&request, reply);
    else
        sl_request_fail(&request, &err);
    sl_request_close(&request);
}
