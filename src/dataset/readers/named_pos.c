/* Part-of-speech tags: an item is a word of a tweet, its text the whole tweet.
 *
 * Three tab-separated files without headers list the words, one per line.
 * gimpel_crowdsourced-tf.tsv (Hovy et al. 2014: id, word, the crowd's tags, gold) is split after
 * 13,000 words, where the training set of dh.tsv (Fornaciari et al. 2021) ends; the other two are
 * their test files. Items of the first file have its ids, as the answers do. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/named.h"
#include "dataset/readers/reader.h"
#include "softlab/base/buffer.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { NO_COLUMN = -1, N_TRAIN = 13000, SENTENCE_LIMIT = 1 << 20 };

/* Sorted, as in `softlab import`. */
static const char *const tags[] = {".",    "ADJ", "ADP",  "ADV", "CONJ", "DET",
                                   "NOUN", "NUM", "PRON", "PRT", "VERB", "X"};
enum { N_TAGS = sizeof tags / sizeof *tags };

static const struct part {
    const char *split, *file;
    size_t n_columns;
    ptrdiff_t id, word, gold;
    size_t first, end; /* words of the file */
    size_t step;       /* lines from a word to the next of its sentence, at most */
} parts[] = {
    {"test", "lowlands.test.tsv", 2, NO_COLUMN, 0, 1, 0, SIZE_MAX, 1},
    {"train", "gimpel_crowdsourced-tf.tsv", 4, 0, 1, 3, 0, N_TRAIN, 2},
    {"dev", "gimpel_crowdsourced-tf.tsv", 4, 0, 1, 3, N_TRAIN, SIZE_MAX, 2},
    {"soft-test", "annotation-all.txt", 3, NO_COLUMN, 0, NO_COLUMN, 0, SIZE_MAX, 1},
};
enum { N_PARTS = sizeof parts / sizeof *parts };

struct token {
    char *word, *id; /* owned */
    int32_t tag;
    bool begins; /* a sentence */
};

struct tokens {
    struct token *all; /* owned */
    size_t count, capacity;
    char **others; /* owned; ids of the file's other words */
    size_t n_others;
};

static void release(struct tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        free(tokens->all[i].word);
        free(tokens->all[i].id);
    }
    free(tokens->all);
    sl_strings_destroy(tokens->others, tokens->n_others);
}

static char *copy_field(struct sl_field field)
{
    return sl_string_copy_n(field.text, field.length);
}

/* The crowd's answers also name these words. */
static enum sl_status add_other(struct tokens *tokens, struct sl_field id, struct sl_error *err)
{
    const size_t n = tokens->n_others;
    if ((n & (n - 1)) == 0) {
        char **grown = sl_data_resize(tokens->others, n ? 2 * n : 1, sizeof *grown, err);
        if (!grown) return SL_ERR_NOMEM;
        tokens->others = grown;
    }
    tokens->others[tokens->n_others++] = copy_field(id);
    return SL_OK;
}

static enum sl_status find_tag(const struct sl_csv *csv, size_t line, struct sl_field name,
                               int32_t *out, struct sl_error *err)
{
    for (size_t k = 0; k < N_TAGS; k++)
        if (strlen(tags[k]) == name.length && memcmp(tags[k], name.text, name.length) == 0) {
            *out = (int32_t)k;
            return SL_OK;
        }
    return sl_csv_fail(csv, line, err, "\"%.*s\" is not one of the 12 universal tags",
                       (int)(name.length < 40 ? name.length : 40), name.text);
}

static enum sl_status add_token(const struct sl_csv *csv, const struct sl_csv_record *record,
                                const struct part *part, bool begins, struct tokens *tokens,
                                struct sl_error *err)
{
    const struct sl_field word = record->fields[part->word];
    int32_t tag = SL_NO_LABEL;
    if (sl_utf8_valid(word.text, word.length) != word.length)
        return sl_csv_fail(csv, record->line, err, "the word is not UTF-8");
    if (memchr(word.text, ' ', word.length))
        return sl_csv_fail(csv, record->line, err, "the word contains a space");
    if (part->gold != NO_COLUMN)
        SL_TRY(find_tag(csv, record->line, record->fields[part->gold], &tag, err));
    if (tokens->count == tokens->capacity) {
        const size_t capacity = tokens->capacity ? tokens->capacity * 2 : 1024;
        struct token *grown = sl_data_resize(tokens->all, capacity, sizeof *grown, err);
        if (!grown) return SL_ERR_NOMEM;
        tokens->all = grown;
        tokens->capacity = capacity;
    }
    char *id = part->id == NO_COLUMN ? sl_string_printf("%s/%zu", part->split, tokens->count)
                                     : copy_field(record->fields[part->id]);
    tokens->all[tokens->count++] =
        (struct token){.word = copy_field(word), .id = id, .tag = tag, .begins = begins};
    return SL_OK;
}

/* A sentence ends at a blank line or one of empty fields; if a blank line follows every word, at
 * two of them. */
static enum sl_status read_tokens(struct sl_csv *csv, const struct part *part,
                                  struct tokens *tokens, struct sl_error *err)
{
    bool begins = true;
    for (size_t place = 0, line = 0;;) {
        struct sl_csv_record record = {0};
        SL_TRY(sl_csv_next(csv, &record, err));
        if (record.count == 0) return SL_OK;
        if (record.count != part->n_columns)
            return sl_csv_fail(csv, record.line, err, "expected %zu columns, got %zu",
                               part->n_columns, record.count);
        if (record.line > line + part->step) begins = true;
        line = record.line;
        if (record.fields[part->word].length == 0) {
            begins = true;
            continue;
        }
        if (place >= part->first && place < part->end)
            SL_TRY(add_token(csv, &record, part, begins, tokens, err));
        else
            SL_TRY(add_other(tokens, record.fields[part->id], err));
        begins = false;
        place++;
    }
}

static size_t sentence_end(const struct tokens *tokens, size_t first)
{
    size_t end = first + 1;
    while (end < tokens->count && !tokens->all[end].begins)
        end++;
    return end;
}

/* Items of the words [first, end), which are one sentence. */
static enum sl_status put_sentence(struct sl_dataset *dataset, struct tokens *tokens, size_t first,
                                   size_t end, struct sl_error *err)
{
    struct sl_buffer text;
    sl_buffer_init_data(&text, SENTENCE_LIMIT);
    for (size_t i = first; i < end; i++) {
        if (i > first) sl_buffer_byte(&text, ' ');
        dataset->spans[i].begin = text.length;
        sl_buffer_text(&text, tokens->all[i].word);
        dataset->spans[i].end = text.length;
    }
    const enum sl_status status = sl_buffer_check(&text, "a sentence", err);
    for (size_t i = first; i < end && status == SL_OK; i++) {
        dataset->texts[i] = sl_string_copy(text.data);
        dataset->labels[i] = tokens->all[i].tag;
        dataset->items[i] = tokens->all[i].id;
        tokens->all[i].id = NULL;
    }
    sl_buffer_release(&text);
    return status;
}

static enum sl_status build(const char *path, struct tokens *tokens, struct sl_dataset **out,
                            struct sl_error *err)
{
    if (tokens->count == 0) return sl_fail(err, SL_ERR_INPUT, "%s: no words", path);
    struct sl_dataset *dataset = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dataset_create(path, tokens->count, &dataset, err));
    sl_dataset_name_classes(dataset, tags, N_TAGS);
    dataset->texts = sl_data_zeroed(tokens->count, sizeof *dataset->texts, err);
    dataset->spans = sl_data_zeroed(tokens->count, sizeof *dataset->spans, err);
    SL_TRY_OUT(dataset->texts && dataset->spans ? SL_OK : SL_ERR_NOMEM);
    for (size_t first = 0, end = 0; first < tokens->count; first = end) {
        end = sentence_end(tokens, first);
        SL_TRY_OUT(put_sentence(dataset, tokens, first, end, err));
    }
    SL_TRY_OUT(sl_check_unique(dataset->items, dataset->count, path, "id", err));
    dataset->siblings = tokens->others;
    dataset->n_siblings = tokens->n_others;
    tokens->others = NULL;
    tokens->n_others = 0;
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}

static enum sl_status open_part(const char *path, const struct part *part, struct sl_dataset **out,
                                struct sl_error *err)
{
    struct sl_csv_options options = sl_csv_options_default();
    options.delimiter = '\t';
    options.header = options.quoting = options.fixed_width = false;
    struct sl_csv *csv = NULL;
    struct tokens tokens = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_csv_open(path, &options, &csv, err));
    SL_TRY_OUT(read_tokens(csv, part, &tokens, err));
    SL_TRY_OUT(build(path, &tokens, out, err));
out:
    release(&tokens);
    sl_csv_close(csv);
    return status;
}

enum sl_status sl_open_pos(const char *split, const struct sl_data_roots *roots,
                           struct sl_dataset **out, struct sl_error *err)
{
    const char *names[N_PARTS + 1] = {NULL};
    for (size_t i = 0; i < N_PARTS; i++)
        names[i] = parts[i].split;
    size_t chosen = 0;
    char *folder = NULL;
    SL_TRY(sl_choose(names, split, "pos", &chosen, err));
    SL_TRY(sl_fetch_locate("pos", roots, &folder, err));
    char *path = sl_path_join(folder, parts[chosen].file);
    const enum sl_status status = open_part(path, &parts[chosen], out, err);
    free(path);
    free(folder);
    return status;
}
