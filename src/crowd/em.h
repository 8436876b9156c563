/* The framework of every iterative method: passes over the items that give the same bits for any
 * number of threads, the step from log scores to a posterior, and the end of the iteration.
 *
 * Items are divided into SL_CROWD_CHUNKS chunks. Floating-point sums are taken per chunk and then
 * over the chunks in order. Counts over annotators and classes, for which an array per chunk would
 * be too large, are whole multiples of 2^-30: such sums are exact, so neither threads nor the order
 * of items can change them. */
#ifndef SOFTLAB_CROWD_EM_H
#define SOFTLAB_CROWD_EM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "softlab/crowd.h"
#include "softlab/pool.h"

#define SL_EM_INLINED static inline __attribute__((always_inline))

struct sl_em_range {
    size_t chunk;      /* 0 .. SL_CROWD_CHUNKS - 1 */
    size_t begin, end; /* items */
    size_t worker;     /* below sl_pool_threads: whose buffers to use */
};
typedef void sl_em_work(void *context, const struct sl_em_range *range);

/* Call `work` once for every chunk, as parts of the pool: in any order, on any worker. */
void sl_em_run(size_t n_items, struct sl_pool *pool, sl_em_work *work, void *context);
/* The same for the chunks of a range only. */
void sl_em_run_chunks(size_t n_items, struct sl_pool_range chunks, struct sl_pool *pool,
                      sl_em_work *work, void *context);

/* The elements of `size` bytes from one worker's `count` to the next worker's, so that no two
 * workers write to the same cache line. */
static inline size_t sl_em_apart(size_t count, size_t size)
{
    const size_t line = 64;
    return ((count * size + line - 1) / line + 1) * line / size;
}

/* The sum of one value per chunk, in order. */
double sl_em_sum(const double chunk_values[SL_CROWD_CHUNKS]);

/* When the gain of the objective is too small to go on. */
struct sl_em_stop {
    double tolerance; /* 0: never */
    double scale;     /* what it is multiplied with; 0: the absolute value of the objective */
    const struct sl_pool *pool; /* whose caller may want to end; or NULL */
};
static inline struct sl_em_stop sl_em_stop_of(const struct sl_crowd_options *options,
                                              size_t n_answers)
{
    const bool per_answer = options->stop == SL_STOP_PER_ANSWER;
    return (struct sl_em_stop){options->tolerance, per_answer ? (double)n_answers : 0,
                               options->pool};
}

/* Record the objective of the last iteration. True if the iteration should end: the gain over the
 * previous value is at most what `stop` says. A value that cannot be compared with the previous one
 * (`fresh`) never ends it, nor does a tolerance of 0. The caller stops at max_iterations. */
bool sl_em_step(struct sl_crowd_state *state, double value, struct sl_em_stop stop, bool fresh);

/* Turn `count` rows of K log scores into probabilities in place. Returns the sum over the rows
 * of log(sum(exp(score))). */
double sl_em_normalise(double *scores, size_t count, size_t n_classes);

/* The last step of a method that has a posterior for the items with answers: gold rows are pinned,
 * the class prior becomes the mean row, and items without answers and gold get it. */
void sl_em_finish_votes(struct sl_crowd_state *state, const size_t *begin,
                        const struct sl_crowd_options *options);

/* exp(x) for -80 <= x <= 0, within 2e-13 relative; inline so that loops over it vectorise. */
static inline double sl_em_exp(double x)
{
    /* x = n log 2 + r, |r| <= log(2) / 2; adding 1.5 x 2^52 leaves n in the low bits. */
    const double shift = 0x1.8p52;
    double whole = x * 0x1.71547652b82fep+0 + shift;
    int64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    double n = whole - shift;
    double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
    double p = 1.0 / 3628800;
    p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    int64_t power = (int64_t)(((uint64_t)bits + 1023) << 52);
    double scale;
    memcpy(&scale, &power, sizeof scale);
    return p * scale;
}

/* sl_em_normalise for callers whose number of classes is a constant: its loops unroll. */
SL_EM_INLINED double sl_em_normalise_rows(double *restrict scores, size_t count, size_t n_classes)
{
    enum { PER_LOGARITHM = 32 }; /* a product of so many sums <= 65536 stays finite */
    const double lowest = -80;   /* a smaller probability has no consequence */
    double log_sum = 0, product = 1;
    for (size_t i = 0; i < count; i++) {
        double *row = scores + i * n_classes;
        double largest = row[0];
        for (size_t k = 1; k < n_classes; k++)
            largest = row[k] > largest ? row[k] : largest;
        for (size_t k = 0; k < n_classes; k++) {
            double difference = row[k] - largest;
            row[k] = difference > lowest ? difference : lowest;
        }
        log_sum += largest;
    }
    for (size_t i = 0; i < count * n_classes; i++)
        scores[i] = sl_em_exp(scores[i]);
    for (size_t i = 0; i < count; i++) {
        double *row = scores + i * n_classes;
        double total = 0;
        for (size_t k = 0; k < n_classes; k++)
            total += row[k];
        for (size_t k = 0; k < n_classes; k++)
            row[k] /= total;
        product *= total;
        if ((i + 1) % PER_LOGARITHM == 0) {
            log_sum += log(product);
            product = 1;
        }
    }
    return log_sum + log(product);
}

/* A probability in units of 2^-30, and a count of such units. */
static inline int64_t sl_em_units(double probability)
{
    const double shift = 0x1p52;
    double shifted = probability * 0x1p30 + shift;
    int64_t bits, zero;
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&zero, &shift, sizeof zero);
    return bits - zero;
}

static inline double sl_em_count(int64_t units)
{
    return (double)units * 0x1p-30;
}

/* The pinned class of an item, or -1. */
static inline int32_t sl_em_gold(const struct sl_crowd_options *options, size_t item)
{
    return options->gold ? options->gold[item] : -1;
}

#endif
