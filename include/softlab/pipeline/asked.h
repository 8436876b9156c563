/* Asked: the record of a command and its options, for files and results. It holds no time, and
 * paths only as they were typed, so the same command always gives the same record. */
#ifndef SOFTLAB_PIPELINE_ASKED_H
#define SOFTLAB_PIPELINE_ASKED_H

#include "softlab/base/json.h"
#include "softlab/pipeline/places.h"

SL_BEGIN_DECLS

/* A command with its arguments and options; all borrowed. */
struct sl_asked {
    const char *command;
    char *const *arguments;
    size_t n_arguments;
    const struct sl_field_row *tables[2]; /* tables of `values`; NULL: none */
    const void *values;
    const struct sl_places *places; /* maps paths back to what was typed */
};
/* Version, build, command, arguments and every option with its value, as a new object. */
json_t *sl_asked_json(const struct sl_asked *asked) SL_MUST_USE;
/* The provenance to store with rows in `output`, as JSON text on the heap; NULL if `output` is not
 * an .npz. It lists options that have a value, except files to write and the names in `without`
 * (NULL-ended), which do not change the rows. An input file is given by name and SHA-256, a large
 * one by name and size, and anything but a plain file by name only. Call this before the command
 * reads or writes a file. */
char *sl_asked_for_rows(const struct sl_asked *asked, const char *output,
                        const char *const *without) SL_MUST_USE;

SL_END_DECLS

#endif
