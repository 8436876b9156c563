#include <stdlib.h>

#include "softlab/base/memory.h"
#include "softlab/experiment.h"

enum sl_status sl_planned_create(const struct sl_spec *spec, bool as_published,
                                 struct sl_planned **out, struct sl_error *err)
{
    const struct sl_experiment_options options = {.as_published = as_published};
    struct sl_experiment *plan;
    SL_TRY(sl_experiment_create(spec, &options, &plan, err));
    struct sl_planned *planned = sl_alloc(1, sizeof *planned);
    planned->plan = plan;
    planned->n_runs = plan->n_runs;
    planned->runs = sl_alloc(plan->n_runs + 1, sizeof *planned->runs);
    for (size_t i = 0; i < plan->n_runs; i++) {
        const struct sl_run *run = &plan->runs[i];
        planned->runs[i] = (struct sl_planned_run){.key = run->key,
                                                   .part = run->part,
                                                   .set = run->set,
                                                   .network = run->network,
                                                   .seed = run->seed,
                                                   .fold = run->fold,
                                                   .renamed = run->renamed,
                                                   .absent = run->absent,
                                                   .missing = run->missing};
    }
    *out = planned;
    return SL_OK;
}

void sl_planned_destroy(struct sl_planned *planned)
{
    if (!planned) return;
    sl_experiment_destroy(planned->plan);
    free(planned->runs);
    free(planned);
}
