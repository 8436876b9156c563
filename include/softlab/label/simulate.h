/* Simulate: human soft labels drawn from a model fitted to real ones (thesis B.5). */
#ifndef SOFTLAB_LABEL_SIMULATE_H
#define SOFTLAB_LABEL_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/answer.h"
#include "softlab/base/error.h"
#include "softlab/base/json.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

enum { SL_SIMULATOR_LOW, SL_SIMULATOR_HIGH, SL_SIMULATOR_PARTS };

/* The model of answers to items of low or of high entropy. */
struct sl_simulator_part {
    struct sl_beta top1, top2;
    size_t n_answers, n_second; /* how many the Betas were fitted to */
    double *possible;           /* owned; n_classes: share of answers with 0, 1, ... n_classes - 1
                                   possible classes besides the first */
};
struct sl_simulator {
    size_t n_classes;
    double threshold; /* an item is of high entropy if its reference has at least this */
    struct sl_simulator_part part[SL_SIMULATOR_PARTS];
};

/* Fit to soft answers; `reference` gives each item's entropy (CIFAR-10H). Repeats, second runs and
 * checks are left out unless `keep` names them. SL_ERR_INPUT if an item has no reference row, or
 * answers of one part are too few or too equal for a Beta. */
enum sl_status sl_simulator_fit(const struct sl_answers *answers, const struct sl_rows *reference,
                                double threshold, unsigned keep, struct sl_simulator **out,
                                struct sl_error *err) SL_MUST_USE;
void sl_simulator_destroy(struct sl_simulator *simulator);

/* {"softlab":"simulator","version":1,...}; the caller owns what to_json gives, NULL if
 * there is no memory for it. */
json_t *sl_simulator_to_json(const struct sl_simulator *simulator);
enum sl_status sl_simulator_from_json(const struct sl_json *json, struct sl_simulator **out,
                                      struct sl_error *err) SL_MUST_USE;

struct sl_simulate_options {
    size_t annotators; /* at least 1 */
    uint64_t seed;
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};
/* The mean of `annotators` simulated answers for every row of `reference`; `similarity` (K, K)
 * ranks the classes. Row i uses the stream (seed, "labels.simulate", draw, i). */
enum sl_status sl_simulate(const struct sl_simulator *simulator, const struct sl_rows *reference,
                           const float *similarity, const struct sl_simulate_options *options,
                           struct sl_rows **out, struct sl_error *err) SL_MUST_USE;

/* One statistic of real and simulated labels over the items of one part. */
enum sl_simulation_statistic {
    SL_SIMULATION_ENTROPY,
    SL_SIMULATION_TOP,      /* the largest probability */
    SL_SIMULATION_POSSIBLE, /* classes with mass */
    SL_SIMULATION_COUNT
};
extern const char *const sl_simulation_statistic_names[SL_SIMULATION_COUNT];
struct sl_simulation_fit {
    size_t n_real, n_simulated; /* rows */
    double real_mean[SL_SIMULATION_COUNT], simulated_mean[SL_SIMULATION_COUNT];
    double wasserstein[SL_SIMULATION_COUNT]; /* between the two distributions over rows */
};
/* How close simulated labels are to real ones. Rows are assigned to a part by their item's entropy
 * in `reference`; figures of parts without rows are NaN. */
enum sl_status sl_simulation_measure(const struct sl_rows *real, const struct sl_rows *simulated,
                                     const struct sl_rows *reference, double threshold,
                                     struct sl_simulation_fit out[SL_SIMULATOR_PARTS],
                                     struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
