/* Mixing: from answers about mixed images to class-pair mixing functions
 * (softlab/label/mixing.h). */
#ifndef SOFTLAB_PIPELINE_MIXING_H
#define SOFTLAB_PIPELINE_MIXING_H

#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed; NULL: not given. */
struct sl_mixing_job {
    const char *answers; /* answers.jsonl about mixed images */
    const char *only;    /* a text file of items, one per line; NULL: all */
    double k, x0;        /* use this curve for every pair, a control without annotators; NaN: fit */
    const char *output;  /* .json */
};
struct sl_mixing_job sl_mixing_job_default(void);
extern const struct sl_field_row sl_mixing_job_options[];
extern const struct sl_task sl_mixing_task;

/* Fit the functions and write them. A pair whose curve cannot be fitted gets the identity; the log
 * counts such pairs. SL_ERR_USAGE if the job lacks its answers or its output, or has only one of k
 * and x0. */
enum sl_status sl_mixing_job_run(const struct sl_mixing_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
