#include "corrupt_scene.h"

/* A grey image, black but for a white pixel in the middle. */
static struct sl_image point(void)
{
    struct sl_image image = test_plain(9, 1, 0);
    image.pixels[4 * 9 + 4] = 255;
    return image;
}

static void test_defocus_spreads_a_point_over_its_disk(void **state)
{
    (void)state;
    struct sl_image image = point();
    /* A disk of one pixel, softened: a = 1 / (1 + 2 e^(-1 / .32)) = .91922, b = .04039. */
    uint8_t *out = test_corrupt("defocus_blur", 1, 1, 0, &image);
    assert_int_equal(out[40], 215); /* 255 a a = 215.5 */
    assert_int_equal(out[41], 9);   /* 255 a b = 9.47 */
    assert_int_equal(out[50], 0);   /* 255 b b = .42 */
    free(out);
    /* Five pixels of 51, hardly softened. */
    out = test_corrupt("defocus_blur", 4, 1, 0, &image);
    for (size_t i = 0; i < 81; i++) {
        const bool inside = i == 31 || (i >= 39 && i <= 41) || i == 49;
        assert_in_range(out[i], inside ? 50 : 0, inside ? 51 : 0);
    }
    free(out);
    /* Nine of 28.3. */
    out = test_corrupt("defocus_blur", 5, 1, 0, &image);
    for (size_t i = 0; i < 81; i++) {
        const bool inside = i / 9 >= 3 && i / 9 <= 5 && i % 9 >= 3 && i % 9 <= 5;
        assert_int_equal(out[i], inside ? 28 : 0);
    }
    free(out);
    sl_image_release(&image);
}

static void test_defocus_reflects_at_the_border_without_the_edge(void **state)
{
    (void)state;
    uint8_t pixels[3] = {0, 90, 0};
    const struct sl_image image = {1, 3, 1, pixels};
    /* Severity 5 means nine pixels; beyond the edge of 0 90 0 lies 90 again, above it itself. */
    uint8_t *out = test_corrupt("defocus_blur", 5, 1, 0, &image);
    assert_in_range(out[0], 59, 60); /* two of three columns are 90 */
    assert_in_range(out[1], 29, 30);
    free(out);
}

static void test_gaussian_blur_of_a_point_is_a_gaussian(void **state)
{
    (void)state;
    struct sl_image image = point();
    uint8_t *out = test_corrupt("gaussian_blur", 5, 1, 0, &image);
    assert_int_equal(out[40], 40); /* 255 * .39894 ^ 2 = 40.6 */
    assert_int_equal(out[41], 24); /* e^-.5 of it = 24.6 */
    assert_int_equal(out[50], 14); /* e^-1 of it = 14.9 */
    free(out);
    sl_image_release(&image);
}

/* At severity 1 nothing is smoothed, so that where pixels come from can be read off. */
static void test_glass_takes_pixels_from_above_and_from_the_left(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    struct sl_image image = test_plain(SIDE, 1, 0);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        image.pixels[i] = (uint8_t)i;
    double from[4] = {0};
    for (uint64_t item = 0; item < 20; item++) {
        uint8_t *out = test_corrupt("glass_blur", 1, 1, item, &image);
        for (size_t y = 0; y < SIDE; y++) {
            for (size_t x = 0; x < SIDE; x++) {
                const size_t down = y - out[y * SIDE + x] / SIDE,
                             right = x - out[y * SIDE + x] % SIDE;
                assert_true(down <= 1 && right <= 1);
                assert_true((y > 1 && x > 1) || (down == 0 && right == 0));
                if (y > 1 && x > 1) from[2 * down + right]++;
            }
        }
        free(out);
    }
    for (size_t i = 0; i < 4; i++) /* 980 expected, standard deviation 27 */
        assert_near(from[i], 980, 110);
    sl_image_release(&image);
}

static void test_two_rounds_of_glass_reach_further(void **state)
{
    (void)state;
    struct sl_image image = test_photo(32, 32, 3, 1);
    double apart[2] = {0};
    for (uint64_t item = 0; item < 5; item++) {
        uint8_t *once = test_corrupt("glass_blur", 2, 1, item, &image);
        uint8_t *twice = test_corrupt("glass_blur", 4, 1, item, &image);
        for (size_t i = 0; i < 32 * 32 * 3; i++) {
            apart[0] += abs(once[i] - image.pixels[i]);
            apart[1] += abs(twice[i] - image.pixels[i]);
        }
        free(once);
        free(twice);
    }
    assert_true(apart[1] > 1.2 * apart[0]);
    sl_image_release(&image);
}

static void test_blurs_leave_a_plain_image_alone(void **state)
{
    (void)state;
    const char *const blurs[] = {"defocus_blur", "glass_blur", "motion_blur", "zoom_blur",
                                 "gaussian_blur"};
    struct sl_image image = test_plain(12, 3, 151);
    for (size_t n = 0; n < sizeof blurs / sizeof *blurs; n++) {
        for (int severity = 1; severity <= 5; severity++) {
            uint8_t *out = test_corrupt(blurs[n], severity, 1, 0, &image);
            for (size_t i = 0; i < 12 * 12 * 3; i++)
                assert_in_range(out[i], n == 2 ? 151 : 150, 151); /* motion blur rounds */
            free(out);
        }
    }
    sl_image_release(&image);
}

/* The point in the middle of an odd image stays there in every zoom, and all move outwards. */
static void test_zoom_blur_spreads_outwards_from_the_middle(void **state)
{
    (void)state;
    enum { SIDE = 33 };
    struct sl_image image = test_plain(SIDE, 1, 0);
    image.pixels[16 * SIDE + 16] = 255;
    image.pixels[16 * SIDE + 26] = 255;
    uint8_t *out = test_corrupt("zoom_blur", 5, 1, 0, &image);
    double outside = 0, inside = 0;
    for (size_t x = 17; x < SIDE; x++) {
        if (x > 26) outside += out[16 * SIDE + x];
        if (x > 18 && x < 26) inside += out[16 * SIDE + x];
    }
    assert_true(out[16 * SIDE + 16] > 100);
    assert_true(outside > 40);
    assert_true(inside < outside / 4);
    free(out);
    sl_image_release(&image);
}

static void test_motion_goes_in_many_directions_but_never_steeply(void **state)
{
    (void)state;
    enum { SIDE = 33, MIDDLE = 16 * SIDE + 16 };
    struct sl_image image = test_plain(SIDE, 1, 0);
    image.pixels[MIDDLE] = 255;
    double up = 0, down = 0;
    for (uint64_t item = 0; item < 60; item++) {
        uint8_t *out = test_corrupt("motion_blur", 5, 1, item, &image);
        for (size_t i = 0; i < SIDE * SIDE; i++) {
            if (out[i] == 0) continue;
            const size_t row = i / SIDE;
            const double y = (double)row - 16, x = (double)(i % SIDE) - 16;
            assert_true(x <= 0 && fabs(y) <= -x + 1); /* the light trails to the left */
            if (y < -1) up++;
            if (y > 1) down++;
        }
        free(out);
    }
    assert_true(up > 30 && down > 30);
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defocus_spreads_a_point_over_its_disk),
        cmocka_unit_test(test_defocus_reflects_at_the_border_without_the_edge),
        cmocka_unit_test(test_gaussian_blur_of_a_point_is_a_gaussian),
        cmocka_unit_test(test_glass_takes_pixels_from_above_and_from_the_left),
        cmocka_unit_test(test_two_rounds_of_glass_reach_further),
        cmocka_unit_test(test_blurs_leave_a_plain_image_alone),
        cmocka_unit_test(test_zoom_blur_spreads_outwards_from_the_middle),
        cmocka_unit_test(test_motion_goes_in_many_directions_but_never_steeply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
