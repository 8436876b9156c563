/* Databases of PostgreSQL that cannot be opened: each is refused with what to do. */
#include <time.h>

#include "postgres_scene.h"

static enum sl_status open_existing(const char *url, struct sl_store **out)
{
    return sl_store_open(url, NULL, out, &err);
}

static void test_what_cannot_be_opened_is_refused_with_what_to_do(void **state)
{
    (void)state;
    struct sl_store *store = (struct sl_store *)1;
    char url[256];
    clear();
    assert_fails(open_existing(server.url, &store), SL_ERR_NOT_FOUND, err, "softlab study migrate");
    run_sql("CREATE TABLE birds(a int)");
    assert_fails(open_existing(server.url, &store), SL_ERR_INPUT, err, "of another program");
    snprintf(url, sizeof url, "postgresql:///nothing?host=%s&user=softlab", server.folder);
    assert_fails(open_existing(url, &store), SL_ERR_NOT_FOUND, err, "with createdb");
    snprintf(url, sizeof url, "postgresql:///postgres?host=%s&user=nobody", server.folder);
    assert_fails(open_existing(url, &store), SL_ERR_BACKEND, err, "give the user in the URL");
    snprintf(url, sizeof url, "%s&options=-csearch_path%%3Dnowhere", server.url);
    assert_fails(open_existing(url, &store), SL_ERR_NOT_FOUND, err, "CREATE SCHEMA");
    assert_fails(open_existing("postgresql:///x?host=/nowhere", &store), SL_ERR_BUSY, err,
                 "check that PostgreSQL runs");
    assert_ptr_equal(store, (struct sl_store *)1);
}

static void test_a_password_is_in_no_message(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "postgresql://me:swordfish@/x?host=/nowhere",
        "postgresql://me:swordfish@127.0.0.1:1/x",
        "postgresql://me:swordfish@127.0.0.1:port/x",
        "postgresql://me:swordfish@127.0.0.1:1/x?colour=swordfish",
        "postgresql://me:swordfish%zz@127.0.0.1/x",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct sl_store *store = NULL;
        assert_int_not_equal(open_existing(urls[i], &store), SL_OK);
        assert_null(strstr(err.message, "swordfish"));
        assert_null(strstr(err.message, "%zz"));
    }
}

static void test_a_newer_layout_is_refused(void **state)
{
    (void)state;
    sl_store_close(open_fresh());
    run_sql("UPDATE softlab_layout SET version = 99");
    struct sl_store *store;
    assert_fails(open_existing(server.url, &store), SL_ERR_INPUT, err, "newer softlab (layout 99");
}

static void test_a_layout_without_a_version_is_refused(void **state)
{
    (void)state;
    static const char *const damage[] = {"UPDATE softlab_layout SET version = -1",
                                         "DELETE FROM softlab_layout"};
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        struct sl_store *store = NULL;
        sl_store_close(open_fresh());
        run_sql(damage[i]);
        assert_fails(open_store(false, &store, &err), SL_ERR_INPUT, err, "names no layout");
    }
}

/* The tests' server asks nobody for a password until a line of pg_hba.conf says so. */
static void test_a_wrong_password_is_not_a_database_that_is_away(void **state)
{
    (void)state;
    char url[256], path[256];
    struct sl_store *store = NULL;
    run_sql("CREATE ROLE locked LOGIN PASSWORD 'right'");
    snprintf(path, sizeof path, "%s/data/pg_hba.conf", server.folder);
    FILE *rules = fopen(path, "w");
    assert_non_null(rules);
    fputs("local all locked scram-sha-256\nlocal all all trust\n", rules);
    fclose(rules);
    run_sql("SELECT pg_reload_conf()");
    snprintf(url, sizeof url, "postgresql://locked:swordfish@/postgres?host=%s", server.folder);
    for (int i = 0; i < 500 && open_existing(url, &store) == SL_ERR_NOT_FOUND; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_fails(open_existing(url, &store), SL_ERR_BACKEND, err, "the password in ~/.pgpass");
    assert_null(strstr(err.message, "swordfish"));
    snprintf(url, sizeof url, "postgresql://locked@/postgres?host=%s&passfile=/nowhere",
             server.folder);
    assert_fails(open_existing(url, &store), SL_ERR_BACKEND, err, "the password in ~/.pgpass");
}

static void test_a_database_that_does_not_sync_is_refused(void **state)
{
    (void)state;
    struct sl_store *store = NULL;
    sl_store_close(open_fresh());
    run_sql("ALTER SYSTEM SET fsync = off");
    run_sql("SELECT pg_reload_conf()");
    /* The setting reaches new connections once the server has read it. */
    for (int i = 0; i < 500 && open_existing(server.url, &store) == SL_OK; i++)
        sl_store_close(store);
    assert_non_null(strstr(err.message, "fsync = off"));
    run_sql("ALTER SYSTEM RESET fsync");
    run_sql("SELECT pg_reload_conf()");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cannot_be_opened_is_refused_with_what_to_do),
        cmocka_unit_test(test_a_password_is_in_no_message),
        cmocka_unit_test(test_a_newer_layout_is_refused),
        cmocka_unit_test(test_a_layout_without_a_version_is_refused),
        cmocka_unit_test(test_a_wrong_password_is_not_a_database_that_is_away),
        cmocka_unit_test(test_a_database_that_does_not_sync_is_refused),
    };
    int missing = postgres_process_missing();
    if (missing) return missing;
    if (!postgres_process_make(&server)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_server);
}
