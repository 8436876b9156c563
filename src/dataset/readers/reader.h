/* Readers: each makes a data set from the files at a path; below are the functions that they share.
 * A new format is one file in this folder and one row of sl_readers. */
#ifndef SOFTLAB_DATASET_READERS_READER_H
#define SOFTLAB_DATASET_READERS_READER_H

#include <stdbool.h>

#include "base/file/stream.h"
#include "softlab/dataset.h"

struct sl_reader {
    const char *name;
    const char *summary; /* what it reads, for "expected one of: ..." */
    bool (*probe)(const char *path);
    /* `split` is NULL for the default. */
    enum sl_status (*open)(const char *path, const char *split, struct sl_dataset **out,
                           struct sl_error *err);
};

extern const struct sl_reader sl_reader_cifar;
extern const struct sl_reader sl_reader_folder;
extern const struct sl_reader sl_reader_idx;
extern const struct sl_reader sl_reader_npy;
extern const struct sl_reader sl_reader_npz;
extern const struct sl_reader sl_reader_tsv;

/* Ends with NULL; the first that recognises a path reads it. */
extern const struct sl_reader *const sl_readers[];

/* A set of `count` items called `name`, without labels, classes and content. */
enum sl_status sl_dataset_create(const char *name, size_t count, struct sl_dataset **out,
                                 struct sl_error *err) SL_MUST_USE;

/* Store a message for sl_dataset_tell. */
void sl_dataset_note(struct sl_dataset *dataset, enum sl_log_level level, const char *format, ...)
    SL_PRINTF(3, 4);

/* Items called first, first + 1, ... */
void sl_dataset_number_items(struct sl_dataset *dataset, size_t first);

/* Classes with these names (copied, replacing the old ones), or called 0, 1, ... */
void sl_dataset_name_classes(struct sl_dataset *dataset, const char *const *names, size_t count);
void sl_dataset_number_classes(struct sl_dataset *dataset, size_t count);

/* Set labels from integers: 0 to n_classes - 1, or, if no classes are known yet, classes 0, 1, ...
 * up to the largest. Errors name `file`. */
enum sl_status sl_dataset_take_labels(struct sl_dataset *dataset, const int32_t *labels,
                                      const char *file, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_INPUT "<file>: <noun> <name> appears twice". */
enum sl_status sl_check_unique(char *const *names, size_t count, const char *file, const char *noun,
                               struct sl_error *err) SL_MUST_USE;

/* The index of `wanted` (NULL or "": the first) among `names`, which end with NULL; otherwise
 * SL_ERR_USAGE with a suggestion. */
enum sl_status sl_choose(const char *const *names, const char *wanted, const char *what,
                         size_t *out, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE if a split is named for a path without splits. */
enum sl_status sl_no_split(const char *path, const char *split, struct sl_error *err) SL_MUST_USE;

/* The ten classes of CIFAR-10 and of sets modelled on it. */
enum { SL_CIFAR_CLASSES = 10, SL_CIFAR_BATCH = 10000, SL_CIFAR_IMAGE_BYTES = 32 * 32 * 3 };
extern const char *const sl_cifar_classes[SL_CIFAR_CLASSES];

/* CIFAR-10 with `per_batch` images in every batch file: SL_CIFAR_BATCH unless testing. */
enum sl_status sl_cifar_open(const char *path, const char *split, size_t per_batch,
                             struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;

/* `count` records of a label and 3,072 bytes by colour into pixels (count, 32, 32, 3). */
enum sl_status sl_cifar_read_binary(struct sl_stream *stream, size_t count, uint8_t *pixels,
                                    int32_t *labels, struct sl_error *err) SL_MUST_USE;

/* Images `member` and labels.npy out of a tar, wherever in it they are. */
enum sl_status sl_npy_open_archive(const char *path, const char *member, struct sl_dataset **out,
                                   struct sl_error *err) SL_MUST_USE;

/* "n=500,seed=3" over the defaults; SL_ERR_USAGE with a suggestion. */
enum sl_status sl_shapes_options_parse(const char *text, struct sl_shapes_options *out,
                                       struct sl_error *err) SL_MUST_USE;

/* An IDX array of bytes. */
enum { SL_IDX_MAX_DIMENSIONS = 3 };
struct sl_idx {
    size_t n_dimensions;
    size_t shape[SL_IDX_MAX_DIMENSIONS];
    uint8_t *values; /* owned */
};
/* Read the header; then, once its sizes are checked, the values. */
enum sl_status sl_idx_begin(struct sl_stream *stream, struct sl_idx *out,
                            struct sl_error *err) SL_MUST_USE;
enum sl_status sl_idx_finish(struct sl_stream *stream, struct sl_idx *idx,
                             struct sl_error *err) SL_MUST_USE;
void sl_idx_release(struct sl_idx *idx);

/* SL_ERR_INPUT unless an image has 1 to SL_IMAGE_MAX_PIXELS pixels, and in a set of more than
 * SL_MANY_IMAGES at least SL_LEAST_IMAGE bytes: otherwise a file of a few kilobytes could claim all
 * memory for the names and labels of one-pixel images. */
enum { SL_MANY_IMAGES = 1 << 20, SL_LEAST_IMAGE = 16 };
enum sl_status sl_images_check(const char *path, size_t count, size_t height, size_t width,
                               size_t channels, struct sl_error *err) SL_MUST_USE;

#endif
