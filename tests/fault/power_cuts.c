/* Power cuts during a stream of answers: what was acknowledged must be there, once. The same cuts
 * without syncing must lose something, or else the test proves nothing.
 *   power_cuts [--cuts N] [--seed N] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance.h"
#include "power_vfs.h"
#include "stream.h"

enum { CUTS_PER_STUDY = 5, MAX_OPERATIONS = 3500 };

struct totals {
    size_t cuts, lossy, damaged, acknowledged, lost, doubled, altered, half, extra;
    size_t writes, kept, torn, dropped, files_lost;
    size_t moments[8];
};

static const char *const moments[8] = {"write log",     "sync log", "write database",
                                       "sync database", "truncate", "other"};

struct experiment {
    char path[128];
    bool durable;
    uint64_t chance;
    struct stream *stream;
    struct totals totals;
};

static void remove_study(struct experiment *run)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < 4; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", run->path, endings[i]);
        unlink(name);
    }
    memset(run->stream, 0, sizeof *run->stream);
}

static enum sl_status open_store(const struct experiment *run, const char *vfs,
                                 struct sl_store **out, struct sl_error *err)
{
    /* The check reads with the usual VFS, which has no power cuts. */
    const struct sl_store_options options = {
        .vfs = vfs, .create = true, .durable = vfs && run->durable};
    return sl_store_open(run->path, &options, out, err);
}

/* Write until the power goes, in one cut of four already while the store is opened. */
static void write_until_cut(struct experiment *run)
{
    struct sl_store *store = NULL;
    struct sl_error err;
    bool early = chance_below(&run->chance, 4) == 0;
    unsigned limit = early ? 60 : MAX_OPERATIONS;
    const struct power_faults faults = {.cut_after = 1 + (long)chance_below(&run->chance, limit),
                                        .at_sync =
                                            run->durable && chance_below(&run->chance, 3) == 0};
    if (early) power_vfs_set(&faults);
    enum sl_status status = open_store(run, POWER_VFS, &store, &err);
    if (status == SL_OK) status = stream_prepare(run->stream, store, &err);
    if (status == SL_OK && !early) power_vfs_set(&faults);
    if (status == SL_OK) status = stream_resend(run->stream, store, &err);
    while (status == SL_OK) {
        size_t count = 1 + chance_below(&run->chance, STREAM_MAX_GROUP);
        status = stream_send(run->stream, store, count, &err);
    }
    sl_store_close(store);
}

static void add_losses(struct totals *totals, const struct power_losses *losses)
{
    size_t moment = 0;
    while (moment < 5 && (!losses->moment || strcmp(losses->moment, moments[moment]) != 0))
        moment++;
    totals->moments[moment]++;
    totals->writes += losses->writes;
    totals->kept += losses->kept;
    totals->torn += losses->torn;
    totals->dropped += losses->dropped;
    totals->files_lost += losses->files_lost;
}

static void cut_once(struct experiment *run)
{
    struct totals *totals = &run->totals;
    struct sl_store *store = NULL;
    struct sl_error err;
    struct power_losses losses;
    struct stream_report report = {0};
    if (totals->cuts % CUTS_PER_STUDY == 0) remove_study(run);
    write_until_cut(run);
    power_vfs_cut(chance_next(&run->chance), &losses);
    add_losses(totals, &losses);
    totals->cuts++;
    enum sl_status status = open_store(run, NULL, &store, &err);
    if (status == SL_OK) status = stream_check(run->stream, store, &report, &err);
    sl_store_close(store);
    if (status != SL_OK) {
        totals->damaged++;
        if (run->durable) fprintf(stderr, "cut %zu: %s\n", totals->cuts, err.message);
        remove_study(run);
    }
    totals->lossy += status != SL_OK || !stream_is_sound(&report);
    totals->acknowledged += report.acknowledged;
    totals->lost += report.lost;
    totals->doubled += report.doubled;
    totals->altered += report.altered;
    totals->half += report.half;
    totals->extra += report.extra;
}

static void print_totals(const struct experiment *run)
{
    const struct totals *t = &run->totals;
    printf("%s: %zu cuts, %zu of them harmful (%zu databases damaged)\n",
           run->durable ? "synced" : "not synced", t->cuts, t->lossy, t->damaged);
    printf("  answers checked %zu, lost %zu, doubled %zu, altered %zu; transactions half there "
           "%zu; there unacknowledged %zu\n",
           t->acknowledged, t->lost, t->doubled, t->altered, t->half, t->extra);
    printf("  writes not synced at the cut %zu: kept %zu, torn %zu, dropped %zu; new files lost "
           "%zu\n  moments:",
           t->writes, t->kept, t->torn, t->dropped, t->files_lost);
    for (size_t i = 0; moments[i]; i++)
        printf(" %s %zu%s", moments[i], t->moments[i], moments[i + 1] ? "," : "\n");
}

static struct totals run_cuts(const char *path, bool durable, size_t cuts, uint64_t seed)
{
    struct experiment run = {.durable = durable, .chance = seed};
    snprintf(run.path, sizeof run.path, "%s", path);
    run.stream = stream_create();
    while (run.totals.cuts < cuts)
        cut_once(&run);
    print_totals(&run);
    remove_study(&run);
    stream_destroy(run.stream);
    return run.totals;
}

int main(int argc, char **argv)
{
    int64_t cuts = 25, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--cuts") == 0   ? &cuts
                          : strcmp(argv[i], "--seed") == 0 ? &seed
                                                           : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    char path[64];
    snprintf(path, sizeof path, "power-cuts-%ld.db", (long)getpid());
    power_vfs_register();
    struct totals synced = run_cuts(path, true, (size_t)cuts, (uint64_t)seed);
    struct totals unsynced = run_cuts(path, false, (size_t)cuts, (uint64_t)seed);
    if (unsynced.lossy == 0) fprintf(stderr, "nothing was lost without syncing: no proof\n");
    if (synced.lossy > 0) fprintf(stderr, "a synced store lost or damaged something\n");
    if (synced.moments[5] > 0) fprintf(stderr, "writing ended before the power did\n");
    return synced.lossy > 0 || unsynced.lossy == 0 || synced.moments[5] > 0;
}
