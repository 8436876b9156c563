/* The scene of the fetch tests: one small data set, a server that serves it, and the recorded
 * log. */
#ifndef SOFTLAB_TESTS_FETCH_SCENE_H
#define SOFTLAB_TESTS_FETCH_SCENE_H

#include "dataset/fetch/internal.h"
#include "http_server.h"
#include "support.h"

enum { BODY = 300 * 1000, LOG_LINES = 32, LOG_TEXT = 600 };

static char body[BODY];
static char body_sum[SL_SHA256_TEXT];

/* A data set of one file, its server, and the log. */
struct scene {
    struct sl_fetch_file files[2];
    struct sl_fetch_set set;
    struct sl_fetch_options options;
    struct sl_fetch_limits limits;
    struct http_server server;
    struct sl_log log;
    char root[256];
    char lines[LOG_LINES][LOG_TEXT];
    size_t n_lines;
};

static inline void keep_line(void *context, enum sl_log_level level, const char *line)
{
    struct scene *scene = context;
    (void)level;
    if (scene->n_lines < LOG_LINES) snprintf(scene->lines[scene->n_lines++], LOG_TEXT, "%s", line);
}

static inline bool logged(const struct scene *scene, const char *part)
{
    for (size_t i = 0; i < scene->n_lines; i++)
        if (strstr(scene->lines[i], part)) return true;
    return false;
}

/* `plan` NULL: no server. */
static inline void set_scene(struct scene *scene, const struct http_plan *plan)
{
    *scene = (struct scene){
        .files = {{"inner/data.bin", body_sum, "https://example.invalid/data.bin", BODY}},
        .limits = {.connect_seconds = 20, .stall_seconds = 20, .maximum_bytes = 1 << 20}};
    scene->set = (struct sl_fetch_set){.name = "little", .files = scene->files};
    scene->log = (struct sl_log){.level = SL_LOG_DEBUG, .write = keep_line, .context = scene};
    snprintf(scene->root, sizeof scene->root, "%s", test_path("data"));
    scene->options.roots.folder = scene->root;
    scene->options.log = &scene->log;
    if (plan) {
        assert_true(http_server_start(&scene->server, plan));
        scene->options.url_override = scene->server.url;
    }
}

static inline void end_scene(struct scene *scene)
{
    if (scene->server.child > 0) http_server_stop(&scene->server);
}

static inline enum sl_status fetch(struct scene *scene, struct sl_error *err)
{
    char *folder = NULL;
    enum sl_status status =
        sl_fetch_set_run(&scene->set, &scene->options, &scene->limits, &folder, err);
    if (status == SL_OK)
        assert_string_equal(folder, test_path("data/little"));
    else
        assert_null(folder);
    free(folder);
    return status;
}

static inline long size_of(const char *name)
{
    struct stat info;
    return stat(test_path(name), &info) == 0 ? (long)info.st_size : -1;
}

#define FINAL "data/little/inner/data.bin"
#define PART  FINAL ".part"

static inline void assert_complete(void)
{
    char sum[SL_SHA256_TEXT];
    struct sl_error err;
    assert_ok(sl_sha256_file(test_path(FINAL), sum, &err), err);
    assert_string_equal(sum, body_sum);
    assert_int_equal(size_of(PART), -1);
}

/* Put the first bytes of the body where a cut download leaves them. */
static inline void write_part(size_t length)
{
    struct sl_error err;
    assert_ok(sl_folder_create(test_path("data/little/inner"), &err), err);
    test_write(test_path(PART), body, length);
}

static inline const char *seen_range(const struct scene *scene, unsigned request)
{
    return scene->server.seen->ranges[request];
}

static inline int prepare(void **state)
{
    (void)state;
    uint32_t value = 1;
    for (size_t i = 0; i < BODY; i++) {
        value = value * 1664525u + 1013904223u;
        body[i] = (char)(value >> 24);
    }
    sl_sha256(body, BODY, body_sum);
    /* A proxy that this machine may have is not used for the loopback interface. */
    return setenv("no_proxy", "127.0.0.1", 1);
}

#define FETCH_TEST(name) cmocka_unit_test_setup_teardown(name, test_folder_clear, test_folder_clear)

#endif
