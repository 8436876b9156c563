/* Experiment: reproduces a table of a paper from a specification. Many small processes do the work,
 * and any of them may be killed at any time. experiments/README.md describes specifications.
 *
 *     sl_spec_read -> sl_experiment_create -> sl_experiment_run -> results.jsonl
 *
 * A run's key is the SHA-256 of exactly what its figures depend on, so two specifications that have
 * a cell in common share its run. */
#ifndef SOFTLAB_EXPERIMENT_H
#define SOFTLAB_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/log.h"
#include "softlab/dataset/fetch.h"
#include "softlab/experiment/contract.h"

SL_BEGIN_DECLS

/* ---- Specifications (more in softlab/experiment/contract.h) ---- */

/* The files of experiments/, which are built into the program. */
struct sl_builtin_experiment {
    const char *path; /* "collins2022/table2/spec.json" */
    const char *text;
    size_t length;
};
extern const struct sl_builtin_experiment sl_builtin_experiments[]; /* ends with a NULL path */
/* The built-in file with this path; NULL if there is none. */
const struct sl_builtin_experiment *sl_builtin_experiment_find(const char *path);
/* The budget of all tables together at the scale "small", compared with sl_estimator_sum. */
enum { SL_SMALL_CORE_HOURS = 40 };

/* Write a specification for a user's own data: a folder with spec.json and a README.md that
 * explains its keys. It trains and tests on the parts of the data set, or on four fifths of its
 * items and the rest. */
struct sl_spec_init {
    const char *data;    /* a data set of images or features with classes */
    const char *answers; /* a file of votes, or NULL: hard labels only */
    const char *folder;
    const struct sl_data_roots *roots; /* borrowed */
};
/* The caller frees *out, the path of spec.json. SL_ERR_USAGE if that file exists. */
enum sl_status sl_spec_init(const struct sl_spec_init *init, char **out,
                            struct sl_error *err) SL_MUST_USE;

/* ---- Plans ---- */

/* The amount of work in a job, in items, for time estimates. */
struct sl_work {
    double trained;   /* items shown in training, over all epochs */
    double predicted; /* forward passes */
    double attacked;  /* steps of attacks: a forward and a backward pass each */
    double corrupted; /* images corrupted before they are predicted */
    double seconds;   /* core-seconds to open the inputs */
};

/* Work with one output file, which is kept: a label set, an index, weights or scores. The job is
 * done when `output` exists. */
struct sl_job {
    char key[65]; /* SHA-256 of the record of everything the output depends on */
    char *output; /* owned; below the results folder, named by the key */
    char *title;  /* owned; shown to users */
    /* owned; how the output is made: {"command": [words of softlab, without --output], ...} or
     * {"prepare": kind, ...}. "stdout": true if the command's standard output is the job's output.
     * "recipe", for estimates, if the job trains or scores. */
    json_t *step;
    size_t *needs; /* owned; n_needs indices of jobs, all smaller than this job's */
    size_t n_needs;
    char *missing;       /* owned; why the job cannot run here, or NULL */
    struct sl_work work; /* zeros if the plan was made without data */
    /* for jobs that train or score: channels, height and width of an item (0: texts), number of
     * classes */
    size_t shape[3], n_classes;
    /* for jobs that train; otherwise 0 and NULL */
    size_t n_items, n_epochs;
    const char *network; /* borrowed from `step` */
};

/* One line of results.jsonl. */
struct sl_run {
    char key[65];               /* SHA-256 of everything its figures depend on */
    char *title;                /* owned; "t2-clamp, resnet8, seed 1" */
    char *part, *set, *network; /* owned; NULL: none */
    int64_t seed, fold;         /* -1: none */
    size_t *scores;             /* owned; n_scores jobs whose outputs hold its figures */
    size_t n_scores;
    size_t training;  /* index of the job; SIZE_MAX if nothing is trained */
    double seconds;   /* annotator seconds per item; NaN if unknown */
    json_t *renamed;  /* owned; {"test/metric scored": "test/metric of the line"}, or NULL */
    json_t *absent;   /* owned; {"test": "why it cannot be scored here"}, or NULL */
    size_t n_lacking; /* absent tests that the specification does not declare missing */
    json_t *figures;  /* owned; {"cell": {"output": ..., "path": ...}}, figures that need no
                         training; or NULL */
    json_t *exhibits; /* owned; [{"title": ..., "gallery": output or "chart": ...}], exhibits that
                         need no training; or NULL */
    json_t *measured; /* owned; {"labels/js": {"output": ..., "path": ...}}, figures for the
                         specification's question; or NULL */
    char *missing;    /* owned; why the run cannot be made here, or NULL */
};

struct sl_experiment {
    char *name, *scale, *variant; /* owned */
    const char *kind;             /* the kind of its result lines: "result" or "tuning"; static */
    struct sl_job *jobs;          /* owned; n_jobs */
    size_t n_jobs;
    struct sl_run *runs; /* owned; n_runs, in the order of results.jsonl */
    size_t n_runs;
    json_t *keys; /* owned; {key: 1} for every run, including runs that sl_experiment_shard or _only
                     dropped */
};

/* A cache of what plans read from the data below one pair of roots. A paper's tables share their
 * data sets, and reading one takes a second. */
struct sl_seen_data;
struct sl_seen_data *sl_seen_data_create(void);
void sl_seen_data_destroy(struct sl_seen_data *seen);

struct sl_experiment_options {
    bool as_published; /* recipes and hold-outs as in the papers' texts, not as in their code */
    /* Where the data are. With NULL the planner opens no data: a run is missing only if the
     * specification says so, and inputs count by the published hashes in experiments/inputs.csv, so
     * published data give the same keys with and without the data. */
    const struct sl_data_roots *roots;
    /* borrowed; path of the cache of hashes of large inputs, or NULL */
    const char *remembered;
    struct sl_seen_data *seen; /* borrowed; shared with other plans, or NULL */
    /* {"set|network": {"rate": .1, "--gamma": .2}}: the settings and options of the label command
     * that tuning chose; the set "*" means every set. NULL: use the specification's own. */
    json_t *tuned; /* borrowed */
};
/* Plan every run of a specification (parts x sets x networks x seeds x folds) and the jobs that
 * make it. The last run holds the figures, galleries and charts that need no training. The caller
 * owns *out. SL_ERR_INPUT if the specification contradicts itself. If the program or the data lack
 * something, the runs that need it get a reason in `missing`. */
enum sl_status sl_experiment_create(const struct sl_spec *spec,
                                    const struct sl_experiment_options *options,
                                    struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;
void sl_experiment_destroy(struct sl_experiment *experiment);

/* Keep the runs of shard `index` (from 0) of `count`, or the runs whose coordinates match all words
 * of `cell` ("t2-clamp", "resnet8", "t2-clamp|resnet8|1"; "figures": the run without training). The
 * folds of a cell stay together. All jobs are kept. SL_ERR_NOT_FOUND if no run matches the cell. */
void sl_experiment_shard(struct sl_experiment *experiment, size_t index, size_t count);
enum sl_status sl_experiment_only(struct sl_experiment *experiment, const char *cell,
                                  struct sl_error *err) SL_MUST_USE;

/* ---- Running ---- */

/* A running child process, for a caller that shows progress. */
struct sl_running {
    const char *title;   /* borrowed */
    double seconds;      /* since it was started */
    double seconds_left; /* NaN: not known yet */
};
/* The progress of an experiment. */
struct sl_board {
    size_t done, failed, missing, total; /* runs */
    const struct sl_running *running;    /* borrowed; n_running */
    size_t n_running;
    const char *waits;       /* borrowed; the job that waits for memory, or NULL */
    size_t waiting;          /* runs that wait for a machine of a cluster */
    const char *waiting_for; /* borrowed; why the first of them does, in Slurm's words, or NULL */
};

enum sl_run_event {
    SL_RUN_DONE,
    SL_RUN_FAILED,  /* `reason` is what went wrong, with the end of the log */
    SL_RUN_MISSING, /* `reason` names what the program or the data lack */
    SL_RUN_LACKS,   /* done, except for the test that `reason` names */
    SL_RUN_WARNS, /* `reason` is a warning that a successful process logged; only for specifications
                     that are not built in; may repeat */
    SL_RUN_RETRIED,   /* a crashed process is started again */
    SL_RUN_SPOILT,    /* a job's output, `reason`, was changed or damaged: the job runs again */
    SL_RUN_WAITS,     /* a job waits for memory */
    SL_RUN_SUBMITTED, /* `reason` is the job that a cluster got for the experiment */
    SL_RUN_STOPS,     /* hooks.stop returned true; the runner waits for its child processes */
};
/* Callbacks during a run; each may be NULL. */
struct sl_experiment_hooks {
    void *context; /* borrowed */
    void (*event)(void *context, enum sl_run_event event, const char *title, const char *reason);
    void (*board)(void *context, const struct sl_board *board); /* called ten times a second */
    bool (*stop)(void *context);
};

struct sl_experiment_runner {
    const char *folder;         /* borrowed; the results folder */
    struct sl_data_roots roots; /* absolute */
    const struct sl_spec *spec; /* borrowed; written into the results; NULL if it is built in */
    size_t n_processes;
    /* Threads of all processes together. A job that starts gets an equal share of those that no
     * running job has, at least one. 0: one thread per process. */
    size_t threads;
    /* Limit in bytes on the summed memory estimates of running jobs; 0: start a job when it fits
     * into free memory. */
    size_t memory;
    bool rehearsal; /* run jobs but collect no results; for sl_experiment_rehearse */
    struct sl_experiment_hooks hooks;
};
struct sl_experiment_outcome {
    size_t done, skipped, failed, missing; /* runs; skipped: finished before */
};
/* Make every run that results.jsonl in the folder does not have. Each job runs in a child process,
 * which starts once the jobs it needs are done and it fits into memory. Child processes die with
 * the runner. A child that a signal killed is restarted at most twice; a training resumes from its
 * checkpoint. A failed run does not stop the others: it goes to failures.jsonl with the end of its
 * log. A runner that was killed can be started again: it keeps all finished work, and the results
 * differ only under "time". SL_ERR_USAGE if another process works in the folder, or if it has Slurm
 * jobs that are not joined (softlab/experiment/launch.h); SL_ERR_STOPPED after hooks.stop. */
enum sl_status sl_experiment_run(const struct sl_experiment *experiment,
                                 const struct sl_experiment_runner *runner,
                                 struct sl_experiment_outcome *out,
                                 struct sl_error *err) SL_MUST_USE;

/* Find problems before training. In runner->folder, which the caller deletes, one run per part, set
 * and network does everything except training and scoring, for all its seeds and folds. A run that
 * fails gets the reason in `missing`. */
enum sl_status sl_experiment_rehearse(struct sl_experiment *experiment,
                                      const struct sl_experiment_runner *runner,
                                      struct sl_error *err) SL_MUST_USE;

/* sl_experiment_grid plans the runs of one grid in the specification's `tune` blocks. Earlier
 * choices in options->tuned change the runs' settings, not which runs there are. The caller owns
 * *out. */
size_t sl_experiment_n_grids(const struct sl_spec *spec);
enum sl_status sl_experiment_grid(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options, size_t index,
                                  struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;
/* Search the specification's `tune` blocks one after another. Every value of a grid is a run (lines
 * of kind "tuning"); the value with the best mean over the block's seeds is chosen (lines of kind
 * "tuned"). *out, which the caller owns, holds the choices for sl_experiment_options. A block
 * without sets is searched on the first set and applied to all. SL_ERR_INPUT if no value of a grid
 * has a score. */
enum sl_status sl_experiment_tune(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options,
                                  const struct sl_experiment_runner *runner, json_t **out,
                                  struct sl_error *err) SL_MUST_USE;

/* The time that runs take on this machine, and the memory of the largest. To measure time, the
 * estimator trains each network with its recipe and data for a few steps, once per estimator. */
struct sl_experiment_estimate {
    double seconds;    /* core-seconds of all runs together */
    double elapsed;    /* seconds, with the processes and threads of the estimator */
    size_t memory;     /* bytes of the largest run */
    size_t n_runs;     /* runs that are not finished */
    size_t n_untimed;  /* jobs whose network could not be timed; `seconds` leaves them out */
    char problem[256]; /* why the first of them could not be timed */
};
struct sl_estimator;
/* For so many processes that share so many threads. Borrows `roots`. */
struct sl_estimator *sl_estimator_create(const struct sl_data_roots *roots, size_t n_processes,
                                         size_t threads);
void sl_estimator_destroy(struct sl_estimator *estimator);
/* Estimate the runs of an experiment. Runs that are in results.jsonl of `folder` and jobs whose
 * output is there do not count; NULL: all count. */
enum sl_status sl_estimator_add(struct sl_estimator *estimator,
                                const struct sl_experiment *experiment, const char *folder,
                                struct sl_experiment_estimate *out,
                                struct sl_error *err) SL_MUST_USE;
/* The sum over all added experiments; runs and jobs that they share count once. */
struct sl_experiment_estimate sl_estimator_sum(const struct sl_estimator *estimator);

SL_END_DECLS

#endif
