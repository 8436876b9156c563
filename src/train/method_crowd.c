/* Deep Learning from Crowds (Rodrigues and Pereira 2018): the network's output goes through a small
 * layer per annotator and is compared with that annotator's answer; prediction uses no such layer.
 * Rodrigues and Pereira's layers read probabilities, Uma et al.'s (2020) read logits; both apply a
 * softmax to the result. */
#include <math.h>
#include <string.h>

#include "softlab/nn/loss.h"
#include "train/method_parts.h"

/* The parts of a layer, in this order. */
struct layer {
    bool matrix;  /* (n_classes, n_classes): the network's class by row, the answer by column */
    bool weights; /* (n_classes) */
    bool biases;  /* (n_classes) */
};

static const struct layer layers[] = {
    [SL_CROWD_MW] = {.matrix = true},
    [SL_CROWD_VW] = {.weights = true},
    [SL_CROWD_VB] = {.biases = true},
    [SL_CROWD_VWB] = {.weights = true, .biases = true},
};

static struct layer layer_of(const struct sl_method *method)
{
    return layers[method->recipe->crowd];
}

static size_t layer_values(struct layer layer, size_t n_classes)
{
    return n_classes * ((layer.matrix ? n_classes : 0) + layer.weights + layer.biases);
}

static size_t biases_at(struct layer layer, size_t n_classes)
{
    return layer.weights ? n_classes : 0;
}

/* Layers begin as the identity: I, 1 and 0. */
static void begin(struct sl_method *method)
{
    const struct layer layer = layer_of(method);
    const size_t n_classes = method->targets->n_classes, each = layer_values(layer, n_classes);
    memset(method->values, 0, method->n_values * sizeof *method->values);
    for (size_t r = 0; r < method->targets->n_annotators; r++)
        for (size_t k = 0; k < n_classes; k++) {
            if (layer.matrix) method->values[r * each + k * n_classes + k] = 1;
            if (layer.weights) method->values[r * each + k] = 1;
        }
}

static void forward(struct layer layer, const float *values, const float *input, size_t n_classes,
                    float *output)
{
    memcpy(output, input, n_classes * sizeof *output);
    if (layer.matrix) {
        memset(output, 0, n_classes * sizeof *output);
        for (size_t j = 0; j < n_classes; j++)
            for (size_t k = 0; k < n_classes; k++)
                output[k] += input[j] * values[j * n_classes + k];
    }
    for (size_t k = 0; k < n_classes && layer.weights; k++)
        output[k] *= values[k];
    const float *biases = values + biases_at(layer, n_classes);
    for (size_t k = 0; k < n_classes && layer.biases; k++)
        output[k] += biases[k];
}

/* One annotator's layer: its values and its input. */
struct passage {
    struct layer layer;
    size_t n_classes;
    const float *values, *input;
    float *gradients;      /* by the values; added to */
    float *input_gradient; /* added to */
};

static void backward_matrix(const struct passage *at, const float *upstream)
{
    const size_t n_classes = at->n_classes;
    for (size_t j = 0; j < n_classes; j++) {
        float by_input = 0;
        for (size_t k = 0; k < n_classes; k++) {
            by_input += at->values[j * n_classes + k] * upstream[k];
            at->gradients[j * n_classes + k] += at->input[j] * upstream[k];
        }
        at->input_gradient[j] += by_input;
    }
}

static void backward(const struct passage *at, const float *upstream)
{
    if (at->layer.matrix) {
        backward_matrix(at, upstream);
        return;
    }
    float *biases = at->gradients + biases_at(at->layer, at->n_classes);
    for (size_t k = 0; k < at->n_classes; k++) {
        if (at->layer.biases) biases[k] += upstream[k];
        if (at->layer.weights) at->gradients[k] += at->input[k] * upstream[k];
        at->input_gradient[k] += at->layer.weights ? at->values[k] * upstream[k] : upstream[k];
    }
}

/* Through the softmax, in place: p (g - p . g). */
static void backward_softmax(const float *probabilities, size_t n_classes, float *gradient)
{
    double mean = 0;
    for (size_t k = 0; k < n_classes; k++)
        mean += (double)probabilities[k] * (double)gradient[k];
    for (size_t k = 0; k < n_classes; k++)
        gradient[k] = (float)((double)probabilities[k] * ((double)gradient[k] - mean));
}

/* The loss of an item's answers, and its gradient with respect to the logits. */
static double item_loss(struct sl_method *method, size_t position, const float *logits, float scale,
                        float *gradient)
{
    const struct sl_targets *targets = method->targets;
    const size_t n_classes = targets->n_classes;
    const struct layer layer = layer_of(method);
    const size_t each = layer_values(layer, n_classes);
    float *probabilities = method->scratch, *output = method->scratch + n_classes;
    sl_softmax(logits, 1, n_classes, probabilities);
    const float *input = method->recipe->crowd_on_logits ? logits : probabilities;
    /* An item without answers must still report NaN logits. */
    double sum = isnan(probabilities[0]) ? (double)NAN : 0;
    memset(gradient, 0, n_classes * sizeof *gradient);
    for (size_t row = targets->begin[position]; row < targets->begin[position + 1]; row++) {
        const size_t offset = (size_t)targets->annotators[row] * each;
        const struct sl_soft_targets answer = {
            .rows = targets->rows + row * n_classes, .n = 1, .classes = n_classes};
        const struct passage at = {
            layer, n_classes, method->values + offset, input, method->gradients + offset, gradient};
        forward(layer, at.values, input, n_classes, output);
        sum += sl_soft_cross_entropy(output, &answer, scale, NULL, output);
        backward(&at, output);
    }
    if (!method->recipe->crowd_on_logits) backward_softmax(probabilities, n_classes, gradient);
    return sum;
}

/* The factor of a sum: 1, 1 / answers, or 1 / (items * annotators). */
static double crowd_scale(const struct sl_method *method, const struct sl_method_batch *batch)
{
    const struct sl_targets *targets = method->targets;
    if (method->recipe->reduction == SL_REDUCE_SUM) return 1;
    if (method->recipe->crowd_masked_mean)
        return 1 / ((double)batch->count * (double)targets->n_annotators);
    size_t answers = 0;
    for (size_t i = 0; i < batch->count; i++)
        answers += targets->begin[batch->positions[i] + 1] - targets->begin[batch->positions[i]];
    return answers > 0 ? 1 / (double)answers : 0;
}

static void loss(struct sl_method *method, const struct sl_method_batch *batch, const float *logits,
                 float *gradient, double *total)
{
    const size_t n_classes = batch->n_classes;
    const float scale = (float)crowd_scale(method, batch);
    memset(method->gradients, 0, method->n_values * sizeof *method->gradients);
    *total = 0;
    for (size_t i = 0; i < batch->count; i++)
        *total += item_loss(method, batch->positions[i], logits + i * n_classes, scale,
                            gradient + i * n_classes);
}

static enum sl_status check(const struct sl_method *method, const struct sl_feed *feed,
                            struct sl_error *err)
{
    const struct sl_targets *targets = method->targets;
    const char *name = method->row->name;
    (void)feed;
    if (!targets->annotators || targets->n_annotators == 0)
        return sl_fail(err, SL_ERR_INPUT, "method %s needs labels that name their annotators",
                       name);
    for (size_t row = 0; row < targets->begin[targets->n_items]; row++)
        if (targets->annotators[row] < 0 ||
            (size_t)targets->annotators[row] >= targets->n_annotators)
            return sl_fail(err, SL_ERR_INPUT,
                           "method %s needs an annotator for every label, but label %zu has none",
                           name, row);
    if (method->recipe->crowd_masked_mean && method->recipe->reduction == SL_REDUCE_SUM)
        return sl_fail(err, SL_ERR_INPUT,
                       "method %s: crowd_masked_mean needs reduction=mean, but the recipe has sum",
                       name);
    return SL_OK;
}

static struct sl_method_sizes sizes(const struct sl_method *method)
{
    const size_t n_classes = method->targets->n_classes;
    return (struct sl_method_sizes){.values = method->targets->n_annotators *
                                              layer_values(layer_of(method), n_classes),
                                    .floats = 2 * n_classes};
}

const struct sl_method_steps sl_method_crowd_layer = {
    .copies = 1, .check = check, .sizes = sizes, .begin = begin, .loss = loss};
