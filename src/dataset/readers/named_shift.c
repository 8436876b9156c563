/* CIFAR-10 under a shift: new photographs, corruptions, another source. */
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "dataset/readers/named.h"
#include "dataset/readers/reader.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* Give a set just opened the class names of CIFAR-10; destroys it on failure. */
static enum sl_status name_cifar_classes(struct sl_dataset **dataset, const char *path,
                                         struct sl_error *err)
{
    size_t found = (*dataset)->n_classes;
    if (found >= 1 && found <= SL_CIFAR_CLASSES) {
        sl_dataset_name_classes(*dataset, sl_cifar_classes, SL_CIFAR_CLASSES);
        return SL_OK;
    }
    sl_dataset_destroy(*dataset);
    *dataset = NULL;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: the labels name %zu class%s, expected the 10 of CIFAR-10", path, found,
                   sl_text_plural(found, "", "es"));
}

static enum sl_status open_cifar_like(const char *path, const struct sl_reader *reader,
                                      struct sl_dataset **out, struct sl_error *err)
{
    struct sl_dataset *dataset = NULL;
    SL_TRY(reader->open(path, "layout=nhwc", &dataset, err));
    SL_TRY(name_cifar_classes(&dataset, path, err));
    *out = dataset;
    return SL_OK;
}

static enum sl_status open_cifar10_1(const char *set, const char *file, const char *options,
                                     const struct sl_data_roots *roots, struct sl_dataset **out,
                                     struct sl_error *err)
{
    SL_TRY(sl_no_split(set, options, err));
    char *folder = NULL;
    SL_TRY(sl_fetch_locate(set, roots, &folder, err));
    char *path = sl_path_join(folder, file);
    enum sl_status status = open_cifar_like(path, &sl_reader_npy, out, err);
    free(path);
    free(folder);
    return status;
}

enum sl_status sl_open_cifar10_1_v4(const char *options, const struct sl_data_roots *roots,
                                    struct sl_dataset **out, struct sl_error *err)
{
    return open_cifar10_1("cifar10.1-v4", "cifar10.1_v4_data.npy", options, roots, out, err);
}

enum sl_status sl_open_cifar10_1_v6(const char *options, const struct sl_data_roots *roots,
                                    struct sl_dataset **out, struct sl_error *err)
{
    return open_cifar10_1("cifar10.1-v6", "cifar10.1_v6_data.npy", options, roots, out, err);
}

/* The severities in a file, in order: the published five, or those of its record. */
struct severities {
    size_t values[SL_SEVERITIES];
    size_t count;
};

/* Image i of the s-th severity is row s * N / count + i. With one severity, items keep the ids of
 * the test set, so that its labels apply; with all, they are called severity/i. */
static enum sl_status name_severities(struct sl_dataset *dataset,
                                      const struct severities *severities, size_t severity,
                                      const char *path, struct sl_error *err)
{
    size_t per_severity = dataset->count / severities->count, place = 0;
    if (dataset->count % severities->count != 0)
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu image%s cannot be divided into %zu severities",
                       path, dataset->count, sl_text_plural(dataset->count, "", "s"),
                       severities->count);
    for (size_t i = 0; i < dataset->count; i++) {
        free(dataset->items[i]);
        dataset->items[i] = severity
                                ? sl_string_printf("%zu", i % per_severity)
                                : sl_string_printf("%zu/%zu", severities->values[i / per_severity],
                                                   i % per_severity);
    }
    if (severity == 0) return SL_OK;
    while (place < severities->count && severities->values[place] != severity)
        place++;
    if (place == severities->count)
        return sl_fail(err, SL_ERR_NOT_FOUND, "cifar10-c:%s: the folder has no severity %zu", path,
                       severity);
    size_t *indices = sl_data_alloc(per_severity, sizeof *indices, err);
    if (!indices) return SL_ERR_NOMEM;
    for (size_t i = 0; i < per_severity; i++)
        indices[i] = place * per_severity + i;
    enum sl_status status = sl_dataset_select(dataset, indices, per_severity, err);
    free(indices);
    return status;
}

/* "fog" or "fog-3". */
static enum sl_status parse_corruption(const char *options, char **name, size_t *severity,
                                       struct sl_error *err)
{
    size_t length = options ? strlen(options) : 0;
    if (length == 0)
        return sl_fail(err, SL_ERR_USAGE,
                       "cifar10-c needs a corruption: cifar10-c:fog, or cifar10-c:fog-3 for one "
                       "severity");
    const char *dash = strrchr(options, '-');
    int64_t value = 0;
    *severity = 0;
    if (dash) {
        if (!sl_text_to_integer(dash + 1, strlen(dash + 1), &value) || value < 1 ||
            value > SL_SEVERITIES)
            return sl_fail(err, SL_ERR_USAGE, "cifar10-c:%s: severity is %s, expected 1 to %d",
                           options, dash + 1, SL_SEVERITIES);
        *severity = (size_t)value;
        length = (size_t)(dash - options);
    }
    *name = sl_string_copy_n(options, length);
    return SL_OK;
}

static enum sl_status check_corruption(const char *name, struct sl_error *err)
{
    const char *known[SL_CORRUPTIONS + 1] = {NULL};
    for (size_t i = 0; i < SL_CORRUPTIONS; i++)
        known[i] = sl_corruptions[i].name;
    size_t place = 0;
    return sl_choose(known, name, "cifar10-c", &place, err);
}

/* Where the files are: unpacked, with or without the archive's own folder, or still in it. */
static const char *const corruption_folders[] = {"", "CIFAR-10-C/"};
static const char corruption_archive[] = "CIFAR-10-C.tar";

/* The sub-folder of `folder`, "" or the archive's own, that holds the unpacked file, or NULL. */
static const char *find_unpacked(const char *folder, const char *name)
{
    for (size_t i = 0; i < sizeof corruption_folders / sizeof *corruption_folders; i++) {
        char *path = sl_string_printf("%s/%s%s.npy", folder, corruption_folders[i], name);
        bool there = sl_file_exists(path);
        free(path);
        if (there) return corruption_folders[i];
    }
    return NULL;
}

/* Files that softlab made have no archive beside them, so look for the file itself first. */
static enum sl_status locate_corruption(const char *name, const struct sl_data_roots *roots,
                                        char **folder, struct sl_error *err)
{
    const char *const places[] = {roots->given, roots->folder};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i]) continue;
        char *candidate = sl_path_join(places[i], "cifar10-c");
        if (find_unpacked(candidate, name)) {
            *folder = candidate;
            return SL_OK;
        }
        free(candidate);
    }
    return sl_fetch_locate("cifar10-c", roots, folder, err);
}

/* A file that softlab made may hold only some severities; the record beside it says which. */
static enum sl_status open_unpacked(const char *folder, const char *beneath, const char *name,
                                    struct severities *severities, struct sl_dataset **out,
                                    struct sl_error *err)
{
    char *path = sl_string_printf("%s/%s%s.npy", folder, beneath, name);
    char *record = sl_string_printf("%s/%s%s", folder, beneath, SL_CORRUPTION_RECORD);
    enum sl_status status = SL_OK;
    if (sl_file_exists(record))
        status = sl_corruption_severities(record, severities->values, &severities->count, err);
    if (status == SL_OK) status = open_cifar_like(path, &sl_reader_npy, out, err);
    free(record);
    free(path);
    return status;
}

static enum sl_status open_corruption(const char *folder, const char *name,
                                      struct severities *severities, struct sl_dataset **out,
                                      struct sl_error *err)
{
    *severities = (struct severities){{1, 2, 3, 4, 5}, SL_SEVERITIES};
    const char *beneath = find_unpacked(folder, name);
    if (beneath) return open_unpacked(folder, beneath, name, severities, out, err);
    char *archive = sl_path_join(folder, corruption_archive);
    char *member = sl_string_printf("%s.npy", name);
    enum sl_status status;
    if (sl_file_exists(archive))
        status = sl_npy_open_archive(archive, member, out, err);
    else
        status = sl_fail(err, SL_ERR_NOT_FOUND, "%s: holds no %s", folder, member);
    free(member);
    free(archive);
    return status == SL_OK ? name_cifar_classes(out, folder, err) : status;
}

enum sl_status sl_open_cifar10_c(const char *options, const struct sl_data_roots *roots,
                                 struct sl_dataset **out, struct sl_error *err)
{
    char *folder = NULL, *name = NULL;
    size_t severity = 0;
    struct severities severities;
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(parse_corruption(options, &name, &severity, err));
    SL_TRY_OUT(check_corruption(name, err));
    SL_TRY_OUT(locate_corruption(name, roots, &folder, err));
    SL_TRY_OUT(open_corruption(folder, name, &severities, &dataset, err));
    SL_TRY_OUT(name_severities(dataset, &severities, severity, options, err));
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    free(name);
    free(folder);
    return status;
}

enum sl_status sl_open_cinic10(const char *split, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err)
{
    static const char *const names[] = {"test", "train", "valid", NULL};
    size_t chosen = 0;
    SL_TRY(sl_choose(names, split, "cinic10", &chosen, err));
    char *folder = NULL;
    SL_TRY(sl_fetch_locate("cinic10", roots, &folder, err));
    char *pictures = sl_path_join(folder, names[chosen]);
    enum sl_status status;
    if (sl_folder_exists(pictures))
        status = sl_reader_folder.open(pictures, NULL, out, err);
    else
        status = sl_fail(err, SL_ERR_NOT_FOUND, "%s: no folder %s; unpack CINIC-10.tar.gz there",
                         folder, names[chosen]);
    free(pictures);
    free(folder);
    return status;
}

/* The indices where the array `source` is 0: images that do not come from CIFAR-10. */
static enum sl_status find_imagenet(const char *path, size_t count, size_t **out, size_t *n_found,
                                    struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_array source = {0};
    size_t *indices = NULL, used = 0;
    enum sl_status status;
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    SL_TRY_OUT(sl_npz_peek(npz, "source", &source, err));
    SL_TRY_OUT(sl_array_expect(&source, "source", 1, &count, err));
    if (source.dtype != SL_U1) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: source is %s, expected |u1", path,
                         sl_dtype_name(source.dtype));
        goto out;
    }
    SL_TRY_OUT(sl_npz_read(npz, "source", &source, err));
    indices = sl_data_alloc(count, sizeof *indices, err);
    if (!indices) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        if (((const uint8_t *)source.data)[i] == 0) indices[used++] = i;
    *out = indices;
    *n_found = used;
out:
    sl_array_release(&source);
    sl_npz_close(npz);
    return status;
}

enum sl_status sl_open_cinic10_sample(const char *options, const struct sl_data_roots *roots,
                                      struct sl_dataset **out, struct sl_error *err)
{
    char *folder = NULL, *path = NULL;
    struct sl_dataset *dataset = NULL;
    size_t *indices = NULL, count = 0;
    enum sl_status status;
    SL_TRY_OUT(sl_no_split("cinic10_sample", options, err));
    SL_TRY_OUT(sl_fetch_locate("cinic10_sample", roots, &folder, err));
    path = sl_path_join(folder, "cinic10_sample_2000.npz");
    SL_TRY_OUT(open_cifar_like(path, &sl_reader_npz, &dataset, err));
    SL_TRY_OUT(find_imagenet(path, dataset->count, &indices, &count, err));
    SL_TRY_OUT(sl_dataset_select(dataset, indices, count, err));
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    free(indices);
    free(path);
    free(folder);
    return status;
}
