/* The options of softlab advise. */
#include "softlab/pipeline/advice.h"
#include "softlab/pipeline/options.h"

#define FIELD(name) .offset = offsetof(struct sl_advise_job, name)
const struct sl_field_row sl_advise_job_options[] = {
    SL_OPTION_ANSWERS(struct sl_advise_job, 0, 0),
    {"truth", SL_FIELD_PATH, FIELD(truth),
     "true classes: a label file, a CSV with the columns item and truth, a text file with a class "
     "per line, or a data set like cifar10:test (default: those in the answers)",
     .value = "FILE|DATASET"},
    {"hours", SL_FIELD_NUMBER, FIELD(hours),
     "hours of annotation to plan (default 1, if the time of an answer is known)", .value = "HOURS",
     .fallback = "nan", .minimum = 0.001, .maximum = 1e6},
    {"seconds", SL_FIELD_NUMBER, FIELD(seconds),
     "time of one answer in seconds (default: the mean of the answers without the fastest and the "
     "slowest tenth)",
     .value = "SECONDS", .fallback = "nan", .minimum = 0.001, .maximum = 1e6},
    {"top", SL_FIELD_INTEGER, FIELD(top), "items and annotators to name in each list",
     .fallback = "3", .minimum = 1, .maximum = 1e6},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of the intervals and of the left-out answers",
     .fallback = "1", .minimum = 0, .maximum = 9e15},
    {.name = NULL},
};
#undef FIELD

struct sl_advise_job sl_advise_job_default(void)
{
    struct sl_advise_job job = {0};
    sl_fields_set_defaults(sl_advise_job_options, &job);
    return job;
}

static enum sl_status run_advise(const void *raw, const struct sl_task_call *call, json_t **result,
                                 struct sl_error *err)
{
    struct sl_advise_job job = *(const struct sl_advise_job *)raw;
    struct sl_advice advice = {0};
    job.answers = call->n_arguments > 0 ? call->arguments[0] : NULL;
    SL_TRY(sl_advise_job_run(&job, call->workplace, &advice, err));
    *result = sl_advice_json(&advice, sl_asked_json(call->asked));
    sl_advice_release(&advice);
    return SL_OK;
}

const struct sl_task sl_advise_task = {
    .name = "advise",
    .options = sl_advise_job_options,
    .size = sizeof(struct sl_advise_job),
    .most_arguments = 1,
    .reports = true,
    .run = run_advise,
};
