/* What the products of every instruction set share. Private to gemm_micro*.c. */
#ifndef SOFTLAB_NN_CONV_GEMM_MICRO_PARTS_H
#define SOFTLAB_NN_CONV_GEMM_MICRO_PARTS_H

#include <immintrin.h>

#include "nn/conv/gemm_micro.h"

/* The part of struct sl_nn_ahead that is not prefetched yet. */
struct sl_nn_fetcher {
    const struct sl_nn_run *run, *end;
    const char *line;
    size_t lines; /* lines of the run that are left */
    size_t at_once;
};

static inline struct sl_nn_fetcher sl_nn_fetcher_of(const struct sl_nn_ahead *ahead)
{
    if (ahead->n_runs == 0) return (struct sl_nn_fetcher){0};
    return (struct sl_nn_fetcher){.run = ahead->runs,
                                  .end = ahead->runs + ahead->n_runs,
                                  .line = ahead->runs->first,
                                  .lines = ahead->runs->lines,
                                  .at_once = ahead->at_once};
}

/* Prefetch the lines of `pieces` groups of six. */
static inline void sl_nn_fetch(struct sl_nn_fetcher *f, size_t pieces)
{
    for (size_t left = f->lines > 0 ? pieces * f->at_once : 0; left > 0; left--) {
        _mm_prefetch(f->line, _MM_HINT_T0);
        f->line += 64;
        if (--f->lines > 0) continue;
        if (++f->run == f->end) return;
        f->line = f->run->first;
        f->lines = f->run->lines;
    }
}

/* The products with AVX2, and the whole panels of 16 columns with AVX-512. Panels begin at
 * multiples of 64 bytes. */
void sl_nn_gemm_rows_avx2(const struct sl_nn_gemm_rows *gemm);
void sl_nn_gemm_outer_avx2(const struct sl_nn_gemm_outer *gemm);
void sl_nn_gemm_rows_avx512(const struct sl_nn_gemm_rows *gemm);
void sl_nn_gemm_outer_avx512(const struct sl_nn_gemm_outer *gemm);

#endif
