/* POST /api/check: the comprehension check. Options come in the order that this session saw at this
 * attempt; they are stored with the numbers of study.json. The reply says how many answers were
 * wrong, but not which, or people could find the right ones by elimination. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "study/serve/site.h"

/* More attempts than any session can count. */
enum { MAX_ATTEMPT = 1000000 };

/* An attempt with an id counts once, like an answer; an attempt without one may be counted
 * twice. */
static enum sl_status read_id(const struct sl_json_cursor *root, const char **id,
                              struct sl_error *err)
{
    struct sl_json_cursor at;
    uint8_t bytes[SL_STORE_CLIENT_BYTES];
    SL_TRY(sl_json_optional(root, "id", &at, err));
    if (!at.value) return SL_OK;
    SL_TRY(sl_json_string(&at, id, err));
    if (!sl_secret_from_hex(*id, bytes, sizeof bytes))
        return sl_json_fail(&at, err, "expected 32 hexadecimal digits");
    return SL_OK;
}

/* The attempt that the page showed: each attempt has its own order of options. */
static enum sl_status read_attempt(struct sl_request *request, const struct sl_json_cursor *root,
                                   size_t *attempt, struct sl_error *err)
{
    struct sl_json_cursor at;
    int64_t number = (int64_t)request->session.attempts;
    SL_TRY(sl_json_optional(root, "attempt", &at, err));
    if (at.value) SL_TRY(sl_json_integer(&at, 0, MAX_ATTEMPT, &number, err));
    *attempt = (size_t)number;
    return SL_OK;
}

/* Maps the options as shown to those of study.json. */
static void unshuffle(const struct sl_request *request, struct sl_comprehension *checking,
                      size_t attempt)
{
    const struct sl_study *study = request->site->study;
    for (size_t i = 0; i < study->n_comprehension; i++) {
        size_t order[SL_STUDY_MAX_OPTIONS];
        sl_session_options(study, request->session.seed, attempt, i, order);
        checking->answers[i] = order[checking->answers[i]];
    }
}

static json_t *answers_json(const struct sl_study *study, const struct sl_comprehension *checking)
{
    json_t *list = json_array();
    for (size_t i = 0; i < study->n_comprehension; i++)
        json_array_append_new(list, json_integer((json_int_t)checking->answers[i]));
    return list;
}

static enum sl_status read_answers(struct sl_request *request, struct sl_comprehension *checking,
                                   const char **id, size_t *attempt, struct sl_error *err)
{
    static const char *const known[] = {"id", "attempt", "answers", NULL};
    const struct sl_study *study = request->site->study;
    struct sl_json_cursor root = sl_json_root(&request->body), answers;
    size_t count = 0;
    SL_TRY(sl_json_only(&root, known, err));
    SL_TRY(read_id(&root, id, err));
    SL_TRY(read_attempt(request, &root, attempt, err));
    SL_TRY(sl_json_member(&root, "answers", &answers, err));
    SL_TRY(sl_json_array_size(&answers, &count, err));
    if (count != study->n_comprehension)
        return sl_json_fail(&answers, err, "expected %zu answer%s, got %zu", study->n_comprehension,
                            sl_text_plural(study->n_comprehension, "", "s"), count);
    for (size_t i = 0; i < count; i++) {
        struct sl_json_cursor at = sl_json_element(&answers, i);
        int64_t answer = 0;
        SL_TRY(
            sl_json_integer(&at, 0, (int64_t)study->comprehension[i].n_options - 1, &answer, err));
        checking->answers[i] = (size_t)answer;
    }
    return SL_OK;
}

static json_t *wrong_json(const struct sl_study *study, const struct sl_comprehension *checking)
{
    json_t *list = json_array();
    for (size_t i = 0; i < study->n_comprehension; i++)
        if (checking->wrong[i]) json_array_append_new(list, json_integer((json_int_t)i));
    return list;
}

/* The earlier attempt with an id, if any. */
struct attempt {
    const char *id;
    json_t *note; /* owned; NULL: none */
};

static enum sl_status match_attempt(const struct sl_store_row *row, void *context)
{
    struct attempt *attempt = context;
    if (attempt->note || strcmp(row->kind, "check") != 0) return SL_OK;
    json_t *note = json_loads(row->body, 0, NULL);
    const char *id = json_string_value(json_object_get(note, "id"));
    if (id && strcasecmp(id, attempt->id) == 0)
        attempt->note = note;
    else
        json_decref(note);
    return SL_OK;
}

/* Whether these answers were checked before; if so, the reply is repeated. */
static enum sl_status find_attempt(struct sl_request *request, const char *id,
                                   struct sl_comprehension *checking, size_t attempt, bool *again,
                                   struct sl_error *err)
{
    const struct sl_study *study = request->site->study;
    struct attempt found = {.id = id};
    if (!id) return SL_OK;
    SL_TRY(sl_store_each_event_of(request->site->store, request->session.id, match_attempt, &found,
                                  err));
    if (!found.note) return SL_OK;
    const json_t *made = json_object_get(found.note, "attempt");
    const json_t *wrong = json_object_get(found.note, "wrong");
    unshuffle(request, checking, made ? (size_t)json_integer_value(made) : attempt);
    json_t *answers = answers_json(study, checking);
    bool same = json_equal(json_object_get(found.note, "answers"), answers);
    json_decref(answers);
    checking->passed = json_is_true(json_object_get(found.note, "passed"));
    checking->n_wrong = json_array_size(wrong);
    json_decref(found.note);
    if (!same) return sl_fail(err, SL_ERR_USAGE, "another attempt already has this id");
    *again = true;
    return SL_OK;
}

static enum sl_status do_check(struct sl_request *request, struct sl_comprehension *checking,
                               struct sl_error *err)
{
    const struct sl_study *study = request->site->study;
    struct sl_store_session *session = &request->session;
    const char *id = NULL;
    size_t attempt = 0;
    bool behind = false, again = false;
    SL_TRY(read_answers(request, checking, &id, &attempt, err));
    SL_TRY(sl_session_reach(session, SL_PLACE_CHECK, &behind, err));
    SL_TRY(find_attempt(request, id, checking, attempt, &again, err));
    if (again) return SL_OK;
    checking->passed = strcmp(session->place, sl_place_names[SL_PLACE_FAILED]) != 0;
    if (behind) return SL_OK;
    if (attempt != session->attempts)
        return sl_fail(err, SL_ERR_USAGE,
                       "these questions belong to another attempt; load the page again");
    unshuffle(request, checking, attempt);
    SL_TRY(sl_session_check(session, study, &request->flow, checking, request->now, err));
    json_t *note = json_pack("{s:I, s:o, s:b, s:o}", "attempt", (json_int_t)attempt, "answers",
                             answers_json(study, checking), "passed", checking->passed, "wrong",
                             wrong_json(study, checking));
    if (id) json_object_set_new(note, "id", json_string(id));
    return sl_request_note(request, "check", note, err);
}

void sl_handle_check(struct sl_http_exchange *exchange, void *context)
{
    struct sl_request request;
    struct sl_error err;
    if (!sl_request_open(&request, context, exchange, SL_HTTP_POST)) return;
    const struct sl_study *study = request.site->study;
    struct sl_comprehension checking = {
        .answers = sl_alloc(study->n_comprehension + 1, sizeof(size_t)),
        .wrong = sl_alloc(study->n_comprehension + 1, sizeof(bool))};
    if (do_check(&request, &checking, &err) == SL_OK)
        sl_request_finish(&request,
                          json_pack("{s:s, s:b, s:I, s:I}", "place", request.session.place,
                                    "passed", checking.passed, "wrong",
                                    (json_int_t)checking.n_wrong, "attempts_left",
                                    (json_int_t)sl_session_attempts_left(&request.session, study)));
    else
        sl_request_fail(&request, &err);
    free(checking.answers);
    free(checking.wrong);
    sl_request_close(&request);
}
