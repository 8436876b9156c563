/* The kernels in their simplest form: one value at a time, sums in double. */
#include "nn/kernels/kernels.h"
#include "nn/kernels/walk.h"

/* Both passes call this: backward recomputes the output to know where the ReLU passed it. */
static float normalised(float x, float scale, float shift)
{
    return x * scale + shift;
}

static float relu(float value)
{
    return value < 0 ? 0 : value; /* NaN stays NaN */
}

static void statistics(const struct sl_nn_tensor *x, size_t first, size_t count, float *mean,
                       float *variance)
{
    if (count == 0) return;
    for (size_t block = first / SL_NN_LANES; block <= (first + count - 1) / SL_NN_LANES; block++) {
        struct sl_nn_moments moments;
        sl_nn_moments_begin(&moments, x, block);
        for (size_t image = 0; image < x->images; image++) {
            const float *in = sl_nn_block_data(x, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i++) {
                const size_t lane = i % SL_NN_LANES;
                const double value = (double)in[i] - (double)moments.shift[lane];
                moments.sum[lane] += value;
                moments.square[lane] += value * value;
            }
        }
        sl_nn_moments_end(&moments, block, first, count, mean, variance);
    }
}

static void bn_forward(const struct sl_nn_bn_forward *args)
{
    const struct sl_nn_tensor *x = args->x;
    for (size_t image = 0; image < x->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(x, block),
                         added = sl_nn_block_lanes(args->add, block);
            const float *scale = args->scale + block * SL_NN_LANES,
                        *shift = args->shift + block * SL_NN_LANES;
            const float *in = sl_nn_block_data(x, image, block);
            const float *add = sl_nn_block_or_null(args->add, image, block);
            float *out = sl_nn_block_data(args->y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i++) {
                const size_t lane = i % SL_NN_LANES;
                float value = normalised(in[i], scale[lane], shift[lane]);
                if (lane < added) value += add[i];
                if (args->relu) value = relu(value);
                out[i] = lane < lanes ? value : 0;
            }
        }
}

/* The upstream gradient of one block, after the ReLU. */
struct gate {
    const struct sl_nn_bn_backward *args;
    const float *x, *g, *y;
    size_t block, lanes;
};

static struct gate gate_of(const struct sl_nn_bn_backward *args, size_t image, size_t block)
{
    return (struct gate){.args = args,
                         .x = sl_nn_block_data(args->x, image, block),
                         .g = sl_nn_block_data(args->g, image, block),
                         .y = sl_nn_block_or_null(args->y, image, block),
                         .block = block,
                         .lanes = sl_nn_block_lanes(args->x, block)};
}

static float gated(const struct gate *gate, size_t i)
{
    const size_t lane = i % SL_NN_LANES, channel = gate->block * SL_NN_LANES + lane;
    if (lane >= gate->lanes) return 0;
    if (!gate->args->relu) return gate->g[i];
    const float y =
        gate->y ? gate->y[i]
                : normalised(gate->x[i], gate->args->scale[channel], gate->args->shift[channel]);
    return y > 0 ? gate->g[i] : 0;
}

static void bn_reduce(const struct sl_nn_bn_backward *args, float *sum_g, float *sum_gx,
                      const struct sl_nn_tensor *masked)
{
    const struct sl_nn_tensor *x = args->x;
    for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
        double g_sums[SL_NN_LANES] = {0}, gx_sums[SL_NN_LANES] = {0};
        for (size_t image = 0; image < x->images; image++) {
            const struct gate gate = gate_of(args, image, block);
            float *out = sl_nn_block_or_null(masked, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i++) {
                const size_t lane = i % SL_NN_LANES, channel = block * SL_NN_LANES + lane;
                const float g = gated(&gate, i);
                g_sums[lane] += (double)g;
                gx_sums[lane] += (double)g * ((double)gate.x[i] - (double)args->mean[channel]);
                if (out) out[i] = g;
            }
        }
        for (size_t lane = 0; lane < SL_NN_LANES; lane++) {
            const size_t channel = block * SL_NN_LANES + lane;
            const bool inside = channel < x->channels;
            sum_g[channel] = inside ? (float)g_sums[lane] : 0;
            sum_gx[channel] = inside ? (float)(gx_sums[lane] * (double)args->inverse[channel]) : 0;
        }
    }
}

static void bn_apply(const struct sl_nn_bn_backward *args, const float *a, const float *b,
                     const float *c, const struct sl_nn_tensor *add, const struct sl_nn_tensor *dx)
{
    const struct sl_nn_tensor *x = args->x;
    for (size_t image = 0; image < x->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
            const struct gate gate = gate_of(args, image, block);
            const size_t added = sl_nn_block_lanes(add, block);
            const float *more = sl_nn_block_or_null(add, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i++) {
                const size_t lane = i % SL_NN_LANES, channel = block * SL_NN_LANES + lane;
                float value = a[channel] * gated(&gate, i) + (b[channel] * gate.x[i] + c[channel]);
                if (lane < added) value += more[i];
                out[i] = lane < gate.lanes ? value : 0;
            }
        }
}

static void add(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b, bool with_relu,
                const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < a->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(a->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(a, block), added = sl_nn_block_lanes(b, block);
            const float *in = sl_nn_block_data(a, image, block);
            const float *more = sl_nn_block_or_null(b, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(a); i++) {
                const size_t lane = i % SL_NN_LANES;
                const float value = lane < added ? in[i] + more[i] : in[i];
                out[i] = lane >= lanes ? 0 : with_relu ? relu(value) : value;
            }
        }
}

/* With slope 0 the result is 0 even for infinity, where slope value would be NaN. */
static float leak(float value, float slope)
{
    return slope == 0 ? 0 : slope * value;
}

static void relu_forward(const struct sl_nn_tensor *x, float slope, const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < x->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(x->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(x, block);
            const float *in = sl_nn_block_data(x, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(x); i++) {
                const float value = in[i] < 0 ? leak(in[i], slope) : in[i];
                out[i] = i % SL_NN_LANES < lanes ? value : 0;
            }
        }
}

static void relu_backward(const struct sl_nn_tensor *y, const struct sl_nn_tensor *g, float slope,
                          const struct sl_nn_tensor *add_to, const struct sl_nn_tensor *dx)
{
    for (size_t image = 0; image < y->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(y->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(y, block),
                         added = sl_nn_block_lanes(add_to, block);
            const float *from = sl_nn_block_data(y, image, block);
            const float *upstream = sl_nn_block_data(g, image, block);
            const float *more = sl_nn_block_or_null(add_to, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(y); i++) {
                const size_t lane = i % SL_NN_LANES;
                float value = from[i] > 0 ? upstream[i] : leak(upstream[i], slope);
                if (lane < added) value += more[i];
                out[i] = lane < lanes ? value : 0;
            }
        }
}

static void subsample_forward(const struct sl_nn_tensor *x, size_t stride, size_t offset,
                              const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < y->images; image++)
        for (size_t channel = 0; channel < sl_nn_blocks(y->channels) * SL_NN_LANES; channel++) {
            const size_t block = channel / SL_NN_LANES, lane = channel % SL_NN_LANES;
            const float *in = sl_nn_block_data(x, image, block) + lane;
            float *out = sl_nn_block_data(y, image, block) + lane;
            for (size_t i = 0; i < y->height * y->width; i++) {
                const size_t row = offset + i / y->width * stride,
                             column = offset + i % y->width * stride;
                const bool inside = row < x->height && column < x->width;
                out[i * SL_NN_LANES] = inside && channel < y->channels
                                           ? in[(row * x->width + column) * SL_NN_LANES]
                                           : 0;
            }
        }
}

/* True if subsampling takes this row or column; *at then becomes its place among those taken. */
static bool is_taken(size_t *at, size_t stride, size_t offset)
{
    if (*at < offset || (*at - offset) % stride != 0) return false;
    *at = (*at - offset) / stride;
    return true;
}

static void subsample_backward(const struct sl_nn_tensor *g, size_t stride, size_t offset,
                               const struct sl_nn_tensor *add_to, const struct sl_nn_tensor *dx)
{
    for (size_t image = 0; image < dx->images; image++)
        for (size_t channel = 0; channel < sl_nn_blocks(dx->channels) * SL_NN_LANES; channel++) {
            const size_t block = channel / SL_NN_LANES, lane = channel % SL_NN_LANES;
            const float *upstream = sl_nn_block_data(g, image, block) + lane;
            const bool adds = lane < sl_nn_block_lanes(add_to, block);
            const float *more = sl_nn_block_or_null(add_to, image, block);
            float *out = sl_nn_block_data(dx, image, block) + lane;
            for (size_t i = 0; i < dx->height * dx->width; i++) {
                size_t row = i / dx->width, column = i % dx->width;
                float value = adds ? more[i * SL_NN_LANES + lane] : 0;
                if (is_taken(&row, stride, offset) && is_taken(&column, stride, offset))
                    value += upstream[(row * g->width + column) * SL_NN_LANES];
                out[i * SL_NN_LANES] = channel < dx->channels ? value : 0;
            }
        }
}

/* The first value of one channel of one image. */
static float *channel_data(const struct sl_nn_tensor *tensor, size_t image, size_t channel)
{
    return sl_nn_block_data(tensor, image, channel / SL_NN_LANES) + channel % SL_NN_LANES;
}

static void insert_channels(const struct sl_nn_tensor *part, size_t first,
                            const struct sl_nn_tensor *whole)
{
    for (size_t image = 0; image < part->images; image++)
        for (size_t channel = 0; channel < part->channels; channel++) {
            const float *in = channel_data(part, image, channel);
            float *out = channel_data(whole, image, first + channel);
            for (size_t i = 0; i < sl_nn_block_floats(part); i += SL_NN_LANES)
                out[i] = in[i];
        }
}

static void extract_channels(const struct sl_nn_tensor *whole, size_t first,
                             const struct sl_nn_tensor *part)
{
    for (size_t image = 0; image < part->images; image++)
        for (size_t channel = 0; channel < sl_nn_blocks(part->channels) * SL_NN_LANES; channel++) {
            float *out = channel_data(part, image, channel);
            const bool inside = channel < part->channels;
            const float *in = inside ? channel_data(whole, image, first + channel) : NULL;
            for (size_t i = 0; i < sl_nn_block_floats(part); i += SL_NN_LANES)
                out[i] = inside ? in[i] : 0;
        }
}

static void global_pool_forward(const struct sl_nn_tensor *x, const struct sl_nn_tensor *rows)
{
    for (size_t image = 0; image < x->images; image++)
        for (size_t channel = 0; channel < x->channels; channel++) {
            const float *in = channel_data(x, image, channel);
            double sum = 0;
            for (size_t i = 0; i < sl_nn_block_floats(x); i += SL_NN_LANES)
                sum += (double)in[i];
            rows->data[image * rows->image_stride + channel] =
                (float)(sum / (double)(x->height * x->width));
        }
}

static void global_pool_backward(const struct sl_nn_tensor *row_gradient,
                                 const struct sl_nn_tensor *add_to, const struct sl_nn_tensor *dx)
{
    for (size_t image = 0; image < dx->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(dx->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(dx, block),
                         added = sl_nn_block_lanes(add_to, block);
            const float *row =
                row_gradient->data + image * row_gradient->image_stride + block * SL_NN_LANES;
            const float *more = sl_nn_block_or_null(add_to, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(dx); i++) {
                const size_t lane = i % SL_NN_LANES;
                float value = lane < lanes ? row[lane] / (float)(dx->height * dx->width) : 0;
                if (lane < added) value += more[i];
                out[i] = lane < lanes ? value : 0;
            }
        }
}

static void shake_forward(const struct sl_nn_tensor *a, const struct sl_nn_tensor *b,
                          const float *alpha, const struct sl_nn_tensor *y)
{
    for (size_t image = 0; image < a->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(a->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(a, block);
            const float *one = sl_nn_block_data(a, image, block);
            const float *other = sl_nn_block_data(b, image, block);
            float *out = sl_nn_block_data(y, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(a); i++)
                out[i] = i % SL_NN_LANES < lanes
                             ? one[i] * alpha[image] + other[i] * (1 - alpha[image])
                             : 0;
        }
}

static void shake_backward(const struct sl_nn_tensor *g, const float *factor, bool complement,
                           const struct sl_nn_tensor *add_to, const struct sl_nn_tensor *dx)
{
    for (size_t image = 0; image < g->images; image++)
        for (size_t block = 0; block < sl_nn_blocks(g->channels); block++) {
            const size_t lanes = sl_nn_block_lanes(g, block),
                         added = sl_nn_block_lanes(add_to, block);
            const float share = complement ? 1 - factor[image] : factor[image];
            const float *upstream = sl_nn_block_data(g, image, block);
            const float *more = sl_nn_block_or_null(add_to, image, block);
            float *out = sl_nn_block_data(dx, image, block);
            for (size_t i = 0; i < sl_nn_block_floats(g); i++) {
                float value = upstream[i] * share;
                if (i % SL_NN_LANES < added) value += more[i];
                out[i] = i % SL_NN_LANES < lanes ? value : 0;
            }
        }
}

static void multiply(const float *a, const float *b, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] * b[i];
}

static void accumulate(const float *a, const float *b, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] + b[i];
}

const struct sl_nn_kernels sl_nn_kernels_plain = {
    .name = "plain",
    .statistics = statistics,
    .bn_forward = bn_forward,
    .bn_reduce = bn_reduce,
    .bn_apply = bn_apply,
    .add = add,
    .relu_forward = relu_forward,
    .relu_backward = relu_backward,
    .subsample_forward = subsample_forward,
    .subsample_backward = subsample_backward,
    .insert_channels = insert_channels,
    .extract_channels = extract_channels,
    .global_pool_forward = global_pool_forward,
    .global_pool_backward = global_pool_backward,
    .shake_forward = shake_forward,
    .shake_backward = shake_backward,
    .multiply = multiply,
    .accumulate = accumulate,
};
