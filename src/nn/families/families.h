/* Families: functions that build graphs from a spec's options. A family is a table of options, a
 * build function declared here, and a row of sl_network_families in networks.c. Private to
 * nn/families/.
 *
 * Options are read by name and checked against bounds. The spec keeps the first bad one for
 * sl_nn_build to report; its value is replaced by one within bounds, so that build functions need
 * no checks. */
#ifndef SOFTLAB_NN_FAMILIES_FAMILIES_H
#define SOFTLAB_NN_FAMILIES_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/graph.h"

enum { SL_NN_SPEC_OPTIONS = 16, SL_NN_STAGES = 8 };

struct sl_nn_spec {
    const struct sl_network_family *family;
    char *values[SL_NN_SPEC_OPTIONS]; /* owned; one per option of the family */
    enum sl_status status;            /* the first failure */
    struct sl_error error;
};

/* Read "family:option=value,...", or a named network with options that override its own. */
enum sl_status sl_nn_spec_parse(const char *network, struct sl_nn_spec *spec,
                                struct sl_error *err) SL_MUST_USE;
void sl_nn_spec_release(struct sl_nn_spec *spec);
/* The family with every option; the caller owns it. */
char *sl_nn_spec_text(const struct sl_nn_spec *spec) SL_MUST_USE;

size_t sl_nn_spec_count(struct sl_nn_spec *spec, const char *option, size_t minimum,
                        size_t maximum);
double sl_nn_spec_real(struct sl_nn_spec *spec, const char *option, double minimum, double maximum);
bool sl_nn_spec_flag(struct sl_nn_spec *spec, const char *option); /* 0 or 1 */
/* True if the value is this text, for options that are a number or a word. */
bool sl_nn_spec_is(const struct sl_nn_spec *spec, const char *option, const char *text);
/* Which of `choices` (ends with NULL). */
size_t sl_nn_spec_choice(struct sl_nn_spec *spec, const char *option, const char *const *choices);
/* Read "3-4-6-3"; returns how many numbers there are. */
size_t sl_nn_spec_list(struct sl_nn_spec *spec, const char *option, size_t maximum,
                       size_t out[SL_NN_STAGES]);

/* The items as images, normalised if the options say so; rows are refused. */
size_t sl_nn_image_input(struct sl_nn_graph *g, const struct sl_model_options *options);
/* The items as rows; images are flattened. */
size_t sl_nn_row_input(struct sl_nn_graph *g, const struct sl_model_options *options);

/* ---- Networks made of stages of blocks ---- */

/* Module names of a public code; `stage` and `joint` make "layer1.0" or "stage1.block1". */
struct sl_nn_naming {
    const char *conv, *norm; /* of the stem; hysts' networks that end in a norm call that one so */
    const char *stage, *joint;
    size_t first; /* the first block's number */
    const char *shortcut_conv, *shortcut_norm;
    const char *linear;
};
enum sl_nn_names { SL_NN_KUANGLIU, SL_NN_HYSTS, SL_NN_JORDAN };
extern const struct sl_nn_naming sl_nn_namings[];
extern const char *const sl_nn_naming_names[]; /* by enum sl_nn_names; ends with NULL */

struct sl_nn_stages {
    enum sl_nn_names names;
    size_t count;
    size_t blocks[SL_NN_STAGES];
    size_t channels[SL_NN_STAGES]; /* that blocks make */
};
/* One block of a stack. */
struct sl_nn_block {
    const struct sl_nn_naming *naming;
    size_t stage, index; /* the index counts on over the stages */
    bool first, last;    /* of its stage */
    bool last_stage;
    size_t channels;
    size_t stride; /* 2 in the first block of every stage but the first */
    char prefix[32];
};
/* "<block>.<part>" into `out`; returns `out`. */
enum { SL_NN_NAME = 96 };
const char *sl_nn_part(const struct sl_nn_block *block, const char *part, char out[SL_NN_NAME]);

/* Blocks one after another, each reading what the one before made. */
size_t sl_nn_stack(struct sl_nn_graph *g, size_t input, const struct sl_nn_stages *stages,
                   size_t (*build)(struct sl_nn_graph *g, size_t input,
                                   const struct sl_nn_block *block, const void *design),
                   const void *design);

/* "n": blocks per stage, "7" meaning 7-7-7. Channels double from stage to stage. */
void sl_nn_read_stages(struct sl_nn_spec *spec, size_t width, struct sl_nn_stages *stages);

/* Parts of blocks; `part` is a name within the block. Kernels of size 3 are padded by 1. */
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
/* Mean over the map and the layer of the logits. */
size_t sl_nn_head(struct sl_nn_graph *g, size_t input, const char *name);

/* hysts' initial values before 2019: Kaiming by fan-out, zero bias of the linear layer. */
extern const struct sl_nn_init_rule sl_nn_init_hysts;

/* ---- The families ---- */

#define SL_NN_FAMILY(name)                                                                         \
    extern const struct sl_network_option sl_nn_##name##_options[];                                \
    void sl_nn_##name##_build(struct sl_nn_graph *g, const struct sl_model_options *options,       \
                              struct sl_nn_spec *spec)
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
