#include "corrupt_scene.h"

enum { SIDE = 64, COUNT = SIDE * SIDE * 3 };

struct moments {
    double mean, deviation;
};

static struct moments moments_of(const char *name, int severity, uint8_t value)
{
    struct sl_image image = test_plain(SIDE, 3, value);
    uint8_t *out = test_corrupt(name, severity, 1, 0, &image);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < COUNT; i++) {
        sum += out[i];
        squares += (double)out[i] * out[i];
    }
    free(out);
    sl_image_release(&image);
    const double mean = sum / COUNT;
    return (struct moments){mean, sqrt(squares / COUNT - mean * mean)};
}

/* Rounding down costs half a grey level and adds 1/12 to the variance. 12,288 values: standard
 * errors are a hundredth of the deviation, tolerances four of them. */
static void check_grain(const char *name, int severity, uint8_t value, double deviation)
{
    const struct moments found = moments_of(name, severity, value);
    assert_near(found.mean, value - .5, 4 * deviation / 110);
    assert_near(found.deviation, sqrt(deviation * deviation + 1.0 / 12), 4 * deviation / 156);
}

static void test_gaussian_noise_has_the_published_deviations(void **state)
{
    (void)state;
    const double published[] = {.04, .06, .08, .09, .10};
    for (int severity = 1; severity <= 5; severity++)
        check_grain("gaussian_noise", severity, 128, 255 * published[severity - 1]);
}

static void test_speckle_noise_is_in_proportion_to_the_value(void **state)
{
    (void)state;
    const double published[] = {.06, .1, .12, .16, .2};
    for (int severity = 1; severity <= 5; severity++) {
        check_grain("speckle_noise", severity, 120, 120 * published[severity - 1]);
        check_grain("speckle_noise", severity, 60, 60 * published[severity - 1]);
    }
}

/* How many of the values are each count of photons, against the Poisson distribution: the
 * chi-squared sum over counts with 10 or more expected. */
static void check_poisson(uint8_t value, int severity, double photons)
{
    struct sl_image image = test_plain(SIDE, 3, value);
    uint8_t *out = test_corrupt("shot_noise", severity, 1, 0, &image);
    const double mean = value / 255.0 * photons;
    double chi_squared = 0;
    int cells = 0;
    for (int k = 0; k < (int)photons; k++) {
        const double expected = COUNT * exp(k * log(mean) - mean - lgamma(k + 1.0));
        const uint8_t byte = (uint8_t)(k / photons * 255);
        double found = 0;
        for (size_t i = 0; i < COUNT; i++)
            found += out[i] == byte;
        if (expected < 10) continue;
        chi_squared += (found - expected) * (found - expected) / expected;
        cells++;
    }
    assert_true(cells > 5);
    assert_true(chi_squared < cells + 4 * sqrt(2.0 * cells));
    free(out);
    sl_image_release(&image);
}

static void test_shot_noise_counts_photons(void **state)
{
    (void)state;
    check_poisson(20, 5, 50);   /* mean 3.9, by arrivals */
    check_poisson(51, 5, 50);   /* mean 10, by rejection */
    check_poisson(120, 3, 100); /* mean 47 */
    const struct moments found = moments_of("shot_noise", 1, 128);
    const double deviation = sqrt(128 / 255.0 * 500) / 500 * 255;
    assert_near(found.mean, 127.5, 4 * deviation / 110);
    assert_near(found.deviation, deviation, .25);
}

static void test_impulses_are_black_and_white_alike_and_per_channel(void **state)
{
    (void)state;
    const double published[] = {.01, .02, .03, .05, .07};
    struct sl_image image = test_plain(SIDE, 3, 100);
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("impulse_noise", severity, 1, 0, &image);
        double black = 0, white = 0, whole_pixels = 0;
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(out[i] == 100 || out[i] == 0 || out[i] == 255);
            black += out[i] == 0;
            white += out[i] == 255;
            whole_pixels += i % 3 == 0 && out[i] != 100 && out[i + 1] != 100 && out[i + 2] != 100;
        }
        const double expected = COUNT * published[severity - 1] / 2;
        assert_near(black, expected, 4 * sqrt(expected));
        assert_near(white, expected, 4 * sqrt(expected));
        assert_true(whole_pixels <= 8); /* 1.4 expected at severity 5 */
        free(out);
    }
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaussian_noise_has_the_published_deviations),
        cmocka_unit_test(test_speckle_noise_is_in_proportion_to_the_value),
        cmocka_unit_test(test_shot_noise_counts_photons),
        cmocka_unit_test(test_impulses_are_black_and_white_alike_and_per_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
