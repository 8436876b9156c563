/* Quality: how good annotators' answers are (softlab/answer/quality.h, suspicion.h). */
#ifndef SOFTLAB_PIPELINE_QUALITY_H
#define SOFTLAB_PIPELINE_QUALITY_H

#include "softlab/answer/quality.h"
#include "softlab/answer/suspicion.h"
#include "softlab/base/json.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed; NULL: not given. */
struct sl_quality_job {
    const char *answers; /* any file of answers */
    struct sl_answer_reading reading;
    const char *truth;     /* true classes: a file or a data set; NULL: those in the answers */
    const char *exclude;   /* a name of sl_exclusion_presets: the rules that exclude annotators */
    uint64_t most_answers; /* leave out items with more answers (control items); 0: keep all */
    const char *reference; /* labels of the items; answers are split by the labels' entropy */
    double high, low; /* with a reference, in nats: high entropy begins and low entropy ends here */
    uint64_t bootstrap; /* resamples of items and annotators for intervals; 0: none */
    uint64_t seed;      /* of the bootstrap */
};
struct sl_quality_job sl_quality_job_default(void);
extern const struct sl_field_row sl_quality_job_options[];
extern const struct sl_task sl_quality_task;

/* The answers to items of high and of low entropy in the reference. */
enum { SL_QUALITY_HIGH, SL_QUALITY_LOW, SL_QUALITY_PARTS };
struct sl_measured_quality {
    const struct sl_quality_job *job;      /* borrowed */
    struct sl_answers *answers;            /* owned */
    struct sl_quality quality;             /* owned */
    struct sl_suspicions suspicions;       /* owned */
    struct sl_quality_intervals intervals; /* zero without a bootstrap */
    /* zero without a reference */
    struct sl_answer_group parts[SL_QUALITY_PARTS]; /* owned */
    struct sl_answer_group_intervals part_intervals[SL_QUALITY_PARTS];
};
/* Errors name the file. SL_ERR_USAGE if the job lacks its answers or names unknown rules. *out
 * borrows *job. */
enum sl_status sl_quality_job_run(const struct sl_quality_job *job,
                                  const struct sl_workplace *workplace,
                                  struct sl_measured_quality *out,
                                  struct sl_error *err) SL_MUST_USE;
void sl_measured_quality_release(struct sl_measured_quality *measured);
/* All results as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_measured_quality_json(const struct sl_measured_quality *measured,
                                 json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
