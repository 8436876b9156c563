/* lstm <in.npz> <out.npz> <hidden> [<rounds>]: an LSTM layer forward and backward, for
 * check_lstm.py, which compares with PyTorch.
 *
 * In: input (steps, n, inputs), values (flat, in the order of PyTorch's parameters; both directions
 * if there are enough), upstream (steps, n, outputs), and if wanted counts (n), positions (n: they
 * alone are read of the outputs) and ids (n, steps: rows with the same ids have the same inputs).
 * Out: output, gradients (as values) and, without ids, input_gradient. With rounds, the fastest
 * forward and backward pass of so many are printed, in seconds of the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nn/layers/layer.h"
#include "softlab/base/array.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { IDS, INPUT, LSTM, PICK, N_NODES };

struct task {
    struct sl_array input, values, upstream, counts, positions, ids;
    struct sl_array output, gradients, input_gradient;
    struct sl_nn_node nodes[N_NODES];
    struct sl_nn_graph graph;
    struct sl_nn_unit unit;
    struct sl_nn_needs needs;
    void *layer;
    void *kept, *scratch[2]; /* owned */
};

static enum sl_status read_arrays(struct task *task, const char *path, struct sl_error *err)
{
    const struct {
        const char *name;
        struct sl_array *array;
        bool optional;
        enum sl_dtype dtype;
        size_t n_dimensions;
    } arrays[] = {
        {"input", &task->input, false, SL_F4, 3},        {"values", &task->values, false, SL_F4, 1},
        {"upstream", &task->upstream, false, SL_F4, 3},  {"counts", &task->counts, true, SL_I4, 1},
        {"positions", &task->positions, true, SL_I4, 1}, {"ids", &task->ids, true, SL_I4, 2},
    };
    const size_t any[3] = {0};
    enum sl_status status = SL_OK;
    struct sl_npz *npz = NULL;
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].optional && !sl_npz_has(npz, arrays[i].name)) continue;
        SL_TRY_OUT(sl_npz_read(npz, arrays[i].name, arrays[i].array, err));
        SL_TRY_OUT(
            sl_array_expect(arrays[i].array, arrays[i].name, arrays[i].n_dimensions, any, err));
        if (arrays[i].array->dtype != arrays[i].dtype)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: expected %s", arrays[i].name,
                               sl_dtype_name(arrays[i].dtype)));
    }
out:
    sl_npz_close(npz);
    return status;
}

/* Ids, an embedding or something else that makes the inputs, the LSTM, and a pick or not. */
static void make_graph(struct task *task, size_t hidden, bool both)
{
    const size_t steps = task->input.shape[0], inputs = task->input.shape[2];
    const size_t outputs = both ? 2 * hidden : hidden;
    task->nodes[IDS] = (struct sl_nn_node){SL_NN_WORDS, .shape = {SL_NN_IDS, 1, steps, 1}};
    task->nodes[INPUT] =
        (struct sl_nn_node){task->ids.data ? SL_NN_EMBED : SL_NN_DROPOUT, .input = {IDS},
                            .n_inputs = 1, .shape = {SL_NN_SEQUENCE, inputs, steps, 1}};
    task->nodes[LSTM] =
        (struct sl_nn_node){SL_NN_LSTM, .input = {INPUT}, .n_inputs = 1,
                            .shape = {SL_NN_SEQUENCE, outputs, steps, 1}, .as.lstm.both = both};
    task->nodes[PICK] =
        (struct sl_nn_node){SL_NN_PICK, .input = {LSTM}, .n_inputs = 1,
                            .shape = {SL_NN_ROWS, outputs, 1, 1}, .as.pick.at_position = true};
    task->graph =
        (struct sl_nn_graph){.nodes = task->nodes, .count = task->positions.data ? N_NODES : PICK};
}

static enum sl_status make_layer(struct task *task, size_t hidden, struct sl_error *err)
{
    const size_t inputs = task->input.shape[2];
    const size_t sizes[4] = {4 * hidden * inputs, 4 * hidden * hidden, 4 * hidden, 4 * hidden};
    const size_t one = 4 * hidden * (inputs + hidden + 2), given = task->values.shape[0];
    if (given != one && given != 2 * one)
        return sl_fail(err, SL_ERR_INPUT, "expected %zu or %zu values, got %zu", one, 2 * one,
                       given);
    make_graph(task, hidden, given == 2 * one);
    task->unit = (struct sl_nn_unit){.graph = &task->graph,
                                     .node = LSTM,
                                     .input = {INPUT},
                                     .n_inputs = 1,
                                     .output = LSTM,
                                     .images = task->input.shape[1],
                                     .training = true,
                                     .gradients = true,
                                     .input_gradient = {!task->ids.data}};
    for (size_t k = 1; k < SL_NN_NODE_TENSORS; k++)
        task->unit.offset[k] = task->unit.offset[k - 1] + sizes[(k - 1) % 4];
    const size_t shape[3] = {task->input.shape[0], task->input.shape[1],
                             task->nodes[LSTM].shape.channels};
    SL_TRY(sl_array_expect(&task->upstream, "upstream", 3, shape, err));
    SL_TRY(sl_array_create(SL_F4, 0, 3, shape, &task->output, err));
    SL_TRY(sl_array_create(SL_F4, 0, 1, task->values.shape, &task->gradients, err));
    SL_TRY(sl_array_create(SL_F4, 0, 3, task->input.shape, &task->input_gradient, err));
    SL_TRY(sl_nn_layer_lstm.create(&task->unit, &task->needs, &task->layer, err));
    task->kept = sl_data_alloc(task->needs.kept, 1, err);
    task->scratch[0] = sl_data_alloc(task->needs.scratch[0], 1, err);
    task->scratch[1] = sl_data_alloc(task->needs.scratch[1], 1, err);
    return task->kept && task->scratch[0] && task->scratch[1] ? SL_OK : SL_ERR_NOMEM;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void run(const struct task *task, double seconds[2])
{
    const struct sl_batch batch = {.words = task->ids.data,
                                   .word_counts = task->counts.data,
                                   .positions = task->positions.data};
    struct sl_nn_args args = {.batch = &batch,
                              .values = task->values.data,
                              .gradients = task->gradients.data,
                              .input[0].data = task->input.data,
                              .output.data = task->output.data,
                              .upstream.data = task->upstream.data,
                              .kept = task->kept,
                              .scratch = task->scratch[0]};
    if (!task->ids.data) args.input_gradient[0].data = task->input_gradient.data;
    const double start = now();
    sl_nn_layer_lstm.forward(task->layer, &args);
    const double middle = now();
    args.scratch = task->scratch[1];
    sl_nn_layer_lstm.backward(task->layer, &args);
    const double end = now();
    if (middle - start < seconds[0]) seconds[0] = middle - start;
    if (end - middle < seconds[1]) seconds[1] = end - middle;
}

static enum sl_status write_arrays(const struct task *task, const char *path, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_npz_writer *npz = NULL;
    SL_TRY_OUT(sl_npz_writer_create(path, SL_NPZ_STORED, &npz, err));
    SL_TRY_OUT(sl_npz_writer_add(npz, "output", &task->output, err));
    SL_TRY_OUT(sl_npz_writer_add(npz, "gradients", &task->gradients, err));
    if (!task->ids.data)
        SL_TRY_OUT(sl_npz_writer_add(npz, "input_gradient", &task->input_gradient, err));
    SL_TRY_OUT(sl_npz_writer_commit(npz, err));
out:
    sl_npz_writer_destroy(npz);
    return status;
}

static void release(struct task *task)
{
    struct sl_array *arrays[] = {&task->input,  &task->values,    &task->upstream,
                                 &task->counts, &task->positions, &task->ids,
                                 &task->output, &task->gradients, &task->input_gradient};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        sl_array_release(arrays[i]);
    sl_nn_layer_lstm.destroy(task->layer);
    free(task->kept);
    free(task->scratch[0]);
    free(task->scratch[1]);
}

int main(int argc, char **argv)
{
    struct sl_error err = {0};
    struct task task = {0};
    int64_t hidden = 0, rounds = 1;
    if (argc < 4 || argc > 5 || !sl_text_to_integer(argv[3], strlen(argv[3]), &hidden) ||
        (argc == 5 && !sl_text_to_integer(argv[4], strlen(argv[4]), &rounds)) || hidden < 1) {
        fputs("usage: lstm <in.npz> <out.npz> <hidden> [<rounds>]\n", stderr);
        return 2;
    }
    double seconds[2] = {1e9, 1e9};
    enum sl_status status = read_arrays(&task, argv[1], &err);
    if (status == SL_OK) status = make_layer(&task, (size_t)hidden, &err);
    for (int64_t i = 0; i < rounds && status == SL_OK; i++)
        run(&task, seconds);
    if (status == SL_OK) status = write_arrays(&task, argv[2], &err);
    if (status == SL_OK && argc == 5) printf("%.6f %.6f\n", seconds[0], seconds[1]);
    if (status != SL_OK) fprintf(stderr, "lstm: %s\n", err.message);
    release(&task);
    return status != SL_OK;
}
