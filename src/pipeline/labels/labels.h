/* Private to pipeline/labels/: the two halves of making labels: label methods in labels.c,
 * aggregators in crowd.c. */
#ifndef SOFTLAB_PIPELINE_LABELS_INTERNAL_H
#define SOFTLAB_PIPELINE_LABELS_INTERNAL_H

#include "softlab/pipeline/files.h"
#include "softlab/pipeline/labels.h"

/* Read answers and options for a label method; the caller releases what labels_input holds. */
struct sl_labels_input {
    struct sl_answers *answers;
    int32_t *truth;
    float *similarity;
    double *weights;
    struct sl_label_notes notes;
    struct sl_label_options options;
};
enum sl_status sl_labels_read(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                              struct sl_labels_input *out, struct sl_error *err) SL_MUST_USE;
/* sl_labels_build; what is wrong with the answers is said with their file. */
enum sl_status sl_labels_build_or_name(const struct sl_workplace *workplace,
                                       const struct sl_labels_job *job,
                                       const struct sl_label_method *method,
                                       const struct sl_answers *answers,
                                       const struct sl_label_options *options, struct sl_rows **out,
                                       struct sl_error *err) SL_MUST_USE;
void sl_labels_input_release(struct sl_labels_input *input);
void sl_labels_say_what_became(const struct sl_workplace *workplace,
                               const struct sl_label_notes *notes, size_t n_labels);

/* Run an aggregator and give its posteriors as rows. Of votes nobody knows how long they took. */
enum sl_status sl_labels_aggregate(const struct sl_workplace *workplace,
                                   const struct sl_labels_job *job,
                                   const struct sl_aggregator *method, struct sl_rows **out,
                                   struct sl_label_notes *notes, struct sl_error *err) SL_MUST_USE;

/* annotators.c. Who gave each answer. */
struct sl_labels_asked {
    const struct sl_known_names *names; /* borrowed */
    const uint32_t *annotator;          /* borrowed; SL_NO_NAME where unknown */
    size_t count;
};
enum sl_status sl_labels_annotators_write(const char *path, const struct sl_aggregator *method,
                                          const struct sl_crowd_state *state,
                                          const struct sl_labels_asked *asked,
                                          struct sl_error *err) SL_MUST_USE;
/* A weight for every annotator of the answers; SL_ERR_INPUT naming one that has none. The caller
 * frees them. */
enum sl_status sl_labels_weights_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_name_table *annotators, double **out,
                                      struct sl_error *err) SL_MUST_USE;
/* Say how many answers a weight of 0 leaves out; `weights` may be NULL. */
void sl_labels_say_weightless(const struct sl_workplace *workplace, const double *weights,
                              const struct sl_labels_asked *asked);

/* The file of a state. Names must begin with the state's on resuming. */
enum sl_status sl_labels_state_write(const struct sl_crowd_state *state,
                                     const struct sl_known_names *names, const char *path,
                                     struct sl_error *err) SL_MUST_USE;
/* Confusion matrices of a state as counts, `weight` answers per true class, in the order of the
 * answers' annotators; zeros for those it does not know. The caller frees them. */
enum sl_status sl_labels_prior_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, double weight, double **out,
                                    struct sl_error *err) SL_MUST_USE;
enum sl_status sl_labels_state_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, struct sl_crowd_state *out,
                                    struct sl_error *err) SL_MUST_USE;

/* labels_json.c: inputs that an annotator is asked for; 0 where that is not known. Say what a label
 * costs at the job's seconds per input. */
int sl_labels_inputs(const char *method);
void sl_labels_say_counted(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                           const struct sl_label_notes *notes, size_t n_labels);

#endif
