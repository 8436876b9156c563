/* A small study for tests of the store: items i0, i1, ..., batches of two, people by number. */
#ifndef SOFTLAB_TESTS_STORE_SUPPORT_H
#define SOFTLAB_TESTS_STORE_SUPPORT_H

#include <math.h>

#include "softlab/store.h"
#include "support.h"

enum { MINUTE = 60000, LEASE = 60 * MINUTE };
static const int64_t test_noon = 1700000000000;

static inline void test_begin(struct sl_store *store)
{
    struct sl_error err;
    assert_ok(sl_store_begin(store, &err), err);
}

static inline void test_commit(struct sl_store *store)
{
    struct sl_error err;
    assert_ok(sl_store_commit(store, &err), err);
}

/* Batch b holds items i<2b> and i<2b+1>. */
static inline void test_add_batches(struct sl_store *store, size_t n_batches, size_t target)
{
    struct sl_error err;
    test_begin(store);
    for (size_t b = 0; b < n_batches; b++) {
        char names[2][32];
        const char *const items[] = {names[0], names[1]};
        for (size_t i = 0; i < 2; i++) {
            snprintf(names[i], sizeof names[i], "i%zu", 2 * b + i);
            const struct sl_store_item item = {
                .id = names[i], .content = "{}", .entropy = (double)NAN};
            assert_ok(sl_store_add_item(store, &item, &err), err);
        }
        assert_ok(sl_store_add_batch(store, b, target, items, 2, &err), err);
    }
    test_commit(store);
}

/* 32 bytes that say `number`; two kinds never meet. */
static inline void test_bytes(uint8_t *out, size_t size, uint64_t number, uint8_t kind)
{
    memset(out, kind, size);
    memcpy(out, &number, sizeof number);
}

struct test_arrival {
    uint64_t person, token, tie;
    int64_t now;
    bool test, once;
    const char *network; /* also the parameters */
    size_t per_network;
};

static inline enum sl_status test_arrive(struct sl_store *store, const struct test_arrival *who,
                                         struct sl_store_session *out, bool *returning,
                                         struct sl_error *err)
{
    uint8_t person[SL_STORE_PERSON_BYTES], token[SL_STORE_TOKEN_BYTES];
    test_bytes(person, sizeof person, who->person, 'p');
    test_bytes(token, sizeof token, who->token, 't');
    const struct sl_store_arrival arrival = {.person = person,
                                             .token_hash = token,
                                             .screen = "collins+",
                                             .parameters =
                                                 who->network ? who->network : "{\"a\": 1}",
                                             .seed = UINT64_MAX - who->person,
                                             .tie = who->tie,
                                             .now = who->now ? who->now : test_noon,
                                             .lease_ms = LEASE,
                                             .test = who->test,
                                             .once = who->once,
                                             .network = who->network,
                                             .per_network = who->per_network};
    return sl_store_arrive(store, &arrival, out, returning, err);
}

static inline struct sl_store_session test_arrived(struct sl_store *store,
                                                   const struct test_arrival *who)
{
    struct sl_store_session session;
    bool returning;
    struct sl_error err;
    assert_ok(test_arrive(store, who, &session, &returning, &err), err);
    return session;
}

static inline void test_save(struct sl_store *store, const struct sl_store_session *session)
{
    struct sl_error err;
    test_begin(store);
    assert_ok(sl_store_save_session(store, session, &err), err);
    test_commit(store);
}

static inline void test_finish(struct sl_store *store, struct sl_store_session *session)
{
    session->state = SL_SESSION_DONE;
    session->finished = test_noon + MINUTE;
    test_save(store, session);
}

/* An answer to item i<trial % 2> under the client id `number`, inside a transaction. */
static inline struct sl_store_answer test_answer(int64_t session, uint64_t number, size_t trial,
                                                 const char *body)
{
    struct sl_store_answer answer = {.session = session,
                                     .trial = trial,
                                     .revision = 99,
                                     .item = trial % 2 ? "i1" : "i0",
                                     .body = body,
                                     .received = test_noon + (int64_t)number,
                                     .elapsed = 1234};
    test_bytes(answer.client_id, sizeof answer.client_id, number, 'c');
    return answer;
}

static inline enum sl_put_outcome test_put(struct sl_store *store, struct sl_store_answer *answer)
{
    enum sl_put_outcome outcome = SL_PUT_CONFLICT;
    struct sl_error err;
    assert_ok(sl_store_put_answer(store, answer, &outcome, &err), err);
    return outcome;
}

/* begin, put, commit. */
static inline enum sl_put_outcome test_put_alone(struct sl_store *store, int64_t session,
                                                 uint64_t number, size_t trial, const char *body)
{
    struct sl_store_answer answer = test_answer(session, number, trial, body);
    test_begin(store);
    enum sl_put_outcome outcome = test_put(store, &answer);
    test_commit(store);
    return outcome;
}

static inline enum sl_status test_count_row(const struct sl_store_row *row, void *context)
{
    (void)row;
    ++*(size_t *)context;
    return SL_OK;
}

static inline size_t test_count_answers(struct sl_store *store)
{
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_store_each_answer(store, test_count_row, &count, &err), err);
    return count;
}

static inline size_t test_count_sessions(struct sl_store *store)
{
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_store_each_session(store, test_count_row, &count, &err), err);
    return count;
}

static inline size_t test_count_events(struct sl_store *store)
{
    size_t count = 0;
    struct sl_error err;
    assert_ok(sl_store_each_event(store, test_count_row, &count, &err), err);
    return count;
}

/* Sums over all batches, and the smallest and largest of finished + live. */
struct test_filling {
    size_t n_batches, finished, live, least, most;
};

static inline enum sl_status test_add_filling(const struct sl_store_batch_row *row, void *context)
{
    struct test_filling *sum = context;
    size_t filled = row->finished + row->live;
    assert_int_equal(row->batch, sum->n_batches);
    sum->n_batches++;
    sum->finished += row->finished;
    sum->live += row->live;
    if (filled < sum->least) sum->least = filled;
    if (filled > sum->most) sum->most = filled;
    return SL_OK;
}

static inline struct test_filling test_filling_of(struct sl_store *store)
{
    struct test_filling sum = {.least = SIZE_MAX};
    struct sl_error err;
    assert_ok(sl_store_each_batch(store, test_add_filling, &sum, &err), err);
    return sum;
}

#endif
