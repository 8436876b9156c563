#include "support.h"

#include "nn/conv/gemm_micro.h"
#include "softlab/base/system.h"

/* Small integers, so that every sum is exact in any order. */
static float *draw(size_t count, const char *purpose)
{
    struct sl_rng rng;
    struct sl_error err;
    float *data = sl_data_alloc(count, sizeof *data, &err);
    assert_non_null(data);
    sl_rng_init(&rng, 3, purpose, 0, 0);
    for (size_t i = 0; i < count; i++)
        data[i] = (float)sl_rng_below(&rng, 17) - 8;
    return data;
}

struct size {
    size_t rows, channels, columns, batch;
};
static const struct size sizes[] = {{1, 8, 8, 1},   {2, 16, 16, 2},  {3, 24, 24, 1},
                                    {4, 32, 40, 2}, {5, 40, 8, 3},   {6, 8, 48, 1},
                                    {7, 16, 24, 2}, {12, 64, 16, 1}, {17, 24, 32, 2}};

static size_t panel_place(size_t channel, size_t column, size_t panel)
{
    return column / 16 * panel + channel * 16 + column % 16;
}

/* Index of an element of a blocked matrix in groups of 6 rows. */
static size_t group_place(size_t row, size_t channel, size_t group, size_t block)
{
    return row / 6 * group + channel / 8 * block + row % 6 * 8 + channel % 8;
}

static void check_rows(struct size size, bool accumulate)
{
    size_t groups = (size.rows + 5) / 6, panels = (size.columns + 15) / 16;
    /* The strides leave gaps, which nothing may read or write. */
    size_t a_block = 56, a_group = size.channels / 8 * a_block + 16, a_next = groups * a_group + 8;
    size_t d_block = 64, d_group = size.columns / 8 * d_block + 8, d_next = groups * d_group + 24;
    size_t u_panel = size.channels * 16 + 16, u_next = panels * u_panel + 16;
    float *a = draw(size.batch * a_next, "a"), *u = draw(size.batch * u_next, "u");
    float *d = draw(size.batch * d_next, "d"), *expected = draw(size.batch * d_next, "d");
    for (size_t i = 0; i < size.batch; i++)
        for (size_t row = 0; row < size.rows; row++)
            for (size_t column = 0; column < size.columns; column++) {
                float *place = expected + i * d_next + group_place(row, column, d_group, d_block);
                if (!accumulate) *place = 0;
                for (size_t c = 0; c < size.channels; c++)
                    *place += a[i * a_next + group_place(row, c, a_group, a_block)] *
                              u[i * u_next + panel_place(c, column, u_panel)];
            }
    struct sl_nn_run runs[] = {{(const char *)a, 3}, {(const char *)u, 1}};
    struct sl_nn_gemm_rows gemm = {.a = a,
                                   .a_block = a_block,
                                   .a_group = a_group,
                                   .a_next = a_next,
                                   .u = u,
                                   .u_panel = u_panel,
                                   .u_next = u_next,
                                   .d = d,
                                   .d_block = d_block,
                                   .d_group = d_group,
                                   .d_next = d_next,
                                   .rows = size.rows,
                                   .channels = size.channels,
                                   .columns = size.columns,
                                   .batch = size.batch,
                                   .accumulate = accumulate,
                                   .ahead = {.runs = runs, .n_runs = 2, .at_once = 2}};
    sl_nn_gemm_rows(&gemm);
    assert_memory_equal(d, expected, size.batch * d_next * sizeof *d);
    free(expected);
    free(d);
    free(u);
    free(a);
}

static void test_products_by_rows_are_exact_and_touch_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_rows(sizes[i], false);
        check_rows(sizes[i], true);
    }
}

static void check_outer(struct size size, bool accumulate)
{
    size_t panels = (size.columns + 15) / 16;
    size_t block = size.rows * 8 + 8;
    size_t a_next = size.channels / 8 * block + 8, b_next = size.columns / 8 * block + 16;
    size_t d_panel = size.channels * 16 + 16, d_next = panels * d_panel + 32;
    float *a = draw(size.batch * a_next, "a"), *b = draw(size.batch * b_next, "b");
    float *d = draw(size.batch * d_next, "d"), *expected = draw(size.batch * d_next, "d");
    for (size_t i = 0; i < size.batch; i++)
        for (size_t c = 0; c < size.channels; c++)
            for (size_t column = 0; column < size.columns; column++) {
                float *place = expected + i * d_next + panel_place(c, column, d_panel);
                if (!accumulate) *place = 0;
                for (size_t row = 0; row < size.rows; row++)
                    *place += a[i * a_next + c / 8 * block + row * 8 + c % 8] *
                              b[i * b_next + column / 8 * block + row * 8 + column % 8];
            }
    struct sl_nn_gemm_outer gemm = {.a = a,
                                    .a_block = block,
                                    .a_next = a_next,
                                    .b = b,
                                    .b_block = block,
                                    .b_next = b_next,
                                    .d = d,
                                    .d_panel = d_panel,
                                    .d_next = d_next,
                                    .rows = size.rows,
                                    .channels = size.channels,
                                    .columns = size.columns,
                                    .batch = size.batch,
                                    .accumulate = accumulate};
    sl_nn_gemm_outer(&gemm);
    assert_memory_equal(d, expected, size.batch * d_next * sizeof *d);
    free(expected);
    free(d);
    free(b);
    free(a);
}

static void test_outer_products_are_exact_and_touch_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_outer(sizes[i], false);
        check_outer(sizes[i], true);
    }
}

int main(void)
{
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (!cpu.avx2 || !cpu.fma) {
        print_message("skipped: needs AVX2 and FMA\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_by_rows_are_exact_and_touch_nothing_else),
        cmocka_unit_test(test_outer_products_are_exact_and_touch_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
