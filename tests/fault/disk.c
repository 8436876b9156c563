/* Full, read-only and failing disks: the error is clear, no acknowledged answer is lost, no
 * transaction is stored in part, and the store works again once the disk does. */
#include "chance.h"
#include "power_vfs.h"
#include "stream.h"
#include "support.h"

enum { FAULTS = 40, SENT_AFTER = 12 };

static struct sl_error err;
static struct stream *stream;

static const char *database(void)
{
    return test_path("study.db");
}

static enum sl_status open_store(const char *vfs, struct sl_store **out)
{
    const struct sl_store_options options = {.vfs = vfs, .create = true, .durable = vfs != NULL};
    return sl_store_open(database(), &options, out, &err);
}

static void set(const struct power_faults *faults)
{
    power_vfs_set(faults);
}

static void heal(void)
{
    power_vfs_set(&(struct power_faults){0});
}

static int fresh(void **state)
{
    (void)state;
    static const char *const names[] = {"study.db", "study.db-wal", "study.db-shm",
                                        "study.db-journal"};
    for (size_t i = 0; i < 4; i++)
        unlink(test_path(names[i]));
    stream_destroy(stream);
    stream = stream_create();
    return 0;
}

static struct sl_store *open_prepared(void)
{
    struct sl_store *store = NULL;
    fresh(NULL);
    assert_ok(open_store(POWER_VFS, &store), err);
    assert_ok(stream_prepare(stream, store, &err), err);
    for (size_t i = 0; i < 3; i++)
        assert_ok(stream_send(stream, store, 2, &err), err);
    return store;
}

static void check(struct sl_store *store)
{
    struct stream_report report;
    assert_ok(stream_check(stream, store, &report, &err), err);
    assert_true(stream_is_sound(&report));
}

/* Close, flush everything to the real disk, and read with the usual VFS. */
static void close_and_check(struct sl_store *store)
{
    sl_store_close(store);
    power_vfs_settle();
    assert_ok(open_store(NULL, &store), err);
    check(store);
    sl_store_close(store);
}

/* Send transactions until the disk fails with `part` in the error; returns how many succeeded. */
static size_t send_until_refused(struct sl_store *store, size_t limit, const char *part)
{
    uint64_t chance = limit;
    for (size_t sent = 0; sent < limit; sent++) {
        enum sl_status status =
            stream_send(stream, store, 1 + chance_below(&chance, STREAM_MAX_GROUP), &err);
        if (status == SL_OK) continue;
        assert_fails(status, SL_ERR_IO, err, part);
        assert_false(sl_store_in_transaction(store));
        return sent;
    }
    return limit;
}

static void test_a_full_disk_stores_nothing_and_loses_nothing(void **state)
{
    (void)state;
    size_t fewest = SIZE_MAX, most = 0;
    for (long long room = 0; room < 600000; room = room * 3 / 2 + 3000) {
        struct sl_store *store = open_prepared();
        set(&(struct power_faults){.full = true, .room = room});
        size_t sent = send_until_refused(store, 400, "the disk is full");
        fewest = sent < fewest ? sent : fewest;
        most = sent > most ? sent : most;
        assert_true(sent < 400);
        check(store); /* reading goes on */
        heal();
        assert_ok(stream_resend(stream, store, &err), err);
        assert_ok(stream_send(stream, store, 3, &err), err);
        close_and_check(store);
    }
    assert_int_equal(fewest, 0);
    assert_true(most > 10);
}

static void test_a_full_disk_can_be_closed_and_opened(void **state)
{
    (void)state;
    struct sl_store *store = open_prepared();
    set(&(struct power_faults){.full = true, .room = 20000});
    (void)send_until_refused(store, 400, "the disk is full");
    close_and_check(store);
}

static void test_a_read_only_disk_is_named(void **state)
{
    (void)state;
    struct sl_store *store = open_prepared();
    set(&(struct power_faults){.read_only = true});
    assert_int_equal(send_until_refused(store, 2, "cannot be written"), 0);
    check(store);
    heal();
    assert_ok(stream_resend(stream, store, &err), err);
    close_and_check(store);
}

static void test_a_read_only_file_is_refused_when_it_is_opened(void **state)
{
    (void)state;
    struct sl_store *store = open_prepared();
    close_and_check(store);
    set(&(struct power_faults){.read_only = true});
    assert_fails(open_store(POWER_VFS, &store), SL_ERR_IO, err, "cannot be written: make the file");
    power_vfs_settle();
    assert_ok(open_store(NULL, &store), err);
    check(store);
    sl_store_close(store);
}

/* A fault in the stream, once or lasting, at the k-th write or sync. */
static void fail_in_stream(const struct power_faults *faults)
{
    struct sl_store *store = open_prepared();
    set(faults);
    size_t sent = send_until_refused(store, 80, "the disk reported an error");
    assert_true(sent < 80);
    check(store);
    if (faults->forever) {
        assert_int_equal(stream_send(stream, store, 1, &err), SL_ERR_IO);
        heal();
    }
    for (size_t i = 0; i < SENT_AFTER; i++)
        assert_ok(stream_send(stream, store, 2, &err), err);
    assert_ok(stream_resend(stream, store, &err), err);
    close_and_check(store);
}

/* The same while the database is created and the study prepared. The store survives some of these
 * faults. */
static size_t fail_at_start(const struct power_faults *faults)
{
    struct sl_store *store = NULL;
    fresh(NULL);
    set(faults);
    enum sl_status status = open_store(POWER_VFS, &store);
    if (status == SL_OK) status = stream_prepare(stream, store, &err);
    if (status != SL_OK) assert_true(strlen(err.message) > 10);
    heal();
    sl_store_close(store);
    power_vfs_settle();
    assert_ok(open_store(NULL, &store), err);
    assert_ok(stream_prepare(stream, store, &err), err);
    assert_ok(stream_send(stream, store, 2, &err), err);
    sl_store_close(store);
    return status != SL_OK;
}

static void test_a_write_that_fails_once_fails_one_commit(void **state)
{
    (void)state;
    for (long k = 1; k <= FAULTS; k++)
        fail_in_stream(&(struct power_faults){.fail_write = k});
}

static void test_a_sync_that_fails_once_fails_one_commit(void **state)
{
    (void)state;
    for (long k = 1; k <= FAULTS; k++)
        fail_in_stream(&(struct power_faults){.fail_sync = k});
}

static void test_a_disk_that_stays_broken_acknowledges_nothing(void **state)
{
    (void)state;
    for (long k = 1; k <= FAULTS; k += 3) {
        fail_in_stream(&(struct power_faults){.fail_write = k, .forever = true});
        fail_in_stream(&(struct power_faults){.fail_sync = k, .forever = true});
    }
}

static void test_a_fault_while_a_database_is_made_leaves_one_that_can_be_made(void **state)
{
    (void)state;
    size_t refused = 0;
    for (long k = 1; k <= FAULTS; k++) {
        refused += fail_at_start(&(struct power_faults){.fail_write = k});
        refused += fail_at_start(&(struct power_faults){.fail_sync = k});
        refused += fail_at_start(&(struct power_faults){.fail_write = k, .forever = true});
    }
    assert_true(refused > FAULTS / 2);
}

/* More than SQLite's cache, so that pages are written before the commit: SQLite then undoes the
 * whole transaction when one fails, and a commit after that must not pretend. */
static void test_a_transaction_that_failed_inside_cannot_be_committed(void **state)
{
    (void)state;
    struct sl_store *store = open_prepared();
    char *body = sl_alloc(1000001, 1);
    memset(body, 'x', 1000000);
    struct sl_store_answer answer = {.session = stream->session, .item = "i0", .body = body};
    enum sl_put_outcome outcome;
    set(&(struct power_faults){.full = true, .room = 1500000});
    assert_ok(sl_store_begin(store, &err), err);
    enum sl_status status = SL_OK;
    for (uint8_t i = 0; i < 8 && status == SL_OK; i++) {
        memset(answer.client_id, 0xf0 + i, sizeof answer.client_id);
        status = sl_store_put_answer(store, &answer, &outcome, &err);
    }
    assert_fails(status, SL_ERR_IO, err, "the disk is full");
    heal();
    answer.body = "{}";
    memset(answer.client_id, 0xee, sizeof answer.client_id);
    assert_fails(sl_store_put_answer(store, &answer, &outcome, &err), SL_ERR_USAGE, err,
                 "in this transaction failed");
    assert_true(sl_store_in_transaction(store));
    assert_fails(sl_store_commit(store, &err), SL_ERR_IO, err, "nothing of the transaction");
    assert_false(sl_store_in_transaction(store));
    check(store);
    assert_ok(stream_send(stream, store, 2, &err), err);
    close_and_check(store);
    free(body);
}

static int clean_up(void **state)
{
    stream_destroy(stream);
    return test_folder_clear(state);
}

int main(void)
{
    power_vfs_register();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_full_disk_stores_nothing_and_loses_nothing),
        cmocka_unit_test(test_a_full_disk_can_be_closed_and_opened),
        cmocka_unit_test(test_a_read_only_disk_is_named),
        cmocka_unit_test(test_a_read_only_file_is_refused_when_it_is_opened),
        cmocka_unit_test(test_a_write_that_fails_once_fails_one_commit),
        cmocka_unit_test(test_a_sync_that_fails_once_fails_one_commit),
        cmocka_unit_test(test_a_disk_that_stays_broken_acknowledges_nothing),
        cmocka_unit_test(test_a_fault_while_a_database_is_made_leaves_one_that_can_be_made),
        cmocka_unit_test(test_a_transaction_that_failed_inside_cannot_be_committed),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
