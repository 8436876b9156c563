/* Private to experiment/: runs jobs as processes and collects their outputs. */
#ifndef SOFTLAB_EXPERIMENT_RUNNER_H
#define SOFTLAB_EXPERIMENT_RUNNER_H

#include <sys/types.h>

#include "experiment/plan/plan.h"
#include "experiment/run/ledger.h"
#include "experiment/run/outputs.h"

/* figures.c: the one number at a path (experiments/README.md describes paths). */
enum sl_status sl_figure_at(json_t *document, const char *path, double *out,
                            struct sl_error *err) SL_MUST_USE;
/* All values at a path, in a list that the caller owns; SL_ERR_INPUT if there is none. */
enum sl_status sl_figures_at(json_t *document, const char *path, json_t **out,
                             struct sl_error *err) SL_MUST_USE;
/* A figure and its sampling error. */
struct sl_figure {
    double value;   /* in the printed unit */
    double error;   /* standard error; NaN if unknown */
    json_t *sample; /* owned; the fold values whose mean it is, or NULL */
};
/* How two figures are combined: "difference" or "reduction". */
struct sl_figure_relation {
    const char *name;
    double (*value)(double first, double second);
};
const struct sl_figure_relation *sl_figure_relation_find(const char *name);
enum sl_status sl_figure_read(const json_t *figure, const char *folder,
                              const struct sl_data_roots *roots, struct sl_figure *out,
                              struct sl_error *err) SL_MUST_USE;

/* process.c: start a job in the results folder. Its standard error goes to the log, and so does its
 * standard output unless that is the job's output. */
enum { SL_CANNOT_START = 126 }; /* exit code of a child that cannot use the folder */
struct sl_process {
    pid_t pid;
    char *log; /* owned; path */
    double started;
    size_t threads;
};
enum sl_status sl_process_start(const struct sl_job *job, const struct sl_experiment_runner *runner,
                                size_t threads, struct sl_process *out,
                                struct sl_error *err) SL_MUST_USE;
/* After the process succeeded: move what it printed to the job's output. */
enum sl_status sl_process_keep(const struct sl_job *job, const struct sl_experiment_runner *runner,
                               struct sl_error *err) SL_MUST_USE;
void sl_process_release(struct sl_process *process);
/* A log, and its last lines; the caller frees both. */
char *sl_log_text(const char *path);
char *sl_log_tail(const char *path);
/* The state of a training according to its log.jsonl. */
struct sl_training_log {
    size_t n_epochs;
    double seconds; /* duration of the last epoch */
    double age;     /* seconds since the last epoch ended */
};
struct sl_training_log sl_training_log_read(const char *path);
/* The command line of a job, including its output; the caller owns it. */
json_t *sl_job_words(const struct sl_job *job);
/* Append words (NULL-ended) as a shell reads them, with quotes where they are needed. */
void sl_shell_line(char *const *words, struct sl_buffer *out);

/* collect.c: the result line of a finished run; the caller owns *out. */
enum sl_status sl_collect(const struct sl_experiment *experiment, const struct sl_run *run,
                          const struct sl_experiment_runner *runner, double seconds, json_t **out,
                          struct sl_error *err) SL_MUST_USE;
/* The members with which result and failure lines begin. */
json_t *sl_run_head(const struct sl_experiment *experiment, const struct sl_run *run,
                    const char *kind);

/* estimate.c: the bytes that a job may need, SIZE_MAX if more than any machine has. */
size_t sl_job_memory(const struct sl_job *job);

/* Rewrite a message of a child process in the specification's words, because its author knows
 * neither "cache/0123.npz" nor the options of commands. Takes `text`. */
char *sl_plan_words(const struct sl_experiment *plan, char *text);

#endif
