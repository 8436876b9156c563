/* Whether forecasts from a pilot come true: forecast and real squared distance on CIFAR-10H, for
 * both allocations.
 *
 *     bench_plan <folder of the data sets> [pilots of each size]
 *
 * Half of an image's answers are replayed in a random order, the others are the reference; the
 * distance is corrected for the reference's noise. A pilot is a sample of images with four answers
 * each. The campaign is on all images, by the policy of softlab next in waves of 30 %. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/ask.h"
#include "softlab/base.h"
#include "softlab/base/array.h"

enum { N_CLASSES = 10, MOST_ANSWERS = 128, PILOT_ANSWERS = 4, N_BUDGETS = 4 };
static const double budgets_per_item[N_BUDGETS] = {3, 5, 8, 12};
static const size_t pilot_sizes[] = {1000, 200, 60};

/* Images with their answers in the order in which they are given. */
struct replay {
    size_t n_items;
    uint8_t (*said)[MOST_ANSWERS]; /* owned; n_items */
    size_t *n_given;               /* owned; the answers behind them are the reference */
    size_t *n_said;                /* owned */
    double square[N_BUDGETS];
};

static void replay_release(struct replay *replay)
{
    free(replay->said);
    free(replay->n_given);
    free(replay->n_said);
}

static enum sl_status replay_read(const char *path, struct replay *replay, struct sl_error *err)
{
    struct sl_array stored = {0}, counts = {0};
    SL_TRY(sl_npy_read(path, &stored, err));
    const enum sl_status status = sl_array_convert(&stored, SL_F8, path, &counts, err);
    sl_array_release(&stored);
    if (status != SL_OK) return status;
    const double *values = counts.data;
    const size_t n = replay->n_items = counts.shape[0];
    replay->said = sl_alloc(n, sizeof *replay->said);
    replay->n_given = sl_alloc(n, sizeof *replay->n_given);
    replay->n_said = sl_alloc(n, sizeof *replay->n_said);
    for (size_t i = 0; i < n; i++) {
        size_t order[MOST_ANSWERS], count = 0;
        uint8_t said[MOST_ANSWERS];
        struct sl_rng rng;
        for (size_t k = 0; k < N_CLASSES; k++)
            for (size_t c = (size_t)values[i * N_CLASSES + k]; c > 0 && count < MOST_ANSWERS; c--)
                said[count++] = (uint8_t)k;
        sl_rng_init(&rng, 1, "bench.replay", 0, i);
        sl_rng_permutation(&rng, order, count);
        for (size_t a = 0; a < count; a++)
            replay->said[i][a] = said[order[a]];
        replay->n_said[i] = count;
        replay->n_given[i] = count / 2;
    }
    sl_array_release(&counts);
    return SL_OK;
}

static size_t replay_answer(void *context, size_t item, size_t before)
{
    const struct replay *replay = context;
    return before < replay->n_given[item] ? replay->said[item][before] : SIZE_MAX;
}

static void replay_look(void *context, size_t budget, size_t item, const uint32_t *counts,
                        const double *label)
{
    (void)counts;
    struct replay *replay = context;
    const size_t from = replay->n_given[item], n = replay->n_said[item] - from;
    double share[N_CLASSES] = {0}, distance = 0, noise = 0;
    for (size_t a = from; a < replay->n_said[item]; a++)
        share[replay->said[item][a]] += 1 / (double)n;
    for (size_t k = 0; k < N_CLASSES; k++) {
        distance += (label[k] - share[k]) * (label[k] - share[k]);
        noise += share[k] * (1 - share[k]) / (double)(n - 1);
    }
    replay->square[budget] += (distance - noise) / (double)replay->n_items;
}

/* ---- Pilots ---- */

static struct sl_votes draw_pilot(const struct replay *replay, size_t n_items, uint64_t seed)
{
    size_t *items = sl_alloc(n_items, sizeof *items);
    struct sl_rng rng;
    struct sl_votes votes = {
        .n_items = n_items, .n_classes = N_CLASSES, .count = n_items * PILOT_ANSWERS};
    sl_rng_init(&rng, seed, "bench.pilot", 0, n_items);
    sl_rng_sample(&rng, replay->n_items, n_items, items);
    votes.begin = sl_alloc(n_items + 1, sizeof *votes.begin);
    votes.annotator = sl_alloc(votes.count, sizeof *votes.annotator);
    votes.label = sl_alloc(votes.count, sizeof *votes.label);
    for (size_t i = 0, v = 0; i < n_items; i++) {
        for (size_t a = 0; a < PILOT_ANSWERS; a++, v++) {
            votes.annotator[v] = SL_NO_NAME;
            votes.label[v] = replay->said[items[i]][a];
        }
        votes.begin[i + 1] = v;
    }
    free(items);
    return votes;
}

static void release_pilot(struct sl_votes *votes)
{
    free(votes->begin);
    free(votes->annotator);
    free(votes->label);
}

static enum sl_status run_campaign(struct replay *replay, const struct sl_ask_fit *pilot,
                                   enum sl_ask_way way, struct sl_error *err)
{
    size_t budgets[N_BUDGETS];
    struct sl_ask_campaign campaign = {.pilot = pilot,
                                       .rule = sl_ask_rule_default(),
                                       .wave = 0.3,
                                       .budgets = budgets,
                                       .n_budgets = N_BUDGETS};
    const struct sl_ask_people people = {.n_items = replay->n_items,
                                         .context = replay,
                                         .answer = replay_answer,
                                         .look = replay_look};
    for (size_t b = 0; b < N_BUDGETS; b++)
        budgets[b] = (size_t)(budgets_per_item[b] * (double)replay->n_items);
    campaign.rule.way = way;
    campaign.rule.stop = 0;
    campaign.rule.most = 23; /* no image has fewer to replay */
    memset(replay->square, 0, sizeof replay->square);
    return sl_ask_campaign_run(&campaign, &people, NULL, err);
}

static enum sl_status compare(struct replay *replay, size_t n_pilot, uint64_t seed,
                              double real[SL_ASK_ALLOCATIONS][N_BUDGETS], size_t *n_covered,
                              struct sl_error *err)
{
    static const char *const names[SL_ASK_ALLOCATIONS] = {"equal", "by gain"};
    struct sl_votes pilot = draw_pilot(replay, n_pilot, seed);
    struct sl_ask_forecast_options options = sl_ask_forecast_options_default();
    struct sl_ask_forecast *forecast = NULL;
    options.budgets = budgets_per_item;
    options.n_budgets = N_BUDGETS;
    enum sl_status status = sl_ask_forecast_create(&pilot, &options, NULL, &forecast, err);
    release_pilot(&pilot);
    if (status != SL_OK) return status;
    printf("pilot of %4zu, number %llu: V = %.2f [%.2f, %.2f]\n", n_pilot, (unsigned long long)seed,
           forecast->variation.estimate, forecast->variation.low, forecast->variation.high);
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++)
        for (size_t b = 0; b < N_BUDGETS; b++) {
            const struct sl_interval *square = &forecast->square[a][b];
            const bool covered = square->low <= real[a][b] && real[a][b] <= square->high;
            *n_covered += covered;
            printf("  %-8s %4g per item: forecast %.5f [%.5f, %.5f], real %.5f, ratio %.2f%s\n",
                   names[a], budgets_per_item[b], square->estimate, square->low, square->high,
                   real[a][b], square->estimate / real[a][b], covered ? "" : "  not covered");
        }
    sl_ask_forecast_destroy(forecast);
    return SL_OK;
}

static enum sl_status run(const char *folder, size_t n_repeats, struct sl_error *err)
{
    struct replay replay = {0};
    struct sl_ask_fit *fit = NULL;
    double real[SL_ASK_ALLOCATIONS][N_BUDGETS];
    char *path = sl_string_printf("%s/cifar10h/cifar10h-counts.npy", folder);
    struct sl_votes first = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(replay_read(path, &replay, err));
    first = draw_pilot(&replay, 200, 1);
    SL_TRY_OUT(sl_ask_fit_create(&first, NULL, NULL, NULL, &fit, err));
    for (size_t a = 0; a < SL_ASK_ALLOCATIONS; a++) {
        SL_TRY_OUT(
            run_campaign(&replay, fit, a == SL_ASK_BY_GAIN ? SL_ASK_GAIN : SL_ASK_EQUAL, err));
        memcpy(real[a], replay.square, sizeof real[a]);
    }
    for (size_t s = 0; s < sizeof pilot_sizes / sizeof *pilot_sizes; s++) {
        size_t n_covered = 0;
        for (size_t r = 0; r < n_repeats; r++)
            SL_TRY_OUT(compare(&replay, pilot_sizes[s], r + 1, real, &n_covered, err));
        printf("pilots of %zu: %zu of %zu intervals cover\n", pilot_sizes[s], n_covered,
               n_repeats * SL_ASK_ALLOCATIONS * N_BUDGETS);
    }
out:
    sl_ask_fit_destroy(fit);
    release_pilot(&first);
    replay_release(&replay);
    free(path);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_plan FOLDER [PILOTS]\n");
        return 2;
    }
    if (run(argv[1], argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 4, &err) == SL_OK) return 0;
    fprintf(stderr, "bench_plan: %s\n", err.message);
    return 1;
}
