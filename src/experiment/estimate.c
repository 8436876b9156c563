/* What runs cost on this machine: memory before they are started, time from a few steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/dataset/corruption.h"
#include "softlab/nn.h"

/* Measured on this program: CIFAR-10 opened, a label set of 511,000 rows, and what a process has by
 * itself. Evaluation predicts batches of 100. */
#define BASE_MEMORY        ((size_t)400 << 20)
#define BYTES_PER_VALUE    24 /* value, gradient, two moments, the best epoch's and a checkpoint's */
#define BYTES_PER_SCORED   8  /* value, and as kernels like it */
#define EVALUATION_BATCHES 4
/* Processor seconds, by rule of thumb: a process by itself with the labels that it reads or builds,
 * and how often what it opens is gone through: read, hashed, fed. */
#define PROCESS_SECONDS .2
#define OPENING         2
enum { DEFAULT_BATCH = 32, MEMINFO_LIMIT = 1 << 16, LARGEST_BATCH = 256 };
/* A sentence and a word as networks for texts read them: those of the POS corpus, about. */
enum { TOKENS = 24, LETTERS = 12, VOCABULARY = 4000, ALPHABET = 80 };

/* A network with a plan to run it. */
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

/* The network of a training for items like its own; where nobody looked at them, for images of
 * CIFAR-10's size. */
static enum sl_status model_create(const struct sl_job *job, const char *network,
                                   struct sl_model **out, struct sl_error *err)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    if (job->n_classes > 0) {
        options.classes = job->n_classes;
        options.input = (struct sl_input_shape){
            .channels = job->shape[0], .height = job->shape[1], .width = job->shape[2]};
        if (job->shape[0] == 0)
            options.input = (struct sl_input_shape){.tokens = TOKENS,
                                                    .letters = LETTERS,
                                                    .vocabulary = VOCABULARY,
                                                    .alphabet = ALPHABET};
    }
    return sl_model_create(&options, out, err);
}

static enum sl_status trainer_create(const struct sl_job *job, const char *network,
                                     const struct sl_plan_options *plan, struct trainer *out,
                                     struct sl_error *err)
{
    struct trainer trainer = {0};
    SL_TRY(model_create(job, network, &trainer.model, err));
    const enum sl_status status = sl_plan_create(trainer.model, plan, &trainer.plan, err);
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
    const struct sl_plan_options plan = {.batch = scores ? DEFAULT_BATCH : batch_of(job),
                                         .training = !scores,
                                         .input_gradient = scores && job->work.attacked > 0};
    const enum sl_status status = trainer_create(job, network, &plan, &trainer, NULL);
    if (status == SL_ERR_NOMEM) return SIZE_MAX;
    if (status != SL_OK) return BASE_MEMORY; /* what is wrong with it the job itself says */
    const size_t own = scores ? sl_model_n_values(trainer.model) * BYTES_PER_SCORED +
                                    sl_plan_memory(trainer.plan) * EVALUATION_BATCHES
                              : trainer_memory(&trainer);
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

/* A calibration takes about so many seconds, however many networks there are. */
static const double calibration_seconds = 6;
enum { KINDS = 3, TIMED_STEPS = 3, LARGEST_TIMED = 100, CORRUPTED = 2, CORRUPTED_SIDE = 32 };

/* What is done with a network. */
struct usage {
    bool training, backward;
};
static const struct usage usages[KINDS] = {{true, true}, {false, false}, {false, true}};

/* Made-up items. */
struct inputs {
    float *pixels, *slope; /* owned */
    int32_t *ids;          /* owned */
    struct sl_batch batch;
};

static void inputs_init(struct inputs *inputs, const struct sl_model *model, size_t batch)
{
    const struct sl_input_shape shape = sl_model_input(model);
    const size_t classes = sl_model_classes(model);
    const size_t size = shape.channels * shape.height * shape.width;
    const size_t n_ids = shape.tokens > shape.letters ? shape.tokens : shape.letters;
    inputs->pixels = sl_alloc(batch * size + 1, sizeof *inputs->pixels);
    inputs->slope = sl_alloc(batch * classes, sizeof *inputs->slope);
    inputs->ids = sl_alloc(batch * n_ids + 1, sizeof *inputs->ids);
    for (size_t i = 0; i < batch * size; i++)
        inputs->pixels[i] = (float)(i * 37 % 101) / 101;
    for (size_t i = 0; i < batch * classes; i++)
        inputs->slope[i] = i % classes == 0 ? -.01F : .001F;
    inputs->batch = (struct sl_batch){.pixels = inputs->pixels,
                                      .words = inputs->ids,
                                      .positions = inputs->ids,
                                      .letters = inputs->ids};
}

static void inputs_release(struct inputs *inputs)
{
    free(inputs->pixels);
    free(inputs->slope);
    free(inputs->ids);
}

/* Seconds that one item takes, the fastest of a few steps. */
static double time_steps(struct sl_model *model, const struct usage *usage, size_t batch,
                         size_t n_steps)
{
    const bool text = sl_model_input(model).tokens > 0;
    struct sl_plan_options options = sl_plan_options_default();
    struct sl_plan *plan = NULL;
    struct inputs inputs;
    options.batch = batch;
    options.training = usage->training;
    options.input_gradient = !usage->training && usage->backward;
    if (options.input_gradient && text) return 0; /* which nobody attacks */
    if (sl_plan_create(model, &options, &plan, NULL) != SL_OK) return 0;
    inputs_init(&inputs, model, batch);
    double best = INFINITY;
    for (size_t i = 0; i < n_steps; i++) {
        const double before = sl_processor_seconds();
        (void)sl_plan_forward(plan, &inputs.batch);
        if (usage->backward) sl_plan_backward(plan, inputs.slope);
        best = fmin(best, sl_processor_seconds() - before);
    }
    inputs_release(&inputs);
    sl_plan_destroy(plan);
    return best / (double)batch;
}

/* Networks are timed once for each size of batch. */
struct timing {
    char *network; /* owned */
    size_t batch, memory;
    double seconds[KINDS]; /* per item */
};
struct timings {
    struct timing *list; /* owned */
    size_t count;
    double step_seconds; /* that a timed step may take */
    double corrupting;   /* seconds per image; NaN: not timed yet */
};

static void time_kinds(struct timings *timings, struct sl_model *model, struct timing *timing)
{
    const double probe = time_steps(model, &usages[0], 2, 2);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const size_t most = kind == 0 ? timing->batch : LARGEST_TIMED;
        const double fitting = probe > 0 ? timings->step_seconds / probe : (double)most;
        const size_t batch = fitting < 1 ? 1 : fitting < (double)most ? (size_t)fitting : most;
        timing->seconds[kind] = time_steps(model, &usages[kind], batch, TIMED_STEPS);
    }
}

static const struct timing *time_network(struct timings *timings, const struct sl_job *job)
{
    const size_t batch = batch_of(job);
    for (size_t i = 0; i < timings->count; i++)
        if (timings->list[i].batch == batch && strcmp(timings->list[i].network, job->network) == 0)
            return &timings->list[i];
    struct timing timing = {.network = sl_string_copy(job->network), .batch = batch};
    const struct sl_plan_options plan = {.batch = batch, .training = true};
    struct trainer trainer;
    if (trainer_create(job, job->network, &plan, &trainer, NULL) == SL_OK) {
        timing.memory = trainer_memory(&trainer);
        time_kinds(timings, trainer.model, &timing);
        trainer_release(&trainer);
    }
    timings->list = sl_resize(timings->list, timings->count + 1, sizeof *timings->list);
    timings->list[timings->count] = timing;
    return &timings->list[timings->count++];
}

/* Seconds that an image of CIFAR-10's size takes, the mean over all corruptions. */
static double time_corruptions(void)
{
    uint8_t pixels[CORRUPTED_SIDE * CORRUPTED_SIDE * 3], out[sizeof pixels];
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 37 % 251);
    const struct sl_image image = {CORRUPTED_SIDE, CORRUPTED_SIDE, 3, pixels};
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++) {
        if (c->extra) continue;
        double best = INFINITY;
        for (size_t i = 0; i < CORRUPTED; i++) {
            const double before = sl_processor_seconds();
            if (sl_corrupt(c, 3, 1, i, &image, out, NULL) != SL_OK) return 0;
            best = fmin(best, sl_processor_seconds() - before);
        }
        sum += best;
        count++;
    }
    return sum / (double)count;
}

/* ---- Jobs ---- */

struct estimating {
    const struct sl_experiment *experiment; /* borrowed */
    const char *folder;                     /* borrowed, or NULL */
    bool *counted;                          /* owned; n_jobs */
    struct timings timings;
    struct sl_experiment_estimate estimate;
};

static bool is_made(const struct estimating *estimating, const struct sl_job *job)
{
    if (!estimating->folder) return false;
    char *path = sl_path_join(estimating->folder, job->output);
    const bool made = sl_file_exists(path);
    free(path);
    return made;
}

/* The training whose network a job runs, or NULL. */
static const struct sl_job *training_of(const struct sl_experiment *experiment,
                                        const struct sl_job *job)
{
    if (job->network) return job;
    for (size_t i = 0; i < job->n_needs; i++)
        if (experiment->jobs[job->needs[i]].network) return &experiment->jobs[job->needs[i]];
    return NULL;
}

static void add_time(struct estimating *estimating, const struct sl_job *job,
                     const struct sl_job *training)
{
    const struct sl_work *work = &job->work;
    struct sl_experiment_estimate *estimate = &estimating->estimate;
    const struct timing *timing = time_network(&estimating->timings, training);
    estimate->seconds += PROCESS_SECONDS + OPENING * work->seconds +
                         work->trained * timing->seconds[0] + work->predicted * timing->seconds[1] +
                         work->attacked * timing->seconds[2];
    if (work->corrupted > 0) {
        if (isnan(estimating->timings.corrupting))
            estimating->timings.corrupting = time_corruptions();
        estimate->seconds += work->corrupted * estimating->timings.corrupting;
    }
    if (BASE_MEMORY + timing->memory > estimate->memory)
        estimate->memory = BASE_MEMORY + timing->memory;
}

static void add_job(struct estimating *estimating, size_t index)
{
    const struct sl_experiment *experiment = estimating->experiment;
    const struct sl_job *job = &experiment->jobs[index];
    if (estimating->counted[index] || is_made(estimating, job)) return;
    estimating->counted[index] = true;
    for (size_t i = 0; i < job->n_needs; i++)
        add_job(estimating, job->needs[i]);
    const struct sl_job *training = training_of(experiment, job);
    if (training)
        add_time(estimating, job, training);
    else
        estimating->estimate.seconds += PROCESS_SECONDS;
}

/* Different networks, so that each has its share of the time. */
static size_t count_networks(const struct sl_experiment *experiment)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->n_jobs; i++) {
        const char *network = experiment->jobs[i].network;
        bool is_new = network != NULL;
        for (size_t j = 0; j < i && is_new; j++)
            is_new =
                !experiment->jobs[j].network || strcmp(experiment->jobs[j].network, network) != 0;
        count += is_new;
    }
    return count;
}

enum sl_status sl_experiment_calibrate(const struct sl_experiment *experiment, const char *folder,
                                       struct sl_experiment_estimate *out, struct sl_error *err)
{
    const size_t n_steps = (count_networks(experiment) + 1) * KINDS * TIMED_STEPS;
    struct estimating estimating = {
        .experiment = experiment,
        .folder = folder,
        .counted = sl_alloc(experiment->n_jobs + 1, sizeof *estimating.counted),
        .timings = {.step_seconds = calibration_seconds / (double)n_steps, .corrupting = NAN},
        .estimate = {.memory = BASE_MEMORY},
    };
    struct sl_ledger ledger = {.lock = -1};
    enum sl_status status = SL_OK;
    if (folder && sl_folder_exists(folder)) SL_TRY_OUT(sl_ledger_read(folder, &ledger, err));
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        if (run->missing || sl_ledger_has(&ledger, run)) continue;
        estimating.estimate.n_runs++;
        for (size_t j = 0; j < run->n_scores; j++)
            add_job(&estimating, run->scores[j]);
    }
    *out = estimating.estimate;
out:
    sl_ledger_close(&ledger);
    for (size_t i = 0; i < estimating.timings.count; i++)
        free(estimating.timings.list[i].network);
    free(estimating.timings.list);
    free(estimating.counted);
    return status;
}
