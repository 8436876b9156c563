/* Which processes may open a database at the same time, and who may read its files. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "store_support.h"

static struct sl_error err;

static char database[512]; /* test_path knows a folder per process */

static enum sl_status open_as(struct sl_store_options options, struct sl_store **out)
{
    options.durable = false;
    return sl_store_open(database, &options, out, &err);
}

static const struct sl_store_options reading = {.read_only = true}, writing = {0},
                                     serving = {.serve = true};

/* A process of its own that opens the database, says so and waits to be killed. */
static pid_t open_elsewhere(struct sl_store_options options)
{
    int ends[2];
    char word = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct sl_store *store = NULL;
        word = open_as(options, &store) == SL_OK ? 'y' : 'n';
        (void)!write(ends[1], &word, 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ends[0], &word, 1), 1);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(word, 'y');
    return child;
}

static void kill_and_wait(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static enum sl_status restore(void)
{
    const struct sl_store_restoration how = {.now = 1700000000000};
    char *aside = NULL;
    enum sl_status status =
        sl_store_restore(test_path("copy.db"), test_path("study.db"), &how, &aside, &err);
    free(aside);
    return status;
}

static int make_database(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    snprintf(database, sizeof database, "%s", test_path("study.db"));
    assert_ok(open_as((struct sl_store_options){.create = true}, &store), err);
    assert_ok(sl_store_backup(store, test_path("copy.db"), &err), err);
    sl_store_close(store);
    return 0;
}

static void test_a_second_server_is_refused_until_the_first_is_gone(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    char process[32];
    pid_t server = open_elsewhere(serving);
    snprintf(process, sizeof process, "by process %ld:", (long)server);
    assert_fails(open_as(serving, &store), SL_ERR_BACKEND, err, process);
    kill_and_wait(server);
    assert_ok(open_as(serving, &store), err);
    /* The lock also holds within one process. */
    struct sl_store *second = NULL;
    assert_fails(open_as(serving, &second), SL_ERR_BACKEND, err, "stop that server first");
    sl_store_close(store);
    assert_ok(open_as(serving, &store), err);
    sl_store_close(store);
}

static void test_others_work_beside_a_server(void **state)
{
    (void)state;
    pid_t server = open_elsewhere(serving);
    struct sl_store *reader = NULL, *writer = NULL;
    assert_ok(open_as(reading, &reader), err);
    assert_ok(open_as(writing, &writer), err);
    sl_store_close(reader);
    sl_store_close(writer);
    kill_and_wait(server);
}

static void test_nothing_is_restored_over_a_database_that_is_open(void **state)
{
    (void)state;
    const struct {
        struct sl_store_options options;
        const char *said;
    } users[] = {{serving, "is already served"},
                 {writing, "in use by another softlab"},
                 {reading, "in use by another softlab"}};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        pid_t user = open_elsewhere(users[i].options);
        assert_fails(restore(), SL_ERR_BACKEND, err, users[i].said);
        kill_and_wait(user);
        assert_ok(restore(), err);
    }
}

/* A read-only folder, or a database that no writer of this program has opened yet. */
static void test_a_reader_makes_no_file(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    unlink(test_path("study.db-lock"));
    assert_ok(open_as(reading, &store), err);
    assert_false(sl_file_exists(test_path("study.db-lock")));
    sl_store_close(store);
}

static unsigned mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_files_are_their_owner_s_whatever_the_umask(void **state)
{
    (void)state;
    static const mode_t masks[] = {0, 022, 0777};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        static const char *const made[] = {"new.db", "new.db-wal", "new.db-shm", "new.db-lock",
                                           "new-copy.db"};
        struct sl_store_options options = {.create = true};
        struct sl_store *store = NULL;
        for (size_t f = 0; f < sizeof made / sizeof *made; f++)
            unlink(test_path(made[f]));
        mode_t before = umask(masks[i]);
        enum sl_status status = sl_store_open(test_path("new.db"), &options, &store, &err);
        if (status == SL_OK) status = sl_store_begin(store, &err);
        if (status == SL_OK) status = sl_store_put_text(store, "a", "b", &err);
        if (status == SL_OK) status = sl_store_commit(store, &err);
        if (status == SL_OK) status = sl_store_backup(store, test_path("new-copy.db"), &err);
        umask(before);
        assert_ok(status, err);
        for (size_t f = 0; f < sizeof made / sizeof *made; f++)
            assert_int_equal(mode_of(test_path(made[f])), 0600);
        sl_store_close(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_server_is_refused_until_the_first_is_gone),
        cmocka_unit_test(test_others_work_beside_a_server),
        cmocka_unit_test(test_nothing_is_restored_over_a_database_that_is_open),
        cmocka_unit_test(test_a_reader_makes_no_file),
        cmocka_unit_test(test_files_are_their_owner_s_whatever_the_umask),
    };
    return cmocka_run_group_tests(tests, make_database, test_folder_clear);
}
