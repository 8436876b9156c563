#include "feed/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/base/wordvectors.h"

enum { LONGEST_SENTENCE = 1024, LONGEST_WORD = 64, SHORTEST_WORD = 2, LOOKED_UP = 256 };

/* ---- Looking up ---- */

static bool is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

bool sl_vocabulary_next(const char *text, size_t *at, struct sl_span *out)
{
    size_t begin = *at;
    while (is_space(text[begin]))
        begin++;
    size_t end = begin;
    while (text[end] && !is_space(text[end]))
        end++;
    *at = end;
    *out = (struct sl_span){begin, end};
    return end > begin;
}

uint32_t sl_vocabulary_find(const struct sl_name_table *words, const char *text, size_t length)
{
    char small[LOOKED_UP];
    const uint32_t found = sl_name_table_find(words, text, length);
    if (found != SL_NO_NAME || length > sizeof small) return found;
    for (size_t i = 0; i < length; i++)
        small[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    return sl_name_table_find(words, small, length);
}

int32_t sl_vocabulary_word(const struct sl_vocabulary *vocabulary, const char *text, size_t length)
{
    const uint32_t found = sl_vocabulary_find(vocabulary->words, text, length);
    return found == SL_NO_NAME ? 0 : (int32_t)found + 1;
}

static int compare_letters(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

int32_t sl_vocabulary_letter(const struct sl_vocabulary *vocabulary, uint32_t code_point)
{
    const uint32_t *found = bsearch(&code_point, vocabulary->alphabet, vocabulary->n_letters,
                                    sizeof *vocabulary->alphabet, compare_letters);
    return found ? (int32_t)(found - vocabulary->alphabet) + 1 : 0;
}

/* ---- Making ---- */

void sl_vocabulary_destroy(struct sl_vocabulary *vocabulary)
{
    if (!vocabulary) return;
    sl_name_table_destroy(vocabulary->words);
    free(vocabulary->alphabet);
    free(vocabulary->vectors);
    free(vocabulary);
}

static void add_letter(struct sl_vocabulary *vocabulary, uint32_t letter)
{
    size_t at = 0;
    while (at < vocabulary->n_letters && vocabulary->alphabet[at] < letter)
        at++;
    if (at < vocabulary->n_letters && vocabulary->alphabet[at] == letter) return;
    vocabulary->alphabet =
        sl_resize(vocabulary->alphabet, vocabulary->n_letters + 1, sizeof *vocabulary->alphabet);
    memmove(vocabulary->alphabet + at + 1, vocabulary->alphabet + at,
            (vocabulary->n_letters - at) * sizeof *vocabulary->alphabet);
    vocabulary->alphabet[at] = letter;
    vocabulary->n_letters++;
}

/* Note the letters of a target word; returns how many it has. */
static size_t note_letters(struct sl_vocabulary *vocabulary, const char *text, struct sl_span word)
{
    size_t count = 0;
    for (size_t at = word.begin; at < word.end; count++) {
        uint32_t letter = 0;
        at += sl_utf8_decode(text + at, word.end - at, &letter);
        add_letter(vocabulary, letter);
    }
    return count;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Note letters and lengths of the texts of a set. A set repeats a sentence once per word, in
 * consecutive items; it is read once. */
static enum sl_status note_texts(struct sl_vocabulary *vocabulary, const struct sl_dataset *set,
                                 struct sl_error *err)
{
    if (sl_dataset_kind_of(set) != SL_DATASET_TEXTS)
        return sl_fail(err, SL_ERR_INPUT, "%s has no texts", set->name);
    for (size_t i = 0; i < set->count; i++) {
        const char *text = set->texts[i];
        if (i > 0 && strcmp(text, set->texts[i - 1]) == 0) continue;
        if (sl_utf8_valid(text, strlen(text)) != strlen(text))
            return sl_fail(err, SL_ERR_INPUT, "%s: the text of item %s is not UTF-8", set->name,
                           set->items[i]);
        struct sl_span word;
        size_t n_words = 0;
        for (size_t at = 0; sl_vocabulary_next(text, &at, &word); n_words++) {
            const size_t length = smaller(note_letters(vocabulary, text, word), LONGEST_WORD);
            if (length > vocabulary->letters) vocabulary->letters = length;
        }
        if (smaller(n_words, LONGEST_SENTENCE) > vocabulary->tokens)
            vocabulary->tokens = smaller(n_words, LONGEST_SENTENCE);
    }
    return SL_OK;
}

/* Mark the words of a vector file that occur in the sets. */
static bool *find_used(const struct sl_name_table *words, const struct sl_dataset *const *sets,
                       size_t n_sets, struct sl_error *err)
{
    bool *used = sl_data_zeroed(sl_name_table_count(words), sizeof *used, err);
    for (size_t s = 0; used && s < n_sets; s++)
        for (size_t i = 0; i < sets[s]->count; i++) {
            const char *text = sets[s]->texts[i];
            struct sl_span word;
            for (size_t at = 0; sl_vocabulary_next(text, &at, &word);) {
                const uint32_t found =
                    sl_vocabulary_find(words, text + word.begin, word.end - word.begin);
                if (found != SL_NO_NAME) used[found] = true;
            }
        }
    return used;
}

static enum sl_status keep_words(struct sl_vocabulary *vocabulary,
                                 const struct sl_name_table *words,
                                 const struct sl_word_vectors *rows, const bool *used,
                                 struct sl_error *err)
{
    const size_t width = rows->dimensions;
    vocabulary->vectors =
        sl_data_alloc(rows->n_names + 1, width * sizeof *vocabulary->vectors, err);
    if (!vocabulary->vectors) return SL_ERR_NOMEM;
    for (size_t d = 0; d < width; d++) {
        double sum = 0;
        for (size_t i = 0; i < rows->n_names; i++)
            sum += (double)rows->values[i * width + d];
        vocabulary->vectors[d] = (float)(sum / (double)rows->n_names);
    }
    vocabulary->dimensions = width;
    for (uint32_t i = 0; i < rows->n_names; i++) {
        uint32_t index = 0;
        size_t length = 0;
        if (used && !used[i]) continue;
        const char *word = sl_name_table_get(words, i, &length);
        SL_TRY(sl_name_table_add(vocabulary->words, word, length, &index, err));
        memcpy(vocabulary->vectors + (index + 1) * width, rows->values + i * width,
               width * sizeof *rows->values);
    }
    return SL_OK;
}

enum sl_status sl_vocabulary_create(const char *vectors, const struct sl_dataset *const *sets,
                                    size_t n_sets, struct sl_vocabulary **out, struct sl_error *err)
{
    struct sl_vocabulary *vocabulary = sl_alloc(1, sizeof *vocabulary);
    struct sl_name_table *words = NULL;
    struct sl_word_vectors rows = {0};
    bool *used = NULL;
    enum sl_status status = SL_OK;
    vocabulary->words = sl_name_table_create();
    vocabulary->letters = SHORTEST_WORD;
    for (size_t s = 0; s < n_sets; s++)
        SL_TRY_OUT(note_texts(vocabulary, sets[s], err));
    if (vocabulary->tokens == 0) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: the texts have no words", sets[0]->name);
        goto out;
    }
    SL_TRY_OUT(sl_word_vectors_read_all(vectors, &words, &rows, err));
    if (rows.n_names > SL_VOCABULARY_WORDS) {
        used = find_used(words, sets, n_sets, err);
        SL_TRY_OUT(used ? SL_OK : SL_ERR_NOMEM);
    }
    SL_TRY_OUT(keep_words(vocabulary, words, &rows, used, err));
    *out = vocabulary;
    vocabulary = NULL;
out:
    free(used);
    sl_word_vectors_release(&rows);
    sl_name_table_destroy(words);
    sl_vocabulary_destroy(vocabulary);
    return status;
}

struct sl_input_shape sl_vocabulary_shape(const struct sl_vocabulary *vocabulary)
{
    return (struct sl_input_shape){.tokens = vocabulary->tokens,
                                   .letters = vocabulary->letters,
                                   .vocabulary = sl_name_table_count(vocabulary->words) + 1,
                                   .alphabet = vocabulary->n_letters + 1};
}
