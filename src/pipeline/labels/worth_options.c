/* The options of softlab worth. */
#include <math.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "pipeline/labels/worth.h"

static const char *side_names(size_t index)
{
    static const char *const names[] = {"clicks", "other", NULL}; /* enum sl_worth_side */
    return names[index];
}

const char *const sl_worth_groups[SL_WORTH_GROUPS] = {"all", "uncertain"};

#define FIELD(name) .offset = offsetof(struct sl_worth_job, name)
const struct sl_field_row sl_worth_job_options[] = {
    {"method", SL_FIELD_WORDS, FIELD(methods[SL_WORTH_CLICKS]),
     "a method of softlab labels for the clicks; several may be given (default dirichlet)",
     .letter = 'm', .value = "NAME", .names = sl_labels_methods_of_answers,
     .known_as = sl_labels_known_as},
    {"other-method", SL_FIELD_WORDS, FIELD(methods[SL_WORTH_OTHER]),
     "the same for the other answers (default dirichlet-soft)", .value = "NAME",
     .names = sl_labels_methods_of_answers, .known_as = sl_labels_known_as},
    {"numbers", SL_FIELD_REALS, FIELD(numbers[SL_WORTH_CLICKS]),
     "clicks per item to try, ascending", .value = "N,N,...", .fallback = "1,2,3,5,8,12,18,25",
     .minimum = 1, .maximum = 1e6},
    {"other-numbers", SL_FIELD_REALS, FIELD(numbers[SL_WORTH_OTHER]),
     "other answers per item to try, ascending", .value = "N,N,...", .fallback = "1,2,3",
     .minimum = 1, .maximum = 1e6},
    {"reference", SL_FIELD_ENUM, FIELD(reference),
     "which answers that were not drawn the labels are scored against", .value = "clicks|other",
     .fallback = "clicks", .names = side_names},
    {"screen", SL_FIELD_INTEGER, FIELD(screen),
     "also score the items about which this many further clicks disagree; 0: do not", .value = "N",
     .fallback = "3", .minimum = 0, .maximum = 1000},
    {"draws", SL_FIELD_INTEGER, FIELD(draws), "draw this many times and average the scores",
     .value = "N", .fallback = "20", .minimum = 1, .maximum = 1e6},
    {"floor", SL_FIELD_NUMBER, FIELD(floor),
     "share of the uniform distribution mixed into every label before its cross-entropy, which "
     "is infinite where a label has a zero that the reference has not",
     .value = "SHARE", .fallback = "0.01", .minimum = 0, .maximum = 1},
    {"seconds", SL_FIELD_NUMBER, FIELD(seconds), "seconds that a click takes", .value = "S",
     .fallback = "2.5", .minimum = 1e-6, .maximum = 1e6},
    {"bootstrap", SL_FIELD_INTEGER, FIELD(bootstrap),
     "95 % intervals from this many resamples of items; 0: no intervals", .value = "N",
     .fallback = "1000", .minimum = 0, .maximum = 1e6},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of all random draws", .value = "N",
     .fallback = "1", .minimum = 0, .maximum = 9e15},
    {"output", SL_FIELD_OUTPUT, FIELD(output), "also write the result to this file", .letter = 'o',
     .value = "FILE.json", .suffixes = ".json"},
    {.name = NULL},
};
#undef FIELD

struct sl_worth_job sl_worth_job_default(void)
{
    struct sl_worth_job job = {0};
    sl_fields_set_defaults(sl_worth_job_options, &job);
    return job;
}

static enum sl_status check_numbers(const char *option, const struct sl_real_list *numbers,
                                    struct sl_error *err)
{
    if (numbers->count == 0) return sl_fail(err, SL_ERR_USAGE, "--%s is empty", option);
    for (size_t i = 0; i < numbers->count; i++) {
        const double number = numbers->values[i];
        if (!(number >= 1 && number == floor(number)))
            return sl_fail(err, SL_ERR_USAGE, "--%s: %g is not a whole number from 1", option,
                           number);
        if (i > 0 && !(number > numbers->values[i - 1]))
            return sl_fail(err, SL_ERR_USAGE, "--%s: %g after %g; give ascending numbers", option,
                           number, numbers->values[i - 1]);
    }
    return SL_OK;
}

static enum sl_status check_methods(const char *option, const struct sl_word_list *methods,
                                    struct sl_error *err)
{
    for (size_t i = 0; i < methods->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(methods->values[i], methods->values[j]) == 0)
                return sl_fail(err, SL_ERR_USAGE, "--%s %s is given twice", option,
                               methods->values[i]);
    return SL_OK;
}

enum sl_status sl_worth_job_complete(struct sl_worth_job *job, struct sl_error *err)
{
    static const struct {
        const char *argument, *numbers, *method, *fallback;
    } sides[SL_WORTH_SIDES] = {
        {"CLICKS", "numbers", "method", "dirichlet"},
        {"OTHER", "other-numbers", "other-method", "dirichlet-soft"},
    };
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++) {
        struct sl_word_list *methods = &job->methods[s];
        if (!job->paths[s])
            return sl_fail(err, SL_ERR_USAGE, "%s is missing: a file of answers",
                           sides[s].argument);
        SL_TRY(check_numbers(sides[s].numbers, &job->numbers[s], err));
        SL_TRY(check_methods(sides[s].method, methods, err));
        if (methods->count == 0) methods->values[methods->count++] = sides[s].fallback;
    }
    if (job->numbers[SL_WORTH_CLICKS].count < 2)
        return sl_fail(err, SL_ERR_USAGE, "--numbers: give at least two numbers of clicks");
    if (job->screen == 1)
        return sl_fail(err, SL_ERR_USAGE, "--screen 1 has no effect: one click cannot disagree");
    return SL_OK;
}

static enum sl_status run_worth(const void *raw, const struct sl_task_call *call, json_t **result,
                                struct sl_error *err)
{
    struct sl_worth_job job = *(const struct sl_worth_job *)raw;
    struct sl_worth_result worth;
    for (size_t s = 0; s < SL_WORTH_SIDES && s < call->n_arguments; s++)
        job.paths[s] = call->arguments[s];
    SL_TRY(sl_worth_job_run(&job, call->workplace, &worth, err));
    json_t *value = sl_worth_json(&worth, sl_asked_json(call->asked));
    sl_worth_result_release(&worth);
    const enum sl_status status = job.output ? sl_json_write(value, job.output, err) : SL_OK;
    if (status == SL_OK)
        *result = value;
    else
        json_decref(value);
    return status;
}

const struct sl_task sl_worth_task = {
    .name = "worth",
    .options = sl_worth_job_options,
    .size = sizeof(struct sl_worth_job),
    .most_arguments = SL_WORTH_SIDES,
    .reports = true,
    .run = run_worth,
};
