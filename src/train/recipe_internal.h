/* Recipe keys one at a time, and words that are none. Private to train/. */
#ifndef SOFTLAB_TRAIN_RECIPE_INTERNAL_H
#define SOFTLAB_TRAIN_RECIPE_INTERNAL_H

#include "softlab/train/recipe.h"

const struct sl_field_row *sl_recipe_key_find(const char *name);
/* The names of all keys and then those of `more` (NULL-ended; may be NULL), NULL-ended: the list
 * is the caller's to free, the names are not. */
const char **sl_recipe_key_names(const char *const *more);

/* Put a typed value into the key's field. */
enum sl_status sl_recipe_key_parse(const struct sl_field_row *key, const char *text,
                                   struct sl_recipe *recipe, struct sl_error *err) SL_MUST_USE;

/* `<what> "word", did you mean "..."?`: `what` is like "no network is called"; the nearest of the
 * candidates (NULL-ended) is named if one is near. */
enum sl_status sl_recipe_unknown(enum sl_status code, const char *what, const char *word,
                                 size_t length, const char *const *candidates,
                                 struct sl_error *err);

/* sl_recipe_read_for out of a file that is read already. `called` is the recipe's name, of the file
 * or a relative; NULL: the file's. */
enum sl_status sl_recipe_from_document(const struct sl_json *json, const char *called,
                                       const char *variant, const char *network,
                                       struct sl_recipe *out, struct sl_error *err) SL_MUST_USE;

#endif
