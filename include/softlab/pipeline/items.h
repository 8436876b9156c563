/* Items as networks read them: a data set opened, its images in memory, its classes in the order
 * that a network or a label file has. */
#ifndef SOFTLAB_PIPELINE_ITEMS_H
#define SOFTLAB_PIPELINE_ITEMS_H

#include "softlab/feed.h"
#include "softlab/nn.h"
#include "softlab/pipeline/workplace.h"

SL_BEGIN_DECLS

struct sl_vocabulary; /* softlab/feed/text.h */

/* A data set with a feed over it. Texts have no feed until sl_feeding_read, which leaves others as
 * they are. */
struct sl_feeding {
    struct sl_dataset *dataset; /* owned */
    struct sl_feed *feed;       /* owned */
    size_t *only;               /* owned; the n_only indices of a split, or NULL: all items */
    size_t n_only;
    size_t *columns; /* owned; of each class that the set itself has, its place in dataset->classes
                        since sl_feeding_match; or NULL: there */
    size_t n_own;    /* classes that the set itself has */
};
/* `split` is an index file, or NULL. `part`: a folder of parts (train, val) must be named with one
 * of them, and is not read as its training part. */
enum sl_status sl_feeding_open(const struct sl_workplace *workplace, const char *data,
                               const char *split, const struct sl_load_options *images, bool part,
                               struct sl_feeding *out, struct sl_error *err) SL_MUST_USE;
/* Items as a model reads them: its size, its vocabulary, its classes. */
enum sl_status sl_feeding_for(const struct sl_workplace *workplace, const struct sl_model *model,
                              const char *data, const char *split,
                              const struct sl_load_options *images, struct sl_feeding *out,
                              struct sl_error *err) SL_MUST_USE;
enum sl_status sl_feeding_read(const struct sl_workplace *workplace,
                               const struct sl_vocabulary *vocabulary, struct sl_feeding *feeding,
                               struct sl_error *err) SL_MUST_USE;
void sl_feeding_release(struct sl_feeding *feeding);

/* What its items are called: "images", "rows" or "texts". */
const char *sl_feeding_unit(const struct sl_feeding *feeding);
/* How many items the split or else the set has, and which is the i-th. */
size_t sl_feeding_count(const struct sl_feeding *feeding);
size_t sl_feeding_item(const struct sl_feeding *feeding, size_t index);

/* The names and the order of classes become those of a network, or of what one is trained on. A
 * class that the network does not know is an error; classes matched without names are a warning. */
enum sl_status sl_feeding_match(const struct sl_workplace *workplace,
                                const struct sl_class_list *network, struct sl_feeding *feeding,
                                struct sl_error *err) SL_MUST_USE;
enum sl_status sl_feeding_match_model(const struct sl_workplace *workplace,
                                      const struct sl_model *model, struct sl_feeding *feeding,
                                      struct sl_error *err) SL_MUST_USE;
/* Columns of labels about these items, in the order of dataset->classes. Labels that do not name
 * their classes have them in the order of the set as it was opened. */
enum sl_status sl_feeding_labels(const struct sl_workplace *workplace,
                                 const struct sl_feeding *feeding, const char *path,
                                 struct sl_rows *rows, struct sl_error *err) SL_MUST_USE;

/* SL_ERR_USAGE where a folder of parts (train, val) was named without one: which part is evaluated
 * is not to be guessed, and the training part would flatter. */
enum sl_status sl_dataset_check_part(const struct sl_dataset *dataset,
                                     struct sl_error *err) SL_MUST_USE;
/* SL_ERR_USAGE where a way to load images was asked for and the set holds texts or features. */
enum sl_status sl_load_options_check(const struct sl_load_options *images,
                                     const struct sl_dataset *dataset,
                                     struct sl_error *err) SL_MUST_USE;
/* sl_dataset_load_with, with that check and with notes in the log. */
enum sl_status sl_workplace_load_images(const struct sl_workplace *workplace,
                                        const struct sl_load_options *images,
                                        struct sl_dataset *dataset, struct sl_skipped *skipped,
                                        struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
