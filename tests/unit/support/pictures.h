/* A small labelled set of made images, for tests that need one. */
#ifndef SOFTLAB_TESTS_PICTURES_H
#define SOFTLAB_TESTS_PICTURES_H

#include "support.h"

#include "softlab/dataset.h"

/* `count` images of height x width x 3; item i has label i % n_classes and pixels of value
 * 3 i; ids are "0", "1", ... and classes "class0", ... */
static inline struct sl_dataset *test_pictures(size_t count, size_t n_classes, size_t height,
                                               size_t width)
{
    struct sl_dataset *set = sl_alloc(1, sizeof *set);
    const size_t bytes = height * width * 3;
    set->name = sl_string_copy("pictures");
    set->count = count;
    set->n_classes = n_classes;
    set->height = height;
    set->width = width;
    set->channels = 3;
    set->classes = sl_alloc(n_classes, sizeof *set->classes);
    set->items = sl_alloc(count, sizeof *set->items);
    set->labels = sl_alloc(count, sizeof *set->labels);
    set->pixels = sl_alloc(count, bytes);
    for (size_t k = 0; k < n_classes; k++)
        set->classes[k] = sl_string_printf("class%zu", k);
    for (size_t i = 0; i < count; i++) {
        set->items[i] = sl_string_printf("%zu", i);
        set->labels[i] = (int32_t)(i % n_classes);
        memset(set->pixels + i * bytes, (int)(3 * i), bytes);
    }
    return set;
}

#endif
