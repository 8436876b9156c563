#include <stdlib.h>
#include <string.h>

#include "experiment/prepare/prepare.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"
#include "softlab/train/targets.h"

/* The indices that are still chosen. */
struct chosen {
    size_t *items; /* owned */
    size_t count;
};

static enum sl_status write_indices(const struct chosen *chosen, const char *path,
                                    struct sl_error *err)
{
    struct sl_array array;
    SL_TRY(sl_array_create(SL_I8, 0, 1, &chosen->count, &array, err));
    int64_t *values = array.data;
    for (size_t i = 0; i < chosen->count; i++)
        values[i] = (int64_t)chosen->items[i];
    const enum sl_status status = sl_npy_write(&array, SL_ORDER_C, path, err);
    sl_array_release(&array);
    return status;
}

static void take_all(size_t count, struct chosen *out)
{
    out->items = sl_alloc(count, sizeof *out->items);
    out->count = count;
    for (size_t i = 0; i < count; i++)
        out->items[i] = i;
}

/* Draw a share of each class, or take the items that are not drawn. */
static enum sl_status take_share(const struct sl_preparation *preparation,
                                 const struct sl_dataset *dataset, const char *text,
                                 struct chosen *out, struct sl_error *err)
{
    double share = 0;
    if (!sl_text_to_real(text, strlen(text), &share) || !(share > 0 && share < 1))
        return sl_fail(err, SL_ERR_INPUT, "share:%s: expected a number between 0 and 1", text);
    struct sl_split split = {0};
    const size_t n_first = (size_t)(share * (double)dataset->count + .5);
    const uint64_t seed = (uint64_t)preparation->step->seed;
    SL_TRY(sl_split_balanced(dataset->labels, dataset->count, n_first, seed, &split, err));
    const bool rest = preparation->step->rest_of_share;
    const size_t *from = rest ? split.rest : split.first;
    out->count = rest ? split.n_rest : split.n_first;
    out->items = sl_alloc(out->count, sizeof *out->items);
    memcpy(out->items, from, out->count * sizeof *out->items);
    sl_split_release(&split);
    return SL_OK;
}

static enum sl_status take_split(const struct sl_preparation *preparation,
                                 const struct sl_dataset *dataset, struct chosen *out,
                                 struct sl_error *err)
{
    const char *split = preparation->step->split;
    if (!split) {
        take_all(dataset->count, out);
        return SL_OK;
    }
    if (strncmp(split, "share:", 6) == 0)
        return take_share(preparation, dataset, split + 6, out, err);
    char *path = NULL;
    SL_TRY(sl_experiment_place(preparation->roots, split, &path, err));
    const enum sl_status status =
        sl_split_read(path, dataset->count, &out->items, &out->count, err);
    free(path);
    return status;
}

static void keep(struct chosen *chosen, const bool *in)
{
    size_t count = 0;
    for (size_t i = 0; i < chosen->count; i++)
        if (in[chosen->items[i]]) chosen->items[count++] = chosen->items[i];
    chosen->count = count;
}

/* The folds of Peterson et al.: numpy's shuffle with seed 0. */
static enum sl_status keep_fold(const struct sl_preparation *preparation, size_t n_items,
                                struct chosen *chosen, struct sl_error *err)
{
    const struct sl_prepare_step *step = preparation->step;
    const bool held_out = step->held_out;
    if (step->folds == 0) return SL_OK;
    struct sl_split split = {0};
    SL_TRY(sl_split_fold_numpy(n_items, (size_t)step->folds, (size_t)step->fold, 0, &split, err));
    bool *in = sl_alloc(n_items, sizeof *in);
    for (size_t i = 0; i < n_items; i++)
        in[i] = !held_out;
    for (size_t i = 0; i < split.n_first; i++)
        in[split.first[i]] = held_out;
    keep(chosen, in);
    free(in);
    sl_split_release(&split);
    return SL_OK;
}

/* CINIC-10 has CIFAR-10's images under names that begin with "cifar10". */
static void keep_imagenet(const struct sl_dataset *dataset, struct chosen *chosen)
{
    bool *in = sl_alloc(dataset->count, sizeof *in);
    for (size_t i = 0; i < dataset->count; i++)
        in[i] = strncmp(sl_path_name(dataset->items[i]), "cifar10", strlen("cifar10")) != 0;
    keep(chosen, in);
    free(in);
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static void keep_first(const struct sl_preparation *preparation, struct chosen *chosen)
{
    const size_t wanted = (size_t)preparation->step->first;
    if (wanted == 0 || wanted >= chosen->count) return;
    struct sl_rng rng;
    sl_rng_init(&rng, (uint64_t)preparation->step->seed, "experiment.items", 0, 0);
    sl_rng_shuffle(&rng, chosen->items, chosen->count);
    chosen->count = wanted;
    qsort(chosen->items, wanted, sizeof *chosen->items, ascending);
}

enum sl_status sl_prepare_items(const struct sl_preparation *preparation, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct chosen chosen = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_prepare_open(preparation, &dataset, err));
    SL_TRY_OUT(take_split(preparation, dataset, &chosen, err));
    SL_TRY_OUT(keep_fold(preparation, dataset->count, &chosen, err));
    if (preparation->step->only) keep_imagenet(dataset, &chosen);
    keep_first(preparation, &chosen);
    SL_TRY_OUT(write_indices(&chosen, preparation->output, err));
out:
    sl_dataset_destroy(dataset);
    free(chosen.items);
    return status;
}

enum sl_status sl_prepare_named(const struct sl_preparation *preparation, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    struct sl_name_table *names = NULL;
    struct chosen chosen = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_prepare_open(preparation, &dataset, err));
    SL_TRY_OUT(sl_prepare_names(preparation, preparation->step->names, &names, err));
    chosen.items = sl_alloc(dataset->count, sizeof *chosen.items);
    for (size_t i = 0; i < dataset->count; i++)
        if (sl_prepare_has(names, dataset->items[i])) chosen.items[chosen.count++] = i;
    SL_TRY_OUT(write_indices(&chosen, preparation->output, err));
out:
    sl_dataset_destroy(dataset);
    sl_name_table_destroy(names);
    free(chosen.items);
    return status;
}

enum sl_status sl_prepare_holdout(const struct sl_preparation *preparation, struct sl_error *err)
{
    const struct sl_prepare_step *step = preparation->step;
    struct sl_rows *rows = NULL;
    SL_TRY(sl_rows_read(step->input, "labels", &rows, err));
    const struct sl_recipe recipe = {.holdout_draw = step->count};
    char **names = NULL;
    struct sl_buffer text;
    sl_buffer_init(&text, (size_t)1 << 26);
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_holdout_create(&recipe, rows, (uint64_t)step->seed, &names, err));
    for (size_t i = 0; names[i]; i++)
        sl_buffer_printf(&text, "%s\n", names[i]);
    SL_TRY_OUT(sl_file_write(preparation->output, text.data, text.length, err));
out:
    sl_rows_destroy(rows);
    sl_names_destroy(names);
    sl_buffer_release(&text);
    return status;
}
