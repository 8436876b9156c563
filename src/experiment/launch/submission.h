/* Private to experiment/: the files of a Slurm job. Each job array has a folder slurm/TIME below
 * the results folder:
 *
 *     script       what sbatch was given
 *     tasks        line N: the keys of the runs of task N
 *     N.log        what task N printed
 *     open.json    the job's number and its runs; closed.json once all have ended
 *
 * open.json is written before sbatch is called, without a number, so that a job whose submission is
 * interrupted is found by the path of its script. */
#ifndef SOFTLAB_EXPERIMENT_SUBMISSION_H
#define SOFTLAB_EXPERIMENT_SUBMISSION_H

#include "softlab/experiment.h"

struct sl_submission {
    char *folder; /* owned */
    char *script; /* owned; its absolute path, as sbatch was given it */
    char *job;    /* owned; the number that Slurm gave; NULL: not known yet */
    /* owned; the whole plan, with what result lines and messages need, and without jobs */
    struct sl_experiment *experiment;
    size_t *tasks; /* owned; n_runs of the experiment; from 1; 0: the run was not submitted */
    /* owned; {"key of a training": its task}, "1" and so on: what other jobs may wait for */
    json_t *makes;
};
void sl_submission_release(struct sl_submission *submission);

/* Make a new folder for a job; the caller frees *out, which is absolute. */
enum sl_status sl_submission_folder(const char *results, char **out,
                                    struct sl_error *err) SL_MUST_USE;
/* Write open.json: of a job that is about to be submitted (its `job` is NULL), then of one with a
 * number. */
enum sl_status sl_submission_write(const struct sl_submission *submission,
                                   struct sl_error *err) SL_MUST_USE;
/* If the job has no number yet, ask Slurm for it, and write it. It stays NULL if Slurm knows no
 * such job. */
enum sl_status sl_submission_identify(struct sl_submission *submission,
                                      struct sl_error *err) SL_MUST_USE;
/* Rename open.json to closed.json. */
enum sl_status sl_submission_close(const struct sl_submission *submission,
                                   struct sl_error *err) SL_MUST_USE;

struct sl_submissions {
    struct sl_submission *items; /* owned */
    size_t count;
};
/* Read every open.json of a results folder. On failure the list is empty. */
enum sl_status sl_submissions_read(const char *results, struct sl_submissions *out,
                                   struct sl_error *err) SL_MUST_USE;
/* True if a run is in one of the jobs. */
bool sl_submissions_have(const struct sl_submissions *submissions, const char *key);
void sl_submissions_release(struct sl_submissions *submissions);

#endif
