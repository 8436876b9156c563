/* Random: a counter-based generator (Philox4x64-10, Salmon et al. 2011).
 *
 * A stream is named by what it is for: (seed, purpose, epoch, item). Streams with
 * different names are independent, and any of them can be started without the
 * others, so results do not depend on threads, ranks or the order of work. The same
 * name gives the same numbers on every machine up to the last bit of libm. */
#ifndef SOFTLAB_BASE_RANDOM_H
#define SOFTLAB_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_rng {
    uint64_t key[2];     /* seed, purpose */
    uint64_t counter[4]; /* position, item, epoch, 0 */
    uint64_t block[4];   /* the current output */
    unsigned used;       /* of the block */
};

/* `purpose` is a short constant like "augment.crop"; its hash enters the key. */
void sl_rng_init(struct sl_rng *rng, uint64_t seed, const char *purpose, uint64_t epoch,
                 uint64_t item);

uint64_t sl_rng_next(struct sl_rng *rng);
double sl_rng_uniform(struct sl_rng *rng);                  /* [0, 1), 53 bits */
uint64_t sl_rng_below(struct sl_rng *rng, uint64_t bound);  /* [0, bound), unbiased; bound > 0 */
double sl_rng_normal(struct sl_rng *rng);                   /* mean 0, variance 1 */
double sl_rng_gamma(struct sl_rng *rng, double shape);      /* scale 1; shape > 0 */
double sl_rng_beta(struct sl_rng *rng, double a, double b); /* a, b > 0 */

/* An index drawn in proportion to `weights` (non-negative, not all zero: asserted). */
size_t sl_rng_categorical(struct sl_rng *rng, const double *weights, size_t count);

/* A random permutation of 0..count-1; shuffle of an index array in place. */
void sl_rng_permutation(struct sl_rng *rng, size_t *out, size_t count);
void sl_rng_shuffle(struct sl_rng *rng, size_t *values, size_t count);

/* `n_draws` different numbers below `count`, in random order, in O(n_draws) memory. */
void sl_rng_sample(struct sl_rng *rng, size_t count, size_t n_draws, size_t *out);

/* One block of the generator: for known-answer tests. */
void sl_philox4x64(const uint64_t key[2], const uint64_t counter[4], uint64_t out[4]);

SL_END_DECLS

#endif
