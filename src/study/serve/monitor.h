/* Data for monitoring: counters since the server started, current gauges, and an access log without
 * addresses, queries or cookies. Used on the loop's thread only. Private to study/serve/. */
#ifndef SOFTLAB_STUDY_SERVE_MONITOR_H
#define SOFTLAB_STUDY_SERVE_MONITOR_H

#include <stdint.h>
#include <stdio.h>

#include "softlab/http.h"

enum sl_monitor_port { SL_PORT_ANNOTATORS, SL_PORT_RESEARCHER, SL_PORTS };

struct sl_monitor {
    int64_t started; /* ms since 1970 */
    struct {
        uint64_t requests[6]; /* by the first digit of the status; 0: the client was gone */
        uint64_t too_many;    /* status 429 */
        double seconds;       /* from a complete request to the end of its reply, summed */
    } ports[SL_PORTS];
    uint64_t answers, commits, failed_commits;
    FILE *access; /* owned; NULL: no access log */
};

/* The current state of all studies together. */
struct sl_gauges {
    size_t connections[SL_PORTS];
    size_t waiting; /* requests that wait for another program's lock */
    size_t failing; /* studies whose last transaction was rolled back */
};

/* SL_ERR_IO naming the file. Lines are appended; only the owner may read the file. */
enum sl_status sl_monitor_open(struct sl_monitor *monitor, const char *access_log,
                               struct sl_error *err) SL_MUST_USE;
void sl_monitor_close(struct sl_monitor *monitor);
/* A reply was sent. `now` is the server's clock, in ms. */
void sl_monitor_note(struct sl_monitor *monitor, enum sl_monitor_port port,
                     const struct sl_http_served *served, int64_t now);
/* GET /healthz: 200, or 503 while a study is failing. */
void sl_monitor_health(const struct sl_gauges *gauges, struct sl_http_exchange *exchange);
/* GET /metrics, in Prometheus' text format. */
void sl_monitor_metrics(const struct sl_monitor *monitor, const struct sl_gauges *gauges,
                        struct sl_http_exchange *exchange);

#endif
