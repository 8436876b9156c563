/* Drawing functions of the shapes generator, without randomness. Private to dataset/shapes/. */
#ifndef SOFTLAB_DATASET_SHAPES_SHAPES_H
#define SOFTLAB_DATASET_SHAPES_SHAPES_H

#include <stddef.h>

#include "softlab/dataset.h"

/* Reading error of the observer whose answers are the truth, in units of the morph. */
#define SL_SHAPE_READING_ERROR 0.15

/* In the order of class numbers. */
extern const char *const sl_shape_names[SL_SHAPES_MAX_CLASSES];

/* A picture's outline. Shapes are about 1 in radius; the picture spans -1 to 1. */
struct sl_shape_pose {
    size_t from, to; /* classes A and B */
    double morph;    /* 0 = A, 1 = B */
    double angle;    /* radians, clockwise */
    double scale;
    double x, y; /* of the centre */
};

/* Probability that the observer says B (see shapes.c). */
double sl_shape_probability(double morph);

/* The part of every pixel that lies within the outline; `out` is (size, size). */
void sl_shape_cover(const struct sl_shape_pose *pose, size_t size, float *out);

#endif
