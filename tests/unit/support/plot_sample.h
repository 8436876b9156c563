/* Reading SVG back, for tests of plot/: a parser that accepts nothing but well-formed XML of the
 * kind that plot/ writes, and fails the test otherwise. */
#ifndef SOFTLAB_TESTS_PLOT_SAMPLE_H
#define SOFTLAB_TESTS_PLOT_SAMPLE_H

#include "support.h"

#include "softlab/plot.h"

enum { SVG_MOST = 40000, SVG_DEPTH = 32 };

struct svg_element {
    const char *name; /* borrowed from the text, not NUL-ended */
    size_t name_length;
    const char *attributes;
    size_t attributes_length;
    size_t depth;
    size_t parent;
    char *text; /* owned; decoded content up to the first child or the end */
};

struct svg {
    struct sl_buffer source;      /* owned */
    struct svg_element *elements; /* owned */
    size_t count;
};

/* Draw a plot and read it; both must succeed. */
void svg_draw(const struct sl_plot *plot, struct svg *out);
void svg_parse(struct svg *svg);
void svg_release(struct svg *svg);

/* The i-th element of a name, in a class if that is not NULL; NULL if there are fewer. */
const struct svg_element *svg_find(const struct svg *svg, const char *name, const char *class_name,
                                   size_t i);
size_t svg_count(const struct svg *svg, const char *name, const char *class_name);
/* The element of a name with just this text. */
const struct svg_element *svg_with_text(const struct svg *svg, const char *name, const char *text);

/* An attribute, decoded, valid until the next call; NULL if there is none. */
const char *svg_attribute(const struct svg_element *element, const char *name);
double svg_number(const struct svg_element *element, const char *name);

/* The i-th pair of numbers in path data ("M1,2L3,4H5": only pairs count). */
bool svg_pair(const struct svg_element *path, size_t i, double *x, double *y);
size_t svg_moves(const struct svg_element *path); /* how many 'M' */

#endif
