#include "softlab/http/client.h"

#include "http_scene.h"

static void handle_hello(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    const char *cookie = sl_http_cookie(exchange, "who");
    const struct sl_http_header headers[] = {
        {"Set-Cookie", "who=me; Path=/"}, {"Retry-After", "7"}, {NULL, NULL}};
    const char *body = cookie ? cookie : "nobody";
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "text/plain",
                                                   .body = body,
                                                   .length = strlen(body),
                                                   .headers = headers});
}

static void handle_echo(struct sl_http_exchange *exchange, void *context)
{
    (void)context;
    size_t length = 0;
    const char *body = sl_http_body(exchange, &length);
    assert_string_equal(sl_http_request_header(exchange, "Content-Type"), "application/json");
    sl_http_send(exchange,
                 &(struct sl_http_reply){
                     .status = 201, .type = "text/plain", .body = body, .length = length});
}

static void handle_silence(struct sl_http_exchange *exchange, void *context)
{
    (void)exchange; /* replied to by nobody */
    (void)context;
}

static const struct sl_http_route routes[] = {{SL_HTTP_GET, "/hello", handle_hello},
                                              {SL_HTTP_POST, "/echo", handle_echo},
                                              {SL_HTTP_GET, "/silence", handle_silence},
                                              {.path = NULL}};

struct visit {
    struct scene scene;
    struct sl_http_loop *loop;
    struct sl_http_client *client;
    int status;
    char body[256], cookie[64];
    unsigned retry_after, waited;
};

static void begin(struct visit *visit)
{
    struct sl_http_options options = scene_options(routes);
    struct sl_error err;
    char url[64];
    *visit = (struct visit){.status = -1};
    scene_open(&visit->scene, &options);
    scene_start(&visit->scene);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/",
             (unsigned)sl_http_port(visit->scene.listener));
    assert_ok(sl_http_loop_create(NULL, &visit->loop, &err), err);
    assert_ok(sl_http_client_create(visit->loop, url, .3, &visit->client, &err), err);
}

static void finish(struct visit *visit)
{
    sl_http_client_destroy(visit->client);
    sl_http_loop_destroy(visit->loop);
    scene_close(&visit->scene);
}

static void hear(const struct sl_http_heard *heard, void *context)
{
    struct visit *visit = context;
    visit->status = heard->status;
    visit->retry_after = heard->retry_after;
    snprintf(visit->body, sizeof visit->body, "%.*s", (int)heard->length,
             heard->body ? heard->body : "");
    snprintf(visit->cookie, sizeof visit->cookie, "%s", heard->cookie ? heard->cookie : "");
    sl_http_loop_stop(visit->loop);
}

static int ask(struct visit *visit, const struct sl_http_ask *ask)
{
    struct sl_error err;
    visit->status = -1;
    sl_http_client_ask(visit->client, ask, hear, visit);
    assert_int_equal(visit->status, -1); /* never from within */
    assert_ok(sl_http_loop_run(visit->loop, &err), err);
    return visit->status;
}

/* A loop that was stopped is not run again: one question per visit. */
static int ask_once(struct visit *visit, const struct sl_http_ask *question)
{
    begin(visit);
    int status = ask(visit, question);
    finish(visit);
    return status;
}

static void test_a_get_hears_status_body_and_headers(void **state)
{
    (void)state;
    struct visit visit;
    assert_int_equal(ask_once(&visit, &(struct sl_http_ask){.path = "/hello", .cookie = "who=you"}),
                     200);
    assert_string_equal(visit.body, "you");
    assert_string_equal(visit.cookie, "who=me; Path=/");
    assert_int_equal(visit.retry_after, 7);
}

static void test_a_post_sends_its_body_as_json(void **state)
{
    (void)state;
    struct visit visit;
    const struct sl_http_ask question = {
        .method = SL_HTTP_POST, .path = "/echo", .body = "{\"a\": 1}"};
    assert_int_equal(ask_once(&visit, &question), 201);
    assert_string_equal(visit.body, "{\"a\": 1}");
    assert_string_equal(visit.cookie, "");
}

static void test_a_refusal_is_a_status_too(void **state)
{
    (void)state;
    struct visit visit;
    assert_int_equal(ask_once(&visit, &(struct sl_http_ask){.path = "/nothing"}), 404);
}

static void test_a_server_that_is_silent_or_gone_is_status_0(void **state)
{
    (void)state;
    struct visit visit;
    assert_int_equal(ask_once(&visit, &(struct sl_http_ask){.path = "/silence"}), 0);
    begin(&visit);
    scene_close(&visit.scene);
    assert_int_equal(ask(&visit, &(struct sl_http_ask){.path = "/hello"}), 0);
    sl_http_client_destroy(visit.client);
    sl_http_loop_destroy(visit.loop);
}

static void ask_after(void *context)
{
    struct visit *visit = context;
    visit->waited++;
    sl_http_client_ask(visit->client, &(struct sl_http_ask){.path = "/hello"}, hear, visit);
}

static void test_a_client_waits_and_then_asks(void **state)
{
    (void)state;
    struct visit visit;
    struct sl_error err;
    begin(&visit);
    sl_http_client_wait(visit.client, .01, ask_after, &visit);
    assert_int_equal(visit.waited, 0);
    assert_ok(sl_http_loop_run(visit.loop, &err), err);
    assert_int_equal(visit.waited, 1);
    assert_string_equal(visit.body, "nobody");
    finish(&visit);
}

static void test_addresses_that_are_not_plain_http_are_refused(void **state)
{
    (void)state;
    static const char *const urls[] = {"https://127.0.0.1/", "127.0.0.1:80", "", "http://", "x y"};
    struct sl_http_loop *loop = NULL;
    struct sl_http_client *client = NULL;
    struct sl_error err;
    assert_ok(sl_http_loop_create(NULL, &loop, &err), err);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        assert_fails(sl_http_client_create(loop, urls[i], 1, &client, &err), SL_ERR_USAGE, err,
                     "expected an address like");
    assert_null(client);
    sl_http_loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_get_hears_status_body_and_headers),
        cmocka_unit_test(test_a_post_sends_its_body_as_json),
        cmocka_unit_test(test_a_refusal_is_a_status_too),
        cmocka_unit_test(test_a_server_that_is_silent_or_gone_is_status_0),
        cmocka_unit_test(test_a_client_waits_and_then_asks),
        cmocka_unit_test(test_addresses_that_are_not_plain_http_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
