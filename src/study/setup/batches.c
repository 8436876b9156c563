/* How items are grouped into batches: at random, stratified by the entropy of a reference, or as in
 * a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/random.h"
#include "softlab/base/rows.h"
#include "softlab/base/stats.h"
#include "softlab/base/text.h"
#include "study/setup/setup.h"

enum { LAYOUT_BYTES = 64 << 20 };

/* ---- Files in the published layout ---- */

enum sl_status sl_setup_layout_read(const char *path, struct sl_setup_layout *out,
                                    struct sl_error *err)
{
    struct sl_buffer text;
    struct sl_json document;
    sl_buffer_init(&text, LAYOUT_BYTES);
    enum sl_status status = sl_file_read(path, &text, err);
    if (status == SL_OK && text.length == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s is empty", path);
    if (status != SL_OK) {
        sl_buffer_release(&text);
        return status;
    }
    /* Text before the value ("var batches =") is blanked, so that line numbers stay right. */
    size_t begin = strcspn(text.data, "[{"), end = text.length;
    memset(text.data, ' ', begin);
    while (end > begin && strchr("; \t\r\n", text.data[end - 1]))
        end--;
    status = sl_json_parse(text.data, end, path, 1, &document, err);
    sl_buffer_release(&text);
    if (status != SL_OK) return status;
    json_t *batches = document.root;
    if (json_is_array(batches) && json_array_size(batches) == 1)
        batches = json_array_get(batches, 0);
    if (!json_is_object(batches) || json_object_size(batches) == 0) {
        sl_json_release(&document);
        return sl_fail(err, SL_ERR_INPUT, "%s: expected one object of batches", path);
    }
    *out = (struct sl_setup_layout){document, batches};
    return SL_OK;
}

void sl_setup_layout_release(struct sl_setup_layout *layout)
{
    sl_json_release(&layout->document);
    *layout = (struct sl_setup_layout){0};
}

char *sl_setup_batches_path(const struct sl_study_setup *setup)
{
    if (setup->batches) return sl_string_copy(setup->batches);
    char *path = setup->mixtures ? sl_path_join(setup->mixtures, "batches.json") : NULL;
    if (path && sl_file_exists(path)) return path;
    free(path);
    return NULL;
}

static struct sl_setup_batch *add_batch(struct sl_setup_plan *plan, size_t capacity)
{
    plan->batches = sl_resize(plan->batches, plan->n_batches + 1, sizeof *plan->batches);
    plan->batches[plan->n_batches] =
        (struct sl_setup_batch){.items = sl_alloc(capacity ? capacity : 1, sizeof(size_t))};
    return &plan->batches[plan->n_batches++];
}

/* Numbers the items by the names that a batches file may use: the file's name, or the id. */
static enum sl_status number_items(const struct sl_setup_plan *plan, struct sl_name_table *names,
                                   uint32_t **items, struct sl_error *err)
{
    uint32_t *numbers = sl_data_zeroed(2 * plan->n_items, sizeof *numbers, err);
    if (!numbers) return SL_ERR_NOMEM;
    for (size_t i = 0; i < plan->n_items; i++) {
        const struct sl_setup_item *item = &plan->items[i];
        const char *known[] = {item->id, item->target ? sl_path_name(item->target) : NULL};
        for (size_t n = 0; n < 2 && !item->check; n++) {
            uint32_t number = 0;
            if (!known[n]) continue;
            size_t before = sl_name_table_count(names);
            enum sl_status status =
                sl_name_table_add(names, known[n], strlen(known[n]), &number, err);
            if (status != SL_OK) {
                free(numbers);
                return status;
            }
            if (sl_name_table_count(names) > before) numbers[number] = (uint32_t)i;
        }
    }
    *items = numbers;
    return SL_OK;
}

/* A batches file, and the items by the names that it may use. All borrowed. */
struct naming {
    const char *path, *key; /* of the file and of the current batch */
    const struct sl_name_table *names;
    const uint32_t *items;
};

/* The item of an entry. Published files of CIFAR-10S use picture names that exist nowhere else;
 * their "example_idx" is the number in the test set, and "label" shows whether it is the same
 * picture. */
static enum sl_status find_entry(const struct sl_setup_plan *plan, const struct naming *naming,
                                 const json_t *entry, size_t *item, struct sl_error *err)
{
    const char *file = json_string_value(json_object_get(entry, "filename"));
    const char *index = json_string_value(json_object_get(entry, "example_idx"));
    const char *label = json_string_value(json_object_get(entry, "label"));
    if (!file)
        return sl_fail(err, SL_ERR_INPUT, "%s: an item of batch \"%s\" has no \"filename\"",
                       naming->path, naming->key);
    uint32_t number = sl_name_table_find(naming->names, file, strlen(file));
    if (number == SL_NO_NAME && index)
        number = sl_name_table_find(naming->names, index, strlen(index));
    if (number == SL_NO_NAME)
        return sl_fail(
            err, SL_ERR_INPUT, "%s: batch \"%s\" names %s, which is not one of the %zu item%s",
            naming->path, naming->key, file, plan->n_items, sl_text_plural(plan->n_items, "", "s"));
    const char *truth = plan->items[naming->items[number]].truth;
    if (label && truth && strcasecmp(label, truth) != 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: batch \"%s\" names %s, which is a %s here; are these other images?",
                       naming->path, naming->key, file, truth);
    *item = naming->items[number];
    return SL_OK;
}

static enum sl_status take_batch(struct sl_setup_plan *plan, const struct naming *naming,
                                 const json_t *list, struct sl_error *err)
{
    if (!json_is_array(list) || json_array_size(list) == 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: batch \"%s\" is not a list of items", naming->path,
                       naming->key);
    struct sl_setup_batch *batch = add_batch(plan, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        size_t item = 0;
        SL_TRY(find_entry(plan, naming, json_array_get(list, i), &item, err));
        for (size_t j = 0; j < batch->count; j++)
            if (batch->items[j] == item)
                return sl_fail(err, SL_ERR_INPUT, "%s: batch \"%s\" names %s twice", naming->path,
                               naming->key, plan->items[item].id);
        batch->items[batch->count++] = item;
    }
    return SL_OK;
}

static enum sl_status batches_of_file(struct sl_setup_plan *plan, const char *path,
                                      struct sl_error *err)
{
    struct sl_setup_layout layout;
    struct sl_name_table *names = NULL;
    uint32_t *items = NULL;
    SL_TRY(sl_setup_layout_read(path, &layout, err));
    names = sl_name_table_create();
    enum sl_status status = number_items(plan, names, &items, err);
    const char *key = NULL;
    json_t *list = NULL;
    if (status == SL_OK) {
        json_object_foreach(layout.batches, key, list)
        {
            const struct naming naming = {path, key, names, items};
            SL_TRY_OUT(take_batch(plan, &naming, list, err));
        }
    }
out:
    free(items);
    sl_name_table_destroy(names);
    sl_setup_layout_release(&layout);
    return status;
}

/* ---- At random, and by entropy ---- */

/* The entropy of the row, normalised in `scratch`. */
static double scaled_entropy(const float *row, size_t n_classes, double *scratch)
{
    double sum = 0;
    for (size_t k = 0; k < n_classes; k++)
        sum += (double)row[k];
    for (size_t k = 0; k < n_classes; k++)
        scratch[k] = (double)row[k] / sum;
    return sl_entropy(scratch, n_classes);
}

static enum sl_status read_entropies(struct sl_setup_plan *plan, struct sl_error *err)
{
    const char *path = plan->setup->reference;
    struct sl_rows *rows = NULL;
    double *scratch = NULL;
    struct sl_name_table *names = sl_name_table_create();
    enum sl_status status;
    SL_TRY_OUT(sl_rows_read(path, "labels", &rows, err));
    if (!rows->items && rows->n_rows != plan->n_items) {
        status =
            sl_fail(err, SL_ERR_INPUT, "%s has %zu row%s without names, but there %s %zu item%s",
                    path, rows->n_rows, sl_text_plural(rows->n_rows, "", "s"),
                    sl_text_plural(plan->n_items, "is", "are"), plan->n_items,
                    sl_text_plural(plan->n_items, "", "s"));
        goto out;
    }
    scratch = sl_alloc(rows->n_classes, sizeof *scratch);
    for (size_t r = 0; rows->items && r < rows->n_rows; r++) {
        uint32_t number = 0;
        SL_TRY_OUT(sl_name_table_add(names, rows->items[r], strlen(rows->items[r]), &number, err));
    }
    for (size_t i = 0; i < plan->n_items; i++) {
        size_t row = i;
        if (rows->items) {
            uint32_t number =
                sl_name_table_find(names, plan->items[i].id, strlen(plan->items[i].id));
            if (number == SL_NO_NAME) continue;
            row = number;
        }
        plan->items[i].entropy =
            scaled_entropy(rows->values + row * rows->n_classes, rows->n_classes, scratch);
    }
out:
    free(scratch);
    sl_rows_destroy(rows);
    sl_name_table_destroy(names);
    return status;
}

/* The items with an entropy between the bounds, shuffled, without checks. NaN bounds take all. */
static size_t *draw_pool(const struct sl_setup_plan *plan, double least, double most,
                         const char *purpose, size_t *count)
{
    size_t *pool = sl_alloc(plan->n_items ? plan->n_items : 1, sizeof *pool);
    struct sl_rng rng;
    *count = 0;
    for (size_t i = 0; i < plan->n_items; i++) {
        double value = plan->items[i].entropy;
        bool within = isnan(least) || (value >= least && value <= most);
        if (within && !plan->items[i].check) pool[(*count)++] = i;
    }
    sl_rng_init(&rng, plan->setup->seed, purpose, 0, 0);
    sl_rng_shuffle(&rng, pool, *count);
    return pool;
}

/* Batches of `size` from a pool; the last one gets the remainder. */
static void cut(struct sl_setup_plan *plan, const size_t *pool, size_t count, size_t size)
{
    for (size_t begin = 0; begin < count; begin += size) {
        size_t length = count - begin < size ? count - begin : size;
        struct sl_setup_batch *batch = add_batch(plan, plan->setup->batch_size);
        memcpy(batch->items, pool + begin, length * sizeof *pool);
        batch->count = length;
    }
}

static enum sl_status cut_by_entropy(struct sl_setup_plan *plan, struct sl_error *err)
{
    const struct sl_study_setup *setup = plan->setup;
    size_t n_high = 0, n_low = 0, n_low_each = setup->low_per_batch;
    if (n_low_each >= setup->batch_size)
        return sl_fail(err, SL_ERR_USAGE, "a batch of %zu cannot hold %zu item%s of low entropy",
                       setup->batch_size, n_low_each, sl_text_plural(n_low_each, "", "s"));
    if (!(setup->low <= setup->high))
        return sl_fail(err, SL_ERR_USAGE, "the low entropy must not exceed the high entropy");
    SL_TRY(read_entropies(plan, err));
    size_t *high = draw_pool(plan, setup->high, (double)INFINITY, "study.high", &n_high);
    size_t *low = draw_pool(plan, 0, setup->low, "study.low", &n_low);
    enum sl_status status = SL_OK;
    cut(plan, high, n_high, setup->batch_size - n_low_each);
    if (n_high == 0)
        status = sl_fail(err, SL_ERR_INPUT, "%s: no item has an entropy of %g or more",
                         setup->reference, setup->high);
    else if (n_low < plan->n_batches * n_low_each)
        status =
            sl_fail(err, SL_ERR_INPUT, "%s: %zu %s %zu item%s of entropy %g or less, there are %zu",
                    setup->reference, plan->n_batches,
                    sl_text_plural(plan->n_batches, "batch needs", "batches need"),
                    plan->n_batches * n_low_each,
                    sl_text_plural(plan->n_batches * n_low_each, "", "s"), setup->low, n_low);
    for (size_t b = 0; status == SL_OK && b < plan->n_batches; b++) {
        struct sl_setup_batch *batch = &plan->batches[b];
        memcpy(batch->items + batch->count, low + b * n_low_each, n_low_each * sizeof *low);
        batch->count += n_low_each;
    }
    free(high);
    free(low);
    return status;
}

enum sl_status sl_setup_allocate(struct sl_setup_plan *plan, struct sl_error *err)
{
    const struct sl_study_setup *setup = plan->setup;
    if (setup->batches && setup->reference)
        return sl_fail(err, SL_ERR_USAGE,
                       "give either a batches file or a reference, not both: each says which "
                       "items form a batch");
    if (setup->reference) return cut_by_entropy(plan, err);
    char *path = sl_setup_batches_path(setup);
    if (path) {
        enum sl_status status = batches_of_file(plan, path, err);
        free(path);
        return status;
    }
    size_t count = 0;
    size_t *pool = draw_pool(plan, (double)NAN, (double)NAN, "study.batches", &count);
    cut(plan, pool, count, setup->batch_size);
    free(pool);
    return SL_OK;
}
