#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nn/conv/tuning.h"
#include "nn/dnn.h"
#include "nn/graph/model.h"
#include "nn/tensor.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

/* The arrays of one layer. All its kernels share them. */
struct arena {
    float *input, *output, *weights, *gradient, *bias, *bias_gradient; /* owned */
};

/* A suitable kernel, ready to run. */
struct candidate {
    struct sl_nn_conv conv;
    void *prepared, *scratch; /* owned */
    double seconds;           /* shortest time so far */
};

static void release_arena(struct arena *arena)
{
    free(arena->input);
    free(arena->output);
    free(arena->weights);
    free(arena->gradient);
    free(arena->bias);
    free(arena->bias_gradient);
}

static enum sl_status random_floats(size_t count, struct sl_rng *rng, float **out,
                                    struct sl_error *err)
{
    float *made = sl_data_alloc(count, sizeof *made, err);
    if (!made) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        made[i] = (float)(2 * sl_rng_uniform(rng) - 1);
    *out = made;
    return SL_OK;
}

static enum sl_status random_blocked(size_t images, size_t channels, size_t pixels,
                                     struct sl_rng *rng, float **out, struct sl_error *err)
{
    size_t blocks = sl_nn_blocks(channels), tail = channels % SL_NN_LANES;
    SL_TRY(random_floats(images * blocks * pixels * SL_NN_LANES, rng, out, err));
    if (tail == 0) return SL_OK;
    for (size_t image = 0; image < images; image++)
        for (size_t pixel = 0; pixel < pixels; pixel++) {
            float *lanes = *out + ((image * blocks + blocks - 1) * pixels + pixel) * SL_NN_LANES;
            memset(lanes + tail, 0, (SL_NN_LANES - tail) * sizeof *lanes);
        }
    return SL_OK;
}

static enum sl_status fill_arena(const struct sl_nn_conv_task *task, struct arena *out,
                                 struct sl_error *err)
{
    struct arena made = {0};
    struct sl_rng rng;
    enum sl_status status = SL_OK;
    size_t pixels = task->height * task->width, out_pixels = task->out_height * task->out_width;
    size_t weights =
        task->out_channels * task->in_channels / task->groups * task->kernel * task->kernel;
    sl_rng_init(&rng, 1, "tuning", 0, 0);
    if (task->plain_input)
        SL_TRY_OUT(
            random_floats(task->images * task->in_channels * pixels, &rng, &made.input, err));
    else
        SL_TRY_OUT(random_blocked(task->images, task->in_channels, pixels, &rng, &made.input, err));
    SL_TRY_OUT(
        random_blocked(task->images, task->out_channels, out_pixels, &rng, &made.output, err));
    SL_TRY_OUT(random_floats(weights, &rng, &made.weights, err));
    SL_TRY_OUT(random_floats(weights, &rng, &made.gradient, err));
    SL_TRY_OUT(random_floats(task->out_channels, &rng, &made.bias, err));
    SL_TRY_OUT(random_floats(task->out_channels, &rng, &made.bias_gradient, err));
    *out = made;
    return SL_OK;
out:
    release_arena(&made);
    return status;
}

static void release_candidates(struct candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        candidates[i].conv.kernel->destroy(&candidates[i].conv);
        free(candidates[i].prepared);
        free(candidates[i].scratch);
    }
    free(candidates);
}

static enum sl_status make_candidate(const struct sl_nn_conv_kernel *kernel,
                                     const struct sl_nn_conv_task *task, struct candidate *out,
                                     struct sl_error *err)
{
    struct candidate made = {.seconds = HUGE_VAL};
    SL_TRY(kernel->create(task, &made.conv, err));
    made.conv.kernel = kernel;
    made.prepared = sl_data_alloc(made.conv.prepared_bytes, 1, err);
    if (made.prepared) made.scratch = sl_data_alloc(made.conv.scratch_bytes, 1, err);
    if (!made.scratch) {
        kernel->destroy(&made.conv);
        free(made.prepared);
        return SL_ERR_NOMEM;
    }
    *out = made;
    return SL_OK;
}

static enum sl_status make_candidates(const struct sl_nn_conv_task *task, struct candidate **out,
                                      size_t *count, struct sl_error *err)
{
    size_t n_kernels = 0, made = 0;
    while (sl_nn_conv_kernels[n_kernels])
        n_kernels++;
    struct candidate *candidates = sl_alloc(n_kernels, sizeof *candidates);
    for (size_t i = 0; i < n_kernels; i++) {
        const struct sl_nn_conv_kernel *kernel = sl_nn_conv_kernels[i];
        if (!kernel->suits(task)) continue;
        enum sl_status status = make_candidate(kernel, task, &candidates[made], err);
        if (status != SL_OK) {
            release_candidates(candidates, made);
            return status;
        }
        made++;
    }
    *out = candidates;
    *count = made;
    return SL_OK;
}

/* CPU time of this thread: other programs on the machine affect it less than wall-clock time. */
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The time includes the preparation of the weights: in training they change with every step. */
static double time_once(const struct candidate *candidate, const struct sl_nn_conv_task *task,
                        const struct arena *arena)
{
    bool forward = task->direction == SL_NN_FORWARD;
    const struct sl_nn_conv_args args = {
        .input = arena->input,
        .upstream = arena->output,
        .weights = arena->weights,
        .bias = arena->bias,
        .result = forward                                  ? arena->output
                  : task->direction == SL_NN_BACKWARD_DATA ? arena->input
                                                           : arena->gradient,
        .bias_gradient = arena->bias_gradient,
        .prepared = candidate->prepared,
        .scratch = candidate->scratch,
    };
    const struct sl_nn_conv_kernel *kernel = candidate->conv.kernel;
    double start = thread_seconds();
    if (kernel->prepare) kernel->prepare(&candidate->conv, &args);
    kernel->run(&candidate->conv, &args);
    return thread_seconds() - start;
}

static void report(const struct sl_nn_conv_task *task, const struct candidate *candidates,
                   size_t count, const struct sl_log *log)
{
    size_t per_output = task->in_channels / task->groups * task->kernel * task->kernel;
    size_t outputs = task->images * task->out_channels * task->out_height * task->out_width;
    double flops = 2.0 * (double)per_output * (double)outputs;
    char times[256];
    size_t used = 0;
    times[0] = '\0';
    for (size_t i = 0; i < count && used < sizeof times; i++)
        used += (size_t)snprintf(times + used, sizeof times - used, "%s%s %.3f ms (%.0f GFLOP/s)",
                                 i > 0 ? ", " : "", candidates[i].conv.kernel->name,
                                 candidates[i].seconds * 1e3, flops / candidates[i].seconds * 1e-9);
    sl_log(log, SL_LOG_INFO, "%zu to %zu channels, %zux%zu, kernel %zu/%zu, batch %zu, %s: %s",
           task->in_channels, task->out_channels, task->height, task->width, task->kernel,
           task->stride, task->images, sl_nn_direction_name(task->direction), times);
}

static enum sl_status measure_task(const struct sl_nn_conv_task *task, size_t rounds,
                                   const struct arena *arena, const struct sl_log *log,
                                   struct sl_tuning *tuning, struct sl_error *err)
{
    struct candidate *candidates;
    size_t count, best = 0;
    SL_TRY(make_candidates(task, &candidates, &count, err));
    struct sl_nn_guard guard = sl_nn_guard_enter();
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++) {
            double seconds = time_once(&candidates[i], task, arena);
            if (seconds < candidates[i].seconds) candidates[i].seconds = seconds;
        }
    sl_nn_guard_leave(guard);
    for (size_t i = 1; i < count; i++)
        if (candidates[i].seconds < candidates[best].seconds) best = i;
    report(task, candidates, count, log);
    struct sl_nn_tuning_row row = sl_nn_tuning_row_of(task, candidates[best].conv.kernel);
    sl_nn_tuning_set(tuning, &row);
    release_candidates(candidates, count);
    return SL_OK;
}

static bool is_measured(const struct sl_tuning *tuning, const struct sl_nn_conv_task *task)
{
    struct sl_nn_tuning_row row = sl_nn_tuning_row_of(task, NULL);
    for (size_t i = 0; i < tuning->count; i++)
        if (sl_nn_tuning_compare(&tuning->rows[i], &row) == 0) return true;
    return false;
}

static enum sl_status measure_node(const struct sl_nn_graph *graph, size_t node, size_t batch,
                                   size_t rounds, const struct sl_log *log,
                                   struct sl_tuning *tuning, struct sl_error *err)
{
    struct sl_nn_conv_task task = sl_nn_conv_task_of(graph, node, batch, SL_NN_FORWARD);
    struct arena arena;
    if (is_measured(tuning, &task)) return SL_OK;
    SL_TRY(fill_arena(&task, &arena, err));
    enum sl_status status = SL_OK;
    for (int direction = SL_NN_FORWARD; direction <= SL_NN_BACKWARD_WEIGHTS; direction++) {
        task.direction = (enum sl_nn_direction)direction;
        SL_TRY_OUT(measure_task(&task, rounds, &arena, log, tuning, err));
    }
out:
    release_arena(&arena);
    return status;
}

enum sl_status sl_tuning_measure(struct sl_model *model, size_t batch, size_t rounds,
                                 const struct sl_log *log, struct sl_tuning **tuning,
                                 struct sl_error *err)
{
    if (batch == 0 || rounds == 0)
        return sl_fail(err, SL_ERR_USAGE, "tuning needs a batch and rounds of at least 1");
    struct sl_tuning *measured = sl_alloc(1, sizeof *measured);
    const struct sl_nn_graph *graph = &model->graph;
    enum sl_status status = SL_OK;
    for (size_t node = 0; node < graph->count; node++)
        if (graph->nodes[node].op == SL_NN_CONV)
            SL_TRY_OUT(measure_node(graph, node, batch, rounds, log, measured, err));
    if (!*tuning) *tuning = sl_alloc(1, sizeof **tuning);
    for (size_t i = 0; i < measured->count; i++)
        sl_nn_tuning_set(*tuning, &measured->rows[i]);
out:
    sl_tuning_destroy(measured);
    return status;
}
