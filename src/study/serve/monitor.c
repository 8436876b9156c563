#include "study/serve/monitor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base/buffer.h"
#include "softlab/base/file.h"

static const char *const port_names[SL_PORTS] = {
    [SL_PORT_ANNOTATORS] = "annotators",
    [SL_PORT_RESEARCHER] = "researcher",
};

enum sl_status sl_monitor_open(struct sl_monitor *monitor, const char *access_log,
                               struct sl_error *err)
{
    if (!access_log) return SL_OK;
    int file = open(access_log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) monitor->access = fdopen(file, "a");
    if (monitor->access) return SL_OK;
    enum sl_status status = sl_fail_errno(err, "%s", access_log);
    if (file >= 0) close(file);
    return status;
}

void sl_monitor_close(struct sl_monitor *monitor)
{
    if (monitor->access) fclose(monitor->access);
    monitor->access = NULL;
}

static void log_line(const struct sl_monitor *monitor, enum sl_monitor_port port,
                     const struct sl_http_served *served, int64_t now)
{
    char text[32] = "";
    time_t seconds = (time_t)(now / 1000);
    struct tm utc;
    if (gmtime_r(&seconds, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(monitor->access, "%s %s %s %s %d %zu %.1f\n", text, port_names[port], served->method,
            *served->path ? served->path : "-", served->status, served->bytes,
            served->seconds * 1000);
    fflush(monitor->access);
}

void sl_monitor_note(struct sl_monitor *monitor, enum sl_monitor_port port,
                     const struct sl_http_served *served, int64_t now)
{
    size_t digit = (size_t)served->status / 100;
    monitor->ports[port].requests[digit < 6 ? digit : 5]++;
    monitor->ports[port].too_many += served->status == 429;
    monitor->ports[port].seconds += served->seconds;
    monitor->answers += served->status == 200 && sl_path_has_suffix(served->path, "/api/answer");
    if (monitor->access) log_line(monitor, port, served, now);
}

/* ---- As text ---- */

static void head(struct sl_buffer *out, const char *name, const char *type, const char *help)
{
    sl_buffer_printf(out, "# HELP softlab_%s %s\n# TYPE softlab_%s %s\n", name, help, name, type);
}

static void print_requests(const struct sl_monitor *monitor, struct sl_buffer *out)
{
    head(out, "requests_total", "counter", "Requests by port and first digit of the status.");
    for (size_t port = 0; port < SL_PORTS; port++)
        for (size_t digit = 2; digit < 6; digit++)
            sl_buffer_printf(out,
                             "softlab_requests_total{port=\"%s\",code=\"%zuxx\"} %" PRIu64 "\n",
                             port_names[port], digit, monitor->ports[port].requests[digit]);
    head(out, "too_many_total", "counter", "Requests refused because there were too many (429).");
    for (size_t port = 0; port < SL_PORTS; port++)
        sl_buffer_printf(out, "softlab_too_many_total{port=\"%s\"} %" PRIu64 "\n", port_names[port],
                         monitor->ports[port].too_many);
    head(out, "request_seconds_total", "counter",
         "Time from complete requests to the end of their replies.");
    for (size_t port = 0; port < SL_PORTS; port++)
        sl_buffer_printf(out, "softlab_request_seconds_total{port=\"%s\"} %.6f\n", port_names[port],
                         monitor->ports[port].seconds);
}

static void print_all(const struct sl_monitor *monitor, const struct sl_gauges *gauges,
                      struct sl_buffer *out)
{
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } rows[] = {
        {"answers_total", "counter", "Acknowledged answers.", monitor->answers},
        {"commits_total", "counter", "Transactions that are safe on disk.", monitor->commits},
        {"failed_commits_total", "counter", "Transactions that were rolled back.",
         monitor->failed_commits},
        {"failing_studies", "gauge", "Studies whose last transaction was rolled back.",
         gauges->failing},
        {"waiting_requests", "gauge", "Requests that wait for another program's lock.",
         gauges->waiting},
        {"start_time_seconds", "gauge", "Start of the server, in seconds since 1970.",
         (uint64_t)(monitor->started / 1000)},
    };
    print_requests(monitor, out);
    head(out, "connections", "gauge", "Open connections.");
    for (size_t port = 0; port < SL_PORTS; port++)
        sl_buffer_printf(out, "softlab_connections{port=\"%s\"} %zu\n", port_names[port],
                         gauges->connections[port]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        head(out, rows[i].name, rows[i].type, rows[i].help);
        sl_buffer_printf(out, "softlab_%s %" PRIu64 "\n", rows[i].name, rows[i].value);
    }
}

void sl_monitor_health(const struct sl_gauges *gauges, struct sl_http_exchange *exchange)
{
    const char *text = gauges->failing > 0 ? "nothing can be stored\n" : "ok\n";
    sl_http_send(exchange, &(struct sl_http_reply){.status = gauges->failing > 0 ? 503 : 200,
                                                   .type = "text/plain; charset=utf-8",
                                                   .body = text,
                                                   .length = strlen(text)});
}

void sl_monitor_metrics(const struct sl_monitor *monitor, const struct sl_gauges *gauges,
                        struct sl_http_exchange *exchange)
{
    struct sl_buffer text;
    sl_buffer_init(&text, 64 << 10);
    print_all(monitor, gauges, &text);
    sl_http_send(exchange, &(struct sl_http_reply){.status = 200,
                                                   .type = "text/plain; version=0.0.4",
                                                   .body = text.data,
                                                   .length = text.length});
    sl_buffer_release(&text);
}
