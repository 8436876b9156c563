#define _GNU_SOURCE /* prctl, initgroups */
#include "postgres_process.h"

#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "server_process.h"

enum { PATIENCE_MS = 60000, STEP_MS = 20, PATH_TEXT = 256 };

/* The newest installed version's program. */
static bool find_program(const char *name, char out[PATH_TEXT])
{
    glob_t found;
    char pattern[PATH_TEXT];
    snprintf(pattern, sizeof pattern, "/usr/lib/postgresql/*/bin/%s", name);
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    snprintf(out, PATH_TEXT, "%s", found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    return true;
}

int postgres_process_missing(void)
{
    char path[PATH_TEXT] = "";
    const bool found = find_program("psql", path) && find_program("postgres", path);
    return program_missing(found ? path : "", "PostgreSQL server");
}

int program_missing(const char *path, const char *name)
{
    const char *strict = getenv("SOFTLAB_STRICT");
    if (access(path, X_OK) == 0) return 0;
    const bool fails = strict && strcmp(strict, "1") == 0;
    printf("%s: no %s (tools/bootstrap scale installs it)\n", fails ? "failed" : "skipped", name);
    return fails ? 1 : 77;
}

/* PostgreSQL refuses to run as root; psql does not, and may have to read files of root. */
static void drop_root(void)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;
    if (!user) return;
    if (initgroups(user->pw_name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
        setuid(user->pw_uid) != 0)
        _exit(126);
}

/* A child that says nothing unless it fails; its output goes to a file of the folder. */
static pid_t spawn(const struct postgres_process *server, const char *const *words, bool client)
{
    pid_t pid = fork();
    if (pid != 0) return pid;
    char log[PATH_TEXT];
    snprintf(log, sizeof log, "%s/log", server->folder);
    if (!client) drop_root();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    /* execv takes writable strings but does not write to them. */
    char *copies[16] = {NULL};
    for (size_t i = 0; i < 15 && words[i]; i++)
        copies[i] = strdup(words[i]);
    execv(copies[0], copies);
    _exit(127);
}

static bool run(const struct postgres_process *server, const char *const *words, bool client)
{
    int how = 0;
    pid_t pid = spawn(server, words, client);
    return pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static void show_log(const struct postgres_process *server)
{
    char log[PATH_TEXT], line[512];
    snprintf(log, sizeof log, "%s/log", server->folder);
    FILE *file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file))
        fputs(line, stderr);
    if (file) fclose(file);
}

static bool ask(const struct postgres_process *server, const char *option, const char *what)
{
    char program[PATH_TEXT];
    if (!find_program("psql", program)) return false;
    const char *words[] = {program, "-X", "-q",        "-v", "ON_ERROR_STOP=1",
                           option,  what, server->url, NULL};
    return run(server, words, true);
}

bool postgres_process_sql(const struct postgres_process *server, const char *sql)
{
    return ask(server, "-c", sql);
}

bool postgres_process_file(const struct postgres_process *server, const char *path)
{
    return ask(server, "-f", path);
}

static bool make_folder(struct postgres_process *server)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam("postgres") : NULL;
    snprintf(server->folder, sizeof server->folder, "/tmp/softlab-postgres-XXXXXX");
    if (!mkdtemp(server->folder) || chmod(server->folder, 0755) != 0) return false;
    if (user && chown(server->folder, user->pw_uid, user->pw_gid) != 0) return false;
    snprintf(server->url, sizeof server->url, "postgresql:///postgres?host=%s&user=softlab",
             server->folder);
    return true;
}

bool postgres_process_make(struct postgres_process *server)
{
    char program[PATH_TEXT], data[PATH_TEXT];
    *server = (struct postgres_process){0};
    if (!make_folder(server) || !find_program("initdb", program)) return false;
    snprintf(data, sizeof data, "%s/data", server->folder);
    const char *words[] = {program, "-D",      data,        "-A",         "trust",
                           "-U",    "softlab", "--no-sync", "--locale=C", NULL};
    if (run(server, words, false) && postgres_process_start(server)) return true;
    show_log(server);
    return false;
}

bool postgres_process_start(struct postgres_process *server)
{
    char program[PATH_TEXT], data[PATH_TEXT], sockets[PATH_TEXT];
    if (!find_program("postgres", program)) return false;
    snprintf(data, sizeof data, "%s/data", server->folder);
    snprintf(sockets, sizeof sockets, "unix_socket_directories=%s", server->folder);
    const char *words[] = {program,
                           "-D",
                           data,
                           "-c",
                           "listen_addresses=",
                           "-c",
                           sockets,
                           "-c",
                           "recovery_init_sync_method=syncfs",
                           NULL};
    server->pid = spawn(server, words, false);
    for (int waited = 0; server->pid > 0 && waited < PATIENCE_MS; waited += STEP_MS) {
        if (postgres_process_sql(server, "SELECT 1")) return true;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
        /* It gives up while processes of a server that was killed are still ending. */
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid)
            server->pid = spawn(server, words, false);
    }
    return false;
}

static void end_by(struct postgres_process *server, int signal)
{
    if (server->pid <= 0) return;
    kill(server->pid, signal);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

void postgres_process_kill(struct postgres_process *server)
{
    end_by(server, SIGKILL);
}

void postgres_process_stop(struct postgres_process *server)
{
    end_by(server, SIGINT);
}

void postgres_process_remove(struct postgres_process *server)
{
    postgres_process_stop(server);
    if (*server->folder) remove_folder(server->folder);
    *server->folder = '\0';
}
