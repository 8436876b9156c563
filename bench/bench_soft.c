/* Which way of joining several annotators' distributions comes nearest to CIFAR-10H, from 1 to 6
 * annotators per image of CIFAR-10S: mean cross-entropy to CIFAR-10H and, by the bootstrap
 * paired over images, its difference from that of the plain mean and dirichlet-soft's from it, with
 * 95 % intervals.
 *
 *     bench_soft <folder of the data sets> [floor [development]]
 *
 * Every label is mixed with `floor` (.001) of the uniform distribution before it is scored, the
 * same for all methods. Methods marked "reference" learn from CIFAR-10H on nine tenths of the
 * images and are scored on the tenth; all others see nothing but the drawn answers. The models
 * and their constants were chosen on the images whose number ends in 0, 1 or 2 (development);
 * the table is of the other images. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label_scores.h"
#include "soft_study.h"
#include "softlab/base.h"

enum { MOST_DRAWN = 6, N_SEEDS = 5, N_FOLDS = 10 };

struct contest {
    struct soft_study study;
    double floor;
    bool development;
    size_t *fold;  /* owned; n_items */
    size_t *order; /* owned; n_scored items */
    size_t n_scored;
};

/* A way to fill `out` (n_items, K). `reference` may be NULL. */
struct contender {
    const char *name;
    const char *aggregator; /* NULL: the mean of the answers */
    bool calibrated;
    bool learns_reference;
    double shrinkage; /* 0 = default */
};

#define JUDGED "dirichlet-soft" /* every other method is compared with it */

static const struct contender contenders[] = {
    {.name = "mean"},
    {.name = "ds on votes", .aggregator = "ds"},
    {.name = "pool-linear, equal weights", .aggregator = "pool-linear", .shrinkage = 1e12},
    {.name = "pool-linear", .aggregator = "pool-linear"},
    {.name = "pool-log", .aggregator = "pool-log"},
    {.name = "ds-soft", .aggregator = "ds-soft"},
    {.name = "dirichlet on votes", .aggregator = "dirichlet"},
    {.name = JUDGED, .aggregator = JUDGED},
    {.name = "calibrated mean", .calibrated = true},
    {.name = "calibrated pool-linear", .aggregator = "pool-linear", .calibrated = true},
    {.name = "calibrated pool-log", .aggregator = "pool-log", .calibrated = true},
    {.name = "calibrated ds-soft", .aggregator = "ds-soft", .calibrated = true},
    {.name = "reference: calibrated mean", .calibrated = true, .learns_reference = true},
    {.name = "reference: pool-linear", .aggregator = "pool-linear", .learns_reference = true},
    {.name = "reference: pool-log", .aggregator = "pool-log", .learns_reference = true},
    {.name = "reference: ds-soft", .aggregator = "ds-soft", .learns_reference = true},
    {.name = "reference: cal. pool-linear",
     .aggregator = "pool-linear",
     .calibrated = true,
     .learns_reference = true},
    {.name = "reference: cal. pool-log",
     .aggregator = "pool-log",
     .calibrated = true,
     .learns_reference = true},
};
enum { N_CONTENDERS = sizeof contenders / sizeof *contenders };

static void fill_mean(const struct sl_soft_votes *votes, const float *rows, float *out)
{
    for (size_t i = 0; i < votes->n_items; i++)
        for (size_t k = 0; k < SOFT_CLASSES; k++) {
            double sum = 0;
            for (size_t j = votes->begin[i]; j < votes->begin[i + 1]; j++)
                sum += (double)rows[j * SOFT_CLASSES + k];
            out[i * SOFT_CLASSES + k] =
                (float)(sum / (double)(votes->begin[i + 1] - votes->begin[i]));
        }
}

static enum sl_status fill_calibrated_mean(const struct sl_soft_votes *votes,
                                           const float *reference, float *out, struct sl_error *err)
{
    struct sl_calibration calibration = {0};
    float *rows = sl_alloc(votes->count * SOFT_CLASSES, sizeof *rows);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_calibration_fit(votes, reference, NULL, &calibration, err));
    SL_TRY_OUT(sl_calibration_apply(&calibration, votes, NULL, rows, err));
    fill_mean(votes, rows, out);
out:
    sl_calibration_release(&calibration);
    free(rows);
    return status;
}

/* The most probable class of every answer, the first of several. */
static void take_votes(const struct soft_draw *draw, struct sl_votes *out)
{
    *out = (struct sl_votes){.n_items = draw->votes.n_items,
                             .n_annotators = draw->votes.n_annotators,
                             .n_classes = SOFT_CLASSES,
                             .count = draw->votes.count,
                             .begin = draw->begin,
                             .annotator = draw->annotator,
                             .label = sl_alloc(draw->votes.count, sizeof(uint16_t))};
    for (size_t j = 0; j < out->count; j++) {
        const float *row = draw->rows + j * SOFT_CLASSES;
        for (size_t k = 1; k < SOFT_CLASSES; k++)
            if (row[k] > row[out->label[j]]) out->label[j] = (uint16_t)k;
    }
}

static enum sl_status fill_labels(const struct contender *contender, const struct soft_draw *draw,
                                  const float *reference, float *out, struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    options.calibrate = contender->calibrated;
    options.reference = reference;
    if (contender->shrinkage > 0) options.shrinkage = contender->shrinkage;
    if (!contender->aggregator && contender->calibrated)
        return fill_calibrated_mean(&draw->votes, reference, out, err);
    if (!contender->aggregator) {
        fill_mean(&draw->votes, draw->rows, out);
        return SL_OK;
    }
    const struct sl_aggregator *method = sl_aggregator_find(contender->aggregator);
    if (method->run_soft) {
        SL_TRY(sl_aggregate_soft(method, &draw->votes, &options, &state, err));
    } else {
        struct sl_votes votes;
        take_votes(draw, &votes);
        enum sl_status status = sl_aggregate(method, &votes, &options, &state, err);
        free(votes.label);
        if (status != SL_OK) return status;
    }
    memcpy(out, state.posterior, state.n_items * SOFT_CLASSES * sizeof *out);
    sl_crowd_state_release(&state);
    return SL_OK;
}

/* Labels of every image by a method that has seen CIFAR-10H of the other folds only. */
static enum sl_status fill_folds(const struct contest *contest, const struct contender *contender,
                                 const struct soft_draw *draw, float *out, struct sl_error *err)
{
    const size_t cells = contest->study.n_items * SOFT_CLASSES;
    float *reference = sl_alloc(cells, sizeof *reference),
          *labels = sl_alloc(cells, sizeof *labels);
    enum sl_status status = SL_OK;
    for (size_t fold = 0; fold < N_FOLDS; fold++) {
        memcpy(reference, contest->study.reference, cells * sizeof *reference);
        for (size_t c = 0; c < cells; c++)
            if (contest->fold[c / SOFT_CLASSES] == fold) reference[c] = 0;
        SL_TRY_OUT(fill_labels(contender, draw, reference, labels, err));
        for (size_t c = 0; c < cells; c++)
            if (contest->fold[c / SOFT_CLASSES] == fold) out[c] = labels[c];
    }
out:
    free(reference);
    free(labels);
    return status;
}

/* The cross-entropies of the scored images, averaged over seeds, into `out`. */
static enum sl_status score(const struct contest *contest, const struct contender *contender,
                            size_t n_drawn, double *out, struct sl_error *err)
{
    const struct soft_study *study = &contest->study;
    float *labels = sl_alloc(study->n_items * SOFT_CLASSES, sizeof *labels);
    struct soft_draw draw = {0};
    enum sl_status status = SL_OK;
    for (size_t s = 0; s < contest->n_scored; s++)
        out[s] = 0;
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        soft_study_draw(study, n_drawn, seed, &draw);
        if (contender->learns_reference)
            SL_TRY_OUT(fill_folds(contest, contender, &draw, labels, err));
        else
            SL_TRY_OUT(fill_labels(contender, &draw, NULL, labels, err));
        for (size_t s = 0; s < contest->n_scored; s++) {
            const size_t at = contest->order[s] * SOFT_CLASSES;
            out[s] += label_cross_entropy(study->reference + at, labels + at, SOFT_CLASSES,
                                          contest->floor) /
                      N_SEEDS;
        }
        soft_draw_release(&draw);
        draw = (struct soft_draw){0};
    }
out:
    soft_draw_release(&draw);
    free(labels);
    return status;
}

static void print_gap(struct sl_interval gap)
{
    printf("  %+.4f  %+.4f .. %+.4f  %-5s", gap.estimate, gap.low, gap.high, label_verdict(gap));
}

/* A row per method: its score, what it gains over the mean, what dirichlet-soft gains over it. */
static enum sl_status show(size_t n_drawn, const double *scores, const double *seconds,
                           size_t n_scored, struct sl_error *err)
{
    const double *judged = scores;
    for (size_t c = 0; c < N_CONTENDERS; c++)
        if (strcmp(contenders[c].name, JUDGED) == 0) judged = scores + c * n_scored;
    for (size_t c = 0; c < N_CONTENDERS; c++) {
        const double *own = scores + c * n_scored;
        struct sl_interval gap, behind;
        SL_TRY(label_gap(own, scores, n_scored, &gap, err));
        SL_TRY(label_gap(judged, own, n_scored, &behind, err));
        printf("%zu  %-28s %7.4f  %6.2f", n_drawn, contenders[c].name, sl_mean(own, n_scored),
               seconds[c]);
        print_gap(gap);
        print_gap(behind);
        printf("\n");
    }
    fflush(stdout);
    return SL_OK;
}

static enum sl_status compare(const struct contest *contest, size_t n_drawn, struct sl_error *err)
{
    const size_t n_scored = contest->n_scored;
    double *scores = sl_alloc(N_CONTENDERS * n_scored, sizeof *scores), seconds[N_CONTENDERS];
    enum sl_status status = SL_OK;
    for (size_t c = 0; c < N_CONTENDERS; c++) {
        const double begin = sl_clock_seconds();
        SL_TRY_OUT(score(contest, &contenders[c], n_drawn, scores + c * n_scored, err));
        seconds[c] = (sl_clock_seconds() - begin) / N_SEEDS;
    }
    status = show(n_drawn, scores, seconds, n_scored, err);
out:
    free(scores);
    return status;
}

static void prepare(struct contest *contest)
{
    const struct soft_study *study = &contest->study;
    struct sl_rng rng;
    double entropy = 0;
    contest->fold = sl_alloc(study->n_items, sizeof *contest->fold);
    contest->order = sl_alloc(study->n_items, sizeof *contest->order);
    sl_rng_init(&rng, 0, "bench.folds", 0, 0);
    sl_rng_permutation(&rng, contest->fold, study->n_items);
    for (size_t i = 0; i < study->n_items; i++) {
        contest->fold[i] %= N_FOLDS;
        if ((study->image[i] % 10 < 3) != contest->development) continue;
        const float *row = study->reference + i * SOFT_CLASSES;
        contest->order[contest->n_scored++] = i;
        entropy += label_cross_entropy(row, row, SOFT_CLASSES, 0);
    }
    printf("%zu images, %zu annotators, %zu answers; scored on %zu %s images, floor %g, %d seeds, "
           "%d folds\nno label can be below %.4f, the mean entropy of CIFAR-10H there\n",
           study->n_items, study->n_annotators, study->count, contest->n_scored,
           contest->development ? "development" : "other", contest->floor, N_SEEDS, N_FOLDS,
           entropy / (double)contest->n_scored);
    printf("The levels of dirichlet were chosen on other answers, those of CIFAR-10H itself\n"
           "M  %-28s %7s  %6s  %-34s  %s\n",
           "method", "CE", "s", "method - mean, 95 %", "dirichlet-soft - method, 95 %");
}

int main(int argc, char **argv)
{
    struct contest contest = {.floor = 1e-3, .development = argc > 3};
    struct sl_error err;
    bool usable = argc >= 2 && argc <= 4;
    if (argc > 2)
        usable = usable && sl_text_to_real(argv[2], strlen(argv[2]), &contest.floor) &&
                 contest.floor > 0 && contest.floor < 1;
    if (!usable) {
        fprintf(stderr, "usage: bench_soft <folder of the data sets> [floor [development]]\n");
        return 2;
    }
    enum sl_status status = soft_study_load(argv[1], &contest.study, &err);
    if (status == SL_OK) prepare(&contest);
    for (size_t n_drawn = 1; n_drawn <= MOST_DRAWN && status == SL_OK; n_drawn++)
        status = compare(&contest, n_drawn, &err);
    soft_study_release(&contest.study);
    free(contest.fold);
    free(contest.order);
    if (status != SL_OK) fprintf(stderr, "bench_soft: %s\n", err.message);
    return status == SL_OK ? 0 : 1;
}
