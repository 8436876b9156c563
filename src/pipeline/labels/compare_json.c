/* The result of a comparison, as JSON. */
#include <math.h>

#include "softlab/pipeline/compare.h"
#include "softlab/pipeline/files.h"

const char *sl_compared_class(const struct sl_compared *compared, size_t column)
{
    /* Where one of the sets has no names, the columns have the same order. */
    char *const *names = compared->a->classes ? compared->a->classes : compared->b->classes;
    return names ? names[column] : NULL;
}

static json_t *class_json(const struct sl_compared *compared, size_t column)
{
    const char *name = sl_compared_class(compared, column);
    return name ? json_string(name) : json_integer((json_int_t)column);
}

static json_t *item_json(const struct sl_compared *compared, const struct sl_item_difference *item)
{
    char name[64];
    json_t *row =
        json_pack("{s:s}", "item", sl_rows_item(compared->a, item->row_a, name, sizeof name));
    json_object_set_new(row, "class_a", class_json(compared, item->first_a));
    json_object_set_new(row, "class_b", class_json(compared, item->first_b));
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        json_object_set_new(row, sl_label_distances[d].name, sl_json_real(item->distance[d]));
    json_object_set_new(row, "entropy_a", sl_json_real(item->entropy_a));
    json_object_set_new(row, "entropy_b", sl_json_real(item->entropy_b));
    return row;
}

static json_t *sets_json(const struct sl_compared *compared, json_t *provenance)
{
    const struct sl_comparison *comparison = &compared->comparison;
    json_t *means = json_object(), *items = json_array();
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        json_object_set_new(means, sl_label_distances[d].name, sl_json_real(comparison->mean[d]));
    for (size_t i = 0; i < compared->n_shown; i++)
        json_array_append_new(items, item_json(compared, &comparison->items[i]));
    json_t *value = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "items",
        (json_int_t)comparison->n_items, "only_a", (json_int_t)comparison->n_only_a, "only_b",
        (json_int_t)comparison->n_only_b, "entropy_r", sl_json_real(comparison->entropy_r),
        "entropy_a", sl_json_real(comparison->entropy_a), "entropy_b",
        sl_json_real(comparison->entropy_b), "top1_agreement",
        sl_json_real(comparison->top1_agreement), "mean", means, "infinite_kl",
        (json_int_t)comparison->n_infinite_kl,
        compared->job->least ? "least_different" : "most_different", items);
    if (provenance) json_object_set_new(value, "provenance", provenance);
    json_object_set_new(value, "intervals",
                        json_pack("{s:o, s:o}", "entropy_a",
                                  sl_json_interval(&comparison->a_interval), "entropy_b",
                                  sl_json_interval(&comparison->b_interval)));
    return value;
}

static json_t *group_json(const struct sl_answers *answers, const struct sl_mix_group *group)
{
    json_t *value =
        json_pack("{s:o, s:I, s:o, s:o, s:o, s:o}", "generated", sl_json_real(group->generated),
                  "answers", (json_int_t)group->n_answers, "median", sl_json_real(group->median),
                  "mean", sl_json_real(group->mean), "confidence",
                  sl_json_real(group->mean_confidence), "error", sl_json_real(group->mean_error));
    json_object_set_new(value, "lower_quartile", sl_json_real(group->lower));
    json_object_set_new(value, "upper_quartile", sl_json_real(group->upper));
    json_object_set_new(value, "inferred_counts",
                        sl_json_counts(group->inferred_counts, SL_MIX_BINS));
    json_object_set_new(value, "confidence_counts",
                        sl_json_counts(group->confidence_counts, SL_MIX_BINS));
    if (!isnan(group->mean_interval.low))
        json_object_set_new(value, "intervals",
                            json_pack("{s:o, s:o, s:o, s:o}", "median",
                                      sl_json_interval(&group->median_interval), "mean",
                                      sl_json_interval(&group->mean_interval), "confidence",
                                      sl_json_interval(&group->confidence_interval), "error",
                                      sl_json_interval(&group->error_interval)));
    if (group->a != SL_NO_NAME)
        json_object_set_new(
            value, "classes",
            json_pack("[s, s]", answers->classes[group->a], answers->classes[group->b]));
    return value;
}

static json_t *groups_json(const struct sl_answers *answers, const struct sl_mix_group *groups,
                           size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, group_json(answers, &groups[i]));
    return list;
}

static json_t *mix_json(const struct sl_compared *compared, json_t *provenance)
{
    const struct sl_answers *answers = compared->answers;
    const struct sl_mix_summary *summary = &compared->mix;
    json_t *value = json_pack(
        "{s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "answers", (json_int_t)summary->n_answers,
        "items", (json_int_t)summary->n_items, "annotators", (json_int_t)summary->n_annotators, "r",
        sl_json_real(summary->r), "by_share",
        groups_json(answers, summary->by_share, summary->n_by_share), "by_pair",
        groups_json(answers, summary->by_pair, summary->n_by_pair), "by_pair_share",
        groups_json(answers, summary->by_pair_share, summary->n_by_pair_share), "high_entropy",
        group_json(answers, &summary->high), "low_entropy", group_json(answers, &summary->low));
    if (provenance) json_object_set_new(value, "provenance", provenance);
    return value;
}

static json_t *mixed_json(const struct sl_mixed_agreement *agreement, json_t *provenance)
{
    json_t *value = json_pack("{s:I, s:o, s:o, s:{s:o}}", "rows", (json_int_t)agreement->n_rows,
                              "r", sl_json_real(agreement->r), "off_endpoints",
                              sl_json_real(agreement->off_endpoints), "intervals", "off_endpoints",
                              sl_json_interval(&agreement->off_interval));
    if (provenance) json_object_set_new(value, "provenance", provenance);
    return value;
}

json_t *sl_compared_json(const struct sl_compared *compared, json_t *provenance)
{
    const struct sl_compare_job *job = compared->job;
    return job->mixed ? mixed_json(&compared->mixed, provenance)
           : job->mix ? mix_json(compared, provenance)
                      : sets_json(compared, provenance);
}
