/* Select: which experiments, and which part of their runs, a user's words stand for. */
#ifndef SOFTLAB_EXPERIMENT_SELECT_H
#define SOFTLAB_EXPERIMENT_SELECT_H

#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* The experiments that words stand for: a paper ("collins2022") for its built-in tables, "all" for
 * every built-in table, any other word, or one that is also a folder, for itself. In the order of
 * the words; a NULL-ended list for sl_names_destroy. */
char **sl_experiments_asked(char *const *words, size_t n_words) SL_MUST_USE;

/* Read "2/8", part 2 of 8, as *index 1 (from 0) and *count 8, for sl_experiment_shard. SL_ERR_USAGE
 * for anything else. */
enum sl_status sl_shard_read(const char *text, size_t *index, size_t *count,
                             struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
