/* The feed of texts. It looks up the ids of all items once, so that filling a batch only copies. */
#include "softlab/feed/text.h"

#include <stdlib.h>
#include <string.h>

#include "feed/feed_internal.h"
#include "feed/vocabulary.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct sl_feed_text {
    int32_t *words;      /* owned; (count, tokens) */
    int32_t *letters;    /* owned; (count, letters) */
    int32_t (*sizes)[3]; /* owned; (count): number of words, position of the target word, its number
                            of letters */
    struct sl_text_notes notes;
};
enum { WORDS, POSITION, LETTERS };

static size_t n_integers(const struct sl_feed *feed)
{
    return feed->shape.tokens + feed->shape.letters + 3;
}

/* Parts lie one after another, each with room for all items of the batch. */
static struct parts {
    int32_t *words, *letters, *sizes[3];
} parts_of(const struct sl_feed *feed, const struct sl_feed_batch *batch)
{
    struct parts parts = {.words = batch->integers};
    parts.letters = parts.words + batch->capacity * feed->shape.tokens;
    parts.sizes[0] = parts.letters + batch->capacity * feed->shape.letters;
    parts.sizes[1] = parts.sizes[0] + batch->capacity;
    parts.sizes[2] = parts.sizes[1] + batch->capacity;
    return parts;
}

static void lay_out(const struct sl_feed *feed, struct sl_feed_batch *batch)
{
    const struct parts parts = parts_of(feed, batch);
    batch->view = (struct sl_batch){.words = parts.words,
                                    .word_counts = parts.sizes[WORDS],
                                    .positions = parts.sizes[POSITION],
                                    .letters = parts.letters,
                                    .letter_counts = parts.sizes[LETTERS]};
}

static void fill(const struct sl_feed *feed, size_t item, const struct sl_augment *augment,
                 uint64_t epoch, const struct sl_feed_place *at)
{
    (void)augment, (void)epoch;
    const struct sl_feed_text *text = feed->text;
    const size_t tokens = feed->shape.tokens, letters = feed->shape.letters, place = at->place;
    const struct parts parts = parts_of(feed, at->batch);
    memcpy(parts.words + place * tokens, text->words + item * tokens, tokens * sizeof *parts.words);
    memcpy(parts.letters + place * letters, text->letters + item * letters,
           letters * sizeof *parts.letters);
    for (size_t i = 0; i < 3; i++)
        parts.sizes[i][place] = text->sizes[item][i];
}

static void release(struct sl_feed *feed)
{
    if (!feed->text) return;
    free(feed->text->words);
    free(feed->text->letters);
    free(feed->text->sizes);
    free(feed->text);
}

static const struct sl_feed_kind text_kind = {
    .n_integers = n_integers, .lay_out = lay_out, .fill = fill, .release = release};

/* ---- Reading texts ---- */

/* Find the word in which the item's span begins, and count the words. */
static enum sl_status find_word(const struct sl_dataset *dataset, size_t item, size_t *position,
                                size_t *n_words, struct sl_span *out, struct sl_error *err)
{
    const char *text = dataset->texts[item];
    const struct sl_span none = {0}, span = dataset->spans ? dataset->spans[item] : none;
    const bool whole = span.begin == span.end;
    struct sl_span word;
    bool found = false;
    size_t count = 0;
    for (size_t at = 0; sl_vocabulary_next(text, &at, &word); count++) {
        if (found || !(whole || (word.begin <= span.begin && span.begin < word.end))) continue;
        found = true;
        *position = count;
        *out = word;
    }
    *n_words = count;
    if (whole && count > 1)
        return sl_fail(
            err, SL_ERR_INPUT,
            "%s: item %s has %zu words and no span: give \"start\" and \"end\" of the target word",
            dataset->name, dataset->items[item], count);
    if (!found)
        return sl_fail(err, SL_ERR_INPUT, "%s: item %s: no word begins at the start of its span",
                       dataset->name, dataset->items[item]);
    return SL_OK;
}

static void put_words(const struct sl_vocabulary *vocabulary, const char *text, size_t n_words,
                      size_t position, struct sl_feed_text *to, size_t item)
{
    const size_t tokens = vocabulary->tokens;
    size_t first = position > tokens / 2 ? position - tokens / 2 : 0;
    if (n_words <= tokens)
        first = 0;
    else if (first + tokens > n_words)
        first = n_words - tokens;
    size_t at = 0, count = 0;
    struct sl_span word;
    for (size_t i = 0; i < first + tokens && sl_vocabulary_next(text, &at, &word); i++)
        if (i >= first)
            to->words[item * tokens + count++] =
                sl_vocabulary_word(vocabulary, text + word.begin, word.end - word.begin);
    to->sizes[item][WORDS] = (int32_t)count;
    to->sizes[item][POSITION] = (int32_t)(position - first);
}

static void put_letters(const struct sl_vocabulary *vocabulary, const char *text,
                        struct sl_span word, struct sl_feed_text *to, size_t item)
{
    size_t count = 0, at = word.begin;
    bool unknown = false;
    while (at < word.end && count < vocabulary->letters) {
        uint32_t letter = 0;
        at += sl_utf8_decode(text + at, word.end - at, &letter);
        const int32_t id = sl_vocabulary_letter(vocabulary, letter);
        to->letters[item * vocabulary->letters + count++] = id;
        unknown = unknown || id == 0;
    }
    to->sizes[item][LETTERS] = (int32_t)count;
    to->notes.unknown_letters += unknown;
    to->notes.cut += at < word.end;
}

static enum sl_status put_item(const struct sl_dataset *dataset,
                               const struct sl_vocabulary *vocabulary, size_t item,
                               struct sl_feed_text *to, struct sl_error *err)
{
    const char *text = dataset->texts[item];
    size_t position = 0, n_words = 0;
    struct sl_span word = {0};
    if (sl_utf8_valid(text, strlen(text)) != strlen(text))
        return sl_fail(err, SL_ERR_INPUT, "%s: the text of item %s is not UTF-8", dataset->name,
                       dataset->items[item]);
    SL_TRY(find_word(dataset, item, &position, &n_words, &word, err));
    put_words(vocabulary, text, n_words, position, to, item);
    put_letters(vocabulary, text, word, to, item);
    to->notes.cut += n_words > vocabulary->tokens;
    to->notes.unknown_words +=
        sl_vocabulary_word(vocabulary, text + word.begin, word.end - word.begin) == 0;
    return SL_OK;
}

enum sl_status sl_feed_text(const struct sl_dataset *dataset,
                            const struct sl_vocabulary *vocabulary, struct sl_feed **out,
                            struct sl_error *err)
{
    if (sl_dataset_kind_of(dataset) != SL_DATASET_TEXTS)
        return sl_fail(err, SL_ERR_INPUT, "%s has no texts", dataset->name);
    const size_t n = dataset->count, tokens = vocabulary->tokens, letters = vocabulary->letters;
    struct sl_feed *feed = sl_alloc(1, sizeof *feed);
    struct sl_feed_text *text = sl_alloc(1, sizeof *text);
    enum sl_status status = SL_ERR_NOMEM;
    *feed = (struct sl_feed){
        .kind = &text_kind, .count = n, .shape = sl_vocabulary_shape(vocabulary), .text = text};
    text->notes.n_items = n;
    text->words = sl_data_alloc(n, tokens * sizeof *text->words, err);
    text->letters = sl_data_alloc(n, letters * sizeof *text->letters, err);
    text->sizes = sl_data_alloc(n, sizeof *text->sizes, err);
    if (!text->words || !text->letters || !text->sizes) goto out;
    memset(text->words, 0, n * tokens * sizeof *text->words);
    memset(text->letters, 0, n * letters * sizeof *text->letters);
    for (size_t i = 0; i < n; i++)
        SL_TRY_OUT(put_item(dataset, vocabulary, i, text, err));
    *out = feed;
    return SL_OK;
out:
    sl_feed_destroy(feed);
    return status;
}

struct sl_text_notes sl_feed_text_notes(const struct sl_feed *feed)
{
    return feed->text ? feed->text->notes : (struct sl_text_notes){0};
}
