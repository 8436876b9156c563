/* Private to experiment/: turns a specification into jobs and runs.
 *
 * A job's output is named after the hash of its step, and a step names the outputs it reads. Equal
 * work therefore has equal names: adding a job twice gives one job. */
#ifndef SOFTLAB_EXPERIMENT_PLAN_H
#define SOFTLAB_EXPERIMENT_PLAN_H

#include "experiment/plan/inputs.h"
#include "experiment/spec/spec_types.h"
#include "softlab/experiment.h"
#include "softlab/feed/text.h"
#include "softlab/train/recipe.h"

#define SL_NO_JOB SIZE_MAX
/* The prefix of a path relative to the specification's folder. */
#define SL_BESIDE_SPEC "{spec}/"
/* The word vectors of taggers, for sl_experiment_place. */
#define SL_VECTORS_PLACE "@" SL_VECTORS_SET "/" SL_VECTORS_FILE

/* The state of planning one part of a specification. */
struct sl_planner {
    const struct sl_spec *spec;                  /* borrowed */
    const struct sl_spec_body *body;             /* borrowed; the body to plan */
    const struct sl_experiment_options *options; /* borrowed */
    struct sl_experiment *plan;                  /* borrowed */
    const struct sl_spec_design *design; /* borrowed; the design of the whole or of the part */
    const char *part;                    /* borrowed, or NULL */
    const char *variant;                 /* "as-run" or "as-published" */
    struct sl_seen_data *seen;           /* borrowed */
    struct sl_inputs *inputs;            /* borrowed */
    json_t *places;                      /* owned; cache of the identities of files */
    json_t *outputs;                     /* owned; the number of the job that writes each */
};

/* expand.c: sl_experiment_create for `body` instead of the specification's own body. */
enum sl_status sl_experiment_plan(const struct sl_spec *spec, const struct sl_spec_body *body,
                                  const struct sl_experiment_options *options,
                                  struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;

/* plan.c: the jobs whose outputs a step reads. */
struct sl_needs {
    size_t jobs[16];
    size_t count;
};
void sl_needs_add(struct sl_needs *needs, size_t job);
/* Add a job, or find the job with the same key; returns its index. Takes `step` and `record`, what
 * the output depends on (NULL: follows from the step). `suffix` is that of the output (".npz"), or
 * "/" for a training's folder, whose weights are the output. The job is missing if a job it needs
 * is missing. */
size_t sl_plan_add_job(struct sl_planner *planner, json_t *step, json_t *record, const char *suffix,
                       const struct sl_needs *needs, const char *title);
/* The job that writes this output, or NULL. */
const struct sl_job *sl_plan_job_of(const struct sl_planner *planner, const char *output);
/* Record why a job cannot run; the first reason is kept. */
void sl_plan_miss(struct sl_planner *planner, size_t job, const char *reason);
/* True for the name of a known data set ("cifar10:test"). */
bool sl_plan_names_data(const char *text);
/* Processor time of this process, so that other load on the machine does not count. */
double sl_processor_seconds(void);

/* seen.c: the size of a data set, read once; SL_ERR_NOT_FOUND if it is not on this machine. */
struct sl_plan_set {
    size_t count;
    size_t shape[3], n_classes; /* channels, height, width; zeros: texts */
    double seconds;             /* processor time to open it */
};
enum sl_status sl_plan_data(struct sl_planner *planner, const char *name, struct sl_plan_set *out,
                            struct sl_error *err) SL_MUST_USE;
/* True if the images of a set differ in size and the design has no "size"; *err says so. */
bool sl_plan_lacks_size(struct sl_planner *planner, const char *name, struct sl_error *err);
/* SHA-256 of the set's content, borrowed until the next call; NULL if the set is not on this
 * machine. */
const char *sl_plan_data_hash(struct sl_planner *planner, const char *name);
/* The number of items in a list file; false if it has not been counted yet. */
bool sl_plan_has_counted(const struct sl_planner *planner, const char *place, size_t *count);
void sl_plan_keep_count(struct sl_planner *planner, const char *place, size_t count);

void sl_run_release(struct sl_run *run);
void sl_json_hash(const json_t *value, char out[65]);
/* True if a JSON list has this text. */
bool sl_plan_lists(const json_t *list, const char *text);
const char *sl_plan_text(const json_t *object, const char *key); /* borrowed, or NULL */

/* identity.c: what an output depends on, as JSON that the caller owns. The four functions take a
 * data set; a text that may name a file or another job's output; a value (of member `key`) that
 * contains such texts; and a step. */
json_t *sl_identity_of_data(struct sl_planner *planner, const char *name);
json_t *sl_identity_of_text(struct sl_planner *planner, const char *text);
json_t *sl_identity_of_value(struct sl_planner *planner, const char *key, json_t *value);
json_t *sl_identity_of_step(struct sl_planner *planner, json_t *step);
/* Hash a record, together with its kind, SL_RECORD_VERSION and SL_ARITHMETIC_VERSION. Takes
 * `record`. */
enum { SL_RECORD_VERSION = 1 };
void sl_identity_key(const char *what, json_t *record, char out[SL_SHA256_TEXT]);

/* expand_files.c: jobs for commands, label sets and index files. */
/* The words of a command with placeholders filled in. The jobs of files that they name are added to
 * `needs`. The caller owns the list. */
json_t *sl_expand_words(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                        struct sl_needs *needs);
/* The same for one word; the caller frees it. */
char *sl_expand_word(struct sl_planner *planner, const char *word, int64_t seed,
                     struct sl_needs *needs);
size_t sl_expand_file(struct sl_planner *planner, const char *name, int64_t seed);
/* The job of a command. `printed`: its output is what the command prints. */
size_t sl_expand_command(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                         bool printed, const char *title);
/* The job that makes the labels of a set or reference, including "only", "rest", "harden" and
 * "count"; SL_NO_JOB for hard labels. */
size_t sl_expand_labels(struct sl_planner *planner, const char *name, const struct sl_spec_set *set,
                        int64_t seed);

/* A subset of a data set's items. */
struct sl_item_choice {
    const char *data;
    const char *split; /* path, @set/file, "share:X", "rest" (not in the design's share), or NULL */
    const char *only;  /* "imagenet", or NULL */
    int64_t folds, fold; /* 0: none */
    bool held_out;       /* true: the fold's held-out items; false: the others */
    int64_t first;       /* this many items of a seeded order; 0: all */
    int64_t seed;
};
/* The path of the file of item indices, which the caller frees; NULL for all items. If a job writes
 * that file, it is added to `needs`. */
char *sl_expand_items(struct sl_planner *planner, const struct sl_item_choice *choice,
                      struct sl_needs *needs);
/* The number of chosen items, as far as it is known before the run. */
enum sl_status sl_expand_count(struct sl_planner *planner, const struct sl_item_choice *choice,
                               size_t *out, struct sl_error *err) SL_MUST_USE;
/* The job that draws the names of held-out items from a label set, one name per line. */
size_t sl_expand_holdout(struct sl_planner *planner, int64_t seed);
/* The job that turns a file of item names into indices. */
size_t sl_expand_named(struct sl_planner *planner, const char *data, size_t names);

/* expand_train.c: trainings. */
struct sl_training_choice {
    const char *set_name;
    const struct sl_spec_set *set;
    const char *network;
    int64_t seed, fold; /* fold -1: none */
};
size_t sl_expand_training(struct sl_planner *planner, const struct sl_training_choice *choice);
/* The training whose weights others start from; SL_NO_JOB: none. */
size_t sl_expand_start(struct sl_planner *planner, const char *network);

/* The job of a reference's labels; SL_NO_JOB for hard labels (`name` NULL or "hard"). */
size_t sl_expand_reference(struct sl_planner *planner, const char *name, int64_t seed);
/* The job of the labels by which a set's best epoch is chosen; SL_NO_JOB for hard labels. */
size_t sl_expand_dev_labels(struct sl_planner *planner, const struct sl_training_choice *choice);
/* Labels of a test: those by which the set's best epoch is chosen. */
#define SL_DEV_LABELS "{dev}"

/* expand_tests.c: add the scores of a run and set its key. False if there is no training or no
 * test. */
bool sl_expand_tests(struct sl_planner *planner, const struct sl_training_choice *choice,
                     size_t training, struct sl_run *run);
void sl_run_add_scores(struct sl_run *run, size_t job);

/* expand_answer.c: add the figures for the specification's question to run->measured and to the
 * key. */
void sl_expand_answer(struct sl_planner *planner, const struct sl_training_choice *choice,
                      struct sl_run *run);
/* tune.c: a copy of the set with the choices of tuning for it and the network: settings, and
 * options ("--gamma") of the command that makes its labels. The caller releases it. */
struct sl_spec_set sl_tuned_set(const json_t *tuned, const char *set_name, const char *network,
                                const struct sl_spec_set *set);

/* expand_figures.c: figures that need no training. */
void sl_expand_figures(struct sl_planner *planner, struct sl_run *run);

/* place.c: the path of "@set/file" on this machine. `is_known`: the file belongs to a set of
 * `softlab fetch`. Other files are looked for below the roots; the program's own commands do not
 * find those. */
bool sl_experiment_place_is_known(const char *name);
enum sl_status sl_experiment_place(const struct sl_data_roots *roots, const char *name, char **out,
                                   struct sl_error *err) SL_MUST_USE;

/* prepare.c: run the step of a job that is not a command, in the results folder. */
enum sl_status sl_prepare(json_t *step, const char *output, const struct sl_data_roots *roots,
                          struct sl_error *err) SL_MUST_USE;

#endif
