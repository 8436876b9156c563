#include "nn/layers/lstm_cell.h"

#include <math.h>
#include <string.h>

#include "softlab/base/system.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static float sigmoid_of(float x)
{
    return 1 / (1 + expf(-x));
}

static void forward_plain(const struct sl_nn_lstm_forward *step)
{
    const size_t hidden = step->hidden;
    for (size_t row = 0; row < step->rows; row++) {
        float *gates = step->gates + row * 4 * hidden;
        const float *before = step->cell_before ? step->cell_before + row * hidden : NULL;
        for (size_t j = 0; j < hidden; j++) {
            const float in = sigmoid_of(gates[j] + step->bias[j]);
            const float forget = sigmoid_of(gates[hidden + j] + step->bias[hidden + j]);
            const float candidate = tanhf(gates[2 * hidden + j] + step->bias[2 * hidden + j]);
            const float out = sigmoid_of(gates[3 * hidden + j] + step->bias[3 * hidden + j]);
            const float cell = in * candidate + (before ? forget * before[j] : 0);
            gates[j] = in;
            gates[hidden + j] = forget;
            gates[2 * hidden + j] = candidate;
            gates[3 * hidden + j] = out;
            step->cell[row * hidden + j] = cell;
            step->output[row * hidden + j] = out * tanhf(cell);
        }
    }
}

static void backward_plain(const struct sl_nn_lstm_backward *step)
{
    const size_t hidden = step->hidden;
    for (size_t row = 0; row < step->rows; row++) {
        const float *gates = step->gates + row * 4 * hidden;
        const float *before = step->cell_before ? step->cell_before + row * hidden : NULL;
        float *gradient = step->gate_gradient + row * 4 * hidden;
        for (size_t j = 0; j < hidden; j++) {
            const float in = gates[j], forget = gates[hidden + j];
            const float candidate = gates[2 * hidden + j], out = gates[3 * hidden + j];
            const float by_output = step->output_gradient[row * hidden + j];
            const float squashed = tanhf(step->cell[row * hidden + j]);
            float *by_cell = &step->cell_gradient[row * hidden + j];
            const float total = *by_cell + by_output * out * (1 - squashed * squashed);
            gradient[j] = total * candidate * in * (1 - in);
            gradient[hidden + j] = before ? total * before[j] * forget * (1 - forget) : 0;
            gradient[2 * hidden + j] = total * in * (1 - candidate * candidate);
            gradient[3 * hidden + j] = by_output * squashed * out * (1 - out);
            *by_cell = total * forget;
        }
    }
}

static void add_rows_plain(const float *rows, size_t n_rows, size_t width, float *partial,
                           float *sum)
{
    memset(partial, 0, width * sizeof *partial);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t j = 0; j < width; j++)
            partial[j] += rows[row * width + j];
    for (size_t j = 0; j < width; j++)
        sum[j] += partial[j];
}

static void sigmoid_plain(const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = sigmoid_of(x[i]);
}

static void tanh_plain(const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = tanhf(x[i]);
}

static const struct sl_nn_lstm_kernels plain = {
    "plain", forward_plain, backward_plain, add_rows_plain, sigmoid_plain, tanh_plain,
};

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2,fma")))

enum { LANES = 8 };

/* Only the tail uses masked loads and stores, because they are slow on some processors. */
AVX2 static inline __m256i first_lanes(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Load the next 8 floats. If only `left` of them exist, the other lanes are zero. */
AVX2 static inline __m256 take(const float *from, size_t left)
{
    return left >= LANES ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, first_lanes(left));
}

AVX2 static inline void put(float *to, size_t left, __m256 x)
{
    if (left >= LANES)
        _mm256_storeu_ps(to, x);
    else
        _mm256_maskstore_ps(to, first_lanes(left), x);
}

/* e^x = 2^n (1 + p), n whole, p = e^r - 1 for |r| <= log(2) / 2 by Cephes' polynomial (expf.c),
 * whose error is below one unit in the last place of 1 + p. |x| <= 88. */
struct power {
    __m256 scale; /* 2^n */
    __m256 rest;  /* p */
};
AVX2 static inline struct power power_of_e(__m256 x)
{
    const __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504f)),
                                     _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    /* log(2) in two parts. The first has few bits, so its product with n is exact. */
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(.693359375f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4f), r);
    __m256 p = _mm256_set1_ps(1.9875691500e-4f);
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.3981999507e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(8.3334519073e-3f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(4.1665795894e-2f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.6666665459e-1f));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(5.0000001201e-1f));
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return (struct power){
        _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)),
        _mm256_fmadd_ps(_mm256_mul_ps(r, r), p, r),
    };
}

/* min and max return their second argument if one is NaN. The order of arguments here lets NaN
 * pass. */
AVX2 static inline __m256 sigmoid8(__m256 x)
{
    const __m256 one = _mm256_set1_ps(1);
    x = _mm256_max_ps(_mm256_set1_ps(-87), _mm256_min_ps(_mm256_set1_ps(87), x));
    const struct power e = power_of_e(_mm256_sub_ps(_mm256_setzero_ps(), x));
    return _mm256_div_ps(one, _mm256_fmadd_ps(e.scale, e.rest, _mm256_add_ps(e.scale, one)));
}

/* tanh |x| = (e^2|x| - 1) / (e^2|x| + 1). The numerator is computed as 2^n p + (2^n - 1): with
 * n >= 0 nothing cancels, so small x keep their precision. Beyond 9.1 the float nearest to tanh is
 * 1. */
AVX2 static inline __m256 tanh8(__m256 x)
{
    const __m256 sign = _mm256_and_ps(x, _mm256_set1_ps(-0.f));
    const __m256 size = _mm256_min_ps(_mm256_set1_ps(9.1f), _mm256_xor_ps(x, sign));
    const struct power e = power_of_e(_mm256_add_ps(size, size));
    const __m256 numerator =
        _mm256_fmadd_ps(e.scale, e.rest, _mm256_sub_ps(e.scale, _mm256_set1_ps(1)));
    const __m256 y = _mm256_div_ps(numerator, _mm256_add_ps(numerator, _mm256_set1_ps(2)));
    return _mm256_or_ps(y, sign);
}

AVX2 static inline __m256 biased(const float *gates, const float *bias, size_t left)
{
    return _mm256_add_ps(take(gates, left), take(bias, left));
}

AVX2 static void forward_avx2(const struct sl_nn_lstm_forward *step)
{
    const size_t hidden = step->hidden;
    const float *bias = step->bias;
    for (size_t row = 0; row < step->rows; row++) {
        float *gates = step->gates + row * 4 * hidden;
        for (size_t j = 0; j < hidden; j += LANES) {
            const size_t left = hidden - j;
            const size_t at = row * hidden + j;
            const __m256 in = sigmoid8(biased(gates + j, bias + j, left));
            const __m256 forget = sigmoid8(biased(gates + hidden + j, bias + hidden + j, left));
            const __m256 candidate =
                tanh8(biased(gates + 2 * hidden + j, bias + 2 * hidden + j, left));
            const __m256 out =
                sigmoid8(biased(gates + 3 * hidden + j, bias + 3 * hidden + j, left));
            __m256 cell = _mm256_mul_ps(in, candidate);
            if (step->cell_before)
                cell = _mm256_fmadd_ps(forget, take(step->cell_before + at, left), cell);
            put(gates + j, left, in);
            put(gates + hidden + j, left, forget);
            put(gates + 2 * hidden + j, left, candidate);
            put(gates + 3 * hidden + j, left, out);
            put(step->cell + at, left, cell);
            put(step->output + at, left, _mm256_mul_ps(out, tanh8(cell)));
        }
    }
}

/* a (1 - b c) */
AVX2 static inline __m256 times_rest(__m256 a, __m256 b, __m256 c)
{
    return _mm256_mul_ps(a, _mm256_fnmadd_ps(b, c, _mm256_set1_ps(1)));
}

AVX2 static void backward_avx2(const struct sl_nn_lstm_backward *step)
{
    const size_t hidden = step->hidden;
    const __m256 one = _mm256_set1_ps(1);
    for (size_t row = 0; row < step->rows; row++) {
        const float *gates = step->gates + row * 4 * hidden;
        float *gradient = step->gate_gradient + row * 4 * hidden;
        for (size_t j = 0; j < hidden; j += LANES) {
            const size_t left = hidden - j;
            const size_t at = row * hidden + j;
            const __m256 in = take(gates + j, left);
            const __m256 forget = take(gates + hidden + j, left);
            const __m256 candidate = take(gates + 2 * hidden + j, left);
            const __m256 out = take(gates + 3 * hidden + j, left);
            const __m256 by_output = take(step->output_gradient + at, left);
            const __m256 squashed = tanh8(take(step->cell + at, left));
            const __m256 total =
                _mm256_add_ps(take(step->cell_gradient + at, left),
                              times_rest(_mm256_mul_ps(by_output, out), squashed, squashed));
            __m256 by_forget = _mm256_setzero_ps();
            if (step->cell_before) {
                const __m256 before = take(step->cell_before + at, left);
                by_forget =
                    times_rest(_mm256_mul_ps(_mm256_mul_ps(total, before), forget), forget, one);
            }
            put(gradient + j, left,
                times_rest(_mm256_mul_ps(_mm256_mul_ps(total, candidate), in), in, one));
            put(gradient + hidden + j, left, by_forget);
            put(gradient + 2 * hidden + j, left,
                times_rest(_mm256_mul_ps(total, in), candidate, candidate));
            put(gradient + 3 * hidden + j, left,
                times_rest(_mm256_mul_ps(_mm256_mul_ps(by_output, squashed), out), out, one));
            put(step->cell_gradient + at, left, _mm256_mul_ps(total, forget));
        }
    }
}

AVX2 static void add_rows_avx2(const float *rows, size_t n_rows, size_t width, float *partial,
                               float *sum)
{
    memset(partial, 0, width * sizeof *partial);
    for (size_t row = 0; row < n_rows; row++)
        for (size_t j = 0; j < width; j += LANES) {
            const size_t left = width - j;
            put(partial + j, left,
                _mm256_add_ps(take(partial + j, left), take(rows + row * width + j, left)));
        }
    for (size_t j = 0; j < width; j++)
        sum[j] += partial[j];
}

AVX2 static void sigmoid_avx2(const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        put(out + i, left, sigmoid8(take(x + i, left)));
    }
}

AVX2 static void tanh_avx2(const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        put(out + i, left, tanh8(take(x + i, left)));
    }
}

static const struct sl_nn_lstm_kernels avx2 = {
    "avx2", forward_avx2, backward_avx2, add_rows_avx2, sigmoid_avx2, tanh_avx2,
};

#endif

const struct sl_nn_lstm_kernels *const *sl_nn_lstm_kernels_here(void)
{
    static const struct sl_nn_lstm_kernels *const everywhere[] = {&plain, NULL};
#if defined(__x86_64__)
    static const struct sl_nn_lstm_kernels *const with_avx2[] = {&avx2, &plain, NULL};
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (cpu.avx2 && cpu.fma) return with_avx2;
#endif
    return everywhere;
}
