#include "softlab/crowd/subset.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

struct sl_crowd_shape sl_crowd_shape_of(const struct sl_crowd_answers *crowd)
{
    const struct sl_votes *votes = crowd->votes;
    const struct sl_soft_votes *soft = crowd->soft;
    if (votes)
        return (struct sl_crowd_shape){votes->n_items, votes->n_annotators, votes->n_classes,
                                       votes->count,   votes->begin,        votes->annotator};
    return (struct sl_crowd_shape){soft->n_items, soft->n_annotators, soft->n_classes,
                                   soft->count,   soft->begin,        soft->annotator};
}

double sl_crowd_said(const struct sl_crowd_answers *crowd, size_t answer, size_t k)
{
    if (crowd->votes) return crowd->votes->label[answer] == k;
    return (double)crowd->soft->rows[answer * crowd->soft->n_classes + k];
}

static enum sl_status allocate(struct sl_crowd_subset *subset, const struct sl_crowd_shape *shape,
                               bool soft, struct sl_error *err)
{
    subset->begin = sl_data_alloc(shape->n_items + 1, sizeof *subset->begin, err);
    subset->annotator = sl_data_alloc(shape->count, sizeof *subset->annotator, err);
    if (soft)
        subset->rows = sl_data_alloc(shape->count, shape->n_classes * sizeof *subset->rows, err);
    else
        subset->label = sl_data_alloc(shape->count, sizeof *subset->label, err);
    const bool said = soft ? subset->rows != NULL : subset->label != NULL;
    return subset->begin && subset->annotator && said ? SL_OK : SL_ERR_NOMEM;
}

/* Copy the kept answers. Returns their number. */
static size_t copy_kept(struct sl_crowd_subset *subset, const struct sl_crowd_answers *crowd,
                        const struct sl_crowd_shape *shape, const bool *keep)
{
    const size_t k = shape->n_classes;
    size_t count = 0;
    for (size_t i = 0; i < shape->n_items; i++) {
        subset->begin[i] = count;
        for (size_t v = shape->begin[i]; v < shape->begin[i + 1]; v++) {
            if (!keep[v]) continue;
            subset->annotator[count] = shape->annotator[v];
            if (crowd->votes)
                subset->label[count] = crowd->votes->label[v];
            else
                memcpy(subset->rows + count * k, crowd->soft->rows + v * k,
                       k * sizeof *subset->rows);
            count++;
        }
    }
    subset->begin[shape->n_items] = count;
    return count;
}

enum sl_status sl_crowd_subset_init(struct sl_crowd_subset *subset,
                                    const struct sl_crowd_answers *crowd, const bool *keep,
                                    struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    *subset = (struct sl_crowd_subset){0};
    const enum sl_status status = allocate(subset, &shape, crowd->soft != NULL, err);
    if (status != SL_OK) {
        sl_crowd_subset_release(subset);
        return status;
    }
    const size_t count = copy_kept(subset, crowd, &shape, keep);
    if (crowd->votes) {
        subset->votes = *crowd->votes;
        subset->votes.mapping = NULL;
        subset->votes.count = count;
        subset->votes.begin = subset->begin;
        subset->votes.annotator = subset->annotator;
        subset->votes.label = subset->label;
        subset->crowd.votes = &subset->votes;
    } else {
        subset->soft = *crowd->soft;
        subset->soft.count = count;
        subset->soft.begin = subset->begin;
        subset->soft.annotator = subset->annotator;
        subset->soft.rows = subset->rows;
        subset->crowd.soft = &subset->soft;
    }
    return SL_OK;
}

void sl_crowd_subset_release(struct sl_crowd_subset *subset)
{
    free(subset->begin);
    free(subset->annotator);
    free(subset->label);
    free(subset->rows);
    *subset = (struct sl_crowd_subset){0};
}

/* The mean of every item's answers. */
static enum sl_status mean_labels(const struct sl_crowd_answers *crowd, struct sl_crowd_state *out,
                                  struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    const size_t k = shape.n_classes;
    out->n_items = shape.n_items;
    out->n_annotators = shape.n_annotators;
    out->n_classes = k;
    out->posterior = sl_data_zeroed(shape.n_items, k * sizeof *out->posterior, err);
    if (!out->posterior) return SL_ERR_NOMEM;
    for (size_t i = 0; i < shape.n_items; i++) {
        float *row = out->posterior + i * k;
        const float share = 1 / (float)(shape.begin[i + 1] - shape.begin[i]);
        for (size_t v = shape.begin[i]; v < shape.begin[i + 1]; v++) {
            if (crowd->votes)
                row[crowd->votes->label[v]] += share;
            else
                for (size_t c = 0; c < k; c++)
                    row[c] += share * crowd->soft->rows[v * k + c];
        }
    }
    return SL_OK;
}

enum sl_status sl_crowd_aggregate(const struct sl_aggregator *method,
                                  const struct sl_crowd_answers *crowd,
                                  const struct sl_crowd_options *options,
                                  struct sl_crowd_state *out, struct sl_error *err)
{
    if (!method) return mean_labels(crowd, out, err);
    return crowd->votes ? sl_aggregate(method, crowd->votes, options, out, err)
                        : sl_aggregate_soft(method, crowd->soft, options, out, err);
}
