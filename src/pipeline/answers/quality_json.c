/* The result of measuring quality, as JSON. */
#include "softlab/pipeline/quality.h"

static json_t *annotator_json(const struct sl_annotator_quality *a)
{
    json_t *slips = json_object();
    for (size_t s = 0; s < SL_SLIP_COUNT; s++)
        json_object_set_new(slips, sl_slip_names[s], json_integer((json_int_t)a->slips[s]));
    return json_pack("{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:s?}", "answers",
                     (json_int_t)a->n_answers, "agreement", sl_json_real(a->agreement), "top1",
                     sl_json_real(a->top1), "top2", sl_json_real(a->top2), "repeats",
                     (json_int_t)a->n_repeats, "changed_class", sl_json_real(a->changed_class),
                     "mean_change", sl_json_real(a->mean_change), "median_ms",
                     sl_json_real(a->median_ms), "checks", (json_int_t)a->n_checks, "checks_right",
                     (json_int_t)a->n_checks_right, "slips", slips, "excluded", a->excluded);
}

static json_t *suspicion_json(const struct sl_suspicion *suspicion)
{
    json_t *reasons = json_array(), *evidence = json_object();
    for (size_t r = 0; r < suspicion->n_reasons; r++)
        json_array_append_new(reasons, json_string(suspicion->reasons[r]));
    for (size_t s = 0; s < SL_SUSPECT_COUNT; s++)
        json_object_set_new(evidence, sl_suspicion_names[s], json_real(suspicion->evidence[s]));
    return json_pack("{s:f, s:b, s:o, s:o}", "score", suspicion->score, "flagged",
                     suspicion->flagged, "reasons", reasons, "evidence", evidence);
}

static json_t *intervals_json(const struct sl_quality_intervals *intervals)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "top1", sl_json_interval(&intervals->top1),
                     "top2", sl_json_interval(&intervals->top2), "mean_accuracy",
                     sl_json_interval(&intervals->mean_accuracy), "share_never_true",
                     sl_json_interval(&intervals->share_never_true), "share_two_classes",
                     sl_json_interval(&intervals->share_two_classes));
}

static json_t *part_json(const struct sl_measured_quality *measured, size_t part)
{
    const struct sl_answer_group *group = &measured->parts[part];
    const struct sl_answer_group_intervals *intervals = &measured->part_intervals[part];
    json_t *value = json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o}", "items", (json_int_t)group->n_items, "answers",
        (json_int_t)group->n_answers, "first_probability", sl_json_real(group->mean_probability),
        "possible_classes", sl_json_real(group->mean_possible), "first_probability_counts",
        sl_json_counts(group->probability_counts, SL_ANSWER_BINS), "possible_classes_counts",
        sl_json_counts(group->possible_counts, measured->answers->n_classes + 1));
    if (measured->job->bootstrap)
        json_object_set_new(value, "intervals",
                            json_pack("{s:o, s:o}", "first_probability",
                                      sl_json_interval(&intervals->probability), "possible_classes",
                                      sl_json_interval(&intervals->possible)));
    return value;
}

static json_t *annotators_json(const struct sl_measured_quality *measured)
{
    json_t *annotators = json_object();
    for (size_t i = 0; i < measured->quality.n_annotators; i++) {
        const char *name = sl_name_table_get(measured->answers->annotators, (uint32_t)i, NULL);
        json_t *one = annotator_json(&measured->quality.annotators[i]);
        json_object_set_new(one, "suspicion", suspicion_json(&measured->suspicions.annotators[i]));
        json_object_set_new(annotators, name, one);
    }
    return annotators;
}

json_t *sl_measured_quality_json(const struct sl_measured_quality *measured, json_t *provenance)
{
    const struct sl_quality *quality = &measured->quality;
    const json_int_t n_flagged = (json_int_t)measured->suspicions.n_flagged;
    json_t *result = annotator_json(&quality->overall);
    const struct {
        const char *name;
        double value;
    } reals[] = {
        {"answers_per_item", quality->answers_per_item},
        {"observed_agreement", quality->observed_agreement},
        {"krippendorff_alpha", quality->krippendorff_alpha},
        {"mean_accuracy", quality->mean_accuracy},
        {"share_accurate", quality->share_accurate},
        {"share_never_true", quality->share_never_true},
        {"share_two_classes", quality->share_two_classes},
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        json_object_set_new(result, reals[i].name, sl_json_real(reals[i].value));
    json_object_set_new(result, "items", json_integer((json_int_t)quality->n_items));
    json_object_set_new(result, "suspicious", json_integer(n_flagged));
    json_object_set_new(result, "annotators", annotators_json(measured));
    if (provenance) json_object_set_new(result, "provenance", provenance);
    if (measured->job->bootstrap)
        json_object_set_new(result, "intervals", intervals_json(&measured->intervals));
    if (measured->job->reference)
        json_object_set_new(result, "by_entropy",
                            json_pack("{s:o, s:o}", "high", part_json(measured, SL_QUALITY_HIGH),
                                      "low", part_json(measured, SL_QUALITY_LOW)));
    return result;
}
