/* What softlab labels was asked for, shared by its two halves: label methods in cmd_labels.c,
 * aggregators in labels_crowd.c. */
#ifndef SOFTLAB_CLI_LABELS_H
#define SOFTLAB_CLI_LABELS_H

#include "cmd.h"
#include "softlab/crowd.h"
#include "softlab/label.h"

struct labels_values {
    const char *method;
    const char *output;
    bool list;
    bool json;
    /* every method */
    struct cli_answer_words input;
    const char *weights;
    int64_t annotators;
    int64_t seed;
    bool as_released;
    double seconds_per_input;
    const char *truth;
    /* label methods */
    double gamma;
    double beta;
    double temperature;
    int64_t folds;
    bool per_annotator;
    bool mean_first;
    bool generated;
    const char *vectors;
    /* aggregators */
    int64_t iterations;
    double tolerance;
    double smoothing;
    double diagonal;
    const char *start;
    const char *tie;
    bool em;
    const char *gold;
    const char *predictions;
    const char *rows;
    bool calibrate;
    const char *reference;
    const char *annotators_out;
    const char *state;
    const char *resume;
    const char *prior;
    double prior_weight;
    int64_t threads;
};

/* Read answers and options for a label method; the caller releases what labels_input holds. */
struct labels_input {
    struct sl_answers *answers;
    int32_t *truth;
    float *similarity;
    double *weights;
    struct sl_label_notes notes;
    struct sl_label_options options;
};
enum sl_status labels_read(struct cli *cli, const struct labels_values *values,
                           struct labels_input *out, struct sl_error *err);
/* sl_labels_build; what is wrong with the answers is said with their file. */
enum sl_status labels_build(const struct cli *cli, const struct sl_label_method *method,
                            const struct sl_answers *answers,
                            const struct sl_label_options *options, struct sl_rows **out,
                            struct sl_error *err);
void labels_input_release(struct labels_input *input);
void labels_say_what_became(const struct cli *cli, const struct sl_label_notes *notes,
                            size_t n_labels);

/* Run an aggregator and give its posteriors as rows. Of votes nobody knows how long they took. */
enum sl_status labels_aggregate(struct cli *cli, const struct labels_values *values,
                                const struct sl_aggregator *method, struct sl_rows **out,
                                struct sl_label_notes *notes, struct sl_error *err);

/* How answers become rows where --rows does not say: those that name top classes with
 * probabilities, whose rest must be shared out; votes and whole distributions are rows already. */
extern const char labels_rows_of_tops[], labels_rows_of_others[];

/* labels_annotators.c. Who gave each answer. */
struct labels_asked {
    const struct cli_names *names; /* borrowed */
    const uint32_t *annotator;     /* borrowed; SL_NO_NAME where unknown */
    size_t count;
};
enum sl_status labels_annotators_write(const char *path, const struct sl_aggregator *method,
                                       const struct sl_crowd_state *state,
                                       const struct labels_asked *asked, struct sl_error *err);
/* A weight for every annotator of the answers; SL_ERR_INPUT naming one that has none. The caller
 * frees them. */
enum sl_status labels_weights_read(const struct cli *cli, const char *path,
                                   const struct sl_name_table *annotators, double **out,
                                   struct sl_error *err);
/* Say how many answers a weight of 0 leaves out; `weights` may be NULL. */
void labels_say_weightless(const struct cli *cli, const double *weights,
                           const struct labels_asked *asked);

/* The file of --state and --resume. Names must begin with the state's on resuming. */
enum sl_status labels_state_write(const struct sl_crowd_state *state, const struct cli_names *names,
                                  const char *path, struct sl_error *err);
/* Confusion matrices of a state as counts, `weight` answers per true class, in the order of the
 * answers' annotators; zeros for those it does not know. The caller frees them. */
enum sl_status labels_prior_read(const struct cli *cli, const char *path,
                                 const struct cli_names *names, double weight, double **out,
                                 struct sl_error *err);
enum sl_status labels_state_read(const struct cli *cli, const char *path,
                                 const struct cli_names *names, struct sl_crowd_state *out,
                                 struct sl_error *err);

#endif
