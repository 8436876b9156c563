/* Accuracy of every aggregator on public sets, beside what was published or computed with other
 * programs. Methods that need gold get the truth of every tenth item and are judged by the others.
 * A second table has what dirichlet gets wrong more often than methods that estimate classes.
 *
 *     bench_crowd <folder of the data sets> */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd_sets.h"
#include "label_scores.h"
#include "softlab/base.h"

enum { GOLD_ONE_IN = 10 };

static bool runs_on(const struct sl_aggregator *method, const struct sl_votes *votes)
{
    if (!method->run || (method->needs & SL_CROWD_PREDICTIONS)) return false;
    if ((method->needs & SL_CROWD_ANNOTATORS) && votes->n_annotators == 0) return false;
    return !(method->needs & SL_CROWD_BINARY) || votes->n_classes == 2;
}

static enum sl_status run_method(const struct sl_aggregator *method, const struct sl_votes *votes,
                                 const int32_t *truth, struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    int32_t *gold = sl_alloc(votes->n_items, sizeof *gold);
    int32_t *rest = sl_alloc(votes->n_items, sizeof *rest);
    const bool needs = method->needs & SL_CROWD_GOLD;
    for (size_t i = 0; i < votes->n_items; i++) {
        gold[i] = i % GOLD_ONE_IN ? -1 : truth[i];
        rest[i] = needs && gold[i] >= 0 ? -1 : truth[i];
    }
    if (needs) options.gold = gold;
    enum sl_status status = sl_aggregate(method, votes, &options, &state, err);
    if (status == SL_OK) printf(" %10.4f", crowd_accuracy(&state, rest));
    sl_crowd_state_release(&state);
    free(gold);
    free(rest);
    return status;
}

static void print_known(const char *name, double value)
{
    if (value > 0) printf("  %s %.4f", name, value);
}

static enum sl_status run_set(const struct crowd_set *set, const char *folder, struct sl_error *err)
{
    struct sl_votes votes;
    int32_t *truth = NULL;
    SL_TRY(crowd_set_load(set, folder, &votes, &truth, err));
    enum sl_status status = SL_OK;
    double begin = sl_clock_seconds();
    printf("%-15s %3zu %6zu %5zu %7zu", set->name, votes.n_classes, votes.n_items,
           votes.n_annotators, votes.count);
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++) {
        if (runs_on(method, &votes))
            SL_TRY_OUT(run_method(method, &votes, truth, err));
        else if (method->run)
            printf(" %10s", "-");
    }
    printf(" %7.2f ", sl_clock_seconds() - begin);
    print_known("mv", set->mv);
    print_known("mv, first of ties", set->mv_first);
    print_known("ds", set->ds);
    print_known("ibcc", set->ibcc);
    printf("\n");
out:
    crowd_set_release(&votes, truth);
    return status;
}

/* ---- dirichlet beside methods that estimate classes ---- */

static const char *const rivals[] = {"mv", "ds", "ibcc"};
enum { N_RIVALS = sizeof rivals / sizeof *rivals };

/* The share of error of every item with a known truth, into n_items places. Returns their number.
 */
static enum sl_status find_errors(const char *method, const struct sl_votes *votes,
                                  const int32_t *truth, double *out, size_t *count,
                                  struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    options.risks = false;
    SL_TRY(sl_aggregate(sl_aggregator_find(method), votes, &options, &state, err));
    *count = 0;
    for (size_t i = 0; i < votes->n_items; i++)
        if (truth[i] >= 0) out[(*count)++] = 1 - crowd_item_right(&state, i, truth[i]);
    sl_crowd_state_release(&state);
    return SL_OK;
}

static enum sl_status compare_set(const struct crowd_set *set, const char *folder,
                                  struct sl_error *err)
{
    struct sl_votes votes;
    int32_t *truth = NULL;
    size_t count = 0;
    enum sl_status status = SL_OK;
    SL_TRY(crowd_set_load(set, folder, &votes, &truth, err));
    double *own = sl_alloc(votes.n_items, sizeof *own),
           *other = sl_alloc(votes.n_items, sizeof *other);
    SL_TRY_OUT(find_errors("dirichlet", &votes, truth, own, &count, err));
    printf("%-15s %7.4f", set->name, sl_mean(own, count));
    for (size_t i = 0; i < N_RIVALS; i++) {
        struct sl_interval gap;
        if (!runs_on(sl_aggregator_find(rivals[i]), &votes)) continue;
        SL_TRY_OUT(find_errors(rivals[i], &votes, truth, other, &count, err));
        SL_TRY_OUT(label_gap(own, other, count, &gap, err));
        printf("  %+.4f %+.4f .. %+.4f %-5s", gap.estimate, gap.low, gap.high, label_verdict(gap));
    }
    printf("\n");
out:
    free(own);
    free(other);
    crowd_set_release(&votes, truth);
    return status;
}

static enum sl_status compare_all(const char *folder, struct sl_error *err)
{
    printf("\nShare of wrong classes: dirichlet, and dirichlet - method with the 95 %% interval of "
           "the "
           "paired bootstrap over items\n%-15s %7s",
           "set", "errors");
    for (size_t i = 0; i < N_RIVALS; i++)
        printf("  %-32s", rivals[i]);
    printf("\n");
    for (const struct crowd_set *set = crowd_sets; set->name; set++)
        SL_TRY(compare_set(set, folder, err));
    return SL_OK;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_crowd <folder of the data sets>\n");
        return 2;
    }
    printf("%-15s %3s %6s %5s %7s", "set", "K", "items", "annot", "answers");
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++)
        if (method->run) printf(" %10s", method->name);
    printf(" %7s   published\n", "seconds");
    enum sl_status status = SL_OK;
    for (const struct crowd_set *set = crowd_sets; set->name && status == SL_OK; set++)
        status = run_set(set, argv[1], &err);
    if (status == SL_OK) status = compare_all(argv[1], &err);
    if (status != SL_OK) fprintf(stderr, "bench_crowd: %s\n", err.message);
    return status == SL_OK ? 0 : 1;
}
