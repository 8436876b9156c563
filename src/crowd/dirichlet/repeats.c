/* People who answered an item more than once. */
#include <stdlib.h>

#include "crowd/dirichlet/fit.h"
#include "softlab/base/memory.h"

/* last[a]: the last answer of annotator a that was seen, plus 1; 0: none. */
static enum sl_status mark(struct sl_dirichlet_fit *fit, size_t *last, struct sl_error *err)
{
    const struct sl_tally_source *source = &fit->source;
    const size_t count = source->begin[source->n_items];
    for (size_t i = 0; i < source->n_items; i++)
        for (size_t answer = source->begin[i]; answer < source->begin[i + 1]; answer++) {
            const uint32_t who = source->annotator[answer];
            if (who == SL_NO_NAME) continue;
            const size_t before = last[who];
            last[who] = answer + 1;
            if (before <= source->begin[i]) continue; /* of another item */
            if (!fit->repeat) fit->repeat = sl_data_zeroed(count, sizeof *fit->repeat, err);
            if (!fit->repeat) return SL_ERR_NOMEM;
            if (fit->repeat[before - 1] == SL_REPEAT_NONE)
                fit->repeat[before - 1] = SL_REPEAT_FIRST;
            fit->repeat[answer] = SL_REPEAT_LATER;
        }
    return SL_OK;
}

enum sl_status sl_dirichlet_find_repeats(struct sl_dirichlet_fit *fit, struct sl_error *err)
{
    size_t *last = sl_data_zeroed(fit->n_annotators + 1, sizeof *last, err);
    if (!last) return SL_ERR_NOMEM;
    const enum sl_status status = mark(fit, last, err);
    free(last);
    return status;
}
