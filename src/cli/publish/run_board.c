#include <math.h>
#include <string.h>

#include "run.h"
#include "softlab/base/text.h"

/* A line that a terminal wraps is two for it and one for us: what is drawn would not be cleared. */
enum { FEWEST_COLUMNS = 20, USUAL_COLUMNS = 80, MOST_COLUMNS = 200, LINE = 4 * MOST_COLUMNS };
static const double redraw_seconds = .25;

void run_board_clear(struct run_board *board)
{
    /* To the first column too: a terminal shows Ctrl-C as ^C where the cursor is. */
    if (board->n_drawn > 0) fprintf(stderr, "\r\033[%zuA\033[J", board->n_drawn);
    board->n_drawn = 0;
}

/* "1:02:03" or "3:20". */
static const char *duration(double seconds, char *out, size_t size)
{
    const long whole = seconds < 0 ? 0 : lround(fmin(seconds, 1e9));
    if (whole >= 3600)
        snprintf(out, size, "%ld:%02ld:%02ld", whole / 3600, whole % 3600 / 60, whole % 60);
    else
        snprintf(out, size, "%ld:%02ld", whole / 60, whole % 60);
    return out;
}

/* The last column stays free: writing it makes some terminals wrap. 0: too few to draw in. */
static size_t usable_columns(void)
{
    const unsigned columns = cli_terminal_columns();
    if (columns == 0) return USUAL_COLUMNS - 1;
    if (columns < FEWEST_COLUMNS) return 0;
    return columns > MOST_COLUMNS ? MOST_COLUMNS - 1 : columns - 1;
}

static bool begins(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* The byte at which the column begins. */
static size_t byte_of(const char *text, size_t column)
{
    size_t at = 0;
    for (; text[at]; at++)
        if (begins(text[at]) && column-- == 0) break;
    return at;
}

/* A line of at most `columns`: `left`, in the middle of which something is left out if it is too
 * long (its end tells runs apart), and `right` whole at the other side. */
static void put_line(struct sl_buffer *out, size_t columns, const char *left, const char *right)
{
    if (strlen(right) + FEWEST_COLUMNS / 2 > columns) right = "";
    const size_t room = columns - strlen(right) - (*right ? 1 : 0);
    size_t width = 0;
    for (const char *at = left; *at; at++)
        width += begins(*at);
    if (width > room) {
        const size_t tail = (room - 3) / 2, head = room - 3 - tail;
        sl_buffer_append(out, left, byte_of(left, head));
        sl_buffer_printf(out, "...%s", left + byte_of(left, width - tail));
        width = room;
    } else {
        sl_buffer_text(out, left);
    }
    if (*right) sl_buffer_printf(out, "%*s%s", (int)(room - width + 1), "", right);
    sl_buffer_text(out, "\033[K\n");
}

static void put_counts(struct sl_buffer *out, size_t columns, const struct sl_board *board)
{
    char line[LINE], failed[40] = "", missing[40] = "", waiting[160] = "";
    if (board->failed > 0) snprintf(failed, sizeof failed, ", %zu failed", board->failed);
    if (board->missing > 0) snprintf(missing, sizeof missing, ", %zu missing", board->missing);
    const char *reason = board->waiting_for;
    if (board->waiting > 0)
        snprintf(waiting, sizeof waiting, ", %zu waiting%s%.100s%s", board->waiting,
                 reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
    snprintf(line, sizeof line, "%zu of %zu run%s done%s%s%s", board->done, board->total,
             sl_text_plural(board->total, "", "s"), failed, missing, waiting);
    put_line(out, columns, line, "");
}

static void put_running(struct sl_buffer *out, size_t columns, const struct sl_running *running)
{
    char line[LINE], times[100], elapsed[40], left[40];
    snprintf(line, sizeof line, "  %.700s", running->title);
    duration(running->seconds, elapsed, sizeof elapsed);
    if (isfinite(running->seconds_left))
        snprintf(times, sizeof times, "%s, %s left", elapsed,
                 duration(running->seconds_left, left, sizeof left));
    else
        snprintf(times, sizeof times, "%s", elapsed);
    put_line(out, columns, line, times);
}

void run_board_show(void *context, const struct sl_board *board)
{
    struct run_board *drawing = context;
    const struct sl_progress *progress = &drawing->cli->progress;
    const double now = sl_clock_seconds();
    if (!progress->stream || !progress->terminal || now - drawing->drawn < redraw_seconds) return;
    const size_t columns = usable_columns();
    if (columns == 0) return;
    size_t n_lines = 1 + board->n_running;
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 20);
    /* Over what is there, and in one write: a screen that is cleared first flickers. */
    if (drawing->n_drawn > 0) sl_buffer_printf(&text, "\r\033[%zuA", drawing->n_drawn);
    put_counts(&text, columns, board);
    for (size_t i = 0; i < board->n_running; i++)
        put_running(&text, columns, &board->running[i]);
    if (board->waits) {
        char line[LINE];
        snprintf(line, sizeof line, "  %.700s", board->waits);
        put_line(&text, columns, line, "waits for memory");
        n_lines++;
    }
    sl_buffer_text(&text, "\033[J");
    fwrite(text.data, 1, text.length, stderr);
    fflush(stderr);
    sl_buffer_release(&text);
    drawing->drawn = now;
    drawing->n_drawn = n_lines;
}

/* Of a log the last line says what went wrong; failures.jsonl has more of it. */
static const char *last_line(const char *text)
{
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

/* All runs of a table lack the same tests, and their processes warn of the same things. */
static void say_once(struct run_board *board, const char *what, const char *reason)
{
    uint32_t index = 0;
    if (!board->said) board->said = sl_name_table_create();
    const size_t before = sl_name_table_count(board->said);
    if (sl_name_table_add(board->said, reason, strlen(reason), &index, NULL) == SL_OK &&
        index == before)
        sl_log(&board->cli->log, SL_LOG_WARNING, "%s%s", what, reason);
}

void run_board_release(struct run_board *board)
{
    run_board_clear(board);
    sl_name_table_destroy(board->said);
    board->said = NULL;
}

void run_board_event(void *context, enum sl_run_event event, const char *title, const char *reason)
{
    struct run_board *board = context;
    const struct sl_log *log = &board->cli->log;
    run_board_clear(board);
    switch (event) {
    case SL_RUN_DONE: sl_log(log, SL_LOG_INFO, "done     %s", title); break;
    case SL_RUN_FAILED:
        sl_log(log, SL_LOG_WARNING, "failed   %s: %s", title, last_line(reason));
        break;
    case SL_RUN_MISSING: sl_log(log, SL_LOG_WARNING, "missing  %s: %s", title, reason); break;
    case SL_RUN_LACKS: say_once(board, "not scored on ", reason); break;
    case SL_RUN_WARNS: say_once(board, "", reason); break;
    case SL_RUN_SPOILT:
        sl_log(log, SL_LOG_WARNING, "remade   %s: %s is not as it was made", title, reason);
        break;
    case SL_RUN_RETRIED: sl_log(log, SL_LOG_WARNING, "retried  %s: %s", title, reason); break;
    case SL_RUN_SUBMITTED: sl_log(log, SL_LOG_INFO, "%s: %s", title, reason); break;
    case SL_RUN_STOPS: sl_log(log, SL_LOG_INFO, "stopping %s", reason); break;
    case SL_RUN_WAITS: sl_log(log, SL_LOG_INFO, "waits    %s: %s", title, reason); break;
    }
}

struct sl_experiment_hooks run_board_hooks(struct run_board *board)
{
    return (struct sl_experiment_hooks){.context = board,
                                        .event = run_board_event,
                                        .board = run_board_show,
                                        .stop = cli_should_stop};
}
