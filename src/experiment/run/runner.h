/* Private to experiment/: jobs as processes, and what becomes of their outputs. */
#ifndef SOFTLAB_EXPERIMENT_RUNNER_H
#define SOFTLAB_EXPERIMENT_RUNNER_H

#include <sys/types.h>

#include "experiment/plan/plan.h"
#include "experiment/run/ledger.h"
#include "experiment/run/outputs.h"

/* figures.c */
enum sl_status sl_figure_at(json_t *document, const char *path, double *out,
                            struct sl_error *err) SL_MUST_USE;
/* All that a path finds, as a list that the caller owns; SL_ERR_INPUT for nothing. */
enum sl_status sl_figures_at(json_t *document, const char *path, json_t **out,
                             struct sl_error *err) SL_MUST_USE;
/* A figure, and what is known of how far chance moves it. */
struct sl_figure {
    double value;   /* in the printed unit */
    double error;   /* its standard error; NaN if the command says nothing */
    json_t *sample; /* owned; the folds that it is the mean of, or NULL */
};
/* What becomes of two figures, the rows of a table that ends with a NULL name. */
struct sl_figure_relation {
    const char *name;
    double (*value)(double first, double second);
};
const struct sl_figure_relation *sl_figure_relation_find(const char *name);
enum sl_status sl_figure_read(const json_t *figure, const char *folder,
                              const struct sl_data_roots *roots, struct sl_figure *out,
                              struct sl_error *err) SL_MUST_USE;

/* process.c: start a job in the results folder; the process's standard error and, unless it is the
 * job's output, its standard output go to the log. */
enum { SL_CANNOT_START = 126 }; /* exit code of a child that found no place to work in */
struct sl_process {
    pid_t pid;
    char *log; /* owned; path */
    double started;
};
enum sl_status sl_process_start(const struct sl_job *job, const struct sl_experiment_runner *runner,
                                struct sl_process *out, struct sl_error *err) SL_MUST_USE;
/* After it ended well: put what was printed under its name. */
enum sl_status sl_process_keep(const struct sl_job *job, const struct sl_experiment_runner *runner,
                               struct sl_error *err) SL_MUST_USE;
void sl_process_release(struct sl_process *process);
/* A log, and the last lines of it; the caller frees them. */
char *sl_log_text(const char *path);
char *sl_log_tail(const char *path);
/* What log.jsonl of a training says. */
struct sl_training_log {
    size_t n_epochs;
    double seconds; /* that the last epoch took */
    double age;     /* seconds since it ended */
};
struct sl_training_log sl_training_log_read(const char *path);
/* The words that one would type for a job, with its output; the caller owns them. */
json_t *sl_job_words(const struct sl_job *job);

/* collect.c: a finished run's line. */
enum sl_status sl_collect(const struct sl_experiment *experiment, const struct sl_run *run,
                          const struct sl_experiment_runner *runner, double seconds, json_t **out,
                          struct sl_error *err) SL_MUST_USE;
/* What lines of results and of failures begin with. */
json_t *sl_run_head(const struct sl_experiment *experiment, const struct sl_run *run,
                    const char *kind);

/* estimate.c: bytes that a job may need, SIZE_MAX if no machine has so many; bytes that are free
 * now, SIZE_MAX if the system does not say. */
size_t sl_job_memory(const struct sl_job *job);
size_t sl_memory_free(void);

/* Rewrite a message of a process, which is taken, in the words of the specification: its author
 * knows neither "cache/0123.npz" nor the options of commands. */
char *sl_plan_words(const struct sl_experiment *plan, char *text);

#endif
