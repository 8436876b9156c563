/* Clients that send ahead of their replies, as an attacker would: what they send is parsed by the
 * same rules as anything else, one request at a time, and costs the server no memory. */
#include "http_scene.h"

#include <malloc.h>
#include <stdatomic.h>

enum { LARGE = 4 << 20 };
static char large[LARGE];

static void reply_path(struct sl_http_exchange *exchange, void *context)
{
    atomic_uint *handled = context;
    atomic_fetch_add(handled, 1);
    assert_non_null(sl_http_request_header(exchange, "Host"));
    assert_true(sl_http_same_origin(exchange) || sl_http_request_header(exchange, "Origin"));
    const char *text = sl_http_segment(exchange);
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "text/plain", .body = text, .length = strlen(text)});
}

static void reply_large(struct sl_http_exchange *exchange, void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "image/png", .body = large, .length = sizeof large});
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/item/", reply_path},
    {SL_HTTP_POST, "/post", reply_path},
    {SL_HTTP_GET, "/large", reply_large},
    {SL_HTTP_GET, NULL, NULL},
};

struct visit {
    struct scene scene;
    atomic_uint handled;
};

static void begin(struct visit *visit)
{
    struct sl_http_options options = scene_options(routes);
    atomic_init(&visit->handled, 0);
    options.context = &visit->handled;
    scene_open(&visit->scene, &options);
    scene_start(&visit->scene);
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static void test_requests_sent_together_are_answered_in_order(void **state)
{
    (void)state;
    struct visit visit;
    char reply[4096] = "";
    begin(&visit);
    scene_ask(&visit.scene,
              "GET /item/first HTTP/1.1\r\nHost: h\r\n\r\n"
              "POST /post HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345"
              "GET /item/third HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
              "GET /item/fourth HTTP/1.1\r\nHost: h\r\n\r\n",
              reply, sizeof reply);
    scene_close(&visit.scene);
    const char *first = strstr(reply, "\r\n\r\nfirst"), *third = strstr(reply, "\r\n\r\nthird");
    assert_non_null(first);
    assert_non_null(third);
    assert_true(first < third);
    assert_int_equal(occurrences(reply, "HTTP/1.1 200 OK"), 3);
    assert_int_equal(visit.handled, 3);
}

/* What is refused at the head of a connection is refused behind an unread reply as well. */
static void test_what_comes_behind_an_unread_reply_is_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "POST /post HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "GET /item/x HTTP/1.1\r\nOrigin: http://h\r\n\r\n",
        "GET /item/../x HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /item/x HTTP/1.1\nHost: h\r\n\r\n",
    };
    char *reply = sl_alloc(LARGE + 8192, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct visit visit;
        begin(&visit);
        int client = scene_connect(&visit.scene);
        scene_say(client, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
        while (atomic_load(&visit.handled) == 0)
            scene_doze();
        scene_say(client, bad[i]);
        ssize_t length = scene_hear_all(client, reply, LARGE + 8192);
        assert_true(length > LARGE);
        const char *second = strstr(scene_body(reply) + LARGE, "HTTP/1.1 4");
        assert_non_null(second);
        assert_non_null(strstr(second, "\r\nConnection: close\r\n"));
        close(client);
        scene_close(&visit.scene);
        assert_int_equal(visit.handled, 1);
    }
    free(reply);
}

static int connect_with_small_buffer(const struct scene *scene)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(sl_http_port(scene->listener)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int client = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {.tv_sec = 10};
    setsockopt(client, SOL_SOCKET, SO_RCVBUF, &(int){2048}, sizeof(int));
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    return client;
}

/* Many requests whose replies nobody reads, then one with Origin and without Host. */
static void test_unread_replies_and_a_request_without_host_harm_nobody(void **state)
{
    (void)state;
    struct visit visit;
    begin(&visit);
    int client = connect_with_small_buffer(&visit.scene);
    char post[9000];
    memset(post, 'a', sizeof post);
    int head = snprintf(post, sizeof post,
                        "POST /post HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", 8000);
    post[head] = 'a';
    for (int i = 0; i < 34; i++)
        scene_say_bytes(client, post, (size_t)head + 8000);
    scene_say(client, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
    scene_say(client, "POST /post HTTP/1.1\r\nOrigin: http://h\r\nContent-Length: 0\r\n\r\n");
    while (atomic_load(&visit.handled) < 35)
        scene_doze();
    char *reply = sl_alloc(LARGE + (64 << 10), 1);
    assert_true(scene_hear_all(client, reply, LARGE + (64 << 10)) > LARGE);
    assert_int_equal(occurrences(reply, "HTTP/1.1 200 OK"), 35);
    free(reply);
    close(client);
    scene_close(&visit.scene);
    assert_int_equal(visit.handled, 35);
}

/* A client may send without end while its reply waits; the kernel holds what fits there, and the
 * server nothing. */
static void test_what_is_sent_ahead_stays_in_the_kernel(void **state)
{
    (void)state;
    struct visit visit;
    begin(&visit);
    int client = connect_with_small_buffer(&visit.scene);
    scene_say(client, "GET /large HTTP/1.1\r\nHost: h\r\n\r\n");
    while (atomic_load(&visit.handled) == 0)
        scene_doze();
    static char bytes[64 << 10];
    size_t sent = 0, stuck = 0;
    struct mallinfo2 before = mallinfo2();
    memset(bytes, 'x', sizeof bytes);
    while (stuck < 20 && sent < (256U << 20)) {
        ssize_t length = send(client, bytes, sizeof bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (length > 0) sent += (size_t)length;
        stuck = length > 0 ? 0 : stuck + 1;
        if (length <= 0) scene_doze();
    }
    struct mallinfo2 after = mallinfo2();
    assert_true(sent < (64U << 20)); /* and not all that was on offer */
    assert_true(after.uordblks < before.uordblks + (1 << 20));
    close(client);
    scene_close(&visit.scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_sent_together_are_answered_in_order),
        cmocka_unit_test(test_what_comes_behind_an_unread_reply_is_checked),
        cmocka_unit_test(test_unread_replies_and_a_request_without_host_harm_nobody),
        cmocka_unit_test(test_what_is_sent_ahead_stays_in_the_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
