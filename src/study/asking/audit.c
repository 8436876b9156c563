/* Were items chosen by the rule? Every board is made again from the answers that it knew, and every
 * decision on it in turn. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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
    size_t next;     /* the number of the next decision on the same board; 0: none */
};

/* The batches and sessions that were there before the records were read. Batches from n_fixed on
 * were made for one session each. */
struct census {
    bool *fixed;   /* owned; by the batch's number: it has places for everybody */
    size_t *users; /* owned; by the batch's number: its sessions */
    size_t n_fixed, n_marks, n_users, end;
    int64_t newest; /* the highest session */
};

struct audit {
    const struct sl_study *study;
    struct census census;
    struct sl_asking_log *ledger; /* owned */
    struct record *records;       /* owned; in the order written */
    size_t n_records, capacity;
    bool purged;                   /* somebody was removed, */
    size_t purged_at;              /* the last time before the record of this number */
    bool *seen;                    /* owned; n_items */
    uint32_t *items;               /* owned; n_items */
    struct sl_asking_board *board; /* owned; the last one that was made again */
    struct sl_study_audit result;
    struct sl_error *err;
};

/* The first problem is kept. */
static void note(struct audit *audit, const char *format, ...) SL_PRINTF(2, 3);
static void note(struct audit *audit, const char *format, ...)
{
    va_list values;
    if (*audit->result.wrong) return;
    va_start(values, format);
    vsnprintf(audit->result.wrong, sizeof audit->result.wrong, format, values);
    va_end(values);
}

static void note_board(struct audit *audit, const char *problem)
{
    note(audit, "a board does not follow from the answers: %.300s", problem);
}

static void note_decision(struct audit *audit, int64_t session, const char *problem)
{
    note(audit, "the decision of session %" PRId64 " does not follow: %.300s", session, problem);
}

static const char of_purge[] = "a participant was purged";

/* Answers of a board that several servers made may have been stored later than their ids say. Old
 * records do not say how many there were. */
static bool was_shared(const struct audit *audit, const json_t *board)
{
    const json_t *shared = json_object_get(board, "shared");
    return shared ? json_is_true(shared) : sl_store_is_shared(audit->study->database);
}

/* What is missing may have been removed, or come later than it seems; otherwise it is wrong. */
static bool excuse(struct audit *audit, const json_t *board)
{
    const char *reason = NULL;
    if (audit->purged)
        reason = of_purge;
    else if (was_shared(audit, board))
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
    if (!row->session && strcmp(row->kind, "purge") == 0) {
        audit->purged = true;
        audit->purged_at = audit->n_records;
    }
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

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
    return strcmp(text(a, key), text(b, key)) == 0;
}

/* Figures that another processor may compute a little differently. */
static bool is_near(const json_t *object, const char *key, double value)
{
    const double stored = json_number_value(json_object_get(object, key));
    return fabs(stored - value) <= 1e-9 * fmax(1, fabs(value));
}

static enum sl_status link_record(struct audit *audit, size_t i, struct sl_name_table *names,
                                  size_t *last)
{
    const char *name = text(audit->records[i].body, "board");
    const size_t n_known = sl_name_table_count(names);
    uint32_t number = sl_name_table_find(names, name, strlen(name));
    if (audit->records[i].session == 0) {
        if (number != SL_NO_NAME) {
            note_board(audit, "another board has the same name");
            return SL_OK;
        }
        last[n_known] = i;
        return sl_name_table_add(names, name, strlen(name), &number, audit->err);
    }
    if (number == SL_NO_NAME) {
        note_decision(audit, audit->records[i].session, "no board of its name was recorded before");
        audit->result.n_unknown++;
        return SL_OK;
    }
    audit->records[last[number]].next = i;
    last[number] = i;
    return SL_OK;
}

/* Every decision is linked to the board that it names. */
static enum sl_status link_records(struct audit *audit)
{
    struct sl_name_table *names = sl_name_table_create();
    size_t *last = sl_alloc(audit->n_records + 1, sizeof *last);
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < audit->n_records && status == SL_OK; i++)
        status = link_record(audit, i, names, last);
    free(last);
    sl_name_table_destroy(names);
    return status;
}

/* ---- Boards ---- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool is_listed(const int64_t *list, size_t count, int64_t session)
{
    return count > 0 && bsearch(&session, list, count, sizeof *list, by_number) != NULL;
}

/* Whether everything is there that the board knew. */
static bool is_whole(const struct audit *audit, const json_t *body)
{
    const struct sl_asking_moment *moment = &audit->board->moment;
    for (size_t i = 0; i < moment->n_live; i++)
        if (!sl_asking_log_session(audit->ledger, moment->live[i])) return false;
    return (int64_t)audit->board->n_answers == integer(body, "answers");
}

/* A session that is over stays as it is. So those that are finished now and came before the first
 * decision on the board were finished when it was made, or live; second runs are never live. */
static bool is_finished_right(const struct audit *audit, const struct record *record)
{
    const struct sl_asking_moment *moment = &audit->board->moment;
    const int64_t first = audit->records[record->next].session;
    size_t least = 0, most = 0;
    for (size_t i = 0; i < audit->ledger->n_sessions; i++) {
        const struct sl_asking_log_session *session = &audit->ledger->sessions[i];
        if (session->id >= first) break;
        if (session->state != SL_SESSION_DONE || session->test ||
            is_listed(moment->live, moment->n_live, session->id))
            continue;
        least += !session->second_run;
        most++;
    }
    return moment->n_finished >= least && moment->n_finished <= most;
}

static bool is_gone_right(const struct audit *audit)
{
    const struct sl_asking_moment *moment = &audit->board->moment;
    for (size_t i = 0; i < moment->n_gone; i++) {
        const struct sl_asking_log_session *session =
            sl_asking_log_session(audit->ledger, moment->gone[i]);
        if (session && !sl_asking_is_gone(session)) return false;
    }
    return true;
}

static const char *compare_board(const struct audit *audit, const struct record *record)
{
    const struct sl_asking_board *board = audit->board;
    const json_t *body = record->body;
    json_t *again = sl_asking_board_json(board, "", false);
    const bool chosen_alike = is_same(body, again, "way") && is_same(body, again, "because");
    json_decref(again);
    if ((int64_t)board->fit_answers != integer(body, "fit_answers") ||
        board->fit_last != integer(body, "fit_last"))
        return "its model was fitted to other answers";
    if (!chosen_alike) return "items were chosen in another way, or for another reason";
    if (!is_near(body, "mean_risk", board->mean_risk) ||
        !is_near(body, "variation", board->fit->variation))
        return "its mean risk or its variation is another";
    if (!is_near(body, "seconds", board->seconds)) return "its answers took another time";
    if (!is_gone_right(audit)) return "it left out answers that count";
    return NULL;
}

/* Whether decisions can be compared with the board that was made again. Ids of purged answers were
 * once given again, so a board from before a purge may differ in everything. */
static bool is_usable(struct audit *audit, const struct record *record)
{
    const bool before_purge = (size_t)(record - audit->records) < audit->purged_at;
    if (!is_whole(audit, record->body)) {
        if (!excuse(audit, record->body))
            note_board(audit, "answers or sessions that it knew are missing");
        return false;
    }
    if (record->next == 0) {
        if (!excuse(audit, record->body)) note_board(audit, "no decision was made on it");
        return false;
    }
    const char *problem = compare_board(audit, record);
    if (problem && !(before_purge && excuse(audit, record->body))) note_board(audit, problem);
    if (problem) return false;
    if (!is_finished_right(audit, record) && !excuse(audit, record->body))
        note_board(audit, "another number of sessions had finished");
    return true;
}

/* Makes the board again. *usable is false if no decision can be compared with it. */
static enum sl_status remake(struct audit *audit, const struct record *record, bool *usable)
{
    struct sl_asking_moment moment = {0};
    struct sl_asking_terms terms;
    struct sl_asking_board *board = NULL;
    *usable = false;
    if (sl_asking_board_parse(record->body, &moment, &terms, audit->err) != SL_OK) {
        note_board(audit, audit->err->message);
        return SL_OK;
    }
    SL_TRY(
        sl_asking_board_create(audit->ledger, &terms, &moment, audit->board, &board, audit->err));
    sl_asking_board_replace(&audit->board, board);
    *usable = is_usable(audit, record);
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
    if (!is_same(stored, again, "id")) return "another item comes first";
    if (integer(stored, "answers") != integer(again, "answers") ||
        integer(stored, "pending") != integer(again, "pending"))
        return "an item had another number of answers";
    if (!is_same(stored, again, "why")) return "an item was chosen for another reason";
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
    if (json_array_size(items) != count) return "the rule gives another number of items";
    json_t *again = sl_asking_decision_json(audit->ledger, audit->board, "", audit->items, count);
    const json_t *list = json_object_get(again, "items");
    const char *problem =
        is_same(body, again, "way") ? NULL : "its items were chosen in another way";
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
    if (!session) {
        audit->result.reason = of_purge;
        return false;
    }
    mark_seen(audit, session);
    const size_t count = sl_asking_choose(audit->board, audit->seen, audit->items);
    const char *problem = compare_items(audit, record->body, count, session);
    if (problem) note_decision(audit, record->session, problem);
    sl_asking_decided(audit->board, record->session, audit->items, count);
    return true;
}

/* The decisions on one board, in turn. A missing turn was that of somebody who was removed. */
static void redo(struct audit *audit, const struct record *board, bool usable)
{
    for (size_t i = board->next; i > 0; i = audit->records[i].next) {
        const struct record *record = &audit->records[i];
        if (usable && integer(record->body, "turn") != (int64_t)audit->board->turns + 1) {
            usable = false;
            if (!excuse(audit, board->body))
                note_decision(audit, record->session, "a decision before it is missing");
        }
        if (!usable || !follow(audit, record)) audit->result.n_unknown++;
    }
}

/* ---- Batches and sessions ---- */

static enum sl_status mark_fixed(const struct sl_store_batch_row *row, void *context)
{
    struct census *census = context;
    if (row->batch >= census->n_marks) {
        census->fixed = sl_resize(census->fixed, row->batch + 1, sizeof *census->fixed);
        memset(census->fixed + census->n_marks, 0, row->batch + 1 - census->n_marks);
        census->n_marks = row->batch + 1;
    }
    census->fixed[row->batch] = true;
    return SL_OK;
}

static enum sl_status count_user(const struct sl_store_row *row, void *context)
{
    struct census *census = context;
    const size_t batch = row->session->batch;
    if (batch >= census->n_users) {
        const size_t room = batch + 1;
        census->users = sl_resize(census->users, room, sizeof *census->users);
        memset(census->users + census->n_users, 0,
               (room - census->n_users) * sizeof *census->users);
        census->n_users = room;
    }
    census->users[batch]++;
    census->newest = row->session->id;
    return SL_OK;
}

static enum sl_status take_census(struct census *census, struct sl_store *store,
                                  struct sl_error *err)
{
    SL_TRY(sl_store_each_batch(store, mark_fixed, census, err));
    while (census->n_fixed < census->n_marks && census->fixed[census->n_fixed])
        census->n_fixed++;
    SL_TRY(sl_store_count_batches(store, &census->end, err));
    return sl_store_each_session(store, count_user, census, err);
}

/* A batch that was made on arrival is for one session, which keeps it. */
static void check_batches(struct audit *audit)
{
    const struct census *census = &audit->census;
    for (size_t b = census->n_fixed; b < census->end; b++) {
        const size_t users = b < census->n_users ? census->users[b] : 0;
        if (b < census->n_marks && census->fixed[b])
            note(audit, "batch %zu was made for one session, but has places for others", b);
        if (users > 1 || (users == 0 && !audit->purged))
            note(audit, "batch %zu was made for one session, but %s", b,
                 users > 1 ? "several have it" : "no session has it");
    }
}

/* Every session on a batch of its own has one decision. */
static void check_sessions(struct audit *audit)
{
    int64_t *decided = sl_alloc(audit->n_records + 1, sizeof *decided);
    size_t count = 0;
    for (size_t i = 0; i < audit->n_records; i++)
        if (audit->records[i].session > 0) decided[count++] = audit->records[i].session;
    if (count > 1) qsort(decided, count, sizeof *decided, by_number);
    for (size_t i = 1; i < count; i++)
        if (decided[i] == decided[i - 1]) note_decision(audit, decided[i], "it was recorded twice");
    for (size_t s = 0; s < audit->ledger->n_sessions; s++) {
        const struct sl_asking_log_session *session = &audit->ledger->sessions[s];
        if (!session->test && session->batch >= audit->census.n_fixed &&
            session->id <= audit->census.newest && !is_listed(decided, count, session->id))
            note_decision(audit, session->id, "it was not recorded");
    }
    free(decided);
}

static enum sl_status run(struct audit *audit, struct sl_store *store)
{
    /* People arrive meanwhile: what is counted first has its records, and what the records name is
     * in the ledger. */
    SL_TRY(take_census(&audit->census, store, audit->err));
    SL_TRY(sl_store_each_event(store, take_event, audit, audit->err));
    SL_TRY(sl_asking_log_create(audit->study, store, &audit->ledger, audit->err));
    SL_TRY(sl_asking_log_update(audit->ledger, store, audit->err));
    audit->seen = sl_data_zeroed(audit->ledger->n_items + 1, sizeof *audit->seen, audit->err);
    audit->items = sl_data_zeroed(audit->ledger->n_items + 1, sizeof *audit->items, audit->err);
    if (!audit->seen || !audit->items) return SL_ERR_NOMEM;
    check_sessions(audit);
    check_batches(audit);
    SL_TRY(link_records(audit));
    for (size_t i = 0; i < audit->n_records; i++) {
        bool usable = false;
        if (audit->records[i].session > 0) continue;
        SL_TRY(remake(audit, &audit->records[i], &usable));
        redo(audit, &audit->records[i], usable);
    }
    return SL_OK;
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
    free(audit.census.fixed);
    free(audit.census.users);
    free(audit.seen);
    free(audit.items);
    sl_asking_board_destroy(audit.board);
    sl_asking_log_destroy(audit.ledger);
    if (status == SL_OK) *out = audit.result;
    return status;
}
