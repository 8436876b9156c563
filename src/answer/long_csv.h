/* Long CSV: which column holds what. Private to answer/. */
#ifndef SOFTLAB_ANSWER_LONG_CSV_H
#define SOFTLAB_ANSWER_LONG_CSV_H

#include "softlab/answer.h"

enum sl_long_role { SL_LONG_ITEM, SL_LONG_WORKER, SL_LONG_LABEL, SL_LONG_ROLES };

struct sl_long_columns {
    size_t place[SL_LONG_ROLES];
    bool header; /* the first record names the columns and is no answer */
};

/* Settle the columns from what the user wrote (see sl_import_options; may be NULL) and the first
 * record of the file called `name`. */
enum sl_status sl_long_columns_find(const char *columns, const struct sl_csv_record *first,
                                    const char *name, struct sl_long_columns *out,
                                    struct sl_error *err) SL_MUST_USE;

/* How a file called so is cut: tabs without quotes for .tsv, otherwise commas; the first
 * record is given like any other, and all are as wide as it. */
struct sl_csv_options sl_long_csv_options(const char *path);

#endif
