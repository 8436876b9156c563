#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "softlab/nn.h"

struct models_values {
    int64_t classes;
    const char *input;
    bool json;
};

#define AT(field) .offset = offsetof(struct models_values, field)
static const struct sl_field_row models_options[] = {
    {"classes", SL_FIELD_INTEGER, AT(classes), "number of classes", .letter = 'k', .fallback = "10",
     .minimum = 1, .maximum = 1e6},
    {"input", SL_FIELD_WORD, AT(input), CLI_INPUT_HELP, .letter = 'i', .value = "CxHxW"},
    {"json", SL_FIELD_BOOLEAN, AT(json), "print the table or the layers as JSON"},
    {.name = NULL},
};
#undef AT

static const struct cli_argument models_arguments[] = {
    {.name = "NETWORK",
     .help = "a name from the table, also with options over its own (resnet34a:n=3), or a family "
             "with options (resnet:n=7,bias=1)",
     .kind = SL_FIELD_WORD,
     .choices = sl_network_names,
     .optional = true},
    {.name = NULL},
};

enum sl_status cli_read_shape(const char *text, struct sl_input_shape *out, struct sl_error *err)
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
                       "--input: \"%s\" is not like 3x32x32 (an image), 512 (a row) or "
                       "29x41x14975x83 (texts)",
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

enum sl_status cli_read_input(const char *text, const char *network, struct sl_input_shape *out,
                              struct sl_error *err)
{
    const char *usual = sl_network_reads_texts(network) ? "29x41x14975x83" : "3x32x32";
    return cli_read_shape(text ? text : usual, out, err);
}

/* "97.2 M", "5,243 M". */
static const char *millions(struct cli_table *table, uint64_t value)
{
    const double share = (double)value / 1e6;
    char count[32];
    return share < 99.95 ? cli_real(table, share, 1, " M")
                         : cli_cell(table, "%s M",
                                    sl_text_count((uint64_t)(share + .5), count, sizeof count));
}

static json_t *network_json(const struct sl_network *network, const struct sl_outline *outline)
{
    json_t *row = json_pack("{s:s, s:s, s:s, s:s}", "name", network->name, "spec", network->spec,
                            "summary", network->summary, "source", network->source);
    if (!outline) return row;
    json_object_set_new(row, "parameters", json_integer((json_int_t)outline->values));
    json_object_set_new(row, "multiply_adds", json_integer((json_int_t)outline->multiply_adds));
    json_object_set_new(row, "convolutions", json_integer((json_int_t)outline->n_convolutions));
    return row;
}

static void add_network(struct cli_table *table, const struct sl_network *network,
                        const struct sl_outline *outline)
{
    if (outline)
        cli_table_add(table, network->name, cli_count(table, outline->values),
                      millions(table, outline->multiply_adds),
                      cli_count(table, outline->n_convolutions), network->source);
    else
        cli_table_add(table, network->name, "-", "-", "-", network->source);
}

/* A network that cannot read such items stays in the table, without figures. */
static enum sl_status list_networks(struct sl_model_options *options, const char *input, bool json,
                                    struct sl_error *err)
{
    struct cli_table table;
    cli_table_begin(&table, "lrrrl", "network", "parameters", "multiply-adds", "convolutions",
                    "used by");
    json_t *rows = json_array();
    enum sl_status status = SL_OK;
    for (const struct sl_network *n = sl_networks; n->name; n++) {
        struct sl_outline *outline = NULL;
        options->network = n->name;
        SL_TRY_OUT(cli_read_input(input, n->name, &options->input, err));
        if (sl_outline_create(options, &outline, NULL) != SL_OK) outline = NULL;
        add_network(&table, n, outline);
        json_array_append_new(rows, network_json(n, outline));
        sl_outline_destroy(outline);
    }
    if (json)
        status = cli_print_json(json_incref(rows), err);
    else
        cli_table_end(&table);
out:
    json_decref(rows);
    cli_table_release(&table);
    return status;
}

static const struct sl_network_family *family_of(const char *spec)
{
    size_t length = strcspn(spec, ":");
    const struct sl_network_family *family = sl_network_families;
    while (family->name &&
           (strlen(family->name) != length || memcmp(family->name, spec, length) != 0))
        family++;
    return family;
}

/* The value of an option in a spec; its fallback where the spec does not spell it out. */
static char *value_in(const char *spec, const struct sl_field_row *option)
{
    const size_t length = strlen(option->name);
    for (const char *at = spec + strcspn(spec, ":"); *at; at += strcspn(at, ",")) {
        at++; /* behind the colon or comma */
        if (strncmp(at, option->name, length) == 0 && at[length] == '=')
            return sl_string_copy_n(at + length + 1, strcspn(at + length + 1, ","));
    }
    return sl_string_copy(option->fallback);
}

static const char *shape_text(struct cli_table *table, const struct sl_layer_info *layer)
{
    if (layer->height == 1 && layer->width == 1) return cli_cell(table, "%zu", layer->channels);
    return cli_cell(table, "%zu x %zu x %zu", layer->channels, layer->height, layer->width);
}

static void print_layers(const struct sl_outline *outline)
{
    struct cli_table table, *t = &table;
    cli_table_begin(t, "llrrr", "layer", "kind", "makes", "parameters", "multiply-adds");
    for (size_t i = 0; i < outline->n_layers; i++) {
        const struct sl_layer_info *layer = &outline->layers[i];
        cli_table_add(t, layer->name, layer->kind, shape_text(t, layer),
                      layer->values ? cli_count(t, layer->values) : "-",
                      layer->multiply_adds ? cli_count(t, layer->multiply_adds) : "-");
    }
    cli_table_add(t, "total", "", "", cli_count(t, outline->values),
                  cli_count(t, outline->multiply_adds));
    cli_table_end(t);
}

static void print_options(const char *spec)
{
    const struct sl_network_family *family = family_of(spec);
    struct cli_table table;
    cli_table_begin(&table, "lll", "option", "value", "what");
    for (const struct sl_field_row *row = family->options->rows; row->name; row++) {
        char *value = value_in(spec, row);
        cli_table_add(&table, row->name, value, row->help);
        free(value);
    }
    printf("\noptions of %s: %s\n", family->name, family->summary);
    cli_table_end(&table);
}

/* As --input has it. */
static json_t *input_json(const struct sl_input_shape *input)
{
    if (input->tokens > 0)
        return json_pack("[I, I, I, I]", (json_int_t)input->tokens, (json_int_t)input->letters,
                         (json_int_t)input->vocabulary, (json_int_t)input->alphabet);
    return json_pack("[I, I, I]", (json_int_t)input->channels, (json_int_t)input->height,
                     (json_int_t)input->width);
}

static json_t *outline_json(const struct sl_outline *outline,
                            const struct sl_model_options *options)
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

static enum sl_status show_network(const struct sl_model_options *options, bool json,
                                   struct sl_error *err)
{
    struct sl_outline *outline = NULL;
    SL_TRY(sl_outline_create(options, &outline, err));
    enum sl_status status = SL_OK;
    if (json) {
        status = cli_print_json(outline_json(outline, options), err);
    } else {
        printf("%s\n\n", outline->spec);
        print_layers(outline);
        print_options(outline->spec);
    }
    sl_outline_destroy(outline);
    return status;
}

static enum sl_status run_models(struct cli *cli, const void *values, struct sl_error *err)
{
    const struct models_values *typed = values;
    struct sl_model_options options = sl_model_options_default();
    options.classes = (size_t)typed->classes;
    if (cli->n_arguments == 0) return list_networks(&options, typed->input, typed->json, err);
    options.network = cli->arguments[0];
    SL_TRY(cli_read_input(typed->input, options.network, &options.input, err));
    return show_network(&options, typed->json, err);
}

static const struct cli_example models_examples[] = {
    {"softlab models", "every network by name, with its size"},
    {"softlab models resnet34a", "layer by layer, and the options of its family"},
    {"softlab models resnet:n=3,width=32 --input 1x28x28",
     "one of one's own, on small grey images"},
    {"softlab models mlp --input 8192 --classes 8", "on features"},
    {"softlab models tagger --classes 12", "on words in their sentences"},
    {NULL, NULL},
};

const struct cli_command cmd_models = {
    .name = "models",
    .also = "model networks network architectures zoo layers",
    .group = "learn",
    .summary = "list networks and their layers",
    .description = "Lists the papers' networks with their numbers of parameters and of "
                   "multiply-adds in one item's forward pass. With a NETWORK, lists its layers and "
                   "the options of its family. Layers have the names of the papers' public code.",
    .arguments = models_arguments,
    .options = models_options,
    .examples = models_examples,
    .values_size = sizeof(struct models_values),
    .run = run_models,
};
