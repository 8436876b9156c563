/* Sessions on batches of their own, with items that a chooser names. */
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
    test_add_batches(store, 3, 2); /* i0 to i5 */
    return 0;
}

static int close_it(void **state)
{
    (void)state;
    sl_store_close(store);
    store = NULL;
    return 0;
}

/* Chooses the first two items that the person has not seen. */
struct chooser {
    const char *items[2];
    size_t calls, n_seen;
    enum sl_status fails;
    bool unknown; /* names an item that does not exist */
};

static enum sl_status choose(void *context, const char *const *seen, size_t n_seen,
                             struct sl_store_choice *out, struct sl_error *wrong)
{
    static const char *const all[] = {"i0", "i1", "i2", "i3", "i4", "i5"};
    struct chooser *chooser = context;
    size_t count = 0;
    chooser->calls++;
    chooser->n_seen = n_seen;
    if (chooser->fails != SL_OK) return sl_fail(wrong, chooser->fails, "nothing to ask");
    for (size_t i = 0; i < 6 && count < 2; i++) {
        bool known = false;
        for (size_t s = 0; s < n_seen; s++)
            known = known || strcmp(seen[s], all[i]) == 0;
        if (!known) chooser->items[count++] = all[i];
    }
    if (chooser->unknown) chooser->items[0] = "nothing";
    *out = (struct sl_store_choice){.items = chooser->items,
                                    .n_items = count,
                                    .study_kind = "board",
                                    .study_body = "{\"board\": 1}",
                                    .kind = "decision",
                                    .body = "{\"turn\": 1}"};
    return SL_OK;
}

static enum sl_status arrive(struct chooser *chooser, const struct test_arrival *who,
                             struct sl_store_session *out, bool *returning)
{
    uint8_t person[SL_STORE_PERSON_BYTES], token[SL_STORE_TOKEN_BYTES];
    const struct sl_store_chooser how = {choose, chooser};
    test_bytes(person, sizeof person, who->person, 'p');
    test_bytes(token, sizeof token, who->token, 't');
    const struct sl_store_arrival arrival = {.person = person,
                                             .token_hash = token,
                                             .screen = "hard",
                                             .parameters = "{}",
                                             .now = who->now ? who->now : test_noon,
                                             .lease_ms = LEASE,
                                             .test = who->test,
                                             .chooser = &how};
    return sl_store_arrive(store, &arrival, out, returning, &err);
}

static void assert_items(const struct sl_store_session *session, const char *a, const char *b)
{
    char **items = NULL;
    size_t count = 0;
    assert_ok(sl_store_batch_items(store, session->batch, &items, &count, &err), err);
    assert_int_equal(count, 2);
    assert_string_equal(items[0], a);
    assert_string_equal(items[1], b);
    sl_strings_destroy(items, count);
}

struct events {
    int64_t session;
    size_t boards, decisions;
};

static enum sl_status count_event(const struct sl_store_row *row, void *context)
{
    struct events *events = context;
    events->boards += !row->session && strcmp(row->kind, "board") == 0;
    events->decisions += row->session && strcmp(row->kind, "decision") == 0;
    if (row->session) events->session = row->session->id;
    return SL_OK;
}

static struct events count_events(void)
{
    struct events events = {0};
    assert_ok(sl_store_each_event(store, count_event, &events, &err), err);
    return events;
}

static void test_a_chosen_session_has_its_own_batch_and_its_record(void **state)
{
    (void)state;
    struct chooser chooser = {.calls = 0};
    struct sl_store_session session, again;
    bool returning = true;
    assert_ok(
        arrive(&chooser, &(struct test_arrival){.person = 1, .token = 1}, &session, &returning),
        err);
    assert_false(returning);
    assert_int_equal(session.batch, 3);
    assert_items(&session, "i0", "i1");
    const struct events events = count_events();
    assert_int_equal(events.boards, 1);
    assert_int_equal(events.decisions, 1);
    assert_int_equal(events.session, session.id);
    /* Who has a place keeps it, and nothing is chosen. */
    assert_ok(arrive(&chooser, &(struct test_arrival){.person = 1, .token = 2}, &again, &returning),
              err);
    assert_true(returning);
    assert_int_equal(again.id, session.id);
    assert_int_equal(chooser.calls, 1);
}

static enum sl_status count_batch(const struct sl_store_batch_row *row, void *context)
{
    assert_true(row->target > 0);
    assert_int_equal(row->live, 0);
    ++*(size_t *)context;
    return SL_OK;
}

static void test_own_batches_are_for_nobody_else(void **state)
{
    (void)state;
    struct chooser chooser = {.calls = 0};
    struct sl_store_session session;
    bool returning;
    size_t count = 0;
    assert_ok(
        arrive(&chooser, &(struct test_arrival){.person = 1, .token = 1}, &session, &returning),
        err);
    test_begin(store);
    assert_ok(sl_store_set_target(store, 9, &err), err);
    test_commit(store);
    assert_ok(sl_store_each_batch(store, count_batch, &count, &err), err);
    assert_int_equal(count, 3);
    for (uint64_t i = 2; i < 8; i++) {
        const struct test_arrival who = {.person = i, .token = i, .tie = i, .test = i % 2};
        assert_true(test_arrived(store, &who).batch < 3);
    }
}

static void test_items_that_were_shown_are_seen(void **state)
{
    (void)state;
    struct chooser chooser = {.calls = 0};
    struct sl_store_session session;
    bool returning;
    const int64_t later = test_noon + LEASE + MINUTE;
    assert_ok(
        arrive(&chooser, &(struct test_arrival){.person = 1, .token = 1}, &session, &returning),
        err);
    /* The lease ran out before the first trial: nothing was shown. */
    assert_ok(arrive(&chooser, &(struct test_arrival){.person = 1, .token = 2, .now = later},
                     &session, &returning),
              err);
    assert_false(returning);
    assert_int_equal(chooser.n_seen, 0);
    assert_items(&session, "i0", "i1");
    snprintf(session.place, sizeof session.place, "trials");
    test_save(store, &session);
    assert_ok(arrive(&chooser,
                     &(struct test_arrival){.person = 1, .token = 3, .now = later + LEASE + MINUTE},
                     &session, &returning),
              err);
    assert_int_equal(chooser.n_seen, 2);
    assert_items(&session, "i2", "i3");
    /* Tests and other people have seen nothing. */
    assert_ok(arrive(&chooser, &(struct test_arrival){.person = 1, .token = 4, .test = true},
                     &session, &returning),
              err);
    assert_int_equal(chooser.n_seen, 0);
}

static void test_a_choice_that_fails_leaves_nothing(void **state)
{
    (void)state;
    struct chooser chooser = {.fails = SL_ERR_NOT_FOUND};
    struct sl_store_session session = {.id = 42};
    bool returning = false;
    const struct test_arrival who = {.person = 1, .token = 1};
    assert_fails(arrive(&chooser, &who, &session, &returning), SL_ERR_NOT_FOUND, err, "nothing");
    chooser = (struct chooser){.unknown = true};
    assert_fails(arrive(&chooser, &who, &session, &returning), SL_ERR_NOT_FOUND, err, "nothing");
    assert_int_equal(session.id, 42);
    assert_int_equal(test_count_sessions(store), 0);
    assert_int_equal(count_events().boards, 0);
    chooser = (struct chooser){.calls = 0};
    assert_ok(arrive(&chooser, &who, &session, &returning), err);
    assert_int_equal(session.batch, 3);
}

struct ids {
    int64_t last;
    size_t count;
};

static enum sl_status take_id(const struct sl_store_row *row, void *context)
{
    struct ids *ids = context;
    assert_true(row->answer->id > ids->last);
    ids->last = row->answer->id;
    ids->count++;
    return SL_OK;
}

static void test_answers_are_read_on_from_an_id(void **state)
{
    (void)state;
    struct ids all = {0}, rest = {0};
    size_t stored = 0;
    const struct sl_store_session a =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    const struct sl_store_session b =
        test_arrived(store, &(struct test_arrival){.person = 2, .token = 2});
    for (uint64_t i = 0; i < 6; i++)
        test_put_alone(store, i % 2 ? a.id : b.id, i, i / 2, "{}");
    assert_ok(sl_store_each_answer_after(store, 0, take_id, &all, &err), err);
    assert_int_equal(all.count, 6);
    rest.last = all.last - 2;
    assert_ok(sl_store_each_answer_after(store, all.last - 2, take_id, &rest, &err), err);
    assert_int_equal(rest.count, 2);
    assert_ok(sl_store_count_answers(store, &stored, &err), err);
    assert_int_equal(stored, 6);
}

int store_conformance_choosing(const struct store_under_test *under_test)
{
    backend = under_test;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_chosen_session_has_its_own_batch_and_its_record,
                                        open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_own_batches_are_for_nobody_else, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_items_that_were_shown_are_seen, open_fresh, close_it),
        cmocka_unit_test_setup_teardown(test_a_choice_that_fails_leaves_nothing, open_fresh,
                                        close_it),
        cmocka_unit_test_setup_teardown(test_answers_are_read_on_from_an_id, open_fresh, close_it),
    };
    return cmocka_run_group_tests_name(under_test->name, tests, NULL, NULL);
}
