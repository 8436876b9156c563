/* Resampling as Pillow's Image.resize does it, by the kernels we need of it. */
#ifndef SOFTLAB_DATASET_IMAGES_RESAMPLE_H
#define SOFTLAB_DATASET_IMAGES_RESAMPLE_H

#include "softlab/dataset/image.h"

enum sl_resampling { SL_RESAMPLE_LANCZOS, SL_RESAMPLE_BOX };

enum sl_status sl_image_resample(const struct sl_image *image, enum sl_resampling kernel,
                                 size_t height, size_t width, struct sl_image *out,
                                 struct sl_error *err) SL_MUST_USE;

#endif
