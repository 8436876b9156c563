/* Targets: what a network is to say about each item, as data. The training loop never knows where
 * they came from. */
#ifndef SOFTLAB_TRAIN_TARGETS_H
#define SOFTLAB_TRAIN_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softlab/base/error.h"
#include "softlab/base/hash.h"
#include "softlab/base/rows.h"
#include "softlab/train/recipe.h"

SL_BEGIN_DECLS

/* What becomes of items that the label set has no row for. */
enum sl_target_rest {
    SL_REST_FAIL, /* an error naming the first */
    SL_REST_HARD, /* the data set's own class */
    SL_REST_DROP, /* they are left out of training */
};

/* The items a target set is made for: names, classes and hard labels, all borrowed. */
struct sl_target_items {
    size_t n_items, n_classes;
    char *const *items;
    char *const *classes;
    const int32_t *labels; /* per item; SL_NO_LABEL (-1) where unknown */
};

struct sl_target_options {
    const struct sl_rows *labels; /* NULL: every item its hard label */
    char *const *siblings;        /* n_siblings items elsewhere, whose rows are passed over */
    size_t n_siblings;
    const size_t *only; /* n_only indices of the items to train on, or NULL: all */
    size_t n_only;
    const char *const *holdout; /* NULL-ended names of items never trained on, or NULL */
    enum sl_target_rest rest;
    enum sl_target_draw draw;
    double smooth;
    bool smooth_all; /* else only the items that `labels` has rows for; without labels always all */
    const struct sl_rows *teacher; /* distributions, one per item; or NULL */
    double teacher_share;
};
struct sl_target_options sl_target_options_default(void);

struct sl_targets {
    size_t n_items; /* that are trained on */
    size_t n_classes;
    size_t *items; /* owned; n_items indices into the data set */
    size_t *begin; /* owned; n_items + 1 offsets into rows */
    float *rows;   /* owned; (begin[n_items], n_classes); one per item unless drawn from or crowd */
    int32_t *annotators;    /* owned; per row, or NULL */
    char **annotator_names; /* owned; n_annotators, or NULL */
    size_t n_annotators;
    enum sl_target_draw draw;
    size_t n_soft;     /* items whose target came from `labels` */
    size_t n_left_out; /* items without a row in `labels`, by SL_REST_DROP */
};

/* SL_ERR_INPUT, before any training: a label for an item that neither the data set nor
 * `siblings` have (naming it), an
 * item without one (SL_REST_FAIL), another set or order of classes that cannot be matched by name,
 * another number of classes, rows that do not sum to 1, nothing left to train on, a hold-out name
 * that is no item, a teacher without a row for an item. Rows with annotators are kept apart for
 * SL_DRAW_ANNOTATOR and for `keep_annotators` (crowd layers), else averaged per item. A set without
 * item names corresponds in order and must have as many rows as there are items, or as `only`. */
enum sl_status sl_targets_create(const struct sl_target_items *items,
                                 const struct sl_target_options *options, bool keep_annotators,
                                 struct sl_targets **out, struct sl_error *err) SL_MUST_USE;
void sl_targets_destroy(struct sl_targets *targets);

/* SHA-256 of items, rows, annotators and the way of drawing. */
void sl_targets_hash(const struct sl_targets *targets, char out[SL_SHA256_TEXT]);

/* The targets of these (positions 0..n_items-1 of the set) at this epoch, (count, n_classes). Draws
 * come from (seed, "target", epoch, item), the item being its index in the data set. Of rows that
 * are kept apart without being drawn from it is their mean. Allocates nothing. */
void sl_targets_draw(const struct sl_targets *targets, uint64_t seed, uint64_t epoch,
                     const size_t *positions, size_t count, float *out);

/* The items that a recipe holds out: its list, or some of the label set's drawn by (seed,
 * "holdout"), NULL-ended; *out is NULL if it holds out none. Free it with sl_names_destroy.
 * SL_ERR_INPUT if there are not so many to draw from. */
enum sl_status sl_holdout_create(const struct sl_recipe *recipe, const struct sl_rows *labels,
                                 uint64_t seed, char ***out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
