/* Simulation: soft labels drawn from a model of human ones (softlab/label/simulate.h). */
#ifndef SOFTLAB_PIPELINE_SIMULATION_H
#define SOFTLAB_PIPELINE_SIMULATION_H

#include "softlab/base/json.h"
#include "softlab/label/simulate.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* Texts are borrowed, NULL where nothing is said. */
struct sl_simulation_job {
    const char *fit;        /* soft answers (answers.jsonl) to fit the model to; or else */
    const char *parameters; /* a model that was fitted and saved before */
    bool as_released;       /* fit to repeats and second runs too */
    double threshold;       /* of the fit: entropy in nats from which an item counts as high */
    const char *reference;  /* label distributions: what hard labels are drawn from, and entropies
                               taken from */
    const char *vectors;    /* word vectors (GloVe), which rank the classes */
    uint64_t annotators;    /* simulated answers averaged per item, at least 1 */
    uint64_t seed;          /* of the draws */
    const char *save;       /* also write the fitted model, .json */
    const char *output;     /* the simulated labels, a row per row of the reference */
    const char *provenance; /* what an .npz says of how it came about */
};
struct sl_simulation_job sl_simulation_job_default(void);
extern const struct sl_field_row sl_simulation_job_options[];
extern const struct sl_task sl_simulation_task;

/* "low" and "high": the parts of a fit, by the entropy of the reference. */
extern const char *const sl_simulation_part_names[SL_SIMULATOR_PARTS];

/* Write the model, the labels or both. With job->fit, also how close simulated labels are to those
 * of the answers, into `fit`, which is left as it is otherwise. SL_ERR_USAGE where the job lacks
 * what it needs. */
enum sl_status sl_simulation_job_run(const struct sl_simulation_job *job,
                                     const struct sl_workplace *workplace,
                                     struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                                     struct sl_error *err) SL_MUST_USE;
/* A fit as a new JSON object; `provenance` is taken, or NULL. */
json_t *sl_simulation_json(const struct sl_simulation_fit fit[SL_SIMULATOR_PARTS],
                           json_t *provenance) SL_MUST_USE;

SL_END_DECLS

#endif
