/* Rows: a matrix of distributions with a name for every row and column, and its files:
 * .npz (numpy opens it), .npy, .csv and .json. Label sets and predictions are both rows. */
#ifndef SOFTLAB_BASE_ROWS_H
#define SOFTLAB_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_rows {
    size_t n_rows, n_classes;
    float *values;     /* owned; (n_rows, n_classes) */
    char **items;      /* owned; n_rows names, or NULL: rows correspond in order */
    char **annotators; /* owned; n_rows names ("" = unknown), or NULL: one row per item */
    char **classes;    /* owned; n_classes names, or NULL */
    size_t n_rescaled; /* rows of a CSV that were off 1 by rounding and were scaled to it */
    size_t *lines;     /* owned; n_rows: where each row stands in the CSV `path`, or NULL */
    char *path;        /* owned; or NULL */
    char *provenance;  /* owned; JSON that says how they were made, or NULL; never read */
};

/* Rows of zeros without names. */
enum sl_status sl_rows_create(size_t n_rows, size_t n_classes, struct sl_rows **out,
                              struct sl_error *err) SL_MUST_USE;
void sl_rows_destroy(struct sl_rows *rows);

/* Read by suffix. In an .npz the matrix is the array called `array` ("labels", "probs",
 * "logits"), beside `item`, `annotator` and `classes` where they exist. A CSV has the columns
 * item[,annotator],<class>... ; JSON is {"<item>": [[K floats] per annotator]} as published with
 * CIFAR-10S, or {"<item>": [K floats]}. NaN and infinity are errors that name the row, and so is
 * an item that comes twice without annotators. A CSV may be gzip (.csv.gz); where each of its rows
 * sums to 1 within rounding (sl_distribution_settle), those that are off are scaled. Written are
 * .npz (stored, float32) and .csv whole, the first with `provenance`, which readers leave alone:
 * rows that are changed are not those; .npy without names, .json without the names of annotators
 * and classes; rows without item names get their numbers there. */
enum sl_status sl_rows_read(const char *path, const char *array, struct sl_rows **out,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_write(const struct sl_rows *rows, const char *array, const char *path,
                             struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the first row that is negative somewhere or does not sum to 1 within
 * 1e-3; before it one that is off by more than rounding. */
enum sl_status sl_rows_check_distributions(const struct sl_rows *rows, const char *what,
                                           struct sl_error *err) SL_MUST_USE;

/* Bring a row that is off 1 by rounding to it. Rounding may be off by .005 for each class, two
 * decimals, but never by more than .05. `sum` is what it was before. */
enum sl_settled {
    SL_SETTLED_EXACT,  /* within 1e-6 of 1, left as it is */
    SL_SETTLED_SCALED, /* off by rounding, now divided by the sum */
    SL_SETTLED_NOT,    /* off by more, or a value is negative or not finite; left as it is */
};
enum sl_settled sl_distribution_settle(float *row, size_t n_classes, double *sum);

/* The same classes in another order: columns are permuted to those of `like`, found by name
 * (sl_classes_pair in softlab/base/classes.h), and take its names. */
struct sl_class_list;
enum sl_status sl_rows_reorder(struct sl_rows *rows, const char *what,
                               const struct sl_class_list *like, struct sl_error *err) SL_MUST_USE;

/* Other classes, perhaps more: column k becomes columns[k] of `classes`, as sl_classes_match
 * (softlab/base/classes.h) found it, and the others are 0. */
enum sl_status sl_rows_spread(struct sl_rows *rows, const size_t *columns, char *const *classes,
                              size_t n_classes, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
