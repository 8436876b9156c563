/* Timing: how fast a network trains or evaluates on this machine, and which layer takes how long.
 * Items and targets are random; they cost as much as real ones. */
#ifndef SOFTLAB_NN_TIMING_H
#define SOFTLAB_NN_TIMING_H

#include "softlab/base/json.h"
#include "softlab/base/log.h"
#include "softlab/nn.h"

SL_BEGIN_DECLS

struct sl_timing_options {
    size_t batch;                   /* items per step */
    size_t steps;                   /* that are timed, after one that is not */
    bool inference;                 /* time evaluation in place of training */
    bool profile;                   /* time every layer too */
    const struct sl_tuning *tuning; /* borrowed; NULL: the shipped one */
    struct sl_progress *progress;   /* borrowed, or NULL */
    struct sl_pool *pool;           /* borrowed; NULL: one thread */
};
struct sl_timing_options sl_timing_options_default(void); /* 10 steps of training, 32 items each */

struct sl_timing {
    size_t batch, threads;
    bool training;
    double best, mean; /* seconds of a step: the fastest, and the mean of all */
    double serial;     /* seconds of a mean step that one thread works alone */
    double barriers;   /* waits for all threads per step */
    double flops;      /* per second of the fastest step, counted as for a direct convolution */
    double fma_peak;   /* sl_fma_peak, the larger of before and after */
    size_t memory;     /* bytes of the plan */
    const struct sl_profile_row *layers; /* borrowed from `plan`; none without `profile` */
    size_t n_layers;
    struct sl_model *model; /* owned */
    struct sl_plan *plan;   /* owned */
};
/* Time a network of images or features. A training step is forward, loss, backward,
 * clipping and SGD. SL_ERR_USAGE for a network that reads texts, or without items or steps. The
 * caller releases *out. */
enum sl_status sl_network_time(const struct sl_model_options *model,
                               const struct sl_timing_options *options, struct sl_timing *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_timing_release(struct sl_timing *timing);

/* What Amdahl's law says of a network that one thread and several were timed on: how many times as
 * fast as one thread it is with `cores`. The serial part is measured; the rest is divided. */
double sl_timing_speedup(const struct sl_timing *one, const struct sl_timing *all, size_t cores);

/* Where the time of a profiled step goes: seconds of convolutions and other products, which
 * multiplications limit, and of passes over maps, which memory limits. */
struct sl_timing_shares {
    double products, passes;
    double product_flops; /* of the products, counted as for direct convolutions */
};
struct sl_timing_shares sl_timing_shares_of(const struct sl_timing *timing);

/* Seconds that a layer took in one direction, per step. */
double sl_profile_seconds(const struct sl_profile_row *row);
/* All figures as JSON, with "layers" if they were timed; the caller owns it. */
json_t *sl_timing_json(const struct sl_timing *timing) SL_MUST_USE;

SL_END_DECLS

#endif
