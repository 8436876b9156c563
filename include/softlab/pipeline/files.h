/* Files of labels, predictions, true classes and item names, read beside answers or items whose
 * names and classes are known. Errors name the file. */
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
    bool numbered;     /* `classes` are the numbers of columns that have no names */
};
struct sl_known_names sl_known_names_of(const struct sl_answers *answers);

/* Rows of a file; where `like` is not NULL one per item, with the columns in its order. */
enum sl_status sl_rows_read_like(const struct sl_workplace *workplace, const char *path,
                                 const char *array, const struct sl_known_names *like,
                                 struct sl_rows **out, struct sl_error *err) SL_MUST_USE;
/* What a row is about: its item's name, borrowed, or in a set without names its number, written
 * into `out`. */
const char *sl_rows_item(const struct sl_rows *rows, size_t row, char *out, size_t size);

/* Predictions, and what they are: in an .npz the array logits, or else probs, or else labels (an
 * ensemble is written as labels); other files tell by their rows. */
enum sl_status sl_predictions_read(const char *path, struct sl_rows **out,
                                   enum sl_prediction_kind *kind, struct sl_error *err) SL_MUST_USE;
const char *sl_prediction_kind_name(enum sl_prediction_kind kind); /* "logits", "probabilities" */
/* The mean of classifiers' predictions, one file each, logits or probabilities; classes are matched
 * by name. */
enum sl_status sl_ensemble_read(const struct sl_workplace *workplace, char *const *paths,
                                size_t count, double temperature, struct sl_rows **out,
                                struct sl_error *err) SL_MUST_USE;

enum sl_status sl_npz_file_has(const char *path, const char *array, bool *out,
                               struct sl_error *err) SL_MUST_USE;
/* The array classes of an .npz, NULL-ended, for sl_names_destroy; *out stays NULL if there is
 * none. */
enum sl_status sl_npz_class_names(const char *path, char ***out, size_t *count,
                                  struct sl_error *err) SL_MUST_USE;
/* Cosines of the classes' word vectors, (n_classes, n_classes); the caller frees them. */
enum sl_status sl_similarity_read(const char *path, const char *const *classes, size_t n_classes,
                                  float **out, struct sl_error *err) SL_MUST_USE;

/* Items of a file that are not among the known names. */
struct sl_strangers {
    size_t count;
    char first[64];
};
/* A class per item, SL_NO_LABEL where the file says nothing: from a label file (the largest), a CSV
 * with columns like item and truth, a text file with a class per line, or a data set. `strangers`
 * may be NULL. The caller frees it. */
enum sl_status sl_truth_read(const struct sl_workplace *workplace, const char *path,
                             const struct sl_known_names *names, struct sl_strangers *strangers,
                             int32_t **out, struct sl_error *err) SL_MUST_USE;
/* The same, with a line in the log where the file lacks some of the items. */
enum sl_status sl_truth_read_and_tell(const struct sl_workplace *workplace, const char *path,
                                      const struct sl_known_names *names, int32_t **out,
                                      struct sl_error *err) SL_MUST_USE;
/* How a file's `n_rows` lines or rows without names (`what`: "line") belong to the items; an error
 * with both counts where that is unclear. */
enum sl_status sl_match_rows(const char *path, const char *what, size_t n_rows,
                             const struct sl_name_table *items, enum sl_row_matching *out,
                             struct sl_error *err) SL_MUST_USE;
/* The item of a row without a name, SL_NO_NAME if it has none. */
uint32_t sl_row_place(const struct sl_name_table *items, enum sl_row_matching matching, size_t row);

/* The lines of a text file, without empty ones; NULL-ended, for sl_names_destroy. */
enum sl_status sl_lines_read(const char *path, char ***out, struct sl_error *err) SL_MUST_USE;
/* The items that a text file lists, one per line; *out stays NULL where `path` is. Logs how many of
 * them have no answer, and fails where none has one. */
enum sl_status sl_listed_items_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_answers *answers, struct sl_name_table **out,
                                    struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
