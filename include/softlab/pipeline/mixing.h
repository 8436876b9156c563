/* Mixing: answers about mixed images to class-pair mixing functions (softlab/label/mixing.h). */
#ifndef SOFTLAB_PIPELINE_MIXING_H
#define SOFTLAB_PIPELINE_MIXING_H

#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed, NULL where nothing is said. */
struct sl_mixing_job {
    const char *answers; /* answers.jsonl about mixed images */
    const char *only;    /* a text file of items, one per line; NULL: all */
    double k, x0;        /* this curve for every pair, the control without people; NaN: fitted */
    const char *output;  /* .json */
};
struct sl_mixing_job sl_mixing_job_default(void);
extern const struct sl_field_row sl_mixing_job_options[];
extern const struct sl_task sl_mixing_task;

/* The functions, to their file. Where no curve could be fitted to a pair the identity stands, and
 * the log says of how many. SL_ERR_USAGE where the job lacks its answers or its output, or has one
 * of k and x0. */
enum sl_status sl_mixing_job_run(const struct sl_mixing_job *job,
                                 const struct sl_workplace *workplace,
                                 struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
