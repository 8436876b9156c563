/* Compares two label sets, or answers about mixed images with the shares that were mixed. */
#include "softlab/pipeline/compare.h"

#include <string.h>

#include "softlab/pipeline/files.h"

static enum sl_status find_distance(const char *name, enum sl_label_distance_kind *out,
                                    struct sl_error *err)
{
    for (size_t d = 0; d < SL_DISTANCE_COUNT && name; d++) {
        if (strcmp(sl_label_distances[d].name, name) != 0) continue;
        *out = (enum sl_label_distance_kind)d;
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_USAGE, "no distance is called \"%s\"", name ? name : "");
}

/* Log what the comparison assumes: classes matched by number, and how ties are broken. */
static void say_matched(const struct sl_workplace *workplace, const struct sl_compared *compared)
{
    const struct sl_compare_job *job = compared->job;
    const struct sl_comparison *comparison = &compared->comparison;
    const struct sl_rows *a = compared->a, *b = compared->b;
    const struct sl_class_list of_a = {job->a, a->classes, a->n_classes};
    const struct sl_class_list of_b = {job->b, b->classes, b->n_classes};
    char *const *classes = a->classes ? a->classes : b->classes;
    sl_say_unnamed(workplace, &of_a, &of_b);
    sl_say_ties(workplace, sl_workplace_shown(workplace, job->a), comparison->n_tied_a,
                comparison->n_items, classes);
    sl_say_ties(workplace, sl_workplace_shown(workplace, job->b), comparison->n_tied_b,
                comparison->n_items, classes);
}

static enum sl_status compare_sets(const struct sl_compare_job *job,
                                   const struct sl_workplace *workplace, struct sl_compared *out,
                                   struct sl_error *err)
{
    enum sl_label_distance_kind by = SL_DISTANCE_WASSERSTEIN_VALUES;
    if (!job->a || !job->b) return sl_fail(err, SL_ERR_USAGE, "two label sets are needed");
    SL_TRY(find_distance(job->by, &by, err));
    SL_TRY(sl_rows_read_like(workplace, job->a, "labels", NULL, &out->a, err));
    SL_TRY(sl_rows_read_like(workplace, job->b, "labels", NULL, &out->b, err));
    sl_say_rescaled(workplace, job->a, out->a);
    sl_say_rescaled(workplace, job->b, out->b);
    const char *const names[2] = {sl_workplace_shown(workplace, job->a),
                                  sl_workplace_shown(workplace, job->b)};
    SL_TRY(sl_labels_compare(out->a, out->b, names, &out->comparison, err));
    say_matched(workplace, out);
    SL_TRY(sl_comparison_sort(&out->comparison, by, job->least, err));
    const struct sl_comparison_filter filter = {.same_first = job->same_first,
                                                .min_entropy = job->min_entropy,
                                                .max_entropy_b = job->max_entropy_b};
    out->n_kept = sl_comparison_keep(&out->comparison, &filter);
    out->n_shown = out->n_kept < job->top ? out->n_kept : (size_t)job->top;
    return SL_OK;
}

static enum sl_status compare_mix(const struct sl_compare_job *job,
                                  const struct sl_workplace *workplace, struct sl_compared *out,
                                  struct sl_error *err)
{
    struct sl_import_notes notes = {.log = workplace->log};
    struct sl_mix_options mix = sl_mix_options_default();
    struct sl_rows *endpoints = NULL;
    struct sl_name_table *only = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read(job->mix, &out->answers, &notes, err));
    SL_TRY_OUT(sl_listed_items_read(workplace, job->only, out->answers, &only, err));
    if (job->endpoint_labels)
        SL_TRY_OUT(
            sl_rows_read_like(workplace, job->endpoint_labels, "labels", NULL, &endpoints, err));
    mix.endpoint_labels = endpoints;
    mix.only = only;
    const struct sl_bootstrap_options bootstrap = {
        .n_resamples = (size_t)job->bootstrap, .level = .95, .seed = job->seed};
    if (job->bootstrap) mix.bootstrap = &bootstrap;
    SL_TRY_OUT(sl_mix_summarise(out->answers, &mix, &out->mix, err));
out:
    sl_rows_destroy(endpoints);
    sl_name_table_destroy(only);
    return status;
}

/* Soft labels over mixed images (thesis 5.1.2). */
static enum sl_status compare_mixed(const struct sl_compare_job *job,
                                    const struct sl_workplace *workplace, struct sl_compared *out,
                                    struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read_like(workplace, job->mixed, "labels", NULL, &rows, err));
    const enum sl_status status = sl_mixed_labels_measure(rows, &out->mixed, err);
    sl_rows_destroy(rows);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s", job->mixed);
}

enum sl_status sl_compare_job_run(const struct sl_compare_job *job,
                                  const struct sl_workplace *workplace, struct sl_compared *out,
                                  struct sl_error *err)
{
    struct sl_compared compared = {.job = job};
    const enum sl_status status = job->mixed ? compare_mixed(job, workplace, &compared, err)
                                  : job->mix ? compare_mix(job, workplace, &compared, err)
                                             : compare_sets(job, workplace, &compared, err);
    if (status == SL_OK)
        *out = compared;
    else
        sl_compared_release(&compared);
    return status;
}

void sl_compared_release(struct sl_compared *compared)
{
    sl_comparison_release(&compared->comparison);
    sl_rows_destroy(compared->a);
    sl_rows_destroy(compared->b);
    sl_mix_summary_release(&compared->mix);
    sl_answers_destroy(compared->answers);
    *compared = (struct sl_compared){0};
}
