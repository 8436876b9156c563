#include "corrupt_scene.h"

static void test_three_points_and_their_images_give_the_map(void **state)
{
    (void)state;
    const double from[3][2] = {{0, 0}, {2, 0}, {0, 4}};
    const double to[3][2] = {{1, 5}, {3, 6}, {-1, 13}};
    struct sl_affine map;
    assert_true(sl_affine_solve(from, to, &map));
    const double x[3] = {1, -.5, 1}, y[3] = {.5, 2, 5};
    for (size_t i = 0; i < 3; i++) {
        assert_near(map.x[i], x[i], 1e-12);
        assert_near(map.y[i], y[i], 1e-12);
    }
    const double in_a_row[3][2] = {{0, 0}, {1, 1}, {2, 2}};
    assert_false(sl_affine_solve(in_a_row, to, &map));
}

static void test_a_warp_reads_between_pixels_and_reflects_beyond(void **state)
{
    (void)state;
    const double in[4] = {0, 8, 4, 2};
    double out[4];
    const struct sl_extent line = {1, 4, 1};
    const struct sl_affine right = {{1, 0, 1}, {0, 1, 0}}, half = {{1, 0, .5}, {0, 1, 0}};
    const struct sl_affine left = {{1, 0, -1.25}, {0, 1, 0}};
    sl_affine_warp(in, line, &right, out);
    const double shifted[4] = {8, 4, 2, 4}; /* 4 lies beyond 2 */
    for (size_t i = 0; i < 4; i++)
        assert_near(out[i], shifted[i], 1e-12);
    sl_affine_warp(in, line, &half, out);
    const double between[4] = {4, 6, 3, 3};
    for (size_t i = 0; i < 4; i++)
        assert_near(out[i], between[i], 1e-12);
    sl_affine_warp(in, line, &left, out);
    const double before[4] = {7, 2, 6, 5}; /* at -1.25: 3/4 of 8 and 1/4 of 4 */
    for (size_t i = 0; i < 4; i++)
        assert_near(out[i], before[i], 1e-12);
}

static void test_elastic_moves_pixels_and_keeps_their_values(void **state)
{
    (void)state;
    struct sl_image image = test_plain(32, 3, 0);
    for (size_t i = 0; i < 32 * 32; i++)
        image.pixels[3 * i] = 250, image.pixels[3 * i + 1] = i / 32 < 16 ? 40 : 80;
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("elastic_transform", severity, 1, 1, &image);
        for (size_t i = 0; i < 32 * 32; i++) {
            assert_in_range(out[3 * i], 249, 250);
            assert_in_range(out[3 * i + 1], 39, 80);
            assert_int_equal(out[3 * i + 2], 0);
        }
        free(out);
    }
    sl_image_release(&image);
}

/* The map moves three points by up to .08 of the side, so the middle by little more; a bright spot
 * there must stay near, and does not stay put. */
static void test_the_affine_part_moves_the_middle_a_little(void **state)
{
    (void)state;
    struct sl_image image = test_plain(32, 1, 0);
    for (size_t k = 0; k < 9; k++)
        image.pixels[(15 + k / 3) * 32 + 15 + k % 3] = 255;
    double moved = 0;
    for (uint64_t item = 0; item < 40; item++) {
        uint8_t *out = test_corrupt("elastic_transform", 1, 1, item, &image);
        double weight = 0, y = 0, x = 0;
        for (size_t i = 0; i < 32 * 32; i++) {
            const size_t row = i / 32;
            weight += out[i];
            y += out[i] * (double)row;
            x += out[i] * (double)(i % 32);
        }
        const double distance = hypot(y / weight - 16, x / weight - 16);
        assert_true(distance < 4.5);
        moved += distance / 40;
        free(out);
    }
    assert_true(moved > .5 && moved < 2.5);
    sl_image_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_points_and_their_images_give_the_map),
        cmocka_unit_test(test_a_warp_reads_between_pixels_and_reflects_beyond),
        cmocka_unit_test(test_elastic_moves_pixels_and_keeps_their_values),
        cmocka_unit_test(test_the_affine_part_moves_the_middle_a_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
