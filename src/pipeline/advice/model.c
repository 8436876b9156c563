/* How hard the items are, by the model of softlab/crowd/dirichlet.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/ask.h"
#include "softlab/base/memory.h"

/* Add the answers of an item to the counts. */
static void count_answers(const struct sl_advice_input *input, const struct sl_crowd_state *state,
                          size_t item, double *count)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&input->crowd);
    const struct sl_votes *votes = input->crowd.votes;
    for (size_t v = shape.begin[item]; v < shape.begin[item + 1]; v++) {
        const uint32_t who = shape.annotator[v];
        const double trust = who == SL_NO_NAME ? 1 : state->weight[who];
        if (votes) {
            count[votes->label[v]] += trust;
            continue;
        }
        for (size_t k = 0; k < shape.n_classes; k++)
            count[k] += trust * state->dirichlet->rich_weight * sl_crowd_said(&input->crowd, v, k);
    }
}

void sl_advice_look(const struct sl_advice_input *input, const struct sl_crowd_state *state,
                    size_t item, struct sl_dirichlet_view *view)
{
    memset(view->count, 0, view->model->n_classes * sizeof *view->count);
    count_answers(input, state, item, view->count);
    sl_dirichlet_look(view, -1);
}

/* ---- Disagreement of every item ---- */

enum { PARTS = 64 };
struct looking {
    const struct sl_advice_input *input;
    const struct sl_crowd_state *state;
    struct sl_dirichlet_view *views; /* one per thread */
    double *disagreement;            /* n_items */
};

static void look_at_part(void *context, size_t part, size_t worker)
{
    struct looking *looking = context;
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&looking->input->crowd);
    const struct sl_pool_range range = sl_pool_range_of(shape.n_items, PARTS, part);
    struct sl_dirichlet_view *view = &looking->views[worker];
    for (size_t i = range.begin; i < range.end; i++) {
        looking->disagreement[i] = (double)NAN;
        if (shape.begin[i] == shape.begin[i + 1]) continue;
        sl_advice_look(looking->input, looking->state, i, view);
        looking->disagreement[i] = sl_dirichlet_disagreement(view);
    }
}

static enum sl_status look_at_all(const struct sl_advice_input *input, struct sl_advice *advice,
                                  struct sl_error *err)
{
    struct sl_advice_model *model = &advice->model;
    const size_t threads = sl_pool_threads(input->pool), n_items = model->state.n_items;
    struct looking looking = {.input = input, .state = &model->state};
    enum sl_status status = SL_OK;
    looking.views = sl_alloc(threads, sizeof *looking.views);
    model->disagreement = sl_data_alloc(n_items, sizeof *model->disagreement, err);
    if (!model->disagreement) SL_TRY_OUT(SL_ERR_NOMEM);
    looking.disagreement = model->disagreement;
    for (size_t t = 0; t < threads; t++)
        SL_TRY_OUT(sl_dirichlet_view_init(&looking.views[t], model->state.dirichlet, err));
    sl_pool_run(input->pool, PARTS, look_at_part, &looking);
    status = sl_pool_check(input->pool, err);
    model->variation = sl_ask_variation(model->state.dirichlet);
out:
    for (size_t t = 0; t < threads; t++)
        sl_dirichlet_view_release(&looking.views[t]);
    free(looking.views);
    return status;
}

/* ---- Figures ---- */

static void summarise(const struct sl_advice_input *input, struct sl_advice_model *model)
{
    const size_t *begin = sl_crowd_shape_of(&input->crowd).begin;
    double risk = 0, count = 0;
    for (size_t i = 0; i < model->state.n_items; i++) {
        if (begin[i] == begin[i + 1]) continue;
        risk += model->state.risk[i];
        count += 1;
    }
    model->risk = risk / count;
    const struct sl_dirichlet *fitted = model->state.dirichlet;
    for (size_t j = 0; j < fitted->n_components; j++)
        model->share[j % SL_DIRICHLET_LEVELS] += fitted->share[j];
    for (size_t t = 0; t < SL_DIRICHLET_LEVELS; t++)
        model->agreed[t] = 1 - fitted->spread[t];
}

/* Levels are fitted: put them in the order of their agreement. */
static void sort_levels(struct sl_advice_model *model)
{
    for (size_t t = 1; t < SL_DIRICHLET_LEVELS; t++)
        for (size_t u = t; u > 0 && model->agreed[u] > model->agreed[u - 1]; u--) {
            const double agreed = model->agreed[u], share = model->share[u];
            model->agreed[u] = model->agreed[u - 1];
            model->share[u] = model->share[u - 1];
            model->agreed[u - 1] = agreed;
            model->share[u - 1] = share;
        }
}

/* Why the model cannot be fitted, or NULL. */
static const char *find_missing(const struct sl_advice *advice, const struct sl_aggregator *method)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    if (method->most_classes && crowd->n_classes > method->most_classes)
        return "there are more than 100 classes";
    if (crowd->n_classes < 2) return "there is only one class";
    if (crowd->rich && crowd->n_unknown > 0)
        return "the answers state probabilities, but some do not say who gave them";
    if (crowd->n_compared == 0) return "no item has two answers";
    return NULL;
}

enum sl_status sl_advice_fit_model(const struct sl_advice_input *input, struct sl_advice *advice,
                                   struct sl_error *err)
{
    const struct sl_aggregator *method =
        sl_aggregator_find(input->crowd.soft ? "dirichlet-soft" : "dirichlet");
    struct sl_advice_model *model = &advice->model;
    struct sl_crowd_options options = sl_crowd_options_default();
    model->missing = find_missing(advice, method);
    model->risk = model->variation = (double)NAN;
    if (model->missing) return SL_OK;
    options.pool = input->pool;
    SL_TRY(sl_crowd_aggregate(method, &input->crowd, &options, &model->state, err));
    SL_TRY(look_at_all(input, advice, err));
    summarise(input, model);
    sort_levels(model);
    return SL_OK;
}
