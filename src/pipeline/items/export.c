#include <stdlib.h>

#include "softlab/base/file.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"
#include "softlab/nn/weights.h"
#include "softlab/pipeline/weights.h"

/* One number per channel, or none at all. */
static enum sl_status channel_values(const char *option, const struct sl_real_list *reals,
                                     size_t channels, float *values, const float **out,
                                     struct sl_error *err)
{
    if (reals->count == 0) return SL_OK;
    if (reals->count != channels)
        return sl_fail(err, SL_ERR_USAGE, "--%s: %zu number%s for %zu channel%s", option,
                       reals->count, sl_text_plural(reals->count, "", "s"), channels,
                       sl_text_plural(channels, "", "s"));
    for (size_t i = 0; i < channels; i++)
        values[i] = (float)reals->values[i];
    *out = values;
    return SL_OK;
}

static enum sl_status make_model(const struct sl_export_job *job, struct sl_model **out,
                                 struct sl_error *err)
{
    float mean[SL_FIELD_LIST_MAX], deviation[SL_FIELD_LIST_MAX];
    struct sl_model_options options = sl_model_options_default();
    options.network = job->network;
    options.classes = job->classes;
    options.input = job->input;
    options.init = job->init;
    options.seed = job->seed;
    const size_t channels = options.input.channels;
    SL_TRY(channel_values("mean", &job->mean, channels, mean, &options.mean, err));
    SL_TRY(
        channel_values("deviation", &job->deviation, channels, deviation, &options.deviation, err));
    return sl_model_create(&options, out, err);
}

static enum sl_status open_model(const struct sl_export_job *job, struct sl_model **out,
                                 struct sl_error *err)
{
    if (!job->network) return sl_run_open_weights(job->weights, out, err);
    struct sl_model *model = NULL;
    SL_TRY(make_model(job, &model, err));
    char *file = NULL;
    enum sl_status status = job->weights ? sl_run_find_weights(job->weights, &file, err) : SL_OK;
    if (status == SL_OK && file) status = sl_weights_read(file, model, err);
    free(file);
    if (status == SL_OK)
        *out = model;
    else
        sl_model_destroy(model);
    return status;
}

static enum sl_status name_classes(const struct sl_export_job *job,
                                   const struct sl_workplace *workplace, struct sl_model *model,
                                   struct sl_error *err)
{
    if (!job->class_names) {
        if (job->weights && !sl_model_class_names(model))
            sl_log(workplace->log, SL_LOG_WARNING,
                   "%s does not name its classes; name them with --class-names", job->weights);
        return SL_OK;
    }
    char **names = sl_text_split(job->class_names);
    size_t count = 0;
    while (names[count])
        count++;
    enum sl_status status =
        count == sl_model_classes(model)
            ? sl_model_set_class_names(model, names, err)
            : sl_fail(err, SL_ERR_USAGE, "%zu name%s, the network has %zu class%s", count,
                      sl_text_plural(count, "", "s"), sl_model_classes(model),
                      sl_text_plural(sl_model_classes(model), "", "es"));
    if (status != SL_OK) sl_fail_within(err, status, "--class-names");
    sl_names_destroy(names);
    return status;
}

enum sl_status sl_export_job_run(const struct sl_export_job *job,
                                 const struct sl_workplace *workplace, struct sl_error *err)
{
    struct sl_model *model = NULL;
    enum sl_status status = SL_OK;
    char count[32];
    SL_TRY_OUT(open_model(job, &model, err));
    SL_TRY_OUT(name_classes(job, workplace, model, err));
    if (sl_path_has_suffix(job->output, ".onnx"))
        SL_TRY_OUT(sl_onnx_write(job->output, model, err));
    else
        SL_TRY_OUT(sl_weights_write(job->output, model, NULL, 0, err));
    sl_log(workplace->log, SL_LOG_INFO, "%s: %s, %s parameter%s",
           sl_workplace_shown(workplace, job->output), sl_model_spec(model),
           sl_text_count(sl_model_n_values(model), count, sizeof count),
           sl_text_plural(sl_model_n_values(model), "", "s"));
out:
    sl_model_destroy(model);
    return status;
}
