/* Were items chosen by the rule? Every board is made again from the answers that it knew, and every
 * decision on it in turn. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "study/asking/board.h"

/* A board or a decision that was stored. */
struct record {
    int64_t session; /* 0: a board */
    json_t *body;    /* owned */
};

struct audit {
    const struct sl_study *study;
    struct sl_asking_log *ledger; /* owned */
    struct record *records;       /* owned; in the order written */
    size_t n_records, capacity;
    bool purged;                   /* somebody was removed since */
    bool *seen;                    /* owned; n_items */
    uint32_t *items;               /* owned; n_items */
    struct sl_asking_board *board; /* owned; the last one that was made again */
    struct sl_study_audit result;
    struct sl_error *err;
};

static void note_wrong(struct audit *audit, int64_t session, const char *problem)
{
    char *to = audit->result.wrong;
    const size_t room = sizeof audit->result.wrong;
    if (*to) return;
    if (session > 0)
        snprintf(to, room, "the decision of session %" PRId64 " does not follow: %.300s", session,
                 problem);
    else
        snprintf(to, room, "a board does not follow from the answers: %.300s", problem);
}

/* What is missing may have been removed, or come later than it seems; otherwise it is wrong. */
static bool excuse(struct audit *audit)
{
    const char *reason = NULL;
    if (audit->purged)
        reason = "a participant was purged";
    else if (sl_store_is_shared(audit->study->database))
        reason = "several servers stored answers at the same time";
    if (reason) audit->result.reason = reason;
    return reason != NULL;
}

/* ---- Records ---- */

static enum sl_status take_event(const struct sl_store_row *row, void *context)
{
    struct audit *audit = context;
    struct sl_json body = {0};
    const bool board = !row->session && strcmp(row->kind, "board") == 0;
    const bool decision = row->session && strcmp(row->kind, "decision") == 0;
    audit->purged = audit->purged || (!row->session && strcmp(row->kind, "purge") == 0);
    if (!board && !decision) return SL_OK;
    SL_TRY(sl_json_parse(row->body, strlen(row->body), row->kind, 1, &body, audit->err));
    if (audit->n_records == audit->capacity) {
        audit->capacity = audit->capacity * 2 + 64;
        audit->records = sl_resize(audit->records, audit->capacity, sizeof *audit->records);
    }
    audit->records[audit->n_records++] =
        (struct record){.session = decision ? row->session->id : 0, .body = json_incref(body.root)};
    audit->result.n_boards += board;
    audit->result.n_decisions += decision;
    sl_json_release(&body);
    return SL_OK;
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* Figures that another processor may compute a little differently. */
static bool is_near(const json_t *object, const char *key, double value)
{
    const double stored = json_number_value(json_object_get(object, key));
    return fabs(stored - value) <= 1e-9 * fmax(1, fabs(value));
}

/* ---- Boards ---- */

/* Whether everything is there that the board knew. */
static bool is_whole(const struct audit *audit, const json_t *body)
{
    const struct sl_asking_moment *moment = &audit->board->moment;
    for (size_t i = 0; i < moment->n_live; i++)
        if (!sl_asking_log_session(audit->ledger, moment->live[i])) return false;
    return (int64_t)audit->board->n_answers == integer(body, "answers");
}

static const char *compare_board(const struct audit *audit, const json_t *body)
{
    const struct sl_asking_board *board = audit->board;
    const char *way = sl_ask_way_names[board->ask->by_gain ? SL_ASK_GAIN : SL_ASK_EQUAL];
    if ((int64_t)board->fit_answers != integer(body, "fit_answers") ||
        board->fit_last != integer(body, "fit_last"))
        return "its model was fitted to other answers";
    if (strcmp(way, text(body, "way")) != 0) return "items were chosen in another way";
    if (!is_near(body, "mean_risk", board->mean_risk) ||
        !is_near(body, "variation", board->fit->variation))
        return "its mean risk or its variation is another";
    return NULL;
}

/* Makes the board again. *usable is false if no decision can be compared with it. */
static enum sl_status remake(struct audit *audit, const json_t *body, bool *usable)
{
    struct sl_asking_moment moment = {0};
    struct sl_asking_terms terms;
    struct sl_asking_board *board = NULL;
    *usable = false;
    if (sl_asking_board_parse(body, &moment, &terms, audit->err) != SL_OK) {
        note_wrong(audit, 0, audit->err->message);
        return SL_OK;
    }
    SL_TRY(
        sl_asking_board_create(audit->ledger, &terms, &moment, audit->board, &board, audit->err));
    sl_asking_board_replace(&audit->board, board);
    if (!is_whole(audit, body)) {
        if (!excuse(audit)) note_wrong(audit, 0, "answers or sessions that it knew are missing");
        return SL_OK;
    }
    const char *problem = compare_board(audit, body);
    if (problem) note_wrong(audit, 0, problem);
    *usable = !problem;
    return SL_OK;
}

/* ---- Decisions ---- */

static void mark_seen(const struct audit *audit, const struct sl_asking_log_session *of)
{
    const struct sl_asking_log *ledger = audit->ledger;
    memset(audit->seen, 0, ledger->n_items * sizeof *audit->seen);
    for (size_t i = 0; i < ledger->n_sessions; i++) {
        const struct sl_asking_log_session *other = &ledger->sessions[i];
        if (other->id >= of->id || other->test || !other->shown ||
            memcmp(other->person, of->person, sizeof of->person) != 0)
            continue;
        const struct sl_asking_log_batch *batch = sl_asking_log_batch_of(ledger, other);
        for (size_t b = 0; b < batch->count; b++)
            audit->seen[batch->items[b]] = true;
    }
}

static const char *compare_item(const json_t *stored, const json_t *again)
{
    if (strcmp(text(stored, "id"), text(again, "id")) != 0) return "another item comes first";
    if (integer(stored, "answers") != integer(again, "answers") ||
        integer(stored, "pending") != integer(again, "pending"))
        return "an item had another number of answers";
    if (strcmp(text(stored, "why"), text(again, "why")) != 0)
        return "an item was chosen for another reason";
    if (!is_near(stored, "gain", json_number_value(json_object_get(again, "gain"))) ||
        !is_near(stored, "risk", json_number_value(json_object_get(again, "risk"))))
        return "the gain or the risk of an item is another";
    return NULL;
}

static const char *compare_items(const struct audit *audit, const json_t *body, size_t count,
                                 const struct sl_asking_log_session *session)
{
    const struct sl_asking_log_batch *batch = sl_asking_log_batch_of(audit->ledger, session);
    const json_t *items = json_object_get(body, "items");
    const char *problem = NULL;
    if (json_array_size(items) != count) return "the rule gives another number of items";
    json_t *again = sl_asking_decision_json(audit->ledger, audit->board, "", audit->items, count);
    const json_t *list = json_object_get(again, "items");
    for (size_t i = 0; i < count && !problem; i++)
        problem = compare_item(json_array_get(items, i), json_array_get(list, i));
    json_decref(again);
    if (!problem && (batch->count != count ||
                     memcmp(batch->items, audit->items, count * sizeof *batch->items) != 0))
        problem = "the session got other items than the record says";
    return problem;
}

/* False if the session is not there: it was removed after the records were read. */
static bool follow(struct audit *audit, const struct record *record)
{
    const struct sl_asking_log_session *session =
        sl_asking_log_session(audit->ledger, record->session);
    if (!session) return false;
    mark_seen(audit, session);
    const size_t count = sl_asking_choose(audit->board, audit->seen, audit->items);
    const char *problem = compare_items(audit, record->body, count, session);
    if (problem) note_wrong(audit, record->session, problem);
    sl_asking_decided(audit->board, record->session, audit->items, count);
    return true;
}

/* The decisions on one board, in turn. A missing turn was that of somebody who was removed. */
static void redo(struct audit *audit, const char *name, size_t from, bool usable)
{
    for (size_t i = from; i < audit->n_records; i++) {
        const struct record *record = &audit->records[i];
        if (record->session == 0 || strcmp(text(record->body, "board"), name) != 0) continue;
        if (usable && integer(record->body, "turn") != (int64_t)audit->board->turns + 1) {
            usable = false;
            if (!excuse(audit))
                note_wrong(audit, record->session, "a decision before it is missing");
        }
        if (!usable || !follow(audit, record)) audit->result.n_unknown++;
    }
}

/* ---- Sessions without a decision ---- */

struct batch_marks {
    bool *fixed; /* owned; by the batch's number */
    size_t count;
};

static enum sl_status mark_batch(const struct sl_store_batch_row *row, void *context)
{
    struct batch_marks *marks = context;
    if (row->batch >= marks->count) {
        marks->fixed = sl_resize(marks->fixed, row->batch + 1, sizeof *marks->fixed);
        memset(marks->fixed + marks->count, 0, row->batch + 1 - marks->count);
        marks->count = row->batch + 1;
    }
    marks->fixed[row->batch] = true;
    return SL_OK;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Every session on a batch of its own has a decision. */
static void find_unrecorded(struct audit *audit, const struct batch_marks *marks)
{
    int64_t *decided = sl_alloc(audit->n_records + 1, sizeof *decided);
    size_t count = 0;
    for (size_t i = 0; i < audit->n_records; i++)
        if (audit->records[i].session > 0) decided[count++] = audit->records[i].session;
    if (count > 1) qsort(decided, count, sizeof *decided, by_number);
    for (size_t s = 0; s < audit->ledger->n_sessions; s++) {
        const struct sl_asking_log_session *session = &audit->ledger->sessions[s];
        if (session->test || (session->batch < marks->count && marks->fixed[session->batch]))
            continue;
        if (count == 0 || !bsearch(&session->id, decided, count, sizeof *decided, by_number))
            note_wrong(audit, session->id, "it was not recorded");
    }
    free(decided);
}

static enum sl_status check_unrecorded(struct audit *audit, struct sl_store *store)
{
    struct batch_marks marks = {0};
    enum sl_status status = sl_store_each_batch(store, mark_batch, &marks, audit->err);
    if (status == SL_OK) find_unrecorded(audit, &marks);
    free(marks.fixed);
    return status;
}

static enum sl_status run(struct audit *audit, struct sl_store *store)
{
    /* Records after the ledger would name sessions that it does not know yet. */
    SL_TRY(sl_store_each_event(store, take_event, audit, audit->err));
    SL_TRY(sl_asking_log_create(audit->study, store, &audit->ledger, audit->err));
    SL_TRY(sl_asking_log_update(audit->ledger, store, audit->err));
    audit->seen = sl_data_zeroed(audit->ledger->n_items + 1, sizeof *audit->seen, audit->err);
    audit->items = sl_data_zeroed(audit->ledger->n_items + 1, sizeof *audit->items, audit->err);
    if (!audit->seen || !audit->items) return SL_ERR_NOMEM;
    for (size_t i = 0; i < audit->n_records; i++) {
        bool usable = false;
        if (audit->records[i].session > 0) continue;
        SL_TRY(remake(audit, audit->records[i].body, &usable));
        redo(audit, text(audit->records[i].body, "board"), i + 1, usable);
    }
    return check_unrecorded(audit, store);
}

enum sl_status sl_study_audit(const struct sl_study *study, struct sl_store *store,
                              struct sl_study_audit *out, struct sl_error *err)
{
    struct sl_error own;
    struct audit audit = {.study = study, .err = err ? err : &own};
    enum sl_status status = run(&audit, store);
    for (size_t i = 0; i < audit.n_records; i++)
        json_decref(audit.records[i].body);
    free(audit.records);
    free(audit.seen);
    free(audit.items);
    sl_asking_board_destroy(audit.board);
    sl_asking_log_destroy(audit.ledger);
    if (status == SL_OK) *out = audit.result;
    return status;
}
