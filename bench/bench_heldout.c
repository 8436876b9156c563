/* How well labels of some people's answers predict the answers of others, dirichlet beside every
 * other method.
 *
 *     bench_heldout <folder of the data sets> [set]
 *
 * Half of every item's answers are held out, at random (stream "bench.heldout"); labels are made
 * from n answers per item of the other half. Scores, smaller is better: cross-entropy (CE) to the
 * held-out shares, and squared distance (L2) less what the sampling of the held-out answers adds.
 * The divergence (JS) is shown and not judged by: it favours labels with zeros. Scores of an item
 * are means over the replays. Gaps are dirichlet - method, with the 95 % interval of the paired
 * bootstrap over items.
 *
 * The sets to judge by were named before any of them was run: LabelMe and those of truth_inference;
 * sentiment, the sets of MACE and pos come with them. The levels of dirichlet were chosen on
 * CIFAR-10H, so its rows show a method at home.
 *
 * ds, ibcc and others estimate the class of an item, not how people answer. "ds, answers" turns
 * their posterior into what the crowd's confusions say that people answer. "dirichlet, unnamed"
 * does not know who answered, so that it trusts everybody: held-out answers are also those of
 * annotators whom dirichlet does not trust. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd_sets.h"
#include "label_scores.h"
#include "softlab/base.h"

enum { N_REPLAYS = 3, ALL = 1000000, MOST_SIZES = 4 };

static const double score_floor = 1e-3;

/* Sets with other sizes than all answers of the half, and those that the levels were chosen on. */
static const struct {
    const char *name;
    size_t per_item[MOST_SIZES]; /* ends with 0 or the room */
    bool chosen_here;
} special[] = {
    {"cifar10h", {3, 5, 10, ALL}, true},
    {"cifar10h counts", {3, 5, 10, ALL}, true},
    {"bluebird", {3, 5, 10, ALL}, false},
    {NULL, {ALL}, false}, /* every other set */
};

/* ---- Methods ---- */

/* A method that makes labels: an aggregator, or shares of the votes with `added` answers spread
 * over the classes. */
struct contender {
    const char *name;
    const struct sl_aggregator *method;
    bool as_answers, unnamed;
    double added;
};
enum { MOST_CONTENDERS = 40 };
enum { MOST_PAIRED = 1000 }; /* mmsr takes minutes for every pair of 2,571 annotators */

static size_t list_contenders(struct contender *out)
{
    const struct sl_aggregator *own = sl_aggregator_find("dirichlet");
    const struct contender first[] = {
        {.name = "dirichlet", .method = own}, /* the others are compared with it */
        {.name = "dirichlet, unnamed", .method = own, .unnamed = true},
        {.name = "shares"},
        {.name = "shares of 1 more", .added = 1},
        {.name = "ds, answers", .method = sl_aggregator_find("ds"), .as_answers = true},
        {.name = "ibcc, answers", .method = sl_aggregator_find("ibcc"), .as_answers = true},
    };
    size_t count = sizeof first / sizeof *first;
    memcpy(out, first, sizeof first);
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (method->run && !(method->needs & (SL_CROWD_GOLD | SL_CROWD_PREDICTIONS)) &&
            method != own)
            out[count++] = (struct contender){.name = method->name, .method = method};
    return count;
}

static bool runs_on(const struct contender *contender, const struct sl_votes *votes)
{
    if (!contender->method) return true;
    if ((contender->method->needs & SL_CROWD_ANNOTATORS) && votes->n_annotators == 0) return false;
    if (votes->n_annotators > MOST_PAIRED && strcmp(contender->name, "mmsr") == 0) return false;
    return !(contender->method->needs & SL_CROWD_BINARY) || votes->n_classes == 2;
}

static void fill_shares(const struct sl_votes *votes, double added, float *out)
{
    const size_t k = votes->n_classes;
    for (size_t i = 0; i < votes->n_items; i++) {
        const size_t begin = votes->begin[i], end = votes->begin[i + 1];
        const double total = (double)(end - begin) + added;
        for (size_t c = 0; c < k; c++)
            out[i * k + c] = (float)(added / (double)k / total);
        for (size_t v = begin; v < end; v++)
            out[i * k + votes->label[v]] += (float)(1 / total);
    }
}

/* What people answer to an item of each class, over all answers: (K, K). */
static void mean_confusion(const struct sl_votes *votes, const struct sl_crowd_state *state,
                           double *out)
{
    const size_t k = votes->n_classes;
    memset(out, 0, k * k * sizeof *out);
    for (size_t v = 0; v < votes->count; v++)
        for (size_t cell = 0; cell < k * k; cell++)
            out[cell] +=
                (double)state->confusion[votes->annotator[v] * k * k + cell] / (double)votes->count;
}

static void fill_answers(const struct sl_votes *votes, const struct sl_crowd_state *state,
                         float *out)
{
    const size_t k = votes->n_classes;
    double *confusion = sl_alloc(k * k, sizeof *confusion);
    mean_confusion(votes, state, confusion);
    for (size_t i = 0; i < votes->n_items; i++)
        for (size_t c = 0; c < k; c++) {
            double sum = 0;
            for (size_t z = 0; z < k; z++)
                sum += (double)state->posterior[i * k + z] * confusion[z * k + c];
            out[i * k + c] = (float)sum;
        }
    free(confusion);
}

/* Votes of which nobody knows whose they are. `annotator` is owned by the caller. */
static struct sl_votes without_names(const struct sl_votes *votes, uint32_t **annotator)
{
    struct sl_votes unnamed = *votes;
    *annotator = sl_alloc(votes->count, sizeof **annotator);
    for (size_t v = 0; v < votes->count; v++)
        (*annotator)[v] = SL_NO_NAME;
    unnamed.annotator = *annotator;
    unnamed.n_annotators = 0;
    return unnamed;
}

static enum sl_status fill_labels(const struct contender *contender, const struct sl_votes *votes,
                                  float *out, struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    if (!contender->method) {
        fill_shares(votes, contender->added, out);
        return SL_OK;
    }
    options.risks = false;
    uint32_t *nobody = NULL;
    const struct sl_votes used = contender->unnamed ? without_names(votes, &nobody) : *votes;
    const enum sl_status status = sl_aggregate(contender->method, &used, &options, &state, err);
    free(nobody);
    if (status != SL_OK) return status;
    if (contender->as_answers)
        fill_answers(votes, &state, out);
    else
        memcpy(out, state.posterior, votes->n_items * votes->n_classes * sizeof *out);
    sl_crowd_state_release(&state);
    return SL_OK;
}

/* ---- Splits ---- */

/* Some answers, and the shares of those that are held out. */
struct split {
    struct sl_votes votes;
    size_t *begin;
    uint32_t *annotator;
    uint16_t *label;
    float *reference; /* (n_items, K) */
    double *n_held;   /* n_items */
};

static void split_release(struct split *split)
{
    free(split->begin);
    free(split->annotator);
    free(split->label);
    free(split->reference);
    free(split->n_held);
}

static void split_make(const struct sl_votes *all, size_t per_item, uint64_t replay,
                       struct split *out)
{
    const size_t k = all->n_classes;
    size_t *order = sl_alloc(all->count, sizeof *order), count = 0;
    *out = (struct split){.begin = sl_alloc(all->n_items + 1, sizeof *out->begin),
                          .annotator = sl_alloc(all->count, sizeof *out->annotator),
                          .label = sl_alloc(all->count, sizeof *out->label),
                          .reference = sl_alloc(all->n_items * k, sizeof *out->reference),
                          .n_held = sl_alloc(all->n_items, sizeof *out->n_held)};
    for (size_t i = 0; i < all->n_items; i++) {
        const size_t first = all->begin[i], n = all->begin[i + 1] - first, held = n / 2;
        const size_t kept = n - held < per_item ? n - held : per_item;
        struct sl_rng rng;
        sl_rng_init(&rng, replay, "bench.heldout", 0, i);
        sl_rng_permutation(&rng, order, n);
        for (size_t j = 0; j < held; j++)
            out->reference[i * k + all->label[first + order[j]]] += 1 / (float)held;
        for (size_t j = held; j < held + kept; j++, count++) {
            out->annotator[count] = all->annotator[first + order[j]];
            out->label[count] = all->label[first + order[j]];
        }
        out->n_held[i] = (double)held;
        out->begin[i + 1] = count;
    }
    out->votes = *all;
    out->votes.count = count;
    out->votes.begin = out->begin;
    out->votes.annotator = out->annotator;
    out->votes.label = out->label;
    free(order);
}

/* ---- Scores ---- */

enum { CROSS_ENTROPY, DISTANCE, DIVERGENCE, N_SCORES };

/* The scores of a method: (N_SCORES, n_items), NaN where an item has too few held-out answers. */
static enum sl_status score(const struct contender *contender, const struct sl_votes *all,
                            size_t per_item, double *out, struct sl_error *err)
{
    const size_t n = all->n_items, k = all->n_classes;
    float *labels = sl_alloc(n * k, sizeof *labels);
    enum sl_status status = SL_OK;
    memset(out, 0, N_SCORES * n * sizeof *out);
    for (uint64_t replay = 0; replay < N_REPLAYS && status == SL_OK; replay++) {
        struct split split;
        split_make(all, per_item, replay, &split);
        status = fill_labels(contender, &split.votes, labels, err);
        for (size_t i = 0; i < n && status == SL_OK; i++) {
            const float *held = split.reference + i * k, *label = labels + i * k;
            const double least = (double)NAN, n_held = split.n_held[i];
            const double ce = label_cross_entropy(held, label, k, score_floor);
            const double l2 = label_distance(held, label, k, n_held);
            const double js = label_divergence(held, label, k);
            out[CROSS_ENTROPY * n + i] += n_held < 1 ? least : ce / N_REPLAYS;
            out[DISTANCE * n + i] += n_held < 2 ? least : l2 / N_REPLAYS;
            out[DIVERGENCE * n + i] += n_held < 1 ? least : js / N_REPLAYS;
        }
        split_release(&split);
    }
    free(labels);
    return status;
}

static double mean_score(const double *values, size_t count)
{
    double sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            kept++;
        }
    return kept ? sum / (double)kept : (double)NAN;
}

static void print_gap(struct sl_interval gap)
{
    if (isnan(gap.estimate))
        printf("  %28s %-5s", "", "");
    else
        printf("  %+.4f %+.4f .. %+.4f %-5s", gap.estimate, gap.low, gap.high, label_verdict(gap));
}

static enum sl_status compare(const struct sl_votes *all, size_t per_item, struct sl_error *err)
{
    struct contender contenders[MOST_CONTENDERS];
    const size_t n = all->n_items, count = list_contenders(contenders);
    double *first = sl_alloc(N_SCORES * n, sizeof *first),
           *own = sl_alloc(N_SCORES * n, sizeof *own);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(score(&contenders[0], all, per_item, first, err));
    for (size_t c = 0; c < count; c++) {
        if (!runs_on(&contenders[c], all)) continue;
        SL_TRY_OUT(score(&contenders[c], all, per_item, own, err));
        if (per_item == ALL)
            printf("all  ");
        else
            printf("%-4zu ", per_item);
        printf("%-18s %7.4f %8.5f %7.4f", contenders[c].name, mean_score(own, n),
               mean_score(own + DISTANCE * n, n), mean_score(own + DIVERGENCE * n, n));
        for (size_t s = CROSS_ENTROPY; s <= DISTANCE && c > 0; s++) {
            struct sl_interval gap;
            SL_TRY_OUT(label_gap(first + s * n, own + s * n, n, &gap, err));
            print_gap(gap);
        }
        printf("\n");
        fflush(stdout);
    }
out:
    free(first);
    free(own);
    return status;
}

static enum sl_status run_set(const struct crowd_set *set, const char *folder, struct sl_error *err)
{
    struct sl_votes votes;
    int32_t *truth = NULL;
    size_t row = 0;
    while (special[row].name && strcmp(special[row].name, set->name) != 0)
        row++;
    SL_TRY(crowd_set_load(set, folder, &votes, &truth, err));
    printf("\n%s: %zu items, %zu answers, %zu annotators, %zu classes; %s\n", set->name,
           votes.n_items, votes.count, votes.n_annotators, votes.n_classes,
           special[row].chosen_here ? "levels were chosen on this set" : "a set to judge by");
    printf("n    %-18s %7s %8s %7s  %-34s  %s\n", "method", "CE", "L2", "JS",
           "CE: dirichlet - method, 95 %", "L2: dirichlet - method, 95 %");
    enum sl_status status = SL_OK;
    for (size_t s = 0; s < MOST_SIZES && special[row].per_item[s] && status == SL_OK; s++)
        status = compare(&votes, special[row].per_item[s], err);
    crowd_set_release(&votes, truth);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: bench_heldout <folder of the data sets> [set]\n");
        return 2;
    }
    printf("Half of the answers held out, %d replays, floor %g; smaller scores are better\n",
           N_REPLAYS, score_floor);
    for (const struct crowd_set *set = crowd_sets; set->name; set++) {
        if (argc > 2 && strcmp(argv[2], set->name) != 0) continue;
        if (run_set(set, argv[1], &err) != SL_OK) {
            fprintf(stderr, "bench_heldout: %s: %s\n", set->name, err.message);
            return 1;
        }
    }
    return 0;
}
