#include "study/server.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base/memory.h"

static const double EXPIRY_SECONDS = 30;

struct sl_study_serve sl_study_serve_default(void)
{
    return (struct sl_study_serve){
        .address = "127.0.0.1", .port = 8080, .admin_address = "127.0.0.1", .admin_port = 8081};
}

static const struct sl_http_header security[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"},
    {"Cache-Control", "no-store"},
    {NULL, NULL},
};

static int64_t clock_now(void *context)
{
    (void)context;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t sl_server_now(const struct sl_study_server *server)
{
    return server->options.now(server->options.clock_context);
}

static struct sl_flow flow_of(const struct sl_study *study, const struct sl_texts *texts)
{
    return (struct sl_flow){
        .has = {[SL_PLACE_CONSENT] = *texts->consent != '\0',
                [SL_PLACE_INSTRUCTIONS] = texts->n_instructions > 0,
                [SL_PLACE_CHECK] = study->n_comprehension > 0,
                [SL_PLACE_PRACTICE] = study->practice,
                [SL_PLACE_TRIALS] = true,
                [SL_PLACE_DEBRIEF] = study->n_debrief > 0 || *texts->debrief != '\0',
                [SL_PLACE_DONE] = true}};
}

/* Leases that ran out are freed also while nobody comes. */
static void expire(void *context)
{
    struct sl_study_server *server = context;
    struct sl_error err;
    size_t freed = 0;
    enum sl_status status = sl_server_begin(server, &err);
    if (status == SL_OK)
        status = sl_store_expire(server->store, sl_server_now(server), &freed, &err);
    if (status != SL_OK) sl_log(server->options.log, SL_LOG_ERROR, "%s", err.message);
    sl_server_flush(server);
    if (freed > 0)
        sl_log(server->options.log, SL_LOG_INFO, "%zu place%s free again", freed,
               freed == 1 ? "" : "s");
}

/* study.json may ask for more annotators than study init was told. */
static enum sl_status set_target(const struct sl_study_server *server, struct sl_error *err)
{
    SL_TRY(sl_store_begin(server->store, err));
    enum sl_status status = sl_store_set_target(server->store, server->study->annotators, err);
    if (status == SL_OK) return sl_store_commit(server->store, err);
    sl_store_rollback(server->store);
    return status;
}

static enum sl_status load(struct sl_study_server *server, const char *folder, struct sl_error *err)
{
    const struct sl_study *study = NULL;
    SL_TRY(sl_secret_init(err));
    SL_TRY(sl_study_read(folder, &server->study, err));
    study = server->study;
    SL_TRY(sl_study_store(study, false, &server->store, err));
    SL_TRY(set_target(server, err));
    SL_TRY(sl_links_read(server->store, &server->links, err));
    SL_TRY(sl_texts_read(study, &server->texts, err));
    SL_TRY(sl_stimuli_read(server->store, &server->stimuli, err));
    if (study->check_every > 0 && server->stimuli.n_checks == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "study.json: batch.check_every is %zu, but the study has no obvious items",
                       study->check_every);
    sl_images_init(&server->images, server->stimuli.count);
    server->flow = flow_of(study, &server->texts);
    sl_secret_random(server->limits->key, sizeof server->limits->key);
    return SL_OK;
}

static enum sl_status listen_to_researcher(struct sl_study_server *server, struct sl_error *err)
{
    const struct sl_study_admin_options options = {.study = server->study,
                                                   .store = server->store,
                                                   .loop = server->loop,
                                                   .now = server->options.now,
                                                   .clock_context = server->options.clock_context,
                                                   .log = server->options.log};
    SL_TRY(sl_study_admin_create(&options, &server->admin, err));
    struct sl_http_options http = sl_http_options_default();
    http.address = server->options.admin_address;
    http.port = server->options.admin_port;
    http.routes = sl_study_admin_routes;
    http.headers = security;
    http.context = server->admin;
    return sl_http_listen(server->loop, &http, &server->researcher, err);
}

static enum sl_status open_ports(struct sl_study_server *server, struct sl_error *err)
{
    struct sl_http_options http = sl_http_options_default();
    SL_TRY(sl_http_loop_create(server->options.log, &server->loop, err));
    http.address = server->options.address;
    http.port = server->options.port;
    http.routes = sl_study_routes;
    http.headers = security;
    http.context = server;
    SL_TRY(sl_http_listen(server->loop, &http, &server->annotators, err));
    SL_TRY(listen_to_researcher(server, err));
    sl_http_every(server->loop, EXPIRY_SECONDS, expire, server);
    return SL_OK;
}

enum sl_status sl_study_server_create(const char *folder, const struct sl_study_serve *options,
                                      struct sl_study_server **out, struct sl_error *err)
{
    struct sl_study_server *server = sl_alloc(1, sizeof *server);
    server->options = *options;
    if (!server->options.now) server->options.now = clock_now;
    server->limits = sl_alloc(1, sizeof *server->limits);
    server->last = &server->first;
    enum sl_status status = load(server, folder, err);
    if (status == SL_OK) status = open_ports(server, err);
    if (status == SL_OK)
        *out = server;
    else
        sl_study_server_destroy(server);
    return status;
}

uint16_t sl_study_server_port(const struct sl_study_server *server)
{
    return sl_http_port(server->annotators);
}

uint16_t sl_study_server_admin_port(const struct sl_study_server *server)
{
    return sl_http_port(server->researcher);
}

void sl_study_server_test_token(const struct sl_study_server *server, char out[SL_STUDY_LINK_TEXT])
{
    sl_links_test(&server->links, out);
}

enum sl_status sl_study_server_run(struct sl_study_server *server, struct sl_error *err)
{
    return sl_http_loop_run(server->loop, err);
}

void sl_study_server_stop(struct sl_study_server *server)
{
    sl_http_loop_stop(server->loop);
}

void sl_study_server_destroy(struct sl_study_server *server)
{
    if (!server) return;
    /* The loop first: what waits in it still writes and replies. */
    sl_http_loop_destroy(server->loop);
    sl_study_admin_destroy(server->admin);
    sl_images_release(&server->images);
    sl_stimuli_release(&server->stimuli);
    sl_texts_release(&server->texts);
    sl_store_close(server->store);
    sl_study_destroy(server->study);
    free(server->limits);
    free(server);
}
