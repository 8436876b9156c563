/* A study server on a full, read-only or broken disk, with a clock that jumps, and with a damaged
 * database. The server acknowledges only what is stored, and works again once the disk does. The
 * disk is the VFS of power_vfs.h, installed as SQLite's default. It is not thread-safe, so the test
 * sets faults from the server's clock, on the server's thread. */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include "books.h"
#include "power_vfs.h"
#include "refusing.h"

enum { HEALTHY, FULL, ALMOST_FULL, READ_ONLY, WRITES_FAIL, SYNCS_FAIL, N_DISKS };
static const struct power_faults disks[N_DISKS] = {
    [FULL] = {.full = true},
    [ALMOST_FULL] = {.full = true, .room = 30000},
    [READ_ONLY] = {.read_only = true},
    [WRITES_FAIL] = {.fail_write = 1, .forever = true},
    [SYNCS_FAIL] = {.fail_sync = 1, .forever = true},
};
static const char *const disk_names[N_DISKS] = {"healthy",   "full",        "almost full",
                                                "read-only", "writes fail", "syncs fail"};

struct world {
    struct scene scene;
    atomic_int wanted;
    int applied;
    int refusing; /* the disk of set_disk */
};

static int64_t now(void *context)
{
    struct world *world = context;
    int wanted = atomic_load(&world->wanted);
    if (wanted != world->applied) power_vfs_set(&disks[wanted]);
    world->applied = wanted;
    return (int64_t)atomic_load(&world->scene.clock);
}

static void use_disk(bool power)
{
    sqlite3_vfs_register(sqlite3_vfs_find(power ? POWER_VFS : "unix"), 1);
}

static void start(struct world *world)
{
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_error err;
    serve.port = serve.admin_port = 0;
    serve.now = now;
    serve.clock_context = world;
    use_disk(true);
    assert_ok(sl_study_server_create(world->scene.folder, &serve, &world->scene.server, &err), err);
    world->scene.port = sl_study_server_port(world->scene.server);
    scene_go(&world->scene);
}

static void make(struct world *world, const char *change)
{
    use_disk(false);
    *world = (struct world){.wanted = HEALTHY};
    scene_make(&world->scene, 12, 6, change);
}

static void stop(struct world *world)
{
    scene_stop(&world->scene);
    power_vfs_settle();
    use_disk(false);
}

/* ---- The disk ---- */

static void set_disk(const struct refusing *refusing, bool refuses)
{
    struct world *world = refusing->context;
    atomic_store(&world->wanted, refuses ? world->refusing : HEALTHY);
}

static void test_a_disk_that_refuses_gets_503_until_it_is_well(void **state)
{
    (void)state;
    for (int disk = HEALTHY + 1; disk < N_DISKS; disk++) {
        struct world world;
        const struct refusing refusing = {disk_names[disk], set_disk, &world};
        make(&world, "{\"flow\": {\"practice\": false}}");
        world.refusing = disk;
        start(&world);
        refusing_check(&world.scene, &refusing);
        stop(&world);
        assert_int_equal(refusing_stored(&world.scene), REFUSING_TRIALS);
    }
}

struct simulated {
    struct sl_study_simulation options;
    struct sl_simulation_result result;
    struct sl_error err;
    enum sl_status status;
};

static void *simulate(void *context)
{
    struct simulated *simulated = context;
    simulated->status = sl_study_simulate(&simulated->options, &simulated->result, &simulated->err);
    return NULL;
}

static void test_a_disk_that_comes_and_goes_loses_no_acknowledged_answer(void **state)
{
    (void)state;
    struct world world = {.wanted = HEALTHY};
    struct simulated simulated = {.options = sl_study_simulation_default()};
    struct books *books = books_create();
    struct books_report report;
    struct sl_error err;
    char url[64];
    pthread_t thread;
    atomic_store(&world.scene.clock, 1700000000000);
    snprintf(world.scene.folder, sizeof world.scene.folder, "%s", test_path("comes-and-goes"));
    use_disk(false);
    assert_ok(make_study(world.scene.folder, "collins+,bars", 6, 100, &err), err);
    start(&world);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", (unsigned)world.scene.port);
    simulated.options.url = url;
    simulated.options.folder = world.scene.folder; /* to pass the comprehension check */
    simulated.options.count = true;
    simulated.options.annotators = 60;
    simulated.options.at_once = 20;
    simulated.options.speed = 0;
    simulated.options.images = false;
    simulated.options.saved = books_note;
    simulated.options.context = books;
    assert_int_equal(pthread_create(&thread, NULL, simulate, &simulated), 0);
    for (int i = 0; i < 20; i++) {
        atomic_store(&world.wanted, i % 2 ? HEALTHY : 1 + i / 2 % (N_DISKS - 1));
        nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    }
    atomic_store(&world.wanted, HEALTHY);
    pthread_join(thread, NULL);
    stop(&world);
    assert_ok(simulated.status, simulated.err);
    assert_int_equal(simulated.result.finished, 60);
    assert_true(simulated.result.retries > 0);
    assert_ok(books_check(books, world.scene.folder, &report, &err), err);
    books_print(&report);
    assert_true(books_are_right(&report));
    assert_int_equal(report.stored, 60 * 9);
    books_destroy(books);
}

/* ---- The clock ---- */

static void test_a_clock_that_jumps_back_takes_nothing_away(void **state)
{
    (void)state;
    static const long long jumps[] = {
        -3600000, -86400000LL * 400, 7200000 - 86400000LL, 86400000LL * 401, -1, 0};
    struct world world;
    char cookie[65], other[65];
    make(&world, "{\"flow\": {\"practice\": false}, \"lease_minutes\": 100000}");
    start(&world);
    arrive(&world.scene, "/", cookie);
    pass_to_trials(&world.scene, cookie);
    for (unsigned trial = 0; trial < 6; trial++) {
        atomic_fetch_add(&world.scene.clock, jumps[trial]);
        assert_int_equal(
            posted(&world.scene, "/api/answer", cookie, hard_answer(trial, trial, false, "circle")),
            200);
        if (trial == 1) {
            arrive(&world.scene, "/", other);
            assert_string_equal(place_of(&world.scene, other), "consent");
        }
    }
    assert_string_equal(place_of(&world.scene, cookie), "trials");
    stop(&world);
    assert_int_equal(refusing_stored(&world.scene), 6);
}

static void test_a_clock_that_jumps_far_ahead_ends_leases_but_keeps_answers(void **state)
{
    (void)state;
    struct world world;
    char cookie[65];
    make(&world, "{\"flow\": {\"practice\": false}}");
    start(&world);
    arrive(&world.scene, "/", cookie);
    pass_to_trials(&world.scene, cookie);
    assert_int_equal(
        posted(&world.scene, "/api/answer", cookie, hard_answer(0, 0, false, "circle")), 200);
    atomic_fetch_add(&world.scene.clock, 86400000LL * 30);
    assert_int_equal(
        posted(&world.scene, "/api/answer", cookie, hard_answer(1, 1, false, "circle")), 410);
    stop(&world);
    assert_int_equal(refusing_stored(&world.scene), 1);
}

/* ---- A damaged database ---- */

static char *database_of(const struct world *world)
{
    return sl_path_join(world->scene.folder, "study.db");
}

static void refuse_start(const struct world *world, enum sl_status expected, const char *part)
{
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    struct sl_error err;
    serve.port = serve.admin_port = 0;
    assert_fails(sl_study_server_create(world->scene.folder, &serve, &server, &err), expected, err,
                 part);
    assert_null(server);
}

static void test_a_damaged_database_is_refused_at_start(void **state)
{
    (void)state;
    struct world world;
    make(&world, NULL);
    char *path = database_of(&world);
    struct stat info;
    char noise[8192];
    memset(noise, 0x5a, sizeof noise);
    assert_int_equal(stat(path, &info), 0);
    int file = open(path, O_WRONLY);
    for (off_t at = 4096; at + 4096 <= info.st_size; at += 8192)
        assert_int_equal(pwrite(file, noise, 4096, at), 4096);
    close(file);
    refuse_start(&world, SL_ERR_INPUT, "restore");
    assert_int_equal(truncate(path, 6000), 0);
    refuse_start(&world, SL_ERR_INPUT, "restore");
    test_write(path, noise, sizeof noise);
    refuse_start(&world, SL_ERR_INPUT, "study.db");
    assert_int_equal(unlink(path), 0);
    refuse_start(&world, SL_ERR_NOT_FOUND, "study.db");
    free(path);
}

int main(void)
{
    power_vfs_register();
    alarm(240);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_disk_that_refuses_gets_503_until_it_is_well),
        cmocka_unit_test(test_a_disk_that_comes_and_goes_loses_no_acknowledged_answer),
        cmocka_unit_test(test_a_clock_that_jumps_back_takes_nothing_away),
        cmocka_unit_test(test_a_clock_that_jumps_far_ahead_ends_leases_but_keeps_answers),
        cmocka_unit_test(test_a_damaged_database_is_refused_at_start),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
