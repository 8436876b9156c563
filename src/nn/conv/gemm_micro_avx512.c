/* The products of gemm_micro.h with AVX-512, where a panel of 16 columns is one vector. A lane sees
 * the same operations in the same order as with AVX2, so the results have the same bits. */
#include "nn/conv/avx512.h"
#include "nn/conv/gemm_micro_parts.h"

enum { LANES = 8, ROWS = SL_NN_GEMM_ROWS, COLUMNS = SL_NN_GEMM_COLUMNS, MOST = 16 };
/* Rows of two groups; floats of 8 and of 16 channels of a panel. */
enum { PAIR = 2 * ROWS, BLOCK = LANES * COLUMNS, OUTER_STEP = MOST * COLUMNS };

/* ---- Rows ---- */

/* Up to two groups of 6 rows. Functions over it are inlined with a constant number of rows. */
struct row_sums {
    __m512 row[PAIR];
};

/* The same place in two groups of 6 rows. */
struct pair {
    const float *first, *second;
};

/* Row i of the two groups, from there on. */
SL_NN_AVX512_INLINE const float *row_of(struct pair at, int i)
{
    return (i < ROWS ? at.first : at.second) + (size_t)(i % ROWS) * LANES;
}

SL_NN_AVX512_INLINE void add_channel(struct row_sums *s, struct pair a, size_t c, const float *u,
                                     int rows, bool begin)
{
    const __m512 factor = _mm512_load_ps(u + c * COLUMNS);
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++) {
        const __m512 value = _mm512_set1_ps(row_of(a, i)[c]);
        s->row[i] =
            begin ? _mm512_mul_ps(value, factor) : _mm512_fmadd_ps(value, factor, s->row[i]);
    }
}

SL_NN_AVX512_INLINE void add_block(struct row_sums *s, struct pair a, const float *u, int rows,
                                   bool begin)
{
#pragma GCC unroll 8
    for (size_t c = 0; c < LANES; c++)
        add_channel(s, a, c, u, rows, begin && c == 0);
}

SL_NN_AVX512_INLINE void multiply_rows(const struct sl_nn_gemm_rows *g, const float *first,
                                       const float *u, float *d, int rows, bool accumulate)
{
    struct row_sums s;
    struct pair a = {first, first + g->a_group};
    const struct pair from = {d, d + g->d_group};
#pragma GCC unroll 12
    for (int i = 0; accumulate && i < rows; i++)
        s.row[i] = sl_nn_load_halves(row_of(from, i), g->d_block);
    add_block(&s, a, u, rows, !accumulate);
    for (size_t left = g->channels - LANES; left > 0; left -= LANES) {
        a.first += g->a_block;
        a.second += g->a_block;
        u += BLOCK;
        add_block(&s, a, u, rows, false);
    }
    float *second = d + g->d_group;
#pragma GCC unroll 12
    for (int i = 0; i < rows; i++)
        sl_nn_store_halves((i < ROWS ? d : second) + (size_t)(i % ROWS) * LANES, g->d_block,
                           s.row[i]);
}

/* A function for each number of rows, with and without accumulation: in a common function the
 * compiler would load what both need before the branch, and spill it. */
typedef void multiply_function(const struct sl_nn_gemm_rows *g, const float *a, const float *u,
                               float *d);
#define MULTIPLY(rows)                                                                             \
    SL_NN_AVX512 static void add_##rows(const struct sl_nn_gemm_rows *g, const float *a,           \
                                        const float *u, float *d)                                  \
    {                                                                                              \
        multiply_rows(g, a, u, d, rows, true);                                                     \
    }                                                                                              \
    SL_NN_AVX512 static void set_##rows(const struct sl_nn_gemm_rows *g, const float *a,           \
                                        const float *u, float *d)                                  \
    {                                                                                              \
        multiply_rows(g, a, u, d, rows, false);                                                    \
    }
#define EACH_ROWS(DO) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12)
EACH_ROWS(MULTIPLY)
#define ADD_NAME(rows) add_##rows,
#define SET_NAME(rows) set_##rows,
/* Indexed by accumulation and rows - 1. */
static multiply_function *const multiply[2][PAIR] = {{EACH_ROWS(SET_NAME)}, {EACH_ROWS(ADD_NAME)}};

void sl_nn_gemm_rows_avx512(const struct sl_nn_gemm_rows *gemm)
{
    struct sl_nn_gemm_rows g = *gemm;
    multiply_function *const *functions = multiply[g.accumulate];
    struct sl_nn_fetcher fetcher = sl_nn_fetcher_of(&gemm->ahead);
    for (size_t i = 0; i < g.batch; i++, g.a += g.a_next, g.u += g.u_next, g.d += g.d_next)
        for (size_t panel = 0; panel < g.columns / COLUMNS; panel++) {
            const float *a = g.a, *u = g.u + panel * g.u_panel;
            float *d = g.d + 2 * panel * g.d_block;
            size_t left = g.rows;
            for (; left >= PAIR; left -= PAIR, a += 2 * g.a_group, d += 2 * g.d_group) {
                sl_nn_fetch(&fetcher, 2);
                functions[PAIR - 1](&g, a, u, d);
            }
            if (left == 0) continue;
            sl_nn_fetch(&fetcher, 1);
            functions[left - 1](&g, a, u, d);
        }
}

/* ---- Outer products ---- */

/* Up to 16 channels: two blocks of the rows of A. */
struct outer_sums {
    __m512 row[MOST];
};

SL_NN_AVX512_INLINE void add_outer(struct outer_sums *s, struct pair a, size_t at, __m512 b,
                                   int channels, bool begin)
{
#pragma GCC unroll 16
    for (int i = 0; i < channels; i++) {
        const float *block = i < LANES ? a.first : a.second;
        const __m512 value = _mm512_set1_ps(block[at + (size_t)(i % LANES)]);
        s->row[i] = begin ? _mm512_mul_ps(value, b) : _mm512_fmadd_ps(value, b, s->row[i]);
    }
}

SL_NN_AVX512_INLINE void outer_group(const struct sl_nn_gemm_outer *g, const float *first,
                                     const float *b, float *d, int channels, bool accumulate)
{
    struct outer_sums s;
    const struct pair a = {first, first + g->a_block};
    const size_t end = g->rows * LANES, b_block = g->b_block;
#pragma GCC unroll 16
    for (int i = 0; accumulate && i < channels; i++)
        s.row[i] = _mm512_load_ps(d + (size_t)i * COLUMNS);
    add_outer(&s, a, 0, sl_nn_load_halves(b, b_block), channels, !accumulate);
    for (size_t at = LANES; at < end; at += LANES)
        add_outer(&s, a, at, sl_nn_load_halves(b + at, b_block), channels, false);
#pragma GCC unroll 16
    for (int i = 0; i < channels; i++)
        _mm512_store_ps(d + (size_t)i * COLUMNS, s.row[i]);
}

typedef void outer_function(const struct sl_nn_gemm_outer *g, const float *a, const float *b,
                            float *d);
#define OUTER(name, channels, accumulate)                                                          \
    SL_NN_AVX512 static void name(const struct sl_nn_gemm_outer *g, const float *a,                \
                                  const float *b, float *d)                                        \
    {                                                                                              \
        outer_group(g, a, b, d, channels, accumulate);                                             \
    }
OUTER(set_one_block, LANES, false)
OUTER(set_two_blocks, MOST, false)
OUTER(add_one_block, LANES, true)
OUTER(add_two_blocks, MOST, true)

void sl_nn_gemm_outer_avx512(const struct sl_nn_gemm_outer *gemm)
{
    struct sl_nn_gemm_outer g = *gemm;
    outer_function *two = g.accumulate ? add_two_blocks : set_two_blocks;
    outer_function *one = g.accumulate ? add_one_block : set_one_block;
    struct sl_nn_fetcher fetcher = sl_nn_fetcher_of(&gemm->ahead);
    for (size_t i = 0; i < g.batch; i++, g.a += g.a_next, g.b += g.b_next, g.d += g.d_next)
        for (size_t panel = 0; panel < g.columns / COLUMNS; panel++) {
            const float *a = g.a, *b = g.b + 2 * panel * g.b_block;
            float *d = g.d + panel * g.d_panel;
            size_t left = g.channels;
            for (; left >= MOST; left -= MOST, a += 2 * g.a_block, d += OUTER_STEP) {
                sl_nn_fetch(&fetcher, 3);
                two(&g, a, b, d);
            }
            if (left > 0) one(&g, a, b, d);
        }
}
