/* Linear and logarithmic opinion pools with learned weights, sharpening and background; the
 * model is in docs/internals/crowd-soft.md. */
#include "crowd/pool.h"

#include <math.h>
#include <stdlib.h>

#include "crowd/em.h"
#include "softlab/base/memory.h"

enum { SHAPE_ROUNDS = 3 };

static const double least_probability = 1e-3; /* lower bound in the logarithmic pool */
static const double largest_background = 8;   /* annotators */
static const double precision = 1e-3;         /* of sharpening and background */

double sl_pool_log(float probability)
{
    return log(fmax((double)probability, least_probability));
}

enum sl_status sl_pool_init(struct sl_pool *pool, enum sl_pool_form form,
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
        value[i] = form == SL_POOL_LINEAR ? (double)votes->rows[i] : sl_pool_log(votes->rows[i]);
    *pool = (struct sl_pool){
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

void sl_pool_release(struct sl_pool *pool)
{
    free(pool->weight);
    free(pool->value);
    free(pool->sum);
    free(pool->holders);
    free(pool->row);
    free(pool->actual);
}

/* Add an answer to the gathered ones, or (sign -1) remove it. */
static void add_answer(struct sl_pool *pool, size_t answer, double sign)
{
    const size_t n_classes = pool->votes->n_classes;
    const float *row = pool->votes->rows + answer * n_classes;
    const double *value = pool->value + answer * n_classes;
    const double weight = sign * pool->weight[pool->votes->annotator[answer]];
    for (size_t k = 0; k < n_classes; k++) {
        pool->sum[k] += weight * value[k];
        if (row[k] > 0) pool->holders[k] += sign;
    }
    pool->total += weight;
    pool->n_answers += sign;
}

void sl_pool_gather(struct sl_pool *pool, size_t item)
{
    for (size_t k = 0; k < pool->votes->n_classes; k++)
        pool->sum[k] = pool->holders[k] = 0;
    pool->total = pool->n_answers = 0;
    for (size_t j = pool->votes->begin[item]; j < pool->votes->begin[item + 1]; j++)
        add_answer(pool, j, 1);
}

/* Combine the gathered answers into one row: the weighted mean, or the weighted geometric mean to
 * `power` over the classes that any answer gave mass. */
static void combine(struct sl_pool *pool, double power)
{
    const size_t n_classes = pool->votes->n_classes;
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double mean = pool->sum[k] / pool->total;
        pool->row[k] = pool->form == SL_POOL_LINEAR ? mean : power * mean;
        if (pool->holders[k] > 0 && pool->row[k] > largest) largest = pool->row[k];
    }
    for (size_t k = 0; k < n_classes; k++) {
        if (!(pool->holders[k] > 0))
            pool->row[k] = 0;
        else if (pool->form == SL_POOL_LOG)
            pool->row[k] = exp(pool->row[k] - largest);
        else
            pool->row[k] = fmax(pool->row[k], 0);
        sum += pool->row[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        pool->row[k] /= sum;
}

void sl_pool_plain(struct sl_pool *pool)
{
    combine(pool, 1);
}

void sl_pool_shaped(struct sl_pool *pool, size_t left_out)
{
    const double n_classes = (double)pool->votes->n_classes;
    if (left_out != SIZE_MAX) add_answer(pool, left_out, -1);
    combine(pool, pow(pool->n_answers, pool->sharpening));
    for (size_t k = 0; k < pool->votes->n_classes; k++)
        pool->row[k] = (pool->n_answers * pool->row[k] + pool->background / n_classes) /
                       (pool->n_answers + pool->background);
    if (left_out != SIZE_MAX) add_answer(pool, left_out, 1);
}

static void expect_row(struct sl_pool *pool, const float *row, bool vote)
{
    if (vote) {
        sl_soft_vote(row, pool->votes->n_classes, pool->actual);
        return;
    }
    for (size_t k = 0; k < pool->votes->n_classes; k++)
        pool->actual[k] = (double)row[k];
}

/* Cross-entropy of the row to the actual distribution; a class with probability 0 costs
 * log(1e12). */
static double surprise(const struct sl_pool *pool)
{
    double sum = 0;
    for (size_t k = 0; k < pool->votes->n_classes; k++)
        if (pool->actual[k] > 0) sum -= pool->actual[k] * log(fmax(pool->row[k], 1e-12));
    return sum;
}

/* The loss of predicting each annotator from the pool of the others, or the reference from the pool
 * of all, plus a penalty for background and sharpening. */
static double shape_loss(struct sl_pool *pool)
{
    const struct sl_soft_votes *votes = pool->votes;
    double loss = pool->sharpening + pool->background;
    for (size_t i = 0; i < votes->n_items; i++) {
        const float *known = sl_soft_reference(pool->reference, i, votes->n_classes);
        if (!sl_soft_teaches(votes, pool->reference, i)) continue;
        sl_pool_gather(pool, i);
        if (known) {
            expect_row(pool, known, false);
            sl_pool_shaped(pool, SIZE_MAX);
            loss += surprise(pool);
        }
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1] && !known; j++) {
            expect_row(pool, votes->rows + j * votes->n_classes, pool->predicts_votes);
            sl_pool_shaped(pool, j);
            loss += surprise(pool);
        }
    }
    return loss;
}

static double background_loss(double background, void *context)
{
    struct sl_pool *pool = context;
    pool->background = background;
    return shape_loss(pool);
}

static double sharpening_loss(double sharpening, void *context)
{
    struct sl_pool *pool = context;
    pool->sharpening = sharpening;
    return shape_loss(pool);
}

static void learn_shape(struct sl_pool *pool)
{
    bool taught = false;
    for (size_t i = 0; i < pool->votes->n_items && !taught; i++)
        taught = sl_soft_teaches(pool->votes, pool->reference, i);
    if (!taught) return;
    for (int round = 0; round < SHAPE_ROUNDS; round++) {
        pool->background = sl_soft_minimum(background_loss, pool, 0, largest_background, precision);
        if (pool->form == SL_POOL_LINEAR) return;
        pool->sharpening = sl_soft_minimum(sharpening_loss, pool, 0, 1, precision);
    }
}

static void fill_state(struct sl_pool *pool, const struct sl_crowd_options *options,
                       struct sl_crowd_state *out)
{
    const size_t n_classes = out->n_classes;
    double largest = 0;
    for (size_t i = 0; i < out->n_items; i++) {
        if (pool->votes->begin[i] == pool->votes->begin[i + 1]) continue;
        sl_pool_gather(pool, i);
        sl_pool_shaped(pool, SIZE_MAX);
        for (size_t k = 0; k < n_classes; k++)
            out->posterior[i * n_classes + k] = (float)pool->row[k];
    }
    sl_em_finish_votes(out, pool->votes->begin, options);
    for (size_t a = 0; a < out->n_annotators; a++)
        largest = fmax(largest, pool->weight[a]);
    for (size_t a = 0; a < out->n_annotators; a++)
        out->skill[a] = (out->weight[a] = pool->weight[a]) / largest;
}

static enum sl_status run_pool(enum sl_pool_form form, const struct sl_soft_votes *votes,
                               const struct sl_crowd_options *options, struct sl_crowd_state *out,
                               struct sl_error *err)
{
    const struct sl_crowd_size size = {votes->n_items, votes->n_annotators, votes->n_classes};
    struct sl_soft_votes used;
    struct sl_pool pool = {0};
    float *owned = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_soft_prepare(votes, options, &used, &owned, err));
    SL_TRY_OUT(sl_crowd_state_alloc(out, size, SL_STATE_SKILL | SL_STATE_WEIGHT, 0, err));
    SL_TRY_OUT(sl_pool_init(&pool, form, &used, options, err));
    out->converged = true;
    if (!options->weights)
        out->n_iterations = sl_pool_learn_weights(&pool, options, &out->converged);
    learn_shape(&pool);
    fill_state(&pool, options, out);
out:
    sl_pool_release(&pool);
    free(owned);
    return status;
}

enum sl_status sl_crowd_pool_linear(const struct sl_soft_votes *votes,
                                    const struct sl_crowd_options *options,
                                    struct sl_crowd_state *out, struct sl_error *err)
{
    return run_pool(SL_POOL_LINEAR, votes, options, out, err);
}

enum sl_status sl_crowd_pool_log(const struct sl_soft_votes *votes,
                                 const struct sl_crowd_options *options, struct sl_crowd_state *out,
                                 struct sl_error *err)
{
    return run_pool(SL_POOL_LOG, votes, options, out, err);
}
