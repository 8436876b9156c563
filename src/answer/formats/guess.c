/* The format that a file looks like, by the keys or columns at its beginning. */
#include <string.h>

#include "answer/formats/format.h"
#include "base/file/stream.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"

enum { BEGINNING = 1 << 18, MOST_WORDS = 6, LEAST_SIGNS = 2 };

/* How a file is laid out. */
enum shape {
    SHAPE_LIST = 1,  /* a JSON list of objects */
    SHAPE_LINES = 2, /* an object on each line */
    SHAPE_TABLE = 4, /* a header line with columns */
};

/* The keys of the first object, or the columns. A word that ends in ':' or '.' stands for every
 * name that begins with it, and ":::" for every name that contains it. */
struct signature {
    const char *format;
    unsigned shapes;
    const char *needs[MOST_WORDS + 1];   /* NULL-ended */
    const char *typical[MOST_WORDS + 1]; /* NULL-ended */
};
static const struct signature signatures[] = {
    {"label-studio",
     SHAPE_LIST,
     {"annotations", "data"},
     {"id", "predictions", "project", "completions", "drafts", "inner_id"}},
    {"label-studio-min",
     SHAPE_LIST,
     {"annotation_id", "annotator"},
     {"id", "lead_time", "created_at", "updated_at"}},
    {"potato",
     SHAPE_LINES,
     {"label_annotations"},
     {"id", "instance_id", "displayed_text", "span_annotations", "behavioral_data", "user_id"}},
    {"potato", SHAPE_TABLE, {"user", "instance_id", ":::"}, {"displayed_text"}},
    {"doccano", SHAPE_LIST | SHAPE_LINES, {"id", "text", "label"}, {"Comments", "labels"}},
    {"answers-csv", SHAPE_TABLE, {"answer", "kind", "part"}, {"marks", "generated"}},
    {"toloka",
     SHAPE_TABLE,
     {"OUTPUT:", "ASSIGNMENT:worker_id"},
     {"INPUT:", "GOLDEN:", "HINT:", "ASSIGNMENT:status", "ASSIGNMENT:assignment_id"}},
    {"mturk",
     SHAPE_TABLE,
     {"Answer.", "WorkerId", "HITId"},
     {"AssignmentId", "AssignmentStatus", "WorkTimeInSeconds", "Input."}},
};

/* The names at the beginning of a file. */
struct looked {
    enum shape shape;
    struct sl_name_table *names; /* owned */
};

/* ---- Looking ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The keys of the first object. The text may end anywhere and need not be valid. */
static enum sl_status look_at_json(const char *text, size_t length, struct looked *out,
                                   struct sl_error *err)
{
    const size_t inside = out->shape == SHAPE_LIST ? 2 : 1;
    size_t depth = 0;
    for (size_t i = 0; i < length; i++) {
        const char byte = text[i];
        if (byte == '[' || byte == '{') depth++;
        if ((byte == ']' || byte == '}') && depth > 0 && --depth < inside) return SL_OK;
        if (byte != '"') continue;
        const size_t begin = ++i;
        while (i < length && text[i] != '"')
            i += text[i] == '\\' ? 2 : 1;
        size_t after = i + 1;
        while (after < length && is_space(text[after]))
            after++;
        uint32_t number = 0;
        if (depth == inside && after < length && text[after] == ':')
            SL_TRY(sl_name_table_add(out->names, text + begin, i - begin, &number, err));
    }
    return SL_OK;
}

static enum sl_status look_at_header(const char *text, size_t length, struct looked *out,
                                     struct sl_error *err)
{
    const char *end = memchr(text, '\n', length);
    const size_t line = end ? (size_t)(end - text) : length;
    struct sl_csv_options options = sl_csv_options_default();
    struct sl_csv_record record = {0};
    struct sl_csv *csv = NULL;
    options.header = false;
    if (memchr(text, '\t', line)) options.delimiter = '\t';
    enum sl_status status = SL_OK;
    /* What is not CSV has no columns; its reader says what is wrong with it. */
    if (sl_csv_open_memory(text, length, "", &options, &csv, NULL) != SL_OK) return SL_OK;
    if (sl_csv_next(csv, &record, NULL) != SL_OK) record.count = 0;
    for (size_t i = 0; i < record.count && status == SL_OK; i++) {
        uint32_t number = 0;
        status = sl_name_table_add(out->names, record.fields[i].text, record.fields[i].length,
                                   &number, err);
    }
    sl_csv_close(csv);
    return status;
}

static enum sl_status look(const char *path, struct looked *out, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    char *text = sl_alloc(BEGINNING, 1);
    size_t length = 0, first = 0;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    SL_TRY_OUT(sl_stream_read(stream, text, BEGINNING, &length, err));
    while (first < length && is_space(text[first]))
        first++;
    const char byte = first < length ? text[first] : '\0';
    out->shape = byte == '[' ? SHAPE_LIST : byte == '{' ? SHAPE_LINES : SHAPE_TABLE;
    SL_TRY_OUT(out->shape == SHAPE_TABLE ? look_at_header(text, length, out, err)
                                         : look_at_json(text, length, out, err));
out:
    sl_file_stream_close(stream);
    free(text);
    return status;
}

/* ---- Comparing ---- */

static bool fits(const char *name, const char *word)
{
    const size_t length = strlen(word);
    if (strcmp(word, ":::") == 0) return strstr(name, word) != NULL;
    if (word[length - 1] == ':' || word[length - 1] == '.') return strncmp(name, word, length) == 0;
    return strcmp(name, word) == 0;
}

static bool is_there(const struct looked *looked, const char *word)
{
    for (uint32_t i = 0; i < sl_name_table_count(looked->names); i++)
        if (fits(sl_name_table_get(looked->names, i, NULL), word)) return true;
    return false;
}

/* How many of the words are there; the first that is not goes to *missing. */
static size_t count_signs(const struct looked *looked, const char *const *words,
                          const char **missing)
{
    size_t count = 0;
    *missing = NULL;
    for (; *words; words++) {
        const bool there = is_there(looked, *words);
        count += there;
        if (!there && !*missing) *missing = *words;
    }
    return count;
}

static void compare(const struct looked *looked, struct sl_format_guess *out)
{
    size_t most = LEAST_SIGNS - 1;
    *out = (struct sl_format_guess){0};
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *signature = &signatures[i];
        const char *missing = NULL, *unused = NULL;
        if (!(signature->shapes & looked->shape)) continue;
        const size_t needed = count_signs(looked, signature->needs, &missing);
        const size_t count = needed + count_signs(looked, signature->typical, &unused);
        if (missing && count <= most) continue;
        out->format = sl_answer_format_find(signature->format);
        out->missing = missing;
        if (!missing) return;
        most = count;
    }
}

enum sl_status sl_answer_format_guess(const char *path, struct sl_format_guess *out,
                                      struct sl_error *err)
{
    struct looked looked = {.names = sl_name_table_create()};
    const enum sl_status status = look(path, &looked, err);
    if (status == SL_OK) compare(&looked, out);
    sl_name_table_destroy(looked.names);
    return status;
}

enum sl_status sl_answer_format_hint(enum sl_status status, const char *path,
                                     const struct sl_answer_format *format, struct sl_error *err)
{
    struct sl_format_guess guess;
    if (status != SL_ERR_INPUT || !err) return status;
    if (sl_answer_format_guess(path, &guess, NULL) != SL_OK || !guess.format) return status;
    if (guess.format == format) return status;
    const struct sl_error inner = *err;
    if (guess.missing)
        return sl_fail(err, status, "%s; the file looks like %s, but has no \"%s\"", inner.message,
                       guess.format->name, guess.missing);
    return sl_fail(err, status, "%s; the file looks like %s: use --from %s", inner.message,
                   guess.format->name, guess.format->name);
}
