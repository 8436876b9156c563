/* Places: what stands for a path where one is typed. "@set/file" is a file of a data set that
 * softlab fetch brings, wherever that is on this machine, so that plans and examples name data
 * without naming folders. */
#ifndef SOFTLAB_PIPELINE_PLACES_H
#define SOFTLAB_PIPELINE_PLACES_H

#include "softlab/base/fields.h"
#include "softlab/dataset.h"

SL_BEGIN_DECLS

struct sl_found_path {
    char *path;                /* owned */
    const char *typed;         /* borrowed */
    enum sl_field_kind stream; /* SL_FIELD_PATH: what came on standard input; SL_FIELD_OUTPUT: what
                                  goes to standard output; SL_FIELD_WORD: neither */
};
struct sl_places {
    struct sl_found_path *items; /* owned */
    size_t count;
};
void sl_places_release(struct sl_places *places);

/* Keep what stands for a path, which is taken. */
void sl_places_add(struct sl_places *places, char *path, const char *typed,
                   enum sl_field_kind stream);
/* Put paths where places stand among the files to read of a struct; other texts stay. */
enum sl_status sl_places_find_fields(struct sl_places *places, const struct sl_data_roots *roots,
                                     const struct sl_field_row *rows, void *values,
                                     struct sl_error *err) SL_MUST_USE;
/* The same for words, which are borrowed from then on. */
enum sl_status sl_places_find_all(struct sl_places *places, const struct sl_data_roots *roots,
                                  char **words, size_t n_words, struct sl_error *err) SL_MUST_USE;
/* What was typed for a path that was put in its place; otherwise the text itself. */
const char *sl_places_typed(const struct sl_places *places, const char *text);

SL_END_DECLS

#endif
