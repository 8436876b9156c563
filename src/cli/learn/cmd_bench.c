#include <math.h>

#include "cmd.h"
#include "softlab/nn/timing.h"
#include "softlab/nn/tuning.h"

struct bench_values {
    struct sl_timing_options timing;
    size_t classes, rounds;
    const char *input, *tuning, *output;
    bool tune, json;
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
    {"batch", SL_FIELD_COUNT, AT(timing.batch), "items per step", .letter = 'b', .fallback = "32",
     .minimum = 1, .maximum = 65536},
    {"steps", SL_FIELD_COUNT, AT(timing.steps), "timed steps, after one that is not timed",
     .letter = 'n', .fallback = "10", .minimum = 1, .maximum = 1e6, .modes = TIMES},
    {"inference", SL_FIELD_BOOLEAN, AT(timing.inference),
     "time evaluation with folded batch norms in place of training", .modes = TIMES},
    {"layers", SL_FIELD_BOOLEAN, AT(timing.profile), "show where the time goes, layer by layer",
     .letter = 'l', .modes = TIMES},
    {"tune", SL_FIELD_BOOLEAN, AT(tune),
     "time every convolution kernel on every shape and write the table of the fastest"},
    {"rounds", SL_FIELD_COUNT, AT(rounds), "rounds of --tune; the best time of each kernel counts",
     .fallback = "5", .minimum = 1, .maximum = 1000, .needs = "tune"},
    {"output", SL_FIELD_OUTPUT, AT(output), "where --tune writes its table", .letter = 'o',
     .fallback = "tuning.json", .suffixes = ".json", .needs = "tune"},
    {"tuning", SL_FIELD_PATH, AT(tuning), "a table that --tune wrote; --tune adds to it"},
    {"classes", SL_FIELD_COUNT, AT(classes), "number of classes", .letter = 'k', .fallback = "10",
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

static void print_layers(const struct sl_timing *timing)
{
    struct cli_table table;
    cli_table_begin(&table, "lllrrl", "layer", "kind", "direction", "ms", "GFLOP/s", "kernel");
    for (size_t i = 0; i < timing->n_layers; i++) {
        const struct sl_profile_row *row = &timing->layers[i];
        const double seconds = sl_profile_seconds(row);
        if (!(seconds > 0)) continue; /* computed inside the layer before it */
        cli_table_add(
            &table, row->name, row->kind, row->direction, cli_real(&table, 1e3 * seconds, 3, ""),
            row->flops > 0 ? cli_real(&table, row->flops / seconds / 1e9, 1, "") : "", row->kernel);
    }
    cli_table_end(&table);
}

static void print_speed(const struct sl_timing *timing)
{
    printf("  %zu thread%s: %.1f ms (mean %.1f), %.0f items/s, %.1f GFLOP/s", timing->threads,
           sl_text_plural(timing->threads, "", "s"), 1e3 * timing->best, 1e3 * timing->mean,
           (double)timing->batch / timing->best, timing->flops / 1e9);
    const double peak = timing->fma_peak * (double)timing->threads;
    if (peak > 0) printf(", %.2f x the FMA peak of %.1f", timing->flops / peak, peak / 1e9);
    printf(", %.0f MB\n", (double)timing->memory / 1e6);
}

static void print_scaling(const struct sl_timing *one, const struct sl_timing *all)
{
    printf("  %.2f times as fast with %zu threads; %.1f %% of the work is serial, %.0f barriers "
           "per step; by Amdahl's law %.1f times on 8 cores, %.1f times on 16\n",
           one->best / all->best, all->threads, 100 * all->serial / one->mean, all->barriers,
           sl_timing_speedup(one, all, 8), sl_timing_speedup(one, all, 16));
}

/* Says what limits one thread. */
static void print_limits(const struct sl_timing *one)
{
    const struct sl_timing_shares shares = sl_timing_shares_of(one);
    const double all = one->mean;
    printf("  limits: multiplications %.0f %% of the time", 100 * shares.products / all);
    if (one->fma_peak > 0 && shares.products > 0)
        printf(" (convolutions and other products, at %.2f x the FMA peak)",
               shares.product_flops / shares.products / one->fma_peak);
    printf(", memory %.0f %% (passes over maps), other %.0f %% (loss, clipping, SGD)\n",
           100 * shares.passes / all, 100 * fmax(0, 1 - (shares.products + shares.passes) / all));
}

static enum sl_status print_json(const struct sl_timing *one, const struct sl_timing *all,
                                 struct sl_error *err)
{
    const struct sl_timing_shares shares = sl_timing_shares_of(one);
    json_t *json = sl_timing_json(all ? all : one);
    json_object_set_new(json, "product_share", json_real(shares.products / one->mean));
    json_object_set_new(json, "pass_share", json_real(shares.passes / one->mean));
    if (all) {
        json_object_set_new(json, "one_thread", sl_timing_json(one));
        json_object_set_new(json, "speedup_8_cores", json_real(sl_timing_speedup(one, all, 8)));
        json_object_set_new(json, "speedup_16_cores", json_real(sl_timing_speedup(one, all, 16)));
    }
    return cli_print_json(json, err);
}

/* `all` is NULL if there is one thread only. */
static enum sl_status print_timing(const struct bench_values *values, const struct sl_timing *one,
                                   const struct sl_timing *all, struct sl_error *err)
{
    if (values->json) return print_json(one, all, err);
    if (values->timing.profile) print_layers(all ? all : one);
    printf("%s, batch %zu, %s\n", sl_model_network(one->model), one->batch,
           one->training ? "training" : "inference");
    print_speed(one);
    if (all) print_speed(all);
    if (all) print_scaling(one, all);
    print_limits(one);
    return SL_OK;
}

static enum sl_status measure(struct cli *cli, const struct bench_values *values,
                              const struct sl_model_options *model, const struct sl_tuning *tuning,
                              struct sl_error *err)
{
    struct sl_timing_options options = values->timing;
    const bool several = sl_pool_threads(cli->workplace.pool) > 1;
    struct sl_timing one = {0}, all = {0};
    enum sl_status status = SL_OK;
    options.tuning = tuning;
    options.progress = &cli->progress;
    options.profile = true;
    SL_TRY_OUT(sl_network_time(model, &options, &one, err));
    options.pool = cli->workplace.pool;
    if (several) SL_TRY_OUT(sl_network_time(model, &options, &all, err));
    status = print_timing(values, &one, several ? &all : NULL, err);
out:
    sl_timing_release(&one);
    sl_timing_release(&all);
    return status;
}

static enum sl_status tune(struct cli *cli, const struct bench_values *values,
                           const struct sl_model_options *options, struct sl_tuning **tuning,
                           struct sl_error *err)
{
    struct sl_model *model = NULL;
    SL_TRY(sl_model_create(options, &model, err));
    const enum sl_status status =
        sl_tuning_measure(model, values->timing.batch, values->rounds, &cli->log, tuning, err);
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
    options.classes = values->classes;
    if (sl_network_reads_texts(options.network))
        return sl_fail(err, SL_ERR_USAGE,
                       "%s reads texts, and only networks that read images or rows are timed",
                       options.network);
    SL_TRY(cli_read_input(values->input, options.network, &options.input, err));
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
        "on random items, with one thread and with all, and says what limits the speed. Shares "
        "are of the fused multiply-adds that the cores can do in registers, measured in the same "
        "run and counting a direct convolution's operations: Winograd's kernels need fewer, so "
        "that more than 1 is possible.\n\nA table of tuning says "
        "which kernel runs which convolution; the one that is shipped was measured on AVX2. Runs "
        "with different tables differ in the last bits.",
    .arguments = bench_arguments,
    .options = bench_options,
    .examples = bench_examples,
    .threads = true,
    .values_size = sizeof(struct bench_values),
    .mode = bench_mode,
    .samples = bench_samples,
    .run = bench_run,
};
