/* Relations between two rows and how figures decide them; docs/internals/report.md defines them. */
#include <math.h>
#include <string.h>

#include "verdict/judge/judge.h"

/* The largest difference that counts as alike: relative to the larger mean, or absolute for shares.
 */
static const double alike = .05;
static const double level = .95;

const struct sl_relation sl_relations[] = {
    {SL_RELATION_BETTER, "better", "better than"},
    {SL_RELATION_NOT_BETTER, "not-better", "not better than"},
    {SL_RELATION_SIMILAR, "similar", "like"},
    {SL_RELATION_MORE, "more", "more than"},
    {SL_RELATION_LESS, "less", "less than"},
    {SL_RELATION_GAIN, "gain", "over"},
    {SL_RELATION_NONE, "no-claim", "beside"},
    {SL_RELATION_NONE, NULL, NULL},
};

const struct sl_relation *sl_relation_find(const char *claim)
{
    for (const struct sl_relation *relation = sl_relations; relation->name; relation++) {
        const size_t length = strlen(relation->name);
        if (strncmp(claim, relation->name, length) == 0 && claim[length] == ':') return relation;
    }
    return NULL;
}

int sl_relation_sign(const struct sl_relation *relation, const struct sl_measure *metric)
{
    switch (relation->kind) {
    case SL_RELATION_MORE:
    case SL_RELATION_SIMILAR: return 1;
    case SL_RELATION_LESS: return -1;
    case SL_RELATION_NONE: return metric && metric->better ? metric->better : 1;
    case SL_RELATION_BETTER:
    case SL_RELATION_NOT_BETTER:
    case SL_RELATION_GAIN: break;
    }
    return metric ? metric->better : 0;
}

struct sl_margin sl_relation_margin(const struct sl_relation *relation,
                                    const struct sl_measure *metric, double unit,
                                    const double means[2])
{
    if (relation->kind != SL_RELATION_SIMILAR && relation->kind != SL_RELATION_NOT_BETTER)
        return (struct sl_margin){.value = NAN};
    if (metric && metric->kind == SL_MEASURE_SHARE)
        return (struct sl_margin){.value = alike * unit, .is_absolute = true};
    return (struct sl_margin){.value = alike * fmax(fabs(means[0]), fabs(means[1]))};
}

/* Probability that Student's t is beyond `distance` standard errors, on one side. */
static double beyond(const struct sl_judgement *judgement, double distance)
{
    if (!(judgement->error > 0)) return (double)NAN;
    return sl_student_t_cdf(-distance / judgement->error, judgement->freedom);
}

static enum sl_verdict decide_sign(struct sl_judgement *judgement)
{
    const struct sl_interval *range = &judgement->difference;
    judgement->p = 2 * beyond(judgement, fabs(range->estimate));
    if (range->low > 0) return SL_VERDICT_HOLDS;
    if (range->high < 0) return SL_VERDICT_FAILS;
    /* Exact figures that are equal do not differ. */
    const bool is_equal = judgement->test == SL_TEST_EXACT && range->estimate == 0;
    return is_equal ? SL_VERDICT_FAILS : SL_VERDICT_UNDECIDED;
}

static enum sl_verdict decide_alike(struct sl_judgement *judgement)
{
    const struct sl_interval *range = &judgement->difference;
    const double margin = judgement->margin.value;
    judgement->p = 2 * beyond(judgement, fabs(fabs(range->estimate) - margin));
    if (range->low >= -margin && range->high <= margin) return SL_VERDICT_HOLDS;
    if (range->low > margin || range->high < -margin) return SL_VERDICT_FAILS;
    return SL_VERDICT_UNDECIDED;
}

/* Holds if a one-sided 95 % bound rules out an advantage beyond the margin, even if there is a
 * smaller one; fails if the interval shows an advantage. */
static enum sl_verdict decide_not_better(struct sl_judgement *judgement)
{
    const struct sl_interval *range = &judgement->difference;
    const double margin = judgement->margin.value;
    double most = range->estimate;
    if (judgement->test != SL_TEST_EXACT)
        most += sl_student_t_quantile(level, judgement->freedom) * judgement->error;
    judgement->p = beyond(judgement, margin - range->estimate);
    if (most <= margin) return SL_VERDICT_HOLDS;
    judgement->p = fmin(judgement->p, 2 * beyond(judgement, range->estimate));
    return range->low > 0 ? SL_VERDICT_FAILS : SL_VERDICT_UNDECIDED;
}

void sl_judgement_decide(const struct sl_relation *relation, struct sl_judgement *judgement)
{
    judgement->p = (double)NAN;
    switch (relation->kind) {
    case SL_RELATION_NONE: judgement->verdict = SL_VERDICT_NO_CLAIM; break;
    case SL_RELATION_SIMILAR: judgement->verdict = decide_alike(judgement); break;
    case SL_RELATION_NOT_BETTER: judgement->verdict = decide_not_better(judgement); break;
    case SL_RELATION_BETTER:
    case SL_RELATION_MORE:
    case SL_RELATION_LESS:
    case SL_RELATION_GAIN: judgement->verdict = decide_sign(judgement); break;
    }
    judgement->holm = judgement->verdict;
}
