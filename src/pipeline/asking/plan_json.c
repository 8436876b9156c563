/* A plan as JSON. */
#include <math.h>

#include "softlab/pipeline/asking.h"

static json_t *choosing_json(const struct sl_plan_choosing *choosing)
{
    return json_pack("{s:s, s:o, s:o}", "verdict", sl_plan_verdict_names[choosing->verdict],
                     "answers_per_item", sl_json_real(choosing->per_item), "risk_ratio",
                     sl_json_estimate(&choosing->ratio));
}

static json_t *needed_json(const struct sl_interval *needed)
{
    struct sl_interval finite = *needed; /* null: more than was looked at */
    if (isinf(finite.estimate)) finite.estimate = (double)NAN;
    if (isinf(finite.low)) finite.low = (double)NAN;
    if (isinf(finite.high)) finite.high = (double)NAN;
    return sl_json_estimate(&finite);
}

static json_t *screen_json(const struct sl_budget_plan *plan, const struct sl_plan_screen *screen)
{
    json_t *result = json_pack(
        "{s:s, s:I, s:o, s:o, s:I}", "screen", sl_plan_screen_names[screen->kind], "pilot_answers",
        (json_int_t)screen->n_pilot, "worth_in_clicks", sl_json_real(screen->worth),
        "seconds_per_answer", sl_json_real(screen->seconds), "timed", (json_int_t)screen->n_timed);
    if (isnan(plan->job->target)) return result;
    json_object_set_new(result, "needed_equal", needed_json(&screen->needed[SL_ASK_BY_EQUAL]));
    json_object_set_new(result, "needed_by_gain", needed_json(&screen->needed[SL_ASK_BY_GAIN]));
    return result;
}

static json_t *row_json(const struct sl_budget_plan *plan, const struct sl_plan_row *row)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "screen",
                     sl_plan_screen_names[plan->screens[row->screen].kind], "allocation",
                     sl_plan_allocation_names[row->allocation], "answers",
                     sl_json_real(row->answers), "answers_per_item", sl_json_real(row->per_item),
                     "hours", sl_json_real(row->hours), "money", sl_json_real(row->money), "risk",
                     sl_json_estimate(&row->risk), "squared_distance",
                     sl_json_estimate(&row->square));
}

json_t *sl_budget_plan_json(const struct sl_budget_plan *plan, json_t *provenance)
{
    const struct sl_ask_forecast *forecast = plan->forecast;
    json_t *screens = json_array(), *rows = json_array();
    for (size_t s = 0; s < plan->n_screens; s++)
        json_array_append_new(screens, screen_json(plan, &plan->screens[s]));
    for (size_t r = 0; r < plan->n_rows; r++)
        json_array_append_new(rows, row_json(plan, &plan->rows[r]));
    json_t *result =
        json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "items",
                  (json_int_t)plan->job->items, "pilot_items", (json_int_t)plan->n_pilot_items,
                  "pilot_answers", (json_int_t)plan->n_pilot_answers, "pilot_items_answered_twice",
                  (json_int_t)forecast->n_pilot, "useful_share", sl_json_real(forecast->useful),
                  "variation", sl_json_estimate(&forecast->variation), "choosing",
                  choosing_json(&plan->choosing), "screens", screens, "rows", rows);
    json_object_set_new(result, "krippendorff_alpha", sl_json_estimate(&plan->alpha));
    json_object_set_new(result, "looks_like_chance",
                        json_boolean(sl_alpha_is_chance(&plan->alpha)));
    if (provenance) json_object_set_new(result, "provenance", provenance);
    return result;
}
