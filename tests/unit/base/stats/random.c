#include "support.h"

enum { DRAWS = 100000 };

/* Random123's known answers for philox4x64-10. */
static void test_blocks_match_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint64_t key[2], counter[4], out[4];
    } cases[] = {
        {{0, 0},
         {0, 0, 0, 0},
         {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{UINT64_MAX, UINT64_MAX},
         {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t out[4];
        sl_philox4x64(cases[i].key, cases[i].counter, out);
        assert_memory_equal(out, cases[i].out, sizeof out);
    }
}

static void test_a_stream_walks_through_its_blocks(void **state)
{
    (void)state;
    struct sl_rng rng;
    sl_rng_init(&rng, 5, "walk", 2, 3);
    uint64_t counter[4] = {0, 3, 2, 0};
    for (uint64_t position = 0; position < 3; position++) {
        uint64_t block[4];
        counter[0] = position;
        sl_philox4x64(rng.key, counter, block);
        for (size_t i = 0; i < 4; i++)
            assert_true(sl_rng_next(&rng) == block[i]);
    }
}

/* The numbers of a study must not change with the version of the program. */
static void test_named_streams_give_the_numbers_they_always_gave(void **state)
{
    (void)state;
    struct sl_rng rng;
    sl_rng_init(&rng, 1, "augment.crop", 2, 3);
    assert_true(rng.key[0] == 1);
    assert_true(rng.key[1] == 0x3387919832fcf700);
    assert_true(sl_rng_next(&rng) == 0xb9473a0090f56961);
}

static double correlation_of(struct sl_rng *a, struct sl_rng *b)
{
    double *x = sl_alloc(DRAWS, sizeof *x), *y = sl_alloc(DRAWS, sizeof *y);
    for (size_t i = 0; i < DRAWS; i++) {
        x[i] = sl_rng_uniform(a);
        y[i] = sl_rng_uniform(b);
    }
    double r = sl_pearson(x, y, DRAWS);
    free(x);
    free(y);
    return r;
}

static void test_streams_that_differ_in_any_part_of_their_name_are_unrelated(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *purpose;
        uint64_t epoch, item;
    } others[] = {{2, "crop", 0, 0}, {1, "crop2", 0, 0}, {1, "Crop", 0, 0},         {1, "", 0, 0},
                  {1, "crop", 1, 0}, {1, "crop", 0, 1},  {1, "crop", 0, UINT64_MAX}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct sl_rng first, other;
        sl_rng_init(&first, 1, "crop", 0, 0);
        sl_rng_init(&other, others[i].seed, others[i].purpose, others[i].epoch, others[i].item);
        assert_near(correlation_of(&first, &other), 0, 3.5 / sqrt(DRAWS));
    }
    struct sl_rng epoch, item;
    sl_rng_init(&epoch, 1, "crop", 1, 0);
    sl_rng_init(&item, 1, "crop", 0, 1);
    assert_true(sl_rng_next(&epoch) != sl_rng_next(&item));
}

static void test_equal_names_give_equal_numbers(void **state)
{
    (void)state;
    struct sl_rng first, second;
    sl_rng_init(&first, 9, "mix", 4, 7);
    sl_rng_init(&second, 9, "mix", 4, 7);
    for (int i = 0; i < 100; i++)
        assert_true(sl_rng_next(&first) == sl_rng_next(&second));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov's distance between DRAWS values and a cumulative distribution, times the root
 * of their number; above 1.63 in one of a hundred fair samples. */
static double kolmogorov(double *values, double (*cumulative)(double, double, double), double a,
                         double b)
{
    qsort(values, DRAWS, sizeof *values, compare);
    double worst = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double p = cumulative(values[i], a, b);
        worst = fmax(worst, fmax((double)(i + 1) / DRAWS - p, p - (double)i / DRAWS));
    }
    return worst * sqrt(DRAWS);
}

static double uniform_below(double x, double a, double b)
{
    (void)a, (void)b;
    return x;
}

static double normal_below(double x, double a, double b)
{
    (void)a, (void)b;
    return 0.5 * erfc(-x * sqrt(0.5));
}

static double beta_below(double x, double a, double b)
{
    return sl_incomplete_beta(a, b, x);
}

static void test_uniforms_are_uniform_and_below_one(void **state)
{
    (void)state;
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "uniform", 0, 0);
    double *values = sl_alloc(DRAWS, sizeof *values);
    for (size_t i = 0; i < DRAWS; i++) {
        values[i] = sl_rng_uniform(&rng);
        assert_true(values[i] >= 0 && values[i] < 1);
    }
    assert_near(sl_mean(values, DRAWS), 0.5, 3 * 0.2887 / sqrt(DRAWS));
    assert_true(kolmogorov(values, uniform_below, 0, 0) < 1.63);
    free(values);
}

static void test_normals_are_normal(void **state)
{
    (void)state;
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "normal", 0, 0);
    double *values = sl_alloc(DRAWS, sizeof *values);
    for (size_t i = 0; i < DRAWS; i++)
        values[i] = sl_rng_normal(&rng);
    assert_near(sl_mean(values, DRAWS), 0, 3 / sqrt(DRAWS));
    assert_near(sl_sd(values, DRAWS), 1, 3 / sqrt(2.0 * DRAWS));
    assert_true(kolmogorov(values, normal_below, 0, 0) < 1.63);
    free(values);
}

/* Mean and variance of a gamma are both its shape. */
static void test_gammas_have_the_moments_of_their_shape(void **state)
{
    (void)state;
    static const double shapes[] = {0.01, 0.3, 0.99, 1, 2.5, 40, 1e6};
    double *values = sl_alloc(DRAWS, sizeof *values);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 3, "gamma", 0, k);
        double shape = shapes[k];
        for (size_t i = 0; i < DRAWS; i++) {
            values[i] = sl_rng_gamma(&rng, shape);
            assert_true(values[i] >= 0 && isfinite(values[i]));
        }
        double sd = sqrt(shape);
        assert_near(sl_mean(values, DRAWS), shape, 3 * sd / sqrt(DRAWS));
        double kurtosis = 3 + 6 / shape;
        assert_near(pow(sl_sd(values, DRAWS), 2), shape, 3 * shape * sqrt((kurtosis - 1) / DRAWS));
    }
    free(values);
}

static void test_betas_follow_their_distribution(void **state)
{
    (void)state;
    static const struct sl_beta shapes[] = {{1, 1}, {2, 5}, {0.5, 0.5}, {0.2, 3}, {300, 200}};
    double *values = sl_alloc(DRAWS, sizeof *values);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 3, "beta", 0, k);
        for (size_t i = 0; i < DRAWS; i++)
            values[i] = sl_rng_beta(&rng, shapes[k].a, shapes[k].b);
        assert_true(kolmogorov(values, beta_below, shapes[k].a, shapes[k].b) < 1.63);
    }
    free(values);
}

static void test_betas_of_tiny_shapes_lie_at_the_ends(void **state)
{
    (void)state;
    static const double shapes[] = {0.01, 1e-5, 1e-300, 5e-324};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 3, "tiny", 0, k);
        double sum = 0;
        for (size_t i = 0; i < DRAWS; i++) {
            double value = sl_rng_beta(&rng, shapes[k], shapes[k]);
            if (!(value >= 0 && value <= 1)) fail_msg("Beta gave %g", value);
            sum += value;
        }
        assert_near(sum / DRAWS, 0.5, 3 * 0.5 / sqrt(DRAWS));
    }
}

static void test_shapes_that_are_none_give_nan(void **state)
{
    (void)state;
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "wrong", 0, 0);
    assert_true(isnan(sl_rng_gamma(&rng, 0)));
    assert_true(isnan(sl_rng_gamma(&rng, -1)));
    assert_true(isnan(sl_rng_gamma(&rng, (double)NAN)));
    assert_true(isnan(sl_rng_gamma(&rng, (double)INFINITY)));
    assert_true(isnan(sl_rng_beta(&rng, 1, 0)));
    assert_true(isnan(sl_rng_beta(&rng, (double)NAN, 1)));
}

/* Pearson's statistic of counts that should be equal, over its degrees of freedom. */
static double chi_square(const size_t *counts, size_t n, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return sum / (double)(n - 1);
}

static void test_bounded_draws_are_equally_likely(void **state)
{
    (void)state;
    size_t counts[100] = {0};
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "below", 0, 0);
    for (size_t i = 0; i < DRAWS; i++)
        counts[sl_rng_below(&rng, 100)]++;
    assert_near(chi_square(counts, 100, DRAWS / 100.0), 1, 3 * sqrt(2 / 99.0));
    for (int i = 0; i < 100; i++)
        assert_int_equal(sl_rng_below(&rng, 1), 0);
}

/* With a bound of 3/4 of 2^64 the remainder of a plain draw would fall into the lowest third
 * twice as often as into either other. */
static void test_a_huge_bound_is_not_biased(void **state)
{
    (void)state;
    const uint64_t third = (uint64_t)1 << 62;
    size_t counts[3] = {0};
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "huge", 0, 0);
    for (size_t i = 0; i < DRAWS; i++) {
        uint64_t value = sl_rng_below(&rng, 3 * third);
        assert_true(value < 3 * third);
        counts[value / third]++;
    }
    for (int i = 0; i < 3; i++)
        assert_near((double)counts[i] / DRAWS, 1 / 3.0, 3 * sqrt(2 / 9.0 / DRAWS));
    /* The high word of a draw times 3/4 of 2^64, kept without rejection, is a multiple of 3
     * for two draws of four. */
    size_t residues[3] = {0};
    for (size_t i = 0; i < DRAWS; i++)
        residues[sl_rng_below(&rng, 3 * third) % 3]++;
    for (int i = 0; i < 3; i++)
        assert_near((double)residues[i] / DRAWS, 1 / 3.0, 3 * sqrt(2 / 9.0 / DRAWS));
}

static void test_categories_come_in_proportion_and_never_with_weight_zero(void **state)
{
    (void)state;
    static const double weights[] = {0, 3, 0, 1, 4, 0};
    size_t counts[6] = {0};
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "categorical", 0, 0);
    for (size_t i = 0; i < DRAWS; i++)
        counts[sl_rng_categorical(&rng, weights, 6)]++;
    for (size_t i = 0; i < 6; i++) {
        double p = weights[i] / 8;
        assert_near((double)counts[i] / DRAWS, p, 3 * sqrt(p * (1 - p) / DRAWS));
    }
}

static void test_a_permutation_has_every_number_once(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    size_t values[COUNT];
    bool seen[COUNT] = {false};
    struct sl_rng rng;
    sl_rng_init(&rng, 3, "permutation", 0, 0);
    sl_rng_permutation(&rng, values, COUNT);
    size_t fixed = 0;
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(values[i] < COUNT && !seen[values[i]]);
        seen[values[i]] = true;
        fixed += values[i] == i;
    }
    assert_true(fixed < 8);
    sl_rng_permutation(&rng, values, 0);
    sl_rng_permutation(&rng, values, 1);
    assert_int_equal(values[0], 0);
}

static void test_all_orders_of_four_are_equally_likely(void **state)
{
    (void)state;
    size_t counts[256] = {0}, orders[24], n_orders = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        struct sl_rng rng;
        size_t values[4] = {0, 1, 2, 3};
        sl_rng_init(&rng, 3, "orders", 0, i);
        sl_rng_shuffle(&rng, values, 4);
        counts[values[0] * 64 + values[1] * 16 + values[2] * 4 + values[3]]++;
    }
    for (size_t i = 0; i < 256; i++) {
        if (!counts[i]) continue;
        assert_true(n_orders < 24);
        orders[n_orders++] = counts[i];
    }
    assert_int_equal(n_orders, 24);
    assert_near(chi_square(orders, 24, DRAWS / 24.0), 1, 3 * sqrt(2 / 23.0));
}

static void test_a_sample_has_no_repeats(void **state)
{
    (void)state;
    static const struct {
        size_t count, n_draws;
    } cases[] = {{10, 10}, {10, 3}, {1, 1}, {5, 0}, {1000, 999}, {SIZE_MAX, 500}, {200000, 100000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t n = cases[k].n_draws;
        double *sorted = sl_alloc(n, sizeof *sorted);
        size_t *drawn = sl_alloc(n, sizeof *drawn);
        struct sl_rng rng;
        sl_rng_init(&rng, 3, "sample", 0, k);
        sl_rng_sample(&rng, cases[k].count, n, drawn);
        for (size_t i = 0; i < n; i++) {
            assert_true(drawn[i] < cases[k].count);
            sorted[i] = (double)drawn[i];
        }
        qsort(sorted, n, sizeof *sorted, compare);
        for (size_t i = 1; i < n; i++)
            assert_true(sorted[i] > sorted[i - 1]);
        free(sorted);
        free(drawn);
    }
}

/* Both which are drawn and where they stand: all 20 ordered pairs of 5 numbers. */
static void test_every_sample_in_every_order_is_equally_likely(void **state)
{
    (void)state;
    size_t counts[25] = {0}, pairs[20], n_pairs = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        struct sl_rng rng;
        size_t drawn[2];
        sl_rng_init(&rng, 3, "pairs", 0, i);
        sl_rng_sample(&rng, 5, 2, drawn);
        counts[drawn[0] * 5 + drawn[1]]++;
    }
    for (size_t i = 0; i < 25; i++) {
        if (i / 5 == i % 5)
            assert_int_equal(counts[i], 0);
        else
            pairs[n_pairs++] = counts[i];
    }
    assert_near(chi_square(pairs, 20, DRAWS / 20.0), 1, 3 * sqrt(2 / 19.0));
}

static void test_every_index_is_included_as_often_as_it_should(void **state)
{
    (void)state;
    enum { COUNT = 50, SAMPLE = 13, ROUNDS = 20000 };
    size_t counts[COUNT] = {0};
    for (size_t i = 0; i < ROUNDS; i++) {
        struct sl_rng rng;
        size_t drawn[SAMPLE];
        sl_rng_init(&rng, 3, "inclusion", 0, i);
        sl_rng_sample(&rng, COUNT, SAMPLE, drawn);
        for (size_t j = 0; j < SAMPLE; j++)
            counts[drawn[j]]++;
    }
    double p = (double)SAMPLE / COUNT;
    for (size_t i = 0; i < COUNT; i++)
        assert_near((double)counts[i] / ROUNDS, p, 3.5 * sqrt(p * (1 - p) / ROUNDS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_match_the_published_answers),
        cmocka_unit_test(test_a_stream_walks_through_its_blocks),
        cmocka_unit_test(test_named_streams_give_the_numbers_they_always_gave),
        cmocka_unit_test(test_streams_that_differ_in_any_part_of_their_name_are_unrelated),
        cmocka_unit_test(test_equal_names_give_equal_numbers),
        cmocka_unit_test(test_uniforms_are_uniform_and_below_one),
        cmocka_unit_test(test_normals_are_normal),
        cmocka_unit_test(test_gammas_have_the_moments_of_their_shape),
        cmocka_unit_test(test_betas_follow_their_distribution),
        cmocka_unit_test(test_betas_of_tiny_shapes_lie_at_the_ends),
        cmocka_unit_test(test_shapes_that_are_none_give_nan),
        cmocka_unit_test(test_bounded_draws_are_equally_likely),
        cmocka_unit_test(test_a_huge_bound_is_not_biased),
        cmocka_unit_test(test_categories_come_in_proportion_and_never_with_weight_zero),
        cmocka_unit_test(test_a_permutation_has_every_number_once),
        cmocka_unit_test(test_all_orders_of_four_are_equally_likely),
        cmocka_unit_test(test_a_sample_has_no_repeats),
        cmocka_unit_test(test_every_sample_in_every_order_is_equally_likely),
        cmocka_unit_test(test_every_index_is_included_as_often_as_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
