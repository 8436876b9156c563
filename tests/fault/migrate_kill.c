/* kill -9 of study migrate, there and back, before each call of the system that can be seen from
 * outside: at no moment are two databases of the study open to servers, and the same command ends
 * what was begun.
 *   migrate_kill [--every N]      of what is sent to PostgreSQL, each N-th; 1: all */
#define _GNU_SOURCE /* ptrace */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "books.h"
#include "postgres_process.h"
#include "server_process.h"
#include "softlab/base.h"

enum { SECONDS_AT_MOST = 900, PATIENCE_MS = 10000, STEP_MS = 10 };

struct moving {
    struct postgres_process database;
    char folder[64], file[96], url_file[96];
    int64_t now, every, events, kills;
    struct sl_error err;
};

static bool wrong(const struct moving *moving, const char *what)
{
    fprintf(stderr, "after %lld kills: %s: %s\n", (long long)moving->kills, what,
            moving->err.message);
    return false;
}

/* ---- One run, killed before its n-th call ---- */

static const long file_calls[] = {SYS_rename, SYS_unlink, SYS_fsync, SYS_fdatasync, SYS_ftruncate};
static const long send_calls[] = {SYS_sendto, SYS_sendmsg};

static bool is_one_of(long call, const long *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i] == call) return true;
    return false;
}

struct counter {
    int64_t calls, sent, every;
};

/* Whether the process stands before a call that counts. */
static bool counts(pid_t child, struct counter *counter)
{
    struct __ptrace_syscall_info info = {0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return false;
    const long call = (long)info.entry.nr;
    if (is_one_of(call, send_calls, sizeof send_calls / sizeof *send_calls))
        return counter->sent++ % counter->every == 0;
    return is_one_of(call, file_calls, sizeof file_calls / sizeof *file_calls);
}

/* False if it ended before: *status is its own. */
static bool kill_before(pid_t child, int64_t number, int64_t every, int *status)
{
    struct counter counter = {.every = every};
    waitpid(child, status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
    for (;;) {
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        if (waitpid(child, status, 0) != child || !WIFSTOPPED(*status)) return false;
        if (WSTOPSIG(*status) != (SIGTRAP | 0x80) || !counts(child, &counter)) continue;
        if (++counter.calls == number) break;
    }
    kill(child, SIGKILL);
    waitpid(child, status, 0);
    return true;
}

static enum sl_status migrate(struct moving *moving, bool out)
{
    char *kept = NULL;
    enum sl_status status = sl_study_migrate(moving->folder, out ? moving->database.url : NULL,
                                             ++moving->now * 1000, &kept, &moving->err);
    if (out && kept) unlink(kept);
    free(kept);
    return status;
}

static bool run_and_kill(struct moving *moving, bool out, int64_t number, bool *killed)
{
    int status = 0;
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(2);
        raise(SIGSTOP);
        const bool good = migrate(moving, out) == SL_OK;
        if (!good) fprintf(stderr, "a move failed: %s\n", moving->err.message);
        _exit(good ? 0 : 1);
    }
    *killed = kill_before(child, number, moving->every, &status);
    moving->now++; /* as the child has */
    return *killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- What is there ---- */

static enum sl_status count_event(const struct sl_store_row *row, void *context)
{
    *(int64_t *)context += strcmp(row->kind, "moved") == 0;
    return SL_OK;
}

/* How many databases a server could open, and whether each holds all that was written. */
static bool look(struct moving *moving, int *open)
{
    const char *const names[] = {moving->file, moving->database.url};
    *open = 0;
    for (size_t i = 0; i < 2; i++) {
        struct sl_store *store = NULL;
        int64_t events = 0;
        if (sl_store_open(names[i], NULL, &store, &moving->err) != SL_OK) continue;
        const bool read = sl_store_each_event(store, count_event, &events, &moving->err) == SL_OK;
        sl_store_close(store);
        /* An empty database, which a move has just made, is no study. */
        if (!read || (events > 0 && events != moving->events))
            return wrong(moving, "rows are lost");
        *open += events > 0;
    }
    return *open <= 1 || wrong(moving, "two databases are open");
}

/* The database notices a moment later that the process which was killed is gone. */
static bool repeat(struct moving *moving, bool out)
{
    enum sl_status status = SL_ERR_BACKEND;
    for (int waited = 0; status == SL_ERR_BACKEND && waited < PATIENCE_MS; waited += STEP_MS) {
        status = migrate(moving, out);
        if (status != SL_ERR_BACKEND) break;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
    /* It was killed behind its last step. */
    const bool ended = status == SL_ERR_USAGE && strstr(moving->err.message, "already");
    return status == SL_OK || ended || wrong(moving, "the same command does not end it");
}

static bool arrived(struct moving *moving, bool out)
{
    int open = 0;
    if (!look(moving, &open)) return false;
    if (open != 1) return wrong(moving, "nothing can be opened");
    if (sl_file_exists(moving->url_file) == out && sl_file_exists(moving->file) != out) return true;
    return wrong(moving, "the folder does not say where the study is");
}

/* Something new before every move, so that an old copy cannot pass for the study. */
static bool write_event(struct moving *moving)
{
    struct sl_study *study = NULL;
    struct sl_store *store = NULL;
    enum sl_status status = sl_study_read(moving->folder, &study, &moving->err);
    if (status == SL_OK) status = sl_study_store(study, false, &store, &moving->err);
    if (status == SL_OK) status = sl_store_begin(store, &moving->err);
    if (status == SL_OK) status = sl_store_put_event(store, 0, 1, "moved", "{}", &moving->err);
    if (status == SL_OK) status = sl_store_commit(store, &moving->err);
    sl_store_close(store);
    sl_study_destroy(study);
    moving->events += status == SL_OK;
    return status == SL_OK || wrong(moving, "nothing can be written");
}

static bool move_once(struct moving *moving, bool out, int64_t number, bool *killed)
{
    int open = 0;
    *killed = false;
    if (!write_event(moving)) return false;
    if (!run_and_kill(moving, out, number, killed)) return wrong(moving, "it failed by itself");
    moving->kills += *killed;
    return look(moving, &open) && repeat(moving, out) && arrived(moving, out);
}

static bool run(struct moving *moving)
{
    bool there = true, back = true;
    if (!postgres_process_make(&moving->database) ||
        make_study(moving->folder, "hard", 6, 10, &moving->err) != SL_OK)
        return wrong(moving, "there is no study");
    for (int64_t number = 1; there || back; number++)
        if (!move_once(moving, true, number, &there) || !move_once(moving, false, number, &back))
            return false;
    printf("%lld kills; one database was open after each repetition, and held everything\n",
           (long long)moving->kills);
    return moving->kills > 0;
}

int main(int argc, char **argv)
{
    struct moving moving = {.every = 20};
    if (argc == 3 && strcmp(argv[1], "--every") == 0) moving.every = strtoll(argv[2], NULL, 10);
    if (moving.every < 1) return 2;
    int missing = postgres_process_missing();
    if (missing) return missing;
    alarm(SECONDS_AT_MOST);
    snprintf(moving.folder, sizeof moving.folder, "migrate-kill-%ld", (long)getpid());
    snprintf(moving.file, sizeof moving.file, "%s/study.db", moving.folder);
    snprintf(moving.url_file, sizeof moving.url_file, "%s/study.database", moving.folder);
    const bool good = run(&moving);
    postgres_process_remove(&moving.database);
    if (good) remove_folder(moving.folder);
    return good ? 0 : 1;
}
