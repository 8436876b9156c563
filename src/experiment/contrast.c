#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/outcome_internal.h"

static const double level = .95;

struct sl_summary sl_summary_of(const double *values, size_t count)
{
    double sd = sl_sd(values, count);
    return (struct sl_summary){.mean = sl_mean(values, count),
                               .variance = sd * sd / (double)count,
                               .freedom = (double)count - 1};
}

/* Welch's interval with Satterthwaite's degrees of freedom, for any weights. */
static struct sl_interval welch(const struct sl_contrast *contrast)
{
    double estimate = 0, variance = 0, squares = 0;
    for (size_t i = 0; i < contrast->count; i++) {
        const struct sl_summary *summary = &contrast->summaries[i];
        double part = contrast->weights[i] * contrast->weights[i] * summary->variance;
        estimate += contrast->weights[i] * summary->mean;
        variance += part;
        if (part > 0) squares += part * part / summary->freedom;
    }
    double half = 0;
    if (variance > 0)
        half =
            sl_student_t_quantile((1 + level) / 2, variance * variance / squares) * sqrt(variance);
    else if (!(variance == 0))
        half = NAN;
    return (struct sl_interval){estimate, estimate - half, estimate + half};
}

/* One value per run that all samples have: NaN for runs that some lack. `sums` has room for every
 * identity. */
static size_t pair_runs(const struct sl_contrast *contrast, size_t n_identities, double *sums)
{
    size_t *seen = sl_alloc(n_identities, sizeof *seen);
    for (size_t i = 0; i < n_identities; i++)
        sums[i] = 0;
    for (size_t term = 0; term < contrast->count; term++) {
        const struct sl_sample *sample = &contrast->samples[term];
        for (size_t i = 0; i < sample->count; i++) {
            uint32_t identity = sample->identities[i];
            if (seen[identity] != term) continue; /* missing before, or there twice */
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
        if (contrast->summaries[i].variance != 0 || contrast->samples[i].count) return false;
    return true;
}

/* The difference, which test gave it, and on how many pairs; the verdict is the caller's. */
void sl_contrast_judge(const struct sl_contrast *contrast, size_t n_identities,
                       struct sl_judgement *out)
{
    bool have_runs = true;
    for (size_t i = 0; i < contrast->count; i++)
        have_runs = have_runs && contrast->samples[i].count > 0;
    if (have_runs) {
        double *sums = sl_alloc(n_identities, sizeof *sums);
        size_t n_pairs = pair_runs(contrast, n_identities, sums);
        if (n_pairs >= 2) {
            out->difference = sl_mean_interval(sums, n_pairs, level);
            out->test = SL_TEST_PAIRED;
            out->n_pairs = n_pairs;
        }
        free(sums);
        if (n_pairs >= 2) return;
    }
    out->difference = welch(contrast);
    out->test = is_exact(contrast) ? SL_TEST_EXACT : SL_TEST_WELCH;
}
