#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np, pipe2 */
#include "softlab/base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { COMPLAINT_BYTES = 4096, CHUNK_BYTES = 4096, N_STREAMS = 2 };

/* What the child writes: its standard output, and the end of its standard error, since long error
 * output ends with the cause. */
struct reading {
    struct sl_buffer *printed; /* borrowed, or NULL */
    char complaint[COMPLAINT_BYTES];
    size_t used;
};

static void keep_tail(struct reading *reading, const char *bytes, size_t length)
{
    const size_t room = sizeof reading->complaint - 1;
    if (length > room) {
        bytes += length - room;
        length = room;
    }
    if (reading->used + length > room) {
        const size_t excess = reading->used + length - room;
        memmove(reading->complaint, reading->complaint + excess, reading->used - excess);
        reading->used -= excess;
    }
    memcpy(reading->complaint + reading->used, bytes, length);
    reading->used += length;
}

/* Read from one stream; false at its end. */
static bool read_some(struct reading *reading, int descriptor, bool complains)
{
    char chunk[CHUNK_BYTES];
    const ssize_t got = read(descriptor, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    if (complains)
        keep_tail(reading, chunk, (size_t)got);
    else if (reading->printed)
        sl_buffer_append(reading->printed, chunk, (size_t)got);
    return true;
}

/* Both streams at once: a child that waits for room in one of them would never end the other. */
static void read_all(struct reading *reading, const int descriptors[N_STREAMS])
{
    struct pollfd streams[N_STREAMS];
    size_t n_open = N_STREAMS;
    for (size_t i = 0; i < N_STREAMS; i++)
        streams[i] = (struct pollfd){.fd = descriptors[i], .events = POLLIN};
    while (n_open > 0) {
        if (poll(streams, N_STREAMS, -1) < 0) {
            if (errno == EINTR) continue;
            return;
        }
        for (size_t i = 0; i < N_STREAMS; i++) {
            if (streams[i].fd < 0 || streams[i].revents == 0) continue;
            if (read_some(reading, streams[i].fd, i == 1)) continue;
            streams[i].fd = -1; /* poll skips it */
            n_open--;
        }
    }
}

/* Cut white space off the end, and return the last line. */
static char *end_of(char *text, size_t length)
{
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = '\0';
    char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

/* The last line that says anything, in place. After a wrong option programs print the cause, and
 * then: Try "sbatch --help" for more information. */
static const char *last_line(struct reading *reading)
{
    char *text = reading->complaint;
    for (size_t i = 0; i < reading->used; i++)
        if (text[i] == '\0') text[i] = ' ';
    char *line = end_of(text, reading->used);
    const bool helps = strncmp(line, "Try ", 4) == 0 && strstr(line, "--help");
    return helps && line > text ? end_of(text, (size_t)(line - text)) : line;
}

/* posix_spawn takes writable strings but does not write to them. */
static char *const *writable(const char *const *words)
{
    union {
        const char *const *constant;
        char *const *writable;
    } same = {.constant = words};
    return same.writable;
}

/* Start the program with its streams going to `ends`. Returns an errno. */
static int spawn(const struct sl_command *command, const int ends[N_STREAMS], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    /* Its group is 0 unless it is set: a new one. */
    if (command->apart) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error)
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[0], STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!error && command->folder)
        error = posix_spawn_file_actions_addchdir_np(&actions, command->folder);
    if (!error)
        error =
            posix_spawnp(child, command->words[0], &actions, &attributes, writable(command->words),
                         command->environment ? writable(command->environment) : environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static enum sl_status judge(const char *const *words, int result, const char *reason,
                            struct sl_error *err)
{
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return SL_OK;
    return sl_fail(err, SL_ERR_BACKEND, "%s %s ended with %s %d%s%s", words[0],
                   words[1] ? words[1] : "", WIFSIGNALED(result) ? "signal" : "status",
                   WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result),
                   *reason ? ": " : "", reason);
}

enum sl_status sl_command_run(const struct sl_command *command, struct sl_buffer *printed,
                              struct sl_error *err)
{
    const char *const *words = command->words;
    int output[2], complaint[2];
    if (pipe2(output, O_CLOEXEC) != 0) return sl_fail_errno(err, "%s", words[0]);
    if (pipe2(complaint, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        return sl_fail_errno(err, "%s", words[0]);
    }
    struct reading reading = {.printed = printed};
    pid_t child = -1;
    const int error = spawn(command, (const int[]){output[1], complaint[1]}, &child);
    close(output[1]);
    close(complaint[1]);
    if (!error) read_all(&reading, (const int[]){output[0], complaint[0]});
    close(output[0]);
    close(complaint[0]);
    if (error == ENOENT) return sl_fail(err, SL_ERR_NOT_FOUND, "%s is not installed", words[0]);
    if (error) {
        errno = error;
        return sl_fail_errno(err, "%s", words[0]);
    }
    int result = 0;
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR) return sl_fail_errno(err, "%s", words[0]);
    return judge(words, result, last_line(&reading), err);
}
