/* The options of softlab compare. */
#include "softlab/pipeline/compare.h"

static const char *distance_names(size_t index)
{
    return index < SL_DISTANCE_COUNT ? sl_label_distances[index].name : NULL;
}

#define FIELD(name) .offset = offsetof(struct sl_compare_job, name)
const struct sl_field_row sl_compare_job_options[] = {
    {"top", SL_FIELD_INTEGER, FIELD(top), "show this many of the most different items",
     .fallback = "10", .minimum = 0, .maximum = 1e6, .modes = SL_COMPARE_SETS},
    {"by", SL_FIELD_CHOICE, FIELD(by), "the distance that orders the items", .value = "DISTANCE",
     .fallback = "wasserstein-values", .names = distance_names, .modes = SL_COMPARE_SETS},
    {"least", SL_FIELD_BOOLEAN, FIELD(least), "show the least different items instead",
     .modes = SL_COMPARE_SETS},
    {"same-first", SL_FIELD_BOOLEAN, FIELD(same_first),
     "show only items whose most probable class is the same in both; ties go to the last class by "
     "name",
     .modes = SL_COMPARE_SETS},
    {"min-entropy", SL_FIELD_NUMBER, FIELD(min_entropy),
     "show only items whose two labels both have at least this entropy", .value = "NATS",
     .fallback = "0", .minimum = 0, .maximum = 100, .modes = SL_COMPARE_SETS},
    {"max-entropy-b", SL_FIELD_NUMBER, FIELD(max_entropy_b),
     "show only items whose label in B has at most this entropy; 0 shows all", .value = "NATS",
     .fallback = "0", .minimum = 0, .maximum = 100, .modes = SL_COMPARE_SETS},
    {"mix", SL_FIELD_PATH, FIELD(mix),
     "in place of A and B: mixing answers, to compare inferred with generated shares",
     .value = "ANSWERS"},
    {"endpoint-labels", SL_FIELD_PATH, FIELD(endpoint_labels),
     "with --mix: labels of the images that were mixed, to split by their entropy",
     .modes = SL_COMPARE_MIX},
    {"only", SL_FIELD_PATH, FIELD(only),
     "with --mix: use only the items this text file lists, one per line", .modes = SL_COMPARE_MIX},
    {"mixed", SL_FIELD_PATH, FIELD(mixed),
     "in place of A and B: labels of mixed images, to compare with the shares in the images' names",
     .value = "LABELS", .modes = SL_COMPARE_SETS | SL_COMPARE_MIXED},
    {"bootstrap", SL_FIELD_INTEGER, FIELD(bootstrap),
     "with --mix and --json: 95 % intervals from this many resamples of items and annotators; 1000 "
     "is usual",
     .fallback = "0", .minimum = 0, .maximum = 1e6, .modes = SL_COMPARE_MIX, .needs = "json"},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of the bootstrap", .fallback = "1", .minimum = 0,
     .maximum = 9e15, .modes = SL_COMPARE_MIX, .needs = "bootstrap"},
    {.name = NULL},
};
#undef FIELD

struct sl_compare_job sl_compare_job_default(void)
{
    struct sl_compare_job job = {0};
    sl_fields_set_defaults(sl_compare_job_options, &job);
    return job;
}

static void find_mode(const void *raw, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    (void)arguments;
    (void)n_arguments;
    const struct sl_compare_job *job = raw;
    *out = job->mix ? (struct sl_option_mode){SL_COMPARE_MIX, .name = "--mix", .alone = true}
           : job->mixed
               ? (struct sl_option_mode){SL_COMPARE_MIXED, .name = "--mixed", .alone = true}
               : (struct sl_option_mode){SL_COMPARE_SETS, .name = "two label sets"};
}

static enum sl_status run_comparison(const void *raw, const struct sl_task_call *call,
                                     json_t **result, struct sl_error *err)
{
    struct sl_compare_job job = *(const struct sl_compare_job *)raw;
    struct sl_compared compared;
    job.a = call->n_arguments > 0 ? call->arguments[0] : NULL;
    job.b = call->n_arguments > 1 ? call->arguments[1] : NULL;
    SL_TRY(sl_compare_job_run(&job, call->workplace, &compared, err));
    *result = sl_compared_json(&compared, sl_asked_json(call->asked));
    sl_compared_release(&compared);
    return SL_OK;
}

const struct sl_task sl_compare_task = {
    .name = "compare",
    .options = sl_compare_job_options,
    .size = sizeof(struct sl_compare_job),
    .mode = find_mode,
    .most_arguments = 2,
    .reports = true,
    .run = run_comparison,
};
