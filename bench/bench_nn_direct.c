/* Our direct convolutions beside oneDNN's best, shape by shape and direction by direction, on one
 * thread: GFLOP/s of both, interleaved, the fastest of several rounds; and what the multipliers of
 * this processor could do in the same run. With `add` both add a tensor to the result: oneDNN in a
 * pass of its own where it cannot (backward-data).
 *
 *     bench_nn_direct [rounds [batch [words that a row must hold]]] */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <oneapi/dnnl/dnnl.h>

#include "nn/conv/kernels.h"
#include "softlab/base.h"

struct shape {
    size_t in_channels, size, out_channels, kernel, stride;
    bool plain;
};

static const struct shape shapes[] = {
    {64, 32, 64, 1, 1, false},   {64, 32, 256, 1, 1, false},   {256, 32, 64, 1, 1, false},
    {256, 32, 128, 1, 1, false}, {512, 16, 128, 1, 1, false},  {128, 16, 512, 1, 1, false},
    {1024, 8, 256, 1, 1, false}, {256, 8, 1024, 1, 1, false},  {2048, 4, 512, 1, 1, false},
    {512, 4, 2048, 1, 1, false}, {16, 32, 4, 1, 1, false},     {4, 32, 16, 1, 1, false},
    {128, 16, 32, 1, 1, false},  {32, 16, 128, 1, 1, false},   {256, 8, 64, 1, 1, false},
    {64, 8, 256, 1, 1, false},   {132, 32, 48, 1, 1, false},   {204, 16, 48, 1, 1, false},
    {256, 32, 512, 1, 2, false}, {512, 16, 1024, 1, 2, false}, {1024, 8, 2048, 1, 2, false},
    {16, 32, 32, 1, 2, false},   {160, 32, 320, 1, 2, false},  {16, 32, 32, 3, 2, false},
    {32, 16, 64, 3, 2, false},   {64, 32, 128, 3, 2, false},   {128, 16, 256, 3, 2, false},
    {256, 8, 512, 3, 2, false},  {160, 32, 320, 3, 2, false},  {3, 32, 16, 3, 1, true},
    {3, 32, 24, 3, 1, true},     {3, 32, 64, 3, 1, true},      {1, 28, 16, 3, 1, true},
    {16, 32, 16, 3, 1, false},   {32, 16, 32, 3, 1, false},    {64, 8, 64, 3, 1, false},
    {48, 32, 12, 3, 1, false},   {21, 32, 26, 3, 1, false},    {4, 32, 4, 3, 1, false},
    {64, 32, 64, 3, 1, false},   {512, 4, 512, 3, 1, false},
};
enum { MAX_ARGS = 8 };

/* Of this thread alone: other programs may be running. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "oneDNN: %s: %d\n", what, (int)status);
    exit(1);
}
#define MUST(call) must((call), #call)

static float *make_values(size_t count)
{
    struct sl_error err;
    float *values = sl_data_alloc(count, sizeof *values, &err);
    if (!values) exit(1);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((i * 2654435761U >> 8) % 1000) / 1000.0F - 0.5F;
    return values;
}

/* The most multiply-adds a second that registers alone allow, as GFLOP/s. */
__attribute__((target("avx2,fma"))) static double measure_peak(void)
{
    enum { CHAINS = 12, STEPS = 200000 };
    double best = 0;
    for (int round = 0; round < 20; round++) {
        __m256 sum[CHAINS];
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm256_set1_ps((float)i);
        const __m256 a = _mm256_set1_ps(0.999F), b = _mm256_set1_ps(0.001F);
        double start = now();
        for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 12
            for (int i = 0; i < CHAINS; i++)
                sum[i] = _mm256_fmadd_ps(sum[i], a, b);
        }
        double seconds = now() - start;
        float total = 0;
        for (int i = 0; i < CHAINS; i++)
            total += _mm256_cvtss_f32(sum[i]);
        if (total < 0) printf("never, but the compiler does not know\n");
        double rate = 2.0 * 8 * CHAINS * STEPS / seconds * 1e-9;
        if (rate > best) best = rate;
    }
    return best;
}

/* One of oneDNN's convolutions with memory of its own choice of layout. */
struct theirs {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    int n_args;
    const char *implementation;
    float *result, *add; /* owned; */
    size_t result_size;
};

static void theirs_arg(struct theirs *theirs, const_dnnl_primitive_desc_t descriptor,
                       dnnl_query_t query, int which)
{
    const dnnl_memory_desc_t *layout = dnnl_primitive_desc_query_md(descriptor, query, 0);
    dnnl_memory_t memory;
    size_t count = dnnl_memory_desc_get_size(layout) / sizeof(float);
    float *values = make_values(count);
    MUST(dnnl_memory_create(&memory, layout, theirs->engine, values));
    theirs->args[theirs->n_args++] = (dnnl_exec_arg_t){which, memory};
    bool result = which == DNNL_ARG_DST || which == DNNL_ARG_DIFF_SRC;
    if (!result) return;
    theirs->result = values;
    theirs->result_size = count;
}

static void theirs_init(struct theirs *theirs, const struct sl_nn_conv_task *task)
{
    *theirs = (struct theirs){.n_args = 0};
    MUST(dnnl_engine_create(&theirs->engine, dnnl_cpu, 0));
    MUST(dnnl_stream_create(&theirs->stream, theirs->engine, dnnl_stream_default_flags));
    const dnnl_dim_t n = (dnnl_dim_t)task->images, k = (dnnl_dim_t)task->kernel;
    const dnnl_dim_t in = (dnnl_dim_t)task->in_channels, out = (dnnl_dim_t)task->out_channels;
    dnnl_dims_t source = {n, in, (dnnl_dim_t)task->height, (dnnl_dim_t)task->width};
    dnnl_dims_t weights = {out, in, k, k};
    dnnl_dims_t target = {n, out, (dnnl_dim_t)task->out_height, (dnnl_dim_t)task->out_width};
    dnnl_dims_t strides = {(dnnl_dim_t)task->stride, (dnnl_dim_t)task->stride};
    dnnl_dims_t pad = {(dnnl_dim_t)task->pad, (dnnl_dim_t)task->pad};
    /* The padding that the map's far side needs. */
    dnnl_dims_t far = {(target[2] - 1) * strides[0] + k - source[2] - pad[0],
                       (target[3] - 1) * strides[1] + k - source[3] - pad[1]};
    /* oneDNN has no fast way to write a plain gradient; the reorder it would need is not counted.
     */
    const bool plain = task->plain_input && task->direction != SL_NN_BACKWARD_DATA;
    dnnl_memory_desc_t x, w, y;
    MUST(dnnl_memory_desc_init_by_tag(&x, 4, source, dnnl_f32, plain ? dnnl_nchw : dnnl_nChw8c));
    MUST(dnnl_memory_desc_init_by_tag(&w, 4, weights, dnnl_f32, dnnl_format_tag_any));
    MUST(dnnl_memory_desc_init_by_tag(&y, 4, target, dnnl_f32, dnnl_nChw8c));
    dnnl_convolution_desc_t forward;
    dnnl_primitive_attr_t attributes;
    dnnl_post_ops_t after;
    MUST(dnnl_primitive_attr_create(&attributes));
    MUST(dnnl_post_ops_create(&after));
    if (task->add && task->direction == SL_NN_FORWARD) MUST(dnnl_post_ops_append_sum(after, 1));
    MUST(dnnl_primitive_attr_set_post_ops(attributes, after));
    MUST(dnnl_convolution_forward_desc_init(&forward, dnnl_forward_training,
                                            dnnl_convolution_direct, &x, &w, NULL, &y, strides, pad,
                                            far));
    dnnl_primitive_desc_t hint, descriptor;
    MUST(dnnl_primitive_desc_create(&hint, &forward, attributes, theirs->engine, NULL));
    dnnl_convolution_desc_t backward;
    if (task->direction == SL_NN_FORWARD) {
        MUST(dnnl_primitive_desc_clone(&descriptor, hint));
        theirs_arg(theirs, descriptor, dnnl_query_src_md, DNNL_ARG_SRC);
        theirs_arg(theirs, descriptor, dnnl_query_weights_md, DNNL_ARG_WEIGHTS);
        theirs_arg(theirs, descriptor, dnnl_query_dst_md, DNNL_ARG_DST);
    } else if (task->direction == SL_NN_BACKWARD_DATA) {
        MUST(dnnl_convolution_backward_data_desc_init(&backward, dnnl_convolution_direct, &x, &w,
                                                      &y, strides, pad, far));
        MUST(dnnl_primitive_desc_create(&descriptor, &backward, NULL, theirs->engine, hint));
        theirs_arg(theirs, descriptor, dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST);
        theirs_arg(theirs, descriptor, dnnl_query_weights_md, DNNL_ARG_WEIGHTS);
        theirs_arg(theirs, descriptor, dnnl_query_diff_src_md, DNNL_ARG_DIFF_SRC);
    } else {
        MUST(dnnl_convolution_backward_weights_desc_init(&backward, dnnl_convolution_direct, &x, &w,
                                                         NULL, &y, strides, pad, far));
        MUST(dnnl_primitive_desc_create(&descriptor, &backward, NULL, theirs->engine, hint));
        theirs_arg(theirs, descriptor, dnnl_query_src_md, DNNL_ARG_SRC);
        theirs_arg(theirs, descriptor, dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST);
        theirs_arg(theirs, descriptor, dnnl_query_diff_weights_md, DNNL_ARG_DIFF_WEIGHTS);
    }
    MUST(dnnl_primitive_desc_query(descriptor, dnnl_query_impl_info_str, 0,
                                   (void *)&theirs->implementation));
    MUST(dnnl_primitive_create(&theirs->primitive, descriptor));
    if (task->add && task->direction == SL_NN_BACKWARD_DATA)
        theirs->add = make_values(theirs->result_size);
    MUST(dnnl_post_ops_destroy(after));
    MUST(dnnl_primitive_attr_destroy(attributes));
    MUST(dnnl_primitive_desc_destroy(hint));
    MUST(dnnl_primitive_desc_destroy(descriptor));
}

__attribute__((target("avx2"))) static void add_pass(float *result, const float *add, size_t count)
{
    for (size_t i = 0; i + 8 <= count; i += 8)
        _mm256_storeu_ps(result + i,
                         _mm256_add_ps(_mm256_loadu_ps(result + i), _mm256_loadu_ps(add + i)));
}

static double theirs_time(struct theirs *theirs)
{
    double start = now();
    MUST(dnnl_primitive_execute(theirs->primitive, theirs->stream, theirs->n_args, theirs->args));
    MUST(dnnl_stream_wait(theirs->stream));
    if (theirs->add) add_pass(theirs->result, theirs->add, theirs->result_size);
    return now() - start;
}

static void theirs_release(struct theirs *theirs)
{
    for (int i = 0; i < theirs->n_args; i++) {
        void *values;
        MUST(dnnl_memory_get_data_handle(theirs->args[i].memory, &values));
        MUST(dnnl_memory_destroy(theirs->args[i].memory));
        free(values);
    }
    free(theirs->add);
    MUST(dnnl_primitive_destroy(theirs->primitive));
    MUST(dnnl_stream_destroy(theirs->stream));
    MUST(dnnl_engine_destroy(theirs->engine));
}

static size_t blocked(size_t channels)
{
    return (channels + 7) / 8 * 8;
}

struct ours {
    struct sl_nn_conv conv;
    struct sl_nn_conv_args args;
    float *buffers[5];
};

static void ours_init(struct ours *ours, const struct sl_nn_conv_task *task)
{
    struct sl_error err;
    if (sl_nn_conv_direct.create(task, &ours->conv, &err) != SL_OK) exit(1);
    const size_t in = task->images * task->height * task->width *
                      (task->plain_input ? task->in_channels : blocked(task->in_channels));
    const size_t out =
        task->images * task->out_height * task->out_width * blocked(task->out_channels);
    const size_t weights = task->out_channels * task->in_channels * task->kernel * task->kernel;
    ours->buffers[0] = make_values(in);
    ours->buffers[1] = make_values(out);
    ours->buffers[2] = make_values(weights);
    ours->buffers[3] = make_values(ours->conv.prepared_bytes / sizeof(float) + 1);
    ours->buffers[4] = make_values(ours->conv.scratch_bytes / sizeof(float) + 1);
    ours->args = (struct sl_nn_conv_args){
        .input = ours->buffers[0],
        .upstream = ours->buffers[1],
        .weights = ours->buffers[2],
        .result = ours->buffers[task->direction == SL_NN_FORWARD         ? 1
                                : task->direction == SL_NN_BACKWARD_DATA ? 0
                                                                         : 2],
        .prepared = ours->buffers[3],
        .scratch = ours->buffers[4],
    };
    ours->args.add = task->add ? ours->args.result : NULL;
}

static double ours_time(struct ours *ours)
{
    double start = now();
    ours->conv.kernel->run(&ours->conv, &ours->args);
    return now() - start;
}

static double prepare_time(struct ours *ours)
{
    double start = now();
    ours->conv.kernel->prepare(&ours->conv, &ours->args);
    return now() - start;
}

static void ours_release(struct ours *ours)
{
    sl_nn_conv_direct.destroy(&ours->conv);
    for (size_t i = 0; i < 5; i++)
        free(ours->buffers[i]);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void measure(const char *name, const struct sl_nn_conv_task *task, int rounds)
{
    struct theirs theirs;
    struct ours ours;
    const char *mark = sl_nn_conv_direct.suits(task) ? "" : " (left to oneDNN)";
    theirs_init(&theirs, task);
    ours_init(&ours, task);
    double best_ours = 1e9, best_theirs = 1e9, best_prepare = 1e9;
    for (int round = 0; round < rounds; round++) {
        best_prepare = smaller(best_prepare, prepare_time(&ours));
        best_theirs = smaller(best_theirs, theirs_time(&theirs));
        best_ours = smaller(best_ours, ours_time(&ours));
    }
    double flops = 2.0 * (double)(task->images * task->out_height * task->out_width) *
                   (double)(task->out_channels * task->in_channels * task->kernel * task->kernel);
    printf("%-34s %7.1f %7.1f %6.2f %9.3f %8.3f  %s%s\n", name, flops / best_ours * 1e-9,
           flops / best_theirs * 1e-9, best_theirs / best_ours, best_ours * 1e3, best_prepare * 1e3,
           theirs.implementation, mark);
    fflush(stdout);
    theirs_release(&theirs);
    ours_release(&ours);
}

int main(int argc, char **argv)
{
    static const char *const directions[] = {"forward", "data", "weights"};
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 15;
    size_t batch = argc > 2 ? strtoul(argv[2], NULL, 10) : 32;
    MUST(dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2));
    printf("FMA peak %.1f GFLOP/s, batch %zu\n", measure_peak(), batch);
    printf("%-34s %7s %7s %6s %9s %8s\n", "", "ours", "oneDNN", "ratio", "our ms", "prepare");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int which = 0; which < 5; which++) {
            const struct shape *shape = &shapes[i];
            const bool add = which >= 3;
            const int direction = which % 3;
            if (add && shape->kernel != 1) continue;
            struct sl_nn_conv_task task = {
                .direction = (enum sl_nn_direction)direction,
                .images = batch,
                .in_channels = shape->in_channels,
                .height = shape->size,
                .width = shape->size,
                .out_channels = shape->out_channels,
                .out_height = (shape->size - 1) / shape->stride + 1,
                .out_width = (shape->size - 1) / shape->stride + 1,
                .kernel = shape->kernel,
                .stride = shape->stride,
                .pad = shape->kernel / 2,
                .groups = 1,
                .plain_input = shape->plain,
                .add = add,
            };
            char name[80];
            snprintf(name, sizeof name, "%zux%zu%s %zu->%zu %zux%zu %s%s", shape->kernel,
                     shape->kernel, shape->stride == 2 ? " s2" : "", shape->in_channels,
                     shape->out_channels, shape->size, shape->size, directions[direction],
                     add ? " add" : "");
            bool wanted = true;
            for (int word = 3; word < argc; word++)
                wanted = wanted && strstr(name, argv[word]);
            if (wanted) measure(name, &task, rounds);
        }
    printf("FMA peak %.1f GFLOP/s\n", measure_peak());
    return 0;
}
