/* The study server on loopback, a process of its own, with a fresh study of the shapes: how soon it
 * starts, how long a save takes at 50 per second, how many it can save beside what the disk can
 * sync in the same minutes, how much memory 500 annotators cost, and how long a save takes with
 * 2,000 connected. Exit status 1 below a bar. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "server_process.h"
#include "softlab/base.h"
#include "softlab/study.h"

enum {
    STARTS = 5,
    CALM_ROUNDS = 3,
    CROWD_ROUNDS = 2,
    SYNCS = 150,
    CALM = 20,
    CROWD = 500,
    TRIALS = 25,
    THRONG = 2000,
    THRONG_TRIALS = 5,
    MAX_ANSWERS = 1 << 20
};
static const double calm_rate = 50, throng_rate = 300;
/* The bars. */
static const double most_start_seconds = .5, most_p99_ms = 100, least_ratio = .5,
                    most_megabytes = 100, most_throng_ms = 500;

static void check(bool ok, const char *what)
{
    if (ok) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static bool bar(bool ok, const char *what)
{
    if (!ok) printf("  BELOW THE BAR: %s\n", what);
    return ok;
}

/* What a commit to the write-ahead log costs at least: one page with its header, synced. `pause`
 * seconds lie between two; milliseconds of each into `out`. */
static void measure_syncs(const char *folder, size_t count, double pause, double *out)
{
    static const char page[4096 + 24];
    char *path = sl_path_join(folder, "sync-test");
    int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    check(file >= 0, "a file for syncs cannot be made");
    for (size_t i = 0; i < count; i++) {
        double begun = sl_clock_seconds();
        check(write(file, page, sizeof page) == (ssize_t)sizeof page && fdatasync(file) == 0,
              "a sync failed");
        out[i] = 1000 * (sl_clock_seconds() - begun);
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * pause)}, NULL);
    }
    close(file);
    unlink(path);
    free(path);
}

static double syncs_per_second(const char *folder)
{
    double milliseconds[SYNCS], sum = 0;
    measure_syncs(folder, SYNCS, 0, milliseconds);
    for (size_t i = 0; i < SYNCS; i++)
        sum += milliseconds[i];
    return 1000 * SYNCS / sum;
}

/* When each answer was acknowledged. */
struct times {
    double *at;
    size_t count;
};

static void note(void *context, const char *id, bool acknowledged)
{
    struct times *times = context;
    (void)id;
    if (acknowledged && times->count < MAX_ANSWERS) times->at[times->count++] = sl_clock_seconds();
}

/* Without the first and the last tenth, because arriving and leaving is not measured. */
static double plateau(const struct times *times)
{
    size_t from = times->count / 10, to = times->count - times->count / 10 - 1;
    return (double)(to - from) / (times->at[to] - times->at[from]);
}

static struct sl_simulation_result simulate(const struct server_process *server, const char *folder,
                                            size_t annotators, double rate, bool images,
                                            struct times *times)
{
    static uint64_t seed = 1;
    struct sl_study_simulation options = sl_study_simulation_default();
    struct sl_simulation_result result;
    struct sl_error err;
    times->count = 0;
    options.url = server->url;
    options.folder = folder; /* to pass the comprehension check */
    options.count = true;
    options.annotators = options.at_once = annotators;
    options.speed = 0;
    options.rate = rate;
    options.images = images;
    options.patience = 120;
    options.seed = seed++;
    options.saved = note;
    options.context = times;
    check(sl_study_simulate(&options, &result, &err) == SL_OK, err.message);
    check(result.finished == annotators, "an annotator did not come to the end");
    return result;
}

static void make_study(const char *folder, size_t trials)
{
    struct sl_error err;
    struct sl_study_setup setup = sl_study_setup_default();
    setup.folder = folder;
    setup.images = "shapes:n=100";
    setup.batch_size = trials;
    setup.annotators = 100000;
    setup.contact = "Ada Lovelace, ada@example.org";
    check(sl_study_init(&setup, NULL, &err) == SL_OK, err.message);
}

static bool measure_start(const char *folder)
{
    struct server_process server;
    double best = 1e9;
    for (int i = 0; i < STARTS; i++) {
        check(server_process_start(&server, SOFTLAB_PROGRAM, folder, 0), "the server");
        if (server.start_seconds < best) best = server.start_seconds;
        check(server_process_stop(&server), "the server did not stop well");
    }
    printf("start: %.3f s (at most %.1f)\n", best, most_start_seconds);
    return bar(best <= most_start_seconds, "start");
}

static bool measure_calm(const struct server_process *server, const char *folder,
                         struct times *times)
{
    double best = 1e9, milliseconds[SYNCS];
    for (int i = 0; i < CALM_ROUNDS && best > most_p99_ms; i++) {
        measure_syncs(folder, SYNCS, 1 / calm_rate, milliseconds);
        struct sl_simulation_result result =
            simulate(server, folder, CALM, calm_rate, false, times);
        printf("%.0f saves/s for %.0f s: median %.1f ms, p99 %.1f ms, slowest %.1f ms; a sync "
               "median %.1f ms, p99 %.1f ms\n",
               (double)result.answers / result.seconds, result.seconds, result.p50_ms,
               result.p99_ms, result.worst_ms, sl_quantile(milliseconds, SYNCS, .5),
               sl_quantile(milliseconds, SYNCS, .99));
        if (result.p99_ms < best) best = result.p99_ms;
    }
    printf("p99 of a save at %.0f/s: %.1f ms (at most %.0f)\n", calm_rate, best, most_p99_ms);
    return bar(best <= most_p99_ms, "p99 of a save");
}

static bool measure_rate(const struct server_process *server, const char *folder,
                         struct times *times)
{
    double best_rate = 0, best_syncs = 0;
    for (int i = 0; i < CROWD_ROUNDS; i++) {
        double syncs = syncs_per_second(folder);
        struct sl_simulation_result result = simulate(server, folder, CROWD, 0, i == 0, times);
        double rate = plateau(times);
        printf("%d annotators at once: %zu answers in %.1f s, %.0f saves/s; disk %.0f syncs/s\n",
               CROWD, result.answers, result.seconds, rate, syncs);
        if (rate > best_rate) best_rate = rate;
        if (syncs > best_syncs) best_syncs = syncs;
    }
    double megabytes = server_process_megabytes(server);
    printf("full rate: %.0f saves/s, disk %.0f syncs/s, ratio %.2f (at least %.2f)\n", best_rate,
           best_syncs, best_rate / best_syncs, least_ratio);
    printf("memory with %d annotators: %.1f MB (at most %.0f)\n", CROWD, megabytes, most_megabytes);
    bool fast = bar(best_rate >= least_ratio * best_syncs, "full rate");
    return bar(megabytes > 0 && megabytes <= most_megabytes, "memory") && fast;
}

/* Many people connect at once: nobody is turned away, and saves stay fast. */
static bool measure_throng(struct times *times)
{
    char folder[64];
    struct server_process server;
    double best = 1e9;
    snprintf(folder, sizeof folder, "bench-throng-%ld", (long)getpid());
    make_study(folder, THRONG_TRIALS);
    check(server_process_start(&server, SOFTLAB_PROGRAM, folder, 0), "the server");
    for (int i = 0; i < CROWD_ROUNDS && best > most_throng_ms; i++) {
        struct sl_simulation_result result =
            simulate(&server, folder, THRONG, throng_rate, false, times);
        printf("%d connected at once, none turned away: %zu answers in %.1f s, a save median %.1f "
               "ms, p99 %.1f ms, slowest %.1f ms\n",
               THRONG, result.answers, result.seconds, result.p50_ms, result.p99_ms,
               result.worst_ms);
        if (result.p99_ms < best) best = result.p99_ms;
    }
    check(server_process_stop(&server), "the server did not stop well");
    remove_folder(folder);
    return bar(best <= most_throng_ms, "p99 of a save with 2,000 connected");
}

int main(void)
{
    char folder[64];
    struct server_process server;
    struct times times = {.at = sl_alloc(MAX_ANSWERS, sizeof(double))};
    snprintf(folder, sizeof folder, "bench-server-%ld", (long)getpid());
    make_study(folder, TRIALS);
    bool good = measure_start(folder);
    check(server_process_start(&server, SOFTLAB_PROGRAM, folder, 0), "the server");
    good = measure_calm(&server, folder, &times) && good;
    good = measure_rate(&server, folder, &times) && good;
    check(server_process_stop(&server), "the server did not stop well");
    remove_folder(folder);
    good = measure_throng(&times) && good;
    free(times.at);
    return good ? 0 : 1;
}
