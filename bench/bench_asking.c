/* Adaptive assignment at 10,000 items and 10 classes: a decision for one person (25 items), a board
 * made anew from all answers, and a board with a new fit.
 *
 *     bench_asking [answers per item]     (default 5) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/log.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "study/asking/board.h"
#include "study/config/config.h"

enum { ITEMS = 10000, CLASSES = 10, BATCH = 25, DECISIONS = 200, ANNOTATORS = 2000 };

/* Nine items of ten are easy; people name a wrong class one time in three about the others. */
static uint32_t draw_label(size_t item, struct sl_rng *rng)
{
    const uint32_t truth = (uint32_t)(item % CLASSES);
    const double wrong = item % 10 == 0 ? .33 : .02;
    return sl_rng_uniform(rng) < wrong ? (truth + 1) % CLASSES : truth;
}

static void fill(struct sl_asking_log *ledger, size_t per_item)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "bench.asking", 0, 0);
    ledger->n_answers = ITEMS * per_item;
    ledger->answers = sl_alloc(ledger->n_answers, sizeof *ledger->answers);
    for (size_t i = 0; i < ledger->n_answers; i++)
        ledger->answers[i] =
            (struct sl_asking_log_answer){.id = (int64_t)i + 1,
                                          .session = (int64_t)(i / BATCH) + 1,
                                          .until = INT64_MAX,
                                          .item = (uint32_t)(i % ITEMS),
                                          .annotator = (uint32_t)(i / BATCH % ANNOTATORS),
                                          .label = draw_label(i % ITEMS, &rng),
                                          .seconds = 2};
    ledger->last = (int64_t)ledger->n_answers;
}

static struct sl_asking_board *make(const struct sl_asking_log *ledger,
                                    const struct sl_asking_board *before, double *ms)
{
    const struct sl_asking_terms terms = sl_asking_terms_of(ledger->study);
    struct sl_asking_moment moment = {.last_answer = ledger->last,
                                      .live = sl_alloc(1, sizeof(int64_t)),
                                      .gone = sl_alloc(1, sizeof(int64_t))};
    struct sl_asking_board *board = NULL;
    struct sl_error err;
    const double begun = sl_clock_seconds();
    if (sl_asking_board_create(ledger, &terms, &moment, before, &board, &err) != SL_OK) {
        fprintf(stderr, "bench_asking: %s\n", err.message);
        exit(1);
    }
    *ms = 1000 * (sl_clock_seconds() - begun);
    return board;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void decide(struct sl_asking_board *board)
{
    double microseconds[DECISIONS];
    uint32_t items[BATCH];
    bool *seen = sl_alloc(ITEMS, sizeof *seen);
    for (int d = 0; d < DECISIONS; d++) {
        const double begun = sl_clock_seconds();
        const size_t count = sl_asking_choose(board, seen, items);
        sl_asking_decided(board, d + 1, items, count);
        microseconds[d] = 1e6 * (sl_clock_seconds() - begun);
    }
    qsort(microseconds, DECISIONS, sizeof *microseconds, by_size);
    printf("decision, us: median %.0f, 95th percentile %.0f\n", microseconds[DECISIONS / 2],
           microseconds[DECISIONS * 95 / 100]);
    free(seen);
}

int main(int argc, char **argv)
{
    const size_t per_item = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 5;
    struct sl_study *study = sl_study_create();
    const char *names[CLASSES] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    sl_study_set_texts(&study->classes, &study->n_classes, names, CLASSES);
    study->batch_size = BATCH;
    struct sl_asking_log ledger = {.study = study, .n_items = ITEMS};
    double fit = 0, recount = 0;
    if (per_item == 0) return 2;
    fill(&ledger, per_item);
    struct sl_asking_board *first = make(&ledger, NULL, &fit);
    struct sl_asking_board *second = make(&ledger, first, &recount);
    struct sl_ask_summary summary;
    sl_ask_summarise(second->ask, &summary);
    printf("%d items (%zu open), %d classes, %zu answers, chosen by %s\n", ITEMS, summary.n_open,
           CLASSES, ledger.n_answers, second->ask->by_gain ? "gain" : "fewest answers");
    printf("board with a new fit, ms: %.0f\nboard with the fit of the last, ms: %.0f\n", fit,
           recount);
    decide(second);
    sl_asking_board_replace(&first, second);
    sl_asking_board_destroy(first);
    free(ledger.answers);
    sl_study_destroy(study);
    return 0;
}
