#include "corrupt_scene.h"

/* The result for one pixel. */
static void check_pixel(const char *name, int severity, const uint8_t in[3], const uint8_t out[3])
{
    uint8_t pixels[3] = {in[0], in[1], in[2]};
    const struct sl_image image = {1, 1, 3, pixels};
    uint8_t *found = test_corrupt(name, severity, 1, 0, &image);
    for (size_t c = 0; c < 3; c++)
        assert_near(found[c], out[c], 0);
    free(found);
}

static void test_brightness_adds_to_the_value_and_keeps_the_colour(void **state)
{
    (void)state;
    /* Value 100 becomes 125.5; saturation 1/2 makes the others 62.75. */
    check_pixel("brightness", 2, (uint8_t[]){100, 50, 50}, (uint8_t[]){125, 62, 62});
    check_pixel("brightness", 2, (uint8_t[]){50, 100, 75}, (uint8_t[]){62, 125, 94});
    check_pixel("brightness", 5, (uint8_t[]){250, 10, 10}, (uint8_t[]){255, 10, 10});
    const double published[] = {.05, .1, .15, .2, .3};
    for (int severity = 1; severity <= 5; severity++) {
        const uint8_t grey = (uint8_t)(40 + 255 * published[severity - 1]);
        check_pixel("brightness", severity, (uint8_t[]){40, 40, 40}, (uint8_t[]){grey, grey, grey});
    }
}

static void test_brightness_keeps_every_hue(void **state)
{
    (void)state;
    /* At severity 2 from 204: 229.5, a ninth of a unit more for each channel: 1.125 times. */
    static const uint8_t order[6][3] = {{2, 1, 0}, {1, 2, 0}, {0, 2, 1},
                                        {0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    const uint8_t before[3] = {52, 132, 204}, after[3] = {58, 148, 229};
    for (size_t i = 0; i < 6; i++) {
        uint8_t in[3], out[3];
        for (size_t c = 0; c < 3; c++) {
            in[c] = before[order[i][c]];
            out[c] = after[order[i][c]];
        }
        check_pixel("brightness", 2, in, out);
    }
}

static void test_saturation_is_scaled_then_shifted(void **state)
{
    (void)state;
    check_pixel("saturate", 3, (uint8_t[]){200, 100, 100}, (uint8_t[]){200, 50, 50});
    check_pixel("saturate", 4, (uint8_t[]){100, 100, 100}, (uint8_t[]){100, 90, 90});
    check_pixel("saturate", 5, (uint8_t[]){200, 100, 150}, (uint8_t[]){200, 0, 100});
    check_pixel("saturate", 1, (uint8_t[]){0, 0, 0}, (uint8_t[]){0, 0, 0});
}

static void test_contrast_draws_each_channel_to_its_mean(void **state)
{
    (void)state;
    const double published[] = {.75, .5, .4, .3, .15};
    uint8_t pixels[6] = {0, 10, 30, 201, 10, 91}; /* means 100.5, 10, 60.5 */
    const struct sl_image image = {1, 2, 3, pixels};
    const double means[3] = {100.5, 10, 60.5};
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("contrast", severity, 1, 0, &image);
        for (size_t i = 0; i < 6; i++) {
            const double mean = means[i % 3];
            const double exact = mean + (pixels[i] - mean) * published[severity - 1];
            assert_true(out[i] <= exact + 1e-9 && out[i] > exact - 1 - 1e-9);
        }
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brightness_adds_to_the_value_and_keeps_the_colour),
        cmocka_unit_test(test_brightness_keeps_every_hue),
        cmocka_unit_test(test_saturation_is_scaled_then_shifted),
        cmocka_unit_test(test_contrast_draws_each_channel_to_its_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
