/* Experiment: a table of a paper as data, run by many small processes, each of which may be killed
 * at any time. experiments/README.md says what a specification holds.
 *
 *     sl_spec_read -> sl_experiment_create -> sl_experiment_run -> results.jsonl
 *
 * The name of a run is the SHA-256 of everything that its figures depend on and of nothing else.
 * Two specifications with the same cell therefore share its run. */
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

/* ---- Specifications: softlab/experiment/contract.h has what they say ---- */

/* The files of experiments/, which are built into the program. */
struct sl_builtin_experiment {
    const char *path; /* "collins2022/table2/spec.json" */
    const char *text;
    size_t length;
};
extern const struct sl_builtin_experiment sl_builtin_experiments[]; /* ends with a NULL path */
/* The built-in file of this path, or NULL. */
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

/* How much work a job is, in items; for estimates of time. */
struct sl_work {
    double trained;   /* items shown in training, over all epochs */
    double predicted; /* forward passes */
    double attacked;  /* steps of attacks: a forward and a backward pass each */
    double corrupted; /* images corrupted before they are predicted */
    double seconds;   /* to open the inputs */
};

/* A file that is made once and kept: a label set, an index, weights, scores. The job is done when
 * `output` exists. */
struct sl_job {
    char key[65]; /* SHA-256 of the record of everything that the output depends on */
    char *output; /* owned; below the results folder, named by the key */
    char *title;  /* owned; for people */
    /* owned; {"command": [words of softlab, without --output], ...}, to which "stdout": true is
     * added where what is printed is kept, or {"prepare": what, ...}: how it is made; of a training
     * and of its scores also the "recipe", for estimates */
    json_t *step;
    size_t *needs; /* owned; n_needs jobs, all before this one */
    size_t n_needs;
    char *missing;       /* owned; why it cannot be made here, or NULL */
    struct sl_work work; /* zeros if the plan was made without data */
    /* of a training and of its scores: channels, height and width of items (0: texts), classes */
    size_t shape[3], n_classes;
    /* of a training; else 0 and NULL */
    size_t n_items, n_epochs;
    const char *network; /* borrowed from `step` */
};

/* One line of results.jsonl. */
struct sl_run {
    char key[65];               /* SHA-256 of all that its figures depend on */
    char *title;                /* owned; "t2-clamp, resnet8, seed 1" */
    char *part, *set, *network; /* owned; NULL where there is none */
    int64_t seed, fold;         /* -1: none */
    size_t *scores;             /* owned; n_scores jobs whose outputs have its figures */
    size_t n_scores;
    size_t training;  /* its job, SIZE_MAX if nothing is trained */
    double seconds;   /* of annotators, per item; NaN if unknown */
    json_t *renamed;  /* owned; {"test/metric here": "test/metric of the line"}, or NULL */
    json_t *absent;   /* owned; {"test": "why it cannot be scored here"}, or NULL */
    size_t n_lacking; /* absent tests that the specification itself does not call missing */
    json_t *figures;  /* owned; {"cell": {"output": ..., "path": ...}} of what needs no training, or
                         NULL */
    json_t *exhibits; /* owned; [{"title": ..., "gallery": output or "chart": ...}] beside
                         `figures`, or NULL */
    json_t *measured; /* owned; {"labels/js": {"output": ..., "path": ...}}: figures beside the
                         scores, for the specification's question; or NULL */
    char *missing;    /* owned; why the whole run cannot be made here, or NULL */
};

struct sl_experiment {
    char *name, *scale, *variant; /* owned */
    const char *kind;             /* what its lines are: "result", or "tuning"; static */
    struct sl_job *jobs;          /* owned; n_jobs */
    size_t n_jobs;
    struct sl_run *runs; /* owned; n_runs, in the order of results.jsonl */
    size_t n_runs;
    json_t *keys; /* owned; {key: 1} of all runs, also of those that a shard or a cell leaves out */
};

/* What plans read of the data in one pair of roots. Tables of a paper share their sets, and reading
 * one takes a second. */
struct sl_seen_data;
struct sl_seen_data *sl_seen_data_create(void);
void sl_seen_data_destroy(struct sl_seen_data *seen);

struct sl_experiment_options {
    bool as_published; /* recipes and hold-outs as the papers' texts have them */
    /* Where data are; with NULL nothing is looked for, and nothing but what the specification says
     * is missing. Inputs count by what is in them: with NULL by what was published under their name
     * (experiments/inputs.csv), so that keys of published data are the same with and without. */
    const struct sl_data_roots *roots;
    /* borrowed; a file that remembers the hashes of large inputs, or NULL */
    const char *remembered;
    struct sl_seen_data *seen; /* borrowed; shared with other plans, or NULL */
    /* {"set|network": {"rate": .1, "--gamma": .2}}: what tuning chose, settings and options of the
     * label command; the set "*" is every one. Or NULL: what the specification has. */
    json_t *tuned; /* borrowed */
};
/* Every run of a specification, by parts, sets, networks, seeds and folds, and the jobs that make
 * it; last the run of the figures, galleries and charts that need no training. SL_ERR_INPUT for a
 * specification that contradicts itself; what the program or the data lack makes runs `missing`. */
enum sl_status sl_experiment_create(const struct sl_spec *spec,
                                    const struct sl_experiment_options *options,
                                    struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;
void sl_experiment_destroy(struct sl_experiment *experiment);

/* Keep the runs of shard `index` (from 0) of `count`, or those one of whose coordinates `cell`
 * names ("t2-clamp", "resnet8", "t2-clamp|resnet8|1": all of them; "figures": those that need no
 * training). The folds of a cell stay together. Jobs stay. SL_ERR_NOT_FOUND if nothing is left of
 * the cell. */
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
    const char *waits; /* borrowed; the job that waits for memory, or NULL */
};

enum sl_run_event {
    SL_RUN_DONE,
    SL_RUN_FAILED,  /* `reason` is what went wrong, with the end of the log */
    SL_RUN_MISSING, /* `reason` is what the program or the data lack */
    SL_RUN_LACKS,   /* done, but for the test that `reason` names */
    SL_RUN_WARNS,   /* `reason` is a warning of one of its processes, which ended well; said of
                       specifications that are not built in, perhaps more than once */
    SL_RUN_RETRIED, /* a crashed process is started again */
    SL_RUN_SPOILT,  /* a job's output, `reason`, was changed or damaged: the job runs again */
    SL_RUN_WAITS,   /* for memory */
    SL_RUN_STOPS,   /* the experiment, by hooks.stop, once its children have ended */
};
/* What the caller does meanwhile; each may be NULL. */
struct sl_experiment_hooks {
    void *context; /* borrowed */
    void (*event)(void *context, enum sl_run_event event, const char *title, const char *reason);
    void (*board)(void *context, const struct sl_board *board); /* ten times a second */
    bool (*stop)(void *context);
};

struct sl_experiment_runner {
    const char *folder;         /* borrowed; of the results */
    struct sl_data_roots roots; /* absolute */
    const struct sl_spec *spec; /* borrowed; goes into the results; NULL: it is built in */
    size_t n_processes;
    /* Bytes that jobs may take together, by their estimates; 0: what is free when each is
     * started. */
    size_t memory;
    bool rehearsal; /* jobs are made and no run is collected: for sl_experiment_rehearse */
    struct sl_experiment_hooks hooks;
};
struct sl_experiment_outcome {
    size_t done, skipped, failed, missing; /* runs; skipped: there before */
};
/* Make every run that results.jsonl of the folder does not have. One process per job, started when
 * what it needs is there and it fits into memory; children die with this process. One that a signal
 * ended is started again, twice at most, and a training goes on from its checkpoint. A failing run
 * stops no other: it goes to failures.jsonl with the end of its log. Killed at any moment and
 * started again, nothing that was finished is lost or made twice, and the results are the same but
 * for "time". SL_ERR_USAGE if another process works in the folder, SL_ERR_STOPPED after
 * hooks.stop. */
enum sl_status sl_experiment_run(const struct sl_experiment *experiment,
                                 const struct sl_experiment_runner *runner,
                                 struct sl_experiment_outcome *out,
                                 struct sl_error *err) SL_MUST_USE;

/* Find what is wrong with an experiment before anything is trained, by doing in runner->folder,
 * which the caller throws away, all that runs do but training and scoring: one run of each part,
 * set and network stands for all seeds and folds. Runs that cannot be made become `missing`, with a
 * sentence each. */
enum sl_status sl_experiment_rehearse(struct sl_experiment *experiment,
                                      const struct sl_experiment_runner *runner,
                                      struct sl_error *err) SL_MUST_USE;

/* The runs of one of the grids that the specification's `tune` blocks say; which they are does not
 * depend on what was chosen before, their settings do. */
size_t sl_experiment_n_grids(const struct sl_spec *spec);
enum sl_status sl_experiment_grid(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options, size_t index,
                                  struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;
/* Search what the specification's `tune` blocks say, one after the other: every value of a grid is
 * a run (lines of the kind "tuning"), the best mean over the block's seeds is chosen (lines of the
 * kind "tuned"), and what was chosen goes to *out for sl_experiment_options, which the caller owns.
 * A block without sets is searched on the first set and holds for all. SL_ERR_INPUT if no value of
 * a grid has a score. */
enum sl_status sl_experiment_tune(const struct sl_spec *spec,
                                  const struct sl_experiment_options *options,
                                  const struct sl_experiment_runner *runner, json_t **out,
                                  struct sl_error *err) SL_MUST_USE;

/* What runs take on this machine, and what memory the largest needs. Time comes from the trainings'
 * own steps: each network with its recipe and data is trained for a moment, once per estimator. */
struct sl_experiment_estimate {
    double seconds;   /* of a core, all runs one after another */
    size_t memory;    /* bytes of the largest run */
    size_t n_runs;    /* that would be made */
    size_t n_untimed; /* jobs whose network could not be run; `seconds` has nothing of their work */
    char problem[256]; /* why the first of them could not */
};
struct sl_estimator;
struct sl_estimator *sl_estimator_create(const struct sl_data_roots *roots); /* borrowed */
void sl_estimator_destroy(struct sl_estimator *estimator);
/* The runs of an experiment. Those that results.jsonl of `folder` has (NULL: none) do not count,
 * nor jobs whose output it has. */
enum sl_status sl_estimator_add(struct sl_estimator *estimator,
                                const struct sl_experiment *experiment, const char *folder,
                                struct sl_experiment_estimate *out,
                                struct sl_error *err) SL_MUST_USE;
/* All experiments that were added; what they share counts once. */
struct sl_experiment_estimate sl_estimator_sum(const struct sl_estimator *estimator);

SL_END_DECLS

#endif
