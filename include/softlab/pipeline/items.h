/* Items as networks read them: an open data set, its images in memory, and its classes in the order
 * of a network or a label file. */
#ifndef SOFTLAB_PIPELINE_ITEMS_H
#define SOFTLAB_PIPELINE_ITEMS_H

#include "softlab/feed.h"
#include "softlab/nn.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

struct sl_vocabulary; /* softlab/feed/text.h */

/* A data set with a feed over it. A data set of texts has no feed until sl_feeding_read; for other
 * sets sl_feeding_read does nothing. */
struct sl_feeding {
    struct sl_dataset *dataset; /* owned */
    struct sl_feed *feed;       /* owned */
    size_t *only;               /* owned; the n_only indices of a split, or NULL: all items */
    size_t n_only;
    size_t *columns; /* owned; after sl_feeding_match, the index in dataset->classes of each class
                        of the set itself; NULL: unchanged */
    size_t n_own;    /* number of classes of the set itself */
};
/* `split` is an index file or NULL. With `part`, a folder of parts (train, val) must be named with
 * a part; otherwise its training part is read. */
enum sl_status sl_feeding_open(const struct sl_workplace *workplace, const char *data,
                               const char *split, const struct sl_load_options *images, bool part,
                               struct sl_feeding *out, struct sl_error *err) SL_MUST_USE;
/* Open the items at a model's image size, with its vocabulary and its classes. */
enum sl_status sl_feeding_for(const struct sl_workplace *workplace, const struct sl_model *model,
                              const char *data, const char *split,
                              const struct sl_load_options *images, struct sl_feeding *out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_feeding_read(const struct sl_workplace *workplace,
                               const struct sl_vocabulary *vocabulary, struct sl_feeding *feeding,
                               struct sl_error *err) SL_MUST_USE;
void sl_feeding_release(struct sl_feeding *feeding);

/* What messages call the items: "images", "rows" or "texts". */
const char *sl_feeding_unit(const struct sl_feeding *feeding);
/* The number of items in the split, or in the set without a split, and the index of each. */
size_t sl_feeding_count(const struct sl_feeding *feeding);
size_t sl_feeding_item(const struct sl_feeding *feeding, size_t index);

/* Give the set the classes of a network, or of the data that a network is trained on, in their
 * order. SL_ERR_INPUT if the network does not know a class. Logs a warning if classes are matched
 * by number because names are missing. */
enum sl_status sl_feeding_match(const struct sl_workplace *workplace,
                                const struct sl_class_list *network, struct sl_feeding *feeding,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_feeding_match_model(const struct sl_workplace *workplace,
                                      const struct sl_model *model, struct sl_feeding *feeding,
                                      struct sl_error *err) SL_MUST_USE;
/* Reorder the columns of labels about these items to the order of dataset->classes. Columns without
 * class names are in the order of the set as it was opened. */
enum sl_status sl_feeding_labels(const struct sl_workplace *workplace,
                                 const struct sl_feeding *feeding, const char *path,
                                 struct sl_rows *rows, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE if a folder of parts (train, val) was named without a part: scoring the training
 * part by mistake would give too good a score. */
enum sl_status sl_dataset_check_part(const struct sl_dataset *dataset,
                                     struct sl_error *err) SL_MUST_USE;
/* SL_ERR_USAGE if options for loading images were given and the set holds texts or features. */
enum sl_status sl_load_options_check(const struct sl_load_options *images,
                                     const struct sl_dataset *dataset,
                                     struct sl_error *err) SL_MUST_USE;
/* sl_load_options_check, then sl_dataset_load_with; notes go to the log. */
enum sl_status sl_workplace_load_images(const struct sl_workplace *workplace,
                                        const struct sl_load_options *images,
                                        struct sl_dataset *dataset, struct sl_skipped *skipped,
                                        struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
