/* Networks: builds, runs and differentiates the papers' networks on a CPU.
 *
 * A model is a network's description with its parameters in one flat buffer of floats, in PyTorch's
 * layout and order, and its state (running statistics, fixed word vectors) in another. A plan is a
 * model compiled for one batch size: sl_plan_create places every buffer, and running the plan
 * allocates nothing. A model may have several plans: one for full batches, one for the last,
 * smaller one, one for evaluation.
 *
 *     sl_model_create -> sl_plan_create -> { sl_plan_forward, loss, sl_plan_backward, step } ...
 *
 * A plan runs on the calling thread and on the threads of its pool; their number changes no bit of
 * a result. All randomness is explicit: sl_model_create draws
 * parameters from the given seed, and the caller draws or writes the dropout masks and shake-shake
 * coefficients of a plan (sl_plan_draw_noise, sl_plan_noise).
 *
 * docs/internals/nn.md explains how it works. */
#ifndef SOFTLAB_NN_H
#define SOFTLAB_NN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

/* ---- Networks by name ---- */

/* A named network: a family with options. */
struct sl_network {
    const char *name;    /* "resnet34a" */
    const char *spec;    /* "resnet:n=7,shortcut=A,bias=1" */
    const char *summary; /* one line */
    const char *source;  /* the paper that uses it */
};
extern const struct sl_network sl_networks[]; /* ends with a NULL name */

struct sl_model_options;
struct sl_nn_graph;
struct sl_fields;

/* A family of networks. A spec begins with its name. */
struct sl_network_family {
    const char *name;
    const char *summary;
    const struct sl_fields *options; /* softlab/base/fields.h; every row has a fallback */
    /* Builds the graph; for the library only. `options` is the struct that the rows describe. */
    void (*build)(struct sl_nn_graph *graph, const struct sl_model_options *model,
                  const void *options);
    bool reads_texts; /* false: reads images or rows of features */
};
extern const struct sl_network_family sl_network_families[]; /* ends with a NULL name */
/* True if a network, by name or as a family with options, reads texts; false if it is unknown. The
 * options may be wrong. */
bool sl_network_reads_texts(const char *network);

/* The shape of one item. */
struct sl_input_shape {
    size_t channels, height, width; /* images; vectors of features are (features, 1, 1) */
    size_t tokens, letters;         /* text: words of a sentence, letters of a word, padded */
    size_t vocabulary, alphabet;    /* text: numbers of distinct words and letters */
};

enum sl_init {
    SL_INIT_PAPER,   /* as in the paper's code */
    SL_INIT_PYTORCH, /* PyTorch's defaults for every layer */
};

struct sl_model_options {
    const char *network; /* a name of sl_networks, or a family with options "resnet:n=7" */
    size_t classes;
    struct sl_input_shape input;
    const float *mean, *deviation; /* per channel, of the normalising layer; NULL: no such layer */
    enum sl_init init;
    uint64_t seed;
};
struct sl_model_options sl_model_options_default(void); /* 10 classes, 3x32x32, paper, seed 1 */

/* The layers of a network, computed without allocating its values. */
struct sl_layer_info {
    char *name;                     /* owned; "" without parameters */
    const char *kind;               /* "conv", "batch-norm", ... */
    size_t channels, height, width; /* of one item's output; rows are (features, 1, 1) */
    size_t values, state;           /* floats that are trained, floats that are not */
    uint64_t multiply_adds;
};
struct sl_outline {
    char *spec;                   /* the family with every option */
    struct sl_layer_info *layers; /* in running order */
    size_t n_layers, n_convolutions;
    size_t values, state;
    uint64_t multiply_adds;
};
/* Fails with the errors of sl_model_create. Ignores `init` and `seed`. */
enum sl_status sl_outline_create(const struct sl_model_options *options, struct sl_outline **out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_outline_destroy(struct sl_outline *outline);

/* ---- Models ---- */

enum sl_tensor_kind {
    SL_TENSOR_VALUE, /* trained: lies in sl_model_values */
    SL_TENSOR_STATE, /* not trained: lies in sl_model_state */
};
struct sl_tensor_info {
    const char *name; /* borrowed; PyTorch's state_dict name */
    enum sl_tensor_kind kind;
    size_t rank, dims[4]; /* PyTorch's shape */
    size_t offset, count; /* floats, in its flat buffer */
};

struct sl_model;
/* SL_ERR_INPUT for an unknown network or option, or a shape that does not fit. */
enum sl_status sl_model_create(const struct sl_model_options *options, struct sl_model **out,
                               struct sl_error *err) SL_MUST_USE;
void sl_model_destroy(struct sl_model *model);

const char *sl_model_network(const struct sl_model *model); /* as given; borrowed */
const char *sl_model_spec(const struct sl_model *model);    /* the family with every option */
size_t sl_model_classes(const struct sl_model *model);
struct sl_input_shape sl_model_input(const struct sl_model *model);
uint64_t sl_model_multiply_adds(const struct sl_model *model); /* of one item's forward pass */
/* Point *mean and *deviation at those of the normalising layer, borrowed. False, with nothing
 * written, if the model has no such layer. */
bool sl_model_normalisation(const struct sl_model *model, const float **mean,
                            const float **deviation);

/* The names of the classes in the order of the logits: sl_model_classes of them, borrowed; NULL if
 * none were set. Weight files hold them. Setting copies them; SL_ERR_INPUT for a name that is
 * repeated or not UTF-8. */
char *const *sl_model_class_names(const struct sl_model *model);
enum sl_status sl_model_set_class_names(struct sl_model *model, char *const *names,
                                        struct sl_error *err) SL_MUST_USE;

/* The vocabulary as text: it gives word and letter ids their meaning (softlab/feed/text.h). Weight
 * files hold it. Borrowed; NULL if there is none. Setting copies it. */
const char *sl_model_vocabulary(const struct sl_model *model);
void sl_model_set_vocabulary(struct sl_model *model, const char *text);

size_t sl_model_n_values(const struct sl_model *model); /* the parameter count */
float *sl_model_values(struct sl_model *model);
size_t sl_model_n_state(const struct sl_model *model);
float *sl_model_state(struct sl_model *model);
/* All tensors of values and state, in the order of the network. Borrowed. */
const struct sl_tensor_info *sl_model_tensors(const struct sl_model *model, size_t *count);
const struct sl_tensor_info *sl_model_tensor_find(const struct sl_model *model, const char *name);

/* Call this after writing to values or state: plans then renew their copies of them. */
void sl_model_touch(struct sl_model *model);

/* ---- Plans ---- */

struct sl_tuning; /* softlab/nn/tuning.h: which convolution kernel for which shape */

struct sl_plan_options {
    size_t batch;                   /* items per run */
    bool training;                  /* batch statistics, noise, gradients of the values */
    bool input_gradient;            /* for attacks */
    struct sl_plan *memory_of;      /* share this plan's memory; never run both at once; or NULL */
    const struct sl_tuning *tuning; /* borrowed for the call; NULL: the shipped one */
    bool profile;                   /* time every layer */
    struct sl_pool *pool;           /* borrowed for the plan's life; NULL: the calling thread */
};
struct sl_plan_options sl_plan_options_default(void); /* batch 32, training */

/* The input of one run. Set only the parts that the network reads. */
struct sl_batch {
    const float *pixels;        /* (batch, channels, height, width) in 0..1; or (batch, features) */
    const int32_t *words;       /* (batch, tokens), ids below vocabulary */
    const int32_t *word_counts; /* (batch); NULL: every sentence is full */
    const int32_t *positions;   /* (batch): place of the token to label */
    const int32_t *letters;     /* (batch, letters): ids of that token's letters */
    const int32_t *letter_counts; /* (batch); NULL: every word is full */
};

struct sl_plan;
/* The model must outlive its plans. */
enum sl_status sl_plan_create(struct sl_model *model, const struct sl_plan_options *options,
                              struct sl_plan **out, struct sl_error *err) SL_MUST_USE;
void sl_plan_destroy(struct sl_plan *plan);

/* Returns the logits (batch, classes), which are valid until the plan's next run. */
const float *sl_plan_forward(struct sl_plan *plan, const struct sl_batch *batch);

/* Call this after a forward pass, with the gradient of the loss with respect to the logits (batch,
 * classes). Overwrites sl_plan_gradients, which is laid out like the model's values, and
 * sl_plan_input_gradient if the plan has one. */
void sl_plan_backward(struct sl_plan *plan, const float *logit_gradient);
float *sl_plan_gradients(struct sl_plan *plan);                  /* NULL unless training */
const float *sl_plan_input_gradient(const struct sl_plan *plan); /* (batch, C, H, W), or NULL */

/* The noise of layer `index` among the layers that need noise. Draw or write it before each
 * training run. Dropout has a mask (0 or 1/(1-p) per element), shake-shake two coefficients per
 * item (all alphas, then all betas). `name` may be NULL. Returns NULL past the last layer. */
float *sl_plan_noise(struct sl_plan *plan, size_t index, size_t *count, const char **name);
/* Draw the noise of all layers. That of item i depends only on (seed, epoch, items[i], layer). */
void sl_plan_draw_noise(struct sl_plan *plan, uint64_t seed, uint64_t epoch, const size_t *items);

size_t sl_plan_batch(const struct sl_plan *plan);
size_t sl_plan_memory(const struct sl_plan *plan); /* bytes, without the model */

/* Time per layer; empty unless the plan was created with `profile`. */
struct sl_profile_row {
    const char *name;      /* the layer; borrowed */
    const char *kind;      /* "conv", "batch-norm", ... */
    const char *direction; /* "forward", "backward-data", "backward-weights", "backward" */
    const char *kernel;    /* the implementation; "" if there is only one */
    double flops; /* multiplications and additions per run, counted as for a direct convolution */
    uint64_t runs;
    double seconds; /* total */
};
const struct sl_profile_row *sl_plan_profile(const struct sl_plan *plan, size_t *count);
void sl_plan_profile_clear(struct sl_plan *plan); /* forget the times so far */

SL_END_DECLS

#endif
