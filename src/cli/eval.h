/* What belongs to cmd_eval.c: the predictions scored, and their table, JSON and plots. */
#ifndef SOFTLAB_CLI_EVAL_H
#define SOFTLAB_CLI_EVAL_H

#include "cmd.h"
#include "softlab/eval.h"

struct eval_values {
    const char *labels, *order, *hard, *reference;
    const char *against, *metrics, *plots;
    int64_t bins, bin_size, bootstrap, seed;
    double clip;
    bool subset, each, per_class, list, json;
    /* of weights */
    const char *data, *split, *tests, *attack, *corruption_folder;
    struct cli_images images;
    int64_t attack_items;
    struct cli_reals severity;
    bool attack_hard, corruptions, extra, dry_run;
};

/* One file of predictions beside its labels. */
struct eval_model {
    const char *path; /* borrowed */
    enum sl_prediction_kind kind;
    struct sl_scored *scored; /* owned */
    const char *labels;       /* where the labels come from; borrowed */
    const char *reference;    /* what the labels were taken to be; static */
    char *hard;               /* owned; where the hard labels come from */
};

/* Everything that is printed. */
struct eval_run {
    const struct cli *cli;            /* borrowed */
    const struct eval_values *values; /* borrowed */
    struct sl_metric_options options;
    const struct sl_metric **metrics; /* owned; those chosen, in the order of the table */
    size_t n_metrics;
    struct eval_model *models; /* owned; n_models, and after them the one of --against */
    size_t n_models;
    double *each;                  /* owned; (n_models, n_metrics) */
    struct sl_interval *intervals; /* owned; per metric; low and high are NaN without an interval */
    const char *interval;          /* what they are; NULL = none; static */
    struct sl_paired *paired;      /* owned; per metric with --against, or NULL */
};

/* eval_run.c: a run of so many models, none of them read; the measures of `names` (NULL-ended), in
 * the order of the table, or all; then of models that are read, values, intervals and tests. */
void eval_run_init(struct eval_run *run, const struct cli *cli, const struct eval_values *values,
                   const struct sl_metric_options *options, size_t n_models);
enum sl_status eval_choose_metrics(struct eval_run *run, char *const *names, struct sl_error *err);
enum sl_status eval_measure(struct eval_run *run, struct sl_error *err);
void eval_run_release(struct eval_run *run);

/* eval_inputs.c: read a file of predictions and score it. Errors name the file. */
enum sl_status eval_read(const struct cli *cli, const struct eval_values *values, const char *path,
                         struct eval_model *out, struct sl_error *err);
void eval_model_release(struct eval_model *model);

/* eval_hard.c: a class for every row of `labels`, SL_NO_LABEL where nothing is said, from a file or
 * a data set; items of a file that have no row are counted. The caller frees it. */
enum sl_status eval_read_hard(const struct cli *cli, const char *name, const struct sl_rows *labels,
                              const char *owner, struct cli_strangers *strangers, int32_t **out,
                              struct sl_error *err);
/* The array `labels` of an .npz, or an .npy, that is one class per row, numbered as in `like`:
 * where the .npz and `like` both name their classes, by name. NULL in *out if it is something else.
 * The caller frees it. */
enum sl_status eval_read_vector(const struct cli *cli, const char *path,
                                const struct sl_class_list *like, int32_t **out, size_t *count,
                                struct sl_error *err);

/* eval_print.c, eval_json.c, eval_plots.c: what is known of a run, as tables, JSON, and SVG in a
 * folder. */
void eval_print(const struct eval_run *run);
void eval_print_classes(const struct eval_run *run);
json_t *eval_json(const struct eval_run *run);
/* Intervals, classes and the other model, where they were asked for. */
void eval_json_more(const struct eval_run *run, json_t *into);
enum sl_status eval_plots(const struct eval_run *run, const char *folder, struct sl_error *err);
enum sl_status eval_list(bool json, struct sl_error *err);
/* "larger", "smaller" or "": which values of a measure are better. */
const char *eval_better(const struct sl_metric *metric);

#endif
