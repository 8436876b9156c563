/* Every item with its answers, and what one more would change. */
#include <stdlib.h>
#include <string.h>

#include "ask/ask_internal.h"
#include "softlab/base/memory.h"
#include "softlab/crowd/subset.h"

void sl_ask_board_destroy(struct sl_ask_board *board)
{
    if (!board) return;
    free(board->counts);
    free(board->answers);
    free(board->pending);
    free(board->risk);
    free(board->gain);
    sl_dirichlet_view_release(&board->view);
    free(board);
}

static void load_counts(const struct sl_ask_board *board, struct sl_dirichlet_view *view,
                        size_t item)
{
    const float *counts = board->counts + item * board->n_classes;
    for (size_t k = 0; k < board->n_classes; k++)
        view->count[k] = (double)counts[k];
}

static void look(const struct sl_ask_board *board, struct sl_dirichlet_view *view, size_t item)
{
    load_counts(board, view, item);
    sl_dirichlet_expect(view,
                        board->predictions ? board->predictions + item * board->n_classes : NULL);
    sl_dirichlet_look(view, -1);
}

void sl_ask_look_ahead(const struct sl_ask_board *board, struct sl_dirichlet_view *view,
                       size_t item, double more)
{
    look(board, view, item);
    if (!(more > 0)) return;
    for (size_t k = 0; k < board->n_classes; k++)
        view->count[k] += more * view->label[k];
    sl_dirichlet_look(view, -1);
}

const struct sl_dirichlet_view *sl_ask_look(struct sl_ask_board *board, size_t item)
{
    look(board, &board->view, item);
    return &board->view;
}

void sl_ask_expect(struct sl_ask_board *board, size_t item, int more)
{
    const int64_t pending = (int64_t)board->pending[item] + more;
    board->pending[item] = (uint32_t)(pending > 0 ? pending : 0);
    sl_ask_look_ahead(board, &board->view, item, board->pending[item]);
    board->gain[item] = sl_dirichlet_gain(&board->view);
}

/* ---- Creation ---- */

/* What the answer counts: the trust in its annotator, times the clicks that a stated distribution
 * is worth. */
static float weight_of(const struct sl_ask_fit *fit, uint32_t annotator, bool stated)
{
    const bool known = annotator != SL_NO_NAME && annotator < fit->n_annotators;
    return (float)((known ? fit->trust[annotator] : 1) * (stated ? fit->model->rich_weight : 1));
}

static void count_answers(struct sl_ask_board *board, const struct sl_crowd_answers *crowd)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    for (size_t i = 0; i < board->n_items; i++) {
        float *counts = board->counts + i * board->n_classes;
        board->answers[i] = (uint32_t)(shape.begin[i + 1] - shape.begin[i]);
        for (size_t v = shape.begin[i]; v < shape.begin[i + 1]; v++) {
            const float weight = weight_of(board->fit, shape.annotator[v], crowd->soft != NULL);
            if (crowd->votes) counts[crowd->votes->label[v]] += weight;
            for (size_t k = 0; crowd->soft && k < board->n_classes; k++)
                counts[k] += weight * crowd->soft->rows[v * board->n_classes + k];
        }
    }
}

struct scoring {
    struct sl_ask_board *board;
    struct sl_dirichlet_view *views; /* one per thread */
    size_t parts;
};

static void score_part(void *context, size_t part, size_t worker)
{
    const struct scoring *scoring = context;
    struct sl_ask_board *board = scoring->board;
    struct sl_dirichlet_view *view = &scoring->views[worker];
    const struct sl_pool_range range = sl_pool_range_of(board->n_items, scoring->parts, part);
    for (size_t i = range.begin; i < range.end; i++) {
        look(board, view, i);
        board->risk[i] = sl_dirichlet_risk(view);
        board->gain[i] = sl_dirichlet_gain(view);
    }
}

static enum sl_status score_all(struct sl_ask_board *board, struct sl_pool *pool,
                                struct sl_error *err)
{
    enum { ITEMS_OF_A_PART = 64 };
    const size_t threads = sl_pool_threads(pool);
    struct scoring scoring = {.board = board,
                              .views = sl_alloc(threads, sizeof *scoring.views),
                              .parts = (board->n_items + ITEMS_OF_A_PART - 1) / ITEMS_OF_A_PART};
    enum sl_status status = SL_OK;
    for (size_t t = 0; t < threads; t++)
        SL_TRY_OUT(sl_dirichlet_view_init(&scoring.views[t], board->fit->model, err));
    sl_pool_run(pool, scoring.parts, score_part, &scoring);
out:
    for (size_t t = 0; t < threads; t++)
        sl_dirichlet_view_release(&scoring.views[t]);
    free(scoring.views);
    return status;
}

static size_t count_pilot(const struct sl_ask_board *board)
{
    size_t count = 0;
    for (size_t i = 0; i < board->n_items; i++)
        count += board->answers[i] >= board->rule.first;
    return count;
}

static enum sl_status create(const struct sl_ask_fit *fit, const struct sl_crowd_answers *crowd,
                             const float *predictions, const struct sl_ask_rule *rule,
                             struct sl_pool *pool, struct sl_ask_board **out, struct sl_error *err)
{
    const struct sl_crowd_shape shape = sl_crowd_shape_of(crowd);
    const size_t n = shape.n_items, k = shape.n_classes;
    SL_TRY(sl_ask_rule_check(rule, err));
    if (k != fit->model->n_classes)
        return sl_fail(err, SL_ERR_INPUT, "the answers have %zu classes, those of the fit had %zu",
                       k, fit->model->n_classes);
    struct sl_ask_board *board = sl_alloc(1, sizeof *board);
    enum sl_status status = SL_OK;
    *board = (struct sl_ask_board){
        .fit = fit, .rule = *rule, .predictions = predictions, .n_items = n, .n_classes = k};
    board->counts = sl_data_zeroed(n * k + 1, sizeof *board->counts, err);
    board->answers = sl_data_zeroed(n + 1, sizeof *board->answers, err);
    board->pending = sl_data_zeroed(n + 1, sizeof *board->pending, err);
    board->risk = sl_data_zeroed(n + 1, sizeof *board->risk, err);
    board->gain = sl_data_zeroed(n + 1, sizeof *board->gain, err);
    if (!board->counts || !board->answers || !board->pending || !board->risk || !board->gain)
        status = SL_ERR_NOMEM;
    if (status == SL_OK) status = sl_dirichlet_view_init(&board->view, fit->model, err);
    if (status == SL_OK) {
        count_answers(board, crowd);
        status = score_all(board, pool, err);
    }
    if (status != SL_OK) {
        sl_ask_board_destroy(board);
        return status;
    }
    board->by_gain = sl_ask_pays(rule, fit, count_pilot(board), &board->because);
    *out = board;
    return SL_OK;
}

enum sl_status sl_ask_board_create(const struct sl_ask_fit *fit, const struct sl_votes *votes,
                                   const float *predictions, const struct sl_ask_rule *rule,
                                   struct sl_pool *pool, struct sl_ask_board **out,
                                   struct sl_error *err)
{
    return create(fit, &(struct sl_crowd_answers){.votes = votes}, predictions, rule, pool, out,
                  err);
}

enum sl_status sl_ask_board_create_soft(const struct sl_ask_fit *fit,
                                        const struct sl_soft_votes *votes,
                                        const struct sl_ask_rule *rule, struct sl_pool *pool,
                                        struct sl_ask_board **out, struct sl_error *err)
{
    return create(fit, &(struct sl_crowd_answers){.soft = votes}, NULL, rule, pool, out, err);
}
