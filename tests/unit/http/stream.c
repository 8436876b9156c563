#include "http_scene.h"

#include <stdatomic.h>

/* A body of `total` bytes in pieces of `step`, or one that never ends or breaks off. */
struct body {
    size_t total, step, break_at, given;
    atomic_uint pieces, done;
};

static size_t next_piece(void *context, char *buffer, size_t size)
{
    struct body *body = context;
    if (body->break_at && body->given >= body->break_at) return SIZE_MAX;
    size_t length = body->total - body->given;
    if (length > body->step) length = body->step;
    if (length > size) length = size;
    for (size_t i = 0; i < length; i++)
        buffer[i] = (char)('a' + (body->given + i) % 26);
    body->given += length;
    if (length > 0) atomic_fetch_add(&body->pieces, 1);
    return length;
}

static void note_done(void *context)
{
    struct body *body = context;
    atomic_fetch_add(&body->done, 1);
}

static void stream(struct sl_http_exchange *exchange, void *context)
{
    static const struct sl_http_header headers[] = {{"Content-Disposition", "attachment"},
                                                    {"Cache-Control", "private"},
                                                    {"X-Split", "a\r\nInjected: yes"},
                                                    {NULL, NULL}};
    struct sl_http_reply head = {.status = 200, .type = "text/csv", .headers = headers};
    sl_http_stream(exchange, &head, (struct sl_http_source){next_piece, note_done, context});
}

static void nothing(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    sl_http_send(exchange, &(struct sl_http_reply){.status = 204});
}

static char lent_bytes[4 << 20];

static void lend(struct sl_http_exchange *exchange, void *context)
{
    bool same = sl_http_query(exchange, "same") != NULL;
    sl_http_send(exchange, &(struct sl_http_reply){.status = same ? 304 : 200,
                                                   .type = "image/png",
                                                   .body = lent_bytes,
                                                   .length = sizeof lent_bytes,
                                                   .done = note_done,
                                                   .context = context});
}

static void moved(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    static const struct sl_http_header headers[] = {
        {"Location", "/study"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}, {NULL, NULL}};
    sl_http_send(exchange, &(struct sl_http_reply){.status = 303, .headers = headers});
}

static void busy(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    sl_http_fail(exchange, 429, "say \"when\"");
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/stream", stream}, {SL_HTTP_GET, "/nothing", nothing},
    {SL_HTTP_GET, "/moved", moved},   {SL_HTTP_GET, "/busy", busy},
    {SL_HTTP_GET, "/lend", lend},     {SL_HTTP_GET, NULL, NULL},
};

#define GET_CLOSE(path) "GET " path " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

static void open_body(struct scene *scene, struct body *body, double idle_seconds)
{
    struct sl_http_options options = scene_options(routes);
    options.context = body;
    options.idle_seconds = idle_seconds;
    scene_open(scene, &options);
    scene_start(scene);
}

/* The content of chunks, in place; the number of bytes, or -1 if the last chunk is missing. */
static ssize_t unchunk(char *text)
{
    char *to = text;
    for (const char *from = text;;) {
        char *end = NULL;
        unsigned long length = strtoul(from, &end, 16);
        if (end == from) return -1;
        if (length == 0) return to - text;
        memmove(to, end + 2, length);
        to += length;
        from = end + 2 + length + 2;
    }
}

static void expect_alphabet(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        assert_int_equal(text[i], 'a' + i % 26);
}

static void test_a_stream_arrives_whole_in_chunks(void **state)
{
    (void)state;
    enum { TOTAL = 3000000 };
    struct scene scene;
    struct body body = {.total = TOTAL, .step = 10007};
    char *reply = sl_alloc(2 * TOTAL, 1);
    open_body(&scene, &body, 60);
    assert_true(scene_ask(&scene, GET_CLOSE("/stream"), reply, 2 * TOTAL) > TOTAL);
    scene_close(&scene);
    char *content = reply + (scene_body(reply) - reply);
    content[-1] = '\0';
    assert_non_null(strstr(reply, "\r\nTransfer-Encoding: chunked\r\n"));
    assert_non_null(strstr(reply, "\r\nContent-Type: text/csv\r\n"));
    assert_non_null(strstr(reply, "\r\nX-Content-Type-Options: nosniff\r\n"));
    assert_non_null(strstr(reply, "\r\nCache-Control: private\r\n"));
    assert_null(strstr(reply, "no-store"));
    assert_null(strstr(reply, "Injected"));
    assert_int_equal(unchunk(content), TOTAL);
    expect_alphabet(content, TOTAL);
    assert_int_equal(body.done, 1);
    free(reply);
}

static void test_an_empty_stream_ends(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.step = 1};
    char reply[1024] = "";
    open_body(&scene, &body, 60);
    scene_ask(&scene, GET_CLOSE("/stream"), reply, sizeof reply);
    assert_string_equal(scene_body(reply), "0\r\n\r\n");
    scene_close(&scene);
    assert_int_equal(body.done, 1);
}

static void test_the_connection_goes_on_after_a_stream(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = 100, .step = 30};
    char reply[2048] = "";
    open_body(&scene, &body, 60);
    int client = scene_connect(&scene);
    scene_say(client, "GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    size_t length = 0;
    while (!strstr(reply, "\r\n0\r\n\r\n")) {
        ssize_t received = recv(client, reply + length, sizeof reply - 1 - length, 0);
        assert_true(received > 0);
        length += (size_t)received;
    }
    scene_say(client, GET_CLOSE("/busy"));
    assert_true(scene_hear_all(client, reply, sizeof reply) > 0);
    assert_int_equal(scene_status(reply), 429);
    close(client);
    scene_close(&scene);
}

static void test_old_clients_get_a_plain_body(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = 50000, .step = 7000};
    static char reply[60000];
    open_body(&scene, &body, 60);
    scene_ask(&scene, "GET /stream HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", reply,
              sizeof reply);
    scene_close(&scene);
    assert_null(strstr(reply, "chunked"));
    assert_int_equal(strlen(scene_body(reply)), 50000);
    expect_alphabet(scene_body(reply), 50000);
    assert_int_equal(body.done, 1);
}

static void test_a_stream_that_breaks_off_has_no_end(void **state)
{
    (void)state;
    struct scene scene;
    for (size_t break_at = 0; break_at <= 5000; break_at += 2500) {
        struct body body = {.total = 9000, .step = 1000, .break_at = break_at + 1};
        static char reply[20000];
        open_body(&scene, &body, 60);
        scene_ask(&scene, GET_CLOSE("/stream"), reply, sizeof reply);
        scene_close(&scene);
        assert_int_equal(scene_status(reply), 200);
        assert_null(strstr(reply, "\r\n0\r\n\r\n"));
        assert_int_equal(body.done, 1);
    }
}

/* A client that stops reading gets nothing more and is disconnected after the stall timeout. */
static void test_a_reader_that_stalls_pins_no_memory(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = SIZE_MAX, .step = 32 << 10};
    open_body(&scene, &body, 0.2);
    int client = scene_connect(&scene);
    scene_say(client, GET_CLOSE("/stream"));
    while (atomic_load(&body.done) == 0)
        scene_doze();
    /* At most what the system's buffers of both sides hold; 8 MiB is generous. */
    assert_in_range(atomic_load(&body.pieces), 1, 256);
    close(client);
    scene_close(&scene);
    assert_int_equal(body.done, 1);
}

static void test_a_reader_that_goes_ends_the_stream(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = SIZE_MAX, .step = 1000};
    char some[100];
    open_body(&scene, &body, 60);
    int client = scene_connect(&scene);
    scene_say(client, GET_CLOSE("/stream"));
    assert_true(recv(client, some, sizeof some, 0) > 0);
    close(client);
    while (atomic_load(&body.done) == 0)
        scene_doze();
    scene_close(&scene);
    assert_int_equal(body.done, 1);
}

static void test_a_body_that_is_lent_is_given_back_once(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = 0};
    char *reply = sl_alloc(sizeof lent_bytes + 4096, 1), some[100];
    memset(lent_bytes, 'p', sizeof lent_bytes);
    open_body(&scene, &body, 60);
    assert_true(scene_ask(&scene, GET_CLOSE("/lend"), reply, sizeof lent_bytes + 4096) >
                (ssize_t)sizeof lent_bytes);
    assert_memory_equal(scene_body(reply), lent_bytes, sizeof lent_bytes);
    while (atomic_load(&body.done) < 1)
        scene_doze();
    /* A reply without a body, a client that leaves, and a client that is connected when the loop
     * ends. */
    scene_ask(&scene, GET_CLOSE("/lend?same=1"), reply, 4096);
    assert_int_equal(scene_status(reply), 304);
    while (atomic_load(&body.done) < 2)
        scene_doze();
    int client = scene_connect(&scene);
    scene_say(client, GET_CLOSE("/lend"));
    assert_true(recv(client, some, sizeof some, 0) > 0);
    assert_int_equal(atomic_load(&body.done), 2);
    close(client);
    while (atomic_load(&body.done) < 3)
        scene_doze();
    client = scene_connect(&scene);
    scene_say(client, GET_CLOSE("/lend"));
    assert_true(recv(client, some, sizeof some, 0) > 0);
    scene_close(&scene);
    close(client);
    assert_int_equal(body.done, 4);
    free(reply);
}

static void test_an_endless_stream_does_not_outlive_the_loop(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {.total = SIZE_MAX, .step = 1000};
    char some[100];
    open_body(&scene, &body, 60);
    int client = scene_connect(&scene);
    scene_say(client, GET_CLOSE("/stream"));
    assert_true(recv(client, some, sizeof some, 0) > 0);
    scene_close(&scene);
    close(client);
    assert_int_equal(body.done, 1);
}

static void test_replies_carry_what_they_should(void **state)
{
    (void)state;
    struct scene scene;
    struct body body = {0};
    char reply[1024] = "";
    open_body(&scene, &body, 60);
    scene_ask(&scene, GET_CLOSE("/nothing"), reply, sizeof reply);
    assert_int_equal(scene_status(reply), 204);
    assert_null(strstr(reply, "\r\nContent-"));
    assert_string_equal(scene_body(reply), "");
    scene_ask(&scene, GET_CLOSE("/moved"), reply, sizeof reply);
    assert_int_equal(scene_status(reply), 303);
    assert_non_null(strstr(reply, "\r\nLocation: /study\r\n"));
    assert_non_null(strstr(reply, "\r\nSet-Cookie: a=1\r\n"));
    assert_non_null(strstr(reply, "\r\nSet-Cookie: b=2\r\n"));
    assert_non_null(strstr(reply, "\r\nContent-Length: 0\r\n"));
    scene_ask(&scene, GET_CLOSE("/busy"), reply, sizeof reply);
    assert_non_null(strstr(reply, "HTTP/1.1 429 Too Many Requests\r\n"));
    assert_non_null(strstr(reply, "\r\nCache-Control: no-store\r\n"));
    assert_string_equal(scene_body(reply), "{\"error\": \"say \\\"when\\\"\"}");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_arrives_whole_in_chunks),
        cmocka_unit_test(test_an_empty_stream_ends),
        cmocka_unit_test(test_the_connection_goes_on_after_a_stream),
        cmocka_unit_test(test_old_clients_get_a_plain_body),
        cmocka_unit_test(test_a_stream_that_breaks_off_has_no_end),
        cmocka_unit_test(test_a_reader_that_stalls_pins_no_memory),
        cmocka_unit_test(test_a_reader_that_goes_ends_the_stream),
        cmocka_unit_test(test_a_body_that_is_lent_is_given_back_once),
        cmocka_unit_test(test_an_endless_stream_does_not_outlive_the_loop),
        cmocka_unit_test(test_replies_carry_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
