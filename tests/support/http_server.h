/* A real HTTP server on 127.0.0.1 for tests of clients: evhttp in a child process that dies
 * with the test. It serves one body under every path and misbehaves as told. */
#ifndef SOFTLAB_TESTS_HTTP_SERVER_H
#define SOFTLAB_TESTS_HTTP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { HTTP_SEEN = 16, HTTP_SEEN_TEXT = 128 };

/* What the server does. The child has its own copy from the start. */
struct http_plan {
    const char *body; /* borrowed */
    size_t length;
    bool no_range;        /* answers 200 to every request */
    bool wrong_range;     /* its 206 begins at 0 */
    bool no_length;       /* the end of the connection is the end of the body */
    size_t cut_after;     /* closes the connection after so many bytes of a body; 0 = never */
    size_t stall_after;   /* sends nothing more after so many bytes of a body; 0 = never */
    unsigned bad_answers; /* only so many requests are cut or stalled; 0 = all */
    int status;           /* answers with this status; 0 = normally */
    const char *redirect; /* borrowed; 302 from /first... to here */
};

/* What it saw, written by the child. */
struct http_seen {
    unsigned requests;
    char paths[HTTP_SEEN][HTTP_SEEN_TEXT];
    char ranges[HTTP_SEEN][HTTP_SEEN_TEXT]; /* "" without the header */
    char agents[HTTP_SEEN][HTTP_SEEN_TEXT];
};

struct http_server {
    pid_t child;
    unsigned port;
    char url[64];           /* "http://127.0.0.1:PORT" */
    struct http_seen *seen; /* shared with the child */
};

/* False if the server does not start. */
bool http_server_start(struct http_server *server, const struct http_plan *plan);
void http_server_stop(struct http_server *server);

#endif
