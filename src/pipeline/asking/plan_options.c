/* The options of softlab plan. */
#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/options.h"

static const char *screen_names(size_t index)
{
    return index < SL_SCREENS ? sl_plan_screen_names[index] : NULL;
}

#define FIELD(name) .offset = offsetof(struct sl_plan_job, name)
const struct sl_field_row sl_plan_job_options[] = {
    {"items", SL_FIELD_COUNT, FIELD(items), "how many items are to be labelled", .letter = 'n',
     .minimum = 1, .maximum = 1e12},
    {"output", SL_FIELD_OUTPUT, FIELD(output),
     "also write a page with table and charts, the chart, or the figures", .letter = 'o',
     .suffixes = ".html .svg .csv .json", .prints = ""},
    {"budgets", SL_FIELD_REALS, FIELD(budgets),
     "budgets in answers (default: 2, 3, 4, 6, 8, 12 and 16 per item)", .value = "N,...",
     .minimum = 1, .maximum = 1e15},
    {"target", SL_FIELD_NUMBER, FIELD(target), "also find the smallest budget for this mean risk",
     .value = "NATS", .fallback = "nan", .minimum = 1e-9, .maximum = 100},
    {"seconds", SL_FIELD_NUMBER, FIELD(seconds),
     "how long an answer takes (default: the mean of the recorded times without the fastest and "
     "the "
     "slowest tenth)",
     .fallback = "nan", .minimum = 1e-3, .maximum = 1e6},
    {"pay-per-hour", SL_FIELD_NUMBER, FIELD(pay_per_hour), "what an hour of an annotator costs",
     .value = "MONEY", .fallback = "nan", .minimum = 0, .maximum = 1e9},
    {"currency", SL_FIELD_WORD, FIELD(currency), "the currency of --pay-per-hour, such as GBP",
     .value = "NAME", .needs = "pay-per-hour"},
    {"screen", SL_FIELD_CHOICE, FIELD(screen),
     "plan for answers of this kind: one class (hard), or classes with probabilities (rich) "
     "(default: what the pilot has)",
     .value = "KIND", .names = screen_names},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of the simulations", .fallback = "1",
     .minimum = 0, .maximum = 9e15},
    SL_OPTION_ANSWERS(struct sl_plan_job, 0, 0),
    {.name = NULL},
};
#undef FIELD

struct sl_plan_job sl_plan_job_default(void)
{
    struct sl_plan_job job = {0};
    sl_fields_set_defaults(sl_plan_job_options, &job);
    return job;
}

static enum sl_status run_plan(const void *raw, const struct sl_task_call *call, json_t **result,
                               struct sl_error *err)
{
    struct sl_plan_job job = *(const struct sl_plan_job *)raw;
    struct sl_budget_plan plan = {0};
    job.answers = call->n_arguments > 0 ? call->arguments[0] : NULL;
    SL_TRY(sl_plan_job_run(&job, call->workplace, &plan, err));
    *result = sl_budget_plan_json(&plan, sl_asked_json(call->asked));
    sl_budget_plan_release(&plan);
    return SL_OK;
}

const struct sl_task sl_plan_task = {
    .name = "plan",
    .options = sl_plan_job_options,
    .size = sizeof(struct sl_plan_job),
    .most_arguments = 1,
    .reports = true,
    .run = run_plan,
};
