/* The options of aggregators: defaults, and what they may be. */
#include <float.h>
#include <math.h>

#include "crowd/crowd_internal.h"
#include "softlab/base/text.h"

enum { MAX_ITERATIONS = 1000000 };

struct sl_crowd_options sl_crowd_options_default(void)
{
    return (struct sl_crowd_options){
        .max_iterations = SL_CROWD_OWN_ROUNDS,
        .tolerance = SL_CROWD_OWN,
        .smoothing = SL_CROWD_OWN,
        .diagonal = SL_CROWD_OWN,
        .start_diagonal = 0.7,
        .start = SL_START_SHARES,
        .tie = SL_TIE_SHARE,
        .variational = true,
        .restarts = 10,
        .glad = {.steps = 1},
        .mace = {.spam_prior = 0.5, .know_prior = 0.5, .noise = 0.5},
        .zbs = {.rate = 1, .factor = 0.5, .period = 20, .margin = 1e-5},
        .shrinkage = 10,
        .confusions = true,
        .risks = true,
    };
}

static enum sl_status check_count(double value, const char *name, struct sl_error *err)
{
    if (value == SL_CROWD_OWN || (value >= 0 && isfinite(value))) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s %g is not a finite number of at least 0", name, value);
}

static enum sl_status check_start(const struct sl_crowd_options *options, struct sl_error *err)
{
    const bool counts = options->start == SL_START_GIVEN || options->start == SL_START_ADDED;
    if (options->start < SL_START_SHARES || options->start > SL_START_ADDED)
        return sl_fail(err, SL_ERR_USAGE, "start %d does not exist", (int)options->start);
    if (counts != (options->start_counts != NULL))
        return sl_fail(err, SL_ERR_USAGE,
                       counts ? "the start needs start_counts"
                              : "start_counts need SL_START_GIVEN or SL_START_ADDED");
    if (counts && options->resume)
        return sl_fail(err, SL_ERR_USAGE,
                       "a start from counts and a saved state exclude each other; give one");
    if (options->stop != SL_STOP_RELATIVE && options->stop != SL_STOP_PER_ANSWER)
        return sl_fail(err, SL_ERR_USAGE, "stop rule %d does not exist", (int)options->stop);
    return SL_OK;
}

/* Options that one method reads, with their limits. */
static enum sl_status check_of_methods(const struct sl_crowd_options *options, struct sl_error *err)
{
    const struct {
        const char *name;
        double value, above; /* and finite */
    } numbers[] = {
        {"mace.spam_prior", options->mace.spam_prior, 0},
        {"mace.know_prior", options->mace.know_prior, 0},
        {"mace.noise", options->mace.noise, -DBL_MIN},
        {"zbs.rate", options->zbs.rate, 0},
        {"zbs.factor", options->zbs.factor, 0},
        {"zbs.margin", options->zbs.margin, -DBL_MIN},
        {"glad.accuracy", options->glad.accuracy, -DBL_MIN},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value > numbers[i].above) || !isfinite(numbers[i].value))
            return sl_fail(err, SL_ERR_USAGE, "%s %g is not a finite number %s", numbers[i].name,
                           numbers[i].value, numbers[i].above < 0 ? "of at least 0" : "above 0");
    if (options->zbs.rate > 1)
        return sl_fail(err, SL_ERR_USAGE, "zbs.rate %g is above 1: skills would overshoot",
                       options->zbs.rate);
    if (options->zbs.period < 1 || options->glad.steps < 1)
        return sl_fail(err, SL_ERR_USAGE, "%s is 0, expected at least 1",
                       options->zbs.period < 1 ? "zbs.period" : "glad.steps");
    return SL_OK;
}

enum sl_status sl_crowd_options_check(const struct sl_crowd_options *options, struct sl_error *err)
{
    const size_t rounds = options->max_iterations;
    if (rounds != SL_CROWD_OWN_ROUNDS && (rounds < 1 || rounds > MAX_ITERATIONS))
        return sl_fail(err, SL_ERR_USAGE, "max_iterations %zu is not from 1 to %d", rounds,
                       MAX_ITERATIONS);
    SL_TRY(check_count(options->tolerance, "tolerance", err));
    SL_TRY(check_count(options->smoothing, "smoothing", err));
    SL_TRY(check_count(options->diagonal, "diagonal", err));
    if (!(options->shrinkage > 0 && isfinite(options->shrinkage)))
        return sl_fail(err, SL_ERR_USAGE, "shrinkage %g is not a finite number above 0",
                       options->shrinkage);
    if (!(options->start_diagonal > 0 && options->start_diagonal < 1))
        return sl_fail(err, SL_ERR_USAGE, "start_diagonal %g is not between 0 and 1",
                       options->start_diagonal);
    SL_TRY(check_start(options, err));
    if (options->tie != SL_TIE_SHARE && options->tie != SL_TIE_FIRST &&
        options->tie != SL_TIE_RANDOM)
        return sl_fail(err, SL_ERR_USAGE, "tie rule %d does not exist", (int)options->tie);
    if (options->restarts < 1)
        return sl_fail(err, SL_ERR_USAGE, "restarts is 0, expected at least 1");
    return check_of_methods(options, err);
}

static enum sl_status check_gold(const int32_t *gold, struct sl_crowd_size size,
                                 struct sl_error *err)
{
    for (size_t i = 0; gold && i < size.n_items; i++)
        if (gold[i] < -1 || (gold[i] >= 0 && (size_t)gold[i] >= size.n_classes))
            return sl_fail(err, SL_ERR_INPUT,
                           "gold of item %zu: class %d does not exist, expected a class below %zu",
                           i, gold[i], size.n_classes);
    return SL_OK;
}

static enum sl_status check_counts(const double *counts, const char *what,
                                   struct sl_crowd_size size, struct sl_error *err)
{
    const size_t cells = size.n_classes * size.n_classes;
    for (size_t a = 0; counts && a < size.n_annotators; a++)
        for (size_t i = 0; i < cells; i++)
            if (!(counts[a * cells + i] >= 0) || !isfinite(counts[a * cells + i]))
                return sl_fail(err, SL_ERR_INPUT,
                               "%s of annotator %zu: count %g is not a finite number of at least 0",
                               what, a, counts[a * cells + i]);
    return SL_OK;
}

enum sl_status sl_crowd_rows_check(const float *rows, size_t count, size_t n_classes,
                                   const char *what, struct sl_error *err)
{
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < n_classes; k++) {
            double value = (double)rows[i * n_classes + k];
            if (!(value >= 0))
                return sl_fail(err, SL_ERR_INPUT, "%s %zu: %g is not a probability", what, i,
                               value);
            sum += value;
        }
        if (!(fabs(sum - 1) <= 1e-3))
            return sl_fail(err, SL_ERR_INPUT, "%s %zu: the probabilities sum to %g, expected 1",
                           what, i, sum);
    }
    return SL_OK;
}

static enum sl_status check_resume(const struct sl_crowd_state *state, struct sl_crowd_size size,
                                   struct sl_error *err)
{
    if (!state) return SL_OK;
    if (state->n_classes != size.n_classes)
        return sl_fail(err, SL_ERR_INPUT, "the saved state has %zu class%s, the answers have %zu",
                       state->n_classes, sl_text_plural(state->n_classes, "", "es"),
                       size.n_classes);
    if (state->n_items > size.n_items)
        return sl_fail(
            err, SL_ERR_INPUT,
            "the saved state has %zu item%s, the answers only %zu: items may be added, not removed",
            state->n_items, sl_text_plural(state->n_items, "", "s"), size.n_items);
    if (state->n_annotators > size.n_annotators)
        return sl_fail(err, SL_ERR_INPUT,
                       "the saved state has %zu annotator%s, the answers only %zu: annotators may "
                       "be added, not removed",
                       state->n_annotators, sl_text_plural(state->n_annotators, "", "s"),
                       size.n_annotators);
    return SL_OK;
}

/* A row of zeros says that the item's distribution is unknown. */
static enum sl_status check_reference(const float *rows, struct sl_crowd_size size,
                                      struct sl_error *err)
{
    for (size_t i = 0; rows && i < size.n_items; i++) {
        const float *row = rows + i * size.n_classes;
        bool known = false;
        for (size_t k = 0; k < size.n_classes && !known; k++)
            known = !(row[k] == 0);
        if (known && sl_crowd_rows_check(row, 1, size.n_classes, "row", NULL) != SL_OK)
            return sl_fail(err, SL_ERR_INPUT,
                           "reference of item %zu is neither a distribution nor all zeros", i);
    }
    return SL_OK;
}

static enum sl_status check_glad(const struct sl_crowd_options *options, struct sl_crowd_size size,
                                 struct sl_error *err)
{
    const double *prior = options->glad.class_prior;
    const struct {
        const char *what;
        const double *means;
        size_t count;
    } means[] = {{"ability of annotator", options->glad.ability, size.n_annotators},
                 {"easiness of item", options->glad.easiness, size.n_items}};
    double sum = 0;
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; means[m].means && i < means[m].count; i++)
            if (!isfinite(means[m].means[i]))
                return sl_fail(err, SL_ERR_INPUT, "prior %s %zu is not a finite number",
                               means[m].what, i);
    for (size_t k = 0; prior && k < size.n_classes; k++) {
        if (!(prior[k] > 0))
            return sl_fail(err, SL_ERR_INPUT, "prior %g of class %zu is not above 0", prior[k], k);
        sum += prior[k];
    }
    if (prior && !(fabs(sum - 1) <= 1e-3))
        return sl_fail(err, SL_ERR_INPUT, "the class prior sums to %g, expected 1", sum);
    return SL_OK;
}

enum sl_status sl_crowd_given_check(const struct sl_crowd_options *options,
                                    struct sl_crowd_size size, struct sl_error *err)
{
    SL_TRY(check_gold(options->gold, size, err));
    SL_TRY(check_counts(options->prior, "prior", size, err));
    SL_TRY(check_counts(options->start_counts, "start", size, err));
    SL_TRY(check_glad(options, size, err));
    SL_TRY(check_reference(options->reference, size, err));
    if (options->predictions)
        SL_TRY(sl_crowd_rows_check(options->predictions, size.n_items, size.n_classes, "prediction",
                                   err));
    return check_resume(options->resume, size, err);
}
