/* IDX, the format of MNIST: two zero bytes, the element type, the number of dimensions,
 * the sizes as 32-bit big-endian numbers, then the elements. Images come with their labels
 * from the file beside them whose name says "labels" and "idx1" instead. */
#include <stdlib.h>
#include <string.h>

#include "dataset/readers/reader.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum { TYPE_BYTE = 0x08, LABELS_DIMENSIONS = 1, IMAGES_DIMENSIONS = 3 };

void sl_idx_release(struct sl_idx *idx)
{
    free(idx->values);
    *idx = (struct sl_idx){0};
}

static enum sl_status read_magic(struct sl_stream *stream, size_t *n_dimensions,
                                 struct sl_error *err)
{
    unsigned char magic[4];
    SL_TRY(sl_stream_need(stream, magic, sizeof magic, err));
    if (magic[0] != 0 || magic[1] != 0)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: not IDX; the file begins with the bytes %02x %02x %02x %02x",
                       stream->name, magic[0], magic[1], magic[2], magic[3]);
    if (magic[2] != TYPE_BYTE)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte 2: element type 0x%02x, expected 0x08 (bytes)",
                       stream->name, magic[2]);
    if (magic[3] < 1 || magic[3] > SL_IDX_MAX_DIMENSIONS)
        return sl_fail(err, SL_ERR_INPUT, "%s: byte 3: %u dimensions, expected 1 to %d",
                       stream->name, magic[3], SL_IDX_MAX_DIMENSIONS);
    *n_dimensions = magic[3];
    return SL_OK;
}

/* Read the sizes. A product of three factors below 2^32 can exceed 2^64, so each step is checked
 * against the bytes that can come. */
static enum sl_status read_shape(struct sl_stream *stream, struct sl_idx *idx, struct sl_error *err)
{
    uint64_t product = 1;
    for (size_t i = 0; i < idx->n_dimensions; i++) {
        unsigned char size[4];
        SL_TRY(sl_stream_need(stream, size, sizeof size, err));
        idx->shape[i] =
            (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | (size_t)size[3];
        if (idx->shape[i] == 0)
            return sl_fail(err, SL_ERR_INPUT, "%s: dimension %zu is 0", stream->name, i + 1);
        if (product > stream->at_most / idx->shape[i])
            return sl_fail(err, SL_ERR_INPUT, "%s: states more bytes than the file can hold",
                           stream->name);
        product *= idx->shape[i];
    }
    return SL_OK;
}

enum sl_status sl_idx_begin(struct sl_stream *stream, struct sl_idx *out, struct sl_error *err)
{
    struct sl_idx idx = {0};
    SL_TRY(read_magic(stream, &idx.n_dimensions, err));
    SL_TRY(read_shape(stream, &idx, err));
    *out = idx;
    return SL_OK;
}

enum sl_status sl_idx_finish(struct sl_stream *stream, struct sl_idx *idx, struct sl_error *err)
{
    size_t bytes = 1;
    for (size_t i = 0; i < idx->n_dimensions; i++)
        bytes *= idx->shape[i];
    SL_TRY(sl_stream_take(stream, &idx->values, 0, bytes, err));
    return sl_stream_end(stream, err);
}

/* Check the header before the values are unpacked. */
static enum sl_status check_images(const struct sl_idx *idx, const char *path, size_t count,
                                   struct sl_error *err)
{
    (void)count;
    if (idx->n_dimensions == IMAGES_DIMENSIONS)
        return sl_images_check(path, idx->shape[0], idx->shape[1], idx->shape[2], 1, err);
    return sl_fail(err, SL_ERR_INPUT, "%s: %zu dimension%s, expected %d for images", path,
                   idx->n_dimensions, sl_text_plural(idx->n_dimensions, "", "s"),
                   IMAGES_DIMENSIONS);
}

static enum sl_status check_labels(const struct sl_idx *idx, const char *path, size_t count,
                                   struct sl_error *err)
{
    if (idx->n_dimensions != LABELS_DIMENSIONS)
        return sl_fail(err, SL_ERR_INPUT, "%s: %zu dimensions, expected %d for labels", path,
                       idx->n_dimensions, LABELS_DIMENSIONS);
    if (idx->shape[0] == count) return SL_OK;
    return sl_fail(err, SL_ERR_INPUT, "%s: %zu label%s for %zu image%s", path, idx->shape[0],
                   sl_text_plural(idx->shape[0], "", "s"), count, sl_text_plural(count, "", "s"));
}

static enum sl_status read_file(const char *path,
                                enum sl_status (*check)(const struct sl_idx *, const char *, size_t,
                                                        struct sl_error *),
                                size_t count, struct sl_idx *out, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    struct sl_idx idx = {0};
    enum sl_status status;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    SL_TRY_OUT(sl_idx_begin(stream, &idx, err));
    SL_TRY_OUT(check(&idx, path, count, err));
    SL_TRY_OUT(sl_idx_finish(stream, &idx, err));
    *out = idx;
    idx = (struct sl_idx){0};
out:
    sl_idx_release(&idx);
    sl_file_stream_close(stream);
    return status;
}

/* `text` with its last `from` replaced by `to`, or NULL if there is none; frees `text`. */
static char *replace_last(char *text, const char *from, const char *to)
{
    char *at = NULL;
    for (char *next = strstr(text, from); next; next = strstr(next + 1, from))
        at = next;
    char *replaced = NULL;
    if (at) replaced = sl_string_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return replaced;
}

/* The labels file beside an images file, packed or not, on the heap, or NULL. */
static char *find_labels(const char *path)
{
    size_t folder = (size_t)(sl_path_name(path) - path);
    char *name = replace_last(sl_string_copy(path + folder), "images", "labels");
    if (name) name = replace_last(name, "idx3", "idx1");
    if (!name) return NULL;
    char *beside = sl_string_printf("%.*s%s", (int)folder, path, name);
    free(name);
    if (sl_file_exists(beside)) return beside;
    bool packed = sl_path_has_suffix(beside, ".gz");
    char *other = packed ? sl_string_copy_n(beside, strlen(beside) - strlen(".gz"))
                         : sl_string_printf("%s.gz", beside);
    free(beside);
    if (sl_file_exists(other)) return other;
    free(other);
    return NULL;
}

static enum sl_status add_labels(struct sl_dataset *dataset, const char *path, struct sl_error *err)
{
    struct sl_idx idx = {0};
    int32_t *labels = NULL;
    enum sl_status status;
    SL_TRY_OUT(read_file(path, check_labels, dataset->count, &idx, err));
    labels = sl_data_alloc(idx.shape[0], sizeof *labels, err);
    if (!labels) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    for (size_t i = 0; i < idx.shape[0]; i++)
        labels[i] = idx.values[i];
    SL_TRY_OUT(sl_dataset_take_labels(dataset, labels, path, err));
out:
    free(labels);
    sl_idx_release(&idx);
    return status;
}

static enum sl_status open_images(const char *path, struct sl_dataset **out, struct sl_error *err)
{
    struct sl_idx idx = {0};
    struct sl_dataset *dataset = NULL;
    char *labels = find_labels(path);
    enum sl_status status;
    SL_TRY_OUT(read_file(path, check_images, 0, &idx, err));
    SL_TRY_OUT(sl_dataset_create(path, idx.shape[0], &dataset, err));
    dataset->height = idx.shape[1];
    dataset->width = idx.shape[2];
    dataset->channels = 1;
    dataset->pixels = idx.values;
    idx.values = NULL;
    sl_dataset_number_items(dataset, 0);
    if (labels) SL_TRY_OUT(add_labels(dataset, labels, err));
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    sl_idx_release(&idx);
    free(labels);
    return status;
}

static const char *const split_names[] = {"test", "train", NULL};
static const char *const split_files[] = {"t10k-images-idx3-ubyte", "train-images-idx3-ubyte"};

/* The images file of a split within a folder, packed or not, on the heap, or NULL. */
static char *find_images(const char *folder, size_t split)
{
    char *plain = sl_path_join(folder, split_files[split]);
    if (sl_file_exists(plain)) return plain;
    char *packed = sl_string_printf("%s.gz", plain);
    free(plain);
    if (sl_file_exists(packed)) return packed;
    free(packed);
    return NULL;
}

static bool probe(const char *path)
{
    if (sl_folder_exists(path)) {
        for (size_t s = 0; split_names[s]; s++) {
            char *images = find_images(path, s);
            bool there = images != NULL;
            free(images);
            if (there) return true;
        }
        return false;
    }
    struct sl_stream *stream = NULL;
    unsigned char magic[4];
    size_t got = 0;
    bool fits = sl_file_stream_open(path, &stream, NULL) == SL_OK &&
                sl_stream_read(stream, magic, sizeof magic, &got, NULL) == SL_OK &&
                got == sizeof magic && magic[0] == 0 && magic[1] == 0 && magic[2] == TYPE_BYTE &&
                magic[3] >= 1 && magic[3] <= SL_IDX_MAX_DIMENSIONS;
    sl_file_stream_close(stream);
    return fits || sl_path_has_suffix(path, "-ubyte") || sl_path_has_suffix(path, "-ubyte.gz");
}

static enum sl_status open_idx(const char *path, const char *split, struct sl_dataset **out,
                               struct sl_error *err)
{
    if (!sl_folder_exists(path)) {
        SL_TRY(sl_no_split(path, split, err));
        return open_images(path, out, err);
    }
    size_t chosen = 0;
    SL_TRY(sl_choose(split_names, split, path, &chosen, err));
    char *images = find_images(path, chosen);
    if (!images)
        return sl_fail(err, SL_ERR_NOT_FOUND, "%s: holds no %s", path, split_files[chosen]);
    enum sl_status status = open_images(images, out, err);
    free(images);
    return status;
}

const struct sl_reader sl_reader_idx = {
    "idx",
    "IDX images (train-images-idx3-ubyte.gz) or a folder of them",
    probe,
    open_idx,
};
