/* The next batch as JSON. */
#include "softlab/pipeline/asking.h"

static json_t *count_json(size_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *outcome_json(const struct sl_ask_outcome *outcome)
{
    return json_pack("{s:o, s:o}", "answers", count_json(outcome->n_answers), "mean_risk",
                     sl_json_real(outcome->mean_risk));
}

static json_t *choice_json(const struct sl_next_batch *batch)
{
    return json_pack("{s:s, s:s, s:o}", "way",
                     sl_ask_way_names[batch->board->by_gain ? SL_ASK_GAIN : SL_ASK_EQUAL],
                     "because", batch->board->because, "variation",
                     sl_json_real(batch->fit->variation));
}

json_t *sl_next_batch_json(const struct sl_next_batch *batch, json_t *provenance)
{
    const struct sl_ask_summary *now = &batch->now;
    json_t *result =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "items", count_json(now->n_items),
                  "unanswered", count_json(now->n_unanswered), "answers", count_json(now->answers),
                  "settled", count_json(now->n_settled), "full", count_json(now->n_full),
                  "mean_risk", sl_json_real(now->mean_risk), "target_reached", batch->reached);
    json_object_set_new(result, "krippendorff_alpha", sl_json_estimate(&batch->alpha));
    json_object_set_new(result, "looks_like_chance",
                        json_boolean(sl_alpha_is_chance(&batch->alpha)));
    json_object_set_new(result, "choice", choice_json(batch));
    json_object_set_new(result, "seconds_per_answer", sl_json_real(batch->pace.seconds));
    json_object_set_new(result, "affordable_answers", count_json(batch->n_affordable));
    json_object_set_new(result, "wave_answers", count_json(batch->n_wave));
    json_object_set_new(result, "batch_items", count_json(batch->n_items));
    json_object_set_new(result, "batch", outcome_json(&batch->batch));
    json_object_set_new(result, "budget", outcome_json(&batch->budgeted));
    json_object_set_new(result, "equal", outcome_json(&batch->equal));
    json_object_set_new(result, "people", count_json(batch->n_people));
    json_object_set_new(result, "new_people", count_json(batch->n_new_people));
    json_object_set_new(result, "soft_answers", count_json(batch->n_soft));
    json_object_set_new(result, "unused_classes", count_json(batch->n_unused));
    if (batch->predictions)
        json_object_set_new(result, "prior_sharpness", sl_json_real(batch->fit->model->sharpness));
    if (provenance) json_object_set_new(result, "provenance", provenance);
    return result;
}
