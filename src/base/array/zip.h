/* Private to the library: one file of a zip, whatever it holds. Arrays of an .npz are read through
 * softlab/base/array.h. */
#ifndef SOFTLAB_BASE_ARRAY_ZIP_H
#define SOFTLAB_BASE_ARRAY_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

/* The file called `name` in any folder of the zip, checked by its CRC; the caller frees *out.
 * SL_ERR_NOT_FOUND if there is none; SL_ERR_INPUT if there are several, or one of more than `most`
 * bytes. */
enum sl_status sl_zip_read(const char *path, const char *name, uint64_t most, unsigned char **out,
                           size_t *length, struct sl_error *err) SL_MUST_USE;

#endif
