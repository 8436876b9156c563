/* Reads rows of labels and predictions, and their names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/wordvectors.h"
#include "softlab/pipeline/exchange.h"
#include "softlab/pipeline/files.h"

struct sl_known_names sl_known_names_of(const struct sl_answers *answers)
{
    return (struct sl_known_names){answers->items,     answers->annotators, answers->classes,
                                   answers->n_classes, "the answers",       false};
}

const char *sl_rows_item(const struct sl_rows *rows, size_t row, char *out, size_t size)
{
    if (rows->items) return rows->items[row];
    snprintf(out, size, "%zu", row);
    return out;
}

static enum sl_status match_labels(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_known_names *like, struct sl_rows *rows,
                                   struct sl_error *err)
{
    const struct sl_class_list own = {path, rows->classes, rows->n_classes};
    const struct sl_class_list names = {like->owner, like->classes, like->n_classes};
    const struct sl_class_list columns = {like->owner, NULL, like->n_classes};
    sl_say_unnamed(workplace, &own, like->numbered ? &columns : &names);
    return sl_rows_reorder(rows, path, &names, err);
}

enum sl_status sl_rows_get(const struct sl_workplace *workplace, const char *path,
                           const char *array, struct sl_rows **out, struct sl_error *err)
{
    const struct sl_rows *lent = sl_lent_rows(workplace->exchange, path);
    return lent ? sl_rows_copy(lent, out, err) : sl_rows_read(path, array, out, err);
}

enum sl_status sl_rows_read_like(const struct sl_workplace *workplace, const char *path,
                                 const char *array, const struct sl_known_names *like,
                                 struct sl_rows **out, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_get(workplace, path, array, &rows, err));
    enum sl_status status = SL_OK;
    if (like && rows->annotators)
        status = sl_fail(err, SL_ERR_INPUT,
                         "%s: has a row per annotator; give a file with one row per item", path);
    else if (like)
        status = match_labels(workplace, path, like, rows, err);
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

enum sl_status sl_rows_read_of_items(const struct sl_workplace *workplace, const char *path,
                                     const char *array, const struct sl_known_names *names,
                                     float **out, size_t *n_missing, struct sl_error *err)
{
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read_like(workplace, path, array, names, &rows, err));
    size_t n_items = sl_name_table_count(names->items), n_classes = names->n_classes, n_found = 0;
    enum sl_row_matching matching = SL_ROWS_BY_NUMBER;
    enum sl_status status = sl_rows_check_distributions(rows, path, err);
    float *values = sl_data_alloc(n_items, n_classes * sizeof *values, err);
    if (!values) status = SL_ERR_NOMEM;
    if (status == SL_OK && !rows->items)
        status = sl_match_rows(path, "row", rows->n_rows, names->items, &matching, err);
    if (values) memset(values, 0, n_items * n_classes * sizeof *values);
    for (size_t row = 0; status == SL_OK && row < rows->n_rows; row++) {
        const char *item = rows->items ? rows->items[row] : NULL;
        uint32_t index = item ? sl_name_table_find(names->items, item, strlen(item))
                              : sl_row_place(names->items, matching, row);
        if (index == SL_NO_NAME) continue;
        memcpy(values + index * n_classes, rows->values + row * n_classes,
               n_classes * sizeof *values);
        n_found++;
    }
    sl_rows_destroy(rows);
    *n_missing = n_items - n_found;
    if (status == SL_OK)
        *out = values;
    else
        free(values);
    return status;
}

enum sl_status sl_predictions_read_of_items(const struct sl_workplace *workplace, const char *path,
                                            const struct sl_known_names *names, float **out,
                                            struct sl_error *err)
{
    size_t n_missing = 0;
    float *values = NULL;
    SL_TRY(sl_rows_read_of_items(workplace, path, "probs", names, &values, &n_missing, err));
    if (n_missing) {
        free(values);
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: has no row for %zu of the answers' items; give predictions for all",
                       path, n_missing);
    }
    *out = values;
    return SL_OK;
}

/* Rows between 0 and 1 that do not sum to 1 are more likely a mistake than logits. */
static bool are_shares(const struct sl_rows *rows)
{
    for (size_t i = 0; i < rows->n_rows * rows->n_classes; i++)
        if (!(rows->values[i] >= 0 && rows->values[i] <= 1)) return false;
    return true;
}

/* Rows that all sum to 100 are more likely percentages than logits. */
static bool are_percentages(const struct sl_rows *rows)
{
    for (size_t r = 0; r < rows->n_rows; r++) {
        double sum = 0;
        for (size_t k = 0; k < rows->n_classes; k++) {
            const float value = rows->values[r * rows->n_classes + k];
            if (!(value >= 0)) return false;
            sum += (double)value;
        }
        if (!(fabs(sum - 100) < 0.5)) return false;
    }
    return rows->n_rows > 0;
}

static enum sl_status tell_kind(const struct sl_rows *rows, const char *path,
                                enum sl_prediction_kind *kind, struct sl_error *err)
{
    enum sl_status status = sl_rows_check_distributions(rows, path, err);
    if (status != SL_OK && (are_shares(rows) || are_percentages(rows))) return status;
    *kind = status == SL_OK ? SL_PREDICTION_PROBABILITIES : SL_PREDICTION_LOGITS;
    return SL_OK;
}

enum sl_status sl_npz_file_has(const char *path, const char *array, bool *out, struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    SL_TRY(sl_npz_open(path, &npz, err));
    *out = sl_npz_has(npz, array);
    sl_npz_close(npz);
    return SL_OK;
}

enum sl_status sl_npz_class_names(const char *path, char ***out, size_t *count,
                                  struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_array array = {0};
    char **names = NULL;
    enum sl_status status = SL_OK;
    if (!sl_path_has_suffix(path, ".npz")) return SL_OK;
    SL_TRY(sl_npz_open(path, &npz, err));
    if (!sl_npz_has(npz, "classes")) goto out;
    SL_TRY_OUT(sl_npz_read(npz, "classes", &array, err));
    if (array.dtype != SL_TEXT || array.n_dimensions != 1)
        SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT, "%s: classes: expected names", path));
    names = sl_alloc(array.shape[0] + 1, sizeof *names);
    for (size_t k = 0; k < array.shape[0]; k++)
        SL_TRY_OUT(sl_array_string(&array, k, &names[k], err));
    *count = array.shape[0];
    *out = names;
    names = NULL;
out:
    sl_names_destroy(names);
    sl_array_release(&array);
    sl_npz_close(npz);
    return status;
}

const char *sl_prediction_kind_name(enum sl_prediction_kind kind)
{
    return kind == SL_PREDICTION_LOGITS ? "logits" : "probabilities";
}

enum sl_status sl_predictions_read(const struct sl_workplace *workplace, const char *path,
                                   struct sl_rows **out, enum sl_prediction_kind *kind,
                                   struct sl_error *err)
{
    const bool named = sl_path_has_suffix(path, ".npz");
    bool logits = false, labels = false, probs = false;
    struct sl_rows *rows = NULL;
    if (named) {
        SL_TRY(sl_npz_file_has(path, "logits", &logits, err));
        SL_TRY(sl_npz_file_has(path, "probs", &probs, err));
        SL_TRY(sl_npz_file_has(path, "labels", &labels, err));
    }
    const char *array = logits ? "logits" : labels && !probs ? "labels" : "probs";
    SL_TRY(sl_rows_get(workplace, path, array, &rows, err));
    enum sl_status status = SL_OK;
    if (logits) {
        *kind = SL_PREDICTION_LOGITS;
    } else if (named) {
        *kind = SL_PREDICTION_PROBABILITIES;
        status = sl_rows_check_distributions(rows, path, err);
    } else {
        status = tell_kind(rows, path, kind, err);
    }
    if (status == SL_OK)
        *out = rows;
    else
        sl_rows_destroy(rows);
    return status;
}

enum sl_status sl_similarity_read(const char *path, const char *const *classes, size_t n_classes,
                                  float **out, struct sl_error *err)
{
    struct sl_word_vectors vectors;
    SL_TRY(sl_word_vectors_read(path, classes, n_classes, &vectors, err));
    float *cosines = sl_data_alloc(n_classes, n_classes * sizeof *cosines, err);
    enum sl_status status =
        cosines ? sl_similarity_cosines(vectors.values, n_classes, vectors.dimensions, cosines, err)
                : SL_ERR_NOMEM;
    sl_word_vectors_release(&vectors);
    if (status == SL_OK)
        *out = cosines;
    else
        free(cosines);
    return status;
}

/* Reorder columns to the first file that names its classes. */
static enum sl_status align_classes(const struct sl_workplace *workplace, char *const *paths,
                                    struct sl_rows *const *sets, size_t count, struct sl_error *err)
{
    size_t first = 0;
    while (first + 1 < count && !sets[first]->classes)
        first++;
    if (!sets[first]->classes) first = 0;
    const struct sl_class_list like = {paths[first], sets[first]->classes, sets[first]->n_classes};
    for (size_t i = 0; i < count; i++) {
        const struct sl_class_list own = {paths[i], sets[i]->classes, sets[i]->n_classes};
        if (i == first) continue;
        sl_say_unnamed(workplace, &own, &like);
        SL_TRY(sl_rows_reorder(sets[i], paths[i], &like, err));
    }
    return SL_OK;
}

enum sl_status sl_ensemble_read(const struct sl_workplace *workplace, char *const *paths,
                                size_t count, double temperature, struct sl_rows **out,
                                struct sl_error *err)
{
    size_t n_read = 0;
    struct sl_rows **sets = sl_alloc(count, sizeof *sets);
    enum sl_prediction_kind kind = SL_PREDICTION_LOGITS, other = SL_PREDICTION_LOGITS;
    enum sl_status status = SL_OK;
    for (; n_read < count; n_read++) {
        SL_TRY_OUT(sl_predictions_read(workplace, paths[n_read], &sets[n_read], &other, err));
        if (n_read == 0) kind = other;
        if (other != kind) {
            n_read++;
            status = sl_fail(err, SL_ERR_INPUT, "%s has %s, %s has %s", paths[0],
                             sl_prediction_kind_name(kind), paths[n_read - 1],
                             sl_prediction_kind_name(other));
            goto out;
        }
    }
    SL_TRY_OUT(align_classes(workplace, paths, sets, count, err));
    SL_TRY_OUT(
        sl_rows_ensemble((const struct sl_rows *const *)sets, count, kind, temperature, out, err));
out:
    for (size_t i = 0; i < n_read; i++)
        sl_rows_destroy(sets[i]);
    free(sets);
    return status;
}
