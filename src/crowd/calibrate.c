/* Per-annotator calibration of stated probabilities; the model is in crowd.h and, with equations,
 * in docs/internals/crowd-soft.md. The cross-entropy is convex in the exponent 1 / temperature and
 * the bias, so Newton's method with halved steps finds the only minimum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crowd/crowd_internal.h"
#include "crowd/soft.h"
#include "softlab/base/memory.h"

enum { NEWTON_STEPS = 50, HALVINGS = 40 };

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
    const double *target; /* (count, K); zeros where there is no target */
    double *feature;      /* K: log of the floored probabilities */
    double *top;          /* K: the share of each class in the largest */
    double *row;          /* K: calibrated */
};

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

static void add_answer(const struct fit *fit, size_t answer, struct setting at, struct slope *slope)
{
    const size_t n_classes = fit->votes->n_classes;
    const double *target = fit->target + answer * n_classes;
    double mass = 0;
    for (size_t k = 0; k < n_classes; k++)
        mass += target[k];
    if (mass == 0) return;
    take_features(fit->votes->rows + answer * n_classes, n_classes, fit->feature, fit->top);
    slope->value += mass * calibrate_row(fit->feature, fit->top, n_classes, at, fit->row);
    double power = 0, bias = 0, power_power = 0, power_bias = 0, bias_bias = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double x = fit->feature[k], y = fit->top[k], r = fit->row[k];
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

/* Over the answers order[0..count), or all of them where order is NULL. */
static struct slope slope_at(const struct fit *fit, const size_t *order, size_t count,
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
    for (size_t i = 0; i < count; i++)
        add_answer(fit, order ? order[i] : i, at, &slope);
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

static struct setting descend(const struct fit *fit, const size_t *order, size_t count,
                              const struct prior *prior, struct setting at, bool hold_power)
{
    struct slope slope = slope_at(fit, order, count, prior, at);
    for (int round = 0; round < NEWTON_STEPS; round++) {
        struct setting step = newton_step(&slope, hold_power);
        if (!(fabs(step.power) + fabs(step.bias) > 1e-9)) break;
        bool lower = false;
        for (int halving = 0; halving < HALVINGS && !lower; halving++) {
            struct setting next = {at.power - step.power, at.bias - step.bias};
            struct slope next_slope = slope_at(fit, order, count, prior, next);
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
static struct setting fit_setting(const struct fit *fit, const size_t *order, size_t count,
                                  struct setting centre, struct setting spread)
{
    const struct prior prior = {centre, spread};
    struct setting at = descend(fit, order, count, &prior, centre, false);
    if (at.power >= least_power) return at;
    return descend(fit, order, count, &prior, (struct setting){least_power, centre.bias}, true);
}

/* The target of an answer: the reference, or the mean vote of the others. */
static void fill_targets(const struct sl_soft_votes *votes, const float *reference, double *vote,
                         double *sum, double *target)
{
    const size_t n_classes = votes->n_classes;
    memset(target, 0, votes->count * n_classes * sizeof *target);
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t begin = votes->begin[i], end = votes->begin[i + 1];
        const float *known = sl_soft_reference(reference, i, n_classes);
        if (!sl_soft_teaches(votes, reference, i)) continue;
        memset(sum, 0, n_classes * sizeof *sum);
        for (size_t j = begin; j < end && !known; j++) {
            sl_soft_vote(votes->rows + j * n_classes, n_classes, vote);
            for (size_t k = 0; k < n_classes; k++)
                sum[k] += vote[k];
        }
        for (size_t j = begin; j < end; j++) {
            double *row = target + j * n_classes;
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

static void fit_annotators(const struct fit *fit, const size_t *begin, const size_t *order,
                           struct sl_calibration *out)
{
    struct setting crowd = fit_setting(fit, NULL, fit->votes->count, identity, crowd_spread);
    out->crowd_temperature = 1 / crowd.power;
    out->crowd_bias = crowd.bias;
    for (size_t a = 0; a < out->n_annotators; a++) {
        struct setting own =
            fit_setting(fit, order + begin[a], begin[a + 1] - begin[a], crowd, annotator_spread);
        out->temperature[a] = 1 / own.power;
        out->bias[a] = own.bias;
    }
}

enum sl_status sl_calibration_fit(const struct sl_soft_votes *votes, const float *reference,
                                  struct sl_calibration *out, struct sl_error *err)
{
    const size_t n_classes = votes->n_classes, n_annotators = votes->n_annotators;
    struct sl_calibration calibration = {.n_annotators = n_annotators};
    SL_TRY(sl_soft_votes_check(votes, err));
    double *rows = sl_alloc(3 * n_classes, sizeof *rows);
    double *target = sl_data_alloc(votes->count * n_classes, sizeof *target, err);
    size_t *begin = sl_data_alloc(n_annotators + 2, sizeof *begin, err);
    size_t *order = sl_data_alloc(votes->count, sizeof *order, err);
    calibration.temperature = sl_data_alloc(n_annotators, sizeof(double), err);
    calibration.bias = sl_data_alloc(n_annotators, sizeof(double), err);
    enum sl_status status = SL_ERR_NOMEM;
    if (target && begin && order && calibration.temperature && calibration.bias) {
        struct fit fit = {votes, target, rows, rows + n_classes, rows + 2 * n_classes};
        fill_targets(votes, reference, rows, rows + n_classes, target);
        group_by_annotator(votes, begin, order);
        fit_annotators(&fit, begin, order, &calibration);
        *out = calibration;
        calibration = (struct sl_calibration){0};
        status = SL_OK;
    }
    sl_calibration_release(&calibration);
    free(rows);
    free(target);
    free(begin);
    free(order);
    return status;
}

void sl_calibration_release(struct sl_calibration *calibration)
{
    free(calibration->temperature);
    free(calibration->bias);
    *calibration = (struct sl_calibration){0};
}

enum sl_status sl_calibration_apply(const struct sl_calibration *calibration,
                                    const struct sl_soft_votes *votes, float *out,
                                    struct sl_error *err)
{
    const size_t n_classes = votes->n_classes;
    double *feature = sl_data_alloc(3 * n_classes, sizeof *feature, err);
    if (!feature) return SL_ERR_NOMEM;
    double *top = feature + n_classes, *row = top + n_classes;
    for (size_t j = 0; j < votes->count; j++) {
        const size_t annotator = votes->annotator[j];
        struct setting at = {1 / calibration->crowd_temperature, calibration->crowd_bias};
        if (annotator < calibration->n_annotators)
            at = (struct setting){1 / calibration->temperature[annotator],
                                  calibration->bias[annotator]};
        take_features(votes->rows + j * n_classes, n_classes, feature, top);
        calibrate_row(feature, top, n_classes, at, row);
        for (size_t k = 0; k < n_classes; k++)
            out[j * n_classes + k] = (float)row[k];
    }
    free(feature);
    return SL_OK;
}
