#include "experiment/run/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "experiment/run/turn.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

/* The children of a killed runner hold its lock until they have died too. */
enum { LOCK_TRIES = 40, LOCK_WAIT_MS = 50 };
#define RESULTS_LIMIT ((size_t)4 << 30)

static enum sl_status take_lock(struct sl_ledger *ledger, struct sl_error *err)
{
    char *path = sl_path_join(ledger->folder, "lock");
    const struct timespec wait = {.tv_nsec = LOCK_WAIT_MS * 1000000L};
    ledger->lock = open(path, O_RDWR | O_CREAT, 0666);
    free(path);
    if (ledger->lock < 0)
        return sl_fail_errno(err, "%s: results cannot be written there", ledger->folder);
    for (int tries = 0; flock(ledger->lock, LOCK_EX | LOCK_NB) != 0;) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return sl_fail(err, SL_ERR_IO,
                           "%s cannot be locked (%s): use a folder on a file system that has file "
                           "locks",
                           ledger->folder, strerror(errno));
        if (++tries == LOCK_TRIES)
            return sl_fail(err, SL_ERR_USAGE,
                           "another softlab run works in %s: let it end, or use another folder",
                           ledger->folder);
        nanosleep(&wait, NULL);
    }
    return SL_OK;
}

/* A record as one line of text with its newline. */
static char *line_of(const json_t *record, size_t *length)
{
    char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));
    char *line = sl_string_printf("%s\n", text);
    free(text);
    *length = strlen(line);
    return line;
}

/* The names of tests that could not be scored, as one text; the caller frees it. */
static char *absent_names(json_t *absent)
{
    struct sl_buffer names;
    sl_buffer_init(&names, (size_t)1 << 24);
    sl_buffer_text(&names, "");
    const char *name;
    json_t *reason;
    json_object_foreach(absent, name, reason)
    {
        sl_buffer_printf(&names, "%s\n", name);
    }

    return names.data;
}

/* A later line replaces an earlier line with the same key. */
static void take_line(struct sl_ledger *ledger, struct sl_ledger_line *line)
{
    for (size_t i = 0; i < ledger->n_lines; i++) {
        if (strcmp(ledger->lines[i].key, line->key) != 0) continue;
        free(ledger->lines[i].text);
        free(ledger->lines[i].absent);
        ledger->lines[i] = *line;
        ledger->doubled = true;
        return;
    }
    ledger->lines = sl_resize(ledger->lines, ledger->n_lines + 1, sizeof *ledger->lines);
    ledger->lines[ledger->n_lines++] = *line;
}

static void add_line(struct sl_ledger *ledger, const char *text, size_t length,
                     const json_t *result)
{
    struct sl_ledger_line line = {.text = sl_string_copy_n(text, length),
                                  .absent = absent_names(json_object_get(result, "absent"))};
    memcpy(line.key, json_string_value(json_object_get(result, "key")), sizeof line.key);
    take_line(ledger, &line);
}

bool sl_ledger_has(const struct sl_ledger *ledger, const struct sl_run *run)
{
    char *absent = absent_names(run->absent);
    bool has = false;
    for (size_t i = 0; i < ledger->n_lines && !has; i++)
        has = strcmp(ledger->lines[i].key, run->key) == 0 &&
              strlen(ledger->lines[i].absent) <= strlen(absent);
    free(absent);
    return has;
}

bool sl_ledger_holds(const struct sl_ledger *ledger, const json_t *record)
{
    size_t length;
    char *line = line_of(record, &length);
    bool holds = false;
    for (size_t i = 0; i < ledger->n_lines && !holds; i++)
        holds = strlen(ledger->lines[i].text) == length - 1 &&
                memcmp(ledger->lines[i].text, line, length - 1) == 0;
    free(line);
    return holds;
}

const struct sl_ledger_line *sl_ledger_find(const struct sl_ledger *ledger, const char *key)
{
    for (size_t i = 0; i < ledger->n_lines; i++)
        if (strcmp(ledger->lines[i].key, key) == 0) return &ledger->lines[i];
    return NULL;
}

bool sl_ledger_has_key(const struct sl_ledger *ledger, const char *key)
{
    return sl_ledger_find(ledger, key) != NULL;
}

static bool is_result(const json_t *line)
{
    const char *key = json_string_value(json_object_get(line, "key"));
    return key && strlen(key) == 64;
}

/* Read complete lines; an incomplete last line, left by a killed write, is dropped. */
static enum sl_status read_lines(struct sl_ledger *ledger, bool *cut, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init(&text, RESULTS_LIMIT);
    enum sl_status status = SL_OK;
    if (sl_file_exists(ledger->results)) SL_TRY_OUT(sl_file_read(ledger->results, &text, err));
    const char *at = text.length ? text.data : "", *end = at + text.length;
    for (size_t number = 1; text.length > 0 && at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) {
            *cut = true;
            break;
        }
        json_t *line = json_loadb(at, (size_t)(newline - at), 0, NULL);
        const bool good = is_result(line);
        if (good) add_line(ledger, at, (size_t)(newline - at), line);
        json_decref(line);
        if (!good) {
            status = sl_fail(err, SL_ERR_INPUT,
                             "%s:%zu: not a result; take the line out, or use another folder",
                             ledger->results, number);
            goto out;
        }
        at = newline + 1;
    }
out:
    sl_buffer_release(&text);
    return status;
}

/* Replace results.jsonl with the lines in memory. */
static enum sl_status write_lines(struct sl_ledger *ledger, struct sl_error *err)
{
    struct sl_writer writer = {.descriptor = -1};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_writer_open(&writer, ledger->results, err));
    for (size_t i = 0; i < ledger->n_lines; i++) {
        const char *text = ledger->lines[i].text;
        SL_TRY_OUT(sl_writer_write(&writer, text, strlen(text), err));
        SL_TRY_OUT(sl_writer_write(&writer, "\n", 1, err));
    }
    SL_TRY_OUT(sl_writer_commit(&writer, err));
    ledger->doubled = false;
out:
    sl_writer_discard(&writer);
    return status;
}

/* ---- Turns ---- */

static void forget_lines(struct sl_ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_lines; i++) {
        free(ledger->lines[i].text);
        free(ledger->lines[i].absent);
    }
    free(ledger->lines);
    ledger->lines = NULL;
    ledger->n_lines = 0;
    ledger->doubled = false;
}

/* Note the state of results.jsonl; false if it is the one noted before. */
static bool note_state(struct sl_ledger *ledger)
{
    struct stat file = {0};
    /* Opening it makes a network file system look again. */
    const int descriptor = open(ledger->results, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        if (fstat(descriptor, &file) != 0) file = (struct stat){0};
        close(descriptor);
    }
    const bool same = ledger->seen.file == (uint64_t)file.st_ino &&
                      ledger->seen.bytes == (uint64_t)file.st_size &&
                      ledger->seen.changed.tv_sec == file.st_mtim.tv_sec &&
                      ledger->seen.changed.tv_nsec == file.st_mtim.tv_nsec;
    ledger->seen.file = (uint64_t)file.st_ino;
    ledger->seen.bytes = (uint64_t)file.st_size;
    ledger->seen.changed = file.st_mtim;
    return !same;
}

/* An incomplete last line was left by a killed process: nobody writes during a turn. */
static enum sl_status read_changes(struct sl_ledger *ledger, struct sl_error *err)
{
    bool cut = false;
    if (!note_state(ledger)) return SL_OK;
    forget_lines(ledger);
    SL_TRY(read_lines(ledger, &cut, err));
    return cut ? write_lines(ledger, err) : SL_OK;
}

enum sl_status sl_ledger_begin_turn(struct sl_ledger *ledger, struct sl_error *err)
{
    if (ledger->turns == 0) {
        SL_TRY(sl_turn_begin(ledger->folder, err));
        const enum sl_status status = read_changes(ledger, err);
        if (status != SL_OK) {
            sl_turn_end(ledger->folder);
            return status;
        }
    }
    ledger->turns++;
    return SL_OK;
}

void sl_ledger_end_turn(struct sl_ledger *ledger)
{
    if (--ledger->turns > 0) return;
    (void)note_state(ledger);
    sl_turn_end(ledger->folder);
}

/* ---- Opening and closing ---- */

static enum sl_status open_ledger(const char *folder, bool lock, struct sl_ledger *out,
                                  struct sl_error *err)
{
    struct sl_ledger ledger = {.folder = sl_string_copy(folder),
                               .results = sl_path_join(folder, "results.jsonl"),
                               .failures = sl_path_join(folder, "failures.jsonl"),
                               .lock = -1};
    bool cut = false;
    enum sl_status status = SL_OK;
    if (lock) {
        SL_TRY_OUT(take_lock(&ledger, err));
        SL_TRY_OUT(sl_ledger_begin_turn(&ledger, err));
        sl_ledger_end_turn(&ledger);
    } else {
        SL_TRY_OUT(read_lines(&ledger, &cut, err));
    }
    *out = ledger;
    return SL_OK;
out:
    sl_ledger_close(&ledger);
    return status;
}

enum sl_status sl_ledger_open(const char *folder, struct sl_ledger *out, struct sl_error *err)
{
    if (sl_file_exists(folder))
        return sl_fail(err, SL_ERR_USAGE, "%s is a file, and results need a folder", folder);
    SL_TRY(sl_folder_create(folder, err));
    return open_ledger(folder, true, out, err);
}

enum sl_status sl_ledger_read(const char *folder, struct sl_ledger *out, struct sl_error *err)
{
    return open_ledger(folder, false, out, err);
}

void sl_ledger_close(struct sl_ledger *ledger)
{
    if (ledger->lock >= 0) close(ledger->lock);
    forget_lines(ledger);
    free(ledger->folder);
    free(ledger->results);
    free(ledger->failures);
    *ledger = (struct sl_ledger){.lock = -1};
}

/* One write and one fsync: the line is complete, or the next reader drops it. */
static enum sl_status append(const char *path, const char *text, size_t length,
                             struct sl_error *err)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) return sl_fail_errno(err, "%s", path);
    enum sl_status status = SL_OK;
    errno = ENOSPC; /* a short write sets no errno */
    const ssize_t written = write(descriptor, text, length);
    if (written < 0 || (size_t)written != length || fsync(descriptor) != 0)
        status = sl_fail_errno(err, "%s: cannot be written", path);
    close(descriptor);
    return status;
}

enum sl_status sl_ledger_append(struct sl_ledger *ledger, const json_t *result,
                                struct sl_error *err)
{
    size_t length;
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    char *line = line_of(result, &length);
    const enum sl_status status = append(ledger->results, line, length, err);
    if (status == SL_OK) add_line(ledger, line, length - 1, result);
    free(line);
    sl_ledger_end_turn(ledger);
    return status;
}

enum sl_status sl_line_append(const char *path, const json_t *record, struct sl_error *err)
{
    size_t length;
    char *line = line_of(record, &length);
    const enum sl_status status = append(path, line, length, err);
    free(line);
    return status;
}

enum sl_status sl_ledger_fail(struct sl_ledger *ledger, const json_t *failure, struct sl_error *err)
{
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    const enum sl_status status = sl_line_append(ledger->failures, failure, err);
    sl_ledger_end_turn(ledger);
    return status;
}

/* ---- Order ---- */

static size_t place_of(const struct sl_experiment *experiment, const char *key)
{
    for (size_t i = 0; i < experiment->n_runs; i++)
        if (strcmp(experiment->runs[i].key, key) == 0) return i + 1;
    return 0;
}

/* The next line of failures.jsonl, with its newline, from *at on; NULL at the end. An incomplete
 * last line is none. */
static const char *next_failure(const struct sl_buffer *text, size_t *at, size_t *length)
{
    if (*at >= text->length) return NULL;
    const char *line = text->data + *at;
    const char *newline = memchr(line, '\n', text->length - *at);
    if (!newline) return NULL;
    *length = (size_t)(newline - line) + 1;
    *at += *length;
    return line;
}

static const char *key_of(const json_t *failure)
{
    return json_string_value(json_object_get(failure, "key"));
}

static bool is_of(const struct sl_experiment *experiment, const char *line, size_t length)
{
    json_t *failure = json_loadb(line, length, 0, NULL);
    const char *key = key_of(failure);
    const bool is = key && place_of(experiment, key) > 0;
    json_decref(failure);
    return is;
}

json_t *sl_ledger_failure(const struct sl_ledger *ledger, const char *key)
{
    struct sl_buffer text;
    json_t *last = NULL;
    size_t at = 0, length = 0;
    sl_buffer_init(&text, RESULTS_LIMIT);
    if (sl_file_exists(ledger->failures) && sl_file_read(ledger->failures, &text, NULL) == SL_OK)
        for (const char *line; (line = next_failure(&text, &at, &length));) {
            json_t *failure = json_loadb(line, length, 0, NULL);
            if (!key_of(failure) || strcmp(key_of(failure), key) != 0) {
                json_decref(failure);
                continue;
            }
            json_decref(last);
            last = failure;
        }
    sl_buffer_release(&text);
    return last;
}

enum sl_status sl_ledger_forget_failures(struct sl_ledger *ledger,
                                         const struct sl_experiment *experiment,
                                         struct sl_error *err)
{
    struct sl_buffer text, kept;
    if (!sl_file_exists(ledger->failures)) return SL_OK;
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    sl_buffer_init(&text, RESULTS_LIMIT);
    sl_buffer_init(&kept, RESULTS_LIMIT);
    enum sl_status status = SL_OK;
    size_t at = 0, length = 0;
    if (sl_file_exists(ledger->failures)) SL_TRY_OUT(sl_file_read(ledger->failures, &text, err));
    for (const char *line; (line = next_failure(&text, &at, &length));)
        if (!is_of(experiment, line, length)) sl_buffer_append(&kept, line, length);
    if (kept.length > 0)
        SL_TRY_OUT(sl_file_write(ledger->failures, kept.data, kept.length, err));
    else if (unlink(ledger->failures) != 0 && errno != ENOENT)
        status = sl_fail_errno(err, "%s: cannot be removed", ledger->failures);
out:
    sl_ledger_end_turn(ledger);
    sl_buffer_release(&text);
    sl_buffer_release(&kept);
    return status;
}

struct placed {
    size_t place, was;
    struct sl_ledger_line line;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->was < y->was ? -1 : x->was > y->was;
}

/* Put the lines in memory into order; false if they were. */
static bool place_lines(struct sl_ledger *ledger, const struct sl_experiment *experiment)
{
    const size_t n = ledger->n_lines;
    bool moved = false;
    struct placed *placed = sl_alloc(n + 1, sizeof *placed);
    for (size_t i = 0; i < n; i++)
        placed[i] =
            (struct placed){place_of(experiment, ledger->lines[i].key), i, ledger->lines[i]};
    qsort(placed, n, sizeof *placed, by_place);
    for (size_t i = 0; i < n; i++) {
        ledger->lines[i] = placed[i].line;
        moved = moved || placed[i].was != i;
    }
    free(placed);
    return moved;
}

/* A part whose only run is made has nothing to move, and may be joined and gone by now. */
enum sl_status sl_ledger_order(struct sl_ledger *ledger, const struct sl_experiment *experiment,
                               struct sl_error *err)
{
    if (!place_lines(ledger, experiment) && !ledger->doubled) return SL_OK;
    SL_TRY(sl_ledger_begin_turn(ledger, err));
    (void)place_lines(ledger, experiment); /* with lines of others, if there are any */
    const enum sl_status status = write_lines(ledger, err);
    sl_ledger_end_turn(ledger);
    return status;
}
