/* Bytes as the weights of a small network, and what their metadata say of one. */
#include <stdlib.h>

#include "fuzz.h"
#include "nn/files/weights.h"

static struct sl_model *make_model(void)
{
    struct sl_nn_graph graph;
    struct sl_model *model = NULL;
    sl_nn_graph_init(&graph);
    const struct sl_nn_conv_spec spec = {.channels = 2, .kernel = 1};
    size_t x = sl_nn_conv(&graph, sl_nn_pixels(&graph, 1, 2, 2), "conv", spec);
    x = sl_nn_global_pool(&graph, sl_nn_batch_norm(&graph, x, "bn"));
    sl_nn_linear(&graph, x, "fc", 2);
    if (sl_model_of_graph(&graph, SL_INIT_PYTORCH, 1, &model, NULL) != SL_OK) abort();
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct sl_safetensors *file = NULL;
    struct sl_error err;
    if (sl_safetensors_open_memory(bytes, length, "input", &file, &err) != SL_OK) return 0;
    struct sl_model *model = make_model();
    const uint64_t version = model->version;
    const bool loaded = sl_nn_weights_load(file, "input", model, &err) == SL_OK;
    if (!loaded && model->version != version) abort();
    sl_model_destroy(model);
    struct sl_model_options options;
    float *numbers = NULL;
    if (sl_nn_metadata_options(file, "input", &options, &numbers, &err) == SL_OK) free(numbers);
    sl_safetensors_close(file);
    return 0;
}
