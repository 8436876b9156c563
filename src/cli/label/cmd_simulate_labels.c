#include <stdlib.h>

#include "cmd.h"

struct simulate_values {
    struct sl_simulation_job job; /* first, so that its offsets are those of the values */
    bool json;
};
_Static_assert(offsetof(struct simulate_values, job) == 0, "options name fields of the job");

#define AT(field) .offset = offsetof(struct simulate_values, field)
static const struct sl_field_row simulate_options[] = {
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the report as JSON", .needs = "fit"},
    {.name = NULL},
};
#undef AT

static void print_fit(const struct sl_simulation_fit *fit)
{
    struct cli_table table;
    cli_table_begin(&table, "llrrr", "entropy", "statistic", "real", "simulated", "Wasserstein");
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++)
        for (size_t s = 0; s < SL_SIMULATION_COUNT; s++)
            cli_table_add(&table, sl_simulation_part_names[p], sl_simulation_statistic_names[s],
                          cli_cell(&table, "%.3f", fit[p].real_mean[s]),
                          cli_cell(&table, "%.3f", fit[p].simulated_mean[s]),
                          cli_cell(&table, "%.3f", fit[p].wasserstein[s]));
    cli_table_end(&table);
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
    return cli_print_json(sl_simulation_json(fit, cli_provenance(cli)), err);
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
    .summary = "draw soft labels from a model of human ones",
    .description =
        "The simulator of the thesis, appendix B.5. It draws a hard label from the reference, the "
        "probabilities of the first and the second class from Beta distributions, and the number "
        "of possible classes from a histogram. All are fitted to real answers, separately for "
        "items of high and of low entropy. Other classes are ranked by word similarity. With --fit "
        "it also prints how close simulated labels are to real ones.",
    .task = &sl_simulation_task,
    .options = simulate_options,
    .examples = simulate_examples,
    .threads = true,
    .values_size = sizeof(struct simulate_values),
    .run = run_simulate,
};
