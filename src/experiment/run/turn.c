#include "experiment/run/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base/file.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"

/* A turn takes some milliseconds; one that is as old as this was left by a dead process. */
enum { STALE_SECONDS = 30, WAIT_MS = 10, HOLDER_BYTES = 160, WORD_BYTES = 60 };

/* What a small file begins with; "" if it cannot be read. */
static void read_start(const char *path, char *out, size_t size)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, out, size - 1);
    if (file >= 0) close(file);
    out[got < 0 ? 0 : got] = '\0';
}

/* Where a process number means this process: one start of one machine, one container. */
static void describe_place(char *out, size_t size)
{
    char machine[WORD_BYTES], container[WORD_BYTES];
    read_start("/proc/sys/kernel/random/boot_id", machine, sizeof machine);
    machine[strcspn(machine, " \n")] = '\0';
    const ssize_t length = readlink("/proc/self/ns/pid", container, sizeof container - 1);
    container[length < 0 ? 0 : length] = '\0';
    snprintf(out, size, "%s %s ", machine, container);
}

static bool is_dead(const char *holder)
{
    char place[HOLDER_BYTES];
    describe_place(place, sizeof place);
    const size_t length = strlen(place);
    if (strncmp(holder, place, length) != 0) return false;
    const long process = strtol(holder + length, NULL, 10);
    return process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Take the file of a dead process away. Of several processes that do so, only one gets it, and one
 * that comes late puts back the file of a living process. */
static void clear(const char *path, const char *holder)
{
    char found[HOLDER_BYTES];
    char *aside = sl_string_printf("%s.%ld", path, (long)getpid());
    if (rename(path, aside) == 0) {
        read_start(aside, found, sizeof found);
        if (strcmp(found, holder) != 0) (void)!link(aside, path);
        unlink(aside);
    }
    free(aside);
}

/* Create the file; SL_OK with *got false if another process has it. */
static enum sl_status try_once(const char *path, bool *got, struct sl_error *err)
{
    char place[HOLDER_BYTES];
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST)
        return sl_fail_errno(err, "%s: results cannot be written there", path);
    *got = file >= 0;
    if (file < 0) return SL_OK;
    describe_place(place, sizeof place);
    /* The time tells this turn from the process's next one. */
    dprintf(file, "%s%ld %.9f\n", place, (long)getpid(), sl_clock_seconds());
    close(file);
    return SL_OK;
}

/* Wait for the holder to end its turn. */
static void wait_once(const char *path, char last[HOLDER_BYTES], double *since)
{
    const struct timespec wait = {.tv_nsec = WAIT_MS * 1000000L};
    char holder[HOLDER_BYTES];
    read_start(path, holder, sizeof holder);
    if (strcmp(holder, last) != 0) {
        memcpy(last, holder, sizeof holder);
        *since = sl_clock_seconds();
    }
    if (is_dead(holder) || sl_clock_seconds() - *since > STALE_SECONDS)
        clear(path, holder);
    else
        nanosleep(&wait, NULL);
}

enum sl_status sl_turn_begin(const char *folder, struct sl_error *err)
{
    char *path = sl_path_join(folder, "turn"), last[HOLDER_BYTES] = "";
    double since = sl_clock_seconds();
    bool got = false;
    enum sl_status status = try_once(path, &got, err);
    while (status == SL_OK && !got) {
        wait_once(path, last, &since);
        status = try_once(path, &got, err);
    }
    free(path);
    return status;
}

void sl_turn_end(const char *folder)
{
    char *path = sl_path_join(folder, "turn");
    unlink(path);
    free(path);
}
