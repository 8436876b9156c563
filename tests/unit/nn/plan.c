/* Plans against a plain reference: every layer, every fusion, every way in which gradients are
 * added. */
#include "nn/plan/plan.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "allocations.h"
#include "nn_reference.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "support.h"

enum { IMAGES = 3 };

static size_t conv(struct sl_nn_graph *g, size_t input, size_t channels, size_t kernel,
                   size_t stride)
{
    char name[32];
    snprintf(name, sizeof name, "conv%zu", g->count);
    return sl_nn_conv(g, input, name,
                      (struct sl_nn_conv_spec){.channels = channels,
                                               .kernel = kernel,
                                               .stride = stride,
                                               .pad = kernel / 2,
                                               .bias = g->count % 2 == 0});
}

static size_t norm(struct sl_nn_graph *g, size_t input)
{
    char name[32];
    snprintf(name, sizeof name, "bn%zu", g->count);
    return sl_nn_batch_norm(g, input, name);
}

/* ---- the cases: each starts from a blocked map of 12 channels, 6x5 ---- */

static size_t build_conv3(struct sl_nn_graph *g, size_t x)
{
    return conv(g, x, 20, 3, 1);
}

static size_t build_conv_strided(struct sl_nn_graph *g, size_t x)
{
    return conv(g, conv(g, x, 16, 3, 2), 24, 1, 2);
}

static size_t build_conv_grouped(struct sl_nn_graph *g, size_t x)
{
    x = conv(g, x, 32, 1, 1);
    return sl_nn_conv(
        g, x, "grouped",
        (struct sl_nn_conv_spec){.channels = 32, .kernel = 3, .stride = 1, .pad = 1, .groups = 4});
}

static size_t build_norm(struct sl_nn_graph *g, size_t x)
{
    return norm(g, x);
}

static size_t build_norm_relu(struct sl_nn_graph *g, size_t x)
{
    return sl_nn_relu(g, norm(g, x), 0);
}

static size_t build_leaky(struct sl_nn_graph *g, size_t x)
{
    return sl_nn_relu(g, norm(g, x), .01F);
}

/* conv-bn-relu-conv-bn + x, relu */
static size_t build_basic_block(struct sl_nn_graph *g, size_t x)
{
    size_t y = sl_nn_relu(g, norm(g, conv(g, x, 12, 3, 1)), 0);
    y = norm(g, conv(g, y, 12, 3, 1));
    return sl_nn_relu(g, sl_nn_add(g, y, x), 0);
}

static size_t build_projection_block(struct sl_nn_graph *g, size_t x)
{
    size_t y = sl_nn_relu(g, norm(g, conv(g, x, 16, 3, 2)), 0);
    y = norm(g, conv(g, y, 16, 3, 1));
    const size_t shortcut = norm(g, conv(g, x, 16, 1, 2));
    return sl_nn_relu(g, sl_nn_add(g, y, shortcut), 0);
}

/* A shortcut that is subsampled and has fewer channels than the branch. */
static size_t build_option_a(struct sl_nn_graph *g, size_t x)
{
    size_t y = sl_nn_relu(g, norm(g, conv(g, x, 26, 3, 2)), 0);
    y = norm(g, conv(g, y, 26, 3, 1));
    return sl_nn_relu(g, sl_nn_add(g, y, sl_nn_subsample(g, x, 2, 0)), 0);
}

/* Two pre-activation blocks: a norm and the next addition read the same sum. */
static size_t build_preact(struct sl_nn_graph *g, size_t x)
{
    for (size_t i = 0; i < 2; i++) {
        size_t y = conv(g, sl_nn_relu(g, norm(g, x), 0), 12, 3, 1);
        y = conv(g, sl_nn_relu(g, norm(g, y), 0), 12, 3, 1);
        x = sl_nn_add(g, y, x);
    }
    return x;
}

/* A PyramidNet block: batch norm without ReLU at the end, and a shortcut that is pooled and padded
 * with channels. */
static size_t build_pyramid(struct sl_nn_graph *g, size_t x)
{
    size_t y = conv(g, norm(g, x), 21, 3, 2);
    y = norm(g, conv(g, sl_nn_relu(g, norm(g, y), 0), 21, 3, 1));
    return sl_nn_add(g, y, sl_nn_average_pool(g, x, 2, 2));
}

static size_t build_dense(struct sl_nn_graph *g, size_t x)
{
    for (size_t i = 0; i < 3; i++) {
        size_t y = conv(g, sl_nn_relu(g, norm(g, x), 0), 16, 1, 1);
        y = conv(g, sl_nn_relu(g, norm(g, y), 0), 5, 3, 1);
        x = sl_nn_concat(g, x, y);
    }
    x = conv(g, sl_nn_relu(g, norm(g, x), 0), 13, 1, 1);
    return sl_nn_average_pool(g, x, 2, 2);
}

static size_t build_shake(struct sl_nn_graph *g, size_t x)
{
    const size_t active = sl_nn_relu(g, x, 0);
    const size_t a = norm(g, conv(g, active, 16, 3, 2)), b = norm(g, conv(g, active, 16, 3, 2));
    const size_t left = conv(g, sl_nn_subsample(g, active, 2, 0), 8, 1, 1);
    const size_t right = conv(g, sl_nn_subsample(g, active, 2, 1), 8, 1, 1);
    const size_t shortcut = norm(g, sl_nn_concat(g, left, right));
    return sl_nn_add(g, sl_nn_shake(g, a, b), shortcut);
}

static size_t build_pools(struct sl_nn_graph *g, size_t x)
{
    return sl_nn_average_pool(g, sl_nn_max_pool(g, x, 2, 2), 2, 2);
}

static size_t build_global(struct sl_nn_graph *g, size_t x)
{
    return sl_nn_linear(g, sl_nn_global_pool(g, x), "fc", 7);
}

static size_t build_rows(struct sl_nn_graph *g, size_t x)
{
    x = sl_nn_linear(g, sl_nn_flatten(g, x), "hidden", 9);
    x = sl_nn_dropout(g, sl_nn_relu(g, x, .01F), .5F);
    return sl_nn_linear(g, x, "out", 4);
}

static size_t build_add_relu(struct sl_nn_graph *g, size_t x)
{
    const size_t a = sl_nn_max_pool(g, x, 2, 2), b = sl_nn_average_pool(g, x, 2, 2);
    return sl_nn_relu(g, sl_nn_add(g, a, b), 0);
}

/* An addition that reads a tensor twice, and a tensor with four readers. */
static size_t build_doubled(struct sl_nn_graph *g, size_t x)
{
    const size_t y = norm(g, conv(g, x, 12, 3, 1));
    const size_t twice = sl_nn_add(g, x, x);
    return sl_nn_add(g, sl_nn_add(g, twice, y), sl_nn_relu(g, x, 0));
}

static const struct {
    const char *name;
    size_t (*build)(struct sl_nn_graph *g, size_t x);
} cases[] = {
    {"conv3", build_conv3},
    {"conv strided", build_conv_strided},
    {"conv grouped", build_conv_grouped},
    {"norm", build_norm},
    {"norm relu", build_norm_relu},
    {"norm leaky", build_leaky},
    {"basic block", build_basic_block},
    {"projection block", build_projection_block},
    {"option A", build_option_a},
    {"preact", build_preact},
    {"pyramid", build_pyramid},
    {"dense", build_dense},
    {"shake", build_shake},
    {"pools", build_pools},
    {"global", build_global},
    {"rows", build_rows},
    {"add relu", build_add_relu},
    {"doubled", build_doubled},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static const float mean[3] = {.4914F, .4822F, .4465F}, deviation[3] = {.2F, .25F, .3F};

static struct sl_model *model_of(size_t index)
{
    struct sl_nn_graph g;
    sl_nn_graph_init(&g);
    size_t x = sl_nn_normalise(&g, sl_nn_pixels(&g, 3, 6, 5), mean, deviation);
    x = cases[index].build(&g, conv(&g, x, 12, 3, 1));
    if (g.nodes[x].shape.layout == SL_NN_BLOCKED) sl_nn_flatten(&g, x);
    struct sl_model *model = NULL;
    struct sl_error err = {0};
    assert_ok(sl_model_of_graph(&g, SL_INIT_PYTORCH, 11 + index, &model, &err), err);
    /* Norms with statistics as after training. */
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "test.norms", 0, index);
    for (size_t i = 0; i < model->n_tensors; i++) {
        const struct sl_tensor_info *tensor = &model->tensors[i];
        for (size_t j = 0; tensor->rank == 1 && j < tensor->count; j++) {
            float *to = tensor->kind == SL_TENSOR_VALUE ? model->values : model->state;
            to[tensor->offset + j] = (float)(.5 + sl_rng_uniform(&rng));
        }
    }
    return model;
}

static float *random_floats(size_t count, const char *purpose, uint64_t item)
{
    float *values = sl_alloc(count + 1, sizeof *values);
    struct sl_rng rng;
    sl_rng_init(&rng, 3, purpose, 0, item);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)sl_rng_uniform(&rng);
    return values;
}

/* ||a - b|| / ||b||; NaN if any value is NaN. */
static double distance(const float *a, const double *b, size_t count)
{
    double difference = 0, norm_b = 0;
    for (size_t i = 0; i < count; i++) {
        difference += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        norm_b += b[i] * b[i];
    }
    return norm_b > 0 ? sqrt(difference / norm_b) : sqrt(difference);
}

static void assert_close(const char *name, const char *what, const float *a, const double *b,
                         size_t count, double limit)
{
    const double e = distance(a, b, count);
    if (!(e <= limit)) fail_msg("%s: %s is off by %g (limit %g)", name, what, e, limit);
}

static const float *fill_noise(struct sl_plan *plan, float *copy)
{
    const size_t items[IMAGES] = {4, 8, 15};
    sl_plan_draw_noise(plan, 1, 0, items);
    size_t count, index = 0, total = 0;
    const char *name;
    for (float *noise; (noise = sl_plan_noise(plan, index, &count, &name)); index++) {
        memcpy(copy + total, noise, count * sizeof *copy);
        total += count;
    }
    return copy;
}

/* Compare one run of a plan of case `index` with the reference. */
static void compare(size_t index, struct sl_plan_options options)
{
    struct sl_model *model = model_of(index);
    struct reference reference;
    struct sl_plan *plan = NULL;
    struct sl_error err = {0};
    float *noise = sl_alloc(4096, sizeof *noise);
    const size_t n_pixels = (size_t)IMAGES * 3 * 6 * 5;
    float *pixels = random_floats(n_pixels, "pixels", index);
    options.batch = IMAGES;
    reference_init(&reference, model, IMAGES, options.training);
    assert_ok(sl_plan_create(model, &options, &plan, &err), err);
    const struct sl_batch batch = {.pixels = pixels};
    const size_t n_logits = IMAGES * model->graph.nodes[model->graph.count - 1].shape.channels;
    float *upstream = random_floats(n_logits, "upstream", index);
    fill_noise(plan, noise);
    const double *expected = reference_forward(&reference, pixels, noise);
    assert_close(cases[index].name, "output", sl_plan_forward(plan, &batch), expected, n_logits,
                 2e-6);
    assert_close(cases[index].name, "state", model->state, reference.state, model->n_state, 1e-6);
    if (options.training || options.input_gradient) {
        sl_plan_backward(plan, upstream);
        reference_backward(&reference, upstream);
    }
    if (options.training)
        assert_close(cases[index].name, "gradient", sl_plan_gradients(plan),
                     reference.value_gradient, model->n_values, 5e-6);
    if (options.input_gradient)
        assert_close(cases[index].name, "input gradient", sl_plan_input_gradient(plan),
                     reference.gradient[0], n_pixels, 5e-6);
    sl_plan_destroy(plan);
    reference_release(&reference);
    sl_model_destroy(model);
    free(noise);
    free(pixels);
    free(upstream);
}

static void test_every_layer_trains_like_the_reference(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++)
        compare(i, (struct sl_plan_options){.training = true, .input_gradient = true});
}

static void test_skipping_the_input_gradient_changes_no_other(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++)
        compare(i, (struct sl_plan_options){.training = true});
}

static void test_folded_evaluation_gives_the_reference_logits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++)
        compare(i, (struct sl_plan_options){.training = false});
}

static void test_attacks_get_the_input_gradient_of_evaluation(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_CASES; i++)
        compare(i, (struct sl_plan_options){.training = false, .input_gradient = true});
}

/* The backward pass of shake-shake is a derivative only if its coefficient equals that of the
 * forward pass. */
static void mend_shake(struct sl_plan *plan)
{
    size_t count;
    const char *name;
    for (size_t i = 0; sl_plan_noise(plan, i, &count, &name); i++) {
        float *noise = sl_plan_noise(plan, i, &count, &name);
        for (size_t j = 0; j < IMAGES && strcmp(name, "shake") == 0; j++)
            noise[IMAGES + j] = noise[j];
    }
}

/* Derivatives along the gradient, by differences of the plan's own forward pass. */
static void test_gradients_agree_with_finite_differences(void **unused)
{
    (void)unused;
    for (size_t index = 0; index < N_CASES; index++) {
        struct sl_model *model = model_of(index);
        struct sl_plan *plan = NULL;
        struct sl_error err = {0};
        const struct sl_plan_options options = {.batch = IMAGES, .training = true};
        assert_ok(sl_plan_create(model, &options, &plan, &err), err);
        float *noise = sl_alloc(4096, sizeof *noise);
        fill_noise(plan, noise);
        mend_shake(plan);
        float *pixels = random_floats((size_t)IMAGES * 3 * 6 * 5, "pixels", index);
        const struct sl_batch batch = {.pixels = pixels};
        const size_t n_logits = IMAGES * model->graph.nodes[model->graph.count - 1].shape.channels;
        float *upstream = random_floats(n_logits, "upstream", index);
        sl_plan_forward(plan, &batch);
        sl_plan_backward(plan, upstream);
        float *start = sl_alloc(model->n_values, sizeof *start);
        memcpy(start, model->values, model->n_values * sizeof *start);
        const float *gradient = sl_plan_gradients(plan);
        double square = 0, loss[2] = {0, 0};
        for (size_t i = 0; i < model->n_values; i++)
            square += (double)gradient[i] * (double)gradient[i];
        const double step = 1e-3 / sqrt(square);
        for (size_t side = 0; side < 2; side++) {
            for (size_t i = 0; i < model->n_values; i++)
                model->values[i] =
                    (float)((double)start[i] + (side ? -step : step) * (double)gradient[i]);
            sl_model_touch(model);
            const float *logits = sl_plan_forward(plan, &batch);
            for (size_t i = 0; i < n_logits; i++)
                loss[side] += (double)logits[i] * (double)upstream[i];
        }
        const double slope = (loss[0] - loss[1]) / (2 * step);
        if (!(fabs(slope / square - 1) <= 2e-2))
            fail_msg("%s: finite difference %g, gradient %g", cases[index].name, slope, square);
        sl_plan_destroy(plan);
        sl_model_destroy(model);
        free(noise);
        free(pixels);
        free(upstream);
        free(start);
    }
}

/* ---- how plans behave ---- */

static struct sl_model *small_resnet(void)
{
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL;
    struct sl_error err = {0};
    options.network = "resnet8";
    options.input = (struct sl_input_shape){.channels = 3, .height = 8, .width = 8};
    assert_ok(sl_model_create(&options, &model, &err), err);
    return model;
}

static void train_steps(struct sl_plan *plan, struct sl_model *model, size_t steps)
{
    const size_t batch_size = sl_plan_batch(plan);
    float *pixels = random_floats(batch_size * 3 * 8 * 8, "pixels", 0);
    float *upstream = random_floats(batch_size * 10, "upstream", 0);
    const struct sl_batch batch = {.pixels = pixels};
    for (size_t s = 0; s < steps; s++) {
        sl_plan_forward(plan, &batch);
        sl_plan_backward(plan, upstream);
        const float *gradient = sl_plan_gradients(plan);
        for (size_t i = 0; i < model->n_values; i++)
            model->values[i] -= 1e-4F * gradient[i];
        sl_model_touch(model);
    }
    free(pixels);
    free(upstream);
}

static void test_the_same_steps_give_the_same_bits(void **unused)
{
    (void)unused;
    struct sl_model *models[2];
    for (size_t i = 0; i < 2; i++) {
        struct sl_plan *plan = NULL;
        struct sl_error err = {0};
        const struct sl_plan_options options = {.batch = 4, .training = true};
        models[i] = small_resnet();
        assert_ok(sl_plan_create(models[i], &options, &plan, &err), err);
        train_steps(plan, models[i], 3);
        sl_plan_destroy(plan);
    }
    assert_memory_equal(models[0]->values, models[1]->values, models[0]->n_values * sizeof(float));
    assert_memory_equal(models[0]->state, models[1]->state, models[0]->n_state * sizeof(float));
    sl_model_destroy(models[0]);
    sl_model_destroy(models[1]);
}

/* A plan for a smaller batch that shares the memory of the first gives the same results. */
static void test_plans_that_share_memory_give_the_same_bits(void **unused)
{
    (void)unused;
    struct sl_model *models[2];
    for (size_t i = 0; i < 2; i++) {
        struct sl_plan *large = NULL, *small = NULL;
        struct sl_error err = {0};
        models[i] = small_resnet();
        struct sl_plan_options options = {.batch = 4, .training = true};
        assert_ok(sl_plan_create(models[i], &options, &large, &err), err);
        options.batch = 2;
        options.memory_of = i ? large : NULL;
        assert_ok(sl_plan_create(models[i], &options, &small, &err), err);
        if (i) assert_true(sl_plan_memory(small) < sl_plan_memory(large) / 2);
        for (size_t round = 0; round < 2; round++) {
            train_steps(large, models[i], 1);
            train_steps(small, models[i], 1);
        }
        sl_plan_destroy(small);
        sl_plan_destroy(large);
    }
    assert_memory_equal(models[0]->values, models[1]->values, models[0]->n_values * sizeof(float));
    sl_model_destroy(models[0]);
    sl_model_destroy(models[1]);
}

static void test_running_leaves_the_callers_rounding_alone(void **unused)
{
    (void)unused;
    struct sl_model *model = small_resnet();
    struct sl_plan *plan = NULL;
    struct sl_error err = {0};
    const struct sl_plan_options options = {.batch = 2, .training = true};
    assert_ok(sl_plan_create(model, &options, &plan, &err), err);
    const unsigned before = _mm_getcsr() & ~0x3fU; /* without the sticky exception flags */
    train_steps(plan, model, 1);
    assert_int_equal(_mm_getcsr() & ~0x3fU, before);
    sl_plan_destroy(plan);
    sl_model_destroy(model);
}

static void check_steps_allocate_nothing(struct sl_pool *pool)
{
    for (size_t index = 0; index < N_CASES; index++) {
        struct sl_model *model = model_of(index);
        struct sl_plan *plan = NULL;
        struct sl_error err = {0};
        const struct sl_plan_options options = {
            .batch = IMAGES, .training = true, .input_gradient = true, .pool = pool};
        assert_ok(sl_plan_create(model, &options, &plan, &err), err);
        float *pixels = random_floats((size_t)IMAGES * 3 * 6 * 5, "pixels", index);
        const size_t n_logits = IMAGES * model->graph.nodes[model->graph.count - 1].shape.channels;
        float *upstream = random_floats(n_logits, "upstream", index);
        const struct sl_batch batch = {.pixels = pixels};
        const size_t items[IMAGES] = {1, 2, 3};
        const size_t before = n_allocations;
        assert_true(before > 0);
        sl_plan_draw_noise(plan, 1, 0, items);
        sl_plan_forward(plan, &batch);
        sl_plan_backward(plan, upstream);
        assert_int_equal(n_allocations, before);
        sl_plan_destroy(plan);
        sl_model_destroy(model);
        free(pixels);
        free(upstream);
    }
}

static void test_a_step_allocates_nothing(void **unused)
{
    (void)unused;
    struct sl_pool *pool = NULL;
    struct sl_error err = {0};
    check_steps_allocate_nothing(NULL);
    assert_ok(sl_pool_create(3, &pool, &err), err);
    check_steps_allocate_nothing(pool);
    sl_pool_destroy(pool);
}

/* Under AddressSanitizer the C library's own count stays at 0.
 * NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
static size_t heap_in_use(void)
{
    if (__sanitizer_get_current_allocated_bytes) return __sanitizer_get_current_allocated_bytes();
    return mallinfo2().uordblks;
}

static void test_steps_do_not_grow_the_heap(void **unused)
{
    (void)unused;
    struct sl_model *model = small_resnet();
    struct sl_pool *pool = NULL;
    struct sl_plan *plan = NULL;
    struct sl_error err = {0};
    assert_ok(sl_pool_create(2, &pool, &err), err);
    const struct sl_plan_options options = {.batch = 2, .training = true, .pool = pool};
    assert_ok(sl_plan_create(model, &options, &plan, &err), err);
    train_steps(plan, model, 10);
    const size_t after_10 = heap_in_use();
    assert_true(after_10 > 0);
    train_steps(plan, model, 990);
    assert_int_equal(heap_in_use(), after_10);
    sl_plan_destroy(plan);
    sl_model_destroy(model);
    sl_pool_destroy(pool);
}

static void test_bad_plans_are_refused(void **unused)
{
    (void)unused;
    struct sl_model *model = small_resnet();
    struct sl_plan *plan = NULL;
    struct sl_error err = {0};
    assert_fails(sl_plan_create(model, &(struct sl_plan_options){.batch = 0}, &plan, &err),
                 SL_ERR_USAGE, err, "a batch must have at least 1 item");
    sl_model_destroy(model);
    struct sl_model_options options = sl_model_options_default();
    options.network = "resnet8";
    options.input = (struct sl_input_shape){.channels = 3, .height = 4, .width = 4};
    assert_ok(sl_model_create(&options, &model, &err), err);
    assert_fails(
        sl_plan_create(model, &(struct sl_plan_options){.batch = 1, .training = true}, &plan, &err),
        SL_ERR_INPUT, err, "larger batch");
    assert_null(plan);
    sl_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_layer_trains_like_the_reference),
        cmocka_unit_test(test_skipping_the_input_gradient_changes_no_other),
        cmocka_unit_test(test_folded_evaluation_gives_the_reference_logits),
        cmocka_unit_test(test_attacks_get_the_input_gradient_of_evaluation),
        cmocka_unit_test(test_gradients_agree_with_finite_differences),
        cmocka_unit_test(test_the_same_steps_give_the_same_bits),
        cmocka_unit_test(test_plans_that_share_memory_give_the_same_bits),
        cmocka_unit_test(test_running_leaves_the_callers_rounding_alone),
        cmocka_unit_test(test_a_step_allocates_nothing),
        cmocka_unit_test(test_steps_do_not_grow_the_heap),
        cmocka_unit_test(test_bad_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
