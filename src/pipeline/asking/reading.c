/* Answers as votes, with how long they took and who gave them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/asking/asking.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

enum { MOST_CLASSES = 100 }; /* of the dirichlet model */

void sl_asking_answers_release(struct sl_asking_answers *answers)
{
    sl_votes_destroy(answers->votes);
    for (size_t kind = 0; kind < SL_SCREENS; kind++)
        free(answers->seconds[kind]);
    *answers = (struct sl_asking_answers){0};
}

/* ---- Listed items ---- */

static enum sl_status add_listed(const struct sl_workplace *workplace, const char *path,
                                 struct sl_name_table *names, struct sl_error *err)
{
    const size_t before = sl_name_table_count(names);
    SL_TRY(sl_names_add_listed(path, names, err));
    const size_t n_new = sl_name_table_count(names) - before;
    char number[32];
    sl_log(workplace->log, SL_LOG_INFO, "%s: %s of its items %s no answer yet",
           sl_workplace_shown(workplace, path), sl_text_count(n_new, number, sizeof number),
           sl_text_plural(n_new, "has", "have"));
    return SL_OK;
}

/* ---- Votes ---- */

static const char **names_of(const struct sl_name_table *table)
{
    const size_t count = sl_name_table_count(table);
    const char **names = sl_alloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = sl_name_table_get(table, (uint32_t)i, NULL);
    return names;
}

/* The same votes over the items of `items`, which has all that have answers. */
static enum sl_status renumber(const struct sl_votes *votes, const struct sl_name_table *items,
                               struct sl_pool *pool, struct sl_votes **out, struct sl_error *err)
{
    uint32_t *item = sl_data_alloc(votes->count + 1, sizeof *item, err);
    uint32_t *label = sl_data_alloc(votes->count + 1, sizeof *label, err);
    const char **item_names = names_of(items), **annotator_names = names_of(votes->annotators);
    enum sl_status status = item && label ? SL_OK : SL_ERR_NOMEM;
    for (size_t i = 0; status == SL_OK && i < votes->n_items; i++) {
        size_t length = 0;
        const char *name = sl_name_table_get(votes->items, (uint32_t)i, &length);
        const uint32_t place = sl_name_table_find(items, name, length);
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++) {
            item[v] = place;
            label[v] = votes->label[v];
        }
    }
    const struct sl_vote_codes codes = {.count = votes->count,
                                        .n_items = sl_name_table_count(items),
                                        .n_annotators = votes->n_annotators,
                                        .n_classes = votes->n_classes,
                                        .item = item,
                                        .annotator = votes->annotator,
                                        .label = label,
                                        .item_names = item_names,
                                        .annotator_names = annotator_names,
                                        .class_names = (const char *const *)votes->classes};
    if (status == SL_OK) status = sl_votes_from_codes(&codes, pool, out, err);
    free(item);
    free(label);
    free(item_names);
    free(annotator_names);
    return status;
}

/* Items without a counted answer, such as attention checks, are left out unless they are listed. */
static enum sl_status take_votes(const struct sl_workplace *workplace,
                                 const struct sl_answers *answers, const char *listed,
                                 struct sl_votes **out, struct sl_error *err)
{
    struct sl_votes *votes = NULL;
    struct sl_name_table *items = sl_name_table_create();
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_votes_from_answers(answers, 0, &votes, err));
    for (size_t i = 0; i < votes->n_items; i++) {
        uint32_t number;
        size_t length = 0;
        const char *name = sl_name_table_get(votes->items, (uint32_t)i, &length);
        if (votes->begin[i] == votes->begin[i + 1]) continue;
        SL_TRY_OUT(sl_name_table_add(items, name, length, &number, err));
    }
    if (listed) SL_TRY_OUT(add_listed(workplace, listed, items, err));
    SL_TRY_OUT(renumber(votes, items, workplace->pool, out, err));
out:
    sl_name_table_destroy(items);
    sl_votes_destroy(votes);
    return status;
}

/* ---- Times ---- */

static void count_kinds(const struct sl_answers *answers, struct sl_asking_answers *out)
{
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.flags) continue;
        out->n_answers[answer.kind == SL_ANSWER_HARD ? SL_SCREEN_HARD : SL_SCREEN_RICH]++;
    }
}

static enum sl_status take_times(const struct sl_answers *answers, struct sl_asking_answers *out,
                                 struct sl_error *err)
{
    static const unsigned kinds[SL_SCREENS] = {
        [SL_SCREEN_HARD] = 1U << SL_ANSWER_HARD, [SL_SCREEN_RICH] = ~(1U << SL_ANSWER_HARD)};
    for (size_t kind = 0; kind < SL_SCREENS; kind++) {
        out->seconds[kind] = sl_data_alloc(answers->count + 1, sizeof *out->seconds[kind], err);
        if (!out->seconds[kind]) return SL_ERR_NOMEM;
        out->n_timed[kind] = sl_answers_seconds(answers, kinds[kind], out->seconds[kind]);
    }
    return SL_OK;
}

enum sl_status sl_asking_answers_read(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_answer_reading *reading, const char *items,
                                      struct sl_asking_answers *out, struct sl_error *err)
{
    struct sl_answers *answers = NULL;
    enum sl_status status = SL_OK;
    *out = (struct sl_asking_answers){0};
    SL_TRY_OUT(sl_answers_read_any(workplace, path, reading, &answers, err));
    count_kinds(answers, out);
    SL_TRY_OUT(take_times(answers, out, err));
    if (out->n_answers[SL_SCREEN_HARD] + out->n_answers[SL_SCREEN_RICH] == 0)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: has no answers; ask two people about every item of a pilot first",
                           sl_workplace_shown(workplace, path)));
    if (answers->n_classes > MOST_CLASSES)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                           "%s: has %zu classes, and at most %d can be planned for; --leave-out "
                           "takes classes out",
                           sl_workplace_shown(workplace, path), answers->n_classes, MOST_CLASSES));
    SL_TRY_OUT(take_votes(workplace, answers, items, &out->votes, err));
out:
    sl_answers_destroy(answers);
    if (status != SL_OK) sl_asking_answers_release(out);
    return status;
}

struct sl_ask_pace sl_asking_pace(const struct sl_asking_answers *answers, double stated)
{
    struct sl_ask_pace pace = {.seconds = stated, .was_stated = !isnan(stated)};
    if (pace.was_stated) return pace;
    size_t total = 0;
    for (size_t kind = 0; kind < SL_SCREENS; kind++)
        total += answers->n_timed[kind];
    double *all = sl_alloc(total + 1, sizeof *all);
    for (size_t kind = 0; kind < SL_SCREENS; kind++) {
        const size_t count = answers->n_timed[kind];
        memcpy(all + pace.n_timed, answers->seconds[kind], count * sizeof *all);
        pace.n_timed += count;
    }
    pace.seconds = sl_trimmed_mean(all, total); /* NaN if there are none */
    free(all);
    return pace;
}

/* ---- People ---- */

size_t sl_asking_people(const struct sl_votes *votes, const uint32_t *times, size_t *n_new)
{
    size_t *last = sl_alloc(votes->n_annotators + 1, sizeof *last); /* the last item + 1 */
    size_t n_people = 0;
    *n_new = 0;
    for (size_t v = 0; v < votes->count; v++) {
        const uint32_t who = votes->annotator[v];
        if (who != SL_NO_NAME && last[who] == 0) n_people += last[who] = 1;
    }
    memset(last, 0, votes->n_annotators * sizeof *last);
    for (size_t i = 0; i < votes->n_items && n_people > 0; i++) {
        size_t n_known = 0;
        for (size_t v = votes->begin[i]; v < votes->begin[i + 1]; v++) {
            const uint32_t who = votes->annotator[v];
            if (who == SL_NO_NAME || last[who] == i + 1) continue;
            last[who] = i + 1;
            n_known++;
        }
        const size_t free_people = n_people - n_known;
        if (times[i] > free_people + *n_new) *n_new = times[i] - free_people;
    }
    free(last);
    return n_people;
}
