/* PostgreSQL for tests of the store: one server for all tests of a program. */
#ifndef SOFTLAB_TESTS_POSTGRES_SCENE_H
#define SOFTLAB_TESTS_POSTGRES_SCENE_H

#include "postgres_process.h"
#include "store_support.h"

static struct postgres_process server;
static struct sl_error err;

static void run_sql(const char *sql)
{
    assert_true(postgres_process_sql(&server, sql));
}

static void clear(void)
{
    run_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
}

/* tests/fault tests durability; here a sync per commit would only cost time. */
static enum sl_status open_store(bool read_only, struct sl_store **out, struct sl_error *error)
{
    struct sl_store_options options = sl_store_options_default();
    options.create = !read_only;
    options.read_only = read_only;
    options.durable = false;
    return sl_store_open(server.url, &options, out, error);
}

static struct sl_store *open_again(void)
{
    struct sl_store *store = NULL;
    assert_ok(open_store(false, &store, &err), err);
    return store;
}

static struct sl_store *open_fresh(void)
{
    clear();
    return open_again();
}

static int remove_server(void **state)
{
    (void)state;
    postgres_process_remove(&server);
    return test_folder_clear(state);
}

#endif
