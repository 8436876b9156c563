/* Times the steps of a training. */
#include "experiment/run/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"
#include "softlab/feed/text.h"
#include "softlab/train.h"

enum {
    MOST_ITEMS = 2048,    /* items to open */
    LARGEST_SCORED = 100, /* batch size of predictions and attacks in evaluation */
    FEWEST = 2,           /* batch size of the first timing */
    BATCHES = 4,          /* batches per epoch, if there are enough items */
    ANSWERS = 5, /* answers per item of the simulated crowd, about as many as in the papers */
    CROWD = 100,
    MANY_EPOCHS = 1000000
};

/* What a timed step needs. */
struct stage {
    struct sl_recipe recipe;
    struct sl_dataset *dataset;       /* owned; some of the training's items */
    struct sl_vocabulary *vocabulary; /* owned; for texts */
    struct sl_rows *crowd;            /* owned; for methods that keep annotators apart */
    struct sl_feed *feed;             /* owned */
    struct sl_model *model;           /* owned */
    double seconds;                   /* time that a measurement may take */
};

static void stage_release(struct stage *stage)
{
    sl_model_destroy(stage->model);
    sl_feed_destroy(stage->feed);
    sl_rows_destroy(stage->crowd);
    sl_vocabulary_destroy(stage->vocabulary);
    sl_dataset_destroy(stage->dataset);
}

const char *sl_job_option(const struct sl_job *job, const char *option)
{
    const json_t *words = json_object_get(job->step, "command");
    for (size_t i = 0; i + 1 < json_array_size(words); i++)
        if (strcmp(json_string_value(json_array_get(words, i)), option) == 0)
            return json_string_value(json_array_get(words, i + 1));
    return NULL;
}

/* ---- Setup ---- */

/* The training's recipe without early stopping, and with a learning rate so small that made-up
 * targets cannot make the loss infinite. */
static enum sl_status read_recipe(const struct sl_job *training, struct sl_recipe *out,
                                  struct sl_error *err)
{
    const struct sl_json document = {.root = json_object_get(training->step, "recipe")};
    const struct sl_json_cursor settings = sl_json_root(&document);
    *out = sl_recipe_default();
    SL_TRY(sl_recipe_overlay(out, &settings, err));
    out->epochs = MANY_EPOCHS;
    out->select = SL_SELECT_LAST;
    out->patience = 0;
    out->rate = 1e-7;
    out->schedule = SL_SCHEDULE_CONSTANT;
    out->milestones.count = out->factors.count = 0;
    out->cosine_epochs = 0;
    out->draw = SL_DRAW_MEAN;
    return SL_OK;
}

/* Take items from the whole set, since sentences differ in length. */
static enum sl_status choose_items(struct sl_dataset *dataset, size_t wanted, struct sl_error *err)
{
    const size_t count = wanted < dataset->count ? wanted : dataset->count;
    size_t *chosen = sl_alloc(count + 1, sizeof *chosen);
    for (size_t i = 0; i < count; i++)
        chosen[i] = i * dataset->count / count;
    const enum sl_status status = sl_dataset_select(dataset, chosen, count, err);
    free(chosen);
    return status;
}

static enum sl_status read_vocabulary(const struct sl_dataset *dataset,
                                      const struct sl_data_roots *roots, struct sl_vocabulary **out,
                                      struct sl_error *err)
{
    const struct sl_dataset *const sets[] = {dataset};
    char *vectors = NULL;
    SL_TRY(sl_experiment_place(roots, SL_VECTORS_PLACE, &vectors, err));
    const enum sl_status status = sl_vocabulary_create(vectors, sets, 1, out, err);
    free(vectors);
    return status;
}

static enum sl_status make_feed(const struct sl_job *training, struct stage *stage,
                                struct sl_error *err)
{
    struct sl_dataset *dataset = stage->dataset;
    if (dataset->texts) return sl_feed_text(dataset, stage->vocabulary, &stage->feed, err);
    if (dataset->features)
        return sl_feed_features(dataset->features, dataset->count, dataset->n_features,
                                &stage->feed, err);
    const struct sl_load_options options = {.height = training->shape[1],
                                            .width = training->shape[2],
                                            .channels = training->shape[0],
                                            .skip_broken = true};
    SL_TRY(sl_dataset_load_with(dataset, &options, NULL, err));
    return sl_feed_images(dataset, &stage->feed, err);
}

static enum sl_status open_items(const struct sl_job *training, const struct sl_data_roots *roots,
                                 struct stage *stage, struct sl_error *err)
{
    const char *data = sl_job_option(training, "--data");
    const size_t batch = (size_t)stage->recipe.batch;
    const size_t wanted = batch == 0 || batch > MOST_ITEMS ? MOST_ITEMS
                          : batch < LARGEST_SCORED         ? LARGEST_SCORED
                                                           : batch;
    SL_TRY(sl_dataset_open(data, roots, &stage->dataset, err));
    if (stage->dataset->count == 0 || training->n_classes == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s has no items or no classes", data);
    if (stage->dataset->texts)
        SL_TRY(read_vocabulary(stage->dataset, roots, &stage->vocabulary, err));
    SL_TRY(choose_items(stage->dataset, wanted, err));
    SL_TRY(make_feed(training, stage, err));
    if (stage->dataset->count > 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: of %zu image%s, none can be read", data, wanted,
                   sl_text_plural(wanted, "", "s"));
}

static enum sl_status make_model(const struct sl_job *training, struct stage *stage,
                                 struct sl_error *err)
{
    struct sl_model_options options = sl_model_options_default();
    char *network = stage->vocabulary ? sl_vocabulary_network(stage->vocabulary, training->network)
                                      : sl_string_copy(training->network);
    options.network = network;
    options.classes = training->n_classes;
    options.input = sl_feed_shape(stage->feed);
    enum sl_status status = sl_model_create(&options, &stage->model, err);
    free(network);
    if (status == SL_OK && stage->vocabulary)
        status = sl_vocabulary_give(stage->vocabulary, stage->model, err);
    return status;
}

/* Simulate a few annotators' answers to every item. */
static enum sl_status make_crowd(const struct sl_job *training, struct stage *stage,
                                 struct sl_error *err)
{
    const struct sl_dataset *dataset = stage->dataset;
    if (strcmp(stage->recipe.method, "crowd-layer") != 0) return SL_OK;
    const size_t n_rows = dataset->count * ANSWERS;
    SL_TRY(sl_rows_create(n_rows, training->n_classes, &stage->crowd, err));
    stage->crowd->items = sl_alloc(n_rows, sizeof *stage->crowd->items);
    stage->crowd->annotators = sl_alloc(n_rows, sizeof *stage->crowd->annotators);
    for (size_t i = 0; i < n_rows; i++) {
        stage->crowd->items[i] = sl_string_copy(dataset->items[i / ANSWERS]);
        stage->crowd->annotators[i] = sl_string_printf("%zu", i % CROWD);
        stage->crowd->values[i * training->n_classes + i % training->n_classes] = 1;
    }
    return SL_OK;
}

/* ---- Timing ---- */

struct stopwatch {
    double seconds; /* time after which to stop */
    double began, elapsed;
    size_t n_steps; /* including the first step, which warms up */
};

static bool is_enough(void *context)
{
    struct stopwatch *watch = context;
    const double now = sl_processor_seconds();
    if (watch->n_steps++ == 0) watch->began = now;
    watch->elapsed = now - watch->began;
    return watch->n_steps > 1 && watch->elapsed >= watch->seconds;
}

static double mean_step(const struct stopwatch *watch)
{
    return watch->elapsed / (double)(watch->n_steps - 1);
}

/* Targets for whole batches of items. */
static enum sl_status make_targets(const struct stage *stage, size_t n_items,
                                   struct sl_targets **out, struct sl_error *err)
{
    const struct sl_dataset *dataset = stage->dataset;
    const size_t n_classes = sl_model_classes(stage->model);
    size_t *only = sl_alloc(n_items, sizeof *only);
    int32_t *labels = sl_alloc(dataset->count, sizeof *labels);
    for (size_t i = 0; i < n_items; i++)
        only[i] = i;
    for (size_t i = 0; i < dataset->count; i++)
        labels[i] = (int32_t)(i % n_classes);
    const struct sl_target_items items = {.n_items = dataset->count,
                                          .n_classes = n_classes,
                                          .items = dataset->items,
                                          .labels = labels};
    struct sl_target_options options = sl_target_options_default();
    options.only = only;
    options.n_only = n_items;
    options.labels = stage->crowd;
    const enum sl_status status =
        sl_targets_create(&items, &options, stage->crowd != NULL, out, err);
    free(only);
    free(labels);
    return status;
}

/* Core-seconds per training step. */
static enum sl_status time_training(struct stage *stage, size_t batch, double seconds, double *out,
                                    struct sl_error *err)
{
    const size_t n_batches = stage->dataset->count / batch;
    struct stopwatch watch = {.seconds = seconds};
    struct sl_targets *targets = NULL;
    struct sl_recipe recipe = stage->recipe;
    struct sl_train_result result;
    recipe.batch = (int64_t)batch;
    SL_TRY(make_targets(stage, (n_batches < BATCHES ? n_batches : BATCHES) * batch, &targets, err));
    const struct sl_train_options options = {.recipe = &recipe,
                                             .feed = stage->feed,
                                             .targets = targets,
                                             .seed = 1,
                                             .hooks = {.context = &watch, .stop = is_enough}};
    const enum sl_status status = sl_train(stage->model, &options, &result, err);
    sl_targets_destroy(targets);
    if (status == SL_OK) *out = mean_step(&watch);
    return status;
}

/* Core-seconds per predicted batch. */
static enum sl_status time_predicting(struct stage *stage, size_t batch, double seconds,
                                      double *out, struct sl_error *err)
{
    struct stopwatch watch = {.seconds = seconds};
    struct sl_predictor *predictor = NULL;
    float *logits = sl_alloc(batch * sl_model_classes(stage->model), sizeof *logits);
    enum sl_status status =
        sl_predictor_create(stage->model, stage->feed, batch, NULL, NULL, &predictor, err);
    if (status == SL_OK) {
        do
            status = sl_predict(predictor, stage->feed, NULL, batch, NULL, logits, err);
        while (status == SL_OK && !is_enough(&watch));
        *out = mean_step(&watch);
    }
    sl_predictor_destroy(predictor);
    free(logits);
    return status;
}

/* Core-seconds of a forward pass and a backward pass to the pixels. */
static enum sl_status time_attacking(struct stage *stage, size_t batch, double seconds, double *out,
                                     struct sl_error *err)
{
    const size_t n_classes = sl_model_classes(stage->model);
    struct sl_plan_options options = sl_plan_options_default();
    struct stopwatch watch = {.seconds = seconds};
    struct sl_feed_batch items = {0};
    struct sl_plan *plan = NULL;
    size_t *indices = sl_alloc(batch, sizeof *indices);
    float *slope = sl_alloc(batch * n_classes, sizeof *slope);
    enum sl_status status = SL_OK;
    options.batch = batch;
    options.input_gradient = true;
    SL_TRY_OUT(sl_plan_create(stage->model, &options, &plan, err));
    SL_TRY_OUT(sl_feed_batch_create(stage->feed, batch, NULL, &items, err));
    for (size_t i = 0; i < batch; i++)
        indices[i] = i;
    for (size_t i = 0; i < batch * n_classes; i++)
        slope[i] = i % n_classes == 0 ? -.01F : .001F;
    sl_feed_fill(&(struct sl_feed_items){
        .feed = stage->feed, .items = indices, .count = batch, .batch = &items});
    do {
        (void)sl_plan_forward(plan, &items.view);
        sl_plan_backward(plan, slope);
    } while (!is_enough(&watch));
    *out = mean_step(&watch);
out:
    sl_feed_batch_release(&items);
    sl_plan_destroy(plan);
    free(indices);
    free(slope);
    return status;
}

/* ---- Time per item ---- */

typedef enum sl_status time_batch(struct stage *stage, size_t batch, double seconds, double *out,
                                  struct sl_error *err);

/* Double the batch until it reaches `wanted` or a step takes too long. In the second case the last
 * two sizes give the fixed time of a step (updates, preparing weights) and the time per item. */
static enum sl_status time_item(struct stage *stage, time_batch *time, size_t wanted, double *out,
                                struct sl_error *err)
{
    const size_t count = stage->dataset->count;
    const size_t own = wanted == 0 || wanted > count ? count : wanted;
    size_t batch = own < FEWEST ? own : FEWEST, half = 0;
    double step = 0, half_step = 0;
    SL_TRY(time(stage, batch, 0, &step, err));
    while (batch < own && (half == 0 || step < stage->seconds / 2)) {
        half = batch;
        half_step = step;
        batch = 2 * batch < own ? 2 * batch : own;
        SL_TRY(time(stage, batch, 0, &step, err));
    }
    if (step < stage->seconds) SL_TRY(time(stage, batch, stage->seconds, &step, err));
    *out = step / (double)batch;
    if (batch == own) return SL_OK;
    const double each = fmax((step - half_step) / (double)(batch - half), .5 * *out);
    *out = each + fmax(step - each * (double)batch, 0) / (double)own;
    return SL_OK;
}

enum sl_status sl_probe_training(const struct sl_job *training, const struct sl_data_roots *roots,
                                 double seconds, struct sl_probe *out, struct sl_error *err)
{
    struct stage stage = {.seconds = seconds};
    struct sl_probe probe = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(read_recipe(training, &stage.recipe, err));
    SL_TRY_OUT(open_items(training, roots, &stage, err));
    SL_TRY_OUT(make_model(training, &stage, err));
    SL_TRY_OUT(make_crowd(training, &stage, err));
    SL_TRY_OUT(time_item(&stage, time_training, (size_t)stage.recipe.batch, &probe.trained, err));
    SL_TRY_OUT(time_item(&stage, time_predicting, LARGEST_SCORED, &probe.predicted, err));
    if (!stage.dataset->texts)
        SL_TRY_OUT(time_item(&stage, time_attacking, LARGEST_SCORED, &probe.attacked, err));
    /* sl_work counts an item once for each time the method shows it. */
    const struct sl_train_method *method = sl_train_method_find(stage.recipe.method);
    probe.trained /= (double)(method ? sl_train_copies(method) : 1);
    *out = probe;
out:
    stage_release(&stage);
    return status;
}
