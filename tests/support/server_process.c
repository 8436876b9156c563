#define _GNU_SOURCE /* nftw, prctl */
#include "server_process.h"

#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void become_server(const char *program, const char *folder, uint16_t port, int output)
{
    char text[16];
    snprintf(text, sizeof text, "%u", (unsigned)port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    /* All of a test's people have one address. */
    execl(program, program, "study", "serve", folder, "--port", text, "--admin-port", "0",
          "--per-address", "0", (char *)NULL);
    _exit(127);
}

/* Bytes until the port is named. */
static unsigned read_port(int input)
{
    char said[512];
    size_t length = 0;
    double until = now() + 1e-3 * PATIENCE_MS;
    while (length < sizeof said - 1) {
        struct pollfd wait = {.fd = input, .events = POLLIN};
        int left = (int)(1e3 * (until - now()));
        if (left <= 0 || poll(&wait, 1, left) != 1) return 0;
        ssize_t got = read(input, said + length, sizeof said - 1 - length);
        if (got <= 0) return 0;
        length += (size_t)got;
        said[length] = '\0';
        static const char before[] = "annotators: http://127.0.0.1:";
        const char *at = strstr(said, before);
        if (at && strchr(at, '\n')) return (unsigned)strtoul(at + strlen(before), NULL, 10);
    }
    return 0;
}

bool server_process_start(struct server_process *server, const char *program, const char *folder,
                          uint16_t port)
{
    int ends[2];
    double begun = now();
    if (pipe(ends) != 0) return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        become_server(program, folder, port, ends[1]);
    }
    close(ends[1]);
    *server = (struct server_process){.pid = pid};
    unsigned heard = pid > 0 ? read_port(ends[0]) : 0;
    server->start_seconds = now() - begun;
    close(ends[0]);
    if (heard == 0) {
        server_process_kill(server);
        return false;
    }
    server->port = (uint16_t)heard;
    snprintf(server->url, sizeof server->url, "http://127.0.0.1:%u/", heard);
    return true;
}

void server_process_kill(struct server_process *server)
{
    if (server->pid <= 0) return;
    kill(server->pid, SIGKILL);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

bool server_process_stop(struct server_process *server)
{
    int how = 0;
    double until = now() + 1e-3 * PATIENCE_MS;
    if (server->pid <= 0) return false;
    kill(server->pid, SIGTERM);
    while (now() < until) {
        if (waitpid(server->pid, &how, WNOHANG) == server->pid) {
            server->pid = 0;
            return WIFEXITED(how) && WEXITSTATUS(how) == 0;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    server_process_kill(server);
    return false;
}

double server_process_megabytes(const struct server_process *server)
{
    char path[64], line[256];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)server->pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtod(line + 6, NULL);
    fclose(file);
    return kilobytes / 1024;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
