#include "nn_maps.h"

static void check_add(struct maps *maps)
{
    const size_t fewer = (maps->channels + 1) / 2;
    for (unsigned variant = 0; variant < 4; variant++) {
        const bool relu = variant & 1;
        struct sl_nn_tensor a = map_like(maps, maps->channels),
                            b = map_like(maps, variant & 2 ? fewer : maps->channels);
        const struct expected sums = expected_for(maps, &a);
        EXPECT_EACH(sums, a.images)
        {
            double sum = (double)*map_at(&a, n, c, p);
            if (c < b.channels) sum += (double)*map_at(&b, n, c, p);
            *expected_at(&sums, n, c, p) = relu && sum < 0 ? 0 : sum;
        }
        maps->kernels->add(&a, &b, relu, &a);
        assert_map(maps, &a, &sums, 1e-6);
    }
}

static void test_add_takes_tensors_with_fewer_channels(void **state)
{
    (void)state;
    each_shape(check_add);
}

static void check_relu(struct maps *maps)
{
    static const float slopes[] = {0, .01f};
    for (size_t s = 0; s < 2; s++) {
        const double slope = (double)slopes[s];
        struct sl_nn_tensor x = map_like(maps, maps->channels), y = map_like(maps, maps->channels),
                            g = map_like(maps, maps->channels);
        const struct expected out = expected_for(maps, &x), back = expected_for(maps, &x);
        EXPECT_EACH(out, x.images)
        {
            const double value = (double)*map_at(&x, n, c, p), up = (double)*map_at(&g, n, c, p);
            *expected_at(&out, n, c, p) = value > 0 ? value : slope * value;
            *expected_at(&back, n, c, p) = (value > 0 ? up : slope * up) + (s ? up : 0);
        }
        maps->kernels->relu_forward(&x, slopes[s], &y);
        assert_map(maps, &y, &out, 1e-6);
        maps->kernels->relu_backward(&y, &g, slopes[s], s ? &g : NULL, &g);
        assert_map(maps, &g, &back, 1e-6);
        maps->kernels->relu_forward(&x, slopes[s], &x);
        assert_map(maps, &x, &out, 1e-6);
    }
}

static void test_relu_goes_both_ways_with_and_without_a_slope(void **state)
{
    (void)state;
    each_shape(check_relu);
}

static void check_relu_of_odd_values(struct maps *maps)
{
    struct sl_nn_tensor x = map_like(maps, 1), y = map_like(maps, 1);
    float *in = map_at(&x, 0, 0, 0), *out = map_at(&y, 0, 0, 0);
    *in = NAN;
    maps->kernels->relu_forward(&x, 0, &y);
    assert_true(isnan(*out));
    maps->kernels->relu_forward(&x, .01f, &y);
    assert_true(isnan(*out));
    maps->kernels->add(&x, &x, true, &y);
    assert_true(isnan(*out));
    *in = -INFINITY;
    maps->kernels->relu_forward(&x, 0, &y);
    assert_true(*out == 0);
    maps->kernels->relu_backward(&y, &x, 0, NULL, &y);
    assert_true(*out == 0);
}

static void test_relu_hides_no_nan_and_makes_none_of_infinity(void **state)
{
    (void)state;
    each_shape(check_relu_of_odd_values);
}

static void check_subsample_by(struct maps *maps, size_t stride, size_t offset, bool add)
{
    if (offset >= maps->height || offset >= maps->width) return;
    const size_t height = (maps->height - offset + stride - 1) / stride,
                 width = (maps->width - offset + stride - 1) / stride;
    struct sl_nn_tensor x = map_like(maps, maps->channels), dx = map_like(maps, maps->channels),
                        y = map_of(maps, maps->channels, height, width);
    const struct expected out = expected_for(maps, &y), back = expected_for(maps, &dx);
    EXPECT_EACH(back, dx.images)
    {
        *expected_at(&back, n, c, p) = add ? (double)*map_at(&dx, n, c, p) : 0;
    }
    EXPECT_EACH(out, y.images)
    {
        const size_t from = (offset + p / width * stride) * x.width + offset + p % width * stride;
        *expected_at(&out, n, c, p) = (double)*map_at(&x, n, c, from);
        *expected_at(&back, n, c, from) += (double)*map_at(&x, n, c, from);
    }
    maps->kernels->subsample_forward(&x, stride, offset, &y);
    assert_map(maps, &y, &out, 0);
    maps->kernels->subsample_backward(&y, stride, offset, add ? &dx : NULL, &dx);
    assert_map(maps, &dx, &back, 1e-6);
}

static void check_subsample(struct maps *maps)
{
    check_subsample_by(maps, 2, 0, false);
    check_subsample_by(maps, 2, 1, true);
    check_subsample_by(maps, 3, 1, false);
}

static void test_subsample_takes_every_nth_pixel_and_gives_it_back(void **state)
{
    (void)state;
    each_shape(check_subsample);
}

/* Insert a part, check that nothing else changed, and extract the part again. */
static void check_channels_at(struct maps *maps, size_t first, size_t after)
{
    struct sl_nn_tensor part = map_like(maps, maps->channels),
                        whole = map_like(maps, first + maps->channels + after),
                        back = map_like(maps, maps->channels);
    const struct sl_nn_tensor before = map_copy(maps, &whole);
    const struct expected values = expected_for(maps, &part);
    EXPECT_EACH(values, part.images)
    {
        *expected_at(&values, n, c, p) = (double)*map_at(&part, n, c, p);
        *map_at(&before, n, first + c, p) = *map_at(&part, n, c, p);
    }
    maps->kernels->insert_channels(&part, first, &whole);
    assert_memory_equal(whole.data, before.data,
                        (whole.images * whole.image_stride - maps->gap) * sizeof(float));
    maps->kernels->extract_channels(&whole, first, &back);
    assert_map(maps, &back, &values, 0);
    for (size_t k = 0; k < maps->n_owned; k++)
        free(maps->owned[k]);
    maps->n_owned = 0;
}

static void check_channels(struct maps *maps)
{
    static const size_t firsts[] = {0, 1, 7, 8, 12, 36};
    static const size_t afters[] = {0, 1, 9};
    for (size_t i = 0; i < 6; i++)
        check_channels_at(maps, firsts[i], afters[(i + maps->channels) % 3]);
}

static void test_channels_go_in_at_any_place_and_come_out_again(void **state)
{
    (void)state;
    each_shape(check_channels);
}

static void check_global_pool(struct maps *maps)
{
    struct sl_nn_tensor x = map_like(maps, maps->channels), dx = map_like(maps, maps->channels);
    const struct sl_nn_tensor row = {
        .data = maps_keep(maps, maps->images * (maps->channels + 1) - 1, sizeof(float)),
        .layout = SL_NN_ROWS,
        .images = maps->images,
        .channels = maps->channels,
        .height = 1,
        .width = 1,
        .image_stride = maps->channels + 1};
    const struct expected back = expected_for(maps, &dx);
    const double pixels = (double)pixels_of(&x);
    maps->kernels->global_pool_forward(&x, &row);
    for (size_t n = 0; n < x.images; n++)
        for (size_t c = 0; c < x.channels; c++) {
            double sum = 0;
            for (size_t p = 0; p < pixels_of(&x); p++)
                sum += (double)*map_at(&x, n, c, p);
            assert_near(row.data[n * row.image_stride + c], sum / pixels, 1e-6);
        }
    for (size_t n = 0; n + 1 < x.images; n++)
        assert_true(row.data[n * row.image_stride + x.channels] == 0);

    EXPECT_EACH(back, dx.images)
    {
        const double share = (double)row.data[n * row.image_stride + c] / pixels;
        *expected_at(&back, n, c, p) = share + (double)*map_at(&x, n, c, p);
    }
    maps->kernels->global_pool_backward(&row, &x, &x);
    assert_map(maps, &x, &back, 1e-6);
    EXPECT_EACH(back, dx.images)
    {
        *expected_at(&back, n, c, p) = (double)row.data[n * row.image_stride + c] / pixels;
    }
    maps->kernels->global_pool_backward(&row, NULL, &dx);
    assert_map(maps, &dx, &back, 1e-6);
}

static void test_global_pool_means_over_maps_and_spreads_back(void **state)
{
    (void)state;
    each_shape(check_global_pool);
}

static void check_shake(struct maps *maps)
{
    static const float alpha[] = {.25f, .9f, 0};
    struct sl_nn_tensor a = map_like(maps, maps->channels), b = map_like(maps, maps->channels),
                        dx = map_like(maps, maps->channels), dy = map_like(maps, maps->channels);
    const struct expected out = expected_for(maps, &a), da = expected_for(maps, &a),
                          db = expected_for(maps, &a);
    EXPECT_EACH(out, a.images)
    {
        const double share = (double)alpha[n], one = (double)*map_at(&a, n, c, p),
                     other = (double)*map_at(&b, n, c, p);
        const double mixed = one * share + other * (1 - share);
        *expected_at(&out, n, c, p) = mixed;
        *expected_at(&da, n, c, p) = mixed * share;
        *expected_at(&db, n, c, p) = mixed * (1 - share) + (double)*map_at(&dy, n, c, p);
    }
    maps->kernels->shake_forward(&a, &b, alpha, &b);
    assert_map(maps, &b, &out, 1e-6);
    maps->kernels->shake_backward(&b, alpha, false, NULL, &dx);
    assert_map(maps, &dx, &da, 1e-6);
    maps->kernels->shake_backward(&b, alpha, true, &dy, &dy);
    assert_map(maps, &dy, &db, 1e-6);
}

static void test_shake_mixes_two_branches_image_by_image(void **state)
{
    (void)state;
    each_shape(check_shake);
}

static void test_flat_arrays_of_any_length_are_multiplied_and_added(void **state)
{
    enum { MOST = 40 };
    (void)state;
    for (size_t table = 0; kernel_table(table); table++)
        for (size_t count = 0; count < MOST; count++) {
            float a[MOST + 1], b[MOST + 1];
            for (size_t i = 0; i <= MOST; i++) {
                a[i] = (float)i + .5f;
                b[i] = 3 - (float)i;
            }
            kernel_table(table)->multiply(a, b, count, a);
            kernel_table(table)->accumulate(a, b, count, b);
            for (size_t i = 0; i < count; i++) {
                const float product = ((float)i + .5f) * (3 - (float)i);
                assert_true(a[i] == product);
                assert_true(b[i] == product + (3 - (float)i));
            }
            assert_true(a[count] == (float)count + .5f);
            assert_true(b[count] == 3 - (float)count);
        }
}

static void test_the_selected_table_is_one_that_runs_here(void **state)
{
    struct sl_cpu cpu;
    (void)state;
    sl_cpu_detect(&cpu);
    assert_string_equal(sl_nn_kernels_select()->name, cpu.avx2 && cpu.fma ? "avx2" : "plain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_takes_tensors_with_fewer_channels),
        cmocka_unit_test(test_relu_goes_both_ways_with_and_without_a_slope),
        cmocka_unit_test(test_relu_hides_no_nan_and_makes_none_of_infinity),
        cmocka_unit_test(test_subsample_takes_every_nth_pixel_and_gives_it_back),
        cmocka_unit_test(test_channels_go_in_at_any_place_and_come_out_again),
        cmocka_unit_test(test_global_pool_means_over_maps_and_spreads_back),
        cmocka_unit_test(test_shake_mixes_two_branches_image_by_image),
        cmocka_unit_test(test_flat_arrays_of_any_length_are_multiplied_and_added),
        cmocka_unit_test(test_the_selected_table_is_one_that_runs_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
