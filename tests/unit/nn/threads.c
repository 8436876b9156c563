/* Every network and every layer, forward and backward, with pools of 1, 2, 3 and 7 threads: the
 * same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nn/plan/plan.h"
#include "nn_sample_graph.h"
#include "pools.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/nn/optimiser.h"

enum { ITEMS = 3, STEPS = 2, TOKENS = 9, LETTERS = 7 };

/* What two steps of training leave. */
struct outcome {
    float *logits, *values, *state, *pixels_gradient, *evaluated;
    size_t n_logits, n_values, n_state, n_pixels;
};

static void free_outcome(struct outcome *outcome)
{
    free(outcome->logits);
    free(outcome->values);
    free(outcome->state);
    free(outcome->pixels_gradient);
    free(outcome->evaluated);
}

static float *copy_of(const float *from, size_t count)
{
    float *copy = sl_alloc(count + 1, sizeof *copy);
    if (from) memcpy(copy, from, count * sizeof *copy);
    return copy;
}

/* Items for any network. */
struct items {
    float *pixels;
    int32_t words[ITEMS * TOKENS], letters[ITEMS * LETTERS], positions[ITEMS];
    int32_t word_counts[ITEMS], letter_counts[ITEMS];
};

static void draw_items(const struct sl_input_shape *shape, struct items *items)
{
    const size_t n_pixels = ITEMS * shape->channels * shape->height * shape->width;
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "items", 0, 0);
    items->pixels = sl_alloc(n_pixels + 1, sizeof *items->pixels);
    for (size_t i = 0; i < n_pixels; i++)
        items->pixels[i] = (float)sl_rng_uniform(&rng);
    if (shape->tokens == 0) return;
    assert_true(shape->tokens <= TOKENS && shape->letters <= LETTERS);
    for (size_t i = 0; i < ITEMS * TOKENS; i++)
        items->words[i] = (int32_t)sl_rng_below(&rng, shape->vocabulary);
    for (size_t i = 0; shape->letters > 0 && i < ITEMS * LETTERS; i++)
        items->letters[i] = (int32_t)sl_rng_below(&rng, shape->alphabet);
    for (size_t i = 0; i < ITEMS; i++) {
        items->word_counts[i] = 1 + (int32_t)sl_rng_below(&rng, shape->tokens);
        items->letter_counts[i] = 1 + (int32_t)sl_rng_below(&rng, shape->letters + 1);
        if (shape->letters > 0 && items->letter_counts[i] > (int32_t)shape->letters)
            items->letter_counts[i] = (int32_t)shape->letters;
        items->positions[i] = (int32_t)sl_rng_below(&rng, (uint64_t)items->word_counts[i]);
    }
}

static struct sl_plan *plan_of(struct sl_model *model, struct sl_pool *pool, bool training,
                               bool pixels)
{
    struct sl_plan_options options = sl_plan_options_default();
    struct sl_plan *plan = NULL;
    struct sl_error err;
    options.batch = ITEMS;
    options.training = training;
    options.input_gradient = training && pixels;
    options.pool = pool;
    assert_ok(sl_plan_create(model, &options, &plan, &err), err);
    return plan;
}

static void take_step(struct sl_model *model, struct sl_plan *plan, const struct sl_batch *batch,
                      struct sl_pool *pool, float *velocity, bool first)
{
    static const size_t numbers[ITEMS] = {4, 1, 7};
    const size_t classes = sl_model_classes(model), n_values = sl_model_n_values(model);
    float *gradient = sl_alloc(ITEMS * classes, sizeof *gradient);
    sl_plan_draw_noise(plan, 1, first, numbers);
    const float *logits = sl_plan_forward(plan, batch);
    for (size_t i = 0; i < ITEMS * classes; i++)
        gradient[i] = .1F * tanhf(logits[i]) + (i % 3 ? .05F : -.05F);
    sl_plan_backward(plan, gradient);
    const double norm = sl_flat_norm(sl_plan_gradients(plan), n_values, pool);
    assert_true(norm > 0 && isfinite(norm));
    const struct sl_sgd sgd = {.rate = .05F,
                               .momentum = .9F,
                               .first = first,
                               .gradient_scale = (float)(1 / norm),
                               .pool = pool};
    sl_sgd_step(&sgd, sl_model_values(model), sl_plan_gradients(plan), velocity, n_values);
    sl_model_touch(model);
    free(gradient);
}

static struct outcome train(struct sl_model *model, const struct sl_input_shape *shape,
                            const struct items *items, struct sl_pool *pool)
{
    const struct sl_batch batch = {.pixels = items->pixels,
                                   .words = items->words,
                                   .word_counts = items->word_counts,
                                   .positions = items->positions,
                                   .letters = items->letters,
                                   .letter_counts = items->letter_counts};
    struct outcome out = {.n_logits = ITEMS * sl_model_classes(model),
                          .n_values = sl_model_n_values(model),
                          .n_state = sl_model_n_state(model),
                          .n_pixels = ITEMS * shape->channels * shape->height * shape->width};
    float *velocity = sl_alloc(out.n_values, sizeof *velocity);
    struct sl_plan *plan = plan_of(model, pool, true, out.n_pixels > 0);
    for (size_t step = 0; step < STEPS; step++)
        take_step(model, plan, &batch, pool, velocity, step == 0);
    out.pixels_gradient = copy_of(sl_plan_input_gradient(plan), out.n_pixels);
    out.logits = copy_of(sl_plan_forward(plan, &batch), out.n_logits);
    sl_plan_destroy(plan);
    out.values = copy_of(sl_model_values(model), out.n_values);
    out.state = copy_of(sl_model_state(model), out.n_state);
    plan = plan_of(model, pool, false, false);
    out.evaluated = copy_of(sl_plan_forward(plan, &batch), out.n_logits);
    sl_plan_destroy(plan);
    free(velocity);
    return out;
}

static void compare(const char *network, size_t pool, const struct outcome *a,
                    const struct outcome *b)
{
    const bool same[] = {
        memcmp(a->logits, b->logits, a->n_logits * sizeof(float)) == 0,
        memcmp(a->values, b->values, a->n_values * sizeof(float)) == 0,
        memcmp(a->state, b->state, a->n_state * sizeof(float)) == 0,
        memcmp(a->pixels_gradient, b->pixels_gradient, a->n_pixels * sizeof(float)) == 0,
        memcmp(a->evaluated, b->evaluated, a->n_logits * sizeof(float)) == 0,
    };
    for (size_t i = 0; i < a->n_logits; i++)
        assert_true(isfinite(a->logits[i]) && isfinite(a->evaluated[i]));
    if (!same[0] || !same[1] || !same[2] || !same[3] || !same[4])
        fail_msg("%s, pool %zu: logits %d, values %d, state %d, gradient of pixels %d, "
                 "evaluation %d",
                 network, pool, same[0], same[1], same[2], same[3], same[4]);
}

/* `create` makes the same model whenever it is called. */
static void check_model(const char *name, struct sl_model *(*create)(const char *name),
                        const struct sl_input_shape *shape, struct sl_pool *const *pools)
{
    struct sl_model *model = create(name);
    struct items items;
    draw_items(shape, &items);
    struct outcome alone = train(model, shape, &items, NULL);
    sl_model_destroy(model);
    for (size_t i = 0; i < N_POOLS; i++) {
        model = create(name);
        struct outcome shared = train(model, shape, &items, pools[i]);
        compare(name, i, &shared, &alone);
        free_outcome(&shared);
        sl_model_destroy(model);
    }
    free_outcome(&alone);
    free(items.pixels);
}

static struct sl_input_shape shape_for(const char *network)
{
    const size_t side = strncmp(network, "vgg", 3) == 0 ? 32 : 16;
    if (!sl_network_reads_texts(network))
        return (struct sl_input_shape){.channels = 3, .height = side, .width = side};
    return (struct sl_input_shape){
        .tokens = TOKENS, .letters = LETTERS, .vocabulary = 30, .alphabet = 20};
}

static struct sl_model *network_model(const char *name)
{
    struct sl_model_options options = sl_model_options_default();
    struct sl_model *model = NULL;
    struct sl_error err;
    options.network = name;
    options.input = shape_for(name);
    assert_ok(sl_model_create(&options, &model, &err), err);
    return model;
}

/* Sanitizers make large networks slow; tests/long/threads trains them all. */
static const uint64_t most_multiply_adds = 45000000;

static uint64_t cost_of(const char *name)
{
    struct sl_model *model = network_model(name);
    const uint64_t cost = sl_model_multiply_adds(model);
    sl_model_destroy(model);
    return cost;
}

static void test_networks_have_the_same_bits_on_any_number_of_threads(void **state)
{
    for (const struct sl_network *network = sl_networks; network->name; network++) {
        const struct sl_input_shape shape = shape_for(network->name);
        if (cost_of(network->name) <= most_multiply_adds)
            check_model(network->name, network_model, &shape, *state);
    }
}

static struct sl_model *sample_images(const char *name)
{
    (void)name;
    return sample_image_model(5);
}

static struct sl_model *sample_texts(const char *name)
{
    (void)name;
    return sample_text_model(5);
}

static void test_layers_have_the_same_bits_on_any_number_of_threads(void **state)
{
    const struct sl_input_shape images = {
        .channels = SAMPLE_CHANNELS, .height = SAMPLE_SIDE, .width = SAMPLE_SIDE};
    const struct sl_input_shape texts = {.tokens = 6, .vocabulary = 20};
    check_model("every layer of images", sample_images, &images, *state);
    check_model("every layer of texts", sample_texts, &texts, *state);
}

static void test_steps_have_the_same_bits_on_any_number_of_threads(void **state)
{
    struct sl_pool *const *pools = *state;
    enum { COUNT = 50003 };
    float *w = sl_alloc(COUNT, sizeof *w), *g = sl_alloc(COUNT, sizeof *g);
    float *m = sl_alloc(COUNT, sizeof *m), *v = sl_alloc(COUNT, sizeof *v);
    float *expected = NULL;
    double norm = 0;
    for (size_t pool = 0; pool < N_POOLS; pool++) {
        for (size_t i = 0; i < COUNT; i++) {
            w[i] = (float)sin((double)i);
            g[i] = (float)cos(3 * (double)i);
            m[i] = v[i] = 0;
        }
        const struct sl_adam adam = {.rate = .1F,
                                     .beta1 = .9F,
                                     .beta2 = .99F,
                                     .epsilon = 1e-8F,
                                     .step = 1,
                                     .gradient_scale = .5F,
                                     .pool = pools[pool]};
        sl_adam_step(&adam, w, g, m, v, COUNT);
        const double here = sl_flat_norm(w, COUNT, pools[pool]);
        if (!expected) {
            expected = copy_of(w, COUNT);
            norm = here;
        }
        assert_memory_equal(w, expected, COUNT * sizeof *w);
        assert_memory_equal(&here, &norm, sizeof here);
    }
    free(w);
    free(g);
    free(m);
    free(v);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_layers_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(test_networks_have_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, make_pools, free_pools);
}
