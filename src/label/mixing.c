#include "softlab/label/mixing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "label/methods_internal.h"
#include "label/mixing_points.h"
#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "softlab/label/compare.h"

/* The next part of a name up to '_'; false at its end. */
static bool next_part(const char **rest, const char *end, struct sl_field *out)
{
    if (*rest > end) return false;
    const char *stop = *rest;
    while (stop < end && *stop != '_')
        stop++;
    *out = (struct sl_field){.text = *rest, .length = (size_t)(stop - *rest)};
    *rest = stop + 1;
    return out->length > 0;
}

bool sl_mixed_name_parse(const char *text, size_t length, struct sl_mixed_name *out)
{
    static const char suffix[] = ".png";
    const size_t suffix_length = sizeof suffix - 1;
    if (length > suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0)
        length -= suffix_length;
    const char *rest = text, *end = text + length;
    struct sl_field parts[6];
    for (size_t i = 0; i < 6; i++)
        if (!next_part(&rest, end, &parts[i])) return false;
    double lambda;
    if (rest <= end || parts[0].length != 5 || memcmp(parts[0].text, "mixed", 5) != 0) return false;
    if (!sl_text_to_real(parts[1].text, parts[1].length, &lambda)) return false;
    if (!(lambda >= 0 && lambda <= 1)) return false;
    *out = (struct sl_mixed_name){.lambda = lambda,
                                  .class_a = parts[2],
                                  .item_a = parts[3],
                                  .class_b = parts[4],
                                  .item_b = parts[5]};
    return true;
}

struct sl_mix_options sl_mix_options_default(void)
{
    return (struct sl_mix_options){.high = 0.5, .low = 0.1};
}

static bool is_share(float value)
{
    return value >= 0 && value <= 1;
}

static enum sl_status take_point(const struct sl_answers *answers, size_t index,
                                 const struct sl_answer *answer, struct sl_mix_point *out,
                                 struct sl_error *err)
{
    const struct sl_mix_answer *mix = &answer->mix;
    const char *item = sl_name_table_get(answers->items, answers->item[index], NULL);
    if (!is_share(mix->lambda))
        return sl_fail(err, SL_ERR_INPUT, "item %s: the inferred share is %g, expected 0 to 1",
                       item, (double)mix->lambda);
    if (!is_share(mix->generated))
        return sl_fail(err, SL_ERR_INPUT, "item %s: the generating share is %g, expected 0 to 1",
                       item, (double)mix->generated);
    *out = (struct sl_mix_point){.a = mix->a,
                                 .b = mix->b,
                                 .generated = sl_as_typed(mix->generated),
                                 .inferred = sl_as_typed(mix->lambda),
                                 .confidence = (double)mix->confidence,
                                 .item = answers->item[index],
                                 .annotator = answers->annotator[index]};
    return SL_OK;
}

enum sl_status sl_mix_points_take(const struct sl_answers *answers,
                                  const struct sl_mix_options *options, struct sl_mix_point **out,
                                  size_t *count, struct sl_error *err)
{
    struct sl_mix_point *points = sl_data_alloc(answers->count, sizeof *points, err);
    if (!points) return SL_ERR_NOMEM;
    size_t n_points = 0;
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < answers->count; i++) {
        struct sl_answer answer;
        sl_answers_get(answers, i, &answer);
        if (answer.kind != SL_ANSWER_MIX || !sl_answer_is_kept(&answer, options->keep)) continue;
        if (options->only &&
            sl_name_table_find(options->only, answer.item.text, answer.item.length) == SL_NO_NAME)
            continue;
        SL_TRY_OUT(take_point(answers, i, &answer, &points[n_points++], err));
    }
    if (n_points == 0) status = sl_fail(err, SL_ERR_INPUT, "there are no answers of kind \"mix\"");
out:
    if (status != SL_OK) {
        free(points);
        return status;
    }
    *out = points;
    *count = n_points;
    return SL_OK;
}

typedef int point_order(const void *a, const void *b);

static int order_by_share(const void *a, const void *b)
{
    const struct sl_mix_point *x = a, *y = b;
    return (x->generated > y->generated) - (x->generated < y->generated);
}

static int order_by_pair(const void *a, const void *b)
{
    const struct sl_mix_point *x = a, *y = b;
    if (x->a != y->a) return x->a > y->a ? 1 : -1;
    return (x->b > y->b) - (x->b < y->b);
}

static int order_by_pair_share(const void *a, const void *b)
{
    int order = order_by_pair(a, b);
    return order ? order : order_by_share(a, b);
}

/* How many values are in each tenth of 0 to 1. */
static void count_tenths(const double *values, size_t count, size_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[sl_bin_of(values[i], SL_MIX_BINS)]++;
}

static struct sl_mix_group summarise_points(const struct sl_mix_point *points, size_t count,
                                            double *scratch)
{
    struct sl_mix_group group = {
        .generated = (double)NAN, .a = SL_NO_NAME, .b = SL_NO_NAME, .n_answers = count};
    for (size_t i = 0; i < count; i++)
        scratch[i] = points[i].inferred;
    group.median = sl_median(scratch, count);
    group.mean = sl_mean(scratch, count);
    group.lower = sl_quantile(scratch, count, .25);
    group.upper = sl_quantile(scratch, count, .75);
    count_tenths(scratch, count, group.inferred_counts);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(points[i].inferred - points[i].generated);
    group.mean_error = sl_mean(scratch, count);
    size_t n_confident = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(points[i].confidence)) scratch[n_confident++] = points[i].confidence;
    group.mean_confidence = sl_mean(scratch, n_confident);
    count_tenths(scratch, n_confident, group.confidence_counts);
    group.median_interval = group.mean_interval = group.confidence_interval = group.error_interval =
        (struct sl_interval){(double)NAN, (double)NAN, (double)NAN};
    return group;
}

/* The figures that have intervals, one function each. */
static double inferred_of(const struct sl_mix_point *point)
{
    return point->inferred;
}

static double confidence_of(const struct sl_mix_point *point)
{
    return point->confidence;
}

static double error_of(const struct sl_mix_point *point)
{
    return fabs(point->inferred - point->generated);
}

/* Points as crossed values: (count) each, owned. */
struct crossed_points {
    double *values;
    uint32_t *items, *annotators;
    size_t n_items, n_annotators; /* of the whole set of answers */
};

static enum sl_status bootstrap_group(const struct sl_mix_point *points, size_t count,
                                      struct crossed_points *into,
                                      const struct sl_bootstrap_options *options,
                                      struct sl_mix_group *group, struct sl_error *err)
{
    const struct {
        double (*value)(const struct sl_mix_point *point);
        enum sl_crossed_statistic statistic;
        struct sl_interval *out;
    } figures[] = {{inferred_of, SL_CROSSED_MEDIAN, &group->median_interval},
                   {inferred_of, SL_CROSSED_MEAN, &group->mean_interval},
                   {confidence_of, SL_CROSSED_MEAN, &group->confidence_interval},
                   {error_of, SL_CROSSED_MEAN, &group->error_interval}};
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        struct sl_crossed data = {.values = into->values,
                                  .first = into->items,
                                  .second = into->annotators,
                                  .n_first = into->n_items,
                                  .n_second = into->n_annotators};
        for (size_t i = 0; i < count; i++) {
            const double value = figures[f].value(&points[i]);
            if (isnan(value)) continue;
            into->values[data.count] = value;
            into->items[data.count] = points[i].item;
            into->annotators[data.count++] = points[i].annotator;
        }
        SL_TRY(sl_bootstrap_crossed(figures[f].statistic, &data, options, figures[f].out, err));
    }
    return SL_OK;
}

/* Intervals of `n_groups` consecutive groups of points; each group states its number of points. */
static enum sl_status bootstrap_groups(const struct sl_answers *answers,
                                       const struct sl_mix_options *options,
                                       const struct sl_mix_point *points,
                                       struct sl_mix_group *groups, size_t n_groups,
                                       struct sl_error *err)
{
    size_t most = 0;
    if (!options->bootstrap) return SL_OK;
    for (size_t g = 0; g < n_groups; g++)
        most = groups[g].n_answers > most ? groups[g].n_answers : most;
    struct crossed_points into = {.values = sl_data_alloc(most, sizeof(double), err),
                                  .items = sl_data_alloc(most, sizeof(uint32_t), err),
                                  .annotators = sl_data_alloc(most, sizeof(uint32_t), err),
                                  .n_items = sl_name_table_count(answers->items),
                                  .n_annotators = sl_name_table_count(answers->annotators)};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(into.values && into.items && into.annotators ? SL_OK : SL_ERR_NOMEM);
    for (size_t g = 0; g < n_groups; g++) {
        SL_TRY_OUT(bootstrap_group(points, groups[g].n_answers, &into, options->bootstrap,
                                   &groups[g], err));
        points += groups[g].n_answers;
    }
out:
    free(into.values);
    free(into.items);
    free(into.annotators);
    return status;
}

/* Groups of points that `order` calls equal. */
static enum sl_status group_points(struct sl_mix_point *points, size_t count, point_order *order,
                                   double *scratch, struct sl_mix_group **out, size_t *n_groups,
                                   struct sl_error *err)
{
    qsort(points, count, sizeof *points, order);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += i == 0 || order(&points[i - 1], &points[i]) != 0;
    struct sl_mix_group *groups = sl_data_alloc(found, sizeof *groups, err);
    if (!groups) return SL_ERR_NOMEM;
    size_t begin = 0;
    for (size_t g = 0; g < found; g++) {
        size_t end = begin + 1;
        while (end < count && order(&points[begin], &points[end]) == 0)
            end++;
        groups[g] = summarise_points(points + begin, end - begin, scratch);
        if (order != order_by_pair) groups[g].generated = points[begin].generated;
        if (order != order_by_share) {
            groups[g].a = points[begin].a;
            groups[g].b = points[begin].b;
        }
        begin = end;
    }
    *n_groups = found;
    *out = groups;
    return SL_OK;
}

static void turn_to_lower_class_first(struct sl_mix_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i].a <= points[i].b) continue;
        uint32_t class_index = points[i].a;
        points[i].a = points[i].b;
        points[i].b = class_index;
        points[i].generated = sl_as_typed((float)(1 - points[i].generated));
        points[i].inferred = 1 - points[i].inferred;
    }
}

static enum sl_status endpoint_entropy(const struct sl_rows *labels, struct sl_field item,
                                       double *out, struct sl_error *err)
{
    size_t row = sl_rows_find(labels, item.text, item.length);
    if (row == SIZE_MAX)
        return sl_fail(err, SL_ERR_INPUT, "the endpoint labels have no item %.*s",
                       (int)(item.length < 200 ? item.length : 200), item.text);
    *out = sl_entropy_of_row(labels->values + row * labels->n_classes, labels->n_classes);
    return SL_OK;
}

/* Keep the points whose two endpoints are both of high (or low) entropy. */
static enum sl_status split_by_entropy(const struct sl_answers *answers,
                                       const struct sl_mix_options *options,
                                       const struct sl_mix_point *points, size_t count,
                                       struct sl_mix_summary *summary, struct sl_error *err)
{
    const struct sl_rows *labels = options->endpoint_labels;
    enum sl_status status = SL_OK;
    struct sl_mix_point *high = sl_data_alloc(count, sizeof *high, err);
    struct sl_mix_point *low = sl_data_alloc(count, sizeof *low, err);
    double *scratch = sl_data_alloc(count, sizeof *scratch, err);
    size_t n_high = 0, n_low = 0;
    SL_TRY_OUT(high && low && scratch ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *item = sl_name_table_get(answers->items, points[i].item, &length);
        struct sl_mixed_name name;
        double a = 0, b = 0;
        if (!sl_mixed_name_parse(item, length, &name)) {
            status = sl_fail(err, SL_ERR_INPUT,
                             "item %s: expected mixed_<share>_<A>_<id>_<B>_<id>.png", item);
            goto out;
        }
        SL_TRY_OUT(endpoint_entropy(labels, name.item_a, &a, err));
        SL_TRY_OUT(endpoint_entropy(labels, name.item_b, &b, err));
        if (a >= options->high && b >= options->high) high[n_high++] = points[i];
        if (a <= options->low && b <= options->low) low[n_low++] = points[i];
    }
    summary->high = summarise_points(high, n_high, scratch);
    summary->low = summarise_points(low, n_low, scratch);
    SL_TRY_OUT(bootstrap_groups(answers, options, high, &summary->high, 1, err));
    SL_TRY_OUT(bootstrap_groups(answers, options, low, &summary->low, 1, err));
out:
    free(scratch);
    free(high);
    free(low);
    return status;
}

/* Count the items and annotators of the points. */
static void count_names(const struct sl_answers *answers, const struct sl_mix_point *points,
                        size_t count, struct sl_mix_summary *out)
{
    bool *asked = sl_alloc(sl_name_table_count(answers->items) + 1, sizeof *asked);
    bool *seen = sl_alloc(sl_name_table_count(answers->annotators) + 1, sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        const uint32_t item = points[i].item, annotator = points[i].annotator;
        out->n_items += !asked[item];
        asked[item] = true;
        if (annotator == SL_NO_NAME) continue;
        out->n_annotators += !seen[annotator];
        seen[annotator] = true;
    }
    free(asked);
    free(seen);
}

/* `scratch` has room for 2 x count. */
static double correlation(const struct sl_mix_point *points, size_t count, double *scratch)
{
    double *generated = scratch, *inferred = scratch + count;
    for (size_t i = 0; i < count; i++) {
        generated[i] = points[i].generated;
        inferred[i] = points[i].inferred;
    }
    return sl_pearson(generated, inferred, count);
}

enum sl_status sl_mix_summarise(const struct sl_answers *answers,
                                const struct sl_mix_options *options, struct sl_mix_summary *out,
                                struct sl_error *err)
{
    struct sl_mix_point *points = NULL;
    size_t count = 0;
    SL_TRY(sl_mix_points_take(answers, options, &points, &count, err));
    struct sl_mix_summary summary = {.n_answers = count};
    double *scratch = sl_data_alloc(2 * count, sizeof *scratch, err);
    enum sl_status status;
    SL_TRY_OUT(scratch ? SL_OK : SL_ERR_NOMEM);
    count_names(answers, points, count, &summary);
    summary.r = correlation(points, count, scratch);
    summary.high = summary.low = summarise_points(points, 0, scratch);
    if (options->endpoint_labels)
        SL_TRY_OUT(split_by_entropy(answers, options, points, count, &summary, err));
    SL_TRY_OUT(group_points(points, count, order_by_share, scratch, &summary.by_share,
                            &summary.n_by_share, err));
    SL_TRY_OUT(
        bootstrap_groups(answers, options, points, summary.by_share, summary.n_by_share, err));
    turn_to_lower_class_first(points, count);
    SL_TRY_OUT(group_points(points, count, order_by_pair, scratch, &summary.by_pair,
                            &summary.n_by_pair, err));
    SL_TRY_OUT(group_points(points, count, order_by_pair_share, scratch, &summary.by_pair_share,
                            &summary.n_by_pair_share, err));
    *out = summary;
    summary = (struct sl_mix_summary){0};
out:
    sl_mix_summary_release(&summary);
    free(scratch);
    free(points);
    return status;
}

void sl_mix_summary_release(struct sl_mix_summary *summary)
{
    free(summary->by_share);
    free(summary->by_pair);
    free(summary->by_pair_share);
    *summary = (struct sl_mix_summary){0};
}

enum sl_status sl_mixed_labels_measure(const struct sl_rows *rows, struct sl_mixed_agreement *out,
                                       struct sl_error *err)
{
    if (!rows->items || !rows->classes || rows->n_rows == 0)
        return sl_fail(err, SL_ERR_INPUT, "expected rows with names of items and classes");
    enum sl_status status = SL_OK;
    double *shares = sl_data_alloc(2 * rows->n_rows, sizeof *shares, err);
    double *masses = sl_data_alloc(2 * rows->n_rows, sizeof *masses, err);
    double *off = sl_data_alloc(rows->n_rows, sizeof *off, err);
    SL_TRY_OUT(shares && masses && off ? SL_OK : SL_ERR_NOMEM);
    for (size_t i = 0; i < rows->n_rows; i++) {
        struct sl_mixed_name name;
        size_t a = SIZE_MAX, b = SIZE_MAX;
        if (sl_mixed_name_parse(rows->items[i], strlen(rows->items[i]), &name)) {
            a = sl_class_find(rows->classes, rows->n_classes, name.class_a.text,
                              name.class_a.length);
            b = sl_class_find(rows->classes, rows->n_classes, name.class_b.text,
                              name.class_b.length);
        }
        if (a == SIZE_MAX || b == SIZE_MAX) {
            status = sl_fail(err, SL_ERR_INPUT,
                             "item %s: expected mixed_<share>_<A>_<id>_<B>_<id>.png with known "
                             "classes",
                             rows->items[i]);
            goto out;
        }
        const float *row = rows->values + i * rows->n_classes;
        shares[2 * i] = name.lambda;
        shares[2 * i + 1] = 1 - name.lambda;
        masses[2 * i] = (double)row[a];
        masses[2 * i + 1] = (double)row[b];
        off[i] = 1 - (double)row[a] - (a == b ? 0 : (double)row[b]);
    }
    *out = (struct sl_mixed_agreement){.n_rows = rows->n_rows,
                                       .r = sl_pearson(shares, masses, 2 * rows->n_rows),
                                       .off_endpoints = sl_mean(off, rows->n_rows),
                                       .off_interval = sl_mean_interval(off, rows->n_rows, .95)};
out:
    free(shares);
    free(masses);
    free(off);
    return status;
}
