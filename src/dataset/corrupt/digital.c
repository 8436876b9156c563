/* Corruptions by storage: pixelate and JPEG compression. */
#include <stdlib.h>
#include <string.h>

#include "dataset/corrupt/corrupt.h"
#include "dataset/images/codec.h"
#include "dataset/images/resample.h"

static size_t share_of(size_t size, double share)
{
    const size_t smaller = (size_t)((double)size * share);
    return smaller ? smaller : 1;
}

static enum sl_status keep_pixels(const struct sl_corrupt_job *job, const struct sl_image *result)
{
    memcpy(job->out, result->pixels, sl_extent_count(sl_corrupt_extent(job)));
    return SL_OK;
}

enum sl_status sl_corrupt_pixelate(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const double shares[SL_SEVERITIES] = {.95, .9, .85, .75, .65};
    const struct sl_image *image = job->image;
    const double share = shares[job->step];
    struct sl_image small = {0}, large = {0};
    enum sl_status status;
    SL_TRY_OUT(sl_image_resample(image, SL_RESAMPLE_BOX, share_of(image->height, share),
                                 share_of(image->width, share), &small, err));
    SL_TRY_OUT(
        sl_image_resample(&small, SL_RESAMPLE_BOX, image->height, image->width, &large, err));
    status = keep_pixels(job, &large);
out:
    sl_image_release(&small);
    sl_image_release(&large);
    return status;
}

enum sl_status sl_corrupt_jpeg_compression(struct sl_corrupt_job *job, struct sl_error *err)
{
    static const int quality[SL_SEVERITIES] = {80, 65, 58, 50, 40};
    unsigned char *bytes = NULL;
    size_t length = 0;
    struct sl_image decoded = {0};
    enum sl_status status;
    SL_TRY_OUT(sl_jpeg_encode(job->image, quality[job->step], &bytes, &length, err));
    SL_TRY_OUT(sl_jpeg_decode(bytes, length, "jpeg_compression", &decoded, err));
    status = keep_pixels(job, &decoded);
out:
    sl_image_release(&decoded);
    free(bytes);
    return status;
}
