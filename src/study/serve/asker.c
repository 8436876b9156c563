#include "study/serve/asker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "study/secret.h"
#include "study/serve/lanes.h"

/* How often the thread looks whether something was stored, and how long it rests after a board, in
 * times of what the board took: boards of a large study take a fifth of one thread. */
static const double LOOK_SECONDS = .1, REST = 4;
enum { WORD = 8 }; /* of a server */

/* A decision that the next board may not know of yet. */
struct recent {
    int64_t session;
    uint32_t *items; /* owned */
    size_t count;
};

/* What the chooser was asked for and what it chose, during one arrival. */
struct choice {
    uint32_t *items;        /* owned; batch.size */
    const char **ids;       /* owned; batch.size */
    size_t count;           /* 0: the chooser was not called, or chose nothing */
    bool *seen;             /* owned; n_items */
    char *board, *decision; /* owned; JSON, or NULL */
    bool test;
};

struct sl_asker {
    struct sl_asker_options options;
    struct sl_asking_terms terms;
    struct sl_asking_log
        *ledger; /* owned; the loop reads the items only, unless no work is going on */
    /* Of the thread that makes boards, while it works: */
    struct sl_store *store;       /* owned; read-only; NULL: not open */
    int64_t version;              /* of the store, when the last board was made */
    struct sl_asking_board *made; /* owned; NULL: nothing was stored */
    double cost;                  /* seconds that the last board took */
    enum sl_status status;
    struct sl_error err;
    /* Of the loop: */
    double done;                   /* when the last work ended (sl_clock_seconds) */
    struct sl_asking_board *board; /* owned; the thread reads its fit */
    bool working, failing;
    char server[WORD + 1];
    size_t serial;         /* of the board, in this server */
    char name[WORD + 24];  /* of the board */
    bool noted;            /* the board's event is stored */
    struct recent *recent; /* owned */
    size_t n_recent;
    size_t n_visible;    /* of these, the first so many were stored before the work began */
    uint32_t *rehearsed; /* owned; test sessions per item since the server started */
    struct choice choice;
};

/* ---- Making boards ---- */

static bool is_stopping(void *context)
{
    return sl_http_loop_stopping(context);
}

static enum sl_status open_store(struct sl_asker *asker, int64_t *version)
{
    if (!asker->store) {
        SL_TRY(sl_study_store(asker->options.study, true, &asker->store, &asker->err));
        sl_store_stop_when(asker->store, is_stopping, asker->options.loop);
    }
    return sl_store_version(asker->store, version, &asker->err);
}

static enum sl_status make_board(struct sl_asker *asker)
{
    struct sl_asking_moment moment = {0};
    int64_t version = 0;
    SL_TRY(open_store(asker, &version));
    if (asker->board && version == asker->version) return SL_OK;
    const double begun = sl_clock_seconds();
    SL_TRY(sl_asking_log_update(asker->ledger, asker->store, &asker->err));
    SL_TRY(sl_asking_moment_now(asker->ledger, asker->options.now(asker->options.clock_context),
                                &moment, &asker->err));
    SL_TRY(sl_asking_board_create(asker->ledger, &asker->terms, &moment, asker->board, &asker->made,
                                  &asker->err));
    asker->version = version;
    asker->cost = sl_clock_seconds() - begun;
    return SL_OK;
}

static void work(void *context)
{
    struct sl_asker *asker = context;
    asker->status = make_board(asker);
    if (asker->status == SL_OK) return;
    sl_store_close(asker->store); /* a connection that failed is not used again */
    asker->store = NULL;
}

static void recent_release(struct recent *recent)
{
    free(recent->items);
}

/* Sessions that began after the thread had read the sessions are pending on the new board too.
 * Those that began before the work and that the thread did not find were removed. */
static void carry_over(struct sl_asker *asker)
{
    size_t kept = 0;
    for (size_t i = 0; i < asker->n_recent; i++) {
        struct recent *recent = &asker->recent[i];
        if (i < asker->n_visible || sl_asking_log_session(asker->ledger, recent->session)) {
            recent_release(recent);
            continue;
        }
        sl_asking_board_add_live(asker->board, recent->session, recent->items, recent->count);
        asker->recent[kept++] = *recent;
    }
    asker->n_recent = kept;
}

/* Also after a failure: the database may have stored the record before the connection broke, and no
 * two records of boards have one name. */
static void name_board(struct sl_asker *asker)
{
    asker->noted = false;
    asker->board->turns = 0;
    snprintf(asker->name, sizeof asker->name, "%s-%zu", asker->server, ++asker->serial);
}

static void take_board(struct sl_asker *asker)
{
    sl_asking_board_replace(&asker->board, asker->made);
    asker->made = NULL;
    name_board(asker);
    carry_over(asker);
}

static void done(void *context)
{
    struct sl_asker *asker = context;
    const bool failed = asker->status != SL_OK && asker->status != SL_ERR_STOPPED;
    asker->working = false;
    asker->done = sl_clock_seconds();
    if (failed && !asker->failing)
        sl_log(asker->options.log, SL_LOG_WARNING, "items are chosen by what was known before: %s",
               asker->err.message);
    asker->failing = failed;
    if (asker->made) take_board(asker);
}

static void look(void *context)
{
    struct sl_asker *asker = context;
    if (asker->working || sl_clock_seconds() - asker->done < REST * asker->cost) return;
    asker->working = true;
    asker->n_visible = asker->n_recent;
    asker->status = SL_ERR_STOPPED; /* remains if the server stops before the work begins */
    sl_http_work(asker->options.loop, SL_LANE_ASKING, work, done, asker);
}

/* ---- Choosing ---- */

static size_t choose_rehearsal(const struct sl_asker *asker, const bool *seen, uint32_t *out)
{
    const size_t n = asker->ledger->n_items, most = asker->options.study->batch_size;
    size_t count = 0;
    for (uint32_t least = 0; count < most && count < n; least++) {
        size_t above = 0;
        for (uint32_t i = 0; i < n && count < most; i++) {
            if (!seen[i] && asker->rehearsed[i] == least) out[count++] = i;
            above += !seen[i] && asker->rehearsed[i] > least;
        }
        if (above == 0) break;
    }
    return count;
}

static void mark_seen(const struct sl_asker *asker, const char *const *seen, size_t n_seen,
                      bool *out)
{
    memset(out, 0, asker->ledger->n_items * sizeof *out);
    for (size_t i = 0; i < n_seen; i++) {
        const uint32_t item = sl_asking_log_item(asker->ledger, seen[i]);
        if (item != SL_NO_NAME) out[item] = true;
    }
}

static char *text_of(json_t *taken)
{
    char *text = json_dumps(taken, JSON_COMPACT);
    json_decref(taken);
    return text;
}

static void choice_clear(struct choice *choice)
{
    free(choice->board);
    free(choice->decision);
    choice->board = choice->decision = NULL;
    choice->count = 0;
}

static enum sl_status write_choice(struct sl_asker *asker, struct sl_store_choice *out,
                                   struct sl_error *err)
{
    struct choice *choice = &asker->choice;
    *out = (struct sl_store_choice){.items = choice->ids, .n_items = choice->count};
    if (choice->test) return SL_OK; /* nothing follows from it */
    if (!asker->noted)
        choice->board = text_of(sl_asking_board_json(
            asker->board, asker->name, sl_store_is_shared(asker->options.study->database)));
    choice->decision = text_of(sl_asking_decision_json(asker->ledger, asker->board, asker->name,
                                                       choice->items, choice->count));
    if (!choice->decision || (!asker->noted && !choice->board))
        return sl_fail(err, SL_ERR_NOMEM, "no memory for the record of a decision");
    out->study_kind = choice->board ? "board" : NULL;
    out->study_body = choice->board;
    out->kind = "decision";
    out->body = choice->decision;
    return SL_OK;
}

static enum sl_status choose(void *context, const char *const *seen, size_t n_seen,
                             struct sl_store_choice *out, struct sl_error *err)
{
    struct sl_asker *asker = context;
    struct choice *choice = &asker->choice;
    mark_seen(asker, seen, n_seen, choice->seen);
    choice->count = choice->test ? choose_rehearsal(asker, choice->seen, choice->items)
                                 : sl_asking_choose(asker->board, choice->seen, choice->items);
    if (choice->count == 0)
        return sl_fail(err, SL_ERR_NOT_FOUND, "there is nothing to ask this person");
    for (size_t i = 0; i < choice->count; i++)
        choice->ids[i] = sl_asking_log_item_id(asker->ledger, choice->items[i]);
    return write_choice(asker, out, err);
}

/* The decision is stored: what is asked next depends on it. */
static void settle(struct sl_asker *asker, int64_t session)
{
    const struct choice *choice = &asker->choice;
    if (choice->test) {
        for (size_t i = 0; i < choice->count; i++)
            asker->rehearsed[choice->items[i]]++;
        return;
    }
    asker->noted = true;
    sl_asking_decided(asker->board, session, choice->items, choice->count);
    asker->recent = sl_resize(asker->recent, asker->n_recent + 1, sizeof *asker->recent);
    struct recent *recent = &asker->recent[asker->n_recent++];
    *recent = (struct recent){.session = session,
                              .items = sl_alloc(choice->count, sizeof *recent->items),
                              .count = choice->count};
    memcpy(recent->items, choice->items, choice->count * sizeof *recent->items);
}

enum sl_status sl_asker_arrive(struct sl_asker *asker, struct sl_store *store,
                               const struct sl_store_arrival *arrival, struct sl_store_session *out,
                               bool *returning, struct sl_error *err)
{
    const struct sl_store_chooser chooser = {choose, asker};
    struct sl_store_arrival own = *arrival;
    own.chooser = &chooser;
    choice_clear(&asker->choice);
    asker->choice.test = arrival->test;
    enum sl_status status = sl_store_arrive(store, &own, out, returning, err);
    if (asker->choice.count > 0 && !arrival->test && status != SL_OK) name_board(asker);
    if (status == SL_OK && asker->choice.count > 0) settle(asker, out->id);
    choice_clear(&asker->choice);
    return status;
}

/* ---- Creation ---- */

static enum sl_status prepare(struct sl_asker *asker, struct sl_error *err)
{
    int64_t version = 0;
    enum sl_status status = open_store(asker, &version);
    if (status == SL_OK)
        status =
            sl_asking_log_create(asker->options.study, asker->store, &asker->ledger, &asker->err);
    if (status == SL_OK) status = make_board(asker);
    if (status != SL_OK) return sl_fail(err, status, "%s", asker->err.message);
    take_board(asker);
    const size_t n_items = asker->ledger->n_items + 1, most = asker->options.study->batch_size;
    asker->rehearsed = sl_data_zeroed(n_items, sizeof *asker->rehearsed, err);
    asker->choice.seen = sl_data_zeroed(n_items, sizeof *asker->choice.seen, err);
    asker->choice.items = sl_alloc(most, sizeof *asker->choice.items);
    asker->choice.ids = sl_alloc(most, sizeof *asker->choice.ids);
    return asker->rehearsed && asker->choice.seen ? SL_OK : SL_ERR_NOMEM;
}

enum sl_status sl_asker_create(const struct sl_asker_options *options, struct sl_asker **out,
                               struct sl_error *err)
{
    struct sl_asker *asker = sl_alloc(1, sizeof *asker);
    asker->options = *options;
    asker->terms = sl_asking_terms_of(options->study);
    sl_secret_word(asker->server, WORD);
    enum sl_status status = prepare(asker, err);
    if (status != SL_OK) {
        sl_asker_destroy(asker);
        return status;
    }
    sl_http_every(options->loop, LOOK_SECONDS, look, asker);
    *out = asker;
    return SL_OK;
}

void sl_asker_destroy(struct sl_asker *asker)
{
    if (!asker) return;
    if (asker->made) sl_asking_board_replace(&asker->board, asker->made);
    sl_asking_board_destroy(asker->board);
    for (size_t i = 0; i < asker->n_recent; i++)
        recent_release(&asker->recent[i]);
    free(asker->recent);
    free(asker->rehearsed);
    choice_clear(&asker->choice);
    free(asker->choice.items);
    free((void *)asker->choice.ids);
    free(asker->choice.seen);
    sl_asking_log_destroy(asker->ledger);
    sl_store_close(asker->store);
    free(asker);
}
