/* The weights of a pool's annotators: inverse mean distance from the pool, shrunk to the crowd's
 * (docs/internals/crowd-soft.md). Only mean distances enter, so counting every annotator twice
 * changes no weight. */
#include <math.h>
#include <stdlib.h>

#include "crowd/em.h"
#include "crowd/opinions.h"
#include "softlab/base/memory.h"

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
static double distance(const struct sl_opinions *opinions, const float *answer, const double *row)
{
    double sum = 0;
    for (size_t k = 0; k < opinions->votes->n_classes; k++) {
        double difference = (double)answer[k] - row[k];
        if (opinions->form == SL_OPINIONS_LINEAR)
            sum += difference * difference;
        else if (row[k] > 0)
            sum += row[k] * (log(row[k]) - sl_opinions_log(answer[k]));
    }
    return fmax(sum, 0);
}

/* Whether the answers to an item say how far annotators are from a reference or from each other. */
static bool compares(const struct sl_opinions *opinions, size_t item)
{
    if (!opinions->reference) return !is_unanimous(opinions->votes, item);
    return sl_soft_reference(opinions->reference, item, opinions->votes->n_classes) != NULL;
}

static void measure_items(void *context, const struct sl_em_range *range)
{
    struct sl_opinions *opinions = context;
    const struct sl_soft_votes *votes = opinions->votes;
    const size_t n_classes = votes->n_classes;
    struct sl_opinions_item at = sl_opinions_item_of(opinions, range->worker);
    for (size_t i = range->begin; i < range->end; i++) {
        const float *known = sl_soft_reference(opinions->reference, i, n_classes);
        if (!compares(opinions, i)) continue;
        if (known) {
            for (size_t k = 0; k < n_classes; k++)
                at.row[k] = (double)known[k];
        } else {
            sl_opinions_gather(opinions, i, &at);
            sl_opinions_plain(opinions, &at);
        }
        for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
            opinions->term[j] = distance(opinions, votes->rows + j * n_classes, at.row);
    }
}

static void measure_distances(struct sl_opinions *opinions, struct distances *found)
{
    const struct sl_soft_votes *votes = opinions->votes;
    for (size_t a = 0; a < votes->n_annotators; a++)
        found->sum[a] = found->count[a] = 0;
    for (size_t j = 0; j < votes->count; j++)
        opinions->term[j] = -1; /* no distance */
    sl_em_run(votes->n_items, opinions->pool, measure_items, opinions);
    for (size_t j = 0; j < votes->count; j++) {
        if (opinions->term[j] < 0) continue;
        found->sum[votes->annotator[j]] += opinions->term[j];
        found->count[votes->annotator[j]] += 1;
    }
}

/* Returns the largest relative change of a weight. */
static double update_weights(struct sl_opinions *opinions, const struct distances *found,
                             double shrinkage)
{
    const size_t n_annotators = opinions->votes->n_annotators;
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
        largest = fmax(largest, fabs(weight / opinions->weight[a] - 1));
        opinions->weight[a] = weight;
    }
    return largest;
}

size_t sl_opinions_learn_weights(struct sl_opinions *opinions,
                                 const struct sl_crowd_options *options, bool *converged)
{
    const size_t n_annotators = opinions->votes->n_annotators;
    size_t round = 0;
    struct distances found = {
        .sum = sl_alloc(n_annotators, sizeof(double)),
        .count = sl_alloc(n_annotators, sizeof(double)),
    };
    *converged = false;
    while (round < options->max_iterations && !*converged && !sl_pool_is_stopped(options->pool)) {
        measure_distances(opinions, &found);
        *converged = update_weights(opinions, &found, options->shrinkage) <= 1e-9;
        round++;
    }
    free(found.sum);
    free(found.count);
    return round;
}
