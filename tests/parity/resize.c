/* resize <in.npy> <height> <width> <out.npy>: every image of a uint8 array of shape
 * (count, height, width, channels), resampled. check_resize.py compares with Pillow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softlab/base/array.h"
#include "softlab/base/text.h"
#include "softlab/dataset/image.h"

static enum sl_status resize_all(const struct sl_array *in, size_t height, size_t width,
                                 struct sl_array *out, struct sl_error *err)
{
    const size_t channels = in->shape[3];
    const size_t shape[4] = {in->shape[0], height, width, channels};
    SL_TRY(sl_array_create(SL_U1, 0, 4, shape, out, err));
    const size_t in_bytes = in->shape[1] * in->shape[2] * channels;
    const size_t out_bytes = height * width * channels;
    for (size_t i = 0; i < in->shape[0]; i++) {
        const struct sl_image image = {in->shape[1], in->shape[2], channels,
                                       (uint8_t *)in->data + i * in_bytes};
        struct sl_image resized;
        SL_TRY(sl_image_resize(&image, height, width, &resized, err));
        memcpy((uint8_t *)out->data + i * out_bytes, resized.pixels, out_bytes);
        sl_image_release(&resized);
    }
    return SL_OK;
}

int main(int argc, char **argv)
{
    struct sl_error err = {0};
    struct sl_array in = {0}, out = {0};
    int64_t height, width;
    if (argc != 5 || !sl_text_to_integer(argv[2], strlen(argv[2]), &height) ||
        !sl_text_to_integer(argv[3], strlen(argv[3]), &width) || height < 1 || width < 1) {
        fputs("usage: resize <in.npy> <height> <width> <out.npy>\n", stderr);
        return 2;
    }
    const size_t any[4] = {0};
    enum sl_status status = sl_npy_read(argv[1], &in, &err);
    if (status == SL_OK) status = sl_array_expect(&in, argv[1], 4, any, &err);
    if (status == SL_OK && in.dtype != SL_U1)
        status = sl_fail(&err, SL_ERR_INPUT, "%s: expected bytes", argv[1]);
    if (status == SL_OK) status = resize_all(&in, (size_t)height, (size_t)width, &out, &err);
    if (status == SL_OK) status = sl_npy_write(&out, SL_ORDER_C, argv[4], &err);
    if (status != SL_OK) fprintf(stderr, "resize: %s\n", err.message);
    sl_array_release(&in);
    sl_array_release(&out);
    return status != SL_OK;
}
