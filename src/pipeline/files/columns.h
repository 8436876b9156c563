/* Private to pipeline/: columns that have several usual names. */
#ifndef SOFTLAB_PIPELINE_COLUMNS_H
#define SOFTLAB_PIPELINE_COLUMNS_H

#include "softlab/base/csv.h"

/* Find the first of `names` (NULL-ended) that is a column of the file; the error asks for
 * `usual`. */
enum sl_status sl_csv_find_column(const struct sl_csv *csv, const char *const *names,
                                  const char *usual, size_t *out, struct sl_error *err) SL_MUST_USE;

#endif
