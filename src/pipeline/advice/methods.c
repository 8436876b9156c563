/* Which way of making labels predicts left-out answers best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"

enum {
    FEWEST_SCORED = 30, /* items, for a bootstrap over them to mean anything */
    MOST_RICH = 1000,   /* left-out distributions: fitting dirichlet-soft again takes long */
};

/* Candidates, the simplest first. A method of NULL is that of input->row_method. */
static const struct {
    bool rich;
    const char *method, *aggregator, *words;
} rows[] = {
    {false, "share", NULL, "the shares of the votes"},
    {false, "dirichlet", "dirichlet", "the model that knows easy and hard items"},
    {false, "ds", "ds", "Dawid-Skene, a confusion matrix per annotator"},
    {false, "ibcc", "ibcc", "Dawid-Skene with priors"},
    {true, NULL, NULL, "the mean of the stated distributions"},
    {true, "dirichlet-soft", "dirichlet-soft", "the model that knows easy and hard items"},
    {true, "pool-linear", "pool-linear", "a weighted mean of the annotators"},
    {true, "ds-soft", "ds-soft", "Dawid-Skene for distributions"},
};

/* Whether a method can read these answers. */
static bool fits(const struct sl_aggregator *aggregator, const struct sl_advice *advice)
{
    const struct sl_advice_crowd *crowd = &advice->crowd;
    const unsigned named = SL_CROWD_ANNOTATORS | SL_CROWD_SOFT;
    if (!aggregator) return true;
    if (aggregator->needs & named && crowd->n_unknown > 0) return false;
    return aggregator->most_classes == 0 || crowd->n_classes <= aggregator->most_classes;
}

static void list_candidates(const struct sl_advice_input *input, const struct sl_advice *advice,
                            struct sl_advice_methods *methods)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct sl_aggregator *aggregator =
            rows[r].aggregator ? sl_aggregator_find(rows[r].aggregator) : NULL;
        if (rows[r].rich != advice->crowd.rich || !fits(aggregator, advice)) continue;
        methods->candidates[methods->count++] = (struct sl_advice_candidate){
            .method = rows[r].method ? rows[r].method : input->row_method,
            .words = rows[r].words,
            .aggregator = aggregator};
    }
}

static enum sl_status choose(const struct sl_advice *advice, struct sl_advice_methods *methods,
                             struct sl_error *err)
{
    const struct sl_bootstrap_options bootstrap = sl_advice_bootstrap(advice->job);
    const struct sl_held_out_score *scores = methods->held_out.methods;
    for (size_t m = 1; m < methods->count; m++)
        if (scores[m].mean > scores[methods->best].mean) methods->best = m;
    for (size_t m = 0; m < methods->count; m++)
        SL_TRY(sl_held_out_difference(&methods->held_out, methods->best, m, &bootstrap,
                                      &methods->behind[m], err));
    methods->advised = methods->best;
    for (size_t m = methods->best; m-- > 0;)
        if (!(methods->behind[m].low > 0)) methods->advised = m;
    methods->decided = methods->held_out.n_scored >= FEWEST_SCORED;
    return SL_OK;
}

/* ---- Against known classes ---- */

struct rights {
    size_t n_truth;
    bool *right[SL_ADVICE_CANDIDATES]; /* owned; room for all items */
    size_t first, second;              /* candidates that are compared */
};

static double difference_of_rights(const size_t *indices, size_t count, void *context)
{
    const struct rights *rights = context;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)rights->right[rights->first][indices[i]] -
               (double)rights->right[rights->second][indices[i]];
    return sum / (double)count;
}

/* Label all items with a candidate and see which known classes it finds. */
static enum sl_status find_rights(const struct sl_advice_input *input,
                                  const struct sl_advice *advice, size_t candidate,
                                  struct rights *rights, struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&input->crowd);
    struct sl_crowd_options options = sl_crowd_options_default();
    struct sl_crowd_state state = {0};
    options.pool = input->pool;
    options.confusions = false;
    bool *right = sl_data_alloc(shape.n_items, sizeof *right, err);
    rights->right[candidate] = right;
    if (!right) return SL_ERR_NOMEM;
    const struct sl_aggregator *method = advice->methods.candidates[candidate].aggregator;
    const bool fitted = method && method->learns & SL_LEARNS_RISK; /* it is the model's */
    if (!fitted) SL_TRY(sl_crowd_aggregate(method, &input->crowd, &options, &state, err));
    const float *labels = fitted ? advice->model.state.posterior : state.posterior;
    rights->n_truth = 0;
    for (size_t i = 0; i < shape.n_items; i++) {
        if (shape.begin[i] == shape.begin[i + 1] || advice->truth[i] < 0) continue;
        const size_t first = sl_largest(labels + i * shape.n_classes, shape.n_classes);
        right[rights->n_truth++] = first == (size_t)advice->truth[i];
    }
    sl_crowd_state_release(&state);
    return SL_OK;
}

static enum sl_status compare_with_truth(const struct sl_advice_input *input,
                                         struct sl_advice *advice, struct sl_error *err)
{
    struct sl_advice_methods *methods = &advice->methods;
    struct sl_bootstrap_options bootstrap = sl_advice_bootstrap(advice->job);
    struct rights rights = {.second = methods->advised};
    enum sl_status status = SL_OK;
    for (size_t m = 0; m < methods->count; m++) {
        SL_TRY_OUT(find_rights(input, advice, m, &rights, err));
        for (size_t i = 0; i < rights.n_truth; i++)
            methods->accuracy[m] += (double)rights.right[m][i] / (double)rights.n_truth;
        if (methods->accuracy[m] > methods->accuracy[rights.first]) rights.first = m;
    }
    methods->n_truth = rights.n_truth;
    methods->truest = rights.first;
    if (rights.n_truth > 50000) bootstrap.n_resamples = 100; /* such intervals are narrow */
    if (rights.n_truth > 1)
        SL_TRY_OUT(sl_bootstrap(difference_of_rights, &rights, rights.n_truth, &bootstrap,
                                &methods->truest_ahead, err));
out:
    for (size_t m = 0; m < methods->count; m++)
        free(rights.right[m]);
    return status;
}

enum sl_status sl_advice_compare_methods(const struct sl_advice_input *input,
                                         struct sl_advice *advice, struct sl_error *err)
{
    struct sl_advice_methods *methods = &advice->methods;
    struct sl_held_out_options options = sl_held_out_options_default();
    const struct sl_aggregator *aggregators[SL_ADVICE_CANDIDATES];
    list_candidates(input, advice, methods);
    if (advice->crowd.n_compared == 0 || advice->crowd.n_classes < 2) return SL_OK;
    for (size_t m = 0; m < methods->count; m++)
        aggregators[m] = methods->candidates[m].aggregator;
    options.seed = advice->job->seed;
    options.pool = input->pool;
    if (advice->crowd.rich) options.most_answers = MOST_RICH;
    SL_TRY(sl_held_out_measure(&input->crowd, aggregators, methods->count, &options,
                               &methods->held_out, err));
    SL_TRY(choose(advice, methods, err));
    return advice->truth ? compare_with_truth(input, advice, err) : SL_OK;
}
