#include "nn_maps.h"

/* ---- Statistics ---- */

/* The reference: two passes in double. */
static void moments_of(const struct sl_nn_tensor *x, size_t channel, double *mean, double *variance)
{
    const double count = (double)(x->images * pixels_of(x));
    double sum = 0, squares = 0;
    for (size_t i = 0; i < x->images * pixels_of(x); i++)
        sum += (double)*map_at(x, i / pixels_of(x), channel, i % pixels_of(x));
    for (size_t i = 0; i < x->images * pixels_of(x); i++) {
        const double value = (double)*map_at(x, i / pixels_of(x), channel, i % pixels_of(x));
        squares += (value - sum / count) * (value - sum / count);
    }
    *mean = sum / count;
    *variance = squares / count;
}

static void move_by(const struct sl_nn_tensor *x, float offset)
{
    for (size_t n = 0; n < x->images; n++)
        for (size_t c = 0; c < x->channels; c++)
            for (size_t p = 0; p < pixels_of(x); p++)
                *map_at(x, n, c, p) += offset;
}

/* Only channels [first, first + count) are written. */
static void check_moments(struct maps *maps, const struct sl_nn_tensor *x, size_t first,
                          size_t count)
{
    float *mean = per_channel(maps, 7, 7), *variance = per_channel(maps, 7, 7);
    maps->kernels->statistics(x, first, count, mean, variance);
    for (size_t c = 0; c < x->channels; c++) {
        double true_mean, true_variance;
        moments_of(x, c, &true_mean, &true_variance);
        const bool inside = c >= first && c < first + count;
        assert_near(mean[c], inside ? true_mean : 7,
                    inside ? 1e-7 * fabs(true_mean) + 1e-6 * sqrt(true_variance) : 0);
        assert_near(variance[c], inside ? true_variance : 7, inside ? 1e-6 * true_variance : 0);
    }
}

static void check_statistics(struct maps *maps)
{
    struct sl_nn_tensor x = map_like(maps, maps->channels);
    check_moments(maps, &x, 0, maps->channels);
    check_moments(maps, &x, maps->channels / 3, maps->channels / 2);
    move_by(&x, 100);
    check_moments(maps, &x, maps->channels / 2, maps->channels - maps->channels / 2);
    check_moments(maps, &x, 0, 0);
}

static void test_statistics_match_two_passes_in_double(void **state)
{
    (void)state;
    each_shape(check_statistics);
}

/* Maps so large that sums in float alone would be inaccurate. */
static struct maps large_maps(const struct sl_nn_kernels *kernels)
{
    struct maps maps = {.kernels = kernels, .images = 16, .channels = 9, .height = 32, .width = 31};
    sl_rng_init(&maps.rng, 2, "test.maps", 0, 0);
    return maps;
}

static void maps_end(struct maps *maps)
{
    for (size_t k = 0; k < maps->n_owned; k++)
        free(maps->owned[k]);
}

static void test_statistics_are_exact_far_from_zero_and_next_to_outliers(void **state)
{
    (void)state;
    for (size_t table = 0; kernel_table(table); table++) {
        struct maps maps = large_maps(kernel_table(table));
        struct sl_nn_tensor x = map_like(&maps, maps.channels);
        check_moments(&maps, &x, 0, maps.channels);
        move_by(&x, -300);
        check_moments(&maps, &x, 0, maps.channels);
        for (size_t c = 0; c < maps.channels; c++)
            *map_at(&x, 0, c, 0) = 40; /* an outlier among the samples of the first mean */
        check_moments(&maps, &x, 0, maps.channels);
        maps_end(&maps);
    }
}

static void test_a_constant_channel_has_no_variance_and_nan_is_not_hidden(void **state)
{
    (void)state;
    for (size_t table = 0; kernel_table(table); table++) {
        struct maps maps = large_maps(kernel_table(table));
        struct sl_nn_tensor x = map_like(&maps, maps.channels);
        float *mean = per_channel(&maps, 7, 7), *variance = per_channel(&maps, 7, 7);
        for (size_t i = 0; i < maps.images * pixels_of(&x); i++)
            *map_at(&x, i / pixels_of(&x), 2, i % pixels_of(&x)) = .1f;
        *map_at(&x, 3, 5, 77) = NAN;
        maps.kernels->statistics(&x, 0, maps.channels, mean, variance);
        assert_true(mean[2] == .1f && variance[2] == 0);
        assert_true(isnan(mean[5]) && isnan(variance[5]));
        assert_false(isnan(mean[4]) || isnan(variance[6]));
        maps_end(&maps);
    }
}

/* ---- Forward ---- */

static void check_forward(struct maps *maps)
{
    const size_t addends[] = {0, maps->channels, (maps->channels + 1) / 2};
    const float *scale = per_channel(maps, -2, 2), *shift = per_channel(maps, -1, 1);
    struct sl_nn_tensor y = map_like(maps, maps->channels), add;
    for (size_t i = 0; i < 3; i++) {
        struct sl_nn_tensor x = map_like(maps, maps->channels);
        const struct expected out = expected_for(maps, &x);
        const bool relu = i != 1;
        if (addends[i]) add = map_like(maps, addends[i]);
        EXPECT_EACH(out, x.images)
        {
            double value = (double)*map_at(&x, n, c, p) * (double)scale[c] + (double)shift[c];
            if (c < addends[i]) value += (double)*map_at(&add, n, c, p);
            *expected_at(&out, n, c, p) = relu && value < 0 ? 0 : value;
        }
        struct sl_nn_bn_forward args = {.x = &x,
                                        .scale = scale,
                                        .shift = shift,
                                        .add = addends[i] ? &add : NULL,
                                        .relu = relu,
                                        .y = &y};
        maps->kernels->bn_forward(&args);
        assert_map(maps, &y, &out, 1e-6);
        args.y = &x;
        maps->kernels->bn_forward(&args);
        assert_map(maps, &x, &out, 1e-6);
    }
}

static void test_forward_scales_shifts_adds_and_cuts(void **state)
{
    (void)state;
    each_shape(check_forward);
}

/* ---- Backward ---- */

/* All inputs of a backward pass. `args` points into it. */
struct passing {
    struct sl_nn_tensor x, g, y;
    struct sl_nn_bn_backward args;
};

/* Many outputs are 0 up to rounding, so the bits of the recomputed output matter. */
static void passing_init(struct passing *passing, struct maps *maps)
{
    float *scale = per_channel(maps, -2, 2), *shift = per_channel(maps, -1, 1);
    passing->x = map_like(maps, maps->channels);
    passing->g = map_like(maps, maps->channels);
    passing->y = map_like(maps, maps->channels);
    for (size_t c = 0; c < maps->channels; c++) {
        const float at = *map_at(&passing->x, 0, c, 0);
        shift[c] = -(at * scale[c]);
        for (size_t n = 0; n < maps->images; n++)
            *map_at(&passing->x, n, c, pixels_of(&passing->x) / 2) = at;
    }
    passing->args = (struct sl_nn_bn_backward){.x = &passing->x,
                                               .g = &passing->g,
                                               .relu = true,
                                               .scale = scale,
                                               .shift = shift,
                                               .mean = per_channel(maps, -1, 1),
                                               .inverse = per_channel(maps, .5, 2)};
    const struct sl_nn_bn_forward forward = {
        .x = &passing->x, .scale = scale, .shift = shift, .relu = true, .y = &passing->y};
    maps->kernels->bn_forward(&forward);
}

/* g after the ReLU, by the output that forward wrote. */
static double passed(const struct passing *passing, size_t n, size_t c, size_t p)
{
    const bool open = !passing->args.relu || *map_at(&passing->y, n, c, p) > 0;
    return open ? (double)*map_at(&passing->g, n, c, p) : 0;
}

static void check_reduce(struct maps *maps)
{
    struct passing passing;
    passing_init(&passing, maps);
    for (unsigned variant = 0; variant < 3; variant++) {
        float *sum_g = per_channel(maps, 0, 0), *sum_gx = per_channel(maps, 0, 0);
        struct sl_nn_tensor masked = map_like(maps, maps->channels);
        const struct expected gates = expected_for(maps, &masked);
        passing.args.relu = variant > 0;
        passing.args.y = variant > 1 ? &passing.y : NULL;
        maps->kernels->bn_reduce(&passing.args, sum_g, sum_gx, &masked);
        for (size_t c = 0; c < maps->channels; c++) {
            double g_sum = 0, gx_sum = 0, size = 0;
            for (size_t i = 0; i < maps->images * gates.pixels; i++) {
                const size_t n = i / gates.pixels, p = i % gates.pixels;
                const double g = passed(&passing, n, c, p);
                const double x =
                    (double)*map_at(&passing.x, n, c, p) - (double)passing.args.mean[c];
                *expected_at(&gates, n, c, p) = g;
                g_sum += g;
                gx_sum += g * x * (double)passing.args.inverse[c];
                size += fabs(g) * (1 + fabs(x));
            }
            assert_near(sum_g[c], g_sum, 1e-6 * size);
            assert_near(sum_gx[c], gx_sum, 2e-6 * size);
        }
        assert_map(maps, &masked, &gates, 0);
        for (size_t c = maps->channels; c < sl_nn_blocks(maps->channels) * SL_NN_LANES; c++)
            assert_true(sum_g[c] == 0 && sum_gx[c] == 0);
    }
}

static void test_reduce_sums_what_passes_the_relu(void **state)
{
    (void)state;
    each_shape(check_reduce);
}

/* If y is not given and is recomputed, the ReLU passes the same gradients. The sums are the same
 * with `masked` in the memory of g and without `masked`. */
static void check_same_gates(struct maps *maps)
{
    struct passing passing;
    float *sums[3][2];
    passing_init(&passing, maps);
    for (size_t i = 0; i < 3; i++) {
        sums[i][0] = per_channel(maps, 0, 0);
        sums[i][1] = per_channel(maps, 0, 0);
    }
    maps->kernels->bn_reduce(&passing.args, sums[0][0], sums[0][1], NULL);
    passing.args.y = &passing.y;
    maps->kernels->bn_reduce(&passing.args, sums[1][0], sums[1][1], NULL);
    passing.args.y = NULL;
    maps->kernels->bn_reduce(&passing.args, sums[2][0], sums[2][1], &passing.g);
    for (size_t i = 1; i < 3; i++)
        for (size_t s = 0; s < 2; s++)
            assert_memory_equal(sums[i][s], sums[0][s], maps->channels * sizeof(float));
}

static void test_gates_are_recomputed_to_the_bit(void **state)
{
    (void)state;
    each_shape(check_same_gates);
}

static void check_apply(struct maps *maps)
{
    struct passing passing;
    passing_init(&passing, maps);
    const float *a = per_channel(maps, -1, 1), *b = per_channel(maps, -1, 1),
                *c0 = per_channel(maps, -1, 1);
    struct sl_nn_tensor few = map_like(maps, (maps->channels + 1) / 2),
                        dx = map_like(maps, maps->channels);
    const struct sl_nn_tensor *const addends[] = {NULL, &few, &dx};
    const struct expected out = expected_for(maps, &dx);
    for (unsigned variant = 0; variant < 4; variant++) {
        const struct sl_nn_tensor *add = variant < 3 ? addends[variant] : NULL;
        const struct sl_nn_tensor *to = variant < 3 ? &dx : &passing.g;
        passing.args.relu = variant > 0;
        passing.args.y = variant == 2 ? &passing.y : NULL;
        EXPECT_EACH(out, dx.images)
        {
            double value = (double)a[c] * passed(&passing, n, c, p) +
                           (double)b[c] * (double)*map_at(&passing.x, n, c, p) + (double)c0[c];
            if (add && c < add->channels) value += (double)*map_at(add, n, c, p);
            *expected_at(&out, n, c, p) = value;
        }
        maps->kernels->bn_apply(&passing.args, a, b, c0, add, to);
        assert_map(maps, to, &out, 1e-6);
    }
}

static void test_apply_adds_to_what_is_there_and_works_in_place(void **state)
{
    (void)state;
    each_shape(check_apply);
}

/* ---- Both directions together ---- */

/* A loss: batch norm with its own gamma and beta, then ReLU, then a weighted sum with weights g. */
struct layer {
    struct sl_nn_tensor x, g, y;
    float gamma[SL_NN_LANES], beta[SL_NN_LANES];
    float mean[SL_NN_LANES], variance[SL_NN_LANES], inverse[SL_NN_LANES];
    float scale[SL_NN_LANES], shift[SL_NN_LANES];
};

static double layer_loss(struct maps *maps, struct layer *layer)
{
    double loss = 0;
    maps->kernels->statistics(&layer->x, 0, maps->channels, layer->mean, layer->variance);
    for (size_t c = 0; c < maps->channels; c++) {
        layer->inverse[c] = 1 / sqrtf(layer->variance[c] + 1e-5f);
        layer->scale[c] = layer->gamma[c] * layer->inverse[c];
        layer->shift[c] = layer->beta[c] - layer->mean[c] * layer->scale[c];
    }
    const struct sl_nn_bn_forward args = {
        .x = &layer->x, .scale = layer->scale, .shift = layer->shift, .relu = true, .y = &layer->y};
    maps->kernels->bn_forward(&args);
    for (size_t n = 0; n < maps->images; n++)
        for (size_t c = 0; c < maps->channels; c++)
            for (size_t p = 0; p < pixels_of(&layer->x); p++)
                loss += (double)*map_at(&layer->y, n, c, p) * (double)*map_at(&layer->g, n, c, p);
    return loss;
}

/* The slope of the loss, by a central difference. */
static double slope_at(struct maps *maps, struct layer *layer, float *value)
{
    const float was = *value, step = 1e-3f;
    const float above = was + step, below = was - step;
    *value = above;
    const double more = layer_loss(maps, layer);
    *value = below;
    const double less = layer_loss(maps, layer);
    *value = was;
    return (more - less) / ((double)above - (double)below);
}

static void check_gradients(struct maps *maps, struct layer *layer)
{
    const float pixels = (float)(maps->images * maps->height * maps->width);
    float a[SL_NN_LANES] = {0}, b[SL_NN_LANES] = {0}, c0[SL_NN_LANES] = {0};
    float sum_g[SL_NN_LANES], sum_gx[SL_NN_LANES];
    struct sl_nn_tensor dx = map_like(maps, maps->channels);
    layer_loss(maps, layer);
    const struct sl_nn_bn_backward args = {.x = &layer->x,
                                           .g = &layer->g,
                                           .relu = true,
                                           .scale = layer->scale,
                                           .shift = layer->shift,
                                           .mean = layer->mean,
                                           .inverse = layer->inverse};
    maps->kernels->bn_reduce(&args, sum_g, sum_gx, NULL);
    for (size_t c = 0; c < maps->channels; c++) {
        a[c] = layer->scale[c];
        b[c] = -layer->scale[c] * layer->inverse[c] * sum_gx[c] / pixels;
        c0[c] = -layer->scale[c] * sum_g[c] / pixels - b[c] * layer->mean[c];
    }
    maps->kernels->bn_apply(&args, a, b, c0, NULL, &dx);
    for (size_t c = 0; c < maps->channels; c++) {
        assert_near(sum_gx[c], slope_at(maps, layer, &layer->gamma[c]), 5e-3);
        assert_near(sum_g[c], slope_at(maps, layer, &layer->beta[c]), 5e-3);
        for (size_t n = 0; n < maps->images; n++)
            for (size_t p = 0; p < pixels_of(&dx); p++)
                assert_near(*map_at(&dx, n, c, p),
                            slope_at(maps, layer, map_at(&layer->x, n, c, p)), 5e-3);
    }
}

static void test_backward_is_the_slope_of_forward(void **state)
{
    (void)state;
    for (size_t table = 0; kernel_table(table); table++) {
        struct maps maps = {.kernels = kernel_table(table),
                            .images = 3,
                            .channels = 3,
                            .height = 3,
                            .width = 4,
                            .gap = GAP};
        sl_rng_init(&maps.rng, 3, "test.maps", 0, 0);
        struct layer layer = {.gamma = {1.5f, -.7f, .9f}, .beta = {.5f, .3f, -.4f}};
        layer.x = map_like(&maps, maps.channels);
        layer.g = map_like(&maps, maps.channels);
        layer.y = map_like(&maps, maps.channels);
        move_by(&layer.x, 2);
        check_gradients(&maps, &layer);
        maps_end(&maps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics_match_two_passes_in_double),
        cmocka_unit_test(test_statistics_are_exact_far_from_zero_and_next_to_outliers),
        cmocka_unit_test(test_a_constant_channel_has_no_variance_and_nan_is_not_hidden),
        cmocka_unit_test(test_forward_scales_shifts_adds_and_cuts),
        cmocka_unit_test(test_reduce_sums_what_passes_the_relu),
        cmocka_unit_test(test_gates_are_recomputed_to_the_bit),
        cmocka_unit_test(test_apply_adds_to_what_is_there_and_works_in_place),
        cmocka_unit_test(test_backward_is_the_slope_of_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
