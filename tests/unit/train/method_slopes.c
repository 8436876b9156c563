/* Every method against its formula, written again in double: the loss, and its gradients as
 * differences of the formula. */
#include "train_method_scene.h"

struct variant {
    const char *method;
    struct sl_recipe recipe; /* what it changes */
};

static const struct variant variants[] = {
    {"plain", {.reduction = SL_REDUCE_MEAN}},
    {"plain", {.reduction = SL_REDUCE_SUM}},
    {"mixup", {.alpha = .5}},
    {"regmixup", {.alpha = 20}},
    {"regmixup", {.alpha = 20, .reduction = SL_REDUCE_SUM}},
    {"mix-maxent", {.alpha = 10, .eta = 1}},
    {"mix-maxent", {.alpha = 10, .eta = .3, .reduction = SL_REDUCE_SUM}},
    {"ent-wc", {.alpha = .2, .kappa = .7}},
    {"ent-wc", {.alpha = .2, .kappa = 0}},
    {"ent-wc", {.alpha = .2, .kappa = 0, .detach = true}},
    {"ent-wc", {.alpha = .2, .kappa = .5, .reduction = SL_REDUCE_SUM}},
    {"crowd-layer", {.crowd = SL_CROWD_MW}},
    {"crowd-layer", {.crowd = SL_CROWD_VW}},
    {"crowd-layer", {.crowd = SL_CROWD_VB, .crowd_masked_mean = true}},
    {"crowd-layer", {.crowd = SL_CROWD_VWB, .reduction = SL_REDUCE_SUM}},
    {"crowd-layer", {.crowd = SL_CROWD_MW, .crowd_on_logits = true, .reduction = SL_REDUCE_SUM}},
    {"crowd-layer", {.crowd = SL_CROWD_VW, .crowd_on_logits = true}},
    {"crowd-layer", {.crowd = SL_CROWD_VB, .crowd_on_logits = true}},
    {"crowd-layer", {.crowd = SL_CROWD_VWB, .crowd_on_logits = true, .crowd_masked_mean = true}},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

enum rows { ROWS_RANDOM, ROWS_SHARP, ROWS_FLAT, ROWS_FAR, N_ROWS };

static struct method_scene *scene_of(const struct variant *variant, enum rows kind)
{
    static const double sizes[] = {2, 15, .1, 1};
    struct method_scene *scene = scene_create(variant->method);
    scene->recipe = variant->recipe;
    scene->recipe.batch = SCENE_COUNT;
    snprintf(scene->recipe.method, sizeof scene->recipe.method, "%s", variant->method);
    scene_start(scene);
    for (size_t i = 0; i < SCENE_LOGITS; i++) {
        scene->logits[i] = (float)(sizes[kind] * scene_draw("logit", i));
        /* As a float this probability is 0. */
        if (kind == ROWS_FAR && i % 7 == 3) scene->logits[i] = -200;
    }
    for (size_t i = 0; i < scene->method->n_values; i++)
        scene->method->values[i] += (float)(.3 * scene_draw("value", i));
    return scene;
}

/* ---- The formulas ---- */

static void log_softmax(const double *logits, double *out)
{
    double largest = logits[0], total = 0;
    for (size_t k = 1; k < SCENE_CLASSES; k++)
        largest = fmax(largest, logits[k]);
    for (size_t k = 0; k < SCENE_CLASSES; k++)
        total += exp(logits[k] - largest);
    for (size_t k = 0; k < SCENE_CLASSES; k++)
        out[k] = logits[k] - largest - log(total);
}

static double cross_entropy(const double *logits, const float *target)
{
    double log_p[SCENE_CLASSES], sum = 0;
    log_softmax(logits, log_p);
    for (size_t k = 0; k < SCENE_CLASSES; k++)
        sum -= (double)target[k] * log_p[k];
    return sum;
}

static double entropy(const double *logits)
{
    double log_p[SCENE_CLASSES], sum = 0;
    log_softmax(logits, log_p);
    for (size_t k = 0; k < SCENE_CLASSES; k++)
        sum -= exp(log_p[k]) * log_p[k];
    return sum;
}

static double crowd_output(enum sl_crowd_layer layer, const double *input, const double *values,
                           size_t k)
{
    double sum = 0;
    switch (layer) {
    case SL_CROWD_MW:
        for (size_t j = 0; j < SCENE_CLASSES; j++)
            sum += input[j] * values[j * SCENE_CLASSES + k];
        return sum;
    case SL_CROWD_VW: return input[k] * values[k];
    case SL_CROWD_VB: return input[k] + values[k];
    case SL_CROWD_VWB: return input[k] * values[k] + values[SCENE_CLASSES + k];
    }
    return (double)NAN;
}

static double crowd_formula(const struct method_scene *scene, const double *logits,
                            const double *values)
{
    const struct sl_recipe *recipe = &scene->recipe;
    const size_t each = scene->method->n_values / SCENE_ANNOTATORS;
    double sum = 0, answers = 0;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        double input[SCENE_CLASSES], output[SCENE_CLASSES];
        log_softmax(logits + i * SCENE_CLASSES, input);
        for (size_t k = 0; k < SCENE_CLASSES; k++)
            input[k] = recipe->crowd_on_logits ? logits[i * SCENE_CLASSES + k] : exp(input[k]);
        const size_t position = scene->positions[i];
        for (size_t row = scene->begin[position]; row < scene->begin[position + 1]; row++) {
            const double *own = values + (size_t)scene->annotators[row] * each;
            for (size_t k = 0; k < SCENE_CLASSES; k++)
                output[k] = crowd_output(recipe->crowd, input, own, k);
            sum += cross_entropy(output, scene->rows + row * SCENE_CLASSES);
            answers++;
        }
    }
    if (recipe->reduction == SL_REDUCE_SUM) return sum;
    return recipe->crowd_masked_mean ? sum / (SCENE_COUNT * SCENE_ANNOTATORS) : sum / answers;
}

/* The reduced loss. Weights of ent-wc are those of `at` if they are detached. */
static double formula(const struct method_scene *scene, const double *logits, const double *values,
                      const double *at)
{
    const struct sl_recipe *recipe = &scene->recipe;
    const char *name = recipe->method;
    if (strcmp(name, "crowd-layer") == 0) return crowd_formula(scene, logits, values);
    const size_t copies = strcmp(name, "regmixup") == 0 ? 2 : 1;
    double sum = 0;
    for (size_t i = 0; i < copies * SCENE_COUNT; i++) {
        const double *row = logits + i * SCENE_CLASSES;
        const double *source = recipe->detach ? at + i * SCENE_CLASSES : row;
        double weight = 1 / (double)copies;
        if (strcmp(name, "ent-wc") == 0)
            weight = fmax(recipe->kappa, fmin(1, log(2) / entropy(source)));
        sum += weight * cross_entropy(row, scene->batch_targets + i * SCENE_CLASSES);
        if (strcmp(name, "mix-maxent") == 0)
            sum -= recipe->eta * entropy(row + (size_t)SCENE_COUNT * SCENE_CLASSES);
    }
    return recipe->reduction == SL_REDUCE_SUM ? sum : sum / SCENE_COUNT;
}

/* ---- Comparisons ---- */

struct point {
    double logits[SCENE_LOGITS];
    double values[SCENE_ANNOTATORS * SCENE_CLASSES * SCENE_CLASSES];
};

static struct point point_of(const struct method_scene *scene)
{
    struct point point = {0};
    for (size_t i = 0; i < SCENE_LOGITS; i++)
        point.logits[i] = (double)scene->logits[i];
    for (size_t i = 0; i < scene->method->n_values; i++)
        point.values[i] = (double)scene->method->values[i];
    return point;
}

/* The slope of the formula along one coordinate of `moved`, which is put back. */
static double slope(const struct method_scene *scene, struct point *moved, double *coordinate,
                    const struct point *at)
{
    const double step = 1e-5, kept = *coordinate;
    *coordinate = kept + step;
    const double more = formula(scene, moved->logits, moved->values, at->logits);
    *coordinate = kept - step;
    const double less = formula(scene, moved->logits, moved->values, at->logits);
    *coordinate = kept;
    return (more - less) / (2 * step);
}

static void check_gradient(const struct method_scene *scene)
{
    const struct point at = point_of(scene);
    struct point moved = at;
    const size_t n_logits = scene_n_logits(scene);
    for (size_t i = 0; i < n_logits; i++) {
        const double expected = slope(scene, &moved, &moved.logits[i], &at);
        assert_near(scene->gradient[i], expected, 5e-6 * (1 + fabs(expected)));
    }
    for (size_t i = 0; i < scene->method->n_values; i++) {
        const double expected = slope(scene, &moved, &moved.values[i], &at);
        assert_near(scene->method->gradients[i], expected, 2e-5 * (1 + fabs(expected)));
    }
}

static void test_every_gradient_is_the_slope_of_the_formula(void **state)
{
    (void)state;
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (int kind = 0; kind < N_ROWS; kind++) {
            struct method_scene *scene = scene_of(&variants[v], (enum rows)kind);
            scene_loss(scene);
            check_gradient(scene);
            scene_destroy(scene);
        }
}

static void test_every_total_is_the_formula_summed(void **state)
{
    (void)state;
    for (size_t v = 0; v < N_VARIANTS; v++)
        for (int kind = 0; kind < N_ROWS; kind++) {
            struct method_scene *scene = scene_of(&variants[v], (enum rows)kind);
            const struct point at = point_of(scene);
            scene->recipe.reduction = SL_REDUCE_SUM;
            const double expected = formula(scene, at.logits, at.values, at.logits);
            assert_near(scene_loss(scene), expected, 1e-6 * (1 + fabs(expected)));
            scene_destroy(scene);
        }
}

/* The scenes exercise what they are there for: weights at kappa, between, and at 1. */
static void test_the_scenes_reach_all_parts_of_the_clamp(void **state)
{
    const double kappa = .5;
    size_t below = 0, within = 0, above = 0;
    (void)state;
    for (int kind = 0; kind < N_ROWS; kind++) {
        struct method_scene *scene = scene_of(&variants[0], (enum rows)kind);
        const struct point at = point_of(scene);
        for (size_t i = 0; i < SCENE_COUNT; i++) {
            const double ratio = log(2) / entropy(at.logits + i * SCENE_CLASSES);
            below += ratio < kappa;
            within += ratio > kappa && ratio < 1;
            above += ratio > 1;
        }
        scene_destroy(scene);
    }
    assert_true(below > 2 && within > 2 && above > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_gradient_is_the_slope_of_the_formula),
        cmocka_unit_test(test_every_total_is_the_formula_summed),
        cmocka_unit_test(test_the_scenes_reach_all_parts_of_the_clamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
