/* Private to pipeline/scoring/: the parts of an evaluation. */
#ifndef SOFTLAB_PIPELINE_EVALUATE_H
#define SOFTLAB_PIPELINE_EVALUATE_H

#include "softlab/eval/attack.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/pipeline/files.h"
#include "softlab/pipeline/items.h"

/* measure.c: prepare an evaluation of this many models; choose the measures of `names` (NULL-ended;
 * NULL: all) in the order of the table; and, once models are read, compute values, intervals and
 * tests. */
void sl_evaluation_init(struct sl_evaluation *out, const struct sl_eval_job *job,
                        const struct sl_workplace *workplace,
                        const struct sl_metric_options *options, size_t n_models);
enum sl_status sl_eval_choose_metrics(struct sl_evaluation *run, char *const *names,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_eval_measure(struct sl_evaluation *run, struct sl_error *err) SL_MUST_USE;
/* The resamples of a job: 1000 where a bootstrap is needed and --bootstrap is not given. */
struct sl_bootstrap_options sl_eval_bootstrap(const struct sl_eval_job *job);

/* inputs.c: read a file of predictions and match it with labels. Errors name the file. */
enum sl_status sl_eval_read(const struct sl_workplace *workplace, const struct sl_eval_job *job,
                            const char *path, struct sl_evaluated_model *out,
                            struct sl_error *err) SL_MUST_USE;
void sl_eval_model_release(struct sl_evaluated_model *model);

/* hard.c: the class of every row of `labels`, SL_NO_LABEL if unknown, from a file or a data set;
 * counts items of a file that have no row. The caller frees it. */
enum sl_status sl_eval_read_hard(const struct sl_workplace *workplace, const char *name,
                                 const struct sl_rows *labels, const char *owner,
                                 struct sl_strangers *strangers, int32_t **out,
                                 struct sl_error *err) SL_MUST_USE;
/* The array `labels` of an .npz, or an .npy, if it is one class per row. Classes are renumbered by
 * name if both the .npz and `like` name them. *out stays NULL if the array is something else. The
 * caller frees it. */
enum sl_status sl_eval_read_vector(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_class_list *like, int32_t **out, size_t *count,
                                   struct sl_error *err) SL_MUST_USE;

/* The item names of rows; the number of a name is its row. SL_ERR_INPUT if two rows have the same.
 */
enum sl_status sl_eval_name_items(const struct sl_rows *rows, struct sl_name_table **out,
                                  struct sl_error *err) SL_MUST_USE;
/* Class names, or numbers if `classes` is NULL; NULL-ended, for sl_names_destroy. */
char **sl_eval_name_classes(char *const *classes, size_t n_classes);

/* recorded.c: people's answers for --defer, in the order of model->scored: from --answers, or else
 * from `counts`, rows like the labels. `labels` says what items are called. */
enum sl_status sl_eval_read_recorded(const struct sl_workplace *workplace,
                                     const struct sl_eval_job *job, const struct sl_rows *labels,
                                     const struct sl_rows *counts, struct sl_evaluated_model *model,
                                     struct sl_error *err) SL_MUST_USE;

/* defer.c: refuse numbers of people that make no sense; make the curves of the first model; and
 * describe them. */
enum sl_status sl_eval_check_defer(const struct sl_eval_job *job, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_eval_defer(struct sl_evaluation *run, struct sl_error *err) SL_MUST_USE;
json_t *sl_eval_defer_json(const struct sl_evaluation *run);

/* json.c: add intervals, per-class scores, paired tests and deferral, if asked for. */
void sl_evaluation_json_more(const struct sl_evaluation *run, json_t *into);

/* A test set, described by the job or by one member of its file of tests. Texts are borrowed. */
enum { SL_EVAL_MAX_ATTACKS = 8 };
struct sl_eval_test {
    const char *name;
    char *title; /* owned; "runs/x", or with several tests "runs/x on easy" */
    const char *data, *split;
    struct sl_load_options images;
    char **items;             /* owned; NULL-ended item names, instead of a split; or NULL */
    const char *labels;       /* "hard", "truth", or a file */
    char *places[2];          /* owned; the files that "@set/file" stands for, or NULL */
    const char *labels_shown; /* the name of the labels in messages */
    char **metrics;           /* owned; NULL-ended names, or NULL: all */
    const struct sl_attack_preset *attacks[SL_EVAL_MAX_ATTACKS];
    size_t n_attacks;
    size_t attack_items; /* 0: all */
    bool attack_hard;    /* attack the loss on hard labels */
    bool corrupted;
    struct sl_shift_options shift;
    struct sl_metric_options options;
    size_t gallery; /* number of items to show */
};
struct sl_eval_tests {
    struct sl_eval_test *tests; /* owned */
    size_t count;
    struct sl_json document; /* owned; the texts are borrowed from it */
};
/* Read the tests of job->tests, or make one of job->data. */
enum sl_status sl_eval_tests_read(const struct sl_workplace *workplace,
                                  const struct sl_eval_job *job, const char *weights,
                                  struct sl_eval_tests *out, struct sl_error *err) SL_MUST_USE;
void sl_eval_tests_release(struct sl_eval_tests *tests);

/* gallery.c: pictures of some items with the annotators' and the network's distributions. */
json_t *sl_eval_gallery(const struct sl_feeding *feeding, const struct sl_scored *scored,
                        size_t count);

#endif
