/* Private to pipeline/labels/: label methods (labels.c), aggregators (crowd.c) and the files they
 * share. */
#ifndef SOFTLAB_PIPELINE_LABELS_INTERNAL_H
#define SOFTLAB_PIPELINE_LABELS_INTERNAL_H

#include "softlab/pipeline/files.h"
#include "softlab/pipeline/labels.h"

/* The answers and options of a label method, for sl_labels_input_release. */
struct sl_labels_input {
    const struct sl_answers *answers; /* the job's, or: */
    struct sl_answers *read;          /* owned; NULL if the job has answers */
    int32_t *truth;
    float *similarity;
    double *weights;
    struct sl_label_notes notes;
    struct sl_label_options options;
};
enum sl_status sl_labels_read(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                              struct sl_labels_input *out, struct sl_error *err) SL_MUST_USE;
/* sl_labels_build; an error about the answers names their file. */
enum sl_status sl_labels_build_or_name(const struct sl_workplace *workplace,
                                       const struct sl_labels_job *job,
                                       const struct sl_label_method *method,
                                       const struct sl_answers *answers,
                                       const struct sl_label_options *options, struct sl_rows **out,
                                       struct sl_error *err) SL_MUST_USE;
void sl_labels_input_release(struct sl_labels_input *input);
void sl_labels_say_what_became(const struct sl_workplace *workplace,
                               const struct sl_label_notes *notes, size_t n_labels);

/* labels_options.c: the methods that make labels of answers, and what other programs call them. */
const char *sl_labels_methods_of_answers(size_t index);
const char *sl_labels_known_as(const char *typed);

/* Run an aggregator and return its posteriors as rows. */
enum sl_status sl_labels_aggregate(const struct sl_workplace *workplace,
                                   const struct sl_labels_job *job,
                                   const struct sl_aggregator *method, struct sl_rows **out,
                                   struct sl_label_notes *notes, struct sl_error *err) SL_MUST_USE;

/* held.c: what the options of an aggregator say, and the content of files that they name, kept
 * until it has run. */
struct sl_labels_held {
    int32_t *gold;
    float *predictions;
    float *reference;
    double *prior;
    double *start_counts;
    double *weights;
    double *class_prior, *ability, *easiness;
    struct sl_crowd_state resume;
};
void sl_labels_held_release(struct sl_labels_held *held);
struct sl_crowd_options sl_labels_crowd_options(const struct sl_workplace *workplace,
                                                const struct sl_labels_job *job);
/* Read the files into `held` and let the options borrow what they hold. */
enum sl_status sl_labels_held_read(const struct sl_workplace *workplace,
                                   const struct sl_labels_job *job,
                                   const struct sl_known_names *names, struct sl_labels_held *held,
                                   struct sl_crowd_options *options,
                                   struct sl_error *err) SL_MUST_USE;

/* streaming.c: the bytes that labels of such answers take in memory: the mapped file, a row of
 * probabilities for each item, and its name. */
uint64_t sl_labels_memory(const struct sl_votes_size *size);
/* True if that does not fit comfortably into the memory that is available. */
bool sl_labels_too_large(const struct sl_votes_size *size, size_t available);
/* Whether the answers are streamed: as asked, for several ranks, or because they are too large for
 * memory and the labels are the same either way. The log says the latter. */
bool sl_labels_streams(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                       const struct sl_aggregator *method);
/* After SL_ERR_NOMEM: add how the answers could be labelled in less memory. Returns `status`. */
enum sl_status sl_labels_hint_stream(enum sl_status status, const struct sl_aggregator *method,
                                     struct sl_error *err);
/* SL_ERR_USAGE for a job that needs what streaming does not keep. */
enum sl_status sl_labels_check_stream(const struct sl_workplace *workplace,
                                      const struct sl_labels_job *job,
                                      const struct sl_aggregator *method,
                                      struct sl_error *err) SL_MUST_USE;

/* streamed.c: sl_labels_aggregate for answers larger than memory and for several ranks. The rows go
 * to job->output on rank 0; *out has their number and nothing else. Collective. */
enum sl_status sl_labels_aggregate_streamed(const struct sl_workplace *workplace,
                                            const struct sl_labels_job *job,
                                            const struct sl_aggregator *method,
                                            struct sl_rows **out, struct sl_label_notes *notes,
                                            struct sl_error *err) SL_MUST_USE;

/* crowd.c: what is logged about the answers, and about the rounds of a method that has some. */
void sl_labels_say_unanswered(const struct sl_workplace *workplace, size_t count);
void sl_labels_say_unlearnable(const struct sl_workplace *workplace,
                               const struct sl_aggregator *method);
void sl_labels_say_iterations(const struct sl_workplace *workplace,
                              const struct sl_aggregator *method,
                              const struct sl_crowd_state *state);

/* annotators.c: the annotator of each answer. */
struct sl_labels_asked {
    const struct sl_known_names *names; /* borrowed */
    const uint32_t *annotator;          /* borrowed; SL_NO_NAME where unknown */
    size_t count;
    const size_t *begin;             /* borrowed; n_items + 1: the answers of an item */
    const struct sl_votes *streamed; /* borrowed; whose answers these are, or NULL */
};
enum sl_status sl_labels_annotators_write(const char *path, const struct sl_aggregator *method,
                                          const struct sl_crowd_state *state,
                                          const struct sl_labels_asked *asked,
                                          struct sl_error *err) SL_MUST_USE;
/* items.c: what the state says about every item that has answers, or about all. `begin` has the
 * answers of items (n_items + 1). */
enum sl_status sl_labels_items_write(const char *path, const struct sl_crowd_state *state,
                                     const struct sl_known_names *names, const size_t *begin,
                                     bool unanswered, struct sl_error *err) SL_MUST_USE;
/* numbers.c: CSV files with a number for each of some names. */
struct sl_labels_numbers {
    const char *const *names; /* of the column of names, NULL-ended; the first is what they name */
    const char *many;         /* their plural */
    const char *strange;      /* said of those that the answers do not have */
    const char *value;        /* of the other column, and what it holds */
    double least;             /* the smallest value */
    const char *advice;       /* said where one is missing */
};
extern const struct sl_labels_numbers sl_labels_weights, sl_labels_abilities, sl_labels_easiness,
    sl_labels_class_shares;
/* A number for every name of the table; SL_ERR_INPUT names the first without one. The caller frees
 * them. */
enum sl_status sl_labels_numbers_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_labels_numbers *kind,
                                      const struct sl_name_table *names, double **out,
                                      struct sl_error *err) SL_MUST_USE;

/* Read a weight for every annotator of the answers; SL_ERR_INPUT names the first without one. The
 * caller frees them. */
enum sl_status sl_labels_weights_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_name_table *annotators, double **out,
                                      struct sl_error *err) SL_MUST_USE;
/* Log how many answers are left out because of weight 0; `weights` may be NULL. */
void sl_labels_say_weightless(const struct sl_workplace *workplace, const double *weights,
                              const struct sl_labels_asked *asked);

/* state.c: the file of a state. To resume, the first items and annotators of the answers must be
 * those of the state. */
enum sl_status sl_labels_state_write(const struct sl_crowd_state *state,
                                     const struct sl_known_names *names, const char *path,
                                     struct sl_error *err) SL_MUST_USE;
/* The confusion matrices of a state as counts, `weight` answers per true class, in the order of the
 * answers' annotators; zeros for annotators that the state does not know. The caller frees them. */
enum sl_status sl_labels_prior_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, double weight, double **out,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_labels_state_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, struct sl_crowd_state *out,
                                    struct sl_error *err) SL_MUST_USE;

/* labels_json.c: the number of inputs that a method asks of an annotator, 0 if unknown; and a log
 * line with what a label costs at the job's seconds per input. */
int sl_labels_inputs(const char *method);
void sl_labels_say_counted(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                           const struct sl_label_notes *notes, size_t n_labels);

#endif
