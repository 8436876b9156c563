/* Convolution by oneDNN's direct algorithm, on one thread. Activations keep our layouts. A reorder
 * copies weights to and from the layout that oneDNN asks for, and pads their channels with zeros.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/conv/kernels.h"
#include "nn/dnn.h"
#include "softlab/base/memory.h"

struct onednn_state {
    struct sl_nn_conv_task task;
    struct sl_dnn_op conv;
    struct sl_dnn_op weights_in; /* OIHW to the layout that `conv` reads; forward, backward-data */
    struct sl_dnn_op result_out; /* result of `conv` to the caller's layout, where they differ */
    size_t result_bytes;
    size_t scratchpad_at; /* byte offset in scratch, after the source of result_out */
};

/* The layouts of a task's arrays in the caller's memory. */
struct layouts {
    dnnl_memory_desc_t input, output, weights, bias;
};

static enum sl_status describe_memory(dnnl_memory_desc_t *out, int rank, const size_t *sizes,
                                      dnnl_format_tag_t tag, struct sl_error *err)
{
    dnnl_dims_t dims;
    for (int i = 0; i < rank; i++)
        dims[i] = (dnnl_dim_t)sizes[i];
    return SL_DNN(dnnl_memory_desc_init_by_tag(out, rank, dims, dnnl_f32, tag));
}

static enum sl_status describe_weights(const struct sl_nn_conv_task *task, dnnl_format_tag_t plain,
                                       dnnl_format_tag_t grouped, dnnl_memory_desc_t *out,
                                       struct sl_error *err)
{
    size_t in = task->in_channels / task->groups, out_channels = task->out_channels / task->groups;
    const size_t sizes[] = {task->groups, out_channels, in, task->kernel, task->kernel};
    return task->groups > 1 ? describe_memory(out, 5, sizes, grouped, err)
                            : describe_memory(out, 4, sizes + 1, plain, err);
}

static enum sl_status describe_all(const struct sl_nn_conv_task *task, struct layouts *out,
                                   struct sl_error *err)
{
    const size_t input[] = {task->images, task->in_channels, task->height, task->width};
    const size_t output[] = {task->images, task->out_channels, task->out_height, task->out_width};
    SL_TRY(
        describe_memory(&out->input, 4, input, task->plain_input ? dnnl_nchw : dnnl_nChw8c, err));
    SL_TRY(describe_memory(&out->output, 4, output, dnnl_nChw8c, err));
    SL_TRY(describe_weights(task, dnnl_oihw, dnnl_goihw, &out->weights, err));
    return describe_memory(&out->bias, 1, &task->out_channels, dnnl_x, err);
}

/* Attributes: the scratchpad is ours, and a forward result may get an addition and a ReLU. */
static enum sl_status make_attributes(const struct sl_nn_conv_task *task,
                                      dnnl_primitive_attr_t *out, struct sl_error *err)
{
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_post_ops_t after = NULL;
    enum sl_status status = SL_OK;
    bool forward = task->direction == SL_NN_FORWARD;
    SL_TRY_OUT(SL_DNN(dnnl_primitive_attr_create(&attributes)));
    SL_TRY_OUT(
        SL_DNN(dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user)));
    SL_TRY_OUT(SL_DNN(dnnl_post_ops_create(&after)));
    if (forward && task->add) SL_TRY_OUT(SL_DNN(dnnl_post_ops_append_sum(after, 1)));
    if (forward && task->relu)
        SL_TRY_OUT(SL_DNN(dnnl_post_ops_append_eltwise(after, 1, dnnl_eltwise_relu, 0, 0)));
    SL_TRY_OUT(SL_DNN(dnnl_primitive_attr_set_post_ops(attributes, after)));
    *out = attributes;
    attributes = NULL;
out:
    if (after) dnnl_post_ops_destroy(after);
    if (attributes) dnnl_primitive_attr_destroy(attributes);
    return status;
}

/* The descriptor of one direction. The backward directions need the forward descriptor `forward` as
 * a hint. */
static enum sl_status describe_direction(const struct sl_nn_conv_task *task,
                                         const struct layouts *layouts, dnnl_engine_t engine,
                                         const_dnnl_primitive_desc_t forward,
                                         dnnl_primitive_desc_t *out, struct sl_error *err)
{
    dnnl_convolution_desc_t conv;
    dnnl_memory_desc_t input = layouts->input, any;
    dnnl_primitive_attr_t attributes = NULL;
    enum sl_status status = SL_OK;
    const dnnl_dims_t strides = {(dnnl_dim_t)task->stride, (dnnl_dim_t)task->stride};
    const dnnl_dims_t pad = {(dnnl_dim_t)task->pad, (dnnl_dim_t)task->pad};
    const dnnl_memory_desc_t *bias = task->bias ? &layouts->bias : NULL;
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    SL_TRY_OUT(describe_weights(task, dnnl_format_tag_any, dnnl_format_tag_any, &any, err));
    switch (task->direction) {
    case SL_NN_FORWARD:
        SL_TRY_OUT(SL_DNN(dnnl_convolution_forward_desc_init(&conv, dnnl_forward_training, direct,
                                                             &input, &any, bias, &layouts->output,
                                                             strides, pad, pad)));
        break;
    case SL_NN_BACKWARD_DATA: {
        /* No kernel of oneDNN writes a plain gradient, so it writes a blocked one that is then
         * reordered. */
        const size_t sizes[] = {task->images, task->in_channels, task->height, task->width};
        SL_TRY_OUT(describe_memory(&input, 4, sizes, dnnl_nChw8c, err));
        SL_TRY_OUT(SL_DNN(dnnl_convolution_backward_data_desc_init(
            &conv, direct, &input, &any, &layouts->output, strides, pad, pad)));
        break;
    }
    case SL_NN_BACKWARD_WEIGHTS:
        SL_TRY_OUT(SL_DNN(dnnl_convolution_backward_weights_desc_init(
            &conv, direct, &input, &any, bias, &layouts->output, strides, pad, pad)));
        break;
    }
    SL_TRY_OUT(make_attributes(task, &attributes, err));
    SL_TRY_OUT(SL_DNN(dnnl_primitive_desc_create(out, &conv, attributes, engine, forward)));
out:
    if (attributes) dnnl_primitive_attr_destroy(attributes);
    return status;
}

static enum sl_status describe_conv(const struct sl_nn_conv_task *task,
                                    const struct layouts *layouts, dnnl_engine_t engine,
                                    dnnl_primitive_desc_t *out, struct sl_error *err)
{
    if (task->direction == SL_NN_FORWARD)
        return describe_direction(task, layouts, engine, NULL, out, err);
    struct sl_nn_conv_task there = *task;
    dnnl_primitive_desc_t forward = NULL;
    there.direction = SL_NN_FORWARD;
    there.add = there.relu = false;
    SL_TRY(describe_direction(&there, layouts, engine, NULL, &forward, err));
    enum sl_status status = describe_direction(task, layouts, engine, forward, out, err);
    dnnl_primitive_desc_destroy(forward);
    return status;
}

static const dnnl_memory_desc_t *queried(const_dnnl_primitive_desc_t conv, dnnl_query_t what)
{
    return dnnl_primitive_desc_query_md(conv, what, 0);
}

static bool has_fast_kernel(const_dnnl_primitive_desc_t conv)
{
    const char *name = NULL;
    dnnl_status_t status =
        dnnl_primitive_desc_query(conv, dnnl_query_impl_info_str, 0, (void *)&name);
    return status == dnnl_success && strncmp(name, "jit", 3) == 0;
}

/* oneDNN counts threads when it chooses a kernel, so everything is chosen while it sees one
 * thread. */
static bool onednn_suits(const struct sl_nn_conv_task *task)
{
    if (task->direction == SL_NN_BACKWARD_DATA && task->add)
        return false; /* oneDNN cannot add in this direction */
    struct sl_nn_guard guard = sl_nn_guard_enter();
    struct sl_dnn dnn = {NULL, NULL};
    struct layouts layouts;
    dnnl_primitive_desc_t conv = NULL;
    bool suits = sl_dnn_open(&dnn, NULL) == SL_OK && describe_all(task, &layouts, NULL) == SL_OK &&
                 describe_conv(task, &layouts, dnn.engine, &conv, NULL) == SL_OK &&
                 has_fast_kernel(conv);
    if (conv) dnnl_primitive_desc_destroy(conv);
    sl_dnn_close(&dnn);
    sl_nn_guard_leave(guard);
    return suits;
}

static enum sl_status make_reorder(dnnl_engine_t engine, const dnnl_memory_desc_t *from,
                                   const dnnl_memory_desc_t *to, struct sl_dnn_op *out,
                                   struct sl_error *err)
{
    dnnl_primitive_desc_t reorder = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(
        SL_DNN(dnnl_reorder_primitive_desc_create(&reorder, from, engine, to, engine, NULL)));
    SL_TRY_OUT(sl_dnn_op_create(out, reorder, err));
    SL_TRY_OUT(sl_dnn_op_arg(out, DNNL_ARG_FROM, from, err));
    SL_TRY_OUT(sl_dnn_op_arg(out, DNNL_ARG_TO, to, err));
out:
    if (reorder) dnnl_primitive_desc_destroy(reorder);
    return status;
}

/* Declare the arrays of one direction. *written becomes the layout of its result, *weights that of
 * the weights if it reads them. */
static enum sl_status declare_arguments(struct onednn_state *state, const struct layouts *layouts,
                                        const_dnnl_primitive_desc_t conv,
                                        const dnnl_memory_desc_t **weights,
                                        const dnnl_memory_desc_t **written, struct sl_error *err)
{
    struct sl_dnn_op *op = &state->conv;
    switch (state->task.direction) {
    case SL_NN_FORWARD:
        *weights = queried(conv, dnnl_query_weights_md);
        *written = &layouts->output;
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_SRC, &layouts->input, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_WEIGHTS, *weights, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DST, *written, err));
        if (state->task.bias) SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_BIAS, &layouts->bias, err));
        break;
    case SL_NN_BACKWARD_DATA:
        *weights = queried(conv, dnnl_query_weights_md);
        *written = queried(conv, dnnl_query_diff_src_md);
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DIFF_DST, &layouts->output, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_WEIGHTS, *weights, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DIFF_SRC, *written, err));
        break;
    case SL_NN_BACKWARD_WEIGHTS:
        *written = queried(conv, dnnl_query_diff_weights_md);
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_SRC, &layouts->input, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DIFF_DST, &layouts->output, err));
        SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DIFF_WEIGHTS, *written, err));
        if (state->task.bias) SL_TRY(sl_dnn_op_arg(op, DNNL_ARG_DIFF_BIAS, &layouts->bias, err));
        break;
    }
    return sl_dnn_op_arg(op, DNNL_ARG_SCRATCHPAD, queried(conv, dnnl_query_scratchpad_md), err);
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static enum sl_status fill_state(struct onednn_state *state, struct sl_nn_conv *conv,
                                 struct sl_error *err)
{
    const struct sl_nn_conv_task *task = &state->task;
    struct sl_dnn dnn = {NULL, NULL};
    struct layouts layouts;
    dnnl_primitive_desc_t descriptor = NULL;
    const dnnl_memory_desc_t *weights = NULL, *written = NULL, *wanted;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dnn_open(&dnn, err));
    SL_TRY_OUT(describe_all(task, &layouts, err));
    SL_TRY_OUT(describe_conv(task, &layouts, dnn.engine, &descriptor, err));
    SL_TRY_OUT(sl_dnn_op_create(&state->conv, descriptor, err));
    SL_TRY_OUT(declare_arguments(state, &layouts, descriptor, &weights, &written, err));
    if (weights) {
        SL_TRY_OUT(make_reorder(dnn.engine, &layouts.weights, weights, &state->weights_in, err));
        conv->prepared_bytes = dnnl_memory_desc_get_size(weights);
    }
    wanted = task->direction == SL_NN_FORWARD         ? &layouts.output
             : task->direction == SL_NN_BACKWARD_DATA ? &layouts.input
                                                      : &layouts.weights;
    state->result_bytes = dnnl_memory_desc_get_size(wanted);
    if (!dnnl_memory_desc_equal(written, wanted)) {
        SL_TRY_OUT(make_reorder(dnn.engine, written, wanted, &state->result_out, err));
        state->scratchpad_at = round_up(dnnl_memory_desc_get_size(written));
    }
    conv->scratch_bytes = state->scratchpad_at +
                          dnnl_memory_desc_get_size(queried(descriptor, dnnl_query_scratchpad_md));
out:
    if (descriptor) dnnl_primitive_desc_destroy(descriptor);
    sl_dnn_close(&dnn);
    return status;
}

static void release_state(struct onednn_state *state)
{
    if (!state) return;
    sl_dnn_op_release(&state->conv);
    sl_dnn_op_release(&state->weights_in);
    sl_dnn_op_release(&state->result_out);
    free(state);
}

static enum sl_status onednn_create(const struct sl_nn_conv_task *task, struct sl_nn_conv *conv,
                                    struct sl_error *err)
{
    struct onednn_state *state = sl_alloc(1, sizeof *state);
    struct sl_nn_conv made = {.kernel = &sl_nn_conv_onednn_alone, .state = state};
    state->task = *task;
    struct sl_nn_guard guard = sl_nn_guard_enter();
    enum sl_status status = fill_state(state, &made, err);
    sl_nn_guard_leave(guard);
    if (status != SL_OK) {
        release_state(state);
        return status;
    }
    *conv = made;
    return SL_OK;
}

static void onednn_destroy(struct sl_nn_conv *conv)
{
    release_state(conv->state);
    conv->state = NULL;
}

static void onednn_prepare(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct onednn_state *state = conv->state;
    if (!state->weights_in.primitive) return;
    sl_dnn_op_set(&state->weights_in, DNNL_ARG_FROM, args->weights);
    sl_dnn_op_set(&state->weights_in, DNNL_ARG_TO, args->prepared);
    sl_dnn_op_run(&state->weights_in);
}

/* oneDNN adds to the result itself, so the addend is copied there first. */
static void place_sum(const struct onednn_state *state, const struct sl_nn_conv_args *args)
{
    if (!args->add)
        memset(args->result, 0, state->result_bytes);
    else if (args->add != args->result)
        memcpy(args->result, args->add, state->result_bytes);
}

static void onednn_run(const struct sl_nn_conv *conv, const struct sl_nn_conv_args *args)
{
    const struct onednn_state *state = conv->state;
    const struct sl_dnn_op *op = &state->conv;
    bool reorders = state->result_out.primitive != NULL;
    void *written = reorders ? args->scratch : args->result;
    if (state->task.direction == SL_NN_FORWARD && state->task.add) place_sum(state, args);
    /* sl_dnn_op_set ignores arguments that this direction did not declare. */
    sl_dnn_op_set(op, DNNL_ARG_SRC, args->input);
    sl_dnn_op_set(op, DNNL_ARG_DIFF_DST, args->upstream);
    sl_dnn_op_set(op, DNNL_ARG_WEIGHTS, args->prepared);
    sl_dnn_op_set(op, DNNL_ARG_BIAS, args->bias);
    sl_dnn_op_set(op, DNNL_ARG_DST, written);
    sl_dnn_op_set(op, DNNL_ARG_DIFF_SRC, written);
    sl_dnn_op_set(op, DNNL_ARG_DIFF_WEIGHTS, written);
    sl_dnn_op_set(op, DNNL_ARG_DIFF_BIAS, args->bias_gradient);
    sl_dnn_op_set(op, DNNL_ARG_SCRATCHPAD, /* NULL if the kernel needs none */
                  args->scratch ? (char *)args->scratch + state->scratchpad_at : NULL);
    sl_dnn_op_run(op);
    if (!reorders) return;
    sl_dnn_op_set(&state->result_out, DNNL_ARG_FROM, written);
    sl_dnn_op_set(&state->result_out, DNNL_ARG_TO, args->result);
    sl_dnn_op_run(&state->result_out);
}

const struct sl_nn_conv_kernel sl_nn_conv_onednn_alone = {
    .name = "onednn alone",
    .summary = "oneDNN's direct convolution on one thread",
    .suits = onednn_suits,
    .create = onednn_create,
    .destroy = onednn_destroy,
    .prepare = onednn_prepare,
    .run = onednn_run,
};
