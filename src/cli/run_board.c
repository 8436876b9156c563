#include <math.h>
#include <string.h>

#include "run.h"

enum { TITLE_WIDTH = 52 };

void run_board_clear(struct run_board *board)
{
    if (board->n_drawn > 0) fprintf(stderr, "\033[%zuA\033[J", board->n_drawn);
    board->n_drawn = 0;
}

/* "1 h 02 min", "3 min 20 s", "12 s". */
static const char *duration(double seconds, char *out, size_t size)
{
    const long whole = seconds < 0 ? 0 : lround(fmin(seconds, 1e9));
    if (whole >= 3600)
        snprintf(out, size, "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
    else if (whole >= 60)
        snprintf(out, size, "%ld min %02ld s", whole / 60, whole % 60);
    else
        snprintf(out, size, "%ld s", whole);
    return out;
}

void run_board_show(void *context, const struct sl_board *board)
{
    struct run_board *drawing = context;
    const struct sl_progress *progress = &drawing->cli->progress;
    const double now = sl_clock_seconds();
    if (!progress->stream || !progress->terminal || now - drawing->drawn < .25) return;
    drawing->drawn = now;
    run_board_clear(drawing);
    fprintf(stderr, "%zu of %zu runs done, %zu failed, %zu missing\n", board->done, board->total,
            board->failed, board->missing);
    drawing->n_drawn = 1;
    for (size_t i = 0; i < board->n_running; i++) {
        const struct sl_running *running = &board->running[i];
        char elapsed[40], left[40];
        fprintf(stderr, "  %-*.*s %12s", TITLE_WIDTH, TITLE_WIDTH, running->title,
                duration(running->seconds, elapsed, sizeof elapsed));
        if (isfinite(running->seconds_left))
            fprintf(stderr, ", %s left", duration(running->seconds_left, left, sizeof left));
        fputc('\n', stderr);
        drawing->n_drawn++;
    }
}

void run_board_event(void *context, enum sl_run_event event, const char *title, const char *reason)
{
    struct run_board *board = context;
    const struct sl_log *log = &board->cli->log;
    run_board_clear(board);
    switch (event) {
    case SL_RUN_DONE: sl_log(log, SL_LOG_INFO, "done     %s", title); break;
    case SL_RUN_FAILED: sl_log(log, SL_LOG_WARNING, "failed   %s: %s", title, reason); break;
    case SL_RUN_MISSING: sl_log(log, SL_LOG_WARNING, "missing  %s: %s", title, reason); break;
    case SL_RUN_LACKS: sl_log(log, SL_LOG_WARNING, "without %s (%s)", reason, title); break;
    case SL_RUN_RETRIED: sl_log(log, SL_LOG_WARNING, "retried  %s: %s", title, reason); break;
    case SL_RUN_WAITS: sl_log(log, SL_LOG_INFO, "waits    %s: %s", title, reason); break;
    }
}
