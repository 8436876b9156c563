#include <math.h>
#include <string.h>
#include <time.h>

#include "softlab/base/log.h"
#include "softlab/base/text.h"

enum { DEFAULT_COLUMNS = 80, BAR_LEAST = 8, BAR_MOST = 24, PIECE = 96, LINE = 1024 };

static const double brief_seconds = 1;

static const double redraw_seconds = 0.1;
static const double line_seconds = 2.0;

double sl_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double clock_of(const struct sl_progress *progress)
{
    return progress->seconds ? progress->seconds(progress->clock_context) : sl_clock_seconds();
}

static bool counts_bytes(const struct sl_progress *progress)
{
    return strcmp(progress->unit, "B") == 0;
}

/* "66.1 MB" or "24,000", without the unit of things that are not bytes. */
static char *format_amount(const struct sl_progress *progress, uint64_t amount, char *out,
                           size_t size)
{
    return counts_bytes(progress) ? sl_text_bytes(amount, out, size)
                                  : sl_text_count(amount, out, size);
}

/* "66.1 MB of 139 MB", "24,000 of 50,000 images". */
static void format_done(const struct sl_progress *progress, char *out)
{
    char done[32], total[48] = "";
    format_amount(progress, progress->done, done, sizeof done);
    if (progress->total > 0 && progress->total != progress->done) {
        char amount[32];
        format_amount(progress, progress->total, amount, sizeof amount);
        snprintf(total, sizeof total, " of %s", amount);
    }
    bool named = !counts_bytes(progress) && progress->unit[0];
    snprintf(out, PIECE, "%s%s%s%.24s", done, total, named ? " " : "", named ? progress->unit : "");
}

/* "6:07" or "1:06:07". */
static void format_duration(double seconds, char *out)
{
    if (!(seconds < 360000)) {
        snprintf(out, PIECE, "over 99 h");
        return;
    }
    unsigned whole = (unsigned)(seconds + 0.5);
    unsigned hours = whole / 3600, minutes = whole / 60 % 60;
    if (hours > 0)
        snprintf(out, PIECE, "%u:%02u:%02u", hours, minutes, whole % 60);
    else
        snprintf(out, PIECE, "%u:%02u", minutes, whole % 60);
}

/* "12.3 MB/s", "3,100 images/s", or "" while there is nothing to divide. */
static void format_rate(const struct sl_progress *progress, double elapsed, char *out)
{
    out[0] = '\0';
    double rate = elapsed > 0 ? (double)progress->done / elapsed : 0;
    if (!(rate > 0 && rate < 1e18)) return;
    char amount[32];
    if (rate < 9.95 && !counts_bytes(progress))
        snprintf(amount, sizeof amount, "%.2g", rate);
    else
        format_amount(progress, (uint64_t)(rate + 0.5), amount, sizeof amount);
    bool named = !counts_bytes(progress) && progress->unit[0];
    snprintf(out, PIECE, "%s%s%.24s/s", amount, named ? " " : "", named ? progress->unit : "");
}

static void format_remaining(const struct sl_progress *progress, double elapsed, char *out)
{
    out[0] = '\0';
    if (progress->done == 0 || progress->done >= progress->total || !(elapsed > 0)) return;
    char duration[PIECE];
    double left = (double)(progress->total - progress->done);
    format_duration(elapsed / (double)progress->done * left, duration);
    snprintf(out, PIECE, "ETA %.80s", duration);
}

static double fraction_done(const struct sl_progress *progress)
{
    if (progress->done >= progress->total) return 1;
    return (double)progress->done / (double)progress->total;
}

/* Columns that UTF-8 text takes: its bytes without those that continue a character. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* Cut `text` to `width` columns, between characters. */
static void cut_to_width(char *text, size_t width)
{
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xC0) != 0x80 && width-- == 0) break;
    text[at] = '\0';
}

static void append(char *line, const char *piece)
{
    size_t used = strlen(line);
    if (piece[0] && used + 2 < LINE) snprintf(line + used, LINE - used, "  %s", piece);
}

/* "[######------]" of `cells` cells. */
static void format_bar(double fraction, size_t cells, char *out)
{
    size_t full = (size_t)(fraction * (double)cells);
    out[0] = '[';
    memset(out + 1, '#', full);
    memset(out + 1 + full, '-', cells - full);
    memcpy(out + 1 + cells, "]", 2);
}

/* The current line, in at most `columns` columns: the bar takes the remaining room, and pieces that
 * do not fit are dropped from the right. */
static void compose(const struct sl_progress *progress, double elapsed, size_t columns, char *line)
{
    char pieces[4][PIECE] = {"", "", "", ""};
    double fraction = fraction_done(progress);
    if (progress->total > 0) {
        snprintf(pieces[0], PIECE, "%d %%", (int)(100 * fraction));
        format_remaining(progress, elapsed, pieces[3]);
    }
    format_done(progress, pieces[1]);
    format_rate(progress, elapsed, pieces[2]);

    snprintf(line, LINE, "%.400s", progress->label);
    size_t used = width_of(line);
    size_t kept = 0;
    for (; kept < 4; kept++) {
        size_t width = width_of(pieces[kept]);
        if (width > 0 && used + 2 + width > columns) break;
        if (width > 0) used += 2 + width;
    }
    if (progress->terminal && progress->total > 0 && used + 4 + BAR_LEAST <= columns) {
        size_t cells = columns - used - 4;
        char bar[BAR_MOST + 3];
        format_bar(fraction, cells < BAR_MOST ? cells : BAR_MOST, bar);
        append(line, bar);
    }
    for (size_t i = 0; i < kept; i++)
        append(line, pieces[i]);
    cut_to_width(line, columns);
}

/* The last column stays free: writing it makes some terminals wrap. */
static size_t usable_columns(const struct sl_progress *progress)
{
    if (!progress->terminal) return LINE - 1;
    unsigned columns = progress->columns ? progress->columns : DEFAULT_COLUMNS;
    return columns < LINE ? columns - 1 : LINE - 1;
}

static void put_line(const struct sl_progress *progress, const char *line, const char *end)
{
    /* "\x1b[K" clears the rest of a longer previous line. */
    if (progress->terminal)
        fprintf(progress->stream, "\r%s\x1b[K%s", line, end);
    else
        fprintf(progress->stream, "%s\n", line);
    fflush(progress->stream);
}

static void draw(struct sl_progress *progress, double now)
{
    char line[LINE];
    compose(progress, now - progress->started, usable_columns(progress), line);
    put_line(progress, line, "");
    progress->drawn = now;
}

static bool is_silent(const struct sl_progress *progress)
{
    return !progress || (!progress->stream && !progress->show);
}

static void show(struct sl_progress *progress, double now, bool ended)
{
    progress->show(progress->show_context, progress, ended);
    progress->drawn = now;
}

void sl_progress_start(struct sl_progress *progress, const char *label, uint64_t total,
                       const char *unit)
{
    if (is_silent(progress)) return;
    progress->label = label;
    progress->unit = unit;
    progress->total = total;
    progress->done = 0;
    progress->tenths = 0;
    progress->started = progress->drawn = clock_of(progress);
    if (progress->show)
        show(progress, progress->started, false);
    else if (progress->terminal)
        draw(progress, progress->started);
}

void sl_progress_set(struct sl_progress *progress, uint64_t done)
{
    if (is_silent(progress) || !progress->label) return;
    progress->done = done;
    double now = clock_of(progress);
    double since = now - progress->drawn;
    if (progress->show) {
        if (since >= redraw_seconds) show(progress, now, false);
        return;
    }
    if (progress->terminal) {
        if (since >= redraw_seconds) draw(progress, now);
        return;
    }
    unsigned tenths = progress->total > 0 ? (unsigned)(10 * fraction_done(progress)) : 0;
    bool further = progress->total == 0 || tenths > progress->tenths;
    if (!further || since < line_seconds) return;
    progress->tenths = tenths;
    draw(progress, now);
}

void sl_progress_finish(struct sl_progress *progress)
{
    if (is_silent(progress) || !progress->label) return;
    if (progress->show) {
        show(progress, clock_of(progress), true);
        progress->label = NULL;
        return;
    }
    const double elapsed = clock_of(progress) - progress->started;
    if (elapsed < brief_seconds) { /* too short to be worth a line */
        if (progress->terminal) fputs("\r\x1b[K", progress->stream);
        progress->label = NULL;
        return;
    }
    char done[PIECE], duration[PIECE], line[LINE];
    format_done(progress, done);
    format_duration(elapsed, duration);
    snprintf(line, sizeof line, "%.400s  %s in %s", progress->label, done, duration);
    cut_to_width(line, usable_columns(progress));
    put_line(progress, line, "\n");
    progress->label = NULL;
}
