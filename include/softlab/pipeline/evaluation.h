/* Evaluation: from predictions, or from weights and items, to scores. */
#ifndef SOFTLAB_PIPELINE_EVALUATION_H
#define SOFTLAB_PIPELINE_EVALUATION_H

#include "softlab/base/json.h"
#include "softlab/eval.h"
#include "softlab/eval/defer.h"
#include "softlab/eval/shift.h"
#include "softlab/label.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* How counts of answers become distributions. */
enum sl_eval_counts {
    SL_COUNTS_GUESS, /* whole numbers are divided by their sum, all else must be distributions */
    SL_COUNTS_NORMALISE, /* divided by their sum */
    SL_COUNTS_SOFTMAX,
};

/* The options of an evaluation. Texts are borrowed; NULL: not given. */
struct sl_eval_job {
    const char *labels; /* annotators' labels; NULL: those beside the predictions, or hard labels */
    const char *metrics; /* comma-separated names; NULL: all */
    struct sl_metric_options options;
    size_t bootstrap;     /* resamples of the items for intervals; 0: none */
    uint64_t seed;        /* of the bootstrap */
    const char *against;  /* predictions of another model, or another network, for paired tests */
    bool per_class, each; /* report each class; with several files, report each file */
    const char *plots;    /* a folder to write plots into, as sl_evaluation_write_plots does */
    /* For files of predictions. */
    const char *hard; /* true classes: a file or a data set; NULL: the largest in `labels` */
    enum sl_eval_counts counts;
    const char *order;         /* a file whose value at r is the item number of row r */
    bool subset;               /* leave out labelled items without a prediction */
    struct sl_real_list defer; /* numbers of people who decide uncertain items; none: nobody */
    int defer_by;              /* an index of sl_certainties */
    const char *answers;       /* people's answers for `defer`; NULL: `labels` are their counts */
    double seconds_per_answer; /* 0: the times of the answers, if they have any */
    /* For weights. */
    const char *data, *split;
    struct sl_load_options images; /* zeros: as the network reads them */
    const char *tests;             /* a JSON file of several test sets, instead of `data` */
    const char *attacks;           /* comma-separated presets */
    size_t attack_items;           /* 0: all */
    bool attack_hard; /* attack the loss on hard labels instead of the annotators' labels */
    bool corrupted;   /* also score the 15 corruptions of CIFAR-10-C */
    bool extra;       /* also score the 4 corruptions outside the benchmark */
    struct sl_real_list severities; /* 1 to 5; none: 3 */
    const char *corruption_folder;  /* with published files, as in struct sl_shift_options */
    bool dry_run;                   /* read and count the items, but score nothing */
};
struct sl_eval_job sl_eval_job_default(void);

/* The options, with mode bits: one file of predictions or several; a network on items or on the
 * test sets of a file; the same without scoring (dry run). */
enum {
    SL_EVAL_ONE = 1,
    SL_EVAL_SEVERAL = 2,
    SL_EVAL_ITEMS = 4,
    SL_EVAL_TESTS = 8,
    SL_EVAL_CHECKS_ITEMS = 32,
    SL_EVAL_CHECKS_TESTS = 64
};
/* The mode bit of what a measure reads (SL_METRIC_READS_...). */
#define SL_EVAL_READS(what) ((uint64_t)(what) << 8)
extern const struct sl_field_row sl_eval_job_options[];
/* Its result is the JSON of sl_evaluation_json or sl_weights_evaluation_json. */
extern const struct sl_task sl_eval_task;

/* A model's predictions matched with labels. */
struct sl_evaluated_model {
    const char *path; /* borrowed; the name in messages */
    enum sl_prediction_kind kind;
    struct sl_scored *scored;     /* owned */
    const char *labels;           /* borrowed; the source of the labels */
    const char *reference;        /* static; how the labels were interpreted */
    char *hard;                   /* owned; the source of the hard labels */
    struct sl_recorded *recorded; /* owned; the answers of `defer`, in the order of `scored`; NULL
                                     without it */
    const char *answers;          /* borrowed; their source */
};

/* Scores of one or several models on the same labels. */
struct sl_evaluation {
    const struct sl_eval_job *job;        /* borrowed */
    const struct sl_workplace *workplace; /* borrowed */
    struct sl_metric_options options;
    const struct sl_metric **metrics; /* owned; the chosen ones, in the order of the table */
    size_t n_metrics;
    struct sl_evaluated_model *models; /* owned; n_models, followed by the model of `against` */
    size_t n_models;
    double *each;                  /* owned; (n_models, n_metrics) */
    struct sl_interval *intervals; /* owned; per metric; NaN to NaN if there is none */
    const char *interval;          /* static; how intervals were computed, or NULL */
    struct sl_paired *paired;      /* owned; per metric; NULL without `against` */
    struct sl_defer_curve *curves; /* owned; of the first model, for each number of people */
    size_t n_curves;
};
/* Score files of predictions; several files are runs of one model with different seeds. */
enum sl_status sl_evaluate_predictions(const struct sl_eval_job *job, char *const *paths,
                                       size_t count, const struct sl_workplace *workplace,
                                       struct sl_evaluation *out, struct sl_error *err) SL_MUST_USE;
void sl_evaluation_release(struct sl_evaluation *evaluation);
/* All results as a new JSON object. */
json_t *sl_evaluation_json(const struct sl_evaluation *evaluation) SL_MUST_USE;

/* Write reliability.svg, confidence.svg and risk-coverage.svg of the first model into a folder,
 * which is created; the last also has the curve of `against`. With `defer` also defer.svg and
 * defer-cost.svg. The log names each file. */
enum sl_status sl_evaluation_write_plots(const struct sl_evaluation *evaluation, const char *folder,
                                         struct sl_error *err) SL_MUST_USE;

/* Whether a path names weights or a run's folder rather than predictions. */
bool sl_eval_is_weights(const char *path);

/* Scores of a network on one or several test sets. */
struct sl_weights_evaluation {
    char **names;                /* owned; the names of the test sets, NULL-ended */
    struct sl_evaluation *tests; /* owned; one per test set; a dry run leaves them without models */
    size_t n_tests;
    json_t *scores;  /* owned; {test: {"n": ..., "metrics": {...}, "attacks": ..., ...}} */
    json_t *classes; /* owned; names of the classes */
    struct sl_eval_tests *described; /* private; the tests that were asked for */
};
enum sl_status sl_evaluate_weights(const struct sl_eval_job *job, const char *weights,
                                   const struct sl_workplace *workplace,
                                   struct sl_weights_evaluation *out,
                                   struct sl_error *err) SL_MUST_USE;
void sl_weights_evaluation_release(struct sl_weights_evaluation *evaluation);
/* The plots of every test set; of several, each in a folder of its own within `folder`, called
 * after the set with '-' for '/'. */
enum sl_status sl_weights_evaluation_write_plots(const struct sl_weights_evaluation *evaluation,
                                                 const char *folder,
                                                 struct sl_error *err) SL_MUST_USE;
/* The scores and classes as a new JSON object. */
json_t *sl_weights_evaluation_json(const struct sl_weights_evaluation *evaluation) SL_MUST_USE;

SL_END_DECLS

#endif
