#define _GNU_SOURCE /* memmem */
/* What strangers may try, over raw sockets against the real program. Rows say what is sent and
 * which status comes back; at the end the server still serves and its store holds nothing of it.
 *   attacks [--slow]    with the connections that take their time, for a dozen seconds */
#include <sys/time.h>
#include <time.h>

#include "books.h"
#include "server_process.h"
#include "study_scene.h"

static struct server_process process;
static struct scene scene;
static char cookie[65]; /* somebody at the trials */

enum { REPLY = 1 << 16 };

static int connect_to_server(void)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(scene.port)};
    const struct timeval patience = {.tv_sec = 20};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(client, (struct sockaddr *)&to, sizeof to), 0);
    return client;
}

static void say(int client, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(client, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) return; /* refused early: what is said about it counts */
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* The status of the first reply on a connection that only says this; 0 if it is closed silently. */
static int status_of(const char *bytes, size_t length)
{
    int client = connect_to_server(), status = 0;
    say(client, bytes, length);
    shutdown(client, SHUT_WR);
    char *reply = receive_all(client);
    close(client);
    if (strncmp(reply, "HTTP/1.1 ", 9) == 0) status = (int)strtol(reply + 9, NULL, 10);
    free(reply);
    return status;
}

static void check_alive(void)
{
    struct reply reply = get(&scene, "/study", NULL);
    assert_int_equal(reply.status, 200);
    reply_release(&reply);
}

/* ---- Requests ---- */

#define HOST "Host: study.test\r\nConnection: close\r\n"
static const struct {
    const char *request;
    int status;
} requests[] = {
    {"GET /web/style.css HTTP/1.1\r\n" HOST "\r\n", 200},
    {"GET /web/../study.json HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/..%2fstudy.json HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/%2e%2e/study.json HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/%252e%252e/study.json HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /web/..\\study.json HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web//etc/passwd HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/%2fetc%2fpasswd HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/style.css%00.html HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/%c0%ae%c0%ae HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /web/ HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /web/admin HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /image/../study.db HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /image/..%2f..%2fstudy.db HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /image/shapes-00000.png HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /image/00000000000000000000000000000000 HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /image/ HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /?test=1 HTTP/1.1\r\n" HOST "\r\n", 403},
    {"GET /?test=AAAAAAAAAAAAAAAAAAAAAA HTTP/1.1\r\n" HOST "\r\n", 403},
    {"GET /?test=%00 HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /study.json HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /study.db HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /admin HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET /api/status HTTP/1.1\r\n" HOST "\r\n", 404},
    {"GET http://evil.test/web/style.css HTTP/1.1\r\n" HOST "\r\n", 400},
    {"POST /study HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", 405},
    {"GET /api/answer HTTP/1.1\r\n" HOST "\r\n", 405},
    {"PUT /api/answer HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", 405},
    {"TRACE / HTTP/1.1\r\n" HOST "\r\n", 405},
    {"GET /study HTTP/1.1\r\n\r\n", 400},
    {"GET /study HTTP/1.1\r\n" HOST "Host: other\r\n\r\n", 400},
    {"GET /study HTTP/2.0\r\n" HOST "\r\n", 505},
    {"GET /study\r\n\r\n", 400},
    {"GET /study HTTP/1.1\n" HOST "\n", 400},
    {"GET /study HTTP/1.1\r\n" HOST "X y: z\r\n\r\n", 400},
    {"GET /study HTTP/1.1\r\n" HOST " folded: line\r\n\r\n", 400},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
     "{}",
     411},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", 400},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 1000000000\r\n\r\n", 413},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 99999999999999999999\r\n\r\n", 400},
    {"POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n{}", 401},
    {"\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n", 400},
    {"\r\n\r\n\r\n\r\n", 400},
    {"", 0},
};

static void test_requests_get_the_status_they_deserve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        int status = status_of(requests[i].request, strlen(requests[i].request));
        if (status != requests[i].status)
            fail_msg("%s: %d, not %d", requests[i].request, status, requests[i].status);
    }
    check_alive();
}

/* `count` times `byte` between two texts. */
static int status_of_long(const char *before, char byte, size_t count, const char *after)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 64 << 20);
    sl_buffer_text(&text, before);
    memset(sl_buffer_reserve(&text, count), byte, count);
    text.length += count;
    sl_buffer_text(&text, after);
    int status = status_of(text.data, text.length);
    sl_buffer_release(&text);
    return status;
}

static void test_what_is_too_large_is_refused(void **state)
{
    (void)state;
    assert_int_equal(status_of_long("GET /study HTTP/1.1\r\n" HOST "X: ", 'x', 9000, "\r\n\r\n"),
                     431);
    assert_int_equal(status_of_long("GET /", 'x', 9000, " HTTP/1.1\r\n" HOST "\r\n"), 431);
    assert_int_equal(status_of_long("GET /?participant=", 'x', 3000, " HTTP/1.1\r\n" HOST "\r\n"),
                     400);
    assert_int_equal(status_of_long("GET ", 'x', 20 << 20, ""), 431);
    assert_int_equal(status_of_long("POST /api/answer HTTP/1.1\r\n" HOST
                                    "Content-Length: 70000\r\n\r\n",
                                    ' ', 70000, ""),
                     413);
    check_alive();
}

/* ---- Bodies ---- */

#define ANSWER "\"id\": \"0123456789abcdef0123456789abcdef\", "
static const char *const bad_answers[] = {
    "",
    "{",
    "null",
    "[]",
    "7",
    "\"text\"",
    "{}",
    "{} {}",
    "{\"id\": \"0123456789abcdef0123456789abcdef\"}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}, \"id\": \"1123456789abcdef0123456789abcdef\"}",
    "{" ANSWER "\"trial\": 0, \"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {}}",
    "{" ANSWER "\"trial\": -1, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 1e30, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0.5, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 99999999999999999999999, \"practice\": false, \"elapsed\": 1, "
    "\"answer\": {\"class\": \"circle\"}}",
    "{" ANSWER "\"trial\": NaN, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": Infinity, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1e999, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": -5, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": \"false\", \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"<script>alert(1)</script>\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": 0}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": [\"circle\"]}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}, \"session\": 1}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"times\": {\"class\": [1]}, "
    "\"answer\": {\"class\": \"circle\"}}",
    "{" ANSWER "\"trial\": 0, \"practice\": false, \"elapsed\": 1, \"times\": {\"class\": [1, "
    "\"2\"]}, \"answer\": {\"class\": \"circle\"}}",
    "{\"id\": \"0123\", \"trial\": 0, \"practice\": false, \"elapsed\": 1, \"answer\": {\"class\": "
    "\"circle\"}}",
    "{\"id\": \"' OR 1=1; DROP TABLE answers; --\", \"trial\": 0, \"practice\": false, "
    "\"elapsed\": 1, \"answer\": {\"class\": \"circle\"}}",
    "{\"id\": \"\\u0000123456789abcdef0123456789abcdef\", \"trial\": 0, \"practice\": false, "
    "\"elapsed\": 1, \"answer\": {\"class\": \"circle\"}}",
    "{\"id\": \"\xff\xfe\", \"trial\": 0}",
};

static void test_bodies_that_are_wrong_store_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_answers / sizeof *bad_answers; i++) {
        int status = posted(&scene, "/api/answer", cookie, bad_answers[i]);
        if (status != 400) fail_msg("%s: %d", bad_answers[i], status);
    }
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(7, 1, false, "circle")),
                     409);
    assert_int_equal(posted(&scene, "/api/answer", cookie, hard_answer(7, 99, false, "circle")),
                     409);
    json_t *session = session_of(&scene, cookie);
    assert_int_equal(json_integer_value(json_object_get(session, "trial")), 0);
    json_decref(session);
}

static void test_json_that_is_deep_is_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"/api/answer", "/api/consent", "/api/instructions",
                                        "/api/check",  "/api/events",  "/api/debrief",
                                        "/api/return"};
    char deep[60001];
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(posted(&scene, paths[i], cookie, deep), 400);
    for (size_t at = 0; at + 5 < sizeof deep; at += 5)
        memcpy(deep + at, "{\"a\":", 5);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(posted(&scene, paths[i], cookie, deep), 400);
    check_alive();
}

static void test_bodies_that_are_no_json_by_their_type_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int status;
    } types[] = {
        {"Content-Type: text/plain\r\n", 415},
        {"Content-Type: application/x-www-form-urlencoded\r\n", 415},
        {"Content-Type: multipart/form-data; boundary=x\r\n", 415},
        {"Content-Type: text/html\r\n", 415},
        {"Content-Type: application/jsonx\r\n", 415},
        {"Content-Type:\r\n", 415},
        {"Content-Type: application/json\r\n", 200},
        {"Content-Type: Application/JSON; charset=utf-8\r\n", 200},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct reply reply =
            ask(&scene, "POST", "/api/events", cookie, types[i].type, "{\"events\": []}");
        if (reply.status != types[i].status) fail_msg("%s: %d", types[i].type, reply.status);
        reply_release(&reply);
    }
}

/* ---- Sessions ---- */

static int status_with(const char *token)
{
    struct reply reply = get(&scene, "/api/session", token);
    int status = reply.status;
    reply_release(&reply);
    return status;
}

static void test_tokens_are_worth_nothing_unless_they_are_ours(void **state)
{
    (void)state;
    char forged[65];
    assert_int_equal(status_with(NULL), 401);
    assert_int_equal(status_with(""), 401);
    assert_int_equal(status_with("1"), 401);
    assert_int_equal(status_with("' OR 1=1 --"), 401);
    assert_int_equal(
        status_with("0000000000000000000000000000000000000000000000000000000000000000"), 401);
    snprintf(forged, sizeof forged, "%.63s", cookie);
    assert_int_equal(status_with(forged), 401);
    snprintf(forged, sizeof forged, "%.63s%c", cookie, cookie[63] == '0' ? '1' : '0');
    assert_int_equal(status_with(forged), 401);
    assert_int_equal(status_with(cookie), 200);
}

static void test_a_token_that_was_replaced_is_dead(void **state)
{
    (void)state;
    char first[65], second[65];
    arrive(&scene, "/?participant=replayed", first);
    assert_int_equal(status_with(first), 200);
    arrive(&scene, "/?participant=replayed", second);
    assert_string_not_equal(first, second);
    assert_int_equal(status_with(first), 401);
    assert_int_equal(status_with(second), 200);
}

static void test_a_foreign_token_reaches_only_its_own_session(void **state)
{
    (void)state;
    char other[65];
    arrive(&scene, "/?participant=mallory", other);
    assert_string_equal(place_of(&scene, other), "consent");
    assert_int_equal(posted(&scene, "/api/answer", other, hard_answer(5, 0, false, "circle")), 409);
    assert_int_equal(posted(&scene, "/api/return", other, "{}"), 200);
    assert_string_equal(place_of(&scene, cookie), "trials");
}

static void test_pages_of_other_sites_can_post_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *headers;
        int status;
    } rows[] = {
        {"Origin: http://evil.test\r\n", 403},
        {"Origin: null\r\n", 403},
        {"Origin: http://study.test.evil.test\r\n", 403},
        {"Origin: http://study.test:81\r\n", 403},
        {"Sec-Fetch-Site: cross-site\r\n", 403},
        {"Sec-Fetch-Site: same-site\r\n", 403},
        {"Sec-Fetch-Site: cross-site\r\nOrigin: http://study.test\r\n", 403},
        {"Origin: http://study.test\r\n", 200},
        {"Sec-Fetch-Site: same-origin\r\n", 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply reply =
            ask(&scene, "POST", "/api/events", cookie, rows[i].headers, "{\"events\": []}");
        if (reply.status != rows[i].status) fail_msg("%s: %d", rows[i].headers, reply.status);
        assert_null(strstr(reply.head, "Access-Control"));
        reply_release(&reply);
    }
}

/* ---- Script in texts ---- */

#define SCRIPT "<script>alert(1)</script>"

/* No reply may look like a page with a script to a browser. */
static void check_harmless(struct reply reply)
{
    assert_non_null(strstr(reply.head, "X-Content-Type-Options: nosniff"));
    assert_non_null(strstr(reply.head, "Content-Security-Policy: default-src 'none'"));
    bool page = strstr(reply.head, "Content-Type: text/html") != NULL;
    if (page && reply.body) assert_null(strstr(reply.body, "alert(1)"));
    assert_null(strstr(reply.head, "alert(1)"));
    reply_release(&reply);
}

static void test_script_in_any_text_comes_back_as_text(void **state)
{
    (void)state;
    char visitor[65];
    check_harmless(get(&scene, "/?participant=%3Cscript%3Ealert(1)%3C/script%3E", NULL));
    check_harmless(get(&scene, "/?%3Cscript%3Ealert(1)%3C/script%3E=1", NULL));
    check_harmless(get(&scene, "/web/%3Cscript%3Ealert(1)%3C", NULL));
    check_harmless(get(&scene, "/image/%3Cscript%3Ealert(1)%3C", NULL));
    check_harmless(get(&scene, "/%3Cscript%3Ealert(1)%3C", NULL));
    check_harmless(ask(&scene, "GET", "/?participant=agent", NULL,
                       "User-Agent: agent-trace " SCRIPT "\r\nReferer: http://x/" SCRIPT "\r\n",
                       NULL));
    arrive(&scene, "/?participant=scripted", visitor);
    check_harmless(
        post(&scene, "/api/consent", visitor, "{\"version\": \"" SCRIPT "\", \"agreed\": true}"));
    check_harmless(post(&scene, "/api/consent", visitor, "{\"" SCRIPT "\": 1}"));
    check_harmless(post(&scene, "/api/events", visitor,
                        "{\"events\": [{\"kind\": \"" SCRIPT "\", \"at\": 1}]}"));
    check_harmless(post(&scene, "/api/debrief", visitor, "{\"answers\": [\"" SCRIPT "\"]}"));
    check_harmless(post(&scene, "/api/answer", cookie, bad_answers[20]));
    check_harmless(get(&scene, "/api/session", visitor));
}

/* ---- Connections ---- */

static void test_idle_and_half_sent_connections_keep_nobody_out(void **state)
{
    (void)state;
    enum { MANY = 200 };
    static const char half[] = "POST /api/answer HTTP/1.1\r\n" HOST "Content-Length: 50\r\n\r\n{";
    int clients[MANY];
    for (size_t i = 0; i < MANY; i++) {
        clients[i] = connect_to_server();
        say(clients[i], half, i % 3 == 0 ? 0 : i % 3 == 1 ? 9 : sizeof half - 1);
    }
    check_alive();
    assert_string_equal(place_of(&scene, cookie), "trials");
    for (size_t i = 0; i < MANY; i++)
        close(clients[i]);
    check_alive();
}

/* A byte every half second would hold a connection for minutes. */
static void test_a_slow_request_is_closed_at_its_deadline(void **state)
{
    (void)state;
    static const char request[] = "GET /study HTTP/1.1\r\nHost: study.test\r\nX: slow and slower";
    int client = connect_to_server();
    size_t sent = 0;
    char byte;
    for (; sent < sizeof request - 1; sent++) {
        if (send(client, request + sent, 1, MSG_NOSIGNAL) != 1) break;
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        if (recv(client, &byte, 1, MSG_DONTWAIT) == 0) break;
    }
    close(client);
    assert_true(sent < 30);
    check_alive();
}

/* ---- What is left of it ---- */

static void check_no_trace(const char *name)
{
    static const char *const traces[] = {"agent-trace", "mallory", "replayed", "scripted"};
    struct sl_buffer bytes;
    struct sl_error err;
    char *path = sl_path_join(scene.folder, name);
    sl_buffer_init(&bytes, 256 << 20);
    if (sl_file_read(path, &bytes, &err) == SL_OK)
        for (size_t i = 0; i < sizeof traces / sizeof *traces; i++)
            if (memmem(bytes.data, bytes.length, traces[i], strlen(traces[i])))
                fail_msg("%s holds \"%s\"", name, traces[i]);
    sl_buffer_release(&bytes);
    free(path);
}

static enum sl_status count_row(const struct sl_store_row *row, void *context)
{
    (void)row;
    ++*(size_t *)context;
    return SL_OK;
}

static void test_the_store_holds_nothing_of_it(void **state)
{
    (void)state;
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    struct sl_error err;
    size_t answers = 0;
    assert_true(server_process_stop(&process));
    assert_ok(sl_study_read(scene.folder, &study, &err), err);
    assert_ok(sl_study_store(study, true, &store, &err), err);
    assert_ok(sl_store_each_answer(store, count_row, &answers, &err), err);
    sl_store_close(store);
    sl_study_destroy(study);
    assert_int_equal(answers, 0);
    check_no_trace("study.db");
    check_no_trace("study.db-wal");
}

static int begin(void **state)
{
    (void)state;
    scene_make(&scene, 12, 6,
               "{\"recruiter\": {\"kind\": \"generic\", \"person\": \"participant\"}, "
               "\"flow\": {\"practice\": false}}");
    if (!server_process_start(&process, SOFTLAB_PROGRAM, scene.folder, 0)) return -1;
    scene.port = process.port;
    arrive(&scene, "/?participant=victim", cookie);
    pass_to_trials(&scene, cookie);
    return 0;
}

static int end(void **state)
{
    server_process_kill(&process);
    return test_folder_clear(state);
}

int main(int argc, char **argv)
{
    bool slow = argc > 1 && strcmp(argv[1], "--slow") == 0;
    alarm(240);
    const struct CMUnitTest slow_tests[] = {
        cmocka_unit_test(test_a_slow_request_is_closed_at_its_deadline)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_get_the_status_they_deserve),
        cmocka_unit_test(test_what_is_too_large_is_refused),
        cmocka_unit_test(test_bodies_that_are_wrong_store_nothing),
        cmocka_unit_test(test_json_that_is_deep_is_refused),
        cmocka_unit_test(test_bodies_that_are_no_json_by_their_type_are_refused),
        cmocka_unit_test(test_tokens_are_worth_nothing_unless_they_are_ours),
        cmocka_unit_test(test_a_token_that_was_replaced_is_dead),
        cmocka_unit_test(test_a_foreign_token_reaches_only_its_own_session),
        cmocka_unit_test(test_pages_of_other_sites_can_post_nothing),
        cmocka_unit_test(test_script_in_any_text_comes_back_as_text),
        cmocka_unit_test(test_idle_and_half_sent_connections_keep_nobody_out),
        cmocka_unit_test(test_the_store_holds_nothing_of_it),
    };
    if (slow) return cmocka_run_group_tests(slow_tests, begin, end);
    return cmocka_run_group_tests(tests, begin, end);
}
