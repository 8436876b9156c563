/* Private to experiment/: reading specifications. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H
#define SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H

#include "softlab/experiment.h"

/* Whether a document is a specification: keys, kinds, and that what it names is there. */
enum sl_status sl_spec_check(const struct sl_json *document, struct sl_error *err) SL_MUST_USE;

/* Fill in what may be left out of a specification that was checked, its scale applied. */
void sl_spec_complete(json_t *spec);
/* spec_show.c: what is shown without training: that it has all that it needs, and that what it
 * names is there. Keys and kinds are checked before. */
enum sl_status sl_spec_check_show(const struct sl_json_cursor *root,
                                  struct sl_error *err) SL_MUST_USE;

#endif
