/* A stable sort by item in two steps, so that neither step jumps through all of the memory:
 *
 * 1. Each thread goes through its own part of the votes and appends each to one of at most 256
 *    buckets of neighbouring items. Where a part's votes begin in a bucket is counted before.
 * 2. Each thread takes whole buckets, which fit the cache, and sorts them by counting. A bucket of
 *    one item is in order already.
 *
 * There is one stable order, so threads change nothing. */
#include "answer/votes/sort.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

enum { MOST_BUCKETS = 256, MOST_PARTS = 16 };

struct sorting {
    const struct sl_unsorted_votes *unsorted;
    size_t n_items, count, n_parts, n_buckets;
    unsigned shift;                        /* the bucket of an item is item >> shift */
    size_t next[MOST_PARTS][MOST_BUCKETS]; /* where a part's next vote in a bucket goes */
    size_t bucket[MOST_BUCKETS + 1];       /* where the buckets begin */
    uint32_t *item;                        /* owned; count: of the votes in buckets */
    size_t largest;                        /* votes of a bucket */
    uint32_t *kept_annotator;              /* owned; (threads, largest): of one bucket */
    uint16_t *kept_label;                  /* owned; the same */
    size_t *begin;                         /* the result; owned until it succeeds */
    uint32_t *annotator;
    uint16_t *label;
};

static void count_part(void *context, size_t part, size_t worker)
{
    struct sorting *sorting = context;
    const struct sl_pool_range rows = sl_pool_range_of(sorting->count, sorting->n_parts, part);
    size_t *counts = sorting->next[part];
    (void)worker;
    for (size_t i = rows.begin; i < rows.end; i++)
        counts[sorting->unsorted->item[i] >> sorting->shift]++;
}

/* Counts become places: bucket by bucket, and in a bucket part by part. */
static void place_parts(struct sorting *sorting)
{
    size_t before = 0;
    for (size_t b = 0; b < sorting->n_buckets; b++) {
        sorting->bucket[b] = before;
        for (size_t part = 0; part < sorting->n_parts; part++) {
            const size_t count = sorting->next[part][b];
            sorting->next[part][b] = before;
            before += count;
        }
        const size_t size = before - sorting->bucket[b];
        if (size > sorting->largest) sorting->largest = size;
    }
    sorting->bucket[sorting->n_buckets] = before;
}

static void move_part(void *context, size_t part, size_t worker)
{
    struct sorting *sorting = context;
    const struct sl_unsorted_votes *votes = sorting->unsorted;
    const struct sl_pool_range rows = sl_pool_range_of(sorting->count, sorting->n_parts, part);
    size_t *next = sorting->next[part];
    (void)worker;
    for (size_t i = rows.begin; i < rows.end; i++) {
        const size_t place = next[votes->item[i] >> sorting->shift]++;
        sorting->item[place] = votes->item[i];
        sorting->annotator[place] = votes->annotator[i];
        sorting->label[place] = votes->label[i];
    }
}

static void sort_bucket(void *context, size_t bucket, size_t worker)
{
    struct sorting *sorting = context;
    const size_t from = sorting->bucket[bucket], size = sorting->bucket[bucket + 1] - from;
    const size_t first = bucket << sorting->shift, past = (bucket + 1) << sorting->shift;
    const size_t last = past < sorting->n_items ? past : sorting->n_items;
    const uint32_t *item = sorting->item + from;
    size_t *end = sorting->begin + 1; /* end[i] counts, then is where item i goes on */
    memset(end + first, 0, (last - first) * sizeof *end);
    for (size_t i = 0; i < size; i++)
        end[item[i]]++;
    for (size_t i = first, before = from; i < last; i++) {
        const size_t count = end[i];
        end[i] = sorting->shift > 0 ? before : before + count;
        before += count;
    }
    if (sorting->shift == 0) return;
    uint32_t *annotator = sorting->kept_annotator + worker * sorting->largest;
    uint16_t *label = sorting->kept_label + worker * sorting->largest;
    memcpy(annotator, sorting->annotator + from, size * sizeof *annotator);
    memcpy(label, sorting->label + from, size * sizeof *label);
    for (size_t i = 0; i < size; i++) {
        const size_t place = end[item[i]]++;
        sorting->annotator[place] = annotator[i];
        sorting->label[place] = label[i];
    }
}

static enum sl_status sort(struct sorting *sorting, struct sl_pool *pool, struct sl_error *err)
{
    const size_t threads = sl_pool_threads(pool);
    sl_pool_run(pool, sorting->n_parts, count_part, sorting);
    place_parts(sorting);
    sl_pool_run(pool, sorting->n_parts, move_part, sorting);
    if (sorting->shift > 0) {
        const size_t kept = threads * sorting->largest;
        sorting->kept_annotator = sl_data_alloc(kept, sizeof *sorting->kept_annotator, err);
        sorting->kept_label = sl_data_alloc(kept, sizeof *sorting->kept_label, err);
        if (!sorting->kept_annotator || !sorting->kept_label) return SL_ERR_NOMEM;
    }
    sorting->begin[0] = 0;
    sl_pool_run(pool, sorting->n_buckets, sort_bucket, sorting);
    return SL_OK;
}

/* Memory and sizes. */
static enum sl_status init(struct sorting *sorting, const struct sl_votes *votes, size_t threads,
                           struct sl_error *err)
{
    sorting->n_items = votes->n_items;
    sorting->count = votes->count;
    sorting->n_parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    while (votes->n_items > (size_t)MOST_BUCKETS << sorting->shift)
        sorting->shift++;
    sorting->n_buckets = (votes->n_items + ((size_t)1 << sorting->shift) - 1) >> sorting->shift;
    sorting->item = sl_data_alloc(votes->count, sizeof *sorting->item, err);
    sorting->begin = sl_data_alloc(votes->n_items + 1, sizeof *sorting->begin, err);
    sorting->annotator = sl_data_alloc(votes->count, sizeof *sorting->annotator, err);
    sorting->label = sl_data_alloc(votes->count, sizeof *sorting->label, err);
    const bool room = sorting->item && sorting->begin && sorting->annotator && sorting->label;
    return room ? SL_OK : SL_ERR_NOMEM;
}

enum sl_status sl_votes_sort(struct sl_votes *votes, const struct sl_unsorted_votes *unsorted,
                             struct sl_pool *pool, struct sl_error *err)
{
    struct sorting *sorting = sl_alloc(1, sizeof *sorting);
    sorting->unsorted = unsorted;
    enum sl_status status = init(sorting, votes, sl_pool_threads(pool), err);
    if (status == SL_OK) status = sort(sorting, pool, err);
    if (status == SL_OK) {
        votes->begin = sorting->begin;
        votes->annotator = sorting->annotator;
        votes->label = sorting->label;
    } else {
        free(sorting->begin);
        free(sorting->annotator);
        free(sorting->label);
    }
    free(sorting->item);
    free(sorting->kept_annotator);
    free(sorting->kept_label);
    free(sorting);
    return status;
}

enum sl_status sl_votes_sort_own(struct sl_votes *votes, const uint32_t *item, struct sl_pool *pool,
                                 struct sl_error *err)
{
    uint32_t *annotator = votes->annotator;
    uint16_t *label = votes->label;
    const struct sl_unsorted_votes unsorted = {item, annotator, label};
    SL_TRY(sl_votes_sort(votes, &unsorted, pool, err));
    free(annotator);
    free(label);
    return SL_OK;
}
