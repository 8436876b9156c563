#include "cmd.h"

struct export_values {
    struct sl_export_job job;
    const char *input;
    struct sl_share_job share; /* of labels and predictions */
};

static const char *init_names(size_t index)
{
    static const char *const names[] = {"paper", "pytorch", NULL};
    return names[index];
}

static const char *target_names(size_t index)
{
    static const char *const names[] = {"weights", "label-studio", "cleanlab", NULL};
    return names[index]; /* enum sl_share_target */
}

enum { READS = 1, DRAWS = 2, STUDIO = 4, CLEANLAB = 8, WEIGHTS = READS | DRAWS };

static void export_mode(const struct cli *cli, const void *raw, struct sl_option_mode *out)
{
    const struct export_values *values = raw;
    if (values->share.target == SL_SHARE_LABEL_STUDIO)
        *out = (struct sl_option_mode){STUDIO, .name = "--to label-studio"};
    else if (values->share.target == SL_SHARE_CLEANLAB)
        *out = (struct sl_option_mode){CLEANLAB, .name = "--to cleanlab"};
    else
        *out = cli->n_arguments > 0 ? (struct sl_option_mode){READS, .name = "WEIGHTS"}
                                    : (struct sl_option_mode){DRAWS, .name = "first values"};
}

static const char *const export_samples[] = {
    "w.safetensors -o w.onnx", "--network resnet8 -o w.onnx",
    "--to label-studio p.csv -o tasks.json", "--to cleanlab p.csv -o cleanlab.npz", NULL};

#define AT(field)    .offset = offsetof(struct export_values, job.field)
#define SHARE(field) .offset = offsetof(struct export_values, share.field)
static const struct sl_field_row export_options[] = {
    {"output", SL_FIELD_OUTPUT, AT(output),
     "the file to write: x.onnx or x.safetensors; x.json for label-studio; x.npz or x.npy for "
     "cleanlab",
     .letter = 'o', .suffixes = ".onnx .safetensors .json .npz .npy"},
    {"to", SL_FIELD_ENUM, SHARE(target),
     "what to write: weights, or labels or predictions for another tool", .letter = 't',
     .value = "TOOL", .fallback = "weights", .names = target_names},
    {"field", SL_FIELD_WORD, SHARE(field),
     "of label-studio: the member of a task's data that holds the item's name", .value = "NAME",
     .fallback = "image", .modes = STUDIO},
    {"control", SL_FIELD_WORD, SHARE(control),
     "of label-studio: the name of the Choices in the labelling interface", .value = "NAME",
     .fallback = "choice", .modes = STUDIO},
    {"object", SL_FIELD_WORD, SHARE(object),
     "of label-studio: the name of the Image or Text in the labelling interface (default: as "
     "--field)",
     .value = "NAME", .modes = STUDIO},
    {"labels", SL_FIELD_PATH, SHARE(labels),
     "of cleanlab: the given class of each item, as softlab labels --truth reads it, for the array "
     "labels",
     .value = "FILE", .modes = CLEANLAB},
    {"network", SL_FIELD_WORD, AT(network),
     "the network, if WEIGHTS do not name it, as PyTorch's do not", .letter = 'n',
     .value = "NETWORK", .names = sl_network_names, .modes = WEIGHTS},
    {"classes", SL_FIELD_COUNT, AT(classes), "with --network: number of classes", .letter = 'k',
     .fallback = "10", .minimum = 1, .maximum = 1e6, .modes = WEIGHTS, .needs = "network"},
    {"class-names", SL_FIELD_WORD, AT(class_names),
     "names of the classes, in the order of the network's outputs, for WEIGHTS that have "
     "none or other ones",
     .value = "NAME,...", .modes = WEIGHTS},
    {"input", SL_FIELD_WORD, .offset = offsetof(struct export_values, input),
     "with --network: " CLI_INPUT_HELP, .letter = 'i', .value = "CxHxW", .modes = WEIGHTS,
     .needs = "network"},
    {"mean", SL_FIELD_REALS, AT(mean),
     "with --network: mean of each channel, which a normalising layer subtracts (pixels are 0 to "
     "1)",
     .value = "X,...", .minimum = -1e9, .maximum = 1e9, .modes = WEIGHTS, .needs = "network"},
    {"deviation", SL_FIELD_REALS, AT(deviation),
     "with --network: standard deviation of each channel, which it divides by", .value = "X,...",
     .minimum = 1e-9, .maximum = 1e9, .modes = WEIGHTS, .needs = "network"},
    {"init", SL_FIELD_ENUM, AT(init),
     "without WEIGHTS: initial weights as the network's paper drew them, or as PyTorch does",
     .value = "RULE", .fallback = "paper", .names = init_names, .modes = DRAWS},
    {"seed", SL_FIELD_INTEGER, AT(seed), "without WEIGHTS: seed of the initial weights",
     .letter = 's', .fallback = "1", .minimum = 0, .maximum = 9007199254740992.0, .modes = DRAWS},
    {.name = NULL},
};
#undef SHARE
#undef AT

static const struct cli_argument export_arguments[] = {
    {.name = "WEIGHTS",
     .help = "a safetensors file of softlab or PyTorch, or a run's folder; without it, initial "
             "weights are drawn. With --to, a file of labels or predictions",
     .kind = SL_FIELD_PATH,
     .optional = true},
    {.name = NULL},
};

static enum sl_status export_rows(const struct export_values *values, const char *rows,
                                  const struct cli *cli, struct sl_error *err)
{
    struct sl_share_job job = values->share;
    if (!rows) return sl_fail(err, SL_ERR_USAGE, "name a file of labels or predictions");
    job.rows = rows;
    job.output = values->job.output;
    return sl_share_job_run(&job, &cli->workplace, err);
}

static enum sl_status export_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct export_values *values = raw;
    struct sl_export_job job = values->job;
    job.weights = cli->n_arguments ? cli->arguments[0] : NULL;
    if (!job.output) return sl_fail(err, SL_ERR_USAGE, "say what to write with -o FILE");
    if (values->share.target != SL_SHARE_NONE) return export_rows(values, job.weights, cli, err);
    SL_TRY(sl_path_check_suffix("output", job.output, ".onnx .safetensors", err));
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
    {"softlab export predictions.npz --to label-studio --field text --control sentiment -o "
     "tasks.json",
     "tasks with a prediction each, to import into Label Studio"},
    {"softlab export predictions.npz --to cleanlab --labels given.csv -o cleanlab.npz",
     "pred_probs and labels, as cleanlab's find_label_issues takes them"},
    {NULL, NULL},
};

const struct cli_command cmd_export = {
    .name = "export",
    .also = "onnx torch pytorch safetensors save labelstudio cleanlab",
    .group = "learn",
    .summary = "convert weights to ONNX or safetensors, and predictions for other tools",
    .description =
        "Reads weights and writes them in another form, with the names of their classes. Every "
        "tensor is checked: one that is missing, extra, of another shape, or holds NaN or infinity "
        "is named, and nothing is written. With --to, reads labels or predictions and writes them "
        "for Label Studio or cleanlab.",
    .arguments = export_arguments,
    .options = export_options,
    .examples = export_examples,
    .values_size = sizeof(struct export_values),
    .mode = export_mode,
    .samples = export_samples,
    .run = export_run,
};
