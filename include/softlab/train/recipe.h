/* Recipe: all constants of a training run, by name. One table of keys serves recipe files, `--set`
 * on the command line, the provenance of a run and the hash of an experiment's run.
 *
 *     {"softlab":"recipe","version":1,"name":"collins2022","source":"...","notes":["..."],
 *      "settings":{"batch":32,...},              both variants
 *      "as-run":{"schedule":"step",...},         what the papers' programs did (the default)
 *      "as-published":{...},                     what their texts say
 *      "networks":{"resnet50":{"rate":0.4}},     settings of one network
 *      "forms":{"smooth":{"smooth":0.05}}}       relatives, called "collins2022-smooth"
 *
 * Later sections override earlier ones. A network's section may have "as-run" and "as-published"
 * besides its keys; a form's section may also have "networks". If forms exist for several networks,
 * a recipe is called <name>-<network>-<form>. The papers' recipes are files in recipes/, built into
 * the program. */
#ifndef SOFTLAB_TRAIN_RECIPE_H
#define SOFTLAB_TRAIN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/fields.h"
#include "softlab/base/json.h"

SL_BEGIN_DECLS

enum { SL_RECIPE_LIST_MAX = SL_FIELD_LIST_MAX, SL_RECIPE_TEXT_MAX = SL_FIELD_NAME_SIZE };

enum sl_reduction { SL_REDUCE_MEAN, SL_REDUCE_SUM };
enum sl_optimiser_kind { SL_OPTIMISER_SGD, SL_OPTIMISER_ADAM, SL_OPTIMISER_RADAM };
enum sl_schedule_kind {
    SL_SCHEDULE_CONSTANT,
    SL_SCHEDULE_STEP,    /* the rate is multiplied by factors[i] at epoch milestones[i] */
    SL_SCHEDULE_SEGMENT, /* like step, and the optimiser is reset at each milestone */
    SL_SCHEDULE_COSINE,  /* per step, over cosine_epochs (0: epochs) */
};
enum sl_target_draw {
    SL_DRAW_MEAN,      /* an item's rows averaged */
    SL_DRAW_ANNOTATOR, /* one of its rows at each presentation */
    SL_DRAW_SAMPLE,    /* one class from the averaged row at each presentation */
};
enum sl_select {
    SL_SELECT_LAST, /* the weights after the last epoch */
    SL_SELECT_BEST, /* those of the best epoch on the dev set */
};
enum sl_dev_metric { SL_DEV_ACCURACY, SL_DEV_CROSS_ENTROPY, SL_DEV_WEIGHTED_F1 };
enum sl_crowd_layer { SL_CROWD_MW, SL_CROWD_VW, SL_CROWD_VB, SL_CROWD_VWB };

struct sl_recipe {
    char name[SL_RECIPE_TEXT_MAX], variant[SL_RECIPE_TEXT_MAX]; /* "as-run"; not keys */

    /* network */
    char network[SL_RECIPE_TEXT_MAX];         /* "" : the caller's choice */
    char network_options[SL_RECIPE_TEXT_MAX]; /* joined to the network's: "attention=512" */
    bool init_pytorch; /* PyTorch's default initialisation instead of the paper's */
    struct sl_real_list mean, deviation; /* of the normalising layer; empty: none */

    /* data */
    int64_t epochs;
    int64_t batch;  /* items per batch; 0: all in one */
    bool drop_last; /* leave out a last, smaller batch */
    bool shuffle;   /* false: full batches in the order of the data */
    int64_t crop;   /* padding of the random crop; 0: none */
    bool flip;
    int64_t cutout;                   /* side; 0: none */
    bool frozen;                      /* augment once for the whole run */
    char holdout[SL_RECIPE_TEXT_MAX]; /* a list of sl_holdout_lists, never trained on; "": none */
    int64_t holdout_draw;             /* or this many items of the label set, drawn by the seed */

    /* targets */
    enum sl_target_draw draw;
    double smooth;   /* label smoothing: (1 - s) y + s / K */
    bool smooth_all; /* every item, and not only those that the label set has rows for */
    double teacher_share, temperature; /* of distillation: (1 - share) y + share teacher */

    /* loss and method */
    char method[SL_RECIPE_TEXT_MAX]; /* a row of sl_train_methods */
    enum sl_reduction reduction;
    double alpha; /* Beta(alpha, alpha) of mixup and its relatives */
    double kappa; /* least weight of ent-wc */
    bool detach;  /* ent-wc: no gradient through the entropy */
    double eta;   /* weight of mix-maxent's entropy */
    enum sl_crowd_layer crowd;
    bool crowd_on_logits;   /* instead of on probabilities */
    bool crowd_masked_mean; /* mean over batch x annotators, including those without an answer */

    /* optimiser */
    enum sl_optimiser_kind optimiser;
    double rate, momentum, weight_decay, beta1, beta2, epsilon;
    bool nesterov;
    double clip; /* largest gradient norm; 0: any */
    enum sl_schedule_kind schedule;
    struct sl_real_list milestones, factors;
    double cosine_epochs;

    /* choosing */
    enum sl_select select;
    /* The data set to choose by; "held-out": the fold that is not trained on; "": the caller's. */
    char dev[SL_RECIPE_TEXT_MAX];
    int64_t dev_count; /* of its items, drawn by the seed; 0: all */
    enum sl_dev_metric dev_metric;
    int64_t patience; /* epochs without a better dev score before stopping; 0: never */
};

/* The keys: help, files, `--set` and provenance walk this table. */
extern const struct sl_field_row sl_recipe_keys[]; /* ends with a NULL name */

/* Plain training: SGD with momentum .9 and rate .1, batch 32, mean cross-entropy, 10 epochs. */
struct sl_recipe sl_recipe_default(void);

/* Built-in recipes; each form of a file has its own row. */
struct sl_builtin_recipe {
    const char *name;
    const char *text; /* the file */
    size_t length;
};
extern const struct sl_builtin_recipe sl_builtin_recipes[]; /* ends with a NULL name */

/* Lists of items that recipes hold out, by name. */
struct sl_holdout_list {
    const char *name;
    const char *const *items; /* ends with NULL */
};
extern const struct sl_holdout_list sl_holdout_lists[]; /* ends with a NULL name */
const char *const *sl_recipe_holdout(const char *name); /* its items, or NULL */

/* Read a recipe over the defaults, by name, or by path if it has a '/' or ends in .json. `variant`
 * is "as-run" or "as-published"; a file without these sections is the same in both. SL_ERR_INPUT,
 * naming file, line, key and the nearest name, for an unknown key or a value out of range in any
 * section. */
enum sl_status sl_recipe_read(const char *name, const char *variant, struct sl_recipe *out,
                              struct sl_error *err) SL_MUST_USE;
/* Read a recipe for a network of the caller's choice, with that network's section; it becomes
 * out->network. NULL: the recipe's network. */
enum sl_status sl_recipe_read_for(const char *name, const char *variant, const char *network,
                                  struct sl_recipe *out, struct sl_error *err) SL_MUST_USE;
/* The file of a recipe, by name or path, for its "source" and "notes". */
enum sl_status sl_recipe_document(const char *name, struct sl_json *out,
                                  struct sl_error *err) SL_MUST_USE;

/* Set one key from text ("0.1", "true", "80,120", "cosine"); SL_ERR_USAGE if it is not valid. */
enum sl_status sl_recipe_set(struct sl_recipe *recipe, const char *key, const char *value,
                             struct sl_error *err) SL_MUST_USE;
/* Set several keys: "epochs=3,rate=0.05". A comma followed by a word and '=' begins the next key.
 */
enum sl_status sl_recipe_set_all(struct sl_recipe *recipe, const char *assignments,
                                 struct sl_error *err) SL_MUST_USE;
/* Set keys from an object {"epochs":3,...}, such as an experiment's overrides. */
enum sl_status sl_recipe_overlay(struct sl_recipe *recipe, const struct sl_json_cursor *settings,
                                 struct sl_error *err) SL_MUST_USE;

/* Fail if settings contradict each other (milestones without factors, Nesterov without momentum) or
 * name an unknown method, network or hold-out list. */
enum sl_status sl_recipe_check(const struct sl_recipe *recipe, struct sl_error *err) SL_MUST_USE;

/* The network with the options that the recipe adds, "tagger:attention=512"; the caller owns it. */
char *sl_recipe_network(const struct sl_recipe *recipe);

/* All keys with their values, in table order; keys added later are left out at their default. The
 * caller owns it. */
json_t *sl_recipe_to_json(const struct sl_recipe *recipe);

SL_END_DECLS

#endif
