/* MT19937 (Matsumoto and Nishimura 1998) and the shuffle of numpy's RandomState. Only for splits
 * that were published with it: our own draws come from base/random.h. */
#include "dataset/split_numpy.h"

enum { WORDS = 624, MIDDLE = 397 };

struct twister {
    uint32_t words[WORDS];
    size_t used;
};

static void twister_seed(struct twister *twister, uint32_t seed)
{
    twister->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        const uint32_t before = twister->words[i - 1];
        twister->words[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
    twister->used = WORDS;
}

static void twister_renew(struct twister *twister)
{
    uint32_t *words = twister->words;
    for (size_t i = 0; i < WORDS; i++) {
        const uint32_t joined = (words[i] & 0x80000000u) | (words[(i + 1) % WORDS] & 0x7fffffffu);
        words[i] = words[(i + MIDDLE) % WORDS] ^ (joined >> 1) ^ (joined & 1 ? 0x9908b0dfu : 0);
    }
    twister->used = 0;
}

static uint32_t twister_next(struct twister *twister)
{
    if (twister->used == WORDS) twister_renew(twister);
    uint32_t word = twister->words[twister->used++];
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

/* A number up to `maximum`: draw words masked to its bits until one is not larger. */
static uint32_t twister_up_to(struct twister *twister, uint32_t maximum)
{
    uint32_t mask = maximum;
    for (unsigned shift = 1; shift < 32; shift *= 2)
        mask |= mask >> shift;
    uint32_t word = 0;
    do
        word = twister_next(twister) & mask;
    while (word > maximum);
    return word;
}

void sl_split_shuffle_numpy(uint64_t seed, size_t *order, size_t count)
{
    struct twister twister;
    twister_seed(&twister, (uint32_t)seed);
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i-- > 1;) {
        const size_t j = twister_up_to(&twister, (uint32_t)i);
        const size_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}
