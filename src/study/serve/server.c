/* The server process: one loop, two ports, and one study at "/" or the studies of a folder, each
 * below its own name. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "softlab/base/file.h"
#include "softlab/base/markup.h"
#include "softlab/base/memory.h"
#include "softlab/study/check.h"
#include "study/serve/site.h"

struct sl_study_server {
    struct sl_host host;
    struct sl_site **sites; /* owned */
    size_t n_sites;
    struct sl_http_mount *mounts[SL_PORTS]; /* owned; end with a NULL prefix */
    struct sl_http_listener *listeners[SL_PORTS];
};

struct sl_study_serve sl_study_serve_default(void)
{
    return (struct sl_study_serve){
        .address = "127.0.0.1",
        .port = 8080,
        .admin_address = "127.0.0.1",
        .admin_port = 8081,
        .per_address = 256,
    };
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

static int64_t host_now(const struct sl_host *host)
{
    return host->options.now(host->options.clock_context);
}

/* ---- Pages of the process itself ---- */

static struct sl_gauges read_gauges(const struct sl_study_server *server)
{
    struct sl_gauges gauges = {0};
    for (size_t port = 0; port < SL_PORTS; port++)
        gauges.connections[port] = sl_http_connections(server->listeners[port]);
    for (size_t i = 0; i < server->n_sites; i++) {
        gauges.waiting += sl_site_parked(server->sites[i]);
        gauges.failing += server->sites[i]->failing;
    }
    return gauges;
}

static void get_health(struct sl_http_exchange *exchange, void *context)
{
    const struct sl_gauges gauges = read_gauges(context);
    sl_monitor_health(&gauges, exchange);
}

static void get_metrics(struct sl_http_exchange *exchange, void *context)
{
    const struct sl_study_server *server = context;
    const struct sl_gauges gauges = read_gauges(server);
    sl_monitor_metrics(&server->host.monitor, &gauges, exchange);
}

/* The researcher's root: links to the pages of each study. */
static void get_studies(struct sl_http_exchange *exchange, void *context)
{
    const struct sl_study_server *server = context;
    struct sl_buffer page;
    sl_buffer_init(&page, 1 << 20);
    sl_buffer_printf(&page,
                     "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<title>softlab: studies</title>\n"
                     "<link rel=\"icon\" href=\"%s/admin/file/icon.svg\" type=\"image/svg+xml\">\n"
                     "<link rel=\"stylesheet\" href=\"%s/admin/file/style.css\">\n"
                     "<main><div class=\"view\">\n<h1>Studies</h1>\n<ul class=\"cards\">\n",
                     server->sites[0]->prefix, server->sites[0]->prefix);
    for (size_t i = 0; i < server->n_sites; i++) {
        const struct sl_site *site = server->sites[i];
        sl_buffer_printf(&page, "<li class=\"card\"><h2><a href=\"%s/admin\">", site->prefix);
        sl_html_escape(&page, site->study->title, strlen(site->study->title));
        sl_buffer_printf(&page, "</a></h2>\n<p>%s/</p></li>\n", site->prefix);
    }
    sl_buffer_text(&page, "</ul>\n</div></main>\n</html>\n");
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "text/html; charset=utf-8",
                                                   .body = page.data,
                                                   .length = page.length});
    sl_buffer_release(&page);
}

static const struct sl_http_route own_routes[SL_PORTS][4] = {
    [SL_PORT_ANNOTATORS] = {{SL_HTTP_GET, "/healthz", get_health}, {.path = NULL}},
    [SL_PORT_RESEARCHER] = {{SL_HTTP_GET, "/healthz", get_health},
                            {SL_HTTP_GET, "/metrics", get_metrics},
                            {SL_HTTP_GET, "/", get_studies},
                            {.path = NULL}},
};

static void note_annotators(const struct sl_http_served *served, void *context)
{
    struct sl_host *host = &((struct sl_study_server *)context)->host;
    sl_monitor_note(&host->monitor, SL_PORT_ANNOTATORS, served, host_now(host));
}

static void note_researcher(const struct sl_http_served *served, void *context)
{
    struct sl_host *host = &((struct sl_study_server *)context)->host;
    sl_monitor_note(&host->monitor, SL_PORT_RESEARCHER, served, host_now(host));
}

/* ---- Studies ---- */

/* A name that needs no escaping in an address and is not one of our own pages. */
static bool is_name(const char *name)
{
    return sl_request_is_word(name, strlen(name)) && strcmp(name, "healthz") != 0 &&
           strcmp(name, "metrics") != 0;
}

static bool is_study(const char *folder)
{
    char *path = sl_path_join(folder, "study.json");
    bool found = sl_file_exists(path);
    free(path);
    return found;
}

static enum sl_status add_site(struct sl_study_server *server, const char *folder,
                               const char *prefix, struct sl_error *err)
{
    struct sl_site *site = NULL;
    SL_TRY(sl_site_open(&server->host, folder, prefix, &site, err));
    server->sites = sl_resize((void *)server->sites, server->n_sites + 1, sizeof(struct sl_site *));
    server->sites[server->n_sites++] = site;
    return SL_OK;
}

static enum sl_status add_named(struct sl_study_server *server, const char *folder,
                                const char *name, struct sl_error *err)
{
    char *path = sl_path_join(folder, name), *prefix = sl_string_printf("/%s", name);
    enum sl_status status = SL_OK;
    if (is_study(path) && !is_name(name))
        status =
            sl_fail(err, SL_ERR_USAGE,
                    "%s cannot be served under its name: rename the folder to 1 to %d letters, "
                    "digits, - or _, but not healthz or metrics",
                    path, SL_WORD_MAX);
    else if (is_study(path))
        status = add_site(server, path, prefix, err);
    free(path);
    free(prefix);
    return status;
}

static enum sl_status open_sites(struct sl_study_server *server, const char *folder,
                                 struct sl_error *err)
{
    char **names = NULL;
    enum sl_status status = SL_OK;
    if (is_study(folder) || !sl_folder_exists(folder)) return add_site(server, folder, "", err);
    if (server->host.options.database)
        return sl_fail(err, SL_ERR_USAGE,
                       "--database is of one study, and %s may contain several: give the folder of "
                       "the study",
                       folder);
    SL_TRY(sl_folder_list(folder, &names, NULL, err));
    for (char **name = names; *name && status == SL_OK; name++)
        status = add_named(server, folder, *name, err);
    sl_names_destroy(names);
    if (status == SL_OK && server->n_sites == 0)
        status = sl_fail(err, SL_ERR_NOT_FOUND,
                         "%s contains no study: make one in it with softlab study init", folder);
    return status;
}

/* ---- Ports ---- */

static struct sl_http_mount *make_mounts(const struct sl_study_server *server,
                                         enum sl_monitor_port port)
{
    struct sl_http_mount *mounts = sl_alloc(server->n_sites + 1, sizeof *mounts);
    for (size_t i = 0; i < server->n_sites; i++) {
        struct sl_site *site = server->sites[i];
        mounts[i].prefix = site->prefix;
        mounts[i].routes = port == SL_PORT_ANNOTATORS ? sl_study_routes : sl_study_admin_routes;
        mounts[i].context = port == SL_PORT_ANNOTATORS ? (void *)site : (void *)site->admin;
    }
    return mounts;
}

static enum sl_status open_port(struct sl_study_server *server, enum sl_monitor_port port,
                                struct sl_error *err)
{
    const struct sl_study_serve *options = &server->host.options;
    const bool annotators = port == SL_PORT_ANNOTATORS;
    struct sl_http_options http = sl_http_options_default();
    server->mounts[port] = make_mounts(server, port);
    http.address = annotators ? options->address : options->admin_address;
    http.port = annotators ? options->port : options->admin_port;
    http.routes = own_routes[port];
    http.mounts = server->mounts[port];
    http.headers = security;
    http.context = server;
    http.served = annotators ? note_annotators : note_researcher;
    http.hosts = options->hosts;
    /* Behind a proxy all connections come from its address, and it has its own limits. */
    http.max_per_address = options->behind_proxy ? 0 : options->per_address;
    return sl_http_listen(server->host.loop, &http, &server->listeners[port], err);
}

static enum sl_status open_all(struct sl_study_server *server, const char *folder,
                               struct sl_error *err)
{
    struct sl_host *host = &server->host;
    SL_TRY(sl_http_loop_create(host->options.log, &host->loop, err));
    SL_TRY(open_sites(server, folder, err));
    SL_TRY(sl_monitor_open(&host->monitor, host->options.access_log, err));
    SL_TRY(open_port(server, SL_PORT_ANNOTATORS, err));
    host->port = sl_http_port(server->listeners[SL_PORT_ANNOTATORS]);
    return open_port(server, SL_PORT_RESEARCHER, err);
}

enum sl_status sl_study_server_create(const char *folder, const struct sl_study_serve *options,
                                      struct sl_study_server **out, struct sl_error *err)
{
    struct sl_study_server *server = sl_alloc(1, sizeof *server);
    server->host.options = *options;
    if (!server->host.options.now) server->host.options.now = clock_now;
    server->host.monitor.started = host_now(&server->host);
    enum sl_status status = open_all(server, folder, err);
    if (status == SL_OK)
        *out = server;
    else
        sl_study_server_destroy(server);
    return status;
}

uint16_t sl_study_server_port(const struct sl_study_server *server)
{
    return sl_http_port(server->listeners[SL_PORT_ANNOTATORS]);
}

uint16_t sl_study_server_admin_port(const struct sl_study_server *server)
{
    return sl_http_port(server->listeners[SL_PORT_RESEARCHER]);
}

struct sl_site *sl_server_site(const struct sl_study_server *server, size_t index)
{
    return index < server->n_sites ? server->sites[index] : NULL;
}

const char *sl_study_server_prefix(const struct sl_study_server *server, size_t index)
{
    return index < server->n_sites ? server->sites[index]->prefix : NULL;
}

void sl_study_server_test_token(const struct sl_study_server *server, size_t index,
                                char out[SL_STUDY_LINK_TEXT])
{
    sl_links_test(&server->sites[index]->links, out);
}

json_t *sl_study_server_links(const struct sl_study_server *server, size_t index,
                              const char *address)
{
    const struct sl_site *site = server->sites[index];
    char *base = sl_string_printf("%s%s", address, site->prefix);
    json_t *links = sl_study_links_json(site->study, site->store, base);
    free(base);
    return links;
}

enum sl_status sl_study_server_run(struct sl_study_server *server, struct sl_error *err)
{
    return sl_http_loop_run(server->host.loop, err);
}

void sl_study_server_stop(struct sl_study_server *server)
{
    sl_http_loop_stop(server->host.loop);
}

void sl_study_server_destroy(struct sl_study_server *server)
{
    if (!server) return;
    /* The loop goes first: waiting requests still write and reply. */
    sl_http_loop_destroy(server->host.loop);
    for (size_t i = 0; i < server->n_sites; i++)
        sl_site_close(server->sites[i]);
    sl_monitor_close(&server->host.monitor);
    for (size_t i = 0; i < SL_PORTS; i++)
        free(server->mounts[i]);
    free((void *)server->sites);
    free(server);
}
