/* Word vectors: the lines "word v1 ... vD" of a GloVe text file, plain or gzipped, for the words of
 * a class list or for all words. */
#ifndef SOFTLAB_BASE_WORDVECTORS_H
#define SOFTLAB_BASE_WORDVECTORS_H

#include <stddef.h>

#include "softlab/base/error.h"
#include "softlab/base/names.h"

SL_BEGIN_DECLS

struct sl_word_vectors {
    size_t n_names, dimensions;
    float *values; /* owned; (n_names, dimensions) */
};

/* Read a vector for each name. Names are lower-cased (ASCII) and split at spaces, '_', '-' and '/';
 * a name of several words gets the mean of their vectors. A first line "count dimensions", as
 * word2vec writes it, is skipped; if a word has several lines, the first counts. SL_ERR_INPUT names
 * the file and the line, or the words that were not found. */
enum sl_status sl_word_vectors_read(const char *path, const char *const *names, size_t n_names,
                                    struct sl_word_vectors *out, struct sl_error *err) SL_MUST_USE;
/* The same from bytes in memory, not gzipped, called `name` in errors. */
enum sl_status sl_word_vectors_parse(const char *bytes, size_t length, const char *name,
                                     const char *const *names, size_t n_names,
                                     struct sl_word_vectors *out, struct sl_error *err) SL_MUST_USE;
/* Read every word of a file, as written there, with its vector: row i belongs to word i of *words,
 * which the caller destroys. A size line and repeated words are treated as above. SL_ERR_INPUT
 * names the file and the line, also for a word that is not UTF-8, or the file if it is empty. */
enum sl_status sl_word_vectors_read_all(const char *path, struct sl_name_table **words,
                                        struct sl_word_vectors *out,
                                        struct sl_error *err) SL_MUST_USE;
void sl_word_vectors_release(struct sl_word_vectors *vectors);

SL_END_DECLS

#endif
