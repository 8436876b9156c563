/* Estimates what runs need on this machine: memory from the size of the network, time from a few
 * training steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "experiment/run/probe.h"
#include "experiment/run/runner.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/dataset/corruption.h"
#include "softlab/nn/timing.h"

/* Measured: a process with CIFAR-10 and a label set of 511,000 rows. Evaluation predicts batches of
 * 100. */
#define BASE_MEMORY        ((size_t)400 << 20)
#define BYTES_PER_VALUE    24 /* value, gradient, two moments, best epoch, checkpoint */
#define BYTES_PER_SCORED   8  /* value, and its copy in a kernel's layout */
#define EVALUATION_BATCHES 4
/* Core-seconds, by rule of thumb: to start a process; to read answers or make labels, per byte of
 * input. Reading, hashing and feeding a training's data takes OPENING times as long as opening it.
 */
#define PROCESS_SECONDS .02
#define READING_SECONDS .15e-6
/* Core-seconds per byte and resample, since every resample computes all metrics anew. */
#define RESAMPLE_SECONDS 5.3e-9
#define OPENING          2
enum { DEFAULT_BATCH = 32, LARGEST_BATCH = 256 };
/* Typical sizes of a sentence and a word, from the POS corpus. */
enum { TOKENS = 24, LETTERS = 12, VOCABULARY = 4000, ALPHABET = 80 };

/* A network and a plan to run it. */
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

/* The network of a training, for its own item shape; CIFAR-10's if the data were not read. */
static struct sl_model_options model_of(const struct sl_job *job, const char *network)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = network;
    if (job->n_classes == 0) return options;
    options.classes = job->n_classes;
    options.input = (struct sl_input_shape){
        .channels = job->shape[0], .height = job->shape[1], .width = job->shape[2]};
    if (job->shape[0] == 0)
        options.input = (struct sl_input_shape){
            .tokens = TOKENS, .letters = LETTERS, .vocabulary = VOCABULARY, .alphabet = ALPHABET};
    return options;
}

static enum sl_status trainer_create(const struct sl_job *job, const char *network,
                                     const struct sl_plan_options *plan, struct trainer *out,
                                     struct sl_error *err)
{
    const struct sl_model_options options = model_of(job, network);
    struct trainer trainer = {0};
    SL_TRY(sl_model_create(&options, &trainer.model, err));
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

/* The training step whose network a job runs: its own, or that of the training it scores. */
static const json_t *training_step(const struct sl_job *job)
{
    const json_t *scored = json_object_get(job->step, "training");
    return scored ? scored : json_object_get(job->step, "recipe") ? job->step : NULL;
}

size_t sl_job_memory(const struct sl_job *job)
{
    const json_t *step = training_step(job);
    const char *network = sl_plan_text(step, "network");
    struct trainer trainer = {0};
    if (!network) return BASE_MEMORY;
    const bool scores = step != job->step;
    const struct sl_plan_options plan = {.batch = scores ? DEFAULT_BATCH : batch_of(job),
                                         .training = !scores,
                                         .input_gradient = scores && job->work.attacked > 0};
    const enum sl_status status = trainer_create(job, network, &plan, &trainer, NULL);
    if (status == SL_ERR_NOMEM) return SIZE_MAX;
    if (status != SL_OK) return BASE_MEMORY; /* the job itself reports the error */
    const size_t own = scores ? sl_model_n_values(trainer.model) * BYTES_PER_SCORED +
                                    sl_plan_memory(trainer.plan) * EVALUATION_BATCHES
                              : trainer_memory(&trainer);
    trainer_release(&trainer);
    return BASE_MEMORY + own;
}

/* ---- Time ---- */

/* Approximate time per measurement; a training needs a few. */
static const double probe_seconds = .4;
enum { CORRUPTED = 2, CORRUPTED_SIDE = 32, SPEEDUP_STEPS = 3 };

/* The timing of trainings whose steps are alike. */
struct timing {
    char *name; /* owned; what the time of a step depends on */
    struct sl_probe per_item;
    size_t memory;
    char *problem;  /* owned; why it could not be timed, or NULL */
    size_t threads; /* for which `speedup` was measured; 0: not yet */
    double speedup; /* of that many threads over one */
};

/* What the time of a step depends on, as text; the caller frees it. */
static char *describe_step(const struct sl_job *training)
{
    static const char *const keys[] = {"batch", "crop", "flip",      "cutout", "method",
                                       "crowd", "clip", "optimiser", "mean"};
    static const char *const options[] = {"--data", "--size", "--channels"};
    const json_t *recipe = json_object_get(training->step, "recipe");
    json_t *name = json_pack("[s]", training->network);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_array_append(name, json_object_get(recipe, keys[i]));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *word = sl_job_option(training, options[i]);
        json_array_append_new(name, word ? json_string(word) : json_null());
    }
    char *text = json_dumps(name, JSON_COMPACT);
    json_decref(name);
    return text;
}

/* How many times as fast a network trains with so many threads; 1 if it cannot be timed. */
static double measure_speedup(const struct sl_job *training, size_t threads)
{
    const struct sl_model_options model = model_of(training, training->network);
    struct sl_timing_options options = {.batch = batch_of(training), .steps = SPEEDUP_STEPS};
    struct sl_timing one = {0}, all = {0};
    struct sl_pool *pool = NULL;
    double speedup = 1;
    if (sl_pool_create(threads, &pool, NULL) != SL_OK) return 1;
    if (sl_network_time(&model, &options, &one, NULL) == SL_OK) {
        options.pool = pool;
        if (sl_network_time(&model, &options, &all, NULL) == SL_OK) speedup = one.best / all.best;
    }
    sl_timing_release(&one);
    sl_timing_release(&all);
    sl_pool_destroy(pool);
    return speedup > 1 ? speedup : 1;
}

static double speedup_of(struct timing *timing, const struct sl_job *training, size_t threads)
{
    if (threads <= 1) return 1;
    if (timing->threads != threads) {
        timing->speedup = measure_speedup(training, threads);
        timing->threads = threads;
    }
    return timing->speedup;
}

/* Core-seconds to corrupt one image of CIFAR-10's size, averaged over all corruptions. */
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

struct sl_estimator {
    const struct sl_data_roots *roots; /* borrowed */
    size_t n_processes, threads;
    struct timing *timings; /* owned; n_timings */
    size_t n_timings;
    double corrupting;          /* core-seconds per image; NaN: not timed yet */
    struct sl_name_table *jobs; /* owned; outputs of the jobs in `sum` */
    struct sl_name_table *runs; /* owned; keys of the runs in `sum` */
    struct sl_experiment_estimate sum;
};

struct sl_estimator *sl_estimator_create(const struct sl_data_roots *roots, size_t n_processes,
                                         size_t threads)
{
    struct sl_estimator *estimator = sl_alloc(1, sizeof *estimator);
    *estimator = (struct sl_estimator){.roots = roots,
                                       .n_processes = n_processes,
                                       .threads = threads,
                                       .corrupting = NAN,
                                       .jobs = sl_name_table_create(),
                                       .runs = sl_name_table_create(),
                                       .sum = {.memory = BASE_MEMORY}};
    return estimator;
}

void sl_estimator_destroy(struct sl_estimator *estimator)
{
    if (!estimator) return;
    for (size_t i = 0; i < estimator->n_timings; i++) {
        free(estimator->timings[i].name);
        free(estimator->timings[i].problem);
    }
    free(estimator->timings);
    sl_name_table_destroy(estimator->jobs);
    sl_name_table_destroy(estimator->runs);
    free(estimator);
}

struct sl_experiment_estimate sl_estimator_sum(const struct sl_estimator *estimator)
{
    return estimator->sum;
}

static struct timing *timing_of(struct sl_estimator *estimator, const struct sl_job *training)
{
    char *name = describe_step(training);
    for (size_t i = 0; i < estimator->n_timings; i++)
        if (strcmp(estimator->timings[i].name, name) == 0) {
            free(name);
            return &estimator->timings[i];
        }
    struct timing timing = {.name = name, .memory = sl_job_memory(training)};
    struct sl_error err;
    if (sl_probe_training(training, estimator->roots, probe_seconds, &timing.per_item, &err) !=
        SL_OK)
        timing.problem = sl_string_copy(err.message);
    estimator->timings =
        sl_resize(estimator->timings, estimator->n_timings + 1, sizeof *estimator->timings);
    estimator->timings[estimator->n_timings] = timing;
    return &estimator->timings[estimator->n_timings++];
}

/* An experiment that is being added to the sum. */
struct estimating {
    struct sl_estimator *estimator;         /* borrowed */
    const struct sl_experiment *experiment; /* borrowed */
    const char *folder;                     /* borrowed, or NULL */
    bool *counted;                          /* owned; n_jobs */
    size_t at_once, threads;                /* processes, and threads of each */
    struct sl_experiment_estimate own;
};

static bool is_made(const struct estimating *estimating, const struct sl_job *job)
{
    if (!estimating->folder) return false;
    char *path = sl_path_join(estimating->folder, job->output);
    const bool made = sl_file_exists(path);
    free(path);
    return made;
}

/* The training job whose network a job runs, or NULL. */
static const struct sl_job *training_of(const struct sl_experiment *experiment,
                                        const struct sl_job *job)
{
    if (job->network) return job;
    for (size_t i = 0; i < job->n_needs; i++)
        if (experiment->jobs[job->needs[i]].network) return &experiment->jobs[job->needs[i]];
    return NULL;
}

/* The bytes of the files that a job's command and the commands of its needs name. */
static double input_bytes(const struct estimating *estimating, const struct sl_job *job)
{
    const json_t *words = json_object_get(job->step, "command");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        char *path = NULL;
        struct stat file;
        if (word[0] != '@' ||
            sl_experiment_place(estimating->estimator->roots, word, &path, NULL) != SL_OK)
            path = sl_string_copy(word);
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode)) sum += (double)file.st_size;
        free(path);
    }
    for (size_t i = 0; i < job->n_needs; i++)
        sum += input_bytes(estimating, &estimating->experiment->jobs[job->needs[i]]);
    return sum;
}

/* The number of bootstrap resamples of softlab eval. */
static double n_resamples_of(const struct sl_job *job)
{
    const json_t *words = json_object_get(job->step, "command");
    const char *command = json_string_value(json_array_get(words, 0));
    const char *resamples = sl_job_option(job, "--bootstrap");
    return resamples && strcmp(command, "eval") == 0 ? strtod(resamples, NULL) : 0;
}

static struct sl_experiment_estimate estimate_job(struct estimating *estimating,
                                                  const struct sl_job *job)
{
    struct sl_estimator *estimator = estimating->estimator;
    struct sl_experiment_estimate cost = {.seconds = PROCESS_SECONDS};
    const struct sl_job *training = training_of(estimating->experiment, job);
    const struct sl_work *work = &job->work;
    if (!training) {
        cost.seconds += (READING_SECONDS + RESAMPLE_SECONDS * n_resamples_of(job)) *
                        input_bytes(estimating, job);
        cost.elapsed = cost.seconds / (double)estimating->at_once;
        return cost;
    }
    struct timing *timing = timing_of(estimator, training);
    cost.memory = timing->memory;
    cost.n_untimed = timing->problem != NULL;
    if (timing->problem) snprintf(cost.problem, sizeof cost.problem, "%s", timing->problem);
    cost.seconds += OPENING * work->seconds + work->trained * timing->per_item.trained +
                    work->predicted * timing->per_item.predicted +
                    work->attacked * timing->per_item.attacked;
    if (work->corrupted > 0) {
        if (isnan(estimator->corrupting)) estimator->corrupting = time_corruptions();
        cost.seconds += work->corrupted * estimator->corrupting;
    }
    cost.elapsed = cost.seconds / (double)estimating->at_once /
                   speedup_of(timing, training, estimating->threads);
    return cost;
}

static void add_cost(struct sl_experiment_estimate *sum, const struct sl_experiment_estimate *cost)
{
    if (sum->n_untimed == 0 && cost->n_untimed > 0)
        memcpy(sum->problem, cost->problem, sizeof sum->problem);
    sum->seconds += cost->seconds;
    sum->elapsed += cost->elapsed;
    sum->n_untimed += cost->n_untimed;
    if (cost->memory > sum->memory) sum->memory = cost->memory;
}

static bool is_new(struct sl_name_table *seen, const char *name)
{
    const size_t before = sl_name_table_count(seen);
    uint32_t index = 0;
    return sl_name_table_add(seen, name, strlen(name), &index, NULL) == SL_OK && index == before;
}

static void add_job(struct estimating *estimating, size_t index)
{
    const struct sl_job *job = &estimating->experiment->jobs[index];
    if (estimating->counted[index] || is_made(estimating, job)) return;
    estimating->counted[index] = true;
    for (size_t i = 0; i < job->n_needs; i++)
        add_job(estimating, job->needs[i]);
    const struct sl_experiment_estimate cost = estimate_job(estimating, job);
    add_cost(&estimating->own, &cost);
    if (is_new(estimating->estimator->jobs, job->output))
        add_cost(&estimating->estimator->sum, &cost);
}

/* The processes that will work at once, and the threads that each of them gets, as the runner
 * divides them. */
static void divide_threads(struct estimating *estimating, const struct sl_ledger *ledger)
{
    const struct sl_experiment *experiment = estimating->experiment;
    const struct sl_estimator *estimator = estimating->estimator;
    size_t n_runs = 0;
    for (size_t i = 0; i < experiment->n_runs; i++)
        n_runs += !experiment->runs[i].missing && !sl_ledger_has(ledger, &experiment->runs[i]);
    estimating->at_once = n_runs < estimator->n_processes ? n_runs : estimator->n_processes;
    if (estimating->at_once == 0) estimating->at_once = 1;
    estimating->threads = estimator->threads / estimating->at_once;
}

enum sl_status sl_estimator_add(struct sl_estimator *estimator,
                                const struct sl_experiment *experiment, const char *folder,
                                struct sl_experiment_estimate *out, struct sl_error *err)
{
    struct estimating estimating = {
        .estimator = estimator,
        .experiment = experiment,
        .folder = folder,
        .counted = sl_alloc(experiment->n_jobs + 1, sizeof *estimating.counted),
        .own = {.memory = BASE_MEMORY},
    };
    struct sl_ledger ledger = {.lock = -1};
    enum sl_status status = SL_OK;
    if (folder && sl_folder_exists(folder)) SL_TRY_OUT(sl_ledger_read(folder, &ledger, err));
    divide_threads(&estimating, &ledger);
    for (size_t i = 0; i < experiment->n_runs; i++) {
        const struct sl_run *run = &experiment->runs[i];
        if (run->missing || sl_ledger_has(&ledger, run)) continue;
        estimating.own.n_runs++;
        estimator->sum.n_runs += is_new(estimator->runs, run->key);
        for (size_t j = 0; j < run->n_scores; j++)
            add_job(&estimating, run->scores[j]);
    }
    *out = estimating.own;
out:
    sl_ledger_close(&ledger);
    free(estimating.counted);
    return status;
}
