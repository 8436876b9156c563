#define _GNU_SOURCE /* prctl */
#include "proxy.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "postgres_process.h"
#include "server_process.h"

enum { PATIENCE_MS = 10000, STEP_MS = 10, MOST_WORDS = 8 };

struct proxy_kind {
    const char *name, *program, *title;
    void (*write)(FILE *file, unsigned port, const uint16_t *ports, size_t n_ports);
    const char *words[MOST_WORDS]; /* behind the program, which begins in the folder */
};

static void write_haproxy(FILE *file, unsigned port, const uint16_t *ports, size_t n_ports)
{
    fprintf(file,
            "defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n"
            "  timeout server 60s\n  retries 3\n  option redispatch\n"
            "frontend annotators\n  bind 127.0.0.1:%u\n  default_backend servers\n"
            "backend servers\n  balance roundrobin\n",
            port);
    for (size_t i = 0; i < n_ports; i++)
        fprintf(file, "  server s%zu 127.0.0.1:%u check inter 100ms fall 1 rise 1\n", i,
                (unsigned)ports[i]);
}

/* As docs/scale-postgresql.md has it, but for TLS. */
static void write_nginx(FILE *file, unsigned port, const uint16_t *ports, size_t n_ports)
{
    fprintf(file, "daemon off;\nmaster_process off;\npid nginx.pid;\n"
                  "events { worker_connections 1024; }\n"
                  "http {\n  access_log off;\n  client_body_temp_path body;\n"
                  "  proxy_temp_path proxy;\n  fastcgi_temp_path fastcgi;\n"
                  "  uwsgi_temp_path uwsgi;\n  scgi_temp_path scgi;\n"
                  "  upstream softlab_annotators {\n");
    for (size_t i = 0; i < n_ports; i++)
        fprintf(file, "    server 127.0.0.1:%u fail_timeout=1s;\n", (unsigned)ports[i]);
    fprintf(file,
            "    keepalive 32;\n    keepalive_timeout 30s;\n  }\n"
            "  server {\n    listen 127.0.0.1:%u;\n    location / {\n"
            "      proxy_pass http://softlab_annotators;\n      proxy_http_version 1.1;\n"
            "      proxy_set_header Connection \"\";\n      proxy_set_header Host $http_host;\n"
            "    }\n  }\n}\n",
            port);
}

static const struct proxy_kind kinds[] = {
    {"haproxy", "/usr/sbin/haproxy", "HAProxy", write_haproxy, {"-db", "-q", "-f", "config", NULL}},
    {"nginx",
     "/usr/sbin/nginx",
     "nginx",
     write_nginx,
     {"-p", ".", "-c", "config", "-e", "error.log", NULL}},
};

const struct proxy_kind *proxy_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

int proxy_missing(const struct proxy_kind *kind)
{
    return program_missing(kind->program, kind->title);
}

/* A port that was free a moment ago. */
static unsigned find_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    int socket_of = socket(AF_INET, SOCK_STREAM, 0);
    const bool bound = bind(socket_of, (struct sockaddr *)&at, sizeof at) == 0 &&
                       getsockname(socket_of, (struct sockaddr *)&at, &length) == 0;
    close(socket_of);
    return bound ? ntohs(at.sin_port) : 0;
}

static bool write_config(const struct proxy *proxy, const uint16_t *ports, size_t n_ports)
{
    char path[96];
    snprintf(path, sizeof path, "%s/config", proxy->folder);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    proxy->kind->write(file, proxy->port, ports, n_ports);
    return fclose(file) == 0;
}

static bool takes_connections(unsigned port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                             .sin_port = htons((uint16_t)port)};
    int socket_of = socket(AF_INET, SOCK_STREAM, 0);
    const bool good = connect(socket_of, (struct sockaddr *)&at, sizeof at) == 0;
    close(socket_of);
    return good;
}

/* execv promises not to change the words, but cannot say so. */
static void become(const struct proxy *proxy)
{
    const struct proxy_kind *kind = proxy->kind;
    char *words[MOST_WORDS + 1] = {strdup(kind->program)};
    for (size_t i = 0; kind->words[i]; i++)
        words[i + 1] = strdup(kind->words[i]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (chdir(proxy->folder) == 0) execv(kind->program, words);
    _exit(127);
}

bool proxy_start(struct proxy *proxy, const uint16_t *ports, size_t n_ports)
{
    proxy->port = find_port();
    if (proxy->port == 0 || mkdir(proxy->folder, 0700) != 0 || !write_config(proxy, ports, n_ports))
        return false;
    proxy->process = fork();
    if (proxy->process == 0) become(proxy);
    for (int waited = 0; waited < PATIENCE_MS; waited += STEP_MS) {
        if (takes_connections(proxy->port)) return true;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
    return false;
}

void proxy_stop(struct proxy *proxy)
{
    if (proxy->process > 0) {
        kill(proxy->process, SIGKILL);
        waitpid(proxy->process, NULL, 0);
    }
    remove_folder(proxy->folder);
}
