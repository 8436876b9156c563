/* A folder of PNG and JPEG files of any sizes: either images without labels, or one sub-folder per
 * class. Pixels stay on disk until needed. Hidden files and files that are not pictures are
 * ignored; pictures of other kinds and deeper folders are reported.
 *
 * A folder whose sub-folders are called train, val and so on has parts, each of which is such a
 * folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "dataset/readers/reader.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

static const char *const suffixes[] = {".png", ".jpg", ".jpeg", ".jpe", ".jfif"};

/* Suffixes of pictures that are not read; users should know that they are left out. */
static const char *const others[] = {".webp", ".gif",  ".bmp", ".tif", ".tiff", ".heic",
                                     ".heif", ".avif", ".jxl", ".jp2", ".svg"};

/* The first existing one is the default. */
static const char *const part_names[] = {"train",      "training", "val",  "valid",
                                         "validation", "dev",      "test", "testing"};
enum { MOST_PARTS = sizeof part_names / sizeof *part_names };

/* Length of the name without its image suffix; 0 if it is no image's name. */
static size_t stem_length(const char *name)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (sl_path_has_suffix(name, suffixes[i])) return strlen(name) - strlen(suffixes[i]);
    return 0;
}

static bool is_other_picture(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (sl_path_has_suffix(name, others[i])) return true;
    return false;
}

/* How many entries were left out, and the names of the first. */
struct left_out {
    size_t count;
    struct sl_buffer names;
};

static void leave_out(struct left_out *left, const char *name)
{
    enum { MOST_NAMED = 5 };
    if (left->count++ < MOST_NAMED)
        sl_buffer_printf(&left->names, "%s%.80s", left->count > 1 ? ", " : "", name);
    else if (left->count == MOST_NAMED + 1)
        sl_buffer_text(&left->names, " ...");
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
    struct left_out pictures, folders, links; /* other formats; inside class folders; broken */
};

static struct finds begin_finds(const char *folder)
{
    struct finds finds = {.folder = folder};
    sl_buffer_init(&finds.pictures.names, 512);
    sl_buffer_init(&finds.folders.names, 512);
    sl_buffer_init(&finds.links.names, 512);
    return finds;
}

static void release_finds(struct finds *finds)
{
    sl_strings_destroy(finds->names, finds->count);
    free(finds->labels);
    sl_strings_destroy(finds->classes, finds->n_classes);
    sl_buffer_release(&finds->pictures.names);
    sl_buffer_release(&finds->folders.names);
    sl_buffer_release(&finds->links.names);
}

static enum sl_status check_name(const struct finds *finds, const char *name, struct sl_error *err)
{
    size_t valid = sl_utf8_valid(name, strlen(name));
    if (valid == strlen(name)) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: byte %zu of the name of %.*s... is not UTF-8",
                   finds->folder, valid + 1, (int)valid, name);
}

static enum sl_status grow_finds(struct finds *finds, struct sl_error *err)
{
    const size_t capacity = finds->capacity ? finds->capacity * 2 : 64;
    char **names = sl_data_resize(finds->names, capacity, sizeof *names, err);
    if (!names) return SL_ERR_NOMEM;
    finds->names = names;
    int32_t *labels = sl_data_resize(finds->labels, capacity, sizeof *labels, err);
    if (!labels) return SL_ERR_NOMEM;
    finds->labels = labels;
    finds->capacity = capacity;
    return SL_OK;
}

static enum sl_status add_find(struct finds *finds, const char *name, int32_t label,
                               struct sl_error *err)
{
    if (finds->count == finds->capacity) SL_TRY(grow_finds(finds, err));
    char *copy = sl_data_string(name, strlen(name), err);
    if (!copy) return SL_ERR_NOMEM;
    finds->names[finds->count] = copy;
    finds->labels[finds->count++] = label;
    return check_name(finds, name, err);
}

static bool is_image(const char *path, const char *name)
{
    return *name != '.' && stem_length(name) > 0 && sl_file_exists(path);
}

static bool leads_nowhere(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && stat(path, &info) != 0;
}

/* Count an entry that is not an image; `within` is its path below the folder. */
static void pass_over(struct finds *finds, const char *path, const char *name, const char *within)
{
    finds->passed_over++;
    if (*name == '.') return;
    if (leads_nowhere(path))
        leave_out(&finds->links, within);
    else if (sl_folder_exists(path))
        leave_out(&finds->folders, within);
    else if (is_other_picture(name))
        leave_out(&finds->pictures, within);
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
        char *path = sl_path_join(folder, *name), *within = sl_path_join(class_name, *name);
        if (is_image(path, *name))
            status = add_find(finds, within, (int32_t)finds->n_classes, err);
        else
            pass_over(finds, path, *name, within);
        free(path);
        free(within);
        if (status != SL_OK) goto out;
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
    } else if (is_image(path, name)) {
        status = add_find(finds, name, SL_NO_LABEL, err);
    } else {
        pass_over(finds, path, name, name);
    }
    free(path);
    return status;
}

static enum sl_status check_finds(const struct finds *finds, struct sl_error *err)
{
    if (finds->count == 0 && finds->pictures.count > 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: no PNG or JPEG files in it or in its sub-folders; convert these: %s",
                       finds->folder, finds->pictures.names.data);
    if (finds->count == 0 && finds->links.count > 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: no PNG or JPEG files in it or in its sub-folders, only links that lead "
                       "nowhere: %s",
                       finds->folder, finds->links.names.data);
    if (finds->count == 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: no PNG or JPEG files in it or in its sub-folders (%zu other %s)",
                       finds->folder, finds->passed_over,
                       sl_text_plural(finds->passed_over, "entry", "entries"));
    if (finds->n_classes == 0) return SL_OK;
    for (size_t i = 0; i < finds->count; i++)
        if (finds->labels[i] == SL_NO_LABEL)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: has images both in itself (%s) and in sub-folders (%s); keep one "
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

/* Ids have no suffix, unless two would be the same. An id that keeps its suffix may equal another
 * stem (a.png and a.png.jpg), hence the loop; it ends because whole names differ. */
static enum sl_status name_items(struct sl_dataset *dataset, const struct finds *finds,
                                 struct sl_error *err)
{
    struct item *items = sl_data_alloc(finds->count, sizeof *items, err);
    if (!items) return SL_ERR_NOMEM;
    for (size_t i = 0; i < finds->count; i++)
        items[i] = (struct item){finds->names[i], stem_length(finds->names[i]), i};
    enum sl_status status = SL_OK;
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
    for (size_t i = 0; i < finds->count && status == SL_OK; i++) {
        char *id = sl_data_string(items[i].name, items[i].length, err);
        dataset->items[items[i].index] = id;
        if (!id) status = SL_ERR_NOMEM;
    }
    free(items);
    return status;
}

static void note_left_out(struct sl_dataset *dataset, const struct finds *finds)
{
    const struct left_out *pictures = &finds->pictures, *folders = &finds->folders;
    const struct left_out *links = &finds->links;
    if (pictures->count > 0)
        sl_dataset_note(dataset, SL_LOG_WARNING, "%s: %zu %s not PNG or JPEG and %s left out: %s",
                        finds->folder, pictures->count,
                        pictures->count == 1 ? "file is" : "files are",
                        pictures->count == 1 ? "was" : "were", pictures->names.data);
    if (folders->count > 0)
        sl_dataset_note(dataset, SL_LOG_WARNING,
                        "%s: %zu %s inside the class folders and %s left out: %s", finds->folder,
                        folders->count, folders->count == 1 ? "folder lies" : "folders lie",
                        folders->count == 1 ? "was" : "were", folders->names.data);
    if (links->count > 0)
        sl_dataset_note(dataset, SL_LOG_WARNING, "%s: %zu %s nowhere and %s left out: %s",
                        finds->folder, links->count,
                        links->count == 1 ? "link leads" : "links lead",
                        links->count == 1 ? "was" : "were", links->names.data);
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
    note_left_out(dataset, finds);
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    return status;
}

static enum sl_status read_folder(const char *path, struct sl_dataset **out, struct sl_error *err)
{
    struct finds finds = begin_finds(path);
    enum sl_status status = find_all(&finds, err);
    if (status == SL_OK) status = build(&finds, out, err);
    release_finds(&finds);
    return status;
}

/* ---- Parts ---- */

/* The number of images and of folders with images, to tell parts from classes; 0 if the folder
 * cannot be listed, which reading it will report. */
struct contents {
    size_t n_images, n_folders;
};

static struct contents look_into(const char *folder, bool deeper)
{
    struct contents contents = {0};
    char **names = NULL;
    if (sl_folder_list(folder, &names, NULL, NULL) != SL_OK) return contents;
    for (char **name = names; *name; name++) {
        char *path = sl_path_join(folder, *name);
        if (is_image(path, *name))
            contents.n_images++;
        else if (deeper && **name != '.' && sl_folder_exists(path))
            contents.n_folders += look_into(path, false).n_images > 0;
        free(path);
    }
    sl_names_destroy(names);
    return contents;
}

static bool is_part_name(const char *name)
{
    for (size_t i = 0; i < MOST_PARTS; i++)
        if (strcasecmp(part_names[i], name) == 0) return true;
    return false;
}

/* Whether a sub-folder with another name holds images, as a class does. */
static bool has_classes(const char *path)
{
    char **names = NULL;
    bool found = false;
    if (sl_folder_list(path, &names, NULL, NULL) != SL_OK) return false;
    for (char **name = names; *name && !found; name++) {
        if (**name == '.' || is_part_name(*name)) continue;
        char *inside = sl_path_join(path, *name);
        found = look_into(inside, false).n_images > 0;
        free(inside);
    }
    sl_names_destroy(names);
    return found;
}

/* The parts of a folder and their sub-folders: Train is the part train. */
struct parts {
    const char *names[MOST_PARTS + 1]; /* NULL-ended */
    char *folders[MOST_PARTS];         /* owned */
    size_t count, n_with_classes;
};

static void release_parts(struct parts *parts)
{
    sl_strings_release(parts->folders, parts->count);
    *parts = (struct parts){0};
}

/* Add the sub-folder of this name, ignoring case, if it holds images. */
static enum sl_status add_part(struct parts *parts, const char *path, char *const *inside,
                               const char *part, struct sl_error *err)
{
    const size_t before = parts->count;
    for (; *inside; inside++) {
        if (strcasecmp(*inside, part) != 0) continue;
        char *folder = sl_path_join(path, *inside);
        const struct contents contents = look_into(folder, true);
        free(folder);
        if (contents.n_images + contents.n_folders == 0) continue;
        if (parts->count > before)
            return sl_fail(err, SL_ERR_INPUT, "%s: holds both %s and %s; rename one of them", path,
                           parts->folders[before], *inside);
        parts->names[parts->count] = part;
        parts->folders[parts->count++] = sl_string_copy(*inside);
        parts->n_with_classes += contents.n_images == 0;
    }
    return SL_OK;
}

/* The parts of a folder, or none: a class may be called train too. A single part must have classes
 * itself. */
static enum sl_status find_parts(const char *path, struct parts *out, struct sl_error *err)
{
    char **inside = NULL;
    enum sl_status status = SL_OK;
    *out = (struct parts){0};
    if (sl_folder_list(path, &inside, NULL, NULL) != SL_OK) return SL_OK;
    for (size_t i = 0; i < MOST_PARTS && status == SL_OK; i++)
        status = add_part(out, path, inside, part_names[i], err);
    sl_names_destroy(inside);
    const bool any = out->count > 1 || out->n_with_classes > 0;
    if (status != SL_OK || !any || look_into(path, false).n_images > 0 || has_classes(path))
        release_parts(out);
    return status;
}

/* The part that `split` names, ignoring case. */
static const char *part_called(const struct parts *parts, const char *split)
{
    for (size_t i = 0; parts->names[i]; i++)
        if (split && strcasecmp(parts->names[i], split) == 0) return parts->names[i];
    return split;
}

/* Open the named part of a folder, or the training part with a note. */
static enum sl_status open_part(const char *path, const struct parts *parts, const char *split,
                                struct sl_dataset **out, struct sl_error *err)
{
    const char *const *names = parts->names;
    const bool named = split && *split;
    char list[128] = "";
    for (size_t i = 0, used = 0; names[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    const bool only = parts->count == 1;
    /* "train" or "training". */
    if (!named && !only && names[0] && strncmp(names[0], "train", 5) != 0)
        return sl_fail(err, SL_ERR_USAGE, "%s: has the parts %s; name one, for example %s:%s", path,
                       list, path, names[0]);
    size_t chosen = 0;
    SL_TRY(sl_choose(names, part_called(parts, split), path, &chosen, err));
    char *folder = sl_path_join(path, parts->folders[chosen]);
    const enum sl_status status = read_folder(folder, out, err);
    free(folder);
    if (status != SL_OK || named) return status;
    if (only) {
        sl_dataset_note(*out, SL_LOG_INFO, "%s: reading its only part, %s", path, list);
        return SL_OK;
    }
    (*out)->parts = sl_string_copy(list);
    sl_dataset_note(*out, SL_LOG_WARNING, "%s: has the parts %s; reading %s because none was named",
                    path, list, names[chosen]);
    return SL_OK;
}

static enum sl_status open_folder(const char *path, const char *split, struct sl_dataset **out,
                                  struct sl_error *err)
{
    struct parts parts;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(find_parts(path, &parts, err));
    if (parts.count > 0) {
        status = open_part(path, &parts, split, out, err);
    } else {
        SL_TRY_OUT(sl_no_split(path, split, err));
        status = read_folder(path, out, err);
    }
out:
    release_parts(&parts);
    return status;
}

const struct sl_reader sl_reader_folder = {
    "folder",
    "a folder of PNG or JPEG files, with or without a sub-folder per class",
    sl_folder_exists,
    open_folder,
};
