#include "nn/plan/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/dnn.h"
#include "nn/threads.h"
#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

const struct sl_nn_layer_type *const sl_nn_layer_types[SL_NN_N_OPS] = {
    [SL_NN_NORMALISE] = &sl_nn_layer_normalise,
    [SL_NN_CONV] = &sl_nn_layer_conv,
    [SL_NN_BATCH_NORM] = &sl_nn_layer_batch_norm,
    [SL_NN_RELU] = &sl_nn_layer_relu,
    [SL_NN_MAX_POOL] = &sl_nn_layer_pool,
    [SL_NN_AVERAGE_POOL] = &sl_nn_layer_pool,
    [SL_NN_GLOBAL_POOL] = &sl_nn_layer_global_pool,
    [SL_NN_FLATTEN] = &sl_nn_layer_flatten,
    [SL_NN_LINEAR] = &sl_nn_layer_linear,
    [SL_NN_ADD] = &sl_nn_layer_add,
    [SL_NN_SUBSAMPLE] = &sl_nn_layer_subsample,
    [SL_NN_CONCAT] = &sl_nn_layer_concat,
    [SL_NN_DROPOUT] = &sl_nn_layer_dropout,
    [SL_NN_SHAKE] = &sl_nn_layer_shake,
    [SL_NN_EMBED] = &sl_nn_layer_embed,
    [SL_NN_LSTM] = &sl_nn_layer_lstm,
    [SL_NN_PICK] = &sl_nn_layer_pick,
    [SL_NN_TANH] = &sl_nn_layer_tanh,
    [SL_NN_WEIGH] = &sl_nn_layer_weigh,
};

struct sl_plan_options sl_plan_options_default(void)
{
    return (struct sl_plan_options){.batch = 32, .training = true};
}

/* ---- Creating ---- */

static float *place_of(const struct sl_plan *plan, const struct sl_nn_buffer *buffers,
                       size_t buffer)
{
    if (buffer >= SL_NN_CALLERS_LOGITS) return NULL;
    return (float *)(void *)(plan->memory + buffers[buffer].offset);
}

static void resolve(const struct sl_plan *plan, const struct sl_nn_buffer *buffers,
                    struct sl_nn_slot *slot)
{
    slot->tensor.data = place_of(plan, buffers, slot->buffer);
}

/* Set the pointers of a step, once all buffers are placed. */
static void resolve_step(struct sl_plan *plan, const struct sl_nn_buffer *buffers,
                         struct sl_nn_step *step)
{
    struct sl_nn_args *args = &step->args;
    *args = (struct sl_nn_args){
        .batch = &plan->batch,
        .values = plan->model->values,
        .state = plan->model->state,
        .gradients = plan->gradients,
        .kept = place_of(plan, buffers, step->kept),
        .prepared = plan->lasting + step->prepared,
        .noise = plan->noise ? plan->noise + step->noise : NULL,
        .mean = place_of(plan, buffers, step->statistics),
        .pool = plan->options.pool,
        .weights_seconds = plan->options.profile ? &step->weights_seconds : NULL,
    };
    for (size_t pass = 0; pass < 2; pass++)
        step->scratch_place[pass] = place_of(plan, buffers, step->scratch[pass]);
    if (args->mean) {
        const size_t root = buffers[step->statistics].bytes / (2 * sizeof(float));
        args->variance = args->mean + root;
    }
    struct sl_nn_slot *slots[] = {&step->output, &step->upstream, &step->masked};
    struct sl_nn_tensor *tensors[] = {&args->output, &args->upstream, &args->masked};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        resolve(plan, buffers, slots[i]);
        *tensors[i] = slots[i]->tensor;
    }
    for (size_t k = 0; k < 2; k++) {
        resolve(plan, buffers, &step->input[k]);
        resolve(plan, buffers, &step->input_gradient[k]);
        resolve(plan, buffers, &step->add[k]);
        args->input[k] = step->input[k].tensor;
        args->input_gradient[k] = step->input_gradient[k].tensor;
        args->add[k] = step->add[k].tensor;
    }
    for (size_t m = 0; m < step->n_mends; m++) {
        resolve(plan, buffers, &step->mends[m].a);
        resolve(plan, buffers, &step->mends[m].b);
        resolve(plan, buffers, &step->mends[m].out);
    }
}

static enum sl_status allocate(struct sl_plan *plan, struct sl_error *err)
{
    const struct sl_plan *other = plan->options.memory_of;
    if (other && other->memory_bytes >= plan->memory_bytes) {
        plan->memory = other->memory;
    } else {
        plan->memory = sl_data_alloc(plan->memory_bytes, 1, err);
        if (!plan->memory) return SL_ERR_NOMEM;
        plan->owns_memory = true;
    }
    plan->lasting = sl_data_alloc(plan->lasting_bytes, 1, err);
    if (!plan->lasting) return SL_ERR_NOMEM;
    if (plan->n_noise) {
        plan->noise = sl_data_alloc(plan->n_noise, sizeof *plan->noise, err);
        if (!plan->noise) return SL_ERR_NOMEM;
        for (size_t i = 0; i < plan->n_noise; i++)
            plan->noise[i] = 1.0F;
    }
    if (!plan->options.training) return SL_OK;
    if (other && other->gradients && other->model == plan->model) {
        plan->gradients = other->gradients;
        return SL_OK;
    }
    plan->gradients = sl_data_alloc(plan->model->n_values, sizeof *plan->gradients, err);
    if (!plan->gradients) return SL_ERR_NOMEM;
    memset(plan->gradients, 0, plan->model->n_values * sizeof *plan->gradients);
    plan->owns_gradients = true;
    return SL_OK;
}

static struct sl_profile_row profile_row(const struct sl_nn_step *step,
                                         enum sl_nn_direction direction, const char *name)
{
    const struct sl_nn_unit *unit = &step->unit;
    const double multiply_adds = (double)sl_nn_node_multiply_adds(unit->graph, unit->node);
    return (struct sl_profile_row){
        .name = unit->graph->nodes[unit->node].name,
        .kind = step->type->name,
        .direction = name,
        .kernel = step->type->kernel ? step->type->kernel(step->state, direction) : "",
        .flops = 2.0 * multiply_adds * (double)unit->images,
    };
}

static void make_profile(struct sl_plan *plan)
{
    enum { ROWS_PER_STEP = 3 };
    plan->profile = sl_alloc(ROWS_PER_STEP * plan->n_steps + 1, sizeof *plan->profile);
    for (size_t i = 0; i < plan->n_steps; i++) {
        struct sl_nn_step *step = &plan->steps[i];
        step->profile = ROWS_PER_STEP * i;
        struct sl_profile_row *rows = &plan->profile[step->profile];
        const bool conv = step->type == &sl_nn_layer_conv;
        rows[0] = profile_row(step, SL_NN_FORWARD, "forward");
        rows[1] = profile_row(step, SL_NN_BACKWARD_DATA, conv ? "backward-data" : "backward");
        rows[2] = profile_row(step, SL_NN_BACKWARD_WEIGHTS, "backward-weights");
    }
    plan->n_profile = ROWS_PER_STEP * plan->n_steps;
}

enum sl_status sl_plan_create(struct sl_model *model, const struct sl_plan_options *options,
                              struct sl_plan **out, struct sl_error *err)
{
    if (options->batch == 0) return sl_fail(err, SL_ERR_USAGE, "a batch must have at least 1 item");
    struct sl_plan *plan = sl_alloc(1, sizeof *plan);
    struct sl_nn_buffer *buffers = NULL;
    enum sl_status status = SL_OK;
    plan->model = model;
    plan->options = *options;
    plan->kernels = sl_nn_kernels_select();
    plan->prepared_version = model->version - 1;
    SL_TRY_OUT(sl_nn_plan_build(plan, &buffers, err));
    SL_TRY_OUT(allocate(plan, err));
    for (size_t i = 0; i < plan->n_steps; i++)
        resolve_step(plan, buffers, &plan->steps[i]);
    resolve(plan, buffers, &plan->logits);
    resolve(plan, buffers, &plan->pixels_gradient);
    plan->options.tuning = NULL; /* borrowed for this call */
    plan->options.memory_of = NULL;
    if (options->profile) make_profile(plan);
    *out = plan;
out:
    free(buffers);
    if (status != SL_OK) sl_plan_destroy(plan);
    return status;
}

void sl_plan_destroy(struct sl_plan *plan)
{
    if (!plan) return;
    for (size_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].state) plan->steps[i].type->destroy(plan->steps[i].state);
    free(plan->steps);
    if (plan->owns_memory) free(plan->memory);
    if (plan->owns_gradients) free(plan->gradients);
    free(plan->lasting);
    free(plan->noise);
    free(plan->profile);
    free(plan);
}

/* ---- Running ---- */

/* Cast away const: layers have one type of tensor, also for memory that they only read. */
static float *only_read(const float *data)
{
    union {
        const float *given;
        float *taken;
    } pointer = {.given = data};
    return pointer.taken;
}

static void prepare_steps(struct sl_plan *plan)
{
    if (plan->prepared_version == plan->model->version) return;
    for (size_t i = 0; i < plan->n_steps; i++) {
        struct sl_nn_step *step = &plan->steps[i];
        if (step->type->prepare) step->type->prepare(step->state, &step->args);
    }
    plan->prepared_version = plan->model->version;
}

/* ---- Some images at a time ---- */

struct image_parts {
    const struct sl_nn_step *step;
    void (*run)(void *state, const struct sl_nn_args *args);
    size_t images, n_parts;
};

static struct sl_nn_args args_of_images(const struct sl_nn_args *all, size_t first, size_t count)
{
    struct sl_nn_args some = *all;
    some.first_image = first;
    some.pool = NULL;
    some.output = sl_nn_image_view(&all->output, first, count);
    some.upstream = sl_nn_image_view(&all->upstream, first, count);
    some.masked = sl_nn_image_view(&all->masked, first, count);
    for (size_t k = 0; k < 2; k++) {
        some.input[k] = sl_nn_image_view(&all->input[k], first, count);
        some.input_gradient[k] = sl_nn_image_view(&all->input_gradient[k], first, count);
        some.add[k] = sl_nn_image_view(&all->add[k], first, count);
    }
    return some;
}

static void run_some_images(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct image_parts *parts = context;
    const struct sl_pool_range range = sl_pool_range_of(parts->images, parts->n_parts, part);
    const struct sl_nn_args some =
        args_of_images(&parts->step->args, range.begin, range.end - range.begin);
    parts->run(parts->step->state, &some);
}

static void run_layer(const struct sl_nn_step *step,
                      void (*run)(void *state, const struct sl_nn_args *args))
{
    const size_t images = step->unit.images;
    const size_t n_parts =
        step->type->by_image ? sl_nn_image_parts(step->args.pool, &step->args.output) : 1;
    struct image_parts parts = {step, run, images, n_parts};
    if (n_parts > 1)
        sl_pool_run(step->args.pool, n_parts, run_some_images, &parts);
    else
        run(step->state, &step->args);
}

static void run_forward(struct sl_plan *plan, struct sl_nn_step *step)
{
    for (size_t k = 0; k < step->unit.n_inputs; k++)
        if (step->input[k].buffer == SL_NN_CALLERS_PIXELS)
            step->args.input[k].data = only_read(plan->batch.pixels);
    step->args.scratch = step->scratch_place[0];
    const double start = plan->profile ? sl_clock_seconds() : 0.0;
    run_layer(step, step->type->forward);
    if (!plan->profile) return;
    struct sl_profile_row *row = &plan->profile[step->profile];
    row->seconds += sl_clock_seconds() - start;
    row->runs++;
}

const float *sl_plan_forward(struct sl_plan *plan, const struct sl_batch *batch)
{
    const struct sl_nn_guard guard = sl_nn_guard_enter();
    plan->batch = *batch;
    prepare_steps(plan);
    for (size_t i = 0; i < plan->n_steps; i++)
        run_forward(plan, &plan->steps[i]);
    sl_nn_guard_leave(guard);
    return plan->logits.tensor.data;
}

struct mending {
    const struct sl_plan *plan;
    const struct sl_nn_mend *mend;
    size_t n_parts;
};

static void mend_images(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct mending *mending = context;
    const struct sl_nn_kernels *kernels = mending->plan->kernels;
    const struct sl_nn_mend *mend = mending->mend;
    const struct sl_pool_range range =
        sl_pool_range_of(mend->out.tensor.images, mending->n_parts, part);
    const size_t first = range.begin, count = range.end - range.begin;
    const struct sl_nn_tensor a = sl_nn_image_view(&mend->a.tensor, first, count);
    const struct sl_nn_tensor b = sl_nn_image_view(&mend->b.tensor, first, count);
    const struct sl_nn_tensor out = sl_nn_image_view(&mend->out.tensor, first, count);
    if (!b.data)
        kernels->extract_channels(&a, 0, &out);
    else if (out.layout == SL_NN_BLOCKED)
        kernels->add(&a, &b, false, &out);
    else
        kernels->accumulate(a.data, b.data, out.images * out.image_stride, out.data);
}

static void run_mend(const struct sl_plan *plan, const struct sl_nn_mend *mend)
{
    struct sl_pool *pool = plan->options.pool;
    struct mending mending = {plan, mend, sl_nn_image_parts(pool, &mend->out.tensor)};
    sl_pool_run(pool, mending.n_parts, mend_images, &mending);
}

static void record_backward(struct sl_plan *plan, struct sl_nn_step *step, double seconds)
{
    struct sl_profile_row *rows = &plan->profile[step->profile];
    rows[1].seconds += seconds - step->weights_seconds;
    rows[1].runs++;
    rows[2].seconds += step->weights_seconds;
    if (step->type == &sl_nn_layer_conv && step->unit.gradients) rows[2].runs++;
    step->weights_seconds = 0.0;
}

static void run_backward(struct sl_plan *plan, struct sl_nn_step *step)
{
    if (!step->backward) return;
    step->args.scratch = step->scratch_place[1];
    const double start = plan->profile ? sl_clock_seconds() : 0.0;
    run_layer(step, step->type->backward);
    for (size_t m = 0; m < step->n_mends; m++)
        run_mend(plan, &step->mends[m]);
    if (plan->profile) record_backward(plan, step, sl_clock_seconds() - start);
}

void sl_plan_backward(struct sl_plan *plan, const float *logit_gradient)
{
    const struct sl_nn_guard guard = sl_nn_guard_enter();
    for (size_t i = plan->n_steps; i-- > 0;) {
        struct sl_nn_step *step = &plan->steps[i];
        if (step->upstream.buffer == SL_NN_CALLERS_LOGITS)
            step->args.upstream.data = only_read(logit_gradient);
        run_backward(plan, step);
    }
    sl_nn_guard_leave(guard);
}

/* ---- Queries ---- */

float *sl_plan_gradients(struct sl_plan *plan)
{
    return plan->gradients;
}

const float *sl_plan_input_gradient(const struct sl_plan *plan)
{
    return plan->pixels_gradient.tensor.data;
}

size_t sl_plan_batch(const struct sl_plan *plan)
{
    return plan->options.batch;
}

size_t sl_plan_memory(const struct sl_plan *plan)
{
    size_t bytes = plan->lasting_bytes + plan->n_noise * sizeof *plan->noise;
    if (plan->owns_memory) bytes += plan->memory_bytes;
    if (plan->owns_gradients) bytes += plan->model->n_values * sizeof *plan->gradients;
    return bytes;
}

const struct sl_profile_row *sl_plan_profile(const struct sl_plan *plan, size_t *count)
{
    *count = plan->n_profile;
    return plan->profile;
}

void sl_plan_profile_clear(struct sl_plan *plan)
{
    for (size_t i = 0; i < plan->n_profile; i++) {
        plan->profile[i].runs = 0;
        plan->profile[i].seconds = 0;
    }
}

/* ---- noise ---- */

static struct sl_nn_step *noisy_step(struct sl_plan *plan, size_t index)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].needs.noise && index-- == 0) return &plan->steps[i];
    return NULL;
}

float *sl_plan_noise(struct sl_plan *plan, size_t index, size_t *count, const char **name)
{
    const struct sl_nn_step *step = noisy_step(plan, index);
    if (!step) return NULL;
    *count = step->needs.noise;
    if (name) *name = step->type->name;
    return step->args.noise;
}

/* Draw the noise of one item in one layer. */
static void draw_item(const struct sl_nn_step *step, size_t item, struct sl_rng *rng)
{
    const size_t images = step->unit.images;
    if (step->type == &sl_nn_layer_shake) {
        step->args.noise[item] = (float)sl_rng_uniform(rng);
        step->args.noise[images + item] = (float)sl_rng_uniform(rng);
        return;
    }
    const double rate = (double)step->unit.graph->nodes[step->unit.node].as.dropout.rate;
    const size_t count = step->needs.noise / images;
    float *mask = step->args.noise + item * count;
    for (size_t i = 0; i < count; i++)
        mask[i] = sl_rng_uniform(rng) < rate ? 0.0F : (float)(1.0 / (1.0 - rate));
}

struct noise_draw {
    struct sl_plan *plan;
    uint64_t seed, epoch;
    const size_t *items;
};

static void draw_item_noise(void *context, size_t item, size_t worker)
{
    (void)worker;
    const struct noise_draw *draw = context;
    struct sl_nn_step *step;
    for (size_t layer = 0; (step = noisy_step(draw->plan, layer)); layer++) {
        char purpose[32];
        struct sl_rng rng;
        snprintf(purpose, sizeof purpose, "noise.%zu", layer);
        sl_rng_init(&rng, draw->seed, purpose, draw->epoch, draw->items[item]);
        draw_item(step, item, &rng);
    }
}

void sl_plan_draw_noise(struct sl_plan *plan, uint64_t seed, uint64_t epoch, const size_t *items)
{
    struct noise_draw draw = {plan, seed, epoch, items};
    if (plan->n_noise == 0) return;
    sl_pool_run(plan->options.pool, plan->options.batch, draw_item_noise, &draw);
}
