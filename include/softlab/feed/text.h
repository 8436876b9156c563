/* Text as networks read it: a sentence as ids of words, the word that is asked about by its place
 * there and as ids of letters.
 *
 * A vocabulary says what ids stand for. Id 0 is any word without a vector, whose own is the mean of
 * all vectors, and any letter that is not in the alphabet. A word is looked up as it is written,
 * then with its ASCII letters small; words are what stands between spaces. Vectors of words are
 * given and stay as they are; those of letters are the model's own draws, by its seed. A model
 * carries its vocabulary into its weights (sl_model_vocabulary), so that it can read other texts.
 */
#ifndef SOFTLAB_FEED_TEXT_H
#define SOFTLAB_FEED_TEXT_H

#include <stddef.h>

#include "softlab/base/declare.h"
#include "softlab/feed.h"

SL_BEGIN_DECLS

struct sl_vocabulary;

/* The set of softlab fetch and its file that texts take their vectors from if nobody names
 * others. */
#define SL_VECTORS_SET  "glove100d"
#define SL_VECTORS_FILE "pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz"

/* Words with their vectors from a file (softlab/base/wordvectors.h), letters and the longest
 * sentence and word from the texts of these sets. Of a file with more than SL_VOCABULARY_WORDS
 * words only those are kept that the sets have. */
enum { SL_VOCABULARY_WORDS = 65536 };
enum sl_status sl_vocabulary_create(const char *vectors, const struct sl_dataset *const *sets,
                                    size_t n_sets, struct sl_vocabulary **out,
                                    struct sl_error *err) SL_MUST_USE;
/* The one that the model carries. SL_ERR_INPUT if it carries none, or one of another model. */
enum sl_status sl_vocabulary_of_model(const struct sl_model *model, struct sl_vocabulary **out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_vocabulary_destroy(struct sl_vocabulary *vocabulary);

struct sl_input_shape sl_vocabulary_shape(const struct sl_vocabulary *vocabulary);

/* The network with its option for the size of a word's vector set to that of the vocabulary's,
 * where it has such an option and does not say; the caller frees it. */
char *sl_vocabulary_network(const struct sl_vocabulary *vocabulary, const char *network);

/* Give a model the vocabulary and, if this one was made from a file, the vectors of its words.
 * SL_ERR_INPUT if the model reads other sizes. */
enum sl_status sl_vocabulary_give(const struct sl_vocabulary *vocabulary, struct sl_model *model,
                                  struct sl_error *err) SL_MUST_USE;

/* A model that computes what `model` does and knows more words: those of the texts that have a
 * vector in the file. SL_ERR_INPUT if the file has another vector for a word that the model knows.
 */
enum sl_status sl_vocabulary_extend(struct sl_model *model, const char *vectors,
                                    const struct sl_dataset *texts, struct sl_model **out,
                                    struct sl_error *err) SL_MUST_USE;

/* Texts with a span that begins with the word in question (a text of one word needs none). Of a
 * sentence longer than the vocabulary's the part around that word is read, of a longer word the
 * beginning. The feed keeps nothing of either. */
enum sl_status sl_feed_text(const struct sl_dataset *dataset,
                            const struct sl_vocabulary *vocabulary, struct sl_feed **out,
                            struct sl_error *err) SL_MUST_USE;

/* What a feed of texts could not read as it is, over the words that are asked about. */
struct sl_text_notes {
    size_t n_items;
    size_t unknown_words;   /* without a vector */
    size_t unknown_letters; /* words with a letter that is not in the alphabet */
    size_t cut;             /* sentences or words longer than the network reads */
};
struct sl_text_notes sl_feed_text_notes(const struct sl_feed *feed);

SL_END_DECLS

#endif
