/* The files of web/, in the program: a table that tools/embed writes at build time. Private to
 * study/. */
#ifndef SOFTLAB_STUDY_WEB_H
#define SOFTLAB_STUDY_WEB_H

#include <stddef.h>

struct sl_web_file {
    const char *path; /* "annotator/index.html" */
    const char *type; /* "text/html; charset=utf-8" */
    const unsigned char *bytes;
    size_t length;
};
extern const struct sl_web_file sl_web_files[];          /* ends with a NULL path */
const struct sl_web_file *sl_web_find(const char *path); /* or NULL */

#endif
