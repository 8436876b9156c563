#include "http/http_internal.h"
#include "http_scene.h"

/* Says what the server understood, one line per question. */
static void echo(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    struct sl_buffer text;
    size_t length = 0;
    const char *body = sl_http_body(exchange, &length);
    const char *query = sl_http_query(exchange, "q"), *cookie = sl_http_cookie(exchange, "c");
    const char *header = sl_http_request_header(exchange, "x-header");
    sl_buffer_init(&text, 1 << 17);
    sl_buffer_printf(&text, "segment=%s|q=%s|c=%s|header=%s|peer=%s|same=%d|body=",
                     sl_http_segment(exchange), query ? query : "-", cookie ? cookie : "-",
                     header ? header : "-", sl_http_peer(exchange), sl_http_same_origin(exchange));
    sl_buffer_append(&text, body, length);
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "text/plain",
                                                   .body = text.data,
                                                   .length = text.length});
    sl_buffer_release(&text);
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", echo},      {SL_HTTP_GET, "/item/", echo}, {SL_HTTP_GET, "/deep/*", echo},
    {SL_HTTP_POST, "/post", echo}, {SL_HTTP_GET, NULL, NULL},
};

static int open_server(void **state)
{
    static struct scene scene;
    struct sl_http_options options = scene_options(routes);
    scene_open(&scene, &options);
    scene_start(&scene);
    *state = &scene;
    return 0;
}

static int close_server(void **state)
{
    scene_close(*state);
    return 0;
}

static void expect(struct scene *scene, const char *request, const char *part)
{
    char reply[4096] = "";
    scene_ask(scene, request, reply, sizeof reply);
    if (scene_status(reply) == 200 && strstr(scene_body(reply), part)) return;
    print_error("%s\nshould say %s, said %s\n", request, part, reply);
    fail();
}

#define GET(target)   "GET " target " HTTP/1.1\r\nHost: h.example:80\r\nConnection: close\r\n\r\n"
#define WITH(headers) "GET / HTTP/1.1\r\nHost: h.example:80\r\nConnection: close\r\n" headers "\r\n"

static void test_segments_are_decoded(void **state)
{
    expect(*state, GET("/item/abc"), "segment=abc|");
    expect(*state, GET("/item/a%20b%C3%A9+c"), "segment=a b\xc3\xa9+c|");
    expect(*state, GET("/item/%2e%2e%2e"), "segment=...|");
    expect(*state, GET("/%69tem/x"), "segment=x|");
    expect(*state, GET("/"), "segment=|");
}

static void test_a_star_takes_all_that_follows(void **state)
{
    static const char *const nothing[] = {GET("/deep/"), GET("/deep"), GET("/deeper/a"),
                                          GET("/deep/a/../b")};
    expect(*state, GET("/deep/a"), "segment=a|");
    expect(*state, GET("/deep/a/b%20c/d.js"), "segment=a/b c/d.js|");
    expect(*state, GET("/deep/a/*"), "segment=a/*|");
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        char reply[4096] = "";
        scene_ask(*state, nothing[i], reply, sizeof reply);
        assert_true(scene_status(reply) == 404 || scene_status(reply) == 400);
    }
}

static void test_queries_are_decoded(void **state)
{
    expect(*state, GET("/?q=1"), "q=1|");
    expect(*state, GET("/?a=b&q=x+y%26z%3D&q=second"), "q=x y&z=|");
    expect(*state, GET("/?%71=named"), "q=named|");
    expect(*state, GET("/?q"), "q=|");
    expect(*state, GET("/?q="), "q=|");
    expect(*state, GET("/?&&=x&q=a=b&"), "q=a=b|");
    expect(*state, GET("/?"), "q=-|");
    expect(*state, GET("/?Q=1"), "q=-|");
    expect(*state, GET("/?q=/../?x"), "q=/../?x|");
}

static void test_cookies_are_found(void **state)
{
    expect(*state, WITH("Cookie: c=1\r\n"), "c=1|");
    expect(*state, WITH("Cookie: a=0; c=two words ; d=3\r\n"), "c=two words|");
    expect(*state, WITH("Cookie: nonsense; =x; cc=0;c=a=b\r\n"), "c=a=b|");
    expect(*state, WITH("Cookie: c=; c=2\r\n"), "c=|");
    expect(*state, WITH("Cookie: ;;;\r\n"), "c=-|");
    expect(*state, WITH(""), "c=-|");
}

static void test_headers_are_found_in_any_case(void **state)
{
    expect(*state, WITH("X-HEADER:  spaced out \t\r\n"), "header=spaced out|");
    expect(*state, WITH(""), "header=-|");
    expect(*state, WITH(""), "peer=127.0.0.1|");
}

static void test_same_origin_is_what_the_browser_says(void **state)
{
    expect(*state, WITH(""), "same=1|");
    expect(*state, WITH("Sec-Fetch-Site: same-origin\r\n"), "same=1|");
    expect(*state, WITH("Sec-Fetch-Site: none\r\n"), "same=1|");
    expect(*state, WITH("Sec-Fetch-Site: same-site\r\n"), "same=0|");
    expect(*state, WITH("Sec-Fetch-Site: cross-site\r\n"), "same=0|");
    expect(*state, WITH("Sec-Fetch-Site: same-origin\r\nOrigin: http://evil\r\n"), "same=1|");
    expect(*state, WITH("Sec-Fetch-Site: cross-site\r\nOrigin: http://h.example:80\r\n"),
           "same=0|");
    expect(*state, WITH("Origin: http://h.example:80\r\n"), "same=1|");
    expect(*state, WITH("Origin: https://H.Example:80\r\n"), "same=1|");
    expect(*state, WITH("Origin: http://h.example\r\n"), "same=0|");
    expect(*state, WITH("Origin: http://h.example:80.evil\r\n"), "same=0|");
    expect(*state, WITH("Origin: ftp://h.example:80\r\n"), "same=0|");
    expect(*state, WITH("Origin: null\r\n"), "same=0|");
    expect(*state, WITH("Origin:\r\n"), "same=0|");
}

static void test_bodies_arrive_whole(void **state)
{
    enum { LARGEST = 64 << 10 };
    struct sl_buffer request;
    static char reply[2 * LARGEST];
    sl_buffer_init(&request, 1 << 20);
    sl_buffer_printf(&request,
                     "POST /post HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                     "Content-Length: %d\r\n\r\n",
                     LARGEST);
    size_t head = request.length;
    for (int i = 0; i < LARGEST; i++)
        sl_buffer_byte(&request, (char)('a' + i % 26));
    assert_true(scene_ask(*state, request.data, reply, sizeof reply) > LARGEST);
    const char *body = strstr(reply, "|body=");
    assert_non_null(body);
    assert_int_equal(strlen(body + 6), LARGEST);
    assert_memory_equal(body + 6, request.data + head, LARGEST);
    sl_buffer_release(&request);
}

/* One connection, many requests, each in three parts and byte by byte. */
static void test_requests_follow_each_other_in_any_pieces(void **state)
{
    static const char request[] =
        "POST /post HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nnine more";
    int client = scene_connect(*state);
    for (size_t size = 1; size < sizeof request; size += size < 3 ? 1 : 11) {
        char reply[4096] = "";
        for (size_t at = 0; at < sizeof request - 1; at += size) {
            size_t rest = sizeof request - 1 - at;
            scene_say_bytes(client, request + at, rest < size ? rest : size);
        }
        scene_hear(client, reply, sizeof reply);
        assert_int_equal(scene_status(reply), 200);
        assert_null(strstr(reply, "Connection: close"));
        assert_string_equal(strstr(reply, "|body="), "|body=nine more");
    }
    close(client);
}

static void test_heads_are_found_wherever_they_are_cut(void **state)
{
    (void)state;
    static const char bytes[] = "GET / HTTP/1.1\r\nHost: h\r\n\r\nrest";
    size_t length = sizeof bytes - 1, head = length - 4;
    for (size_t first = 0; first < length; first++) {
        size_t at = 0;
        enum sl_http_scan scan = sl_http_head_scan(bytes, first, &at);
        assert_int_equal(scan, first < head ? SL_HTTP_MORE : SL_HTTP_HEAD);
        if (scan == SL_HTTP_MORE)
            assert_int_equal(sl_http_head_scan(bytes, length, &at), SL_HTTP_HEAD);
        assert_int_equal(at, head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_are_decoded),
        cmocka_unit_test(test_a_star_takes_all_that_follows),
        cmocka_unit_test(test_queries_are_decoded),
        cmocka_unit_test(test_cookies_are_found),
        cmocka_unit_test(test_headers_are_found_in_any_case),
        cmocka_unit_test(test_same_origin_is_what_the_browser_says),
        cmocka_unit_test(test_bodies_arrive_whole),
        cmocka_unit_test(test_requests_follow_each_other_in_any_pieces),
        cmocka_unit_test(test_heads_are_found_wherever_they_are_cut),
    };
    return cmocka_run_group_tests(tests, open_server, close_server);
}
