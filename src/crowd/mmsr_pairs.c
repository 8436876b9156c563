/* Two passes over the answers by annotator: the first counts the others of each, so that the second
 * knows where to write them. */
#include "crowd/mmsr_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "crowd/em.h"
#include "crowd/named.h"
#include "softlab/base/memory.h"

/* Of one pair, while the items of its first annotator are walked. */
struct tally {
    uint32_t common, same; /* items of both, and those with the same answer */
};

struct work {
    const struct sl_votes *votes;
    struct sl_named_index index;
    struct sl_mmsr_pairs *pairs;
    struct tally *tallies; /* owned; (threads, n_annotators), all 0 between annotators */
    uint32_t *met;         /* owned; (threads, n_annotators): others in the order they are met */
    bool writes;           /* the second pass */
};

/* Tally everybody who answered an item of `annotator`; returns how many that are. */
static size_t tally_others(const struct work *work, size_t annotator, struct tally *tallies,
                           uint32_t *met)
{
    const struct sl_votes *votes = work->votes;
    size_t n_met = 0;
    for (size_t j = work->index.begin[annotator]; j < work->index.begin[annotator + 1]; j++) {
        const size_t item = work->index.item[j];
        for (size_t v = votes->begin[item]; v < votes->begin[item + 1]; v++) {
            const uint32_t other = votes->annotator[v];
            if (other == annotator) continue;
            if (tallies[other].common++ == 0) met[n_met++] = other;
            tallies[other].same += votes->label[v] == work->index.label[j];
        }
    }
    return n_met;
}

static void write_others(const struct work *work, size_t annotator, const struct tally *tallies,
                         const uint32_t *met, size_t n_met)
{
    const double n_classes = (double)work->votes->n_classes;
    const size_t begin = work->pairs->begin[annotator];
    for (size_t i = 0; i < n_met; i++) {
        const struct tally *tally = &tallies[met[i]];
        const double share = (double)tally->same / (double)tally->common;
        work->pairs->other[begin + i] = met[i];
        work->pairs->agreement[begin + i] =
            n_classes > 1 ? (n_classes * share - 1) / (n_classes - 1) : 1;
    }
}

static void walk_annotators(void *context, const struct sl_em_range *range)
{
    const struct work *work = context;
    struct tally *tallies = work->tallies + range->worker * work->votes->n_annotators;
    uint32_t *met = work->met + range->worker * work->votes->n_annotators;
    for (size_t a = range->begin; a < range->end; a++) {
        const size_t n_met = tally_others(work, a, tallies, met);
        if (work->writes)
            write_others(work, a, tallies, met, n_met);
        else
            work->pairs->begin[a + 1] = n_met;
        for (size_t i = 0; i < n_met; i++)
            tallies[met[i]] = (struct tally){0};
    }
}

/* Numbers of others become places. */
static void place(struct sl_mmsr_pairs *pairs, size_t n_annotators)
{
    pairs->begin[0] = 0;
    for (size_t a = 0; a < n_annotators; a++) {
        const size_t count = pairs->begin[a + 1];
        if (count > pairs->most) pairs->most = count;
        if (count > 0 && (pairs->fewest == 0 || count < pairs->fewest)) pairs->fewest = count;
        pairs->begin[a + 1] += pairs->begin[a];
    }
}

static enum sl_status fill(struct work *work, struct sl_pool *pool, struct sl_error *err)
{
    const size_t n_annotators = work->votes->n_annotators, threads = sl_pool_threads(pool);
    struct sl_mmsr_pairs *pairs = work->pairs;
    SL_TRY(sl_named_index_create(work->votes, &work->index, err));
    pairs->begin = sl_data_alloc(n_annotators + 1, sizeof *pairs->begin, err);
    work->tallies = sl_data_zeroed(n_annotators * threads, sizeof *work->tallies, err);
    work->met = sl_data_alloc(n_annotators * threads, sizeof *work->met, err);
    if (!pairs->begin || !work->tallies || !work->met) return SL_ERR_NOMEM;
    sl_em_run(n_annotators, pool, walk_annotators, work);
    place(pairs, n_annotators);
    pairs->other = sl_data_alloc(pairs->begin[n_annotators], sizeof *pairs->other, err);
    pairs->agreement = sl_data_alloc(pairs->begin[n_annotators], sizeof *pairs->agreement, err);
    if (!pairs->other || !pairs->agreement) return SL_ERR_NOMEM;
    work->writes = true;
    sl_em_run(n_annotators, pool, walk_annotators, work);
    return SL_OK;
}

enum sl_status sl_mmsr_pairs_create(const struct sl_votes *votes, struct sl_pool *pool,
                                    struct sl_mmsr_pairs *out, struct sl_error *err)
{
    struct work work = {.votes = votes, .pairs = out};
    *out = (struct sl_mmsr_pairs){0};
    const enum sl_status status = fill(&work, pool, err);
    sl_named_index_release(&work.index);
    free(work.tallies);
    free(work.met);
    if (status != SL_OK) sl_mmsr_pairs_release(out);
    return status;
}

void sl_mmsr_pairs_release(struct sl_mmsr_pairs *pairs)
{
    free(pairs->begin);
    free(pairs->other);
    free(pairs->agreement);
    *pairs = (struct sl_mmsr_pairs){0};
}
