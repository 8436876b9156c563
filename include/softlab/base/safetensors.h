/* Safetensors: named tensors in one file, as PyTorch's state_dicts are shared.
 *
 * Reading checks everything the format promises (header within the file, no
 * duplicate names, offsets without holes or overlaps, sizes that match shapes)
 * before any tensor is handed out. */
#ifndef SOFTLAB_BASE_SAFETENSORS_H
#define SOFTLAB_BASE_SAFETENSORS_H

#include <stddef.h>

#include "softlab/base/array.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_safetensors;

enum sl_status sl_safetensors_open(const char *path, struct sl_safetensors **out,
                                   struct sl_error *err) SL_MUST_USE;
/* Bytes in memory, borrowed until close and called `name` in errors. */
enum sl_status sl_safetensors_open_memory(const void *bytes, size_t length, const char *name,
                                          struct sl_safetensors **out,
                                          struct sl_error *err) SL_MUST_USE;
void sl_safetensors_close(struct sl_safetensors *file);

size_t sl_safetensors_count(const struct sl_safetensors *file);
const char *sl_safetensors_name(const struct sl_safetensors *file, size_t index); /* borrowed */

/* The value of a metadata key, borrowed, or NULL. */
const char *sl_safetensors_metadata(const struct sl_safetensors *file, const char *key);

/* Read one tensor: F32, F64, I32, I64, U8, BOOL as they are, F16 and BF16 as SL_F4. */
enum sl_status sl_safetensors_read(struct sl_safetensors *file, const char *name,
                                   struct sl_array *out, struct sl_error *err) SL_MUST_USE;

struct sl_named_array {
    const char *name;             /* borrowed */
    const struct sl_array *array; /* borrowed */
};
struct sl_metadata {
    const char *key, *value; /* borrowed */
};

/* Write tensors and metadata atomically; SL_TEXT cannot be stored. */
enum sl_status sl_safetensors_write(const char *path, const struct sl_named_array *tensors,
                                    size_t n_tensors, const struct sl_metadata *metadata,
                                    size_t n_metadata, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
