#include "http_scene.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

enum { WAITERS = 8 };

/* Everything but `seen` belongs to the loop's thread until it is joined. */
struct desk {
    struct sl_http_loop *loop;
    struct sl_http_exchange *waiting[WAITERS];
    size_t n_waiting, commits, ticks;
    size_t works, dones;
    bool on_worker, on_loop;
    atomic_uint seen;  /* requests that have been handled */
    atomic_uint begun; /* works that are under way or done */
};

static void reply_ok(struct sl_http_exchange *exchange)
{
    sl_http_send(exchange, &(struct sl_http_reply){
                               .status = 200, .type = "text/plain", .body = "ok", .length = 2});
}

static void at_once(struct sl_http_exchange *exchange, void *context)
{
    struct desk *desk = context;
    atomic_fetch_add(&desk->seen, 1);
    reply_ok(exchange);
}

static void commit(void *context)
{
    struct desk *desk = context;
    desk->commits++;
    for (size_t i = 0; i < desk->n_waiting; i++)
        reply_ok(desk->waiting[i]);
    desk->n_waiting = 0;
}

/* Replies with the others of the same round. */
static void in_commit(struct sl_http_exchange *exchange, void *context)
{
    struct desk *desk = context;
    desk->waiting[desk->n_waiting++] = exchange;
    sl_http_defer(desk->loop, commit, desk);
    sl_http_defer(desk->loop, commit, desk);
    atomic_fetch_add(&desk->seen, 1);
}

/* Replies when release comes. */
static void held(struct sl_http_exchange *exchange, void *context)
{
    struct desk *desk = context;
    desk->waiting[desk->n_waiting++] = exchange;
    atomic_fetch_add(&desk->seen, 1);
}

static void release(struct sl_http_exchange *exchange, void *context)
{
    commit(context);
    reply_ok(exchange);
}

struct task {
    struct desk *desk;
    pthread_t loop_thread;
    struct sl_http_exchange *exchange;
    size_t length;
};

static void do_work(void *context)
{
    struct task *task = context;
    atomic_fetch_add(&task->desk->begun, 1);
    /* The request may be read here, as the loop leaves it alone until the reply. */
    sl_http_body(task->exchange, &task->length);
    task->desk->on_worker = !pthread_equal(pthread_self(), task->loop_thread);
    task->desk->works++;
}

static void work_done(void *context)
{
    struct task *task = context;
    char text[32];
    int length = snprintf(text, sizeof text, "%zu bytes", task->length);
    task->desk->on_loop = pthread_equal(pthread_self(), task->loop_thread);
    task->desk->dones++;
    sl_http_send(task->exchange,
                 &(struct sl_http_reply){
                     .status = 200, .type = "text/plain", .body = text, .length = (size_t)length});
    free(task);
}

static void by_work(struct sl_http_exchange *exchange, void *context)
{
    struct desk *desk = context;
    struct task *task = sl_alloc(1, sizeof *task);
    *task = (struct task){.desk = desk, .exchange = exchange, .loop_thread = pthread_self()};
    sl_http_work(desk->loop, 1, do_work, work_done, task);
    atomic_fetch_add(&desk->seen, 1);
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", at_once},      {SL_HTTP_GET, "/commit", in_commit},
    {SL_HTTP_GET, "/held", held},     {SL_HTTP_GET, "/release", release},
    {SL_HTTP_POST, "/work", by_work}, {SL_HTTP_GET, NULL, NULL},
};

#define GET(path)       "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"
#define GET_CLOSE(path) "GET " path " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

static void open_desk(struct scene *scene, struct desk *desk)
{
    struct sl_http_options options = scene_options(routes);
    *desk = (struct desk){0};
    options.context = desk;
    scene_open(scene, &options);
    desk->loop = scene->loop;
}

static void await(struct desk *desk, unsigned requests)
{
    while (atomic_load(&desk->seen) < requests)
        scene_doze();
}

static void test_requests_of_one_round_share_a_commit(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    open_desk(&scene, &desk);
    /* Connected and asked before the loop runs, the requests are all there in one round,
     * once the connections have been accepted in the round before. */
    int clients[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        clients[i] = scene_connect(&scene);
        scene_say(clients[i], GET_CLOSE("/commit"));
    }
    scene_start(&scene);
    for (int i = 0; i < WAITERS; i++) {
        char reply[1024] = "";
        assert_true(scene_hear_all(clients[i], reply, sizeof reply) > 0);
        assert_int_equal(scene_status(reply), 200);
        close(clients[i]);
    }
    scene_close(&scene);
    assert_int_equal(desk.commits, 1);
}

static void test_replies_may_come_late(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    char reply[1024] = "";
    open_desk(&scene, &desk);
    scene_start(&scene);
    int client = scene_connect(&scene);
    scene_say(client, GET("/held"));
    await(&desk, 1);
    scene_ask(&scene, GET_CLOSE("/release"), reply, sizeof reply);
    scene_hear(client, reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    /* The connection goes on. */
    scene_say(client, GET("/"));
    scene_hear(client, reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    close(client);
    scene_close(&scene);
}

static void test_a_client_that_goes_before_its_reply_harms_nobody(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    char reply[1024] = "";
    open_desk(&scene, &desk);
    scene_start(&scene);
    for (unsigned i = 0; i < WAITERS; i++) {
        int client = scene_connect(&scene);
        scene_say(client, GET("/held"));
        await(&desk, i + 1);
        /* Some clients leave by a reset, which fails the write; some close quietly. */
        struct linger reset = {.l_onoff = 1};
        if (i % 2) setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(client);
    }
    scene_ask(&scene, GET_CLOSE("/release"), reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    scene_close(&scene);
    assert_int_equal(desk.n_waiting, 0);
}

static void test_an_exchange_outlives_its_connection(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    open_desk(&scene, &desk);
    scene_start(&scene);
    int client = scene_connect(&scene);
    scene_say(client, GET("/held"));
    await(&desk, 1);
    /* The grace second passes without a reply; the loop ends. */
    scene_close(&scene);
    assert_int_equal(desk.n_waiting, 1);
    char reply[1024] = "";
    assert_true(scene_hear_all(client, reply, sizeof reply) <= 0);
    close(client);
}

static void test_work_runs_elsewhere_and_ends_on_the_loop(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    open_desk(&scene, &desk);
    scene_start(&scene);
    int clients[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        clients[i] = scene_connect(&scene);
        scene_say(clients[i], "POST /work HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345");
    }
    for (int i = 0; i < WAITERS; i++) {
        char reply[1024] = "";
        scene_hear(clients[i], reply, sizeof reply);
        assert_string_equal(scene_body(reply), "5 bytes");
        close(clients[i]);
    }
    scene_close(&scene);
    assert_int_equal(desk.works, WAITERS);
    assert_int_equal(desk.dones, WAITERS);
    assert_true(desk.on_worker);
    assert_true(desk.on_loop);
}

static void begin_and_wait(void *context)
{
    struct desk *desk = context;
    atomic_fetch_add(&desk->seen, 1);
    while (!sl_http_loop_stopping(desk->loop))
        scene_doze();
    desk->works++;
}

/* The running job is told to stop, the waiting ones are dropped, and all are released. */
static void test_work_that_waits_is_left_out_when_the_loop_goes(void **state)
{
    (void)state;
    struct sl_error err;
    struct desk desk = {0};
    assert_ok(sl_http_loop_create(NULL, &desk.loop, &err), err);
    for (int i = 0; i < 5; i++)
        sl_http_work(desk.loop, 0, begin_and_wait, commit, &desk);
    await(&desk, 1);
    sl_http_defer(desk.loop, commit, &desk);
    sl_http_loop_stop(desk.loop);
    sl_http_loop_destroy(desk.loop);
    assert_int_equal(desk.works, 1);
    assert_int_equal(desk.commits, 6);
}

static void finish_short(void *context)
{
    struct desk *desk = context;
    desk->dones++;
    sl_http_loop_stop(desk->loop);
}

static void do_nothing(void *context)
{
    (void)context;
}

static void test_lanes_do_not_wait_for_each_other(void **state)
{
    (void)state;
    struct sl_error err;
    struct desk desk = {0};
    assert_ok(sl_http_loop_create(NULL, &desk.loop, &err), err);
    /* The long one ends only when the short one has stopped the loop. */
    sl_http_work(desk.loop, 0, begin_and_wait, commit, &desk);
    await(&desk, 1);
    sl_http_work(desk.loop, 1, do_nothing, finish_short, &desk);
    assert_ok(sl_http_loop_run(desk.loop, &err), err);
    assert_int_equal(desk.dones, 1);
    sl_http_loop_destroy(desk.loop);
    assert_int_equal(desk.works, 1);
}

static void test_requests_in_work_are_answered_after_a_stop(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    char reply[1024] = "";
    open_desk(&scene, &desk);
    scene_start(&scene);
    int idle = scene_connect(&scene);
    scene_say(idle, GET("/"));
    scene_hear(idle, reply, sizeof reply);
    int client = scene_connect(&scene);
    scene_say(client, "POST /work HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345");
    await(&desk, 2);
    while (atomic_load(&desk.begun) < 1) /* a stop drops jobs that only wait */
        scene_doze();
    scene_stop(&scene);
    assert_true(scene_hear_all(client, reply, sizeof reply) > 0);
    assert_string_equal(scene_body(reply), "5 bytes");
    assert_int_equal(scene_hear_all(idle, reply, sizeof reply), 0);
    close(client);
    close(idle);
    scene_close(&scene);
}

static struct sl_http_loop *signalled;

static void on_signal(int number)
{
    (void)number;
    sl_http_loop_stop(signalled);
}

static void count_tick(void *context)
{
    struct desk *desk = context;
    if (++desk->ticks == 3) raise(SIGUSR1);
}

static void test_ticks_come_until_a_signal_stops_the_loop(void **state)
{
    (void)state;
    struct sl_error err;
    struct desk desk = {0};
    struct sigaction action = {.sa_handler = on_signal}, before;
    assert_ok(sl_http_loop_create(NULL, &signalled, &err), err);
    sigaction(SIGUSR1, &action, &before);
    sl_http_every(signalled, 0.005, count_tick, &desk);
    assert_ok(sl_http_loop_run(signalled, &err), err);
    sigaction(SIGUSR1, &before, NULL);
    sl_http_loop_destroy(signalled);
    assert_true(desk.ticks >= 3);
}

static void defer_again(void *context)
{
    struct desk *desk = context;
    if (++desk->commits < 5)
        sl_http_defer(desk->loop, defer_again, desk);
    else
        sl_http_loop_stop(desk->loop);
}

static void test_a_deferred_call_may_defer_itself(void **state)
{
    (void)state;
    struct sl_error err;
    struct desk desk = {0};
    assert_ok(sl_http_loop_create(NULL, &desk.loop, &err), err);
    sl_http_defer(desk.loop, defer_again, &desk);
    assert_ok(sl_http_loop_run(desk.loop, &err), err);
    sl_http_loop_destroy(desk.loop);
    assert_int_equal(desk.commits, 5);
}

static void test_a_loop_may_be_stopped_before_and_run_again(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    struct sl_error err;
    char reply[1024] = "";
    open_desk(&scene, &desk);
    sl_http_loop_stop(scene.loop);
    assert_ok(sl_http_loop_run(scene.loop, &err), err);
    scene_start(&scene);
    scene_ask(&scene, GET_CLOSE("/"), reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    scene_stop(&scene);
    scene_close(&scene);
}

static void test_a_taken_port_is_named(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk;
    struct sl_error err;
    struct sl_http_listener *second = NULL;
    char part[64];
    open_desk(&scene, &desk);
    struct sl_http_options options = scene_options(routes);
    options.port = sl_http_port(scene.listener);
    assert_true(options.port > 0);
    snprintf(part, sizeof part, "127.0.0.1 port %u", (unsigned)options.port);
    assert_fails(sl_http_listen(scene.loop, &options, &second, &err), SL_ERR_IO, err, part);
    options.address = "no address";
    assert_fails(sl_http_listen(scene.loop, &options, &second, &err), SL_ERR_IO, err, "no address");
    assert_null(second);
    scene_close(&scene);
}

static void test_two_listeners_share_a_loop(void **state)
{
    (void)state;
    struct scene scene;
    struct desk desk, other = {0};
    struct sl_error err;
    char reply[1024] = "";
    open_desk(&scene, &desk);
    struct sl_http_options options = scene_options(routes);
    options.context = &other;
    options.address = "::1";
    struct sl_http_listener *second = NULL;
    if (sl_http_listen(scene.loop, &options, &second, &err) != SL_OK) {
        options.address = "127.0.0.1"; /* a machine without IPv6 */
        assert_ok(sl_http_listen(scene.loop, &options, &second, &err), err);
    }
    assert_int_not_equal(sl_http_port(second), 0);
    assert_int_not_equal(sl_http_port(second), sl_http_port(scene.listener));
    scene_start(&scene);
    scene_ask(&scene, GET_CLOSE("/"), reply, sizeof reply);
    assert_int_equal(scene_status(reply), 200);
    scene_close(&scene);
    assert_int_equal(desk.seen, 1);
    assert_int_equal(other.seen, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_of_one_round_share_a_commit),
        cmocka_unit_test(test_replies_may_come_late),
        cmocka_unit_test(test_a_client_that_goes_before_its_reply_harms_nobody),
        cmocka_unit_test(test_an_exchange_outlives_its_connection),
        cmocka_unit_test(test_work_runs_elsewhere_and_ends_on_the_loop),
        cmocka_unit_test(test_work_that_waits_is_left_out_when_the_loop_goes),
        cmocka_unit_test(test_lanes_do_not_wait_for_each_other),
        cmocka_unit_test(test_requests_in_work_are_answered_after_a_stop),
        cmocka_unit_test(test_ticks_come_until_a_signal_stops_the_loop),
        cmocka_unit_test(test_a_deferred_call_may_defer_itself),
        cmocka_unit_test(test_a_loop_may_be_stopped_before_and_run_again),
        cmocka_unit_test(test_a_taken_port_is_named),
        cmocka_unit_test(test_two_listeners_share_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
