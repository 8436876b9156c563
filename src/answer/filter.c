#include "answer/filter.h"

#include <stdlib.h>
#include <string.h>

#include "answer/votes/votes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct sl_class_filter {
    struct sl_import_notes *notes; /* borrowed or NULL */
    size_t n_before, n_classes;
    char **classes;        /* owned; NULL-ended: the remaining classes */
    uint32_t *moves;       /* owned; n_before */
    bool *abstain;         /* owned; n_before */
    float *distribution;   /* owned; n_classes */
    struct sl_belief *top; /* owned; grows */
    uint32_t *impossible;  /* owned; grows */
    size_t top_capacity, impossible_capacity;
    struct sl_name_table *items; /* owned; of all answers */
    bool *answered;              /* owned; by item: whether an answer remains */
    size_t answered_capacity;
};

bool sl_class_filter_is_asked(const struct sl_import_options *options)
{
    return options && ((options->abstain && options->abstain[0]) ||
                       (options->leave_out && options->leave_out[0]));
}

static enum sl_status mark(struct sl_class_filter *filter, const char *const *names,
                           const char *const *classes, bool abstain, struct sl_error *err)
{
    for (; names && *names; names++) {
        size_t at = 0;
        while (at < filter->n_before && strcmp(classes[at], *names) != 0)
            at++;
        if (at == filter->n_before) {
            const char **list = sl_alloc(filter->n_before + 1, sizeof *list);
            memcpy(list, classes, filter->n_before * sizeof *list);
            char ending[SL_SUGGESTION_TEXT];
            sl_fail(err, SL_ERR_INPUT, "cannot leave out class \"%.60s\": there is no such class%s",
                    *names, sl_text_suggestion(*names, list, "", ending));
            free(list);
            return SL_ERR_INPUT;
        }
        filter->moves[at] = SL_NO_NAME;
        filter->abstain[at] = filter->abstain[at] || abstain;
    }
    return SL_OK;
}

enum sl_status sl_class_filter_create(const struct sl_import_options *options,
                                      const char *const *classes, size_t n_classes,
                                      struct sl_class_filter **out, struct sl_error *err)
{
    struct sl_class_filter *filter = sl_alloc(1, sizeof *filter);
    filter->notes = options->notes;
    filter->items = sl_name_table_create();
    filter->n_before = n_classes;
    filter->classes = sl_alloc(n_classes + 1, sizeof *filter->classes);
    filter->moves = sl_alloc(n_classes, sizeof *filter->moves);
    filter->abstain = sl_alloc(n_classes, sizeof *filter->abstain);
    filter->distribution = sl_alloc(n_classes, sizeof *filter->distribution);
    enum sl_status status = mark(filter, options->abstain, classes, true, err);
    if (status == SL_OK) status = mark(filter, options->leave_out, classes, false, err);
    for (size_t k = 0; k < n_classes; k++) {
        if (filter->moves[k] == SL_NO_NAME) continue;
        filter->moves[k] = (uint32_t)filter->n_classes;
        filter->classes[filter->n_classes++] = sl_string_copy(classes[k]);
    }
    if (status == SL_OK && filter->n_classes == 0)
        status = sl_fail(err, SL_ERR_INPUT, "every class is left out; keep at least one");
    if (status == SL_OK)
        *out = filter;
    else
        sl_class_filter_destroy(filter);
    return status;
}

void sl_class_filter_destroy(struct sl_class_filter *filter)
{
    if (!filter) return;
    sl_names_destroy(filter->classes);
    free(filter->moves);
    free(filter->abstain);
    free(filter->distribution);
    free(filter->top);
    free(filter->impossible);
    sl_name_table_destroy(filter->items);
    free(filter->answered);
    free(filter);
}

const char *const *sl_class_filter_classes(const struct sl_class_filter *filter)
{
    return (const char *const *)filter->classes;
}

size_t sl_class_filter_count(const struct sl_class_filter *filter)
{
    return filter->n_classes;
}

static bool keep_distribution(struct sl_class_filter *filter, struct sl_answer *answer)
{
    double sum = 0, before = 0;
    for (size_t k = 0; k < filter->n_before; k++) {
        const float value = answer->distribution[k];
        before += (double)value;
        if (filter->moves[k] == SL_NO_NAME) continue;
        filter->distribution[filter->moves[k]] = value;
        sum += (double)value;
    }
    if (!(sum > 0)) return false;
    for (size_t k = 0; k < filter->n_classes && sum != before; k++)
        filter->distribution[k] = (float)((double)filter->distribution[k] / sum);
    answer->distribution = filter->distribution;
    return true;
}

static bool keep_top(struct sl_class_filter *filter, struct sl_answer *answer)
{
    if (answer->n_top > filter->top_capacity) {
        filter->top_capacity = answer->n_top;
        filter->top = sl_resize(filter->top, filter->top_capacity, sizeof *filter->top);
    }
    size_t count = 0;
    for (size_t i = 0; i < answer->n_top; i++) {
        const uint32_t to = filter->moves[answer->top[i].class_index];
        if (to == SL_NO_NAME) continue;
        filter->top[count++] = (struct sl_belief){to, answer->top[i].probability};
    }
    answer->top = filter->top;
    answer->n_top = count;
    return count > 0;
}

static void keep_impossible(struct sl_class_filter *filter, struct sl_answer *answer)
{
    if (answer->n_impossible > filter->impossible_capacity) {
        filter->impossible_capacity = answer->n_impossible;
        filter->impossible =
            sl_resize(filter->impossible, filter->impossible_capacity, sizeof(uint32_t));
    }
    size_t count = 0;
    for (size_t i = 0; i < answer->n_impossible; i++) {
        const uint32_t to = filter->moves[answer->impossible[i]];
        if (to != SL_NO_NAME) filter->impossible[count++] = to;
    }
    answer->impossible = filter->impossible;
    answer->n_impossible = count;
}

static bool keep_mix(const struct sl_class_filter *filter, struct sl_answer *answer)
{
    answer->mix.a = filter->moves[answer->mix.a];
    answer->mix.b = filter->moves[answer->mix.b];
    return answer->mix.a != SL_NO_NAME && answer->mix.b != SL_NO_NAME;
}

static bool left_out(struct sl_class_filter *filter, bool abstained)
{
    if (filter->notes) *(abstained ? &filter->notes->n_abstained : &filter->notes->n_left_out) += 1;
    return false;
}

static bool keep_answer(struct sl_class_filter *filter, struct sl_answer *answer)
{
    if (answer->kind == SL_ANSWER_DIST || answer->kind == SL_ANSWER_MIX || answer->n_top > 0)
        if (filter->abstain[sl_answer_choice(answer, filter->n_before)])
            return left_out(filter, true);
    bool kept = true;
    if (answer->kind == SL_ANSWER_DIST)
        kept = keep_distribution(filter, answer);
    else if (answer->kind == SL_ANSWER_MIX)
        kept = keep_mix(filter, answer);
    else
        kept = keep_top(filter, answer);
    if (!kept) return left_out(filter, false);
    keep_impossible(filter, answer);
    if (answer->truth >= 0) {
        const uint32_t to = filter->moves[answer->truth];
        answer->truth = to == SL_NO_NAME ? -1 : (int32_t)to;
    }
    return true;
}

enum sl_status sl_class_filter_pass(struct sl_class_filter *filter, struct sl_answer *answer,
                                    bool *kept, struct sl_error *err)
{
    const size_t n_known = sl_name_table_count(filter->items);
    uint32_t item = 0;
    *kept = keep_answer(filter, answer);
    SL_TRY(sl_name_table_add(filter->items, answer->item.text, answer->item.length, &item, err));
    if (item >= filter->answered_capacity) {
        filter->answered_capacity = filter->answered_capacity * 2 + 64;
        filter->answered =
            sl_resize(filter->answered, filter->answered_capacity, sizeof *filter->answered);
    }
    filter->answered[item] = *kept || (item < n_known && filter->answered[item]);
    return SL_OK;
}

static void warn_of_lost(const struct sl_class_filter *filter, size_t n_lost, const char *first)
{
    if (filter->notes && n_lost)
        sl_log(
            filter->notes->log, SL_LOG_WARNING,
            "%zu item%s lost all %s answers with the classes that are left out; the first is %.60s",
            n_lost, sl_text_plural(n_lost, "", "s"), sl_text_plural(n_lost, "its", "their"), first);
}

void sl_class_filter_finish(const struct sl_class_filter *filter)
{
    size_t n_lost = 0, first = 0;
    for (size_t i = 0; i < sl_name_table_count(filter->items); i++)
        if (!filter->answered[i] && n_lost++ == 0) first = i;
    warn_of_lost(filter, n_lost,
                 n_lost ? sl_name_table_get(filter->items, (uint32_t)first, NULL) : "");
}

static bool keep_vote(struct sl_class_filter *filter, size_t label)
{
    if (filter->moves[label] != SL_NO_NAME) return true;
    return left_out(filter, filter->abstain[label]);
}

enum sl_status sl_answers_filter(struct sl_answers **answers,
                                 const struct sl_import_options *options, struct sl_error *err)
{
    struct sl_answers *before = *answers, *after = NULL;
    struct sl_class_filter *filter = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_class_filter_create(options, (const char *const *)before->classes,
                                      before->n_classes, &filter, err));
    SL_TRY_OUT(sl_answers_create(sl_class_filter_classes(filter), filter->n_classes, &after, err));
    for (size_t i = 0; i < before->count; i++) {
        struct sl_answer answer;
        bool kept = false;
        sl_answers_get(before, i, &answer);
        SL_TRY_OUT(sl_class_filter_pass(filter, &answer, &kept, err));
        if (kept) SL_TRY_OUT(sl_answers_add(after, &answer, err));
    }
    sl_class_filter_finish(filter);
    sl_answers_destroy(before);
    *answers = after;
    after = NULL;
out:
    sl_answers_destroy(after);
    sl_class_filter_destroy(filter);
    return status;
}

static enum sl_status copy_name(const struct sl_name_table *from, size_t index,
                                struct sl_name_table *to, uint32_t *out, struct sl_error *err)
{
    size_t length = 0;
    const char *name = sl_name_table_get(from, (uint32_t)index, &length);
    return sl_name_table_add(to, name, length, out, err);
}

/* Copy the remaining votes item by item; items and annotators without any are dropped. `moved` maps
 * old annotators to new ones, SL_NO_NAME at first. */
static enum sl_status copy_votes(const struct sl_votes *from, struct sl_class_filter *filter,
                                 uint32_t *moved, struct sl_votes *to, struct sl_error *err)
{
    to->begin = sl_data_alloc(from->n_items + 1, sizeof *to->begin, err);
    to->annotator = sl_data_alloc(from->count, sizeof *to->annotator, err);
    to->label = sl_data_alloc(from->count, sizeof *to->label, err);
    if (!to->begin || !to->annotator || !to->label) return SL_ERR_NOMEM;
    size_t n_lost = 0, lost = 0;
    for (size_t item = 0; item < from->n_items; item++) {
        const size_t begin = to->count;
        for (size_t i = from->begin[item]; i < from->begin[item + 1]; i++) {
            if (!keep_vote(filter, from->label[i])) continue;
            const uint32_t who = from->annotator[i];
            if (who != SL_NO_NAME && moved[who] == SL_NO_NAME)
                SL_TRY(copy_name(from->annotators, who, to->annotators, &moved[who], err));
            to->annotator[to->count] = who == SL_NO_NAME ? SL_NO_NAME : moved[who];
            to->label[to->count++] = (uint16_t)filter->moves[from->label[i]];
        }
        if (to->count == begin) {
            if (from->begin[item] < from->begin[item + 1] && n_lost++ == 0) lost = item;
            continue;
        }
        uint32_t number = 0;
        SL_TRY(copy_name(from->items, item, to->items, &number, err));
        to->begin[to->n_items++] = begin;
    }
    to->begin[to->n_items] = to->count;
    warn_of_lost(filter, n_lost, sl_name_table_get(from->items, (uint32_t)lost, NULL));
    return SL_OK;
}

enum sl_status sl_votes_filter(struct sl_votes **votes, const struct sl_import_options *options,
                               struct sl_error *err)
{
    struct sl_votes *before = *votes, *after = sl_votes_create();
    struct sl_class_filter *filter = NULL;
    uint32_t *moved = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_class_filter_create(options, (const char *const *)before->classes,
                                      before->n_classes, &filter, err));
    moved = sl_data_alloc(before->n_annotators, sizeof *moved, err);
    if (!moved) SL_TRY_OUT(SL_ERR_NOMEM);
    for (size_t a = 0; a < before->n_annotators; a++)
        moved[a] = SL_NO_NAME;
    SL_TRY_OUT(copy_votes(before, filter, moved, after, err));
    if (after->count == 0)
        SL_TRY_OUT(
            sl_fail(err, SL_ERR_INPUT, "no answers remain without the classes that are left out"));
    after->n_annotators = sl_name_table_count(after->annotators);
    after->n_classes = filter->n_classes;
    after->classes = filter->classes;
    filter->classes = NULL;
    sl_votes_destroy(before);
    *votes = after;
    after = NULL;
out:
    free(moved);
    sl_votes_destroy(after);
    sl_class_filter_destroy(filter);
    return status;
}
