/* Perceptrons on rows of features. The papers train them on LabelMe's VGG-16 features: Rodrigues
 * and Pereira 2018 with ReLU and dropout .5, Uma et al. 2021 with LeakyReLU and dropout .2.
 * Parameter names are those of Uma et al. */
#include <stdio.h>

#include "nn/families/families.h"

struct mlp_options {
    struct sl_count_list hidden;
    double slope, dropout;
};
#define AT(option) .offset = offsetof(struct mlp_options, option)
static const struct sl_field_row mlp_rows[] = {
    {"hidden", SL_FIELD_COUNTS, AT(hidden), "units of the hidden layers, as 128 or 256-128",
     .fallback = "128", SL_NN_UNIT_BOUNDS, .most = SL_NN_HIDDEN},
    {"slope", SL_FIELD_NUMBER, AT(slope), "slope of the ReLU below zero (LeakyReLU: 0.01)",
     .fallback = "0", .minimum = 0, .maximum = 1},
    {"dropout", SL_FIELD_NUMBER, AT(dropout), "dropout rate after every hidden layer",
     .fallback = "0.5", .minimum = 0, .maximum = .99},
    {.name = NULL},
};
#undef AT
const struct sl_fields sl_nn_mlp_options = {mlp_rows, sizeof(struct mlp_options)};

void sl_nn_mlp_build(struct sl_nn_graph *g, const struct sl_model_options *model,
                     const void *options)
{
    enum { MODULES_PER_LAYER = 3 };
    const struct mlp_options *mlp = options;
    size_t x = sl_nn_row_input(g, model);
    for (size_t i = 0; i < mlp->hidden.count; i++) {
        char name[SL_NN_NAME];
        snprintf(name, sizeof name, "hidden_layer.%zu", MODULES_PER_LAYER * i);
        x = sl_nn_linear(g, x, name, mlp->hidden.values[i]);
        x = sl_nn_relu(g, x, (float)mlp->slope);
        if (mlp->dropout > 0) x = sl_nn_dropout(g, x, (float)mlp->dropout);
    }
    sl_nn_linear(g, x, "output_layer.0", g->classes);
}
