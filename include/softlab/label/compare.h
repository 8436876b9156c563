/* Compare: how far apart two label sets are, over all items and item by item. */
#ifndef SOFTLAB_LABEL_COMPARE_H
#define SOFTLAB_LABEL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/error.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"

SL_BEGIN_DECLS

enum sl_label_distance_kind {
    SL_DISTANCE_WASSERSTEIN_VALUES, /* between the two vectors' values, as the papers computed it */
    SL_DISTANCE_WASSERSTEIN_CLASSES, /* over class indices, whose order is arbitrary */
    SL_DISTANCE_L1,
    SL_DISTANCE_KL, /* of a from b; infinite where b is 0 and a is not */
    SL_DISTANCE_JENSEN_SHANNON,
    SL_DISTANCE_COUNT
};

/* A row for each enum sl_label_distance_kind, in its order. */
struct sl_label_distance {
    const char *name;
    const char *summary;
    double (*between)(const double *a, const double *b, size_t n_classes);
};
extern const struct sl_label_distance sl_label_distances[SL_DISTANCE_COUNT];

/* scipy.stats.wasserstein_distance(u_values, v_values): samples of equal weight. NaN if either is
 * empty. */
double sl_wasserstein(const double *u, size_t n_u, const double *v, size_t n_v);

struct sl_item_difference {
    size_t row_a, row_b;
    double distance[SL_DISTANCE_COUNT];
    double entropy_a, entropy_b;
    /* the most probable classes, as columns of a; ties go to the last by name (sl_first_two) */
    size_t first_a, first_b;
};

struct sl_comparison {
    size_t n_items;                   /* in both sets */
    size_t n_only_a, n_only_b;        /* in one of them */
    struct sl_item_difference *items; /* owned; n_items, in the order of a */
    double mean[SL_DISTANCE_COUNT];   /* over items; of KL, over the finite ones */
    size_t n_infinite_kl;
    double entropy_r;                          /* Pearson over items */
    double entropy_a, entropy_b;               /* means */
    struct sl_interval a_interval, b_interval; /* of these means, for other items */
    double top1_agreement;                     /* share of items with the same largest class */
    size_t n_tied_a, n_tied_b;                 /* items with several largest classes */
};

/* Rows are matched by item; items of a set without names are called "0", "1", ... Columns are
 * matched by class if both sets name them, ignoring case (CIFAR-10H says "cat", CIFAR-10S "Cat").
 * SL_ERR_INPUT if a set has two rows for one item or a row that is not a distribution, or if the
 * sets share no item. Errors call the sets by `names`, or "the first set" and "the second set" if
 * it is NULL. */
enum sl_status sl_labels_compare(const struct sl_rows *a, const struct sl_rows *b,
                                 const char *const names[2], struct sl_comparison *out,
                                 struct sl_error *err) SL_MUST_USE;
void sl_comparison_release(struct sl_comparison *comparison);

/* Put the most different items first, or with `least` the least different; equal ones stay in the
 * order of a. */
enum sl_status sl_comparison_sort(struct sl_comparison *comparison, enum sl_label_distance_kind by,
                                  bool least, struct sl_error *err) SL_MUST_USE;

/* Conditions on items to show. All zero: every item. */
struct sl_comparison_filter {
    bool same_first;
    double min_entropy;   /* of both labels */
    double max_entropy_b; /* 0: any */
};
/* Move the items that meet the conditions to the front, in their order, and return their number;
 * the other items are lost. Means and counts still describe all items. */
size_t sl_comparison_keep(struct sl_comparison *comparison,
                          const struct sl_comparison_filter *filter);

/* Row of an item by name, or by number in a set without names; SIZE_MAX if there is none. Linear:
 * for single look-ups. */
size_t sl_rows_find(const struct sl_rows *rows, const char *item, size_t length);

SL_END_DECLS

#endif
