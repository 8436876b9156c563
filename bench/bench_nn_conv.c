/* 3x3 convolutions at batch 32 on one thread: ours against oneDNN's best, which chooses its own
 * layouts; each direction, in turns. Times are the lower quartile of the processor's time over all
 * rounds: on a busy machine the clock on the wall counts other programs, and the very smallest time
 * is too small at times. GFLOP/s count a direct convolution's operations for both. What either
 * needs once per change of weights is not in these times; ours is shown beside them.
 *
 *     bench_nn_conv [rounds, 40 by default] [channels of the only shape to run] */
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <oneapi/dnnl/dnnl.h>

#include "nn/conv/kernels.h"
#include "softlab/base.h"

enum { IMAGES = 32, MAX_ARGS = 5, MAX_ROUNDS = 1000 };

static const char *const direction_names[] = {"forward", "backward-data", "backward-weights"};

/* in channels, out channels, height and width */
static const size_t shapes[][3] = {{16, 16, 32},   {32, 32, 16},  {64, 64, 8},   {64, 64, 32},
                                   {128, 128, 16}, {256, 256, 8}, {512, 512, 4}, {21, 26, 32}};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static float *buffer(size_t count)
{
    struct sl_rng rng;
    struct sl_error err;
    float *data = sl_data_alloc(count, sizeof *data, &err);
    if (!data) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    sl_rng_init(&rng, 1, "bench.conv", count, 0);
    for (size_t i = 0; i < count; i++)
        data[i] = (float)sl_rng_uniform(&rng) - 0.5F;
    return data;
}

/* ---- oneDNN ---- */

struct rival {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_ARGS];
    float *data[MAX_ARGS];
    int n_args;
};

static void must(dnnl_status_t status)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "oneDNN: status %d\n", (int)status);
    exit(1);
}

static void rival_arg(struct rival *rival, const_dnnl_primitive_desc_t descriptor,
                      dnnl_query_t what, int which)
{
    const dnnl_memory_desc_t *layout = dnnl_primitive_desc_query_md(descriptor, what, 0);
    size_t bytes = dnnl_memory_desc_get_size(layout);
    float *data = buffer(bytes / sizeof *data);
    dnnl_memory_t memory;
    must(dnnl_memory_create(&memory, layout, rival->engine, data));
    rival->data[rival->n_args] = data;
    rival->args[rival->n_args++] = (dnnl_exec_arg_t){which, memory};
}

static void describe(const struct sl_nn_conv_task *task, dnnl_memory_desc_t *source,
                     dnnl_memory_desc_t *weights, dnnl_memory_desc_t *target)
{
    dnnl_dim_t n = (dnnl_dim_t)task->images, side = (dnnl_dim_t)task->height;
    dnnl_dim_t in = (dnnl_dim_t)task->in_channels, out = (dnnl_dim_t)task->out_channels;
    dnnl_dims_t from = {n, in, side, side}, kernel = {out, in, 3, 3}, to = {n, out, side, side};
    must(dnnl_memory_desc_init_by_tag(source, 4, from, dnnl_f32, dnnl_format_tag_any));
    must(dnnl_memory_desc_init_by_tag(weights, 4, kernel, dnnl_f32, dnnl_format_tag_any));
    must(dnnl_memory_desc_init_by_tag(target, 4, to, dnnl_f32, dnnl_format_tag_any));
}

static void rival_init(struct rival *rival, const struct sl_nn_conv_task *task)
{
    dnnl_memory_desc_t x, w, y;
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t forward, chosen;
    dnnl_dims_t one = {1, 1};
    memset(rival, 0, sizeof *rival);
    must(dnnl_engine_create(&rival->engine, dnnl_cpu, 0));
    must(dnnl_stream_create(&rival->stream, rival->engine, dnnl_stream_default_flags));
    describe(task, &x, &w, &y);
    must(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_training, dnnl_convolution_direct,
                                            &x, &w, NULL, &y, one, one, one));
    must(dnnl_primitive_desc_create(&forward, &desc, NULL, rival->engine, NULL));
    chosen = forward;
    if (task->direction == SL_NN_BACKWARD_DATA)
        must(dnnl_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &x, &w, &y,
                                                      one, one, one));
    if (task->direction == SL_NN_BACKWARD_WEIGHTS)
        must(dnnl_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct, &x, &w,
                                                         NULL, &y, one, one, one));
    if (task->direction != SL_NN_FORWARD)
        must(dnnl_primitive_desc_create(&chosen, &desc, NULL, rival->engine, forward));
    must(dnnl_primitive_create(&rival->primitive, chosen));
    switch (task->direction) {
    case SL_NN_FORWARD:
        rival_arg(rival, chosen, dnnl_query_src_md, DNNL_ARG_SRC);
        rival_arg(rival, chosen, dnnl_query_weights_md, DNNL_ARG_WEIGHTS);
        rival_arg(rival, chosen, dnnl_query_dst_md, DNNL_ARG_DST);
        break;
    case SL_NN_BACKWARD_DATA:
        rival_arg(rival, chosen, dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST);
        rival_arg(rival, chosen, dnnl_query_weights_md, DNNL_ARG_WEIGHTS);
        rival_arg(rival, chosen, dnnl_query_diff_src_md, DNNL_ARG_DIFF_SRC);
        break;
    case SL_NN_BACKWARD_WEIGHTS:
        rival_arg(rival, chosen, dnnl_query_src_md, DNNL_ARG_SRC);
        rival_arg(rival, chosen, dnnl_query_diff_dst_md, DNNL_ARG_DIFF_DST);
        rival_arg(rival, chosen, dnnl_query_diff_weights_md, DNNL_ARG_DIFF_WEIGHTS);
        break;
    }
    if (chosen != forward) dnnl_primitive_desc_destroy(chosen);
    dnnl_primitive_desc_destroy(forward);
}

static double rival_run(struct rival *rival)
{
    double begin = cpu_seconds();
    must(dnnl_primitive_execute(rival->primitive, rival->stream, rival->n_args, rival->args));
    must(dnnl_stream_wait(rival->stream));
    return cpu_seconds() - begin;
}

static void rival_release(struct rival *rival)
{
    for (int i = 0; i < rival->n_args; i++) {
        dnnl_memory_destroy(rival->args[i].memory);
        free(rival->data[i]);
    }
    dnnl_primitive_destroy(rival->primitive);
    dnnl_stream_destroy(rival->stream);
    dnnl_engine_destroy(rival->engine);
}

/* ---- Ours ---- */

struct own {
    struct sl_nn_conv conv;
    struct sl_nn_conv_args args;
    float *data[5];
};

static void own_init(struct own *own, const struct sl_nn_conv_task *task)
{
    struct sl_error err;
    size_t pixels = task->images * task->height * task->width;
    size_t in = (task->in_channels + 7) / 8 * 8 * pixels;
    size_t out = (task->out_channels + 7) / 8 * 8 * pixels;
    size_t weights = task->in_channels * task->out_channels * 9;
    memset(own, 0, sizeof *own);
    own->conv.kernel = &sl_nn_conv_winograd;
    if (sl_nn_conv_winograd.create(task, &own->conv, &err) != SL_OK) exit(1);
    own->data[0] = buffer(task->direction == SL_NN_BACKWARD_DATA ? out : in);
    own->data[1] = buffer(task->direction == SL_NN_BACKWARD_WEIGHTS ? out : weights);
    own->data[2] = buffer(task->direction == SL_NN_FORWARD         ? out
                          : task->direction == SL_NN_BACKWARD_DATA ? in
                                                                   : weights);
    own->data[3] = buffer(own->conv.prepared_bytes / sizeof(float));
    own->data[4] = buffer(own->conv.scratch_bytes / sizeof(float));
    own->args = (struct sl_nn_conv_args){.input = own->data[0],
                                         .upstream = own->data[0],
                                         .weights = own->data[1],
                                         .result = own->data[2],
                                         .prepared = own->data[3],
                                         .scratch = own->data[4]};
    if (task->direction == SL_NN_BACKWARD_WEIGHTS) own->args.upstream = own->data[1];
}

static double own_prepare(const struct own *own)
{
    double begin = cpu_seconds();
    sl_nn_conv_winograd.prepare(&own->conv, &own->args);
    return cpu_seconds() - begin;
}

static double own_run(const struct own *own)
{
    double begin = cpu_seconds();
    sl_nn_conv_winograd.run(&own->conv, &own->args);
    return cpu_seconds() - begin;
}

static void own_release(struct own *own)
{
    sl_nn_conv_winograd.destroy(&own->conv);
    for (size_t i = 0; i < 5; i++)
        free(own->data[i]);
}

/* ---- The race ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double lower_quartile(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    return times[count / 4];
}

/* GFLOP/s of multiply-adds that wait for nothing but each other: 12 chains hide their latency. */
__attribute__((target("avx2,fma"))) static double peak(void)
{
    enum { STEPS = 100000, TIMES = 20 };
    double times[TIMES];
    for (size_t round = 0; round < TIMES; round++) {
        __m256 sum[12], factor = _mm256_set1_ps(1e-6F);
        for (size_t i = 0; i < 12; i++)
            sum[i] = _mm256_set1_ps((float)i);
        double begin = cpu_seconds();
        for (size_t step = 0; step < STEPS; step++)
            for (size_t i = 0; i < 12; i++)
                sum[i] = _mm256_fmadd_ps(sum[i], factor, factor);
        times[round] = cpu_seconds() - begin;
        for (size_t i = 1; i < 12; i++)
            sum[0] = _mm256_add_ps(sum[0], sum[i]);
        volatile float kept = _mm256_cvtss_f32(sum[0]);
        (void)kept;
    }
    return 12.0 * 16 * STEPS / lower_quartile(times, TIMES) * 1e-9;
}

static void race(const size_t shape[3], enum sl_nn_direction direction, size_t rounds)
{
    struct sl_nn_conv_task task = {.direction = direction,
                                   .images = IMAGES,
                                   .in_channels = shape[0],
                                   .out_channels = shape[1],
                                   .height = shape[2],
                                   .width = shape[2],
                                   .out_height = shape[2],
                                   .out_width = shape[2],
                                   .kernel = 3,
                                   .stride = 1,
                                   .pad = 1,
                                   .groups = 1};
    struct own own;
    struct rival rival;
    double our_times[MAX_ROUNDS], their_times[MAX_ROUNDS], prepare_times[MAX_ROUNDS];
    own_init(&own, &task);
    rival_init(&rival, &task);
    for (size_t round = 0; round < rounds; round++) {
        prepare_times[round] = own_prepare(&own);
        our_times[round] = own_run(&own);
        their_times[round] = rival_run(&rival);
    }
    double ours = lower_quartile(our_times, rounds), theirs = lower_quartile(their_times, rounds);
    double prepare = lower_quartile(prepare_times, rounds);
    double flops = 18.0 * IMAGES * (double)(shape[0] * shape[1] * shape[2] * shape[2]);
    printf("%4zu %4zu %3zux%-3zu %-17s %7.1f %7.1f %6.2f %9.3f %8.3f\n", shape[0], shape[1],
           shape[2], shape[2], direction_names[direction], flops / ours * 1e-9,
           flops / theirs * 1e-9, theirs / ours, ours * 1e3, prepare * 1e3);
    fflush(stdout);
    rival_release(&rival);
    own_release(&own);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
    size_t only = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    struct sl_cpu cpu;
    if (rounds < 1 || rounds > MAX_ROUNDS) rounds = MAX_ROUNDS;
    sl_cpu_detect(&cpu);
    if (!cpu.avx2 || !cpu.fma) {
        printf("needs AVX2 and FMA\n");
        return 0;
    }
    omp_set_num_threads(1);
    printf("batch %d, FMA peak %.1f GFLOP/s\n", IMAGES, peak());
    printf("  in  out   map   direction          winogr  oneDNN  ratio        ms  prepare\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int direction = 0; direction < 3 && (only == 0 || only == shapes[i][0]); direction++)
            race(shapes[i], (enum sl_nn_direction)direction, rounds);
    printf("FMA peak %.1f GFLOP/s\n", peak());
    return 0;
}
