/* Who counts as whom, and what one of them may take: several addresses in a header, addresses that
 * are claimed, floods of events, and a database that another program holds. */
#include <sqlite3.h>
#include <sys/stat.h>

#include "study_scene.h"

static struct scene scene;

static int status_of_arrival(const char *headers)
{
    struct reply reply = ask(&scene, "GET", "/", NULL, headers, NULL);
    int status = reply.status;
    reply_release(&reply);
    return status;
}

static void begin(const char *change, bool behind_proxy)
{
    scene_make(&scene, 6, 3, change);
    scene.behind_proxy = behind_proxy;
    scene_start(&scene);
}

enum { BURST = 200, TRIES = 260 };

/* How many arrivals with such headers are let in, # being another number each time; the clock
 * stands still. */
static unsigned admitted(const char *pattern)
{
    unsigned count = 0;
    const char *hash = strchr(pattern, '#');
    for (unsigned i = 0; i < TRIES; i++) {
        char headers[256];
        snprintf(headers, sizeof headers, "%.*s%u%s", (int)(hash - pattern), pattern, i, hash + 1);
        count += status_of_arrival(headers) == 303;
    }
    return count;
}

static void test_several_header_lines_are_one_list(void **state)
{
    (void)state;
    begin(NULL, true);
    assert_int_equal(admitted("X-Forwarded-For: 127.0.0.1\r\n"
                              "X-Forwarded-For: 10.0.0.#, 203.0.113.7\r\n"),
                     BURST);
    scene_stop(&scene);
}

static void test_a_claimed_loopback_address_is_not_exempt(void **state)
{
    (void)state;
    begin(NULL, true);
    assert_int_equal(admitted("X-Forwarded-For: 10.0.0.#, 127.0.0.1\r\n"), BURST);
    /* What is no address counts as the proxy's own, which is the same here. */
    assert_int_equal(admitted("X-Forwarded-For: 10.0.0.#, nonsense\r\n"), 0);
    scene_stop(&scene);
}

static void test_ports_do_not_make_new_people(void **state)
{
    (void)state;
    begin(NULL, true);
    assert_int_equal(admitted("X-Forwarded-For: 203.0.113.9:#\r\n"), BURST);
    scene_stop(&scene);
}

static void test_ipv6_counts_by_its_network(void **state)
{
    (void)state;
    begin(NULL, true);
    assert_int_equal(admitted("X-Forwarded-For: 2001:db8:1:2::#\r\n"), BURST);
    /* Another network has its own. */
    assert_int_equal(status_of_arrival("X-Forwarded-For: 2001:db8:1:3::1\r\n"), 303);
    scene_stop(&scene);
}

static void test_a_session_may_note_so_much_and_no_more(void **state)
{
    (void)state;
    char cookie[65], body[16384];
    size_t length = (size_t)snprintf(body, sizeof body, "{\"events\": [");
    for (int i = 0; i < 200; i++)
        length += (size_t)snprintf(body + length, sizeof body - length,
                                   "%s{\"kind\": \"visible-for-long\", \"at\": 1700000000000}",
                                   i ? ", " : "");
    snprintf(body + length, sizeof body - length, "]}");
    begin(NULL, false);
    arrive(&scene, "/", cookie);
    unsigned kept = 0, refused = 0;
    for (int i = 0; i < 60; i++) {
        int status = posted(&scene, "/api/events", cookie, body);
        kept += status == 200;
        refused += status == 409;
    }
    assert_int_equal(kept + refused, 60);
    assert_in_range(kept, 10, 30); /* of ten kilobytes each */
    /* The others are not concerned, and neither is what else this one does. */
    char other[65];
    arrive(&scene, "/", other);
    assert_int_equal(posted(&scene, "/api/events", other, body), 200);
    pass_to_trials(&scene, cookie);
    scene_stop(&scene);
}

/* ---- What is written down of requests ---- */

static void test_the_log_of_requests_names_nobody(void **state)
{
    (void)state;
    struct sl_error err;
    struct sl_buffer log;
    char *path = sl_string_copy(test_path("access.txt"));
    scene_make(&scene, 6, 3,
               "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"participant\"}}");
    struct sl_study_serve serve = sl_study_serve_default();
    serve.port = serve.admin_port = 0;
    serve.behind_proxy = true;
    serve.access_log = path;
    assert_ok(sl_study_server_create(scene.folder, &serve, &scene.server, &err), err);
    scene.port = sl_study_server_port(scene.server);
    scene_go(&scene);
    struct reply reply =
        ask(&scene, "GET", "/?participant=jo.doe", NULL, "X-Forwarded-For: 203.0.113.7\r\n", NULL);
    assert_int_equal(reply.status, 303);
    reply_release(&reply);
    scene_stop(&scene);
    sl_buffer_init(&log, 1 << 16);
    assert_ok(sl_file_read(path, &log, &err), err);
    sl_buffer_byte(&log, '\0');
    assert_non_null(strstr(log.data, " annotators GET / 303 0 "));
    assert_null(strstr(log.data, "jo.doe"));
    assert_null(strstr(log.data, "203.0.113"));
    assert_null(strstr(log.data, "127.0.0.1"));
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    sl_buffer_release(&log);
    free(path);
}

/* ---- Another program has the database ---- */

static sqlite3 *take_lock(void)
{
    sqlite3 *db = NULL;
    char *path = sl_path_join(scene.folder, "study.db");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    free(path);
    return db;
}

static void *save_consent(void *cookie)
{
    static int status;
    status = posted(&scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": true}");
    return &status;
}

static size_t waiting_requests(void)
{
    struct scene researcher = scene;
    researcher.port = sl_study_server_admin_port(scene.server);
    struct reply reply = get(&researcher, "/metrics", NULL);
    assert_int_equal(reply.status, 200);
    assert_non_null(reply.body);
    const char *line = strstr(reply.body, "\nsoftlab_waiting_requests ");
    assert_non_null(line);
    size_t waiting = strtoul(line + strlen("\nsoftlab_waiting_requests "), NULL, 10);
    reply_release(&reply);
    return waiting;
}

static void test_a_foreign_lock_delays_saves_and_not_pages(void **state)
{
    (void)state;
    char cookie[65];
    pthread_t saver;
    void *status = NULL;
    begin(NULL, false);
    arrive(&scene, "/", cookie);
    sqlite3 *db = take_lock();
    assert_int_equal(pthread_create(&saver, NULL, save_consent, cookie), 0);
    while (waiting_requests() == 0)
        sched_yield();
    /* The save waits; whoever looks is served meanwhile, which a loop that waits could not do. */
    for (int i = 0; i < 20; i++) {
        struct reply reply = get(&scene, "/web/style.css", NULL);
        assert_int_equal(reply.status, 200);
        reply_release(&reply);
    }
    assert_int_equal(waiting_requests(), 1);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    pthread_join(saver, &status);
    assert_int_equal(*(int *)status, 200);
    assert_string_equal(place_of(&scene, cookie), "instructions");
    assert_int_equal(waiting_requests(), 0);
    scene_stop(&scene);
}

static void *save_from_afar(void *cookie)
{
    static int status;
    struct reply reply = ask(&scene, "POST", "/api/consent", cookie,
                             "Sec-Fetch-Site: same-origin\r\nX-Forwarded-For: 203.0.113.7\r\n",
                             "{\"version\": \"1\", \"agreed\": true}");
    status = reply.status;
    reply_release(&reply);
    return &status;
}

/* A save that waits is tried again and again, and is one request all the same. */
static void test_waiting_does_not_count_against_limits(void **state)
{
    (void)state;
    enum { BURST_OF_A_SESSION = 100 };
    static const char afar[] = "X-Forwarded-For: 203.0.113.7\r\n";
    char cookie[65];
    pthread_t saver;
    void *status = NULL;
    begin(NULL, true);
    arrive(&scene, "/", cookie);
    /* The clock stands still: one request more is allowed. */
    for (int i = 0; i < BURST_OF_A_SESSION - 1; i++) {
        struct reply reply = ask(&scene, "GET", "/api/session", cookie, afar, NULL);
        assert_int_equal(reply.status, 200);
        reply_release(&reply);
    }
    sqlite3 *db = take_lock();
    assert_int_equal(pthread_create(&saver, NULL, save_from_afar, cookie), 0);
    while (waiting_requests() == 0)
        sched_yield();
    for (int i = 0; i < 300; i++) {
        assert_int_equal(waiting_requests(), 1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    pthread_join(saver, &status);
    assert_int_equal(*(int *)status, 200);
    scene_stop(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_header_lines_are_one_list),
        cmocka_unit_test(test_a_claimed_loopback_address_is_not_exempt),
        cmocka_unit_test(test_ports_do_not_make_new_people),
        cmocka_unit_test(test_ipv6_counts_by_its_network),
        cmocka_unit_test(test_a_session_may_note_so_much_and_no_more),
        cmocka_unit_test(test_the_log_of_requests_names_nobody),
        cmocka_unit_test(test_a_foreign_lock_delays_saves_and_not_pages),
        cmocka_unit_test(test_waiting_does_not_count_against_limits),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_clear);
}
