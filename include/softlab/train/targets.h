/* Targets: the distributions that a network is trained to predict, as data. The training loop does
 * not know where they came from. */
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

/* What to do with items without a row in the label set. */
enum sl_target_rest {
    SL_REST_FAIL, /* fail, naming the first */
    SL_REST_HARD, /* use the data set's own class */
    SL_REST_DROP, /* leave them out of training */
};

/* The items of a data set: names, classes and hard labels, all borrowed. */
struct sl_target_items {
    size_t n_items, n_classes;
    char *const *items;
    char *const *classes;
    const int32_t *labels; /* per item; SL_NO_LABEL (-1) where unknown */
};

struct sl_target_options {
    const struct sl_rows *labels; /* NULL: use hard labels for all items */
    char *const *siblings;        /* n_siblings items of other sets, whose rows are ignored */
    size_t n_siblings;
    const size_t *only; /* n_only indices of the items to train on, or NULL: all */
    size_t n_only;
    const char *const *holdout; /* NULL-ended names of items never trained on, or NULL */
    enum sl_target_rest rest;
    enum sl_target_draw draw;
    double smooth;
    bool smooth_all; /* false: only items with rows in `labels`; without labels always all */
    const struct sl_rows *teacher; /* distributions, one per item; or NULL */
    double teacher_share;
};
struct sl_target_options sl_target_options_default(void);

struct sl_targets {
    size_t n_items; /* to train on */
    size_t n_classes;
    size_t *items;          /* owned; n_items indices into the data set */
    size_t *begin;          /* owned; n_items + 1 offsets into rows */
    float *rows;            /* owned; (begin[n_items], n_classes); one per item unless kept apart */
    int32_t *annotators;    /* owned; per row, or NULL */
    char **annotator_names; /* owned; n_annotators, or NULL */
    size_t n_annotators;
    enum sl_target_draw draw;
    size_t n_soft;     /* items whose target came from `labels` */
    size_t n_left_out; /* items without a row in `labels`, by SL_REST_DROP */
};

/* Match labels with items. Rows of annotators are kept apart for SL_DRAW_ANNOTATOR and for
 * `keep_annotators` (crowd layers), otherwise averaged per item. A set without item names matches
 * in order and must have as many rows as there are items, or as `only` has. SL_ERR_INPUT: a label
 * of an item that neither the data set nor `siblings` have (naming it), an item without a label
 * (SL_REST_FAIL), classes that do not match by name or number, rows that do not sum to 1, no item
 * left to train on, a hold-out name that is not an item, a teacher without a row for an item. */
enum sl_status sl_targets_create(const struct sl_target_items *items,
                                 const struct sl_target_options *options, bool keep_annotators,
                                 struct sl_targets **out, struct sl_error *err) SL_MUST_USE;
void sl_targets_destroy(struct sl_targets *targets);

/* SHA-256 of items, rows, annotators and the kind of draw. */
void sl_targets_hash(const struct sl_targets *targets, char out[SL_SHA256_TEXT]);

/* Write the targets of these positions (0..n_items-1) in this epoch, (count, n_classes). Draws come
 * from (seed, "target", epoch, item), where item is the index in the data set. Rows that are kept
 * apart but not drawn from are averaged. Allocates nothing. */
void sl_targets_draw(const struct sl_targets *targets, uint64_t seed, uint64_t epoch,
                     const size_t *positions, size_t count, float *out);

/* The items that a recipe holds out: its list, or items of the label set drawn by (seed,
 * "holdout"), NULL-ended; *out is NULL if it holds out none. Free it with sl_names_destroy.
 * SL_ERR_INPUT if there are too few to draw from. */
enum sl_status sl_holdout_create(const struct sl_recipe *recipe, const struct sl_rows *labels,
                                 uint64_t seed, char ***out, struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
