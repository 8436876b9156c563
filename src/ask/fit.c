/* The model of all items, fitted to the answers so far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"

enum { VARIATION_DRAWS = 4096 };

/* 1 - sum of theta^2 for one theta of component j. */
static double draw_disagreement(const struct sl_dirichlet *model, size_t j, struct sl_rng *rng)
{
    const size_t n = model->n_components;
    double sum = 0, squares = 0;
    for (size_t c = 0; c < model->n_classes; c++) {
        const double alpha = model->alpha[c * n + j];
        const double part = alpha > 0 ? sl_rng_gamma(rng, alpha) : 0;
        sum += part;
        squares += part * part;
    }
    return sum > 0 ? 1 - squares / (sum * sum) : 0; /* tiny parameters may give nothing but zeros */
}

/* Over items that are drawn from the model: what is seen of real items is blurred by the few
 * answers that they have. */
double sl_ask_variation(const struct sl_dirichlet *model)
{
    double mean = 0, root = 0;
    for (size_t i = 0; i < VARIATION_DRAWS; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, 1, "ask.variation", 0, i);
        const size_t j = sl_rng_categorical(&rng, model->share, model->n_components);
        const double v = draw_disagreement(model, j, &rng);
        mean += v / VARIATION_DRAWS;
        root += sqrt(v) / VARIATION_DRAWS;
    }
    return mean > 0 ? 1 - root * root / mean : 0;
}

void sl_ask_fit_destroy(struct sl_ask_fit *fit)
{
    if (!fit) return;
    sl_dirichlet_destroy(fit->model);
    free(fit->trust);
    free(fit);
}

enum sl_status sl_ask_fit_create(const struct sl_votes *votes, const float *predictions,
                                 const struct sl_ask_fit *before, struct sl_pool *pool,
                                 struct sl_ask_fit **out, struct sl_error *err)
{
    struct sl_crowd_options options = sl_crowd_options_default();
    const struct sl_crowd_state start = {.n_classes = votes->n_classes,
                                         .dirichlet = before ? before->model : NULL};
    struct sl_crowd_state state = {0};
    if (votes->count == 0) return sl_fail(err, SL_ERR_INPUT, "there are no answers yet");
    options.pool = pool;
    options.risks = false; /* a board has them */
    options.predictions = predictions;
    options.resume = before ? &start : NULL;
    SL_TRY(sl_aggregate(sl_aggregator_find("dirichlet"), votes, &options, &state, err));
    struct sl_ask_fit *fit = sl_alloc(1, sizeof *fit);
    *fit = (struct sl_ask_fit){.model = state.dirichlet,
                               .n_annotators = votes->n_annotators,
                               .n_answers = votes->count,
                               .trust = state.weight,
                               .variation = sl_ask_variation(state.dirichlet)};
    state.dirichlet = NULL;
    state.weight = NULL;
    sl_crowd_state_release(&state);
    *out = fit;
    return SL_OK;
}
