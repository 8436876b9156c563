#include <math.h>
#include <stdlib.h>

#include "cmd.h"
#include "softlab/base/text.h"
#include "softlab/study.h"

struct simulate_values {
    struct sl_study_simulation simulation;
    double target;
    bool no_images, power, json;
};

#define AT(field)   .offset = offsetof(struct simulate_values, field)
#define HERE(field) AT(simulation.field)

/* How fast people are, and how they wander, is said in one of two ways each. */
enum { BY_SPEED = 1, BY_RATE = 2, BY_NOISE = 4, BY_MODEL = 8, BY_REPLAY = 16 };
enum { BY_BELIEF = BY_NOISE | BY_MODEL };

static void simulate_mode(const struct cli *cli, const void *values, struct sl_option_mode *out)
{
    (void)cli;
    const struct sl_study_simulation *options =
        &((const struct simulate_values *)values)->simulation;
    const bool rate = options->rate > 0;
    const bool replay = options->replay.answers != NULL;
    const unsigned from = replay ? BY_REPLAY : options->model ? BY_MODEL : BY_NOISE;
    const char *name = replay ? "--replay" : "--model";
    *out = (struct sl_option_mode){(rate ? BY_RATE : BY_SPEED) | from, .name = name};
    if (rate) {
        snprintf(out->text, sizeof out->text, "--rate%s%s", from == BY_NOISE ? "" : " and ",
                 from == BY_NOISE ? "" : name);
        out->name = out->text;
    }
}

static const char *const simulate_samples[] = {"http://x --count --speed 0",
                                               "http://x --count --rate 5",
                                               "http://x --study s --model m.json",
                                               "http://x --study s --model m.json --rate 5",
                                               "http://x --study s --replay a.jsonl",
                                               "http://x --study s --replay a.jsonl --rate 5",
                                               NULL};

static const struct sl_field_row simulate_options[] = {
    {"study", SL_FIELD_FOLDER, HERE(folder),
     "the study's folder, whose database says which item a page shows; without it annotators share "
     "made-up beliefs"},
    {"truth", SL_FIELD_PATH, HERE(truth),
     "labels to draw beliefs from (default: the true distributions of drawn shapes, or 90 % for "
     "the items' own class)",
     .modes = BY_BELIEF},
    {"model", SL_FIELD_PATH, HERE(model),
     "a model of people that softlab simulate-labels --fit --save wrote, in place of --noise",
     .value = "FILE.json", .modes = BY_BELIEF},
    {"annotators", SL_FIELD_COUNT, HERE(annotators), "annotators in all", .letter = 'a',
     .fallback = "50", .minimum = 1, .maximum = 1e6},
    {"at-once", SL_FIELD_COUNT, HERE(at_once), "annotators at the same time", .fallback = "50",
     .minimum = 1, .maximum = 10000},
    {"speed", SL_FIELD_NUMBER, HERE(speed),
     "how many times faster than people; 0 does not wait at all", .fallback = "100", .minimum = 0,
     .maximum = 1e9, .modes = BY_SPEED},
    {"rate", SL_FIELD_NUMBER, HERE(rate),
     "answers per second of all annotators together, in place of --speed", .value = "N",
     .fallback = "0", .minimum = 0, .maximum = 1e9},
    {"noise", SL_FIELD_NUMBER, HERE(noise),
     "how much beliefs vary between people: 1 / concentration of a Dirichlet distribution",
     .fallback = ".05", .minimum = 0, .maximum = 100, .modes = BY_NOISE},
    {"slips", SL_FIELD_NUMBER, HERE(slips), "share of answers that are slips", .value = "P",
     .fallback = ".02", .minimum = 0, .maximum = 1, .modes = BY_BELIEF},
    {"patience", SL_FIELD_NUMBER, HERE(patience),
     "seconds without a reply after which an annotator gives up", .value = "S", .fallback = "60",
     .minimum = 0, .maximum = 1e6},
    {"no-images", SL_FIELD_BOOLEAN, AT(no_images), "do not download the images"},
    {"scripts", SL_FIELD_WORD, HERE(scripts),
     "how many annotators follow a script, such as always pressing one key, to see how softlab "
     "study status flags them; all others answer carefully",
     .value = "NAME=N,...", .names = sl_study_behaviour_name, .modes = BY_BELIEF},
    {"replay", SL_FIELD_PATH, HERE(replay.answers),
     "give recorded answers of people instead: a file in which everybody chose one class (CSV, "
     "answers.jsonl, answers.slb), whose items and classes are named as in the study",
     .value = "ANSWERS", .needs = "study"},
    {"replay-share", SL_FIELD_NUMBER, HERE(replay.share),
     "the share of every item's recorded answers, rounded up, that can be given; the others are "
     "for --held-out",
     .value = "P", .fallback = "1", .minimum = 0, .maximum = 1, .needs = "replay"},
    {"replay-partial", SL_FIELD_BOOLEAN, HERE(replay.partial),
     "accept items of the study without recorded answers; an annotator who is shown one leaves",
     .needs = "replay"},
    {"answers", SL_FIELD_COUNT, HERE(replay.n_answers),
     "end the replay after this many recorded answers; 0: no limit", .value = "N", .fallback = "0",
     .minimum = 0, .maximum = 1e12, .needs = "replay"},
    {"seconds", SL_FIELD_NUMBER, HERE(replay.seconds),
     "end the replay before the first answer that would exceed this many seconds of recorded time; "
     "0: no limit",
     .value = "S", .fallback = "0", .minimum = 0, .maximum = 1e12, .needs = "replay"},
    {"given", SL_FIELD_OUTPUT, HERE(replay.given),
     "write the recorded answers that were given, for softlab labels", .value = "FILE.jsonl",
     .suffixes = ".jsonl", .needs = "replay"},
    {"held-out", SL_FIELD_OUTPUT, HERE(replay.held_out),
     "write the recorded answers that --replay-share leaves out", .value = "FILE.jsonl",
     .suffixes = ".jsonl", .needs = "replay-share"},
    {"count", SL_FIELD_BOOLEAN, HERE(count),
     "make the sessions count, in the places of real people; without it they are test sessions, "
     "which need --study for the token of the test link"},
    {"power", SL_FIELD_BOOLEAN, AT(power),
     "print the error of the labels by number of annotators, from the answers of this simulation, "
     "or with --count from all answers that count",
     .needs = "study"},
    {"target", SL_FIELD_NUMBER, AT(target),
     "the error for which --power finds the number of annotators", .value = "E", .fallback = ".1",
     .minimum = 0, .maximum = 2, .needs = "power"},
    {"seed", SL_FIELD_INTEGER, HERE(seed), "seed of people, beliefs, slips and times",
     .fallback = "1", .minimum = 0, .maximum = 9e15},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the report as JSON"},
    {.name = NULL},
};

static const struct cli_argument simulate_arguments[] = {
    {.name = "URL",
     .help = "the annotators' address of a running softlab study serve",
     .kind = SL_FIELD_WORD},
    {.name = NULL},
};

static const char *finite_text(struct cli_table *table, double value, int decimals)
{
    return isfinite(value) ? cli_real(table, value, decimals, "") : "-";
}

static void add_count(struct cli_table *table, const char *name, size_t count)
{
    cli_table_add(table, name, cli_cell(table, "%zu", count));
}

static void add_real(struct cli_table *table, const char *name, double value)
{
    cli_table_add(table, name, finite_text(table, value, 1));
}

static void print_replay(const struct sl_replay_result *replay)
{
    const size_t named = replay->n_ran_out < SL_REPLAY_NAMED ? replay->n_ran_out : SL_REPLAY_NAMED;
    printf("\nThe replay ended: %s. %zu of %zu recorded %s given", sl_replay_end_text(replay->end),
           replay->given, replay->recorded,
           sl_text_plural(replay->recorded, "answer was", "answers were"));
    if (isfinite(replay->seconds)) printf(", %.1f s of recorded time", replay->seconds);
    printf(".\n");
    if (replay->n_ran_out == 0) return;
    printf("%zu %s shown after the last recorded answer: %s", replay->n_ran_out,
           sl_text_plural(replay->n_ran_out, "item was", "items were"), replay->ran_out);
    if (replay->n_ran_out > named) printf(" and %zu more", replay->n_ran_out - named);
    printf(".\n");
}

static void print_table(const struct sl_simulation_result *result)
{
    struct cli_table table;
    cli_table_init(&table, "lr");
    add_count(&table, "annotators finished", result->finished);
    add_count(&table, "refused", result->refused);
    add_count(&table, "lost", result->lost);
    if (result->replays) add_count(&table, "left early", result->stopped);
    for (size_t i = 0; i < result->n_reasons; i++)
        add_count(&table, cli_cell(&table, "  %s", result->reasons[i].text),
                  result->reasons[i].count);
    add_count(&table, "answers saved", result->answers);
    add_count(&table, "retries", result->retries);
    add_real(&table, "seconds", result->seconds);
    add_real(&table, "answers per second", (double)result->answers / result->seconds);
    add_real(&table, "a save, median ms", result->p50_ms);
    add_real(&table, "a save, p99 ms", result->p99_ms);
    add_real(&table, "a save, slowest ms", result->worst_ms);
    cli_table_end(&table);
    if (result->replays) print_replay(&result->replay);
}

/* ---- How many annotators? ---- */

static void print_power(const struct sl_power *power, double target)
{
    struct cli_table table;
    size_t needed = sl_power_needed(power, target);
    printf("\n%zu answer%s to %zu %s two or more\n", power->n_answers,
           sl_text_plural(power->n_answers, "", "s"), power->n_items,
           sl_text_plural(power->n_items, "item that has", "items that have"));
    cli_table_begin(&table, "rrrrr", "annotators", "error", "variation", "top right", "s per item");
    for (size_t i = 0; i < power->n_rows; i++) {
        const struct sl_power_row *row = &power->rows[i];
        cli_table_add(&table, cli_cell(&table, "%zu", row->annotators),
                      finite_text(&table, row->error, 3), finite_text(&table, row->variation, 3),
                      finite_text(&table, row->right, 3), finite_text(&table, row->seconds, 0));
    }
    cli_table_end(&table);
    if (needed)
        printf("an error of %g needs %zu annotator%s per item\n", target, needed,
               sl_text_plural(needed, "", "s"));
    else
        printf("no number of annotators brings the error to %g: %.3f is left with any\n", target,
               power->floor);
}

static enum sl_status print_json(const struct cli *cli, const struct sl_simulation_result *result,
                                 const struct sl_power *power,
                                 const struct simulate_values *options, struct sl_error *err)
{
    json_t *json = sl_simulation_result_json(result, cli_provenance(cli));
    json_object_set_new(json, "counted", json_boolean(options->simulation.count));
    if (power->rows) json_object_set_new(json, "power", sl_power_json(power, options->target));
    return cli_print_json(json, err);
}

static enum sl_status run_simulate(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct simulate_values *options = values;
    struct sl_study_simulation simulation = options->simulation;
    struct sl_simulation_result result;
    struct sl_power power = {0};
    if (!simulation.count && !simulation.folder)
        return sl_fail(err, SL_ERR_USAGE,
                       "simulated people come as test sessions: give --study FOLDER, which holds "
                       "the test link's token, or --count to let them take places of real people");
    simulation.url = cli->arguments[0];
    simulation.images = !options->no_images;
    simulation.log = &cli->log;
    simulation.progress = &cli->progress;
    SL_TRY(sl_study_simulate(&simulation, &result, err));
    const struct sl_power_options asked = {.truth = simulation.truth,
                                           .seed = simulation.seed,
                                           .tests = !simulation.count,
                                           .after = simulation.count ? 0 : result.after};
    if (options->power) SL_TRY(sl_study_power(simulation.folder, &asked, &power, err));
    enum sl_status status = SL_OK;
    if (options->json) {
        status = print_json(cli, &result, &power, options, err);
    } else {
        print_table(&result);
        if (options->power) print_power(&power, options->target);
    }
    sl_power_release(&power);
    return status;
}

static const struct cli_example simulate_examples[] = {
    {"softlab study simulate http://127.0.0.1:8080/ --study birds",
     "is everything in order? test sessions, which take nobody's place"},
    {"softlab study simulate http://127.0.0.1:8080/ --study birds --annotators 20 --speed 0 "
     "--scripts key1=3,random=2",
     "would careless people be found? look at softlab study status birds afterwards"},
    {"softlab study simulate http://127.0.0.1:8080/ --study copy --annotators 12 --speed 0 --count",
     "fill a copy of the study, to try the export and the labels"},
    {"softlab study simulate http://127.0.0.1:8080/ --annotators 500 --at-once 500 --rate 50 "
     "--count",
     "500 people, 50 answers per second"},
    {"softlab study simulate http://127.0.0.1:8080/ --study pilot --annotators 200 --speed 0 "
     "--power",
     "how many annotators do I need? test sessions need no places"},
    {"softlab study simulate http://127.0.0.1:8080/ --study pilot --replay answers.csv --answers "
     "500 --given given.jsonl",
     "500 recorded answers of people, in the order in which this study asks for them"},
    {NULL, NULL},
};

const struct cli_command cmd_study_simulate = {
    .name = "study simulate",
    .group = "studies",
    .summary = "send simulated annotators through a study that is served",
    .description =
        "Simulated annotators take part over HTTP: each goes through the steps that the page goes "
        "through and answers every kind of screen from a belief, which is the true distribution of "
        "the item, disturbed for each person and trial. Their response times follow times measured "
        "with people, divided by --speed; the times that they report are not divided. Answers that "
        "the server does not acknowledge are sent again. With --study, on the same machine, the "
        "annotators know what the images show, and --power says how many annotators a study needs: "
        "error is the distance of the mean label from the truth (root mean square over items, "
        "modelled as floor^2 + spread^2 / M for M annotators, which extrapolates beyond the "
        "answers gathered), variation is the mean total variation distance, and top right is the "
        "share of items whose most probable class is the true one. The sessions are test sessions, "
        "which never count; with --count they take the places of real people. Refused annotators "
        "are counted by reason. With --replay the annotators give answers that people gave "
        "elsewhere: the n-th answer about an item depends only on the seed, the item and n. An "
        "annotator who is shown an item without a recorded answer left leaves; none is made up.",
    .arguments = simulate_arguments,
    .options = simulate_options,
    .examples = simulate_examples,
    .values_size = sizeof(struct simulate_values),
    .mode = simulate_mode,
    .samples = simulate_samples,
    .run = run_simulate,
};
