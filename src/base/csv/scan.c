#include "base/csv/internal.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static bool runs_everywhere(void)
{
    return true;
}

static void scan_portable(const char *bytes, size_t n_blocks, const char specials[SL_CSV_SPECIALS],
                          uint64_t *masks)
{
    uint8_t special[256] = {0};
    for (size_t i = 0; i < SL_CSV_SPECIALS; i++)
        special[(unsigned char)specials[i]] = 1;
    for (size_t block = 0; block < n_blocks; block++) {
        const unsigned char *at = (const unsigned char *)bytes + block * SL_CSV_BLOCK;
        uint64_t mask = 0;
        for (unsigned i = 0; i < SL_CSV_BLOCK; i++)
            mask |= (uint64_t)special[at[i]] << i;
        masks[block] = mask;
    }
}

#if defined(__x86_64__)

/* SSE2 is part of x86-64 itself. */
static void scan_sse2(const char *bytes, size_t n_blocks, const char specials[SL_CSV_SPECIALS],
                      uint64_t *masks)
{
    const __m128i a = _mm_set1_epi8(specials[0]), b = _mm_set1_epi8(specials[1]),
                  c = _mm_set1_epi8(specials[2]), d = _mm_set1_epi8(specials[3]),
                  e = _mm_set1_epi8(specials[4]);
    for (size_t block = 0; block < n_blocks; block++) {
        uint64_t mask = 0;
        for (unsigned part = 0; part < SL_CSV_BLOCK; part += 16) {
            __m128i x = _mm_loadu_si128((const __m128i *)(bytes + block * SL_CSV_BLOCK + part));
            __m128i ab = _mm_or_si128(_mm_cmpeq_epi8(x, a), _mm_cmpeq_epi8(x, b));
            __m128i cd = _mm_or_si128(_mm_cmpeq_epi8(x, c), _mm_cmpeq_epi8(x, d));
            __m128i any = _mm_or_si128(_mm_or_si128(ab, cd), _mm_cmpeq_epi8(x, e));
            mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(any) << part;
        }
        masks[block] = mask;
    }
}

static bool runs_with_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx2"))) static void
scan_avx2(const char *bytes, size_t n_blocks, const char specials[SL_CSV_SPECIALS], uint64_t *masks)
{
    const __m256i a = _mm256_set1_epi8(specials[0]), b = _mm256_set1_epi8(specials[1]),
                  c = _mm256_set1_epi8(specials[2]), d = _mm256_set1_epi8(specials[3]),
                  e = _mm256_set1_epi8(specials[4]);
    for (size_t block = 0; block < n_blocks; block++) {
        uint64_t mask = 0;
        for (unsigned part = 0; part < SL_CSV_BLOCK; part += 32) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(bytes + block * SL_CSV_BLOCK + part));
            __m256i ab = _mm256_or_si256(_mm256_cmpeq_epi8(x, a), _mm256_cmpeq_epi8(x, b));
            __m256i cd = _mm256_or_si256(_mm256_cmpeq_epi8(x, c), _mm256_cmpeq_epi8(x, d));
            __m256i any = _mm256_or_si256(_mm256_or_si256(ab, cd), _mm256_cmpeq_epi8(x, e));
            mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(any) << part;
        }
        masks[block] = mask;
    }
}

#endif

const struct sl_csv_scanner sl_csv_scanners[] = {
    {"portable", runs_everywhere, scan_portable},
#if defined(__x86_64__)
    {"sse2", runs_everywhere, scan_sse2},
    {"avx2", runs_with_avx2, scan_avx2},
#endif
    {NULL, NULL, NULL},
};

const struct sl_csv_scanner *sl_csv_best_scanner(void)
{
    const struct sl_csv_scanner *best = sl_csv_scanners;
    for (const struct sl_csv_scanner *scanner = sl_csv_scanners; scanner->name; scanner++)
        if (scanner->runs_here()) best = scanner;
    return best;
}
