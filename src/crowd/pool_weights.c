/* The weights of a pool's annotators: inverse mean distance from the pool, shrunk to the crowd's
 * (docs/internals/crowd-soft.md). Only mean distances enter, so counting every annotator twice
 * changes no weight. */
#include <math.h>
#include <stdlib.h>

#include "crowd/pool.h"
#include "softlab/base/memory.h"

enum { MAX_ROUNDS = 50 };

struct distances {
    double *sum, *count; /* n_annotators */
};

/* Answers that are all equal, or a single answer, say nothing about differences between
 * annotators. */
static bool is_unanimous(const struct sl_soft_votes *votes, size_t item)
{
    const size_t n_classes = votes->n_classes;
    const float *first = votes->rows + votes->begin[item] * n_classes;
    for (size_t j = votes->begin[item] + 1; j < votes->begin[item + 1]; j++)
        for (size_t k = 0; k < n_classes; k++)
            if (votes->rows[j * n_classes + k] != first[k]) return false;
    return true;
}

/* Squared distance of an answer from `row` for the linear pool, Kullback-Leibler divergence
 * from it for the logarithmic one. */
static double distance(const struct sl_pool *pool, const float *answer, const double *row)
{
    double sum = 0;
    for (size_t k = 0; k < pool->votes->n_classes; k++) {
        double difference = (double)answer[k] - row[k];
        if (pool->form == SL_POOL_LINEAR)
            sum += difference * difference;
        else if (row[k] > 0)
            sum += row[k] * (log(row[k]) - sl_pool_log(answer[k]));
    }
    return fmax(sum, 0);
}

static void measure_distances(struct sl_pool *pool, struct distances *found)
{
    const struct sl_soft_votes *votes = pool->votes;
    for (size_t a = 0; a < votes->n_annotators; a++)
        found->sum[a] = found->count[a] = 0;
    for (size_t i = 0; i < votes->n_items; i++) {
        const float *known = sl_soft_reference(pool->reference, i, votes->n_classes);
        if (pool->reference ? !known : is_unanimous(votes, i)) continue;
        if (known) {
            for (size_t k = 0; k < votes->n_classes; k++)
                pool->row[k] = (double)known[k];
        } else {
            sl_pool_gather(pool, i);
            sl_pool_plain(pool);
        }
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++) {
            const float *answer = votes->rows + j * votes->n_classes;
            found->sum[votes->annotator[j]] += distance(pool, answer, pool->row);
            found->count[votes->annotator[j]] += 1;
        }
    }
}

/* Returns the largest relative change of a weight. */
static double update_weights(struct sl_pool *pool, const struct distances *found, double shrinkage)
{
    const size_t n_annotators = pool->votes->n_annotators;
    double sum = 0, count = 0, largest = 0;
    for (size_t a = 0; a < n_annotators; a++) {
        sum += found->sum[a];
        count += found->count[a];
    }
    double mean = count > 0 ? sum / count : 0;
    for (size_t a = 0; a < n_annotators; a++) {
        double usual = shrinkage * mean;
        double weight =
            mean > 0 ? mean * (shrinkage + found->count[a]) / (usual + found->sum[a]) : 1;
        largest = fmax(largest, fabs(weight / pool->weight[a] - 1));
        pool->weight[a] = weight;
    }
    return largest;
}

size_t sl_pool_learn_weights(struct sl_pool *pool, const struct sl_crowd_options *options,
                             bool *converged)
{
    const size_t n_annotators = pool->votes->n_annotators;
    size_t round = 0;
    struct distances found = {
        .sum = sl_alloc(n_annotators, sizeof(double)),
        .count = sl_alloc(n_annotators, sizeof(double)),
    };
    *converged = false;
    while (round < MAX_ROUNDS && round < options->max_iterations && !*converged) {
        measure_distances(pool, &found);
        *converged = update_weights(pool, &found, options->shrinkage) <= 1e-9;
        round++;
    }
    free(found.sum);
    free(found.count);
    return round;
}
