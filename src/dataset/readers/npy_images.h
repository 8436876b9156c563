/* Private to dataset/readers/: images in numpy's arrays, as bytes or floats, colours last or
 * first. */
#ifndef SOFTLAB_DATASET_READERS_NPY_IMAGES_H
#define SOFTLAB_DATASET_READERS_NPY_IMAGES_H

#include "dataset/readers/reader.h"
#include "softlab/base/array.h"

/* What an array does not say by itself. */
struct sl_npy_options {
    enum { SL_LAYOUT_GUESS, SL_LAYOUT_NHWC, SL_LAYOUT_NCHW } layout;
    enum { SL_RANGE_GUESS, SL_RANGE_1, SL_RANGE_255 } range;
};

/* "layout=nchw,range=1" behind the path; NULL gives the defaults. SL_ERR_USAGE for other words,
 * with a suggestion. */
enum sl_status sl_npy_options_parse(const char *path, const char *text, struct sl_npy_options *out,
                                    struct sl_error *err) SL_MUST_USE;

/* Whether an array of this type and shape is one of images: not a table of features. */
bool sl_npy_are_images(const struct sl_array *array);

/* Check images by type and shape; `data` may be NULL. */
enum sl_status sl_npy_images_check(const struct sl_array *images,
                                   const struct sl_npy_options *options, const char *path,
                                   struct sl_error *err) SL_MUST_USE;

/* Make a set from images and take their data if it can be used as it is. */
enum sl_status sl_npy_images_take(struct sl_array *images, const struct sl_npy_options *options,
                                  const char *path, struct sl_dataset **out,
                                  struct sl_error *err) SL_MUST_USE;

#endif
