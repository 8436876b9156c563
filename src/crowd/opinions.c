/* Linear and logarithmic opinion pools with learned weights, sharpening and background; the
 * model is in docs/internals/crowd-soft.md. */
#include "crowd/opinions.h"

#include <math.h>
#include <stdlib.h>

#include "crowd/em.h"
#include "softlab/base/memory.h"

enum { SHAPE_ROUNDS = 3 };

static const double least_probability = 1e-3; /* lower bound in the logarithmic pool */
static const double largest_background = 8;   /* annotators */
static const double precision = 1e-3;         /* of sharpening and background */

double sl_opinions_log(float probability)
{
    return log(fmax((double)probability, least_probability));
}

enum sl_status sl_opinions_init(struct sl_opinions *opinions, enum sl_opinions_form form,
                                const struct sl_soft_votes *votes,
                                const struct sl_crowd_options *options, struct sl_error *err)
{
    double *weight = sl_data_alloc(votes->n_annotators, sizeof *weight, err);
    double *value = sl_data_alloc(votes->count * votes->n_classes, sizeof *value, err);
    if (!weight || !value) {
        free(weight);
        free(value);
        return SL_ERR_NOMEM;
    }
    for (size_t a = 0; a < votes->n_annotators; a++)
        weight[a] = options->weights ? options->weights[a] : 1;
    for (size_t i = 0; i < votes->count * votes->n_classes; i++)
        value[i] =
            form == SL_OPINIONS_LINEAR ? (double)votes->rows[i] : sl_opinions_log(votes->rows[i]);
    *opinions = (struct sl_opinions){
        .form = form,
        .votes = votes,
        .reference = options->reference,
        .predicts_votes = options->calibrate,
        .weight = weight,
        .value = value,
        .sum = sl_alloc(votes->n_classes, sizeof(double)),
        .holders = sl_alloc(votes->n_classes, sizeof(double)),
        .row = sl_alloc(votes->n_classes, sizeof(double)),
        .actual = sl_alloc(votes->n_classes, sizeof(double)),
    };
    return SL_OK;
}

void sl_opinions_release(struct sl_opinions *opinions)
{
    free(opinions->weight);
    free(opinions->value);
    free(opinions->sum);
    free(opinions->holders);
    free(opinions->row);
    free(opinions->actual);
}

/* Add an answer to the gathered ones, or (sign -1) remove it. */
static void add_answer(struct sl_opinions *opinions, size_t answer, double sign)
{
    const size_t n_classes = opinions->votes->n_classes;
    const float *row = opinions->votes->rows + answer * n_classes;
    const double *value = opinions->value + answer * n_classes;
    const double weight = sign * opinions->weight[opinions->votes->annotator[answer]];
    for (size_t k = 0; k < n_classes; k++) {
        opinions->sum[k] += weight * value[k];
        if (row[k] > 0) opinions->holders[k] += sign;
    }
    opinions->total += weight;
    opinions->n_answers += sign;
}

void sl_opinions_gather(struct sl_opinions *opinions, size_t item)
{
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        opinions->sum[k] = opinions->holders[k] = 0;
    opinions->total = opinions->n_answers = 0;
    for (size_t j = opinions->votes->begin[item]; j < opinions->votes->begin[item + 1]; j++)
        add_answer(opinions, j, 1);
}

/* Combine the gathered answers into one row: the weighted mean, or the weighted geometric mean to
 * `power` over the classes that any answer gave mass. */
static void combine(struct sl_opinions *opinions, double power)
{
    const size_t n_classes = opinions->votes->n_classes;
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double mean = opinions->sum[k] / opinions->total;
        opinions->row[k] = opinions->form == SL_OPINIONS_LINEAR ? mean : power * mean;
        if (opinions->holders[k] > 0 && opinions->row[k] > largest) largest = opinions->row[k];
    }
    for (size_t k = 0; k < n_classes; k++) {
        if (!(opinions->holders[k] > 0))
            opinions->row[k] = 0;
        else if (opinions->form == SL_OPINIONS_LOG)
            opinions->row[k] = exp(opinions->row[k] - largest);
        else
            opinions->row[k] = fmax(opinions->row[k], 0);
        sum += opinions->row[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        opinions->row[k] /= sum;
}

void sl_opinions_plain(struct sl_opinions *opinions)
{
    combine(opinions, 1);
}

void sl_opinions_shaped(struct sl_opinions *opinions, size_t left_out)
{
    const double n_classes = (double)opinions->votes->n_classes;
    if (left_out != SIZE_MAX) add_answer(opinions, left_out, -1);
    combine(opinions, pow(opinions->n_answers, opinions->sharpening));
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        opinions->row[k] =
            (opinions->n_answers * opinions->row[k] + opinions->background / n_classes) /
            (opinions->n_answers + opinions->background);
    if (left_out != SIZE_MAX) add_answer(opinions, left_out, 1);
}

static void expect_row(struct sl_opinions *opinions, const float *row, bool vote)
{
    if (vote) {
        sl_soft_vote(row, opinions->votes->n_classes, opinions->actual);
        return;
    }
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        opinions->actual[k] = (double)row[k];
}

/* Cross-entropy of the row to the actual distribution; a class with probability 0 costs
 * log(1e12). */
static double surprise(const struct sl_opinions *opinions)
{
    double sum = 0;
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        if (opinions->actual[k] > 0)
            sum -= opinions->actual[k] * log(fmax(opinions->row[k], 1e-12));
    return sum;
}

/* The loss of predicting each annotator from the pool of the others, or the reference from the pool
 * of all, plus a penalty for background and sharpening. */
static double shape_loss(struct sl_opinions *opinions)
{
    const struct sl_soft_votes *votes = opinions->votes;
    double loss = opinions->sharpening + opinions->background;
    for (size_t i = 0; i < votes->n_items; i++) {
        const float *known = sl_soft_reference(opinions->reference, i, votes->n_classes);
        if (!sl_soft_teaches(votes, opinions->reference, i)) continue;
        sl_opinions_gather(opinions, i);
        if (known) {
            expect_row(opinions, known, false);
            sl_opinions_shaped(opinions, SIZE_MAX);
            loss += surprise(opinions);
        }
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1] && !known; j++) {
            expect_row(opinions, votes->rows + j * votes->n_classes, opinions->predicts_votes);
            sl_opinions_shaped(opinions, j);
            loss += surprise(opinions);
        }
    }
    return loss;
}

static double background_loss(double background, void *context)
{
    struct sl_opinions *opinions = context;
    opinions->background = background;
    return shape_loss(opinions);
}

static double sharpening_loss(double sharpening, void *context)
{
    struct sl_opinions *opinions = context;
    opinions->sharpening = sharpening;
    return shape_loss(opinions);
}

static void learn_shape(struct sl_opinions *opinions)
{
    bool taught = false;
    for (size_t i = 0; i < opinions->votes->n_items && !taught; i++)
        taught = sl_soft_teaches(opinions->votes, opinions->reference, i);
    if (!taught) return;
    for (int round = 0; round < SHAPE_ROUNDS; round++) {
        opinions->background =
            sl_soft_minimum(background_loss, opinions, 0, largest_background, precision);
        if (opinions->form == SL_OPINIONS_LINEAR) return;
        opinions->sharpening = sl_soft_minimum(sharpening_loss, opinions, 0, 1, precision);
    }
}

static void fill_state(struct sl_opinions *opinions, const struct sl_crowd_options *options,
                       struct sl_crowd_state *out)
{
    const size_t n_classes = out->n_classes;
    double largest = 0;
    for (size_t i = 0; i < out->n_items; i++) {
        if (opinions->votes->begin[i] == opinions->votes->begin[i + 1]) continue;
        sl_opinions_gather(opinions, i);
        sl_opinions_shaped(opinions, SIZE_MAX);
        for (size_t k = 0; k < n_classes; k++)
            out->posterior[i * n_classes + k] = (float)opinions->row[k];
    }
    sl_em_finish_votes(out, opinions->votes->begin, options);
    for (size_t a = 0; a < out->n_annotators; a++)
        largest = fmax(largest, opinions->weight[a]);
    for (size_t a = 0; a < out->n_annotators; a++)
        out->skill[a] = (out->weight[a] = opinions->weight[a]) / largest;
}

static enum sl_status run_pool(enum sl_opinions_form form, const struct sl_soft_votes *votes,
                               const struct sl_crowd_options *options, struct sl_crowd_state *out,
                               struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct sl_soft_votes used;
    struct sl_opinions opinions = {0};
    float *owned = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_soft_prepare(votes, options, &used, &owned, err));
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    SL_TRY_OUT(sl_opinions_init(&opinions, form, &used, options, err));
    out->converged = true;
    if (!options->weights)
        out->n_iterations = sl_opinions_learn_weights(&opinions, options, &out->converged);
    learn_shape(&opinions);
    fill_state(&opinions, options, out);
out:
    sl_opinions_release(&opinions);
    free(owned);
    return status;
}

enum sl_status sl_crowd_pool_linear(const struct sl_soft_votes *votes,
                                    const struct sl_crowd_options *options,
                                    struct sl_crowd_state *out, struct sl_error *err)
{
    return run_pool(SL_OPINIONS_LINEAR, votes, options, out, err);
}

enum sl_status sl_crowd_pool_log(const struct sl_soft_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err)
{
    return run_pool(SL_OPINIONS_LOG, votes, options, out, err);
}
