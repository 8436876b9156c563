#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/judge/judge.h"

static const double level = .95;

/* A difference with Student's interval around it. */
static void set_interval(struct sl_judgement *out, const struct sl_summary *difference)
{
    double half = 0;
    if (difference->variance > 0)
        half = sl_student_t_quantile((1 + level) / 2, difference->freedom) *
               sqrt(difference->variance);
    else if (!(difference->variance == 0))
        half = NAN;
    out->difference =
        (struct sl_interval){difference->mean, difference->mean - half, difference->mean + half};
    out->error = sqrt(difference->variance);
    out->freedom = difference->freedom;
}

void sl_sample_release(struct sl_sample *sample)
{
    free(sample->values);
    free(sample->identities);
    *sample = (struct sl_sample){0};
}

struct sl_summary sl_summary_of(const struct sl_sample *sample)
{
    const double sd = sl_sd(sample->values, sample->count);
    return (struct sl_summary){.mean = sl_mean(sample->values, sample->count),
                               .variance = sd * sd * (1 / (double)sample->count + sample->overlap),
                               .freedom = (double)sample->count - 1};
}

struct sl_interval sl_sample_interval(const struct sl_sample *sample)
{
    struct sl_judgement mean;
    const struct sl_summary summary = sl_summary_of(sample);
    set_interval(&mean, &summary);
    return mean.difference;
}

/* Welch's difference with Satterthwaite's degrees of freedom, for any weights. */
static struct sl_summary welch(const struct sl_contrast *contrast)
{
    struct sl_summary sum = {0};
    double squares = 0;
    for (size_t i = 0; i < contrast->count; i++) {
        const struct sl_summary *summary = &contrast->summaries[i];
        const double part = contrast->weights[i] * contrast->weights[i] * summary->variance;
        sum.mean += contrast->weights[i] * summary->mean;
        sum.variance += part;
        if (part > 0) squares += part * part / summary->freedom;
    }
    /* Sides of known variance have infinitely many degrees of freedom. */
    sum.freedom = squares > 0 ? sum.variance * sum.variance / squares : (double)INFINITY;
    return sum;
}

/* Write the contrast of each run that all samples have to `sums`, which has room for every
 * identity; returns how many. */
static size_t pair_runs(const struct sl_contrast *contrast, size_t n_identities, double *sums)
{
    size_t *seen = sl_alloc(n_identities, sizeof *seen);
    for (size_t i = 0; i < n_identities; i++)
        sums[i] = 0;
    for (size_t term = 0; term < contrast->count; term++) {
        const struct sl_sample *sample = &contrast->samples[term];
        for (size_t i = 0; i < sample->count; i++) {
            uint32_t identity = sample->identities[i];
            if (seen[identity] != term) continue; /* an earlier sample lacks it, or it repeats */
            seen[identity]++;
            sums[identity] += contrast->weights[term] * sample->values[i];
        }
    }
    size_t n_pairs = 0;
    for (size_t i = 0; i < n_identities; i++)
        if (seen[i] == contrast->count) sums[n_pairs++] = sums[i];
    free(seen);
    return n_pairs;
}

static bool is_exact(const struct sl_contrast *contrast)
{
    for (size_t i = 0; i < contrast->count; i++)
        if (contrast->summaries[i].variance != 0 || contrast->samples[i].count ||
            contrast->is_sampled[i])
            return false;
    return true;
}

void sl_contrast_judge(const struct sl_contrast *contrast, size_t n_identities,
                       struct sl_judgement *out)
{
    bool have_runs = true;
    out->overlap = 0;
    for (size_t i = 0; i < contrast->count; i++) {
        have_runs = have_runs && contrast->samples[i].count > 0;
        out->overlap = fmax(out->overlap, contrast->samples[i].overlap);
    }
    if (have_runs) {
        double *sums = sl_alloc(n_identities, sizeof *sums);
        const size_t n_pairs = pair_runs(contrast, n_identities, sums);
        const struct sl_sample pairs = {.values = sums, .count = n_pairs, .overlap = out->overlap};
        const struct sl_summary difference = sl_summary_of(&pairs);
        free(sums);
        if (n_pairs >= 2) {
            set_interval(out, &difference);
            out->test = SL_TEST_PAIRED;
            out->n_pairs = n_pairs;
            return;
        }
    }
    const struct sl_summary difference = welch(contrast);
    set_interval(out, &difference);
    out->test = is_exact(contrast) ? SL_TEST_EXACT : SL_TEST_WELCH;
}
