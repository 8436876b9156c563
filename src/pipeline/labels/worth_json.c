/* The result of softlab worth, as JSON. */
#include <math.h>

#include "softlab/pipeline/worth.h"

static const char *const sides[SL_WORTH_SIDES] = {"clicks", "other"};

double sl_worth_break_even(const struct sl_worth_result *result, const struct sl_worth *worth,
                           double clicks)
{
    return clicks * result->job.seconds / result->sets[worth->set].number;
}

static json_t *set_json(const struct sl_worth_set *set, enum sl_worth_group group)
{
    json_t *value = json_pack("{s:s, s:s, s:f, s:s}", "of", sides[set->side], "method", set->method,
                              "answers", set->number, "items", sl_worth_groups[group]);
    json_t *intervals = json_object();
    for (size_t m = 0; m < SL_WORTH_MEASURES; m++) {
        const struct sl_interval *score = &set->score[group][m];
        json_object_set_new(value, sl_worth_measures[m].name, sl_json_real(score->estimate));
        if (!isnan(score->low))
            json_object_set_new(intervals, sl_worth_measures[m].name, sl_json_interval(score));
    }
    json_object_set_new(value, "intervals", intervals);
    return value;
}

static json_t *worth_json(const struct sl_worth_result *result, const struct sl_worth *worth)
{
    static const char *const beyond[] = {"fewer", "within", "more"};
    const struct sl_worth_set *set = &result->sets[worth->set];
    const struct sl_interval *clicks = &worth->clicks;
    const struct sl_interval seconds = {sl_worth_break_even(result, worth, clicks->estimate),
                                        sl_worth_break_even(result, worth, clicks->low),
                                        sl_worth_break_even(result, worth, clicks->high)};
    json_t *value = json_pack(
        "{s:s, s:f, s:s, s:s, s:s, s:o, s:s, s:o}", "method", set->method, "answers", set->number,
        "against", worth->against, "measure", sl_worth_measures[worth->measure].name, "items",
        sl_worth_groups[worth->group], "clicks", sl_json_real(clicks->estimate), "range",
        beyond[worth->beyond + 1], "break_even_seconds", sl_json_real(seconds.estimate));
    if (!isnan(clicks->low))
        json_object_set_new(value, "intervals",
                            json_pack("{s:o, s:o}", "clicks", sl_json_interval(clicks),
                                      "break_even_seconds", sl_json_interval(&seconds)));
    return value;
}

json_t *sl_worth_json(const struct sl_worth_result *result, json_t *provenance)
{
    json_t *sets = json_array(), *worths = json_array();
    for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++)
        for (size_t i = 0; i < result->n_sets && result->n_group[g] > 0; i++)
            json_array_append_new(sets, set_json(&result->sets[i], g));
    for (size_t i = 0; i < result->n_worths; i++)
        json_array_append_new(worths, worth_json(result, &result->worths[i]));
    json_t *value = json_pack("{s:I, s:I, s:o, s:s, s:o, s:o, s:o, s:o}", "items",
                              (json_int_t)result->n_items, "left_out", (json_int_t)result->n_short,
                              "uncertain_items", sl_json_real(result->n_group[SL_WORTH_UNCERTAIN]),
                              "reference", sides[result->job.reference], "reference_answers",
                              sl_json_real(result->reference_answers), "median_seconds",
                              sl_json_real(result->seconds), "sets", sets, "worth", worths);
    if (provenance) json_object_set_new(value, "provenance", provenance);
    return value;
}
