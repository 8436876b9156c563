#include <stdlib.h>

#include "cmd.h"
#include "softlab/nn/describe.h"

struct models_values {
    size_t classes;
    const char *input;
    bool json;
};

#define AT(field) .offset = offsetof(struct models_values, field)
static const struct sl_field_row models_options[] = {
    {"classes", SL_FIELD_COUNT, AT(classes), "number of classes", .letter = 'k', .fallback = "10",
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

enum sl_status cli_read_input(const char *text, const char *network, struct sl_input_shape *out,
                              struct sl_error *err)
{
    const char *usual = sl_network_reads_texts(network) ? "29x41x14975x83" : "3x32x32";
    const enum sl_status status = sl_input_shape_read(text ? text : usual, out, err);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "--input");
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
        json_array_append_new(rows, sl_network_json(n, outline));
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
    const struct sl_network_family *family = sl_network_family_of(spec);
    struct cli_table table;
    cli_table_begin(&table, "lll", "option", "value", "what");
    for (const struct sl_field_row *row = family->options->rows; row->name; row++) {
        char *value = sl_network_option_value(spec, row);
        cli_table_add(&table, row->name, value, row->help);
        free(value);
    }
    printf("\noptions of %s: %s\n", family->name, family->summary);
    cli_table_end(&table);
}

static enum sl_status show_network(const struct sl_model_options *options, bool json,
                                   struct sl_error *err)
{
    struct sl_outline *outline = NULL;
    SL_TRY(sl_outline_create(options, &outline, err));
    enum sl_status status = SL_OK;
    if (json) {
        status = cli_print_json(sl_outline_json(outline, options), err);
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
    options.classes = typed->classes;
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
