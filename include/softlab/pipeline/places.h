/* Places: names that stand for paths. "@set/file" is a file of a data set that softlab fetch
 * downloads, wherever this machine keeps it, so plans and examples need no folder names. */
#ifndef SOFTLAB_PIPELINE_PLACES_H
#define SOFTLAB_PIPELINE_PLACES_H

#include "softlab/base/fields.h"
#include "softlab/dataset.h"

SL_BEGIN_DECLS

struct sl_found_path {
    char *path;                /* owned */
    const char *typed;         /* borrowed */
    enum sl_field_kind stream; /* SL_FIELD_PATH: standard input; SL_FIELD_OUTPUT: standard output;
                                  SL_FIELD_WORD: neither */
};
struct sl_places {
    struct sl_found_path *items; /* owned */
    size_t count;
};
void sl_places_release(struct sl_places *places);

/* Record the path that `typed` stands for; takes `path`. */
void sl_places_add(struct sl_places *places, char *path, const char *typed,
                   enum sl_field_kind stream);
/* Replace places by paths in a struct's fields for files to read; other texts stay. */
enum sl_status sl_places_find_fields(struct sl_places *places, const struct sl_data_roots *roots,
                                     const struct sl_field_row *rows, void *values,
                                     struct sl_error *err) SL_MUST_USE;
/* The same for an array of words, which then borrow from `places`. */
enum sl_status sl_places_find_all(struct sl_places *places, const struct sl_data_roots *roots,
                                  char **words, size_t n_words, struct sl_error *err) SL_MUST_USE;
/* What was typed for a path that replaced a place; for any other text, the text itself. */
const char *sl_places_typed(const struct sl_places *places, const char *text);

/* The ending that a file with such a beginning would have (".npz", ".csv", ... ".txt"), for input
 * that has no name; static. */
const char *sl_suffix_of_bytes(const char *bytes, size_t length);

SL_END_DECLS

#endif
