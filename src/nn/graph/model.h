/* Model: a graph with its flat buffers. */
#ifndef SOFTLAB_NN_GRAPH_MODEL_H
#define SOFTLAB_NN_GRAPH_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "nn/graph/graph.h"
#include "softlab/nn.h"

struct sl_model {
    struct sl_nn_graph graph;
    char *network, *spec; /* owned */
    char *vocabulary;     /* owned, or NULL */
    char **class_names;   /* owned; NULL-ended, graph.classes of them; or NULL */
    struct sl_input_shape input;
    struct sl_tensor_info *tensors; /* owned; in the order of the nodes */
    char *names;                    /* owned; the tensors' names, one after another */
    size_t n_tensors;
    size_t *first_tensor;  /* owned; (graph.count + 1): node i owns [first[i], first[i+1]) */
    float *values, *state; /* owned, 64-byte aligned */
    size_t n_values, n_state;
    uint64_t version; /* grows with every sl_model_touch */
};

/* Create a model of any graph, for tests of single layers. Takes the graph, even on failure. Draws
 * values by `init` from `seed`; running variances are 1. A graph of 0 classes gets as many as its
 * last layer has outputs. */
enum sl_status sl_model_of_graph(struct sl_nn_graph *graph, enum sl_init init, uint64_t seed,
                                 struct sl_model **out, struct sl_error *err) SL_MUST_USE;

/* Like sl_model_create, but all values are 0, because the caller overwrites them. */
enum sl_status sl_nn_model_create_empty(const struct sl_model_options *options,
                                        struct sl_model **out, struct sl_error *err) SL_MUST_USE;

/* Draw the initial values. Every tensor has its own stream (seed, "init", tensor name). */
void sl_nn_init_values(struct sl_model *model, enum sl_init init, uint64_t seed);
/* Set running means to 0 and variances to 1, and draw word and letter vectors from a normal
 * distribution, with streams as above. */
void sl_nn_init_state(struct sl_model *model, uint64_t seed);

#endif
