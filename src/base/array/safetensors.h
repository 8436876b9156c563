/* The types of the safetensors format, for its reader and its writer. Private to base/array/. */
#ifndef SOFTLAB_BASE_ARRAY_SAFETENSORS_H
#define SOFTLAB_BASE_ARRAY_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/array.h"

/* What the format's own readers accept: a longer header is an attack. */
enum { SL_SAFETENSORS_HEADER_LIMIT = 100000000 };

#define SL_SAFETENSORS_METADATA "__metadata__"

struct sl_safetensors_type {
    const char *name;
    size_t size;
    bool readable;       /* false: a file may hold it, softlab does not read it */
    enum sl_dtype dtype; /* in memory, if readable */
};

/* Ends with a NULL name; the first row of a dtype is how it is written. */
extern const struct sl_safetensors_type sl_safetensors_types[];

#endif
