/* Private to experiment/: how long one item takes, found by doing it. */
#ifndef SOFTLAB_EXPERIMENT_PROBE_H
#define SOFTLAB_EXPERIMENT_PROBE_H

#include "softlab/experiment.h"

/* Core-seconds per item. */
struct sl_probe {
    double trained;   /* for each time that a network which learns is shown it */
    double predicted; /* a forward pass */
    double attacked;  /* a step of an attack; 0 for texts, which nobody attacks */
};

/* Make a few steps of a training on some of its own items, with its own network, recipe and size of
 * batch, then predict and attack with it. A few times `seconds` of a core, and more where a
 * single step takes longer. What the targets are makes no difference: they are made up. */
enum sl_status sl_probe_training(const struct sl_job *training, const struct sl_data_roots *roots,
                                 double seconds, struct sl_probe *out,
                                 struct sl_error *err) SL_MUST_USE;
/* The word behind an option of a job's command, or NULL. */
const char *sl_job_option(const struct sl_job *job, const char *option);

#endif
