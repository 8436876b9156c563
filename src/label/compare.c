#include "softlab/label/compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/classes.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, size_t count)
{
    double *copy = sl_alloc(count, sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_doubles);
    return copy;
}

/* The area between the two empirical distribution functions. */
double sl_wasserstein(const double *u, size_t n_u, const double *v, size_t n_v)
{
    if (n_u == 0 || n_v == 0) return (double)NAN;
    double *a = sorted_copy(u, n_u), *b = sorted_copy(v, n_v);
    double area = 0, before = fmin(a[0], b[0]);
    size_t i = 0, j = 0;
    while (i < n_u || j < n_v) {
        double next = i == n_u ? b[j] : j == n_v ? a[i] : fmin(a[i], b[j]);
        area += fabs((double)i / (double)n_u - (double)j / (double)n_v) * (next - before);
        before = next;
        while (i < n_u && a[i] == next)
            i++;
        while (j < n_v && b[j] == next)
            j++;
    }
    free(a);
    free(b);
    return area;
}

static void sort_into(const double *values, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && out[at - 1] > values[i]; at--)
            out[at] = out[at - 1];
        out[at] = values[i];
    }
}

/* For equally many values on both sides: the mean distance between values of the same rank. */
static double wasserstein_values(const double *a, const double *b, size_t n_classes)
{
    enum { FEW = 32 }; /* few enough for insertion sort */
    double left[FEW], right[FEW], sum = 0;
    if (n_classes > FEW) return sl_wasserstein(a, n_classes, b, n_classes);
    sort_into(a, n_classes, left);
    sort_into(b, n_classes, right);
    for (size_t k = 0; k < n_classes; k++)
        sum += fabs(left[k] - right[k]);
    return sum / (double)n_classes;
}

static double wasserstein_classes(const double *a, const double *b, size_t n_classes)
{
    double ahead = 0, sum = 0;
    for (size_t k = 0; k + 1 < n_classes; k++) {
        ahead += a[k] - b[k];
        sum += fabs(ahead);
    }
    return sum;
}

static double l1(const double *a, const double *b, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += fabs(a[k] - b[k]);
    return sum;
}

static double kl(const double *a, const double *b, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        if (a[k] > 0 && b[k] <= 0) return (double)INFINITY;
        if (a[k] > 0) sum += a[k] * log(a[k] / b[k]);
    }
    return fmax(sum, 0);
}

static double jensen_shannon(const double *a, const double *b, size_t n_classes)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++) {
        double middle = (a[k] + b[k]) / 2;
        if (a[k] > 0) sum += a[k] * log(a[k] / middle) / 2;
        if (b[k] > 0) sum += b[k] * log(b[k] / middle) / 2;
    }
    return fmax(sum, 0);
}

const struct sl_label_distance sl_label_distances[SL_DISTANCE_COUNT] = {
    [SL_DISTANCE_WASSERSTEIN_VALUES] = {"wasserstein-values",
                                        "Wasserstein distance between the two rows' values",
                                        wasserstein_values},
    [SL_DISTANCE_WASSERSTEIN_CLASSES] =
        {"wasserstein-classes", "Wasserstein distance over class indices, whose order is arbitrary",
         wasserstein_classes},
    [SL_DISTANCE_L1] = {"l1", "sum of absolute differences", l1},
    [SL_DISTANCE_KL] = {"kl", "Kullback-Leibler divergence of the first from the second, nats", kl},
    [SL_DISTANCE_JENSEN_SHANNON] = {"js", "Jensen-Shannon divergence, nats", jensen_shannon},
};

size_t sl_rows_find(const struct sl_rows *rows, const char *item, size_t length)
{
    if (!rows->items) {
        int64_t number;
        bool found = sl_text_to_integer(item, length, &number) && number >= 0 &&
                     (uint64_t)number < rows->n_rows;
        return found ? (size_t)number : SIZE_MAX;
    }
    for (size_t i = 0; i < rows->n_rows; i++)
        if (strlen(rows->items[i]) == length && memcmp(rows->items[i], item, length) == 0) return i;
    return SIZE_MAX;
}

/* One set's names numbered in row order, for look-ups. */
static enum sl_status number_items(const struct sl_rows *rows, const char *which,
                                   struct sl_name_table **out, struct sl_error *err)
{
    struct sl_name_table *names = sl_name_table_create();
    for (size_t i = 0; i < rows->n_rows; i++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", i);
        const char *name = rows->items ? rows->items[i] : number;
        uint32_t place = 0;
        enum sl_status status = sl_name_table_add(names, name, strlen(name), &place, err);
        if (status == SL_OK && place != i)
            status = sl_fail(err, SL_ERR_INPUT, "%s: rows %u and %zu are both of item %s", which,
                             place, i, name);
        if (status != SL_OK) {
            sl_name_table_destroy(names);
            return status;
        }
    }
    *out = names;
    return SL_OK;
}

/* How rows and columns of two sets correspond. */
struct matching {
    const struct sl_rows *a, *b;
    size_t *columns; /* owned; for each column of a, that of b */
    size_t *order; /* owned; columns of a sorted by name, for ties; NULL = neither set names them */
    double *left, *right; /* owned; a row of each, in the order of a's columns */
};

static enum sl_status matching_init(struct matching *matching, const char *const owners[2],
                                    struct sl_error *err)
{
    const size_t n_classes = matching->a->n_classes;
    char *const *names = matching->a->classes ? matching->a->classes : matching->b->classes;
    matching->columns = sl_alloc(n_classes, sizeof *matching->columns);
    matching->left = sl_alloc(n_classes, sizeof *matching->left);
    matching->right = sl_alloc(n_classes, sizeof *matching->right);
    const struct sl_class_list a = {owners[0], matching->a->classes, n_classes};
    const struct sl_class_list b = {owners[1], matching->b->classes, matching->b->n_classes};
    SL_TRY(sl_classes_pair(&a, &b, matching->columns, err));
    if (!names) return SL_OK;
    matching->order = sl_alloc(n_classes, sizeof *matching->order);
    sl_classes_order(names, n_classes, matching->order);
    return SL_OK;
}

static void matching_release(struct matching *matching)
{
    free(matching->columns);
    free(matching->order);
    free(matching->left);
    free(matching->right);
}

static size_t first_choice(const struct matching *matching, const double *row, size_t *n_tied)
{
    size_t first = 0, second = 0;
    sl_first_two(row, matching->a->n_classes, matching->order, &first, &second);
    *n_tied += first != second && row[first] == row[second];
    return first;
}

static void measure_item(const struct matching *matching, struct sl_item_difference *item,
                         struct sl_comparison *comparison, size_t *n_agreeing)
{
    const struct sl_rows *a = matching->a, *b = matching->b;
    const size_t n_classes = a->n_classes;
    double *left = matching->left, *right = matching->right;
    for (size_t k = 0; k < n_classes; k++) {
        left[k] = (double)a->values[item->row_a * n_classes + k];
        right[k] = (double)b->values[item->row_b * n_classes + matching->columns[k]];
    }
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++)
        item->distance[d] = sl_label_distances[d].between(left, right, n_classes);
    item->entropy_a = sl_entropy(left, n_classes);
    item->entropy_b = sl_entropy(right, n_classes);
    item->first_a = first_choice(matching, left, &comparison->n_tied_a);
    item->first_b = first_choice(matching, right, &comparison->n_tied_b);
    *n_agreeing += item->first_a == item->first_b;
}

static void summarise(struct sl_comparison *comparison, size_t n_agreeing, double *scratch)
{
    size_t n_items = comparison->n_items;
    double *other = scratch + n_items;
    for (size_t d = 0; d < SL_DISTANCE_COUNT; d++) {
        size_t count = 0;
        for (size_t i = 0; i < n_items; i++)
            if (isfinite(comparison->items[i].distance[d]))
                scratch[count++] = comparison->items[i].distance[d];
        comparison->mean[d] = sl_mean(scratch, count);
        if (d == SL_DISTANCE_KL) comparison->n_infinite_kl = n_items - count;
    }
    for (size_t i = 0; i < n_items; i++) {
        scratch[i] = comparison->items[i].entropy_a;
        other[i] = comparison->items[i].entropy_b;
    }
    comparison->entropy_a = sl_mean(scratch, n_items);
    comparison->entropy_b = sl_mean(other, n_items);
    comparison->a_interval = sl_mean_interval(scratch, n_items, .95);
    comparison->b_interval = sl_mean_interval(other, n_items, .95);
    comparison->entropy_r = sl_pearson(scratch, other, n_items);
    comparison->top1_agreement = (double)n_agreeing / (double)n_items;
}

/* Whether rows correspond by order: if a set has no names, unless the other's names are row
 * numbers. */
static enum sl_status match_order(const struct sl_rows *a, const struct sl_rows *b,
                                  const struct sl_name_table *a_names,
                                  const struct sl_name_table *b_names, const char *const names[2],
                                  bool *out, struct sl_error *err)
{
    enum sl_row_matching how = SL_ROWS_BY_NUMBER;
    if (!a->items && !b->items)
        how = a->n_rows == b->n_rows ? SL_ROWS_BY_ORDER : SL_ROWS_UNCLEAR;
    else if (!a->items)
        how = sl_name_table_match_rows(b_names, a->n_rows);
    else if (!b->items)
        how = sl_name_table_match_rows(a_names, b->n_rows);
    *out = how == SL_ROWS_BY_ORDER;
    if (how != SL_ROWS_UNCLEAR) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s has %zu row%s, %s has %zu, and no item names tell which belong together",
                   names[0], a->n_rows, sl_text_plural(a->n_rows, "", "s"), names[1], b->n_rows);
}

/* Pairs of rows about the same item, in the order of a. */
static enum sl_status match_rows(const struct sl_rows *a, const struct sl_rows *b,
                                 const char *const names[2], struct sl_comparison *out,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_name_table *a_names = NULL, *b_names = NULL;
    SL_TRY_OUT(number_items(a, names[0], &a_names, err));
    SL_TRY_OUT(number_items(b, names[1], &b_names, err));
    bool in_order = false;
    SL_TRY_OUT(match_order(a, b, a_names, b_names, names, &in_order, err));
    out->items = sl_data_alloc(a->n_rows, sizeof *out->items, err);
    if (!out->items) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < a->n_rows; i++) {
        size_t length;
        const char *name = sl_name_table_get(a_names, (uint32_t)i, &length);
        uint32_t place = in_order ? (uint32_t)i : sl_name_table_find(b_names, name, length);
        if (place != SL_NO_NAME)
            out->items[out->n_items++] = (struct sl_item_difference){.row_a = i, .row_b = place};
    }
    out->n_only_a = a->n_rows - out->n_items;
    out->n_only_b = b->n_rows - out->n_items;
    if (out->n_items == 0)
        status = sl_fail(err, SL_ERR_INPUT, "no item is in both %s and %s", names[0], names[1]);
out:
    sl_name_table_destroy(a_names);
    sl_name_table_destroy(b_names);
    return status;
}

enum sl_status sl_labels_compare(const struct sl_rows *a, const struct sl_rows *b,
                                 const char *const names[2], struct sl_comparison *out,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_comparison comparison = {0};
    struct matching matching = {.a = a, .b = b};
    size_t n_agreeing = 0;
    double *scratch = NULL;
    static const char *const unnamed[2] = {"the first set", "the second set"};
    if (!names) names = unnamed;
    SL_TRY_OUT(sl_rows_check_distributions(a, names[0], err));
    SL_TRY_OUT(sl_rows_check_distributions(b, names[1], err));
    SL_TRY_OUT(matching_init(&matching, names, err));
    SL_TRY_OUT(match_rows(a, b, names, &comparison, err));
    scratch = sl_data_alloc(comparison.n_items, 2 * sizeof *scratch, err);
    if (!scratch) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < comparison.n_items; i++)
        measure_item(&matching, &comparison.items[i], &comparison, &n_agreeing);
    summarise(&comparison, n_agreeing, scratch);
    *out = comparison;
    comparison.items = NULL;
out:
    free(comparison.items);
    matching_release(&matching);
    free(scratch);
    return status;
}

void sl_comparison_release(struct sl_comparison *comparison)
{
    free(comparison->items);
    *comparison = (struct sl_comparison){0};
}

/* qsort passes no context, so the key is stored with the item. */
struct ranked {
    double distance; /* what falls */
    struct sl_item_difference item;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->distance != y->distance) return x->distance > y->distance ? -1 : 1;
    return (x->item.row_a > y->item.row_a) - (x->item.row_a < y->item.row_a);
}

enum sl_status sl_comparison_sort(struct sl_comparison *comparison, enum sl_label_distance_kind by,
                                  bool least, struct sl_error *err)
{
    size_t count = comparison->n_items;
    struct ranked *order = sl_data_alloc(count, sizeof *order, err);
    if (!order) return SL_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const double distance = comparison->items[i].distance[by];
        order[i] = (struct ranked){least ? -distance : distance, comparison->items[i]};
    }
    qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count; i++)
        comparison->items[i] = order[i].item;
    free(order);
    return SL_OK;
}

size_t sl_comparison_keep(struct sl_comparison *comparison,
                          const struct sl_comparison_filter *filter)
{
    size_t kept = 0;
    for (size_t i = 0; i < comparison->n_items; i++) {
        const struct sl_item_difference *item = &comparison->items[i];
        if (filter->same_first && item->first_a != item->first_b) continue;
        if (item->entropy_a < filter->min_entropy || item->entropy_b < filter->min_entropy)
            continue;
        if (filter->max_entropy_b > 0 && item->entropy_b > filter->max_entropy_b) continue;
        comparison->items[kept++] = *item;
    }
    return kept;
}
