/* The metadata of weights and checkpoints. They suffice to create the model. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "nn/files/weights.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"
#include "softlab/nn/weights.h"

enum { TEXT_LIMIT = 1 << 24, SIZE_LIMIT = 1 << 24 };

const char *const sl_nn_metadata_keys[SL_NN_N_METADATA] = {
    [SL_NN_METADATA_SOFTLAB] = "softlab",     [SL_NN_METADATA_NETWORK] = "network",
    [SL_NN_METADATA_SPEC] = "spec",           [SL_NN_METADATA_CLASSES] = "classes",
    [SL_NN_METADATA_NAMES] = "class_names",   [SL_NN_METADATA_INPUT] = "input",
    [SL_NN_METADATA_NORMALISE] = "normalise",
};

static const struct {
    const char *key;
    size_t offset; /* of a size_t in struct sl_input_shape */
} input_sizes[] = {
    {"channels", offsetof(struct sl_input_shape, channels)},
    {"height", offsetof(struct sl_input_shape, height)},
    {"width", offsetof(struct sl_input_shape, width)},
    {"tokens", offsetof(struct sl_input_shape, tokens)},
    {"letters", offsetof(struct sl_input_shape, letters)},
    {"vocabulary", offsetof(struct sl_input_shape, vocabulary)},
    {"alphabet", offsetof(struct sl_input_shape, alphabet)},
};
enum { N_INPUT_SIZES = sizeof input_sizes / sizeof *input_sizes };

/* ---- Writing ---- */

static char *describe_input(const struct sl_input_shape *input)
{
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_LIMIT);
    sl_buffer_byte(&text, '{');
    for (size_t i = 0; i < N_INPUT_SIZES; i++) {
        size_t size;
        memcpy(&size, (const char *)input + input_sizes[i].offset, sizeof size);
        if (size == 0) continue;
        sl_buffer_printf(&text, "%s\"%s\":%zu", text.length > 1 ? "," : "", input_sizes[i].key,
                         size);
    }
    sl_buffer_byte(&text, '}');
    return text.data;
}

static void append_numbers(struct sl_buffer *text, const char *key, const float *values,
                           size_t count)
{
    sl_buffer_printf(text, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        char number[SL_NUMBER_TEXT];
        sl_text_from_float(values[i], number);
        sl_buffer_printf(text, "%s%s", i ? "," : "", number);
    }
    sl_buffer_byte(text, ']');
}

static const struct sl_nn_node *find_normalise(const struct sl_nn_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].op == SL_NN_NORMALISE) return &graph->nodes[i];
    return NULL;
}

static char *describe_normalise(const struct sl_nn_graph *graph)
{
    const struct sl_nn_node *node = find_normalise(graph);
    struct sl_buffer text;
    sl_buffer_init(&text, TEXT_LIMIT);
    sl_buffer_byte(&text, '{');
    if (node) {
        append_numbers(&text, "mean", node->as.normalise.mean, node->shape.channels);
        sl_buffer_byte(&text, ',');
        append_numbers(&text, "deviation", node->as.normalise.deviation, node->shape.channels);
    }
    sl_buffer_byte(&text, '}');
    return text.data;
}

/* NULL if the classes have no names. */
static char *describe_names(const struct sl_model *model)
{
    char *const *names = sl_model_class_names(model);
    if (!names) return NULL;
    json_t *list = json_array();
    for (size_t k = 0; k < sl_model_classes(model); k++)
        json_array_append_new(list, json_string(names[k]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

void sl_nn_metadata_describe(const struct sl_model *model, char *values[SL_NN_N_METADATA])
{
    values[SL_NN_METADATA_SOFTLAB] = sl_string_copy(sl_version());
    values[SL_NN_METADATA_NETWORK] = sl_string_copy(sl_model_network(model));
    values[SL_NN_METADATA_SPEC] = sl_string_copy(sl_model_spec(model));
    values[SL_NN_METADATA_CLASSES] = sl_string_printf("%zu", sl_model_classes(model));
    values[SL_NN_METADATA_NAMES] = describe_names(model);
    values[SL_NN_METADATA_INPUT] = describe_input(&model->input);
    values[SL_NN_METADATA_NORMALISE] = describe_normalise(&model->graph);
}

/* ---- Reading ---- */

static enum sl_status parse_input(const struct sl_json *json, struct sl_input_shape *out,
                                  struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(json);
    struct sl_input_shape input = {0};
    const char *known[N_INPUT_SIZES + 1] = {NULL};
    for (size_t i = 0; i < N_INPUT_SIZES; i++)
        known[i] = input_sizes[i].key;
    SL_TRY(sl_json_only(&root, known, err));
    for (size_t i = 0; i < N_INPUT_SIZES; i++) {
        struct sl_json_cursor member;
        int64_t number = 0;
        SL_TRY(sl_json_optional(&root, input_sizes[i].key, &member, err));
        if (member.value) SL_TRY(sl_json_integer(&member, 0, SIZE_LIMIT, &number, err));
        const size_t size = (size_t)number;
        memcpy((char *)&input + input_sizes[i].offset, &size, sizeof size);
    }
    *out = input;
    return SL_OK;
}

static enum sl_status parse_numbers(const struct sl_json_cursor *root, const char *key,
                                    double least, size_t count, float *out, struct sl_error *err)
{
    struct sl_json_cursor array;
    size_t found = 0;
    SL_TRY(sl_json_member(root, key, &array, err));
    SL_TRY(sl_json_array_size(&array, &found, err));
    if (found != count)
        return sl_json_fail(&array, err, "there %s %zu number%s, but %zu channel%s",
                            sl_text_plural(found, "is", "are"), found,
                            sl_text_plural(found, "", "s"), count, sl_text_plural(count, "", "s"));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor element = sl_json_element(&array, i);
        double number = 0;
        SL_TRY(sl_json_number(&element, least, (double)FLT_MAX, &number, err));
        out[i] = (float)number;
    }
    return SL_OK;
}

/* *numbers stays NULL if there is no normalising layer. */
static enum sl_status parse_normalise(const struct sl_json *json, size_t channels, float **numbers,
                                      struct sl_error *err)
{
    static const char *const known[] = {"mean", "deviation", NULL};
    const struct sl_json_cursor root = sl_json_root(json);
    SL_TRY(sl_json_only(&root, known, err));
    if (json_object_size(root.value) == 0) return SL_OK;
    float *both = sl_data_alloc(2 * channels, sizeof *both, err);
    if (!both) return SL_ERR_NOMEM;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(parse_numbers(&root, "mean", (double)-FLT_MAX, channels, both, err));
    SL_TRY_OUT(parse_numbers(&root, "deviation", (double)FLT_MIN, channels, both + channels, err));
    *numbers = both;
    both = NULL;
out:
    free(both);
    return status;
}

static enum sl_status parse_names(const struct sl_json *json, size_t n_classes, char ***out,
                                  struct sl_error *err)
{
    const struct sl_json_cursor root = sl_json_root(json);
    size_t count = 0;
    SL_TRY(sl_json_array_size(&root, &count, err));
    if (count != n_classes)
        return sl_json_fail(&root, err, "there %s %zu class name%s, but %zu class%s",
                            sl_text_plural(count, "is", "are"), count,
                            sl_text_plural(count, "", "s"), n_classes,
                            sl_text_plural(n_classes, "", "es"));
    char **names = sl_alloc(count + 1, sizeof *names);
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < count; k++) {
        const struct sl_json_cursor element = sl_json_element(&root, k);
        const char *name = NULL;
        SL_TRY_OUT(sl_json_string(&element, &name, err));
        names[k] = sl_string_copy(name);
    }
    *out = names;
    names = NULL;
out:
    sl_names_destroy(names);
    return status;
}

enum sl_status sl_nn_metadata_names(const struct sl_safetensors *file, const char *path,
                                    size_t n_classes, char ***out, struct sl_error *err)
{
    const char *key = sl_nn_metadata_keys[SL_NN_METADATA_NAMES];
    const char *text = sl_safetensors_metadata(file, key);
    *out = NULL;
    if (!text) return SL_OK;
    struct sl_json json = {0};
    char *name = sl_string_printf("%s: metadata: %s", path, key);
    enum sl_status status = sl_json_parse(text, strlen(text), name, 1, &json, err);
    if (status == SL_OK) status = parse_names(&json, n_classes, out, err);
    sl_json_release(&json);
    free(name);
    return status;
}

static enum sl_status find_texts(const struct sl_safetensors *file, const char *path,
                                 const char *texts[SL_NN_N_METADATA], struct sl_error *err)
{
    for (size_t i = 0; i < SL_NN_N_METADATA; i++) {
        texts[i] = sl_safetensors_metadata(file, sl_nn_metadata_keys[i]);
        if (!texts[i] && i != SL_NN_METADATA_NAMES)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s does not name its network: its metadata has no \"%s\"", path,
                           sl_nn_metadata_keys[i]);
    }
    return SL_OK;
}

enum sl_status sl_nn_metadata_options(const struct sl_safetensors *file, const char *path,
                                      struct sl_model_options *out, float **numbers,
                                      struct sl_error *err)
{
    const char *texts[SL_NN_N_METADATA];
    struct sl_model_options options = sl_model_options_default();
    int64_t classes = 0;
    SL_TRY(find_texts(file, path, texts, err));
    const char *count = texts[SL_NN_METADATA_CLASSES];
    if (!sl_text_to_integer(count, strlen(count), &classes) || classes < 1 || classes > SIZE_LIMIT)
        return sl_fail(err, SL_ERR_INPUT, "%s: metadata: \"classes\" is %.40s", path, count);
    options.network = texts[SL_NN_METADATA_SPEC];
    options.classes = (size_t)classes;
    struct sl_json input = {0}, normalise = {0};
    float *both = NULL;
    char *name = sl_string_printf("%s: metadata", path);
    const char *text = texts[SL_NN_METADATA_INPUT];
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_json_parse(text, strlen(text), name, 1, &input, err));
    SL_TRY_OUT(parse_input(&input, &options.input, err));
    text = texts[SL_NN_METADATA_NORMALISE];
    SL_TRY_OUT(sl_json_parse(text, strlen(text), name, 1, &normalise, err));
    SL_TRY_OUT(parse_normalise(&normalise, options.input.channels, &both, err));
    options.mean = both;
    options.deviation = both ? both + options.input.channels : NULL;
    *out = options;
    *numbers = both;
out:
    sl_json_release(&input);
    sl_json_release(&normalise);
    free(name);
    return status;
}

/* True if the network that the file describes has this spec. Its spec as written may lack late
 * options or spell a value differently. */
static bool is_spec(const struct sl_safetensors *file, const char *path, const char *spec)
{
    struct sl_model_options options;
    struct sl_nn_graph graph;
    float *numbers = NULL;
    char *whole = NULL;
    if (sl_nn_metadata_options(file, path, &options, &numbers, NULL) != SL_OK) return false;
    const bool built = sl_nn_build(&options, &graph, &whole, NULL) == SL_OK;
    const bool same = built && strcmp(whole, spec) == 0;
    if (built) sl_nn_graph_release(&graph);
    free(whole);
    free(numbers);
    return same;
}

enum sl_status sl_nn_metadata_check(const struct sl_safetensors *file, const char *path,
                                    const struct sl_model *model, struct sl_error *err)
{
    const char *spec = sl_safetensors_metadata(file, "spec"), *own_spec = sl_model_spec(model);
    const char *network = sl_safetensors_metadata(file, "network"), *own = sl_model_network(model);
    if (!sl_safetensors_metadata(file, "softlab") || !spec || !network || !own_spec[0] ||
        strcmp(spec, own_spec) == 0 || is_spec(file, path, own_spec))
        return SL_OK;
    /* Both names are equal, so show the specs: another version may have given the name to another
     * network. */
    if (strcmp(network, own) == 0) {
        network = spec;
        own = own_spec;
    }
    return sl_fail(err, SL_ERR_INPUT, "%s has weights of the network %s, not of %s", path, network,
                   own);
}
