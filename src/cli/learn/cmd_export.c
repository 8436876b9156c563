#include "cmd.h"

struct export_values {
    struct sl_export_job job;
    const char *input;
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

#define AT(field) .offset = offsetof(struct export_values, job.field)
static const struct sl_field_row export_options[] = {
    {"output", SL_FIELD_OUTPUT, AT(output), "the file to write: x.onnx or x.safetensors",
     .letter = 'o', .suffixes = ".onnx .safetensors"},
    {"network", SL_FIELD_WORD, AT(network),
     "the network, if WEIGHTS do not name it, as PyTorch's do not", .letter = 'n',
     .value = "NETWORK", .names = sl_network_names},
    {"classes", SL_FIELD_COUNT, AT(classes), "with --network: number of classes", .letter = 'k',
     .fallback = "10", .minimum = 1, .maximum = 1e6, .needs = "network"},
    {"class-names", SL_FIELD_WORD, AT(class_names),
     "names of the classes, in the order of the network's outputs, for WEIGHTS that have "
     "none or other ones",
     .value = "NAME,..."},
    {"input", SL_FIELD_WORD, .offset = offsetof(struct export_values, input),
     "with --network: " CLI_INPUT_HELP, .letter = 'i', .value = "CxHxW", .needs = "network"},
    {"mean", SL_FIELD_REALS, AT(mean),
     "with --network: mean of each channel, which a normalising layer subtracts (pixels are 0 to "
     "1)",
     .value = "X,...", .minimum = -1e9, .maximum = 1e9, .needs = "network"},
    {"deviation", SL_FIELD_REALS, AT(deviation),
     "with --network: standard deviation of each channel, which it divides by", .value = "X,...",
     .minimum = 1e-9, .maximum = 1e9, .needs = "network"},
    {"init", SL_FIELD_ENUM, AT(init),
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

static enum sl_status export_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct export_values *values = raw;
    struct sl_export_job job = values->job;
    job.weights = cli->n_arguments ? cli->arguments[0] : NULL;
    if (!job.output) return sl_fail(err, SL_ERR_USAGE, "say what to write with -o FILE");
    if (!job.weights && !job.network)
        return sl_fail(err, SL_ERR_USAGE, "name a file of WEIGHTS, or a --network to begin");
    if (job.network) SL_TRY(cli_read_input(values->input, job.network, &job.input, err));
    return sl_export_job_run(&job, &cli->workplace, err);
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
