#include "softlab/pipeline/quality.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/label/compare.h"
#include "softlab/pipeline/files.h"

static enum sl_status find_preset(const char *name, const struct sl_exclusion_preset **out,
                                  struct sl_error *err)
{
    for (const struct sl_exclusion_preset *p = sl_exclusion_presets; p->name && name; p++) {
        if (strcmp(p->name, name) != 0) continue;
        *out = p;
        return SL_OK;
    }
    return sl_fail(err, SL_ERR_USAGE, "no rules of exclusion are called \"%s\"", name ? name : "");
}

static struct sl_bootstrap_options bootstrap_of(const struct sl_quality_job *job)
{
    return (struct sl_bootstrap_options){
        .n_resamples = (size_t)job->bootstrap, .level = .95, .seed = job->seed};
}

/* Mark the items of each part: in[part][item]. */
static enum sl_status split_items(const struct sl_workplace *workplace,
                                  const struct sl_quality_job *job,
                                  const struct sl_name_table *items, bool *in[SL_QUALITY_PARTS],
                                  struct sl_error *err)
{
    struct sl_rows *labels = NULL;
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_rows_read_like(workplace, job->reference, "labels", NULL, &labels, err));
    SL_TRY_OUT(sl_rows_check_distributions(labels, job->reference, err));
    if (!labels->items)
        SL_TRY_OUT(sl_match_rows(job->reference, "row", labels->n_rows, items, &matching, err));
    for (uint32_t i = 0; i < sl_name_table_count(items); i++) {
        size_t length;
        const char *name = sl_name_table_get(items, i, &length);
        const size_t place = matching == SL_ROWS_BY_ORDER ? i : sl_rows_find(labels, name, length);
        if (place == SIZE_MAX)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s has no item %s", job->reference, name));
        const double entropy =
            sl_entropy_of_row(labels->values + place * labels->n_classes, labels->n_classes);
        in[SL_QUALITY_HIGH][i] = entropy >= job->high;
        in[SL_QUALITY_LOW][i] = entropy <= job->low;
    }
out:
    sl_rows_destroy(labels);
    return status;
}

static enum sl_status measure_parts(const struct sl_workplace *workplace,
                                    struct sl_measured_quality *out, struct sl_error *err)
{
    const struct sl_quality_job *job = out->job;
    const struct sl_answers *answers = out->answers;
    const struct sl_bootstrap_options bootstrap = bootstrap_of(job);
    const size_t n_items = sl_name_table_count(answers->items);
    bool *in[SL_QUALITY_PARTS];
    enum sl_status status = SL_OK;
    for (size_t p = 0; p < SL_QUALITY_PARTS; p++)
        in[p] = sl_alloc(n_items + 1, sizeof(bool));
    SL_TRY_OUT(split_items(workplace, job, answers->items, in, err));
    for (size_t p = 0; p < SL_QUALITY_PARTS; p++) {
        SL_TRY_OUT(sl_answer_group_measure(answers, in[p], &out->parts[p], err));
        if (job->bootstrap)
            SL_TRY_OUT(sl_answer_group_bootstrap(answers, in[p], &bootstrap,
                                                 &out->part_intervals[p], err));
    }
out:
    for (size_t p = 0; p < SL_QUALITY_PARTS; p++)
        free(in[p]);
    return status;
}

static enum sl_status measure(const struct sl_workplace *workplace,
                              const struct sl_exclusion_preset *preset,
                              struct sl_measured_quality *out, struct sl_error *err)
{
    const struct sl_quality_job *job = out->job;
    int32_t *truth = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read_any(workplace, job->answers, &job->reading, &out->answers, err));
    const struct sl_known_names names = sl_known_names_of(out->answers);
    if (job->truth) SL_TRY_OUT(sl_truth_read_and_tell(workplace, job->truth, &names, &truth, err));
    const struct sl_quality_options options = {
        .truth = truth, .preset = preset, .most_answers = (size_t)job->most_answers};
    status = sl_quality_measure(out->answers, &options, &out->quality, err);
    if (status != SL_OK) {
        status = sl_fail_within(err, status, "%s", sl_workplace_shown(workplace, job->answers));
        goto out;
    }
    if (job->bootstrap) {
        const struct sl_bootstrap_options bootstrap = bootstrap_of(job);
        SL_TRY_OUT(sl_quality_bootstrap(out->answers, &options, &bootstrap, &out->intervals, err));
    }
    SL_TRY_OUT(sl_suspicion_measure(out->answers, &out->quality, truth, &out->suspicions, err));
    if (job->reference) SL_TRY_OUT(measure_parts(workplace, out, err));
out:
    free(truth);
    return status;
}

enum sl_status sl_quality_job_run(const struct sl_quality_job *job,
                                  const struct sl_workplace *workplace,
                                  struct sl_measured_quality *out, struct sl_error *err)
{
    const struct sl_exclusion_preset *preset = NULL;
    struct sl_measured_quality measured = {.job = job};
    if (!job->answers) return sl_fail(err, SL_ERR_USAGE, "ANSWERS is missing");
    SL_TRY(find_preset(job->exclude, &preset, err));
    const enum sl_status status = measure(workplace, preset, &measured, err);
    if (status == SL_OK)
        *out = measured;
    else
        sl_measured_quality_release(&measured);
    return status;
}

void sl_measured_quality_release(struct sl_measured_quality *measured)
{
    for (size_t p = 0; p < SL_QUALITY_PARTS; p++)
        sl_answer_group_release(&measured->parts[p]);
    sl_suspicions_release(&measured->suspicions);
    sl_quality_release(&measured->quality);
    sl_answers_destroy(measured->answers);
    *measured = (struct sl_measured_quality){0};
}
