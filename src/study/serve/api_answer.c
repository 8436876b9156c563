/* POST /api/answer. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/serve/site.h"

enum { MAX_TRIAL = 1000000, MAX_INPUTS = 2100 };
static const double MAX_MS = 1e15;

/* An answer as received. */
struct sent {
    uint8_t id[SL_STORE_CLIENT_BYTES];
    const char *id_text; /* borrowed from the body */
    size_t trial;
    bool practice;
    int64_t elapsed;
    json_t *answer;   /* borrowed from the body */
    json_t *feedback; /* owned; for an exercise, or NULL */
    json_t *round;    /* owned; at the end of a round of exercises, or NULL */
};

static bool is_exercise(const struct sent *sent)
{
    return sent->practice && sent->trial > 0;
}

/* "top", or "percents.Cat": a word, optionally a full stop and a class. Anything else would be free
 * text in the column names of exports. */
static bool is_input(const char *name, const struct sl_study *study)
{
    const char *stop = strchr(name, '.');
    if (!sl_request_is_word(name, stop ? (size_t)(stop - name) : strlen(name))) return false;
    for (size_t k = 0; stop && k < study->n_classes; k++)
        if (strcmp(stop + 1, study->classes[k]) == 0) return true;
    return !stop;
}

static enum sl_status check_times(const struct sl_json_cursor *root, const struct sl_study *study,
                                  struct sl_error *err)
{
    struct sl_json_cursor times;
    SL_TRY(sl_json_optional(root, "times", &times, err));
    if (!times.value) return SL_OK;
    if (!json_is_object(times.value) || json_object_size(times.value) > MAX_INPUTS)
        return sl_json_fail(&times, err, "expected an object of at most %d inputs", MAX_INPUTS);
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(times.value, name, value)
    {
        struct sl_json_cursor pair = {root->document, &times, name, 0, value};
        size_t count = 0;
        if (!is_input(name, study))
            return sl_json_fail(&times, err, "contains an input that no screen has");
        SL_TRY(sl_json_array_size(&pair, &count, err));
        if (count != 2)
            return sl_json_fail(&pair, err, "expected the times of first touch and last change");
        for (size_t i = 0; i < 2; i++) {
            struct sl_json_cursor at = sl_json_element(&pair, i);
            double ms = 0;
            SL_TRY(sl_json_number(&at, -MAX_MS, MAX_MS, &ms, err));
        }
    }
    return SL_OK;
}

static enum sl_status read_sent(const struct sl_json *body, const struct sl_study *study,
                                struct sent *out, struct sl_error *err)
{
    static const char *const known[] = {"id",    "trial",  "practice", "elapsed",
                                        "times", "answer", NULL};
    struct sl_json_cursor root = sl_json_root(body), at;
    int64_t trial = 0;
    double elapsed = 0;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(sl_json_member(&root, "id", &at, err));
    SL_TRY(sl_json_string(&at, &out->id_text, err));
    if (!sl_secret_from_hex(out->id_text, out->id, sizeof out->id))
        return sl_json_fail(&at, err, "expected 32 hexadecimal digits");
    SL_TRY(sl_json_member(&root, "trial", &at, err));
    SL_TRY(sl_json_integer(&at, 0, MAX_TRIAL, &trial, err));
    SL_TRY(sl_json_member(&root, "practice", &at, err));
    SL_TRY(sl_json_boolean(&at, &out->practice, err));
    SL_TRY(sl_json_member(&root, "elapsed", &at, err));
    SL_TRY(sl_json_number(&at, 0, MAX_MS, &elapsed, err));
    SL_TRY(check_times(&root, study, err));
    SL_TRY(sl_json_member(&root, "answer", &at, err));
    out->trial = (size_t)trial;
    out->elapsed = (int64_t)elapsed;
    out->answer = at.value;
    return SL_OK;
}

/* Bars come in the annotator's order of classes; they are stored in the study's. */
static void order_percents(json_t *answer, const struct sl_study *study, const size_t *class_order)
{
    json_t *shown = json_object_get(answer, "percents");
    if (!json_is_array(shown) || json_array_size(shown) != study->n_classes) return;
    json_t *ordered = json_copy(shown);
    for (size_t k = 0; k < study->n_classes; k++)
        json_array_set(ordered, class_order[k], json_array_get(shown, k));
    json_object_set_new(answer, "percents", ordered);
}

static enum sl_status find_item(struct sl_request *request, const struct sl_trials *trials,
                                const struct sent *sent, struct sl_store_answer *answer,
                                struct sl_error *err)
{
    const struct sl_site *site = request->site;
    if (is_exercise(sent)) {
        if (site->study->training_trials == 0)
            return sl_fail(err, SL_ERR_INPUT, "$.trial: the only practice trial is 0");
        answer->item =
            sl_stimuli_exercise(&site->stimuli, site->study, request->session.seed, sent->trial - 1)
                ->id;
        return SL_OK;
    }
    if (sent->practice) {
        const struct sl_stimulus *practice =
            sl_stimuli_practice(&site->stimuli, trials, request->session.seed);
        if (!practice) return sl_fail(err, SL_ERR_USAGE, "this session has no practice trial");
        answer->item = practice->id;
        return SL_OK;
    }
    if (sent->trial >= trials->count)
        return sl_fail(err, SL_ERR_USAGE, "trial %zu does not exist, there are %zu", sent->trial,
                       trials->count);
    answer->item = trials->trials[sent->trial].item;
    answer->repeat = trials->trials[sent->trial].repeat;
    return SL_OK;
}

static enum sl_status check_screen(struct sl_request *request, const struct sent *sent,
                                   struct sl_error *err)
{
    const struct sl_screen *screen = sl_screen_find(request->session.screen);
    if (!screen)
        return sl_fail(err, SL_ERR_BACKEND, "the store names a screen \"%s\" that does not exist",
                       request->session.screen);
    return screen->check(sent->answer, request->site->study, err);
}

/* Pages wait for the study's shortest time, and every other client must too: by its own clock for
 * each trial, and by ours for all trials together. Answers that waited for a connection arrive
 * together, so only their sum can be compared. */
static enum sl_status check_time(const struct sl_request *request, const struct sent *sent,
                                 struct sl_error *err)
{
    const struct sl_store_session *session = &request->session;
    const double least = request->site->study->min_seconds * 1000;
    const double since = (double)(session->seen - session->started);
    if ((double)sent->elapsed < least)
        return sl_fail(err, SL_ERR_INPUT, "$.elapsed: a trial takes at least %g s", least / 1000);
    const size_t count = sent->trial + (is_exercise(sent) ? 0 : 1);
    if (since < least * (double)count)
        return sl_fail(err, SL_ERR_INPUT,
                       "$.trial: %zu %s at least %g s, but the session began %g s ago", count,
                       sl_text_plural(count, "answer takes", "answers take"),
                       least * (double)count / 1000, since / 1000);
    return SL_OK;
}

/* ---- Exercises ---- */

/* Whether the answer's most probable class is the right one. */
static enum sl_status judge(const struct sl_request *request, const json_t *given,
                            const struct sl_stimulus *exercise, json_t **feedback, bool *right,
                            struct sl_error *err)
{
    const struct sl_study *study = request->site->study;
    const struct sl_screen *screen = sl_screen_find(request->session.screen);
    struct sl_answer answer = sl_answer_empty();
    const char *truth = exercise->truth ? exercise->truth : "";
    SL_TRY(screen->convert(given, study, &answer, err));
    const uint32_t choice = sl_answer_choice(&answer, study->n_classes);
    *right = choice < study->n_classes && strcmp(study->classes[choice], truth) == 0;
    sl_screen_answer_release(&answer);
    *feedback = json_pack("{s:b, s:s}", "right", *right, "class", truth);
    return SL_OK;
}

enum sl_status sl_exercise_feedback(struct sl_request *request, json_t *answer, json_t **out,
                                    struct sl_error *err)
{
    struct sl_site *site = request->site;
    const struct sl_store_session *session = &request->session;
    const struct sl_screen *screen = sl_screen_find(session->screen);
    struct sl_trials trials = {0};
    bool right = false;
    SL_TRY(sl_stimuli_trials(&site->stimuli, site->study, site->store, session, &trials, err));
    order_percents(answer, site->study, trials.class_order);
    sl_trials_release(&trials);
    SL_TRY(screen->check(answer, site->study, err));
    return judge(request, answer,
                 sl_stimuli_exercise(&site->stimuli, site->study, session->seed, session->trial),
                 out, &right, err);
}

struct round {
    size_t first, last; /* its exercises */
    size_t right;
};

static enum sl_status count_right(const struct sl_store_row *row, void *context)
{
    struct round *round = context;
    if (strcmp(row->kind, "training") != 0) return SL_OK;
    json_t *note = json_loads(row->body, 0, NULL);
    const size_t trial = (size_t)json_integer_value(json_object_get(note, "trial"));
    if (trial >= round->first && trial <= round->last)
        round->right += json_is_true(json_object_get(note, "right"));
    json_decref(note);
    return SL_OK;
}

/* The state of this exercise's round, reported after its last exercise. */
static enum sl_status count_round(const struct sl_request *request, struct sent *sent,
                                  struct round *round, struct sl_error *err)
{
    const struct sl_study *study = request->site->study;
    const size_t n = study->training_trials, before = (sent->trial - 1) / n * n;
    *round = (struct round){.first = before + 1, .last = before + n};
    SL_TRY(
        sl_store_each_event_of(request->site->store, request->session.id, count_right, round, err));
    if (sent->trial == round->last)
        sent->round =
            json_pack("{s:I, s:I, s:b}", "right", (json_int_t)round->right, "of", (json_int_t)n,
                      "passed", sl_session_training_passed(study, round->right));
    return SL_OK;
}

/* The feedback on an exercise; a new one is noted and moves the session on. */
static enum sl_status train(struct sl_request *request, struct sent *sent, const char *item,
                            bool known, struct sl_error *err)
{
    struct sl_site *site = request->site;
    struct round round;
    bool right = false;
    SL_TRY(judge(request, sent->answer, sl_stimulus_find(&site->stimuli, item), &sent->feedback,
                 &right, err));
    if (!known)
        SL_TRY(sl_request_note(request, "training",
                               json_pack("{s:I, s:s, s:b}", "trial", (json_int_t)sent->trial,
                                         "item", item, "right", right),
                               err));
    SL_TRY(count_round(request, sent, &round, err));
    if (known) return SL_OK;
    return sl_session_trained(&request->session, site->study, &request->flow, round.right,
                              request->now, err);
}

/* An answer to the trial that is next has not been stored: its session would have moved on. To ask
 * the store would cost a round trip to a database on another machine. */
static bool is_next(const struct sl_request *request, const struct sent *sent)
{
    const struct sl_store_session *session = &request->session;
    return !sent->practice && sent->trial == session->trial &&
           session->state == SL_SESSION_ACTIVE &&
           strcmp(session->place, sl_place_names[SL_PLACE_TRIALS]) == 0;
}

static enum sl_status keep(struct sl_request *request, const struct sl_trials *trials,
                           struct sent *sent, struct sl_store_answer *answer, struct sl_error *err)
{
    struct sl_site *site = request->site;
    enum sl_put_outcome outcome = SL_PUT_STORED;
    if (!is_next(request, sent)) SL_TRY(sl_store_peek_answer(site->store, answer, &outcome, err));
    if (outcome == SL_PUT_CONFLICT)
        return sl_fail(err, SL_ERR_USAGE, "another answer already has this id");
    if (outcome == SL_PUT_REPLAYED)
        return is_exercise(sent) ? train(request, sent, answer->item, true, err) : SL_OK;
    SL_TRY(check_time(request, sent, err));
    SL_TRY(sl_session_may_answer(&request->session, site->study, sent->trial, trials->count,
                                 sent->practice, err));
    SL_TRY(sl_store_put_answer(site->store, answer, &outcome, err));
    /* Another session's answer has this id, or another server stored one since we looked. */
    if (outcome != SL_PUT_STORED)
        return sl_fail(err, SL_ERR_USAGE, "another answer already has this id");
    if (is_exercise(sent)) return train(request, sent, answer->item, false, err);
    return sl_session_answered(&request->session, &request->flow, sent->trial, trials->count,
                               sent->practice, request->now, err);
}

static enum sl_status take_answer(struct sl_request *request, struct sent *sent,
                                  struct sl_error *err)
{
    struct sl_site *site = request->site;
    struct sl_trials trials = {0};
    char *body = NULL;
    SL_TRY(read_sent(&request->body, site->study, sent, err));
    enum sl_status status;
    SL_TRY_OUT(sl_stimuli_trials(&site->stimuli, site->study, site->store, &request->session,
                                 &trials, err));
    order_percents(sent->answer, site->study, trials.class_order);
    SL_TRY_OUT(check_screen(request, sent, err));
    body = json_dumps(request->body.root, JSON_COMPACT | JSON_SORT_KEYS);
    struct sl_store_answer answer = {.session = request->session.id,
                                     .trial = sent->trial,
                                     .body = body,
                                     .received = request->now,
                                     .elapsed = sent->elapsed,
                                     .practice = sent->practice};
    memcpy(answer.client_id, sent->id, sizeof answer.client_id);
    SL_TRY_OUT(find_item(request, &trials, sent, &answer, err));
    SL_TRY_OUT(keep(request, &trials, sent, &answer, err));
out:
    free(body);
    sl_trials_release(&trials);
    return status;
}

void sl_handle_answer(struct sl_http_exchange *exchange, void *context)
{
    struct sl_request request;
    struct sl_error err;
    struct sent sent = {.trial = 0};
    if (!sl_request_open(&request, context, exchange, SL_HTTP_POST)) return;
    if (take_answer(&request, &sent, &err) == SL_OK)
        sl_request_finish(&request, json_pack("{s:s, s:s, s:I, s:O*, s:O*}", "saved", sent.id_text,
                                              "place", request.session.place, "trial",
                                              (json_int_t)request.session.trial, "feedback",
                                              sent.feedback, "round", sent.round));
    else
        sl_request_fail(&request, &err);
    json_decref(sent.feedback);
    json_decref(sent.round);
    sl_request_close(&request);
}
