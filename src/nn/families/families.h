/* Families: functions that build graphs from options. A family is a struct of its options, a table
 * of fields that describes the struct, a build function, and a row of sl_network_families in
 * networks.c. Private to nn/families/.
 *
 * sl_nn_spec_parse fills the struct and checks bounds and choices by the table, so build functions
 * need no checks. Every row has a fallback, and its name, its order and its fallback are part of
 * the text that weight files and run identities hold: a row that is added to a family gets
 * SL_FIELD_LATE. */
#ifndef SOFTLAB_NN_FAMILIES_FAMILIES_H
#define SOFTLAB_NN_FAMILIES_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/graph.h"
#include "softlab/base/fields.h"

struct sl_nn_spec {
    const struct sl_network_family *family;
    void *options; /* owned; the struct that family->options describes */
};

/* The family of "family:option=value,..." or of a named network; NULL if neither is known. */
const struct sl_network_family *sl_nn_spec_family(const char *network);
/* Read "family:option=value,...", or a named network with options that override its own.
 * SL_ERR_INPUT names the first option that is unknown, repeated, without a value or out of
 * bounds. */
enum sl_status sl_nn_spec_parse(const char *network, struct sl_nn_spec *spec,
                                struct sl_error *err) SL_MUST_USE;
void sl_nn_spec_release(struct sl_nn_spec *spec);
/* The family with every option, however the values were typed; late options only if they differ
 * from their fallback. The caller owns it. */
char *sl_nn_spec_text(const struct sl_nn_spec *spec) SL_MUST_USE;

/* Append the items as images, normalised if the model's options say so. Fails for rows and
 * texts. */
size_t sl_nn_image_input(struct sl_nn_graph *g, const struct sl_model_options *model);
/* Append the items as rows; images are flattened. Fails for texts. */
size_t sl_nn_row_input(struct sl_nn_graph *g, const struct sl_model_options *model);

/* ---- Networks made of stages of blocks ---- */

/* Module names of a public code. `stage` and `joint` give names such as "layer1.0" and
 * "stage1.block1". */
struct sl_nn_naming {
    const char *conv, *norm; /* of the stem; hysts also of the norm after the last block */
    const char *stage, *joint;
    size_t first; /* number of the first block */
    const char *shortcut_conv, *shortcut_norm;
    const char *linear;
};
enum sl_nn_names { SL_NN_KUANGLIU, SL_NN_HYSTS, SL_NN_JORDAN };
extern const struct sl_nn_naming sl_nn_namings[];

/* Options that several families have. Choices are in the order of their enum and end with NULL. */
enum sl_nn_block_kind { SL_NN_BASIC, SL_NN_BOTTLENECK };
enum sl_nn_widened { SL_NN_WIDEN_ALL, SL_NN_WIDEN_LATER }; /* bottleneck stages: 4 times as wide */
extern const char *const sl_nn_block_kinds[], *const sl_nn_widened_stages[];

/* Bounds of the numbers of blocks per stage. More stages or blocks could overflow the counts of
 * parameters and multiply-adds. */
enum { SL_NN_STAGES = 8, SL_NN_MOST_BLOCKS = 400 };
#define SL_NN_STAGE_BOUNDS .minimum = 1, .maximum = SL_NN_MOST_BLOCKS, .most = SL_NN_STAGES
/* Bounds of linear layers, LSTMs and vectors. */
enum { SL_NN_HIDDEN = 8, SL_NN_MOST_UNITS = 65536 };
#define SL_NN_UNIT_BOUNDS .minimum = 1, .maximum = SL_NN_MOST_UNITS

struct sl_nn_stages {
    enum sl_nn_names names;
    size_t count;
    size_t blocks[SL_NN_STAGES];
    size_t channels[SL_NN_STAGES]; /* output channels of the blocks */
};
/* One block of a stack. */
struct sl_nn_block {
    const struct sl_nn_naming *naming;
    size_t stage, index; /* the index counts blocks from the first stage on */
    bool first, last;    /* in its stage */
    bool last_stage;
    size_t channels;
    size_t stride; /* 2 in the first block of every stage but the first */
    char prefix[32];
};
/* Write "<block>.<part>" into `out`; returns `out`. */
enum { SL_NN_NAME = 96 };
const char *sl_nn_part(const struct sl_nn_block *block, const char *part, char out[SL_NN_NAME]);

/* Append the blocks of all stages. Each block reads the output of the one before. */
size_t sl_nn_stack(struct sl_nn_graph *g, size_t input, const struct sl_nn_stages *stages,
                   size_t (*build)(struct sl_nn_graph *g, size_t input,
                                   const struct sl_nn_block *block, const void *design),
                   const void *design);

/* Set the blocks and channels of stages. A single number of blocks, 7, means 7-7-7. Channels double
 * from stage to stage. */
void sl_nn_set_stages(struct sl_nn_stages *stages, const struct sl_count_list *blocks,
                      size_t width);

/* Append a part of a block; `part` is its name within the block. Kernels of size 3 are padded by
 * 1. */
size_t sl_nn_block_conv(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                        const char *part, struct sl_nn_conv_spec spec);
size_t sl_nn_block_norm(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                        const char *part);
size_t sl_nn_block_norm_relu(struct sl_nn_graph *g, size_t input, const struct sl_nn_block *block,
                             const char *part);
bool sl_nn_block_changes(const struct sl_nn_graph *g, size_t input,
                         const struct sl_nn_block *block); /* size or channels */
size_t sl_nn_stem(struct sl_nn_graph *g, size_t input, const char *name, size_t channels,
                  bool bias);
/* Append the mean over the map and the linear layer that makes the logits. */
size_t sl_nn_head(struct sl_nn_graph *g, size_t input, const char *name);

/* Initial values of hysts' code before 2019: Kaiming by fan-out, and a zero bias in the linear
 * layer. */
extern const struct sl_nn_init_rule sl_nn_init_hysts;

/* ---- The families ---- */

#define SL_NN_FAMILY(name)                                                                         \
    extern const struct sl_fields sl_nn_##name##_options;                                          \
    void sl_nn_##name##_build(struct sl_nn_graph *g, const struct sl_model_options *model,         \
                              const void *options)
SL_NN_FAMILY(resnet);
SL_NN_FAMILY(resnext);
SL_NN_FAMILY(preact);
SL_NN_FAMILY(wrn);
SL_NN_FAMILY(vgg);
SL_NN_FAMILY(densenet);
SL_NN_FAMILY(pyramidnet);
SL_NN_FAMILY(shake_shake);
SL_NN_FAMILY(mlp);
SL_NN_FAMILY(tagger);
#undef SL_NN_FAMILY

#endif
