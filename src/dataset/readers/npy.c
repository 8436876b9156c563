/* Images (npy_images.c) and features, floats (N, F), in numpy's files.
 *
 * An .npy of images takes its labels from the file beside it that has "labels" where it has
 * "images" or "data" (cifar10.1_v6_data.npy), or else is called labels.npy (CIFAR-10-C); so
 * does one of features. An .npz holds `images` or `features` and, if known, `labels`, `classes` and
 * `item`. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/npy_images.h"
#include "dataset/readers/tar.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { SHAPE_TEXT = 256 };

static bool are_floats(const struct sl_array *array)
{
    return array->dtype == SL_F4 || array->dtype == SL_F8;
}

static enum sl_status check_features(const struct sl_array *rows, const char *path,
                                     struct sl_error *err)
{
    if (!are_floats(rows) || rows->n_dimensions != 2 || rows->shape[1] == 0) {
        char shape[SHAPE_TEXT];
        return sl_fail(err, SL_ERR_INPUT, "%s: features are %s %s, expected <f4 or <f8 (N, F)",
                       path, sl_dtype_name(rows->dtype),
                       sl_array_shape_text(rows, shape, sizeof shape));
    }
    if (rows->shape[0] == 0) return sl_fail(err, SL_ERR_INPUT, "%s: no rows of features", path);
    return SL_OK;
}

static enum sl_status check_no_options(const struct sl_npy_options *options, const char *path,
                                       struct sl_error *err)
{
    if (options->layout == SL_LAYOUT_GUESS && options->range == SL_RANGE_GUESS) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT,
                   "%s: layout= and range= are for images, the items are features", path);
}

/* A set from rows of finite numbers. */
static enum sl_status take_features(const struct sl_array *rows, const char *path,
                                    struct sl_dataset **out, struct sl_error *err)
{
    SL_TRY(check_features(rows, path, err));
    struct sl_array floats = {0};
    struct sl_dataset *dataset = NULL;
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_array_convert(rows, SL_F4, path, &floats, err));
    SL_TRY_OUT(sl_array_check_finite(&floats, path, err));
    SL_TRY_OUT(sl_dataset_create(path, floats.shape[0], &dataset, err));
    dataset->n_features = floats.shape[1];
    dataset->features = floats.data;
    floats.data = NULL;
    *out = dataset;
out:
    sl_array_release(&floats);
    return status;
}

static enum sl_status take_items(struct sl_array *array, const struct sl_npy_options *options,
                                 const char *path, struct sl_dataset **out, struct sl_error *err)
{
    if (sl_npy_are_images(array)) return sl_npy_images_take(array, options, path, out, err);
    SL_TRY(check_no_options(options, path, err));
    return take_features(array, path, out, err);
}

static enum sl_status check_labels(const struct sl_dataset *dataset, const struct sl_array *array,
                                   const char *path, struct sl_error *err)
{
    SL_TRY(sl_array_expect(array, path, 1, NULL, err));
    if (array->shape[0] == dataset->count) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: %zu label%s for %zu item%s", path, array->shape[0],
                   sl_text_plural(array->shape[0], "", "s"), dataset->count,
                   sl_text_plural(dataset->count, "", "s"));
}

static enum sl_status set_labels(struct sl_dataset *dataset, const struct sl_array *array,
                                 const char *path, struct sl_error *err)
{
    SL_TRY(check_labels(dataset, array, path, err));
    struct sl_array labels = {0};
    SL_TRY(sl_array_convert(array, SL_I4, path, &labels, err));
    enum sl_status status = sl_dataset_take_labels(dataset, labels.data, path, err);
    sl_array_release(&labels);
    return status;
}

static enum sl_status check_classes(const struct sl_dataset *dataset, const struct sl_array *array,
                                    const char *path, struct sl_error *err)
{
    (void)dataset;
    SL_TRY(sl_array_expect(array, path, 1, NULL, err));
    if (array->dtype == SL_TEXT && array->shape[0] > 0) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: expected class names", path);
}

static enum sl_status set_classes(struct sl_dataset *dataset, const struct sl_array *array,
                                  const char *path, struct sl_error *err)
{
    dataset->classes = sl_data_alloc(array->shape[0], sizeof *dataset->classes, err);
    if (!dataset->classes) return SL_ERR_NOMEM;
    for (; dataset->n_classes < array->shape[0]; dataset->n_classes++)
        SL_TRY(
            sl_array_string(array, dataset->n_classes, &dataset->classes[dataset->n_classes], err));
    return sl_check_unique(dataset->classes, dataset->n_classes, path, "class", err);
}

static enum sl_status check_items(const struct sl_dataset *dataset, const struct sl_array *array,
                                  const char *path, struct sl_error *err)
{
    SL_TRY(sl_array_expect(array, path, 1, NULL, err));
    if (array->shape[0] == dataset->count) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: %zu id%s for %zu item%s", path, array->shape[0],
                   sl_text_plural(array->shape[0], "", "s"), dataset->count,
                   sl_text_plural(dataset->count, "", "s"));
}

/* Ids may be texts or integers. */
static enum sl_status set_items(struct sl_dataset *dataset, const struct sl_array *array,
                                const char *path, struct sl_error *err)
{
    struct sl_array numbers = {0};
    enum sl_status status;
    if (array->dtype != SL_TEXT) SL_TRY_OUT(sl_array_convert(array, SL_I8, path, &numbers, err));
    const int64_t *values = numbers.data;
    for (size_t i = 0; i < dataset->count; i++) {
        if (values)
            dataset->items[i] = sl_string_printf("%lld", (long long)values[i]);
        else
            SL_TRY_OUT(sl_array_string(array, i, &dataset->items[i], err));
    }
    SL_TRY_OUT(sl_check_unique(dataset->items, dataset->count, path, "id", err));
out:
    sl_array_release(&numbers);
    return status;
}

/* `path` with the last "images" or "data" of its file name read as "labels". */
static char *paired_name(const char *path)
{
    static const char *const words[] = {"images", "data"};
    const char *name = sl_path_name(path);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *at = NULL;
        for (const char *next = strstr(name, words[w]); next; next = strstr(next + 1, words[w]))
            at = next;
        if (at)
            return sl_string_printf("%.*slabels%s", (int)(at - path), path, at + strlen(words[w]));
    }
    return sl_string_copy(path);
}

/* The labels file beside an images file, on the heap, or NULL. */
static char *find_labels(const char *path)
{
    char *paired = paired_name(path);
    if (strcmp(paired, path) != 0 && sl_file_exists(paired)) return paired;
    free(paired);
    char *plain = sl_string_printf("%.*slabels.npy", (int)(sl_path_name(path) - path), path);
    if (sl_file_exists(plain)) return plain;
    free(plain);
    return NULL;
}

static enum sl_status open_npy(const char *path, const char *split, struct sl_dataset **out,
                               struct sl_error *err)
{
    struct sl_array items = {0}, labels = {0};
    struct sl_dataset *dataset = NULL;
    struct sl_npy_options options;
    char *beside = find_labels(path);
    enum sl_status status;
    SL_TRY_OUT(sl_npy_options_parse(path, split, &options, err));
    SL_TRY_OUT(sl_npy_read(path, &items, err));
    SL_TRY_OUT(take_items(&items, &options, path, &dataset, err));
    sl_dataset_number_items(dataset, 0);
    if (beside) {
        SL_TRY_OUT(sl_npy_read(beside, &labels, err));
        SL_TRY_OUT(set_labels(dataset, &labels, beside, err));
    }
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    sl_array_release(&items);
    sl_array_release(&labels);
    free(beside);
    return status;
}

static enum sl_status check_vector(const struct sl_array *array, const char *path,
                                   struct sl_error *err)
{
    return sl_array_expect(array, path, 1, NULL, err);
}

/* Of the archives that are opened here. */
static const struct sl_npy_options published = {.layout = SL_LAYOUT_NHWC};

/* Arrays are first checked by header, with `data` NULL, and then read. */
static enum sl_status check_images(const struct sl_array *images, const char *path,
                                   struct sl_error *err)
{
    return sl_npy_images_check(images, &published, path, err);
}

/* The rest of a tar's entry as an array, once its header passed `check`. */
static enum sl_status parse_entry(struct sl_tar *tar,
                                  enum sl_status (*check)(const struct sl_array *, const char *,
                                                          struct sl_error *),
                                  struct sl_array *out, struct sl_error *err)
{
    const size_t length = (size_t)tar->entry.at_most;
    const size_t head = length < SL_NPY_MOST_HEADER ? length : SL_NPY_MOST_HEADER;
    uint8_t *bytes = NULL;
    struct sl_array stated;
    enum sl_status status;
    SL_TRY_OUT(sl_stream_take(&tar->entry, &bytes, 0, head, err));
    SL_TRY_OUT(sl_npy_peek(bytes, head, length, tar->label, &stated, err));
    SL_TRY_OUT(check(&stated, tar->label, err));
    SL_TRY_OUT(sl_stream_take(&tar->entry, &bytes, head, length, err));
    SL_TRY_OUT(sl_npy_parse(bytes, length, tar->label, out, err));
out:
    free(bytes);
    return status;
}

/* The current file of the archive, if it is one of those wanted. */
static enum sl_status take_entry(struct sl_tar *tar, const char *member, struct sl_array *images,
                                 struct sl_array *labels, struct sl_error *err)
{
    const char *name = sl_path_name(tar->path);
    if (!images->data && strcmp(name, member) == 0)
        return parse_entry(tar, check_images, images, err);
    if (!labels->data && strcmp(name, "labels.npy") == 0)
        return parse_entry(tar, check_vector, labels, err);
    return SL_OK;
}

static enum sl_status find_in_archive(const char *path, const char *member, struct sl_array *images,
                                      struct sl_array *labels, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    struct sl_tar tar;
    bool found = true;
    enum sl_status status;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    sl_tar_init(&tar, stream);
    while (!images->data || !labels->data) {
        SL_TRY_OUT(sl_tar_next(&tar, &found, err));
        if (!found) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: holds no %s", path,
                             images->data ? "labels.npy" : member);
            break;
        }
        SL_TRY_OUT(take_entry(&tar, member, images, labels, err));
    }
out:
    sl_file_stream_close(stream);
    return status;
}

enum sl_status sl_npy_open_archive(const char *path, const char *member, struct sl_dataset **out,
                                   struct sl_error *err)
{
    struct sl_array images = {0}, labels = {0};
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(find_in_archive(path, member, &images, &labels, err));
    SL_TRY_OUT(sl_npy_images_take(&images, &published, path, &dataset, err));
    sl_dataset_number_items(dataset, 0);
    SL_TRY_OUT(set_labels(dataset, &labels, path, err));
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    sl_array_release(&images);
    sl_array_release(&labels);
    return status;
}

/* Optional arrays of an .npz, in the order in which they must be set. */
static const struct part {
    const char *name;
    enum sl_status (*check)(const struct sl_dataset *dataset, const struct sl_array *array,
                            const char *path, struct sl_error *err);
    enum sl_status (*set)(struct sl_dataset *dataset, const struct sl_array *array,
                          const char *path, struct sl_error *err);
} parts[] = {{"classes", check_classes, set_classes},
             {"labels", check_labels, set_labels},
             {"item", check_items, set_items}};

static enum sl_status add_part(struct sl_dataset *dataset, struct sl_npz *npz,
                               const struct part *part, const char *path, struct sl_error *err)
{
    if (!sl_npz_has(npz, part->name)) return SL_OK;
    struct sl_array array = {0};
    char *what = sl_string_printf("%s: %s", path, part->name);
    enum sl_status status;
    SL_TRY_OUT(sl_npz_peek(npz, part->name, &array, err));
    SL_TRY_OUT(part->check(dataset, &array, what, err));
    SL_TRY_OUT(sl_npz_read(npz, part->name, &array, err));
    SL_TRY_OUT(part->set(dataset, &array, what, err));
out:
    free(what);
    sl_array_release(&array);
    return status;
}

static enum sl_status open_npz(const char *path, const char *split, struct sl_dataset **out,
                               struct sl_error *err)
{
    struct sl_npz *npz = NULL;
    struct sl_array items = {0};
    struct sl_dataset *dataset = NULL;
    struct sl_npy_options options;
    enum sl_status status;
    SL_TRY_OUT(sl_npy_options_parse(path, split, &options, err));
    SL_TRY_OUT(sl_npz_open(path, &npz, err));
    const bool features = sl_npz_has(npz, "features");
    if (features == sl_npz_has(npz, "images")) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: has %s called images or features, expected one",
                         path, features ? "both arrays" : "no array");
        goto out;
    }
    const char *const name = features ? "features" : "images";
    SL_TRY_OUT(sl_npz_peek(npz, name, &items, err));
    if (features) SL_TRY_OUT(check_no_options(&options, path, err));
    SL_TRY_OUT(features ? check_features(&items, path, err)
                        : sl_npy_images_check(&items, &options, path, err));
    SL_TRY_OUT(sl_npz_read(npz, name, &items, err));
    if (features)
        SL_TRY_OUT(take_features(&items, path, &dataset, err));
    else
        SL_TRY_OUT(sl_npy_images_take(&items, &options, path, &dataset, err));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        SL_TRY_OUT(add_part(dataset, npz, &parts[i], path, err));
    if (!dataset->items[0]) sl_dataset_number_items(dataset, 0);
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    sl_array_release(&items);
    sl_npz_close(npz);
    return status;
}

static bool probe_npy(const char *path)
{
    return sl_path_has_suffix(path, ".npy");
}

static bool probe_npz(const char *path)
{
    return sl_path_has_suffix(path, ".npz");
}

const struct sl_reader sl_reader_npy = {
    "npy",
    "an .npy of images or float features with its labels beside it",
    probe_npy,
    open_npy,
};

const struct sl_reader sl_reader_npz = {
    "npz",
    "an .npz with the arrays images or features, and labels",
    probe_npz,
    open_npz,
};
