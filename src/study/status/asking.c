/* How sure the labels are, what more answers would buy, and what is left of the budgets. The same
 * model as adaptive assignment uses (softlab/ask.h), for studies with fixed batches too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/crowd/dirichlet.h"
#include "study/asking/board.h"
#include "study/config/config.h"
#include "study/status/status.h"

enum {
    MOST_NEEDED = 10,   /* more answers than this are not counted one by one */
    DRAWS = 4,          /* futures of each item */
    MOST_PER_ITEM = 32, /* answers of a future */
};
static const double INTERVAL = .95;

struct sl_status_asking {
    struct sl_asking_log *ledger;  /* owned */
    struct sl_asking_board *board; /* owned */
};

void sl_status_asking_destroy(struct sl_status_asking *asking)
{
    if (!asking) return;
    sl_asking_board_destroy(asking->board);
    sl_asking_log_destroy(asking->ledger);
    free(asking);
}

static enum sl_status fill(const struct sl_status_gathering *from, struct sl_status_asking *asking,
                           struct sl_error *err)
{
    const struct sl_asking_terms terms = sl_asking_terms_of(from->study);
    struct sl_asking_moment moment = {0};
    SL_TRY(sl_asking_log_create(from->study, from->store, &asking->ledger, err));
    SL_TRY(sl_asking_log_update(asking->ledger, from->store, err));
    SL_TRY(sl_asking_moment_now(asking->ledger, from->now, &moment, err));
    return sl_asking_board_create(asking->ledger, &terms, &moment, NULL, &asking->board, err);
}

enum sl_status sl_status_asking_create(const struct sl_status_gathering *from,
                                       struct sl_status_asking **out, struct sl_error *err)
{
    *out = NULL;
    if (from->study->kind == SL_ITEM_MIXTURES || !sl_study_asks_classes(from->study) ||
        from->study->n_classes > SL_STUDY_ASKING_CLASSES)
        return SL_OK;
    struct sl_status_asking *asking = sl_alloc(1, sizeof *asking);
    enum sl_status status = fill(from, asking, err);
    if (status == SL_OK)
        *out = asking;
    else
        sl_status_asking_destroy(asking);
    return status;
}

/* ---- One item ---- */

static const char *state_name(enum sl_ask_state state)
{
    static const char *const names[] = {
        [SL_ASK_OPEN] = "open", [SL_ASK_SETTLED] = "settled", [SL_ASK_FULL] = "full"};
    return names[state];
}

static size_t largest(const double *label, size_t count)
{
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (label[k] > label[best]) best = k;
    return best;
}

json_t *sl_status_asking_item(struct sl_status_asking *asking, const char *id)
{
    const uint32_t item = asking ? sl_asking_log_item(asking->ledger, id) : SL_NO_NAME;
    if (item == SL_NO_NAME) return json_null();
    const struct sl_study *study = asking->ledger->study;
    struct sl_ask_board *ask = asking->board->ask;
    const enum sl_ask_state state = sl_ask_state_of(ask, item);
    const size_t needed = sl_ask_needed(ask, item, MOST_NEEDED);
    const struct sl_dirichlet_view *view = sl_ask_look(ask, item);
    const size_t top = largest(view->label, study->n_classes);
    const struct sl_interval range = sl_dirichlet_interval(view, top, INTERVAL);
    json_t *interval =
        json_pack("[o, o]", sl_status_real(range.low, 3), sl_status_real(range.high, 3));
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:s, s:o}", "top",
                     study->classes[top], "share", sl_status_real(view->label[top], 4), "interval",
                     interval, "label", sl_status_shares(study, view->label), "answers",
                     (json_int_t)ask->answers[item], "pending", (json_int_t)ask->pending[item],
                     "seconds", sl_status_real(asking->board->item_seconds[item], 1), "risk",
                     sl_status_real(ask->risk[item], 5), "state", state_name(state), "needed",
                     needed < MOST_NEEDED ? json_integer((json_int_t)needed) : json_null());
}

/* ---- The study ---- */

/* The answers that are still to come: those that the tightest budget allows or, without one, as
 * many as in the last day. */
static size_t answers_to_come(const struct sl_status_gathering *from,
                              const struct sl_asking_board *board)
{
    const struct sl_study_adaptive *limits = &from->study->adaptive;
    const double asked = (double)(board->n_answers + board->n_pending);
    const double one = board->n_answers > 0 ? board->seconds / (double)board->n_answers : 0;
    double left = (double)INFINITY, pace = 0;
    for (size_t i = 0; i < SL_STATUS_HOURS; i++)
        pace += (double)from->per_hour[i];
    if (from->study->assignment == SL_ASSIGN_ADAPTIVE) {
        if (limits->budget_answers > 0) left = (double)limits->budget_answers - asked;
        if (limits->budget_seconds > 0 && one > 0)
            left = fmin(left, limits->budget_seconds / one - asked);
        if (limits->budget_money > 0)
            left = fmin(left, (double)from->study->batch_size *
                                  (limits->budget_money / board->terms.cost -
                                   (double)(board->moment.n_finished + board->moment.n_live)));
    }
    if (isinf(left)) left = pace;
    return left > 0 ? (size_t)left : 0;
}

/* What may come, as far as it is worth looking at. */
struct future {
    size_t n_answers; /* that the rule asks for */
    double mean_risk; /* after them */
};

static enum sl_status stopped(struct sl_error *err)
{
    return sl_fail(err, SL_ERR_STOPPED, "stopped before the end");
}

/* A look at an item takes about K^3 steps, and each answer some looks. */
static size_t affordable(const struct sl_ask_board *ask)
{
    static const double STEPS = 2e8;
    const double classes = (double)ask->n_classes, answers = STEPS / pow(classes, 3) / (1 + DRAWS);
    return (size_t)fmin(answers, MOST_PER_ITEM * (double)ask->n_items);
}

/* As many answers more as expected, beside the pending ones, and no more than is affordable. Uses
 * up the board's pending answers. */
static enum sl_status expect(const struct sl_status_gathering *from, struct sl_asking_board *board,
                             size_t n_answers, struct future *out, struct sl_error *err)
{
    enum { PART = 512 }; /* answers between two questions whether to stop */
    struct sl_ask_board *ask = board->ask;
    const size_t most = affordable(ask);
    const size_t wanted = n_answers < most ? n_answers : most;
    uint32_t *times = sl_alloc(ask->n_items + 1, sizeof *times);
    size_t given = 0;
    for (size_t part = PART; part == PART && given < wanted && !sl_store_stopping(from->store);) {
        part = sl_ask_wave(ask, wanted - given < PART ? wanted - given : PART, 0, times);
        given += part;
    }
    free(times);
    double drop = 0;
    for (size_t i = 0; i < ask->n_items; i++) {
        const uint32_t more = ask->pending[i];
        if (sl_store_stopping(from->store)) return stopped(err);
        if (more == 0) continue;
        sl_ask_expect(ask, i, -(int)more);
        drop += sl_ask_expected_drop(ask, i, more, DRAWS, 1);
    }
    const double mean = ask->n_items > 0 ? drop / (double)ask->n_items : 0;
    *out = (struct future){given, fmax(board->mean_risk - mean, 0)};
    return SL_OK;
}

static json_t *left_json(double budget, double spent)
{
    return budget > 0 ? sl_status_real(fmax(budget - spent, 0), 2) : json_null();
}

static void set_spent(const struct sl_status_gathering *from, const struct sl_asking_board *board,
                      json_t *to)
{
    const struct sl_study_adaptive *limits = &from->study->adaptive;
    const double money = board->terms.cost * (double)board->moment.n_finished;
    const bool limited = from->study->assignment == SL_ASSIGN_ADAPTIVE;
    json_object_set_new(to, "spent",
                        json_pack("{s:I, s:o, s:o}", "answers", (json_int_t)board->n_answers,
                                  "seconds", sl_status_real(board->seconds, 1), "money",
                                  sl_status_real(money, 2)));
    json_object_set_new(
        to, "left",
        json_pack("{s:o, s:o, s:o}", "answers",
                  left_json(limited ? (double)limits->budget_answers : 0, (double)board->n_answers),
                  "seconds", left_json(limited ? limits->budget_seconds : 0, board->seconds),
                  "money", left_json(limited ? limits->budget_money : 0, money)));
}

static const char *end_of(const struct sl_asking_board *board, const struct sl_ask_summary *summary)
{
    enum sl_asking_end why = SL_ASKING_OPEN;
    (void)sl_asking_allowance(board, &why);
    if (why == SL_ASKING_OPEN && summary->n_open == 0) why = SL_ASKING_ITEMS;
    return sl_asking_end_names[why];
}

enum sl_status sl_status_asking_study(const struct sl_status_gathering *from,
                                      struct sl_status_asking *asking, json_t **out,
                                      struct sl_error *err)
{
    *out = json_null();
    if (!asking) return SL_OK;
    struct future future = {0};
    struct sl_asking_board *board = asking->board;
    const bool adaptive = from->study->assignment == SL_ASSIGN_ADAPTIVE;
    struct sl_ask_summary summary;
    sl_ask_summarise(board->ask, &summary);
    const char *end = end_of(board, &summary);
    SL_TRY(expect(from, board, answers_to_come(from, board), &future, err));
    json_t *result =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:s}", "assignment", adaptive ? "adaptive" : "fixed",
                  "way", sl_ask_way_names[board->ask->by_gain ? SL_ASK_GAIN : SL_ASK_EQUAL],
                  "because", board->ask->because, "variation",
                  board->fit_answers > 0 ? sl_status_real(board->fit->variation, 3) : json_null(),
                  "mean_risk", sl_status_real(board->mean_risk, 5), "end", adaptive ? end : "open");
    json_object_set_new(result, "items",
                        json_pack("{s:I, s:I, s:I, s:I}", "open", (json_int_t)summary.n_open,
                                  "settled", (json_int_t)summary.n_settled, "full",
                                  (json_int_t)summary.n_full, "unanswered",
                                  (json_int_t)summary.n_unanswered));
    json_object_set_new(result, "pending", json_integer((json_int_t)board->n_pending));
    json_object_set_new(result, "target",
                        adaptive && from->study->adaptive.target > 0
                            ? sl_status_real(from->study->adaptive.target, 5)
                            : json_null());
    set_spent(from, board, result);
    json_object_set_new(result, "expected",
                        json_pack("{s:I, s:o}", "answers", (json_int_t)future.n_answers,
                                  "mean_risk", sl_status_real(future.mean_risk, 5)));
    *out = result;
    return SL_OK;
}
