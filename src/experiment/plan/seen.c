/* A cache of what plans have read of the data: each set and each list of items is read once, even
 * if many tables name it. */
#include <stdlib.h>
#include <string.h>

#include "experiment/plan/plan.h"
#include "softlab/base/memory.h"
#include "softlab/dataset/image.h"

/* A data set, or a list of items, for which only the count is set. */
struct sight {
    char *name, *problem, *mixed; /* owned; why it is missing, and how sizes differ; or NULL */
    struct sl_plan_set set;
    char hash[SL_SHA256_TEXT]; /* "" for a list, or if unknown */
};

struct sl_seen_data {
    struct sight *sights; /* owned */
    size_t count;
};

struct sl_seen_data *sl_seen_data_create(void)
{
    return sl_alloc(1, sizeof(struct sl_seen_data));
}

void sl_seen_data_destroy(struct sl_seen_data *seen)
{
    if (!seen) return;
    for (size_t i = 0; i < seen->count; i++) {
        free(seen->sights[i].name);
        free(seen->sights[i].problem);
        free(seen->sights[i].mixed);
    }
    free(seen->sights);
    free(seen);
}

static struct sight *find_sight(const struct sl_seen_data *seen, const char *name)
{
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->sights[i].name, name) == 0) return &seen->sights[i];
    return NULL;
}

/* Borrowed until the next call. */
static struct sight *add_sight(struct sl_seen_data *seen, const char *name)
{
    seen->sights = sl_resize(seen->sights, seen->count + 1, sizeof *seen->sights);
    struct sight *sight = &seen->sights[seen->count++];
    *sight = (struct sight){.name = sl_string_copy(name)};
    return sight;
}

/* ---- Data sets ---- */

/* Set `shape` to the size of the image files. If they differ, set *mixed to a sentence with two of
 * the sizes. */
static void look_at_files(const struct sl_dataset *dataset, size_t shape[3], char **mixed)
{
    struct sl_image first = {0}, image;
    struct sl_error err;
    for (size_t i = 0; i < dataset->count && !*mixed; i++) {
        if (sl_image_peek(dataset->files[i], &image, &err) != SL_OK) continue;
        if (first.height == 0) first = image;
        if (image.channels > first.channels) first.channels = image.channels;
        if (image.height == first.height && image.width == first.width) continue;
        *mixed =
            sl_string_printf("%s has pictures of %zu x %zu and %zu x %zu pixels: give a \"size\"",
                             dataset->name, first.width, first.height, image.width, image.height);
    }
    shape[0] = first.channels;
    shape[1] = first.height;
    shape[2] = first.width;
}

static void look_at_shape(const struct sl_dataset *dataset, struct sight *sight)
{
    const size_t features = dataset->features ? dataset->n_features : 0;
    size_t *shape = sight->set.shape;
    shape[0] = features > 0 ? features : dataset->channels;
    shape[1] = features > 0 ? 1 : dataset->height;
    shape[2] = features > 0 ? 1 : dataset->width;
    if (dataset->files) look_at_files(dataset, shape, &sight->mixed);
}

static void look_at_data(const struct sl_planner *planner, struct sight *sight)
{
    struct sl_dataset *dataset = NULL;
    struct sl_error problem;
    const double begun = sl_processor_seconds();
    enum sl_status status =
        sl_dataset_open(sight->name, planner->options->roots, &dataset, &problem);
    sight->set.seconds = sl_processor_seconds() - begun;
    if (status == SL_OK) {
        sight->set.count = dataset->count;
        sight->set.n_classes = dataset->n_classes;
        look_at_shape(dataset, sight);
        status = sl_inputs_hash_dataset(planner->inputs, dataset, sight->hash, &problem);
    }
    if (status != SL_OK) {
        sight->problem = sl_string_copy(problem.message);
        sight->hash[0] = '\0';
    }
    sl_dataset_destroy(dataset);
}

static const struct sight *see_data(struct sl_planner *planner, const char *name)
{
    struct sight *sight = find_sight(planner->seen, name);
    if (sight) return sight;
    sight = add_sight(planner->seen, name);
    look_at_data(planner, sight);
    return sight;
}

bool sl_plan_lacks_size(struct sl_planner *planner, const char *name, struct sl_error *err)
{
    const struct sight *sight = see_data(planner, name);
    if (!sight->mixed || planner->design->size) return false;
    (void)sl_fail(err, SL_ERR_INPUT, "%s", sight->mixed);
    return true;
}

const char *sl_plan_data_hash(struct sl_planner *planner, const char *name)
{
    const struct sight *sight = see_data(planner, name);
    return sight->hash[0] ? sight->hash : NULL;
}

enum sl_status sl_plan_data(struct sl_planner *planner, const char *name, struct sl_plan_set *out,
                            struct sl_error *err)
{
    const struct sight *sight = see_data(planner, name);
    if (sight->problem) return sl_fail(err, SL_ERR_NOT_FOUND, "%s", sight->problem);
    *out = sight->set;
    return SL_OK;
}

/* ---- Lists of items ---- */

bool sl_plan_has_counted(const struct sl_planner *planner, const char *place, size_t *count)
{
    const struct sight *sight = find_sight(planner->seen, place);
    if (sight) *count = sight->set.count;
    return sight != NULL;
}

void sl_plan_keep_count(struct sl_planner *planner, const char *place, size_t count)
{
    add_sight(planner->seen, place)->set.count = count;
}
