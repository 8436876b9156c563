#include "softlab/nn/optimiser.h"

#include "support.h"

/* Not a multiple of 8, so that the tests cover whole vectors and the rest. */
enum { COUNT = 43, STEPS = 4 };

static void draw(float *values, uint64_t item)
{
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "test.optimiser", 0, item);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (float)sl_rng_normal(&rng);
}

static void test_the_norm_is_exact_and_does_not_overflow(void **state)
{
    static const float few[] = {3, -4}, large[] = {3e38f, 0, -4e37f};
    (void)state;
    assert_near(sl_flat_norm(few, 2, NULL), 5, 0);
    assert_near(sl_flat_norm(few, 0, NULL), 0, 0);
    assert_near(sl_flat_norm(large, 3, NULL), sqrt(9.16) * 1e38, 1e32);
    float values[200];
    double sum = 0;
    for (size_t count = 0; count < 200; count++) {
        assert_near(sl_flat_norm(values, count, NULL), sqrt(sum), 1e-13);
        values[count] = .1f * (float)count;
        sum += (double)values[count] * (double)values[count];
    }
    values[150] = NAN;
    assert_true(isnan(sl_flat_norm(values, 200, NULL)));
}

/* The equations in double, value by value. */
static void sgd_in_double(const struct sl_sgd *sgd, double *w, const float *gradients, double *v)
{
    for (size_t i = 0; i < COUNT; i++) {
        const double g =
            (double)sgd->gradient_scale * (double)gradients[i] + (double)sgd->weight_decay * w[i];
        v[i] = sgd->first ? g : (double)sgd->momentum * v[i] + g;
        w[i] -= (double)sgd->rate * (sgd->nesterov ? g + (double)sgd->momentum * v[i] : v[i]);
    }
}

static void check_sgd(struct sl_sgd sgd)
{
    float values[COUNT], gradients[COUNT], velocity[COUNT];
    double w[COUNT], v[COUNT];
    draw(values, 0);
    for (size_t i = 0; i < COUNT; i++) {
        w[i] = (double)values[i];
        velocity[i] = NAN; /* the first step must not read it */
    }
    for (size_t step = 0; step < STEPS; step++) {
        draw(gradients, 1 + step);
        sgd.first = step == 0;
        sl_sgd_step(&sgd, values, gradients, velocity, COUNT);
        sgd_in_double(&sgd, w, gradients, v);
        for (size_t i = 0; i < COUNT; i++) {
            assert_near(values[i], w[i], 1e-6);
            assert_near(velocity[i], v[i], 2e-6);
        }
    }
}

static void test_sgd_follows_its_equations(void **state)
{
    (void)state;
    check_sgd((struct sl_sgd){.rate = .1f, .gradient_scale = 1});
    check_sgd(
        (struct sl_sgd){.rate = .1f, .momentum = .9f, .weight_decay = .05f, .gradient_scale = 1});
    check_sgd((struct sl_sgd){.rate = .1f,
                              .momentum = .9f,
                              .weight_decay = .05f,
                              .nesterov = true,
                              .gradient_scale = .3f});
}

/* w = 1, g = 2 then 1, rate .1, momentum .9, decay .5, clipped to a half:
 * g' = 1 + .5 = 1.5, v = 1.5;  then from the new w. */
static void test_sgd_by_hand(void **state)
{
    struct sl_sgd sgd = {
        .rate = .1f, .momentum = .9f, .weight_decay = .5f, .first = true, .gradient_scale = .5f};
    float w = 1, v = NAN, g = 2;
    (void)state;
    sl_sgd_step(&sgd, &w, &g, &v, 1);
    assert_near(v, 1.5, 1e-6);
    assert_near(w, .85, 1e-6);
    sgd.first = false;
    g = 1;
    sl_sgd_step(&sgd, &w, &g, &v, 1); /* g' = .5 + .425, v = 1.35 + .925 */
    assert_near(v, 2.275, 1e-6);
    assert_near(w, .85 - .2275, 1e-6);
    sgd.nesterov = true;
    w = 1, v = 2, g = 2;
    sl_sgd_step(&sgd, &w, &g, &v, 1); /* g' = 1.5, v = 3.3, step 1.5 + 2.97 */
    assert_near(v, 3.3, 1e-6);
    assert_near(w, 1 - .447, 1e-6);
}

/* RAdam's update as in its paper, except for the place of epsilon. */
static double rectified_update(const struct sl_adam *adam, double m, double v)
{
    const double beta2 = (double)adam->beta2, t = (double)adam->step;
    const double left2 = pow(beta2, t), longest = 2 / (1 - beta2) - 1;
    const double length = longest - 2 * t * left2 / (1 - left2);
    const double mean = m / (1 - pow((double)adam->beta1, t));
    if (length <= 5) return (double)adam->rate * mean;
    const double share =
        sqrt((length - 4) / (longest - 4) * (length - 2) / (longest - 2) * longest / length);
    return (double)adam->rate * share * mean * sqrt(1 - left2) / (sqrt(v) + (double)adam->epsilon);
}

static void adam_in_double(const struct sl_adam *adam, double *w, const float *gradients, double *m,
                           double *v)
{
    const double beta1 = (double)adam->beta1, beta2 = (double)adam->beta2;
    const double left1 = 1 - pow(beta1, (double)adam->step);
    const double left2 = 1 - pow(beta2, (double)adam->step);
    for (size_t i = 0; i < COUNT; i++) {
        const double g =
            (double)adam->gradient_scale * (double)gradients[i] + (double)adam->weight_decay * w[i];
        m[i] = beta1 * m[i] + (1 - beta1) * g;
        v[i] = beta2 * v[i] + (1 - beta2) * g * g;
        w[i] -= adam->rectified ? rectified_update(adam, m[i], v[i])
                                : (double)adam->rate / left1 * m[i] /
                                      (sqrt(v[i]) / sqrt(left2) + (double)adam->epsilon);
    }
}

static void check_adam(struct sl_adam adam)
{
    float values[COUNT], gradients[COUNT], first[COUNT] = {0}, second[COUNT] = {0};
    double w[COUNT], m[COUNT] = {0}, v[COUNT] = {0};
    draw(values, 0);
    for (size_t i = 0; i < COUNT; i++)
        w[i] = (double)values[i];
    for (adam.step = 1; adam.step <= 9; adam.step++) {
        draw(gradients, adam.step);
        sl_adam_step(&adam, values, gradients, first, second, COUNT);
        adam_in_double(&adam, w, gradients, m, v);
        for (size_t i = 0; i < COUNT; i++) {
            assert_near(values[i], w[i], 1e-6);
            assert_near(first[i], m[i], 1e-6);
            assert_near(second[i], v[i], 1e-6 * v[i]);
        }
    }
}

static void test_adam_follows_its_equations(void **state)
{
    (void)state;
    check_adam((struct sl_adam){
        .rate = .01f, .beta1 = .9f, .beta2 = .999f, .epsilon = 1e-8f, .gradient_scale = 1});
    /* With an epsilon as large as the gradients, its place in the formula matters. */
    check_adam((struct sl_adam){.rate = .1f,
                                .beta1 = .8f,
                                .beta2 = .95f,
                                .epsilon = .5f,
                                .weight_decay = .1f,
                                .gradient_scale = .25f});
}

static void test_radam_follows_its_equations(void **state)
{
    (void)state;
    check_adam((struct sl_adam){.rate = .01f,
                                .beta1 = .9f,
                                .beta2 = .999f,
                                .epsilon = 1e-8f,
                                .gradient_scale = 1,
                                .rectified = true});
    check_adam((struct sl_adam){.rate = .1f,
                                .beta1 = .8f,
                                .beta2 = .9f,
                                .epsilon = .5f,
                                .weight_decay = .1f,
                                .gradient_scale = .25f,
                                .rectified = true});
    /* A moving average that is always too short to have a variance. */
    check_adam((struct sl_adam){.rate = .1f,
                                .beta1 = .8f,
                                .beta2 = .6f,
                                .epsilon = 1e-8f,
                                .gradient_scale = 1,
                                .rectified = true});
}

/* The first step has the length of the rate, in the direction of the gradient. A zero gradient
 * changes nothing. */
static void test_the_first_step_of_adam_is_as_long_as_the_rate(void **state)
{
    const struct sl_adam adam = {.rate = .01f,
                                 .beta1 = .9f,
                                 .beta2 = .999f,
                                 .epsilon = 1e-8f,
                                 .step = 1,
                                 .gradient_scale = 1};
    float w[3] = {1, 1, 1}, m[3] = {0}, v[3] = {0};
    const float g[3] = {1e-3f, -50, 0};
    (void)state;
    sl_adam_step(&adam, w, g, m, v, 3);
    assert_near(w[0], .99, 1e-6);
    assert_near(w[1], 1.01, 1e-6);
    assert_near(w[2], 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_norm_is_exact_and_does_not_overflow),
        cmocka_unit_test(test_sgd_follows_its_equations),
        cmocka_unit_test(test_sgd_by_hand),
        cmocka_unit_test(test_adam_follows_its_equations),
        cmocka_unit_test(test_radam_follows_its_equations),
        cmocka_unit_test(test_the_first_step_of_adam_is_as_long_as_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
