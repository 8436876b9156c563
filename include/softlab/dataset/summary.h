/* Summary: what a data set holds, counted. */
#ifndef SOFTLAB_DATASET_SUMMARY_H
#define SOFTLAB_DATASET_SUMMARY_H

#include "softlab/base/json.h"
#include "softlab/dataset.h"

SL_BEGIN_DECLS

struct sl_dataset_summary {
    size_t *per_class; /* owned; (n_classes) items with this label */
    size_t n_labelled;
    double mean_entropy;            /* of the true distributions, in nats; NaN without them */
    size_t smallest[2], largest[2]; /* height and width of images, each on its own */
    size_t n_sizes_seen;            /* images that were looked at for their sizes */
};
/* Of images on disk, up to about 500, spread over the set, are decoded for their sizes; images in
 * memory have one size, which counts as one image seen. The caller releases *out. */
enum sl_status sl_dataset_summarise(const struct sl_dataset *dataset,
                                    struct sl_dataset_summary *out,
                                    struct sl_error *err) SL_MUST_USE;
void sl_dataset_summary_release(struct sl_dataset_summary *summary);
/* The summary as JSON; the caller owns it. */
json_t *sl_dataset_summary_json(const struct sl_dataset *dataset,
                                const struct sl_dataset_summary *summary) SL_MUST_USE;

SL_END_DECLS

#endif
