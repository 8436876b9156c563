#include "nn/graph/model.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"

struct sl_model_options sl_model_options_default(void)
{
    return (struct sl_model_options){
        .classes = 10,
        .input = {.channels = 3, .height = 32, .width = 32},
        .init = SL_INIT_PAPER,
        .seed = 1,
    };
}

static size_t tensor_size(const struct sl_nn_tensor_spec *tensor)
{
    size_t count = 1;
    for (size_t i = 0; i < tensor->rank; i++)
        count *= tensor->dims[i];
    return count;
}

/* Append `suffix` (".weight") to a name ("layer1.0.conv1"). A layer without a name gives
 * "weight". */
static const char *join(const char *name, const char *suffix, char **end)
{
    if (!*name) suffix++;
    size_t name_length = strlen(name), suffix_size = strlen(suffix) + 1;
    char *start = *end;
    memcpy(start, name, name_length);
    memcpy(start + name_length, suffix, suffix_size);
    *end = start + name_length + suffix_size;
    return start;
}

/* Set the name, shape and offset of every tensor. */
static void lay_out(struct sl_model *model)
{
    const struct sl_nn_graph *graph = &model->graph;
    struct sl_nn_tensor_spec specs[SL_NN_NODE_TENSORS];
    size_t name_bytes = 0;
    for (size_t i = 0; i < graph->count; i++) {
        size_t count = sl_nn_node_tensors(graph, i, specs);
        model->n_tensors += count;
        for (size_t t = 0; t < count; t++)
            name_bytes += strlen(graph->nodes[i].name) + strlen(specs[t].suffix) + 1;
    }
    model->tensors = sl_alloc(model->n_tensors + 1, sizeof *model->tensors);
    model->first_tensor = sl_alloc(graph->count + 1, sizeof *model->first_tensor);
    model->names = sl_alloc(name_bytes + 1, 1);
    char *end = model->names;
    size_t next = 0;
    for (size_t i = 0; i < graph->count; i++) {
        model->first_tensor[i] = next;
        size_t count = sl_nn_node_tensors(graph, i, specs);
        for (size_t t = 0; t < count; t++) {
            size_t *total = specs[t].kind == SL_TENSOR_VALUE ? &model->n_values : &model->n_state;
            struct sl_tensor_info *info = &model->tensors[next++];
            *info = (struct sl_tensor_info){
                .name = join(graph->nodes[i].name, specs[t].suffix, &end),
                .kind = specs[t].kind,
                .rank = specs[t].rank,
                .offset = *total,
                .count = tensor_size(&specs[t]),
            };
            memcpy(info->dims, specs[t].dims, sizeof info->dims);
            *total += info->count;
        }
    }
    model->first_tensor[graph->count] = next;
}

static struct sl_input_shape input_of(const struct sl_nn_graph *graph)
{
    struct sl_input_shape input = {0};
    for (size_t i = 0; i < graph->count; i++) {
        const struct sl_nn_node *node = &graph->nodes[i];
        bool words = node->n_inputs > 0 && graph->nodes[node->input[0]].op == SL_NN_WORDS;
        if (node->op == SL_NN_PIXELS) {
            input.channels = node->shape.channels;
            input.height = node->shape.height;
            input.width = node->shape.width;
        }
        if (node->op == SL_NN_WORDS) input.tokens = node->shape.height;
        if (node->op == SL_NN_LETTERS) input.letters = node->shape.height;
        if (node->op == SL_NN_EMBED)
            *(words ? &input.vocabulary : &input.alphabet) = node->as.embed.count;
    }
    return input;
}

/* Like sl_model_of_graph, with all values 0. */
static enum sl_status empty_of_graph(struct sl_nn_graph *graph, struct sl_model **out,
                                     struct sl_error *err)
{
    struct sl_model *model = sl_alloc(1, sizeof *model);
    model->graph = *graph;
    sl_nn_graph_init(graph);
    model->network = sl_string_copy("");
    model->spec = sl_string_copy("");
    struct sl_nn_graph *own = &model->graph;
    if (own->classes == 0 && own->count > 0)
        own->classes = own->nodes[own->count - 1].shape.channels;

    enum sl_status status;
    SL_TRY_OUT(sl_nn_graph_check(own, err));
    model->input = input_of(own);
    lay_out(model);
    model->values = sl_data_alloc(model->n_values, sizeof(float), err);
    model->state = model->values ? sl_data_alloc(model->n_state, sizeof(float), err) : NULL;
    if (!model->state) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    memset(model->values, 0, model->n_values * sizeof(float));
    memset(model->state, 0, model->n_state * sizeof(float));
    *out = model;
    model = NULL;
out:
    sl_model_destroy(model);
    return status;
}

static void draw(struct sl_model *model, enum sl_init init, uint64_t seed)
{
    sl_nn_init_values(model, init, seed);
    sl_nn_init_state(model, seed);
}

enum sl_status sl_model_of_graph(struct sl_nn_graph *graph, enum sl_init init, uint64_t seed,
                                 struct sl_model **out, struct sl_error *err)
{
    SL_TRY(empty_of_graph(graph, out, err));
    draw(*out, init, seed);
    return SL_OK;
}

enum sl_status sl_nn_model_create_empty(const struct sl_model_options *options,
                                        struct sl_model **out, struct sl_error *err)
{
    struct sl_nn_graph graph;
    char *spec = NULL;
    struct sl_model *model = NULL;
    SL_TRY(sl_nn_build(options, &graph, &spec, err));
    enum sl_status status = empty_of_graph(&graph, &model, err);
    if (status != SL_OK) {
        free(spec);
        return status;
    }
    free(model->network);
    free(model->spec);
    model->network = sl_string_copy(options->network);
    model->spec = spec;
    model->input = options->input;
    *out = model;
    return SL_OK;
}

enum sl_status sl_model_create(const struct sl_model_options *options, struct sl_model **out,
                               struct sl_error *err)
{
    SL_TRY(sl_nn_model_create_empty(options, out, err));
    draw(*out, options->init, options->seed);
    return SL_OK;
}

void sl_model_destroy(struct sl_model *model)
{
    if (!model) return;
    sl_nn_graph_release(&model->graph);
    free(model->network);
    free(model->spec);
    free(model->vocabulary);
    sl_names_destroy(model->class_names);
    free(model->tensors);
    free(model->names);
    free(model->first_tensor);
    free(model->values);
    free(model->state);
    free(model);
}

const char *sl_model_network(const struct sl_model *model)
{
    return model->network;
}

const char *sl_model_spec(const struct sl_model *model)
{
    return model->spec;
}

size_t sl_model_classes(const struct sl_model *model)
{
    return model->graph.classes;
}

struct sl_input_shape sl_model_input(const struct sl_model *model)
{
    return model->input;
}

uint64_t sl_model_multiply_adds(const struct sl_model *model)
{
    uint64_t total = 0;
    for (size_t i = 0; i < model->graph.count; i++)
        total += sl_nn_node_multiply_adds(&model->graph, i);
    return total;
}

bool sl_model_normalisation(const struct sl_model *model, const float **mean,
                            const float **deviation)
{
    for (size_t i = 0; i < model->graph.count; i++) {
        const struct sl_nn_node *node = &model->graph.nodes[i];
        if (node->op != SL_NN_NORMALISE) continue;
        *mean = node->as.normalise.mean;
        *deviation = node->as.normalise.deviation;
        return true;
    }
    return false;
}

char *const *sl_model_class_names(const struct sl_model *model)
{
    return model->class_names;
}

static enum sl_status check_class_names(char *const *names, size_t count, struct sl_error *err)
{
    struct sl_name_table *seen = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < count && status == SL_OK; k++) {
        const size_t length = strlen(names[k]), valid = sl_utf8_valid(names[k], length);
        uint32_t number = 0;
        if (valid < length)
            status = sl_fail(err, SL_ERR_INPUT, "class %zu: the name is not UTF-8 after \"%.*s\"",
                             k, valid < 60 ? (int)valid : 60, names[k]);
        else
            status = sl_name_table_add(seen, names[k], length, &number, err);
        if (status == SL_OK && number != k)
            status = sl_fail(err, SL_ERR_INPUT, "two classes are called \"%.60s\"; rename one",
                             names[k]);
    }
    sl_name_table_destroy(seen);
    return status;
}

enum sl_status sl_model_set_class_names(struct sl_model *model, char *const *names,
                                        struct sl_error *err)
{
    const size_t count = sl_model_classes(model);
    SL_TRY(check_class_names(names, count, err));
    char **copies = sl_alloc(count + 1, sizeof *copies);
    for (size_t k = 0; k < count; k++)
        copies[k] = sl_string_copy(names[k]);
    sl_names_destroy(model->class_names);
    model->class_names = copies;
    return SL_OK;
}

const char *sl_model_vocabulary(const struct sl_model *model)
{
    return model->vocabulary;
}

void sl_model_set_vocabulary(struct sl_model *model, const char *text)
{
    char *copy = text ? sl_string_copy(text) : NULL;
    free(model->vocabulary);
    model->vocabulary = copy;
}

size_t sl_model_n_values(const struct sl_model *model)
{
    return model->n_values;
}

float *sl_model_values(struct sl_model *model)
{
    return model->values;
}

size_t sl_model_n_state(const struct sl_model *model)
{
    return model->n_state;
}

float *sl_model_state(struct sl_model *model)
{
    return model->state;
}

const struct sl_tensor_info *sl_model_tensors(const struct sl_model *model, size_t *count)
{
    *count = model->n_tensors;
    return model->tensors;
}

const struct sl_tensor_info *sl_model_tensor_find(const struct sl_model *model, const char *name)
{
    for (size_t i = 0; i < model->n_tensors; i++)
        if (strcmp(model->tensors[i].name, name) == 0) return &model->tensors[i];
    return NULL;
}

void sl_model_touch(struct sl_model *model)
{
    model->version++;
}
