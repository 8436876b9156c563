/* `softlab study serve` as a process of its own: started, killed and started again. It dies with
 * the test. */
#ifndef SOFTLAB_TESTS_SERVER_PROCESS_H
#define SOFTLAB_TESTS_SERVER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct server_process {
    pid_t pid;
    uint16_t port;        /* the annotators' */
    char url[64];         /* "http://127.0.0.1:PORT/" */
    double start_seconds; /* from the start to the word that it listens */
};

/* Port 0: any. False, with what it said on stderr, if it does not listen within 30 seconds. */
bool server_process_start(struct server_process *server, const char *program, const char *folder,
                          uint16_t port);
/* SIGKILL. */
void server_process_kill(struct server_process *server);
/* SIGTERM; false if it does not end well. */
bool server_process_stop(struct server_process *server);
/* The most memory it ever had (VmHWM). */
double server_process_megabytes(const struct server_process *server);

void remove_folder(const char *path);

#endif
