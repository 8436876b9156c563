/* Labels of mixed images from an inferred share and a confidence (thesis 4.3). */
#include <math.h>

#include "label/methods_internal.h"

/* y = (1 - s)(lambda e_A + (1 - lambda) e_B) + s / K with s = gamma^confidence. An answer without
 * confidence is not smoothed. */
enum sl_status sl_row_mix(const struct sl_answer *answer, size_t n_classes,
                          const struct sl_label_options *options, double *out, struct sl_error *err)
{
    const struct sl_mix_answer *mix = &answer->mix;
    if (mix->a >= n_classes || mix->b >= n_classes)
        return sl_fail(err, SL_ERR_INPUT, "classes %u and %u: expected classes below %zu", mix->a,
                       mix->b, n_classes);
    double lambda = (double)(options->generated ? mix->generated : mix->lambda);
    if (!(lambda >= 0 && lambda <= 1))
        return sl_fail(err, SL_ERR_INPUT, "the %s share is %g, expected 0 to 1",
                       options->generated ? "generating" : "inferred", lambda);
    double confidence = (double)mix->confidence, smoothing = 0;
    if (!isnan(confidence) && !(confidence >= 0 && confidence <= 1))
        return sl_fail(err, SL_ERR_INPUT, "the confidence is %g, expected 0 to 1", confidence);
    if (!isnan(confidence) && options->gamma > 0) smoothing = pow(options->gamma, confidence);
    for (size_t k = 0; k < n_classes; k++)
        out[k] = smoothing / (double)n_classes;
    out[mix->a] += (1 - smoothing) * lambda;
    out[mix->b] += (1 - smoothing) * (1 - lambda);
    return SL_OK;
}

enum sl_status sl_mix_merge(const struct sl_answers *answers, const size_t *chosen, size_t count,
                            struct sl_answer *out, struct sl_error *err)
{
    struct sl_answer merged, other;
    double lambda = 0, generated = 0, confidence = 0;
    size_t n_confident = 0;
    sl_answers_get(answers, chosen[0], &merged);
    for (size_t i = 0; i < count; i++) {
        sl_answers_get(answers, chosen[i], &other);
        bool swapped = other.mix.a == merged.mix.b && other.mix.b == merged.mix.a;
        if (!swapped && (other.mix.a != merged.mix.a || other.mix.b != merged.mix.b))
            return sl_fail(err, SL_ERR_INPUT, "the answers name different endpoint classes");
        bool turn = swapped && merged.mix.a != merged.mix.b;
        lambda += turn ? 1 - (double)other.mix.lambda : (double)other.mix.lambda;
        generated += turn ? 1 - (double)other.mix.generated : (double)other.mix.generated;
        if (isnan(other.mix.confidence)) continue;
        confidence += (double)other.mix.confidence;
        n_confident++;
    }
    merged.mix.lambda = (float)(lambda / (double)count);
    merged.mix.generated = (float)(generated / (double)count);
    merged.mix.confidence = n_confident ? (float)(confidence / (double)n_confident) : NAN;
    *out = merged;
    return SL_OK;
}
