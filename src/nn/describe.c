#include "softlab/nn/describe.h"

#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum sl_status sl_input_shape_read(const char *text, struct sl_input_shape *out,
                                   struct sl_error *err)
{
    enum { LARGEST = 1 << 24, MOST = 4 };
    size_t sides[MOST] = {1, 1, 1, 1}, count = 0;
    const char *rest = text;
    bool good = true, more = true;
    while (good && more) {
        size_t length = strcspn(rest, "x");
        int64_t side = 0;
        good =
            count < MOST && sl_text_to_integer(rest, length, &side) && side >= 1 && side <= LARGEST;
        if (good) sides[count++] = (size_t)side;
        more = rest[length] == 'x';
        rest += length + more;
    }
    if (!good || count == 2)
        return sl_fail(err, SL_ERR_USAGE,
                       "\"%s\" is not like 3x32x32 (an image), 512 (a row) or 29x41x14975x83 "
                       "(texts)",
                       text);
    *out =
        count == MOST
            ? (struct sl_input_shape){.tokens = sides[0],
                                      .letters = sides[1],
                                      .vocabulary = sides[2],
                                      .alphabet = sides[3]}
            : (struct sl_input_shape){.channels = sides[0], .height = sides[1], .width = sides[2]};
    return SL_OK;
}

const struct sl_network_family *sl_network_family_of(const char *spec)
{
    const size_t length = strcspn(spec, ":");
    for (const struct sl_network_family *family = sl_network_families; family->name; family++)
        if (strlen(family->name) == length && memcmp(family->name, spec, length) == 0)
            return family;
    return NULL;
}

char *sl_network_option_value(const char *spec, const struct sl_field_row *option)
{
    const size_t length = strlen(option->name);
    for (const char *at = spec + strcspn(spec, ":"); *at; at += strcspn(at, ",")) {
        at++; /* behind the colon or comma */
        if (strncmp(at, option->name, length) == 0 && at[length] == '=')
            return sl_string_copy_n(at + length + 1, strcspn(at + length + 1, ","));
    }
    return sl_string_copy(option->fallback);
}

json_t *sl_network_json(const struct sl_network *network, const struct sl_outline *outline)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", network->name, "spec", network->spec,
                            "summary", network->summary, "source", network->source);
    if (!outline) return row;
    json_object_set_new(row, "parameters", json_integer((json_int_t)outline->values));
    json_object_set_new(row, "multiply_adds", json_integer((json_int_t)outline->multiply_adds));
    json_object_set_new(row, "convolutions", json_integer((json_int_t)outline->n_convolutions));
    return row;
}

/* As sl_input_shape_read has it. */
static json_t *input_json(const struct sl_input_shape *input)
{
    if (input->tokens > 0)
        return json_pack("[I, I, I, I]", (json_int_t)input->tokens, (json_int_t)input->letters,
                         (json_int_t)input->vocabulary, (json_int_t)input->alphabet);
    return json_pack("[I, I, I]", (json_int_t)input->channels, (json_int_t)input->height,
                     (json_int_t)input->width);
}

json_t *sl_outline_json(const struct sl_outline *outline, const struct sl_model_options *options)
{
    json_t *layers = json_array();
    for (size_t i = 0; i < outline->n_layers; i++) {
        const struct sl_layer_info *layer = &outline->layers[i];
        json_array_append_new(
            layers,
            json_pack("{s:s, s:s, s:[I, I, I], s:I, s:I, s:I}", "name", layer->name, "kind",
                      layer->kind, "shape", (json_int_t)layer->channels, (json_int_t)layer->height,
                      (json_int_t)layer->width, "parameters", (json_int_t)layer->values, "state",
                      (json_int_t)layer->state, "multiply_adds", (json_int_t)layer->multiply_adds));
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:o}", "network", options->network,
                     "spec", outline->spec, "classes", (json_int_t)options->classes, "input",
                     input_json(&options->input), "parameters", (json_int_t)outline->values,
                     "state", (json_int_t)outline->state, "multiply_adds",
                     (json_int_t)outline->multiply_adds, "convolutions",
                     (json_int_t)outline->n_convolutions, "layers", layers);
}
