#include "study/asking/board.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "study/config/config.h"

/* ---- Moments ---- */

void sl_asking_moment_release(struct sl_asking_moment *moment)
{
    free(moment->live);
    free(moment->gone);
    *moment = (struct sl_asking_moment){0};
}

bool sl_asking_is_gone(const struct sl_asking_log_session *session)
{
    return !session || session->state == SL_SESSION_RETURNED ||
           session->state == SL_SESSION_REFUSED;
}

static bool is_live(const struct sl_asking_log_session *session, int64_t now)
{
    return session->state == SL_SESSION_ACTIVE && session->lease_until >= now && !session->test &&
           !session->second_run;
}

static int by_id(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sessions with answers that do not count, each once. */
static void list_gone(const struct sl_asking_log *ledger, struct sl_asking_moment *to)
{
    size_t count = 0;
    for (size_t i = 0; i < ledger->n_answers; i++) {
        const int64_t session = ledger->answers[i].session;
        if (sl_asking_is_gone(sl_asking_log_session(ledger, session))) to->gone[count++] = session;
    }
    if (count > 1) qsort(to->gone, count, sizeof *to->gone, by_id);
    for (size_t i = 0; i < count; i++)
        if (to->n_gone == 0 || to->gone[to->n_gone - 1] != to->gone[i])
            to->gone[to->n_gone++] = to->gone[i];
}

enum sl_status sl_asking_moment_now(const struct sl_asking_log *ledger, int64_t now,
                                    struct sl_asking_moment *out, struct sl_error *err)
{
    struct sl_asking_moment moment = {.last_answer = ledger->last};
    moment.live = sl_data_alloc(ledger->n_sessions + 1, sizeof *moment.live, err);
    moment.gone = sl_data_alloc(ledger->n_answers + 1, sizeof *moment.gone, err);
    if (!moment.live || !moment.gone) {
        sl_asking_moment_release(&moment);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < ledger->n_sessions; i++) {
        const struct sl_asking_log_session *session = &ledger->sessions[i];
        if (is_live(session, now)) moment.live[moment.n_live++] = session->id;
        moment.n_finished += session->state == SL_SESSION_DONE && !session->test;
    }
    list_gone(ledger, &moment);
    *out = moment;
    return SL_OK;
}

static bool is_listed(const int64_t *list, size_t count, int64_t session)
{
    return count > 0 && bsearch(&session, list, count, sizeof *list, by_id) != NULL;
}

/* ---- Votes ---- */

static bool counts(const struct sl_asking_log_answer *answer, const struct sl_asking_moment *moment)
{
    return answer->id <= moment->last_answer && answer->until > moment->last_answer &&
           answer->label != SL_NO_NAME && !is_listed(moment->gone, moment->n_gone, answer->session);
}

/* Answers that count, in the order of their ids. */
struct tally {
    uint32_t *item, *annotator, *label; /* owned */
    int64_t *id;                        /* owned */
    size_t count;
};

static void tally_release(struct tally *tally)
{
    free(tally->item);
    free(tally->annotator);
    free(tally->label);
    free(tally->id);
}

static enum sl_status tally_make(const struct sl_asking_log *ledger, struct sl_asking_board *board,
                                 struct tally *out, struct sl_error *err)
{
    const size_t room = ledger->n_answers + 1;
    struct tally tally = {.item = sl_data_alloc(room, sizeof *tally.item, err),
                          .annotator = sl_data_alloc(room, sizeof *tally.annotator, err),
                          .label = sl_data_alloc(room, sizeof *tally.label, err),
                          .id = sl_data_alloc(room, sizeof *tally.id, err)};
    if (!tally.item || !tally.annotator || !tally.label || !tally.id) {
        tally_release(&tally);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < ledger->n_answers; i++) {
        const struct sl_asking_log_answer *answer = &ledger->answers[i];
        if (!counts(answer, &board->moment)) continue;
        tally.item[tally.count] = answer->item;
        tally.annotator[tally.count] = answer->annotator;
        tally.label[tally.count] = answer->label;
        tally.id[tally.count++] = answer->id;
        board->item_seconds[answer->item] += answer->seconds;
        board->seconds += answer->seconds;
    }
    *out = tally;
    return SL_OK;
}

/* All answers item by item. A board asks for no names, and may have no answers at all. */
static enum sl_status sort_votes(const struct sl_asking_log *ledger, const struct tally *tally,
                                 struct sl_votes *out, struct sl_error *err)
{
    const size_t n = ledger->n_items;
    struct sl_votes votes = {.n_items = n,
                             .n_classes = ledger->study->n_classes,
                             .count = tally->count,
                             .begin = sl_data_zeroed(n + 2, sizeof *votes.begin, err),
                             .annotator =
                                 sl_data_alloc(tally->count + 1, sizeof *votes.annotator, err),
                             .label = sl_data_alloc(tally->count + 1, sizeof *votes.label, err)};
    *out = votes;
    if (!votes.begin || !votes.annotator || !votes.label) return SL_ERR_NOMEM;
    /* begin[i + 1] counts up from the start of item i to its end. */
    for (size_t v = 0; v < tally->count; v++)
        votes.begin[tally->item[v] + 2]++;
    for (size_t i = 2; i <= n; i++)
        votes.begin[i] += votes.begin[i - 1];
    for (size_t v = 0; v < tally->count; v++) {
        const size_t at = votes.begin[tally->item[v] + 1]++;
        votes.annotator[at] = tally->annotator[v];
        votes.label[at] = (uint16_t)tally->label[v];
    }
    return SL_OK;
}

/* The first `count` answers for a fit. Annotators are numbered by their first answers, so they have
 * the same numbers on every later board. */
static enum sl_status fit_votes(const struct sl_asking_log *ledger, const struct tally *tally,
                                size_t count, struct sl_votes **out, struct sl_error *err)
{
    size_t n_annotators = 0;
    for (size_t i = 0; i < count; i++)
        if (tally->annotator[i] >= n_annotators) n_annotators = (size_t)tally->annotator[i] + 1;
    const struct sl_vote_codes codes = {.count = count,
                                        .n_items = ledger->n_items,
                                        .n_annotators = n_annotators,
                                        .n_classes = ledger->study->n_classes,
                                        .item = tally->item,
                                        .annotator = tally->annotator,
                                        .label = tally->label};
    return sl_votes_from_codes(&codes, NULL, out, err);
}

/* ---- Fits ---- */

/* How many of the answers the fit sees. */
static size_t fit_size(size_t n_answers)
{
    enum { SMALLEST = 32, SHARE = 5 }; /* a fit is made anew when answers have grown by 1/SHARE */
    size_t size = SMALLEST;
    if (n_answers < size) return 0;
    for (;;) {
        const size_t next = size + (size + SHARE - 1) / SHARE;
        if (next > n_answers) return size;
        size = next;
    }
}

static uint32_t checksum(const struct tally *tally, size_t count)
{
    uint32_t sum = sl_crc32(0, tally->id, count * sizeof *tally->id);
    sum = sl_crc32(sum, tally->item, count * sizeof *tally->item);
    sum = sl_crc32(sum, tally->annotator, count * sizeof *tally->annotator);
    return sl_crc32(sum, tally->label, count * sizeof *tally->label);
}

/* What is believed before there are enough answers. */
static enum sl_status make_first_fit(size_t n_classes, struct sl_ask_fit **out,
                                     struct sl_error *err)
{
    struct sl_dirichlet *model = NULL;
    SL_TRY(sl_dirichlet_create(n_classes, &model, err));
    struct sl_ask_fit *fit = sl_alloc(1, sizeof *fit);
    *fit = (struct sl_ask_fit){.model = model};
    *out = fit;
    return SL_OK;
}

static enum sl_status make_fit(const struct sl_asking_log *ledger, struct sl_asking_board *board,
                               const struct tally *tally, const struct sl_asking_board *before,
                               struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    board->fit_answers = fit_size(tally->count);
    board->fit_last = board->fit_answers > 0 ? tally->id[board->fit_answers - 1] : 0;
    board->fit_sum = checksum(tally, board->fit_answers);
    if (before && before->fit && before->fit_answers == board->fit_answers &&
        before->fit_sum == board->fit_sum) {
        board->fit = before->fit;
        return SL_OK;
    }
    if (board->fit_answers == 0) return make_first_fit(ledger->study->n_classes, &board->fit, err);
    SL_TRY(fit_votes(ledger, tally, board->fit_answers, &votes, err));
    enum sl_status status = sl_ask_fit_create(votes, NULL, NULL, NULL, &board->fit, err);
    sl_votes_destroy(votes);
    return status;
}

/* ---- Boards ---- */

static void expect(struct sl_asking_board *board, uint32_t item)
{
    sl_ask_expect(board->ask, item, 1);
    board->n_pending++;
}

/* Items of live sessions that they have not answered. `pending` (n_items) is zero before. */
static void expect_live(const struct sl_asking_log *ledger, struct sl_asking_board *board,
                        uint32_t *pending)
{
    const struct sl_asking_moment *moment = &board->moment;
    for (size_t i = 0; i < moment->n_live; i++) {
        const struct sl_asking_log_session *session =
            sl_asking_log_session(ledger, moment->live[i]);
        if (!session) continue;
        const struct sl_asking_log_batch *batch = sl_asking_log_batch_of(ledger, session);
        for (size_t b = 0; b < batch->count; b++)
            pending[batch->items[b]]++;
    }
    for (size_t i = 0; i < ledger->n_answers; i++) {
        const struct sl_asking_log_answer *answer = &ledger->answers[i];
        if (answer->id <= moment->last_answer && answer->until > moment->last_answer &&
            is_listed(moment->live, moment->n_live, answer->session) && pending[answer->item] > 0)
            pending[answer->item]--;
    }
    for (uint32_t item = 0; item < ledger->n_items; item++) {
        if (pending[item] == 0) continue;
        sl_ask_expect(board->ask, item, (int)pending[item]);
        board->n_pending += pending[item];
    }
}

static enum sl_status score(const struct sl_asking_log *ledger, struct sl_asking_board *board,
                            const struct tally *tally, struct sl_error *err)
{
    const struct sl_ask_rule rule = sl_study_rule(&board->terms.adaptive);
    struct sl_votes votes = {0};
    enum sl_status status = sort_votes(ledger, tally, &votes, err);
    if (status == SL_OK)
        status = sl_ask_board_create(board->fit, &votes, NULL, &rule, NULL, &board->ask, err);
    free(votes.begin);
    free(votes.annotator);
    free(votes.label);
    return status;
}

static enum sl_status fill(const struct sl_asking_log *ledger, struct sl_asking_board *board,
                           const struct sl_asking_board *before, struct sl_error *err)
{
    struct tally tally = {0};
    struct sl_ask_summary summary;
    uint32_t *pending = sl_data_zeroed(ledger->n_items + 1, sizeof *pending, err);
    board->item_seconds = sl_data_zeroed(ledger->n_items + 1, sizeof *board->item_seconds, err);
    enum sl_status status = pending && board->item_seconds ? SL_OK : SL_ERR_NOMEM;
    if (status == SL_OK) status = tally_make(ledger, board, &tally, err);
    if (status == SL_OK) status = make_fit(ledger, board, &tally, before, err);
    if (status == SL_OK) status = score(ledger, board, &tally, err);
    if (status == SL_OK) {
        board->n_answers = tally.count;
        expect_live(ledger, board, pending);
        sl_ask_summarise(board->ask, &summary);
        board->mean_risk = summary.mean_risk;
    }
    tally_release(&tally);
    free(pending);
    return status;
}

enum sl_status sl_asking_board_create(const struct sl_asking_log *ledger,
                                      const struct sl_asking_terms *terms,
                                      struct sl_asking_moment *moment,
                                      const struct sl_asking_board *before,
                                      struct sl_asking_board **out, struct sl_error *err)
{
    struct sl_asking_board *board = sl_alloc(1, sizeof *board);
    board->terms = *terms;
    board->moment = *moment;
    *moment = (struct sl_asking_moment){0};
    enum sl_status status = fill(ledger, board, before, err);
    if (status == SL_OK) {
        *out = board;
        return SL_OK;
    }
    if (before && before->fit == board->fit) board->fit = NULL;
    sl_asking_board_destroy(board);
    return status;
}

void sl_asking_board_destroy(struct sl_asking_board *board)
{
    if (!board) return;
    sl_ask_board_destroy(board->ask);
    sl_ask_fit_destroy(board->fit);
    sl_asking_moment_release(&board->moment);
    free(board->item_seconds);
    free(board);
}

void sl_asking_board_replace(struct sl_asking_board **board, struct sl_asking_board *by)
{
    if (*board && (*board)->fit == by->fit) (*board)->fit = NULL;
    sl_asking_board_destroy(*board);
    *board = by;
}

void sl_asking_board_add_live(struct sl_asking_board *board, int64_t session, const uint32_t *items,
                              size_t n_items)
{
    struct sl_asking_moment *moment = &board->moment;
    moment->live = sl_resize(moment->live, moment->n_live + 1, sizeof *moment->live);
    moment->live[moment->n_live++] = session; /* ids grow */
    for (size_t i = 0; i < n_items; i++)
        expect(board, items[i]);
}
