/* Labels as JSON: how many answers were used, what a label costs, and the list of methods. */
#include <math.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/array.h"
#include "softlab/base/text.h"

int sl_labels_inputs(const char *name)
{
    const struct sl_label_method *method = sl_label_method_find(name);
    const struct sl_aggregator *aggregator = sl_aggregator_find(name);
    if (method) return method->inputs;
    return aggregator && !(aggregator->needs & SL_CROWD_SOFT) ? 1 : 0;
}

/* The seconds that a label costs at the job's seconds per input; NaN if not given. */
static double counted_seconds(const struct sl_labels_job *job, const struct sl_label_notes *notes,
                              size_t n_labels)
{
    return (double)notes->n_used / (double)n_labels * sl_labels_inputs(job->method) *
           job->seconds_per_input;
}

void sl_labels_say_counted(const struct sl_workplace *workplace, const struct sl_labels_job *job,
                           const struct sl_label_notes *notes, size_t n_labels)
{
    const double seconds = counted_seconds(job, notes, n_labels);
    const int inputs = sl_labels_inputs(job->method);
    if (isfinite(seconds))
        sl_log(workplace->log, SL_LOG_INFO,
               "a label costs %.1f s of annotators' time at %g s per input: %.2f answers of %d "
               "input%s",
               seconds, job->seconds_per_input, (double)notes->n_used / (double)n_labels, inputs,
               sl_text_plural((uint64_t)inputs, "", "s"));
}

json_t *sl_labels_json(const struct sl_labels_job *job, const struct sl_label_notes *notes,
                       size_t n_rows, json_t *provenance)
{
    const double counted = counted_seconds(job, notes, n_rows);
    const double seconds =
        notes->n_used && n_rows ? notes->ms_used / 1000 / (double)n_rows : (double)NAN;
    json_t *value = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "method", job->method, "labels",
        (json_int_t)n_rows, "answers", (json_int_t)notes->n_used, "left_out",
        (json_int_t)notes->n_flagged, "not_drawn", (json_int_t)notes->n_undrawn, "unusable",
        (json_int_t)notes->n_unusable, "items_without", (json_int_t)notes->n_empty_items,
        "seconds_per_label", sl_json_real(seconds), "provenance", provenance);
    if (isfinite(counted))
        json_object_set_new(value, "counted_seconds_per_label", json_real(counted));
    return value;
}

json_t *sl_label_methods_json(void)
{
    json_t *methods = json_array();
    for (const struct sl_label_method *m = sl_label_methods; m->name; m++)
        json_array_append_new(methods, json_pack("{s:s, s:i, s:s}", "name", m->name, "inputs",
                                                 m->inputs, "summary", m->summary));
    for (const struct sl_aggregator *a = sl_aggregators; a->name; a++)
        json_array_append_new(methods, json_pack("{s:s, s:s, s:s?}", "name", a->name, "summary",
                                                 a->summary, "source", a->source));
    return methods;
}
