/* SQLite under the conformance suite, and what only it does: files, layouts, damage. */
#include <sqlite3.h>

#include "store/sqlite.h"
#include "store_conformance.h"
#include "store_support.h"

static struct sl_error err;

static const char *database(void)
{
    return test_path("study.db");
}

static void clear(void)
{
    static const char *const names[] = {"study.db", "study.db-wal", "study.db-shm",
                                        "study.db-lock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(test_path(names[i]));
}

/* tests/fault tests durability; here a sync per commit would only cost time. */
static enum sl_status open_store(bool read_only, struct sl_store **out, struct sl_error *error)
{
    struct sl_store_options options = sl_store_options_default();
    options.create = !read_only;
    options.read_only = read_only;
    options.durable = false;
    return sl_store_open(database(), &options, out, error);
}

static struct sl_store *open_fresh(void)
{
    struct sl_store *store = NULL;
    clear();
    assert_ok(open_store(false, &store, &err), err);
    return store;
}

static enum sl_status open_existing(const char *path, struct sl_store **out)
{
    return sl_store_open(path, NULL, out, &err);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static int64_t ask_sql(struct sl_store *store, const char *sql)
{
    int64_t number = -1;
    assert_ok(sl_sqlite_pragma(sl_sqlite_of(store), sql, &number, &err), err);
    return number;
}

static void test_the_connection_is_set_up_to_be_safe(void **state)
{
    (void)state;
    clear();
    struct sl_store_options options = sl_store_options_default();
    assert_true(options.durable);
    options.create = true;
    struct sl_store *store = NULL;
    assert_ok(sl_store_open(database(), &options, &store, &err), err);
    assert_int_equal(ask_sql(store, "PRAGMA synchronous"), 2);
    assert_int_equal(ask_sql(store, "PRAGMA foreign_keys"), 1);
    assert_int_equal(ask_sql(store, "PRAGMA secure_delete"), 1);
    assert_int_equal(ask_sql(store, "PRAGMA busy_timeout"), 5000);
    assert_int_equal(ask_sql(store, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1);
    assert_int_equal(ask_sql(store, "PRAGMA user_version"), (int64_t)sl_sqlite_n_migrations);
    assert_int_equal(ask_sql(store, "SELECT COUNT(*) FROM pragma_table_list WHERE type = 'table' "
                                    "AND NOT strict AND name NOT LIKE 'sqlite_%'"),
                     0);
    sl_store_close(store);
}

static void test_what_cannot_be_opened_is_refused_with_what_to_do(void **state)
{
    (void)state;
    static const char junk[5000] = "this is a letter, not a database";
    struct sl_store *store = (struct sl_store *)1;
    const char *remedy = "softlab study restore";
    const char *path = test_path("other.db");
    clear();
    assert_fails(open_existing(database(), &store), SL_ERR_NOT_FOUND, err, remedy);
    assert_false(sl_file_exists(database()));
    test_write(path, junk, sizeof junk);
    assert_fails(open_existing(path, &store), SL_ERR_INPUT, err, "not a study's database");
    assert_non_null(strstr(err.message, remedy));
    test_write(path, "", 0);
    assert_fails(open_existing(path, &store), SL_ERR_INPUT, err, "is empty: restore a backup");
    run_sql(path, "CREATE TABLE t(a)");
    assert_fails(open_existing(path, &store), SL_ERR_INPUT, err, "another program");
    assert_non_null(strstr(err.message, remedy));
    assert_fails(open_existing("/", &store), SL_ERR_INPUT, err, "is a folder");
    assert_fails(open_existing("", &store), SL_ERR_USAGE, err, "no name");
    assert_fails(open_existing(test_path("no/such/study.db"), &store), SL_ERR_NOT_FOUND, err,
                 remedy);
    struct sl_store_options options = {.create = true, .durable = true};
    assert_fails(sl_store_open(test_path("no/such/study.db"), &options, &store, &err), SL_ERR_IO,
                 err, "cannot be opened");
    options.read_only = true;
    assert_fails(sl_store_open(database(), &options, &store, &err), SL_ERR_USAGE, err,
                 "both created and read-only");
    assert_ptr_equal(store, (struct sl_store *)1);
    unlink(path);
}

static void test_a_newer_layout_is_refused(void **state)
{
    (void)state;
    sl_store_close(open_fresh());
    run_sql(database(), "PRAGMA user_version = 99");
    struct sl_store *store;
    assert_fails(open_existing(database(), &store), SL_ERR_INPUT, err, "newer softlab (layout 99");
    assert_non_null(strstr(err.message, "softlab study restore"));
}

static void damage(const char *path, uint64_t offset, size_t length)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)offset, SEEK_SET);
    for (size_t i = 0; i < length; i++)
        fputc(0x5a, file);
    fclose(file);
}

static void test_a_damaged_database_is_refused(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    test_add_batches(store, 200, 5);
    sl_store_close(store);
    struct stat info;
    assert_int_equal(stat(database(), &info), 0);
    size_t refused = 0, pages = (size_t)info.st_size / 4096;
    struct sl_buffer whole;
    sl_buffer_init(&whole, 1 << 24);
    assert_ok(sl_file_read(database(), &whole, &err), err);
    for (size_t page = 0; page < pages; page++) {
        test_write(database(), whole.data, whole.length);
        damage(database(), page * 4096, 64);
        if (open_existing(database(), &store) == SL_OK) {
            sl_store_close(store);
            continue;
        }
        refused++;
        assert_non_null(strstr(err.message, "softlab study restore"));
        assert_int_equal(err.code, SL_ERR_INPUT);
    }
    /* Every page of this one holds something. */
    assert_int_equal(refused, pages);
    sl_buffer_release(&whole);
}

static void test_migrations_happen_together_or_not_at_all(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    const struct sl_sqlite_migration rows[] = {
        sl_sqlite_migrations[0],
        sl_sqlite_migrations[1],
        {"ALTER TABLE texts ADD COLUMN extra TEXT; CREATE TABLE more(a INTEGER) STRICT;"},
        {"CREATE TABLE last(a INTEGER) STRICT; INSERT INTO nowhere VALUES(1);"},
    };
    assert_int_equal(sl_sqlite_n_migrations, 2);
    test_begin(store);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    test_commit(store);
    assert_fails(sl_sqlite_migrate(sl_sqlite_of(store), rows, 4, &err), SL_ERR_BACKEND, err,
                 "nowhere");
    assert_int_equal(ask_sql(store, "PRAGMA user_version"), 2);
    assert_int_equal(ask_sql(store, "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'more'"), 0);
    assert_ok(sl_sqlite_migrate(sl_sqlite_of(store), rows, 3, &err), err);
    assert_int_equal(ask_sql(store, "PRAGMA user_version"), 3);
    assert_int_equal(ask_sql(store, "SELECT COUNT(*) FROM more"), 0);
    assert_int_equal(ask_sql(store, "SELECT value = 'v' FROM texts"), 1);
    sl_store_close(store);
}

static void test_an_older_layout_is_not_changed_by_a_reader(void **state)
{
    (void)state;
    sl_store_close(open_fresh());
    struct sl_store *store = NULL;
    assert_ok(open_store(true, &store, &err), err);
    const struct sl_sqlite_migration rows[] = {
        sl_sqlite_migrations[0], sl_sqlite_migrations[1], {"SELECT 1"}};
    assert_fails(sl_sqlite_migrate(sl_sqlite_of(store), rows, 3, &err), SL_ERR_INPUT, err,
                 "older layout");
    sl_store_close(store);
}

static bool file_holds(const char *path, const char *text)
{
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 1 << 28);
    if (sl_file_exists(path)) assert_ok(sl_file_read(path, &bytes, &err), err);
    bool found = false;
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes.length && !found; i++)
        found = memcmp(bytes.data + i, text, length) == 0;
    sl_buffer_release(&bytes);
    return found;
}

/* Bodies of many lengths, people taking turns, so that pages are split and filled again. */
static void test_purged_bytes_are_gone_from_the_disk(void **state)
{
    (void)state;
    enum { PEOPLE = 30, ROUNDS = 40 };
    struct sl_store *store = open_fresh();
    test_add_batches(store, 1, PEOPLE);
    struct sl_store_session sessions[PEOPLE];
    char body[3000];
    for (uint64_t i = 0; i < PEOPLE; i++)
        sessions[i] = test_arrived(store, &(struct test_arrival){.person = i, .token = i});
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_begin(store);
        for (uint64_t i = 0; i < PEOPLE; i++) {
            int used = snprintf(body, sizeof body, "MARK-%02u-", (unsigned)i);
            size_t filler = (size_t)((round * 7919 + i * 104729) % (round % 2 ? 2500 : 90));
            memset(body + used, 'x', filler);
            body[(size_t)used + filler] = '\0';
            struct sl_store_answer answer =
                test_answer(sessions[i].id, round * PEOPLE + i, round, body);
            assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
            assert_ok(sl_store_put_event(store, sessions[i].id, 0, "note", body, &err), err);
        }
        test_commit(store);
    }
    for (uint64_t i = 0; i < PEOPLE; i += 2) {
        struct sl_store_purged gone;
        char mark[16];
        snprintf(mark, sizeof mark, "MARK-%02u-", (unsigned)i);
        assert_true(file_holds(database(), mark) || file_holds(test_path("study.db-wal"), mark));
        assert_ok(sl_store_purge(store, sessions[i].person, INT64_MAX, 1, &gone, &err), err);
        assert_false(gone.log_in_use);
        assert_int_equal(gone.answers, ROUNDS);
        assert_int_equal(gone.events, ROUNDS);
        assert_false(file_holds(database(), mark));
        assert_false(file_holds(test_path("study.db-wal"), mark));
    }
    assert_true(file_holds(database(), "MARK-01-"));
    assert_int_equal(test_count_answers(store), PEOPLE / 2 * ROUNDS);
    sl_store_close(store);
}

/* The person is gone for every reader; only their bytes remain in the log. */
static void test_a_purge_beside_a_reader_succeeds_and_says_what_is_left(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh(), *reader = NULL;
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    assert_ok(open_store(true, &reader, &err), err);
    sqlite3_busy_timeout(sl_sqlite_of(store)->db, 1);
    assert_int_equal(sqlite3_exec(sl_sqlite_of(reader)->db, "BEGIN; SELECT COUNT(*) FROM sessions",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    struct sl_store_purged gone = {0};
    bool emptied = true;
    assert_ok(sl_store_purge(store, session.person, INT64_MAX, 1, &gone, &err), err);
    assert_int_equal(gone.sessions, 1);
    assert_true(gone.log_in_use);
    assert_ok(sl_store_empty_log(store, &emptied, &err), err);
    assert_false(emptied);
    sl_store_close(reader);
    assert_ok(sl_store_empty_log(store, &emptied, &err), err);
    assert_true(emptied);
    assert_ok(sl_store_purge(store, session.person, INT64_MAX, 1, &gone, &err), err);
    assert_int_equal(gone.sessions, 0);
    assert_false(gone.log_in_use);
    assert_int_equal(test_count_sessions(store), 0);
    sl_store_close(store);
}

static int64_t version_of(struct sl_store *store)
{
    int64_t version = -1;
    assert_ok(sl_store_version(store, &version, &err), err);
    return version;
}

static void test_the_version_changes_with_every_commit_of_others(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh(), *reader = NULL;
    test_add_batches(store, 1, 5);
    assert_ok(open_store(true, &reader, &err), err);
    const int64_t before = version_of(reader);
    assert_int_equal(version_of(reader), before);
    test_begin(store);
    assert_ok(sl_store_put_text(store, "k", "v", &err), err);
    assert_int_equal(version_of(reader), before);
    test_commit(store);
    const int64_t after = version_of(reader);
    assert_int_not_equal(after, before);
    /* A transaction that was rolled back leaves nothing. */
    test_begin(store);
    assert_ok(sl_store_put_text(store, "k", "w", &err), err);
    sl_store_rollback(store);
    assert_int_equal(version_of(reader), after);
    sl_store_close(reader);
    sl_store_close(store);
}

static size_t files_in_folder(void)
{
    char *folder = sl_string_copy_n(database(), strlen(database()) - strlen("/study.db"));
    char **names = NULL;
    size_t count = 0;
    assert_ok(sl_folder_list(folder, &names, &count, &err), err);
    sl_names_destroy(names);
    free(folder);
    return count;
}

static void test_a_backup_is_whole_while_others_write(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh(), *other = NULL, *copy = NULL;
    const char *path = test_path("copy.db");
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    assert_int_equal(test_put_alone(store, session.id, 1, 0, "{}"), SL_PUT_STORED);
    assert_ok(open_store(true, &other, &err), err);
    test_begin(store);
    struct sl_store_answer answer = test_answer(session.id, 2, 1, "{}");
    assert_int_equal(test_put(store, &answer), SL_PUT_STORED);
    size_t before = files_in_folder();
    assert_ok(sl_store_backup(other, path, &err), err);
    assert_int_equal(files_in_folder(), before + 1);
    test_commit(store);
    assert_ok(open_existing(path, &copy), err);
    assert_int_equal(test_count_answers(copy), 1);
    assert_int_equal(test_filling_of(copy).live, 1);
    sl_store_close(copy);
    /* A second backup replaces the first. */
    assert_ok(sl_store_backup(store, path, &err), err);
    assert_ok(open_existing(path, &copy), err);
    assert_int_equal(test_count_answers(copy), 2);
    assert_fails(sl_store_backup(store, path, &err), SL_ERR_INPUT, err, "in use");
    assert_fails(sl_store_backup(store, database(), &err), SL_ERR_INPUT, err, "in use");
    sl_store_close(copy);
    assert_fails(sl_store_backup(store, test_path("no/such/copy.db"), &err), SL_ERR_IO, err,
                 "No such file");
    sl_store_close(other);
    sl_store_close(store);
    unlink(path);
}

static void test_restore_brings_a_backup_back_and_keeps_what_was_there(void **state)
{
    (void)state;
    struct sl_store *store = open_fresh();
    char *path = sl_string_copy(test_path("copy.db"));
    test_add_batches(store, 1, 5);
    struct sl_store_session session =
        test_arrived(store, &(struct test_arrival){.person = 1, .token = 1});
    assert_int_equal(test_put_alone(store, session.id, 1, 0, "{}"), SL_PUT_STORED);
    assert_ok(sl_store_backup(store, path, &err), err);
    sl_store_close(store);
    /* A log of the old database must not be read into the new one. */
    static const char junk[8192] = "damaged";
    test_write(database(), junk, sizeof junk);
    test_write(test_path("study.db-wal"), junk, sizeof junk);
    assert_fails(open_existing(database(), &store), SL_ERR_INPUT, err, "softlab study restore");
    assert_true(file_holds(test_path("study.db-wal"), "damaged"));
    const struct sl_store_restoration how = {.now = 1700000000000};
    char *aside = NULL, *again = NULL;
    assert_ok(sl_store_restore(path, database(), &how, &aside, &err), err);
    assert_non_null(strstr(aside, "/study.db.before-restore-20231114T221320Z"));
    assert_ok(open_existing(database(), &store), err);
    assert_int_equal(test_count_answers(store), 1);
    assert_int_equal(test_put_alone(store, session.id, 2, 1, "{}"), SL_PUT_STORED);
    sl_store_close(store);
    assert_true(file_holds(aside, "damaged"));
    char *log = sl_string_printf("%s-wal", aside);
    assert_true(file_holds(log, "damaged"));
    /* A database that was set aside is never overwritten, even within the same second. */
    assert_ok(sl_store_restore(path, database(), &how, &again, &err), err);
    assert_string_not_equal(again, aside);
    assert_true(file_holds(aside, "damaged"));
    assert_true(file_holds(log, "damaged"));
    assert_false(file_holds(again, "damaged"));
    free(log);
    free(aside);
    assert_ok(sl_store_restore(again, database(), &how, &aside, &err), err);
    free(again);
    free(aside);
    /* A file that is not a backup changes nothing. */
    test_write(path, junk, sizeof junk);
    size_t files = files_in_folder();
    assert_fails(sl_store_restore(path, database(), &how, &aside, &err), SL_ERR_INPUT, err,
                 "copy.db");
    assert_fails(sl_store_restore(test_path("none.db"), database(), &how, &aside, &err),
                 SL_ERR_NOT_FOUND, err, "none.db");
    assert_int_equal(files_in_folder(), files);
    assert_null(aside);
    assert_ok(open_existing(database(), &store), err);
    assert_int_equal(test_count_answers(store), 2);

    sl_store_close(store);
    unlink(path);
    free(path);
}

static void test_two_writers_take_turns(void **state)
{
    (void)state;
    struct sl_store *first = open_fresh(), *second = NULL;
    assert_ok(open_store(false, &second, &err), err);
    sqlite3_busy_timeout(sl_sqlite_of(second)->db, 1);
    test_begin(first);
    assert_ok(sl_store_put_text(first, "k", "first", &err), err);
    assert_fails(sl_store_begin(second, &err), SL_ERR_BUSY, err, "locked by another program");
    assert_false(sl_store_in_transaction(second));
    test_commit(first);
    test_begin(second);
    assert_ok(sl_store_put_text(second, "k", "second", &err), err);
    test_commit(second);
    char *value = NULL;
    assert_ok(sl_store_get_text(first, "k", &value, &err), err);
    assert_string_equal(value, "second");
    free(value);
    sl_store_close(first);
    sl_store_close(second);
}

int main(void)
{
    const struct store_under_test sqlite = {"sqlite", clear, open_store};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_connection_is_set_up_to_be_safe),
        cmocka_unit_test(test_what_cannot_be_opened_is_refused_with_what_to_do),
        cmocka_unit_test(test_a_newer_layout_is_refused),
        cmocka_unit_test(test_a_damaged_database_is_refused),
        cmocka_unit_test(test_migrations_happen_together_or_not_at_all),
        cmocka_unit_test(test_an_older_layout_is_not_changed_by_a_reader),
        cmocka_unit_test(test_purged_bytes_are_gone_from_the_disk),
        cmocka_unit_test(test_a_purge_beside_a_reader_succeeds_and_says_what_is_left),
        cmocka_unit_test(test_the_version_changes_with_every_commit_of_others),
        cmocka_unit_test(test_a_backup_is_whole_while_others_write),
        cmocka_unit_test(test_restore_brings_a_backup_back_and_keeps_what_was_there),
        cmocka_unit_test(test_two_writers_take_turns),
    };
    int failed = store_conformance_content(&sqlite);
    failed += store_conformance_sessions(&sqlite);
    failed += store_conformance_choosing(&sqlite);
    failed += store_conformance_answers(&sqlite);
    failed += cmocka_run_group_tests(tests, NULL, test_folder_clear);
    return failed;
}
