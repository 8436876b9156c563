/* Dawid-Skene's time per answer as the number of answers grows, on generated votes: two classes,
 * a thousand annotators who are right with probability .6 to .9, ten answers per item, twenty
 * iterations, one thread; and a set of the size of CIFAR-10H for a hundred iterations, more than
 * it needs to converge; and a thousand classes.
 *
 *     bench_ds [answers of the largest run, 1e7 by default] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "softlab/base.h"
#include "softlab/crowd.h"

struct shape {
    size_t n_items, per_item, n_annotators, n_classes;
};

static double skill_of(uint32_t annotator)
{
    return 0.6 + 0.3 * (double)(annotator * 2654435761u % 1000) / 1000;
}

static enum sl_status generate(struct shape shape, struct sl_votes *votes, struct sl_error *err)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "bench.ds", 0, 0);
    *votes = (struct sl_votes){.n_items = shape.n_items,
                               .n_annotators = shape.n_annotators,
                               .n_classes = shape.n_classes,
                               .count = shape.n_items * shape.per_item};
    votes->begin = sl_data_alloc(votes->n_items + 1, sizeof *votes->begin, err);
    votes->annotator = sl_data_alloc(votes->count, sizeof *votes->annotator, err);
    votes->label = sl_data_alloc(votes->count, sizeof *votes->label, err);
    if (!votes->begin || !votes->annotator || !votes->label) return SL_ERR_NOMEM;
    for (size_t i = 0; i <= votes->n_items; i++)
        votes->begin[i] = i * shape.per_item;
    for (size_t v = 0; v < votes->count; v++) {
        uint64_t truth = v / shape.per_item % shape.n_classes, chance = sl_rng_next(&rng);
        votes->annotator[v] = (uint32_t)((chance >> 32) % shape.n_annotators);
        bool right = (double)(uint32_t)chance * 0x1p-32 < skill_of(votes->annotator[v]);
        uint64_t shift = right ? 0 : 1 + (chance >> 8) % (shape.n_classes - 1);
        votes->label[v] = (uint16_t)((truth + shift) % shape.n_classes);
    }
    return SL_OK;
}

/* Processor time of this process, which a busy machine changes less than wall-clock time. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double accuracy(const struct sl_crowd_state *state)
{
    size_t right = 0;
    for (size_t i = 0; i < state->n_items; i++) {
        const float *row = state->posterior + i * state->n_classes;
        size_t best = 0;
        for (size_t k = 1; k < state->n_classes; k++)
            if (row[k] > row[best]) best = k;
        right += best == i % state->n_classes;
    }
    return (double)right / (double)state->n_items;
}

static enum sl_status run(const char *name, struct shape shape, size_t iterations,
                          struct sl_error *err)
{
    struct sl_votes votes = {0};
    struct sl_crowd_state state = {0};
    struct sl_crowd_options options = sl_crowd_options_default();
    struct rusage usage;
    enum sl_status status = SL_OK;
    options.max_iterations = iterations;
    options.tolerance = 0;
    SL_TRY_OUT(generate(shape, &votes, err));
    double begin = sl_clock_seconds(), cpu_begin = cpu_seconds();
    SL_TRY_OUT(sl_aggregate(sl_aggregator_find("ds"), &votes, &options, &state, err));
    double taken = sl_clock_seconds() - begin, cpu = cpu_seconds() - cpu_begin;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-10s %10zu %3zu %6zu %5zu %8.3f %8.3f %10.3f %8.4f %6ld\n", name, votes.count,
           shape.n_classes, shape.n_annotators, state.n_iterations, taken, cpu,
           1e9 * cpu / (double)votes.count / (double)state.n_iterations, accuracy(&state),
           usage.ru_maxrss / 1024);
out:
    sl_crowd_state_release(&state);
    free(votes.begin);
    free(votes.annotator);
    free(votes.label);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    const double largest = argc > 1 ? strtod(argv[1], NULL) : 1e7;
    printf("%-10s %10s %3s %6s %5s %8s %8s %10s %8s %6s\n", "name", "answers", "K", "annot", "iter",
           "seconds", "cpu", "ns/answer", "accuracy", "MB");
    enum sl_status status = run("cifar10h", (struct shape){10000, 51, 2571, 10}, 100, &err);
    if (status == SL_OK) status = run("thousand", (struct shape){10000, 10, 50, 1000}, 10, &err);
    for (size_t items = 100000; status == SL_OK && 10 * (double)items <= largest; items *= 10)
        status = run("binary", (struct shape){items, 10, 1000, 2}, 20, &err);
    if (status != SL_OK) fprintf(stderr, "bench_ds: %s\n", err.message);
    return status == SL_OK ? 0 : 1;
}
