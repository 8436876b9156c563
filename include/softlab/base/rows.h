/* Rows: a matrix of distributions with a name for every row and column, and its files:
 * .npz (numpy opens it), .npy, .csv and .json. Label sets and predictions are both rows. */
#ifndef SOFTLAB_BASE_ROWS_H
#define SOFTLAB_BASE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

struct sl_rows {
    size_t n_rows, n_classes;
    float *values;     /* owned; (n_rows, n_classes) */
    char **items;      /* owned; n_rows names, or NULL: rows are matched by order */
    char **annotators; /* owned; n_rows names ("" = unknown), or NULL: one row per item */
    char **classes;    /* owned; n_classes names, or NULL */
    size_t n_rescaled; /* CSV rows whose sum was off 1 by rounding and that were scaled */
    size_t *lines;     /* owned; n_rows: the line of each row in the CSV `path`, or NULL */
    char *path;        /* owned; or NULL */
    char *provenance;  /* owned; JSON about how the rows were made, or NULL; written, never read */
};

/* Rows of zeros without names. */
enum sl_status sl_rows_create(size_t n_rows, size_t n_classes, struct sl_rows **out,
                              struct sl_error *err) SL_MUST_USE;
void sl_rows_destroy(struct sl_rows *rows);
/* A copy of the values and all names. */
enum sl_status sl_rows_copy(const struct sl_rows *rows, struct sl_rows **out,
                            struct sl_error *err) SL_MUST_USE;

/* Read and write rows; the suffix decides the format.
 *
 * Reading. In an .npz the matrix is the array called `array` ("labels", "probs", "logits"), beside
 * `item`, `annotator` and `classes` where they exist. A CSV, plain or gzip (.csv.gz), has the
 * columns item[,annotator],<class>... JSON is {"<item>": [[K floats] per annotator]}, as published
 * with CIFAR-10S, or {"<item>": [K floats]}. NaN, infinity and an item that appears twice without
 * annotators are errors that name the row. If every row of a CSV sums to 1 within rounding
 * (sl_distribution_settle), the rows that are off are scaled.
 *
 * Writing. .npz (stored, float32) and .csv hold everything, .npz also `provenance`; readers ignore
 * it, because changed rows would no longer match it. .npy has no names; .json has no names of
 * annotators and classes. Rows without item names are named by their numbers. */
enum sl_status sl_rows_read(const char *path, const char *array, struct sl_rows **out,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_write(const struct sl_rows *rows, const char *array, const char *path,
                             struct sl_error *err) SL_MUST_USE;
/* Add what an .npz of rows holds to one that is being written (softlab/base/array.h). */
struct sl_npz_writer;
enum sl_status sl_rows_add_to_npz(const struct sl_rows *rows, const char *array,
                                  struct sl_npz_writer *writer, struct sl_error *err) SL_MUST_USE;
/* Append the rows from `begin` up to `end` as a CSV has them; row 0 comes after the header. Calls
 * no sl_alloc if the buffer reports (sl_buffer_init_data). */
void sl_rows_append_csv(const struct sl_rows *rows, size_t begin, size_t end,
                        struct sl_buffer *out);

/* Rows that are written as they are made, .npz, .npy or .csv: the same bytes as sl_rows_write gives
 * for all rows together. Create, add every row in order; if the stream wants
 * names (.npz), begin_names and every name again in the same order; commit; always destroy, which
 * leaves no file without a commit. `like` states the number of rows, the classes and the
 * provenance, and must stay; its values and names are not read. `widest` is the length of the
 * longest item name in characters. SL_ERR_USAGE for other files. */
struct sl_rows_stream;
enum sl_status sl_rows_stream_create(const char *path, const char *array,
                                     const struct sl_rows *like, size_t widest,
                                     struct sl_rows_stream **out, struct sl_error *err) SL_MUST_USE;
void sl_rows_stream_destroy(struct sl_rows_stream *stream);
enum sl_status sl_rows_stream_add(struct sl_rows_stream *stream, const char *item, const float *row,
                                  struct sl_error *err) SL_MUST_USE;
bool sl_rows_stream_wants_names(const struct sl_rows_stream *stream);
enum sl_status sl_rows_stream_begin_names(struct sl_rows_stream *stream,
                                          struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_stream_name(struct sl_rows_stream *stream, const char *item,
                                   struct sl_error *err) SL_MUST_USE;
enum sl_status sl_rows_stream_commit(struct sl_rows_stream *stream,
                                     struct sl_error *err) SL_MUST_USE;
/* SL_ERR_USAGE unless rows can be streamed into a file of this name. */
enum sl_status sl_rows_stream_check(const char *path, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT naming the first row that has a negative value or does not sum to 1 within 1e-3. A
 * row that is off by more than rounding is named before one that is off by less. */
enum sl_status sl_rows_check_distributions(const struct sl_rows *rows, const char *what,
                                           struct sl_error *err) SL_MUST_USE;

/* Scale a row to sum to 1 if it is off by rounding only: by at most .005 per class (two decimals),
 * and never by more than .05. `sum` is the sum before scaling. */
enum sl_settled {
    SL_SETTLED_EXACT,  /* within 1e-6 of 1, left as it is */
    SL_SETTLED_SCALED, /* off by rounding, now divided by the sum */
    SL_SETTLED_NOT,    /* off by more, or a value is negative or not finite; left as it is */
};
enum sl_settled sl_distribution_settle(float *row, size_t n_classes, double *sum);

/* Permute the columns to the class order of `like`, matched by name (sl_classes_pair in
 * softlab/base/classes.h), and take its names. */
struct sl_class_list;
enum sl_status sl_rows_reorder(struct sl_rows *rows, const char *what,
                               const struct sl_class_list *like, struct sl_error *err) SL_MUST_USE;

/* Change to other classes, perhaps more: column k becomes columns[k] of `classes`, as
 * sl_classes_match (softlab/base/classes.h) found it; the remaining columns are 0. */
enum sl_status sl_rows_spread(struct sl_rows *rows, const size_t *columns, char *const *classes,
                              size_t n_classes, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
