#include "softlab/eval/attack.h"

#include <math.h>
#include <string.h>

#include "pools.h"
#include "softlab/nn/loss.h"

/* A linear model that can be worked by hand: images of one pixel, two classes, logits W x. */
enum { N = 3, CHANNELS = 3, CLASSES = 2 };
static const float weights[CLASSES][CHANNELS] = {{2, -1, 0}, {-2, 1, 0}};

struct linear {
    uint8_t pixels[N * CHANNELS];
    struct sl_dataset set;
    struct sl_feed *feed;
    struct sl_model *model;
    float targets[N * CLASSES];
    int32_t hard[N];
};

static void write_tensor(struct sl_model *model, const char *name, const float *values)
{
    const struct sl_tensor_info *info = sl_model_tensor_find(model, name);
    assert_non_null(info);
    memcpy(sl_model_values(model) + info->offset, values, info->count * sizeof *values);
}

static void linear_init(struct linear *linear)
{
    struct sl_error err;
    static const uint8_t pixels[N * CHANNELS] = {128, 64, 7, 255, 0, 9, 51, 102, 200};
    *linear = (struct linear){.set = {.name = (char[]){"pixels"},
                                      .count = N,
                                      .height = 1,
                                      .width = 1,
                                      .channels = CHANNELS},
                              .targets = {1, 0, 0, 1, .25F, .75F},
                              .hard = {0, 1, 1}};
    memcpy(linear->pixels, pixels, sizeof pixels);
    linear->set.pixels = linear->pixels;
    assert_ok(sl_feed_images(&linear->set, &linear->feed, &err), err);
    struct sl_model_options options = sl_model_options_default();
    options.network = "mlp:hidden=2,slope=1,dropout=0";
    options.classes = CLASSES;
    options.input = (struct sl_input_shape){.channels = CHANNELS, .height = 1, .width = 1};
    assert_ok(sl_model_create(&options, &linear->model, &err), err);
    const float identity[] = {1, 0, 0, 1}, zero[] = {0, 0};
    write_tensor(linear->model, "hidden_layer.0.weight", weights[0]);
    write_tensor(linear->model, "hidden_layer.0.bias", zero);
    write_tensor(linear->model, "output_layer.0.weight", identity);
    write_tensor(linear->model, "output_layer.0.bias", zero);
    sl_model_touch(linear->model);
}

static void linear_release(struct linear *linear)
{
    sl_model_destroy(linear->model);
    sl_feed_destroy(linear->feed);
}

static struct sl_attack_items items_of(const struct linear *linear)
{
    return (struct sl_attack_items){linear->feed, NULL, N, linear->targets, linear->hard};
}

/* Cross-entropy of W x to a row of targets. */
static double loss_at(const double *x, const float *target)
{
    double logits[CLASSES] = {0}, sum = 0;
    for (size_t k = 0; k < CLASSES; k++) {
        for (size_t c = 0; c < CHANNELS; c++)
            logits[k] += (double)weights[k][c] * x[c];
        sum += exp(logits[k]);
    }
    double loss = 0;
    for (size_t k = 0; k < CLASSES; k++)
        loss -= (double)target[k] * (logits[k] - log(sum));
    return loss;
}

/* The gradient by x has the sign of (p - t) W: up or down along the first two channels, 0 along the
 * third, which must not move. */
static void test_fgsm_is_exact_on_a_linear_model(void **state)
{
    (void)state;
    struct linear linear;
    linear_init(&linear);
    struct sl_error err;
    struct sl_attack_options options = sl_attack_preset_find("fgsm-collins2022")->options;
    options.bound = options.step = .1;
    struct sl_attack_result result;
    const struct sl_attack_items items = items_of(&linear);
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &result, &err), err);
    double clean = 0, attacked = 0;
    for (size_t i = 0; i < N; i++) {
        double x[CHANNELS], moved[CHANNELS], logit = 0;
        for (size_t c = 0; c < CHANNELS; c++) {
            x[c] = linear.pixels[i * CHANNELS + c] / 255.0;
            logit += 2 * (double)weights[0][c] * x[c];
        }
        const double error = 1 / (1 + exp(-logit)) - (double)linear.targets[i * CLASSES];
        for (size_t c = 0; c < CHANNELS; c++) {
            const double slope = error * (double)weights[0][c];
            moved[c] = fmin(fmax(x[c] + .1 * ((slope > 0) - (slope < 0)), 0), 1);
        }
        clean += loss_at(x, linear.targets + i * CLASSES) / N;
        attacked += loss_at(moved, linear.targets + i * CLASSES) / N;
        double want = 0;
        for (size_t c = 0; c < CHANNELS; c++)
            want += (double)weights[0][c] * moved[c];
        assert_near(result.logits[i * CLASSES], want, 1e-6);
    }
    assert_near(result.clean_loss, clean, 1e-6);
    assert_near(result.losses[0], clean, 1e-6);
    assert_near(result.loss, attacked, 1e-6);
    assert_near(result.losses[1], attacked, 1e-6);
    assert_true(attacked > clean);
    sl_attack_result_release(&result);
    linear_release(&linear);
}

/* On a linear model the worst point of the ball is a corner, which small steps reach and never
 * leave. */
static void test_pgd_stays_in_the_ball_and_reaches_its_corner(void **state)
{
    (void)state;
    struct linear linear;
    linear_init(&linear);
    struct sl_error err;
    const struct sl_attack_items items = items_of(&linear);
    struct sl_attack_options fgsm = {.bound = .1, .step = 1, .iterations = 1};
    struct sl_attack_options pgd = {
        .bound = .1, .step = .03, .iterations = 12, .random_start = true, .restarts = 2, .seed = 4};
    struct sl_attack_result one, many;
    assert_ok(sl_attack(linear.model, &items, &fgsm, NULL, &one, &err), err);
    assert_ok(sl_attack(linear.model, &items, &pgd, NULL, &many, &err), err);
    assert_near(many.loss, one.loss, 1e-6);
    assert_near(many.losses[12], one.loss, 1e-6);
    assert_near(many.losses[13 + 12], one.loss, 1e-6);
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 1; i <= 12; i++)
            assert_true(many.losses[r * 13 + i] >= many.losses[r * 13 + i - 1] - 1e-7);
    assert_true(fabs(many.losses[0] - many.losses[13]) > 1e-6); /* two different starts */
    sl_attack_result_release(&one);
    sl_attack_result_release(&many);
    linear_release(&linear);
}

static void test_batches_change_nothing(void **state)
{
    (void)state;
    struct linear linear;
    linear_init(&linear);
    struct sl_error err;
    const struct sl_attack_items items = items_of(&linear);
    struct sl_attack_options options = {
        .bound = .05, .step = .02, .iterations = 4, .random_start = true, .seed = 9};
    struct sl_attack_result whole, parts;
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &whole, &err), err);
    options.batch = 2;
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &parts, &err), err);
    for (size_t i = 0; i <= 4; i++)
        assert_near(parts.losses[i], whole.losses[i], 1e-6);
    for (size_t i = 0; i < N * CLASSES; i++)
        assert_near(parts.logits[i], whole.logits[i], 1e-5);
    sl_attack_result_release(&whole);
    sl_attack_result_release(&parts);
    linear_release(&linear);
}

/* A step too long for the ball's width overshoots on the way; the best iterate does not. */
static void test_the_best_iterate_is_never_worse_than_the_last(void **state)
{
    (void)state;
    struct sl_error err;
    struct linear linear;
    linear_init(&linear);
    const struct sl_attack_items items = items_of(&linear);
    struct sl_attack_options options = {.bound = .5, .step = .3, .iterations = 5};
    struct sl_attack_result last, best;
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &last, &err), err);
    options.keep_best = true;
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &best, &err), err);
    assert_true(best.loss >= last.loss);
    sl_attack_result_release(&last);
    sl_attack_result_release(&best);
    linear_release(&linear);
}

static void test_another_normalisation_is_what_the_network_sees(void **state)
{
    (void)state;
    struct sl_error err;
    struct linear linear;
    linear_init(&linear);
    const float mean[] = {.5F, .25F, .1F}, deviation[] = {.5F, 2, 1};
    const struct sl_attack_items items = items_of(&linear);
    struct sl_attack_options options = {
        .bound = 1e-6, .step = 1e-6, .iterations = 1, .mean = mean, .deviation = deviation};
    struct sl_attack_result result;
    assert_ok(sl_attack(linear.model, &items, &options, NULL, &result, &err), err);
    double want = 0;
    for (size_t c = 0; c < CHANNELS; c++)
        want += (double)weights[0][c] * (linear.pixels[c] / 255.0 - (double)mean[c]) /
                (double)deviation[c];
    assert_near(result.logits[0], want, 1e-5);
    sl_attack_result_release(&result);
    linear_release(&linear);
}

static void test_threads_find_the_same_images(void **state)
{
    (void)state;
    struct sl_error err;
    struct linear linear;
    linear_init(&linear);
    const struct sl_attack_items items = items_of(&linear);
    for (const struct sl_attack_preset *p = sl_attack_presets; p->name; p++) {
        struct sl_attack_options options = p->options;
        struct sl_attack_result alone, shared;
        options.restarts = 2;
        assert_ok(sl_attack(linear.model, &items, &options, NULL, &alone, &err), err);
        for (size_t i = 0; i < N_POOLS; i++) {
            options.pool = test_pool(i);
            assert_ok(sl_attack(linear.model, &items, &options, NULL, &shared, &err), err);
            const size_t n_losses = 2 * (options.iterations + 1);
            assert_memory_equal(shared.losses, alone.losses, n_losses * sizeof *alone.losses);
            assert_memory_equal(shared.logits, alone.logits, sizeof(float[N * CLASSES]));
            assert_near(shared.loss, alone.loss, 0);
            assert_near(shared.accuracy, alone.accuracy, 0);
            sl_attack_result_release(&shared);
            sl_pool_destroy(options.pool);
        }
        sl_attack_result_release(&alone);
    }
    linear_release(&linear);
}

static void test_what_cannot_be_attacked_is_refused(void **state)
{
    (void)state;
    struct sl_error err;
    struct linear linear;
    linear_init(&linear);
    struct sl_attack_items items = items_of(&linear);
    struct sl_attack_options options = sl_attack_options_default();
    struct sl_attack_result result;
    options.bound = 0;
    assert_fails(sl_attack(linear.model, &items, &options, NULL, &result, &err), SL_ERR_USAGE, err,
                 "needs a bound");
    options.bound = (double)NAN;
    assert_fails(sl_attack(linear.model, &items, &options, NULL, &result, &err), SL_ERR_USAGE, err,
                 "needs a bound");
    items.count = 0;
    assert_fails(sl_attack(linear.model, &items, &options, NULL, &result, &err), SL_ERR_INPUT, err,
                 "no items to attack");
    linear_release(&linear);
}

static void test_presets_are_complete_and_found(void **state)
{
    (void)state;
    for (const struct sl_attack_preset *p = sl_attack_presets; p->name; p++) {
        assert_ptr_equal(sl_attack_preset_find(p->name), p);
        assert_true(p->options.bound > 0 && p->options.step > 0 && p->options.iterations > 0);
        assert_true((p->options.mean == NULL) == (p->options.deviation == NULL));
    }
    assert_null(sl_attack_preset_find("nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fgsm_is_exact_on_a_linear_model),
        cmocka_unit_test(test_pgd_stays_in_the_ball_and_reaches_its_corner),
        cmocka_unit_test(test_batches_change_nothing),
        cmocka_unit_test(test_the_best_iterate_is_never_worse_than_the_last),
        cmocka_unit_test(test_another_normalisation_is_what_the_network_sees),
        cmocka_unit_test(test_threads_find_the_same_images),
        cmocka_unit_test(test_what_cannot_be_attacked_is_refused),
        cmocka_unit_test(test_presets_are_complete_and_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
