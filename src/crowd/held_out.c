#include "softlab/crowd/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* Shares of smoothing to choose from. 1: the label says no more than the shares of the classes. */
static const double smoothings[] = {.001, .003, .01, .02, .05, .1, .15, .2, .3, .4, .5, .7, 1};
enum {
    N_SMOOTHINGS = sizeof smoothings / sizeof *smoothings,
    HALVES = 2,
    MOST_GROUPS = 2000,
    NEVER = UINT8_MAX, /* the fold of the only answer to an item */
};

struct sl_held_out_options sl_held_out_options_default(void)
{
    return (struct sl_held_out_options){.n_folds = 5, .most_answers = 100000, .seed = 1};
}

/* How the answers are divided. */
struct division {
    const struct sl_crowd_answers *crowd; /* borrowed */
    struct sl_crowd_shape shape;
    uint8_t *fold; /* owned; per answer */
    uint8_t *half; /* owned; per item */
    bool *keep;    /* owned; per answer: in the training part */
    size_t n_folds, n_used_folds;
};

static void division_release(struct division *division)
{
    free(division->fold);
    free(division->half);
    free(division->keep);
}

/* Deal the answers of an item to folds: in random order, beginning with a random fold, so that at
 * least one of two or more answers is in another fold. */
static void deal(struct division *division, size_t item, uint64_t seed)
{
    const size_t begin = division->shape.begin[item];
    const size_t count = division->shape.begin[item + 1] - begin;
    struct sl_rng rng;
    sl_rng_init(&rng, seed, "held-out", 0, item);
    division->half[item] = (uint8_t)sl_rng_below(&rng, HALVES);
    const size_t first = (size_t)sl_rng_below(&rng, division->n_folds);
    uint8_t *fold = division->fold + begin;
    for (size_t i = 0; i < count; i++)
        fold[i] = (uint8_t)(count > 1 ? (first + i) % division->n_folds : NEVER);
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)sl_rng_below(&rng, i);
        const uint8_t kept = fold[i - 1];
        fold[i - 1] = fold[other];
        fold[other] = kept;
    }
}

static enum sl_status divide(struct division *division, const struct sl_crowd_answers *crowd,
                             const struct sl_held_out_options *options, struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    *division = (struct division){.crowd = crowd, .shape = shape, .n_folds = options->n_folds};
    division->fold = sl_data_alloc(shape.count, sizeof *division->fold, err);
    division->half = sl_data_alloc(shape.n_items, sizeof *division->half, err);
    division->keep = sl_data_alloc(shape.count, sizeof *division->keep, err);
    if (!division->fold || !division->half || !division->keep) return SL_ERR_NOMEM;
    for (size_t i = 0; i < shape.n_items; i++)
        deal(division, i, options->seed);
    size_t n_dealt = 0;
    for (size_t fold = 0; fold < options->n_folds && n_dealt < options->most_answers; fold++) {
        for (size_t v = 0; v < shape.count; v++)
            n_dealt += division->fold[v] == fold;
        division->n_used_folds++;
    }
    return SL_OK;
}

/* ---- Labels of the training part ---- */

/* The share of every class among the answers, with one answer more that is spread evenly. */
static void class_shares(const struct sl_crowd_answers *crowd, double *out)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    const size_t k = shape.n_classes;
    for (size_t c = 0; c < k; c++)
        out[c] = 1 / (double)k;
    for (size_t v = 0; v < shape.count; v++) {
        if (crowd->votes)
            out[crowd->votes->label[v]] += 1;
        else
            for (size_t c = 0; c < k; c++)
                out[c] += sl_crowd_said(crowd, v, c);
    }
    for (size_t c = 0; c < k; c++)
        out[c] /= (double)shape.count + 1;
}

/* ---- Scores ---- */

/* Scores of one method while folds are left out. */
struct scoring {
    const struct division *division;
    const double *shares; /* K */
    double *sums;         /* owned; (n_items, N_SMOOTHINGS) */
    double hits;
};

/* The part of an answer that names the label's first class; equal classes share it. */
static double hit(const struct sl_crowd_answers *crowd, size_t answer, const float *label, size_t k)
{
    const float most = label[sl_largest(label, k)];
    double sum = 0;
    size_t n_tied = 0;
    for (size_t c = 0; c < k; c++) {
        if (label[c] != most) continue;
        sum += sl_crowd_said(crowd, answer, c);
        n_tied++;
    }
    return sum / (double)n_tied;
}

static double log_likelihood(const struct scoring *scoring, size_t answer, const float *label,
                             double smoothing)
{
    const struct division *division = scoring->division;
    const struct sl_votes *votes = division->crowd->votes;
    const size_t k = division->shape.n_classes;
    const size_t first = votes ? votes->label[answer] : 0;
    const size_t last = votes ? first + 1 : k;
    double sum = 0;
    for (size_t c = first; c < last; c++) {
        const double said = votes ? 1 : sl_crowd_said(division->crowd, answer, c);
        if (said > 0)
            sum += said * log((1 - smoothing) * (double)label[c] + smoothing * scoring->shares[c]);
    }
    return sum;
}

static void score_fold(struct scoring *scoring, size_t fold, const float *labels)
{
    const struct division *division = scoring->division;
    const struct sl_crowd_shape *shape = &division->shape;
    for (size_t i = 0; i < shape->n_items; i++) {
        const float *label = labels + i * shape->n_classes;
        for (size_t v = shape->begin[i]; v < shape->begin[i + 1]; v++) {
            if (division->fold[v] != fold) continue;
            scoring->hits += hit(division->crowd, v, label, shape->n_classes);
            for (size_t s = 0; s < N_SMOOTHINGS; s++)
                scoring->sums[i * N_SMOOTHINGS + s] +=
                    log_likelihood(scoring, v, label, smoothings[s]);
        }
    }
}

/* Keep the sums of the smoothing that is best on the other half of the items. */
static void choose_smoothing(const struct scoring *scoring, struct sl_held_out_score *score)
{
    const size_t n_items = scoring->division->shape.n_items;
    double totals[HALVES][N_SMOOTHINGS] = {{0}};
    size_t best[HALVES] = {0};
    for (size_t i = 0; i < n_items; i++)
        for (size_t s = 0; s < N_SMOOTHINGS; s++)
            totals[scoring->division->half[i]][s] += scoring->sums[i * N_SMOOTHINGS + s];
    for (size_t half = 0; half < HALVES; half++)
        for (size_t s = 1; s < N_SMOOTHINGS; s++)
            if (totals[1 - half][s] > totals[1 - half][best[half]]) best[half] = s;
    for (size_t half = 0; half < HALVES; half++)
        score->smoothing[half] = smoothings[best[half]];
    for (size_t i = 0; i < n_items; i++)
        score->sum[i] = scoring->sums[i * N_SMOOTHINGS + best[scoring->division->half[i]]];
}

static enum sl_status score_method(struct division *division, const struct sl_aggregator *method,
                                   struct sl_pool *pool, size_t n_left_out,
                                   struct sl_held_out_score *score, struct sl_error *err)
{
    const struct sl_crowd_shape *shape = &division->shape;
    struct sl_crowd_options options = sl_crowd_options_default();
    struct scoring scoring = {.division = division};
    enum sl_status status = SL_OK;
    options.pool = pool;
    options.confusions = false;
    double *shares = sl_data_alloc(shape->n_classes, sizeof *shares, err);
    scoring.shares = shares;
    scoring.sums = sl_data_zeroed(shape->n_items, N_SMOOTHINGS * sizeof *scoring.sums, err);
    score->sum = sl_data_zeroed(shape->n_items, sizeof *score->sum, err);
    if (!shares || !scoring.sums || !score->sum) SL_TRY_OUT(SL_ERR_NOMEM);
    for (size_t fold = 0; fold < division->n_used_folds; fold++) {
        struct sl_crowd_subset training;
        struct sl_crowd_state state = {0};
        for (size_t v = 0; v < shape->count; v++)
            division->keep[v] = division->fold[v] != fold;
        SL_TRY_OUT(sl_crowd_subset_init(&training, division->crowd, division->keep, err));
        class_shares(&training.crowd, shares);
        status = sl_crowd_aggregate(method, &training.crowd, &options, &state, err);
        if (status == SL_OK) score_fold(&scoring, fold, state.posterior);
        sl_crowd_state_release(&state);
        sl_crowd_subset_release(&training);
        if (status != SL_OK) goto out;
    }
    choose_smoothing(&scoring, score);
    score->mean = sl_sum(score->sum, shape->n_items) / (double)n_left_out;
    score->hits = scoring.hits / (double)n_left_out;
out:
    free(shares);
    free(scoring.sums);
    return status;
}

static void count_left_out(const struct division *division, struct sl_held_out *out)
{
    const struct sl_crowd_shape *shape = &division->shape;
    for (size_t i = 0; i < shape->n_items; i++) {
        for (size_t v = shape->begin[i]; v < shape->begin[i + 1]; v++)
            out->left_out[i] += division->fold[v] < division->n_used_folds;
        out->n_left_out += out->left_out[i];
        out->n_scored += out->left_out[i] > 0;
    }
}

enum sl_status sl_held_out_measure(const struct sl_crowd_answers *crowd,
                                   const struct sl_aggregator *const *methods, size_t n_methods,
                                   const struct sl_held_out_options *options,
                                   struct sl_held_out *out, struct sl_error *err)
{
    struct division division = {0};
    struct sl_held_out made = {.n_items = sl_crowd_shape_of(crowd).n_items,
                               .n_methods = n_methods,
                               .methods = sl_alloc(n_methods + 1, sizeof *made.methods)};
    enum sl_status status = SL_OK;
    if (options->n_folds < 2 || options->n_folds >= NEVER)
        SL_TRY_OUT(
            sl_fail(err, SL_ERR_USAGE, "%zu folds, expected 2 to %d", options->n_folds, NEVER - 1));
    made.left_out = sl_data_zeroed(made.n_items, sizeof *made.left_out, err);
    if (!made.left_out) SL_TRY_OUT(SL_ERR_NOMEM);
    SL_TRY_OUT(divide(&division, crowd, options, err));
    count_left_out(&division, &made);
    for (size_t m = 0; m < n_methods; m++)
        SL_TRY_OUT(score_method(&division, methods[m], options->pool, made.n_left_out,
                                &made.methods[m], err));
    *out = made;
    made = (struct sl_held_out){0};
out:
    division_release(&division);
    sl_held_out_release(&made);
    return status;
}

void sl_held_out_release(struct sl_held_out *held_out)
{
    for (size_t m = 0; held_out->methods && m < held_out->n_methods; m++)
        free(held_out->methods[m].sum);
    free(held_out->methods);
    free(held_out->left_out);
    *held_out = (struct sl_held_out){0};
}

/* ---- Differences ---- */

struct groups {
    double difference[MOST_GROUPS], answers[MOST_GROUPS];
};

static double mean_difference(const size_t *indices, size_t count, void *context)
{
    const struct groups *groups = context;
    double difference = 0, answers = 0;
    for (size_t i = 0; i < count; i++) {
        difference += groups->difference[indices[i]];
        answers += groups->answers[indices[i]];
    }
    return difference / answers;
}

enum sl_status sl_held_out_difference(const struct sl_held_out *held_out, size_t a, size_t b,
                                      const struct sl_bootstrap_options *bootstrap,
                                      struct sl_interval *out, struct sl_error *err)
{
    const struct sl_held_out_score *first = &held_out->methods[a], *second = &held_out->methods[b];
    *out = (struct sl_interval){first->mean - second->mean, (double)NAN, (double)NAN};
    if (held_out->n_scored < 2) return SL_OK;
    const size_t n_groups =
        held_out->n_scored < MOST_GROUPS ? held_out->n_scored : (size_t)MOST_GROUPS;
    struct groups *groups = sl_alloc(1, sizeof *groups);
    size_t at = 0;
    for (size_t i = 0; i < held_out->n_items; i++) {
        if (held_out->left_out[i] == 0) continue;
        groups->difference[at % n_groups] += first->sum[i] - second->sum[i];
        groups->answers[at % n_groups] += (double)held_out->left_out[i];
        at++;
    }
    const enum sl_status status =
        sl_bootstrap(mean_difference, groups, n_groups, bootstrap, out, err);
    free(groups);
    return status;
}
