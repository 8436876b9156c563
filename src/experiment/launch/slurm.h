/* Private to experiment/: Slurm's commands. All are run without a shell. */
#ifndef SOFTLAB_EXPERIMENT_SLURM_H
#define SOFTLAB_EXPERIMENT_SLURM_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/error.h"
#include "softlab/base/names.h"

/* Options of sbatch that a user gave: "partition=gpu,time=60,exclusive". */
struct sl_slurm_words {
    char **words; /* owned; NULL-ended; "--partition=gpu" */
    bool times;   /* the time limit is among them */
    bool sizes;   /* the memory is among them */
};
/* Read and check them; NULL is an empty list. Commas within [] do not separate. SL_ERR_USAGE for a
 * word that is not KEY or KEY=VALUE, and for an option that softlab sets itself. */
enum sl_status sl_slurm_words_read(const char *text, struct sl_slurm_words *out,
                                   struct sl_error *err) SL_MUST_USE;
void sl_slurm_words_release(struct sl_slurm_words *words);
/* True if a variable such as "SBATCH_WAIT=1" gives an option that --slurm refuses. */
bool sl_slurm_words_disturb(const char *variable);

/* The most tasks that an array of this cluster may have. SL_ERR_NOT_FOUND, with what to do, if
 * Slurm is not installed. */
enum sl_status sl_slurm_array_limit(size_t *out, struct sl_error *err) SL_MUST_USE;

/* What every task of an array gets. */
struct sl_slurm_request {
    size_t n_tasks, threads;
    size_t megabytes;  /* 0: the user's own */
    size_t minutes;    /* 0: the user's own */
    const char *after; /* tasks that must have ended, "123_4:123_5"; NULL: none */
    const char *script, *folder;
    char *const *words; /* of sl_slurm_words */
};
/* Submit; the caller frees *job, its number. An sbatch that fails although Slurm took the job is a
 * success. On failure *unsure says whether Slurm may still take it. */
enum sl_status sl_slurm_submit(const struct sl_slurm_request *request, char **job, bool *unsure,
                               struct sl_error *err) SL_MUST_USE;
/* The job that was submitted with this script, by its absolute path; the caller frees *job, which
 * is NULL if Slurm knows none. */
enum sl_status sl_slurm_find(const char *script, char **job, struct sl_error *err) SL_MUST_USE;

enum sl_slurm_state { SL_SLURM_UNKNOWN, SL_SLURM_WAITS, SL_SLURM_RUNS, SL_SLURM_ENDED };
struct sl_slurm_task {
    enum sl_slurm_state state;
    double seconds; /* of a running task: since its start */
    char *reason;   /* owned; why it ended or waits, or NULL */
};
/* Ask for the states of tasks 1 to n_tasks of a job; `tasks` has n_tasks + 1 elements, and element
 * 0 is not used. Tasks that Slurm has forgotten count as ended. */
enum sl_status sl_slurm_ask(const char *job, struct sl_slurm_task *tasks, size_t n_tasks,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_slurm_cancel(const char *job, struct sl_error *err) SL_MUST_USE;

#endif
