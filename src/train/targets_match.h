/* Rows of a set, matched to the items and classes of a data set. Private to train/. */
#ifndef SOFTLAB_TRAIN_TARGETS_MATCH_H
#define SOFTLAB_TRAIN_TARGETS_MATCH_H

#include "softlab/base/names.h"
#include "softlab/train/targets.h"

struct sl_target_match {
    const struct sl_rows *set; /* borrowed */
    size_t *columns;           /* owned; of each class of the data set */
    size_t *begin;             /* owned; n_items + 1 offsets into rows */
    size_t *rows;              /* owned; row numbers of the set, grouped by item, in their order */
};

/* The items' names, numbered like the items. */
enum sl_status sl_target_names(const struct sl_target_items *items, struct sl_name_table **out,
                               struct sl_error *err) SL_MUST_USE;

/* `what` ("labels", "teacher") begins the errors; `options` says which items rows without names
 * belong to. */
enum sl_status sl_target_match(const struct sl_target_items *items,
                               const struct sl_name_table *names,
                               const struct sl_target_options *options, const struct sl_rows *set,
                               const char *what, struct sl_target_match *out,
                               struct sl_error *err) SL_MUST_USE;
void sl_target_match_release(struct sl_target_match *match);

#endif
