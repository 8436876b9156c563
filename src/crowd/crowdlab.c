/* CROWDLAB (Goh, Tkachenko and Mueller 2022): the consensus is a weighted mean of a classifier's
 * prediction and one distribution per answer. The weights compare each source's error with that
 * of always naming the commonest class. docs/internals/crowd-methods.md has the equations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

static const double least =
    1e-6; /* lower bound of a weight, and of the error it is compared with */

struct crowdlab {
    const struct sl_votes *votes;
    const struct sl_crowd_options *options;
    struct sl_crowd_state *state; /* skill is the annotators' weight */
    size_t *agreed, *compared;    /* owned; n_annotators: answers of others to the same items */
    size_t *consensus_count;      /* owned; K */
    double *counts;               /* owned; K: one item's votes */
    double agreement;             /* P: mean share of an item's answers that are the majority's */
    double model_weight;
};

static void release(struct crowdlab *model)
{
    free(model->agreed);
    free(model->compared);
    free(model->consensus_count);
    free(model->counts);
}

static enum sl_status init_model(struct crowdlab *model, struct sl_error *err)
{
    size_t n_annotators = model->votes->n_annotators, n_classes = model->votes->n_classes;
    model->agreed = sl_data_alloc(n_annotators, sizeof *model->agreed, err);
    model->compared = sl_data_alloc(n_annotators, sizeof *model->compared, err);
    model->consensus_count = sl_data_alloc(n_classes, sizeof *model->consensus_count, err);
    model->counts = sl_data_alloc(n_classes, sizeof *model->counts, err);
    if (!model->agreed || !model->compared || !model->consensus_count || !model->counts)
        return SL_ERR_NOMEM;
    memset(model->agreed, 0, n_annotators * sizeof *model->agreed);
    memset(model->compared, 0, n_annotators * sizeof *model->compared);
    memset(model->consensus_count, 0, n_classes * sizeof *model->consensus_count);
    return SL_OK;
}

static void count_votes(struct crowdlab *model, size_t item)
{
    const struct sl_votes *votes = model->votes;
    memset(model->counts, 0, votes->n_classes * sizeof *model->counts);
    for (size_t j = votes->begin[item]; j < votes->begin[item + 1]; j++)
        model->counts[votes->label[j]]++;
}

/* The majority's class; ties go to the class that the classifier finds more probable, then to the
 * first. */
static size_t majority(const struct crowdlab *model, const float *prediction, int32_t gold)
{
    if (gold >= 0) return (size_t)gold;
    const double *counts = model->counts;
    size_t best = 0;
    for (size_t k = 1; k < model->votes->n_classes; k++)
        if (counts[k] > counts[best] ||
            (counts[k] == counts[best] && prediction[k] > prediction[best]))
            best = k;
    return best;
}

/* One pass over the items with at least `fewest` answers, which collects what the weights need.
 * Returns the number of these items. */
static size_t measure_agreement(struct crowdlab *model, size_t fewest, size_t *n_model_errors)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes, n_items = 0;
    double agreement = 0;
    *n_model_errors = 0;
    for (size_t i = 0; i < votes->n_items; i++) {
        size_t n_answers = votes->begin[i + 1] - votes->begin[i];
        if (n_answers < fewest) continue;
        const float *prediction = model->options->predictions + i * n_classes;
        count_votes(model, i);
        size_t consensus = majority(model, prediction, sl_em_gold(model->options, i));
        agreement += model->counts[consensus] / (double)n_answers;
        model->consensus_count[consensus]++;
        *n_model_errors += sl_largest(prediction, n_classes) != consensus;
        n_items++;
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            model->agreed[votes->annotator[j]] += (size_t)model->counts[votes->label[j]] - 1;
            model->compared[votes->annotator[j]] += n_answers - 1;
        }
    }
    model->agreement = n_items ? agreement / (double)n_items : 1;
    return n_items;
}

static double weight_of(double error, double commonest_error)
{
    double weight = 1 - error / commonest_error;
    return weight > least ? weight : least;
}

/* Annotators who share no item with others get the mean agreement of the others; if that is
 * everyone, full agreement. */
static void weigh_annotators(struct crowdlab *model, double commonest_error)
{
    size_t n_annotators = model->votes->n_annotators, n_compared = 0;
    double sum = 0;
    for (size_t a = 0; a < n_annotators; a++) {
        if (!model->compared[a]) continue;
        sum += (double)model->agreed[a] / (double)model->compared[a];
        n_compared++;
    }
    double mean = n_compared ? sum / (double)n_compared : 1;
    for (size_t a = 0; a < n_annotators; a++) {
        double agreement =
            model->compared[a] ? (double)model->agreed[a] / (double)model->compared[a] : mean;
        model->state->skill[a] = weight_of(1 - agreement, commonest_error);
    }
}

static void weigh(struct crowdlab *model)
{
    const struct sl_votes *votes = model->votes;
    size_t n_errors, n_answered = 0, commonest = 0;
    size_t n_items = measure_agreement(model, 2, &n_errors);
    if (n_items == 0) n_items = measure_agreement(model, 1, &n_errors);
    for (size_t i = 0; i < votes->n_items; i++)
        n_answered += votes->begin[i + 1] > votes->begin[i];
    for (size_t k = 0; k < votes->n_classes; k++)
        if (model->consensus_count[k] > commonest) commonest = model->consensus_count[k];
    double all = n_items ? (double)n_items : 1;
    double commonest_error = 1 - (double)commonest / all;
    if (!(commonest_error > least)) commonest_error = least;
    weigh_annotators(model, commonest_error);
    double per_item = n_answered ? (double)votes->count / (double)n_answered : 1;
    model->model_weight = weight_of((double)n_errors / all, commonest_error) * sqrt(per_item);
}

static void mix(struct crowdlab *model, size_t item)
{
    const struct sl_votes *votes = model->votes;
    size_t n_classes = votes->n_classes;
    const float *prediction = model->options->predictions + item * n_classes;
    double others = n_classes > 1 ? (1 - model->agreement) / (double)(n_classes - 1) : 0;
    double total = 0;
    for (size_t k = 0; k < n_classes; k++)
        model->counts[k] = model->model_weight * (double)prediction[k];
    for (size_t j = votes->begin[item]; j < votes->begin[item + 1]; j++) {
        double weight = model->state->skill[votes->annotator[j]];
        model->counts[votes->label[j]] += weight * (model->agreement - others);
        total += weight;
    }
    for (size_t k = 0; k < n_classes; k++)
        model->counts[k] += total * others;
    sl_named_shares(model->counts, n_classes, sl_em_gold(model->options, item));
    for (size_t k = 0; k < n_classes; k++) {
        model->state->posterior[item * n_classes + k] = (float)model->counts[k];
        model->state->class_prior[k] += model->counts[k];
    }
}

enum sl_status sl_crowd_crowdlab(const struct sl_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err)
{
    struct crowdlab model = {.votes = votes, .options = options, .state = out};
    enum sl_status status;
    struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    SL_TRY_OUT(init_model(&model, err));
    weigh(&model);
    memcpy(out->weight, out->skill, votes->n_annotators * sizeof *out->weight);
    for (size_t i = 0; i < votes->n_items; i++)
        mix(&model, i);
    for (size_t k = 0; k < votes->n_classes; k++)
        out->class_prior[k] = votes->n_items ? out->class_prior[k] / (double)votes->n_items
                                             : 1 / (double)votes->n_classes;
    out->n_iterations = 1;
    out->converged = true;
out:
    release(&model);
    return status;
}
