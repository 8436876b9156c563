/* Labels: answers, or classifiers' predictions, to label distributions. */
#ifndef SOFTLAB_PIPELINE_LABELS_H
#define SOFTLAB_PIPELINE_LABELS_H

#include "softlab/crowd.h"
#include "softlab/label.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* The mean of classifiers' predictions goes by this name among the methods. */
#define SL_LABELS_ENSEMBLE "ensemble"

/* Everything that can be said about making labels; texts are borrowed, NULL where nothing is
 * said. */
struct sl_labels_job {
    const char *method; /* of sl_label_methods or sl_aggregators, or SL_LABELS_ENSEMBLE */
    char *const *paths; /* a file of answers; of the ensemble, files of predictions */
    size_t n_paths;
    struct sl_answer_reading reading;
    size_t annotators;   /* answers to draw per item; 0: all */
    uint64_t seed;       /* of whatever is drawn */
    bool as_released;    /* keep repeats and second runs */
    bool timed;          /* count the answers' times, which takes a slower way to read votes */
    const char *weights; /* CSV of annotator and weight, in place of what a method would learn */
    /* of label methods */
    const char *truth;        /* true classes; NULL: the answers' own */
    double gamma;             /* NaN: the method's own */
    double beta, temperature; /* label smoothing; of softmax and the ensemble */
    size_t folds;             /* ensemble: rows are of so many folds one after another; 0: none */
    bool per_annotator;       /* a row per answer instead of one per item */
    bool mean_first;          /* mix: average shares and confidences before smoothing */
    bool generated;           /* mix: the share that was mixed instead of the inferred one */
    const char *vectors;      /* word vectors, for the semantic methods */
    /* of aggregators */
    size_t iterations;
    double tolerance;
    double smoothing, diagonal; /* NaN: the method's own */
    enum sl_crowd_start start;
    enum sl_tie tie;
    bool em; /* mace: plain EM instead of variational */
    const char *gold, *predictions, *reference;
    const char
        *rows; /* how an answer becomes the distribution that soft methods read; NULL: fits */
    bool calibrate;
    const char *prior;
    double prior_weight;
    const char *resume;                 /* a state to go on from */
    const char *annotators_out, *state; /* also write what the method learned */
    size_t threads;
    double seconds_per_input; /* of an annotator, to say what a label costs; NaN: nothing is said */
    bool list;                /* of the task: the methods, and no labels */
    const char *output;       /* .npz, .npy, .csv or .json; NULL: the caller wants the rows alone */
    const char *provenance;   /* what an .npz says of how it came about */
};
struct sl_labels_job sl_labels_job_default(void);

extern const struct sl_field_row sl_labels_job_options[];
/* Options that do not change what is in a file of labels; NULL-ended. */
extern const char *const sl_labels_not_in_rows[];
/* Writes the labels, or without an output finds out what became of the answers. */
extern const struct sl_task sl_labels_task;

/* How answers become rows for soft methods where the job does not say. */
extern const char sl_labels_rows_of_tops[], sl_labels_rows_of_others[];

/* The labels, which the caller owns, and what became of the answers; also to the output. */
enum sl_status sl_labels_job_run(const struct sl_labels_job *job,
                                 const struct sl_workplace *workplace, struct sl_rows **out,
                                 struct sl_label_notes *notes, struct sl_error *err) SL_MUST_USE;
/* How many answers were used and what a label costs, as a new JSON object; `provenance` is taken.
 */
json_t *sl_labels_json(const struct sl_labels_job *job, const struct sl_label_notes *notes,
                       size_t n_rows, json_t *provenance) SL_MUST_USE;
/* All methods, as a new JSON list. */
json_t *sl_label_methods_json(void) SL_MUST_USE;

SL_END_DECLS

#endif
