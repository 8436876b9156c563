/* Log and progress: messages of the library while it works. The library decides what is said, the
 * caller where it goes. A NULL log or progress is silent. */
#ifndef SOFTLAB_BASE_LOG_H
#define SOFTLAB_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

enum sl_log_level { SL_LOG_ERROR, SL_LOG_WARNING, SL_LOG_INFO, SL_LOG_DEBUG };

struct sl_log {
    enum sl_log_level level; /* more detailed messages are dropped */
    void (*write)(void *context, enum sl_log_level level, const char *line);
    void *context; /* borrowed */
};

void sl_log(const struct sl_log *log, enum sl_log_level level, const char *format, ...)
    SL_PRINTF(3, 4);

/* "error", "warning", "info", "debug". */
const char *sl_log_level_name(enum sl_log_level level);

/* Progress of one task. On a terminal a bar is redrawn in place, at most ten times
 * a second; elsewhere a plain line appears at every tenth of the way, at most one
 * in two seconds. A task of less than a second leaves no trace. Use from one thread. */
struct sl_progress {
    FILE *stream; /* borrowed; NULL = silent */
    /* Draws in place of us: at the start, then at most ten times a second, and at the end; NULL =
     * lines on `stream`. */
    void (*show)(void *context, const struct sl_progress *progress, bool ended);
    void *show_context;        /* borrowed */
    bool terminal;             /* redraw in place */
    unsigned columns;          /* width of the terminal, 0 = 80 */
    double (*seconds)(void *); /* clock; NULL = the monotonic clock */
    void *clock_context;       /* borrowed */

    /* The running task; only `show` reads it, all others treat it as private. */
    const char *label; /* borrowed */
    const char *unit;  /* borrowed */
    uint64_t total, done;
    double started, drawn;
    unsigned tenths;
};

/* `total` 0 = unknown; `unit` is what is counted ("images"; "B" prints as kB, MB ...). */
void sl_progress_start(struct sl_progress *progress, const char *label, uint64_t total,
                       const char *unit);
void sl_progress_set(struct sl_progress *progress, uint64_t done);
void sl_progress_finish(struct sl_progress *progress);

/* Seconds of the monotonic clock. */
double sl_clock_seconds(void);

SL_END_DECLS

#endif
