/* AVX2 and AVX-512 give the same bits: a lane sees the same operations in the same order. Left out
 * on processors without AVX-512. */
#include "nn/conv/direct.h"
#include "nn/conv/gemm_micro_parts.h"
#include "support.h"

static float *draw(size_t count, const char *purpose)
{
    struct sl_rng rng;
    struct sl_error err;
    float *data = sl_data_alloc(count, sizeof *data, &err);
    assert_non_null(data);
    sl_rng_init(&rng, 5, purpose, 0, 0);
    for (size_t i = 0; i < count; i++)
        data[i] = (float)(2 * sl_rng_uniform(&rng) - 1);
    return data;
}

static void skip_without_avx512(void)
{
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (!cpu.avx512f) skip();
}

static void test_products_of_rows(void **state)
{
    (void)state;
    skip_without_avx512();
    enum { CHANNELS = 40, COLUMNS = 48, BLOCK = 48, MOST_GROUPS = 5, FLOATS = 16384 };
    for (size_t rows = 1; rows <= 6 * MOST_GROUPS; rows++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            float *a = draw(FLOATS, "a"), *u = draw(FLOATS, "u");
            float *narrow = draw(FLOATS, "d"), *wide = draw(FLOATS, "d");
            struct sl_nn_gemm_rows gemm = {.a = a,
                                           .a_block = BLOCK,
                                           .a_group = CHANNELS / 8 * BLOCK,
                                           .a_next = MOST_GROUPS * CHANNELS / 8 * BLOCK,
                                           .u = u,
                                           .u_panel = CHANNELS * 16,
                                           .u_next = CHANNELS * COLUMNS,
                                           .d = narrow,
                                           .d_block = BLOCK,
                                           .d_group = COLUMNS / 8 * BLOCK,
                                           .d_next = MOST_GROUPS * COLUMNS / 8 * BLOCK,
                                           .rows = rows,
                                           .channels = CHANNELS,
                                           .columns = COLUMNS,
                                           .batch = 2,
                                           .accumulate = accumulate};
            sl_nn_gemm_rows_avx2(&gemm);
            gemm.d = wide;
            sl_nn_gemm_rows_avx512(&gemm);
            assert_memory_equal(wide, narrow, FLOATS * sizeof *wide);
            free(a);
            free(u);
            free(narrow);
            free(wide);
        }
}

static void test_outer_products(void **state)
{
    (void)state;
    skip_without_avx512();
    enum { ROWS = 11, COLUMNS = 32, BLOCK = 8 * ROWS + 8, FLOATS = 8192 };
    for (size_t channels = 8; channels <= 56; channels += 8)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            float *a = draw(FLOATS, "a"), *b = draw(FLOATS, "b");
            float *narrow = draw(FLOATS, "d"), *wide = draw(FLOATS, "d");
            struct sl_nn_gemm_outer gemm = {.a = a,
                                            .a_block = BLOCK,
                                            .a_next = channels / 8 * BLOCK,
                                            .b = b,
                                            .b_block = BLOCK,
                                            .b_next = COLUMNS / 8 * BLOCK,
                                            .d = narrow,
                                            .d_panel = channels * 16,
                                            .d_next = channels * COLUMNS,
                                            .rows = ROWS,
                                            .channels = channels,
                                            .columns = COLUMNS,
                                            .batch = 2,
                                            .accumulate = accumulate};
            sl_nn_gemm_outer_avx2(&gemm);
            gemm.d = wide;
            sl_nn_gemm_outer_avx512(&gemm);
            assert_memory_equal(wide, narrow, FLOATS * sizeof *wide);
            free(a);
            free(b);
            free(narrow);
            free(wide);
        }
}

/* Tables for `count` tiles of six rows, one of whose pixels lies outside the map. */
enum { PIXELS = 24, TAPS = 3, DEPTH = 19, PLANE = 8 * PIXELS };

static void check_tile(enum sl_nn_direct_kind kind, size_t rows, bool relu, bool first)
{
    float *source = draw(4 * PLANE, "source"), *weights = draw(TAPS * DEPTH * 16, "weights");
    float *bias = draw(16, "bias"), *initial = draw(2 * PLANE, "initial");
    float *narrow = draw(2 * PLANE, "result"), *wide = draw(2 * PLANE, "result");
    int32_t offsets[TAPS * PIXELS], target[PIXELS], walk[DEPTH];
    for (size_t i = 0; i < TAPS * PIXELS; i++)
        offsets[i] = kind == SL_NN_DIRECT_TAPS && i % 7 == 3 ? -1 : (int32_t)(i % PIXELS * 8);
    for (size_t i = 0; i < PIXELS; i++)
        target[i] = (int32_t)(i * 8);
    for (size_t i = 0; i < DEPTH; i++)
        walk[i] = (int32_t)(i * 3);
    struct sl_nn_direct_tile tile = {.count = PIXELS / rows,
                                     .source = source,
                                     .offsets = offsets,
                                     .n_pixels = PIXELS,
                                     .n_taps = kind == SL_NN_DIRECT_TAPS ? TAPS : 1,
                                     .depth = DEPTH,
                                     .step = PLANE,
                                     .walk = walk,
                                     .weights = weights,
                                     .target = target,
                                     .initial = first ? NULL : initial,
                                     .bias = first ? bias : NULL,
                                     .result = narrow,
                                     .apart = PLANE,
                                     .relu = relu};
    sl_nn_direct_avx2[1].tiles[kind][rows - 1](&tile);
    tile.result = wide;
    sl_nn_direct_avx512.tiles[kind][rows - 1](&tile);
    assert_memory_equal(wide, narrow, 2 * PLANE * sizeof *wide);
    free(source);
    free(weights);
    free(bias);
    free(initial);
    free(narrow);
    free(wide);
}

static void test_tiles_of_direct_convolution(void **state)
{
    (void)state;
    skip_without_avx512();
    for (size_t kind = 0; kind < SL_NN_DIRECT_KINDS; kind++)
        for (size_t rows = 1; rows <= 6; rows++)
            for (int variant = 0; variant < 4; variant++)
                check_tile((enum sl_nn_direct_kind)kind, rows, variant & 1, variant & 2);
}

static void test_outer_tiles_of_direct_convolution(void **state)
{
    (void)state;
    skip_without_avx512();
    const struct sl_nn_direct_run runs[] = {{0, 0, 5}, {64, 48, 9}, {8, 120, 1}};
    const int32_t row_offset[6] = {0, 3, 8, 17, 24, 5};
    for (size_t rows = 1; rows <= 6; rows++)
        for (int first = 0; first < 2; first++) {
            float *input = draw(1024, "input"), *upstream = draw(1024, "upstream");
            float *narrow = draw(6 * 16, "sum"), *wide = draw(6 * 16, "sum");
            struct sl_nn_direct_outer outer = {.input = input,
                                               .upstream = upstream,
                                               .row_offset = row_offset,
                                               .input_step = 8,
                                               .runs = runs,
                                               .n_runs = sizeof runs / sizeof *runs,
                                               .apart = 512,
                                               .sum = narrow,
                                               .sum_step = 16,
                                               .first = first};
            sl_nn_direct_avx2[1].outers[rows - 1](&outer);
            outer.sum = wide;
            sl_nn_direct_avx512.outers[rows - 1](&outer);
            assert_memory_equal(wide, narrow, 6 * 16 * sizeof *wide);
            free(input);
            free(upstream);
            free(narrow);
            free(wide);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_of_rows),
        cmocka_unit_test(test_outer_products),
        cmocka_unit_test(test_tiles_of_direct_convolution),
        cmocka_unit_test(test_outer_tiles_of_direct_convolution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
