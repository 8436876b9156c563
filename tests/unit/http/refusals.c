#include "http_scene.h"

#include <errno.h>

static void count_and_reply(struct sl_http_exchange *exchange, void *context)
{
    (*(unsigned *)context)++;
    sl_http_send(exchange, &(struct sl_http_reply){
                               .status = 200, .type = "text/plain", .body = "yes", .length = 3});
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", count_and_reply},
    {SL_HTTP_GET, "/page", count_and_reply},
    {SL_HTTP_POST, "/post", count_and_reply},
    {SL_HTTP_GET, "/item/", count_and_reply},
    {SL_HTTP_GET, NULL, NULL},
};

/* The host of the tables below. */
#define H "Host: h\r\n"

struct row {
    const char *name, *request;
    int status;
};

static const struct row refused[] = {
    {"chunked", "POST /post HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
    {"chunked with length",
     "POST /post HTTP/1.1\r\n" H "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     411},
    {"chunked GET", "GET / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n", 411},
    {"identity", "POST /post HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\n", 411},
    {"two lengths", "POST /post HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
     400},
    {"two lengths that differ",
     "POST /post HTTP/1.1\r\n" H "Content-Length: 3\r\ncontent-length: 4\r\n\r\nabcd", 400},
    {"list of lengths", "POST /post HTTP/1.1\r\n" H "Content-Length: 3, 3\r\n\r\nabc", 400},
    {"word as length", "POST /post HTTP/1.1\r\n" H "Content-Length: three\r\n\r\nabc", 400},
    {"plus sign", "POST /post HTTP/1.1\r\n" H "Content-Length: +3\r\n\r\nabc", 400},
    {"minus sign", "POST /post HTTP/1.1\r\n" H "Content-Length: -3\r\n\r\nabc", 400},
    {"hexadecimal", "POST /post HTTP/1.1\r\n" H "Content-Length: 0x3\r\n\r\nabc", 400},
    {"empty length", "POST /post HTTP/1.1\r\n" H "Content-Length:\r\n\r\n", 400},
    {"length beyond 64 bits",
     "POST /post HTTP/1.1\r\n" H "Content-Length: 18446744073709551617\r\n\r\n", 400},
    {"no length", "POST /post HTTP/1.1\r\n" H "\r\n", 411},
    {"large body", "POST /post HTTP/1.1\r\n" H "Content-Length: 65537\r\n\r\n", 413},
    {"GET with body", "GET / HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc", 400},
    {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"no host in 1.0", "GET / HTTP/1.0\r\n\r\n", 400},
    {"two hosts", "GET / HTTP/1.1\r\n" H "host: h\r\n\r\n", 400},
    {"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400},
    {"list of hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400},
    {"host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    {"two cookies", "GET / HTTP/1.1\r\n" H "Cookie: a=1\r\nCookie: a=2\r\n\r\n", 400},
    {"two origins", "GET / HTTP/1.1\r\n" H "Origin: http://h\r\nOrigin: http://i\r\n\r\n", 400},
    {"expect", "POST /post HTTP/1.1\r\n" H "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n",
     417},
    {"PUT", "PUT / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n", 405},
    {"DELETE", "DELETE / HTTP/1.1\r\n" H "\r\n", 405},
    {"OPTIONS", "OPTIONS * HTTP/1.1\r\n" H "\r\n", 405},
    {"CONNECT", "CONNECT h:443 HTTP/1.1\r\n" H "\r\n", 405},
    {"TRACE", "TRACE / HTTP/1.1\r\n" H "\r\n", 405},
    {"small letters", "get / HTTP/1.1\r\n" H "\r\n", 405},
    {"unknown method", "BREW / HTTP/1.1\r\n" H "\r\n", 405},
    {"method of signs", "(x) / HTTP/1.1\r\n" H "\r\n", 400},
    {"HTTP/2", "GET / HTTP/2.0\r\n" H "\r\n", 505},
    {"HTTP/1.2", "GET / HTTP/1.2\r\n" H "\r\n", 505},
    {"HTTP/0.9", "GET /\r\n" H "\r\n", 400},
    {"no version", "GET / \r\n" H "\r\n", 400},
    {"another protocol", "GET / HTCPCP/1.0\r\n" H "\r\n", 400},
    {"two spaces", "GET  / HTTP/1.1\r\n" H "\r\n", 400},
    {"space at the end", "GET / HTTP/1.1 \r\n" H "\r\n", 400},
    {"tab for a space", "GET\t/ HTTP/1.1\r\n" H "\r\n", 400},
    {"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"TLS", "\x16\x03\x01\x02\x01\r\n\r\n", 400},
    {"empty line first", "\r\nGET / HTTP/1.1\r\n" H "\r\n", 400},
    {"bare LF", "GET / HTTP/1.1\n" H "\r\n", 400},
    {"bare LF in headers", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400},
    {"bare LF at the end", "GET / HTTP/1.1\r\n" H "\n", 400},
    {"bare CR", "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400},
    {"folded line", "GET / HTTP/1.1\r\n" H "X: a\r\n b\r\n\r\n", 400},
    {"folded by tab", "GET / HTTP/1.1\r\n" H "X: a\r\n\tb\r\n\r\n", 400},
    {"folded first line", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
    {"space before colon", "GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
    {"hidden encoding", "GET / HTTP/1.1\r\n" H "Transfer-Encoding : chunked\r\n\r\n", 400},
    {"no colon", "GET / HTTP/1.1\r\n" H "nonsense\r\n\r\n", 400},
    {"no name", "GET / HTTP/1.1\r\n" H ": x\r\n\r\n", 400},
    {"control in a value",
     "GET / HTTP/1.1\r\n" H "X: a\x01"
     "b\r\n\r\n",
     400},
    {"absolute target", "GET http://h/ HTTP/1.1\r\n" H "\r\n", 400},
    {"no slash", "GET page HTTP/1.1\r\n" H "\r\n", 400},
    {"escaped NUL", "GET /page%00 HTTP/1.1\r\n" H "\r\n", 400},
    {"escaped newline", "GET /page%0a HTTP/1.1\r\n" H "\r\n", 400},
    {"dots", "GET /item/../page HTTP/1.1\r\n" H "\r\n", 400},
    {"dots at the end", "GET /item/.. HTTP/1.1\r\n" H "\r\n", 400},
    {"one dot", "GET /./page HTTP/1.1\r\n" H "\r\n", 400},
    {"escaped dots", "GET /item/%2e%2E HTTP/1.1\r\n" H "\r\n", 400},
    {"half escaped dots", "GET /item/.%2e/x HTTP/1.1\r\n" H "\r\n", 400},
    {"escaped slash", "GET /item/a%2Fb HTTP/1.1\r\n" H "\r\n", 400},
    {"two slashes", "GET //page HTTP/1.1\r\n" H "\r\n", 400},
    {"two slashes inside", "GET /item//x HTTP/1.1\r\n" H "\r\n", 400},
    {"backslash", "GET /item/a\\b HTTP/1.1\r\n" H "\r\n", 400},
    {"escaped backslash", "GET /item/a%5cb HTTP/1.1\r\n" H "\r\n", 400},
    {"bad escape", "GET /item/%zz HTTP/1.1\r\n" H "\r\n", 400},
    {"short escape", "GET /item/%4 HTTP/1.1\r\n" H "\r\n", 400},
    {"not UTF-8", "GET /item/%ff HTTP/1.1\r\n" H "\r\n", 400},
    {"raw byte", "GET /item/\xc3\xa9 HTTP/1.1\r\n" H "\r\n", 400},
    {"fragment", "GET /page#x HTTP/1.1\r\n" H "\r\n", 400},
    {"NUL in the query", "GET /page?a=%00 HTTP/1.1\r\n" H "\r\n", 400},
    {"bad escape in the query", "GET /page?a=%PR HTTP/1.1\r\n" H "\r\n", 400},
};

static void test_what_is_refused_is_refused_politely_and_closed(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    bool failed = false;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const struct row *row = &refused[i];
        char reply[4096] = "";
        ssize_t length = scene_ask(&scene, row->request, reply, sizeof reply);
        bool ok = length > 0 && scene_status(reply) == row->status &&
                  strstr(reply, "\r\nConnection: close\r\n") &&
                  strstr(reply, "\r\nX-Content-Type-Options: nosniff\r\n") &&
                  !strstr(reply, "\r\nServer:") && strstr(scene_body(reply), "{\"error\": \"") &&
                  (row->status != 405 || strstr(reply, "\r\nAllow: GET, HEAD, POST\r\n"));
        if (!ok) print_error("%s: expected %d, got: %s\n", row->name, row->status, reply);
        failed = failed || !ok;
    }
    scene_close(&scene);
    assert_false(failed);
    assert_int_equal(handled, 0);
}

static const struct row served[] = {
    {"plain", "GET / HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200},
    {"no space after colon", "GET / HTTP/1.1\r\nHost:h\r\nConnection:close\r\n\r\n", 200},
    {"close among others", "GET / HTTP/1.1\r\n" H "Connection: foo, Close\r\n\r\n", 200},
    {"address as host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n", 200},
    {"zero body of a GET", "GET / HTTP/1.1\r\n" H "Content-Length: 0\r\nConnection: close\r\n\r\n",
     200},
    {"post", "POST /post HTTP/1.1\r\n" H "Content-Length: 3\r\nConnection: close\r\n\r\nabc", 200},
    {"empty post", "POST /post HTTP/1.1\r\n" H "Content-Length: 0\r\nConnection: close\r\n\r\n",
     200},
    {"HEAD", "HEAD / HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200},
    {"HEAD of a post", "HEAD /post HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 405},
    {"segment", "GET /item/x HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200},
    {"three dots", "GET /item/... HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 200},
    {"1.0", "GET / HTTP/1.0\r\n" H "\r\n", 200},
    {"1.0 that wants to stay", "GET / HTTP/1.0\r\n" H "Connection: keep-alive\r\n\r\n", 200},
    {"no segment", "GET /item/ HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 404},
    {"two segments", "GET /item/x/y HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 404},
    {"beginning of a route", "GET /pag HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 404},
    {"more than a route", "GET /page/ HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 404},
    {"slash takes no segment", "GET /x HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 404},
    {"post to a page", "POST /page HTTP/1.1\r\n" H "Content-Length: 0\r\nConnection: close\r\n\r\n",
     405},
    {"get of a post", "GET /post HTTP/1.1\r\n" H "Connection: close\r\n\r\n", 405},
};

static void test_what_is_plain_is_served(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    bool failed = false;
    for (size_t i = 0; i < sizeof served / sizeof *served; i++) {
        char reply[4096] = "";
        scene_ask(&scene, served[i].request, reply, sizeof reply);
        bool ok = scene_status(reply) == served[i].status &&
                  strstr(reply, "\r\nX-Content-Type-Options: nosniff\r\n") &&
                  strstr(reply, "\r\nConnection: close\r\n") && !strstr(reply, "keep-alive") &&
                  (served[i].status != 405 || strstr(reply, "\r\nAllow: "));
        if (!ok) print_error("%s: expected %d, got: %s\n", served[i].name, served[i].status, reply);
        failed = failed || !ok;
    }
    scene_close(&scene);
    assert_false(failed);
    assert_int_equal(handled, 12);
}

/* The client is let finish and hears why, which a reset in the middle would prevent. */
static void test_large_requests_are_refused_before_they_are_read(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    static char padding[1000 * 1000];
    memset(padding, 'a', sizeof padding);
    static const struct row large[] = {
        {"body", "POST /post HTTP/1.1\r\n" H "Content-Length: 1000000\r\n\r\n", 413},
        {"header", "GET / HTTP/1.1\r\n" H "X: ", 431},
        {"target", "GET /", 431},
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char reply[4096] = "";
        int client = scene_connect(&scene);
        scene_say(client, large[i].request);
        assert_true(scene_say_bytes(client, padding, sizeof padding));
        assert_true(scene_hear_all(client, reply, sizeof reply) > 0);
        assert_int_equal(scene_status(reply), large[i].status);
        /* The reply is there and the server still listens; had it closed, the first of these
         * would be answered by a reset and the others fail. */
        for (int more = 0; more < 3; more++) {
            assert_true(scene_say_bytes(client, padding, 1000));
            scene_doze();
        }
        close(client);
    }
    scene_close(&scene);
    assert_int_equal(handled, 0);
}

static void test_too_many_header_lines_and_long_paths_are_refused(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    struct sl_buffer request;
    char reply[4096] = "";
    sl_buffer_init(&request, 1 << 16);
    sl_buffer_text(&request, "GET / HTTP/1.1\r\n" H);
    for (int i = 0; i < 100; i++)
        sl_buffer_printf(&request, "X-%d: y\r\n", i);
    sl_buffer_text(&request, "\r\n");
    scene_ask(&scene, request.data, reply, sizeof reply);
    assert_int_equal(scene_status(reply), 431);
    sl_buffer_clear(&request);
    sl_buffer_printf(&request, "GET /item/%0300d HTTP/1.1\r\n" H "\r\n", 0);
    scene_ask(&scene, request.data, reply, sizeof reply);
    assert_int_equal(scene_status(reply), 414);
    sl_buffer_release(&request);
    scene_close(&scene);
    assert_int_equal(handled, 0);
}

static void test_a_NUL_in_a_header_is_refused(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    static const char inside[] = "GET / HTTP/1.1\r\nHost: h\0i\r\n\r\n";
    static const char at_end[] = "GET / HTTP/1.1\r\nHost: h\r\nX: y\0\r\n\r\n";
    static const char in_line[] = "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n";
    const struct {
        const char *bytes;
        size_t length;
    } rows[] = {
        {inside, sizeof inside - 1}, {at_end, sizeof at_end - 1}, {in_line, sizeof in_line - 1}};
    for (size_t i = 0; i < 3; i++) {
        char reply[4096] = "";
        int client = scene_connect(&scene);
        scene_say_bytes(client, rows[i].bytes, rows[i].length);
        assert_true(scene_hear_all(client, reply, sizeof reply) > 0);
        assert_int_equal(scene_status(reply), 400);
        close(client);
    }
    scene_close(&scene);
    assert_int_equal(handled, 0);
}

/* What is closed at a deadline, whatever the client keeps sending. */
static void expect_close(struct scene *scene, const char *begin, const char *drop)
{
    char reply[64] = "";
    int client = scene_connect(scene);
    scene_say(client, begin);
    struct timeval soon = {.tv_usec = 20000};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    ssize_t length = -1;
    for (int i = 0; i < 1000 && length < 0; i++) {
        if (drop) scene_say(client, drop);
        length = recv(client, reply, sizeof reply, 0);
        if (length < 0 && errno == ECONNRESET) length = 0;
    }
    assert_int_equal(length, 0);
    close(client);
}

static void test_slow_requests_are_closed_at_the_deadline(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    options.deadline_seconds = 0.2;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    expect_close(&scene, "GET / HTTP/1.1\r\n" H "X: ", "y");
    expect_close(&scene, "POST /post HTTP/1.1\r\n" H "Content-Length: 60000\r\n\r\n", "y");
    expect_close(&scene, "G", NULL);
    scene_close(&scene);
    assert_int_equal(handled, 0);
}

static void test_idle_connections_are_closed(void **state)
{
    (void)state;
    unsigned handled = 0;
    struct sl_http_options options = scene_options(routes);
    options.context = &handled;
    options.idle_seconds = 0.2;
    struct scene scene;
    scene_open(&scene, &options);
    scene_start(&scene);
    expect_close(&scene, "", NULL);
    char reply[4096] = "";
    int client = scene_connect(&scene);
    scene_say(client, "GET / HTTP/1.1\r\n" H "\r\n");
    scene_hear(client, reply, sizeof reply);
    assert_int_equal(scene_hear_all(client, reply, sizeof reply), 0);
    close(client);
    scene_close(&scene);
    assert_int_equal(handled, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_refused_is_refused_politely_and_closed),
        cmocka_unit_test(test_what_is_plain_is_served),
        cmocka_unit_test(test_large_requests_are_refused_before_they_are_read),
        cmocka_unit_test(test_too_many_header_lines_and_long_paths_are_refused),
        cmocka_unit_test(test_a_NUL_in_a_header_is_refused),
        cmocka_unit_test(test_slow_requests_are_closed_at_the_deadline),
        cmocka_unit_test(test_idle_connections_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
