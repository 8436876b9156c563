/* Durable commits per second, one answer each and grouped, beside the rate at which the same disk
 * syncs an appended page of 4 KB, in turns within one run.
 *   bench_store [FOLDER] */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base.h"
#include "softlab/store.h"

enum { ROUNDS = 5, COMMITS = 200, PAGE = 4096, SAMPLES = ROUNDS * COMMITS };

struct series {
    size_t group; /* answers per commit; 0: a raw sync */
    double best;  /* rate of the best round, per second */
    double milliseconds[SAMPLES];
};

struct place {
    struct sl_store *store;
    int descriptor; /* of the file that is only appended to */
    int64_t session;
    uint64_t number;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum sl_status prepare(struct place *place, struct sl_error *err)
{
    const struct sl_store_item item = {.id = "i0", .content = "{}", .entropy = (double)NAN};
    const char *const items[] = {"i0"};
    const uint8_t bytes[SL_STORE_PERSON_BYTES] = {1};
    const struct sl_store_arrival arrival = {.person = bytes,
                                             .token_hash = bytes,
                                             .screen = "collins",
                                             .parameters = "{}",
                                             .lease_ms = 1000};
    struct sl_store_session session;
    bool returning;
    SL_TRY(sl_store_begin(place->store, err));
    SL_TRY(sl_store_add_item(place->store, &item, err));
    SL_TRY(sl_store_add_batch(place->store, 0, 1, items, 1, err));
    SL_TRY(sl_store_commit(place->store, err));
    SL_TRY(sl_store_arrive(place->store, &arrival, &session, &returning, err));
    place->session = session.id;
    return SL_OK;
}

/* As long as an answer of the collins screen with its times. */
static const char body[] =
    "{\"id\":\"0123456789abcdef0123456789abcdef\",\"trial\":5,\"practice\":false,\"elapsed\":31960,"
    "\"times\":{\"top\":[812,1420],\"top_percent\":[2010,3944],\"second\":[5100,5100],"
    "\"impossible\":[9000,14200]},\"answer\":{\"top\":{\"class\":\"Deer\",\"percent\":70,"
    "\"raw\":\"70\"},\"second\":{\"class\":\"Horse\",\"percent\":20,\"raw\":\"20\"},"
    "\"impossible\":[\"Ship\",\"Truck\"]}}";

static enum sl_status commit_group(struct place *place, size_t group, struct sl_error *err)
{
    SL_TRY(sl_store_begin(place->store, err));
    for (size_t i = 0; i < group; i++) {
        struct sl_store_answer answer = {.session = place->session,
                                         .trial = place->number % 1000,
                                         .item = "i0",
                                         .body = body,
                                         .received = (int64_t)place->number};
        /* Client ids are random: they fall all over the index. */
        uint64_t mixed = ++place->number * 0x9E3779B97F4A7C15u;
        memcpy(answer.client_id, &mixed, sizeof mixed);
        enum sl_put_outcome outcome;
        SL_TRY(sl_store_put_answer(place->store, &answer, &outcome, err));
    }
    return sl_store_commit(place->store, err);
}

static enum sl_status sync_page(struct place *place, struct sl_error *err)
{
    static const char page[PAGE] = {1};
    if (write(place->descriptor, page, PAGE) != PAGE || fdatasync(place->descriptor) != 0)
        return sl_fail_errno(err, "appending a page");
    return SL_OK;
}

static enum sl_status measure(struct place *place, struct series *series, size_t round,
                              struct sl_error *err)
{
    double started = seconds_now(), before = started;
    for (size_t i = 0; i < COMMITS; i++) {
        SL_TRY(series->group ? commit_group(place, series->group, err) : sync_page(place, err));
        double after = seconds_now();
        series->milliseconds[round * COMMITS + i] = 1e3 * (after - before);
        before = after;
    }
    double rate = COMMITS / (before - started);
    if (rate > series->best) series->best = rate;
    return SL_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(struct series *series, double raw)
{
    qsort(series->milliseconds, SAMPLES, sizeof *series->milliseconds, compare);
    char name[32] = "append 4 KB, fdatasync";
    if (series->group) snprintf(name, sizeof name, "commit of %zu", series->group);
    printf("%-24s %8.0f /s %9.0f answers/s   p50 %6.2f ms  p99 %6.2f ms  %5.2f of raw\n", name,
           series->best, series->best * (double)series->group, series->milliseconds[SAMPLES / 2],
           series->milliseconds[SAMPLES * 99 / 100], series->best / raw);
}

static enum sl_status run(struct place *place, struct sl_error *err)
{
    static struct series all[] = {{.group = 0}, {.group = 1}, {.group = 8}, {.group = 64}};
    const size_t count = sizeof all / sizeof *all;
    SL_TRY(prepare(place, err));
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++)
            SL_TRY(measure(place, &all[i], round, err));
    for (size_t i = 0; i < count; i++)
        report(&all[i], all[0].best);
    return SL_OK;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    char *path = sl_string_printf("%s/bench-store-%ld.db", folder, (long)getpid());
    char *pages = sl_string_printf("%s.pages", path);
    struct sl_store_options options = sl_store_options_default();
    options.create = true;
    struct sl_error err;
    struct place place = {.descriptor = open(pages, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    enum sl_status status = place.descriptor < 0 ? sl_fail_errno(&err, "%s", pages) : SL_OK;
    if (status == SL_OK) status = sl_store_open(path, &options, &place.store, &err);
    if (status == SL_OK) status = run(&place, &err);
    if (status != SL_OK) fprintf(stderr, "%s\n", err.message);
    sl_store_close(place.store);
    if (place.descriptor >= 0) close(place.descriptor);
    unlink(path);
    unlink(pages);
    free(path);
    free(pages);
    return status != SL_OK;
}
