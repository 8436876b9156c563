/* Max and average pooling by oneDNN, in PyTorch's ceil mode: the last window may extend beyond the
 * edge, and an average counts only the pixels inside. */
#include <stdlib.h>

#include "nn/dnn.h"
#include "nn/layers/layer.h"
#include "nn/threads.h"
#include "softlab/base/memory.h"

/* oneDNN's objects, which one thread at a time can use. */
struct pool_op {
    struct sl_dnn_op forward, backward;
};

struct pool_layer {
    struct sl_dnn dnn;
    struct pool_op
        *ops; /* owned; one that runs all images, or one per thread that runs one image */
    size_t n_ops;
    size_t images, at_once; /* of the batch; of a run of an op */
    size_t workspace;       /* bytes of a run; 0: none */
};

enum { RANK = 4, MAPS = 2 };

static enum sl_status blocked_layout(dnnl_memory_desc_t *out, size_t images,
                                     const struct sl_nn_shape *shape, struct sl_error *err)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)images, (dnnl_dim_t)shape->channels,
                              (dnnl_dim_t)shape->height, (dnnl_dim_t)shape->width};
    return SL_DNN(dnnl_memory_desc_init_by_tag(out, RANK, dims, dnnl_f32, dnnl_nChw8c));
}

/* The arguments of a pooling, as oneDNN takes them. */
struct pool_spec {
    dnnl_alg_kind_t algorithm;
    dnnl_memory_desc_t input, output;
    dnnl_dims_t stride, kernel, before, after;
};

static dnnl_dim_t reach(size_t output, size_t stride, size_t kernel, size_t pad, size_t input)
{
    const size_t end = (output - 1) * stride + kernel;
    return end > input + pad ? (dnnl_dim_t)(end - input - pad) : 0;
}

static enum sl_status describe_pool(const struct sl_nn_unit *unit, size_t images,
                                    struct pool_spec *spec, struct sl_error *err)
{
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const struct sl_nn_shape *in = &unit->graph->nodes[unit->input[0]].shape, *out = &node->shape;
    const size_t kernel = node->as.pool.kernel, stride = node->as.pool.stride;
    const size_t pad = node->as.pool.pad;
    spec->algorithm =
        node->op == SL_NN_MAX_POOL ? dnnl_pooling_max : dnnl_pooling_avg_exclude_padding;
    for (size_t i = 0; i < MAPS; i++) {
        spec->stride[i] = (dnnl_dim_t)stride;
        spec->kernel[i] = (dnnl_dim_t)kernel;
        spec->before[i] = (dnnl_dim_t)pad;
    }
    spec->after[0] = reach(out->height, stride, kernel, pad, in->height);
    spec->after[1] = reach(out->width, stride, kernel, pad, in->width);
    SL_TRY(blocked_layout(&spec->input, images, in, err));
    return blocked_layout(&spec->output, images, out, err);
}

static enum sl_status make_forward(struct pool_layer *layer, struct pool_op *op,
                                   const struct pool_spec *spec, bool gradients,
                                   dnnl_primitive_desc_t *descriptor, struct sl_error *err)
{
    const dnnl_prop_kind_t kind = gradients ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_pooling_desc_t description;
    SL_TRY(SL_DNN(dnnl_pooling_forward_desc_init(&description, kind, spec->algorithm, &spec->input,
                                                 &spec->output, spec->stride, spec->kernel,
                                                 spec->before, spec->after)));
    SL_TRY(SL_DNN(
        dnnl_primitive_desc_create(descriptor, &description, NULL, layer->dnn.engine, NULL)));
    SL_TRY(sl_dnn_op_create(&op->forward, *descriptor, err));
    SL_TRY(sl_dnn_op_arg(&op->forward, DNNL_ARG_SRC, &spec->input, err));
    SL_TRY(sl_dnn_op_arg(&op->forward, DNNL_ARG_DST, &spec->output, err));
    const dnnl_memory_desc_t *workspace =
        dnnl_primitive_desc_query_md(*descriptor, dnnl_query_workspace_md, 0);
    layer->workspace = gradients && workspace ? dnnl_memory_desc_get_size(workspace) : 0;
    if (layer->workspace == 0) return SL_OK;
    return sl_dnn_op_arg(&op->forward, DNNL_ARG_WORKSPACE, workspace, err);
}

static enum sl_status make_backward(const struct pool_layer *layer, struct pool_op *op,
                                    const struct pool_spec *spec,
                                    const_dnnl_primitive_desc_t forward, struct sl_error *err)
{
    dnnl_pooling_desc_t description;
    dnnl_primitive_desc_t descriptor = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(SL_DNN(dnnl_pooling_backward_desc_init(&description, spec->algorithm, &spec->input,
                                                      &spec->output, spec->stride, spec->kernel,
                                                      spec->before, spec->after)));
    SL_TRY_OUT(SL_DNN(
        dnnl_primitive_desc_create(&descriptor, &description, NULL, layer->dnn.engine, forward)));
    SL_TRY_OUT(sl_dnn_op_create(&op->backward, descriptor, err));
    SL_TRY_OUT(sl_dnn_op_arg(&op->backward, DNNL_ARG_DIFF_SRC, &spec->input, err));
    SL_TRY_OUT(sl_dnn_op_arg(&op->backward, DNNL_ARG_DIFF_DST, &spec->output, err));
    if (layer->workspace > 0)
        SL_TRY_OUT(sl_dnn_op_arg(&op->backward, DNNL_ARG_WORKSPACE,
                                 dnnl_primitive_desc_query_md(forward, dnnl_query_workspace_md, 0),
                                 err));
out:
    if (descriptor) dnnl_primitive_desc_destroy(descriptor);
    return status;
}

static void pool_destroy(void *state)
{
    struct pool_layer *layer = state;
    if (!layer) return;
    for (size_t i = 0; i < layer->n_ops; i++) {
        sl_dnn_op_release(&layer->ops[i].forward);
        sl_dnn_op_release(&layer->ops[i].backward);
    }
    sl_dnn_close(&layer->dnn);
    free(layer->ops);
    free(layer);
}

static enum sl_status make_op(struct pool_layer *layer, const struct pool_spec *spec,
                              bool gradients, struct pool_op *op, struct sl_error *err)
{
    dnnl_primitive_desc_t forward = NULL;
    enum sl_status status = make_forward(layer, op, spec, gradients, &forward, err);
    if (status == SL_OK && gradients) status = make_backward(layer, op, spec, forward, err);
    if (forward) dnnl_primitive_desc_destroy(forward);
    return status;
}

static enum sl_status pool_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    const struct sl_nn_shape *in = &unit->graph->nodes[unit->input[0]].shape;
    const bool shared = unit->threads > 1 &&
                        sl_nn_shares_pass(unit->images * in->channels * in->height * in->width);
    struct pool_layer *layer = sl_alloc(1, sizeof *layer);
    struct pool_spec spec = {0};
    enum sl_status status = SL_OK;
    layer->n_ops = shared ? unit->threads : 1;
    layer->ops = sl_alloc(layer->n_ops, sizeof *layer->ops);
    layer->images = unit->images;
    layer->at_once = shared ? 1 : unit->images;
    /* A primitive runs on as many threads as oneDNN had when it was created. */
    const struct sl_nn_guard guard = sl_nn_guard_enter();
    SL_TRY_OUT(sl_dnn_open(&layer->dnn, err));
    SL_TRY_OUT(describe_pool(unit, layer->at_once, &spec, err));
    for (size_t i = 0; i < layer->n_ops; i++)
        SL_TRY_OUT(make_op(layer, &spec, unit->input_gradient[0], &layer->ops[i], err));
    needs->kept = layer->workspace * (layer->images / layer->at_once);
    *state = layer;
out:
    sl_nn_guard_leave(guard);
    if (status != SL_OK) pool_destroy(layer);
    return status;
}

struct pool_run {
    const struct pool_layer *layer;
    const struct sl_nn_args *args;
};

static void *workspace_of(const struct pool_run *run, size_t part)
{
    return (char *)run->args->kept + part * run->layer->workspace;
}

static float *part_of(const struct pool_run *run, const struct sl_nn_tensor *tensor, size_t part)
{
    return tensor->data + part * run->layer->at_once * tensor->image_stride;
}

static void forward_part(void *context, size_t part, size_t worker)
{
    const struct pool_run *run = context;
    const struct sl_dnn_op *op = &run->layer->ops[worker].forward;
    sl_dnn_op_set(op, DNNL_ARG_SRC, part_of(run, &run->args->input[0], part));
    sl_dnn_op_set(op, DNNL_ARG_DST, part_of(run, &run->args->output, part));
    if (run->layer->workspace > 0) sl_dnn_op_set(op, DNNL_ARG_WORKSPACE, workspace_of(run, part));
    sl_dnn_op_run(op);
}

static void backward_part(void *context, size_t part, size_t worker)
{
    const struct pool_run *run = context;
    const struct sl_dnn_op *op = &run->layer->ops[worker].backward;
    sl_dnn_op_set(op, DNNL_ARG_DIFF_DST, part_of(run, &run->args->upstream, part));
    sl_dnn_op_set(op, DNNL_ARG_DIFF_SRC, part_of(run, &run->args->input_gradient[0], part));
    if (run->layer->workspace > 0) sl_dnn_op_set(op, DNNL_ARG_WORKSPACE, workspace_of(run, part));
    sl_dnn_op_run(op);
}

static void pool_forward(void *state, const struct sl_nn_args *args)
{
    struct pool_run run = {state, args};
    sl_pool_run(run.layer->n_ops > 1 ? args->pool : NULL, run.layer->images / run.layer->at_once,
                forward_part, &run);
}

static void pool_backward(void *state, const struct sl_nn_args *args)
{
    struct pool_run run = {state, args};
    if (!args->input_gradient[0].data) return;
    sl_pool_run(run.layer->n_ops > 1 ? args->pool : NULL, run.layer->images / run.layer->at_once,
                backward_part, &run);
}

const struct sl_nn_layer_type sl_nn_layer_pool = {
    .name = "pool",
    .create = pool_create,
    .destroy = pool_destroy,
    .forward = pool_forward,
    .backward = pool_backward,
};
