/* Asked: the record of what somebody asked for, as files and results carry it. There is no time in
 * it and no path but those typed, so that the same words give the same record. */
#ifndef SOFTLAB_PIPELINE_ASKED_H
#define SOFTLAB_PIPELINE_ASKED_H

#include "softlab/base/json.h"
#include "softlab/pipeline/places.h"

SL_BEGIN_DECLS

/* A command, and what it was told; all borrowed. */
struct sl_asked {
    const char *command;
    char *const *arguments;
    size_t n_arguments;
    const struct sl_field_row *tables[2]; /* of `values`; NULL: none */
    const void *values;
    const struct sl_places *places; /* what was typed for paths */
};
/* Version, build, command, arguments and every option with its value, which the caller owns. */
json_t *sl_asked_json(const struct sl_asked *asked) SL_MUST_USE;
/* What rows that go to `output` say of themselves, as text on the heap; NULL if that is no .npz.
 * Inputs by their names and SHA-256, no build, and of the options those with a value that are
 * neither files to write nor among `without` (NULL-ended), which do not change what is in the file.
 * To be taken before anything is read or written; what is not a plain file is named only, and of a
 * large one the size is said. */
char *sl_asked_for_rows(const struct sl_asked *asked, const char *output,
                        const char *const *without) SL_MUST_USE;

SL_END_DECLS

#endif
