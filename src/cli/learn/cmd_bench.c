#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/nn.h"
#include "softlab/nn/loss.h"
#include "softlab/nn/optimiser.h"
#include "softlab/nn/tuning.h"

struct bench_values {
    int64_t batch, steps, classes, rounds;
    const char *input, *tuning, *output;
    bool inference, layers, tune, json;
};

enum { TIMES = 1, TUNES = 2 };

static void bench_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct bench_values *options = values;
    *out = options->tune ? (struct sl_option_mode){TUNES, .name = "--tune"}
                         : (struct sl_option_mode){TIMES, .name = "a network that is timed"};
}

static const char *const bench_samples[] = {"resnet8", "--tune resnet8", NULL};

#define AT(field) .offset = offsetof(struct bench_values, field)
static const struct sl_field_row bench_options[] = {
    {"batch", SL_FIELD_INTEGER, AT(batch), "items per step", .letter = 'b', .fallback = "32",
     .minimum = 1, .maximum = 65536},
    {"steps", SL_FIELD_INTEGER, AT(steps), "timed steps, after one that is not timed",
     .letter = 'n', .fallback = "10", .minimum = 1, .maximum = 1e6, .modes = TIMES},
    {"inference", SL_FIELD_BOOLEAN, AT(inference),
     "time evaluation with folded batch norms in place of training", .modes = TIMES},
    {"layers", SL_FIELD_BOOLEAN, AT(layers), "show where the time goes, layer by layer",
     .letter = 'l', .modes = TIMES},
    {"tune", SL_FIELD_BOOLEAN, AT(tune),
     "time every convolution kernel on every shape and write the table of the fastest"},
    {"rounds", SL_FIELD_INTEGER, AT(rounds),
     "rounds of --tune; the best time of each kernel counts", .fallback = "5", .minimum = 1,
     .maximum = 1000, .needs = "tune"},
    {"output", SL_FIELD_OUTPUT, AT(output), "where --tune writes its table", .letter = 'o',
     .fallback = "tuning.json", .suffixes = ".json", .needs = "tune"},
    {"tuning", SL_FIELD_PATH, AT(tuning), "a table that --tune wrote; --tune adds to it"},
    {"classes", SL_FIELD_INTEGER, AT(classes), "number of classes", .letter = 'k', .fallback = "10",
     .minimum = 1, .maximum = 1e6},
    {"input", SL_FIELD_WORD, AT(input),
     "channels, height and width of an image, or the number of features of a row", .letter = 'i',
     .value = "CxHxW", .fallback = "3x32x32"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the figures as JSON", .modes = TIMES},
    {.name = NULL},
};
#undef AT

static const struct cli_argument bench_arguments[] = {
    {.name = "NETWORK",
     .help = "a name from softlab models, or a family with options",
     .kind = SL_FIELD_WORD,
     .choices = sl_network_names,
     .optional = true},
    {.name = NULL},
};

/* One network on the bench: random images and labels, which cost as much as real ones. */
struct bench {
    struct sl_model *model;
    struct sl_plan *plan;
    float *pixels, *targets, *gradient, *velocity;
    size_t batch;
    bool training;
    double best, total; /* seconds of a step */
};

static void bench_release(struct bench *bench)
{
    sl_plan_destroy(bench->plan);
    sl_model_destroy(bench->model);
    free(bench->pixels);
    free(bench->targets);
    free(bench->gradient);
    free(bench->velocity);
}

static void fill(struct bench *bench, size_t n_pixels, size_t classes)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "bench", 0, 0);
    for (size_t i = 0; i < n_pixels; i++)
        bench->pixels[i] = (float)sl_rng_uniform(&rng);
    for (size_t i = 0; i < bench->batch; i++)
        bench->targets[i * classes + sl_rng_below(&rng, classes)] = 1;
}

static enum sl_status bench_open(const struct bench_values *values,
                                 const struct sl_model_options *options,
                                 const struct sl_tuning *tuning, struct bench *bench,
                                 struct sl_error *err)
{
    const struct sl_input_shape *input = &options->input;
    const size_t n_pixels = (size_t)values->batch * input->channels * input->height * input->width;
    bench->batch = (size_t)values->batch;
    bench->training = !values->inference;
    SL_TRY(sl_model_create(options, &bench->model, err));
    const struct sl_plan_options plan = {
        .batch = bench->batch,
        .training = bench->training,
        .tuning = tuning,
        .profile = values->layers,
    };
    SL_TRY(sl_plan_create(bench->model, &plan, &bench->plan, err));
    bench->pixels = sl_alloc(n_pixels, sizeof *bench->pixels);
    bench->targets = sl_alloc(bench->batch * options->classes, sizeof *bench->targets);
    bench->gradient = sl_alloc(bench->batch * options->classes, sizeof *bench->gradient);
    bench->velocity = sl_alloc(sl_model_n_values(bench->model), sizeof *bench->velocity);
    fill(bench, n_pixels, options->classes);
    return SL_OK;
}

static void step(struct bench *bench, bool first)
{
    const struct sl_batch batch = {.pixels = bench->pixels};
    const size_t classes = sl_model_classes(bench->model), n = sl_model_n_values(bench->model);
    const float *logits = sl_plan_forward(bench->plan, &batch);
    if (!bench->training) return;
    const struct sl_soft_targets targets = {
        .rows = bench->targets, .n = bench->batch, .classes = classes};
    sl_soft_cross_entropy(logits, &targets, 1.0F / (float)bench->batch, NULL, bench->gradient);
    sl_plan_backward(bench->plan, bench->gradient);
    const float *gradients = sl_plan_gradients(bench->plan);
    const double norm = sl_flat_norm(gradients, n);
    const struct sl_sgd sgd = {
        .rate = .01F,
        .momentum = .9F,
        .weight_decay = 1e-4F,
        .first = first,
        .gradient_scale = norm > 1 ? (float)(1 / norm) : 1,
    };
    sl_sgd_step(&sgd, sl_model_values(bench->model), gradients, bench->velocity, n);
    sl_model_touch(bench->model);
}

static void time_steps(struct cli *cli, struct bench *bench, size_t steps)
{
    sl_progress_start(&cli->progress, bench->training ? "training" : "evaluating", steps, "steps");
    step(bench, true);
    for (size_t i = 0; i < steps; i++) {
        const double start = sl_clock_seconds();
        step(bench, false);
        const double seconds = sl_clock_seconds() - start;
        if (i == 0 || seconds < bench->best) bench->best = seconds;
        bench->total += seconds;
        sl_progress_set(&cli->progress, i + 1);
    }
    sl_progress_finish(&cli->progress);
}

/* What a layer and direction took per step. */
static double row_seconds(const struct sl_profile_row *row)
{
    return row->runs ? row->seconds / (double)row->runs : 0;
}

static json_t *layers_json(const struct sl_plan *plan)
{
    size_t count;
    const struct sl_profile_row *rows = sl_plan_profile(plan, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        if (rows[i].runs)
            json_array_append_new(list,
                                  json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "layer", rows[i].name,
                                            "kind", rows[i].kind, "direction", rows[i].direction,
                                            "kernel", rows[i].kernel, "seconds",
                                            row_seconds(&rows[i]), "flops", rows[i].flops));
    return list;
}

static void print_layers(const struct sl_plan *plan)
{
    size_t count;
    const struct sl_profile_row *rows = sl_plan_profile(plan, &count);
    struct cli_table table;
    cli_table_begin(&table, "lllrrl", "layer", "kind", "direction", "ms", "GFLOP/s", "kernel");
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].runs || row_seconds(&rows[i]) < 1e-6) continue;
        const double seconds = row_seconds(&rows[i]), flops = rows[i].flops;
        cli_table_add(&table, rows[i].name, rows[i].kind, rows[i].direction,
                      cli_real(&table, 1e3 * seconds, 3, ""),
                      flops > 0 ? cli_real(&table, flops / seconds / 1e9, 1, "") : "",
                      rows[i].kernel);
    }
    cli_table_end(&table);
}

static enum sl_status report(const struct bench_values *values, const char *network,
                             const struct bench *bench, double peak, struct sl_error *err)
{
    const double passes = bench->training ? 3 : 1; /* forward, two gradients */
    const double flops = 2 * passes * (double)sl_model_multiply_adds(bench->model) *
                         (double)bench->batch / bench->best;
    const double memory = (double)sl_plan_memory(bench->plan);
    if (values->json) {
        json_t *out = json_pack(
            "{s:s, s:b, s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "network", network, "training",
            (int)bench->training, "batch", (json_int_t)bench->batch, "seconds", bench->best,
            "mean_seconds", bench->total / (double)values->steps, "items_per_second",
            (double)bench->batch / bench->best, "flops", flops, "fma_peak", peak, "memory", memory);
        if (values->layers) json_object_set_new(out, "layers", layers_json(bench->plan));
        return cli_print_json(out, err);
    }
    if (values->layers) print_layers(bench->plan);
    printf("%s, batch %zu, %s: %.1f ms (mean %.1f), %.0f items/s, %.1f GFLOP/s", network,
           bench->batch, bench->training ? "training" : "inference", 1e3 * bench->best,
           1e3 * bench->total / (double)values->steps, (double)bench->batch / bench->best,
           flops / 1e9);
    if (peak > 0) printf(", %.2f x the FMA peak of %.1f", flops / peak, peak / 1e9);
    printf(", %.0f MB\n", memory / 1e6);
    return SL_OK;
}

static enum sl_status measure(struct cli *cli, const struct bench_values *values,
                              const struct sl_model_options *options,
                              const struct sl_tuning *tuning, struct sl_error *err)
{
    struct bench bench = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(bench_open(values, options, tuning, &bench, err));
    const double before = sl_fma_peak();
    time_steps(cli, &bench, (size_t)values->steps);
    const double after = sl_fma_peak();
    status = report(values, options->network, &bench, before > after ? before : after, err);
out:
    bench_release(&bench);
    return status;
}

static enum sl_status tune(struct cli *cli, const struct bench_values *values,
                           const struct sl_model_options *options, struct sl_tuning **tuning,
                           struct sl_error *err)
{
    struct sl_model *model = NULL;
    SL_TRY(sl_model_create(options, &model, err));
    const enum sl_status status = sl_tuning_measure(model, (size_t)values->batch,
                                                    (size_t)values->rounds, &cli->log, tuning, err);
    sl_model_destroy(model);
    if (status != SL_OK) return status;
    return sl_tuning_write(values->output, *tuning, err);
}

static enum sl_status bench_run(struct cli *cli, const void *raw, struct sl_error *err)
{
    const struct bench_values *values = raw;
    struct sl_model_options options = sl_model_options_default();
    struct sl_tuning *tuning = NULL;
    enum sl_status status = SL_OK;
    options.network = cli->n_arguments ? cli->arguments[0] : "resnet34a";
    options.classes = (size_t)values->classes;
    if (sl_network_reads_texts(options.network))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s reads texts, and only networks that read images or rows are timed",
                       options.network);
    SL_TRY(cli_read_shape(values->input, &options.input, err));
    if (values->tuning) SL_TRY(sl_tuning_read(values->tuning, &tuning, err));
    if (values->tune)
        status = tune(cli, values, &options, &tuning, err);
    else
        status = measure(cli, values, &options, tuning, err);
    sl_tuning_destroy(tuning);
    return status;
}

static const struct cli_example bench_examples[] = {
    {"softlab bench resnet34a", "images per second, and how far that is from this core's limit"},
    {"softlab bench --layers vgg11", "which layer takes how long, and which kernel runs it"},
    {"softlab bench --tune resnet50 -o tuning.json", "choose kernels for this machine"},
    {NULL, NULL},
};

const struct cli_command cmd_bench = {
    .name = "bench",
    .also = "benchmark speed time profile",
    .group = "learn",
    .summary = "measure how fast a network trains on this machine, and where the time goes",
    .description =
        "Times training steps (forward, loss, backward, clipping, SGD) or evaluation of a network "
        "on random items, on one core. Shares are of the fused multiply-adds that the core can do "
        "in registers, measured in the same run and counting a direct convolution's operations: "
        "Winograd's kernels need fewer, so that more than 1 is possible.\n\nA table of tuning says "
        "which kernel runs which convolution; the one that is shipped was measured on AVX2. Runs "
        "with different tables differ in the last bits.",
    .arguments = bench_arguments,
    .options = bench_options,
    .examples = bench_examples,
    .values_size = sizeof(struct bench_values),
    .mode = bench_mode,
    .samples = bench_samples,
    .run = bench_run,
};
