/* Font: capitals, digits and some signs of 5 x 7 dots, to name the rows of a picture. Private to
 * dataset/images/. */
#ifndef SOFTLAB_DATASET_IMAGES_FONT_H
#define SOFTLAB_DATASET_IMAGES_FONT_H

#include <stddef.h>
#include <stdint.h>

#include "softlab/dataset/image.h"

enum { SL_FONT_WIDTH = 5, SL_FONT_HEIGHT = 7 };

/* Pixels that `n_letters` take from left to right when a dot is `scale` wide. */
size_t sl_font_width(size_t n_letters, size_t scale);

/* Draw with the upper left corner at (x, y), small letters as capitals; what falls
 * outside the image is cut off. */
void sl_font_draw(struct sl_image *image, size_t x, size_t y, size_t scale, uint8_t grey,
                  const char *text);

#endif
