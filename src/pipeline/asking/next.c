/* Which items to ask about next, and what that is expected to buy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/asking/asking.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { SEED = 1 }; /* of the futures that are drawn */

void sl_next_batch_release(struct sl_next_batch *batch)
{
    sl_ask_board_destroy(batch->board);
    sl_ask_fit_destroy(batch->fit);
    sl_votes_destroy(batch->votes);
    free(batch->predictions);
    free(batch->times);
    *batch = (struct sl_next_batch){0};
}

/* ---- What there is ---- */

static size_t count_unused(const struct sl_votes *votes)
{
    bool *used = sl_alloc(votes->n_classes + 1, sizeof *used);
    size_t n_unused = votes->n_classes;
    for (size_t v = 0; v < votes->count; v++) {
        n_unused -= !used[votes->label[v]];
        used[votes->label[v]] = true;
    }
    free(used);
    return n_unused;
}

static enum sl_status measure_agreement(struct sl_next_batch *batch, struct sl_error *err)
{
    const struct sl_votes *votes = batch->votes;
    size_t n_compared = 0;
    for (size_t i = 0; i < votes->n_items; i++)
        n_compared += votes->begin[i + 1] - votes->begin[i] >= 2;
    batch->alpha = (struct sl_interval){(double)NAN, (double)NAN, (double)NAN};
    if (n_compared < SL_ALPHA_FEWEST_ITEMS) return SL_OK;
    return sl_alpha_measure(votes, NULL, SEED, &batch->alpha, err);
}

static enum sl_status read_inputs(const struct sl_next_job *job,
                                  const struct sl_workplace *workplace, struct sl_next_batch *out,
                                  struct sl_error *err)
{
    struct sl_asking_answers answers;
    SL_TRY(
        sl_asking_answers_read(workplace, job->answers, &job->reading, job->items, &answers, err));
    out->votes = answers.votes;
    answers.votes = NULL;
    out->pace = sl_asking_pace(&answers, job->seconds);
    out->n_soft = answers.n_answers[SL_SCREEN_RICH];
    out->n_unused = count_unused(out->votes);
    sl_asking_answers_release(&answers);
    SL_TRY(measure_agreement(out, err));
    if (!job->prior) return SL_OK;
    const struct sl_votes *votes = out->votes;
    const struct sl_known_names names = {votes->items,     votes->annotators, votes->classes,
                                         votes->n_classes, "the answers",     false};
    return sl_predictions_read_of_items(workplace, job->prior, &names, &out->predictions, err);
}

static enum sl_status make_board(const struct sl_next_job *job,
                                 const struct sl_workplace *workplace, enum sl_ask_way way,
                                 const struct sl_next_batch *batch, struct sl_ask_board **out,
                                 struct sl_error *err)
{
    struct sl_ask_rule rule = sl_ask_rule_default();
    rule.way = way;
    rule.stop = job->stop;
    rule.most = job->most;
    return sl_ask_board_create(batch->fit, batch->votes, batch->predictions, &rule, workplace->pool,
                               out, err);
}

/* ---- How many answers ---- */

static enum sl_status count_affordable(struct sl_next_batch *batch, double share,
                                       struct sl_error *err)
{
    const struct sl_ask_pace *pace = &batch->pace;
    double affordable = batch->budget.amount;
    if (batch->budget.in_seconds) {
        if (isnan(pace->seconds))
            return sl_fail(err, SL_ERR_USAGE,
                           "--seconds is missing: the answers have no recorded times, so give how "
                           "long an answer takes, or the budget as a number of answers");
        if (batch->budget.amount < pace->seconds)
            return sl_fail(err, SL_ERR_USAGE,
                           "--budget %s is less than one answer, which takes %.3g s",
                           batch->job->budget, pace->seconds);
        affordable = floor(batch->budget.amount / pace->seconds);
    }
    const double wave = floor(share * (double)batch->votes->n_items);
    batch->n_affordable = (size_t)affordable;
    batch->n_wave = wave < 1 ? 1 : (size_t)wave;
    return SL_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The outcome of asking for so many answers; the board is left as it was. */
static struct sl_ask_outcome try_wave(struct sl_ask_board *board, double risk, size_t n_answers,
                                      size_t per_item, uint32_t *times)
{
    struct sl_ask_outcome outcome = {.n_answers = sl_ask_wave(board, n_answers, per_item, times)};
    sl_ask_withdraw(board);
    outcome.mean_risk = risk - sl_ask_expected_mean_drop(board, times, SEED);
    return outcome;
}

/* The fewest answers, at most `most`, that are expected to reach the target: a wave of fewer
 * answers is the beginning of a larger one. */
static void choose_batch(struct sl_next_batch *batch, size_t most)
{
    const struct sl_next_job *job = batch->job;
    const double risk = batch->now.mean_risk;
    batch->batch = try_wave(batch->board, risk, most, job->per_item, batch->times);
    if (!(batch->batch.mean_risk < job->target)) return; /* or there is no target */
    size_t too_few = 0, enough = batch->batch.n_answers;
    while (too_few + 1 < enough) {
        const size_t middle = too_few + (enough - too_few) / 2;
        const struct sl_ask_outcome tried =
            try_wave(batch->board, risk, middle, job->per_item, batch->times);
        *(tried.mean_risk <= job->target ? &enough : &too_few) = middle;
    }
    batch->batch = try_wave(batch->board, risk, enough, job->per_item, batch->times);
}

/* Answers that a future may hold without a long wait: the work of each grows with the cube of the
 * classes. */
static size_t count_foreseen(const struct sl_next_batch *batch)
{
    enum { WORK = 1 << 27, MOST_PER_ITEM = 32 };
    const size_t k = batch->votes->n_classes, n_items = batch->votes->n_items;
    const size_t most = smaller(WORK / (k * k * k), MOST_PER_ITEM * n_items);
    return smaller(batch->n_affordable, most > batch->n_wave ? most : batch->n_wave);
}

/* The mean of several futures of one way to choose. */
static enum sl_status foresee(const struct sl_workplace *workplace, const struct sl_next_job *job,
                              enum sl_ask_way way, const struct sl_next_batch *batch,
                              size_t n_answers, struct sl_ask_outcome *out, struct sl_error *err)
{
    enum { ANSWERS_TO_DRAW = 1 << 14, MOST_FUTURES = 16 };
    const size_t affordable = ANSWERS_TO_DRAW / (n_answers + 1);
    const size_t n_futures = smaller(affordable < 1 ? 1 : affordable, MOST_FUTURES);
    double answers = 0, risk = 0;
    for (size_t future = 0; future < n_futures; future++) {
        const struct sl_ask_course course = {.n_answers = n_answers,
                                             .wave = batch->n_wave,
                                             .target = job->target,
                                             .seed = SEED + future};
        struct sl_ask_board *board = NULL;
        SL_TRY(make_board(job, workplace, way, batch, &board, err));
        const struct sl_ask_outcome one = sl_ask_play(board, &course);
        sl_ask_board_destroy(board);
        answers += (double)one.n_answers / (double)n_futures;
        risk += one.mean_risk / (double)n_futures;
    }
    *out = (struct sl_ask_outcome){.n_answers = (size_t)(answers + 0.5), .mean_risk = risk};
    return SL_OK;
}

/* What the whole budget would buy: by the same choice, and if all items are asked about alike and
 * none is closed. */
static enum sl_status look_ahead(const struct sl_workplace *workplace, struct sl_next_batch *batch,
                                 struct sl_error *err)
{
    struct sl_next_job plain = *batch->job;
    plain.stop = 0;
    plain.most = 0;
    plain.target = (double)NAN;
    batch->n_foreseen = count_foreseen(batch);
    /* A batch that ends it is all there is to foresee: a drawn future would differ from it. */
    if (batch->batch.mean_risk <= batch->job->target ||
        batch->batch.n_answers == batch->n_affordable)
        batch->budgeted = batch->batch;
    else
        SL_TRY(foresee(workplace, batch->job, batch->job->way, batch, batch->n_foreseen,
                       &batch->budgeted, err));
    return foresee(workplace, &plain, SL_ASK_EQUAL, batch, batch->budgeted.n_answers, &batch->equal,
                   err);
}

static enum sl_status choose(const struct sl_workplace *workplace, struct sl_next_batch *batch,
                             struct sl_error *err)
{
    const size_t n_items = batch->votes->n_items;
    batch->times = sl_data_zeroed(n_items + 1, sizeof *batch->times, err);
    if (!batch->times) return SL_ERR_NOMEM;
    sl_ask_summarise(batch->board, &batch->now);
    batch->n_people = sl_asking_people(batch->votes, batch->times, &batch->n_new_people);
    batch->reached = batch->now.mean_risk <= batch->job->target;
    batch->batch.mean_risk = batch->budgeted.mean_risk = batch->equal.mean_risk =
        batch->now.mean_risk;
    if (batch->reached || batch->now.n_open == 0) return SL_OK;
    choose_batch(batch, smaller(batch->n_affordable, batch->n_wave));
    for (size_t i = 0; i < n_items; i++)
        batch->n_items += batch->times[i] > 0;
    (void)sl_asking_people(batch->votes, batch->times, &batch->n_new_people);
    return look_ahead(workplace, batch, err);
}

static enum sl_status check_job(const struct sl_next_job *job, struct sl_error *err)
{
    if (!job->answers) return sl_fail(err, SL_ERR_USAGE, "ANSWERS is missing: the answers so far");
    if (!job->budget)
        return sl_fail(err, SL_ERR_USAGE,
                       "--budget is missing: a number of answers such as 500, or annotators' time "
                       "such as 600s");
    if (!job->output)
        return sl_fail(err, SL_ERR_USAGE, "--output FILE is missing: where the batch goes");
    const size_t least = sl_ask_rule_default().least;
    if (job->most > 0 && job->most < least)
        return sl_fail(
            err, SL_ERR_USAGE,
            "--most %zu is too few: no item is finished with fewer than %zu answers; give "
            "%zu or more, or 0 for no limit",
            job->most, least, least);
    return SL_OK;
}

enum sl_status sl_next_job_run(const struct sl_next_job *job, const struct sl_workplace *workplace,
                               struct sl_next_batch *out, struct sl_error *err)
{
    struct sl_next_batch batch = {.job = job};
    double share = 0;
    enum sl_status status = SL_OK;
    SL_TRY(check_job(job, err));
    SL_TRY(sl_ask_budget_read(job->budget, &batch.budget, err));
    SL_TRY(sl_ask_share_read(job->wave, &share, err));
    SL_TRY_OUT(read_inputs(job, workplace, &batch, err));
    SL_TRY_OUT(count_affordable(&batch, share, err));
    SL_TRY_OUT(
        sl_ask_fit_create(batch.votes, batch.predictions, NULL, workplace->pool, &batch.fit, err));
    SL_TRY_OUT(make_board(job, workplace, job->way, &batch, &batch.board, err));
    SL_TRY_OUT(choose(workplace, &batch, err));
    SL_TRY_OUT(sl_next_batch_write(&batch, err));
    *out = batch;
    batch = (struct sl_next_batch){0};
out:
    sl_next_batch_release(&batch);
    return status;
}
