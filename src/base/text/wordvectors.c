#include "softlab/base/wordvectors.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "softlab/base/buffer.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { CHUNK = 1 << 16, LINE_LIMIT = 1 << 20, MOST_DIMENSIONS = 1 << 16 };

/* A word of a name: the name's vector is the mean over its words. */
struct wanted {
    char *word; /* owned; lower case */
    size_t name;
    bool found;
};

struct collector {
    const char *file;
    size_t line;
    struct wanted *wanted; /* owned */
    size_t n_wanted, n_found;
    size_t *n_words; /* owned; words of each name */
    size_t n_names, dimensions;
    double *sums;   /* owned; (n_names, dimensions), once a line has shown the dimensions */
    double *vector; /* owned; dimensions */
    /* If every word is wanted: words (owned) and rows (owned) instead of names and sums. */
    struct sl_name_table *all;
    float *rows;
    size_t n_rows, rows_capacity;
};

static bool wants_more(const struct collector *collector)
{
    return collector->all || collector->n_found < collector->n_wanted;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_separator(char byte)
{
    return byte == ' ' || byte == '_' || byte == '-' || byte == '/';
}

static void want_words(struct collector *collector, const char *text, size_t name)
{
    while (*text) {
        size_t length = 0;
        while (text[length] && !is_separator(text[length]))
            length++;
        if (length > 0) {
            collector->wanted =
                sl_resize(collector->wanted, collector->n_wanted + 1, sizeof *collector->wanted);
            char *word = sl_string_copy_n(text, length);
            for (size_t i = 0; i < length; i++)
                word[i] = lower(word[i]);
            collector->wanted[collector->n_wanted++] = (struct wanted){.word = word, .name = name};
            collector->n_words[name]++;
        }
        text += length + (text[length] != '\0');
    }
}

static enum sl_status collector_init(struct collector *collector, const char *file,
                                     const char *const *names, size_t n_names, struct sl_error *err)
{
    *collector = (struct collector){.file = file, .n_names = n_names};
    collector->n_words = sl_alloc(n_names, sizeof *collector->n_words);
    for (size_t i = 0; i < n_names; i++) {
        want_words(collector, names[i], i);
        if (collector->n_words[i] == 0)
            return sl_fail(err, SL_ERR_INPUT, "\"%s\" contains no word", names[i]);
    }
    return SL_OK;
}

static void collector_release(struct collector *collector)
{
    for (size_t i = 0; i < collector->n_wanted; i++)
        free(collector->wanted[i].word);
    free(collector->wanted);
    free(collector->n_words);
    free(collector->sums);
    free(collector->vector);
    free(collector->rows);
    sl_name_table_destroy(collector->all);
}

static size_t count_fields(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return count;
}

static enum sl_status set_dimensions(struct collector *collector, size_t dimensions,
                                     struct sl_error *err)
{
    if (dimensions == 0 || dimensions > MOST_DIMENSIONS)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: expected a word and its vector", collector->file,
                       collector->line);
    collector->dimensions = dimensions;
    collector->vector = sl_alloc(dimensions, sizeof *collector->vector);
    if (collector->n_names > SIZE_MAX / dimensions)
        return sl_fail(err, SL_ERR_NOMEM, "not enough memory for %zu x %zu numbers",
                       collector->n_names, dimensions);
    size_t count = collector->n_names * dimensions;
    collector->sums = sl_data_alloc(count, sizeof *collector->sums, err);
    if (!collector->sums) return SL_ERR_NOMEM;
    memset(collector->sums, 0, count * sizeof *collector->sums);
    return SL_OK;
}

static enum sl_status read_vector(struct collector *collector, const char *text, size_t length,
                                  struct sl_error *err)
{
    size_t found = 0, at = 0;
    while (at < length) {
        size_t begin = at;
        while (at < length && text[at] != ' ')
            at++;
        double value;
        if (at > begin) {
            bool number = sl_text_to_real(text + begin, at - begin, &value);
            if (found == collector->dimensions || !number || !(fabs(value) <= 1e30))
                return sl_fail(
                    err, SL_ERR_INPUT,
                    "%s:%zu: expected a word and %zu number%s, got \"%.*s\" as number %zu",
                    collector->file, collector->line, collector->dimensions,
                    sl_text_plural(collector->dimensions, "", "s"),
                    (int)(at - begin < 40 ? at - begin : 40), text + begin, found + 1);
            collector->vector[found++] = value;
        }
        at++;
    }
    if (found != collector->dimensions)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: expected a word and %zu number%s, got %zu",
                       collector->file, collector->line, collector->dimensions,
                       sl_text_plural(collector->dimensions, "", "s"), found);
    return SL_OK;
}

/* "400000 100": the first line of word2vec files. */
static bool is_size_line(const char *text, size_t length)
{
    size_t space = 0;
    int64_t count, dimensions;
    while (space < length && text[space] != ' ')
        space++;
    return space < length && sl_text_to_integer(text, space, &count) &&
           sl_text_to_integer(text + space + 1, length - space - 1, &dimensions) && count >= 0 &&
           dimensions > 0;
}

static enum sl_status make_room(struct collector *collector, struct sl_error *err)
{
    if (collector->n_rows < collector->rows_capacity) return SL_OK;
    const size_t capacity = collector->rows_capacity ? 2 * collector->rows_capacity : 1024;
    const size_t row = collector->dimensions * sizeof *collector->rows;
    float *rows = sl_data_alloc(capacity, row, err);
    if (!rows) return SL_ERR_NOMEM;
    if (collector->n_rows) memcpy(rows, collector->rows, collector->n_rows * row);
    free(collector->rows);
    collector->rows = rows;
    collector->rows_capacity = capacity;
    return SL_OK;
}

/* If a word has several lines, the first counts. */
static enum sl_status take_any(struct collector *collector, const char *text, size_t word,
                               size_t length, struct sl_error *err)
{
    uint32_t index = 0;
    if (sl_utf8_valid(text, word) != word)
        return sl_fail(err, SL_ERR_INPUT, "%s:%zu: the word is not UTF-8", collector->file,
                       collector->line);
    SL_TRY(read_vector(collector, text + word, length - word, err));
    SL_TRY(sl_name_table_add(collector->all, text, word, &index, err));
    if (index < collector->n_rows) return SL_OK;
    SL_TRY(make_room(collector, err));
    float *row = collector->rows + collector->n_rows++ * collector->dimensions;
    for (size_t d = 0; d < collector->dimensions; d++)
        row[d] = (float)collector->vector[d];
    return SL_OK;
}

static enum sl_status take_line(struct collector *collector, const char *text, size_t length,
                                struct sl_error *err)
{
    collector->line++;
    while (length > 0 && (text[length - 1] == '\r' || text[length - 1] == ' '))
        length--;
    if (length == 0 || (collector->line == 1 && is_size_line(text, length))) return SL_OK;
    size_t word = 0;
    while (word < length && text[word] != ' ')
        word++;
    if (!collector->sums)
        SL_TRY(set_dimensions(collector, count_fields(text + word, length - word), err));
    if (collector->all) return take_any(collector, text, word, length, err);
    bool read = false;
    for (size_t i = 0; i < collector->n_wanted; i++) {
        struct wanted *wanted = &collector->wanted[i];
        if (wanted->found || strlen(wanted->word) != word || memcmp(wanted->word, text, word) != 0)
            continue;
        if (!read) SL_TRY(read_vector(collector, text + word, length - word, err));
        read = true;
        double *sum = collector->sums + wanted->name * collector->dimensions;
        for (size_t d = 0; d < collector->dimensions; d++)
            sum[d] += collector->vector[d];
        wanted->found = true;
        collector->n_found++;
    }
    return SL_OK;
}

static enum sl_status fail_missing(const struct collector *collector, struct sl_error *err)
{
    struct sl_buffer words;
    sl_buffer_init(&words, 300);
    for (size_t i = 0; i < collector->n_wanted; i++)
        if (!collector->wanted[i].found)
            sl_buffer_printf(&words, "%s%s", words.length ? ", " : "", collector->wanted[i].word);
    enum sl_status status =
        sl_fail(err, SL_ERR_INPUT, "%s: %zu of %zu word%s %s no vector: %s%s", collector->file,
                collector->n_wanted - collector->n_found, collector->n_wanted,
                sl_text_plural(collector->n_wanted, "", "s"),
                sl_text_plural(collector->n_wanted - collector->n_found, "has", "have"),
                words.data ? words.data : "", words.overflowed ? " ..." : "");
    sl_buffer_release(&words);
    return status;
}

static enum sl_status make_vectors(const struct collector *collector, struct sl_word_vectors *out,
                                   struct sl_error *err)
{
    if (collector->n_found < collector->n_wanted) return fail_missing(collector, err);
    size_t count = collector->n_names * collector->dimensions;
    float *values = sl_data_alloc(count, sizeof *values, err);
    if (!values) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const size_t name = i / collector->dimensions;
        values[i] = (float)(collector->sums[i] / (double)collector->n_words[name]);
    }
    *out = (struct sl_word_vectors){
        .n_names = collector->n_names, .dimensions = collector->dimensions, .values = values};
    return SL_OK;
}

/* Take the complete lines of `bytes`; returns the number of bytes they took. */
static enum sl_status take_lines(struct collector *collector, const char *bytes, size_t length,
                                 size_t *taken, struct sl_error *err)
{
    size_t begin = 0;
    const char *end;
    while (wants_more(collector) && (end = memchr(bytes + begin, '\n', length - begin))) {
        size_t line = (size_t)(end - bytes) - begin;
        SL_TRY(take_line(collector, bytes + begin, line, err));
        begin += line + 1;
    }
    *taken = begin;
    return SL_OK;
}

enum sl_status sl_word_vectors_parse(const char *bytes, size_t length, const char *name,
                                     const char *const *names, size_t n_names,
                                     struct sl_word_vectors *out, struct sl_error *err)
{
    struct collector collector;
    size_t taken = 0;
    enum sl_status status = collector_init(&collector, name, names, n_names, err);
    if (status == SL_OK) status = take_lines(&collector, bytes, length, &taken, err);
    if (status == SL_OK && taken < length && collector.n_found < collector.n_wanted)
        status = take_line(&collector, bytes + taken, length - taken, err);
    if (status == SL_OK) status = make_vectors(&collector, out, err);
    collector_release(&collector);
    return status;
}

static enum sl_status fail_gzip(gzFile file, const char *path, struct sl_error *err)
{
    int code;
    const char *message = gzerror(file, &code);
    if (code == Z_ERRNO) return sl_fail_errno(err, "%s", path);
    return sl_fail(err, SL_ERR_INPUT, "%s: %s", path, message);
}

/* Append the next bytes of the file; none are left if `pending` did not grow. */
static enum sl_status read_more(gzFile file, const char *path, struct sl_buffer *pending,
                                struct sl_error *err)
{
    char *room = sl_buffer_reserve(pending, CHUNK);
    if (!room && pending->exhausted)
        return sl_fail(err, SL_ERR_NOMEM, "%s: not enough memory for a line", path);
    if (!room)
        return sl_fail(err, SL_ERR_INPUT, "%s: a line is longer than %d bytes", path, LINE_LIMIT);
    int got = gzread(file, room, CHUNK);
    if (got < 0) return fail_gzip(file, path, err);
    int code = Z_OK;
    if (got == 0) gzerror(file, &code);
    if (code == Z_BUF_ERROR)
        return sl_fail(err, SL_ERR_INPUT, "%s: the gzip data ends early", path);
    pending->length += (size_t)got;
    return SL_OK;
}

static enum sl_status read_lines(gzFile file, struct collector *collector, struct sl_error *err)
{
    struct sl_buffer pending;
    sl_buffer_init(&pending, LINE_LIMIT + CHUNK);
    enum sl_status status = SL_OK;
    while (wants_more(collector)) {
        size_t before = pending.length, taken = 0;
        SL_TRY_OUT(read_more(file, collector->file, &pending, err));
        if (pending.length == before) {
            if (pending.length > 0)
                status = take_line(collector, pending.data, pending.length, err);
            break;
        }
        SL_TRY_OUT(take_lines(collector, pending.data, pending.length, &taken, err));
        memmove(pending.data, pending.data + taken, pending.length - taken);
        pending.length -= taken;
    }
out:
    sl_buffer_release(&pending);
    return status;
}

enum sl_status sl_word_vectors_read(const char *path, const char *const *names, size_t n_names,
                                    struct sl_word_vectors *out, struct sl_error *err)
{
    gzFile file = gzopen(path, "rb");
    if (!file) return sl_fail_errno(err, "%s", path);
    struct collector collector;
    enum sl_status status = collector_init(&collector, path, names, n_names, err);
    if (status == SL_OK) status = read_lines(file, &collector, err);
    if (status == SL_OK) status = make_vectors(&collector, out, err);
    collector_release(&collector);
    gzclose(file);
    return status;
}

enum sl_status sl_word_vectors_read_all(const char *path, struct sl_name_table **words,
                                        struct sl_word_vectors *out, struct sl_error *err)
{
    gzFile file = gzopen(path, "rb");
    if (!file) return sl_fail_errno(err, "%s", path);
    struct collector collector = {.file = path, .all = sl_name_table_create()};
    enum sl_status status = read_lines(file, &collector, err);
    if (status == SL_OK && collector.n_rows == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s: no words", path);
    if (status == SL_OK) {
        *out = (struct sl_word_vectors){.n_names = collector.n_rows,
                                        .dimensions = collector.dimensions,
                                        .values = collector.rows};
        *words = collector.all;
        collector.rows = NULL;
        collector.all = NULL;
    }
    collector_release(&collector);
    gzclose(file);
    return status;
}

void sl_word_vectors_release(struct sl_word_vectors *vectors)
{
    free(vectors->values);
    *vectors = (struct sl_word_vectors){0};
}
