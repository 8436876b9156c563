#include "softlab/base/random.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "softlab/base/memory.h"

enum { PHILOX_ROUNDS = 10, BLOCK_WORDS = 4 };

__extension__ typedef unsigned __int128 wide;

void sl_philox4x64(const uint64_t key[2], const uint64_t counter[4], uint64_t out[4])
{
    static const uint64_t multiplier[2] = {0xD2E7470EE14C6C93, 0xCA5A826395121157};
    static const uint64_t weyl[2] = {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B};
    uint64_t k0 = key[0], k1 = key[1];
    uint64_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        wide left = (wide)multiplier[0] * x0;
        wide right = (wide)multiplier[1] * x2;
        x0 = (uint64_t)(right >> 64) ^ x1 ^ k0;
        x1 = (uint64_t)right;
        x2 = (uint64_t)(left >> 64) ^ x3 ^ k1;
        x3 = (uint64_t)left;
        k0 += weyl[0];
        k1 += weyl[1];
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

/* FNV-1a, whose high bits are weak for short names; the final mixing (murmur's) spreads
 * every bit of the name over the whole word. */
static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3;
    hash = (hash ^ hash >> 33) * 0xFF51AFD7ED558CCD;
    hash = (hash ^ hash >> 33) * 0xC4CEB9FE1A85EC53;
    return hash ^ hash >> 33;
}

void sl_rng_init(struct sl_rng *rng, uint64_t seed, const char *purpose, uint64_t epoch,
                 uint64_t item)
{
    *rng = (struct sl_rng){
        .key = {seed, hash_name(purpose)},
        .counter = {0, item, epoch, 0},
        .used = BLOCK_WORDS,
    };
}

uint64_t sl_rng_next(struct sl_rng *rng)
{
    if (rng->used == BLOCK_WORDS) {
        sl_philox4x64(rng->key, rng->counter, rng->block);
        rng->counter[0]++;
        rng->used = 0;
    }
    return rng->block[rng->used++];
}

double sl_rng_uniform(struct sl_rng *rng)
{
    return (double)(sl_rng_next(rng) >> 11) * 0x1p-53;
}

/* (0, 1], for logarithms. */
static double uniform_above_zero(struct sl_rng *rng)
{
    return 1.0 - sl_rng_uniform(rng);
}

/* Lemire 2019: the high word of draw x bound is the result; low words below 2^64 mod bound would
 * make some results more frequent and are redrawn. */
uint64_t sl_rng_below(struct sl_rng *rng, uint64_t bound)
{
    assert(bound > 0);
    wide product = (wide)sl_rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t surplus = (0 - bound) % bound;
        while ((uint64_t)product < surplus)
            product = (wide)sl_rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* Box-Muller without its second value, so that the position is the whole state of a stream. */
double sl_rng_normal(struct sl_rng *rng)
{
    const double turn = 6.283185307179586;
    double radius = sqrt(-2.0 * log(uniform_above_zero(rng)));
    return radius * cos(turn * sl_rng_uniform(rng));
}

/* Marsaglia and Tsang 2000, for shape >= 1. */
static double gamma_from_one(struct sl_rng *rng, double shape)
{
    double d = shape - 1.0 / 3.0;
    double c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double normal = sl_rng_normal(rng);
        double root = 1.0 + c * normal;
        if (root <= 0) continue;
        double v = root * root * root;
        double uniform = uniform_above_zero(rng);
        if (log(uniform) < 0.5 * normal * normal + d - d * v + d * log(v)) return d * v;
    }
}

static bool is_shape(double shape)
{
    return shape > 0 && isfinite(shape);
}

double sl_rng_gamma(struct sl_rng *rng, double shape)
{
    if (!is_shape(shape)) return (double)NAN; /* the rejection loop would never end */
    if (shape >= 1) return gamma_from_one(rng, shape);
    double larger = gamma_from_one(rng, shape + 1);
    return larger * pow(uniform_above_zero(rng), 1 / shape);
}

static double log_gamma_draw(struct sl_rng *rng, double shape)
{
    if (shape >= 1) return log(gamma_from_one(rng, shape));
    double larger = log(gamma_from_one(rng, shape + 1));
    return larger + log(uniform_above_zero(rng)) / shape;
}

/* X / (X + Y) of two gammas, in logarithms: with small shapes both would underflow to 0. */
double sl_rng_beta(struct sl_rng *rng, double a, double b)
{
    if (!is_shape(a) || !is_shape(b)) return (double)NAN;
    double x = log_gamma_draw(rng, a);
    double y = log_gamma_draw(rng, b);
    /* For shapes so small that even the logarithms overflow, all mass is at 0 and 1. */
    if (isinf(x) && isinf(y)) return sl_rng_uniform(rng) < 1 / (1 + b / a) ? 1.0 : 0.0;
    return 1.0 / (1.0 + exp(y - x));
}

size_t sl_rng_categorical(struct sl_rng *rng, const double *weights, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        assert(weights[i] >= 0);
        total += weights[i];
    }
    assert(total > 0 && isfinite(total));
    double target = sl_rng_uniform(rng) * total;
    double passed = 0;
    size_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (weights[i] > 0) last = i;
        passed += weights[i];
        if (target < passed) return i;
    }
    return last; /* rounding made the target equal to the total */
}

void sl_rng_shuffle(struct sl_rng *rng, size_t *values, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)sl_rng_below(rng, i);
        size_t kept = values[i - 1];
        values[i - 1] = values[j];
        values[j] = kept;
    }
}

void sl_rng_permutation(struct sl_rng *rng, size_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = i;
    sl_rng_shuffle(rng, out, count);
}

/* Open addressing over a power of two at least twice the number of members; a slot
 * holds value + 1, 0 is free. */
struct index_set {
    size_t *slots; /* owned */
    unsigned shift;
    size_t mask;
};

static void index_set_init(struct index_set *set, size_t members)
{
    unsigned bits = 4;
    while (members > (size_t)1 << (bits - 1))
        bits++;
    size_t size = (size_t)1 << bits;
    *set = (struct index_set){
        .slots = sl_alloc(size, sizeof *set->slots), .shift = 64 - bits, .mask = size - 1};
}

/* False if it was there already. */
static bool index_set_add(struct index_set *set, size_t value)
{
    size_t at = (size_t)((uint64_t)value * 0x9E3779B97F4A7C15 >> set->shift);
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (set->slots[at] == value + 1) return false;
    set->slots[at] = value + 1;
    return true;
}

/* Floyd's method draws a uniform set; its order is not uniform, so it is shuffled. */
void sl_rng_sample(struct sl_rng *rng, size_t count, size_t n_draws, size_t *out)
{
    assert(n_draws <= count);
    struct index_set drawn;
    index_set_init(&drawn, n_draws);
    for (size_t i = 0; i < n_draws; i++) {
        size_t last = count - n_draws + i;
        size_t value = (size_t)sl_rng_below(rng, (uint64_t)last + 1);
        if (!index_set_add(&drawn, value)) {
            value = last;
            index_set_add(&drawn, value);
        }
        out[i] = value;
    }
    free(drawn.slots);
    sl_rng_shuffle(rng, out, n_draws);
}
