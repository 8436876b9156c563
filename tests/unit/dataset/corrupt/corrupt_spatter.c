#include "corrupt_scene.h"

static struct sl_error err;

static void test_water_brightens_and_mud_covers(void **state)
{
    (void)state;
    struct sl_image image = test_photo(32, 32, 3, 5);
    for (int severity = 1; severity <= 5; severity++) {
        uint8_t *out = test_corrupt("spatter", severity, 1, 2, &image);
        const double mud[3] = {63, 42, 20};
        size_t touched = 0;
        for (size_t i = 0; i < 32 * 32 * 3; i++) {
            const double before = image.pixels[i], after = out[i];
            if (severity <= 3)
                assert_true(after >= before - 1 && after <= before + .5 * 238 + 1);
            else /* between the image and the mud */
                assert_true(after >= fmin(before, mud[i % 3]) - 1 &&
                            after <= fmax(before, mud[i % 3]) + 1);
            touched += fabs(after - before) > 2;
        }
        assert_in_range(touched, 20, 32 * 32 * 3 / 2);
        free(out);
    }
    sl_image_release(&image);
}

static void test_without_liquid_nothing_shines(void **state)
{
    (void)state;
    const uint8_t dry[64] = {0};
    double light[64];
    assert_ok(sl_corrupt_drops(dry, 8, 8, light, &err), err);
    for (size_t i = 0; i < 64; i++)
        assert_near(light[i], 0, 0);
}

/* A square drop: light only where the liquid is, the brightest spot 1. The chain as a whole is
 * compared with OpenCV's in tests/parity. */
static void test_a_drop_shines_within_its_outline(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    uint8_t liquid[SIDE * SIDE] = {0};
    double light[SIDE * SIDE], most = 0;
    for (size_t y = 6; y < 18; y++)
        memset(liquid + y * SIDE + 6, 200, 12);
    assert_ok(sl_corrupt_drops(liquid, SIDE, SIDE, light, &err), err);
    size_t lit = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        assert_true(light[i] >= 0 && light[i] <= 1);
        if (!liquid[i]) assert_near(light[i], 0, 0);
        lit += light[i] > 0;
        most = fmax(most, light[i]);
    }
    assert_near(most, 1, 0);
    assert_in_range(lit, 20, 144);
    /* The embossing has its light at the lower right: the two corners differ. */
    assert_true(fabs(light[8 * SIDE + 8] - light[15 * SIDE + 15]) > .05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_water_brightens_and_mud_covers),
        cmocka_unit_test(test_without_liquid_nothing_shines),
        cmocka_unit_test(test_a_drop_shines_within_its_outline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
