/* Private to experiment/: measures the time per item. */
#ifndef SOFTLAB_EXPERIMENT_PROBE_H
#define SOFTLAB_EXPERIMENT_PROBE_H

#include "softlab/experiment.h"

/* Core-seconds per item. */
struct sl_probe {
    double trained;   /* each time an item is shown in training */
    double predicted; /* a forward pass */
    double attacked;  /* a step of an attack; 0 for texts, which have no attacks */
};

/* Time a few steps of a training on some of its own items, with its own network, recipe and batch
 * size, then predictions and attacks with the same network. Takes a few times `seconds` of a core,
 * or more if a single step is slower. Targets are made up, since their values do not affect the
 * time. */
enum sl_status sl_probe_training(const struct sl_job *training, const struct sl_data_roots *roots,
                                 double seconds, struct sl_probe *out,
                                 struct sl_error *err) SL_MUST_USE;
/* The word after an option in a job's command, or NULL. */
const char *sl_job_option(const struct sl_job *job, const char *option);

#endif
