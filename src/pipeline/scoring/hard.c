/* Reads the hard labels of `softlab eval`: a vector of classes, a file about items, or a data
 * set. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/scoring/evaluate.h"
#include "softlab/base/array.h"
#include "softlab/base/classes.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Check the shape before reading: a matrix of distributions is not wanted and may be large. */
static enum sl_status read_array(const char *path, struct sl_array *out, bool *found,
                                 struct sl_error *err)
{
    *found = true;
    if (sl_path_has_suffix(path, ".npy")) return sl_npy_read(path, out, err);
    *found = false;
    if (!sl_path_has_suffix(path, ".npz")) return SL_OK;
    struct sl_npz *npz = NULL;
    SL_TRY(sl_npz_open(path, &npz, err));
    enum sl_status status = SL_OK;
    if (sl_npz_has(npz, "labels")) status = sl_npz_peek(npz, "labels", out, err);
    *found = status == SL_OK && out->n_dimensions == 1 && out->dtype != SL_TEXT;
    if (*found) status = sl_npz_read(npz, "labels", out, err);
    sl_npz_close(npz);
    return status;
}

/* Change the class numbers from the file's order to that of `like`. */
static enum sl_status renumber(const struct sl_workplace *workplace, const char *path,
                               const struct sl_class_list *like, int32_t *classes, size_t count,
                               struct sl_error *err)
{
    struct sl_class_list own = {.owner = path};
    char **names = NULL;
    SL_TRY(sl_npz_class_names(path, &names, &own.count, err));
    own.names = names;
    sl_say_unnamed(workplace, &own, like);
    if (!names || !like->names) {
        sl_names_destroy(names);
        return SL_OK;
    }
    size_t *columns = sl_alloc(own.count + 1, sizeof *columns);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_classes_match(&own, like, columns, NULL, err));
    for (size_t i = 0; i < count; i++) {
        if (classes[i] < 0 || (size_t)classes[i] >= own.count)
            SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                               "%s: the class of row %zu is %d, expected 0 to %zu", path, i,
                               classes[i], own.count - 1));
        classes[i] = (int32_t)columns[classes[i]];
    }
out:
    free(columns);
    sl_names_destroy(names);
    return status;
}

enum sl_status sl_eval_read_vector(const struct sl_workplace *workplace, const char *path,
                                   const struct sl_class_list *like, int32_t **out, size_t *count,
                                   struct sl_error *err)
{
    struct sl_array array = {0}, classes = {0};
    bool found;
    enum sl_status status = SL_OK;
    *out = NULL;
    SL_TRY_OUT(read_array(path, &array, &found, err));
    if (!found || array.n_dimensions != 1 || array.dtype == SL_TEXT) goto out;
    SL_TRY_OUT(sl_array_convert(&array, SL_I4, path, &classes, err));
    SL_TRY_OUT(renumber(workplace, path, like, classes.data, classes.shape[0], err));
    *out = classes.data;
    *count = classes.shape[0];
    classes.data = NULL;
out:
    sl_array_release(&array);
    sl_array_release(&classes);
    return status;
}

enum sl_status sl_eval_name_items(const struct sl_rows *labels, struct sl_name_table **out,
                                  struct sl_error *err)
{
    struct sl_name_table *items = sl_name_table_create();
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < labels->n_rows && status == SL_OK; i++) {
        char number[32];
        const char *name = sl_rows_item(labels, i, number, sizeof number);
        uint32_t place;
        status = sl_name_table_add(items, name, strlen(name), &place, err);
        if (status == SL_OK && place != i)
            status = sl_fail(err, SL_ERR_INPUT,
                             "rows %u and %zu of the labels are both of item %s; keep one of them",
                             (unsigned)place, i, name);
    }
    if (status == SL_OK)
        *out = items;
    else
        sl_name_table_destroy(items);
    return status;
}

char **sl_eval_name_classes(char *const *classes, size_t n_classes)
{
    char **names = sl_alloc(n_classes + 1, sizeof *names);
    for (size_t k = 0; k < n_classes; k++)
        names[k] = classes ? sl_string_copy(classes[k]) : sl_string_printf("%zu", k);
    return names;
}

static enum sl_status read_file(const struct sl_workplace *workplace, const char *path,
                                const struct sl_rows *labels, const char *owner, int32_t **out,
                                struct sl_strangers *strangers, struct sl_error *err)
{
    size_t count = 0;
    int32_t *classes = NULL;
    const struct sl_class_list columns = {owner, labels->classes, labels->n_classes};
    SL_TRY(sl_eval_read_vector(workplace, path, &columns, &classes, &count, err));
    if (classes && count != labels->n_rows) {
        free(classes);
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu class%s for %zu label%s", path, count,
                       sl_text_plural(count, "", "es"), labels->n_rows,
                       sl_text_plural(labels->n_rows, "", "s"));
    }
    *out = classes;
    if (classes) return SL_OK;
    struct sl_name_table *items = NULL;
    SL_TRY(sl_eval_name_items(labels, &items, err));
    char **names = sl_eval_name_classes(labels->classes, labels->n_classes);
    const struct sl_known_names like = {items,           NULL, names, labels->n_classes, owner,
                                        !labels->classes};
    enum sl_status status = sl_truth_read(workplace, path, &like, strangers, out, err);
    sl_names_destroy(names);
    sl_name_table_destroy(items);
    return status;
}

/* The column in the labels of each class of the data set. */
static enum sl_status match_classes(const struct sl_workplace *workplace,
                                    const struct sl_dataset *set, const struct sl_class_list *like,
                                    size_t *columns, struct sl_error *err)
{
    const struct sl_class_list own = {set->name, set->classes, set->n_classes};
    if (like->names) return sl_classes_match(&own, like, columns, NULL, err);
    sl_say_unnamed(workplace, like, &own);
    return sl_classes_pair(&own, like, columns, err);
}

static enum sl_status take_dataset(const struct sl_workplace *workplace,
                                   const struct sl_dataset *set, const struct sl_rows *labels,
                                   const char *owner, int32_t *out, struct sl_error *err)
{
    const struct sl_class_list like = {owner, labels->classes, labels->n_classes};
    size_t *columns = sl_alloc(set->n_classes + 1, sizeof *columns);
    struct sl_name_table *items = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(match_classes(workplace, set, &like, columns, err));
    SL_TRY_OUT(sl_eval_name_items(labels, &items, err));
    for (size_t i = 0; i < labels->n_rows; i++)
        out[i] = SL_NO_LABEL;
    for (size_t i = 0; i < set->count; i++) {
        uint32_t row = sl_name_table_find(items, set->items[i], strlen(set->items[i]));
        if (row != SL_NO_NAME && set->labels[i] != SL_NO_LABEL)
            out[row] = (int32_t)columns[set->labels[i]];
    }
out:
    sl_name_table_destroy(items);
    free(columns);
    return status;
}

enum sl_status sl_eval_read_hard(const struct sl_workplace *workplace, const char *name,
                                 const struct sl_rows *labels, const char *owner,
                                 struct sl_strangers *strangers, int32_t **out,
                                 struct sl_error *err)
{
    if (sl_file_exists(name)) return read_file(workplace, name, labels, owner, out, strangers, err);
    struct sl_dataset *set = NULL;
    SL_TRY(sl_dataset_open(name, &workplace->roots, &set, err));
    int32_t *classes = NULL;
    enum sl_status status = sl_dataset_check_part(set, err);
    if (status == SL_OK) sl_dataset_tell(set, workplace->log);
    if (status == SL_OK) classes = sl_data_alloc(labels->n_rows, sizeof *classes, err);
    if (status == SL_OK)
        status = classes ? take_dataset(workplace, set, labels, owner, classes, err) : SL_ERR_NOMEM;
    sl_dataset_destroy(set);
    if (status == SL_OK)
        *out = classes;
    else
        free(classes);
    return status;
}
