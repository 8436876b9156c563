/* Whether people agree more than by chance: what advise, next and plan say before anything else. */
#include <math.h>

#include "softlab/answer/measures.h"
#include "softlab/pipeline/answers.h"

enum sl_status sl_alpha_measure(const struct sl_votes *votes, const bool *without, uint64_t seed,
                                struct sl_interval *out, struct sl_error *err)
{
    const struct sl_bootstrap_options bootstrap = {.n_resamples = 1000, .level = .95, .seed = seed};
    SL_TRY(sl_votes_alpha_interval(votes, without, &bootstrap, out, err));
    /* Resamples repeat items, so that a class of few items is named more often or not at all. That
     * lowers alpha, and with many such classes all percentiles are below the estimate. */
    out->low = fmin(out->low, out->estimate);
    out->high = fmax(out->high, out->estimate);
    return SL_OK;
}

bool sl_alpha_is_chance(const struct sl_interval *alpha)
{
    return !(alpha->low > 0) && alpha->high < .2;
}

void sl_alpha_warn(const struct sl_interval *alpha, struct sl_buffer *out)
{
    if (!sl_alpha_is_chance(alpha)) return;
    sl_buffer_printf(
        out,
        "The answers look like chance (Krippendorff's alpha %.2f [%.2f, %.2f]; 0 is "
        "chance), so do not rely on what follows: labels may have been shuffled, items "
        "mixed up, or the question not understood.\n",
        alpha->estimate + 0., alpha->low, alpha->high);
}
