/* Private to experiment/: reading specifications. */
#ifndef SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H
#define SOFTLAB_EXPERIMENT_SPEC_INTERNAL_H

#include "softlab/experiment.h"

/* Whether a document is a specification: keys, kinds, and that what it names is there. */
enum sl_status sl_spec_check(const struct sl_json *document, struct sl_error *err) SL_MUST_USE;

#endif
