/* Launch: where the runs of an experiment are made. A launcher starts them on this machine, hands
 * them to Slurm, or prints a command per run for any other scheduler.
 *
 * On other machines a run works in parts/KEY below the results folder, which all machines share.
 * When it ends, the folder gets the trainings that it has made, so that other runs find them.
 * Results are joined by whoever holds the folder's lock: the watch of a Slurm job, or the next run
 * in the folder. */
#ifndef SOFTLAB_EXPERIMENT_LAUNCH_H
#define SOFTLAB_EXPERIMENT_LAUNCH_H

#include "softlab/experiment.h"

SL_BEGIN_DECLS

struct sl_launch {
    const struct sl_experiment_runner *runner; /* borrowed; its `threads` are those of one run */
    /* borrowed; NULL-ended words of a command that makes any run of the experiment on any machine,
     * once "--run KEY" is added */
    char *const *command;
    const char *slurm; /* borrowed; options of sbatch ("partition=gpu,time=60"), or NULL */
    void *context;     /* borrowed; for `print` */
    void (*print)(void *context, const char *line); /* for the launcher "print" */
};

struct sl_launcher {
    const char *name;
    bool away;    /* start() returns before the runs are made */
    bool watched; /* sl_launch_watch follows what start() handed over */
    /* Make or hand over every run that the folder does not have. out->done counts runs that are
     * made when it returns. */
    enum sl_status (*start)(const struct sl_experiment *experiment, const struct sl_launch *launch,
                            struct sl_experiment_outcome *out, struct sl_error *err);
};
extern const struct sl_launcher sl_launchers[]; /* ends with a NULL name */
const struct sl_launcher *sl_launcher_find(const char *name);

/* Keep the runs whose keys begin with the words of a list ("0123abcd,4567"). SL_ERR_NOT_FOUND if a
 * word fits no run, SL_ERR_USAGE if it fits several. */
enum sl_status sl_experiment_only_keys(struct sl_experiment *experiment, const char *keys,
                                       struct sl_error *err) SL_MUST_USE;
/* Make every run of the experiment in its part, one after another. Runs that results.jsonl has are
 * skipped, and outputs that the results folder has are linked. Several processes, on any machines
 * that share the folder, may do so at once. */
enum sl_status sl_experiment_run_parts(const struct sl_experiment *experiment,
                                       const struct sl_experiment_runner *runner,
                                       struct sl_experiment_outcome *out,
                                       struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE if Slurm jobs of this folder have not been joined. */
enum sl_status sl_launch_check(const char *folder, struct sl_error *err) SL_MUST_USE;
/* Follow the Slurm jobs of a folder until all have ended: join finished runs, report failed ones
 * and sort results.jsonl. Only files and Slurm are asked, so it can be stopped, killed and started
 * again. A run whose task ended without a result fails with Slurm's reason. SL_ERR_NOT_FOUND if the
 * folder has no Slurm job; SL_ERR_STOPPED after hooks->stop, which leaves the jobs running or, with
 * `cancels`, cancels them and joins what they finished. */
enum sl_status sl_launch_watch(const char *folder, const struct sl_experiment_hooks *hooks,
                               bool cancels, struct sl_experiment_outcome *out,
                               struct sl_error *err) SL_MUST_USE;
/* Cancel the Slurm jobs of a folder; sl_launch_watch then joins what they finished. */
enum sl_status sl_launch_cancel(const char *folder, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
