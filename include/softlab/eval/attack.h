/* Attack: changes images slightly so that a network errs, by gradient sign methods within an
 * l-infinity ball around each image. Pixels are from 0 to 1; the network normalises them itself. */
#ifndef SOFTLAB_EVAL_ATTACK_H
#define SOFTLAB_EVAL_ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/feed.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

struct sl_attack_options {
    double bound;       /* of each pixel's change, 4/255 */
    double step;        /* of one iteration; FGSM: >= bound, so that it lands on the ball */
    size_t iterations;  /* 1 = FGSM */
    bool random_start;  /* uniform in the ball, clamped to 0..1 */
    bool keep_best;     /* keep the step with the largest loss of each image, not the last */
    size_t restarts;    /* random starts, of which the worst counts; 1 */
    size_t batch;       /* images per run of the network, 100 */
    uint64_t seed;      /* of starts, drawn by (seed, "attack", restart, item) */
    double convergence; /* stop a batch if loss before a step / loss after it exceeds this; 0:
                           never */
    /* Three numbers each: replace the network's normalisation by (x - mean) / deviation, as
     * Peterson et al. did; NULL: keep its own. */
    const float *mean, *deviation;
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};

/* Attacks as papers and libraries define them. */
struct sl_attack_preset {
    const char *name; /* "fgsm-collins2022", "pgd-collins2022", "fgsm-peterson2019", ... */
    const char *summary;
    const char *source;
    struct sl_attack_options options;
    const float *mean, *deviation; /* replaces the network's normalisation; NULL: keep its own */
};
struct sl_attack_options sl_attack_options_default(void); /* the first preset's */
extern const struct sl_attack_preset sl_attack_presets[]; /* ends with a NULL name */
const struct sl_attack_preset *sl_attack_preset_find(const char *name);

/* The items to attack: `count` images of a feed, the target distributions (count, classes) of the
 * loss, and the true classes (count) for accuracy. All borrowed. */
struct sl_attack_items {
    const struct sl_feed *feed;
    const size_t *items; /* NULL: the first `count` */
    size_t count;
    const float *targets;
    const int32_t *hard;
};

struct sl_attack_result {
    double *losses; /* owned; (restarts, iterations + 1) means: before each step, and at the end */
    size_t n_restarts, n_iterations;
    double clean_loss, clean_accuracy;
    double loss, accuracy; /* of the changed images */
    float *logits;         /* owned; (count, classes) of the changed images */
};
void sl_attack_result_release(struct sl_attack_result *result);

enum sl_status sl_attack(struct sl_model *model, const struct sl_attack_items *items,
                         const struct sl_attack_options *options, struct sl_progress *progress,
                         struct sl_attack_result *out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
