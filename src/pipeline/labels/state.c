/* The state of an aggregator, as an .npz that numpy can open and --resume reads. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/labels/labels.h"
#include "softlab/base/array.h"
#include "softlab/base/classes.h"
#include "softlab/base/csv.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"

static enum sl_status add_array(struct sl_npz_writer *writer, const char *name, const void *data,
                                const struct sl_array *like, struct sl_error *err)
{
    if (!data) return SL_OK;
    struct sl_array array = *like;
    array.item_size = sl_dtype_size(array.dtype);
    memcpy(&array.data, &data, sizeof data); /* only read */
    return sl_npz_writer_add(writer, name, &array, err);
}

static enum sl_status add_names(struct sl_npz_writer *writer, const char *name,
                                const struct sl_name_table *table, struct sl_error *err)
{
    size_t count = sl_name_table_count(table);
    if (count == 0) return SL_OK;
    const char **list = sl_alloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = sl_name_table_get(table, (uint32_t)i, NULL);
    struct sl_array array = {0};
    enum sl_status status = sl_array_from_strings(list, count, &array, err);
    free(list);
    if (status == SL_OK) status = sl_npz_writer_add(writer, name, &array, err);
    sl_array_release(&array);
    return status;
}

static enum sl_status add_classes(struct sl_npz_writer *writer, const struct sl_known_names *names,
                                  struct sl_error *err)
{
    struct sl_array array = {0};
    SL_TRY(
        sl_array_from_strings((const char *const *)names->classes, names->n_classes, &array, err));
    enum sl_status status = sl_npz_writer_add(writer, "classes", &array, err);
    sl_array_release(&array);
    return status;
}

static double *entropies(const struct sl_crowd_state *state, struct sl_error *err)
{
    double *values = sl_data_alloc(state->n_items, sizeof *values, err);
    for (size_t i = 0; values && i < state->n_items; i++)
        values[i] = sl_entropy_of_row(state->posterior + i * state->n_classes, state->n_classes);
    return values;
}

static enum sl_status add_all(struct sl_npz_writer *writer, const struct sl_crowd_state *state,
                              const struct sl_known_names *names, struct sl_error *err)
{
    const size_t items = state->n_items, people = state->n_annotators, k = state->n_classes;
    double *entropy = entropies(state, err);
    if (!entropy) return SL_ERR_NOMEM;
    const struct {
        const char *name;
        const void *data;
        struct sl_array like;
    } arrays[] = {
        {"posterior", state->posterior, {.dtype = SL_F4, .n_dimensions = 2, .shape = {items, k}}},
        {"entropy", entropy, {.dtype = SL_F8, .n_dimensions = 1, .shape = {items}}},
        {"class_prior", state->class_prior, {.dtype = SL_F8, .n_dimensions = 1, .shape = {k}}},
        {"confusion",
         state->confusion,
         {.dtype = SL_F4, .n_dimensions = 3, .shape = {people, k, k}}},
        {"skill", state->skill, {.dtype = SL_F8, .n_dimensions = 1, .shape = {people}}},
        {"weight", state->weight, {.dtype = SL_F8, .n_dimensions = 1, .shape = {people}}},
        {"ability", state->ability, {.dtype = SL_F8, .n_dimensions = 1, .shape = {people}}},
        {"easiness", state->easiness, {.dtype = SL_F8, .n_dimensions = 1, .shape = {items}}},
        {"strategy", state->strategy, {.dtype = SL_F8, .n_dimensions = 2, .shape = {people, k}}},
        {"trace",
         state->trace,
         {.dtype = SL_F8, .n_dimensions = 1, .shape = {state->n_iterations}}},
    };
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        SL_TRY_OUT(add_array(writer, arrays[i].name, arrays[i].data, &arrays[i].like, err));
    SL_TRY_OUT(add_names(writer, "item", names->items, err));
    SL_TRY_OUT(add_names(writer, "annotator", names->annotators, err));
    SL_TRY_OUT(add_classes(writer, names, err));
out:
    free(entropy);
    return status;
}

enum sl_status sl_labels_state_write(const struct sl_crowd_state *state,
                                     const struct sl_known_names *names, const char *path,
                                     struct sl_error *err)
{
    struct sl_npz_writer *writer = NULL;
    SL_TRY(sl_npz_writer_create(path, SL_NPZ_STORED, &writer, err));
    enum sl_status status = add_all(writer, state, names, err);
    if (status == SL_OK) status = sl_npz_writer_commit(writer, err);
    sl_npz_writer_destroy(writer);
    return status;
}

/* The names in a state must be the first names of the answers. */
static enum sl_status check_names(struct sl_npz *npz, const char *array_name,
                                  const struct sl_name_table *table, const char *path,
                                  struct sl_error *err)
{
    struct sl_array array = {0};
    if (!sl_npz_has(npz, array_name)) return SL_OK;
    SL_TRY(sl_npz_peek(npz, array_name, &array, err));
    size_t count = sl_array_count(&array);
    if (count > sl_name_table_count(table))
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: has %zu %s%s, the answers only %zu; --resume needs the same answers, "
                       "with new ones only at the end",
                       path, count, array_name, sl_text_plural(count, "", "s"),
                       sl_name_table_count(table));
    SL_TRY(sl_npz_read(npz, array_name, &array, err));
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < count && status == SL_OK; i++) {
        char *name = NULL;
        status = sl_array_string(&array, i, &name, err);
        if (status == SL_OK && sl_name_table_find(table, name, strlen(name)) != i)
            status =
                sl_fail(err, SL_ERR_INPUT,
                        "%s: its %s %zu is \"%s\", the answers have another; --resume needs the "
                        "same answers, with new ones only at the end",
                        path, array_name, i, name);
        free(name);
    }
    sl_array_release(&array);
    return status;
}

/* The index in the answers of each class of a state. Both must have the same classes; a state
 * without class names has them in the answers' order. The caller frees *out. */
static enum sl_status match_classes(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, size_t **out,
                                    struct sl_error *err)
{
    struct sl_class_list own = {.owner = path};
    const struct sl_class_list like = {"the answers", names->classes, names->n_classes};
    char **own_names = NULL;
    SL_TRY(sl_npz_class_names(path, &own_names, &own.count, err));
    own.names = own_names;
    sl_say_unnamed(workplace, &own, &like);
    const size_t most = own.count > like.count ? own.count : like.count;
    size_t *places = sl_alloc(most + 1, sizeof *places);
    enum sl_status status = SL_OK;
    for (size_t k = 0; k < like.count; k++)
        places[k] = k;
    if (own_names) {
        for (size_t k = 0; k < like.count; k++)
            if (sl_class_find(own_names, own.count, like.names[k], strlen(like.names[k])) ==
                SIZE_MAX)
                SL_TRY_OUT(sl_fail(err, SL_ERR_INPUT,
                                   "%s: has no class \"%.60s\", which the answers have; give a "
                                   "state of the same classes",
                                   path, like.names[k]));
        SL_TRY_OUT(sl_classes_match(&own, &like, places, NULL, err));
    }
    *out = places;
    places = NULL;
out:
    free(places);
    sl_names_destroy(own_names);
    return status;
}

/* Move an array's data out of the file, if it is there with the expected type and dimensions. */
static enum sl_status take(struct sl_npz *npz, const char *name, enum sl_dtype dtype,
                           const struct sl_array *like, void **out, struct sl_error *err)
{
    struct sl_array array = {0}, converted = {0};
    if (!sl_npz_has(npz, name)) return SL_OK;
    SL_TRY(sl_npz_peek(npz, name, &array, err));
    SL_TRY(sl_array_expect(&array, name, like->n_dimensions, like->shape, err));
    enum sl_status status = sl_npz_read(npz, name, &array, err);
    if (status == SL_OK) status = sl_array_check_finite(&array, name, err);
    if (status == SL_OK) status = sl_array_convert(&array, dtype, name, &converted, err);
    if (status == SL_OK) *out = converted.data;
    sl_array_release(&array);
    return status;
}

static enum sl_status read_arrays(struct sl_npz *npz, struct sl_crowd_state *state,
                                  struct sl_error *err)
{
    const size_t k = state->n_classes;
    struct sl_array posterior = {0};
    SL_TRY(sl_npz_peek(npz, "posterior", &posterior, err));
    SL_TRY(sl_array_expect(&posterior, "posterior", 2, (const size_t[]){0, k}, err));
    state->n_items = posterior.shape[0];
    void *values[4] = {NULL};
    const struct sl_array rows = {.n_dimensions = 2, .shape = {state->n_items, k}};
    const struct sl_array prior = {.n_dimensions = 1, .shape = {k}};
    const struct sl_array confusion = {.n_dimensions = 3, .shape = {state->n_annotators, k, k}};
    const struct sl_array skill = {.n_dimensions = 1, .shape = {state->n_annotators}};
    enum sl_status status = take(npz, "posterior", SL_F4, &rows, &values[0], err);
    if (status == SL_OK) status = take(npz, "class_prior", SL_F8, &prior, &values[1], err);
    if (status == SL_OK) status = take(npz, "confusion", SL_F4, &confusion, &values[2], err);
    if (status == SL_OK) status = take(npz, "skill", SL_F8, &skill, &values[3], err);
    state->posterior = values[0];
    state->class_prior = values[1];
    state->confusion = values[2];
    state->skill = values[3];
    return status;
}

/* Copy each matrix to the index of its annotator, with rows and columns in the answers' order of
 * classes. */
static enum sl_status place_matrices(const struct sl_array *confusion,
                                     const struct sl_array *annotators,
                                     const struct sl_known_names *names, const size_t *places,
                                     double weight, double *out, struct sl_error *err)
{
    const size_t k = names->n_classes, cells = k * k;
    const float *values = confusion->data;
    for (size_t a = 0; a < confusion->shape[0]; a++) {
        char *name = NULL;
        SL_TRY(sl_array_string(annotators, a, &name, err));
        uint32_t index = sl_name_table_find(names->annotators, name, strlen(name));
        free(name);
        for (size_t c = 0; index != SL_NO_NAME && c < cells; c++)
            out[index * cells + places[c / k] * k + places[c % k]] =
                weight * (double)values[a * cells + c];
    }
    return SL_OK;
}

enum sl_status sl_labels_prior_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, double weight, double **out,
                                    struct sl_error *err)
{
    const size_t k = names->n_classes, n_annotators = sl_name_table_count(names->annotators);
    struct sl_npz *npz = NULL;
    SL_TRY(sl_npz_open(path, &npz, err));
    struct sl_array read = {0}, confusion = {0}, annotators = {0};
    double *counts = sl_alloc(n_annotators, k * k * sizeof *counts);
    size_t *places = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_npz_peek(npz, "annotator", &annotators, err));
    SL_TRY_OUT(sl_npz_peek(npz, "confusion", &read, err));
    SL_TRY_OUT(match_classes(workplace, path, names, &places, err));
    const size_t shape[] = {sl_array_count(&annotators), k, k};
    SL_TRY_OUT(sl_array_expect(&read, path, 3, shape, err));
    SL_TRY_OUT(sl_npz_read(npz, "annotator", &annotators, err));
    SL_TRY_OUT(sl_npz_read(npz, "confusion", &read, err));
    SL_TRY_OUT(sl_array_check_finite(&read, path, err));
    SL_TRY_OUT(sl_array_convert(&read, SL_F4, path, &confusion, err));
    SL_TRY_OUT(place_matrices(&confusion, &annotators, names, places, weight, counts, err));
    *out = counts;
    counts = NULL;
out:
    free(counts);
    free(places);
    sl_array_release(&read);
    sl_array_release(&confusion);
    sl_array_release(&annotators);
    sl_npz_close(npz);
    return status;
}

/* Reorder the state's classes to the answers' order. */
static void place_classes(struct sl_crowd_state *state, const size_t *places)
{
    const size_t k = state->n_classes, cells = k * k;
    float *row = sl_alloc(cells, sizeof *row);
    double *prior = sl_alloc(k, sizeof *prior);
    for (size_t i = 0; state->posterior && i < state->n_items; i++) {
        for (size_t c = 0; c < k; c++)
            row[places[c]] = state->posterior[i * k + c];
        memcpy(state->posterior + i * k, row, k * sizeof *row);
    }
    for (size_t a = 0; state->confusion && a < state->n_annotators; a++) {
        for (size_t c = 0; c < cells; c++)
            row[places[c / k] * k + places[c % k]] = state->confusion[a * cells + c];
        memcpy(state->confusion + a * cells, row, cells * sizeof *row);
    }
    for (size_t c = 0; state->class_prior && c < k; c++)
        prior[places[c]] = state->class_prior[c];
    if (state->class_prior) memcpy(state->class_prior, prior, k * sizeof *prior);
    free(row);
    free(prior);
}

enum sl_status sl_labels_state_read(const struct sl_workplace *workplace, const char *path,
                                    const struct sl_known_names *names, struct sl_crowd_state *out,
                                    struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    SL_TRY(sl_npz_open(path, &npz, err));
    struct sl_array annotators = {0};
    struct sl_crowd_state state = {.n_classes = names->n_classes};
    size_t *places = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(check_names(npz, "item", names->items, path, err));
    SL_TRY_OUT(check_names(npz, "annotator", names->annotators, path, err));
    SL_TRY_OUT(match_classes(workplace, path, names, &places, err));
    if (sl_npz_has(npz, "annotator")) {
        SL_TRY_OUT(sl_npz_peek(npz, "annotator", &annotators, err));
        state.n_annotators = sl_array_count(&annotators);
    }
    status = read_arrays(npz, &state, err);
    if (status == SL_OK) place_classes(&state, places);
    if (status == SL_OK)
        *out = state;
    else
        sl_crowd_state_release(&state);
out:
    free(places);
    sl_array_release(&annotators);
    sl_npz_close(npz);
    return status;
}
