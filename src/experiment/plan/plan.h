/* Private to experiment/: how a specification becomes jobs and runs.
 *
 * A job's output is called after the hash of its step, and steps name the outputs that they read,
 * so equal work has equal names however it came about: jobs are added again and again and exist
 * once. */
#ifndef SOFTLAB_EXPERIMENT_PLAN_H
#define SOFTLAB_EXPERIMENT_PLAN_H

#include "experiment/plan/inputs.h"
#include "experiment/spec/spec_types.h"
#include "softlab/experiment.h"
#include "softlab/feed/text.h"
#include "softlab/train/recipe.h"

#define SL_NO_JOB SIZE_MAX
/* What words begin with that name a file beside the specification. */
#define SL_BESIDE_SPEC "{spec}/"
/* What a tagger finds its words' vectors in; for sl_experiment_place. */
#define SL_VECTORS_PLACE "@" SL_VECTORS_SET "/" SL_VECTORS_FILE

/* The part of a specification that is being expanded. */
struct sl_planner {
    const struct sl_spec *spec;                  /* borrowed */
    const struct sl_spec_body *body;             /* borrowed; what of it is run */
    const struct sl_experiment_options *options; /* borrowed */
    struct sl_experiment *plan;                  /* borrowed */
    const struct sl_spec_design *design;         /* borrowed; of the whole or of the part */
    const char *part;                            /* borrowed, or NULL */
    const char *variant;                         /* "as-run" or "as-published" */
    struct sl_seen_data *seen;                   /* borrowed */
    struct sl_inputs *inputs;                    /* borrowed */
    json_t *places; /* owned; identities of files that were asked for */
};

/* expand.c: sl_experiment_create of what `body` says, in place of the specification's own. */
enum sl_status sl_experiment_plan(const struct sl_spec *spec, const struct sl_spec_body *body,
                                  const struct sl_experiment_options *options,
                                  struct sl_experiment **out, struct sl_error *err) SL_MUST_USE;

/* plan.c: a list of jobs that a step reads. */
struct sl_needs {
    size_t jobs[16];
    size_t count;
};
void sl_needs_add(struct sl_needs *needs, size_t job);
/* The job with this step, which is taken, and this record of what it depends on, which is taken too
 * (NULL: what the step itself says); `suffix` is its output's (".npz"), or "/" for a run's folder
 * of which the weights are the output. Its own place is missing only if something it needs is. */
size_t sl_plan_add_job(struct sl_planner *planner, json_t *step, json_t *record, const char *suffix,
                       const struct sl_needs *needs, const char *title);
/* The job with this output, or NULL. */
const struct sl_job *sl_plan_job_of(const struct sl_experiment *plan, const char *output);
/* Say why a job cannot be made, unless that is said already. */
void sl_plan_miss(struct sl_planner *planner, size_t job, const char *reason);
/* Whether a text is a data set that has a name ("cifar10:test"). */
bool sl_plan_names_data(const char *text);
/* That this process has had: what else runs on the machine does not count. */
double sl_processor_seconds(void);

/* seen.c: what a data set holds, looked up once; SL_ERR_NOT_FOUND if it is not here. */
struct sl_plan_set {
    size_t count;
    size_t shape[3], n_classes; /* channels, height, width; zeros: texts */
    double seconds;             /* that it took to open, of a processor */
};
enum sl_status sl_plan_data(struct sl_planner *planner, const char *name, struct sl_plan_set *out,
                            struct sl_error *err) SL_MUST_USE;
/* Whether its pictures differ in size and the design gives none; *err says so. */
bool sl_plan_lacks_size(struct sl_planner *planner, const char *name, struct sl_error *err);
/* SHA-256 of what is in it, borrowed until the next set is looked at; NULL if it is not here. */
const char *sl_plan_data_hash(struct sl_planner *planner, const char *name);
/* How many items a file lists; false if nobody has counted them yet. */
bool sl_plan_has_counted(const struct sl_planner *planner, const char *place, size_t *count);
void sl_plan_keep_count(struct sl_planner *planner, const char *place, size_t count);

void sl_run_release(struct sl_run *run);
void sl_json_hash(const json_t *value, char out[65]);
/* Whether a list of texts has this one. */
bool sl_plan_lists(const json_t *list, const char *text);
const char *sl_plan_text(const json_t *object, const char *key); /* or NULL */

/* identity.c: what things depend on, as JSON that the caller owns. Of a data set, of a text that
 * may name a file or another job's output, of a value with such texts within (its member `key`),
 * and of a step. */
json_t *sl_identity_of_data(struct sl_planner *planner, const char *name);
json_t *sl_identity_of_text(struct sl_planner *planner, const char *text);
json_t *sl_identity_of_value(struct sl_planner *planner, const char *key, json_t *value);
json_t *sl_identity_of_step(struct sl_planner *planner, json_t *step);
/* The key of a record, which is taken: with its kind, the version of records and that of the
 * arithmetic. */
enum { SL_RECORD_VERSION = 1 };
void sl_identity_key(const char *what, json_t *record, char out[SL_SHA256_TEXT]);

/* expand_files.c: jobs for commands, label sets and index files. */
/* Words of a command with the placeholders filled in; files become jobs that are added to needs. */
json_t *sl_expand_words(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                        struct sl_needs *needs);
/* One of them, which the caller frees. */
char *sl_expand_word(struct sl_planner *planner, const char *word, int64_t seed,
                     struct sl_needs *needs);
size_t sl_expand_file(struct sl_planner *planner, const char *name, int64_t seed);
/* A command's job; what it prints is kept where `printed`. */
size_t sl_expand_command(struct sl_planner *planner, const struct sl_text_list *words, int64_t seed,
                         bool printed, const char *title);
/* The labels of a set or reference with all that becomes of them; SL_NO_JOB: hard labels. */
size_t sl_expand_labels(struct sl_planner *planner, const char *name, const struct sl_spec_set *set,
                        int64_t seed);

/* Which items of a data set. */
struct sl_item_choice {
    const char *data;
    const char *split;   /* a path, @set/file, "share:X", "rest" (of the design's share), or NULL */
    const char *only;    /* "imagenet", or NULL */
    int64_t folds, fold; /* 0: none */
    bool held_out;       /* of the fold: what it holds out; else the others */
    int64_t first;       /* of a seeded order; 0: all */
    int64_t seed;
};
/* The file of their indices, which the caller frees; NULL for all items. The job that writes it, if
 * it is not there already, is added to `needs`. */
char *sl_expand_items(struct sl_planner *planner, const struct sl_item_choice *choice,
                      struct sl_needs *needs);
/* How many they are, as far as that can be seen before it is run. */
enum sl_status sl_expand_count(struct sl_planner *planner, const struct sl_item_choice *choice,
                               size_t *out, struct sl_error *err) SL_MUST_USE;
/* Items by name, drawn from a label set: of a hold-out. Its output has a name on each line. */
size_t sl_expand_holdout(struct sl_planner *planner, int64_t seed);
/* The indices of the items that a file of names lists. */
size_t sl_expand_named(struct sl_planner *planner, const char *data, size_t names);

/* expand_train.c: a training. */
struct sl_training_choice {
    const char *set_name;
    const struct sl_spec_set *set;
    const char *network;
    int64_t seed, fold; /* fold -1: none */
};
size_t sl_expand_training(struct sl_planner *planner, const struct sl_training_choice *choice);
/* The weights that trainings begin with, or SL_NO_JOB. */
size_t sl_expand_start(struct sl_planner *planner, const char *network);

/* The job of the labels of a reference; SL_NO_JOB: hard labels, as for NULL and "hard". */
size_t sl_expand_reference(struct sl_planner *planner, const char *name, int64_t seed);
/* The job of the labels that an epoch of the set is chosen by, SL_NO_JOB: hard. */
size_t sl_expand_dev_labels(struct sl_planner *planner, const struct sl_training_choice *choice);
/* In a test: the labels that an epoch of the run's set is chosen by. */
#define SL_DEV_LABELS "{dev}"

/* expand_tests.c: the scores of a run, and its key. False if there are none. */
bool sl_expand_tests(struct sl_planner *planner, const struct sl_training_choice *choice,
                     size_t training, struct sl_run *run);
void sl_run_add_scores(struct sl_run *run, size_t job);

/* expand_answer.c: what a specification's question needs of a run, in run->measured and the key. */
void sl_expand_answer(struct sl_planner *planner, const struct sl_training_choice *choice,
                      struct sl_run *run);
/* tune.c: the set with what was chosen for it and the network: settings, and options ("--gamma") of
 * the command that makes its labels. The caller releases it. */
struct sl_spec_set sl_tuned_set(const json_t *tuned, const char *set_name, const char *network,
                                const struct sl_spec_set *set);

/* expand_figures.c: figures that need no training. */
void sl_expand_figures(struct sl_planner *planner, struct sl_run *run);

/* place.c: "@set/file" where it is on this machine: in a set of fetch's, or else below one of the
 * roots, in which case the program's own commands cannot find it. */
bool sl_experiment_place_is_known(const char *name);
enum sl_status sl_experiment_place(const struct sl_data_roots *roots, const char *name, char **out,
                                   struct sl_error *err) SL_MUST_USE;

/* prepare.c: do the step of a job that is not a command, in the results folder. */
enum sl_status sl_prepare(json_t *step, const char *output, const struct sl_data_roots *roots,
                          struct sl_error *err) SL_MUST_USE;

#endif
