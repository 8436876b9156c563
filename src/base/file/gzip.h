/* Private to the library: gzip files that are reproducible: the bytes depend only on the content,
 * the name and the linked zlib, not on time or system. */
#ifndef SOFTLAB_BASE_FILE_GZIP_H
#define SOFTLAB_BASE_FILE_GZIP_H

#include <stddef.h>

#include "softlab/base/error.h"

/* Replace `path`, atomically, by `bytes` as small as zlib makes them; `name` is what gunzip -N
 * calls them. */
enum sl_status sl_gzip_write(const char *path, const char *name, const void *bytes, size_t length,
                             struct sl_error *err) SL_MUST_USE;

#endif
