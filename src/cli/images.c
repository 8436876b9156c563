/* --size, --channels and --skip-broken, for the commands that load images. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

const char *cli_channel_names(size_t index)
{
    static const char *const names[] = {"1", "3", NULL};
    return names[index];
}

enum sl_status cli_images_check(const struct cli_images *images, const struct sl_dataset *dataset,
                                struct sl_error *err)
{
    const char *option = images->size          ? "--size"
                         : images->channels    ? "--channels"
                         : images->skip_broken ? "--skip-broken"
                                               : NULL;
    if (!option) return SL_OK;
    if (sl_dataset_kind_of(dataset) == SL_DATASET_IMAGES) return SL_OK;
    return sl_fail(err, SL_ERR_USAGE, "%s: holds %s, and %s is for images", dataset->name,
                   sl_dataset_unit(dataset), option);
}

static enum sl_status read_size(const char *size, struct sl_load_options *out, struct sl_error *err)
{
    struct sl_input_shape shape = {0};
    char *with_channels = sl_string_printf("3x%s", size);
    const enum sl_status status = cli_read_shape(with_channels, &shape, err);
    free(with_channels);
    if (status != SL_OK || shape.height * shape.width == 0)
        return sl_fail(err, SL_ERR_USAGE, "--size: \"%s\" is not like 32x32", size);
    out->height = shape.height;
    out->width = shape.width;
    return SL_OK;
}

enum sl_status cli_images_load(const struct cli *cli, const struct cli_images *images,
                               struct sl_dataset *dataset, struct sl_skipped *skipped,
                               struct sl_error *err)
{
    struct sl_load_options options = {.skip_broken = images->skip_broken};
    SL_TRY(cli_images_check(images, dataset, err));
    if (images->size) SL_TRY(read_size(images->size, &options, err));
    if (images->colour) options.channels = 3;
    if (images->channels) options.channels = strcmp(images->channels, "1") == 0 ? 1 : 3;
    SL_TRY(sl_dataset_load_with(dataset, &options, skipped, err));
    sl_dataset_tell(dataset, &cli->log);
    return SL_OK;
}
