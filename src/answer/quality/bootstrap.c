/* Intervals of quality figures for other items and other annotators. */
#include <math.h>
#include <stdlib.h>

#include "answer/quality/internal.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"

/* A value per answer with its item and annotator; has room for all answers. */
struct crossed {
    double *values;               /* owned */
    uint32_t *items, *annotators; /* owned */
    struct sl_crossed data;
};

static enum sl_status crossed_init(const struct sl_answers *answers, struct crossed *out,
                                   struct sl_error *err)
{
    *out = (struct crossed){.values = sl_data_alloc(answers->count, sizeof(double), err),
                            .items = sl_data_alloc(answers->count, sizeof(uint32_t), err),
                            .annotators = sl_data_alloc(answers->count, sizeof(uint32_t), err)};
    out->data = (struct sl_crossed){.values = out->values,
                                    .first = out->items,
                                    .second = out->annotators,
                                    .n_first = sl_name_table_count(answers->items),
                                    .n_second = sl_name_table_count(answers->annotators)};
    return out->values && out->items && out->annotators ? SL_OK : SL_ERR_NOMEM;
}

static void crossed_release(struct crossed *crossed)
{
    free(crossed->values);
    free(crossed->items);
    free(crossed->annotators);
}

static void add(struct crossed *crossed, double value, uint32_t item, uint32_t annotator)
{
    const size_t at = crossed->data.count++;
    crossed->values[at] = value;
    crossed->items[at] = item;
    crossed->annotators[at] = annotator;
}

/* ---- Groups of soft answers ---- */

enum sl_status sl_answer_group_bootstrap(const struct sl_answers *answers, const bool *in,
                                         const struct sl_bootstrap_options *bootstrap,
                                         struct sl_answer_group_intervals *out,
                                         struct sl_error *err)
{
    struct crossed stated, possible;
    enum sl_status status = crossed_init(answers, &stated, err);
    const enum sl_status second = crossed_init(answers, &possible, err);
    if (status == SL_OK) status = second;
    SL_TRY_OUT(status);
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        const uint32_t item = answers->item[i], annotator = answers->annotator[i];
        sl_answers_get(answers, i, &answer);
        if (!in[item] || answer.kind != SL_ANSWER_SOFT || answer.n_top == 0 ||
            (answer.flags & SL_ANSWER_CHECK))
            continue;
        const double probability = (double)answer.top[0].probability;
        add(&possible, (double)sl_answer_count_possible(&answer, answers->n_classes), item,
            annotator);
        if (!isnan(probability)) add(&stated, probability, item, annotator);
    }
    SL_TRY_OUT(
        sl_bootstrap_crossed(SL_CROSSED_MEAN, &stated.data, bootstrap, &out->probability, err));
    SL_TRY_OUT(
        sl_bootstrap_crossed(SL_CROSSED_MEAN, &possible.data, bootstrap, &out->possible, err));
out:
    crossed_release(&stated);
    crossed_release(&possible);
    return status;
}

/* ---- Accuracy ---- */

/* An item: the number of its answers, its true class, whether a vote names it, and the first two
 * classes that votes name. */
struct item {
    size_t n_answers;
    int32_t truth;
    bool has_votes, is_named, has_many;
    uint32_t named[2];
};

static void name_class(struct item *item, uint32_t class_index)
{
    uint32_t *named = item->named;
    if (!item->has_votes) named[0] = named[1] = class_index;
    item->has_votes = true;
    if (class_index == named[0] || class_index == named[1]) return;
    item->has_many = item->has_many || named[1] != named[0];
    named[1] = class_index;
}

static bool is_vote(const struct sl_answer *answer)
{
    return !(answer->flags & (SL_ANSWER_CHECK | SL_ANSWER_SECOND_RUN | SL_ANSWER_REPEAT));
}

static void look_at_items(const struct sl_answers *answers,
                          const struct sl_quality_options *options, struct item *items)
{
    const size_t n_items = sl_name_table_count(answers->items);
    for (size_t i = 0; i < n_items; i++)
        items[i].truth = options->truth ? options->truth[i] : -1;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        struct item *item = &items[answers->item[i]];
        sl_answers_get(answers, i, &answer);
        item->n_answers++;
        if (!options->truth && item->truth < 0 && !(answer.flags & SL_ANSWER_CHECK))
            item->truth = answer.truth;
    }
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        struct item *item = &items[answers->item[i]];
        uint32_t top[2];
        sl_answers_get(answers, i, &answer);
        if (!is_vote(&answer)) continue;
        sl_answer_top_two(&answer, answers->n_classes, top);
        name_class(item, top[0]);
        item->is_named = item->is_named || (item->truth >= 0 && top[0] == (uint32_t)item->truth);
    }
}

static void take_accuracy(const struct sl_answers *answers,
                          const struct sl_quality_options *options, const struct item *items,
                          struct crossed *top1, struct crossed *top2)
{
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        const struct item *item = &items[answers->item[i]];
        uint32_t top[2];
        sl_answers_get(answers, i, &answer);
        const int32_t truth = options->truth ? item->truth : answer.truth;
        if ((answer.flags & SL_ANSWER_CHECK) || truth < 0 ||
            (options->most_answers && item->n_answers > options->most_answers))
            continue;
        sl_answer_top_two(&answer, answers->n_classes, top);
        const bool first = top[0] == (uint32_t)truth;
        add(top1, first, answers->item[i], answers->annotator[i]);
        add(top2, first || top[1] == (uint32_t)truth, answers->item[i], answers->annotator[i]);
    }
}

/* An item's contribution to a share of items; NaN if it does not count. */
static double is_never_true(const struct item *item)
{
    return item->truth >= 0 ? !item->is_named : (double)NAN;
}

static double has_two_classes(const struct item *item)
{
    return !item->has_many;
}

static const struct crossed *take_items(const struct sl_answers *answers,
                                        const struct sl_quality_options *options,
                                        const struct item *items,
                                        double (*value_of)(const struct item *item),
                                        struct crossed *into)
{
    const size_t n_items = sl_name_table_count(answers->items);
    into->data.count = 0;
    for (uint32_t i = 0; i < n_items; i++) {
        const double value = value_of(&items[i]);
        if (!isnan(value) && items[i].has_votes &&
            !(options->most_answers && items[i].n_answers > options->most_answers))
            add(into, value, i, SL_NO_GROUP);
    }
    return into;
}

enum sl_status sl_quality_bootstrap(const struct sl_answers *answers,
                                    const struct sl_quality_options *options,
                                    const struct sl_bootstrap_options *bootstrap,
                                    struct sl_quality_intervals *out, struct sl_error *err)
{
    struct item *items = sl_data_zeroed(sl_name_table_count(answers->items), sizeof *items, err);
    struct crossed top1, top2;
    enum sl_status status = crossed_init(answers, &top1, err);
    const enum sl_status second = crossed_init(answers, &top2, err);
    if (status == SL_OK) status = second;
    SL_TRY_OUT(items ? status : SL_ERR_NOMEM);
    look_at_items(answers, options, items);
    take_accuracy(answers, options, items, &top1, &top2);
    SL_TRY_OUT(sl_bootstrap_crossed(SL_CROSSED_MEAN, &top1.data, bootstrap, &out->top1, err));
    SL_TRY_OUT(sl_bootstrap_crossed(SL_CROSSED_MEAN, &top2.data, bootstrap, &out->top2, err));
    SL_TRY_OUT(sl_bootstrap_crossed(SL_CROSSED_MEAN_OF_MEANS, &top1.data, bootstrap,
                                    &out->mean_accuracy, err));
    const struct {
        double (*value_of)(const struct item *item);
        struct sl_interval *interval;
    } shares[] = {{is_never_true, &out->share_never_true},
                  {has_two_classes, &out->share_two_classes}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const struct crossed *of = take_items(answers, options, items, shares[i].value_of, &top1);
        SL_TRY_OUT(
            sl_bootstrap_crossed(SL_CROSSED_MEAN, &of->data, bootstrap, shares[i].interval, err));
    }
out:
    crossed_release(&top1);
    crossed_release(&top2);
    free(items);
    return status;
}
