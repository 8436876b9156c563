/* An evaluation as JSON. */
#include <stdlib.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static json_t *each_json(const struct sl_evaluation *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->n_models; i++) {
        json_t *model = json_pack("{s:s}", "file", run->models[i].path);
        for (size_t m = 0; m < run->n_metrics; m++)
            json_object_set_new(model, run->metrics[m]->name,
                                sl_json_real(run->each[i * run->n_metrics + m]));
        json_array_append_new(list, model);
    }
    return list;
}

static json_t *intervals_json(const struct sl_evaluation *run)
{
    json_t *intervals = json_object();
    for (size_t m = 0; m < run->n_metrics; m++)
        json_object_set_new(intervals, run->metrics[m]->name, sl_json_interval(&run->intervals[m]));
    return intervals;
}

static json_t *paired_json(const struct sl_evaluation *run)
{
    json_t *paired = json_pack("{s:s}", "file", run->models[run->n_models].path);
    for (size_t m = 0; m < run->n_metrics; m++) {
        const struct sl_paired *p = &run->paired[m];
        json_object_set_new(
            paired, run->metrics[m]->name,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "value", sl_json_real(p->a), "other",
                      sl_json_real(p->b), "difference", sl_json_real(p->difference.estimate), "low",
                      sl_json_real(p->difference.low), "high", sl_json_real(p->difference.high),
                      "p", sl_json_real(p->p), "test", p->test));
    }
    return paired;
}

static json_t *classes_json(const struct sl_evaluation *run)
{
    const struct sl_scored *scored = run->models[0].scored;
    struct sl_class_score *scores = sl_alloc(scored->n_classes, sizeof *scores);
    json_t *classes = json_array();
    sl_class_scores(scored, &run->options, scores);
    for (size_t k = 0; k < scored->n_classes; k++)
        json_array_append_new(
            classes,
            json_pack("{s:s?, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "class",
                      scored->classes ? scored->classes[k] : NULL, "items",
                      (json_int_t)scores[k].support, "predicted", (json_int_t)scores[k].predicted,
                      "right", (json_int_t)scores[k].correct, "precision",
                      sl_json_real(scores[k].precision), "recall", sl_json_real(scores[k].recall),
                      "f1", sl_json_real(scores[k].f1), "cross_entropy",
                      sl_json_real(scores[k].cross_entropy)));
    free(scores);
    return classes;
}

void sl_evaluation_json_more(const struct sl_evaluation *run, json_t *into)
{
    if (run->interval) {
        json_object_set_new(into, "intervals", intervals_json(run));
        json_object_set_new(into, "interval_method", json_string(run->interval));
    }
    if (run->job->per_class) json_object_set_new(into, "per_class", classes_json(run));
    if (run->paired) json_object_set_new(into, "against", paired_json(run));
    if (run->curves) json_object_set_new(into, "defer", sl_eval_defer_json(run));
}

json_t *sl_evaluation_json(const struct sl_evaluation *run)
{
    const struct sl_evaluated_model *first = &run->models[0];
    json_t *result = json_object();
    for (size_t m = 0; m < run->n_metrics; m++)
        json_object_set_new(result, run->metrics[m]->name,
                            sl_json_real(run->intervals[m].estimate));
    json_object_set_new(result, "n", json_integer((json_int_t)first->scored->n));
    json_object_set_new(result, "classes", json_integer((json_int_t)first->scored->n_classes));
    json_object_set_new(result, "predictions", json_string(sl_prediction_kind_name(first->kind)));
    json_object_set_new(result, "reference", json_string(first->reference));
    json_object_set_new(result, "hard_labels", json_string(first->hard));
    if (run->job->each) json_object_set_new(result, "each", each_json(run));
    sl_evaluation_json_more(run, result);
    return result;
}

json_t *sl_weights_evaluation_json(const struct sl_weights_evaluation *evaluation)
{
    return json_pack("{s:O, s:O}", "tests", evaluation->scores, "classes", evaluation->classes);
}
