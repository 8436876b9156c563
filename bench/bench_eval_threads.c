/* One thread beside several: bootstrap intervals, corrupted images, images read from files, and
 * simulated labels. The least wall time of a few rounds, in which the two take turns, because the
 * machine may be busy.
 *
 *     bench_eval_threads [THREADS]      2 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval_rows.h"
#include "softlab/base.h"
#include "softlab/dataset.h"
#include "softlab/eval.h"
#include "softlab/label/simulate.h"

enum { ROUNDS = 5, N_CLASSES = 10 };

/* What the works need. */
struct bench {
    struct sl_scored *scored;
    struct sl_dataset *photos; /* of 32 x 32 pixels */
    uint8_t *corrupted;
    char folder[64]; /* of larger images */
    struct sl_simulator *simulator;
    struct sl_rows *labels;
    float similarity[N_CLASSES * N_CLASSES];
};

enum { N_ITEMS = 10000, N_RESAMPLES = 100, N_PHOTOS = 400, N_FILES = 200, N_ANNOTATORS = 50 };

/* ---- Making ---- */

static enum sl_status make_scores(struct bench *bench, struct sl_error *err)
{
    const struct sl_scored_options logits = {.logits = true};
    struct sl_rows *predictions = NULL;
    SL_TRY(sl_rows_create(N_ITEMS, N_CLASSES, &bench->labels, err));
    SL_TRY(sl_rows_create(N_ITEMS, N_CLASSES, &predictions, err));
    bench_fill_rows(predictions, true);
    bench_fill_rows(bench->labels, false);
    const enum sl_status status =
        sl_scored_create(predictions, bench->labels, &logits, &bench->scored, err);
    sl_rows_destroy(predictions);
    return status;
}

static enum sl_status make_files(struct bench *bench, struct sl_error *err)
{
    struct sl_shapes_options shapes = sl_shapes_options_default();
    struct sl_dataset *set = NULL;
    shapes.count = N_FILES;
    shapes.size = 224;
    SL_TRY(sl_shapes_create(&shapes, &set, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < set->count && status == SL_OK; i++) {
        struct sl_image image = {0};
        char path[96];
        snprintf(path, sizeof path, "%s/%04zu.png", bench->folder, i);
        status = sl_dataset_image(set, i, &image, err);
        if (status == SL_OK) status = sl_image_write_png(&image, NULL, path, err);
        sl_image_release(&image);
    }
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status make(struct bench *bench, struct sl_error *err)
{
    struct sl_shapes_options shapes = sl_shapes_options_default();
    snprintf(bench->folder, sizeof bench->folder, "/tmp/softlab-bench-XXXXXX");
    if (!mkdtemp(bench->folder)) return sl_fail_errno(err, "%s", bench->folder);
    SL_TRY(make_scores(bench, err));
    shapes.count = N_PHOTOS;
    SL_TRY(sl_shapes_create(&shapes, &bench->photos, err));
    SL_TRY(sl_dataset_load(bench->photos, 32, 32, 3, err));
    bench->corrupted = sl_data_alloc(N_PHOTOS, (size_t)32 * 32 * 3, err);
    if (!bench->corrupted) return SL_ERR_NOMEM;
    for (size_t i = 0; i < (size_t)N_CLASSES * N_CLASSES; i++)
        bench->similarity[i] = (float)(i % 7);
    bench->simulator = sl_alloc(1, sizeof *bench->simulator);
    bench->simulator->n_classes = N_CLASSES;
    bench->simulator->threshold = .25;
    for (size_t p = 0; p < SL_SIMULATOR_PARTS; p++) {
        struct sl_simulator_part *part = &bench->simulator->part[p];
        part->top1 = (struct sl_beta){6, 2};
        part->top2 = (struct sl_beta){2, 6};
        part->possible = sl_alloc(N_CLASSES, sizeof *part->possible);
        part->possible[0] = part->possible[3] = .5;
    }
    return make_files(bench, err);
}

static void release(struct bench *bench)
{
    char path[96];
    for (size_t i = 0; i < N_FILES; i++) {
        snprintf(path, sizeof path, "%s/%04zu.png", bench->folder, i);
        unlink(path);
    }
    rmdir(bench->folder);
    sl_scored_destroy(bench->scored);
    sl_dataset_destroy(bench->photos);
    free(bench->corrupted);
    sl_simulator_destroy(bench->simulator);
    sl_rows_destroy(bench->labels);
}

/* ---- Works ---- */

typedef enum sl_status bench_work(struct bench *bench, struct sl_pool *pool, struct sl_error *err);

static enum sl_status find_intervals(struct bench *bench, struct sl_pool *pool,
                                     struct sl_error *err)
{
    struct sl_metric_options options = sl_metric_options_default();
    struct sl_bootstrap_options bootstrap = sl_bootstrap_options_default();
    const struct sl_metric *metrics[128];
    struct sl_interval intervals[128];
    options.pool = pool;
    bootstrap.n_resamples = N_RESAMPLES;
    for (size_t m = 0; m < sl_metric_count(); m++)
        metrics[m] = &sl_metrics[m];
    return sl_metrics_intervals(metrics, sl_metric_count(), bench->scored, &options, &bootstrap,
                                intervals, err);
}

static enum sl_status corrupt(struct bench *bench, struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_corrupt_options options = {
        .severities = {3}, .n_severities = 1, .seed = 1, .pool = pool};
    for (const struct sl_corruption *c = sl_corruptions; c->name; c++)
        SL_TRY(sl_corrupt_dataset(c, bench->photos, &options, bench->corrupted, err));
    return SL_OK;
}

static enum sl_status load(struct bench *bench, struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_load_options options = {.height = 64, .width = 64, .pool = pool};
    const struct sl_data_roots roots = {0};
    struct sl_dataset *set = NULL;
    SL_TRY(sl_dataset_open(bench->folder, &roots, &set, err));
    const enum sl_status status = sl_dataset_load_with(set, &options, NULL, err);
    sl_dataset_destroy(set);
    return status;
}

static enum sl_status simulate(struct bench *bench, struct sl_pool *pool, struct sl_error *err)
{
    const struct sl_simulate_options options = {N_ANNOTATORS, 1, pool};
    struct sl_rows *rows = NULL;
    SL_TRY(sl_simulate(bench->simulator, bench->labels, bench->similarity, &options, &rows, err));
    sl_rows_destroy(rows);
    return SL_OK;
}

static const struct {
    const char *name;
    bench_work *work;
} works[] = {
    {"bootstrap: 100 resamples of 10,000 items", find_intervals},
    {"corruptions: 19 of 400 images of 32 x 32", corrupt},
    {"decoding: 200 PNGs of 224 x 224 to 64 x 64", load},
    {"simulated labels: 10,000 items, 50 each", simulate},
};

static enum sl_status run(struct bench *bench, struct sl_pool *pool, struct sl_error *err)
{
    SL_TRY(make(bench, err));
    printf("%-44s %10s %7zu threads %8s\n", "", "one thread", sl_pool_threads(pool), "faster");
    for (size_t w = 0; w < sizeof works / sizeof *works; w++) {
        double least[2] = {0};
        for (size_t round = 0; round < 2 * (size_t)ROUNDS; round++) {
            const double started = sl_clock_seconds();
            SL_TRY(works[w].work(bench, round % 2 ? pool : NULL, err));
            const double taken = sl_clock_seconds() - started;
            if (round < 2 || taken < least[round % 2]) least[round % 2] = taken;
        }
        printf("%-44s %7.0f ms %12.0f ms %7.2fx\n", works[w].name, 1e3 * least[0], 1e3 * least[1],
               least[0] / least[1]);
    }
    return SL_OK;
}

int main(int argc, char **argv)
{
    int64_t threads = 2;
    struct bench bench = {0};
    struct sl_pool *pool = NULL;
    struct sl_error err = {0};
    if (argc > 2 ||
        (argc == 2 && (!sl_text_to_integer(argv[1], strlen(argv[1]), &threads) || threads < 1))) {
        fprintf(stderr, "usage: %s [THREADS]\n", argv[0]);
        return 2;
    }
    enum sl_status status = sl_pool_create((size_t)threads, &pool, &err);
    if (status == SL_OK) status = run(&bench, pool, &err);
    if (status != SL_OK) fprintf(stderr, "bench_eval_threads: %s\n", err.message);
    release(&bench);
    sl_pool_destroy(pool);
    return status == SL_OK ? 0 : 1;
}
