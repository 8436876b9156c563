/* Draws answers from two recorded sets, makes labels of them and scores the labels. */
#include "softlab/pipeline/worth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/worth.h"
#include "softlab/base/memory.h"
#include "softlab/base/random.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/labels.h"

/* ---- The two sets of answers ---- */

/* Fewer than this many answers have no spread. */
enum { LEAST_REFERENCE = 2, LEAST_ITEMS = 2 };

static double most(const struct sl_real_list *numbers)
{
    return numbers->values[numbers->count - 1];
}

/* Answers of a side that come before those of the reference: for labels, then for the screen. */
static size_t before_reference(const struct sl_worth_job *job, enum sl_worth_side side)
{
    return (size_t)most(&job->numbers[side]) + (side == SL_WORTH_CLICKS ? job->screen : 0);
}

/* True if an answer counts: repeats, second runs and checks do not, nor does an answer from which
 * no distribution follows, such as one whose probability is not a number. */
static bool counts(const struct sl_worth_answers *side, size_t index)
{
    const struct sl_label_options options = sl_label_options_default();
    const struct sl_label_method *method = sl_label_method_find(side->rows);
    const size_t n_classes = side->answers->n_classes;
    struct sl_answer answer;
    sl_answers_get(side->answers, index, &answer);
    if (answer.flags != 0) return false;
    double *row = sl_alloc(n_classes, sizeof *row);
    const bool usable = sl_label_row(method, &answer, n_classes, &options, row, NULL) == SL_OK;
    free(row);
    return usable;
}

static void add_answers(struct sl_worth_answers *side, uint32_t item)
{
    const struct sl_item_index *index = &side->index;
    size_t end = side->begin[side->n_items];
    for (size_t i = index->begin[item]; i < index->begin[item + 1]; i++)
        if (counts(side, index->order[i])) side->kept[end++] = index->order[i];
    side->begin[++side->n_items] = end;
}

static size_t last_count(const struct sl_worth_answers *side)
{
    return side->begin[side->n_items] - side->begin[side->n_items - 1];
}

/* The items of both files that have enough answers in both. */
static enum sl_status match_items(struct sl_worth_replay *replay, struct sl_error *err)
{
    const struct sl_worth_job *job = &replay->result->job;
    struct sl_worth_answers *clicks = &replay->sides[SL_WORTH_CLICKS];
    struct sl_worth_answers *other = &replay->sides[SL_WORTH_OTHER];
    size_t needed[SL_WORTH_SIDES];
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++)
        needed[s] = before_reference(job, s) + (job->reference == s ? LEAST_REFERENCE : 0);
    for (uint32_t i = 0; i < sl_name_table_count(clicks->answers->items); i++) {
        size_t length;
        const char *name = sl_name_table_get(clicks->answers->items, i, &length);
        const uint32_t match = sl_name_table_find(other->answers->items, name, length);
        if (match == SL_NO_NAME) continue;
        add_answers(clicks, i);
        add_answers(other, match);
        if (last_count(clicks) >= needed[SL_WORTH_CLICKS] &&
            last_count(other) >= needed[SL_WORTH_OTHER])
            continue;
        replay->result->n_short++;
        clicks->n_items--;
        other->n_items--;
    }
    replay->n_items = clicks->n_items;
    replay->result->n_items = clicks->n_items;
    if (replay->n_items >= LEAST_ITEMS) return SL_OK;
    if (replay->n_items + replay->result->n_short == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s and %s have no item in common",
                       job->paths[SL_WORTH_CLICKS], job->paths[SL_WORTH_OTHER]);
    return sl_fail(err, SL_ERR_INPUT,
                   "%zu item%s in both files with at least %zu clicks and %zu other answers, and "
                   "%zu with fewer; give smaller numbers",
                   replay->n_items, sl_text_plural(replay->n_items, "", "s"),
                   needed[SL_WORTH_CLICKS], needed[SL_WORTH_OTHER], replay->result->n_short);
}

static enum sl_status read_side(struct sl_worth_replay *replay, enum sl_worth_side which,
                                const struct sl_workplace *workplace, struct sl_error *err)
{
    struct sl_worth_answers *side = &replay->sides[which];
    const struct sl_answer_reading reading = {0};
    SL_TRY(sl_answers_read_any(workplace, replay->result->job.paths[which], &reading,
                               &side->answers, err));
    const struct sl_answers *answers = side->answers;
    SL_TRY(sl_item_index_create(answers, &side->index, err));
    side->begin = sl_alloc(sl_name_table_count(answers->items) + 1, sizeof *side->begin);
    side->kept = sl_alloc(answers->count + 1, sizeof *side->kept);
    side->rows = sl_labels_rows_of_others;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.kind == SL_ANSWER_SOFT) side->rows = sl_labels_rows_of_tops;
    }
    return SL_OK;
}

static double median_seconds(const struct sl_worth_answers *side)
{
    const size_t count = side->begin[side->n_items];
    double *seconds = sl_alloc(count + 1, sizeof *seconds);
    size_t n_timed = 0;
    for (size_t i = 0; i < count; i++) {
        struct sl_answer answer;
        sl_answers_get(side->answers, side->kept[i], &answer);
        if (!isnan(answer.ms)) seconds[n_timed++] = answer.ms / 1000;
    }
    const double median = n_timed > 0 ? sl_quantile(seconds, n_timed, .5) : (double)NAN;
    free(seconds);
    return median;
}

/* ---- Draws ---- */

/* Put every item's answers into the order of a draw. */
static void shuffle(struct sl_worth_replay *replay, enum sl_worth_side which, size_t draw)
{
    static const char *const purposes[SL_WORTH_SIDES] = {"worth.clicks", "worth.other"};
    struct sl_worth_answers *side = &replay->sides[which];
    for (size_t i = 0; i < side->n_items; i++) {
        struct sl_rng rng;
        sl_rng_init(&rng, replay->result->job.seed, purposes[which], draw, i);
        sl_rng_shuffle(&rng, side->kept + side->begin[i], side->begin[i + 1] - side->begin[i]);
    }
}

/* The answers `first` up to `end` of every item, in the order of the draw. */
static enum sl_status take(const struct sl_worth_answers *side, size_t first, size_t end,
                           struct sl_answers **out, struct sl_error *err)
{
    const struct sl_answers *all = side->answers;
    struct sl_answers *some = NULL;
    SL_TRY(sl_answers_create((const char *const *)all->classes, all->n_classes, &some, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < side->n_items; i++) {
        const size_t count = side->begin[i + 1] - side->begin[i];
        for (size_t at = first; at < (end < count ? end : count) && status == SL_OK; at++) {
            struct sl_answer answer;
            sl_answers_get(all, side->kept[side->begin[i] + at], &answer);
            status = sl_answers_add(some, &answer, err);
        }
    }
    if (status == SL_OK)
        *out = some;
    else
        sl_answers_destroy(some);
    return status;
}

/* The labels of some answers, with the classes in the order of the clicks. */
static enum sl_status make_labels(const struct sl_worth_replay *replay, enum sl_worth_side which,
                                  size_t first, size_t end, const struct sl_labels_job *how,
                                  struct sl_rows **out, struct sl_error *err)
{
    const struct sl_worth_answers *side = &replay->sides[which];
    const struct sl_answers *clicks = replay->sides[SL_WORTH_CLICKS].answers;
    const struct sl_class_list classes = {replay->result->job.paths[SL_WORTH_CLICKS],
                                          clicks->classes, clicks->n_classes};
    char *path = replay->result->job.paths[which];
    struct sl_answers *answers = NULL;
    struct sl_rows *rows = NULL;
    struct sl_label_notes notes;
    struct sl_labels_job job = *how;
    SL_TRY(take(side, first, end, &answers, err));
    job.paths = &path;
    job.n_paths = 1;
    job.given = answers;
    job.seed = replay->result->job.seed;
    enum sl_status status = sl_labels_job_run(&job, &replay->workplace, &rows, &notes, err);
    if (status == SL_OK) status = sl_rows_reorder(rows, path, &classes, err);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    sl_answers_destroy(answers);
    return status;
}

/* What the people who were not drawn said about every item. */
static enum sl_status make_reference(struct sl_worth_replay *replay, struct sl_error *err)
{
    const enum sl_worth_side which = replay->result->job.reference;
    const struct sl_worth_answers *side = &replay->sides[which];
    const size_t first = before_reference(&replay->result->job, which);
    struct sl_labels_job how = sl_labels_job_default();
    struct sl_rows *rows = NULL;
    how.method = side->rows;
    how.per_annotator = true;
    SL_TRY(make_labels(replay, which, first, SIZE_MAX, &how, &rows, err));
    const size_t n_classes = rows->n_classes;
    size_t at = 0;
    for (size_t i = 0; i < replay->n_items; i++) {
        const size_t count = side->begin[i + 1] - side->begin[i] - first;
        replay->noise[i] = sl_worth_reference_fill(rows->values + at * n_classes, count, n_classes,
                                                   replay->mean + i * n_classes);
        at += count;
    }
    const bool all = at == rows->n_rows;
    replay->result->reference_answers = (double)at / (double)replay->n_items;
    sl_rows_destroy(rows);
    return all ? SL_OK
               : sl_fail(err, SL_ERR_INPUT, "%s: %s cannot read some of its answers",
                         replay->result->job.paths[which], side->rows);
}

/* Mark the items that count in each group of this draw. */
static void group_items(struct sl_worth_replay *replay)
{
    const struct sl_worth_answers *side = &replay->sides[SL_WORTH_CLICKS];
    const size_t screen = replay->result->job.screen;
    const size_t first = (size_t)most(&replay->result->job.numbers[SL_WORTH_CLICKS]);
    for (size_t i = 0; i < replay->n_items; i++) {
        uint32_t choice = 0;
        bool differ = false;
        for (size_t j = 0; j < screen; j++) {
            struct sl_answer answer;
            sl_answers_get(side->answers, side->kept[side->begin[i] + first + j], &answer);
            const uint32_t said = sl_answer_choice(&answer, side->answers->n_classes);
            if (j > 0 && said != choice) differ = true;
            choice = said;
        }
        replay->in[SL_WORTH_ALL][i] = true;
        replay->in[SL_WORTH_UNCERTAIN][i] = differ;
        for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++)
            replay->weight[g][i] += replay->in[g][i];
    }
}

/* Score the labels of a set in this draw. */
static enum sl_status score_set(struct sl_worth_replay *replay, size_t number, struct sl_error *err)
{
    const struct sl_worth_set *set = &replay->result->sets[number];
    struct sl_labels_job how = sl_labels_job_default();
    struct sl_rows *rows = NULL;
    how.method = set->method;
    SL_TRY(make_labels(replay, set->side, 0, (size_t)set->number, &how, &rows, err));
    if (rows->n_rows != replay->n_items) {
        sl_rows_destroy(rows);
        return sl_fail(err, SL_ERR_INPUT, "%s: %s makes no label for some of the items",
                       replay->result->job.paths[set->side], set->method);
    }
    const size_t n_classes = rows->n_classes;
    for (size_t i = 0; i < replay->n_items; i++) {
        const struct sl_worth_reference reference = {replay->mean + i * n_classes,
                                                     replay->noise[i]};
        for (size_t m = 0; m < SL_WORTH_MEASURES; m++) {
            const double score = sl_worth_measures[m].score(
                rows->values + i * n_classes, &reference, n_classes, replay->result->job.floor);
            for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++)
                if (replay->in[g][i]) replay->sum[g][m][number * replay->n_items + i] += score;
        }
    }
    sl_rows_destroy(rows);
    return SL_OK;
}

static enum sl_status play(struct sl_worth_replay *replay, size_t draw, struct sl_error *err)
{
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++)
        shuffle(replay, s, draw);
    group_items(replay);
    SL_TRY(make_reference(replay, err));
    for (size_t i = 0; i < replay->result->n_sets; i++)
        SL_TRY(score_set(replay, i, err));
    return SL_OK;
}

/* ---- All draws ---- */

static void list_sets(struct sl_worth_result *result)
{
    const struct sl_worth_job *job = &result->job;
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++)
        for (size_t m = 0; m < job->methods[s].count; m++)
            for (size_t n = 0; n < job->numbers[s].count; n++) {
                result->sets = sl_resize(result->sets, result->n_sets + 1, sizeof *result->sets);
                result->sets[result->n_sets++] =
                    (struct sl_worth_set){.side = s,
                                          .method = job->methods[s].values[m],
                                          .number = job->numbers[s].values[n]};
            }
}

static void make_room(struct sl_worth_replay *replay)
{
    const size_t n_items = replay->n_items, n_sets = replay->result->n_sets;
    const size_t n_classes = replay->sides[SL_WORTH_CLICKS].answers->n_classes;
    replay->mean = sl_alloc(n_items * n_classes, sizeof *replay->mean);
    replay->noise = sl_alloc(n_items, sizeof *replay->noise);
    for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++) {
        replay->in[g] = sl_alloc(n_items, sizeof *replay->in[g]);
        replay->weight[g] = sl_alloc(n_items, sizeof *replay->weight[g]);
        for (size_t m = 0; m < SL_WORTH_MEASURES; m++)
            replay->sum[g][m] = sl_alloc(n_items * n_sets, sizeof *replay->sum[g][m]);
    }
}

static void release(struct sl_worth_replay *replay)
{
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++) {
        sl_answers_destroy(replay->sides[s].answers);
        sl_item_index_release(&replay->sides[s].index);
        free(replay->sides[s].begin);
        free(replay->sides[s].kept);
    }
    free(replay->mean);
    free(replay->noise);
    for (enum sl_worth_group g = 0; g < SL_WORTH_GROUPS; g++) {
        free(replay->in[g]);
        free(replay->weight[g]);
        for (size_t m = 0; m < SL_WORTH_MEASURES; m++)
            free(replay->sum[g][m]);
    }
}

static enum sl_status measure(struct sl_worth_replay *replay, const struct sl_workplace *workplace,
                              struct sl_error *err)
{
    struct sl_worth_result *result = replay->result;
    for (enum sl_worth_side s = 0; s < SL_WORTH_SIDES; s++)
        SL_TRY(read_side(replay, s, workplace, err));
    SL_TRY(match_items(replay, err));
    result->seconds = median_seconds(&replay->sides[SL_WORTH_OTHER]);
    list_sets(result);
    make_room(replay);
    for (size_t d = 0; d < result->job.draws; d++)
        SL_TRY(play(replay, d, err));
    return sl_worth_estimate(replay, err);
}

enum sl_status sl_worth_job_run(const struct sl_worth_job *job,
                                const struct sl_workplace *workplace, struct sl_worth_result *out,
                                struct sl_error *err)
{
    struct sl_worth_result result = {.job = *job};
    struct sl_worth_replay replay = {.result = &result, .workplace = *workplace};
    SL_TRY(sl_worth_job_complete(&result.job, err));
    /* The same lines for every draw would say nothing. */
    replay.workplace.log = NULL;
    replay.workplace.exchange = NULL;
    const enum sl_status status = measure(&replay, workplace, err);
    release(&replay);
    if (status == SL_OK)
        *out = result;
    else
        sl_worth_result_release(&result);
    return status;
}

void sl_worth_result_release(struct sl_worth_result *result)
{
    free(result->sets);
    free(result->worths);
    *result = (struct sl_worth_result){0};
}
