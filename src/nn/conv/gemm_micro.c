#include "nn/conv/gemm_micro.h"

#include "nn/conv/avx512.h"
#include "nn/conv/gemm_micro_parts.h"

#define AVX2        __attribute__((target("avx2,fma")))
#define AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

enum { LANES = 8, ROWS = SL_NN_GEMM_ROWS, COLUMNS = SL_NN_GEMM_COLUMNS };

/* The accumulators of a piece of a product. Functions over it are inlined with constant `rows` and
 * `wide`, so that it stays in registers. They name its rows one by one because compilers unroll
 * loops too late. */
struct sums {
    __m256 row[ROWS][2];
};

AVX2_INLINE void load_row(__m256 row[2], const float *d, size_t second, bool wide)
{
    row[0] = _mm256_load_ps(d);
    if (wide) row[1] = _mm256_load_ps(d + second);
}

AVX2_INLINE void store_row(const __m256 row[2], float *d, size_t second, bool wide)
{
    _mm256_store_ps(d, row[0]);
    if (wide) _mm256_store_ps(d + second, row[1]);
}

/* Load the accumulators. Rows are `step` floats apart, and the two halves of a row `second`
 * floats. */
AVX2_INLINE void load_sums(struct sums *s, const float *d, size_t step, size_t second, int rows,
                           bool wide)
{
    load_row(s->row[0], d, second, wide);
    if (rows > 1) load_row(s->row[1], d + step, second, wide);
    if (rows > 2) load_row(s->row[2], d + 2 * step, second, wide);
    if (rows > 3) load_row(s->row[3], d + 3 * step, second, wide);
    if (rows > 4) load_row(s->row[4], d + 4 * step, second, wide);
    if (rows > 5) load_row(s->row[5], d + 5 * step, second, wide);
}

AVX2_INLINE void store_sums(const struct sums *s, float *d, size_t step, size_t second, int rows,
                            bool wide)
{
    store_row(s->row[0], d, second, wide);
    if (rows > 1) store_row(s->row[1], d + step, second, wide);
    if (rows > 2) store_row(s->row[2], d + 2 * step, second, wide);
    if (rows > 3) store_row(s->row[3], d + 3 * step, second, wide);
    if (rows > 4) store_row(s->row[4], d + 4 * step, second, wide);
    if (rows > 5) store_row(s->row[5], d + 5 * step, second, wide);
}

/* Add a product to a row, or start the row with it, which is cheaper than to start with zeros. */
AVX2_INLINE void add_row(__m256 row[2], const float *factor, const __m256 u[2], bool wide,
                         bool begin)
{
    __m256 a = _mm256_broadcast_ss(factor);
    row[0] = begin ? _mm256_mul_ps(a, u[0]) : _mm256_fmadd_ps(a, u[0], row[0]);
    if (wide) row[1] = begin ? _mm256_mul_ps(a, u[1]) : _mm256_fmadd_ps(a, u[1], row[1]);
}

/* Add the products of one channel of sl_nn_gemm_rows. */
AVX2_INLINE void add_channel(struct sums *s, const float *a, const float *panel, int rows,
                             bool wide, bool begin)
{
    __m256 u[2];
    load_row(u, panel, LANES, wide);
    add_row(s->row[0], a, u, wide, begin);
    if (rows > 1) add_row(s->row[1], a + LANES, u, wide, begin);
    if (rows > 2) add_row(s->row[2], a + (size_t)2 * LANES, u, wide, begin);
    if (rows > 3) add_row(s->row[3], a + (size_t)3 * LANES, u, wide, begin);
    if (rows > 4) add_row(s->row[4], a + (size_t)4 * LANES, u, wide, begin);
    if (rows > 5) add_row(s->row[5], a + (size_t)5 * LANES, u, wide, begin);
}

AVX2_INLINE void add_4_channels(struct sums *s, const float *a, const float *u, int rows, bool wide,
                                bool begin)
{
    add_channel(s, a, u, rows, wide, begin);
    add_channel(s, a + 1, u + COLUMNS, rows, wide, false);
    add_channel(s, a + 2, u + (size_t)2 * COLUMNS, rows, wide, false);
    add_channel(s, a + 3, u + (size_t)3 * COLUMNS, rows, wide, false);
}

/* The loop runs from the middle of a block to the middle of the next. If it ran over whole blocks,
 * storing the sums would delay the next group by 25 cycles (Zen 3). */
AVX2_INLINE void multiply_group(const struct sl_nn_gemm_rows *g, const float *a, const float *u,
                                float *d, int rows, bool wide)
{
    struct sums s;
    size_t a_block = g->a_block, d_block = g->d_block, half = (size_t)4 * COLUMNS;
    if (g->accumulate) {
        load_sums(&s, d, LANES, d_block, rows, wide);
        add_4_channels(&s, a, u, rows, wide, false);
    } else {
        add_4_channels(&s, a, u, rows, wide, true);
    }
    for (size_t left = g->channels; left > LANES; left -= LANES) {
        add_4_channels(&s, a + 4, u + half, rows, wide, false);
        a += a_block;
        u += 2 * half;
        add_4_channels(&s, a, u, rows, wide, false);
    }
    add_4_channels(&s, a + 4, u + half, rows, wide, false);
    store_sums(&s, d, LANES, d_block, rows, wide);
}

/* Multiply the last rows, if there are fewer than 6. */
AVX2_INLINE void multiply_rest(const struct sl_nn_gemm_rows *g, const float *a, const float *u,
                               float *d, size_t rows, bool wide)
{
    switch (rows) {
    case 1: multiply_group(g, a, u, d, 1, wide); break;
    case 2: multiply_group(g, a, u, d, 2, wide); break;
    case 3: multiply_group(g, a, u, d, 3, wide); break;
    case 4: multiply_group(g, a, u, d, 4, wide); break;
    case 5: multiply_group(g, a, u, d, 5, wide); break;
    default: break;
    }
}

/* Multiply all rows by one panel. */
AVX2_INLINE void multiply_panel(const struct sl_nn_gemm_rows *g, const float *u, float *d,
                                struct sl_nn_fetcher *fetcher, bool wide)
{
    const float *a = g->a;
    size_t left = g->rows;
    for (; left >= ROWS; left -= ROWS) {
        sl_nn_fetch(fetcher, 1);
        multiply_group(g, a, u, d, ROWS, wide);
        a += g->a_group;
        d += g->d_group;
    }
    if (left > 0) multiply_rest(g, a, u, d, left, wide);
}

AVX2 void sl_nn_gemm_rows_avx2(const struct sl_nn_gemm_rows *gemm)
{
    struct sl_nn_gemm_rows g = *gemm;
    struct sl_nn_fetcher fetcher = sl_nn_fetcher_of(&gemm->ahead);
    for (size_t i = 0; i < g.batch; i++, g.a += g.a_next, g.u += g.u_next, g.d += g.d_next) {
        const float *u = g.u;
        float *d = g.d;
        size_t left = g.columns;
        for (; left >= COLUMNS; left -= COLUMNS, u += g.u_panel, d += 2 * g.d_block)
            multiply_panel(&g, u, d, &fetcher, true);
        if (left > 0) multiply_panel(&g, u, d, &fetcher, false);
    }
}

void sl_nn_gemm_rows(const struct sl_nn_gemm_rows *gemm)
{
    struct sl_nn_gemm_rows rest = *gemm;
    if (sl_nn_has_avx512()) {
        const size_t panels = gemm->columns / COLUMNS;
        sl_nn_gemm_rows_avx512(gemm);
        rest.columns -= panels * COLUMNS;
        rest.u += panels * gemm->u_panel;
        rest.d += 2 * panels * gemm->d_block;
    }
    if (rest.columns > 0) sl_nn_gemm_rows_avx2(&rest);
}

/* Add the products of one row of sl_nn_gemm_outer. */
AVX2_INLINE void add_outer(struct sums *s, const float *const a[ROWS], size_t at, const __m256 b[2],
                           int channels, bool wide, bool begin)
{
    add_row(s->row[0], a[0] + at, b, wide, begin);
    add_row(s->row[1], a[1] + at, b, wide, begin);
    add_row(s->row[2], a[2] + at, b, wide, begin);
    add_row(s->row[3], a[3] + at, b, wide, begin);
    if (channels > 4) add_row(s->row[4], a[4] + at, b, wide, begin);
    if (channels > 5) add_row(s->row[5], a[5] + at, b, wide, begin);
}

AVX2_INLINE void outer_group(const struct sl_nn_gemm_outer *g, const float *b, float *panel,
                             size_t channel, int channels, bool wide)
{
    struct sums s;
    const float *a[ROWS];
    float *d = panel + channel * COLUMNS;
    for (size_t i = 0; i < ROWS; i++) {
        size_t c = channel + (i < (size_t)channels ? i : 0);
        a[i] = g->a + c / LANES * g->a_block + c % LANES;
    }
    size_t end = g->rows * LANES, b_block = g->b_block;
    __m256 factor[2];
    load_row(factor, b, b_block, wide);
    if (g->accumulate) {
        load_sums(&s, d, COLUMNS, LANES, channels, wide);
        add_outer(&s, a, 0, factor, channels, wide, false);
    } else {
        add_outer(&s, a, 0, factor, channels, wide, true);
    }
    for (size_t at = LANES; at < end; at += LANES) {
        load_row(factor, b + at, b_block, wide);
        add_outer(&s, a, at, factor, channels, wide, false);
    }
    store_sums(&s, d, COLUMNS, LANES, channels, wide);
}

/* Channels in groups of six and, at the end, up to two groups of four. Every multiple of 8 is such
 * a sum; 2 * channels % 6 is twice the number of fours. */
AVX2_INLINE void outer_panel(const struct sl_nn_gemm_outer *g, const float *b, float *d,
                             struct sl_nn_fetcher *fetcher, bool wide)
{
    size_t channel = 0, sixes = (g->channels - g->channels * 2 % ROWS * 2) / ROWS;
    for (; channel < sixes * ROWS; channel += ROWS) {
        sl_nn_fetch(fetcher, 1);
        outer_group(g, b, d, channel, ROWS, wide);
    }
    for (; channel < g->channels; channel += 4) {
        sl_nn_fetch(fetcher, 1);
        outer_group(g, b, d, channel, 4, wide);
    }
}

AVX2 void sl_nn_gemm_outer_avx2(const struct sl_nn_gemm_outer *gemm)
{
    struct sl_nn_gemm_outer g = *gemm;
    struct sl_nn_fetcher fetcher = sl_nn_fetcher_of(&gemm->ahead);
    for (size_t i = 0; i < g.batch; i++, g.a += g.a_next, g.b += g.b_next, g.d += g.d_next) {
        const float *b = g.b;
        float *d = g.d;
        size_t left = g.columns;
        for (; left >= COLUMNS; left -= COLUMNS, b += 2 * g.b_block, d += g.d_panel)
            outer_panel(&g, b, d, &fetcher, true);
        if (left > 0) outer_panel(&g, b, d, &fetcher, false);
    }
}

void sl_nn_gemm_outer(const struct sl_nn_gemm_outer *gemm)
{
    struct sl_nn_gemm_outer rest = *gemm;
    if (sl_nn_has_avx512()) {
        const size_t panels = gemm->columns / COLUMNS;
        sl_nn_gemm_outer_avx512(gemm);
        rest.columns -= panels * COLUMNS;
        rest.b += 2 * panels * gemm->b_block;
        rest.d += panels * gemm->d_panel;
    }
    if (rest.columns > 0) sl_nn_gemm_outer_avx2(&rest);
}
