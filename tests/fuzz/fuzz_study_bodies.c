/* Every JSON body that annotators' pages send, to a server at every place of a session: whatever
 * comes, the reply is JSON and none of it is the server's fault (5xx). The first byte chooses path
 * and place, the rest is the body. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "softlab/base.h"
#include "softlab/study.h"

static const char *const paths[] = {"/api/consent", "/api/instructions", "/api/check",
                                    "/api/answer",  "/api/events",       "/api/debrief",
                                    "/api/return"};
enum { PATHS = sizeof paths / sizeof *paths, REPLY = 1 << 16, MAX_BODY = 60000 };

/* What takes a session from its beginning to the place after it. */
static const struct {
    const char *path, *body;
} walk[] = {
    {"/api/consent", "{\"version\": \"1\", \"agreed\": true}"},
    {"/api/instructions", "{\"pages\": []}"},
    {"/api/check", "{\"answers\": [0, 0]}"},
    {"/api/answer", "{\"id\": \"%s\", \"trial\": 0, \"practice\": true, \"elapsed\": 1, "
                    "\"answer\": {\"class\": \"circle\"}}"},
    {"/api/answer", "{\"id\": \"%s\", \"trial\": 0, \"practice\": false, \"elapsed\": 1, "
                    "\"answer\": {\"class\": \"circle\"}}"},
    {"/api/answer", "{\"id\": \"%s\", \"trial\": 1, \"practice\": false, \"elapsed\": 1, "
                    "\"answer\": {\"class\": \"circle\"}}"},
};
enum { PLACES = sizeof walk / sizeof *walk + 1 };

static struct sl_study_server *server;
static char folder[64];
static char cookies[PLACES][65]; /* of a session at each place; "": to be made */
static char reply[REPLY];
static pthread_t thread;

static void require(int condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "%s: %s\n", what, reply);
    abort();
}

static void *run(void *context)
{
    (void)context;
    (void)!sl_study_server_run(server, NULL);
    return NULL;
}

static void end(void)
{
    char command[100];
    sl_study_server_stop(server);
    pthread_join(thread, NULL);
    sl_study_server_destroy(server);
    snprintf(command, sizeof command, "rm -r %s", folder);
    (void)!system(command);
}

/* The first option of every question stays the right one. */
static void keep_order_of_options(void)
{
    char path[128];
    struct sl_error err;
    snprintf(path, sizeof path, "%s/study.json", folder);
    json_t *config = json_load_file(path, 0, NULL);
    json_object_set_new(json_object_get(config, "order"), "shuffle_options", json_false());
    require(sl_json_write(config, path, &err) == SL_OK, err.message);
    json_decref(config);
}

static void start(void)
{
    struct sl_study_setup setup = sl_study_setup_default();
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_error err;
    snprintf(folder, sizeof folder, "fuzz-bodies-%ld", (long)getpid());
    setup.folder = folder;
    setup.contact = "Ada Lovelace, ada@example.org";
    setup.images = "shapes:n=2,classes=3,size=8";
    setup.batch_size = 1;
    setup.screens = "hard";
    serve.port = serve.admin_port = 0;
    require(sl_study_init(&setup, NULL, &err) == SL_OK, err.message);
    keep_order_of_options();
    require(sl_study_server_create(folder, &serve, &server, &err) == SL_OK, err.message);
    require(pthread_create(&thread, NULL, run, NULL) == 0, "no thread");
    atexit(end);
}

/* recv that the fuzzer's own timer does not interrupt. */
static ssize_t receive(int client, char *out, size_t room)
{
    ssize_t count = 0;
    do
        count = recv(client, out, room, 0);
    while (count < 0 && errno == EINTR);
    return count;
}

/* The status; the whole reply is in `reply`. */
static int ask(const char *method, const char *path, const char *cookie, const char *body,
               size_t length)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(sl_study_server_port(server))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    char head[512];
    int used = snprintf(head, sizeof head,
                        "%s %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\nCookie: softlab=%s\r\n"
                        "Content-Length: %zu\r\n\r\n",
                        method, path, cookie, length);
    require(connect(client, (struct sockaddr *)&to, sizeof to) == 0, "no connection");
    require(send(client, head, (size_t)used, MSG_NOSIGNAL) == used, "not sent");
    require(length == 0 || send(client, body, length, MSG_NOSIGNAL) == (ssize_t)length, "not sent");
    size_t received = 0;
    for (ssize_t more = 1; more > 0 && received < REPLY - 1;
         received += (size_t)(more > 0 ? more : 0))
        more = receive(client, reply + received, REPLY - 1 - received);
    reply[received] = '\0';
    close(client);
    require(strncmp(reply, "HTTP/1.1 ", 9) == 0, "no reply");
    return (int)strtol(reply + 9, NULL, 10);
}

/* A test session: there is always room for one. */
static void bring_to(size_t place)
{
    static unsigned number;
    char *cookie = cookies[place];
    char link[40], token[SL_STUDY_LINK_TEXT];
    sl_study_server_test_token(server, 0, token);
    snprintf(link, sizeof link, "/?test=%s", token);
    ask("GET", link, "", NULL, 0);
    const char *set = strstr(reply, "Set-Cookie: softlab=");
    require(set != NULL, "nobody can arrive");
    snprintf(cookie, sizeof cookies[place], "%.64s", set ? set + 20 : "");
    for (size_t i = 0; i < place; i++) {
        char body[300], id[33];
        snprintf(id, sizeof id, "%024x%08x", 0xf, ++number);
        const char *mark = strstr(walk[i].body, "%s");
        size_t before = mark ? (size_t)(mark - walk[i].body) : strlen(walk[i].body);
        snprintf(body, sizeof body, "%.*s%s%s", (int)before, walk[i].body, mark ? id : "",
                 mark ? mark + 2 : "");
        require(ask("POST", walk[i].path, cookie, body, strlen(body)) == 200, walk[i].path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0 || length > MAX_BODY) return 0;
    if (!server) start();
    const char *path = paths[bytes[0] % PATHS];
    size_t place = bytes[0] / PATHS % PLACES;
    if (!cookies[place][0]) bring_to(place);
    int status = ask("POST", path, cookies[place], (const char *)bytes + 1, length - 1);
    require(status == 200 || status == 400 || status == 409, path);
    const char *body = strstr(reply, "\r\n\r\n");
    json_t *json = body ? json_loads(body + 4, 0, NULL) : NULL;
    require(json_is_object(json), "no JSON");
    require((status == 200) == (json_object_get(json, "error") == NULL), "an error without one");
    json_decref(json);
    if (status == 200) cookies[place][0] = '\0'; /* it may stand elsewhere now */
    return 0;
}
