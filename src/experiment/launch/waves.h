/* Private to experiment/launch/: the order in which runs are handed to a cluster. A training that
 * several runs need is made by the task of one of them. The others are submitted behind it: they
 * begin when that task has ended, and take the weights from the results folder. */
#ifndef SOFTLAB_EXPERIMENT_WAVES_H
#define SOFTLAB_EXPERIMENT_WAVES_H

#include "experiment/run/outputs.h"
#include "softlab/experiment.h"

/* Runs that can be submitted at the same time, in groups that wait for the same tasks. */
struct sl_wave {
    size_t *group;  /* owned; n_runs of the experiment; from 1; 0: not in this wave */
    json_t **after; /* owned; n_groups + 1, by group; {"task": true}; group 1 waits for none */
    size_t n_groups;
};
/* Choose from the runs of `open`: those whose trainings are made, have a task in `makers` ({"key of
 * the training": "task"}), or are needed by no earlier run of the wave. If any run is open, the
 * wave has at least one. Many groups become few, which then wait for more tasks than they must:
 * every group is a job to the cluster. */
void sl_wave_plan(const struct sl_experiment *experiment, const bool *open,
                  const struct sl_outputs *made, const json_t *makers, struct sl_wave *out);
void sl_wave_release(struct sl_wave *wave);
/* The tasks that a group waits for, with colons between them; the caller frees it. NULL: none. */
char *sl_wave_after(const struct sl_wave *wave, size_t group);

/* Note in `makers` that the task makes those trainings of the run that are neither made nor noted.
 */
void sl_wave_note(const struct sl_experiment *experiment, size_t run, const struct sl_outputs *made,
                  const char *task, json_t *makers);
/* Whether the run needs one of the trainings that are the keys of `makers`. */
bool sl_wave_needs(const struct sl_experiment *experiment, size_t run,
                   const struct sl_outputs *made, const json_t *makers);

#endif
