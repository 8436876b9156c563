/* The options of softlab next. */
#include "softlab/pipeline/asking.h"
#include "softlab/pipeline/options.h"

static const char *way_names(size_t index)
{
    return index < SL_ASK_WAYS ? sl_ask_way_names[index] : NULL;
}

#define FIELD(name) .offset = offsetof(struct sl_next_job, name)
const struct sl_field_row sl_next_job_options[] = {
    {"budget", SL_FIELD_WORD, FIELD(budget),
     "what may be spent: a number of answers such as 500, or annotators' time such as 600s, 10min "
     "or 2h",
     .letter = 'b', .value = "N|TIME"},
    {"output", SL_FIELD_OUTPUT, FIELD(output),
     "the batch: a line per item, the most urgent first, with how many people to ask about it",
     .letter = 'o', .suffixes = ".csv", .prints = ""},
    {"finished", SL_FIELD_OUTPUT, FIELD(finished), "also list the finished items with the reason",
     .suffixes = ".csv", .prints = ""},
    {"wave", SL_FIELD_WORD, FIELD(wave),
     "the largest batch, in answers per hundred items; smaller waves choose better, because the "
     "answers of one tell where to ask in the next",
     .value = "PERCENT", .fallback = "30%"},
    {"seconds", SL_FIELD_NUMBER, FIELD(seconds),
     "how long an answer takes (default: the mean of the recorded times without the fastest and "
     "the slowest tenth)",
     .fallback = "nan", .minimum = 1e-3, .maximum = 1e6},
    {"target", SL_FIELD_NUMBER, FIELD(target),
     "ask for no more than is expected to bring the mean risk down to this", .value = "NATS",
     .fallback = "nan", .minimum = 0, .maximum = 100},
    {"items", SL_FIELD_PATH, FIELD(items),
     "items that may have no answer yet: a name per line, or a .csv with a column item"},
    {"prior", SL_FIELD_PATH, FIELD(prior), "a classifier's probabilities for every item",
     .value = "PREDICTIONS"},
    {"way", SL_FIELD_ENUM, FIELD(way),
     "gain: the items whose label one more answer improves most; equal: those with the fewest "
     "answers; auto: by gain where that pays",
     .value = "WAY", .fallback = "auto", .names = way_names},
    {"per-item", SL_FIELD_COUNT, FIELD(per_item),
     "the batch asks at most this many people about one item; 0 sets no limit", .fallback = "5",
     .minimum = 0, .maximum = 1e6},
    {"stop", SL_FIELD_NUMBER, FIELD(stop),
     "an item with four answers is finished if one more lowers its risk by less than this; 0 "
     "finishes none",
     .value = "NATS", .fallback = "0.001", .minimum = 0, .maximum = 100},
    {"most", SL_FIELD_COUNT, FIELD(most),
     "an item with this many answers is finished; 0 sets no limit", .fallback = "0", .minimum = 0,
     .maximum = 1e6},
    SL_OPTION_ANSWERS(struct sl_next_job, 0, 0),
    {.name = NULL},
};
#undef FIELD

struct sl_next_job sl_next_job_default(void)
{
    struct sl_next_job job = {0};
    sl_fields_set_defaults(sl_next_job_options, &job);
    return job;
}

static enum sl_status run_next(const void *raw, const struct sl_task_call *call, json_t **result,
                               struct sl_error *err)
{
    struct sl_next_job job = *(const struct sl_next_job *)raw;
    struct sl_next_batch batch = {0};
    job.answers = call->n_arguments > 0 ? call->arguments[0] : NULL;
    SL_TRY(sl_next_job_run(&job, call->workplace, &batch, err));
    *result = sl_next_batch_json(&batch, sl_asked_json(call->asked));
    sl_next_batch_release(&batch);
    return SL_OK;
}

const struct sl_task sl_next_task = {
    .name = "next",
    .options = sl_next_job_options,
    .size = sizeof(struct sl_next_job),
    .most_arguments = 1,
    .reports = true,
    .run = run_next,
};
