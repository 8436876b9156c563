/* The options of softlab simulate. */
#include <stdlib.h>

#include "softlab/pipeline/simulation.h"

#define FIELD(name) .offset = offsetof(struct sl_simulation_job, name)
const struct sl_field_row sl_simulation_job_options[] = {
    {"fit", SL_FIELD_PATH, FIELD(fit), "soft answers to fit the model to", .value = "ANSWERS"},
    {"parameters", SL_FIELD_PATH, FIELD(parameters), "a model that --save wrote",
     .value = "FILE.json"},
    {"reference", SL_FIELD_PATH, FIELD(reference),
     "the distributions of the items, such as CIFAR-10H: hard labels are drawn from them",
     .letter = 'r', .value = "LABELS"},
    {"vectors", SL_FIELD_PATH, FIELD(vectors),
     "word vectors in GloVe's text form, to rank the classes"},
    {"output", SL_FIELD_OUTPUT, FIELD(output), "simulated labels, one row per row of the reference",
     .letter = 'o', .suffixes = ".csv .npz .npy .json", .prints = "fit"},
    {"save", SL_FIELD_OUTPUT, FIELD(save), "write the fitted model", .value = "FILE.json",
     .suffixes = ".json", .prints = "fit", .needs = "fit"},
    {"threshold", SL_FIELD_NUMBER, FIELD(threshold),
     "entropy in nats from which an item counts as high", .value = "H", .fallback = "0.25",
     .minimum = 0, .maximum = 100, .needs = "fit"},
    {"annotators", SL_FIELD_INTEGER, FIELD(annotators),
     "simulated answers per item, which are averaged", .letter = 'a', .value = "M", .fallback = "1",
     .minimum = 1, .maximum = 1e6},
    {"seed", SL_FIELD_INTEGER, FIELD(seed), "seed of all random draws", .fallback = "1",
     .minimum = 0, .maximum = 9e15},
    {"as-released", SL_FIELD_BOOLEAN, FIELD(as_released), "fit to repeats and second runs too",
     .needs = "fit"},
    {.name = NULL},
};
#undef FIELD

struct sl_simulation_job sl_simulation_job_default(void)
{
    struct sl_simulation_job job = {0};
    sl_fields_set_defaults(sl_simulation_job_options, &job);
    return job;
}

static enum sl_status run_simulation(const void *raw, const struct sl_task_call *call,
                                     json_t **result, struct sl_error *err)
{
    static const char *const without[] = {NULL};
    struct sl_simulation_job job = *(const struct sl_simulation_job *)raw;
    struct sl_simulation_fit fit[SL_SIMULATOR_PARTS];
    char *provenance = sl_asked_for_rows(call->asked, job.output, without);
    job.provenance = provenance;
    const enum sl_status status = sl_simulation_job_run(&job, call->workplace, fit, err);
    if (status == SL_OK && job.fit) *result = sl_simulation_json(fit, sl_asked_json(call->asked));
    free(provenance);
    return status;
}

const struct sl_task sl_simulation_task = {
    .name = "simulate-labels",
    .options = sl_simulation_job_options,
    .size = sizeof(struct sl_simulation_job),
    .reports = true,
    .run = run_simulation,
};
