/* Per-annotator calibration of stated probabilities; the model is in crowd.h and, with equations,
 * in docs/internals/crowd-soft.md. The cross-entropy is convex in the exponent 1 / temperature and
 * the bias, so Newton's method with halved steps finds the only minimum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/em.h"
#include "crowd/soft.h"
#include "softlab/base/memory.h"

/* BATCH answers are calibrated by threads before one thread adds them up. */
enum { NEWTON_STEPS = 50, HALVINGS = 40, BATCH = 4096 };

static const double floor_share = .01; /* share of every answer that is spread over all classes */
static const double least_power = .05; /* an annotator's order of classes is never reversed */

/* (power, bias), and the usual deviation of annotators from it. */
struct setting {
    double power, bias;
};
static const struct setting identity = {1, 0};
static const struct setting crowd_spread = {1, 1};
static const struct setting annotator_spread = {.25, .5};

struct prior {
    struct setting centre, spread;
};

/* Value and first and second derivatives of the penalised cross-entropy at a setting. */
struct slope {
    double value, power, bias;
    double power_power, power_bias, bias_bias;
};

struct fit {
    const struct sl_soft_votes *votes;
    const float *reference;
    struct sl_pool *pool;
    double *target;   /* owned; (count, K); zeros where there is no target */
    size_t *begin;    /* owned; n_annotators + 2: answers of each annotator in `order` */
    size_t *order;    /* owned; count */
    double *prepared; /* owned; (BATCH, 3 K + 1): rows as add_answer takes them */
    double *scratch;  /* owned; (workers, apart): 3 K + 1 numbers */
    size_t apart;
    struct setting at; /* of the batch at hand, which begins at `first` */
    size_t first;
    struct setting crowd; /* where the annotators' settings begin */
    struct sl_calibration *out;
};

/* One answer, K each and the logarithm of the normaliser. */
struct prepared {
    double *feature; /* log of the floored probabilities */
    double *top;     /* the share of each class in the largest */
    double *row;     /* calibrated */
    double *log_sum;
};

static struct prepared prepared_at(double *first, size_t n_classes)
{
    return (struct prepared){first, first + n_classes, first + 2 * n_classes,
                             first + 3 * n_classes};
}

static void take_features(const float *answer, size_t n_classes, double *feature, double *top)
{
    sl_soft_vote(answer, n_classes, top);
    for (size_t k = 0; k < n_classes; k++)
        feature[k] = log((1 - floor_share) * (double)answer[k] + floor_share / (double)n_classes);
}

/* The calibrated row; returns the logarithm of its normaliser. */
static double calibrate_row(const double *feature, const double *top, size_t n_classes,
                            struct setting at, double *row)
{
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        row[k] = at.power * feature[k] + at.bias * top[k];
        largest = row[k] > largest ? row[k] : largest;
    }
    for (size_t k = 0; k < n_classes; k++) {
        row[k] = exp(row[k] - largest);
        sum += row[k];
    }
    for (size_t k = 0; k < n_classes; k++)
        row[k] /= sum;
    /* cppcheck-suppress invalidFunctionArg ; the largest adds 1 */
    return largest + log(sum);
}

static double mass_of(const struct fit *fit, size_t answer)
{
    const double *target = fit->target + answer * fit->votes->n_classes;
    double mass = 0;
    for (size_t k = 0; k < fit->votes->n_classes; k++)
        mass += target[k];
    return mass;
}

static void prepare(const struct fit *fit, size_t answer, struct setting at,
                    const struct prepared *out)
{
    const size_t n_classes = fit->votes->n_classes;
    if (mass_of(fit, answer) == 0) return;
    take_features(fit->votes->rows + answer * n_classes, n_classes, out->feature, out->top);
    *out->log_sum = calibrate_row(out->feature, out->top, n_classes, at, out->row);
}

static void add_answer(const struct fit *fit, size_t answer, struct setting at,
                       const struct prepared *prepared, struct slope *slope)
{
    const size_t n_classes = fit->votes->n_classes;
    const double *target = fit->target + answer * n_classes;
    const double mass = mass_of(fit, answer);
    if (mass == 0) return;
    slope->value += mass * *prepared->log_sum;
    double power = 0, bias = 0, power_power = 0, power_bias = 0, bias_bias = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double x = prepared->feature[k], y = prepared->top[k], r = prepared->row[k];
        slope->value -= target[k] * (at.power * x + at.bias * y);
        slope->power -= target[k] * x;
        slope->bias -= target[k] * y;
        power += r * x;
        bias += r * y;
        power_power += r * x * x;
        power_bias += r * x * y;
        bias_bias += r * y * y;
    }
    slope->power += mass * power;
    slope->bias += mass * bias;
    slope->power_power += mass * (power_power - power * power);
    slope->power_bias += mass * (power_bias - power * bias);
    slope->bias_bias += mass * (bias_bias - bias * bias);
}

/* The answers that a setting is fitted to. */
struct taught {
    const size_t *order; /* NULL: all answers, with the threads of the pool */
    size_t count;
    double *scratch; /* 3 K + 1; for some of the answers */
};

static void prepare_batch(void *context, const struct sl_em_range *range)
{
    const struct fit *fit = context;
    const size_t n_classes = fit->votes->n_classes;
    for (size_t i = range->begin; i < range->end; i++) {
        const struct prepared out = prepared_at(fit->prepared + i * (3 * n_classes + 1), n_classes);
        prepare(fit, fit->first + i, fit->at, &out);
    }
}

static void add_all(struct fit *fit, struct setting at, struct slope *slope)
{
    const size_t n_classes = fit->votes->n_classes;
    fit->at = at;
    for (fit->first = 0; fit->first < fit->votes->count; fit->first += BATCH) {
        const size_t left = fit->votes->count - fit->first, count = left < BATCH ? left : BATCH;
        sl_em_run(count, fit->pool, prepare_batch, fit);
        for (size_t i = 0; i < count; i++) {
            const struct prepared prepared =
                prepared_at(fit->prepared + i * (3 * n_classes + 1), n_classes);
            add_answer(fit, fit->first + i, at, &prepared, slope);
        }
    }
}

static void add_some(const struct fit *fit, const struct taught *taught, struct setting at,
                     struct slope *slope)
{
    const struct prepared prepared = prepared_at(taught->scratch, fit->votes->n_classes);
    for (size_t i = 0; i < taught->count; i++) {
        prepare(fit, taught->order[i], at, &prepared);
        add_answer(fit, taught->order[i], at, &prepared, slope);
    }
}

static struct slope slope_at(struct fit *fit, const struct taught *taught,
                             const struct prior *prior, struct setting at)
{
    double power = (at.power - prior->centre.power) / prior->spread.power;
    double bias = (at.bias - prior->centre.bias) / prior->spread.bias;
    struct slope slope = {
        .value = (power * power + bias * bias) / 2,
        .power = power / prior->spread.power,
        .bias = bias / prior->spread.bias,
        .power_power = 1 / (prior->spread.power * prior->spread.power),
        .bias_bias = 1 / (prior->spread.bias * prior->spread.bias),
    };
    if (taught->order)
        add_some(fit, taught, at, &slope);
    else
        add_all(fit, at, &slope);
    return slope;
}

/* Newton's step; with the power held, in the bias alone. */
static struct setting newton_step(const struct slope *slope, bool hold_power)
{
    if (hold_power) return (struct setting){0, slope->bias / slope->bias_bias};
    double determinant =
        slope->power_power * slope->bias_bias - slope->power_bias * slope->power_bias;
    return (struct setting){
        (slope->bias_bias * slope->power - slope->power_bias * slope->bias) / determinant,
        (slope->power_power * slope->bias - slope->power_bias * slope->power) / determinant,
    };
}

static struct setting descend(struct fit *fit, const struct taught *taught,
                              const struct prior *prior, struct setting at, bool hold_power)
{
    struct slope slope = slope_at(fit, taught, prior, at);
    for (int round = 0; round < NEWTON_STEPS; round++) {
        struct setting step = newton_step(&slope, hold_power);
        if (!(fabs(step.power) + fabs(step.bias) > 1e-9)) break;
        bool lower = false;
        for (int halving = 0; halving < HALVINGS && !lower; halving++) {
            struct setting next = {at.power - step.power, at.bias - step.bias};
            struct slope next_slope = slope_at(fit, taught, prior, next);
            lower = next_slope.value < slope.value;
            if (lower) {
                at = next;
                slope = next_slope;
            }
            step.power /= 2;
            step.bias /= 2;
        }
        if (!lower) break;
    }
    return at;
}

/* The minimum for power >= least_power; by convexity it is at the bound if the free minimum is
 * beyond. */
static struct setting fit_setting(struct fit *fit, const struct taught *taught,
                                  struct setting centre, struct setting spread)
{
    const struct prior prior = {centre, spread};
    struct setting at = descend(fit, taught, &prior, centre, false);
    if (at.power >= least_power) return at;
    return descend(fit, taught, &prior, (struct setting){least_power, centre.bias}, true);
}

/* The target of an answer: the reference, or the mean vote of the others. */
static void fill_targets(void *context, const struct sl_em_range *range)
{
    const struct fit *fit = context;
    const struct sl_soft_votes *votes = fit->votes;
    const size_t n_classes = votes->n_classes;
    double *vote = fit->scratch + range->worker * fit->apart, *sum = vote + n_classes;
    for (size_t i = range->begin; i < range->end; i++) {
        const size_t begin = votes->begin[i], end = votes->begin[i + 1];
        const float *known = sl_soft_reference(fit->reference, i, n_classes);
        memset(fit->target + begin * n_classes, 0, (end - begin) * n_classes * sizeof(double));
        if (!sl_soft_teaches(votes, fit->reference, i)) continue;
        memset(sum, 0, n_classes * sizeof *sum);
        for (size_t j = begin; j < end && !known; j++) {
            sl_soft_vote(votes->rows + j * n_classes, n_classes, vote);
            for (size_t k = 0; k < n_classes; k++)
                sum[k] += vote[k];
        }
        for (size_t j = begin; j < end; j++) {
            double *row = fit->target + j * n_classes;
            sl_soft_vote(votes->rows + j * n_classes, n_classes, vote);
            for (size_t k = 0; k < n_classes; k++)
                row[k] = known ? (double)known[k]
                               : fmax(sum[k] - vote[k], 0) / (double)(end - begin - 1);
        }
    }
}

/* Answers grouped by annotator: begin[a]..begin[a + 1] in `order`, in order of items. */
static void group_by_annotator(const struct sl_soft_votes *votes, size_t *begin, size_t *order)
{
    memset(begin, 0, (votes->n_annotators + 2) * sizeof *begin);
    for (size_t j = 0; j < votes->count; j++)
        begin[votes->annotator[j] + 2]++;
    for (size_t a = 1; a <= votes->n_annotators; a++)
        begin[a + 1] += begin[a];
    for (size_t j = 0; j < votes->count; j++)
        order[begin[votes->annotator[j] + 1]++] = j;
}

static void fit_annotators(void *context, const struct sl_em_range *range)
{
    struct fit *fit = context;
    double *scratch = fit->scratch + range->worker * fit->apart;
    for (size_t a = range->begin; a < range->end; a++) {
        const struct taught taught = {fit->order + fit->begin[a], fit->begin[a + 1] - fit->begin[a],
                                      scratch};
        const struct setting own = fit_setting(fit, &taught, fit->crowd, annotator_spread);
        fit->out->temperature[a] = 1 / own.power;
        fit->out->bias[a] = own.bias;
    }
}

static void fit_all(struct fit *fit)
{
    const struct taught all = {.count = fit->votes->count};
    sl_em_run(fit->votes->n_items, fit->pool, fill_targets, fit);
    group_by_annotator(fit->votes, fit->begin, fit->order);
    fit->crowd = fit_setting(fit, &all, identity, crowd_spread);
    fit->out->crowd_temperature = 1 / fit->crowd.power;
    fit->out->crowd_bias = fit->crowd.bias;
    sl_em_run(fit->out->n_annotators, fit->pool, fit_annotators, fit);
}

enum sl_status sl_calibration_fit(const struct sl_soft_votes *votes, const float *reference,
                                  struct sl_pool *pool, struct sl_calibration *out,
                                  struct sl_error *err)
{
    const size_t n_annotators = votes->n_annotators, n_numbers = 3 * votes->n_classes + 1;
    struct sl_calibration calibration = {.n_annotators = n_annotators};
    struct fit fit = {.votes = votes, .reference = reference, .pool = pool, .out = &calibration};
    SL_TRY(sl_soft_votes_check(votes, err));
    fit.apart = sl_em_apart(n_numbers, sizeof(double));
    fit.scratch = sl_data_alloc(sl_pool_threads(pool) * fit.apart, sizeof(double), err);
    fit.prepared = sl_data_alloc(BATCH * n_numbers, sizeof(double), err);
    fit.target = sl_data_alloc(votes->count * votes->n_classes, sizeof(double), err);
    fit.begin = sl_data_alloc(n_annotators + 2, sizeof *fit.begin, err);
    fit.order = sl_data_alloc(votes->count, sizeof *fit.order, err);
    calibration.temperature = sl_data_alloc(n_annotators, sizeof(double), err);
    calibration.bias = sl_data_alloc(n_annotators, sizeof(double), err);
    enum sl_status status = SL_ERR_NOMEM;
    if (fit.scratch && fit.prepared && fit.target && fit.begin && fit.order &&
        calibration.temperature && calibration.bias) {
        fit_all(&fit);
        *out = calibration;
        calibration = (struct sl_calibration){0};
        status = SL_OK;
    }
    sl_calibration_release(&calibration);
    free(fit.scratch);
    free(fit.prepared);
    free(fit.target);
    free(fit.begin);
    free(fit.order);
    return status;
}

void sl_calibration_release(struct sl_calibration *calibration)
{
    free(calibration->temperature);
    free(calibration->bias);
    *calibration = (struct sl_calibration){0};
}

struct application {
    const struct sl_calibration *calibration;
    const struct sl_soft_votes *votes;
    double *scratch; /* owned; 3 K per worker, apart */
    float *out;
};

static void apply(void *context, const struct sl_em_range *range)
{
    const struct application *application = context;
    const struct sl_calibration *calibration = application->calibration;
    const struct sl_soft_votes *votes = application->votes;
    const size_t n_classes = votes->n_classes;
    double *feature =
        application->scratch + range->worker * sl_em_apart(3 * n_classes, sizeof(double));
    double *top = feature + n_classes, *row = top + n_classes;
    for (size_t j = range->begin; j < range->end; j++) {
        const size_t annotator = votes->annotator[j];
        struct setting at = {1 / calibration->crowd_temperature, calibration->crowd_bias};
        if (annotator < calibration->n_annotators)
            at = (struct setting){1 / calibration->temperature[annotator],
                                  calibration->bias[annotator]};
        take_features(votes->rows + j * n_classes, n_classes, feature, top);
        calibrate_row(feature, top, n_classes, at, row);
        for (size_t k = 0; k < n_classes; k++)
            application->out[j * n_classes + k] = (float)row[k];
    }
}

enum sl_status sl_calibration_apply(const struct sl_calibration *calibration,
                                    const struct sl_soft_votes *votes, struct sl_pool *pool,
                                    float *out, struct sl_error *err)
{
    const size_t n_numbers =
        sl_pool_threads(pool) * sl_em_apart(3 * votes->n_classes, sizeof(double));
    struct application application = {.calibration = calibration, .votes = votes, .out = out};
    application.scratch = sl_data_alloc(n_numbers, sizeof(double), err);
    if (!application.scratch) return SL_ERR_NOMEM;
    sl_em_run(votes->count, pool, apply, &application);
    free(application.scratch);
    return SL_OK;
}
