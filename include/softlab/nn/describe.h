/* Describe: what a network reads and is made of, as words and as JSON. */
#ifndef SOFTLAB_NN_DESCRIBE_H
#define SOFTLAB_NN_DESCRIBE_H

#include "softlab/base/fields.h"
#include "softlab/base/json.h"
#include "softlab/nn.h"

SL_BEGIN_DECLS

/* Read "3x32x32" (channels, height and width of an image), "512" (features of a row) or
 * "29x41x14975x83" (words of a sentence, letters of a word, different words and different letters).
 * SL_ERR_USAGE for anything else. */
enum sl_status sl_input_shape_read(const char *text, struct sl_input_shape *out,
                                   struct sl_error *err) SL_MUST_USE;

/* The family of a network's spec ("resnet:n=7"); borrowed, NULL if there is none. */
const struct sl_network_family *sl_network_family_of(const char *spec);
/* The value of a family's option in a spec, or the option's fallback if the spec does not have it;
 * the caller frees it. */
char *sl_network_option_value(const char *spec, const struct sl_field_row *option) SL_MUST_USE;

/* A row of sl_networks, with its sizes unless `outline` is NULL; and an outline layer by layer. The
 * caller owns them. */
json_t *sl_network_json(const struct sl_network *network,
                        const struct sl_outline *outline) SL_MUST_USE;
json_t *sl_outline_json(const struct sl_outline *outline,
                        const struct sl_model_options *options) SL_MUST_USE;

/* The graph of a model, as a new object: nodes in running order, each with its op, PyTorch's module
 * path, the numbers of its inputs, its output's shape and its settings. */
json_t *sl_model_graph_json(const struct sl_model *model) SL_MUST_USE;

SL_END_DECLS

#endif
