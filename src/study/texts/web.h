/* The files of web/, in the program: a table that tools/embed writes at build time. Private to
 * study/. */
#ifndef SOFTLAB_STUDY_TEXTS_WEB_H
#define SOFTLAB_STUDY_TEXTS_WEB_H

#include <stddef.h>

#include "softlab/base/json.h"

struct sl_web_file {
    const char *path; /* "annotator/index.html" */
    const char *type; /* "text/html; charset=utf-8" */
    const unsigned char *bytes;
    size_t length;
};
extern const struct sl_web_file sl_web_files[];          /* ends with a NULL path */
const struct sl_web_file *sl_web_find(const char *path); /* or NULL */

/* A value on one line, every '<' as an escape, which stands in strings only: it ends
 * no script element, and no browser takes it for a page. A heap string; NULL without memory. */
char *sl_web_json(const json_t *value) SL_MUST_USE;

#endif
