/* Answers, events, walks and removing a person. */
#include "store_conformance.h"
#include "store_support.h"

static const struct store_under_test *backend;
static struct sl_store *store; /* a fresh one for every test, with two batches */
static struct sl_error err;

static void reopen(void)
{
    sl_store_close(store);
    store = NULL;
    assert_ok(backend->open(false, &store, &err), err);
}

static int open_fresh(void **state)
{
    (void)state;
    backend->clear();
    reopen();
    test_add_batches(store, 2, 50);
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    sl_store_close(store);
    store = NULL;
    return 0;
}

static struct sl_store_session arrive(uint64_t person)
{
    return test_arrived(store, &(struct test_arrival){.person = person, .token = person});
}

static void test_an_answer_sent_again_is_stored_once(void **state)
{
    (void)state;
    struct sl_store_session session = arrive(1);
    struct sl_store_answer answer = test_answer(session.id, 5, 0, "{\"top\": \"Cat\"}");
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    assert_int_equal(answer.revision, 0);
    answer.revision = 99;
    answer.received += 5000; /* it came later */
    assert_int_equal(test_put(store, &answer), SL_PUT_REPLAYED);
    assert_int_equal(answer.revision, 0);
    test_commit(store);
    reopen();
    test_begin(store);
    answer.revision = 99;
    assert_int_equal(test_put(store, &answer), SL_PUT_REPLAYED);
    assert_int_equal(answer.revision, 0);
    test_commit(store);
    assert_int_equal(test_count_answers(store), 1);
}

static enum sl_put_outcome peek(const struct sl_store_answer *answer)
{
    enum sl_put_outcome outcome = SL_PUT_CONFLICT;
    assert_ok(sl_store_peek_answer(store, answer, &outcome, &err), err);
    return outcome;
}

static void test_looking_says_what_putting_would_and_writes_nothing(void **state)
{
    (void)state;
    struct sl_store_session session = arrive(1);
    struct sl_store_answer answer = test_answer(session.id, 5, 0, "{\"top\": \"Cat\"}");
    assert_int_equal(peek(&answer), SL_PUT_STORED);
    assert_int_equal(test_count_answers(store), 0);
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    assert_int_equal(peek(&answer), SL_PUT_REPLAYED);
    test_commit(store);
    assert_int_equal(peek(&answer), SL_PUT_REPLAYED);
    answer.body = "{}";
    assert_int_equal(peek(&answer), SL_PUT_CONFLICT);
    assert_int_equal(test_count_answers(store), 1);
}

static void test_the_same_id_with_anything_else_is_a_conflict(void **state)
{
    (void)state;
    struct sl_store_session session = arrive(1), other = arrive(2);
    struct sl_store_answer answer = test_answer(session.id, 5, 0, "{\"top\": \"Cat\"}");
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    struct sl_store_answer wrong[5] = {answer, answer, answer, answer, answer};
    wrong[0].body = "{\"top\": \"Cat\"} ";
    wrong[1].session = other.id;
    wrong[2].trial = 1;
    wrong[3].item = "i1";
    wrong[4].practice = true;
    for (size_t i = 0; i < 5; i++) {
        wrong[i].revision = 99;
        assert_int_equal(test_put(store, &wrong[i]), SL_PUT_CONFLICT);
        assert_int_equal(wrong[i].revision, 99);
    }
    test_commit(store);
    assert_int_equal(test_count_answers(store), 1);
}

struct seen_answers {
    size_t count;
    struct {
        int64_t session, received, elapsed;
        size_t trial, revision;
        bool practice, repeat;
        uint8_t client;
        char body[40], item[8];
    } rows[16];
};

static enum sl_status see_answer(const struct sl_store_row *row, void *context)
{
    struct seen_answers *seen = context;
    size_t i = seen->count++;
    assert_null(row->parameters);
    assert_null(row->kind);
    assert_int_equal(row->session->id, row->answer->session);
    seen->rows[i].session = row->answer->session;
    seen->rows[i].received = row->answer->received;
    seen->rows[i].elapsed = row->answer->elapsed;
    seen->rows[i].trial = row->answer->trial;
    seen->rows[i].revision = row->answer->revision;
    seen->rows[i].practice = row->answer->practice;
    seen->rows[i].repeat = row->answer->repeat;
    seen->rows[i].client = row->answer->client_id[0];
    snprintf(seen->rows[i].body, sizeof seen->rows[i].body, "%s", row->answer->body);
    snprintf(seen->rows[i].item, sizeof seen->rows[i].item, "%s", row->answer->item);
    return SL_OK;
}

static void test_revisions_are_numbered_and_walked_in_order(void **state)
{
    (void)state;
    struct sl_store_session first = arrive(1), second = arrive(2);
    const struct {
        int64_t session;
        size_t trial, revision;
        bool practice;
    } sent[] = {
        {second.id, 0, 0, false}, {first.id, 1, 0, false},  {first.id, 0, 0, true},
        {first.id, 0, 0, false},  {first.id, 1, 1, false},  {first.id, 0, 1, true},
        {first.id, 1, 2, false},  {second.id, 0, 1, false},
    };
    const uint64_t expected[] = {2, 5, 3, 1, 4, 6, 0, 7};
    enum { N = 8 };
    test_begin(store);
    for (uint64_t i = 0; i < N; i++) {
        struct sl_store_answer answer =
            test_answer(sent[i].session, i, sent[i].trial, i % 2 ? "odd" : "even");
        answer.practice = sent[i].practice;
        answer.repeat = i == 4;
        assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
        assert_int_equal(answer.revision, sent[i].revision);
    }
    test_commit(store);
    struct seen_answers seen = {0};
    assert_ok(sl_store_each_answer(store, see_answer, &seen, &err), err);
    assert_int_equal(seen.count, N);
    for (size_t i = 0; i < N; i++) {
        uint64_t from = expected[i];
        assert_int_equal(seen.rows[i].client, from);
        assert_int_equal(seen.rows[i].session, sent[from].session);
        assert_int_equal(seen.rows[i].trial, sent[from].trial);
        assert_int_equal(seen.rows[i].revision, sent[from].revision);
        assert_int_equal(seen.rows[i].practice, sent[from].practice);
        assert_int_equal(seen.rows[i].repeat, from == 4);
        assert_int_equal(seen.rows[i].received, test_noon + (int64_t)from);
        assert_int_equal(seen.rows[i].elapsed, 1234);
        assert_string_equal(seen.rows[i].body, from % 2 ? "odd" : "even");
        assert_string_equal(seen.rows[i].item, sent[from].trial % 2 ? "i1" : "i0");
    }
}

static void test_unknown_sessions_and_items_are_not_found(void **state)
{
    (void)state;
    struct sl_store_session session = arrive(1);
    struct sl_store_answer stranger = test_answer(session.id + 1, 1, 0, "{}");
    struct sl_store_answer nowhere = test_answer(session.id, 2, 0, "{}");
    struct sl_store_answer good = test_answer(session.id, 3, 0, "{}");
    struct sl_store_answer far = test_answer(session.id, 4, SIZE_MAX, "{}");
    enum sl_put_outcome outcome = SL_PUT_CONFLICT;
    nowhere.item = "i99";
    test_begin(store);
    assert_fails(sl_store_put_answer(store, &stranger, &outcome, &err), SL_ERR_NOT_FOUND, err,
                 "no session");
    assert_fails(sl_store_put_answer(store, &nowhere, &outcome, &err), SL_ERR_NOT_FOUND, err,
                 "i99");
    assert_fails(sl_store_put_answer(store, &far, &outcome, &err), SL_ERR_INPUT, err, "too large");
    assert_fails(sl_store_put_event(store, -1, 0, "k", "b", &err), SL_ERR_NOT_FOUND, err,
                 "no session -1");
    assert_int_equal(outcome, SL_PUT_CONFLICT);
    assert_int_equal(stranger.revision, 99);
    /* The refused call does not harm the transaction. */
    assert_int_equal(test_put(store, &good), SL_PUT_STORED);
    test_commit(store);
    assert_int_equal(test_count_answers(store), 1);
}

struct wanted_body {
    const char *body;
    size_t count;
};

static enum sl_status compare_body(const struct sl_store_row *row, void *context)
{
    struct wanted_body *wanted = context;
    if (!row->session) return SL_OK; /* the purges before */
    assert_string_equal(row->answer ? row->answer->body : row->body, wanted->body);
    wanted->count++;
    return SL_OK;
}

static void assert_kept(struct sl_store_session *session, uint64_t number, const char *body)
{
    struct sl_store_answer answer = test_answer(session->id, number, 0, body);
    struct sl_store_purged gone = {0};
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    assert_int_equal(test_put(store, &answer), SL_PUT_REPLAYED);
    assert_ok(sl_store_put_event(store, session->id, 1, body, body, &err), err);
    test_commit(store);
    struct wanted_body wanted = {.body = body};
    assert_ok(sl_store_each_answer(store, compare_body, &wanted, &err), err);
    assert_ok(sl_store_each_event(store, compare_body, &wanted, &err), err);
    assert_int_equal(wanted.count, 2);
    assert_ok(sl_store_purge(store, session->person, INT64_MAX, 1, &gone, &err), err);
    assert_int_equal(gone.sessions, 1);
}

static void test_odd_texts_come_back_byte_by_byte(void **state)
{
    (void)state;
    const char *const bodies[] = {
        "",
        "'); DELETE FROM answers; --",
        "{\"raw\": \"8p\", \"a\": \"\\u0000\"}",
        "\xf0\x9f\x90\xa6 \xe2\x80\xae\xe2\x80\xac \xc3\xa9 e\xcc\x81",
        "\xff\xfe\x80 no UTF-8",
        "\n\r\t\x01\x1f\x7f",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct sl_store_session session = arrive(i);
        assert_kept(&session, i, bodies[i]);
    }
}

static void test_a_megabyte_is_kept_and_one_byte_more_is_refused(void **state)
{
    (void)state;
    char *body = sl_alloc((size_t)SL_STORE_TEXT_BYTES + 2, 1);
    memset(body, 'x', SL_STORE_TEXT_BYTES);
    struct sl_store_session session = arrive(1);
    assert_kept(&session, 1, body);
    body[SL_STORE_TEXT_BYTES] = 'y';
    session = arrive(2);
    struct sl_store_answer answer = test_answer(session.id, 2, 0, body);
    const struct sl_store_item item = {.id = "long", .content = body};
    enum sl_put_outcome outcome;
    const char *why = "longer than 1048576 bytes";
    test_begin(store);
    assert_fails(sl_store_put_answer(store, &answer, &outcome, &err), SL_ERR_INPUT, err, why);
    assert_fails(sl_store_put_event(store, session.id, 0, "k", body, &err), SL_ERR_INPUT, err, why);
    assert_fails(sl_store_put_event(store, session.id, 0, body, "b", &err), SL_ERR_INPUT, err, why);
    assert_fails(sl_store_put_text(store, "k", body, &err), SL_ERR_INPUT, err, why);
    assert_fails(sl_store_put_text(store, body, "v", &err), SL_ERR_INPUT, err, why);
    assert_fails(sl_store_add_item(store, &item, &err), SL_ERR_INPUT, err, why);
    answer.body = "{}";
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    test_commit(store);
    assert_int_equal(test_count_answers(store), 1);
    assert_int_equal(test_count_events(store), 1); /* the purge */
    free(body);
}

struct seen_events {
    size_t count;
    char lines[8][64];
};

static enum sl_status see_event(const struct sl_store_row *row, void *context)
{
    struct seen_events *seen = context;
    assert_null(row->answer);
    char who[8] = "study";
    if (row->session) snprintf(who, sizeof who, "%d", (int)row->session->person[0]);
    snprintf(seen->lines[seen->count], sizeof seen->lines[0], "%s %d %s %s", who, (int)row->at,
             row->kind, row->body);
    seen->count++;
    return SL_OK;
}

static void test_events_are_walked_in_the_order_written(void **state)
{
    (void)state;
    struct sl_store_session first = arrive(1), second = arrive(2);
    test_begin(store);
    assert_ok(sl_store_put_event(store, second.id, 30, "blur", "{}", &err), err);
    assert_ok(sl_store_put_event(store, first.id, 20, "focus", "", &err), err);
    assert_ok(sl_store_put_event(store, second.id, -10, "blur", "{}", &err), err);
    test_commit(store);
    struct seen_events seen = {0};
    assert_ok(sl_store_each_event(store, see_event, &seen, &err), err);
    assert_int_equal(seen.count, 3);
    assert_string_equal(seen.lines[0], "2 30 blur {}");
    assert_string_equal(seen.lines[1], "1 20 focus ");
    assert_string_equal(seen.lines[2], "2 -10 blur {}");
    /* Of one session. */
    seen = (struct seen_events){0};
    assert_ok(sl_store_each_event_of(store, second.id, see_event, &seen, &err), err);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.lines[0], "2 30 blur {}");
    assert_string_equal(seen.lines[1], "2 -10 blur {}");
    assert_ok(sl_store_each_event_of(store, second.id + 1, see_event, &seen, &err), err);
    assert_ok(sl_store_each_event_of(store, 0, see_event, &seen, &err), err);
    assert_int_equal(seen.count, 2);
}

struct seen_sessions {
    size_t count;
    int64_t ids[8];
};

static enum sl_status see_session(const struct sl_store_row *row, void *context)
{
    struct seen_sessions *seen = context;
    assert_null(row->answer);
    assert_string_equal(row->parameters, "{\"a\": 1}");
    seen->ids[seen->count++] = row->session->id;
    return SL_OK;
}

static void test_sessions_are_walked_in_the_order_they_came(void **state)
{
    (void)state;
    int64_t ids[4];
    for (uint64_t i = 0; i < 4; i++)
        ids[i] = arrive(9 - i).id;
    struct seen_sessions seen = {0};
    assert_ok(sl_store_each_session(store, see_session, &seen, &err), err);
    assert_int_equal(seen.count, 4);
    assert_memory_equal(seen.ids, ids, sizeof ids);
}

static void test_everything_is_there_after_opening_again(void **state)
{
    (void)state;
    struct sl_store_session session = arrive(1), found;
    assert_int_equal(test_put_alone(store, session.id, 1, 0, "{}"), SL_PUT_STORED);
    test_begin(store);
    assert_ok(sl_store_put_text(store, "key", "value", &err), err);
    assert_ok(sl_store_put_event(store, session.id, 1, "k", "b", &err), err);
    test_commit(store);
    reopen();
    assert_int_equal(test_count_answers(store), 1);
    assert_int_equal(test_count_events(store), 1);
    assert_int_equal(test_filling_of(store).live, 1);
    assert_ok(sl_store_find_session(store, session.token_hash, &found, &err), err);
    assert_int_equal(found.id, session.id);
}

static void test_purge_removes_one_person_and_nobody_else(void **state)
{
    (void)state;
    struct sl_store_session first = arrive(1), other = arrive(2), second;
    test_finish(store, &first);
    second = test_arrived(store, &(struct test_arrival){.person = 1, .token = 3});
    const int64_t ids[] = {first.id, second.id, other.id};
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(test_put_alone(store, ids[i], i, 0, "{}"), SL_PUT_STORED);
        test_begin(store);
        assert_ok(sl_store_put_event(store, ids[i], 0, "k", "b", &err), err);
        test_commit(store);
    }
    struct sl_store_purged gone = {0};
    assert_ok(sl_store_purge(store, first.person, INT64_MAX, 70, &gone, &err), err);
    assert_int_equal(gone.sessions, 2);
    assert_int_equal(gone.answers, 2);
    assert_int_equal(gone.events, 2);
    assert_int_equal(test_count_sessions(store), 1);
    assert_int_equal(test_count_answers(store), 1);
    /* The other person's events and the event of the purge itself remain. */
    struct seen_events seen = {0};
    assert_ok(sl_store_each_event(store, see_event, &seen, &err), err);
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.lines[0], "2 0 k b");
    assert_string_equal(seen.lines[1], "study 70 purge {\"sessions\":2}");
    struct test_filling now = test_filling_of(store);
    assert_int_equal(now.finished, 0);
    assert_int_equal(now.live, 1);
    struct sl_store_session found;
    assert_fails(sl_store_find_session(store, second.token_hash, &found, &err), SL_ERR_NOT_FOUND,
                 err, "no such");
    assert_ok(sl_store_find_session(store, other.token_hash, &found, &err), err);
    assert_ok(sl_store_purge(store, first.person, INT64_MAX, 71, &gone, &err), err);
    assert_int_equal(gone.sessions, 0);
    assert_int_equal(test_count_events(store), 2);
    /* After a purge the same person is new, and no session number is reused. */
    struct sl_store_session again = arrive(1);
    assert_false(again.second_run);
    assert_true(again.id > other.id && again.id > second.id);
}

static enum sl_status note_id(const struct sl_store_row *row, void *context)
{
    *(int64_t *)context = row->answer->id;
    return SL_OK;
}

static int64_t last_answer(void)
{
    int64_t id = 0;
    assert_ok(sl_store_each_answer_after(store, 0, note_id, &id, &err), err);
    return id;
}

/* What was made from answers up to an id would otherwise seem to know the new one. */
static void test_ids_of_purged_answers_are_not_given_again(void **state)
{
    (void)state;
    const struct sl_store_session first = arrive(1), other = arrive(2);
    struct sl_store_purged gone = {0};
    assert_int_equal(test_put_alone(store, other.id, 0, 0, "{}"), SL_PUT_STORED);
    for (uint64_t i = 0; i < 2; i++) {
        const struct sl_store_session session = i == 0 ? first : arrive(1);
        assert_int_equal(test_put_alone(store, session.id, 1 + i, 0, "{}"), SL_PUT_STORED);
        const int64_t purged = last_answer();
        assert_ok(sl_store_purge(store, session.person, INT64_MAX, 70, &gone, &err), err);
        /* A purge that removes no answer keeps what the first has kept. */
        assert_ok(sl_store_purge(store, arrive(3).person, INT64_MAX, 71, &gone, &err), err);
        assert_true(last_answer() < purged);
        assert_int_equal(test_put_alone(store, other.id, 10 + i, 1 + i, "{}"), SL_PUT_STORED);
        assert_true(last_answer() > purged);
    }
}

int store_conformance_answers(const struct store_under_test *under_test)
{
    backend = under_test;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_answer_sent_again_is_stored_once, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_looking_says_what_putting_would_and_writes_nothing,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_the_same_id_with_anything_else_is_a_conflict,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_revisions_are_numbered_and_walked_in_order, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_unknown_sessions_and_items_are_not_found, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_odd_texts_come_back_byte_by_byte, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_a_megabyte_is_kept_and_one_byte_more_is_refused,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_events_are_walked_in_the_order_written, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_sessions_are_walked_in_the_order_they_came, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_everything_is_there_after_opening_again, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_ids_of_purged_answers_are_not_given_again, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_purge_removes_one_person_and_nobody_else, open_fresh,
                                        close_it),
    };
    return cmocka_run_group_tests_name(under_test->name, tests, NULL, NULL);
}
