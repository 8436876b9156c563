/* What to ask one person on a board, and the record of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"
#include "study/asking/board.h"
#include "study/config/config.h"

struct sl_asking_terms sl_asking_terms_of(const struct sl_study *study)
{
    return (struct sl_asking_terms){.adaptive = study->adaptive,
                                    .batch_size = study->batch_size,
                                    .cost = sl_study_cost(study),
                                    .trial_seconds = sl_screen_find(study->screens[0])->seconds};
}

/* ---- As JSON ---- */

static json_t *list_json(const int64_t *ids, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer(ids[i]));
    return list;
}

static const char *way_name(const struct sl_asking_board *board)
{
    return sl_ask_way_names[board->ask->by_gain ? SL_ASK_GAIN : SL_ASK_EQUAL];
}

static json_t *terms_json(const struct sl_asking_terms *terms)
{
    const struct sl_study_adaptive *rule = &terms->adaptive;
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:I, s:f, s:f, s:f, s:I, s:f, s:f}", "way",
                     sl_ask_way_names[rule->way], "first", (json_int_t)rule->first, "least",
                     (json_int_t)rule->least, "most", (json_int_t)rule->most, "stop", rule->stop,
                     "budget_answers", (json_int_t)rule->budget_answers, "budget_seconds",
                     rule->budget_seconds, "budget_money", rule->budget_money, "target",
                     rule->target, "batch", (json_int_t)terms->batch_size, "cost", terms->cost,
                     "trial_seconds", terms->trial_seconds);
}

json_t *sl_asking_board_json(const struct sl_asking_board *board, const char *name, bool shared)
{
    const struct sl_asking_moment *moment = &board->moment;
    return json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:f, s:f, s:s, s:s, s:f, s:b, s:o}", "board",
        name, "answers", (json_int_t)board->n_answers, "last_answer",
        (json_int_t)moment->last_answer, "fit_answers", (json_int_t)board->fit_answers, "fit_last",
        (json_int_t)board->fit_last, "live", list_json(moment->live, moment->n_live), "gone",
        list_json(moment->gone, moment->n_gone), "finished", (json_int_t)moment->n_finished,
        "seconds", board->seconds, "variation", board->fit->variation, "way", way_name(board),
        "because", board->ask->because, "mean_risk", board->mean_risk, "shared", shared, "terms",
        terms_json(&board->terms));
}

static enum sl_status parse_list(const json_t *list, int64_t **out, size_t *count,
                                 struct sl_error *err)
{
    const size_t n = json_array_size(list);
    int64_t *ids = sl_data_alloc(n + 1, sizeof *ids, err);
    if (!ids) return SL_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        ids[i] = json_integer_value(json_array_get(list, i));
    *out = ids;
    *count = n;
    return SL_OK;
}

static enum sl_status parse_moment(const json_t *object, struct sl_asking_moment *out,
                                   struct sl_error *err)
{
    struct sl_asking_moment moment = {
        .last_answer = json_integer_value(json_object_get(object, "last_answer")),
        .n_finished = (size_t)json_integer_value(json_object_get(object, "finished"))};
    enum sl_status status =
        parse_list(json_object_get(object, "live"), &moment.live, &moment.n_live, err);
    if (status == SL_OK)
        status = parse_list(json_object_get(object, "gone"), &moment.gone, &moment.n_gone, err);
    if (status == SL_OK)
        *out = moment;
    else
        sl_asking_moment_release(&moment);
    return status;
}

static bool parse_terms(json_t *object, struct sl_asking_terms *out)
{
    const char *way = NULL;
    json_int_t first = 0, least = 0, most = 0, answers = 0, batch = 0;
    struct sl_study_adaptive *rule = &out->adaptive;
    *out = (struct sl_asking_terms){0};
    if (json_unpack(object, "{s:s, s:I, s:I, s:I, s:F, s:I, s:F, s:F, s:F, s:I, s:F, s:F}", "way",
                    &way, "first", &first, "least", &least, "most", &most, "stop", &rule->stop,
                    "budget_answers", &answers, "budget_seconds", &rule->budget_seconds,
                    "budget_money", &rule->budget_money, "target", &rule->target, "batch", &batch,
                    "cost", &out->cost, "trial_seconds", &out->trial_seconds) != 0 ||
        first < 0 || least < 0 || most < 0 || answers < 0 || batch < 1)
        return false;
    size_t which = 0;
    while (which < SL_ASK_WAYS && strcmp(sl_ask_way_names[which], way) != 0)
        which++;
    rule->way = (enum sl_ask_way)which;
    rule->first = (size_t)first;
    rule->least = (size_t)least;
    rule->most = (size_t)most;
    rule->budget_answers = (size_t)answers;
    out->batch_size = (size_t)batch;
    return which < SL_ASK_WAYS;
}

enum sl_status sl_asking_board_parse(const json_t *object, struct sl_asking_moment *moment,
                                     struct sl_asking_terms *terms, struct sl_error *err)
{
    if (!json_is_integer(json_object_get(object, "last_answer")) ||
        !json_is_array(json_object_get(object, "live")) ||
        !json_is_array(json_object_get(object, "gone")) ||
        !parse_terms(json_object_get(object, "terms"), terms))
        return sl_fail(err, SL_ERR_INPUT,
                       "the record of a board lacks last_answer, live, gone or terms");
    return parse_moment(object, moment, err);
}

/* ---- Decisions ---- */

const char *const sl_asking_end_names[SL_ASKING_ENDS] = {"open",  "answers", "seconds",
                                                         "money", "target",  "items"};

/* Pending answers are expected to take as long as those that came. */
static double expected_seconds(const struct sl_asking_board *board)
{
    const double one = board->n_answers > 0 ? board->seconds / (double)board->n_answers
                                            : board->terms.trial_seconds;
    return board->seconds + one * (double)board->n_pending;
}

size_t sl_asking_allowance(const struct sl_asking_board *board, enum sl_asking_end *why)
{
    const struct sl_study_adaptive *limits = &board->terms.adaptive;
    const size_t asked = board->n_answers + board->n_pending, batch = board->terms.batch_size;
    const double sessions = (double)(board->moment.n_finished + board->moment.n_live + 1);
    *why = SL_ASKING_OPEN;
    if (limits->budget_answers > 0 && asked >= limits->budget_answers) *why = SL_ASKING_ANSWERS;
    if (limits->budget_seconds > 0 && expected_seconds(board) >= limits->budget_seconds)
        *why = SL_ASKING_SECONDS;
    if (limits->budget_money > 0 &&
        sessions * board->terms.cost > limits->budget_money * (1 + 1e-9))
        *why = SL_ASKING_MONEY;
    if (limits->target > 0 && board->n_answers > 0 && board->mean_risk <= limits->target)
        *why = SL_ASKING_TARGET;
    if (*why != SL_ASKING_OPEN) return 0;
    if (limits->budget_answers == 0 || limits->budget_answers - asked > batch) return batch;
    return limits->budget_answers - asked;
}

size_t sl_asking_choose(const struct sl_asking_board *board, const bool *seen, uint32_t *out)
{
    enum sl_asking_end why = SL_ASKING_OPEN;
    const size_t most = sl_asking_allowance(board, &why);
    return most > 0 ? sl_ask_choose(board->ask, seen, most, out) : 0;
}

static const char *reason(const struct sl_asking_board *board, uint32_t item)
{
    const size_t asked = (size_t)board->ask->answers[item] + board->ask->pending[item];
    return asked < board->ask->rule.first ? "first" : way_name(board);
}

json_t *sl_asking_decision_json(const struct sl_asking_log *ledger,
                                const struct sl_asking_board *board, const char *name,
                                const uint32_t *items, size_t n_items)
{
    const struct sl_ask_board *ask = board->ask;
    json_t *list = json_array();
    for (size_t i = 0; i < n_items; i++)
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:f, s:f, s:s}", "id",
                                              sl_asking_log_item_id(ledger, items[i]), "answers",
                                              (json_int_t)ask->answers[items[i]], "pending",
                                              (json_int_t)ask->pending[items[i]], "risk",
                                              ask->risk[items[i]], "gain", ask->gain[items[i]],
                                              "why", reason(board, items[i])));
    return json_pack("{s:s, s:I, s:s, s:o}", "board", name, "turn", (json_int_t)board->turns + 1,
                     "way", way_name(board), "items", list);
}

void sl_asking_decided(struct sl_asking_board *board, int64_t session, const uint32_t *items,
                       size_t n_items)
{
    sl_asking_board_add_live(board, session, items, n_items);
    board->turns++;
}
