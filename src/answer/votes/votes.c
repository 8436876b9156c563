#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "answer/answer_internal.h"
#include "answer/classes.h"
#include "answer/votes/votes.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

struct sl_votes *sl_votes_create(void)
{
    struct sl_votes *votes = sl_alloc(1, sizeof *votes);
    votes->items = sl_name_table_create();
    votes->annotators = sl_name_table_create();
    return votes;
}

void sl_votes_destroy(struct sl_votes *votes)
{
    if (!votes) return;
    sl_name_table_destroy(votes->items);
    sl_name_table_destroy(votes->annotators);
    sl_names_destroy(votes->classes);
    struct sl_votes_mapping *mapping = votes->mapping;
    if (mapping) {
        free(mapping->own_labels);
        if (mapping->bytes) munmap(mapping->bytes, mapping->length);
        free(mapping);
    } else {
        free(votes->begin);
        free(votes->annotator);
        free(votes->label);
    }
    free(votes);
}

static char **copy_classes(const char *const *classes)
{
    size_t count = 0;
    while (classes[count])
        count++;
    char **copies = sl_alloc(count + 1, sizeof *copies);
    for (size_t i = 0; i < count; i++)
        copies[i] = sl_string_copy(classes[i]);
    return copies;
}

/* The class that each label is: class_of[label]. */
static enum sl_status match_classes(const struct sl_name_table *labels, char *const *classes,
                                    uint16_t *class_of, const char *path, struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; classes[i]; i++) {
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(names, classes[i], strlen(classes[i]), &number, err));
        if (number != i)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "two classes are called \"%.60s\"", classes[i]));
    }
    if (sl_name_table_count(names) > SL_VOTES_CLASSES)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%zu classes, expected at most %d",
                           sl_name_table_count(names), SL_VOTES_CLASSES));
    for (size_t i = 0; i < sl_name_table_count(labels); i++) {
        size_t length = 0;
        const char *label = sl_name_table_get(labels, (uint32_t)i, &length);
        uint32_t found = sl_name_table_find(names, label, length);
        if (found == SL_NO_NAME)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: unknown class \"%.60s\"", path, label));
        class_of[i] = (uint16_t)found;
    }
out:
    sl_name_table_destroy(names);
    return status;
}

static enum sl_status renumber(struct sl_votes *votes, const uint16_t *class_of, size_t n_labels,
                               struct sl_error *err)
{
    bool same = true;
    for (size_t i = 0; i < n_labels; i++)
        same = same && class_of[i] == i;
    if (same) return SL_OK;
    uint16_t *to = votes->label;
    if (votes->mapping) {
        to = votes->mapping->own_labels = sl_data_alloc(votes->count, sizeof *to, err);
        if (!to) return SL_ERR_NOMEM;
    }
    for (size_t i = 0; i < votes->count; i++)
        to[i] = class_of[votes->label[i]];
    votes->label = to;
    return SL_OK;
}

enum sl_status sl_votes_set_classes(struct sl_votes *votes, const struct sl_vote_labels *labels,
                                    const char *const *classes, const char *path,
                                    struct sl_error *err)
{
    const size_t n_labels = sl_name_table_count(labels->names);
    char **names = classes ? copy_classes(classes) : sl_classes_of(labels->names, !labels->sorted);
    uint16_t *class_of = sl_alloc(n_labels, sizeof *class_of);
    enum sl_status status = match_classes(labels->names, names, class_of, path, err);
    if (status == SL_OK) status = renumber(votes, class_of, n_labels, err);
    free(class_of);
    if (status != SL_OK) {
        sl_names_destroy(names);
        return status;
    }
    votes->classes = names;
    votes->n_classes = 0;
    while (names[votes->n_classes])
        votes->n_classes++;
    return SL_OK;
}

enum sl_status sl_votes_add_classes(const struct sl_votes *votes, struct sl_name_table *to,
                                    struct sl_error *err)
{
    uint32_t number = 0;
    for (size_t i = 0; i < votes->n_classes; i++)
        SL_TRY(sl_name_table_add(to, votes->classes[i], strlen(votes->classes[i]), &number, err));
    return SL_OK;
}

static enum sl_status copy_table(const struct sl_name_table *from, struct sl_name_table *to,
                                 struct sl_error *err)
{
    for (size_t i = 0; i < sl_name_table_count(from); i++) {
        size_t length = 0;
        uint32_t number = 0;
        const char *name = sl_name_table_get(from, (uint32_t)i, &length);
        SL_TRY(sl_name_table_add(to, name, length, &number, err));
    }
    return SL_OK;
}

static enum sl_status fill_from_answers(const struct sl_answers *answers, unsigned keep,
                                        struct sl_votes *votes, struct sl_error *err)
{
    struct sl_item_index index;
    votes->begin = sl_data_alloc(votes->n_items + 1, sizeof *votes->begin, err);
    votes->annotator = sl_data_alloc(answers->count, sizeof *votes->annotator, err);
    votes->label = sl_data_alloc(answers->count, sizeof *votes->label, err);
    if (!votes->begin || !votes->annotator || !votes->label) return SL_ERR_NOMEM;
    SL_TRY(sl_item_index_create(answers, &index, err));
    for (size_t item = 0; item < votes->n_items; item++) {
        votes->begin[item] = votes->count;
        for (size_t i = index.begin[item]; i < index.begin[item + 1]; i++) {
            struct sl_answer answer;
            sl_answers_get(answers, index.order[i], &answer);
            if (answer.flags & ~keep) continue;
            votes->annotator[votes->count] = answers->annotator[index.order[i]];
            votes->label[votes->count++] = (uint16_t)sl_answer_choice(&answer, answers->n_classes);
        }
    }
    votes->begin[votes->n_items] = votes->count;
    sl_item_index_release(&index);
    return SL_OK;
}

enum sl_status sl_votes_from_answers(const struct sl_answers *answers, unsigned keep,
                                     struct sl_votes **out, struct sl_error *err)
{
    if (answers->n_classes > SL_VOTES_CLASSES)
        return sl_fail(err, SL_ERR_INPUT, "%zu classes, expected at most %d", answers->n_classes,
                       SL_VOTES_CLASSES);
    struct sl_votes *votes = sl_votes_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(copy_table(answers->items, votes->items, err));
    SL_TRY_OUT(copy_table(answers->annotators, votes->annotators, err));
    votes->n_items = sl_name_table_count(votes->items);
    votes->n_annotators = sl_name_table_count(votes->annotators);
    votes->n_classes = answers->n_classes;
    votes->classes = copy_classes((const char *const *)answers->classes);
    SL_TRY_OUT(fill_from_answers(answers, keep, votes, err));
    *out = votes;
    votes = NULL;
out:
    sl_votes_destroy(votes);
    return status;
}

static struct sl_field name_of(const struct sl_name_table *names, uint32_t index)
{
    struct sl_field name = {.text = ""};
    if (index != SL_NO_NAME) name.text = sl_name_table_get(names, index, &name.length);
    return name;
}

enum sl_status sl_answers_from_votes(const struct sl_votes *votes, struct sl_answers **out,
                                     struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    enum sl_status status = SL_OK;
    SL_TRY(sl_answers_create((const char *const *)votes->classes, votes->n_classes, &answers, err));
    for (uint32_t item = 0; item < votes->n_items; item++)
        for (size_t i = votes->begin[item]; i < votes->begin[item + 1]; i++) {
            const struct sl_belief top = {votes->label[i], NAN};
            struct sl_answer answer = sl_answer_empty();
            answer.item = name_of(votes->items, item);
            answer.annotator = name_of(votes->annotators, votes->annotator[i]);
            answer.kind = SL_ANSWER_HARD;
            answer.n_top = 1;
            answer.top = &top;
            SL_TRY_OUT(sl_answers_add(answers, &answer, err));
        }
    *out = answers;
    answers = NULL;
out:
    sl_answers_destroy(answers);
    return status;
}
