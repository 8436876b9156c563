/* Labels: from answers, or from classifiers' predictions, to label distributions. */
#ifndef SOFTLAB_PIPELINE_LABELS_H
#define SOFTLAB_PIPELINE_LABELS_H

#include "softlab/crowd.h"
#include "softlab/label.h"
#include "softlab/pipeline/answers.h"
#include "softlab/pipeline/task.h"

SL_BEGIN_DECLS

/* The method that averages classifiers' predictions. */
#define SL_LABELS_ENSEMBLE "ensemble"

/* The options of making labels. Texts are borrowed; NULL: not given. */
struct sl_labels_job {
    const char *method; /* a name of sl_label_methods or sl_aggregators, or SL_LABELS_ENSEMBLE */
    char *const *paths; /* one file of answers; for the ensemble, files of predictions */
    size_t n_paths;
    /* Borrowed: answers in memory, which paths[0] names in messages; NULL: read the file. */
    const struct sl_answers *given;
    struct sl_answer_reading reading;
    size_t annotators;   /* answers to draw per item; 0: all */
    uint64_t seed;       /* of all random draws */
    bool as_released;    /* keep repeats and second runs */
    bool stream;         /* answers.slb may be larger than memory; see sl_crowd_stream */
    bool timed;          /* also sum the answers' times, which needs a slower reader for votes */
    const char *weights; /* CSV of annotator and weight, instead of learned weights */
    /* For label methods. */
    const char *truth;        /* true classes; NULL: those in the answers */
    double gamma;             /* NaN: the method's default */
    double beta, temperature; /* of label smoothing; of softmax and the ensemble */
    size_t folds;        /* ensemble: the rows are in the order of this many folds; 0: no folds */
    bool per_annotator;  /* one row per answer instead of one per item */
    bool mean_first;     /* mix: average shares and confidences before smoothing */
    bool generated;      /* mix: use the share that was mixed instead of the inferred one */
    const char *vectors; /* word vectors, for the semantic methods */
    /* For aggregators. */
    size_t iterations; /* SL_CROWD_OWN_ROUNDS: the method's default */
    double tolerance;  /* NaN: the method's default */
    enum sl_crowd_stop stop;
    double smoothing, diagonal; /* NaN: the method's default */
    enum sl_crowd_start start;
    const char *start_from; /* a state whose confusion matrices are the start */
    double start_weight;    /* answers per class that these count for, beside the votes */
    enum sl_tie tie;
    bool em; /* mace: plain EM instead of variational */
    struct {
        size_t restarts;
        double spam_prior, know_prior, noise;
    } mace;
    struct {
        const char *class_prior, *ability, *easiness; /* CSV of names and numbers */
        size_t steps;
        double accuracy;
    } glad;
    struct {
        double rate, factor, margin;
        size_t period;
    } zbs;
    const char *gold, *predictions, *reference;
    const char *rows; /* how an answer becomes a distribution for soft methods; NULL: chosen by the
                         kind of answers */
    bool calibrate;
    const char *prior;
    double prior_weight;
    const char *resume;                     /* a state to resume from */
    const char *annotators_out, *items_out; /* files for estimates of annotators and of items */
    const char *state;                      /* and for the state */
    double seconds_per_input; /* of an annotator; sets what a label costs; NaN: unknown */
    bool list;                /* task only: list the methods, make no labels */
    const char *output;       /* .npz, .npy, .csv or .json; NULL: return the rows only */
    const char *provenance;   /* stored in an .npz: how the file was made */
};
struct sl_labels_job sl_labels_job_default(void);

extern const struct sl_field_row sl_labels_job_options[];
/* Options that do not change the rows of a label file; NULL-ended. */
extern const char *const sl_labels_not_in_rows[];
/* Writes the labels; without an output its result is sl_labels_json. */
extern const struct sl_task sl_labels_task;

/* The default of `rows`: for answers that name top classes, and for all others. */
extern const char sl_labels_rows_of_tops[], sl_labels_rows_of_others[];

/* Make the labels, which the caller owns, and count in *notes how many answers were used; also
 * write job->output if given. With job->stream or several ranks the labels are only written, by
 * rank 0, and *out has their number alone. Collective. */
enum sl_status sl_labels_job_run(const struct sl_labels_job *job,
                                 const struct sl_workplace *workplace, struct sl_rows **out,
                                 struct sl_label_notes *notes, struct sl_error *err) SL_MUST_USE;
/* How many answers were used and what a label costs, as a new JSON object; takes `provenance`,
 * which may be NULL. */
json_t *sl_labels_json(const struct sl_labels_job *job, const struct sl_label_notes *notes,
                       size_t n_rows, json_t *provenance) SL_MUST_USE;
/* All methods, as a new JSON list. */
json_t *sl_label_methods_json(void) SL_MUST_USE;

SL_END_DECLS

#endif
