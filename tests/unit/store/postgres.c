/* PostgreSQL under the conformance suite, and what only it does: connections, several writers. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "postgres_scene.h"
#include "store/postgres.h"
#include "store_conformance.h"

static void test_the_version_changes_with_every_commit_of_others(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh(), *other = open_again();
    int64_t before = 0, after = 0;
    for (int i = 0; i < 5; i++) {
        assert_ok(sl_store_version(store, &before, &err), err);
        assert_ok(sl_store_version(store, &after, &err), err);
        assert_true(before == after);
        test_begin(other);
        assert_ok(sl_store_put_text(other, "k", "v", &err), err);
        test_commit(other);
        assert_ok(sl_store_version(store, &after, &err), err);
        assert_true(before != after);
    }
    sl_store_close(other);
    sl_store_close(store);
}

static void test_a_long_name_is_a_name(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    char *name = sl_alloc((size_t)SL_STORE_TEXT_BYTES + 1, 1), *value = NULL;
    memset(name, 'n', SL_STORE_TEXT_BYTES);
    const struct sl_store_item item = {.id = name, .content = "c"};
    test_begin(store);
    assert_ok(sl_store_put_text(store, name, "v", &err), err);
    assert_ok(sl_store_add_item(store, &item, &err), err);
    assert_int_equal(sl_store_add_item(store, &item, &err), SL_ERR_INPUT);
    test_commit(store);
    assert_ok(sl_store_get_text(store, name, &value, &err), err);
    assert_string_equal(value, "v");
    free(value);
    free(name);
    sl_store_close(store);
}

/* ---- Copies ---- */

/* A store with every kind of row, and a gap where the last session was purged. */
static void fill(struct sl_store *store)
{
    const struct sl_store_item odd = {.id = "\xff odd", .content = "", .truth = "", .entropy = .1};
    test_add_batches(store, 2, 5);
    test_begin(store);
    assert_ok(sl_store_add_item(store, &odd, &err), err);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    assert_ok(sl_store_put_event(store, 0, -1, "note", "of the study", &err), err);
    test_commit(store);
    for (uint64_t i = 0; i < 4; i++) {
        struct sl_store_session session =
            test_arrived(store, &(struct test_arrival){.person = i, .token = i});
        assert_int_equal(test_put_alone(store, session.id, i, 0, "{}"), SL_PUT_STORED);
        test_begin(store);
        assert_ok(sl_store_put_event(store, session.id, 5, "k", "\xfe", &err), err);
        test_commit(store);
        struct sl_store_purged gone;
        if (i == 3)
            assert_ok(sl_store_purge(store, session.person, INT64_MAX, 1, &gone, &err), err);
    }
}

static enum sl_status print_row(const struct sl_store_row *row, void *context)
{
    FILE *out = context;
    const struct sl_store_session *session = row->session;
    if (session)
        fprintf(out, "%d %d %d %d %s %s %s ", (int)session->id, (int)session->batch,
                (int)session->token_hash[0], (int)session->person[0], session->screen,
                session->place, session->consent);
    if (row->answer)
        fprintf(out, "%d %d %s %s", (int)row->answer->client_id[0], (int)row->answer->revision,
                row->answer->item, row->answer->body);
    fprintf(out, "%s %d %s %s\n", row->parameters ? row->parameters : "-", (int)row->at,
            row->kind ? row->kind : "-", row->body ? row->body : "-");
    return SL_OK;
}

static enum sl_status print_item(const struct sl_store_item *item, void *context)
{
    fprintf(context, "%s %s %s %a %d %s\n", item->id, item->content,
            item->truth ? item->truth : "-", item->entropy, item->check,
            item->hash ? item->hash : "-");
    return SL_OK;
}

/* Everything that a store holds, as text; owned by the caller. */
static char *print_store(struct sl_store *store)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_ok(sl_store_each_item(store, print_item, out, &err), err);
    assert_ok(sl_store_each_session(store, print_row, out, &err), err);
    assert_ok(sl_store_each_answer(store, print_row, out, &err), err);
    assert_ok(sl_store_each_event(store, print_row, out, &err), err);
    fclose(out);
    return text;
}

static struct sl_store *open_file(const char *name)
{
    const struct sl_store_options options = {.create = true};
    struct sl_store *store = NULL;
    assert_ok(sl_store_open(test_path(name), &options, &store, &err), err);
    return store;
}

static enum sl_status note_id(const struct sl_store_row *row, void *context)
{
    *(int64_t *)context = row->answer->id;
    return SL_OK;
}

static void test_a_store_survives_the_way_there_and_back(void **state)
{
    (void)state;
    struct sl_store *stores[] = {open_file("from.db"), open_fresh(), open_file("to.db")};
    fill(stores[0]);
    char *before = print_store(stores[0]);
    for (size_t i = 1; i < 3; i++) {
        assert_ok(sl_store_copy(stores[i - 1], stores[i], &err), err);
        char *after = print_store(stores[i]);
        assert_string_equal(after, before);
        free(after);
        assert_fails(sl_store_copy(stores[i - 1], stores[i], &err), SL_ERR_INPUT, err,
                     "holds a study already");
    }
    /* The numbers of the purged session and its answer, 4, are not given again. */
    for (size_t i = 0; i < 3; i++) {
        const struct test_arrival who = {.person = 9, .token = 9};
        int64_t answer = 0;
        assert_int_equal(test_arrived(stores[i], &who).id, 5);
        assert_int_equal(test_put_alone(stores[i], 5, 9, 0, "{}"), SL_PUT_STORED);
        assert_ok(sl_store_each_answer_after(stores[i], 3, note_id, &answer, &err), err);
        assert_int_equal(answer, 5);
        sl_store_close(stores[i]);
    }
    free(before);
}

/* A dump of every released layout opens, and holds what its softlab wrote: the rows of `fill`. A
 * new layout adds a dump, made with pg_dump --inserts --no-owner. */
static void test_released_layouts_can_be_read(void **state)
{
    (void)state;
    struct sl_store *file = open_file("released.db");
    fill(file);
    char *expected = print_store(file);
    sl_store_close(file);
    for (int layout = 1; layout <= (int)sl_postgres_n_migrations; layout++) {
        char path[512];
        snprintf(path, sizeof path, GOLDEN_FOLDER "/store-postgresql-%d.sql", layout);
        clear();
        assert_true(postgres_process_file(&server, path));
        struct sl_store *store = open_again();
        char *found = print_store(store);
        assert_string_equal(found, expected);
        free(found);
        sl_store_close(store);
    }
    free(expected);
}

static void test_a_backup_is_a_file_and_of_one_moment(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh(), *copy = NULL;
    fill(store);
    char *before = print_store(store);
    assert_ok(sl_store_backup(store, test_path("backup.db"), &err), err);
    assert_ok(sl_store_open(test_path("backup.db"), NULL, &copy, &err), err);
    char *after = print_store(copy);
    assert_string_equal(after, before);
    free(after);
    free(before);
    sl_store_close(copy);
    sl_store_close(store);
}

static void test_a_study_in_use_cannot_be_claimed_alone(void **state)
{
    (void)state;
    const struct sl_store_options alone = {.alone = true};
    struct sl_store *store = open_fresh(), *other = NULL;
    assert_fails(sl_store_open(server.url, &alone, &other, &err), SL_ERR_BACKEND, err, "in use");
    sl_store_close(store);
    assert_ok(sl_store_open(server.url, &alone, &other, &err), err);
    assert_fails(open_store(true, &store, &err), SL_ERR_BACKEND, err, "in use");
    sl_store_close(other);
}

static void *close_soon(void *store)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    sl_store_close(store);
    return NULL;
}

/* The database learns that a program has ended some milliseconds after its end. */
static void test_a_study_whose_last_user_ends_can_be_claimed(void **state)
{
    (void)state;
    const struct sl_store_options alone = {.alone = true};
    struct sl_store *store = open_fresh(), *other = NULL;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, close_soon, store), 0);
    assert_ok(sl_store_open(server.url, &alone, &other, &err), err);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, close_soon, other), 0);
    assert_ok(open_store(true, &store, &err), err);
    assert_int_equal(pthread_join(thread, NULL), 0);
    sl_store_close(store);
}

/* ---- Several writers ---- */

static void begin_now(struct sl_store *store)
{
    assert_ok(sl_store_begin_now(store, &err), err);
}

static void test_a_session_belongs_to_one_writer_at_a_time(void **state)
{
    (void)state;
    struct sl_store *first = open_fresh(), *second = open_again();
    test_add_batches(first, 1, 5);
    struct sl_store_session session =
        test_arrived(first, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_session other =
        test_arrived(first, &(struct test_arrival){.person = 2, .token = 2});
    struct sl_store_session found;
    struct sl_store_answer answer = test_answer(session.id, 1, 0, "{}");
    struct sl_store_answer late = test_answer(session.id, 2, 0, "{}");
    enum sl_put_outcome outcome = SL_PUT_CONFLICT;
    begin_now(first);
    begin_now(second);
    assert_ok(sl_store_find_session(first, session.token_hash, &found, &err), err);
    assert_int_equal(test_put(first, &answer), SL_PUT_STORED);
    /* The second writer is told so at once, and its transaction goes on. */
    assert_fails(sl_store_find_session(second, session.token_hash, &found, &err), SL_ERR_BUSY, err,
                 "another server");
    assert_fails(sl_store_put_answer(second, &late, &outcome, &err), SL_ERR_BUSY, err,
                 "another server");
    assert_ok(sl_store_find_session(second, other.token_hash, &found, &err), err);
    test_commit(first);
    assert_ok(sl_store_find_session(second, session.token_hash, &found, &err), err);
    assert_int_equal(test_put(second, &answer), SL_PUT_REPLAYED);
    assert_int_equal(test_put(second, &late), SL_PUT_STORED);
    assert_int_equal(late.revision, 1);
    test_commit(second);
    assert_int_equal(test_count_answers(first), 2);
    sl_store_close(second);
    sl_store_close(first);
}

static void test_a_session_that_is_expected_belongs_to_one_writer(void **state)
{
    (void)state;
    struct sl_store *first = open_fresh(), *second = open_again();
    test_add_batches(first, 1, 5);
    struct sl_store_session sessions[2], found;
    uint8_t hashes[2 * SL_STORE_TOKEN_BYTES];
    for (size_t i = 0; i < 2; i++) {
        sessions[i] = test_arrived(first, &(struct test_arrival){.person = i + 1, .token = i + 1});
        memcpy(hashes + i * SL_STORE_TOKEN_BYTES, sessions[i].token_hash, SL_STORE_TOKEN_BYTES);
    }
    assert_true(sl_store_expects(first));
    begin_now(second);
    assert_ok(sl_store_find_session(second, sessions[1].token_hash, &found, &err), err);
    /* What the other server has is passed over, and asked for again when its request comes. */
    begin_now(first);
    assert_ok(sl_store_expect_sessions(first, hashes, 2, &err), err);
    assert_ok(sl_store_find_session(first, sessions[0].token_hash, &found, &err), err);
    assert_fails(sl_store_find_session(first, sessions[1].token_hash, &found, &err), SL_ERR_BUSY,
                 err, "another server");
    assert_fails(sl_store_find_session(second, sessions[0].token_hash, &found, &err), SL_ERR_BUSY,
                 err, "another server");
    test_commit(second);
    assert_ok(sl_store_find_session(first, sessions[1].token_hash, &found, &err), err);
    test_commit(first);
    sl_store_close(second);
    sl_store_close(first);
}

static void test_a_lease_that_is_in_use_elsewhere_does_not_run_out(void **state)
{
    (void)state;
    struct sl_store *first = open_fresh(), *second = open_again();
    test_add_batches(first, 1, 5);
    struct sl_store_session session =
        test_arrived(first, &(struct test_arrival){.person = 1, .token = 1});
    size_t freed = 77;
    begin_now(first);
    assert_ok(sl_store_find_session(first, session.token_hash, &session, &err), err);
    begin_now(second);
    assert_ok(sl_store_expire(second, INT64_MAX, &freed, &err), err);
    assert_int_equal(freed, 0);
    test_commit(second);
    test_commit(first);
    sl_store_close(second);
    sl_store_close(first);
}

/* Processes that arrive as fast as they can. */
static void arrive_often(uint64_t first, uint64_t count)
{
    struct sl_store *store = open_again();
    for (uint64_t i = first; i < first + count; i++) {
        struct sl_store_session session;
        bool returning;
        enum sl_status status =
            test_arrive(store, &(struct test_arrival){.person = i, .token = i, .tie = i * 7919},
                        &session, &returning, &err);
        if (status != SL_OK && status != SL_ERR_NOT_FOUND) _exit(1);
    }
    sl_store_close(store);
}

static void test_arrivals_at_several_servers_never_exceed_a_target(void **state)
{
    (void)state;
    enum { SERVERS = 4, BATCHES = 5, TARGET = 12, EACH = 25 };
    struct sl_store *store = open_fresh();
    pid_t children[SERVERS];
    test_add_batches(store, BATCHES, TARGET);
    for (uint64_t i = 0; i < SERVERS; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        arrive_often(1000 * i, EACH);
        _exit(0);
    }
    for (size_t i = 0; i < SERVERS; i++) {
        int how = 0;
        assert_int_equal(waitpid(children[i], &how, 0), children[i]);
        assert_int_equal(how, 0);
    }
    struct test_filling now = test_filling_of(store);
    assert_int_equal(now.live, BATCHES * TARGET);
    assert_int_equal(now.least, TARGET);
    assert_int_equal(now.most, TARGET);
    sl_store_close(store);
}

/* ---- Lost connections ---- */

static void end_connections(void)
{
    run_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'softlab' AND pid <> pg_backend_pid()");
}

static void test_a_lost_connection_undoes_a_transaction_and_no_more(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    char *value = NULL;
    test_begin(store);
    assert_ok(sl_store_put_text(store, "first", "kept", &err), err);
    test_commit(store);
    test_begin(store);
    assert_ok(sl_store_put_text(store, "second", "lost", &err), err);
    end_connections();
    assert_int_not_equal(sl_store_put_text(store, "third", "lost", &err), SL_OK);
    assert_int_not_equal(sl_store_commit(store, &err), SL_OK);
    assert_false(sl_store_in_transaction(store));
    /* The next transaction and the next question connect again. */
    test_begin(store);
    assert_ok(sl_store_put_text(store, "fourth", "kept", &err), err);
    test_commit(store);
    end_connections();
    assert_ok(sl_store_get_text(store, "fourth", &value, &err), err);
    assert_string_equal(value, "kept");
    free(value);
    assert_fails(sl_store_get_text(store, "second", &value, &err), SL_ERR_NOT_FOUND, err, "second");
    assert_fails(sl_store_get_text(store, "third", &value, &err), SL_ERR_NOT_FOUND, err, "third");
    sl_store_close(store);
}

static void test_a_commit_whose_end_nobody_saw_counts_as_failed(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_answer answer = test_answer(session.id, 1, 0, "{}");
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    end_connections();
    assert_int_not_equal(sl_store_commit(store, &err), SL_OK);
    /* The page sends the answer again; whatever happened, it is there once. */
    test_begin(store);
    assert_int_not_equal(test_put(store, &answer), SL_PUT_CONFLICT);
    test_commit(store);
    assert_int_equal(test_count_answers(store), 1);
    sl_store_close(store);
}

/* ---- Saves whose results are read later ---- */

/* In a transaction that has locked the session, as a server does. */
static void save_trial(struct sl_store *store, const uint8_t *token_hash, size_t trial)
{
    struct sl_store_session session;
    assert_ok(sl_store_find_session(store, token_hash, &session, &err), err);
    session.trial = trial;
    assert_ok(sl_store_save_session(store, &session, &err), err);
}

static size_t stored_trial(struct sl_store *store, const uint8_t *token_hash)
{
    struct sl_store_session session;
    assert_ok(sl_store_find_session(store, token_hash, &session, &err), err);
    return session.trial;
}

static void test_a_save_that_is_refused_fails_the_commit_or_what_comes_next(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    test_add_batches(store, 1, 5);
    const struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    struct sl_store_answer answer = test_answer(session.id, 1, 0, "{}");
    run_sql("ALTER TABLE sessions ADD CHECK (trial < 3)");
    test_begin(store);
    save_trial(store, session.token_hash, 2);
    test_commit(store);
    assert_int_equal(stored_trial(store, session.token_hash), 2);
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    save_trial(store, session.token_hash, 3);
    assert_fails(sl_store_commit(store, &err), SL_ERR_INPUT, err, "refused the data");
    test_begin(store);
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    save_trial(store, session.token_hash, 3);
    assert_fails(sl_store_put_event(store, session.id, 1, "late", "{}", &err), SL_ERR_INPUT, err,
                 "refused the data");
    assert_int_not_equal(sl_store_commit(store, &err), SL_OK);
    assert_int_equal(test_count_answers(store), 0);
    assert_int_equal(stored_trial(store, session.token_hash), 2);
    sl_store_close(store);
}

static void test_saves_are_there_for_what_follows_them_in_a_transaction(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    struct sl_store_session sessions[3];
    test_add_batches(store, 1, 5);
    for (size_t i = 0; i < 3; i++)
        sessions[i] = test_arrived(store, &(struct test_arrival){.person = i + 1, .token = i + 1});
    test_begin(store);
    for (size_t i = 0; i < 6; i++) {
        const struct sl_store_session *session = &sessions[i % 3];
        assert_int_equal(stored_trial(store, session->token_hash), i < 3 ? 0 : i - 2);
        save_trial(store, session->token_hash, i + 1);
    }
    /* A walk is a cursor, which is declared by itself. */
    assert_int_equal(test_count_answers(store), 0);
    save_trial(store, sessions[0].token_hash, 9);
    sl_store_rollback(store);
    test_begin(store);
    save_trial(store, sessions[0].token_hash, 7);
    save_trial(store, sessions[1].token_hash, 8);
    end_connections();
    assert_int_not_equal(sl_store_commit(store, &err), SL_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(stored_trial(store, sessions[i].token_hash), 0);
    sl_store_close(store);
}

static void test_a_database_that_stops_is_busy_until_it_is_back(void **state)
{
    (void)state;
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *store = NULL;
    clear();
    options.create = true;
    assert_ok(sl_store_open(server.url, &options, &store, &err), err);
    test_add_batches(store, 1, 5);
    postgres_process_kill(&server);
    /* The process of this connection ends when it notices that the server has. */
    while (sl_store_begin_now(store, &err) == SL_OK)
        sl_store_rollback(store);
    for (int i = 0; i < 3; i++)
        assert_fails(sl_store_begin_now(store, &err), SL_ERR_BUSY, err, "is away");
    assert_true(postgres_process_start(&server));
    enum sl_status status = SL_ERR_BUSY;
    for (int i = 0; i < 1000 && status == SL_ERR_BUSY; i++) {
        status = sl_store_begin_now(store, &err);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_ok(status, err);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    test_commit(store);
    assert_int_equal(test_filling_of(store).n_batches, 1);
    sl_store_close(store);
}

int main(void)
{
    const struct store_under_test postgres = {"postgresql", clear, open_store};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_version_changes_with_every_commit_of_others),
        cmocka_unit_test(test_a_long_name_is_a_name),
        cmocka_unit_test(test_a_store_survives_the_way_there_and_back),
        cmocka_unit_test(test_released_layouts_can_be_read),
        cmocka_unit_test(test_a_backup_is_a_file_and_of_one_moment),
        cmocka_unit_test(test_a_study_in_use_cannot_be_claimed_alone),
        cmocka_unit_test(test_a_study_whose_last_user_ends_can_be_claimed),
        cmocka_unit_test(test_a_session_belongs_to_one_writer_at_a_time),
        cmocka_unit_test(test_a_session_that_is_expected_belongs_to_one_writer),
        cmocka_unit_test(test_a_lease_that_is_in_use_elsewhere_does_not_run_out),
        cmocka_unit_test(test_arrivals_at_several_servers_never_exceed_a_target),
        cmocka_unit_test(test_a_lost_connection_undoes_a_transaction_and_no_more),
        cmocka_unit_test(test_a_commit_whose_end_nobody_saw_counts_as_failed),
        cmocka_unit_test(test_a_save_that_is_refused_fails_the_commit_or_what_comes_next),
        cmocka_unit_test(test_saves_are_there_for_what_follows_them_in_a_transaction),
        cmocka_unit_test(test_a_database_that_stops_is_busy_until_it_is_back),
    };
    int missing = postgres_process_missing();
    if (missing) return missing;
    if (!postgres_process_make(&server)) return 1;
    int failed = store_conformance_content(&postgres);
    failed += store_conformance_sessions(&postgres);
    failed += store_conformance_choosing(&postgres);
    failed += store_conformance_answers(&postgres);
    failed += cmocka_run_group_tests(tests, NULL, remove_server);
    return failed;
}
