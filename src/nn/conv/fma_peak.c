#include <immintrin.h>

#include "softlab/base/log.h"
#include "softlab/base/system.h"
#include "softlab/nn/tuning.h"

enum { ROUNDS = 1 << 20, CHAINS = 12, LANES = 8 };

/* Twelve independent chains hide the latency of two multiply-add units. Nothing accesses memory. */
__attribute__((target("avx2,fma"))) static float multiply_and_add(void)
{
    const __m256 factor = _mm256_set1_ps(0.999F), term = _mm256_set1_ps(1e-3F);
    __m256 sum[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum[i] = _mm256_set1_ps((float)i);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm256_fmadd_ps(sum[i], factor, term);
    for (int i = 1; i < CHAINS; i++)
        sum[0] = _mm256_add_ps(sum[0], sum[i]);
    return _mm256_cvtss_f32(sum[0]);
}

__attribute__((target("avx512f"))) static float multiply_and_add_wide(void)
{
    const __m512 factor = _mm512_set1_ps(0.999F), term = _mm512_set1_ps(1e-3F);
    __m512 sum[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum[i] = _mm512_set1_ps((float)i);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm512_fmadd_ps(sum[i], factor, term);
    for (int i = 1; i < CHAINS; i++)
        sum[0] = _mm512_add_ps(sum[0], sum[i]);
    return _mm512_cvtss_f32(sum[0]);
}

double sl_fma_peak(void)
{
    struct sl_cpu cpu;
    sl_cpu_detect(&cpu);
    if (!cpu.avx2 || !cpu.fma) return 0;
    const double start = sl_clock_seconds();
    const float result = cpu.avx512f ? multiply_and_add_wide() : multiply_and_add();
    const double seconds = sl_clock_seconds() - start;
    const double lanes = cpu.avx512f ? 2 * LANES : LANES;
    /* The comparison keeps the compiler from removing the loop. The sum is always positive. */
    return result > 0 ? 2.0 * lanes * CHAINS * ROUNDS / seconds : 0;
}
