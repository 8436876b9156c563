/* Plot: charts as SVG text, for files of their own and inside HTML. No drawing library, no scripts,
 * no fonts to load; the same plot gives the same bytes everywhere.
 *
 * Fill a struct sl_plot and call sl_plot_svg. Everything in it is borrowed, nothing is kept. Every
 * text is escaped. Colours follow the reader's light or dark setting and print; series also differ
 * by mark, dash and hatching. A page may set the colours itself: the CSS properties --sl-paper,
 * --sl-ink, ... of .sl-plot win over the chart's own (docs/internals/plot.md lists them).
 *
 * A value that is NaN or infinite, in either coordinate, is missing: a gap in a line, no bar, no
 * point. Missing values are counted in the text alternative (<desc>), which also says what
 * the series hold. An interval with one end that is not finite is not drawn. A chart without one
 * value says "No data". */
#ifndef SOFTLAB_PLOT_H
#define SOFTLAB_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "softlab/base/buffer.h"
#include "softlab/base/error.h"

SL_BEGIN_DECLS

/* What a series holds, by kind. x and y may be NULL where they are "0, 1, 2, ...".
 *
 * bars         values on one axis, categories on the other, which decides the direction; intervals
 * scatter      x and y, intervals on both; `texts` name the points, up to 200 of them
 * lines        x ascending or not, y; intervals as a band or as whiskers
 * heat         z, row by row from the top: (y categories, x categories); one series
 * histogram    x: the raw values, counted here into common bins; y is not used
 * reliability  per bin x: mean confidence, y: accuracy, x_low and x_high: the bin's edges, weight:
 *              its items; y intervals; one series. Empty bins are NaN.
 * forest       x: values with intervals, one row per y category. Without any interval the series
 *              share a line and are joined (a dumbbell) */
enum sl_plot_kind {
    SL_PLOT_BARS,
    SL_PLOT_SCATTER,
    SL_PLOT_LINES,
    SL_PLOT_HEAT,
    SL_PLOT_HISTOGRAM,
    SL_PLOT_RELIABILITY,
    SL_PLOT_FOREST,
    SL_PLOT_KINDS
};

/* The name and one line about each kind, ending with a NULL name. */
struct sl_plot_kind_info {
    const char *name;
    const char *summary;
};
extern const struct sl_plot_kind_info sl_plot_kinds[];

enum sl_plot_scale {
    SL_SCALE_LINEAR,
    SL_SCALE_LOG,      /* every value must be positive */
    SL_SCALE_CATEGORY, /* value i stands at category i; on y the first is at the top */
};

struct sl_plot_axis {
    const char *label; /* NULL: none */
    const char *unit;  /* NULL, or behind the label: "Time (s)"; "%" goes behind every number.
                        * A logarithmic axis is called so there too: "Time (s, log scale)" */
    enum sl_plot_scale scale;
    double low, high;              /* the range; equal, as when left out: from the values */
    const char *const *categories; /* (n_categories), for SL_SCALE_CATEGORY */
    size_t n_categories;
};

/* Arrays have `count` elements, or are NULL. */
struct sl_plot_series {
    const char *name; /* in legend and text alternative; may be NULL if it is the only one */
    size_t count;
    const double *x, *y, *z;
    const double *x_low, *x_high; /* both or neither */
    const double *y_low, *y_high;
    const double *weight;     /* items behind each value */
    const char *const *texts; /* a name per value, for tooltips and scatter; elements may be NULL */
    bool reference;           /* what others are compared with: grey, hollow marks, no number of
                               * its own in the row of colours */
    bool band;                /* lines: the interval as a band */
    bool plain;               /* lines: no marks, even if there are few values */
};

enum { SL_PLOT_MAX_SERIES = 8 };

struct sl_plot {
    enum sl_plot_kind kind;
    const char *id;       /* unique in the page: a letter, then letters, digits, '-', '_' */
    const char *title;    /* what the reader should see in it, or its subject */
    const char *subtitle; /* NULL: none */
    const char *note;     /* NULL: none; below: source, sample sizes, warnings */
    const char *summary;  /* NULL: none; put before the computed text alternative */
    struct sl_plot_axis x, y;
    struct sl_plot_axis z; /* heat: what the colours mean */
    const struct sl_plot_series *series;
    size_t n_series;
    double width;  /* 0: 400; text has a fixed size, so a smaller width makes it larger on screen */
    double height; /* of the area between the axes; 0: what suits the kind */
    size_t n_bins; /* histogram; 0: from the values */
    bool share;    /* histogram: the share of each series in per cent instead of counts */
    bool hide_values; /* heat: colours only */
};

/* Append the chart as one <svg> element. Nothing is appended on failure. SL_ERR_USAGE for a plot
 * that its kind cannot draw, SL_ERR_INPUT for values that its axes cannot hold. */
enum sl_status sl_plot_svg(const struct sl_plot *plot, struct sl_buffer *out,
                           struct sl_error *err) SL_MUST_USE;

/* Where parts of a chart are, for a page that holds many: bytes of the buffer that it was appended
 * to, from `begin` up to but not including `end`. */
struct sl_plot_span {
    size_t begin, end;
};
struct sl_plot_parts {
    struct sl_plot_span style;       /* the <style> element, which sl_plot_rules can stand in for */
    struct sl_plot_span description; /* the text alternative, with markup's escapes */
};
/* As sl_plot_svg, and says where its parts are. */
enum sl_status sl_plot_svg_parts(const struct sl_plot *plot, struct sl_buffer *out,
                                 struct sl_plot_parts *parts, struct sl_error *err) SL_MUST_USE;
/* Append the style rules that every chart has, for all charts of a page (class "sl-plot"). */
void sl_plot_rules(struct sl_buffer *out);

/* The chart as a file of its own. */
enum sl_status sl_plot_write(const struct sl_plot *plot, const char *path,
                             struct sl_error *err) SL_MUST_USE;

SL_END_DECLS

#endif
