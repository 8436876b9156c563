/* Text as networks read it: a sentence as ids of words, and the target word (the word to label) by
 * its position and as ids of letters.
 *
 * A vocabulary maps words and letters to ids. Id 0 is any word without a vector, which gets the
 * mean of all vectors, and any letter outside the alphabet. Words are separated by spaces; a word
 * is looked up as written, then with its ASCII letters in lower case. Word vectors are given and
 * not trained; letter vectors are drawn by the model's seed. A model saves its vocabulary with its
 * weights (sl_model_vocabulary), so that it can read other texts. */
#ifndef SOFTLAB_FEED_TEXT_H
#define SOFTLAB_FEED_TEXT_H

#include <stddef.h>

#include "softlab/base/declare.h"
#include "softlab/feed.h"

SL_BEGIN_DECLS

struct sl_vocabulary;

/* The default word vectors: a set of `softlab fetch`, and the file in it. */
#define SL_VECTORS_SET  "glove100d"
#define SL_VECTORS_FILE "pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz"

/* Take words and vectors from a file (softlab/base/wordvectors.h); letters and the lengths of the
 * longest sentence and word from the texts of these sets. If the file has more than
 * SL_VOCABULARY_WORDS words, only those that occur in the sets are kept. */
enum { SL_VOCABULARY_WORDS = 65536 };
enum sl_status sl_vocabulary_create(const char *vectors, const struct sl_dataset *const *sets,
                                    size_t n_sets, struct sl_vocabulary **out,
                                    struct sl_error *err) SL_MUST_USE;
/* The vocabulary of a model. SL_ERR_INPUT if it has none, or one that does not fit it. */
enum sl_status sl_vocabulary_of_model(const struct sl_model *model, struct sl_vocabulary **out,
                                      struct sl_error *err) SL_MUST_USE;
void sl_vocabulary_destroy(struct sl_vocabulary *vocabulary);

struct sl_input_shape sl_vocabulary_shape(const struct sl_vocabulary *vocabulary);

/* The network with its option for the vector size set to the vocabulary's, if it has that option
 * and the caller did not set it; the caller frees the text. */
char *sl_vocabulary_network(const struct sl_vocabulary *vocabulary, const char *network);

/* Give a model the vocabulary and, if it was made from a file, its word vectors. SL_ERR_INPUT if
 * the sizes do not fit. */
enum sl_status sl_vocabulary_give(const struct sl_vocabulary *vocabulary, struct sl_model *model,
                                  struct sl_error *err) SL_MUST_USE;

/* A copy of `model` that also knows the words of the texts that have a vector in the file.
 * SL_ERR_INPUT if the file has a different vector for a word that the model knows. */
enum sl_status sl_vocabulary_extend(struct sl_model *model, const char *vectors,
                                    const struct sl_dataset *texts, struct sl_model **out,
                                    struct sl_error *err) SL_MUST_USE;

/* A feed of texts, each with a span that begins at its target word (a text of one word needs none).
 * A sentence longer than the vocabulary's is cut to the part around that word, a longer word to its
 * beginning. The feed keeps no reference to either argument. */
enum sl_status sl_feed_text(const struct sl_dataset *dataset,
                            const struct sl_vocabulary *vocabulary, struct sl_feed **out,
                            struct sl_error *err) SL_MUST_USE;

/* What a feed of texts could not read exactly, counted over target words. */
struct sl_text_notes {
    size_t n_items;
    size_t unknown_words;   /* without a vector */
    size_t unknown_letters; /* words with a letter that is not in the alphabet */
    size_t cut;             /* sentences or words longer than the network reads */
};
struct sl_text_notes sl_feed_text_notes(const struct sl_feed *feed);

SL_END_DECLS

#endif
