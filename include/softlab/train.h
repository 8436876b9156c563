/* Train: trains weights from targets and a recipe. There is one loop; the papers' methods differ in
 * table rows (methods, optimisers, schedules) and in data (targets, recipes).
 *
 * Every draw of a run is named by (seed, purpose, epoch, item), so a run that was stopped or killed
 * resumes from its last checkpoint and ends with the same weights, bit for bit. */
#ifndef SOFTLAB_TRAIN_H
#define SOFTLAB_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/feed.h"
#include "softlab/label/mixing.h"
#include "softlab/nn.h"
#include "softlab/pool.h"
#include "softlab/train/recipe.h"
#include "softlab/train/targets.h"

SL_BEGIN_DECLS

/* Methods by name; src/train/method.h defines their steps. */
struct sl_train_method {
    const char *name; /* "plain", "mixup", "mix-maxent", "ent-wc", "crowd-layer" */
    const char *summary;
    const char *keys; /* the recipe keys that it reads, comma-separated */
    const struct sl_method_steps *steps;
};
extern const struct sl_train_method sl_train_methods[]; /* ends with a NULL name */
const struct sl_train_method *sl_train_method_find(const char *name);
/* How many rows of a batch the network sees per item: 1 or 2. */
size_t sl_train_copies(const struct sl_train_method *method);

/* A finished epoch. */
struct sl_epoch {
    size_t epoch;    /* from 1 */
    double loss;     /* mean over the items presented */
    double accuracy; /* share of presentations whose largest logit is at their largest target */
    double rate;     /* of the last step */
    double score;    /* on the dev set; NaN without one */
    bool best;       /* the best score so far */
    double seconds, items_per_second;
};

/* The state of a run, for a progress display. */
struct sl_train_state {
    size_t epoch, n_epochs; /* from 1 */
    size_t step, n_steps;   /* of this epoch */
    double loss, accuracy;  /* of this epoch so far */
    double items_per_second, seconds_left;
};

/* Functions that the run calls; each may be NULL. */
struct sl_train_hooks {
    void *context; /* borrowed */
    /* Called after every epoch: a score on the dev set, higher is better. */
    enum sl_status (*evaluate)(void *context, struct sl_model *model, double *score,
                               struct sl_error *err);
    enum sl_status (*epoch_done)(void *context, const struct sl_epoch *epoch, struct sl_error *err);
    void (*progress)(void *context, const struct sl_train_state *state);
    bool (*stop)(void *context); /* called after every step; true stops the run */
};

struct sl_train_options {
    const struct sl_recipe *recipe;   /* borrowed */
    const struct sl_feed *feed;       /* borrowed; of the data set that the targets are for */
    const struct sl_targets *targets; /* borrowed */
    const struct sl_mixing_functions *mixing; /* borrowed; class-pair mixing of targets, or NULL */
    const struct sl_tuning *tuning;           /* borrowed; NULL: the shipped one */
    uint64_t seed;
    const char *checkpoint; /* path; NULL: none is written or read */
    const char *identity; /* what else the run depends on (its data), for the checkpoint; or NULL */
    double checkpoint_seconds; /* least time between two in an epoch; 0: one after every step */
    struct sl_pool *pool;      /* borrowed; NULL: the calling thread alone */
    struct sl_train_hooks hooks;
};

enum sl_train_end {
    SL_TRAIN_FINISHED,
    SL_TRAIN_EARLY,   /* `patience` epochs without a better score */
    SL_TRAIN_STOPPED, /* by hooks.stop; the checkpoint is written */
};
struct sl_train_result {
    enum sl_train_end end;
    size_t epochs, steps; /* in total, including those before a resume */
    size_t resumed_epoch; /* 0: started from the beginning */
    size_t best_epoch;    /* whose weights the model has, with SL_SELECT_BEST */
    double best_score;
    double seconds; /* of this process */
};

/* Check what sl_train checks before its first step: the recipe must not contradict itself, and
 * network and method must fit the items and targets. */
enum sl_status sl_train_check(const struct sl_model *model, const struct sl_train_options *options,
                              struct sl_error *err) SL_MUST_USE;

/* Train the model in place. SL_ERR_NUMERIC, naming epoch and step, if the loss is not finite: the
 * model is as before that step, and the last checkpoint is kept. SL_ERR_INPUT if the checkpoint
 * belongs to another run. On SL_OK with SL_SELECT_BEST the model has the best epoch's weights. */
enum sl_status sl_train(struct sl_model *model, const struct sl_train_options *options,
                        struct sl_train_result *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
