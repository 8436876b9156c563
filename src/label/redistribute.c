/* From one or two classes with probabilities, and impossible classes, to a whole distribution
 * (Collins et al. 2022, section 3; their label_construction_utils.py). */
#include <math.h>

#include "label/methods_internal.h"

enum spread { SPREAD_UNIFORM, SPREAD_CLAMP, SPREAD_SEMANTIC };

/* .7 + .2 + .1 in doubles may differ from 1 in the last bit. */
static const double sum_tolerance = 1e-9;

/* Place the stated mass; a second class equal to the first replaces it, as in the released
 * program. */
static enum sl_status place_stated(const struct sl_answer *answer, size_t n_top, size_t n_classes,
                                   double *out, struct sl_error *err)
{
    if (answer->n_top == 0) return sl_fail(err, SL_ERR_INPUT, "the answer names no class");
    if (isnan(answer->top[0].probability))
        return sl_fail(err, SL_ERR_INPUT, "the first class has no probability");
    for (size_t k = 0; k < n_classes; k++)
        out[k] = 0;
    for (size_t i = 0; i < answer->n_top && i < n_top; i++) {
        const struct sl_belief *belief = &answer->top[i];
        if (belief->class_index >= n_classes)
            return sl_fail(err, SL_ERR_INPUT, "class %u does not exist, expected a class below %zu",
                           belief->class_index, n_classes);
        double probability = isnan(belief->probability) ? 0 : sl_as_typed(belief->probability);
        if (!(probability >= 0 && isfinite(probability)))
            return sl_fail(err, SL_ERR_INPUT, "expected a probability, got %g", probability);
        out[belief->class_index] = probability;
    }
    return SL_OK;
}

static bool is_impossible(const struct sl_answer *answer, size_t class_index)
{
    for (size_t i = 0; i < answer->n_impossible; i++)
        if (answer->impossible[i] == class_index) return true;
    return false;
}

/* Weights of the classes that take the remaining mass, 1 each or by similarity, and the divisor of
 * their sum. */
struct takers {
    double divisor;
    enum spread spread;
    const struct sl_answer *answer;
    const float *similarity; /* to the first class; NULL unless semantic */
    const double *mass;
};

static double weight(const struct takers *takers, size_t class_index)
{
    if (takers->mass[class_index] > 0) return 0;
    if (takers->spread == SPREAD_CLAMP && is_impossible(takers->answer, class_index)) return 0;
    if (takers->spread == SPREAD_SEMANTIC) return fmax(0, (double)takers->similarity[class_index]);
    return 1;
}

/* The released program divides clamped mass by (possible classes) - (classes with mass). If a named
 * class is also marked impossible, this is fewer than the classes that get a share, and the final
 * normalisation scales everything down. */
static double clamp_divisor(const struct takers *takers, size_t n_classes)
{
    double divisor = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (!is_impossible(takers->answer, k)) divisor++;
        if (takers->mass[k] > 0) divisor--;
    }
    return divisor;
}

static struct takers find_takers(const struct sl_answer *answer, enum spread spread,
                                 size_t n_classes, const struct sl_label_options *options,
                                 const double *mass)
{
    struct takers takers = {.spread = spread, .answer = answer, .mass = mass};
    if (spread == SPREAD_SEMANTIC)
        takers.similarity = options->similarity + answer->top[0].class_index * n_classes;
    if (spread == SPREAD_CLAMP) {
        takers.divisor = clamp_divisor(&takers, n_classes);
        return takers;
    }
    for (size_t k = 0; k < n_classes; k++)
        takers.divisor += weight(&takers, k);
    return takers;
}

/* Give `amount` to the takers. A class with mass is never a taker, so each taker's weight may be
 * read just before its mass is set. */
static void give(const struct takers *takers, double amount, size_t n_classes, double *mass)
{
    for (size_t k = 0; k < n_classes; k++) {
        double share = weight(takers, k);
        if (share > 0) mass[k] = amount * share / takers->divisor;
    }
}

static double total(const double *mass, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += mass[k];
    return sum;
}

static void scale(double *mass, size_t n_classes, double factor)
{
    for (size_t k = 0; k < n_classes; k++)
        mass[k] *= factor;
}

static enum sl_status redistribute(const struct sl_answer *answer, size_t n_top, enum spread spread,
                                   size_t n_classes, const struct sl_label_options *options,
                                   double *out, struct sl_error *err)
{
    if (spread == SPREAD_SEMANTIC && !options->similarity)
        return sl_fail(err, SL_ERR_USAGE, "semantic labels need word vectors of the classes");
    SL_TRY(place_stated(answer, n_top, n_classes, out, err));
    double sum = total(out, n_classes);
    struct takers takers = find_takers(answer, spread, n_classes, options, out);
    bool takes = takers.divisor > 0;
    if (sum < 1 - sum_tolerance) {
        if (takes) give(&takers, 1 - sum, n_classes, out);
    } else {
        scale(out, n_classes, 1 / sum);
        if (spread == SPREAD_CLAMP && takes && options->gamma > 0) {
            scale(out, n_classes, 1 - options->gamma);
            give(&takers, options->gamma, n_classes, out);
        }
    }
    sum = total(out, n_classes);
    if (!(sum > 0))
        return sl_fail(err, SL_ERR_INPUT, "the answer leaves no class that could have probability");
    scale(out, n_classes, 1 / sum);
    return SL_OK;
}

enum sl_status sl_row_t1_uniform(const struct sl_answer *answer, size_t n_classes,
                                 const struct sl_label_options *options, double *out,
                                 struct sl_error *err)
{
    return redistribute(answer, 1, SPREAD_UNIFORM, n_classes, options, out, err);
}

enum sl_status sl_row_t1_clamp(const struct sl_answer *answer, size_t n_classes,
                               const struct sl_label_options *options, double *out,
                               struct sl_error *err)
{
    return redistribute(answer, 1, SPREAD_CLAMP, n_classes, options, out, err);
}

enum sl_status sl_row_t1_semantic(const struct sl_answer *answer, size_t n_classes,
                                  const struct sl_label_options *options, double *out,
                                  struct sl_error *err)
{
    return redistribute(answer, 1, SPREAD_SEMANTIC, n_classes, options, out, err);
}

enum sl_status sl_row_t2_uniform(const struct sl_answer *answer, size_t n_classes,
                                 const struct sl_label_options *options, double *out,
                                 struct sl_error *err)
{
    return redistribute(answer, 2, SPREAD_UNIFORM, n_classes, options, out, err);
}

enum sl_status sl_row_t2_clamp(const struct sl_answer *answer, size_t n_classes,
                               const struct sl_label_options *options, double *out,
                               struct sl_error *err)
{
    return redistribute(answer, 2, SPREAD_CLAMP, n_classes, options, out, err);
}

enum sl_status sl_row_t2_semantic(const struct sl_answer *answer, size_t n_classes,
                                  const struct sl_label_options *options, double *out,
                                  struct sl_error *err)
{
    return redistribute(answer, 2, SPREAD_SEMANTIC, n_classes, options, out, err);
}
