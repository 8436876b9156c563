/* Source: bytes of a file or of memory, read at any offset, so that each format has
 * one reader for both. */
#ifndef SOFTLAB_BASE_FILE_SOURCE_H
#define SOFTLAB_BASE_FILE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

struct sl_source {
    const char *name;           /* borrowed; shown in errors */
    int descriptor;             /* -1 for memory */
    const unsigned char *bytes; /* borrowed; NULL for a file */
    uint64_t size;
};

enum sl_status sl_source_open(struct sl_source *source, const char *path,
                              struct sl_error *err) SL_MUST_USE;
struct sl_source sl_source_of_memory(const void *bytes, size_t length, const char *name);
void sl_source_close(struct sl_source *source);

/* Exactly `length` bytes; SL_ERR_INPUT if the source ends before. */
enum sl_status sl_source_read(const struct sl_source *source, uint64_t offset, void *out,
                              size_t length, struct sl_error *err) SL_MUST_USE;

#endif
