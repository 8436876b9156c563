/* Label: from answers to label distributions, of one annotator or averaged. Pure functions over
 * arrays: no files, no hidden randomness.
 *
 * The methods follow the papers' programs exactly; docs/internals/labels.md defines each of
 * them. */
#ifndef SOFTLAB_LABEL_H
#define SOFTLAB_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/error.h"
#include "softlab/base/rows.h"

SL_BEGIN_DECLS

/* What happened to the answers, so that none is lost silently. */
struct sl_label_notes {
    size_t n_used;        /* answers that entered labels */
    size_t n_flagged;     /* left out: checks, and repeats and second runs that were not kept */
    size_t n_undrawn;     /* left out by `annotators` */
    size_t n_unusable;    /* left out because the method could not read them */
    size_t n_weightless;  /* left out because their annotator has weight 0 */
    size_t n_empty_items; /* items without any remaining answer; they have no row */
    double ms_used;       /* the total time of the used answers; NaN if one was not timed */
    size_t n_timed;       /* used answers whose time is known */
    double ms_timed;      /* the total time of these */
    struct sl_error first_unusable;
};

struct sl_label_options {
    double gamma; /* mass for possible classes that were not named, .1; for mix the base of the
                     smoothing gamma^confidence, .005, where 0 means no smoothing; NaN = the
                     method's own */
    double beta;  /* label smoothing, .05 */
    double temperature;      /* of softmax, 1 */
    const float *similarity; /* (K, K) cosines of the classes' words, for semantic; or NULL */
    const int32_t *truth;    /* class per item or -1, for hard, smooth and class; or NULL: the class
                                with the most votes, the first of tied ones */
    const double *weights; /* of the annotators, at least 0: an item's label is the weighted mean of
                              its rows; or NULL: equal weights */
    bool per_annotator;    /* a row per answer instead of the mean per item */
    bool mean_first;       /* mix: average lambda and confidence before smoothing */
    bool generated;        /* mix: the share that was mixed instead of the inferred one */
    size_t annotators;     /* draw this many answers per item; 0 = all */
    unsigned keep;         /* flags of answers kept: 0 leaves out repeats and second runs */
    uint64_t seed;
    struct sl_label_notes *notes; /* borrowed; NULL = an unusable answer is an error */
};
struct sl_label_options sl_label_options_default(void);
/* SL_ERR_USAGE naming the option that is out of range. */
enum sl_status sl_label_options_check(const struct sl_label_options *options,
                                      struct sl_error *err) SL_MUST_USE;

/* An item and the sum of its answers' rows. */
struct sl_label_item {
    struct sl_field name;
    int32_t truth; /* class, or -1 */
    size_t n_answers;
    size_t n_classes;
};

/* The fields of struct sl_label_options that change a method's labels, besides the choice of
 * answers; the method ignores the others. */
enum {
    SL_LABEL_READS_GAMMA = 1,
    SL_LABEL_READS_BETA = 2,
    SL_LABEL_READS_TEMPERATURE = 4,
    SL_LABEL_READS_SIMILARITY = 8,
    SL_LABEL_READS_TRUTH = 16, /* not per annotator */
    SL_LABEL_READS_MIX = 32,   /* mean_first and generated */
    SL_LABEL_READS_SEED = 64,  /* also where no answers are drawn */
};

/* A label method has up to three steps: a row per answer, an item's label from its rows, and new
 * labels from the labels of all items. `inputs` is the number of inputs that the annotator is asked
 * for, which decides the cost of a label. */
struct sl_label_method {
    const char *name;
    const char *also; /* other names of the method, separated by spaces; or NULL */
    const char *summary;
    unsigned kinds; /* bit set of 1u << enum sl_answer_kind it reads; 0 = reads no answers */
    unsigned reads; /* bit set of SL_LABEL_READS_... */
    int inputs;
    double gamma; /* where options say NaN */
    /* The label of one answer, with gamma set; NULL if the method reads no answers. Call
     * sl_label_row. */
    enum sl_status (*row)(const struct sl_answer *answer, size_t n_classes,
                          const struct sl_label_options *options, double *out,
                          struct sl_error *err);
    /* One item's label, in place of the sum of its rows; NULL = their mean. */
    enum sl_status (*item)(const struct sl_label_item *item, const struct sl_label_options *options,
                           double *row, struct sl_error *err);
    /* New labels of all items from their mean rows, in place. `classes` holds each item's true
     * class or the class with the most votes. NULL for most methods. */
    enum sl_status (*all)(const int32_t *classes, size_t n_items, size_t n_classes, float *rows,
                          struct sl_error *err);
};
extern const struct sl_label_method sl_label_methods[]; /* ends with a NULL name */
const struct sl_label_method *sl_label_method_find(const char *name);
/* The method whose other name is `name` ("one-hot": hard), for suggestions; or NULL. */
const struct sl_label_method *sl_label_method_known_as(const char *name);

/* The label of one answer alone, `out` of n_classes values. SL_ERR_INPUT if the method does not
 * read the answer's kind or cannot read the answer, SL_ERR_USAGE if an option is missing. */
enum sl_status sl_label_row(const struct sl_label_method *method, const struct sl_answer *answer,
                            size_t n_classes, const struct sl_label_options *options, double *out,
                            struct sl_error *err) SL_MUST_USE;

/* Label sets: a row per item that has answers (per_annotator: per answer), in the set's order.
 * SL_ERR_INPUT naming item and annotator where an answer cannot be read. */
enum sl_status sl_labels_build(const struct sl_label_method *method,
                               const struct sl_answers *answers,
                               const struct sl_label_options *options, struct sl_rows **out,
                               struct sl_error *err) SL_MUST_USE;

/* Cosines of word vectors (n, dimensions) to `out` (n, n), for options.similarity. SL_ERR_INPUT
 * naming the vector that is zero or not finite. */
enum sl_status sl_similarity_cosines(const float *vectors, size_t n, size_t dimensions, float *out,
                                     struct sl_error *err) SL_MUST_USE;

/* The mean over nets of softmax(logits / temperature). Probabilities instead of logits are
 * raised to 1 / temperature and renormalised. Sets must agree in rows, items and classes. */
enum sl_prediction_kind { SL_PREDICTION_LOGITS, SL_PREDICTION_PROBABILITIES };
enum sl_status sl_rows_ensemble(const struct sl_rows *const *sets, size_t n_sets,
                                enum sl_prediction_kind kind, double temperature,
                                struct sl_rows **out, struct sl_error *err) SL_MUST_USE;

/* Published times in seconds, for comparison with the papers, never instead of measured ones: one
 * input where only whole trials were timed, 32 s / 5 (Collins et al. 2022); a CIFAR-10H answer, as
 * the median of Collins et al. and as the mean of the thesis. Instructions and practice are not
 * included. */
#define SL_SECONDS_PER_INPUT     6.4
#define SL_CIFAR10H_SECONDS      1.8
#define SL_CIFAR10H_SECONDS_MEAN 2.5

/* Annotation seconds of one item's label from `annotators` answers. `measured` holds the median
 * seconds of each of `n_measured` inputs in the order they are asked for; inputs beyond it, or all
 * with NULL, count SL_SECONDS_PER_INPUT. */
double sl_label_seconds(const struct sl_label_method *method, double annotators,
                        const double *measured, size_t n_measured);

SL_END_DECLS

#endif
