/* Reads people's answers for `softlab eval --defer`. */
#include <math.h>
#include <stdlib.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/pipeline/answers.h"

/* Above this, a float is no longer every whole number. */
static const float most_answers = 16777216;

static enum sl_status take_counts(const struct sl_rows *counts, struct sl_evaluated_model *model,
                                  struct sl_error *err)
{
    const size_t n_classes = model->scored->n_classes;
    for (size_t i = 0; i < model->scored->n * n_classes; i++) {
        const size_t row = model->scored->label_row[i / n_classes];
        const float value = counts->values[row * n_classes + i % n_classes];
        char number[32];
        if (value > most_answers)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: item %s has %g answers of one class; the most is %g",
                           model->answers, sl_rows_item(counts, row, number, sizeof number),
                           (double)value, (double)most_answers);
        model->recorded->counts[i] = (uint32_t)value;
    }
    return SL_OK;
}

/* A set of answers and how its items and classes match the scored ones. */
struct matching {
    const struct sl_answers *answers;
    struct sl_evaluated_model *model;
    uint32_t *row_of; /* owned; per item of the answers its scored row; SL_NO_NAME: none */
    size_t *column;   /* owned; per class of the answers */
    double *ms;       /* owned; per scored row, the sum of times */
    size_t n_used, n_timed, n_strange, n_again;
};

static enum sl_status match_items(struct matching *matching, const struct sl_rows *labels,
                                  struct sl_error *err)
{
    const struct sl_scored *scored = matching->model->scored;
    const struct sl_name_table *own = matching->answers->items;
    struct sl_name_table *items = NULL;
    SL_TRY(sl_eval_name_items(labels, &items, err));
    const size_t n_own = sl_name_table_count(own);
    uint32_t *scored_row = sl_alloc(labels->n_rows, sizeof *scored_row);
    matching->row_of = sl_alloc(n_own + 1, sizeof *matching->row_of);
    for (size_t i = 0; i < labels->n_rows; i++)
        scored_row[i] = SL_NO_NAME;
    for (size_t i = 0; i < scored->n; i++)
        scored_row[scored->label_row[i]] = (uint32_t)i;
    for (uint32_t i = 0; i < n_own; i++) {
        size_t length = 0;
        const char *name = sl_name_table_get(own, i, &length);
        const uint32_t row = sl_name_table_find(items, name, length);
        matching->row_of[i] = row == SL_NO_NAME ? SL_NO_NAME : scored_row[row];
        matching->n_strange += row == SL_NO_NAME;
    }
    free(scored_row);
    sl_name_table_destroy(items);
    return SL_OK;
}

static enum sl_status match_classes(struct matching *matching, struct sl_error *err)
{
    const struct sl_answers *answers = matching->answers;
    const struct sl_scored *scored = matching->model->scored;
    char **names = sl_eval_name_classes(scored->classes, scored->n_classes);
    const struct sl_class_list from = {matching->model->answers, answers->classes,
                                       answers->n_classes};
    const struct sl_class_list to = {"the predictions", names, scored->n_classes};
    matching->column = sl_alloc(answers->n_classes + 1, sizeof *matching->column);
    const enum sl_status status = sl_classes_match(&from, &to, matching->column, NULL, err);
    sl_names_destroy(names);
    return status;
}

static void count_answer(struct matching *matching, uint32_t row, const struct sl_answer *answer)
{
    struct sl_recorded *recorded = matching->model->recorded;
    const uint32_t choice = sl_answer_choice(answer, matching->answers->n_classes);
    recorded->counts[row * recorded->n_classes + matching->column[choice]]++;
    matching->n_used++;
    if (isnan(answer->ms)) return;
    matching->n_timed++;
    matching->ms[row] += answer->ms;
}

/* Count what each person votes for: of several answers of one to an item the last in the file.
 * Checks and repeats are no answers to the question. */
static enum sl_status count_answers(struct matching *matching, struct sl_error *err)
{
    const struct sl_answers *answers = matching->answers;
    struct sl_item_index index;
    SL_TRY(sl_item_index_create(answers, &index, err));
    const size_t n_people = sl_name_table_count(answers->annotators);
    uint32_t *seen_at = sl_data_zeroed(n_people + 1, sizeof *seen_at, err); /* item + 1 */
    for (uint32_t item = 0; seen_at && item < sl_name_table_count(answers->items); item++) {
        const uint32_t row = matching->row_of[item];
        if (row == SL_NO_NAME) continue;
        for (size_t i = index.begin[item + 1]; i-- > index.begin[item];) {
            struct sl_answer answer;
            const uint32_t who = answers->annotator[index.order[i]];
            sl_answers_get(answers, index.order[i], &answer);
            if (answer.flags) continue;
            if (who != SL_NO_NAME && seen_at[who] == item + 1) {
                matching->n_again++;
                continue;
            }
            if (who != SL_NO_NAME) seen_at[who] = item + 1;
            count_answer(matching, row, &answer);
        }
    }
    const enum sl_status status = seen_at ? SL_OK : SL_ERR_NOMEM;
    free(seen_at);
    sl_item_index_release(&index);
    return status;
}

/* The mean time of an item's answers. Times count only if every answer has one: those that have
 * none may be of other people, or of other items. */
static void take_times(struct matching *matching, const struct sl_log *log)
{
    struct sl_recorded *recorded = matching->model->recorded;
    if (matching->n_timed == 0) return;
    if (matching->n_timed < matching->n_used) {
        const size_t n_untimed = matching->n_used - matching->n_timed;
        sl_log(log, SL_LOG_WARNING,
               "%s: %zu of %zu answers %s no time, so the cost in seconds is not known; "
               "--seconds-per-answer gives one",
               matching->model->answers, n_untimed, matching->n_used,
               sl_text_plural(n_untimed, "has", "have"));
        return;
    }
    recorded->seconds = matching->ms;
    matching->ms = NULL;
    for (size_t i = 0; i < recorded->n; i++) {
        uint64_t count = 0;
        for (size_t k = 0; k < recorded->n_classes; k++)
            count += recorded->counts[i * recorded->n_classes + k];
        recorded->seconds[i] /= 1000 * (double)count;
    }
}

static enum sl_status take_answers(struct matching *matching, const struct sl_rows *labels,
                                   const struct sl_workplace *workplace, struct sl_error *err)
{
    const char *path = matching->model->answers;
    const struct sl_answers *answers = matching->answers;
    SL_TRY(match_items(matching, labels, err));
    SL_TRY(match_classes(matching, err));
    matching->ms = sl_data_zeroed(matching->model->scored->n, sizeof *matching->ms, err);
    if (!matching->ms) return SL_ERR_NOMEM;
    SL_TRY(count_answers(matching, err));
    char number[32];
    if (matching->n_used == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s has no answers to the items of the predictions; its first item is "
                       "\"%.60s\", theirs is \"%.60s\"",
                       path, answers->count ? sl_name_table_get(answers->items, 0, NULL) : "",
                       sl_rows_item(labels, 0, number, sizeof number));
    if (matching->n_strange)
        sl_log(workplace->log, SL_LOG_INFO,
               "%s: left out the answers to %zu item%s without a label", path, matching->n_strange,
               sl_text_plural(matching->n_strange, "", "s"));
    if (matching->n_again)
        sl_log(workplace->log, SL_LOG_WARNING,
               "%s: %zu answer%s not counted because the same person answered the item again", path,
               matching->n_again, sl_text_plural(matching->n_again, " is", "s are"));
    take_times(matching, workplace->log);
    return SL_OK;
}

static enum sl_status read_answers(const struct sl_workplace *workplace,
                                   const struct sl_eval_job *job, const struct sl_rows *labels,
                                   struct sl_evaluated_model *model, struct sl_error *err)
{
    const struct sl_answer_reading reading = {0};
    struct sl_answers *answers = NULL;
    SL_TRY(sl_answers_read_any(workplace, job->answers, &reading, &answers, err));
    struct matching matching = {.answers = answers, .model = model};
    const enum sl_status status = take_answers(&matching, labels, workplace, err);
    free(matching.row_of);
    free(matching.column);
    free(matching.ms);
    sl_answers_destroy(answers);
    return status;
}

enum sl_status sl_eval_read_recorded(const struct sl_workplace *workplace,
                                     const struct sl_eval_job *job, const struct sl_rows *labels,
                                     const struct sl_rows *counts, struct sl_evaluated_model *model,
                                     struct sl_error *err)
{
    const struct sl_scored *scored = model->scored;
    model->answers = job->answers ? sl_workplace_shown(workplace, job->answers) : model->labels;
    if (!job->answers && !counts)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: these labels are no counts of answers, so nobody can be asked; give "
                       "counts with --labels, or the answers with --answers",
                       model->labels);
    SL_TRY(sl_recorded_create(scored->n, scored->n_classes, &model->recorded, err));
    return job->answers ? read_answers(workplace, job, labels, model, err)
                        : take_counts(counts, model, err);
}
