/* The classes of a file that does not state them. */
#ifndef SOFTLAB_ANSWER_CLASSES_H
#define SOFTLAB_ANSWER_CLASSES_H

#include <stdbool.h>

#include "softlab/base/names.h"

/* The names, NULL-ended, for sl_names_destroy: in the order of their numbers or, if `sorted`, by
 * value if all are numbers and by bytes otherwise. */
char **sl_classes_of(const struct sl_name_table *names, bool sorted) SL_RETURNS_NONNULL;

#endif
