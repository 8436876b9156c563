/* Repeatable random numbers: splitmix64. */
#ifndef SOFTLAB_TESTS_CHANCE_H
#define SOFTLAB_TESTS_CHANCE_H

#include <stdint.h>

static inline uint64_t chance_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static inline unsigned chance_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((chance_next(state) >> 32) % limit);
}

#endif
