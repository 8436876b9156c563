/* Private to pipeline/scoring/: what an evaluation is made of. */
#ifndef SOFTLAB_PIPELINE_EVALUATE_H
#define SOFTLAB_PIPELINE_EVALUATE_H

#include "softlab/eval/attack.h"
#include "softlab/pipeline/evaluation.h"
#include "softlab/pipeline/files.h"
#include "softlab/pipeline/items.h"

/* measure.c: an evaluation of so many models, none of them read; the measures of `names`
 * (NULL-ended), in the order of the table, or all; then of models that are read, values, intervals
 * and tests. */
void sl_evaluation_init(struct sl_evaluation *out, const struct sl_eval_job *job,
                        const struct sl_workplace *workplace,
                        const struct sl_metric_options *options, size_t n_models);
enum sl_status sl_eval_choose_metrics(struct sl_evaluation *run, char *const *names,
                                      struct sl_error *err) SL_MUST_USE;
enum sl_status sl_eval_measure(struct sl_evaluation *run, struct sl_error *err) SL_MUST_USE;

/* inputs.c: read a file of predictions and score it. Errors name the file. */
enum sl_status sl_eval_read(const struct sl_workplace *workplace, const struct sl_eval_job *job,
                            const char *path, struct sl_evaluated_model *out,
                            struct sl_error *err) SL_MUST_USE;
void sl_eval_model_release(struct sl_evaluated_model *model);

/* hard.c: a class for every row of `labels`, SL_NO_LABEL where nothing is said, from a file or
 * a data set; items of a file that have no row are counted. The caller frees it. */
enum sl_status sl_eval_read_hard(const struct sl_workplace *workplace, const char *name,
                                 const struct sl_rows *labels, const char *owner,
                                 struct sl_strangers *strangers, int32_t **out,
                                 struct sl_error *err) SL_MUST_USE;
/* The array `labels` of an .npz, or an .npy, that is one class per row, numbered as in `like`:
 * where the .npz and `like` both name their classes, by name. NULL in *out if it is something else.
 * The caller frees it. */
enum sl_status sl_eval_read_vector(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_class_list *like, int32_t **out, size_t *count,
                                   struct sl_error *err) SL_MUST_USE;

/* json.c: intervals, classes and the other model, where they were asked for. */
void sl_evaluation_json_more(const struct sl_evaluation *run, json_t *into);

/* A test set: what the job or one member of its file of tests says. Texts are borrowed. */
enum { SL_EVAL_MAX_ATTACKS = 8 };
struct sl_eval_test {
    const char *name;
    char *title; /* owned; "runs/x", or of several tests "runs/x on easy" */
    const char *data, *split;
    struct sl_load_options images;
    char **items;             /* owned; NULL-ended names of the items instead of a split, or NULL */
    const char *labels;       /* "hard", "truth", or a file */
    char *places[2];          /* owned; the files that "@set/file" stands for, or NULL */
    const char *labels_shown; /* the labels as messages call them */
    char **metrics;           /* owned; NULL-ended names, or NULL: all */
    const struct sl_attack_preset *attacks[SL_EVAL_MAX_ATTACKS];
    size_t n_attacks;
    size_t attack_items; /* 0: all */
    bool attack_hard;    /* the attack's loss is against hard labels */
    bool corrupted;
    struct sl_shift_options shift;
    struct sl_metric_options options;
    size_t gallery; /* items to show */
};
struct sl_eval_tests {
    struct sl_eval_test *tests; /* owned */
    size_t count;
    struct sl_json document; /* that the texts are borrowed from */
};
/* The tests of job->tests, else the one of job->data. */
enum sl_status sl_eval_tests_read(const struct sl_workplace *workplace,
                                  const struct sl_eval_job *job, const char *weights,
                                  struct sl_eval_tests *out, struct sl_error *err) SL_MUST_USE;
void sl_eval_tests_release(struct sl_eval_tests *tests);

/* gallery.c: pictures of some items with what people and the network said. */
json_t *sl_eval_gallery(const struct sl_feeding *feeding, const struct sl_scored *scored,
                        size_t count);

#endif
