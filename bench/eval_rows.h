/* Made-up predictions and labels for benchmarks of evaluation. */
#ifndef SOFTLAB_BENCH_EVAL_ROWS_H
#define SOFTLAB_BENCH_EVAL_ROWS_H

#include "softlab/base/random.h"
#include "softlab/base/rows.h"

/* Logits, or distributions of a few answers each. */
static inline void bench_fill_rows(struct sl_rows *rows, bool logits)
{
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct sl_rng rng;
        float *row = rows->values + i * rows->n_classes;
        sl_rng_init(&rng, 1, logits ? "bench.logits" : "bench.labels", 0, i);
        for (size_t k = 0; logits && k < rows->n_classes; k++)
            row[k] = (float)(3 * sl_rng_normal(&rng));
        for (size_t answer = 0; !logits && answer < 8; answer++)
            row[(i + sl_rng_below(&rng, 1 + i % 3)) % rows->n_classes] += 0.125F;
    }
}

#endif
