#include "nn/conv/conv.h"

#include "nn/dnn.h"
#include "nn_conv_reference.h"
#include "pools.h"
#include "softlab/nn/tuning.h"
#include "support.h"

struct shape {
    size_t images, in, out, height, width, kernel, stride, pad, groups;
    bool plain;
};

static const struct shape shapes[] = {
    {2, 16, 16, 8, 8, 3, 1, 1, 1, false},
    {2, 16, 24, 8, 8, 3, 2, 1, 1, false},
    {2, 16, 24, 7, 9, 3, 2, 1, 1, false},
    {1, 21, 26, 6, 6, 3, 1, 1, 1, false},
    {3, 12, 12, 5, 5, 3, 1, 1, 1, false},
    {1, 48, 12, 5, 7, 3, 1, 1, 1, false},
    {2, 3, 16, 9, 8, 3, 1, 1, 1, true},
    {2, 3, 16, 8, 8, 3, 2, 1, 1, true},
    {2, 1, 16, 10, 10, 3, 1, 1, 1, true},
    {2, 3, 12, 8, 8, 3, 1, 1, 1, true},
    {2, 3, 16, 6, 6, 3, 1, 1, 1, false},
    {2, 24, 40, 6, 5, 1, 1, 0, 1, false},
    {2, 24, 40, 7, 8, 1, 2, 0, 1, false},
    {2, 13, 9, 6, 6, 1, 1, 0, 1, false},
    {2, 13, 9, 6, 6, 1, 2, 0, 1, false},
    {4, 40, 24, 2, 2, 3, 1, 1, 1, false},
    {5, 24, 40, 1, 1, 3, 1, 1, 1, false},
    {5, 20, 28, 1, 1, 1, 1, 0, 1, false},
    {5, 20, 28, 2, 2, 1, 1, 0, 1, false},
    {3, 24, 32, 4, 4, 3, 1, 1, 1, false},
    {4, 32, 32, 3, 3, 3, 2, 1, 1, false},
    {1, 64, 64, 5, 5, 3, 1, 1, 4, false},
    {2, 64, 32, 4, 4, 3, 2, 1, 2, false},
    {2, 24, 36, 5, 5, 3, 1, 1, 2, false},
    {2, 20, 10, 5, 5, 3, 2, 1, 5, false},
    {2, 4, 8, 5, 5, 3, 1, 1, 2, true},
    {1, 8, 8, 6, 6, 3, 1, 0, 1, false},
    {1, 8, 16, 7, 7, 5, 1, 2, 1, false},
    {1, 16, 8, 9, 9, 3, 3, 1, 1, false},
    {2, 128, 24, 2, 3, 3, 1, 1, 1, false},
    {1, 8, 256, 2, 2, 3, 2, 1, 2, false},
    {1, 3, 8, 4, 4, 1, 1, 0, 1, true},
    {1, 64, 72, 12, 12, 1, 2, 0, 1, false},
    /* Winograd: partial tiles, one tile, many channels */
    {1, 8, 8, 1, 1, 3, 1, 1, 1, false},
    {3, 8, 16, 2, 2, 3, 1, 1, 1, false},
    {1, 16, 8, 3, 3, 3, 1, 1, 1, false},
    {3, 21, 26, 7, 7, 3, 1, 1, 1, false},
    {1, 26, 21, 8, 5, 3, 1, 1, 1, false},
    {3, 1, 1, 4, 6, 3, 1, 1, 1, false},
    {3, 3, 40, 1, 9, 3, 1, 1, 1, false},
    {1, 40, 3, 9, 1, 3, 1, 1, 1, false},
    {3, 24, 24, 6, 10, 3, 1, 1, 1, false},
    {1, 64, 64, 8, 8, 3, 1, 1, 1, false},
    {2, 32, 48, 4, 4, 3, 1, 1, 1, false},
    {1, 5, 13, 33, 31, 3, 1, 1, 1, false},
    {3, 16, 16, 12, 13, 3, 1, 1, 1, false},
    {1, 300, 12, 4, 3, 3, 1, 1, 1, false},
    {1, 12, 300, 3, 4, 3, 1, 1, 1, false},
    {5, 520, 17, 2, 2, 3, 1, 1, 1, false},
    /* direct: even and odd numbers of blocks, tails, one pixel, many channels */
    {3, 16, 32, 8, 8, 1, 1, 0, 1, false},
    {1, 24, 24, 5, 7, 1, 1, 0, 1, false},
    {3, 21, 26, 3, 3, 1, 1, 0, 1, false},
    {1, 4, 3, 1, 1, 1, 1, 0, 1, false},
    {9, 40, 12, 4, 4, 1, 1, 0, 1, false},
    {2, 600, 20, 4, 4, 1, 1, 0, 1, false},
    {2, 20, 600, 4, 4, 1, 1, 0, 1, false},
    {1, 64, 16, 32, 32, 1, 1, 0, 1, false},
    {3, 16, 32, 8, 8, 1, 2, 0, 1, false},
    {2, 9, 17, 7, 5, 1, 2, 0, 1, false},
    {1, 300, 8, 5, 5, 1, 2, 0, 1, false},
    {3, 16, 32, 8, 8, 3, 2, 1, 1, false},
    {1, 10, 20, 9, 7, 3, 2, 1, 1, false},
    {2, 72, 24, 16, 16, 3, 2, 1, 1, false},
    {6, 264, 8, 4, 4, 3, 2, 1, 1, false},
    {1, 3, 5, 1, 1, 3, 2, 1, 1, false},
    {2, 8, 40, 12, 16, 3, 1, 1, 1, false},
    {1, 12, 8, 20, 18, 3, 1, 0, 1, false},
    {2, 6, 7, 9, 9, 5, 2, 2, 1, false},
    {3, 3, 16, 12, 12, 3, 1, 1, 1, true},
    {1, 3, 24, 9, 7, 3, 1, 1, 1, true},
    {2, 1, 5, 8, 8, 3, 1, 1, 1, true},
    {1, 3, 12, 32, 32, 3, 2, 1, 1, true},
    {2, 4, 33, 11, 9, 5, 2, 2, 1, true},
    {3, 1, 8, 250, 250, 1, 1, 0, 1, true}, /* more than one chunk of conv/gemm.c */
    /* so many weights that threads share the channels of the result */
    {2, 160, 176, 4, 4, 3, 1, 1, 1, false},
    {4, 520, 530, 2, 2, 1, 1, 0, 1, false},
};

enum add_from { ADD_NOTHING, ADD_OTHER, ADD_RESULT };
struct variant {
    enum sl_nn_direction direction;
    bool bias;
    enum add_from add;
    bool relu;
};
static const struct variant variants[] = {
    {SL_NN_FORWARD, false, ADD_NOTHING, false},
    {SL_NN_FORWARD, true, ADD_NOTHING, false},
    {SL_NN_FORWARD, true, ADD_NOTHING, true},
    {SL_NN_FORWARD, true, ADD_OTHER, true},
    {SL_NN_FORWARD, false, ADD_RESULT, true},
    {SL_NN_FORWARD, false, ADD_OTHER, false},
    {SL_NN_BACKWARD_DATA, false, ADD_NOTHING, false},
    {SL_NN_BACKWARD_DATA, false, ADD_OTHER, false},
    {SL_NN_BACKWARD_DATA, false, ADD_RESULT, false},
    {SL_NN_BACKWARD_WEIGHTS, false, ADD_NOTHING, false},
    {SL_NN_BACKWARD_WEIGHTS, true, ADD_NOTHING, false},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct sl_nn_conv_task task_of(const struct shape *shape, const struct variant *variant)
{
    return (struct sl_nn_conv_task){
        .direction = variant->direction,
        .images = shape->images,
        .in_channels = shape->in,
        .height = shape->height,
        .width = shape->width,
        .out_channels = shape->out,
        .out_height = (shape->height + 2 * shape->pad - shape->kernel) / shape->stride + 1,
        .out_width = (shape->width + 2 * shape->pad - shape->kernel) / shape->stride + 1,
        .kernel = shape->kernel,
        .stride = shape->stride,
        .pad = shape->pad,
        .groups = shape->groups,
        .plain_input = shape->plain,
        .bias = variant->bias,
        .add = variant->add != ADD_NOTHING,
        .relu = variant->relu,
        .threads = 1,
    };
}

/* Floats between two fences. Code that oneDNN generates at run time could write outside an array
 * unnoticed by the sanitizers. */
enum { FENCE = 32 };
static const float fence_value = -12345.5F;

static float *fenced(size_t count)
{
    struct sl_error err;
    float *all = sl_data_alloc(count + 2 * FENCE, sizeof *all, &err);
    assert_non_null(all);
    for (size_t i = 0; i < count + 2 * FENCE; i++)
        all[i] = i < FENCE || i >= count + FENCE ? fence_value : NAN;
    return all + FENCE;
}

static void free_fenced(float *data, size_t count)
{
    for (size_t i = 0; i < FENCE; i++) {
        assert_true(data[(ptrdiff_t)i - FENCE] == fence_value);
        assert_true(data[count + i] == fence_value);
    }
    free(data - FENCE);
}

static void fill(float *data, size_t count, struct sl_rng *rng)
{
    for (size_t i = 0; i < count; i++)
        data[i] = (float)(2 * sl_rng_uniform(rng) - 1);
}

/* The same, with zeros past the last channel of a blocked map. */
static void fill_blocked(float *data, size_t count, size_t channels, size_t pixels,
                         struct sl_rng *rng)
{
    size_t blocks = (channels + 7) / 8;
    fill(data, count, rng);
    for (size_t i = 0; i < count; i++)
        if (i / (8 * pixels) % blocks * 8 + i % 8 >= channels) data[i] = 0;
}

static double distance(const float *value, const float *expected, size_t count)
{
    double difference = 0, norm = 0;
    for (size_t i = 0; i < count; i++) {
        double by = (double)value[i] - (double)expected[i];
        difference += by * by;
        norm += (double)expected[i] * (double)expected[i];
    }
    return norm > 0 ? sqrt(difference / norm) : sqrt(difference);
}

/* The allowed error; sums over very many pixels lose more precision. */
static double tolerance(const struct sl_nn_conv_task *task)
{
    double terms = (double)(task->images * task->out_height * task->out_width);
    bool summed = task->direction == SL_NN_BACKWARD_WEIGHTS && terms > 4096;
    return 2e-6 * (summed ? sqrt(terms / 4096) : 1);
}

/* True if all lanes past the last channel are exactly zero. */
static bool tails_are_zero(const float *data, size_t count, size_t channels, size_t pixels)
{
    size_t blocks = (channels + 7) / 8;
    for (size_t i = 0; i < count; i++)
        if (i / (8 * pixels) % blocks * 8 + i % 8 >= channels && data[i] != 0) return false;
    return true;
}

struct arrays {
    size_t in, out, weights, result, channels, pixels; /* sizes; the last two of the result */
    bool blocked;                                      /* the result is blocked */
    float *input, *upstream, *weight, *bias, *add, *expected, *expected_bias;
};

static struct arrays make_arrays(const struct sl_nn_conv_task *task)
{
    bool forward = task->direction == SL_NN_FORWARD;
    bool backward_data = task->direction == SL_NN_BACKWARD_DATA;
    struct arrays a = {.in = reference_input_floats(task),
                       .out = reference_output_floats(task),
                       .weights = reference_weight_floats(task)};
    struct sl_rng rng;
    sl_rng_init(&rng, 7, "conv", 0, 0);
    a.result = forward ? a.out : backward_data ? a.in : a.weights;
    a.channels = forward ? task->out_channels : task->in_channels;
    a.pixels = forward ? task->out_height * task->out_width : task->height * task->width;
    a.blocked = forward || (backward_data && !task->plain_input);
    a.input = fenced(a.in);
    if (task->plain_input)
        fill(a.input, a.in, &rng);
    else
        fill_blocked(a.input, a.in, task->in_channels, task->height * task->width, &rng);
    a.upstream = fenced(a.out);
    fill_blocked(a.upstream, a.out, task->out_channels, task->out_height * task->out_width, &rng);
    a.weight = fenced(a.weights);
    fill(a.weight, a.weights, &rng);
    a.bias = fenced(task->out_channels);
    fill(a.bias, task->out_channels, &rng);
    a.add = fenced(a.result);
    if (a.blocked)
        fill_blocked(a.add, a.result, a.channels, a.pixels, &rng);
    else
        fill(a.add, a.result, &rng);
    a.expected = fenced(a.result);
    a.expected_bias = fenced(task->out_channels);
    return a;
}

static void free_arrays(const struct sl_nn_conv_task *task, struct arrays *a)
{
    free_fenced(a->input, a->in);
    free_fenced(a->upstream, a->out);
    free_fenced(a->weight, a->weights);
    free_fenced(a->bias, task->out_channels);
    free_fenced(a->add, a->result);
    free_fenced(a->expected, a->result);
    free_fenced(a->expected_bias, task->out_channels);
}

static struct sl_nn_conv_args args_of(const struct sl_nn_conv_task *task, const struct arrays *a,
                                      float *result, float *bias_gradient)
{
    bool forward = task->direction == SL_NN_FORWARD;
    bool weights = task->direction == SL_NN_BACKWARD_WEIGHTS;
    return (struct sl_nn_conv_args){
        .input = forward || weights ? a->input : NULL,
        .upstream = forward ? NULL : a->upstream,
        .weights = a->weight,
        .bias = task->bias ? a->bias : NULL,
        .add = task->add ? a->add : NULL,
        .result = result,
        .bias_gradient = weights && task->bias ? bias_gradient : NULL,
    };
}

/* Run once, with `prepared` and `scratch` full of NaN at first. */
static void run_once(const struct sl_nn_conv *conv, struct sl_nn_conv_args args, enum add_from add,
                     size_t result_floats)
{
    struct sl_error err;
    args.prepared = sl_data_alloc(conv->prepared_bytes, 1, &err);
    args.scratch = sl_data_alloc(conv->scratch_bytes, 1, &err);
    assert_non_null(args.prepared);
    assert_non_null(args.scratch);
    memset(args.prepared, 0xFF, conv->prepared_bytes);
    memset(args.scratch, 0xFF, conv->scratch_bytes);
    if (add == ADD_RESULT && args.add) {
        memcpy(args.result, args.add, result_floats * sizeof *args.result);
        args.add = args.result;
    }
    if (conv->kernel->prepare) conv->kernel->prepare(conv, &args);
    conv->kernel->run(conv, &args);
    free(args.prepared);
    free(args.scratch);
}

/* Run by every pool. All results must have the bits of the first. */
static bool same_by_all(const struct sl_nn_conv_kernel *kernel, const struct sl_nn_conv_task *task,
                        enum add_from add, const struct arrays *a, struct sl_pool *const *pools,
                        const float *result, const float *bias)
{
    bool same = true;
    for (size_t i = 0; i < N_POOLS; i++) {
        struct sl_nn_conv_task shared = *task;
        struct sl_nn_conv conv = {.kernel = kernel};
        struct sl_error err;
        float *again = fenced(a->result), *bias_again = fenced(task->out_channels);
        shared.threads = sl_pool_threads(pools[i]);
        assert_ok(kernel->create(&shared, &conv, &err), err);
        struct sl_nn_conv_args args = args_of(task, a, again, bias_again);
        args.pool = pools[i];
        run_once(&conv, args, add, a->result);
        same = same && memcmp(again, result, a->result * sizeof *again) == 0;
        if (args.bias_gradient)
            same = same && memcmp(bias_again, bias, task->out_channels * sizeof *bias) == 0;
        free_fenced(again, a->result);
        free_fenced(bias_again, task->out_channels);
        kernel->destroy(&conv);
    }
    return same;
}

static void check_kernel(const struct sl_nn_conv_kernel *kernel, const struct sl_nn_conv_task *task,
                         enum add_from add, const struct arrays *a, struct sl_pool *const *pools)
{
    struct sl_nn_conv conv = {.kernel = kernel};
    struct sl_error err;
    float *result = fenced(a->result), *bias = fenced(task->out_channels);
    assert_ok(kernel->create(task, &conv, &err), err);
    run_once(&conv, args_of(task, a, result, bias), add, a->result);
    double far = distance(result, a->expected, a->result);
    bool bias_made = task->direction == SL_NN_BACKWARD_WEIGHTS && task->bias;
    double bias_far = bias_made ? distance(bias, a->expected_bias, task->out_channels) : 0;
    bool tails = !a->blocked || tails_are_zero(result, a->result, a->channels, a->pixels);
    bool same = same_by_all(kernel, task, add, a, pools, result, bias);
    double allowed = tolerance(task);
    if (!(far <= allowed) || !(bias_far <= allowed) || !tails || !same) {
        print_error(
            "%s: %zu->%zu %zux%zu kernel %zu/%zu/%zu groups %zu direction %d bias %d add %d "
            "relu %d plain %d: off by %g, bias by %g, tails %d, same by all pools %d\n",
            kernel->name, task->in_channels, task->out_channels, task->height, task->width,
            task->kernel, task->stride, task->pad, task->groups, (int)task->direction, task->bias,
            (int)add, task->relu, task->plain_input, far, bias_far, tails, same);
        fail();
    }
    free_fenced(result, a->result);
    free_fenced(bias, task->out_channels);
    kernel->destroy(&conv);
}

static void test_every_kernel_computes_what_the_definition_says(void **state)
{
    struct sl_pool *const *pools = *state;
    struct sl_nn_guard guard = sl_nn_guard_enter();
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t v = shapes[s].width > 100 ? 7 : 0; v < COUNT(variants); v++) {
            struct sl_nn_conv_task task = task_of(&shapes[s], &variants[v]);
            struct arrays arrays = make_arrays(&task);
            struct sl_nn_conv_args args =
                args_of(&task, &arrays, arrays.expected, arrays.expected_bias);
            reference_conv(&task, &args);
            for (size_t k = 0; sl_nn_conv_kernels[k]; k++)
                if (sl_nn_conv_kernels[k]->suits(&task))
                    check_kernel(sl_nn_conv_kernels[k], &task, variants[v].add, &arrays, pools);
            free_arrays(&task, &arrays);
        }
    sl_nn_guard_leave(guard);
}

/* One image of one channel, [[1 2] [3 4]], and the kernel 1 ... 9. */
static void test_the_definition_by_hand(void **state)
{
    (void)state;
    const struct shape shape = {1, 1, 1, 2, 2, 3, 1, 1, 1, true};
    const float input[4] = {1, 2, 3, 4};
    const float weights[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const float bias[1] = {-100};
    float result[4 * 8], upstream[4 * 8] = {0}, gradient[9], bias_gradient[1];
    struct sl_nn_conv_task task = task_of(&shape, &variants[1]);
    struct sl_nn_conv_args args = {
        .input = input, .weights = weights, .bias = bias, .result = result};
    reference_conv(&task, &args);
    /* 5*1 + 6*2 + 8*3 + 9*4 = 77; 4+10+21+32 = 67; 2+6+15+24 = 47; 1+4+12+20 = 37 */
    assert_near(result[0], -23, 0);
    assert_near(result[8], -33, 0);
    assert_near(result[16], -53, 0);
    assert_near(result[24], -63, 0);

    upstream[0] = 1, upstream[8] = 10;
    task = task_of(&shape, &variants[6]);
    args = (struct sl_nn_conv_args){.upstream = upstream, .weights = weights, .result = result};
    reference_conv(&task, &args);
    /* Input 0 reaches output 0 by tap 5 and output 1 by tap 4; input 2 by taps 8 and 7. */
    assert_near(result[0], 45, 0);
    assert_near(result[1], 56, 0);
    assert_near(result[2], 78, 0);
    assert_near(result[3], 89, 0);

    task = task_of(&shape, &variants[10]);
    args = (struct sl_nn_conv_args){
        .input = input, .upstream = upstream, .result = gradient, .bias_gradient = bias_gradient};
    reference_conv(&task, &args);
    const float expected[9] = {0, 0, 0, 10, 21, 2, 30, 43, 4};
    for (size_t i = 0; i < 9; i++)
        assert_near(gradient[i], expected[i], 0);
    assert_near(bias_gradient[0], 11, 0);
}

static void test_every_task_has_a_kernel(void **state)
{
    (void)state;
    struct sl_tuning *none = NULL;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t v = 0; v < COUNT(variants); v++) {
            struct sl_nn_conv_task task = task_of(&shapes[s], &variants[v]);
            assert_non_null(sl_nn_conv_choose(none, &task));
        }
}

static bool onednn_suits(const struct shape *shape, size_t variant)
{
    struct sl_nn_conv_task task = task_of(shape, &variants[variant]);
    return sl_nn_conv_find("onednn")->suits(&task);
}

/* Without a fast kernel oneDNN silently uses loops that are a hundred times slower. */
static void test_onednn_is_refused_where_it_has_no_fast_kernel(void **state)
{
    (void)state;
    enum { PLAIN = 0, ALL = 3, DATA = 6, DATA_ADD = 7, WEIGHTS = 10 };
    const struct shape residual = {32, 64, 64, 8, 8, 3, 1, 1, 1, false};
    const struct shape grouped = {4, 512, 512, 8, 8, 3, 1, 1, 8, false};
    const struct shape stem = {32, 3, 16, 32, 32, 3, 1, 1, 1, true};
    const struct shape odd_groups = {4, 24, 24, 8, 8, 3, 1, 1, 2, false};
    const struct shape small = {32, 512, 512, 2, 2, 3, 1, 1, 1, false};
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (!cpu.avx2) skip();
    for (size_t v = 0; v < COUNT(variants); v++) {
        bool adds_backward = variants[v].direction == SL_NN_BACKWARD_DATA && variants[v].add;
        assert_int_equal(onednn_suits(&residual, v), !adds_backward);
        assert_int_equal(onednn_suits(&grouped, v), !adds_backward);
        assert_int_equal(onednn_suits(&stem, v), !adds_backward);
        assert_false(onednn_suits(&odd_groups, v));
    }
    assert_true(onednn_suits(&small, PLAIN));
    assert_true(onednn_suits(&small, ALL));
    assert_true(onednn_suits(&small, DATA));
    assert_false(onednn_suits(&small, DATA_ADD));
    assert_false(onednn_suits(&small, WEIGHTS));
}

static void test_public_list_names_every_row(void **state)
{
    (void)state;
    size_t count = 0;
    const char *summary = NULL;
    for (const char *name; (name = sl_conv_kernel_name(count, &summary)); count++) {
        assert_non_null(sl_nn_conv_kernels[count]);
        assert_string_equal(summary, sl_nn_conv_kernels[count]->summary);
        assert_ptr_equal(sl_nn_conv_find(name), sl_nn_conv_kernels[count]);
    }
    assert_null(sl_nn_conv_kernels[count]);
    assert_null(sl_nn_conv_find("fast"));
}

static void test_task_of_a_node_has_its_shapes(void **state)
{
    (void)state;
    struct sl_nn_node nodes[] = {
        {.op = SL_NN_PIXELS, .shape = {SL_NN_PLAIN, 3, 32, 30}},
        {.op = SL_NN_CONV, .n_inputs = 1, .shape = {SL_NN_BLOCKED, 16, 16, 15}},
        {.op = SL_NN_CONV, .input = {1}, .n_inputs = 1, .shape = {SL_NN_BLOCKED, 8, 16, 15}},
    };
    nodes[1].as.conv.kernel = 3;
    nodes[1].as.conv.stride = 2;
    nodes[1].as.conv.pad = 1;
    nodes[1].as.conv.groups = 1;
    nodes[1].as.conv.bias = true;
    nodes[2].as.conv.kernel = 1;
    nodes[2].as.conv.stride = 1;
    nodes[2].as.conv.groups = 2;
    const struct sl_nn_graph graph = {.nodes = nodes, .count = 3};
    struct sl_nn_conv_task task = sl_nn_conv_task_of(&graph, 1, 5, SL_NN_BACKWARD_WEIGHTS);
    assert_int_equal(task.direction, SL_NN_BACKWARD_WEIGHTS);
    assert_int_equal(task.images, 5);
    assert_int_equal(task.in_channels, 3);
    assert_int_equal(task.height, 32);
    assert_int_equal(task.width, 30);
    assert_int_equal(task.out_channels, 16);
    assert_int_equal(task.out_height, 16);
    assert_int_equal(task.out_width, 15);
    assert_int_equal(task.kernel, 3);
    assert_int_equal(task.stride, 2);
    assert_int_equal(task.pad, 1);
    assert_int_equal(task.groups, 1);
    assert_true(task.plain_input && task.bias && !task.add && !task.relu);
    task = sl_nn_conv_task_of(&graph, 2, 1, SL_NN_FORWARD);
    assert_int_equal(task.in_channels, 16);
    assert_int_equal(task.groups, 2);
    assert_true(!task.plain_input && !task.bias);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_definition_by_hand),
        cmocka_unit_test(test_every_kernel_computes_what_the_definition_says),
        cmocka_unit_test(test_every_task_has_a_kernel),
        cmocka_unit_test(test_onednn_is_refused_where_it_has_no_fast_kernel),
        cmocka_unit_test(test_public_list_names_every_row),
        cmocka_unit_test(test_task_of_a_node_has_its_shapes),
    };
    return cmocka_run_group_tests(tests, make_pools, free_pools);
}
