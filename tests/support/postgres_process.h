/* A PostgreSQL server of a test's own: in a temporary folder, on a socket, started, killed and
 * started again. It dies with the test. */
#ifndef SOFTLAB_TESTS_POSTGRES_PROCESS_H
#define SOFTLAB_TESTS_POSTGRES_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

struct postgres_process {
    pid_t pid;       /* 0: not running */
    char folder[64]; /* of data and socket */
    char url[160];   /* of the database "postgres" */
};

/* 0 if PostgreSQL is installed; otherwise says so and returns what the test returns: 77, or 1 if
 * the environment has SOFTLAB_STRICT=1. */
int postgres_process_missing(void);
/* The same for any other program. */
int program_missing(const char *path, const char *name);
/* Makes an empty cluster and starts it. False, with what it said on stderr, if it fails. */
bool postgres_process_make(struct postgres_process *server);
/* Starts a server that was killed or stopped, and waits until it takes connections. */
bool postgres_process_start(struct postgres_process *server);
/* SIGKILL of the server; its children follow. */
void postgres_process_kill(struct postgres_process *server);
/* The server ends its connections and stops. */
void postgres_process_stop(struct postgres_process *server);
/* Stops the server and removes its folder. */
void postgres_process_remove(struct postgres_process *server);
/* Runs SQL with psql; false if it fails. */
bool postgres_process_sql(const struct postgres_process *server, const char *sql);
/* The same for a file of SQL. */
bool postgres_process_file(const struct postgres_process *server, const char *path);

#endif
