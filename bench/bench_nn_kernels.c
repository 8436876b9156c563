/* How near the passes over maps come to the speed of memory: GB/s of every kernel (what it reads
 * and writes) beside memcpy's on the same tensors in the same run, and batch norm with ReLU beside
 * oneDNN's. Every round runs all of them in another order, since what ran before decides what is in
 * the caches; the best of all rounds counts.
 *
 *     bench_nn_kernels [rounds, 200 by default] */
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/kernels/kernels.h"
#include "softlab/base.h"
#include "softlab/nn/optimiser.h"

void omp_set_num_threads(int threads); /* libgomp's, which oneDNN brings along */

static const struct shape {
    size_t channels, side, images;
} shapes[] = {{64, 32, 32}, {16, 32, 32}, {32, 16, 32}, {64, 8, 32}, {512, 4, 32}};

enum { N_TENSORS = 6, DENSE = 12 };

struct bench {
    const struct sl_nn_kernels *kernels;
    struct sl_nn_tensor x, g, y, dx, add, mask; /* of one shape */
    struct sl_nn_tensor half, dense;            /* subsampled; 12 channels */
    float *mean, *variance, *scale, *shift, *inverse, *sum_g, *sum_gx, *a, *b, *c;
    dnnl_stream_t stream;
    dnnl_primitive_t dnn_forward, dnn_backward;
    dnnl_exec_arg_t forward_args[6], backward_args[8], in_place_args[8];
};

static size_t floats_of(const struct sl_nn_tensor *tensor)
{
    return tensor->images * tensor->image_stride;
}

static struct sl_nn_bn_forward forward_args(const struct bench *bench)
{
    return (struct sl_nn_bn_forward){
        .x = &bench->x, .scale = bench->scale, .shift = bench->shift, .relu = true, .y = &bench->y};
}

static struct sl_nn_bn_backward backward_args(const struct bench *bench)
{
    return (struct sl_nn_bn_backward){.x = &bench->x,
                                      .g = &bench->g,
                                      .relu = true,
                                      .scale = bench->scale,
                                      .shift = bench->shift,
                                      .mean = bench->mean,
                                      .inverse = bench->inverse};
}

static void run_memcpy(const struct bench *bench)
{
    memcpy(bench->y.data, bench->x.data, floats_of(&bench->x) * sizeof(float));
}

static void run_statistics(const struct bench *bench)
{
    bench->kernels->statistics(&bench->x, 0, bench->x.channels, bench->mean, bench->variance);
}

static void run_forward(const struct bench *bench)
{
    const struct sl_nn_bn_forward args = forward_args(bench);
    bench->kernels->bn_forward(&args);
}

static void run_forward_add(const struct bench *bench)
{
    struct sl_nn_bn_forward args = forward_args(bench);
    args.add = &bench->add;
    bench->kernels->bn_forward(&args);
}

static void run_reduce(const struct bench *bench)
{
    const struct sl_nn_bn_backward args = backward_args(bench);
    bench->kernels->bn_reduce(&args, bench->sum_g, bench->sum_gx, NULL);
}

static void run_reduce_masked(const struct bench *bench)
{
    struct sl_nn_bn_backward args = backward_args(bench);
    args.y = &bench->y;
    bench->kernels->bn_reduce(&args, bench->sum_g, bench->sum_gx, &bench->mask);
}

static void run_apply(const struct bench *bench)
{
    const struct sl_nn_bn_backward args = backward_args(bench);
    bench->kernels->bn_apply(&args, bench->a, bench->b, bench->c, NULL, &bench->dx);
}

static void run_apply_add(const struct bench *bench)
{
    const struct sl_nn_bn_backward args = backward_args(bench);
    bench->kernels->bn_apply(&args, bench->a, bench->b, bench->c, &bench->add, &bench->dx);
}

static void run_add(const struct bench *bench)
{
    bench->kernels->add(&bench->x, &bench->add, true, &bench->y);
}

static void run_relu(const struct bench *bench)
{
    bench->kernels->relu_forward(&bench->x, 0, &bench->y);
}

static void run_relu_back(const struct bench *bench)
{
    bench->kernels->relu_backward(&bench->y, &bench->g, 0, NULL, &bench->dx);
}

static void run_subsample(const struct bench *bench)
{
    bench->kernels->subsample_forward(&bench->x, 2, 0, &bench->half);
}

static void run_subsample_back(const struct bench *bench)
{
    bench->kernels->subsample_backward(&bench->half, 2, 0, NULL, &bench->dx);
}

static void run_insert(const struct bench *bench)
{
    bench->kernels->insert_channels(&bench->dense, 3, &bench->y);
}

static void run_extract(const struct bench *bench)
{
    bench->kernels->extract_channels(&bench->x, 3, &bench->dense);
}

static void run_accumulate(const struct bench *bench)
{
    bench->kernels->accumulate(bench->x.data, bench->add.data, floats_of(&bench->x), bench->y.data);
}

static void run_norm(const struct bench *bench)
{
    bench->sum_g[0] = (float)sl_flat_norm(bench->x.data, floats_of(&bench->x), NULL);
}

static void run_sgd(const struct bench *bench)
{
    const struct sl_sgd sgd = {.rate = 0, .momentum = .9f, .gradient_scale = 1};
    sl_sgd_step(&sgd, bench->y.data, bench->g.data, bench->mask.data, floats_of(&bench->x));
}

static void run_adam(const struct bench *bench)
{
    const struct sl_adam adam = {
        .beta1 = .9f, .beta2 = .999f, .epsilon = 1e-8f, .step = 3, .gradient_scale = 1};
    sl_adam_step(&adam, bench->y.data, bench->g.data, bench->mask.data, bench->dx.data,
                 floats_of(&bench->x));
}

/* Both passes of each direction. */
static void run_both_forward(const struct bench *bench)
{
    run_statistics(bench);
    run_forward(bench);
}

static void run_both_backward(const struct bench *bench)
{
    run_reduce(bench);
    run_apply(bench);
}

/* With dx in the memory of g, as a plan has it. */
static void run_backward_in_place(const struct bench *bench)
{
    const struct sl_nn_bn_backward args = backward_args(bench);
    run_reduce(bench);
    bench->kernels->bn_apply(&args, bench->a, bench->b, bench->c, NULL, &bench->g);
}

static void run_dnn_forward(const struct bench *bench)
{
    dnnl_primitive_execute(bench->dnn_forward, bench->stream, 6, bench->forward_args);
    dnnl_stream_wait(bench->stream);
}

static void run_dnn_backward(const struct bench *bench)
{
    dnnl_primitive_execute(bench->dnn_backward, bench->stream, 8, bench->backward_args);
    dnnl_stream_wait(bench->stream);
}

static void run_dnn_in_place(const struct bench *bench)
{
    dnnl_primitive_execute(bench->dnn_backward, bench->stream, 8, bench->in_place_args);
    dnnl_stream_wait(bench->stream);
}

/* `passes` counts tensors read and written of the size of x; 0: twelve channels of it, twice. */
static const struct row {
    const char *name;
    double passes;
    void (*run)(const struct bench *bench);
} rows[] = {
    {"memcpy", 2, run_memcpy},
    {"statistics", 1, run_statistics},
    {"bn_forward relu", 2, run_forward},
    {"bn_forward relu add", 3, run_forward_add},
    {"bn_reduce relu", 2, run_reduce},
    {"bn_reduce relu y masked", 4, run_reduce_masked},
    {"bn_apply relu", 3, run_apply},
    {"bn_apply relu add", 4, run_apply_add},
    {"add relu", 3, run_add},
    {"relu_forward", 2, run_relu},
    {"relu_backward", 3, run_relu_back},
    {"subsample_forward", .5, run_subsample},
    {"subsample_backward", 1.25, run_subsample_back},
    {"insert_channels 12 at 3", 0, run_insert},
    {"extract_channels 12 at 3", 0, run_extract},
    {"accumulate", 3, run_accumulate},
    {"sl_flat_norm", 1, run_norm},
    {"sl_sgd_step", 5, run_sgd},
    {"sl_adam_step", 7, run_adam},
    {"norm forward", 3, run_both_forward},
    {"norm forward, oneDNN", 3, run_dnn_forward},
    {"norm backward", 5, run_both_backward},
    {"norm backward, oneDNN", 5, run_dnn_backward},
    {"norm backward in place", 5, run_backward_in_place},
    {"norm backward in place, oneDNN", 5, run_dnn_in_place},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void expect(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "bench_nn_kernels: %s: oneDNN says %d\n", what, (int)status);
    exit(1);
}

static dnnl_memory_t memory_of(dnnl_engine_t engine, const dnnl_memory_desc_t *layout, void *data)
{
    dnnl_memory_t memory;
    expect(dnnl_memory_create(&memory, layout, engine, data), "memory");
    return memory;
}

static float *floats(size_t count)
{
    struct sl_error err;
    float *values = sl_data_alloc(count, sizeof *values, &err);
    if (!values) {
        fprintf(stderr, "bench_nn_kernels: %s\n", err.message);
        exit(1);
    }
    for (size_t i = 0; i < count; i++)
        values[i] = (float)((i * 2654435761u >> 7) % 1000) * .002f - 1;
    return values;
}

/* oneDNN's batch norm with ReLU on the same tensors, in training, both directions. */
static void prepare_dnn(struct bench *bench, const struct shape *shape)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)shape->images, (dnnl_dim_t)shape->channels,
                              (dnnl_dim_t)shape->side, (dnnl_dim_t)shape->side};
    const unsigned flags = dnnl_use_scaleshift | dnnl_fuse_norm_relu;
    dnnl_engine_t engine;
    dnnl_memory_desc_t map;
    dnnl_batch_normalization_desc_t forward, backward;
    dnnl_primitive_desc_t forward_pd, backward_pd;
    expect(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    expect(dnnl_stream_create(&bench->stream, engine, dnnl_stream_default_flags), "stream");
    expect(dnnl_memory_desc_init_by_tag(&map, 4, dims, dnnl_f32, dnnl_nChw8c), "layout");
    expect(dnnl_batch_normalization_forward_desc_init(&forward, dnnl_forward_training, &map, 1e-5f,
                                                      flags),
           "forward");
    expect(dnnl_primitive_desc_create(&forward_pd, &forward, NULL, engine, NULL), "forward");
    expect(dnnl_primitive_create(&bench->dnn_forward, forward_pd), "forward");
    expect(dnnl_batch_normalization_backward_desc_init(&backward, dnnl_backward, &map, &map, 1e-5f,
                                                       flags),
           "backward");
    expect(dnnl_primitive_desc_create(&backward_pd, &backward, NULL, engine, forward_pd),
           "backward");
    expect(dnnl_primitive_create(&bench->dnn_backward, backward_pd), "backward");

    const dnnl_memory_desc_t *per_channel =
        dnnl_primitive_desc_query_md(forward_pd, dnnl_query_dst_md, 1);
    const dnnl_memory_desc_t *both =
        dnnl_primitive_desc_query_md(forward_pd, dnnl_query_weights_md, 0);
    const dnnl_memory_desc_t *workspace =
        dnnl_primitive_desc_query_md(forward_pd, dnnl_query_workspace_md, 0);
    dnnl_memory_t x = memory_of(engine, &map, bench->x.data),
                  y = memory_of(engine, &map, bench->y.data),
                  g = memory_of(engine, &map, bench->g.data),
                  dx = memory_of(engine, &map, bench->dx.data),
                  mean = memory_of(engine, per_channel, DNNL_MEMORY_ALLOCATE),
                  variance = memory_of(engine, per_channel, DNNL_MEMORY_ALLOCATE),
                  weights = memory_of(engine, both, floats(2 * shape->channels)),
                  gradient = memory_of(engine, both, DNNL_MEMORY_ALLOCATE),
                  bits = memory_of(engine, workspace, DNNL_MEMORY_ALLOCATE);
    const dnnl_exec_arg_t forward_args_of[] = {{DNNL_ARG_SRC, x},
                                               {DNNL_ARG_DST, y},
                                               {DNNL_ARG_MEAN, mean},
                                               {DNNL_ARG_VARIANCE, variance},
                                               {DNNL_ARG_SCALE_SHIFT, weights},
                                               {DNNL_ARG_WORKSPACE, bits}};
    const dnnl_exec_arg_t backward_args_of[] = {{DNNL_ARG_SRC, x},
                                                {DNNL_ARG_DIFF_DST, g},
                                                {DNNL_ARG_MEAN, mean},
                                                {DNNL_ARG_VARIANCE, variance},
                                                {DNNL_ARG_SCALE_SHIFT, weights},
                                                {DNNL_ARG_WORKSPACE, bits},
                                                {DNNL_ARG_DIFF_SRC, dx},
                                                {DNNL_ARG_DIFF_SCALE_SHIFT, gradient}};
    memcpy(bench->forward_args, forward_args_of, sizeof forward_args_of);
    memcpy(bench->backward_args, backward_args_of, sizeof backward_args_of);
    memcpy(bench->in_place_args, backward_args_of, sizeof backward_args_of);
    for (size_t i = 0; i < sizeof backward_args_of / sizeof *backward_args_of; i++)
        if (bench->in_place_args[i].arg == DNNL_ARG_DIFF_SRC) bench->in_place_args[i].memory = g;
}

static struct sl_nn_tensor map_of(size_t images, size_t channels, size_t side)
{
    struct sl_nn_tensor map = {.layout = SL_NN_BLOCKED,
                               .images = images,
                               .channels = channels,
                               .height = side,
                               .width = side,
                               .image_stride = sl_nn_blocks(channels) * side * side * SL_NN_LANES};
    map.data = floats(images * map.image_stride);
    return map;
}

static void prepare(struct bench *bench, const struct shape *shape)
{
    struct sl_nn_tensor *const maps[N_TENSORS] = {&bench->x,  &bench->g,   &bench->y,
                                                  &bench->dx, &bench->add, &bench->mask};
    float **const arrays[] = {&bench->mean,    &bench->variance, &bench->scale,  &bench->shift,
                              &bench->inverse, &bench->sum_g,    &bench->sum_gx, &bench->a,
                              &bench->b,       &bench->c};
    bench->kernels = sl_nn_kernels_select();
    for (size_t i = 0; i < N_TENSORS; i++)
        *maps[i] = map_of(shape->images, shape->channels, shape->side);
    bench->half = map_of(shape->images, shape->channels, shape->side / 2);
    bench->dense = map_of(shape->images, DENSE, shape->side);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = floats(shape->channels);
    prepare_dnn(bench, shape);
}

static void measure(const struct shape *shape, size_t rounds)
{
    struct bench bench;
    double best[N_ROWS];
    size_t order[N_ROWS];
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "bench.nn_kernels", 0, 0);
    prepare(&bench, shape);
    for (size_t i = 0; i < N_ROWS; i++)
        best[i] = 1e9;
    for (size_t round = 0; round < rounds; round++) {
        sl_rng_permutation(&rng, order, N_ROWS);
        for (size_t i = 0; i < N_ROWS; i++) {
            const double begin = sl_clock_seconds();
            rows[order[i]].run(&bench);
            const double taken = sl_clock_seconds() - begin;
            if (taken < best[order[i]]) best[order[i]] = taken;
        }
    }
    const double bytes = (double)floats_of(&bench.x) * sizeof(float);
    printf("\n%zu channels, %zux%zu, %zu images (%.2f MB a tensor), %s\n", shape->channels,
           shape->side, shape->side, shape->images, bytes * 1e-6, bench.kernels->name);
    printf("  %-30s %9s %8s %10s\n", "", "ms", "GB/s", "of memcpy");
    const double memcpy_rate = 2 * bytes / best[0];
    for (size_t i = 0; i < N_ROWS; i++) {
        const double moved = rows[i].passes > 0
                                 ? rows[i].passes * bytes
                                 : 2 * (double)DENSE / (double)shape->channels * bytes;
        const double rate = moved / best[i];
        printf("  %-30s %9.4f %8.1f %10.2f\n", rows[i].name, 1e3 * best[i], 1e-9 * rate,
               rate / memcpy_rate);
    }
}

int main(int argc, char **argv)
{
    const size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
    omp_set_num_threads(1);
    dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        measure(&shapes[i], rounds);
    return 0;
}
