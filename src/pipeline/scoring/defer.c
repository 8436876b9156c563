/* `softlab eval --defer`: people who decide what a classifier is least certain of. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { MOST_CURVES = 6 }; /* more lines of one chart cannot be told apart */

enum sl_status sl_eval_check_defer(const struct sl_eval_job *job, struct sl_error *err)
{
    const struct sl_real_list *people = &job->defer;
    if (people->count > MOST_CURVES)
        return sl_fail(err, SL_ERR_USAGE, "--defer: %zu numbers of people; give at most %d",
                       people->count, MOST_CURVES);
    for (size_t i = 0; i < people->count; i++) {
        if (people->values[i] != floor(people->values[i]))
            return sl_fail(err, SL_ERR_USAGE, "--defer: %g is not a number of people",
                           people->values[i]);
        for (size_t j = 0; j < i; j++)
            if (people->values[j] == people->values[i])
                return sl_fail(err, SL_ERR_USAGE, "--defer: %g is there twice", people->values[i]);
    }
    return SL_OK;
}

enum sl_status sl_eval_defer(struct sl_evaluation *run, struct sl_error *err)
{
    const struct sl_eval_job *job = run->job;
    const struct sl_evaluated_model *model = &run->models[0];
    if (job->defer.count == 0) return SL_OK;
    run->curves = sl_alloc(job->defer.count, sizeof *run->curves);
    for (size_t i = 0; i < job->defer.count; i++) {
        const struct sl_defer_options options = {.n_people = (size_t)job->defer.values[i],
                                                 .by = &sl_certainties[job->defer_by],
                                                 .seconds_per_answer = job->seconds_per_answer,
                                                 .bootstrap = sl_eval_bootstrap(job),
                                                 .pool = run->workplace->pool};
        struct sl_defer_curve *curve = &run->curves[i];
        const enum sl_status status =
            sl_defer(model->scored, model->recorded, &options, curve, err);
        if (status != SL_OK) return sl_fail_within(err, status, "--defer: %s", model->answers);
        run->n_curves++;
        if (curve->n_short)
            sl_log(run->workplace->log, SL_LOG_WARNING,
                   "%zu of %zu items %s fewer than %zu answers; the classifier keeps %s",
                   curve->n_short, model->scored->n, sl_text_plural(curve->n_short, "has", "have"),
                   curve->n_people, sl_text_plural(curve->n_short, "it", "them"));
    }
    return SL_OK;
}

static json_t *point_json(const struct sl_defer_point *point)
{
    const struct {
        const char *name, *range;
        const struct sl_interval *value;
    } figures[] = {
        {"accuracy", "accuracy_interval", &point->accuracy},
        {"gain", "gain_interval", &point->gain},
        {"gain_per_answer", "gain_per_answer_interval", &point->gain_per_answer},
        {"short_of_people", "short_of_people_interval", &point->short_of_people},
    };
    json_t *result =
        json_pack("{s:I, s:o, s:o, s:o}", "items", (json_int_t)point->n_sent, "share",
                  sl_json_real(point->share), "answers_per_item", sl_json_real(point->answers),
                  "seconds_per_item", sl_json_real(point->seconds));
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        json_object_set_new(result, figures[i].name, sl_json_real(figures[i].value->estimate));
        json_object_set_new(result, figures[i].range, sl_json_interval(figures[i].value));
    }
    return result;
}

static json_t *share_json(const struct sl_defer_curve *curve, size_t point)
{
    return point == SIZE_MAX ? json_null() : sl_json_real(curve->points[point].share);
}

static json_t *curve_json(const struct sl_defer_curve *curve)
{
    json_t *points = json_array();
    for (size_t p = 0; p < curve->n_points; p++)
        json_array_append_new(points, point_json(&curve->points[p]));
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "people", (json_int_t)curve->n_people,
                     "items_with_fewer_answers", (json_int_t)curve->n_short, "better_from",
                     share_json(curve, curve->better), "as_people_from",
                     share_json(curve, curve->as_people), "best", share_json(curve, curve->best),
                     "points", points);
}

json_t *sl_eval_defer_json(const struct sl_evaluation *run)
{
    json_t *curves = json_array();
    for (size_t i = 0; i < run->n_curves; i++)
        json_array_append_new(curves, curve_json(&run->curves[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:o}", "by", run->curves[0].by->name, "answers",
                     run->models[0].answers, "truth", run->models[0].hard, "resamples",
                     (json_int_t)sl_eval_bootstrap(run->job).n_resamples, "curves", curves);
}
