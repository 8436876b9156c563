/* kill -9 of a process that writes: what it said it had stored must be there, once.
 *   kill_writer [--kills N] [--seed N] */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chance.h"
#include "stream.h"

enum { LONGEST_MS = 80 };

static enum sl_status open_store(const char *path, struct sl_store **out, struct sl_error *err)
{
    const struct sl_store_options options = {.create = true, .durable = true};
    return sl_store_open(path, &options, out, err);
}

/* The child: after every commit, the number of answers acknowledged so far goes into the pipe. */
static void write_for_ever(const char *path, struct stream *stream, uint64_t chance, int pipe_end)
{
    struct sl_store *store = NULL;
    struct sl_error err;
    enum sl_status status = open_store(path, &store, &err);
    if (status == SL_OK) status = stream_prepare(stream, store, &err);
    if (status == SL_OK) status = stream_resend(stream, store, &err);
    while (status == SL_OK) {
        size_t done = stream->next;
        if (write(pipe_end, &done, sizeof done) != (ssize_t)sizeof done) break;
        status = stream_send(stream, store, 1 + chance_below(&chance, STREAM_MAX_GROUP), &err);
    }
    fprintf(stderr, "the writer ended by itself: %s\n", status == SL_OK ? "pipe" : err.message);
    _exit(3);
}

static bool read_number(int descriptor, size_t *out)
{
    ssize_t got;
    do {
        got = read(descriptor, out, sizeof *out);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *out;
}

/* The parent's records: the child's transactions follow from the same random numbers. */
static void follow(struct stream *stream, uint64_t chance, size_t acknowledged)
{
    for (size_t i = 0; i < stream->next; i++)
        stream->answers[i].acknowledged = true; /* sent again before anything else */
    bool sent_more = false;
    while (!sent_more && stream->next + STREAM_MAX_GROUP < STREAM_CAPACITY) {
        size_t count = 1 + chance_below(&chance, STREAM_MAX_GROUP);
        sent_more = stream->next >= acknowledged;
        for (size_t i = 0; i < count; i++, stream->next++) {
            stream->answers[stream->next].group = (uint32_t)stream->n_groups;
            stream->answers[stream->next].acknowledged = !sent_more;
        }
        stream->n_groups++;
    }
}

static int kill_once(const char *path, struct stream *stream, uint64_t *chance,
                     struct stream_report *report)
{
    uint64_t childs_chance = chance_next(chance);
    int ends[2];
    if (pipe(ends) != 0) return 1;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        close(ends[0]);
        write_for_ever(path, stream, childs_chance, ends[1]);
    }
    close(ends[1]);
    size_t acknowledged = 0, number;
    bool started = read_number(ends[0], &acknowledged);
    const struct timespec pause = {.tv_nsec = 1000000L * (long)chance_below(chance, LONGEST_MS)};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    while (read_number(ends[0], &number))
        acknowledged = number;
    close(ends[0]);
    int how = 0;
    waitpid(child, &how, 0);
    if (!started || !WIFSIGNALED(how)) return 1;
    follow(stream, childs_chance, acknowledged);

    struct sl_store *store = NULL;
    struct sl_error err;
    enum sl_status status = open_store(path, &store, &err);
    if (status == SL_OK) status = stream_check(stream, store, report, &err);
    if (status != SL_OK) fprintf(stderr, "after a kill: %s\n", err.message);
    sl_store_close(store);
    return status != SL_OK;
}

int main(int argc, char **argv)
{
    int64_t kills = 10, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        int64_t *option = strcmp(argv[i], "--kills") == 0  ? &kills
                          : strcmp(argv[i], "--seed") == 0 ? &seed
                                                           : NULL;
        if (!option || !sl_text_to_integer(argv[i + 1], strlen(argv[i + 1]), option)) return 2;
    }
    char path[64];
    snprintf(path, sizeof path, "kill-writer-%ld.db", (long)getpid());
    struct stream *stream = stream_create();
    uint64_t chance = (uint64_t)seed;
    struct stream_report report = {0};
    size_t lost = 0, doubled = 0, altered = 0, half = 0, extra = 0;
    int failed = 0;
    for (int64_t i = 0; i < kills && !failed; i++) {
        failed = kill_once(path, stream, &chance, &report);
        lost += report.lost;
        doubled += report.doubled;
        altered += report.altered;
        half += report.half;
        extra += report.extra;
    }
    printf("%d kills: %zu answers acknowledged, lost %zu, doubled %zu, altered %zu; transactions "
           "half there %zu; there unacknowledged %zu\n",
           (int)kills, report.acknowledged, lost, doubled, altered, half, extra);
    stream_destroy(stream);
    static const char *const endings[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    return failed || lost + doubled + altered + half > 0 || report.acknowledged == 0;
}
