/* The advice as JSON. */
#include "pipeline/advice/advice.h"

static json_t *number(size_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *crowd_json(const struct sl_advice_crowd *crowd)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "items",
                     number(crowd->n_items), "annotators", number(crowd->n_annotators), "answers",
                     number(crowd->n_answers), "answers_of_unknown", number(crowd->n_unknown),
                     "classes", number(crowd->n_classes), "unused_classes", number(crowd->n_unused),
                     "items_with_two_answers", number(crowd->n_compared), "fewest_answers",
                     number(crowd->fewest), "most_answers", number(crowd->most), "rich",
                     crowd->rich, "answers_not_read", number(crowd->n_unread), "krippendorff_alpha",
                     sl_json_estimate(&crowd->alpha), "seconds_per_answer",
                     sl_json_real(crowd->seconds));
}

static json_t *model_json(const struct sl_advice_model *model)
{
    if (model->missing) return json_pack("{s:s}", "missing", model->missing);
    json_t *levels = json_array();
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++)
        json_array_append_new(levels, json_pack("{s:f, s:f}", "share_of_items", model->share[t],
                                                "share_of_people_who_agree", model->agreed[t]));
    return json_pack("{s:o, s:o, s:o}", "levels", levels, "mean_risk", sl_json_real(model->risk),
                     "variation", sl_json_real(model->variation));
}

static json_t *people_json(const struct sl_advice *advice)
{
    const struct sl_advice_people *people = &advice->people;
    json_t *list = json_array();
    for (size_t i = 0; i < people->count; i++) {
        const struct sl_advice_person *person = &people->people[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:f, s:o, s:o, s:s}", "annotator",
                            sl_advice_person_name(advice, person->annotator), "answers",
                            number(person->n_answers), "suspicion", person->suspicion, "trust",
                            sl_json_real(person->trust), "agreement",
                            sl_json_real(person->agreement), "reasons", person->reasons));
    }
    return json_pack("{s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:o}", "to_check", list, "answers",
                     number(people->n_answers), "without_them", "krippendorff_alpha",
                     sl_json_estimate(&people->alpha), "items_with_another_class",
                     number(people->n_changed), "items_without_answers", number(people->n_lost),
                     "accuracy", sl_json_real(people->accuracy_without), "accuracy",
                     sl_json_real(people->accuracy));
}

static json_t *methods_json(const struct sl_advice_methods *methods)
{
    if (methods->held_out.n_scored == 0)
        return json_pack("{s:s, s:b}", "advised", methods->candidates[0].method, "decided", false);
    json_t *list = json_array();
    for (size_t m = 0; m < methods->count; m++) {
        const struct sl_held_out_score *score = &methods->held_out.methods[m];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "method", methods->candidates[m].method,
                            "log_likelihood_per_answer", sl_json_real(score->mean), "hits",
                            sl_json_real(score->hits), "smoothing",
                            json_pack("[f, f]", score->smoothing[0], score->smoothing[1]),
                            "behind_best", sl_json_estimate(&methods->behind[m])));
    }
    const size_t advised = methods->decided ? methods->advised : 0;
    for (size_t m = 0; m < methods->count && methods->n_truth > 0; m++)
        json_object_set_new(json_array_get(list, m), "accuracy",
                            sl_json_real(methods->accuracy[m]));
    return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "advised",
                     methods->candidates[advised].method, "best",
                     methods->candidates[methods->best].method, "decided", methods->decided,
                     "left_out_answers", number(methods->held_out.n_left_out), "items",
                     number(methods->held_out.n_scored), "candidates", list);
}

static json_t *item_json(const struct sl_advice *advice, const struct sl_advice_item *item)
{
    char *const *classes = advice->answers->classes;
    json_t *value = json_pack(
        "{s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:o}", "item", sl_advice_item_name(advice, item->item),
        "answers", number(item->n_answers), "class", classes[item->first], "share",
        sl_json_estimate(&item->share), "second_class", classes[item->second], "second_share",
        sl_json_estimate(&item->other), "risk", sl_json_real(item->risk), "disagreement",
        sl_json_real(item->disagreement));
    if (item->truth >= 0) json_object_set_new(value, "truth", json_string(classes[item->truth]));
    return value;
}

static json_t *list_json(const struct sl_advice *advice, const struct sl_advice_item *items,
                         size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, item_json(advice, &items[i]));
    return list;
}

static json_t *items_json(const struct sl_advice *advice)
{
    const struct sl_advice_items *items = &advice->items;
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "least_certain",
                     list_json(advice, items->risky, items->n_risky), "most_disagreement",
                     list_json(advice, items->split, items->n_split), "contradict_truth",
                     list_json(advice, items->contrary, items->n_contrary), "with_truth",
                     number(items->n_truth), "with_another_class", number(items->n_wrong));
}

static json_t *next_json(const struct sl_advice *advice)
{
    const struct sl_advice_next *next = &advice->next;
    json_t *list = list_json(advice, next->items, next->n_named);
    for (size_t i = 0; i < next->n_named; i++)
        json_object_set_new(json_array_get(list, i), "more_answers", number(next->answers[i]));
    return json_pack("{s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stop", next->stop,
                     "seconds_per_answer", sl_json_real(next->seconds), "hours",
                     sl_json_real(next->hours), "answers", number(next->n_answers), "items",
                     number(next->n_items), "mean_risk", sl_json_real(next->risk),
                     "mean_risk_if_chosen", sl_json_real(next->chosen), "mean_risk_if_equal",
                     sl_json_real(next->equal), "first", list);
}

static json_t *text_json(const struct sl_buffer *text)
{
    return json_stringn(text->data ? text->data : "", text->length);
}

json_t *sl_advice_json(const struct sl_advice *advice, json_t *provenance)
{
    const struct sl_advice_situation *verdict = sl_advice_verdict(advice);
    struct sl_buffer sentence, page;
    sl_buffer_init(&sentence, 1 << 16);
    sl_buffer_init(&page, 1 << 28);
    verdict->say(advice, &sentence);
    sl_advice_page(advice, &page);
    json_t *value =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "situation", verdict->name,
                  "verdict", text_json(&sentence), "crowd", crowd_json(&advice->crowd), "model",
                  model_json(&advice->model), "people", people_json(advice), "methods",
                  methods_json(&advice->methods), "items", items_json(advice), "next",
                  next_json(advice), "page", text_json(&page));
    sl_buffer_release(&sentence);
    sl_buffer_release(&page);
    if (provenance) json_object_set_new(value, "provenance", provenance);
    return value;
}
