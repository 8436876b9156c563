/* The outcome of a majority vote among answers that are drawn without replacement. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "softlab/eval/defer.h"

/* The number of ways to choose, divided by scale^chosen so that no product overflows. */
static double ways(uint32_t count, size_t chosen, double scale)
{
    double value = 1;
    if (chosen > count) return 0;
    for (size_t i = 0; i < chosen; i++)
        value *= (double)(count - i) / (double)(i + 1) / scale;
    return value;
}

/* What is known of the votes of some classes: [votes cast][classes with as many as the winner]. */
typedef double ballots[SL_MOST_PEOPLE + 1][SL_MOST_PEOPLE + 1];

/* Add a class that has at most `winning` votes. */
static void add_class(ballots ballot, uint32_t count, size_t winning, size_t others, double scale)
{
    const size_t most_tied = others / winning;
    double chosen[SL_MOST_PEOPLE + 1];
    const size_t most = winning < others ? winning : others;
    for (size_t v = 0; v <= most; v++)
        chosen[v] = ways(count, v, scale);
    for (size_t cast = others + 1; cast-- > 0;)
        for (size_t tied = most_tied + 1; tied-- > 0;) {
            double sum = 0;
            for (size_t v = 0; v <= most && v <= cast; v++) {
                const bool ties = v == winning;
                if (ties && tied == 0) continue;
                sum += chosen[v] * ballot[cast - v][tied - ties];
            }
            ballot[cast][tied] = sum;
        }
}

/* The ways in which the class wins with this many votes; each is divided by the number of classes
 * that have as many. */
static double ways_to_win(const uint32_t *counts, size_t n_classes, size_t class_index,
                          size_t n_people, size_t winning, double scale)
{
    ballots ballot;
    const size_t others = n_people - winning, most_tied = others / winning;
    for (size_t cast = 0; cast <= others; cast++)
        memset(ballot[cast], 0, (most_tied + 1) * sizeof ballot[cast][0]);
    ballot[0][0] = 1;
    for (size_t k = 0; k < n_classes; k++)
        if (k != class_index && counts[k] > 0) add_class(ballot, counts[k], winning, others, scale);
    double sum = 0;
    for (size_t tied = 0; tied <= most_tied; tied++)
        sum += ballot[others][tied] / (double)(tied + 1);
    return sum * ways(counts[class_index], winning, scale);
}

double sl_vote_chance(const uint32_t *counts, size_t n_classes, size_t class_index, size_t n_people)
{
    uint64_t total = 0;
    for (size_t k = 0; k < n_classes; k++)
        total += counts[k];
    if (total < n_people || total > UINT32_MAX) return NAN;
    const uint32_t own = counts[class_index];
    if (own == total) return 1;
    double won = 0;
    for (size_t winning = 1; winning <= n_people && winning <= own; winning++)
        won += ways_to_win(counts, n_classes, class_index, n_people, winning, (double)total);
    return fmin(won / ways((uint32_t)total, n_people, (double)total), 1);
}
