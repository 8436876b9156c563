#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/nn.h"
#include "softlab/nn/weights.h"

struct export_values {
    const char *output, *network, *input, *init, *class_names;
    int64_t classes, seed;
    struct sl_real_list mean, deviation;
};

static const char *init_names(size_t index)
{
    static const char *const names[] = {"paper", "pytorch", NULL};
    return names[index];
}

enum { READS = 1, DRAWS = 2 };

static void export_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)values;
    *out = cli->n_arguments > 0 ? (struct sl_option_mode){READS, .name = "WEIGHTS"}
                                : (struct sl_option_mode){DRAWS, .name = "first values"};
}

static const char *const export_samples[] = {"w.safetensors -o w.onnx",
                                             "--network resnet8 -o w.onnx", NULL};

#define AT(field) .offset = offsetof(struct export_values, field)
static const struct sl_field_row export_options[] = {
    {"output", SL_FIELD_OUTPUT, AT(output), "the file to write: x.onnx or x.safetensors",
     .letter = 'o', .suffixes = ".onnx .safetensors"},
    {"network", SL_FIELD_WORD, AT(network),
     "the network, if WEIGHTS do not name it, as PyTorch's do not", .letter = 'n',
     .value = "NETWORK", .names = sl_network_names},
    {"classes", SL_FIELD_INTEGER, AT(classes), "with --network: number of classes", .letter = 'k',
     .fallback = "10", .minimum = 1, .maximum = 1e6, .needs = "network"},
    {"class-names", SL_FIELD_WORD, AT(class_names),
     "names of the classes, in the order of the network's outputs, for WEIGHTS that have "
     "none or other ones",
     .value = "NAME,..."},
    {"input", SL_FIELD_WORD, AT(input), "with --network: " CLI_INPUT_HELP, .letter = 'i',
     .value = "CxHxW", .needs = "network"},
    {"mean", SL_FIELD_REALS, AT(mean),
     "with --network: mean of each channel, which a normalising layer subtracts (pixels are 0 to "
     "1)",
     .value = "X,...", .minimum = -1e9, .maximum = 1e9, .needs = "network"},
    {"deviation", SL_FIELD_REALS, AT(deviation),
     "with --network: standard deviation of each channel, which it divides by", .value = "X,...",
     .minimum = 1e-9, .maximum = 1e9, .needs = "network"},
    {"init", SL_FIELD_CHOICE, AT(init),
     "without WEIGHTS: initial weights as the network's paper drew them, or as PyTorch does",
     .value = "RULE", .fallback = "paper", .names = init_names, .modes = DRAWS},
    {"seed", SL_FIELD_INTEGER, AT(seed), "without WEIGHTS: seed of the initial weights",
     .letter = 's', .fallback = "1", .minimum = 0, .maximum = 9007199254740992.0, .modes = DRAWS},
    {.name = NULL},
};
#undef AT

static const struct cli_argument export_arguments[] = {
    {.name = "WEIGHTS",
     .help = "a safetensors file of softlab or PyTorch, or a run's folder; without it, initial "
             "weights are drawn",
     .kind = SL_FIELD_PATH,
     .optional = true},
    {.name = NULL},
};

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

static enum sl_status make_model(const struct export_values *values, struct sl_model **out,
                                 struct sl_error *err)
{
    float mean[SL_FIELD_LIST_MAX], deviation[SL_FIELD_LIST_MAX];
    struct sl_model_options options = sl_model_options_default();
    options.network = values->network;
    options.classes = (size_t)values->classes;
    options.seed = (uint64_t)values->seed;
    options.init = strcmp(values->init, "pytorch") == 0 ? SL_INIT_PYTORCH : SL_INIT_PAPER;
    SL_TRY(cli_read_input(values->input, values->network, &options.input, err));
    const size_t channels = options.input.channels;
    SL_TRY(channel_values("mean", &values->mean, channels, mean, &options.mean, err));
    SL_TRY(channel_values("deviation", &values->deviation, channels, deviation, &options.deviation,
                          err));
    return sl_model_create(&options, out, err);
}

static enum sl_status open_model(const struct export_values *values, const char *weights,
                                 struct sl_model **out, struct sl_error *err)
{
    if (!values->network) return sl_run_open_weights(weights, out, err);
    struct sl_model *model = NULL;
    SL_TRY(make_model(values, &model, err));
    char *file = NULL;
    enum sl_status status = weights ? sl_run_find_weights(weights, &file, err) : SL_OK;
    if (status == SL_OK && file) status = sl_weights_read(file, model, err);
    free(file);
    if (status == SL_OK)
        *out = model;
    else
        sl_model_destroy(model);
    return status;
}

static enum sl_status name_classes(const struct cli *cli, const struct export_values *values,
                                   const char *weights, struct sl_model *model,
                                   struct sl_error *err)
{
    if (!values->class_names) {
        if (weights && !sl_model_class_names(model))
            sl_log(&cli->log, SL_LOG_WARNING,
                   "%s does not name its classes; name them with --class-names", weights);
        return SL_OK;
    }
    char **names = sl_text_split(values->class_names);
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

static enum sl_status export_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct export_values *values = raw;
    const char *weights = cli->n_arguments ? cli->arguments[0] : NULL;
    if (!values->output) return sl_fail(err, SL_ERR_USAGE, "say what to write with -o FILE");
    const bool onnx = sl_path_has_suffix(values->output, ".onnx");
    if (!weights && !values->network)
        return sl_fail(err, SL_ERR_USAGE, "name a file of WEIGHTS, or a --network to begin");
    struct sl_model *model = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(open_model(values, weights, &model, err));
    SL_TRY_OUT(name_classes(cli, values, weights, model, err));
    if (onnx)
        SL_TRY_OUT(sl_onnx_write(values->output, model, err));
    else
        SL_TRY_OUT(sl_weights_write(values->output, model, NULL, 0, err));
    char count[32];
    sl_log(&cli->log, SL_LOG_INFO, "%s: %s, %s parameter%s", cli_shown(cli, values->output),
           sl_model_spec(model), sl_text_count(sl_model_n_values(model), count, sizeof count),
           sl_text_plural(sl_model_n_values(model), "", "s"));
out:
    sl_model_destroy(model);
    return status;
}

static const struct cli_example export_examples[] = {
    {"softlab export weights.safetensors -o net.onnx", "for ONNX Runtime, browsers and phones"},
    {"softlab export runs/x -o net.onnx", "the same of a run"},
    {"softlab export torch.safetensors --network vgg11 --classes 3 --class-names cat,dog,ship "
     "-o vgg11.onnx",
     "a state_dict that PyTorch saved, and what its outputs mean"},
    {"softlab export --network resnet34a --seed 3 -o start.safetensors",
     "first values, to begin the same training elsewhere"},
    {NULL, NULL},
};

const struct cli_command cmd_export = {
    .name = "export",
    .also = "onnx torch pytorch safetensors save",
    .group = "learn",
    .summary = "convert weights to ONNX, or to a PyTorch state_dict in safetensors",
    .description =
        "Reads weights and writes them in another form, with the names of their classes. Every "
        "tensor is checked: one that is missing, extra, of another shape, or holds NaN or infinity "
        "is named, and nothing is written.",
    .arguments = export_arguments,
    .options = export_options,
    .examples = export_examples,
    .values_size = sizeof(struct export_values),
    .mode = export_mode,
    .samples = export_samples,
    .run = export_run,
};
