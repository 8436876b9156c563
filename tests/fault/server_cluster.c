/* Two servers behind a proxy share one study in PostgreSQL while simulated annotators work; every
 * request goes to the other server than the one before. Servers and database are killed with
 * SIGKILL, and the database goes away for a while: every acknowledged answer is stored once, and
 * every annotator finishes.
 *   server_cluster [--proxy haproxy|nginx] [--rounds N] [--annotators N] [--seconds N] [--seed N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "load.h"
#include "proxy.h"
#include "server_process.h"
#include "shared.h"
#include "softlab/base.h"

enum { SECONDS_AT_MOST = 900, BATCH = 6, MOST_ANSWERS = 60, SERVERS = 2 };

struct cluster {
    struct postgres_process database;
    struct server_process servers[SERVERS];
    struct proxy proxy;
    char folder[64], url[64];
    int64_t seconds_away;
    struct load load;
};

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
    uint16_t ports[SERVERS];
    for (int i = 0; i < SERVERS; i++) {
        if (!server_process_start(&cluster->servers[i], SOFTLAB_PROGRAM, cluster->folder, 0))
            return false;
        ports[i] = cluster->servers[i].port;
    }
    if (!proxy_start(&cluster->proxy, ports, SERVERS)) return false;
    snprintf(cluster->url, sizeof cluster->url, "http://127.0.0.1:%u/", cluster->proxy.port);
    return true;
}

static void stop_cluster(struct cluster *cluster)
{
    proxy_stop(&cluster->proxy);
    for (int i = 0; i < SERVERS; i++)
        server_process_kill(&cluster->servers[i]);
    postgres_process_remove(&cluster->database);
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
    const char *proxy = "haproxy";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--proxy") == 0) {
            proxy = argv[i + 1];
            continue;
        }
        int64_t *option = strcmp(argv[i], "--rounds") == 0       ? &rounds
                          : strcmp(argv[i], "--annotators") == 0 ? &annotators
                          : strcmp(argv[i], "--seconds") == 0    ? &seconds
                          : strcmp(argv[i], "--seed") == 0       ? &seed
                                                                 : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    const struct proxy_kind *kind = proxy_find(proxy);
    if (!kind) return 2;
    int missing = postgres_process_missing();
    if (!missing) missing = proxy_missing(kind);
    if (missing) return missing;
    alarm(SECONDS_AT_MOST);
    struct cluster cluster = {
        .seconds_away = seconds,
        .proxy = {.kind = kind},
        .load = {.annotators = annotators, .seed = seed, .books = books_create()}};
    snprintf(cluster.folder, sizeof cluster.folder, "server-cluster-%ld", (long)getpid());
    snprintf(cluster.proxy.folder, sizeof cluster.proxy.folder, "proxy-%ld", (long)getpid());
    const bool good = run(&cluster, rounds);
    stop_cluster(&cluster);
    books_destroy(cluster.load.books);
    if (good) remove_folder(cluster.folder);
    return good ? 0 : 1;
}
