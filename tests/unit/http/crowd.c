/* Many connections: which are closed when there is no room. */
#include "http_scene.h"

#include <stdatomic.h>

static void reply_yes(struct sl_http_exchange *exchange, void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
    sl_http_send(exchange, &(struct sl_http_reply){
                               .status = 200, .type = "text/plain", .body = "yes", .length = 3});
}

static void keep(struct sl_http_exchange *exchange, void *context)
{
    (void)exchange; /* without a reply: the connection stays busy */
    atomic_fetch_add((atomic_uint *)context, 1);
}

static const struct sl_http_route routes[] = {
    {SL_HTTP_GET, "/", reply_yes},
    {SL_HTTP_GET, "/keep", keep},
    {SL_HTTP_GET, NULL, NULL},
};

#define GET "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

struct visit {
    struct scene scene;
    atomic_uint handled;
};

static void begin(struct visit *visit, size_t max_connections, size_t max_per_address)
{
    static const char *const hosts[] = {"study.example.org", "127.0.0.1", "[::1]", "h", NULL};
    struct sl_http_options options = scene_options(routes);
    atomic_init(&visit->handled, 0);
    options.context = &visit->handled;
    options.max_connections = max_connections;
    options.max_per_address = max_per_address;
    options.hosts = hosts;
    scene_open(&visit->scene, &options);
    scene_start(&visit->scene);
}

/* From 127.0.0.`last`: all of 127/8 is this machine. */
static int connect_from(const struct scene *scene, unsigned last)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + last),
    };
    struct timeval patience = {.tv_sec = 10};
    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(client, (struct sockaddr *)&address, sizeof address), 0);
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(sl_http_port(scene->listener));
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    return client;
}

static bool is_served(int client)
{
    char reply[1024] = "";
    if (!scene_say_bytes(client, GET, strlen(GET))) return false;
    ssize_t length = recv(client, reply, sizeof reply - 1, 0);
    return length > 0 && scene_status(reply) == 200;
}

static bool is_closed(int client)
{
    char byte;
    return recv(client, &byte, 1, 0) <= 0;
}

static void test_silent_connections_keep_nobody_out(void **state)
{
    (void)state;
    enum { SILENT = 100 };
    struct visit visit;
    int silent[SILENT];
    begin(&visit, 16, 0);
    for (int i = 0; i < SILENT; i++)
        silent[i] = scene_connect(&visit.scene);
    int client = scene_connect(&visit.scene);
    assert_true(is_served(client));
    /* The oldest idle connection was closed, the newest was not. */
    assert_true(is_closed(silent[0]));
    assert_true(is_served(silent[SILENT - 1]));
    for (int i = 0; i < SILENT; i++)
        close(silent[i]);
    close(client);
    scene_close(&visit.scene);
}

static void test_unfinished_requests_keep_nobody_out(void **state)
{
    (void)state;
    struct visit visit;
    int slow[8];
    begin(&visit, 4, 0);
    for (int i = 0; i < 8; i++) {
        slow[i] = scene_connect(&visit.scene);
        scene_say(slow[i], "GET / HT");
    }
    int client = scene_connect(&visit.scene);
    assert_true(is_served(client));
    for (int i = 0; i < 8; i++)
        close(slow[i]);
    close(client);
    scene_close(&visit.scene);
}

static void test_busy_connections_are_left_alone(void **state)
{
    (void)state;
    struct visit visit;
    int busy[2];
    begin(&visit, 2, 0);
    for (int i = 0; i < 2; i++) {
        busy[i] = scene_connect(&visit.scene);
        scene_say(busy[i], "GET /keep HTTP/1.1\r\nHost: h\r\n\r\n");
        /* Wait until the request is being handled; before that its connection could be closed. */
        while (atomic_load(&visit.handled) < (unsigned)i + 1)
            scene_doze();
    }
    int extra = scene_connect(&visit.scene);
    assert_true(is_closed(extra));
    close(extra);
    scene_stop(&visit.scene);
    for (int i = 0; i < 2; i++)
        close(busy[i]);
    scene_close(&visit.scene);
    assert_int_equal(visit.handled, 2);
}

static void test_an_address_takes_no_more_than_its_share(void **state)
{
    (void)state;
    struct visit visit;
    int greedy[6], other;
    begin(&visit, 8, 3);
    other = connect_from(&visit.scene, 2);
    assert_true(is_served(other));
    for (int i = 0; i < 6; i++)
        greedy[i] = connect_from(&visit.scene, 3);
    assert_true(is_served(greedy[5]));
    for (int i = 0; i < 3; i++)
        assert_true(is_closed(greedy[i]));
    /* The busy connection is older than all of them and is still open. */
    assert_true(is_served(other));
    for (int i = 0; i < 6; i++)
        close(greedy[i]);
    close(other);
    scene_close(&visit.scene);
}

static void test_only_our_own_names_are_served(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        int status;
    } rows[] = {
        {"study.example.org", 200},
        {"Study.Example.Org:8443", 200},
        {"127.0.0.1:80", 200},
        {"[::1]:8080", 200},
        {"[::1]", 200},
        {"evil.example.org", 421},
        {"study.example.org.evil", 421},
        {"127.0.0.2", 421},
        {"[::2]:80", 421},
    };
    struct visit visit;
    begin(&visit, 8, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char request[128], reply[1024] = "";
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                 rows[i].host);
        scene_ask(&visit.scene, request, reply, sizeof reply);
        assert_int_equal(scene_status(reply), rows[i].status);
    }
    scene_close(&visit.scene);
}

static void test_addresses_count_by_who_has_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *network; /* NULL: no address */
    } rows[] = {
        {"192.0.2.7", "192.0.2.7"},
        {"192.0.2.7:4711", "192.0.2.7"},
        {"::ffff:192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"[2001:db8:1:2::6]:443", "2001:db8:1:2::/64"},
        {"[2001:db8:1:2::6]", "2001:db8:1:2::/64"},
        {"::1", "::/64"},
        {"", NULL},
        {"unknown", NULL},
        {"192.0.2.7:", NULL},
        {"192.0.2.7:port", NULL},
        {"192.0.2", NULL},
        {"[::1", NULL},
        {"[::1]443", NULL},
        {"_hidden", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char network[SL_HTTP_NETWORK] = "";
        bool found = sl_http_network(rows[i].text, strlen(rows[i].text), network);
        assert_int_equal(found, rows[i].network != NULL);
        if (found) assert_string_equal(network, rows[i].network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silent_connections_keep_nobody_out),
        cmocka_unit_test(test_unfinished_requests_keep_nobody_out),
        cmocka_unit_test(test_busy_connections_are_left_alone),
        cmocka_unit_test(test_an_address_takes_no_more_than_its_share),
        cmocka_unit_test(test_only_our_own_names_are_served),
        cmocka_unit_test(test_addresses_count_by_who_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
