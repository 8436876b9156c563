/* Private to base/: where a cursor's value stands in the text of its document. */
#ifndef SOFTLAB_BASE_JSON_INTERNAL_H
#define SOFTLAB_BASE_JSON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/json.h"

/* The offset of the value's first byte; false (and *out untouched) if the text has no
 * such member or element. */
bool sl_json_locate(const struct sl_json_cursor *at, size_t *out);

/* The line of the value, or of its nearest ancestor that is in the text. */
size_t sl_json_line(const struct sl_json_cursor *at);

/* The bytes of the number, true, false or null at `offset`. */
size_t sl_json_scalar_length(const struct sl_json *document, size_t offset);

/* The cursors from the root down to `at`, on the heap. */
const struct sl_json_cursor **sl_json_chain(const struct sl_json_cursor *at, size_t *count);

/* SL_ERR_INPUT: something else was expected than what is at the cursor. */
enum sl_status sl_json_fail_type(const struct sl_json_cursor *at, const char *expected,
                                 struct sl_error *err);

#endif
