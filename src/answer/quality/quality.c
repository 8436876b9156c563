/* One walk over the answers, item by item. Everything counted for an annotator is also counted for
 * all answers together, in slot n_annotators, which includes answers without an annotator. */
#include "softlab/answer/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/quality/internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

#define NO_CLASS  UINT32_MAX
#define NO_ANSWER SIZE_MAX

static const double accurate = .75; /* battleday2020's line, which collins2022 took over */

/* Sums behind the shares of one slot. */
struct tally {
    size_t right1, right2, n_changed, n_changes, n_times;
    double change, agreed;
    size_t times; /* where its times begin */
};

struct measure {
    const struct sl_answers *answers;
    struct sl_quality_options options;
    size_t n_annotators;
    struct sl_annotator_quality *quality; /* owned until given away; n_annotators + 1 */
    struct tally *tallies;                /* owned; n_annotators + 1 */
    size_t *first;                        /* owned; by annotator: the answer to this item */
    uint32_t *votes;                      /* owned; of this item */
    uint32_t *voters;                     /* owned; annotator of each vote; SL_NO_NAME = unknown */
    size_t *voted_on;                     /* owned; by annotator: 1 + the item voted on last */
    size_t *class_votes;                  /* owned; n_classes; all zero between items */
    double *times;                        /* owned; by annotator */
    struct sl_item_index index;
    struct sl_agreement agreement;
    size_t n_with_truth, n_never_true, n_few_classes, n_left_out;
};

void sl_answer_top_two(const struct sl_answer *answer, size_t n_classes, uint32_t out[2])
{
    out[0] = out[1] = NO_CLASS;
    if (answer->kind == SL_ANSWER_MIX) {
        const bool a_first = answer->mix.lambda >= .5f;
        out[0] = a_first ? answer->mix.a : answer->mix.b;
        out[1] = a_first ? answer->mix.b : answer->mix.a;
    } else if (answer->kind == SL_ANSWER_DIST) {
        const float *p = answer->distribution;
        for (uint32_t k = 0; k < n_classes; k++) {
            if (out[0] == NO_CLASS || p[k] > p[out[0]]) {
                out[1] = out[0];
                out[0] = k;
            } else if (out[1] == NO_CLASS || p[k] > p[out[1]]) {
                out[1] = k;
            }
        }
    } else {
        for (size_t i = 0; i < 2 && i < answer->n_top; i++)
            out[i] = answer->top[i].class_index;
    }
}

static double top_probability(const struct sl_answer *answer, uint32_t top)
{
    switch (answer->kind) {
    case SL_ANSWER_SOFT: return (double)answer->top[0].probability;
    case SL_ANSWER_DIST: return (double)answer->distribution[top];
    case SL_ANSWER_MIX:
        return (double)(top == answer->mix.a ? answer->mix.lambda : 1 - answer->mix.lambda);
    case SL_ANSWER_HARD:
    case SL_ANSWER_SELECT: break;
    }
    return (double)NAN;
}

static void credit_answer(struct sl_annotator_quality *quality, struct tally *tally, unsigned slips,
                          int32_t truth, const uint32_t top[2])
{
    quality->n_answers++;
    for (unsigned i = 0; i < SL_SLIP_COUNT; i++)
        if (slips & 1u << i) quality->slips[i]++;
    if (truth < 0) return;
    const bool first = top[0] == (uint32_t)truth;
    quality->n_with_truth++;
    tally->right1 += first;
    tally->right2 += first || top[1] == (uint32_t)truth;
}

static void credit_repeat(struct sl_annotator_quality *quality, struct tally *tally, bool changed,
                          double change)
{
    quality->n_repeats++;
    tally->n_changed += changed;
    if (changed || isnan(change)) return;
    tally->n_changes++;
    tally->change += change;
}

static void compare_repeat(struct measure *m, size_t annotator, const struct sl_answer *repeat,
                           const uint32_t top[2])
{
    if (m->first[annotator] == NO_ANSWER) return;
    struct sl_answer first;
    uint32_t first_top[2];
    sl_answers_get(m->answers, m->first[annotator], &first);
    sl_answer_top_two(&first, m->answers->n_classes, first_top);
    const bool changed = top[0] != first_top[0];
    double change = (double)NAN;
    if (!changed) {
        double before = top_probability(&first, first_top[0]);
        change = 100 * fabs(top_probability(repeat, top[0]) - before);
    }
    credit_repeat(&m->quality[annotator], &m->tallies[annotator], changed, change);
    credit_repeat(&m->quality[m->n_annotators], &m->tallies[m->n_annotators], changed, change);
}

static void credit_check(struct sl_annotator_quality *quality, const struct sl_answer *answer,
                         const uint32_t top[2])
{
    if (answer->truth < 0) return;
    quality->n_checks++;
    quality->n_checks_right += top[0] == (uint32_t)answer->truth;
}

/* Count one answer; true if it is a vote for top[0]: not a check, a repeat or of a second run. */
static bool measure_answer(struct measure *m, size_t at, int32_t item_truth, uint32_t top[2])
{
    struct sl_answer answer;
    sl_answers_get(m->answers, at, &answer);
    sl_answer_top_two(&answer, m->answers->n_classes, top);
    const uint32_t annotator = m->answers->annotator[at];
    const bool known = annotator != SL_NO_NAME;
    if (answer.flags & SL_ANSWER_CHECK) {
        if (known) credit_check(&m->quality[annotator], &answer, top);
        credit_check(&m->quality[m->n_annotators], &answer, top);
        return false;
    }
    const unsigned slips = sl_answer_slips(&answer, m->answers->n_classes);
    const int32_t truth = m->options.truth ? item_truth : answer.truth;
    if (known) credit_answer(&m->quality[annotator], &m->tallies[annotator], slips, truth, top);
    credit_answer(&m->quality[m->n_annotators], &m->tallies[m->n_annotators], slips, truth, top);
    if (answer.flags & SL_ANSWER_SECOND_RUN) return false;
    if (answer.flags & SL_ANSWER_REPEAT) {
        if (known) compare_repeat(m, annotator, &answer, top);
        return false;
    }
    if (known && m->first[annotator] == NO_ANSWER) m->first[annotator] = at;
    return true;
}

/* The true class of an item: the caller's, or the first that its answers state. */
static int32_t item_truth(const struct measure *m, size_t item)
{
    if (m->options.truth) return m->options.truth[item];
    for (size_t i = m->index.begin[item]; i < m->index.begin[item + 1]; i++) {
        struct sl_answer answer;
        sl_answers_get(m->answers, m->index.order[i], &answer);
        if (!(answer.flags & SL_ANSWER_CHECK) && answer.truth >= 0) return answer.truth;
    }
    return -1;
}

/* Refuse answers that state two true classes of one item. */
static enum sl_status check_stated_truth(const struct measure *m, size_t item, struct sl_error *err)
{
    int32_t first = -1;
    size_t at_first = 0;
    for (size_t i = m->index.begin[item]; i < m->index.begin[item + 1]; i++) {
        struct sl_answer answer;
        const size_t at = m->index.order[i];
        sl_answers_get(m->answers, at, &answer);
        if (answer.flags & SL_ANSWER_CHECK || answer.truth < 0) continue;
        if (first >= 0 && first != answer.truth)
            return sl_fail(err, SL_ERR_INPUT,
                           "the truth of item %.60s is %.60s in answer %zu and %.60s in answer "
                           "%zu; keep one of them",
                           answer.item.text, m->answers->classes[first], at_first + 1,
                           m->answers->classes[answer.truth], at + 1);
        if (first < 0) at_first = at;
        first = answer.truth;
    }
    return SL_OK;
}

static bool left_out(const struct measure *m, size_t item)
{
    const size_t count = m->index.begin[item + 1] - m->index.begin[item];
    return m->options.most_answers > 0 && count > m->options.most_answers;
}

static void credit_agreement(struct measure *m, size_t slot, double share)
{
    m->quality[slot].n_compared++;
    m->tallies[slot].agreed += share;
}

/* Count, for each vote, how many of the others' votes on the item name the same class. Further
 * votes of a person are ignored, since agreeing with oneself is no agreement. */
static void compare_votes(struct measure *m, size_t item, size_t n_votes)
{
    size_t n_first = 0;
    for (size_t i = 0; i < n_votes; i++) {
        const uint32_t voter = m->voters[i];
        if (voter != SL_NO_NAME && m->voted_on[voter] == item + 1) continue;
        if (voter != SL_NO_NAME) m->voted_on[voter] = item + 1;
        m->votes[n_first] = m->votes[i];
        m->voters[n_first++] = voter;
    }
    for (size_t i = 0; i < n_first; i++)
        m->class_votes[m->votes[i]]++;
    for (size_t i = 0; i < n_first && n_first > 1; i++) {
        const double same = (double)m->class_votes[m->votes[i]] - 1;
        const double share = same / ((double)n_first - 1);
        if (m->voters[i] != SL_NO_NAME) credit_agreement(m, m->voters[i], share);
        credit_agreement(m, m->n_annotators, share);
    }
    for (size_t i = 0; i < n_first; i++)
        m->class_votes[m->votes[i]] = 0;
}

static bool names_at_most_two(const uint32_t *votes, size_t count)
{
    uint32_t other = votes[0];
    for (size_t i = 1; i < count; i++) {
        if (votes[i] == votes[0] || votes[i] == other) continue;
        if (other != votes[0]) return false;
        other = votes[i];
    }
    return true;
}

static void measure_item(struct measure *m, size_t item)
{
    const size_t *begin = m->index.order + m->index.begin[item];
    const size_t count = m->index.begin[item + 1] - m->index.begin[item];
    if (left_out(m, item)) {
        m->n_left_out += count;
        return;
    }
    const int32_t truth = item_truth(m, item);
    size_t n_votes = 0;
    bool voted = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t top[2];
        if (!measure_answer(m, begin[i], truth, top)) continue;
        m->voters[n_votes] = m->answers->annotator[begin[i]];
        m->votes[n_votes++] = top[0];
        voted = voted || (truth >= 0 && top[0] == (uint32_t)truth);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t annotator = m->answers->annotator[begin[i]];
        if (annotator != SL_NO_NAME) m->first[annotator] = NO_ANSWER;
    }
    sl_agreement_add(&m->agreement, m->votes, n_votes);
    compare_votes(m, item, n_votes);
    m->n_few_classes += n_votes > 0 && names_at_most_two(m->votes, n_votes);
    if (truth < 0 || n_votes == 0) return;
    m->n_with_truth++;
    m->n_never_true += !voted;
}

/* The time of an answer that counts, or NaN. */
static double time_of(const struct measure *m, size_t at)
{
    struct sl_answer answer;
    sl_answers_get(m->answers, at, &answer);
    if (answer.flags & SL_ANSWER_CHECK || left_out(m, m->answers->item[at])) return (double)NAN;
    return answer.ms;
}

/* Times in one array, annotator by annotator and unknown annotators last, so that the whole array
 * belongs to slot n_annotators. */
static void measure_times(struct measure *m)
{
    const struct sl_answers *answers = m->answers;
    struct tally *everybody = &m->tallies[m->n_annotators];
    size_t total = 0, unnamed = 0;
    for (size_t i = 0; i < answers->count; i++)
        if (!isnan(time_of(m, i)) && answers->annotator[i] != SL_NO_NAME)
            m->tallies[answers->annotator[i]].n_times++;
    for (size_t a = 0; a < m->n_annotators; a++) {
        m->tallies[a].times = total;
        total += m->tallies[a].n_times;
        m->tallies[a].n_times = 0;
    }
    for (size_t i = 0; i < answers->count; i++) {
        const double ms = time_of(m, i);
        if (isnan(ms)) continue;
        const uint32_t annotator = answers->annotator[i];
        struct tally *own = annotator == SL_NO_NAME ? NULL : &m->tallies[annotator];
        m->times[own ? own->times + own->n_times++ : total + unnamed++] = ms;
    }
    everybody->n_times = total + unnamed;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

static void settle(struct measure *m)
{
    for (size_t a = 0; a <= m->n_annotators; a++) {
        const struct tally *tally = &m->tallies[a];
        struct sl_annotator_quality *quality = &m->quality[a];
        quality->agreement =
            quality->n_compared ? tally->agreed / (double)quality->n_compared : (double)NAN;
        quality->top1 = share(tally->right1, quality->n_with_truth);
        quality->top2 = share(tally->right2, quality->n_with_truth);
        quality->changed_class = share(tally->n_changed, quality->n_repeats);
        quality->mean_change =
            tally->n_changes ? tally->change / (double)tally->n_changes : (double)NAN;
        quality->median_ms = sl_median(m->times + tally->times, tally->n_times);
        if (m->options.preset && a < m->n_annotators)
            quality->excluded = sl_exclusion_reason(m->options.preset, quality);
    }
}

static void give(struct measure *m, struct sl_quality *out)
{
    size_t n_judged = 0, n_accurate = 0;
    double accuracy = 0;
    for (size_t a = 0; a < m->n_annotators; a++) {
        if (m->quality[a].n_with_truth == 0) continue;
        n_judged++;
        n_accurate += m->quality[a].top1 >= accurate;
        accuracy += m->quality[a].top1;
    }
    *out = (struct sl_quality){
        .n_annotators = m->n_annotators,
        .annotators = m->quality,
        .overall = m->quality[m->n_annotators],
        .n_items = m->agreement.n_items,
        .answers_per_item = share(m->agreement.n_votes, m->agreement.n_items),
        .observed_agreement = sl_agreement_observed(&m->agreement),
        .krippendorff_alpha = sl_agreement_alpha(&m->agreement),
        .mean_accuracy = n_judged ? accuracy / (double)n_judged : (double)NAN,
        .share_accurate = share(n_accurate, n_judged),
        .share_never_true = share(m->n_never_true, m->n_with_truth),
        .share_two_classes = share(m->n_few_classes, m->agreement.n_items),
        .n_left_out = m->n_left_out,
    };
    m->quality = NULL;
}

static enum sl_status allocate(struct measure *m, struct sl_error *err)
{
    SL_TRY(sl_item_index_create(m->answers, &m->index, err));
    SL_TRY(sl_agreement_init(&m->agreement, m->answers->n_classes, err));
    m->quality = sl_data_alloc(m->n_annotators + 1, sizeof *m->quality, err);
    m->tallies = sl_data_alloc(m->n_annotators + 1, sizeof *m->tallies, err);
    m->first = sl_data_alloc(m->n_annotators, sizeof *m->first, err);
    m->votes = sl_data_alloc(m->answers->count, sizeof *m->votes, err);
    m->times = sl_data_alloc(m->answers->count, sizeof *m->times, err);
    m->voters = sl_data_alloc(m->answers->count, sizeof *m->voters, err);
    m->voted_on = sl_data_alloc(m->n_annotators, sizeof *m->voted_on, err);
    m->class_votes = sl_data_alloc(m->answers->n_classes, sizeof *m->class_votes, err);
    if (!m->quality || !m->tallies || !m->first || !m->votes || !m->times || !m->voters ||
        !m->voted_on || !m->class_votes)
        return SL_ERR_NOMEM;
    memset(m->voted_on, 0, m->n_annotators * sizeof *m->voted_on);
    memset(m->class_votes, 0, m->answers->n_classes * sizeof *m->class_votes);
    memset(m->quality, 0, (m->n_annotators + 1) * sizeof *m->quality);
    memset(m->tallies, 0, (m->n_annotators + 1) * sizeof *m->tallies);
    for (size_t a = 0; a < m->n_annotators; a++)
        m->first[a] = NO_ANSWER;
    return SL_OK;
}

static enum sl_status check_truth(const struct measure *m, struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(m->answers->items);
    for (size_t i = 0; m->options.truth && i < n_items; i++)
        if (m->options.truth[i] >= 0 && (size_t)m->options.truth[i] >= m->answers->n_classes)
            return sl_fail(err, SL_ERR_INPUT,
                           "item %s: true class %d does not exist, there are %zu",
                           sl_name_table_get(m->answers->items, (uint32_t)i, NULL),
                           (int)m->options.truth[i], m->answers->n_classes);
    return SL_OK;
}

enum sl_status sl_quality_measure(const struct sl_answers *answers,
                                  const struct sl_quality_options *options, struct sl_quality *out,
                                  struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct measure m = {.answers = answers,
                        .n_annotators = sl_name_table_count(answers->annotators)};
    if (options) m.options = *options;
    SL_TRY_OUT(check_truth(&m, err));
    SL_TRY_OUT(allocate(&m, err));
    for (size_t item = 0; item < sl_name_table_count(answers->items); item++) {
        if (!m.options.truth) SL_TRY_OUT(check_stated_truth(&m, item, err));
        measure_item(&m, item);
    }
    measure_times(&m);
    settle(&m);
    give(&m, out);
out:
    sl_item_index_release(&m.index);
    sl_agreement_release(&m.agreement);
    free(m.quality);
    free(m.tallies);
    free(m.first);
    free(m.votes);
    free(m.voters);
    free(m.voted_on);
    free(m.class_votes);
    free(m.times);
    return status;
}

void sl_quality_release(struct sl_quality *quality)
{
    free(quality->annotators);
    *quality = (struct sl_quality){0};
}
