/* Sessions and leases. */
#include "store_conformance.h"
#include "store_support.h"

static const struct store_under_test *backend;
static struct sl_store *store; /* a fresh one for every test */
static struct sl_error err;

static int open_fresh(void **state)
{
    (void)state;
    backend->clear();
    assert_ok(backend->open(false, &store, &err), err);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    sl_store_close(store);
    store = NULL;
    return 0;
}

static void test_a_new_session_starts_at_consent(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session found, session;
    bool returning = true;
    assert_ok(test_arrive(store, &(struct test_arrival){.person = 3, .token = 4}, &session,
                          &returning, &err),
              err);
    assert_false(returning);
    assert_string_equal(session.place, "consent");
    assert_string_equal(session.screen, "collins+");
    assert_string_equal(session.consent, "");
    assert_true(session.seed == UINT64_MAX - 3);
    assert_int_equal(session.state, SL_SESSION_ACTIVE);
    assert_int_equal(session.started, test_noon);
    assert_int_equal(session.seen, test_noon);
    assert_int_equal(session.finished, 0);
    assert_int_equal(session.lease_until, test_noon + LEASE);
    assert_int_equal(session.trial + session.attempts + session.batch, 0);
    assert_false(session.test || session.second_run);
    memset(&found, 0, sizeof found);
    assert_ok(sl_store_find_session(store, session.token_hash, &found, &err), err);
    assert_memory_equal(found.token_hash, session.token_hash, sizeof found.token_hash);
    assert_memory_equal(found.person, session.person, sizeof found.person);
    assert_int_equal(found.id, session.id);
}

static void test_arrivals_fill_the_emptiest_batch_and_ties_go_by_chance(void **state)
{
    (void)state;
    test_add_batches(store, 3, 2);
    const uint64_t ties[] = {5, 1, 0, 4, UINT64_MAX, 9};
    /* Batches with 0 sessions: 0 1 2, then 0 1, then 0; and the same again with 1. */
    const size_t expected[] = {2, 1, 0, 1, 2, 0};
    for (uint64_t i = 0; i < 6; i++) {
        struct sl_store_session session =
            test_arrived(store, &(struct test_arrival){.person = i, .token = i, .tie = ties[i]});
        assert_int_equal(session.batch, expected[i]);
    }
    struct sl_store_session untouched = {.id = 42};
    bool returning = true;
    assert_fails(test_arrive(store, &(struct test_arrival){.person = 6, .token = 6}, &untouched,
                             &returning, &err),
                 SL_ERR_NOT_FOUND, err, "every batch");
    assert_int_equal(untouched.id, 42);
    assert_true(returning);
    assert_int_equal(test_count_sessions(store), 6);
}

static void test_without_batches_nobody_finds_a_place(void **state)
{
    (void)state;
    struct sl_store_session session;
    bool returning;
    for (int test = 0; test < 2; test++)
        assert_fails(test_arrive(store, &(struct test_arrival){.test = test != 0}, &session,
                                 &returning, &err),
                     SL_ERR_NOT_FOUND, err, "every batch");
}

static void test_two_thousand_arrivals_spread_evenly(void **state)
{
    (void)state;
    enum { BATCHES = 100, TARGET = 20, PEOPLE = BATCHES * TARGET };
    test_add_batches(store, BATCHES, TARGET);
    uint64_t chance = 7;
    for (uint64_t i = 0; i < PEOPLE; i++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        struct sl_store_session session = test_arrived(
            store, &(struct test_arrival){.person = i, .token = i, .tie = chance >> 20});
        if (i % 3 == 0) test_finish(store, &session);
        if (i % 97 != 0) continue;
        struct test_filling now = test_filling_of(store);
        assert_int_equal(now.finished + now.live, i + 1);
        assert_true(now.most - now.least <= 1);
    }
    struct test_filling now = test_filling_of(store);
    assert_int_equal(now.least, TARGET);
    assert_int_equal(now.most, TARGET);
    assert_int_equal(now.finished, (PEOPLE + 2) / 3);
    struct sl_store_session session;
    bool returning;
    assert_fails(test_arrive(store, &(struct test_arrival){.person = PEOPLE, .token = PEOPLE},
                             &session, &returning, &err),
                 SL_ERR_NOT_FOUND, err, "every batch");
}

static void test_who_comes_back_finds_the_same_place_with_a_new_token(void **state)
{
    (void)state;
    test_add_batches(store, 5, 1);
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 10, .tie = 3});
    first.trial = 4;
    snprintf(first.place, sizeof first.place, "trials");
    test_save(store, &first);
    struct sl_store_session again;
    bool returning = false;
    assert_ok(test_arrive(store,
                          &(struct test_arrival){
                              .person = 1, .token = 11, .tie = 1, .now = test_noon + MINUTE},
                          &again, &returning, &err),
              err);
    assert_true(returning);
    assert_int_equal(again.id, first.id);
    assert_int_equal(again.batch, first.batch);
    assert_true(again.seed == first.seed);
    assert_int_equal(again.trial, 4);
    assert_string_equal(again.place, "trials");
    assert_int_equal(again.started, test_noon);
    assert_int_equal(again.seen, test_noon + MINUTE);
    assert_int_equal(again.lease_until, test_noon + MINUTE + LEASE);
    assert_int_equal(test_count_sessions(store), 1);
    struct sl_store_session found;
    assert_fails(sl_store_find_session(store, first.token_hash, &found, &err), SL_ERR_NOT_FOUND,
                 err, "no such session");
    assert_ok(sl_store_find_session(store, again.token_hash, &found, &err), err);
    /* The same token twice is fine for the same session, and for no other. */
    (void)test_arrived(store, &(struct test_arrival){.person = 1, .token = 11});
    assert_int_equal(test_arrive(store, &(struct test_arrival){.person = 2, .token = 11}, &found,
                                 &returning, &err),
                     SL_ERR_INPUT);
    assert_int_equal(test_count_sessions(store), 1);
    assert_false(sl_store_in_transaction(store));
}

static void test_a_second_run_is_kept_and_flagged(void **state)
{
    (void)state;
    test_add_batches(store, 3, 2);
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    test_finish(store, &first);
    struct sl_store_session second =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 2});
    assert_true(second.id != first.id);
    assert_true(second.second_run);
    assert_false(first.second_run);
    /* Returning to the second run resumes it; it is not a third run. */
    struct sl_store_session again =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 3});
    assert_int_equal(again.id, second.id);
    assert_true(again.second_run);
    /* Another person's first run is a first run, and so is a run after a returned one. */
    struct sl_store_session other =
        test_arrived(store, &(struct test_arrival){.person = 2, .token = 4});
    assert_false(other.second_run);
    other.state = SL_SESSION_RETURNED;
    test_save(store, &other);
    other = test_arrived(store, &(struct test_arrival){.person = 2, .token = 5});
    assert_false(other.second_run);
}

static void test_who_may_come_once_finds_the_session_they_finished(void **state)
{
    (void)state;
    test_add_batches(store, 3, 2);
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1, .once = true});
    test_finish(store, &first);
    struct sl_store_session again;
    bool returning = false;
    assert_ok(test_arrive(store,
                          &(struct test_arrival){.person = 1,
                                                 .token = 2,
                                                 .once = true,
                                                 .now = test_noon + 10 * (int64_t)LEASE},
                          &again, &returning, &err),
              err);
    assert_true(returning);
    assert_int_equal(again.id, first.id);
    assert_int_equal(again.state, SL_SESSION_DONE);
    assert_int_equal(again.finished, first.finished);
    assert_int_equal(again.lease_until, first.lease_until);
    assert_fails(sl_store_find_session(store, first.token_hash, &first, &err), SL_ERR_NOT_FOUND,
                 err, "no such session");
    /* After a returned or expired place the person may start again. */
    struct sl_store_session other =
        test_arrived(store, &(struct test_arrival){.person = 2, .token = 3, .once = true});
    other.state = SL_SESSION_RETURNED;
    test_save(store, &other);
    again = test_arrived(store, &(struct test_arrival){.person = 2, .token = 4, .once = true});
    assert_true(again.id != other.id);
    assert_int_equal(test_count_sessions(store), 3);
}

static void test_a_network_has_so_many_places(void **state)
{
    (void)state;
    static const char mark[] = "\"n\":\"one\"";
    test_add_batches(store, 3, 9);
    struct test_arrival who = {.person = 1, .token = 1, .network = mark, .per_network = 2};
    struct sl_store_session first = test_arrived(store, &who), session;
    bool returning = false;
    who.person = who.token = 2;
    session = test_arrived(store, &who);
    who.person = who.token = 3;
    assert_fails(test_arrive(store, &who, &session, &returning, &err), SL_ERR_USAGE, err,
                 "this network has 2 places");
    assert_false(sl_store_in_transaction(store));
    /* A person with a place keeps it; test sessions and sessions without a network always get
     * one. */
    who.person = 2, who.token = 4;
    assert_int_equal(test_arrived(store, &who).id, session.id);
    who.person = who.token = 5, who.test = true;
    session = test_arrived(store, &who);
    session = test_arrived(store, &(struct test_arrival){.person = 6, .token = 6});
    assert_int_equal(test_count_sessions(store), 4);
    /* A finished session keeps its place; a returned or purged one frees it. */
    test_finish(store, &first);
    who = (struct test_arrival){.person = 7, .token = 7, .network = mark, .per_network = 2};
    assert_int_equal(test_arrive(store, &who, &session, &returning, &err), SL_ERR_USAGE);
    first.state = SL_SESSION_RETURNED;
    test_save(store, &first);
    session = test_arrived(store, &who);
    who.person = who.token = 8;
    assert_int_equal(test_arrive(store, &who, &first, &returning, &err), SL_ERR_USAGE);
    struct sl_store_purged purged;
    assert_ok(sl_store_purge(store, session.person, INT64_MAX, test_noon, &purged, &err), err);
    session = test_arrived(store, &who);
}

static void test_who_was_refused_finds_the_refusal(void **state)
{
    (void)state;
    test_add_batches(store, 1, 2);
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    first.state = SL_SESSION_REFUSED;
    first.attempts = 3;
    snprintf(first.place, sizeof first.place, "failed");
    test_save(store, &first);
    struct sl_store_session again, other;
    bool returning = false;
    assert_ok(test_arrive(store,
                          &(struct test_arrival){
                              .person = 1, .token = 2, .now = test_noon + 10 * (int64_t)LEASE},
                          &again, &returning, &err),
              err);
    assert_true(returning);
    assert_int_equal(again.id, first.id);
    assert_int_equal(again.state, SL_SESSION_REFUSED);
    assert_string_equal(again.place, "failed");
    assert_int_equal(again.lease_until, first.lease_until);
    assert_int_equal(test_filling_of(store).live, 0);
    /* The person's test session and other people's sessions stay as they are. */
    other = test_arrived(store, &(struct test_arrival){.person = 1, .token = 3, .test = true});
    assert_true(other.id != first.id);
    assert_int_equal(other.attempts, 0);
    other = test_arrived(store, &(struct test_arrival){.person = 2, .token = 4});
    assert_int_equal(other.attempts, 0);
}

static void test_attempts_are_the_person_s_and_not_the_session_s(void **state)
{
    (void)state;
    static const enum sl_session_state ends[] = {SL_SESSION_RETURNED, SL_SESSION_EXPIRED,
                                                 SL_SESSION_DONE};
    static const size_t carried[] = {2, 2, 0};
    test_add_batches(store, 1, 20);
    for (uint64_t i = 0; i < 3; i++) {
        struct sl_store_session first =
            test_arrived(store, &(struct test_arrival){.person = i, .token = 2 * i});
        first.state = ends[i];
        first.attempts = 2;
        test_save(store, &first);
        struct sl_store_session again =
            test_arrived(store, &(struct test_arrival){.person = i, .token = 2 * i + 1});
        assert_true(again.id != first.id);
        assert_int_equal(again.state, SL_SESSION_ACTIVE);
        assert_int_equal(again.attempts, carried[i]);
    }
}

static void test_test_sessions_never_count(void **state)
{
    (void)state;
    test_add_batches(store, 2, 1);
    struct sl_store_session session;
    for (uint64_t i = 0; i < 4; i++) {
        session =
            test_arrived(store, &(struct test_arrival){.person = i, .token = i, .test = true});
        assert_true(session.test);
        if (i % 2) test_finish(store, &session);
    }
    assert_int_equal(test_filling_of(store).most, 0);
    /* The same people without the test flag get new sessions that are not second runs. */
    for (uint64_t i = 0; i < 2; i++) {
        session = test_arrived(store, &(struct test_arrival){.person = i, .token = 10 + i});
        assert_false(session.test || session.second_run);
    }
    assert_int_equal(test_filling_of(store).live, 2);
    /* When the study is full, a test session still gets in and is found again. */
    struct sl_store_session late =
        test_arrived(store, &(struct test_arrival){.person = 9, .token = 20, .test = true});
    session = test_arrived(store, &(struct test_arrival){.person = 9, .token = 21, .test = true});
    assert_int_equal(session.id, late.id);
    assert_int_equal(test_filling_of(store).live, 2);
}

static size_t expire_at(int64_t now)
{
    size_t freed = SIZE_MAX;
    test_begin(store);
    assert_ok(sl_store_expire(store, now, &freed, &err), err);
    test_commit(store);
    return freed;
}

static void test_a_lease_holds_at_its_end_and_not_a_moment_longer(void **state)
{
    (void)state;
    test_add_batches(store, 1, 1);
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_session other;
    bool returning;
    assert_int_equal(expire_at(first.lease_until), 0);
    struct test_arrival second = {.person = 2, .token = 2, .now = first.lease_until};
    assert_fails(test_arrive(store, &second, &other, &returning, &err), SL_ERR_NOT_FOUND, err,
                 "every batch");
    second.now++;
    assert_ok(test_arrive(store, &second, &other, &returning, &err), err);
    assert_int_equal(other.batch, 0);
    assert_ok(sl_store_find_session(store, first.token_hash, &first, &err), err);
    assert_int_equal(first.state, SL_SESSION_EXPIRED);
    assert_int_equal(expire_at(other.lease_until), 0);
    assert_int_equal(expire_at(other.lease_until + 1), 1);
    assert_int_equal(expire_at(other.lease_until + 1), 0);
    assert_int_equal(test_filling_of(store).live, 0);
    /* The old lease has expired, but a new place is free. */
    struct sl_store_session again = test_arrived(
        store, &(struct test_arrival){.person = 1, .token = 3, .now = other.lease_until + 2});
    assert_true(again.id != first.id);
}

static void test_only_live_sessions_run_out(void **state)
{
    (void)state;
    test_add_batches(store, 1, 10);
    struct sl_store_session sessions[5];
    for (uint64_t i = 0; i < 5; i++) {
        sessions[i] = test_arrived(store, &(struct test_arrival){.person = i, .token = i});
        sessions[i].state = (enum sl_session_state)i;
        test_save(store, &sessions[i]);
    }
    assert_int_equal(expire_at(INT64_MAX), 1);
    for (uint64_t i = 1; i < 5; i++) {
        struct sl_store_session now;
        assert_ok(sl_store_find_session(store, sessions[i].token_hash, &now, &err), err);
        assert_int_equal(now.state, sessions[i].state);
    }
    assert_int_equal(test_filling_of(store).finished, 1);
}

static void test_a_clock_set_back_loses_nothing(void **state)
{
    (void)state;
    test_add_batches(store, 2, 2);
    const int64_t day = 24 * 60 * (int64_t)MINUTE;
    struct sl_store_session first =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    /* The clock goes back a day: for the same person, another person, and sessions whose lease runs
     * out. */
    struct sl_store_session again = test_arrived(
        store, &(struct test_arrival){.person = 1, .token = 2, .now = test_noon - day});
    assert_int_equal(again.id, first.id);
    assert_int_equal(again.lease_until, first.lease_until);
    assert_int_equal(again.seen, first.seen);
    struct sl_store_session other = test_arrived(
        store, &(struct test_arrival){.person = 2, .token = 3, .now = test_noon - day});
    assert_int_equal(other.lease_until, test_noon - day + LEASE);
    assert_int_equal(expire_at(test_noon - day), 0);
    assert_int_equal(expire_at(INT64_MIN), 0);
    assert_int_equal(test_filling_of(store).live, 2);
    assert_int_equal(test_put_alone(store, first.id, 1, 0, "{}"), SL_PUT_STORED);
    /* The clock goes forward again: a session that started under the right clock still has its
     * place. */
    assert_int_equal(expire_at(test_noon + MINUTE), 1);
    struct test_filling now = test_filling_of(store);
    assert_int_equal(now.live, 1);
    assert_int_equal(now.finished, 0);
    assert_int_equal(test_count_answers(store), 1);
}

static void test_times_and_seeds_at_their_limits_come_back(void **state)
{
    (void)state;
    test_add_batches(store, 1, 10);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1, .now = INT64_MAX - 1});
    assert_int_equal(session.lease_until, INT64_MAX);
    session.state = SL_SESSION_REFUSED;
    session.seen = INT64_MIN;
    session.finished = INT64_MAX;
    session.lease_until = INT64_MIN;
    session.trial = session.attempts = INT64_MAX;
    memset(session.place, 'x', sizeof session.place - 1);
    memset(session.consent, 'y', sizeof session.consent - 1);
    test_save(store, &session);
    struct sl_store_session found;
    assert_ok(sl_store_find_session(store, session.token_hash, &found, &err), err);
    assert_int_equal(found.state, SL_SESSION_REFUSED);
    assert_true(found.seen == INT64_MIN && found.finished == INT64_MAX);
    assert_true(found.lease_until == INT64_MIN);
    assert_true(found.trial == INT64_MAX && found.attempts == INT64_MAX);
    assert_string_equal(found.place, session.place);
    assert_string_equal(found.consent, session.consent);
}

static void test_a_wrong_session_is_refused(void **state)
{
    (void)state;
    test_add_batches(store, 1, 10);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_session wrong = session;
    test_begin(store);
    wrong.id = session.id + 1;
    assert_fails(sl_store_save_session(store, &wrong, &err), SL_ERR_NOT_FOUND, err, "no such");
    wrong = session;
    wrong.state = (enum sl_session_state)5;
    assert_fails(sl_store_save_session(store, &wrong, &err), SL_ERR_USAGE, err, "is not a state");
    wrong = session;
    memset(wrong.place, 'x', sizeof wrong.place);
    assert_fails(sl_store_save_session(store, &wrong, &err), SL_ERR_INPUT, err, "longer than 23");
    wrong = session;
    memset(wrong.consent, 'x', sizeof wrong.consent);
    assert_fails(sl_store_save_session(store, &wrong, &err), SL_ERR_INPUT, err, "longer than 23");
    wrong = session;
    wrong.trial = SIZE_MAX;
    assert_fails(sl_store_save_session(store, &wrong, &err), SL_ERR_INPUT, err, "too large");
    test_commit(store);
    const struct sl_store_arrival arrivals[] = {
        {.person = session.person,
         .token_hash = session.token_hash,
         .parameters = "",
         .screen = "a name of a screen that is too long"},
        {.person = session.person,
         .token_hash = session.token_hash,
         .parameters = "",
         .screen = "",
         .lease_ms = -1},
    };
    bool returning;
    assert_fails(sl_store_arrive(store, &arrivals[0], &wrong, &returning, &err), SL_ERR_INPUT, err,
                 "longer than 23");
    assert_fails(sl_store_arrive(store, &arrivals[1], &wrong, &returning, &err), SL_ERR_USAGE, err,
                 "negative");
}

/* Tokens of three sessions and, between them, one that nobody has. */
static void expect_sessions(const struct sl_store_session *sessions)
{
    uint8_t hashes[4 * SL_STORE_TOKEN_BYTES];
    memset(hashes, 0xEE, sizeof hashes);
    for (size_t i = 0; i < 3; i++)
        memcpy(hashes + (i ? i + 1 : 0) * SL_STORE_TOKEN_BYTES, sessions[i].token_hash,
               SL_STORE_TOKEN_BYTES);
    assert_ok(sl_store_expect_sessions(store, hashes, 4, &err), err);
}

static void assert_trial(const struct sl_store_session *session, size_t trial)
{
    struct sl_store_session found;
    assert_ok(sl_store_find_session(store, session->token_hash, &found, &err), err);
    assert_int_equal(found.id, session->id);
    assert_int_equal(found.trial, trial);
    assert_string_equal(found.place, session->place);
}

static void test_expected_sessions_are_found_as_they_are(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session sessions[3];
    for (size_t i = 0; i < 3; i++)
        sessions[i] = test_arrived(store, &(struct test_arrival){.person = i + 1, .token = i + 1});
    assert_fails(sl_store_expect_sessions(store, sessions[0].token_hash, 1, &err), SL_ERR_USAGE,
                 err, "within a transaction");
    assert_ok(sl_store_begin_now(store, &err), err);
    expect_sessions(sessions);
    assert_trial(&sessions[0], 0);
    /* Before it is asked for, and after. */
    sessions[0].trial = 7;
    sessions[1].trial = 8;
    assert_ok(sl_store_save_session(store, &sessions[0], &err), err);
    assert_ok(sl_store_save_session(store, &sessions[1], &err), err);
    assert_trial(&sessions[0], 7);
    assert_trial(&sessions[1], 8);
    assert_trial(&sessions[2], 0);
    test_commit(store);
    assert_trial(&sessions[1], 8);
    /* What a transaction expected ends with it. */
    assert_ok(sl_store_begin_now(store, &err), err);
    sessions[2].trial = 9;
    assert_ok(sl_store_save_session(store, &sessions[2], &err), err);
    expect_sessions(sessions);
    sl_store_rollback(store);
    assert_ok(sl_store_begin_now(store, &err), err);
    assert_trial(&sessions[2], 0);
    test_commit(store);
}

static void test_an_expected_session_may_run_out(void **state)
{
    (void)state;
    test_add_batches(store, 1, 5);
    struct sl_store_session sessions[3], found;
    for (size_t i = 0; i < 3; i++)
        sessions[i] = test_arrived(store, &(struct test_arrival){.person = i + 1, .token = i + 1});
    size_t freed = 0;
    assert_ok(sl_store_begin_now(store, &err), err);
    expect_sessions(sessions);
    assert_ok(sl_store_expire(store, INT64_MAX, &freed, &err), err);
    assert_int_equal(freed, 3);
    assert_ok(sl_store_find_session(store, sessions[1].token_hash, &found, &err), err);
    assert_int_equal(found.state, SL_SESSION_EXPIRED);
    test_commit(store);
}

int store_conformance_sessions(const struct store_under_test *under_test)
{
    backend = under_test;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_new_session_starts_at_consent, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_arrivals_fill_the_emptiest_batch_and_ties_go_by_chance,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_without_batches_nobody_finds_a_place, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_two_thousand_arrivals_spread_evenly, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_who_comes_back_finds_the_same_place_with_a_new_token,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_second_run_is_kept_and_flagged, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_who_may_come_once_finds_the_session_they_finished,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_network_has_so_many_places, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_who_was_refused_finds_the_refusal, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_attempts_are_the_person_s_and_not_the_session_s,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_test_sessions_never_count, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_lease_holds_at_its_end_and_not_a_moment_longer,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_only_live_sessions_run_out, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_clock_set_back_loses_nothing, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_times_and_seeds_at_their_limits_come_back, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_a_wrong_session_is_refused, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_expected_sessions_are_found_as_they_are, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_an_expected_session_may_run_out, open_fresh, close_it),
    };
    return cmocka_run_group_tests_name(under_test->name, tests, NULL, NULL);
}
