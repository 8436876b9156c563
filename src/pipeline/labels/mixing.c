#include "softlab/pipeline/mixing.h"

#include <math.h>

#include "softlab/answer.h"
#include "softlab/base/json.h"
#include "softlab/base/text.h"
#include "softlab/label/mixing.h"
#include "softlab/pipeline/files.h"

enum { FITTED = 1, GIVEN = 2 };

#define FIELD(name) .offset = offsetof(struct sl_mixing_job, name)
const struct sl_field_row sl_mixing_job_options[] = {
    {"output", SL_FIELD_OUTPUT, FIELD(output), "the fitted functions; - is standard output",
     .letter = 'o', .value = "FILE.json", .suffixes = ".json"},
    {"only", SL_FIELD_PATH, FIELD(only),
     "use only answers about the items that this text file lists, one per line", .modes = FITTED},
    {"k", SL_FIELD_NUMBER, FIELD(k),
     "with --x0: write this curve for every pair, as a control without people", .value = "K",
     .fallback = "nan", .minimum = -1e6, .maximum = 1e6, .needs = "x0"},
    {"x0", SL_FIELD_NUMBER, FIELD(x0), "with --k: the share at which the curve is one half",
     .fallback = "nan", .minimum = -1e6, .maximum = 1e6, .needs = "k"},
    {.name = NULL},
};
#undef FIELD

struct sl_mixing_job sl_mixing_job_default(void)
{
    struct sl_mixing_job job = {0};
    sl_fields_set_defaults(sl_mixing_job_options, &job);
    return job;
}

/* A pair without a fitted curve gets the identity, so the log counts such pairs. */
static void say_fitted(const struct sl_workplace *workplace,
                       const struct sl_mixing_functions *functions)
{
    const size_t n_classes = functions->n_classes;
    size_t n_fitted = 0, n_answers = 0;
    for (size_t i = 0; i < n_classes * n_classes; i++) {
        n_fitted += functions->pairs[i].fitted;
        n_answers += functions->pairs[i].n_answers;
    }
    const size_t n_pairs = n_classes * (n_classes - 1) / 2;
    const bool all = n_fitted == n_pairs;
    sl_log(workplace->log, all ? SL_LOG_INFO : SL_LOG_WARNING,
           "fitted curves: %zu of %zu class pair%s, answers: %zu%s", n_fitted, n_pairs,
           sl_text_plural(n_pairs, "", "s"), n_answers,
           all ? "" : "; the identity is used for the rest");
}

static enum sl_status check_mixing(const struct sl_mixing_job *job, struct sl_error *err)
{
    if (!job->output) return sl_fail(err, SL_ERR_USAGE, "--output is missing: FILE.json");
    if (!job->answers) return sl_fail(err, SL_ERR_USAGE, "ANSWERS is missing");
    if (isnan(job->k) != isnan(job->x0))
        return sl_fail(err, SL_ERR_USAGE, "--k and --x0 are needed together");
    return SL_OK;
}

enum sl_status sl_mixing_job_run(const struct sl_mixing_job *job,
                                 const struct sl_workplace *workplace, struct sl_error *err)
{
    SL_TRY(check_mixing(job, err));
    struct sl_import_notes notes = {.log = workplace->log};
    struct sl_mix_options mix = sl_mix_options_default();
    struct sl_answers *answers = NULL;
    struct sl_mixing_functions *functions = NULL;
    struct sl_name_table *only = NULL;
    json_t *json = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_answers_read(job->answers, &answers, &notes, err));
    SL_TRY_OUT(sl_listed_items_read(workplace, job->only, answers, &only, err));
    mix.only = only;
    if (!isnan(job->k))
        SL_TRY_OUT(sl_mixing_constant((const char *const *)answers->classes, answers->n_classes,
                                      (struct sl_logistic){job->k, job->x0}, &functions, err));
    else
        SL_TRY_OUT(sl_mixing_fit(answers, &mix, &functions, err));
    json = sl_mixing_to_json(functions);
    SL_TRY_OUT(sl_json_write(json, job->output, err));
    if (isnan(job->k)) say_fitted(workplace, functions);
out:
    json_decref(json);
    sl_mixing_functions_destroy(functions);
    sl_answers_destroy(answers);
    sl_name_table_destroy(only);
    return status;
}

static void find_mode(const void *raw, char *const *arguments, size_t n_arguments,
                      struct sl_option_mode *out)
{
    (void)arguments;
    (void)n_arguments;
    const struct sl_mixing_job *job = raw;
    *out = isnan(job->k) ? (struct sl_option_mode){FITTED, .name = "fitted curves"}
                         : (struct sl_option_mode){GIVEN, .name = "--k"};
}

static enum sl_status run_mixing(const void *raw, const struct sl_task_call *call, json_t **result,
                                 struct sl_error *err)
{
    (void)result;
    struct sl_mixing_job job = *(const struct sl_mixing_job *)raw;
    job.answers = call->n_arguments > 0 ? call->arguments[0] : NULL;
    return sl_mixing_job_run(&job, call->workplace, err);
}

const struct sl_task sl_mixing_task = {
    .name = "mixing",
    .options = sl_mixing_job_options,
    .size = sizeof(struct sl_mixing_job),
    .mode = find_mode,
    .most_arguments = 1,
    .run = run_mixing,
};
