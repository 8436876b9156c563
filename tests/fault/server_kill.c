/* kill -9 of the server while simulated annotators work, and a restart on the same port: every
 * acknowledged answer is stored once, and every annotator finishes.
 *   server_kill [--kills N] [--annotators N] [--seed N] */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "books.h"
#include "chance.h"
#include "server_process.h"
#include "softlab/base.h"

enum { SECONDS_AT_MOST = 900, BATCH = 6, MOST_ANSWERS = 60, LONGEST_MS = 5000 };

struct load {
    const char *url, *folder;
    int64_t annotators, seed;
    struct books *books;
    struct sl_simulation_result total;
    atomic_ulong acknowledged;
    atomic_bool enough;
    bool failed;
};

static void note(void *context, const char *id, bool acknowledged)
{
    struct load *load = context;
    books_note(load->books, id, acknowledged);
    if (acknowledged) atomic_fetch_add(&load->acknowledged, 1);
}

static bool simulate(struct load *load)
{
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    options.url = load->url;
    options.count = true;
    options.folder = load->folder;
    options.annotators = options.at_once = (size_t)load->annotators;
    options.speed = 0;
    options.patience = 120;
    options.images = false;
    options.seed = (uint64_t)load->seed++;
    options.saved = note;
    options.context = load;
    if (sl_study_simulate(&options, &result, &err) != SL_OK) {
        fprintf(stderr, "simulation: %s\n", err.message);
        return false;
    }
    load->total.finished += result.finished;
    load->total.refused += result.refused;
    load->total.lost += result.lost;
    load->total.answers += result.answers;
    load->total.retries += result.retries;
    return true;
}

static void *run_load(void *context)
{
    struct load *load = context;
    do {
        load->failed = !simulate(load);
    } while (!load->failed && !atomic_load(&load->enough));
    return NULL;
}

/* Kills come while answers do: after a random number of them since the last start. */
static void wait_for_answers(struct load *load, unsigned long count)
{
    unsigned long until = atomic_load(&load->acknowledged) + count;
    for (int i = 0; i < LONGEST_MS && atomic_load(&load->acknowledged) < until; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static bool kill_and_start(struct server_process *server, struct load *load, int64_t kills,
                           uint64_t chance)
{
    for (int64_t i = 0; i < kills; i++) {
        uint16_t port = server->port;
        wait_for_answers(load, 1 + chance_below(&chance, MOST_ANSWERS));
        server_process_kill(server);
        if (!server_process_start(server, SOFTLAB_PROGRAM, load->folder, port)) return false;
    }
    return true;
}

static bool run(const char *folder, int64_t kills, struct load *load)
{
    struct server_process server;
    struct books_report report;
    struct sl_error err;
    char url[64];
    pthread_t thread;
    if (make_study(folder, "collins,bars,hard", BATCH, 100000, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    if (!server_process_start(&server, SOFTLAB_PROGRAM, folder, 0)) return false;
    snprintf(url, sizeof url, "%s", server.url);
    load->url = url;
    load->folder = folder;
    const uint64_t seed = (uint64_t)load->seed; /* the annotators continue meanwhile */
    if (pthread_create(&thread, NULL, run_load, load) != 0) return false;
    bool started = kill_and_start(&server, load, kills, seed);
    atomic_store(&load->enough, true);
    pthread_join(thread, NULL);
    bool stopped = server_process_stop(&server);
    if (books_check(load->books, folder, &report, &err) != SL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    printf("%lld kills, %zu annotators finished, %zu refused, %zu lost, %zu retries\n",
           (long long)kills, load->total.finished, load->total.refused, load->total.lost,
           load->total.retries);
    books_print(&report);
    return started && stopped && !load->failed && books_are_right(&report) &&
           load->total.refused + load->total.lost == 0 && report.sent == report.acknowledged;
}

int main(int argc, char **argv)
{
    int64_t kills = 3, seed = 1, annotators = 20;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--kills") == 0        ? &kills
                          : strcmp(argv[i], "--annotators") == 0 ? &annotators
                          : strcmp(argv[i], "--seed") == 0       ? &seed
                                                                 : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    alarm(SECONDS_AT_MOST);
    char folder[64];
    snprintf(folder, sizeof folder, "server-kill-%ld", (long)getpid());
    struct load load = {.annotators = annotators, .seed = seed, .books = books_create()};
    bool good = run(folder, kills, &load);
    books_destroy(load.books);
    if (good) remove_folder(folder);
    return good ? 0 : 1;
}
