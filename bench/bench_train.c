/* The work around a training step of resnet34a: the data pipeline with augmentation as a share of
 * the step, and FGSM over 1,000 images as a multiple of one epoch over them. All are measured in
 * turns within one run. bench_train [NETWORK] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base.h"
#include "softlab/eval/attack.h"
#include "softlab/feed.h"
#include "softlab/nn/loss.h"
#include "softlab/train.h"

enum { ITEMS = 1000, BATCH = 32, ROUNDS = 3, CLASSES = 10, SIDE = 32 };
static const double pipeline_limit = .03, attack_limit = 3;

struct bench {
    struct sl_dataset *set;
    struct sl_feed *feed;
    struct sl_targets *targets;
    struct sl_model *model;
    struct sl_recipe recipe;
    float *rows;   /* (ITEMS, CLASSES) */
    int32_t *hard; /* (ITEMS) */
};

static enum sl_status prepare(const char *network, struct bench *bench, struct sl_error *err)
{
    const struct sl_shapes_options shapes = {
        .count = ITEMS, .size = SIDE, .n_classes = 6, .ambiguous = .5, .noise = 12, .seed = 1};
    SL_TRY(sl_shapes_create(&shapes, &bench->set, err));
    SL_TRY(sl_feed_images(bench->set, &bench->feed, err));
    const struct sl_target_items items = {ITEMS, bench->set->n_classes, bench->set->items,
                                          bench->set->classes, bench->set->labels};
    const struct sl_target_options options = sl_target_options_default();
    SL_TRY(sl_targets_create(&items, &options, false, &bench->targets, err));
    bench->rows = bench->targets->rows;
    bench->hard = bench->set->labels;
    struct sl_model_options model = sl_model_options_default();
    model.network = network;
    model.classes = bench->set->n_classes;
    model.input = sl_feed_shape(bench->feed);
    SL_TRY(sl_model_create(&model, &bench->model, err));
    bench->recipe = sl_recipe_default();
    SL_TRY(sl_recipe_set(&bench->recipe, "network", network, err));
    return sl_recipe_set_all(&bench->recipe, "epochs=1,batch=32,crop=4,flip=true,rate=0.01", err);
}

static enum sl_status time_epoch(struct bench *bench, double *seconds, struct sl_error *err)
{
    const struct sl_train_options options = {
        .recipe = &bench->recipe, .feed = bench->feed, .targets = bench->targets, .seed = 1};
    struct sl_train_result result;
    SL_TRY(sl_train(bench->model, &options, &result, err));
    *seconds = result.seconds;
    return SL_OK;
}

/* The same batches, fed and augmented without a network. */
static enum sl_status time_pipeline(struct bench *bench, double *seconds, struct sl_error *err)
{
    const struct sl_augment augment = {.crop_padding = 4, .flip = true, .seed = 1};
    struct sl_feed_batch batch = {0};
    float targets[BATCH * CLASSES];
    size_t items[BATCH];
    SL_TRY(sl_feed_batch_create(bench->feed, BATCH, NULL, &batch, err));
    const double began = sl_clock_seconds();
    for (size_t begin = 0; begin + BATCH <= ITEMS; begin += BATCH) {
        for (size_t i = 0; i < BATCH; i++)
            items[i] = begin + i;
        sl_feed_fill(&(struct sl_feed_items){.feed = bench->feed,
                                             .items = items,
                                             .count = BATCH,
                                             .augment = &augment,
                                             .epoch = 1,
                                             .batch = &batch});
        sl_targets_draw(bench->targets, 1, 1, items, BATCH, targets);
    }
    *seconds = sl_clock_seconds() - began;
    sl_feed_batch_release(&batch);
    return SL_OK;
}

static enum sl_status time_attack(struct bench *bench, double *seconds, struct sl_error *err)
{
    const struct sl_attack_items items = {bench->feed, NULL, ITEMS, bench->rows, bench->hard};
    struct sl_attack_options options = sl_attack_preset_find("fgsm-collins2022")->options;
    struct sl_attack_result result;
    const double began = sl_clock_seconds();
    SL_TRY(sl_attack(bench->model, &items, &options, NULL, &result, err));
    *seconds = sl_clock_seconds() - began;
    sl_attack_result_release(&result);
    return SL_OK;
}

static double least(double a, double b)
{
    return b < a ? b : a;
}

static enum sl_status run(const char *network, bool *within, struct sl_error *err)
{
    struct bench bench = {0};
    double epoch = 1e9, pipeline = 1e9, attack = 1e9;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(prepare(network, &bench, err));
    for (size_t round = 0; round < ROUNDS; round++) {
        double seconds[3];
        SL_TRY_OUT(time_epoch(&bench, &seconds[0], err));
        SL_TRY_OUT(time_pipeline(&bench, &seconds[1], err));
        SL_TRY_OUT(time_attack(&bench, &seconds[2], err));
        epoch = least(epoch, seconds[0]);
        pipeline = least(pipeline, seconds[1]);
        attack = least(attack, seconds[2]);
    }
    printf("%s, %d images, batch %d, best of %d\n", network, ITEMS, BATCH, ROUNDS);
    printf("  training epoch        %8.3f s  %6.0f images/s\n", epoch, ITEMS / epoch);
    printf("  data pipeline         %8.4f s  %6.2f %% of it (limit %.0f %%)\n", pipeline,
           100 * pipeline / epoch, 100 * pipeline_limit);
    printf("  FGSM over the images  %8.3f s  %6.2f epochs (limit %.0f)\n", attack, attack / epoch,
           attack_limit);
    *within = pipeline / epoch < pipeline_limit && attack / epoch < attack_limit;
out:
    sl_model_destroy(bench.model);
    sl_targets_destroy(bench.targets);
    sl_feed_destroy(bench.feed);
    sl_dataset_destroy(bench.set);
    return status;
}

int main(int argc, char **argv)
{
    struct sl_error err;
    bool within = false;
    if (run(argc > 1 ? argv[1] : "resnet34a", &within, &err) != SL_OK) {
        fprintf(stderr, "bench_train: %s\n", err.message);
        return 1;
    }
    return within ? 0 : 1;
}
