#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd.h"
#include "softlab/base/memory.h"
#include "softlab/study.h"

struct serve_values {
    const char *address, *admin_address;
    int64_t port, admin_port;
    bool behind_proxy;
    int64_t per_address;
    struct sl_word_list hosts;
    const char *access_log, *database;
    bool rehearse;
};

#define AT(field) .offset = offsetof(struct serve_values, field)

enum { DIRECT = 1, BEHIND_PROXY = 2 };

/* Behind a proxy everybody has the proxy's address. */
static void serve_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct serve_values *options = values;
    *out = options->behind_proxy ? (struct sl_option_mode){BEHIND_PROXY, .name = "--behind-proxy"}
                                 : (struct sl_option_mode){DIRECT, .name = "no proxy"};
}

static const char *const serve_samples[] = {"study", "study --behind-proxy", NULL};

static const struct sl_field_row serve_options[] = {
    {"address", SL_FIELD_WORD, AT(address),
     "address to listen on for annotators; 0.0.0.0 listens on every interface", .value = "ADDRESS",
     .fallback = "127.0.0.1"},
    {"port", SL_FIELD_INTEGER, AT(port), "port for annotators; 0 takes a free one", .letter = 'p',
     .fallback = "8080", .minimum = 0, .maximum = 65535},
    {"admin-address", SL_FIELD_WORD, AT(admin_address), "address to listen on for the researcher",
     .value = "ADDRESS", .fallback = "127.0.0.1"},
    {"admin-port", SL_FIELD_INTEGER, AT(admin_port), "port for the researcher", .fallback = "8081",
     .minimum = 0, .maximum = 65535},
    {"behind-proxy", SL_FIELD_BOOLEAN, AT(behind_proxy),
     "trust X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them"},
    {"host", SL_FIELD_WORDS, AT(hosts),
     "answer requests for this host name only; repeat the option for further names",
     .value = "NAME"},
    {"per-address", SL_FIELD_INTEGER, AT(per_address),
     "most connections from one client address, without a proxy; 0 sets no limit",
     .fallback = "256", .minimum = 0, .maximum = 100000, .modes = DIRECT},
    {"rehearse", SL_FIELD_BOOLEAN, AT(rehearse),
     "let people in by the test link only, and serve the study although softlab study check "
     "finds errors in it"},
    {"database", SL_FIELD_WORD, AT(database),
     "the PostgreSQL database of the study, instead of the one that its folder names; several "
     "servers may serve it at the same time",
     .value = "URL"},
    {"access-log", SL_FIELD_OUTPUT, AT(access_log),
     "append one line per request to this file; it holds no addresses and no queries",
     .prints = ""},
    {.name = NULL},
};

static const struct cli_argument serve_arguments[] = {
    {.name = "FOLDER",
     .help = "a folder that softlab study init made, or a folder of such folders",
     .kind = SL_FIELD_FOLDER},
    {.name = NULL},
};

/* A signal handler has no other way to know what to stop. */
static struct sl_study_server *volatile running;

static void on_signal(int number)
{
    (void)number;
    if (running) sl_study_server_stop(running);
}

static enum sl_status catch_signals(struct sl_error *err)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0)
        return sl_fail_errno(err, "sigaction");
    action.sa_handler = SIG_IGN;
    if (sigaction(SIGPIPE, &action, NULL) != 0) return sl_fail_errno(err, "sigaction");
    return SL_OK;
}

/* Every connection takes one, and a shell allows 1,024. What the system refuses stays as it is: a
 * server without descriptors closes the connection that nobody uses for longest. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* The links of one study; scripts read the address after "annotators:". */
static void say_links(const struct serve_values *options, const struct sl_study_server *server,
                      size_t index, const char *address)
{
    const char *prefix = sl_study_server_prefix(server, index);
    json_t *links = sl_study_server_links(server, index, address);
    const char *send = json_string_value(json_object_get(links, "annotators"));
    const char *test = json_string_value(json_object_get(links, "test"));
    printf("annotators: %s%s/\n", address, prefix);
    if (strchr(send, '?')) printf("to send:    %s\n", send);
    printf("to try it:  %s\n", test ? test : "");
    printf("researcher: http://%s:%d%s/\n", options->admin_address,
           (int)sl_study_server_admin_port(server), prefix);
    json_decref(links);
}

static void say_where(const struct serve_values *options, const struct sl_study_server *server)
{
    const char *host = strcmp(options->address, "0.0.0.0") == 0 ? "127.0.0.1" : options->address;
    char *address = sl_string_printf("http://%s:%d", host, (int)sl_study_server_port(server));
    for (size_t i = 0; sl_study_server_prefix(server, i); i++)
        say_links(options, server, i, address);
    if (options->rehearse)
        printf("this is a rehearsal: only the test link lets anybody in, and no answer counts\n");
    printf("stop with Ctrl-C; nothing that was acknowledged is lost\n");
    fflush(stdout);
    free(address);
}

static enum sl_status run_serve(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct serve_values *options = values;
    struct sl_study_serve serve = sl_study_serve_default();
    struct sl_study_server *server = NULL;
    serve.address = options->address;
    serve.port = (uint16_t)options->port;
    serve.admin_address = options->admin_address;
    serve.admin_port = (uint16_t)options->admin_port;
    serve.behind_proxy = options->behind_proxy;
    serve.per_address = (size_t)options->per_address;
    serve.access_log = options->access_log;
    serve.database = options->database;
    serve.rehearse = options->rehearse;
    serve.log = &cli->log;
    /* The table of names ends with NULL. */
    const char *hosts[SL_FIELD_LIST_MAX + 1] = {NULL};
    memcpy((void *)hosts, (const void *)options->hosts.values,
           options->hosts.count * sizeof *hosts);
    if (options->hosts.count > 0) serve.hosts = hosts;
    SL_TRY(sl_study_server_create(cli->arguments[0], &serve, &server, err));
    allow_descriptors();
    running = server;
    enum sl_status status = catch_signals(err);
    if (status == SL_OK) {
        say_where(options, server);
        status = sl_study_server_run(server, err);
    }
    running = NULL;
    sl_study_server_destroy(server);
    return status;
}

static const struct cli_example serve_examples[] = {
    {"softlab study serve birds --rehearse", "try it on this machine; everybody else must wait"},
    {"softlab study serve birds", "on this machine only"},
    {"softlab study serve birds --behind-proxy --host study.example.org",
     "behind nginx, which brings TLS"},
    {"softlab study serve studies", "studies/birds at /birds/, studies/dogs at /dogs/"},
    {NULL, NULL},
};

const struct cli_command cmd_study_serve = {
    .name = "study serve",
    .also = "start host",
    .group = "studies",
    .summary = "ask people, in their browsers",
    .description =
        "Serves the pages of a study until it is stopped. If FOLDER holds several studies, each is "
        "served below its folder's name (/birds/). Annotators and the researcher have separate "
        "ports. The server acknowledges an answer once it is safe on disk; it may be stopped and "
        "started at any time, and every session continues where it was. A study in which softlab "
        "study check finds an error is not served: correct it, or give --rehearse.",
    .arguments = serve_arguments,
    .options = serve_options,
    .examples = serve_examples,
    .values_size = sizeof(struct serve_values),
    .mode = serve_mode,
    .samples = serve_samples,
    .run = run_serve,
};
