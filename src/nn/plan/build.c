/* Decides the order of the units and the memory of their tensors.
 *
 * Time has 2 U moments for U units: unit i runs forward at moment i and backward at 2 U - 1 - i. A
 * buffer lives from the first moment that touches it to the last.
 *
 * The gradient with respect to a tensor is the sum of its readers' contributions, latest reader
 * first. A contribution is a buffer: one that the reader's layer writes, or the reader's own
 * upstream gradient if the layer passes it on unchanged (so an addition costs nothing). A layer
 * that can add (needs.adds) adds the sum so far to its own result, in place if no other reader
 * needs it; otherwise a "mend" after it does the addition. */
#include <assert.h>
#include <stdlib.h>

#include "nn/plan/fuse.h"
#include "nn/plan/plan.h"
#include "softlab/base/memory.h"

struct builder {
    struct sl_plan *plan;
    const struct sl_nn_graph *graph;
    struct sl_nn_buffer *buffers; /* owned until handed over */
    size_t n_buffers, capacity;
    size_t *references; /* per buffer: gradients in it that a unit will still read */
    /* Per node: */
    struct sl_nn_slot *value, *gradient;
    size_t *root; /* the node whose buffer holds its value: itself, or the root of a dense block */
    size_t *root_channels;                 /* of a root: channels that its buffer has room for */
    size_t *statistics;                    /* of a root: its buffer of means and variances */
    size_t *counted;                       /* of a root: channels that have statistics so far */
    bool *requires;                        /* the gradient of its value is needed */
    const struct sl_nn_layer_type **maker; /* type of the unit that computes it */
};

static size_t backward_moment(const struct builder *builder, size_t step)
{
    return 2 * builder->plan->n_steps - 1 - step;
}

static size_t new_buffer(struct builder *builder, size_t bytes, size_t moment)
{
    if (builder->n_buffers == builder->capacity) {
        builder->capacity = builder->capacity ? 2 * builder->capacity : 64;
        builder->buffers = sl_resize(builder->buffers, builder->capacity, sizeof *builder->buffers);
        builder->references =
            sl_resize(builder->references, builder->capacity, sizeof *builder->references);
    }
    builder->buffers[builder->n_buffers] =
        (struct sl_nn_buffer){.bytes = bytes, .first = moment, .last = moment};
    builder->references[builder->n_buffers] = 0;
    return builder->n_buffers++;
}

static bool in_memory(size_t buffer)
{
    return buffer < SL_NN_CALLERS_LOGITS;
}

static void touch(struct builder *builder, size_t buffer, size_t moment)
{
    if (!in_memory(buffer)) return;
    assert(buffer < builder->n_buffers && builder->buffers);
    if (moment < builder->buffers[buffer].first) builder->buffers[buffer].first = moment;
    if (moment > builder->buffers[buffer].last) builder->buffers[buffer].last = moment;
}

/* A moment after both passes: a buffer touched then keeps its content for the caller. */
static size_t never(const struct builder *builder)
{
    return 2 * builder->plan->n_steps;
}

static const struct sl_nn_slot nowhere = {.buffer = SL_NN_NOWHERE};

/* A tensor of the given shape, in a buffer that has room for `channels` channels per image. */
static struct sl_nn_tensor tensor_of(const struct sl_nn_shape *shape, size_t images,
                                     size_t channels)
{
    size_t stride = channels * shape->height * shape->width;
    if (shape->layout == SL_NN_BLOCKED)
        stride = sl_nn_blocks(channels) * SL_NN_LANES * shape->height * shape->width;
    return (struct sl_nn_tensor){
        .layout = shape->layout,
        .images = images,
        .channels = shape->channels,
        .height = shape->height,
        .width = shape->width,
        .image_stride = stride,
    };
}

static size_t tensor_bytes(const struct sl_nn_tensor *tensor)
{
    return tensor->images * tensor->image_stride * sizeof(float);
}

static bool is_strided(const struct sl_nn_tensor *tensor)
{
    if (tensor->layout != SL_NN_BLOCKED) return false;
    return tensor->image_stride !=
           sl_nn_blocks(tensor->channels) * SL_NN_LANES * tensor->height * tensor->width;
}

/* ---- values ---- */

/* True if every reader of a node can read the first channels of a larger tensor. */
static bool readers_take_strides(const struct builder *builder, size_t node)
{
    for (size_t s = 0; s < builder->plan->n_steps; s++) {
        const struct sl_nn_step *step = &builder->plan->steps[s];
        for (size_t k = 0; k < step->unit.n_inputs; k++)
            if (step->unit.input[k] == node && !step->type->strided) return false;
    }
    return true;
}

/* A concatenation whose first input is another concatenation shares its buffer. The buffer has room
 * for the channels of the last one. */
static void find_roots(struct builder *builder)
{
    const struct sl_nn_graph *graph = builder->graph;
    bool *extended = sl_alloc(graph->count + 1, sizeof *extended);
    for (size_t i = 0; i < graph->count; i++) {
        const struct sl_nn_node *node = &graph->nodes[i];
        builder->root[i] = i;
        builder->root_channels[i] = node->shape.channels;
        if (node->op != SL_NN_CONCAT || node->shape.layout != SL_NN_BLOCKED) continue;
        const size_t before = node->input[0];
        if (graph->nodes[before].op != SL_NN_CONCAT || extended[before]) continue;
        if (!readers_take_strides(builder, before)) continue;
        extended[before] = true;
        builder->root[i] = builder->root[before];
        builder->root_channels[builder->root[i]] = node->shape.channels;
    }
    free(extended);
}

static void place_value(struct builder *builder, size_t node, size_t moment)
{
    const size_t root = builder->root[node];
    struct sl_nn_slot *slot = &builder->value[node];
    slot->tensor = tensor_of(&builder->graph->nodes[node].shape, builder->plan->options.batch,
                             builder->root_channels[root]);
    slot->buffer = root == node ? new_buffer(builder, tensor_bytes(&slot->tensor), moment)
                                : builder->value[root].buffer;
    touch(builder, slot->buffer, moment);
}

static void place_inputs(struct builder *builder)
{
    for (size_t i = 0; i < builder->graph->count; i++) {
        builder->value[i] = nowhere;
        builder->gradient[i] = nowhere;
        builder->statistics[i] = SL_NN_NOWHERE;
        if (builder->graph->nodes[i].op != SL_NN_PIXELS) continue;
        const struct sl_nn_shape *shape = &builder->graph->nodes[i].shape;
        builder->value[i].buffer = SL_NN_CALLERS_PIXELS;
        builder->value[i].tensor = tensor_of(shape, builder->plan->options.batch, shape->channels);
    }
}

/* ---- units ---- */

static bool has_values(const struct sl_nn_graph *graph, size_t node)
{
    struct sl_nn_tensor_spec specs[SL_NN_NODE_TENSORS];
    const size_t count = sl_nn_node_tensors(graph, node, specs);
    for (size_t i = 0; i < count; i++)
        if (specs[i].kind == SL_TENSOR_VALUE) return true;
    return false;
}

static void copy_offsets(const struct sl_model *model, size_t node, size_t *offsets)
{
    const size_t first = model->first_tensor[node];
    for (size_t i = 0; first + i < model->first_tensor[node + 1]; i++)
        offsets[i] = model->tensors[first + i].offset;
}

/* Set what sl_nn_fuse leaves open in a unit. */
static void complete_unit(struct builder *builder, struct sl_nn_step *step)
{
    const struct sl_plan *plan = builder->plan;
    struct sl_nn_unit *unit = &step->unit;
    unit->images = plan->options.batch;
    unit->training = plan->options.training;
    unit->tuning = plan->options.tuning;
    unit->kernels = plan->kernels;
    unit->threads = sl_pool_threads(plan->options.pool);
    unit->gradients = unit->training && has_values(builder->graph, unit->node);
    step->backward = unit->gradients;
    for (size_t k = 0; k < unit->n_inputs; k++) {
        unit->input_gradient[k] = builder->requires[unit->input[k]];
        step->backward = step->backward || unit->input_gradient[k];
    }
    builder->requires[unit->output] = step->backward;
    copy_offsets(plan->model, unit->node, unit->offset);
    if (unit->norm != SL_NN_NO_NODE) copy_offsets(plan->model, unit->norm, unit->norm_offset);
}

/* Batch norms over the same channels share their statistics. */
static void share_statistics(struct builder *builder, struct sl_nn_step *step, size_t moment)
{
    step->statistics = SL_NN_NOWHERE;
    if (step->type != &sl_nn_layer_batch_norm || !step->unit.training) return;
    const size_t root = builder->root[step->unit.input[0]];
    const size_t channels = builder->graph->nodes[step->unit.input[0]].shape.channels;
    if (builder->statistics[root] == SL_NN_NOWHERE)
        builder->statistics[root] = new_buffer(
            builder, 2 * sl_nn_blocks(builder->root_channels[root]) * SL_NN_LANES * sizeof(float),
            moment);
    step->statistics = builder->statistics[root];
    step->unit.statistics_from = builder->counted[root];
    if (channels > builder->counted[root]) builder->counted[root] = channels;
    touch(builder, step->statistics, moment);
    if (step->backward) touch(builder, step->statistics, 2 * builder->plan->n_steps - 1 - moment);
}

static size_t scratch_buffer(struct builder *builder, size_t bytes, size_t moment)
{
    return bytes ? new_buffer(builder, bytes, moment) : SL_NN_NOWHERE;
}

/* Compile one unit and give it the memory of its forward run. */
static enum sl_status build_forward(struct builder *builder, size_t index, struct sl_error *err)
{
    struct sl_plan *plan = builder->plan;
    struct sl_nn_step *step = &plan->steps[index];
    const size_t backward = backward_moment(builder, index);
    complete_unit(builder, step);
    share_statistics(builder, step, index);
    SL_TRY(step->type->create(&step->unit, &step->needs, &step->state, err));
    place_value(builder, step->unit.output, index);
    step->output = builder->value[step->unit.output];
    step->upstream = step->masked = nowhere;
    if (step->backward && step->needs.output_in_backward)
        touch(builder, step->output.buffer, backward);
    for (size_t k = 0; k < 2; k++) {
        step->input[k] = step->input_gradient[k] = step->add[k] = nowhere;
        if (k >= step->unit.n_inputs) continue;
        step->input[k] = builder->value[step->unit.input[k]];
        touch(builder, step->input[k].buffer, index);
        if (step->backward && step->needs.input_in_backward[k])
            touch(builder, step->input[k].buffer, backward);
    }
    step->kept = scratch_buffer(builder, step->needs.kept, index);
    if (step->backward) touch(builder, step->kept, backward);
    step->scratch[0] = scratch_buffer(builder, step->needs.scratch[0], index);
    step->scratch[1] = SL_NN_NOWHERE;
    step->prepared = plan->lasting_bytes;
    plan->lasting_bytes += sl_nn_aligned(step->needs.prepared);
    step->noise = plan->n_noise;
    plan->n_noise += step->needs.noise;
    return SL_OK;
}

/* ---- gradients ---- */

static void refer(struct builder *builder, size_t buffer, bool on)
{
    if (!in_memory(buffer)) return;
    if (on)
        builder->references[buffer]++;
    else
        builder->references[buffer]--;
}

/* True if only one unit still reads the gradient's buffer, so that it may overwrite it. */
static bool is_exclusive(const struct builder *builder, const struct sl_nn_slot *slot)
{
    return in_memory(slot->buffer) && builder->references[slot->buffer] == 1;
}

static struct sl_nn_slot fresh_gradient(struct builder *builder, size_t node, size_t moment)
{
    const struct sl_nn_shape *shape = &builder->graph->nodes[node].shape;
    struct sl_nn_slot slot = {.tensor =
                                  tensor_of(shape, builder->plan->options.batch, shape->channels)};
    slot.buffer = new_buffer(builder, tensor_bytes(&slot.tensor), moment);
    return slot;
}

static void set_gradient(struct builder *builder, size_t node, struct sl_nn_slot slot,
                         size_t moment)
{
    refer(builder, slot.buffer, true);
    refer(builder, builder->gradient[node].buffer, false);
    touch(builder, slot.buffer, moment);
    touch(builder, builder->gradient[node].buffer, moment);
    builder->gradient[node] = slot;
}

static void mend(struct sl_nn_step *step, struct sl_nn_slot a, struct sl_nn_slot b,
                 struct sl_nn_slot out)
{
    assert(step->n_mends < SL_NN_MENDS);
    step->mends[step->n_mends++] = (struct sl_nn_mend){.a = a, .b = b, .out = out};
}

static bool wants_pass(const struct sl_nn_step *step)
{
    for (size_t k = 0; k < step->unit.n_inputs; k++)
        if (step->needs.passes[k] && step->unit.input_gradient[k]) return true;
    return false;
}

/* True if the unit that makes a node can read the node's gradient in its current layout. */
static bool maker_takes(const struct builder *builder, size_t node,
                        const struct sl_nn_tensor *gradient)
{
    const struct sl_nn_layer_type *maker = builder->maker[node];
    return !maker || maker->strided || !is_strided(gradient);
}

/* True if the gradient of input k may overwrite the upstream gradient, which nothing else needs. */
static bool can_overwrite(const struct builder *builder, const struct sl_nn_step *step, size_t k)
{
    return k == 0 && step->needs.overwrites && !wants_pass(step) &&
           is_exclusive(builder, &step->upstream) &&
           maker_takes(builder, step->unit.input[0], &step->upstream.tensor);
}

/* The layer computes the gradient of input k. */
static void contribute_computed(struct builder *builder, struct sl_nn_step *step, size_t k,
                                size_t moment)
{
    const size_t node = step->unit.input[k];
    const struct sl_nn_slot sum = builder->gradient[node];
    const bool exists = sum.buffer != SL_NN_NOWHERE;
    const bool adds = step->needs.adds[k] && (step->type->strided || !is_strided(&sum.tensor));
    struct sl_nn_slot result = sum;
    if (!exists && can_overwrite(builder, step, k))
        result = step->upstream;
    else if (!(exists && adds && is_exclusive(builder, &sum)))
        result = fresh_gradient(builder, node, moment);
    step->input_gradient[k] = result;
    if (exists && adds) step->add[k] = sum;
    if (exists && !adds) mend(step, result, sum, result);
    set_gradient(builder, node, result, moment);
}

/* The layer passes `source` on to input k: its upstream gradient, or that gradient behind its
 * ReLU. */
static void contribute_passed(struct builder *builder, struct sl_nn_step *step, size_t k,
                              struct sl_nn_slot source, size_t moment)
{
    const size_t node = step->unit.input[k];
    const struct sl_nn_slot sum = builder->gradient[node];
    struct sl_nn_slot view = source;
    view.tensor.channels = builder->graph->nodes[node].shape.channels;
    if (sum.buffer == SL_NN_NOWHERE && maker_takes(builder, node, &view.tensor)) {
        set_gradient(builder, node, view, moment);
        return;
    }
    struct sl_nn_slot result = sum;
    if (sum.buffer == SL_NN_NOWHERE || !is_exclusive(builder, &sum))
        result = fresh_gradient(builder, node, moment);
    if (sum.buffer == SL_NN_NOWHERE)
        mend(step, view, nowhere, result);
    else
        mend(step, sum, view, result);
    set_gradient(builder, node, result, moment);
}

/* The gradient that the layer passes on unchanged to its inputs. */
static struct sl_nn_slot passed_source(struct builder *builder, struct sl_nn_step *step,
                                       size_t moment)
{
    if (!step->needs.masks) return step->upstream;
    step->masked = is_exclusive(builder, &step->upstream)
                       ? step->upstream
                       : fresh_gradient(builder, step->unit.output, moment);
    return step->masked;
}

static void build_backward(struct builder *builder, size_t index)
{
    struct sl_nn_step *step = &builder->plan->steps[index];
    const size_t moment = backward_moment(builder, index);
    step->upstream = builder->gradient[step->unit.output];
    if (step->upstream.buffer == SL_NN_NOWHERE) step->backward = false;
    if (!step->backward) return;
    touch(builder, step->upstream.buffer, moment);
    step->scratch[1] = scratch_buffer(builder, step->needs.scratch[1], moment);
    const struct sl_nn_slot source =
        wants_pass(step) ? passed_source(builder, step, moment) : nowhere;
    /* Computed gradients come first: the layer adds to sums that must exist before it runs, and
     * mends run after it. */
    for (size_t k = 0; k < step->unit.n_inputs; k++)
        if (step->unit.input_gradient[k] && !step->needs.passes[k])
            contribute_computed(builder, step, k, moment);
    for (size_t k = 0; k < step->unit.n_inputs; k++)
        if (step->unit.input_gradient[k] && step->needs.passes[k])
            contribute_passed(builder, step, k, source, moment);
    refer(builder, step->upstream.buffer, false);
}

/* ---- All steps ---- */

static void builder_init(struct builder *builder, struct sl_plan *plan)
{
    const struct sl_nn_graph *graph = &plan->model->graph;
    const size_t count = graph->count + 1;
    *builder = (struct builder){
        .plan = plan,
        .graph = graph,
        .value = sl_alloc(count, sizeof *builder->value),
        .gradient = sl_alloc(count, sizeof *builder->gradient),
        .root = sl_alloc(count, sizeof *builder->root),
        .root_channels = sl_alloc(count, sizeof *builder->root_channels),
        .statistics = sl_alloc(count, sizeof *builder->statistics),
        .counted = sl_alloc(count, sizeof *builder->counted),
        .requires = sl_alloc(count, sizeof *builder->requires),
        .maker = sl_alloc(count, sizeof(const struct sl_nn_layer_type *)),
    };
    struct sl_nn_unit *units = sl_alloc(count, sizeof *units);
    plan->n_steps =
        sl_nn_fuse(graph, !plan->options.training && !plan->options.input_gradient, units);
    plan->steps = sl_alloc(plan->n_steps + 1, sizeof *plan->steps);
    for (size_t i = 0; i < plan->n_steps; i++) {
        plan->steps[i].unit = units[i];
        plan->steps[i].type = sl_nn_layer_types[graph->nodes[units[i].node].op];
        builder->maker[units[i].output] = plan->steps[i].type;
    }
    free(units);
    place_inputs(builder);
    find_roots(builder);
}

static void builder_release(struct builder *builder)
{
    free(builder->references);
    free(builder->value);
    free(builder->gradient);
    free(builder->root);
    free(builder->root_channels);
    free(builder->statistics);
    free(builder->counted);
    free(builder->requires);
    free((void *)builder->maker);
    free(builder->buffers);
}

enum sl_status sl_nn_plan_build(struct sl_plan *plan, struct sl_nn_buffer **buffers,
                                struct sl_error *err)
{
    struct builder builder;
    enum sl_status status = SL_OK;
    builder_init(&builder, plan);
    const size_t last = builder.graph->count - 1;
    for (size_t i = 0; i < builder.graph->count; i++)
    builder.requires[i] =
        plan->options.input_gradient && builder.graph->nodes[i].op == SL_NN_PIXELS;
    for (size_t i = 0; i < plan->n_steps; i++)
        SL_TRY_OUT(build_forward(&builder, i, err));
    plan->logits = builder.value[last];
    touch(&builder, plan->logits.buffer, never(&builder));
    builder.gradient[last] = plan->logits;
    builder.gradient[last].buffer = SL_NN_CALLERS_LOGITS;
    for (size_t i = plan->n_steps; i-- > 0;)
        build_backward(&builder, i);
    plan->pixels_gradient = nowhere;
    for (size_t i = 0; i < builder.graph->count; i++)
        if (builder.graph->nodes[i].op == SL_NN_PIXELS) plan->pixels_gradient = builder.gradient[i];
    touch(&builder, plan->pixels_gradient.buffer, never(&builder));
    plan->memory_bytes = sl_nn_place(builder.buffers, builder.n_buffers);
    *buffers = builder.buffers;
    builder.buffers = NULL;
out:
    builder_release(&builder);
    return status;
}
