#include <math.h>

#include "softlab/label.h"

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

enum sl_status sl_similarity_cosines(const float *vectors, size_t n, size_t dimensions, float *out,
                                     struct sl_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double square = dot(vectors + i * dimensions, vectors + i * dimensions, dimensions);
        if (!(square > 0 && isfinite(square)))
            return sl_fail(err, SL_ERR_INPUT, "word vector %zu is zero or not finite", i);
    }
    for (size_t i = 0; i < n; i++) {
        const float *a = vectors + i * dimensions;
        double length = sqrt(dot(a, a, dimensions));
        for (size_t j = 0; j < n; j++) {
            const float *b = vectors + j * dimensions;
            double other = sqrt(dot(b, b, dimensions));
            out[i * n + j] = i == j ? 1 : (float)(dot(a, b, dimensions) / (length * other));
        }
    }
    return SL_OK;
}
