/* Slips of single answers, and the rules that exclude annotators. */
#include <math.h>

#include "softlab/answer/quality.h"

const char *const sl_slip_names[SL_SLIP_COUNT] = {
    [SL_SLIP_RANGE] = "probability out of range",
    [SL_SLIP_UNREADABLE] = "probability unreadable",
    [SL_SLIP_IMPOSSIBLE] = "own class marked impossible",
    [SL_SLIP_MISSING] = "no probability for the top class",
    [SL_SLIP_SAME] = "second class the same as the first",
    [SL_SLIP_ORDER] = "second class more probable than the first",
    [SL_SLIP_SUM] = "probabilities sum to over 100 %",
};

#define SLIP(name) (1u << SL_SLIP_##name)

static bool marks_own_class(const struct sl_answer *answer)
{
    for (size_t i = 0; i < answer->n_top; i++)
        for (size_t j = 0; j < answer->n_impossible; j++)
            if (answer->top[i].class_index == answer->impossible[j]) return true;
    return false;
}

static bool in_range(float probability)
{
    return probability >= 0 && probability <= 1;
}

static unsigned soft_slips(const struct sl_answer *answer)
{
    const double rounding = 1e-6; /* .7f + .3f is over 1 */
    const struct sl_belief *top = answer->top;
    unsigned slips = 0;
    double sum = 0;
    for (size_t i = 0; i < answer->n_top; i++) {
        const float probability = top[i].probability;
        const bool typed = i < 2 && answer->raw[i].length > 0;
        if (isnan(probability)) {
            if (typed) slips |= SLIP(UNREADABLE);
            if (!typed && i == 0) slips |= SLIP(MISSING);
            continue;
        }
        if (!in_range(probability)) slips |= SLIP(RANGE);
        sum += (double)probability;
    }
    if (sum > 1 + rounding) slips |= SLIP(SUM);
    if (answer->n_top > 1 && top[1].probability > top[0].probability) slips |= SLIP(ORDER);
    return slips;
}

unsigned sl_answer_slips(const struct sl_answer *answer, size_t n_classes)
{
    unsigned slips = 0;
    if (answer->kind == SL_ANSWER_SOFT) slips |= soft_slips(answer);
    if (answer->kind == SL_ANSWER_SOFT || answer->kind == SL_ANSWER_SELECT) {
        if (answer->n_top > 1 && answer->top[0].class_index == answer->top[1].class_index)
            slips |= SLIP(SAME);
        if (marks_own_class(answer)) slips |= SLIP(IMPOSSIBLE);
    }
    if (answer->kind == SL_ANSWER_DIST)
        for (size_t k = 0; k < n_classes; k++)
            if (!in_range(answer->distribution[k])) slips |= SLIP(RANGE);
    if (answer->kind == SL_ANSWER_MIX && !in_range(answer->mix.lambda)) slips |= SLIP(RANGE);
    return slips;
}

/* Section 4.1 of collins2022. A text that is not a number is not a probability within 0-100. */
static const struct sl_exclusion_rule collins_published[] = {
    {.reason = "more than two errors",
     .slips = SLIP(RANGE) | SLIP(UNREADABLE) | SLIP(IMPOSSIBLE) | SLIP(MISSING),
     .fewest = 3},
    {.reason = "exactly one error, and accuracy under 75 %",
     .slips = SLIP(RANGE) | SLIP(UNREADABLE) | SLIP(IMPOSSIBLE) | SLIP(MISSING),
     .fewest = 1,
     .most = 1,
     .accuracy_below = .75},
    {0},
};

/* The authors' script. The only text that was not a number had been corrected by hand before it
 * ran. */
static const struct sl_exclusion_rule collins_run[] = {
    {.reason = "a probability out of range", .slips = SLIP(RANGE), .fewest = 1},
    {.reason = "class named and also marked impossible, more than once",
     .slips = SLIP(IMPOSSIBLE),
     .fewest = 2},
    {.reason = "no probability for the top class, more than once",
     .slips = SLIP(MISSING),
     .fewest = 2},
    {.reason = "an error, and accuracy under 75 %",
     .slips = SLIP(IMPOSSIBLE) | SLIP(MISSING),
     .fewest = 1,
     .accuracy_below = .75},
    {0},
};

static const struct sl_exclusion_rule peterson[] = {
    {.reason = "under 75 % of attention checks passed", .checks_below = .75},
    {0},
};

static const struct sl_exclusion_rule nobody[] = {{0}};

const struct sl_exclusion_preset sl_exclusion_presets[] = {
    {"none", "exclude nobody", nobody},
    {"collins2022-as-published",
     "more than two errors, or one error and accuracy under 75 % (errors: probability not in "
     "0-100, "
     "class named and also marked impossible, no probability for the top class)",
     collins_published},
    {"collins2022-as-run",
     "any probability out of range, another error made twice, or one such error and accuracy under "
     "75 %",
     collins_run},
    {"peterson2019", "under 75 % of attention checks passed", peterson},
    {0},
};

static bool rule_holds(const struct sl_exclusion_rule *rule,
                       const struct sl_annotator_quality *quality)
{
    size_t slips = 0;
    for (unsigned i = 0; i < SL_SLIP_COUNT; i++)
        if (rule->slips & 1u << i) slips += quality->slips[i];
    if (slips < rule->fewest || (rule->most > 0 && slips > rule->most)) return false;
    if (rule->accuracy_below > 0 && !(quality->top1 < rule->accuracy_below)) return false;
    if (rule->checks_below > 0) {
        if (quality->n_checks == 0) return false;
        if ((double)quality->n_checks_right >= rule->checks_below * (double)quality->n_checks)
            return false;
    }
    return true;
}

const char *sl_exclusion_reason(const struct sl_exclusion_preset *preset,
                                const struct sl_annotator_quality *quality)
{
    for (const struct sl_exclusion_rule *rule = preset->rules; rule->reason; rule++)
        if (rule_holds(rule, quality)) return rule->reason;
    return NULL;
}
