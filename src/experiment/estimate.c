/* What runs cost on this machine: memory before they are started, time from a few steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/nn.h"

/* Measured on this program: CIFAR-10 opened, a label set of 511,000 rows, and what a process has by
 * itself. Evaluation predicts batches of 100. */
#define BASE_MEMORY        ((size_t)400 << 20)
#define BYTES_PER_VALUE    24 /* value, gradient, two moments, the best epoch's and a checkpoint's */
#define EVALUATION_BATCHES 4
enum { TIMED_STEPS = 3, DEFAULT_BATCH = 32, MEMINFO_LIMIT = 1 << 16, LARGEST_BATCH = 256 };

/* A network with a plan to train it. */
struct trainer {
    struct sl_model *model;
    struct sl_plan *plan;
};

static void trainer_release(struct trainer *trainer)
{
    sl_plan_destroy(trainer->plan);
    sl_model_destroy(trainer->model);
}

static size_t batch_of(const struct sl_job *job)
{
    const json_t *recipe = json_object_get(job->step, "recipe");
    const json_t *batch = json_object_get(recipe, "batch");
    const size_t size = (size_t)json_integer_value(batch);
    return size == 0 ? DEFAULT_BATCH : size < LARGEST_BATCH ? size : LARGEST_BATCH;
}

/* Images of CIFAR-10's size; networks for other inputs are not known here. */
static enum sl_status trainer_create(const char *network, size_t batch, struct trainer *out,
                                     struct sl_error *err)
{
    struct trainer trainer = {0};
    struct sl_model_options model = sl_model_options_default();
    struct sl_plan_options plan = sl_plan_options_default();
    model.network = network;
    plan.batch = batch;
    SL_TRY(sl_model_create(&model, &trainer.model, err));
    const enum sl_status status = sl_plan_create(trainer.model, &plan, &trainer.plan, err);
    if (status == SL_OK)
        *out = trainer;
    else
        trainer_release(&trainer);
    return status;
}

static size_t trainer_memory(const struct trainer *trainer)
{
    return sl_model_n_values(trainer->model) * BYTES_PER_VALUE + sl_plan_memory(trainer->plan);
}

/* ---- Memory ---- */

/* The training whose network a job runs: its own step, or the one that it scores. */
static const json_t *training_step(const struct sl_job *job)
{
    const json_t *scored = json_object_get(job->step, "training");
    return scored ? scored : json_object_get(job->step, "recipe") ? job->step : NULL;
}

size_t sl_job_memory(const struct sl_job *job)
{
    const json_t *step = training_step(job);
    const char *network = sl_plan_text(step, "network");
    struct trainer trainer;
    if (!network) return BASE_MEMORY;
    const bool scores = step != job->step;
    const size_t batch = scores ? DEFAULT_BATCH : batch_of(job);
    if (trainer_create(network, batch, &trainer, NULL) != SL_OK) return BASE_MEMORY;
    const size_t own = trainer_memory(&trainer) * (scores ? EVALUATION_BATCHES : 1);
    trainer_release(&trainer);
    return BASE_MEMORY + own;
}

size_t sl_memory_free(void)
{
    struct sl_buffer text;
    sl_buffer_init(&text, MEMINFO_LIMIT);
    size_t free_bytes = SIZE_MAX;
    if (sl_file_read("/proc/meminfo", &text, NULL) == SL_OK && text.length > 0) {
        const char *line = strstr(text.data, "MemAvailable:");
        if (line) free_bytes = (size_t)strtoull(line + strlen("MemAvailable:"), NULL, 10) << 10;
    }
    sl_buffer_release(&text);
    return free_bytes;
}

/* ---- Time ---- */

/* Seconds that one item takes in training, the fastest of a few steps. */
static double time_items(struct trainer *trainer, size_t batch)
{
    const size_t classes = sl_model_classes(trainer->model);
    const struct sl_input_shape shape = sl_model_input(trainer->model);
    const size_t size = shape.channels * shape.height * shape.width;
    float *pixels = sl_alloc(batch * size, sizeof *pixels);
    float *slope = sl_alloc(batch * classes, sizeof *slope);
    for (size_t i = 0; i < batch * classes; i++)
        slope[i] = i % classes == 0 ? -.01F : .001F;
    const struct sl_batch input = {.pixels = pixels};
    double best = INFINITY;
    for (size_t i = 0; i < TIMED_STEPS; i++) {
        const double before = sl_clock_seconds();
        (void)sl_plan_forward(trainer->plan, &input);
        sl_plan_backward(trainer->plan, slope);
        best = fmin(best, sl_clock_seconds() - before);
    }
    free(pixels);
    free(slope);
    return best / (double)batch;
}

/* Networks are timed once for each size of batch. */
struct timing {
    char *network; /* owned */
    size_t batch, memory;
    double seconds; /* per item */
};
struct timings {
    struct timing *list; /* owned */
    size_t count;
};

static const struct timing *time_network(struct timings *timings, const struct sl_job *job)
{
    const size_t batch = batch_of(job);
    for (size_t i = 0; i < timings->count; i++)
        if (timings->list[i].batch == batch && strcmp(timings->list[i].network, job->network) == 0)
            return &timings->list[i];
    struct timing timing = {.network = sl_string_copy(job->network), .batch = batch};
    struct trainer trainer;
    if (trainer_create(job->network, batch, &trainer, NULL) == SL_OK) {
        timing.seconds = time_items(&trainer, batch);
        timing.memory = trainer_memory(&trainer);
        trainer_release(&trainer);
    }
    timings->list = sl_resize(timings->list, timings->count + 1, sizeof *timings->list);
    timings->list[timings->count] = timing;
    return &timings->list[timings->count++];
}

static void add_job(const struct sl_experiment *experiment, size_t index, bool *counted,
                    struct timings *timings, struct sl_experiment_estimate *estimate)
{
    const struct sl_job *job = &experiment->jobs[index];
    if (counted[index]) return;
    counted[index] = true;
    for (size_t i = 0; i < job->n_needs; i++)
        add_job(experiment, job->needs[i], counted, timings, estimate);
    if (!job->network) return;
    const struct timing *timing = time_network(timings, job);
    estimate->seconds += timing->seconds * (double)job->n_items * (double)job->n_epochs;
    if (BASE_MEMORY + timing->memory > estimate->memory)
        estimate->memory = BASE_MEMORY + timing->memory;
}

enum sl_status sl_experiment_calibrate(const struct sl_experiment *experiment, const char *folder,
                                       struct sl_experiment_estimate *out, struct sl_error *err)
{
    struct sl_experiment_estimate estimate = {.memory = BASE_MEMORY};
    struct sl_ledger ledger = {.lock = -1};
    struct timings timings = {0};
    bool *counted = sl_alloc(experiment->n_jobs + 1, sizeof *counted);
    enum sl_status status = SL_OK;
    if (folder && sl_folder_exists(folder)) SL_TRY_OUT(sl_ledger_read(folder, &ledger, err));
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        if (run->missing || sl_ledger_has(&ledger, run)) continue;
        estimate.n_runs++;
        for (size_t j = 0; j < run->n_scores; j++)
            add_job(experiment, run->scores[j].job, counted, &timings, &estimate);
    }
    *out = estimate;
out:
    sl_ledger_close(&ledger);
    for (size_t i = 0; i < timings.count; i++)
        free(timings.list[i].network);
    free(timings.list);
    free(counted);
    return status;
}
