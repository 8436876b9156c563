/* A batch for the tests of training methods: nine items with soft targets, seven of them presented,
 * and 14 answers of four annotators, of whom one said nothing, about all items but one. */
#ifndef SOFTLAB_TESTS_TRAIN_METHOD_SCENE_H
#define SOFTLAB_TESTS_TRAIN_METHOD_SCENE_H

#include "softlab/label/mixing.h"
#include "support.h"
#include "train/method.h"

enum {
    SCENE_ITEMS = 9,
    SCENE_COUNT = 7, /* presented */
    SCENE_CLASSES = 5,
    SCENE_PIXELS = 1100, /* more than a tile of mixup's, and not a multiple */
    SCENE_ANNOTATORS = 4,
    SCENE_SILENT = 2, /* the annotator without answers */
    SCENE_UNANSWERED = 3,
    SCENE_ANSWERS = 14,
    SCENE_LOGITS = 2 * SCENE_COUNT * SCENE_CLASSES, /* room for two copies */
};

/* Methods ask a feed for its shape alone; this one can also be text. */
struct sl_feed {
    struct sl_input_shape shape;
};
struct sl_input_shape sl_feed_shape(const struct sl_feed *feed)
{
    return feed->shape;
}

struct method_scene {
    struct sl_recipe recipe;
    struct sl_feed feed;
    struct sl_targets targets;
    struct sl_train_options options;
    struct sl_method *method;
    struct sl_method_batch batch;
    size_t begin[SCENE_ITEMS + 1];
    int32_t annotators[SCENE_ANSWERS];
    float rows[SCENE_ANSWERS * SCENE_CLASSES];
    size_t positions[SCENE_COUNT];
    float pixels[2 * SCENE_COUNT * SCENE_PIXELS];
    float batch_targets[SCENE_LOGITS];
    float logits[SCENE_LOGITS], gradient[SCENE_LOGITS];
    double total;
};

static inline double scene_draw(const char *what, uint64_t item)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 5, what, 0, item);
    return sl_rng_normal(&rng);
}

/* Answers: mostly one-hot, every fifth a distribution. */
static inline void scene_answers(struct method_scene *scene)
{
    static const size_t per_item[SCENE_ITEMS] = {2, 1, 3, 0, 1, 2, 3, 1, 1};
    static const int32_t who[SCENE_ANSWERS] = {0, 1, 0, 0, 1, 3, 3, 1, 3, 0, 1, 3, 0, 1};
    for (size_t i = 0; i < SCENE_ITEMS; i++)
        scene->begin[i + 1] = scene->begin[i] + per_item[i];
    memcpy(scene->annotators, who, sizeof who);
    for (size_t row = 0; row < SCENE_ANSWERS; row++) {
        float *answer = scene->rows + row * SCENE_CLASSES;
        const size_t class = (row * 7 + row / 3) % SCENE_CLASSES;
        answer[class] = 1;
        if (row % 5 != 4) continue;
        answer[class] = .75f;
        answer[(class + 2) % SCENE_CLASSES] = .25f;
    }
}

/* A scene with the recipe's method and default options; change `recipe` or `options` before
 * scene_start. */
static inline struct method_scene *scene_create(const char *method)
{
    static const size_t positions[SCENE_COUNT] = {6, 0, SCENE_UNANSWERED, 8, 2, 1, 5};
    struct method_scene *scene = sl_alloc(1, sizeof *scene);
    scene->recipe =
        (struct sl_recipe){.batch = SCENE_COUNT + 1, .alpha = .8, .kappa = .5, .eta = .7};
    snprintf(scene->recipe.method, sizeof scene->recipe.method, "%s", method);
    scene->feed.shape = (struct sl_input_shape){.channels = SCENE_PIXELS, .height = 1, .width = 1};
    scene_answers(scene);
    scene->targets = (struct sl_targets){.n_items = SCENE_ITEMS,
                                         .n_classes = SCENE_CLASSES,
                                         .begin = scene->begin,
                                         .rows = scene->rows,
                                         .annotators = scene->annotators,
                                         .n_annotators = SCENE_ANNOTATORS};
    scene->options = (struct sl_train_options){
        .recipe = &scene->recipe, .feed = &scene->feed, .targets = &scene->targets, .seed = 11};
    memcpy(scene->positions, positions, sizeof positions);
    scene->batch = (struct sl_method_batch){.count = SCENE_COUNT,
                                            .positions = scene->positions,
                                            .pixels = scene->pixels,
                                            .pixels_per_item = SCENE_PIXELS,
                                            .targets = scene->batch_targets,
                                            .n_classes = SCENE_CLASSES,
                                            .epoch = 3,
                                            .step = 40};
    return scene;
}

static inline void scene_destroy(struct method_scene *scene)
{
    sl_method_destroy(scene->method);
    free(scene);
}

/* The batch as the loop would bring it: the first copy filled, the second not. */
static inline void scene_fill(struct method_scene *scene)
{
    for (size_t i = 0; i < 2 * SCENE_COUNT * SCENE_PIXELS; i++)
        scene->pixels[i] = i < SCENE_COUNT * SCENE_PIXELS ? (float)scene_draw("pixel", i) : NAN;
    for (size_t i = 0; i < SCENE_LOGITS; i++)
        scene->batch_targets[i] = NAN;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        const size_t position = scene->positions[i];
        const size_t first = scene->begin[position], answers = scene->begin[position + 1] - first;
        for (size_t k = 0; k < SCENE_CLASSES; k++) {
            float sum = 0;
            for (size_t row = first; row < first + answers; row++)
                sum += scene->rows[row * SCENE_CLASSES + k];
            scene->batch_targets[i * SCENE_CLASSES + k] =
                answers ? sum / (float)answers : 1.0f / SCENE_CLASSES;
        }
    }
}

static inline void scene_prepare(struct method_scene *scene)
{
    scene_fill(scene);
    const struct sl_method_steps *steps = scene->method->row->steps;
    if (steps->prepare) steps->prepare(scene->method, &scene->batch);
}

static inline void scene_start(struct method_scene *scene)
{
    struct sl_error err = {0};
    assert_ok(sl_method_create(&scene->options, SCENE_CLASSES, &scene->method, &err), err);
    scene_prepare(scene);
    for (size_t i = 0; i < SCENE_LOGITS; i++)
        scene->logits[i] = (float)(2 * scene_draw("logit", i));
}

static inline double scene_loss(struct method_scene *scene)
{
    scene->method->row->steps->loss(scene->method, &scene->batch, scene->logits, scene->gradient,
                                    &scene->total);
    return scene->total;
}

static inline size_t scene_n_logits(const struct method_scene *scene)
{
    return scene->method->row->steps->copies * SCENE_COUNT * SCENE_CLASSES;
}

static inline size_t scene_class(const float *row)
{
    size_t largest = 0;
    for (size_t k = 1; k < SCENE_CLASSES; k++)
        if (row[k] > row[largest]) largest = k;
    return largest;
}

/* Two scenes that must cost the same and pull the same way. */
static inline void assert_same_loss(struct method_scene *scene, struct method_scene *other,
                                    double tolerance)
{
    assert_near(scene_loss(scene), scene_loss(other), tolerance);
    for (size_t i = 0; i < SCENE_COUNT * SCENE_CLASSES; i++)
        assert_near(scene->gradient[i], other->gradient[i], tolerance);
}

#endif
