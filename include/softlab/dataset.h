/* Dataset: images, texts and rows of features on disk -> arrays. Readers, splits, resampling,
 * augmentation, corruption, mixing, and the fetching of public sets.
 *
 * A data set is named by one string, the same in every command:
 *   cifar10:test, labelme:train, pos:dev, shapes:n=500,seed=3    a row of the table of sets
 *   photos/, images.npy, features.npz, train-images.idx3-ubyte.gz, items.tsv    a path
 *   photos:val                                 a part of a folder that has train/, val/, ...
 */
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

SL_BEGIN_DECLS

enum { SL_NO_LABEL = -1 };

/* A part of a text that the question is about, in bytes; empty = the whole text. */
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
    float *truth;    /* (count, n_classes) true distributions, or NULL if nobody knows */

    size_t height, width, channels; /* of `pixels`; 0 otherwise */
    uint8_t *pixels;                /* (count, height, width, channels) */
    char **files;                   /* count paths */
    char **texts;                   /* count texts */
    struct sl_span *spans;          /* count, with `texts`; or NULL */
    size_t n_features;              /* of `features`; 0 otherwise */
    float *features;                /* (count, n_features) */

    size_t n_siblings; /* items of other splits that labels made for the whole may be about */
    char **siblings;   /* n_siblings ids, none of them in `items`; or NULL */

    char *parts;    /* "train, val": those of a folder whose training part was read because none was
                       named; NULL otherwise */
    size_t n_notes; /* what was left out or changed on the way, for sl_dataset_tell */
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
/* "images", "texts" or "rows": what a sentence about the set calls them. */
const char *sl_dataset_unit(const struct sl_dataset *dataset);

/* Open by name or path (see above). `roots` says where fetched sets may be. */
enum sl_status sl_dataset_open(const char *name, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
void sl_dataset_destroy(struct sl_dataset *dataset);

/* Say in the log what was left out or changed since the last time; every opener should. */
void sl_dataset_tell(struct sl_dataset *dataset, const struct sl_log *log);

/* One image, decoded if it is on disk. The caller releases it. */
enum sl_status sl_dataset_image(const struct sl_dataset *dataset, size_t index,
                                struct sl_image *out, struct sl_error *err) SL_MUST_USE;

/* Bring every image into memory at one size and channel count (1 or 3), resampling where
 * it must. A size of 0 keeps what the images have and fails, naming two files, if they differ;
 * channels of 0 are 3 if any image has colour, and grey ones get three equal channels. */
enum sl_status sl_dataset_load(struct sl_dataset *dataset, size_t height, size_t width,
                               size_t channels, struct sl_error *err) SL_MUST_USE;

/* SHA-256 of all that the set says: classes, items, labels, true distributions and content. Sets in
 * memory count by their values, so that two packings of the same images have one hash; images on
 * disk by their files' bytes. */
enum sl_status sl_dataset_hash(const struct sl_dataset *dataset, char out[SL_SHA256_TEXT],
                               struct sl_error *err) SL_MUST_USE;

/* The same, if need be without the images that cannot be read: those are noted by name, and their
 * ids become siblings. Where `skipped` is not NULL it says which they were, by their indices
 * before, in ascending order. */
struct sl_load_options {
    size_t height, width, channels;
    bool skip_broken;
};
struct sl_skipped {
    size_t *items; /* owned */
    size_t count;
};
enum sl_status sl_dataset_load_with(struct sl_dataset *dataset,
                                    const struct sl_load_options *options,
                                    struct sl_skipped *skipped, struct sl_error *err) SL_MUST_USE;
void sl_skipped_release(struct sl_skipped *skipped);

/* Leave out the images on disk that cannot be read; each is decoded once to find out. */
enum sl_status sl_dataset_skip_broken(struct sl_dataset *dataset, struct sl_error *err) SL_MUST_USE;

/* The true distributions as rows with their items and classes; SL_ERR_USAGE where `truth` is NULL.
 */
struct sl_rows;
enum sl_status sl_dataset_truth_rows(const struct sl_dataset *dataset, struct sl_rows **out,
                                     struct sl_error *err) SL_MUST_USE;

/* Keep only these items, in this order (repeats allowed). */
enum sl_status sl_dataset_select(struct sl_dataset *dataset, const size_t *indices, size_t count,
                                 struct sl_error *err) SL_MUST_USE;

/* Number the set's classes as somebody else does: class k becomes columns[k] of `names`, as
 * sl_classes_match (softlab/base/classes.h) found it. Hard labels and true distributions follow. A
 * set without classes takes the names. */
enum sl_status sl_dataset_set_classes(struct sl_dataset *dataset, const size_t *columns,
                                      char *const *names, size_t n_classes,
                                      struct sl_error *err) SL_MUST_USE;

/* Put the images of `more` behind those of `dataset`; both in memory and of one size, their items
 * different. Hard labels follow by the names of their classes, and SL_ERR_INPUT names a class that
 * `dataset` does not have; where one of the two sets has no classes, the new items have no hard
 * label. True distributions are dropped. */
enum sl_status sl_dataset_append(struct sl_dataset *dataset, const struct sl_dataset *more,
                                 struct sl_error *err) SL_MUST_USE;

/* The sets that have a name. */
struct sl_named_dataset {
    const char *name;
    const char *summary;
    const char *splits; /* "test, train", the first is the default; NULL = none */
    enum sl_status (*open)(const char *options, const struct sl_data_roots *roots,
                           struct sl_dataset **out, struct sl_error *err);
};
/* Ends with a NULL name. Help, manual and tests walk it. */
extern const struct sl_named_dataset sl_named_datasets[];

/* Splits: indices in ascending or drawn order; *out is the caller's to free. */
enum sl_status sl_split_read(const char *path, size_t n_items, size_t **out, size_t *count,
                             struct sl_error *err) SL_MUST_USE;

/* A data set in two parts. */
struct sl_split {
    size_t *first, *rest; /* owned */
    size_t n_first, n_rest;
};
void sl_split_release(struct sl_split *split);

/* `n_first` items drawn with every class's share kept as nearly as whole items allow, in
 * ascending order. Items without a label count as a class of their own. */
enum sl_status sl_split_balanced(const int32_t *labels, size_t n_items, size_t n_first,
                                 uint64_t seed, struct sl_split *out,
                                 struct sl_error *err) SL_MUST_USE;

/* Fold `fold` of `n_folds`, the held-out items first, over the order that numpy.random.seed(seed);
 * numpy.random.shuffle(arange(n_items)) makes: papers publish their folds as Python programs. Seed
 * and items are below 2^32. */
enum sl_status sl_split_fold_numpy(size_t n_items, size_t n_folds, size_t fold, uint64_t seed,
                                   struct sl_split *out, struct sl_error *err) SL_MUST_USE;

/* Augmentation of one image into `out`, of the same size. Draws come from (seed, "augment", epoch,
 * item): pass epoch 0 always to freeze it once for a run, as two of the papers' programs did. */
struct sl_augment {
    size_t crop_padding; /* pad by this with zeros and crop at random; 4 in the papers */
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
    size_t count;          /* images in all, over class pairs in turn, a lambda drawn for each */
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

/* A contact sheet: up to rows x columns items, a row per class where labels exist. */
enum sl_status sl_contact_sheet(const struct sl_dataset *dataset, size_t rows, size_t columns,
                                uint64_t seed, struct sl_image *out,
                                struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
