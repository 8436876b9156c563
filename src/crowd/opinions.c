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

static void fill_values(void *context, const struct sl_em_range *range)
{
    struct sl_opinions *opinions = context;
    const size_t n_classes = opinions->votes->n_classes;
    for (size_t i = range->begin * n_classes; i < range->end * n_classes; i++)
        opinions->value[i] = opinions->form == SL_OPINIONS_LINEAR
                                 ? (double)opinions->votes->rows[i]
                                 : sl_opinions_log(opinions->votes->rows[i]);
}

enum sl_status sl_opinions_init(struct sl_opinions *opinions, enum sl_opinions_form form,
                                const struct sl_soft_votes *votes,
                                const struct sl_crowd_options *options, struct sl_error *err)
{
    const size_t n_numbers =
        sl_pool_threads(options->pool) * sl_em_apart(4 * votes->n_classes, sizeof(double));
    *opinions = (struct sl_opinions){
        .form = form,
        .votes = votes,
        .reference = options->reference,
        .predicts_votes = options->calibrate,
        .pool = options->pool,
        .weight = sl_data_alloc(votes->n_annotators, sizeof(double), err),
        .value = sl_data_alloc(votes->count * votes->n_classes, sizeof(double), err),
        .term = sl_data_alloc(votes->count, sizeof(double), err),
        .scratch = sl_alloc(n_numbers, sizeof(double)),
    };
    if (!opinions->weight || !opinions->value || !opinions->term) return SL_ERR_NOMEM;
    for (size_t a = 0; a < votes->n_annotators; a++)
        opinions->weight[a] = options->weights ? options->weights[a] : 1;
    sl_em_run(votes->count, options->pool, fill_values, opinions);
    return SL_OK;
}

void sl_opinions_release(struct sl_opinions *opinions)
{
    free(opinions->weight);
    free(opinions->value);
    free(opinions->term);
    free(opinions->scratch);
}

struct sl_opinions_item sl_opinions_item_of(const struct sl_opinions *opinions, size_t worker)
{
    const size_t n_classes = opinions->votes->n_classes;
    double *first = opinions->scratch + worker * sl_em_apart(4 * n_classes, sizeof(double));
    return (struct sl_opinions_item){.sum = first,
                                     .holders = first + n_classes,
                                     .row = first + 2 * n_classes,
                                     .actual = first + 3 * n_classes};
}

/* Add an answer to the gathered ones, or (sign -1) remove it. */
static void add_answer(const struct sl_opinions *opinions, size_t answer, double sign,
                       struct sl_opinions_item *at)
{
    const size_t n_classes = opinions->votes->n_classes;
    const float *row = opinions->votes->rows + answer * n_classes;
    const double *value = opinions->value + answer * n_classes;
    const double weight = sign * opinions->weight[opinions->votes->annotator[answer]];
    for (size_t k = 0; k < n_classes; k++) {
        at->sum[k] += weight * value[k];
        if (row[k] > 0) at->holders[k] += sign;
    }
    at->total += weight;
    at->n_answers += sign;
}

void sl_opinions_gather(const struct sl_opinions *opinions, size_t item,
                        struct sl_opinions_item *at)
{
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        at->sum[k] = at->holders[k] = 0;
    at->total = at->n_answers = 0;
    for (size_t j = opinions->votes->begin[item]; j < opinions->votes->begin[item + 1]; j++)
        add_answer(opinions, j, 1, at);
}

/* Combine the gathered answers into one row: the weighted mean, or the weighted geometric mean to
 * `power` over the classes that any answer gave mass. */
static void combine(const struct sl_opinions *opinions, double power, struct sl_opinions_item *at)
{
    const size_t n_classes = opinions->votes->n_classes;
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double mean = at->sum[k] / at->total;
        at->row[k] = opinions->form == SL_OPINIONS_LINEAR ? mean : power * mean;
        if (at->holders[k] > 0 && at->row[k] > largest) largest = at->row[k];
    }
    for (size_t k = 0; k < n_classes; k++) {
        if (!(at->holders[k] > 0))
            at->row[k] = 0;
        else if (opinions->form == SL_OPINIONS_LOG)
            at->row[k] = exp(at->row[k] - largest);
        else
            at->row[k] = fmax(at->row[k], 0);
        sum += at->row[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        at->row[k] /= sum;
}

void sl_opinions_plain(const struct sl_opinions *opinions, struct sl_opinions_item *at)
{
    combine(opinions, 1, at);
}

void sl_opinions_shaped(const struct sl_opinions *opinions, size_t left_out,
                        struct sl_opinions_item *at)
{
    const double n_classes = (double)opinions->votes->n_classes;
    if (left_out != SIZE_MAX) add_answer(opinions, left_out, -1, at);
    combine(opinions, pow(at->n_answers, opinions->sharpening), at);
    for (size_t k = 0; k < opinions->votes->n_classes; k++)
        at->row[k] = (at->n_answers * at->row[k] + opinions->background / n_classes) /
                     (at->n_answers + opinions->background);
    if (left_out != SIZE_MAX) add_answer(opinions, left_out, 1, at);
}

static void expect_row(const float *row, size_t n_classes, bool vote, double *out)
{
    if (vote) {
        sl_soft_vote(row, n_classes, out);
        return;
    }
    for (size_t k = 0; k < n_classes; k++)
        out[k] = (double)row[k];
}

/* Cross-entropy of the row to the actual distribution; a class with probability 0 costs
 * log(1e12). */
static double surprise(const struct sl_opinions_item *at, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        if (at->actual[k] > 0) sum -= at->actual[k] * log(fmax(at->row[k], 1e-12));
    return sum;
}

/* The losses of the items' answers; one for all answers of an item with a reference, at its first
 * answer. */
static void lose_items(void *context, const struct sl_em_range *range)
{
    struct sl_opinions *opinions = context;
    const struct sl_soft_votes *votes = opinions->votes;
    const size_t n_classes = votes->n_classes;
    struct sl_opinions_item at = sl_opinions_item_of(opinions, range->worker);
    for (size_t i = range->begin; i < range->end; i++) {
        const float *known = sl_soft_reference(opinions->reference, i, n_classes);
        if (!sl_soft_teaches(votes, opinions->reference, i)) continue;
        sl_opinions_gather(opinions, i, &at);
        if (known) {
            expect_row(known, n_classes, false, at.actual);
            sl_opinions_shaped(opinions, SIZE_MAX, &at);
            opinions->term[votes->begin[i]] = surprise(&at, n_classes);
        }
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1] && !known; j++) {
            expect_row(votes->rows + j * n_classes, n_classes, opinions->predicts_votes, at.actual);
            sl_opinions_shaped(opinions, j, &at);
            opinions->term[j] = surprise(&at, n_classes);
        }
    }
}

/* The loss of predicting each annotator from the pool of the others, or the reference from the pool
 * of all, plus a penalty for background and sharpening. */
static double shape_loss(struct sl_opinions *opinions)
{
    sl_em_run(opinions->votes->n_items, opinions->pool, lose_items, opinions);
    return sl_soft_sum(opinions->votes, opinions->reference,
                       opinions->sharpening + opinions->background, opinions->term);
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

static void fill_items(void *context, const struct sl_em_range *range)
{
    struct sl_opinions *opinions = context;
    const size_t n_classes = opinions->votes->n_classes;
    struct sl_opinions_item at = sl_opinions_item_of(opinions, range->worker);
    for (size_t i = range->begin; i < range->end; i++) {
        if (opinions->votes->begin[i] == opinions->votes->begin[i + 1]) continue;
        sl_opinions_gather(opinions, i, &at);
        sl_opinions_shaped(opinions, SIZE_MAX, &at);
        for (size_t k = 0; k < n_classes; k++)
            opinions->posterior[i * n_classes + k] = (float)at.row[k];
    }
}

static void fill_state(struct sl_opinions *opinions, const struct sl_crowd_options *options,
                       struct sl_crowd_state *out)
{
    double largest = 0;
    opinions->posterior = out->posterior;
    sl_em_run(out->n_items, opinions->pool, fill_items, opinions);
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
