/* The researcher's port over a sample study, with a clock of the test's own. */
#ifndef SOFTLAB_TESTS_ADMIN_SCENE_H
#define SOFTLAB_TESTS_ADMIN_SCENE_H

#include <stdatomic.h>

#include "http_scene.h"
#include "study/admin/admin.h"
#include "study_sample.h"
#include "support.h"

static const char password[] = "correct horse battery";

static struct sample sample;
static struct scene scene;
static struct sl_study_admin *admin;
static _Atomic int64_t clock_ms;
static char reply[2 << 20];

static inline int64_t now(void *context)
{
    (void)context;
    return clock_ms;
}

static inline void open_server(bool with_password)
{
    struct sl_error err;
    sample = sample_create("study", "");
    clock_ms = SAMPLE_NOW;
    if (with_password) assert_ok(sl_study_set_password(sample.store, password, &err), err);
    assert_ok(sl_http_loop_create(NULL, &scene.loop, &err), err);
    const struct sl_study_admin_options options = {.study = sample.study,
                                                   .store = sample.store,
                                                   .loop = scene.loop,
                                                   .behind_proxy = true,
                                                   .prefix = "",
                                                   .now = now};
    assert_ok(sl_study_admin_create(&options, &admin, &err), err);
    struct sl_http_options listen = scene_options(sl_study_admin_routes);
    listen.context = admin;
    assert_ok(sl_http_listen(scene.loop, &listen, &scene.listener, &err), err);
    scene_start(&scene);
}

static inline int set_up(void **state)
{
    (void)state;
    open_server(true);
    return 0;
}

static inline int set_up_without_password(void **state)
{
    (void)state;
    open_server(false);
    return 0;
}

static inline int tear_down(void **state)
{
    scene_close(&scene);
    sl_study_admin_destroy(admin);
    sample_destroy(&sample);
    return test_folder_clear(state);
}

/* `headers` are whole lines. The status; the reply is in `reply`. */
static inline int get(const char *path, const char *headers)
{
    char request[2048];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n%s\r\n",
             path, headers);
    assert_true(scene_ask(&scene, request, reply, sizeof reply) >= 0);
    return scene_status(reply);
}

static inline int post(const char *path, const char *headers, const char *body)
{
    char request[4096];
    snprintf(request, sizeof request,
             "POST %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/json"
             "\r\nContent-Length: %zu\r\n%s\r\n%s",
             path, strlen(body), headers, body);
    assert_true(scene_ask(&scene, request, reply, sizeof reply) >= 0);
    return scene_status(reply);
}

static inline int try_password(const char *given)
{
    char body[256];
    snprintf(body, sizeof body, "{\"password\":\"%s\"}", given);
    return post("/admin/login", "", body);
}

struct login {
    char cookie[256]; /* a header line */
    char csrf[256];   /* another */
};

static inline struct login log_in(void)
{
    struct login login;
    char secret[SL_ADMIN_TOKEN_TEXT] = "", token[SL_ADMIN_TOKEN_TEXT] = "";
    assert_int_equal(try_password(password), 200);
    const char *cookie = strstr(reply, "Set-Cookie: softlab-admin=");
    const char *csrf = strstr(reply, "\"csrf\":\"");
    assert_true(cookie && csrf);
    memcpy(secret, cookie + strlen("Set-Cookie: softlab-admin="), sizeof secret - 1);
    memcpy(token, csrf + strlen("\"csrf\":\""), sizeof token - 1);
    snprintf(login.cookie, sizeof login.cookie, "Cookie: softlab-admin=%s\r\n", secret);
    snprintf(login.csrf, sizeof login.csrf, "X-CSRF-Token: %s\r\n", token);
    return login;
}

/* The body of a chunked or plain reply, in place. */
static inline size_t body_of(ssize_t length)
{
    char *at = strstr(reply, "\r\n\r\n") + 4, *out = reply;
    if (!strstr(reply, "Transfer-Encoding: chunked")) {
        size_t size = (size_t)(reply + length - at);
        memmove(reply, at, size);
        return size;
    }
    for (;;) {
        char *end = NULL;
        size_t size = strtoul(at, &end, 16);
        if (size == 0) return (size_t)(out - reply);
        memmove(out, end + 2, size);
        out += size;
        at = end + 2 + size + 2;
    }
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
