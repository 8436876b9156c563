/* What belongs to cmd_run.c: the board that shows where an experiment stands, and dry runs. */
#ifndef SOFTLAB_CLI_RUN_H
#define SOFTLAB_CLI_RUN_H

#include "cmd.h"
#include "softlab/experiment.h"

/* What the options of softlab run say. */
struct run_values {
    const char *output, *scale, *only, *shard, *init, *answers, *launcher, *slurm, *run;
    int64_t jobs, threads, memory;
    bool dry_run, as_published, tune, list, watch, cancel;
};

/* run_board.c: on a terminal lines that are redrawn in place; elsewhere a line per event. */
struct run_board {
    struct cli *cli;            /* borrowed */
    size_t n_drawn;             /* lines on the screen now */
    double drawn;               /* when */
    struct sl_name_table *said; /* owned; what is said once */
};
void run_board_release(struct run_board *board);
void run_board_show(void *context, const struct sl_board *board);
void run_board_event(void *context, enum sl_run_event event, const char *title, const char *reason);
struct sl_experiment_hooks run_board_hooks(struct run_board *board);
/* Take the lines away, before anything else is printed. */
void run_board_clear(struct run_board *board);

/* Over all experiments of the command: a run that fails stops no other. */
struct run_tally {
    size_t there, failed, missing, all;
    size_t away;                     /* runs that were handed to another machine */
    size_t lacking;                  /* runs that lack tests */
    size_t n_experiments, n_without; /* those that lack what --only names */
    struct sl_estimator *estimator;  /* owned; of a dry run */
    struct sl_seen_data *seen;       /* owned */
};

/* run_launch.c: make the runs of an experiment where --launcher says. */
enum sl_status run_launch(const struct run_values *values, const char *name,
                          const struct sl_experiment *experiment,
                          const struct sl_experiment_runner *runner,
                          struct sl_experiment_outcome *out, struct sl_error *err);
/* Follow the Slurm jobs of the folder to their end, and count their runs. */
enum sl_status run_follow(struct cli *cli, const struct run_values *values,
                          const struct sl_experiment_hooks *hooks, struct run_tally *tally,
                          struct sl_error *err);
/* --watch and --cancel. */
enum sl_status run_follow_only(struct cli *cli, const struct run_values *values,
                               struct sl_error *err);

/* run_dry.c: print the runs of a plan with what they lack and what they would take. */
enum sl_status run_print_plan(const struct sl_experiment *experiment,
                              const struct sl_experiment_runner *runner, struct run_tally *tally,
                              struct sl_error *err);
/* What all experiments of the command take together; says so only if they are several. */
void run_print_sum(const struct run_tally *tally, const char *scale, size_t n_processes);
/* Do all of an experiment but training and scoring, in a folder of its own: runs that fail become
 * missing. */
enum sl_status run_rehearse(struct cli *cli, struct sl_experiment *experiment,
                            const struct sl_experiment_runner *runner, struct sl_error *err);

#endif
