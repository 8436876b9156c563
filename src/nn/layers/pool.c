/* Max and average pooling by oneDNN, in PyTorch's ceil mode: the last window may extend beyond the
 * edge, and an average counts only the pixels inside. */
#include <stdlib.h>

#include "nn/dnn.h"
#include "nn/layers/layer.h"
#include "softlab/base/memory.h"

struct pool_layer {
    struct sl_dnn dnn;
    struct sl_dnn_op forward, backward;
    bool has_backward, has_workspace;
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

static enum sl_status describe_pool(const struct sl_nn_unit *unit, struct pool_spec *spec,
                                    struct sl_error *err)
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
    SL_TRY(blocked_layout(&spec->input, unit->images, in, err));
    return blocked_layout(&spec->output, unit->images, out, err);
}

static enum sl_status make_forward(struct pool_layer *layer, const struct pool_spec *spec,
                                   bool gradients, struct sl_nn_needs *needs,
                                   dnnl_primitive_desc_t *descriptor, struct sl_error *err)
{
    const dnnl_prop_kind_t kind = gradients ? dnnl_forward_training : dnnl_forward_inference;
    dnnl_pooling_desc_t description;
    SL_TRY(SL_DNN(dnnl_pooling_forward_desc_init(&description, kind, spec->algorithm, &spec->input,
                                                 &spec->output, spec->stride, spec->kernel,
                                                 spec->before, spec->after)));
    SL_TRY(SL_DNN(
        dnnl_primitive_desc_create(descriptor, &description, NULL, layer->dnn.engine, NULL)));
    SL_TRY(sl_dnn_op_create(&layer->forward, *descriptor, err));
    SL_TRY(sl_dnn_op_arg(&layer->forward, DNNL_ARG_SRC, &spec->input, err));
    SL_TRY(sl_dnn_op_arg(&layer->forward, DNNL_ARG_DST, &spec->output, err));
    const dnnl_memory_desc_t *workspace =
        dnnl_primitive_desc_query_md(*descriptor, dnnl_query_workspace_md, 0);
    layer->has_workspace = gradients && workspace && dnnl_memory_desc_get_size(workspace) > 0;
    if (!layer->has_workspace) return SL_OK;
    needs->kept = dnnl_memory_desc_get_size(workspace);
    return sl_dnn_op_arg(&layer->forward, DNNL_ARG_WORKSPACE, workspace, err);
}

static enum sl_status make_backward(struct pool_layer *layer, const struct pool_spec *spec,
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
    SL_TRY_OUT(sl_dnn_op_create(&layer->backward, descriptor, err));
    SL_TRY_OUT(sl_dnn_op_arg(&layer->backward, DNNL_ARG_DIFF_SRC, &spec->input, err));
    SL_TRY_OUT(sl_dnn_op_arg(&layer->backward, DNNL_ARG_DIFF_DST, &spec->output, err));
    if (layer->has_workspace)
        SL_TRY_OUT(sl_dnn_op_arg(&layer->backward, DNNL_ARG_WORKSPACE,
                                 dnnl_primitive_desc_query_md(forward, dnnl_query_workspace_md, 0),
                                 err));
    layer->has_backward = true;
out:
    if (descriptor) dnnl_primitive_desc_destroy(descriptor);
    return status;
}

static void pool_destroy(void *state)
{
    struct pool_layer *layer = state;
    if (!layer) return;
    sl_dnn_op_release(&layer->forward);
    sl_dnn_op_release(&layer->backward);
    sl_dnn_close(&layer->dnn);
    free(layer);
}

static enum sl_status pool_create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs,
                                  void **state, struct sl_error *err)
{
    struct pool_layer *layer = sl_alloc(1, sizeof *layer);
    struct pool_spec spec = {0};
    dnnl_primitive_desc_t forward = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_dnn_open(&layer->dnn, err));
    SL_TRY_OUT(describe_pool(unit, &spec, err));
    SL_TRY_OUT(make_forward(layer, &spec, unit->input_gradient[0], needs, &forward, err));
    if (unit->input_gradient[0]) SL_TRY_OUT(make_backward(layer, &spec, forward, err));
    *state = layer;
out:
    if (forward) dnnl_primitive_desc_destroy(forward);
    if (status != SL_OK) pool_destroy(layer);
    return status;
}

static void pool_forward(void *state, const struct sl_nn_args *args)
{
    const struct pool_layer *layer = state;
    sl_dnn_op_set(&layer->forward, DNNL_ARG_SRC, args->input[0].data);
    sl_dnn_op_set(&layer->forward, DNNL_ARG_DST, args->output.data);
    if (layer->has_workspace) sl_dnn_op_set(&layer->forward, DNNL_ARG_WORKSPACE, args->kept);
    sl_dnn_op_run(&layer->forward);
}

static void pool_backward(void *state, const struct sl_nn_args *args)
{
    const struct pool_layer *layer = state;
    if (!args->input_gradient[0].data) return;
    sl_dnn_op_set(&layer->backward, DNNL_ARG_DIFF_DST, args->upstream.data);
    sl_dnn_op_set(&layer->backward, DNNL_ARG_DIFF_SRC, args->input_gradient[0].data);
    if (layer->has_workspace) sl_dnn_op_set(&layer->backward, DNNL_ARG_WORKSPACE, args->kept);
    sl_dnn_op_run(&layer->backward);
}

const struct sl_nn_layer_type sl_nn_layer_pool = {
    .name = "pool",
    .create = pool_create,
    .destroy = pool_destroy,
    .forward = pool_forward,
    .backward = pool_backward,
};
