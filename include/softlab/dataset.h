/* Dataset: images, texts and rows of features on disk -> arrays. Readers, splits, resampling,
 * augmentation, corruption, mixing, and fetching of public sets.
 *
 * A data set is named by one string, the same in every command:
 *     cifar10:test, labelme:train, pos:dev, shapes:n=500,seed=3        a named set
 *     photos/, images.npy, features.npz, items.tsv, a-idx3-ubyte.gz    a path
 *     photos:val                     a part of a folder that has train/, val/, ... */
#ifndef SOFTLAB_DATASET_H
#define SOFTLAB_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/hash.h"
#include "softlab/base/log.h"
#include "softlab/base/random.h"
#include "softlab/dataset/corruption.h"
#include "softlab/dataset/fetch.h"
#include "softlab/dataset/image.h"
#include "softlab/pool.h"

SL_BEGIN_DECLS

enum { SL_NO_LABEL = -1 };

/* The part of a text that the question is about, in bytes; empty = the whole text. */
struct sl_span {
    size_t begin, end;
};

/* An open data set. Everything is owned by the set. Exactly one of `pixels`, `files`,
 * `texts` and `features` is set: images of one size in memory, images on disk (any sizes, decoded
 * when asked for), texts, or rows of finite numbers. */
struct sl_dataset {
    char *name; /* as the user wrote it */
    size_t count;
    size_t n_classes;
    char **classes;  /* n_classes names */
    char **items;    /* count ids, unique */
    int32_t *labels; /* count; SL_NO_LABEL where unknown */
    float *truth;    /* (count, n_classes) true distributions, or NULL if they are unknown */

    size_t height, width, channels; /* of `pixels`; 0 otherwise */
    uint8_t *pixels;                /* (count, height, width, channels) */
    char **files;                   /* count paths */
    char **texts;                   /* count texts */
    struct sl_span *spans;          /* count, with `texts`; or NULL */
    size_t n_features;              /* of `features`; 0 otherwise */
    float *features;                /* (count, n_features) */

    size_t n_siblings; /* items of other splits or skipped ones, which labels may still name */
    char **siblings;   /* n_siblings ids, none of them in `items`; or NULL */

    char *parts;    /* "train, val": the parts of a folder whose training part was read because none
                       was named; or NULL */
    size_t n_notes; /* messages about what was left out or changed, for sl_dataset_tell */
    struct sl_dataset_note {
        enum sl_log_level level;
        char *text;
    } * notes;
};

/* What the items of a set are. */
enum sl_dataset_kind {
    SL_DATASET_IMAGES, /* `pixels` or `files` */
    SL_DATASET_TEXTS,
    SL_DATASET_FEATURES,
};
enum sl_dataset_kind sl_dataset_kind_of(const struct sl_dataset *dataset);
/* "images", "texts" or "rows", for messages. */
const char *sl_dataset_unit(const struct sl_dataset *dataset);

/* Open by name or path (see above). `roots` says where fetched sets may be. */
enum sl_status sl_dataset_open(const char *name, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
void sl_dataset_destroy(struct sl_dataset *dataset);

/* Log what was left out or changed since the last call. Call it after opening a set. */
void sl_dataset_tell(struct sl_dataset *dataset, const struct sl_log *log);

/* One image, decoded if it is on disk. The caller releases it. */
enum sl_status sl_dataset_image(const struct sl_dataset *dataset, size_t index,
                                struct sl_image *out, struct sl_error *err) SL_MUST_USE;

/* Load every image into memory at one size and channel count (1 or 3), resampling where necessary.
 * A size of 0 keeps the images' own size and fails, naming two files, if sizes differ. Channels of
 * 0 mean 3 if any image has colour; grey images then get three equal channels. */
enum sl_status sl_dataset_load(struct sl_dataset *dataset, size_t height, size_t width,
                               size_t channels, struct sl_error *err) SL_MUST_USE;

/* SHA-256 of the set's classes, items, labels, true distributions and content. Content in memory is
 * hashed by value, so that two packings of the same images have the same hash; images on disk are
 * hashed as files. */
enum sl_status sl_dataset_hash(const struct sl_dataset *dataset, char out[SL_SHA256_TEXT],
                               struct sl_error *err) SL_MUST_USE;

/* The same as sl_dataset_load, with `skip_broken` also without the images that cannot be read: they
 * are named in notes, and their ids become siblings. `skipped`, if not NULL, receives their former
 * indices in ascending order. Every thread holds one decoded image at a time; an error is that of
 * the first image that has one. */
struct sl_load_options {
    size_t height, width, channels;
    bool skip_broken;
    struct sl_pool *pool; /* borrowed; NULL: the calling thread alone */
};
struct sl_skipped {
    size_t *items; /* owned */
    size_t count;
};
enum sl_status sl_dataset_load_with(struct sl_dataset *dataset,
                                    const struct sl_load_options *options,
                                    struct sl_skipped *skipped, struct sl_error *err) SL_MUST_USE;
void sl_skipped_release(struct sl_skipped *skipped);

/* Leave out the images on disk that cannot be read. Every image is decoded once to find out. */
enum sl_status sl_dataset_skip_broken(struct sl_dataset *dataset, struct sl_error *err) SL_MUST_USE;

/* The true distributions as rows with their items and classes; SL_ERR_USAGE where `truth` is NULL.
 */
struct sl_rows;
enum sl_status sl_dataset_truth_rows(const struct sl_dataset *dataset, struct sl_rows **out,
                                     struct sl_error *err) SL_MUST_USE;

/* Keep only these items, in this order (repeats allowed). */
enum sl_status sl_dataset_select(struct sl_dataset *dataset, const size_t *indices, size_t count,
                                 struct sl_error *err) SL_MUST_USE;

/* Renumber the set's classes: class k becomes columns[k] of `names`, as sl_classes_match
 * (softlab/base/classes.h) found it. Hard labels and true distributions follow. A set without
 * classes takes the names. */
enum sl_status sl_dataset_set_classes(struct sl_dataset *dataset, const size_t *columns,
                                      char *const *names, size_t n_classes,
                                      struct sl_error *err) SL_MUST_USE;

/* Append the images of `more` to `dataset`. Both must be in memory, have one size and share no
 * items. Hard labels are matched by class name; SL_ERR_INPUT names a class that `dataset` does not
 * have. If one of the sets has no classes, the new items have no hard label. True distributions are
 * dropped. */
enum sl_status sl_dataset_append(struct sl_dataset *dataset, const struct sl_dataset *more,
                                 struct sl_error *err) SL_MUST_USE;

/* Data sets that are opened by name. */
struct sl_named_dataset {
    const char *name;
    const char *summary;
    const char *splits; /* "test, train", the first is the default; NULL = none */
    enum sl_status (*open)(const char *options, const struct sl_data_roots *roots,
                           struct sl_dataset **out, struct sl_error *err);
};
/* Ends with a NULL name. Help, manual and tests walk it. */
extern const struct sl_named_dataset sl_named_datasets[];

/* Read a split: indices of items in the order of the file; the caller frees *out. */
enum sl_status sl_split_read(const char *path, size_t n_items, size_t **out, size_t *count,
                             struct sl_error *err) SL_MUST_USE;

/* A data set in two parts. */
struct sl_split {
    size_t *first, *rest; /* owned */
    size_t n_first, n_rest;
};
void sl_split_release(struct sl_split *split);

/* Draw `n_first` items so that every class keeps its share as nearly as whole items allow; indices
 * are ascending. Items without a label count as one more class. */
enum sl_status sl_split_balanced(const int32_t *labels, size_t n_items, size_t n_first,
                                 uint64_t seed, struct sl_split *out,
                                 struct sl_error *err) SL_MUST_USE;

/* Fold `fold` of `n_folds` over the order that numpy.random.seed(seed) and
 * numpy.random.shuffle(arange(n_items)) make; `first` holds the held-out items. For papers that
 * publish their folds as Python programs. Seed and items are below 2^32. */
enum sl_status sl_split_fold_numpy(size_t n_items, size_t n_folds, size_t fold, uint64_t seed,
                                   struct sl_split *out, struct sl_error *err) SL_MUST_USE;

/* Augment one image into `out`, of the same size. Draws come from the stream (seed, "augment",
 * epoch, item): always pass epoch 0 to use one augmentation for the whole run, as two of the
 * papers' programs did. */
struct sl_augment {
    size_t crop_padding; /* pad with this many zeros and crop at random; 4 in the papers */
    bool flip;           /* mirror with probability 1/2 */
    size_t cutout;       /* side of the square set to `fill`, centre anywhere; 0 = none */
    uint8_t fill[3];     /* the colour of cutout, per channel */
    uint64_t seed;
};
void sl_augment_apply(const struct sl_augment *augment, uint64_t epoch, uint64_t item,
                      const struct sl_image *image, uint8_t *out);

/* The `shapes` generator: small images that morph between two of several shape classes.
 * The true class distribution of every image is known by construction. */
struct sl_shapes_options {
    size_t count;     /* 600 */
    size_t size;      /* pixels, 32 */
    size_t n_classes; /* 2 .. SL_SHAPES_MAX_CLASSES, 6 */
    double ambiguous; /* share of images between two classes, .5 */
    double noise;     /* grey levels, 12 */
    uint64_t seed;    /* 1 */
};
enum { SL_SHAPES_MAX_CLASSES = 8 };
struct sl_shapes_options sl_shapes_options_default(void);
enum sl_status sl_shapes_create(const struct sl_shapes_options *options, struct sl_dataset **out,
                                struct sl_error *err) SL_MUST_USE;

/* Mixed images: lambda A + (1 - lambda) B in pixel space, for the mixing studies. */
struct sl_mix_plan {
    size_t count;
    struct sl_mix_item {
        double lambda;
        size_t a, b; /* items of the data set */
        char *file;  /* owned: mixed_<lambda>_<A>_<idA>_<B>_<idB>.png */
    } * items;
};
struct sl_mix_plan_options {
    size_t pairs_per_class_pair; /* 6; used when `count` is 0 */
    size_t count; /* total number of images, dealt to the class pairs in turn with a lambda drawn
                     for each */
    const double *lambdas; /* NULL = the thesis's design: .5, one of {.1,.25}, one of {.75,.9} */
    size_t n_lambdas;
    uint64_t seed;
};
enum sl_status sl_mix_plan_create(const struct sl_dataset *dataset,
                                  const struct sl_mix_plan_options *options,
                                  struct sl_mix_plan *out, struct sl_error *err) SL_MUST_USE;
void sl_mix_plan_release(struct sl_mix_plan *plan);
void sl_mix_pixels(const uint8_t *a, const uint8_t *b, double lambda, size_t count, uint8_t *out);

/* Write the plan's images into a folder, with batches.json in the published layout. */
enum sl_status sl_mix_write(const struct sl_dataset *dataset, const struct sl_mix_plan *plan,
                            size_t batch_size, const char *folder, struct sl_progress *progress,
                            struct sl_error *err) SL_MUST_USE;

/* A contact sheet of up to rows x columns items; if there are labels, one row per class. */
enum sl_status sl_contact_sheet(const struct sl_dataset *dataset, size_t rows, size_t columns,
                                uint64_t seed, struct sl_image *out,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
