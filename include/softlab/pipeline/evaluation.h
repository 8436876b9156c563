/* Evaluation: predictions, or weights and items, to scores. */
#ifndef SOFTLAB_PIPELINE_EVALUATION_H
#define SOFTLAB_PIPELINE_EVALUATION_H

#include "softlab/base/json.h"
#include "softlab/eval.h"
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

/* Everything that can be said about an evaluation; texts are borrowed, NULL where nothing is
 * said. */
struct sl_eval_job {
    const char *labels;  /* what people said; NULL: the predictions' own, or hard labels */
    const char *metrics; /* comma-separated names; NULL: all */
    struct sl_metric_options options;
    size_t bootstrap;     /* resamples of the items for intervals; 0: none */
    uint64_t seed;        /* of the bootstrap */
    const char *against;  /* predictions of another model, or another network: paired tests */
    bool per_class, each; /* a line per class; of several files the values of every one */
    /* of files of predictions */
    const char *hard; /* true classes: a file or a data set; NULL: people's first choice */
    enum sl_eval_counts counts;
    const char *order; /* row r is the item whose number stands at r of this file */
    bool subset;       /* leave out labelled items without a prediction */
    /* of weights */
    const char *data, *split;
    struct sl_load_options images;  /* zeros: as the network reads them */
    const char *tests;              /* a JSON file of several test sets, instead of `data` */
    const char *attacks;            /* comma-separated presets */
    size_t attack_items;            /* 0: all */
    bool attack_hard;               /* the attack's loss is against hard labels */
    bool corrupted;                 /* score the benchmark's corruptions of the items too */
    bool extra;                     /* and the four outside of it */
    struct sl_real_list severities; /* 1 to 5; none: 3 */
    const char *corruption_folder;  /* of published files, as in struct sl_shift_options */
    bool dry_run;                   /* read and count the items, and score nothing */
};
struct sl_eval_job sl_eval_job_default(void);

/* What can be said, with bits for what it is said about: one file of predictions or several; a
 * network on items or on the test sets of a file, or these only read and counted. */
enum {
    SL_EVAL_ONE = 1,
    SL_EVAL_SEVERAL = 2,
    SL_EVAL_ITEMS = 4,
    SL_EVAL_TESTS = 8,
    SL_EVAL_CHECKS_ITEMS = 32,
    SL_EVAL_CHECKS_TESTS = 64
};
/* The bit of what a measure reads (SL_METRIC_READS_...). */
#define SL_EVAL_READS(what) ((uint64_t)(what) << 8)
extern const struct sl_field_row sl_eval_job_options[];
/* Finds out the JSON of the functions below. */
extern const struct sl_task sl_eval_task;

/* A model beside labels. */
struct sl_evaluated_model {
    const char *path; /* borrowed; as messages call it */
    enum sl_prediction_kind kind;
    struct sl_scored *scored; /* owned */
    const char *labels;       /* where the labels come from; borrowed */
    const char *reference;    /* what the labels were taken to be; static */
    char *hard;               /* owned; where the hard labels come from */
};

/* What is known of predictions beside labels. */
struct sl_evaluation {
    const struct sl_eval_job *job;        /* borrowed */
    const struct sl_workplace *workplace; /* borrowed */
    struct sl_metric_options options;
    const struct sl_metric **metrics; /* owned; those chosen, in the order of the table */
    size_t n_metrics;
    struct sl_evaluated_model *models; /* owned; n_models, and after them the one of `against` */
    size_t n_models;
    double *each;                  /* owned; (n_models, n_metrics) */
    struct sl_interval *intervals; /* owned; per metric; low and high are NaN without an interval */
    const char *interval;          /* what they are; NULL = none; static */
    struct sl_paired *paired;      /* owned; per metric with `against`, or NULL */
};
/* Files of predictions; several are runs of one model with other seeds. */
enum sl_status sl_evaluate_predictions(const struct sl_eval_job *job, char *const *paths,
                                       size_t count, const struct sl_workplace *workplace,
                                       struct sl_evaluation *out, struct sl_error *err) SL_MUST_USE;
void sl_evaluation_release(struct sl_evaluation *evaluation);
/* All of it as a new JSON object. */
json_t *sl_evaluation_json(const struct sl_evaluation *evaluation) SL_MUST_USE;

/* Whether a path names weights or a run's folder, and not predictions. */
bool sl_eval_is_weights(const char *path);

/* A network on one or several test sets. */
struct sl_weights_evaluation {
    char **names;                /* owned; of the test sets, NULL-ended */
    struct sl_evaluation *tests; /* owned; one per test set, without models after a dry run */
    size_t n_tests;
    json_t *scores;  /* owned; {test: {"n": ..., "metrics": {...}, "attacks": ..., ...}} */
    json_t *classes; /* owned; names of the classes */
    struct sl_eval_tests *described; /* private; what the tests were asked for */
};
enum sl_status sl_evaluate_weights(const struct sl_eval_job *job, const char *weights,
                                   const struct sl_workplace *workplace,
                                   struct sl_weights_evaluation *out,
                                   struct sl_error *err) SL_MUST_USE;
void sl_weights_evaluation_release(struct sl_weights_evaluation *evaluation);
/* Its scores and classes as a new JSON object. */
json_t *sl_weights_evaluation_json(const struct sl_weights_evaluation *evaluation) SL_MUST_USE;

SL_END_DECLS

#endif
