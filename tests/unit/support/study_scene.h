/* A study on disk, its server on a thread with a clock of the test's own, and a client that speaks
 * plain HTTP to it. */
#ifndef SOFTLAB_TESTS_STUDY_SCENE_H
#define SOFTLAB_TESTS_STUDY_SCENE_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "softlab/dataset/image.h"
#include "softlab/store.h"
#include "softlab/study.h"
#include "support.h"

struct scene {
    char folder[512];
    atomic_llong clock; /* ms */
    bool behind_proxy, rehearse;
    struct sl_study_server *server;
    pthread_t thread;
    uint16_t port;
};

static inline int64_t scene_now(void *context)
{
    return (int64_t)atomic_load((atomic_llong *)context);
}

/* Lays a JSON object over study.json, object within object. */
static inline void scene_change(const struct scene *scene, const char *change)
{
    struct sl_error err;
    char *path = sl_path_join(scene->folder, "study.json");
    json_t *config = json_load_file(path, 0, NULL);
    json_t *over = json_loads(change, 0, NULL);
    assert_non_null(config);
    assert_non_null(over);
    json_object_update_recursive(config, over);
    assert_ok(sl_json_write(config, path, &err), err);
    json_decref(config);
    json_decref(over);
    free(path);
}

/* A study of `n_items` drawn shapes in batches of `batch`. `change` (may be NULL) is for
 * scene_change. */
static inline void scene_make(struct scene *scene, size_t n_items, size_t batch, const char *change)
{
    static unsigned number;
    char name[32], images[64];
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    snprintf(name, sizeof name, "study%u", number++);
    snprintf(images, sizeof images, "shapes:n=%zu,classes=3,size=16", n_items);
    *scene = (struct scene){.clock = 1700000000000};
    snprintf(scene->folder, sizeof scene->folder, "%s", test_path(name));
    setup.folder = scene->folder;
    setup.images = images;
    setup.batch_size = batch;
    setup.annotators = 2;
    setup.screens = "hard";
    setup.contact = "Ada Lovelace, ada@example.org";
    assert_ok(sl_study_init(&setup, NULL, &err), err);
    /* So that tests may say 0 for the right option; one that wants them shuffled says so. */
    scene_change(scene, "{\"order\": {\"shuffle_options\": false}}");
    if (change) scene_change(scene, change);
}

/* Exercises of the three classes of scene_make, as many of each. */
static inline void scene_exercises(const char *folder, size_t each)
{
    static const char *const classes[] = {"circle", "square", "triangle"};
    struct sl_error err;
    for (size_t i = 0; i < 3 * each; i++) {
        struct sl_image image = {0};
        char name[600];
        snprintf(name, sizeof name, "%s/%s", test_path(folder), classes[i % 3]);
        assert_ok(sl_folder_create(name, &err), err);
        snprintf(name, sizeof name, "%s/%s/%zu.png", test_path(folder), classes[i % 3], i);
        assert_ok(sl_image_create(4, 4, 3, &image, &err), err);
        memset(image.pixels, (int)i, (size_t)4 * 4 * 3);
        assert_ok(sl_image_write_png(&image, NULL, name, &err), err);
        sl_image_release(&image);
    }
}

static inline void *scene_run(void *context)
{
    struct sl_error err;
    assert_ok(sl_study_server_run(context, &err), err);
    return NULL;
}

static inline void scene_create(struct scene *scene)
{
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_error err;
    serve.port = serve.admin_port = 0;
    serve.now = scene_now;
    serve.clock_context = &scene->clock;
    serve.behind_proxy = scene->behind_proxy;
    serve.rehearse = scene->rehearse;
    assert_ok(sl_study_server_create(scene->folder, &serve, &scene->server, &err), err);
    scene->port = sl_study_server_port(scene->server);
}

static inline void scene_go(struct scene *scene)
{
    assert_int_equal(pthread_create(&scene->thread, NULL, scene_run, scene->server), 0);
}

static inline void scene_start(struct scene *scene)
{
    scene_create(scene);
    scene_go(scene);
}

/* "/?test=TOKEN", borrowed from a static. */
static inline const char *scene_test_link(const struct scene *scene)
{
    static char path[64];
    char token[SL_STUDY_LINK_TEXT];
    sl_study_server_test_token(scene->server, 0, token);
    snprintf(path, sizeof path, "/?test=%s", token);
    return path;
}

static inline void scene_stop(struct scene *scene)
{
    sl_study_server_stop(scene->server);
    pthread_join(scene->thread, NULL);
    sl_study_server_destroy(scene->server);
}

/* ---- The client ---- */

struct reply {
    int status;
    char *head;   /* owned */
    char *body;   /* owned; after the head */
    json_t *json; /* owned; NULL if the body is not JSON */
};

static inline void reply_release(struct reply *reply)
{
    json_decref(reply->json);
    free(reply->head);
    *reply = (struct reply){0};
}

static inline char *receive_all(int descriptor)
{
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, 8 << 20);
    for (;;) {
        char *room = sl_buffer_reserve(&bytes, 65536);
        ssize_t length = recv(descriptor, room, 65536, 0);
        if (length <= 0) break;
        bytes.length += (size_t)length;
    }
    sl_buffer_byte(&bytes, '\0');
    return bytes.data;
}

/* `headers` are whole lines with CR LF; `cookie` is the value, or NULL. */
static inline struct reply ask(const struct scene *scene, const char *method, const char *path,
                               const char *cookie, const char *headers, const char *body)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(scene->port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&to, sizeof to), 0);
    char *text =
        sl_string_printf("%s %s HTTP/1.1\r\nHost: study.test\r\nConnection: close\r\n%s%s%s%s",
                         method, path, cookie ? "Cookie: softlab=" : "", cookie ? cookie : "",
                         cookie ? "\r\n" : "", headers ? headers : "");
    char *whole =
        body ? sl_string_printf("%sContent-Length: %zu\r\n\r\n%s", text, strlen(body), body)
             : sl_string_printf("%s\r\n", text);
    assert_int_equal(send(descriptor, whole, strlen(whole), MSG_NOSIGNAL), (ssize_t)strlen(whole));
    struct reply reply = {.head = receive_all(descriptor)};
    close(descriptor);
    free(text);
    free(whole);
    char *end = strstr(reply.head, "\r\n\r\n");
    if (!end || strncmp(reply.head, "HTTP/1.1 ", 9) != 0) {
        fail_msg("no reply: %s", reply.head);
        return reply;
    }
    reply.status = (int)strtol(reply.head + 9, NULL, 10);
    end[2] = '\0';
    reply.body = end + 4;
    reply.json = json_loads(reply.body, 0, NULL);
    return reply;
}

static inline struct reply get(const struct scene *scene, const char *path, const char *cookie)
{
    return ask(scene, "GET", path, cookie, NULL, NULL);
}

static inline struct reply post(const struct scene *scene, const char *path, const char *cookie,
                                const char *body)
{
    return ask(scene, "POST", path, cookie, "Sec-Fetch-Site: same-origin\r\n", body);
}

/* Post and look only at how it ended. */
static inline int posted(const struct scene *scene, const char *path, const char *cookie,
                         const char *body)
{
    struct reply reply = post(scene, path, cookie, body);
    int status = reply.status;
    reply_release(&reply);
    return status;
}

/* Arrive; the cookie's value into `cookie`. */
static inline void arrive(const struct scene *scene, const char *path, char cookie[65])
{
    struct reply reply = get(scene, path, NULL);
    assert_int_equal(reply.status, 303);
    const char *set = strstr(reply.head, "Set-Cookie: softlab=");
    assert_non_null(set);
    snprintf(cookie, 65, "%.*s", (int)strcspn(set + 20, ";"), set + 20);
    reply_release(&reply);
}

static inline json_t *session_of(const struct scene *scene, const char *cookie)
{
    struct reply reply = get(scene, "/api/session", cookie);
    assert_int_equal(reply.status, 200);
    json_t *json = json_incref(reply.json);
    reply_release(&reply);
    return json;
}

/* The state of the session, borrowed from a static. */
static inline const char *place_of(const struct scene *scene, const char *cookie)
{
    static char place[32];
    json_t *session = session_of(scene, cookie);
    snprintf(place, sizeof place, "%s", json_string_value(json_object_get(session, "place")));
    json_decref(session);
    return place;
}

/* Through consent, instructions and check of the default study. */
static inline void pass_to_trials(const struct scene *scene, const char *cookie)
{
    assert_int_equal(
        posted(scene, "/api/consent", cookie, "{\"version\": \"1\", \"agreed\": true}"), 200);
    assert_int_equal(posted(scene, "/api/instructions", cookie, "{\"pages\": [1200, 900, 3]}"),
                     200);
    assert_int_equal(posted(scene, "/api/check", cookie, "{\"answers\": [0, 0]}"), 200);
}

/* The body of an answer of the screen `hard`; `id` is filled up to 32 digits. */
static inline const char *hard_answer(unsigned id, size_t trial, bool practice,
                                      const char *class_name)
{
    static char body[4][512];
    static unsigned next;
    char *text = body[next++ % 4];
    snprintf(text, sizeof body[0],
             "{\"id\": \"%032x\", \"trial\": %zu, \"practice\": %s, \"elapsed\": 1800, \"times\": "
             "{\"class\": [700, 1500]}, \"answer\": {\"class\": \"%s\"}}",
             id, trial, practice ? "true" : "false", class_name);
    return text;
}

static inline enum sl_status scene_count_one(const struct sl_store_row *row, void *context)
{
    (void)row;
    ++*(size_t *)context;
    return SL_OK;
}

/* How many answers are stored, and with `events` how many of those too. */
static inline size_t scene_count(const struct scene *scene, bool events)
{
    struct sl_store_options options = sl_store_options_default();
    struct sl_store *store = NULL;
    struct sl_error err;
    size_t count = 0;
    char *path = sl_path_join(scene->folder, "study.db");
    options.read_only = true;
    assert_ok(sl_store_open(path, &options, &store, &err), err);
    assert_ok(sl_store_each_answer(store, scene_count_one, &count, &err), err);
    if (events) assert_ok(sl_store_each_event(store, scene_count_one, &count, &err), err);
    sl_store_close(store);
    free(path);
    return count;
}

#endif
