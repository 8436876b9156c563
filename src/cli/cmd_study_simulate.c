#include <math.h>
#include <stdlib.h>

#include "cmd.h"
#include "softlab/study.h"

struct simulate_values {
    const char *study, *truth;
    int64_t annotators, at_once, seed;
    double speed, rate, noise, slips, patience;
    bool no_images, test, json;
};

#define AT(field) .offset = offsetof(struct simulate_values, field)

static const struct cli_option simulate_options[] = {
    {.name = "study",
     .kind = CLI_PATH,
     .value = "FOLDER",
     AT(study),
     .help = "the study's folder: pages do not say which item they show, its database does; "
             "without it annotators agree on something made up"},
    {.name = "truth",
     .kind = CLI_PATH,
     .value = "FILE",
     AT(truth),
     .help = "labels to draw beliefs from; without it the items' own classes, 90 % sure"},
    {.name = "annotators",
     .letter = 'a',
     .kind = CLI_INTEGER,
     .value = "N",
     AT(annotators),
     .fallback = "50",
     .minimum = 1,
     .maximum = 1e6,
     .help = "how many come"},
    {.name = "at-once",
     .kind = CLI_INTEGER,
     .value = "N",
     AT(at_once),
     .fallback = "50",
     .minimum = 1,
     .maximum = 10000,
     .help = "how many are there at a time"},
    {.name = "speed",
     .kind = CLI_REAL,
     .value = "X",
     AT(speed),
     .fallback = "100",
     .minimum = 0,
     .maximum = 1e9,
     .help = "times as fast as people; 0 does not wait at all"},
    {.name = "rate",
     .kind = CLI_REAL,
     .value = "N",
     AT(rate),
     .fallback = "0",
     .minimum = 0,
     .maximum = 1e9,
     .help = "answers per second of all together, by a schedule, in place of --speed"},
    {.name = "noise",
     .kind = CLI_REAL,
     .value = "X",
     AT(noise),
     .fallback = ".05",
     .minimum = 0,
     .maximum = 100,
     .help = "how far beliefs wander: 1 / concentration of a Dirichlet"},
    {.name = "slips",
     .kind = CLI_REAL,
     .value = "P",
     AT(slips),
     .fallback = ".02",
     .minimum = 0,
     .maximum = 1,
     .help = "share of answers that are a slip"},
    {.name = "patience",
     .kind = CLI_REAL,
     .value = "S",
     AT(patience),
     .fallback = "60",
     .minimum = 0,
     .maximum = 1e6,
     .help = "seconds of asking in vain until an annotator goes"},
    {.name = "no-images",
     .kind = CLI_FLAG,
     AT(no_images),
     .help = "do not load the images that are shown"},
    {.name = "test", .kind = CLI_FLAG, AT(test), .help = "sessions that never count"},
    {.name = "seed",
     .kind = CLI_INTEGER,
     .value = "N",
     AT(seed),
     .fallback = "1",
     .minimum = 0,
     .maximum = 9e15,
     .help = "of people, beliefs, slips and times"},
    {.name = "json", .kind = CLI_FLAG, AT(json), .help = "the report as JSON"},
    {.name = NULL},
};

static const struct cli_argument simulate_arguments[] = {
    {.name = "URL", .help = "where softlab study serve hears annotators", .kind = CLI_TEXT},
    {.name = NULL},
};

static void add_count(struct cli_table *table, const char *name, size_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", count);
    cli_table_add(table, name, text);
}

static void add_real(struct cli_table *table, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", value);
    cli_table_add(table, name, isfinite(value) ? text : "-");
}

static void print_table(const struct sl_simulation_result *result)
{
    struct cli_table table;
    cli_table_init(&table, "lr");
    add_count(&table, "annotators finished", result->finished);
    add_count(&table, "refused", result->refused);
    add_count(&table, "lost", result->lost);
    add_count(&table, "answers saved", result->answers);
    add_count(&table, "retries", result->retries);
    add_real(&table, "seconds", result->seconds);
    add_real(&table, "answers per second", (double)result->answers / result->seconds);
    add_real(&table, "a save, median ms", result->p50_ms);
    add_real(&table, "a save, p99 ms", result->p99_ms);
    add_real(&table, "a save, slowest ms", result->worst_ms);
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static enum sl_status print_json(const struct cli *cli, const struct sl_simulation_result *result,
                                 struct sl_error *err)
{
    json_t *json =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "finished",
                  (json_int_t)result->finished, "refused", (json_int_t)result->refused, "lost",
                  (json_int_t)result->lost, "answers", (json_int_t)result->answers, "retries",
                  (json_int_t)result->retries, "seconds", result->seconds, "p50_ms",
                  cli_json_real(result->p50_ms), "p99_ms", cli_json_real(result->p99_ms),
                  "worst_ms", cli_json_real(result->worst_ms), "provenance", cli_provenance(cli));
    enum sl_status status = cli_print_json(json, err);
    json_decref(json);
    return status;
}

static enum sl_status run_simulate(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct simulate_values *options = values;
    struct sl_study_simulation simulation = sl_study_simulation_default();
    struct sl_simulation_result result;
    simulation.url = cli->arguments[0];
    simulation.folder = options->study;
    simulation.truth = options->truth;
    simulation.annotators = (size_t)options->annotators;
    simulation.at_once = (size_t)options->at_once;
    simulation.speed = options->speed;
    simulation.rate = options->rate;
    simulation.noise = options->noise;
    simulation.slips = options->slips;
    simulation.patience = options->patience;
    simulation.images = !options->no_images;
    simulation.test = options->test;
    simulation.seed = (uint64_t)options->seed;
    simulation.log = &cli->log;
    SL_TRY(sl_study_simulate(&simulation, &result, err));
    if (options->json) return print_json(cli, &result, err);
    print_table(&result);
    return SL_OK;
}

static const struct cli_example simulate_examples[] = {
    {"softlab study simulate http://127.0.0.1:8080/ --test", "is everything in order?"},
    {"softlab study simulate http://127.0.0.1:8080/ --study birds --annotators 12 --speed 0",
     "twelve annotators of whom the true classes are known, at once"},
    {"softlab study simulate http://127.0.0.1:8080/ --annotators 500 --at-once 500 --rate 50",
     "500 people, 50 answers per second"},
    {NULL, NULL},
};

const struct cli_command cmd_study_simulate = {
    .name = "study simulate",
    .group = "studies",
    .summary = "send simulated annotators through a study that is served",
    .description =
        "Annotators come over HTTP, go through every place as the page does and answer every kind "
        "of screen from what they believe: the true distribution of an item, disturbed for each "
        "person and trial. Their times follow those measured with people, divided by --speed; the "
        "times they report are not divided. What is not acknowledged is sent again. With --study, "
        "on the same machine, they know what the images show; exports then serve to find out how "
        "many annotators a study needs. Use --test with a study whose answers matter: without it "
        "simulated people take the places of real ones.",
    .arguments = simulate_arguments,
    .options = simulate_options,
    .examples = simulate_examples,
    .values_size = sizeof(struct simulate_values),
    .run = run_simulate,
};
