/* Which label set comes closest to the truth for its annotator time, and whether it trains a better
 * model than the baseline.
 *
 * With d the distance to the reference and s the seconds per item, the gain of a set is
 *
 *     (d(against) - d(set)) / s(set)
 *
 * in every run, with runs paired by seed, network and part. The set with the greatest mean gain is
 * the answer. Dividing by the extra time instead would be undefined for a set that is no slower
 * than the baseline. */
#include "verdict/judge/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of a label set, one per run. */
struct material {
    struct sl_sample distance, seconds, model, gain;
};

static const struct sl_brief_question *asked(const struct sl_outcome *outcome)
{
    return &outcome->source.spec->brief->question;
}

static void gather(const struct sl_outcome *outcome, const char *set, struct material *out)
{
    const struct sl_brief_question *question = asked(outcome);
    char *pattern = sl_outcome_set_pattern(outcome, set);
    sl_outcome_collect(outcome, pattern, question->distance, &out->distance);
    sl_outcome_collect(outcome, pattern, SL_ANSWER_SECONDS, &out->seconds);
    sl_outcome_collect(outcome, pattern, question->model, &out->model);
    free(pattern);
}

static void material_release(struct material *material)
{
    sl_sample_release(&material->distance);
    sl_sample_release(&material->seconds);
    sl_sample_release(&material->model);
    sl_sample_release(&material->gain);
}

/* The value of a run; NaN if the sample lacks the run. */
static double value_of(const struct sl_sample *sample, uint32_t identity)
{
    for (size_t i = 0; i < sample->count; i++)
        if (sample->identities[i] == identity) return sample->values[i];
    return NAN;
}

static void find_gain(struct material *set, const struct sl_sample *against)
{
    const struct sl_sample *own = &set->distance;
    struct sl_sample *gain = &set->gain;
    gain->values = sl_alloc(own->count + 1, sizeof *gain->values);
    gain->identities = sl_alloc(own->count + 1, sizeof *gain->identities);
    for (size_t i = 0; i < own->count; i++) {
        double other = value_of(against, own->identities[i]);
        double seconds = value_of(&set->seconds, own->identities[i]);
        double value = (other - own->values[i]) / seconds;
        if (!isfinite(value)) continue;
        gain->values[gain->count] = value;
        gain->identities[gain->count++] = own->identities[i];
    }
}

/* True if `by` is at least as close and as quick, and better in one of the two. */
static bool is_beaten(const struct sl_answer_set *set, const struct sl_answer_set *by)
{
    double near = by->distance.mean - set->distance.mean;
    double quick = by->seconds.mean - set->seconds.mean;
    return near <= 0 && quick <= 0 && (near < 0 || quick < 0);
}

static void find_front(struct sl_verdict_answer *answer)
{
    for (size_t i = 0; i < answer->n_sets; i++) {
        answer->sets[i].is_front = true;
        for (size_t j = 0; j < answer->n_sets; j++)
            if (is_beaten(&answer->sets[i], &answer->sets[j])) answer->sets[i].is_front = false;
    }
}

/* Judge `weight` times the first sample minus the second (NULL: zero); positive supports the claim.
 */
static void judge(const struct sl_outcome *outcome, const struct sl_sample *first,
                  const struct sl_sample *second, double weight, struct sl_judgement *out)
{
    *out = (struct sl_judgement){.verdict = SL_VERDICT_NOT_RUN, .margin = {.value = NAN}};
    if (first->count == 0 || (second && second->count == 0)) return;
    struct sl_contrast contrast = {
        .count = 1,
        .weights = {weight, -weight},
        .summaries = {sl_summary_of(first)},
        .samples = {*first},
    };
    if (second) {
        contrast.count = 2;
        contrast.summaries[1] = sl_summary_of(second);
        contrast.samples[1] = *second;
    }
    sl_contrast_judge(&contrast, sl_name_table_count(outcome->identities), out);
    out->verdict = out->difference.low > 0    ? SL_VERDICT_HOLDS
                   : out->difference.high < 0 ? SL_VERDICT_FAILS
                                              : SL_VERDICT_UNDECIDED;
}

static void choose(struct sl_verdict_answer *answer)
{
    answer->best = answer->next = answer->nearest = SIZE_MAX;
    for (size_t i = 0; i < answer->n_sets; i++) {
        const struct sl_answer_set *sets = answer->sets;
        if (answer->nearest == SIZE_MAX ||
            sets[i].distance.mean < sets[answer->nearest].distance.mean)
            answer->nearest = i;
        if (!sets[i].has_gain) continue;
        if (answer->best == SIZE_MAX || sets[i].gain.mean > sets[answer->best].gain.mean) {
            answer->next = answer->best;
            answer->best = i;
        } else if (answer->next == SIZE_MAX || sets[i].gain.mean > sets[answer->next].gain.mean) {
            answer->next = i;
        }
    }
}

static void judge_choice(const struct sl_outcome *outcome, const struct material *materials,
                         struct sl_verdict_answer *answer)
{
    const struct sl_sample none = {0};
    const char *slash = strrchr(answer->model, '/');
    const char *measure = slash ? slash + 1 : answer->model;
    bool has_best = answer->best != SIZE_MAX, has_next = answer->next != SIZE_MAX;
    judge(outcome, has_best ? &materials[answer->best].gain : &none, NULL, 1, &answer->best_gains);
    judge(outcome, has_best ? &materials[answer->best].gain : &none,
          has_next ? &materials[answer->next].gain : &none, 1, &answer->best_first);
    judge(outcome, has_best ? &materials[answer->best].model : &none,
          &materials[answer->against].model, sl_measure_direction(measure), &answer->model_better);
}

/* Find the sets with runs and their values; `materials` has room for every set. */
static void find_sets(const struct sl_outcome *outcome, struct sl_verdict_answer *answer,
                      struct material *materials)
{
    const struct sl_brief *brief = outcome->source.spec->brief;
    for (size_t i = 0; i < brief->n_sets; i++) {
        const char *name = brief->sets[i].name;
        struct material *material = &materials[answer->n_sets];
        gather(outcome, name, material);
        if (material->distance.count == 0) {
            material_release(material);
            continue;
        }
        if (strcmp(name, brief->question.against) == 0) answer->against = answer->n_sets;
        answer->sets[answer->n_sets++] = (struct sl_answer_set){
            .name = name,
            .distance = sl_outcome_estimate(outcome, &material->distance),
            .seconds = sl_outcome_estimate(outcome, &material->seconds),
            .model = sl_outcome_estimate(outcome, &material->model),
        };
    }
}

bool sl_verdict_answer_find(const struct sl_outcome *outcome, struct sl_verdict_answer *out)
{
    const struct sl_brief_question *question = asked(outcome);
    const size_t n_sets = outcome->source.spec->brief->n_sets;
    if (!question->distance || !question->model || !question->against) return false;
    struct sl_verdict_answer answer = {.distance = question->distance,
                                       .model = question->model,
                                       .sets = sl_alloc(n_sets + 1, sizeof *answer.sets),
                                       .against = SIZE_MAX};
    struct material *materials = sl_alloc(n_sets + 1, sizeof *materials);
    find_sets(outcome, &answer, materials);
    const bool found = answer.against != SIZE_MAX;
    for (size_t i = 0; found && i < answer.n_sets; i++) {
        find_gain(&materials[i], &materials[answer.against].distance);
        answer.sets[i].gain = sl_outcome_estimate(outcome, &materials[i].gain);
        answer.sets[i].has_gain = i != answer.against && materials[i].gain.count > 0;
    }
    if (found) {
        find_front(&answer);
        choose(&answer);
        judge_choice(outcome, materials, &answer);
        *out = answer;
    } else {
        sl_verdict_answer_release(&answer);
    }
    for (size_t i = 0; i < answer.n_sets; i++)
        material_release(&materials[i]);
    free(materials);
    return found;
}

void sl_verdict_answer_release(struct sl_verdict_answer *answer)
{
    free(answer->sets);
    answer->sets = NULL;
}
