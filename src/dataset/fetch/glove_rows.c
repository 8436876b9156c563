/* Rows of GloVe from an npm package: a JSON of 300 MB on one line, whose member "vectors" is
 * {"word": [100 numbers, their norm, the word's number], ...}. It is read once from front to back,
 * a row at a time; the numbers are copied as written. */
#include <stdlib.h>
#include <string.h>

#include "base/file/gzip.h"
#include "base/json/scan.h"
#include "dataset/fetch/internal.h"
#include "dataset/readers/reader.h"
#include "dataset/readers/tar.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"

enum { DIMENSIONS = 100, NUMBERS = DIMENSIONS + 2 };
enum { CHUNK = 1 << 16, ROW_BYTES = 1 << 14, TEXT_BYTES = 1 << 28 };

/* ---- The words that are wanted ---- */

struct row {
    size_t begin, length; /* in the text of all rows; length 0: not found */
};

struct words {
    struct sl_name_table *names; /* owned */
    struct row *rows;            /* owned; one for each name, once they are all known */
    struct sl_buffer text;       /* of the rows that were found */
};

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Add the words of a text, with ASCII letters in lower case as in GloVe. */
static enum sl_status want_text(struct words *words, char *text, size_t length,
                                struct sl_error *err)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 'A' && text[i] <= 'Z') text[i] = (char)(text[i] - 'A' + 'a');
    for (size_t begin = 0, end = 0; begin < length; begin = end + 1) {
        uint32_t number = 0;
        for (end = begin; end < length && !is_blank(text[end]);)
            end++;
        if (end > begin)
            SL_TRY(sl_name_table_add(words->names, text + begin, end - begin, &number, err));
    }
    return SL_OK;
}

/* The part of a line that holds the words. */
enum { FIRST_COLUMN, SECOND_COLUMN, WHOLE_LINE };

/* The part of the line that holds words; *length is that of the line before, that of the part
 * after. */
static char *find_column(char *line, size_t *length, int column)
{
    if (column == WHOLE_LINE) return line;
    char *end = line + *length;
    for (int i = 0; i < column; i++) {
        char *tab = memchr(line, '\t', (size_t)(end - line));
        line = tab ? tab + 1 : end;
    }
    const char *tab = memchr(line, '\t', (size_t)(end - line));
    *length = (size_t)((tab ? tab : end) - line);
    return line;
}

static enum sl_status want_file(struct words *words, const char *path, int column,
                                struct sl_error *err)
{
    struct sl_buffer text;
    enum sl_status status = SL_OK;
    sl_buffer_init_data(&text, TEXT_BYTES);
    SL_TRY_OUT(sl_file_read(path, &text, err));
    for (size_t at = 0; at < text.length;) {
        char *line = text.data + at;
        const char *end = memchr(line, '\n', text.length - at);
        size_t length = end ? (size_t)(end - line) : text.length - at;
        at += length + 1;
        line = find_column(line, &length, column);
        SL_TRY_OUT(want_text(words, line, length, err));
    }
out:
    sl_buffer_release(&text);
    return status;
}

static enum sl_status want_classes(struct words *words, struct sl_error *err)
{
    for (size_t i = 0; i < SL_CIFAR_CLASSES; i++) {
        const char *name = sl_cifar_classes[i];
        uint32_t number = 0;
        SL_TRY(sl_name_table_add(words->names, name, strlen(name), &number, err));
    }
    return SL_OK;
}

static void words_init(struct words *words)
{
    *words = (struct words){.names = sl_name_table_create()};
    sl_buffer_init_data(&words->text, TEXT_BYTES);
}

static void words_release(struct words *words)
{
    sl_name_table_destroy(words->names);
    free(words->rows);
    sl_buffer_release(&words->text);
}

/* ---- The package ---- */

struct package {
    struct sl_stream *archive; /* owned */
    struct sl_tar tar;
    size_t at, length; /* within `bytes` */
    uint64_t before;   /* bytes of the file that came before them */
    char bytes[CHUNK];
    struct sl_buffer row;
    struct sl_scan scan;
};

static enum sl_status refuse(const struct package *package, const char *what, struct sl_error *err)
{
    return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: %s", package->tar.entry.name,
                   (unsigned long long)(package->before + package->at), what);
}

static enum sl_status next_byte(struct package *package, char *out, struct sl_error *err)
{
    if (package->at == package->length) {
        package->before += package->length;
        package->at = package->length = 0;
        SL_TRY(sl_stream_read(&package->tar.entry, package->bytes, CHUNK, &package->length, err));
        if (package->length == 0) return refuse(package, "the JSON ends early", err);
    }
    *out = package->bytes[package->at++];
    return SL_OK;
}

static enum sl_status next_visible(struct package *package, char *out, struct sl_error *err)
{
    do
        SL_TRY(next_byte(package, out, err));
    while (is_blank(*out));
    return SL_OK;
}

/* Append bytes to the row, up to the first `last` that is outside a string or ends one. */
static enum sl_status read_to(struct package *package, bool within_string, char last,
                              struct sl_error *err)
{
    char byte = '\0';
    bool escaped = false;
    do {
        SL_TRY(next_byte(package, &byte, err));
        sl_buffer_byte(&package->row, byte);
        if (package->row.overflowed) return refuse(package, "a row is too long", err);
        if (byte == '"' && !escaped) within_string = !within_string;
        escaped = within_string && byte == '\\' && !escaped;
    } while (within_string || byte != last);
    return SL_OK;
}

/* Skip to after the '{' of the top-level member "vectors". */
static enum sl_status find_vectors(struct package *package, struct sl_error *err)
{
    static const char key[] = "vectors\"";
    size_t depth = 0;
    char byte = '\0';
    for (;;) {
        SL_TRY(next_visible(package, &byte, err));
        depth += byte == '{' || byte == '[';
        if ((byte == '}' || byte == ']') && depth-- <= 1)
            return refuse(package, "no member \"vectors\"", err);
        if (byte != '"') continue;
        sl_buffer_clear(&package->row);
        SL_TRY(read_to(package, true, '"', err));
        if (depth != 1 || package->row.length != sizeof key - 1 ||
            memcmp(package->row.data, key, sizeof key - 1) != 0)
            continue;
        SL_TRY(next_visible(package, &byte, err));
        if (byte != ':') continue;
        SL_TRY(next_visible(package, &byte, err));
        return byte == '{' ? SL_OK : refuse(package, "\"vectors\" is not an object", err);
    }
}

/* Copy the numbers of a row after its word, as written. */
static bool keep_numbers(struct sl_scan *scan, struct sl_buffer *out)
{
    struct sl_scan_number number;
    if (!sl_scan_take(scan, ':') || !sl_scan_take(scan, '[')) return false;
    for (size_t i = 0; i < NUMBERS; i++) {
        if (i > 0 && !sl_scan_take(scan, ',')) return false;
        sl_scan_peek(scan);
        const char *begin = scan->at;
        if (!sl_scan_number(scan, &number)) return false;
        if (i >= DIMENSIONS) continue;
        sl_buffer_byte(out, ' ');
        sl_buffer_append(out, begin, (size_t)(scan->at - begin));
    }
    return sl_scan_take(scan, ']') && sl_scan_finish(scan);
}

/* Keep the row that was read if its word is wanted. */
static enum sl_status take_row(struct package *package, struct words *words, struct sl_error *err)
{
    static const char padding[1 + SL_SCAN_PADDING] = "\n";
    const size_t length = package->row.length;
    struct sl_field word;
    sl_buffer_append(&package->row, padding, sizeof padding);
    SL_TRY(sl_buffer_check(&package->row, "a row", err));
    sl_scan_start(&package->scan, package->row.data, length);
    if (!sl_scan_string(&package->scan, &word))
        return refuse(package, "the word is not a JSON string", err);
    const uint32_t index = sl_name_table_find(words->names, word.text, word.length);
    if (index == SL_NO_NAME || words->rows[index].length) return SL_OK;
    const size_t begin = words->text.length;
    sl_buffer_append(&words->text, word.text, word.length);
    if (!keep_numbers(&package->scan, &words->text))
        return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: expected \"%.*s\" to have %d numbers",
                       package->tar.entry.name, (unsigned long long)(package->before + package->at),
                       (int)word.length, word.text, NUMBERS);
    sl_buffer_byte(&words->text, '\n');
    words->rows[index] = (struct row){begin, words->text.length - begin};
    return sl_buffer_check(&words->text, "the rows of words", err);
}

static enum sl_status read_rows(struct package *package, struct words *words, struct sl_error *err)
{
    char byte = '\0';
    SL_TRY(find_vectors(package, err));
    for (;;) {
        SL_TRY(next_visible(package, &byte, err));
        if (byte == '}') return SL_OK;
        if (byte == ',') continue;
        if (byte != '"') return refuse(package, "expected a word in quotes", err);
        sl_buffer_clear(&package->row);
        sl_buffer_byte(&package->row, byte);
        SL_TRY(read_to(package, true, ']', err));
        SL_TRY(take_row(package, words, err));
    }
}

/* Open the package's only file with vectors. */
static enum sl_status open_json(struct package *package, const char *path, struct sl_error *err)
{
    bool found = false;
    sl_tar_init(&package->tar, package->archive);
    do {
        SL_TRY(sl_tar_next(&package->tar, &found, err));
        if (!found) return sl_fail(err, SL_ERR_INPUT, "%s: no file of word vectors", path);
    } while (!sl_path_has_suffix(package->tar.path, "-100d.json"));
    return SL_OK;
}

/* The rows of the wanted words that the package has. */
static enum sl_status find_rows(const char *path, struct words *words, struct sl_error *err)
{
    struct package *package = sl_alloc(1, sizeof *package);
    enum sl_status status = SL_OK;
    sl_buffer_init(&package->row, ROW_BYTES);
    words->rows = sl_data_zeroed(sl_name_table_count(words->names), sizeof *words->rows, err);
    SL_TRY_OUT(words->rows ? SL_OK : SL_ERR_NOMEM);
    SL_TRY_OUT(sl_file_stream_open(path, &package->archive, err));
    SL_TRY_OUT(open_json(package, path, err));
    SL_TRY_OUT(read_rows(package, words, err));
out:
    if (package->archive) sl_file_stream_close(package->archive);
    sl_scan_release(&package->scan);
    sl_buffer_release(&package->row);
    free(package);
    return status;
}

/* ---- Files ---- */

struct found {
    const char *word; /* borrowed */
    struct row row;
};

static int compare_words(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->word, ((const struct found *)b)->word);
}

/* The rows in the order of their words' bytes. */
static enum sl_status sort_rows(const struct words *words, struct sl_buffer *out,
                                struct sl_error *err)
{
    const size_t most = sl_name_table_count(words->names);
    struct found *all = sl_data_alloc(most, sizeof *all, err);
    if (!all) return SL_ERR_NOMEM;
    size_t count = 0;
    for (uint32_t i = 0; i < most; i++)
        if (words->rows[i].length)
            all[count++] = (struct found){sl_name_table_get(words->names, i, NULL), words->rows[i]};
    qsort(all, count, sizeof *all, compare_words);
    for (size_t i = 0; i < count; i++)
        sl_buffer_append(out, words->text.data + all[i].row.begin, all[i].row.length);
    free(all);
    return sl_buffer_check(out, "the rows of words", err);
}

enum sl_status sl_make_class_vectors(const struct sl_fetch_making *making, struct sl_error *err)
{
    struct words words;
    struct sl_buffer sorted;
    enum sl_status status = SL_OK;
    words_init(&words);
    sl_buffer_init_data(&sorted, TEXT_BYTES);
    SL_TRY_OUT(want_classes(&words, err));
    SL_TRY_OUT(find_rows(making->from, &words, err));
    for (size_t i = 0; i < SL_CIFAR_CLASSES; i++)
        if (!words.rows[i].length)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: no row for the class \"%s\"", making->from,
                               sl_cifar_classes[i]));
    SL_TRY_OUT(sort_rows(&words, &sorted, err));
    SL_TRY_OUT(sl_file_write(making->to, sorted.data, sorted.length, err));
out:
    sl_buffer_release(&sorted);
    words_release(&words);
    return status;
}

static enum sl_status want_all(struct words *words, const struct sl_fetch_making *making,
                               struct sl_error *err)
{
    enum { POS, SENTIMENT };
    static const struct {
        size_t needed;
        const char *file;
        int column;
    } texts[] = {
        {POS, "gimpel_crowdsourced-tf.tsv", SECOND_COLUMN},
        {POS, "lowlands.test.tsv", FIRST_COLUMN},
        {POS, "annotation-all.txt", FIRST_COLUMN},
        {SENTIMENT, "Sentiment_text_train.txt", WHOLE_LINE},
        {SENTIMENT, "Sentiment_text_test.txt", WHOLE_LINE},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *path = sl_path_join(making->needed[texts[i].needed], texts[i].file);
        const enum sl_status status = want_file(words, path, texts[i].column, err);
        free(path);
        SL_TRY(status);
    }
    char labelme[] = "coast forest highway mountain street"; /* its classes that are one word */
    SL_TRY(want_text(words, labelme, sizeof labelme - 1, err));
    return want_classes(words, err);
}

enum sl_status sl_make_text_vectors(const struct sl_fetch_making *making, struct sl_error *err)
{
    struct words words;
    struct sl_buffer sorted;
    char *name = sl_string_copy_n(making->name, strlen(making->name) - strlen(".gz"));
    enum sl_status status = SL_OK;
    words_init(&words);
    sl_buffer_init_data(&sorted, TEXT_BYTES);
    SL_TRY_OUT(want_all(&words, making, err));
    SL_TRY_OUT(find_rows(making->from, &words, err));
    SL_TRY_OUT(sort_rows(&words, &sorted, err));
    if (sorted.length == 0)
        SL_TRY_OUT(
            sl_fail(err, SL_ERR_INPUT, "%s: no row for any word of the texts", making->from));
    SL_TRY_OUT(sl_gzip_write(making->to, name, sorted.data, sorted.length, err));
out:
    free(name);
    sl_buffer_release(&sorted);
    words_release(&words);
    return status;
}
