/* Perceptrons on rows of features, as the papers put on LabelMe's VGG-16 features: Rodrigues and
 * Pereira 2018 with ReLU and dropout .5, Uma et al. with LeakyReLU and dropout .2. Names are Uma's.
 */
#include <stdio.h>

#include "nn/families/families.h"

const struct sl_network_option sl_nn_mlp_options[] = {
    {"hidden", "128", "units of the hidden layers, as 128 or 256-128"},
    {"slope", "0", "slope of the ReLU below zero (LeakyReLU: 0.01)"},
    {"dropout", "0.5", "dropout rate after every hidden layer"},
    {NULL, NULL, NULL},
};

void sl_nn_mlp_build(struct sl_nn_graph *g, const struct sl_model_options *options,
                     struct sl_nn_spec *spec)
{
    enum { MODULES_PER_LAYER = 3 };
    size_t hidden[SL_NN_STAGES];
    size_t n_hidden = sl_nn_spec_list(spec, "hidden", 65536, hidden);
    float slope = (float)sl_nn_spec_real(spec, "slope", 0, 1);
    float dropout = (float)sl_nn_spec_real(spec, "dropout", 0, .99);
    size_t x = sl_nn_row_input(g, options);
    for (size_t i = 0; i < n_hidden; i++) {
        char name[SL_NN_NAME];
        snprintf(name, sizeof name, "hidden_layer.%zu", MODULES_PER_LAYER * i);
        x = sl_nn_relu(g, sl_nn_linear(g, x, name, hidden[i]), slope);
        if (dropout > 0) x = sl_nn_dropout(g, x, dropout);
    }
    sl_nn_linear(g, x, "output_layer.0", g->classes);
}
