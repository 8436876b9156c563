/* Simulation: soft labels drawn from a model of human ones (softlab/label/simulate.h). */
#ifndef SOFTLAB_PIPELINE_SIMULATION_H
#define SOFTLAB_PIPELINE_SIMULATION_H

#include "softlab/base/json.h"
#include "softlab/label/simulate.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed; NULL: not given. */
struct sl_simulation_job {
    const char *fit;        /* soft answers (answers.jsonl) to fit the model to */
    const char *parameters; /* a fitted model that was saved; instead of `fit` */
    bool as_released;       /* also fit to repeats and second runs */
    double threshold;       /* of the fit, in nats: an item's entropy is high from here on */
    const char *reference;  /* label distributions: hard labels and entropies come from them */
    const char *vectors;    /* word vectors (GloVe), which rank the classes */
    uint64_t annotators;    /* simulated answers averaged per item, at least 1 */
    uint64_t seed;          /* of the draws */
    const char *save;       /* also write the fitted model, .json */
    const char *output;     /* the simulated labels, a row per row of the reference */
    const char *provenance; /* stored in an .npz: how the file was made */
};
struct sl_simulation_job sl_simulation_job_default(void);
extern const struct sl_field_row sl_simulation_job_options[];
extern const struct sl_task sl_simulation_task;

/* "low" and "high": the parts of a fit, by the entropy of the reference. */
extern const char *const sl_simulation_part_names[SL_SIMULATOR_PARTS];

/* Write the model, the labels or both. With job->fit, *fit says how close simulated labels are to
 * those of the answers; otherwise *fit is untouched. SL_ERR_USAGE if the job lacks a file. */
enum sl_status sl_simulation_job_run(const struct sl_simulation_job *job,
                                     const struct sl_workplace *workplace,
                                     struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                                     struct sl_error *err) SL_MUST_USE;
/* A fit as a new JSON object; takes `provenance`, which may be NULL. */
json_t *sl_simulation_json(const struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                           json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
