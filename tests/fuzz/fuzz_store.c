/* Bytes as operations on a store in memory, beside a model of it in arrays; whatever the two do not
 * agree about ends the program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "softlab/store.h"

enum { BATCHES = 3, TARGET = 2, MAX_SESSIONS = 48, MAX_ANSWERS = 96, MAX_STEPS = 400, LEASE = 50 };

#define AGREE(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

struct model_session {
    int64_t id, lease_until, seen;
    unsigned person;
    uint64_t token;
    size_t batch;
    enum sl_session_state state;
    bool test, second_run;
};

struct model_answer {
    unsigned client, body;
    int64_t session;
    size_t trial, revision;
    bool practice;
};

/* Small enough to be copied at begin and copied back at rollback. */
struct model {
    size_t n_sessions, n_answers;
    int64_t last_id;
    struct model_session sessions[MAX_SESSIONS];
    struct model_answer answers[MAX_ANSWERS];
};

struct game {
    struct sl_store *store;
    struct model now, before;
    bool inside;
    int64_t clock;
    uint64_t tokens;
    const uint8_t *bytes;
    size_t length;
};

static const char *const items[] = {"a", "b"};
static const char *const bodies[] = {"{}", "{\"x\": 1}", ""};

static unsigned take(struct game *game, unsigned limit)
{
    if (game->length == 0) return 0;
    game->length--;
    return *game->bytes++ % limit;
}

static void fill(uint8_t *out, size_t size, uint64_t number)
{
    memset(out, 0, size);
    memcpy(out, &number, sizeof number);
}

/* ---- The model ---- */

static size_t model_expire(struct model *model, int64_t now)
{
    size_t freed = 0;
    for (size_t i = 0; i < model->n_sessions; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->state != SL_SESSION_ACTIVE || session->lease_until >= now) continue;
        session->state = SL_SESSION_EXPIRED;
        freed++;
    }
    return freed;
}

static size_t model_count(const struct model *model, size_t batch, bool test,
                          enum sl_session_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < model->n_sessions; i++)
        count += model->sessions[i].batch == batch && model->sessions[i].state == state &&
                 model->sessions[i].test == test;
    return count;
}

/* BATCHES where there is no room. */
static size_t model_choose(const struct model *model, bool test, unsigned tie)
{
    size_t filled[BATCHES], least = SIZE_MAX, n_least = 0;
    for (size_t b = 0; b < BATCHES; b++) {
        filled[b] = model_count(model, b, test, SL_SESSION_ACTIVE) +
                    model_count(model, b, test, SL_SESSION_DONE);
        if (!test && filled[b] >= TARGET) filled[b] = SIZE_MAX;
        if (filled[b] < least) least = filled[b];
    }
    for (size_t b = 0; b < BATCHES; b++)
        n_least += filled[b] == least;
    if (least == SIZE_MAX) return BATCHES;
    size_t wanted = tie % n_least;
    for (size_t b = 0;; b++)
        if (filled[b] == least && wanted-- == 0) return b;
}

static struct model_session *model_arrive(struct model *model, const struct model_session *who,
                                          unsigned tie, int64_t now, bool *returning)
{
    bool finished = false;
    struct model_session *live = NULL, *refused = NULL;
    for (size_t i = 0; i < model->n_sessions; i++) {
        struct model_session *session = &model->sessions[i];
        if (session->person != who->person) continue;
        finished |= session->state == SL_SESSION_DONE && !session->test;
        if (session->state == SL_SESSION_ACTIVE && session->test == who->test) live = session;
        if (session->state == SL_SESSION_REFUSED && session->test == who->test) refused = session;
    }
    if (!live) live = refused;
    *returning = live != NULL;
    if (!live) {
        size_t batch = model_choose(model, who->test, tie);
        if (batch == BATCHES) return NULL;
        live = &model->sessions[model->n_sessions++];
        *live = *who;
        live->id = ++model->last_id;
        live->batch = batch;
        live->second_run = finished;
        live->lease_until = live->seen = INT64_MIN;
    }
    live->token = who->token;
    if (now + LEASE > live->lease_until && live->state == SL_SESSION_ACTIVE)
        live->lease_until = now + LEASE;
    if (now > live->seen) live->seen = now;
    return live;
}

/* ---- Operations on both ---- */

static void play_begin(struct game *game)
{
    enum sl_status status = sl_store_begin(game->store, NULL);
    AGREE(status == (game->inside ? SL_ERR_USAGE : SL_OK));
    if (!game->inside) game->before = game->now;
    game->inside = true;
}

static void play_commit(struct game *game)
{
    AGREE(sl_store_commit(game->store, NULL) == (game->inside ? SL_OK : SL_ERR_USAGE));
    game->inside = false;
}

static void play_rollback(struct game *game)
{
    sl_store_rollback(game->store);
    if (game->inside) game->now = game->before;
    game->inside = false;
}

static void play_arrive(struct game *game)
{
    uint8_t person[SL_STORE_PERSON_BYTES], token[SL_STORE_TOKEN_BYTES];
    struct model_session who = {.person = take(game, 8)};
    who.test = take(game, 8) == 0;
    who.token = ++game->tokens;
    unsigned tie = take(game, 256);
    if (game->now.n_sessions == MAX_SESSIONS) return;
    fill(person, sizeof person, who.person);
    fill(token, sizeof token, who.token);
    const struct sl_store_arrival arrival = {.person = person,
                                             .token_hash = token,
                                             .screen = "hard",
                                             .parameters = "{}",
                                             .tie = tie,
                                             .now = game->clock,
                                             .lease_ms = LEASE,
                                             .test = who.test};
    struct sl_store_session session;
    bool returning = false, returns = false;
    enum sl_status status = sl_store_arrive(game->store, &arrival, &session, &returning, NULL);
    if (game->inside) {
        AGREE(status == SL_ERR_USAGE);
        return;
    }
    struct model before = game->now;
    model_expire(&game->now, game->clock);
    const struct model_session *expected =
        model_arrive(&game->now, &who, tie, game->clock, &returns);
    AGREE(status == (expected ? SL_OK : SL_ERR_NOT_FOUND));
    if (!expected) {
        game->now = before;
        return;
    }
    AGREE(session.id == expected->id && session.batch == expected->batch);
    AGREE(session.lease_until == expected->lease_until && session.seen == expected->seen);
    AGREE(session.second_run == expected->second_run && session.test == expected->test);
    AGREE(returning == returns);
}

static void play_save(struct game *game)
{
    size_t which = take(game, MAX_SESSIONS);
    enum sl_session_state state = (enum sl_session_state)take(game, SL_SESSION_REFUSED + 1);
    if (!game->inside || which >= game->now.n_sessions) return;
    struct model_session *session = &game->now.sessions[which];
    uint8_t token[SL_STORE_TOKEN_BYTES];
    struct sl_store_session found;
    fill(token, sizeof token, session->token);
    AGREE(sl_store_find_session(game->store, token, &found, NULL) == SL_OK);
    AGREE(found.id == session->id && found.state == session->state);
    found.state = session->state = state;
    AGREE(sl_store_save_session(game->store, &found, NULL) == SL_OK);
}

static void play_answer(struct game *game)
{
    struct model *model = &game->now;
    struct model_answer sent = {.client = take(game, 24), .body = take(game, 3)};
    size_t which = take(game, MAX_SESSIONS);
    sent.trial = take(game, 3);
    sent.practice = take(game, 4) == 0;
    if (!game->inside || model->n_answers == MAX_ANSWERS) return;
    bool known = which < model->n_sessions;
    sent.session = known ? model->sessions[which].id : 1000;
    enum sl_put_outcome expected = SL_PUT_STORED, outcome = SL_PUT_CONFLICT;
    for (size_t i = 0; i < model->n_answers; i++) {
        const struct model_answer *other = &model->answers[i];
        bool same_trial = other->session == sent.session && other->trial == sent.trial &&
                          other->practice == sent.practice;
        if (expected == SL_PUT_STORED) sent.revision += same_trial;
        if (other->client != sent.client) continue;
        expected = same_trial && other->body == sent.body ? SL_PUT_REPLAYED : SL_PUT_CONFLICT;
        sent.revision = other->revision;
    }
    struct sl_store_answer answer = {.session = sent.session,
                                     .trial = sent.trial,
                                     .item = items[sent.trial % 2],
                                     .body = bodies[sent.body],
                                     .practice = sent.practice};
    fill(answer.client_id, sizeof answer.client_id, sent.client);
    enum sl_status status = sl_store_put_answer(game->store, &answer, &outcome, NULL);
    AGREE(status == (expected == SL_PUT_STORED && !known ? SL_ERR_NOT_FOUND : SL_OK));
    if (status != SL_OK) return;
    AGREE(outcome == expected);
    if (expected != SL_PUT_CONFLICT) AGREE(answer.revision == sent.revision);
    if (expected == SL_PUT_STORED) model->answers[model->n_answers++] = sent;
}

static void play_expire(struct game *game)
{
    size_t freed = 0;
    enum sl_status status = sl_store_expire(game->store, game->clock, &freed, NULL);
    AGREE(status == (game->inside ? SL_OK : SL_ERR_USAGE));
    if (game->inside) AGREE(freed == model_expire(&game->now, game->clock));
}

static void play_purge(struct game *game)
{
    struct model *model = &game->now;
    unsigned person = take(game, 8);
    uint8_t bytes[SL_STORE_PERSON_BYTES];
    struct sl_store_purged gone = {0};
    size_t expected = 0, kept = 0;
    fill(bytes, sizeof bytes, person);
    enum sl_status status = sl_store_purge(game->store, bytes, INT64_MAX, 1, &gone, NULL);
    AGREE(status == (game->inside ? SL_ERR_USAGE : SL_OK));
    if (game->inside) return;
    for (size_t i = 0; i < model->n_answers; i++) {
        bool theirs = false;
        for (size_t s = 0; s < model->n_sessions; s++)
            theirs |= model->sessions[s].id == model->answers[i].session &&
                      model->sessions[s].person == person;
        if (!theirs) model->answers[kept++] = model->answers[i];
    }
    model->n_answers = kept;
    kept = 0;
    for (size_t s = 0; s < model->n_sessions; s++) {
        if (model->sessions[s].person != person)
            model->sessions[kept++] = model->sessions[s];
        else
            expected++;
    }
    model->n_sessions = kept;
    AGREE(gone.sessions == expected);
}

/* Back as well as on. */
static void play_clock(struct game *game)
{
    game->clock += (int64_t)take(game, 256) - 96;
}

/* ---- Comparison ---- */

static enum sl_status see_answer(const struct sl_store_row *row, void *context)
{
    const struct game *game = ((void **)context)[0];
    size_t *count = ((void **)context)[1];
    unsigned client = row->answer->client_id[0];
    for (size_t i = 0; i < game->now.n_answers; i++) {
        const struct model_answer *answer = &game->now.answers[i];
        if (answer->client != client) continue;
        AGREE(answer->session == row->session->id && answer->trial == row->answer->trial);
        AGREE(answer->revision == row->answer->revision);
        AGREE(answer->practice == row->answer->practice);
        AGREE(strcmp(bodies[answer->body], row->answer->body) == 0);
        ++*count;
    }
    return SL_OK;
}

static enum sl_status see_session(const struct sl_store_row *row, void *context)
{
    const struct game *game = ((void **)context)[0];
    size_t *count = ((void **)context)[1];
    AGREE(*count < game->now.n_sessions);
    const struct model_session *session = &game->now.sessions[*count];
    AGREE(row->session->id == session->id && row->session->state == session->state);
    AGREE(row->session->lease_until == session->lease_until);
    ++*count;
    return SL_OK;
}

static enum sl_status see_batch(const struct sl_store_batch_row *row, void *context)
{
    const struct game *game = context;
    AGREE(row->target == TARGET);
    AGREE(row->live == model_count(&game->now, row->batch, false, SL_SESSION_ACTIVE));
    AGREE(row->finished == model_count(&game->now, row->batch, false, SL_SESSION_DONE));
    return SL_OK;
}

static void compare(struct game *game)
{
    size_t n_answers = 0, n_sessions = 0;
    void *answers[] = {game, &n_answers}, *sessions[] = {game, &n_sessions};
    AGREE(sl_store_each_answer(game->store, see_answer, answers, NULL) == SL_OK);
    AGREE(sl_store_each_session(game->store, see_session, sessions, NULL) == SL_OK);
    AGREE(sl_store_each_batch(game->store, see_batch, game, NULL) == SL_OK);
    AGREE(n_answers == game->now.n_answers && n_sessions == game->now.n_sessions);
}

static void prepare(struct game *game)
{
    const struct sl_store_options options = {.create = true};
    AGREE(sl_store_open(":memory:", &options, &game->store, NULL) == SL_OK);
    AGREE(sl_store_begin(game->store, NULL) == SL_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct sl_store_item item = {.id = items[i], .content = "{}", .entropy = (double)NAN};
        AGREE(sl_store_add_item(game->store, &item, NULL) == SL_OK);
    }
    for (size_t b = 0; b < BATCHES; b++)
        AGREE(sl_store_add_batch(game->store, b, TARGET, items, 2, NULL) == SL_OK);
    AGREE(sl_store_commit(game->store, NULL) == SL_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static void (*const plays[])(struct game *) = {
        play_begin,  play_commit, play_rollback, play_arrive, play_arrive, play_save,  play_save,
        play_answer, play_answer, play_answer,   play_expire, play_purge,  play_clock, compare,
    };
    static struct game game;
    game = (struct game){.bytes = bytes, .length = length, .clock = 1000};
    prepare(&game);
    for (size_t step = 0; step < MAX_STEPS && game.length > 0; step++)
        plays[take(&game, sizeof plays / sizeof *plays)](&game);
    compare(&game);
    play_rollback(&game);
    compare(&game);
    sl_store_close(game.store);
    return 0;
}
