/* The files of web/ inside the program: tools/embed writes the table at build time. Private to
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

/* A value on one line with every '<' (which occurs only in strings) escaped, so that it cannot end
 * a script element or pass for a page. A heap string; NULL without memory. */
char *sl_web_json(const json_t *value) SL_MUST_USE;

#endif
