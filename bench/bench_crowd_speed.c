/* Time of the aggregators on generated answers: a thousand classes against a bar of time and
 * memory, a million answers by dirichlet beside Dawid-Skene, and every method with one thread
 * beside two.
 *
 *     bench_crowd_speed [thousand | million | threads] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "softlab/base.h"
#include "softlab/crowd.h"

static const double bar_seconds = 10, bar_megabytes = 500;

enum { ROUNDS = 3 }; /* the best of so many, one thread and two in turn */

struct shape {
    size_t n_items, per_item, n_annotators, n_classes;
};

/* Answers as votes and as distributions. */
struct crowd {
    struct sl_votes votes;
    struct sl_soft_votes soft;
    float *rows;        /* owned; (count, K), or NULL */
    float *predictions; /* owned; (n_items, K), or NULL */
    int32_t *gold;      /* owned; n_items, or NULL */
};

static void crowd_release(struct crowd *crowd)
{
    free(crowd->votes.begin);
    free(crowd->votes.annotator);
    free(crowd->votes.label);
    free(crowd->rows);
    free(crowd->predictions);
    free(crowd->gold);
}

/* Annotators are right with probability .6 to .9, otherwise name any class. */
static void make_votes(struct shape shape, struct sl_votes *votes)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "bench.crowd", shape.n_items, shape.n_classes);
    *votes = (struct sl_votes){.n_items = shape.n_items,
                               .n_annotators = shape.n_annotators,
                               .n_classes = shape.n_classes,
                               .count = shape.n_items * shape.per_item};
    votes->begin = sl_alloc(votes->n_items + 1, sizeof *votes->begin);
    votes->annotator = sl_alloc(votes->count, sizeof *votes->annotator);
    votes->label = sl_alloc(votes->count, sizeof *votes->label);
    for (size_t i = 0; i < votes->n_items; i++) {
        const uint64_t truth = sl_rng_below(&rng, shape.n_classes);
        votes->begin[i + 1] = (i + 1) * shape.per_item;
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++) {
            votes->annotator[v] = (uint32_t)sl_rng_below(&rng, shape.n_annotators);
            const double skill = .6 + .3 * (double)votes->annotator[v] / (double)shape.n_annotators;
            const bool right = sl_rng_uniform(&rng) < skill;
            votes->label[v] = (uint16_t)(right ? truth : sl_rng_below(&rng, shape.n_classes));
        }
    }
}

/* A distribution for every vote: .7 for its class, the rest for all; predictions and gold. */
static void make_rows(struct crowd *crowd)
{
    const struct sl_votes *votes = &crowd->votes;
    const size_t k = votes->n_classes;
    crowd->rows = sl_alloc(votes->count * k, sizeof *crowd->rows);
    crowd->predictions = sl_alloc(votes->n_items * k, sizeof *crowd->predictions);
    for (size_t i = 0; i < votes->n_items * k; i++)
        crowd->predictions[i] = 1 / (float)k;
    crowd->gold = sl_alloc(votes->n_items, sizeof *crowd->gold);
    for (size_t i = 0; i < votes->n_items; i++)
        crowd->gold[i] = i % 10 ? -1 : 0;
    for (size_t i = 0; i < votes->count * k; i++)
        crowd->rows[i] = .3f / (float)k;
    for (size_t v = 0; v < votes->count; v++)
        crowd->rows[v * k + votes->label[v]] += .7f;
    crowd->soft =
        (struct sl_soft_votes){votes->n_items, votes->n_annotators, k,          votes->count,
                               votes->begin,   votes->annotator,    crowd->rows};
}

/* The caller releases the state. */
static double seconds_of(const struct sl_aggregator *method, const struct crowd *crowd,
                         struct sl_crowd_options options, struct sl_crowd_state *state)
{
    struct sl_error err;
    if (method->needs & SL_CROWD_PREDICTIONS) options.predictions = crowd->predictions;
    if (method->needs & SL_CROWD_GOLD) options.gold = crowd->gold;
    const double begin = sl_clock_seconds();
    const enum sl_status status =
        method->run ? sl_aggregate(method, &crowd->votes, &options, state, &err)
                    : sl_aggregate_soft(method, &crowd->soft, &options, state, &err);
    const double taken = sl_clock_seconds() - begin;
    if (status != SL_OK) {
        fprintf(stderr, "bench_crowd_speed: %s\n", err.message);
        exit(1);
    }
    return taken;
}

/* The largest memory of this process so far. */
static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Run `work` in a process of its own, whose peak memory is that of the work. It prints its row; or
 * a row says that it failed. */
static void run_apart(void (*work)(const void *row), const void *row)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        work(row);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) printf("failed\n");
}

static struct sl_pool *pool_of(size_t threads)
{
    struct sl_pool *pool = NULL;
    struct sl_error err;
    if (sl_pool_create(threads, &pool, &err) == SL_OK) return pool;
    fprintf(stderr, "bench_crowd_speed: %s\n", err.message);
    exit(1);
}

/* ---- A thousand classes ---- */

struct thousand {
    const char *name;
    size_t rounds; /* 0: until it converges */
    size_t threads;
};

static void run_thousand(const void *context)
{
    const struct thousand *row = context;
    struct crowd crowd = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    make_votes((struct shape){10000, 10, 300, 1000}, &crowd.votes);
    options.confusions = false;
    options.max_iterations = row->rounds ? row->rounds : options.max_iterations;
    options.tolerance = row->rounds ? 0 : options.tolerance;
    options.pool = pool_of(row->threads);
    const double taken = seconds_of(sl_aggregator_find(row->name), &crowd, options, &state);
    const double megabytes = peak_megabytes();
    const bool met = taken <= bar_seconds && megabytes <= bar_megabytes;
    printf("%-12s %8zu %7zu %9.2f %7.0f  %s\n", row->name, row->threads, state.n_iterations, taken,
           megabytes, met ? "met" : "NOT met");
    sl_crowd_state_release(&state);
    sl_pool_destroy(options.pool);
    crowd_release(&crowd);
}

static void show_thousand(void)
{
    static const struct thousand runs[] = {
        {"ds", 0, 1},       {"ds", 0, 2},       {"ds", 30, 1},  {"ds", 30, 2},
        {"ds-fast", 30, 1}, {"ds-fast", 30, 2}, {"ibcc", 0, 1}, {"ibcc", 0, 2},
    };
    printf("10,000 items x 10 answers, 300 annotators, 1,000 classes; the bar is %.0f s and %.0f "
           "MB\n%-12s %8s %7s %9s %7s  %s\n",
           bar_seconds, bar_megabytes, "method", "threads", "rounds", "seconds", "MB", "bar");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        run_apart(run_thousand, &runs[i]);
}

/* ---- A million answers ---- */

struct beside {
    const char *name, *rival;
    struct shape shape;
};

/* The seconds of a method with one thread and with two into `taken`; false if the labels differ by
 * a bit. */
static bool time_threads(const char *name, const struct crowd *crowd, double taken[2],
                         size_t *n_rounds)
{
    struct sl_crowd_state states[2] = {{0}};
    struct sl_crowd_options options = sl_crowd_options_default();
    options.confusions = options.risks = false;
    for (size_t i = 0; i < 2; i++) {
        options.pool = pool_of(i + 1);
        taken[i] = seconds_of(sl_aggregator_find(name), crowd, options, &states[i]);
        sl_pool_destroy(options.pool);
    }
    *n_rounds = states[0].n_iterations;
    const bool same = memcmp(states[0].posterior, states[1].posterior,
                             crowd->votes.n_items * crowd->votes.n_classes * sizeof(float)) == 0;
    sl_crowd_state_release(&states[0]);
    sl_crowd_state_release(&states[1]);
    return same;
}

static void run_beside(const void *context)
{
    const struct beside *row = context;
    struct crowd crowd = {0};
    double own[2], rival[2];
    size_t n_rounds = 0, rival_rounds = 0;
    make_votes(row->shape, &crowd.votes);
    if (!sl_aggregator_find(row->name)->run) make_rows(&crowd);
    const double before = peak_megabytes();
    time_threads(row->rival, &crowd, rival, &rival_rounds);
    const double beside = peak_megabytes();
    const bool same = time_threads(row->name, &crowd, own, &n_rounds);
    printf("%-14s %8zu %4zu %6zu %8.2f %8.2f  %-8s %6zu %8.2f %8.2f %6.1f %6.1f %6.0f %6.0f  %s\n",
           row->name, crowd.votes.count, row->shape.n_classes, n_rounds, own[0], own[1], row->rival,
           rival_rounds, rival[0], rival[1], own[0] / rival[0], own[1] / rival[1],
           peak_megabytes() - before, beside - before, same ? "same" : "DIFFERENT");
    crowd_release(&crowd);
}

static void show_beside(void)
{
    static const struct beside rows[] = {
        {"dirichlet", "ds", {200000, 5, 2000, 2}},
        {"dirichlet", "ds", {200000, 5, 2000, 10}},
        {"dirichlet", "ds", {200000, 5, 2000, 100}},
        {"dirichlet", "ds", {20000, 50, 2000, 10}},
        {"dirichlet-soft", "ds-soft", {20000, 5, 2000, 2}},
        {"dirichlet-soft", "ds-soft", {20000, 5, 2000, 10}},
    };
    printf("\nOne thread and two, seconds; MB beyond the answers, of both methods and of the other "
           "alone\n%-14s %8s %4s %6s %8s %8s  %-8s %6s %8s %8s %13s %6s %6s  %s\n",
           "method", "answers", "K", "rounds", "one", "two", "beside", "rounds", "one", "two",
           "ratios", "MB", "other", "labels");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run_apart(run_beside, &rows[i]);
}

/* ---- One thread beside two ---- */

static void show_method(const struct sl_aggregator *method, struct shape shape)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_pool *pools[2] = {NULL, pool_of(2)};
    double best[2] = {HUGE_VAL, HUGE_VAL};
    struct crowd crowd = {0};
    size_t n_rounds = 0;
    make_votes(shape, &crowd.votes);
    make_rows(&crowd);
    for (size_t i = 0; i < (size_t)2 * ROUNDS; i++) {
        struct sl_crowd_state state = {0};
        options.pool = pools[i % 2];
        const double taken = seconds_of(method, &crowd, options, &state);
        n_rounds = state.n_iterations;
        sl_crowd_state_release(&state);
        if (taken < best[i % 2]) best[i % 2] = taken;
    }
    printf("%-12s %10zu %3zu %7zu %9.3f %9.3f %6.2f\n", method->name, crowd.votes.count,
           shape.n_classes, n_rounds, best[0], best[1], best[0] / best[1]);
    fflush(stdout);
    sl_pool_destroy(pools[1]);
    crowd_release(&crowd);
}

static void show_all(void)
{
    printf("\nOne thread beside two, the best of %d\n%-12s %10s %3s %7s %9s %9s %6s\n", ROUNDS,
           "method", "answers", "K", "rounds", "one (s)", "two (s)", "ratio");
    for (const struct sl_aggregator *method = sl_aggregators; method->name; method++) {
        const size_t n_classes = method->needs & SL_CROWD_BINARY ? 2 : 10;
        show_method(method, method->run ? (struct shape){10000, 51, 2571, n_classes}
                                        : (struct shape){2000, 6, 200, n_classes});
    }
}

static const struct {
    const char *name;
    void (*show)(void);
} parts[] = {{"thousand", show_thousand}, {"million", show_beside}, {"threads", show_all}};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc < 2 || strcmp(argv[1], parts[i].name) == 0) parts[i].show();
    return 0;
}
