/* A counting sort by ranges of items. Each thread goes through all votes and moves those of its own
 * range, so that the votes on an item keep their order and no two threads write the same
 * place. Where places are far apart in memory, a batch of them is asked for before the first is
 * used. */
#include "answer/votes/sort.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

enum { BATCH = 64, MOST_RANGES = 16 };

struct sorting {
    const struct sl_unsorted_votes *unsorted;
    size_t n_items, count;
    size_t *begin;       /* n_items + 1; begin[i + 1] is where the next vote on i goes */
    uint32_t *annotator; /* sorted */
    uint16_t *label;
    size_t n_ranges;
    size_t ranges[MOST_RANGES + 1]; /* range r has the items ranges[r] to ranges[r + 1] - 1 */
};

static void count_range(void *context, size_t part, size_t worker)
{
    const struct sorting *sorting = context;
    const size_t from = sorting->ranges[part], width = sorting->ranges[part + 1] - from;
    (void)worker;
    const uint32_t *item = sorting->unsorted->item;
    for (size_t i = 0; i < sorting->count; i++)
        if (item[i] - from < width) sorting->begin[item[i] + 1]++;
}

/* Votes that are moved together. */
struct batch {
    size_t count;
    size_t votes[BATCH], places[BATCH];
};

static void move_batch(const struct sorting *sorting, struct batch *batch)
{
    const struct sl_unsorted_votes *votes = sorting->unsorted;
    for (size_t i = 0; i < batch->count; i++) {
        batch->places[i] = sorting->begin[votes->item[batch->votes[i]] + 1]++;
        __builtin_prefetch(&sorting->annotator[batch->places[i]], 1);
        __builtin_prefetch(&sorting->label[batch->places[i]], 1);
    }
    for (size_t i = 0; i < batch->count; i++) {
        sorting->annotator[batch->places[i]] = votes->annotator[batch->votes[i]];
        sorting->label[batch->places[i]] = votes->label[batch->votes[i]];
    }
    batch->count = 0;
}

static void move_range(void *context, size_t part, size_t worker)
{
    const struct sorting *sorting = context;
    const size_t from = sorting->ranges[part], width = sorting->ranges[part + 1] - from;
    struct batch batch = {0};
    (void)worker;
    const uint32_t *item = sorting->unsorted->item;
    for (size_t i = 0; i < sorting->count; i++) {
        if (item[i] - from >= width) continue;
        __builtin_prefetch(&sorting->begin[item[i] + 1], 1);
        batch.votes[batch.count++] = i;
        if (batch.count == BATCH) move_batch(sorting, &batch);
    }
    move_batch(sorting, &batch);
}

/* Ranges with about as many votes each, from the number of votes before every item. */
static void balance(struct sorting *sorting)
{
    size_t item = 0;
    for (size_t r = 1; r < sorting->n_ranges; r++) {
        const size_t before = sl_pool_range_of(sorting->count, sorting->n_ranges, r).begin;
        while (item < sorting->n_items && sorting->begin[item + 1] < before)
            item++;
        sorting->ranges[r] = item;
    }
}

static void sort(struct sorting *sorting, struct sl_pool *pool)
{
    const size_t n_items = sorting->n_items;
    size_t *begin = sorting->begin;
    for (size_t r = 0; r <= sorting->n_ranges; r++)
        sorting->ranges[r] =
            r < sorting->n_ranges ? sl_pool_range_of(n_items, sorting->n_ranges, r).begin : n_items;
    memset(begin, 0, (n_items + 1) * sizeof *begin);
    sl_pool_run(pool, sorting->n_ranges, count_range, sorting);
    /* begin[i + 1] becomes the first place of item i; moving its votes makes it the end. */
    size_t before = 0;
    for (size_t i = 0; i < n_items; i++) {
        const size_t count = begin[i + 1];
        begin[i + 1] = before;
        before += count;
    }
    balance(sorting);
    sl_pool_run(pool, sorting->n_ranges, move_range, sorting);
}

enum sl_status sl_votes_sort(struct sl_votes *votes, const struct sl_unsorted_votes *unsorted,
                             struct sl_pool *pool, struct sl_error *err)
{
    const size_t threads = sl_pool_threads(pool);
    struct sorting sorting = {.unsorted = unsorted,
                              .n_items = votes->n_items,
                              .count = votes->count,
                              .n_ranges = threads < MOST_RANGES ? threads : MOST_RANGES};
    sorting.begin = sl_data_alloc(votes->n_items + 1, sizeof *sorting.begin, err);
    sorting.annotator = sl_data_alloc(votes->count, sizeof *sorting.annotator, err);
    sorting.label = sl_data_alloc(votes->count, sizeof *sorting.label, err);
    if (!sorting.begin || !sorting.annotator || !sorting.label) {
        free(sorting.begin);
        free(sorting.annotator);
        free(sorting.label);
        return SL_ERR_NOMEM;
    }
    sort(&sorting, pool);
    votes->begin = sorting.begin;
    votes->annotator = sorting.annotator;
    votes->label = sorting.label;
    return SL_OK;
}
