/* Which items to look at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/advice/advice.h"
#include "softlab/base/memory.h"

/* ---- The greatest of many ---- */

struct ranked {
    double key;
    uint32_t item;
};

static int by_key(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? 1 : -1;
    return a->item < b->item ? -1 : a->item > b->item;
}

enum sl_status sl_advice_greatest(const double *keys, size_t n_items, size_t most, uint32_t **out,
                                  size_t *count, struct sl_error *err)
{
    struct ranked *ranked = sl_data_alloc(n_items, sizeof *ranked, err);
    size_t n_known = 0;
    if (!ranked) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n_items; i++)
        if (!isnan(keys[i])) ranked[n_known++] = (struct ranked){keys[i], (uint32_t)i};
    qsort(ranked, n_known, sizeof *ranked, by_key);
    *count = n_known < most ? n_known : most;
    *out = sl_alloc(*count + 1, sizeof **out);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = ranked[i].item;
    free(ranked);
    return SL_OK;
}

/* ---- One item ---- */

/* Shares of the answers, for crowds without a model. */
static void mean_of_answers(const struct sl_advice_input *input, size_t item, double *out)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&input->crowd);
    const double count = (double)(shape.begin[item + 1] - shape.begin[item]);
    for (size_t k = 0; k < shape.n_classes; k++) {
        out[k] = 0;
        for (size_t v = shape.begin[item]; v < shape.begin[item + 1]; v++)
            out[k] += sl_crowd_said(&input->crowd, v, k) / count;
    }
}

struct sl_advice_item sl_advice_describe(const struct sl_advice_input *input,
                                         const struct sl_advice *advice,
                                         struct sl_dirichlet_view *view, size_t item)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&input->crowd);
    const double unknown = (double)NAN;
    struct sl_advice_item made = {.item = (uint32_t)item,
                                  .n_answers = shape.begin[item + 1] - shape.begin[item],
                                  .risk = unknown,
                                  .disagreement = unknown,
                                  .truth = advice->truth ? advice->truth[item] : -1};
    if (view) {
        sl_advice_look(input, &advice->model.state, item, view);
        sl_first_two(view->label, shape.n_classes, NULL, &made.first, &made.second);
        made.share = sl_dirichlet_interval(view, made.first, .95);
        made.other = sl_dirichlet_interval(view, made.second, .95);
        made.risk = advice->model.state.risk[item];
        made.disagreement = advice->model.disagreement[item];
        return made;
    }
    double *label = sl_alloc(shape.n_classes, sizeof *label);
    mean_of_answers(input, item, label);
    sl_first_two(label, shape.n_classes, NULL, &made.first, &made.second);
    made.share = (struct sl_interval){label[made.first], unknown, unknown};
    made.other = (struct sl_interval){label[made.second], unknown, unknown};
    free(label);
    return made;
}

/* ---- Lists ---- */

struct listing {
    const struct sl_advice_input *input;
    const struct sl_advice *advice;
    struct sl_dirichlet_view *view; /* or NULL */
    double *keys;                   /* n_items */
};

static enum sl_status list_greatest(const struct listing *listing, struct sl_advice_item **out,
                                    size_t *count, struct sl_error *err)
{
    const size_t n_items = sl_crowd_shape_of(&listing->input->crowd).n_items;
    uint32_t *found = NULL;
    SL_TRY(sl_advice_greatest(listing->keys, n_items, (size_t)listing->advice->job->top, &found,
                              count, err));
    *out = sl_alloc(*count + 1, sizeof **out);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = sl_advice_describe(listing->input, listing->advice, listing->view, found[i]);
    free(found);
    return SL_OK;
}

/* 1 - the sum of squared shares of the answers, for crowds without a model. */
static double plain_disagreement(const struct sl_advice_input *input, size_t item, double *label)
{
    const size_t k = sl_crowd_shape_of(&input->crowd).n_classes;
    double squares = 0;
    mean_of_answers(input, item, label);
    for (size_t c = 0; c < k; c++)
        squares += label[c] * label[c];
    return 1 - squares;
}

/* How much of the label speaks against the true class; NaN where the first class is the true one.
 */
static double contradiction(const struct sl_advice *advice, const double *label, size_t n_classes,
                            size_t item)
{
    const int32_t truth = advice->truth[item];
    size_t first, second;
    sl_first_two(label, n_classes, NULL, &first, &second);
    if (truth < 0 || (size_t)truth == first) return (double)NAN;
    return label[first] - label[(size_t)truth];
}

static void find_disagreement(const struct listing *listing, double *label)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&listing->input->crowd);
    for (size_t i = 0; i < shape.n_items; i++) {
        const bool answered = shape.begin[i] < shape.begin[i + 1];
        if (listing->view)
            listing->keys[i] = listing->advice->model.disagreement[i];
        else
            listing->keys[i] =
                answered ? plain_disagreement(listing->input, i, label) : (double)NAN;
        if (!(listing->keys[i] > 0)) listing->keys[i] = (double)NAN;
    }
}

static void find_contradictions(const struct listing *listing, struct sl_advice_items *items,
                                double *label)
{
    const struct sl_advice *advice = listing->advice;
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&listing->input->crowd);
    const size_t k = shape.n_classes;
    for (size_t i = 0; i < shape.n_items; i++) {
        listing->keys[i] = (double)NAN;
        if (shape.begin[i] == shape.begin[i + 1] || advice->truth[i] < 0) continue;
        if (listing->view)
            for (size_t c = 0; c < k; c++)
                label[c] = (double)advice->model.state.posterior[i * k + c];
        else
            mean_of_answers(listing->input, i, label);
        listing->keys[i] = contradiction(advice, label, k, i);
        items->n_truth++;
        if (!isnan(listing->keys[i])) items->n_wrong++;
    }
}

static void find_risks(const struct listing *listing)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&listing->input->crowd);
    for (size_t i = 0; i < shape.n_items; i++)
        listing->keys[i] = shape.begin[i] < shape.begin[i + 1]
                               ? listing->advice->model.state.risk[i]
                               : (double)NAN;
}

enum sl_status sl_advice_choose_items(const struct sl_advice_input *input, struct sl_advice *advice,
                                      struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(&input->crowd);
    struct sl_dirichlet_view view = {0};
    struct listing listing = {.input = input, .advice = advice};
    struct sl_advice_items *items = &advice->items;
    enum sl_status status = SL_OK;
    double *label = sl_data_alloc(shape.n_classes, sizeof *label, err);
    listing.keys = sl_data_alloc(shape.n_items, sizeof *listing.keys, err);
    if (!label || !listing.keys) SL_TRY_OUT(SL_ERR_NOMEM);
    if (!advice->model.missing) {
        SL_TRY_OUT(sl_dirichlet_view_init(&view, advice->model.state.dirichlet, err));
        listing.view = &view;
        find_risks(&listing);
        SL_TRY_OUT(list_greatest(&listing, &items->risky, &items->n_risky, err));
    }
    if (advice->crowd.n_compared > 0) {
        find_disagreement(&listing, label);
        SL_TRY_OUT(list_greatest(&listing, &items->split, &items->n_split, err));
    }
    if (advice->truth) {
        find_contradictions(&listing, items, label);
        SL_TRY_OUT(list_greatest(&listing, &items->contrary, &items->n_contrary, err));
    }
out:
    sl_dirichlet_view_release(&view);
    free(label);
    free(listing.keys);
    return status;
}
