/* Private to experiment/: job steps that no command does. Each writes one file. */
#ifndef SOFTLAB_EXPERIMENT_PREPARE_H
#define SOFTLAB_EXPERIMENT_PREPARE_H

#include "experiment/plan/plan.h"
#include "softlab/base/names.h"
#include "softlab/dataset.h"

/* A step of any kind; each kind uses some of the members. */
struct sl_prepare_source {
    char *output, *path;
};
struct sl_prepare_series {
    struct sl_text_list words; /* name and path */
};
struct sl_prepare_step {
    char *prepare; /* the kind */
    char *data, *split, *only, *rest, *input, *names;
    bool rest_of_share, held_out, harden, mixed;
    int64_t folds, fold, first, seed, count, row;
    struct {
        struct sl_prepare_series *items;
        size_t count;
    } series;
    struct sl_text_list items; /* item names, or: */
    struct sl_prepare_source *items_from;
    char *class; /* one class, or: */
    struct sl_text_list classes;
};

struct sl_preparation {
    const struct sl_prepare_step *step; /* borrowed */
    const char *output;                 /* borrowed; the file to write */
    const struct sl_data_roots *roots;  /* borrowed */
};

/* items.c: indices of items. */
enum sl_status sl_prepare_items(const struct sl_preparation *preparation, struct sl_error *err);
enum sl_status sl_prepare_named(const struct sl_preparation *preparation, struct sl_error *err);
enum sl_status sl_prepare_holdout(const struct sl_preparation *preparation, struct sl_error *err);

/* labels.c: label sets. */
enum sl_status sl_prepare_labels(const struct sl_preparation *preparation, struct sl_error *err);

/* mixtures.c: mixed images from their names. */
enum sl_status sl_prepare_mixtures(const struct sl_preparation *preparation, struct sl_error *err);
/* Mix one image; `out` has room for an image of the data set. */
enum sl_status sl_prepare_mix(const struct sl_dataset *dataset, const char *name, uint8_t *out,
                              struct sl_error *err) SL_MUST_USE;

/* gallery.c: items with their pictures and distributions. */
enum sl_status sl_prepare_gallery(const struct sl_preparation *preparation, struct sl_error *err);

/* prepare.c: open the step's data set; read the names in a file with one name per line, or the
 * items of an answers file. */
enum sl_status sl_prepare_open(const struct sl_preparation *preparation, struct sl_dataset **out,
                               struct sl_error *err) SL_MUST_USE;
enum sl_status sl_prepare_names(const struct sl_preparation *preparation, const char *place,
                                struct sl_name_table **out, struct sl_error *err) SL_MUST_USE;
bool sl_prepare_has(const struct sl_name_table *names, const char *name);

#endif
