/* A folder of PNG and JPEG files of any sizes: either images without labels, or one
 * sub-folder per class. Pixels stay on disk until asked for. Hidden files, files with other
 * suffixes and deeper folders are passed over. */
#include <stdlib.h>
#include <string.h>

#include "dataset/reader.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char *const suffixes[] = {".png", ".jpg", ".jpeg"};

/* Length of the name without its image suffix; 0 if it is no image's name. */
static size_t stem_length(const char *name)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (sl_path_has_suffix(name, suffixes[i])) return strlen(name) - strlen(suffixes[i]);
    return 0;
}

/* Images found so far: paths within the folder, in the order of their names. */
struct finds {
    const char *folder; /* borrowed */
    char **names;       /* owned */
    int32_t *labels;    /* owned */
    size_t count, capacity;
    char **classes; /* owned */
    size_t n_classes;
    size_t passed_over;
};

static void release_finds(struct finds *finds)
{
    for (size_t i = 0; i < finds->count; i++)
        free(finds->names[i]);
    for (size_t i = 0; i < finds->n_classes; i++)
        free(finds->classes[i]);
    free(finds->names);
    free(finds->labels);
    free(finds->classes);
}

static void add_find(struct finds *finds, char *name, int32_t label)
{
    if (finds->count == finds->capacity) {
        finds->capacity = finds->capacity ? finds->capacity * 2 : 64;
        finds->names = sl_resize(finds->names, finds->capacity, sizeof *finds->names);
        finds->labels = sl_resize(finds->labels, finds->capacity, sizeof *finds->labels);
    }
    finds->names[finds->count] = name;
    finds->labels[finds->count++] = label;
}

static enum sl_status check_name(const struct finds *finds, const char *name, struct sl_error *err)
{
    size_t valid = sl_utf8_valid(name, strlen(name));
    if (valid == strlen(name)) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: byte %zu of the name of %.*s... is not UTF-8",
                   finds->folder, valid + 1, (int)valid, name);
}

/* The images of one class folder; the class exists only if it has any. */
static enum sl_status find_in_class(struct finds *finds, const char *class_name,
                                    struct sl_error *err)
{
    char *folder = sl_path_join(finds->folder, class_name);
    char **names = NULL;
    size_t before = finds->count;
    enum sl_status status;
    SL_TRY_OUT(sl_folder_list(folder, &names, NULL, err));
    for (char **name = names; *name; name++) {
        char *path = sl_path_join(folder, *name);
        bool image = **name != '.' && stem_length(*name) > 0 && sl_file_exists(path);
        free(path);
        if (!image) {
            finds->passed_over++;
            continue;
        }
        char *within = sl_path_join(class_name, *name);
        add_find(finds, within, (int32_t)finds->n_classes);
        SL_TRY_OUT(check_name(finds, within, err));
    }
    if (finds->count > before) {
        finds->classes = sl_resize(finds->classes, finds->n_classes + 1, sizeof *finds->classes);
        finds->classes[finds->n_classes++] = sl_string_copy(class_name);
    }
out:
    sl_names_destroy(names);
    free(folder);
    return status;
}

static enum sl_status find_one(struct finds *finds, const char *name, struct sl_error *err)
{
    char *path = sl_path_join(finds->folder, name);
    enum sl_status status = SL_OK;
    if (*name != '.' && sl_folder_exists(path)) {
        status = find_in_class(finds, name, err);
    } else if (*name != '.' && stem_length(name) > 0 && sl_file_exists(path)) {
        add_find(finds, sl_string_copy(name), SL_NO_LABEL);
        status = check_name(finds, name, err);
    } else {
        finds->passed_over++;
    }
    free(path);
    return status;
}

static enum sl_status check_finds(const struct finds *finds, struct sl_error *err)
{
    if (finds->count == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: no PNG or JPEG files in it or in its sub-folders (%zu other entries)",
                       finds->folder, finds->passed_over);
    if (finds->n_classes == 0) return SL_OK;
    for (size_t i = 0; i < finds->count; i++)
        if (finds->labels[i] == SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: holds images itself (%s) and in sub-folders (%s), expected one "
                           "or the other",
                           finds->folder, finds->names[i], finds->classes[0]);
    return SL_OK;
}

static enum sl_status find_all(struct finds *finds, struct sl_error *err)
{
    char **names = NULL;
    enum sl_status status;
    SL_TRY_OUT(sl_folder_list(finds->folder, &names, NULL, err));
    for (char **name = names; *name; name++)
        SL_TRY_OUT(find_one(finds, *name, err));
    SL_TRY_OUT(check_finds(finds, err));
out:
    sl_names_destroy(names);
    return status;
}

struct item {
    const char *name; /* borrowed */
    size_t length;    /* of the id within the name */
    size_t index;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->name, y->name, shorter);
    if (order != 0) return order;
    return x->length < y->length ? -1 : x->length > y->length;
}

/* Ids without suffixes, except where two would be the same. A name given its suffix back may
 * meet another one's stem (a.png and a.png.jpg), hence the loop; whole names differ, so it
 * ends. */
static enum sl_status name_items(struct sl_dataset *dataset, const struct finds *finds,
                                 struct sl_error *err)
{
    struct item *items = sl_data_alloc(finds->count, sizeof *items, err);
    if (!items) return SL_ERR_NOMEM;
    for (size_t i = 0; i < finds->count; i++)
        items[i] = (struct item){finds->names[i], stem_length(finds->names[i]), i};
    bool changed = true;
    while (changed) {
        changed = false;
        qsort(items, finds->count, sizeof *items, compare_items);
        for (size_t i = 0, end; i < finds->count; i = end) {
            for (end = i + 1; end < finds->count && compare_items(&items[i], &items[end]) == 0;)
                end++;
            for (size_t k = i; end - i > 1 && k < end; k++)
                items[k].length = strlen(items[k].name);
            changed = changed || end - i > 1;
        }
    }
    for (size_t i = 0; i < finds->count; i++)
        dataset->items[items[i].index] = sl_string_copy_n(items[i].name, items[i].length);
    free(items);
    return SL_OK;
}

static enum sl_status build(const struct finds *finds, struct sl_dataset **out,
                            struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(sl_dataset_create(finds->folder, finds->count, &dataset, err));
    sl_dataset_name_classes(dataset, (const char *const *)finds->classes, finds->n_classes);
    SL_TRY_OUT(name_items(dataset, finds, err));
    dataset->files = sl_data_alloc(finds->count, sizeof *dataset->files, err);
    if (!dataset->files) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < finds->count; i++) {
        dataset->files[i] = sl_path_join(finds->folder, finds->names[i]);
        dataset->labels[i] = finds->labels[i];
    }
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}

static enum sl_status open_folder(const char *path, const char *split, struct sl_dataset **out,
                                  struct sl_error *err)
{
    SL_TRY(sl_no_split(path, split, err));
    struct finds finds = {.folder = path};
    enum sl_status status = find_all(&finds, err);
    if (status == SL_OK) status = build(&finds, out, err);
    release_finds(&finds);
    return status;
}

const struct sl_reader sl_reader_folder = {
    "folder",
    "a folder of PNG or JPEG files, with or without a sub-folder per class",
    sl_folder_exists,
    open_folder,
};
