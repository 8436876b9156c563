/* The tables of networks and of families, and how a graph is built from a spec. */
#include <stdlib.h>

#include "nn/families/families.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

#define PETERSON "Peterson et al. 2019"
#define COLLINS  "Collins et al. 2022"

const struct sl_network sl_networks[] = {
    {"resnet34a", "resnet:n=7,bias=1,names=jordan",
     "ResNet-44 by Keller Jordan's code, which the papers call ResNet-34A",
     COLLINS "; Uma et al. 2021"},
    {"resnet50", "resnet:block=bottleneck,n=3-4-6-3,width=64,shortcut=conv",
     "ResNet-50 with a 3x3 first convolution", COLLINS},
    {"vgg11", "vgg:n=1-1-2-2-2", "VGG-11 with batch norm", COLLINS},
    {"preact-resnet18", "preact-resnet:n=2-2-2-2", "pre-activation ResNet-18 of mixup-cifar10",
     "Zhang et al. 2018; Collins 2022, ch. 4"},
    {"preact-resnet34", "preact-resnet:n=3-4-6-3", "pre-activation ResNet-34 of mixup-cifar10",
     "Collins 2022, ch. 5"},
    {"vgg_15_BN_64", "vgg:n=2-2-3-3-3,relu=first,names=hysts",
     "VGG-15 with batch norm and one ReLU per stage, as in the paper's runs", PETERSON},
    {"resnet_basic_110", "resnet:n=18,shortcut=conv,names=hysts", "ResNet-110", PETERSON},
    {"resnet_preact_bottleneck_164",
     "preact-resnet:block=bottleneck,n=18,width=16,widen=later,norm=last,shortcut=first,"
     "names=hysts",
     "pre-activation ResNet-164", PETERSON},
    {"wrn_28_10", "wrn:n=4,factor=10", "wide ResNet 28-10", PETERSON},
    {"resnext_29_8x64d", "resnext:n=3,width=64,groups=8", "ResNeXt-29, 8x64d", PETERSON},
    {"densenet_BC_100_12", "densenet:n=16,growth=12", "DenseNet-BC, depth 100, growth 12",
     PETERSON},
    {"pyramidnet_basic_110_270", "pyramidnet:n=18,alpha=270", "PyramidNet-110, alpha 270",
     PETERSON},
    {"shake_shake_26_2x64d", "shake-shake:n=4,width=64", "Shake-Shake-26 2x64d", PETERSON},
    {"resnet8", "resnet:n=1", "ResNet-8, the smallest ResNet, for quick trials", "He et al. 2016"},
    {"resnet20", "resnet:n=3", "ResNet-20", "He et al. 2016"},
    {"mlp", "mlp:hidden=128", "perceptron with one hidden layer of 128 units, on features",
     "Rodrigues and Pereira 2018"},
    {"mlp-uma", "mlp:hidden=128,slope=0.01,dropout=0.2",
     "perceptron like mlp, with LeakyReLU and less dropout", "Uma et al. 2021"},
    {"tagger", "tagger:step=1",
     "part-of-speech tagger: LSTMs over the sentence and over the word's letters",
     "Uma et al. 2021"},
    {NULL, NULL, NULL, NULL},
};

const struct sl_network_family sl_network_families[] = {
    {"resnet", "residual networks", &sl_nn_resnet_options, sl_nn_resnet_build, false},
    {"preact-resnet", "residual networks with pre-activation", &sl_nn_preact_options,
     sl_nn_preact_build, false},
    {"wrn", "wide residual networks", &sl_nn_wrn_options, sl_nn_wrn_build, false},
    {"resnext", "residual networks with grouped convolutions", &sl_nn_resnext_options,
     sl_nn_resnext_build, false},
    {"vgg", "plain convolutional networks", &sl_nn_vgg_options, sl_nn_vgg_build, false},
    {"densenet", "densely connected networks", &sl_nn_densenet_options, sl_nn_densenet_build,
     false},
    {"pyramidnet",
     "residual networks that widen with every block; shortcuts are padded with zero channels",
     &sl_nn_pyramidnet_options, sl_nn_pyramidnet_build, false},
    {"shake-shake", "residual networks with two branches mixed at random",
     &sl_nn_shake_shake_options, sl_nn_shake_shake_build, false},
    {"mlp", "perceptrons on features", &sl_nn_mlp_options, sl_nn_mlp_build, false},
    {"tagger", "taggers of words in sentences", &sl_nn_tagger_options, sl_nn_tagger_build, true},
    {NULL, NULL, NULL, NULL, false},
};

bool sl_network_reads_texts(const char *network)
{
    const struct sl_network_family *family = sl_nn_spec_family(network);
    return family && family->reads_texts;
}

static size_t items(struct sl_nn_graph *g, const struct sl_model_options *model)
{
    const struct sl_input_shape *input = &model->input;
    size_t x = sl_nn_pixels(g, input->channels, input->height, input->width);
    if (model->mean && model->deviation) x = sl_nn_normalise(g, x, model->mean, model->deviation);
    return x;
}

size_t sl_nn_image_input(struct sl_nn_graph *g, const struct sl_model_options *model)
{
    const struct sl_input_shape *input = &model->input;
    if (input->channels == 0 && input->tokens > 0)
        return sl_nn_graph_fail(g, SL_ERR_INPUT, "it reads images, but the items are texts");
    if (input->height == 1 && input->width == 1)
        return sl_nn_graph_fail(g, SL_ERR_INPUT,
                                "it reads images, but the items are rows of %zu number%s",
                                input->channels, sl_text_plural(input->channels, "", "s"));
    return items(g, model);
}

size_t sl_nn_row_input(struct sl_nn_graph *g, const struct sl_model_options *model)
{
    if (model->input.channels == 0 && model->input.tokens > 0)
        return sl_nn_graph_fail(g, SL_ERR_INPUT, "it reads numbers, but the items are texts");
    size_t x = items(g, model);
    return g->status == SL_OK && g->nodes[x].shape.layout != SL_NN_ROWS ? sl_nn_flatten(g, x) : x;
}

enum sl_status sl_nn_build(const struct sl_model_options *options, struct sl_nn_graph *graph,
                           char **spec, struct sl_error *err)
{
    if (!options->network) return sl_fail(err, SL_ERR_USAGE, "no network is named");
    if (options->classes < 2)
        return sl_fail(err, SL_ERR_INPUT, "a network needs at least 2 classes, not %zu",
                       options->classes);
    if ((options->mean == NULL) != (options->deviation == NULL))
        return sl_fail(err, SL_ERR_USAGE, "mean and deviation must be given together");
    struct sl_nn_spec parsed;
    SL_TRY(sl_nn_spec_parse(options->network, &parsed, err));
    struct sl_nn_graph built;
    sl_nn_graph_init(&built);
    built.classes = options->classes;
    parsed.family->build(&built, options, parsed.options);

    enum sl_status status = sl_nn_graph_check(&built, err);
    if (status == SL_OK) {
        *graph = built;
        *spec = sl_nn_spec_text(&parsed);
    } else {
        sl_nn_graph_release(&built);
        status = sl_fail_within(err, status, "%s", options->network);
    }
    sl_nn_spec_release(&parsed);
    return status;
}
