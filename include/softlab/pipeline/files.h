/* Files of labels, predictions, true classes and item names, matched with known items and classes.
 * Errors name the file. */
#ifndef SOFTLAB_PIPELINE_FILES_H
#define SOFTLAB_PIPELINE_FILES_H

#include "softlab/answer.h"
#include "softlab/label.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

/* The names that a file's rows and columns are matched with. */
struct sl_known_names {
    const struct sl_name_table *items, *annotators; /* borrowed */
    char *const *classes;                           /* borrowed; n_classes */
    size_t n_classes;
    const char *owner; /* borrowed; a file or "the answers" */
    bool numbered;     /* `classes` are column numbers because the columns have no names */
};
struct sl_known_names sl_known_names_of(const struct sl_answers *answers);

/* sl_rows_read, or a copy of the rows that the caller lends under this name
 * (softlab/pipeline/exchange.h). */
enum sl_status sl_rows_get(const struct sl_workplace *workplace, const char *path,
                           const char *array, struct sl_rows **out,
                           struct sl_error *err) SL_MUST_USE;
/* Read the rows of a file. With `like`: one row per item of `like`, columns in the order of its
 * classes. */
enum sl_status sl_rows_read_like(const struct sl_workplace *workplace, const char *path,
                                 const char *array, const struct sl_known_names *like,
                                 struct sl_rows **out, struct sl_error *err) SL_MUST_USE;
/* A file's distributions in the order of the known items, zeros for an item without a row;
 * *n_missing counts these items. The caller frees *out, (items, classes). */
enum sl_status sl_rows_read_of_items(const struct sl_workplace *workplace, const char *path,
                                     const char *array, const struct sl_known_names *names,
                                     float **out, size_t *n_missing,
                                     struct sl_error *err) SL_MUST_USE;
/* The same for a classifier's probabilities: SL_ERR_INPUT if an item has no row. */
enum sl_status sl_predictions_read_of_items(const struct sl_workplace *workplace, const char *path,
                                            const struct sl_known_names *names, float **out,
                                            struct sl_error *err) SL_MUST_USE;
/* sl_rows_write by the threads of a pool, which matters for CSV; the bytes are the same. */
enum sl_status sl_rows_write_by(struct sl_pool *pool, const struct sl_rows *rows, const char *array,
                                const char *path, struct sl_error *err) SL_MUST_USE;
/* A row's item: its name, borrowed, or the row number written into `out` if rows have no names. */
const char *sl_rows_item(const struct sl_rows *rows, size_t row, char *out, size_t size);

/* Read predictions and find out their kind. From an .npz: the array logits, or else probs, or else
 * labels (how ensembles are written). In other files the values tell. */
enum sl_status sl_predictions_read(const struct sl_workplace *workplace, const char *path,
                                   struct sl_rows **out, enum sl_prediction_kind *kind,
                                   struct sl_error *err) SL_MUST_USE;
const char *sl_prediction_kind_name(enum sl_prediction_kind kind); /* "logits", "probabilities" */
/* The mean of several classifiers' predictions (logits or probabilities), one file each; classes
 * are matched by name. */
enum sl_status sl_ensemble_read(const struct sl_workplace *workplace, char *const *paths,
                                size_t count, double temperature, struct sl_rows **out,
                                struct sl_error *err) SL_MUST_USE;

enum sl_status sl_npz_file_has(const char *path, const char *array, bool *out,
                               struct sl_error *err) SL_MUST_USE;
/* The array "classes" of an .npz, NULL-ended, for sl_names_destroy; *out stays NULL if the file has
 * no such array. */
enum sl_status sl_npz_class_names(const char *path, char ***out, size_t *count,
                                  struct sl_error *err) SL_MUST_USE;
/* Cosine similarities of the classes' word vectors, (n_classes, n_classes); the caller frees
 * them. */
enum sl_status sl_similarity_read(const char *path, const char *const *classes, size_t n_classes,
                                  float **out, struct sl_error *err) SL_MUST_USE;

/* Items in a file that are not known. */
struct sl_strangers {
    size_t count;
    char first[64];
};
/* Read the true class of each known item, SL_NO_LABEL if the file has none. The file is a label
 * file (its most probable class), a CSV with columns such as item and truth, a text file with a
 * class per line, or a data set. `strangers` may be NULL. The caller frees *out. */
enum sl_status sl_truth_read(const struct sl_workplace *workplace, const char *path,
                             const struct sl_known_names *names, struct sl_strangers *strangers,
                             int32_t **out, struct sl_error *err) SL_MUST_USE;
/* The same; logs how many items have a true class if some have none. */
enum sl_status sl_truth_read_and_tell(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_known_names *names, int32_t **out,
                                      struct sl_error *err) SL_MUST_USE;
/* How the `n_rows` lines or rows of a file without item names (`what`: "line" or "row") map to
 * items. SL_ERR_INPUT with both counts if that is ambiguous. */
enum sl_status sl_match_rows(const char *path, const char *what, size_t n_rows,
                             const struct sl_name_table *items, enum sl_row_matching *out,
                             struct sl_error *err) SL_MUST_USE;
/* The item of a row without a name, or SL_NO_NAME. */
uint32_t sl_row_place(const struct sl_name_table *items, enum sl_row_matching matching, size_t row);

/* The non-empty lines of a text file, without a byte order mark and blanks at their ends,
 * NULL-ended, for sl_names_destroy. */
enum sl_status sl_lines_read(const char *path, char ***out, struct sl_error *err) SL_MUST_USE;
/* Add the items that a file lists: one per line, or the column item of a .csv or .csv.gz. */
enum sl_status sl_names_add_listed(const char *path, struct sl_name_table *names,
                                   struct sl_error *err) SL_MUST_USE;
/* The items that such a file lists; *out stays NULL if `path` is NULL. Logs how many
 * of them have no answers; SL_ERR_INPUT if none has any. */
enum sl_status sl_listed_items_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_answers *answers, struct sl_name_table **out,
                                    struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
