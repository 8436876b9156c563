#include <stdlib.h>

#include "cmd.h"

struct simulate_values {
    struct sl_simulation_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct simulate_values, job) == 0, "options name fields of the job");

#define FIELD(name) .offset = offsetof(struct sl_simulation_job, name)
#define OURS(name)  .offset = offsetof(struct simulate_values, name)

static const struct cli_option simulate_options[] = {
    {"fit", 0, CLI_PATH, "ANSWERS", "soft answers to fit the model to", FIELD(fit)},
    {"parameters", 0, CLI_PATH, "FILE.json", "a model that was fitted and saved before",
     FIELD(parameters)},
    {"reference", 'r', CLI_PATH, "LABELS",
     "distributions that hard labels are drawn from and entropies taken from (CIFAR-10H)",
     FIELD(reference)},
    {"vectors", 0, CLI_PATH, "FILE", "word vectors in GloVe's text form, to rank the classes",
     FIELD(vectors)},
    {"output", 'o', CLI_OUTPUT, "FILE", "simulated labels, one row per row of the reference",
     FIELD(output), .suffixes = ".csv .npz .npy .json", .prints = "fit"},
    {"save", 0, CLI_OUTPUT, "FILE.json", "write the fitted model", FIELD(save), .needs = "fit",
     .suffixes = ".json", .prints = "fit"},
    {"threshold", 0, CLI_REAL, "H", "entropy in nats from which an item counts as high",
     FIELD(threshold), "0.25", 0, 100, .needs = "fit"},
    {"annotators", 'a', CLI_INTEGER, "M", "simulated answers averaged per item", FIELD(annotators),
     "1", 1, 1e6},
    {"seed", 0, CLI_INTEGER, "N", "of the draws", FIELD(seed), "1", 0, 9e15},
    {"as-released", 0, CLI_FLAG, NULL, "fit to repeats and second runs too", FIELD(as_released),
     .needs = "fit"},
    {"json", 0, CLI_FLAG, NULL, "the report as JSON", OURS(json), .needs = "fit"},
    {.name = NULL},
};

static void print_fit(const struct sl_simulation_fit *fit)
{
    struct cli_table table;
    cli_table_init(&table, "llrrr");
    cli_table_add(&table, "entropy", "statistic", "real", "simulated", "Wasserstein");
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++) {
            char cells[3][32];
            snprintf(cells[0], sizeof cells[0], "%.3f", fit[p].real_mean[s]);
            snprintf(cells[1], sizeof cells[0], "%.3f", fit[p].simulated_mean[s]);
            snprintf(cells[2], sizeof cells[0], "%.3f", fit[p].wasserstein[s]);
            cli_table_add(&table, sl_simulation_part_names[p], sl_simulation_statistic_names[s],
                          cells[0], cells[1], cells[2]);
        }
    }
    cli_table_print(&table, stdout);
    cli_table_release(&table);
}

static enum sl_status run_simulate(struct cli *cli, const void *raw, struct sl_error *err)
{
    static const char *const without[] = {"json", NULL};
    const struct simulate_values *values = raw;
    struct sl_simulation_job job = values->job;
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS];
    char *provenance = cli_rows_provenance(cli, job.output, without);
    job.provenance = provenance;
    enum sl_status status = sl_simulation_job_run(&job, &cli->workplace, fit, err);
    free(provenance);
    if (status != SL_OK || !job.fit) return status;
    if (!values->json) {
        print_fit(fit);
        return SL_OK;
    }
    json_t *value = sl_simulation_json(fit, cli_provenance(cli));
    status = cli_print_json(value, err);
    json_decref(value);
    return status;
}

static const struct cli_example simulate_examples[] = {
    {"softlab simulate-labels --fit answers.jsonl -r cifar10h-probs.npy --vectors glove.txt --save "
     "model.json -o simulated.npz",
     "soft labels for all of CIFAR-10H's images, as CIFAR-10S's annotators might have given them"},
    {NULL, NULL},
};

const struct cli_command cmd_simulate_labels = {
    .name = "simulate-labels",
    .also = "generate synthesise synthesize",
    .group = "label",
    .summary = "soft labels drawn from a model of human ones",
    .description =
        "The simulator of the thesis, appendix B.5: a hard label is drawn from the reference, its "
        "probability and the second's from Betas, the number of possible classes from a histogram, "
        "all fitted to real answers apart for items of high and low entropy; other classes are "
        "ranked by word similarity. With --fit it also prints how close the simulated labels are.",
    .options = simulate_options,
    .examples = simulate_examples,
    .values_size = sizeof(struct simulate_values),
    .run = run_simulate,
};
