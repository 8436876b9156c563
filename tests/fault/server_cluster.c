/* Two servers behind HAProxy share one study in PostgreSQL while simulated annotators work; every
 * request goes to the other server than the one before. Servers and database are killed with
 * SIGKILL, and the database goes away for a while: every acknowledged answer is stored once, and
 * every annotator finishes.
 *   server_cluster [--rounds N] [--annotators N] [--seconds N] [--seed N] */
#define _GNU_SOURCE /* prctl */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "load.h"
#include "server_process.h"
#include "shared.h"
#include "softlab/base.h"

enum { SECONDS_AT_MOST = 900, BATCH = 6, MOST_ANSWERS = 60, SERVERS = 2, PATIENCE_MS = 10000 };

static const char haproxy[] = "/usr/sbin/haproxy";

struct cluster {
    struct postgres_process database;
    struct server_process servers[SERVERS];
    pid_t proxy;
    char folder[64], url[64], config[96];
    int64_t seconds_away;
    struct load load;
};

/* ---- The proxy ---- */

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

static bool write_config(const struct cluster *cluster, unsigned port)
{
    FILE *file = fopen(cluster->config, "w");
    if (!file) return false;
    fprintf(file,
            "defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n"
            "  timeout server 60s\n  retries 3\n  option redispatch\n"
            "frontend annotators\n  bind 127.0.0.1:%u\n  default_backend servers\n"
            "backend servers\n  balance roundrobin\n",
            port);
    for (int i = 0; i < SERVERS; i++)
        fprintf(file, "  server s%d 127.0.0.1:%u check inter 100ms fall 1 rise 1\n", i,
                (unsigned)cluster->servers[i].port);
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

static bool start_proxy(struct cluster *cluster)
{
    const unsigned port = find_port();
    snprintf(cluster->config, sizeof cluster->config, "%s.cfg", cluster->folder);
    snprintf(cluster->url, sizeof cluster->url, "http://127.0.0.1:%u/", port);
    if (port == 0 || !write_config(cluster, port)) return false;
    cluster->proxy = fork();
    if (cluster->proxy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(haproxy, haproxy, "-db", "-q", "-f", cluster->config, (char *)NULL);
        _exit(127);
    }
    for (int waited = 0; waited < PATIENCE_MS; waited += 10) {
        if (takes_connections(port)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

/* ---- What goes wrong ---- */

static bool restart(struct server_process *server, const char *folder)
{
    const uint16_t port = server->port;
    server_process_kill(server);
    return server_process_start(server, SOFTLAB_PROGRAM, folder, port);
}

static bool kill_first_server(struct cluster *cluster)
{
    return restart(&cluster->servers[0], cluster->folder);
}

static bool kill_second_server(struct cluster *cluster)
{
    return restart(&cluster->servers[1], cluster->folder);
}

static bool kill_database(struct cluster *cluster)
{
    postgres_process_kill(&cluster->database);
    return postgres_process_start(&cluster->database);
}

static bool stop_database_for_a_while(struct cluster *cluster)
{
    postgres_process_stop(&cluster->database);
    nanosleep(&(struct timespec){.tv_sec = cluster->seconds_away}, NULL);
    return postgres_process_start(&cluster->database);
}

static bool end_connections(struct cluster *cluster)
{
    return postgres_process_sql(&cluster->database,
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                "WHERE application_name = 'softlab'");
}

static const struct {
    const char *name;
    bool (*happen)(struct cluster *cluster);
} mishaps[] = {
    {"kill -9 of a server", kill_first_server},          {"kill -9 of the database", kill_database},
    {"kill -9 of the other server", kill_second_server}, {"connections lost", end_connections},
    {"the database away", stop_database_for_a_while},
};

/* ---- The run ---- */

static bool start_cluster(struct cluster *cluster)
{
    struct sl_error err;
    if (make_study(cluster->folder, "collins,bars,hard", BATCH, 100000, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    if (!share_study(cluster->folder, &cluster->database)) return false;
    for (int i = 0; i < SERVERS; i++)
        if (!server_process_start(&cluster->servers[i], SOFTLAB_PROGRAM, cluster->folder, 0))
            return false;
    return start_proxy(cluster);
}

static void stop_cluster(struct cluster *cluster)
{
    if (cluster->proxy > 0) {
        kill(cluster->proxy, SIGKILL);
        waitpid(cluster->proxy, NULL, 0);
    }
    for (int i = 0; i < SERVERS; i++)
        server_process_kill(&cluster->servers[i]);
    postgres_process_remove(&cluster->database);
    remove(cluster->config);
}

static bool run_mishaps(struct cluster *cluster, int64_t rounds, uint64_t chance)
{
    for (int64_t i = 0; i < rounds; i++)
        for (size_t k = 0; k < sizeof mishaps / sizeof *mishaps; k++) {
            load_wait(&cluster->load, 1 + chance_below(&chance, MOST_ANSWERS));
            if (mishaps[k].happen(cluster)) continue;
            fprintf(stderr, "%s: it did not start again\n", mishaps[k].name);
            return false;
        }
    return true;
}

static bool run(struct cluster *cluster, int64_t rounds)
{
    struct books_report report;
    struct sl_error err;
    struct load *load = &cluster->load;
    const uint64_t seed = (uint64_t)load->seed; /* the annotators continue meanwhile */
    load->url = cluster->url;
    load->folder = cluster->folder;
    if (!start_cluster(cluster) || !load_start(load)) return false;
    const bool survived = run_mishaps(cluster, rounds, seed);
    const bool finished = load_finish(load);
    bool stopped = true;
    for (int i = 0; i < SERVERS; i++)
        stopped = server_process_stop(&cluster->servers[i]) && stopped;
    if (books_check(load->books, cluster->folder, &report, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    load_print(load);
    books_print(&report);
    return survived && finished && stopped && books_are_right(&report) &&
           report.sent == report.acknowledged;
}

int main(int argc, char **argv)
{
    int64_t rounds = 1, seed = 1, annotators = 20, seconds = 2;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--rounds") == 0       ? &rounds
                          : strcmp(argv[i], "--annotators") == 0 ? &annotators
                          : strcmp(argv[i], "--seconds") == 0    ? &seconds
                          : strcmp(argv[i], "--seed") == 0       ? &seed
                                                                 : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    int missing = postgres_process_missing();
    if (!missing) missing = program_missing(haproxy, "HAProxy");
    if (missing) return missing;
    alarm(SECONDS_AT_MOST);
    struct cluster cluster = {
        .seconds_away = seconds,
        .load = {.annotators = annotators, .seed = seed, .books = books_create()}};
    snprintf(cluster.folder, sizeof cluster.folder, "server-cluster-%ld", (long)getpid());
    const bool good = run(&cluster, rounds);
    stop_cluster(&cluster);
    books_destroy(cluster.load.books);
    if (good) remove_folder(cluster.folder);
    return good ? 0 : 1;
}
