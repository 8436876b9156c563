/* A real proxy on loopback before the servers of one study. */
#ifndef SOFTLAB_TESTS_PROXY_H
#define SOFTLAB_TESTS_PROXY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proxy_kind; /* a row of the table */

struct proxy {
    const struct proxy_kind *kind; /* static */
    char folder[64];               /* of its files; relative to the working folder */
    unsigned port;
    pid_t process;
};

/* "haproxy" or "nginx"; NULL: no such proxy. */
const struct proxy_kind *proxy_find(const char *name);
/* As program_missing. */
int proxy_missing(const struct proxy_kind *kind);
/* Every request goes to another server than the one before. Set kind and folder first; the folder
 * is made. */
bool proxy_start(struct proxy *proxy, const uint16_t *ports, size_t n_ports);
void proxy_stop(struct proxy *proxy);

#endif
