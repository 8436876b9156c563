/* Private to pipeline/answers/: answers.slb of texts and of other answers.slb, which together may
 * be larger than memory. */
#ifndef SOFTLAB_PIPELINE_IMPORT_CACHE_H
#define SOFTLAB_PIPELINE_IMPORT_CACHE_H

#include "softlab/pipeline/import.h"

/* Write the hard answers of the job's files as if they were one file, one behind the other. */
enum sl_status sl_import_cache(const struct sl_import_job *job,
                               const struct sl_import_options *options,
                               const struct sl_workplace *workplace,
                               struct sl_error *err) SL_MUST_USE;

#endif
