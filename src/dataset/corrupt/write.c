/* Folders of corrupted images in the layout of CIFAR-10-C, with a record of how they were made, so
 * that a later call can keep them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataset/corrupt/corrupt.h"
#include "softlab/base/array.h"
#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/dataset.h"

/* Increase when the same arguments give other images. */
enum { METHOD = 1, RECORD_LIMIT = 1 << 20 };

struct output {
    const struct sl_dataset *dataset;         /* borrowed */
    const struct sl_corrupt_options *options; /* borrowed */
    const char *folder;                       /* borrowed */
    char *record_path;                        /* owned */
    json_t *record;                           /* owned */
};

/* Everything the images depend on. */
static json_t *describe_source(const struct sl_dataset *dataset,
                               const struct sl_corrupt_options *options)
{
    char sum[SL_SHA256_TEXT];
    sl_sha256(dataset->pixels,
              dataset->count * dataset->height * dataset->width * dataset->channels, sum);
    json_t *severities = json_array();
    for (size_t i = 0; i < options->n_severities; i++)
        json_array_append_new(severities, json_integer(options->severities[i]));
    return json_pack("{s:i, s:I, s:[I, I, I, I], s:s, s:o}", "method", METHOD, "seed",
                     (json_int_t)options->seed, "shape", (json_int_t)dataset->count,
                     (json_int_t)dataset->height, (json_int_t)dataset->width,
                     (json_int_t)dataset->channels, "sha256", sum, "severities", severities);
}

/* SL_ERR_USAGE naming what differs between the record and what is asked for. */
static enum sl_status check_same(const struct output *output, json_t *wanted, struct sl_error *err)
{
    const json_t *held = json_object_get(output->record, "made_from");
    if (json_equal(held, wanted)) return SL_OK;
    const char *key = "";
    const json_t *value = NULL;
    json_object_foreach(wanted, key,
                        value) if (!json_equal(json_object_get(held, key), value)) break;
    char *was = json_dumps(json_object_get(held, key), JSON_ENCODE_ANY | JSON_COMPACT);
    char *now = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    enum sl_status status = sl_fail(
        err, SL_ERR_USAGE, "%s: its images were made with %s %s, not %s; choose another folder",
        output->record_path, key, was ? was : "unknown", now ? now : "unknown");
    free(was);
    free(now);
    return status;
}

/* A folder without a record may hold the published files, which must not be overwritten. */
static enum sl_status check_unclaimed(const char *folder,
                                      const struct sl_corruption *const *corruptions,
                                      struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK; i++) {
        char *path =
            sl_string_printf("%s/%s.npy", folder, corruptions[i] ? corruptions[i]->name : "labels");
        if (sl_file_exists(path))
            status = sl_fail(
                err, SL_ERR_USAGE,
                "%s: the file exists and softlab did not make it; choose another folder", path);
        free(path);
        if (!corruptions[i]) break;
    }
    return status;
}

static enum sl_status read_record(const char *path, json_t **out, struct sl_error *err)
{
    struct sl_json document = {0};
    SL_TRY(sl_json_read(path, RECORD_LIMIT, &document, err));
    const struct sl_json_cursor root = sl_json_root(&document);
    struct sl_json_cursor source, files;
    enum sl_status status;
    SL_TRY_OUT(sl_json_member(&root, "made_from", &source, err));
    SL_TRY_OUT(sl_json_member(&root, "files", &files, err));
    if (!json_is_object(source.value) || !json_is_object(files.value)) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: made_from and files must be objects", path);
        goto out;
    }
    *out = json_incref(document.root);
out:
    sl_json_release(&document);
    return status;
}

/* Read or create the record of the folder, which marks it as ours. */
static enum sl_status claim_folder(struct output *output,
                                   const struct sl_corruption *const *corruptions,
                                   struct sl_error *err)
{
    json_t *wanted = describe_source(output->dataset, output->options);
    enum sl_status status;
    SL_TRY_OUT(sl_folder_create(output->folder, err));
    if (sl_file_exists(output->record_path)) {
        SL_TRY_OUT(read_record(output->record_path, &output->record, err));
        SL_TRY_OUT(check_same(output, wanted, err));
    } else {
        SL_TRY_OUT(check_unclaimed(output->folder, corruptions, err));
        output->record = json_pack("{s:s, s:s, s:O, s:{}}", "softlab", "corruptions", "frost",
                                   "drawn by a formula, not the published photographs", "made_from",
                                   wanted, "files");
        SL_TRY_OUT(sl_json_write(output->record, output->record_path, err));
    }
out:
    json_decref(wanted);
    return status;
}

/* True if the record lists the file with its current length. */
static bool is_whole(const struct output *output, const char *name, const char *path)
{
    const json_t *held = json_object_get(json_object_get(output->record, "files"), name);
    int descriptor = -1;
    uint64_t size = 0;
    if (!json_is_integer(held) || sl_file_open(path, &descriptor, &size, NULL) != SL_OK)
        return false;
    close(descriptor);
    return size == (uint64_t)json_integer_value(held);
}

/* Write an array and record its length. */
static enum sl_status write_noted(const struct output *output, const char *name, const char *path,
                                  const struct sl_array *array, struct sl_error *err)
{
    SL_TRY(sl_npy_write(array, SL_ORDER_C, path, err));
    int descriptor = -1;
    uint64_t size = 0;
    SL_TRY(sl_file_open(path, &descriptor, &size, err));
    close(descriptor);
    json_object_set_new(json_object_get(output->record, "files"), name,
                        json_integer((json_int_t)size));
    return sl_json_write(output->record, output->record_path, err);
}

static enum sl_status make_images(const struct output *output,
                                  const struct sl_corruption *corruption, const char *path,
                                  struct sl_error *err)
{
    const struct sl_dataset *dataset = output->dataset;
    const size_t shape[4] = {output->options->n_severities * dataset->count, dataset->height,
                             dataset->width, dataset->channels};
    struct sl_array images = {0};
    SL_TRY(sl_array_create(SL_U1, 0, 4, shape, &images, err));
    enum sl_status status =
        sl_corrupt_dataset(corruption, dataset, output->options, images.data, err);
    if (status == SL_OK) status = write_noted(output, corruption->name, path, &images, err);
    sl_array_release(&images);
    return status;
}

static bool all_labelled(const struct sl_dataset *dataset)
{
    for (size_t i = 0; i < dataset->count; i++)
        if (dataset->labels[i] == SL_NO_LABEL) return false;
    return dataset->n_classes <= UINT8_MAX + 1;
}

static enum sl_status make_labels(const struct output *output, const char *path,
                                  struct sl_error *err)
{
    const struct sl_dataset *dataset = output->dataset;
    const size_t count = output->options->n_severities * dataset->count;
    struct sl_array labels = {0};
    SL_TRY(sl_array_create(SL_U1, 0, 1, &count, &labels, err));
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)labels.data)[i] = (uint8_t)dataset->labels[i % dataset->count];
    enum sl_status status = write_noted(output, "labels", path, &labels, err);
    sl_array_release(&labels);
    return status;
}

/* Make one file, `corruption` or NULL for the labels; *made counts it unless it existed. */
static enum sl_status make_file(const struct output *output, const struct sl_corruption *corruption,
                                size_t *made, struct sl_error *err)
{
    const char *name = corruption ? corruption->name : "labels";
    char *path = sl_string_printf("%s/%s.npy", output->folder, name);
    enum sl_status status = SL_OK;
    if (!is_whole(output, name, path)) {
        status = corruption ? make_images(output, corruption, path, err)
                            : make_labels(output, path, err);
        if (status == SL_OK && corruption) ++*made;
    }
    free(path);
    return status;
}

enum sl_status sl_corrupt_write(const struct sl_dataset *dataset,
                                const struct sl_corruption *const *corruptions,
                                const struct sl_corrupt_options *options, const char *folder,
                                size_t *n_made, struct sl_error *err)
{
    SL_TRY(sl_corrupt_check(dataset, options, err));
    struct output output = {.dataset = dataset,
                            .options = options,
                            .folder = folder,
                            .record_path = sl_path_join(folder, SL_CORRUPTION_RECORD)};
    size_t made = 0;
    enum sl_status status;
    SL_TRY_OUT(claim_folder(&output, corruptions, err));
    if (all_labelled(dataset)) SL_TRY_OUT(make_file(&output, NULL, &made, err));
    for (size_t i = 0; corruptions[i]; i++)
        SL_TRY_OUT(make_file(&output, corruptions[i], &made, err));
    if (n_made) *n_made = made;
out:
    free(output.record_path);
    json_decref(output.record);
    return status;
}

enum sl_status sl_corruption_severities(const char *record, size_t *severities, size_t *count,
                                        struct sl_error *err)
{
    struct sl_json document = {0};
    SL_TRY(sl_json_read(record, RECORD_LIMIT, &document, err));
    const struct sl_json_cursor root = sl_json_root(&document);
    struct sl_json_cursor source, list;
    size_t size = 0, found[SL_SEVERITIES];
    enum sl_status status;
    SL_TRY_OUT(sl_json_member(&root, "made_from", &source, err));
    SL_TRY_OUT(sl_json_member(&source, "severities", &list, err));
    SL_TRY_OUT(sl_json_array_size(&list, &size, err));
    if (size == 0 || size > SL_SEVERITIES) {
        status =
            sl_json_fail(&list, err, "expected 1 to %d severities, got %zu", SL_SEVERITIES, size);
        goto out;
    }
    for (size_t i = 0; i < size; i++) {
        const struct sl_json_cursor element = sl_json_element(&list, i);
        int64_t value = 0;
        const int64_t least = i ? (int64_t)found[i - 1] + 1 : 1;
        SL_TRY_OUT(sl_json_integer(&element, least, SL_SEVERITIES, &value, err));
        found[i] = (size_t)value;
    }
    memcpy(severities, found, size * sizeof *found);
    *count = size;
out:
    sl_json_release(&document);
    return status;
}
