#include "softlab/answer/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/quality/internal.h"
#include "softlab/base/memory.h"

void sl_votes_figures_release(struct sl_votes_figures *figures)
{
    free(figures->values);
    *figures = (struct sl_votes_figures){0};
}

static enum sl_status figures_alloc(struct sl_votes_figures *figures, size_t count,
                                    struct sl_error *err)
{
    *figures = (struct sl_votes_figures){.count = count};
    figures->values = sl_data_alloc(count, sizeof *figures->values, err);
    return figures->values ? SL_OK : SL_ERR_NOMEM;
}

static void find_mean(struct sl_votes_figures *figures)
{
    double sum = 0;
    size_t n_known = 0;
    for (size_t i = 0; i < figures->count; i++) {
        if (isnan(figures->values[i])) continue;
        sum += figures->values[i];
        n_known++;
    }
    figures->mean = n_known > 0 ? sum / (double)n_known : (double)NAN;
}

/* ---- Checks ---- */

static enum sl_status check_votes(const struct sl_votes *votes, bool needs_annotators,
                                  struct sl_error *err)
{
    for (size_t i = 0; i < votes->count; i++) {
        if (votes->label[i] >= votes->n_classes)
            return sl_fail(err, SL_ERR_INPUT,
                           "answer %zu: class %u does not exist, expected a "
                           "class below %zu",
                           i, votes->label[i], votes->n_classes);
        if (needs_annotators && votes->annotator[i] >= votes->n_annotators)
            return sl_fail(err, SL_ERR_INPUT, "answer %zu has no annotator", i);
    }
    return SL_OK;
}

static enum sl_status check_skill(const struct sl_votes *votes, const double *skill,
                                  struct sl_error *err)
{
    for (size_t a = 0; skill && a < votes->n_annotators; a++)
        if (!(skill[a] >= 0 && skill[a] <= 1))
            return sl_fail(err, SL_ERR_INPUT, "skill %g of annotator %zu is not from 0 to 1",
                           skill[a], a);
    return SL_OK;
}

static enum sl_status check_chosen(const struct sl_votes *votes, const uint32_t *chosen, bool all,
                                   struct sl_error *err)
{
    for (size_t i = 0; i < votes->n_items; i++)
        if (chosen[i] >= votes->n_classes && (all || chosen[i] != SL_NO_NAME))
            return sl_fail(err, SL_ERR_INPUT,
                           "item %zu: class %u does not exist, expected a class below %zu", i,
                           chosen[i], votes->n_classes);
    return SL_OK;
}

/* ---- Agreement ---- */

enum sl_status sl_votes_alpha(const struct sl_votes *votes, double *out, struct sl_error *err)
{
    struct sl_agreement agreement;
    size_t most = 0;
    SL_TRY(check_votes(votes, false, err));
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t count = votes->begin[i + 1] - votes->begin[i];
        if (count > most) most = count;
    }
    uint32_t *said = sl_data_alloc(most, sizeof *said, err);
    if (!said) return SL_ERR_NOMEM;
    enum sl_status status = sl_agreement_init(&agreement, votes->n_classes, err);
    for (size_t i = 0; status == SL_OK && i < votes->n_items; i++) {
        const size_t begin = votes->begin[i], count = votes->begin[i + 1] - begin;
        for (size_t v = 0; v < count; v++)
            said[v] = votes->label[begin + v];
        sl_agreement_add(&agreement, said, count);
    }
    if (status == SL_OK) {
        *out = sl_agreement_alpha(&agreement);
        sl_agreement_release(&agreement);
    }
    free(said);
    return status;
}

/* ---- Uncertainty ---- */

/* Sums of many answers: what each class got beyond the share that a mistake gives it, the sum of
 * those shares, and the number of answers. */
struct likely {
    double *excess; /* K */
    double others;
    size_t count;
};

static void add_answers(struct likely *likely, size_t n_classes, size_t said, double skill,
                        size_t count)
{
    const double other = n_classes > 1 ? (1 - skill) / (double)(n_classes - 1) : 0;
    likely->excess[said] += (double)count * (skill - other);
    likely->others += (double)count * other;
    likely->count += count;
}

static double entropy_of(const struct likely *likely, size_t n_classes)
{
    double total = 0, entropy = 0;
    if (likely->count == 0) return (double)NAN;
    for (size_t k = 0; k < n_classes; k++)
        total += likely->excess[k] + likely->others;
    for (size_t k = 0; k < n_classes; k++) {
        const double p = (likely->excess[k] + likely->others) / total;
        if (p > 0) entropy -= p * log(p);
    }
    return entropy > 0 ? entropy : 0;
}

static void measure_items(const struct sl_votes *votes, const double *skill, double *excess,
                          double *out)
{
    for (size_t i = 0; i < votes->n_items; i++) {
        struct likely likely = {.excess = excess};
        memset(excess, 0, votes->n_classes * sizeof *excess);
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++)
            add_answers(&likely, votes->n_classes, votes->label[v],
                        skill ? skill[votes->annotator[v]] : 1, 1);
        out[i] = entropy_of(&likely, votes->n_classes);
    }
}

/* Answers of one annotator have one skill, so counts of the classes are enough. */
static void measure_annotators(const struct sl_votes *votes, const double *skill,
                               const size_t *counts, double *excess, double *out)
{
    const size_t n_classes = votes->n_classes;
    for (size_t a = 0; a < votes->n_annotators; a++) {
        struct likely likely = {.excess = excess};
        memset(excess, 0, n_classes * sizeof *excess);
        for (size_t k = 0; k < n_classes; k++)
            add_answers(&likely, n_classes, k, skill ? skill[a] : 1, counts[a * n_classes + k]);
        out[a] = entropy_of(&likely, n_classes);
    }
}

enum sl_status sl_votes_uncertainty(const struct sl_votes *votes, const double *skill,
                                    enum sl_votes_of of, struct sl_votes_figures *out,
                                    struct sl_error *err)
{
    const bool items = of == SL_OF_ITEMS;
    const size_t n_classes = votes->n_classes, n_annotators = votes->n_annotators;
    struct sl_votes_figures figures = {0};
    size_t *counts = NULL;
    enum sl_status status = SL_OK;
    double *excess = sl_data_alloc(n_classes, sizeof *excess, err);
    if (!excess) SL_TRY_OUT(SL_ERR_NOMEM);
    SL_TRY_OUT(check_votes(votes, skill || !items, err));
    SL_TRY_OUT(check_skill(votes, skill, err));
    SL_TRY_OUT(figures_alloc(&figures, items ? votes->n_items : n_annotators, err));
    if (items) {
        measure_items(votes, skill, excess, figures.values);
    } else {
        counts = sl_data_zeroed(n_annotators, n_classes * sizeof *counts, err);
        if (!counts) SL_TRY_OUT(SL_ERR_NOMEM);
        for (size_t v = 0; v < votes->count; v++)
            counts[votes->annotator[v] * n_classes + votes->label[v]]++;
        measure_annotators(votes, skill, counts, excess, figures.values);
    }
    find_mean(&figures);
    *out = figures;
    figures.values = NULL;
out:
    sl_votes_figures_release(&figures);
    free(counts);
    free(excess);
    return status;
}

/* ---- Consistency ---- */

/* The probability of `chosen` from log scores of all classes. */
static double probability_of(const double *scores, size_t n_classes, size_t chosen)
{
    double largest = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        largest = fmax(largest, scores[k]);
    if (largest == -HUGE_VAL) return 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += exp(scores[k] - largest);
    return exp(scores[chosen] - largest) / sum;
}

/* Log scores of an item's classes: every answer adds log(skill) to its class and the logarithm of a
 * mistake's share to all others. */
static void score_item(const struct sl_votes *votes, const double *skill, size_t item,
                       double *scores)
{
    const size_t n_classes = votes->n_classes;
    memset(scores, 0, n_classes * sizeof *scores);
    for (size_t v = votes->begin[item]; v < votes->begin[item + 1]; v++) {
        const double right = skill ? skill[votes->annotator[v]] : 1;
        const double wrong = n_classes > 1 ? log((1 - right) / (double)(n_classes - 1)) : 0;
        for (size_t k = 0; k < n_classes; k++)
            scores[k] += k == votes->label[v] ? log(right) : wrong;
    }
}

enum sl_status sl_votes_consistency(const struct sl_votes *votes, const double *skill,
                                    const uint32_t *chosen, struct sl_votes_figures *out,
                                    struct sl_error *err)
{
    struct sl_votes_figures figures = {0};
    SL_TRY(check_votes(votes, skill, err));
    SL_TRY(check_skill(votes, skill, err));
    SL_TRY(check_chosen(votes, chosen, true, err));
    double *scores = sl_data_alloc(votes->n_classes, sizeof *scores, err);
    enum sl_status status = scores ? figures_alloc(&figures, votes->n_items, err) : SL_ERR_NOMEM;
    for (size_t i = 0; status == SL_OK && i < votes->n_items; i++) {
        score_item(votes, skill, i, scores);
        figures.values[i] = votes->begin[i] < votes->begin[i + 1]
                                ? probability_of(scores, votes->n_classes, chosen[i])
                                : (double)NAN;
    }
    free(scores);
    if (status != SL_OK) return status;
    find_mean(&figures);
    *out = figures;
    return SL_OK;
}

/* ---- Accuracy ---- */

enum sl_status sl_votes_accuracy(const struct sl_votes *votes, const uint32_t *chosen,
                                 enum sl_votes_of of, struct sl_votes_figures *out, double *all,
                                 struct sl_error *err)
{
    const bool items = of == SL_OF_ITEMS;
    const size_t count = items ? votes->n_items : votes->n_annotators;
    struct sl_votes_figures figures = {0};
    SL_TRY(check_votes(votes, !items, err));
    SL_TRY(check_chosen(votes, chosen, false, err));
    size_t *counts = sl_data_zeroed(count, 2 * sizeof *counts, err); /* answers, and right ones */
    enum sl_status status = counts ? figures_alloc(&figures, count, err) : SL_ERR_NOMEM;
    size_t n_all = 0, n_right = 0;
    for (size_t i = 0; status == SL_OK && i < votes->n_items; i++)
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1] && chosen[i] != SL_NO_NAME; v++) {
            size_t *own = counts + 2 * (items ? i : (size_t)votes->annotator[v]);
            const bool right = votes->label[v] == chosen[i];
            own[0]++;
            own[1] += right;
            n_all++;
            n_right += right;
        }
    for (size_t i = 0; status == SL_OK && i < count; i++)
        figures.values[i] =
            counts[2 * i] > 0 ? (double)counts[2 * i + 1] / (double)counts[2 * i] : (double)NAN;
    free(counts);
    if (status != SL_OK) return status;
    find_mean(&figures);
    *out = figures;
    if (all) *all = n_all > 0 ? (double)n_right / (double)n_all : (double)NAN;
    return SL_OK;
}
