/* One LSTM layer in one or both directions, like PyTorch's on packed sequences: outputs beyond a
 * row's end are zero, and the reverse direction begins at the row's last real step. Both directions
 * run the same code on their own packing (lstm_pack.h). One matrix product multiplies all inputs by
 * the input weights. Then each step has one product with the recurrent weights and one pass over
 * the gates. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nn/dnn.h"
#include "nn/layers/layer.h"
#include "nn/layers/lstm_cell.h"
#include "nn/layers/lstm_pack.h"
#include "softlab/base/memory.h"

enum { INPUT_WEIGHTS, HIDDEN_WEIGHTS, INPUT_BIAS, HIDDEN_BIAS, PER_DIRECTION };

struct lstm {
    size_t steps, items, inputs, hidden, directions;
    bool gradients, input_gradient;
    enum sl_nn_op source;         /* ids that give the rows' lengths; SL_NN_N_OPS: rows are full */
    bool merges;                  /* rows with the same ids run once */
    bool everywhere, at_position; /* the outputs that are read, as in sl_nn_lstm_request */
    size_t step;
    size_t rows;      /* most packed rows of one direction */
    size_t kept_rows; /* most packed rows that forward keeps for backward */
    size_t offset[SL_NN_NODE_TENSORS];
    struct sl_nn_lstm_pack packs[2];
    const struct sl_nn_lstm_kernels *kernels;
};

/* ---- Memory ---- */

struct cursor {
    float *base; /* NULL: only count bytes */
    size_t used;
};

static float *carve(struct cursor *cursor, size_t count)
{
    const size_t at = cursor->used;
    cursor->used += (count + 15) / 16 * 16; /* whole cache lines */
    return cursor->base ? cursor->base + at : NULL;
}

/* The results of forward, by packed row. */
struct trace {
    float *gates;  /* (rows, 4 hidden) */
    float *cell;   /* (rows, hidden) */
    float *before; /* (rows, hidden): outputs of the previous step */
};

static struct trace carve_trace(struct cursor *cursor, size_t rows, size_t hidden)
{
    struct trace trace;
    trace.gates = carve(cursor, rows * 4 * hidden);
    trace.cell = carve(cursor, rows * hidden);
    trace.before = carve(cursor, rows * hidden);
    return trace;
}

/* The part of the kept memory that belongs to one direction. The second direction follows the
 * first. */
static struct trace trace_from(struct trace all, size_t row, size_t hidden)
{
    return (struct trace){all.gates + row * 4 * hidden, all.cell + row * hidden,
                          all.before + row * hidden};
}

static bool keeps(const struct lstm *lstm)
{
    return lstm->gradients || lstm->input_gradient;
}

struct forward_memory {
    float *inputs; /* (rows, inputs), packed */
    float *output; /* (items, hidden) of one step, by rank */
    float *bias;   /* (4 hidden): sum of both biases */
    struct trace trace;
};

static size_t place_forward(const struct lstm *lstm, float *scratch, struct forward_memory *memory)
{
    struct cursor cursor = {scratch, 0};
    memory->inputs = carve(&cursor, lstm->rows * lstm->inputs);
    memory->output = carve(&cursor, lstm->items * lstm->hidden);
    memory->bias = carve(&cursor, 4 * lstm->hidden);
    if (!keeps(lstm)) memory->trace = carve_trace(&cursor, lstm->rows, lstm->hidden);
    return cursor.used * sizeof *scratch;
}

struct backward_memory {
    float *inputs;          /* (rows, inputs), packed */
    float *gate_gradient;   /* (rows, 4 hidden) */
    float *output_gradient; /* (items, hidden) of one step, by rank */
    float *cell_gradient;   /* likewise */
    float *partial;         /* (4 hidden) */
    float *input_gradient;  /* (rows, inputs), packed */
};

static size_t place_backward(const struct lstm *lstm, float *scratch,
                             struct backward_memory *memory)
{
    struct cursor cursor = {scratch, 0};
    memory->inputs = carve(&cursor, lstm->gradients ? lstm->rows * lstm->inputs : 0);
    memory->gate_gradient = carve(&cursor, lstm->rows * 4 * lstm->hidden);
    memory->output_gradient = carve(&cursor, lstm->items * lstm->hidden);
    memory->cell_gradient = carve(&cursor, lstm->items * lstm->hidden);
    memory->partial = carve(&cursor, 4 * lstm->hidden);
    memory->input_gradient = carve(&cursor, lstm->input_gradient ? lstm->rows * lstm->inputs : 0);
    return cursor.used * sizeof *scratch;
}

/* ---- The graph around it ---- */

static enum sl_nn_op find_source(const struct sl_nn_graph *graph, size_t node)
{
    const struct sl_nn_node *at = &graph->nodes[node];
    while (at->n_inputs > 0)
        at = &graph->nodes[at->input[0]];
    return at->op == SL_NN_WORDS || at->op == SL_NN_LETTERS ? at->op : SL_NN_N_OPS;
}

/* The pick that is the only reader of a node's tensor, or NULL. */
static const struct sl_nn_node *only_pick(const struct sl_nn_graph *graph, size_t node)
{
    const struct sl_nn_node *pick = NULL;
    for (size_t i = node + 1; i < graph->count; i++) {
        const struct sl_nn_node *reader = &graph->nodes[i];
        for (size_t k = 0; k < reader->n_inputs; k++) {
            if (reader->input[k] != node) continue;
            if (pick || reader->op != SL_NN_PICK) return NULL;
            pick = reader;
        }
    }
    return pick;
}

/* If only one position of the outputs is read, neither direction runs past it. Together they run at
 * most one step more than the row has. */
static void limit_steps(struct lstm *lstm, const struct sl_nn_node *pick)
{
    const size_t steps = lstm->steps;
    lstm->rows = steps * lstm->items;
    lstm->kept_rows = lstm->directions * lstm->rows;
    lstm->everywhere =
        !pick || (!pick->as.pick.at_position &&
                  (pick->as.pick.step == SL_NN_LAST_STEP || pick->as.pick.step >= steps));
    if (lstm->everywhere) return;
    lstm->at_position = pick->as.pick.at_position;
    lstm->step = pick->as.pick.step;
    if (lstm->directions == 2) lstm->kept_rows = (steps + 1) * lstm->items;
}

static enum sl_status create(const struct sl_nn_unit *unit, struct sl_nn_needs *needs, void **state,
                             struct sl_error *err)
{
    (void)err;
    const struct sl_nn_node *node = &unit->graph->nodes[unit->node];
    const struct sl_nn_node *input = &unit->graph->nodes[unit->input[0]];
    struct lstm *lstm = sl_alloc(1, sizeof *lstm);
    lstm->steps = node->shape.height;
    lstm->items = unit->images;
    lstm->inputs = input->shape.channels;
    lstm->directions = node->as.lstm.both ? 2 : 1;
    lstm->hidden = node->shape.channels / lstm->directions;
    lstm->gradients = unit->gradients;
    lstm->input_gradient = unit->input_gradient[0];
    lstm->source = find_source(unit->graph, unit->input[0]);
    lstm->merges = input->op == SL_NN_EMBED && !lstm->input_gradient;
    lstm->kernels = sl_nn_lstm_kernels_here()[0];
    limit_steps(lstm, only_pick(unit->graph, unit->output));
    memcpy(lstm->offset, unit->offset, sizeof lstm->offset);
    for (size_t d = 0; d < lstm->directions; d++)
        sl_nn_lstm_pack_init(&lstm->packs[d], lstm->items, lstm->steps, d == 1);

    struct forward_memory forward;
    struct backward_memory backward;
    struct cursor kept = {NULL, 0};
    *needs = (struct sl_nn_needs){.adds = {true, false}};
    needs->scratch[0] = place_forward(lstm, NULL, &forward);
    if (keeps(lstm)) {
        carve_trace(&kept, lstm->kept_rows, lstm->hidden);
        needs->kept = kept.used * sizeof *kept.base;
        needs->scratch[1] = place_backward(lstm, NULL, &backward);
        needs->input_in_backward[0] = lstm->gradients;
    }
    *state = lstm;
    return SL_OK;
}

static void destroy(void *state)
{
    struct lstm *lstm = state;
    if (!lstm) return;
    for (size_t d = 0; d < lstm->directions; d++)
        sl_nn_lstm_pack_release(&lstm->packs[d]);
    free(lstm);
}

/* ---- Between sequences and packed rows ---- */

static void fill_packs(struct lstm *lstm, const struct sl_batch *batch)
{
    struct sl_nn_lstm_request request = {.everywhere = lstm->everywhere, .step = lstm->step};
    if (lstm->source == SL_NN_WORDS) {
        request.counts = batch->word_counts;
        if (lstm->merges) request.ids = batch->words;
    } else if (lstm->source == SL_NN_LETTERS) {
        request.counts = batch->letter_counts;
        if (lstm->merges) request.ids = batch->letters;
    }
    if (lstm->at_position) request.positions = batch->positions;
    for (size_t d = 0; d < lstm->directions; d++)
        sl_nn_lstm_pack_fill(&lstm->packs[d], &request);
}

/* The packed inputs of a direction. If every row is full and runs forward, this is `sequence`
 * itself, without a copy. */
static const float *pack_inputs(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack,
                                const float *sequence, float *packed)
{
    if (!pack->reverse && pack->total == lstm->steps * lstm->items) return sequence;
    const size_t width = lstm->inputs;
    for (size_t s = 0; s < pack->n_steps; s++)
        for (size_t rank = 0; rank < pack->active[s]; rank++) {
            const size_t item = pack->first[rank];
            const size_t from = sl_nn_lstm_place(pack, item, s) * lstm->items + item;
            memcpy(packed + (pack->start[s] + rank) * width, sequence + from * width,
                   width * sizeof *packed);
        }
    return packed;
}

/* Index of an item's row in one direction's half of a (steps, items, directions hidden)
 * sequence. */
static size_t half_row(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack, size_t item,
                       size_t s)
{
    const size_t row = sl_nn_lstm_place(pack, item, s) * lstm->items + item;
    return row * lstm->directions * lstm->hidden + (pack->reverse ? lstm->hidden : 0);
}

static void spread_output(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack, size_t s,
                          const float *output, float *sequence)
{
    for (size_t rank = 0; rank < pack->active[s]; rank++)
        for (size_t item = pack->first[rank]; item != SL_NN_CHAIN_END; item = pack->next[item])
            memcpy(sequence + half_row(lstm, pack, item, s), output + rank * lstm->hidden,
                   lstm->hidden * sizeof *output);
}

static void collect_gradient(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack, size_t s,
                             const float *sequence, float *gradient)
{
    for (size_t rank = 0; rank < pack->active[s]; rank++) {
        float *sum = gradient + rank * lstm->hidden;
        size_t item = pack->first[rank];
        memcpy(sum, sequence + half_row(lstm, pack, item, s), lstm->hidden * sizeof *sum);
        while ((item = pack->next[item]) != SL_NN_CHAIN_END) {
            const float *own = sequence + half_row(lstm, pack, item, s);
            for (size_t j = 0; j < lstm->hidden; j++)
                sum[j] += own[j];
        }
    }
}

static void add_input_gradient(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack,
                               const float *packed, float *sequence)
{
    const size_t width = lstm->inputs;
    for (size_t s = 0; s < pack->n_steps; s++)
        for (size_t rank = 0; rank < pack->active[s]; rank++) {
            const size_t item = pack->first[rank];
            const size_t row = sl_nn_lstm_place(pack, item, s) * lstm->items + item;
            const float *from = packed + (pack->start[s] + rank) * width;
            for (size_t j = 0; j < width; j++)
                sequence[row * width + j] += from[j];
        }
}

/* ---- Products ---- */

/* c = a b' (+ c), where b has PyTorch's weight layout (n, k). */
static void times_weights(const float *a, const float *b, float *c, size_t m, size_t n, size_t k,
                          bool add)
{
    sl_nn_gemm(&(struct sl_gemm){.transpose_b = true,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = 1,
                                 .beta = add ? 1 : 0,
                                 .a = a,
                                 .b = b,
                                 .c = c,
                                 .lda = k,
                                 .ldb = k,
                                 .ldc = n});
}

/* c = a b (+ c), (m, k) by (k, n): passes gate gradients back through the weights. */
static void back_through(const float *a, const float *b, float *c, size_t m, size_t n, size_t k,
                         bool add)
{
    sl_nn_gemm(&(struct sl_gemm){.m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = 1,
                                 .beta = add ? 1 : 0,
                                 .a = a,
                                 .b = b,
                                 .c = c,
                                 .lda = k,
                                 .ldb = n,
                                 .ldc = n});
}

/* c = a' b, (k, m) and (k, n): computes the gradient of the weights. */
static void by_weights(const float *a, const float *b, float *c, size_t m, size_t n, size_t k)
{
    if (k == 0) {
        memset(c, 0, m * n * sizeof *c);
        return;
    }
    sl_nn_gemm(&(struct sl_gemm){.transpose_a = true,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .alpha = 1,
                                 .a = a,
                                 .b = b,
                                 .c = c,
                                 .lda = m,
                                 .ldb = n,
                                 .ldc = n});
}

/* ---- Runs ---- */

static void run_forward(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack,
                        const struct sl_nn_args *args, const struct forward_memory *memory,
                        struct trace trace)
{
    const size_t hidden = lstm->hidden;
    const size_t *offset = lstm->offset + (pack->reverse ? PER_DIRECTION : 0);
    const float *values = args->values;
    for (size_t j = 0; j < 4 * hidden; j++)
        memory->bias[j] = values[offset[INPUT_BIAS] + j] + values[offset[HIDDEN_BIAS] + j];
    if (pack->total > 0)
        times_weights(pack_inputs(lstm, pack, args->input[0].data, memory->inputs),
                      values + offset[INPUT_WEIGHTS], trace.gates, pack->total, 4 * hidden,
                      lstm->inputs, false);
    for (size_t s = 0; s < pack->n_steps; s++) {
        const size_t rows = pack->active[s], start = pack->start[s];
        float *gates = trace.gates + start * 4 * hidden;
        float *before = trace.before + start * hidden;
        if (s == 0) {
            memset(before, 0, rows * hidden * sizeof *before);
        } else {
            memcpy(before, memory->output, rows * hidden * sizeof *before);
            times_weights(before, values + offset[HIDDEN_WEIGHTS], gates, rows, 4 * hidden, hidden,
                          true);
        }
        lstm->kernels->forward(&(struct sl_nn_lstm_forward){
            .rows = rows,
            .hidden = hidden,
            .gates = gates,
            .bias = memory->bias,
            .cell_before = s > 0 ? trace.cell + pack->start[s - 1] * hidden : NULL,
            .cell = trace.cell + start * hidden,
            .output = memory->output,
        });
        spread_output(lstm, pack, s, memory->output, args->output.data);
    }
}

static void forward(void *state, const struct sl_nn_args *args)
{
    struct lstm *lstm = state;
    fill_packs(lstm, args->batch);
    memset(args->output.data, 0,
           lstm->steps * lstm->items * lstm->directions * lstm->hidden * sizeof(float));
    struct forward_memory memory;
    place_forward(lstm, args->scratch, &memory);
    struct cursor kept = {args->kept, 0};
    if (keeps(lstm)) memory.trace = carve_trace(&kept, lstm->kept_rows, lstm->hidden);
    size_t row = 0;
    for (size_t d = 0; d < lstm->directions; d++) {
        const struct sl_nn_lstm_pack *pack = &lstm->packs[d];
        run_forward(lstm, pack, args, &memory, trace_from(memory.trace, row, lstm->hidden));
        if (keeps(lstm)) row += pack->total;
    }
    assert(row <= lstm->kept_rows);
}

/* Compute the gate gradients of all packed rows, from the last step to the first, and their sum. */
static void run_backward(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack,
                         const struct sl_nn_args *args, const struct backward_memory *memory,
                         struct trace trace)
{
    const size_t hidden = lstm->hidden;
    const size_t *offset = lstm->offset + (pack->reverse ? PER_DIRECTION : 0);
    float *bias = lstm->gradients ? args->gradients + offset[INPUT_BIAS] : NULL;
    if (bias) memset(bias, 0, 4 * hidden * sizeof *bias);
    for (size_t s = pack->n_steps; s-- > 0;) {
        const size_t rows = pack->active[s], start = pack->start[s], later = pack->active[s + 1];
        float *gate_gradient = memory->gate_gradient + start * 4 * hidden;
        collect_gradient(lstm, pack, s, args->upstream.data, memory->output_gradient);
        if (later > 0)
            back_through(memory->gate_gradient + pack->start[s + 1] * 4 * hidden,
                         args->values + offset[HIDDEN_WEIGHTS], memory->output_gradient, later,
                         hidden, 4 * hidden, true);
        memset(memory->cell_gradient + later * hidden, 0,
               (rows - later) * hidden * sizeof *memory->cell_gradient);
        lstm->kernels->backward(&(struct sl_nn_lstm_backward){
            .rows = rows,
            .hidden = hidden,
            .gates = trace.gates + start * 4 * hidden,
            .cell = trace.cell + start * hidden,
            .cell_before = s > 0 ? trace.cell + pack->start[s - 1] * hidden : NULL,
            .output_gradient = memory->output_gradient,
            .cell_gradient = memory->cell_gradient,
            .gate_gradient = gate_gradient,
        });
        if (bias) lstm->kernels->add_rows(gate_gradient, rows, 4 * hidden, memory->partial, bias);
    }
}

static void write_gradients(const struct lstm *lstm, const struct sl_nn_lstm_pack *pack,
                            const struct sl_nn_args *args, const struct backward_memory *memory,
                            struct trace trace)
{
    const size_t hidden = lstm->hidden;
    const size_t *offset = lstm->offset + (pack->reverse ? PER_DIRECTION : 0);
    const float *inputs = pack_inputs(lstm, pack, args->input[0].data, memory->inputs);
    by_weights(memory->gate_gradient, inputs, args->gradients + offset[INPUT_WEIGHTS], 4 * hidden,
               lstm->inputs, pack->total);
    by_weights(memory->gate_gradient, trace.before, args->gradients + offset[HIDDEN_WEIGHTS],
               4 * hidden, hidden, pack->total);
    memcpy(args->gradients + offset[HIDDEN_BIAS], args->gradients + offset[INPUT_BIAS],
           4 * hidden * sizeof(float));
}

static void backward(void *state, const struct sl_nn_args *args)
{
    const struct lstm *lstm = state;
    struct backward_memory memory;
    place_backward(lstm, args->scratch, &memory);
    struct cursor kept = {args->kept, 0};
    const struct trace all = carve_trace(&kept, lstm->kept_rows, lstm->hidden);
    float *input_gradient = lstm->input_gradient ? args->input_gradient[0].data : NULL;
    const size_t input_bytes = lstm->steps * lstm->items * lstm->inputs * sizeof(float);
    if (input_gradient && !args->add[0].data)
        memset(input_gradient, 0, input_bytes);
    else if (input_gradient && args->add[0].data != input_gradient)
        memcpy(input_gradient, args->add[0].data, input_bytes);
    size_t row = 0;
    for (size_t d = 0; d < lstm->directions; d++) {
        const struct sl_nn_lstm_pack *pack = &lstm->packs[d];
        const size_t *offset = lstm->offset + d * PER_DIRECTION;
        const struct trace trace = trace_from(all, row, lstm->hidden);
        run_backward(lstm, pack, args, &memory, trace);
        if (lstm->gradients) write_gradients(lstm, pack, args, &memory, trace);
        if (input_gradient && pack->total > 0) {
            back_through(memory.gate_gradient, args->values + offset[INPUT_WEIGHTS],
                         memory.input_gradient, pack->total, lstm->inputs, 4 * lstm->hidden, false);
            add_input_gradient(lstm, pack, memory.input_gradient, input_gradient);
        }
        row += pack->total;
    }
}

const struct sl_nn_layer_type sl_nn_layer_lstm = {
    .name = "lstm",
    .create = create,
    .destroy = destroy,
    .forward = forward,
    .backward = backward,
};
