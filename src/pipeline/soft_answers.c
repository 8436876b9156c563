#include "pipeline/soft_answers.h"

#include <stdlib.h>
#include <string.h>

#include "softlab/base/memory.h"

void sl_soft_answers_release(struct sl_soft_answers *soft)
{
    free(soft->begin);
    free(soft->annotator);
    free(soft->rows);
    *soft = (struct sl_soft_answers){0};
}

enum sl_status sl_soft_answers_init(struct sl_soft_answers *soft, const struct sl_rows *rows,
                                    const struct sl_answers *answers, struct sl_error *err)
{
    const size_t n_items = sl_name_table_count(answers->items), n_classes = rows->n_classes;
    struct sl_soft_answers made = {.begin = sl_alloc(n_items + 2, sizeof *made.begin)};
    made.annotator = sl_data_alloc(rows->n_rows, sizeof *made.annotator, err);
    made.rows = sl_data_alloc(rows->n_rows, n_classes * sizeof *made.rows, err);
    uint32_t *item = sl_data_alloc(rows->n_rows, sizeof *item, err);
    if (!made.annotator || !made.rows || !item) {
        free(item);
        sl_soft_answers_release(&made);
        return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < rows->n_rows; i++) {
        item[i] = sl_name_table_find(answers->items, rows->items[i], strlen(rows->items[i]));
        made.begin[item[i] + 2]++;
    }
    for (size_t i = 0; i < n_items; i++)
        made.begin[i + 2] += made.begin[i + 1];
    /* begin[i + 1] starts as the first row of item i and ends as the one past its last. */
    for (size_t i = 0; i < rows->n_rows; i++) {
        const size_t at = made.begin[item[i] + 1]++;
        const char *who = rows->annotators ? rows->annotators[i] : "";
        made.annotator[at] = sl_name_table_find(answers->annotators, who, strlen(who));
        memcpy(made.rows + at * n_classes, rows->values + i * n_classes,
               n_classes * sizeof *made.rows);
    }
    free(item);
    made.votes = (struct sl_soft_votes){.n_items = n_items,
                                        .n_annotators = sl_name_table_count(answers->annotators),
                                        .n_classes = n_classes,
                                        .count = rows->n_rows,
                                        .begin = made.begin,
                                        .annotator = made.annotator,
                                        .rows = made.rows};
    *soft = made;
    return SL_OK;
}

bool sl_answers_have_kind(const struct sl_answers *answers, enum sl_answer_kind kind)
{
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.kind == kind) return true;
    }
    return false;
}
