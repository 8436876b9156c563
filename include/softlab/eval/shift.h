/* Shift: scores a network on corrupted images (CIFAR-10-C), per corruption. */
#ifndef SOFTLAB_EVAL_SHIFT_H
#define SOFTLAB_EVAL_SHIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/log.h"
#include "softlab/dataset.h"
#include "softlab/dataset/corruption.h"
#include "softlab/nn.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

/* The items to corrupt and score: `count` images in memory, their target distributions
 * (count, classes) and true classes (count). All borrowed. */
struct sl_shift_items {
    const struct sl_dataset *dataset;
    const size_t *items; /* NULL: the first `count` */
    size_t count;
    const float *targets;
    const int32_t *hard;
};

struct sl_shift_options {
    int severities[SL_SEVERITIES]; /* 1 to 5; the thesis uses 3 only */
    size_t n_severities;
    bool extra;           /* the four corruptions outside the benchmark too */
    uint64_t seed;        /* of the corruptions */
    const char *folder;   /* of <name>.npy files in the published layout, with all severities of the
                             whole set; missing ones are written; NULL: corrupt in memory */
    size_t batch;         /* images per run of the network, 100 */
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};
struct sl_shift_options sl_shift_options_default(void); /* the 15 at severity 3 */

struct sl_shift_score {
    const struct sl_corruption *corruption;
    int severity;
    double cross_entropy, cross_entropy_hard, accuracy;
};
struct sl_shift_result {
    struct sl_shift_score *scores; /* owned; by corruption, then severity */
    size_t count;
    /* Means over the 15 corruptions of the benchmark, and over all (_all). */
    double cross_entropy, cross_entropy_hard, accuracy;
    double cross_entropy_all, accuracy_all;
};
enum sl_status sl_shift(struct sl_model *model, const struct sl_shift_items *items,
                        const struct sl_shift_options *options, struct sl_progress *progress,
                        struct sl_shift_result *out, struct sl_error *err) SL_MUST_USE;
void sl_shift_result_release(struct sl_shift_result *result);

SL_END_DECLS

#endif
