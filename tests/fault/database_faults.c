/* A study server whose PostgreSQL refuses: it became read-only, somebody holds its tables, or it
 * takes no connections. The server acknowledges only what is stored, and works again once the
 * database does. */
#include <libpq-fe.h>

#include "load.h"
#include "postgres_process.h"
#include "refusing.h"
#include "shared.h"

struct world {
    struct scene scene;
    struct postgres_process database;
    PGconn *link; /* of the one who makes the fault */
};

/* A fault is what an administrator or another program does to the database, and undoes. */
struct fault {
    const char *name;
    const char *begin[3], *end[3]; /* NULL-ended */
};
#define END_OTHERS                                                                                 \
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'softlab'"
static const struct fault faults[] = {
    {"read-only",
     {"ALTER DATABASE postgres SET default_transaction_read_only = on", END_OTHERS},
     {"ALTER DATABASE postgres RESET default_transaction_read_only", END_OTHERS}},
    {"locked", {"BEGIN", "LOCK TABLE sessions, answers"}, {"ROLLBACK"}},
    {"closed",
     {"UPDATE pg_database SET datallowconn = false WHERE datname = 'postgres'", END_OTHERS},
     {"UPDATE pg_database SET datallowconn = true WHERE datname = 'postgres'"}},
};
enum { N_FAULTS = sizeof faults / sizeof faults[0] };

static void run_all(PGconn *link, const char *const *statements)
{
    for (size_t i = 0; statements[i]; i++) {
        PGresult *result = PQexec(link, statements[i]);
        const ExecStatusType status = PQresultStatus(result);
        if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
            fail_msg("%s: %s", statements[i], PQresultErrorMessage(result));
        PQclear(result);
    }
}

struct refusal {
    PGconn *link; /* borrowed */
    const struct fault *fault;
};

static void set_fault(const struct refusing *refusing, bool refuses)
{
    const struct refusal *refusal = refusing->context;
    run_all(refusal->link, refuses ? refusal->fault->begin : refusal->fault->end);
}

/* Move the study of the scene to a database of its own and serve it. */
static void start(struct world *world)
{
    assert_true(share_study(world->scene.folder, &world->database));
    world->link = PQconnectdb(world->database.url);
    assert_int_equal(PQstatus(world->link), CONNECTION_OK);
    scene_start(&world->scene);
}

static void release(struct world *world)
{
    PQfinish(world->link);
    postgres_process_remove(&world->database);
}

static void test_a_database_that_refuses_gets_503_until_it_is_well(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_FAULTS; i++) {
        struct world world = {0};
        scene_make(&world.scene, 12, 6, "{\"flow\": {\"practice\": false}}");
        start(&world);
        struct refusal refusal = {world.link, &faults[i]};
        const struct refusing refusing = {faults[i].name, set_fault, &refusal};
        refusing_check(&world.scene, &refusing);
        scene_stop(&world.scene);
        assert_int_equal(refusing_stored(&world.scene), REFUSING_TRIALS);
        release(&world);
    }
}

static void test_a_database_that_comes_and_goes_loses_no_acknowledged_answer(void **state)
{
    (void)state;
    enum { ROUNDS = 4, ANSWERS = 20 };
    static const struct timespec while_away = {.tv_nsec = 300000000};
    struct world world = {0};
    struct books_report report;
    struct sl_error err;
    char url[64];
    struct load load = {.url = url,
                        .folder = world.scene.folder,
                        .annotators = 20,
                        .seed = 1,
                        .books = books_create()};
    atomic_store(&world.scene.clock, 1700000000000);
    snprintf(world.scene.folder, sizeof world.scene.folder, "%s", test_path("comes-and-goes"));
    assert_ok(make_study(world.scene.folder, "collins+,bars", 6, 10000, &err), err);
    start(&world);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)world.scene.port);
    assert_true(load_start(&load));
    for (size_t i = 0; i < ROUNDS * N_FAULTS; i++) {
        load_wait(&load, ANSWERS);
        run_all(world.link, faults[i % N_FAULTS].begin);
        nanosleep(&while_away, NULL);
        run_all(world.link, faults[i % N_FAULTS].end);
    }
    assert_true(load_finish(&load));
    load_print(&load);
    assert_true(load.total.retries > 0);
    scene_stop(&world.scene);
    assert_ok(books_check(load.books, world.scene.folder, &report, &err), err);
    books_print(&report);
    assert_true(books_are_right(&report));
    assert_int_equal(report.sent, report.acknowledged);
    books_destroy(load.books);
    release(&world);
}

int main(void)
{
    const int missing = postgres_process_missing();
    if (missing) return missing;
    alarm(240);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_database_that_refuses_gets_503_until_it_is_well),
        cmocka_unit_test(test_a_database_that_comes_and_goes_loses_no_acknowledged_answer),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
