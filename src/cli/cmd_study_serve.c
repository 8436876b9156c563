#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cmd.h"
#include "softlab/study.h"

struct serve_values {
    const char *address, *admin_address;
    int64_t port, admin_port;
    bool behind_proxy;
};

#define AT(field) .offset = offsetof(struct serve_values, field)

static const struct cli_option serve_options[] = {
    {.name = "address",
     .kind = CLI_TEXT,
     .value = "ADDRESS",
     AT(address),
     .fallback = "127.0.0.1",
     .help = "where annotators are heard; 0.0.0.0 is everywhere"},
    {.name = "port",
     .letter = 'p',
     .kind = CLI_INTEGER,
     .value = "N",
     AT(port),
     .fallback = "8080",
     .minimum = 0,
     .maximum = 65535,
     .help = "their port; 0 is any that is free"},
    {.name = "admin-address",
     .kind = CLI_TEXT,
     .value = "ADDRESS",
     AT(admin_address),
     .fallback = "127.0.0.1",
     .help = "where the researcher is heard"},
    {.name = "admin-port",
     .kind = CLI_INTEGER,
     .value = "N",
     AT(admin_port),
     .fallback = "8081",
     .minimum = 0,
     .maximum = 65535,
     .help = "the researcher's port"},
    {.name = "behind-proxy",
     .kind = CLI_FLAG,
     AT(behind_proxy),
     .help = "believe X-Forwarded-For and X-Forwarded-Proto; only behind a proxy that sets them"},
    {.name = NULL},
};

static const struct cli_argument serve_arguments[] = {
    {.name = "FOLDER", .help = "a study that softlab study init made", .kind = CLI_FOLDER},
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

static void say_where(const struct serve_values *options, const struct sl_study_server *server)
{
    char token[SL_STUDY_LINK_TEXT];
    const char *host = strcmp(options->address, "0.0.0.0") == 0 ? "127.0.0.1" : options->address;
    printf("annotators: http://%s:%d/\n", host, (int)sl_study_server_port(server));
    sl_study_server_test_token(server, token);
    printf("to try it:  http://%s:%d/?test=%s\n", host, (int)sl_study_server_port(server), token);
    printf("researcher: http://%s:%d/\n", options->admin_address,
           (int)sl_study_server_admin_port(server));
    printf("stop with Ctrl-C; nothing that was acknowledged is lost\n");
    fflush(stdout);
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
    serve.log = &cli->log;
    SL_TRY(sl_study_server_create(cli->arguments[0], &serve, &server, err));
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
    {"softlab study serve birds", "on this machine only, to try it"},
    {"softlab study serve birds --behind-proxy", "behind nginx, which brings TLS"},
    {NULL, NULL},
};

const struct cli_command cmd_study_serve = {
    .name = "study serve",
    .also = "start host",
    .group = "studies",
    .summary = "ask people, in their browsers",
    .description =
        "Serves the pages of a study until it is stopped. Annotators and the researcher have a "
        "port each. An answer is acknowledged when it is safe on disk; the server may be stopped "
        "and started at any time, and everybody goes on where they were.",
    .arguments = serve_arguments,
    .options = serve_options,
    .examples = serve_examples,
    .values_size = sizeof(struct serve_values),
    .run = run_serve,
};
