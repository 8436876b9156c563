/* Orientation: how a picture must be turned to be upright. Cameras store pixels in the sensor's
 * orientation and state in EXIF how to turn them; browsers follow it, and so does every picture
 * decoded here. Private to dataset/images/. */
#ifndef SOFTLAB_DATASET_IMAGES_ORIENTATION_H
#define SOFTLAB_DATASET_IMAGES_ORIENTATION_H

#include "softlab/dataset/image.h"

/* The orientation in a TIFF header and its first directory, 1 to 8; 1 if it states none or is
 * broken, as in browsers. */
unsigned sl_exif_orientation(const unsigned char *tiff, size_t length);

/* Turn pixels that were stored in this orientation upright. */
enum sl_status sl_image_turn(struct sl_image *image, unsigned orientation,
                             struct sl_error *err) SL_MUST_USE;

#endif
