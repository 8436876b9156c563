/* The options of softlab quality. */
#include "softlab/pipeline/options.h"
#include "softlab/pipeline/quality.h"

static const char *preset_names(size_t index)
{
    return sl_exclusion_presets[index].name;
}

#define FIELD(name) .offset = offsetof(struct sl_quality_job, name)
const struct sl_field_row sl_quality_job_options[] = {
    SL_OPTION_ANSWERS(struct sl_quality_job, 0, 0),
    {"truth", SL_FIELD_PATH, FIELD(truth),
     "true classes: a label file, a CSV with the columns item and truth, a text file with a class "
     "per line, or a data set like cifar10:test (default: those in the answers)",
     .value = "FILE|DATASET"},
    {"exclude", SL_FIELD_CHOICE, FIELD(exclude), "rules by which annotators are excluded",
     .letter = 'x', .value = "RULES", .fallback = "none", .names = preset_names},
    {"most-answers", SL_FIELD_INTEGER, FIELD(most_answers),
     "leave out items with more answers than this (control items); 0 leaves out none",
     .fallback = "0", .minimum = 0, .maximum = 9e15},
    {"reference", SL_FIELD_PATH, FIELD(reference),
     "labels of the items; confidence and the number of possible classes are reported apart for "
     "items of high and of low entropy",
     .value = "LABELS"},
    {"high", SL_FIELD_NUMBER, FIELD(high), "with --reference: high entropy begins here",
     .value = "NATS", .fallback = "0.25", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"low", SL_FIELD_NUMBER, FIELD(low), "with --reference: low entropy ends here", .value = "NATS",
     .fallback = "0.1", .minimum = 0, .maximum = 100, .needs = "reference"},
    {"bootstrap", SL_FIELD_INTEGER, FIELD(bootstrap),
     "with --json: 95 % intervals from this many resamples of items and annotators; 1000 is usual",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .needs = "json"},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .needs = "bootstrap"},
    {.name = NULL},
};
#undef FIELD

struct sl_quality_job sl_quality_job_default(void)
{
    struct sl_quality_job job = {0};
    sl_fields_set_defaults(sl_quality_job_options, &job);
    return job;
}

static enum sl_status run_quality(const void *raw, const struct sl_task_call *call, json_t **result,
                                  struct sl_error *err)
{
    struct sl_quality_job job = *(const struct sl_quality_job *)raw;
    struct sl_measured_quality measured = {0};
    job.answers = call->n_arguments > 0 ? call->arguments[0] : NULL;
    SL_TRY(sl_quality_job_run(&job, call->workplace, &measured, err));
    *result = sl_measured_quality_json(&measured, sl_asked_json(call->asked));
    sl_measured_quality_release(&measured);
    return SL_OK;
}

const struct sl_task sl_quality_task = {
    .name = "quality",
    .options = sl_quality_job_options,
    .size = sizeof(struct sl_quality_job),
    .most_arguments = 1,
    .reports = true,
    .run = run_quality,
};
