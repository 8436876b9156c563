#include "study/asking/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "study/session/session.h"

/* ---- Items ---- */

static bool is_asked_about(const struct sl_study_item *item)
{
    return !item->check && !json_is_true(json_object_get(item->content, "training"));
}

enum sl_status sl_asking_log_create(const struct sl_study *study, struct sl_store *store,
                                    struct sl_asking_log **out, struct sl_error *err)
{
    struct sl_study_items stored = {0};
    SL_TRY(sl_study_items_read(study, store, &stored, err));
    struct sl_asking_log *ledger = sl_alloc(1, sizeof *ledger);
    ledger->study = study;
    ledger->stored = stored;
    ledger->annotators = sl_name_table_create();
    ledger->number = sl_data_alloc(stored.count + 1, sizeof *ledger->number, err);
    ledger->place = sl_data_alloc(stored.count + 1, sizeof *ledger->place, err);
    if (!ledger->number || !ledger->place) {
        sl_asking_log_destroy(ledger);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < stored.count; i++) {
        const bool asked = is_asked_about(&stored.items[i]);
        ledger->number[i] = asked ? (uint32_t)ledger->n_items : SL_NO_NAME;
        if (asked) ledger->place[ledger->n_items++] = (uint32_t)i;
    }
    *out = ledger;
    return SL_OK;
}

void sl_asking_log_destroy(struct sl_asking_log *ledger)
{
    if (!ledger) return;
    for (size_t b = 0; b < ledger->n_batches; b++)
        free(ledger->batches[b].items);
    free(ledger->batches);
    free(ledger->sessions);
    free(ledger->answers);
    free(ledger->number);
    free(ledger->place);
    sl_name_table_destroy(ledger->annotators);
    sl_study_items_release(&ledger->stored);
    free(ledger);
}

const char *sl_asking_log_item_id(const struct sl_asking_log *ledger, uint32_t item)
{
    return ledger->stored.items[ledger->place[item]].id;
}

uint32_t sl_asking_log_item(const struct sl_asking_log *ledger, const char *id)
{
    const uint32_t place = sl_name_table_find(ledger->stored.names, id, strlen(id));
    return place == SL_NO_NAME ? SL_NO_NAME : ledger->number[place];
}

/* ---- Answers ---- */

struct answer_walk {
    struct sl_asking_log *ledger;
    struct sl_error *err;
};

/* The most probable class of an answer that was stored; SL_NO_NAME if it names none. */
static enum sl_status class_of(const struct sl_asking_log *ledger, const struct sl_store_row *row,
                               uint32_t *label, struct sl_error *err)
{
    struct sl_json body = {0};
    struct sl_answer answer = sl_answer_empty();
    const struct sl_screen *screen = sl_screen_find(row->session->screen);
    const char *text = row->answer->body;
    SL_TRY(sl_json_parse(text, strlen(text), "a stored answer", 1, &body, err));
    const json_t *given = json_object_get(body.root, "answer");
    enum sl_status status = SL_OK;
    if (!screen || !given) {
        status = sl_fail(err, SL_ERR_INPUT, "answer %zu of session %lld has no screen or answer",
                         row->answer->trial, (long long)row->session->id);
    } else {
        status = screen->convert(given, ledger->study, &answer, err);
    }
    if (status == SL_OK) {
        const int64_t top = sl_study_top_class(ledger->study, &answer);
        *label = top < 0 ? SL_NO_NAME : (uint32_t)top;
        sl_screen_answer_release(&answer);
    }
    sl_json_release(&body);
    return status;
}

/* Revisions are rare and come soon after what they replace. */
static void replace_earlier(struct sl_asking_log *ledger, const struct sl_asking_log_answer *now)
{
    for (size_t i = ledger->n_answers; i-- > 0;) {
        struct sl_asking_log_answer *before = &ledger->answers[i];
        if (before->session != now->session || before->trial != now->trial) continue;
        before->until = now->id;
        return;
    }
}

static enum sl_status add_answer(struct answer_walk *walk, const struct sl_store_row *row,
                                 uint32_t item)
{
    struct sl_asking_log *ledger = walk->ledger;
    struct sl_asking_log_answer answer = {.id = row->answer->id,
                                          .session = row->session->id,
                                          .until = INT64_MAX,
                                          .trial = row->answer->trial,
                                          .item = item,
                                          .seconds = (double)row->answer->elapsed / 1000};
    SL_TRY(class_of(ledger, row, &answer.label, walk->err));
    SL_TRY(sl_name_table_add(ledger->annotators, (const char *)row->session->person,
                             SL_STORE_PERSON_BYTES, &answer.annotator, walk->err));
    if (row->answer->revision > 0) replace_earlier(ledger, &answer);
    if (ledger->n_answers == ledger->answer_capacity) {
        const size_t capacity = ledger->answer_capacity * 2 + 1024;
        struct sl_asking_log_answer *grown =
            sl_data_resize(ledger->answers, capacity, sizeof *grown, walk->err);
        if (!grown) return SL_ERR_NOMEM;
        ledger->answers = grown;
        ledger->answer_capacity = capacity;
    }
    ledger->answers[ledger->n_answers++] = answer;
    return SL_OK;
}

static enum sl_status take_answer(const struct sl_store_row *row, void *context)
{
    struct answer_walk *walk = context;
    struct sl_asking_log *ledger = walk->ledger;
    const struct sl_store_answer *answer = row->answer;
    const bool counts =
        !row->session->test && !row->session->second_run && !answer->practice && !answer->repeat;
    const uint32_t item = counts ? sl_asking_log_item(ledger, answer->item) : SL_NO_NAME;
    if (item != SL_NO_NAME) SL_TRY(add_answer(walk, row, item));
    /* A row that failed is read again. */
    ledger->n_rows++;
    ledger->last = answer->id;
    return SL_OK;
}

static void forget_answers(struct sl_asking_log *ledger)
{
    ledger->n_answers = ledger->n_rows = 0;
    ledger->last = 0;
    sl_name_table_clear(ledger->annotators);
}

/* The counts before and after tell of answers that another server committed after higher ids, and
 * of answers that were removed (a purge): then everything is read again. */
static enum sl_status read_answers(struct sl_asking_log *ledger, struct sl_store *store,
                                   struct sl_error *err)
{
    struct answer_walk walk = {ledger, err};
    size_t before = 0, after = 0;
    SL_TRY(sl_store_count_answers(store, &before, err));
    SL_TRY(sl_store_each_answer_after(store, ledger->last, take_answer, &walk, err));
    SL_TRY(sl_store_count_answers(store, &after, err));
    if (ledger->n_rows >= before && ledger->n_rows <= after) return SL_OK;
    forget_answers(ledger);
    return sl_store_each_answer_after(store, 0, take_answer, &walk, err);
}

/* ---- Sessions and their batches ---- */

static enum sl_status take_session(const struct sl_store_row *row, void *context)
{
    struct answer_walk *walk = context;
    struct sl_asking_log *ledger = walk->ledger;
    const struct sl_store_session *session = row->session;
    if (ledger->n_sessions == ledger->session_capacity) {
        const size_t capacity = ledger->session_capacity * 2 + 256;
        struct sl_asking_log_session *grown =
            sl_data_resize(ledger->sessions, capacity, sizeof *grown, walk->err);
        if (!grown) return SL_ERR_NOMEM;
        ledger->sessions = grown;
        ledger->session_capacity = capacity;
    }
    struct sl_asking_log_session *to = &ledger->sessions[ledger->n_sessions++];
    *to = (struct sl_asking_log_session){.id = session->id,
                                         .batch = session->batch,
                                         .state = session->state,
                                         .lease_until = session->lease_until,
                                         .test = session->test,
                                         .second_run = session->second_run};
    memcpy(to->person, session->person, sizeof to->person);
    to->shown = true;
    for (int p = 0; p < SL_PLACE_TRIALS; p++)
        to->shown = to->shown && strcmp(session->place, sl_place_names[p]) != 0;
    return SL_OK;
}

static enum sl_status read_batch(struct sl_asking_log *ledger, struct sl_store *store, size_t batch,
                                 struct sl_error *err)
{
    char **names = NULL;
    size_t count = 0;
    if (batch >= ledger->n_batches) {
        ledger->batches = sl_resize(ledger->batches, batch + 64, sizeof *ledger->batches);
        memset(ledger->batches + ledger->n_batches, 0,
               (batch + 64 - ledger->n_batches) * sizeof *ledger->batches);
        ledger->n_batches = batch + 64;
    }
    struct sl_asking_log_batch *to = &ledger->batches[batch];
    if (to->items) return SL_OK;
    SL_TRY(sl_store_batch_items(store, batch, &names, &count, err));
    to->items = sl_alloc(count, sizeof *to->items);
    for (size_t i = 0; i < count; i++) {
        const uint32_t item = sl_asking_log_item(ledger, names[i]);
        if (item != SL_NO_NAME) to->items[to->count++] = item;
    }
    sl_strings_destroy(names, count);
    return SL_OK;
}

enum sl_status sl_asking_log_update(struct sl_asking_log *ledger, struct sl_store *store,
                                    struct sl_error *err)
{
    struct answer_walk walk = {ledger, err};
    /* Answers first: every answer that was read has a session in the list, unless it was purged. */
    SL_TRY(read_answers(ledger, store, err));
    ledger->n_sessions = 0;
    SL_TRY(sl_store_each_session(store, take_session, &walk, err));
    for (size_t i = 0; i < ledger->n_sessions; i++)
        if (!ledger->sessions[i].test)
            SL_TRY(read_batch(ledger, store, ledger->sessions[i].batch, err));
    return SL_OK;
}

const struct sl_asking_log_session *sl_asking_log_session(const struct sl_asking_log *ledger,
                                                          int64_t id)
{
    size_t low = 0, high = ledger->n_sessions;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ledger->sessions[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ledger->n_sessions && ledger->sessions[low].id == id ? &ledger->sessions[low]
                                                                      : NULL;
}

const struct sl_asking_log_batch *
sl_asking_log_batch_of(const struct sl_asking_log *ledger,
                       const struct sl_asking_log_session *session)
{
    static const struct sl_asking_log_batch none = {0};
    return session->batch < ledger->n_batches ? &ledger->batches[session->batch] : &none;
}
