/* Steps over flat buffers. Memory bandwidth limits them, so each step is one pass. Every step has a
 * plain loop, which also handles the last few values of the AVX2 loop. */
#include "softlab/nn/optimiser.h"

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma")))

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* ---- Ranges ---- */

/* Ranges begin at whole vectors, so that the same values are in the AVX2 loop for any number of
 * threads. */
enum { RANGE = 16 * 1024 };

static struct sl_pool_range range_at(size_t part, size_t count)
{
    const size_t begin = part * RANGE, left = count - begin;
    return (struct sl_pool_range){begin, begin + (left < RANGE ? left : RANGE)};
}

static size_t n_ranges(size_t count)
{
    return (count + RANGE - 1) / RANGE;
}

/* ---- Norm ---- */

/* Value i is added to sum i % SUMS. One thread takes all sums, of two threads each takes half of
 * them, every other cache line. The square of a float is exact in double, so fusing it into the
 * addition changes no bit: plain and AVX2 code give the same sum. */
enum { SUMS = 32, HALF = SUMS / 2 };

struct squares {
    const float *values;
    size_t count, n_parts;
    double sums[SUMS];
};

#if defined(__x86_64__)
/* Handles whole groups of SUMS values, `width` of each; returns how many values the groups have. */
__attribute__((target("avx2,fma"), always_inline)) static inline size_t
squares_of(const float *values, size_t count, size_t width, double sums[SUMS])
{
    __m256d sum[SUMS / 4];
    for (size_t k = 0; k < width / 4; k++)
        sum[k] = _mm256_setzero_pd();
    size_t i = 0;
    for (; i + SUMS <= count; i += SUMS)
        for (size_t k = 0; k < width / 4; k++) {
            const __m256d value = _mm256_cvtps_pd(_mm_loadu_ps(values + i + 4 * k));
            sum[k] = _mm256_fmadd_pd(value, value, sum[k]);
        }
    for (size_t k = 0; k < width / 4; k++)
        _mm256_storeu_pd(sums + 4 * k, sum[k]);
    return i;
}

AVX2 static size_t squares_avx2(const float *values, size_t count, bool all, double *sums)
{
    return all ? squares_of(values, count, SUMS, sums) : squares_of(values, count, HALF, sums);
}
#endif

static void add_squares(void *context, size_t part, size_t worker)
{
    (void)worker;
    struct squares *squares = context;
    const size_t first = part * HALF, end = squares->n_parts == 1 ? SUMS : first + HALF;
    size_t done = 0;
#if defined(__x86_64__)
    if (has_avx2())
        done = squares_avx2(squares->values + first, squares->count, squares->n_parts == 1,
                            squares->sums + first);
#endif
    for (size_t i = done; i < squares->count; i++)
        if (i % SUMS >= first && i % SUMS < end)
            squares->sums[i % SUMS] += (double)squares->values[i] * (double)squares->values[i];
}

double sl_flat_norm(const float *values, size_t count, struct sl_pool *pool)
{
    const bool shared = sl_pool_threads(pool) > 1 && count > RANGE;
    struct squares squares = {.values = values, .count = count, .n_parts = shared ? 2 : 1};
    double total = 0;
    if (count == 0) return 0; /* values may be NULL */
    sl_pool_run(pool, squares.n_parts, add_squares, &squares);
    for (size_t k = 0; k < SUMS; k++)
        total += squares.sums[k];
    return sqrt(total);
}

/* ---- SGD ---- */

static void sgd_plain(const struct sl_sgd *sgd, float *values, const float *gradients,
                      float *velocity, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const float g = sgd->gradient_scale * gradients[i] + sgd->weight_decay * values[i];
        const float v = sgd->first ? g : sgd->momentum * velocity[i] + g;
        velocity[i] = v;
        values[i] -= sgd->rate * (sgd->nesterov ? g + sgd->momentum * v : v);
    }
}

#if defined(__x86_64__)
/* The first step does not read the velocity, which may be uninitialised. */
AVX2 static size_t sgd_avx2(const struct sl_sgd *sgd, float *values, const float *gradients,
                            float *velocity, size_t count)
{
    const __m256 scale = _mm256_set1_ps(sgd->gradient_scale),
                 decay = _mm256_set1_ps(sgd->weight_decay), rate = _mm256_set1_ps(sgd->rate),
                 momentum = _mm256_set1_ps(sgd->momentum);
    const bool first = sgd->first, nesterov = sgd->nesterov;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 value = _mm256_loadu_ps(values + i);
        const __m256 g =
            _mm256_fmadd_ps(decay, value, _mm256_mul_ps(scale, _mm256_loadu_ps(gradients + i)));
        const __m256 v = first ? g : _mm256_fmadd_ps(momentum, _mm256_loadu_ps(velocity + i), g);
        const __m256 step = nesterov ? _mm256_fmadd_ps(momentum, v, g) : v;
        _mm256_storeu_ps(velocity + i, v);
        _mm256_storeu_ps(values + i, _mm256_fnmadd_ps(rate, step, value));
    }
    return i;
}
#endif

struct sgd_work {
    const struct sl_sgd *sgd;
    float *values;
    const float *gradients;
    float *velocity;
    size_t count;
};

static void sgd_range(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct sgd_work *work = context;
    const struct sl_pool_range range = range_at(part, work->count);
    float *values = work->values + range.begin, *velocity = work->velocity + range.begin;
    const float *gradients = work->gradients + range.begin;
    const size_t count = range.end - range.begin;
    size_t done = 0;
#if defined(__x86_64__)
    if (has_avx2()) done = sgd_avx2(work->sgd, values, gradients, velocity, count);
#endif
    sgd_plain(work->sgd, values, gradients, velocity, done, count);
}

void sl_sgd_step(const struct sl_sgd *sgd, float *values, const float *gradients, float *velocity,
                 size_t count)
{
    struct sgd_work work = {sgd, values, gradients, velocity, count};
    sl_pool_run(sgd->pool, n_ranges(count), sgd_range, &work);
}

/* ---- Adam ---- */

/* The factors of a step, computed once and in double:
 *   m = keep1 m + new1 g,  v = keep2 v + new2 g^2,  w -= rate m / (root sqrt(v) + epsilon)
 * with rate / (1 - beta1^t) and 1 / sqrt(1 - beta2^t). */
struct adam_factors {
    float scale, decay, keep1, new1, keep2, new2, rate, root, epsilon;
};

/* RAdam's r: the share of the step that the variance of the second moments allows. It follows from
 * the length of a simple moving average that is as old as the moments; 0 while that average is too
 * short to have a variance. */
static double rectification(double beta2, double step)
{
    const double left = pow(beta2, step), longest = 2 / (1 - beta2) - 1;
    const double length = longest - 2 * step * left / (1 - left);
    if (!(length > 5)) return 0;
    return sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length));
}

/* RAdam uses the same equation with other factors: epsilon is added to the root before the bias
 * correction, and the divisor is 1 while there is no variance. */
static void rectify(const struct sl_adam *adam, struct adam_factors *by)
{
    const double beta2 = (double)adam->beta2, step = (double)adam->step;
    const double share = rectification(beta2, step);
    const double unbiased = (double)adam->rate / (1 - pow((double)adam->beta1, step));
    if (share > 0) {
        by->rate = (float)(unbiased * share * sqrt(1 - pow(beta2, step)));
        by->root = 1;
    } else {
        by->root = 0;
        by->epsilon = 1;
    }
}

static struct adam_factors adam_factors_of(const struct sl_adam *adam)
{
    const double beta1 = (double)adam->beta1, beta2 = (double)adam->beta2;
    const double step = (double)adam->step;
    struct adam_factors factors = {
        .scale = adam->gradient_scale,
        .decay = adam->weight_decay,
        .keep1 = adam->beta1,
        .new1 = (float)(1 - beta1),
        .keep2 = adam->beta2,
        .new2 = (float)(1 - beta2),
        .rate = (float)((double)adam->rate / (1 - pow(beta1, step))),
        .root = (float)(1 / sqrt(1 - pow(beta2, step))),
        .epsilon = adam->epsilon,
    };
    if (adam->rectified) rectify(adam, &factors);
    return factors;
}

static void adam_plain(const struct adam_factors *by, float *values, const float *gradients,
                       float *first, float *second, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const float g = by->scale * gradients[i] + by->decay * values[i];
        first[i] = by->keep1 * first[i] + by->new1 * g;
        second[i] = by->keep2 * second[i] + by->new2 * g * g;
        values[i] -= by->rate * first[i] / (by->root * sqrtf(second[i]) + by->epsilon);
    }
}

#if defined(__x86_64__)
AVX2 static size_t adam_avx2(const struct adam_factors *by, float *values, const float *gradients,
                             float *first, float *second, size_t count)
{
    const __m256 scale = _mm256_set1_ps(by->scale), decay = _mm256_set1_ps(by->decay),
                 keep1 = _mm256_set1_ps(by->keep1), new1 = _mm256_set1_ps(by->new1),
                 keep2 = _mm256_set1_ps(by->keep2), new2 = _mm256_set1_ps(by->new2),
                 rate = _mm256_set1_ps(by->rate), root = _mm256_set1_ps(by->root),
                 epsilon = _mm256_set1_ps(by->epsilon);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256 value = _mm256_loadu_ps(values + i);
        const __m256 g =
            _mm256_fmadd_ps(decay, value, _mm256_mul_ps(scale, _mm256_loadu_ps(gradients + i)));
        const __m256 m = _mm256_fmadd_ps(keep1, _mm256_loadu_ps(first + i), _mm256_mul_ps(new1, g));
        const __m256 v = _mm256_fmadd_ps(keep2, _mm256_loadu_ps(second + i),
                                         _mm256_mul_ps(_mm256_mul_ps(new2, g), g));
        const __m256 below = _mm256_fmadd_ps(root, _mm256_sqrt_ps(v), epsilon);
        _mm256_storeu_ps(first + i, m);
        _mm256_storeu_ps(second + i, v);
        _mm256_storeu_ps(values + i,
                         _mm256_sub_ps(value, _mm256_div_ps(_mm256_mul_ps(rate, m), below)));
    }
    return i;
}
#endif

struct adam_work {
    struct adam_factors by;
    float *values;
    const float *gradients;
    float *first, *second;
    size_t count;
};

static void adam_range(void *context, size_t part, size_t worker)
{
    (void)worker;
    const struct adam_work *work = context;
    const struct sl_pool_range range = range_at(part, work->count);
    float *values = work->values + range.begin;
    float *first = work->first + range.begin, *second = work->second + range.begin;
    const float *gradients = work->gradients + range.begin;
    const size_t count = range.end - range.begin;
    size_t done = 0;
#if defined(__x86_64__)
    if (has_avx2()) done = adam_avx2(&work->by, values, gradients, first, second, count);
#endif
    adam_plain(&work->by, values, gradients, first, second, done, count);
}

void sl_adam_step(const struct sl_adam *adam, float *values, const float *gradients, float *first,
                  float *second, size_t count)
{
    struct adam_work work = {adam_factors_of(adam), values, gradients, first, second, count};
    sl_pool_run(adam->pool, n_ranges(count), adam_range, &work);
}
