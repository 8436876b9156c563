/* Loading images, for all jobs. */
#include "softlab/pipeline/items.h"

enum sl_status sl_load_options_check(const struct sl_load_options *images,
                                     const struct sl_dataset *dataset, struct sl_error *err)
{
    const char *option = images->height        ? "--size"
                         : images->channels    ? "--channels"
                         : images->skip_broken ? "--skip-broken"
                                               : NULL;
    if (!option) return SL_OK;
    if (sl_dataset_kind_of(dataset) == SL_DATASET_IMAGES) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s: holds %s, but %s is for images; leave it out",
                   dataset->name, sl_dataset_unit(dataset), option);
}

enum sl_status sl_workplace_load_images(const struct sl_workplace *workplace,
                                        const struct sl_load_options *images,
                                        struct sl_dataset *dataset, struct sl_skipped *skipped,
                                        struct sl_error *err)
{
    SL_TRY(sl_load_options_check(images, dataset, err));
    struct sl_load_options options = *images;
    options.pool = workplace->pool;
    SL_TRY(sl_dataset_load_with(dataset, &options, skipped, err));
    sl_dataset_tell(dataset, workplace->log);
    return SL_OK;
}
