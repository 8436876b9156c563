#include "crowd/confusion_start.h"

#include <math.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

static const double least_probability = 1e-10; /* of a cell of a saved state */

enum sl_status sl_confusion_start_init(struct sl_confusion_start *start,
                                       const struct sl_crowd_options *options, size_t n_classes,
                                       struct sl_error *err)
{
    const struct sl_crowd_state *state = options->resume;
    const size_t n_cells = n_classes * n_classes;
    *start = (struct sl_confusion_start){
        .state = state, .n_classes = n_classes, .right = options->start_diagonal};
    if (!state && options->start == SL_START_GIVEN) start->counts = options->start_counts;
    if (!state) return SL_OK;
    if (!state->confusion || !state->class_prior || state->n_annotators < 1)
        return sl_fail(err, SL_ERR_INPUT, "the saved state has no confusion matrices");
    start->mean = sl_data_alloc(n_cells, sizeof *start->mean, err);
    if (!start->mean) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_cells; i++) {
        double sum = 0;
        for (size_t a = 0; a < state->n_annotators; a++)
            sum += (double)state->confusion[a * n_cells + i];
        start->mean[i] = (float)(sum / (double)state->n_annotators);
    }
    return SL_OK;
}

void sl_confusion_start_release(struct sl_confusion_start *start)
{
    free(start->mean);
    start->mean = NULL;
}

static float log_probability(double probability)
{
    return (float)log(probability > least_probability ? probability : least_probability);
}

/* The share of `said` among the counts of a true class; equal shares where there are none. */
static double share_of_counts(const struct sl_confusion_start *start, size_t annotator,
                              size_t truth, size_t said)
{
    const size_t n_classes = start->n_classes;
    const double *row = start->counts + (annotator * n_classes + truth) * n_classes;
    double total = 0;
    for (size_t k = 0; k < n_classes; k++)
        total += row[k];
    return total > 0 ? row[said] / total : 1 / (double)n_classes;
}

void sl_confusion_start_row(const struct sl_confusion_start *start, size_t annotator, size_t said,
                            float *out)
{
    const size_t n_classes = start->n_classes;
    const struct sl_crowd_state *state = start->state;
    if (start->counts) {
        for (size_t k = 0; k < n_classes; k++)
            out[k] = log_probability(share_of_counts(start, annotator, k, said));
        return;
    }
    if (!state) {
        const double wrong = (1 - start->right) / (n_classes > 1 ? (double)(n_classes - 1) : 1);
        const float score = log_probability(wrong);
        for (size_t k = 0; k < n_classes; k++)
            out[k] = score;
        out[said] = log_probability(start->right);
        return;
    }
    const float *matrix = annotator < state->n_annotators
                              ? state->confusion + annotator * n_classes * n_classes
                              : start->mean;
    for (size_t k = 0; k < n_classes; k++)
        out[k] = log_probability((double)matrix[k * n_classes + said]);
}

void sl_confusion_start_classes(const struct sl_confusion_start *start, double *out)
{
    for (size_t k = 0; k < start->n_classes; k++)
        out[k] = start->state ? (double)log_probability(start->state->class_prior[k])
                              : -log((double)start->n_classes);
}
